"""Output: remarks to standard error; results to the terminal, a pipe or files."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Literal, TextIO, TypeAlias

import click

from rocscope import report
from rocscope.errors import RocscopeError, naming
from rocscope.report import Line, Look, Sheet, check_target, escape, letters, write_file

Format: TypeAlias = Literal["text", "json", "md", "csv", "latex"]
Document: TypeAlias = Mapping[str, Any]

PART = 2**15  # maximum number of characters per write
ENDINGS = {".txt": "text", ".json": "json", ".md": "md", ".csv": "csv", ".tex": "latex"}

_RICH_STYLES = {"": "", "strong": "bold", "quiet": "dim", "model": "bright_blue", "alarm": "yellow", "formula": ""}


# --- standard streams


def say(message: str) -> None:
    """Print one remark to standard error: escaped, wrapped on a terminal, and nothing if standard error is closed."""
    if sys.stderr is not None:
        with suppress(OSError):
            sys.stderr.write(_fitted(escape(message)) + "\n")
            sys.stderr.flush()


def _fitted(text: str) -> str:
    """Wrap text to the terminal; a single line if standard error is a file or a pipe, which tools search."""
    if not sys.stderr.isatty():
        return text
    import textwrap

    width = max(_terminal_width(sys.stderr) - 1, 20)
    return textwrap.fill(text, width, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False)


def _terminal_width(stream: Any) -> int:
    """The width of the terminal: COLUMNS, the reported width, or 80. (Importing shutil takes longer.)"""
    columns = os.environ.get("COLUMNS", "")
    if columns.isdecimal() and int(columns) > 0:
        return int(columns)
    try:
        return os.get_terminal_size(stream.fileno()).columns or 80
    except (OSError, ValueError, AttributeError):
        return 80


def prepare_streams() -> None:
    """Let the standard streams show letters they cannot encode as `\\xe9` instead of failing."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")


def flush() -> None:
    """Flush printed output now, while a failure can still be reported."""
    if sys.stdout is not None:
        sys.stdout.flush()


def abandon_output() -> None:
    """Discard what standard output still buffers: Python would fail again when it flushes at exit."""
    with suppress(OSError, ValueError, AttributeError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)


def write(text: str) -> None:
    """Write text to standard output unchanged; do nothing if it is closed."""
    if sys.stdout is None:  # closed by the caller
        return
    # Write in chunks: without buffering (python -u), a single large write cut short by a closed pipe raises nothing.
    for start in range(0, len(text), PART):
        sys.stdout.write(text[start : start + PART])


# --- printing a sheet


def emit(answer: Sheet, format: str) -> None:
    """Print one result as JSON, text, Markdown or CSV."""
    if format == "text":
        look = terminal_look()
        _show(answer.lines(look), look)
    else:
        _write_as(format, answer.written(format))


def terminal_look() -> Look:
    """How standard output can show text: fancy on a UTF-8 terminal with color, else plain."""
    width = _terminal_width(sys.stdout)
    utf8 = (getattr(sys.stdout, "encoding", None) or "").lower().replace("-", "") == "utf8"
    asked_plain = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
    coloured = _is_terminal(sys.stdout) or bool(os.environ.get("FORCE_COLOR"))
    return Look(fancy=bool(utf8 and coloured and not asked_plain), width=max(width, 40))


def _write_as(format: str, text: str) -> None:
    # A CSV file keeps every byte of a label; on a terminal, escape sequences in a label must not be interpreted.
    shown = format == "csv" and _is_terminal(sys.stdout)
    write("\n".join(map(escape, text.split("\n"))) if shown else text)


def _is_terminal(stream: TextIO | None) -> bool:
    return stream is not None and stream.isatty()


def _show(lines: Iterable[Line], look: Look) -> None:
    if not look.fancy:
        write("".join(f"{letters(line)}\n" for line in lines))
        return
    from rich.console import Console
    from rich.text import Text

    console = Console(width=look.width, highlight=False, force_terminal=True)
    for line in lines:
        pieces = [(piece.text, _RICH_STYLES[piece.style]) for piece in line]
        console.print(Text.assemble(*pieces), soft_wrap=True)


# --- results document, printed or written to a file


def target_format(given: Mapping[str, Any], endings: Mapping[str, str] = ENDINGS) -> str:
    """The requested format, or that of the output file's extension."""
    if given["format"] is not None or given["output"] is None:
        return str(given["format"] or "text")
    ending = Path(given["output"]).suffix.lower()
    if ending not in endings:
        raise RocscopeError(
            f"cannot determine a format from the extension of '{given['output']}'",
            hint=f"Give --format, or use one of the extensions {', '.join(endings)}",
        )
    return endings[ending]


def check_output(given: Mapping[str, Any], inputs: Sequence[str], endings: Mapping[str, str] = ENDINGS) -> None:
    """Raise an error for files that cannot be written before a long computation: the result, the report, the table."""
    target_format(given, endings)
    if given["output"] is not None:
        check_target(given["output"], force=given["force"], inputs=inputs)
    table = given.get("save_table")
    if table is not None:
        from rocscope.sources import TABLE_ENDINGS

        if not table.lower().endswith(TABLE_ENDINGS):
            raise RocscopeError(
                f"--save-table {table}: the name of a saved table must end in {' or '.join(TABLE_ENDINGS)}"
            )
        if given["output"] == table:
            raise RocscopeError(
                f"--output and --save-table must name different files, not both {table}",
                hint="Choose another name for one of them",
            )
        check_target(table, force=given["force"], inputs=inputs)
    check_page(given, inputs)


def deliver(
    document: Document, given: Mapping[str, Any], inputs: Sequence[str], *, endings: Mapping[str, str] = ENDINGS,
    named: bool = False,
) -> None:  # fmt: skip
    """Write the results document to standard output, or to the given file, whose name goes to standard error."""
    format, output, full = target_format(given, endings), given["output"], given.get("full", False)
    if output is None and format == "text":
        emit(report.answer(document, full=full), "text")
        return
    written = report.written(document, format, full=full, card=card_of(given))
    if output is None:
        _write_as(format, written)
    elif named:
        write_named(output, written, given, inputs)
    else:
        write_file(output, written, force=given["force"], inputs=inputs)


def card_of(given: Mapping[str, Any]) -> dict[str, str]:
    """The options for the model card of --format hf."""
    card: dict[str, str] = {}
    for text in given.get("cards") or ():
        key, sign, value = text.partition("=")
        if not sign or not value:
            raise RocscopeError(f"--card {text}", hint="Write it like --card model=churn-model")
        card[key] = value
    return card


# --- HTML report written in addition


def check_page(given: Mapping[str, Any], inputs: Sequence[str]) -> None:
    """Raise an error for a report that cannot be written before a long computation."""
    if given.get("html") is not None:
        if given.get("embed_cases") and "-" in inputs:
            raise RocscopeError("cases from standard input cannot be embedded", hint="Write them to a file first")
        check_target(given["html"], force=given["force"], inputs=inputs)
    elif given.get("embed_cases"):
        raise RocscopeError("--embed-cases needs a report", hint="Add --html report.html")


def document_of(result: Any, files: Sequence[str], given: Mapping[str, Any]) -> Document:
    """The results document of an evaluation or comparison, with everything the report needs if one is requested.

    `files` are the inputs, read again if cases are to be embedded. For text, sections that are not shown are left out.
    """
    evaluations = getattr(result, "evaluations", {"": result})
    with naming(str(next(iter(evaluations.values())).source.get("file", "the answer"))):
        document: Document
        if given["html"] is None and (given["full"] or target_format(given) != "text"):
            document = result.to_dict()
            return document
        if given["html"] is None:
            document = result.sections()
            document.get("verdict")  # now, while the progress of a bootstrap can be shown
            return document
        most = given.get("embed_cases")
        cases = _case_list(files, result, most, given["id_column"]) if most else None
        document = result.to_dict(drawing=True, cases=cases)
        return document


def _case_list(files: Sequence[str], result: Any, most: int, id_column: str | None) -> dict[str, Any]:
    from rocscope.evaluation import case_list

    return case_list(files, result, most, id=id_column)


def write_page(document: Document, given: Mapping[str, Any], inputs: Sequence[str]) -> Document:
    """Write the report if requested; return the results document without what only the report needs."""
    if given["html"] is None:
        return document
    if typed := typed_command():
        document["drawing"]["provenance"]["command"] = typed
    write_named(given["html"], report.page(document), given, inputs)
    return {name: part for name, part in document.items() if name != "drawing"}


def typed_command() -> str:
    """The command as typed, quoted for a shell: run in the same folder, it makes the same report."""
    from rocscope.cli import TYPED

    context = click.get_current_context(silent=True)
    typed = () if context is None else context.meta.get(TYPED, ())
    return shlex.join(["rocscope", *typed]) if typed else ""


def write_named(path: str, content: str | bytes, given: Mapping[str, Any], inputs: Sequence[str]) -> None:
    """Write a file, and report it on standard error."""
    write_file(path, content, force=given["force"], inputs=inputs)
    say(f"rocscope: {path} written")
