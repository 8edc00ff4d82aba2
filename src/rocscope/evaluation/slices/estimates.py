"""Honest slices: each with its interval, drawn towards the others, and its gap to the rest tested for all looks."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from rocscope import estimate, significance
from rocscope.estimate import Estimate, undefined
from rocscope.evaluation.slices.against_rest import FEW, SHARES, Rests, members, of_cells, worth
from rocscope.evaluation.slices.partition import Slicing, Value
from rocscope.evaluation.slices.shrinkage import Pool, back, of_area, of_share, pooled
from rocscope.intervals import effective_sizes
from rocscope.table import Counts, ScoreTable

if TYPE_CHECKING:
    from rocscope.evaluation.binary import Evaluation
    from rocscope.evaluation.classes import ClassEvaluation

OBSERVED = "observed_less_expected"
NOT_TESTED = f"fewer than {FEW} positives or negatives: not tested"


@dataclass(frozen=True, eq=False)
class Slice:
    """The cases with one value: `evaluation` at the threshold of all, what it is worth drawn in, its gaps to the rest.

    `value` has an entry for each column, None where it is missing; `few` marks fewer than 10 of a class: shown, not
    tested. `gaps` are slice less rest; `p_adjusted` allows for all slices that were looked at (Holm).
    """

    by: tuple[str, ...]
    value: Value
    evaluation: Evaluation | ClassEvaluation
    few: bool
    estimates: Mapping[str, Estimate]
    shrunk: Mapping[str, Estimate]
    gaps: Mapping[str, Estimate]
    p_adjusted: Mapping[str, float]
    left_out: int | None = None

    @property
    def name(self) -> str:
        """The value in words."""
        return ", ".join("(missing)" if one is None else str(one) for one in self.value)

    @property
    def cases(self) -> Any:
        """The number, or the weight, of its cases."""
        return self.evaluation.size


@dataclass(frozen=True, eq=False)
class Slices:
    """All slices by one column, or by two crossed; the lowest first by the AUC drawn in, never by the raw one.

    >>> from rocscope import evaluate
    >>> y, p, site = [1, 0] * 40, [0.8, 0.3, 0.6, 0.7, 0.8, 0.3, 0.8, 0.3] * 10, ["a"] * 4 + ["b"] * 4
    >>> found = evaluate(y, p, by={"site": site * 10}).slices[0]
    >>> [(one.name, one.estimates["auc"].value, round(one.shrunk["auc"].value, 2)) for one in found]
    [('a', 0.75, 0.76), ('b', 1.0, 0.95)]
    """

    by: tuple[str, ...]
    slices: tuple[Slice, ...]
    pools: Mapping[str, Pool]
    measure: str = "auc"

    def __len__(self) -> int:
        return len(self.slices)

    def __iter__(self) -> Iterator[Slice]:
        return iter(self.slices)

    def __getitem__(self, value: Any) -> Slice:
        """The slice with a value, or with a tuple of values where columns are crossed."""
        wanted = value if isinstance(value, tuple) else (value,)
        for one in self.slices:
            if one.value == wanted:
                return one
        raise KeyError(value)

    def worst(self, n: int = 20) -> tuple[Slice, ...]:
        """The lowest so many, drawn in."""
        return self.slices[:n]

    @cached_property
    def missing(self) -> float:
        """The share of cases whose value is missing."""
        absent = [one.cases for one in self.slices if any(part is None for part in one.value)]
        total = sum(one.cases for one in self.slices)
        return float(sum(absent) / total) if total else math.nan


def slices_of(ev: Evaluation, slicing: Slicing) -> Slices:
    """The slices of an evaluation: plain, drawn in, and against the rest."""
    threshold = None if ev.point is None else ev.point.threshold
    alone = replace(ev.settings, threshold=threshold, choose=None, cross_fit=0, bootstrap=0)
    parts = [_part(ev, alone, slicing, value) for value in slicing.tables]
    rests = Rests(ev, parts, slicing)
    tested = [one for one in parts if not one.few]
    pools, shrunk = {}, [dict[str, Estimate]() for _ in parts]
    for name in ("auc", *SHARES):
        placed = {id(one): one.placed(name) for one in parts}
        known = [found for one in tested if (found := placed[id(one)]) is not None]
        pools[name] = pool = pooled([y for y, _ in known], [v for _, v in known])
        for one, drawn in zip(parts, shrunk, strict=True):
            drawn[name] = _drawn(pool, placed[id(one)], ev.settings.level)
    gaps = {name: _gaps(name, parts, rests) for name in ("auc", *SHARES)}
    adjusted = {name: _adjusted(found) for name, found in gaps.items()}
    made = [
        Slice(
            slicing.by, one.value, one.evaluation, one.few, MappingProxyType(one.estimates), MappingProxyType(drawn),
            MappingProxyType({name: gaps[name][place] for name in gaps}),
            MappingProxyType({name: adjusted[name][place] for name in adjusted}),
            None if slicing.left_out is None else slicing.left_out.get(one.value, 0),
        )
        for place, (one, drawn) in enumerate(zip(parts, shrunk, strict=True))
    ]  # fmt: skip
    return Slices(slicing.by, tuple(sorted(made, key=worst_first)), MappingProxyType(pools))


def worst_first(one: Slice, measure: str = "auc") -> tuple[bool, float, float]:
    """Where a slice stands: by its measure drawn in, larger slices first where that is the same."""
    drawn = one.shrunk[measure].value
    return math.isnan(drawn), -1.0 if math.isnan(drawn) else round(drawn, 12), -float(one.cases)


# ---- one slice ----


@dataclass(frozen=True, eq=False)
class Part:
    """A slice before it is seen beside the others."""

    value: Value
    evaluation: Evaluation
    few: bool

    @cached_property
    def estimates(self) -> dict[str, Estimate]:
        """The plain estimates with their intervals."""
        found = {"auc": self.evaluation.auc}
        found |= {name: self.evaluation.measure(name) for name in SHARES}
        if self.evaluation.probabilities:
            found[OBSERVED] = observed_less_expected(self.evaluation)
        return found

    def placed(self, name: str) -> tuple[float, float] | None:
        """The value on the logit scale and its variance; None where there is none."""
        if name == "auc":
            return of_area(self.estimates["auc"], worth(self.evaluation))
        hits, cases = self.share(name)
        return None if not cases > 0 else of_share(hits, cases)

    def share(self, name: str) -> tuple[float, float]:
        """The hits and cases behind a share, as many as the weights or clusters are worth."""
        point = self.evaluation.point
        if point is None:
            return 0.0, 0.0
        hits, cases = of_cells(name, point.counts)
        return hits / (effect := self.evaluation.design_effect(name)), cases / effect


def _part(ev: Evaluation, settings: Any, slicing: Slicing, value: Value) -> Part:
    table, cases = slicing.tables[value], None
    if ev.cases is not None and ev.cases.clusters is not None and slicing.rows is not None:
        cases = ev.cases.only(slicing.rows[value])
    name = ", ".join("(missing)" if one is None else str(one) for one in value)
    alone = type(ev)(table, settings, name, cases=cases)
    return Part(value, alone, few=min(members(alone)) < FEW)


def observed_less_expected(ev: Evaluation) -> Estimate:
    """The share of positives less the mean probability: above 0 the scores are too low here (calibration in the large).

    Limits are Wilson's of the share, less the mean, which is known; of cells, to half their width.
    """
    import numpy as np

    table, level = ev.table, ev.settings.level
    total = float(table.positives + table.negatives)
    weight = np.asarray(table.pos, dtype=np.float64) + np.asarray(table.neg, dtype=np.float64)
    scores, ends = (np.asarray(one, dtype=np.float64) for one in (table.scores, cell_ends(table)))
    mean, half = float(weight @ (scores + ends)) / 2 / total, float(weight @ (ends - scores)) / 2 / total
    whole = Counts(tp=table.positives, fp=0, fn=0, tn=table.negatives)
    share = whole.estimate("prevalence", level=level)
    if table.weighted:
        cases = sum(effective_sizes(table))
        share = estimate.proportion(share.value * cases, cases, level=level)
    limits = (share.value - mean, share.low - mean - half, share.high - mean + half)
    return Estimate(*limits, level, "wilson, less the mean score")


def cell_ends(table: ScoreTable) -> Any:
    """How far each entry reaches, 1 at most; the score itself where it is one score."""
    import numpy as np

    if table.mixed is None or table.ends is None:
        return table.scores
    return np.where(table.mixed, np.minimum(table.ends, 1.0), table.scores)


# ---- drawn in, and against the rest ----


def _drawn(pool: Pool, placed: tuple[float, float] | None, level: float) -> Estimate:
    if placed is None:
        return undefined("no value to draw in", level=level)
    if pool.why:
        return undefined(pool.why, level=level)
    return back(*pool.drawn(*placed), level)


def _gaps(name: str, parts: Sequence[Part], rests: Rests) -> list[Estimate]:
    return [rests.gap(name, place) if not one.few else _untested(one, NOT_TESTED) for place, one in enumerate(parts)]


def _untested(part: Part, why: str) -> Estimate:
    return undefined(why, level=part.evaluation.settings.level)


def _adjusted(gaps: Sequence[Estimate]) -> list[float]:
    """Holm's p over the slices that were tested; two slices are one comparison, seen from both sides."""
    return holm_over([one.p for one in gaps], once=len(gaps) == 2)


def holm_over(ps: Iterable[float | None], *, once: bool = False) -> list[float]:
    """Holm's p-values in place, NaN where there is no test."""
    given = list(ps)
    known = [p for p in given if p is not None]
    adjusted = iter(known if once or not known else significance.holm(known))
    return [math.nan if p is None else next(adjusted) for p in given]
