"""Arrays with missing values and infinite scores."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import rocscope as rs
from rocscope.errors import RocscopeError

Run = Callable[..., tuple[int, str, str]]
INF, NAN = math.inf, math.nan


def test_rows_without_a_value_are_left_out_and_counted() -> None:
    y, s, w = [1, 0, None, 1, 0, 1], [0.9, 0.2, 0.5, NAN, 0.4, 0.3], [1, 2, 1, 1, 3, NAN]
    ev = rs.evaluate(y, s, weights=w, missing="drop")
    assert ev.to_dict()["data"]["left_out"] == {"no label": 1, "no score": 1, "no weight": 1}
    assert ev.table.positives == 1 and ev.table.negatives == 5
    by = rs.evaluate(y, s, missing="drop", by={"site": list("aabbab")})
    assert isinstance(by, rs.Evaluation) and [one.cases for one in by.slices[0].slices] == [3, 1]
    with pytest.raises(RocscopeError, match="NaN"):
        rs.evaluate([1, 0], [NAN, 0.1])
    with pytest.raises(RocscopeError, match="6 labels, but 2"):
        rs.evaluate(y, [0.1, 0.2], missing="drop")


def test_models_are_compared_on_the_rows_that_all_have() -> None:
    y = [1, 0, 1, 0, 1, 0]
    cmp = rs.compare(y, {"a": [0.9, 0.1, 0.8, 0.3, NAN, 0.2], "b": [0.9, 0.1, 0.2, 0.3, 0.6, NAN]}, missing="drop")
    assert isinstance(cmp, rs.Comparison)
    assert cmp.to_dict()["data"]["cases"] == 4
    assert cmp.evaluations["a"].left_out == {"no score": 2}


def test_infinite_scores_are_the_ends_when_asked() -> None:
    y, s = [1, 0, 1, 0, 1], [INF, -INF, 0.5, 0.7, 0.9]
    ranked = rs.evaluate(y, [3, -3, 0.5, 0.7, 0.9])
    assert rs.evaluate(y, s, infinite="ends").auc.value == ranked.auc.value
    cmp = rs.compare(y, {"a": s, "b": [1, 2, 3, 4, 5]}, infinite="ends")
    assert isinstance(cmp, rs.Comparison) and cmp.evaluations["a"].auc.value == ranked.auc.value
    with pytest.raises(RocscopeError, match="infinite"):
        rs.evaluate(y, s)
    with pytest.raises(RocscopeError, match="infinite must be 'error' or 'ends', not 'other'"):
        rs.evaluate(y, s, infinite="other")
    assert np.isfinite(rs.evaluate([1, 0], [INF, -INF], infinite="ends").table.scores).all()


def test_an_undefined_measure_has_one_reason() -> None:
    for cells in ((0, 0, 3, 4), (3, 0, 0, 4), (0, 0, 0, 4), (3, 0, 0, 0), (0, 2, 0, 0), (0, 0, 5, 0)):
        counts = rs.Counts(*cells)
        for measure in rs.measures.catalog():
            if measure.formula is not None and np.isnan(counts.value(measure.name)):
                assert counts.estimate(measure.name).why == counts.why(measure.name), (measure.name, cells)


def test_a_fitted_curve_has_no_thresholds_of_scores() -> None:
    table = rs.ScoreTable.from_scores([1, 1, 0, 1, 0, 0], [0.9, 0.8, 0.7, 0.6, 0.5, 0.4])
    assert list(rs.curves.binormal_roc(table).to_rows()[0]) == ["latent", "fpr", "tpr"]
    assert "threshold" in rs.curves.roc(table).to_rows()[0]


def test_any_measure_against_any_other(run: Run, tmp_path: Path) -> None:
    (tmp_path / "s.csv").write_text("y,p\n1,0.9\n0,0.8\n1,0.7\n0,0.1\n")
    said = ("curve", "s.csv", "--label", "y", "--score", "p", "--kind", "precision against fpr")
    code, out, _ = run(*said, "--format", "csv")
    assert code == 0 and out.splitlines()[0] == "threshold,false_positive_rate,precision"
    assert out.splitlines()[2] == "0.9,0,1"
    assert "precision against false positive rate" in run(*said)[1]
