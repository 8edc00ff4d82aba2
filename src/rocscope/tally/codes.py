"""The distinct labels of a column: found once, checked, and each row given its number among them."""

from __future__ import annotations

import sys
from collections.abc import Callable, Hashable, Iterable, Sequence
from datetime import datetime, time, timedelta
from decimal import Decimal
from typing import Any

import numpy as np

from rocscope.errors import RocscopeError
from rocscope.numbers import Array, plain
from rocscope.record import record
from rocscope.tally.columns import EXACT, finite, flat, is_frame_column, is_missing, missing, null_flags, single_column
from rocscope.tally.decimal_grid import PROBES, probes
from rocscope.tally.packed_keys import blocks

Coded = tuple[Array, list[Any]]

NO_LABELS = (Decimal, datetime, timedelta, time, bytes, tuple, np.datetime64, np.timedelta64)
"""Types of labels that are refused: decimals, points and lengths of time, and bytes."""

MOST_COUNTED = 200_000
"""The maximum number of distinct objects that are counted, so that memory stays bounded."""

FEW = 16
"""Up to this many candidates are compared with the whole column one by one; more are looked up."""

SHORT = 4096
"""This many rows usually contain every class, and this many labels can be processed quickly one by one."""


def labels_of(values: Any, name: str) -> Array | list[Any] | Coded:
    """A numeric or text array, a list of other objects, or codes with categories."""
    if type(values) is np.ndarray:
        return flat(values, name)
    if isinstance(values, list | tuple):
        return _labels_of_list(values, name)
    coded = dictionary_of(values, name)
    if coded is not None:
        return coded
    if _is_plain_iterable(values):
        return _labels_of_list(list(values), name)
    return flat(values, name)


def _is_plain_iterable(values: Any) -> bool:
    refused = isinstance(values, str | bytes | dict | set | frozenset)
    return isinstance(values, Iterable) and not refused and not hasattr(values, "__array__")


def _labels_of_list(values: Sequence[Any], name: str) -> Array | list[Any]:
    # NumPy would convert [1, "1"] to text, so check the types before it sees the list.
    types = set(map(type, values))
    if all(issubclass(kind, int | float | np.number | np.bool_) for kind in types):
        return flat(values, name)
    if any(issubclass(kind, list | tuple | np.ndarray) for kind in types):
        try:
            array = np.asarray(values)
        except ValueError:
            problem = f"{name} contains lists of different lengths"
            raise RocscopeError(problem, hint="Give one label for each case") from None
        return flat(array, name)
    return list(values)


def coded(column: Array | list[Any] | Coded, name: str, limit: int) -> tuple[Array, list[Any]]:
    """Codes 0 .. k-1 and the k labels that occur, in order; missing, mixed, continuous ones are refused."""
    if isinstance(column, tuple):
        codes, labels = column
    elif isinstance(column, list):
        codes, labels = _numbered(column, name)
    else:
        codes, labels = _of_array(column, name, limit)
    return _settled(codes, labels, name, limit)


def _of_array(column: Array, name: str, limit: int) -> Coded:
    kind = column.dtype.kind
    if kind in "biu":
        return _of_integers(column, name, limit)
    if kind == "f":
        return _of_floats(column, name, limit)
    if kind in "US":
        return _of_text(column, name)
    if kind == "O":
        return _of_objects(column, name)
    if kind == "T":
        return _numbered(column.tolist(), name)
    raise no_label_type(str(column.dtype), name)


# ---- checking and ordering labels ----


def _settled(codes: Array, values: list[Any], name: str, limit: int) -> tuple[Array, list[Any]]:
    """Codes and labels with unused ones left out, equal ones made one, the rest in order and checked."""
    used = _present(codes, len(values))
    if len(used) > max(limit, SHORT):
        raise too_many(len(used), name)
    labels = [plain(values[i]) for i in used]
    lost = [i for i, label in zip(used, labels, strict=True) if is_missing(label)]
    if lost:
        missing(np.isin(codes, lost), name)
    if not all(isinstance(label, Hashable) for label in labels):
        raise RocscopeError(f"{name} contains a list or an array", hint="Give one label for each case")
    distinct = list(dict.fromkeys(labels))
    if len(distinct) > limit:
        raise too_many(len(distinct), name)
    present = in_order(distinct, name, lambda: _by_appearance(codes, values))
    position = {label: i for i, label in enumerate(present)}
    positions = np.zeros(len(values), dtype=code_type(len(present)))
    positions[used] = [position[label] for label in labels]
    return looked_up(codes, positions), present


def _present(codes: Array, classes: int) -> list[int]:
    """Which of the codes occur; a look at the first rows mostly answers it."""
    counts = np.bincount(codes[:SHORT], minlength=classes)
    if np.count_nonzero(counts) < classes and len(codes) > SHORT:
        counts = np.bincount(codes, minlength=classes)
    return np.flatnonzero(counts).tolist()


def in_order(distinct: list[Any], name: str, otherwise: Callable[[], list[Any]] | None = None) -> list[Any]:
    """The labels in sorted order, or as `otherwise` orders them if they cannot be sorted; mixed or continuous labels
    are refused.
    """
    kinds = {kind_of(label): label for label in distinct}
    if len(kinds) > 1:
        shown = " and ".join(f"{kind} ({label!r})" for kind, label in sorted(kinds.items()))
        raise RocscopeError(f"{name} mixes types: {shown}", hint="Use a single type for all labels")
    broken = next((label for label in distinct if isinstance(label, float) and not label.is_integer()), None)
    if broken is not None:
        raise continuous(f"{broken}", name)
    try:
        return sorted(distinct)
    except TypeError:
        return distinct if otherwise is None else otherwise()


def check_label_types(labels: Iterable[Any], name: str) -> None:
    """Refuse labels of a type that is measured rather than counted, or that no file of text can hold.

    >>> check_label_types(["no", 1, True], "label")
    """
    odd = next((label for label in labels if isinstance(label, NO_LABELS)), None)
    if odd is not None:
        raise no_label_type(type(odd).__name__, name)


def no_label_type(kind: str, name: str) -> RocscopeError:
    """The error for labels of an unsupported type, such as "Decimal"."""
    hint = "Convert the column to text, integers or booleans first"
    return RocscopeError(f"{name} contains values of type {kind}; expected numbers, text or booleans", hint=hint)


def _by_appearance(codes: Array, values: list[Any]) -> list[Any]:
    _, first = np.unique(codes, return_index=True)
    return list(dict.fromkeys(values[codes[row]] for row in np.sort(first)))


def kind_of(label: Any) -> str:
    """What must not be mixed: numbers (booleans are 0 and 1), text, or the name of another type."""
    if isinstance(label, int | float | np.number | np.bool_):
        return "numbers"
    return "text" if isinstance(label, str) else type(label).__name__


def looked_up(codes: Array, positions: Array) -> Array:
    """places[codes], without the work when it changes nothing."""
    if np.array_equal(positions, np.arange(len(positions))):
        return codes.astype(positions.dtype, copy=False)
    return positions[codes]


def code_type(classes: int) -> np.dtype[Any]:
    """The smallest type that numbers so many classes."""
    return np.dtype(np.uint8 if classes <= 2**8 else np.uint16 if classes <= 2**16 else np.int32)


def too_many(classes: int, name: str, more: str = "") -> RocscopeError:
    """The refusal of a column with so many classes."""
    hint = "It may be an id column; choose the label column"
    return RocscopeError(f"{name} column has {more}{classes} classes", hint=hint)


def continuous(value: str, name: str) -> RocscopeError:
    """The refusal of numbers with a fraction as classes."""
    hint = "It may be the score column; otherwise group the values into classes first"
    return RocscopeError(f"{name} holds {value}, a continuous value, but classes are expected", hint=hint)


# ---- numbers ----


def _of_integers(column: Array, name: str, limit: int) -> Coded:
    low, high = int(column.min()), int(column.max())
    size = high - low + 1
    if size <= 1024:
        labels = [bool(v) for v in range(low, high + 1)] if column.dtype.kind == "b" else range(low, high + 1)
        return _shifted(column, low, size), list(labels)
    if size <= len(column):
        codes = _shifted(column, low, size)
        used = np.flatnonzero(np.bincount(codes, minlength=size))
        _bounded(len(used), name, limit)
        positions = np.zeros(size, dtype=code_type(len(used)))
        positions[used] = np.arange(len(used))
        return positions[codes], [low + code for code in used.tolist()]
    return _of_sorted(column, name, limit)


def _of_sorted(column: Array, name: str, limit: int) -> Coded:
    distinct = np.unique(column)
    _bounded(len(distinct), name, limit)
    return np.searchsorted(distinct, column), distinct.tolist()


def _bounded(classes: int, name: str, limit: int) -> None:
    if classes > limit:
        raise too_many(classes, name)


def _shifted(column: Array, low: int, size: int) -> Array:
    """The column minus `low` in the smallest type: its low bytes suffice, so nothing overflows on the way."""
    small = code_type(size)
    if low == 0 or column.dtype.itemsize < small.itemsize:
        codes = column.astype(np.int64 if low else small)
        return (codes - low).astype(small) if low else codes
    codes = column.astype(small)
    codes -= np.asarray(low % (1 << (8 * small.itemsize)), dtype=np.uint64).astype(small)
    return codes


def _of_floats(column: Array, name: str, limit: int) -> Coded:
    finite(column, name)
    whole = np.rint(column)
    odd = whole != column
    if odd.any():
        row = int(odd.argmax())
        raise continuous(f"{column[row]} (row {row})", name)
    if float(abs(whole).max()) < EXACT:
        codes, labels = _of_integers(whole.astype(np.int64), name, limit)
        return codes, [float(label) for label in labels]
    return _of_sorted(column, name, limit)


# ---- text and objects ----


def _of_text(column: Array, name: str) -> Coded:
    """Fixed-width text: a few candidates compared with the whole column beat any hashing of it."""
    keys = _keys_of_text(column) if len(column) > PROBES else None
    values = column if keys is None else keys
    few = np.unique(values[_sample(len(values))])
    codes = _compared(values, few) if len(few) <= FEW else None
    if codes is None and keys is None:
        return _numbered(column.tolist(), name)
    if codes is None:
        few = np.unique(values)
        codes = np.searchsorted(few, values)
    return codes, (few if keys is None else _text_of_keys(few, column.dtype)).tolist()


def _keys_of_text(column: Array) -> Array | None:
    """Short text as one number a row, in the same order: each character a byte. None where it has wider ones."""
    letter = np.dtype(np.uint32 if column.dtype.kind == "U" else np.uint8)
    width = column.dtype.itemsize // letter.itemsize
    if not 0 < width <= 8 or not column.dtype.isnative:
        return None
    letters = np.ascontiguousarray(column).view(letter).reshape(-1, width)
    keys = np.empty(len(column), dtype=np.uint64)
    for rows in blocks(len(column)):
        part, key = letters[rows], keys[rows]
        if part.max() > 255:
            return None
        key[:] = part[:, 0]
        for index in range(1, width):
            key <<= np.uint64(8)
            key |= part[:, index]
    return keys


def _text_of_keys(keys: Array, dtype: np.dtype[Any]) -> Array:
    letter = np.uint32 if dtype.kind == "U" else np.uint8
    width = dtype.itemsize // np.dtype(letter).itemsize
    shifts = np.arange(8 * (width - 1), -1, -8, dtype=np.uint64)
    letters = keys[:, None] >> shifts & np.uint64(255)
    return letters.astype(letter).view(dtype).ravel()


def _of_objects(column: Array, name: str) -> Coded:
    """Objects: rows that hold the very same object need it looked at once, so addresses are compared."""
    column = np.ascontiguousarray(column)
    try:
        addresses = np.frombuffer(column, dtype=np.intp)
    except (TypeError, ValueError):  # object arrays do not support this view here
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
    """For each row the place of its value among the sorted candidates; None if some row has another."""
    if len(candidates) > FEW:
        codes = np.searchsorted(candidates, column)
        np.minimum(codes, len(candidates) - 1, out=codes)
        return codes if np.array_equal(candidates[codes], column) else None
    codes, matched = np.zeros(len(column), dtype=np.uint8), 0
    for index, candidate in enumerate(candidates):
        same = column == candidate
        matched += int(np.count_nonzero(same))
        if index:
            codes |= same.view(np.uint8) * np.uint8(index)
    return codes if matched == len(column) else None


class _Numbers(dict[Any, int]):
    """Numbers keys as they appear; everything missing is one key, and keys are collected up to a limit."""

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
        raise too_many(MOST_COUNTED, name, "more than ") from None
    except TypeError as error:
        hint = "Several labels for each case: give a matrix of 0 and 1, one column for each label"
        raise RocscopeError(f"{name} contains values that cannot be labels ({error})", hint=hint) from error
    return codes, list(numbers)


def _numbered_with(numbers: _Numbers, values: list[Any]) -> Array:
    try:
        return np.frombuffer(bytes(map(numbers.__getitem__, values)), dtype=np.uint8)
    except ValueError:  # more than 256 classes
        return np.fromiter(map(numbers.__getitem__, values), dtype=np.int32, count=len(values))


# ---- dictionary-encoded columns: pandas categories, Arrow dictionaries, encoded text ----
# Codes and categories without a Python object per row; categories may be unused or repeated. A column is recognized
# by its methods, so nothing is imported: its library is already loaded.


@record(slots=True, eq=False)
class Dictionary:
    """A column of labels as file readers provide it: codes into the distinct labels, negative where there is none."""

    codes: Array
    labels: Sequence[Any]

    def __len__(self) -> int:
        return len(self.codes)


def dictionary_of(values: Any, name: str) -> Coded | None:
    """Codes and categories of a frame column of text or categories, or None when it is not one."""
    if isinstance(values, Dictionary) and len(values):
        if values.codes.min() < 0:
            missing(values.codes < 0, name)
        return values.codes, list(values.labels)
    if not is_frame_column(values):
        return None
    column = single_column(values, name)
    if not len(column):
        return None
    if hasattr(column, "dictionary_encode"):
        return _of_arrow(column, name)
    if hasattr(column, "to_physical"):
        return _of_polars(column, name)
    dtype = getattr(column, "dtype", None)
    if hasattr(column, "factorize") and not isinstance(dtype, np.dtype) and getattr(dtype, "kind", "") == "O":
        return _of_pandas(column, name)
    return None


def _of_pandas(column: Any, name: str) -> Coded:
    categorical = getattr(column, "cat", column)
    if hasattr(categorical, "categories"):
        codes, categories = np.asarray(categorical.codes), categorical.categories
    else:
        codes, categories = column.factorize()
    missing(codes < 0, name)
    return codes, categories.tolist()


def _of_arrow(column: Any, name: str) -> Coded | None:
    kind = str(column.type)
    if not kind.startswith(("dictionary", "string", "large_string", "utf8", "large_utf8")):
        return None
    flags = null_flags(column)
    if flags is not None:
        missing(flags, name)
    if kind.startswith("string_view"):
        column = column.cast("string")
    if not kind.startswith("dictionary"):
        column = column.dictionary_encode()
    if hasattr(column, "unify_dictionaries"):
        column = column.unify_dictionaries().combine_chunks()
    return column.indices.to_numpy(zero_copy_only=False), column.dictionary.to_pylist()


def _of_polars(column: Any, name: str) -> Coded | None:
    kind = str(column.dtype)
    if not kind.startswith(("String", "Categorical", "Enum")):
        return None
    flags = null_flags(column)
    if flags is not None:
        missing(flags, name)
    if kind == "String":
        column = column.cast(sys.modules["polars"].Enum(column.unique()))
    distinct = column.unique()
    physical = distinct.to_physical().to_numpy()
    position = np.zeros(int(physical.max()) + 1, dtype=np.int64)
    position[physical] = np.arange(len(physical))
    return position[column.to_physical().to_numpy()], distinct.to_list()
