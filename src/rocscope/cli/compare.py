"""`rocscope compare`: several models on the same cases: which to use, how sure, which one when."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

import rocscope as rs
from rocscope.cli.options import by_options, evaluation_options, page_options, said
from rocscope.cli.output import check_output, deliver, document_of, write_page
from rocscope.cli.reader import read, shown_reading
from rocscope.cli.shared.arguments import columns_of, settings_of
from rocscope.cli.shared.progress import progress_bar
from rocscope.errors import RocscopeError

if TYPE_CHECKING:
    from rocscope.evaluation import Comparison

EPILOG = """\b
Examples:
  rocscope compare scores.csv --label y --score a --score b --cost-fn 5
  rocscope compare scores.csv --label y --score a --score b --measure f1
  rocscope compare scores.csv --label y --score a --score b --format md
  rocscope compare scores.csv --label y --score a --score b --by region
  rocscope compare a.parquet b.parquet --label y --score p --id case
"""


@click.command(epilog=EPILOG)
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@evaluation_options
@by_options
@click.option("--test", metavar="NAME", help="Test between two models: delong (default), rank-swap, venkatraman, ...")
@click.option("--measure", metavar="NAME", help="What decides without costs: auc (default), average_precision, f1, ...")
@page_options
def command(files: tuple[str, ...], **given: Any) -> None:
    """Which of several models to use, how certain that is, and which is cheapest at which cost.

    FILE has a column of true labels and two or more of scores, of the same cases: CSV, TSV, JSON lines, Parquet, Arrow
    or Excel, also packed; - is standard input. With --id, several files hold one model each, and are brought into the
    order of the first by that column; without it they are read one below the other.
    """
    check_output(given, files)
    if given["weight"] and given["weights_are"] == "frequency":
        raise RocscopeError("compare takes sampling weights", hint="Write a row as often as it occurred")
    with progress_bar("resampling") as progress:
        found = _compared(files, given, progress)
        document = document_of(found, list(files), given)
    deliver(write_page(document, given, files), given, files)


def _compared(files: Sequence[str], given: Mapping[str, Any], progress: Any) -> Comparison:
    """The comparison of columns, or with --id of a model in each file."""
    settings = settings_of(given) | {name: given[name] for name in ("test", "measure") if given[name]}
    columns = columns_of(given)
    if given["id_column"] and len(files) > 1:
        if given["label"] is None or not given["scores"]:
            raise RocscopeError(
                f"{len(files)} files and {len(given['scores'])} score columns",
                hint="Say --label COLUMN and --score COLUMN once, or once for each file in their order",
            )
        opened = [read(file) for file in files]
        return rs.compare(
            opened, score=given["scores"], id=given["id_column"], exact=bool(said("exact")), progress=progress,
            **columns, **settings,
        )  # fmt: skip
    held = read(files)
    names = list(dict.fromkeys(given["scores"]))
    if given["label"] is None or len(names) < 2:
        found = ", ".join(held.columns[:12])
        hint = "Say --label COLUMN --score A --score B; for one model: rocscope evaluate"
        if len(files) > 1:
            hint = "Say --label COLUMN --score COLUMN --id COLUMN: a model in each file, cases matched by their id"
        raise RocscopeError(f"{held.name}: a label and two scores are compared; it has {found}", hint=hint)
    with shown_reading(held) as shown:
        return rs.compare(shown, score=names, exact=bool(said("exact")), progress=progress, **columns, **settings)
