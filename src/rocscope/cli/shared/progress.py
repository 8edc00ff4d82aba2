"""A progress bar on standard error for long resampling and long scans; nothing if standard error is not a terminal."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from typing import Any

PATIENCE = 0.5  # delay in seconds before the progress bar appears

Update = Callable[..., None]


def progress_bar(what: str) -> AbstractContextManager[Update | None]:
    """The progress callback of a bootstrap (done, total); None if no bar would be visible."""

    def start(drawn: ExitStack) -> Update:
        bar = _bar(drawn)
        task = bar.add_task(what, total=None)
        return lambda done, total: bar.update(task, completed=done, total=total)

    return _shown(start)


def reading_bar(rows: int) -> AbstractContextManager[Update | None]:
    """The progress callback of a scan, as a share of 1: rows per second and remaining time are shown."""

    def start(drawn: ExitStack) -> Update:
        from rich.progress import BarColumn, TextColumn, TimeRemainingColumn

        text = "{task.percentage:>3.0f} %  {task.fields[speed]}"
        bar = _bar(drawn, TextColumn("reading"), BarColumn(), TextColumn(text), TimeRemainingColumn())
        task, begun = bar.add_task("reading", total=rows, speed=""), time.monotonic()

        def update(share: float) -> None:
            done = round(share * rows)
            speed = f"{done / max(time.monotonic() - begun, 1e-3):,.0f} rows/s"
            bar.update(task, completed=done, speed=speed)

        return update

    return _shown(start)


@contextmanager
def _shown(start: Callable[[ExitStack], Update]) -> Iterator[Update | None]:
    """A bar that appears once the work has taken a while."""
    if sys.stderr is None or not sys.stderr.isatty():
        yield None
        return
    begun, update = time.monotonic(), None

    def told(*progress: float) -> None:
        nonlocal update
        if update is None and time.monotonic() - begun > PATIENCE:
            update = start(drawn)
        if update is not None:
            update(*progress)

    with ExitStack() as drawn:
        yield told


def _bar(drawn: ExitStack, *columns: Any) -> Any:
    from rich.console import Console
    from rich.progress import Progress

    return drawn.enter_context(Progress(*columns, console=Console(stderr=True), transient=True))
