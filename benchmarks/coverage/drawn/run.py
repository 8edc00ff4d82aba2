"""Every quantity in turn, those with least left to do first; what is found is kept in `found/` after each setting, so
that a stopped run can go on."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

import numpy as np

from benchmarks.coverage.drawn import choices, classes, designs, measures, models, page, priced, small, studies
from benchmarks.coverage.drawn.quantity import SAMPLES, SETTINGS, Quantity, as_data, simulate

FOUND = Path(__file__).parent / "found"
PAGE = Path(__file__).resolve().parents[3] / "docs" / "coverage.md"
QUANTITIES: tuple[Quantity, ...] = (
    *choices.QUANTITIES, *designs.QUANTITIES, *models.QUANTITIES, *measures.QUANTITIES, *classes.QUANTITIES,
    *priced.QUANTITIES, *studies.QUANTITIES,
)  # fmt: skip
QUICK_SETTINGS, QUICK_SAMPLES, QUICK_TABLES = 4, 40, 400


def path_of(name: str) -> Path:
    return FOUND / f"{name.replace(',', '').replace(' ', '-')}.json"


def one_setting(task: tuple[int, dict[str, Any] | None], name: str, samples: int) -> tuple[int, dict[str, Any]]:
    (index, before), quantity = task, next(one for one in QUANTITIES if one.name == name)
    setting, found = simulate(quantity, index, samples, before)
    return index, as_data(setting, samples, found)


def run(quantity: Quantity, settings: int, samples: int, processes: int, *, go_on: bool, save: bool) -> dict[str, Any]:
    """All settings of one quantity; with `go_on` what was done before is kept and added to."""
    start, rows = perf_counter(), (_done(quantity) if go_on else {})
    left = [index for index in range(settings) if index not in rows or rows[index]["samples"] < samples]
    work = partial(one_setting, name=quantity.name, samples=samples)
    tasks = [(one, rows.get(one)) for one in left]
    for done, (index, row) in enumerate(_worked(work, tasks, processes), 1):
        rows[index] = row
        if save:
            _keep(quantity, rows)
        print(f"{quantity.name}: {done} of {len(left)}, {perf_counter() - start:.0f} s", file=sys.stderr)
    settings_found = {str(index): rows[index] for index in sorted(rows)}
    return {"quantity": quantity.name, "seed": quantity.origin, "settings": settings_found}


def _worked(work: Any, tasks: Sequence[Any], processes: int) -> Iterator[tuple[int, dict[str, Any]]]:
    """What each task finds, as it is done: here, or by several processes."""
    if processes == 1:
        yield from map(work, tasks)
        return
    with get_context("spawn").Pool(processes) as pool:
        yield from pool.imap_unordered(work, tasks)


def seconds_left(quantity: Quantity, settings: int, samples: int) -> float:
    """About how long the samples that are left take, from one of each of ten settings."""
    rows, total = _done(quantity), 0.0
    left = [samples - (rows[index]["samples"] if index in rows else 0) for index in range(settings)]
    if not any(one > 0 for one in left):
        return 0.0
    tried = range(0, settings, max(1, settings // 10))
    for index in tried:
        for _ in range(2):  # the first one fills caches
            start = process_time()
            quantity.sample(quantity.setting(index), np.random.default_rng(quantity.seed(index, samples)))
        total += (process_time() - start) / len(tried)
    return total * sum(max(0, one) for one in left)


def _keep(quantity: Quantity, rows: dict[int, Any]) -> None:
    """One setting a line, so that a change can be read."""
    FOUND.mkdir(exist_ok=True)
    lines = ",\n".join(f'"{index}": {json.dumps(rows[index])}' for index in sorted(rows))
    path = path_of(quantity.name)
    half = path.with_suffix(".half")  # so that a run that is stopped leaves the whole file of before
    head = f'"quantity": "{quantity.name}", "seed": {quantity.origin}'
    half.write_text(f'{{{head}, "settings": {{\n{lines}\n}}}}\n', encoding="utf-8")
    half.replace(path)


def _done(quantity: Quantity) -> dict[int, Any]:
    """What the same seed found before."""
    found = read(quantity.name)
    known = {} if found is None or found.get("seed") != quantity.origin else found["settings"]
    return {int(index): row for index, row in known.items()}


def read(name: str) -> dict[str, Any] | None:
    path = path_of(name)
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else None


def everything(
    only: Sequence[str],
    settings: int | None,
    samples: int,
    tables: int,
    processes: int,
    *,
    go_on: bool = False,
    save: bool = True,
) -> list[tuple[Quantity | None, dict[str, Any]]]:
    """The quantities whose name has one of the texts, or all; the small tables are the last."""
    found: list[tuple[Quantity | None, dict[str, Any]]] = []
    asked = [one for one in QUANTITIES if not only or any(text in one.name for text in only)]
    if go_on:
        asked.sort(key=lambda one: seconds_left(one, settings or one.settings, samples))
    for quantity in asked:
        many = settings or quantity.settings
        found.append((quantity, run(quantity, many, samples, processes, go_on=go_on, save=save)))
    if not only or any(text in small.NAME for text in only):
        found.append((None, small.run(tables, processes, path_of(small.NAME) if save else None, go_on=go_on)))
    return found


def section() -> str:
    """The part of the page, from what is kept."""
    known = [(quantity, read(quantity.name)) for quantity in QUANTITIES]
    kept = [(one, found) for one, found in known if found is not None and found.get("seed") == one.origin]
    return page.markdown(kept, read(small.NAME))


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.coverage.drawn", description=__doc__)
    parser.add_argument("--only", nargs="+", default=(), metavar="TEXT", help="only quantities whose name has a text")
    parser.add_argument("--settings", type=int, help=f"settings of each quantity ({SETTINGS} or more)")
    parser.add_argument("--samples", type=int, default=SAMPLES, help=f"samples of each setting ({SAMPLES})")
    parser.add_argument("--tables", type=int, default=small.TABLES, help=f"small tables ({small.TABLES:,})")
    parser.add_argument("--processes", type=int, default=2, help="processes at once (2)")
    parser.add_argument("--quick", action="store_true", help="few settings and samples, printed, nothing written")
    parser.add_argument("--go-on", action="store_true", help="keep what was done before, and add to it")
    parser.add_argument("--page", action="store_true", help="only write the page from what is kept")
    asked = parser.parse_args()
    if asked.quick:
        few = everything(asked.only, QUICK_SETTINGS, QUICK_SAMPLES, QUICK_TABLES, asked.processes, save=False)
        print(page.markdown([(one, found) for one, found in few if one], next((f for one, f in few if not one), None)))
        return
    if not asked.page:
        everything(asked.only, asked.settings, asked.samples, asked.tables, asked.processes, go_on=asked.go_on)
    PAGE.write_text(page.placed(PAGE.read_text(encoding="utf-8"), section()), encoding="utf-8")
