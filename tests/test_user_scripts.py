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
    folder.mkdir(parents=True, exist_ok=True)
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


# ---- help and completion ----


@pytest.mark.parametrize("name", ["evaluate", "compare", "validate", "gate", "trend", "recalibrate", "Counts", "Costs",
                                  "ScoreTable.from_scores", "Evaluation.best", "significance.delong"])  # fmt: skip
def test_help_shows_the_parameters(name: str) -> None:
    import inspect
    import pydoc
    from functools import reduce

    import rocscope as rs

    value = reduce(getattr, name.split("."), rs)
    parameters = [one for one in inspect.signature(value).parameters if one not in ("self", "cls")]  # type: ignore[arg-type]
    shown = pydoc.plain(pydoc.render_doc(value))
    assert parameters and all(one in shown for one in parameters)
    assert "*args" not in shown.split("\n")[2]


def test_every_public_function_has_a_signature_that_names_its_parameters() -> None:
    """Editors and help() read it: none is hidden behind *args or a lazy method."""
    import importlib
    import inspect

    import recorded_calls

    for package in recorded_calls.python_reference.PACKAGES:
        for name, one in recorded_calls.public_functions(package).items():
            kinds = {each.kind for each in one.signature.parameters.values()}
            assert kinds != {inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD}, name
        module = importlib.import_module(f"rocscope.{package}")
        for name in recorded_calls.python_reference.public_names(module):
            value = getattr(module, name)
            if inspect.isclass(value) and hasattr(value, "__dataclass_fields__"):
                taken = set(inspect.signature(value).parameters)
                assert taken == {field for field, one in value.__dataclass_fields__.items() if one.init}, name


def test_completion_offers_names_and_measures() -> None:
    import rlcompleter

    import rocscope as rs

    ev = rs.evaluate([1, 0, 1, 0], [0.9, 0.4, 0.6, 0.5])
    found = rlcompleter.Completer({"rs": rs, "ev": ev, "counts": ev.at(0.5)})
    for typed, wanted in (("rs.eval", "rs.evaluate("), ("rs.curves.average_p", "rs.curves.average_precision("),
                          ("ev.to_m", "ev.to_metrics("), ("counts.precis", "counts.precision"),
                          ("ev.table.average_p", "ev.table.average_precision")):  # fmt: skip
        offered = [found.complete(typed, place) for place in range(5)]
        assert any(one is not None and one.startswith(wanted) for one in offered), (typed, offered)


if __name__ == "__main__":  # make types: the examples of the pages as scripts
    checked_files(Path(sys.argv[1]))
