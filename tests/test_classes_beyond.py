"""Several classes that do not fit into memory: sums of parts, files with a small budget, engines, saved sums."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rocscope as rs
from rocscope import RocscopeError
from rocscope.cli import main
from rocscope.multiclass import ClassStream, ClassSums

K, COLUMNS = 4, ["p_a", "p_b", "p_c", "p_d"]
LABELS = ["a", "b", "c", "d"]
SMALL = 2**18  # bytes: far less than the rows take
COSTS = rs.Costs.matrix([[0, 1, 2, 1], [1, 0, 1, 1], [3, 3, 0, 3], [1, 1, 1, 0]], labels=LABELS, reject=0.7)


def cases(n: int = 6_000, *, decimals: int | None = 2, seed: int = 3) -> dict[str, Any]:
    """Labels, probabilities of four classes, weights and a slice; few distinct scores unless decimals is None."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, K, n)
    raw = rng.normal(size=(n, K))
    raw[np.arange(n), y] += 1
    shares = np.exp(raw) / np.exp(raw).sum(axis=1, keepdims=True)
    if decimals is not None:
        shares = np.round(shares, decimals) + 10.0**-decimals  # no probability 0: a finite log loss
        shares = shares / shares.sum(axis=1, keepdims=True)
        shares = np.round(shares, decimals + 1)
    named = {name: shares[:, at] for at, name in enumerate(COLUMNS)}
    label = np.array(LABELS)[y]
    return {"label": label, **named, "w": rng.integers(1, 4, n), "site": rng.choice(["x", "y"], n)}


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    folder, rows = tmp_path_factory.mktemp("classes"), cases()
    names = list(rows)
    lines = [",".join(names), *(",".join(map(str, row)) for row in zip(*rows.values(), strict=True))]
    (folder / "c.csv").write_text("\n".join(lines) + "\n", "utf-8")
    pq.write_table(pa.table(rows), folder / "c.parquet", row_group_size=1000)
    return {"csv": folder / "c.csv", "parquet": folder / "c.parquet", "rows": rows}


def same(a: Any, b: Any, *, path: str = "", within: float = 1e-9) -> None:
    """Two results documents with the same numbers and words."""
    if isinstance(a, dict):
        assert a.keys() == b.keys(), path
        for key in a:
            same(a[key], b[key], path=f"{path}/{key}", within=within)
    elif isinstance(a, list):
        assert len(a) == len(b), path
        for at, (one, two) in enumerate(zip(a, b, strict=True)):
            same(one, two, path=f"{path}/{at}", within=within)
    elif isinstance(a, float | int) and not isinstance(a, bool):
        assert a == pytest.approx(b, abs=within, rel=within), path
    else:
        assert a == b, path


@pytest.mark.parametrize("how", [
    {}, {"weights": "w"}, {"by": "site"}, {"costs": COSTS}, {"threshold": {"a": 0.5, "b": 0.4}},
], ids=["plain", "weights", "slices", "costs", "thresholds"])  # fmt: skip
@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_a_small_budget_gives_the_answer_of_memory(files: dict[str, Any], kind: str, how: dict[str, Any]) -> None:
    read = {"label": "label", "score": COLUMNS, **how}
    whole, streamed = rs.evaluate(files[kind], **read), rs.evaluate(files[kind], **read, budget=SMALL)
    assert isinstance(streamed.scores, ClassSums) and not isinstance(whole.scores, ClassSums)
    assert streamed.scores.bound == streamed.scores.width == 0  # few distinct scores: they fit, though the rows do not
    same(whole.to_dict(), streamed.to_dict())


def test_cells_say_how_far_they_are_off() -> None:
    rows = cases(20_000, decimals=None)
    y, matrix = rows["label"], np.column_stack([rows[name] for name in COLUMNS])
    stream = ClassStream(LABELS, budget=40_000)
    for start in range(0, len(y), 3_000):
        stream.update(y[start : start + 3_000], matrix[start : start + 3_000])
    sums, exact = stream.sums, rs.evaluate(y, matrix)
    assert 0 < sums.bound < 1e-3
    found = rs.evaluate(sums)
    assert found.auc.value == pytest.approx(exact.auc.value, abs=sums.bound)
    assert "off by" in found.notes[0]
    for name in ("accuracy", "macro f1", "log_loss", "brier", "top_2_accuracy"):  # these need no order of scores
        same(found.measure(name).to_dict(), exact.measure(name).to_dict(), within=1e-10)
    assert found.calibration is not None and exact.calibration is not None
    for name, one in exact.calibration.items():
        assert found.calibration[name].value == pytest.approx(one.value, abs=max(1e-3, 5 * sums.width)), name


def test_sums_add_up_in_any_order_and_are_wider_only_where_the_cases_are_needed() -> None:
    rows = cases(3_000)
    y, matrix = rows["label"], np.column_stack([rows[name] for name in COLUMNS])
    parts = [ClassSums.of(y[at::3], matrix[at::3], labels=LABELS) for at in range(3)]
    one, two, whole = rs.evaluate(sum(parts)), rs.evaluate(sum(parts[::-1])), rs.evaluate(y, matrix)
    assert one.to_dict() == two.to_dict() or one.auc.value == two.auc.value
    for name in ("accuracy", "kappa", "macro f1", "weighted f1", "log_loss", "brier", "top_3_accuracy"):
        same(one.measure(name).to_dict(), whole.measure(name).to_dict())
    added, alone = one.auc, whole.auc
    assert added.value == pytest.approx(alone.value, abs=1e-12)
    assert added.low <= alone.low and added.high >= alone.high  # how the classes vary together is not known of sums
    micro = one.area("micro")
    assert micro.value == pytest.approx(whole.area("micro").value, abs=1e-12) and math.isnan(micro.low) and micro.why


def test_sums_are_saved_read_and_merged(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = cases(2_000)
    y, matrix = rows["label"], np.column_stack([rows[name] for name in COLUMNS])
    names = []
    for at in range(2):
        names.append(tmp_path / f"day{at}.scoretable.parquet")
        rs.evaluate(y[at::2], matrix[at::2], labels=LABELS).sums.save(names[-1])
    loaded = ClassSums.load(names[0])
    same(rs.evaluate(loaded).to_dict(), rs.evaluate(ClassSums.of(y[::2], matrix[::2], labels=LABELS)).to_dict())
    whole = rs.evaluate(names)
    assert whole.size == 2_000 and whole.auc.value == pytest.approx(rs.evaluate(y, matrix).auc.value, abs=1e-12)
    assert main(["merge", *map(str, names), "--format", "json"]) == 0
    assert '"log_loss"' in capsys.readouterr().out
    with pytest.raises(RocscopeError, match="holds sums of several classes"):
        rs.ScoreTable.load(names[0])


def test_the_command_saves_the_sums_of_a_file_and_evaluates_them(
    files: dict[str, Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    target = str(tmp_path / "all.scoretable.parquet")
    assert main(["evaluate", str(files["csv"]), "--budget", "1M", "--save-table", target]) == 0
    first = capsys.readouterr().out
    assert main(["evaluate", target]) == 0
    assert first.splitlines()[0] == capsys.readouterr().out.splitlines()[0]


def test_engines_send_rows_bit_by_bit(files: dict[str, Any]) -> None:
    import dask.dataframe as dd
    import duckdb
    import pandas as pd
    import polars as pl

    read = {"label": "label", "score": COLUMNS, "budget": SMALL}
    frame = pd.DataFrame(files["rows"])
    exact = rs.evaluate(frame, label="label", score=COLUMNS)
    given = {
        "duckdb": duckdb.from_df(frame), "polars": pl.from_pandas(frame).lazy(),
        "dask": dd.from_pandas(frame, npartitions=3),
    }  # fmt: skip
    for name, one in given.items():
        found = rs.evaluate(one, **read)
        assert isinstance(found.scores, ClassSums), name
        assert found.estimates["log_loss"].value == pytest.approx(exact.estimates["log_loss"].value, rel=1e-12), name
        assert found.auc.value == pytest.approx(exact.auc.value, abs=max(1e-12, found.scores.bound)), name


def test_what_cannot_be_added_is_refused() -> None:
    a = ClassSums.of(["a", "b"], [[0.9, 0.1], [0.2, 0.8]])
    with pytest.raises(RocscopeError, match="cannot add"):
        a + ClassSums.of(["a", "c"], [[0.9, 0.1], [0.2, 0.8]])
    with pytest.raises(RocscopeError, match="weights"):
        a + ClassSums.of(["a", "b"], [[0.9, 0.1], [0.2, 0.8]], weights=[1.0, 2.0])
    with pytest.raises(RocscopeError, match="any cases yet"):
        ClassStream(["a", "b"]).sums.labels  # noqa: B018
    with pytest.raises(RocscopeError, match="which these sums do not contain"):
        rs.evaluate(a, costs=rs.Costs.matrix([[0, 1], [1, 0]]))


def test_a_file_that_breaks_off_is_refused_with_its_line(files: dict[str, Any], tmp_path: Path) -> None:
    text = files["csv"].read_text("utf-8").splitlines()
    cells = text[4_000].split(",")
    text[4_000] = ",".join([cells[0], "", *cells[2:]])
    broken = tmp_path / "gap.csv"
    broken.write_text("\n".join(text) + "\n", "utf-8")
    with pytest.raises(RocscopeError, match="4001") as streamed:
        rs.evaluate(broken, label="label", score=COLUMNS, budget=SMALL)
    with pytest.raises(RocscopeError) as whole:
        rs.evaluate(broken, label="label", score=COLUMNS)
    assert str(streamed.value) == str(whole.value)
    dropped = rs.evaluate(broken, label="label", score=COLUMNS, budget=SMALL, missing="drop")
    assert sum(dropped.left_out.values()) == 1 and dropped.size == 5_999


@pytest.mark.parametrize("second", ["b.csv", "b.parquet"])
def test_several_labels_of_several_files_by_id_beyond_memory(tmp_path: Path, second: str) -> None:
    import pyarrow as pa
    import pyarrow.csv
    import pyarrow.parquet as pq

    rng, names, n = np.random.default_rng(8), ("beach", "bay", "urban"), 2000
    truth = (rng.random((n, 3)) < [0.5, 0.3, 0.2]).astype(int)
    order, scores = rng.permutation(n), [np.round(0.5 * (q * truth + rng.random((n, 3))), 2) for q in (0.6, 0.3)]

    def file(name: str, rows: Any, own: Any, flags: Any) -> Path:
        columns = {"case": rows} | {f"label_{name}": flags[rows, k] for k, name in enumerate(names)}
        table = pa.table(columns | {f"score_{name}": own[rows, k] for k, name in enumerate(names)})
        (pq.write_table if name.endswith("parquet") else pyarrow.csv.write_csv)(table, tmp_path / name)
        return tmp_path / name

    first = file("a.csv", np.arange(n), scores[0], truth)
    other, wrong = file(second, order, scores[1], truth.astype(float)), truth.copy()
    wrong[7, 1] = 1 - wrong[7, 1]
    asked: dict[str, Any] = {"label": "label_*", "score": "score_*", "id": "case", "threshold": 0.4}
    near, far = (rs.compare([first, other], **asked, **how) for how in ({}, {"budget": 20_000}))
    plain = rs.compare(truth, dict(zip("ab", scores, strict=True)), threshold=0.4)
    for name in ("micro_f1", "macro_f1", "subset_accuracy", "hamming_loss"):
        for model in "ab":
            value = plain.evaluations[model].measure(name).value
            for found in (near, far):
                assert found.evaluations[model].measure(name).value == pytest.approx(value, abs=1e-12)
    assert far.differences[0].estimate.value == pytest.approx(plain.differences[0].estimate.value, abs=1e-3)
    assert type(far.predictions["a"]).__name__ == "LabelSums" and near.to_dict()["data"] == far.to_dict()["data"]
    disagrees = file("wrong.csv", order, scores[1], wrong)
    for how in ({}, {"budget": 20_000}):
        with pytest.raises(RocscopeError, match=r"'label_bay' differs between .*wrong.csv and .*a.csv in 1 case"):
            rs.compare([first, disagrees], **asked, **how)
