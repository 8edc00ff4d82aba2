"""Coverage of the intervals of one AUC, over sizes, areas and score models."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np

import rocscope as rs
from benchmarks.coverage.models import Array, models, named, sorted_counts, table

SEED = 20
METHODS = ("newcombe", "newcombe-plain", "delong", "logit-delong", "hanley-mcneil")
DEFAULT, PLAIN = METHODS[0], METHODS[1]
OF_THE_AREA_ALONE = ("newcombe-plain", "hanley-mcneil")  # same area, same sizes: the same limits, asked for once
SIZES = ((10, 10), (10, 50), (25, 25), (100, 100), (500, 500))
AREAS = (0.7, 0.8, 0.9, 0.95, 0.99, 0.999)
HARDER_SIZES = ((5, 5), (10, 500), (500, 10))
HARDER_MODELS = ("binormal, unequal", "exponential")


@dataclass(frozen=True)
class Cell:
    """One setting: a score model, the class sizes, the true area."""

    model: str
    positives: int
    negatives: int
    area: float

    @property
    def name(self) -> str:
        return f"{self.model} {self.size} {self.area:g}"

    @property
    def size(self) -> str:
        return f"{self.positives}/{self.negatives}"

    @property
    def seed(self) -> list[int]:
        """A seed of the cell's own, so that a part of the grid gives the figures of the whole."""
        index = [model.name for model in models()].index(self.model)
        return [SEED, index, self.positives, self.negatives, round(1e6 * self.area)]


def grid() -> tuple[Cell, ...]:
    """The 150 cells: five models, five sizes, six areas."""
    return tuple(Cell(m.name, *size, area) for m, size, area in product(models(), SIZES, AREAS))


def harder() -> tuple[Cell, ...]:
    """Beyond the grid: 5 per class, and one class 50 times the other, with the two skewest models."""
    return tuple(Cell(m, *size, area) for m, size, area in product(HARDER_MODELS, HARDER_SIZES, AREAS))


@dataclass(frozen=True)
class Tally:
    """What one method did in one cell; widths are means over the samples in which it gave limits."""

    samples: int
    covered: int
    refused: int
    zero_width: int
    outside: int
    past: int
    width: float
    plain_width: float

    @property
    def coverage(self) -> float:
        """The share of all samples whose limits contain the true area; no limits count as a miss."""
        return self.covered / self.samples

    @property
    def answered(self) -> float:
        """The coverage among the samples in which there were limits."""
        given = self.samples - self.refused
        return self.covered / given if given else math.nan

    @property
    def error(self) -> float:
        """The Monte-Carlo standard error of the coverage."""
        return error_of(self.covered, self.samples)

    @property
    def relative_width(self) -> float:
        return self.width / self.plain_width if self.plain_width else math.nan


def error_of(count: int, samples: int) -> float:
    """The standard error of a share count/samples; one more on each side, so that 0 of n does not look certain."""
    share = (count + 1) / (samples + 2)
    return math.sqrt(share * (1 - share) / samples)


def simulate(cell: Cell, samples: int, methods: Sequence[str] = METHODS) -> dict[str, Tally]:
    """Every method on the same samples of a cell."""
    model = named(cell.model)
    generator = np.random.default_rng(cell.seed)
    up, down = model.draw(
        generator, model.solve(cell.area), (samples, cell.positives), (samples, cell.negatives)
    )
    found = np.stack(list(_answers(*sorted_counts(up, down), methods)), axis=1)
    plain = found[methods.index(PLAIN), :, 2] - found[methods.index(PLAIN), :, 1]
    return {name: tallied(found[i], cell.area, plain) for i, name in enumerate(methods)}


def _answers(pos: Array, neg: Array, methods: Sequence[str]) -> Iterator[Array]:
    """Per sample: methods x (value, low, high, standard error); a table or area seen before is not asked again."""
    known: dict[bytes, Array] = {}
    of_area: dict[tuple[str, float], rs.Estimate] = {}
    for first, second in zip(pos, neg, strict=True):
        key = first.astype(np.int16).tobytes() + second.astype(np.int16).tobytes()
        if key not in known:
            known[key] = _asked(table(first, second), methods, of_area)
        yield known[key]


def _asked(t: rs.ScoreTable, methods: Sequence[str], of_area: dict[tuple[str, float], rs.Estimate]) -> Array:
    area, rows = rs.curves.auc(t), []
    for method in methods:
        found = of_area.get((method, area)) or rs.intervals.auc(t, method=method)
        if method in OF_THE_AREA_ALONE:
            of_area[method, area] = found
        rows.append((found.value, found.low, found.high, math.nan if found.se is None else found.se))
    return np.array(rows)


def tallied(found: Array, truth: float, plain: Array, *, low: float = 0.0, high: float = 1.0) -> Tally:
    """The samples x (value, low, high, se) of one method, counted against the truth and the range."""
    value, below, above, se = found.T
    given = ~np.isnan(below)
    inside = (below[given] <= truth) & (truth <= above[given])
    reach = rs.estimate.normal_quantile(0.95) * se
    return Tally(
        samples=len(found),
        covered=int(inside.sum()),
        refused=int((~given).sum()),
        zero_width=int((above[given] <= below[given]).sum()),
        outside=int(((below[given] < low) | (above[given] > high)).sum()),
        past=int(((value - reach < low) | (value + reach > high))[given].sum()),
        width=float((above - below)[given].mean()) if given.any() else math.nan,
        plain_width=float(plain[given].mean()) if given.any() else math.nan,
    )


@dataclass(frozen=True)
class Summary:
    """One method over many cells."""

    cells: int
    mean: float
    error: float
    least: float
    under_93: int
    under_84: int
    width: float
    widest: float
    refused: int
    zero_width: int
    outside: int
    past: int
    answered: float
    samples: int


def summary(tallies: Sequence[Tally]) -> Summary:
    coverage = np.array([t.coverage for t in tallies])
    widths = np.array([t.relative_width for t in tallies])
    return Summary(
        cells=len(tallies),
        mean=float(coverage.mean()),
        error=math.sqrt(sum(t.error**2 for t in tallies)) / len(tallies),
        least=float(coverage.min()),
        under_93=int((coverage < 0.93).sum()),
        under_84=int((coverage < 0.84).sum()),
        width=float(np.nanmean(widths)),
        widest=float(np.nanmax(widths)),
        refused=sum(t.refused for t in tallies),
        zero_width=sum(t.zero_width for t in tallies),
        outside=sum(t.outside for t in tallies),
        past=sum(t.past for t in tallies),
        answered=float(np.nanmean([t.answered for t in tallies])),
        samples=sum(t.samples for t in tallies),
    )


def by_method(results: Mapping[Cell, Mapping[str, Tally]]) -> dict[str, Summary]:
    return {name: summary([found[name] for found in results.values()]) for name in METHODS}
