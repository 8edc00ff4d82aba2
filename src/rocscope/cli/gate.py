"""`rocscope gate`: exit code 1 if a model does not meet its requirements."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

import rocscope as rs
from rocscope.cli.evaluate import evaluation_of
from rocscope.cli.options import class_options, output_options, question_options, save_table_option
from rocscope.cli.output import check_output, deliver, say, target_format
from rocscope.cli.shared.arguments import settings_of
from rocscope.cli.shared.progress import progress_bar
from rocscope.cli.shared.saved_tables import keep_table, saved_evaluation
from rocscope.errors import RocscopeError, naming

if TYPE_CHECKING:
    from rocscope.decisions import Condition

EPILOG = """\b
Examples:
  rocscope gate scores.csv --label y --score p --require "auc.low >= 0.8"
  rocscope gate new.csv --require "recall >= 0.7 where fpr <= 0.1"
  rocscope gate day7.scoretable.parquet --baseline day0.scoretable.parquet \\
    --require "auc.diff.low >= -0.01"
  rocscope gate new.csv --require "precision >= 0.5" --output gate.xml
  rocscope gate new.csv --require "auc >= 0.8" --against main.json

A condition names measures at the threshold, areas (auc, average_precision, brier ...), cost, cases or positives; .low
and .high are the limits of the interval, .diff is the difference from the baseline, and .anytime.low is a lower limit
for a proportion; it stays valid however often you look. The exit code is 0 when all conditions hold and 1 otherwise.
"""
FORMATS = ("text", "json", "md", "csv", "junit", "dvc", "openmetrics")
ENDINGS = {".txt": "text", ".json": "json", ".md": "md", ".csv": "csv", ".xml": "junit"}
NOT_MET = 1


@click.command(epilog=EPILOG)
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@click.option("--require", "requires", multiple=True, metavar="CONDITION", help="Requirement to meet; may be repeated.")
@click.option("--against", metavar="FILE", help="Earlier results (.json) to compare with; the changes are shown.")
@click.option("--baseline", metavar="FILE", help="Other cases to compare with: a saved table, or predictions.")
@question_options
@output_options(FORMATS, f"Output file; the extension ({', '.join(ENDINGS)}) determines the format.")
@class_options
@save_table_option
@click.pass_context
def command(context: click.Context, /, files: tuple[str, ...], **given: Any) -> None:
    """Check whether a model meets its requirements, and exit with code 1 if it does not.

    FILE is the same as for rocscope evaluate: predictions, or tables saved with --save-table, which are added together.
    """
    inputs = [*files, *(given[name] for name in ("choose_on", "baseline", "against") if given[name])]
    read = _read(given)
    check_output(given, inputs, ENDINGS)
    earlier = None if given["against"] is None else _earlier(given["against"])
    with progress_bar("resampling") as progress:
        both = [*files, *([given["baseline"]] if given["baseline"] else [])]
        evaluation = _evaluated(files, both, given, progress)
        baseline = None if given["baseline"] is None else _evaluated([given["baseline"]], both, given, progress)
        with naming(str(evaluation.source["file"])):
            gate = rs.gate(evaluation, *read, baseline=baseline, against=earlier)
            document = gate.to_dict()
    keep_table(evaluation, given["save_table"], given, inputs)
    _deliver(document, given, inputs)
    if not gate.met:
        context.exit(NOT_MET)


def _earlier(path: str) -> Mapping[str, Any]:
    from rocscope import report

    return report.document_in(path)


def _evaluated(files: Sequence[str], both: Sequence[str], given: Mapping[str, Any], progress: Any) -> Any:
    """Evaluate the model or its baseline.

    Column options are allowed if one of them has cases and the other is a saved table.
    """
    if not rs.evaluation.is_saved(list(files)) or rs.evaluation.is_saved(list(both)):
        return evaluation_of(files, given, progress)
    return saved_evaluation(files, given, settings_of(given), strict=False)


def _read(given: Mapping[str, Any]) -> tuple[Condition, ...]:
    """The conditions, checked before a long scan."""
    if not given["requires"]:
        hint = 'Give --require "auc.low >= 0.8", or require = [...] under [gate] in rocscope.toml'
        raise RocscopeError("no requirement was given", hint=hint)
    against = given["baseline"] is not None
    return rs.evaluation.read_conditions(given["requires"], baseline=against, costs=_has_costs(given))


def _has_costs(given: Mapping[str, Any]) -> bool:
    return any(given[name] is not None for name in ("cost_fp", "cost_fn", "pt"))


def _deliver(document: Mapping[str, Any], given: Mapping[str, Any], inputs: Sequence[str]) -> None:
    from rocscope import report

    if not document["met"] and (target_format(given, ENDINGS) != "text" or given["output"] is not None):
        failed = "; ".join(check["require"] for check in document["checks"] if not check["met"])
        say(f"rocscope: {report.gate_headline(document)} {failed}")
    deliver(document, given, inputs, endings=ENDINGS)
