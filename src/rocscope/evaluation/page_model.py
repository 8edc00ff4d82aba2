"""One model as drawn on a page: few rows of its table with exact counts, and statistics computed from all rows."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rocscope import curves, estimate, hull
from rocscope.curves import kept_rows
from rocscope.intervals import effective_sizes
from rocscope.numbers import floats, json_number
from rocscope.table import ScoreTable
from rocscope.tally import blocks, distinct
from rocscope.text import short_threshold

if TYPE_CHECKING:
    from rocscope.evaluation.binary import Evaluation

Array = NDArray[Any]
WHOLE = 600  # maximum number of distinct scores for which every row is kept
LONG = 2**18  # number of rows above which curves are drawn from a subset
OUTLINE = 200  # number of rows kept for drawing the ROC curve, and the same for the PR curve
QUANTILES = 200  # number of thresholds at equal shares of the cases, so that the slider responds over its whole range
# thresholds that users typically enter when scores are probabilities
HUNDREDTHS = tuple(step / 100 for step in range(101))
TOP = (0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5)  # shares of highest-scored cases that the page summarizes
BARS = 48
BINS = 10
BAND = 64  # number of points of a confidence band


def rows_of(table: ScoreTable, thresholds: Iterable[float] = ()) -> Array:
    """The rows of `along` that a page keeps: all if they are few, else those whose absence would be visible.

    These are the corners of the hull, the outlines of the ROC and the PR curve, thresholds at even numbers of cases,
    those that flag the top shares, and the named thresholds.

    >>> rows_of(ScoreTable.from_scores([1, 0, 1, 1, 0], [0.9, 0.8, 0.8, 0.8, 0.1])).tolist()
    [0, 1, 2, 3]
    """
    if len(table) <= WHOLE or not (table.positives and table.negatives):
        return np.arange(len(table) + 1) if len(table) <= WHOLE else _even(table, 2 * QUANTILES)
    named = [table.position(threshold) for threshold in (*thresholds, *(HUNDREDTHS if _shares(table) else ()))]
    rows = np.array(named, dtype=np.int64)
    fixed = distinct(hull.corner_rows(table), _top(table), rows, [0, len(table)])
    return distinct(fixed, _with_short_thresholds(table, distinct(_outlines(table), _even(table, QUANTILES)), fixed))


def _with_short_thresholds(table: ScoreTable, rows: Array, fixed: Array) -> Array:
    """Replace rows by nearby ones with shorter thresholds: each may move a quarter of the way to its neighbors.

    Any row of the table draws the curve equally well, and the slider shows 0.962 instead of 0.9618352. A fixed row
    within that distance replaces it.
    """
    gaps = np.diff(rows, prepend=rows[:1], append=rows[-1:]) // 4
    first, last = np.maximum(rows - gaps[:-1], 1), np.minimum(rows + gaps[1:], len(table) - 1)
    missing = np.searchsorted(fixed, first) == np.searchsorted(fixed, last, side="right")
    first, last = first[missing], last[missing]
    pairs = zip(table.scores[first - 1].tolist(), table.scores[last].tolist(), strict=True)
    near = [table.position(float(short_threshold(*pair))) for pair in pairs]
    return np.clip(np.array(near, dtype=np.int64), first, last)


def _outlines(table: ScoreTable) -> Array:
    """The rows that draw the ROC and the PR curve; of long tables, among as many as a picture could show.

    Columns of rates for millions of rows would take several times the memory of the table itself.
    """
    if len(table) <= LONG:
        return np.concatenate([_outline(curves.roc(table)), _outline(curves.pr(table))])
    rows = distinct(_even(table, LONG // 8), hull.corner_rows(table))
    coarse = ScoreTable(
        table.scores[rows[1:] - 1], np.diff(table.tp[rows]), np.diff(table.fp[rows]), table.higher_is_positive
    )
    return np.asarray(rows[np.concatenate([_outline(curves.roc(coarse)), _outline(curves.pr(coarse))])])


def _outline(curve: Any) -> Array:
    return np.asarray(kept_rows(curve, OUTLINE, area=np.inf))


def _shares(table: ScoreTable) -> bool:
    return bool(table.scores.min() >= 0 and table.scores.max() <= 1)


def _even(table: ScoreTable, parts: int) -> Array:
    """Rows after about 1/parts, 2/parts ... of the cases; half of them count only positives."""
    rows = [np.array([0, len(table)])]
    for total in (table.tp[1:] + table.fp[1:], table.tp[1:]):
        rows.append(np.searchsorted(total, np.arange(1, parts) / parts * float(total[-1])) + 1)
    return distinct(np.minimum(np.concatenate(rows), len(table)))


def _top(table: ScoreTable) -> Array:
    """The last rows that flag no more than each of the top shares."""
    flagged = table.tp + table.fp
    return np.asarray(np.searchsorted(flagged, np.array(TOP) * float(flagged[-1]) * (1 + 1e-12), side="right") - 1)


def drawn_rows(table: ScoreTable, rows: Array, risk: float | None = None) -> dict[str, Any]:
    """Thresholds and cumulative counts at these rows; `whole` says that no row was omitted.

    A threshold is the score itself if all rows are kept, else the shortest decimal that yields the same decisions. The
    threshold of `risk`, from which acting pays off, also decides as the risk itself does, which the decision curve
    looks up.
    """
    whole = len(rows) == len(table) + 1
    scores = _closed([float(score) for score in table.scores[rows[1:] - 1]])
    # no score lies beyond the last one, so any decimal will do
    after_all = scores[-1] - (1.0 if table.higher_is_positive else -1.0)
    beyond = [float(table.scores[row]) if row < len(table) else after_all for row in rows[1:].tolist()]
    shown = scores if whole else [float(short_threshold(*pair)) for pair in zip(scores, beyond, strict=True)]
    if risk is not None and not whole:
        index = int(np.searchsorted(rows, table.position(risk)))
        least = math.nextafter(risk, -math.inf if table.higher_is_positive else math.inf)
        shown[index - 1 : index] = [float(short_threshold(scores[index - 1], least))] if index else []
    tp, fp = ([json_number(cell) for cell in cells[rows].tolist()] for cells in (table.tp, table.fp))
    # use the stored totals, as cumulative sums of weights differ by rounding
    tp[-1], fp[-1] = json_number(table.positives), json_number(table.negatives)
    return {"whole": whole, "thresholds": [None, *shown], "tp": tp, "fp": fp, **_squared(table, rows)}


def _closed(scores: list[float]) -> list[float]:
    """Replace infinite scores at the ends: a table of thresholds ends beyond the last one, where any number flags all.

    The replacement is 0 or 1 for probabilities, else as far beyond the last score as that is beyond the one before.

    >>> _closed([0.8, 0.5, -math.inf]), _closed([3.0, 5.0, math.inf]), _closed([math.inf, 0.9, 0.4])
    ([0.8, 0.5, 0.0], [3.0, 5.0, 7.0], [1.0, 0.9, 0.4])
    """
    finite = [score for score in scores if math.isfinite(score)]
    if not finite:
        return [math.copysign(0.5, score) for score in scores]
    first, last = ([] if math.isfinite(end) else [end] for end in (scores[0], scores[-1]))
    before, after = ([_beyond(row, end) for end in ends] for row, ends in ((finite[::-1], first), (finite, last)))
    return [*before, *finite, *after]


def _beyond(finite: list[float], end: float) -> float:
    """A number on the side of an infinite end, given the last of the scores before it."""
    share = 0.0 if end < 0 else 1.0
    if share != finite[-1] and all(0 <= score <= 1 for score in (finite[0], finite[-1])):
        return share
    gap = abs(finite[-1] - finite[-2]) if len(finite) > 1 else 1.0
    return finite[-1] + math.copysign(gap or 1.0, end)


def _squared(table: ScoreTable, rows: Array) -> dict[str, Any]:
    """Cumulative sums of squared sampling weights at these rows, for intervals; none if units are cases."""
    if table.pos_squares is None or table.neg_squares is None:
        return {}
    sums = (
        np.concatenate(([0.0], np.cumsum(side.astype(np.float64))))[rows]
        for side in (table.pos_squares, table.neg_squares)
    )
    return dict(zip(("tp_squares", "fp_squares"), (side.tolist() for side in sums), strict=True))


# ---- data drawn next to the curve ----


def crowded_near_zero(table: ScoreTable) -> bool:
    """Whether probabilities are concentrated near 0, so that a square-root scale shows more."""
    if not _shares(table):
        return False
    return _below_a_tenth(table, 0.5)


def _below_a_tenth(table: ScoreTable, share: float) -> bool:
    """Whether more than this share of the cases have a probability below 0.1."""
    cases = counted(table, np.array([0.0, 0.1, math.inf]))[1]
    return bool(cases[0] > share * cases.sum())


def counted(table: ScoreTable, edges: Array) -> tuple[Array, Array]:
    """Count the positives and the cases between edges; the first and the last bin are unbounded.

    Rows are sorted by score, so whole numbers of cases are differences of the cumulative counts.

    >>> pos, cases = counted(ScoreTable.from_scores([1, 0, 1, 1], [0.9, 0.5, 0.4, 0.1]), np.array([0.0, 0.4, 0.5, 1.0]))
    >>> pos.tolist(), cases.tolist()
    ([1.0, 1.0, 1.0], [1.0, 1.0, 2.0])
    """
    if table.tp.dtype.kind not in "iu" or table.fp.dtype.kind not in "iu" or table.scores.dtype.kind not in "fiu":
        sums = binned(table, edges)
        return sums.pos, sums.cases
    ascending = table.scores[::-1] if table.higher_is_positive else table.scores
    ends = np.concatenate(([0], np.searchsorted(ascending, edges[1:-1], side="left"), [len(table)]))
    rows = len(table) - ends if table.higher_is_positive else ends
    pos, neg = (np.abs(np.diff(side[rows])).astype(np.float64) for side in (table.tp, table.fp))
    return pos, pos + neg


class Binned(NamedTuple):
    """Contents of the bins between edges: sums of positives, cases, scores and squared weights."""

    pos: Array
    cases: Array
    scores: Array
    squares: Array


def binned(table: ScoreTable, edges: Array) -> Binned:
    """Sum the entries between edges in blocks of rows; the first and the last bin are unbounded."""
    size = len(edges) - 1
    sums = np.zeros((4, size))
    for rows in blocks(len(table)):
        scores, pos = table.scores[rows].astype(np.float64), table.pos[rows].astype(np.float64)
        bin_index = np.clip(np.searchsorted(edges, scores, side="right") - 1, 0, size - 1)
        weight = pos + table.neg[rows].astype(np.float64)
        squares = weight
        if table.pos_squares is not None and table.neg_squares is not None:
            squares = (table.pos_squares[rows] + table.neg_squares[rows]).astype(np.float64)
        sums += [np.bincount(bin_index, column, size) for column in (pos, weight, weight * scores, squares)]
    return Binned(*sums)


def histogram(table: ScoreTable) -> dict[str, Any] | None:
    """Count the positives and negatives by score in bars whose edges are even on the slider's scale.

    The result is None if the table has an infinite end, whose cases have no position.
    """
    if not np.isfinite(table.scores[[0, -1]].astype(np.float64)).all():
        return None
    low, high = (0.0, 1.0) if _shares(table) else (float(table.scores.min()), float(table.scores.max()))
    steps = np.linspace(0.0, 1.0, BARS + 1)
    edges = low + (high - low) * (steps * steps if crowded_near_zero(table) else steps)
    if not high > low or not np.isfinite(edges).all():
        edges = np.array([low, low + 1.0])
    pos, cases = counted(table, edges)
    sides = (pos, cases - pos)
    counts = [[int(count) if count.is_integer() else count for count in side.tolist()] for side in sides]
    # bar edges are rounded; the outer edges stay exact, as they are the limits of the slider
    inner = [float(f"{edge:.5g}") for edge in edges[1:-1].tolist()]
    return {"edges": [float(edges[0]), *inner, float(edges[-1])], "pos": counts[0], "neg": counts[1]}


def band(table: ScoreTable, rows: Array, level: float) -> dict[str, Any] | None:
    """Pointwise Wilson limits of the true positive rate along the curve."""
    if not (table.positives and table.negatives):
        return None
    fpr, tpr = floats(table.fp[rows]) / float(table.negatives), floats(table.tp[rows]) / float(table.positives)
    reached = distinct(np.searchsorted(fpr + tpr, np.linspace(0, 2, BAND)).clip(0, len(rows) - 1))
    size = effective_sizes(table).positives
    limits = [estimate.proportion(float(rate) * size, size, level=level) for rate in tpr[reached]]
    return {
        "fpr": [round(float(rate), 4) for rate in fpr[reached]],
        "low": [round(limit.low, 4) for limit in limits],
        "high": [round(limit.high, 4) for limit in limits],
        "method": f"pointwise {100 * level:g} %",
    }


def short(value: float, digits: int = 6) -> float:
    """A number with as few digits as a picture needs."""
    return float(f"{float(value):.{digits}g}")


def calibration(ev: Evaluation) -> dict[str, Any] | None:
    """Bins with predicted and observed shares, Wilson's limits, slope and intercept; None without probabilities."""
    table, level, estimates = ev.table, ev.settings.level, ev.calibration
    if estimates is None:
        return None
    bins = calibration_bins(table, level)
    return {
        "bins": bins,
        "empty": sum(row["count"] == 0 for row in bins),
        "slope": estimates["calibration_slope"].to_dict(),
        "intercept": estimates["calibration_intercept"].to_dict(),
        "in_the_large": estimates["calibration_in_the_large"].to_dict(),
        "brier": json_number(curves.get("brier")(table)),
        "log_odds": _below_a_tenth(table, 0.8),
    }


def calibration_bins(table: ScoreTable, level: float) -> list[dict[str, Any]]:
    """Predicted and observed frequencies in bins of probabilities, with Wilson's limits."""
    steps = np.arange(BINS + 1) / BINS
    edges = steps * steps if crowded_near_zero(table) else steps
    sums = binned(table, edges)
    sides = (edges[:-1], edges[1:], sums.cases, sums.scores, sums.pos, sums.squares)
    return [_bin(*row, level=level) for row in zip(*(side.tolist() for side in sides), strict=True)]


def _bin(
    low: float, high: float, count: float, expected: float, seen: float, squares: float, *, level: float
) -> dict[str, Any]:
    row = {"low": short(low), "high": short(high), "count": int(count) if count.is_integer() else count}
    if not count:
        return {**row, "mean": None, "observed": None, "low95": None, "high95": None}
    size = count * count / squares
    limits = estimate.proportion(seen / count * size, size, level=level)
    shown = {"mean": expected / count, "observed": seen / count, "low95": limits.low, "high95": limits.high}
    return {**row, **{name: short(number) for name, number in shown.items()}}
