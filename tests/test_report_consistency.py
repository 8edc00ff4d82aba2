"""What one part of a report states, no other part contradicts: the cases in which the first edition did."""

from __future__ import annotations

import random
import re
import sys
from html import unescape
from pathlib import Path
from typing import Any

import pytest

import rocscope as rs
from rocscope.report.html import page

sys.path.insert(0, str(Path(__file__).parent / "page"))
import reports


def perfect() -> rs.Evaluation:
    """Every positive above every negative."""
    scores = [round(0.1 + 0.005 * i, 3) for i in range(40)] + [round(0.6 + 0.005 * i, 3) for i in range(40)]
    return rs.evaluate([0] * 40 + [1] * 40, scores, costs=rs.Costs(fp=1, fn=5))


def sharpened() -> rs.Evaluation:
    """Predictions pushed away from the middle, so that the slope of their calibration is far below 1."""
    labels, scores = reports.cases(600)
    return rs.evaluate(labels, [min(max(round(s**3 / (s**3 + (1 - s) ** 3), 4), 0.0001), 0.9999) for s in scores])


def made(result: Any) -> str:
    return page(result.to_dict(drawing=True))


def reading(name: str, html: str) -> str:
    """The reading line of a view, without markup."""
    found = re.search(rf'id="{name}-reading">(.*?)</p>', html, re.DOTALL)
    assert found is not None, name
    return unescape(re.sub("<[^>]+>", "", found[1])).replace("\u00a0", " ")


CALIBRATED = {
    "perfect": perfect,
    "sharpened": sharpened,
    "ten cases": lambda: rs.evaluate(*reports.cases(10, share=0.5)),
    "nine models": reports.many_models,
    "honest": reports.one_model,
}


@pytest.mark.parametrize("kind", CALIBRATED)
def test_calibration_has_one_diagnosis_and_its_interval(kind: str) -> None:
    """No claim about single bins, no two directions of slope or mean, and no slope without its interval."""
    result = CALIBRATED[kind]()
    text = reading("calibration", made(result))
    diagnoses = re.findall(r"too (?:extreme|moderate)", text)
    assert len(diagnoses) <= 1 and len(re.findall(r"too (?:high|low)", text)) <= 1 and "confident" not in text, text
    assert text.count("95 % CI") >= text.count("slope"), text
    evaluation = result if hasattr(result, "calibration") else result.evaluations[result.recommended]
    slope = None if evaluation.calibration is None else evaluation.calibration["calibration_slope"]
    if diagnoses and slope is not None:
        assert slope.high < 1 if diagnoses == ["too extreme"] else slope.low > 1, (text, slope)
    if kind == "sharpened":
        assert diagnoses == ["too extreme"], text


def test_a_perfect_ranking_has_one_threshold_everywhere() -> None:
    ev = perfect()
    html = made(ev)
    said = re.search(r"threshold ([\d.]+)\.", ev.to_dict()["verdict"]["headline"])
    assert said is not None
    assert f"at {said[1]} " in reading("roc", html)
    assert f'value="{said[1]}"' in html or f">{said[1]}<" in html or f"threshold <b>{said[1]}</b>" in html


def test_a_threshold_that_does_not_change_does_not_fall() -> None:
    for result in (perfect(), reports.backwards()):
        text = reading("strip", made(result))
        ends = re.search(r"falls from (\S+) to (\S+) as", text)
        assert ends is None or ends[1] != ends[2], text


def test_limits_beside_a_name_in_another_direction_stay_in_their_order() -> None:
    """A name written from right to left is isolated, so that it does not turn its interval round."""
    import pandas as pd

    labels, scores = reports.cases(400)
    frame = pd.DataFrame({"y": labels, "p": scores, "region": ["شمال", "north", "west", "south"] * 100})
    html = made(rs.evaluate(frame, label="y", score="p", by="region"))
    section = html[html.index('id="slices"') :]
    assert re.search(r"<bdi[^>]*>شمال</bdi>", section)
    for p in re.findall(r"\(p = ([\d.]+)[^)]*\)", unescape(section)):
        assert 0 < float(p) <= 1
    assert "that they are equal" not in section


def _weak(positives: int = 30, negatives: int = 120) -> tuple[list[int], list[float]]:
    """Rare positives that are ranked badly, so that accuracy is hardly above that of the larger class."""
    drawn = random.Random(3)
    labels = [1] * positives + [0] * negatives
    return labels, [round(min(max(drawn.gauss(0.3 + 0.15 * label, 0.15), 0.01), 0.99), 3) for label in labels]


def _weak_classes() -> tuple[list[str], list[list[float]]]:
    drawn, labels = random.Random(4), ["a"] * 90 + ["b"] * 20 + ["c"] * 10
    rows = [[drawn.random() + 1.5 * (name == "a") + 0.3 * (name == label) for name in "abc"] for label in labels]
    return labels, [[cell / sum(row) for cell in row] for row in rows]


ACCURACY_QUOTED = {
    "costs": {"costs": rs.Costs(fp=1, fn=2)},
    "costs of 3": {"costs": rs.Costs(fp=1, fn=3)},
    "youden": {"choose": "youden"},
    "f1": {"choose": "f1"},
    "accuracy": {"choose": "accuracy"},
    "top": {"choose": "top 10 %"},
    "cross-fitted": {"choose": "f1", "cross_fit": 5},
    "given": {"threshold": 0.45},
    "default": {},
}


def _quoting() -> dict[str, Any]:
    labels, scores = _weak()
    found: dict[str, Any] = {name: rs.evaluate(labels, scores, **how) for name, how in ACCURACY_QUOTED.items()}
    other = [round(0.9 * score + 0.002 * (index % 7), 4) for index, score in enumerate(scores)]
    models, classes = {"first": scores, "second": other}, _weak_classes()
    found["two models"] = rs.compare(labels, models, costs=rs.Costs(fp=1, fn=2))
    found["two models by F1"] = rs.compare(labels, models, choose="f1")
    found["classes"] = rs.evaluate(*classes, labels=list("abc"))
    costs = rs.Costs.matrix([[0, 1, 1], [2, 0, 1], [2, 1, 0]], labels="abc")
    found["cost matrix"] = rs.evaluate(*classes, labels=list("abc"), costs=costs)
    found["predicted labels"] = rs.evaluate(labels, predicted=[int(score > 0.5) for score in scores])
    return found


def _with_verdicts(part: Any) -> list[dict[str, Any]]:
    """Every results document inside a results document that has measures and a verdict."""
    inner = list(part.values()) if isinstance(part, dict) else part if isinstance(part, list) else []
    own = [part] if isinstance(part, dict) and {"verdict", "measures"} <= part.keys() else []
    return own + [document for child in inner for document in _with_verdicts(child)]


def test_a_caveat_quotes_the_accuracy_that_stands_in_the_measures() -> None:
    """A threshold chosen on the same cases has a corrected accuracy, and the caveat must not quote the apparent one."""
    quoted = set()
    for kind, result in _quoting().items():
        for document in _with_verdicts(result.to_dict()):
            row = next((row for row in document["measures"] if row["name"] == "accuracy"), None)
            for sentence in (caveat for caveat in document["caveats"] if caveat.startswith("Accuracy is")):
                accuracy, larger = re.findall(r"\d+(?:\.\d+)?", sentence)[:2]
                assert row is not None and f"{row['value']:.{len(accuracy) - 2}f}" == accuracy, (kind, sentence, row)
                assert f"{row['baseline']:.{len(larger) - 2}f}" == larger, (kind, sentence, row)
                quoted.add(kind)
    assert len(quoted) >= 9, quoted


def test_a_report_for_another_prevalence_has_its_areas_and_costs_at_that_prevalence() -> None:
    """Average precision was that at 2 %, the exact area beside it that of the sample."""
    labels, scores = reports.cases(400)
    result = rs.evaluate(labels, scores, costs=rs.Costs(fp=1, fn=5, prevalence=0.02))
    html = made(result)
    assert f"exact area {result.pr_areas['pr_area'].value:.3g}" in reading("pr", html)
    assert "depends on the prevalence is shown at 2 %" in reading("measures", html)
    assert "in this sample" not in reading("cases", html).lower()
