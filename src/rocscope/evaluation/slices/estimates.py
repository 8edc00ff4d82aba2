"""Slices with intervals, shrunken estimates, and tests of their gaps to the rest, adjusted for multiplicity.

For one classifier: the AUC and the proportions at the threshold; for several classes: the accuracy; for several models:
the paired difference in AUC between the recommended model and each other.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from rocscope import estimate, significance
from rocscope.estimate import Estimate, undefined
from rocscope.evaluation.certainty import agreeing
from rocscope.evaluation.slices.against_rest import FEW, SHARES, Rests, members, of_cells, worth
from rocscope.evaluation.slices.partition import Slicing, Value
from rocscope.evaluation.slices.shrinkage import Pool, back, difference_back, of_area, of_difference, of_share, pooled
from rocscope.intervals import effective_sizes
from rocscope.measures import get
from rocscope.numbers import floats
from rocscope.record import record
from rocscope.table import Confusion, Counts, ScoreTable

if TYPE_CHECKING:
    from rocscope.evaluation.binary import Evaluation
    from rocscope.evaluation.classes import ClassEvaluation
    from rocscope.evaluation.comparison import Comparison

OBSERVED = "observed_less_expected"
ACCURACY = "accuracy"
NOT_TESTED = f"fewer than {FEW} positives or negatives: not tested"
FEW_CASES = f"fewer than {FEW} cases in the slice or in the rest: not tested"
UNPAIRED = (
    "differences in slices can be computed only with the rows in memory; "
    "each model's own slices are in its evaluation"
)
Placed = tuple[float, float] | None  # a value on the scale used for shrinkage, and its variance
NONE: Mapping[str, Any] = MappingProxyType({})


@record(eq=False)
class Slice:
    """The cases with one value: their `evaluation` at the common threshold, shrunken estimates, and gaps.

    `value` has an entry for each column, None if it is missing; `few` marks a slice with fewer than 10 cases of a
    class, which is shown but not tested. `gaps` are the differences between the slice and the rest; `p_adjusted` is
    adjusted for the number of slices (Holm). In a comparison, `estimates` holds the difference of the recommended model
    minus each other model, by the name of the other model, and there are no gaps.
    """

    by: tuple[str, ...]
    value: Value
    evaluation: Evaluation | ClassEvaluation
    few: bool
    estimates: Mapping[str, Estimate]
    shrunk: Mapping[str, Estimate]
    gaps: Mapping[str, Estimate]
    p_adjusted: Mapping[str, float]
    left_out: int | None = None

    @property
    def name(self) -> str:
        """The value as text."""
        return name_of(self.value)

    @property
    def cases(self) -> Any:
        """The number, or total weight, of its cases."""
        return self.evaluation.size


def name_of(value: Value) -> str:
    """The value of a slice as text."""
    return ", ".join("(missing)" if part is None else str(part) for part in value)


@record(eq=False)
class Slices:
    """All slices by one column, or by two crossed columns, ordered by the shrunken estimate, lowest first.

    In a comparison, `model` is the recommended one, and larger slices come first, because neither direction of a
    difference is worse; `why` is the reason if there are no slices.

    >>> from rocscope import evaluate
    >>> y, p, site = [1, 0] * 40, [0.8, 0.3, 0.6, 0.7, 0.8, 0.3, 0.8, 0.3] * 10, ["a"] * 4 + ["b"] * 4
    >>> found = evaluate(y, p, by={"site": site * 10}).slices[0]
    >>> [(one.name, one.estimates["auc"].value, round(one.shrunk["auc"].value, 2)) for one in found]
    [('a', 0.75, 0.76), ('b', 1.0, 0.95)]
    """

    by: tuple[str, ...]
    slices: tuple[Slice, ...] = ()
    pools: Mapping[str, Pool] = field(default_factory=lambda: NONE)
    measure: str = "auc"
    model: str = ""
    why: str = ""

    def __len__(self) -> int:
        return len(self.slices)

    def __iter__(self) -> Iterator[Slice]:
        return iter(self.slices)

    def __getitem__(self, value: Any) -> Slice:
        """The slice with the given value, or with a tuple of values if columns are crossed."""
        wanted = value if isinstance(value, tuple) else (value,)
        for part in self.slices:
            if part.value == wanted:
                return part
        raise KeyError(value)

    def worst(self, n: int = 20) -> tuple[Slice, ...]:
        """The slices with the lowest shrunken estimates."""
        return self.slices[:n]

    @cached_property
    def missing(self) -> float:
        """The share of cases whose value is missing."""
        absent = [slice_.cases for slice_ in self.slices if any(part is None for part in slice_.value)]
        total = sum(slice_.cases for slice_ in self.slices)
        return float(sum(absent) / total) if total else math.nan


def slices_of(ev: Evaluation, slicing: Slicing) -> Slices:
    """The slices of an evaluation: plain estimates, shrunken estimates, and gaps to the rest."""
    level, names = ev.settings.level, ("auc", *SHARES)
    parts = [RawSlice.of(ev, slicing, value) for value in slicing.tables]
    few, rests = [part.few for part in parts], Rests(ev, parts, slicing)
    pools, shrunk = _drawn({name: [part.placed(name) for part in parts] for name in names}, few, back, level)
    gaps = {
        name: [undefined(NOT_TESTED, level=level) if small else rests.gap(name, at) for at, small in enumerate(few)]
        for name in names
    }
    parted = _slices(
        slicing, [part.evaluation for part in parts], few, [part.estimates for part in parts], shrunk, gaps
    )
    return Slices(slicing.by, tuple(sorted(parted, key=_worst_first)), pools)


def class_slices_of(ev: ClassEvaluation, slicing: Slicing) -> Slices:
    """The multiclass accuracy in each slice: plain, shrunken, and against the rest."""
    level = ev.settings.level
    parts = [
        type(ev)(matrix, ev.settings, name=name_of(value), positive=ev.positive)
        for value, matrix in slicing.tables.items()
    ]
    counted = [share_right(part.matrix) for part in parts]
    few = [not cases >= FEW for _, cases in counted]
    placed = [of_share(*counts) if counts[1] > 0 else None for counts in counted]
    pools, shrunk = _drawn({ACCURACY: placed}, few, back, level)
    gaps = [_accuracy_gap(ev.matrix, part.matrix, small, level) for part, small in zip(parts, few, strict=True)]
    plain = [{ACCURACY: estimate.of_matrix(get(ACCURACY), part.matrix, level=level)} for part in parts]
    parted = _slices(slicing, parts, few, plain, shrunk, {ACCURACY: gaps})
    return Slices(slicing.by, tuple(sorted(parted, key=lambda part: _worst_first(part, ACCURACY))), pools, ACCURACY)


def differences_by(cmp: Comparison, slicing: Slicing, rivals: Sequence[str]) -> Slices:
    """The paired differences in AUC between the recommended model and the others, in every slice.

    Holm's adjustment covers all slices and models.
    """
    first, level = cmp.recommended, cmp.settings.level
    if slicing.rows is None or cmp.mask is None:
        return Slices(slicing.by, model=first, why=UNPAIRED)
    parts = [RawSlice.of(cmp.evaluations[first], slicing, value) for value in slicing.tables]
    few = [part.few for part in parts]
    gaps_by_model = {
        name: [_paired_gap(cmp, first, name, slicing.rows[part.value]) for part in parts] for name in rivals
    }
    pools, shrunk = _drawn(
        {name: [of_difference(gap) for gap in gaps] for name, gaps in gaps_by_model.items()},
        few,
        difference_back,
        level,
    )
    tested = [None if small else gap.p for gaps in gaps_by_model.values() for gap, small in zip(gaps, few, strict=True)]
    ps = np.array(significance.holm_defined(tested)).reshape(len(rivals), len(parts)).tolist()
    plain = [{name: _shown(gaps[at], small) for name, gaps in gaps_by_model.items()} for at, small in enumerate(few)]
    evaluations, adjusted = [part.evaluation for part in parts], dict(zip(rivals, ps, strict=True))
    parted = _slices(slicing, evaluations, few, plain, shrunk, {}, adjusted)
    return Slices(slicing.by, tuple(sorted(parted, key=lambda part: -float(part.cases))), pools, model=first)


# ---- shared by all kinds of slices ----


def _drawn(
    placed: Mapping[str, Sequence[Placed]], few: Sequence[bool], back: Callable[..., Estimate], level: float
) -> tuple[Mapping[str, Pool], dict[str, list[Estimate]]]:
    """For each measure, return how much the tested slices differ, and the shrunken estimate of every slice."""
    pools, shrunk = {}, {}
    for name, points in placed.items():
        known = [position for position, small in zip(points, few, strict=True) if position is not None and not small]
        pools[name] = pool = pooled([y for y, _ in known], [v for _, v in known])
        shrunk[name] = [
            undefined("there is no value to shrink" if position is None else pool.why, level=level)
            if position is None or pool.why
            else back(*pool.drawn(*position), level)
            for position in points
        ]
    return MappingProxyType(pools), shrunk


def _slices(
    slicing: Slicing,
    evaluations: Sequence[Evaluation] | Sequence[ClassEvaluation],
    few: Sequence[bool],
    estimates: Sequence[Mapping[str, Estimate]],
    shrunk: Mapping[str, Sequence[Estimate]],
    gaps: Mapping[str, Sequence[Estimate]],
    adjusted: Mapping[str, Sequence[float]] | None = None,
) -> list[Slice]:
    """Assemble the slices; if no p-values are given, those of the gaps are adjusted by Holm's method.

    Two slices are one comparison, seen from both sides.
    """
    if adjusted is None:
        adjusted = {name: _adjusted([gap.p for gap in row]) for name, row in gaps.items()}
    lost = slicing.left_out
    return [
        Slice(
            slicing.by, value, evaluations[at], few[at], MappingProxyType(dict(estimates[at])), _at(shrunk, at),
            _at(gaps, at), _at(adjusted, at), None if lost is None else lost.get(value, 0),
        )
        for at, value in enumerate(slicing.tables)
    ]  # fmt: skip


def _adjusted(ps: Sequence[float | None]) -> list[float]:
    if len(ps) == 2:
        return [math.nan if p is None else p for p in ps]
    return significance.holm_defined(ps)


def _at(columns: Mapping[str, Sequence[Any]], index: int) -> Mapping[str, Any]:
    return MappingProxyType({name: column[index] for name, column in columns.items()})


def _worst_first(part: Slice, measure: str = "auc") -> tuple[bool, float, float]:
    """The sort key of a slice: its shrunken measure, then larger slices first."""
    drawn = part.shrunk[measure].value
    return math.isnan(drawn), -1.0 if math.isnan(drawn) else round(drawn, 12), -float(part.cases)


# ---- binary classifier with scores ----


@record(eq=False)
class RawSlice:
    """A slice before it is compared with the others."""

    value: Value
    evaluation: Evaluation

    @classmethod
    def of(cls, ev: Evaluation, slicing: Slicing, value: Value) -> RawSlice:
        """Select the cases with a value, evaluated at the common threshold."""
        threshold, cases = None if ev.point is None else ev.point.threshold, None
        alone = replace(ev.settings, threshold=threshold, choose=None, cross_fit=0, bootstrap=0)
        if ev.clustered is not None and slicing.rows is not None:
            cases = ev.clustered.only(slicing.rows[value])
        return cls(value, type(ev)(slicing.tables[value], alone, name_of(value), cases=cases))

    @cached_property
    def few(self) -> bool:
        """Whether a class has too few cases for a test."""
        return min(members(self.evaluation)) < FEW

    @cached_property
    def estimates(self) -> dict[str, Estimate]:
        """The plain estimates with their intervals."""
        estimates = {"auc": self.evaluation.auc}
        estimates |= {name: self.evaluation.measure(name) for name in SHARES}
        if self.evaluation.probabilities:
            estimates[OBSERVED] = observed_less_expected(self.evaluation)
        return estimates

    def placed(self, name: str) -> tuple[float, float] | None:
        """The value on the logit scale and its variance; None if there is none."""
        if name == "auc":
            return of_area(self.estimates["auc"], worth(self.evaluation))
        hits, cases = self.share(name)
        return None if not cases > 0 else of_share(hits, cases)

    def share(self, name: str) -> tuple[float, float]:
        """The numerator and denominator of a proportion, scaled to the effective number of cases."""
        point = self.evaluation.point
        if point is None:
            return 0.0, 0.0
        hits, cases = of_cells(name, point.counts)
        return hits / (effect := self.evaluation.design_effect(name)), cases / effect


def observed_less_expected(ev: Evaluation) -> Estimate:
    """The share of positives minus the mean probability (calibration in the large): if positive, the scores are
    too low.

    The limits are Wilson's for the share, minus the mean, which is known; for cells, it is known to half their width.
    """
    table, level = ev.table, ev.settings.level
    total = float(table.positives + table.negatives)
    weight = floats(table.pos) + floats(table.neg)
    scores, ends = floats(table.scores), floats(cell_ends(table))
    mean, half = float(weight @ (scores + ends)) / 2 / total, float(weight @ (ends - scores)) / 2 / total
    whole = Counts(tp=table.positives, fp=0, fn=0, tn=table.negatives)
    share = whole.estimate("prevalence", level=level)
    if table.weighted:
        cases = sum(effective_sizes(table))
        share = estimate.proportion(share.value * cases, cases, level=level)
    limits = (share.value - mean, share.low - mean - half, share.high - mean + half)
    return Estimate(*limits, level, "wilson, minus the mean score")


def cell_ends(table: ScoreTable) -> Any:
    """The end of each entry, at most 1; the score itself if the entry is a single score."""
    if table.mixed is None or table.ends is None:
        return table.scores
    return np.where(table.mixed, np.minimum(table.ends, 1.0), table.scores)


# ---- multiclass ----


def share_right(matrix: Confusion) -> tuple[float, float]:
    """The correct and all cases, scaled to the effective number given the weights.

    >>> share_right(Confusion.from_matrix([[8, 2], [3, 7]]))
    (15.0, 20.0)
    """
    cells = floats(matrix.matrix)
    total = float(cells.sum())
    if not total:
        return 0.0, 0.0
    worth = total
    if matrix.squares is not None:
        worth = total**2 / float(floats(matrix.squares).sum())
    return float(cells.trace()) / total * worth, worth


def _accuracy_gap(whole: Confusion, part: Confusion, few: bool, level: float) -> Estimate:
    hits, cases = share_right(part)
    all_cells, cells = (floats(matrix.matrix) for matrix in (whole, part))
    right, left = all_cells.trace() - cells.trace(), all_cells.sum() - cells.sum()
    worth = share_right(whole)[1] / float(all_cells.sum())  # effective cases per unit of weight in the whole sample
    if few or left * worth < FEW:
        return undefined(FEW_CASES, level=level)
    return estimate.difference(hits, cases, min(right, left) * worth, left * worth, level=level)


# ---- several models ----


def _paired_gap(cmp: Comparison, a: str, b: str, rows: Any) -> Estimate:
    """Run DeLong's paired test on the rows of a slice; NaN if a class is absent."""
    weights, clusters = (None if column is None else np.asarray(column)[rows] for column in (cmp.weights, cmp.clusters))
    higher = cmp.evaluations[a].table.higher_is_positive
    mask = cmp.mask[rows]
    if not 0 < int(np.count_nonzero(mask)) < len(mask):
        return undefined("one class only", level=cmp.settings.level, method="delong")
    difference = significance.delong(
        mask, cmp.scores[a][rows], cmp.scores[b][rows], level=cmp.settings.level, higher_is_positive=higher,
        weights=weights, clusters=clusters,
    )  # fmt: skip
    return agreeing(difference)


def _shown(gap: Estimate, few: bool) -> Estimate:
    """With few cases, show the difference with its interval but no test."""
    if not few or math.isnan(gap.value):
        return gap
    return Estimate(gap.value, gap.low, gap.high, gap.level, gap.method, NOT_TESTED)
