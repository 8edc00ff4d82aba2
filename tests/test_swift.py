"""Plain text read in pieces, and reduced outright: it says what the other readers say, or leaves the file to them."""

from __future__ import annotations

import tempfile
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rocscope import sources
from rocscope.errors import RocscopeError
from rocscope.sources import bulk, database, outright, scanning, swift
from rocscope.sources.aligning import aligned
from rocscope.sources.bulk import CsvFile, large_csv
from rocscope.sources.files import LargeColumns, source_of
from rocscope.sources.loaded import Part, Texts

NEEDED = {"id": "id", "y": "label", "site": "by", "p": "score", "w": "weight"}
OPTIONS = settings(max_examples=120, deadline=None)


@pytest.fixture(scope="module")
def workshop() -> database.Workshop:
    return database.Workshop.new()


def opened(path: Path, workshop: database.Workshop) -> CsvFile:
    return large_csv(str(path), "f.csv", delimiter=None, workshop=workshop)


def outcome(load: Callable[[], Part]) -> tuple[str, Any]:
    """What was read, ids by who is the same as whom; or the words of the refusal."""
    try:
        part = load()
    except RocscopeError as error:
        return "refused", str(error)
    columns = {name: _values(column, name) for name, column in part.columns.items()}
    return "read", (columns, dict(part.left_out), part.blank_lines)


def _values(column: Any, name: str) -> list[Any]:
    found = column.objects().tolist() if isinstance(column, Texts) else column.tolist()
    places: dict[Any, int] = {}
    return [places.setdefault(one, len(places)) for one in found] if name == "id" else found


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
def test_all_readers_agree(workshop: database.Workshop, content: bytes, missing: str, piece: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "f.csv")
        path.write_bytes(content)
        with patch.object(swift, "PIECE", piece), patch.object(swift, "MORE", 2):
            swiftly = outcome(lambda: opened(path, workshop).load(NEEDED, missing=missing))
        with patch("rocscope.sources.column_batches.has_arrow", lambda: False):
            quickly = outcome(lambda: opened(path, workshop).load(NEEDED, missing=missing))
    assert swiftly == quickly


@OPTIONS
@given(tables(), st.sampled_from(["error", "drop"]), st.integers(1, 40))
def test_what_is_read_swiftly_is_what_is_read_line_by_line(
    workshop: database.Workshop, content: bytes, missing: str, piece: int
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "f.csv")
        path.write_bytes(content)
        file = opened(path, workshop)
        found: list[Part | None] = []

        def swiftly() -> Part:
            found.append(file._swiftly(NEEDED, missing, None))
            return found[0] or Part({})

        with patch.object(swift, "PIECE", piece), patch.object(swift, "MORE", 3):
            read = outcome(swiftly)
        if found != [None]:  # read, or refused
            assert read == outcome(lambda: file._slowly(NEEDED, missing))


def test_plain_files_need_no_other_reader(tmp_path: Path, workshop: database.Workshop) -> None:
    for number, end in enumerate(["\n", "\r\n"]):
        path = tmp_path / f"{number}.csv"
        rows = [f"c{i},{i % 2},{'north' if i % 3 else 's'},{i / 7!r},1" for i in range(5000)]
        path.write_text(end.join(["id,y,site,p,w", *rows]) + end, newline="")
        with patch.object(CsvFile, "_quickly", _forbidden), patch.object(CsvFile, "_slowly", _forbidden):
            part = opened(path, workshop).load(NEEDED)
        assert np.asarray(part.columns["p"]).tolist() == [i / 7 for i in range(5000)]
        labels, sites = part.columns["y"], part.columns["site"]
        assert isinstance(labels, Texts) and labels.objects().tolist() == [str(i % 2) for i in range(5000)]
        assert isinstance(sites, Texts) and sites.values == ("north", "s")
        assert len(set(np.asarray(part.columns["id"]).tolist())) == 5000


def _forbidden(*_: object) -> Part:
    raise AssertionError("not read in pieces")


def test_a_label_spelled_otherwise_is_another_label(tmp_path: Path, workshop: database.Workshop) -> None:
    path = tmp_path / "late.csv"
    path.write_text("y,p\n" + "0,0.5\n1,0.25\n" * 100_000 + "01,0.5\n 1,0.5\n1.0,0.5\n")
    column = opened(path, workshop).load({"y": "label", "p": "score"}).columns["y"]
    assert isinstance(column, Texts) and set(column.values) == {"0", "1", "01", " 1", "1.0"}


def test_more_labels_than_a_byte_holds(tmp_path: Path, workshop: database.Workshop) -> None:
    path = tmp_path / "many.csv"
    path.write_text("y,p\n" + "a,0.5\n" * 300_000 + "".join(f"c{i},0.5\n" for i in range(1000)))
    column = opened(path, workshop).load({"y": "label", "p": "score"}).columns["y"]
    assert isinstance(column, Texts)
    assert column.objects().tolist() == ["a"] * 300_000 + [f"c{i}" for i in range(1000)]


def test_a_reading_that_is_stopped_leaves_no_thread(tmp_path: Path, workshop: database.Workshop) -> None:
    path = tmp_path / "f.csv"
    path.write_text("y,p\n" + "1,0.5\n" * 500_000)
    before = set(threading.enumerate())

    def stop(share: float) -> None:
        if share > 0.5:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        opened(path, workshop).load({"y": "label", "p": "score"}, progress=stop)
    assert set(threading.enumerate()) <= before


# --- ids as words


letters = st.characters(min_codepoint=33, exclude_characters=',"', codec="utf-8")


@given(st.lists(st.text(letters, min_size=1), min_size=1))
def test_different_ids_have_different_words(texts: list[str]) -> None:
    short = [text.encode() for text in texts if len(text.encode()) <= swift.LONGEST_ID]
    if short:
        lines = np.frombuffer(b"".join(one + b",x\n" for one in short), dtype=np.uint8)
        fields = swift._Fields.of(lines, b",", 2)
        first, second = swift._words(fields, 0)
        pairs = list(zip(first.tolist(), [0] * len(first) if second is None else second.tolist(), strict=True))
        assert len(set(pairs)) == len(set(short)) == len(set(zip(short, pairs, strict=True)))


def held(path: Path, text: str, workshop: database.Workshop) -> LargeColumns:
    path.write_text(text)
    file = large_csv(str(path), path.name, delimiter=None, workshop=workshop)
    return LargeColumns(file.name, file.names, (file,))


@pytest.mark.parametrize("long", ["", "-with-a-tail", "-with-a-tail-that-is-long"])
def test_files_are_aligned_whatever_read_their_ids(tmp_path: Path, workshop: database.Workshop, long: str) -> None:
    draw = np.random.default_rng(5)
    orders = [draw.permutation(3000) for _ in range(3)]
    tables = [
        "id,y,p\n" + "".join(f"{i}{long},{i % 2},{i / 3000}\n" for i in order) for order in orders[:2]
    ] + ["id,y,p\n" + "".join(f'"{i}{long}",{i % 2},{i / 3000}\n' for i in orders[2])]  # fmt: skip
    files = [held(tmp_path / f"{n}.csv", text, workshop) for n, text in enumerate(tables)]
    called = [{"p": f"p{n}", "y": f"y{n}"} for n in range(3)]
    found = aligned(files, [{"y": "label", "p": "score"}] * 3, called, id="id")
    for n in range(3):
        assert found.numbers(f"p{n}").tolist() == [i / 3000 for i in orders[0]]
    with pytest.raises(RocscopeError, match=r"1 of 0.csv \(first '\d+.*'\) and 1 of 1.csv \(first 'x'\)"):
        other = held(tmp_path / "1.csv", tables[1].rsplit("\n", 2)[0] + "\nx,1,0.5\n", workshop)
        aligned([files[0], other], [{"y": "label", "p": "score"}] * 2, called[:2], id="id")


# --- tables outright


def reduced(path: Path, workshop: database.Workshop, **options: Any) -> tuple[str, Any]:
    file = large_csv(str(path), "f.csv", delimiter=None, workshop=workshop)
    try:
        source = source_of(LargeColumns("f.csv", file.names, (file,)))
        found = sources.tables(source, label="y", scores=["p"], **options)
    except RocscopeError as error:
        return "refused", str(error)
    said = {
        key: (t.scores.tolist(), t.pos.tolist(), t.neg.tolist(), t.labels, t.rows) for key, t in found.tables.items()
    }
    return "read", (said, dict(found.left_out), found.rows, found.exact)


@OPTIONS
@given(
    st.lists(
        st.tuples(st.sampled_from(["0", "1"] * 6 + ["-1", "1.0", "01", "", "2", "a", "'-1"]),
                  st.sampled_from(["0.5", "0.25", "1", "7e-3", "-2"] * 4 + ["", "NA", "inf", "x", " 1"]),
                  st.sampled_from(["1", "2", "0.5"] * 6 + ["0", "-1", ""])),
        min_size=1, max_size=8,
    ),
    st.booleans(), st.sampled_from(["error", "drop"]), st.sampled_from([None, 48, 2**20]),
)  # fmt: skip
def test_tables_are_those_of_the_relation(
    workshop: database.Workshop, rows: list[tuple[str, str, str]], weighted: bool, missing: str, budget: int | None
) -> None:
    options = {"missing": missing, "budget": budget, "weight": "w" if weighted else None}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "f.csv")
        path.write_text("y,p,w\n" + "".join(",".join(row) + "\n" for row in rows), encoding="utf-8")
        outrightly = reduced(path, workshop, **options)
        with patch("rocscope.sources.tables.plain_tables", lambda *_: None):
            related = reduced(path, workshop, **options)
    # both refuse the same files; only one of them knows the line
    assert outrightly == related or (outrightly[0] == related[0] == "refused")


def test_plain_tables_never_ask_for_the_relation(tmp_path: Path, workshop: database.Workshop) -> None:
    path = tmp_path / "f.csv"
    path.write_text("y,p\n" + "1,0.5\n0,0.25\n" * 1000)
    file = opened(path, workshop)
    source = source_of(LargeColumns("f.csv", file.names, (file,)))
    assert isinstance(source, outright.TextSource) and "native" not in vars(source)
    found = sources.tables(source, label="y", scores=["p"])
    assert found.tables["p",].scores.tolist() == [0.5, 0.25] and found.exact
    assert "native" not in vars(source)
    assert sources.columns(source, ["p"]).arrays["p"].tolist() == [0.5, 0.25] * 1000
    assert "native" in vars(source)


@pytest.fixture(autouse=True)
def whole_blocks() -> Iterator[None]:
    """Blocks are of the size they have, whatever a test made of them."""
    yield
    assert scanning.BLOCK == 2**20 and bulk.SAMPLE == 2**20
