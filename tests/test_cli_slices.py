"""`--by` on the command line: the numbers of Python, in every format, and an answer to every mistake."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rocscope as rs

Ask = Callable[..., tuple[int, str, str]]
SCORES = ("--label", "y", "--score", "a")


@pytest.fixture
def ask(run: Ask, monkeypatch: pytest.MonkeyPatch) -> Ask:
    """Run the command in a folder of its own: exit code, standard output, standard error."""
    monkeypatch.setenv("NO_COLOR", "1")
    rows = cases()
    lines = [",".join(rows), *(",".join(map(str, row)) for row in zip(*rows.values(), strict=True))]
    Path("cases.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return run


def cases(n: int = 900) -> dict[str, list[Any]]:
    rng = np.random.default_rng(8)
    site = rng.integers(0, 3, n)
    y = (rng.random(n) < 0.3).astype(int)
    a = np.round(1 / (1 + np.exp(-(y * (0.5 + site) + rng.normal(size=n) - 1))), 5)
    return {
        "y": y.tolist(),
        "a": a.tolist(),
        "b": np.round(np.clip(a + rng.normal(0, 0.2, n), 0, 1), 5).tolist(),
        "region": [("north", "south", "")[one] for one in site],
        "sex": ["fm"[i % 2] for i in range(n)],
        "guess": (a > 0.5).astype(int).tolist(),
    }


def in_python(**how: Any) -> Any:
    rows = cases()
    labels = [str(one) for one in rows["y"]]
    by = {"region": [one or None for one in rows["region"]]}
    return rs.evaluate(labels, rows["a"], by=by, name="a", **how).to_dict()


def test_by_is_the_evaluation_of_python(ask: Ask) -> None:
    code, out, _ = ask("evaluate", "cases.csv", *SCORES, "--by", "region", "--format", "json")
    assert code == 0
    assert json.loads(out)["slices"] == json.loads(json.dumps(in_python()["slices"]))


def test_the_text_has_words_and_a_table(ask: Ask) -> None:
    code, out, _ = ask("evaluate", "cases.csv", *SCORES, "--by", "region")
    assert code == 0
    assert "Slices by region differ in AUC" in out
    assert "(missing)" in out and "p (Holm)" in out
    assert all(len(line) <= 80 for line in out.splitlines())
    _, plain, _ = ask("evaluate", "cases.csv", *SCORES)
    assert "Slices" not in plain


def test_slices_by_the_label_itself_have_one_class_each(ask: Ask) -> None:
    code, out, _ = ask("evaluate", "cases.csv", *SCORES, "--by", "y", "--format", "json")
    assert code == 0
    slices = json.loads(out)["slices"][0]
    assert slices["by"] == ["y"] and slices["slices"] == slices["few"] == 2  # none has an AUC


def test_two_columns_and_crossed(ask: Ask) -> None:
    _, out, _ = ask("evaluate", "cases.csv", *SCORES, "--by", "region", "--by", "sex", "--crossed", "--format", "json")
    assert [panel["by"] for panel in json.loads(out)["slices"]] == [["region"], ["sex"], ["region", "sex"]]
    _, out, _ = ask("evaluate", "cases.csv", *SCORES, "--by", "sex", "--by", "sex", "--format", "json")
    assert [panel["by"] for panel in json.loads(out)["slices"]] == [["sex"]]


def test_csv_and_markdown_list_every_slice(ask: Ask) -> None:
    _, out, _ = ask("evaluate", "cases.csv", *SCORES, "--by", "region", "--format", "csv")
    rows = [row for row in csv.DictReader(io.StringIO(out)) if row["by"] == "region"]
    wanted = {row["name"]: row["measures"] for row in in_python()["slices"][0]["rows"]}
    for name, found in wanted.items():
        held = {row["measure"]: row for row in rows if row["slice"] == name}
        assert float(held["auc"]["value"]) == found["auc"]["value"]
        assert float(held["auc_shrunk"]["low"]) == found["auc"]["shrunk"]["low"]
        assert float(held["recall_gap"]["p_adjusted"]) == found["recall"]["p_adjusted"]
    _, out, _ = ask("evaluate", "cases.csv", *SCORES, "--by", "region", "--format", "md")
    assert "| north |" in out and "| against the rest |" in out


def test_compare_has_a_table_of_differences(ask: Ask) -> None:
    code, out, _ = ask("compare", "cases.csv", *SCORES, "--score", "b", "--by", "region", "--format", "json")
    assert code == 0
    document = json.loads(out)
    rows = cases()
    by = {"region": [one or None for one in rows["region"]]}
    wanted = rs.compare([str(one) for one in rows["y"]], {"a": rows["a"], "b": rows["b"]}, by=by).to_dict()
    assert document["slices"] == json.loads(json.dumps(wanted["slices"]))
    assert document["evaluations"]["b"]["slices"][0]["by"] == ["region"]
    _, text, _ = ask("compare", "cases.csv", *SCORES, "--score", "b", "--by", "region")
    assert "AUC of a - b" in text or "AUC of b - a" in text


def test_more_rows_than_fit(ask: Ask) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    rows = {name: column * 60 for name, column in cases().items()}  # 54,000: more than 1 MiB holds
    jitter = np.random.default_rng(0).normal(0, 1e-4, len(rows["a"]))
    rows["a"] = np.clip(np.array(rows["a"]) + jitter, 0, 1).tolist()
    pq.write_table(pa.table(rows), "large.parquet")
    code, out, _ = ask("evaluate", "large.parquet", *SCORES, "--by", "sex", "--budget", "1M", "--format", "json")
    assert code == 0
    document = json.loads(out)
    exact = rs.evaluate(rows["y"], rows["a"], by={"sex": rows["sex"]})
    area = next(row for row in document["areas"] if row["name"] == "auc")
    assert 0 < area["bound"] <= 1e-6
    assert abs(area["value"] - exact.auc.value) <= area["bound"]
    found = {row["name"]: row["measures"]["auc"]["value"] for row in document["slices"][0]["rows"]}
    assert found == {one.name: pytest.approx(one.estimates["auc"].value, abs=1e-4) for one in exact.slices[0]}
    code, out, _ = ask("compare", "large.parquet", *SCORES, "--score", "b", "--by", "sex", "--budget", "1M")
    assert code == 0
    assert "The rows do not fit in memory" in out and "from cells" in out
    assert "can be computed only with the rows in memory" in " ".join(out.split())


def test_hard_labels_by_slice(ask: Ask) -> None:
    code, out, _ = ask("evaluate", "cases.csv", "--label", "y", "--predicted", "guess", "--by", "region")
    assert code == 0
    assert "in accuracy" in out and "| accuracy" not in out


def test_mistakes_are_named(ask: Ask) -> None:
    code, _, err = ask("evaluate", "cases.csv", *SCORES, "--by", "regoin")
    assert code == 2 and "region" in err
    code, _, err = ask("evaluate", "cases.csv", *SCORES, "--by", "b")
    assert code == 2 and "ranges" in err
    code, _, err = ask("evaluate", "cases.csv", *SCORES, "--crossed")
    assert code == 2 and "--by" in err
    code, _, err = ask("evaluate", "cases.csv", *SCORES, "--by", "sex", "--crossed")
    assert code == 2 and "two columns" in err


def test_missing_scores_are_dropped_and_the_slices_follow(ask: Ask) -> None:
    lines = Path("cases.csv").read_text().splitlines()
    first = lines[1].split(",")
    first[1] = ""
    Path("gaps.csv").write_text("\n".join([lines[0], ",".join(first), *lines[2:]]) + "\n")
    code, out, _ = ask("evaluate", "gaps.csv", *SCORES, "--by", "region", "--missing", "drop", "--format", "json")
    assert code == 0
    panel = json.loads(out)["slices"][0]
    assert sum(row["cases"] for row in panel["rows"]) == 899
