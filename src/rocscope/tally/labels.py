"""Labels in: two classes become a mask of positives, k classes become small codes."""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rocscope.errors import RocscopeError
from rocscope.numbers import Array, plain
from rocscope.tally.codes import (
    MOST_COUNTED,
    check_label_types,
    code_type,
    coded,
    continuous,
    in_order,
    kind_of,
    labels_of,
    looked_up,
    too_many,
)

MOST_CLASSES = 10_000
"""A column with more classes than this is treated as an id column given by mistake."""
MOST_NAMED = 64  # maximum number of labels counted in a column that should have two

PAIRS = (
    ("0", "1"), ("-1", "1"), ("0.0", "1.0"), ("-1.0", "1.0"), ("False", "True"), ("false", "true"), ("FALSE", "TRUE"),
)  # fmt: skip
"""Numbers and truth values as files write them: with such labels, it is clear which one is positive."""


# ---- two classes ----


def binary(y: Any, positive: Any = None, name: str = "label") -> tuple[NDArray[np.uint8], tuple[Any, Any]]:
    """The mask of the rows (1 for positive, 0 for negative), and the labels (negative, positive).

    Without `positive` there is one rule: of {0, 1}, {-1, 1} and {False, True}, also as text (`PAIRS`), the greater is
    positive, even when only one of the two occurs; for any other labels it must be given. The negative label is None
    when every row is positive and the name of the other class is not known.

    >>> binary([0, 1, 1]), binary(["no", "yes"], positive="yes")[1]
    ((array([0, 1, 1], dtype=uint8), (0, 1)), ('no', 'yes'))
    """
    column = labels_of(y, name)
    if isinstance(column, np.ndarray) and column.dtype.kind in "biuf":
        mask, present = _mask_of_numbers(column, name)
    else:
        codes, present = coded(column, name, MOST_COUNTED)
        mask = (codes == len(present) - 1).view(np.uint8)
    sides = _sides(present, positive, name)
    if sides[1] != present[-1]:
        mask = 1 - mask
    return mask, sides


def _mask_of_numbers(column: Array, name: str) -> tuple[NDArray[np.uint8], list[Any]]:
    low, high = np.minimum.reduce(column), np.maximum.reduce(column)
    mask = column == high
    if low == high:
        matched, present = np.count_nonzero(mask), [high.item()]
    else:
        matched, present = np.count_nonzero(mask) + np.count_nonzero(column == low), [low.item(), high.item()]
    if matched != len(column) or (column.dtype.kind == "f" and not all(end.is_integer() for end in present)):
        _, present = coded(column, name, MOST_COUNTED)
    return mask.view(np.uint8), present


def _sides(present: list[Any], positive: Any, name: str) -> tuple[Any, Any]:
    """(negative, positive) of the labels present, by the one rule or as said."""
    check_label_types(present, name)
    if positive is None and present == [0, 1]:
        return present[0], present[1]
    if (fraction := _least_fraction(present)) is not None:  # measured: the same words for text and for numbers
        raise continuous(fraction, name)
    if len(present) > 2:
        raise _more_than_two(present, name)
    pair = _known_pair(present)
    if positive is None:
        if pair is None:
            raise _say_which(present, name)
        return pair
    known = pair or (present if len(present) == 2 else [None, present[0]])
    side = next((i for i in (0, 1) if _same(known[i], positive)), None)
    if side is None:
        hint = "Check its type; text and numbers are different" if str(positive) in map(str, present) else ""
        raise RocscopeError(f"positive label {positive!r} is not in {name}, which has {_listed(present)}", hint=hint)
    return known[1 - side], known[side]


def _more_than_two(present: list[Any], name: str) -> RocscopeError:
    """Refuse several classes, or an id."""
    if len(present) > MOST_NAMED:  # not all labels may have been collected
        return too_many(MOST_NAMED, name, "more than ")
    return RocscopeError(
        f"{name} must have two classes, but it has {len(present)}: {_listed(present)}",
        hint="Keep two of them, or evaluate one class against the rest",
    )


def _least_fraction(present: list[Any]) -> str | None:
    """The least label with a fraction where all of them are numbers, written as text or not."""
    try:
        numbers = {float(label): label for label in present}
    except (TypeError, ValueError, OverflowError):
        return None
    fractions = [number for number in numbers if not number.is_integer()]
    return str(numbers[min(fractions)]) if fractions and all(map(math.isfinite, numbers)) else None


def _known_pair(present: list[Any]) -> tuple[Any, Any] | None:
    if all(isinstance(label, bool) for label in present):
        return False, True
    if all(isinstance(label, int | float) for label in present):
        kind = type(present[0])
        return next(((kind(a), kind(1)) for a in (0, -1) if set(present) <= {a, 1}), None)
    return _text_pair(present)


def _text_pair(present: Iterable[Any]) -> tuple[str, str] | None:
    labels = set(present)
    return next((pair for pair in PAIRS if labels <= set(pair)), None)


def plain_positive(labels: Iterable[str]) -> str | None:
    """The positive label if the labels make it clear; otherwise None.

    >>> plain_positive(["False", "True"]), plain_positive(["no", "yes"])
    ('True', None)
    """
    pair = _text_pair(labels)
    return None if pair is None else pair[1]


def _say_which(present: list[Any], name: str) -> RocscopeError:
    shown = "/".join(_shown(label) for label in present)
    problem = f"{name} has two labels {shown}" if len(present) == 2 else f"{name} has one label, {shown}"
    return RocscopeError(f"{problem}; state which is positive", hint=f"positive={present[-1]!r}, for example")


def _same(label: Any, wanted: Any) -> bool:
    return label is not None and kind_of(label) == kind_of(wanted) and bool(label == wanted)


# ---- any number of classes ----


def factorize(
    values: Any, name: str = "label", labels: Sequence[Any] | None = None, limit: int = MOST_CLASSES
) -> tuple[Array, tuple[Any, ...]]:
    """The class of each row as a small integer, and the labels to which the integers refer.

    Labels are sorted (or in order of appearance if they cannot be sorted), or as given in `labels`, which must then
    contain every value. More than `limit` classes are refused.

    >>> factorize(["b", "a", "b"]), factorize([3, 7], labels=[7, 3, 1])
    ((array([1, 0, 1], dtype=uint8), ('a', 'b')), (array([1, 0], dtype=uint8), (7, 3, 1)))
    """
    codes, present = coded(labels_of(values, name), name, limit)
    if labels is None:
        return codes, tuple(present)
    given = _given(labels)
    return _recoded(codes, present, given, name), given


def factorize_two(
    actual: Any,
    predicted: Any,
    labels: Sequence[Any] | None = None,
    *,
    names: tuple[str, str] = ("actual", "predicted"),
    limit: int = MOST_CLASSES,
) -> tuple[Array, Array, tuple[Any, ...]]:
    """The codes of two label columns of the same rows, and the labels of both together.

    >>> factorize_two(["cat", "dog"], ["cat", "owl"])
    (array([0, 1], dtype=uint8), array([0, 2], dtype=uint8), ('cat', 'dog', 'owl'))
    """
    truth, classes = coded(labels_of(actual, names[0]), names[0], limit)
    guess, guessed = coded(labels_of(predicted, names[1]), names[1], limit)
    if len(truth) != len(guess):
        raise RocscopeError(f"{names[0]} has {len(truth)} rows, but {names[1]} has {len(guess)}")
    if labels is not None:
        known = _given(labels)
    elif classes == guessed:
        return truth, guess, tuple(classes)
    else:
        known = tuple(in_order(list(dict.fromkeys([*classes, *guessed])), f"{names[0]} and {names[1]}"))
    return _recoded(truth, classes, known, names[0]), _recoded(guess, guessed, known, names[1]), known


def near_duplicates(labels: Iterable[Any]) -> list[str]:
    """A warning for each set of labels that differ only in case, white space or Unicode normal form.

    >>> near_duplicates(["no", "yes", "Yes "])
    ["labels 'yes' and 'Yes ' differ only in case, white space or Unicode form; they are counted separately"]
    """
    alike: dict[str, list[str]] = {}
    for label in labels:
        if isinstance(label, str):
            folded = " ".join(unicodedata.normalize("NFKC", label).casefold().split())
            alike.setdefault(folded, []).append(label)
    kept = "differ only in case, white space or Unicode form; they are counted separately"
    return [f"labels {' and '.join(map(repr, same))} {kept}" for same in alike.values() if len(same) > 1]


def _given(labels: Sequence[Any]) -> tuple[Any, ...]:
    given = tuple(map(plain, labels))
    if not given or len(set(given)) != len(given):
        raise RocscopeError(f"labels {_listed(given)} contain duplicates or gaps", hint="List every class exactly once")
    return given


def _recoded(codes: Array, present: Sequence[Any], known: tuple[Any, ...], name: str) -> Array:
    """The codes in the order of the known labels."""
    position = {label: i for i, label in enumerate(known)}
    outside = [i for i, label in enumerate(present) if label not in position]
    if outside:
        rows = np.flatnonzero(np.isin(codes, outside))
        listed = _listed([present[i] for i in outside])
        raise RocscopeError(
            f"{name} has {len(rows)} rows with other labels ({listed}; first at row {rows[0]})",
            hint=f"The given labels are {_listed(known)}",
        )
    positions = np.array([position[label] for label in present], dtype=code_type(len(known)))
    return looked_up(codes, positions)


def _listed(labels: Sequence[Any]) -> str:
    shown = [_shown(label) for label in labels[:6]]
    return ", ".join(shown + ["..."] * (len(labels) > 6))


def _shown(label: Any) -> str:
    text = str(label)
    return text if len(text) <= 40 else f"{text[:37]}..."


def spelled_alike(a: Any, b: Any) -> bool:
    """Whether two labels are the same, or one is the text of the other.

    >>> spelled_alike(1, "1"), spelled_alike(1, 1.0), spelled_alike(1, "yes")
    (True, True, False)
    """
    return bool(a == b) or (a is not None and b is not None and str(a) == str(b))


def as_in(labels: Sequence[Any], others: Sequence[Any]) -> tuple[Any, ...]:
    """The labels, converted to text if the others are text, so that a sum is the same in either order.

    >>> as_in((0, 1), ("0", "1")), as_in(("0", "1"), (0, 1))
    (('0', '1'), ('0', '1'))
    """
    texts = {other for other in others if isinstance(other, str)} - set(labels)
    return tuple(str(label) if label is not None and str(label) in texts else label for label in labels)
