"""Files of the same cases matched by id beyond memory: the rows and the refusals of the way in memory."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet as pq
import pytest

from rocscope import cli, sources
from rocscope.errors import RocscopeError
from rocscope.sources import ModelColumns, Source, aligned, complete, files, joined_source
from rocscope.sources.csv import read_text

NEEDED = [{"y": "label", "p": "score of a"}, {"p": "score of b"}]
CALLED = [{"y": "y", "p": "a"}, {"p": "b"}]
FIRST = "id,y,p\na,1,0.9\nb,0,0.4\nc,1,0.3\n"
Row = tuple[str, float, float]


def large(folder: Path, *tables: str) -> list[Source]:
    """CSV files of which the header alone is read, however small they are."""
    found = []
    for number, text in enumerate(tables):
        path = folder / f"{number}.csv"
        path.write_text(text)
        with patch.object(files, "SMALL", 0):
            found.append(sources.open(path))
    return found


def models(given: list[Source], needed: Any = NEEDED, called: Any = CALLED) -> list[ModelColumns]:
    return [ModelColumns(*one) for one in zip(given, ["id", "id"], needed, called, strict=True)]


def rows(found: Any) -> list[Row]:
    if isinstance(found, Source):
        found = complete(found, {"y": "label", "a": "score", "b": "score"})
    return sorted(zip(*(found.columns[name].objects().tolist() for name in "yab"), strict=True))


@pytest.mark.parametrize("kind", ["small", "large", "parquet", "arrow"])
def test_the_rows_are_those_of_the_way_in_memory(kind: str, tmp_path: Path) -> None:
    rng = np.random.default_rng(4)
    ids, y, p, q = [f"case {i}" for i in range(500)], rng.integers(0, 2, 500), rng.random(500), rng.random(500)
    order = rng.permutation(500)
    one = {"id": ids, "y": y.tolist(), "p": p.tolist()}
    two = {"id": [ids[i] for i in order], "p": q[order].tolist()}
    tables = [
        "\n".join(",".join(map(str, row)) for row in ([*held], *zip(*held.values(), strict=True)))
        for held in (one, two)
    ]
    given: list[Any]
    if kind == "small":
        given = [sources.open(read_text(text, f"{i}.csv")) for i, text in enumerate(tables)]
    elif kind == "large":
        given = large(tmp_path, *tables)
    else:
        write = pq.write_table if kind == "parquet" else pyarrow.feather.write_feather
        for i, columns in enumerate((one, two)):
            write(pa.table(columns), str(tmp_path / f"{i}.{kind}"))
        given = [sources.open(tmp_path / f"{i}.{kind}") for i in range(2)]
    found = joined_source(models(given))
    expected = [(str(y[i]), p[i], q[i]) for i in range(500)]
    assert rows(found) == rows(aligned(models(given))) == sorted(expected)


@pytest.mark.parametrize(
    "second",
    [
        pytest.param("id,p\na,0.1\nb,0.2\n", id="one lacks"),
        pytest.param("id,p\na,0.1\nb,0.2\nc,0.3\nd,0.3\n", id="one more"),
        pytest.param("id,p\na,0.1\nb,0.2\nd,0.3\n", id="one other"),
        pytest.param("id,p\na,0.1\na,0.2\nb,0.3\n", id="one twice, one lacks"),
        pytest.param("id,p\na,0.1\na,0.2\nb,0.3\nb,0.3\n", id="two twice"),
        pytest.param("id,p\na,0.1\nb,x\nc,0.3\n", id="no number"),
        pytest.param("id,p\na,0.1\nb,\nc,0.3\n", id="no score"),
        pytest.param("id,p\na,0.1\n,0.2\nc,0.3\n", id="no id"),
        pytest.param("name,p\na,0.1\nb,0.2\nc,0.3\n", id="no column"),
    ],
)
def test_the_refusals_are_those_of_the_way_in_memory(second: str, tmp_path: Path) -> None:
    given = models(large(tmp_path, FIRST, second))
    said = []
    for way in (aligned, joined_source):
        with pytest.raises(RocscopeError) as caught:
            way(given)
        said.append(str(caught.value))
    assert said[0] == said[1]


def test_labels_of_both_files_are_the_same(tmp_path: Path) -> None:
    given = large(tmp_path, FIRST, "id,y,p\nc,1,0.1\na,1,0.2\nb,1,0.3\n")
    needed = [NEEDED[0], {"y": "label", "p": "score of b"}]
    called = [CALLED[0], {"y": "y 1", "p": "b"}]
    for way in (aligned, joined_source):
        with pytest.raises(RocscopeError, match=r"'y' differs between .*1\.csv and .*0\.csv in 1 case"):
            way(models(given, needed, called))


def area(document: Any, name: str) -> Any:
    return next(row for row in document["areas"] if row["name"] == name)


@pytest.fixture
def two_models(tmp_path: Path) -> list[str]:
    rng = np.random.default_rng(8)
    n = 60_000
    y, order = rng.integers(0, 2, n), rng.permutation(n)
    scores = [rng.random(n) + shift * y for shift in (0.2, 0.25)]
    paths = [str(tmp_path / f"{name}.csv") for name in "ab"]
    for path, score, at in zip(paths, scores, (np.arange(n), order), strict=True):
        lines = (f"case{i},{y[i]},{score[i]}\n" for i in at)
        Path(path).write_text("id,y,p\n" + "".join(lines))
    return paths


def test_the_command_compares_what_does_not_fit(two_models: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    found = []
    for budget in ("1G", "1M"):
        asked = ["compare", *two_models, "--id", "id", "--label", "y", "--score", "p", "--budget", budget]
        assert cli.main([*asked, "--format", "json"]) == 0
        found.append(json.loads(capsys.readouterr().out))
    exact, certified = found
    for name in "ab":
        one, two = (area(each["evaluations"][name], "auc") for each in (exact, certified))
        assert 0 < two["bound"] <= 1e-6 and abs(one["value"] - two["value"]) <= two["bound"]
    one, two = (each["differences"][0] for each in (exact, certified))
    assert two["value"] == pytest.approx(one["value"], abs=2e-6)
    assert two["p_uncorrected"] == pytest.approx(one["p_uncorrected"], rel=1e-4)
    bounds = sum(area(certified["evaluations"][name], "auc")["bound"] for name in "ab")
    wider = two["high"] - two["low"] - (one["high"] - one["low"])  # the limits contain the bounds
    assert 0 <= wider <= 2 * bounds + 1e-8 and two["statistic"] <= one["statistic"]


def test_cases_of_matched_files_are_named_on_the_page(two_models: list[str], tmp_path: Path) -> None:
    out = tmp_path / "page.html"
    asked = ["compare", *two_models, "--id", "id", "--label", "y", "--score", "p", "--html", str(out)]
    assert cli.main([*asked, "--embed-cases", "4"]) == 0
    text = out.read_text()
    ids = json.loads(text[text.index('"ids":[') + 6 :].split("]")[0] + "]")
    assert len(ids) == 4 and all(one.startswith("case") for one in ids)
