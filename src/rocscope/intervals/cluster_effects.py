"""Cases in clusters: their effective number of independent cases, and the degrees of freedom of the variance.

A statistic is linearized, and the contributions of the cases are summed by cluster: the squares of these sums give its
variance. With few clusters, or with clusters of very unequal size, this variance is too small, and itself variable. The
correction follows from a working model (Bell & McCaffrey 2002): the cases of a cluster share the part of their variance
that the observed sums suggest. For equal clusters, it is (g - 1)/g, with g - 1 degrees of freedom.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rocscope import measures
from rocscope.formula import CELLS
from rocscope.numbers import normal_quantile, student_quantile

Array = NDArray[Any]
BY_CLASS, BY_DECISION = ([0, 2], [1, 3]), ([0, 1], [2, 3])  # indices in (tp, fp, fn, tn)
STEP = 1e-6  # step of the numerical derivative, as a share of all cases


class ClusterFreedom(NamedTuple):
    """The precision of a variance over clusters: the share of it that squared sums show, and its degrees of freedom.

    >>> round(ClusterFreedom(0.9, 9).widening(0.95), 3)  # ten equal clusters
    1.217
    """

    shown: float
    df: float

    @classmethod
    def of_equal(cls, clusters: int) -> ClusterFreedom:
        """The precision for a number of clusters of equal size, at least two."""
        return cls((clusters - 1) / clusters, clusters - 1.0)

    def widening(self, level: float) -> float:
        """The factor by which limits are wider than with the normal distribution and the squared sums alone."""
        return student_quantile(level, self.df) / normal_quantile(level) / math.sqrt(self.shown)


class ClusterEffect(NamedTuple):
    """The design effect of a statistic, estimated from squared sums, and how precisely it is known.

    >>> ClusterEffect(3.6, ClusterFreedom(0.9, 9)).effect
    4.0
    """

    seen: float
    freedom: ClusterFreedom

    @property
    def effect(self) -> float:
        """The number of clustered cases that count as one independent case; at least 1."""
        return max(1.0, self.seen / self.freedom.shown)

    def allowing(self, level: float) -> float:
        """The design effect, increased to account for Student's t with the degrees of freedom; at least 1."""
        return max(1.0, self.seen * self.freedom.widening(level) ** 2)


def cluster_effect(units: Any, slopes: Any) -> ClusterEffect:
    """The design effect of a statistic of four cells, from the cells of each cluster and its slopes with respect to
    each cell.

    `units` are clusters x (tp, fp, fn, tn). It is the variance of the linearized statistic over clusters divided by its
    variance over independent cases; if no variance is observed, it is the number of cases in a cluster. The degrees of
    freedom are Satterthwaite's, under a working model with one correlation within clusters. References: Kish 1965,
    Survey Sampling (design effect); Bell & McCaffrey, Surv Methodol 2002;28:169-181 (degrees of freedom).

    >>> alike = [[4, 2, 1, 3]] * 10
    >>> cluster_effect(alike, measure_slopes("recall", [40, 20, 10, 30])).allowing(0.95)
    1.0
    >>> apart = [[5, 2, 0, 3], [0, 2, 5, 3]] * 5
    >>> found = cluster_effect(apart, measure_slopes("recall", [25, 20, 25, 30]))
    >>> round(found.effect, 2), round(found.freedom.df, 2)
    (5.56, 9.0)
    """
    each, slope = np.asarray(units, dtype=np.float64), np.asarray(slopes, dtype=np.float64)
    cells, squares = each.sum(axis=0), np.asarray(slopes, dtype=np.float64) ** 2
    clusters, independent = len(each), float(squares @ cells)
    sums = each @ slope
    spread = float(((sums - sums.mean()) ** 2).sum())
    if clusters < 2 or float(each.sum(axis=1).max()) <= 1:  # too few clusters, or one case per cluster
        return ClusterEffect(1.0, ClusterFreedom(1.0, math.inf))
    if not independent > 1e-30 or not math.isfinite(spread / independent):
        return ClusterEffect(float(cells.sum()) / clusters, ClusterFreedom(1.0, clusters - 1.0))
    kinds = BY_DECISION if not slope[2:].any() or not slope[:2].any() else BY_CLASS
    masses, alone, together = [], [], []
    for kind in kinds:
        mass, own = each[:, kind].sum(axis=1), float(squares[kind] @ cells[kind])
        if own > 0:
            masses.append(mass)
            alone.append(own / mass.sum() * mass)
            together.append(each[:, kind] ** 2 @ squares[kind])
    seen = spread / independent
    freedom = cluster_freedom(np.array(masses), np.array(alone), np.array(together), seen * clusters / (clusters - 1))
    return ClusterEffect(seen, freedom)


def cluster_freedom(masses: Array, alone: Array, together: Array, effect: float) -> ClusterFreedom:
    """The precision of a variance over clusters under the working model (kinds of cases x clusters).

    `masses` are the cases of each kind, whose mean is taken off the sums; `alone` the variances of the sums if cases
    were independent, `together` if a cluster moved as one; `effect` says how far between the two it is. With variances
    w and shares a the squared sums are a quadratic form whose mean and variance are these.

    >>> equal = np.full((1, 10), 20.0)
    >>> [round(x, 6) for x in cluster_freedom(equal, equal, equal**2, 5.0)]
    [0.9, 9.0]
    >>> unequal = np.array([[100.0, 20, 20, 20, 20, 5, 5, 5, 5]])
    >>> [round(x, 2) for x in cluster_freedom(unequal, unequal, unequal**2, 20.0)]
    [0.42, 1.92]
    """
    least, most = float(alone.sum()), float(together.sum())
    shared = min(1.0, max(0.0, (effect - 1) * least / (most - least))) if most > least * (1 + 1e-9) else 0.0
    w, a = (1 - shared) * alone + shared * together, masses / masses.sum(axis=1, keepdims=True)
    total, inner = w.sum(axis=1), a @ a.T
    by, squared = w @ a.T, w @ (a * a).T  # weights of one kind of case with the shares of another
    mean = float((total * (1 + np.diag(inner)) - 2 * np.diag(by)).sum())
    spread: Any = 0.0
    for i, j in np.ndindex(inner.shape):
        s = inner[i, j]
        spread += (w[i] * w[j] * (1 + 2 * (s - a[i] - a[j]))).sum()
        spread += s * s * total[i] * total[j] + total[j] * squared[i, j] + total[i] * squared[j, i]
        spread += 2 * (by[i, j] * by[j, i] - s * total[j] * by[i, j] - s * total[i] * by[j, i])
    clusters = masses.shape[1]
    if not mean > 0 or not spread > 0:
        return ClusterFreedom.of_equal(clusters)
    return ClusterFreedom(mean / float(total.sum()), max(1.0, float(mean * mean / spread)))


def cells_by_cluster(mask: Any, flagged: Any, clusters: tuple[Array, int], weights: Array | None = None) -> Array:
    """The four cells (tp, fp, fn, tn) of each cluster; `clusters` holds the codes and the number of clusters.

    >>> cells_by_cluster([1, 0, 1, 0], [True, True, False, False], (np.array([0, 0, 1, 1]), 2))
    array([[1, 1, 0, 0],
           [0, 0, 1, 1]])
    """
    codes, count = clusters
    cell = 2 * (~np.asarray(flagged, dtype=bool)).astype(np.int64) + (np.asarray(mask) == 0)
    return np.bincount(codes * 4 + cell, weights, 4 * count).reshape(-1, 4)


def measure_slopes(name: str, cells: Any) -> Array:
    """The derivatives of a measure by the four cells (tp, fp, fn, tn); 0 where they cannot be determined.

    >>> measure_slopes("recall", [8, 4, 2, 6]).round(3)
    array([ 0.02,  0.  , -0.08,  0.  ])
    """
    return cell_slopes(measures.get(name).value, cells)


def cell_slopes(value: Callable[[Mapping[str, Any]], Any], cells: Any) -> Array:
    """The derivatives of a function of the four named cells, by small steps in both directions.

    >>> cell_slopes(lambda of: of["fp"] + 5 * of["fn"], [8, 4, 2, 6]).round(3)
    array([0., 1., 5., 0.])
    """
    counted = np.asarray(cells, dtype=np.float64)
    step, slope = STEP * float(counted.sum()), np.zeros(4)
    for place in range(4):
        up, down = (_moved(value, counted, place, sign * step) for sign in (1, -1))
        slope[place] = (up - down) / (2 * step)
    return np.nan_to_num(slope, nan=0.0, posinf=0.0, neginf=0.0)


def _moved(value: Callable[[Mapping[str, Any]], Any], cells: Array, place: int, step: float) -> float:
    moved = cells.copy()
    moved[place] += step
    return float(value(dict(zip(CELLS, moved.tolist(), strict=True))))
