"""docs/architecture.md names files, functions and packages; each must exist, and none may be left out."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest
from test_architecture import ORDER, SOURCE

PAGE = Path(__file__).parent.parent / "docs" / "architecture.md"
TEXT = PAGE.read_text("utf-8")
NAMED = sorted(set(re.findall(r"`([\w/]+\.py)`", TEXT)))
FUNCTIONS = re.findall(r"`([\w/]+\.py)`:\s+((?:`\w+`(?:, )?)+)", TEXT)


@pytest.mark.parametrize("name", NAMED)
def test_files_exist(name: str) -> None:
    assert (SOURCE.parents[1] / name if name.startswith(("src/", "tests/")) else SOURCE / name).is_file()


def test_functions_stand_where_the_page_says() -> None:
    assert len(FUNCTIONS) >= 15
    for file, names in FUNCTIONS:
        defined = {getattr(node, "name", "") for node in ast.parse((SOURCE / file).read_text("utf-8")).body}
        assert set(re.findall(r"\w+", names)) <= defined, file


def test_packages_stand_in_import_order() -> None:
    table = TEXT.split("| package |")[1].split("\n\n")[0]
    listed = [name for row in table.splitlines()[2:] for name in re.findall(r"`(\w+)`", row.split("|")[1])]
    known = [package for package in ORDER if package not in ("version", "__main__", "schema")]
    assert listed == known
