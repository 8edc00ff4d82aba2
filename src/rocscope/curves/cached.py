"""What several readings of a table share: computed once for each table, and kept as long as the table is."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

from rocscope.table import ScoreTable

Found = TypeVar("Found")


def once(function: Callable[[ScoreTable], Found]) -> Callable[[ScoreTable], Found]:
    """The function, with what it found kept with the table, where a table keeps its own cached properties too.

    >>> calls = []
    >>> size = once(lambda table: calls.append(1) or len(table))
    >>> t = ScoreTable.from_scores([1, 0], [0.8, 0.4])
    >>> size(t), size(t), len(calls)
    (2, 2, 1)
    """
    name = f"{function.__module__}.{function.__qualname__}"

    @wraps(function)
    def kept(table: ScoreTable) -> Found:
        held: dict[str, Any] = table.__dict__
        if name not in held:
            held[name] = function(table)
        return held[name]  # type: ignore[no-any-return]

    return kept
