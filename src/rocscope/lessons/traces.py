"""Algorithms worked out by hand, row by row, in exact fractions.

These are the ROC curve and its area as built by algorithm 22.1, the k + 1 matrices of the impractical method, and
the hull with every point it drops and why.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from fractions import Fraction
from itertools import pairwise
from typing import Any

from rocscope.errors import RocscopeError
from rocscope.numbers import fraction
from rocscope.record import record
from rocscope.table import ScoreTable

Number = int | float | Fraction
Point = tuple[Number, Number]


@record(slots=True)
class RocRow:
    """One point of the curve: its counts, its position, the move that led to it, and the area up to it."""

    threshold: float
    fp: int
    tp: int
    fpr: Fraction
    tpr: Fraction
    area: Fraction
    move: str
    step: Fraction
    shape: str
    says: str


@record(slots=True)
class MatrixRow:
    """The confusion matrix of one threshold and its point in ROC space."""

    threshold: float
    tp: int
    fp: int
    fn: int
    tn: int
    fpr: Fraction
    tpr: Fraction
    accuracy: Fraction


@record(slots=True)
class PredictionRow:
    """Cases of one class with the same score: their number, and what each threshold predicts for them."""

    label: int
    score: float
    cases: int
    predicted: Mapping[float, int]


def predictions_trace(table: ScoreTable) -> list[PredictionRow]:
    """A column of 0 and 1 for every score used as a threshold, with the cases from the highest score down.

    >>> t = ScoreTable.from_scores([1, 1, 0], [0.94, 0.92, 0.7])
    >>> [list(row.predicted.values()) for row in predictions_trace(t)]
    [[1, 1, 1], [0, 1, 1], [0, 0, 1]]
    """
    high = table.higher_is_positive
    scores = sorted(table.scores.tolist(), reverse=high)
    sizes = zip(table.scores.tolist(), table.pos.tolist(), table.neg.tolist(), strict=True)
    counts = {score: (pos, neg) for score, pos, neg in sizes}
    return [
        PredictionRow(label, score, cases, {at: int(score >= at if high else score <= at) for at in scores})
        for score in scores
        for label, cases in zip((1, 0), counts[score], strict=True)
        if cases
    ]


@record(slots=True)
class HullStep:
    """One step of the scan from left to right: a point is added, or dropped with the reason."""

    action: str
    name: str
    fpr: Fraction
    tpr: Fraction
    slope: Fraction | float
    why: str


@record(slots=True)
class HullTrace:
    """The scan, the remaining corners (by name), the slopes between them, and the dropped points."""

    steps: tuple[HullStep, ...]
    corners: tuple[tuple[str, Fraction, Fraction], ...]
    slopes: tuple[Fraction | float, ...]
    dropped: tuple[str, ...]


# ---- ROC ----


def roc_trace(y: Any, scores: Any, *, positive: Any = None, higher_is_positive: bool = True) -> tuple[RocRow, ...]:
    """The ROC curve and its area, starting with "predict nothing" and then one row for each distinct score.

    A positive moves up by 1/Pos, a negative right by 1/Neg, and a tie between the two diagonally; each move adds
    |x2 - x1| (y1 + y2) / 2 to the area. Fawcett 2006; Zaki and Meira, algorithm 22.1.

    >>> for row in roc_trace([1, 0, 1, 1, 0], [0.9, 0.8, 0.8, 0.8, 0.1]):
    ...     print(row.threshold, row.fp, row.tp, row.fpr, row.tpr, row.area, row.move, row.shape)
    inf 0 0 0 0 0 start none
    0.9 0 1 0 1/3 0 up none
    0.8 1 3 1/2 1 1/3 diagonal trapezoid
    0.1 2 3 1 1 5/6 right rectangle
    """
    return table_trace(ScoreTable.from_scores(y, scores, positive=positive, higher_is_positive=higher_is_positive))


def table_trace(table: ScoreTable) -> tuple[RocRow, ...]:
    """`roc_trace` for a score table, such as one created from a list of thresholds."""
    positives, negatives = _both_classes(table)
    none, nothing = Fraction(0), float(table.thresholds[0])
    rows = [RocRow(nothing, 0, 0, none, none, none, "start", none, "none", _START)]
    for score, pos, neg in zip(table.scores.tolist(), table.pos.tolist(), table.neg.tolist(), strict=True):
        rows.append(_next_row(rows[-1], score, pos, neg, positives, negatives))
    return tuple(rows)


_START = "Predict nothing: no case is flagged, and the curve starts at (0, 0)."
_MOVES: Mapping[tuple[bool, bool], str] = {
    (True, False): "up",
    (False, True): "right",
    (True, True): "diagonal",
}


def _next_row(last: RocRow, score: float, pos: int, neg: int, positives: int, negatives: int) -> RocRow:
    fp, tp = last.fp + neg, last.tp + pos
    fpr, tpr = Fraction(fp, negatives), Fraction(tp, positives)
    step = trapezoid((last.fpr, last.tpr), (fpr, tpr))
    move, shape = _MOVES[pos > 0, neg > 0], _shape(last.tpr, tpr, step)
    says = _move_words(score, pos, neg, move) + _area_words(last, fpr, tpr, step, shape)
    return RocRow(score, fp, tp, fpr, tpr, last.area + step, move, step, shape, says)


def _shape(before: Fraction, after: Fraction, step: Fraction) -> str:
    if not step:
        return "none"
    return "rectangle" if before == after else "trapezoid"


def _move_words(score: float, pos: int, neg: int, move: str) -> str:
    parts = [_many(pos, "positive")] * (pos > 0) + [_many(neg, "negative")] * (neg > 0)
    together = " tie" if move == "diagonal" else ""
    return f"{score:g}: {' and '.join(parts)}{together}, the curve goes {_WAYS[move]}."


_WAYS: Mapping[str, str] = {"up": "up", "right": "right", "diagonal": "diagonally"}


def _many(count: int, noun: str) -> str:
    return f"{count} {noun}" + ("s" if count != 1 else "")


def _area_words(last: RocRow, fpr: Fraction, tpr: Fraction, step: Fraction, shape: str) -> str:
    width = fpr - last.fpr
    if shape == "rectangle":
        return f" Rectangle {width} x {tpr} = {step}."
    if shape == "trapezoid":
        return f" Trapezoid {width} x ({last.tpr} + {tpr})/2 = {step}."
    return " No area."


def trapezoid(first: Point, second: Point) -> Fraction:
    """The area between two points and the axis: |x2 - x1| (y1 + y2) / 2. A float is read as it prints.

    >>> trapezoid((0, Fraction(1, 3)), (0.5, 1))
    Fraction(1, 3)
    """
    x1, y1, x2, y2 = (fraction(number) for number in (*first, *second))
    return abs(x2 - x1) * (y1 + y2) / 2


# ---- confusion matrices at all k + 1 thresholds ----


def matrices_trace(
    y: Any, scores: Any, *, positive: Any = None, higher_is_positive: bool = True
) -> tuple[MatrixRow, ...]:
    """One confusion matrix for each of the k distinct scores and one for "predict nothing".

    Every matrix is counted from all cases, as one would do by hand; the points are those of `roc_trace`.
    Fawcett 2006 calls it the inefficient way.

    >>> rows = matrices_trace([1, 1, 0, 1, 0, 0], [0.94, 0.92, 0.70, 0.65, 0.30, 0.20])
    >>> len(rows), rows[2].tp, rows[2].fp, rows[2].tpr
    (7, 2, 0, Fraction(2, 3))
    """
    table = ScoreTable.from_scores(y, scores, positive=positive, higher_is_positive=higher_is_positive)
    _both_classes(table)
    return table_matrices(table)


def table_matrices(table: ScoreTable) -> tuple[MatrixRow, ...]:
    """The k + 1 matrices of a table of k distinct scores."""
    return tuple(_matrix_row(table, threshold) for threshold in table.thresholds.tolist())


def _matrix_row(table: ScoreTable, threshold: float) -> MatrixRow:
    c = table.at(threshold)
    rates = (c.exact("fpr"), c.exact("tpr"), c.exact("accuracy"))
    return MatrixRow(threshold, c.tp, c.fp, c.fn, c.tn, *rates)


# ---- hull ----


def hull_trace(points: Mapping[str, Point] | Iterable[Point]) -> HullTrace:
    """The upper hull of points (fpr, tpr), found from left to right, with the reason for each dropped point.

    The ends (0, 0) "always negative" and (1, 1) "always positive" belong to it. A corner is kept as long as the slopes
    decrease; slopes are exact, and a vertical one is infinite. Andrew 1979.

    >>> trace = hull_trace({"A": (0.2, 0.7), "B": (0.3, 0.6), "C": (0.5, 0.95)})
    >>> [name for name, _, _ in trace.corners], [str(slope) for slope in trace.slopes]
    (['always negative', 'A', 'C', 'always positive'], ['7/2', '5/6', '1/10'])
    >>> trace.dropped, trace.steps[3].why
    (('B',), 'from A to B the slope is -1, from B to C it is 7/4: B lies below the line from A to C')
    """
    steps: list[HullStep] = []
    kept: list[_Named] = []
    for point in _in_order(points):
        while why := _reason_to_drop(kept, point):
            steps.append(_step("drop", kept[-2], kept.pop(), why))
        if kept and point.fpr == kept[-1].fpr and point.tpr == kept[-1].tpr:
            steps.append(_step("drop", kept[-1], point, f"{point.name} is the same point as {kept[-1].name}"))
            continue
        steps.append(_step("add", kept[-1] if kept else None, point, ""))
        kept.append(point)
    slopes = tuple(_slope(a, b) for a, b in pairwise(kept))
    corners = tuple((point.name, point.fpr, point.tpr) for point in kept)
    return HullTrace(tuple(steps), corners, slopes, tuple(s.name for s in steps if s.action == "drop"))


@record(slots=True)
class _Named:
    name: str
    fpr: Fraction
    tpr: Fraction


def _in_order(points: Mapping[str, Point] | Iterable[Point]) -> list[_Named]:
    """Points from left to right, lower ones first; both ends added."""
    pairs = points.items() if isinstance(points, Mapping) else ((_written(point), point) for point in points)
    named = [_Named(name, fraction(point[0]), fraction(point[1])) for name, point in pairs]
    for spot in named:
        if not (0 <= spot.fpr <= 1 and 0 <= spot.tpr <= 1):
            raise RocscopeError(
                f"rates must lie between 0 and 1, but {spot.name} is at ({float(spot.fpr):g}, {float(spot.tpr):g})",
                hint="Give points (fpr, tpr) as proportions, not percentages",
            )
    ends = [
        _Named("always negative", Fraction(0), Fraction(0)),
        _Named("always positive", Fraction(1), Fraction(1)),
    ]
    known = {(point.fpr, point.tpr) for point in named}
    ends = [end for end in ends if (end.fpr, end.tpr) not in known]
    return sorted([*ends, *named], key=lambda point: (point.fpr, point.tpr))


def _written(point: Point) -> str:
    return f"({float(point[0]):g}, {float(point[1]):g})"


def _reason_to_drop(kept: list[_Named], new: _Named) -> str:
    """Why the last corner cannot stay now that `new` came; '' when it stays."""
    if len(kept) < 2 or (kept[-1].fpr == new.fpr and kept[-1].tpr == new.tpr):
        return ""
    before, last = kept[-2], kept[-1]
    into, out = _slope(before, last), _slope(last, new)
    if into > out:
        return ""
    if last.fpr == new.fpr and before.fpr < last.fpr:
        return f"{new.name} has the same fpr and a higher tpr than {last.name}"
    side = "on" if into == out else "below"
    return (
        f"from {before.name} to {last.name} the slope is {into}, from {last.name} to {new.name} it is {out}: "
        f"{last.name} lies {side} the line from {before.name} to {new.name}"
    )


def _slope(a: _Named, b: _Named) -> Fraction | float:
    return (b.tpr - a.tpr) / (b.fpr - a.fpr) if b.fpr != a.fpr else math.inf


def _step(action: str, before: _Named | None, point: _Named, why: str) -> HullStep:
    slope = _slope(before, point) if before is not None else math.inf
    return HullStep(action, point.name, point.fpr, point.tpr, slope, why)


# ---- shared helpers ----


def _both_classes(table: ScoreTable) -> tuple[int, int]:
    positives, negatives = table.positives, table.negatives
    if not positives or not negatives:
        missing = "positives" if not positives else "negatives"
        raise RocscopeError(
            f"a ROC curve requires both classes, but there are {positives} positives and {negatives} negatives",
            hint=f"There are no {missing}: check which label is positive",
        )
    if not table.exact:
        raise RocscopeError("a trace requires counts of cases, but this table has fractional weights")
    return positives, negatives
