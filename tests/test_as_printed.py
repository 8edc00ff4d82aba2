"""Tables, points and questions as lectures and text books print them, asked of the command line without preparation."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from rocscope import RocscopeError

Ask = Callable[..., str]


@pytest.fixture
def ask(run: Callable[..., tuple[int, str, str]]) -> Ask:
    def answered(*arguments: str, code: int = 0) -> str:
        found, out, err = run(*arguments)
        assert found == code, err
        return out if code == 0 else err

    return answered


def test_a_drawn_curve_has_an_area(ask: Ask, tmp_path: Path) -> None:
    path = tmp_path / "drawn.csv"
    path.write_text("fpr,tpr\n0,0.6\n.4,.6\n.4,.8\n.6,.8\n.6,1\n1,1\n", "utf-8")
    shown = ask("curve", str(path))
    assert shown.startswith("area under the drawn curve 0.8   under its hull 0.88")
    assert json.loads(ask("curve", str(path), "--format", "json"))["area"] == 0.8


def test_points_are_named_by_their_place_in_roc_space(ask: Ask, tmp_path: Path) -> None:
    path = tmp_path / "points.csv"
    path.write_text("name,fpr,tpr\nA,0,1\nB,1,1\nC,1,0.5\n", "utf-8")
    shown = " ".join(ask("hull", str(path)).split())
    for said in ("perfect: every positive", "always positive: everything", "below the diagonal: worse than guessing"):
        assert said in shown


STEPS = "threshold,TP,FP,FN,TN\n1,0,0,29,25\n2,7,0,22,25\n3,18,1,11,24\n4,26,5,3,20\n5,29,14,0,11\n6,29,25,0,0\n"


@pytest.mark.parametrize("rule", ["youden", "closest"])
def test_a_table_of_thresholds_is_evaluated_as_printed(ask: Ask, tmp_path: Path, rule: str) -> None:
    path = tmp_path / "steps.csv"
    path.write_text(STEPS, "utf-8")
    found = json.loads(ask("evaluate", str(path), "--choose", rule, "--format", "json"))
    assert found["point"]["threshold"] == 4 and found["data"]["rule"] == "score <= threshold"
    assert "needs the cases" in ask("evaluate", str(path), "--by", "x", code=2)


def test_a_table_of_hits_alone_asks_for_the_totals(ask: Ask, tmp_path: Path) -> None:
    path = tmp_path / "arm.csv"
    path.write_text("cm,TP,TN\n8.5,73,826\n8.6,90,800\n8.7,113,783\n8.8,119,735\n9.2,130,0\n", "utf-8")
    assert "--positives" in ask("evaluate", str(path), code=2)
    totals = ["--positives", "130", "--negatives", "870", "--choose", "youden", "--format", "json"]
    assert json.loads(ask("evaluate", str(path), *totals))["point"]["threshold"] == 8.7


def test_every_threshold_as_a_column_of_predictions(ask: Ask) -> None:
    shown = ask("trace", "--example", "six-cases", "--what", "predictions")
    assert "    1   0.92     0     1    1     1    1    1" in shown
    found = json.loads(ask("trace", "--example", "six-cases", "--what", "predictions", "--format", "json"))
    assert found["rows"][2]["predicted"] == {"0.94": 0, "0.92": 0, "0.7": 1, "0.65": 1, "0.3": 1, "0.2": 1}


def test_the_four_shapes_of_curves_are_drawn(ask: Ask) -> None:
    assert "large and small concavities" in ask("curve", "--shape", "poor")
    assert "FILE or --shape" in ask("curve", code=2)


def test_a_pasted_table_of_thresholds_is_recognized_and_asks_for_totals() -> None:
    from rocscope.serve import pasted

    bmi = "Cut-off value of BMI\tTP\tFN\tFP\tTN\n24\t95\t5\t117\t83\n26\t85\t15\t80\t120\n28\t66\t34\t53\t147\n"
    assert pasted.recognise(bmi)["kind"] == "thresholds"
    assert pasted.recognise(STEPS)["kind"] == "thresholds"  # lower is positive, as its counts say
    arm = "cm,TP,TN\n8.5,73,826\n8.7,113,783\n9.2,130,0\n"
    with pytest.raises(RocscopeError, match="how many positives and how many negatives there are") as refused:
        pasted.recognise(arm)
    assert "'positives: 100'" in refused.value.hint
    found = pasted.recognise(f"{arm}positives: 130\nnegatives: 870\n")
    assert found["kinds"][0]["says"] == "3 thresholds, 130 positives, 870 negatives"
