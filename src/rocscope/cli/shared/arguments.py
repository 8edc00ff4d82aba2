"""The library arguments for the options of `evaluate`, `compare`, `gate` and `merge`."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import rocscope as rs
from rocscope.cli.options import said
from rocscope.cli.reader import read, said_budget
from rocscope.errors import RocscopeError

if TYPE_CHECKING:
    from rocscope.decisions import Costs


def settings_of(given: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments about thresholds, costs and intervals, checked before a file is read."""
    if given["bootstrap"] is not None and given["bootstrap"] < 100:
        raise RocscopeError(f"the number of resamples must be between 100 and 1,000,000, not {given['bootstrap']}")
    names = ("threshold", "choose", "level", "interval", "seed", "unit")
    by_case = case_costs_of(given)
    fixed = None if by_case is not None else given["cost_fp"]
    settings = {name: given[name] for name in names} | {
        "costs": costs_of(fixed, given["cost_fn"], given["pt"], given["prevalence"], gains=given.get("gains")),
        "bootstrap": given["bootstrap"] or 0,
        "cross_fit": given.get("cross_fit") or 0,
    }
    settings |= {} if given.get("refer") is None else {"refer": _refer(given["refer"])}
    rs.evaluation.Settings(**settings, case_costs=by_case)
    settings |= {} if by_case is None else {"cost_column": by_case}
    if given.get("cost_matrix"):
        if settings["costs"] is not None:
            raise RocscopeError(
                "--cost-matrix and costs of two classes cannot be combined", hint="Give only one of the two"
            )
        labels, cells = rs.sources.cost_table(read(given["cost_matrix"]).whole())
        settings["costs"] = rs.Costs.matrix(cells, labels=labels, reject=given["reject"])
    elif given.get("reject") is not None:
        raise RocscopeError("--reject needs --cost-matrix", hint="The costs determine which cases are left undecided")
    if given.get("thresholds"):
        if settings["threshold"] is not None:
            raise RocscopeError("--threshold and --threshold-of cannot be combined", hint="Give only one of the two")
        settings["threshold"] = dict(map(_label_and_threshold, given["thresholds"]))
    return settings


def case_costs_of(given: Mapping[str, Any]) -> dict[str, Any] | None:
    """The costs of a miss and a false alarm if they vary between cases: a column or a number each."""
    missed, alarm = given.get("cost_column"), given.get("cost_fp_column")
    if missed is None and alarm is None:
        return None
    costs = {"fn": missed if missed is not None else given["cost_fn"], "fp": alarm}
    if alarm is None:
        costs["fp"] = given["cost_fp"]
    for side, option, column in (("fn", "--cost-fn", "--cost-column"), ("fp", "--cost-fp", "--cost-fp-column")):
        if costs[side] is None:
            raise RocscopeError(
                f"the cost of one kind of error was given, but not the cost of the other: add {option} X or "
                f"{column} COLUMN"
            )
    both = (missed is not None and given["cost_fn"] is not None) or (alarm is not None and given["cost_fp"] is not None)
    if both or given["pt"] is not None or given["prevalence"] is not None:
        raise RocscopeError(
            "case-specific costs cannot be combined with --pt, --prevalence or a common cost",
            hint="Give only one of the two",
        )
    return costs


def _refer(text: str) -> Any:
    """Requirements as text, or the price of a referral."""
    try:
        return float(text)
    except ValueError:
        return text


def _label_and_threshold(text: str) -> tuple[str, float]:
    label, _, number = text.rpartition("=")
    try:
        return label, float(number)
    except ValueError:
        pass
    raise RocscopeError(
        f"--threshold-of must name a class and its threshold, not {text}",
        hint="Write, for example, --threshold-of cat=0.7",
    )


def costs_of(
    cost_fp: float | None, cost_fn: float | None, pt: float | None, prevalence: float | None, gains: str | None = None
) -> Costs | None:
    """The costs given by the options; if only one of the two is given, the other is 1."""
    given = cost_fp is not None or cost_fn is not None
    if gains is not None:
        if given or pt is not None:
            raise RocscopeError(
                "--gains cannot be combined with --cost-fp, --cost-fn or --pt", hint="Give only one of them"
            )
        return rs.Costs.gains(**_gains(gains), prevalence=prevalence)
    for option, cost in (("--cost-fp", cost_fp), ("--cost-fn", cost_fn)):
        if cost is not None and not 0 <= cost < math.inf:
            raise RocscopeError(f"{option} must be 0 or more, not {cost:g}")
    if pt is not None:
        if given:
            raise RocscopeError("--pt cannot be combined with --cost-fp or --cost-fn", hint="Give only one of the two")
        return rs.Costs.from_pt(pt, prevalence=prevalence)
    if not given:
        if prevalence is not None:
            raise RocscopeError("--prevalence needs costs", hint="Add --cost-fn 5, for example")
        return None
    return rs.Costs(fp=1 if cost_fp is None else cost_fp, fn=1 if cost_fn is None else cost_fn, prevalence=prevalence)


def _gains(text: str) -> dict[str, float]:
    """Parse tp=100, fp=-5: the gain of each outcome; 0 for those not named."""
    gains: dict[str, float] = {}
    for part in text.split(","):
        name, _, number = part.partition("=")
        try:
            value = float(number)
        except ValueError:
            value = math.nan
        if name.strip().lower() not in ("tp", "fp", "fn", "tn") or not math.isfinite(value):
            raise RocscopeError(
                f"--gains {text}: '{part.strip()}' is not a gain", hint='Write, for example, "tp=100, fp=-5"'
            )
        gains[name.strip().lower()] = value
    return gains


def columns_of(given: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments that name columns and how they are read, for `evaluate` and `compare`."""
    return {
        "label": given["label"],
        "positive": given["positive"],
        "weights": given["weight"],
        "higher_is_positive": not given["lower_is_positive"],
        "clusters": given["cluster"],
        "by": list(dict.fromkeys(given.get("by") or ())) or None,
        "crossed": bool(given.get("crossed")),
        **({"fold": given["fold"], "id": given["id_column"]} if given.get("fold") else {}),
        "missing": given["missing"],
        "infinite": given["infinite"],
        "tolerance": said("tolerance"),
        "budget": said_budget(),
    }


def choose_on_of(given: Mapping[str, Any]) -> Any:
    """Open the file on which the threshold is chosen; a saved table is returned by name."""
    other = given.get("choose_on")
    return other if other is None or rs.evaluation.is_saved(other) else read(other)


def same_positive(positive: str | None, label: str) -> str:
    """The class of a single --probability, which is the positive one; an error if --positive is another."""
    if positive is not None and positive != label:
        raise RocscopeError(
            f"--probability names the class {label}, but --positive names {positive}",
            hint=f"Leave out --positive {positive}",
        )
    return label
