"""RocscopeError: what was expected, what was found, and what to do about it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from math import nan


class RocscopeError(ValueError):
    """An input for which no correct answer can be given.

    The message states what was expected and what was found; the hint says what to try. Rows of arrays are counted
    from 0, as in NumPy; lines of files are counted from 1, as in editors.

    >>> str(RocscopeError("score has 3 NaN (first at row 17)", hint="Drop them first"))
    'score has 3 NaN (first at row 17). Drop them first'
    """

    def __init__(self, message: str, *, hint: str = "") -> None:
        self.message = message
        self.hint = hint
        super().__init__(f"{message}. {hint}" if hint else message)


class Undefined(Exception):
    """There is no finite value: the text is the reason, and `value` is what the caller gets instead (NaN or infinity).

    It is raised inside a computation and turned into NaN with a reason (`why`) before it reaches a user.
    """

    def __init__(self, reason: str = "", *, value: float = nan) -> None:
        super().__init__(reason)
        self.value = value


@contextmanager
def naming(source: str) -> Iterator[None]:
    """Prefix the message of any refusal with the name of the file."""
    try:
        yield
    except RocscopeError as error:
        if error.message.startswith(source):
            raise
        raise RocscopeError(f"{source}: {error.message}", hint=error.hint) from None


def did_you_mean(name: str, choices: Iterable[str], *, cutoff: float = 0.6) -> str:
    """The hint for a mistyped name: the nearest choice, or all choices if there are few.

    `cutoff` is the required similarity, from 0 to 1; use a higher value if many short choices make accidental matches
    likely.

    >>> did_you_mean("precison", ["precision", "recall"])
    "Did you mean 'precision'?"
    >>> did_you_mean("acu", ["auc", "raccu"])
    "Did you mean 'auc'?"
    """
    return _hint(name, tuple(sorted(choices)), cutoff)


@lru_cache(maxsize=64)  # callers may look up the same name in several catalogs in turn
def _hint(name: str, known: tuple[str, ...], cutoff: float) -> str:
    import difflib

    near = difflib.get_close_matches(name.lower(), known, n=9, cutoff=cutoff)
    # letters transposed, such as acu for auc
    swapped = [choice for choice in near if sorted(choice) == sorted(name.lower())]
    if near:
        return f"Did you mean '{(swapped or near)[0]}'?"
    return f"Known: {', '.join(known)}" if 0 < len(known) <= 12 else ""
