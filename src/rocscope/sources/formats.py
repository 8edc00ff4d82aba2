"""File formats, recognized by content: never by name alone, and never by executing a file."""

from __future__ import annotations

import glob
import os
import re
import stat
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING

from rocscope.errors import RocscopeError
from rocscope.record import record

if TYPE_CHECKING:
    from rocscope.sources.partitioned_folder import Partition

HEAD = 2**16  # number of bytes from which the file type is detected
STANDARD_INPUT = "-"

TEXT, UTF16, UTF32 = "text", "UTF-16 text", "UTF-32 text"
PARQUET, ARROW, ARROW_STREAM, EXCEL, ZIP = "Parquet", "Arrow", "Arrow stream", "Excel", "zip"
GZIP, ZSTD = "gzip", "zstd"

# Magic bytes. Formats that cannot be read are included, so that the error message can name them.
_STARTS: tuple[tuple[bytes, str], ...] = (
    (b"\x1f\x8b", GZIP),
    (b"\x28\xb5\x2f\xfd", ZSTD),
    (b"PAR1", PARQUET),
    (b"PARE", "encrypted Parquet"),
    (b"ARROW1", ARROW),
    (b"FEA1", "Feather version 1"),
    (b"\xff\xff\xff\xff", ARROW_STREAM),
    (b"PK\x03\x04", ZIP),
    (b"PK\x05\x06", ZIP),
    (b"\xff\xfe\x00\x00", UTF32),
    (b"\x00\x00\xfe\xff", UTF32),
    (b"\xff\xfe", UTF16),
    (b"\xfe\xff", UTF16),
    (b"\x93NUMPY", "NumPy array"),
    (b"\x89HDF\r\n", "HDF5"),
    (b"SQLite format 3\x00", "SQLite"),
    (b"\xd0\xcf\x11\xe0", "old Excel (.xls)"),
    (b"BZh", "bzip2"),
    (b"\xfd7zXZ\x00", "xz"),
    (b"%PDF", "PDF"),
    *((bytes([0x80, version]), "pickle") for version in range(2, 6)),
)
_HINTS = {
    "pickle": "Pickles are never loaded, because they can run code; save a CSV or Parquet file instead",
    "NumPy array": "NumPy files may contain pickles and have no column names; save a CSV or Parquet file instead",
    ZIP: "Unpack it first, and name the file inside it",
    "bzip2": "Decompress it first with bunzip2; gzip and zstd can be read directly",
    "xz": "Decompress it first with unxz; gzip and zstd can be read directly",
    "old Excel (.xls)": "Save it as .xlsx or CSV",
    "encrypted Parquet": "Decrypt it first",
    "Feather version 1": "Save it as Feather version 2 (Arrow IPC) or Parquet",
}
READ = "CSV, TSV, JSON lines, Parquet, Arrow and Excel can be read; text may be compressed by gzip or zstd"

# File type implied by the suffix; a file with a different content is refused, as one of the two must be wrong.
_ENDINGS = {
    ".csv": TEXT, ".tsv": TEXT, ".tab": TEXT, ".jsonl": TEXT, ".ndjson": TEXT, ".json": TEXT, ".txt": TEXT,
    ".parquet": PARQUET, ".pq": PARQUET, ".arrow": ARROW, ".feather": ARROW, ".ipc": ARROW,
    ".xlsx": EXCEL, ".xlsm": EXCEL, ".gz": GZIP, ".zst": ZSTD,
}  # fmt: skip
_ALIKE = {UTF16: TEXT, UTF32: TEXT, ARROW_STREAM: ARROW}


# Download commands for remote files: rocscope itself opens no network connection.
_FETCH = {
    "s3": "aws s3 cp {} .", "gs": "gcloud storage cp {} .", "http": "curl -LO {}", "https": "curl -LO {}",
    "hdfs": "hdfs dfs -get {} .",
}  # fmt: skip
_REMOTE = re.compile(r"(?:jdbc:)?([a-zA-Z][a-zA-Z0-9+.-]+)://")
_COLLAPSED = re.compile(rf"({'|'.join(_FETCH)}):/(?=[^/])", re.IGNORECASE)  # a pathlib.Path keeps one slash of two
_DATABASES = (
    "postgresql", "postgres", "mysql", "mariadb", "mssql", "sqlserver", "oracle", "sqlite", "duckdb", "clickhouse",
    "snowflake", "bigquery", "trino", "presto", "databricks", "redshift", "athena", "awsathena",
)  # fmt: skip


@record(slots=True)
class Place:
    """One file to read: its path, the name shown to users, and whether it can be read only once.

    `stream` holds the bytes of a file object, `partition` the columns given by the names of the file's folders.
    """

    path: str
    name: str
    once: bool = False
    stream: IO[bytes] | None = None
    partition: Partition = ()


# --- locating files


def places(paths: Iterable[str | os.PathLike[str]] | str | os.PathLike[str]) -> list[Place]:
    """The files that paths, patterns and folders of Parquet files refer to, without duplicates.

    `-` is standard input.

    >>> [place.name for place in places(["-"])]
    ['standard input']
    """
    given = [paths] if isinstance(paths, str | os.PathLike) else list(paths)
    locations = [place for path in given for place in _expanded(os.fspath(path))]
    if not locations:
        raise RocscopeError("no file was named", hint="Name a file, or - for standard input")
    seen: dict[str, str] = {}
    for location in locations:
        real = location.path if location.path == STANDARD_INPUT else os.path.realpath(location.path)
        if real in seen:
            raise RocscopeError(f"{location.name} is named twice", hint="Its rows would be counted twice")
        seen[real] = location.name
    return locations


def _expanded(path: str) -> list[Place]:
    if path == STANDARD_INPUT:
        return [Place(path, "standard input", once=True)]
    refuse_remote(path)
    if os.path.isdir(path):
        return _folder(path)
    if not os.path.lexists(path) and glob.has_magic(path):
        matches = sorted(glob.glob(path, recursive=True))
        if not matches:
            raise RocscopeError(f"no file matches {path}")
        return [_place(match) for match in matches if not os.path.isdir(match)] or _folder(matches[0])
    return [_place(path)]


def refuse_remote(path: str, *, cases: bool = True) -> None:
    """Raise an error for the address of a file on the network or of a database, with what to do instead.

    Without `cases`, the file cannot be replaced by a frame or a relation. A password is not repeated.
    """
    address = _COLLAPSED.sub(r"\1://", path, count=1) if _COLLAPSED.match(path) else path
    remote = _REMOTE.match(address)
    if remote is None or os.path.lexists(path):
        return
    from urllib.parse import unquote

    scheme = remote[1].lower()
    shown = re.sub(r"(://[^/@:]*):[^/@]*@", r"\1:***@", address)
    if scheme == "file":
        local = unquote(address[remote.end() :].removeprefix("localhost"))
        raise RocscopeError(f"{shown} is an address, but a path is needed", hint=f"Give the path: {local}")
    if scheme.split("+")[0] in _DATABASES:
        raise RocscopeError(
            f"{shown} is a database, but rocscope opens no connections",
            hint="Export the table to a Parquet file, or, in Python, pass a table from your own Ibis connection",
        )
    copy = f"Copy it first ({fetch})" if (fetch := _fetch(scheme, shown)) else "Copy it first"
    frame = ", or, in Python, pass a data frame or a DuckDB relation that reads it"
    instead = f", mount it{frame}" if cases else ", or mount it"
    raise RocscopeError(f"{shown} is on the network, but rocscope opens no connections", hint=f"{copy}{instead}")


def _fetch(scheme: str, address: str) -> str:
    """The command that copies a file, the files of a pattern, or a folder; '' if none is known.

    >>> _fetch("s3", "s3://bucket/day/*.parquet")
    "aws s3 cp --recursive s3://bucket/day/ . --exclude '*' --include '*.parquet'"
    """
    import shlex

    if scheme not in _FETCH or (address.endswith("/") and scheme.startswith("http")):
        return ""
    wildcard = re.search(r"[*?[]", address)
    if scheme == "s3" and wildcard is not None:  # its command line takes patterns as filters alone
        end = address.rindex("/", 0, wildcard.start()) + 1
        folder, pattern = shlex.quote(address[:end]), shlex.quote(address[end:])
        return f"aws s3 cp --recursive {folder} . --exclude '*' --include {pattern}"
    command = _FETCH[scheme].format(shlex.quote(address))
    return command.replace(" cp ", " cp --recursive ") if address.endswith("/") else command


def _folder(path: str) -> list[Place]:
    from rocscope.sources.partitioned_folder import parquet_files

    return [Place(file, file, partition=columns) for file, columns in parquet_files(path)]


def _place(path: str) -> Place:
    try:
        mode = os.stat(path).st_mode
    except FileNotFoundError:
        raise RocscopeError(f"there is no file {path}") from None
    except (OSError, ValueError) as error:
        raise RocscopeError(f"cannot read {path}: {getattr(error, 'strerror', None) or error}") from None
    return Place(path, path, once=not stat.S_ISREG(mode))


@contextmanager
def opened(location: Place) -> Iterator[IO[bytes]]:
    """Open a file for reading bytes; an operating system error becomes a one-line message."""
    try:
        if location.stream is not None:
            yield location.stream
        elif location.path == STANDARD_INPUT:
            yield _standard_input()
        else:
            with open(location.path, "rb") as file:
                yield file
    except OSError as error:
        raise RocscopeError(f"cannot read {location.name}: {error.strerror or error}") from error


def _standard_input() -> IO[bytes]:
    if sys.stdin is None:
        raise RocscopeError("standard input is empty", hint="Standard input is closed")
    return sys.stdin.buffer


# --- detecting the file type


def kind_of(head: bytes) -> str:
    """The kind of file indicated by its first bytes; text if they indicate no other kind.

    >>> kind_of(b"PAR1..."), kind_of(b"y,score")
    ('Parquet', 'text')
    """
    by_start = next((kind for start, kind in _STARTS if head.startswith(start)), TEXT)
    return EXCEL if by_start == ZIP and _is_workbook(head) else by_start


def _is_workbook(head: bytes) -> bool:
    return any(name in head for name in (b"[Content_Types].xml", b"xl/workbook", b"xl/worksheets", b"docProps/app.xml"))


def check_kind(kind: str, name: str, path: str) -> None:
    """Raise an error for unsupported kinds, and for files that are not what their extension says."""
    if kind not in (TEXT, UTF16, UTF32, PARQUET, ARROW, ARROW_STREAM, EXCEL, GZIP, ZSTD):
        raise RocscopeError(f"{name} is a {kind} file", hint=_HINTS.get(kind, READ))
    promised = _ENDINGS.get(Path(path).suffix.lower())
    if promised is not None and promised != _ALIKE.get(kind, kind):
        problem = f"{name} contains {with_article(kind)}, not {with_article(promised)}"
        raise RocscopeError(problem, hint="Rename it or save it again, because its name and its content disagree")


def with_article(kind: str) -> str:
    """The name of a kind of file for use in a sentence: a Parquet file, an Excel file, text."""
    if kind.endswith("text"):
        return kind
    return f"{'an' if kind[0] in 'AE' else 'a'} {kind} file"


def is_json_lines(text: str) -> bool:
    """Whether a text begins like JSON lines: with an object."""
    return text.lstrip("\ufeff \t\r\n").startswith("{")


def is_json_array(text: str) -> bool:
    """Whether a text begins like a JSON array of objects."""
    start = text.lstrip("\ufeff \t\r\n")
    return start.startswith("[") and start[1:].lstrip().startswith(("{", "["))


def holds_json(text: str, name: str) -> bool:
    """Whether a file with this name and beginning is read as JSON lines."""
    return is_json_lines(text) and not inner_name(name).lower().endswith((".csv", ".tsv"))


def inner_name(name: str) -> str:
    """The name of what a compressed file holds: scores.csv.gz holds scores.csv."""
    return name[: -len(Path(name).suffix)] if Path(name).suffix.lower() in (".gz", ".zst") else name


def check_end(path: str, name: str, kind: str) -> None:
    """Raise an error for a truncated Parquet or Arrow file, before a library fails on it."""
    end = {PARQUET: b"PAR1", ARROW: b"ARROW1"}.get(kind)
    if end is None:
        return
    with open(path, "rb") as file:
        size = file.seek(0, os.SEEK_END)
        file.seek(max(0, size - len(end)))
        if size < 2 * len(end) + 4 or file.read() != end:
            raise RocscopeError(f"{name} is not a complete {kind} file: its end is missing", hint="It may be truncated")
