"""One comparison over several data sets, each cross-validated: a hierarchical model of the differences."""

from __future__ import annotations

from typing import Any

import numpy as np

from rocscope.errors import RocscopeError
from rocscope.estimate import Estimate
from rocscope.numbers import checked_level
from rocscope.significance.declared_tests import difference
from rocscope.significance.equivalence import Posterior, checked_margin
from rocscope.significance.inputs import Array, vector
from rocscope.significance.resampled import corrected_t

GRID = 400  # number of grid points for the standard deviation between data sets


@difference(
    "bayesian-hierarchical",
    takes="data sets x folds of differences, train and test sizes, rope",
    says="how likely is it that the first model is worse, practically equal or better on the next data set",
    cite="Corani, Benavoli, Demsar, Mangili & Zaffalon, Mach Learn 2017;106:1817-1837",
)
def bayesian_hierarchical(diffs: Any, train: Any, test: Any, *, rope: float, level: float = 0.95) -> Posterior:
    """The probabilities that one learner is worse, practically equal or better on a new data set, from the folds of
    several data sets.

    Each row of `diffs` holds the fold differences of one data set, whose mean has the variance of `corrected_t`; the
    true differences of data sets vary normally around their mean. Mean and spread have flat priors; the spread is
    integrated on a grid, so no random draws are needed. `train` and `test` are sizes, one for all data sets or one for
    each. The estimate is the mean over data sets with its credible interval. Reference: Corani, Benavoli, Demsar,
    Mangili & Zaffalon, Mach Learn 2017;106:1817-1837 (who let the differences vary as Student's t).

    >>> folds = [[.02, .01, .03, .02], [.03, .02, .04, .01], [.01, 0, .02, .02], [.05, .03, .04, .02]]
    >>> print(bayesian_hierarchical(folds, 80, 20, rope=0.01))
    worse 0.04, equivalent (within 0.01) 0.11, better 0.85
    """
    level, margin = checked_level(level), checked_margin("rope", rope, zero=True)
    rows = [vector("diffs", row, least=2) for row in diffs]
    if len(rows) < 3:
        raise RocscopeError(f"estimating the variation between data sets requires at least 3 of them, not {len(rows)}")
    sizes = [np.broadcast_to(np.asarray(size, dtype=np.float64), (len(rows),)) for size in (train, test)]
    means = np.array([row.mean() for row in rows])
    variances = np.array([
        (corrected_t(row, float(n), float(m), level=level).se or 0.0) ** 2
        for row, n, m in zip(rows, *sizes, strict=True)
    ])  # fmt: skip
    # a data set without observed variance is still not known exactly
    floor = max(1e-18, 1e-6 * float(np.mean(variances)))
    weights, centers, spreads, taus = _posterior(means, np.maximum(variances, floor))
    beyond = np.sqrt(spreads + taus**2)
    left = float(weights @ _below((-margin - centers) / beyond))
    right = float(weights @ _below((centers - margin) / beyond))
    value = float(weights @ centers)
    ends = [_quantile(share, weights, centers, np.sqrt(spreads)) for share in ((1 - level) / 2, (1 + level) / 2)]
    method = "Bayesian hierarchical, normal"
    estimate = Estimate(value, ends[0], ends[1], level, method)
    return Posterior(left, max(0.0, 1 - left - right), right, margin, estimate, method)


def _posterior(means: Array, variances: Array) -> tuple[Array, Array, Array, Array]:
    """Of each spread between data sets: its weight, and the mean and variance of the mean difference given it."""
    widest = 10 * float(means.std(ddof=1)) + 10 * float(np.sqrt(variances.mean()))
    taus = (np.arange(GRID) + 0.5) / GRID
    taus = widest * taus**2  # denser near 0
    total = variances[None, :] + taus[:, None] ** 2
    spreads = 1 / (1 / total).sum(axis=1)
    centers = spreads * (means[None, :] / total).sum(axis=1)
    logs = -0.5 * (np.log(total) + (means[None, :] - centers[:, None]) ** 2 / total).sum(axis=1)
    logs += 0.5 * np.log(spreads) + 0.5 * np.log(taus)  # a grid point represents a width in proportion to √tau
    weights = np.exp(logs - logs.max())
    return weights / weights.sum(), centers, spreads, taus


def _below(z: Array) -> Array:
    from scipy.special import ndtr

    return np.asarray(ndtr(z))


def _quantile(share: float, weights: Array, centers: Array, errors: Array) -> float:
    """The quantile of a mixture of normal distributions, by halving."""
    low, high = float((centers - 12 * errors).min()), float((centers + 12 * errors).max())
    for _ in range(80):
        middle = (low + high) / 2
        if float(weights @ _below((middle - centers) / errors)) < share:
            low = middle
        else:
            high = middle
    return (low + high) / 2
