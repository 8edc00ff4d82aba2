"""`rocscope compare`: several models on the same cases: which to use, how sure, which one when."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any

import click

from rocscope.cli.reader import Kept, LargeColumns, Opened, read
from rocscope.cli.shared.evaluating import check_output, complete, deliver, evaluation_options, settings_of
from rocscope.cli.shared.html_output import check_page, page_options, page_parts, write_page
from rocscope.cli.shared.predictions import blank_remarks, in_file, weights_of
from rocscope.cli.shared.progress import progress_bar
from rocscope.cli.shared.scanning import compared_beyond_memory, exceeds, models_in, shown_files
from rocscope.cli.shared.slicing import by_names, by_options, slices_of
from rocscope.cli.streams import say
from rocscope.errors import RocscopeError
from rocscope.evaluation import Comparison, compare
from rocscope.sources.csv import BY

EPILOG = """\b
Examples:
  rocscope compare scores.csv --label y --score a --score b --cost-fn 5
  rocscope compare scores.csv --label y --score a --score b --format md
  rocscope compare scores.csv --label y --score a --score b --by region
  rocscope compare a.parquet b.parquet --label y --score p --id case
"""
_SOURCE = ("label", "scores", "positive", "weight", "cluster", "by")


@click.command(epilog=EPILOG)
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@evaluation_options
@by_options
@page_options
def command(files: tuple[str, ...], **given: Any) -> None:
    """Which of several models to use, how sure that is, and which one at which cost of errors.

    FILE has a column of true labels and two or more of scores, of the same cases: CSV, TSV, JSON lines, Parquet, Arrow
    or Excel, also packed; - is standard input. With --id, several files hold one model each, and are brought into the
    order of the first by that column; without it they are read one below the other.
    """
    check_output(given, files)
    check_page(given, files)
    settings = settings_of(given)
    if given["weight"] and given["weights_are"] == "frequency":
        raise RocscopeError("compare takes sampling weights", hint="Write a row as often as it occurred")
    with progress_bar("resampling") as progress:
        made, left_out = _compared(files, given, settings, progress)
        source = {"file": shown_files(files)} | {name: given[name] for name in _SOURCE if given[name]}
        found = described(made, source, left_out)
        with in_file(shown_files(files)):
            document = found.to_dict(**page_parts(files, given, found))
    deliver(write_page(document, given, files), given, files)


def _compared(
    files: Sequence[str], given: Mapping[str, Any], settings: Mapping[str, Any], progress: Any
) -> tuple[Comparison, Mapping[str, int]]:
    """The comparison: of a model in each file, of columns in memory, or of more rows than fit."""
    if given["id_column"] and len(files) > 1:
        models = models_in(files, given)
        if not models.exceed(given):
            return _in_memory(models.aligned(given), models.names, given, settings, progress), {}
        return compared_beyond_memory(models.joined(given), models.names, given, settings, progress), {}
    columns, names = _models(files, given)
    needed = dict.fromkeys(by_names(given), BY) | {given["label"]: "label"}
    needed |= {name: f"score of {name}" for name in names}
    needed |= {given[name]: name for name in ("weight", "cluster") if given[name]}
    if isinstance(columns, LargeColumns) and exceeds(columns, given, needed, twice=True):
        made = compared_beyond_memory(columns, names, given, settings, progress)
        return made, made.evaluations[names[0]].left_out
    kept, left_out = complete(columns, needed, missing=given["missing"])
    return _in_memory(kept, names, given, settings, progress), left_out


def _in_memory(
    kept: Kept, names: Sequence[str], given: Mapping[str, Any], settings: Mapping[str, Any], progress: Any
) -> Comparison:
    with in_file(kept.source):
        return compare(
            kept.classes(given["label"]),
            {name: kept.numbers(name) for name in names},
            positive=given["positive"],
            weights=weights_of(kept, given["weight"]) if given["weight"] else None,
            clusters=kept.text(given["cluster"]) if given["cluster"] else None,
            progress=progress,
            **slices_of(kept, given),
            **settings,
        )


def _models(files: Sequence[str], given: Mapping[str, Any]) -> tuple[Opened, list[str]]:
    """The file, opened, and its columns of scores: one for each model."""
    columns = read(files)
    for remark in blank_remarks(columns):
        say(f"rocscope: {columns.source}: {remark}")
    names = list(dict.fromkeys(given["scores"]))
    if given["label"] is None or len(names) < 2:
        found = ", ".join(columns.names[:12])
        hint = "Say --label COLUMN --score A --score B; for one model: rocscope evaluate"
        if len(files) > 1:
            hint = "Say --label COLUMN --score COLUMN --id COLUMN: a model in each file, cases matched by their id"
        raise RocscopeError(f"{columns.source}: a label and two scores are compared; it has {found}", hint=hint)
    return columns, names


def described(made: Comparison, source: dict[str, Any], left_out: Mapping[str, int]) -> Comparison:
    """The comparison with where its cases came from and what was left out."""
    known = {
        name: replace(one, source=MappingProxyType(source), left_out=MappingProxyType(left_out))
        for name, one in made.evaluations.items()
    }
    return replace(made, evaluations=MappingProxyType(known))
