"""What newcomers want to do is found in `rocscope --help`: one line there, and the help of the command it names."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

from rocscope.cli import main

TASKS = [
    task
    for task in tomllib.loads((Path(__file__).parent / "newcomer_tasks.toml").read_text("utf-8"))["task"]
    if "command" in task
]


def printed(capsys: pytest.CaptureFixture[str], *asked: str) -> str:
    assert main(list(asked)) == 0
    return capsys.readouterr().out


def described(text: str) -> dict[str, str]:
    """The commands in the help text, each with its description on one line."""
    found = re.findall(r"^  (\w+) +(\S.*(?:\n {8,}\S.*)*)", text.partition("Evaluate:")[2], re.MULTILINE)
    return {name: " ".join(says.split()).lower() for name, says in found}


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task["ask"])
def test_the_help_leads_to_the_command(task: dict[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    says = described(printed(capsys, "--help"))[task["command"]]
    assert [word for word in task["help"].lower().split() if word not in says] == []
    assert "Examples:" in printed(capsys, task["command"], "--help")
