"""Operating points: a threshold, its effect on the cases, and why it was chosen; the best ones by a rule."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np

from rocscope import measures
from rocscope.decisions.conditions import Condition, Requirement, condition, goal
from rocscope.decisions.costs import Costs
from rocscope.decisions.criterion_of_counts import Criterion, criterion_of
from rocscope.decisions.search import best_rows
from rocscope.decisions.threshold_rules import criterion as find_criterion
from rocscope.errors import RocscopeError, did_you_mean
from rocscope.numbers import Array, share
from rocscope.record import record
from rocscope.table import Counts, ScoreTable, as_table, cells_at, thresholds_at
from rocscope.text import show_count


@record(slots=True, repr=False)
class OperatingPoint:
    """A chosen threshold with its counts, the value of the rule that chose it, and a description in words.

    All thresholds from `threshold` to just before `beyond` (the next score, None at the last) give the same decisions.
    """

    threshold: float
    counts: Counts
    value: float
    rule: str
    words: str
    beyond: float | None = None

    @property
    def midpoint(self) -> float:
        """The threshold halfway to the next score: the same decisions, with a margin on both sides."""
        if self.beyond is None or not math.isfinite(self.threshold):
            return self.threshold
        middle = self.threshold / 2 + self.beyond / 2
        return self.threshold if middle == self.beyond else middle

    def __repr__(self) -> str:
        return f"OperatingPoint(threshold={self.threshold:g}, {self.rule} {self.value:.6g}, {self.counts!r})"


@record(repr=False, eq=False)
class Optima:
    """All optima of a rule, starting with the strictest threshold; each is an `OperatingPoint`, created on demand."""

    thresholds: Any
    rule: str
    note: str
    _point: Callable[[int], OperatingPoint]

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickled and copied with its points: what makes them is a function of a table that is not kept."""
        return Optima, (self.thresholds, self.rule, self.note, list(self).__getitem__)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Optima):
            return NotImplemented
        return (self.rule, self.note, list(self)) == (other.rule, other.note, list(other))

    __hash__ = None  # type: ignore[assignment]

    def __len__(self) -> int:
        return len(self.thresholds)

    def __getitem__(self, index: int) -> OperatingPoint:
        return self._point(range(len(self))[index])

    def __iter__(self) -> Iterator[OperatingPoint]:
        return map(self._point, range(len(self)))

    @property
    def value(self) -> float:
        """The value that all optima share."""
        return self[0].value

    @property
    def words(self) -> str:
        """The first optimum in words, the number of ties, and remarks."""
        ties = len(self) - 1
        tied = f"{ties} other threshold{'s' if ties > 1 else ''} {'does' if ties == 1 else 'do'} equally well."
        return " ".join(part for part in (self[0].words, tied if ties else "", self.note) if part)

    def __repr__(self) -> str:
        shown = ", ".join(f"{threshold:g}" for threshold in self.thresholds[:5])
        more = f", ... {len(self):,} in all" if len(self) > 5 else ""
        return f"Optima({self.rule} {self.value:.6g} at threshold {shown}{more})"


def operating_point(t: ScoreTable, index: int, value: float, *, rule: str, shown: str) -> OperatingPoint:
    """The point at one row of `t.along()`; `shown` is the value in words."""
    counts, threshold = counts_at(t, index), thresholds_at(t, [index])[0].item()
    beyond = thresholds_at(t, [index + 1])[0].item() if index < len(t) else None
    return OperatingPoint(threshold, counts, value, rule, f"{flagging(t, threshold, counts)} ({shown}).", beyond)


def counts_at(t: ScoreTable, row: int) -> Counts:
    """The counts at one row of `t.along()`."""
    if t.weighted:
        return t.along()[row]
    cells = cells_at(t, row)
    return Counts(cells["tp"], cells["fp"], cells["fn"], cells["tn"], t.labels)


def flagging(t: ScoreTable, threshold: float, counts: Counts) -> str:
    """The decisions at a threshold, in words."""
    flagged, rest = counts.tp + counts.fp, counts.fn + counts.tn
    positives, total = show_count(counts.tp + counts.fn), show_count(flagged + rest)
    if not flagged:
        return f"Predict nothing: no case is flagged, and all positives ({positives}) are missed"
    if not rest:
        return f"Predict everything: all {total} cases are flagged"
    alarms = f"{show_count(counts.fp)} false alarm{'' if counts.fp == 1 else 's'}"
    sign = ">=" if t.higher_is_positive else "<="
    return (
        f"Flag scores {sign} {threshold:g}: {show_count(flagged)} of {total} flagged, "
        f"{show_count(counts.tp)} of {positives} positives found, {alarms}"
    )


# ---- best threshold by a rule ----


def best(
    t: ScoreTable,
    rule: str | Callable[[Counts], Any] | None = None,
    *,
    costs: Costs | None = None,
    where: str | Condition | None = None,
) -> Optima:
    """All optimal thresholds under a rule; ties are resolved exactly for tables of integers.

    `rule`: a declared rule ("youden", "closest", "cost", ...), any measure or alias ("f1", "mcc", "fpr"), with an
    optional condition ("recall where precision >= 0.9"), a capacity ("top 5 %", "top 200"), or a function of counts
    along the curve (larger is better); without one, costs imply the rule "cost". Every observed score is tried, and so
    is "predict nothing".

    >>> t = ScoreTable.from_scores([1, 1, 0, 1, 0, 0], [0.9, 0.8, 0.7, 0.6, 0.5, 0.4])
    >>> [point.threshold for point in best(t, "youden")]
    [0.8, 0.6]
    >>> best(t, "recall", where="precision >= 0.75")[0].words
    'Flag scores >= 0.6: 4 of 6 flagged, 3 of 3 positives found, 1 false alarm (recall 1).'
    """
    as_table(t)
    if isinstance(rule, str) and (capacity := _capacity(t, rule, costs, where)) is not None:
        return capacity
    name, criterion, within = _read(rule, costs)
    conditions = [condition(text) for text in (within, where) if text is not None]
    allowed = _allowed(t, conditions) if conditions else None
    rows = best_rows(criterion, partial(cells_at, t), len(t) + 1, exact=t.exact, allowed=allowed)
    if not rows.size:
        raise _undefined(t, name, within=bool(conditions))
    full = f"{name} where {' and '.join(map(str, conditions))}" if conditions else name
    return optima(t, rows, criterion, rule=full)


def _capacity(t: ScoreTable, rule: str, costs: Costs | None, where: Any) -> Optima | None:
    """The threshold of a capacity ("top 5 %", "top 200"); None where the rule states none."""
    from rocscope.decisions.capacity import capacity_of, top  # imported here because capacity imports this module

    limit = capacity_of(rule)
    if limit is None:
        return None
    if costs is not None or where is not None:
        raise RocscopeError(f"'{rule}' is a capacity and takes no costs or condition", hint="Leave them out")
    capacity = top(t, **limit)
    point = replace(capacity.within, rule=rule)
    inexact = capacity.beyond is not None or capacity.asked > point.counts.tp + point.counts.fp
    return Optima(np.array([point.threshold]), rule, capacity.words if inexact else "", lambda _: point)


def optima(t: ScoreTable, rows: Array, criterion: Criterion, *, rule: str) -> Optima:
    """The operating points at some rows of the curve."""

    def point(index: int) -> OperatingPoint:
        row = int(rows[index])
        value, shown = criterion.shown(counts_at(t, row))
        return operating_point(t, row, value, rule=rule, shown=shown)

    return Optima(thresholds_at(t, rows), rule, criterion.note, point)


def _read(rule: str | Callable[[Counts], Any] | None, costs: Costs | None) -> tuple[str, Criterion, Condition | None]:
    if rule is None:
        if costs is None:
            raise RocscopeError("name a rule", hint='"youden", "closest", "f1", any measure, or costs=Costs(...)')
        rule = "cost"
    if isinstance(rule, str):
        name, within = goal(rule)
        return *find_criterion(name, costs), within
    if not callable(rule):
        raise RocscopeError(f"rule must be a name or a function of the four counts, not {rule!r}")
    name = getattr(rule, "__name__", "value")
    return name, criterion_of(rule, lambda worth: (worth, f"{name} {worth:.4g}")), None


def _undefined(t: ScoreTable, name: str, *, within: bool) -> RocscopeError:
    for total, missing in ((t.positives, "positives"), (t.negatives, "negatives")):
        if not total:
            return RocscopeError(f"{name} has no optimum, because there are no {missing}")
    return RocscopeError(f"{name} is undefined at every threshold{' allowed' if within else ''}", hint=_why(t, name))


# ---- best threshold under a condition ----


def _allowed(t: ScoreTable, conditions: list[Condition]) -> Array:
    allowed = np.ones(len(t) + 1, dtype=bool)
    comparisons = [comparison for group in conditions for comparison in group.comparisons]
    met: list[Requirement] = []
    for requirement in comparisons:
        passed = allowed & requirement.holds(t.along())
        if not passed.any():
            raise _unreachable(t, requirement, met, allowed)
        allowed, met = passed, [*met, requirement]
    return allowed


def _unreachable(t: ScoreTable, requirement: Requirement, met: list[Requirement], allowed: Array) -> RocscopeError:
    """Which condition fails, and how near the thresholds come that pass the ones before it."""
    values = np.where(
        allowed, np.asarray(measures.get(requirement.name).value(t.along().cells), dtype=np.float64), np.nan
    )
    among = f" where {' and '.join(map(str, met))}" if met else ""
    known = np.flatnonzero(~np.isnan(values))
    if not known.size:
        return RocscopeError(
            f"{requirement.name} is undefined at every threshold{among}", hint=_why(t, requirement.name)
        )
    ahead = {">": 1.0, "<": -1.0}.get(requirement.sign[0])
    worth = values[known] * ahead if ahead else -abs(values[known] - float(requirement.limit))
    row = known[worth.argmax()]
    nearest = f"the best is {values[row]:.4g}, at threshold {t.thresholds[row]:g}"
    return RocscopeError(f"no threshold reaches {requirement}{among}; {nearest}", hint="Relax the condition")


def _why(t: ScoreTable, name: str) -> str:
    try:
        return measures.get(name).why(t.along().cells)
    except RocscopeError:
        return ""


# ---- threshold at a given sensitivity or specificity ----


def at_sensitivity(t: ScoreTable, value: float) -> OperatingPoint:
    """The threshold with the fewest false positives among those whose sensitivity is at least `value`.

    >>> t = ScoreTable.from_scores([1, 1, 0, 1, 0, 0], [0.9, 0.8, 0.7, 0.6, 0.5, 0.4])
    >>> at_sensitivity(t, 0.6).threshold, at_specificity(t, 0.6).threshold
    (0.8, 0.6)
    """
    return _at_rate(t, "sensitivity", value, "specificity")


def at_specificity(t: ScoreTable, value: float) -> OperatingPoint:
    """The threshold with the most true positives among those whose specificity is at least `value`."""
    return _at_rate(t, "specificity", value, "sensitivity")


def _at_rate(t: ScoreTable, kept: str, value: float, sought: str) -> OperatingPoint:
    limit = Requirement(kept, ">=", share(value, kept), f"{float(value):g}")
    optimal = best(t, sought, where=Condition((limit,)))
    # among ties, take the point that is also best in the other rate
    return optimal[-1] if kept == "sensitivity" else optimal[0]


# ---- scores that are likelihood ratios or probabilities ----

MEANINGS = ("ranks", "likelihood ratios", "probabilities")


def likelihood_ratio(t: ScoreTable, *, scores: str = "ranks") -> Optima:
    """The maximum-likelihood rule: flag if p(score | positive) / p(score | negative) >= 1.

    `scores` states what the scores are: "ranks" (cut where the slope of the hull passes 1, at Youden's point),
    "likelihood ratios" (cut at 1) or "probabilities" that are calibrated for these data (cut at their prevalence).
    Metz 1978, Seminars in Nuclear Medicine 8:283.

    >>> t = ScoreTable.from_scores([1, 0, 1, 0, 0, 0], [3.0, 1.5, 1.2, 0.8, 0.5, 0.1])
    >>> likelihood_ratio(t)[0].threshold, likelihood_ratio(t, scores="likelihood ratios")[0].threshold
    (1.2, 1.0)
    """
    if _meaning(scores) == "ranks":
        return _with_note(
            best(t, "likelihood_ratio"), "The scores are treated as ranks: the slope of the hull passes 1 here."
        )
    return _direct(t, Fraction(1), scores, "likelihood_ratio", "youden")


def map_rule(t: ScoreTable, *, scores: str = "ranks", costs: Costs | None = None) -> Optima:
    """The maximum a posteriori rule: flag if the likelihood ratio is at least P(-) / P(+), or the slope of the costs.

    `scores` has the same meaning as in `likelihood_ratio`: "ranks" (cut where the slope of the hull passes negatives /
    positives, at the best accuracy), "likelihood ratios" (cut at P(-) / P(+)) or "probabilities" (cut at 1/2; with
    costs at C_FP / (C_FP + C_FN)).

    >>> t = ScoreTable.from_scores([1, 0, 1, 0, 0, 0], [0.9, 0.6, 0.5, 0.4, 0.3, 0.1])
    >>> map_rule(t, scores="probabilities", costs=Costs(fp=1, fn=3))[0].threshold
    0.25
    """
    if costs is None:
        slope: Fraction | float = Fraction(t.negatives) / Fraction(t.positives) if t.positives else math.inf
    else:
        slope = costs.slope(t.positives, t.negatives)
    if _meaning(scores) == "ranks":
        return _with_note(
            best(t, "map", costs=costs),
            f"The scores are treated as ranks: the slope of the hull passes {float(slope):.4g} here.",
        )
    return _direct(t, slope, scores, "map", "accuracy")


def _direct(t: ScoreTable, slope: Fraction | float, scores: str, rule: str, measure: str) -> Optima:
    if not t.higher_is_positive:
        raise RocscopeError(
            f"scores={scores!r} flags high scores, but low scores indicate the positive class here",
            hint="Use scores='ranks'",
        )
    if isinstance(slope, float):
        raise RocscopeError(
            f"the cut-off ratio is {slope}", hint="Both classes must be present, and the costs must differ"
        )
    if scores == "probabilities":
        _within_zero_and_one(t)
    cut = float(_cut(t, slope, scores))
    counts = t.at(cut)
    value = float(counts.value(measure))
    point = OperatingPoint(cut, counts, value, rule, f"{flagging(t, cut, counts)} ({measure} {value:.4g}).")
    return Optima(np.array([cut]), rule, f"The scores are treated as {scores}: cut at {cut:.4g}.", lambda index: point)


def _cut(t: ScoreTable, slope: Fraction, scores: str) -> Fraction:
    """The likelihood ratio itself, or the probability that has it: odds = ratio * positives / negatives."""
    if scores == "likelihood ratios":
        return slope
    up, down = Fraction(t.positives), Fraction(t.negatives)
    if not up or not down:
        raise RocscopeError(
            "the prevalence underlying the probabilities is 0 or 1", hint="There must be cases of both classes"
        )
    return slope * up / (slope * up + down)


def _within_zero_and_one(t: ScoreTable) -> None:
    low, high = t.scores.min(), t.scores.max()
    if low < 0 or high > 1:
        raise RocscopeError(
            f"scores must be probabilities between 0 and 1, but they range from {low:g} to {high:g}",
            hint="scores='ranks'",
        )


def _meaning(scores: str) -> str:
    if scores not in MEANINGS:
        raise RocscopeError(
            f"scores must be one of {', '.join(MEANINGS)}, not {scores!r}", hint=did_you_mean(str(scores), MEANINGS)
        )
    return scores


def _with_note(optimal: Optima, note: str) -> Optima:
    return replace(optimal, note=" ".join(filter(None, (note, optimal.note))))
