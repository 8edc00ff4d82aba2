"""How sure the mean AUCs of several classes are: one-vs-rest, one-vs-one and pooled."""

from __future__ import annotations

import math
from itertools import permutations
from typing import Any, NamedTuple

import numpy as np

from rocscope.estimate import Estimate, undefined
from rocscope.intervals.auc_intervals import auc, auc_clustered
from rocscope.intervals.influence import Array
from rocscope.intervals.paired_cases import PairedCases
from rocscope.multiclass import ClassScores
from rocscope.numbers import checked_level, one_of

MEANS = ("macro", "weighted", "micro", "hand-till")


class ClassPart(NamedTuple):
    """One AUC of the mean: its share, its estimate, the cases it ranks and what each adds to it."""

    share: float
    estimate: Estimate
    cases: Array
    adds: Array


def mean_auc(scores: ClassScores, how: str = "macro", *, level: float = 0.95) -> Estimate:
    """The mean AUC over classes with an interval that allows for all its parts ranking the same cases.

    Limits of the parts (`auc`) are joined by MOVER: A - sqrt(ΣΣ w_a w_b r_ab (A_a - l_a)(A_b - l_b)), where r is the
    correlation of the parts from DeLong's placements within each class, 1 where it is not seen. With two classes and
    complementary scores that is the interval of the one AUC. "micro" pools the decisions; those about one case are a
    cluster. Zou & Donner, Stat Med 2008;27:1693-1702; DeLong et al., Biometrics 1988;44:837-845.

    >>> c = ClassScores.of([0, 0, 1, 1, 2, 2], [[.8, .1, .1], [.5, .3, .2], [.2, .7, .1], [.4, .3, .3], [.1, .3, .6],
    ...                                         [.3, .3, .4]])
    >>> print(mean_auc(c), mean_auc(c, "hand-till"))
    0.94 [0.42, 0.99] 0.94 [0.35, 0.99]
    """
    level = checked_level(level)
    one_of("mean", how, MEANS)
    if how == "micro":
        return _pooled(scores, level)
    parts = [part for part in _parts(scores, how, level) if not math.isnan(part.estimate.value)]
    total = sum(part.share for part in parts)
    name = f"newcombe, mean of {len(parts)} (MOVER)"
    if not total:
        return undefined("no class has cases of its own and others", level=level, method=name)
    value = sum(part.share * part.estimate.value for part in parts) / total
    below, above = (
        np.array([part.share / total * abs(part.estimate.value - getattr(part.estimate, side)) for part in parts])
        for side in ("low", "high")
    )
    alike = _correlations(parts, scores)
    low, high = value - _length(below, alike), value + _length(above, alike)
    return Estimate(value, max(0.0, low), min(1.0, high), level, name)


def _length(sides: Array, alike: Array) -> float:
    return math.sqrt(max(0.0, float(sides @ alike @ sides)))


def _pooled(scores: ClassScores, level: float) -> Estimate:
    cases, classes = scores.scores.shape
    hit = scores.codes[:, None] == np.arange(classes)
    weights = None if scores.weights is None else np.repeat(scores.weights, classes)
    owner = np.repeat(np.arange(cases), classes)
    return auc_clustered(hit.ravel(), scores.scores.ravel(), owner, weights=weights, level=level)


# ---- the parts of a mean ----


def _parts(scores: ClassScores, how: str, level: float) -> list[ClassPart]:
    everyone = np.arange(len(scores.codes))
    if how != "hand-till":
        shares = scores.support if how == "weighted" else np.ones(len(scores.labels))
        return [
            _part(scores, at, everyone, float(share), level)
            for at, share in enumerate(shares)
            if scores.support[at] > 0
        ]
    present = np.flatnonzero(scores.support > 0).tolist()
    pairs = permutations(present, 2)
    return [
        _part(scores, i, np.flatnonzero((scores.codes == i) | (scores.codes == j)), 1.0, level) for i, j in pairs
    ]


def _part(scores: ClassScores, at: int, cases: Array, share: float, level: float) -> ClassPart:
    """One class against the others among some cases, scored by its own column."""
    hit = scores.codes[cases] == at
    column = scores.scores[cases, at]
    weights = None if scores.weights is None else scores.weights[cases]
    if hit.all():
        return ClassPart(share, undefined("one class only", level=level), cases, np.zeros(len(cases)))
    rows = PairedCases.of(hit, [column], positive=True, weights=weights)
    placed = rows.placements(0)
    adds = np.where(hit, placed / max(1, hit.sum()), placed / max(1, (~hit).sum()))
    return ClassPart(share, auc(rows.table(0), level=level), cases, adds)


def _correlations(parts: list[ClassPart], scores: ClassScores) -> Array:
    """The correlation of the parts, cases resampled within their class; 1 where a part's spread is not seen."""
    alike = np.ones((len(parts), len(parts)))
    if scores.weights is not None:
        return alike  # the widest: placements of weighted cases do not say it
    covariance = sum(_within(parts, np.flatnonzero(scores.codes == at), len(scores.codes)) for at in _several(scores))
    spread = np.sqrt(np.diag(covariance)) if np.ndim(covariance) else np.zeros(len(parts))
    seen = spread > 0
    both = np.ix_(seen, seen)
    alike[both] = np.asarray(covariance)[both] / np.outer(spread[seen], spread[seen]) if seen.any() else alike[both]
    np.fill_diagonal(alike, 1.0)
    return np.clip(alike, -1.0, 1.0)


def _several(scores: ClassScores) -> list[int]:
    """The classes with two cases at least, in which a spread can be seen."""
    return np.flatnonzero(np.bincount(scores.codes) > 1).tolist()


def _within(parts: list[ClassPart], members: Array, cases: int) -> Any:
    """What the cases of one class add to the covariance of the parts."""
    added = np.zeros((len(parts), len(members)))
    place = np.full(cases, -1)
    place[members] = np.arange(len(members))
    for row, part in enumerate(parts):
        mine = place[part.cases]
        added[row, mine[mine >= 0]] = part.adds[mine >= 0]
    added -= added.mean(axis=1, keepdims=True)
    return added @ added.T * (len(members) / (len(members) - 1))
