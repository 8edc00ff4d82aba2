"""Files on the command line, opened according to the options."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

import rocscope as rs
from rocscope.cli.options import said
from rocscope.cli.output import say
from rocscope.cli.shared.progress import reading_bar
from rocscope.cli.shared.typed_numbers import size_of
from rocscope.errors import RocscopeError

if TYPE_CHECKING:
    from rocscope.sources import Source

LONG = 2**30  # input size in bytes from which a notice is printed before the scan


def read(paths: str | Sequence[str], *, remarks: bool = True) -> Source:
    """Open one or several files according to the options; `-` is standard input. Remarks go to standard error."""
    names = [paths] if isinstance(paths, str) else list(paths)
    options = {name: said(name) for name in ("delimiter", "encoding", "sheet")}
    budget = said_budget()
    return rs.sources.open(
        names, **options, memory=2 * (rs.sources.BUDGET if budget is None else budget), remark=_say if remarks else None
    )


def _say(remark: str) -> None:
    say(f"rocscope: {remark}")


@contextmanager
def shown_reading(source: Source) -> Iterator[Source]:
    """The source with a progress bar; a long scan is announced before it begins."""
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
    with reading_bar(files.about) as report_progress:
        yield source.reporting(report_progress)


def _passes(rows: int) -> str:
    if rows * rs.sources.ROW <= (said_budget() or rs.sources.BUDGET):
        return "in 1 pass"
    return (
        "in several passes, until every area is exact"
        if said("exact")
        else "in 1 to 4 passes, with scores counted in cells"
    )


def said_budget() -> int | None:
    """The memory in bytes that --budget allows for rows; None if it is not given."""
    text = said("budget")
    if text is None:
        return None
    size = size_of("--budget", text, example="Give, for example, 500M or 4G")
    if not 2**20 <= size < 2**50:
        raise RocscopeError(f"--budget must be a size from 1M to 1000T, not {text}")
    return size
