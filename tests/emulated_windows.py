"""Windows as far as Linux can play it: open files are not replaced, and what only POSIX has is absent.

As a pytest plugin (`pytest -p emulated_windows`) it is put in place when the tests begin; `install()` does it at once.
"""

from __future__ import annotations

import os
import signal
import sys
from contextlib import suppress
from typing import Any

ABSENT_MODULES = ("fcntl", "resource", "grp", "pwd", "termios")
ABSENT_FUNCTIONS = ("fork", "getuid", "geteuid", "sched_getaffinity", "mkfifo", "chown")
REPLACED: list[str] = []
"""The names of files that were put in the place of others."""


def pytest_sessionstart() -> None:
    from _pytest import tmpdir

    tmpdir.get_user_id = lambda: None  # what pytest itself gets on Windows
    install()


def install() -> None:
    """From here on modules that are loaded see a Windows."""
    import duckdb  # noqa: F401  (those that come from elsewhere may ask the true system)
    import numpy  # noqa: F401

    for name in ABSENT_MODULES:
        sys.modules[name] = None  # type: ignore[assignment]
    for name in filter(os.__dict__.__contains__, ABSENT_FUNCTIONS):
        delattr(os, name)
    if hasattr(signal, "SIGHUP"):
        del signal.SIGHUP
    really = os.replace

    def replace(source: Any, target: Any, **more: Any) -> None:
        held = _opened()
        for path in (source, target):
            if os.path.realpath(path) in held:
                raise PermissionError(13, "The process cannot access the file because it is being used", str(path))
        REPLACED.append(os.path.basename(target))
        really(source, target, **more)

    os.replace = os.rename = replace
    os.symlink, os.kill = _refused, _killed  # type: ignore[assignment]


def _opened() -> set[str]:
    """The files that this process has open."""
    found = set()
    for number in os.listdir("/proc/self/fd"):
        with suppress(OSError):  # closed by now
            found.add(os.path.realpath(f"/proc/self/fd/{number}"))
    return found


def _refused(*arguments: Any, **more: Any) -> None:
    raise OSError(1314, "A required privilege is not held by the client")


def _killed(process: int, number: int) -> None:
    raise AssertionError("os.kill stops a process on Windows")
