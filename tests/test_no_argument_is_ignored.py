"""Every parameter of evaluate, compare and gate changes the answer, is refused, or is listed here with the reason."""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import rocscope as rs

RNG = np.random.default_rng(3)
N = 400
Y = RNG.integers(0, 2, N)
P = np.round(np.clip(Y * 0.25 + RNG.random(N) * 0.75, 0, 1), 4)
Q = np.round(np.clip(P + RNG.normal(0, 0.2, N), 0, 1), 4)
GROUP = np.array(["north", "south"])[RNG.integers(0, 2, N)]
FRAME = {
    "y": Y, "p": P, "q": Q, "w": RNG.random(N) + 0.1, "g": GROUP, "c": RNG.integers(0, 60, N), "f": np.arange(N) % 5,
}  # fmt: skip
TABLE = rs.ScoreTable.from_scores(Y, P)
HARD = (P > 0.5).astype(int)

# what is given for each parameter: for arrays, and for columns of a frame
GIVEN: dict[str, tuple[Any, Any]] = {
    "score": (Q, "q"), "scores": ({"a": Q, "b": P}, {"a": "q", "b": "p"}), "target": (Y, Y), "label": ("y", "g"),
    "predicted": (HARD, "f"), "positive": (0, 0), "labels": ([1, 0], [1, 0]), "weights": (FRAME["w"], "w"),
    "weights_are": ("frequency", "frequency"), "higher_is_positive": (False, False), "threshold": (0.3, 0.3),
    "choose": ("f1", "f1"), "choose_on": ((Y[:200], P[:200]), FRAME), "cross_fit": (5, 5),
    "clusters": (FRAME["c"], "c"),
    "by": ({"g": GROUP}, "g"), "crossed": (True, True), "fold": (FRAME["f"], "f"), "id": ("c", "c"),
    "costs": (rs.Costs(fp=1, fn=5), rs.Costs(fp=1, fn=5)), "level": (0.8, 0.8), "interval": ("delong", "delong"),
    "bootstrap": (200, 200), "seed": (7, 7), "unit": ("loan", "loan"), "name": ("new", "new"),
    "missing": ("drop", "drop"), "tolerance": (1e-3, 1e-3), "exact": (True, True), "budget": (0, 0),
    "cost_column": ({"fn": FRAME["w"], "fp": 1}, {"fn": "w", "fp": 1}),
    "refer": ("recall >= 0.9, precision >= 0.8", "recall >= 0.9, precision >= 0.8"),
    "margin": (0.05, 0.05),
    "test": ("mcnemar", "mcnemar"), "measure": ("brier", "brier"),
}  # fmt: skip

ALONE = {
    "progress": "it is called while resampling, and changes nothing",
    "missing": "nothing is missing in these columns",
    "infinite": "no score is infinite here; with one it is (below)",
    "exact": "these columns fit into memory, where everything is exact",
    "tolerance": "these columns fit into memory, where everything is exact",
    "seed": "nothing is drawn at random by default; with bootstrap= it is (below)",
}
"""Parameters that may leave the answer as it is, with the reason."""

CALLS: dict[str, tuple[Callable[..., Any], tuple[Any, ...], dict[str, Any], int]] = {
    "evaluate arrays": (rs.evaluate, (Y, P), {}, 0),
    "evaluate columns": (rs.evaluate, (FRAME,), {"label": "y", "score": "p"}, 1),
    "evaluate table": (rs.evaluate, (TABLE,), {}, 0),
    "compare arrays": (rs.compare, (Y, {"a": P, "b": Q}), {}, 0),
    "compare columns": (rs.compare, (FRAME,), {"label": "y", "score": ["p", "q"]}, 1),
}
CASES = [
    (call, parameter)
    for call, (function, given, _, _) in CALLS.items()
    for parameter in list(inspect.signature(function).parameters)[len(given) :]
]


def said(function: Callable[..., Any], given: tuple[Any, ...], named: dict[str, Any]) -> str:
    try:
        return json.dumps(function(*given, **named).to_dict(), sort_keys=True, default=str)
    except rs.RocscopeError as error:
        return f"refused: {error}"


@pytest.mark.parametrize(("call", "parameter"), CASES)
def test_it_changes_the_answer_or_is_refused(call: str, parameter: str) -> None:
    function, given, named, way = CALLS[call]
    if parameter in ALONE:
        return
    assert parameter in GIVEN, f"say in GIVEN what {parameter}= is tried with"
    usual = said(function, given, named)
    assert not usual.startswith("refused")
    assert said(function, given, {**named, parameter: GIVEN[parameter][way]}) != usual


def test_what_is_left_alone_has_its_effect_elsewhere() -> None:
    told: list[int] = []
    draws = {"bootstrap": 200, "choose": "youden"}
    rs.evaluate(Y, P, **draws, progress=lambda done, total: told.append(done)).to_dict()  # type: ignore[call-overload]
    assert told
    assert said(rs.evaluate, (Y, P), {**draws, "seed": 1}) != said(rs.evaluate, (Y, P), {**draws, "seed": 2})
    holed = {**FRAME, "p": np.where(np.arange(N) == 3, np.nan, P)}
    columns = {"label": "y", "score": "p"}
    assert said(rs.evaluate, (holed,), columns) != said(rs.evaluate, (holed,), {**columns, "missing": "drop"})
    wide = np.where(np.arange(N) == 3, np.inf, P)
    assert said(rs.evaluate, (Y, wide), {}) != said(rs.evaluate, (Y, wide), {"infinite": "ends"})
    rough = {**columns, "budget": 0, "tolerance": 0.5}
    assert said(rs.evaluate, (FRAME,), rough) != said(rs.evaluate, (FRAME,), {**rough, "exact": True})


def test_unknown_names_are_refused() -> None:
    calls: list[tuple[Any, tuple[Any, ...]]] = [
        (rs.evaluate, (Y, P)), (rs.compare, (Y, {"a": P, "b": Q})), (rs.gate, (rs.evaluate(Y, P), "auc >= 0")),
    ]  # fmt: skip
    for function, given in calls:
        with pytest.raises(TypeError, match="weight"):
            function(*given, weight=1)


@pytest.mark.parametrize("by", [GROUP, GROUP.astype(object), np.array([1.0])], ids=["text", "objects", "short"])
@pytest.mark.parametrize(
    "asked",
    [
        lambda by: rs.evaluate(Y, P, by=by),
        lambda by: rs.evaluate(Y, predicted=HARD, by=by),
        lambda by: rs.evaluate(FRAME, label="y", score="p", by=by),
        lambda by: rs.compare(Y, {"p": P, "q": Q}, by=by),
    ],
    ids=["scores", "labels", "frame", "compare"],
)
def test_slices_without_a_name_are_refused_with_what_to_write(asked: Callable[[Any], Any], by: Any) -> None:
    with pytest.raises(
        rs.RocscopeError, match=r'by must have a name, but it is an array without one. Give by=\{"region": regions\}'
    ):
        asked(by)
