"""Work in a background thread: NumPy releases the interpreter lock while it counts, so another thread can keep
reading.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from concurrent.futures import Future, ThreadPoolExecutor

Item = TypeVar("Item")


class BackgroundWorker:
    """Run steps one after another in a separate thread; exceptions raised there are raised in the caller.

    >>> done, worker = [], BackgroundWorker()
    >>> steps = [worker.do(done.append, step) for step in range(3)]
    >>> worker.finish()
    >>> done
    [0, 1, 2]
    """

    def __init__(self, most: int = 4) -> None:
        self.most = most  # maximum number of queued steps
        self._coming: deque[Future[Any]] = deque()
        self._thread: ThreadPoolExecutor | None = None  # shuts down when it is no longer referenced

    def do(self, step: Callable[..., Any], *given: Any) -> Future[Any]:
        """Queue a step; waits if the queue is full."""
        if self._thread is None:
            from concurrent.futures import ThreadPoolExecutor

            self._thread = ThreadPoolExecutor(1)
        while len(self._coming) >= self.most:
            self._coming.popleft().result()
        self._coming.append(self._thread.submit(step, *given))
        return self._coming[-1]

    def finish(self) -> None:
        """Wait until all steps are done."""
        while self._coming:
            self._coming.popleft().result()


def ahead(items: Iterator[Item], *, most: int = 3) -> Iterator[Item]:
    """Yield the items of an iterator, which another thread prepares in advance.

    >>> list(ahead(iter("abc")))
    ['a', 'b', 'c']
    """
    worker, nothing = BackgroundWorker(most + 1), object()
    coming = deque(worker.do(next, items, nothing) for _ in range(most))
    while (item := coming.popleft().result()) is not nothing:
        coming.append(worker.do(next, items, nothing))
        yield item
