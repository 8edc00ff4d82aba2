"""Getting answers out: to the terminal, into a pipe, or into a file that is never half written."""

from __future__ import annotations

import math
import os
import stat
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any, Literal, TextIO, TypeAlias

from rocscope.cli.sheet import Block, Grid, Line, letters
from rocscope.cli.streams import escape
from rocscope.cli.views import Look, as_csv, as_markdown, as_text
from rocscope.errors import RocscopeError

Format: TypeAlias = Literal["text", "json", "md", "csv"]

PART = 2**15  # characters written at once

_RICH_STYLES = {"": "", "strong": "bold", "quiet": "dim", "model": "bright_blue", "alarm": "yellow", "formula": ""}


# --- to standard output


def emit(
    document: Mapping[str, Any],
    *,
    format: Format,
    sheet: Callable[[Look], Sequence[Block]],
    rows: Grid | None = None,
) -> None:
    """Print one answer: the document as JSON, or its sheet as text or Markdown, or its rows as CSV.

    `sheet` is called with the look of the terminal, so that a word can draw where there is room; `rows` is
    the grid for CSV, by default the first one of the sheet.
    """
    if format == "json":
        _write(as_json(document))
    elif format == "md":
        _write(as_markdown(sheet(Look())))
    elif format == "csv":
        _write(_inert_on_a_terminal(as_csv(rows or _first_grid(sheet(Look())))))
    else:
        look = terminal_look()
        _show(as_text(sheet(look), look), look)


def as_json(document: Mapping[str, Any]) -> str:
    """The document as JSON in ASCII; NaN is null, infinity is "Infinity" or "-Infinity", a fraction "7/12".

    >>> print(as_json({"auc": float("nan"), "threshold": float("inf")}), end="")
    {
      "auc": null,
      "threshold": "Infinity"
    }
    """
    import json

    return json.dumps(_jsonable(document), indent=2, allow_nan=False) + "\n"


def terminal_look() -> Look:
    """How standard output can show text: fancy on a UTF-8 terminal with colour, else plain."""
    import shutil

    width = shutil.get_terminal_size((80, 24)).columns
    utf8 = (getattr(sys.stdout, "encoding", None) or "").lower().replace("-", "") == "utf8"
    asked_plain = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
    coloured = _is_terminal(sys.stdout) or bool(os.environ.get("FORCE_COLOR"))
    return Look(fancy=bool(utf8 and coloured and not asked_plain), width=max(width, 40))


def _jsonable(value: Any) -> Any:
    from fractions import Fraction

    if hasattr(value, "tolist"):  # NumPy arrays and scalars, without importing NumPy
        value = value.tolist()
    if isinstance(value, Mapping):
        return {str(key): _jsonable(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_jsonable(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    return str(value) if isinstance(value, Fraction | Path) else value


def _first_grid(blocks: Iterable[Block]) -> Grid:
    for block in blocks:
        if isinstance(block, Grid):
            return block
    raise RocscopeError("this answer has no table to write as CSV", hint="Choose --format json or md")


def _inert_on_a_terminal(text: str) -> str:
    # In a file CSV keeps every byte of a label; shown on a screen, an escape sequence in it must not act.
    return "\n".join(map(escape, text.split("\n"))) if _is_terminal(sys.stdout) else text


def _is_terminal(stream: TextIO | None) -> bool:
    return stream is not None and stream.isatty()


def _write(text: str) -> None:
    if sys.stdout is None:  # closed by the caller
        return
    # In parts: where Python does not buffer (-u), one large write cut short by a leaving reader raises nothing.
    for start in range(0, len(text), PART):
        sys.stdout.write(text[start : start + PART])


def _show(lines: Iterable[Line], look: Look) -> None:
    if not look.fancy:
        _write("".join(f"{letters(line)}\n" for line in lines))
        return
    from rich.console import Console
    from rich.text import Text

    console = Console(width=look.width, highlight=False, force_terminal=True)
    for line in lines:
        pieces = [(piece.text, _RICH_STYLES[piece.style]) for piece in line]
        console.print(Text.assemble(*pieces), soft_wrap=True)


# --- to files


def check_target(path: str | Path, *, force: bool, inputs: Iterable[str | Path] = ()) -> Path:
    """The path to write to, after every refusal that can be made before the long computation begins.

    Refused: a directory, a missing or read-only folder, an input of the same run, and a file that exists
    unless `force`. A link is followed; a pipe or device is taken as it is.
    """
    target = Path(os.path.realpath(path))
    if target.is_dir():
        raise RocscopeError(f"cannot write {path}: it is a directory", hint="Name a file in it")
    if not target.parent.is_dir():
        raise RocscopeError(f"cannot write {path}: there is no folder {target.parent}", hint="Make it first")
    if any(_same_file(target, source) for source in inputs):
        raise RocscopeError(f"cannot write {path}: it is the file being read", hint="Choose another name")
    if _is_stream(target):
        return target
    if target.exists() and not force:
        raise RocscopeError(f"{path} exists already", hint="Write over it with --force")
    if not os.access(target.parent, os.W_OK, effective_ids=os.access in os.supports_effective_ids):
        raise RocscopeError(f"cannot write {path}: the folder {target.parent} is read-only")
    return target


def write_file(
    path: str | Path, content: str | bytes, *, force: bool, inputs: Iterable[str | Path] = ()
) -> None:
    """Write a file whole or not at all: into a neighbour first, then renamed over the old one.

    Whatever happens, a reader finds the old file or the new one, never half of either.
    """
    target = check_target(path, force=force, inputs=inputs)
    payload = content.encode("utf-8") if isinstance(content, str) else content
    try:
        if _is_stream(target):
            target.write_bytes(payload)
        else:
            _replace(target, payload)
    except OSError as error:
        raise RocscopeError(f"cannot write {path}: {error.strerror or error}") from error


def _replace(target: Path, payload: bytes) -> None:
    with _neighbour(target) as (temporary, sink):
        sink.write(payload)
        sink.flush()
        os.fsync(sink.fileno())
        if target.exists():
            os.chmod(temporary, stat.S_IMODE(target.stat().st_mode))
        os.replace(temporary, target)


@contextmanager
def _neighbour(target: Path) -> Iterator[tuple[Path, IO[bytes]]]:
    """A new file beside the target, with the rights any new file gets; gone again unless it was renamed."""
    temporary = target.with_name(f".rocscope-{os.urandom(8).hex()}.tmp")
    handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
    try:
        with open(handle, "wb") as sink:
            yield temporary, sink
    finally:
        with suppress(FileNotFoundError):
            temporary.unlink()


def _same_file(target: Path, source: str | Path) -> bool:
    with suppress(OSError):
        return str(source) != "-" and os.path.samefile(target, source)
    return False


def _is_stream(target: Path) -> bool:
    """Whether the target is a pipe or a device, which cannot be replaced and holds nothing to lose."""
    with suppress(OSError):
        mode = target.stat().st_mode
        return stat.S_ISFIFO(mode) or stat.S_ISCHR(mode)
    return False
