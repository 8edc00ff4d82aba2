"""ClassComparison: several models that predict classes, or several labels, of the same cases.

A model is represented by its predictions case by case (`multiclass.ClassPredictions`, `LabelPredictions`). Any measure
of them (`intervals.case_statistic`) is computed in the same resamples of the cases for every model, and
`PairedInference` makes differences, limits for all pairs and the grade of certainty, as for scores. Accuracy has closed
forms: Newcombe's limits and McNemar's test. Predicted classes repeat: cases with the same class and decisions are drawn
together, by their numbers, and so need not be in memory. Of scores that are not, means of losses and the mean AUC have
a covariance from sums over the cases (`moments`); with very many cases in memory, losses as well.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field, replace
from functools import cached_property
from itertools import combinations
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from rocscope import measures, significance
from rocscope.errors import RocscopeError
from rocscope.estimate import Estimate
from rocscope.evaluation.certainty import (
    Difference,
    PairedInference,
    best_shares,
    certainty_of,
    replicate_covariance,
    together,
)
from rocscope.evaluation.classes import ClassEvaluation
from rocscope.evaluation.clustered_predictions import ClusteredPredictions
from rocscope.evaluation.multilabel import LabelEvaluation
from rocscope.evaluation.result import Result
from rocscope.evaluation.settings import Progress, Settings
from rocscope.intervals import (
    CaseStatistic,
    Predictions,
    case_statistic,
    check_replicates,
    clusters_of,
    cost_statistic,
    from_replicates,
    joined_blocks,
    multiplicities,
    positive_statistic,
    two_class_cost,
)
from rocscope.multiclass import (
    CaseMoments,
    ClassPredictions,
    JointDecisions,
    log_losses,
    squared_losses,
)
from rocscope.numbers import Array, json_number, normal_quantile, normal_two_sided
from rocscope.record import record

if TYPE_CHECKING:
    from rocscope.multiclass import LabelSums

RESAMPLES = 2000
MOST_CASES = 100_000  # maximum number of cases for which measures not requested by the user are resampled case by case
CLASS_MEASURES = ("accuracy", "balanced_accuracy", "macro_f1", "mcc")
LABEL_MEASURES = ("micro_f1", "macro_f1", "samples_f1", "subset_accuracy", "hamming_loss")
RIGHT = ("accuracy", "error_rate", "subset_accuracy")  # shares of cases right or wrong, compared by McNemar's test
Evaluated = ClassEvaluation | LabelEvaluation


@record(slots=True)
class Agreement:
    """Two models on the same cases: how many both, one or neither predict correctly, and tests of the predicted
    classes.
    """

    a: str
    b: str
    both_right: Any
    only_a: Any
    only_b: Any
    both_wrong: Any
    tests: Mapping[str, Estimate]

    def to_dict(self) -> dict[str, Any]:
        """The pair as written in the results document."""
        names = ("both_right", "only_a", "only_b", "both_wrong")
        counts = {name: json_number(getattr(self, name)) for name in names}
        return {
            "a": self.a,
            "b": self.b,
            **counts,
            "tests": {name: test.to_dict() for name, test in self.tests.items()},
        }


@record(eq=False)
class ClassComparison(Result):
    """A comparison of models that predict classes or labels for the same cases.

    >>> from rocscope import compare
    >>> y, a, b = ["cat", "dog", "rat"] * 4, ["cat", "dog", "rat"] * 4, ["cat", "dog", "cat"] * 4
    >>> cmp = compare(y, {"a": a, "b": b})
    >>> print(cmp.recommended, cmp.differences[0].estimate)
    a 0.33 [0.02, 0.61] p = 0.062
    """

    evaluations: Mapping[str, Evaluated]
    predictions: Mapping[str, Predictions | LabelSums] = field(repr=False)
    settings: Settings = field(default_factory=Settings)
    clusters: Any = field(default=None, repr=False)
    progress: Progress | None = field(default=None, repr=False)
    moments: Mapping[str, Array] = field(default_factory=lambda: MappingProxyType({}), repr=False)

    def __post_init__(self) -> None:
        if self.settings.test not in (None, "mcnemar"):
            reason = "this comparison uses predicted classes"
            significance.fitting(self.settings.test, [significance.DISCORDANT], reason)
        for name in self.names:
            if why := self.primary.why(self.predictions[name]):
                raise RocscopeError(f"measure '{self.primary.name}' cannot decide between models (model {name}): {why}")
        self._refuse_beyond(self.primary)
        if self.clusters is not None and not self.beyond:
            within = {name: self._in_clusters(name) for name in self.names}
            object.__setattr__(self, "evaluations", MappingProxyType(within))

    def _in_clusters(self, name: str) -> Evaluated:
        """The evaluation of a model with limits that treat clusters as independent."""
        cases: Any = self.predictions[name]
        evaluation = self.evaluations[name]
        clustered = ClusteredPredictions(cases, clusters_of(self.clusters, len(self._first)), self.settings)
        decision = getattr(evaluation, "decision", None)
        decided = {} if decision is None else {"decision": replace(decision, clustered=True)}
        return replace(evaluation, clustered=clustered, **decided)

    def _refuse_beyond(self, measure: CaseStatistic) -> None:
        """Refuse a difference that needs the cases where these are not in memory."""
        known = measure.of_decisions or measure.name in self.moments or (measure.name in RIGHT and self._plain)
        if self.beyond and not known:
            raise RocscopeError(
                f"differences in {measure.name} can be computed only with all rows in memory, but there are too many",
                hint=f"Raise budget=, or compare {', '.join(dict.fromkeys([*RIGHT[:1], *self.moments]))}",
            )

    @property
    def beyond(self) -> bool:
        """Whether only sums of the scores, not the scores themselves, are in memory."""
        return any(getattr(prediction, "sums", None) is not None for prediction in self.predictions.values())

    @property
    def names(self) -> tuple[str, ...]:
        """The models in the given order."""
        return tuple(self.evaluations)

    @property
    def of_labels(self) -> bool:
        """Whether each case has several labels rather than one class."""
        return not isinstance(self._first, ClassPredictions)

    @property
    def _first(self) -> Predictions | LabelSums:
        return self.predictions[self.names[0]]

    # ---- primary measure and ranking ----

    @cached_property
    def primary(self) -> CaseStatistic:
        """The deciding quantity: cost, the named measure, or accuracy (macro F1 for imbalanced classes).

        With several labels per case, it is the mean AUC or, without scores, micro F1.
        """
        name = self.settings.measure
        if self.settings.costs is not None:
            return two_class_cost(self.settings.costs, self._positive("costs of false positives and misses need"))
        if self.settings.cost_matrix is not None and isinstance(self._first, ClassPredictions):
            return cost_statistic(self.settings.cost_matrix.in_order(self._first.labels))
        if name is None:
            ranked = all(prediction.scored for prediction in self.predictions.values())
            if isinstance(self._first, ClassPredictions):
                name = "macro_f1" if self._first.unbalanced else "accuracy"
            else:
                name = "auc" if ranked else "micro_f1"
        return self._statistic(name)

    def _statistic(self, name: str) -> CaseStatistic:
        """The statistic of that name: of all classes or labels, or of the positive one of two classes."""
        one_class = name in measures.names() and measures.get(name).matrix is None
        if one_class and isinstance(self._first, ClassPredictions) and len(self._first.labels) == 2:
            return positive_statistic(name, self._positive(f"{measures.get(name).title} needs"))
        return case_statistic(name, self._first)

    def _positive(self, needed_by: str) -> int:
        """The index of the positive class of two; an error if it is not known or there are not two classes."""
        first = self.evaluations[self.names[0]]
        if not isinstance(first, ClassEvaluation) or len(self._first.labels) != 2:
            many = f"{len(self._first.labels)} {'labels' if self.of_labels else 'classes'}"
            raise RocscopeError(f"{needed_by} two classes, but there are {many}", hint="Give a cost matrix instead")
        if first.positive_label is None:
            shown = " or ".join(map(str, self._first.labels))
            raise RocscopeError(f"{needed_by} a positive class: {shown}", hint="Give the positive label (positive=)")
        return self._first.labels.index(first.positive_label)

    @cached_property
    def measures(self) -> tuple[CaseStatistic, ...]:
        """The measures shown: the deciding one first, then the usual measures that all models have."""
        names = list(LABEL_MEASURES if self.of_labels else CLASS_MEASURES)
        if all(prediction.scored for prediction in self.predictions.values()):
            names += ["auc", "average_precision", "ranking_loss"] if self.of_labels else ["auc"]
        if not self.of_labels and all(prediction.probabilities for prediction in self.predictions.values()):
            names += ["log_loss", "brier"]
        usual = [case_statistic(name, self._first) for name in names]
        return (self.primary, *(other for other in usual if other.name != self.primary.name))

    @cached_property
    def values(self) -> Mapping[str, Mapping[str, Estimate]]:
        """Each shown measure of each model, with its interval."""
        return MappingProxyType({
            measure.name: {name: self._value(name, measure) for name in self.names} for measure in self.measures
        })  # fmt: skip

    def _value(self, name: str, measure: CaseStatistic) -> Estimate:
        decision = getattr(self.evaluations[name], "decision", None)
        if measure.name == "cost" and decision is not None and self.clusters is None:
            cost: Estimate = decision.cost
            return cost
        closed = measure.estimate(self.predictions[name], level=self.settings.level)
        clustered = self.clusters is not None and math.isfinite(closed.value)
        return self._resampled_value(name, measure) if clustered else closed

    def _resampled_value(self, name: str, measure: CaseStatistic) -> Estimate:
        """A measure of a model with limits from the resamples of cases, or of whole clusters."""
        drawn = self.replicates(measure)[self.names.index(name)]
        value, level = measure.value(self.predictions[name]), self.settings.level
        limits = from_replicates(measure, value, drawn, level=level)
        return limits if self.clusters is None else replace(limits, method=f"{limits.method}, clusters")

    @cached_property
    def recommended(self) -> str:
        """The model with the best value of the deciding measure; the first in case of ties."""
        sign = -1 if self.primary.lowest else 1
        known = {name: interval.value for name, interval in self.values[self.primary.name].items()}
        return max(self.names, key=lambda name: -math.inf if math.isnan(known[name]) else sign * known[name])

    @property
    def _others(self) -> list[str]:
        return [name for name in self.names if name != self.recommended]

    # ---- differences and tests ----

    @cached_property
    def differences(self) -> tuple[Difference, ...]:
        """The recommended model minus each other model on the deciding measure, with p-values adjusted over all
        pairs.
        """
        return self._inference(self.primary).against_each()

    @cached_property
    def other_differences(self) -> Mapping[str, tuple[Difference, ...]]:
        """The differences in the other measures; areas (and, with very many cases, all but accuracy) only if named."""
        return MappingProxyType({
            measure.name: self._inference(measure).against_each()
            for measure in self.measures[1:] if measure.name in self._resampled
        })  # fmt: skip

    @cached_property
    def together(self) -> tuple[Difference, ...]:
        """The recommended model minus each other model in every measure shown.

        All p-values are adjusted together by Holm's method, so you may look at several measures and report the one
        that turns out best.

        >>> from rocscope import compare
        >>> y, a, b = ["cat", "dog", "rat"] * 4, ["cat", "dog", "rat"] * 4, ["cat", "dog", "cat"] * 4
        >>> found = compare(y, {"a": a, "b": b}).together[0]
        >>> found.what, round(found.estimate.p, 4), round(found.p_adjusted, 4)
        ('accuracy', 0.0625, 0.1725)
        """
        others = [one for one in self.measures[1:] if one.name in self.other_differences]
        return together([self._inference(one) for one in (self.primary, *others)])

    @cached_property
    def pairs(self) -> tuple[Difference, ...]:
        """Every pair of up to 100 models on the deciding measure, with simultaneous limits (max-|T|)."""
        return self._inference(self.primary).pairs()

    def _inference(self, statistic: CaseStatistic) -> PairedInference:
        settings, width = self.settings, statistic.high - statistic.low
        return PairedInference(
            self.names, self.recommended, statistic.name, lambda a, b: self.difference(a, b, statistic),
            lambda: self._covariance(statistic), settings.level, settings.seed, width,
        )  # fmt: skip

    def difference(self, a: str, b: str, statistic: CaseStatistic | str | None = None) -> Estimate:
        """The difference between two models in a measure (by default the deciding one) on the same cases, with its
        interval.

        Accuracy, error rate and subset accuracy have Newcombe's limits and McNemar's mid-P; all other measures, and
        these with weights or clusters, use the paired bootstrap.
        """
        measure = self.primary if statistic is None else statistic
        measure = self._statistic(measure) if isinstance(measure, str) else measure
        if measure.name in RIGHT and self._plain:
            sides = (b, a) if measure.name == "error_rate" else (a, b)
            right = (self.predictions[name].right for name in sides)
            return significance.right_difference(*right, cases=self._repeats, level=self.settings.level)
        self._refuse_beyond(measure)
        values = [measure.value(self.predictions[name]) for name in (a, b)]
        gap, at = values[0] - values[1], [self.names.index(a), self.names.index(b)]
        if not math.isfinite(gap):
            why = "infinite for both models" if math.isinf(values[0]) and math.isinf(values[1]) else "infinite"
            return Estimate(math.nan, level=self.settings.level, method="bootstrap percentile, paired", why=why)
        if measure.name in self._moments:
            spread = self._moments[measure.name][np.ix_(at, at)]
            return _normal_difference(gap, spread, self.settings.level, measure.high - measure.low)
        drawn = self.replicates(measure)
        gaps = drawn[at[0]] - drawn[at[1]]
        return significance.difference_of_replicates(measure, gap, gaps, level=self.settings.level, cases=self._worth)

    @cached_property
    def _worth(self) -> float:
        """The effective number of cases given their weights, or the number of clusters."""
        if self.clusters is not None:
            return float(clusters_of(self.clusters, len(self._first))[1])
        mass = self._first.mass
        squares = mass * mass if self._repeats is None else mass * mass / self._repeats
        return float(mass.sum() ** 2 / squares.sum())

    @property
    def _plain(self) -> bool:
        return not self._first.weighted and self.clusters is None

    @property
    def _repeats(self) -> Any:
        """How many cases each row of the predictions stands for; None for one."""
        return getattr(self._first, "repeats", None)

    @cached_property
    def _moments(self) -> Mapping[str, Array]:
        """Covariances of the values of all models that sums over cases tell: of sums, or of very many cases."""
        first = self._first
        if self.moments or self.clusters is not None or not isinstance(first, ClassPredictions):
            return self.moments
        losses = {"log_loss": log_losses, "brier": squared_losses}
        known = all(prediction.scores is not None and prediction.probabilities for prediction in self._classes.values())
        if not known or len(first) <= MOST_CASES or self.settings.bootstrap:
            return self.moments
        return {
            name: CaseMoments.of(
                np.stack([each(prediction.codes, prediction.scores) for prediction in self._classes.values()]),
                first.mass,
            ).covariance
            for name, each in losses.items()
        }

    @property
    def _classes(self) -> Mapping[str, ClassPredictions]:
        return {
            name: prediction
            for name, prediction in self.predictions.items()
            if isinstance(prediction, ClassPredictions)
        }

    def _covariance(self, statistic: CaseStatistic) -> Any:
        if statistic.name in RIGHT and self._plain:
            right = np.stack([self.predictions[name].right for name in self.names]).astype(np.int64)
            each = np.ones(right.shape[1], dtype=np.int64) if self._repeats is None else self._repeats
            n, hits = int(each.sum()), right @ each  # in whole numbers: the same bits, however cases are counted
            return (n * ((right * each) @ right.T) - np.outer(hits, hits)) / (n * max(1, n - 1)) / n
        if statistic.name in self._moments:
            return self._moments[statistic.name]
        return replicate_covariance(self.replicates(statistic))

    # ---- resamples ----

    def replicates(self, statistic: CaseStatistic) -> Array:
        """A measure of every model (rows) in the same resamples of cases or whole clusters (columns)."""
        if statistic.name not in self._drawn:
            self._drawn[statistic.name] = self._values((statistic,))[statistic.name]
        return self._drawn[statistic.name]

    def _normal_values(self, statistic: CaseStatistic) -> Array:
        """Values of all models as they would vary, from their covariance."""
        values = [statistic.value(self.predictions[name]) for name in self.names]
        generator, n = np.random.default_rng(self.settings.seed), self.settings.bootstrap or RESAMPLES
        spread = self._moments[statistic.name]
        if not (np.isfinite(values).all() and np.isfinite(spread).all()):
            return np.full((len(values), n), math.nan)
        return np.ascontiguousarray(generator.multivariate_normal(values, spread, n, method="eigh").T)

    @property
    def _resampled(self) -> tuple[str, ...]:
        """The measures whose differences are shown unasked: those that need no area, and few enough cases."""
        cheap = [measure for measure in self.measures if not measure.name.endswith(("auc", "average_precision"))]
        few = not self.beyond and len(self._first) <= MOST_CASES
        return tuple(
            measure.name for measure in cheap
            if few or self._by_decisions(measure) or measure.name in self._moments
            or (measure.name in RIGHT and self._plain)
        )  # fmt: skip

    @cached_property
    def _drawn(self) -> dict[str, Array]:
        """The measures shown, all in the same resamples; measures requested later are added."""
        names = {self.primary.name, *self._resampled}
        return self._values(tuple(measure for measure in self.measures if measure.name in names))

    def _values(self, statistics: tuple[CaseStatistic, ...]) -> dict[str, Array]:
        """Values in resamples: by the numbers of cases that are alike where decisions suffice, else case by case."""
        check_replicates(self.settings.bootstrap or RESAMPLES, self.settings.level)
        drawn = {
            statistic.name: self._normal_values(statistic)
            for statistic in statistics
            if statistic.name in self._moments
        }
        rest = [statistic for statistic in statistics if statistic.name not in drawn]
        decided = [statistic for statistic in rest if self._by_decisions(statistic)]
        if decided:
            cases, counts = self._alike
            drawn |= self._resampled_values(decided, cases, self._multinomial(counts), None)
        if others := [statistic for statistic in rest if statistic not in decided]:
            n = self.settings.bootstrap or RESAMPLES
            mass = None if self._first.weights is None else self._first.mass
            drawn |= self._resampled_values(others, self.predictions, self._multiplicities(n), mass)
        return drawn

    def _resampled_values(
        self, statistics: Sequence[CaseStatistic], cases: Mapping[str, Predictions | LabelSums],
        blocks: Iterator[Array], mass: Array | None,
    ) -> dict[str, Array]:  # fmt: skip
        ready = [[statistic.prepare(cases[name]) for statistic in statistics] for name in self.names]
        weighted = cases[self.names[0]].weights if mass is None else mass

        def block(drawn: Array) -> Array:
            weights = drawn.astype(np.float64) if weighted is None else drawn * weighted
            return np.stack([[values(weights) for values in model] for model in ready]).transpose(2, 0, 1)

        joined = joined_blocks(map(block, blocks), self.settings.bootstrap or RESAMPLES, self.progress)
        return {statistic.name: np.ascontiguousarray(joined[:, :, at].T) for at, statistic in enumerate(statistics)}

    def _multiplicities(self, n: int) -> Iterator[Array]:
        groups = None if self.clusters is None else clusters_of(self.clusters, len(self._first))
        return multiplicities(self._first, n, seed=self.settings.seed, stratified=False, clusters=groups)

    def _by_decisions(self, statistic: CaseStatistic) -> bool:
        """Whether cases with the same class and decisions are alike for a measure, and may be drawn together."""
        return statistic.of_decisions and (self._plain or self._repeats is not None)

    @cached_property
    def _alike(self) -> tuple[dict[str, Predictions | LabelSums], Array]:
        """Cases that are alike as one, and how many each row stands for."""
        models, first = list(self._classes.values()), self._first
        if self._repeats is None:
            alike = JointDecisions.of(models[0].codes, [model.predicted for model in models])
            return {name: alike.predictions(at, first.labels) for at, name in enumerate(self.names)}, alike.repeats
        return dict(self.predictions), np.asarray(self._repeats)

    def _multinomial(self, counts: Array) -> Iterator[Array]:
        """How often each kind of case is drawn: the numbers of a multinomial sample."""
        n, total = self.settings.bootstrap or RESAMPLES, int(counts.sum())
        generator = np.random.default_rng(self.settings.seed)
        step = max(1, 2**20 // max(1, len(counts)))
        sizes = (min(step, n - start) for start in range(0, n, step))
        return (generator.multinomial(total, counts / total, size) for size in sizes)

    # ---- joint inference and agreement of pairs ----

    @cached_property
    def certainty(self) -> dict[str, Any]:
        """The certainty of the recommendation: "settled", "leaning" or "open" (`certainty.certainty_of`)."""
        share = best_shares(self.replicates(self.primary), lowest=self.primary.lowest)[
            self.names.index(self.recommended)
        ]
        best = None if math.isnan(share) else share
        return certainty_of(self.differences, len(self._others), self.primary.name, best)

    @cached_property
    def joint(self) -> Estimate | None:
        """The test that all models are correct equally often (Cochran's Q), for three or more models; otherwise
        None.
        """
        if len(self.names) < 3 or not self._plain:
            return None
        right = np.stack([self.predictions[name].right for name in self.names], axis=1)
        return significance.cochran_q(right.astype(np.int64), cases=self._repeats, level=self.settings.level)

    @cached_property
    def agreement(self) -> tuple[Agreement, ...]:
        """For every pair of models, the cases predicted correctly by both, one or neither, and tests of the
        predicted classes.
        """
        return tuple(self._agreement(a, b) for a, b in combinations(self.names, 2))

    def _agreement(self, a: str, b: str) -> Agreement:
        first, second, mass = self.predictions[a], self.predictions[b], self._first.mass
        sides = (first.right & second.right, first.right & ~second.right, ~first.right & second.right,
                 ~first.right & ~second.right)  # fmt: skip
        counts = [float(mass[side].sum()) for side in sides]
        tests: dict[str, Estimate] = {}
        if self._plain and isinstance(first, ClassPredictions) and isinstance(second, ClassPredictions):
            decided = first.predicted >= 0  # cases that a model leaves undecided are not compared
            own, other_own = first.predicted[decided], second.predicted[decided]
            repeats = None if first.repeats is None else first.repeats[decided]
            table = ClassPredictions(own, other_own, first.labels, repeats=repeats).matrix
            level = self.settings.level
            tests = {"stuart_maxwell": significance.stuart_maxwell(table, level=level),
                     "bowker": significance.bowker(table, level=level)}  # fmt: skip
        whole = [int(count) if count.is_integer() else count for count in counts]
        both, alone, other, neither = whole
        return Agreement(a, b, both, alone, other, neither, MappingProxyType(tests))

    def estimate(self, model: str, measure: str) -> Estimate:
        """A measure of a model by its name, with its interval; by the bootstrap if the settings request it."""
        statistic = self._statistic(measure)
        if not self.settings.bootstrap or (self.beyond and not self._by_decisions(statistic)):
            return self._value(model, statistic)
        return self._resampled_value(model, statistic)

    def differences_in(self, measure: str) -> tuple[Difference, ...]:
        """The recommended model minus each other model in a named measure, with p-values adjusted over all pairs.

        >>> from rocscope import compare
        >>> y, a, b = ["cat", "dog", "rat"] * 4, ["cat", "dog", "rat"] * 4, ["cat", "dog", "cat"] * 4
        >>> compare(y, {"a": a, "b": b}).differences_in("error_rate")[0].estimate.value
        -0.3333333333333333
        """
        return self._inference(self._statistic(measure)).against_each()

    # ---- output ----

    def plot(self, kind: str = "estimates", ax: Any = None, **how: Any) -> Any:
        """Draw the result with matplotlib and return the Axes.

        The kinds are "estimates" (one measure of every model) and "differences"; `measure` names a measure other than
        the deciding one.
        """
        from rocscope import wire

        return wire("ClassComparison.plot")(self, kind, ax, **how)

    def _document(self) -> dict[str, Any]:
        from rocscope.evaluation.class_document import class_comparison_document

        return class_comparison_document(self)

    def _like(self) -> str:
        return self.evaluations[self.names[0]].library


def _normal_difference(gap: float, spread: Array, level: float, most: float) -> Estimate:
    """A difference of two values on the same cases, from their covariance; `most` is the largest there can be."""
    method, variance = "linearized over cases, paired", float(spread[0, 0] + spread[1, 1] - 2 * spread[0, 1])
    if not variance > 0:
        same = gap == 0 and variance == 0
        why = "the same on every case; on other cases they may differ" if same else "no variance"
        return Estimate(gap, level=level, method=method, why=why, p=1.0 if same else None)
    se = math.sqrt(variance)
    reach = normal_quantile(level) * se
    low, high = max(-most, gap - reach), min(most, gap + reach)
    return Estimate(gap, low, high, level, method, p=normal_two_sided(gap / se), statistic=gap / se, se=se)
