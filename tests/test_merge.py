"""`rocscope merge`: the sum of saved tables answers as all cases together do, with the trend of its parts."""

from __future__ import annotations

import csv
import doctest
import io
import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import rocscope as rs
from rocscope import Confusion, RocscopeError, ScoreTable, significance, trend
from rocscope.cli.shared.demo_loans import MODELS, loans
from rocscope.evaluation import ClassEvaluation, Evaluation

ROOT = Path(__file__).parent.parent
SCHEMA = json.loads((Path(rs.__file__).parent / "schema" / "rocscope-1.json").read_text("utf-8"))
Ask = Callable[..., tuple[int, str, str]]
COLUMNS = ("--label", "outcome", "--positive", "default", "--score", "boosting", "--unit", "loan")
DAYS = 10


@pytest.fixture
def ask(run: Ask) -> Ask:
    return run


@pytest.fixture
def days(ask: Ask) -> list[str]:
    """The loans of ten days, each day a saved table; and all of them in one file."""
    rows, head = loans(), ",".join(("outcome", *MODELS))
    write("all.csv", head, rows)
    for day in range(DAYS):
        write(f"day{day + 1}.csv", head, rows[100 * day : 100 * day + 100])
        assert ask("evaluate", f"day{day + 1}.csv", *COLUMNS, "--save-table", f"day{day + 1}.rst")[0] == 0
    return [f"day{day + 1}.rst" for day in range(DAYS)]


def write(name: str, head: str, rows: Any) -> None:
    Path(name).write_text("\n".join([head, *(",".join(map(str, row)) for row in rows)]) + "\n", encoding="utf-8")


def plain(document: dict[str, Any]) -> dict[str, Any]:
    document["data"]["source"] = {}
    return document


# ---- the sum ----


@pytest.mark.parametrize("options", [(), ("--cost-fn", "5"), ("--choose", "f1"), ("--threshold", "0.2")])
def test_the_sum_answers_as_all_cases_do(ask: Ask, days: list[str], options: tuple[str, ...]) -> None:
    order = list(days)
    random.Random(len(options)).shuffle(order)
    found = json.loads(ask("merge", *order, *options, "--format", "json")[1])
    whole = json.loads(ask("evaluate", "all.csv", *COLUMNS, *options, "--format", "json")[1])
    assert plain(found["evaluation"]) == plain(whole)
    assert found["parts"] == [name.removesuffix(".rst") for name in order]


def test_the_sum_is_saved_and_is_the_table_of_the_whole(ask: Ask, days: list[str]) -> None:
    code, out, _ = ask("merge", *days, "--output", "week.rst")
    assert code == 0 and "1,000 loans" in out
    rows = loans()
    whole = ScoreTable.from_scores([row[0] for row in rows], [row[1] for row in rows], positive="default")
    assert ScoreTable.load("week.rst") == whole
    ask("merge", *days[5:], "--save-table", "b.rst", "--format", "json")
    ask("merge", *days[:5], "--save-table", "a.rst")
    ask("merge", "b.rst", "a.rst", "--output", "ab.rst")
    assert ScoreTable.load("ab.rst") == whole
    assert ask("merge", *days, "--output", "week.rst")[0] == 2  # exists
    assert ask("merge", *days, "--output", "day1.rst", "--force")[0] == 2  # an input


def test_tables_have_the_suggested_ending(ask: Ask) -> None:
    for day in (1, 2):
        Path(f"{day}.csv").write_text("y,p\n" + "1,0.9\n0,0.2\n1,0.4\n0,0.6\n" * day)
        saved = f"day{day}.scoretable.parquet"
        assert ask("evaluate", f"{day}.csv", "--label", "y", "--score", "p", "--save-table", saved)[0] == 0
    names = ("day1.scoretable.parquet", "day2.scoretable.parquet")
    code, out, err = ask("merge", *names, "--output", "week.scoretable.parquet", "--full")
    assert code == 0 and "week.scoretable.parquet written" in err
    assert "day1 " in out and "day1.scoretable" not in out  # rows of the trend have the short names
    assert ScoreTable.load("week.scoretable.parquet") == ScoreTable.load(names[0]) + ScoreTable.load(names[1])


def test_patterns_and_several_tables_are_taken_by_every_word(ask: Ask, days: list[str]) -> None:
    listed = json.loads(ask("merge", *days, "--format", "json")[1])
    assert json.loads(ask("merge", "day*.rst", "--format", "json")[1]) == listed
    found = json.loads(ask("evaluate", "day?.rst", "day10.rst", "--format", "json")[1])
    assert plain(found) == plain(listed["evaluation"])
    assert ask("gate", "day*.rst", "--require", "cases == 1000")[0] == 0
    assert ask("evaluate", "day1.rst", "day1.rst")[0] == 2
    assert "no file matches week*.rst" in ask("merge", "week*.rst")[2]


@pytest.mark.parametrize("turned", [False, True])
def test_tables_of_python_and_of_the_command_line_add(ask: Ask, turned: bool) -> None:
    Path("a.csv").write_text("y,p\n1,0.9\n0,0.4\n1,0.3\n")
    assert ask("evaluate", "a.csv", "--label", "y", "--score", "p", "--save-table", "a.rst")[0] == 0
    ScoreTable.from_scores([0, 1, 0], [0.2, 0.8, 0.3]).save("b.rst")
    order = ("b.rst", "a.rst") if turned else ("a.rst", "b.rst")
    code, _, err = ask("merge", *order, "--window", "2", "--output", "ab.rst")
    assert code == 0 and err == "rocscope: ab.rst written\n"
    expected = ScoreTable.from_scores(["1", "0", "1", "0", "1", "0"], [0.9, 0.4, 0.3, 0.2, 0.8, 0.3])
    assert ScoreTable.load("ab.rst") == expected
    assert ask("evaluate", "a.rst", "--choose", "youden", "--choose-on", "b.rst")[0] == 0


def test_matrices_of_python_and_of_the_command_line_add(ask: Ask) -> None:
    Path("a.csv").write_text("y,z\n1,1\n0,1\n2,2\n")
    assert ask("evaluate", "a.csv", "--label", "y", "--predicted", "z", "--save-table", "a.rst")[0] == 0
    Confusion.from_labels([0, 1, 3], [0, 0, 3]).save("b.rst")
    assert ask("merge", "a.rst", "b.rst", "--save-table", "ab.rst")[::2] == (0, "rocscope: ab.rst written\n")
    found = Confusion.load("ab.rst")
    assert sorted(map(str, found.labels)) == ["0", "1", "2", "3"]
    assert found.matrix.sum() == 6 and found.of("1").tp == 1 and found.of("1").fn == 1


def test_what_is_written_is_said(ask: Ask, days: list[str]) -> None:
    assert ask("merge", *days[:2], "--output", "two.json")[1:] == ("", "rocscope: two.json written\n")


def test_what_was_left_out_adds_up(ask: Ask) -> None:
    for day, missing in (("a", 1), ("b", 2)):
        Path(f"{day}.csv").write_text("y,p\n1,0.9\n0,0.1\n" + "1,\n" * missing)
        ask("evaluate", f"{day}.csv", "--label", "y", "--score", "p", "--missing", "drop", "--save-table", f"{day}.rst")
    found = json.loads(ask("merge", "a.rst", "b.rst", "--format", "json")[1])
    assert found["evaluation"]["data"]["left_out"] == {"no score": 3}


# ---- the trend ----


def test_each_row_is_its_table_at_the_threshold_of_the_whole(ask: Ask, days: list[str]) -> None:
    found = json.loads(ask("merge", *days, "--cost-fn", "5", "--format", "json")[1])
    threshold = found["evaluation"]["point"]["threshold"]
    for row, file in zip(found["trend"], days, strict=True):
        table = ScoreTable.load(file)
        assert row["cases"] == 100 and row["positives"] == table.positives
        assert row["measures"]["auc"]["value"] == rs.intervals.auc(table).value
        assert row["measures"]["auc"]["low"] == rs.intervals.auc(table).low
        assert row["measures"]["recall"]["value"] == table.at(threshold).recall
    assert [row["name"] for row in found["trend"]] == [f"day{day + 1}" for day in range(DAYS)]


def test_windows_are_rolling_sums(ask: Ask, days: list[str]) -> None:
    found = json.loads(ask("merge", *days, "--window", "7", "--format", "json")[1])
    assert [row["name"] for row in found["trend"]] == ["day7", "day8", "day9", "day10"]
    for last, row in zip(range(7, 11), found["trend"], strict=True):
        table = sum(ScoreTable.load(f"day{day}.rst") for day in range(last - 6, last + 1))
        assert row["measures"]["auc"]["value"] == rs.curves.auc(table) and row["cases"] == 700
    newest = sum(ScoreTable.load(f"day{day}.rst") for day in range(4, 11))
    before = sum(ScoreTable.load(f"day{day}.rst") for day in range(1, 4))
    expected = significance.delong(newest, before, paired=False)
    assert found["change"]["value"] == expected.value and found["change"]["low"] == expected.low


def test_the_shells_order_becomes_that_of_the_numbers(ask: Ask, days: list[str]) -> None:
    _, out, err = ask("merge", *sorted(days), "--format", "json")
    assert json.loads(out)["parts"] == [f"day{day + 1}" for day in range(DAYS)]
    assert "sorted by the numbers in their names" in err
    _, out, err = ask("merge", "day10.rst", "day2.rst", "day1.rst", "--format", "json")  # as said
    assert json.loads(out)["parts"] == ["day10", "day2", "day1"] and err == ""


def test_files_of_the_same_name_keep_their_folders(ask: Ask, days: list[str]) -> None:
    Path("old").mkdir()
    Path("old/day1.rst").write_bytes(Path("day1.rst").read_bytes())
    assert json.loads(ask("merge", "old/day1.rst", "day1.rst", "--format", "json")[1])["parts"] == [
        "old/day1.rst",
        "day1.rst",
    ]


def test_text_fits_the_terminal_and_csv_has_all(ask: Ask, days: list[str]) -> None:
    _, out, _ = ask("merge", *days, "--window", "7")
    assert max(map(len, out.splitlines())) <= 80
    assert "7 up to" in out and "AUC of the 7 up to day10 minus AUC of all earlier ones" in out
    rows = list(csv.DictReader(io.StringIO(ask("merge", *days, "--format", "csv")[1])))
    assert len(rows) == 4 * DAYS and rows[0]["part"] == "day1" and rows[0]["measure"] == "auc"
    markdown = ask("merge", *days, "--format", "md")[1]
    assert "| day10 | 100 |" in markdown
    assert json.loads(ask("merge", *days, "--format", "dvc")[1])["cases"] == 1000


def test_the_document_is_in_the_schema(ask: Ask, days: list[str]) -> None:
    jsonschema = pytest.importorskip("jsonschema")
    for options in ((), ("--window", "3"), ("--cost-fn", "5")):
        jsonschema.validate(json.loads(ask("merge", *days, *options, "--format", "json")[1]), SCHEMA)
    jsonschema.validate(json.loads(ask("merge", "day1.rst", "--format", "json")[1]), SCHEMA)


def test_confusion_matrices_merge_with_a_union_of_classes(ask: Ask) -> None:
    for name, rows in (("a", "x,x\nx,z\nz,z\n"), ("b", "x,x\ny,y\ny,x\n")):
        Path(f"{name}.csv").write_text("truth,said\n" + rows)
        ask("evaluate", f"{name}.csv", "--label", "truth", "--predicted", "said", "--save-table", f"{name}.rst")
    code, out, _ = ask("merge", "a.rst", "b.rst", "--format", "json")
    found = json.loads(out)
    assert code == 0 and found["evaluation"]["data"]["labels"] == ["x", "y", "z"]
    assert [row["measures"]["accuracy"]["value"] for row in found["trend"]] == [2 / 3, 2 / 3]
    assert found["change"]["value"] == 0
    ask("evaluate", "a.csv", "--label", "truth", "--predicted", "said", "--save-table", "c.rst")
    Path("s.csv").write_text("y,p\n1,0.9\n0,0.1\n")
    ask("evaluate", "s.csv", "--label", "y", "--score", "p", "--save-table", "s.rst")
    code, _, err = ask("merge", "s.rst", "c.rst")
    assert code == 2 and "cannot be added" in err


rows = st.lists(st.tuples(st.integers(0, 1), st.integers(0, 5)), min_size=1, max_size=8)


@given(st.lists(rows, min_size=1, max_size=5))
def test_a_trend_in_python_has_a_row_for_each_part(parts: list[list[tuple[int, int]]]) -> None:
    empty = ScoreTable.empty()
    tables = {str(i): empty.update([y for y, _ in p], [s for _, s in p]) for i, p in enumerate(parts)}
    found = trend(Evaluation(sum(tables.values())), tables)
    assert list(found.rows) == list(tables)
    assert (found.change is None) == (len(parts) == 1)
    matrices = {name: Confusion.from_labels([0, 1, *(y for y, _ in p)], [0, 1, *(s % 2 for _, s in p)])
                for name, p in zip(tables, parts, strict=True)}  # fmt: skip
    assert list(trend(ClassEvaluation(sum(matrices.values())), matrices, window=1).rows) == list(tables)


# ---- the page ----


def test_the_page_on_monitoring_shows_what_is_printed(ask: Ask, days: list[str]) -> None:
    page = (ROOT / "docs" / "howto" / "monitor.md").read_text("utf-8")
    shown = page.split("$ rocscope merge day*.scoretable.parquet --window 7 --cost-fn 5\n...\n")[1].split("```")[0]
    assert ask("merge", *days, "--window", "7", "--cost-fn", "5")[1].endswith("\n" + shown)


@pytest.mark.parametrize("page", ["howto/monitor.md", "howto/streams.md", "rst.md"])
def test_the_examples_of_the_pages_run(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    tried = doctest.testfile(str(ROOT / "docs" / page), module_relative=False, optionflags=doctest.NORMALIZE_WHITESPACE)
    assert tried.attempted > 3 and tried.failed == 0


# ---- what is refused ----


def test_bad_merges_are_refused_in_one_line(ask: Ask, days: list[str]) -> None:
    ask("evaluate", "all.csv", *COLUMNS, "--lower-is-positive", "--save-table", "low.rst")
    Path("other.csv").write_text("y,p\n1,0.9\n0,0.1\n")
    ask("evaluate", "other.csv", "--label", "y", "--score", "p", "--save-table", "other.rst")
    Path("cut.rst").write_bytes(Path("day1.rst").read_bytes()[:200])
    for files, says in {
        ("day1.rst", "low.rst"): "cannot be added",
        ("day1.rst", "other.rst"): "cannot be added",
        ("day1.rst", "cut.rst"): "cut.rst is not a complete table",
        ("day1.rst", "day1.rst"): "named twice",
        ("day1.rst", "./day1.rst"): "named twice",
        ("day1.rst", "none.rst"): "no file none.rst",
        ("all.csv",): "is not a saved table",
        (*days, "--window", "11"): "--window must be at most the number of files (10), not 11",
        (*days, "--label", "y"): "No such option",
        (*days, "--output", "x.what"): "cannot determine a format",
    }.items():
        code, out, err = ask("merge", *files)
        assert code == 2 and out == "" and says in err and err.count("\n") == 1, (files, err)
    with pytest.raises(RocscopeError, match="shorter window"):
        trend(Evaluation(ScoreTable.from_scores([1, 0], [1, 0])), {"a": ScoreTable.empty()}, window=2)
