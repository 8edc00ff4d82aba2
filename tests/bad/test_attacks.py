"""Inputs that once gave a wrong number, a traceback or a stall: each through the interface where it did."""

from __future__ import annotations

import filecmp
import io
import json
import math
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
import zipfile
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from in_process_page import Page
from serving import Client, Server, serving
from stopping import PATIENCE

import rocscope as rs
from rocscope import RocscopeError
from rocscope.serve import app as serve_app
from rocscope.serve import pasted
from rocscope.serve.api import JSON_LIMIT
from rocscope.sources import files

Ask = Callable[..., tuple[int, str, str]]
Refused = Callable[..., str]
COLUMNS = ("--label", "y", "--score", "p")
ROWS = 100


@pytest.fixture(params=["small", "large", "beyond the budget"])
def how(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """Read whole, read by the reader of large files, and that with a budget of nothing."""
    if request.param != "small":
        monkeypatch.setattr(files, "SMALL", 0)
    return {"budget": 0} if request.param == "beyond the budget" else {}


# --- text: one answer or one refusal, whatever the size


def numbered(row: Callable[[int, float], str], odd: str) -> str:
    rows = [row(i % 2, i / ROWS) for i in range(ROWS)]
    return "\n".join([*rows, odd, *rows]) + "\n"


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ('{"y": 1, "p": "1_000"}', "line 101, column 'p': '1_000' is not a finite number"),
        ('{"y": 1, "p": "+-1"}', "line 101, column 'p': '+-1' is not a finite number"),
        ('{"y": 1, "y": 0, "p": 0.5}', "line 101: the key 'y' appears twice"),
        ('{"y": 1, "p": NaN}', "line 101: NaN is not JSON"),
        ('{"y": 1, "p": 0.5,}', "line 101 is not JSON"),
        ("[1, 0.5]", "line 101 is not an object"),
        ('{"y": "NA", "p": 0.5}', "must have two classes, but it has 3: 0, 1, NA"),
        ('{"y": " ", "p": 0.5}', "'y' is missing in 1 row (first on line 101)"),
    ],
)
def test_json_lines_are_refused_alike(how: dict[str, Any], tmp_path: Path, line: str, said: str) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text(numbered(lambda y, p: json.dumps({"y": y, "p": p}), line))
    with pytest.raises(RocscopeError) as refusal:
        rs.evaluate(path, label="y", score="p", **how)
    assert said in str(refusal.value)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("0,0.5,,", "line 102: 4 fields, but the header has 2"),
        ("\u00a01,0.5", "must have two classes, but it has 3: 0, 1, \u00a01"),
        ("\u00a0,0.5", "'y' is missing in 1 row (first on line 102)"),
        ("1,1_0", "line 102, column 'p': '1_0' is not a finite number"),
        ("1,0.5\"", "line 102, column 'p'"),
    ],
)  # fmt: skip
def test_csv_is_refused_alike(how: dict[str, Any], tmp_path: Path, line: str, said: str) -> None:
    path = tmp_path / "a.csv"
    path.write_text("y,p\n" + numbered("{},{}".format, line))
    with pytest.raises(RocscopeError) as refusal:
        rs.evaluate(path, label="y", score="p", **how)
    assert said in str(refusal.value)


@pytest.mark.parametrize("line", ["  ", '"1",0.5,', "1,\x1f0.5", "1,'-0.5"])
def test_csv_is_read_alike(how: dict[str, Any], tmp_path: Path, line: str) -> None:
    path = tmp_path / "a.csv"
    path.write_text("y,p\n" + numbered("{},{}".format, line))
    found = rs.evaluate(path, label="y", score="p", **how)
    assert found.table.positives + found.table.negatives == 2 * ROWS + bool(line.strip())
    plain = {"  ": [], '"1",0.5,': [(1, 0.5)], "1,\x1f0.5": [(1, 0.5)], "1,'-0.5": [(1, -0.5)]}[line]
    rows = [*[(i % 2, i / ROWS) for i in range(ROWS)] * 2, *plain]
    assert float(found.auc) == pytest.approx(float(rs.evaluate(*zip(*rows, strict=True)).auc), abs=1e-12)


@pytest.mark.parametrize(
    ("weight", "rest", "said"),
    [
        ("-1", "1", "w must be 0 or more, but it is negative (first on line 3: -1)"),
        ("1e61", "1", "the largest w must be between 1e-60 and 1e60, not 1e+61"),
        ("0", "0", "w is zero in all rows"),
        ("1e-61", "0", "the largest w must be between 1e-60 and 1e60, not 1e-61"),
    ],
)
def test_weights_are_refused_alike(how: dict[str, Any], tmp_path: Path, weight: str, rest: str, said: str) -> None:
    path = tmp_path / "w.csv"
    path.write_text(f"y,p,w\n1,0.9,{rest}\n0,0.4,{weight}\n1,0.3,{rest}\n0,0.2,{rest}\n")
    with pytest.raises(RocscopeError) as refusal:
        rs.evaluate(path, label="y", score="p", weights="w", **how)
    assert said in str(refusal.value)


@pytest.mark.parametrize("weight", ["1e3", "1e19", str(2**64 - 1)])
def test_large_weights_are_weights(how: dict[str, Any], tmp_path: Path, weight: str) -> None:
    path = tmp_path / "w.csv"
    path.write_text(f"y,p,w\n1,0.5,{weight}\n0,0.4,1\n1,0.3,1\n0,0.2,1\n")
    found = rs.evaluate(path, label="y", score="p", weights="w", **how)
    heavy = float(weight)
    assert float(found.auc) == pytest.approx((2 * heavy + 1) / (2 * heavy + 2))


def test_blank_labels_of_parquet_are_missing_everywhere(refused: Refused, tmp_path: Path) -> None:
    table = pa.table({"y": ["1", "0", "  ", "1", "0", ""], "p": [0.9, 0.1, 0.5, 0.6, 0.3, 0.2]})
    pq.write_table(table, "blank.parquet")
    assert "'y' is missing in 2 rows (first at row 3)" in refused("evaluate", "blank.parquet", *COLUMNS)
    for held in ("blank.parquet", table, table.to_pandas()):
        for how in ({}, {"budget": 0}):
            with pytest.raises(RocscopeError, match="'y' is missing in 2 rows"):
                rs.evaluate(held, label="y", score="p", **how)  # type: ignore[call-overload]


# --- Excel


def sheet(change: Callable[[bytes], bytes]) -> bytes:
    """A sheet of ten cases, with its XML changed."""
    openpyxl = pytest.importorskip("openpyxl")
    book, plain, changed = openpyxl.Workbook(), io.BytesIO(), io.BytesIO()
    for row in [("y", "p"), *((i % 2, i / 10) for i in range(10))]:
        book.active.append(row)
    book.save(plain)
    with zipfile.ZipFile(plain) as old, zipfile.ZipFile(changed, "w") as new:
        for name in old.namelist():
            data = old.read(name)
            new.writestr(name, change(data) if name.endswith("sheet1.xml") else data)
    return changed.getvalue()


DAMAGED = {
    "a row far away": (b'<row r="11"', b'<row r="99999999999"'),
    "a row before the first": (b'<row r="11"', b'<row r="-5"'),
    "a row twice": (b'<row r="11"', b'<row r="10"'),
    "a row that is not a number": (b'<row r="11"', b'<row r="x"'),
    "a cell of another row": (b'r="B11"', b'r="B10"'),
    "a cell before the first": (b'r="B11"', b'r="A11"'),
    "a cell far away": (b'r="B11"', b'r="ZZZZZZZ11"'),
    "a value that is none": (b"<v>0.5</v>", b"<v>abc</v>"),
    "XML that does not end": (b"<v>0.5</v>", b"<v>"),
    "texts that are not there": (b't="n"', b't="s"'),
    "another encoding": (b"<worksheet", b"\xff\xfe<worksheet"),
}


def test_the_sheet_that_is_damaged_is_whole(ask: Ask) -> None:
    Path("a.xlsx").write_bytes(sheet(lambda data: data))
    assert ask("evaluate", "a.xlsx", *COLUMNS)[0] == 0


@pytest.mark.parametrize("fault", DAMAGED)
def test_a_damaged_sheet_is_refused(refused: Refused, fault: str) -> None:
    old, new = DAMAGED[fault]

    def changed(data: bytes) -> bytes:
        assert old in data
        return new + data if fault == "another encoding" else data.replace(old, new)

    Path("a.xlsx").write_bytes(sheet(changed))
    assert "is not a readable Excel file" in (said := refused("evaluate", "a.xlsx", *COLUMNS)) or "UTF-8" in said


# --- numbers beyond all sense


@pytest.mark.parametrize("name", ["f-1", "f1e400", "f1000000000000000000000", "f" + "1" * 400, "f1e7", "f0.0000001"])
def test_no_f_measure_has_such_a_beta(refused: Refused, name: str) -> None:
    Path("a.csv").write_text("y,p\n1,0.9\n0,0.4\n1,0.35\n0,0.1\n")
    refused("evaluate", "a.csv", *COLUMNS, "--choose", name)


def test_counts_that_no_number_holds_are_refused(refused: Refused) -> None:
    assert "tn is larger than 1e100" in refused("matrix", "7", "7", "3", "1" * 400)
    with pytest.raises(RocscopeError, match="counts must be at most 1e100"):
        rs.Confusion.from_matrix([[1, 2], [3, 10**101]])
    with pytest.raises(RocscopeError, match="tp has a count above 1e100"):
        rs.Counts(tp=np.array([1e101, 1.0]), fp=np.array([1.0, 1.0]))
    assert rs.Counts(10**99, 1, 1, 10**99).accuracy == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("command", "options"),
    [
        ("evaluate", ["--threshold", "1e28"]),
        ("evaluate", ["--threshold", "-1e300"]),
        ("evaluate", ["--cost-fn", "1e-20", "--cost-fp", "1"]),
        ("gate", ["--require", "auc >= 1e999"]),
        ("gate", ["--require", "auc >= " + "1" * 400]),
    ],
)
def test_extreme_options_get_an_answer_or_one_line(ask: Ask, command: str, options: list[str]) -> None:
    Path("a.csv").write_text("y,p\n1,0.9\n0,0.4\n1,0.35\n0,0.1\n")
    code, _, err = ask(command, "a.csv", *COLUMNS, *options)
    assert code in (0, 2) and "Traceback" not in err


def test_counts_beyond_int64_give_the_whole_report(tmp_path: Path) -> None:
    for weights in ([2**62] * 4, [10**25, 1, 1, 1]):
        table = rs.ScoreTable.from_scores([1, 0, 1, 0], [0.9, 0.5, 0.1, 0.2], weights=weights)
        rs.evaluate(table).save(tmp_path / f"{len(str(weights))}.html")


def test_thresholds_that_end_at_infinity_give_the_whole_report(tmp_path: Path) -> None:
    points = [(math.inf, 2, 0), (0.9, 3, 1), (0.5, 6, 4), (-math.inf, 10, 10)]
    rows = [{"threshold": t, "tp": tp, "fp": fp, "fn": 10 - tp, "tn": 10 - fp} for t, tp, fp in points]
    rs.evaluate(rs.ScoreTable.from_points(rows)).save(tmp_path / "a.html")
    assert "Infinity" not in (tmp_path / "a.html").read_text().split("drawing")[1].split("models")[0]


# --- saved tables that nobody saved


def table_file(name: str, facts: dict[str, Any], columns: dict[str, Any]) -> str:
    """A file in the layout of a saved table, as somebody else might write it."""
    plain: dict[str, Any] = {"score": [0.9, 0.5], "positive": [1, 2], "negative": [2, 1]}
    said = {
        "schema": "rocscope-table/1", "kind": "scores", "labels": ["n", "p"], "higher_is_positive": True,
        "rows": [3, 3], "score_type": "float64", "known": None, "left_out": {},
    }  # fmt: skip
    table = pa.table(plain | columns).replace_schema_metadata({"rocscope": json.dumps(said | facts)})
    pq.write_table(table, name)
    return name


KNOWN = {"low": 0, "high": 1, "squares": [1, 2], "losses": [1, 2], "surprises": [0, 0]}
CRAFTED: dict[str, tuple[dict[str, Any], dict[str, Any], str]] = {
    "no cases": ({"rows": [0, 0]}, {"positive": [0, 0], "negative": [0, 0]}, "a row has no cases"),
    "a row without cases": ({}, {"positive": [1, 0], "negative": [2, 0]}, "a row has no cases"),
    "rows that are not there": ({"rows": [0, 3]}, {}, "do not match its counts"),
    "rows beyond all sense": ({"rows": [10**400, 3]}, {}, "numbers of rows"),
    "1e308": ({}, {"positive": [1e308, 1e308]}, "beyond 1e120"),
    "1e119": ({}, {"positive": [1e119, 1e119]}, "between 1e-60 and 1e60"),
    "1e-300": ({}, {"positive": [1e-300, 1e-300], "negative": [1e-300, 1e-300]}, "between 1e-60 and 1e60"),
    "squares of nothing": (
        {}, {"positive_squares": [0.0, 0.0], "negative_squares": [0.0, 0.0]}, "does not match 'positive'",
    ),
    "squares that are too large": (
        {}, {"positive_squares": [9.0, 9.0], "negative_squares": [1.0, 1.0]}, "does not match 'positive'",
    ),
    "cells that overlap": ({}, {"mixed": [True, True], "end": [1.5, 1.2]}, "reaches into the next one"),
    "labels that are none": ({"labels": [{"a": 1}, [2]]}, {}, "labels are invalid"),
    "an area of other cells": ({"known": {**KNOWN, "twice_u": 18}}, {}, "does not match its cells"),
    "an area that is none": ({"known": {**KNOWN, "twice_u": "x"}}, {}, "is invalid"),
    "precision above 1": ({"known": {**KNOWN, "average_precision": 7}}, {}, "is invalid"),
    "half a pair": ({"known": {**KNOWN, "squares": [1]}}, {}, "does not follow the documentation"),
    "rows left out below 0": ({"left_out": {"no score": -5}}, {}, "numbers of rows"),
}  # fmt: skip


@pytest.mark.parametrize("fault", CRAFTED)
def test_a_table_that_cannot_be_is_refused(refused: Refused, fault: str) -> None:
    facts, columns, said = CRAFTED[fault]
    name = table_file("a.scoretable.parquet", facts, columns)
    with pytest.raises(RocscopeError, match=said):
        rs.ScoreTable.load(name)
    for command in ("evaluate", "curve", "hull"):
        refused(command, name)


@pytest.mark.parametrize("columns", [{}, {"positive": [2**62, 2**62], "negative": [2**62, 2**62]}])
def test_a_table_that_can_be_is_read(ask: Ask, columns: dict[str, Any]) -> None:
    name = table_file("a.scoretable.parquet", {}, columns)
    table = rs.ScoreTable.load(name)
    assert table.positives == sum(columns.get("positive", [3]))
    for words in (("evaluate", name, "--html", "a.html", "--force"), ("curve", name), ("hull", name)):
        assert ask(*words)[0] == 0


# --- time: what grows with the square of the input is a fault

SLOW = {
    "blanks": lambda n: "positives" + " " * n + "b\n1 2",
    "a line of numbers": lambda n: " ".join(["1"] * (n // 2)),
    "digits": lambda n: "1" * n + "x 1\n1 2",
    "quotes": lambda n: '"' * n + ",1\n1,2",
    "columns": lambda n: ",".join(f"c{i}" for i in range(n // 8)) + "\n" + ",".join(["1"] * (n // 8)) + "\n" * 2,
}


@pytest.mark.parametrize("shape", SLOW)
def test_pasted_text_is_read_in_linear_time(shape: str) -> None:
    """Four times the text takes about four times as long; the square would be sixteen."""

    def seconds(size: int) -> float:
        text, start = SLOW[shape](size), time.process_time()
        with pytest.raises(RocscopeError):
            pasted.recognise(text)
        return time.process_time() - start

    seconds(1000)
    assert seconds(80_000) < 0.2 + 9 * min(seconds(20_000) for _ in range(3))


def test_very_many_columns_are_guessed_in_linear_time(ask: Ask) -> None:
    def seconds(columns: int) -> float:
        names = ",".join(["y", *(f"c{i}" for i in range(columns))])
        rows = [",".join([str(row % 2), *(str(i * row % 7 / 7) for i in range(columns))]) for row in range(4)]
        Path("wide.csv").write_text("\n".join([names, *rows]))
        start = time.process_time()
        assert ask("evaluate", "wide.csv")[0] == 2
        return time.process_time() - start

    seconds(100)
    assert seconds(20_000) < 0.5 + 8 * seconds(5000)


# --- the server

BUSY = """
import time
from rocscope.serve import app as serve_app
from rocscope.serve import pasted
def busy(text):
    until = time.monotonic() + 600
    while time.monotonic() < until:
        sum(range(1000))
pasted.recognise = busy
"""


def test_a_busy_server_shows_its_start_page(tmp_path: Path) -> None:
    with serving(tmp_path, settings=BUSY) as server:
        busy(server)
        start = time.monotonic()
        answers = [server.ask("GET", "/")[0] for _ in range(5)]
        assert answers == [200] * 5 and time.monotonic() - start < PATIENCE / 2


CHECKING = """
import time
from rocscope.serve import openapi
def checking(question, given):
    until = time.monotonic() + 600
    while time.monotonic() < until:
        sum(range(1000))
openapi.checked = checking
"""


def test_a_request_with_many_cells_does_not_hold_up_the_start_page(tmp_path: Path) -> None:
    """24 MB of cases in JSON held up every other request for 24 seconds while they were checked."""
    (tmp_path / "token").write_text("t" * 40)
    with serving(tmp_path, "--token-file", str(tmp_path / "token"), settings=CHECKING) as server:
        head = f"POST /api/evaluate HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\nAuthorization: Bearer {'t' * 40}\r\n"
        link = sent(server, head + "Content-Type: application/json\r\nContent-Length: 2\r\n\r\n{}")
        start = time.monotonic()
        assert [server.ask("GET", "/")[0] for _ in range(5)] == [200] * 5
        assert time.monotonic() - start < PATIENCE / 2
        link.settimeout(0.5)
        with link, pytest.raises(TimeoutError):  # the request is still being checked
            link.recv(1)
    assert JSON_LIMIT <= 8 * 2**20  # the parser of Python holds up all threads: 0.15 s of processor time for so much


def busy(server: Server) -> None:
    """More work than it does at once, none of which ends."""
    client = Client.enter(server)
    for _ in range(5):
        threading.Thread(target=client.ask, args=("POST", "/recognise", {"text": "1 2"}), daemon=True).start()
    server.ask("GET", "/")


def sent(server: Server, text: str) -> socket.socket:
    """A connection on which this was sent, and that stays open."""
    link = socket.create_connection(("127.0.0.1", server.port), timeout=PATIENCE)
    link.sendall(text.encode())
    return link


def uploading(server: Server) -> list[socket.socket]:
    """An upload of which the greater part never comes."""
    cookie = Client.enter(server).cookie
    head = f"POST /files?name=x.csv HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\nCookie: {cookie}\r\n"
    return [sent(server, head + "Content-Length: 1000000\r\n\r\ny,p\n1,0.9\n")]


def unread(server: Server) -> list[socket.socket]:
    """Answers that nobody reads: more of them than fit into the buffers of a connection."""
    request = f"GET / HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\n\r\n"
    return [sent(server, request * 200) for _ in range(3)]


STATES: dict[str, Callable[[Server], Any]] = {
    "idle": lambda server: None,
    "busy": busy,
    "half a request": lambda server: [sent(server, "GET / HTTP/1.1\r\nHost: 127") for _ in range(20)],
    "kept alive": lambda server: [sent(server, "") for _ in range(20)],
    "half an upload": uploading,
    "unread answers": unread,
}
SOON = 2.0  # seconds


def waited(process: int) -> float:
    """The seconds that a process was ready to run while the processors did other things; none where nobody counts."""
    try:
        return int(Path(f"/proc/{process}/schedstat").read_text().split()[1]) / 1e9
    except (OSError, IndexError):
        return 0.0


def seconds_to_end(server: Server) -> float:
    """How long a server takes to end after Ctrl-C, on a machine that does nothing else."""
    process = server.process.pid
    start = time.monotonic() - waited(process)
    server.process.send_signal(signal.SIGINT)
    os.waitid(os.P_PID, process, os.WEXITED | os.WNOWAIT)  # it has ended, and its counts are still there
    seconds = time.monotonic() - waited(process) - start
    assert server.process.wait(PATIENCE) == 0, server.said
    return seconds


@pytest.mark.parametrize("state", STATES)
def test_ctrl_c_ends_the_server_within_two_seconds(state: str, tmp_path: Path) -> None:
    """The best of three counts: other tests may keep the machine busy, but a server that takes longer always does."""
    seconds: list[float] = []
    while len(seconds) < 3 and min(seconds, default=SOON) >= SOON:
        with serving(tmp_path, settings=BUSY) as server, ExitStack() as links:
            for link in STATES[state](server) or ():
                links.enter_context(link)
            seconds.append(seconds_to_end(server))
        assert not list(tmp_path.glob("rocscope-serve-*"))
    assert min(seconds) < SOON, seconds


def test_one_file_that_is_gone_leaves_the_others(tmp_path: Path) -> None:
    mine = tmp_path / "mine.csv"
    mine.write_text("y,p\n1,0.9\n0,0.4\n")
    with serving(tmp_path, str(mine)) as server:
        client = Client.enter(server)
        client.upload("other.csv", "y,p\n1,0.9\n0,0.4\n")
        mine.unlink()
        cards = {card["name"]: card["problem"] for card in client.json("GET", "/state")["files"]}
    assert cards == {"mine.csv": "there is no file mine.csv", "other.csv": ""}


def test_a_file_that_another_tab_uploads_meanwhile_disturbs_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The files of the session were walked through while one was added: "dictionary changed size"."""
    page = Page(tmp_path)
    for name in ("a.csv", "b.csv"):
        assert page.ask("POST", f"/files?name={name}", b"y,p\n1,0.9\n0,0.4\n")[0] == 201
    session = page.sessions.of(page.cookie.split("=", 1)[1])
    assert session is not None
    plain = serve_app._card

    def card(upload: Any, *given: Any) -> Any:
        session.files[f"{upload.key}-more"] = replace(upload, key=f"{upload.key}-more")
        return plain(upload, *given)

    monkeypatch.setattr(serve_app, "_card", card)
    status, state = page.ask("GET", "/state")
    assert status == 200 and [card["name"] for card in state["files"]] == ["a.csv", "b.csv"]
    assert len(session.files) == 4


@pytest.mark.parametrize("moment", ["before", "after"])
def test_the_same_file_that_another_tab_removes_meanwhile_is_a_new_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, moment: str
) -> None:
    """A file given again is the one that is there, which may go before they are compared, or before it is shown."""
    page, plain = Page(tmp_path), filecmp.cmp
    _, first = page.ask("POST", "/files?name=a.csv", b"y,p\n1,0.9\n0,0.4\n")

    def compared(*given: Any, **named: Any) -> bool:
        if moment == "before":
            page.ask("POST", f"/files/{first['id']}/remove")
        alike = plain(*given, **named)
        page.ask("POST", f"/files/{first['id']}/remove")
        return alike

    monkeypatch.setattr(filecmp, "cmp", compared)
    status, again = page.ask("POST", "/files?name=a.csv", b"y,p\n1,0.9\n0,0.4\n")
    assert status == 201 and again["id"] != first["id"]
    assert [card["id"] for card in page.ask("GET", "/state")[1]["files"]] == [again["id"]]


# --- no network, ever


def test_nothing_asks_for_the_network(ask: Ask, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Commands, the library, saved reports and the page itself, with every connection refused."""

    def refuse(*given: Any, **named: Any) -> Any:
        raise AssertionError(f"a connection was asked for: {given}")

    (tmp_path / "page").mkdir()
    page = Page(tmp_path / "page")
    for name in ("connect", "connect_ex", "sendto", "bind"):
        monkeypatch.setattr(socket.socket, name, refuse)
    for name in ("getaddrinfo", "gethostbyname", "create_connection"):
        monkeypatch.setattr(socket, name, refuse)
    rows = "".join(f"{i % 2},{(i * 37 % 101) / 101},{(i * 53 % 97) / 97}\n" for i in range(60))
    Path("a.csv").write_text(f"y,p,q\n{rows}")
    for words in (
        ("evaluate", "a.csv", *COLUMNS, "--html", "a.html", "--save-table", "t.scoretable.parquet"),
        ("compare", "a.csv", *COLUMNS, "--score", "q", "--format", "json"),
        ("curve", "a.csv", *COLUMNS, "--plot", "a.svg"),
        ("hull", "a.csv", *COLUMNS, "--score", "q"),
        ("merge", "t.scoretable.parquet"),
        ("calibrate", "a.csv", *COLUMNS),
        ("validate", "a.csv", "--target", "y", "--model", "nb", "--plan", "5x2"),
        ("gate", "a.csv", *COLUMNS, "--require", "auc >= 0"),
        ("explain", "auc"),
        ("demo", "--html", "demo.html"),
    ):
        code, _, err = ask(*words)
        assert code == 0, (words, err)
    rs.evaluate("a.csv", label="y", score="p").save("b.html")
    status, _ = page.evaluated("a.csv", Path("a.csv").read_bytes(), label="y", scores=["p"], positive="1")
    assert status == 200 and page.ask("GET", "/")[0] == 200
    for name in ("a.html", "b.html", "demo.html"):
        asks = re.findall(r"""(?:src|href|action)=["']?(?:https?:)?//""", Path(name).read_text("utf-8"))
        assert not asks, name


def test_the_threat_model_covers_the_server_completion_and_model_import() -> None:
    text = (Path(__file__).parents[2] / "SECURITY.md").read_text("utf-8")
    sections = {part.split("\n", 1)[0]: part for part in text.split("### ")[1:]}
    for heading, facts in {
        "`rocscope serve`": ("loopback", "`Host`", "`SameSite=Strict`", "one-time token", "bounded in size"),
        "The JSON API of `rocscope serve`": ("Bearer", "`Origin`", "There is no TLS and no rate limit"),
        "Shell completion": ("64 KiB", "would\ninterpret are not offered"),
        "Model import": ("imports and runs the code you name", "pickle"),
    }.items():
        assert not [fact for fact in facts if fact not in sections[heading]], heading


def test_what_is_bundled_is_our_own() -> None:
    """No library of others is built into the page, and no file in the package has another owner."""
    root = Path(__file__).parents[2]
    assert "dependencies" not in json.loads((root / "page/package.json").read_text("utf-8"))
    for path in (root / "page/src").rglob("*.ts"):
        for module in re.findall(r"""(?m)^(?:import|export) .* from ["']([^"']+)["']""", path.read_text("utf-8")):
            assert module.startswith("."), (path, module)
    foreign = re.compile(r"@license|@preserve|Copyright \(c\)|Licensed under", re.IGNORECASE)
    package = Path(rs.__file__).parent
    for path in (one for one in package.rglob("*") if one.suffix in (".js", ".css", ".html", ".toml", ".json")):
        assert not foreign.search(path.read_text("utf-8")), path


def test_columns_that_differ_in_case_alone_are_two(ask: Ask, tmp_path: Path, how: dict[str, Any]) -> None:
    """In a Parquet file the second has the name that DuckDB gives it, which the refusal of the plain one says."""
    text, typed = tmp_path / "a.csv", tmp_path / "a.parquet"
    text.write_text("y,s,S\n1,0.9,0.1\n0,0.2,0.3\n1,0.7,0.4\n0,0.4,0.9\n")
    pq.write_table(pa.table({"y": [1, 0, 1, 0], "s": [0.9, 0.2, 0.7, 0.4], "S": [0.1, 0.3, 0.4, 0.9]}), typed)
    for path, name, auc in ((text, "s", 1.0), (text, "S", 0.25), (typed, "s", 1.0), (typed, "S_1", 0.25)):
        assert float(rs.evaluate(str(path), label="y", score=name, **how).auc) == auc  # type: ignore[call-overload]
        code, out, _ = ask("evaluate", str(path), "--label", "y", "--score", name, "--format", "json")
        assert code == 0 and json.loads(out)["areas"][0]["value"] == auc
    with pytest.raises(RocscopeError, match="has no column 'S'; it has y, s, S_1"):
        rs.evaluate(str(typed), label="y", score="S", **how)  # type: ignore[call-overload]


@pytest.mark.parametrize("name", ["m.jsonl", "m.xlsx"])
def test_labels_as_numbers_and_as_text_are_never_one_class(refused: Refused, how: dict[str, Any], name: str) -> None:
    """1 and "1" in one column: the line is named, by the command and by the library in memory and beyond it."""
    labels = [1, 0, 1, 0, "1"]
    if name.endswith("jsonl"):
        Path(name).write_text("".join(json.dumps({"y": y, "p": at / 9}) + "\n" for at, y in enumerate(labels)))
    else:
        import openpyxl

        book = openpyxl.Workbook()
        for row in [("y", "p"), *((y, at / 9) for at, y in enumerate(labels))]:
            book.active.append(row)
        book.save(name)
    said = "column 'y' mixes types: numbers, and text that looks like a number ('1')"
    assert said in refused("evaluate", name, *COLUMNS)
    with pytest.raises(RocscopeError, match="column 'y' mixes types"):
        rs.evaluate(name, label="y", score="p", **how)  # type: ignore[call-overload]


PEAK = """
import sys
from rocscope.cli import main
code = main(["evaluate", "a.csv", "--label", "y", "--score", "p", "--budget", sys.argv[1]])
assert code == 0
with open("/proc/self/status") as status:  # ru_maxrss would include the memory of the process that started this one
    print(next(line.split()[1] for line in status if line.startswith("VmHWM")))
"""


@pytest.mark.slow
def test_a_small_budget_takes_no_more_memory_than_a_large_one(tmp_path: Path) -> None:
    """4e6 rows took 711 MB with 8M, where 4G took 291 MB; the libraries alone take about 100 MB."""
    generator = np.random.default_rng(0)
    scores = generator.random(500_000)
    labels = (generator.random(500_000) < scores).astype(int)
    rows = "".join(f"{y},{p:.6f}\n" for y, p in zip(labels.tolist(), scores.tolist(), strict=True))
    (tmp_path / "a.csv").write_text(f"y,p\n{rows * 3}")
    peaks = {}
    for budget in ("8M", "4G"):
        done = subprocess.run([sys.executable, "-c", PEAK, budget], cwd=tmp_path, check=True,
                              capture_output=True, text=True, timeout=PATIENCE)  # fmt: skip
        peaks[budget] = int(done.stdout.splitlines()[-1]) / 1024
    assert peaks["8M"] < 308 and peaks["8M"] < peaks["4G"] + 120, peaks
