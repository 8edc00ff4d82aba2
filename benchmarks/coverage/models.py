"""Score models whose area under the ROC curve is known: a closed form or an exact sum, solved for its parameter."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import NDArray

import rocscope as rs

Array = NDArray[Any]
Shape = tuple[int, int]
Draw = Callable[[np.random.Generator, float, Shape, Shape], tuple[Array, Array]]
RATINGS = 5
SPREAD = 2.0  # standard deviation of the positives where the variances differ


@dataclass(frozen=True)
class Model:
    """How scores arise: `area` is the true AUC at a parameter, `solve` its inverse; `draw` makes both classes."""

    name: str
    says: str
    area: Callable[[float], float]
    solve: Callable[[float], float]
    draw: Draw


def bisect(rising: Callable[[float], float], target: float, low: float, high: float) -> float:
    """Where a rising function meets the target."""
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if rising(middle) < target else (low, middle)
    return (low + high) / 2


def phi(x: float) -> float:
    return NormalDist().cdf(x)


def quantile(share: float) -> float:
    return NormalDist().inv_cdf(share)


def binormal(spread: float) -> tuple[Callable[[float], float], Callable[[float], float], Draw]:
    """Negatives N(0, 1), positives N(m, spread²): AUC = Φ(m / sqrt(1 + spread²))."""
    width = math.sqrt(1 + spread * spread)

    def draw(generator: np.random.Generator, m: float, up: Shape, down: Shape) -> tuple[Array, Array]:
        return generator.normal(m, spread, up), generator.normal(0, 1, down)

    return lambda m: phi(m / width), lambda area: width * quantile(area), draw


def draw_exponential(generator: np.random.Generator, scale: float, up: Shape, down: Shape) -> tuple[Array, Array]:
    return generator.exponential(scale, up), generator.exponential(1.0, down)


def beta_area(a: float) -> float:
    """Positives Beta(a, 1), negatives Beta(1, a): 1 - Γ(a + 1)² / Γ(2a + 1)."""
    return 1 - math.exp(2 * math.lgamma(a + 1) - math.lgamma(2 * a + 1))


def draw_beta(generator: np.random.Generator, a: float, up: Shape, down: Shape) -> tuple[Array, Array]:
    return generator.random(up) ** (1 / a), 1 - generator.random(down) ** (1 / a)


def rating_shares(lean: float) -> Array:
    """The shares of the five ratings among positives, proportional to exp(lean · rating); negatives mirror them."""
    weights = np.exp(lean * (np.arange(RATINGS) - RATINGS + 1))
    return np.asarray(weights / weights.sum())


def ratings_area(lean: float) -> float:
    up = rating_shares(lean)
    down = up[::-1]
    return float(up @ (np.cumsum(down) - down / 2))


def draw_ratings(generator: np.random.Generator, lean: float, up: Shape, down: Shape) -> tuple[Array, Array]:
    shares = np.cumsum(rating_shares(lean))[:-1]
    first, second = (np.searchsorted(shares, generator.random(size), side="right") for size in (up, down))
    return first, RATINGS - 1 - second


def models() -> tuple[Model, ...]:
    """The five score models of the grid."""
    return (
        Model("binormal", "both classes normal with variance 1", *binormal(1.0)),
        Model("binormal, unequal", "normal, positives with standard deviation 2, negatives 1", *binormal(SPREAD)),
        Model(
            "exponential",
            "both classes exponential",
            lambda scale: scale / (1 + scale),
            lambda area: area / (1 - area),
            draw_exponential,
        ),
        Model(
            "beta",
            "probabilities, with positives Beta(a, 1) and negatives Beta(1, a)",
            beta_area,
            lambda area: bisect(beta_area, area, 1e-9, 60.0),
            draw_beta,
        ),
        Model(
            "ratings",
            "five ordered ratings with geometrically growing shares, and therefore many ties",
            ratings_area,
            lambda area: bisect(ratings_area, area, 0.0, 60.0),
            draw_ratings,
        ),
    )


def named(name: str) -> Model:
    return next(model for model in models() if model.name == name)


# ---- from scores to tables ----


def sorted_counts(up: Array, down: Array) -> tuple[Array, Array]:
    """Samples x entries: how many positives and negatives at each score, from the most positive down.

    Only ranks matter, so continuous scores become 0 and 1 in their order; ratings are counted.
    """
    if up.dtype.kind == "i":
        pos, neg = (np.stack([(x == r).sum(axis=1) for r in range(RATINGS - 1, -1, -1)], axis=1) for x in (up, down))
        return pos, neg
    order = np.argsort(-np.concatenate((up, down), axis=1), axis=1)
    pos = (order < up.shape[1]).astype(np.int64)
    return pos, 1 - pos


def table(pos: Array, neg: Array) -> rs.ScoreTable:
    """The score table of one sample, ranks standing for scores."""
    used = (pos + neg) > 0
    pos, neg = pos[used], neg[used]
    return rs.ScoreTable(np.arange(len(pos), 0, -1.0), pos, neg, rows=(int(pos.sum()), int(neg.sum())))
