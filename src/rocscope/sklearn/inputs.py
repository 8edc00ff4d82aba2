"""Data in: the one place where columns, matrices and weights are read as scikit-learn reads them.

The common cases go straight to the tally, which codes labels and masks positives faster than anything else here could.
What the tally refuses is looked at again in scikit-learn's terms: either it is refused in scikit-learn's words, or it
is one of the rare kinds (dates, label matrices, sparse ones) that only the drop-in takes.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from rocscope import tally
from rocscope.errors import RocscopeError
from rocscope.numbers import Array, plain
from rocscope.tally import all_finite as finite
from rocscope.tally import is_frame_column, null_flags, single_column

MULTILABEL = "multilabel-indicator"
ANY = 2**62
"""Any number of classes."""


LOOK = 4096
"""The number of rows that are inspected first to see which classes occur."""


class LabelPair(NamedTuple):
    """Two columns of labels read together: codes that count through `classes`, or boolean label matrices.

    `kind` is "binary", "multiclass" or "multilabel-indicator"; `weights` are int64, float64 or None.
    """

    kind: str
    truth: Any
    guess: Any
    classes: tuple[Any, ...]
    weights: Array | None

    @property
    def rows(self) -> int:
        """The number of rows."""
        return int(self.truth.shape[0])


def pair(y_true: Any, y_pred: Any, sample_weight: Any = None, *, counted: bool = False) -> LabelPair:
    """Actual and predicted labels, checked. `counted`: the refusal of lengths speaks of weights even without any."""
    truth, guess = column(y_true), column(y_pred)
    same_length(truth, guess, truth if counted and sample_weight is None else sample_weight)
    labelled = _coded(truth, guess)
    if labelled is None:
        labelled = _looked_at(truth, guess)
    kind, truth, guess, classes = labelled
    return LabelPair(kind, truth, guess, classes, weights_of(sample_weight, truth.shape[0]))


def _coded(truth: Any, guess: Any) -> tuple[str, Any, Any, tuple[Any, ...]] | None:
    if not (_is_plain(truth) and _is_plain(guess)):
        return None
    labelled = _small_numbers(truth, guess)
    if labelled is None:
        try:
            labelled = tally.factorize_two(truth, guess, limit=ANY)
        except RocscopeError:
            return None
    codes, guesses, classes = labelled
    return "binary" if len(classes) <= 2 else "multiclass", codes, guesses, classes


def _small_numbers(truth: Any, guess: Any) -> tuple[Array, Array, tuple[int, ...]] | None:
    """Codes of whole numbers that fill a small range, as class numbers do; None for anything else."""
    if not all(type(values) is np.ndarray and values.dtype.kind in "iu" and values.size for values in (truth, guess)):
        return None
    high = max(_top(truth), _top(guess))
    if high >= 256:
        return None
    # the first rows usually contain every class; otherwise the tally examines all rows
    look = np.concatenate([values[:LOOK].astype(np.uint8) for values in (truth, guess)])
    seen = np.bincount(look, minlength=high + 1)
    low = int(np.argmax(seen > 0))
    if not seen[low:].all() or (low and min(truth.min(), guess.min()) < low):
        return None
    codes, guesses = (values.astype(np.uint8) - np.uint8(low) if low else _signed(values) for values in (truth, guess))
    return codes, guesses, tuple(range(low, high + 1))


def _top(values: Array) -> int:
    """The greatest of whole numbers, or something beyond any class number where one is negative: in one pass."""
    if not values.dtype.isnative:
        return ANY
    bits = values.view(f"u{values.dtype.itemsize}")
    top = int(bits.max())
    return top if top <= np.iinfo(values.dtype).max else ANY


def _signed(values: Array) -> Array:
    """Small numbers from 0 on are codes already, and not copied; but NumPy counts no unsigned ones of 64 bits."""
    return values.view(np.int64) if values.dtype == np.uint64 else values


def _looked_at(truth: Any, guess: Any) -> tuple[str, Any, Any, tuple[Any, ...]]:
    kinds = {target_kind(truth, "y_true"): None, target_kind(guess, "y_pred"): None}
    if not truth.shape[0]:
        raise ValueError(
            "Found empty input array (e.g., `y_true` or `y_pred`) while a minimum of 1 sample is required."
        )
    if len(kinds) == 2 and set(kinds) != {"binary", "multiclass"}:
        first, second = kinds
        raise ValueError(f"Classification metrics can't handle a mix of {first} and {second} targets")
    kind = next(iter(kinds))
    if kind == MULTILABEL:
        return kind, *_indicators(truth, guess)
    if kind not in ("binary", "multiclass"):
        raise ValueError(f"{kind} is not supported")
    return _of_any_type(one_column(truth), one_column(guess))


def _of_any_type(truth: Array, guess: Array) -> tuple[str, Any, Any, tuple[Any, ...]]:
    """Labels that the tally does not take, such as dates: sorted and looked up."""
    ours, theirs = np.unique(truth), np.unique(guess)
    if (ours.dtype.kind in "OUT") != (theirs.dtype.kind in "OUT"):
        raise ValueError(f"Mix of label input types (string and number); Got {ours} and {theirs}.")
    both = np.union1d(ours, theirs)
    kind = "binary" if len(both) <= 2 else "multiclass"
    return kind, np.searchsorted(both, truth), np.searchsorted(both, guess), tuple(both.tolist())


def _indicators(truth: Any, guess: Any) -> tuple[Any, Any, tuple[int, ...]]:
    if truth.shape[1] != guess.shape[1]:
        raise ValueError("Multi-label binary indicator input with different numbers of labels")
    labels = tuple(range(truth.shape[1]))
    if not (is_sparse(truth) or is_sparse(guess)):
        return truth != 0, guess != 0, labels
    return _sparse_flags(truth), _sparse_flags(guess), labels


def _sparse_flags(matrix: Any) -> Any:
    from scipy import sparse

    return sparse.csr_array(matrix).astype(bool)


# ---- single columns ----


def is_sparse(values: Any) -> bool:
    """Whether it is a SciPy sparse matrix or array."""
    return hasattr(values, "tocsr") and hasattr(values, "nnz")


def column(values: Any) -> Any:
    """The values as a NumPy array (flat if there is one column), a sparse matrix, or a text column of a frame."""
    if type(values) is not np.ndarray:
        if is_sparse(values):
            return values
        if is_frame_column(values):
            return _frame_column(values)
        values = _of_sequence(values)
    if values.ndim == 2 and values.shape[1] == 1:
        return values.reshape(-1)
    return values


def _of_sequence(values: Any) -> Array:
    if isinstance(values, np.matrix):
        raise TypeError(
            "np.matrix is not supported. Please convert to a numpy array with np.asarray. For more information see: "
            "https://numpy.org/doc/stable/reference/generated/numpy.matrix.html"
        )
    array = np.asarray(values)
    if not array.ndim:  # a set or a dictionary has no ordered rows
        raise ValueError(f"Expected array-like (array or non-string sequence), got {values!r}")
    return array


def _frame_column(values: Any) -> Any:
    shape: tuple[int, ...] = getattr(values, "shape", ())
    if len(shape) == 2 and shape[1] != 1:
        return np.asarray(values)
    only = single_column(values, "y")
    if _is_text_column(only):
        return only
    if hasattr(only, "sparse") and hasattr(only, "iloc") and "Sparse" in type(only.dtype).__name__:
        raise ValueError("y cannot be class 'SparseSeries' or 'SparseArray'")
    flags = null_flags(only)
    if flags is not None and hasattr(only, "astype") and not hasattr(only, "to_physical"):
        return np.asarray(only.astype("float64")) if _is_number_column(only) else np.asarray(only)
    if not hasattr(only, "to_numpy"):
        return np.asarray(only)
    if hasattr(only, "null_count") and hasattr(only, "type"):
        return only.to_numpy(zero_copy_only=False)
    array = np.asarray(only.to_numpy())
    return np.asarray(array.tolist()) if array.dtype.kind == "O" and _is_number_column(only) else array


def _is_text_column(only: Any) -> bool:
    """A column of text or categories, whose library encodes it without an object per row."""
    name = str(getattr(only, "dtype", getattr(only, "type", ""))).lower()
    return len(only) > 0 and name.startswith(("str", "categor", "enum", "dictionary", "large_string", "utf8"))


def _is_number_column(only: Any) -> bool:
    return str(getattr(only, "dtype", "")).lower().startswith(("int", "uint", "float", "bool"))


def _is_plain(values: Any) -> bool:
    """Whether the tally may read it: one dimension, numbers or text."""
    if type(values) is not np.ndarray:
        return not is_sparse(values)
    if values.ndim != 1:
        return False
    kind = values.dtype.kind
    return kind in "biufUT" or (kind == "O" and values.size > 0 and isinstance(values[0], str))


def same_length(*columns: Any) -> None:
    """Refuse columns of different length; None is no column."""
    lengths = [_length(values) for values in columns if values is not None]
    if lengths.count(lengths[0]) != len(lengths):
        raise ValueError(f"Found input variables with inconsistent numbers of samples: {lengths}")


def _length(values: Any) -> int:
    shape = getattr(values, "shape", None)
    if shape is None:
        return len(values)
    if len(shape) == 0:
        raise TypeError(
            f"Input should have at least 1 dimension i.e. satisfy `len(x.shape) > 0`, got scalar `{values!r}` instead."
        )
    return int(shape[0])


def one_column(values: Any) -> Array:
    """The array with one value per row, or scikit-learn's refusal of any other shape."""
    if is_sparse(values):
        raise TypeError("Sparse input is only supported when targets are of multilabel type")
    array = np.asarray(values)
    if array.ndim == 1:
        return array
    if array.ndim == 2 and array.shape[1] == 1:
        return array.reshape(-1)
    raise ValueError(f"y should be a 1d array, got an array of shape {array.shape} instead.")


# ---- type of target ----


def target_kind(y: Any, name: str = "") -> str:
    """The kind of a target in scikit-learn's words: "binary", "multiclass", "multilabel-indicator", "continuous" ...

    >>> target_kind(np.array([0, 1, 1])), target_kind(np.array([[0, 1], [1, 1]])), target_kind(np.array([0.5, 1.0]))
    ('binary', 'multilabel-indicator', 'continuous')
    """
    if is_sparse(y):
        return _sparse_kind(y)
    array = np.asarray(y)
    kind = array.dtype.kind
    if kind == "c":
        raise ValueError(f"Complex data not supported\n{array}\n")
    if array.ndim > 2:
        raise ValueError(f"Found array with dim {array.ndim}, while dim <= 2 is required.")
    if kind == "S" or (kind == "O" and array.size and isinstance(array.flat[0], bytes)):
        raise TypeError(
            "Support for labels represented as bytes is not supported. "
            "Convert the labels to a string or integer format."
        )
    if array.ndim == 2 and array.shape[1] > 1 and kind in "biuf" and _is_indicator(array):
        return MULTILABEL
    if array.ndim == 0 or (array.ndim == 2 and array.shape[1] == 0):
        return "unknown"
    if kind == "O" and array.size and not isinstance(array.flat[0], str):
        return "unknown"
    several = "-multioutput" if array.ndim == 2 and array.shape[1] > 1 else ""
    if kind == "f" and _has_fractions(array):
        all_finite(array, name)
        return f"continuous{several}"
    return f"multiclass{several}" if several or more_than_two(array) else "binary"


def _sparse_kind(y: Any) -> str:
    if len(y.shape) != 2 or y.shape[1] < 2:
        return "unknown" if len(y.shape) != 2 else "binary"
    data = y.tocsr().data
    flags = data.size == 0 or (len(np.unique(data)) <= 1 + (y.nnz < y.shape[0] * y.shape[1]) or data.dtype.kind == "b")
    whole = data.dtype.kind in "biu" or not _has_fractions(data)
    return MULTILABEL if whole and (flags or len(np.unique(data)) <= 2) else "multiclass-multioutput"


def _is_indicator(array: Array) -> bool:
    if array.dtype.kind == "f" and _has_fractions(array):
        return False
    return array.size == 0 or not more_than_two(array)


def _has_fractions(array: Array) -> bool:
    """Whether any value is not a whole number; NaN and infinity are not."""
    return bool(np.count_nonzero(np.rint(array) != array) or np.isinf(array).any())


def more_than_two(array: Array) -> bool:
    """Whether there are more than two distinct values."""
    if array.dtype.kind not in "biuf":
        return len(np.unique(array)) > 2
    if array.size < 3:
        return False
    low, high = array.min(), array.max()
    if array.dtype.kind != "f" and int(high) - int(low) <= 1:
        return False
    return bool(np.count_nonzero(array == low) + np.count_nonzero(array == high) < array.size) if low != high else False


def all_finite(array: Array, name: str = "") -> Array:
    """The array itself, or the refusal of NaN and infinity."""
    if array.dtype.kind != "f" or finite(array):
        return array
    of = f"{name} " if name else ""
    what = "NaN" if np.isnan(array).any() else f"infinity or a value too large for {array.dtype!r}"
    raise ValueError(f"Input {of}contains {what}.")


# ---- weights ----


def weights_of(values: Any, n: int) -> Array | None:
    """The weights of n rows as int64 or float64, finite, none negative and not all zero; None stays None.

    scikit-learn computes with negative weights in most functions and refuses them in some; shares and areas are
    meaningless with negative weights, so all functions here refuse them. Whole numbers whose sum exceeds int64 become
    floats; scikit-learn's sums wrap around.
    """
    if values is None:
        return None
    array = values if type(values) is np.ndarray else np.asarray(values)
    if array.dtype.kind == "c":
        raise ValueError(f"Complex data not supported\n{array}\n")
    if array.dtype.kind not in "biuf":
        array = array.astype(np.float64)
    if array.ndim != 1:
        raise ValueError(
            f"Sample weights must be 1D array or scalar, got {array.ndim}D array. "
            f"Expected either a scalar value or a 1D array of length {n}."
        )
    if array.shape[0] != n:
        raise ValueError(f"sample_weight.shape == {array.shape}, expected {(n,)}!")
    all_finite(array, "sample_weight")
    if not array.any():
        raise ValueError("Sample weights must contain at least one non-zero number.")
    if array.min() < 0:
        raise ValueError("Negative values in data passed to `sample_weight`.")
    floats = array.dtype.kind == "f"
    if not floats and int(array.max()) * n >= 2**63:  # weights this large are rare, so the slow exact sum is acceptable
        floats = sum(array.tolist()) >= 2**63
    return array.astype(np.float64 if floats else np.int64, copy=False)


def float_weights(values: Any, n: int) -> Array | None:
    """The weights as float64."""
    weights = weights_of(values, n)
    return None if weights is None else weights.astype(np.float64, copy=False)


# ---- labels and scores ----


class Scored(NamedTuple):
    """Which rows are positive (1 and 0), their scores, and their weights or None."""

    mask: Array
    scores: Array
    weights: Array | None


def scored(y_true: Any, y_score: Any, pos_label: Any, sample_weight: Any) -> Scored:
    """Labels against a positive one, and scores, checked as every curve of scikit-learn checks them."""
    truth = column(y_true)
    mask = flags(truth) if pos_label is None else None
    if mask is None:
        mask = _against(truth, pos_label)
    score_column = column(y_score)
    same_length(truth, score_column, sample_weight)
    scores = numbers(one_column(score_column))
    return Scored(mask, scores, column_weights(sample_weight, len(mask)))


def column_weights(values: Any, n: int) -> Array | None:
    """The weights as float64 where one column of a matrix will do, too."""
    return None if values is None else float_weights(one_column(column(values)), n)


def flags(truth: Any) -> Array | None:
    """The mask of labels that are 0 and 1 (or False and True) of a type of whole numbers; else None."""
    if type(truth) is not np.ndarray or truth.ndim != 1 or truth.dtype.kind not in "biu" or not truth.size:
        return None
    if truth.dtype.kind == "b":
        return truth.view(np.uint8)
    if not 0 <= int(np.bitwise_or.reduce(truth)) <= 1:  # bitwise OR of all labels, in one pass
        return None
    return truth.astype(np.uint8)


def _against(truth: Any, pos_label: Any) -> Array:
    """The mask of rows that have the positive label, after the look at the target that scikit-learn takes."""
    kind, codes, classes = coded_kind(truth)
    if kind not in ("binary", "multiclass") or (kind == "multiclass" and pos_label is None):
        raise ValueError(f"{kind} format is not supported")
    label = positive_label(classes, pos_label)
    index = next((at for at, known_label in enumerate(classes) if known_label == label), -1)
    return as_mask(codes == index)


def as_mask(hits: Any) -> Array:
    """1 and 0 for True and False, without a copy."""
    return np.asarray(hits, dtype=bool).view(np.uint8)


def coded(truth: Any) -> tuple[Any, tuple[Any, ...]]:
    """The codes and classes of a column of labels; (None, ()) where the tally does not take it."""
    if _is_plain(truth):
        try:
            return tally.factorize(truth, limit=ANY)
        except RocscopeError:
            pass
    return None, ()


def coded_kind(truth: Any, name: str = "y_true") -> tuple[str, Any, tuple[Any, ...]]:
    """The kind of a target, and where each row has one class its codes and classes, of any type."""
    codes, classes = coded(truth)
    if codes is None:
        kind = target_kind(truth, name)
        if kind not in ("binary", "multiclass"):
            return kind, None, ()
        present, codes = np.unique(one_column(truth), return_inverse=True)
        classes = tuple(present)
    return "binary" if len(classes) <= 2 else "multiclass", codes, classes


def coded_or_sorted(truth: Any) -> tuple[Array, tuple[Any, ...]]:
    """The codes and classes of a column of labels of any type."""
    codes, classes = coded(truth)
    if codes is None:
        present, codes = np.unique(one_column(truth), return_inverse=True)
        classes = tuple(present.tolist())
    return codes, classes


def among_columns(labels: Any, classes: tuple[Any, ...], columns: int, unequal: str, end: str = "") -> Array:
    """The column of each class found, where `labels` name the columns; refused unless distinct, sorted and complete."""
    given = one_column(column(labels)).tolist()
    if len(set(given)) != len(given):
        raise ValueError(f"Parameter 'labels' must be unique{end}")
    if sorted(given) != given:
        raise ValueError(f"Parameter 'labels' must be ordered{end}")
    if len(given) != columns:
        raise ValueError(unequal.format(len(given), columns))
    if not set(classes) <= set(given):
        raise ValueError(f"'y_true' contains labels not in parameter 'labels'{end}")
    return np.array([given.index(label) for label in classes])


def positive_label(classes: Any, pos_label: Any) -> Any:
    """The positive label: as given, or 1 where the classes are 0 and 1, or -1 and 1."""
    if pos_label is not None:
        return pos_label
    text = any(isinstance(label, str) for label in classes)
    if text or not (set(classes) <= {0, 1} or set(classes) <= {-1, 1}):
        shown = ", ".join(repr(plain(label)) for label in classes)
        raise ValueError(
            f"y_true takes value in {{{shown}}} and pos_label is not specified: either make y_true take value in "
            "{0, 1} or {-1, 1} or pass pos_label explicitly."
        )
    return 1


def two_sides(truth: Any, name: str = "y_true") -> tuple[str, Array | None, tuple[Any, ...], Any]:
    """The kind of a target, the mask of its greater class when it has one or two, and its classes and codes."""
    if type(truth) is np.ndarray and truth.ndim == 1 and truth.dtype.kind in "biu" and truth.size:
        mask = flags(truth)
        if mask is not None and (mask.any() and not mask.all()):
            return "binary", mask, (False, True) if truth.dtype.kind == "b" else (0, 1), None
        low, high = truth.min(), truth.max()
        mask = (truth == high).view(np.uint8)
        if int(high) - int(low) <= 1 or np.count_nonzero(mask) + np.count_nonzero(truth == low) == len(truth):
            return "binary", mask, tuple(dict.fromkeys((low.item(), high.item()))), None
    kind, codes, classes = coded_kind(truth, name)
    return kind, as_mask(codes == len(classes) - 1) if kind == "binary" else None, classes, codes


def against(mask: Array, classes: tuple[Any, ...], label: Any) -> Array:
    """The mask of a label, from that of the last of two classes."""
    if label in classes[-1:]:
        return mask
    return np.asarray(1 - mask) if label in classes else np.zeros_like(mask)


def one_hot(codes: Array, size: int) -> Array:
    """A column of 0 and 1 for every class."""
    return as_mask(np.asarray(codes)[:, None] == np.arange(size))


def needs_columns(scores: Array) -> ValueError:
    """The refusal of one score per row where there are several classes."""
    return ValueError(
        "`y_score` needs to be of shape `(n_samples, n_classes)`, since `y_true` contains multiple classes. "
        f"Got `y_score.shape={scores.shape}`."
    )


def numbers(array: Array, name: str = "") -> Array:
    """Scores that are finite, in a type that the tally sorts; text has no order that a threshold could use."""
    kind = array.dtype.kind
    if kind in "US":
        raise TypeError(f"scores of type {array.dtype} are not numbers")
    if kind == "O" and any(value is None for value in array.tolist()):
        raise TypeError("scores contain None, which is not a number")
    array = _plain_numbers(array)
    return sortable(all_finite(array, name))


def number_array(values: Any, *, rows: bool = False) -> Array:
    """Finite numbers in the shape they came in, refused when they are text; with `rows`, at least one row."""
    array = values.toarray() if is_sparse(values) else np.asarray(values)
    if array.dtype.kind in "US":
        raise ValueError(
            "dtype='numeric' is not compatible with arrays of bytes/strings."
            "Convert your data to numeric values explicitly instead."
        )
    array = _plain_numbers(array)
    return all_finite(some_rows(array) if rows else array)


def _plain_numbers(array: Array) -> Array:
    """Numbers in a plain type. Whole numbers and dates stay whole: floats would merge those beyond 2^53."""
    if array.dtype.kind in "biuf":
        return array
    if array.dtype.kind in "mM" and not np.isnat(array).any():
        return array.astype(np.int64)
    if array.dtype.kind == "O":
        plain = np.asarray(array.tolist())
        if plain.dtype.kind in "biu" and plain.shape == array.shape:
            return plain
    return np.where(np.isnat(array), np.nan, 0.0) if array.dtype.kind in "mM" else array.astype(np.float64)


def some_rows(array: Array) -> Array:
    """The array itself, or the refusal of one without rows."""
    if array.size:
        return array
    raise ValueError(f"Found array with 0 sample(s) (shape={array.shape}) while a minimum of 1 is required.")


def two_dimensional(array: Array) -> Array:
    """The array with rows and columns, or scikit-learn's refusal of one column."""
    if array.ndim == 2:
        return array
    raise ValueError(
        f"Expected 2D array, got 1D array instead:\narray={array}.\nReshape your data either using "
        "array.reshape(-1, 1) if your data has a single feature or array.reshape(1, -1) if it contains a single sample."
    )


def sortable(array: Array) -> Array:
    """Finite scores in a type that the tally sorts: mostly as they are."""
    plain = array.dtype in (np.float64, np.float32) and array.size
    return array if plain else tally.numeric(array)
