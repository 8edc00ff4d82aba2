"""`--by COLUMN`: the slices that a word of the command line is asked for."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import click

from rocscope.errors import RocscopeError

Command = TypeVar("Command", bound=Callable[..., Any])


def by_options(command: Command) -> Command:
    """`--by` and `--crossed`."""
    for option in (
        click.option("--crossed", is_flag=True, help="With two or more --by: slices by each two of them as well."),
        click.option("--by", multiple=True, metavar="COLUMN",
                     help="Slices by the values of a column, each with its interval; may be repeated."),
    ):  # fmt: skip
        command = option(command)
    return command


def by_names(given: Mapping[str, Any]) -> list[str]:
    """The columns that make slices, each once."""
    return list(dict.fromkeys(given.get("by") or ()))


def slices_of(columns: Any, given: Mapping[str, Any]) -> dict[str, Any]:
    """The keywords of `evaluate()` and `compare()` that make slices; {} where none were asked for."""
    names = by_names(given)
    if not names:
        if given.get("crossed"):
            raise RocscopeError("--crossed needs slices", hint="Add --by COLUMN --by COLUMN")
        return {}
    return {"by": {name: _values(columns, name) for name in names}, "crossed": given["crossed"]}


def _values(columns: Any, name: str) -> Any:
    """The values of a column, None where a cell is blank: those cases are a slice of their own."""
    held = getattr(columns, "columns", None)
    if isinstance(held, Mapping) and name in held:
        return held[name].objects() if hasattr(held[name], "objects") else held[name]
    return [cell if cell.strip() else None for cell in columns.cells(name)]
