"""Planted faults (tools/mutants.py): what is changed, and that those said to mean the same are still there."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parent.parent


@pytest.fixture(scope="module")
def tool() -> ModuleType:
    found = importlib.util.spec_from_file_location("mutants", ROOT / "tools" / "mutants.py")
    assert found is not None and found.loader is not None
    made = importlib.util.module_from_spec(found)
    sys.modules["mutants"] = made
    found.loader.exec_module(made)
    return made


def test_signs_constants_and_words_are_changed_and_texts_are_not(
    tool: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "some.py").write_text('if a < 2 and b:\n    c = "x" + str(a - b)\n    d = f"{c}" * 3\n')
    monkeypatch.setattr(tool, "ROOT", tmp_path)
    found = [one.becomes.strip() for one in tool.mutants(tmp_path / "some.py")]
    assert found == [
        "if a <= 2 and b:", "if a < (2 + 1) and b:", "if a < 2 or b:",
        'c = "x" + str(a + b)', 'd = f"{c}" * (3 + 1)',
    ]  # fmt: skip


def test_what_is_said_to_mean_the_same_is_a_change_of_todays_sources(tool: ModuleType) -> None:
    said = tool.the_same()
    possible = {one.key for path in {key[0] for key in said} for one in tool.mutants(ROOT / path)}
    assert not set(said) - possible
    assert all(len(why) > 40 for why in said.values())


def test_the_sample_is_the_same_again_and_of_all_packages(tool: ModuleType) -> None:
    sample, possible = tool.drawn(tool.PACKAGES, 300, 0)
    assert [one.key for one in sample] == [one.key for one in tool.drawn(tool.PACKAGES, 300, 0)[0]]
    assert possible > 9000 and {Path(one.path).parts[2] for one in sample} == set(tool.PACKAGES)
