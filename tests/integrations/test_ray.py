"""The recipes of docs/howto/warehouses.md on a local Ray with two workers: as they are printed, equal to the arrays."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rocscope as rs

PAGE = Path(__file__).parents[2] / "docs" / "howto" / "warehouses.md"
N = 20_000
RNG = np.random.default_rng(3)
Y = RNG.integers(0, 2, N)
COLUMNS = {
    "y": Y, "p": np.round(RNG.random(N) * 0.7 + 0.3 * Y, 3), "q": RNG.normal(size=N) + Y, "w": RNG.integers(1, 4, N),
    "country": np.array(["de", "fr", "it"])[RNG.integers(0, 3, N)],
}  # fmt: skip


@pytest.fixture(scope="module")
def predictions() -> Iterator[Any]:
    ray = pytest.importorskip("ray", reason="Ray is not installed")
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, logging_level="ERROR")
    import pandas as pd

    yield ray.data.from_pandas(pd.DataFrame(COLUMNS)).repartition(8)
    ray.shutdown()


def recipe(begins: str) -> str:
    blocks = PAGE.read_text("utf-8").split("```text\n")[1:]
    return next(block.split("```")[0] for block in blocks if block.startswith(begins)).replace("100_000", "2_500")


@pytest.mark.filterwarnings("ignore")
def test_tables_of_batches_add_up(predictions: Any) -> None:
    found: dict[str, Any] = {"predictions": predictions}
    exec(recipe("import ray"), found)
    wanted = rs.evaluate(Y, COLUMNS["p"], weights=COLUMNS["w"])
    assert found["total"] == wanted.table
    assert str(found["ev"].auc) == str(wanted.auc)
    exec(recipe("import numpy"), found)
    assert sorted(found["by_country"]) == ["de", "fr", "it"]
    for country, table in found["by_country"].items():
        at = COLUMNS["country"] == country
        assert table == rs.ScoreTable.from_scores(Y[at], COLUMNS["p"][at], weights=COLUMNS["w"][at])


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("budget", [None, 0], ids=["exact", "certified"])
def test_streams_are_evaluated_and_compared_as_the_frame(predictions: Any, budget: int | None) -> None:
    import pandas as pd

    frame = pd.DataFrame(COLUMNS)
    frame.loc[[3, 7_000], "p"] = None
    holed = predictions.map_batches(
        lambda batch: {**batch, "p": np.where(np.isin(batch["q"], COLUMNS["q"][[3, 7_000]]), np.nan, batch["p"])}
    )
    found: dict[str, Any] = {"predictions": holed, "rs": rs}
    code = recipe("from itertools import chain")
    exec(code.replace('missing="drop")', f'missing="drop", budget={budget})'), found)
    given: dict[str, Any] = {"label": "y", "weights": "w", "by": "country", "missing": "drop"}
    wanted = rs.compare(frame, score=["p", "q"], **given)
    within = 1e-9 if budget is None else 1e-4
    for name in ("value", "low", "high"):
        mine, theirs = (getattr(one.differences[0].estimate, name) for one in (found["cmp"], wanted))
        assert mine == pytest.approx(theirs, abs=within)
    for model in ("p", "q"):
        assert found["cmp"].evaluations[model].left_out == wanted.evaluations[model].left_out
    ev = rs.evaluate(found["stream"](holed), score="p", budget=budget, **given)
    frames = rs.evaluate(frame, score="p", **given)
    assert ev.left_out == frames.left_out == {"no score": 2}
    assert float(ev.auc) == pytest.approx(float(frames.auc), abs=ev.table.bound + 1e-12)
    areas = {one.name: float(one.evaluation.auc) for one in frames.slices[0]}
    assert {one.name: pytest.approx(float(one.evaluation.auc), abs=1e-4) for one in ev.slices[0]} == areas
