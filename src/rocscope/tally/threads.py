"""How many cores this process may use, and work done on all of them.

NumPy lets other threads run while it sorts, so threads are enough. What they compute does not depend on their number.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from concurrent.futures import Future

Item = TypeVar("Item")
Result = TypeVar("Result")

MOST = 8  # maximum number of threads; more would wait for memory


def cores() -> int:
    """The number of cores that the affinity (`taskset`) and the control group (a container) allow this process."""
    allowed = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, min(allowed, _quota(), MOST))


@cache
def _quota() -> int:
    """The whole cores that the control group grants; many where it does not say."""
    return min((found for path in _groups() if (found := granted(path)) is not None), default=2**20)


def _groups() -> list[str]:
    """The folders of the control groups of this process: its own, and those above it."""
    try:
        with open("/proc/self/cgroup", encoding="ascii", errors="replace") as file:
            paths = [line.rstrip("\n").split(":", 2) for line in file]
    except OSError:
        return []
    folders = ["/sys/fs/cgroup", "/sys/fs/cgroup/cpu"]
    for _, kinds, path in (parts for parts in paths if len(parts) == 3):
        if kinds == "" or "cpu" in kinds.split(","):
            folders.append(f"/sys/fs/cgroup{'/cpu' if kinds else ''}{path}")
    return folders


def granted(folder: str) -> int | None:
    """The cores that the files of a control group grant, rounded up; None where they set no limit."""
    for names in (("cpu.max",), ("cpu.cfs_quota_us", "cpu.cfs_period_us")):
        try:
            words = " ".join(_text(os.path.join(folder, name)) for name in names).split()
        except OSError:
            continue
        if len(words) == 2 and words[0].isdecimal() and words[1].isdecimal() and int(words[1]):
            return max(1, -(-int(words[0]) // int(words[1])))
    return None


def _text(path: str) -> str:
    with open(path, encoding="ascii", errors="replace") as file:
        return file.read()


def side_by_side(tasks: Sequence[Callable[[], object]]) -> None:
    """Call each, the first in this thread and every other in one of its own.

    >>> found = []
    >>> side_by_side([lambda: found.append(1), lambda: found.append(2)])
    >>> sorted(found)
    [1, 2]
    """
    from threading import Thread

    failed: list[BaseException] = []

    def call(task: Callable[[], object]) -> None:
        try:
            task()
        except BaseException as error:  # raised again in the calling thread
            failed.append(error)

    threads = [Thread(target=call, args=(task,)) for task in tasks[1:]]
    for thread in threads:
        thread.start()
    call(tasks[0])
    for thread in threads:
        thread.join()
    if failed:
        raise failed[0]


def mapped(work: Callable[[Item], Result], items: Iterable[Item], *, workers: int) -> Iterator[Result]:
    """The results of a function for each item, in order, computed in parallel; no thread outlives the loop.

    >>> list(mapped(str.upper, "abc", workers=2))
    ['A', 'B', 'C']
    """
    if workers < 2:
        yield from map(work, items)
        return
    from concurrent.futures import ThreadPoolExecutor

    coming: deque[Future[Result]] = deque()
    with ThreadPoolExecutor(workers) as pool:
        try:
            for item in items:
                coming.append(pool.submit(work, item))
                if len(coming) > 2 * workers:
                    yield coming.popleft().result()
            while coming:
                yield coming.popleft().result()
        finally:
            pool.shutdown(cancel_futures=True)
