"""Files in: every kind that is read, small and large, and the one sentence in which a fault is refused."""

from __future__ import annotations

import gzip
import json
import re
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from privileges import open_to_all, without_privileges

import rocscope as rs
from rocscope import cli, sources
from rocscope.errors import RocscopeError
from rocscope.report import escape
from rocscope.report.sheet import Tabular, data
from rocscope.report.sheet_formats import as_csv
from rocscope.sources import files, formats
from rocscope.sources.files import SMALL, Options, delimiter_named, open_one
from rocscope.sources.text_table import TextTable


def read(path: str | Path) -> TextTable:
    found = open_one(formats.places(path)[0], Options())
    assert found.rows is not None
    return found.whole()


def opened(path: str | Path, small: int = SMALL, **options: Any) -> sources.Source:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(files, "SMALL", small)
        return sources.open(path, **options)


@pytest.fixture
def reachable(tmp_path: Path) -> Path:
    return open_to_all(tmp_path)


# --- small text, line by line


@pytest.fixture
def file(tmp_path: Path) -> Callable[[str | bytes], Path]:
    def write(content: str | bytes) -> Path:
        path = tmp_path / "scores.csv"
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


Write = Callable[[str | bytes], Path]


def refusal(path: str | Path, ask: Callable[[TextTable], object] = lambda columns: columns.numbers("score")) -> str:
    with pytest.raises(RocscopeError) as caught:
        ask(read(path))
    message = str(caught.value)
    assert "\n" not in escape(message)
    return message.replace(str(path), "FILE")


GOOD = "y,score\n1,0.9\n0,0.4\n"


def test_a_plain_file(file: Write) -> None:
    columns = read(file(GOOD))
    assert (columns.columns, columns.text("y"), columns.numbers("score")) == (("y", "score"), ["1", "0"], [0.9, 0.4])
    assert (columns.lines, columns.blank_lines, len(columns)) == ((2, 3), 0, 2)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        pytest.param("", "FILE is empty", id="B065"),
        pytest.param("\n \n", "FILE is empty", id="B065-blank"),
        pytest.param("y,score\n", "FILE has no rows", id="B066"),
        pytest.param("1,0.9\n0,0.4\n", "no column 'score'; it has 1, 0.9. The first line looks like data", id="B067"),
        pytest.param("y score\n1 0.9\n", "it has y score. Did you mean 'y score'?", id="B071-space"),
        pytest.param("id:x\n1:0.9\n", "Only one column was found; check whether the delimiter is", id="B071-colon"),
        pytest.param("y;score\n1;0,93\n", "line 2, column 'score': '0,93' is not a finite number. Write", id="B072"),
        pytest.param("y,score\n1,0,93\n", "FILE, line 2: 3 fields, but the header has 2", id="B072-comma"),
        pytest.param('y,score\n1,"1,234"\n', "line 2, column 'score': '1,234' is not a finite number. Wri", id="B073"),
        pytest.param("y,score\n1,0.9\n0\n", "FILE, line 3: 1 field, but the header has 2", id="B074-few"),
        pytest.param("y,score\n1,0.9,7\n", "FILE, line 2: 3 fields, but the header has 2", id="B074-many"),
        pytest.param('y,score\n1,0.9\n"0,0.4\n1,0.3\n', "row that begins on line 3 is never closed", id="B075"),
        pytest.param('y,score\n"a,0.4\n"b",1\n', "closing quote on line 3 is followed by more text", id="B075-later"),
        pytest.param('y,score\n"a' + "x\n" * 100_000, "row that begins on line 2 has a field of more", id="B075-long"),
        pytest.param("y,score\n1,0.\x009\n", "FILE is not text: byte 12 is NUL", id="B077"),
        pytest.param("y,score,score\n1,2,3\n", "FILE: the column 'score' appears twice", id="B082"),
        pytest.param("y,scores\n1,0.9\n", "has no column 'score'; it has y, scores. Did you mean 'scores'?", id="B084"),
        pytest.param("y,score\n1,O.5\n", "FILE, line 2, column 'score': 'O.5' is not a finite", id="B085-letter"),
        pytest.param("y,score\n1,0.5\nTotal,all\n", "FILE, line 3, column 'score': 'all' is not", id="B086"),
        pytest.param("y,score\n1,\n0,0.4\n1,NaN\n", "'score' is missing in 2 rows (first on line 2)", id="missing"),
        pytest.param("y,score\n1,inf\n", "line 2, column 'score': 'inf' is not a finite number", id="B002"),
        pytest.param("y,score\n1,1e999\n", "'1e999' is not a finite number", id="overflow"),
        pytest.param(b"y,score\nb\xe9,1\n", "FILE is not UTF-8: byte 9, on line 2, is 0xe9", id="B070"),
        pytest.param(b"y,score\n1,0.\xe2\x82", "FILE is not UTF-8: byte 12, on line 2, is 0xe2", id="B070-cut"),
    ],
)
def test_bad_files_are_refused_with_their_line(file: Write, content: str | bytes, message: str) -> None:
    assert message in refusal(file(content))


@pytest.mark.parametrize(
    ("content", "numbers"),
    [
        pytest.param("\ufeffscore,y\n0.9,1\n", [0.9], id="B068"),
        pytest.param("y;score\n1;0.9\n", [0.9], id="B071-semicolon"),
        pytest.param("y\tscore\n1\t0.9\n", [0.9], id="B071-tab"),
        pytest.param("y|score\n1|0.9\n", [0.9], id="B071-bar"),
        pytest.param('"a,b";score\n"1,2";0.9\n', [0.9], id="B071-commas-in-quotes"),
        pytest.param('note,score\n"two\nlines, ""quoted""",0.9\nb,0.4\n', [0.9, 0.4], id="B076"),
        pytest.param("y,score\r1,0.9\r0,0.4\r", [0.9, 0.4], id="B078-cr"),
        pytest.param("y,score\r\n1,0.9\n0,0.4\r1,0.3", [0.9, 0.4, 0.3], id="B078-mixed"),
        pytest.param("y,score,\n1,0.9,\n0,0.4\n", [0.9, 0.4], id="B087-trailing-comma"),
        pytest.param("\n\ny,score\n\n1,0.9\n  \n", [0.9], id="B087-blank"),
        pytest.param("score\n0.9\n0.4\n", [0.9, 0.4], id="one-column"),
        pytest.param("score\n 0.5 \n1e5\n-3\n+.5\n2.\n1E-3\n", [0.5, 1e5, -3.0, 0.5, 2.0, 0.001], id="B085-numbers"),
        pytest.param("y,score\n1,'-0.5\n", [-0.5], id="B121"),
    ],
)
def test_odd_files_are_read(file: Write, content: str, numbers: list[float]) -> None:
    assert read(file(content)).numbers("score") == numbers


@pytest.mark.parametrize("token", ["0x1p-2", "1_000", "1 000", "٣", "0.5f", "--1", "1e", ".", "1,5", "True", "½"])
def test_b085_junk_is_never_a_number(file: Write, token: str) -> None:
    assert f"'{token}' is not a finite number" in refusal(file(f'y,score\n1,"{token}"\n'))


@pytest.mark.parametrize("token", ["", " ", "nan", "NaN", "None", "NULL", "NA", "n/a"])
def test_b085_missing_is_said_to_be_missing(file: Write, token: str) -> None:
    assert "'score' is missing in 1 row (first on line 2)" in refusal(file(f"y,score\n1,{token}\n"))


def test_labels_may_be_called_none_but_not_be_blank(file: Write) -> None:
    assert read(file("y,score\nnone,1\nNA,2\n")).text("y") == ["none", "NA"]
    assert "'y' is missing in 1 row" in refusal(file("y,score\n ,1\n"), lambda columns: columns.text("y"))


def test_b083_names_match_exactly(file: Write) -> None:
    names = ["a b", 'say "x"', "😀", "=1+1", " score"]
    head = ",".join('"' + name.replace('"', '""') + '"' for name in names)
    columns = read(file(f"{head}\n1,2,3,4,5\n"))
    assert [columns.numbers(name) for name in names] == [[1], [2], [3], [4], [5]]
    assert "Did you mean ' score'?" in refusal(file(f"{head}\n1,2,3,4,5\n"))


def test_b087_blank_lines_are_counted(file: Write) -> None:
    columns = read(file("\ny,score\n\n1,0.9\n\n"))
    assert (columns.blank_lines, columns.lines) == (3, (4,))


def test_lines_are_those_of_an_editor(file: Write) -> None:
    assert "line 5, column" in refusal(file('note,score\n"a\nb",0.9\n\n"c",x\n'))


def test_counts_are_exact_and_whole(file: Write) -> None:
    assert read(file("n\n16000000000000000001\n7.0\n0\n")).counts("n") == [16000000000000000001, 7, 0]
    for token in ("-1", "1.5", "1e3", "9" * 5000):
        assert "is not a count" in refusal(file(f"n\n{token}\n"), lambda columns: columns.counts("n"))


label_texts = st.text(alphabet="'=-ab,\n\r\"\x1bü;\t", min_size=1).filter(str.strip)
finite_numbers = st.floats(allow_nan=False, allow_infinity=False)


@given(st.lists(st.tuples(label_texts, finite_numbers), min_size=1))
def test_what_we_write_as_csv_we_read_back(rows: list[tuple[str, float]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "trip.csv")
        grid = Tabular.of(["label", "n"], [[data(label), value] for label, value in rows])
        path.write_text(as_csv(grid), encoding="utf-8", newline="")
        columns = read(path)
    assert list(zip(columns.text("label"), columns.numbers("n"), strict=True)) == rows


def test_b062_b063_paths_that_are_no_files(tmp_path: Path) -> None:
    assert refusal(tmp_path / "none.csv") == "there is no file FILE"
    assert refusal(tmp_path) == "FILE is a directory. Name a file in it, or a directory of Parquet files"
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    assert "cannot read FILE: Too many levels of symbolic links" in refusal(tmp_path / "loop")


def test_b064_a_file_that_may_not_be_read(reachable: Path) -> None:
    path = reachable / "secret.csv"
    path.write_text(GOOD)
    path.chmod(0)
    with without_privileges():
        assert refusal(path) == "cannot read FILE: Permission denied"


# --- every kind of file

ROWS: list[tuple[Any, ...]] = [(1, 0.9, "a"), (0, 0.4, "b"), (1, 0.35, "a"), (0, 0.1, "c")]
NAMES = ("y", "p", "site")


def write_csv(path: Path, *, delimiter: str = ",", encoding: str = "utf-8") -> None:
    lines_of = [delimiter.join(map(str, row)) for row in (NAMES, *ROWS)]
    path.write_bytes(("\n".join(lines_of) + "\n").encode(encoding))


def write_parquet(path: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    pq.write_table(pa.table({name: [row[i] for row in ROWS] for i, name in enumerate(NAMES)}), path)


def write_arrow(path: Path, *, stream: bool = False) -> None:
    import pyarrow as pa

    table = pa.table({name: [row[i] for row in ROWS] for i, name in enumerate(NAMES)})
    make = pa.ipc.new_stream if stream else pa.ipc.new_file
    with pa.OSFile(str(path), "wb") as sink, make(sink, table.schema) as writer:
        writer.write_table(table)


def write_excel(path: Path, *sheets: str) -> None:
    import openpyxl

    book = openpyxl.Workbook()
    book.remove(book.active)
    for sheet in sheets or ("scores",):
        made = book.create_sheet(sheet)
        for row in (NAMES, *ROWS):
            made.append(row)
    book.save(path)


def write_zstd(path: Path) -> None:
    import pyarrow as pa

    write_csv(path.with_suffix(".plain"))
    with pa.OSFile(str(path), "wb") as raw, pa.CompressedOutputStream(raw, "zstd") as sink:
        sink.write(path.with_suffix(".plain").read_bytes())


def write_gzip(path: Path) -> None:
    write_csv(path)
    path.write_bytes(gzip.compress(path.read_bytes()))


def write_json_lines(path: Path) -> None:
    path.write_text("".join(json.dumps(dict(zip(NAMES, row, strict=True))) + "\n" for row in ROWS))


WRITERS: dict[str, Callable[[Path], None]] = {
    "s.csv": write_csv,
    "s.tsv": lambda path: write_csv(path, delimiter="\t"),
    "bar.csv": lambda path: write_csv(path, delimiter="|"),
    "semicolon.csv": lambda path: write_csv(path, delimiter=";"),
    "utf16.csv": lambda path: write_csv(path, encoding="utf-16"),
    "bom.csv": lambda path: write_csv(path, encoding="utf-8-sig"),
    "s.csv.gz": write_gzip,
    "s.csv.zst": write_zstd,
    "s.jsonl": write_json_lines,
    "s.parquet": write_parquet,
    "s.arrow": write_arrow,
    "s.feather": write_arrow,
    "stream.arrow": lambda path: write_arrow(path, stream=True),
    "s.xlsx": write_excel,
    "no_ending": write_parquet,
}  # fmt: skip


@pytest.mark.parametrize("name", WRITERS)
@pytest.mark.parametrize("small", [2**20, 0], ids=["small", "large"])
def test_every_kind_says_the_same(tmp_path: Path, name: str, small: int) -> None:
    path = tmp_path / name
    WRITERS[name](path)
    source = opened(path, small)
    assert source.columns == NAMES
    rows = sources.columns(source, list(NAMES), kinds={"p": "number"})
    labels = [str(int(label)) for label in rows.arrays["y"]]
    assert labels == ["1", "0", "1", "0"] and list(rows.arrays["p"]) == [0.9, 0.4, 0.35, 0.1]
    assert list(rows.arrays["site"]) == ["a", "b", "a", "c"] and rows.left_out == {}
    assert source.native.files[0].sample().labels("site") == {"a", "b", "c"}


@pytest.mark.parametrize("name", ["s.csv", "s.jsonl", "s.parquet", "s.arrow", "s.csv.gz", "s.xlsx"])
@pytest.mark.parametrize("small", [2**20, 0], ids=["small", "large"])
@pytest.mark.parametrize("arrow", [True, False], ids=["pyarrow", "duckdb"])
def test_every_kind_is_a_source(
    tmp_path: Path, name: str, small: int, arrow: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / name
    WRITERS[name](path)
    monkeypatch.setattr("rocscope.sources.column_batches.has_arrow", lambda: arrow)
    asked: dict[str, Any] = {"label": "y", "scores": ["p"], "positive": "1"}
    table = sources.tables(opened(path, small), **asked).tables["p",]
    assert (table.scores.tolist(), table.pos.tolist(), table.neg.tolist()) == (
        [0.9, 0.4, 0.35, 0.1], [1, 0, 1, 0], [0, 1, 0, 1],
    )  # fmt: skip
    beyond = sources.tables(opened(path, small), **asked, budget=24).tables["p",]
    assert (beyond.pos.tolist(), beyond.neg.tolist()) == ([1, 0, 1, 0], [0, 1, 0, 1])


def test_zstd_without_pyarrow_is_read_by_duckdb(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_zstd(tmp_path / "s.csv.zst")
    monkeypatch.setattr("rocscope.sources.column_batches.has_arrow", lambda: False)
    assert read(tmp_path / "s.csv.zst").numbers("p") == [0.9, 0.4, 0.35, 0.1]


def test_files_stand_one_below_the_other(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("y,p\n1,0.9\n")
    (tmp_path / "b.csv").write_text("p,y\n0.4,0\n\n0.3,1\n")
    source = sources.open([tmp_path / "a.csv", tmp_path / "b.csv"])
    rows = sources.columns(source, ["y", "p"], kinds={"p": "number"}).arrays
    assert (list(rows["y"]), list(rows["p"])) == (["1", "0", "1"], [0.9, 0.4, 0.3])
    assert source.native.notes == ("1 blank line left out.",)
    assert source.location(2) == f"{tmp_path / 'b.csv'}, line 4" and source.first(2) == f"first in {source.location(2)}"
    assert sources.open(str(tmp_path / "*.csv")).columns == ("y", "p")
    write_parquet(tmp_path / "c.parquet")
    (tmp_path / "d.csv").write_text("y,p,site\n1,0.5,d\n")
    mixed = sources.columns(sources.open([tmp_path / "c.parquet", tmp_path / "d.csv"]), NAMES, kinds={"p": "number"})
    assert list(mixed.arrays["p"]) == [0.9, 0.4, 0.35, 0.1, 0.5] and set(mixed.arrays["site"]) == {"a", "b", "c", "d"}
    assert list(mixed.arrays["y"]) == ["1", "0", "1", "0", "1"]


def test_labels_that_only_some_files_have_are_remarked(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("y,p\n1,0.9\n0,0.5\n")
    (tmp_path / "b.csv").write_text("y,p\n1,0.4\n")
    source = sources.open([tmp_path / "a.csv", tmp_path / "b.csv"])
    sources.tables(source, label="y", scores=["p"])
    assert source.native.notes == (f"the labels differ: {tmp_path}/a.csv has 0, 1; {tmp_path}/b.csv has 1",)


def test_types_of_parquet_are_checked_and_kept(tmp_path: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    path = tmp_path / "t.parquet"
    pq.write_table(
        pa.table({
            "b": [True, False, None, True], "i": pa.array([3, 1, 2, 2], pa.int8()), "f": [1.0, 0.0, 1.0, 1.0],
            "s": pa.array([0.5, 0.25, float("nan"), 1.0], pa.float32()),
            "d": pa.array(["u", "v", "u", None]).dictionary_encode(),
        }),
        path,
    )  # fmt: skip
    source = sources.open(path)
    kinds = {"b": "label", "i": "number", "s": "number", "d": "any"}
    rows = sources.columns(source, list(kinds), missing="drop", kinds=kinds)
    assert list(rows.arrays["b"]) == [True, False, True] and rows.left_out == {"no b": 1}
    assert rows.arrays["s"].dtype == np.float32 and list(rows.arrays["i"]) == [3, 1, 2]
    rows = sources.columns(source, ["f", "d"], kinds={"d": "any"})
    assert list(rows.arrays["f"]) == [1.0, 0.0, 1.0, 1.0] and list(rows.arrays["d"]) == ["u", "v", "u", None]
    with pytest.raises(RocscopeError, match=r"'s' is missing in 1 row \(first at row 3\)"):
        sources.columns(source, ["s"], kinds={"s": "number"})


@pytest.mark.parametrize("name", ["s.csv", "s.parquet", "s.jsonl"])
def test_a_blank_label_is_missing_whatever_it_came_from(tmp_path: Path, name: str) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    path, columns = tmp_path / name, {"y": ["a", " ", "b", "a", "\u00a0"], "p": [0.1, 0.2, 0.3, 0.4, 0.5]}
    rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    if name.endswith("csv"):
        path.write_text("y,p\n" + "".join(f"{row['y']},{row['p']}\n" for row in rows), encoding="utf-8")
    elif name.endswith("jsonl"):
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    else:
        pq.write_table(pa.table(columns), path)
    asked: dict[str, Any] = {"label": "y", "scores": ["p"], "positive": "b", "missing": "drop"}
    for source in (opened(path), opened(path, 0), sources.open(columns), sources.open(pa.table(columns))):
        found = sources.tables(source, **asked)
        assert found.left_out == {"no label": 2} and found.tables["p",].labels == ("a", "b")


def test_delimiters_by_letter_and_by_name(tmp_path: Path) -> None:
    (tmp_path / "odd.txt").write_text("y:p\n1:0.5\n")
    assert sources.open(tmp_path / "odd.txt", delimiter=":").columns == ("y", "p")
    assert [delimiter_named(text) for text in (";", "tab", "\\t", "pipe")] == [";", "\t", "\t", "|"]
    for wrong in ("", "::", '"', "\n"):
        with pytest.raises(RocscopeError, match="must be one character"):
            delimiter_named(wrong)


# --- through the command line: more rows than fit, guesses, slices


@pytest.fixture
def ask(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> Callable[..., tuple[int, Any, str]]:
    """Run the command: exit code, document, standard error."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments: str) -> tuple[int, Any, str]:
        code = cli.main([*arguments, "--format", "json"])
        out, err = capsys.readouterr()
        return code, json.loads(out) if out else None, err

    return run


Run = Callable[..., tuple[int, Any, str]]
MANY = 60_000
FIT = ("--budget", "1M")  # 43,690 rows


def many_rows(*odd: str) -> str:
    rows = (f"{i * 104729 % 7 % 2},{(i * 7919 % 100_003) / 100_003:.6f},{'ns'[i % 2]}" for i in range(MANY))
    return "\n".join(["y,p,site", *rows, *odd]) + "\n"


def areas(document: Any) -> dict[str, Any]:
    return {row["name"]: row for row in document["areas"]}


def test_more_rows_than_fit_are_certified_or_exact(ask: Run) -> None:
    Path("a.csv").write_text(many_rows())
    columns = ("a.csv", "--label", "y", "--score", "p")
    _, whole, _ = ask("evaluate", *columns)
    exact = areas(whole)["auc"]["value"]
    code, cells, err = ask("evaluate", *columns, *FIT, "--tolerance", "1e-4")
    assert code == 0, err
    assert abs(areas(cells)["auc"]["value"] - exact) <= cells["data"]["bound"] <= 1e-4
    code, ranges, err = ask("evaluate", *columns, *FIT, "--exact")
    assert code == 0, err
    assert areas(ranges)["auc"]["value"] == exact and ranges["data"]["bound"] == 0
    code, by, err = ask("evaluate", *columns, *FIT, "--by", "site")
    assert code == 0 and by["slices"], err


def test_more_rows_than_fit_are_refused_with_their_line(ask: Run) -> None:
    Path("a.csv").write_text(many_rows("1,x,n"))
    code, _, err = ask("evaluate", "a.csv", "--label", "y", "--score", "p", *FIT)
    assert code == 2 and f"a.csv, line {MANY + 2}, column 'p': 'x' is not a finite number" in err
    Path("b.csv").write_text(many_rows("1,NA,n", "1,0.5,n"))
    code, found, err = ask("evaluate", "b.csv", "--label", "y", "--score", "p", *FIT, "--missing", "drop")
    assert code == 0 and found["data"]["left_out"] == {"no score": 1} and found["data"]["rows"] == MANY + 1, err
    code, _, err = ask("evaluate", "b.csv", "--label", "y", "--score", "p", *FIT)
    assert code == 2 and "missing" in err
    for wrong in ("x", "0", "12Q"):
        assert ask("evaluate", "b.csv", "--label", "y", "--score", "p", "--budget", wrong)[0] == 2


def test_large_files_are_guessed_and_sliced(ask: Run) -> None:
    Path("a.csv").write_text(many_rows("0,0.5,"))
    code, found, err = ask("a.csv", "--by", "site")
    assert code == 0 and "interpreted as  rocscope evaluate a.csv --label y --score p" in err
    assert found["slices"] and found["data"]["rows"] == MANY + 1


def test_a_source_lasts_longer_than_the_files_it_came_from(tmp_path: Path) -> None:
    import gc

    path = tmp_path / "a.csv.gz"
    path.write_bytes(gzip.compress(many_rows().encode()))
    source = sources.open([path])
    gc.collect()
    assert sources.tables(source, label="y", scores=["p"], positive="1").rows == MANY


def test_every_word_reads_every_kind(ask: Run, tmp_path: Path) -> None:
    write_parquet(tmp_path / "s.parquet")
    write_excel(tmp_path / "s.xlsx")
    for name in ("s.parquet", "s.xlsx"):
        code, found, err = ask("curve", name, "--label", "y", "--score", "p")
        assert code == 0 and found["positives"] == 2, err
        assert ask("trace", name, "--label", "y", "--score", "p")[1]["value"] == 0.75
        assert ask("hull", name, "--label", "y", "--score", "p")[0] == 0
        assert ask("matrix", name, "--actual", "y", "--predicted", "y")[1]["counts"]["tp"] == 2
    import pyarrow as pa
    import pyarrow.parquet as pq

    pq.write_table(pa.table({"name": ["a", "b"], "fpr": [0.2, 0.5], "tpr": [0.7, 0.95]}), tmp_path / "points.parquet")
    assert ask("hull", "points.parquet")[1]["models"].keys() == {"a", "b"}
    pq.write_table(pa.table({"actual": ["a", "b"], "a": [3, 1], "b": [0, 4]}), tmp_path / "matrix.parquet")
    assert ask("matrix", "matrix.parquet")[0] == 0


# --- the same refusal, however the rows are read

FAULTS = {
    "junk": ("1,abc", r"line 60002, column 'p': 'abc' is not a finite number"),
    "few": ("1", r"line 60002: 1 field, but the header has 2"),
    "many": ("1,0.5,7", r"line 60002: 3 fields, but the header has 2"),
}


def faulty(tmp_path: Path, line: str) -> Path:
    path = tmp_path / "large.csv"
    rows = [f"{i % 2},{i / 200_000}" for i in range(120_000)]
    rows[60_000] = line
    path.write_text("y,p\n" + "\n".join(rows) + "\n")
    assert path.stat().st_size > SMALL
    return path


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("budget", ["1G", "1M"])
def test_a_fault_far_down_is_named_by_its_line(fault: str, budget: str, tmp_path: Path, run: Run) -> None:
    line, said = FAULTS[fault]
    path = faulty(tmp_path, line)
    code, _, err = run("evaluate", str(path), "--label", "y", "--score", "p", "--budget", budget)
    assert code == 2 and re.search(said, " ".join(err.split()))
    size = 2**30 if budget == "1G" else 2**20
    with pytest.raises(RocscopeError, match=said):
        rs.evaluate(path, label="y", score="p", budget=size)


def test_odd_line_ends_are_read_from_python_too(tmp_path: Path) -> None:
    path = tmp_path / "large.csv"
    path.write_bytes(("y,p\r" + "1,0.75\r0,0.25\r" * 80_000).encode())
    assert rs.evaluate(path, label="y", score="p").auc.value == 1


@pytest.mark.parametrize("cell", ["\u00a00.25", "0.25\u2003 ", "'-0.25", "'+.25"])
def test_a_number_is_one_in_memory_and_beyond(cell: str, tmp_path: Path) -> None:
    path = tmp_path / "large.csv"
    path.write_text("y,p\n" + "1,0.75\n0,0.5\n" * 90_000 + f"1,{cell}\n", encoding="utf-8")
    assert path.stat().st_size > SMALL
    found = [rs.evaluate(path, label="y", score="p", budget=budget).table for budget in (None, 2**20)]
    value = float(cell.strip().lstrip("'"))
    assert [table.at(value) == table.at(-1) != table.at(value + 0.1) for table in found] == [True, True]


@pytest.mark.parametrize("kinds", [(int, float), (int, bool), (bool, float), (np.int8, np.int64)], ids=str)
def test_labels_of_other_types_in_each_file(kinds: tuple[type, type], tmp_path: Path, run: Run) -> None:
    """1, 1.0 and True are one label, whichever file has which, in memory and beyond it."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    rng = np.random.default_rng(7)
    y, p = rng.integers(0, 2, (2, 40_000)), rng.random((2, 40_000))
    paths = [str(tmp_path / f"{i}.parquet") for i in range(2)]
    for i, kind in enumerate(kinds):
        pq.write_table(pa.table({"y": y[i].astype(kind), "p": p[i]}), paths[i])
    exact = rs.evaluate(y.ravel(), p.ravel()).auc.value
    for budget in ("1G", "1M"):
        code, out, err = run(
            "evaluate", *paths, "--label", "y", "--score", "p", "--budget", budget, "--format", "json"
        )
        assert code == 0, err
        found = json.loads(out)
        area = next(row for row in found["areas"] if row["name"] == "auc")
        assert abs(area["value"] - exact) <= (area.get("bound") or 0) + 1e-12
        assert found["data"]["labels"] == {"negative": "0", "positive": "1"}


def test_missing_cells_are_counted_from_python_as_on_the_command_line(tmp_path: Path) -> None:
    path = faulty(tmp_path, "1,")
    with pytest.raises(RocscopeError, match=r"'p' is missing in 1 row \(first on line 60002\)"):
        rs.evaluate(path, label="y", score="p")
    found = rs.evaluate(path, label="y", score="p", missing="drop")
    assert dict(found.left_out) == {"no score": 1} and found.table.rows == (60_000, 59_999)


def test_comparing_beyond_memory_says_that_it_is_certified(tmp_path: Path, run: Run) -> None:
    path = tmp_path / "large.csv"
    path.write_text("y,a,b\n" + "1,0.75,0.5\n0,0.25,0.5\n" * 60_000)
    columns = ("--label", "y", "--score", "a", "--score", "b")
    code, _, err = run("compare", str(path), *columns, "--budget", "1M", "--exact")
    assert code == 2 and "--exact works only for a single score" in " ".join(err.split())
