"""`rocscope power`: the number of cases needed, or the power of a given number."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import click

import rocscope as rs
from rocscope.cli.options import format_option
from rocscope.cli.output import Format, emit
from rocscope.errors import RocscopeError
from rocscope.report import Block, Field, Paragraph, Sheet, Span, Tabular, quiet, strong

if TYPE_CHECKING:
    from rocscope.intervals import StudyPlan

EPILOG = """\b
Examples:
  rocscope power --auc 0.8 --against 0.7
  rocscope power --auc 0.85 --against 0.8 --paired --correlation 0.6
  rocscope power --auc 0.8 --against 0.7 --positives 50 --negatives 100
  rocscope power --auc 0.9 --width 0.1
"""
STEPS = (0.5, 0.8, 0.9, 0.95)
MOST_CASES = 10**12


@click.command(epilog=EPILOG)
@click.option("--auc", type=float, required=True, metavar="A", help="Expected AUC.")
@click.option(
    "--against", type=float, metavar="B", help="AUC to compare with: a fixed value or the AUC of the other model."
)
@click.option(
    "--width", type=float, metavar="W", help="Largest acceptable width of the interval, instead of --against."
)
@click.option("--power", type=float, metavar="P", help="Probability of detecting the difference.  [default: 0.8]")
@click.option("--positives", type=click.IntRange(min=1), metavar="N", help="Number of positives, to compute the power.")
@click.option("--negatives", type=click.IntRange(min=1), metavar="N", help="Number of negatives, to compute the power.")
@click.option("--ratio", type=float, default=1.0, show_default=True, help="Negatives for each positive.")
@click.option("--paired", is_flag=True, help="Compare two models on the same cases.")
@click.option("--correlation", type=float, metavar="R",
              help="Correlation of the two AUC estimates, for --paired.  [default: 0.5]")  # fmt: skip
@click.option("--level", type=float, default=0.95, show_default=True, help="Confidence level, two-sided.")
@format_option
def command(format: Format, **given: Any) -> None:
    """Compute how many cases are needed to show that two AUCs differ, or the power of a given number of cases."""
    _check(given)
    emit(_sheet(_plan(given, given["power"] or 0.8), given), format)


def _check(given: dict[str, Any]) -> None:
    if not 0 < given["ratio"] <= MOST_CASES:
        raise RocscopeError(
            f"--ratio must be a positive number, not {given['ratio']:g}",
            hint="Give the number of negatives for each positive",
        )
    for name in ("positives", "negatives"):
        if given[name] is not None and given[name] > MOST_CASES:
            raise RocscopeError(f"--{name} must be at most {MOST_CASES:,}")
    if (given["against"] is None) == (given["width"] is None):
        raise RocscopeError("give --against B or --width W", hint="rocscope power --auc 0.8 --against 0.7")
    if given["width"] is not None and given["paired"]:
        raise RocscopeError("--width applies only to a single AUC", hint="Leave --paired out")
    if given["width"] is not None and (given["positives"] or given["power"]):
        raise RocscopeError(
            "--width computes the number of cases, so it cannot be combined with --power or --positives",
            hint="Leave them out",
        )
    if given["power"] is not None and given["positives"] is not None:
        raise RocscopeError("--power and --positives cannot be combined", hint="Give one of them to compute the other")
    if given["correlation"] is not None and not given["paired"]:
        raise RocscopeError("--correlation needs --paired", hint="Add --paired to compare two models on the same cases")
    if given["negatives"] is not None and given["positives"] is None:
        raise RocscopeError("--negatives needs --positives", hint="Give both, or --ratio")


def _plan(given: dict[str, Any], power: float) -> StudyPlan:
    auc, against, level, ratio = (given[name] for name in ("auc", "against", "level", "ratio"))
    if given["width"] is not None:
        return rs.intervals.size_for_width(auc, given["width"], ratio=ratio, level=level)
    paired = {"correlation": 0.5 if given["correlation"] is None else given["correlation"]} if given["paired"] else {}
    if given["positives"] is None:
        size = rs.intervals.size_for_difference if given["paired"] else rs.intervals.size_for_auc
        return size(auc, against, power=power, ratio=ratio, level=level, **paired)
    positives = given["positives"]
    negatives = given["negatives"] or max(1, math.ceil(positives * ratio - 1e-9))
    reached = rs.intervals.power_for_difference if given["paired"] else rs.intervals.power_for_auc
    return reached(auc, against, positives=positives, negatives=negatives, level=level, **paired)


def _steps(plan: StudyPlan, given: dict[str, Any]) -> list[StudyPlan]:
    """The plan beside alternatives: more and less power, or half and twice as many cases."""
    if given["width"] is not None:
        return []
    if given["positives"] is None:
        return [_plan(given, power) for power in STEPS]
    sizes = [max(1, round(plan.positives * factor)) for factor in (0.5, 1, 2, 4)]
    ratio = plan.negatives / plan.positives
    if given["paired"]:  # the power of a difference is not reported for fewer than 10 cases per class
        sizes = [size for size in sizes if min(size, round(size * ratio)) >= 10]
    return [_plan(given | {"positives": size, "negatives": max(1, round(size * ratio))}, 0.8) for size in sizes]


def _sheet(plan: StudyPlan, given: dict[str, Any]) -> Sheet:
    steps = _steps(plan, given)
    records = [{"positives": step.positives, "negatives": step.negatives, "power": step.power} for step in steps]
    rows = [[step.positives, step.negatives, step.total, step.power] for step in steps or [plan]]
    about = Paragraph.of([_headline(plan, given)], _about(given), *([_paired_note(given)] if given["paired"] else []))
    grid = Tabular.of([Field("positives"), Field("negatives"), Field("all"), Field("power", 3)], rows)
    full = Tabular.full(("positives", "negatives", "total", "power"), rows)
    plan_options = {name: given[name] for name in ("auc", "against", "width", "paired", "level")}
    answered = {name: getattr(plan, name) for name in ("positives", "negatives", "total", "power", "exact", "aim")}
    blocks: list[Block] = [about, grid] if steps else [about]
    return Sheet(plan_options | answered | {"others": records}, lambda look, single: blocks, lambda: full)


def _headline(plan: StudyPlan, given: dict[str, Any]) -> Span:
    cases = f"{plan.positives:,} positives and {plan.negatives:,} negatives"
    if given["positives"] is not None:
        return strong(f"With {cases} the power is {plan.power:.2f}")
    return strong(f"{cases}, {plan.total:,} cases in all")


def _about(given: dict[str, Any]) -> str:
    level = f"{100 * given['level']:g} %"
    if given["width"] is not None:
        return f"make the {level} confidence interval for an AUC of {given['auc']:g} at most {given['width']:g} wide."
    other = f"the AUC {given['auc']:g} of one model from {given['against']:g} of the other" if given["paired"] else (
        f"an AUC of {given['auc']:g} from {given['against']:g}"
    )  # fmt: skip
    if given["positives"] is not None:
        return f"to distinguish {other}, at the {level} level."
    return f"distinguish {other} with power {given['power'] or 0.8:g}, at the {level} level."


def _paired_note(given: dict[str, Any]) -> Span:
    value = 0.5 if given["correlation"] is None else given["correlation"]
    assumption = "" if given["correlation"] is not None else "assumed; set it with --correlation"
    return quiet(f"The two AUC estimates have a correlation of {value:g}{f' ({assumption})' if assumption else ''}.")
