"""The expected costs of models over the folds, at thresholds chosen without the fold to which they apply."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from rocscope import decisions, intervals, significance
from rocscope.decisions import Costs
from rocscope.errors import RocscopeError
from rocscope.estimate import Estimate, undefined
from rocscope.evaluation import Comparison, Evaluation, cost_difference, per_thousand
from rocscope.significance import Declared
from rocscope.splits import Disjoint
from rocscope.validation.comparisons import FEWEST, SAME_CASES, fold_test, mean_over_folds, not_narrower
from rocscope.validation.fold_statistics import Readings
from rocscope.validation.folds import Fold, first_tests, table_of

if TYPE_CHECKING:
    from rocscope.validation.results import Validation

PER = 1000


def threshold_without(va: Validation, fold: Fold, folds: Sequence[Fold], rule: str, costs: Costs | None) -> float:
    """The threshold for a fold, chosen on others of its repetition or on inner folds; NaN if there is none."""
    mine, repetitions = fold.split, va.pairs.repetitions
    rest = [other for other in folds if other.split != mine and repetitions[other.split] == repetitions[mine]]
    if folds and not rest:
        return math.nan
    cases, scores = fold.inner_cases, fold.inner_scores
    if rest:
        cases, scores = (np.concatenate([getattr(other, name) for other in rest]) for name in ("cases", "scores"))
    try:
        return float(decisions.best(table_of(va.problem, cases, scores), rule, costs=costs)[0].threshold)
    except RocscopeError:  # the other cases have only one class
        return math.nan


class FoldCosts:
    """The expected costs per 1,000 cases of validated models of two classes, and their differences.

    A threshold is chosen on the other folds of the repetition, or on inner folds. Where folds give too few costs (a
    holdout, a bootstrap), costs are those of the pooled cases, corrected for choosing thresholds on them; where scores
    of different folds may not be ranked together, or there are none, those of what the models themselves predict.
    """

    def __init__(self, va: Validation, costs: Costs) -> None:
        self.va, self.costs, self.level = va, costs, va.settings.level
        self.rule = va.settings.choose or "cost"
        self.decided = {name: self._decided(name) for name in va.names}
        self.values = {name: self._values(Readings(va.problem, folds)) for name, folds in self.decided.items()}
        known = [int(np.isfinite(value).sum()) for value in self.values.values()]
        self.over_folds = min(known) >= FEWEST and max(va.test_sizes) > 1
        self.answer = None if self.over_folds else va.pooled_answer()
        if not self.over_folds and self.answer is None:
            self.decided = {name: va.of(name).folds for name in va.names}

    @property
    def estimates(self) -> Mapping[str, Estimate]:
        """The expected cost of each model with its interval."""
        return {name: self._estimate(name) for name in self.va.names}

    @property
    def decided_by(self) -> str:
        """How the thresholds behind the costs were chosen."""
        first = self.va.names[0]
        if self.answer is not None:
            corrected = "" if self._evaluation(first).selection is not None else "not "
            return f"chosen on the same cases, {corrected}corrected for that choice"
        if all(self.decided[name] is self.va.of(name).folds for name in self.va.names):
            return "of the models themselves"
        nested = all(fold.inner_scores is not None for fold in self.decided[first] if not fold.why)
        return "chosen on inner folds of the training cases" if nested else "chosen on the other folds"

    def difference(self, a: str, b: str, test: Declared) -> Estimate:
        """The cost of a minus the cost of b, from a test over folds or on cases."""
        va = self.va
        if self.over_folds and test.takes not in (SAME_CASES, significance.ON_CASES):
            gaps = self.values[a] - self.values[b]
            return fold_test(test.name, gaps, va.train_sizes, va.test_sizes, level=self.level)
        cases = va.shared_cases
        if not len(cases):
            return undefined("no case was tested by both", level=self.level, method="cases")
        groups = None if va.problem.groups is None else va.problem.groups[cases]
        # a test on cases expects differences in [-1, 1], so costs are scaled by the most expensive error
        most = max(float(self.costs.of_alarm), float(self.costs.of_miss)) or 1.0
        difference = cost_difference(
            va.problem.codes[cases], self._flags(a, cases), self._flags(b, cases), self.costs, level=self.level,
            per=1 / most, weights=va.problem.weights_of(cases), clusters=groups,
        )  # fmt: skip
        if test.takes != SAME_CASES and len(cases) > 1:
            widened = significance.find("corrected-cases").run
            difference = widened(difference, float(np.mean(va.train_sizes)), len(cases))
        value, low, high = (PER * most * number for number in (difference.value, difference.low, difference.high))
        return replace(difference, value=value, low=low, high=high, se=None)

    # ---- decisions ----

    def _decided(self, model: str) -> tuple[Fold, ...]:
        """The folds of a model with what it predicts at thresholds chosen without them."""
        folds = self.va.of(model).folds
        if self.va.unranked or any(fold.scores is None for fold in folds if not fold.why):
            return folds
        return tuple(self._at_threshold(fold, folds) for fold in folds)

    def _at_threshold(self, fold: Fold, folds: Sequence[Fold]) -> Fold:
        if fold.why:
            return fold
        rest = (
            [other for other in folds if other.seed == fold.seed and not other.why] if fold.inner_scores is None else []
        )
        costs = self.costs if decisions.needs_costs(self.rule) else None
        chosen = threshold_without(self.va, fold, rest, self.rule, costs)
        if math.isnan(chosen):
            return replace(fold, why="no other cases to choose a threshold on")
        return replace(fold, predicted=(fold.scores >= chosen).astype(np.int64))

    def _flags(self, model: str, cases: Any) -> Any:
        """Which cases a model flags: over folds as decided there, else at the threshold of the pooled cases."""
        if self.answer is not None:
            point, pooled = self._evaluation(model).point, self.va.pooled(model)
            assert point is not None
            return pooled.scores[np.searchsorted(pooled.cases, cases)] >= point.threshold
        pooled = first_tests(model, self.decided[model])
        return pooled.predicted[np.searchsorted(pooled.cases, cases)] == 1

    def _evaluation(self, model: str) -> Evaluation:
        """The evaluation of a model on the pooled cases."""
        assert self.answer is not None
        return self.answer.evaluations[model] if isinstance(self.answer, Comparison) else self.answer

    # ---- costs ----

    def _values(self, readings: Readings) -> Any:
        """The cost in every split, the mean over the seeds that define it."""
        each = [
            math.nan if fold.why else float(self.costs.expected(readings.counts(index), per=PER))
            for index, fold in enumerate(readings.folds)
        ]
        rows = np.array(each).reshape(len(self.va.pairs), self.va.settings.seeds)
        known = np.isfinite(rows)
        over = known.sum(axis=1)
        return np.where(over > 0, np.where(known, rows, 0.0).sum(axis=1) / np.maximum(over, 1), math.nan)

    def _estimate(self, model: str) -> Estimate:
        if self.over_folds:
            low = -math.inf if self.costs.as_gains else 0.0
            estimate = mean_over_folds(
                self.values[model], self.va.train_sizes, self.va.test_sizes, level=self.level, low=low, high=math.inf,
                independent=isinstance(self.va.plan, Disjoint),
            )  # fmt: skip
            return not_narrower(estimate, self._of_cases(model), low, math.inf)
        if self.answer is not None:
            return self._evaluation(model).cost or undefined("no threshold", level=self.level)
        return self._of_cases(model)

    def _of_cases(self, model: str) -> Estimate:
        """The cost of what was decided, each case once, with the interval of independent cases."""
        pooled = first_tests(model, self.decided[model])
        if not len(pooled.cases):
            return undefined("no case was tested", level=self.level)
        counts = Readings(self.va.problem, (pooled,)).counts(0)
        return per_thousand(intervals.expected_cost(counts, self.costs, level=self.level))
