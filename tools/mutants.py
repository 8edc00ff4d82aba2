"""How many planted faults the tests see: one operator, constant or comparison of the core changed at a time.

`make mutants` draws 300 changes from the packages that compute, and runs the tests nearest to each against a copy of
the sources. A change that no test sees is printed: a test is missing there, or the change means the same.

How it works: every module is parsed, each place that can be changed is a pair (line, column) with a new piece of text,
and a seeded sample of all places is taken. The copy is restored after each change. A run that takes too long counts as
seen: an endless loop is noticed.
"""

from __future__ import annotations

import argparse
import ast
import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
NEAREST: dict[str, tuple[str, ...]] = {
    "formula": ("test_formula.py", "test_measures.py"),
    "measures": ("test_measures.py", "test_multiclass.py"),
    "estimate": ("test_estimate.py", "test_estimate_counts.py"),
    "tally": ("test_tally.py", "test_packing.py", "test_pairs.py", "test_columns_in.py"),
    "table": ("test_table.py", "test_merge.py", "test_streaming.py", "test_core_laws.py"),
    "hull": ("test_hull.py",),
    "curves": ("test_curves.py", "test_areas.py", "test_core_laws.py"),
    "decisions": ("test_decisions.py",),
    "intervals": ("test_intervals.py", "test_intervals_beyond.py", "test_delong.py", "test_core_laws.py"),
    "significance": ("test_significance.py", "test_delong.py", "test_core_laws.py"),
}
COMPARE = {ast.Lt: "<=", ast.LtE: "<", ast.Gt: ">=", ast.GtE: ">", ast.Eq: "!=", ast.NotEq: "=="}
ARITHMETIC = {ast.Add: "-", ast.Sub: "+", ast.Mult: "/", ast.Div: "*", ast.FloorDiv: "*", ast.Pow: "*"}
SIGNS = {ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!=", ast.Add: "+",
         ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "//", ast.Pow: "**"}  # fmt: skip


@dataclass(frozen=True)
class Mutant:
    """One change: `start` to `end` of a line of a file becomes `new`."""

    path: Path
    line: int
    start: int
    end: int
    old: str
    new: str

    def __str__(self) -> str:
        return f"{self.path.relative_to(ROOT)}:{self.line}: {self.old} becomes {self.new}"


def mutants(path: Path) -> Iterator[Mutant]:
    """Every change of a module that is tried; texts, annotations and messages are left alone."""
    text = path.read_text("utf-8")
    lines = text.splitlines()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Compare) and len(node.ops) == 1 and type(node.ops[0]) in COMPARE:
            kind = type(node.ops[0])
            yield from _between(path, lines, node.left, node.comparators[0], SIGNS[kind], COMPARE[kind])
        elif isinstance(node, ast.BinOp) and type(node.op) in ARITHMETIC and not _text(node):
            yield from _between(path, lines, node.left, node.right, SIGNS[type(node.op)], ARITHMETIC[type(node.op)])
        elif isinstance(node, ast.BoolOp) and len(node.values) == 2:
            old, new = ("and", "or") if isinstance(node.op, ast.And) else ("or", "and")
            yield from _between(path, lines, node.values[0], node.values[1], old, new)
        elif isinstance(node, ast.Constant) and type(node.value) in (int, float) and node.lineno == node.end_lineno:
            old = lines[node.lineno - 1].encode()[node.col_offset : node.end_col_offset].decode()
            yield Mutant(path, node.lineno, node.col_offset, node.end_col_offset or 0, old, f"({old} + 1)")


def _text(node: ast.BinOp) -> bool:
    """Whether an operator joins text or types rather than numbers."""
    return any(isinstance(one, ast.Constant | ast.JoinedStr) and not isinstance(getattr(one, "value", 0), int | float)
               for one in (node.left, node.right))  # fmt: skip


def _between(path: Path, lines: list[str], left: ast.expr, right: ast.expr, old: str, new: str) -> Iterator[Mutant]:
    """The sign between two operands that stand on one line."""
    if left.end_lineno != right.lineno or left.end_col_offset is None:
        return
    line = lines[right.lineno - 1].encode()
    at = line[left.end_col_offset : right.col_offset].find(old.encode())
    if at >= 0:
        start = left.end_col_offset + at
        yield Mutant(path, right.lineno, start, start + len(old), old, new)


def changed(mutant: Mutant, source: str) -> str:
    """The module with the change in it."""
    lines = source.split("\n")
    line = lines[mutant.line - 1].encode()
    lines[mutant.line - 1] = (line[: mutant.start] + mutant.new.encode() + line[mutant.end :]).decode()
    return "\n".join(lines)


def seen(mutant: Mutant, copy: Path, seconds: float) -> bool:
    """Whether the nearest tests fail with the change."""
    inside = mutant.path.relative_to(ROOT / "src")
    target, package = copy / "src" / inside, inside.parts[1].removesuffix(".py")
    plain = target.read_text("utf-8")
    tests = [str(copy / "tests" / name) for name in NEAREST[package] if (copy / "tests" / name).exists()]
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", "--no-header", *tests]
    environment = {**os.environ, "PYTHONPATH": f"{copy / 'src'}:{copy / 'tests'}", "HYPOTHESIS_PROFILE": "mutants"}
    try:
        target.write_text(changed(mutant, plain), "utf-8")
        done = subprocess.run(command, cwd=copy, env=environment, capture_output=True, timeout=seconds, check=False)
        return done.returncode != 0
    except subprocess.TimeoutExpired:
        return True
    finally:
        target.write_text(plain, "utf-8")


def main() -> int:
    """Draw, try and count."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--sample", type=int, default=300)
    options.add_argument("--seed", type=int, default=0)
    options.add_argument("--seconds", type=float, default=600)
    options.add_argument("--only", default="", help="packages, with commas between them")
    asked = options.parse_args()
    packages = asked.only.split(",") if asked.only else list(NEAREST)
    paths = [path for name in packages for path in sorted((ROOT / "src/rocscope" / name).rglob("*.py"))]
    every = [one for path in paths for one in mutants(path)]
    drawn = random.Random(asked.seed).sample(every, min(asked.sample, len(every)))
    counts: Counter[tuple[str, bool]] = Counter()
    with tempfile.TemporaryDirectory() as name:
        copy = Path(name)
        for part in ("src", "tests", "docs", "tools", "benchmarks"):
            shutil.copytree(ROOT / part, copy / part, ignore=shutil.ignore_patterns("__pycache__"))
        for part in ("pyproject.toml", "README.md", "CHANGELOG.md"):
            shutil.copy(ROOT / part, copy / part)
        for one in drawn:
            found = seen(one, copy, asked.seconds)
            counts[one.path.relative_to(ROOT / "src/rocscope").parts[0], found] += 1
            print(f"{'seen' if found else 'SURVIVED'} {one}", flush=True)
    for package in packages:
        killed, lived = counts[package, True], counts[package, False]
        print(f"{package}: {killed} of {killed + lived}")
    total = sum(count for (_, found), count in counts.items() if found)
    print(f"{total} of {len(drawn)} changes seen ({100 * total / max(1, len(drawn)):.0f} %), of {len(every)} possible")
    return 0


if __name__ == "__main__":
    sys.exit(main())
