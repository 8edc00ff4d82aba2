"""What compare takes as evaluate does: a direction for each model, frequencies, thresholds of other cases, tables."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rocscope as rs

Run = Callable[..., tuple[int, str, str]]
RNG = np.random.default_rng(13)
N = 240
Y = (RNG.random(N) < 0.4).astype(int)
A, B, C = (np.round(RNG.normal(size=N) + gap * Y, 2) for gap in (1.2, 0.9, 0.6))
COSTS = rs.Costs(fp=1, fn=3)


def without_thresholds(document: dict[str, Any]) -> dict[str, Any]:
    """What does not depend on the scale of the scores."""
    kept = ("differences", "cost_differences", "pairs", "joint", "certainty", "cheapest", "recommended")
    return {name: document[name] for name in kept} | {
        name: [one["measures"], one["point"]["cost"], one["areas"][:2]] for name, one in document["evaluations"].items()
    }


@pytest.mark.parametrize("how", [{"costs": COSTS}, {"choose": "youden"}, {"measure": "f1", "choose": "f1"}, {}])
def test_a_model_whose_low_scores_mean_positive(how: dict[str, Any]) -> None:
    plain = rs.compare(Y, {"a": A, "b": B, "c": C}, **how)
    turned = rs.compare(Y, {"a": A, "b": -B, "c": C}, higher_is_positive={"b": False}, **how)
    if how:
        assert without_thresholds(plain.to_dict()) == without_thresholds(turned.to_dict())
    assert plain.to_dict()["differences"] == turned.to_dict()["differences"]
    assert [plain.evaluations[one].auc for one in "abc"] == [turned.evaluations[one].auc for one in "abc"]
    rule = turned.to_dict()["evaluations"]["b"]["data"]["rule"]
    assert rule == "score <= threshold"
    if "costs" in how:
        points = [one.evaluations["b"].point for one in (plain, turned)]
        assert points[0] is not None and points[1] is not None and points[0].threshold == -points[1].threshold
        assert (plain.flagged("b") == turned.flagged("b")).all()


def test_the_first_model_may_be_the_one_that_is_turned() -> None:
    for test in (None, "rank-swap"):
        plain = rs.compare(Y, {"a": A, "b": B}, test=test).differences
        turned = rs.compare(Y, {"a": -A, "b": B}, higher_is_positive={"a": False, "b": True}, test=test).differences
        assert plain[0].estimate.value == pytest.approx(turned[0].estimate.value, abs=1e-12)
        assert plain[0].estimate.p == pytest.approx(turned[0].estimate.p, abs=0.02)


def test_frequencies_are_rows_of_their_own() -> None:
    times = RNG.integers(0, 4, N)
    found = rs.compare(Y, {"a": A, "b": B}, weights=times, weights_are="frequency", costs=COSTS)
    rows = {name: np.repeat(one, times) for name, one in (("a", A), ("b", B))}
    assert found.to_dict() == rs.compare(np.repeat(Y, times), rows, costs=COSTS).to_dict()
    hard = {"a": (A > 0.5).astype(int), "b": (B > 0.5).astype(int)}
    counted = rs.compare(Y, hard, weights=times, weights_are="frequency")
    repeated = rs.compare(np.repeat(Y, times), {name: np.repeat(one, times) for name, one in hard.items()})
    assert counted.to_dict()["differences"] == repeated.to_dict()["differences"]
    with pytest.raises(rs.RocscopeError, match="must be integers"):
        rs.compare(Y, {"a": A, "b": B}, weights=np.full(N, 0.5), weights_are="frequency")


def test_thresholds_of_other_cases_are_those_of_evaluate() -> None:
    other = (Y[:90], {"a": A[:90], "b": B[:90]})
    found = rs.compare(Y, {"a": A, "b": B}, choose="youden", choose_on=other)
    for name, scores in (("a", A), ("b", B)):
        alone = rs.evaluate(Y, scores, choose="youden", choose_on=(Y[:90], scores[:90]))
        assert found.evaluations[name].point == alone.point and found.evaluations[name].selection is None
    with pytest.raises(rs.RocscopeError, match="no scores for b"):
        rs.compare(Y, {"a": A, "b": B}, choose="youden", choose_on=(Y[:90], {"a": A[:90]}))
    with pytest.raises(rs.RocscopeError, match="needs a rule"):
        rs.compare(Y, {"a": A, "b": B}, choose_on=other)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"higher_is_positive": {"x": False}}, "x, which is not a model"),
        ({"higher_is_positive": {"a": False}, "weights": np.ones(N)}, "different directions"),
        ({"predicted": {"a": Y, "b": Y}, "higher_is_positive": {"a": False}}, "one score per case"),
    ],
)
def test_what_is_refused(given: dict[str, Any], said: str) -> None:
    scores = {} if "predicted" in given else {"a": A, "b": B}
    with pytest.raises(rs.RocscopeError, match=said):
        rs.compare(Y, scores or None, **given)


def test_the_command(run: Run) -> None:
    rows = [f"{y},{a},{-b},{w}" for y, a, b, w in zip(Y, A, B, np.arange(N) % 3, strict=True)]
    Path("cases.csv").write_text("\n".join(["y,a,b,w", *rows]) + "\n")
    Path("other.csv").write_text("\n".join(["y,a,b,w", *rows[:90]]) + "\n")
    asked = ("compare", "cases.csv", "--label", "y", "--score", "a", "--score", "b", "--format", "json")
    turned = json.loads(run(*asked, "--lower-is-positive-for", "b")[1])
    assert turned["evaluations"]["b"]["data"]["rule"] == "score <= threshold"
    wanted = rs.compare(Y, {"a": A, "b": B}).to_dict()["differences"]
    assert turned["differences"] == json.loads(json.dumps(wanted))
    frequent = json.loads(run(*asked, "--weight", "w", "--weights-are", "frequency")[1])
    assert frequent["data"]["cases"] == int((np.arange(N) % 3).sum())
    chosen = ("--choose", "youden", "--choose-on", "other.csv", "--save-table", "t.scoretable.parquet")
    code, out, problem = run(*asked, *chosen)
    assert code == 0 and json.loads(out)["evaluations"]["a"]["point"]["chosen_on"] == "other cases", problem
    for name in ("a", "b"):
        kept = rs.evaluate(f"t.{name}.scoretable.parquet")
        assert kept.auc.value == json.loads(out)["evaluations"][name]["areas"][0]["value"]
    assert "only one of the two" in run(*asked, "--lower-is-positive", "--lower-is-positive-for", "b")[2]
    assert "must name one of the scores" in run(*asked, "--lower-is-positive-for", "c")[2]


@pytest.mark.parametrize("test", ["delong", "venkatraman", "rank-swap"])
def test_the_worse_model_has_a_negative_difference_with_or_without_limits(test: str) -> None:
    text = str(rs.compare(Y, {"a": A, "c": C}, test=test, seed=1))
    (row,) = [line for line in text.splitlines() if line.startswith("c  ") and "[" in line]
    gap = rs.compare(Y, {"a": A, "c": C}).differences[0].estimate.value
    assert gap > 0 and f" -{gap:.3f}" in row.replace("−", "-")


def test_slices_of_folds_are_refused_before_anything_is_read(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "folds.csv"
    rows = [f"{y},{a},{i % 4},{i % 2}" for i, (y, a) in enumerate(zip(Y, A, strict=True))]
    path.write_text("\n".join(["y,a,fold,site", *rows]) + "\n", encoding="utf-8")
    columns = ("--label", "y", "--score", "a", "--fold", "fold")
    code, _, said = run("evaluate", str(path), *columns, "--by", "site")
    assert code == 2 and "--by cannot be combined with --fold" in said
    code, _, said = run("evaluate", str(path), *columns, "--bootstrap", "100")
    assert code == 2 and "--bootstrap cannot be combined with --fold" in said


def test_several_labels_in_frames_keep_their_names() -> None:
    pandas = pytest.importorskip("pandas")
    truth = pandas.DataFrame({"red": Y, "green": 1 - Y, "blue": (C > 0).astype(int)})
    scores = pandas.DataFrame({"red": A, "green": -A, "blue": B})
    found, plain = rs.evaluate(truth, scores), rs.evaluate(truth.to_numpy(), scores.to_numpy(), labels=list(truth))
    assert found.to_dict() == plain.to_dict()
    assert list(rs.compare(truth, {"a": scores, "b": -scores}).to_dict()["models"]) == ["a", "b"]


def _two_files(folder: Path) -> list[str]:
    """Two models of the same cases, in two files with the same columns."""
    for name, shift in (("old", 0.1), ("new", 0.3)):
        rows = [f"{case},{'sick' if case % 4 == 0 else 'well'},{(case % 7) / 10 + shift * (case % 4 == 0):.2f}"
                for case in range(80)]  # fmt: skip
        (folder / f"{name}.csv").write_text("\n".join(["case,y,p", *rows]) + "\n", encoding="utf-8")
    return ["old.csv", "new.csv"]  # commands run in their folder: a longer command would not be suggested


@pytest.mark.parametrize("more", [[], ["--lower-is-positive"]])
def test_the_command_for_one_model_runs_after_comparing_files(run: Run, tmp_path: Path, more: list[str]) -> None:
    """The command names the file and the column of the model, and its AUC is that of the comparison."""
    files = _two_files(tmp_path)
    given = ["compare", *files, "--id", "case", "--label", "y", "--score", "p", "--positive", "sick", *more]
    code, shown, said = run(*given)
    assert code == 0, said
    text = " ".join(shown.split("next ", 1)[1].split())
    command = re.search(r"rocscope (evaluate .*?) this model alone", text)
    assert command is not None, text
    code, alone, said = run(*shlex.split(command[1]), "--format", "json")
    assert code == 0, said
    both = json.loads(run(*given, "--format", "json")[1])
    auc = {row["name"]: row["value"] for row in both["evaluations"][both["recommended"]]["areas"]}["auc"]
    assert {row["name"]: row["value"] for row in json.loads(alone)["areas"]}["auc"] == auc


def test_saved_tables_of_a_comparison_are_named(run: Run, tmp_path: Path) -> None:
    """Each model has its own file, named after it; the command says which files it wrote, and writes all or none."""
    given = ["compare", *_two_files(tmp_path), "--id", "case", "--label", "y", "--score", "p", "--positive", "sick",
             "--save-table", "day.scoretable.parquet"]  # fmt: skip
    code, _, said = run(*given)
    assert code == 0, said
    for model in ("old", "new"):
        file = tmp_path / f"day.{model}.scoretable.parquet"
        assert file.exists() and file.name in said
    (tmp_path / "day.old.scoretable.parquet").unlink()
    code, _, said = run(*given)
    assert code == 2 and "day.new.scoretable.parquet" in said
    assert not (tmp_path / "day.old.scoretable.parquet").exists()
