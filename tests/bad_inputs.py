"""The list of bad inputs as files: each by its number, what it is called, what is asked of it, and what it must get.

A case is answered by a number (the AUC; None where it is undefined) or refused by a sentence, of which a piece stands
here. tests/bad/test_every_interface.py asks the command, the library, a pandas frame and the page.
"""

from __future__ import annotations

import datetime
import decimal
import gzip
import io
import json
import unicodedata
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

Y, P = [1, 0, 1, 0, 1, 0], [0.9, 0.4, 0.35, 0.1, 0.8, 0.3]
AUC = 8 / 9
ROWS = "".join(f"{y},{p}\n" for y, p in zip(Y, P, strict=True))
GOOD = f"y,p\n{ROWS}"
SAME = "the same"
"""A pandas frame of the same cells gets the same sentence, with the row for the line."""


@dataclass(frozen=True)
class Case:
    """One bad input as a file."""

    id: str
    name: str
    content: bytes | str | Callable[[], bytes]
    answer: float | str | None
    """The AUC, None where it is undefined, or a piece of the refusal."""
    given: Mapping[str, Any] = field(default_factory=dict)
    """Arguments of `evaluate` beside label="y", score="p"."""
    frame: str | None = None
    """What a pandas frame of the same cells gets: SAME, or a piece of its own sentence; None: there is none."""
    page: str | float | None = SAME
    """What the page gets where it differs: it leaves rows without a value out, and says how many."""

    @property
    def data(self) -> bytes:
        held = self.content() if callable(self.content) else self.content
        return held if isinstance(held, bytes) else held.encode()

    def __str__(self) -> str:
        return f"{self.id}-{self.name}"


def parquet(**columns: Any) -> Callable[[], bytes]:
    """A Parquet file of these columns, y being the usual labels unless it is among them."""

    def made() -> bytes:
        sink = io.BytesIO()
        pq.write_table(pa.table({"y": pa.array(Y), **columns}), sink)
        return sink.getvalue()

    return made


def cut(make: Callable[[], bytes], end: int) -> Callable[[], bytes]:
    return lambda: make()[:end]


def arrow_file() -> bytes:
    sink = io.BytesIO()
    table = pa.table({"y": Y, "p": P})
    with pa.ipc.new_file(sink, table.schema) as writer:
        writer.write_table(table)
    return sink.getvalue()


def workbook(*sheets: list[tuple[Any, ...]]) -> Callable[[], bytes]:
    def made() -> bytes:
        import openpyxl

        book, sink = openpyxl.Workbook(), io.BytesIO()
        book.remove(book.active)
        for number, rows in enumerate(sheets):
            sheet = book.create_sheet(f"s{number}")
            for row in rows:
                sheet.append(row)
        book.save(sink)
        return sink.getvalue()

    return made


def bomb() -> bytes:
    sink = io.BytesIO()
    with zipfile.ZipFile(sink, "w", zipfile.ZIP_DEFLATED) as book:
        book.writestr("[Content_Types].xml", "<Types/>")
        book.writestr("xl/worksheets/sheet1.xml", b" " * 2**26)
    return sink.getvalue()


def corrupt() -> bytes:
    held = bytearray(parquet(p=P)())
    held[20:24] = bytes(byte ^ 255 for byte in held[20:24])
    return bytes(held)


def lines(*rows: Any) -> str:
    return "".join((row if isinstance(row, str) else json.dumps(row)) + "\n" for row in rows)


CELLS: list[tuple[Any, ...]] = [("y", "p"), *zip(Y, P, strict=True)]
DROPPED = {"missing": "drop"}
JSON_ROWS = [{"y": y, "p": p} for y, p in zip(Y, P, strict=True)]
COMPOSED, APART = "é", unicodedata.normalize("NFD", "é")

CASES: tuple[Case, ...] = (
    # --- cells
    Case("B001", "nan.csv", f"{GOOD}1,nan\n", "'p' is missing in 1 row (first on line 8)", frame=SAME, page=AUC),
    Case("B001", "dropped.csv", f"{GOOD}1,nan\n", AUC, DROPPED, frame=SAME),
    Case("B002", "infinite.csv", f"{GOOD}1,inf\n", "line 8, column 'p': 'inf' is not a finite number",
         frame="'p' has 1 infinite value (first at row 6: inf)"),
    Case("B003", "all_nan.csv", "y,p\n1,nan\n0,\n", "'p' is missing in 2 rows (first on line 2)", frame=SAME,
         page="none of 2 rows can be used: 2 no score"),
    Case("B004", "no_label.csv", f"{GOOD},0.5\n", "'y' is missing in 1 row (first on line 8)", frame=SAME, page=AUC),
    Case("B004", "null.jsonl", lines(*JSON_ROWS, {"y": None, "p": 0.5}), "'y' is missing in 1 row (first on line 7)",
         frame=SAME, page=AUC),
    Case("B005", "one_class.csv", "y,p\n1,0.5\n1,0.7\n", None, frame=SAME),
    Case("B007", "ragged.csv", f"{GOOD}1\n", "line 8: 1 field, but the header has 2"),
    Case("B008", "no_rows.csv", "y,p\n", "no rows", frame="there are no rows"),
    Case("B009", "one_row.csv", "y,p\n1,0.5\n", None, frame=SAME),
    Case("B013", "bool.csv", "y,p\nTrue,0.9\nFalse,0.1\n", 1.0, frame=SAME),
    Case("B013", "bool.parquet", parquet(y=[bool(y) for y in Y], p=P), AUC, frame=SAME),
    Case("B014", "words.csv", "y,p\nyes,0.9\nno,0.1\n", "y has two labels no/yes; state which is positive", frame=SAME),
    Case("B015", "texts.csv", 'y,p\n"1",0.9\n"0",0.1\n', 1.0, frame=SAME),
    Case("B016", "mixed.jsonl", lines(*JSON_ROWS, {"y": "1", "p": 0.5}),
         "line 7, column 'y' mixes types: numbers, and text that looks like a number ('1')"),
    Case("B017", "three.csv", "y,p\n0,0.9\n1,0.4\n2,0.1\n", "must have two classes, but it has 3: 0, 1, 2", frame=SAME),
    Case("B018", "signs.csv", "y,p\n1,0.9\n-1,0.1\n", 1.0, frame=SAME),
    Case("B019", "one_two.csv", "y,p\n1,0.9\n2,0.1\n", "y has two labels 1/2; state which is positive", frame=SAME),
    Case("B020", "floats.csv", "y,p\n1.0,0.9\n0.0,0.1\n", 1.0, frame=SAME),
    Case("B020", "half.parquet", parquet(y=[0.5, 0.0, 1.0, 0.0, 0.0, 1.0], p=P), "y holds 0.5, a continuous value",
         frame=SAME),
    Case("B021", "absent.csv", GOOD, "positive label '2' is not in y, which has 0, 1", {"positive": "2"},
         frame="positive label 2 is not in y, which has 0, 1"),
    Case("B022", "blank.csv", "y,p\nyes,0.9\nYes ,0.1\n", 1.0, {"positive": "yes"}, frame=SAME),
    Case("B023", "forms.csv", f"y,p\n{COMPOSED},0.9\n{APART},0.1\n", 1.0, {"positive": COMPOSED}, frame=SAME),
    Case("B025", "ids.csv", "y,p\n" + "".join(f"id{i},0.5\n" for i in range(2000)),
         "y column has more than 64 classes", frame=SAME),
    Case("B026", "target.csv", "y,p\n" + "".join(f"{i / 7},0.5\n" for i in range(200)),
         "y holds 0.14285714285714285, a continuous value", frame=SAME),
    Case("B027", "beyond_1.csv", "y,p\n1,7\n0,-3\n", 1.0, frame=SAME),
    Case("B029", "negative.csv",
         "y,p,w\n1,0.9,1\n0,0.4,-1\n", "w must be 0 or more, but it is negative (first on line 3: -1)",
         {"weights": "w"},
         frame=SAME),
    Case("B030", "zero.csv", "y,p,w\n1,0.9,0\n0,0.4,0\n", "w is zero in all rows", {"weights": "w"}, frame=SAME),
    Case("B030", "zero_class.csv", "y,p,w\n1,0.9,1\n0,0.4,0\n", None, {"weights": "w"}, frame=SAME),
    Case("B031", "nan_weight.csv", "y,p,w\n1,0.9,\n0,0.4,1\n", "'w' is missing in 1 row (first on line 2)",
         {"weights": "w"}, frame=SAME),
    Case("B032", "tiny.csv", "y,p,w\n1,0.9,1e-300\n0,0.4,1e-300\n",
         "the largest w must be between 1e-60 and 1e60, not 1e-300", {"weights": "w"},
         frame=SAME),
    Case("B033", "sum.csv", "y,p,w\n1,0.9,9007199254740993\n0,0.4,1\n1,0.3,1\n0,0.2,1\n",
         (2 * 9007199254740993 + 1) / (2 * 9007199254740993 + 2), {"weights": "w"}, frame=SAME),
    Case("B034", "ties.parquet", parquet(p=pa.array([0.1, 0.1 + 1e-9, 0.1, 0.1, 0.1, 0.1], pa.float32())), 0.5,
         frame=SAME),
    Case("B035", "zeros.csv", "y,p\n1,0.0\n0,-0.0\n", 0.5, frame=SAME),
    Case("B036", "subnormal.csv", "y,p\n1,1e-320\n0,5e-324\n", 1.0, frame=SAME),
    Case("B037", "dates.parquet", parquet(p=[datetime.datetime(2024, 1, day) for day in range(1, 7)]),
         "column 'p' is of type TIMESTAMP", frame="must contain numbers"),
    Case("B038", "decimals.parquet", parquet(p=[decimal.Decimal(f"{p:.2f}") for p in P]),
         "column 'p' is of type DECIMAL",
         frame="must contain numbers"),
    Case("B038", "beyond_floats.csv", "y,p\n1,9007199254740993\n0,9007199254740992\n", "integers of 2^53 or more",
         frame=SAME),
    Case("B039", "bytes.parquet", parquet(p=pa.array([0, 100, 60, 200, 10, 150], pa.uint8())), 1.0,
         {"higher_is_positive": False}, frame=SAME),
    Case("B040", "levels.parquet", parquet(y=pa.DictionaryArray.from_arrays([0, 1, 0, 1, 0, 1], ["1", "0", "2"]),
         p=P), AUC,
         frame=SAME),
    # --- text
    Case("B065", "empty.csv", b"", "empty.csv is empty"),
    Case("B065", "blank_only.csv", b"\n \n", "blank_only.csv is empty"),
    Case("B066", "header.csv", "y,p", "header.csv has no rows", frame="there are no rows"),
    Case("B067", "no_header.csv", "1,0.9\n0,0.4\n", "has no column 'y'; it has 1, 0.9", frame=SAME),
    Case("B068", "mark.csv", b"\xef\xbb\xbf" + GOOD.encode(), AUC),
    Case("B069", "utf16.csv", GOOD.encode("utf-16"), AUC),
    Case("B070", "latin.csv", "y,p\né,0.9\n0,0.1\n".encode("latin-1"), "is not UTF-8: byte 4, on line 2, is 0xe9"),
    Case("B071", "semicolon.csv", GOOD.replace(",", ";"), AUC),
    Case("B071", "colon.csv", GOOD.replace(",", ":"), "has no column 'y'"),
    Case("B072", "decimal_comma.csv", "y;p\n1;0,93\n0;0,4\n", "line 2, column 'p': '0,93' is not a finite number"),
    Case("B073", "thousands.csv", 'y,p\n1,"1,234"\n0,2\n', "line 2, column 'p': '1,234' is not a finite number",
         frame="row 0, column 'p': '1,234' is not a finite number"),
    Case("B074", "more_fields.csv", f"{GOOD}1,0.5,7\n", "line 8: 3 fields, but the header has 2"),
    Case("B075", "open_quote.csv", 'y,p\n1,0.9\n"0,0.4\n1,0.3\n', "the row that begins on line 3 is never closed"),
    Case("B076", "quoted.csv", 'note,y,p\n"two\nlines, ""x""",1,0.9\na,0,0.4\n', 1.0, frame=SAME),
    Case("B077", "nul.csv", b"y,p\n1,0\x00.9\n0,1\n", "is not text: byte 7 is NUL"),
    Case("B078", "old_mac.csv", GOOD.replace("\n", "\r"), AUC, frame=SAME),
    Case("B079", "long_cell.csv", "note,y,p\n" + "x" * 200_000 + ",1,0.9\nb,0,0.4\n",
         "the row that begins on line 2 has a field of more than 131,072 characters"),
    Case("B080", "long_line.csv", b"y,p\n1,0.9\n" + b"x" * (17 * 2**20), "line 3 is longer than 16 MiB"),
    Case("B081", "wide.csv", "y,p," + ",".join(f"c{i}" for i in range(3000)) + "\n"
         + "".join(f"{y},{p}" + ",0" * 3000 + "\n" for y, p in zip(Y, P, strict=True)), AUC, frame=SAME),
    Case("B082", "twice.csv", "y,p,p\n1,0.9,0.1\n0,0.4,0.2\n", "the column 'p' appears twice"),
    Case("B083", "odd_name.csv", GOOD.replace("y,p", 'y," =a ""b"" 😀"'), AUC, {"score": ' =a "b" 😀'}, frame=SAME),
    Case("B084", "typo.csv", GOOD.replace("y,p", "y,score"), "has no column 'scores'; it has y, score",
         {"score": "scores"},
         frame=SAME),
    Case("B085", "numbers.csv", "y,p\n1, 1e5\n0,.5 \n1,+2.\n0,1E-3\n", 1.0, frame=SAME),
    Case("B085", "letter_o.csv", f"{GOOD}0,O.5\n", "line 8, column 'p': 'O.5' is not a finite number",
         frame="row 6, column 'p': 'O.5' is not a finite number"),
    Case("B085", "underscore.csv", f"{GOOD}0,1_000\n", "line 8, column 'p': '1_000' is not a finite number",
         frame="row 6, column 'p': '1_000' is not a finite number"),
    Case("B086", "total.csv", f"{GOOD}Total,all\n", "line 8, column 'p': 'all' is not a finite number",
         frame="row 6, column 'p': 'all' is not a finite number"),
    Case("B087", "blank_lines.csv", GOOD.replace("\n", "\n\n"), AUC, frame=SAME),
    # --- packed
    Case("B088", "cut.csv.gz", lambda: gzip.compress((GOOD + ROWS * 400).encode(), mtime=0)[:-9], "is truncated"),
    Case("B089", "zeros.csv.gz", lambda: gzip.compress(b"\0" * 2**20, mtime=0), "is not text: byte 0 is NUL"),
    Case("B089", "bomb.xlsx", bomb, "expands to 64 MiB"),
    # --- files with types
    Case("B091", "cut.parquet", cut(parquet(p=P), 50), "is not a complete Parquet file"),
    Case("B091", "cut.arrow", cut(arrow_file, -3), "is not a complete Arrow file"),
    Case("B092", "corrupt.parquet", corrupt, "corrupt.parquet"),
    Case("B093", "lists.parquet", parquet(p=[[p] for p in P]), "column 'p' is of type DOUBLE[]",
         frame="contains a list"),
    Case("B093", "list.jsonl", lines({"y": 1, "p": [0.9]}, {"y": 0, "p": [0.1]}), "line 1, column 'p' contains a list",
         frame="contains a list"),
    Case("B094", "text.parquet", GOOD, "contains text, not a Parquet file"),
    Case("B094", "columns.csv", parquet(p=P), "contains a Parquet file, not text"),
    Case("B095", "model.pkl", b"\x80\x04\x95" + b"\0" * 20,
         "is a pickle file. Pickles are never loaded"),
    Case("B095", "array.npy", lambda: b"\x93NUMPY" + bytes(100), "NumPy files may contain pickles"),
    Case("B096", "sheet.xlsx", workbook(CELLS), AUC),
    Case("B096", "sheets.xlsx", workbook(CELLS, CELLS), "has 2 sheets: s0, s1"),
    Case("B096", "formula.xlsx", workbook([*CELLS, (1, "=A2/2")]), "cell B8 contains a formula without a saved value"),
    Case("B096", "word.xlsx", workbook([*CELLS, (1, "x")]), "row 8, column 'p': 'x' is not a finite number"),
    Case("B097", "nan.jsonl", lines(*JSON_ROWS, '{"y": 1, "p": NaN}'), "line 7: NaN is not JSON"),
    Case("B097", "double_key.jsonl", lines('{"y": 1, "p": 1, "p": 2}'), "line 1: the key 'p' appears twice"),
    Case("B097", "deep.jsonl", lines(*JSON_ROWS, '{"y": 1, "p": ' + "[" * 100_000), "line 7: more than 100 brackets"),
    Case("B097", "array.json", '[{"y": 1}]', "array.json is a single JSON list"),
    Case("B099", "%s 'x'=[1].csv", GOOD, AUC),
)  # fmt: skip
