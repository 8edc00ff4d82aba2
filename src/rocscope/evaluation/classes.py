"""ClassEvaluation: several classes, from hard labels or from a probability matrix."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType
from typing import Any

from rocscope import estimate, intervals, tally, verdicts
from rocscope.errors import RocscopeError, did_you_mean
from rocscope.estimate import Estimate, undefined
from rocscope.evaluation.result import Result
from rocscope.evaluation.settings import Settings
from rocscope.evaluation.slices.estimates import Slices, class_slices_of
from rocscope.evaluation.slices.partition import Slicing
from rocscope.measures import get
from rocscope.multiclass import ClassAverage, ClassScores
from rocscope.numbers import plain
from rocscope.table import Confusion, Counts, ScoreTable

OF_ONE_CLASS = ("precision", "recall", "f1")
OF_ALL = ("accuracy", "balanced_accuracy", "kappa", "mcc")
AVERAGED = ("precision", "recall", "f1")
# names of a mean AUC -> how `intervals.mean_auc` calls it
MEAN_AUCS = {
    "auc": "macro", "auc_ovr": "macro", "macro": "macro", "auc_ovr_weighted": "weighted", "weighted": "weighted",
    "auc_ovr_micro": "micro", "micro": "micro", "auc_ovo": "hand-till", "hand_till": "hand-till",
}  # fmt: skip


@dataclass(frozen=True, eq=False)
class ClassEvaluation(Result):
    """A classifier of k classes: the matrix, every class against the rest, averages, and AUCs where it has scores.

    >>> from rocscope import evaluate
    >>> ev = evaluate(["cat", "dog", "cat", "rat"], predicted=["cat", "dog", "dog", "rat"])
    >>> print(ev.estimates["accuracy"])
    0.75 [0.30, 0.95]
    """

    matrix: Confusion
    settings: Settings = field(default_factory=Settings)
    scores: ClassScores | None = None
    name: str = ""
    source: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))
    left_out: Mapping[str, int] = field(default_factory=lambda: MappingProxyType({}))
    notes: tuple[str, ...] = ()
    slicings: tuple[Slicing, ...] = ()
    library: str = ""
    positive: Any = None

    def __post_init__(self) -> None:
        _positive(self.matrix.labels, self.positive)  # refuses a label that is not there

    @property
    def positive_label(self) -> Any:
        """The positive one of two classes, as it was said or as {0, 1} and the like say themselves; None unless known.

        >>> from rocscope import evaluate
        >>> y, guess = ["bad", "good", "bad"], ["bad", "good", "good"]
        >>> evaluate(y, predicted=guess).positive_label, evaluate(y, predicted=guess, positive="bad").positive_label
        (None, 'bad')
        """
        return _positive(self.matrix.labels, self.positive)

    @property
    def counts(self) -> Counts | None:
        """The positive class against the other one; None where it is not known which is positive."""
        label = self.positive_label
        return None if label is None else self.matrix.of(label)

    @property
    def size(self) -> Any:
        """The number, or the weight, of all cases."""
        return plain(self.matrix.matrix.sum())

    @cached_property
    def slices(self) -> tuple[Slices, ...]:
        """The slices by each column that was named in `by`, described by their accuracy."""
        return tuple(class_slices_of(self, slicing) for slicing in self.slicings)

    @cached_property
    def estimates(self) -> Mapping[str, Estimate]:
        """Measures of the whole matrix and averages over classes ("macro f1"), each with its interval."""
        level = self.settings.level
        found = {name: estimate.of_matrix(get(name), self.matrix, level=level) for name in OF_ALL}
        for how in ("macro", "weighted"):
            for name in AVERAGED:
                found[f"{how} {name}"] = estimate.of_matrix(get(name), self.matrix, average=how, level=level)
        return MappingProxyType(found)

    def of(self, label: Any) -> Mapping[str, Estimate]:
        """The measures of one class against the rest, each with its interval; its AUC too where there are scores."""
        counts = self.matrix.of(label)
        found = {name: counts.estimate(name, level=self.settings.level) for name in OF_ONE_CLASS}
        if self.scores is not None:
            found["auc"] = intervals.auc(self.scores.table(label), level=self.settings.level)
        return MappingProxyType(found)

    def tables(self) -> dict[Any, ScoreTable]:
        """The score table of every class against the rest."""
        return {} if self.scores is None else self.scores.tables()

    @cached_property
    def auc(self) -> Estimate:
        """The mean AUC of each class against the rest ("macro") with its interval; NaN with the reason without scores.

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
        if spelled not in MEAN_AUCS:
            raise RocscopeError(f"no area '{name}' of several classes", hint=did_you_mean(spelled, MEAN_AUCS))
        if self.scores is None:
            return undefined("predicted labels have no ranking, and so no AUC", level=self.settings.level)
        return intervals.mean_auc(self.scores, MEAN_AUCS[spelled], level=self.settings.level)

    def class_average(self, how: str) -> ClassAverage | None:
        """A mean AUC ("macro", "weighted", "micro", "hand-till") with the value of each class or pair behind it."""
        if self.scores is None:
            return None
        return self.scores.hand_till() if how == "hand-till" else self.scores.auc(how)

    @cached_property
    def neglected(self) -> tuple[str, ...]:
        """Sentences on classes never predicted, or whose recall interval lies below the mean of the others."""
        found = []
        recalls = {label: self.of(label)["recall"] for label in self.matrix.labels}
        for label, recall in recalls.items():
            others = [one.value for name, one in recalls.items() if name != label and not math.isnan(one.value)]
            if not self.matrix.of(label).value("predicted_positives"):
                found.append(f"{label} is never predicted.")
            elif others and recall.high < sum(others) / len(others):
                found.append(f"{label} is found less often than the others: recall {recall}.")
        return tuple(found)

    @cached_property
    def caveats(self) -> tuple[str, ...]:
        """What could mislead here."""
        return (*self.neglected, *verdicts.misleads(self.matrix), *self.notes)

    def _document(self) -> dict[str, Any]:
        from rocscope.evaluation.document import classes_document

        return classes_document(self)

    def plot(self, kind: str = "matrix", ax: Any = None, **how: Any) -> Any:
        """Draw it with matplotlib and return the Axes.

        Kinds: "matrix", "estimates", or a curve of every class against the rest.
        """
        from rocscope import wire

        return wire("ClassEvaluation.plot")(self, kind, ax, **how)


def _positive(labels: tuple[Any, ...], said: Any) -> Any:
    """The positive label of two by the one rule of `tally.binary`; None where it is unknown or classes are not two."""
    if len(labels) == 2 and said is not None:
        return tally.binary(list(labels), said)[1][1]
    if said is not None and said not in labels:
        shown = ", ".join(map(repr, labels[:12]))
        raise RocscopeError(f"positive label {said!r} is not among the labels, which are {shown}")
    if len(labels) != 2:
        return None
    try:
        return tally.binary(list(labels))[1][1]
    except RocscopeError:  # nobody said which, and the labels do not say it themselves
        return None
