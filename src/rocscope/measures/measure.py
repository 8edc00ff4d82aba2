"""What a measure is: one declaration, from which every use of it follows."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import KW_ONLY
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

from rocscope.errors import RocscopeError, Undefined
from rocscope.formula import CELLS, Formula, parse
from rocscope.measures.of_matrix import FEW, Margins, ready, two_by_two
from rocscope.numbers import fraction, plain
from rocscope.record import record

Function = Callable[[Any], Any]

# ---- shared parts of formulas and texts ----

CASES = "(tp + fp + fn + tn)"
COVARIANCE = "(tp * tn - fp * fn)"
PRODUCT = "(tp + fp) * (tp + fn) * (fp + tn) * (fn + tn)"
RECALL = "tp / (tp + fn)"
SPECIFICITY = "tn / (fp + tn)"
FALL_OUT = "fp / (fp + tn)"

# values expected by chance
MARGINS = "depends on prevalence and the share flagged"
CLASS_MARGINS = "depends on how frequent each class is and how often it is predicted"

# reasons for undefined values
NO_CASES = "there are no cases"
ONE_CLASS = "there is only one class"
ONE_EACH = "all cases belong to one class and are predicted as one"
NOT_MET = "a class has no cases"
UNSEEN = "a class has no cases and is never predicted"


@record
class Measure:
    """A measure of a confusion matrix.

    `text` is its formula on the four cells; `matrix` is its function of an array (..., k, k) with actual classes as
    rows. A measure has one or both; if it has both, they agree at k = 2 (which the tests check). `chance` is its value
    when the prediction is independent of the truth, given as text.
    """

    name: str
    text: str | None = None
    _: KW_ONLY
    matrix: Function | None = None
    title: str = ""
    aka: tuple[str, ...] = ()
    low: float = 0.0
    high: float = 1.0
    best: float | None = 1.0
    chance: str = ""
    says: str
    prefer: str = ""
    cite: str = ""
    notation: str = ""
    group: str = ""

    def __post_init__(self) -> None:
        if not self.title:
            object.__setattr__(self, "title", self.name.replace("_", " "))

    @cached_property
    def formula(self) -> Formula | None:
        """The formula on the cells, parsed on first use."""
        return None if self.text is None else parse(self.text)

    @cached_property
    def latex(self) -> str:
        """The formula as LaTeX: generated from the text, or as declared for a measure of the whole matrix."""
        return self.formula.latex if self.formula is not None else self.notation

    @property
    def range(self) -> tuple[float, float]:
        """The smallest and the largest possible values."""
        return self.low, self.high

    def value(self, cells: Mapping[str, Any]) -> Any:
        """The value at four cells: numbers give a float, arrays an array; NaN where it is undefined."""
        if self.unknown(cells):
            return math.nan
        if any(isinstance(cells[cell], np.ndarray) for cell in CELLS):
            return self._along(cells)
        if self.formula is None:
            return self.of_matrix(two_by_two(_plain_cells(cells)))
        return self._at(_plain_cells({name: cells[name] for name in self.formula.names}))

    def _at(self, cells: Mapping[str, Any]) -> float:
        """Its value at four numbers, in fractions until the last rounding: never out of range, never overflowing."""
        assert self.formula is not None
        if not all(math.isfinite(cell) for cell in cells.values()):
            return math.nan
        return self.formula.rounded({name: fraction(cell) for name, cell in cells.items()})

    def _along(self, cells: Mapping[str, Any]) -> Any:
        floats = {
            name: np.asarray(cell, dtype=np.float64)
            for name, cell in cells.items()
            if cell is not None and not isinstance(cell, Formula)
        }
        shape = np.broadcast_shapes(*(cell.shape for cell in floats.values()))
        if self.formula is not None:
            return np.broadcast_to(self.formula.value(floats), shape)
        try:
            return self._function(two_by_two(floats))
        except Undefined:  # a 0-dimensional array is a single number
            return np.full(shape, np.nan)

    def exact(self, cells: Mapping[str, Any]) -> Fraction:
        """The value as a fraction; an error if it is unknown, undefined or irrational."""
        missing = self.unknown(cells)
        if missing:
            raise RocscopeError(f"{self.name} has no exact value: {missing}")
        if any(isinstance(cells[cell], np.ndarray) for cell in CELLS):
            raise RocscopeError(f"an exact {self.name} requires four numbers, not arrays")
        if self.formula is None:
            return self.exact_of_matrix(two_by_two(_plain_cells(cells)))
        return self.formula.exact({name: fraction(cells[name]) for name in self.formula.names})

    def why(self, cells: Mapping[str, Any]) -> str:
        """The reason why the measure is undefined; '' if it is defined."""
        missing = self.unknown(cells)
        if missing:
            return missing
        if any(isinstance(cells[cell], np.ndarray) for cell in CELLS):
            return self._why_along(cells)
        if self.formula is None:
            return self.why_of_matrix(two_by_two(cells))
        reason = self.formula.why({name: fraction(cells[name]) for name in self.formula.names})
        if reason and not any(cells[name] for name in CELLS):
            return NO_CASES
        if self.matrix is None or not reason.endswith("= 0"):
            return reason
        # an equation alone is not a sufficient explanation
        return f"{self.why_of_matrix(two_by_two(cells))} ({reason})"

    def _why_along(self, cells: Mapping[str, Any]) -> str:
        values = np.atleast_1d(self.value(cells))
        missing = np.flatnonzero(np.isnan(values))
        if not missing.size:
            return ""
        at = {name: plain(np.broadcast_to(cell, values.shape)[missing[0]]) for name, cell in cells.items()}
        return f"undefined at {missing.size} of {values.size} points, first at {missing[0]}: {self.why(at)}"

    def unknown(self, cells: Mapping[str, Any]) -> str:
        """The required cells that are unknown; '' if all are known."""
        needed = CELLS if self.formula is None else sorted(self.formula.names, key=CELLS.index)
        for name in needed:
            if cells[name] is None:
                return f"{name} is unknown"
            if isinstance(cells[name], Formula):
                return f"{name} is not a number but the expression {cells[name].text}"
        return ""

    def gradient(self, cells: Mapping[str, Any]) -> tuple[Any, Any, Any, Any]:
        """The derivatives with respect to tp, fp, fn and tn."""
        if self.formula is not None:
            return self.formula.gradient({name: np.float64(cells[name]) for name in CELLS})
        slope = self.gradient_of_matrix(np.asarray(two_by_two(cells), dtype=np.float64))
        return slope[0, 0], slope[1, 0], slope[0, 1], slope[1, 1]

    # ---- values of a confusion matrix (rows are actual classes) ----

    def _function(self, array: Any) -> Any:
        if self.matrix is None:
            raise RocscopeError(
                f"{self.name} is a measure of one class, not of a whole matrix",
                hint=f"Use m.of(label).{self.name} or m.macro('{self.name}')",
            )
        with np.errstate(all="ignore"):
            given = array if isinstance(array, np.ndarray) else ready(array)
            if given.ndim == 2 and len(given) > FEW:
                value = self._of_margins(Margins.of(given))
                if value is not None:
                    return value
            return self.matrix(ready(given))

    def _of_margins(self, margins: Margins) -> Any:
        """Its value from the margins and the diagonal; None where it needs the cells themselves."""
        assert self.matrix is not None
        try:
            return self.matrix(margins)
        except (AttributeError, TypeError):
            return None

    def of_matrix(self, array: Any) -> float:
        """The value on one k x k matrix, computed in fractions and rounded once; NaN if undefined.

        Large matrices of decimals are computed in float64, or in fractions if that would leave its range.
        """
        try:
            value = _rounded(self._function(array if len(array) > FEW else _exactly(array)))
            if not self.low <= value <= self.high:
                value = _rounded(self._function(_exactly(array)))
            # each logarithm is rounded separately, so a sum can exceed the range by a rounding error
            inside = min(max(value, self.low), self.high)
            return inside if abs(value - inside) <= 1e-12 * max(1.0, abs(inside)) else value
        except Undefined:
            return math.nan

    def exact_of_matrix(self, array: Any) -> Fraction:
        """The value on one k x k matrix of whole numbers, as a fraction."""
        try:
            value = self._function(array)
        except Undefined as error:
            raise RocscopeError(f"undefined: {error}") from None
        if not isinstance(value, int | Fraction):
            raise RocscopeError(f"no exact fraction: {self.name} is irrational here")
        return Fraction(value)

    def why_of_matrix(self, array: Any) -> str:
        """The reason why the measure is undefined for this matrix; '' if it is defined."""
        try:
            value = self._function(array if len(array) > FEW else _exactly(array))
        except Undefined as error:
            return str(error) if np.any(array) else NO_CASES
        return "" if not math.isnan(value) else "not defined on this matrix"

    def gradient_of_matrix(self, array: Any) -> Any:
        """The derivative with respect to each cell, to machine precision.

        It uses the complex step f(x + ih) = f(x) + ih f'(x) with h so small that h*h vanishes, so nothing cancels.
        One call handles many cells, because the function accepts leading axes; blocks of cells limit the memory.
        """
        k = len(array)
        if k > FEW and (slopes := self._gradient_by_margins(np.asarray(array, dtype=np.float64))) is not None:
            return slopes
        base, block = np.asarray(array, dtype=np.complex128), max(1, 2**20 // (k * k))
        slopes = np.empty(k * k)
        for start in range(0, k * k, block):
            cells = np.arange(start, min(start + block, k * k))
            steps = np.repeat(base[None], len(cells), axis=0)
            steps.reshape(len(cells), k * k)[np.arange(len(cells)), cells] += 1e-40j
            slopes[cells] = np.imag(self._function(steps)) / 1e-40
        return slopes.reshape(k, k)

    def _gradient_by_margins(self, array: Any) -> Any:
        """The same where k numbers on the diagonal, of rows and of columns say all; None where they do not."""
        k, base = len(array), Margins.of(array)
        names, block = ("hits", "misses", "alarms"), max(1, 2**20 // len(array))
        slopes = {name: np.empty(k) for name in names}
        for name in names:
            for start in range(0, k, block):
                classes = np.arange(start, min(start + block, k))
                shape = len(classes), k
                sides = {side: np.broadcast_to(getattr(base, side).astype(np.complex128), shape) for side in names}
                sides[name] = sides[name].copy()
                sides[name][np.arange(len(classes)), classes] += 1e-40j
                with np.errstate(all="ignore"):
                    found = self._of_margins(Margins(**sides))
                if found is None:
                    return None
                slopes[name][classes] = np.imag(found) / 1e-40
        whole = slopes["misses"][:, None] + slopes["alarms"]
        np.fill_diagonal(whole, slopes["hits"])
        return whole


def _plain_cells(cells: Mapping[str, Any]) -> dict[str, Any]:
    """NumPy's numbers as Python's: int64 would overflow in products."""
    return {name: plain(cell) for name, cell in cells.items()}


def _exactly(array: Any) -> Any:
    """A matrix of Python integers and fractions."""
    cells = [[plain(cell) for cell in row] for row in array]
    return np.array([[c if isinstance(c, int) else fraction(c) for c in row] for row in cells], dtype=object)


def _rounded(value: Any) -> float:
    """The nearest float; beyond its range, infinity."""
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf
