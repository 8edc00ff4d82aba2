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
from pathlib import Path

import click
import pytest
from frame_words import WORDS
from hypothesis import given
from hypothesis import strategies as st
from privileges import open_to_all, without_privileges

from rocscope import cli
from rocscope.cli.output import emit
from rocscope.errors import RocscopeError
from rocscope.report import check_target, escape, write_file
from rocscope.report.sheet import Field, Paragraph, Tabular, data
from rocscope.report.sheet_formats import Look, Sheet, as_csv, as_json, as_markdown, as_text, inert, letters
from rocscope.sources.text_table import revive
from rocscope.text import number

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
    frame = {"__init__", "options", "output", "reader"}
    files = {path.stem for path in (SOURCE / "rocscope" / "cli").glob("*.py")} - frame
    assert files == set(cli.COMMANDS)
    group = cli.rocscope()
    assert isinstance(group, cli.Commands)
    for word, says in cli.COMMANDS.items():
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
        (["sohw"], 2, "rocscope: there is no command 'sohw'. Did you mean 'show'? See rocscope --help"),
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
    assert out == "" and "Commands:" in err


def test_a_fault_of_ours_is_no_gate_and_shows_where(capsys: pytest.CaptureFixture[str]) -> None:
    assert in_process("fail", "fault") == 70
    shown = capsys.readouterr().err
    assert "ZeroDivisionError" in shown and "a bug in rocscope" in shown


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
        emit(Sheet({}, lambda look, single: [Paragraph.of("words alone")]), "csv")


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
    grid = Tabular.of(["name", "says", "n"], [[cell, cell[::-1], 7] for cell in cells])
    lines = [letters(line) for line in as_text([grid, Paragraph.of(*cells)], Look(width=width))]
    assert max(map(len, lines)) <= width
    shown = "".join(lines)
    assert sum(shown.count(letter) for letter in "b") >= 2 * sum(cell.count("b") for cell in cells)


def test_wide_letters_take_two_columns() -> None:
    lines = [letters(line) for line in as_text([Tabular.of(["a", "b"], [["日本", 1], ["xy", 2]])], Look())]
    assert lines == ["a     b", "日本  1", "xy    2"]


def test_numbers_are_shown_without_false_zeros() -> None:
    assert [number(value) for value in (0.0, 4e-4, 6e-4, 1234.5, 1e15, float("inf"))] == [
        *("0.000", "0.0004", "0.001", "1,234.500", "1e+15", "inf")
    ]
    assert number(0.1, None) == "0.1" and number(3.0, None) == "3" and number(None) == ""


def test_drawings_and_double_headings() -> None:
    grid = Tabular.of(["actual", "flagged", Field("bar", drawn=True)], [["paid", 390, "###"]], above=["", "predicted"])
    assert as_csv(grid) == "actual,predicted flagged\npaid,390\n"
    assert as_markdown([grid]).startswith("| actual | predicted flagged |\n")
    assert [letters(line) for line in as_text([grid], Look())] == [
        *("        predicted", "actual    flagged  bar", "paid          390  ###")
    ]


def test_b119_a_long_label_is_short_in_a_view_and_whole_in_data() -> None:
    label = data("x" * 1_000_000)
    assert len(label.text) == 60 and label.text.count("...") == 1
    assert len(as_csv(Tabular.of(["label"], [[label]]))) > 1_000_000


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
    assert done.stderr == b"rocscope: cannot write the output: No space left on device\ncode 2\n"


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
    assert "already exists. Overwrite it with --force" in capsys.readouterr().err
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


@pytest.fixture
def reachable(tmp_path: Path) -> Path:
    return open_to_all(tmp_path)


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


# --- odd input


GOOD = "y,score\n1,0.9\n0,0.4\n"


def test_standard_input() -> None:
    done = run("column", "-", "score", "--format", "csv", stdin=GOOD.encode())
    assert (done.returncode, done.stdout) == (0, b"score\n0.9\n0.4\n")
    done = run("column", "-", "score", stdin=b"")
    assert (done.returncode, done.stderr) == (
        2,
        b"rocscope: standard input is empty. The file must have a line of column names and at least one row\n",
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


# ---- what a short command does not pay for ----

WATCHED = """
import gc, os, sys
from rocscope.cli import run
sys.argv[1:] = [{path!r}, "--output", {answer!r}]
collections = []
gc.collect()
gc.callbacks.append(lambda phase, facts: collections.append(phase))
end = os._exit
def stop(code):
    gc.callbacks.clear()
    os.write(1, f"{{code}} {{len(collections)}} {{os.environ['OPENBLAS_THREAD_TIMEOUT']}}".encode())
    end(code)
os._exit = stop
run()
"""


@pytest.mark.parametrize(("setting", "timeout"), [({}, "16"), ({"OPENBLAS_THREAD_TIMEOUT": "20"}, "20")])
def test_a_short_command_collects_no_garbage_and_leaves_no_thread_spinning(
    setting: dict[str, str], timeout: str, tmp_path: Path
) -> None:
    path = tmp_path / "small.csv"
    path.write_text("y,p\n" + "".join(f"{i % 3 == 0:d},{(i * 37 % 100) / 100}\n" for i in range(1000)))
    code = WATCHED.format(path=str(path), answer=str(tmp_path / "answer.json"))
    environment = {name: value for name, value in os.environ.items() if name != "OPENBLAS_THREAD_TIMEOUT"}
    done = subprocess.run(
        [sys.executable, "-c", code], env={**environment, **setting}, capture_output=True, text=True, check=True
    )
    assert done.stdout == f"0 0 {timeout}"
