"""Renew what the commands in README.md and docs print:   python tools/consoles.py [--check]

A block fenced as ```console holds lines that begin with `$ ` and what they print. The lines are run here, in order and
in one folder for each page, as on a plain terminal of 80 columns: `rocscope ...`, `rocscope ... > file`, `cat file` and
`head -N file`. With `--check` nothing is written, and the pages that are out of date are named.
"""

from __future__ import annotations

import io
import os
import re
import shlex
import sys
import tempfile
from collections.abc import Iterator
from contextlib import chdir, contextmanager, redirect_stderr, redirect_stdout
from pathlib import Path

from rocscope.cli import main as rocscope

ROOT = Path(__file__).parent.parent
FOLDERS = ("", "howto", "tutorials", "explanation", "migration", "teaching")
PAGES = [ROOT / "README.md", *(page for name in FOLDERS for page in sorted((ROOT / "docs" / name).glob("*.md")))]
BLOCK = re.compile(r"(?<=^```console\n).*?(?=^```$)", re.MULTILINE | re.DOTALL)
SETTINGS = {"COLUMNS": "80", "NO_COLOR": "1"}


def renewed(page: str) -> str:
    """The page with every command's output as it is now."""
    with tempfile.TemporaryDirectory() as folder, chdir(folder), environment():
        return BLOCK.sub(lambda block: "\n".join(map(answered, commands(block[0]))), page)


def commands(block: str) -> list[str]:
    """The commands of a block, in order."""
    return [line.removeprefix("$ ") for line in block.splitlines() if line.startswith("$ ")]


def answered(command: str) -> str:
    """A command and what it prints."""
    return f"$ {command}\n{run(shlex.split(command))}"


def run(words: list[str]) -> str:
    """What a command prints, on either stream; nothing when it goes into a file."""
    if words[0] in ("cat", "head"):
        lines = Path(words[-1]).read_text("utf-8").splitlines(keepends=True)
        return "".join(lines[: int(words[1].removeprefix("-"))] if words[0] == "head" else lines)
    if words[0] != "rocscope":
        raise ValueError(f"a console shows rocscope, cat and head, not {words[0]}")
    target = Path(words[words.index(">") + 1]) if ">" in words else None
    printed = io.StringIO()
    with redirect_stdout(printed), redirect_stderr(printed):
        rocscope(words[1 : words.index(">")] if target else words[1:])
    if target is None:
        return printed.getvalue()
    target.write_text(printed.getvalue(), encoding="utf-8")
    return ""


@contextmanager
def environment() -> Iterator[None]:
    """The settings of the terminal, put back afterwards."""
    before = dict(os.environ)
    os.environ.update(SETTINGS)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


def main(arguments: list[str]) -> int:
    """Renew the pages, or with `--check` name those that are out of date and return 1."""
    stale = 0
    for path in PAGES:
        page = path.read_text("utf-8")
        now = renewed(page)
        if now == page:
            continue
        stale = 1
        if "--check" in arguments:
            print(f"{path.relative_to(ROOT)} is out of date: run `python tools/consoles.py`")
        else:
            path.write_text(now, encoding="utf-8")
    return stale if "--check" in arguments else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
