"""Content of the teaching page for a class: shapes of curves, exercises by seed, the folds of resampling plans.

Everything is computed here, by the lessons and the plans themselves; the page only shows it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rocscope import lessons, splits
from rocscope.lessons import Exercise, Shape, subject
from rocscope.table import ScoreTable

# the four shapes compared in the lesson; the page has lists for the others
SHAPES = ("good", "reasonable", "fairly poor", "poor")
SEEDS = range(1, 31)
PLANS = ("5-fold", "10-fold", "5x2", "leave-one-out", "holdout", "bootstrap-10")
MOST = 20  # number of cases in the drawing of the folds
ROWS = 20  # maximum number of train/test pairs drawn


def cases_of(table: ScoreTable) -> list[dict[str, Any]]:
    """The cases of a table of counts, one by one.

    >>> cases_of(ScoreTable([0.5], [1], [0]))
    [{'score': 0.5, 'positive': True}]
    """
    return [
        {"score": score, "positive": positive}
        for score, pos, neg in zip(table.scores.tolist(), table.pos.tolist(), table.neg.tolist(), strict=True)
        for positive, count in ((True, int(pos)), (False, int(neg)))
        for _ in range(count)
    ]


def shapes() -> list[dict[str, Any]]:
    """The four shapes of curves as lists, with what each shape says about the scores.

    >>> [one["name"] for one in shapes()]
    ['good', 'reasonable', 'fairly poor', 'poor']
    """
    return [_shape(lessons.shape(name)) for name in SHAPES]


def _shape(shape: Shape) -> dict[str, Any]:
    (blocks,) = shape.models.values()
    levels = len(blocks)
    cases = [
        {"score": round(1 - (k + 0.5) / levels, 3), "positive": positive}
        for k, (pos, neg) in enumerate(blocks)
        for positive, count in ((True, pos), (False, neg))
        for _ in range(count)
    ]
    return {"name": shape.name, "says": shape.title, "cases": cases, "lines": [shape.says]}


def exercises() -> list[dict[str, Any]]:
    """The exercises of the first seeds, as from `rocscope exercise --seed`.

    >>> exercises()[16]["seed"]
    17
    """
    return [_exercise(lessons.exercise(seed)) for seed in SEEDS]


def _exercise(problem: Exercise) -> dict[str, Any]:
    content = {"seed": problem.seed, "title": problem.title, "text": problem.text, "solution": problem.solution}
    content["answers"] = [answer.text for answer in problem.answers]
    if problem.data_kind == "scores":
        content["cases"] = cases_of(subject(problem.data_kind, problem.data))
    return content


def plans() -> dict[str, Any]:
    """How plans divide twenty cases, half of them positive: the test cases of each pair, and how often a case
    trains.

    >>> plans()["plans"][0]["name"], len(plans()["plans"][0]["pairs"])
    ('5-fold', 5)
    """
    labels = [k % 2 for k in range(MOST)]
    return {"labels": labels, "plans": [_plan(name, labels) for name in PLANS]}


def _plan(name: str, labels: list[int]) -> Mapping[str, Any]:
    pairs = splits.plan(name, labels, seed=0)
    rows = [
        {"test": pair.test.tolist(), "train": [pair.train.tolist().count(case) for case in range(len(labels))]}
        for pair in list(pairs)[:ROWS]
    ]
    sizes = {"train": len(pairs[0].train), "test": len(pairs[0].test), "models": len(pairs)}
    return {"name": name, "says": pairs.says, "pairs": rows, **sizes}
