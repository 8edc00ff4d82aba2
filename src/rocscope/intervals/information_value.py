"""The cost of not knowing the best option: the value of information at a threshold probability."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from rocscope import tally
from rocscope.errors import RocscopeError
from rocscope.intervals.influence import Array

NOBODY, EVERYBODY = "flag nobody", "flag everybody"


class Information(NamedTuple):
    """The expected net benefit lost by not knowing which option is best, and how often each option is best."""

    value: float
    best: str
    shares: dict[str, float]
    threshold: float
    replicates: int

    def per_year(self, cases: float) -> float:
        """The cost, in net true positives, of not knowing which option is best, for the given number of cases."""
        return self.value * cases


def perfect_information(benefits: Any) -> float:
    """The expected value of perfect information: the mean of the row maxima minus the maximum of the column means.

    Reference: Sadatsafavi, Lee & Gustafson 2023, Med Decis Making 43:564-575.

    >>> round(perfect_information([[0.02, 0.015, 0], [0.01, 0.02, 0], [0.03, 0.01, 0]]), 6)
    0.003333
    """
    rows = np.asarray(benefits, dtype=np.float64)
    if rows.ndim != 2 or not rows.size or not np.isfinite(rows).all():
        raise RocscopeError("net benefits must be a table of numbers with replicates in rows and options in columns")
    return float(rows.max(axis=1).mean() - rows.mean(axis=0).max())


def value_of_information(
    y: Any, models: Mapping[str, Any], *, threshold: float, n: int = 2000, seed: int = 0, positive: Any = None
) -> Information:
    """The cost, in net true positives per case, of not knowing which model (or none) is best at a risk threshold.

    The cases are resampled; each model flags the cases whose probability reaches the threshold. The options are the
    models, flagging no one and flagging everyone. A value near 0 means that more labels would not change the choice.

    >>> y, a = [1, 0, 1, 0, 1, 0, 0, 0], [0.9, 0.3, 0.6, 0.4, 0.2, 0.1, 0.7, 0.2]
    >>> found = value_of_information(y, {"a": a}, threshold=0.5)
    >>> found.best, found.shares["flag nobody"] < 0.4
    ('a', True)
    """
    if not 0 < threshold < 1:
        raise RocscopeError(f"threshold is a risk and must lie between 0 and 1, not {threshold}")
    if isinstance(n, bool) or n < 100:
        raise RocscopeError(f"the number of replicates must be at least 100, not {n}")
    mask, _ = tally.binary(y, positive)
    flagged = {name: np.asarray(tally.numeric(column, name)) >= threshold for name, column in models.items()}
    for name, column in flagged.items():
        if len(column) != len(mask):
            raise RocscopeError(f"{name} has {len(column)} scores, but there are {len(mask)} labels")
    benefits = _benefits(mask == 1, flagged, threshold, n, seed)
    names = (*flagged, NOBODY, EVERYBODY)
    won = np.bincount(benefits.argmax(axis=1), minlength=len(names)) / n
    best = names[int(benefits.mean(axis=0).argmax())]
    return Information(perfect_information(benefits), best, dict(zip(names, won.tolist(), strict=True)), threshold, n)


def _benefits(positive: Array, flagged: Mapping[str, Array], threshold: float, n: int, seed: int) -> Array:
    """The net benefit of every option in every replicate, drawn by the pattern of label and decisions of a
    case.
    """
    decisions = np.stack([*flagged.values(), np.zeros_like(positive), np.ones_like(positive)])
    patterns, counts = np.unique(np.vstack([positive, decisions]), axis=1, return_counts=True)
    cases = len(positive)
    drawn = np.random.default_rng(seed).multinomial(cases, counts / cases, size=n)
    odds = threshold / (1 - threshold)
    worth = np.where(patterns[0], 1.0, -odds) * patterns[1:]
    return np.asarray(drawn @ worth.T / cases)
