"""Confusion: a k x k matrix with its labels and orientation."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np

from rocscope import measures, tally
from rocscope.errors import RocscopeError, did_you_mean
from rocscope.measures import Average, Measure, as_cells
from rocscope.names import MeasureNames
from rocscope.numbers import FITS, plain
from rocscope.record import record
from rocscope.table.counts import LARGEST, Counts
from rocscope.table.matrix_text import matrix_grid
from rocscope.tally import as_in
from rocscope.text import show_count, show_label

if TYPE_CHECKING:
    from rocscope.estimate import Estimate

ORIENTATIONS = ("actual", "predicted")
MANY = 16  # number of classes above which a matrix of Python integers is slow


@record(eq=False, repr=False, slots=True)
class Confusion(MeasureNames):
    """A confusion matrix: the cases by actual and predicted class.

    `matrix` has actual classes as rows, whatever the original orientation; `rows` is the orientation in which it is
    printed. Measures of the whole matrix are attributes; for a measure of one class, select the class or average.

    >>> m = Confusion.from_matrix([[10, 0, 0], [0, 7, 5], [0, 3, 5]],
    ...                           labels=["setosa", "versicolor", "virginica"], rows="predicted")
    >>> m.accuracy, m.of("versicolor").precision, m.exact("f1", average="macro")
    (0.7333333333333333, 0.5833333333333334, Fraction(217, 297))
    """

    matrix: Any
    labels: tuple[Any, ...]
    rows: str = "actual"
    squares: Any = None

    @classmethod
    def from_matrix(cls, matrix: Any, *, labels: Sequence[Any] | None = None, rows: str = "actual") -> Confusion:
        """The confusion matrix from an array; `rows` states what its rows are, "actual" or "predicted"."""
        cells = _square(matrix)
        usable = (
            isinstance(labels, Iterable)
            and getattr(labels, "ndim", 1) > 0
            and all(isinstance(label, Hashable) for label in labels)
        )
        if labels is not None and not usable:
            raise RocscopeError(
                f"labels must be a list of labels, not {labels!r}", hint="Give one distinct label per class"
            )
        names = tuple(range(len(cells))) if labels is None else tuple(labels)
        if len(names) != len(cells) or len(set(names)) != len(names):
            raise RocscopeError(
                f"there are {len(cells)} classes, but the labels are {names}", hint="Give one distinct label per class"
            )
        _orientation(rows)
        return cls(_kept(cells if rows == "actual" else cells.T), names, rows)

    @classmethod
    def from_labels(
        cls,
        actual: Any,
        predicted: Any,
        *,
        labels: Sequence[Any] | None = None,
        weights: Any = None,
        weights_are: str = "sampling",
    ) -> Confusion:
        """The confusion matrix of two label vectors, matched by position.

        Without `labels`, the classes are those of both vectors, sorted. Weights are "sampling" weights (each case
        represents others; sums of squares are kept for variances) or "frequency" weights (the case occurred that
        often).

        >>> Confusion.from_labels(["cat", "dog", "cat"], ["cat", "cat", "cat"]).matrix.tolist()
        [[2, 0], [1, 0]]
        """
        sampled = weights_of_cases(weights_are) == "sampling"
        truth, guess, names = tally.factorize_two(actual, predicted, labels=labels)
        if weights is None:
            return cls(_kept(tally.cross(truth, guess, len(names))), names)
        known = tally.weights_of(weights, len(truth))
        squares = tally.cross(truth, guess, len(names), tally.squared(known)) if sampled else None
        return cls(_kept(tally.cross(truth, guess, len(names), known)), names, squares=squares)

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Confusion:
        """The matrix saved in a file, checked on reading."""
        from rocscope import wire

        matrix: Confusion = wire("Confusion.load")(path)
        return matrix

    def save(self, path: str | PathLike[str], *, name: str = "", unit: str = "case", force: bool = False) -> None:
        """Write the matrix to a file (.scoretable.parquet, with a documented layout), completely or not at all."""
        from rocscope import wire

        wire("Confusion.save")(self, path, name=name, unit=unit, force=force)

    def to_frame(self, library: str | None = None) -> Any:
        """One row for each cell (actual, predicted, cases), as a frame of "pandas", "polars", "pyarrow" or "duckdb"."""
        from rocscope import wire

        return wire("Confusion.to_frame")(self, library)

    # ---- derived values ----

    def __len__(self) -> int:
        return len(self.labels)

    @property
    def support(self) -> Any:
        """The number of cases of each class, in the order of the labels."""
        return self.matrix.sum(axis=1)

    @property
    def cells(self) -> Any:
        """The matrix as measures use it: whole counts as Python integers, so that results are exact.

        With many classes, they stay as they are: measures turn the sums they need into Python integers.
        """
        if self.matrix.dtype != np.int64 or (len(self) > MANY and float(self.matrix.sum()) * len(self) < FITS):
            return self.matrix
        return self.matrix.astype(object)

    def _measured(self, measure: Measure) -> Any:
        return measure.of_matrix(self.cells)

    def why(self, name: str, *, average: str | None = None) -> str:
        """The reason why a measure is undefined, or '' if it is defined; for an average, which classes are left out
        and why.
        """
        measure = measures.get(name)
        if average is None:
            return measure.why_of_matrix(self.cells)
        missing = self.average(name, average).undefined
        reasons = (f"{show_label(self.labels[i])}: {self.of(self.labels[i]).why(name)}" for i in missing)
        return "; ".join(reasons)

    def exact(self, name: str, *, average: str | None = None) -> Fraction:
        """The measure, or its average over classes, as an exact fraction."""
        if average is None:
            return measures.get(name).exact_of_matrix(self.cells)
        fraction = measures.average(measures.get(name), self.cells, average, exact=True).exact
        if fraction is None:
            raise RocscopeError(f"{average} {name} has no exact fraction", hint=self.why(name, average=average))
        return fraction

    def of(self, label: Any) -> Counts:
        """The counts of one class against the rest."""
        at = self._position(label)
        squares = None if self.squares is None else measures.class_cells(self.squares, at)
        return self._against_rest(at, measures.class_cells(self.matrix, at), squares)

    def by_class(self) -> dict[Any, Counts]:
        """Every class against the rest, as in `of`; the sums are computed only once.

        >>> {label: one.tp for label, one in Confusion.from_labels(["a", "b", "c"], ["a", "b", "b"]).by_class().items()}
        {'a': 1, 'b': 1, 'c': 0}
        """
        cells = measures.cells_by_class(self.matrix)
        squares = [None] * len(self) if self.squares is None else measures.cells_by_class(self.squares)
        return {label: self._against_rest(at, cells[at], squares[at]) for at, label in enumerate(self.labels)}

    def _against_rest(self, at: int, cells: Mapping[str, Any], squares: Mapping[str, Any] | None) -> Counts:
        label = self.labels[at]
        rest = f"not {label}" if len(self) > 2 else self.labels[1 - at] if len(self) == 2 else "other"
        return Counts.of(cells.values(), labels=(rest, label), squares=None if squares is None else squares.values())

    def _position(self, label: Any) -> int:
        if label in self.labels:
            return self.labels.index(label)
        same = [place for place, name in enumerate(self.labels) if str(name) == str(label)]
        if len(same) == 1:  # match a number with its text form, or vice versa
            return same[0]
        hint = did_you_mean(str(label), [str(name) for name in self.labels])
        raise RocscopeError(f"there is no class {label!r}", hint=hint)

    def average(self, name: str, how: str) -> Average:
        """An average over classes with the classes included: "macro", "micro" or "weighted" by support."""
        return measures.average(measures.get(name), self.cells, how)

    def macro(self, name: str) -> float:
        """The mean over classes; classes for which the measure is undefined are left out (see `why`)."""
        return self.average(name, "macro").value

    def micro(self, name: str) -> float:
        """The measure of all one-vs-rest counts together."""
        return self.average(name, "micro").value

    def weighted(self, name: str) -> float:
        """The mean over classes weighted by support."""
        return self.average(name, "weighted").value

    def explain(self, name: str) -> str:
        """The measure of the whole matrix in words: its value, as a fraction if possible, or why it has none."""
        measure, reason = measures.get(name), self.why(name)
        if reason:
            return f"{measure.name}: {reason}"
        try:
            fraction = self.exact(name)
        except RocscopeError:
            return f"{measure.name} = {self.value(name):.4f}"
        return f"{measure.name} = {fraction} = {self.value(name):.4g}"

    def estimate(
        self, name: str, *, average: str | None = None, level: float = 0.95, method: str | None = None
    ) -> Estimate:
        """The measure of the whole matrix, or its average over classes, with its interval."""
        from rocscope import estimate

        return estimate.of_matrix(measures.get(name), self, average=average, level=level, method=method)

    def to_array(self, *, rows: str = "actual") -> Any:
        """The matrix as a new array, in the requested orientation."""
        return (self.matrix if _orientation(rows) == "actual" else self.matrix.T).copy()

    def turned(self, rows: str) -> Confusion:
        """The same matrix, printed in the other orientation."""
        return replace(self, rows=_orientation(rows))

    # ---- derived matrices ----

    def __radd__(self, other: Any) -> Confusion:
        """So that `sum` adds up matrices: it begins with 0."""
        return self if isinstance(other, int) and other == 0 else NotImplemented

    def __add__(self, other: Confusion) -> Confusion:
        """The matrix of the cases of both; labels spelled alike (1, and "1" of a file) are the same: text."""
        if not isinstance(other, Confusion):
            return NotImplemented
        if self.labels != other.labels:
            mine, theirs = as_in(self.labels, other.labels), as_in(other.labels, self.labels)
            if (mine, theirs) != (self.labels, other.labels):
                return replace(self, labels=mine) + replace(other, labels=theirs)
        labels = self.labels if self.labels == other.labels else _union(self.labels, other.labels)
        squares = None
        if self.squares is not None or other.squares is not None:
            squares = self._spread("squares", labels) + other._spread("squares", labels)
        first, two = (table._spread("matrix", labels) for table in (self, other))
        if np.float64 not in (first.dtype, two.dtype):
            first, two = first.astype(object), two.astype(object)  # Python integers cannot overflow
        matrix = _kept(first + two)
        return replace(self, matrix=matrix, labels=labels, squares=squares)

    def in_order(self, labels: Sequence[Any]) -> Confusion:
        """The matrix with its classes in this order; labels may be given as text.

        >>> Confusion.from_labels([0, 1, 1], [0, 1, 0]).in_order([1, 0]).to_array().tolist()
        [[1, 1], [0, 1]]
        """
        known = {str(label): label for label in self.labels}
        order = tuple(known.get(str(label), label) for label in labels)
        if sorted(map(str, order)) != sorted(known):
            raise RocscopeError(
                f"the order must list the classes {', '.join(known)}, not {', '.join(map(str, order))}",
                hint="List every class exactly once",
            )
        squares = None if self.squares is None else self._spread("squares", order)
        return replace(self, matrix=self._spread("matrix", order), labels=order, squares=squares)

    def _spread(self, field: str, labels: tuple[Any, ...]) -> Any:
        """A field laid out for a larger set of labels, zero where it had none."""
        source = getattr(self, field) if getattr(self, field) is not None else self.matrix
        wide = np.zeros((len(labels), len(labels)), dtype=source.dtype)
        at = [labels.index(label) for label in self.labels]
        wide[np.ix_(at, at)] = source
        return wide

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Confusion):
            return NotImplemented
        return self.labels == other.labels and np.array_equal(self.matrix, other.matrix)

    __hash__ = None  # type: ignore[assignment]

    # ---- display ----

    def _repr_html_(self) -> str:
        """The matrix with totals and the measures of the whole, as a notebook shows them."""
        from rocscope import wire

        return str(wire("Confusion._repr_html_")(self))

    def plot(self, ax: Any = None, *, rows: str = "actual") -> Any:
        """Draw the matrix with matplotlib, with counts and shares of each actual class, and return the Axes."""
        from rocscope import wire

        return wire("Confusion.plot")(self, ax, rows=rows)

    def __str__(self) -> str:
        cells = self.to_array(rows=self.rows).astype(object).tolist()
        return matrix_grid(cells, self.labels, rows=self.rows)

    def __repr__(self) -> str:
        shape = " x ".join([str(len(self))] * 2)
        return f"Confusion({shape}, {show_count(plain(self.matrix.sum()))} cases, rows {self.rows})"

    def report(self, *, digits: int = 3) -> str:
        """Precision, recall, F1 and support of every class, then accuracy and the averages.

        >>> print(Confusion.from_labels([1, 1, 0], [1, 0, 0]).report())
                   precision  recall     f1  support
        0              0.500   1.000  0.667        1
        1              1.000   0.500  0.667        2
        <BLANKLINE>
        accuracy                      0.667        3
        macro          0.750   0.750  0.667        3
        weighted       0.833   0.667  0.667        3
        """
        return _report(self, digits)


COLUMNS = ("precision", "recall", "f1")


def _report(m: Confusion, digits: int) -> str:
    counts = list(m.by_class().values())
    names = [show_label(label) for label in m.labels]
    first = max(9, *(len(name) for name in names)) + 2
    heads = [column.rjust(max(len(column), digits + 2)) for column in COLUMNS]
    widths = [len(head) for head in heads]
    total = show_count(plain(m.matrix.sum()))

    def line(name: str, values: Sequence[Any], support: str) -> str:
        shown = (_decimals(v, digits).rjust(w) for v, w in zip(values, widths, strict=True))
        return name.ljust(first) + "  ".join(shown) + "  " + support.rjust(7)

    lines = [" " * first + "  ".join(heads) + "  support"]
    for name, counts_of_class, support in zip(names, counts, m.support.tolist(), strict=True):
        lines.append(line(name, [counts_of_class.value(column) for column in COLUMNS], show_count(support)))
    lines += ["", line("accuracy", ["", "", m.value("accuracy")], total)]
    for how in ("macro", "weighted"):
        lines.append(line(how, [m.average(column, how).value for column in COLUMNS], total))
    notes = [
        f"macro {column} excludes {m.why(column, average='macro')}"
        for column in COLUMNS
        if m.average(column, "macro").undefined
    ]
    return "\n".join([*lines, *([""] if notes else []), *notes])


def _decimals(value: Any, digits: int) -> str:
    if value == "":
        return ""
    return "–" if math.isnan(value) else f"{value:.{digits}f}"


def weights_of_cases(kind: str) -> str:
    """The kind of weights, after validation."""
    if kind not in ("sampling", "frequency"):
        raise RocscopeError(f"weights must be 'sampling' or 'frequency', not {kind!r}")
    return kind


def _orientation(rows: str) -> str:
    if rows not in ORIENTATIONS:
        raise RocscopeError(f"rows must be 'actual' or 'predicted', not {rows!r}")
    return rows


def _square(matrix: Any) -> Any:
    cells = np.array(matrix.tolist() if hasattr(matrix, "tolist") else matrix, dtype=object)
    if cells.ndim != 2 or cells.shape[0] != cells.shape[1] or not cells.size:
        raise RocscopeError(f"a confusion matrix must be square, not of shape {cells.shape}")
    for cell in cells.ravel():
        if isinstance(cell, bool) or not isinstance(cell, int | float) or not 0 <= cell < math.inf:
            raise RocscopeError(f"a confusion matrix must contain counts, not {cell!r}")
        if cell > LARGEST:
            raise RocscopeError("counts must be at most 1e100", hint="Divide all counts by the same number")
    return cells


def _kept(cells: Any) -> Any:
    """A read-only copy: int64 where every cell and every sum fits, Python integers beyond, else float64."""
    if isinstance(cells, np.ndarray) and cells.dtype == np.int64 and float(cells.sum(dtype=np.float64)) < FITS / 2:
        array = cells.copy()
        array.flags.writeable = False
        return array
    array = as_cells(cells.tolist())
    if array.dtype == object and sum(array.ravel()) < FITS:
        array = array.astype(np.int64)
    array.flags.writeable = False
    return array


def _union(a: tuple[Any, ...], b: tuple[Any, ...]) -> tuple[Any, ...]:
    both = [*a, *(label for label in b if label not in a)]
    try:
        return tuple(sorted(both))
    except TypeError:
        return tuple(both)
