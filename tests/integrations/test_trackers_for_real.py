"""The recipes of docs/howto/trackers.md against the real MLflow and the real W&B, each in a folder of its own."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rocscope as rs

PAGE = Path(__file__).parents[2] / "docs" / "howto" / "trackers.md"


@pytest.fixture
def ev(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> rs.Evaluation:
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 200)
    return rs.evaluate(y, np.clip(y * 0.3 + rng.random(200) * 0.7, 0, 1), name="loans")


def recipe(tracker: str) -> str:
    found = re.search(rf"```text\n(import {tracker}\n.*?)```", PAGE.read_text("utf-8"), re.DOTALL)
    assert found is not None and len(found[1].splitlines()) <= 10
    return found[1]


@pytest.mark.filterwarnings("ignore")
def test_mlflow_logs_metrics_and_report(ev: rs.Evaluation, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mlflow = pytest.importorskip("mlflow", reason="MLflow is not installed")
    monkeypatch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")
    mlflow.set_tracking_uri((tmp_path / "runs").as_uri())
    exec(recipe("mlflow"), {"ev": ev})
    run = mlflow.last_active_run()
    assert run.info.run_name == "loans" and run.data.metrics == pytest.approx(ev.to_metrics())
    assert any((tmp_path / "runs").rglob("report.html")) and any((tmp_path / "runs").rglob("rocscope.json"))


@pytest.mark.filterwarnings("ignore")
def test_wandb_logs_metrics_and_the_report_as_it_is(
    ev: rs.Evaluation, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wandb = pytest.importorskip("wandb", reason="W&B is not installed")
    monkeypatch.setenv("WANDB_MODE", "offline")
    monkeypatch.setenv("WANDB_SILENT", "true")
    exec(recipe("wandb"), {"ev": ev})
    wandb.teardown()  # its own process writes the end of the file when it closes
    (logged,) = tmp_path.glob("wandb/offline-run-*/*.wandb")
    found = {name: value for row in history(logged) for name, value in row.items()}
    assert {name: found.get(name) for name in ev.to_metrics()} == pytest.approx(ev.to_metrics())
    (shown,) = tmp_path.glob("wandb/offline-run-*/files/media/html/*.html")
    assert shown.read_bytes() == (tmp_path / "report.html").read_bytes()  # nothing loaded from a network is put in


def history(path: Path) -> Iterator[dict[str, Any]]:
    """What a run logged, step by step, from the file it leaves to be synchronized: records of LevelDB's log format."""
    from wandb.proto import wandb_internal_pb2

    data, at, parts = path.read_bytes(), 7, b""
    while at + 7 <= len(data):
        if 32768 - at % 32768 < 7:  # no room for another header in this block
            at += 32768 - at % 32768
            continue
        size, kind = int.from_bytes(data[at + 4 : at + 6], "little"), data[at + 6]
        parts, at = parts + data[at + 7 : at + 7 + size], at + 7 + size
        if kind in (1, 4):  # whole, or its last part
            record, parts = wandb_internal_pb2.Record.FromString(parts), b""
            if record.WhichOneof("record_type") == "history":
                items = record.history.item
                yield {item.key or ".".join(item.nested_key): json.loads(item.value_json) for item in items}
