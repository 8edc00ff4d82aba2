"""All pairs of models at once: simultaneous limits against Tukey's range, the family-wise error, and the document."""

from __future__ import annotations

import json
from itertools import combinations
from typing import Any

import numpy as np
import pytest

import rocscope as rs
from rocscope import intervals, significance
from rocscope.evaluation.cost_differences import cost_covariance, cost_difference


@pytest.mark.parametrize("models", [3, 5, 10, 20])
def test_independent_models_give_the_studentized_range(models: int) -> None:
    stats = pytest.importorskip("scipy.stats")
    wanted = stats.studentized_range.ppf(0.95, models, np.inf) / np.sqrt(2)
    found = significance.max_t(np.eye(models), n=40_000)
    assert found.critical == pytest.approx(wanted, abs=0.04)
    assert found.p(wanted) == pytest.approx(0.05, abs=0.006)


def test_few_cases_reach_as_far_as_tukeys_range() -> None:
    stats = pytest.importorskip("scipy.stats")
    wanted = stats.studentized_range.ppf(0.95, 5, 12) / np.sqrt(2)
    assert significance.max_t(np.eye(5), df=12, n=40_000).critical == pytest.approx(wanted, abs=0.05)


def test_two_models_are_one_look_and_copies_add_none() -> None:
    z = 1.959963984540054
    assert significance.max_t([[2, 1], [1, 3]]).critical == pytest.approx(z)
    copies = np.array([[2.0, 2, 1], [2, 2, 1], [1, 1, 3]])  # the first two are the same model
    assert significance.max_t(copies).critical == pytest.approx(z, abs=0.04)
    with pytest.raises(rs.RocscopeError, match="finite"):
        significance.max_t([[1, np.nan], [np.nan, 1]])


def test_the_same_seed_gives_the_same_limits() -> None:
    first, second = (significance.max_t(np.eye(4), seed=seed).critical for seed in (3, 3))
    assert first == second != significance.max_t(np.eye(4), seed=4).critical


def models(rng: Any, cases: int, many: int) -> tuple[Any, dict[str, Any]]:
    y = (np.arange(cases) % 3 == 0).astype(int)
    shared = rng.normal(0, 1, cases)
    return y, {f"m{k}": y + 0.7 * shared + rng.normal(0, 0.7, cases) for k in range(many)}


def test_the_family_wise_error_of_equal_models() -> None:
    """Five equal models, 300 samples: some pair is called different in about 5 %; three standard errors are allowed."""
    rng, wrong = np.random.default_rng(0), 0
    for _ in range(300):
        y, scores = models(rng, 150, 5)
        pairs = rs.compare(y, scores).pairs
        wrong += any(one.estimate.low > 0 or one.estimate.high < 0 for one in pairs)
    assert wrong / 300 <= 0.05 + 3 * (0.05 * 0.95 / 300) ** 0.5


def test_limits_p_and_the_differences_of_two_models_agree() -> None:
    rng = np.random.default_rng(1)
    y, scores = models(rng, 200, 4)
    for costs in (None, rs.Costs(fp=1, fn=3)):
        cmp = rs.compare(y, scores, costs=costs)
        assert [(one.a, one.b) for one in cmp.pairs] == list(combinations(scores, 2))
        single = {(one.a, one.b): one.estimate for one in (cmp.cost_differences if costs else cmp.differences)}
        for one in cmp.pairs:
            settled = one.estimate.low > 0 or one.estimate.high < 0
            assert settled == (one.p_adjusted <= 0.05), one
            if (one.a, one.b) in single:
                alone = single[one.a, one.b]
                assert one.estimate.low < alone.low and alone.high < one.estimate.high
        two = rs.compare(y, dict(list(scores.items())[:2]), costs=costs)
        own = (two.cost_differences if costs else two.differences)[0]
        sign = 1 if (own.a, own.b) == (two.pairs[0].a, two.pairs[0].b) else -1
        ends = sorted((sign * own.estimate.low, sign * own.estimate.high))
        assert [two.pairs[0].estimate.low, two.pairs[0].estimate.high] == pytest.approx(ends)


def test_a_pair_has_one_adjusted_p_value() -> None:
    """In the differences and among all pairs, of scores and of classes; as often as the largest of draws says."""
    y, scores = models(np.random.default_rng(1), 200, 4)
    answers = {name: np.where(one > 0.5, 1, 0) for name, one in scores.items()}
    found = [rs.compare(y, scores), rs.compare(y, scores, costs=rs.Costs(fp=1, fn=3)),
             rs.compare(y, scores, measure="f1"), rs.compare(y, answers),
             rs.compare(y, answers, measure="macro_f1")]  # fmt: skip
    for cmp in found:
        document = cmp.to_dict()
        kinds = ("differences", "cost_differences", "measure_differences")
        rows = [row for kind in kinds for row in document.get(kind, ())]
        pairs = {frozenset((row["a"], row["b"])): row["p_adjusted"] for row in document["pairs"]}
        decisive = [row for row in rows if row["what"] == document["certainty"]["decides"]]
        assert len(decisive) == 3
        for row in decisive:
            assert row["p_adjusted"] == pairs[frozenset((row["a"], row["b"]))] >= row["p"] * (1 - 1e-9)
    spread = np.asarray(found[3]._covariance(found[3].primary))
    drawn = np.random.default_rng(7).multivariate_normal(np.zeros(4), spread, 100_000)
    largest = np.max([abs(drawn[:, a] - drawn[:, b]) / np.sqrt(spread[a, a] + spread[b, b] - 2 * spread[a, b])
                      for a, b in combinations(range(4), 2)], axis=0)  # fmt: skip
    for pair in found[3].pairs:
        one = pair.estimate
        side = one.value - one.low if one.value > 0 else one.high - one.value
        alone = found[3].difference(pair.a, pair.b).p
        t = abs(one.value) / side * np.quantile(largest, 0.95)
        assert pair.p_adjusted == pytest.approx(max(alone, (largest >= t).mean()), abs=0.02)


def test_the_covariance_of_costs_is_that_of_the_differences() -> None:
    rng = np.random.default_rng(2)
    y, scores = models(rng, 300, 3)
    flags, costs = np.stack([one > 0.5 for one in scores.values()]), rs.Costs(fp=1, fn=4)
    clusters, weights = rng.integers(0, 40, 300), rng.uniform(1, 5, 300)
    for options in ({"clusters": clusters}, {"weights": weights}, {"weights": weights, "clusters": clusters}):
        spread = cost_covariance(y, flags, costs, per=1000, **options)
        one = cost_difference(y, flags[0], flags[1], costs, level=0.95, per=1000, **options)
        assert one.se == pytest.approx(np.sqrt(spread[0, 0] + spread[1, 1] - 2 * spread[0, 1]))
    by_hand = 1000**2 * sum(  # without either: the variances of the two rates, times n/(n - 1)
        (price * share) ** 2 * np.var(flags[0][side]) / side.sum()
        for side, price, share in ((y == 1, 4, y.mean()), (y == 0, 1, 1 - y.mean()))
    )
    assert cost_covariance(y, flags, costs, per=1000)[0, 0] == pytest.approx(by_hand * 300 / 299)


def test_the_document_and_the_text_carry_the_pairs() -> None:
    y, scores = models(np.random.default_rng(3), 120, 3)
    cmp = rs.compare(y, scores)
    document = json.loads(json.dumps(cmp.to_dict()))
    assert [(row["a"], row["b"]) for row in document["pairs"]] == list(combinations(scores, 2))
    for row, one in zip(document["pairs"], cmp.pairs, strict=True):
        assert (row["low"], row["high"], row["p_adjusted"]) == (one.estimate.low, one.estimate.high, one.p_adjusted)
        assert row["method"].endswith("max-|T| over all pairs")
    assert rs.compare(y, scores, test="venkatraman").pairs == ()
    assert len(intervals.area_covariance(cmp._rows)) == 3
