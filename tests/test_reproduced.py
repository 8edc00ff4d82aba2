"""The command printed in a report, run again in the same folder, makes the same report: one test per kind."""

from __future__ import annotations

import io
import json
import re
import shlex
import sys
from html import unescape
from pathlib import Path

import pytest
from test_report import loan_scores

import rocscope as rs
from rocscope import report
from rocscope.cli import main

COLUMNS = ["--label", "outcome", "--positive", "default"]
ONE = [*COLUMNS, "--score", "boosting"]
TIMES = re.compile(r"\d[\d.,e-]*(?: (?:ms|s|µs|min|h)\b)")

PETS = ("cat", "dog", "rat")
KINDS = {
    "demo": ["demo"],
    "a file alone": ["pets.csv"],
    "no costs": ["evaluate", "loans.csv", *ONE],
    "costs, unit, level": ["evaluate", "loans.csv", *ONE, "--cost-fn", "5", "--unit", "loan", "--level", "0.9"],
    "a rule": ["evaluate", "loans.csv", *ONE, "--choose", "f1", "--cross-fit", "5", "--seed", "3"],
    "a threshold": ["evaluate", "loans.csv", *ONE, "--threshold", "0.3"],
    "low scores": ["evaluate", "loans.csv", *ONE, "--lower-is-positive"],
    "missing": ["evaluate", "gaps.csv", *ONE, "--missing", "drop"],
    "weights": ["evaluate", "loans.csv", *ONE, "--weight", "weight"],
    "clusters": ["evaluate", "loans.csv", *ONE, "--cluster", "branch"],
    "slices": ["evaluate", "loans.csv", *ONE, "--by", "branch"],
    "cases": ["evaluate", "loans.csv", *ONE, "--embed-cases", "50", "--id", "id"],
    "hard labels": ["evaluate", "loans.csv", *COLUMNS, "--predicted", "guess"],
    "several classes": ["evaluate", "pets.csv", "--label", "y", "--score", "cat", "--score", "dog", "--score", "rat"],
    "several models": ["compare", "loans.csv", *ONE, "--score", "logistic", "--cost-fn", "5"],
    "prevalence and gains": ["evaluate", "loans.csv", *ONE, "--prevalence", "0.02", "--gains", "tp=10,fp=-1"],
    "thresholds chosen elsewhere": [
        "evaluate",
        "loans.csv",
        *ONE,
        "--choose",
        "youden",
        "--choose-on",
        "a b; $HOME.csv",
    ],
    "costs of individual cases": ["evaluate", "loans.csv", *ONE, "--cost-column", "weight", "--cost-fp", "0.5"],
    "referral": ["evaluate", "loans.csv", *ONE, "--refer", "recall >= 0.9, precision >= 0.5"],
    "several labels": ["evaluate", "tags.csv", "--label", "y_*", "--score", "p_*"],
    "a matrix of costs": [
        "evaluate",
        "pets.csv",
        "--label",
        "y",
        *(f"--probability={k}={k}" for k in PETS),
        "--cost-matrix",
        "costs.csv",
    ],
    "classes compared": ["compare", "pets.csv", "--label", "y", "--predicted", "guess", "--predicted", "other"],
    "standard input": ["evaluate", "-", *ONE],
    "a name to quote": ["evaluate", "a b; $HOME.csv", *ONE],
}
VALIDATED = {
    "validated demo": ["validate", "--demo", "--plan", "3-fold", "--model", "tree", "--model", "nb", "--cost-fn", "10"],
    "validated file": ["validate", "loans.csv", "--target", "outcome", "--positive", "default", "--plan", "2-fold",
                       "--model", "tree", "--model", "nb", "--leave-out", "id", "--leave-out", "guess"],
}  # fmt: skip


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Files to evaluate, in the working directory."""
    labels, scores = loan_scores()
    head = "id,outcome,boosting,logistic,weight,branch,guess"
    rows = [
        f"L{i},{label},{a},{b},{1 + i % 3},{'north' if i % 2 else 'south'},{'default' if a >= 0.5 else 'paid'}"
        for i, (label, a, b) in enumerate(zip(labels, scores["boosting"], scores["logistic"], strict=True))
    ]
    whole = "\n".join([head, *rows]) + "\n"
    for name in ("loans.csv", "a b; $HOME.csv"):
        (tmp_path / name).write_text(whole)
    (tmp_path / "gaps.csv").write_text(whole + "gap,default,,0.5,1,north,paid\n")
    shares = [",".join("0.6" if k == place else "0.2" for k in range(3)) for place in range(3)]
    pets = [
        f"{PETS[i % 3]},{shares[(i + i // 7) % 3]},{PETS[(i + i // 9) % 3]},{PETS[(i + i // 5) % 3]}" for i in range(60)
    ]
    (tmp_path / "pets.csv").write_text("\n".join(["y,cat,dog,rat,guess,other", *pets]) + "\n")
    (tmp_path / "costs.csv").write_text("actual,cat,dog,rat\ncat,0,1,2\ndog,3,0,1\nrat,5,1,0\n")
    tags = [
        f"{i % 2},{i // 3 % 2},{(i * 7 % 10 + 3 * (i % 2)) / 13},{(i * 3 % 10 + 4 * (i // 3 % 2)) / 14}"
        for i in range(60)
    ]
    (tmp_path / "tags.csv").write_text("\n".join(["y_a,y_b,p_a,p_b", *tags]) + "\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def made(arguments: list[str], folder: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The report that a command writes; standard input holds the loans."""
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO((folder / "loans.csv").read_bytes())))
    assert main(arguments) == 0
    return (folder / "report.html").read_text("utf-8")


def printed(page: str) -> list[str]:
    """The words of the command at the foot of a report."""
    found = re.search(r'<footer class="provenance"><p><code>(.*?)</code>', page, re.DOTALL)
    assert found is not None
    program, *words = shlex.split(unescape(re.sub(r"</?span>", "", found[1])))
    assert program == "rocscope"
    return words


@pytest.mark.parametrize("kind", KINDS)
def test_the_printed_command_makes_the_same_report(
    kind: str, folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    page = made([*KINDS[kind], "--html", "report.html"], folder, monkeypatch)
    again = printed(page)
    (folder / "report.html").unlink()
    assert made(again, folder, monkeypatch) == page


@pytest.mark.parametrize("kind", VALIDATED)
def test_the_printed_command_validates_alike(
    kind: str, folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """All but the times of the fits."""
    pytest.importorskip("sklearn")
    page = made([*VALIDATED[kind], "--html", "report.html"], folder, monkeypatch)
    words = printed(page)
    assert words == [*VALIDATED[kind], "--html", "report.html"]
    (folder / "report.html").unlink()
    again = made(words, folder, monkeypatch)
    assert untimed(again) == untimed(page)


def untimed(page: str) -> str:
    """A page up to where times are drawn, and the rows of its comparisons."""
    before = page[: page.index('id="time"')]
    return TIMES.sub("", before) + page[page.index('id="differences"') : page.index('id="rocscope-data"')]


def test_a_file_evaluated_in_python_prints_the_command_too(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    found = rs.evaluate("gaps.csv", label="outcome", score="boosting", positive="default", costs=rs.Costs(fp=1, fn=5),
                        unit="loan", level=0.9, missing="drop", higher_is_positive=False)  # fmt: skip
    words = shlex.split(found.to_dict(drawing=True)["drawing"]["provenance"]["command"])
    assert main([*words[1:], "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out) == json.loads(report.json(found.to_dict()))
