"""LabelEvaluation: several labels for each case, from scores or from predicted labels."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import field
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from rocscope import decisions, intervals, measures
from rocscope.errors import RocscopeError
from rocscope.estimate import Estimate
from rocscope.evaluation.clustered_predictions import ClusteredPredictions, without_limits
from rocscope.evaluation.result import Result
from rocscope.evaluation.settings import Settings
from rocscope.intervals import case_statistic
from rocscope.multiclass import LabelPredictions, coverages, mean_at_random, ranking_losses, ranking_precisions
from rocscope.numbers import plain
from rocscope.record import record
from rocscope.table import Counts, ScoreTable

if TYPE_CHECKING:
    from rocscope.multiclass import LabelSums

OF_ONE_LABEL = ("precision", "recall", "f1")
DECIDED = (
    "subset_accuracy", "hamming_loss", "macro_precision", "macro_recall", "macro_f1", "micro_precision", "micro_recall",
    "micro_f1", "weighted_f1", "samples_precision", "samples_recall", "samples_f1", "samples_jaccard",
)  # fmt: skip
RANKED = (
    "auc", "micro_auc", "average_precision", "micro_average_precision", "ranking_precision", "ranking_loss",
    "coverage_error",
)  # fmt: skip
OF_CASES = ("precision", "recall", "f1", "jaccard")
FOLDS = 5  # default number of folds for choosing thresholds; each fold is decided with thresholds from the others


@record(slots=True)
class LabelThreshold:
    """The score from which a label is predicted, and how it was chosen.

    `chosen` is "given", "not chosen" (the default 0.5), or the rule; `why` gives the reason if a rule could not choose
    a threshold.
    """

    threshold: float
    chosen: str
    why: str = ""


@record(eq=False)
class LabelEvaluation(Result):
    """The evaluation of a classifier that predicts several labels for each case: labels, averages, rankings and label
    sets.

    If a rule chose the thresholds, `thresholds` contains those to use, which were chosen on all cases. Every number
    comes from thresholds that were chosen without the cases to which they are applied (cross-fitting), so none is
    optimistic.

    >>> from rocscope import evaluate
    >>> ev = evaluate([[1, 0], [1, 1], [0, 1], [0, 0]], [[0.9, 0.2], [0.8, 0.7], [0.4, 0.6], [0.6, 0.1]])
    >>> print(ev.measure("micro f1"), ev.measure("subset_accuracy"))
    0.89 [0.47, 0.99] 0.75 [0.30, 0.95]
    """

    predictions: LabelPredictions | LabelSums
    thresholds: Mapping[Any, LabelThreshold] = field(default_factory=lambda: MappingProxyType({}))
    settings: Settings = field(default_factory=Settings)
    name: str = ""
    source: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))
    left_out: Mapping[str, int] = field(default_factory=lambda: MappingProxyType({}))
    notes: tuple[str, ...] = ()
    library: str = ""
    clustered: ClusteredPredictions | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        if self.settings.cost_matrix is not None:
            raise RocscopeError(
                "several labels for each case cannot be combined with a cost matrix",
                hint="Give the costs of the two errors, for every label: Costs(fp=1, fn=5)",
            )

    @property
    def labels(self) -> tuple[Any, ...]:
        """The labels in the order of the columns."""
        return self.predictions.labels

    @property
    def size(self) -> Any:
        """The number, or total weight, of all cases."""
        mass = self.predictions.size
        return plain(mass) if self.predictions.weighted else int(mass)

    @property
    def support(self) -> list[Any]:
        """The number, or total weight, of the cases with each label."""
        sums = self._with_label
        return [int(total) if float(total).is_integer() else float(total) for total in sums]

    @property
    def _with_label(self) -> Any:
        cells = self.predictions.cell_sums()
        return cells["tp"] + cells["fn"]

    @property
    def sums(self) -> LabelSums:
        """The sums of the cases, which can be saved and added.

        >>> from rocscope import evaluate
        >>> day = evaluate([[1, 0], [0, 1]], [[0.9, 0.2], [0.4, 0.6]]).sums
        >>> evaluate(day + day).size
        4
        """
        cases = self.predictions
        if not isinstance(cases, LabelPredictions):
            return cases
        from rocscope.multiclass import LabelSums

        return LabelSums.of_predictions(cases)

    @property
    def cross_fitted(self) -> bool:
        """Whether thresholds were chosen by a rule, each without the cases to which it is applied."""
        return any(threshold.chosen not in ("given", "not chosen") for threshold in self.thresholds.values())

    # ---- overall estimates ----

    @cached_property
    def estimates(self) -> Mapping[str, Estimate]:
        """The usual measures of all labels together, with intervals that treat cases, not labels, as independent."""
        names = [*DECIDED, *(RANKED if self.predictions.scored else ())]
        if self.clustered is not None:
            return MappingProxyType(self.clustered.measures(names))
        return MappingProxyType({name: self.measure(name) for name in names})

    def measure(self, name: str) -> Estimate:
        """Any measure of several labels by its name, with its interval.

        The names are "subset_accuracy", "hamming_loss"; "macro f1", "micro recall", "weighted precision", "samples
        jaccard"; and with scores, also "auc", "average_precision", "ranking_loss", "ranking_precision" and
        "coverage_error".
        """
        if self.clustered is not None:
            return self.clustered.measures([name])[name]
        return case_statistic(name, self.predictions).estimate(self.predictions, level=self.settings.level)

    def baseline(self, name: str) -> float:
        """The value of a measure for predictions made without knowledge of the case; NaN if unknown.

        For subset accuracy, they are always the most frequent set of labels; for Hamming loss, always the more frequent
        answer for each label; for rankings, labels are always ranked by frequency; for averages, each label is
        predicted equally often, but at random.
        """
        p = self.predictions
        statistic = case_statistic(name, p)
        shares, spelled = self._with_label / p.size, statistic.name
        if spelled == "hamming_loss":
            return float(np.minimum(shares, 1 - shares).mean())
        if spelled == "subset_accuracy" or spelled in RANKINGS:
            sets = p.truth_sets()
            if sets is None:
                return math.nan
            truth, mass = sets
            if spelled in RANKINGS:
                total = mass @ RANKINGS[spelled](truth, np.broadcast_to(shares, truth.shape))
            else:
                total = np.bincount(np.unique(truth, axis=0, return_inverse=True)[1].ravel(), mass).max()
            return min(float(total / mass.sum()), statistic.high)  # sums of weights differ in their last digits
        if spelled.endswith("auc"):
            return 0.5
        if spelled.endswith("average_precision"):
            return float(shares.mean())
        cells = p.cell_sums()
        value = self._at_random(spelled, shares, (cells["tp"] + cells["fp"]) / p.size)
        return min(value, statistic.high)  # NaN stays

    def _at_random(self, name: str, shares: Any, flagged: Any) -> float:
        how, _, rest = name.partition("_")
        if how == "samples":
            sets = self.predictions.truth_sets()
            return math.nan if sets is None or rest not in OF_CASES else mean_at_random(rest, *sets, flagged)
        cells = {
            "tp": shares * flagged, "fp": (1 - shares) * flagged, "fn": shares * (1 - flagged),
            "tn": (1 - shares) * (1 - flagged),
        }  # fmt: skip
        measure = measures.get(rest)
        if how == "micro":
            return float(measure.value({cell: value.sum(keepdims=True) for cell, value in cells.items()})[0])
        values = np.asarray(measure.value(cells), dtype=np.float64)
        weights = np.where(np.isfinite(values), 1.0 if how == "macro" else shares, 0.0)
        return float(np.where(weights > 0, values, 0.0) @ weights / weights.sum()) if weights.sum() else math.nan

    # ---- per-label estimates ----

    def counts(self, label: Any) -> Counts:
        """The four counts of one label."""
        p, at = self.predictions, self._position(label)
        names = (f"not {label}", label)
        if not isinstance(p, LabelPredictions):
            cells, squares = ([float(value) for value in part[:, at]] for part in p.cells)
            if not p.weighted:
                return Counts.of([round(cell) for cell in cells], labels=names)
            return Counts.of(cells, labels=names, squares=squares)
        truth, guess = p.truth[:, at], p.predicted[:, at]
        sides = (truth & guess, ~truth & guess, truth & ~guess, ~truth & ~guess)
        if p.weights is None:
            return Counts.of([int(side.sum()) for side in sides], labels=names)
        cells = [float(p.mass[side].sum()) for side in sides]
        squares = [float((p.mass[side] ** 2).sum()) for side in sides]
        return Counts.of(cells, labels=names, squares=squares)

    def of(self, label: Any) -> Mapping[str, Estimate]:
        """The measures of one label, each with its interval; with scores, also AUC and average precision."""
        level, counts = self.settings.level, self.counts(label)
        if self.clustered is not None:
            return MappingProxyType(self._of_clustered(label, counts, self.clustered))
        estimates = {name: counts.estimate(name, level=level) for name in OF_ONE_LABEL}
        if self.predictions.scored:
            table = self.table(label)
            estimates |= {name: intervals.of(table, name, level=level) for name in ("auc", "average_precision")}
        return MappingProxyType(estimates)

    def _of_clustered(self, label: Any, counts: Counts, clustered: ClusteredPredictions) -> dict[str, Estimate]:
        """The measures of one label, with limits that treat clusters as independent."""
        at = self._position(label)
        cases: Any = clustered.predictions
        actual = cases.truth[:, at]
        estimates = clustered.of_counts(counts, OF_ONE_LABEL, actual, cases.predicted[:, at])
        if cases.scores is not None:
            estimates["auc"] = clustered.auc(actual, cases.scores[:, at])
            area = intervals.of(self.table(label), "average_precision", level=self.settings.level)
            estimates["average_precision"] = without_limits(area)
        return estimates

    def table(self, label: Any) -> ScoreTable:
        """The score table of one label; tables of disjoint cases can be added."""
        self._position(label)
        if not self.predictions.scored:
            raise RocscopeError("predicted labels have no scores", hint="Give a score for each label")
        return self.predictions.table(label)

    def tables(self) -> dict[Any, ScoreTable]:
        """The score table of every label."""
        return {} if not self.predictions.scored else {label: self.table(label) for label in self.labels}

    def _position(self, label: Any) -> int:
        if label not in self.labels:
            raise RocscopeError(f"there is no label {label!r}; the labels are {', '.join(map(str, self.labels[:12]))}")
        return self.labels.index(label)

    @cached_property
    def caveats(self) -> tuple[str, ...]:
        """Sentences about what could be misleading."""
        n, sentences = self.predictions.rows, []
        for label, has in zip(self.labels, self.predictions.rows_with.tolist(), strict=True):
            if has in (0, n):
                sentences.append(f"{'No' if not has else 'Every'} case has {label}: averages exclude undefined values.")
            elif (few := min(has, n - has)) < FEW:
                side = "with" if has < n - has else "without"
                sentences.append(
                    f"Only {few} {'case' if few == 1 else 'cases'} {side} {label}: its estimates are unstable."
                )
        return (*sentences[:5], *self.notes)

    def plot(self, kind: str = "roc", ax: Any = None, **how: Any) -> Any:
        """Draw the result with matplotlib and return the Axes.

        The kinds are "estimates", or a curve of every label.
        """
        from rocscope import wire

        return wire("LabelEvaluation.plot")(self, kind, ax, **how)

    def _document(self) -> dict[str, Any]:
        from rocscope.evaluation.class_document import labels_document

        return labels_document(self)


FEW = 10  # minimum number of cases with, and without, a label
RANKINGS = {
    "ranking_precision": ranking_precisions, "ranking_loss": ranking_losses, "coverage_error": coverages,
}  # fmt: skip


# ---- thresholds ----


def decided_labels(
    predictions: LabelPredictions, settings: Settings, threshold: Any
) -> tuple[LabelPredictions, dict[Any, LabelThreshold], tuple[str, ...]]:
    """Convert scores to predicted labels: at the given thresholds, at 0.5, or at those chosen by a rule.

    A rule chooses separately for each label, in folds; each fold is decided by a threshold chosen without it.
    """
    if predictions.scores is None:
        return predictions, {}, ()
    rule = rule_of(settings, threshold, probabilities=predictions.probabilities)
    if rule is None:
        return _at_given(predictions, threshold)
    thresholds: dict[Any, LabelThreshold] = {}
    flags = np.zeros_like(predictions.truth)
    for at, label in enumerate(predictions.labels):
        thresholds[label], flags[:, at] = _chosen(predictions, at, rule, settings)
    folds = settings.cross_fit or FOLDS
    note = f"Thresholds were chosen by {rule} in {folds} folds, each without the cases to which it is applied."
    return (
        LabelPredictions(predictions.truth, flags, predictions.labels, predictions.scores, predictions.weights),
        thresholds,
        (note,),
    )


def rule_of(settings: Settings, threshold: Any, *, probabilities: bool) -> str | None:
    """The rule that chooses thresholds; None if they are given or are 0.5 for probabilities."""
    rule = settings.choose or ("cost" if settings.costs is not None else None)
    return "youden" if threshold is None and rule is None and not probabilities else rule


def given_thresholds(labels: Sequence[Any], threshold: Any) -> dict[Any, LabelThreshold]:
    """The threshold of each label: one for all, or those that are named; 0.5 for the others."""
    named = dict(threshold) if isinstance(threshold, Mapping) else {}
    known = {str(label) for label in labels}
    for label in named:
        if str(label) not in known:
            raise RocscopeError(f"threshold= names {label!r}, which is not a label", hint=f"Labels: {', '.join(known)}")
    spelled = {str(label): value for label, value in named.items()}
    usual = 0.5 if threshold is None or isinstance(threshold, Mapping) else float(threshold)
    thresholds = {}
    for label in labels:
        given = str(label) in spelled or (threshold is not None and not named)
        thresholds[label] = LabelThreshold(float(spelled.get(str(label), usual)), "given" if given else "not chosen")
    return thresholds


def _at_given(
    predictions: LabelPredictions, threshold: Any
) -> tuple[LabelPredictions, dict[Any, LabelThreshold], tuple[str, ...]]:
    thresholds = given_thresholds(predictions.labels, threshold)
    flags = predictions.scores >= np.array([chosen.threshold for chosen in thresholds.values()])
    return (
        LabelPredictions(predictions.truth, flags, predictions.labels, predictions.scores, predictions.weights),
        thresholds,
        (),
    )


def _chosen(predictions: LabelPredictions, at: int, rule: str, settings: Settings) -> tuple[LabelThreshold, Any]:
    """The threshold for a label, chosen on all cases, and its cross-fitted decisions."""
    truth, scores = predictions.truth[:, at], predictions.scores[:, at]
    fewest = int(min(truth.sum(), (~truth).sum()))
    if fewest < 2:
        usual = 0.5 if predictions.probabilities else math.inf
        cases, side = "case" if fewest == 1 else "cases", "with" if truth.sum() == fewest else "without"
        why = f"{fewest} {cases} {side} the label: too few to choose a threshold"
        return LabelThreshold(usual, "not chosen", why), scores >= usual
    table = ScoreTable.from_scores(truth, scores, weights=predictions.weights)
    best = decisions.best(table, rule, costs=settings.costs)[0].threshold
    folds = min(settings.cross_fit or FOLDS, fewest)
    flags = intervals.cross_fitted_flags(truth, scores, rule, costs=settings.costs, folds=folds, seed=settings.seed)
    return LabelThreshold(float(best), rule), flags
