"""Every parameter of every public function and method changes the answer or is refused, or stands here with the reason.

The functions and their parameters are read from the signatures; the calls are those that the examples of the
documentation make, and those of more_calls.toml. In each call one argument is exchanged for others of its kind, and for
one that nothing has a use for: some exchange must show in what the call gives, changes, prints or writes, or be
refused. What the recorded calls give is pickled, too.
"""

from __future__ import annotations

import dataclasses
import pickle
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import recorded_calls
from recorded_calls import PublicFunction, answer, python_reference, registries_kept

import rocscope as rs

pytest.importorskip("sklearn")
pytest.importorskip("matplotlib")

SCIKIT_LEARN = "scikit-learn's interface passes it, and a plan with a fixed number of pairs does not need it"
BY_CONSTRUCTION = "the sentence holds by construction of the plan, for any of its pairs"

WITHOUT_EFFECT: dict[str, str] = {
    **dict.fromkeys(
        ("curves.rate_range.name", "estimate.checked_cases.name", "estimate.checked_share.name",
         "estimate.checked_share.hint",
         "multiclass.indicators.name", "recalibration.Calibrator.of_dict.name", "splits.need_scikit_learn.what"),
        "it stands in the messages of refusals alone",
    ),
    "multiclass.ClassRanking.average.name": "it stands in the reason for what is undefined alone",
    "decisions.best_rows.exact": "ties are the same in floats and in fractions where counts are small",
    "decisions.first_best.along": "it gives what the other arguments give, where those do not decide",
    "significance.joint_delong.higher_is_positive": "with all rankings reversed the areas differ by as much",
    **{f"splits.{plan}.overlap.pairs": BY_CONSTRUCTION
       for plan in ("Disjoint", "FiveByTwo", "Folds", "Nested", "TimeOrdered")},
    **{f"splits.{plan}.get_n_splits.{name}": SCIKIT_LEARN
       for plan in ("Nested", "Plan", "Splitter") for name in ("X", "y", "groups")},
    "intervals.Selection.stretch.level": "it counts for few clusters, where t takes the place of the normal",
    "intervals.Selection.stretch.value": "it counts for few clusters, whose degrees of freedom are those of the value",
    "validation.validate.memory": "it adds what was measured to the section of times, which is never twice the same",
    "report.teaching.source": "it stands in the note about tables that are shown in part",
    "evaluation.ModelFile.needed.first": "it shows where weights or slices are asked for",
    "evaluation.evaluated_tables.progress": "it is called while resampling, and changes nothing",
}  # fmt: skip
"""Parameters whose exchange may show nowhere, with the reason."""

NOT_CALLED: dict[str, str] = {
    "decisions.Criterion.most": "a limit that long curves need; tests/test_decisions.py holds it against brute force",
    "intervals.Selection.wider": "it widens differences in cost inside compare(), which is tried with costs",
    **dict.fromkeys(
        ("multiclass.ClassRanking.table", "multiclass.ClassRanking.pair"),
        "ClassScores and ClassSums each have their own, which are called",
    ),
    **dict.fromkeys(
        ("multiclass.LabelSums.save", "multiclass.LabelSums.load"),
        "they write and read a file, which tests/test_beyond_memory.py does",
    ),
    "splits.Plan.pairs_of": "every plan has its own",
    "splits.Plan.overlap": "every plan has its own",
}
"""Functions that no example calls, with the reason."""


DEFINITIONS: dict[str, str] = {
    **dict.fromkeys(
        ("Measure", "Reading", "Criterion", "Statistic", "CaseStatistic", "Term"),
        "a definition by a function, found by its name",
    ),
    "Sheet": "a text in the making; what it is printed as is pickled",
}
"""Kinds of values of rocscope that are not pickled, with the reason."""


class Unusable:
    """A value that no function has a use for."""

    def __repr__(self) -> str:
        return "Unusable()"


def exchanged(value: Any) -> Iterator[Any]:
    """Other values of the same kind, and one of none."""
    if isinstance(value, bool):
        yield not value
    elif value is None:
        yield from (False, 3, "no such name")
    elif isinstance(value, int | np.integer):
        yield from (value + 1, max(0, value - 1), -7)
    elif isinstance(value, float | np.floating):
        yield from (value * 0.9, value + 0.37, -7.0)
    elif isinstance(value, str):
        yield from ("no such name", value.upper())
    elif isinstance(value, np.ndarray) and value.dtype.kind in "iuf" and value.size:
        yield from (value[::-1], value + 1, value[:-1])
    elif type(value) in (list, tuple) and value:
        yield from (value[::-1], value[:-1])
    elif isinstance(value, Mapping) and value:
        yield dict(list(value.items())[:-1])
    elif isinstance(value, rs.ScoreTable):
        yield rs.ScoreTable.from_scores([1, 0, 1, 0, 0], [0.9, 0.7, 0.7, 0.6, 0.2])
    elif isinstance(value, rs.Counts):
        yield rs.Counts(tp=8, fp=2, fn=5, tn=30)
    yield Unusable()


@cache
def functions() -> dict[str, PublicFunction]:
    return recorded_calls.recorded()


def without_effect(function: PublicFunction, folder: Path) -> set[str]:
    """The parameters whose exchange shows in none of the recorded calls."""
    import matplotlib.pyplot as plt

    left = set(function.parameters)
    for given in function.calls:
        if not left:
            break
        usual = said(function, given, folder)
        assert said(function, given, folder) == usual, f"{function.name} answers the same call in two ways"
        for name in left & set(given):
            if any(said(function, {**given, name: one}, folder) != usual for one in exchanged(given[name])):
                left.discard(name)
    plt.close("all")
    return left


def said(function: PublicFunction, given: dict[str, Any], folder: Path) -> str:
    with registries_kept():
        return answer(function, given, folder)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("package", python_reference.PACKAGES)
def test_every_parameter_counts(package: str, tmp_path: Path) -> None:
    own = {name: one for name, one in functions().items() if name.startswith(f"{package}.")}
    assert own or package == "errors"
    never = {name for name, one in own.items() if one.parameters and not one.calls}
    assert never <= set(NOT_CALLED), never - set(NOT_CALLED)
    found = {f"{name}.{one}" for name, function in own.items() for one in without_effect(function, tmp_path)
             if name not in never}  # fmt: skip
    listed = {name for name in WITHOUT_EFFECT if name.startswith(f"{package}.")}
    assert found == listed, {"ignored": sorted(found - listed), "no longer": sorted(listed - found)}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("package", python_reference.PACKAGES)
def test_what_it_gives_is_pickled(package: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import matplotlib.pyplot as plt

    monkeypatch.chdir(tmp_path)
    for name, function in functions().items():
        if name.startswith(f"{package}.") and function.calls:
            given = {one: recorded_calls.copied(value) for one, value in function.calls[0].items()}
            try:
                with registries_kept():
                    made = function.call(given)
            except Exception:  # an example of a refusal, or of a file that is gone
                continue
            kind = type(made)
            if kind.__module__.startswith("rocscope.") and kind.__name__ not in DEFINITIONS:
                again = pickle.loads(pickle.dumps(made))
                assert type(again) is kind
                if kind.__eq__ is not object.__eq__ and dataclasses.is_dataclass(kind) and kind.__name__ != "Gate":
                    assert again == made, name  # a gate holds an evaluation, which is equal to itself alone
    plt.close("all")


def test_the_test_sees_an_argument_that_is_ignored(tmp_path: Path) -> None:
    import inspect

    def half(value: float, unused: float = 1.0, *, doubled: bool = False) -> float:
        return value if doubled else value / 2

    tried = PublicFunction("half", half, inspect.signature(half), [{"value": 3.0, "unused": 1.0, "doubled": False}])
    assert without_effect(tried, tmp_path) == {"unused"}


def test_every_exemption_names_a_parameter() -> None:
    known = {f"{name}.{one}" for name, function in functions().items() for one in function.parameters}
    assert set(WITHOUT_EFFECT) <= known and all(WITHOUT_EFFECT.values()) and all(NOT_CALLED.values())
