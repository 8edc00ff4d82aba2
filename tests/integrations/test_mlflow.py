"""The recipe of docs/howto/trackers.md against the real MLflow, in a folder of its own."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import rocscope as rs


@pytest.mark.filterwarnings("ignore")
def test_metrics_and_report_are_logged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mlflow = pytest.importorskip("mlflow", reason="MLflow is not installed")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")
    mlflow.set_tracking_uri((tmp_path / "runs").as_uri())
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 200)
    ev = rs.evaluate(y, np.clip(y * 0.3 + rng.random(200) * 0.7, 0, 1), name="loans")
    with mlflow.start_run(run_name=ev.name) as run:
        mlflow.log_metrics(ev.to_metrics())
        mlflow.log_dict(ev.to_dict(), "rocscope.json")
        ev.save("report.html", force=True)
        mlflow.log_artifact("report.html")
    found = mlflow.get_run(run.info.run_id).data.metrics
    assert found == pytest.approx(ev.to_metrics())
    assert any((tmp_path / "runs").rglob("report.html")) and any((tmp_path / "runs").rglob("rocscope.json"))
