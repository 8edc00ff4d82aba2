"""Statistics of predictions, case by case, for several classes and for several labels.

Each statistic is a function of the weights of the cases: `prepare(predictions)` returns a function of many rows of
weights (replicates x cases), which is used for the value itself, for resamples of cases and for paired differences.
Measures of a confusion matrix sum the weights of each cell; means sum losses; areas sum the weights of each run of
scores. `interval` is the closed form of one value. For several labels, it is computed from influences: the effect of
each case on the statistic, so that the labels of one case, which are not independent, are counted together.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import permutations
from typing import TYPE_CHECKING, Any

import numpy as np

from rocscope import curves, estimate, measures
from rocscope.decisions import CostMatrix, Costs
from rocscope.errors import RocscopeError, did_you_mean
from rocscope.estimate import Estimate, on_scale, proportion, undefined
from rocscope.formula import divide
from rocscope.intervals.class_means import mean_auc
from rocscope.intervals.closed_forms import MOST_CASES, drawn_towards, score_interval
from rocscope.intervals.influence import collected, effective_sizes, linear_variance
from rocscope.intervals.paired_cases import PairedCases
from rocscope.intervals.resamples import CellSums, Scattered, negative_runs, runs
from rocscope.intervals.statistics import auc_values, average_precision_values
from rocscope.measures import AVERAGES, Measure, one_vs_rest
from rocscope.multiclass import (
    CaseSums,
    ClassPredictions,
    ClassSums,
    KnownMean,
    LabelPredictions,
    class_places,
    coverages,
    log_losses,
    ranking_losses,
    ranking_precisions,
    squared_losses,
)
from rocscope.numbers import Array, checked_level
from rocscope.record import record
from rocscope.table import ScoreTable

if TYPE_CHECKING:
    from rocscope.multiclass import LabelSums

Predictions = ClassPredictions | LabelPredictions
Values = Callable[[Array], Array]
TOP = re.compile(r"top_(\d+)_accuracy")
NO_RANKING = "predicted labels cannot be ranked"
NO_PROBABILITIES = "the scores are not probabilities"
# name of a mean AUC -> averaging method of `intervals.mean_auc`
MEAN_AUCS = {
    "auc": "macro", "auc_ovr": "macro", "macro_auc": "macro", "auc_ovr_weighted": "weighted",
    "weighted_auc": "weighted", "auc_ovr_micro": "micro", "micro_auc": "micro", "auc_ovo": "hand-till",
    "hand_till": "hand-till", "hand_till_auc": "hand-till",
}  # fmt: skip
AUC_TITLES = {
    "macro": "AUC, one against the rest", "weighted": "AUC, weighted by class size", "micro": "AUC, all pooled",
    "hand-till": "AUC, one against one (Hand & Till)",
}  # fmt: skip


@record(slots=True)
class CaseStatistic:
    """A statistic of predictions: its range, its best value, its values in many resamples, and its closed-form
    interval.

    `why` gives the reason if it has no value for some predictions; `several` states whether each case has several
    labels, and `of_decisions` whether the statistic depends only on the predicted classes; `made_by` creates the
    statistic if its name does not determine it, as for a cost; `instead` appears in bootstrap messages and is empty
    here. With several labels, `values_of` gives the values of single cases and `mean_of` their mean from sums;
    `slopes_of` gives the slopes of an average over labels with respect to the counts of the labels.
    """

    name: str
    title: str
    low: float
    high: float
    lowest: bool
    prepare: Callable[[Any], Values]
    interval: Callable[[Any, float], Estimate]
    why: Callable[[Any], str]
    several: bool = False
    instead: str = ""
    made_by: Callable[[], CaseStatistic] | None = None
    of_decisions: bool = False
    values_of: Callable[[Any], Array] | None = None
    mean_of: Callable[[Any], KnownMean] | None = None
    slopes_of: Callable[[Any], Array] | None = None

    def __reduce__(self) -> tuple[Any, ...]:
        """By its name, or by what made it, so that results that hold one can be pickled."""
        return (_declared, (self.name, self.several)) if self.made_by is None else (self.made_by, ())

    def value(self, predictions: Predictions | LabelSums) -> float:
        """The value on the cases; NaN if it is undefined."""
        if self.why(predictions):
            return math.nan
        if getattr(predictions, "sums", None) is not None and not self.of_decisions:
            return self.interval(predictions, 0.95).value
        return float(self.prepare(predictions)(predictions.mass[None])[0])

    def estimate(self, predictions: Predictions | ClassSums | LabelSums, *, level: float = 0.95) -> Estimate:
        """The value with its closed-form interval; NaN with the reason if it is undefined."""
        level = checked_level(level)
        reason = self.why(predictions)
        return undefined(reason, level=level) if reason else self.interval(predictions, level)


def case_statistic(name: str, predictions: Predictions | ClassSums | LabelSums) -> CaseStatistic:
    """The statistic with a given name: "accuracy", "macro f1", "log_loss", "top_3_accuracy", "auc", ...

    >>> p = ClassPredictions.of_labels(["a", "b", "a", "c"], ["a", "b", "c", "c"])
    >>> round(case_statistic("macro recall", p).value(p), 4)
    0.8333
    """
    spelled = re.sub(r"[\s-]+", "_", name.strip().lower())
    several = not isinstance(predictions, ClassPredictions | ClassSums)
    for one in dict.fromkeys((spelled, spelled.removeprefix("roc_"), _scorer_name(spelled))):
        if (statistic := _declared(one, several)) is not None:
            return statistic
    known = label_names() if several else class_names()
    raise RocscopeError(
        f"there is no measure '{name}' for {'several labels' if several else 'several classes'}",
        hint=did_you_mean(spelled, known) or f"Use, for example, {', '.join(known[:6])}",
    )


def _scorer_name(name: str) -> str:
    """Convert the name of a scikit-learn scorer such as "f1_macro": the average comes first here."""
    head, _, how = name.rpartition("_")
    return f"{how}_{head}" if head and how in (*AVERAGES, "samples") else name


def _declared(name: str, several: bool) -> CaseStatistic | None:
    return _of_labels(name) if several else _of_classes(name)


def class_names() -> list[str]:
    """The names of statistics for several classes, starting with the most common ones."""
    whole = [measure.name for measure in measures.catalog() if measure.matrix is not None]
    averaged = [f"{how}_{name}" for how in AVERAGES for name in ("f1", "precision", "recall")]
    first = ["accuracy", "macro_f1", "log_loss", "brier", "auc", "auc_ovo", "top_2_accuracy", "balanced_accuracy"]
    return list(dict.fromkeys([*first, *averaged, *MEAN_AUCS, *whole]))


def label_names() -> list[str]:
    """The names of statistics for several labels, starting with the most common ones."""
    averaged = [f"{how}_{name}" for how in (*AVERAGES, "samples") for name in ("f1", "precision", "recall", "jaccard")]
    first = ["subset_accuracy", "hamming_loss", "macro_f1", "micro_f1", "samples_f1", "auc", "average_precision"]
    ranked = ["ranking_precision", "ranking_loss", "coverage_error", "micro_auc", "micro_average_precision"]
    return list(dict.fromkeys([*first, *ranked, *averaged]))


# ---- multiclass ----


def _of_classes(name: str) -> CaseStatistic | None:
    if name in MEAN_AUCS:
        return _class_auc(MEAN_AUCS[name])
    if name in LOSSES:
        return _class_loss(name)
    if match := TOP.fullmatch(name):
        return _top(int(match[1]))
    how, _, rest = name.partition("_")
    averaged = how in AVERAGES and rest in measures.names()
    if not averaged and name not in measures.names():
        return None
    measure = measures.get(rest if averaged else name)
    if not averaged and measure.matrix is None:
        averages = ", ".join(f"{average}_{measure.name}" for average in AVERAGES)
        raise RocscopeError(
            f"{measure.name} is a measure of one class, but there are several", hint=f"Use one of {averages}"
        )
    return _of_matrix(measure, how if averaged else "")


def _of_matrix(measure: Measure, how: str) -> CaseStatistic:
    title = f"{how} {measure.title}".strip()

    def prepare(p: ClassPredictions) -> Values:
        matrices = _matrices(p)
        return lambda mass: _measured(measure, how, matrices(mass))

    def interval(p: ClassPredictions, level: float) -> Estimate:
        return estimate.of_matrix(measure, p.matrix, average=how or None, level=level)

    def why(p: ClassPredictions) -> str:
        if not how:
            return measure.why_of_matrix(p.matrix.cells)
        return "" if p.matrix.average(measure.name, how).over else "undefined for every class"

    return CaseStatistic(
        f"{how}_{measure.name}".strip("_"), title, measure.low, measure.high, measure.best == measure.low, prepare,
        interval, why, of_decisions=True,
    )  # fmt: skip


def _matrices(p: ClassPredictions) -> Values:
    """Confusion matrices (replicates x classes x classes) from weights of cases."""
    size, decided = len(p.labels), np.flatnonzero(p.predicted >= 0)
    sums = CellSums(decided, p.codes[decided] * size + p.predicted[decided], size * size)
    return lambda mass: sums.counts(mass).reshape(-1, size, size)


def _measured(measure: Measure, how: str, arrays: Array) -> Array:
    """A measure of many matrices, or its average over the classes for which it is defined."""
    if not how:
        assert measure.matrix is not None
        with np.errstate(all="ignore"):
            return np.asarray(measure.matrix(arrays.astype(np.float64)), dtype=np.float64)
    cells = one_vs_rest(arrays.astype(np.float64))
    return _averaged(measure, how, cells)


def _averaged(measure: Measure, how: str, cells: dict[str, Array]) -> Array:
    """Average a measure of each class or label (last axis of the cells) over those for which it is defined."""
    if how == "micro":
        return np.asarray(measure.value({name: cell.sum(-1) for name, cell in cells.items()}), dtype=np.float64)
    values = np.asarray(measure.value(cells), dtype=np.float64)
    weights = np.ones_like(values) if how == "macro" else cells["tp"] + cells["fn"]
    return _mean_of(values, weights)


def _mean_of(values: Array, weights: Array) -> Array:
    known = np.isfinite(values)
    total = np.where(known, weights, 0.0).sum(-1)
    return np.asarray(divide(np.where(known, values * weights, 0.0).sum(-1), total))


# ---- two classes, one of them positive ----


def positive_statistic(name: str, positive: int) -> CaseStatistic:
    """A measure of the four counts, such as recall, for two classes; `positive` is the index of the positive one.

    >>> p = ClassPredictions.of_labels(["a", "b", "a", "b"], ["a", "b", "b", "b"])
    >>> round(positive_statistic("precision", 1).value(p), 4)
    0.6667
    """
    measure = measures.get(name)

    def prepare(p: ClassPredictions) -> Values:
        cells = _positive_cells(p, positive)
        return lambda mass: np.asarray(measure.value(cells(mass)), dtype=np.float64)

    def interval(p: ClassPredictions, level: float) -> Estimate:
        return p.matrix.of(p.labels[positive]).estimate(measure.name, level=level)

    def why(p: ClassPredictions) -> str:
        return p.matrix.of(p.labels[positive]).why(measure.name)

    return CaseStatistic(
        measure.name, measure.title, measure.low, measure.high, measure.best == measure.low, prepare, interval, why,
        made_by=partial(positive_statistic, name, positive), of_decisions=True,
    )  # fmt: skip


def two_class_cost(costs: Costs, positive: int) -> CaseStatistic:
    """The expected cost per 1,000 cases of two classes; `positive` is the index of the positive one.

    >>> p = ClassPredictions.of_labels(["a", "b", "a", "b"], ["a", "b", "b", "b"])
    >>> two_class_cost(Costs(fp=1, fn=5), 1).value(p)
    250.0
    """
    from rocscope.intervals.cost_intervals import expected_cost

    def prepare(p: ClassPredictions) -> Values:
        cells = _positive_cells(p, positive)
        return lambda mass: 1000 * np.asarray(costs.per_case(**cells(mass), number=float), dtype=np.float64)

    def interval(p: ClassPredictions, level: float) -> Estimate:
        cost = expected_cost(p.matrix.of(p.labels[positive]), costs, level=level)
        return replace(cost, value=1000 * cost.value, low=1000 * cost.low, high=1000 * cost.high,
                       se=None if cost.se is None else 1000 * cost.se)  # fmt: skip

    prices = [float(getattr(costs, name)) for name in ("tp", "fp", "fn", "tn")]
    return CaseStatistic(
        "cost", "cost per 1,000 cases", 1000 * min(prices), 1000 * max(prices), True, prepare, interval, lambda p: "",
        made_by=partial(two_class_cost, costs, positive), of_decisions=True,
    )  # fmt: skip


def _positive_cells(p: ClassPredictions, positive: int) -> Callable[[Array], dict[str, Array]]:
    """Tp, fp, fn and tn of many resamples from weights of cases."""
    matrices = _matrices(p)

    def cells(mass: Array) -> dict[str, Array]:
        whole = one_vs_rest(matrices(mass).astype(np.float64))
        return {name: whole[name][..., positive] for name in ("tp", "fp", "fn", "tn")}

    return cells


# ---- probability losses ----

LOSSES = {"log_loss": ("log loss", math.inf), "brier": ("Brier score", 2.0)}


def _class_loss(name: str) -> CaseStatistic:
    title, high = LOSSES[name]
    losses_of = log_losses if name == "log_loss" else squared_losses

    def prepare(p: ClassPredictions) -> Values:
        losses = losses_of(p.codes, p.scores)
        return lambda mass: np.asarray(_weighted(mass, losses))

    return CaseStatistic(name, title, 0.0, high, True, prepare, partial(_loss_interval, name), _no_probabilities)


def _weighted(mass: Array, each: Array) -> Array:
    """The weighted mean of a value per case; an infinite one counts only if its case is drawn."""
    wrong = ~np.isfinite(each)
    with np.errstate(invalid="ignore", divide="ignore"):
        means = mass @ np.where(wrong, 0.0, each) / mass.sum(axis=-1)
    if wrong.any():
        means = np.where((mass[:, wrong] > 0).any(axis=1), each[wrong][0], means)
    return np.asarray(means)


def _no_probabilities(p: Predictions | ClassSums) -> str:
    if not p.scored:
        return NO_RANKING
    return "" if p.probabilities else NO_PROBABILITIES


def _loss_interval(name: str, p: ClassPredictions | ClassSums, level: float) -> Estimate:
    """The mean loss as in `intervals.brier` and `log_loss` for two classes, with the losses of all classes.

    The observed dispersion is shrunk toward the one expected if the stated probabilities are right, if that is larger.
    """
    sums = p.loss(name)
    value, cases, spread = sums.value, sums.cases, sums.spread
    method = "log scale, mean of losses" if name == "log_loss" else "score, mean of losses"
    if sums.infinite:
        why = f"infinite: the class of case {sums.lost} has probability 0 ({sums.infinite} such cases)"
        return Estimate(value, level=level, method=method, why=why)
    mean, expected = sums.expected or (0.0, 0.0)
    if name == "log_loss":
        if value == 0:
            return Estimate(0.0, 0.0, math.inf, level, method, "a single wrong case would have infinite loss")
        relative = drawn_towards(spread * cases / value**2, expected / mean**2 if mean > 0 else 0.0, cases)
        low, high = on_scale(value, value * math.sqrt(relative / cases), 0, math.inf, level)
        return Estimate(value, low, high, level, method, se=math.sqrt(spread))
    half, likely = value / 2, mean / 2  # rescaled from [0, 2] to [0, 1]
    seen = spread / 4 * cases / (half * (1 - half)) if 0 < half < 1 else 0.0
    stated = expected / 4 / (likely * (1 - likely)) if 0 < likely < 1 else 0.0
    dispersion = min(1.0, drawn_towards(seen, stated, cases)) if 0 < half < 1 else 1.0
    interval = score_interval(half, math.nan, cases / (dispersion or 1.0), level=level, method=method, se=None)
    return replace(interval, value=value, low=2 * interval.low, high=2 * interval.high, se=math.sqrt(spread))


def _top(k: int) -> CaseStatistic:
    def prepare(p: ClassPredictions) -> Values:
        hits = (class_places(p.codes, p.scores) < k).astype(np.float64)
        return lambda mass: _weighted(mass, hits)

    def interval(p: ClassPredictions | ClassSums, level: float) -> Estimate:
        mass, squares = p.places.sum(axis=0).tolist()
        return _share(float(p.places[:k, 0].sum()), mass, squares, p.weighted, level)

    def why(p: ClassPredictions | ClassSums) -> str:
        if not p.scored:
            return NO_RANKING
        return "" if 0 < k < len(p.labels) else f"with {len(p.labels)} classes, k must be from 1 to {len(p.labels) - 1}"

    return CaseStatistic(f"top_{k}_accuracy", f"top-{k} accuracy", 0.0, 1.0, False, prepare, interval, why)


def _share(hits: float, mass: float, squares: float, weighted: bool, level: float) -> Estimate:
    """A share of the total weight, from the part, the total, and the sum of squared weights."""
    if not weighted:
        return proportion(round(hits), round(mass), level=level)
    value, cases = hits / mass, mass**2 / squares
    interval = proportion(min(1.0, value) * cases, cases, level=level)
    return replace(interval, value=value, low=min(interval.low, value), high=max(interval.high, value))


# ---- multiclass areas ----


def _class_auc(how: str) -> CaseStatistic:
    def prepare(p: ClassPredictions) -> Values:
        return _AREAS[how](p)

    def interval(p: ClassPredictions | ClassSums, level: float) -> Estimate:
        return mean_auc(p if isinstance(p, ClassSums) else p.class_scores, how, level=level)

    def why(p: ClassPredictions | ClassSums) -> str:
        return "" if p.scored else f"{NO_RANKING}, and so no AUC"

    name = {"macro": "auc", "hand-till": "auc_ovo"}.get(how, f"auc_ovr_{how}")
    return CaseStatistic(name, AUC_TITLES[how], 0.0, 1.0, False, prepare, interval, why)


def _area_values(hit: Array, scores: Array, cases: Array | None = None) -> Values:
    """The AUC for many weightings of some of the cases; NaN if a class has none."""
    if hit.all() or not hit.any():
        return lambda mass: np.full(len(mass), math.nan)
    scattered = Scattered(PairedCases.of(hit, [scores], positive=True), 0, runs)
    return lambda mass: auc_values(*scattered.counts(mass if cases is None else mass[:, cases]))


def _one_against_rest(p: ClassPredictions, *, weighted: bool) -> Values:
    areas = [_area_values(p.codes == at, p.scores[:, at]) for at in range(len(p.labels))]
    sizes = CellSums(np.arange(len(p)), p.codes, len(p.labels))

    def values(mass: Array) -> Array:
        values_by_class = np.stack([area(mass) for area in areas], axis=-1)
        return _mean_of(values_by_class, sizes.counts(mass) if weighted else np.ones_like(values_by_class))

    return values


def _one_against_one(p: ClassPredictions) -> Values:
    present = np.unique(p.codes).tolist()
    pairs = [(i, np.flatnonzero((p.codes == i) | (p.codes == j))) for i, j in permutations(present, 2)]
    areas = [_area_values(p.codes[cases] == i, p.scores[cases, i], cases) for i, cases in pairs]

    def values(mass: Array) -> Array:
        values_by_pair = np.stack([area(mass) for area in areas], axis=-1)
        return _mean_of(values_by_pair, np.ones_like(values_by_pair))

    return values


def _pooled_classes(p: ClassPredictions) -> Values:
    return _pooled_area(p.codes[:, None] == np.arange(len(p.labels)), p.scores, _area_values)


def _pooled_area(hit: Array, scores: Array, area_of: Callable[[Array, Array], Values]) -> Values:
    """The area of all decisions pooled; those about one case are drawn together."""
    area, each = area_of(hit.ravel(), scores.ravel()), scores.shape[1]
    return lambda mass: area(np.repeat(mass, each, axis=1))


_AREAS: dict[str, Callable[[ClassPredictions], Values]] = {
    "macro": partial(_one_against_rest, weighted=False),
    "weighted": partial(_one_against_rest, weighted=True),
    "micro": _pooled_classes,
    "hand-till": _one_against_one,
}


# ---- multilabel: means over cases ----


def _of_labels(name: str) -> CaseStatistic | None:
    if name in LABEL_MEANS:
        return LABEL_MEANS[name]
    if name in LABEL_AREAS:
        return _label_area(*LABEL_AREAS[name])
    how, _, rest = name.partition("_")
    if rest not in measures.names() or how not in (*AVERAGES, "samples"):
        return None
    measure = measures.get(rest)
    if measure.formula is None:
        raise RocscopeError(f"{measure.name} describes a whole matrix, but several labels have one matrix each")
    return _samples(measure) if how == "samples" else _label_average(measure, how)


Counted = Callable[[dict[str, Array]], Array]  # a number of each case, from how many of its labels are tp, fp, fn, tn


def _mean_statistic(
    name: str, title: str, each: Counted | str, *, high: float = 1.0, lowest: bool = False
) -> CaseStatistic:
    """The mean of a number of each case, of its counts or a ranking by name; cases without one are left out."""
    ranked = isinstance(each, str)

    def values_of(p: LabelPredictions) -> Array:
        if isinstance(each, str):
            return np.asarray(RANKINGS[each](p.truth, p.scores), dtype=np.float64)
        return np.asarray(each(p.counted()[0]), dtype=np.float64)

    def prepare(p: LabelPredictions) -> Values:
        values = values_of(p)
        known = np.isfinite(values)
        return lambda mass: np.asarray(divide(mass[:, known] @ values[known], mass[:, known].sum(axis=1)))

    def mean_of(p: LabelPredictions | LabelSums) -> KnownMean:
        if isinstance(each, str):
            return p.ranking(each)
        counts, sums = p.counted()
        values = np.asarray(each(counts), dtype=np.float64)
        return KnownMean.of(values, sums[:, 1], repeats=sums[:, 0], squares=sums[:, 2])

    def interval(p: LabelPredictions | LabelSums, level: float) -> Estimate:
        return _mean_interval(mean_of(p), p, level, high)

    def why(p: LabelPredictions | LabelSums) -> str:
        return NO_RANKING if ranked and not p.scored else ""

    return CaseStatistic(
        name, title, 0.0, high, lowest, prepare, interval, why, several=True, values_of=values_of, mean_of=mean_of
    )


def _mean_interval(mean: KnownMean, p: LabelPredictions | LabelSums, level: float, high: float) -> Estimate:
    sums = mean.sums
    if not sums.rows:
        return undefined("undefined for every case", level=level)
    why = f"{mean.left_out:,} cases left out because the measure is undefined there" if mean.left_out else ""
    if mean.zero_one and high == 1.0:
        return replace(_share(sums.total, sums.mass, sums.mass_squares, p.weighted, level), why=why)
    value = sums.total / sums.mass
    moved = sums.heavy_squares - 2 * value * sums.heavy_total + value * value * sums.mass_squares
    top = float(len(p.labels)) if math.isinf(high) else high
    most = MOST_CASES * sums.mass**2 / sums.mass_squares  # a mean of several decisions varies less than one
    return replace(_from_squares(value, max(0.0, moved) / sums.mass**2, p.rows, most, level, high=top), why=why)


def mean_cost(
    each: Array, mass: Array, most: float, *, stated: tuple[float, float] | None = None, level: float = 0.95
) -> Estimate:
    """The mean cost of cases, from 0 to `most`, with a score interval that never has width 0.

    `stated` gives the mean and variance of the cost of a case if the probabilities behind the decisions are correct:
    few cases may not include rare, costly errors, so the observed dispersion is shrunk toward the stated one, as in
    `intervals.brier`.

    >>> print(mean_cost(np.array([0.0, 0, 0, 5, 0, 1]), np.ones(6), 5.0))
    1.00 [0.21, 2.97]
    """
    return cost_of_sums(CaseSums.of(each, mass), most, stated=stated, level=level)


def cost_of_sums(
    sums: CaseSums, most: float, *, stated: tuple[float, float] | None = None, level: float = 0.95
) -> Estimate:
    """Compute `mean_cost` from sums over the cases."""
    top, value, cases, variance = most or 1.0, sums.value, sums.cases, sums.variance
    v, seen = value / top, variance / top**2
    inside = 0 < v < 1
    dispersion = seen / (v * (1 - v)) if inside else 1.0
    if stated is not None and inside:
        mean, expected = stated[0] / top, stated[1] / top**2
        dispersion = drawn_towards(dispersion, expected / (mean * (1 - mean)) if 0 < mean < 1 else 0.0, cases)
    elif inside:
        dispersion = max(dispersion, 1 / MOST_CASES)
    worth = cases / min(1.0, dispersion) if dispersion > 0 else cases
    interval = score_interval(min(v, 1.0), math.nan, worth, level=level, method="score, mean of costs")
    return replace(interval, value=value, low=min(top * interval.low, value), high=max(top * interval.high, value),
                   se=math.sqrt(variance / cases))  # fmt: skip


def _cost_with_undecided(sums: CaseSums, decided: CaseSums, costs: CostMatrix, level: float) -> Estimate:
    """The mean cost r + a(c - r): of undecided cases r, of the share a that is decided c on average.

    If few cases are decided, their errors are not seen often enough for the costs of all cases to show how much c may
    vary. So c has the limits of its own few cases and a those of a share (Wilson), combined as for a product of
    independent estimates: distances (c - r)δ_a, a δ_c and δ_a δ_c, in the last with more decided cases than observed.
    Without a decided case c may be any cost.
    """
    share = proportion(decided.mass / sums.mass * sums.cases, sums.cases, level=level)
    top, price = float(costs.array.max()), costs.undecided
    if decided.rows:
        mean = cost_of_sums(decided, top, stated=decided.expected, level=level)
    else:
        mean = Estimate(price, 0.0, max(top, price), level)
    gain = mean.value - price
    fewer, more = share.value - share.low, share.high - share.value

    def reach(of_share: float, of_mean: float) -> float:
        return math.hypot(gain * of_share, share.value * of_mean, more * of_mean)

    below = reach(fewer if gain > 0 else more, mean.value - mean.low)
    above = reach(more if gain > 0 else fewer, mean.high - mean.value)
    low, high = max(0.0, sums.value - below), min(costs.most, sums.value + above)
    return Estimate(
        sums.value, min(low, sums.value), max(high, sums.value), level, "score, share decided and mean of costs",
        se=math.sqrt(sums.variance / sums.cases),
    )  # fmt: skip


def cost_per_thousand(
    sums: CaseSums, costs: CostMatrix, *, decided: CaseSums | None = None, level: float = 0.95
) -> Estimate:
    """The mean cost per 1,000 cases, from sums of the costs (`CostMatrix.sums_of`) of all and of the decided cases."""
    if decided is None or decided.rows == sums.rows:
        interval = cost_of_sums(sums, costs.most, stated=sums.expected, level=level)
    else:
        interval = _cost_with_undecided(sums, decided, costs, level)
    return replace(interval, value=1000 * interval.value, low=1000 * interval.low, high=1000 * interval.high,
                   se=None if interval.se is None else 1000 * interval.se)  # fmt: skip


def cost_statistic(costs: CostMatrix) -> CaseStatistic:
    """The mean cost of the predictions per 1,000 cases, as a statistic for several classes."""

    def prepare(p: ClassPredictions) -> Values:
        each = 1000 * costs.of_cases(p.codes, p.predicted)
        return lambda mass: _weighted(mass, each)

    def interval(p: ClassPredictions, level: float) -> Estimate:
        shares = p.scores if p.probabilities else None
        every = np.ones(len(p.predicted), dtype=bool)
        sums, decided = (
            costs.sums_of(
                p.codes[kept], p.predicted[kept], p.mass[kept], None if shares is None else shares[kept],
                None if p.repeats is None else p.repeats[kept],
            )
            for kept in (every, p.predicted >= 0)
        )  # fmt: skip
        return cost_per_thousand(sums, costs, decided=decided, level=level)

    return CaseStatistic(
        "cost", "cost per 1,000 cases", 0.0, 1000 * costs.most, True, prepare, interval, lambda p: "",
        made_by=partial(cost_statistic, costs), of_decisions=True,
    )  # fmt: skip


def _from_influence(value: float, influence: Array, most: float, level: float, *, high: float = 1.0) -> Estimate:
    """A score interval in [0, high] from the contribution of each case, for at most `most` cases.

    Its width is never 0.
    """
    return _from_squares(value, float(influence @ influence), len(influence), most, level, high=high)


def _from_squares(value: float, squares: float, n: int, most: float, level: float, *, high: float = 1.0) -> Estimate:
    """The same from the sum of squares of what n cases add."""
    spread = squares * n / max(1, n - 1) / high**2
    method = "score, linearized over cases"
    interval = score_interval(min(1.0, max(0.0, value / high)), spread, most, level=level, method=method)
    low, up = min(high * interval.low, value), max(high * interval.high, value)
    return Estimate(value, low, up, level, method, se=math.sqrt(spread) * high if spread > 0 else None)


def _samples(measure: Measure) -> CaseStatistic:
    def each(counts: dict[str, Array]) -> Array:
        return np.asarray(measure.value({name: count.astype(np.float64) for name, count in counts.items()}))

    return _mean_statistic(
        f"samples_{measure.name}", f"{measure.title}, mean over cases", each, high=measure.high,
        lowest=measure.best == measure.low,
    )  # fmt: skip


def _all_right(counts: dict[str, Array]) -> Array:
    return np.asarray(counts["fp"] + counts["fn"] == 0)


def _share_wrong(counts: dict[str, Array]) -> Array:
    return np.asarray((counts["fp"] + counts["fn"]) / sum(counts.values()))


RANKINGS = {"ranking_precision": ranking_precisions, "ranking_loss": ranking_losses, "coverage_error": coverages}
LABEL_MEANS: dict[str, CaseStatistic] = {
    one.name: one
    for one in (
        _mean_statistic("subset_accuracy", "subset accuracy (all labels correct)", _all_right),
        _mean_statistic("hamming_loss", "Hamming loss", _share_wrong, lowest=True),
        _mean_statistic("ranking_precision", "label ranking precision", "ranking_precision"),
        _mean_statistic("ranking_loss", "label ranking loss", "ranking_loss", lowest=True),
        _mean_statistic(
            "coverage_error", "coverage error (labels to inspect)", "coverage_error", high=math.inf, lowest=True
        ),
    )
}


# ---- multilabel: averages over labels ----


def _label_average(measure: Measure, how: str) -> CaseStatistic:
    def prepare(p: LabelPredictions) -> Values:
        cells = p.cells
        return lambda mass: _averaged(measure, how, {name: mass @ cell for name, cell in cells.items()})

    def interval(p: LabelPredictions | LabelSums, level: float) -> Estimate:
        return _label_interval(measure, how, p, level)

    def why(p: LabelPredictions | LabelSums) -> str:
        return "" if np.isfinite(_averaged(measure, how, p.cell_sums())) else "undefined for every label"

    return CaseStatistic(
        f"{how}_{measure.name}", f"{how} {measure.title}", measure.low, measure.high, measure.best == measure.low,
        prepare, interval, why, several=True, slopes_of=partial(_label_slopes, measure, how),
    )  # fmt: skip


def _label_slopes(measure: Measure, how: str, p: LabelPredictions | LabelSums) -> Array:
    """How an average over labels moves with 1, the labels of a case, what is predicted, and both: 1 + 3 x labels."""
    sums, names = p.cell_sums(), ("tp", "fp", "fn", "tn")
    many = len(p.labels)
    each = np.zeros((4, many))  # slopes of tp, fp, fn and tn of each label
    if how == "micro":
        pooled = {name: float(total.sum()) for name, total in sums.items()}
        each += np.asarray(measure.gradient(pooled), dtype=np.float64)[:, None]
    else:
        per_label = np.asarray(measure.value(sums), dtype=np.float64)
        known, support = np.isfinite(per_label), sums["tp"] + sums["fn"]
        weights = np.where(known, np.ones(many) if how == "macro" else support, 0.0)
        weights = weights / weights.sum()
        for at in np.flatnonzero(weights > 0).tolist():
            slopes = measure.gradient({name: float(sums[name][at]) for name in names})
            each[:, at] = weights[at] * np.asarray(slopes, dtype=np.float64)
            if how == "weighted":  # one more case of a label also moves the weights
                value = float(_averaged(measure, how, sums))
                each[[0, 2], at] += (per_label[at] - value) / support[known].sum()
    tp, fp, fn, tn = each
    return np.concatenate([[tn.sum()], fn - tn, fp - tn, tp - fp - fn + tn])


def _label_interval(measure: Measure, how: str, p: LabelPredictions | LabelSums, level: float) -> Estimate:
    """An average over labels, linear in the four counts of each label, with the influence of each case."""
    sums = p.cell_sums()
    value, squares = float(_averaged(measure, how, sums)), p.squared(_label_slopes(measure, how, p))
    if how == "micro":
        pooled = {name: float(total.sum()) for name, total in sums.items()}
        return _from_squares(value, squares, p.rows, MOST_CASES * _used(measure, pooled), level)
    known = np.isfinite(np.asarray(measure.value(sums), dtype=np.float64))
    weights = np.where(known, np.ones(len(known)) if how == "macro" else sums["tp"] + sums["fn"], 0.0)
    weights = weights / weights.sum()
    used = [_used(measure, {name: float(total[at]) for name, total in sums.items()}) for at in np.flatnonzero(known)]
    most = MOST_CASES / float(sum(share * share / max(n, 1.0) for share, n in zip(weights[known], used, strict=True)))
    absent = [str(label) for label, defined in zip(p.labels, known, strict=True) if not defined]
    return replace(_from_squares(value, squares, p.rows, most, level), why=_without(absent, len(p.labels)))


def _used(measure: Measure, cells: dict[str, float]) -> float:
    """The number of decisions in a measure: those in the counts of its formula."""
    assert measure.formula is not None
    return sum(cells[name] for name in measure.formula.names)


def _without(absent: Sequence[str], of: int) -> str:
    if not absent:
        return ""
    shown = ", ".join(absent[:6]) + (", ..." if len(absent) > 6 else "")
    return f"without {shown}, for which the measure is undefined ({len(absent)} of {of} labels)"


# ---- multilabel: areas ----

LABEL_AREAS = {
    "auc": ("auc", "macro"), "macro_auc": ("auc", "macro"), "micro_auc": ("auc", "micro"),
    "average_precision": ("average_precision", "macro"), "macro_average_precision": ("average_precision", "macro"),
    "micro_average_precision": ("average_precision", "micro"),
}  # fmt: skip


def _precision_values(hit: Array, scores: Array, cases: Array | None = None) -> Values:
    if not hit.any():
        return lambda mass: np.full(len(mass), math.nan)
    scattered = Scattered(PairedCases.of(hit, [scores], positive=True), 0, negative_runs)
    return lambda mass: average_precision_values(*scattered.counts(mass if cases is None else mass[:, cases]))


def _label_area(name: str, how: str) -> CaseStatistic:
    area_of = _area_values if name == "auc" else _precision_values

    def prepare(p: LabelPredictions) -> Values:
        if how == "micro":
            return _pooled_area(p.truth, p.scores, area_of)
        areas = [area_of(p.truth[:, at], p.scores[:, at]) for at in range(len(p.labels))]

        def values(mass: Array) -> Array:
            values_by_label = np.stack([area(mass) for area in areas], axis=-1)
            return _mean_of(values_by_label, np.ones_like(values_by_label))

        return values

    def why(p: LabelPredictions | LabelSums) -> str:
        if not p.scored:
            return NO_RANKING
        both = (p.rows_with > 0) & (p.rows_with < p.rows)
        return "" if both.any() else "every label is present in all cases or in none"

    title = f"{'mean' if how == 'macro' else 'micro'} {curves.get(name).title}"
    spelled = name if how == "macro" else f"micro_{name}"
    interval = partial(_area_interval, name, how)
    return CaseStatistic(spelled, title, 0.0, 1.0, False, prepare, interval, why, several=True)


def _area_interval(name: str, how: str, p: LabelPredictions | LabelSums, level: float) -> Estimate:
    """A mean area over labels, or the area of all decisions pooled, from the contribution of each case."""
    if not isinstance(p, LabelPredictions):
        return _area_of_sums(name, how, p, level)
    if how == "micro":
        value, each, worth = _area_influence(name, p.truth.ravel(), p.scores.ravel(), np.repeat(p.mass, len(p.labels)))
        return _from_influence(value, each.reshape(p.truth.shape).sum(axis=1), MOST_CASES * worth, level)
    both = np.flatnonzero(p.truth.any(axis=0) & ~p.truth.all(axis=0)).tolist()
    parts = [_area_influence(name, p.truth[:, at], p.scores[:, at], p.mass) for at in both]
    each = np.sum([influence for _, influence, _ in parts], axis=0) / len(parts)
    most = MOST_CASES * len(parts) ** 2 / sum(1 / worth for _, _, worth in parts)
    interval = _from_influence(float(np.mean([value for value, _, _ in parts])), each, most, level)
    absent = [str(label) for at, label in enumerate(p.labels) if at not in both]
    return replace(interval, why=_without(absent, len(p.labels)))


def _area_influence(name: str, hit: Array, scores: Array, mass: Array) -> tuple[float, Array, float]:
    """An area, the contribution of each case, and its maximum effective number of cases: PN/(P + N)."""
    rows = PairedCases.of(hit, [scores], positive=True, weights=None if (mass == 1).all() else mass)
    table, reading = rows.table(0), curves.get(name)
    value = float(reading(table))
    slopes = collected(table, reading.influence, value)  # type: ignore[arg-type]
    positions = rows.places[0]
    each = mass * np.where(rows.mask == 1, slopes.up[positions], slopes.down[positions])
    up, down = (float(((mass * side).sum()) ** 2 / (mass**2 * side).sum()) for side in (hit, ~hit))
    return value, each, up * down / (up + down)


# ---- several labels that are not in memory ----


def _area_of_sums(name: str, how: str, p: LabelSums, level: float) -> Estimate:
    """The same from tables; sums that were added do not tell how labels vary together: as if alike, the widest."""
    reading, spelled = curves.get(name), name if how == "macro" else f"micro_{name}"
    both = [table for table in p.tables if table.positives and table.negatives]
    tables = [p.pooled()] if how == "micro" else both
    values = [float(reading(table)) for table in tables]
    worth = [sizes.positives * sizes.negatives / (sizes.positives + sizes.negatives)
             for sizes in map(effective_sizes, tables)]  # fmt: skip
    value, most = float(np.mean(values)), MOST_CASES * len(worth) ** 2 / sum(1 / size for size in worth)
    absent = [str(label) for label, table in zip(p.labels, p.tables, strict=True)
              if how == "macro" and not (table.positives and table.negatives)]  # fmt: skip
    why = _without(absent, len(p.labels))
    if p.moved is not None:
        return replace(_from_squares(value, p.moved[spelled], p.rows, most, level), why=why)
    if how == "micro":
        unknown = "sums over cases do not show how the decisions about one case covary"
        return Estimate(value, level=level, method="pooled", why=unknown)
    alone = [
        linear_variance(table, reading.influence, area, stratified=False)  # type: ignore[arg-type]
        for table, area in zip(tables, values, strict=True)
    ]
    widest = sum(math.sqrt(max(0.0, variance)) for variance in alone) / len(alone)
    squares = widest**2 * (p.rows - 1) / max(1, p.rows)
    return replace(_from_squares(value, squares, p.rows, most, level), why=why)


class LabelProducts:
    """The contributions of cases to the areas of several labels, in one pass over cases whose sums are known.

    >>> from rocscope.multiclass import LabelSums
    >>> sums = LabelSums.of([[1, 0], [0, 1]], [[.9, .2], [.1, .8]])
    >>> products = LabelProducts(sums)
    >>> products.add(LabelPredictions.of([[1, 0], [0, 1]], [[.9, .2], [.1, .8]]))
    >>> sorted(products.squares)
    ['auc', 'average_precision', 'micro_auc', 'micro_average_precision']
    """

    def __init__(self, sums: LabelSums) -> None:
        both = [at for at, table in enumerate(sums.tables) if table.positives and table.negatives]
        self._own = {
            name: {at: _slope_lookup(sums.tables[at], name) for at in both} for name in ("auc", "average_precision")
        }
        pooled = sums.pooled()
        known = pooled.positives and pooled.negatives
        self._pooled = {name: _slope_lookup(pooled, name) for name in self._own} if known else {}
        self.squares = dict.fromkeys([*self._own, *(f"micro_{name}" for name in self._pooled)], 0.0)

    def moved(self, cases: LabelPredictions) -> dict[str, Array]:
        """The contribution of each case to each area."""
        moved: dict[str, Array] = {}
        for name, lookups in self._own.items():
            parts = [look(cases.scores[:, at], cases.truth[:, at]) for at, look in lookups.items()]
            moved[name] = cases.mass * np.sum(parts, axis=0) / len(parts) if parts else np.zeros(len(cases))
        for name, look in self._pooled.items():
            each = look(cases.scores.ravel(), cases.truth.ravel()).reshape(cases.truth.shape)
            moved[f"micro_{name}"] = cases.mass * each.sum(axis=1)
        return moved

    def add(self, cases: LabelPredictions) -> None:
        """Add the squared contributions of some of the cases."""
        self.add_moved(self.moved(cases))

    def add_moved(self, moved: Mapping[str, Array]) -> None:
        """Add the squares of contributions that are already known."""
        for name, each in moved.items():
            self.squares[name] += float(each @ each)


def _slope_lookup(table: ScoreTable, name: str) -> Callable[[Array, Array], Array]:
    """How much a case with a score adds to an area, with the label or without."""
    reading = curves.get(name)
    slopes = collected(table, reading.influence, float(reading(table)))  # type: ignore[arg-type]
    edges = np.ascontiguousarray(table.scores[::-1].astype(np.float64))
    up, down = (np.ascontiguousarray(side[::-1]) for side in (slopes.up, slopes.down))

    def look(scores: Array, hit: Array) -> Array:
        at = np.maximum(np.searchsorted(edges, scores.astype(np.float64), side="right") - 1, 0)
        return np.where(hit, up[at], down[at])

    return look
