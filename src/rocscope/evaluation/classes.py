"""ClassEvaluation: several classes, from hard labels or from a probability matrix."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import field
from functools import cached_property
from types import MappingProxyType
from typing import Any

import numpy as np

from rocscope import curves, intervals, measures, significance, tally, verdicts
from rocscope.decisions import CostMatrix, DecisionSums
from rocscope.errors import RocscopeError, did_you_mean
from rocscope.estimate import Estimate, proportion, undefined
from rocscope.evaluation.clustered_predictions import ClusteredPredictions, all_without_limits, without_limits
from rocscope.evaluation.result import Result
from rocscope.evaluation.settings import Settings
from rocscope.evaluation.slices.estimates import Slices, class_slices_of
from rocscope.evaluation.slices.partition import Slicing
from rocscope.intervals import MEAN_AUCS, case_statistic
from rocscope.multiclass import CaseSums, ClassAverage, ClassPredictions, ClassScores, ClassSums
from rocscope.numbers import normal_quantile, plain
from rocscope.record import record
from rocscope.table import Confusion, Counts, ScoreTable

OF_ONE_CLASS = ("precision", "recall", "f1")
OF_ALL = ("accuracy", "balanced_accuracy", "kappa", "mcc")
AVERAGED = ("precision", "recall", "f1")
OF_PROBABILITIES = ("log_loss", "brier")
TOP = ((2, 3), (3, 6), (5, 10))  # (k, minimum number of classes for which top-k accuracy is reported)
# distance of the top-label probabilities from perfect calibration
DISTANCES = ("ece_10", "ici", "calibration_in_the_large")
MOST_CONFUSIONS = 10


@record(slots=True)
class ClassConfusion:
    """A class mistaken for another: how often, and the share of its cases with its interval."""

    actual: Any
    predicted: Any
    cases: Any
    share: Estimate


@record(eq=False)
class ClassDecision:
    """Decisions other than by the most probable class: by costs, by class thresholds, or both; or the costs of
    predicted labels.

    `predicted` contains positions of classes, -1 for undecided cases; it is None if the cases are not in memory. Costs
    are per 1,000 cases.
    """

    sums: DecisionSums
    costs: CostMatrix
    given: bool
    thresholds: Mapping[Any, float]
    labels: tuple[Any, ...]
    level: float = 0.95
    predicted: Any = field(default=None, repr=False)
    clustered: bool = False

    def _cost(self, sums: CaseSums, decided: CaseSums | None = None) -> Estimate:
        return self._limited(intervals.cost_per_thousand(sums, self.costs, decided=decided, level=self.level))

    def _limited(self, estimate: Estimate) -> Estimate:
        """The estimate, without limits for cases in clusters."""
        return without_limits(estimate) if self.clustered else estimate

    @cached_property
    def cost(self) -> Estimate:
        """The expected cost of these decisions."""
        return self._cost(self.sums.own, self.sums.decided)

    @cached_property
    def alternatives(self) -> Mapping[str, Estimate]:
        """The costs of predicting the most probable class (if there are scores), and of always predicting the
        cheapest class.
        """
        cheapest = int(np.argmin([total.value for total in self.sums.same]))
        usual = {} if self.sums.usual is None else {"most probable class": self._cost(self.sums.usual)}
        return MappingProxyType({**usual, f"always {self.labels[cheapest]}": self._cost(self.sums.same[cheapest])})

    @cached_property
    def saving(self) -> Estimate | None:
        """The saving of these decisions over predicting the most probable class, on the same cases; None without
        scores.
        """
        if self.sums.gap is None:
            return None
        value, se = self.sums.gap.value, math.sqrt(self.sums.gap.spread)
        reach, method = normal_quantile(self.level) * se, "paired, normal"
        if not se > 0:
            return Estimate(1000 * value, level=self.level, method=method, why="all decisions have the same cost")
        low, high = 1000 * (value - reach), 1000 * (value + reach)
        return self._limited(Estimate(1000 * value, low, high, self.level, method, se=1000 * se))

    @cached_property
    def coverage(self) -> Estimate:
        """The share of cases that are not left undecided."""
        mass, cases = self.sums.own.mass, self.sums.own.cases
        decided = 1 - float(self.sums.undecided.sum()) / mass
        return self._limited(proportion(min(1.0, decided) * cases, cases, level=self.level))

    @property
    def undecided(self) -> Any:
        """The number or weight of undecided cases of each class."""
        return self.sums.undecided


@record(eq=False)
class ClassEvaluation(Result):
    """The evaluation of a classifier of k classes: the matrix, every class against the rest, averages, and AUCs if
    there are scores.

    >>> from rocscope import evaluate
    >>> ev = evaluate(["cat", "dog", "cat", "rat"], predicted=["cat", "dog", "dog", "rat"])
    >>> print(ev.estimates["accuracy"])
    0.75 [0.30, 0.95]
    """

    matrix: Confusion
    settings: Settings = field(default_factory=Settings)
    scores: ClassScores | ClassSums | None = None
    name: str = ""
    source: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))
    left_out: Mapping[str, int] = field(default_factory=lambda: MappingProxyType({}))
    notes: tuple[str, ...] = ()
    slicings: tuple[Slicing, ...] = ()
    library: str = ""
    positive: Any = None
    decision: ClassDecision | None = None
    clustered: ClusteredPredictions | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        _positive(self.matrix.labels, self.positive)  # raises an error for an unknown label
        costs = self.settings.cost_matrix
        if self.scores is None and self.decision is None and costs is not None:
            object.__setattr__(self, "decision", _costs_of_labels(self.matrix, costs, self.settings.level))

    @property
    def positive_label(self) -> Any:
        """The positive label of two classes, as given or as implied by {0, 1} and the like; None if unknown.

        >>> from rocscope import evaluate
        >>> y, guess = ["bad", "good", "bad"], ["bad", "good", "good"]
        >>> evaluate(y, predicted=guess).positive_label, evaluate(y, predicted=guess, positive="bad").positive_label
        (None, 'bad')
        """
        return _positive(self.matrix.labels, self.positive)

    @property
    def counts(self) -> Counts | None:
        """The counts of the positive class against the other one; None if the positive class is not known."""
        label = self.positive_label
        return None if label is None else self.matrix.of(label)

    @property
    def size(self) -> Any:
        """The number, or total weight, of all cases."""
        return plain(self.matrix.matrix.sum())

    @cached_property
    def slices(self) -> tuple[Slices, ...]:
        """The slices by each column named in `by`, described by their accuracy."""
        return tuple(class_slices_of(self, slicing) for slicing in self.slicings)

    # ---- overall estimates ----

    @property
    def sums(self) -> Confusion | ClassSums:
        """The sums that can be saved and added: the matrix of predicted labels or other decisions, or sums of the
        scores.

        >>> from rocscope import evaluate
        >>> day = evaluate(["a", "b", "c"], [[.8, .1, .1], [.2, .7, .1], [.1, .3, .6]]).sums
        >>> evaluate(day + day).matrix.accuracy
        1.0
        """
        if self.scores is None or self.decision is not None:
            return self.matrix
        return self.scores if isinstance(self.scores, ClassSums) else ClassSums.of_scores(self.scores)

    @cached_property
    def predictions(self) -> ClassPredictions | ClassSums:
        """The predictions of each case, or their sums; for a matrix alone, one case for each cell."""
        if self.scores is None:
            return ClassPredictions.of_matrix(self.matrix)
        if isinstance(self.scores, ClassSums):
            return self.scores
        return ClassPredictions.of_scores(self.scores, None if self.decision is None else self.decision.predicted)

    @cached_property
    def estimates(self) -> Mapping[str, Estimate]:
        """Measures of the whole matrix, averages over classes ("macro f1") and losses, each with its interval.

        Log loss and Brier score are included if the scores are probabilities, and top-k accuracy if there are scores.
        """
        names = [*OF_ALL, *(f"{how} {name}" for how in ("macro", "micro", "weighted") for name in AVERAGED)]
        if self.scores is not None:
            names += [f"top_{k}_accuracy" for k, least in TOP if len(self.matrix) >= least]
        if self.predictions.probabilities:
            names += OF_PROBABILITIES
        if self.clustered is not None:
            return MappingProxyType(_ByName(self.clustered.measures(names)))
        return MappingProxyType(_ByName({name: self.measure(name) for name in names}))

    def measure(self, name: str) -> Estimate:
        """Any measure for several classes by its name, with its interval.

        The names are "accuracy", "kappa" and every other measure of a matrix; "macro recall", "micro f1", "weighted
        precision"; with scores, also "top_3_accuracy" and the areas of `area`; and with probabilities, "log_loss" and
        "brier".

        >>> from rocscope import evaluate
        >>> print(evaluate(["a", "b", "c", "a"], predicted=["a", "b", "c", "b"]).measure("macro recall"))
        0.83 [0.39, 0.98]
        """
        if self.clustered is not None:
            return self.clustered.measures([name])[name]
        return case_statistic(name, self.predictions).estimate(self.predictions, level=self.settings.level)

    def baseline(self, name: str) -> float:
        """The value of a measure for predictions made without knowledge of the case.

        For accuracy, they are always the largest class; for top-k accuracy, always the k largest; for losses, always
        the shares of the classes. The AUC is 0.5. For other measures, the same number of cases is predicted to be of
        each class, but at random.
        """
        statistic = case_statistic(name, self.predictions)
        sizes = self.matrix.support.astype(np.float64) if self.scores is None else self.scores.support
        shares = sizes / sizes.sum()
        if statistic.name in ("accuracy", "error_rate"):
            return float(shares.max() if statistic.name == "accuracy" else 1 - shares.max())
        if statistic.name == "log_loss":
            return float(-(shares[shares > 0] * np.log(shares[shares > 0])).sum())
        if statistic.name == "brier":
            return float(1 - (shares * shares).sum())
        if statistic.name.startswith("auc"):
            return 0.5
        if statistic.name.startswith("top_"):
            return float(np.sort(shares)[::-1][: int(statistic.name.split("_")[1])].sum())
        cells = np.asarray(self.matrix.matrix, dtype=np.float64)
        if not cells.any():  # every case was rejected
            return math.nan
        at_random = np.outer(cells.sum(axis=1), cells.sum(axis=0)) / cells.sum()
        how, _, rest = statistic.name.partition("_")
        if how in measures.AVERAGES:
            return measures.average(measures.get(rest), at_random, how).value
        found = measures.get(statistic.name).of_matrix(at_random)
        return 0.0 if abs(found) < 1e-12 else found  # kappa and MCC of independent margins are 0 up to rounding

    @cached_property
    def confusions(self) -> tuple[ClassConfusion, ...]:
        """The classes most often mistaken for another one, most frequent first, with their share of the actual class.

        >>> from rocscope import evaluate
        >>> first = evaluate(["a", "a", "b", "c"], predicted=["b", "b", "b", "c"]).confusions[0]
        >>> first.actual, first.predicted, first.cases
        ('a', 'b', 2)
        """
        cells = self.matrix.matrix
        rows, columns = np.nonzero(cells)
        off = rows != columns
        rows, columns = rows[off], columns[off]
        first = np.argsort(-cells[rows, columns], kind="stable")[:MOST_CONFUSIONS]  # stable: ties stay in row order
        return tuple(self._confusion(int(rows[at]), int(columns[at])) for at in first)

    def _confusion(self, i: int, j: int) -> ClassConfusion:
        """One off-diagonal cell as a share of its row, with the effective number of cases given the weights."""
        row = np.asarray(self.matrix.matrix[i], dtype=np.float64)
        squares = row if self.matrix.squares is None else np.asarray(self.matrix.squares[i], dtype=np.float64)
        worth = float(row.sum() / squares.sum())
        labels = self.matrix.labels
        share = proportion(float(row[j]) * worth, float(row.sum()) * worth, level=self.settings.level)
        if self.clustered is not None:
            share = self._clustered_share(i, j)
        return ClassConfusion(labels[i], labels[j], plain(self.matrix.matrix[i, j]), share)

    def _clustered_share(self, i: int, j: int) -> Estimate:
        """The share of class i that is predicted as class j: a recall among the cases of class i."""
        assert self.clustered is not None
        cells = self.matrix.matrix[i]
        counts = Counts(tp=cells[j], fp=0, fn=cells.sum() - cells[j], tn=0)
        cases: Any = self.clustered.predictions
        return self.clustered.of_counts(counts, ["recall"], cases.codes == i, cases.predicted == j)["recall"]

    @property
    def absent(self) -> tuple[Any, ...]:
        """The classes without cases, which averages over classes leave out."""
        return tuple(label for label, size in zip(self.matrix.labels, self.matrix.support, strict=True) if not size)

    @cached_property
    def margins(self) -> Mapping[str, Estimate]:
        """Tests of whether classes are predicted as often as they occur (Stuart-Maxwell) and errors are symmetric
        (Bowker).

        The result is empty with sampling weights and clusters, which these tests do not support.
        """
        if self.clustered is not None or self.matrix.squares is not None or not self.matrix.matrix.sum():
            return MappingProxyType({})
        level = self.settings.level
        tests = {"stuart_maxwell": significance.stuart_maxwell, "bowker": significance.bowker}
        return MappingProxyType({name: test(self.matrix, level=level) for name, test in tests.items()})

    # ---- calibration ----

    @cached_property
    def calibration(self) -> Mapping[str, Estimate] | None:
        """Measures of how far the probabilities are from the observed frequencies; None without probabilities.

        For the top label (the probability of the predicted class against how often it is correct): "ece_10", "ici" and
        "calibration_in_the_large" as for two classes; "classwise_ece" is the mean of `class_calibration`
        (`intervals.classwise_ece`). Guo et al., ICML 2017:1321-1330 (top label);
        Kull et al., NeurIPS 2019:12295-12305 (class-wise).
        """
        if self.scores is None or not self.predictions.probabilities:
            return None
        none = undefined("every case was rejected: no class is predicted", level=self.settings.level)
        distances = dict.fromkeys(DISTANCES, none)
        if np.asarray(self.matrix.matrix).any():
            distances |= intervals.calibration(self.predictions.confidence, level=self.settings.level)
        whole = intervals.classwise_ece(self.scores, level=self.settings.level)
        estimates = {name: distances[name] for name in DISTANCES} | {"classwise_ece": whole}
        return MappingProxyType(estimates if self.clustered is None else all_without_limits(estimates))

    @cached_property
    def class_calibration(self) -> Mapping[Any, Estimate]:
        """The expected calibration error (10 bins) of the probability of each class that occurs."""
        if self.scores is None or not self.predictions.probabilities:
            return MappingProxyType({})
        level = self.settings.level
        tables = {label: table for label, table in self.tables().items() if table.positives}
        estimates = {label: intervals.of(table, "ece_10", level=level) for label, table in tables.items()}
        return MappingProxyType(estimates if self.clustered is None else all_without_limits(estimates))

    # ---- per-class estimates ----

    @cached_property
    def _counts(self) -> Mapping[Any, Counts]:
        """The counts of every class against the rest."""
        return self.matrix.by_class()

    @cached_property
    def classes(self) -> Mapping[Any, Mapping[str, Estimate]]:
        """The measures of every class, as returned by `of`."""
        return MappingProxyType({label: self.of(label) for label in self.matrix.labels})

    def of(self, label: Any) -> Mapping[str, Estimate]:
        """The measures of one class against the rest, each with its interval; with scores, also its AUC."""
        counts = self._counts[label] if label in self._counts else self.matrix.of(label)
        if self.clustered is not None:
            return MappingProxyType(self._of_clustered(counts, self.clustered))
        estimates = {name: counts.estimate(name, level=self.settings.level) for name in OF_ONE_CLASS}
        if self.scores is not None:
            estimates["auc"] = intervals.auc(self.scores.table(counts.labels[1]), level=self.settings.level)
        return MappingProxyType(estimates)

    def _of_clustered(self, counts: Counts, clustered: ClusteredPredictions) -> dict[str, Estimate]:
        """The measures of one class, with limits that treat clusters as independent."""
        at = self.matrix.labels.index(counts.labels[1])
        cases: Any = clustered.predictions
        decided, actual = cases.predicted >= 0, cases.codes == at
        estimates = clustered.of_counts(counts, OF_ONE_CLASS, actual & decided, cases.predicted == at)
        if cases.scores is not None:
            estimates["auc"] = clustered.auc(actual, cases.scores[:, at])
        return estimates

    def roc(self, label: Any = None) -> Any:
        """The ROC curve of one class against the rest; without a label, the curves of all classes by label.

        >>> from rocscope import evaluate
        >>> scores = [[0.8, 0.1, 0.1], [0.2, 0.7, 0.1], [0.4, 0.3, 0.3], [0.1, 0.3, 0.6]]
        >>> ev = evaluate(["a", "b", "b", "c"], scores, labels=["a", "b", "c"])
        >>> ev.roc("a").tpr.tolist(), list(ev.roc())
        ([0.0, 1.0, 1.0, 1.0, 1.0], ['a', 'b', 'c'])
        """
        if self.scores is None:
            raise RocscopeError("predicted labels have no ROC curve", hint="Give a score for each class")
        if label is not None:
            return curves.roc(self.scores.table(self.matrix.of(label).labels[1]))
        return {name: curves.roc(table) for name, table in self.tables().items()}

    def tables(self) -> dict[Any, ScoreTable]:
        """The score table of every class against the rest."""
        return {} if self.scores is None else self.scores.tables()

    @cached_property
    def auc(self) -> Estimate:
        """The mean AUC of each class against the rest ("macro") with its interval; without scores, NaN with the reason.

        >>> from rocscope import evaluate
        >>> scores = [[0.8, 0.1, 0.1], [0.5, 0.3, 0.2], [0.2, 0.7, 0.1], [0.4, 0.3, 0.3], [0.1, 0.3, 0.6]]
        >>> ev = evaluate(["a", "a", "b", "b", "c"], scores, labels=["a", "b", "c"])
        >>> print(ev.auc, ev.area("hand_till"))
        0.94 [0.37, 0.99] 0.94 [0.29, 0.99]
        """
        return self.area("auc")

    def area(self, name: str) -> Estimate:
        """A mean AUC by name, with its interval.

        "auc" or "auc_ovr" is the mean over each class against the rest, "auc_ovr_weighted" the same weighted by class
        size, "auc_ovr_micro" pools all decisions; "auc_ovo" or "hand_till" is the mean over pairs of classes (Hand and
        Till, Mach Learn 2001;45:171-186).
        """
        spelled = name.strip().lower().replace("-", "_")
        spelled = spelled if spelled in MEAN_AUCS or f"{spelled}_auc" not in MEAN_AUCS else f"{spelled}_auc"
        if spelled not in MEAN_AUCS:
            raise RocscopeError(f"there is no area '{name}' for several classes", hint=did_you_mean(spelled, MEAN_AUCS))
        return self.measure(spelled)

    def class_average(self, how: str) -> ClassAverage | None:
        """A mean AUC ("macro", "weighted", "micro", "hand-till") with the values of the averaged classes or pairs."""
        if self.scores is None:
            return None
        return self.scores.hand_till() if how == "hand-till" else self.scores.auc(how)

    @cached_property
    def neglected(self) -> tuple[str, ...]:
        """Sentences about classes that are never predicted, or whose recall interval lies below the mean of the
        others.
        """
        sentences = []
        if self.decision is not None and self.decision.undecided.any():
            many = f"{self.decision.sums.left:,} of {self.decision.sums.own.rows:,} cases"
            sentences.append(f"{many} are left undecided; the matrix and its measures refer to the others.")
        if self.absent:
            shown = ", ".join(map(str, self.absent[:6])) + (", ..." if len(self.absent) > 6 else "")
            many = f"{len(self.absent)} of {len(self.matrix)} classes"
            sentences.append(
                f"There is no case of {shown} ({many}): measures that are undefined without cases, such as recall, "
                "are left out of averages over classes; precision and F1 are 0 where such a class is predicted."
            )
        recalls = {label: one["recall"] for label, one in self.classes.items()}
        known = [one.value for one in recalls.values() if not math.isnan(one.value)]
        absent, all_of_them = set(self.absent), math.fsum(known)
        for label, recall in recalls.items():
            if label in absent:
                continue
            if not self._counts[label].value("predicted_positives"):
                sentences.append(f"{label} is never predicted.")
            elif len(known) > 1 and recall.high < (all_of_them - recall.value) / (len(known) - 1):
                rest = "the other class" if len(known) == 2 else "the others"
                sentences.append(f"{label} is found less often than {rest}: recall {recall}.")
        return tuple(sentences)

    @cached_property
    def caveats(self) -> tuple[str, ...]:
        """Sentences about what could be misleading."""
        return (*self.neglected, *verdicts.misleads(self.matrix), *self.notes)

    def _document(self) -> dict[str, Any]:
        from rocscope.evaluation.class_document import classes_document

        return classes_document(self)

    def plot(self, kind: str = "matrix", ax: Any = None, **how: Any) -> Any:
        """Draw the result with matplotlib and return the Axes.

        The kinds are "matrix", "estimates", or a curve of every class against the rest.
        """
        from rocscope import wire

        return wire("ClassEvaluation.plot")(self, kind, ax, **how)


def _costs_of_labels(matrix: Confusion, costs: CostMatrix, level: float) -> ClassDecision:
    """Predicted labels as decisions with costs."""
    if costs.reject is not None:
        raise RocscopeError(
            "cases can be left undecided only if there is a probability for each class",
            hint="Leave out the cost of undecided cases",
        )
    ordered = costs.in_order(matrix.labels)
    return ClassDecision(
        DecisionSums.of_matrix(ordered, matrix), ordered, True, MappingProxyType({}), matrix.labels, level
    )


class _ByName(dict[str, Estimate]):
    """Estimates by name; "macro_f1" is the same as "macro f1"."""

    def __missing__(self, name: str) -> Estimate:
        spelled = str(name).replace("_", " ", 1)
        if spelled not in self:
            raise KeyError(name)
        return self[spelled]


def _positive(labels: tuple[Any, ...], positive: Any) -> Any:
    """The positive of two labels by the rule of `tally.binary`.

    Returns None if it is unknown or there are not two classes.
    """
    if len(labels) == 2 and positive is not None:
        return tally.binary(list(labels), positive)[1][1]
    if positive is not None and positive not in labels:
        shown = ", ".join(map(repr, labels[:12]))
        raise RocscopeError(f"positive label {positive!r} is not among the labels, which are {shown}")
    if len(labels) != 2:
        return None
    try:
        return tally.binary(list(labels))[1][1]
    except RocscopeError:  # the positive label was not given and cannot be inferred
        return None
