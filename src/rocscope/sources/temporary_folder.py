"""Temporary folders, deleted with their process.

Each has a lock that ends with its owner, so that abandoned ones are detected.
"""

from __future__ import annotations

import functools
import os
import weakref
from contextlib import suppress
from pathlib import Path

LOCK = "lock"
ATTEMPTS = 3  # to make a folder and lock it


class TemporaryFolder:
    """A folder for links, unpacked files and DuckDB spill files; it is deleted with the last reference to it."""

    def __init__(self) -> None:
        import tempfile

        _remove_leftovers(tempfile.gettempdir())
        prefix = f"rocscope-{os.getpid()}-{os.urandom(4).hex()}-"
        try:
            self.folder, lock = locked_folder(prefix)
            weakref.finalize(self, _remove, self.folder, lock)
        except BaseException:  # a signal may come when the folder is made and nothing knows of it yet
            for folder in Path(tempfile.gettempdir()).glob(f"{prefix}*"):
                _remove(str(folder), None)
            raise

    def path(self, name: str) -> str:
        """A path inside the folder."""
        return os.path.join(self.folder, name)

    def link(self, path: str, name: str) -> str:
        """A plain name for a file: DuckDB would read *, ? and [ in the true one as patterns, and must have UTF-8."""
        link = self.path(name)
        if not os.path.lexists(link):
            try:
                os.symlink(os.path.abspath(path), link)
            except OSError:  # Windows restricts symbolic links; a file on another disk must be copied
                try:
                    os.link(path, link)
                except OSError:
                    import shutil

                    shutil.copyfile(path, link)
        return link


def locked_folder(prefix: str) -> tuple[str, int | None]:
    """A new temporary folder and its lock, or None on a system without locks.

    Until it is locked, another process may consider it abandoned and remove it; in that case, another one is created.
    """
    import tempfile

    for _ in range(ATTEMPTS):
        folder = tempfile.mkdtemp(prefix=prefix)
        with suppress(FileNotFoundError):
            lock = locked(Path(folder, LOCK))
            if lock is not None and os.path.exists(os.path.join(folder, LOCK)):
                return folder, lock
            _remove(folder, lock)
    return tempfile.mkdtemp(prefix=prefix), None


def _remove(folder: str, lock: int | None) -> None:
    import shutil

    try:
        shutil.rmtree(folder, ignore_errors=True)
    finally:  # a signal may interrupt the first attempt
        shutil.rmtree(folder, ignore_errors=True)
        if lock is not None:
            os.close(lock)


@functools.cache
def _remove_leftovers(folder: str) -> None:
    remove_abandoned("rocscope-[0-9]*-*", folder)


def remove_abandoned(pattern: str, within: str | None = None) -> list[Path]:
    """Remove the folders of processes that have ended, and return their names; those of other users are kept.

    Process ids are ambiguous in a folder that several containers share; a lock is not.
    """
    import tempfile

    removed = []
    for folder in Path(within or tempfile.gettempdir()).glob(pattern):
        with suppress(OSError):
            known = folder.lstat()
            mine = not hasattr(os, "getuid") or known.st_uid == os.getuid()
            if folder.is_symlink() or not folder.is_dir() or not mine:
                continue
            lock = locked(folder / LOCK)
            if lock is not None:
                _remove(str(folder), lock)
                removed.append(folder)
    return removed


def locked(path: Path) -> int | None:
    """A lock that ends with its process, so that it is never stale; None if another process holds it."""
    handle = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o600)
    try:
        import fcntl

        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (ImportError, OSError):  # without such locks, a folder is assumed to be in use
        os.close(handle)
        return None
    return handle
