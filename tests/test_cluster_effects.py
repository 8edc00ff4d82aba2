"""Cases in clusters: the degrees of freedom by matrices and by drawing, and what they do to every interval."""

from __future__ import annotations

import numpy as np
import pytest

import rocscope as rs
from rocscope.intervals.cluster_effects import (
    ClusterEffect,
    ClusterFreedom,
    cell_slopes,
    cluster_effect,
    cluster_freedom,
    measure_slopes,
)

MEASURES = ("recall", "specificity", "precision", "npv", "f1", "mcc", "balanced_accuracy", "accuracy")


def by_matrices(masses: np.ndarray, variances: np.ndarray) -> tuple[float, float]:
    """The same from the quadratic form itself: sums less the shares of the total of their kind, squared."""
    clusters = masses.shape[1]
    take = [np.eye(clusters) - np.outer(one / one.sum(), np.ones(clusters)) for one in masses]
    form = np.hstack(take).T @ np.hstack(take)  # of the sums of all kinds, one below the other
    weighed = form @ np.diag(variances.ravel())
    mean = np.trace(weighed)
    return mean / variances.sum(), mean**2 / np.trace(weighed @ weighed)


@pytest.mark.parametrize("kinds", (1, 2))
def test_the_closed_form_is_that_of_the_matrices(kinds):
    rng = np.random.default_rng(1)
    for effect in (0.5, 1.0, 4.0, 1000.0):
        masses = rng.integers(1, 40, (kinds, 9)).astype(float)
        alone, together = 2.0 * masses, 2.0 * masses**2
        shared = min(1, max(0, (effect - 1) * alone.sum() / (together.sum() - alone.sum())))
        found = cluster_freedom(masses, alone, together, effect)
        assert found == pytest.approx(by_matrices(masses, (1 - shared) * alone + shared * together), rel=1e-10)


@pytest.mark.parametrize("name", MEASURES)
def test_the_effect_of_a_measure_by_its_definition(name):
    """Cases of the same class, or of the same decision if only one decision counts, share a mean; cells move as one."""
    rng, cells = np.random.default_rng(8), ("tp", "fp", "fn", "tn")
    units = rng.integers(0, 12, (9, 4)) * rng.integers(1, 6, (9, 1))
    total = units.sum(axis=0)
    slope = dict(zip(cells, measure_slopes(name, total), strict=True))
    pairs = {"precision": "tp fp", "npv": "fn tn", "recall": "tp fn", "specificity": "fp tn"}
    kinds = {one: [tuple(pair.split())] for one, pair in pairs.items()}
    masses, alone, together = [], [], []
    for kind in kinds.get(name, [("tp", "fn"), ("fp", "tn")]):
        at = [cells.index(cell) for cell in kind]
        mass = units[:, at].sum(axis=1)
        masses.append(mass)
        alone.append(mass / mass.sum() * sum(slope[cell] ** 2 * total[cells.index(cell)] for cell in kind))
        together.append([sum((slope[cells[j]] * row[j]) ** 2 for j in at) for row in units])
    sums = [sum(slope[cells[j]] * row[j] for j in range(4)) for row in units]
    seen = np.var(sums) * 9 / sum(slope[cell] ** 2 * count for cell, count in zip(cells, total, strict=True))
    alone, together = np.array(alone), np.array(together)
    shared = min(1, max(0, (seen * 9 / 8 - 1) * alone.sum() / (together.sum() - alone.sum())))
    found = cluster_effect(units, measure_slopes(name, total))
    assert found.seen == pytest.approx(seen) and 0 < shared < 1
    assert found.freedom == pytest.approx(by_matrices(np.array(masses), (1 - shared) * alone + shared * together))


def test_squared_sums_have_the_mean_and_the_variance_that_is_said():
    """Drawn sums of clusters of very unequal size: their squares show as much, and vary as chi-square does."""
    rng, mass = np.random.default_rng(2), np.array([[80.0, 40, 20, 10, 10, 5, 5, 5]])
    found = cluster_freedom(mass, mass, mass**2, 1e9)  # clusters that move as one
    sums = rng.standard_normal((200_000, 8)) * mass
    squares = ((sums - mass / mass.sum() * sums.sum(axis=1, keepdims=True)) ** 2).sum(axis=1)
    true = (mass**2).sum()
    assert squares.mean() / true == pytest.approx(found.shown, rel=0.01)
    assert 2 * squares.mean() ** 2 / squares.var() == pytest.approx(found.df, rel=0.03)
    assert found.df < 3  # although there are eight clusters


def test_equal_clusters_are_what_students_t_says():
    equal = np.full((2, 12), 7.0)
    for effect in (1.0, 3.0, 7.0):
        assert cluster_freedom(equal[:1], equal[:1], equal[:1] ** 2, effect) == pytest.approx((11 / 12, 11))
    assert ClusterFreedom.of_equal(12).widening(0.95) == pytest.approx(2.200985 / 1.959964 * (12 / 11) ** 0.5, rel=1e-6)


def test_an_effect_is_one_at_least_and_a_cluster_moving_as_one_counts_once():
    assert ClusterEffect(0.2, ClusterFreedom(0.9, 9)).allowing(0.95) == 1
    units = np.array([[10, 0, 0, 10], [0, 10, 10, 0]] * 20)  # all right or all wrong
    found = cluster_effect(units, measure_slopes("accuracy", units.sum(axis=0)))
    assert found.seen == pytest.approx(20) and found.freedom.df == pytest.approx(39, rel=0.02)
    alone = np.eye(4)[[0, 0, 0, 2, 1, 3]]  # each case its own cluster
    assert cluster_effect(alone, measure_slopes("recall", alone.sum(axis=0))).allowing(0.95) == 1


@pytest.mark.parametrize("name", MEASURES)
def test_slopes_are_those_of_the_formula(name):
    cells = dict(zip(("tp", "fp", "fn", "tn"), (31.0, 12.0, 9.0, 70.0), strict=True))
    np.testing.assert_allclose(
        measure_slopes(name, list(cells.values())), rs.measures.get(name).gradient(cells), rtol=1e-6, atol=1e-9
    )


def in_clusters(rng, sizes, within=0.4):
    """Labels, scores and clusters; a cluster shifts its scores."""
    which = np.repeat(np.arange(len(sizes)), sizes)
    y = (rng.random(len(which)) < 0.4).astype(int)
    shift = within**0.5 * rng.standard_normal(len(sizes))[which]
    return y, shift + (1 - within) ** 0.5 * rng.standard_normal(len(which)) + 1.2 * y, which


def test_every_answer_of_an_evaluation_allows_for_clusters():
    """Cost and measures at a given threshold, the alternatives of a threshold, and the AUC."""
    y, x, which = in_clusters(np.random.default_rng(3), [200, *[20] * 9])
    costs = rs.Costs(fp=1, fn=3)
    alone, ev = (rs.evaluate(y, x, threshold=0.6, costs=costs, clusters=one) for one in (None, which))
    for one, other in [(ev.cost, alone.cost), (ev.auc, alone.auc), (ev.cost_at(1.0), alone.cost_at(1.0))]:
        assert one.value == pytest.approx(other.value) and one.half_width > 1.2 * other.half_width
    units = ev.cases.by_cluster(0.6)
    slopes = cell_slopes(lambda of: (of["fp"] + 3 * of["fn"]) / sum(of.values()), units.sum(axis=0))
    effect = cluster_effect(units, slopes).allowing(0.95)
    shrunk = rs.Counts(*(units.sum(axis=0) / effect).tolist())
    wanted = rs.intervals.expected_cost(shrunk, costs)
    assert (ev.cost.low, ev.cost.high) == pytest.approx((1000 * wanted.low, 1000 * wanted.high))


def test_ten_unequal_clusters_are_covered():
    """Recall, precision, cost and AUC with ten clusters, one as large as the others together: 0.85 and less before."""
    rng, hits = np.random.default_rng(4), {"recall": 0, "precision": 0, "cost": 0, "auc": 0}
    y, x, _ = in_clusters(np.random.default_rng(5), [20_000] + [1] * 200_000)  # the truth: many clusters
    y, x = y[20_000:], x[20_000:]
    costs, samples = rs.Costs(fp=1, fn=3), 120
    whole = rs.evaluate(y, x, threshold=0.6, costs=costs)
    truth = {name: whole.measure(name).value for name in ("recall", "precision")}
    truth |= {"cost": whole.cost.value, "auc": whole.auc.value}
    for _ in range(samples):
        y, x, which = in_clusters(rng, [270, *[30] * 9])
        ev = rs.evaluate(y, x, threshold=0.6, costs=costs, clusters=which)
        found = {name: ev.measure(name) for name in ("recall", "precision")} | {"cost": ev.cost, "auc": ev.auc}
        for name, one in found.items():
            hits[name] += one.low <= truth[name] <= one.high
    assert min(hits.values()) >= 0.9 * samples, hits


def test_areas_of_many_cases_in_clusters_take_one_pass_and_agree_with_resamples() -> None:
    """Above 20,000 cases no resample passes over all of them; below, and on request, the limits are resampled."""
    rng, cases, many = np.random.default_rng(5), 21_000, 200
    clusters = rng.integers(0, many, cases)
    shared = rng.normal(0, 0.8, many)[clusters]
    y = (rng.random(cases) < 1 / (1 + np.exp(1 - shared))).astype(int)
    score = 1 / (1 + np.exp(1 - 1.5 * y - 0.5 * shared - rng.normal(0, 1, cases)))
    ev = rs.evaluate(y, score, clusters=clusters, threshold=0.5)
    for name in ("average_precision", "pr_area", "brier", "log_loss"):
        found, drawn = ev.area(name), rs.intervals.bootstrap_rows(y, score, name, clusters=clusters, n=400)
        assert found.method == "linearized, clusters" and found.value == pytest.approx(drawn.value)
        width = drawn.high - drawn.low
        assert found.high - found.low == pytest.approx(width, rel=0.2), name
        assert abs(found.low - drawn.low) < 0.2 * width and abs(found.high - drawn.high) < 0.2 * width
    asked = rs.evaluate(y, score, clusters=clusters, threshold=0.5, bootstrap=200).area("brier")
    assert asked.method == "bootstrap percentile"
    few = rs.evaluate(y[:2000], score[:2000], clusters=clusters[:2000], threshold=0.5).area("brier")
    assert few.method == "bootstrap percentile"
