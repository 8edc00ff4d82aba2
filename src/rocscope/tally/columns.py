"""Columns in: whatever holds one value per row becomes a plain 1-D array, or is refused with the reason.

No frame library is imported here: a pandas, polars, pyarrow or narwhals column is known by the methods it
has.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import Any

import numpy as np

from rocscope.errors import RocscopeError
from rocscope.numbers import Array

EXACT = 2**53
"""Integers up to this size are exact in float64; beyond it, two of them can become equal."""

FEW = 1024
"""With this few rows, a flag for each costs less than the precautions that a sum needs."""

DROP = "Drop or fill those rows first"
INFINITE = (
    "Replace an infinite score by a number beyond all others, larger for inf and smaller for -inf; the ranking stays "
    "the same. Weights must be finite"
)


def numeric(values: Any, name: str = "score") -> Array:
    """The scores as a 1-D array in native byte order, every one of them finite.

    float32, float64 and whole numbers keep their type, because ties depend on the given type; float16
    becomes float32, bool becomes uint8, and a wider float must fit in float64 without loss. The rows are taken
    by position. An array that needs no change is returned as it is, not copied; nothing here ever writes into
    it.

    >>> numeric([3, 1, 2]), numeric([0.5, 0.25]).dtype
    (array([3, 1, 2]), dtype('float64'))
    """
    array = flat(values, name)
    kind = array.dtype.kind
    if kind == "f":
        return finite(_float(array, name), name)
    if kind in "iu":
        return native(array)
    if kind == "b":
        return array.astype(np.uint8)
    raise _not_numbers(array, name)


def check_magnitude(name: str, low: float, high: float, *, whole: bool) -> None:
    """Refuse whole numbers of 2^53 or more: ids and time stamps that floats, cells and JSON cannot tell apart.

    `low` and `high` are the smallest and largest values of a column; `whole` is True if all of its values are integers.
    A column with fractions consists of floats, which are accepted however large they are.
    """
    largest = max(abs(low), abs(high))
    if whole and largest >= EXACT:
        raise RocscopeError(
            f"{name} contains integers of 2^53 or more (as large as {float(largest):.3g}), "
            "where 64-bit floats cannot distinguish neighboring values",
            hint="Subtract a constant or divide first; for timestamps in nanoseconds, use seconds since the first row",
        )


def has_fractions(values: Array) -> bool:
    """Whether some value is not a whole number."""
    if values.dtype.kind != "f" or not len(values):
        return False
    return bool(values[0] % 1) or bool((np.floor(values) != values).any())


def weights_of(values: Any, n: int, name: str = "weight") -> Array:
    """The weights of n rows, none negative and not all zero: int64 for integer types, otherwise float64.

    Integers beyond int64 are returned as Python integers in an object array, so that sums stay exact. Floats whose
    largest is beyond 1e±60 are refused, so that sums, squares and products of the others neither overflow nor vanish.

    >>> weights_of([1, 2, 3], 3), weights_of([0.5, 1.0], 2)
    (array([1, 2, 3]), array([0.5, 1. ]))
    """
    array = flat(values, name)
    if array.dtype.kind == "O":
        array = _whole_objects(array, name)
    if len(array) != n:
        raise RocscopeError(f"{name} has {len(array)} rows, but there are {n} cases", hint="Give one weight per case")
    if array.dtype.kind in "biu":
        array = _signed(array)
    elif array.dtype.kind == "f":
        array = finite(np.asarray(array, dtype=np.float64), name)
    elif array.dtype.kind != "O":
        raise _not_numbers(array, name)
    if array.min() < 0:
        row = int(np.argmax(array < 0))
        raise RocscopeError(
            f"{name} must be 0 or more, but it is negative at row {row} ({array[row]})",
            hint="Weights must be counts or shares of 0 or more",
        )
    if not array.max() > 0:
        raise RocscopeError(f"{name} is zero in all {n} rows", hint="At least one row needs a positive weight")
    if array.dtype.kind == "f":
        refuse_extreme(float(array.max()), name)
    return array


def refuse_extreme(heaviest: float, name: str = "weight") -> None:
    """Refuse float weights whose largest lies beyond 1e±60: a product of four sums of them would not stay finite."""
    if not 1e-60 <= heaviest <= 1e60:
        raise RocscopeError(
            f"the largest {name} must be between 1e-60 and 1e60, not {heaviest:g}",
            hint="Rescale: divide all of them by the same number; only the totals change",
        )


def squared(weights: Array) -> Array:
    """Each weight squared, whole numbers exactly (as Python integers where int64 could overflow).

    >>> squared(np.array([3, 2**40])).tolist()
    [9, 1208925819614629174706176]
    """
    if weights.dtype.kind in "iu" and int(weights.max(initial=0)) >= 2**31:
        weights = weights.astype(object)
    return weights * weights


# ---- a column from any container ----


def column(values: Any, name: str = "column") -> Any:
    """The column as something that can be read twice: an iterator is collected, anything else is unchanged.

    >>> column(label for label in "ab")
    ['a', 'b']
    """
    if hasattr(values, "__next__"):
        values = list(values)
        if not values:
            raise RocscopeError(f"{name} has no rows")
    return values


def flat(values: Any, name: str) -> Array:
    """One value per row as a 1-D array of any type; missing values, tables and single values are refused."""
    array = values if type(values) is np.ndarray else _array(values, name)
    if array.ndim != 1:
        array = _one_column(array, name)
    if array.size == 0:
        raise RocscopeError(f"{name} has no rows")
    return array


def missing(flags: Any, name: str) -> None:
    """Refuse when any row is flagged as missing, with the count and the first row."""
    where = np.flatnonzero(flags)
    if where.size:
        plural = "value" if where.size == 1 else "values"
        raise RocscopeError(f"{name} has {where.size} missing {plural} (first at row {where[0]})", hint=DROP)


def finite(array: Array, name: str) -> Array:
    """The float array itself when all of it is finite; else the refusal names what, how many, where first."""
    if all_finite(array):
        return array
    lost = np.isnan(array)
    if lost.any():
        values = "1 NaN value" if np.count_nonzero(lost) == 1 else f"{np.count_nonzero(lost)} NaN values"
        raise RocscopeError(f"{name} has {values} (first at row {int(lost.argmax())})", hint=DROP)
    wide = np.flatnonzero(np.isinf(array))
    plural = "value" if wide.size == 1 else "values"
    raise RocscopeError(
        f"{name} has {wide.size} infinite {plural} (first at row {wide[0]}: {array[wide[0]]})",
        hint=INFINITE,
    )


def all_finite(array: Array) -> bool:
    """Whether every float of the array is finite; usually its sum shows this, without a flag for each.

    >>> all_finite(np.array([1.0, 2.0])), all_finite(np.array([1.0, np.nan])), all_finite(np.array([1e308, 1e308]))
    (True, False, True)
    """
    if array.size < FEW:
        return bool(np.isfinite(array).all())
    with np.errstate(all="ignore"):
        total = np.add.reduce(array, axis=None)
    return bool(np.isfinite(total)) or np.count_nonzero(np.isfinite(array)) == array.size


def native(array: Array) -> Array:
    """The array in the machine's own byte order."""
    return array if array.dtype.isnative else array.astype(array.dtype.newbyteorder("="))


def _array(values: Any, name: str) -> Array:
    # importing numpy.ma takes as long as importing this whole package, so check only if it is already loaded
    if "numpy.ma" in sys.modules and isinstance(values, np.ma.MaskedArray):
        missing(np.ma.getmaskarray(values).ravel(), name)
        return np.asarray(values.data)
    if isinstance(values, np.ndarray):
        return np.asarray(values)
    if isinstance(values, list | tuple):
        return _from_list(values, name)
    if isinstance(values, str | bytes | dict | set | frozenset):
        raise RocscopeError(f"{name} is a {type(values).__name__}; expected one value per row, in order")
    if is_frame_column(values):
        return _from_frame(values, name)
    if is_tensor(values):
        return tensor_array(values)
    if hasattr(values, "tocoo") and hasattr(values, "toarray"):
        return np.asarray(values.toarray())
    if hasattr(values, "__array__") or hasattr(values, "__array_interface__") or not isinstance(values, Iterable):
        return np.asarray(values)
    try:
        return np.asarray(memoryview(values))  # type: ignore[arg-type]
    except TypeError:
        return _from_list(list(values), name)


def is_tensor(values: Any) -> bool:
    """Whether the object is a PyTorch tensor, on any device and with or without gradients."""
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(values, torch.Tensor)


def tensor_array(values: Any) -> Array:
    """A tensor as an array, off its device and out of the graph; floats that NumPy lacks (bfloat16) become float32."""
    plain = values.detach().cpu()
    if plain.is_sparse or plain.is_quantized:
        plain = plain.to_dense() if plain.is_sparse else plain.dequantize()
    try:
        return np.asarray(plain.resolve_conj().resolve_neg().numpy())
    except TypeError:
        return np.asarray((plain.cfloat() if plain.is_complex() else plain.float()).numpy())


def _one_column(array: Array, name: str) -> Array:
    if array.ndim == 0:
        raise RocscopeError(f"{name} is a single value; expected one value per row")
    if array.ndim == 2 and array.shape[1] == 1:
        return array[:, 0]
    if array.size == 0:
        raise RocscopeError(f"{name} has no rows")
    if array.ndim == 2 and array.shape[0] > 1:
        hint = f"Choose a column, such as {name}[:, 1]" if name.isidentifier() else "Choose a column"
        raise RocscopeError(f"{name} has {array.shape[1]} columns; expected one", hint=hint)
    raise RocscopeError(
        f"{name} has shape {array.shape}; expected one value per row", hint="Choose a column or flatten it"
    )


def _from_list(values: list[Any] | tuple[Any, ...], name: str) -> Array:
    try:
        array = np.asarray(values)
    except ValueError as error:
        raise RocscopeError(f"{name} has rows of different lengths; expected one value per row") from error
    except OverflowError:
        array = np.asarray(values, dtype=object)
    if array.dtype.kind == "f" and array.ndim == 1 and array.size and abs(array).max() >= EXACT:
        return _large_integers(values, array, name)
    return array


def _large_integers(values: list[Any] | tuple[Any, ...], array: Array, name: str) -> Array:
    # NumPy converts [2**63, 1] and [2**60 + 1, 0.5] to floats, which can make different integers equal.
    whole = [isinstance(value, int | np.integer) for value in values]
    if not any(w and int(v) != f for w, v, f in zip(whole, values, array.tolist(), strict=True)):
        return array
    low, high = min(values), max(values)
    if all(whole) and low >= 0 and high < 2**64:
        return np.asarray(values, dtype=np.uint64)
    raise RocscopeError(
        f"{name} mixes integers beyond 2^53 with other numbers, and no number type can represent all of them exactly"
    )


# ---- columns of data frames ----


def is_frame_column(values: Any) -> bool:
    """Whether the object is a column (or a table) of pandas, polars, pyarrow, narwhals or a look-alike."""
    return hasattr(values, "to_numpy") or hasattr(values, "to_native") or hasattr(values, "column_names")


def single_column(values: Any, name: str) -> Any:
    """The column itself, or the only column of a table; narwhals wrappers are removed."""
    if hasattr(values, "to_native"):
        values = values.to_native()
    shape: tuple[int, ...] = getattr(values, "shape", ())
    if len(shape) != 2:
        return values
    if shape[1] != 1:
        raise RocscopeError(f"{name} has {shape[1]} columns; expected one", hint="Choose a column")
    if hasattr(values, "iloc"):
        return values.iloc[:, 0]
    return values.column(0) if hasattr(values, "column_names") else values.to_series(0)


def null_flags(column: Any) -> Array | None:
    """Which rows of a frame column are null, or None if there are none; a plain NaN does not count as null."""
    count = getattr(column, "null_count", None)
    if count is not None:
        return np.asarray(column.is_null()) if (count() if callable(count) else count) else None
    if isinstance(getattr(column, "dtype", None), np.dtype) or not hasattr(column, "isna"):
        return None
    flags = np.asarray(column.isna())
    return flags if flags.any() else None


def _from_frame(values: Any, name: str) -> Array:
    column = single_column(values, name)
    if hasattr(column, "dictionary_decode"):
        column = column.dictionary_decode()
    flags = null_flags(column)
    if flags is not None and not _plain_float(column):
        missing(flags, name)
    if hasattr(column, "to_numpy"):
        return np.asarray(_to_numpy(column))
    return np.asarray(column)


def _plain_float(column: Any) -> bool:
    # A sparse pandas float column reports NaN as missing; treat it as NaN, as in a dense column.
    return str(getattr(column, "dtype", "")).startswith("Sparse[float")


def _to_numpy(column: Any) -> Any:
    try:
        return column.to_numpy(zero_copy_only=False)  # pyarrow
    except TypeError:
        return column.to_numpy()


# ---- types ----


def _float(array: Array, name: str) -> Array:
    size = array.dtype.itemsize
    if size == 2:
        return array.astype(np.float32)
    if size <= 8:
        return native(array)
    with np.errstate(over="ignore", under="ignore"):
        narrow = array.astype(np.float64)
    if np.count_nonzero((narrow == array) | np.isnan(array)) != array.size:
        raise RocscopeError(
            f"{name} of type {array.dtype} cannot be converted to float64 without loss", hint="Round it yourself first"
        )
    return narrow


def _signed(array: Array) -> Array:
    if array.dtype.kind == "u" and array.dtype.itemsize == 8 and int(array.max()) >= 2**63:
        return array.astype(object)
    return np.asarray(array, dtype=np.int64)


def _whole_objects(array: Array, name: str) -> Array:
    """An object array of Python integers alone, as int64 where they fit; other objects are refused."""
    if not all(isinstance(value, int | np.integer) for value in array.tolist()):
        raise _not_numbers(array, name)
    low, high = min(array.tolist()), max(array.tolist())
    return array.astype(np.int64) if low >= -(2**63) and high < 2**63 else array


def _not_numbers(array: Array, name: str) -> RocscopeError:
    """The refusal of a column that is not of numbers; missing objects are named before the type is."""
    kind = array.dtype.kind
    if kind == "O":
        missing([is_missing(value) for value in array.tolist()], name)
        types = sorted({type(value).__name__ for value in array.tolist()})
        what = f"contains objects ({', '.join(types[:4])})"
    else:
        words = {
            "c": "complex numbers",
            "M": "dates",
            "m": "time differences",
            "U": "text",
            "S": "bytes",
            "T": "text",
        }
        what = f"contains {words.get(kind, f'values of type {array.dtype}')}"
    return RocscopeError(f"{name} {what}; expected numbers", hint="Convert it to float or int first")


def is_missing(value: Any) -> bool:
    """Whether an object represents a missing value: None, NaN, NaT, pandas.NA.

    >>> [is_missing(value) for value in (None, float("nan"), 0, "")]
    [True, True, False, False]
    """
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    try:
        return bool(value != value)
    except (TypeError, ValueError, ArithmeticError):  # arrays as values; a signaling Decimal
        return False
