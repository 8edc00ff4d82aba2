"""The performance of a gray zone, corrected for choosing its two thresholds on the same cases."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rocscope.decisions import GreyZone, Referral, zone_of
from rocscope.estimate import Estimate, undefined
from rocscope.formula import CELLS
from rocscope.intervals.chosen_thresholds import (
    RESAMPLES,
    Selection,
    corrected_counts,
    models_of,
    repeatable,
    resampled_blocks,
    stretched,
)
from rocscope.intervals.closed_forms import score_interval
from rocscope.intervals.cluster_effects import cells_by_cluster
from rocscope.intervals.paired_cases import PairedCases
from rocscope.intervals.resamples import cells_along
from rocscope.numbers import checked_level
from rocscope.record import record
from rocscope.table import Counts, ScoreTable

Array = NDArray[Any]
PARTS = ("flagged", "referred", "seen")  # flagged; between the thresholds; flagged or referred


@record(slots=True, eq=False)
class ZoneChoice:
    """A gray zone chosen on the cases, and the same choice repeated in resamples; `parts` are three selections.

    "flagged": cases at or beyond the upper threshold; "referred": those between; "seen": both, so that the measures of
    "seen" are those of the lower threshold. If `repeated` is False, there are no resamples, and nothing was corrected.
    """

    zone: GreyZone
    parts: dict[str, Selection]
    repeated: bool
    referral: Referral

    def share(self, part: str, *, level: float = 0.95) -> Estimate:
        """The share of all cases in a part ("flagged", "referred" or "not flagged")."""
        if part != "not flagged":
            return self.measure(part, "predicted_prevalence", level=level)
        seen = self.measure("seen", "predicted_prevalence", level=level)
        return Estimate(1 - seen.value, 1 - seen.high, 1 - seen.low, level, seen.method, seen.why)

    def measure(self, part: str, name: str, *, level: float = 0.95) -> Estimate:
        """A measure of the decision to flag a part: precision of "flagged", recall or NPV of "seen".

        The limits include those of the apparent value as well: a threshold that just meets a requirement is the score
        of a single case, and the result is as uncertain above the corrected value as below it.
        """
        selection = self.parts[part]
        apparent = selection.counts.estimate(name, level=level)
        if not self.repeated or math.isnan(apparent.low):
            return apparent
        estimate = selection.estimate(name, level=level)
        if math.isnan(estimate.low):
            return estimate
        return replace(estimate, low=min(estimate.low, apparent.low), high=max(estimate.high, apparent.high))

    def cost(self, *, level: float = 0.95) -> Estimate:
        """The expected cost per case when a referral has a price and each referred case is decided correctly."""
        level, referral = checked_level(level), self.referral
        if referral.costs is None or referral.price is None:
            return undefined("a referral has no price", level=level)
        parts = {name: part.corrected if self.repeated else part.counts for name, part in self.parts.items()}
        cells = {name: np.array([float(cell) for cell in part.cells.values()]) for name, part in parts.items()}
        estimate = _priced(cells, referral, level)
        if not self.repeated:
            return estimate
        gaps = [
            _mean_cost({name: getattr(part, side) for name, part in self.parts.items()}, referral)
            for side in ("inside", "outside")
        ]
        factor = self.parts["flagged"].stretch(gaps[0] - gaps[1], estimate.se, level)
        return stretched(estimate, factor, 0.0, math.inf)


def after_referral(
    cases: ScoreTable | PairedCases,
    referral: Referral,
    *,
    table: ScoreTable | None = None,
    chosen_on: ScoreTable | None = None,
    clusters: tuple[Array, int] | None = None,
    n: int = RESAMPLES,
    seed: int = 0,
) -> ZoneChoice:
    """Two thresholds by a referral rule, and their performance on other cases (see `after_choice`).

    The whole choice is repeated in resamples of the cases, or of their clusters: every share and measure is corrected
    by how much better the choice of each resample looks there than on the original cases, and its interval is widened
    to reflect the additional variation. If the thresholds come from other cases (`chosen_on`), no correction is needed.
    Reference: Efron & Gong, Am Stat 1983;37:36-48 (optimism); Chow, IEEE Trans Inf Theory 1970;16:41 (referral). In
    four simulated settings (300 and 1,000 cases, 10 and 30 % positive, 250 samples each), the intervals for the three
    shares had a coverage of 0.95 to 0.98, and those for precision, recall and NPV had 0.95 to 1.00.

    >>> from rocscope.decisions import referral_of
    >>> t = ScoreTable.from_scores([1, 1, 0, 1, 1, 0, 1, 0, 0, 0] * 9, [9, 8, 7, 6, 5, 4, 3, 2, 1, 0] * 9)
    >>> found = after_referral(t, referral_of("recall >= 0.9, precision >= 0.9"))
    >>> found.zone.flag, found.zone.refer, str(found.share("referred"))
    (8.0, 3.0, '0.49 [0.39, 0.60]')
    """
    model = models_of(cases)[0]
    table = model.table if table is None else table
    zone = zone_of(table if chosen_on is None else chosen_on, referral)
    counts = _parts_of(table, zone)
    if chosen_on is not None or not repeatable([model]):
        empty = np.zeros((4, 0))
        parts = {name: Selection(count, count, empty, empty, (1.0,)) for name, count in counts.items()}
        return ZoneChoice(zone, parts, False, referral)
    whole = cells_along(model.pos[None, :], model.neg[None, :])
    stratified = referral.costs is not None and referral.costs.prevalence is not None
    inside, outside = [], []
    for block in resampled_blocks(cases, [model], clusters, n, seed, stratified=stratified):
        along = cells_along(*block[0])
        upper, lower = referral.rows(along)
        inside.append(_stacked(along, upper, lower))
        outside.append(_stacked(whole, upper, lower))
    within, on = np.concatenate(inside, axis=2), np.concatenate(outside, axis=2)
    valid = (within[0, 0] + within[0, 2] > 0) & (within[0, 1] + within[0, 3] > 0)
    units = {} if clusters is None or not isinstance(cases, PairedCases) else _units(cases, zone, clusters)
    parts = {}
    for index, (name, own_counts) in enumerate(counts.items()):
        own, same = within[index][:, valid], on[index][:, valid]
        corrected = corrected_counts(own_counts, own, same)
        parts[name] = Selection(own_counts, corrected, own, same, (1.0,), units=units.get(name))
    return ZoneChoice(zone, parts, bool(valid.sum() >= n / 2), referral)


def _parts_of(table: ScoreTable, zone: GreyZone) -> dict[str, Counts]:
    """The cases of each part against all others."""
    flagged, seen = table.at(zone.flag), table.at(zone.refer)
    between = [seen.tp - flagged.tp, seen.fp - flagged.fp]
    rest = [table.positives - between[0], table.negatives - between[1]]
    squares = None
    if flagged.squares is not None and seen.squares is not None:
        inner = [after - before for before, after in zip(flagged.squares[:2], seen.squares[:2], strict=True)]
        all_ = [seen.squares[0] + seen.squares[2], seen.squares[1] + seen.squares[3]]
        squares = [*inner, all_[0] - inner[0], all_[1] - inner[1]]
    referred = Counts.of([*between, *rest], labels=flagged.labels, squares=squares)
    return {"flagged": flagged, "referred": referred, "seen": seen}


def _units(cases: PairedCases, zone: GreyZone, clusters: tuple[Array, int]) -> dict[str, Array]:
    """The four cells of each part in each cluster."""
    table, place = cases.table(0), cases.places[0]
    flagged, seen = (place < table.position(threshold) for threshold in (zone.flag, zone.refer))
    sides = {"flagged": flagged, "referred": seen & ~flagged, "seen": seen}
    return {name: cells_by_cluster(cases.mask, side, clusters, cases.weights) for name, side in sides.items()}


def _stacked(along: dict[str, Array], upper: Array, lower: Array) -> Array:
    """The four cells of each part in each resample (parts x cells x resamples)."""
    each = np.arange(len(upper)) % len(along["tp"])
    flagged, seen = (np.stack([along[name][each, rows] for name in CELLS]) for rows in (upper, lower))
    between = seen[:2] - flagged[:2]
    rest = np.stack([seen[0] + seen[2], seen[1] + seen[3]]) - between
    return np.stack([flagged, np.concatenate((between, rest)), seen])


def _mean_cost(parts: dict[str, Array], referral: Referral) -> Array:
    """The cost per case of each resample: correct decisions, false alarms, misses, and referred cases."""
    assert referral.costs is not None and referral.price is not None
    costs, price = referral.costs, float(referral.price)
    flagged, referred, seen = (parts[name] for name in PARTS)
    positives, negatives = seen[0] + seen[2], seen[1] + seen[3]
    up, down = 1 / (positives + negatives), 1 / (positives + negatives)
    if costs.prevalence is not None:
        up, down = float(costs.prevalence) / positives, (1 - float(costs.prevalence)) / negatives
    right = float(costs.tp) * up * positives + float(costs.tn) * down * negatives
    wrong = float(costs.of_miss) * up * seen[2] + float(costs.of_alarm) * down * flagged[1]
    return np.asarray(right + wrong + price * (up * referred[0] + down * referred[1]))


def _priced(parts: dict[str, Array], referral: Referral, level: float) -> Estimate:
    """The cost per case with Wilson's limits between the smallest and the largest cost of an outcome."""
    assert referral.costs is not None and referral.price is not None
    costs, price = referral.costs, float(referral.price)
    value = float(_mean_cost(parts, referral))
    flagged, referred, seen = (parts[name] for name in PARTS)
    tp, tn = float(costs.tp), float(costs.tn)
    outcomes = [
        (flagged[0], tp), (flagged[1], float(costs.fp)), (referred[0], tp + price), (referred[1], tn + price),
        (seen[2], float(costs.fn)), (seen[3], tn),
    ]  # fmt: skip
    positives, negatives = float(seen[0] + seen[2]), float(seen[1] + seen[3])
    total = positives + negatives
    if costs.prevalence is None:
        spread = sum(cases * (cost - value) ** 2 for cases, cost in outcomes) / total**2
    else:  # variance within each class, with a known prevalence
        spread = 0.0
        for share, size, own in ((float(costs.prevalence), positives, outcomes[::2]),
                                 (1 - float(costs.prevalence), negatives, outcomes[1::2])):  # fmt: skip
            mean = sum(cases * cost for cases, cost in own) / size
            spread += share**2 * sum(cases * (cost - mean) ** 2 for cases, cost in own) / size**2
    least, most = min(cost for _, cost in outcomes), max(cost for _, cost in outcomes)
    width, method = most - least, "score, mean of costs"
    if not width:
        return Estimate(value, value, value, level, method, "every outcome has the same cost")
    at_end = not spread > 0
    inner = score_interval(
        (value - least) / width, spread / width**2, total if at_end else math.inf, level=level, method=method
    )
    low, high = least + width * inner.low, least + width * inner.high
    return Estimate(value, min(low, value), max(high, value), level, method, se=math.sqrt(spread) or None)
