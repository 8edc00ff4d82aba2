"""The few operations that measures of a k x k matrix are written with.

A matrix measure is a function of an array (..., k, k), actual rows. Written with these helpers the same
function serves float64 (one matrix or a batch of resamples), Python integers (exact: only `ratio` divides,
and it gives a Fraction) and complex numbers (the gradient).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from rocscope.errors import Undefined
from rocscope.formula import divide, logarithm
from rocscope.formula import root as exact_root

LN2 = math.log(2)
FEW = 16  # maximum number of classes for which summing over all cells is cheap


class Margins:
    """The sums of a matrix (..., k, k) that most measures use: k numbers in place of k x k.

    By class, the cases predicted right, those of the class predicted as another, and those of another predicted as it.
    A measure that asks for anything else, as one that weights cells, fails with AttributeError or TypeError.
    """

    def __init__(self, hits: Any, misses: Any, alarms: Any) -> None:
        self.hits, self.misses, self.alarms = hits, misses, alarms

    __array_ufunc__ = None  # keeps NumPy from treating an instance as a scalar

    @classmethod
    def of(cls, array: Any) -> Margins:
        """Those of one matrix; whole numbers become Python's, whose products do not overflow."""
        hits = np.diagonal(array)
        if array.dtype.kind in "iu":
            parts = hits, array.sum(-1) - hits, array.sum(-2) - hits
        else:
            off = array.copy()
            # avoids subtraction, so that sums are never negative and exactly 0 where they should be
            np.fill_diagonal(off, 0)
            parts = hits, off.sum(-1), off.sum(-2)
        return cls(*(part.astype(object) if part.dtype.kind in "iu" else part for part in parts))

    @property
    def shape(self) -> tuple[int, int]:
        """The last two axes of the matrix."""
        return self.hits.shape[-1], self.hits.shape[-1]


def two_by_two(cells: Mapping[str, Any]) -> Any:
    """The matrix (..., 2, 2) of four cells: actual rows, positive first."""
    rows = [[cells["tp"], cells["fn"]], [cells["fp"], cells["tn"]]]
    if not any(isinstance(cell, np.ndarray) for row in rows for cell in row):
        return as_cells(rows)
    tp, fn, fp, tn = np.broadcast_arrays(*rows[0], *rows[1])
    stacked = np.array([[tp, fn], [fp, tn]], dtype=np.float64)
    return np.moveaxis(stacked, (0, 1), (-2, -1))


def as_cells(rows: Any) -> Any:
    """An array of exact cells (Python integers, fractions) if they are exact, otherwise of float64."""
    exact = all(isinstance(cell, int | Fraction) for row in rows for cell in row)
    return np.array(rows, dtype=object if exact else np.float64)


def ready(matrix: Any) -> Any:
    """The matrix as the measures need it: never int64, whose products overflow without a word.

    One matrix of whole numbers becomes Python integers (exact), a batch of them float64 (fast).
    """
    a = matrix if isinstance(matrix, np.ndarray) else as_cells(matrix)
    if a.dtype.kind in "biu":
        return a.astype(object if a.ndim == 2 else np.float64)
    return a


def of_whole_cases(a: Any) -> Any:
    """The matrix itself; refused where it holds fractions of cases, for measures that count pairs of cases."""
    parts = a.ravel().tolist() if a.ndim == 2 and a.dtype.kind != "c" else ()
    if any(part != int(part) for part in parts):
        raise Undefined("the measure counts pairs of cases, which requires integer counts")
    return a


def total(a: Any) -> Any:
    """The number of cases."""
    if isinstance(a, Margins):
        return a.hits.sum(-1) + a.misses.sum(-1)
    return a.sum((-2, -1))


def agreement(a: Any) -> Any:
    """The diagonal: cases whose prediction is right, by class."""
    return a.hits if isinstance(a, Margins) else np.diagonal(a, axis1=-2, axis2=-1)


def right(a: Any) -> Any:
    """The number of cases predicted right."""
    return agreement(a).sum(-1)


def apart(a: Any) -> Any:
    """The sum of what is off the diagonal: of the matrix itself, the number of cases predicted wrong.

    As a sum of nothing negative it is exactly 0 when it should be, which total - right need not be.
    """
    if isinstance(a, Margins):
        return a.misses.sum(-1)
    return (a * (1 - np.eye(a.shape[-1], dtype=np.int64))).sum((-2, -1))


def apart_of_outer(x: Any, y: Any) -> Any:
    """The sum of x_i * y_j over i and j that differ; with many classes from sums of the two, 0 where it should be."""
    if x.shape[-1] <= FEW:
        return apart(outer(x, y))
    return (x * (y.sum(-1, keepdims=True) - y)).sum(-1)


def actual(a: Any) -> Any:
    """The number of cases of each class."""
    return a.hits + a.misses if isinstance(a, Margins) else a.sum(-1)


def predicted(a: Any) -> Any:
    """The number of predictions of each class."""
    return a.hits + a.alarms if isinstance(a, Margins) else a.sum(-2)


def outer(x: Any, y: Any) -> Any:
    """x_i * y_j over two vectors (..., k)."""
    return x[..., :, None] * y[..., None, :]


def ratio(above: Any, below: Any, why: str) -> Any:
    """above / below: a Fraction for exact numbers, NaN in arrays where below is 0; `why` says what that means."""
    if _objects(above) or _objects(below):
        return _each(lambda x, y: ratio(x, y, why), above, below)
    if np.ndim(above) or np.ndim(below):
        return divide(above, below)
    if below == 0:
        raise Undefined(why)
    if _exact(above) and _exact(below):
        return Fraction(above) / Fraction(below)
    if (_exact(above) and math.isfinite(below)) or (_exact(below) and math.isfinite(above)):
        # an integer beyond the float64 range is divided by a square root
        return float(Fraction(above) / Fraction(below))
    return above / below


def largest(x: Any, axis: int = -1) -> Any:
    """The largest along an axis; of complex numbers the first of those with the largest real part.

    That first one is the same whichever cell has the complex step, which keeps the gradient one of a single branch.
    """
    if not np.iscomplexobj(x):
        return x.max(axis)
    at = np.expand_dims(x.real.argmax(axis), axis)
    return np.take_along_axis(x, at, axis).squeeze(axis)


def smallest(x: Any) -> Any:
    """The smallest along the last axis."""
    return -largest(-x)


def greater(x: Any, y: Any) -> Any:
    """The greater of each pair."""
    return largest(np.stack([x, y], axis=-1))


def lesser(x: Any, y: Any) -> Any:
    """The lesser of each pair."""
    return smallest(np.stack([x, y], axis=-1))


def mean(x: Any) -> Any:
    """The mean over the classes, along the last axis."""
    return ratio(x.sum(-1), x.shape[-1], "there are no classes")


def mean_of_rows(above: Any, a: Any, why: str) -> Any:
    """The mean over the classes of `above` per actual case, such as the mean recall.

    Of three or more classes, those without cases are left out, as in any other average over classes; of two, such a
    class leaves the mean undefined, as it does for the formula on the four cells.
    """
    rows = actual(a)
    if a.shape[-1] < 3:
        return mean(ratio(above, rows, why))
    present = np.asarray(rows != 0)
    return ratio(ratio(above, np.where(present, rows, 1), why).sum(-1), _whole(present.sum(-1)), why)


def _whole(x: Any) -> Any:
    """A number of classes as an int, which keeps exact numbers exact; an array as it is."""
    return x if np.ndim(x) else int(x)


def plog(weight: Any, above: Any, below: Any, why: str = "the logarithm of 0 is undefined") -> Any:
    """weight * log(above / below), and 0 where the weight is 0, whatever stands behind it: the limit in entropies."""
    if _objects(weight):
        return _each(lambda w, x, y: _plog_exact(w, x, y, why), weight, above, below)
    none = weight == 0
    inside = divide(np.where(none, 1.0, above), np.where(none, 1.0, below))
    return np.where(none, 0.0, weight * np.log(np.where(inside == 0, np.nan, inside)))


def _plog_exact(weight: Any, above: Any, below: Any, why: str) -> Any:
    if weight == 0:
        return 0
    if above == 0 or below == 0:
        raise Undefined(why)
    log = logarithm(Fraction(above) / Fraction(below))
    return float(Fraction(weight) * log) if log else 0


def bits(x: Any) -> Any:
    """Nats as bits; an exact 0 stays one."""
    return x if _exact(x) and x == 0 else x / LN2


def never_negative(x: Any) -> Any:
    """A quantity that is 0 or above by law, without the rounding noise below 0."""
    if not isinstance(x, np.ndarray):
        return 0.0 if x < 0 else x
    return np.where(np.real(x) < 0, 0.0, x)


def root(x: Any, degree: int = 2) -> Any:
    """The root of the given degree; exact if the root is a fraction (for degrees above 2, only if it is 0 or 1)."""
    if _objects(x):
        return _each(lambda number: root(number, degree), x)
    if not _exact(x):
        return np.sqrt(x) if degree == 2 else x ** (1 / degree)
    if x < 0:
        raise Undefined("the root of a negative number is undefined")
    if degree != 2:
        return x if x in (0, 1) else float(x) ** (1 / degree)
    nearest = exact_root(Fraction(x))
    return nearest if nearest * nearest == x else float(nearest)


def _exact(x: Any) -> bool:
    return isinstance(x, int | Fraction) and not isinstance(x, bool)


def _objects(x: Any) -> bool:
    return isinstance(x, np.ndarray) and x.dtype == object


def _each(function: Any, *arrays: Any) -> Any:
    """The function on each element of object arrays, broadcast to one shape."""
    same = np.broadcast_arrays(*(np.asarray(array, dtype=object) for array in arrays))
    result = np.empty(same[0].shape, dtype=object)
    result.ravel()[:] = [function(*items) for items in zip(*(array.ravel() for array in same), strict=True)]
    return result
