"""Files on the command line: the options about reading, and files opened as they say."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar

import click

from rocscope import sources
from rocscope.cli.shared.progress import reading_bar
from rocscope.cli.streams import say
from rocscope.errors import RocscopeError
from rocscope.sources import BUDGET, ROW, Source

Command = TypeVar("Command", bound=Callable[..., Any])

_HELD = "rocscope.reading"  # where click keeps what the options of a command say about reading
_UNITS = {"": 1, "k": 2**10, "m": 2**20, "g": 2**30, "t": 2**40}
LONG = 2**30  # bytes: a scan of more is announced


def file_options(command: Command) -> Command:
    """`--delimiter`, `--encoding` and `--sheet`: how files are read that do not say it themselves."""
    for option in (
        _kept("--sheet", metavar="NAME", help="Sheet of an Excel file that has several."),
        _kept("--encoding", metavar="NAME", help="Encoding of text that is not UTF-8: latin-1, cp1252, ..."),
        _kept("--delimiter", metavar="CHARACTER", help="Field delimiter: , ; | or tab; detected by default."),
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
    """An option that is kept in click's context, not handed to the command: only reading needs it."""

    def keep(context: click.Context, parameter: click.Parameter, value: Any) -> None:
        context.meta.setdefault(_HELD, {})[str(parameter.name)] = value

    return click.option(*names, expose_value=False, callback=keep, **settings)


def said(name: str) -> Any:
    """What an option about reading says; None where it was not given."""
    context = click.get_current_context(silent=True)
    return None if context is None else context.meta.get(_HELD, {}).get(name)


def read(paths: str | Sequence[str], *, remarks: bool = True) -> Source:
    """One file or several, opened as the options say; `-` is standard input. Remarks go to standard error."""
    names = [paths] if isinstance(paths, str) else list(paths)
    options = {name: said(name) for name in ("delimiter", "encoding", "sheet")}
    budget = said_budget()
    return sources.open(
        names, **options, memory=2 * (BUDGET if budget is None else budget), remark=_say if remarks else None
    )


def _say(remark: str) -> None:
    say(f"rocscope: {remark}")


@contextmanager
def shown_reading(source: Source) -> Iterator[Source]:
    """The source with a bar that shows how far reading is; a long scan is announced before it begins."""
    files = source.files
    if files is None or not files.large:
        yield source
        return
    if files.bytes >= LONG:
        rows, size = files.about, files.bytes / 2**30
        say(f"rocscope: reading {files.name}: {size:.1f} GiB, about {rows:,} rows, {_passes(rows)}")
    if sys.stderr is None or not sys.stderr.isatty():
        yield source
        return
    with reading_bar(files.about) as told:
        yield source.reporting(told)


def _passes(rows: int) -> str:
    if rows * ROW <= (said_budget() or BUDGET):
        return "in 1 pass"
    return "in several passes, until every area is exact" if said("exact") else "in 1 to 4 passes, on cells"


def said_budget() -> int | None:
    """The bytes of memory that --budget allows for rows; None where it is not given."""
    text = said("budget")
    return None if text is None else bytes_of(text)


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
