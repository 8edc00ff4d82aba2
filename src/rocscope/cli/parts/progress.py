"""A bar on standard error for long resampling; silent where standard error is no terminal."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager

PATIENCE = 0.5  # seconds before a bar is worth drawing


@contextmanager
def progress_bar(what: str) -> Iterator[Callable[[int, int], None] | None]:
    """What a bootstrap tells how far it is; None where nobody would see it."""
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
