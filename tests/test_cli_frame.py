"""The frame of the command line: words, exit codes, streams, files and the small reader.

The words tried here are those of the package `frame_words`; names like B104 are rows of the list of bad inputs.
"""

from __future__ import annotations

import errno
import io
import json
import os
import pty
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import click
import pytest
from frame_words import WORDS
from hypothesis import given
from hypothesis import strategies as st

from rocscope import cli
from rocscope.cli.output import emit
from rocscope.cli.reader import LARGEST, Columns, read
from rocscope.errors import RocscopeError
from rocscope.report.escaping import escape
from rocscope.report.files import check_target, write_file
from rocscope.report.sheet import Column, Grid, Paragraph, data, number
from rocscope.report.views import Look, as_csv, as_json, as_markdown, as_text, inert, letters, revive

HERE = Path(__file__).parent
SOURCE = HERE.parent / "src"
COMMAND = [sys.executable, "-m", "frame_words"]
EVIL = "\x1b[31mred\x1b[0m \u202egnp.exe\u200b"


def environment(**changes: str) -> dict[str, str]:
    plain = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "FORCE_COLOR", "COLUMNS")}
    return {**plain, "PYTHONPATH": f"{SOURCE}{os.pathsep}{HERE}", "PYTHONWARNINGS": "error", **changes}


def run(*arguments: str, stdin: bytes = b"", **changes: str) -> subprocess.CompletedProcess[bytes]:
    command = [*COMMAND, *arguments]
    return subprocess.run(command, input=stdin, capture_output=True, env=environment(**changes), check=False)


def shell(line: str, **changes: str) -> subprocess.CompletedProcess[bytes]:
    words = " ".join(COMMAND)
    return subprocess.run(
        ["bash", "-c", line.replace("WORDS", words)], capture_output=True, env=environment(**changes), check=False
    )


def in_process(*arguments: str) -> int:
    return cli.main(arguments, command=cli.rocscope(WORDS, package="frame_words"))


def on_a_terminal(*arguments: str, **changes: str) -> str:
    """What the command writes when its standard output is a terminal."""
    ours, theirs = pty.openpty()
    command, none = [*COMMAND, *arguments], subprocess.DEVNULL
    with subprocess.Popen(command, stdout=theirs, stdin=none, env=environment(**changes)) as job:
        os.close(theirs)
        shown = b""
        while True:
            try:
                part = os.read(ours, 65536)
            except OSError as error:  # how Linux says that the other end has closed
                assert error.errno == errno.EIO
                break
            if not part:
                break
            shown += part
    os.close(ours)
    assert job.returncode == 0
    return shown.decode("utf-8", "replace")


# --- words and exit codes


def test_help_lists_the_words_without_loading_them(capsys: pytest.CaptureFixture[str]) -> None:
    absent = {"first": "The first word.", "second": "The second word."}
    assert cli.main(["--help"], command=cli.rocscope(absent, package="no_such_package")) == 0
    shown = capsys.readouterr().out
    assert shown.index("first") < shown.index("The second word.")


def test_every_word_is_a_file_with_a_command_and_every_file_a_word() -> None:
    frame = {"__init__", "options", "output", "reader", "sheet", "streams", "views"}
    files = {path.stem for path in (SOURCE / "rocscope" / "cli").glob("*.py")} - frame
    assert files == set(cli.WORDS)
    group = cli.rocscope()
    assert isinstance(group, cli.Words)
    for word, says in cli.WORDS.items():
        command = group.get_command(click.Context(group), word)
        assert command is not None and command.help, word
        assert says.endswith("."), word


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["--version"]) == 0
    assert capsys.readouterr().out == f"rocscope {cli.__version__}\n"


def test_the_module_runs_as_the_command() -> None:
    command = [sys.executable, "-m", "rocscope", "--version"]
    done = subprocess.run(command, capture_output=True, text=True, env=environment(), check=False)
    assert (done.returncode, done.stdout) == (0, f"rocscope {cli.__version__}\n")


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["fail", "data"], 2, "rocscope: score has 3 NaN (first at row 17). Drop them first"),
        (["fail", "file"], 2, "rocscope: secret.csv: Permission denied"),
        (["fail", "memory"], 2, "rocscope: not enough memory for this much data"),
        (["fail", "interrupt"], 130, "rocscope: interrupted"),
        (["fail", "gate"], 1, ""),
        (["sohw"], 2, "rocscope: there is no word 'sohw'. Did you mean 'show'? See rocscope --help"),
        (["show"], 2, "rocscope show: Missing argument 'LABEL'. See rocscope show --help"),
        (["show", "x", "--format", "pdf"], 2, "rocscope show: Invalid value for '--format': 'pdf' is not one of"),
        (["show", "x", "--fromat", "md"], 2, "rocscope show: No such option"),
        (["--nonsense"], 2, "rocscope: No such option"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_exit_codes_and_one_line(
    arguments: list[str], code: int, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert in_process(*arguments) == code
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith(message) and err.count("\n") == bool(message)


def test_no_arguments_show_the_help_as_wrong_usage(capsys: pytest.CaptureFixture[str]) -> None:
    assert in_process() == 2
    out, err = capsys.readouterr()
    assert out == "" and "Words:" in err


def test_a_fault_of_ours_is_no_gate_and_shows_where(capsys: pytest.CaptureFixture[str]) -> None:
    assert in_process("fail", "fault") == 70
    shown = capsys.readouterr().err
    assert "ZeroDivisionError" in shown and "a fault of rocscope" in shown


def test_b124_an_error_cannot_send_escape_sequences(capsys: pytest.CaptureFixture[str]) -> None:
    assert in_process("fail", "evil") == 2
    shown = capsys.readouterr().err
    assert "\x1b" not in shown and shown.count("\n") == 1 and r"\x1b[31mred\x1b[0m\nsecond" in shown


def test_completion_knows_the_words() -> None:
    done = run(_ROCSCOPE_COMPLETE="bash_complete", COMP_WORDS="rocscope s", COMP_CWORD="1")
    assert done.stdout.split() == [b"plain,show", b"plain,save"]


# --- one answer, four formats


def test_text_is_plain_ascii_in_a_pipe() -> None:
    shown = run("show", "yes").stdout.decode()
    assert shown == (
        "One label - recall >= 0.5: yes\n\nlabel       n  value  0 to 1\nyes    10,650  0.500  -o-\n"
    )


def test_text_is_coloured_and_drawn_on_a_terminal() -> None:
    shown = on_a_terminal("show", "yes", TERM="xterm-256color", PYTHONIOENCODING="utf-8")
    assert "\x1b[1mOne label\x1b[0m — recall ≥ 0.5: yes" in shown and "━●━" in shown


@pytest.mark.parametrize("changes", [{"NO_COLOR": "1"}, {"TERM": "dumb"}, {"PYTHONIOENCODING": "ascii"}], ids=str)
def test_b112_plain_where_asked_even_on_a_terminal(changes: dict[str, str]) -> None:
    shown = on_a_terminal("show", "yes", **{"TERM": "xterm", "PYTHONIOENCODING": "utf-8", **changes})
    assert shown.isascii() and "\x1b" not in shown and "-o-" in shown


def test_json_md_csv_of_the_same_answer() -> None:
    assert json.loads(run("show", "a|b", "--format", "json").stdout) == {"label": "a|b", "n": 10650, "value": 0.5}
    assert run("show", "a|b", "--format", "csv").stdout == b"label,n,value\na|b,10650,0.5\n"
    markdown = run("show", "a|b", "--format", "md").stdout.decode()
    assert "**One label**" in markdown and "| a\\|b | 10,650 | 0.500 |" in markdown


@pytest.mark.parametrize("form", ["text", "json", "md"])
def test_b118_b124_labels_are_shown_inert(form: str) -> None:
    shown = run("show", EVIL, "--format", form).stdout.decode()
    assert not {"\x1b", "\u202e", "\u200b"} & set(shown) and "u202e" in shown


def test_csv_keeps_a_label_in_a_pipe_and_escapes_it_on_a_terminal() -> None:
    assert EVIL in run("show", EVIL, "--format", "csv").stdout.decode()
    shown = on_a_terminal("show", EVIL, "--format", "csv", TERM="xterm", PYTHONIOENCODING="utf-8")
    assert "\x1b" not in shown and r"\x1b[31mred" in shown


@pytest.mark.parametrize("form", ["text", "json", "md", "csv"])
def test_b113_letters_the_output_cannot_encode(form: str) -> None:
    done = run("show", "größe", "--format", form, PYTHONIOENCODING="ascii")
    assert done.returncode == 0 and done.stderr == b""
    assert (b"gr\\u00f6\\u00dfe" if form == "json" else rb"gr\xf6\xdfe") in done.stdout


def test_letters_of_data_stay_in_a_utf8_pipe() -> None:
    assert "größe" in run("show", "größe", PYTHONIOENCODING="utf-8").stdout.decode()


def test_json_has_no_nan_and_takes_numpy() -> None:
    import numpy as np

    document = {"values": np.array([1.5, np.nan, -np.inf]), "n": np.int64(3), "pair": (1, 2)}
    assert json.loads(as_json(document)) == {"values": [1.5, None, "-Infinity"], "n": 3, "pair": [1, 2]}


def test_an_answer_without_a_table_has_no_csv() -> None:
    with pytest.raises(RocscopeError, match="no table"):
        emit({}, format="csv", sheet=lambda look: [Paragraph.of("words alone")])


# --- layout


@given(st.text(max_size=30))
def test_escaped_text_is_harmless_and_printable_text_is_itself(text: str) -> None:
    shown = escape(text)
    assert shown == text if text.isprintable() else not set(shown) & set("\x1b\x00\n\r\u202e\u2028")


@given(st.text(alphabet="'=+-@\t\rab", max_size=6))
def test_b121_inert_text_starts_no_formula_and_comes_back(text: str) -> None:
    assert not inert(text).startswith(("=", "+", "-", "@", "\t", "\r"))
    assert revive(inert(text)) == text


@given(st.lists(st.text(alphabet="ab cd", max_size=60), min_size=1, max_size=4), st.integers(40, 90))
def test_text_is_never_wider_than_the_terminal(cells: list[str], width: int) -> None:
    grid = Grid.of(["name", "says", "n"], [[cell, cell[::-1], 7] for cell in cells])
    lines = [letters(line) for line in as_text([grid, Paragraph.of(*cells)], Look(width=width))]
    assert max(map(len, lines)) <= width
    shown = "".join(lines)
    assert sum(shown.count(letter) for letter in "b") >= 2 * sum(cell.count("b") for cell in cells)


def test_wide_letters_take_two_columns() -> None:
    lines = [letters(line) for line in as_text([Grid.of(["a", "b"], [["日本", 1], ["xy", 2]])], Look())]
    assert lines == ["a     b", "日本  1", "xy    2"]


def test_numbers_are_shown_without_false_zeros() -> None:
    assert [number(value) for value in (0.0, 4e-4, 6e-4, 1234.5, 1e15, float("inf"))] == [
        *("0.000", "0.0004", "0.001", "1,234.500", "1e+15", "inf")
    ]
    assert number(0.1, None) == "0.1" and number(3.0, None) == "3" and number(None) == ""


def test_drawings_and_double_headings() -> None:
    grid = Grid.of(["actual", "flagged", Column("bar", drawn=True)], [["paid", 390, "###"]], above=["", "predicted"])
    assert as_csv(grid) == "actual,predicted flagged\npaid,390\n"
    assert as_markdown([grid]).startswith("| actual | predicted flagged |\n")
    assert [letters(line) for line in as_text([grid], Look())] == [
        *("        predicted", "actual    flagged  bar", "paid          390  ###")
    ]


def test_b119_a_long_label_is_short_in_a_view_and_whole_in_data() -> None:
    label = data("x" * 1_000_000)
    assert len(label.text) == 60 and label.text.endswith("...")
    assert len(as_csv(Grid.of(["label"], [[label]]))) > 1_000_000


# --- streams that fail


@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_b109_a_reader_that_leaves_is_no_error(unbuffered: str) -> None:
    done = shell("WORDS many 200000 | head -1; echo ${PIPESTATUS[0]}", PYTHONUNBUFFERED=unbuffered)
    assert done.stdout == b"a line like any other\n141\n" and done.stderr == b""


def test_b112_closed_streams() -> None:
    assert shell("WORDS show x >&-; echo $?").stdout == b"0\n"
    assert shell("WORDS show x 2>&-").stdout.startswith(b"One label")
    assert shell("WORDS fail data >&- 2>&-; true").stderr == b""
    assert shell("WORDS fail data 2>&-; echo $?").stdout == b"2\n"


def test_b112_a_bare_environment() -> None:
    bare = {"PYTHONPATH": environment()["PYTHONPATH"], "LANG": "C", "TERM": "dumb"}
    done = subprocess.run([*COMMAND, "show", "größe"], capture_output=True, env=bare, check=False)
    assert done.returncode == 0 and done.stdout.startswith(b"One label") and done.stderr == b""


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_b104_a_full_disk_under_standard_output() -> None:
    done = shell("WORDS show x >/dev/full; echo code $? >&2")
    assert done.stderr == b"rocscope: cannot write the answer: No space left on device\ncode 2\n"


# --- files


@pytest.fixture
def old(tmp_path: Path) -> Path:
    path = tmp_path / "report.html"
    path.write_text("old")
    return path


def only(path: Path) -> bool:
    """Whether the folder holds that file alone: no temporary file was left."""
    return [found.name for found in path.parent.iterdir()] == [path.name]


def test_a_new_file_has_the_usual_rights(tmp_path: Path) -> None:
    ordinary = tmp_path / "ordinary"
    ordinary.write_text("")
    write_file(tmp_path / "new.html", "né", force=False)
    assert (tmp_path / "new.html").read_bytes() == "né".encode()
    assert (tmp_path / "new.html").stat().st_mode == ordinary.stat().st_mode


def test_b102_a_file_that_exists_stays_unless_forced(old: Path, capsys: pytest.CaptureFixture[str]) -> None:
    old.chmod(0o640)
    assert in_process("save", str(old)) == 2
    assert "exists already. Write over it with --force" in capsys.readouterr().err
    assert old.read_text() == "old" and only(old)
    assert in_process("save", str(old), "--force") == 0
    assert old.read_text() == "new\n" and only(old)
    assert old.stat().st_mode & 0o777 == 0o640


def test_b103_a_missing_folder_is_refused_before_the_work(tmp_path: Path) -> None:
    with pytest.raises(RocscopeError, match="there is no folder"):
        check_target(tmp_path / "no" / "r.html", force=True)


@pytest.mark.parametrize("call", ["fsync", "replace"])
def test_b104_a_failure_leaves_the_old_file_alone(old: Path, monkeypatch: pytest.MonkeyPatch, call: str) -> None:
    def fail(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, call, fail)
    with pytest.raises(RocscopeError, match="No space left on device"):
        write_file(old, "new", force=True)
    assert old.read_text() == "old" and only(old)


def test_b104_a_write_the_system_refuses(old: Path) -> None:
    done = shell(f"ulimit -f 1; WORDS save {old} --force --size 4000000")
    assert done.returncode == 2 and done.stderr == f"rocscope: cannot write {old}: File too large\n".encode()
    assert old.read_text() == "old" and only(old)


@contextmanager
def without_privileges() -> Iterator[None]:
    """Root may read and write everything; be nobody for a while where we are root."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(0)


@pytest.fixture
def reachable(tmp_path: Path) -> Path:
    for folder in [tmp_path, *tmp_path.parents][:3]:
        if folder != Path("/tmp"):
            folder.chmod(0o755)
    return tmp_path


def test_b104_a_read_only_folder(reachable: Path) -> None:
    reachable.chmod(0o555)
    with without_privileges(), pytest.raises(RocscopeError, match="is read-only"):
        write_file(reachable / "r.html", "new", force=False)
    reachable.chmod(0o755)


def test_b105_the_input_is_never_the_output(old: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(old)
    for name in (old, tmp_path / "link", tmp_path / "." / "report.html"):
        with pytest.raises(RocscopeError, match="the file being read"):
            write_file(name, "new", force=True, inputs=[old])
    assert old.read_text() == "old"


def test_b106_a_directory_is_refused_and_a_pipe_works(tmp_path: Path) -> None:
    with pytest.raises(RocscopeError, match="it is a directory"):
        write_file(tmp_path, "new", force=True)
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with subprocess.Popen(["cat", str(pipe)], stdout=subprocess.PIPE) as reader:
        write_file(pipe, "new", force=False)
        assert reader.communicate()[0] == b"new"
    write_file("/dev/null", "new", force=False)
    assert Path("/dev/null").is_char_device()


def test_a_link_is_followed_not_replaced(old: Path, tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to(old)
    write_file(link, "new", force=True)
    assert link.is_symlink() and old.read_text() == "new"


@pytest.mark.parametrize(
    ("number", "code", "clean"), [(signal.SIGTERM, 143, True), (signal.SIGINT, 130, True), (signal.SIGKILL, -9, False)]
)
def test_b107_b110_b111_stopped_while_writing(old: Path, number: signal.Signals, code: int, clean: bool) -> None:
    command = [*COMMAND, "save", str(old), "--force", "--wait"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, env=environment()) as job:
        assert job.stderr is not None and job.stderr.readline() == b"ready\n"
        job.send_signal(number)
        rest = job.stderr.read()
    assert job.returncode == code and b"Traceback" not in rest
    assert old.read_text() == "old" and only(old) is clean


# --- the small reader


@pytest.fixture
def file(tmp_path: Path) -> Callable[[str | bytes], Path]:
    def write(content: str | bytes) -> Path:
        path = tmp_path / "scores.csv"
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


Write = Callable[[str | bytes], Path]


def refusal(path: str | Path, ask: Callable[[Columns], object] = lambda columns: columns.numbers("score")) -> str:
    with pytest.raises(RocscopeError) as caught:
        ask(read(path))
    message = str(caught.value)
    assert "\n" not in escape(message)
    return message.replace(str(path), "FILE")


GOOD = "y,score\n1,0.9\n0,0.4\n"


def test_a_plain_file(file: Write) -> None:
    columns = read(file(GOOD))
    assert (columns.names, columns.text("y"), columns.numbers("score")) == (("y", "score"), ["1", "0"], [0.9, 0.4])
    assert (columns.lines, columns.blank_lines, len(columns)) == ((2, 3), 0, 2)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        pytest.param("", "FILE is empty", id="B065"),
        pytest.param("\n \n", "FILE is empty", id="B065-blank"),
        pytest.param("y,score\n", "FILE has no rows", id="B066"),
        pytest.param("1,0.9\n0,0.4\n", "no column 'score'; it has 1, 0.9. The first line looks like data", id="B067"),
        pytest.param("y score\n1 0.9\n", "it has y score. Did you mean 'y score'?", id="B071-space"),
        pytest.param("id|x\n1|0.9\n", "Only one column was found: is the delimiter", id="B071-bar"),
        pytest.param("y;score\n1;0,93\n", "line 2, column 'score': '0,93' is not a finite number. Numbers", id="B072"),
        pytest.param("y,score\n1,0,93\n", "FILE, line 2: 3 fields where the header has 2", id="B072-comma"),
        pytest.param('y,score\n1,"1,234"\n', "line 2, column 'score': '1,234' is not a finite number. Num", id="B073"),
        pytest.param("y,score\n1,0.9\n0\n", "FILE, line 3: 1 field where the header has 2", id="B074-few"),
        pytest.param("y,score\n1,0.9,7\n", "FILE, line 2: 3 fields where the header has 2", id="B074-many"),
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
        pytest.param("y,score\n1,0.9\n".encode("utf-16"), "It looks like a UTF-16 file", id="B069"),
        pytest.param(b"\x1f\x8b\x08\x00abc", "It looks like a gzip file", id="gzip"),
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
        grid = Grid.of(["label", "n"], [[data(label), value] for label, value in rows])
        path.write_text(as_csv(grid), encoding="utf-8", newline="")
        columns = read(path)
    assert list(zip(columns.text("label"), columns.numbers("n"), strict=True)) == rows


def test_b062_b063_paths_that_are_no_files(tmp_path: Path) -> None:
    assert refusal(tmp_path / "none.csv") == "there is no file FILE"
    assert refusal(tmp_path) == "FILE is a directory. Name a file in it"
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    assert "cannot read FILE: Too many levels of symbolic links" in refusal(tmp_path / "loop")


def test_b064_a_file_that_may_not_be_read(reachable: Path) -> None:
    path = reachable / "secret.csv"
    path.write_text(GOOD)
    path.chmod(0)
    with without_privileges():
        assert refusal(path) == "cannot read FILE: Permission denied"


def test_b098_devices_without_end_are_refused() -> None:
    assert f"larger than {LARGEST // 2**20} MiB" in refusal("/dev/zero")


def test_standard_input() -> None:
    done = run("column", "-", "score", "--format", "csv", stdin=GOOD.encode())
    assert (done.returncode, done.stdout) == (0, b"score\n0.9\n0.4\n")
    done = run("column", "-", "score", stdin=b"")
    assert (done.returncode, done.stderr) == (
        2,
        b"rocscope: standard input is empty. A line of column names and at least one row are needed\n",
    )
    assert shell("WORDS column - score <&-").returncode == 2


def test_b099_odd_file_names_are_shown_escaped(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "a\nb%s\x1b[1m.csv"
    assert in_process("column", str(path), "score") == 2
    shown = capsys.readouterr().err
    assert r"a\nb%s\x1b[1m.csv" in shown and shown.count("\n") == 1
    path.write_text(GOOD)
    assert in_process("column", str(path), "score") == 0


def test_streams_replaced_by_others_still_work(monkeypatch: pytest.MonkeyPatch) -> None:
    sink = io.StringIO()
    monkeypatch.setattr(sys, "stdout", sink)
    assert in_process("show", "x") == 0
    assert sink.getvalue().startswith("One label")
