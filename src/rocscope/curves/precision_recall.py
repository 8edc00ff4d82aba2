"""Precision and recall: the curve, its exact shape between points, its areas by name, and precision-recall-gain."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from rocscope.curves import threshold_rates
from rocscope.curves.curve import Array, Curve
from rocscope.curves.declaration import Columns, curve, statistic
from rocscope.curves.roc_curve import rate_range
from rocscope.errors import RocscopeError
from rocscope.formula import divide
from rocscope.numbers import beyond_log, floats
from rocscope.table import ScoreTable, class_runs, once
from rocscope.tally import blocks

DAVIS = "Davis & Goadrich 2006, ICML, 233-240"
NOTHING = "nothing was predicted positive"


@curve(
    "pr", title="precision-recall curve", aka=("precision_recall",), columns=("recall", "precision"),
    formula="x = TP / P, y = TP / (TP + FP), at every threshold",
    latex=r"\left(\frac{TP}{P}, \frac{TP}{TP + FP}\right)",
    chance="constant, equal to the prevalence",
    says="Precision against recall, at every threshold.",
    prefer="when positives are rare, or when only the flagged cases matter",
    cite=DAVIS,
)  # fmt: skip
def pr(table: ScoreTable) -> Columns:
    """The precision-recall curve: recall and precision at every threshold.

    "Predict nothing" has recall 0 and no precision (NaN): no point is added there.

    >>> p = pr(ScoreTable.from_scores([1, 0, 1, 1, 0], [0.9, 0.8, 0.8, 0.8, 0.1]))
    >>> p.recall, p.precision
    (array([0. , 0.33333333, 1. , 1. ]), array([ nan, 1. , 0.75, 0.6 ]))
    >>> p.why
    'precision is undefined at 1 of 4 points, first at row 0: nothing was predicted positive'
    """
    precision = _precision(table)
    return {"recall": threshold_rates.tpr(table), "precision": precision}, _why(table, precision)


def _precision(table: ScoreTable) -> Array:
    """TP / (TP + FP) at every threshold; what is flagged only grows, so the undefined rows are the first."""
    tp, fp = (floats(part) if part.dtype == object else part for part in (table.tp, table.fp))
    flagged = tp + fp
    first = int(np.searchsorted(flagged, 0, side="right"))
    precision = np.empty(len(flagged))
    precision[:first] = np.nan
    np.divide(tp[first:], flagged[first:], out=precision[first:])
    return precision


def _why(table: ScoreTable, precision: Array) -> str:
    reasons = (
        threshold_rates.one_class(table, positives="recall"),
        threshold_rates.why_missing("precision", precision, lambda _: NOTHING),
    )
    return "; ".join(reason for reason in reasons if reason)


@curve(
    "pr_points", title="precision-recall curve, interpolated", columns=("recall", "precision"),
    formula="inside a tie group FP grows in proportion to TP, so precision does not change linearly",
    latex=r"\frac{TP + x}{TP + x + FP + x\,n_g / p_g}, \; 0 \le x \le p_g",
    chance="constant, equal to the prevalence",
    says="The precision-recall curve with intermediate points, as reached by breaking ties at random.",
    prefer="for drawing: straight lines between points overstate precision",
    cite=DAVIS,
)  # fmt: skip
def pr_points(table: ScoreTable, *, points: int = 200) -> Curve:
    """The precision-recall curve for drawing, with exact points between thresholds, about `points` along recall.

    Between two thresholds, FP grows in proportion to TP, so precision does not change linearly; the first group of
    scores begins at its own precision.

    >>> p = pr_points(ScoreTable.from_scores([1, 0, 1, 0], [2, 2, 1, 1]), points=4)
    >>> p.recall, p.precision
    (array([0. , 0. , 0.25, 0.5 , 0.75, 1. ]), array([nan, 0.5, 0.5, 0.5, 0.5, 0.5]))
    """
    if points < 1:
        raise RocscopeError(f"points must be at least 1, not {points}")
    row, share = _steps(table, points)
    pos, neg = floats(table.pos), floats(table.neg)
    before_tp, before_fp = floats(table.tp)[:-1], floats(table.fp)[:-1]
    tp, fp = before_tp[row] + share * pos[row], before_fp[row] + share * neg[row]
    total = float(table.positives)
    starts = (tp + fp) == 0  # limit as the number flagged approaches 0: the precision of the first group
    precision = np.where(starts, divide(pos[row], pos[row] + neg[row]), divide(tp, tp + fp))
    columns = {
        "recall": np.concatenate(([0.0] if total else [np.nan], threshold_rates.over(tp, total))),
        "precision": np.concatenate(([np.nan], precision)),
    }
    thresholds = np.concatenate((table.thresholds[:1], table.thresholds[1:][row]))
    return Curve(
        "pr_points", thresholds, columns, x="recall", y="precision", why=_why(table, columns["precision"]),
        higher_is_positive=table.higher_is_positive, table=table,
    )  # fmt: skip


def _steps(table: ScoreTable, points: int) -> tuple[Array, Array]:
    """Which group each drawn point lies in, and how far through it: as many as the recall it adds asks for."""
    gained = threshold_rates.over(table.pos, table.positives) if table.positives else np.zeros(len(table))
    counts = np.maximum(np.ceil(gained * points - 1e-9), 1).astype(np.int64)
    row = np.repeat(np.arange(len(table)), counts)
    nth = np.arange(len(row)) - np.repeat(np.cumsum(counts) - counts, counts)
    share = (nth + 1) / counts[row]
    if len(table) and table.pos[0]:
        row, share = np.concatenate(([0], row)), np.concatenate(([0.0], share))
    return row, share


# ---- bounds for tables on cells ----


def ap_bounds(table: ScoreTable) -> tuple[float, float]:
    """The lowest and the highest average precision over all orders inside the cells of a table.

    Lowest with the negatives of a cell first and its positives one by one; highest p (TP + p) / (TP + p + FP): a tie
    can score higher than any order of distinct scores. Whole counts take the sum of fractions, weights its integral.
    """
    if table.known is not None and table.known.average_precision is not None:
        return table.known.average_precision, table.known.average_precision
    low = high = 0.0
    cells = _cells_of(table)
    for rows in blocks(len(table)):  # a dozen columns are needed at once, so process blocks of rows to save memory
        below, above = _ap_limits(table, rows, cells[rows])
        low, high = low + below, high + above
    total = float(table.positives)
    return low / total, high / total


def _ap_limits(table: ScoreTable, rows: slice, inside: Array) -> tuple[float, float]:
    """What some rows add to the lowest and to the highest average precision, times the positives."""
    p, n, tp, fp = (floats(column[rows]) for column in (table.pos, table.neg, table.tp[:-1], table.fp[:-1]))
    ties = np.asarray(divide(p * (tp + p), tp + p + fp + n))
    last = fp + n
    if table.exact:
        lows = p - last * threshold_rates.harmonic(tp + last, p)
    else:
        lows = p - last * np.log1p(np.asarray(divide(p, tp + last)))
    highs = np.asarray(divide(p * (tp + p), tp + p + fp))
    used = p > 0
    low = np.where(inside, np.minimum(lows, ties), ties)[used].sum()
    high = np.where(inside, highs, ties)[used].sum()
    return float(low), float(high)


def pr_area_bounds(table: ScoreTable) -> tuple[float, float]:
    """The lowest and the highest exact PR area over all orders inside the cells: negatives first, positives first."""
    inside = _cells_of(table)
    pos, neg = floats(table.pos), floats(table.neg)
    zero = np.zeros(len(table))
    pos_late, pos_early = np.where(inside, pos, zero), np.where(inside, zero, pos)
    neg_late, neg_early = np.where(inside, neg, zero), np.where(inside, zero, neg)
    low = pr_area_of(_interleaved(pos_early, pos_late), _interleaved(neg, zero))
    high = pr_area_of(_interleaved(pos, zero), _interleaved(neg_early, neg_late))
    return low, high


def _cells_of(table: ScoreTable) -> Array:
    return np.zeros(len(table), dtype=bool) if table.mixed is None else table.mixed


def _interleaved(a: Array, b: Array) -> Array:
    return np.column_stack((a, b)).ravel()


# ---- areas ----


def _exact_ap(table: ScoreTable) -> Fraction:
    tp, fp, total = 0, 0, Fraction(0)
    for pos, neg in zip(table.pos.tolist(), table.neg.tolist(), strict=True):
        tp, fp = tp + pos, fp + neg
        total += Fraction(pos * tp, tp + fp) if pos else 0
    return Fraction(total / table.positives)


@statistic(
    "average_precision", title="average precision", aka=("ap", "pr_auc_steps"),
    formula="sum over thresholds of (recall gained) * precision",
    latex=r"\sum_g \frac{p_g}{P} \cdot \frac{TP_g}{TP_g + FP_g}",
    chance="prevalence",
    says="The mean precision at the ranks of the positives.",
    prefer="to compare with other tools; with few or tied positives it is too high, so use the exact PR area",
    cite="Buckley & Voorhees 2000, SIGIR, 33-40", needs="positives", fraction=_exact_ap, bounds=ap_bounds,
)  # fmt: skip
def average_precision(table: ScoreTable) -> float:
    """Average precision: the precision at each threshold, weighted by the recall it adds.

    >>> average_precision(ScoreTable.from_scores([1, 0, 1, 1, 0], [0.9, 0.8, 0.8, 0.8, 0.1]))
    0.8333333333333334
    """
    if table.known is not None and table.known.average_precision is not None:
        return table.known.average_precision
    if table.pos.dtype == table.neg.dtype == np.int64 and table.pos[0] + table.neg[0] > 0:
        return _counted_ap(table)
    precision = _precision(table)[1:]
    top = int(np.searchsorted(table.tp[1:], 0, side="right"))  # rows above the first positive contribute nothing
    gained = floats(table.pos[top:])
    return float((gained * precision[top:]).sum() / gained.sum())


@once
def _counted_ap(table: ScoreTable) -> float:
    """Average precision of counts that begin with a case: nothing is 0 / 0, and block by block no column is made."""
    tp = alarms = 0
    sums = []
    for rows in blocks(len(table), threshold_rates.WIDE):
        hits, every = np.cumsum(table.pos[rows]), np.cumsum(table.neg[rows])
        every += hits
        hits += tp
        every += tp + alarms
        tp, alarms = int(hits[-1]), int(every[-1] - hits[-1])
        gained = hits / every
        gained *= table.pos[rows]
        sums.append(float(gained.sum()))
    return math.fsum(sums) / tp


@statistic(
    "pr_area", title="exact PR area", aka=("auprc", "pr_auc", "average_precision_exact"),
    formula="area under the precision-recall curve with its exact, non-linear shape between points",
    latex=r"\frac{1}{P} \sum_g \int_0^{p_g} \frac{TP_g + x}{TP_g + x + FP_g + x\,n_g/p_g}\,dx",
    chance="prevalence",
    says="The area under the precision-recall curve with its exact shape between the points.",
    prefer="when positives are rare; its chance value is the prevalence, so report both",
    cite="Keilwagen, Grosse & Grau 2014, PLoS ONE 9:e92209", needs="positives", bounds=pr_area_bounds,
)  # fmt: skip
def pr_area(table: ScoreTable, *, recall: tuple[float, float] | None = None) -> float:
    """The exact area under the precision-recall curve; a constant score gives the prevalence.

    Inside a tie group, FP grows in proportion to TP, so each piece is an integral with a logarithm. Davis & Goadrich
    2006, ICML, 233-240; `recall=(0.5, 1)` restricts the area to that range, where it is at most 0.5.

    >>> round(pr_area(ScoreTable.from_scores([1, 0, 0, 0], [1, 1, 1, 1])), 12)
    0.25
    >>> round(pr_area(ScoreTable.from_scores([1, 0, 0, 0], [1, 1, 1, 1]), recall=(0.5, 1)), 12)
    0.125
    """
    if recall is None:
        return _area_of_runs(table) if table.exact else pr_area_of(table.pos, table.neg)
    low, high = rate_range("recall", recall)
    pos, neg = _cut(floats(table.pos), floats(table.neg), low), _cut(floats(table.pos), floats(table.neg), high)
    inner = _partial_area(*pos), _partial_area(*neg)
    return max(0.0, min(high - low, inner[1] - inner[0]))


def _cut(pos: Array, neg: Array, share: float) -> tuple[Array, Array, float]:
    """The groups up to a recall, the one that crosses it cut in proportion; and all positives."""
    total = float(pos.sum())
    kept = np.clip((share * total - (np.cumsum(pos) - pos)) / np.where(pos > 0, pos, 1.0), 0.0, 1.0)
    kept = np.where(pos > 0, kept, (np.cumsum(pos) < share * total).astype(np.float64))
    return pos * kept, neg * kept, total


def _partial_area(pos: Array, neg: Array, total: float) -> float:
    """The area above the groups up to a recall: that of them alone, times the recall they reach."""
    return pr_area_of(pos, neg) * float(pos.sum()) / total if pos.any() else 0.0


def _area_of_runs(table: ScoreTable) -> float:
    """The exact PR area of whole weights: positives that no negative separates are one piece of the curve."""
    area = 0.0
    for runs in class_runs(table):
        n, adds = np.zeros(len(runs.pos)), runs.pos > 0  # only the last run can consist of negatives alone
        n[runs.both] = runs.neg[runs.both]
        p, m, tp, fp = (one[adds] for one in (runs.pos, runs.pos + n, runs.hits - runs.pos, runs.alarms - n))
        area += _pr_pieces(p, m, tp, fp)
    return area / float(table.positives)


def pr_area_of(pos: Array, neg: Array) -> float:
    """The exact PR area of groups from the most positive down, with at least one positive among them.

    With S = TP + FP above the group, m = p + n its size and r = m / S, the piece is
    (p / m) [TP log(1 + r) + S (p / m) (r - log(1 + r))]: a sum of positive terms, so nothing cancels.
    """
    area = tp = fp = 0.0
    for rows in blocks(len(pos), threshold_rates.PIECE):
        p, n = floats(pos[rows]), floats(neg[rows])
        adds = p > 0
        hits, alarms = np.cumsum(p), np.cumsum(n)
        area += _pr_pieces(p[adds], (p + n)[adds], (tp + hits - p)[adds], (fp + alarms - n)[adds])
        tp, fp = tp + float(hits[-1]), fp + float(alarms[-1])
    return float(area / tp)


def _pr_pieces(p: Array, m: Array, tp: Array, fp: Array) -> float:
    """The pieces of groups with positives, times all positives: their positives, their sizes, what lies above them."""
    above, share = tp + fp, p / m
    first = np.flatnonzero(above == 0)
    above[first] = 1.0
    r = m / above
    pieces = beyond_log(r)
    r -= pieces  # now log(1 + r)
    r *= tp
    pieces *= above
    pieces *= share
    pieces += r
    pieces *= share
    pieces[first] = share[first] * p[first]
    return float(np.minimum(pieces, p, out=pieces).sum())


@statistic(
    "pr_trapezoid", title="PR area by trapezoids", aka=("pr_auc_trapezoid",),
    formula="trapezoids between the points, from an invented point (recall 0, precision 1)",
    latex=r"\sum_g \frac{p_g}{P} \cdot \frac{prec_{g-1} + prec_g}{2},\; prec_0 = 1",
    chance="not the prevalence: 0.55 for a constant score at prevalence 0.10",
    says="The area that other tools compute with straight lines between points. Straight lines are wrong here "
    "and can be far too optimistic; the area is given only for comparison with those tools.",
    prefer="never; use the exact PR area", cite=DAVIS, needs="positives",
)  # fmt: skip
def pr_trapezoid(table: ScoreTable) -> float:
    """The PR area by straight lines from an added point (0, 1), as `auc(recall, precision)` computes it in other
    libraries.

    sum (recall gained) (precision before + after) / 2. Davis & Goadrich 2006 show why it misleads.

    >>> round(pr_trapezoid(ScoreTable.from_scores([1] + [0] * 9, [1] * 10)), 12)
    0.55
    """
    return _trapezoids(table)


@once
def _trapezoids(table: ScoreTable) -> float:
    """The trapezoids block by block; as long as nothing is flagged, the precision is taken to be 1."""
    area = 0.0
    for rows in blocks(len(table), threshold_rates.WIDE):
        points = slice(rows.start, rows.stop + 1)
        hits, flagged = floats(table.tp[points]), floats(table.tp[points] + table.fp[points])
        precision = np.divide(hits, flagged, out=np.ones_like(hits), where=flagged > 0)
        both = precision[:-1] + precision[1:]
        both *= floats(table.pos[rows])
        area += float(both.sum())
    return area / (2 * float(table.tp[-1]))


# ---- precision-recall-gain ----


@curve(
    "pr_gain", title="precision-recall-gain curve", aka=("prg",), columns=("recall_gain", "precision_gain"),
    formula="x = 1 - prev / (1 - prev) * FN / TP, y = 1 - prev / (1 - prev) * FP / TP",
    latex=r"\left(1 - \frac{\pi}{1 - \pi}\frac{FN}{TP}, 1 - \frac{\pi}{1 - \pi}\frac{FP}{TP}\right)",
    low=float("-inf"), chance="constant at 0",
    says="Precision and recall on a scale on which always predicting positive is 0; linear between thresholds.",
    prefer="to compare F-scores across prevalences, and to average PR curves soundly",
    cite="Flach & Kull 2015, NeurIPS 28",
)  # fmt: skip
def pr_gain(table: ScoreTable) -> Columns:
    """The precision-recall-gain curve; NaN where no positive has been found.

    >>> pr_gain(ScoreTable.from_scores([1, 0, 1, 0], [4, 3, 2, 1])).precision_gain
    array([nan, 1. , 0. , 0.5, 0. ])
    """
    counts = threshold_rates.cells(table)
    odds = table.positives / table.negatives if table.negatives else np.nan
    columns = {
        "recall_gain": 1 - odds * divide(counts["fn"], counts["tp"]),
        "precision_gain": 1 - odds * divide(counts["fp"], counts["tp"]),
    }
    why = threshold_rates.one_class(table, positives="gain", negatives="gain") or threshold_rates.why_missing(
        "gain", columns["precision_gain"], lambda _: "no positive has been found (TP = 0)"
    )
    return columns, why


@statistic(
    "pr_gain_area", title="area under the PR-gain curve", aka=("auprg",),
    formula="area under the precision-recall-gain curve for recall gain 0 to 1",
    latex=r"\int_0^1 precG \, d\,recG", low=float("-inf"), chance="0",
    says="How far precision and recall exceed those of always predicting positive; at most 1.",
    prefer="to rank models by F-scores; below 0 means worse than always predicting positive",
    cite="Flach & Kull 2015, NeurIPS 28",
)  # fmt: skip
def pr_gain_area(table: ScoreTable) -> float:
    """The area under the precision-recall-gain curve, starting where recall equals the prevalence.

    That point, TP = prev P, is interpolated inside its tie group; negative gains count as negative. A constant score
    gives 0.

    >>> pr_gain_area(ScoreTable.from_scores([1, 0, 1, 0], [1, 1, 1, 1]))
    0.0
    """
    tp, fp = floats(table.tp), floats(table.fp)
    odds = float(table.positives / table.negatives)
    start = threshold_rates.prevalence(table) * tp[-1]
    after = int(np.searchsorted(tp, start, side="right"))  # first row past the start
    share = (start - tp[after - 1]) / (tp[after] - tp[after - 1])
    alarms = np.concatenate(([fp[after - 1] + share * (fp[after] - fp[after - 1])], fp[after:]))
    hits = np.concatenate(([start], tp[after:]))
    across, up = 1 - odds * ((tp[-1] - hits) / hits), 1 - odds * (alarms / hits)
    across[0] = 0.0
    return float((np.diff(across) * (up[:-1] + up[1:])).sum() / 2)
