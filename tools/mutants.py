"""How many planted faults the tests see: one operator, constant or comparison of the core changed at a time.

`make mutants` draws 300 changes from the packages that compute and runs, for each, the tests that execute its line.
A change that no test sees is printed: a test is missing there, or the change means the same. Those that mean the same
stand with their reason in tests/mutants.toml and are counted apart.

How it works: every module is parsed, and each place that can be changed is a pair (line, column) with a new piece of
text. A place is drawn by the hash of its text, so that work elsewhere in a module does not change the sample. Each test
file is run once under a tracer to learn which test executes which line. Then a process that has imported the packages
of others, but not rocscope, forks once per change; the child imports a copy of rocscope with the change in it and stops
at the first failing test, which must pass without the change. A child that uses far more processor time than its tests
need counts as seen: an endless loop is noticed. What was learned and found is kept in a folder outside the project, so
that a run can be continued.
"""

from __future__ import annotations

import argparse
import ast
import functools
import hashlib
import importlib
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import tomllib
import traceback
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ("formula", "measures", "estimate", "tally", "table", "hull", "curves", "decisions", "intervals",
            "significance")  # fmt: skip
TOPICS = (
    "significance", "decisions", "hull", "curves", "areas", "intervals", "intervals_beyond", "delong", "estimate",
    "estimate_counts", "formula", "measures", "multiclass", "tally", "packing", "pairs", "table", "streaming",
    "core_laws", "distributions", "intervals_classes", "calibration_intervals", "case_costs", "referral", "top_ranked",
    "practical_equality", "after_choice", "one_number", "classes_oracle", "classes_beyond", "class_comparison",
    "extension", "extension_rules", "incomplete", "magnitudes", "columns_in", "merge", "migration", "primary_measure",
    "recalibration", "reproduced", "sklearn", "sklearn_oracle", "splits", "table_files", "threads", "evaluation",
    "break_even", "cluster_effects", "explicit_names",
)  # fmt: skip
WARM = (
    "numpy", "scipy.stats", "scipy.special", "scipy.optimize", "scipy.integrate", "scipy.sparse", "pandas", "pytest",
    "hypothesis.strategies", "hypothesis.extra.numpy", "_pytest.doctest", "sklearn.metrics", "statistics",
)  # fmt: skip
QUICK = 3.0  # seconds of the first stage
OFTEN = 40  # calls of one function in one test after which its lines are taken to be known
NOT_THESE = "not slow and not dask and not spark and not browser"
COMPARE = {ast.Lt: "<=", ast.LtE: "<", ast.Gt: ">=", ast.GtE: ">", ast.Eq: "!=", ast.NotEq: "=="}
ARITHMETIC = {ast.Add: "-", ast.Sub: "+", ast.Mult: "/", ast.Div: "*", ast.FloorDiv: "*", ast.Pow: "*"}
SIGNS = {ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!=", ast.Add: "+",
         ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "//", ast.Pow: "**"}  # fmt: skip
SEEN, MISSED, SAME = "seen", "MISSED", "same"


@dataclass(frozen=True)
class Mutant:
    """One change: `start` to `end` of a line of a file becomes `new`."""

    path: str
    line: int
    start: int
    end: int
    new: str
    text: str
    within: tuple[int, int] | None

    @property
    def becomes(self) -> str:
        """The line with the change in it."""
        line = self.text.encode()
        return (line[: self.start] + self.new.encode() + line[self.end :]).decode()

    @property
    def key(self) -> tuple[str, str, str]:
        """What names the change, wherever its line stands today and whatever its comment says."""
        return named(self.path, self.text, self.becomes)

    def __str__(self) -> str:
        return f"{self.path}:{self.line}:\n    {self.text.strip()}\n    {self.becomes.strip()}"


def named(path: str, *lines: str) -> tuple[str, str, str]:
    """The name of a change: its file, and the line before and after without indent and comment."""
    before, after = (line.split("  # ")[0].strip() for line in lines)
    return path, before, after


# --- what can be changed


def mutants(path: Path) -> Iterator[Mutant]:
    """Every change of a module that is tried; texts, annotations and messages are left alone."""
    text = path.read_text("utf-8")
    lines, tree = text.split("\n"), ast.parse(text)
    bodies = [(one.body[0].lineno, one.end_lineno or 0) for one in ast.walk(tree) if isinstance(one, ast.FunctionDef)]
    for line, start, end, new in sorted(set(_places(tree, lines))):
        around = [(first, last) for first, last in bodies if first <= line <= last]
        name = str(path.relative_to(ROOT))
        yield Mutant(name, line, start, end, new, lines[line - 1], max(around) if around else None)


def _places(tree: ast.AST, lines: list[str]) -> Iterator[tuple[int, int, int, str]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Compare) and len(node.ops) == 1 and type(node.ops[0]) in COMPARE:
            kind = type(node.ops[0])
            yield from _between(lines, node.left, node.comparators[0], SIGNS[kind], COMPARE[kind])
        elif isinstance(node, ast.BinOp) and type(node.op) in ARITHMETIC and not _text(node):
            yield from _between(lines, node.left, node.right, SIGNS[type(node.op)], ARITHMETIC[type(node.op)])
        elif isinstance(node, ast.BoolOp) and len(node.values) == 2:
            old, new = ("and", "or") if isinstance(node.op, ast.And) else ("or", "and")
            yield from _between(lines, node.values[0], node.values[1], old, new)
        elif isinstance(node, ast.Constant) and type(node.value) in (int, float) and node.lineno == node.end_lineno:
            start, end = node.col_offset, node.end_col_offset or 0
            old = lines[node.lineno - 1].encode()[start:end].decode()
            yield node.lineno, start, end, f"({old} + 1)"


def _text(node: ast.BinOp) -> bool:
    """Whether an operator joins text or types rather than numbers."""
    return any(isinstance(one, ast.JoinedStr) or (isinstance(one, ast.Constant) and isinstance(one.value, str))
               for one in (node.left, node.right))  # fmt: skip


def _between(
    lines: list[str], left: ast.expr, right: ast.expr, old: str, new: str
) -> Iterator[tuple[int, int, int, str]]:
    """The sign between two operands that stand on one line."""
    if left.end_lineno != right.lineno or left.end_col_offset is None:
        return
    line = lines[right.lineno - 1].encode()
    at = line[left.end_col_offset : right.col_offset].find(old.encode())
    if at >= 0:
        start = left.end_col_offset + at
        yield right.lineno, start, start + len(old), new


def drawn(packages: Iterable[str], sample: int, seed: int) -> tuple[list[Mutant], int]:
    """The sample, and how many changes are possible."""
    paths = [path for name in packages for path in sorted((ROOT / "src/rocscope" / name).rglob("*.py"))]
    every = [one for path in paths for one in mutants(path)]
    by_hash = sorted(every, key=lambda one: hashlib.sha256(repr((seed, one.key, one.start)).encode()).digest())
    return by_hash[:sample], len(every)


# --- a process for one run of tests


def child(work: Callable[[], int], output: Path, seconds: float) -> int:
    """The exit code of `work` in a fork of this process: 99 when it used too much processor time or memory."""
    sys.stdout.flush()
    if pid := os.fork():
        code = os.waitpid(pid, 0)[1]
        return os.waitstatus_to_exitcode(code) if os.WIFEXITED(code) else 99
    code = 98
    try:
        with output.open("w") as file:
            os.dup2(file.fileno(), 1)
            os.dup2(file.fileno(), 2)
        resource.setrlimit(resource.RLIMIT_CPU, (int(seconds) + 1, int(seconds) + 1))
        resource.setrlimit(resource.RLIMIT_AS, (8 * 2**30, 8 * 2**30))
        code = work()
    except BaseException:
        traceback.print_exc()
    with suppress(BaseException):
        sys.stdout.flush()
        sys.stderr.flush()
    os._exit(code)


def tests(copy: Path, arguments: Iterable[str], plugin: object) -> int:
    """pytest on files of the copy, in this process."""
    import pytest

    os.chdir(copy)
    os.environ |= {"PYTHONPATH": f"{copy / 'src'}:{copy / 'tests'}", "HYPOTHESIS_PROFILE": "mutants"}
    sys.path.insert(0, str(copy / "src"))
    # fmt: off
    fixed = ["--import-mode=append", "-q", "--no-header", "--tb=line", "-W", "ignore:Module already imported",
             "-p", "no:cacheprovider", "-p", "no:xdist", f"--rootdir={copy}", "-c", f"{copy}/pyproject.toml",
             "-m", NOT_THESE]
    # fmt: on
    return int(pytest.main([*fixed, *arguments], [plugin]))


class Lines:
    """A plugin that writes down which lines of the packages each passed test executes, and how long it takes."""

    def __init__(self, copy: Path) -> None:
        self.inside = tuple(str(copy / "src/rocscope" / name) for name in PACKAGES)
        self.copy, self.begun = copy, 0.0
        self.found: dict[str, Any] = {}
        self.now: set[tuple[str, int]] = set()
        self.calls: Counter[CodeType] = Counter()
        self.known: dict[CodeType, bool] = {}

    def trace(self, frame: FrameType, event: str, value: Any) -> Any:
        code = frame.f_code
        ours = self.known.get(code)
        if ours is None:
            ours = self.known[code] = code.co_filename.startswith(self.inside)
        if not ours or self.calls[code] >= OFTEN:
            return None
        self.calls[code] += 1
        name = code.co_filename

        def local(frame: FrameType, event: str, value: Any) -> Any:
            if event == "line":
                self.now.add((name, frame.f_lineno))
            return local

        return local

    def pytest_runtest_protocol(self, item: Any, nextitem: Any) -> None:
        self.now, self.calls, self.begun = set(), Counter(), time.process_time()
        threading.settrace(self.trace)
        sys.settrace(self.trace)

    def pytest_runtest_logreport(self, report: Any) -> None:
        if report.when == "call" and report.passed:
            sys.settrace(None)
            lines = defaultdict(list)
            for name, text in sorted({(name, _text_of(name, line)) for name, line in self.now}):
                lines[str(Path(name).relative_to(self.copy))].append(text)
            if lines:
                self.found[report.nodeid] = {"seconds": time.process_time() - self.begun, "lines": lines}


@functools.cache
def _lines_of(path: str) -> list[str]:
    return Path(path).read_text("utf-8").split("\n")


def _text_of(path: str, line: int) -> str:
    return _lines_of(path)[line - 1].strip()


class Chosen:
    """A plugin that runs the chosen tests in their order and writes down the first that fails."""

    def __init__(self, order: list[str], output: Path) -> None:
        self.order, self.output = {name: place for place, name in enumerate(order)}, output

    def pytest_collection_modifyitems(self, session: Any, config: Any, items: list[Any]) -> None:
        items[:] = sorted((one for one in items if one.nodeid in self.order), key=lambda one: self.order[one.nodeid])

    def pytest_runtest_logreport(self, report: Any) -> None:
        if report.failed:
            self.output.write_text(report.nodeid)


@contextmanager
def changed(mutant: Mutant | None, copy: Path) -> Iterator[None]:
    """The module of the copy with the change in it, dated so that no compiled one is taken for it."""
    if mutant is None:
        yield
        return
    target = copy / mutant.path
    plain, dated = target.read_bytes(), target.stat().st_mtime
    lines = plain.decode().split("\n")
    assert lines[mutant.line - 1] == mutant.text
    lines[mutant.line - 1] = mutant.becomes
    try:
        target.write_text("\n".join(lines), "utf-8")
        os.utime(target, (dated + 1e6, dated + 1e6))
        yield
    finally:
        target.write_bytes(plain)
        os.utime(target, (dated, dated))


# --- which tests execute a line


def learned(copy: Path, kept: Path, until: float) -> dict[str, dict[str, Any]]:
    """What every test executes; only files whose text is new are run. Empty when the time is over."""
    files = [f"src/rocscope/{name}" for name in PACKAGES] + [f"tests/test_{topic}.py" for topic in TOPICS]
    every: dict[str, dict[str, Any]] = {}
    for name in files:
        inside = [copy / name] if name.endswith(".py") else sorted((copy / name).rglob("*.py"))
        stamp = hashlib.sha256(b"".join(path.read_bytes() for path in inside)).hexdigest()[:16]
        store = kept / "lines" / f"{name.replace('/', '.')}-{stamp}.json"
        if not store.exists():
            if time.monotonic() > until:
                return {}
            store.parent.mkdir(parents=True, exist_ok=True)
            code = child(functools.partial(_learn, copy, name, store), kept / "output.txt", 1200)
            if not store.exists():
                raise SystemExit(f"{name} cannot be run (exit {code}): {(kept / 'output.txt').read_text()}")
            print(f"{name}: {len(json.loads(store.read_text()))} tests", flush=True)
        every |= json.loads(store.read_text())
    return every


def _learn(copy: Path, name: str, store: Path) -> int:
    plugin = Lines(copy)
    code = tests(copy, [name, "-o", "addopts=--doctest-modules --strict-markers"], plugin)
    sys.settrace(None)
    store.write_text(json.dumps(plugin.found))
    return code


def nearest(mutant: Mutant, every: dict[str, dict[str, Any]], seconds: float) -> list[list[str]]:
    """The tests that execute the line, in stages: a few quick ones of the two files with most of them, then all.

    Within a stage the examples of the module itself come first, then each test's quickest case, and so on. A line
    outside of functions, such as a declaration in a catalog, is executed when its module is imported: any test of the
    package may see it, those about it (by a name that stands in the declaration) and those of its module first.
    """
    near = [name for name, found in every.items() if mutant.text.strip() in found["lines"].get(mutant.path, ())]
    declared = mutant.within is None
    if declared:
        package = str(Path(mutant.path).parent)
        near = [name for name, found in every.items() if any(path.startswith(package) for path in found["lines"])]
    elif not near:  # a line within a statement
        near = [name for name, found in every.items() if mutant.path in found["lines"]]
    topic = f"tests/test_{Path(mutant.path).parts[2]}.py"
    about = _names(mutant) if declared else frozenset()
    near.sort(key=lambda name: every[name]["seconds"])
    turn: Counter[str] = Counter()
    order: list[tuple[bool, bool, int, float, str]] = []
    for name in near:
        function, _, case = name.partition("[")
        own, found = name.startswith(mutant.path) or case.rstrip("]") in about, every[name]
        order.append((not own, mutant.path not in found["lines"], turn[function], found["seconds"], name))
        turn[function] += 1
    order.sort()
    files = Counter(name.split("::")[0] for outside, far, turns, _, name in order if outside and not far and not turns)
    quick = {mutant.path, *(name for name, _ in files.most_common(2)), *([topic] if declared else ())}
    first = _within(((cost, name) for *_, cost, name in order if name.split("::")[0] in quick), QUICK)
    others = _within(((cost, name) for *_, cost, name in order if name not in set(first)), seconds)
    return [stage for stage in (first, others) if stage]


def _names(mutant: Mutant) -> frozenset[str]:
    """The texts of the statement that a change stands in: what a declaration is called."""
    tree = ast.parse((ROOT / mutant.path).read_text("utf-8"))
    around = [one for one in ast.walk(tree) if isinstance(one, (ast.stmt, ast.Call))
              and one.lineno <= mutant.line <= (one.end_lineno or 0)]  # fmt: skip
    smallest = min(around, key=lambda one: (one.end_lineno or 0) - one.lineno, default=None)
    texts = (one.value for one in ast.walk(smallest) if isinstance(one, ast.Constant)) if smallest else ()
    return frozenset(text for text in texts if isinstance(text, str))


def _within(tests: Iterable[tuple[float, str]], seconds: float) -> list[str]:
    """The first tests that together take no longer."""
    chosen = []
    for cost, name in tests:
        if cost <= seconds:
            chosen.append(name)
            seconds -= cost
    return chosen


# --- a run


@dataclass
class Trial:
    """A copy of the project with what its tests execute, to try changes in."""

    copy: Path
    kept: Path
    every: dict[str, dict[str, Any]]
    seconds: float
    sound: set[str] = field(default_factory=set)

    def failing(self, mutant: Mutant | None, chosen: list[str]) -> str | None:
        """The first of the chosen tests that fails with the change, or without any; None when all pass."""
        failed = self.kept / "failed.txt"
        failed.unlink(missing_ok=True)

        def work() -> int:
            sys.dont_write_bytecode = mutant is not None
            files = dict.fromkeys(name.split("::")[0] for name in chosen)
            return tests(self.copy, ["-x", *files], Chosen(chosen, failed))

        with changed(mutant, self.copy):
            code = child(work, self.kept / "output.txt", 3 * self.seconds + 60)
        if code in (4, 5):  # no test was run
            raise SystemExit(f"{mutant} cannot be tried (exit {code}): {(self.kept / 'output.txt').read_text()}")
        return None if not code else failed.read_text() if failed.exists() else f"exit {code}"

    def of(self, mutant: Mutant) -> dict[str, Any]:
        """Whether a test fails with the change and passes without it, and which."""
        spent, stages = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime, nearest(mutant, self.every, self.seconds)
        by = None
        for stage in stages:
            chosen = list(stage)
            while chosen and (by := self.failing(mutant, chosen)) in chosen and by not in self.sound:
                if self.failing(None, [by]) is None:
                    self.sound.add(by)
                    break
                self.every.pop(by)  # it fails by itself, or without the tests that ran before it
                chosen.remove(by)
                by = None
            if by is not None:
                break
        spent = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - spent
        found = {"key": mutant.key, "seen": by is not None, "by": by or ""}
        return {**found, "tests": sum(map(len, stages)), "seconds": round(spent, 1)}


def the_same() -> dict[tuple[str, str, str], str]:
    """The changes that mean the same, with the reason."""
    table = ROOT / "tests/mutants.toml"
    rows = tomllib.loads(table.read_text("utf-8"))["same"] if table.exists() else []
    return {named(one["path"], one["line"], becomes): one["why"] for one in rows
            for becomes in ([one["becomes"]] if isinstance(one["becomes"], str) else one["becomes"])}  # fmt: skip


def copied(copy: Path) -> None:
    """The project as it stands, so that work may go on beside a run."""
    names = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, capture_output=True, check=True)
    for name in names.stdout.decode().splitlines():
        if (ROOT / name).is_file():
            (copy / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, copy / name)


def main() -> int:
    """Draw, try and count."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--sample", type=int, default=300)
    options.add_argument("--seed", type=int, default=0)
    options.add_argument("--seconds", type=float, default=12, help="processor time of the tests of one change")
    options.add_argument("--minutes", type=float, default=600, help="stop after this time; the next run goes on")
    options.add_argument("--again", action="store_true", help="try the missed ones again, with today's tests")
    options.add_argument("--only", default="", help="packages, with commas between them")
    options.add_argument("--kept", type=Path, default=Path(tempfile.gettempdir()) / "rocscope-mutants")
    asked = options.parse_args()
    until = time.monotonic() + 60 * asked.minutes
    packages = asked.only.split(",") if asked.only else PACKAGES
    sample, possible = drawn(packages, asked.sample, asked.seed)
    asked.kept.mkdir(parents=True, exist_ok=True)
    store = asked.kept / "results.jsonl"
    rows = [json.loads(line) for line in store.read_text().splitlines()] if store.exists() else []
    found = {named(*row["key"]): row for row in rows}
    left = [one for one in sample if one.key not in the_same()
            and (one.key not in found or (asked.again and not found[one.key]["seen"]))]  # fmt: skip
    if left:
        for name in WARM:
            importlib.import_module(name)
        with tempfile.TemporaryDirectory() as name, store.open("a") as file:
            copied(Path(name))
            trial = Trial(Path(name), asked.kept, learned(Path(name), asked.kept, until), asked.seconds)
            for one in left if trial.every else ():
                if time.monotonic() > until:
                    break
                found[one.key] = trial.of(one)
                print(json.dumps(found[one.key]), file=file, flush=True)
    report(sample, found, possible)
    return 0


def report(sample: list[Mutant], found: dict[Any, dict[str, Any]], possible: int) -> None:
    """The score of each package, and every change that no test sees."""
    counts: Counter[tuple[str, str]] = Counter()
    same = the_same()
    for one in sample:
        if one.key not in same and one.key not in found:
            continue
        state = SAME if one.key in same else SEEN if found[one.key]["seen"] else MISSED
        counts[Path(one.path).parts[2], state] += 1
        if state == MISSED:
            print(f"{one}\n    {found[one.key]['tests']} tests")
    for package in (*PACKAGES, "in all"):
        held = Counter({state: sum(number for (name, one), number in counts.items() if one == state
                                   and package in (name, "in all")) for state in (SEEN, MISSED, SAME)})  # fmt: skip
        print(f"{package}: {held[SEEN]} of {held[SEEN] + held[MISSED]} seen, {held[SAME]} mean the same")
    print(f"{counts.total()} of {len(sample)} tried, of {possible} possible")


if __name__ == "__main__":
    sys.exit(main())
