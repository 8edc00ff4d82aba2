"""`rocscope merge`: the sum of saved tables, evaluated, with its trend."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

import click

import rocscope as rs
from rocscope.cli.options import full_option, interval_options, output_options, threshold_options, use_options
from rocscope.cli.output import check_output, deliver, say
from rocscope.cli.shared.arguments import settings_of
from rocscope.cli.shared.progress import progress_bar
from rocscope.cli.shared.saved_tables import keep_table, saved_evaluation
from rocscope.errors import RocscopeError, naming

EPILOG = """\b
Examples:
  rocscope merge day*.scoretable.parquet --cost-fn 5
  rocscope merge day*.scoretable.parquet --window 7 --format csv
  rocscope merge day*.scoretable.parquet --output all.scoretable.parquet

Tables can be added in any order: the sum is the table of all cases. The trend follows the order of the files, day2
before day10; all its measures use the threshold of the sum.
"""
FORMATS = ("text", "json", "md", "csv", "dvc", "openmetrics")
ENDINGS = {".txt": "text", ".json": "json", ".md": "md", ".csv": "csv"}
OUTPUT = (
    "Output file; the extension (.txt, .json, .md, .csv) determines the format, and "
    ".scoretable.parquet saves the merged table."
)


@click.command(epilog=EPILOG)
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@click.option(
    "--window", type=click.IntRange(min=1), metavar="N", help="Number of files in each rolling sum of the trend."
)
@threshold_options
@use_options
@interval_options
@full_option
@output_options(FORMATS, OUTPUT)
@click.option(
    "--save-table", metavar="TABLE", help="File for the sum, such as day.scoretable.parquet; --output does the same."
)
def command(files: tuple[str, ...], window: int | None, **given: Any) -> None:
    """Add saved tables and evaluate the sum, with a row for each table.

    Each FILE is a table saved with rocscope evaluate --save-table, such as the table of one day or one machine.
    """
    ordered = _in_order(_checked(files))
    given = _naming_table(given)
    check_output(given, ordered, ENDINGS)
    if window is not None and window > len(ordered):
        raise RocscopeError(
            f"--window must be at most the number of files ({len(ordered)}), not {window}",
            hint="Choose a shorter window",
        )
    with progress_bar("resampling"):
        whole = saved_evaluation(ordered, given, settings_of(given))
        whole = replace(whole, source=MappingProxyType({"files": list(ordered)}))
        parts = _parts(ordered)
        with naming("the sum"):
            document = rs.trend(whole, parts, window=window).to_dict()
    if given["save_table"] is not None:
        keep_table(whole, given["save_table"], given, ordered)
        say(f"rocscope: {given['save_table']} written")
    deliver(document, given, ordered, endings=ENDINGS, named=True)


# --- input


def _checked(files: Sequence[str]) -> list[str]:
    for file in files:
        rs.sources.refuse_remote(file, cases=False)
        if not rs.evaluation.is_saved(file):
            hint = f"Create one first: rocscope evaluate {file} ... --save-table OUT{rs.sources.TABLE_ENDINGS[0]}"
            raise RocscopeError(f"{file} is not a saved table", hint=hint)
    paths = rs.evaluation.expanded(files)
    for file in paths:
        if not os.path.exists(file):
            raise RocscopeError(f"there is no file {file}")
    return paths


def _in_order(files: list[str]) -> list[str]:
    """The files as given.

    If they are sorted alphabetically, as a shell lists them, sort their numbers numerically.
    """
    natural = sorted(files, key=rs.evaluation.numbered)
    if files == sorted(files) and natural != files:
        say(f"rocscope: files sorted by the numbers in their names: {natural[0]} ... {natural[-1]}")
        return natural
    return files


def _parts(files: Sequence[str]) -> dict[str, Any]:
    """Each table by the shortest name that distinguishes the files."""
    from rocscope.sources import read_table

    stems = [Path(file).stem.removesuffix(".scoretable") for file in files]
    names = stems if len(set(stems)) == len(stems) else list(files)
    return {name: read_table(file).table for name, file in zip(names, files, strict=True)}


# --- output


def _naming_table(given: dict[str, Any]) -> dict[str, Any]:
    """The options with a table output reinterpreted as the table to save."""
    output = given["output"]
    if output is None or not output.lower().endswith(rs.sources.TABLE_ENDINGS):
        return given
    if given["save_table"] is not None:
        raise RocscopeError("--output and --save-table cannot both name a table", hint="Give only one of the two")
    return given | {"output": None, "save_table": output}
