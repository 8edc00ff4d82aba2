"""Slices: the pooling against sums written out, gaps against tests on the rows, small slices shown and not tested."""

from __future__ import annotations

import json
import math
from pathlib import Path
from statistics import NormalDist
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rocscope as rs
from rocscope import RocscopeError, curves, estimate, intervals, report, significance, sources
from rocscope.evaluation.slices import against_rest, slice_document
from rocscope.evaluation.slices.partition import partitions
from rocscope.evaluation.slices.shrinkage import Pool, back, expit, logit, of_area, of_share, pooled
from rocscope.intervals import EffectiveSizes
from rocscope.verdicts import slice_sentences

ROOT = Path(__file__).parent.parent


def cases(n: int = 3000, seed: int = 1, sites: int = 5, apart: float = 0.5) -> tuple[Any, Any, Any]:
    rng = np.random.default_rng(seed)
    site = rng.integers(0, sites, n)
    y = (rng.random(n) < 0.3).astype(int)
    score = 1 / (1 + np.exp(-(y * (1 + apart * site) + rng.normal(size=n) - 1)))
    return y, score, np.array([f"site {one}" for one in site])


@pytest.fixture(scope="module")
def validator() -> Any:
    import jsonschema

    return jsonschema.Draft202012Validator(json.loads((ROOT / "src/rocscope/schema/rocscope-1.json").read_text()))


# --- the pooling, a second time


def by_hand(values: list[float], variances: list[float]) -> tuple[float, float, float]:
    """DerSimonian and Laird from the pairs: Q = Σ_{i<j} w_i w_j (y_i - y_j)² / Σw, and the moments in full."""
    k, w = len(values), [1 / v for v in variances]
    pairs = [(i, j) for i in range(k) for j in range(i)]
    q = sum(w[i] * w[j] * (values[i] - values[j]) ** 2 for i, j in pairs) / sum(w)
    # E[Q] = k - 1 + τ² (Σw - Σw²/Σw) and Σw - Σw²/Σw = 2 Σ_{i<j} w_i w_j / Σw
    tau2 = max(0.0, (q - (k - 1)) / (2 * sum(w[i] * w[j] for i, j in pairs) / sum(w)))
    heavy = [1 / (v + tau2) for v in variances]
    return q, tau2, sum(h * y for h, y in zip(heavy, values, strict=True)) / sum(heavy)


values_and_variances = st.lists(st.tuples(st.floats(-4, 4), st.floats(0.001, 4)), min_size=2, max_size=12)


@given(values_and_variances)
def test_the_pool_is_the_sum_over_pairs(rows: list[tuple[float, float]]) -> None:
    values, variances = [list(column) for column in zip(*rows, strict=True)]
    pool = pooled(values, variances)
    q, tau2, centre = by_hand(values, variances)
    assert pool.q == pytest.approx(q, rel=1e-9, abs=1e-9)
    assert pool.tau2 == pytest.approx(tau2, rel=1e-7, abs=1e-7)
    assert pool.mean == pytest.approx(centre, rel=1e-6, abs=1e-6)


@given(values_and_variances)
def test_a_value_is_drawn_towards_the_centre_and_grows_no_less_sure(rows: list[tuple[float, float]]) -> None:
    values, variances = [list(column) for column in zip(*rows, strict=True)]
    pool = pooled(values, variances)
    for value, variance in rows:
        drawn, se = pool.drawn(value, variance)
        assert min(value, pool.mean) - 1e-9 <= drawn <= max(value, pool.mean) + 1e-9
        assert se**2 <= variance * (1 + 1e-9)


def test_the_drawn_value_is_the_posterior_mean_of_a_normal_model() -> None:
    """One slice and the centre as a joint normal: integrate the posterior numerically."""
    pool = pooled([0.0, 1.0, 3.0], [0.2, 0.3, 0.5])
    value, variance = 3.0, 0.5
    grid = np.linspace(-20, 20, 400_001)
    known_centre = Pool(pool.mean, 0.0, pool.tau2, df=10**15)  # as if τ² were known from so many slices
    density = np.exp(-((grid - value) ** 2) / (2 * variance) - (grid - pool.mean) ** 2 / (2 * pool.tau2))
    mean = float((grid * density).sum() / density.sum())
    spread = float(((grid - mean) ** 2 * density).sum() / density.sum())
    drawn, se = known_centre.drawn(value, variance)
    assert drawn == pytest.approx(mean, abs=1e-9)
    assert se**2 == pytest.approx(spread, abs=1e-9)
    assert pool.drawn(value, variance)[1] > se  # what is not known of centre and τ² adds to it


def test_frozen_pool() -> None:
    """Four studies: values by the formulas of DerSimonian & Laird (1986), with the fractions worked out by hand.

    y = 0, 1, 2, 5 and v = 1: Q = 14, τ² = (14 - 3) / (4 - 1) = 11/3, centre 2, B = 3/14.
    """
    pool = pooled([0.0, 1.0, 2.0, 5.0], [1.0] * 4)
    assert (pool.q, pool.df) == (pytest.approx(14), 3)
    assert pool.tau2 == pytest.approx(11 / 3)
    assert pool.mean == pytest.approx(2)
    assert pool.se == pytest.approx(math.sqrt((1 + 11 / 3) / 4))
    drawn, se = pool.drawn(5.0, 1.0)
    assert drawn == pytest.approx(3 / 14 * 2 + 11 / 14 * 5)
    # (1 - B)v + B² [(v + τ²)/4 + 2 (v + τ²)/(v + τ²) 3²], since k - 3 = 1 and all variances are alike
    plain, unsure = 11 / 14 + (3 / 14) ** 2 * (14 / 3) / 4, (3 / 14) ** 2 * 2 * 9
    assert se**2 == pytest.approx(min(1.0, plain + unsure))
    drawn, se = pool.drawn(2.0, 1.0)
    assert (drawn, se**2) == (pytest.approx(2.0), pytest.approx(plain))


def test_the_test_of_equality_is_a_chi_square() -> None:
    from scipy.stats import chi2

    pool = pooled([0.0, 1.0, 2.0, 5.0], [1.0] * 4)
    assert pool.p == pytest.approx(float(chi2.sf(14, 3)), rel=1e-12)


def test_one_slice_has_nothing_to_be_drawn_towards() -> None:
    assert "fewer than two" in pooled([0.3], [0.1]).why
    assert math.isnan(pooled([], []).tau2)


def test_shares_on_the_logit_scale() -> None:
    assert of_share(30, 40) == (pytest.approx(math.log(3)), pytest.approx(1 / 30 + 1 / 10))
    assert of_share(40, 40) == (pytest.approx(math.log(40.5 / 0.5)), pytest.approx(1 / 40.5 + 2))
    assert expit(logit(0.3)) == pytest.approx(0.3)
    assert expit(-800) == 0.0 and expit(800) == 1.0
    found = back(0.0, 0.5, 0.95)
    assert (found.low, found.high) == (pytest.approx(expit(-0.979982)), pytest.approx(expit(0.979982)))


# --- one slice beside the others


def test_a_slice_alone_is_an_evaluation_of_its_rows() -> None:
    y, score, site = cases()
    ev = rs.evaluate(y, score, by={"site": site}, threshold=0.4)
    for one in ev.slices[0]:
        rows = site == one.value[0]
        alone = rs.evaluate(y[rows], score[rows], threshold=0.4)
        assert one.estimates["auc"] == alone.auc
        assert one.estimates["recall"] == alone.estimates["recall"]
        assert one.evaluation.table == alone.table
        assert one.cases == rows.sum()


def test_shrinkage_by_the_sums_written_out() -> None:
    """Recall of each slice: logit, DerSimonian-Laird and back, with plain sums over the slices."""
    y, score, site = cases()
    found = rs.evaluate(y, score, by={"site": site}, threshold=0.5).slices[0]
    hits = {s: int((score[(site == s) & (y == 1)] >= 0.5).sum()) for s in np.unique(site)}
    sizes = {s: int(((site == s) & (y == 1)).sum()) for s in hits}
    values = [math.log(hits[s] / (sizes[s] - hits[s])) for s in hits]
    variances = [1 / hits[s] + 1 / (sizes[s] - hits[s]) for s in hits]
    _, tau2, centre = by_hand(values, variances)
    assert found.pools["recall"].tau2 == pytest.approx(tau2)
    for name, value, variance in zip(hits, values, variances, strict=True):
        share = variance / (variance + tau2)
        drawn = share * centre + (1 - share) * value
        assert found[name].shrunk["recall"].value == pytest.approx(1 / (1 + math.exp(-drawn)))


def test_the_auc_on_the_logit_scale_has_the_variance_of_its_interval() -> None:
    y, score, site = cases()
    one = rs.evaluate(y, score, by={"site": site}).slices[0]["site 0"]
    rows = site == "site 0"
    area = intervals.auc(rs.ScoreTable.from_scores(y[rows], score[rows]))
    value, variance = one.evaluation.auc.value, one.evaluation.auc.se**2
    placed = of_area(area, EffectiveSizes(*sizes_of(y[rows])))
    assert placed is not None
    assert placed[0] == pytest.approx(math.log(value / (1 - value)))
    assert placed[1] >= variance / (value * (1 - value)) ** 2 * (1 - 1e-12)  # never less than DeLong's


def sizes_of(y: Any) -> tuple[int, int]:
    return int(y.sum()), int((1 - y).sum())


def logit_of(share: float) -> float:
    return math.log(share / (1 - share))


def spread_of(table: rs.ScoreTable) -> float:
    """The variance of a logit AUC: DeLong's, or Newcombe's where that is larger, written out."""
    area, p, n = rs.curves.auc(table), table.positives, table.negatives
    m = (p + n) / 2 - 1
    newcombe = area * (1 - area) / (p * n) * (1 + m * (1 - area) / (2 - area) + m * area / (1 + area))
    delong = intervals.auc(table, method="delong").se
    assert delong is not None
    return max(newcombe, delong**2) / (area * (1 - area)) ** 2


def test_gaps_are_tests_on_the_rows() -> None:
    y, score, site = cases()
    ev = rs.evaluate(y, score, by={"site": site}, threshold=0.5)
    for one in ev.slices[0]:
        inside = site == one.value[0]
        own, rest = (rs.ScoreTable.from_scores(y[rows], score[rows]) for rows in (inside, ~inside))
        first, second = intervals.auc(own), intervals.auc(rest)
        found = one.gaps["auc"]
        assert found.value == pytest.approx(first.value - second.value, abs=1e-12)
        below = (first.value - first.low) ** 2 + (second.high - second.value) ** 2
        assert found.low == pytest.approx(found.value - math.sqrt(below))
        z = (logit_of(first.value) - logit_of(second.value)) / math.sqrt(spread_of(own) + spread_of(rest))
        assert found.statistic == pytest.approx(z)
        assert found.p == pytest.approx(2 * NormalDist().cdf(-abs(z)))
        a, b = own.at(0.5), rest.at(0.5)
        shares = estimate.difference(a.tp, a.tp + a.fn, b.tp, b.tp + b.fn)
        assert one.gaps["recall"] == shares


def test_holm_counts_every_slice_that_was_tested() -> None:
    y, score, site = cases(apart=0.1)
    found = rs.evaluate(y, score, by={"site": site}).slices[0]
    wanted = significance.holm([one.gaps["auc"].p for one in found])
    assert [one.p_adjusted["auc"] for one in found] == pytest.approx(wanted)


def test_two_slices_are_one_comparison() -> None:
    y, score, site = cases(sites=2)
    found = rs.evaluate(y, score, by={"site": site}).slices[0]
    for one in found:
        assert one.p_adjusted["auc"] == one.gaps["auc"].p


def test_slices_are_ranked_by_what_they_are_worth_beside_the_others() -> None:
    """A tiny slice with a bad draw does not become the worst one."""
    y, score, site = cases(n=4000, sites=4, apart=0.0)
    site = site.astype(object)
    chosen = np.flatnonzero(y == 1)[:12].tolist() + np.flatnonzero(y == 0)[:12].tolist()
    score[chosen[:12]] = 0.2 + 0.01 * np.arange(12)  # positives ranked low
    score[chosen[12:]] = 0.3 + 0.01 * np.arange(12)
    site[chosen] = "tiny"
    found = rs.evaluate(y, score, by={"site": site}).slices[0]
    raw = min(found, key=lambda one: one.estimates["auc"].value)
    assert raw.name == "tiny"
    assert found["tiny"].shrunk["auc"].value > found["tiny"].estimates["auc"].value
    order = [one.shrunk["auc"].value for one in found]
    assert order == sorted(order)


def test_equal_slices_are_said_to_be_equal() -> None:
    y, score, _ = cases(sites=1)
    site = np.tile(["a", "b", "c"], len(y) // 3)
    twice_y, twice_score = np.repeat(y, 3)[: len(site)], np.repeat(score, 3)[: len(site)]
    ev = rs.evaluate(twice_y, twice_score, by={"site": site})
    panel = ev.to_dict()["slices"][0]
    assert panel["spread"]["auc"]["tau2"] == 0
    assert panel["words"][0] == "No evidence that slices by site differ in AUC."
    drawn = {row["measures"]["auc"]["shrunk"]["value"] for row in panel["rows"]}
    assert len(drawn) == 1
    assert not any("Lowest" in one for one in panel["words"])


def test_few_of_a_class_are_shown_and_not_tested() -> None:
    y, score, site = cases()
    site = site.astype(object)
    site[:40] = "new"
    y[:40] = [1] * 9 + [0] * 31
    found = rs.evaluate(y, score, by={"site": site}).slices[0]
    new = found["new"]
    assert new.few
    assert "not tested" in new.gaps["auc"].why and new.gaps["auc"].p is None
    assert math.isnan(new.p_adjusted["auc"])
    assert new.estimates["auc"].low < new.estimates["auc"].high
    assert not math.isnan(new.shrunk["auc"].value)  # shrinkage is what a small slice needs
    tested = [one for one in found if not one.few]
    assert found.pools["auc"].df == len(tested) - 1
    assert [one.p_adjusted["auc"] for one in tested] == pytest.approx(
        significance.holm([one.gaps["auc"].p for one in tested])
    )


def test_a_slice_of_one_class_has_no_auc_and_says_why() -> None:
    y, score, site = cases()
    y[site == "site 1"] = 0
    found = rs.evaluate(y, score, by={"site": site}).slices[0]
    one = found["site 1"]
    assert one.few and math.isnan(one.estimates["auc"].value) and one.estimates["auc"].why
    assert found.slices[-1] is one
    assert one.estimates["specificity"].value > 0


def test_missing_values_are_a_slice_of_their_own() -> None:
    y, score, site = cases()
    site = site.astype(object)
    site[::20] = None
    site[1::20] = math.nan
    found = rs.evaluate(y, score, by={"site": site}).slices[0]
    assert found[None].cases == 300 and found[None].name == "(missing)"
    assert found.missing == pytest.approx(0.1)
    assert any("10 % of the cases have no site" in one for one in slice_sentences(
        slice_document.slices_section([found], level=0.95)[0]
    ))  # fmt: skip


@pytest.mark.parametrize("kind", ["list", "numpy", "pandas", "pandas nullable", "polars", "pyarrow", "categorical"])
def test_the_column_may_come_from_anywhere(kind: str) -> None:
    import pandas as pd
    import polars as pl
    import pyarrow as pa

    plain = ["a", None, "b", "a", None, "b"]
    column = {
        "list": plain,
        "numpy": np.array(plain, dtype=object),
        "pandas": pd.Series(plain),
        "pandas nullable": pd.Series(plain, dtype="string"),
        "polars": pl.Series(plain),
        "pyarrow": pa.chunked_array([plain[:2], plain[2:]]),
        "categorical": pd.Series(plain, dtype="category"),
    }[kind]
    found = partitions({"g": column}, rows=6)[0]
    assert {value: rows.tolist() for value, rows in found.rows.items()} == {
        ("a",): [0, 3], ("b",): [2, 5], (None,): [1, 4],
    }  # fmt: skip


def test_days_and_numbers_are_slices() -> None:
    days = np.array(["2026-01-01", "NaT", "2026-01-02"], dtype="datetime64[ns]")
    assert list(partitions({"day": days}, rows=3)[0].rows) == [("2026-01-01",), ("2026-01-02",), (None,)]
    years = np.array([2024.0, math.nan, 2025.0])
    assert list(partitions({"year": years}, rows=3)[0].rows) == [(2024.0,), (2025.0,), (None,)]
    flags = [True, False, None]
    assert list(partitions({"new": flags}, rows=3)[0].rows) == [(False,), (True,), (None,)]


def test_columns_that_are_no_slices_are_refused() -> None:
    y, score, _ = cases(200)
    with pytest.raises(RocscopeError, match="Group numbers into ranges"):
        rs.evaluate(y, score, by={"age": np.linspace(0, 1, 200)})
    with pytest.raises(RocscopeError, match="slices would contain single cases"):
        rs.evaluate(y, score, by={"id": [f"case {i}" for i in range(200)]})
    with pytest.raises(RocscopeError, match="cases"):
        rs.evaluate(y, score, by={"site": ["a"] * 199})
    with pytest.raises(RocscopeError, match="two columns"):
        rs.evaluate(y, score, by={"site": ["a"] * 200}, crossed=True)
    with pytest.raises(RocscopeError, match="one value for each case"):
        rs.evaluate(y, score, by=["a"] * 200)


def test_two_columns_each_alone_and_crossed() -> None:
    y, score, site = cases()
    sex = np.tile(["f", "m", "m"], len(y) // 3)
    alone = rs.evaluate(y, score, by={"site": site, "sex": sex}).slices
    assert [one.by for one in alone] == [("site",), ("sex",)]
    crossed = rs.evaluate(y, score, by={"site": site, "sex": sex}, crossed=True).slices
    assert [one.by for one in crossed] == [("site",), ("sex",), ("site", "sex")]
    both = crossed[2]["site 0", "m"]
    rows = (site == "site 0") & (sex == "m")
    assert both.evaluation.table == rs.ScoreTable.from_scores(y[rows], score[rows])
    with pytest.raises(KeyError):
        crossed[2]["nowhere", "m"]


# --- weights, clusters, cells


def test_the_table_of_the_rest_is_the_table_of_the_other_rows() -> None:
    y, score, site = cases(800)
    score = np.round(score, 2)
    weights = np.random.default_rng(0).integers(1, 5, len(y))
    inside = site == "site 1"
    for heavy in (None, weights):
        whole, own, rest = (
            rs.ScoreTable.from_scores(y[rows], score[rows], weights=None if heavy is None else heavy[rows])
            for rows in (slice(None), inside, ~inside)
        )
        assert against_rest._without(whole, own) == rest
        assert against_rest.RankedPairs.of(whole).without(own) == pytest.approx(rs.curves.auc(rest), abs=1e-12)


def test_many_slices_of_many_scores_give_nearly_the_same_tests(monkeypatch: pytest.MonkeyPatch) -> None:
    y, score, site = cases(20_000, sites=8, apart=0.2)
    exact = rs.evaluate(y, score, by={"site": site}).slices[0]
    monkeypatch.setattr(against_rest, "WORK", 0)
    rough = rs.evaluate(y, score, by={"site": site}).slices[0]
    for one in exact:
        a, b = one.gaps["auc"], rough[one.value].gaps["auc"]
        assert b.value == pytest.approx(a.value, abs=1e-12)
        assert (b.low, b.high) == (pytest.approx(a.low, abs=1e-4), pytest.approx(a.high, abs=1e-4))
        assert b.p == pytest.approx(a.p, rel=1e-2, abs=1e-6)


def test_weights_are_worth_what_they_are_worth() -> None:
    y, score, site = cases()
    even = rs.evaluate(y, score, weights=np.full(len(y), 2.0), by={"site": site}, threshold=0.5).slices[0]
    plain = rs.evaluate(y, score, by={"site": site}, threshold=0.5).slices[0]
    for one in plain:
        other = even[one.value]
        for name in ("auc", "recall"):
            assert other.shrunk[name].value == pytest.approx(one.shrunk[name].value, rel=1e-6)
            assert other.shrunk[name].low == pytest.approx(one.shrunk[name].low, rel=1e-5)
            assert other.gaps[name].p == pytest.approx(one.gaps[name].p, rel=1e-4, abs=1e-9)


def test_clusters_widen_a_slice_as_they_widen_the_whole() -> None:
    y, score, site = cases(600)
    y, score, site = (np.repeat(one, 3) for one in (y, score, site))
    patient = np.repeat(np.arange(600), 3)
    single = rs.evaluate(y[::3], score[::3], by={"site": site[::3]}, threshold=0.5).slices[0]
    tripled = rs.evaluate(y, score, by={"site": site}, clusters=patient, threshold=0.5).slices[0]
    for one in single:
        other = tripled[one.value]
        assert other.estimates["auc"].se == pytest.approx(one.estimates["auc"].se, rel=0.02)
        assert other.shrunk["recall"].value == pytest.approx(one.shrunk["recall"].value, abs=0.01)
        assert other.gaps["auc"].statistic == pytest.approx(one.gaps["auc"].statistic, rel=0.02, abs=0.02)
        assert other.shrunk["auc"].low == pytest.approx(one.shrunk["auc"].low, abs=0.01)
        assert other.gaps["recall"].p == pytest.approx(one.gaps["recall"].p, abs=0.02)


def test_slices_on_cells_stay_within_their_bounds() -> None:
    y, score, site = cases()
    whole = rs.ScoreTable.from_scores(y, score)
    parts = {name: rs.ScoreTable.from_scores(y[site == name], score[site == name]) for name in np.unique(site)}
    rough = rs.evaluate(whole.coarse(8), by={"site": {name: t.coarse(8) for name, t in parts.items()}}).slices[0]
    exact = rs.evaluate(whole, by={"site": parts}).slices[0]
    for one in exact:
        other = rough[one.value]
        bound = other.evaluation.table.bound
        assert abs(one.estimates["auc"].value - other.estimates["auc"].value) <= bound
        assert other.estimates["auc"].low <= one.estimates["auc"].low + bound
        assert other.gaps["auc"].value == pytest.approx(one.gaps["auc"].value, abs=2 * bound + 1e-3)
        mean = "observed_less_expected"
        assert other.estimates[mean].low <= one.estimates[mean].low
        assert other.estimates[mean].high >= one.estimates[mean].high


def test_observed_less_expected() -> None:
    y, score, site = cases()
    one = rs.evaluate(y, score, by={"site": site}).slices[0]["site 2"]
    rows = site == "site 2"
    found = one.estimates["observed_less_expected"]
    wilson = estimate.proportion(int(y[rows].sum()), int(rows.sum()))
    assert found.value == pytest.approx(y[rows].mean() - score[rows].mean())
    assert found.low == pytest.approx(wilson.low - score[rows].mean())
    assert found.high == pytest.approx(wilson.high - score[rows].mean())


# --- several classes, several models


def test_hard_labels_are_told_by_their_accuracy() -> None:
    y, score, site = cases()
    ev = rs.evaluate(y, predicted=(score > 0.5).astype(int), by={"site": site})
    found = ev.slices[0]
    assert found.measure == "accuracy"
    for one in found:
        rows = site == one.value[0]
        right = (y == (score > 0.5))[rows]
        rest = (y == (score > 0.5))[~rows]
        assert one.estimates["accuracy"] == estimate.proportion(int(right.sum()), len(right))
        assert one.gaps["accuracy"] == estimate.difference(right.sum(), len(right), rest.sum(), len(rest))
    order = [one.shrunk["accuracy"].value for one in found]
    assert order == sorted(order)


def test_a_score_for_each_class_has_slices_too() -> None:
    rng = np.random.default_rng(4)
    labels = rng.integers(0, 3, 300)
    scores = rng.dirichlet([1, 1, 1], 300)
    ev = rs.evaluate(labels, scores, labels=[0, 1, 2], by={"site": rng.integers(0, 2, 300)})
    assert [one.cases for one in ev.slices[0]] and sum(one.cases for one in ev.slices[0]) == 300
    assert sum(int(one.evaluation.matrix.matrix.sum()) for one in ev.slices[0]) == 300


def test_differences_between_models_are_paired_in_every_slice() -> None:
    y, score, site = cases(apart=0.3)
    other = np.clip(score + np.random.default_rng(2).normal(0, 0.2, len(y)), 0, 1)
    cmp = rs.compare(y, {"a": score, "b": other}, by={"site": site})
    panel = cmp.slices[0]
    sign = 1 if cmp.recommended == "a" else -1
    rival = "b" if cmp.recommended == "a" else "a"
    for one in panel.slices:
        rows = site == one.value[0]
        wanted = significance.delong(y[rows], score[rows], other[rows])
        assert one.estimates[rival].value == pytest.approx(sign * wanted.value)
        assert one.estimates[rival].p == pytest.approx(wanted.p)
    adjusted = significance.holm([one.estimates[rival].p for one in panel.slices])
    assert [one.p_adjusted[rival] for one in panel.slices] == pytest.approx(adjusted)
    sizes = [one.cases for one in panel.slices]
    assert sizes == sorted(sizes, reverse=True)
    assert len(cmp.evaluations["b"].slices[0]) == len(panel.slices)


# --- the document and its views


def test_documents_with_slices_validate(validator: Any) -> None:
    y, score, site = cases(900)
    site = site.astype(object)
    site[:15] = None
    by = {"site": site, "half": np.arange(900) % 2}
    for made in (
        rs.evaluate(y, score, by=by, crossed=True),
        rs.evaluate(y, predicted=(score > 0.5).astype(int), by=by),
        rs.compare(y, {"a": score, "b": 1 - score, "c": score**2}, by=by),
        rs.evaluate(rs.ScoreTable.from_scores(y, score).coarse(6)),
    ):
        document = json.loads(json.dumps(made.to_dict(), allow_nan=False))
        assert not list(validator.iter_errors(document))
        assert report.text(document) and report.markdown(document) and report.csv(document) and report.latex(document)


def test_thousands_of_slices_show_the_worst_twenty(monkeypatch: pytest.MonkeyPatch, validator: Any) -> None:
    rng = np.random.default_rng(3)
    site = np.repeat(np.arange(120), 30)
    y = rng.integers(0, 2, len(site))
    score = np.round(np.clip(0.4 * y + rng.random(len(site)) * 0.6, 0, 1), 3)
    monkeypatch.setattr(slice_document, "MOST", 100)
    document = rs.evaluate(y, score, by={"site": site}).to_dict()
    panel = document["slices"][0]
    assert (panel["slices"], len(panel["rows"]), panel["rest"]["slices"]) == (120, 100, 20)
    assert panel["rest"]["cases"] == 600
    assert not list(validator.iter_errors(json.loads(json.dumps(document))))
    text = report.text(document)
    assert "the lowest 20 of 120 slices" in text
    assert "20 more slices are counted but not listed." in text
    first = text.index(f"\n{panel['rows'][0]['name']} ")
    assert f"\n{panel['rows'][19]['name']} " in text[first:]
    table = report.csv(document)
    assert table.count(",site,") == 100 * (2 + 5 * 3 + 1)  # sizes; measures, shrunk, gap; calibration


def test_text_names_the_lowest_and_says_what_was_not_tested() -> None:
    y, score, site = cases()
    site = site.astype(object)
    site[:12] = "new"
    text = report.text(rs.evaluate(y, score, by={"site": site}).to_dict())
    assert "Slices by site differ in AUC (test of equality: p < 0.001)." in text
    assert "Lowest: site 0," in text
    assert "1 of 6 slices has fewer than 10 positives or negatives: shown but not tested." in " ".join(text.split())
    assert all(len(line) <= 80 for line in text.splitlines())


def test_names_from_data_cannot_harm_the_views() -> None:
    y, score, _ = cases(400)
    evil = np.where(np.arange(400) % 2, "=cmd()|x", "\x1b[31m<b>red</b>")
    document = rs.evaluate(y, score, by={"a|b": evil}).to_dict()
    assert "\x1b" not in report.text(document)
    assert "'=cmd()|x" in report.csv(document)
    assert "<b>" not in report.markdown(document)


def test_the_page_about_slices_tells_the_truth() -> None:
    import doctest

    tried = doctest.testfile(str(ROOT / "docs" / "howto" / "slices.md"), module_relative=False)
    assert tried.attempted and not tried.failed


@given(
    st.lists(st.tuples(st.booleans(), st.integers(0, 9), st.integers(0, 2)), min_size=2, max_size=60).filter(
        lambda rows: len({row[0] for row in rows}) == 2
    )
)
def test_slices_of_any_cases_add_up_to_the_whole(rows: list[tuple[bool, int, int]]) -> None:
    y, score, site = ([row[place] for row in rows] for place in range(3))
    ev = rs.evaluate(y, [one / 10 for one in score], by={"site": site})
    found = ev.slices[0]
    assert sum((one.evaluation.table for one in found), 0) == ev.table  # type: ignore[call-overload]
    for one in found:
        for name, drawn in one.shrunk.items():
            assert math.isnan(drawn.value) or 0 <= drawn.low <= drawn.value <= drawn.high <= 1, name
        assert one.gaps["auc"].p is None or 0 <= one.gaps["auc"].p <= 1
    json.dumps(ev.to_dict(), allow_nan=False)


# ---- memory ----


@pytest.mark.parametrize(("many", "by", "most"), [(1, ["g"], 2**11), (8, [], 2**9)])
def test_slices_and_scores_share_the_cells_that_the_budget_allows(
    monkeypatch: pytest.MonkeyPatch, many: int, by: list[str], most: int
) -> None:
    from rocscope.sources import certified

    monkeypatch.setattr(certified, "SPLITS", 2**12)
    rng = np.random.default_rng(5)
    y = rng.integers(0, 2, 20_000)
    names = [f"s{i}" for i in range(many)]
    frame = {"y": y, "g": rng.integers(0, 16, len(y))} | {name: rng.normal(size=len(y)) + y for name in names}
    found = sources.tables(sources.open(frame), label="y", scores=names, by=by, budget=0)
    whole = sources.tables(sources.open(frame), label="y", scores=names, by=by)
    assert not found.exact and found.tables.keys() == whole.tables.keys()
    for key, table in found.tables.items():
        assert abs(curves.auc(table) - curves.auc(whole.tables[key])) <= table.bound + 1e-12
    cells = sum(map(len, found.tables.values())) if by else max(map(len, found.tables.values()))
    assert cells <= most
