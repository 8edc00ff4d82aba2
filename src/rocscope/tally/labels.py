"""Labels in: two classes become a mask of positives, k classes become small codes."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rocscope.errors import RocscopeError
from rocscope.tally.columns import EXACT, finite, flat, is_missing, missing
from rocscope.tally.counting import PROBES, probes
from rocscope.tally.dictionaries import Coded, dictionary_of

Array = NDArray[Any]

MOST_CLASSES = 10_000
"""More classes than this are taken for an id column given by mistake."""

MOST_COUNTED = 200_000
"""Distinct labels are counted so far and no further: memory stays bounded."""

FEW = 16
"""So many candidates are compared with the whole column one by one; more are looked up."""


# ---- two classes ----


def binary(y: Any, positive: Any = None, name: str = "label") -> tuple[NDArray[np.uint8], tuple[Any, Any]]:
    """1 for each positive row and 0 for each negative one, and the labels (negative, positive).

    Without `positive` there is one rule: of {0, 1}, {-1, 1}, {False, True} and {"0", "1"} the greater is positive, also
    when only one of the two occurs; any other labels need it said. The negative label is None when every row is
    positive and what the others would be called is not known.

    >>> binary([0, 1, 1]), binary(["no", "yes"], positive="yes")[1]
    ((array([0, 1, 1], dtype=uint8), (0, 1)), ('no', 'yes'))
    """
    column = _labels_of(y, name)
    if isinstance(column, np.ndarray) and column.dtype.kind in "biuf":
        mask, present = _mask_of_numbers(column, name)
    else:
        codes, present = _coded(column, name, MOST_COUNTED)
        mask = (codes == len(present) - 1).view(np.uint8)
    sides = _sides(present, positive, name)
    if sides[1] != present[-1]:
        mask = 1 - mask if sides[1] == present[0] else np.zeros_like(mask)
    return mask, sides


def _mask_of_numbers(column: Array, name: str) -> tuple[NDArray[np.uint8], list[Any]]:
    low, high = np.minimum.reduce(column), np.maximum.reduce(column)
    mask = column == high
    if low == high:
        found, present = np.count_nonzero(mask), [high.item()]
    else:
        found, present = np.count_nonzero(mask) + np.count_nonzero(column == low), [low.item(), high.item()]
    if found != len(column) or (column.dtype.kind == "f" and not all(end.is_integer() for end in present)):
        _, present = _coded(column, name, MOST_COUNTED)
    return mask.view(np.uint8), present


def _sides(present: list[Any], positive: Any, name: str) -> tuple[Any, Any]:
    """(negative, positive) of the labels present, by the one rule or as said."""
    if len(present) > 2:
        raise RocscopeError(
            f"{len(present)} classes found: {_listed(present)}; {name} must have two",
            hint="Keep two of them, or ask one class against the rest",
        )
    if positive is None and present == [0, 1]:
        return present[0], present[1]
    pair = _known_pair(present)
    if positive is None:
        if pair is None:
            raise _say_which(present, name)
        return pair
    known = pair or (present if len(present) == 2 else [None, present[0]])
    side = next((i for i in (0, 1) if _same(known[i], positive)), None)
    if side is None:
        hint = "Check its type: text and numbers differ" if str(positive) in map(str, present) else ""
        raise RocscopeError(
            f"positive label {positive!r} is not in {name}, which has {_listed(present)}", hint=hint
        )
    return known[1 - side], known[side]


def _known_pair(present: list[Any]) -> tuple[Any, Any] | None:
    if all(isinstance(label, bool) for label in present):
        return False, True
    if all(isinstance(label, int | float) for label in present):
        kind = type(present[0])
        return next(((kind(a), kind(1)) for a in (0, -1) if set(present) <= {a, 1}), None)
    return ("0", "1") if set(present) <= {"0", "1"} else None


def _say_which(present: list[Any], name: str) -> RocscopeError:
    shown = "/".join(_shown(label) for label in present)
    found = f"{name} has two labels {shown}" if len(present) == 2 else f"{name} has one label, {shown}"
    return RocscopeError(f"{found}; say which is positive", hint=f"positive={present[-1]!r}, for example")


def _same(label: Any, asked: Any) -> bool:
    return label is not None and _kind(label) == _kind(asked) and bool(label == asked)


# ---- k classes ----


def factorize(
    values: Any, name: str = "label", labels: Sequence[Any] | None = None, limit: int = MOST_CLASSES
) -> tuple[Array, tuple[Any, ...]]:
    """Each row's class as a small integer, and the labels these count through.

    Labels are sorted (in order of appearance where they have no order), or as given in `labels`, which then must hold
    every value. More than `limit` classes are refused.

    >>> factorize(["b", "a", "b"]), factorize([3, 7], labels=[7, 3, 1])
    ((array([1, 0, 1], dtype=uint8), ('a', 'b')), (array([1, 0], dtype=uint8), (7, 3, 1)))
    """
    codes, present = _coded(_labels_of(values, name), name, limit)
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
    truth, classes = _coded(_labels_of(actual, names[0]), names[0], limit)
    guess, guessed = _coded(_labels_of(predicted, names[1]), names[1], limit)
    if len(truth) != len(guess):
        raise RocscopeError(f"{names[0]} has {len(truth)} rows, but {names[1]} has {len(guess)}")
    if labels is not None:
        known = _given(labels)
    elif classes == guessed:
        return truth, guess, tuple(classes)
    else:
        known = tuple(_in_order(dict.fromkeys([*classes, *guessed]), f"{names[0]} and {names[1]}"))
    return _recoded(truth, classes, known, names[0]), _recoded(guess, guessed, known, names[1]), known


def near_duplicates(labels: Iterable[Any]) -> list[str]:
    """A warning for each set of labels that differ only in case, white space or Unicode normal form.

    >>> near_duplicates(["no", "yes", "Yes "])
    ["labels 'yes' and 'Yes ' differ only in case, white space or Unicode form; they are counted apart"]
    """
    alike: dict[str, list[str]] = {}
    for label in labels:
        if isinstance(label, str):
            folded = " ".join(unicodedata.normalize("NFKC", label).casefold().split())
            alike.setdefault(folded, []).append(label)
    kept = "differ only in case, white space or Unicode form; they are counted apart"
    return [f"labels {' and '.join(map(repr, same))} {kept}" for same in alike.values() if len(same) > 1]


def _given(labels: Sequence[Any]) -> tuple[Any, ...]:
    given = tuple(label.item() if isinstance(label, np.generic) else label for label in labels)
    if not given or len(set(given)) != len(given):
        raise RocscopeError(f"labels {_listed(given)} repeat or are none", hint="Name every class once")
    return given


def _recoded(codes: Array, present: Sequence[Any], known: tuple[Any, ...], name: str) -> Array:
    """The codes in the order of the known labels."""
    place = {label: i for i, label in enumerate(known)}
    outside = [i for i, label in enumerate(present) if label not in place]
    if outside:
        rows = np.flatnonzero(np.isin(codes, outside))
        others = _listed([present[i] for i in outside])
        raise RocscopeError(
            f"{name} has {len(rows)} rows of other labels ({others}; first at row {rows[0]})",
            hint=f"The labels given are {_listed(known)}",
        )
    return _looked_up(codes, [place[label] for label in present], len(known))


def _looked_up(codes: Array, places: list[int], classes: int) -> Array:
    dtype = _code_type(classes)
    if places == list(range(len(places))):
        return codes.astype(dtype, copy=False)
    return np.asarray(places, dtype=dtype)[codes]


def _code_type(classes: int) -> np.dtype[Any]:
    return np.dtype(np.uint8 if classes <= 2**8 else np.uint16 if classes <= 2**16 else np.int32)


# ---- the distinct labels of a column ----


def _labels_of(values: Any, name: str) -> Array | list[Any] | Coded:
    """A numeric or text array, a list of other objects, or codes with categories."""
    if type(values) is np.ndarray:
        return flat(values, name)
    if isinstance(values, list | tuple):
        return _labels_of_list(values, name)
    coded = dictionary_of(values, name)
    if coded is not None:
        return coded
    if hasattr(values, "__next__"):
        return _labels_of_list(list(values), name)
    return flat(values, name)


def _labels_of_list(values: Sequence[Any], name: str) -> Array | list[Any]:
    # NumPy would make text of [1, "1"]; so the types are looked at before it sees the list.
    types = set(map(type, values))
    if all(issubclass(kind, int | float | np.number | np.bool_) for kind in types):
        return flat(values, name)
    if any(issubclass(kind, list | tuple | np.ndarray) for kind in types):
        return flat(np.asarray(values), name)
    return list(values)


def _coded(column: Array | list[Any] | Coded, name: str, limit: int) -> tuple[Array, list[Any]]:
    """Codes 0 .. k-1 and the k labels that occur, in order; missing, mixed, continuous and too many are refused."""
    if isinstance(column, tuple):
        codes, found = column
    elif isinstance(column, list):
        codes, found = _numbered(column, name)
    elif column.dtype.kind in "biu":
        codes, found = _of_integers(column)
    elif column.dtype.kind == "f":
        codes, found = _of_floats(column, name)
    elif column.dtype.kind in "US":
        codes, found = _of_text(column, name)
    elif column.dtype.kind == "O":
        codes, found = _of_objects(column, name)
    elif column.dtype.kind == "T":
        codes, found = _numbered(column.tolist(), name)
    else:
        raise RocscopeError(f"{name} holds values of type {column.dtype}; expected numbers, text or booleans")
    return _settled(codes, found, name, limit)


def _settled(codes: Array, found: list[Any], name: str, limit: int) -> tuple[Array, list[Any]]:
    """Codes and labels with unused ones left out, equal ones made one, the rest in order and checked."""
    occurs = _present(codes, len(found))
    plain = [label.item() if isinstance(label, np.generic) else label for label in found]
    lost = [i for i, label in enumerate(plain) if occurs[i] and is_missing(label)]
    if lost:
        missing(np.isin(codes, lost), name)
    distinct = dict.fromkeys(label for i, label in enumerate(plain) if occurs[i])
    if len(distinct) > limit:
        raise _too_many(len(distinct), name)
    present = _in_order(distinct, name, lambda: _by_appearance(codes, plain))
    place = {label: i for i, label in enumerate(present)}
    places = [place[label] if occurs[i] else 0 for i, label in enumerate(plain)]
    return _looked_up(codes, places, len(present)), present


def _present(codes: Array, classes: int) -> list[bool]:
    """Which of the codes occur; a look at the first rows mostly answers it."""
    few = np.bincount(codes[:4096], minlength=classes)
    full = few if np.count_nonzero(few) == classes else np.bincount(codes, minlength=classes)
    return [bool(count) for count in full.tolist()]


def _in_order(
    distinct: dict[Any, None], name: str, otherwise: Callable[[], list[Any]] | None = None
) -> list[Any]:
    kinds = {_kind(label): label for label in distinct}
    if len(kinds) > 1:
        shown = " and ".join(f"{kind} ({label!r})" for kind, label in sorted(kinds.items()))
        raise RocscopeError(f"{name} mixes types: {shown}", hint="Make all labels one type")
    broken = next((label for label in distinct if isinstance(label, float) and not label.is_integer()), None)
    if broken is not None:
        raise _continuous(f"{broken}", name)
    try:
        return sorted(distinct)
    except TypeError:
        return list(distinct) if otherwise is None else otherwise()


def _by_appearance(codes: Array, found: list[Any]) -> list[Any]:
    _, first = np.unique(codes, return_index=True)
    return list(dict.fromkeys(found[codes[row]] for row in np.sort(first)))


def _kind(label: Any) -> str:
    if isinstance(label, int | float | np.number | np.bool_):
        return "numbers"
    return "text" if isinstance(label, str) else type(label).__name__


def _of_integers(column: Array) -> Coded:
    low, high = int(column.min()), int(column.max())
    size = high - low + 1
    if size <= max(len(column), 1024):
        codes = _shifted(column, low, size)
        labels = (
            [bool(v) for v in range(low, high + 1)]
            if column.dtype.kind == "b"
            else list(range(low, high + 1))
        )
        return codes, labels
    distinct = np.unique(column)
    return np.searchsorted(distinct, column), distinct.tolist()


def _shifted(column: Array, low: int, size: int) -> Array:
    """The column minus `low` in the smallest type: its low bytes suffice, so nothing overflows on the way."""
    small = _code_type(size)
    if low == 0 or column.dtype.itemsize < small.itemsize:
        codes = column.astype(np.int64 if low else small)
        return (codes - low).astype(small) if low else codes
    codes = column.astype(small)
    codes -= np.asarray(low % (1 << (8 * small.itemsize)), dtype=np.uint64).astype(small)
    return codes


def _of_floats(column: Array, name: str) -> Coded:
    finite(column, name)
    whole = np.rint(column)
    odd = whole != column
    if odd.any():
        row = int(odd.argmax())
        raise _continuous(f"{column[row]} (row {row})", name)
    if float(abs(whole).max()) < EXACT:
        codes, labels = _of_integers(whole.astype(np.int64))
        return codes, [float(label) for label in labels]
    distinct = np.unique(column)
    return np.searchsorted(distinct, column), distinct.tolist()


def _of_text(column: Array, name: str) -> Coded:
    """Fixed-width text: a few candidates compared with the whole column beat any hashing of it."""
    few = np.unique(column[_sample(len(column))])
    codes = _compared(column, few) if len(few) <= FEW else None
    return (codes, few.tolist()) if codes is not None else _numbered(column.tolist(), name)


def _of_objects(column: Array, name: str) -> Coded:
    """Objects: rows that hold the very same object need it looked at once, so the addresses are compared first."""
    column = np.ascontiguousarray(column)
    try:
        addresses = np.frombuffer(column, dtype=np.intp)
    except (TypeError, ValueError):  # no such view of objects here
        return _numbered(column.tolist(), name)
    sample = _sample(len(column))
    few, rows = np.unique(addresses[sample], return_index=True)
    codes = _compared(addresses, few) if len(few) <= 4 * FEW else None
    if codes is None:
        return _numbered(column.tolist(), name)
    return codes, column[sample][rows].tolist()


def _sample(n: int) -> Any:
    return slice(None) if n <= PROBES else probes(n)


def _compared(column: Array, candidates: Array) -> Array | None:
    """For each row the place of its value among the sorted candidates; None when some row has another value."""
    if len(candidates) > FEW:
        codes = np.searchsorted(candidates, column)
        np.minimum(codes, len(candidates) - 1, out=codes)
        return codes if np.array_equal(candidates[codes], column) else None
    codes, found = np.zeros(len(column), dtype=np.uint8), 0
    for place, candidate in enumerate(candidates):
        same = column == candidate
        found += int(np.count_nonzero(same))
        if place:
            codes |= same.view(np.uint8) * np.uint8(place)
    return codes if found == len(column) else None


class _Numbers(dict[Any, int]):
    """Numbers keys in order of appearance; everything missing is one key, and keys are not collected without end."""

    def __missing__(self, key: Any) -> int:
        if key is not None and is_missing(key):
            return self[None]
        if len(self) >= MOST_COUNTED:
            raise OverflowError
        self[key] = number = len(self)
        return number


def _numbered(values: list[Any], name: str) -> Coded:
    if not values:
        raise RocscopeError(f"{name} has no rows")
    numbers = _Numbers()
    try:
        codes = _numbered_with(numbers, values)
    except OverflowError:
        raise _too_many(MOST_COUNTED, name, "more than ") from None
    except TypeError as error:
        raise RocscopeError(f"{name} holds values that cannot be labels ({error})") from error
    return codes, list(numbers)


def _numbered_with(numbers: _Numbers, values: list[Any]) -> Array:
    try:
        return np.frombuffer(bytes(map(numbers.__getitem__, values)), dtype=np.uint8)
    except ValueError:  # more than 256 classes
        return np.fromiter(map(numbers.__getitem__, values), dtype=np.int32, count=len(values))


def _too_many(classes: int, name: str, more: str = "") -> RocscopeError:
    hint = "Is this an id column? Choose the label column"
    return RocscopeError(f"{name} column has {more}{classes} classes", hint=hint)


def _continuous(value: str, name: str) -> RocscopeError:
    hint = "Is this the score column? Or cut it into classes first"
    return RocscopeError(f"{name} holds {value}, a continuous value; expected classes", hint=hint)


def _listed(labels: Sequence[Any]) -> str:
    shown = [_shown(label) for label in labels[:6]]
    return ", ".join(shown + ["..."] * (len(labels) > 6))


def _shown(label: Any) -> str:
    text = str(label)
    return text if len(text) <= 40 else f"{text[:37]}..."
