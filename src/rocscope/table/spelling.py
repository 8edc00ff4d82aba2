"""Labels that are spelled alike are the same label: the 1 of an array and the "1" of a file."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


def spelled_alike(a: Any, b: Any) -> bool:
    """Whether two labels are the same, or one is the text of the other.

    >>> spelled_alike(1, "1"), spelled_alike(1, 1.0), spelled_alike(1, "yes")
    (True, True, False)
    """
    return bool(a == b) or (a is not None and b is not None and str(a) == str(b))


def as_in(labels: Sequence[Any], others: Sequence[Any]) -> tuple[Any, ...]:
    """The labels, as text where the others have them as text: so that a sum is the same in either order.

    >>> as_in((0, 1), ("0", "1")), as_in(("0", "1"), (0, 1))
    (('0', '1'), ('0', '1'))
    """
    texts = {other for other in others if isinstance(other, str)} - set(labels)
    return tuple(str(label) if label is not None and str(label) in texts else label for label in labels)
