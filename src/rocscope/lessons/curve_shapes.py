"""Small fixed data sets, each a shape of ROC curve with its description: for teaching, drawing and testing.

>>> [one.name for one in shapes()][:4]
['good', 'fairly poor', 'reasonable', 'poor']
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING

from rocscope.lessons.records import pick

if TYPE_CHECKING:
    from rocscope.table import ScoreTable

Levels = tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class Shape:
    """One or more models on the same classes, given as (positives, negatives) at each score from the top down."""

    name: str
    title: str
    models: Mapping[str, Levels]
    says: str

    def cases(self, model: str = "") -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Labels and scores, case by case: scores count down to 1, positives first within a tie."""
        levels = self._levels(model)
        rows = [
            (label, score)
            for score, (pos, neg) in zip(range(len(levels), 0, -1), levels, strict=True)
            for label in (1,) * pos + (0,) * neg
        ]
        return tuple(label for label, _ in rows), tuple(score for _, score in rows)

    def table(self, model: str = "") -> ScoreTable:
        """The score table of a model, the first one unless it is named."""
        from rocscope.table import ScoreTable

        y, scores = self.cases(model)
        return ScoreTable.from_scores(list(y), list(scores))

    def _levels(self, model: str) -> Levels:
        found: Levels = pick(model or next(iter(self.models)), self.models, "model")
        return found


def _one(levels: Levels) -> Mapping[str, Levels]:
    return MappingProxyType({"model": levels})


def _ranking(order: str) -> Levels:
    """One case for each score, + positive, - negative."""
    return tuple((int(mark == "+"), int(mark == "-")) for mark in order)


_SHAPES: tuple[Shape, ...] = (
    Shape(
        name="good",
        title="Good separation, convex",
        models=_one(((9, 0), (6, 1), (3, 2), (1, 5), (1, 12))),
        says="The slopes fall all along: the curve is its own hull. Every score level is richer in positives than "
        "the next, so the scores order the cases well and could be read as probabilities after calibration.",
    ),
    Shape(
        name="fairly poor",
        title="Fairly poor separation, mostly convex",
        models=_one(((4, 2), (4, 3), (3, 3), (3, 4), (3, 3), (2, 3), (1, 2))),
        says="The curve stays near the diagonal and is almost convex. One small dent: two levels are in the "
        "wrong order. The ranking holds a little information everywhere.",
    ),
    Shape(
        name="reasonable",
        title="Reasonable separation, mostly convex",
        models=_one(((7, 1), (4, 1), (3, 2), (1, 2), (3, 2), (1, 4), (1, 8))),
        says="The curve rises fast and bends over, with a small dent near the middle. Most thresholds are worth "
        "having; those inside the dent are not.",
    ),
    Shape(
        name="poor",
        title="Poor separation, large and small concavities",
        models=_one(((5, 1), (0, 4), (6, 2), (2, 2), (1, 3), (3, 3), (1, 2), (2, 3))),
        says="The curve bends in and out again and again. In the large dent a stretch of the ranking is "
        "backwards: negatives sit above positives. The hull jumps over it.",
    ),
    Shape(
        name="random",
        title="Guessing",
        models=_one(((2, 4), (3, 6), (2, 4), (3, 6))),
        says="At every score the same share is positive, so each threshold flags the same share of both classes: "
        "the diagonal, AUC 1/2. A real random order only comes near it.",
    ),
    Shape(
        name="perfect",
        title="Every positive first",
        models=_one(_ranking("+++++-----")),
        says="Straight up to (0, 1), then right: AUC 1. On real data look for a column that gives the label away.",
    ),
    Shape(
        name="inverted",
        title="Every negative first",
        models=_one(_ranking("-----+++++")),
        says="Right to (1, 0), then up: AUC 0. The ranking is perfect, read backwards: 1 - AUC is 1. Most often a "
        "label or a sign is swapped.",
    ),
    Shape(
        name="all tied",
        title="One score for everyone",
        models=_one(((5, 5),)),
        says="One diagonal move from (0, 0) to (1, 1): AUC 1/2, because every pair is a tie and counts one half.",
    ),
    Shape(
        name="crossing",
        title="Crossing curves: nearest the corner is not cheapest",
        models=MappingProxyType(
            {"wide": ((4, 1), (11, 4), (4, 5), (1, 10)), "steep": ((11, 0), (1, 1), (3, 8), (5, 11))}
        ),
        says="'wide' has the larger AUC and the point nearest (0, 1), at (1/4, 3/4). Yet that point is never cheapest: "
        "from slope 7/9 on 'steep' costs less, since it finds 12 of 20 with one false alarm; below 7/9 'wide' at "
        "(1/2, 19/20) does.",
    ),
)

_BY_NAME: Mapping[str, Shape] = MappingProxyType({one.name: one for one in _SHAPES})


def shapes() -> tuple[Shape, ...]:
    """All shapes: the four of the founding documents first."""
    return _SHAPES


def shape(name: str) -> Shape:
    """The shape of that name.

    >>> shape("perfect").cases()[0]
    (1, 1, 1, 1, 1, 0, 0, 0, 0, 0)
    """
    found: Shape = pick(name, _BY_NAME, "shape")
    return found
