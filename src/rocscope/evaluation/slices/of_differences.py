"""Two models in every slice: the difference of their AUCs, paired, drawn in, and tested once for all looks."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from rocscope import significance
from rocscope.estimate import Estimate, undefined
from rocscope.evaluation.slices.against_rest import FEW, members
from rocscope.evaluation.slices.estimates import NOT_TESTED, holm_over
from rocscope.evaluation.slices.partition import Slicing, Value
from rocscope.evaluation.slices.shrinkage import Pool, pooled
from rocscope.numbers import normal_quantile

if TYPE_CHECKING:
    from rocscope.evaluation.binary import Evaluation
    from rocscope.evaluation.comparison import Comparison

METHOD = "empirical Bayes"
UNPAIRED = "differences in slices need the rows in memory: each model's own slices are in its evaluation"


@dataclass(frozen=True, eq=False)
class Between:
    """One slice: the recommended model less each other, plain and drawn in; p allows for all slices and models."""

    value: Value
    evaluation: Evaluation
    few: bool
    estimates: Mapping[str, Estimate]
    shrunk: Mapping[str, Estimate]
    p_adjusted: Mapping[str, float]

    @property
    def name(self) -> str:
        """The value in words."""
        return ", ".join("(missing)" if one is None else str(one) for one in self.value)

    @property
    def cases(self) -> Any:
        """The number, or the weight, of its cases."""
        return self.evaluation.size


@dataclass(frozen=True, eq=False)
class DifferenceSlices:
    """The differences in all slices by one column; larger slices first, since a difference has no worst side."""

    by: tuple[str, ...]
    a: str
    slices: tuple[Between, ...]
    pools: Mapping[str, Pool]
    why: str = ""


def differences_by(cmp: Comparison, slicing: Slicing, others: Sequence[str]) -> DifferenceSlices:
    """The differences of AUC between the recommended model and the others, in every slice."""
    first = cmp.recommended
    if slicing.rows is None or cmp.mask is None:
        return DifferenceSlices(slicing.by, first, (), MappingProxyType({}), UNPAIRED)
    level = cmp.settings.level
    parts = [_part(cmp, slicing, value) for value in slicing.tables]
    few = [min(members(one)) < FEW for one in parts]
    found = {name: [_gap(cmp, first, name, slicing.rows[value]) for value in slicing.tables] for name in others}
    placed = {name: [_placed(one) for one in gaps] for name, gaps in found.items()}
    pools = {name: _pool(placed[name], few) for name in others}
    tested = [one.p if not small else None for gaps in found.values() for one, small in zip(gaps, few, strict=True)]
    adjusted = np.array(holm_over(tested)).reshape(len(others), len(parts))
    made = [
        Between(
            value, parts[i], few[i],
            MappingProxyType({name: _shown(found[name][i], few[i]) for name in others}),
            MappingProxyType({name: _drawn(pools[name], placed[name][i], level) for name in others}),
            MappingProxyType({name: float(adjusted[j, i]) for j, name in enumerate(others)}),
        )
        for i, value in enumerate(slicing.tables)
    ]  # fmt: skip
    ordered = tuple(sorted(made, key=lambda one: -float(one.cases)))
    return DifferenceSlices(slicing.by, first, ordered, MappingProxyType(pools))


def _part(cmp: Comparison, slicing: Slicing, value: Value) -> Evaluation:
    first, cases = cmp.evaluations[cmp.recommended], None
    if first.cases is not None and first.cases.clusters is not None and slicing.rows is not None:
        cases = first.cases.only(slicing.rows[value])
    return type(first)(slicing.tables[value], cmp.settings, cases=cases)


def _gap(cmp: Comparison, a: str, b: str, rows: Any) -> Estimate:
    """DeLong's paired test on the rows of a slice; NaN where a class is absent."""
    weights, clusters = (None if one is None else np.asarray(one)[rows] for one in (cmp.weights, cmp.clusters))
    higher = cmp.evaluations[a].table.higher_is_positive
    mask = cmp.mask[rows]
    if not 0 < int(np.count_nonzero(mask)) < len(mask):
        return undefined("one class only", level=cmp.settings.level, method="delong")
    return significance.delong(
        mask, cmp.scores[a][rows], cmp.scores[b][rows], level=cmp.settings.level, higher_is_positive=higher,
        weights=weights, clusters=clusters,
    )  # fmt: skip


def _shown(gap: Estimate, few: bool) -> Estimate:
    """Of few cases the difference is shown with its interval, and no test."""
    if not few or math.isnan(gap.value):
        return gap
    return Estimate(gap.value, gap.low, gap.high, gap.level, gap.method, NOT_TESTED)


def _placed(gap: Estimate) -> tuple[float, float] | None:
    """The difference and the variance that its interval stands for; None without an interval or of width 0."""
    spread = (gap.half_width / normal_quantile(gap.level)) ** 2
    return (gap.value, spread) if spread > 0 else None


def _pool(placed: Sequence[tuple[float, float] | None], few: Sequence[bool]) -> Pool:
    known = [one for one, small in zip(placed, few, strict=True) if one is not None and not small]
    return pooled([y for y, _ in known], [v for _, v in known])


def _drawn(pool: Pool, placed: tuple[float, float] | None, level: float) -> Estimate:
    if pool.why or placed is None:
        return undefined(pool.why or "no value to draw in", level=level)
    value, se = pool.drawn(*placed)
    half = normal_quantile(level) * se
    return Estimate(value, max(-1.0, value - half), min(1.0, value + half), level, METHOD, se=se)
