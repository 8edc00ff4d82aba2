"""Plain CSV read by pyarrow or DuckDB: both say what Python's reader says, or leave the file to it."""

from __future__ import annotations

import tempfile
import threading
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from rocscope import sources
from rocscope.errors import RocscopeError
from rocscope.sources import files, plain_csv, text_blocks
from rocscope.sources.text_file import TextFile
from rocscope.sources.text_table import text_column

NEEDED = {"id": "label", "y": "label", "site": "any", "p": "number", "w": "number"}
NUMBERS = ["p", "w"]
OPTIONS = settings(max_examples=120, deadline=None)
WAYS = ("arrow", "duckdb", "python")


def opened(path: Path) -> sources.Source:
    """A file, as if it were large."""
    with patch.object(files, "SMALL", 0):
        return sources.open(path)


def read(path: Path, way: str, missing: str = "error", kinds: dict[str, str] | None = None) -> tuple[str, Any]:
    """What was read in one of the three ways, or the words of the refusal."""
    kinds = NEEDED if kinds is None else kinds
    with patch("rocscope.sources.column_batches.has_arrow", lambda: way == "arrow"):
        try:
            source = opened(path)
            if way == "python":
                object.__setattr__(source.native, "by_lines", True)
            rows = sources.columns(source, list(kinds), missing=missing, kinds=kinds)
        except RocscopeError as error:
            return "refused", str(error).replace(str(path), "FILE")
    blank = sum(file.blank_lines for file in source.native.files) if way != "duckdb" else None
    return "read", ({name: list(values) for name, values in rows.arrays.items()}, rows.left_out, blank)


def same(found: dict[str, tuple[str, Any]]) -> bool:
    """Whether all ways say the same; how many lines are blank DuckDB does not say."""
    said = [said if kind == "refused" else said[:2] for kind, said in found.values()]
    return len({kind for kind, _ in found.values()}) == 1 and all(one == said[0] for one in said)


# --- whatever the file holds, three readers agree

ids = st.sampled_from(["a", "b", "case-1", "12345678", "123456789", "0123456789abcdef", "é", "01", "1"])
plain = {
    "id": ids,
    "y": st.sampled_from(["0", "1"]),
    "site": st.sampled_from(["n", "s", "north", ""]),
    "p": st.sampled_from(["0.5", "1", "-3", "1e-5", "0.1234567890123456789", "-0.0", "4.9e-324",
                          "1.7976931348623157e308"]),
    "w": st.sampled_from(["1", "2", "0.25"]),
}  # fmt: skip
odd = {
    "id": st.sampled_from(["", " ", '"q"', "a" * 17]),
    "y": st.sampled_from(["01", " 1", "1.0", "", " ", "'=x", "é", "NA", '"1"', "yes"]),
    "site": st.sampled_from([" ", '"a,b"', "'-x", "é"]),
    "p": st.sampled_from(["", "NA", "nan", "inf", "1e999", "1e-999", "1_000", "+-1", "+1", " 1 ", "0x10", "1.", ".5",
                          "1e", "x", '"0.5"', "'-0.5", "\u00a01", "1f", "1d3", "1E3"]),
    "w": st.sampled_from(["", "NA", "-1", "null"]),
}  # fmt: skip
names = st.permutations(list(NEEDED))
marks = st.lists(st.sampled_from([None] * 12 + list(NEEDED)), min_size=1, max_size=12)
extra = st.sampled_from([None] * 8 + ["", " ", ",", "1,2", "a,0,n,0.5,1,", "a,0,n,0.5,1,9"])


@st.composite
def tables(draw: st.DrawFn) -> bytes:
    """A CSV file, plain but for a cell or a line here and there."""
    order, end = draw(names), draw(st.sampled_from(["\n", "\n", "\r\n"]))
    lines, wholly = [",".join(order)], draw(st.booleans())
    for mark in draw(marks):
        cells = [draw(odd[name] if name == mark and not wholly else plain[name]) for name in order]
        lines.append(",".join(cells))
        more = None if wholly else draw(extra)
        lines += [] if more is None else [more]
    text = end.join(lines) + draw(st.sampled_from([end, end, ""]))
    return text.encode()


@OPTIONS
@given(tables(), st.sampled_from(["error", "drop"]), st.sampled_from([1, 2, 16, 64, 2**20]))
def test_all_readers_agree(content: bytes, missing: str, size: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "f.csv")
        path.write_bytes(content)
        with patch.object(text_blocks, "BLOCK", size):
            found = {way: read(path, way, missing) for way in WAYS}
    assert same(found), found


labels = st.sampled_from(["0", "1", "a", "b c", "", " ", "'=x", "é", "NA", "\u00a0", '"q"', '"a,b"', '" x"', '"x" ',
                          ' "x"', '"a\nb"', '"a""b"', '""'])  # fmt: skip
good_numbers = ["0.5", "1", "-3", "1e-5", " 0.25 ", "+.5", "2.", "'-0.5", '"0.5"', "\u00a00.5", "-0.0", "'+1"]
bad_numbers = ["", "NA", "nan", "None", "1e999", "inf", "1_000", "+-1", "x", "0x10", '"1,5"', "1.5e", "true", '"NA"']
bad_numbers += ["-nan"]
plain_rows = st.tuples(st.sampled_from(["0", "1", "a"]), st.sampled_from(["0.5", "1", "-3", "1e-5"]))
odd_rows = st.tuples(labels, st.sampled_from([*good_numbers, *bad_numbers]))
odd_lines = st.sampled_from(["", " ", "  ", ",", ",,", "1", "1,0.5,", "1,0.5,,", "1,0.5,7", '"1,0.5', '1,0.5,"",""',
                             "1,0.5, ,"])  # fmt: skip
lines = st.one_of(
    plain_rows.map(",".join), plain_rows.map(",".join), plain_rows.map(",".join), odd_rows.map(",".join), odd_lines
)
headers = st.sampled_from(["y,p", "y,p", "y,p,", '"y","p"', "\ny,p", "p,y", "\ufeffy,p", '"y\n",p'])
ends = st.sampled_from(["\n", "\n", "\r\n", "\r"])


@settings(max_examples=300, deadline=None)
@example("y,p", ["NA,0.5", "a,0.25", "null,NA"], "\n", True, "drop", 2**20)  # a label, and no number
@given(headers, st.lists(lines, max_size=6), ends, st.booleans(), st.sampled_from(["error", "drop"]),
       st.sampled_from([1, 7, 2**20]))  # fmt: skip
def test_all_readers_agree_about_odd_files(
    header: str, rows: list[str], end: str, ended: bool, missing: str, size: int
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "f.csv")
        path.write_text(end.join([header, *rows]) + (end if ended else ""), encoding="utf-8", newline="")
        with patch.object(text_blocks, "BLOCK", size):
            found = {way: read(path, way, missing, {"y": "label", "p": "number"}) for way in WAYS}
    assert same(found), found


@pytest.mark.parametrize("way", ["arrow", "duckdb"])
def test_plain_files_need_no_other_reader(tmp_path: Path, way: str) -> None:
    contents = [
        "y,p\n1,0.5\n0,0.25\n", "y,p\r\n1,0.5\r\n0,0.25\r\n", '"y","p"\n"1","0.5"\n"0","0.25"\n',
        "id,y,p,x\na_b,1,0.5,\nc_d,0,0.25,\n", "y,p\n\n1,0.5\n\n0,0.25\n\n", "y;p\n1;0.5\n0;0.25\n",
        "y,p,\n1,0.5,\n0,0.25,\n", 'y,p,note\n1,0.5,"a, b"\n0,0.25,"c"\n',
    ]  # fmt: skip
    for number, content in enumerate(contents):
        path = tmp_path / f"{number}.csv"
        path.write_text(content, newline="")
        with patch.object(TextFile, "_of_records", _forbidden):
            found = read(path, way, kinds={"y": "label", "p": "number"})
        assert found[1][0] == {"y": ["1", "0"], "p": [0.5, 0.25]}, content


def _forbidden(*_: object) -> Any:
    raise AssertionError("read line by line")


@pytest.mark.parametrize("way", WAYS)
def test_a_label_spelled_otherwise_is_another_label(tmp_path: Path, way: str) -> None:
    path = tmp_path / "late.csv"
    path.write_text("y,p\n" + "0,0.5\n1,0.25\n" * 30_000 + "01,0.5\n 1,0.5\n1.0,0.5\n,0.5\n")
    found = read(path, way, "drop", {"y": "label", "p": "number"})[1]
    assert set(found[0]["y"]) == {"0", "1", "01", " 1", "1.0"} and found[1] == {"no y": 1}


@pytest.mark.parametrize("way", WAYS)
def test_many_labels(tmp_path: Path, way: str) -> None:
    path = tmp_path / "many.csv"
    path.write_text("y,p\n" + "a,0.5\n" * 30_000 + "".join(f"c{i},0.5\n" for i in range(1000)))
    assert read(path, way, kinds={"y": "label"})[1][0]["y"] == ["a"] * 30_000 + [f"c{i}" for i in range(1000)]


def test_a_reading_that_is_stopped_leaves_no_thread(tmp_path: Path) -> None:
    path = tmp_path / "f.csv"
    path.write_text("y,p\n" + "1,0.5\n" * 900_000)
    before = set(threading.enumerate())

    def stop(share: float) -> None:
        if share > 0.5:
            raise KeyboardInterrupt

    source = sources.open(path).reporting(stop)
    with pytest.raises(KeyboardInterrupt):
        sources.columns(source, ["y", "p"], kinds={"p": "number"})
    assert set(threading.enumerate()) <= before


@OPTIONS
@given(
    st.lists(
        st.tuples(st.sampled_from(["0", "1"] * 6 + ["-1", "01", "", "2", "a", "'-1"]),
                  st.sampled_from(["0.5", "0.25", "1", "7e-3", "-2"] * 4 + ["", "NA", "inf", "x", " 1"]),
                  st.sampled_from(["1", "2", "0.5"] * 6 + ["0", "-1", ""])),
        min_size=1, max_size=8,
    ),
    st.booleans(), st.sampled_from(["error", "drop"]), st.sampled_from([None, 48, 2**20]),
)  # fmt: skip
def test_tables_are_the_same_whoever_reads(
    rows: list[tuple[str, str, str]], weighted: bool, missing: str, budget: int | None
) -> None:
    options = {"missing": missing, "budget": budget, "weight": "w" if weighted else None}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "f.csv")
        path.write_text("y,p,w\n" + "".join(",".join(row) + "\n" for row in rows), encoding="utf-8")
        by_arrow, by_duckdb = (reduced(path, arrow, **options) for arrow in (True, False))
    assert by_arrow == by_duckdb


def reduced(path: Path, arrow: bool, **options: Any) -> tuple[str, Any]:
    with patch("rocscope.sources.column_batches.has_arrow", lambda: arrow):
        try:
            found = sources.tables(opened(path), label="y", scores=["p"], **options)
        except RocscopeError as error:
            return "refused", str(error)
    said = {
        key: (t.scores.tolist(), t.pos.tolist(), t.neg.tolist(), t.labels, t.rows) for key, t in found.tables.items()
    }
    return "read", (said, dict(found.left_out), found.rows, found.exact)


# --- blocks of whole lines


@given(
    st.lists(st.sampled_from([b"a", b"\n", b"\r\n", b",", b'"', b"\xc3\xa9", b"\r"]), max_size=30), st.integers(1, 5)
)
def test_blocks_are_the_file(pieces: list[bytes], size: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "f.csv")
        path.write_bytes(b"".join(pieces))
        found = list(text_blocks.blocks(str(path), "f.csv", size=size))
    assert b"".join(block.data for block in found) == b"".join(pieces)
    start = before = 0
    for block in found:
        assert (block.start, block.before) == (start, before)
        start, before = start + len(block.data), before + block.data.count(b"\n")
        assert block.data.endswith(b"\n") or b"\r" in block.data or block is found[-1]


def test_a_line_without_end_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "f.csv"
    path.write_bytes(b"y,p\n" + b"a" * (text_blocks.LONGEST_LINE + 2**21))
    with pytest.raises(RocscopeError, match="line 2 is longer than 16 MiB"):
        text_blocks.check(str(path), "f.csv")


def test_a_bad_byte_has_its_place(tmp_path: Path) -> None:
    path = tmp_path / "f.csv"
    path.write_bytes(b"ab\n\xc3\xa9\nd\xe9\n")
    for size in (1, 2, 5, 2**20):
        with pytest.raises(RocscopeError, match=r"byte 7, on line 3, is 0xe9"):
            list(text_blocks.blocks(str(path), "f.csv", size=size))


def test_words_for_missing_in_any_case() -> None:
    assert len(plain_csv.spellings({"nan", ""})) == 9


@pytest.mark.parametrize(
    "texts", [["b", "a", "b"], [], [""], ["", "ab"], ["a", " ", "a"], ["é", "a"], ["1", "0", "10"], ["=", "'", "x"]]
)
def test_labels_of_one_letter_are_coded_like_any_others(texts: list[str]) -> None:
    pa = pytest.importorskip("pyarrow")
    coded = pa.array(texts, pa.string()).dictionary_encode()
    expected = text_column(np.from_dlpack(coded.indices), coded.dictionary.to_pylist())
    found = plain_csv._texts(pa.array(texts, pa.string()))
    assert found.categories == expected.categories and found.values.tolist() == expected.values.tolist()
    quick = plain_csv._single_letters(pa.array(texts, pa.string())) is not None
    assert quick == (bool(texts) and all(len(one.encode()) == 1 for one in texts))
