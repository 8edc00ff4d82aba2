"""scikit-learn's own tests, run on our functions: all pass, and they would not if the functions were wrong."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).parent
SOURCE = HERE.parents[1] / "src"
FILES = [
    *(f"sklearn.metrics.tests.test_{topic}" for topic in ("classification", "ranking", "common", "score_objects")),
    "sklearn.tests.test_calibration",
]
DRAWN = ("det_curve", "confusion_matrix", "roc_curve", "precision_recall", "common_curve")
DISPLAYS = [f"sklearn.metrics._plot.tests.test_{topic}_display" for topic in DRAWN]
SOME = "cv_results or det_curve or confusion_matrix_display"  # all of them: make peer-checks
VERSION = "1.9.1"

sklearn = pytest.importorskip("sklearn", reason="no scikit-learn")
pytestmark = [
    pytest.mark.oracle,
    pytest.mark.slow,
    pytest.mark.skipif(sklearn.__version__ != VERSION, reason=f"scikit-learn is not {VERSION}"),
]


def run(
    folder: Path, *arguments: str, wrong: str = "", only: str = ""
) -> tuple[subprocess.CompletedProcess[str], dict[str, Any]]:
    report = folder / "report.json"
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([str(SOURCE), str(HERE)]),
        "PEER_WRONG": wrong,
        "PEER_ONLY": only,
        "PEER_REPORT": str(report),
        "REQUIRE_ALL": "",
    }
    command = [sys.executable, "-m", "pytest", "-p", "plugin", "-p", "no:cacheprovider", "-q", "-W", "ignore"]
    done = subprocess.run(
        [*command, "--pyargs", *arguments], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    assert report.exists(), done.stdout + done.stderr
    return done, json.loads(report.read_text())


def test_scikit_learns_own_tests_pass(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    done, report = run(tmp_path, "--tb=short", *FILES)
    with capsys.disabled():
        print("\n" + "\n".join(line for line in done.stdout.splitlines() if line.startswith("peer:")))
    assert done.returncode == 0, done.stdout
    assert report["outcomes"]["passed, ours called"] >= 2000
    assert not any(key.startswith("failed") for key in report["outcomes"])
    assert set(report["names"]) == _asked_for()


def test_the_tests_of_its_displays_pass(tmp_path: Path) -> None:
    done, report = run(tmp_path, "--tb=short", *DISPLAYS[:3], "-k", SOME)
    assert done.returncode == 0, done.stdout
    assert report["outcomes"]["passed, ours called"] >= 70


@pytest.mark.parametrize("wrong", ["broken", "delegate"])
def test_those_of_displays_would_fail_otherwise(tmp_path: Path, wrong: str) -> None:
    _, report = run(tmp_path, "--tb=no", *DISPLAYS[:1], "-k", "True-True-True", wrong=wrong)
    assert report["outcomes"].get("failed, ours called")


@pytest.mark.parametrize("wrong", ["broken", "delegate"])
def test_they_would_fail_otherwise(tmp_path: Path, wrong: str) -> None:
    chosen = [*FILES[:2], FILES[4], "-k", "not (test_calibration and not calibration_curve)"]
    _, report = run(tmp_path, "--tb=no", *chosen, wrong=wrong)
    seen = {name for name, counts in report["alone"].items() if counts.get("failed")}
    functions = {name for name in report["names"] if not name.endswith("Display")}
    for name in functions - seen:  # compared only with others of ours, all wrong alike: now it alone is
        _, report = run(tmp_path, "--tb=no", *FILES[:2], "-k", name, wrong=wrong, only=name)
        assert report["outcomes"].get("failed, ours called"), f"{name} may be {wrong} unseen"


def _asked_for() -> set[str]:
    import rocscope.sklearn

    own = {"scorer", "make_scorer", "ThresholdClassifier", "CostThresholdClassifier", "CalibratedClassifier"}
    return set(rocscope.sklearn.__all__) - own
