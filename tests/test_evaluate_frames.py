"""evaluate() and compare() on frames, files and tables: the same numbers as on arrays, and bounds that hold beyond."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import rocscope as rs
from rocscope import RocscopeError, curves, report, significance, sources
from rocscope.evaluation import ClassEvaluation, Evaluation

ROOT = Path(__file__).parent.parent
N = 2000
KINDS = ["dict", "pandas", "polars", "polars lazy", "pyarrow", "duckdb", "parquet", "csv", "path"]


def columns(n: int = N, seed: int = 5) -> dict[str, Any]:
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < 0.3).astype(int)
    a = 1 / (1 + np.exp(-(1.5 * y + rng.normal(size=n) - 1)))
    return {
        "y": y,
        "a": a,
        "b": np.clip(a + rng.normal(0, 0.15, n), 0, 1),
        "weight": rng.integers(1, 4, n),
        "region": np.array(["north", "south", "east"])[rng.integers(0, 3, n)],
        "patient": rng.integers(0, 250, n),
        "outcome": np.where(y == 1, "late", "paid"),
        "guess": np.where(a > 0.5, "late", "paid"),
    }


DATA = columns()


def frame(kind: str, data: dict[str, Any], folder: Path) -> Any:
    table = pd.DataFrame({name: list(column) for name, column in data.items()})
    if kind == "dict":
        return data
    if kind == "pandas":
        return table
    if kind == "polars":
        return pl.DataFrame({name: list(column) for name, column in data.items()})
    if kind == "polars lazy":
        return pl.DataFrame({name: list(column) for name, column in data.items()}).lazy()
    arrow = pa.Table.from_pandas(table, preserve_index=False)
    if kind == "pyarrow":
        return arrow
    if kind == "duckdb":
        import duckdb

        return duckdb.from_arrow(arrow)
    if kind == "parquet":
        pq.write_table(arrow, folder / "cases.parquet")
        return str(folder / "cases.parquet")
    pd.DataFrame({name: list(column) for name, column in data.items()}, dtype=object).to_csv(
        folder / "cases.csv", index=False
    )
    return str(folder / "cases.csv") if kind == "csv" else folder / "cases.csv"


@pytest.fixture(params=KINDS)
def held(request: pytest.FixtureRequest, tmp_path: Path) -> Any:
    return frame(request.param, DATA, tmp_path)


# --- the same numbers


def test_a_frame_gives_the_numbers_of_its_arrays(held: Any) -> None:
    plain = rs.evaluate(DATA["y"], DATA["a"], by={"region": DATA["region"]}, threshold=0.4)
    ev = rs.evaluate(held, label="y", score="a", by="region", threshold=0.4)
    assert isinstance(ev, Evaluation)
    assert ev.table.named((0, 1)) == plain.table  # the labels of a CSV file are text
    assert dict(ev.estimates) == dict(plain.estimates)
    assert ev.name == "a"
    assert [one.name for one in ev.slices[0]] == [one.name for one in plain.slices[0]]
    for one in plain.slices[0]:
        assert ev.slices[0][one.value].shrunk["auc"].value == pytest.approx(one.shrunk["auc"].value, rel=1e-12)
        assert ev.slices[0][one.value].gaps["auc"].p == pytest.approx(one.gaps["auc"].p, rel=1e-9)


def test_weights_clusters_and_folds_are_columns_too(held: Any) -> None:
    weighted = rs.evaluate(held, label="y", score="a", weights="weight")
    wanted = rs.evaluate(DATA["y"], DATA["a"], weights=DATA["weight"]).auc
    assert (weighted.auc.value, weighted.auc.low) == (pytest.approx(wanted.value), pytest.approx(wanted.low))
    clustered = rs.evaluate(held, label="y", score="a", clusters="patient", by=["region"])
    plain = rs.evaluate(DATA["y"], DATA["a"], clusters=DATA["patient"], by={"region": DATA["region"]})
    assert clustered.auc.low == pytest.approx(plain.auc.low, rel=1e-12)
    north = (one.slices[0]["north"].estimates["auc"] for one in (clustered, plain))
    assert next(north).high == pytest.approx(next(north).high, rel=1e-12)
    folded = rs.evaluate(held, label="y", score="a", choose="f1", cross_fit=5)
    assert folded.point == rs.evaluate(DATA["y"], DATA["a"], choose="f1", cross_fit=5).point


def test_a_comparison_of_columns_is_one_of_arrays(held: Any) -> None:
    plain = rs.compare(DATA["y"], {"one": DATA["a"], "two": DATA["b"]}, by={"region": DATA["region"]})
    cmp = rs.compare(held, {"one": "a", "two": "b"}, label="y", by="region")
    assert cmp.recommended == plain.recommended
    assert cmp.differences == plain.differences
    assert dict(cmp.cheapest) == dict(plain.cheapest)
    names = [one.name for one in plain.slices[0].slices]
    assert [one.name for one in cmp.slices[0].slices] == names
    assert rs.compare(held, score=["a", "b"], label="y").names == ("a", "b")


def test_hard_labels_in_a_column(held: Any) -> None:
    ev = rs.evaluate(held, label="outcome", predicted="guess", by="region")
    plain = rs.evaluate(DATA["outcome"], predicted=DATA["guess"], by={"region": DATA["region"]})
    assert isinstance(ev, ClassEvaluation)
    assert np.array_equal(ev.matrix.matrix, plain.matrix.matrix)
    assert [one.name for one in ev.slices[0]] == [one.name for one in plain.slices[0]]


def test_the_positive_label_is_said_once(held: Any) -> None:
    ev = rs.evaluate(held, label="outcome", score="a", positive="late")
    assert ev.table.labels == ("paid", "late")
    assert ev.auc == rs.evaluate(DATA["outcome"], DATA["a"], positive="late").auc
    with pytest.raises(RocscopeError, match="positive"):
        rs.evaluate(held, label="outcome", score="a")


def test_a_column_for_each_class() -> None:
    rng = np.random.default_rng(0)
    scores = rng.dirichlet([1, 1, 1], 300)
    label = np.array(["cat", "dog", "rat"])[rng.integers(0, 3, 300)]
    table = pd.DataFrame({"label": label, **dict(zip(("rat", "cat", "dog"), scores.T, strict=True))})
    ev = rs.evaluate(table, label="label", score=["cat", "dog", "rat"])
    plain = rs.evaluate(label, table[["cat", "dog", "rat"]].to_numpy(), labels=["cat", "dog", "rat"])
    assert np.array_equal(ev.matrix.matrix, plain.matrix.matrix)
    assert ev.auc == plain.auc and ev.auc.value == plain.area("auc_ovr").value
    with pytest.raises(RocscopeError, match="named after the label 'dog'"):
        rs.evaluate(table, label="label", score=["cat", "rat"])
    renamed = table.rename(columns={"cat": "p1", "dog": "p2", "rat": "p3"})
    again = rs.evaluate(renamed, label="label", score=["p1", "p2", "p3"], labels=["cat", "dog", "rat"])
    assert np.array_equal(again.matrix.matrix, plain.matrix.matrix)


def test_whole_numbers_name_classes_too() -> None:
    rng = np.random.default_rng(0)
    scores = rng.dirichlet([1, 1, 1], 200)
    table = pd.DataFrame({"label": rng.integers(0, 3, 200), **{str(i): scores[:, i] for i in range(3)}})
    ev = rs.evaluate(table, label="label", score=["0", "1", "2"])
    assert ev.matrix.labels == (0, 1, 2)


def test_a_table_is_evaluated_as_it_is() -> None:
    table = rs.ScoreTable.from_scores(DATA["y"], DATA["a"])
    assert rs.evaluate(table, choose="f1").point == rs.evaluate(DATA["y"], DATA["a"], choose="f1").point
    for wrong in ({"score": DATA["a"]}, {"weights": DATA["weight"]}, {"clusters": DATA["patient"]}, {"cross_fit": 5,
                  "choose": "f1"}, {"by": {"region": DATA["region"]}}):  # fmt: skip
        with pytest.raises(RocscopeError):
            rs.evaluate(table, **wrong)


def test_a_threshold_chosen_on_another_source(tmp_path: Path) -> None:
    other = columns(seed=9)
    path = frame("csv", other, tmp_path)
    wanted = rs.evaluate(DATA["y"], DATA["a"], choose="f1", choose_on=(other["y"], other["a"])).point
    for on in (path, pd.DataFrame(other), (other["y"], other["a"]), rs.ScoreTable.from_scores(other["y"], other["a"])):
        assert rs.evaluate(pd.DataFrame(DATA), label="y", score="a", choose="f1", choose_on=on).point == wanted


# --- what is missing


@pytest.fixture(params=["pandas", "polars lazy", "pyarrow", "duckdb", "csv"])
def gappy(request: pytest.FixtureRequest, tmp_path: Path) -> Any:
    return frame(request.param, gaps(), tmp_path)


def gaps() -> dict[str, Any]:
    data = {name: list(column) for name, column in DATA.items()}
    for row in range(0, 40):
        data["a"][row] = None
    for row in range(30, 50):
        data["y"][row] = None
    for row in range(0, 1000, 50):
        data["region"][row] = None
    return data


def test_missing_values_are_refused_or_counted(gappy: Any) -> None:
    with pytest.raises(RocscopeError, match="drop"):
        rs.evaluate(gappy, label="y", score="a")
    ev = rs.evaluate(gappy, label="y", score="a", missing="drop", by="region")
    data = gaps()
    kept = [i for i in range(N) if data["y"][i] is not None and data["a"][i] is not None]
    plain = rs.evaluate([data["y"][i] for i in kept], [data["a"][i] for i in kept])
    assert ev.table.named((0, 1)) == plain.table
    assert dict(ev.left_out) == {"no label": 20, "no score": 30}
    lost = [data["region"][i] for i in range(N) if i not in set(kept)]
    found = ev.slices[0]
    assert {one.value[0]: one.left_out for one in found} == {value: lost.count(value) for value in
                                                            ("north", "south", "east", None)}  # fmt: skip
    assert found[None].cases == sum(data["region"][i] is None for i in kept)
    clustered = rs.evaluate(gappy, label="y", score="a", missing="drop", clusters="patient")
    assert clustered.auc.value == ev.auc.value
    assert dict(clustered.left_out) == dict(ev.left_out)


def test_a_comparison_leaves_out_and_counts(gappy: Any) -> None:
    cmp = rs.compare(gappy, score=["a", "b"], label="y", missing="drop")
    assert sum(cmp.evaluations["a"].left_out.values()) == 50
    assert cmp.evaluations["a"].table.rows == cmp.evaluations["b"].table.rows


# --- beyond the budget


TINY = 2048  # bytes: the rows do not fit


@pytest.fixture(params=["pandas", "polars", "polars lazy", "pyarrow", "duckdb", "parquet", "csv"])
def large(request: pytest.FixtureRequest, tmp_path: Path) -> Any:
    return frame(request.param, DATA, tmp_path)


def test_beyond_the_budget_the_bound_holds(large: Any) -> None:
    exact = rs.evaluate(DATA["y"], DATA["a"], threshold=0.5)
    ev = rs.evaluate(large, label="y", score="a", budget=TINY, tolerance=1e-4, threshold=0.5)
    assert ev.certified
    assert ev.bound("auc") <= 1e-4
    assert abs(ev.auc.value - exact.auc.value) <= ev.bound("auc")
    precision = ev.area("average_precision").value
    assert abs(precision - curves.average_precision(exact.table)) <= ev.bound("average_precision")
    for name in ("brier", "log_loss"):
        assert ev.estimates[name].value == pytest.approx(exact.estimates[name].value, rel=1e-12)
        assert ev.bound(name) == 0
    assert ev.auc.low <= exact.auc.low + 1e-6 and ev.auc.high >= exact.auc.high - 1e-6
    assert ev.point.counts == exact.point.counts  # 0.5 is an edge of a cell


def test_line_ends_of_every_kind_in_one_file(tmp_path: Path) -> None:
    """Old line ends and new ones: DuckDB would see other rows, so the file is read line by line, beyond memory too."""
    path = tmp_path / "ends.csv"
    path.write_bytes(b"y,a,b\r1,0.9,0.8\r0,0.1,0.3\n1,0.7,0.2\r\n0,0.4,0.5\r")
    compared = rs.compare(str(path), label="y", scores=["a", "b"])
    assert [one.table.positives + one.table.negatives for one in compared.evaluations.values()] == [4, 4]
    assert rs.evaluate(str(path), label="y", score="a", budget=0).auc.value == 1.0


def test_rows_of_a_file_count_from_one(tmp_path: Path) -> None:
    path = tmp_path / "gap.parquet"
    pq.write_table(pa.table({"y": [1, 0, 1, 0], "p": [0.5, None, 0.3, 0.2]}), path)
    for budget in (None, 0):
        with pytest.raises(RocscopeError, match=r"first (on|at) row 2\)"):
            rs.evaluate(str(path), label="y", score="p", budget=budget)


def test_cut_points_are_exact_to_the_cell(large: Any) -> None:
    exact = rs.evaluate(DATA["y"], DATA["a"], choose="youden")
    ev = rs.evaluate(large, label="y", score="a", budget=TINY, tolerance=1e-4, choose="youden")
    assert abs(ev.point.threshold - exact.point.threshold) <= ev.table.width
    told = ev.to_dict()
    assert told["data"]["cells"] == ev.table.width
    assert told["data"]["bound"] == ev.table.bound


def test_the_bootstrap_from_cells_is_as_wide_as_the_cells_allow() -> None:
    exact = rs.evaluate(DATA["y"], DATA["a"], bootstrap=400).auc
    ev = rs.evaluate(pd.DataFrame(DATA), label="y", score="a", budget=TINY, tolerance=1e-3, bootstrap=400)
    bound = ev.bound("auc")
    assert bound > 0
    assert ev.auc.low == pytest.approx(exact.low, abs=2 * bound + 0.003)
    assert ev.auc.high == pytest.approx(exact.high, abs=2 * bound + 0.003)


def test_exact_beyond_the_budget(large: Any) -> None:
    exact = rs.evaluate(DATA["y"], DATA["a"])
    ev = rs.evaluate(large, label="y", score="a", budget=TINY, exact=True)
    assert ev.auc.value == pytest.approx(exact.auc.value, abs=1e-15)
    assert ev.bound("auc") == 0


def test_slices_beyond_the_budget(large: Any) -> None:
    ev = rs.evaluate(large, label="y", score="a", budget=TINY, by="region")
    assert ev.bound("auc") <= 1e-6
    plain = rs.evaluate(DATA["y"], DATA["a"], by={"region": DATA["region"]})
    for one in plain.slices[0]:
        other = ev.slices[0][one.value]
        assert other.estimates["auc"].value == pytest.approx(one.estimates["auc"].value, abs=1e-3)
        assert other.gaps["auc"].p == pytest.approx(one.gaps["auc"].p, abs=0.01)
        assert other.estimates["recall"].value == one.estimates["recall"].value


def test_a_paired_test_without_the_rows(large: Any) -> None:
    plain = rs.compare(DATA["y"], {"one": DATA["a"], "two": DATA["b"]}, costs=rs.Costs(fp=1, fn=5))
    cmp = rs.compare(large, {"one": "a", "two": "b"}, label="y", budget=TINY, costs=rs.Costs(fp=1, fn=5))
    assert cmp.beyond and cmp.recommended == plain.recommended
    assert cmp.differences[0].estimate.value == pytest.approx(plain.differences[0].estimate.value, abs=1e-5)
    assert cmp.differences[0].estimate.statistic == pytest.approx(plain.differences[0].estimate.statistic, rel=1e-3)
    assert cmp.cost_differences == () and dict(cmp.cheapest) == {}
    document = cmp.to_dict()
    assert any("The rows do not fit in memory" in one for one in document["caveats"])
    text = report.text(document)
    assert "The rows do not fit in memory" in text
    assert "costs more by" not in text and "AUC difference" in text


def test_three_models_and_slices_without_the_rows() -> None:
    table = pd.DataFrame(DATA | {"c": 1 - DATA["a"]})
    cmp = rs.compare(table, score=["a", "b", "c"], label="y", budget=TINY, by="region")
    plain = significance.joint_delong(DATA["y"], {"a": DATA["a"], "b": DATA["b"], "c": 1 - DATA["a"]})
    assert cmp.joint is not None and cmp.joint.p == pytest.approx(plain.p, rel=1e-3, abs=1e-12)
    assert cmp.slices[0].why
    assert len(cmp.evaluations["a"].slices[0]) == 3
    assert "can be computed only with the rows in memory" in " ".join(report.text(cmp.to_dict()).split())


def test_what_needs_the_rows_says_so() -> None:
    with pytest.raises(RocscopeError, match="clusters: this needs all rows in memory"):
        rs.evaluate(pd.DataFrame(DATA), label="y", score="a", clusters="patient", budget=TINY)
    with pytest.raises(RocscopeError, match="cross-fitting: this needs all rows in memory"):
        rs.evaluate(pd.DataFrame(DATA), label="y", score="a", choose="f1", cross_fit=5, budget=TINY)


def test_the_words_name_the_bound() -> None:
    ev = rs.evaluate(pd.DataFrame(DATA), label="y", score="a", budget=TINY, tolerance=1e-4)
    text = report.text(ev.to_dict(), fancy=True, width=100)
    assert f"AUC ± {ev.table.bound:.1g} from cells" in text
    assert f"ROC AUC, ± {ev.table.bound:.1g}" in text
    assert "exact to within one cell" in " ".join(text.split())
    assert "from cells" not in str(rs.evaluate(DATA["y"], DATA["a"]))


# --- refused, with a way out


@pytest.mark.parametrize(
    ("wrong", "hint"),
    [
        (lambda f: rs.evaluate(f, label="y", score="q"), "Did you mean|it has y, a, b"),
        (lambda f: rs.evaluate(f, label="wrong", score="a"), "Did you mean|it has y, a, b"),
        (lambda f: rs.evaluate(f, label="y", score="a", by="regoin"), "Did you mean 'region'"),
        (lambda f: rs.evaluate(f, label="y"), "predicted="),
        (lambda f: rs.evaluate(f, label="y", score="a", predicted="guess"), "predicted="),
        (lambda f: rs.evaluate(f, label="y", score=DATA["a"]), 'score="column"'),
        (lambda f: rs.evaluate(f, label="y", predicted=DATA["guess"]), 'predicted="column"'),
        (lambda f: rs.evaluate(f, label="y", score="a", weights=DATA["weight"]), 'weights="column"'),
        (lambda f: rs.evaluate(f, label="y", score="a", clusters=DATA["patient"]), 'clusters="column"'),
        (lambda f: rs.evaluate(f, label="y", score="a", by={"region": DATA["region"]}), 'by="column"'),
        (lambda f: rs.evaluate(f, label="y", score="a", by="region", crossed=True), "second column"),
        (lambda f: rs.evaluate(f, label="y", score="a", missing="ignore"), "drop"),
        (lambda f: rs.evaluate(f, score="a"), "label="),
        (rs.evaluate, "label="),
        (lambda f: rs.evaluate("cases.csv", score="p"), "label="),
        (lambda f: rs.evaluate(DATA["y"], DATA["a"], weights="weight"), "label="),
        (lambda f: rs.evaluate(DATA["y"], DATA["a"], exact=True), "label="),
        (lambda f: rs.compare(f, label="y", score=["a"]), "compare"),
        (lambda f: rs.compare(f, {"a": "a", "b": "b"}, label="y", score=["a", "b"]), "once"),
        (lambda f: rs.compare(f, {"one": "a", "two": "q"}, label="y"), "Did you mean|it has y, a, b"),
        (lambda f: rs.evaluate(f, label="y", predicted="guess", threshold=0.5), "one score"),
        (lambda f: rs.evaluate(f, label="region", score="a"), "must have two"),
    ],
)
def test_mistakes_get_a_hint(wrong: Any, hint: str) -> None:
    with pytest.raises(RocscopeError, match=hint):
        wrong(pd.DataFrame(DATA))


# --- out again, in the user's own library


LIBRARIES = {"pandas": pd.DataFrame, "polars": pl.DataFrame, "pyarrow": pa.Table}


@pytest.mark.parametrize("library", LIBRARIES)
def test_tidy_frames(library: str) -> None:
    ev = rs.evaluate(DATA["y"], DATA["a"], by={"region": DATA["region"]}, costs=rs.Costs(fp=1, fn=5))
    made = ev.to_frame(library)
    assert isinstance(made, LIBRARIES[library])
    rows = pl.from_arrow(made).to_dicts() if library == "pyarrow" else pl.DataFrame(made).to_dicts()
    area = next(row for row in rows if row["measure"] == "auc" and row.get("slice") is None)
    assert (area["value"], area["low"]) == (ev.auc.value, ev.auc.low)
    north = next(row for row in rows if row["measure"] == "auc_shrunk" and row["slice"] == "north")
    assert north["value"] == ev.slices[0]["north"].shrunk["auc"].value
    assert report.csv(ev.to_dict()).count("\n") == len(rows) + 1


def test_the_library_is_that_of_the_input(tmp_path: Path) -> None:
    for kind in ("pandas", "polars", "pyarrow"):
        made = rs.evaluate(frame(kind, DATA, tmp_path), label="y", score="a").to_frame()
        assert isinstance(made, LIBRARIES[kind])
    lazy = rs.compare(frame("polars lazy", DATA, tmp_path), score=["a", "b"], label="y").to_frame()
    assert isinstance(lazy, pl.DataFrame)
    assert isinstance(rs.evaluate(DATA["y"], DATA["a"]).to_frame("dict"), dict)


def test_matrices_curves_and_validations_have_frames() -> None:
    matrix = rs.evaluate(DATA["outcome"], predicted=DATA["guess"]).matrix
    rows = matrix.to_frame("polars").to_dicts()
    assert {(row["actual"], row["predicted"]): row["cases"] for row in rows} == {
        (a, p): int(matrix.matrix[i, j]) for i, a in enumerate(matrix.labels) for j, p in enumerate(matrix.labels)
    }
    roc = curves.roc(rs.ScoreTable.from_scores(DATA["y"], DATA["a"]))
    made = roc.to_frame("pandas")
    assert list(made.columns)[:3] == ["threshold", "fpr", "tpr"]
    assert made["threshold"][0] == math.inf and np.array_equal(made["tpr"], roc.tpr)
    classes = rs.evaluate(DATA["outcome"], predicted=DATA["guess"]).to_frame("pandas")
    assert "accuracy" in set(classes["measure"])


def test_the_folds_of_a_validation_as_a_frame() -> None:
    from sklearn.linear_model import LogisticRegression

    rng = np.random.default_rng(0)
    x = rng.normal(size=(80, 2))
    va = rs.validate({"lr": LogisticRegression()}, x, (x[:, 0] > 0).astype(int), plan="5-fold")
    made = va.to_frame("polars")
    assert set(made.columns) >= {"model", "split", "measure", "value"}
    errors = made.filter(pl.col("measure") == "error_rate")["value"].to_list()
    assert errors == pytest.approx(list(va.errors["lr"]))


# --- the document


def test_documents_of_frames_validate(tmp_path: Path) -> None:
    import jsonschema

    validator = jsonschema.Draft202012Validator(json.loads((ROOT / "src/rocscope/schema/rocscope-1.json").read_text()))
    table = pd.DataFrame(DATA)
    for made in (
        rs.evaluate(table, label="y", score="a", by=["region"], weights="weight"),
        rs.evaluate(table, label="y", score="a", budget=TINY),
        rs.compare(table, score=["a", "b"], label="y", budget=TINY, by="region"),
        rs.evaluate(table, label="outcome", predicted="guess", by="region"),
    ):
        document = json.loads(json.dumps(made.to_dict(), allow_nan=False))
        assert not list(validator.iter_errors(document))
        assert report.text(document) and report.markdown(document) and report.csv(document)
    source = rs.evaluate(table, label="y", score="a").to_dict()["data"]["source"]
    assert source == {"from": "a pandas frame", "kind": "pandas", "label": "y", "scores": ["a"]}


def test_the_page_about_frames_tells_the_truth() -> None:
    import doctest

    tried = doctest.testfile(str(ROOT / "docs" / "howto" / "frames.md"), module_relative=False)
    assert tried.attempted and not tried.failed


def test_a_source_that_is_open_already() -> None:
    source = sources.open(pd.DataFrame(DATA))
    assert rs.evaluate(source, label="y", score="a").auc == rs.evaluate(DATA["y"], DATA["a"]).auc
