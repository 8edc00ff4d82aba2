"""What comes through a pipe: laid into a temporary file that goes again, and read as that file would be."""

from __future__ import annotations

import gzip
import io
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from stopping import PATIENCE

from rocscope import cli, evaluate, sources
from rocscope.cli.shared import progress
from rocscope.errors import RocscopeError
from rocscope.sources import compression, database, files, temporary_folder
from rocscope.sources.compression import in_utf8
from rocscope.table import ScoreTable

Run = Callable[..., tuple[int, str, str]]
KINDS = {"y": "label", "p": "number"}


@pytest.fixture
def tiny(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every text is large."""
    monkeypatch.setattr(files, "SMALL", 0)


@contextmanager
def standard_input(content: bytes | io.RawIOBase) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            sys, "stdin", SimpleNamespace(buffer=io.BytesIO(content) if isinstance(content, bytes) else content)
        )
        yield


def piped(content: bytes, **options: Any) -> sources.Source:
    """A text through a pipe, opened; it is large."""
    with standard_input(content), pytest.MonkeyPatch.context() as patch:
        patch.setattr(files, "SMALL", 0)
        return sources.open("-", **options)


def filed(content: bytes, folder: str | Path, name: str = "scores.csv") -> sources.Source:
    """The same in a file, read as a large one."""
    path = Path(folder) / name
    path.write_bytes(content)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(files, "SMALL", 0)
        return sources.open(path)


def outcome(source: Callable[[], sources.Source], missing: str = "error") -> Any:
    """What comes of reading: every cell, or the words of the refusal without the name of the file."""
    opened = None
    try:
        opened = source()
        found = sources.columns(opened, list(KINDS), missing=missing, kinds=KINDS)
        return opened.columns, {name: list(values) for name, values in found.arrays.items()}, found.left_out
    except RocscopeError as error:
        said = f"{error.message} {error.hint}"
        return said.replace("standard input", "FILE").replace(opened.name if opened else "-", "FILE")


def rows_of(count: int, seed: int = 0) -> bytes:
    made = np.random.default_rng(seed)
    labels = made.integers(0, 2, count)
    scores = np.round(made.random(count), 2)
    return b"y,p\n" + b"".join(b"%d,%.2f\n" % pair for pair in zip(labels.tolist(), scores.tolist(), strict=True))


# --- the same rows as from a file

CELL = st.sampled_from(["0.5", "0.25", "1e-3", " 0.75 ", "-2", "", "NA", "x", "1_000", "+-1", "'=1", "0,5"])
NOTE = st.text(alphabet='a ,"\n\r;é', max_size=8)


def _field(text: str) -> str:
    return '"' + text.replace('"', '""') + '"' if set(text) & set(',"\n\r') else text


@settings(max_examples=60)
@given(
    st.lists(st.tuples(st.sampled_from(["0", "1", "yes", ""]), CELL, NOTE), min_size=1, max_size=12),
    st.sampled_from(["\n", "\r\n", "\r"]),
    st.sampled_from(["error", "drop"]),
    st.booleans(),
)
def test_a_pipe_gives_the_rows_of_the_file(
    rows: list[tuple[str, str, str]], end: str, missing: str, marked: bool
) -> None:
    text = "".join(f"{_field(note)},{label},{_field(cell)}{end}" for label, cell, note in rows)
    content = (b"\xef\xbb\xbf" if marked else b"") + f"note,y,p{end}{text}".encode()
    with tempfile.TemporaryDirectory() as folder:
        expected = outcome(lambda: filed(content, folder), missing=missing)
        assert outcome(lambda: piped(content), missing=missing) == expected


@settings(max_examples=30)
@given(
    st.lists(
        st.fixed_dictionaries({"y": st.sampled_from([0, 1, None, "é"])}, optional={"p": st.sampled_from([0.5, None])}),
        min_size=1,
        max_size=12,
    ),
    st.sampled_from(["\n", "\r\n", "\n\n"]),
    st.sampled_from(["error", "drop"]),
)
def test_json_lines_through_a_pipe(rows: list[dict[str, Any]], end: str, missing: str) -> None:
    content = ('{"y": 1, "p": 0.125, "other": [1]}' + end + "".join(json.dumps(row) + end for row in rows)).encode()
    with tempfile.TemporaryDirectory() as folder:
        expected = outcome(lambda: filed(content, folder, "scores.jsonl"), missing=missing)
    assert outcome(lambda: piped(content), missing=missing) == expected


PLAIN = rows_of(300)
QUOTED = b'"id","y","p"\r\n' + b"".join(b'"a\r\n""%d""",%d,%.3f\r\n' % (i, i % 3 == 0, i / 300) for i in range(300))
LINES = b"".join(b'{"y": %d, "p": %.3f}\n\n' % (i % 3 == 0, (i * 7 % 300) / 300) for i in range(300))


def _arrow_stream(*, rows: int = 300, many: int = 7) -> bytes:
    """The rows of `LINES` as an Arrow stream, some with nothing in them."""
    sink = io.BytesIO()
    labels = pa.array([i % 3 == 0 for i in range(rows)] + [None, True, None])
    scores = pa.array([(i * 7 % rows) / rows for i in range(rows)] + [0.5, None, float("nan")])
    table = pa.table({"site": pa.array([f"s{i % 4}" for i in range(rows + 3)]), "y": labels, "p": scores})
    with pa.ipc.new_stream(sink, table.schema) as stream:
        for batch in table.to_batches(max_chunksize=many):
            stream.write_batch(batch)
    return sink.getvalue()


WRITTEN = {
    "plain": PLAIN,
    "quoted": QUOTED,
    "marked": b"\xef\xbb\xbf" + PLAIN,
    "carriage returns": PLAIN.replace(b"\n", b"\r"),
    "tabs": PLAIN.replace(b",", b"\t"),
    "gzip": gzip.compress(QUOTED),
    "json": LINES,
    "json gzip": gzip.compress(LINES),
    "zstd": pa.Codec("zstd").compress(QUOTED, asbytes=True),
    "arrow": _arrow_stream(),
    "utf-16": b"\xff\xfe" + QUOTED.decode().encode("utf-16-le"),
    "blank lines": b"\n\n" + PLAIN.replace(b"\n1", b"\n\n1"),
    "missing": PLAIN + b"1,\n,0.5\n1,NA\n",
    "a label that comes late": PLAIN.replace(b"\n1", b"\nno").replace(b"\n0", b"\nno") + b"yes,0.5\n",
}


@pytest.mark.usefixtures("tiny")
@pytest.mark.parametrize("kind", WRITTEN)
def test_a_pipe_and_a_file_make_the_same_document(kind: str, run: Run, tmp_path: Path) -> None:
    options = ["--label", "y", "--score", "p", "--missing", "drop", "--format", "json"]
    options += ["--positive", "yes"] if "late" in kind else []
    (tmp_path / "scores").write_bytes(WRITTEN[kind])
    code, expected, err = run("evaluate", "scores", *options)
    assert code == 0, err
    with standard_input(WRITTEN[kind]):
        code, found, _ = run("evaluate", "-", *options)
    assert code == 0
    assert json.loads(found) == json.loads(expected.replace('"file": "scores"', '"file": "-"'))


@pytest.mark.usefixtures("tiny")
@pytest.mark.parametrize(
    "words",
    [
        ["evaluate", "-", "--label", "y", "--score", "p", "--by", "site"],
        ["evaluate", "-", "--label", "y", "--score", "p", "--cluster", "site"],
        ["evaluate", "-", "--label", "y", "--score", "p", "--cross-fit", "3", "--choose", "f1"],
        ["evaluate", "-", "--label", "y", "--score", "p", "--weight", "w", "--exact"],
        ["evaluate", "-", "--label", "site", "--predicted", "other"],
        ["evaluate", "-", "--label", "k", "--probability", "p=1", "--probability", "q=0"],
        ["compare", "-", "--label", "y", "--score", "p", "--score", "q"],
        ["gate", "-", "--label", "y", "--score", "p", "--require", "auc >= 0"],
        ["matrix", "-", "--actual", "site", "--predicted", "other"],
        ["curve", "-", "--label", "y", "--score", "p"],
        ["hull", "-", "--label", "y", "--score", "p", "--score", "q"],
    ],
    ids=lambda words: " ".join([words[0], *words[4:5], *words[-2:-1]]),
)
def test_every_word_reads_a_pipe_as_it_reads_a_file(words: list[str], run: Run, tmp_path: Path) -> None:
    content = "y,k,p,q,w,site,other\n" + "".join(
        f"{i % 3 == 0:d},{i % 2},{i * 7 % 300 / 300:.4f},{1 - i * 7 % 300 / 300:.4f},{i % 4 + 1},"
        f"s{i % 5},s{i * i % 5}\n" for i in range(300)
    )  # fmt: skip
    (tmp_path / "scores").write_text(content)
    expected = run(*("scores" if word == "-" else word for word in words), "--format", "json")
    with standard_input(content.encode()):
        found = run(*words, "--format", "json")
    assert expected[0] == found[0] == 0, (expected[2], found[2])
    assert found[1].replace('"-"', '"scores"').replace("standard input", "scores") == expected[1]


# --- refusals


def read(source: sources.Source, **kinds: str) -> sources.Rows:
    return sources.columns(source, list(kinds or KINDS), kinds=kinds or KINDS)


def test_a_refusal_names_the_line_of_the_pipe(run: Run) -> None:
    content = "y,p\n" + "1,0.5\n0,0.25\n" * 20
    for bad, said in [
        ("1,0.5x\n", "standard input, line 42, column 'p': '0.5x' is not a finite number"),
        ("1,2,3\n", "standard input, line 42: 3 fields, but the header has 2"),
        ('1,"a"b\n', "a closing quote on line 42 is followed by more text (the row begins on line 42)"),
        ('1,"\n', "a quote in the row that begins on line 42 is never closed"),
        ("1,\n1,NA\n", "'p' is missing in 2 rows (first on line 42)"),
    ]:
        with pytest.raises(RocscopeError) as caught:
            read(piped(f"{content}{bad}".encode()))
        assert said in str(caught.value)
    later = content + "\n\n" + '1,"0.5"\r\n' + "0,0.25\r"
    with pytest.raises(RocscopeError, match=r"line 46, column 'p': 'junk' is not"):
        read(piped(f"{later}1,junk\n0,1\n".encode()))
    with pytest.raises(RocscopeError, match=r"line 21 is not JSON"):
        read(piped(b'{"y": 1, "p": 0.5}\n' * 20 + b"{oh\n"))


def test_bytes_that_are_no_text_are_refused_with_their_place_in_the_pipe() -> None:
    content = b"y,p\n" + b"1,0.5\n" * 40
    for bad, said in [(b"\xff\n", f"byte {len(content)}"), (b"\0\n", f"byte {len(content)} is NUL")]:
        with pytest.raises(RocscopeError, match=said):
            read(piped(content + bad))


@pytest.mark.usefixtures("tiny")
def test_refusals_on_the_command_line(run: Run) -> None:
    content = rows_of(60)
    for options, said in [
        (["--label", "y", "--score", "q"], "standard input has no column 'q'"),
        (["--label", "y", "--score", "p", "--positive", "2"], "'2'"),
    ]:
        with standard_input(content):
            code, out, err = run("evaluate", "-", *options)
        assert (code, out) == (2, "") and said in err and err.count("\n") == 1
    with standard_input(content.replace(b"\n1,", b"\n2,", 1)):
        code, _, err = run("evaluate", "-", "--label", "y", "--score", "p")
    assert code == 2 and "standard input" in err


def test_an_arrow_stream_through_a_pipe(tmp_path: Path) -> None:
    """Types stay what they are; what is cut short is refused."""
    content = _arrow_stream()
    assert piped(content).columns == ("site", "y", "p")
    asked: dict[str, Any] = {"label": "y", "scores": ["p"], "by": ["site"], "missing": "drop"}
    found = sources.tables(piped(content), **asked, budget=0)
    expected = sources.tables(filed(content, tmp_path, "scores.arrow"), **asked)
    assert found.left_out == expected.left_out == {"no label": 2, "no score": 1}
    for key, table in expected.tables.items():
        assert found.tables[key].rows == table.rows and found.tables[key].labels == table.labels == (False, True)
    with pytest.raises(RocscopeError, match=r"'y' is missing in 2 rows \(first at row 301\), 'p' in 2 rows"):
        read(piped(content))
    with pytest.raises(RocscopeError, match="not a complete Arrow file"):
        piped(content[: len(content) // 2])
    with pytest.raises(RocscopeError, match="column 'site' is of type VARCHAR"):
        read(piped(content), y="label", site="number")


# --- more rows than fit


def test_beyond_the_budget_the_answer_says_its_bound(run: Run) -> None:
    made = np.random.default_rng(1)
    labels = made.integers(0, 2, 100_000)
    scores = labels + made.normal(size=100_000)
    content = b"y,p,site\n" + b"".join(
        b"%d,%r,s%d\n" % (y, p, i % 2) for i, (y, p) in enumerate(zip(labels.tolist(), scores.tolist(), strict=True))
    )
    options = ["evaluate", "-", "--label", "y", "--score", "p", "--threshold", "0.5", "--budget", "1M"]
    exact = float(ScoreTable.from_scores(labels, scores).twice_u) / (2 * labels.sum() * (1 - labels).sum())
    for more in ([], ["--by", "site"]):
        with standard_input(content):
            code, out, err = run(*options, *more, "--format", "json")
        assert code == 0, err
        found = json.loads(out)
        area = next(row for row in found["areas"] if row["name"] == "auc")
        assert 0 < area["bound"] <= 1e-6 and abs(area["value"] - exact) <= area["bound"]
    with standard_input(content):
        code, out, err = run(*options)
    assert code == 0 and "from cells" in out
    with standard_input(content):
        code, out, err = run(*options, "--exact", "--format", "json")
    area = next(row for row in json.loads(out)["areas"] if row["name"] == "auc")
    assert area["value"] == pytest.approx(exact, abs=1e-15) and not area.get("bound")


def test_missing_rows_beyond_the_budget_are_counted() -> None:
    content = rows_of(200) + b"1,\n,0.5\n,\n1,0.25\n"
    found = sources.tables(piped(content), label="y", scores=["p"], budget=0, missing="drop")
    assert found.left_out == {"no label": 2, "no score": 1} and found.rows == 204
    said = r"'y' is missing in 2 rows \(first on line 203\), 'p' in 2 rows \(first on line 202\)"
    with pytest.raises(RocscopeError, match=said):
        sources.tables(piped(content), label="y", scores=["p"], budget=0)


def test_a_pipe_is_looked_at_as_often_as_it_takes(tmp_path: Path) -> None:
    content = b"y,a,b\n" + b"".join(b"%d,%.2f,%.2f\n" % (i % 2, i * 7 % 50 / 50, i * 3 % 50 / 50) for i in range(200))
    asked: dict[str, Any] = {"label": "y", "scores": ["a", "b"]}
    found, expected = (sources.paired_delong(one, **asked) for one in (piped(content), filed(content, tmp_path)))
    assert np.array_equal(found.covariance, expected.covariance)
    exact = sources.tables(piped(content), label="y", scores=["a"], budget=0, exact=True)
    assert exact.exact and exact.bound == 0


# --- real pipes


@contextmanager
def fifo(path: Path, content: bytes | Iterator[bytes]) -> Iterator[Path]:
    """A named pipe that somebody writes to."""
    os.mkfifo(path)

    def write() -> None:
        try:
            with open(path, "wb") as sink:
                for piece in [content] if isinstance(content, bytes) else content:
                    sink.write(piece)
        except BrokenPipeError:
            pass

    writer = threading.Thread(target=write)
    writer.start()
    try:
        yield path
    finally:
        writer.join(PATIENCE)
        assert not writer.is_alive()


@pytest.mark.usefixtures("tiny")
def test_a_fifo_and_two_at_once(run: Run, tmp_path: Path) -> None:
    content = rows_of(400)
    middle = content.index(b"\n", len(content) // 2) + 1
    halves = content[:middle], b"y,p\n" + content[middle:]
    (tmp_path / "all").write_bytes(content)
    options = ["--label", "y", "--score", "p", "--format", "json"]

    def answer(*names: str) -> Any:
        code, out, err = run("evaluate", *names, *options)
        assert code == 0, err
        found = json.loads(out)
        assert found["data"]["source"].pop("file") == ", ".join(names)
        return found

    expected = answer("all")
    with fifo(tmp_path / "one", content):
        assert answer("one") == expected
    with fifo(tmp_path / "a", halves[0]), fifo(tmp_path / "b", halves[1]):
        assert answer("a", "b") == expected
    (tmp_path / "half").write_bytes(halves[1])
    with fifo(tmp_path / "c", halves[0]):  # a pipe beside a file
        assert answer("c", "half") == expected


@pytest.mark.usefixtures("tiny")
def test_a_writer_that_stops_early_leaves_what_a_file_cut_there_holds(run: Run, tmp_path: Path) -> None:
    content = rows_of(200)
    options = ["--label", "y", "--score", "p", "--format", "json"]
    for cut_at, good in ((content.index(b"\n", 900) + 1, True), (content.index(b",", 900), False)):
        (tmp_path / "cut").write_bytes(content[:cut_at])
        expected = run("evaluate", "cut", *options)
        with fifo(tmp_path / f"pipe{cut_at}", content[:cut_at]) as pipe:
            found = run("evaluate", pipe.name, *options)
        assert expected[0] == found[0] == (0 if good else 2)
        assert [text.replace(pipe.name, "cut") for text in found[1:]] == list(expected[1:])


def test_the_temporary_folder_is_left_as_it_was(run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Whatever becomes of it: an answer, a refusal, an interruption."""
    spool = tmp_path / "spool"
    spool.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(spool))
    monkeypatch.setattr(files, "SMALL", 2**10)
    tried = [(rows_of(2000), 0), (rows_of(2000) + b"1,x\n", 2), (b"y,p\n\0" * 900, 2)]
    for number, (content, code) in enumerate(tried):
        with fifo(tmp_path / f"pipe{number}", content):
            assert run("evaluate", f"pipe{number}", "--label", "y", "--score", "p")[0] == code
        assert list(spool.iterdir()) == []

    def stopped() -> Iterator[bytes]:
        yield rows_of(1000)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        compression.spooled(stopped(), database.TemporaryFolder(), "pipe")
    assert list(spool.iterdir()) == []


def test_a_signal_while_a_folder_is_removed_leaves_nothing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    remove, attempts = shutil.rmtree, []

    def interrupted(*given: Any, **named: Any) -> None:
        attempts.append(given)
        if len(attempts) == 1:
            raise KeyboardInterrupt
        remove(*given, **named)

    folder, lock = temporary_folder.locked_folder("rocscope-1-")
    monkeypatch.setattr(shutil, "rmtree", interrupted)
    with pytest.raises(KeyboardInterrupt):
        temporary_folder._remove(folder, lock)
    assert list(tmp_path.iterdir()) == []


def test_a_signal_just_after_a_folder_was_made_leaves_nothing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    made = tempfile.mkdtemp

    def stopped(*given: Any, **named: Any) -> str:
        made(*given, **named)
        raise KeyboardInterrupt

    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(tempfile, "mkdtemp", stopped)
    with pytest.raises(KeyboardInterrupt):
        database.TemporaryFolder()
    assert list(tmp_path.iterdir()) == []


def test_folders_of_processes_that_were_killed_go(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """By the next run, even those that were not locked yet: a lock tells them from those in use."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    code = "import os\nfrom rocscope.sources.database import TemporaryFolder\n"
    code += "kept = TemporaryFolder()\nos.kill(os.getpid(), 9)"
    environment = {**os.environ, "TMPDIR": str(tmp_path), "PYTHONPATH": str(Path(cli.__file__).parents[2])}
    assert subprocess.run([sys.executable, "-c", code], env=environment, check=False).returncode == -9
    (left,) = tmp_path.iterdir()
    held = database.TemporaryFolder()
    assert not left.exists() and Path(held.folder).exists()
    for name in ("rocscope-1-new", "rocscope-1-old", "rocscope-else"):
        (tmp_path / name).mkdir()
    os.utime(tmp_path / "rocscope-1-old", (0, 0))
    sources.remove_abandoned("rocscope-[0-9]*-*")
    names = {path.name for path in tmp_path.iterdir()}
    assert names == {"rocscope-else", Path(held.folder).name}


def test_a_folder_that_is_taken_for_abandoned_before_it_is_locked_is_made_again(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    lock, made = temporary_folder.locked, []

    def hindered(path: Path) -> int | None:
        made.append(path.parent)
        if len(made) == 1:  # another process removes the folder before it is locked
            path.parent.rmdir()
        held = lock(path)
        if len(made) == 2:  # or between opening the lock and locking it
            shutil.rmtree(path.parent)
        return held

    monkeypatch.setattr(temporary_folder, "locked", hindered)
    folder, held = temporary_folder.locked_folder("rocscope-1-")
    assert held is not None and len(made) == 3 and [Path(folder)] == list(tmp_path.iterdir()) == made[2:]
    os.close(held)


def test_a_pipe_larger_than_the_disk_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compression, "RESERVE", 2**62)
    with pytest.raises(RocscopeError, match=r"not enough space in .* for standard input"):
        piped(rows_of(100))


def test_through_the_shell(tmp_path: Path) -> None:
    """Seventy megabytes, packed, through a process of its own."""
    line = b"%d,%.6f,%s\n"
    rows = b"".join(line % (i % 3 == 0, i * 7919 % 100_003 / 1e5, b"x" * 40) for i in range(1500))
    content = b"y,p,note\n" + rows * 1000
    packed = gzip.compress(content, compresslevel=1)
    source = str(Path(cli.__file__).parents[2])
    arguments = [sys.executable, "-m", "rocscope", "evaluate", "-", "--label", "y", "--score", "p", "--format", "json"]
    done = subprocess.run(
        arguments, input=packed, capture_output=True, check=False, timeout=PATIENCE,
        env={**os.environ, "PYTHONPATH": source, "TMPDIR": str(tmp_path), "PYTHONWARNINGS": "error"},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["data"]["cases"] == 1_500_000 and list(tmp_path.iterdir()) == []


def test_files_of_the_python_door(tmp_path: Path) -> None:
    with fifo(tmp_path / "pipe", rows_of(100)):
        found = evaluate(str(tmp_path / "pipe"), label="y", score="p")
    (tmp_path / "file.csv").write_bytes(rows_of(100))
    assert found.to_dict()["areas"] == evaluate(str(tmp_path / "file.csv"), label="y", score="p").to_dict()["areas"]
    with standard_input(rows_of(100)):
        assert sources.open("-").rows == 100


def test_a_pipe_beside_a_large_file(tmp_path: Path) -> None:
    (tmp_path / "file.csv").write_bytes(rows_of(300, seed=1))
    with fifo(tmp_path / "pipe", rows_of(200)), pytest.MonkeyPatch.context() as patch:
        patch.setattr(files, "SMALL", 0)
        both = sources.open([tmp_path / "pipe", tmp_path / "file.csv"])
    found = sources.tables(both, label="y", scores=["p"], budget=0)
    assert found.rows == 500 and found.bound <= 1e-6


class Terminal(io.StringIO):
    """Standard error that somebody looks at."""

    def isatty(self) -> bool:
        return True


def test_rows_and_their_speed_are_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "PATIENCE", -1)
    monkeypatch.setattr(sys, "stderr", terminal := Terminal())
    monkeypatch.setenv("TERM", "xterm")
    with progress.reading_bar(2_000_000) as told:
        assert told is not None
        told(0.0)
        told(0.5)
    assert " 50 %" in terminal.getvalue() and "rows/s" in terminal.getvalue()
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    with progress.reading_bar(2_000_000) as told:
        assert told is None


def test_another_encoding_is_decoded_as_it_comes() -> None:
    """No more is decoded than was asked for."""
    taken: list[int] = []

    def pieces() -> Iterator[bytes]:
        for number in range(100):
            taken.append(number)
            yield "é".encode("latin-1")

    flowing = in_utf8(pieces(), "latin-1", "text")
    assert next(flowing) == "é".encode() and len(taken) == 1
    assert b"".join(flowing) == ("é" * 99).encode()
