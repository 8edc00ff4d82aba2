"""What the tests of bad input share: the command, run in a folder of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from stopping import PATIENCE

from rocscope import cli

SOURCE = Path(cli.__file__).parents[2]
Ask = Callable[..., tuple[int, str, str]]


@pytest.fixture
def ask(run: Ask) -> Ask:
    """Run the command in this process: exit code, standard output, standard error; never a traceback."""
    return run


@pytest.fixture
def refused(ask: Ask) -> Callable[..., str]:
    """Run a command that must be refused: exit 2, nothing on standard output, one line on standard error."""

    def run(*arguments: str) -> str:
        code, out, err = ask(*arguments)
        assert (code, out) == (2, ""), err
        assert err.startswith("rocscope") and err.count("\n") == 1, err
        return err

    return run


def environment(**changes: str) -> dict[str, str]:
    """The environment of a process of its own."""
    plain = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "FORCE_COLOR", "COLUMNS")}
    return {**plain, "PYTHONPATH": str(SOURCE), "PYTHONWARNINGS": "error", **changes}


@pytest.fixture
def command() -> list[str]:
    """The command, for tests that need a process of its own."""
    return [sys.executable, "-m", "rocscope"]


@pytest.fixture
def shell(tmp_path: Path) -> Callable[..., subprocess.CompletedProcess[bytes]]:
    """Run a line of shell in a folder of its own; ROCSCOPE in it is the command."""

    def run(line: str, stdin: bytes = b"", **changes: str) -> subprocess.CompletedProcess[bytes]:
        line = line.replace("ROCSCOPE", f"{sys.executable} -m rocscope")
        return subprocess.run(
            ["bash", "-c", line], input=stdin, capture_output=True, cwd=tmp_path, env=environment(**changes),
            check=False, timeout=PATIENCE,
        )  # fmt: skip

    return run
