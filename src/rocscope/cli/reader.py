"""The door to files: what the options of a word say about reading, and the columns that come of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import click

from rocscope.errors import RocscopeError
from rocscope.sources.csv import MISSING, TextColumns
from rocscope.sources.files import LargeColumns, open_columns, sample_of, whole
from rocscope.sources.loaded import Loaded

__all__ = [
    "MISSING",
    "Kept",
    "LargeColumns",
    "Loaded",
    "Opened",
    "TextColumns",
    "budget_of",
    "file_options",
    "read",
    "sample_of",
    "scan_options",
    "whole",
]

Opened = TextColumns | LargeColumns
"""Files of which at least the header is known."""
Kept = TextColumns | Loaded
"""The needed columns in memory, every row complete."""
Command = TypeVar("Command", bound=Callable[..., Any])

_HELD = "rocscope.reading"  # where click keeps what the options of a word say about reading
_UNITS = {"": 1, "k": 2**10, "m": 2**20, "g": 2**30, "t": 2**40}
LONG = 2**30  # bytes: a scan of more is announced


def file_options(command: Command) -> Command:
    """`--delimiter`, `--encoding` and `--sheet`: how files are read that do not say it themselves."""
    for option in (
        _kept("--sheet", metavar="NAME", help="Sheet of an Excel file that has several."),
        _kept("--encoding", metavar="NAME", help="Of text that is not UTF-8: latin-1, cp1252, ..."),
        _kept("--delimiter", metavar="LETTER", help="Between fields: , ; | or tab.  [default: found out]"),
    ):
        command = option(command)
    return command


def scan_options(command: Command) -> Command:
    """`--budget`, `--tolerance` and `--exact`: how files are read that do not fit into memory."""
    for option in (
        _kept("--exact", is_flag=True, help="More rows than fit: read by ranges until every area is exact."),
        _kept("--tolerance", type=click.FloatRange(min=0, min_open=True), metavar="X",
              help="More rows than fit: how far the AUC may be off.  [default: 1e-6]"),
        _kept("--budget", metavar="SIZE", help="Memory for the rows: 500M, 4G.  [default: 1G]"),
    ):  # fmt: skip
        command = option(command)
    return command


def _kept(*names: str, **settings: Any) -> Callable[[Command], Command]:
    """An option that is kept in click's context, not handed to the word: only reading needs it."""

    def keep(context: click.Context, parameter: click.Parameter, value: Any) -> None:
        context.meta.setdefault(_HELD, {})[str(parameter.name)] = value

    return click.option(*names, expose_value=False, callback=keep, **settings)


def said(name: str) -> Any:
    """What an option about reading says; None where it was not given."""
    context = click.get_current_context(silent=True)
    return None if context is None else context.meta.get(_HELD, {}).get(name)


def read(paths: str | Sequence[str], *, progress: Callable[[float], None] | None = None) -> Opened:
    """The columns of one file or several, read as the options of the word say; `-` is standard input."""
    names = [paths] if isinstance(paths, str) else list(paths)
    return open_columns(
        names, **{name: said(name) for name in ("delimiter", "encoding", "sheet")}, memory=2 * budget_of(),
        progress=progress,
    )  # fmt: skip


def budget_of() -> int:
    """The bytes of memory that --budget allows for rows."""
    from rocscope.sources.source import BUDGET

    text = said("budget")
    return BUDGET if text is None else bytes_of(text)


def bytes_of(text: str) -> int:
    """A size as people write it: 500M, 4G, 1.5 GiB.

    >>> bytes_of("500M"), bytes_of("1.5GiB")
    (524288000, 1610612736)
    """
    plain = text.strip().lower().removesuffix("ib").removesuffix("b").strip()
    digits = plain.rstrip("kmgt").strip()
    unit = plain[len(digits) :].strip()
    try:
        size = float(digits) * _UNITS[unit]
    except (KeyError, ValueError):
        raise RocscopeError(f"--budget {text} is no size", hint="Say 500M or 4G, for example") from None
    if not 2**20 <= size < 2**50:
        raise RocscopeError(f"--budget {text}: between 1M and 1000T make sense")
    return int(size)
