"""Statistics that say their range or point in their name: against integrals, formulas written out, and resamples."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import rocscope as rs
from rocscope import curves, intervals

Run = Callable[..., tuple[int, str, str]]
RNG = np.random.default_rng(21)
N = 500
Y = (RNG.random(N) < 0.25).astype(int)
P = np.round(1 / (1 + np.exp(-(RNG.normal(size=N) + 1.8 * Y - 2))), 2)
Q = np.round(np.clip(P + RNG.normal(0, 0.15, N), 0, 1), 2)
T = rs.ScoreTable.from_scores(Y, P)


# ---- the partial area under the precision-recall curve ----


def by_integration(t: rs.ScoreTable, low: float, high: float) -> float:
    """The mean precision at very many recalls, interpolated inside groups as random orders of ties reach them."""
    at = np.linspace(low, high, 400_001)
    at = (at[1:] + at[:-1]) / 2
    hits = at * t.positives
    tp, fp = (np.concatenate(([0.0], np.cumsum(side))) for side in (t.pos, t.neg))
    group = np.searchsorted(tp, hits, side="left") - 1
    group = np.clip(group, 0, len(t.pos) - 1)
    share = (hits - tp[group]) / t.pos[group]
    alarms = fp[group] + share * t.neg[group]
    return float((hits / (hits + alarms)).mean() * (high - low))


@pytest.mark.parametrize(("low", "high"), [(0.5, 1), (0, 0.3), (0.2, 0.9), (0, 1)])
def test_the_partial_pr_area_is_the_integral(low: float, high: float) -> None:
    found = curves.pr_area(T, recall=(low, high))
    assert found == pytest.approx(by_integration(T, low, high), abs=2e-5)
    assert found <= high - low


def test_parts_of_the_pr_area_add_up() -> None:
    whole = curves.pr_area(T)
    parts = [curves.pr_area(T, recall=ends) for ends in ((0, 0.37), (0.37, 0.5), (0.5, 1))]
    assert sum(parts) == pytest.approx(whole, abs=1e-12)
    constant = rs.ScoreTable.from_scores([1, 0, 0, 0], [1, 1, 1, 1])
    assert curves.pr_area(constant, recall=(0.2, 0.6)) == pytest.approx(0.25 * 0.4, abs=1e-12)
    with pytest.raises(rs.RocscopeError, match=r"recall must be a range .*, not from 0\.5 to 0\.5"):
        curves.pr_area(T, recall=(0.5, 0.5))


# ---- by name ----


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("pr_area recall 0.5 to 1", curves.pr_area(T, recall=(0.5, 1))),
        ("PR area recall 50 % - 100 %", curves.pr_area(T, recall=(0.5, 1))),
        ("partial_auc fpr 0 to 0.1", curves.partial_auc(T, fpr=(0, 0.1))),
        ("partial-auc-tpr 0.8 to 1", curves.partial_auc(T, tpr=(0.8, 1))),
        ("sensitivity-at-specificity-0.9", rs.decisions.at_specificity(T, 0.9).counts.recall),
        ("specificity at recall 0.9", rs.decisions.at_sensitivity(T, 0.9).counts.specificity),
        ("net benefit at 0.2", curves.net_benefit_at(T, pt=0.2)),
    ],
)
def test_a_name_with_its_range(name: str, value: float) -> None:
    asked = intervals.asked_statistic(name)
    assert asked is not None and asked.statistic.value(T) == pytest.approx(value, abs=1e-12)
    found = rs.evaluate(Y, P).area(name)
    assert found.value == pytest.approx(value, abs=1e-12) and found.low < value < found.high
    drawn = asked.statistic.prepare(T)  # what resamples read agrees with what one table reads
    place = asked.statistic.layout(T)
    counts = [np.bincount(place, side)[None, :] for side in (T.pos, T.neg)]
    assert float(drawn(*counts)[0]) == pytest.approx(value, abs=1e-12)


@pytest.mark.parametrize("name", ["auc", "recall at recall 0.9", "pr_area fpr 0 to 0.1", "auc recall 0 to 1", "f1"])
def test_other_names_are_not_read_so(name: str) -> None:
    assert intervals.asked_statistic(name) is None


# ---- two models ----


def test_the_difference_in_net_benefit_is_that_of_the_definition() -> None:
    pt = 0.3
    found = rs.compare(Y, {"a": P, "b": Q}, measure="net benefit at 0.3").measure_differences[0]
    odds = pt / (1 - pt)

    def benefit(scores: np.ndarray, rows: np.ndarray) -> float:
        flagged = scores[rows] >= pt
        return float(((flagged & (Y[rows] == 1)).sum() - odds * (flagged & (Y[rows] == 0)).sum()) / len(rows))

    scores, everybody = {"a": P, "b": Q}, np.arange(N)
    gap = benefit(scores[found.a], everybody) - benefit(scores[found.b], everybody)
    assert found.estimate.value == pytest.approx(gap, abs=1e-12) and found.estimate.value >= 0
    rng = np.random.default_rng(3)
    drawn = [rng.integers(0, N, N) for _ in range(1500)]
    gaps = [benefit(scores[found.a], rows) - benefit(scores[found.b], rows) for rows in drawn]
    ends = np.quantile(gaps, [0.025, 0.975])
    width = ends[1] - ends[0]
    assert [found.estimate.low, found.estimate.high] == pytest.approx(ends, abs=0.15 * width)


def test_sensitivity_at_a_specificity_is_a_test_by_name() -> None:
    found = rs.compare(Y, {"a": P, "b": Q}, test="sensitivity-at-specificity-0.9", seed=1)
    same = rs.compare(Y, {"a": P, "b": Q}, measure="sensitivity at specificity 0.9", seed=1)
    assert found.to_dict()["measure_differences"] == same.to_dict()["measure_differences"]
    one = found.measure_differences[0]
    scores = {"a": P, "b": Q}
    direct = rs.significance.bootstrap_difference(
        Y, scores[one.a], scores[one.b], "sensitivity_at", specificity=0.9, n=2000, seed=1
    )
    assert one.estimate.value == pytest.approx(direct.value, abs=1e-12)
    assert (one.estimate.p or 1) == pytest.approx(direct.p, abs=0.08)
    with pytest.raises(rs.RocscopeError, match="only one of the two"):
        rs.compare(Y, {"a": P, "b": Q}, test="sensitivity-at-specificity-0.9", measure="auc")
    with pytest.raises(rs.RocscopeError, match="not probabilities"):
        rs.compare(Y, {"a": 3 * P, "b": 3 * Q}, measure="net benefit at 0.3")


# ---- decision curves ----


def test_the_decision_curve_has_limits_and_interventions_avoided() -> None:
    found = intervals.decision_curve(T, pt=[0.1, 0.3])
    for row, pt in enumerate((0.1, 0.3)):
        counts = T.at(pt)
        one = intervals.net_benefit(counts, pt=pt)
        assert (found.net_benefit[row], found.low[row], found.high[row]) == (one.value, one.low, one.high)
        avoided = (counts.tn - counts.fn * (1 - pt) / pt) / N
        assert found.avoided[row] == pytest.approx(avoided, abs=1e-12)
        assert found.avoided_low[row] < avoided < found.avoided_high[row]
        all_ = intervals.net_benefit(rs.Counts(tp=Y.sum(), fp=N - Y.sum(), fn=0, tn=0), pt=pt)
        assert found.avoided[row] == pytest.approx((one.value - all_.value) * (1 - pt) / pt)


def written() -> str:
    rows = [f"{y},{p},{q}" for y, p, q in zip(Y, P, Q, strict=True)]
    Path("cases.csv").write_text("\n".join(["y,p,q", *rows]) + "\n")
    return "cases.csv"


def test_the_command_draws_limits_and_hides_no_price(run: Run) -> None:
    asked = ("curve", written(), "--label", "y", "--score", "p")
    code, out, _ = run(*asked, "--kind", "net-benefit", "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(out)))
    row = next(one for one in rows if one["threshold"] == "0.3")
    one = intervals.net_benefit(T, pt=0.3)
    assert code == 0 and (float(row["low"]), float(row["high"])) == pytest.approx((one.low, one.high), abs=1e-9)
    code, _, problem = run(*asked, "--kind", "expected-cost")
    assert code == 2 and "Add --cost-fp 1 --cost-fn 5" in problem
    code, out, _ = run(*asked, "--kind", "expected-cost", "--cost-fp", "2", "--cost-fn", "7", "--format", "json")
    document = json.loads(out)
    assert document["options"] == {"fp": 2, "fn": 7, "tp": 0, "tn": 0}
    first = document["points"][0]
    assert first["cost"] == pytest.approx(7 * Y.mean())  # nobody is flagged
    text = run(*asked, "--kind", "expected-cost", "--gains", "tp=100, fp=-5")[1]
    assert text.startswith("expected cost (fp 5, tp -100)")
    assert "costs apply only to --kind expected-cost" in run(*asked, "--cost-fn", "5")[2]


def test_gains_on_the_command_line(run: Run) -> None:
    asked = ("evaluate", written(), "--label", "y", "--score", "p", "--format", "json")
    document = json.loads(run(*asked, "--gains", "tp=100, fp=-5")[1])
    wanted = rs.evaluate(Y, P, costs=rs.Costs.gains(tp=100, fp=-5))
    assert document["point"]["threshold"] == wanted.point.threshold  # type: ignore[union-attr]
    assert document["point"]["cost"]["value"] == pytest.approx(wanted.cost.value)  # type: ignore[union-attr]
    assert "'fpx=-5' is not a gain" in run(*asked, "--gains", "tp=100, fpx=-5")[2]
    assert "only one of them" in run(*asked, "--gains", "tp=100", "--cost-fn", "5")[2]


def test_the_three_areas_under_the_pr_curve_stand_together(run: Run) -> None:
    asked = ("evaluate", written(), "--label", "y", "--score", "p")
    areas = {row["name"]: row for row in json.loads(run(*asked, "--format", "json")[1])["areas"]}
    for name in ("average_precision", "pr_area", "pr_trapezoid"):
        assert areas[name]["value"] == pytest.approx(curves.get(name)(T))
    assert areas["pr_area"]["low"] < areas["pr_area"]["value"] < areas["pr_area"]["high"]
    assert areas["pr_trapezoid"]["low"] is None and "comparison with other tools" in areas["pr_trapezoid"]["why"]
    text = run(*asked, "--full")[1]
    assert all(title in text for title in ("average precision", "exact PR area", "PR area by trapezoids"))
    at_two = rs.evaluate(Y, P, costs=rs.Costs(fp=1, fn=5, prevalence=0.02))
    assert at_two.area("pr_area").value == pytest.approx(curves.pr_area(T.rebase(0.02)))


@pytest.mark.parametrize(
    ("spelled", "name"),
    [
        ("PR area recall 50 % - 99 %", "pr_area recall 0.5 to 0.99"),
        ("partial-auc-tpr .8 to 1", "partial_auc tpr 0.8 to 1"),
    ],
)
def test_a_part_of_an_area_has_one_name_with_both_ends(spelled: str, name: str) -> None:
    for one in (spelled, name):
        asked = intervals.asked_statistic(one)
        assert asked is not None and asked.name == name


@pytest.mark.parametrize(("name", "needs"), [("partial_auc", "fpr"), ("net_benefit_at", "pt"), ("lift_at", "share")])
def test_a_range_a_share_or_a_price_is_never_assumed(name: str, needs: str) -> None:
    rng = np.random.default_rng(1)
    y = np.arange(60) % 2
    ev = rs.evaluate(y, np.clip(0.3 * y + 0.7 * rng.random(60), 0, 1))
    calls = (
        lambda: getattr(ev.table, name),
        lambda: ev.table.value(name),
        lambda: ev.area(name),
        lambda: rs.intervals.of(ev.table, name),
        lambda: rs.intervals.bootstrap(ev.table, name, n=50),
        lambda: rs.gate(ev, f"{name} > 0"),
    )
    for call in calls:
        with pytest.raises(rs.RocscopeError, match=f"needs {needs}"):
            call()
    assert not hasattr(ev.table, name) and name not in dir(ev.table)
    option = {"partial_auc": {"fpr": (0, 0.2)}, "net_benefit_at": {"pt": 0.3}, "lift_at": {"share": 0.2}}[name]
    value = ev.table.value(name, **option)
    assert value == getattr(rs.curves, name)(ev.table, **option) == rs.intervals.of(ev.table, name, **option).value
    assert rs.intervals.of(ev.table, name, **option).why.startswith(f"{needs} {option[needs]}")
    with pytest.raises(rs.RocscopeError, match="needs tpr"):
        ev.table.value("two_way_partial_auc", fpr=0.5)


def test_a_figure_of_expected_cost_has_the_costs_of_the_evaluation() -> None:
    pytest.importorskip("matplotlib")
    y, x = [1, 0, 1, 0, 1, 0], [0.9, 0.2, 0.6, 0.5, 0.4, 0.7]
    with pytest.raises(rs.RocscopeError, match="requires the costs of both kinds of error"):
        rs.evaluate(y, x).plot("expected-cost")
    costs = rs.Costs(fp=2, fn=7, prevalence=0.1)
    for answer in (rs.evaluate(y, x, costs=costs), rs.compare(y, {"a": x, "b": x[::-1]}, costs=costs)):
        drawn = [line.get_ydata() for line in answer.plot("expected-cost").lines]
        table = (answer if hasattr(answer, "table") else answer.evaluations["a"]).table
        wanted = {round(cost, 9) for cost in rs.curves.expected_cost(table.rebase(0.1), fp=2, fn=7).cost.tolist()}
        shown = [{round(float(cost), 9) for cost in row} for row in drawn]
        assert any(len(costs) > 4 and costs <= wanted for costs in shown), (shown, wanted)
