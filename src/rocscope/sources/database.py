"""The embedded engine: DuckDB, offline, with bounded memory, and with refusals in our own words."""

from __future__ import annotations

import functools
import os
import re
import time
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

from rocscope.errors import RocscopeError

if TYPE_CHECKING:
    import duckdb

MEMORY = 2**31  # bytes that DuckDB may hold; beyond, it uses its temporary folder


class TemporaryFolder:
    """A folder of its own for links, unpacked files and what DuckDB lays aside; it goes with the last reference."""

    def __init__(self) -> None:
        import shutil
        import tempfile

        _remove_leftovers()
        self.folder = tempfile.mkdtemp(prefix=f"rocscope-{os.getpid()}-")
        weakref.finalize(self, shutil.rmtree, self.folder, ignore_errors=True)

    def path(self, name: str) -> str:
        """A path inside the folder."""
        return os.path.join(self.folder, name)

    def link(self, path: str, name: str) -> str:
        """A plain name for a file: DuckDB would read *, ? and [ in the true one as patterns, and must have UTF-8."""
        link = self.path(name)
        if not os.path.lexists(link):
            try:
                os.symlink(os.path.abspath(path), link)
            except OSError:  # Windows allows it to few; a copy where the file lies on another disk
                try:
                    os.link(path, link)
                except OSError:
                    import shutil

                    shutil.copyfile(path, link)
        return link


@functools.cache
def _remove_leftovers() -> None:
    """Remove the folders of processes that were killed before they could do so themselves."""
    import shutil
    import tempfile

    with suppress(OSError):
        for entry in os.scandir(tempfile.gettempdir()):
            owner = re.fullmatch(r"rocscope-([0-9]+)-\w+", entry.name)
            # a day: in a folder that containers share, processes of the others cannot be seen
            if owner is not None and not _is_alive(int(owner[1])) and entry.stat().st_mtime < time.time() - 86_400:
                shutil.rmtree(entry.path, ignore_errors=True)


def _is_alive(process: int) -> bool:
    if not hasattr(os, "getuid"):  # on Windows the next line would stop the process
        return True
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True


def connect(folder: TemporaryFolder | None = None, *, memory: int = MEMORY) -> duckdb.DuckDBPyConnection:
    """A connection that never goes to the network, installs nothing, and keeps to its memory.

    What does not fit is laid into a folder; without one it is refused.
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
    # It counts how far it is, and prints nothing: what is shown, and where, is not its business.
    connection.execute(
        "SET enable_progress_bar = true; SET enable_progress_bar_print = false; SET progress_bar_time = 0"
    )
    return connection


def quoted(text: str) -> str:
    """Text as a literal of SQL."""
    return "'" + text.replace("'", "''") + "'"


def name(column: str) -> str:
    """A column name as SQL writes it."""
    return '"' + column.replace('"', '""') + '"'


@contextmanager
def refusals(source: str, *, what: str = "file") -> Iterator[None]:
    """What DuckDB refuses becomes one line that names the file, not DuckDB's own."""
    import duckdb

    try:
        yield
    except duckdb.Error as error:
        raise refusal(error, source, what) from None


def refusal(error: Exception, source: str, what: str) -> RocscopeError:
    """DuckDB's complaint in one line."""
    text = " ".join(str(error).split())
    kind, _, rest = text.partition(": ")
    if "Out of Memory" in kind or "could not allocate" in text:
        return RocscopeError(f"not enough memory to read {source}", hint="Raise budget=..., or read fewer columns")
    said = rest.split(" LINE ")[0].split(" Possible ")[0] or text
    said = re.sub(r"\S*/rocscope-\w+/[\w.-]+", source, said)  # the link through which it was read
    said = said if len(said) <= 160 else said[:157] + "..."
    return RocscopeError(f"{source} is not a readable {what}: {said}")


def fetch(connection: Any, sql: str, *, progress: Callable[[float], None] | None = None) -> dict[str, Any]:
    """The columns that a query gives, as NumPy arrays (masked where there are nulls); progress is a share of 1.

    The query runs in a thread of its own: this one can then be interrupted, and say how far the other is.
    """
    import threading

    done: dict[str, Any] = {}

    def work() -> None:
        try:
            done["found"] = connection.sql(sql).fetchnumpy()  # a relation: it is read by all threads
        except BaseException as error:
            done["error"] = error

    worker = threading.Thread(target=work, daemon=True)
    worker.start()
    try:
        while worker.is_alive():
            worker.join(0.2)
            _tell(connection, progress)
    except BaseException:
        connection.interrupt()
        worker.join()
        raise
    if "error" in done:
        raise done["error"]
    found: dict[str, Any] = done["found"]
    return found


def _tell(connection: Any, progress: Callable[[float], None] | None) -> None:
    if progress is not None and 0 <= (share := connection.query_progress()) <= 100:
        progress(share / 100)
