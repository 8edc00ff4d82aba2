"""The teaching page: one file, readable without a script, its list the trace of the algorithm."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from rocscope import RocscopeError, ScoreTable, curves, lessons
from rocscope.cli import main
from rocscope.report.html.views.lesson import MOST, teaching


def lesson(page: str) -> dict[str, object]:
    found = re.search(r'<script type="application/json" id="rocscope-lesson">(.*?)</script>', page)
    assert found
    return json.loads(found[1])


def table_of(cases: list[dict[str, object]]) -> ScoreTable:
    return ScoreTable.from_scores([one["positive"] for one in cases], [one["score"] for one in cases])


def test_the_page_holds_the_list_and_the_trace() -> None:
    t = ScoreTable.from_scores([1, 0, 1, 1, 0], [0.9, 0.8, 0.8, 0.8, 0.1])
    page = teaching(t)
    assert "default-src &#x27;none&#x27;" in page
    assert table_of(lesson(page)["cases"]) == t.named((False, True))
    for row in lessons.table_trace(t)[1:]:
        assert f"<td>{float(row.area):.3f}</td>" in page


def test_low_scores_that_mean_positive_are_ranked_from_the_positive_end() -> None:
    t = ScoreTable.from_scores([1, 0, 1, 0], [0.1, 0.2, 0.3, 0.4], higher_is_positive=False)
    assert curves.auc(table_of(lesson(teaching(t))["cases"])) == curves.auc(t)


def test_a_large_table_is_sampled_and_said() -> None:
    y = [i % 5 == 0 for i in range(3000)]
    t = ScoreTable.from_scores(y, [i + (900 if hit else 0) for i, hit in enumerate(y)])
    found = lesson(teaching(t, source="big.csv"))
    assert len(found["cases"]) == MOST
    assert sum(one["positive"] for one in found["cases"]) == MOST / 5
    assert "60 of 3,000 cases of big.csv" in str(found["note"])
    assert abs(curves.auc(table_of(found["cases"])) - curves.auc(t)) < 0.02


def test_the_gallery_has_the_worked_examples_with_their_answers() -> None:
    gallery = lesson(teaching())["examples"]
    names = [one["name"] for one in gallery]
    assert lessons.example("fawcett").title in names
    for one in gallery:
        assert one["question"] and one["answers"] and table_of(one["cases"]).positives


def test_weights_and_one_class_are_refused() -> None:
    with pytest.raises(RocscopeError, match="not weights"):
        teaching(ScoreTable.from_scores([1, 0], [2, 1], weights=[0.5, 1.5]))
    with pytest.raises(RocscopeError, match="positives and negatives"):
        teaching(ScoreTable.from_scores([1, 1], [2, 1], positive=1))


def test_trace_writes_the_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["trace", "--html", "learn.html"]) == 0
    assert table_of(lesson(Path("learn.html").read_text())["cases"]).positives == 10
    assert main(["trace", "--html", "learn.html"]) == 2
    assert main(["trace", "--example", "c45-svm", "--html", "points.html"]) == 2
    assert not Path("points.html").exists()
    assert "needs cases with scores" in capsys.readouterr().err
