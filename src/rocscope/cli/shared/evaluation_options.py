"""The options of `evaluate`, `compare`, `gate` and `merge`, and the arguments of the library that they stand for."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

import click

from rocscope.cli.options import force_option, positive_options
from rocscope.cli.reader import file_options, read, said, said_budget, scan_options
from rocscope.decisions import Costs
from rocscope.errors import RocscopeError
from rocscope.evaluation import Settings, is_saved

Command = TypeVar("Command", bound=Callable[..., Any])
FORMATS = ("text", "json", "md", "csv", "latex", "dvc", "hf")


def evaluation_options(command: Command) -> Command:
    """The options of `evaluate` and `compare`, in the order of their help."""
    options = (
        click.option("--label", metavar="COLUMN", help="Column with the true labels."),
        click.option("--score", "scores", multiple=True, metavar="COLUMN", help="Column with scores."),
        positive_options,
        click.option("--lower-is-positive", is_flag=True, help="Low scores mean positive: score <= threshold."),
        click.option("--threshold", type=float, metavar="T", help="Threshold to use."),
        click.option("--choose", metavar="RULE",
                     help='Rule for the threshold: youden, closest, f1, "recall where precision >= 0.9", ...'),
        click.option("--cross-fit", type=click.IntRange(min=2), metavar="FOLDS",
                     help="Number of folds in which to assess the rule, each without its own cases."),
        click.option("--cost-fp", type=float, metavar="X", help="Cost of a false alarm."),
        click.option("--cost-fn", type=float, metavar="X", help="Cost of a miss."),
        click.option("--pt", type=float, metavar="P", help="Probability from which you would act, instead of costs."),
        click.option("--prevalence", type=float, metavar="P", help="Share of positives where the model will be used."),
        click.option("--cluster", metavar="COLUMN", help="Column with clusters, such as patients."),
        click.option("--level", type=float, default=0.95, show_default=True, help="Confidence level."),
        click.option("--interval", default="newcombe", show_default=True, metavar="METHOD",
                     help="Interval method for the AUC: newcombe, delong, logit-delong, ..."),
        click.option("--bootstrap", type=int, metavar="N",
                     help="Number of bootstrap resamples, for areas and the range of the threshold."),
        click.option("--seed", type=int, default=0, show_default=True, help="Random seed."),
        click.option("--unit", default="case", show_default=True, metavar="NOUN", help="Name of a case: loan, ..."),
        file_options,
        click.option("--missing", type=click.Choice(["error", "drop"]), default="error", show_default=True,
                     help="Treatment of rows without a label, score or weight: refuse or drop them."),
        scan_options,
        click.option("--full", is_flag=True, help="Show everything: other rules, costs, calibration, methods."),
        click.option("--format", type=click.Choice(FORMATS), help="Output format.  [default: text]"),
        click.option("--output", metavar="OUT", help="Output file; .json .md .csv .txt .tex choose the format."),
        force_option,
    )  # fmt: skip
    for option in reversed(options):
        command = option(command)
    return command


def by_options(command: Command) -> Command:
    """`--by` and `--crossed`."""
    for option in (
        click.option("--crossed", is_flag=True, help="Slices by each pair of --by columns as well."),
        click.option("--by", multiple=True, metavar="COLUMN",
                     help="Column that defines slices, each with its interval; may be repeated."),
    ):  # fmt: skip
        command = option(command)
    return command


def class_options(command: Command) -> Command:
    """`--predicted`, `--probability` and `--choose-on`, of what is asked about one classifier."""
    for option in (
        click.option("--choose-on", metavar="FILE", help="File with the cases on which to choose the threshold."),
        click.option("--probability", "probabilities", multiple=True, metavar="COLUMN=LABEL",
                     help="Column with the probability of a class; one for each class."),
        click.option("--order", metavar="A,B,...", help="Order of the classes in the matrix, such as 1,0."),
        click.option("--predicted", metavar="COLUMN", help="Column with predicted labels, where there are no scores."),
    ):  # fmt: skip
        command = option(command)
    return command


def without_options(command: click.Command) -> dict[str, Any]:
    """Every option of a command as if it had not been given: for one that asks the same without offering them all."""
    return {
        str(one.name): () if getattr(one, "multiple", False) else False if getattr(one, "is_flag", False) else None
        for one in command.params
    }


def with_formats(
    command: click.Command, formats: Sequence[str], *, output: str, without: Sequence[str] = ("full",)
) -> click.Command:
    """The command with its own formats and help of --output, and without options that it has no use for."""
    known = [one for one in command.params if one.name not in without]
    for place, one in enumerate(known):
        if one.name == "format":
            shown = "Output format.  [default: text]"
            known[place] = click.Option(["--format"], type=click.Choice(list(formats)), help=shown)
        if one.name == "output":
            known[place] = click.Option(["--output"], metavar="OUT", help=output)
    command.params = known
    return command


# --- the arguments of the library


def settings_of(given: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments about thresholds, costs and intervals, checked before a file is read."""
    if given["bootstrap"] is not None and given["bootstrap"] < 100:
        raise RocscopeError(f"{given['bootstrap']} resamples; 100 to 1,000,000 make an interval")
    names = ("threshold", "choose", "level", "interval", "seed", "unit")
    found = {name: given[name] for name in names} | {
        "costs": costs_of(given["cost_fp"], given["cost_fn"], given["pt"], given["prevalence"]),
        "bootstrap": given["bootstrap"] or 0,
        "cross_fit": given["cross_fit"] or 0,
    }
    Settings(**found)
    return found


def costs_of(cost_fp: float | None, cost_fn: float | None, pt: float | None, prevalence: float | None) -> Costs | None:
    """The costs that the options say; one of the two stands for 1 where only the other is said."""
    given = cost_fp is not None or cost_fn is not None
    for option, cost in (("--cost-fp", cost_fp), ("--cost-fn", cost_fn)):
        if cost is not None and not 0 <= cost < math.inf:
            raise RocscopeError(f"{option} is {cost:g}; a cost is a number, 0 or more")
    if pt is not None:
        if given:
            raise RocscopeError("--pt and --cost-fp or --cost-fn", hint="Say one of the two")
        return Costs.from_pt(pt, prevalence=prevalence)
    if not given:
        if prevalence is not None:
            raise RocscopeError("--prevalence needs costs", hint="Add --cost-fn 5, say: a miss costs 5 false alarms")
        return None
    return Costs(
        fp=1 if cost_fp is None else cost_fp, fn=1 if cost_fn is None else cost_fn, prevalence=prevalence
    )


def columns_of(given: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments that name columns and say how they are read, for `evaluate` and `compare`."""
    return {
        "label": given["label"],
        "positive": given["positive"],
        "weights": given["weight"],
        "higher_is_positive": not given["lower_is_positive"],
        "clusters": given["cluster"],
        "by": list(dict.fromkeys(given.get("by") or ())) or None,
        "crossed": bool(given.get("crossed")),
        "missing": given["missing"],
        "tolerance": said("tolerance"),
        "budget": said_budget(),
    }


def choose_on_of(given: Mapping[str, Any]) -> Any:
    """The file on which the threshold is chosen, opened; a saved table by its name."""
    other = given.get("choose_on")
    return other if other is None or is_saved(other) else read(other)
