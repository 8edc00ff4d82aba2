"""A bar on standard error for long resampling and long scans; silent where standard error is no terminal."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager

PATIENCE = 0.5  # seconds before a bar is worth drawing


@contextmanager
def progress_bar(what: str) -> Iterator[Callable[[int, int], None] | None]:
    """What a bootstrap tells how far it is; None where it would not be seen."""
    if sys.stderr is None or not sys.stderr.isatty():
        yield None
        return
    with ExitStack() as drawn:
        yield _told(what, drawn)


def _told(what: str, drawn: ExitStack) -> Callable[[int, int], None]:
    """Draws from the moment on that the work has taken a while, until the stack is closed."""
    begun, update = time.monotonic(), None

    def told(done: int, total: int) -> None:
        nonlocal update
        if update is None and time.monotonic() - begun > PATIENCE:
            update = _started(what, drawn)
        if update is not None:
            update(done, total)

    return told


def _started(what: str, drawn: ExitStack) -> Callable[[int, int], None]:
    from rich.console import Console
    from rich.progress import Progress

    bar = drawn.enter_context(Progress(console=Console(stderr=True), transient=True))
    task = bar.add_task(what, total=None)
    return lambda done, total: bar.update(task, completed=done, total=total)


@contextmanager
def reading_bar(rows: int) -> Iterator[Callable[[float], None] | None]:
    """What a scan tells how far it is, as a share of 1: rows a second and the time that remains are shown."""
    if sys.stderr is None or not sys.stderr.isatty():
        yield None
        return
    with ExitStack() as drawn:
        yield _told_share(rows, drawn)


def _told_share(rows: int | None, drawn: ExitStack) -> Callable[[float], None]:
    begun, update = time.monotonic(), None

    def told(share: float) -> None:
        nonlocal update
        if update is None and time.monotonic() - begun > PATIENCE:
            update = _started_counting(drawn) if rows is None else _started_reading(rows, drawn)
        if update is not None:
            update(share)

    return told


@contextmanager
def counting_bar(wanted: bool = True) -> Iterator[Callable[[float], None] | None]:
    """What the reading of a pipe tells: the rows so far, shown with rows a second; the total is unknown."""
    if not wanted or sys.stderr is None or not sys.stderr.isatty():
        yield None
        return
    with ExitStack() as drawn:
        yield _told_share(None, drawn)


def _started_counting(drawn: ExitStack) -> Callable[[float], None]:
    from rich.console import Console
    from rich.progress import Progress, SpinnerColumn, TextColumn

    columns = SpinnerColumn(), TextColumn("reading  {task.completed:,.0f} rows  {task.fields[speed]}")
    bar = drawn.enter_context(Progress(*columns, console=Console(stderr=True), transient=True))
    begun, first = time.monotonic(), -1.0
    task = bar.add_task("reading", total=None, speed="")

    def update(done: float) -> None:
        nonlocal first
        first = done if first < 0 else first
        speed = f"{(done - first) / max(time.monotonic() - begun, 1e-3):,.0f} rows/s" if done > first else ""
        bar.update(task, completed=done, speed=speed)

    return update


def _started_reading(rows: int, drawn: ExitStack) -> Callable[[float], None]:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    bar = drawn.enter_context(
        Progress(
            TextColumn("reading"),
            BarColumn(),
            TextColumn("{task.percentage:>3.0f} %  {task.fields[speed]}"),
            TimeRemainingColumn(),
            console=Console(stderr=True),
            transient=True,
        )
    )
    begun = time.monotonic()
    task = bar.add_task("reading", total=rows, speed="")

    def update(share: float) -> None:
        done = round(share * rows)
        speed = f"{done / max(time.monotonic() - begun, 1e-3):,.0f} rows/s"
        bar.update(task, completed=done, speed=speed)

    return update
