"""Validation: the distribution of validation errors, the quality of each model, and which model is better."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import field, replace
from functools import cached_property
from itertools import combinations
from types import MappingProxyType
from typing import Any

import numpy as np

from rocscope import curves, intervals, measures, significance
from rocscope.decisions import Costs, checked_costs
from rocscope.errors import RocscopeError, did_you_mean
from rocscope.estimate import Estimate, proportion, undefined
from rocscope.evaluation import (
    ClassComparison,
    ClassEvaluation,
    Comparison,
    Difference,
    Evaluation,
    Result,
    Settings,
    checked_margin,
)
from rocscope.evaluation import compare as compare_scores
from rocscope.evaluation import evaluate as evaluate_scores
from rocscope.hull import Hull, HullPoint
from rocscope.intervals import case_statistic
from rocscope.numbers import checked_level
from rocscope.record import record
from rocscope.significance import Declared
from rocscope.splits import Bootstrap, Disjoint, LeavePairOut, Pairs, checked_seed
from rocscope.table import Confusion, ScoreTable
from rocscope.validation.comparisons import (
    ON_CASES,
    SAME_CASES,
    case_test,
    check_margin,
    default_test,
    fitting_test,
    fold_test,
    mean_over_folds,
    not_narrower,
    paired_on_cases,
    takes_margin,
)
from rocscope.validation.cross_validated_auc import cv_auc, cv_auc_of_cases
from rocscope.validation.cross_validated_losses import PER_CASE, case_losses, mean_loss
from rocscope.validation.fold_costs import FoldCosts
from rocscope.validation.fold_statistics import LOSSES, Readings
from rocscope.validation.folds import Fold, Problem, first_tests, outer_plan, unpooled, unranked
from rocscope.validation.primary_measure import (
    case_comparison,
    case_difference,
    lowest_is_best,
    range_of,
    tested_predictions,
    unbalanced,
)

RESOURCES = ("fit_seconds", "score_seconds", "predict_seconds", "bytes", "fit_peak", "score_peak")
SCORES = ("auto", "probability", "decision", "labels")
MOST_SEEDS = 1000
ALL_WRONG = "under leave-one-out, a model that predicts the larger of two equal classes is wrong in every case"
PAIRS_SHARE_CASES = "in leave-pair-out, pairs share cases, so there is no interval from them"


@record(slots=True)
class ValidationSettings:
    """How a validation is carried out: plan, scores, seeds, costs and tests."""

    level: float = 0.95
    seed: int = 0
    seeds: int = 1
    scores: str = "auto"
    memory: bool = False
    costs: Costs | None = None
    choose: str | None = None
    test: str | None = None
    measure: str | None = None
    margin: float | None = None

    def __post_init__(self) -> None:
        checked_level(self.level)
        checked_seed(self.seed)
        checked_costs(self.costs)
        checked_margin(self.margin)
        if self.margin is not None and self.test is None:
            raise RocscopeError("margin= needs a test that takes it", hint="Give test='bayesian-t' as well")
        if isinstance(self.seeds, bool) or not isinstance(self.seeds, int) or not 1 <= self.seeds <= MOST_SEEDS:
            raise RocscopeError(f"seeds must be a number of random states from 1 to {MOST_SEEDS:,}, not {self.seeds!r}")
        if self.scores not in SCORES:
            raise RocscopeError(f"scores must be one of {', '.join(SCORES)}, not '{self.scores}'")


@record(slots=True)
class Summary:
    """A measure of one model over the folds: mean with its corrected interval, spread, and the value of pooled cases.

    `between_splits` and `between_seeds` separate the effect of other cases from that of other random states.
    """

    mean: Estimate
    sd: float
    least: float
    most: float
    folds: int
    pooled: Estimate | None
    between_splits: float
    between_seeds: float


@record(eq=False)
class Validation(Result):
    """Models fitted and scored on the same splits.

    `folds` has one `Fold` per model, split and seed; `errors` has the error rates of each model, one per fold: the
    distribution of validation errors. `summary()` shows how good each model is, `compare()` which one is better, and
    `to_dict()` contains everything.
    """

    problem: Problem
    pairs: Pairs
    names: tuple[str, ...]
    folds: tuple[Fold, ...]
    apparent: Mapping[str, Fold] = field(default_factory=lambda: MappingProxyType({}))
    learning: tuple[Fold, ...] = ()
    settings: ValidationSettings = field(default_factory=ValidationSettings)
    notes: Mapping[str, Mapping[str, Any]] = field(default_factory=lambda: MappingProxyType({}))
    source: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))
    run: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))
    remarks: tuple[str, ...] = ()

    # ---- values of the folds ----

    @cached_property
    def readings(self) -> Mapping[str, Readings]:
        """The folds of each model, from which any measure can be computed."""
        by_model: dict[str, list[Fold]] = {name: [] for name in self.names}
        for fold in self.folds:
            by_model[fold.model].append(fold)
        return MappingProxyType({name: Readings(self.problem, tuple(folds)) for name, folds in by_model.items()})

    def of(self, model: str) -> Readings:
        """The folds of one model."""
        if model not in self.names:
            raise RocscopeError(f"there is no model '{model}'", hint=did_you_mean(model, self.names))
        return self.readings[model]

    def values(self, measure: str) -> dict[str, Any]:
        """A measure of every model in every fold: its distribution, as arrays in the order of the folds."""
        return {name: self.readings[name].values(measure) for name in self.names}

    @cached_property
    def errors(self) -> Mapping[str, Any]:
        """The validation errors: the error rate of each model in each fold."""
        return MappingProxyType(self.values("error_rate"))

    @property
    def failures(self) -> tuple[Fold, ...]:
        """The folds in which a model could not be fitted or scored."""
        return tuple(fold for fold in self.folds if fold.why)

    @cached_property
    def train_sizes(self) -> list[int]:
        """The number of distinct training cases of each split; a case drawn twice counts once."""
        return [len(np.unique(pair.train)) for pair in self.pairs]

    @property
    def test_sizes(self) -> list[int]:
        """The number of test cases of each split."""
        return self.pairs.test_sizes

    @property
    def plan(self) -> Any:
        """The plan; for a nested plan, the outer one."""
        return outer_plan(self.pairs)

    @cached_property
    def unranked(self) -> str:
        """The reason why scores of different folds are not ranked together here; "" if they may be."""
        return unranked(self.pairs)

    def by_split(self, model: str, measure: str) -> Any:
        """A measure of one model as splits x seeds."""
        return self.of(model).values(measure).reshape(len(self.pairs), self.settings.seeds)

    @cached_property
    def unpooled(self) -> str:
        """The reason why the scores of all tested cases are not ranked together here; "" if they may be."""
        return unpooled(self.pairs)

    def over_seeds(self, model: str, measure: str) -> Any:
        """A measure of one model in every split: the mean over the seeds that define it."""
        rows = self.by_split(model, measure)
        known = ~np.isnan(rows)
        with np.errstate(invalid="ignore"):  # the mean of opposite infinities is undefined
            sums, over = np.where(known, rows, 0.0).sum(axis=1), known.sum(axis=1)
        return np.where(over > 0, sums / np.maximum(over, 1), math.nan)

    # ---- performance ----

    @cached_property
    def measures(self) -> tuple[str, ...]:
        """The usual measures that every model has, and the one that decides."""
        shared = [set(self.readings[name].usual) for name in self.names]
        usual = [measure for measure in self.readings[self.names[0]].usual if all(measure in other for other in shared)]
        return tuple(dict.fromkeys([*usual, *([self.settings.measure] if self.settings.measure else [])]))

    def summary(self, *names: str) -> dict[str, dict[str, Summary]]:
        """For each model, the usual measures (or those named): mean, corrected interval, spread, pooled value."""
        return {model: {name: self.summarise(model, name) for name in names or self.measures} for model in self.names}

    def summarise(self, model: str, measure: str) -> Summary:
        """One measure of one model over the folds."""
        rows, values = self.by_split(model, measure), self.over_seeds(model, measure)
        known = values[~np.isnan(values)]
        pooled = self._pooled_estimate(model, measure, self.unpooled)
        within = [found for row in rows if not math.isnan(found := _spread(row[~np.isnan(row)]))]
        return Summary(
            self._absent_classes(model, measure, self._mean(model, measure, values)),
            _spread(known),
            float(known.min()) if len(known) else math.nan,
            float(known.max()) if len(known) else math.nan,
            len(known), pooled,
            _spread(known),
            math.sqrt(float(np.mean(np.square(within)))) if within else math.nan,
        )  # fmt: skip

    def _absent_classes(self, model: str, measure: str, mean: Estimate) -> Estimate:
        """The mean with the number of folds whose average over classes leaves a class out, counted and said."""
        averaged = measure == "auc" or measure.startswith("macro_") or measure == "balanced_accuracy"
        absent = self.of(model).absent if averaged and self.problem.kind != "binary" else 0
        if not absent:
            return mean
        remark = f"{absent} of {len(self.of(model).folds)} folds lack a class: averaged over those present"
        return replace(mean, why="; ".join(text for text in (mean.why, remark) if text))

    def cv_auc(self, model: str, *, corrected: bool = False) -> Estimate:
        """The mean AUC over folds with the interval of its cross-validated influence curve (LeDell et al. 2015).

        `corrected` allows for estimating the area in each fold, and for cases that test one model and train others.
        """
        level = self.settings.level
        if self.problem.kind != "binary" or not self.pairs.disjoint_tests:
            return undefined("test sets overlap", level=level, method="cvAUC")
        if isinstance(self.plan, Disjoint) or len(self.pairs) < 2:
            return undefined("no cross-validation", level=level, method="cvAUC")
        readings = self.of(model)
        repeats = (max(self.pairs.repetitions) + 1) * self.settings.seeds
        if self.problem.weights is None and self.problem.groups is None:
            return cv_auc(readings.tables, level=level, repeats=repeats, corrected=corrected)
        return cv_auc_of_cases(self.problem, readings.folds, level=level, repeats=repeats, corrected=corrected)

    def _mean(self, model: str, measure: str, values: Any) -> Estimate:
        pooled = self._pooled_estimate(model, measure, self.unranked)  # its width also where its value is not given
        if default_test(self.pairs) in ON_CASES:
            if pooled is not None:
                return pooled
            known = values[~np.isnan(values)]
            if not len(known):
                return undefined("undefined in every fold", level=self.settings.level)
            why = (
                "test sets of one case: see the pooled cases"
                if max(self.test_sizes) == 1
                else "a single split shows no variation"
            )
            return Estimate(float(known.mean()), level=self.settings.level, method="mean over folds", why=why)
        low, high = range_of(measure, self.problem)
        if measure == "auc" and not math.isnan((estimate := self.cv_auc(model, corrected=True)).low):
            return estimate
        estimate = mean_over_folds(
            values, self.train_sizes, self.test_sizes, level=self.settings.level, low=low, high=high,
            independent=isinstance(self.plan, Disjoint),
        )  # fmt: skip
        if measure in PER_CASE and math.isfinite(estimate.value) and self._crossed:
            losses = case_losses(self.problem, self.of(model).folds, measure)
            if losses is not None:
                return mean_loss(self.problem, measure, *losses, estimate.value, level=self.settings.level)
        return estimate if pooled is None else not_narrower(estimate, pooled, low, high)

    @property
    def _crossed(self) -> bool:
        """Whether every case is tested as often as any other, by models that were trained on nearly the same cases."""
        return self.pairs.disjoint_tests and not isinstance(self.plan, Disjoint) and len(self.pairs) > 1

    # ---- pooled: each case once ----

    def pooled(self, model: str) -> Fold:
        """Each case once, with the prediction from its first test, so that cases are independent."""
        self.of(model)
        return self._pooled[model]

    @cached_property
    def _pooled(self) -> Mapping[str, Fold]:
        return MappingProxyType({name: first_tests(name, self.readings[name].folds) for name in self.names})

    @cached_property
    def shared_cases(self) -> Any:
        """The cases that every model was tested on."""
        tested = [self._pooled[name].cases for name in self.names]
        shared = tested[0]
        for other in tested[1:]:
            shared = np.intersect1d(shared, other)
        return shared

    def _pooled_estimate(self, model: str, measure: str, refused: str) -> Estimate | None:
        """A measure of the pooled cases with its interval, for two classes; accuracy for several."""
        pooled, level = self._pooled[model], self.settings.level
        if not len(pooled.cases):
            return None
        if self.problem.kind == "labels":
            return self._of_pooled_predictions(model, "hamming_loss" if measure == "error_rate" else measure)
        if measure in ("accuracy", "error_rate") and self.problem.weights is None:
            wrong = int((self.problem.codes[pooled.cases] != pooled.predicted).sum())
            count = wrong if measure == "error_rate" else len(pooled.cases) - wrong
            return proportion(count, len(pooled.cases), level=level)
        if self.problem.kind == "classes":
            return self._of_pooled_predictions(model, measure)
        if not _of_counts(measure):
            if refused and measure not in LOSSES and pooled.scores is not None:
                return self._area_of_pairs(model, measure)
            table = pooled.table(self.problem)
            return None if table is None else self.interval_of(table, measure)
        estimate = Readings(self.problem, (pooled,)).counts(0).estimate(measure, level=level)
        return estimate if isinstance(estimate, Estimate) else None

    def _of_pooled_predictions(self, model: str, measure: str) -> Estimate | None:
        """A measure of several classes or labels on the pooled cases; None where their scores are not to be ranked."""
        predictions = tested_predictions(self.problem, self._pooled[model])
        statistic = case_statistic(measure, predictions)
        if self.unpooled and statistic.why(replace(predictions, scores=None)):
            return undefined(self.unpooled, level=self.settings.level, method="pooled")
        return statistic.estimate(predictions, level=self.settings.level)

    def interval_of(self, table: ScoreTable, measure: str) -> Estimate:
        """A statistic of a table with its interval, if a closed form exists."""
        if measure == "auc":
            return intervals.auc(table, level=self.settings.level)
        try:
            return intervals.of(table, measure, level=self.settings.level)
        except RocscopeError:  # a statistic without a closed-form interval
            return Estimate(
                float(curves.get(measure)(table)), level=self.settings.level, why="there is no closed-form interval"
            )

    def _area_of_pairs(self, model: str, measure: str) -> Estimate:
        """The AUC of leave-pair-out is the share of pairs ranked correctly; nothing else is ranked over such folds."""
        level = self.settings.level
        if measure != "auc" or not isinstance(self.plan, LeavePairOut):
            return undefined(self.unpooled, level=level, method="pooled")
        values = self.over_seeds(model, "auc")
        known = values[~np.isnan(values)]
        if not len(known):
            return undefined("undefined in every fold", level=level, method="leave-pair-out")
        return Estimate(float(known.mean()), level=level, method="leave-pair-out", why=PAIRS_SHARE_CASES)

    def pooled_answer(self) -> Comparison | Evaluation | None:
        """The evaluation of the pooled cases, models side by side; None without scores of two classes."""
        if self.problem.kind != "binary" or not self._scored or not len(self.shared_cases) or self.unpooled:
            return None
        cases = self.shared_cases
        y, columns = self.problem.codes[cases], {name: self.answers_at(name, cases)[0] for name in self.names}
        clusters = None if self.problem.groups is None else self.problem.groups[cases]
        extra: dict[str, Any] = {"weights": self.problem.weights_of(cases), "clusters": clusters}
        extra["choose"] = self.settings.choose
        extra |= {"costs": self.settings.costs, "level": self.settings.level, "seed": self.settings.seed}
        if len(self.names) > 1:
            compared = compare_scores(y, columns, **extra)
            assert isinstance(compared, Comparison)  # scores are floats
            return compared
        evaluation = evaluate_scores(y, columns[self.names[0]], name=self.names[0], **extra)
        return evaluation if isinstance(evaluation, Evaluation) else None

    def pooled_classes(self, model: str) -> ClassEvaluation:
        """The pooled cases of one model of several classes: its matrix, and each class against the rest."""
        if self.problem.kind != "classes":
            raise RocscopeError("this applies only to several classes", hint="For two classes: pooled_answer()")
        pooled, labels = self.pooled(model), self.problem.labels
        codes, weights = self.problem.codes[pooled.cases], self.problem.weights_of(pooled.cases)
        named = [[labels[code] for code in column.tolist()] for column in (codes, pooled.predicted)]
        matrix = Confusion.from_labels(*named, labels=labels, weights=weights)
        settings = Settings(level=self.settings.level, seed=self.settings.seed)
        return ClassEvaluation(matrix, settings, pooled.class_scores(self.problem), model)

    @property
    def _scored(self) -> bool:
        return all(self._pooled[name].scores is not None for name in self.names)

    def answers_at(self, model: str, cases: Any) -> tuple[Any, Any]:
        """The scores and predictions of a model for some of its pooled cases."""
        pooled = self._pooled[model]
        positions = np.searchsorted(pooled.cases, cases)
        return None if pooled.scores is None else pooled.scores[positions], pooled.predicted[positions]

    def resources(self, model: str) -> dict[str, float | None]:
        """The medians over folds of the seconds to fit, score and predict, the bytes of the model, and the peak memory
        (if traced).
        """
        folds = [fold for fold in self.of(model).folds if not fold.why]
        medians: dict[str, float | None] = {}
        for name in RESOURCES:
            values = [fold.resources[name] for fold in folds if name in fold.resources]
            medians[name] = float(np.median(values)) if values else None
        per_case = [fold.resources["predict_seconds"] / max(1, fold.answered) for fold in folds if fold.resources]
        medians["predict_seconds_per_1000"] = 1000 * float(np.median(per_case)) if per_case else None
        return medians

    # ---- comparison of models ----

    @property
    def primary(self) -> str:
        """The measure that decides if no costs are given: the one named, the AUC or (without a ranking) the error rate.

        For several classes of very different sizes without a ranking, it is macro F1.
        """
        if self.settings.measure is not None:
            return self.settings.measure
        if "auc" in self.measures and (not self.unranked or isinstance(self.plan, LeavePairOut)):
            return "auc"
        return "macro_f1" if unbalanced(self.problem) else "error_rate"

    @cached_property
    def recommended(self) -> str:
        """The model with the lowest cost if costs are given, otherwise the one with the best mean over the folds."""
        known = {name: cost.value for name, cost in self.costs.items() if not math.isnan(cost.value)}
        if known:
            return min(known, key=lambda name: known[name])
        means = {name: self.summarise(name, self.primary).mean.value for name in self.names}
        sign = -1 if lowest_is_best(self.primary) else 1
        return max(self.names, key=lambda name: -math.inf if math.isnan(means[name]) else sign * means[name])

    @cached_property
    def costs(self) -> Mapping[str, Estimate]:
        """The expected cost of each model per 1,000 cases, at thresholds chosen without the cases they decide.

        The result is empty without costs, or if there are more than two classes.
        """
        return MappingProxyType({} if self.fold_costs is None else dict(self.fold_costs.estimates))

    @cached_property
    def fold_costs(self) -> FoldCosts | None:
        """The costs of each fold and the thresholds behind them; None without costs."""
        costs = self.settings.costs
        return None if costs is None or self.problem.kind != "binary" else FoldCosts(self, costs)

    def compare(
        self,
        test: str | None = None,
        measures: tuple[str, ...] | None = None,
        *,
        rope: float | None = None,
        together: bool = False,
    ) -> tuple[Difference, ...]:
        """Every pair of models, by the test that fits the plan; p-values are Holm-adjusted within each measure.

        5x2 -> the combined F test; k-fold, repeated or not -> corrected t; a single holdout -> DeLong and McNemar on
        its cases; leave-one-out -> the same, corrected for training ("corrected-cases"); disjoint parts -> paired t.
        With few cases, the test is "corrected-t5" for 5x2 and repeated plans, "corrected-cases" for a holdout. The
        differences are those in AUC (if there are scores) and in error rate, with the recommended model first. `test`
        is the name of any declared test (`significance.catalog()`) that takes what the plan provides; "bayesian-t"
        needs `rope`, the largest difference that does not matter (by default the margin of the validation), and gives
        probabilities instead of p-values. `together` adjusts the p-values over all pairs and all measures, if you look
        at several measures and report the one that turns out best.
        """
        if len(self.names) < 2:
            raise RocscopeError(
                "there is only one model, so there is nothing to compare it with", hint="Give two models or more"
            )
        chosen = fitting_test(test or self.test, self.pairs)
        if rope is None and takes_margin(chosen):
            rope = self.settings.margin
        check_margin(chosen, rope, "rope")
        differences: list[Difference] = []
        pairs = list(combinations([self.recommended, *(name for name in self.names if name != self.recommended)], 2))
        for what in measures or self._compared(chosen):
            between = self._saving if what == "cost" else self._difference
            how = {"rope": rope} if rope is not None else {}
            each = [between(a, b, what, chosen, **how) for a, b in pairs]
            adjusted = significance.holm_defined(estimate.p for estimate in each)
            differences += [
                Difference(*pair, what, estimate, p) for pair, estimate, p in zip(pairs, each, adjusted, strict=True)
            ]
        if together:
            all_of_them = significance.holm_defined(difference.estimate.p for difference in differences)
            differences = [
                replace(difference, p_adjusted=p) for difference, p in zip(differences, all_of_them, strict=True)
            ]
        return tuple(differences)

    @property
    def test(self) -> str:
        """The name of the test for comparing models: the requested one, or the one that fits the plan."""
        named = self.settings.test
        return default_test(self.pairs) if named is None else fitting_test(named, self.pairs).name

    def _compared(self, test: Declared) -> tuple[str, ...]:
        """What is compared unless asked for: the cost where costs are given, and what the test knows."""
        return (*(("cost",) if self.costs else ()), *self._measured(test))

    def _measured(self, test: Declared) -> tuple[str, ...]:
        """The primary measure and the error rate, as far as the test knows them."""
        if test.takes == significance.DISCORDANT:
            return ("error_rate",)
        if significance.TWO_SCORES in test.takes:
            return ("auc",)
        return tuple(dict.fromkeys((self.primary, "error_rate")))

    def _saving(self, a: str, b: str, what: str, test: Declared, rope: float | None = None) -> Estimate:
        """A difference in cost, by the test that fits the plan where the one asked for takes no costs."""
        if self.fold_costs is None:
            raise RocscopeError(
                f"{what} cannot be computed without costs", hint="validate(..., costs=Costs(fp=1, fn=5))"
            )
        costless = test.takes == significance.DISCORDANT or significance.TWO_SCORES in test.takes or takes_margin(test)
        fitting = fitting_test(default_test(self.pairs), self.pairs) if costless else test
        return self.fold_costs.difference(a, b, fitting)

    def _difference(self, a: str, b: str, what: str, test: Declared, rope: float | None = None) -> Estimate:
        level = self.settings.level
        kinds = (SAME_CASES, significance.ON_CASES, significance.DISCORDANT)
        if test.takes in kinds or significance.TWO_SCORES in test.takes:
            return self._on_cases(a, b, what, test)
        first, second = self.over_seeds(a, what), self.over_seeds(b, what)
        with np.errstate(invalid="ignore"):
            gaps = np.where(np.isinf(first) | np.isinf(second), math.inf, first - second)
        return fold_test(
            test.name, gaps, self.train_sizes, self.test_sizes, level=level, rope=rope, lowest=lowest_is_best(what)
        )

    def _on_cases(self, a: str, b: str, what: str, test: Declared) -> Estimate:
        cases, level = self.shared_cases, self.settings.level
        if not len(cases):
            return undefined("no case was tested by both", level=level, method="cases")
        if what == "auc" and self.unpooled:
            gap = self._area_of_pairs(a, what).value - self._area_of_pairs(b, what).value
            why = self.unpooled if math.isnan(gap) else PAIRS_SHARE_CASES
            return Estimate(gap, level=level, method="cases" if math.isnan(gap) else "leave-pair-out", why=why)
        if not self._has_case_test(what):
            try:
                difference = case_difference(self._case_comparison(what), a, b)
            except RocscopeError as error:  # infinite or undefined for a model, for example
                return undefined(str(error), level=level, method="cases")
            return self._allowing_for_training(difference, test)
        first, second = self.answers_at(a, cases), self.answers_at(b, cases)
        if what == "error_rate":
            truth = self.problem.codes[cases]
            columns = first[1] != truth, second[1] != truth
            if max(self.test_sizes) == 1 and len(cases) > 1 and (columns[0].all() or columns[1].all()):
                gap = float(columns[0].mean() - columns[1].mean())
                return Estimate(gap, level=level, method="cases", why=ALL_WRONG)
        else:
            columns = first[0], second[0]
        if test.takes not in (SAME_CASES, significance.ON_CASES):
            return case_test(test, self.problem, cases, *columns, level=level)
        difference = paired_on_cases(self.problem, cases, *columns, what, level=level)
        return self._allowing_for_training(difference, test)

    def _has_case_test(self, what: str) -> bool:
        """Whether a test of its own compares two models on cases: DeLong's for AUC, McNemar's for errors."""
        return (what, self.problem.kind) in (("auc", "binary"), ("error_rate", "binary"), ("error_rate", "classes"))

    def _allowing_for_training(self, found: Estimate, test: Declared) -> Estimate:
        """A difference on the tested cases, widened for the training sets where the test does so."""
        if test.takes != significance.ON_CASES or len(self.shared_cases) < 2:
            return found
        widened: Estimate = test.run(found, float(np.mean(self.train_sizes)), len(self.shared_cases))
        return widened

    def _case_comparison(self, measure: str) -> Comparison | ClassComparison:
        """All models on the tested cases by a measure; kept, since every pair of models asks for it."""
        if measure not in self._compared_cases:
            self._compared_cases[measure] = case_comparison(self, measure)
        return self._compared_cases[measure]

    @cached_property
    def _compared_cases(self) -> dict[str, Comparison | ClassComparison]:
        return {}

    def hull(self) -> Hull:
        """Which model is cheapest at which cost ratio, from the pooled scores of all models."""
        answer = self.pooled_answer()
        if answer is None and self.unpooled:
            raise RocscopeError(f"there is no hull: {self.unpooled}", hint="Use plan='10-fold'")
        if answer is None:
            raise RocscopeError("costs of errors need scores of two classes")
        return answer.hull()

    def best(self, cost_ratio: Any = None, *, costs: Costs | None = None) -> HullPoint:
        """The model and threshold with the lowest cost at a slope c or at given costs (by default, those of the
        validation).
        """
        if cost_ratio is None and costs is None:
            costs = self.settings.costs or Costs(fp=1, fn=1)
        return self.hull().best(cost_ratio, costs=costs)

    # ---- output ----

    def _document(self) -> dict[str, Any]:
        from rocscope.validation.document import validation_document

        return validation_document(self)

    def plot(self, kind: str = "errors", ax: Any = None, **how: Any) -> Any:
        """Draw the validation with matplotlib and return the Axes.

        The kinds are "errors" or a measure over the folds, "roc" (a curve for each fold), "time", "differences" and
        "ranks".
        """
        from rocscope import wire

        return wire("Validation.plot")(self, kind, ax, **how)

    def to_frame(self, library: str | None = None) -> Any:
        """One row for each model, fold and measure, as a frame of "pandas", "polars", "pyarrow", "duckdb", ..."""
        from rocscope import wire

        return wire("Validation.to_frame")(self.to_dict(), library)

    @property
    def bootstrapped(self) -> bool:
        """Whether the plan is a bootstrap, which the .632 estimate and the optimism require."""
        return isinstance(self.plan, Bootstrap)


def _spread(known: Any) -> float:
    """The standard deviation of two values or more; an infinite one leaves none."""
    return float(known.std(ddof=1)) if len(known) > 1 and np.isfinite(known).all() else math.nan


def _of_counts(name: str) -> bool:
    """Whether a measure is one of counts rather than of scores."""
    try:
        return bool(measures.get(name))
    except RocscopeError:
        return False
