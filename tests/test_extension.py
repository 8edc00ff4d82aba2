"""What one declaration gives: a test or a plan added at run time is found wherever tests and plans are asked for."""

from __future__ import annotations

import contextlib
import io
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import rocscope as rs
from rocscope import cli, significance, splits
from rocscope.errors import RocscopeError
from rocscope.estimate import Estimate
from rocscope.significance.declared_tests import _DECLARED as TESTS
from rocscope.splits.base import DECLARED as PLANS

Y = [0, 1] * 20
X = np.column_stack([np.arange(40) % 7, np.arange(40) % 5]).astype(float)
SCORES = {"a": [0.1 * (i % 9) for i in range(40)], "b": [0.1 * (i % 4) for i in range(40)]}


@pytest.fixture(scope="module", autouse=True)
def declared() -> Iterator[None]:
    @significance.difference("toy-scores", takes=significance.TWO_SCORES, says="a toy", cite="nobody")
    def toy_scores(y: Any, a: Any, b: Any, *, level: float = 0.95) -> Estimate:
        return Estimate(float(np.mean(a) - np.mean(b)), -1.0, 1.0, level, "toy", p=0.5)

    @significance.difference("toy-folds", takes=significance.FOLDS, says="a toy", cite="nobody")
    def toy_folds(diffs: Any, *, level: float = 0.95) -> Estimate:
        return Estimate(float(np.median(diffs)), -1.0, 1.0, level, "toy", p=0.25)

    @splits.plan_name("two-halves", r"two-halves(-(?P<repeats>\d+))?")
    @dataclass(frozen=True, slots=True)
    class TwoHalves(splits.Plan):
        """The first half trains, the second is tested, and the other way round."""

        repeats: int = 1

        def pairs(self, y: Any, groups: Any = None) -> splits.Pairs:
            """The two pairs."""
            cases = splits.Cases.of(y, groups)
            halves = np.array_split(np.arange(cases.n), 2)
            return splits.Pairs([halves, halves[::-1]] * self.repeats, cases=cases, plan=self, says="two halves")

    yield
    for registry, name in ((TESTS, "toy-scores"), (TESTS, "toy-folds"), (PLANS, "two-halves")):
        for held in (registry._entries, registry._names, registry._owners):  # other test files see none of them
            held.pop(name, None)
            held.pop(name.replace("-", "_"), None)


def run(*arguments: str) -> tuple[int, str]:
    """The exit code and the output of a command, in this process."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        code = cli.main(list(arguments))
    return code, out.getvalue()


def test_a_declared_test_is_found_by_compare() -> None:
    found = rs.compare(Y, SCORES, test="toy-scores").differences[0]
    assert (found.estimate.method, found.estimate.p) == ("toy", 0.5)
    with pytest.raises(RocscopeError, match="takes 5 x 2 differences; this comparison uses scores"):
        rs.compare(Y, SCORES, test="5x2-f").differences  # noqa: B018
    with pytest.raises(RocscopeError, match="does not support weights"):
        rs.compare(Y, SCORES, test="toy-scores", weights=[1.0] * 40).differences  # noqa: B018


def test_a_declared_test_is_found_by_validate() -> None:
    va = rs.validate(["nb", "majority"], X, Y, plan="4-fold", test="toy_folds")
    assert va.compare()[0].estimate.p == 0.25 and va.to_dict()["test"] == "toy-folds"
    assert va.compare("toy-scores", ("auc",))[0].estimate.p == 0.5
    with pytest.raises(RocscopeError, match="this plan is stratified holdout"):
        rs.validate(["nb", "majority"], X, Y, plan="holdout", test="toy-folds")


def test_a_declared_plan_is_found_by_name() -> None:
    assert len(splits.plan("two-halves", Y)) == 2 and splits.named("two-halves-3").get_n_splits(X, Y) == 6
    va = rs.validate("nb", X, Y, plan="two-halves")
    assert [fold.train for fold in va.folds] == [20, 20]


def test_declared_tests_and_plans_are_found_by_the_command_line(tmp_path: Any) -> None:
    rows = [f"{y},{a},{b}" for y, a, b in zip(Y, SCORES["a"], SCORES["b"], strict=True)]
    (tmp_path / "data.csv").write_text("\n".join(["y,a,b", *rows]))
    base = ["compare", str(tmp_path / "data.csv"), "--label", "y", "--score", "a", "--score", "b", "--format", "json"]
    code, said = run(*base, "--test", "toy-scores")
    assert code == 0 and '"method": "toy"' in said
    words = ["validate", str(tmp_path / "data.csv"), "--target", "y", "--model", "nb", "--model", "majority"]
    code, said = run(*words, "--plan", "two-halves-2", "--test", "toy-folds", "--format", "json")
    assert code == 0 and '"method": "toy"' in said
