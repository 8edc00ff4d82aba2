"""The performance of a chosen threshold or model, corrected for the choice.

A rule that minimizes cost achieves part of that by chance: on other cases, the same threshold costs more. The whole
choice, of the model and of its threshold, is repeated in resamples of the cases. Each resample's choice is evaluated on
the original cases: the mean difference between the two, in the share of positives missed and of negatives falsely
flagged, is the optimism, by which the apparent shares are corrected. The corrected counts have the usual intervals,
widened by the ratio of the variation of the chosen value over resamples to that at a fixed threshold; clusters, which
are resampled whole, and weights widen them in the same way.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rocscope import decisions, measures
from rocscope.decisions import Costs
from rocscope.errors import RocscopeError
from rocscope.estimate import Estimate
from rocscope.formula import CELLS
from rocscope.intervals.bootstrap_intervals import Progress
from rocscope.intervals.cost_intervals import ErrorCosts
from rocscope.intervals.influence import effective_sizes
from rocscope.intervals.paired_cases import PairedCases
from rocscope.intervals.resamples import (
    CellCounts,
    Scattered,
    block_sizes,
    cells_along,
    multiplicities,
    resampled,
    seeds,
)
from rocscope.intervals.statistics import auc_values
from rocscope.intervals.thresholds import SAME, first_optimum
from rocscope.measures import Measure
from rocscope.numbers import floats, normal_quantile, prevalence_factors
from rocscope.record import record
from rocscope.table import Counts, ScoreTable, cells_of

Array = NDArray[Any]
RESAMPLES = 200
MOST_CELLS = 1000  # maximum number of thresholds per resample; more take time without changing any printed digit
PASSES = 3  # times that corners below the line between their neighbors are left out
MOST_DRAWN = 2.0**60  # maximum number of cases per resample that the random generator supports
LARGE_CORRECTION = 0.25  # share of the width of the uncorrected interval above which a correction counts as large
ENOUGH = 50_000  # number of cases per class above which the correction is smaller than the printed digits


@record(slots=True)
class Selection:
    """A choice repeated in resamples: the best model and threshold of each, in the resample and on the original cases.

    `counts` are those of the choice on the original cases, and `corrected` are the same with both error rates corrected
    for their optimism; `inside` and `outside` are the four cells (rows tp, fp, fn, tn) of each resample's choice in the
    resample and on the original cases; `shares` states how often each model was best; `units` are the cells of each
    cluster if whole clusters were resampled. `each` holds, for every model at the threshold that the resample chose for
    it, the same cells in the resample and on the original cases (models x 2 x 4 x resamples).
    """

    counts: Counts
    corrected: Counts
    inside: Array
    outside: Array
    shares: tuple[float, ...]
    prevalence: float | None = None
    units: Array | None = None
    each: Array | None = None

    def wider(self, found: Estimate, first: int, second: int, costs: Costs, *, per: float = 1.0) -> Estimate:
        """A difference in cost between two models with limits that allow for choosing both thresholds on these cases.

        Both thresholds are chosen again in each resample; the limits are widened by the ratio of the variation of the
        difference over resamples to the variation that its own limits imply.
        """
        if self.each is None or math.isnan(found.low):
            return found
        a, b = (costs.per_case(*np.moveaxis(self.each[model], 1, 0), number=float) for model in (first, second))
        gaps = per * ((a[0] - a[1]) - (b[0] - b[1]))
        se = (found.high - found.low) / 2 / normal_quantile(found.level)
        factor = self.stretch(gaps, se, found.level)
        low, high = (found.value + factor * (limit - found.value) for limit in (found.low, found.high))
        return replace(found, low=low, high=high)

    @property
    def resamples(self) -> int:
        """The number of usable resamples; those that lack a class, where nothing can be chosen, are not counted."""
        return int(self.inside.shape[1])

    def estimate(self, name: str, *, level: float = 0.95) -> Estimate:
        """A measure at the chosen threshold, corrected for the choice, with an interval that allows for it.

        A measure that is undefined for the observed counts, such as MCC when all cases are flagged, stays undefined. If
        it is undefined at the threshold of too many resamples (more than 5 % at level 0.95), as
        precision is when nothing is flagged, the other resamples do not show how much it varies: the limits then hold
        at
        every threshold at once ("anytime"), and `why` says how often it is undefined. If the correction is large, the
        choice differs so much between resamples that their mean optimism says little about the one that was made: the
        limits then include those of the uncorrected counts.
        """
        measure = measures.get(name)
        if math.isnan(float(measure.value(self.counts.cells))):
            return self.counts.estimate(name, level=level)
        estimate = self.corrected.estimate(name, level=level)
        if math.isnan(estimate.value) or math.isnan(estimate.low):
            return estimate
        inside, outside = (measure.value(_named(side, self.prevalence)) for side in (self.inside, self.outside))
        gaps = np.asarray(inside) - np.asarray(outside)
        without = 1 - float(np.isfinite(gaps).mean()) if gaps.size else 0.0
        factor = self.stretch(gaps, estimate.se, level, measure.value)
        wider = self._with_apparent(stretched(estimate, factor, measure.low, measure.high), name)
        return wider if without <= 1 - level else self._at_any_threshold(wider, measure, without)

    def _with_apparent(self, estimate: Estimate, name: str) -> Estimate:
        """The corrected estimate, with the limits of the uncorrected one included if the two are far apart."""
        counts = self.counts if self.prevalence is None else self.counts.rebase(self.prevalence)
        apparent = counts.estimate(name, level=estimate.level)
        if not abs(estimate.value - apparent.value) > LARGE_CORRECTION * (apparent.high - apparent.low):
            return estimate
        return replace(estimate, low=min(estimate.low, apparent.low), high=max(estimate.high, apparent.high))

    def _at_any_threshold(self, found: Estimate, measure: Measure, without: float) -> Estimate:
        """The estimate with limits that hold for any chosen threshold.

        From the highest score down, the cases flagged at successive thresholds are a sequence that is examined
        repeatedly: limits of the precision that hold at all of them also hold for the chosen one. Together with the
        limits of the share flagged, they bound the four cells, and a measure is evaluated at the corners. If resamples
        flag every case, the same is done with the cases that are not flagged.
        """
        why = f"undefined at the threshold that {round(100 * without)} % of resamples choose"
        nothing = bool((self.inside[0] + self.inside[1] == 0).any())
        right = self.counts.estimate("precision" if nothing else "npv", level=found.level, method="anytime")
        part = self.counts.estimate("predicted_prevalence", level=found.level, method="wilson")
        if math.isnan(right.low) or math.isnan(part.low):
            return replace(found, why=why)
        values = [float(measure.value(corner)) for corner in self._corners(right, part, flagged=nothing)]
        known = [value for value in values if not math.isnan(value)]
        low, high, method = min(found.low, *known), max(found.high, *known), f"{found.method}, anytime"
        return replace(found, low=low, high=high, method=method, why=why)

    def _corners(self, right: Estimate, flagged_share: Estimate, *, flagged: bool) -> Iterator[dict[str, Array]]:
        """The four cells with the share of correct decisions on one side and the share flagged at their
        limits.
        """
        positives, negatives = float(self.counts.tp + self.counts.fn), float(self.counts.fp + self.counts.tn)
        for share, part in product((right.low, right.high), (flagged_share.low, flagged_share.high)):
            size = (positives + negatives) * (part if flagged else 1 - part)
            up, down = (size * share, size * (1 - share)) if flagged else (size * (1 - share), size * share)
            up, down = min(up, positives), min(down, negatives)  # a class cannot contribute more cases than it has
            tp, fp = (up, down) if flagged else (positives - up, negatives - down)
            yield _named(np.array([tp, fp, positives - tp, negatives - fp]), self.prevalence)

    def cost(self, costs: Costs, *, level: float = 0.95) -> Estimate:
        """The expected cost per case, corrected for the choice, with an interval that allows for it.

        Wilson's limits of the two corrected shares of errors are combined (`mover`): as shares of all cases at the
        prevalence of the cases, and as shares of each class at a known prevalence.
        """
        errors, value = ErrorCosts.of(self.corrected, costs, level), float(costs.expected(self.corrected))
        estimate = Estimate(value, *errors.limits(value), level, "wilson, mover", se=errors.se)
        gaps = [costs.per_case(*side, number=float) for side in (self.inside, self.outside)]
        price = [float(getattr(costs, name)) for name in CELLS]
        factor = self.stretch(gaps[0] - gaps[1], estimate.se, level, partial(_cost_of_cells, costs))
        return stretched(estimate, factor, min(price), max(price))

    def stretch(
        self, gaps: Array, se: float | None, level: float, value: Callable[[Mapping[str, Any]], Any] | None = None
    ) -> float:
        """The factor by which the choice of the threshold increases the variation of a value; at least 1.

        Resamples of few clusters vary too little, so Student's t replaces the normal distribution, with the degrees of
        freedom from `cluster_effect` for a function of the four cells, and otherwise as for clusters of equal size.
        """
        known = gaps[np.isfinite(gaps)]
        if not se or len(known) < 2:
            return 1.0
        spread = float(known.std())
        if self.units is not None and len(self.units) > 1:
            from rocscope.intervals.cluster_effects import ClusterFreedom, cell_slopes, cluster_effect

            freedom = ClusterFreedom.of_equal(len(self.units))
            if value is not None:
                freedom = cluster_effect(self.units, cell_slopes(value, self.units.sum(axis=0))).freedom
            spread *= freedom.widening(level)
        return max(1.0, spread / se)


def stretched(estimate: Estimate, factor: float, least: float, most: float) -> Estimate:
    """Multiply the distances of the limits from the estimate by a factor, within a range, with a method that says
    so.
    """
    low, high = (estimate.value + factor * (limit - estimate.value) for limit in (estimate.low, estimate.high))
    return replace(
        estimate, low=max(least, low), high=min(most, high), method=f"{estimate.method}, corrected for the choice"
    )


def _cost_of_cells(costs: Costs, cells: Mapping[str, Any]) -> Any:
    return costs.per_case(*(cells[name] for name in CELLS), number=float)


def _named(cells: Array, prevalence: float | None = None) -> dict[str, Array]:
    """The four cells by name, at another prevalence if there is one."""
    if prevalence is None:
        return dict(zip(CELLS, cells, strict=True))
    tp, fp, fn, tn = cells
    with np.errstate(divide="ignore", invalid="ignore"):
        up, down = prevalence_factors(tp + fn, fp + tn, prevalence)
    return {"tp": tp * up, "fp": fp * down, "fn": fn * up, "tn": tn * down}


# ---- construction ----


def after_choice(
    cases: ScoreTable | PairedCases,
    rule: str | None = None,
    *,
    costs: Costs | None = None,
    threshold: float | None = None,
    clusters: tuple[Array, int] | None = None,
    n: int = RESAMPLES,
    seed: int = 0,
    progress: Progress | None = None,
) -> Selection | None:
    """The choice of a threshold (and of a model, if `PairedCases` contain several), repeated in resamples of the cases.

    The threshold is the best one under the rule ("cost" with costs) or the given one; if it is given, only the model is
    chosen. The model is the cheapest one if there are costs, and otherwise the one with the highest AUC. A table
    represents its cases: it is resampled from a multinomial distribution with the effective number of cases. The result
    is None if nothing is chosen, if a class has no cases, or if there are more than 50,000 cases of each class.
    `progress(done, n)` is called after every block of resamples. Reference: Efron & Gong, Am Stat 1983;37:36-48
    (bootstrap estimate of optimism); the intervals are our own. In four simulated settings (1 to 5 models, 300 to 1,000
    cases, 8 and 10 % positive, 120 samples each), their coverage of the true cost was 0.93 to 0.98, and that of the
    apparent intervals was 0.75 to 0.93; the corrected intervals were 1.04 to 1.13 times as wide.

    >>> t = ScoreTable.from_scores([1, 1, 0, 1, 1, 0, 1, 0, 0, 0] * 9, [9, 8, 7, 6, 5, 4, 3, 2, 1, 0] * 9)
    >>> found = after_choice(t, "cost", costs=Costs(fp=1, fn=5))
    >>> print(found.cost(Costs(fp=1, fn=5)), found.counts)  # doctest: +ELLIPSIS
    0.20 [0.13, 0.43] ...
    """
    models = models_of(cases)
    if (len(models) == 1 and threshold is not None) or not repeatable(models):
        return None
    judge = None if rule is None else decisions.criterion(rule, costs if decisions.needs_costs(rule) else None)[1]
    fixed = None if threshold is None else [model.row(threshold) for model in models]
    choice = _Choice(judge, costs, fixed, by_cost=rule == "cost")
    return _selections(cases, models, [choice], clusters, n, seed, progress)[0]


def along_costs(
    cases: ScoreTable | PairedCases,
    costs: Sequence[Costs],
    *,
    clusters: tuple[Array, int] | None = None,
    n: int = RESAMPLES,
    seed: int = 0,
) -> tuple[Selection | None, ...]:
    """The cheapest model and threshold at each of several costs, each corrected as in `after_choice`.

    All are chosen in the same resamples, so a grid of costs takes little longer than a single cost. The costs
    share one prevalence.

    >>> t = ScoreTable.from_scores([1, 1, 0, 1, 1, 0, 1, 0, 0, 0] * 9, [9, 8, 7, 6, 5, 4, 3, 2, 1, 0] * 9)
    >>> few, many = along_costs(t, [Costs(fp=1, fn=1), Costs(fp=1, fn=5)])
    >>> few.counts.fp < many.counts.fp
    True
    """
    models = models_of(cases)
    if not costs or not repeatable(models):
        return (None,) * len(costs)
    choices = [_Choice(decisions.criterion("cost", prices)[1], prices, None, by_cost=True) for prices in costs]
    return tuple(_selections(cases, models, choices, clusters, n, seed, None))


@record(slots=True)
class _Choice:
    """How a resample chooses: by the value of a threshold, by costs between models, or at given rows."""

    judge: Any
    costs: Costs | None
    fixed: Sequence[int] | None
    by_cost: bool = False

    @property
    def at_corners(self) -> bool:
        """Whether only a threshold between a positive and a negative can be the first of the best."""
        return self.by_cost and self.fixed is None and self.costs is not None and self.costs.of_miss > 0

    @property
    def prevalence(self) -> float | None:
        return None if self.costs is None or self.costs.prevalence is None else float(self.costs.prevalence)


def models_of(cases: ScoreTable | PairedCases) -> list[CellModel]:
    """Each model's table on a limited number of cells."""
    tables = [cases] if isinstance(cases, ScoreTable) else [cases.table(model) for model in range(len(cases.scores))]
    return [CellModel.of(table) for table in tables]


def repeatable(models: Sequence[CellModel]) -> bool:
    """Whether there are cases of both classes, and not so many that the choice would not vary."""
    table = models[0].table
    return bool(table.positives) and bool(table.negatives) and min(effective_sizes(table)) <= ENOUGH


def _selections(
    cases: ScoreTable | PairedCases,
    models: Sequence[CellModel],
    choices: Sequence[_Choice],
    clusters: tuple[Array, int] | None,
    n: int,
    seed: int,
    progress: Progress | None,
) -> list[Selection | None]:
    """Repeat every choice in the same resamples, which share one prevalence."""
    whole = [_Resamples(cells_along(model.pos[None, :], model.neg[None, :])) for model in models]
    inside: list[list[Array]] = [[] for _ in choices]
    outside: list[list[Array]] = [[] for _ in choices]
    picked: list[list[Array]] = [[] for _ in choices]
    each: list[Array] = []
    drawn = resampled_blocks(cases, models, clusters, n, seed, stratified=choices[0].prevalence is not None)
    blocks = _watched(drawn, n, progress)
    for along in _at_corners(blocks) if all(candidate.at_corners for candidate in choices) else _at_all(blocks):
        for index, choice in enumerate(choices):
            which, columns, wins = _choose(along, choice)
            rows = np.stack([resamples.rows_of(column) for resamples, column in zip(along, columns, strict=True)])
            every = np.arange(len(which))
            inside[index].append(_at(along, which, columns[which, every]))
            outside[index].append(_at(whole, which, rows[which, every]))
            picked[index].append(wins)
        if len(models) > 1 and len(choices) == 1:
            zeros = np.zeros(columns.shape[1], dtype=np.int64)
            sides = ((along, columns), (whole, rows))
            both = [[_at([side[m]], zeros, at[m]) for side, at in sides] for m in range(len(models))]
            each.append(np.array(both))
    selections: list[Selection | None] = []
    for index, choice in enumerate(choices):
        within, on = (np.concatenate(side[index], axis=1) for side in (inside, outside))
        selection = _selection(models, whole, choice, within, on, np.concatenate(picked[index], axis=1), n)
        if selection is not None and each:
            selection = replace(selection, each=np.concatenate(each, axis=3))
        if selection is not None and clusters is not None and isinstance(cases, PairedCases):
            selection = replace(selection, units=_units(cases, models, whole, choice, clusters))
        selections.append(selection)
    return selections


def _units(
    cases: PairedCases,
    models: Sequence[CellModel],
    whole: Sequence[_Resamples],
    choice: _Choice,
    clusters: tuple[Array, int],
) -> Array:
    """The four cells of each cluster at the choice made on the original cases."""
    from rocscope.intervals.cluster_effects import cells_by_cluster

    chosen, row = _chosen(whole, choice)
    flagged = cases.places[chosen] < (0 if row == 0 else models[chosen].stops[row - 1])
    return cells_by_cluster(cases.mask, flagged, clusters, cases.weights)


def _selection(
    models: Sequence[CellModel],
    whole: Sequence[_Resamples],
    choice: _Choice,
    inside: Array,
    outside: Array,
    picked: Array,
    n: int,
) -> Selection | None:
    """One choice with its resamples; None if half of them lack a class."""
    valid = (inside[0] + inside[2] > 0) & (inside[1] + inside[3] > 0)
    if valid.sum() < n / 2:
        return None
    chosen, row = _chosen(whole, choice)
    counts, inside, outside = _counts(models[chosen], row), inside[:, valid], outside[:, valid]
    shares = picked[:, valid].sum(axis=1) / valid.sum()
    corrected = corrected_counts(counts, inside, outside)
    if choice.prevalence is not None:
        corrected = corrected.rebase(choice.prevalence)
    return Selection(counts, corrected, inside, outside, tuple(shares.tolist()), choice.prevalence)


def _chosen(whole: Sequence[_Resamples], choice: _Choice) -> tuple[int, int]:
    """The model, and the number of its flagged cells, on the original cases."""
    which, rows, _ = _choose(whole, choice)
    return int(which[0]), int(rows[which[0], 0])


def corrected_counts(counts: Counts, inside: Array, outside: Array) -> Counts:
    """The counts with the shares of missed and falsely flagged cases increased by their optimism, within 0 and
    1.
    """
    cells = {name: float(cell) for name, cell in counts.cells.items()}
    squares = None if counts.squares is None else dict(zip(CELLS, map(float, counts.squares), strict=True))
    moved: dict[str, float] = {}
    worth: dict[str, float] = {}
    for wrong, right in (("fn", "tp"), ("fp", "tn")):
        rows = CELLS.index(wrong), CELLS.index(right)
        rates = [side[rows[0]] / (side[rows[0]] + side[rows[1]]) for side in (inside, outside)]
        total = cells[wrong] + cells[right]
        share = min(1.0, max(0.0, cells[wrong] / total + float((rates[1] - rates[0]).mean())))
        moved |= {wrong: total * share, right: total * (1 - share)}
        if squares is not None:
            unit = (squares[wrong] + squares[right]) / total
            worth |= {wrong: moved[wrong] * unit, right: moved[right] * unit}
    kept = None if squares is None else [worth[name] for name in CELLS]
    return Counts.of([moved[name] for name in CELLS], labels=counts.labels, squares=kept)


@record(slots=True, eq=False)
class CellModel:
    """One model's table on a limited number of cells."""

    table: ScoreTable
    stops: Array  # rows of the table after which each cell ends
    pos: Array
    neg: Array

    @classmethod
    def of(cls, t: ScoreTable) -> CellModel:
        stops = _stops(t)
        up, down = (np.diff(floats(sums)[np.concatenate(([0], stops))]) for sums in (t.tp, t.fp))
        return cls(t, stops, up, down)

    def layout(self, t: ScoreTable) -> Array:
        """The cell of each score."""
        return np.searchsorted(self.stops, np.arange(len(t)), side="right")

    def row(self, threshold: float) -> int:
        """The number of cells flagged at a threshold."""
        return int(np.searchsorted(self.stops, self.table.position(threshold), side="right"))


def _stops(t: ScoreTable) -> Array:
    """The ends of the cells: every score, or an even selection by the numbers of positives and negatives."""
    if len(t) <= MOST_CELLS:
        return np.arange(1, len(t) + 1)
    ranks = floats(t.tp[1:]) / max(1e-300, float(t.positives)) + floats(t.fp[1:]) / max(1e-300, float(t.negatives))
    even = np.searchsorted(ranks, np.linspace(0, 2, MOST_CELLS + 1)[1:-1])
    return np.unique(np.concatenate((even + 1, [len(t)])).clip(1, len(t)))


def resampled_blocks(
    cases: ScoreTable | PairedCases,
    models: Sequence[CellModel],
    clusters: tuple[Array, int] | None,
    n: int,
    seed: int,
    *,
    stratified: bool,
) -> Iterator[list[tuple[Array, Array]]]:
    """Yield blocks of resamples: the positives and negatives in each cell of each model (resamples x cells)."""
    if isinstance(cases, ScoreTable):
        if clusters is not None:
            raise RocscopeError(
                "a table does not show which case is in which cluster",
                hint="Give the cases: intervals.PairedCases.of(y, scores)",
            )
        yield from _from_table(cases, models[0], n, seed, stratified=stratified)
        return
    scattered = [Scattered(cases, model, own.layout) for model, own in enumerate(models)]
    for drawn in multiplicities(cases, n, seed=seed, stratified=stratified, clusters=clusters):
        yield [scatter.counts(drawn) for scatter in scattered]


def _from_table(
    t: ScoreTable, model: CellModel, n: int, seed: int, *, stratified: bool
) -> Iterator[list[tuple[Array, Array]]]:
    """Draw the effective number of cases of the table: its cases, or from a multinomial distribution if they have
    weights.
    """
    if t.exact and not t.weighted and object not in (t.pos.dtype, t.neg.dtype):
        cells = CellCounts(model.pos.astype(np.int64), model.neg.astype(np.int64))
        yield from ([sides] for sides in resampled(cells, n, seed=seed, stratified=stratified))
        return
    worth, totals = effective_sizes(t), (float(t.positives), float(t.negatives))
    first, second, third = seeds(seed)
    counts = [round(min(max(1.0, size), MOST_DRAWN)) for size in worth]
    shares = [side / total for side, total in zip((model.pos, model.neg), totals, strict=True)]
    for block in block_sizes(n, 2 * len(model.pos)):
        up = np.full(block, counts[0]) if stratified else third.binomial(sum(counts), counts[0] / sum(counts), block)
        down = np.full(block, counts[1]) if stratified else sum(counts) - up
        drawn = (first.multinomial(up, shares[0]), second.multinomial(down, shares[1]))
        scale = [total / count for total, count in zip(totals, counts, strict=True)]
        yield [(drawn[0] * scale[0], drawn[1] * scale[1])]


@record(slots=True, eq=False)
class _Resamples:
    """One model in resamples: its cells (resamples x thresholds), and the thresholds of the columns if not all are
    present.
    """

    cells: dict[str, Array]
    rows: Array | None = None

    def rows_of(self, columns: Array) -> Array:
        """The thresholds of one column for each resample."""
        return columns if self.rows is None else self.rows[np.arange(len(columns)), columns]

    @classmethod
    def at_corners(cls, pos: Array, neg: Array) -> _Resamples:
        """The thresholds that some cost may make the first of the best, repeated to one number of columns.

        Behind a cell without a positive is a better threshold, or an equal one that comes first, before it; before a
        cell of positives alone is a better one behind it.
        """
        cells = cells_along(pos, neg)
        edge = np.ones((len(pos), 1), dtype=bool)
        behind, before = np.hstack((edge, pos > 0)), np.hstack(((neg > 0) | (pos == 0), edge))
        resample, threshold = _outstanding(behind & before, cells)
        starts = np.searchsorted(resample, np.arange(len(pos)))
        counts = np.diff(starts, append=len(resample))
        rows = np.repeat(threshold[starts][:, None], counts.max(), axis=1)
        rows[resample, np.arange(len(resample)) - starts[resample]] = threshold
        tp, fp = (np.take_along_axis(cells[name], rows, axis=1) for name in ("tp", "fp"))
        return cls.of(tp, fp, rows, cells)

    @classmethod
    def of(cls, tp: Array, fp: Array, rows: Array, totals: Mapping[str, Array]) -> _Resamples:
        """Select thresholds of resamples with the given numbers of positives and negatives."""
        return cls(cells_of(tp, fp, totals["positives"], totals["negatives"]), rows)

    @classmethod
    def joined(cls, parts: Sequence[_Resamples]) -> _Resamples:
        """Concatenate blocks of resamples; the first column is repeated in blocks with fewer columns."""
        most = max(part.cells["tp"].shape[1] for part in parts)

        def wide(values: Sequence[Any]) -> Array:
            return np.concatenate(
                [np.pad(value, ((0, 0), (most - value.shape[1], 0)), mode="edge") for value in values]
            )

        totals = {name: np.concatenate([part.cells[name] for part in parts]) for name in ("positives", "negatives")}
        tp, fp = (wide([part.cells[name] for part in parts]) for name in ("tp", "fp"))
        return cls.of(tp, fp, wide([part.rows for part in parts]), totals)


def _outstanding(corners: Array, cells: Mapping[str, Array]) -> tuple[Array, Array]:
    """The resample and the threshold of each corner, without those below the line between their neighbors.

    No cost makes such a corner the best. Each pass leaves out about half of them, and none on the convex hull.
    """
    resample, threshold = np.nonzero(corners)
    tp, fp = (cells[name][resample, threshold] for name in ("tp", "fp"))
    for _ in range(PASSES):
        up, across = np.diff(tp), np.diff(fp)
        bulge = up[:-1] * across[1:] - up[1:] * across[:-1]
        kept = np.ones(len(tp), dtype=bool)
        inner = resample[:-2] == resample[2:]
        kept[1:-1] = ~inner | (bulge >= -SAME * np.abs(up[:-1] * across[1:]))
        resample, threshold, tp, fp = (values[kept] for values in (resample, threshold, tp, fp))
    return resample, threshold


def _watched(
    blocks: Iterator[list[tuple[Array, Array]]], n: int, progress: Progress | None
) -> Iterator[list[tuple[Array, Array]]]:
    done = 0
    for block in blocks:
        yield block
        done += len(block[0][0])
        if progress is not None:
            progress(done, n)


def _at_all(blocks: Iterator[list[tuple[Array, Array]]]) -> Iterator[list[_Resamples]]:
    """Choose among all thresholds, block by block."""
    for block in blocks:
        yield [_Resamples(cells_along(*sides)) for sides in block]


def _at_corners(blocks: Iterator[list[tuple[Array, Array]]]) -> Iterator[list[_Resamples]]:
    """Choose among the corners of all resamples at once: a fraction of the thresholds, and few steps for many costs."""
    corners = [[_Resamples.at_corners(*sides) for sides in block] for block in blocks]
    yield [_Resamples.joined(parts) for parts in zip(*corners, strict=True)]


def _choose(along: Sequence[_Resamples], choice: _Choice) -> tuple[Array, Array, Array]:
    """The model that each resample chooses, the first of equally good ones, the column of every model, and what it won.

    Models that are equally good share the resample.
    """
    rows, worth = [], []
    for model, resamples in enumerate(along):
        cells = resamples.cells
        size = len(cells["tp"])
        if choice.fixed is not None or choice.judge is None:
            row = np.full(size, 0 if choice.fixed is None else choice.fixed[model])
        else:
            row = first_optimum(choice.judge, cells)
        rows.append(row)
        if len(along) == 1:
            worth.append(np.zeros(size))
        elif choice.costs is None:
            worth.append(auc_values(*(np.diff(cells[name], axis=1) for name in ("tp", "fp"))))
        else:
            chosen = (cells[name][np.arange(size), row] for name in CELLS)
            worth.append(-choice.costs.per_case(*chosen, number=float))
    values = np.nan_to_num(np.stack(worth), nan=-np.inf)
    best = values.argmax(axis=0)
    first = values == values.max(axis=0)
    return best, np.stack(rows), first / first.sum(axis=0)


def _at(along: Sequence[_Resamples], which: Array, columns: Array) -> Array:
    """The four cells of each resample's choice: in the resamples, or (for one row) on the original cases."""
    cells = np.empty((len(CELLS), len(columns)))
    for model, resamples in enumerate(along):
        own = np.flatnonzero(which == model)
        for row, name in enumerate(CELLS):
            values = resamples.cells[name]
            cells[row, own] = values[own % len(values), columns[own]]
    return cells


def _counts(model: CellModel, row: int) -> Counts:
    """The counts at a stop on the original cases, with their squared weights if there are weights."""
    threshold = model.table.thresholds[0 if row == 0 else model.stops[row - 1]]
    return model.table.at(float(threshold))
