"""Evaluation: one scored binary classifier, how good and how sure, at a threshold somebody can stand for."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from types import MappingProxyType
from typing import Any

from rocscope import curves, decisions, intervals, measures, words
from rocscope import hull as hulls
from rocscope.curves import Curve
from rocscope.decisions import Costs, Optima
from rocscope.errors import RocscopeError
from rocscope.estimate import Estimate, undefined
from rocscope.evaluation.cases import RESAMPLES, Cases, Progress, estimate_of, squares_at
from rocscope.evaluation.settings import Settings
from rocscope.table import Counts, ScoreTable

# At the threshold, then over all thresholds: what is shown when nobody asks for more.
MEASURES = ("recall", "specificity", "precision", "npv", "f1", "mcc", "balanced_accuracy", "accuracy")
AREAS = ("auc", "average_precision")
LOSSES = ("brier", "log_loss")
PER = 1000  # costs are told per so many cases
RULES = ("youden", "closest", "f1", "accuracy", "mcc")


@dataclass(frozen=True, slots=True)
class Point:
    """The threshold an evaluation speaks of, who chose it, and what it does to the cases.

    `chosen` is "given", "not chosen" (0.5, or nothing better) or the rule; `chosen_on` says on which cases: "these
    cases" is `optimistic`, "other cases" and "other folds" are not; `beyond` is the next score, so that every threshold
    between decides the same; `low` and `high` are the ends of the thresholds not worse than the best, where resampled.
    """

    threshold: float
    counts: Counts
    chosen: str
    optimistic: bool
    beyond: float | None = None
    tied: tuple[float, ...] = ()
    chosen_on: str = ""
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, eq=False)
class Evaluation:
    """Everything about one classifier's scores, read off its table when asked.

    >>> from rocscope import evaluate
    >>> ev = evaluate([1, 1, 0, 1, 0, 0], [0.9, 0.8, 0.7, 0.6, 0.4, 0.3])
    >>> print(ev.auc)
    0.89 [0.39, 0.99]
    >>> ev.at(0.5)
    Counts(tp=3, fp=1, fn=0, tn=2)
    """

    table: ScoreTable
    settings: Settings = field(default_factory=Settings)
    name: str = ""
    source: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))
    left_out: Mapping[str, int] = field(default_factory=lambda: MappingProxyType({}))
    choose_on: ScoreTable | None = None
    notes: tuple[str, ...] = ()
    cases: Cases | None = None
    progress: Progress | None = None

    # ---- the numbers ----

    @cached_property
    def auc(self) -> Estimate:
        """The area under the ROC curve with its interval."""
        return self.area("auc")

    def area(self, name: str) -> Estimate:
        """A statistic over all thresholds ("auc", "average_precision", "brier", any of `rocscope.curves`)."""
        settings = self.settings
        if self._clustered:
            return self._clustered_area(curves.get(name).name)
        if settings.bootstrap:
            return intervals.bootstrap(
                self.table, name, n=settings.bootstrap, seed=settings.seed, level=settings.level,
                progress=self.progress,
            )  # fmt: skip
        if curves.get(name).name == "auc":
            return intervals.auc(self.table, method=settings.interval, level=settings.level, seed=settings.seed)
        return intervals.of(self.table, name, level=settings.level)

    @property
    def _clustered(self) -> bool:
        return self.cases is not None and self.cases.clusters is not None and self._both_classes

    def _clustered_area(self, name: str) -> Estimate:
        assert self.cases is not None
        settings = self.settings
        if name == "auc" and not settings.bootstrap:
            return self.cases.auc(settings.level)
        n = settings.bootstrap or RESAMPLES
        return self.cases.area(name, n=n, seed=settings.seed, level=settings.level, progress=self.progress)

    def measure(self, name: str) -> Estimate:
        """A measure at the point with its interval."""
        if self.point is None:
            return undefined("no threshold: one class only", level=self.settings.level)
        units, squares = self._spread
        return estimate_of(self.point.counts, name, level=self.settings.level, units=units, squares=squares)

    @cached_property
    def _spread(self) -> tuple[Any, Any]:
        """The cells of each cluster, or the squared weights of each cell, at the point; None where cases are alone."""
        assert self.point is not None
        threshold = self.point.threshold
        if self._clustered and self.cases is not None:
            return self.cases.by_cluster(threshold), None
        return None, squares_at(self.table, threshold)

    @cached_property
    def estimates(self) -> Mapping[str, Estimate]:
        """The usual measures at the point, then the areas, each with its interval."""
        found = {name: self.measure(name) for name in MEASURES} if self.point else {}
        found |= {name: self.area(name) for name in AREAS if name != "auc"} | {"auc": self.auc}
        if self.probabilities:
            found |= {name: self.area(name) for name in LOSSES}
        return MappingProxyType(found)

    @cached_property
    def probabilities(self) -> bool:
        """Whether the scores can be probabilities of the positive class: from 0 to 1, and high means positive."""
        ends = self.table.scores[[0, -1]]
        return self.table.higher_is_positive and bool(min(ends) >= 0 and max(ends) <= 1)

    def at(self, threshold: float) -> Counts:
        """The counts at a threshold."""
        return self.table.at(threshold)

    def roc(self) -> Curve:
        """The ROC curve."""
        return curves.roc(self.table)

    def pr(self) -> Curve:
        """The precision-recall curve."""
        return curves.pr(self.table)

    def hull(self) -> hulls.Hull:
        """The convex hull of the ROC curve."""
        return hulls.hull(self.table)

    def best(self, rule: str | None = None, *, costs: Costs | None = None, where: str | None = None) -> Optima:
        """Every threshold that is best by a rule; costs default to those of the evaluation."""
        if costs is None and rule in (None, "cost"):
            costs = self.settings.costs
        return decisions.best(self.table, rule, costs=costs, where=where)

    # ---- the point ----

    @cached_property
    def point(self) -> Point | None:
        """The threshold this evaluation speaks of; None when there is none to speak of."""
        if self.settings.threshold is not None:
            return Point(self.settings.threshold, self.at(self.settings.threshold), "given", optimistic=False)
        rule = self.settings.choose or ("cost" if self.settings.costs else None)
        if rule is not None and self._both_classes:
            return self._chosen(rule)
        if self.probabilities:
            return Point(0.5, self.at(0.5), "not chosen", optimistic=False)
        return self._chosen("youden") if self._both_classes else None

    @property
    def _both_classes(self) -> bool:
        return bool(self.table.positives) and bool(self.table.negatives)

    def _chosen(self, rule: str) -> Point:
        settings = self.settings
        costs = settings.costs if rule == "cost" else None
        optima = decisions.best(self.choose_on or self.table, rule, costs=costs)
        first, tied = optima[0], tuple(float(one) for one in optima.thresholds[1:6])
        counts, on = self.at(first.threshold), "these cases" if self.choose_on is None else "other cases"
        if settings.cross_fit and self.cases is not None:
            counts = self.cases.cross_fitted(rule, costs, folds=settings.cross_fit, seed=settings.seed)
            on = "other folds"
        low, high = self._not_worse(rule, costs)
        return Point(first.threshold, counts, rule, on == "these cases", first.beyond, tied, on, low, high)

    def _not_worse(self, rule: str, costs: Costs | None) -> tuple[float | None, float | None]:
        """The ends of the thresholds not worse than the best, when resampling is asked for and the rule allows it."""
        if not self.settings.bootstrap or " where " in rule or self.choose_on is not None or self._clustered:
            return None, None
        settings = self.settings
        try:
            found = intervals.not_worse(
                self.table, rule, costs=costs, level=settings.level, n=settings.bootstrap, seed=settings.seed,
                progress=self.progress,
            )  # fmt: skip
        except RocscopeError:  # a rule that is not a measure to be made large
            return None, None
        return found.low, found.high

    # ---- costs ----

    @cached_property
    def cost(self) -> Estimate | None:
        """The expected cost per 1,000 cases at the point, with its interval; None without costs."""
        if self.settings.costs is None or self.point is None:
            return None
        return self.cost_of(self.point.counts)

    def cost_of(self, counts: Counts) -> Estimate:
        """The expected cost per 1,000 cases of any counts, with its interval."""
        assert self.settings.costs is not None
        per_case = intervals.expected_cost(counts, self.settings.costs, level=self.settings.level)
        return replace(per_case, **{side: PER * getattr(per_case, side) for side in ("value", "low", "high")})

    # ---- beside what it costs to do nothing ----

    def baseline(self, name: str) -> float:
        """A measure when as many cases are flagged at random; accuracy: when the larger class is always predicted."""
        if self.point is None:
            return math.nan
        if name in ("accuracy", "error_rate"):
            share = words.majority_baseline(self.table).accuracy
            return share if name == "accuracy" else 1 - share
        return float(at_random(self.point.counts).value(name))

    # ---- leaving the house ----

    def to_dict(self) -> dict[str, Any]:
        """The document (schema rocscope/1): everything that text, Markdown, CSV and the report show."""
        from rocscope.evaluation.document import evaluation_document

        return evaluation_document(self)

    def __str__(self) -> str:
        from rocscope import wire

        return str(wire("Evaluation.__str__")(self.to_dict()))

    def save(self, path: str, *, force: bool = False) -> None:
        """Write the evaluation to a file; its ending says the format (.json, .md, .csv, .txt)."""
        from rocscope import wire

        wire("Evaluation.save")(self.to_dict(), path, force=force)


def at_random(counts: Counts) -> Counts:
    """The counts expected when the same number of cases is flagged at random.

    >>> at_random(Counts(tp=7, fp=7, fn=3, tn=13)).precision
    0.3333333333333333
    """
    from fractions import Fraction

    exact = all(isinstance(cell, int) for cell in counts.cells.values())
    tp, fp, fn, tn = (Fraction(cell) if exact else float(cell) for cell in counts.cells.values())
    total = tp + fp + fn + tn
    if not total:
        return counts
    rows, columns = (tp + fn, fp + tn), (tp + fp, fn + tn)
    cells = (rows[0] * columns[0], rows[1] * columns[0], rows[0] * columns[1], rows[1] * columns[1])
    return Counts.of([cell / total for cell in cells], labels=counts.labels)


def shown_title(name: str) -> str:
    """The title of a measure or statistic."""
    try:
        return measures.get(name).title
    except ValueError:
        return curves.get(name).title
