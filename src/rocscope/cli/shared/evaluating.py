"""What `evaluate` and `compare` share: options, the columns of a file, rows left out, the answer in every format."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

import click

from rocscope.cli.options import force_option
from rocscope.cli.output import emit, inert_on_a_terminal, write
from rocscope.cli.reader import Kept, Opened, TextColumns, file_options, scan_options
from rocscope.cli.shared.predictions import blank_remarks, positive_options
from rocscope.cli.shared.progress import counting_bar, reading_bar
from rocscope.cli.streams import say
from rocscope.decisions import Costs
from rocscope.errors import RocscopeError
from rocscope.evaluation import Settings

Command = TypeVar("Command", bound=Callable[..., Any])
FORMATS = ("text", "json", "md", "csv", "latex", "dvc", "hf")
ENDINGS = {".txt": "text", ".json": "json", ".md": "md", ".csv": "csv", ".tex": "latex"}


def evaluation_options(command: Command) -> Command:
    """The options of `evaluate` and `compare`, in the order of their help."""
    options = (
        click.option("--label", metavar="COLUMN", help="Column of the true labels."),
        click.option("--score", "scores", multiple=True, metavar="COLUMN", help="Column of scores."),
        positive_options,
        click.option("--lower-is-positive", is_flag=True, help="Low scores mean positive: score <= threshold."),
        click.option("--threshold", type=float, metavar="T", help="Your own threshold."),
        click.option("--choose", metavar="RULE", help='Choose it: youden, f1, "recall where precision >= 0.9", ...'),
        click.option("--cross-fit", type=click.IntRange(min=2), metavar="FOLDS",
                     help="Judge the rule in folds, each decided without its own cases."),
        click.option("--cost-fp", type=float, metavar="X", help="What a false alarm costs."),
        click.option("--cost-fn", type=float, metavar="X", help="What a miss costs."),
        click.option("--pt", type=float, metavar="P", help="Instead of costs: the probability at which one acts."),
        click.option("--prevalence", type=float, metavar="P", help="The share of positives where it will be used."),
        click.option("--cluster", metavar="COLUMN", help="Column of clusters, such as patients."),
        click.option("--level", type=float, default=0.95, show_default=True, help="Of the intervals."),
        click.option("--interval", default="newcombe", show_default=True, metavar="METHOD",
                     help="Of the AUC: newcombe, delong, logit-delong, hanley-mcneil, ..."),
        click.option("--bootstrap", type=int, metavar="N", help="Resample N times: areas, and the threshold's range."),
        click.option("--seed", type=int, default=0, show_default=True, help="Of everything random."),
        click.option("--unit", default="case", show_default=True, metavar="NOUN", help="What a case is called."),
        file_options,
        click.option("--missing", type=click.Choice(["error", "drop"]), default="error", show_default=True,
                     help="Rows without a label, score or weight: refuse them, or leave them out and say so."),
        scan_options,
        click.option("--full", is_flag=True, help="Everything: other rules, costs, calibration, methods."),
        click.option("--format", type=click.Choice(FORMATS), help="How the answer is written.  [default: text]"),
        click.option("--output", metavar="OUT", help="Write to a file; .json .md .csv .txt .tex say the format."),
        force_option,
    )  # fmt: skip
    for option in reversed(options):
        command = option(command)
    return command


# --- what was asked


def settings_of(given: Mapping[str, Any]) -> dict[str, Any]:
    """The keywords of `evaluate()` and `compare()` that the options stand for."""
    if given["bootstrap"] is not None and given["bootstrap"] < 100:
        raise RocscopeError(f"{given['bootstrap']} resamples; 100 to 1,000,000 make an interval")
    names = ("threshold", "choose", "level", "interval", "seed", "unit")
    found = {name: given[name] for name in names} | {
        "costs": costs_of(given["cost_fp"], given["cost_fn"], given["pt"], given["prevalence"]),
        "bootstrap": given["bootstrap"] or 0,
        "cross_fit": given["cross_fit"] or 0,
    }
    Settings(**found)  # what cannot be is refused before the file is read
    return found | {"higher_is_positive": not given["lower_is_positive"]}


def costs_of(cost_fp: float | None, cost_fn: float | None, pt: float | None, prevalence: float | None) -> Costs | None:
    """The costs that the options say; one of the two stands for 1 where only the other is said."""
    said = cost_fp is not None or cost_fn is not None
    for option, cost in (("--cost-fp", cost_fp), ("--cost-fn", cost_fn)):
        if cost is not None and not 0 <= cost < math.inf:
            raise RocscopeError(f"{option} is {cost:g}; a cost is a number, 0 or more")
    if pt is not None:
        if said:
            raise RocscopeError("--pt and --cost-fp or --cost-fn", hint="Say one of the two")
        return Costs.from_pt(pt, prevalence=prevalence)
    if not said:
        if prevalence is not None:
            raise RocscopeError("--prevalence needs costs", hint="Add --cost-fn 5, say: a miss costs 5 false alarms")
        return None
    return Costs(
        fp=1 if cost_fp is None else cost_fp, fn=1 if cost_fn is None else cost_fn, prevalence=prevalence
    )


# --- rows left out


def complete(
    columns: Opened, needed: Mapping[str, str], *, missing: str
) -> tuple[Kept, dict[str, int]]:
    """The rows that have all that is needed, and how many were left out for which reason.

    `needed` maps a column to what it is, "label" or "score": without "drop" the first row that lacks it is refused.
    """
    if isinstance(columns, TextColumns):
        text, left_out = columns.complete(needed, missing=missing)
        _say_all(columns.source, text.notes)
        return text, left_out
    with counting_bar() if columns.flows else reading_bar(columns.rows) as told:
        kept, left_out = replace(columns, progress=told).complete(needed, missing=missing)
    _say_all(columns.source, (*blank_remarks(kept), *kept.notes))
    return kept, left_out


def _say_all(source: str, remarks: Sequence[str]) -> None:
    for remark in remarks:
        say(f"rocscope: {source}: {remark}")


# --- out


def target_format(given: Mapping[str, Any], endings: Mapping[str, str] = ENDINGS) -> str:
    """The format that is asked for, or that the ending of the output file says."""
    if given["format"] is not None or given["output"] is None:
        return str(given["format"] or "text")
    ending = Path(given["output"]).suffix.lower()
    if ending not in endings:
        raise RocscopeError(
            f"the ending of '{given['output']}' says no format", hint=f"Say --format, or end in {', '.join(endings)}"
        )
    return endings[ending]


def check_output(given: Mapping[str, Any], inputs: Sequence[str], endings: Mapping[str, str] = ENDINGS) -> None:
    """Refuse an output that cannot be written before the long computation."""
    target_format(given, endings)
    if given["output"] is not None:
        from rocscope.report.files import check_target

        check_target(given["output"], force=given["force"], inputs=inputs)


def deliver(document: Mapping[str, Any], given: Mapping[str, Any], inputs: Sequence[str]) -> None:
    """The document to standard output, or to the file that was named."""
    from rocscope import report
    from rocscope.cli.shared.saved_tables import card_of
    from rocscope.report.trackers import as_dvc, as_model_index

    format, full = target_format(given), given["full"]
    if given["output"] is None and format == "text":
        emit(document, format="text", sheet=lambda look: report.blocks(document, look, full=full))
        return
    made = {
        "text": lambda: report.text(document, full=full) + "\n",
        "json": lambda: report.json(document),
        "md": lambda: report.markdown(document, full=full),
        "csv": lambda: report.csv(document),
        "latex": lambda: report.latex(document),
        "dvc": lambda: as_dvc(document),
        "hf": lambda: as_model_index(document, card_of(given)),
    }[format]()
    if given["output"] is None:
        write(inert_on_a_terminal(made) if format == "csv" else made)
        return
    from rocscope.report.files import write_file

    write_file(given["output"], made, force=given["force"], inputs=inputs)
