"""Everything is reachable: public functions by a command or a how-to, methods by their usual names in `explain`."""

from __future__ import annotations

import ast
import importlib
import inspect
import re
from functools import cache
from pathlib import Path

import pytest

import rocscope
from rocscope.cli import main

SOURCE, DOCS = Path(rocscope.__file__).parent, Path(__file__).parent.parent / "docs"
# what a rule is made of (`best` is how it is asked for), and what recomputes exercises
INNER = {"best_rows", "criterion_of", "compute_data"}
PACKAGES = ("decisions", "intervals", "significance", "multiclass", "curves", "estimate", "hull", "measures", "lessons")


@cache
def pages() -> str:
    folders = (DOCS, DOCS / "howto", DOCS / "tutorials")
    return "\n".join(page.read_text("utf-8") for folder in folders for page in sorted(folder.glob("*.md")))


@cache
def used_outside(package: str) -> frozenset[str]:
    """The names that other packages use: what evaluate, compare, validate and the commands are made of."""
    found: set[str] = set()
    for path in SOURCE.rglob("*.py"):
        if path.relative_to(SOURCE).parts[0] != package:
            for node in ast.walk(ast.parse(path.read_text("utf-8"))):
                found |= {node.attr} if isinstance(node, ast.Attribute) else set()
                found |= {node.id} if isinstance(node, ast.Name) else set()
    return frozenset(found)


@pytest.mark.parametrize("package", PACKAGES)
def test_every_public_function_is_part_of_a_command_or_shown_in_a_guide(package: str) -> None:
    module = importlib.import_module(f"rocscope.{package}")
    tests = module.catalog().values() if package == "significance" else ()
    reached = used_outside(package) | {one.run.__name__ for one in tests}  # by --test NAME
    reached |= set(module.names()) if package == "curves" else set()  # by --kind NAME and `explain NAME`
    functions = [name for name in module.__all__ if inspect.isfunction(getattr(module, name))]
    lost = [name for name in functions if name not in reached | INNER and not re.search(rf"\b{name}\(", pages())]
    assert functions and not lost


USUAL = [
    "delong", "MAP", "closest", "cutoff", "ROCon", "mcnemar", "cochran", "bowker", "stuart-maxwell", "friedman",
    "nemenyi", "holm", "bonferroni", "benjamini-hochberg", "max-t", "5x2cv", "nadeau-bengio", "wilson", "jeffreys",
    "newcombe", "bca", "mover", "kish", "obuchowski", "youden", "grey zone", "referral", "cost matrix", "reject option",
    "top 5 %", "decile", "hand-till", "ovo", "one-vs-rest", "hum", "vus", "macro", "micro", "samples average",
    "subset accuracy", "exact match", "hamming loss", "label ranking loss", "coverage error", "top-k accuracy",
    "temperature", "platt", "isotonic", "beta calibration", "ece", "class-wise ece", "top-label calibration", "ici",
    "hosmer-lemeshow", "spiegelhalter", "venkatraman", "tost", "non-inferiority", "cross-fitting", "optimism",
    "mercaldo", "begg-greenes", "prediction-powered", "evpi", "evsi", "vertical averaging", "threshold averaging",
    "averaged roc", "paired bootstrap", "cluster bootstrap", "multi-label", "permutation", "net benefit",
    "decision curve", "convex hull", "h-measure", "gains", "cohen's kappa",
]  # fmt: skip


@pytest.mark.parametrize("name", USUAL)
def test_explain_knows_methods_by_their_usual_names(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", *name.split()]) == 0, capsys.readouterr().err
    assert len(capsys.readouterr().out.split()) > 8


def test_a_method_is_not_taken_for_another_name(capsys: pytest.CaptureFixture[str]) -> None:
    """The hint for delong was "Did you mean 'long 7'?"."""
    assert main(["explain", "delong"]) == 0
    shown = capsys.readouterr()
    assert "DeLong" in shown.out and "AUC" in shown.out and "Did you mean" not in shown.out + shown.err
