"""Estimates that folds allow: thresholds chosen elsewhere, the best model corrected for the choice, .632, optimism."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from rocscope import curves, decisions, measures
from rocscope.decisions import Costs
from rocscope.errors import RocscopeError
from rocscope.estimate import Estimate, proportion, undefined
from rocscope.record import record
from rocscope.table import Counts
from rocscope.validation.fold_costs import threshold_without
from rocscope.validation.folds import table_of
from rocscope.validation.primary_measure import lowest_is_best, range_of, weighted_values
from rocscope.validation.results import Validation

MOST_FAILED = 0.05  # maximum share of refits that may fail
OUT_OF_BAG = 0.632  # 1 - 1/e, the expected share of cases in a bootstrap sample, rounded as in the name of the method
RESAMPLES = 1000  # number of resamples for the correction of the winner


# ---- thresholds chosen on other folds ----


@record(slots=True)
class Threshold:
    """The results of a threshold rule on the cases used for choosing the threshold, and on other cases.

    `optimistic` are the pooled counts at the threshold chosen on these very cases, `honest` those of thresholds chosen
    without the fold they decide, whose values are `thresholds`; `chosen_on` says on which cases instead.
    """

    rule: str
    threshold: float
    optimistic: Counts
    honest: Counts
    thresholds: tuple[float, ...]
    chosen_on: str


def threshold(va: Validation, model: str, rule: str = "youden", *, costs: Costs | None = None) -> Threshold:
    """Evaluate a threshold rule on cases that were not used for choosing the threshold.

    With a nested plan, the threshold of a fold is chosen on inner folds of its training cases; otherwise, it is chosen
    on the other folds of the same repetition. Each is applied only to its own fold, and the counts are added.
    """
    if va.problem.kind != "binary":
        raise RocscopeError("a threshold needs two classes", hint="Evaluate one class against the rest")
    folds = [fold for fold in va.of(model).folds if not fold.why and fold.scores is not None and fold.seed == 0]
    if not folds:
        raise RocscopeError(f"{model} has no scores to choose a threshold on")
    pooled = va.pooled(model)
    best = decisions.best(table_of(va.problem, pooled.cases, pooled.scores), rule, costs=costs)[0]
    nested = all(fold.inner_scores is not None for fold in folds)
    chosen = [threshold_without(va, fold, () if nested else folds, rule, costs) for fold in folds]
    known = [(fold, cut) for fold, cut in zip(folds, chosen, strict=True) if not math.isnan(cut)]
    if not known:
        raise RocscopeError(
            "with a single fold, there are no other cases on which to choose a threshold", hint="Give inner='5-fold'"
        )
    honest = [table_of(va.problem, fold.cases, fold.scores).at(cut) for fold, cut in known]
    total = Counts.of([sum(parts) for parts in zip(*(tuple(counts.cells.values()) for counts in honest), strict=True)])
    where = "inner folds of the training cases" if nested else "the other folds of the repetition"
    return Threshold(rule, best.threshold, best.counts, total, tuple(cut for _, cut in known), where)


# ---- best of several models ----


@record(slots=True)
class Winner:
    """The best of several models, as estimated and corrected for selection on the same cases."""

    model: str
    measure: str
    seen: float
    corrected: Estimate
    chosen: Mapping[str, float]


def winner(va: Validation, measure: str | None = None, *, n: int = RESAMPLES, seed: int = 0) -> Winner:
    """The best model's bias-corrected estimate: choose on resampled cases, score on those left out, n times.

    The best of K models looks better than it is, since chance contributed to the choice. Bootstrap bias-corrected
    cross-validation resamples the pooled cases, chooses on those drawn, and averages the results of the chosen model
    on those not drawn. Tsamardinos, Greasidou & Borboudakis, Mach Learn 2018;107:1895-1922.
    """
    chosen = measure or ("error_rate" if va.primary == "auc" and va.unpooled else va.primary)
    if va.unpooled and chosen not in measures.names():
        raise RocscopeError(f"no correction for {chosen}: {va.unpooled}", hint="Use a measure of predicted labels")
    cases = va.shared_cases
    if len(cases) < 2:
        raise RocscopeError("the models share too few tested cases to be resampled")
    generator = np.random.default_rng(seed)
    draws = np.stack(
        [np.bincount(generator.integers(len(cases), size=len(cases)), minlength=len(cases)) for _ in range(n)]
    )
    values_of = [weighted_values(va, name, chosen, cases) for name in va.names]
    inside = np.stack([values(draws) for values in values_of], axis=1)
    outside = np.stack([values((draws == 0).astype(float)) for values in values_of], axis=1)
    whole = np.array([values(np.ones((1, len(cases))))[0] for values in values_of])
    sign = -1.0 if lowest_is_best(chosen) else 1.0
    picks = np.where(np.isnan(inside), -np.inf, sign * inside).argmax(axis=1)
    values = outside[np.arange(n), picks]
    known = np.sort(values[np.isfinite(values)])
    best = int(np.where(np.isnan(whole), -np.inf, sign * whole).argmax())
    shares = {name: float((picks == i).mean()) for i, name in enumerate(va.names)}
    return Winner(va.names[best], chosen, float(whole[best]), _percentiles(known, n, va.settings.level), shares)


def _percentiles(known: Any, n: int, level: float) -> Estimate:
    if not len(known):
        return undefined("undefined in every resample", level=level, method="BBC")
    low, high = np.quantile(known, [(1 - level) / 2, (1 + level) / 2])
    why = f"{n - len(known)} of {n} resamples left out for having only one class" if len(known) < n else ""
    return Estimate(float(known.mean()), float(low), float(high), level, f"BBC, {n} resamples", why)


# ---- bootstrap plan: .632, .632+ and optimism ----


@record(slots=True)
class Point632:
    """The .632 and .632+ estimates of a loss (the error rate, or 1 - AUC) and their components."""

    apparent: float
    out_of_bag: float
    no_information: float
    overfitting: float
    weight: float
    point632: float
    plus: float


def point632(apparent: float, out_of_bag: float, no_information: float) -> Point632:
    """Compute .632 = 0.368 app + 0.632 e1, and .632+, which gives e1 more weight the more the model overfits.

    e1' = min(e1, γ), R = (e1' - app)/(γ - app) where e1 > app and γ > app, else 0; w = .632/(1 - .368 R);
    .632+ = (1 - w) app + w e1'. Efron & Tibshirani, J Am Stat Assoc 1997;92:548-560.

    >>> found = point632(0.1, 0.3, 0.5)
    >>> round(found.point632, 4), found.overfitting, round(found.weight, 6), round(found.plus, 6)
    (0.2264, 0.5, 0.77451, 0.254902)
    """
    capped = min(out_of_bag, no_information)
    fits = out_of_bag > apparent and no_information > apparent
    rate = (capped - apparent) / (no_information - apparent) if fits else 0.0
    rate = round(rate, 15)  # in floating point, 0.2 / 0.4 is slightly less than 0.5
    weight = OUT_OF_BAG / (1 - (1 - OUT_OF_BAG) * rate)
    plain = (1 - OUT_OF_BAG) * apparent + OUT_OF_BAG * out_of_bag
    return Point632(
        apparent, out_of_bag, no_information, rate, weight, plain, (1 - weight) * apparent + weight * capped
    )


def error_632(va: Validation, model: str) -> Point632:
    """.632 and .632+ of the error rate: e1 is the mean over cases of their mean loss out of bag.

    γ is the error where labels and predictions are independent: Σ over classes p (1 - q).
    """
    whole, folds = _bootstrap(va, model)
    n, codes = len(va.problem), va.problem.codes
    wrong, times = np.zeros(n), np.zeros(n)
    for fold in folds:
        wrong[fold.cases] += codes[fold.cases] != fold.predicted
        times[fold.cases] += 1
    tested = times > 0
    classes = len(va.problem.labels)
    p = np.bincount(codes, minlength=classes) / n
    q = np.bincount(whole.predicted, minlength=classes) / n
    apparent = float((codes != whole.predicted).mean())
    return point632(apparent, float((wrong[tested] / times[tested]).mean()), float((p * (1 - q)).sum()))


def auc_632(va: Validation, model: str) -> Point632:
    """.632 and .632+ of 1 - AUC: e1 is the mean out-of-bag area, γ is 1/2."""
    whole, folds = _bootstrap(va, model)
    if va.problem.kind != "binary" or whole.scores is None:
        raise RocscopeError("the .632 AUC needs scores of two classes")
    areas = np.array([float(curves.auc(table_of(va.problem, fold.cases, fold.scores))) for fold in folds])
    known = areas[np.isfinite(areas)]
    apparent = 1 - float(curves.auc(table_of(va.problem, whole.cases, whole.scores)))
    return point632(apparent, 1 - float(known.mean()), 0.5)


def optimism(va: Validation, model: str, measure: str = "auc") -> Estimate:
    """A measure corrected for optimism: app - mean over b of [M(f_b, D_b) - M(f_b, D)].

    Everything, tuning included, is refitted in each bootstrap sample D_b. The limits are those of the apparent
    interval, shifted by the optimism (Noma et al., Stat Med 2021;40:5691-5701). Harrell, Lee & Mark, Stat Med
    1996;15:361-387.
    """
    whole, folds = _bootstrap(va, model)
    everything = np.arange(len(va.problem))
    apparent = _apparent_estimate(va, measure, whole)
    pairs = []
    for fold in folds:
        drawn = va.pairs[fold.split].train
        scores = fold.all_scores
        inside = _measure(va, measure, drawn, None if scores is None else scores[drawn], fold.all_predicted[drawn])
        pairs.append((inside, _measure(va, measure, everything, scores, fold.all_predicted)))
    low, high = range_of(measure, va.problem)
    return corrected(apparent, pairs, low=low, high=high)


def corrected(apparent: Estimate, pairs: Any, *, low: float = 0.0, high: float = 1.0) -> Estimate:
    """The apparent estimate less the mean optimism of (in the sample, on all cases) pairs, within its range.

    >>> print(corrected(Estimate(0.85, 0.75, 0.92), [(0.9, 0.8), (0.88, 0.82), (0.92, 0.84)]))
    0.770 [0.670, 0.840]
    """
    values = np.asarray(pairs, dtype=float)
    known = values[np.isfinite(values).all(axis=1)]
    if not len(known):
        return Estimate(math.nan, level=apparent.level, method="optimism bootstrap", why="undefined in every sample")
    gain = float((known[:, 0] - known[:, 1]).mean())
    why = (
        f"{len(values) - len(known)} of {len(values)} samples left out because the measure is undefined there"
        if len(known) < len(values)
        else ""
    )
    value = apparent.value - gain
    down, up = apparent.value - apparent.low, apparent.high - apparent.value
    # at the end of the range the apparent interval is one-sided, but the corrected value is inside the range
    down, up = down or up, up or down
    if math.isnan(down + up):
        return Estimate(value, level=apparent.level, method="optimism bootstrap", why=why or apparent.why)
    limits = max(low, value - down), min(high, value + up)
    return Estimate(value, *limits, apparent.level, "optimism bootstrap", why)


def _apparent_estimate(va: Validation, measure: str, whole: Any) -> Estimate:
    """The measure of the model fitted on all cases, on those cases, with its interval."""
    everything = np.arange(len(va.problem))
    value = _measure(va, measure, everything, whole.scores, whole.predicted)
    if measure == "error_rate":
        return proportion(round(value * len(everything)), len(everything), level=va.settings.level)
    return va.interval_of(table_of(va.problem, everything, whole.scores), measure)


def _measure(va: Validation, measure: str, cases: Any, scores: Any, predicted: Any) -> float:
    if measure == "error_rate":
        return float((va.problem.codes[cases] != predicted).mean())
    if va.problem.kind != "binary" or scores is None:
        raise RocscopeError(
            f"the optimism of {measure} needs scores of two classes",
            hint="Use error_rate, which is defined for any number of classes",
        )
    return float(curves.get(measure)(table_of(va.problem, cases, scores)))


def _bootstrap(va: Validation, model: str) -> tuple[Any, list[Any]]:
    """The fit on all cases and the bootstrap fits; refused when more than 5 % of them failed."""
    if not va.bootstrapped or model not in va.apparent:
        raise RocscopeError("this estimate requires the bootstrap plan", hint="validate(..., plan='bootstrap')")
    if va.problem.kind == "labels":
        raise RocscopeError("this estimate needs one class per case")
    folds = [fold for fold in va.of(model).folds if fold.seed == 0]
    done = [fold for fold in folds if not fold.why]
    if va.apparent[model].why or len(folds) - len(done) > MOST_FAILED * len(folds):
        raise RocscopeError(
            f"{len(folds) - len(done)} of {len(folds)} refits of {model} failed: too many to correct for"
        )
    return va.apparent[model], done
