"""The cells run on two processes; then the page and its pictures are written."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from time import perf_counter
from typing import Any, NamedTuple

from benchmarks.coverage import areas, counts, page, pairs, pictures
from benchmarks.coverage.drawn import page as drawn_page
from benchmarks.coverage.drawn import run as drawn
from benchmarks.coverage.results import Results, promises

DOCS = Path(__file__).resolve().parents[2] / "docs"
SAMPLES, QUICK = 2500, 200
MORE = 3  # times as many samples where the size of DeLong's test is decided


class Job(NamedTuple):
    """One piece of work, and where its answer belongs."""

    family: str
    key: Any
    call: Callable[[], Any]


def jobs(samples: int, cases: Sequence[int], totals: Sequence[int]) -> Iterator[Job]:
    """Every piece of the full run, the longest first."""
    for n in sorted(totals, reverse=True):
        for measure in counts.MEASURES:
            yield Job("measures", (*measure, n), partial(counts.measure_coverage, *measure, n))
    for cell in areas.grid():
        yield Job("areas", cell, partial(areas.simulate, cell, samples))
    for cell in areas.harder():
        yield Job("harder", cell, partial(areas.simulate, cell, samples))
    for pair in pairs.grid():
        many = samples * MORE if pair.critical else samples
        permuted = samples if pair.critical and pair.positives == 10 else 0
        yield Job("pairs", pair, partial(pairs.simulate, pair, many, permuted))
    for method in counts.proportion_methods():
        yield Job("proportions", method, partial(counts.proportion_coverage, method, cases))
    for method in counts.TESTS:
        yield Job("mcnemar", method, partial(counts.mcnemar_sizes, method, cases))


def answer(job: Job) -> tuple[str, Any, Any]:
    return job.family, job.key, job.call()


def run(work: Sequence[Job], processes: int) -> dict[str, dict[Any, Any]]:
    """The answers by family, in the order of the jobs however they were done."""
    found: dict[tuple[str, Any], Any] = {}
    start = perf_counter()
    with get_context("spawn").Pool(processes) as pool:
        for family, key, value in pool.imap_unordered(answer, work):
            found[family, key] = value
            _progress(len(found), len(work), perf_counter() - start)
    ordered: dict[str, dict[Any, Any]] = {}
    for job in work:
        ordered.setdefault(job.family, {})[job.key] = found[job.family, job.key]
    return ordered


def _progress(done: int, total: int, seconds: float) -> None:
    terminal = sys.stderr.isatty()
    if terminal or done == total or done % max(1, total // 20) == 0:
        left = seconds / done * (total - done)
        text = f"coverage: {done} of {total} cells, {seconds:.0f} s, about {left:.0f} s left"
        print(f"\r{text}   " if terminal else text, end="" if terminal and done < total else "\n", file=sys.stderr)
        sys.stderr.flush()


def results(samples: int, processes: int, *, quick: bool = False) -> Results:
    """A full run, or a coarse one."""
    cases = counts.SHOWN if quick else counts.CASES
    found = run(list(jobs(samples, cases, counts.TOTALS[:1] if quick else counts.TOTALS)), processes)
    measures: dict[Any, dict[Any, Any]] = {}
    for (measure, method, _), value in found.pop("measures").items():
        measures.setdefault((measure, method), {}).update(value)
    return Results(samples=samples, cases=tuple(cases), measures=measures, **found)


def some_cells(texts: Sequence[str], samples: int, processes: int) -> str:
    """A table of the cells of one AUC whose name contains a text."""
    chosen = [cell for cell in (*areas.grid(), *areas.harder()) if any(text in cell.name for text in texts)]
    if not chosen:
        raise SystemExit(f"no cell contains {' or '.join(map(repr, texts))}; a name is '{areas.grid()[0].name}'")
    work = [Job("areas", cell, partial(areas.simulate, cell, samples)) for cell in chosen]
    found = run(work, processes)["areas"]
    rows = [
        (cell.name, *(f"{tally.coverage:.4f} ± {tally.error:.4f}" for tally in tallies.values()))
        for cell, tallies in found.items()
    ]
    return page.grid(("cell", *areas.METHODS), rows)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.coverage", description=__doc__)
    parser.add_argument("--quick", action="store_true", help=f"{QUICK} samples per cell, printed, nothing written")
    parser.add_argument("--cells", nargs="+", metavar="TEXT", help="only AUC cells whose name has a text, printed")
    parser.add_argument("--samples", type=int, help=f"samples per cell ({SAMPLES})")
    parser.add_argument("--processes", type=int, default=2, help="processes at once (2)")
    parser.add_argument("--keep-drawn", action="store_true", help="take the drawn settings as they were found before")
    asked = parser.parse_args()
    samples = asked.samples or (QUICK if asked.quick else SAMPLES)
    if asked.cells:
        print(some_cells(asked.cells, samples, asked.processes))
        return
    found = results(samples, asked.processes, quick=asked.quick)
    if asked.quick:
        print(page.markdown(found))
        return
    pictures.draw(found, DOCS / "img")
    if not asked.keep_drawn:
        drawn.everything((), drawn.SETTINGS, drawn.SAMPLES, drawn.small.TABLES, asked.processes)
    whole = drawn_page.placed(page.markdown(found), drawn.section())
    (DOCS / "coverage.md").write_text(whole, encoding="utf-8")
    for promise in promises(found):
        print(f"{'holds ' if promise.holds else 'MISSED'}  {promise.what}: {promise.found} (asked {promise.asked})")
