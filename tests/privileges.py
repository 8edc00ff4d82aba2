"""To be nobody for a while: root may read and write everything, so permissions show nothing."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def without_privileges() -> Iterator[None]:
    """As nobody, where we are root."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(0)


def open_to_all(folder: Path) -> Path:
    """The folder, with those that pytest keeps for itself above it, open to everybody."""
    for one in [folder, *folder.parents]:
        if one.name.startswith(("pytest-", "popen-", "test_")):
            one.chmod(0o755)
    return folder
