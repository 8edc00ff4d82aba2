"""B062 to B101 of the list of bad inputs: files, each through the command line."""

from __future__ import annotations

import gzip
import io
import json
import os
import resource
import stat
import subprocess
import sys
import threading
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from stopping import PATIENCE

from rocscope import cli
from rocscope.sources import files

Ask = Callable[..., tuple[int, str, str]]
Refused = Callable[..., str]
Shell = Callable[..., subprocess.CompletedProcess[bytes]]

COLUMNS = ("--label", "y", "--score", "p")
GOOD = "y,p\n1,0.9\n0,0.4\n1,0.35\n0,0.1\n"
AUC = 0.75


def write(name: str, content: str | bytes) -> str:
    Path(name).write_bytes(content if isinstance(content, bytes) else content.encode())
    return name


def auc_of(ask: Ask, *arguments: str) -> float:
    code, out, err = ask("evaluate", "--format", "json", *arguments)
    assert code == 0, err
    return area(json.loads(out))


def area(document: dict[str, Any]) -> float:
    return float(next(row["value"] for row in document["areas"] if row["name"] == "auc"))


@pytest.fixture(params=["small", "large"])
def size(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Small text is read whole; the reader of large files is tried here from the first byte on."""
    if request.param == "large":
        monkeypatch.setattr(files, "SMALL", 0)
    return str(request.param)


BOTH = pytest.mark.usefixtures("size")


# --- paths


def test_b062_no_file(refused: Refused) -> None:
    assert refused("evaluate", "none.csv", *COLUMNS) == "rocscope: there is no file none.csv\n"
    assert refused("evaluate", "none*.parquet", *COLUMNS) == "rocscope: no file matches none*.parquet\n"
    assert "there is no file none.csv" in refused("compare", "none.csv", *COLUMNS, "--score", "q")


def test_b063_a_directory(refused: Refused, tmp_path: Path) -> None:
    assert "is a directory. Name a file in it" in refused("evaluate", str(tmp_path), *COLUMNS)


def test_b064_no_permission(refused: Refused, tmp_path: Path, ask: Ask) -> None:
    for folder in [tmp_path, *tmp_path.parents][:3]:
        if folder != Path("/tmp"):
            folder.chmod(0o755)
    for name, content in (("secret.csv", GOOD), ("secret.parquet", b"PAR1")):
        write(name, content)
        Path(name).chmod(0)
    if os.geteuid() == 0:
        os.seteuid(65534)
    try:
        for name in ("secret.csv", "secret.parquet"):
            assert refused("evaluate", name, *COLUMNS) == f"rocscope: cannot read {name}: Permission denied\n"
    finally:
        if os.getuid() == 0:
            os.seteuid(0)


@BOTH
def test_b065_an_empty_file(refused: Refused) -> None:
    for name, content in (
        ("a.csv", b""),
        ("b.csv", b"\n \n"),
        ("c.csv.gz", gzip.compress(b"")),
        ("d.csv", b"\xef\xbb\xbf"),
    ):
        assert f"{name} is empty" in refused("evaluate", write(name, content), *COLUMNS)


@BOTH
def test_b066_a_header_only(refused: Refused) -> None:
    assert "has no rows" in refused("evaluate", write("a.csv", "y,p\n"), *COLUMNS)
    assert "has no rows" in refused("evaluate", write("b.csv", "y,p\n\n\n"), *COLUMNS)
    assert "has no rows" in refused("evaluate", write("c.csv", "y,p"), *COLUMNS)


@BOTH
def test_b067_no_header(refused: Refused) -> None:
    said = refused("evaluate", write("a.csv", "1,0.9\n0,0.4\n"), *COLUMNS)
    assert "has no column 'y'; it has 1, 0.9" in said and "The first line looks like data" in said


@BOTH
def test_b068_a_byte_order_mark(ask: Ask) -> None:
    assert auc_of(ask, write("a.csv", b"\xef\xbb\xbf" + GOOD.encode()), *COLUMNS) == AUC


@BOTH
def test_b069_utf_16(ask: Ask) -> None:
    text = GOOD.replace("1,", "é,")
    for name, encoding in (("a.csv", "utf-16"), ("c.csv", "utf-32")):
        assert auc_of(ask, write(name, text.encode(encoding)), *COLUMNS, "--positive", "é") == AUC
    assert auc_of(ask, write("b.csv", b"\xfe\xff" + GOOD.encode("utf-16-be")), *COLUMNS) == AUC


@BOTH
def test_b070_latin_1(ask: Ask, refused: Refused) -> None:
    latin = GOOD.replace("1,", "é,").encode("latin-1")
    said = refused("evaluate", write("a.csv", latin), *COLUMNS)
    assert "is not UTF-8: byte 4, on line 2, is 0xe9. Give its encoding, for example --encoding latin-1" in said
    assert auc_of(ask, "a.csv", *COLUMNS, "--positive", "é", "--encoding", "latin-1") == AUC
    said = refused("evaluate", write("b.csv", GOOD.encode() + b"1,0.5\n\xe9,0.5\n"), *COLUMNS)
    assert "on line 7, is 0xe9" in said
    said = refused("evaluate", "a.csv", *COLUMNS, "--encoding", "latin1x")
    assert "there is no encoding 'latin1x'. Did you mean" in said


@BOTH
@pytest.mark.parametrize("delimiter", [";", "\t", "|"])
def test_b071_other_delimiters(ask: Ask, delimiter: str) -> None:
    assert auc_of(ask, write("a.csv", GOOD.replace(",", delimiter)), *COLUMNS) == AUC


@BOTH
def test_b071_a_delimiter_that_must_be_said(ask: Ask, refused: Refused) -> None:
    path = write("a.csv", GOOD.replace(",", ":"))
    said = refused("evaluate", path, "--label", "q", "--score", "r")
    assert "Only one column was found; check whether the delimiter is a comma" in said
    assert auc_of(ask, path, *COLUMNS, "--delimiter", ":") == AUC
    assert "the delimiter must be one character, not 'ab'" in refused("evaluate", path, *COLUMNS, "--delimiter", "ab")


@BOTH
def test_b072_a_decimal_comma(refused: Refused) -> None:
    said = refused("evaluate", write("a.csv", "y;p\n1;0,93\n0;0,4\n"), *COLUMNS)
    assert "line 2, column 'p': '0,93' is not a finite number. Write numbers with a decimal point" in said


@BOTH
def test_b073_thousands(refused: Refused) -> None:
    said = refused("evaluate", write("a.csv", 'y,p\n1,"1,234"\n'), *COLUMNS)
    assert "line 2, column 'p': '1,234' is not a finite number" in said


@BOTH
def test_b074_ragged_rows(refused: Refused) -> None:
    for odd, fields in (("0", "1 field"), ("1,0.5,7", "3 fields"), ("1,0.5,,", "4 fields")):
        said = refused("evaluate", write("a.csv", f"{GOOD}{odd}\n"), *COLUMNS)
        assert f"a.csv, line 6: {fields}, but the header has 2" in said


@BOTH
def test_b075_a_quote_that_is_not_closed(refused: Refused) -> None:
    assert "the row that begins on line 3 is never closed" in refused(
        "evaluate", write("a.csv", 'y,p\n1,0.9\n"0,0.4\n1,0.3\n'), *COLUMNS
    )


@BOTH
def test_b076_quoted_newlines_and_delimiters(ask: Ask) -> None:
    text = 'note,y,p\n"two\nlines, ""x""",1,0.9\na,0,0.4\nb,1,0.35\n"c\n",0,0.1\n'
    assert auc_of(ask, write("a.csv", text), *COLUMNS) == AUC


@BOTH
def test_b077_nul_bytes(refused: Refused) -> None:
    assert "is not text: byte 7 is NUL" in refused("evaluate", write("a.csv", b"y,p\n1,0\x00.9\n"), *COLUMNS)
    late = GOOD.encode() * 10 + b"1,\x000.5\n"
    assert f"byte {10 * len(GOOD) + 2} is NUL" in refused("evaluate", write("b.csv", late), *COLUMNS)


@BOTH
@pytest.mark.parametrize("end", ["\r", "\r\n"])
def test_b078_line_ends(ask: Ask, end: str) -> None:
    assert auc_of(ask, write("a.csv", GOOD.replace("\n", end)), *COLUMNS) == AUC
    assert auc_of(ask, write("b.csv", GOOD.replace("\n", end, 2)), *COLUMNS) == AUC


def limited(memory: int) -> Callable[[], None]:
    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_DATA, (memory, memory))

    return limit


def bounded(*arguments: str, memory: int = 500 * 2**20) -> tuple[int, str]:
    """The command in a process that may hold so much, and must end: exit code, standard error."""
    path = str(Path(cli.__file__).parents[2])
    done = subprocess.run(
        [sys.executable, "-m", "rocscope", *arguments], capture_output=True, timeout=PATIENCE, check=False,
        preexec_fn=limited(memory), env={**os.environ, "PYTHONPATH": path, "OPENBLAS_NUM_THREADS": "1"},
    )  # fmt: skip
    return done.returncode, done.stderr.decode()


def test_b079_a_line_of_ten_million_letters(ask: Ask, tmp_path: Path) -> None:
    write("a.csv", "note,y,p\n" + "x" * 10_000_000 + ",1,0.9\nb,0,0.4\n")
    code, err = bounded("evaluate", "a.csv", *COLUMNS)
    assert code == 2 and "the row that begins on line 2 has a field of more than 131,072 characters" in err


def test_b080_one_line_of_two_gigabytes(ask: Ask, tmp_path: Path) -> None:
    for name, start in (("a.csv", b"y,p\n1,0.9\n"), ("b.csv", b"")):
        with open(name, "wb") as file:
            file.write(start)
            for _ in range(20):
                file.write(b"x" * 2**20)
            file.truncate(2**31)  # the rest takes no room on the disk
        code, err = bounded("evaluate", name, *COLUMNS)
        line = 3 if start else 1
        assert code == 2 and f"{name}, line {line} is longer than 16 MiB" in err.splitlines()[-1]


def test_b081_a_million_columns(ask: Ask, tmp_path: Path) -> None:
    head = "y,p," + ",".join(f"c{i}" for i in range(1_000_000))
    row = ",".join(["0"] * 1_000_000)
    write("a.csv", f"{head}\n1,0.9,{row}\n0,0.4,{row}\n")
    code, err = bounded("evaluate", "a.csv", *COLUMNS, memory=2**30)
    assert code == 0, err


@BOTH
def test_b082_a_name_that_appears_twice(refused: Refused) -> None:
    assert "the column 'p' appears twice" in refused("evaluate", write("a.csv", "y,p,p\n1,2,3\n"), *COLUMNS)
    assert "the key 'p' appears twice" in refused("evaluate", write("c.jsonl", '{"y":1,"p":1,"p":2}\n'), *COLUMNS)


@BOTH
@pytest.mark.parametrize("name", ["a b", 'say "x"', "😀", "=1+1", " p", "-x", "a,b", "a'b", "{x", "$.p", 'x"."y'])
def test_b083_odd_column_names(ask: Ask, name: str) -> None:
    quoted = '"' + name.replace('"', '""') + '"'
    assert auc_of(ask, write("a.csv", GOOD.replace("y,p", f"y,{quoted}")), "--label", "y", f"--score={name}") == AUC
    import pyarrow as pa
    import pyarrow.parquet as pq

    pq.write_table(pa.table({"y": [1, 0, 1, 0], name: [0.9, 0.4, 0.35, 0.1]}), "c.parquet")
    assert auc_of(ask, "c.parquet", "--label", "y", f"--score={name}") == AUC
    lines = [json.dumps({"y": y, name: p}) for y, p in ((1, 0.9), (0, 0.4), (1, 0.35), (0, 0.1))]
    assert auc_of(ask, write("d.jsonl", "\n".join(lines)), "--label", "y", f"--score={name}") == AUC


@BOTH
def test_b084_a_column_that_is_not_there(refused: Refused) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    pq.write_table(pa.table({"y": [1, 0], "scores": [0.9, 0.4]}), "c.parquet")
    write("a.csv", "y,scores\n1,0.9\n")
    for name in ("a.csv", "c.parquet"):
        said = refused("evaluate", name, "--label", "y", "--score", "score")
        assert f"{name} has no column 'score'; it has y, scores. Did you mean 'scores'?" in said


@BOTH
@pytest.mark.parametrize(("token", "value"), [("0.5 ", 0.5), ("1e5", 1e5), (" .5", 0.5), ("+2.", 2.0), ("1E-3", 0.001)])
def test_b085_what_is_a_number(ask: Ask, token: str, value: float) -> None:
    path = write("a.csv", f"y,p\n1,{token}\n0,-1\n")
    code, out, err = ask("evaluate", path, *COLUMNS, "--threshold", f"{value!r}", "--format", "json")
    assert code == 0, err
    assert json.loads(out)["point"]["counts"]["tp"] == 1


@BOTH
@pytest.mark.parametrize("token", ["O.5", "0x1p-2", "1_000", "0.5f", "inf", "+-1", "1 000", "½", "True", "1e999", "٣"])
def test_b085_junk_is_refused_with_its_row_and_text(refused: Refused, token: str) -> None:
    said = refused("evaluate", write("a.csv", f"{GOOD}0,{token}\n"), *COLUMNS, "--missing", "drop")
    assert f"a.csv, line 6, column 'p': '{token}' is not a finite number" in said


@BOTH
@pytest.mark.parametrize("token", ["", "nan", "None", "NULL", "n/a", "NA", " "])
def test_b085_missing_is_refused_or_counted(ask: Ask, refused: Refused, token: str) -> None:
    said = refused("evaluate", write("a.csv", f"{GOOD}1,{token}\n"), *COLUMNS)
    assert "a.csv: 'p' is missing in 1 row (first on line 6). Leave such rows out with --missing drop" in said
    code, out, _ = ask("evaluate", "a.csv", *COLUMNS, "--missing", "drop", "--format", "json")
    found = json.loads(out)
    assert code == 0 and found["data"]["left_out"] == {"no score": 1} and area(found) == AUC


@BOTH
def test_b086_a_row_of_totals(refused: Refused) -> None:
    assert "line 6, column 'p': 'all' is not" in refused("evaluate", write("a.csv", GOOD + "Total,all\n"), *COLUMNS)


@BOTH
def test_b087_blank_lines_and_trailing_commas(ask: Ask) -> None:
    code, _, err = ask("evaluate", write("a.csv", "\n" + GOOD.replace("\n", "\n\n")), *COLUMNS)
    assert code == 0 and "6 blank lines left out." in err
    assert auc_of(ask, write("b.csv", GOOD.replace("\n", ",\n")), *COLUMNS) == AUC


# --- packed


@BOTH
@pytest.mark.parametrize("cut", [1, 9, 30])
def test_b088_a_truncated_gzip(refused: Refused, cut: int) -> None:
    many = GOOD + "".join(f"{i % 2},{i * 7919 % 997}\n" for i in range(2000))
    packed = gzip.compress(many.encode())
    assert "a.csv.gz is truncated" in refused("evaluate", write("a.csv.gz", packed[: len(packed) - cut]), *COLUMNS)
    broken = bytearray(packed)
    broken[len(broken) // 2] ^= 255
    assert "c.csv.gz is not a valid gzip file" in refused("evaluate", write("c.csv.gz", bytes(broken)), *COLUMNS)


def test_b089_a_bomb(ask: Ask, refused: Refused, monkeypatch: pytest.MonkeyPatch) -> None:
    zeros = gzip.compress(b"\0" * 2**24)
    assert "is not text: byte 0 is NUL" in refused("evaluate", write("a.csv.gz", zeros), *COLUMNS)
    rows = io.BytesIO()
    with gzip.GzipFile(fileobj=rows, mode="wb", mtime=0) as sink:
        sink.write(GOOD.encode())
        for _ in range(64):
            sink.write(b"1,0.9\n" * 2**16)
    monkeypatch.setattr("rocscope.sources.compression.SWOLLEN_BYTES", 2**22)
    said = refused("evaluate", write("b.csv.gz", rows.getvalue()), *COLUMNS)
    assert "expands to more than 200 times its size" in said
    with zipfile.ZipFile("bomb.xlsx", "w", zipfile.ZIP_DEFLATED) as sheet:
        sheet.writestr("[Content_Types].xml", "<Types/>")
        sheet.writestr("xl/worksheets/sheet1.xml", b" " * 2**26)
    assert "expands to 64 MiB" in refused("evaluate", "bomb.xlsx", *COLUMNS)
    write("plain.zip", Path("bomb.xlsx").read_bytes()[:30] + b"x" * 100)
    assert "is a zip file. Unpack it first" in refused("evaluate", "plain.zip", *COLUMNS)


def test_b089_a_zstd_bomb(refused: Refused, monkeypatch: pytest.MonkeyPatch) -> None:
    import pyarrow as pa

    with pa.OSFile("c.csv.zst", "wb") as raw, pa.CompressedOutputStream(raw, "zstd") as sink:
        sink.write(GOOD.encode() + b"1,0.9\n" * 2**20)
    monkeypatch.setattr("rocscope.sources.compression.SWOLLEN_BYTES", 2**20)
    assert "expands to more than 200 times its size" in refused("evaluate", "c.csv.zst", *COLUMNS)


@pytest.mark.parametrize("arrow", [True, False])
def test_b090_a_file_that_grows_while_it_is_read(
    refused: Refused, monkeypatch: pytest.MonkeyPatch, arrow: bool
) -> None:
    from rocscope.sources import plain_csv

    monkeypatch.setattr(files, "SMALL", 0)
    monkeypatch.setattr("rocscope.sources.column_batches.has_arrow", lambda: arrow)
    write("a.csv", GOOD)
    read = plain_csv.blocks

    def growing(*arguments: Any, **options: Any) -> Any:
        found = read(*arguments, **options)
        with open("a.csv", "a", encoding="utf-8") as file:
            file.write("1,0.5\n")
        return found

    monkeypatch.setattr(plain_csv, read.__name__, growing)
    assert "a.csv changed while it was being read" in refused("evaluate", "a.csv", *COLUMNS)


# --- files with types


def parquet(name: str, **columns: Any) -> str:
    import pyarrow as pa
    import pyarrow.parquet as pq

    pq.write_table(pa.table(columns), name)
    return name


def test_b091_a_truncated_parquet_file(refused: Refused) -> None:
    whole = Path(parquet("a.parquet", y=[1, 0] * 500, p=[i / 1000 for i in range(1000)])).read_bytes()
    for size in (8, 50, len(whole) // 2, len(whole) - 1):
        said = refused("evaluate", write("b.parquet", whole[:size]), *COLUMNS)
        assert "b.parquet is not a complete Parquet file" in said
    assert "is empty" in refused("evaluate", write("c.parquet", b""), *COLUMNS)


def test_b091_a_truncated_arrow_file(refused: Refused) -> None:
    import pyarrow as pa

    with pa.OSFile("a.arrow", "wb") as sink, pa.ipc.new_file(sink, pa.schema({"y": pa.int8(), "p": pa.float64()})) as w:
        w.write_batch(pa.record_batch({"y": pa.array([1, 0], pa.int8()), "p": pa.array([0.9, 0.4])}))
    whole = Path("a.arrow").read_bytes()
    assert "is not a complete Arrow file" in refused("evaluate", write("b.arrow", whole[:-3]), *COLUMNS)
    assert "is not a complete Arrow file" in refused("evaluate", write("c.arrow", whole[:40] + whole[-10:]), *COLUMNS)


def test_b092_a_corrupt_page_or_footer(refused: Refused, ask: Ask) -> None:
    scores = [(i * 7919 % 10_007) / 10_007 for i in range(10_000)]
    whole = Path(parquet("a.parquet", y=[1, 0] * 5000, p=scores)).read_bytes()
    footer = int.from_bytes(whole[-8:-4], "little")
    for place, flip in ((len(whole) // 3, 255), (20, 255), (len(whole) - footer + 10, 255), (len(whole) - 6, 127)):
        broken = bytearray(whole)
        broken[place : place + 4] = bytes(byte ^ flip for byte in broken[place : place + 4])
        code, _, err = ask("evaluate", write("b.parquet", bytes(broken)), *COLUMNS)
        assert code in (0, 2) and (code == 0 or err.count("\n") == 1), err


def test_b092_an_absurd_number_of_rows(refused: Refused) -> None:
    from rocscope.sources import parquet as reader

    path = parquet("a.parquet", y=[1, 0], p=[0.9, 0.4])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reader, "_row_count", lambda *_: 10**15)
        assert "claims 1,000,000,000,000,000 rows" in refused("evaluate", path, *COLUMNS)


def test_b093_types_that_are_no_scores(refused: Refused) -> None:
    import datetime
    import decimal

    odd = {
        "DECIMAL(": [decimal.Decimal("0.90"), decimal.Decimal("0.40")],
        "DOUBLE[]": [[0.9], [0.4]],
        "STRUCT(a DOUBLE)": [{"a": 0.9}, {"a": 0.4}],
        "TIMESTAMP": [datetime.datetime(2024, 1, 1), datetime.datetime(2024, 1, 2)],
        "VARCHAR": ["0.9", "0.4"],
        "DATE": [datetime.date(2024, 1, 1), datetime.date(2024, 1, 2)],
    }
    for kind, values in odd.items():
        said = refused("evaluate", parquet("a.parquet", y=[1, 0], p=values), *COLUMNS)
        assert f"a.parquet: column 'p' is of type {kind}" in said
    said = refused("evaluate", parquet("b.parquet", y=[[1], [0]], p=[0.9, 0.4]), *COLUMNS)
    assert "column 'y' is of type BIGINT[]. Labels, slices and ids must be text" in said
    said = refused("evaluate", write("c.jsonl", '{"y": 1, "p": [0.5]}\n'), *COLUMNS)
    assert "c.jsonl, line 1, column 'p' contains a list" in said


def test_b094_a_name_that_says_another_kind(refused: Refused) -> None:
    said = refused("evaluate", write("a.parquet", GOOD), *COLUMNS)
    assert "a.parquet contains text, not a Parquet file. Rename it" in said
    whole = Path(parquet("b.parquet", y=[1, 0], p=[0.9, 0.4])).read_bytes()
    assert "c.csv contains a Parquet file, not text" in refused("evaluate", write("c.csv", whole), *COLUMNS)
    assert "d.csv.gz contains text, not a gzip file" in refused("evaluate", write("d.csv.gz", GOOD), *COLUMNS)
    assert "e.xlsx contains text, not an Excel file" in refused("evaluate", write("e.xlsx", GOOD), *COLUMNS)
    said = refused("evaluate", write("f.parquet.gz", gzip.compress(whole)), *COLUMNS)
    assert "f.parquet.gz contains a Parquet file. Decompress it first" in said


def test_b095_pickles_are_never_loaded(refused: Refused, tmp_path: Path) -> None:
    import pickle

    import numpy as np

    class Evil:
        def __reduce__(self) -> tuple[Any, ...]:
            return os.mkdir, ("ran",)

    evil, old = pickle.dumps(Evil()), pickle.dumps(Evil(), protocol=2)
    content = {"a.pkl": evil, "b.joblib": old, "c.csv": evil}
    np.save("d.npy", np.array([Evil()], dtype=object), allow_pickle=True)
    for name, pickled in content.items():
        said = refused("evaluate", write(name, pickled), *COLUMNS)
        assert "is a pickle file. Pickles are never loaded" in said
    assert "NumPy files may contain pickles" in refused("evaluate", "d.npy", *COLUMNS)
    assert "is not text" in refused("evaluate", write("e.pkl", pickle.dumps(Evil(), protocol=0) + b"\0"), *COLUMNS)
    assert not Path("ran").exists()


def workbook(name: str, **sheets: list[tuple[Any, ...]]) -> str:
    import openpyxl

    book = openpyxl.Workbook()
    book.remove(book.active)
    for sheet, rows in sheets.items():
        made = book.create_sheet(sheet)
        for row in rows:
            made.append(row)
    book.save(name)
    return name


def test_b096_excel(ask: Ask, refused: Refused) -> None:
    rows: list[tuple[Any, ...]] = [("y", "p"), (1, 0.9), (0, 0.4), (1, 0.35), (0, 0.1)]
    assert auc_of(ask, workbook("a.xlsx", only=rows), *COLUMNS) == AUC
    workbook("b.xlsx", old=[("y", "p"), (1, 0.1)], new=rows)
    assert "b.xlsx has 2 sheets: old, new. Name one of them: --sheet NAME" in refused("evaluate", "b.xlsx", *COLUMNS)
    assert auc_of(ask, "b.xlsx", *COLUMNS, "--sheet", "new") == AUC
    said = refused("evaluate", "b.xlsx", *COLUMNS, "--sheet", "nwe")
    assert "has no sheet 'nwe'; it has old, new. Did you mean 'new'?" in said
    workbook("c.xlsx", only=[*rows, (1, "=A2/2")])
    assert "cell B6 contains a formula without a saved value" in refused("evaluate", "c.xlsx", *COLUMNS)
    workbook("d.xlsx", only=[*rows, (1, "x")])
    assert "d.xlsx, row 6, column 'p': 'x' is not a finite number" in refused("evaluate", "d.xlsx", *COLUMNS)
    whole = Path("a.xlsx").read_bytes()
    assert "is not a complete Excel file" in refused("evaluate", write("e.xlsx", whole[: len(whole) // 2]), *COLUMNS)


def test_b096_excel_without_openpyxl(refused: Refused, monkeypatch: pytest.MonkeyPatch) -> None:
    workbook("a.xlsx", only=[("y", "p"), (1, 0.9)])
    monkeypatch.setitem(sys.modules, "openpyxl", None)
    assert "needs openpyxl. pip install 'rocscope[excel]'" in refused("evaluate", "a.xlsx", *COLUMNS)


def test_arrow_without_pyarrow(refused: Refused, monkeypatch: pytest.MonkeyPatch) -> None:
    write("a.arrow", b"ARROW1\0\0" + b"\0" * 30 + b"ARROW1")
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    assert "needs pyarrow. pip install pyarrow" in refused("evaluate", "a.arrow", *COLUMNS)


@BOTH
@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('{"y": 1, "p": NaN}', "line 2: NaN is not JSON; write null for a missing value"),
        ('{"y": 1, "p": -Infinity}', "line 2: -Infinity is not JSON"),
        ('{"y": 1, "p": 1, "p": 2}', "line 2: the key 'p' appears twice"),
        ('{"y": 1, "p": ' + "[" * 100_000, "line 2: more than 100 brackets"),
        ('{"y": 1, "p": 0.5', "line 2 is not JSON"),
        ("[1, 2]", "line 2 is not an object"),
        ('{"y": 1, "p": "x"}', "line 2, column 'p': 'x' is not a finite number"),
        ('{"y": 1, "p": {"a": 1}}', "line 2, column 'p' contains an object"),
        ('{"y": 1, "p": null}', "'p' is missing in 1 row (first on line 2)"),
        ('{"y": 1}', "'p' is missing in 1 row (first on line 2)"),
    ],
)
def test_b097_json_lines(refused: Refused, line: str, message: str) -> None:
    first = '{"y": 0, "p": 0.25}\n'
    assert message in refused("evaluate", write("a.jsonl", f"{first}{line}\n"), *COLUMNS)


@BOTH
def test_b097_a_json_list(refused: Refused, ask: Ask) -> None:
    said = refused("evaluate", write("a.json", '[{"y": 1}]'), *COLUMNS)
    assert "a.json is a single JSON list. Write one object per line" in said
    rows = '{"y": 1, "p": 0.9}\n\n{"p": 0.4, "y": 0}\n{"y": 1, "p": 0.35}\n{"y": 0, "p": 1e-1}\n'
    assert auc_of(ask, write("b.jsonl", rows), *COLUMNS) == AUC


# --- streams and names


def test_b098_standard_input_and_pipes(shell: Shell, ask: Ask, tmp_path: Path) -> None:
    write("good.csv", GOOD)
    write("large.csv", "y,p\n" + GOOD.partition("\n")[2] * 50_000)
    for line in ("cat large.csv | ROCSCOPE evaluate -", "ROCSCOPE evaluate /dev/stdin < good.csv"):
        done = shell(f"{line} --label y --score p --format json")
        assert done.returncode == 0, done.stderr
        assert area(json.loads(done.stdout)) == AUC
    os.mkfifo("pipe")
    sender = threading.Thread(target=lambda: Path("pipe").write_text(Path("large.csv").read_text()))
    sender.start()
    assert auc_of(ask, "pipe", *COLUMNS) == AUC
    sender.join()
    assert stat.S_ISFIFO(os.stat("pipe").st_mode)


def test_b098_devices_and_loops(ask: Ask, refused: Refused, tmp_path: Path) -> None:
    code, err = bounded("evaluate", "/dev/zero", *COLUMNS)
    assert code == 2 and "/dev/zero is not text: byte 0 is NUL" in err
    code, err = bounded("evaluate", "/dev/urandom", *COLUMNS)
    assert code == 2 and err.count("\n") == 1
    Path("loop").symlink_to("loop")
    assert "cannot read loop: Too many levels of symbolic links" in refused("evaluate", "loop", *COLUMNS)
    assert "is empty" in refused("evaluate", "/dev/null", *COLUMNS)


@BOTH
@pytest.mark.parametrize(
    "name", ["a\nb.csv", "%s.csv", "x[1]*?.csv", "..csv", "a=b.csv", "quote'.csv", "http:x.csv", "é.csv"]
)
def test_b099_odd_file_names(ask: Ask, refused: Refused, name: str) -> None:
    assert auc_of(ask, write(name, GOOD), *COLUMNS) == AUC
    parquet("p", y=[1, 0, 1, 0], p=[0.9, 0.4, 0.35, 0.1])
    os.replace("p", f"{name}.parquet")
    assert auc_of(ask, f"{name}.parquet", *COLUMNS) == AUC
    write(name, "y,p\n1,x\n")
    assert "'x' is not a finite number" in refused("evaluate", name, *COLUMNS)


def test_b099_a_dash_and_bytes_that_are_no_text(ask: Ask, shell: Shell) -> None:
    write("-x.csv", GOOD)
    assert auc_of(ask, *COLUMNS, "--", "-x.csv") == AUC
    with open(b"\xff.csv", "w", encoding="utf-8") as file:
        file.write(GOOD)
    with open(b"\xfe.csv", "w", encoding="utf-8") as file:
        file.write("y,p\n" + GOOD.partition("\n")[2] * 50_000)
    for name in (r"\xff", r"\xfe"):
        done = shell(f"ROCSCOPE evaluate $'{name}.csv' --label y --score p --format json")
        assert done.returncode == 0 and area(json.loads(done.stdout)) == AUC
        done = shell(f"ROCSCOPE evaluate $'{name}.csv' --label q --score p")
        assert done.returncode == 2 and rb"\udcf" in done.stderr and done.stderr.count(b"\n") == 1


# --- a config file


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("[evaluate]\nlabl = 'y'\n", "labl"),
        ("[evaluate]\nlevel = 'high'\n", "level"),
        ("[evaluate]\nlevel = 0.9\nlevel = 0.8\n", "level"),
        ("level = \n", "line 1"),
    ],
)
def test_b100_config_files(refused: Refused, text: str, key: str) -> None:
    write("a.csv", GOOD)
    write("rocscope.toml", text)
    said = refused("evaluate", "a.csv", *COLUMNS)
    assert "rocscope.toml" in said and key in said


# --- several files


@BOTH
def test_b101_files_with_different_columns(ask: Ask, refused: Refused) -> None:
    write("a.csv", GOOD)
    write("b.csv", "y,q\n1,0.5\n")
    assert "b.csv has no column 'p', which a.csv has" in refused("evaluate", "a.csv", "b.csv", *COLUMNS)
    write("c.csv", "y,p,more\n1,0.5,x\n")
    assert "c.csv has a column 'more', which a.csv has not" in refused("evaluate", "a.csv", "c.csv", *COLUMNS)
    assert "a.csv is named twice" in refused("evaluate", "a.csv", "./a.csv", *COLUMNS)
    write("d.csv", "p,y\n0.5,yes\n0.25,no\n")
    code, out, err = ask("evaluate", "a.csv", "d.csv", *COLUMNS)
    assert (code, out) == (2, "") and "the labels differ: a.csv has 0, 1; d.csv has no, yes" in err
    assert "must have two classes, but it has 4" in err.splitlines()[-1]
    write("e.csv", "p,y\n0.9,1\n0.4,0\n0.35,1\n0.1,0\n")
    assert auc_of(ask, "a.csv", "e.csv", *COLUMNS) == AUC
    assert auc_of(ask, "[ae].csv", *COLUMNS) == AUC
    write("f.csv", "y,p\n1,0.5\n0,x\n")
    assert "f.csv, line 3, column 'p': 'x' is not" in refused("evaluate", "a.csv", "f.csv", *COLUMNS)


@BOTH
def test_b101_files_aligned_by_id(ask: Ask, refused: Refused) -> None:
    write("a.csv", "id,y,p\nu,1,0.9\nv,0,0.4\nw,1,0.35\nx,0,0.1\n")
    write("b.csv", "p,id\n0.5,x\n0.7,w\n0.2,v\n0.8,u\n")
    align = ("--label", "y", "--score", "p", "--id", "id")
    code, out, err = ask("compare", "a.csv", "b.csv", *align, "--format", "json")
    found = json.loads(out)
    assert code == 0 and list(found["evaluations"]) == ["a", "b"], err
    assert area(found["evaluations"]["a"]) == 0.75 and area(found["evaluations"]["b"]) == 1.0
    write("c.csv", "p,id\n0.2,x\n0.3,w\n0.4,v\n0.8,t\n0.7,s\n")
    said = refused("compare", "a.csv", "c.csv", *align)
    assert "some ids in 'id' have no match: 1 of a.csv (first 'u') and 2 of c.csv (first 't')" in said
    write("d.csv", "p,id\n0.2,x\n0.3,w\n0.4,x\n0.8,u\n")
    assert "d.csv: 1 id ('x') appears more than once in 'id'" in refused("compare", "a.csv", "d.csv", *align)
    write("e.csv", "p,id,y\n0.2,x,0\n0.3,w,1\n0.4,v,1\n0.8,u,1\n")
    assert "'y' differs between e.csv and a.csv in 1 case" in refused("compare", "a.csv", "e.csv", *align)
