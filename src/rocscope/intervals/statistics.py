"""Statistics of a table for the bootstrap, computed over whole blocks of replicates where possible."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from rocscope import curves, measures
from rocscope.curves import LOGS, SQUARES, Kernel, Loss, Reading
from rocscope.errors import RocscopeError
from rocscope.formula import divide
from rocscope.intervals import influence
from rocscope.intervals.influence import Linear
from rocscope.intervals.resamples import Layout, cut_at, every, negative_runs, runs
from rocscope.numbers import floats
from rocscope.record import record
from rocscope.table import ScoreRun, ScoreTable

Array = NDArray[Any]
Values = Callable[[Array, Array], Array]


class Ranged(Protocol):
    """The properties of a statistic that resampling uses: its name, its range, and a closed form to suggest instead."""

    @property
    def name(self) -> str: ...
    @property
    def low(self) -> float: ...
    @property
    def high(self) -> float: ...
    @property
    def instead(self) -> str: ...


@record(slots=True)
class ValueRange:
    """A resampled quantity, described by its name and range alone."""

    name: str
    low: float
    high: float
    instead: str = ""


@record(slots=True)
class Statistic:
    """A number computed from a table, and how to compute it for many tables at once.

    `value` computes it for one table, `why` gives the reason if it has none; `prepare` takes the table whose cases are
    resampled and returns a function of counts (replicates x cells, cells by `layout`). `slopes` is its derivative if
    that is known, `rank_only` states whether it depends only on the order of the scores, `instead` is the closed form
    to suggest, and `in_blocks` states whether blocks are computed by our own code, which several threads may run at
    once.
    """

    name: str
    low: float
    high: float
    value: Callable[[ScoreTable], float]
    why: Callable[[ScoreTable], str]
    layout: Layout
    prepare: Callable[[ScoreTable], Values]
    slopes: Linear | None = None
    rank_only: bool = False
    instead: str = ""
    in_blocks: bool = True


StatisticSpec = str | Callable[[ScoreTable], Any] | Statistic


def statistic_of(statistic: StatisticSpec, **options: Any) -> Statistic:
    """The statistic with this name (for a measure, give `threshold=`), or the one that a function of a table defines.

    >>> statistic_of("roc_auc").name, statistic_of("recall", threshold=0.5).name
    ('auc', 'recall at 0.5')
    >>> statistic_of("sensitivity_at", specificity=0.9).name
    'sensitivity_at specificity 0.9'
    """
    if isinstance(statistic, Statistic):
        return statistic
    if callable(statistic):
        return _of_function(statistic, options)
    if not isinstance(statistic, str):
        raise RocscopeError(f"statistic must be a name or a function of a table, not {statistic!r}")
    named = curves.names().get(statistic)
    if "threshold" in options and (named is None or "threshold" not in named.options):
        return _of_measure(statistic, **options)
    if statistic in RATES:
        return _of_rate(statistic, **options)
    try:
        reading = curves.get(statistic)
    except RocscopeError as unknown:
        return _needs_threshold(statistic, unknown)
    if reading.kind != "statistic":
        raise RocscopeError(f"{reading.name} is a curve, not a number", hint="Name an area or a measure")
    return _of_reading(reading, options)


def _needs_threshold(name: str, unknown: RocscopeError) -> Statistic:
    try:
        measure = measures.get(name)
    except RocscopeError:
        raise unknown from None
    raise RocscopeError(f"{measure.name} needs a threshold", hint="Give, for example, threshold=0.5")


def _of_reading(reading: Reading, options: Mapping[str, Any]) -> Statistic:
    name, plain = reading.name, not reading.checked(options)
    # registered kernels apply only to the statistic without options
    kernel = reading.kernel if plain else None

    def value(t: ScoreTable) -> float:
        return float(reading(t, **options))

    return Statistic(
        name,
        reading.low,
        reading.high,
        value,
        lambda t: reading.why(t, **options),
        kernel.layout if kernel else every,
        kernel.prepare if kernel else looped(value),
        reading.influence if plain else None,
        reading.rank_only,
        f"intervals.of(t, '{name}')" if plain and reading.interval else "",
        in_blocks=kernel is not None,
    )


def _of_measure(name: str, *, threshold: float) -> Statistic:
    measure = measures.get(name)

    def values(pos: Array, neg: Array) -> Array:
        cells = {"tp": pos[:, 0], "fp": neg[:, 0], "fn": pos[:, 1:].sum(1), "tn": neg[:, 1:].sum(1)}
        return np.asarray(measure.value({cell: floats(count) for cell, count in cells.items()}))

    return Statistic(
        f"{measure.name} at {threshold:g}",
        measure.low,
        measure.high,
        lambda t: float(t.at(threshold).value(measure.name)),
        lambda t: t.at(threshold).why(measure.name),
        cut_at(threshold),
        lambda t: values,
        instead=f"t.at({threshold:g}).estimate('{measure.name}')",
    )


RATES = {"sensitivity_at": "specificity", "specificity_at": "sensitivity"}


def _of_rate(name: str, **options: float) -> Statistic:
    """One rate at the threshold that keeps the other at a given value or above."""
    kept = RATES[name]
    if set(options) != {kept}:
        raise RocscopeError(f"{name} requires the {kept} that must be reached", hint=f"Give {kept}=0.9, for example")
    at = hits_at(1 - options[kept])

    def values(pos: Array, neg: Array) -> Array:
        return at(pos, neg) if name == "sensitivity_at" else at(neg[:, ::-1], pos[:, ::-1])

    def value(t: ScoreTable) -> float:
        return float(values(t.pos[None, :], t.neg[None, :])[0])

    return Statistic(
        f"{name} {kept} {options[kept]:g}",
        0.0,
        1.0,
        value,
        lambda t: "" if t.positives and t.negatives else "a rate at a fixed rate requires both classes",
        runs,
        lambda t: values,
        rank_only=True,
        instead=f"intervals.{name}(t, {options[kept]:g})",
    )


def _of_function(function: Callable[..., Any], options: Mapping[str, Any]) -> Statistic:
    def value(t: ScoreTable) -> float:
        return float(function(t, **options))

    name = getattr(function, "__name__", "statistic")
    return Statistic(
        name,
        -math.inf,
        math.inf,
        value,
        lambda t: "" if not math.isnan(value(t)) else f"{name} is NaN on this table",
        every,
        looped(value),
        in_blocks=False,
    )


def looped(value: Callable[[ScoreTable], float]) -> Callable[[ScoreTable], Values]:
    """Any function of a table, one replicate at a time: slower, and always possible."""

    def prepare(t: ScoreTable) -> Values:
        def values(pos: Array, neg: Array) -> Array:
            return np.array([value(table_of(t, p, n)) for p, n in zip(pos, neg, strict=True)], dtype=np.float64)

        return values

    return prepare


def table_of(t: ScoreTable, pos: Array, neg: Array) -> ScoreTable:
    """The table with other counts; scores that nobody has left are left out, as if they had never been seen."""
    kept = (pos > 0) | (neg > 0)
    return replace(
        t,
        scores=t.scores[kept],
        pos=pos[kept],
        neg=neg[kept],
        pos_squares=None,
        neg_squares=None,
        rows=(int(np.ceil(pos.sum())), int(np.ceil(neg.sum()))),
        mixed=None if t.mixed is None else t.mixed[kept],
        ends=None if t.ends is None else t.ends[kept],
        known=None,
    )


# ---- vectorized over blocks of resamples ----


def auc_values(pos: Array, neg: Array) -> Array:
    """The AUC of each replicate: 2U = Σ pos (2 N - 2 cumulated neg + neg), in whole numbers for counts."""
    up, down = pos.sum(1), neg.sum(1)
    beaten = np.cumsum(neg, axis=1)
    beaten *= -2
    beaten += neg
    twice = np.einsum("ij,ij->i", pos, beaten) + 2 * up * down
    return np.asarray(divide(floats(twice), 2 * floats(up) * floats(down)))


def auc_and_error(pos: Array, neg: Array) -> tuple[Array, Array]:
    """The AUC of each replicate and its DeLong standard error, for studentising."""
    up, down = floats(pos.sum(1)), floats(neg.sum(1))
    with np.errstate(divide="ignore", invalid="ignore"):
        beats = (2 * (down[:, None] - np.cumsum(neg, axis=1)) + neg) / (2 * down[:, None])
        beaten = (2 * np.cumsum(pos, axis=1) - pos) / (2 * up[:, None])
        area = np.einsum("ij,ij->i", pos, beats) / up
        first = np.einsum("ij,ij->i", pos, (beats - area[:, None]) ** 2) / (up * (up - 1))
        second = np.einsum("ij,ij->i", neg, (beaten - area[:, None]) ** 2) / (down * (down - 1))
        return area, np.sqrt(first + second)


def average_precision_values(pos: Array, neg: Array) -> Array:
    """AP = Σ p_g T_g/(T_g + F_g) / P of each replicate."""
    hits = floats(np.cumsum(pos, axis=1))
    flagged = hits + np.cumsum(neg, axis=1)
    hits /= np.where(flagged > 0, flagged, 1.0)
    return np.asarray(divide(np.einsum("ij,ij->i", floats(pos), hits), floats(pos.sum(1))))


def pr_area_values(pos: Array, neg: Array) -> Array:
    """The exact PR area of each replicate (see curves.pr_area)."""
    p, size = floats(pos), floats(pos) + neg
    tp = np.cumsum(p, axis=1) - p
    above = np.cumsum(size, axis=1) - size
    first = above == 0
    share = p / np.where(size > 0, size, 1.0)
    r = size / np.where(first, 1.0, above)
    log = np.log1p(r)
    pieces = np.where(first, share * p, share * (tp * log + above * share * (r - log)))
    return np.asarray(divide(np.minimum(pieces, p).sum(1), p.sum(1)))


def ks_values(pos: Array, neg: Array) -> Array:
    """max |TPR - FPR| of each replicate."""
    up, down = (floats(side.sum(1))[:, None] for side in (pos, neg))
    gap = divide(floats(np.cumsum(pos, axis=1)), up) - divide(floats(np.cumsum(neg, axis=1)), down)
    return np.asarray(np.abs(gap).max(axis=1))


def mean_loss(loss: Loss) -> Kernel:
    """The mean over cases of a loss that the score and the class decide."""

    def prepare(t: ScoreTable) -> Values:
        with np.errstate(divide="ignore"):
            up, down = loss.of_positive(floats(t.scores)), loss.of_negative(floats(t.scores))
        # ignore an infinite loss at a score where the class has no cases
        up, down = np.where(t.pos > 0, up, 0.0), np.where(t.neg > 0, down, 0.0)

        def values(pos: Array, neg: Array) -> Array:
            return np.asarray((floats(pos) @ up + floats(neg) @ down) / (pos.sum(1) + neg.sum(1)))

        return values

    return Kernel(every, prepare)


def _gini_slopes(t: ScoreTable, value: float) -> Iterator[tuple[ScoreRun, influence.Slopes]]:
    for piece, slopes in influence.auc_slopes(t, (value + 1) / 2):
        yield piece, influence.Slopes(2 * slopes.up, 2 * slopes.down)


for _name, _layout, _values, _slopes in (
    ("auc", runs, auc_values, influence.auc_slopes),
    ("gini", runs, lambda pos, neg: 2 * auc_values(pos, neg) - 1, _gini_slopes),
    ("average_precision", negative_runs, average_precision_values, influence.average_precision_slopes),
    ("pr_area", runs, pr_area_values, influence.pr_area_slopes),
    ("ks_statistic", runs, ks_values, None),
):
    curves.attach(_name, kernel=Kernel(_layout, lambda t, values=_values: values), influence=_slopes)  # type: ignore[misc]
for _name, _loss in (("brier", SQUARES), ("log_loss", LOGS)):
    curves.attach(_name, kernel=mean_loss(_loss), influence=influence.mean_slopes(_loss))


def hits_at(share: float) -> Values:
    """The true positive rate at the last threshold whose false positive rate is at most `share`."""

    def values(pos: Array, neg: Array) -> Array:
        up, down = floats(pos.sum(1)), floats(neg.sum(1))
        allowed = share * down * (1 + 1e-12)
        flagged = (np.cumsum(neg, axis=1) <= allowed[:, None]).sum(axis=1)
        hits = np.concatenate((np.zeros((len(pos), 1)), np.cumsum(pos, axis=1)), axis=1)
        return np.asarray(divide(hits[np.arange(len(pos)), flagged], up))

    return values
