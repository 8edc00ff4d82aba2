"""Counts: the four cells of a binary confusion matrix, at one threshold or along a whole curve."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from rocscope import measures, tally
from rocscope.errors import RocscopeError
from rocscope.formula import CELLS, Formula, Op, parse
from rocscope.measures import Measure
from rocscope.names import MeasureNames
from rocscope.numbers import fraction, prevalence_factors
from rocscope.record import record
from rocscope.table.matrix_text import binary_grid
from rocscope.tally import flat
from rocscope.text import with_decimal

if TYPE_CHECKING:
    from rocscope.estimate import Estimate

LABELS = ("negative", "positive")
LARGEST = 10**100  # products of three sums of larger counts would overflow


@record(eq=False, repr=False, slots=True)
class Counts(MeasureNames):
    """The numbers of true and false positives and negatives.

    Numbers describe a point, and arrays describe a curve. A cell may be left out (unknown) or be an expression such as
    "x - 3". Every measure of the catalog and every alias is an attribute. `squares` holds the sums of squared weights
    of the four cells when cases have sampling weights, and is None when each unit is a case. `known_prevalence` is the
    share of positives if it is known, as after `rebase`: estimates then depend only on the rates within each class.

    >>> c = Counts(tp=7, fp=7, fn=3, tn=13)
    >>> c.precision, c.exact("f1")
    (0.5, Fraction(7, 12))
    >>> c.explain("precision")
    'precision = TP / (TP + FP) = 7 / (7 + 7) = 1/2 = 0.5'
    >>> Counts(tp=5, fp=3, fn=7).why("specificity")
    'tn is unknown'
    """

    tp: Any = None
    fp: Any = None
    fn: Any = None
    tn: Any = None
    labels: tuple[Any, Any] = LABELS
    squares: tuple[Any, Any, Any, Any] | None = None
    known_prevalence: float | None = None

    def __post_init__(self) -> None:
        cells = {name: _cell(name, getattr(self, name)) for name in CELLS}
        for name, cell in _same_length(cells).items():
            object.__setattr__(self, name, cell)

    # ---- constructors ----

    @classmethod
    def of(
        cls,
        cells: Iterable[Any],
        *,
        labels: tuple[Any, Any] = LABELS,
        squares: Iterable[Any] | None = None,
        known_prevalence: float | None = None,
    ) -> Counts:
        """The counts of four cells in the order tp, fp, fn, tn."""
        tp, fp, fn, tn = cells
        if squares is None:
            return cls(tp, fp, fn, tn, labels, known_prevalence=known_prevalence)
        a, b, c, d = squares
        return cls(tp, fp, fn, tn, labels, (a, b, c, d), known_prevalence)

    @classmethod
    def from_labels(
        cls, actual: Any, predicted: Any, *, positive: Any = None, weights: Any = None, weights_are: str = "sampling"
    ) -> Counts:
        """The counts of two label vectors; `positive` has the same meaning as in `ScoreTable.from_scores`.

        >>> Counts.from_labels([1, 1, 0, 1], [1, 0, 0, 1])
        Counts(tp=2, fp=0, fn=1, tn=1)
        """
        from rocscope.table.confusion import Confusion

        truth = flat(actual, "actual")
        _, labels = tally.binary(truth, positive, name="actual")
        matrix = Confusion.from_labels(truth, predicted, labels=labels, weights=weights, weights_are=weights_are)
        return matrix.of(labels[1])

    @classmethod
    def from_retrieval(cls, *, found: int, exist: int, right: int, total: int | None = None) -> Counts:
        """The counts of a search: the numbers of items found, of relevant items that exist, and of relevant items
        found.

        >>> Counts.from_retrieval(found=8, exist=12, right=5)
        Counts(tp=5, fp=3, fn=7, tn=None)
        """
        if right > min(found, exist):
            raise RocscopeError(f"{right} cases cannot be right if {found} were found and {exist} exist")
        rest = None if total is None else total - found - exist + right
        if rest is not None and rest < 0:
            raise RocscopeError(
                f"the total must be at least {found + exist - right}, the number of cases that were "
                f"found or exist, not {total}"
            )
        return cls(tp=right, fp=found - right, fn=exist - right, tn=rest)

    # ---- derived values ----

    @property
    def cells(self) -> dict[str, Any]:
        """The four cells by name."""
        return {name: getattr(self, name) for name in CELLS}

    def _measured(self, measure: Measure) -> Any:
        return measure.value(self.cells)

    def why(self, name: str) -> str:
        """The reason why the measure is undefined; '' if it is defined."""
        return measures.get(name).why(self.cells)

    def exact(self, name: str) -> Fraction:
        """The measure as an exact fraction; raises an error if it is irrational."""
        return measures.get(name).exact(self.cells)

    def expression(self, name: str) -> str:
        """The measure in simplest form when a cell is an expression (needs sympy).

        >>> Counts(tp=5, fp=3, fn=7, tn="x - 3").expression("specificity")
        '(x - 3)/x'
        """
        formula = measures.get(name).formula
        if formula is None:
            raise RocscopeError(f"{name} has no formula in terms of the four cells")
        return formula.expression(self.cells)

    def explain(self, name: str) -> str:
        """The measure worked out step by step: formula, formula with numbers, fraction and decimal."""
        measure = measures.get(name)
        if measure.formula is None:
            return f"{measure.name} = {self.value(name):.4g}"
        worked = f"{measure.name} = {measure.formula.worked(self.cells)}"
        reason = self.why(name)
        if any(isinstance(self.cells[cell], Formula) for cell in measure.formula.names):
            return f"{worked} = {self.expression(name)}"
        return f"{worked}: {reason}" if reason else f"{worked} = {self._result(measure)}"

    def _result(self, measure: Measure) -> str:
        try:
            return with_decimal(measure.exact(self.cells))
        except RocscopeError:
            return f"{measure.value(self.cells):.4f}"

    def estimate(self, name: str, *, level: float = 0.95, method: str | None = None) -> Estimate:
        """The measure with its interval (see `rocscope.estimate`), at the known prevalence if there is one.

        >>> print(Counts(tp=7, fp=7, fn=3, tn=13).rebase(0.02).estimate("precision"))
        0.039 [0.019, 0.078]
        """
        from rocscope import estimate

        return estimate.of(measures.get(name), self, level=level, method=method, prevalence=self.known_prevalence)

    # ---- derived counts ----

    def swap(self) -> Counts:
        """The counts with the other class as positive: sensitivity becomes specificity."""
        return self._with(("tn", "fn", "fp", "tp"), labels=self.labels[::-1])

    def invert(self) -> Counts:
        """The counts with every prediction inverted: the remedy for a classifier below the diagonal."""
        return self._with(("fn", "tn", "tp", "fp"), labels=self.labels)

    def _with(self, order: tuple[str, str, str, str], labels: tuple[Any, Any]) -> Counts:
        squares = self.squares and [self.squares[CELLS.index(name)] for name in order]
        cells = [getattr(self, name) for name in order]
        share = self.known_prevalence
        if share is not None and labels != self.labels:
            share = 1 - share
        return Counts.of(cells, labels=labels, squares=squares, known_prevalence=share)

    def rebase(self, prevalence: float) -> Counts:
        """The counts with the same rates at another prevalence, for the same number of cases.

        Sensitivity and specificity stay the same; precision, NPV, F1 and cost change with the prevalence. The result is
        exact for whole counts.

        >>> Counts(tp=7, fp=7, fn=3, tn=13).rebase(0.02).exact("precision")
        Fraction(2, 51)
        """
        share: Any = as_prevalence(prevalence)
        exact = all(isinstance(cell, int | Fraction) for cell in self.cells.values())
        kept: Any = Fraction if exact else _floats
        cells = {name: kept(cell) for name, cell in self._known_cells().items()}
        positives, negatives = cells["tp"] + cells["fn"], cells["fp"] + cells["tn"]
        if not np.all(positives) or not np.all(negatives):
            raise RocscopeError("changing the prevalence requires positives and negatives")
        share = kept(share)
        up, down = prevalence_factors(positives, negatives, share)
        factors = {"tp": up, "fp": down, "fn": up, "tn": down}
        units = zip(CELLS, self.squares or self.cells.values(), strict=True)
        squares = tuple(_floats(unit) * _floats(factors[name]) ** 2 for name, unit in units)
        rebased = [cells[name] * factors[name] for name in CELLS]
        known = float(as_prevalence(prevalence))
        return Counts.of(rebased, labels=self.labels, squares=squares, known_prevalence=known)

    def _known_cells(self) -> dict[str, Any]:
        for name, cell in self.cells.items():
            if cell is None or isinstance(cell, Formula):
                raise RocscopeError(f"{name} is unknown, but all four cells are needed")
        return self.cells

    def __radd__(self, other: Any) -> Counts:
        """So that `sum` adds up counts: it begins with 0."""
        return self if isinstance(other, int) and other == 0 else NotImplemented

    def __add__(self, other: Counts) -> Counts:
        if not isinstance(other, Counts):
            return NotImplemented
        if self.labels != other.labels and LABELS not in (self.labels, other.labels):
            raise RocscopeError(f"counts of {self.labels} and of {other.labels} cannot be added")
        squares = None
        if self.squares or other.squares:
            pairs = zip(self.squares or self.cells.values(), other.squares or other.cells.values(), strict=True)
            squares = tuple(a + b for a, b in pairs)
        cells = (_add(getattr(self, name), getattr(other, name)) for name in CELLS)
        return Counts.of(cells, labels=self.labels, squares=squares)

    # ---- arrays of counts along a curve ----

    def __len__(self) -> int:
        return max((cell.size for cell in self.cells.values() if isinstance(cell, np.ndarray)), default=1)

    def __getitem__(self, index: int) -> Counts:
        """One point of a curve."""

        def pick(cell: Any) -> Any:
            return cell[index] if isinstance(cell, np.ndarray) else cell

        squares = map(pick, self.squares) if self.squares else None
        cells = map(pick, self.cells.values())
        return Counts.of(cells, labels=self.labels, squares=squares, known_prevalence=self.known_prevalence)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Counts):
            return NotImplemented
        return all(np.array_equal(self.cells[name], other.cells[name]) for name in CELLS)

    __hash__ = None  # type: ignore[assignment]

    def plot(self, ax: Any = None, *, rows: str = "actual") -> Any:
        """Draw the four counts as a matrix with matplotlib and return the Axes."""
        from rocscope import wire

        return wire("Counts.plot")(self, ax, rows=rows)

    def _repr_html_(self) -> str:
        """The four cells and the usual measures, as a notebook shows them."""
        from rocscope import wire

        return str(wire("Counts._repr_html_")(self))

    def __repr__(self) -> str:
        cells = ", ".join(f"{name}={_shown(cell)}" for name, cell in self.cells.items())
        return f"Counts({cells})"

    def __str__(self) -> str:
        if any(isinstance(cell, np.ndarray) for cell in self.cells.values()):
            return repr(self)
        return binary_grid(self.cells, self.labels)


def as_prevalence(value: float) -> Fraction:
    """A prevalence strictly between 0 and 1, as the exact decimal number that is printed."""
    if not isinstance(value, int | float | Fraction | np.floating) or not 0 < value < 1:
        raise RocscopeError(f"prevalence must be strictly between 0 and 1, such as 0.02 for 2 %, not {value}")
    return fraction(value)


def _floats(cell: Any) -> Any:
    """float64: a number for a number, an array for an array."""
    return np.asarray(cell, dtype=np.float64)[()]


def _cell(name: str, cell: Any) -> Any:
    """One cell as it is kept: a Python number, a read-only array, a formula of an unknown, or None."""
    if cell is None or isinstance(cell, Formula):
        return cell
    if isinstance(cell, str):
        formula = parse(cell, unknowns=True)
        return formula if formula.names else _cell(name, formula.exact({}))
    if isinstance(cell, Fraction):
        cell = int(cell) if cell.denominator == 1 else cell
    elif isinstance(cell, np.generic) or (isinstance(cell, np.ndarray) and cell.ndim == 0):
        cell = cell.item()
    elif not isinstance(cell, int | float):
        return _cells(name, cell)
    if isinstance(cell, bool) or not isinstance(cell, int | float | Fraction):
        raise RocscopeError(f"{name} must be a count, not {cell!r}")
    if not (isinstance(cell, int | Fraction) or math.isfinite(cell)) or cell < 0:
        raise RocscopeError(f"{name} must be a count of 0 or more, not {cell}")
    if cell > LARGEST:
        raise RocscopeError(f"{name} is larger than 1e100", hint="Divide all counts by the same number")
    return cell


def _cells(name: str, values: Any) -> Any:
    array = values if isinstance(values, np.ndarray) and not values.flags.writeable else np.array(values)
    if array.ndim == 0:
        raise RocscopeError(f"{name} must be a count, not {values!r}")
    if array.dtype.kind not in "iufO":
        raise RocscopeError(f"{name} must contain counts, not {array.dtype} values")
    if array.dtype.kind == "O" and not all(isinstance(cell, int | float | Fraction) for cell in array.flat):
        raise RocscopeError(f"{name} must contain counts, but some values are not numbers")
    if array.size and not (array.min() >= 0 and array.max() < math.inf):
        raise RocscopeError(f"{name} has negative, missing or infinite counts")
    if array.size and array.max() > LARGEST:
        raise RocscopeError(f"{name} has a count above 1e100", hint="Divide all counts by the same number")
    if array.dtype.kind in "iu":
        array = array.astype(np.int64, copy=False)
    array.flags.writeable = False
    return array


def _same_length(cells: Mapping[str, Any]) -> Mapping[str, Any]:
    lengths = {cell.shape for cell in cells.values() if isinstance(cell, np.ndarray)}
    if len(lengths) > 1:
        shapes = ", ".join(f"{name} {cell.shape}" for name, cell in cells.items() if isinstance(cell, np.ndarray))
        raise RocscopeError(f"cells of different lengths: {shapes}")
    return cells


def _add(a: Any, b: Any) -> Any:
    if a is None or b is None:
        return None
    if isinstance(a, Formula) or isinstance(b, Formula):
        trees = (x.tree if isinstance(x, Formula) else parse(str(x)).tree for x in (a, b))
        return Formula(Op("+", *trees))
    return a + b


def _shown(cell: Any) -> str:
    if isinstance(cell, Formula):
        return repr(cell.text)
    return f"<{cell.size} values>" if isinstance(cell, np.ndarray) else str(cell)
