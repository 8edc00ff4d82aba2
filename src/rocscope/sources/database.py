"""The embedded engine: DuckDB, offline, with bounded memory, and with rocscope's own error messages."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

from rocscope.errors import RocscopeError
from rocscope.sources.temporary_folder import TemporaryFolder

if TYPE_CHECKING:
    import duckdb

__all__ = ["MEMORY", "TemporaryFolder", "connect", "copy_to", "fetch", "name", "quoted", "refusal", "refusals"]

MEMORY = 2**31  # memory limit of DuckDB in bytes; above it, DuckDB uses its temporary folder


def connect(folder: TemporaryFolder | None = None, *, memory: int = MEMORY) -> duckdb.DuckDBPyConnection:
    """A connection that never uses the network, installs nothing, and stays within its memory limit.

    Data that do not fit are written to a folder; without a folder, they are refused.
    """
    import duckdb

    connection = duckdb.connect(
        ":memory:",
        config={
            "autoinstall_known_extensions": "false",
            "autoload_known_extensions": "false",
            "python_enable_replacements": "false",
            "temp_directory": "" if folder is None else folder.path("spill"),
            "memory_limit": f"{max(memory, 2**28) // 2**20}MiB",
        },
    )
    # Track progress without printing it; the caller decides what is shown.
    connection.execute(
        "SET enable_progress_bar = true; SET enable_progress_bar_print = false; SET progress_bar_time = 0"
    )
    return connection


def quoted(text: str) -> str:
    """Text as an SQL literal."""
    return "'" + text.replace("'", "''") + "'"


def name(column: str) -> str:
    """A column name as an SQL identifier."""
    return '"' + column.replace('"', '""') + '"'


@contextmanager
def refusals(source: str, *, what: str = "file") -> Iterator[None]:
    """Turn an error of DuckDB into one line that names the file."""
    import duckdb

    try:
        yield
    except duckdb.Error as error:
        raise refusal(error, source, what) from None


def refusal(error: BaseException, source: str, what: str) -> RocscopeError:
    """DuckDB's error message in one line."""
    text = " ".join(str(error).split())
    kind, _, rest = text.partition(": ")
    if "Out of Memory" in kind or "could not allocate" in text:
        return RocscopeError(f"not enough memory to read {source}", hint="Raise budget=..., or read fewer columns")
    message = rest.split(" LINE ")[0].split(" Possible ")[0] or text
    # replace the path of the temporary link with the name of the source
    message = re.sub(r"""['"]?[^\s'"]*/rocscope-[\w-]+/[\w.-]+['"]?""", lambda _: source, message)
    message = message if len(message) <= 160 else message[:157] + "..."
    return RocscopeError(f"{source} is not a readable {what}: {message}")


def fetch(connection: Any, sql: str, *, progress: Callable[[float], None] | None = None) -> dict[str, Any]:
    """The columns that a query returns, as NumPy arrays (masked where there are nulls); progress is a share of 1."""
    # a relation is read by all threads
    result: dict[str, Any] = _interruptible(connection, lambda: connection.sql(sql).fetchnumpy(), progress)
    return result


def copy_to(connection: Any, query: str, path: str, options: str = "") -> None:
    """Write the rows of a query to a Parquet file; once this returns or raises, nothing writes to the file anymore.

    DuckDB writes to the file itself, not to a temporary one beside it, which an interrupted command would leave behind.
    """
    settings = f"FORMAT parquet, COMPRESSION zstd, USE_TMP_FILE false{options}"
    sql = f"COPY ({query}) TO {quoted(path)} ({settings})"
    _interruptible(connection, lambda: connection.execute(sql))


def _interruptible(connection: Any, query: Callable[[], Any], progress: Callable[[float], None] | None = None) -> Any:
    """The result of a query that runs in a thread of its own.

    This thread can then be interrupted, and say how far the other is; the query has ended when this returns.
    """
    import threading

    done: dict[str, Any] = {}
    begun, stopped = threading.Event(), threading.Event()

    def work() -> None:
        begun.set()
        try:
            if not stopped.is_set():
                done["found"] = query()
        except BaseException as error:
            done["error"] = error

    worker = threading.Thread(target=work, daemon=True)
    try:
        worker.start()
        while worker.is_alive():
            worker.join(0.2)
            _tell(connection, progress)
    except BaseException:
        stopped.set()  # a thread that is started but does not run yet must not begin
        while begun.is_set() and worker.is_alive():
            with suppress(BaseException):  # a second signal, which changes nothing
                connection.interrupt()  # repeated, because it has no effect before the query has begun
                worker.join(0.2)
        raise
    if "error" in done:
        raise done["error"]
    return done["found"]


def _tell(connection: Any, progress: Callable[[float], None] | None) -> None:
    if progress is not None and 0 <= (share := connection.query_progress()) <= 100:
        progress(share / 100)
