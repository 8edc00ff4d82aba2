"""Everything one run found, and the promises it is held against."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from benchmarks.coverage import areas, counts, pairs
from benchmarks.coverage.models import Array


@dataclass(frozen=True)
class Results:
    """The outcome of every cell, by family."""

    samples: int
    areas: dict[areas.Cell, dict[str, areas.Tally]]
    harder: dict[areas.Cell, dict[str, areas.Tally]]
    pairs: dict[pairs.Pair, pairs.Outcome]
    proportions: dict[str, dict[int, counts.Proportion]]
    mcnemar: dict[str, Array]
    measures: dict[tuple[str, str | None], dict[counts.Setting, counts.Covered]]
    cases: tuple[int, ...]

    @property
    def span(self) -> str:
        """The n of the exact tables, in words."""
        whole = self.cases == tuple(range(self.cases[0], self.cases[-1] + 1))
        if whole:
            return f"every n from {self.cases[0]} to {self.cases[-1]}"
        return f"n = {', '.join(map(str, self.cases))}"

    @property
    def equal(self) -> dict[pairs.Pair, pairs.Outcome]:
        """The pairs whose true areas are the same: what they reject is the size of the test."""
        return {pair: found for pair, found in self.pairs.items() if pair.first == pair.second}


@dataclass(frozen=True)
class Promise:
    """A figure that was promised, what was found, and whether it holds."""

    what: str
    asked: str
    found: str
    holds: bool


def promises(r: Results) -> Iterator[Promise]:
    """The promises about the defaults, in the order of the page."""
    yield from _of_the_area(areas.by_method(r.areas)[areas.DEFAULT])
    yield from _of_tests(r)


def _of_the_area(s: areas.Summary) -> Iterator[Promise]:
    name = "AUC, default interval: "
    share = s.under_93 / s.cells
    yield Promise(
        name + "mean coverage", "0.945 to 0.975", f"{s.mean:.4f} ± {s.error:.4f}", 0.945 <= s.mean <= 0.975
    )
    yield Promise(
        name + "cells under 0.93",
        "at most 7 %",
        f"{s.under_93} of {s.cells} ({100 * share:.1f} %)",
        share <= 0.07,
    )
    yield Promise(name + "cells under 0.84", "none", f"{s.under_84}, least {s.least:.3f}", s.under_84 == 0)
    yield Promise(name + "intervals of width 0", "none", f"{s.zero_width} of {s.samples:,}", s.zero_width == 0)
    bad = s.outside + s.refused
    yield Promise(name + "outside [0, 1] or without limits", "none", f"{bad} of {s.samples:,}", bad == 0)
    yield Promise(
        name + "mean width against plain Newcombe", "at most 1.15", f"{s.width:.3f}", s.width <= 1.15
    )


def _of_tests(r: Results) -> Iterator[Promise]:
    pair, worst = max(r.equal.items(), key=lambda item: item[1].size)
    yield Promise(
        f"DeLong's paired test at 0.05: largest size of {len(r.equal)} cells",
        "at most 0.065",
        f"{worst.size:.4f} ± {worst.error:.4f} ({pair.size})",
        worst.size <= 0.065,
    )
    said = 1 - min(one.tallies["floored"].coverage for one in r.equal.values())
    yield Promise(
        "Two equal models called different by the default interval of their difference: largest of these cells",
        "at most 0.065",
        f"{said:.4f}",
        said <= 0.065,
    )
    sizes = r.mcnemar["mid-p"]
    for says, rate in (("while at most three quarters of the pairs are discordant", 0.75), ("whatever the share", 1.0)):
        largest = float(sizes[:, rate >= counts.RATES].max())
        what = f"McNemar mid-P at 0.05, largest size over {r.span}, {says}"
        yield Promise(what, "at most 0.05", f"{largest:.5f}", largest <= 0.05)
