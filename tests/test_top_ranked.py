"""The top of the ranking against counting by hand; capacities as rules."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import rocscope as rs
from rocscope import report
from rocscope.errors import RocscopeError
from rocscope.text import estimate_text

Run = Callable[..., tuple[int, str, str]]
RNG = np.random.default_rng(5)
Y = (RNG.random(500) < 0.2).astype(int)
S = (RNG.normal(size=500) + Y).round(1)


@pytest.mark.parametrize(("rule", "most"), [("top 5 %", 25), ("top 12.5%", 62), ("top 40", 40), ("TOP 1", 1)])
def test_a_capacity_is_a_rule(rule: str, most: int) -> None:
    ev = rs.evaluate(Y, S, choose=rule)
    assert isinstance(ev, rs.Evaluation) and ev.point is not None
    counts, threshold = ev.point.counts, ev.point.threshold
    assert counts.tp + counts.fp == (threshold <= S).sum() <= most
    below = S[threshold > S]
    assert (below.max() <= S).sum() > most  # the next threshold flags too many
    assert not ev.point.optimistic and ev.selection is None  # no label was used
    assert ev.point.chosen == rule


def test_ties_at_the_capacity_are_said() -> None:
    found = rs.decisions.best(rs.ScoreTable.from_scores([1, 1, 0, 1], [0.9, 0.5, 0.5, 0.5]), "top 2")
    assert found[0].counts.tp == 1 and "3 cases share that score" in found.note


def test_ties_beyond_the_capacity_recommend_to_flag_none(run: Run) -> None:
    rows = [f"{index % 3 == 0:d},{0.9 if index % 2 else 0.2}" for index in range(600)]
    Path("ties.csv").write_text("\n".join(["y,p", *rows]) + "\n", encoding="utf-8")
    code, out, _ = run("evaluate", "ties.csv", "--label", "y", "--score", "p", "--choose", "top 5 %")
    said = " ".join(out.split())
    assert code == 0
    headline = "Recommended: flag none of the cases. The number of cases with the highest score exceeds the capacity"
    assert said.startswith(headline) and "threshold inf" not in said
    assert "flags 300, because 300 cases share that score" in said


@pytest.mark.parametrize("rule", ["top 0", "top 0 %"])
def test_a_capacity_of_nothing_is_refused(rule: str) -> None:
    with pytest.raises(RocscopeError, match="flags no case"):
        _ = rs.evaluate(Y, S, choose=rule).point


def test_the_text_says_what_ties_do_to_a_capacity() -> None:
    ev = rs.evaluate([1, 1, 0, 1, 0, 0], [0.9, 0.9, 0.9, 0.5, 0.5, 0.4], choose="top 2")
    assert any("because 3 cases share that score" in caveat for caveat in ev.to_dict()["caveats"])
    assert not any("share that score" in caveat for caveat in rs.evaluate(Y, S).to_dict()["caveats"])


@pytest.mark.parametrize("rule", ["top 2.5", "top five", "top"])
def test_other_texts_are_no_capacity(rule: str) -> None:
    with pytest.raises(RocscopeError, match=r"not a number of cases|no rule or measure"):
        _ = rs.evaluate(Y, S, choose=rule).point


def test_costs_beside_a_capacity_price_it() -> None:
    ev = rs.evaluate(Y, S, choose="top 10 %", costs=rs.Costs(fp=1, fn=5))
    assert isinstance(ev, rs.Evaluation) and ev.cost is not None and ev.point is not None
    counts = ev.point.counts
    assert ev.cost.value == pytest.approx(1000 * (counts.fp + 5 * counts.fn) / 500)
    with pytest.raises(RocscopeError, match="takes no costs or condition"):
        rs.decisions.best(ev.table, "top 5 %", where="recall >= 0.1")


@pytest.mark.parametrize("weights", [None, RNG.integers(1, 4, 500).astype(float)])
def test_the_table_is_counted_by_hand(weights: np.ndarray | None) -> None:
    ev = rs.evaluate(Y, S, weights=weights)
    found, weight = ev.to_dict()["top"], np.ones(500) if weights is None else weights
    assert [row["share"] for row in found["shares"]] == [0.05, 0.1, 0.15, 0.2, 0.3, 0.5]
    for row in found["shares"]:
        flagged = row["threshold"] <= S
        assert row["counts"]["tp"] == weight[flagged & (Y == 1)].sum()
        assert row["counts"]["tp"] + row["counts"]["fp"] <= row["share"] * weight.sum()
        precision = weight[flagged & (Y == 1)].sum() / weight[flagged].sum()
        assert row["precision"]["value"] == pytest.approx(precision, abs=1e-12)
        assert row["precision"]["low"] < precision < row["precision"]["high"]
        assert row["lift"]["value"] == pytest.approx(precision / (weight[Y == 1].sum() / weight.sum()), abs=1e-12)
    assert sum(row["cases"] for row in found["deciles"]) == weight.sum()
    assert sum(row["positives"] for row in found["deciles"]) == weight[Y == 1].sum()
    last = found["deciles"][-1]
    assert last["recall"] == 1 and last["gap"] == 0


def test_the_distance_is_that_of_scipy() -> None:
    from scipy.stats import ks_2samp

    found = rs.evaluate(Y, S).to_dict()["top"]["ks"]
    assert found["value"] == pytest.approx(ks_2samp(S[Y == 1], S[Y == 0]).statistic, abs=1e-12)
    at = found["threshold"]
    assert (S[Y == 1] >= at).mean() - (S[Y == 0] >= at).mean() == pytest.approx(found["value"], abs=1e-12)


def test_lift_and_distance_have_limits_in_text_and_document() -> None:
    ev = rs.evaluate(Y, S)
    found = ev.to_dict()["top"]
    distance = ev.area("ks_statistic")
    assert (found["ks"]["low"], found["ks"]["high"]) == (distance.low, distance.high)
    assert 0 <= distance.low < distance.value < distance.high <= 1
    text = report.answer(ev.to_dict(), full=True).written("text")
    said = " ".join(estimate_text(found["ks"]).replace("\xa0", " ").replace("–", "-").split())
    assert f"distance: {said}, reached at" in " ".join(text.replace("\xa0", " ").split()) and "95 % CI" in said
    top, tenth = found["shares"][0], found["deciles"][0]
    for row in (top["lift"], tenth["lift"]):
        assert row["low"] < row["value"] < row["high"]
    assert f"{top['lift']['value']:.2f} [{top['lift']['low']:.2f}, {top['lift']['high']:.2f}]" in text


def test_a_lift_without_false_alarms_is_no_surer_than_its_precision() -> None:
    counts = rs.Counts(tp=28, fp=0, fn=329, tn=212)
    lift, precision, prevalence = counts.estimate("lift"), counts.estimate("precision"), 357 / 569
    assert lift.low < precision.low / prevalence < lift.value < lift.high  # as if the prevalence were known
    none = rs.Counts(tp=0, fp=9, fn=30, tn=61).estimate("lift")
    assert none.value == none.low == 0 < none.high


@pytest.mark.parametrize(("positives", "negatives", "shift"), [(50, 100, 0.3), (50, 100, 1.0), (30, 30, 0.0)])
def test_the_distance_covers_that_of_the_population(positives: int, negatives: int, shift: float) -> None:
    """400 samples; three standard errors below 0.93 are allowed. Newcombe's limits alone cover 0.88 at shift 0.3."""
    from scipy.stats import norm

    rng, true, covered = np.random.default_rng(0), 2 * norm.cdf(shift / 2) - 1, 0
    y = np.repeat([1, 0], [positives, negatives])
    for _ in range(400):
        scores = rng.normal(size=positives + negatives) + shift * y
        found = rs.intervals.ks_statistic(rs.ScoreTable.from_scores(y, scores))
        covered += found.low <= true <= found.high
    assert covered / 400 >= 0.93 - 3 * (0.93 * 0.07 / 400) ** 0.5


def test_one_class_has_no_table() -> None:
    assert rs.evaluate([1, 1], [0.1, 0.2], positive=1).to_dict()["top"] is None


def test_a_capacity_beyond_all_cases_is_said() -> None:
    ev = rs.evaluate([0, 1, 1, 0], [0.1, 0.9, 0.7, 0.3], choose="top 9")
    assert "Requested 9: there are only 4, and all are flagged." in ev.to_dict()["verdict"]["caveats"]
    with pytest.raises(rs.RocscopeError, match="more than all cases"):
        rs.evaluate([0, 1, 1, 0], [0.1, 0.9, 0.7, 0.3], choose="top 105 %").to_dict()


def test_the_report_of_one_model_has_lift_and_deciles_with_limits(
    run: Callable[..., tuple[int, str, str]], tmp_path: Path
) -> None:
    rng = np.random.default_rng(4)
    y = rng.integers(0, 2, 300)
    a, b = (rng.normal(size=300) + y).round(3), rng.normal(size=300).round(3)
    path, out = tmp_path / "scores.csv", tmp_path / "r.html"
    path.write_text("y,a,b\n" + "".join(f"{one},{p},{q}\n" for one, p, q in zip(y, a, b, strict=True)), "utf-8")
    assert run("evaluate", str(path), "--label", "y", "--score", "a", "--html", str(out))[0] == 0
    section = out.read_text("utf-8").split('id="deciles"')[1].split("</section>")[0]
    first = a >= np.sort(a)[-15]  # 5 % of the cases
    hits = int(y[first].sum())
    lift = rs.ScoreTable.from_scores(y, a).at(float(np.sort(a)[-15])).estimate("lift")
    assert f"<td>5 %</td><td>15</td><td>{hits}</td><td>{15 - hits}</td>" in section.replace(' class="text"', "")
    assert f"{lift.value:.2f} [{lift.low:.2f}, {lift.high:.2f}]" in section and section.count("<tr>") == 2 + 6 + 10
    tenth = rs.estimate.proportion(int(y[a >= np.sort(a)[-30]].sum()), 30)
    assert f"<td>1</td><td>30</td><td>27</td><td>{tenth.value:.2f} [{tenth.low:.2f}, {tenth.high:.2f}]" in section
    assert "Kolmogorov-Smirnov distance" in section
    two = ("--score", "a", "--score", "b", "--html", str(out), "--force")
    assert run("compare", str(path), "--label", "y", *two)[0] == 0
    assert 'id="deciles"' not in out.read_text("utf-8")
