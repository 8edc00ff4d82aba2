"""Numbers for trackers, collectors and test runners: flat metrics, OpenMetrics, changes since earlier results."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rocscope as rs
from rocscope.report.trackers import as_openmetrics
from tests.conftest import Run

RNG = np.random.default_rng(4)
Y = RNG.integers(0, 2, 300)
P = np.clip(Y * 0.3 + RNG.random(300) * 0.7, 0, 1)
LABELS, SCORES = (RNG.random((60, 3)) > 0.5).astype(int), RNG.random((60, 3))
EV = rs.evaluate(Y, P, name='the "new" one')
ROOT = Path(__file__).parent.parent


def test_flat_metrics_are_the_numbers_of_the_evaluation() -> None:
    found = EV.to_metrics()
    assert found["cases"] == 300
    for name in ("auc", "brier", "recall", "precision"):
        estimate = EV.estimates[name] if name in EV.estimates else EV.area(name)
        assert (found[name], found[f"{name}_low"], found[f"{name}_high"]) == (
            estimate.value, estimate.low, estimate.high,
        )  # fmt: skip
    assert all(type(value) is float and np.isfinite(value) for value in found.values())


def results() -> dict[str, Any]:
    from sklearn.linear_model import LogisticRegression

    return {
        "comparison": rs.compare(Y, {"new": P, "old/2": 1 - P}),
        "classes": rs.evaluate(Y, predicted=np.where(P > 0.5, 1, 0)),
        "classes of models": rs.compare(Y % 3, {"a": np.roll(Y, 1), "b": Y}),
        "labels": rs.evaluate(LABELS, SCORES),
        "labels of models": rs.compare(LABELS, {"a": SCORES, "b": 1 - SCORES}),
        "validation": rs.validate({"lr": LogisticRegression()}, P[:, None], Y, plan="5-fold"),
    }


def test_every_result_has_flat_metrics_with_names_that_trackers_take() -> None:
    made = {name: result.to_metrics() for name, result in results().items()}
    for found in made.values():
        assert len(found) > 10
        assert all(re.fullmatch(r"[\w./ -]+", name, flags=re.ASCII) for name in found)
    assert made["comparison"]["new/auc"] == pytest.approx(float(EV.auc))
    assert "old_2/auc_low" in made["comparison"]
    assert made["classes"]["classes/1/recall"] == pytest.approx(float(EV.at(0.5000001).recall))
    assert 0.5 < made["validation"]["lr/auc_low"] < made["validation"]["lr/auc"] < made["validation"]["lr/auc_high"]


def test_models_and_classes_may_be_called_low_and_high() -> None:
    models = rs.compare(Y, {"low": P, "high": 1 - P})
    found = models.to_metrics()
    assert found["low/auc"] == models.evaluations["low"].auc.value  # type: ignore[union-attr]
    assert found["high/auc_low"] == models.evaluations["high"].auc.low  # type: ignore[union-attr]
    classes = rs.evaluate(np.array(["low", "high"])[Y], predicted=np.array(["low", "high"])[(P > 0.5).astype(int)])
    assert classes.to_metrics()["classes/low/recall"] == classes.matrix.of("low").recall
    assert 'rocscope_recall{class="low",limit="high"}' in as_openmetrics(classes.to_dict())


def test_names_that_trackers_refuse_stay_apart() -> None:
    for labels in (["<5", ">5", "=5"], ["良性", "恶性", "未知"], ["a/b", "a_b", "c"]):
        truth = np.array(labels)[np.arange(300) % 3]
        ev = rs.evaluate(truth, predicted=np.roll(truth, 100))
        found = ev.to_metrics()
        recalls = [value for name, value in found.items() if re.fullmatch(r"classes/[\w-]+/recall", name)]
        assert recalls == [ev.matrix.of(label).recall for label in ev.matrix.labels]
        assert found == ev.to_metrics()
    found = rs.compare(Y, {"a=1": P, "a_1": 1 - P}).to_metrics()
    assert found["a_1/auc"] == EV.auc.value != found["a_1_2/auc"]


def test_undefined_numbers_are_left_out() -> None:
    found = rs.evaluate([0, 1, 1], [0.1, 0.2, 0.3], threshold=0.9).to_metrics()
    assert "precision" not in found and found["recall"] == 0.0


SAMPLE = re.compile(r'([a-z_0-9]+)(\{[a-z]+="([^"\\\n]|\\["\\n])*"(,[a-z]+="([^"\\\n]|\\["\\n])*")*\})? (-?[0-9.e+-]+)')


def samples(document: dict[str, Any]) -> dict[str, float]:
    """The samples of the text, each of which stands there once and follows the type of its family."""
    lines = as_openmetrics(document).split("\n")
    assert lines[-2:] == ["# EOF", ""]
    declared, values, families = "", {}, set[str]()
    for line in lines[:-2]:
        if line.startswith("# TYPE "):
            declared = line.split()[2]
            assert line == f"# TYPE {declared} gauge" and declared not in families
            families.add(declared)
        else:
            sample = SAMPLE.fullmatch(line)
            assert sample is not None and sample[1] == declared, line
            assert line.rpartition(" ")[0] not in values
            values[line.rpartition(" ")[0]] = float(sample[6])
    return values


KINDS = ("comparison", "classes", "classes of models", "labels", "labels of models", "validation")


@pytest.mark.parametrize("kind", ["evaluation", *KINDS])
def test_openmetrics_is_well_formed(kind: str) -> None:
    result = EV if kind == "evaluation" else results()[kind]
    assert sorted(samples(result.to_dict()).values()) == sorted(result.to_metrics().values())


def test_openmetrics_of_a_gate_has_each_condition_as_a_label() -> None:
    asked = ("auc > 0.5", "auc < 0.5", "auc.low >= 0.1", "recall >= 0.1 where fpr <= 0.4", "recall >= 0.9")
    gate = rs.gate(EV, *asked)
    found = samples(gate.to_dict())
    model = r'model="the \"new\" one"'
    met = [found[f'rocscope_condition_met{{condition="{one}",{model}}}'] for one in asked]
    assert met == [check.met for check in gate.checks] == [1, 0, 1, 1, 0]
    assert found[f"rocscope_met{{{model}}}"] == 0 and found[f"rocscope_failed{{{model}}}"] == 2
    assert found[f"rocscope_auc{{{model}}}"] == EV.auc.value
    assert found[f'rocscope_auc{{limit="low",{model}}}'] == EV.auc.low
    assert found[f'rocscope_recall{{condition="{asked[3]}",{model}}}'] == gate.checks[3].parts[0].tested
    assert found[f"rocscope_recall{{{model}}}"] == gate.checks[4].parts[0].tested


# ---- what changed ----


@pytest.fixture
def scores(tmp_path: Path) -> Path:
    path = tmp_path / "scores.csv"
    path.write_text("y,p,q\n" + "".join(f"{y},{p:.6f},{(p + 0.2 * y) / 1.2:.6f}\n" for y, p in zip(Y, P, strict=True)))
    return path


def test_a_gate_shows_what_changed(run: Run, scores: Path, tmp_path: Path) -> None:
    asked = ["--require", "auc.low >= 0.5", "--require", "cases >= 100"]
    columns = [str(scores), "--label", "y", "--score"]
    old = tmp_path / "main.json"
    assert run("gate", *columns, "p", *asked, "--output", str(old))[0] == 0
    code, out, _ = run("gate", *columns, "q", *asked, "--against", str(old))
    assert code == 0
    assert re.search(r"Changes since the earlier results \(300 cases\):\n+tested +before +now +change\n", out)
    assert re.search(r"auc.low +0\.\d{4} +0\.\d{4} +\+0\.\d{4}", out) and re.search(r"cases +300 +300 +\+0\.0000", out)
    document = json.loads(run("gate", *columns, "q", *asked, "--against", str(old), "--format", "json")[1])
    change = document["against"]["changes"][0]
    assert change["change"] == pytest.approx(change["now"] - change["before"])
    assert change["before"] == json.loads(old.read_text())["checks"][0]["parts"][0]["tested"]
    assert "| auc.low" in run("gate", *columns, "q", *asked, "--against", str(old), "--format", "md")[1]


def test_changes_from_an_evaluation_and_refusals(run: Run, scores: Path, tmp_path: Path) -> None:
    ev = rs.evaluate(Y, P)
    found = rs.gate(ev, "auc >= 0.5", "recall >= 0.1", against=ev.to_dict()).to_dict()
    assert [one["change"] for one in found["against"]["changes"]] == [0.0, 0.0]
    with pytest.raises(rs.RocscopeError, match="of kind 'comparison'"):
        rs.gate(ev, "auc >= 0.5", against=rs.compare(Y, {"a": P, "b": 1 - P}).to_dict()).to_dict()
    for content in ("{}", "[1", '{"schema": "rocscope/1"}'):
        (tmp_path / "old.json").write_text(content)
        code, _, err = run("gate", str(scores), "--label", "y", "--score", "p", "--require", "auc >= 0.5",
                           "--against", str(tmp_path / "old.json"))  # fmt: skip
        assert code == 2 and "rocscope/1 document" in err
    assert run("gate", str(scores), "--require", "auc >= 0.5", "--against", "none.json")[0] == 2


def test_what_changed_is_compared_for_the_same_threshold() -> None:
    """After 'where' a measure is that of another threshold; it has no counterpart without it."""
    asked = ("recall >= 0.7 where fpr <= 0.3", "recall >= 0.1", "recall >= 0.1 where fpr <= 0.6")
    gate = rs.gate(EV, *asked, against=EV.to_dict())
    changes = {one["name"]: one for one in gate.to_dict()["against"]["changes"]}
    tested = [check.parts[0].tested for check in gate.checks]
    assert [one["now"] for one in changes.values()] == tested and len(set(tested)) == 3
    assert list(changes) == ["recall where fpr <= 0.3", "recall", "recall where fpr <= 0.6"]
    assert [one["change"] for one in changes.values()] == [None, 0.0, None]
    earlier = rs.gate(EV, "recall >= 0.6 where fpr <= 0.3", "recall >= 0.1 and precision >= 0.1 where fpr <= 0.6")
    found = rs.gate(EV, *asked, against=earlier.to_dict()).to_dict()["against"]["changes"]
    assert [one["before"] for one in found] == [tested[0], None, None]


def test_damaged_earlier_results_are_refused_at_once(run: Run, scores: Path, tmp_path: Path) -> None:
    whole: dict[str, Any] = EV.to_dict()
    gate = rs.gate(EV, "auc >= 0.5").to_dict()
    for damaged in (
        {key: value for key, value in whole.items() if key != "measures"}, {**whole, "measures": [1]},
        {**whole, "data": None}, {**gate, "checks": None}, {**gate, "checks": [{}]},
    ):  # fmt: skip
        with pytest.raises(rs.RocscopeError, match="the earlier results document is incomplete"):
            rs.gate(EV, "auc >= 0.5", against=damaged)
    (tmp_path / "old.json").write_text('{"kind": "evaluation", "schema": "rocscope/1"}')
    code, _, err = run("gate", str(scores), "--label", "y", "--score", "p", "--require", "auc >= 0.5",
                       "--against", str(tmp_path / "old.json"))  # fmt: skip
    assert code == 2 and "incomplete" in err


# ---- the recipes of the page ----


class Recorder:
    """Stands in for a tracker: it takes any call, and remembers it."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, tuple[Any, ...]]] = []

    def __getattr__(self, name: str) -> Any:
        def called(*given: Any, **more: Any) -> Recorder:
            self.calls.append((name, given))
            return self

        return called

    def __enter__(self) -> Recorder:
        return self

    def __exit__(self, *_: object) -> None:
        pass


@pytest.mark.parametrize(("tracker", "logs"), [("mlflow", "log_metrics"), ("wandb", "log")])
def test_the_recipes_of_the_page_run(
    tracker: str, logs: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Against a stand-in here; against the real trackers in tests/integrations."""
    page = (ROOT / "docs" / "howto" / "trackers.md").read_text("utf-8")
    recipe = re.search(rf"```text\n(import {tracker}\n.*?)```", page, re.DOTALL)
    assert recipe is not None
    made = Recorder()
    monkeypatch.setitem(sys.modules, tracker, made)  # type: ignore[arg-type]
    monkeypatch.chdir(tmp_path)
    exec(recipe[1], {"ev": EV})
    assert (logs, (EV.to_metrics(),)) in made.calls
    assert (tmp_path / "report.html").stat().st_size > 10_000
    assert any("report.html" in given for _, given in made.calls)


def test_the_workflow_of_the_page_shows_a_summary_and_what_changed() -> None:
    yaml = pytest.importorskip("yaml")
    page = (ROOT / "docs" / "howto" / "gate.md").read_text("utf-8")
    found = re.search(r"```yaml\n(name: model gate\n.*?)```", page, re.DOTALL)
    assert found is not None
    steps = yaml.safe_load(found[1])["jobs"]["gate"]["steps"]
    run = " ".join(step.get("run", "") for step in steps)
    assert "rocscope gate" in run and "--format md" in run and "$GITHUB_STEP_SUMMARY" in run and "--against" in run


# ---- pytest ----

TESTS = """
import pytest

import rocscope as rs

EV = rs.evaluate([1, 1, 0, 1, 0, 0], [0.9, 0.8, 0.7, 0.6, 0.4, 0.3])

def test_met(rocscope_gate):
    assert rocscope_gate(EV, "auc >= 0.5").met

def test_columns(rocscope_gate):
    rocscope_gate({"y": [1, 0, 1], "p": [0.9, 0.1, 0.8]}, "auc >= 0.9", label="y", score="p")

def test_options_of_an_evaluation_that_was_made(rocscope_gate):
    named = "positive, level cannot change an evaluation that has already been made"
    with pytest.raises(rs.RocscopeError, match=named):
        rocscope_gate(EV, "auc >= 0.5", positive=0, level=0.9)

def test_unmet(rocscope_gate):
    rocscope_gate(EV, "auc.low >= 0.99", "cases >= 1")
"""


def test_the_fixture_fails_a_test_with_its_table(tmp_path: Path) -> None:
    (tmp_path / "test_model.py").write_text(TESTS)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "rocscope.pytest_plugin", "."]
    environment = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTHONPATH": str(ROOT / "src")}
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 1 and "1 failed, 3 passed" in done.stdout, done.stdout
    assert re.search(r"NOT MET +auc.low >= 0.99", done.stdout) and "Traceback" not in done.stdout
