"""Evaluation of one scored binary classifier: performance and its uncertainty, at a justified threshold."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import field, replace
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from rocscope import curves, decisions, intervals, measures, tally, verdicts
from rocscope import hull as hulls
from rocscope.curves import Curve
from rocscope.decisions import CaseCosts, Costs, Optima, counts_at
from rocscope.errors import RocscopeError
from rocscope.estimate import Estimate, undefined
from rocscope.evaluation.clusters import RESAMPLES, ScoredCases, cost_estimate, effect_of, estimate_of, squares_at
from rocscope.evaluation.result import Result, Sections
from rocscope.evaluation.settings import Progress, Settings
from rocscope.record import record
from rocscope.table import Counts, ScoreTable

if TYPE_CHECKING:
    from rocscope.evaluation.slices.estimates import Slices
    from rocscope.evaluation.slices.partition import Slicing

# Measures shown by default: at the threshold, then over all thresholds.
MEASURES = ("recall", "specificity", "precision", "npv", "f1", "mcc", "balanced_accuracy", "accuracy")
AREAS = ("auc", "average_precision")
LOSSES = ("brier", "log_loss")
# in addition to average precision: the exact area, and the trapezoidal one that other tools report
PR_AREAS = ("pr_area", "pr_trapezoid")
REBASED = ("average_precision", *PR_AREAS)  # areas that depend on the prevalence
PER = 1000  # costs are reported per this number of cases
BY_CASE = "cost per case"  # rule name for costs that differ from case to case
UNREPEATED = "apparent: not corrected for the choice (too few or very many cases)"
RULES = ("youden", "closest", "f1", "accuracy", "mcc")


@record(slots=True)
class Point:
    """The threshold of an evaluation, how it was chosen, and its counts.

    `chosen` is "given", "not chosen" (0.5 or a fallback) or the rule; `chosen_on` states which cases were used: a
    choice on "these cases" is `optimistic`, a choice on "other cases" or "other folds" is not; `beyond` is the next
    score, so that every threshold in between gives the same decisions; `low` and `high` are the ends of the range of
    thresholds that are not worse than the best, if resampled.
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


@record(eq=False)
class Evaluation(Result):
    """The evaluation of one classifier's scores, computed from its table on demand.

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
    cases: ScoredCases | None = None
    progress: Progress | None = None
    slicings: tuple[Slicing, ...] = ()
    library: str = ""
    among: Any = field(default=None, repr=False)
    priced: CaseCosts | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        ends = self.table.scores[[0, -1]] if len(self.table) else ()
        finite = [float(end) for end in ends if math.isfinite(end)]
        if finite and max(map(abs, finite)) >= 2**53 and not self.certified:
            whole = not tally.has_fractions(self.table.scores)
            tally.check_magnitude(self.name or "score", min(finite), max(finite), whole=whole)

    def __getstate__(self) -> dict[str, Any]:
        """Everything but the callback for progress, which a reader of the file does not have."""
        return {**self.__dict__, "progress": None}

    # ---- estimates ----

    @cached_property
    def auc(self) -> Estimate:
        """The area under the ROC curve with its interval."""
        return self.area("auc")

    def area(self, name: str) -> Estimate:
        """A statistic over all thresholds ("auc", "brier", any name in `rocscope.curves`), with its interval.

        A range or a point is stated in the name: "partial_auc fpr 0 to 0.1", "pr_area recall 0.5 to 1", "sensitivity at
        specificity 0.9", "net benefit at 0.2". For a table of cells, the limits are widened by the largest error that
        the cells can cause, which `bound` gives.
        """
        if (statistic := intervals.asked_statistic(name)) is not None:
            return self._explicit_area(statistic)
        bound = self.bound(name)
        return self._area(name) if not bound else widened(self._area(name), bound)

    def bound(self, name: str) -> float:
        """The largest error of an area when entries of the table represent several scores; 0 when it is exact."""
        named = curves.get(name).name
        if not self.certified:
            return 0.0
        if named == "auc":
            return self.table.bound
        return self._average_precision_bound if named == "average_precision" else 0.0

    @cached_property
    def _average_precision_bound(self) -> float:
        name = "average_precision"
        value, (low, high) = float(curves.get(name)(self.table)), curves.bounds(name, self.table)
        return 0.0 if math.isnan(low) else max(0.0, value - low, high - value)

    @property
    def certified(self) -> bool:
        """Whether entries of the table represent several scores, so that areas have a bound."""
        return self.table.mixed is not None and bool(self.table.mixed.any())

    def _area(self, name: str) -> Estimate:
        settings, clustered = self.settings, self._clustered
        if curves.get(name).name == "pr_trapezoid":
            return self._trapezoid()
        if clustered is not None:
            return self._clustered_area(clustered, curves.get(name).name)
        if settings.bootstrap:
            return intervals.bootstrap(
                self.table, name, n=settings.bootstrap, seed=settings.seed, level=settings.level,
                progress=self.progress,
            )  # fmt: skip
        if curves.get(name).name == "auc":
            return intervals.auc(self.table, method=settings.interval, level=settings.level, seed=settings.seed)
        table = self.table
        if self.prevalence is not None and curves.get(name).name in REBASED and not self.certified:
            table = table.rebase(self.prevalence)
        return intervals.of(table, name, level=settings.level)

    def _explicit_area(self, asked: intervals.AskedStatistic) -> Estimate:
        """Estimate a statistic whose name contains its range or point, by resampling.

        A net benefit by its closed form.
        """
        settings, clustered = self.settings, self._clustered
        if asked.needs_probabilities and not self.probabilities:
            return undefined("the scores are not probabilities", level=settings.level)
        if clustered is not None:
            n = settings.bootstrap or RESAMPLES
            how: dict[str, Any] = {"n": n, "seed": settings.seed, "level": settings.level, "progress": self.progress}
            return clustered.area(asked.statistic, **how)
        if asked.pt is not None and self.prevalence is not None:
            return intervals.net_benefit(self.table, pt=asked.pt, prevalence=self.prevalence, level=settings.level)
        if asked.closed is not None and not settings.bootstrap:
            return asked.closed(self.table, level=settings.level)
        if why := asked.statistic.why(self.table):
            return undefined(why, level=settings.level)
        n = settings.bootstrap or 2 * RESAMPLES
        return intervals.bootstrap(
            self.table, asked.statistic, n=n, seed=settings.seed, level=settings.level, method="percentile",
            progress=self.progress,
        )  # fmt: skip

    @property
    def clustered(self) -> ScoredCases | None:
        """The cases if they are clustered; otherwise None."""
        return None if self.cases is None or self.cases.clusters is None else self.cases

    @property
    def _clustered(self) -> ScoredCases | None:
        return self.clustered if self._both_classes else None

    def _clustered_area(self, cases: ScoredCases, name: str) -> Estimate:
        settings = self.settings
        if name == "auc" and not settings.bootstrap:
            return cases.auc(settings.level)
        if not settings.bootstrap and (summed := cases.summed_area(name, settings.level)) is not None:
            return summed
        n = settings.bootstrap or RESAMPLES
        return cases.area(name, n=n, seed=settings.seed, level=settings.level, progress=self.progress)

    def measure(self, name: str) -> Estimate:
        """A measure at the threshold with its interval, corrected if the threshold was chosen on these cases."""
        if self.selection is None:
            return self.apparent(name)
        estimate = self.selection.estimate(name, level=self.settings.level)
        return replace(estimate, method=f"{estimate.method}, clusters") if self._clustered else estimate

    def apparent(self, name: str) -> Estimate:
        """A measure at the threshold with its interval, not corrected for choosing on these cases."""
        if self.point is None:
            return undefined("there is no threshold, because all cases belong to one class", level=self.settings.level)
        return estimate_of(self._rebased(self.point.counts), name, level=self.settings.level, units=self._spread[0])

    @property
    def prevalence(self) -> float | None:
        """The prevalence of the costs, at which precision and similar measures are given; None for the sample's."""
        costs = self.settings.costs
        return None if costs is None or costs.prevalence is None or not self._both_classes else float(costs.prevalence)

    def _rebased(self, counts: Counts) -> Counts:
        return counts if self.prevalence is None else counts.rebase(self.prevalence)

    def design_effect(self, name: str) -> float:
        """The number of cases that count as one independent case for a measure; 1 without clusters and weights."""
        if self.point is None:
            return 1.0
        units, squares = self._spread
        return effect_of(self.point.counts, name, units=units, squares=squares)

    @cached_property
    def _spread(self) -> tuple[Any, Any]:
        """The cells of each cluster, or the squared weights of each cell, at the point.

        Returns None for independent cases.
        """
        assert self.point is not None
        if self._clustered is not None:
            return self._clustered.by_cluster(self.point.threshold), None
        return None, squares_at(self.table, self.point.threshold)

    @cached_property
    def estimates(self) -> Mapping[str, Estimate]:
        """The usual measures at the threshold, then the areas, each with its interval."""
        estimates = {name: self.measure(name) for name in MEASURES} if self.point else {}
        estimates |= {name: self.area(name) for name in AREAS if name != "auc"} | {"auc": self.auc}
        # a table on cells without stored sums has no losses
        if self.probabilities and not (self.certified and self.table.known is None):
            estimates |= {name: self.area(name) for name in LOSSES}
        return MappingProxyType(estimates)

    @cached_property
    def pr_areas(self) -> Mapping[str, Estimate]:
        """The exact area under the precision-recall curve, and the trapezoidal area, which has no interval.

        The result is empty if a class is absent or if the scores were counted in cells.
        """
        if not self._both_classes or self.certified:
            return MappingProxyType({})
        return MappingProxyType({name: self.area(name) for name in PR_AREAS})

    def _trapezoid(self) -> Estimate:
        """The PR area by linear interpolation, which is biased and therefore has no interval."""
        table = self.table if self.prevalence is None else self.table.rebase(self.prevalence)
        why = curves.get("pr_trapezoid").why(table)
        why = why or "straight lines overstate the area; shown only for comparison with other tools"
        value = float(curves.get("pr_trapezoid")(table))
        return Estimate(value, level=self.settings.level, method="trapezoids", why=why)

    @cached_property
    def calibration(self) -> Mapping[str, Estimate] | None:
        """Calibration in the large, slope, intercept, ICI, E50, E90 and ECE, each with its interval.

        None if the scores are not probabilities, a class is absent, or only cells are known.
        """
        if not self.probabilities or not self._both_classes or (self.certified and self.table.known is None):
            return None
        cases = self._clustered
        clusters = None if cases is None else (cases.rows(), *cases.groups)
        return intervals.calibration(self.table, level=self.settings.level, clusters=clusters)

    @cached_property
    def probabilities(self) -> bool:
        """Whether the scores can be probabilities of the positive class: from 0 to 1, with high scores positive."""
        ends = self.table.scores[[0, -1]]
        if self.table.known is not None:
            ends = (self.table.known.low, self.table.known.high)
        return self.table.higher_is_positive and bool(min(ends) >= 0 and max(ends) <= 1)

    def at(self, threshold: float) -> Counts:
        """The counts at a threshold."""
        table = self.table
        if not table.exact or table.weighted:
            return table.at(threshold)
        return counts_at(table, table.position(threshold))  # reuses cumulative sums computed for the curves

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
        """All optimal thresholds under a rule; costs default to those of the evaluation."""
        if costs is None and rule in (None, "cost"):
            costs = self.settings.costs
        return decisions.best(self.table, rule, costs=costs, where=where)

    # ---- operating point ----

    @cached_property
    def point(self) -> Point | None:
        """The threshold of this evaluation; None if there is none."""
        if self.settings.threshold is not None:
            return Point(self.settings.threshold, self.at(self.settings.threshold), "given", optimistic=False)
        rule = self.settings.choose or ("cost" if self.settings.costs else None)
        if rule is not None and self._both_classes:
            return self._chosen(rule)
        if self.priced is not None and self._both_classes:
            return self._cheapest_by_case(self.priced)
        if self.probabilities:
            return Point(0.5, self.at(0.5), "not chosen", optimistic=False)
        return self._chosen("youden") if self._both_classes else None

    @property
    def _both_classes(self) -> bool:
        return bool(self.table.positives) and bool(self.table.negatives)

    def _chosen(self, rule: str) -> Point:
        settings = self.settings
        costs = settings.costs if decisions.needs_costs(rule) else None
        optima = decisions.best(self.choose_on or self.table, rule, costs=costs)
        first, tied = optima[0], tuple(float(threshold) for threshold in optima.thresholds[1:6])
        counts, on = self.at(first.threshold), "these cases" if self.choose_on is None else "other cases"
        if settings.cross_fit and self.cases is not None:
            counts = self.cases.cross_fitted(rule, costs, folds=settings.cross_fit, seed=settings.seed)
            on = "other folds"
        ranged = settings.bootstrap and " where " not in rule and self.choose_on is None and self._clustered is None
        low, high = self.not_worse(rule, settings.bootstrap) if ranged else (None, None)
        # a capacity uses only the scores, not the labels, so it introduces no optimism
        chosen = on == "these cases" and decisions.capacity_of(rule) is None
        return Point(first.threshold, counts, rule, chosen, first.beyond, tied, on, low, high)

    def _cheapest_by_case(self, priced: CaseCosts) -> Point:
        """The threshold with the lowest total cost, for costs that vary between cases."""
        optima = priced.best(self.table)
        first, tied = optima[0], tuple(float(threshold) for threshold in optima.thresholds[1:6])
        counts = self.at(first.threshold)
        return Point(first.threshold, counts, optima.rule, True, first.beyond, tied, "these cases")

    def not_worse(self, rule: str, n: int) -> tuple[float | None, float | None]:
        """The lowest and highest thresholds not worse than the best under a rule, from n resamples; None if unknown."""
        settings = self.settings
        costs = settings.costs if decisions.needs_costs(rule) else None
        try:
            range_ = intervals.not_worse(
                self.table, rule, costs=costs, level=settings.level, n=n, seed=settings.seed, progress=self.progress
            )
        except RocscopeError:  # the rule does not maximize a measure
            return None, None
        return range_.low, range_.high

    @cached_property
    def selection(self) -> intervals.Selection | None:
        """The choice of the threshold (and of the model, for the recommended one), repeated in resamples.

        None if nothing was chosen on these cases or if the choice cannot be repeated; `uncorrected` gives the reason.
        """
        return self._selection[0]

    @property
    def uncorrected(self) -> str:
        """The reason why a choice on these cases is not corrected; '' if it is, or if there was none."""
        return self._selection[1]

    @property
    def alike_for_all(self) -> bool:
        """Whether the same is decided for every case, whatever its score: to flag none, or all as the least cost."""
        if self.point is None or math.isinf(self.point.threshold):
            return self.point is not None
        by_cost = self.point.optimistic and decisions.needs_costs(self.point.chosen) and not self.by_case
        return by_cost and not self.point.counts.fn + self.point.counts.tn

    @cached_property
    def _selection(self) -> tuple[intervals.Selection | None, str]:
        if self.alike_for_all:  # such a decision has no threshold whose choice could be corrected for
            return None, ""
        if self.among is not None and self.among.recommended == self.name:
            selection: tuple[intervals.Selection | None, str] = self.among.selection
            return selection
        point, settings = self.point, self.settings
        if point is None or not point.optimistic:
            return None, ""
        if self.by_case:
            found_by_case = self._priced_selection
            return (None, UNREPEATED) if found_by_case is None else (found_by_case.selection, "")
        cases, clusters = self.repeatable
        return repeated(cases, point.chosen, settings, clusters, self.table, self.progress)

    @property
    def by_case(self) -> bool:
        """Whether the threshold was chosen by case-specific costs."""
        return self.priced is not None and self.point is not None and self.point.chosen == BY_CASE

    @cached_property
    def _priced_selection(self) -> intervals.PricedSelection | None:
        assert self.priced is not None and self.point is not None
        seed = self.settings.seed
        return intervals.after_case_choice(self.priced, self.point.counts, seed=seed, progress=self.progress)

    @cached_property
    def referral(self) -> intervals.ZoneChoice | None:
        """The zone between two thresholds, whose cases are referred; None if not requested."""
        from rocscope.evaluation.referral import zone_choice

        return zone_choice(self)

    @property
    def repeatable(self) -> tuple[Any, Any]:
        """The cases for repeating a choice, as a table or rows, and their clusters or None."""
        cases = self._clustered
        return (self.table, None) if cases is None else (cases.rows(), cases.groups)

    @cached_property
    def optimism(self) -> intervals.Optimism | None:
        """The amount by which the rule's value is better on these cases than on cases not used for the choice.

        It is in the unit of the rule (for costs, the cost per 1,000 cases). It is None if the threshold is not
        optimistic or if the table does not determine it (weights, clusters, a condition, very few cases).
        """
        point, costs = self.point, self.settings.costs
        if point is None or not point.optimistic or self._clustered or " where " in point.chosen or self.by_case:
            return None
        costs = costs if decisions.needs_costs(point.chosen) else None
        try:
            measured = intervals.optimism(self.table, point.chosen, costs=costs, seed=self.settings.seed)
        except RocscopeError:
            return None
        return measured._replace(value=PER * measured.value) if costs is not None else measured

    # ---- costs ----

    @cached_property
    def cost(self) -> Estimate | None:
        """The cost per 1,000 cases at the threshold, corrected if it was chosen on these cases; None without costs."""
        if self.priced is not None and self.apparent_cost is not None:
            return per_thousand(self._case_cost())
        if self.settings.costs is None or self.selection is None:
            return self.apparent_cost
        return per_thousand(self.selection.cost(self.settings.costs, level=self.settings.level))

    @cached_property
    def apparent_cost(self) -> Estimate | None:
        """The expected cost without correction for a choice on these cases."""
        if self.priced is not None and self.point is not None:
            return per_thousand(self._apparent_case_cost())
        if self.settings.costs is None or self.point is None:
            return None
        costs, level = self.settings.costs, self.settings.level
        if self.alike_for_all and costs.prevalence is not None:
            return self._exact_cost(self.point.counts)
        return per_thousand(cost_estimate(self.point.counts, costs, level=level, units=self._spread[0]))

    def _apparent_case_cost(self) -> Estimate:
        assert self.priced is not None and self.point is not None
        return intervals.case_cost(self.priced, self.priced.flagged(self.point.threshold), level=self.settings.level)

    def _case_cost(self) -> Estimate:
        """The mean cost per case at the point, for costs that vary between cases."""
        assert self.priced is not None
        selection = self._priced_selection if self.by_case else None
        if selection is None or self.point is None:
            return self._apparent_case_cost()
        return selection.cost(self.priced, self.priced.flagged(self.point.threshold), level=self.settings.level)

    @cached_property
    def total_cost(self) -> Estimate | None:
        """The expected total cost of this many cases, with case-specific costs; otherwise None."""
        return None if self.priced is None or self.point is None else intervals.total_of(self._case_cost(), self.size)

    def cost_at(self, threshold: float) -> Estimate:
        """The expected cost per 1,000 cases at a threshold, with an interval that allows for clusters."""
        assert self.settings.costs is not None
        units = None if self._clustered is None else self._clustered.by_cluster(threshold)
        counts, level = self.at(threshold), self.settings.level
        if math.isinf(threshold) and self.settings.costs.prevalence is not None:
            return self._exact_cost(counts)
        return per_thousand(cost_estimate(counts, self.settings.costs, level=level, units=units))

    def _exact_cost(self, counts: Counts) -> Estimate:
        """The cost of flagging no case, or every case, at a stated prevalence: it does not depend on the sample."""
        assert self.settings.costs is not None
        which = "every" if counts.tp + counts.fp else "no"
        why = f"exact at this prevalence, because {which} case is flagged"
        value = float(self.settings.costs.expected(counts))
        return per_thousand(Estimate(value, level=self.settings.level, method="exact", why=why))

    # ---- baseline without a model ----

    def baseline(self, name: str) -> float:
        """The value of a measure if the same number of cases is flagged at random; for accuracy, the larger class's
        share.
        """
        if self.point is None:
            return math.nan
        if name in ("accuracy", "error_rate"):
            share = verdicts.majority_baseline(self.table).accuracy
            share = share if self.prevalence is None else max(self.prevalence, 1 - self.prevalence)
            return share if name == "accuracy" else 1 - share
        return float(at_random(self._rebased(self.point.counts)).value(name))

    # ---- slices ----

    @property
    def size(self) -> Any:
        """The number, or total weight, of all cases."""
        return self.table.positives + self.table.negatives

    @property
    def counts(self) -> Counts | None:
        """The counts at the threshold."""
        return None if self.point is None else self.point.counts

    @property
    def positive_label(self) -> Any:
        """The label of the positive class."""
        return self.table.labels[1]

    @cached_property
    def slices(self) -> tuple[Slices, ...]:
        """The slices by each column named in `by`: one entry per column, and one for each crossed pair."""
        if not self.slicings:
            return ()
        from rocscope.evaluation.slices.estimates import slices_of

        return tuple(slices_of(self, slicing) for slicing in self.slicings)

    # ---- output ----

    def _document(self) -> dict[str, Any]:
        return self.sections().complete()

    def sections(self) -> Sections:
        """The results document as a mapping; each section is computed when it is first read."""
        from rocscope.evaluation.document import evaluation_sections

        return evaluation_sections(self)

    def threshold_model(self, model: Any, *, response_method: str = "auto") -> Any:
        """A scikit-learn classifier that applies the threshold of this evaluation to the model's scores.

        `provenance` records how the threshold was chosen, on how many cases and at which costs. `response_method` names
        the scores that were evaluated if the model has several: "predict_proba" or "decision_function".
        """
        from rocscope import wire

        return wire("Evaluation.threshold_model")(self, model, response_method=response_method)

    def plot(self, kind: str = "roc", ax: Any = None, **how: Any) -> Any:
        """Draw the result with matplotlib and return the Axes.

        The kinds are "estimates", "matrix", "hull", "strip", any curve ("roc", "pr", "calibration", ...) and any
        measure.
        """
        from rocscope import wire

        return wire("Evaluation.plot")(self, kind, ax, **how)


def widened(estimate: Estimate, bound: float) -> Estimate:
    """Widen the limits of an estimate so that they hold for every order inside the cells.

    >>> print(widened(Estimate(0.8, 0.7, 0.9), 0.05))
    0.80 [0.65, 0.95]
    """
    return replace(estimate, low=max(0.0, estimate.low - bound), high=min(1.0, estimate.high + bound))


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
    known = measures.names().get(name) or curves.names().get(name)
    if known is not None:
        return known.title
    try:
        return measures.get(name).title
    except ValueError:
        return curves.get(name).title


def per_thousand(per_case: Estimate) -> Estimate:
    """A cost per case as a cost per 1,000 cases."""
    return replace(per_case, **{side: PER * getattr(per_case, side) for side in ("value", "low", "high")})


def repeated(
    cases: Any,
    rule: str | None,
    settings: Settings,
    clusters: tuple[Any, int] | None,
    table: ScoreTable,
    progress: Progress | None = None,
) -> tuple[intervals.Selection | None, str]:
    """A choice repeated in resamples, or the reason why it is not repeated."""
    if rule is not None and " where " in rule:
        return None, "apparent: not corrected, because a choice under a condition is not repeated in resamples"
    if min(float(table.positives), float(table.negatives)) > intervals.ENOUGH:
        few = "smaller than the printed digits"
        return None, f"not corrected: with more than {intervals.ENOUGH:,} cases of each class the correction is {few}"
    try:
        selection = intervals.after_choice(
            cases, rule, costs=settings.costs, threshold=settings.threshold, clusters=clusters, seed=settings.seed,
            progress=progress,
        )  # fmt: skip
    except RocscopeError as problem:
        return None, f"apparent: not corrected for the choice ({problem})"
    return selection, "" if selection is not None else "apparent: not corrected for the choice (too few cases)"
