"""The standard streams: remarks to standard error, and the ways in which writing can fail."""

from __future__ import annotations

import os
import sys
import textwrap
from contextlib import suppress
from shutil import get_terminal_size

from rocscope.report import escape


def say(message: str) -> None:
    """One remark on standard error: escaped, wrapped on a terminal, and silent when standard error is closed."""
    if sys.stderr is not None:
        with suppress(OSError):
            sys.stderr.write(_fitted(escape(message)) + "\n")
            sys.stderr.flush()


def _fitted(text: str) -> str:
    """The text wrapped to the terminal; one line where standard error is a file or a pipe, which tools search."""
    if not sys.stderr.isatty():
        return text
    width = max(get_terminal_size().columns - 1, 20)
    return textwrap.fill(text, width, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False)


def prepare_streams() -> None:
    """Let the standard streams show letters they cannot encode as `\\xe9` instead of failing."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")


def flush() -> None:
    """Send off what was printed now, while a failure can still be reported."""
    if sys.stdout is not None:
        sys.stdout.flush()


def abandon_output() -> None:
    """Drop what standard output still holds: Python would fail again when it flushes it at the end."""
    with suppress(OSError, ValueError, AttributeError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)
