"""Scripts as users write them: each runs, and a strict type checker accepts it without a cast."""

from __future__ import annotations

import doctest
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
SCRIPTS = sorted((ROOT / "tests" / "typing").glob("*.py"))
PAGES = ["README.md", "docs/tutorial.md", "docs/howto/frames.md"]


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.stem)
def test_it_runs(script: Path) -> None:
    runpy.run_path(str(script))


def examples(page: str) -> str:
    """The Python examples of a page, without their output, as one module."""
    found = doctest.DocTestParser().get_examples((ROOT / page).read_text("utf-8"))
    return "".join(example.source for example in found if example.exc_msg is None)


def checked_files(folder: Path) -> list[str]:
    """The scripts, and the examples of the pages as scripts."""
    made = []
    for page in PAGES:
        path = folder / f"{Path(page).stem.lower()}_examples.py"
        path.write_text(examples(page))
        made.append(str(path))
    return [*map(str, SCRIPTS), *made]


def test_there_are_twenty() -> None:
    assert len(SCRIPTS) >= 20
    assert "rs.evaluate" in examples("docs/howto/frames.md")


def test_mypy_is_content(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "mypy", "--strict", "--no-error-summary", *checked_files(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.stdout + done.stderr == ""


def test_type_checkers_know_every_parameter() -> None:
    import inspect

    import rocscope as rs
    from rocscope.evaluation.keyword_types import CompareKeywords, EvaluateKeywords

    for function, keywords in ((rs.evaluate, EvaluateKeywords), (rs.compare, CompareKeywords)):
        parameters = inspect.signature(function).parameters.values()
        named = {one.name for one in parameters if one.kind is one.KEYWORD_ONLY}
        assert keywords.__optional_keys__ | {"predicted", "labels", "fold"} == named
