"""compare(measure=): the measure that decides, its differences, what it refuses, and where it is said."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

import rocscope as rs
from rocscope import report, significance

LINEAR = (
    "error_rate", "accuracy", "balanced_accuracy", "youden", "recall", "specificity", "false_positive_rate",
    "false_negative_rate",
)  # fmt: skip
OVER_ALL = ("average_precision", "pr_area", "brier", "log_loss", "gini")
RESAMPLED = ("f1", "mcc", "precision", "f2")


def cases(n: int = 400, seed: int = 1) -> tuple[Any, dict[str, Any]]:
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < 0.3).astype(int)
    scores = {
        name: 1 / (1 + np.exp(-(gain * y - 1 + rng.normal(0, 1, n))))
        for name, gain in (("a", 1.5), ("b", 1.8), ("c", 0.4))
    }
    return y, scores


def of_model(y: Any, score: Any, name: str) -> float:
    t = rs.ScoreTable.from_scores(y, score)
    return float(t.at(0.5).value(name) if name in (*LINEAR, *RESAMPLED) else getattr(rs.curves, name)(t))


@pytest.mark.parametrize("name", [*LINEAR, *OVER_ALL, *RESAMPLED])
def test_the_best_by_the_measure_is_recommended_and_its_differences_decide(name: str) -> None:
    y, scores = cases()
    cmp = rs.compare(y, scores, measure=name, bootstrap=0)
    values = {model: of_model(y, score, name) for model, score in scores.items()}
    lowest = name in ("error_rate", "false_positive_rate", "false_negative_rate", "brier", "log_loss")
    assert cmp.recommended == (min if lowest else max)(values, key=lambda model: values[model])
    assert cmp.certainty["decides"] == name
    for one in cmp.measure_differences:
        assert one.what == name and one.estimate.low < one.estimate.high
        assert one.estimate.value == pytest.approx(values[one.a] - values[one.b], abs=1e-12)
    apart = [one.estimate.low > 0 or one.estimate.high < 0 for one in cmp.measure_differences]
    assert (cmp.certainty["grade"] == "settled") == all(apart)
    assert cmp.certainty["against"] == [
        one.b for one, out in zip(cmp.measure_differences, apart, strict=True) if not out
    ]


@pytest.mark.parametrize("name", ["error_rate", "f1", "brier"])
def test_the_limits_of_all_pairs_are_those_of_the_measure_and_wider(name: str) -> None:
    y, scores = cases()
    cmp = rs.compare(y, scores, measure=name)
    assert len(cmp.pairs) == 3 and {one.what for one in cmp.pairs} == {name}
    single = {frozenset((one.a, one.b)): one.estimate for one in cmp.measure_differences}
    for pair in cmp.pairs:
        alone = single.get(frozenset((pair.a, pair.b)))
        if alone is not None:
            assert abs(pair.estimate.value) == pytest.approx(abs(alone.value))
            assert pair.estimate.high - pair.estimate.low > alone.high - alone.low


def test_two_error_rates_differ_with_the_p_value_of_their_limits() -> None:
    y, scores = cases()
    two = {name: scores[name] for name in "ac"}
    found = rs.compare(y, two, measure="error_rate").measure_differences[0].estimate
    right = [(np.asarray(two[name]) >= 0.5) == (y == 1) for name in "ac"]
    only = [int((right[i] & ~right[1 - i]).sum()) for i in (0, 1)]
    assert found.value == pytest.approx((only[1] - only[0]) / len(y))
    z = stats.norm.ppf(0.975) * found.value / (found.high - found.value)  # the distance from 0 in units of the limits
    assert found.statistic == pytest.approx(z) and found.p == pytest.approx(2 * stats.norm.sf(abs(z)))


def test_a_resampled_difference_is_that_of_the_paired_bootstrap() -> None:
    y, scores = cases()
    found = rs.compare(y, {name: scores[name] for name in "ab"}, measure="brier")
    one = found.measure_differences[0]
    few = min(y.sum(), len(y) - y.sum())
    reach = math.sqrt(few / (few - 1)) * stats.t.ppf(0.975, few - 1)  # quantiles as far out as Student's t
    level = 1 - 2 * stats.norm.sf(reach)
    own = significance.bootstrap_difference(y, scores[one.a], scores[one.b], "brier", stratified=False, level=level)
    assert (one.estimate.low, one.estimate.high) == pytest.approx((own.low, own.high))
    z = stats.norm.isf(own.p / 2)
    assert one.estimate.p == pytest.approx(2 * stats.t.sf(z / math.sqrt(few / (few - 1)), few - 1))


def test_clusters_and_weights_are_allowed_for() -> None:
    y, scores = cases(300)
    y, scores = np.repeat(y, 4), {name: np.repeat(score, 4) for name, score in scores.items()}
    clusters = np.repeat(np.arange(300), 4)
    for name in ("error_rate", "average_precision", "f1"):
        plain, clustered = (rs.compare(y, scores, measure=name, clusters=one) for one in (None, clusters))
        width = [one.measure_differences[0].estimate for one in (plain, clustered)]
        assert width[1].high - width[1].low > 1.5 * (width[0].high - width[0].low)
    heavy = np.where(np.arange(len(y)) % 2, 1.0, 3.0)
    assert rs.compare(y, scores, measure="f1", weights=heavy).certainty["decides"] == "f1"


def test_without_a_name_and_with_the_auc_the_answer_is_the_same() -> None:
    y, scores = cases()
    plain, named = (rs.compare(y, scores, measure=one).to_dict() for one in (None, "roc_auc"))
    assert "measure" not in plain["settings"] and "measure" not in plain and "measure_differences" not in plain
    for one in (named, *named["evaluations"].values()):
        assert one["settings"].pop("measure") == "roc_auc"
    assert named == plain


def test_the_verdict_and_every_format_say_which_measure_decides(tmp_path: Path) -> None:
    y, scores = cases()
    cmp = rs.compare(y, scores, measure="error_rate", by={"half": np.arange(len(y)) % 2})
    document = json.loads(report.json(cmp.to_dict()))
    schema = json.loads((Path(__file__).parent.parent / "src/rocscope/schema/rocscope-1.json").read_text())
    pytest.importorskip("jsonschema").validate(document, schema)
    assert "in error rate is" in document["verdict"]["sure"] and "ranked by error rate" in document["methods"]
    assert document["measure"]["best"] == "lowest" and set(document["measure"]["values"]) == set(scores)
    text = str(cmp)
    assert "in error rate is" in text and "error rate difference" in text
    full = report.text(document, full=True)
    assert "error rate, first minus second" in full
    assert "error_rate_difference" in report.csv(document)
    cmp.save(str(tmp_path / "page.html"))
    assert "in error rate is" in (tmp_path / "page.html").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("how", "why"),
    [
        ({"measure": "calibration_slope"}, "neither its highest nor its lowest"),
        ({"measure": "partial_auc"}, "it needs fpr"),
        ({"measure": "ici"}, "many resamples at once"),
        ({"measure": "nonsense"}, "no measure 'nonsense'"),
        ({"measure": "f1", "costs": rs.Costs(fp=1, fn=2)}, "costs and a measure"),
        ({"measure": "f1", "test": "rank-swap"}, "test 'rank-swap' compares AUCs"),
        ({"measure": "f1", "choose": "youden", "cross_fit": 5}, "cross-fitting uses several thresholds"),
        ({"measure": "precision", "threshold": 2.0}, "of a: nothing was predicted positive"),
    ],
)
def test_what_cannot_decide_is_refused_with_the_reason(how: dict[str, Any], why: str) -> None:
    y, scores = cases()
    with pytest.raises(rs.RocscopeError, match=why):
        rs.compare(y, scores, **how)


def test_scores_that_are_no_probabilities_and_one_class_are_refused() -> None:
    y, scores = cases()
    with pytest.raises(rs.RocscopeError, match="not probabilities"):
        rs.compare(y, {name: 9 * score for name, score in scores.items()}, measure="brier")
    with pytest.raises(rs.RocscopeError, match="all cases belong to one class"):
        rs.compare([1, 1], {"a": [0.1, 0.2], "b": [0.3, 0.4]}, measure="f1")


def test_a_threshold_chosen_on_the_cases_is_corrected_for_the_model_that_the_measure_names() -> None:
    y, scores = cases()
    cmp = rs.compare(y, scores, measure="f1", choose="f1")
    selection = cmp.selection[0]
    assert selection is not None and selection.shares == (1.0,)
    assert cmp.evaluations[cmp.recommended].measure("f1").method.endswith("corrected for the choice")


def test_the_command_takes_the_measure(run: Callable[..., tuple[int, str, str]], tmp_path: Path) -> None:
    y, scores = cases()
    rows = zip(y.tolist(), *(score.tolist() for score in scores.values()), strict=True)
    file = tmp_path / "s.csv"
    file.write_text("\n".join(["y,a,b,c", *(",".join(map(repr, row)) for row in rows)]) + "\n")
    asked = ["compare", str(file), "--label", "y", "--score", "a", "--score", "b", "--score", "c", "--measure", "brier"]
    code, shown, _ = run(*asked, "--format", "json")
    document = json.loads(shown)
    assert code == 0 and document["certainty"]["decides"] == "brier" and document["settings"]["measure"] == "brier"
    assert document["recommended"] == rs.compare(y, scores, measure="brier").recommended
    code, _, refused = run(*asked, "--cost-fn", "5")
    assert code == 2 and "costs and a measure" in refused
