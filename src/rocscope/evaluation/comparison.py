"""Comparison of several classifiers on the same cases: which one at which cost, and whether the difference is
significant.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import field, replace
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from rocscope import hull as hulls
from rocscope import intervals, significance
from rocscope.decisions import Costs
from rocscope.errors import RocscopeError
from rocscope.estimate import Estimate
from rocscope.evaluation.binary import PER, Evaluation, repeated
from rocscope.evaluation.certainty import Difference, PairedInference, certainty_of, together
from rocscope.evaluation.cost_differences import cost_covariance, cost_difference
from rocscope.evaluation.primary_measure import PrimaryMeasure, primary_measure
from rocscope.evaluation.result import Result, Sections
from rocscope.evaluation.settings import Settings
from rocscope.intervals import PairedCases, clusters_of
from rocscope.record import record

if TYPE_CHECKING:
    from rocscope.evaluation.slices.estimates import Slices

RESAMPLES = 600  # number of resamples for the share in which each model is cheapest


@record(eq=False)
class Comparison(Result):
    """A comparison of several models on the same cases.

    >>> from rocscope import compare
    >>> cmp = compare([1, 1, 0, 1, 0, 0], {"a": [6, 5, 4, 3, 2, 1], "b": [6, 4, 5, 3, 2, 1]})
    >>> cmp.differences[0].a, cmp.differences[0].b
    ('a', 'b')
    """

    evaluations: Mapping[str, Evaluation]
    mask: Any = field(repr=False)
    scores: Mapping[str, Any] = field(repr=False)
    settings: Settings = field(default_factory=Settings)
    weights: Any = field(default=None, repr=False)
    clusters: Any = field(default=None, repr=False)
    covariance: Any = field(default=None, repr=False)

    def __post_init__(self) -> None:
        among = {name: replace(evaluation, among=self) for name, evaluation in self.evaluations.items()}
        object.__setattr__(self, "evaluations", MappingProxyType(among))
        if self.settings.test is not None:
            fitting_test(self.settings.test)
        if self.settings.measure is not None:
            _ = self.primary  # raises an error early if the measure cannot be used

    @property
    def beyond(self) -> bool:
        """Whether there are more rows than fit in memory; areas are then compared by their covariance."""
        return self.mask is None

    @property
    def names(self) -> tuple[str, ...]:
        """The models in the given order."""
        return tuple(self.evaluations)

    @cached_property
    def primary(self) -> PrimaryMeasure | None:
        """The measure named to decide between models; None if costs or the AUC decide."""
        return primary_measure(self)

    # ---- recommended model ----

    def hull(self) -> hulls.Hull:
        """The hull of all models: which is cheapest at which cost ratio."""
        return self._hull

    @cached_property
    def _hull(self) -> hulls.Hull:
        return hulls.hull({name: evaluation.table for name, evaluation in self.evaluations.items()})

    def best(self, cost_ratio: Any = None, *, costs: Costs | None = None, prevalence: Any = None) -> hulls.HullPoint:
        """The cheapest model and threshold at a slope c or at the given costs (by default, those of the comparison)."""
        if cost_ratio is None and costs is None:
            costs = self.settings.costs or Costs(fp=1, fn=1)
        return self._hull.best(cost_ratio, costs=costs, prevalence=prevalence)

    @cached_property
    def break_evens(self) -> tuple[intervals.BreakEven, ...]:
        """The slopes at which the lead passes from one model to another as costs change, each with its interval.

        Each slope belongs to two neighboring corners of the hull at their thresholds (`intervals.hull_break_evens`).
        The result is empty if one model is cheapest at all costs or if the cases do not fit in memory.

        >>> from rocscope import compare
        >>> y, a, b = [1, 1, 0, 1, 1, 0, 1, 0, 0, 0], [9, 8, 7, 6, 1, 5, 0, 4, 3, 2], [5, 6, 9, 4, 7, 8, 3, 2, 1, 0]
        >>> [(one.first.model, one.second.model, one.slope.value) for one in compare(y, {"a": a, "b": b}).break_evens]
        [('a', 'b', 1.5)]
        """
        if self.beyond or not self._both_classes:
            return ()
        return intervals.hull_break_evens(
            self._hull, self.mask, lambda corner: self._flagged_at(corner.model, corner.threshold),
            weights=self.weights, clusters=self.clusters, level=self.settings.level,
        )  # fmt: skip

    @cached_property
    def recommended(self) -> str:
        """The cheapest model at the given costs; without costs, the best by the named measure or by the AUC."""
        if self.primary is not None:
            return self.primary.best
        if self.settings.costs is None:
            return max(self.names, key=lambda name: or_low(self.evaluations[name].auc.value))
        return min(self.names, key=self._least_cost)

    def _least_cost(self, name: str) -> float:
        cost = self.evaluations[name].apparent_cost
        return math.inf if cost is None or math.isnan(cost.value) else cost.value

    @cached_property
    def selection(self) -> tuple[intervals.Selection | None, str]:
        """The choice of the recommended model and its threshold, repeated in resamples, or the reason why it is not."""
        first = self.evaluations[self.recommended]
        if first.point is None or not first.point.optimistic or not self._both_classes:
            return None, ""
        if self.beyond:
            return None, "apparent: not corrected for the choice of the model (the cases are not in memory)"
        rows, groups = self.repeatable
        if self.primary is not None:  # repeats only the choice of the threshold: the model was not chosen by AUC
            rows = rows.only([self.recommended])
        return repeated(rows, first.point.chosen, self.settings, groups, first.table, first.progress)

    @property
    def repeatable(self) -> tuple[Any, Any]:
        """The cases for repeating a choice, and their clusters; None if they are not in memory."""
        return (None, None) if self.beyond else (self._rows, self._groups)

    # ---- differences and tests ----

    @cached_property
    def differences(self) -> tuple[Difference, ...]:
        """The AUC of the recommended model minus that of each other model, paired, with p-values adjusted over all
        pairs.
        """
        return self._inference("auc").against_each()

    @cached_property
    def pairs(self) -> tuple[Difference, ...]:
        """Every pair of models in the deciding quantity (cost, AUC or the named measure), with simultaneous limits.

        They are computed by the max-|T| method (see `PairedInference.pairs`). With two models, these are the limits of
        `differences`. The result is empty with a test other than DeLong's, without a covariance, and with more than
        100 models.
        """
        decides = self._decides
        return () if decides == "cost" and not self.cost_differences else self._inference(decides).pairs()

    def _inference(self, what: str) -> PairedInference:
        """Inference about the models in AUC, in cost or in the named measure."""
        how: dict[str, Any] = {"difference": self._auc_difference, "width": 1.0, "symmetric": True}
        if what == "cost":
            how = {"difference": self._saving, "width": self._largest_saving}
        elif self.primary is not None and what == self.primary.name:
            how = {"difference": self.primary.difference, "width": self.primary.width}
        return PairedInference(
            self.names, self.recommended, what, covariance=lambda: self._covariance(what), level=self.settings.level,
            seed=self.settings.seed, df=significance.degrees_of_freedom(self.sizes), **how,
        )  # fmt: skip

    def _covariance(self, what: str) -> Any:
        """Covariance of a quantity over all models on the same cases; NaN with one class or another test."""
        if not self._both_classes or (what == "auc" and self._test.name != "delong"):
            return math.nan
        if self.primary is not None and what == self.primary.name:
            return self.primary.covariance
        if what == "cost":
            assert self.settings.costs is not None
            flags = np.stack([self.flagged(name) for name in self.names])
            return cost_covariance(
                self.mask, flags, self.settings.costs, per=PER, weights=self.weights, clusters=self.clusters
            )
        return self._area_covariance

    @cached_property
    def _area_covariance(self) -> Any:
        return np.asarray(self.covariance) if self.beyond else intervals.area_covariance(self._rows, self._groups)

    @property
    def _decides(self) -> str:
        """The quantity that decides between models: cost if costs are given, else the named measure, else the AUC."""
        if self.primary is not None:
            return self.primary.name
        return "auc" if self.settings.costs is None else "cost"

    @property
    def _others(self) -> list[str]:
        return [name for name in self.names if name != self.recommended]

    @cached_property
    def cost_differences(self) -> tuple[Difference, ...]:
        """The cost of the recommended model per 1,000 cases minus that of each other model, each at its threshold.

        The result is empty without costs, with only one class, with cross-fitted thresholds, or if the rows do not fit
        in memory.
        """
        settings = self.settings
        if settings.costs is None or settings.cross_fit or self.beyond or not self._both_classes:
            return ()
        return self._inference("cost").against_each()

    @cached_property
    def together(self) -> tuple[Difference, ...]:
        """The recommended model minus each other model in the AUC and in the deciding measure.

        All p-values are adjusted together by Holm's method (with more than 100 models, by Bonferroni's), so you may
        look at several measures and report the one that turns out best.

        >>> from rocscope import compare, Costs
        >>> scores = {"a": [6, 5, 4, 3, 2, 1], "b": [6, 4, 5, 3, 2, 1]}
        >>> [one.what for one in compare([1, 1, 0, 1, 0, 0], scores, costs=Costs(fp=1, fn=5)).together]
        ['auc', 'cost']
        """
        decides = self._decides
        known = self.cost_differences if decides == "cost" else self.measure_differences
        return together([self._inference("auc"), *([self._inference(decides)] if known else [])])

    @cached_property
    def measure_differences(self) -> tuple[Difference, ...]:
        """The recommended model minus each other model in the named measure; empty if costs or the AUC decide."""
        return () if self.primary is None else self._inference(self.primary.name).against_each()

    @cached_property
    def _savings(self) -> dict[tuple[str, str], Estimate]:
        """Differences in cost that were computed before: the same pairs are tested and shown in the table of pairs."""
        return {}

    def _saving(self, a: str, b: str) -> Estimate:
        if (a, b) not in self._savings:
            self._savings[a, b] = self._cost_difference(a, b)
        return self._savings[a, b]

    def _cost_difference(self, a: str, b: str) -> Estimate:
        assert self.settings.costs is not None
        first, other = self.flagged(a), self.flagged(b)
        difference = cost_difference(
            self.mask, first, other, self.settings.costs, level=self.settings.level, per=PER, weights=self.weights,
            clusters=self.clusters,
        )  # fmt: skip
        chosen = self.selection[0]
        if chosen is None or self.primary is not None:
            return difference
        difference = replace(difference, method=f"{difference.method}, apparent")
        return chosen.wider(difference, self.names.index(a), self.names.index(b), self.settings.costs, per=PER)

    @property
    def _largest_saving(self) -> float:
        """The largest possible difference in cost between two models: one is right in every case, the other in none."""
        costs = self.settings.costs
        assert costs is not None
        return PER * float(max(abs(costs.fp - costs.tn), abs(costs.fn - costs.tp)))

    def flagged(self, name: str) -> Any:
        """The cases that a model flags at its threshold."""
        point = self.evaluations[name].point
        assert point is not None
        return self._flagged_at(name, point.threshold)

    def _flagged_at(self, name: str, threshold: float) -> Any:
        scores, higher = self.scores[name], self.evaluations[name].table.higher_is_positive
        return scores >= threshold if higher else scores <= threshold

    def _oriented(self, name: str) -> Any:
        """The scores of a model in the direction of the first model."""
        alike = self.evaluations[name].table.higher_is_positive == self._higher
        return self.scores[name] if alike else -np.asarray(self.scores[name], dtype=np.float64)

    @cached_property
    def _auc_differences(self) -> dict[tuple[str, str], Estimate]:
        """The differences computed so far: each is needed adjusted by Holm, together, and with simultaneous limits."""
        return {}

    def _auc_difference(self, a: str, b: str) -> Estimate:
        if (a, b) not in self._auc_differences:
            self._auc_differences[a, b] = self._tested_auc_difference(a, b)
        return self._auc_differences[a, b]

    def _tested_auc_difference(self, a: str, b: str) -> Estimate:
        if self.beyond and self._test:
            first, second = self.evaluations[a].table, self.evaluations[b].table
            indices = [self.names.index(a), self.names.index(b)]
            spread = self.covariance[indices][:, indices]
            return significance.delong_of_tables(first, second, spread, level=self.settings.level)
        if self._test.name == "delong":
            return significance.delong(self._rows, a, b, level=self.settings.level, clusters=self.clusters)
        estimate: Estimate = significance.run_on_scores(
            self._test, self.mask, self._oriented(a), self._oriented(b), level=self.settings.level,
            clusters=self.clusters, weights=self.weights, higher_is_positive=None if self._higher else False,
        )  # fmt: skip
        return estimate

    @property
    def _test(self) -> significance.Declared:
        """The test between models; an error gives the reason if it does not apply."""
        test = fitting_test(self.settings.test or "delong")
        if self.beyond and test.name != "delong":
            raise RocscopeError(f"test '{test.name}' needs all cases in memory", hint="Leave it out, or use delong")
        return test

    @cached_property
    def _rows(self) -> PairedCases:
        """The cases, ranked once by every model."""
        turned = {name: self._oriented(name) for name in self.names}
        ranked = PairedCases.of(self.mask, turned, higher_is_positive=self._higher, weights=self.weights)
        tables = [self.evaluations[name].table for name in ranked.names]
        counted = (len(ranked.positives), len(ranked.negatives))
        plain = self.weights is None and all((table.positives, table.negatives) == counted for table in tables)
        return ranked.knowing(tables) if plain else ranked

    @property
    def _groups(self) -> tuple[Any, int] | None:
        return None if self.clusters is None else clusters_of(self.clusters, len(self._rows))

    @property
    def sizes(self) -> tuple[float, ...]:
        """The effective number of cases of each class, or of clusters, used to estimate variances."""
        groups = None if self.beyond else self._groups
        return intervals.effective_sizes(self.evaluations[self.names[0]].table) if groups is None else (groups[1],)

    @property
    def _higher(self) -> bool:
        """Direction of the first model; scores of models with the other direction are reversed."""
        return self.evaluations[self.names[0]].table.higher_is_positive

    @cached_property
    def equivalence(self) -> tuple[Difference, ...]:
        """Whether the recommended model and each other model are practically equivalent within the given margin.

        They are compared on the deciding quantity. The p-value comes from two one-sided tests and is adjusted for the
        number of other models by Holm's method. The result is empty without a margin.
        """
        if self.settings.margin is None:
            return ()
        decides = self._decides
        deciding = self.cost_differences if decides == "cost" else self.measure_differences or self.differences
        tests = [significance.within_margin(difference.estimate, self.settings.margin) for difference in deciding]
        adjusted = significance.holm_defined(estimate.p for estimate in tests)
        return tuple(
            Difference(difference.a, difference.b, difference.what, estimate, p)
            for difference, estimate, p in zip(deciding, tests, adjusted, strict=True)
        )

    @cached_property
    def joint(self) -> Estimate | None:
        """The test that all AUCs are equal, for more than two models (DeLong's covariance, Hotelling's F)."""
        if len(self.names) < 3:
            return None
        if self.beyond:
            tables = [evaluation.table for evaluation in self.evaluations.values()]
            estimate = significance.joint_delong_of_tables(tables, np.asarray(self.covariance))
        else:
            estimate = significance.joint_delong(self._rows, self.names, clusters=self.clusters)
        return significance.with_few_cases(estimate, self.sizes)

    @cached_property
    def certainty(self) -> dict[str, Any]:
        """The certainty of the recommendation, "settled", "leaning" or "open", and the reason (`certainty_of`).

        The cost decides if costs are given, otherwise the named measure or, without one, the AUC.
        """
        decides = self._decides
        deciding = self.cost_differences if decides == "cost" else self.measure_differences or self.differences
        return certainty_of(deciding, len(self._others), decides, self._best_share(decides))

    def _best_share(self, decides: str) -> float | None:
        """The share of resamples in which the recommended model is best; None if resampling is not possible."""
        index = self.names.index(self.recommended)
        if self.primary is not None:
            share = self.primary.best_shares[index]
            return None if math.isnan(share) else share
        selection = self.selection[0]
        if selection is None and not self.beyond and self._both_classes:
            if decides == "cost":
                return self.cheapest.get(self.recommended)
            selection = intervals.after_choice(self._rows, None, clusters=self._groups, seed=self.settings.seed)
        return None if selection is None else selection.shares[index]

    @cached_property
    def cheapest(self) -> Mapping[str, float]:
        """The share of paired resamples in which each model is cheapest at the given costs (equal costs by default).

        The result is empty if the share is unknown: if there is only one class, if the rows do not fit in memory, or
        if there are weights or clusters, for which no resampling is done here.
        """
        if self.beyond or not self._both_classes or self.weights is not None or self.clusters is not None:
            return MappingProxyType({})
        costs, seed = self.settings.costs or Costs(fp=1, fn=1), self.settings.seed
        probabilities = significance.best_probability(self._rows, self.names, costs, n=RESAMPLES, seed=seed)
        return MappingProxyType(dict(probabilities.shares))

    @property
    def _both_classes(self) -> bool:
        table = self.evaluations[self.names[0]].table
        return bool(table.positives) and bool(table.negatives)

    @cached_property
    def slices(self) -> tuple[Slices, ...]:
        """For the slices by each column, the AUC of the recommended model minus that of each other model, paired."""
        first = self.evaluations[self.recommended]
        if not first.slicings:
            return ()
        from rocscope.evaluation.slices.estimates import differences_by

        return tuple(differences_by(self, slicing, self._others) for slicing in first.slicings)

    # ---- output ----

    def _document(self) -> dict[str, Any]:
        return self.sections().complete()

    def sections(self) -> Sections:
        """The results document as a mapping; each section is computed when it is first read."""
        from rocscope.evaluation.document import comparison_sections

        return comparison_sections(self)

    def _like(self) -> str:
        return self.evaluations[self.names[0]].library

    def plot(self, kind: str = "roc", ax: Any = None, **how: Any) -> Any:
        """Draw the result with matplotlib and return the Axes.

        The kinds are any curve or measure, "hull", "strip", "estimates" and "differences".
        """
        from rocscope import wire

        return wire("Comparison.plot")(self, kind, ax, **how)


def fitting_test(name: str) -> significance.Declared:
    """The declared test of that name; an error if it does not take two scores on the same cases."""
    return significance.fitting(name, [significance.TWO_SCORES], "this comparison uses scores on the same cases")


def or_low(value: float) -> float:
    """A number to rank by; NaN is last."""
    return -math.inf if math.isnan(value) else value
