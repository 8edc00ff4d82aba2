"""Atomic output: files are checked before the computation, then written completely or not at all."""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import IO, TYPE_CHECKING

from rocscope.errors import RocscopeError

if TYPE_CHECKING:
    from rocscope.multiclass import ClassSums, LabelSums
    from rocscope.table import Confusion, ScoreTable

ABANDONED = 600.0  # age in seconds after which a partial file is considered abandoned


def check_target(path: str | Path, *, force: bool, inputs: Iterable[str | Path] = ()) -> Path:
    """The path to write to, checked before a long computation begins.

    A directory, a missing or read-only folder, and an input of the same run are rejected, and so is an existing file
    unless `force` is set. A link is followed; a pipe or device is accepted.
    """
    target = Path(os.path.realpath(path))
    if target.is_dir():
        raise RocscopeError(f"cannot write {path}: it is a directory", hint="Name a file in it")
    if not target.parent.is_dir():
        raise RocscopeError(f"cannot write {path}: there is no folder {target.parent}", hint="Create it first")
    if any(_same_file(target, source) for source in inputs):
        raise RocscopeError(f"cannot write {path}: it is the file being read", hint="Choose another name")
    if _is_stream(target):
        return target
    if target.exists() and not force:
        raise RocscopeError(f"{path} already exists", hint="Overwrite it with force=True")
    if not os.access(target.parent, os.W_OK, effective_ids=os.access in os.supports_effective_ids):
        raise RocscopeError(f"cannot write {path}: the folder {target.parent} is read-only")
    return target


def write_file(
    path: str | Path, content: str | bytes | Callable[[Path], None], *, force: bool, inputs: Iterable[str | Path] = ()
) -> None:
    """Write a file completely or not at all: a temporary file is written beside it and then renamed.

    Whatever happens, a reader finds the old file or the new one, never half of either. The content may be a function
    that writes a file at the path it is given.
    """
    target = check_target(path, force=force, inputs=inputs)
    payload = content.encode("utf-8") if isinstance(content, str) else content
    try:
        if _is_stream(target):
            target.write_bytes(payload if isinstance(payload, bytes) else _made_elsewhere(payload))
        else:
            _replace(target, payload)
    except OSError as error:
        raise RocscopeError(f"cannot write {path}: {error.strerror or error}") from error


def _made_elsewhere(make: Callable[[Path], None]) -> bytes:
    from tempfile import TemporaryDirectory

    with TemporaryDirectory() as folder:
        make(Path(folder, "made"))
        return Path(folder, "made").read_bytes()


def save_table(
    table: ScoreTable | Confusion | ClassSums | LabelSums,
    path: str | Path,
    *,
    name: str = "",
    unit: str = "case",
    left_out: Mapping[str, int] | None = None,
    force: bool = False,
    inputs: Iterable[str | Path] = (),
) -> None:
    """Write a table to a file whose name ends in .scoretable.parquet or .rst, completely or not at all.

    >>> import tempfile
    >>> from rocscope.table import ScoreTable
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     ScoreTable.from_scores([1, 0], [0.9, 0.1]).save(f"{folder}/day1.scoretable.parquet")
    ...     ScoreTable.load(f"{folder}/day1.scoretable.parquet").scores
    array([0.9, 0.1])
    """
    from rocscope.sources import TABLE_ENDINGS, SavedTable, write_table

    named = os.fspath(path)
    if not named.lower().endswith(TABLE_ENDINGS):
        endings = " or ".join(TABLE_ENDINGS)
        raise RocscopeError(
            f"{named}: the name of a saved table must end in {endings}",
            hint=f"Name it, for example, day1{TABLE_ENDINGS[0]}",
        )
    saved = SavedTable(table, name, unit, dict(left_out or {}))
    write_file(path, lambda target: write_table(saved, target), force=force, inputs=inputs)


def _replace(target: Path, content: bytes | Callable[[Path], None]) -> None:
    """Write a new file beside the target, with the permissions of any new file, and rename it; remove it on failure.

    It is closed before it is renamed: Windows does not rename open files.
    """
    _remove_abandoned(target.parent)
    temporary = target.with_name(f".rocscope-{os.urandom(8).hex()}.tmp")
    try:
        with open(temporary, "xb") as sink:
            sink.write(content if isinstance(content, bytes) else b"")
            _to_disk(sink)
        if not isinstance(content, bytes):
            content(temporary)
            with open(temporary, "rb+") as sink:
                _to_disk(sink)
        if target.exists():
            os.chmod(temporary, stat.S_IMODE(target.stat().st_mode))
        os.replace(temporary, target)
    finally:
        try:
            _remove(temporary)
        finally:  # a second signal may interrupt the first attempt: a closed terminal sends two
            _remove(temporary)


def _remove(path: Path) -> None:
    with suppress(FileNotFoundError):
        path.unlink()


def _remove_abandoned(folder: Path) -> None:
    """Remove temporary files of a process killed while writing; no write takes as long as their age."""
    for left in folder.glob(".rocscope-*.tmp"):
        with suppress(OSError):
            if left.stat().st_mtime < time.time() - ABANDONED:
                left.unlink()


def _to_disk(sink: IO[bytes]) -> None:
    sink.flush()
    os.fsync(sink.fileno())


def _same_file(target: Path, source: str | Path) -> bool:
    with suppress(OSError):
        return str(source) != "-" and os.path.samefile(target, source)
    return False


def _is_stream(target: Path) -> bool:
    """Whether the target is a pipe or a device, which cannot be replaced and has no content to lose."""
    with suppress(OSError):
        mode = target.stat().st_mode
        return stat.S_ISFIFO(mode) or stat.S_ISCHR(mode)
    return False
