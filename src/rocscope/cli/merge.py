"""`rocscope merge`: the sum of saved tables, evaluated, with its trend."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

import click

from rocscope.cli.output import emit, inert_on_a_terminal, write
from rocscope.cli.shared.evaluating import evaluation_options, settings_of, target_format
from rocscope.cli.shared.predictions import in_file
from rocscope.cli.shared.progress import progress_bar
from rocscope.cli.shared.saved_tables import (
    ENDING,
    expanded,
    is_saved,
    numbered,
    saved_evaluation,
    unsaid,
    with_formats,
)
from rocscope.cli.streams import say
from rocscope.errors import RocscopeError
from rocscope.evaluation.trends import trend

EPILOG = """\b
Examples:
  rocscope merge day*.rst --cost-fn 5
  rocscope merge day*.rst --window 7 --format csv
  rocscope merge machine1.rst machine2.rst --output all.rst

Tables add: the sum is the table of all cases, whatever the order. The trend follows the order of the files, day2 before
day10; measures are taken at one threshold, that of the sum.
"""
FORMATS = ("text", "json", "md", "csv", "dvc")
ENDINGS = {".txt": "text", ".json": "json", ".md": "md", ".csv": "csv", ENDING: "text"}
TAKEN = {
    "files", "window", "threshold", "choose", "cost_fp", "cost_fn", "pt", "prevalence", "level", "interval",
    "bootstrap", "seed", "unit", "full", "format", "output", "force", "save_table",
}  # fmt: skip


@click.command(epilog=EPILOG)
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@click.option("--window", type=click.IntRange(min=1), metavar="N", help="Rows of the trend: rolling sums of N files.")
@evaluation_options
@click.option("--save-table", metavar="OUT.rst", help="Keep the sum; --output OUT.rst does the same.")
def command(files: tuple[str, ...], window: int | None, **given: Any) -> None:
    """Add up saved tables and evaluate the sum, with a row for each of them.

    FILE is a table saved with rocscope evaluate --save-table (.rst): a day, a machine, a part.
    """
    given = _DROPPED | given
    ordered = _in_order(_checked(files))
    kept_in = _table_target(given)
    _check_targets(given, kept_in, ordered)
    if window is not None and window > len(ordered):
        raise RocscopeError(f"--window {window}, but there are {len(ordered)} files", hint="Choose a shorter window")
    with progress_bar("resampling"):
        whole = saved_evaluation(ordered, given, settings_of(given))
        whole = replace(whole, source=MappingProxyType({"files": list(ordered)}))
        parts = _parts(ordered)
        with in_file("the sum"):
            document = trend(whole, parts, window=window).to_dict()
    if kept_in is not None:
        _keep(whole, kept_in, given, ordered)
    _deliver(document, given, ordered)


_DROPPED = {name: value for name, value in unsaid(command).items() if name not in TAKEN}
_OUTPUT = f"Write to a file; .txt .json .md .csv say the format, {ENDING} keeps the sum itself."
command = with_formats(command, FORMATS, output=_OUTPUT, without=list(_DROPPED))


# --- in


def _checked(files: Sequence[str]) -> list[str]:
    for file in files:
        if not is_saved(file):
            hint = f"Make one first: rocscope evaluate {file} ... --save-table OUT{ENDING}"
            raise RocscopeError(f"{file} is no saved table", hint=hint)
    found = expanded(files)
    for file in found:
        if not os.path.exists(file):
            raise RocscopeError(f"there is no file {file}")
    return found


def _in_order(files: list[str]) -> list[str]:
    """The files as given; those in the order of the alphabet, as a shell lists them, with their numbers in order."""
    natural = sorted(files, key=numbered)
    if files == sorted(files) and natural != files:
        say(f"rocscope: taken in the order of their numbers: {natural[0]} ... {natural[-1]}")
        return natural
    return files


def _parts(files: Sequence[str]) -> dict[str, Any]:
    """Each table by the shortest name that tells the files apart."""
    from rocscope.sources.table_files import read

    stems = [Path(file).stem for file in files]
    names = stems if len(set(stems)) == len(stems) else list(files)
    return {name: read(file).table for name, file in zip(names, files, strict=True)}


# --- out


def _table_target(given: Mapping[str, Any]) -> str | None:
    if given["output"] is None or not is_saved(given["output"]):
        return None if given["save_table"] is None else str(given["save_table"])
    if given["save_table"] is not None:
        raise RocscopeError("--output and --save-table both name a table", hint="Say one of the two")
    return str(given["output"])


def _check_targets(given: Mapping[str, Any], table: str | None, inputs: Sequence[str]) -> None:
    from rocscope.report.files import check_target

    target_format(given, ENDINGS)
    if table is not None and not is_saved(table):
        raise RocscopeError(f"--save-table {table}: a table of rocscope ends in {ENDING}")
    for target in {table, given["output"]} - {None}:
        check_target(target, force=given["force"], inputs=inputs)


def _keep(whole: Any, target: str, given: Mapping[str, Any], inputs: Sequence[str]) -> None:
    from rocscope.report.storing import save_table

    table = whole.table if hasattr(whole, "table") else whole.matrix
    save_table(
        table, target, name=whole.name, unit=whole.settings.unit, left_out=whole.left_out, force=given["force"],
        inputs=inputs,
    )  # fmt: skip
    say(f"rocscope: {target} written")


def _deliver(document: Mapping[str, Any], given: Mapping[str, Any], inputs: Sequence[str]) -> None:
    from rocscope.report.sheet import letters
    from rocscope.report.sheet_formats import Look, as_csv, as_json, as_markdown, as_text
    from rocscope.report.text_views import trends
    from rocscope.report.trackers import as_dvc

    format, full = target_format(given, ENDINGS), given["full"]
    into = None if given["output"] is None or is_saved(given["output"]) else given["output"]
    if format == "text" and into is None:
        emit(document, format="text", sheet=lambda look: trends.trend_blocks(document, look, full=full))
        return
    plain, page = Look(), Look(width=1000)
    made = {
        "text": lambda: "".join(
            f"{letters(line)}\n" for line in as_text(trends.trend_blocks(document, plain, full=full), plain)
        ),
        "json": lambda: as_json(document),
        "md": lambda: as_markdown(trends.trend_blocks(document, page, full=full, single=False)),
        "csv": lambda: as_csv(trends.trend_rows(document)),
        "dvc": lambda: as_dvc(document),
    }[format]()
    if into is None:
        write(inert_on_a_terminal(made) if format == "csv" else made)
        return
    from rocscope.report.files import write_file

    write_file(into, made, force=given["force"], inputs=inputs)
    say(f"rocscope: {into} written")
