"""Firefox for `make firefox`: a page with `evaluate`, driven over WebDriver BiDi by page/firefox/driver.mjs."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from nodes import PAGE, found_node

PROGRAMS = ("firefox-esr", "firefox")


class Firefox:
    """One browser; `open` shows a page, `evaluate` asks it."""

    def __init__(self) -> None:
        program, node = next(filter(None, map(shutil.which, PROGRAMS)), None), found_node()
        if program is None or node is None or not (PAGE / "firefox" / "node_modules").is_dir():
            pytest.skip("no Firefox: run make firefox")
        command = [node[0], str(PAGE / "firefox" / "driver.mjs"), program]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def _ask(self, **asked: Any) -> Any:
        assert self.process.stdin is not None and self.process.stdout is not None
        self.process.stdin.write(json.dumps(asked) + "\n")
        self.process.stdin.flush()
        answer = json.loads(self.process.stdout.readline())
        assert "error" not in answer, answer["error"]
        return answer["value"]

    def open(self, path: Path, fragment: str = "") -> Firefox:
        self._ask(op="open", address=path.as_uri() + (f"#{fragment}" if fragment else ""))
        return self

    def evaluate(self, source: str, given: Any = None) -> Any:
        return self._ask(op="evaluate", source=source, given=given)

    def assert_clean(self) -> None:
        """No request left the page, and no error was written."""
        assert self._ask(op="wrong") == []

    def close(self) -> None:
        assert self.process.stdin is not None and self.process.stdout is not None
        self.process.stdin.close()
        self.process.wait(30)
        self.process.stdout.close()
