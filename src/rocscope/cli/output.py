"""Getting answers out: to the terminal or into a pipe; files are the work of `rocscope.report`."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Literal, TextIO, TypeAlias

from rocscope.errors import RocscopeError
from rocscope.report import Block, Line, Look, Tabular, as_csv, as_json, as_markdown, as_text, escape, letters

Format: TypeAlias = Literal["text", "json", "md", "csv"]

PART = 2**15  # characters written at once

_RICH_STYLES = {"": "", "strong": "bold", "quiet": "dim", "model": "bright_blue", "alarm": "yellow", "formula": ""}


def emit(
    document: Mapping[str, Any],
    *,
    format: Format,
    sheet: Callable[[Look], Sequence[Block]],
    rows: Tabular | None = None,
) -> None:
    """Print one answer: the results document as JSON, or its sheet as text or Markdown, or its rows as CSV.

    `sheet` is called with the look of the terminal, so that a command can draw where there is room; `rows` is
    the grid for CSV, by default the first one of the sheet.
    """
    if format == "json":
        write(as_json(document))
    elif format == "md":
        write(as_markdown(sheet(Look())))
    elif format == "csv":
        write(inert_on_a_terminal(as_csv(rows or _first_grid(sheet(Look())))))
    else:
        look = terminal_look()
        _show(as_text(sheet(look), look), look)


def terminal_look() -> Look:
    """How standard output can show text: fancy on a UTF-8 terminal with color, else plain."""
    import shutil

    width = shutil.get_terminal_size((80, 24)).columns
    utf8 = (getattr(sys.stdout, "encoding", None) or "").lower().replace("-", "") == "utf8"
    asked_plain = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
    coloured = _is_terminal(sys.stdout) or bool(os.environ.get("FORCE_COLOR"))
    return Look(fancy=bool(utf8 and coloured and not asked_plain), width=max(width, 40))


def _first_grid(blocks: Iterable[Block]) -> Tabular:
    for block in blocks:
        if isinstance(block, Tabular):
            return block
    raise RocscopeError("this answer has no table to write as CSV", hint="Choose --format json or md")


def inert_on_a_terminal(text: str) -> str:
    """CSV as it is in a pipe; on a screen, with what could act there made visible."""
    # In a file CSV keeps every byte of a label; shown on a screen, an escape sequence in it must not act.
    return "\n".join(map(escape, text.split("\n"))) if _is_terminal(sys.stdout) else text


def _is_terminal(stream: TextIO | None) -> bool:
    return stream is not None and stream.isatty()


def write(text: str) -> None:
    """Text to standard output as it is, nowhere when that is closed."""
    if sys.stdout is None:  # closed by the caller
        return
    # In parts: where Python does not buffer (-u), one large write cut short by a leaving reader raises nothing.
    for start in range(0, len(text), PART):
        sys.stdout.write(text[start : start + PART])


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
