"""Intervals for costs and benefits: net benefit, expected cost, and the break-even between two operating points."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rocscope import curves, tally
from rocscope.curves import Curve
from rocscope.decisions import Costs
from rocscope.errors import RocscopeError
from rocscope.estimate import Estimate, mover, proportion, undefined
from rocscope.formula import CELLS
from rocscope.hull import Hull, HullPoint
from rocscope.intervals.closed_forms import score_interval
from rocscope.intervals.paired_cases import clusters_of
from rocscope.numbers import checked_level, checked_share, normal_quantile
from rocscope.record import record
from rocscope.table import Counts, ScoreTable

Array = NDArray[Any]
CLASSES = ("tp", "fn"), ("fp", "tn")
Numbers = tuple[dict[str, float], dict[str, float]]


def net_benefit(
    counts: Counts | ScoreTable, *, pt: float, prevalence: float | None = None, level: float = 0.95
) -> Estimate:
    """The net benefit of acting on the flagged cases, TP/n - w FP/n with w = pt/(1 - pt), with its interval.

    Limits are combined from Wilson's limits for the two shares, with their correlation (MOVER), so they never have zero
    width, even when nothing is flagged. A table is evaluated at the threshold pt itself. With a `prevalence`, the rates
    within each class are applied at that prevalence: π TPR - (1 - π) w FPR. "Treat all" is Counts(tp=P, fp=N, fn=0,
    tn=0). Reference: Vickers & Elkin, Med Decis Making 2006;26:565-574; Zou & Donner, Stat Med 2008;27:1693-1702
    (MOVER).

    >>> e = net_benefit(Counts(tp=7, fp=7, fn=3, tn=13), pt=0.2)
    >>> round(e.value, 6), round(e.low, 6), round(e.high, 6)
    (0.175, 0.039559, 0.361764)
    """
    level, method = checked_level(level), "newcombe, mover"
    acts = checked_share("pt", pt, hint="Give the lowest probability at which acting is worthwhile, such as 0.2")
    point = counts.at(pt) if isinstance(counts, ScoreTable) else counts
    share = None if prevalence is None else checked_share("prevalence", prevalence, hint="2 % is 0.02")
    if not (parts := _shares(point, ("tp", "fp"), level, by_class=share is not None)):
        alone = "there are no cases, so net benefit is undefined"
        why = alone if share is None else "changing the prevalence requires cases of both classes"
        return undefined(why, level=level, method=method)
    up, down = (1.0, 1.0) if share is None else (share, 1 - share)
    factors, related = (up, -down * acts / (1 - acts)), 0.0 if share is not None else excluding(*parts)
    value = parts[0].value * factors[0] + parts[1].value * factors[1]
    return Estimate(value, *mover(parts, factors, correlation=related), level, method)


# maximum number of observed thresholds for a decision curve; above it, a grid in steps of 1 % is used
MOST_POINTS = 400


def decision_curve(t: ScoreTable, *, pt: Sequence[float] | None = None, level: float = 0.95) -> Curve:
    """The decision curve with limits: net benefit and net interventions avoided at each threshold probability.

    It is computed at the given probabilities, or else at every observed score, or at every percent if there are many
    scores. The limits are those of `net_benefit`; interventions avoided are TN/n - FN/n (1 - pt)/pt, a net benefit with
    the classes exchanged. They hold at each pt separately. Reference: Vickers & Elkin, Med Decis Making
    2006;26:565-574.

    >>> t = ScoreTable.from_scores([1, 0, 1, 0, 0, 0], [0.8, 0.6, 0.4, 0.3, 0.2, 0.1])
    >>> found = decision_curve(t, pt=[0.25])
    >>> found.net_benefit.round(3), found.low.round(3), found.high.round(3), found.avoided.round(3)
    (array([0.222]), array([-0.094]), array([0.634]), array([0.333]))
    """
    level, points = checked_level(level), pt
    if points is None and len(t) > MOST_POINTS:
        points = (np.arange(1, 100) / 100).tolist()
    curve = curves.net_benefit(t, pt=points)
    limits = {name: np.full(len(curve.thresholds), math.nan) for name in ("low", "high", "avoided_low", "avoided_high")}
    for row, at in enumerate(curve.thresholds.tolist()):
        if 0 < at < 1:
            counts = t.at(at)
            used, spared = net_benefit(counts, pt=at, level=level), net_benefit(counts.swap(), pt=1 - at, level=level)
            for name, limit in zip(limits, (used.low, used.high, spared.low, spared.high), strict=True):
                limits[name][row] = limit
    return replace(curve, columns={**curve.columns, **limits})


def _shares(
    counts: Counts, names: tuple[str, str], level: float, *, by_class: bool, cases: float | None = None
) -> list[Estimate]:
    """A cell of each class as a share of all cases, or of its class, with Wilson's limits.

    [] without such cases.

    `cases` is the effective number of cases if it is not Kish's.
    """
    numbers, estimates = _numbers(counts), []
    for name, own in zip(names, CLASSES, strict=True):
        total, effective = _cases(numbers, own if by_class else CELLS)
        if not total:
            return []
        size = effective if cases is None else cases
        estimates.append(proportion(numbers[0][name] / total * size, size, level=level))
    return estimates


def _cases(numbers: Numbers, names: tuple[str, ...]) -> tuple[float, float]:
    """The sum of some cells, and its effective number of cases with sampling weights (Kish)."""
    cells, squares = numbers
    total = sum([cells[name] for name in names])
    squared = total if squares is cells else sum([squares[name] for name in names])
    return total, total * total / squared if squared else 0.0


def excluding(first: Estimate, second: Estimate) -> float:
    """The correlation of two mutually exclusive proportions of the same cases."""
    rest = (1 - first.value) * (1 - second.value)
    return -math.sqrt(first.value * second.value / rest) if rest > 0 else -1.0


def expected_cost(counts: Counts, costs: Costs, *, level: float = 0.95) -> Estimate:
    """The expected cost per case of an operating point, with an interval between its lowest and highest cost.

    It is the mean over cases of the cost of their outcome, with Wilson's limits on the scale from the lowest to the
    highest cost and the number of cases that corresponds to the observed variance. At the prevalence of the costs, if
    they have one, the limits come from those of TPR and FPR (MOVER). At a threshold chosen on the same data, the value
    is optimistic; see `cross_fitted`. Reference: Elkan, IJCAI 2001:973-978 (costs); Zou & Donner, Stat Med
    2008;27:1693-1702 (MOVER).

    >>> print(expected_cost(Counts(tp=7, fp=7, fn=3, tn=13), Costs(fp=1, fn=5)))
    0.73 [0.35, 1.41]
    """
    level, method = checked_level(level), "score, mean of costs"
    cells, squares = _numbers(counts)
    price = {name: float(getattr(costs, name)) for name in CELLS}
    value = float(costs.expected(counts))
    if math.isnan(value):
        return undefined("a class has no cases, so the expected cost is undefined", level=level, method=method)
    if costs.prevalence is not None:
        errors = ErrorCosts.of(counts, costs, level)
        return Estimate(value, *errors.limits(value), level, "newcombe, mover")
    least, greatest = min(price.values()), max(price.values())
    if least == greatest:
        return Estimate(value, value, value, level, method, "every outcome has the same cost")
    total, cases = _cases((cells, squares), CELLS)
    spread = sum(squares[name] * (price[name] - value) ** 2 for name in CELLS) / total**2
    width = greatest - least
    at_end = not spread > 0 or value in (least, greatest)
    inner = score_interval(
        (value - least) / width, spread / width**2, cases if at_end else math.inf, level=level, method=method
    )
    low, high = least + width * inner.low, least + width * inner.high
    return Estimate(value, min(low, value), max(high, value), level, method, se=math.sqrt(spread))


class ErrorCosts(NamedTuple):
    """The variable parts of an expected cost: the shares of missed and of falsely flagged cases, and their costs.

    π (C_FN - C_TP) FNR + (1 - π)(C_FP - C_TN) FPR: `parts` are shares of each class at a known prevalence, else of all
    cases (and then correlated), `factors` what they cost.
    """

    parts: list[Estimate]
    factors: tuple[float, float]
    correlation: float

    @classmethod
    def of(cls, counts: Counts, costs: Costs, level: float) -> ErrorCosts:
        """The shares of errors at an operating point."""
        known = costs.prevalence is not None
        cases = None if known else sum(_cases(_numbers(counts), own)[1] for own in CLASSES)
        parts = _shares(counts, ("fn", "fp"), level, by_class=known, cases=cases)
        up, down = (1.0, 1.0) if costs.prevalence is None else (float(costs.prevalence), 1 - float(costs.prevalence))
        factors = up * (float(costs.fn) - float(costs.tp)), down * (float(costs.fp) - float(costs.tn))
        return cls(parts, factors, 0.0 if known else excluding(*parts))

    def limits(self, value: float) -> tuple[float, float]:
        """The limits of an expected cost of that value (`mover`)."""
        middle = sum(factor * part.value for factor, part in zip(self.factors, self.parts, strict=True))
        low, high = mover(self.parts, self.factors, correlation=self.correlation)
        return value - (middle - low), value + (high - middle)

    @property
    def se(self) -> float | None:
        """The standard error; None if it is 0."""
        first, second = (factor * (part.se or 0.0) for factor, part in zip(self.factors, self.parts, strict=True))
        spread = first**2 + second**2 + 2 * self.correlation * first * second
        return math.sqrt(spread) if spread > 0 else None


def _numbers(counts: Counts) -> Numbers:
    """The four cells and their squared weights as floats."""
    for name, cell in counts.cells.items():
        if cell is None or isinstance(cell, np.ndarray) or not hasattr(cell, "__float__"):
            raise RocscopeError(f"all four cells must be single numbers, but {name} is not")
    cells = {name: float(cell) for name, cell in counts.cells.items()}
    if counts.squares is None:
        return cells, cells
    return cells, {name: float(square) for name, square in zip(CELLS, counts.squares, strict=True)}


# ---- break-even ----


def break_even(
    y: Any,
    first: Any,
    second: Any,
    *,
    positive: Any = None,
    weights: Any = None,
    clusters: Any = None,
    level: float = 0.95,
) -> Estimate:
    """The slope c at which two sets of decisions on the same cases have the same cost, with its interval.

    The slope is c = D_t/D_f: the additional share of positives that the second finds, divided by the additional share
    of negatives that it flags. Below c, the one that flags more is cheaper. The limits solve (D_t - c D_f)² <= z²(v_t -
    2c v_tf + c² v_f) (Fieller), where cases of both classes vary together (v_tf) only in clusters; if D_f may be 0,
    there is no upper limit, or the data are inconclusive. `first` and `second` contain 1 for each flagged case. The
    cost ratio C_FP/C_FN is c P/N; `break_even_costs` returns it. Reference: Fieller, J R Stat Soc B 1954;16:175-185.

    >>> y = [1] * 100 + [0] * 100
    >>> bolder = [1] * 25 + [0] * 75 + [1] * 30 + [0] * 70
    >>> e = break_even(y, [0] * 200, bolder)
    >>> round(e.value, 6), round(e.low, 6), round(e.high, 6)
    (0.833333, 0.510212, 1.322377)
    """
    level = checked_level(level)
    mask, _ = tally.binary(y, positive)
    change = _changes(mask, first, second)
    return _fieller(_Moments.of(mask, change, weights, clusters), level)


@record(slots=True)
class BreakEven:
    """Two neighboring corners of a hull of different models, and the `slope` at which they cost the same.

    `first` flags fewer cases. Above the slope, where false alarms are more costly, `first` is cheaper; below it,
    `second` is.
    """

    first: HullPoint
    second: HullPoint
    slope: Estimate

    def costs(self, odds: float) -> Estimate:
        """The ratio of the cost of a false alarm to that of a miss; `odds` are positives / negatives."""
        slope = self.slope
        return replace(slope, value=slope.value * odds, low=slope.low * odds, high=slope.high * odds, se=None)


def hull_break_evens(
    held: Hull,
    mask: Any,
    flagged: Callable[[HullPoint], Any],
    *,
    weights: Any = None,
    clusters: Any = None,
    level: float = 0.95,
) -> tuple[BreakEven, ...]:
    """The slopes at which the cheapest model changes along a hull, each with its interval (`break_even`).

    `mask` is 1 for positives, and `flagged` returns the cases that a corner flags. The slope is that of the two
    operating points, each at the threshold of its corner: the interval shows at which costs these two decisions cost
    the same on other cases. Limits stay within [0, infinity]. For the coverage in simulated settings, see
    docs/coverage.md.

    >>> from rocscope.hull import hull
    >>> y, a, b = [1, 1, 0, 1, 1, 0, 1, 0, 0, 0], [9, 8, 7, 6, 1, 5, 0, 4, 3, 2], [5, 6, 9, 4, 7, 8, 3, 2, 1, 0]
    >>> scores = {"a": np.array(a), "b": np.array(b)}
    >>> held = hull({name: ScoreTable.from_scores(y, one) for name, one in scores.items()})
    >>> found = hull_break_evens(held, np.array(y), lambda corner: scores[corner.model] >= corner.threshold)[0]
    >>> found.first.model, found.second.model, str(found.slope)
    ('a', 'b', '1.50 [0.26, ∞]')
    """
    level, crossings = checked_level(level), []
    for start, end, slope, _ in held.segments:
        if start.model is None or end.model is None or start.model == end.model or not 0 < slope < math.inf:
            continue
        change = np.asarray(flagged(end), dtype=np.float64) - np.asarray(flagged(start), dtype=np.float64)
        estimate = _fieller(_Moments.of(np.asarray(mask), change, weights, clusters), level)
        crossings.append(BreakEven(start, end, _as_slope(replace(estimate, value=slope))))
    return tuple(crossings)


def break_even_costs(
    y: Any,
    first: Any,
    second: Any,
    *,
    positive: Any = None,
    prevalence: float | None = None,
    level: float = 0.95,
) -> Estimate:
    """The cost ratio C_FP/C_FN at which two sets of decisions cost the same: `break_even` times positives/negatives.

    It refers to the prevalence of the cases, or to a given one. Reference: Fieller, J R Stat Soc B 1954;16:175-185.

    >>> y = [1] * 100 + [0] * 100
    >>> print(break_even_costs(y, [0] * 200, [1] * 25 + [0] * 75 + [1] * 30 + [0] * 70, prevalence=0.2))
    0.21 [0.13, 0.33]
    """
    slope = _as_slope(break_even(y, first, second, positive=positive, level=level))
    if prevalence is None:
        mask, _ = tally.binary(y, positive)
        ratio = float(mask.sum()) / max(1.0, float((mask == 0).sum()))
    else:
        share = checked_share("prevalence", prevalence, hint="2 % is 0.02")
        ratio = share / (1 - share)
    return Estimate(
        slope.value * ratio, slope.low * ratio, slope.high * ratio, slope.level, slope.method, slope.why
    )  # fmt: skip


def _as_slope(slope: Estimate) -> Estimate:
    """Clip the limits to the range of slopes, 0 to infinity, because costs are not negative."""
    if math.isnan(slope.value):
        return undefined(slope.why, level=slope.level, method=slope.method)
    if slope.value < 0:
        why = "one of the two is at least as good in both classes, so they never cost the same"
        return undefined(why, level=slope.level, method=slope.method)
    return replace(slope, low=max(0.0, slope.low), high=max(0.0, slope.high))


def _changes(mask: Array, first: Any, second: Any) -> Array:
    """Decision 2 minus decision 1, each 0 or 1."""
    columns = []
    for name, column in (("first", first), ("second", second)):
        values = tally.numeric(column, name).astype(np.float64)
        if len(values) != len(mask):
            raise RocscopeError(f"{name} has {len(values)} decisions, but there are {len(mask)} labels")
        if not np.isin(values, (0.0, 1.0)).all():
            raise RocscopeError(f"{name} contains values other than 0 and 1", hint="Give decisions: score >= threshold")
        columns.append(values)
    return np.asarray(columns[1] - columns[0])


@record(slots=True)
class _Moments:
    """The mean changes of decisions about positives and about negatives, and the covariance of these means."""

    more: float
    alarms: float
    spread: tuple[float, float]
    together: float
    changed: bool

    @classmethod
    def of(cls, mask: Array, change: Array, weights: Any, clusters: Any) -> _Moments:
        """Compute weighted means, and their variance over cases, or over clusters, in which both classes are
        correlated.
        """
        mass = np.ones(len(change)) if weights is None else tally.numeric(weights, "weights").astype(np.float64)
        codes, many = (None, 0) if clusters is None else clusters_of(clusters, len(change))
        means, spread, parts = [], [], []
        for side in (mask == 1, mask == 0):
            total = float(mass[side].sum())
            mean = float(mass[side] @ change[side]) / total if total else math.nan
            each = np.where(side, mass * (change - mean), 0.0) / total if total else np.full(len(change), math.nan)
            sums = each[side] if codes is None else np.bincount(codes, each, many)
            parts.append(sums)
            means.append(mean)
            spread.append(float(sums @ sums) * len(sums) / (len(sums) - 1) if len(sums) > 1 else math.nan)
        together = 0.0 if codes is None or many < 2 else float(parts[0] @ parts[1]) * many / (many - 1)
        return cls(means[0], means[1], (spread[0], spread[1]), together, bool(change.any()))


def _fieller(moments: _Moments, level: float) -> Estimate:
    method, (more, alarms, spread) = "fieller", (moments.more, moments.alarms, moments.spread)
    if math.isnan(more) or math.isnan(alarms):
        return undefined("the break-even slope can be computed only with both positives and negatives", level=level,
        method=method)
    if not moments.changed:
        return undefined("same decisions", level=level, method=method)
    value = more / alarms if alarms else math.nan
    if math.isnan(spread[0] + spread[1]):
        return Estimate(value, level=level, method=method, why="a class with a single case has no variation")
    if alarms == 0:
        return undefined(
            "the decisions flag the same number of negatives, so there is no slope", level=level, method=method
        )
    z2 = normal_quantile(level) ** 2
    a, c = alarms**2 - z2 * spread[1], more**2 - z2 * spread[0]
    b = -2 * (more * alarms - z2 * moments.together)
    inner = b * b - 4 * a * c
    if a <= 0:  # the false-alarm rates may be equal, so the confidence set is unbounded on one or both sides
        return _open_set(value, a, b, c, inner, level, method)
    root = math.sqrt(max(0.0, inner))
    low, high = (-b - root) / (2 * a), (-b + root) / (2 * a)
    if spread[0] == spread[1] == 0:
        return Estimate(
            value, level=level, method=method, why="all decisions change in the same way, so no variation is observed"
        )
    return Estimate(value, low, high, level, method)


def _open_set(value: float, a: float, b: float, c: float, inner: float, level: float, method: str) -> Estimate:
    """The slopes beyond one root if the difference in alarms may be 0.

    All slopes if neither sign is excluded.
    """
    if inner > 0 and b:
        root = math.sqrt(inner)
        ends = sorted(((-b - root) / (2 * a), (-b + root) / (2 * a))) if a else [-c / b, -c / b]
        if value >= ends[1] > 0:
            return Estimate(value, ends[1], math.inf, level, method, "no upper limit: both may flag the same number "
            "of cases")
        if value <= ends[0] < 0:
            return Estimate(
                value, -math.inf, ends[0], level, method, "no lower limit: both may flag the same number of cases"
            )
    return Estimate(value, -math.inf, math.inf, level, method, "the data are inconclusive: any slope is possible")
