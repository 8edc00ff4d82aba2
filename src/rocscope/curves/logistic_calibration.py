"""Calibration slope and intercept: the outcome regressed on the logit of the probability, and its tests."""

from __future__ import annotations

from math import erfc, exp, nan, sqrt

import numpy as np

from rocscope.curves import threshold_rates
from rocscope.curves.curve import Array
from rocscope.curves.declaration import refuse_unless_probabilities, statistic
from rocscope.errors import Undefined
from rocscope.numbers import expits, floats, logits
from rocscope.record import record
from rocscope.table import ScoreTable, once
from rocscope.tally import blocks

COX = "Cox 1958, Biometrika 45:562-565"
START = np.array([0.0, 1.0])  # intercept and slope of perfectly calibrated probabilities
GROUPS = 5_000
MANY = 2**18  # number of distinct scores above which neighboring scores are condensed into cells
CELL = 2**8
WIDEST = 2.0**-8  # maximum width of a cell in logits, see `_condensed`
STEEP = 2.0  # slope above which cells must be narrower
NODES = np.array([-1.0, -1 / 3, 1 / 3, 1.0])
FROM_MOMENTS = np.linalg.inv(np.vander(NODES, increasing=True))
BOTH, INTERCEPT = np.array([True, True]), np.array([True, False])


@record(slots=True)
class CalibrationFit:
    """logit P(positive) = intercept + slope * logit(score), fitted by maximum likelihood.

    `in_the_large` is the intercept when the slope is fixed at 1. The p-values come from likelihood-ratio tests: `p`
    tests intercept 0 and slope 1 together, `p_in_the_large` tests intercept 0 at slope 1, and `p_slope` tests slope 1.
    They and the standard errors are NaN for sampling weights, which have no likelihood. `why` is '' or the reason for a
    NaN: if the scores separate the classes, the slope is infinite, but `in_the_large` still exists.
    """

    intercept: float = nan
    slope: float = nan
    in_the_large: float = nan
    intercept_se: float = nan
    slope_se: float = nan
    p: float = nan
    p_in_the_large: float = nan
    p_slope: float = nan
    why: str = ""


def calibration_fit(table: ScoreTable) -> CalibrationFit:
    """The calibration slope and intercept with their tests; a slope below 1 means that the probabilities are too
    extreme.

    logit P(y = 1) = intercept + slope logit(s). Cox 1958, Biometrika 45:562-565.

    >>> fit = calibration_fit(ScoreTable.from_scores([1, 0, 1, 0, 1, 0], [0.9, 0.7, 0.6, 0.4, 0.3, 0.2]))
    >>> round(fit.intercept, 4), round(fit.slope, 4), round(fit.p, 4)
    (-0.077, 0.7207, 0.944)
    """
    refuse_unless_probabilities(table, "calibration slope")
    return _fitted(table)


@once
def _fitted(table: ScoreTable) -> CalibrationFit:
    try:
        _refuse_without_logits(table)
    except Undefined as reason:
        return CalibrationFit(why=str(reason))
    try:
        both = _line(table)
    except Undefined as reason:
        data = _data(table)
        try:
            shift = _shift(table)
        except Undefined:
            return CalibrationFit(why=str(reason))
        gain = data.likelihood(shift) - data.likelihood(START)
        p = nan if table.weighted else erfc(sqrt(max(gain, 0.0)))
        return CalibrationFit(in_the_large=float(shift[0]), p_in_the_large=p, why=str(reason))
    return _fit(table, both)


def _fit(table: ScoreTable, both: Array) -> CalibrationFit:
    data, shift = _data_for(table, both[1]), _shift(table)
    tops = [data.likelihood(coefficients) for coefficients in (START, shift, both)]
    if table.weighted:
        why = "the cases have sampling weights; standard errors and tests need unweighted cases"
        return CalibrationFit(float(both[0]), float(both[1]), float(shift[0]), why=why)
    try:
        errors = np.sqrt(np.diag(np.linalg.inv(data.slopes(both)[1])))
    except np.linalg.LinAlgError:
        errors = np.full(2, nan)
    return CalibrationFit(
        intercept=float(both[0]),
        slope=float(both[1]),
        in_the_large=float(shift[0]),
        intercept_se=float(errors[0]),
        slope_se=float(errors[1]),
        p=exp(-max(tops[2] - tops[0], 0.0)),  # upper tail of the chi-square distribution with 2 degrees of freedom
        p_in_the_large=erfc(sqrt(max(tops[1] - tops[0], 0.0))),
        p_slope=erfc(sqrt(max(tops[2] - tops[1], 0.0))),
    )


@once
def _line(table: ScoreTable) -> Array:
    """The fitted intercept and slope; a steep line is fitted again on cells that are as much narrower."""
    _refuse_without_slope(table)
    line = _climb(_data(table), free=BOTH)
    steep = _data_for(table, line[1])
    return line if steep is _data(table) else _climb(steep, free=BOTH)


@once
def _shift(table: ScoreTable) -> Array:
    """The fitted intercept where the slope is held at 1."""
    return _climb(_data(table), free=INTERCEPT)


@record(slots=True)
class _Data:
    """Logits with the weight of positives and of all cases at each; so many neighbors at a time belong together."""

    x: Array
    pos: Array
    weight: Array
    together: int = 1

    @classmethod
    def of(cls, table: ScoreTable, *, steepness: float = 1.0) -> _Data:
        if len(table) > MANY:
            return _condensed(table, WIDEST / max(1.0, steepness))
        scores = floats(table.scores)
        pos = floats(table.pos)
        return cls(logits(scores), pos, pos + floats(table.neg))

    def grouped(self) -> _Data:
        """Neighboring logits put together, about GROUPS of them, each at its mean."""
        begins = np.arange(0, len(self.x), -(-len(self.x) // (GROUPS * self.together)) * self.together)
        weight = np.add.reduceat(self.weight, begins)
        mean = np.add.reduceat(self.x * self.weight, begins) / np.maximum(weight, 1e-300)
        return _Data(mean, np.add.reduceat(self.pos, begins), weight)

    def likelihood(self, coefficients: Array) -> float:
        eta = coefficients[0] + coefficients[1] * self.x
        return float((self.pos * eta - self.weight * (np.maximum(eta, 0.0) + np.log1p(np.exp(-np.abs(eta))))).sum())

    def slopes(self, coefficients: Array) -> tuple[Array, Array]:
        """The gradient and the information (minus the matrix of second derivatives)."""
        chance = expits(coefficients[0] + coefficients[1] * self.x)
        rest, weight = self.pos - self.weight * chance, self.weight * chance * (1 - chance)
        cross = (weight * self.x).sum()
        information = np.array([[weight.sum(), cross], [cross, (weight * self.x * self.x).sum()]])
        return np.array([rest.sum(), (rest * self.x).sum()]), information


@once
def _data(table: ScoreTable) -> _Data:
    """The data of a table, in cells that are narrow enough for slopes up to STEEP."""
    return _Data.of(table)


def _data_for(table: ScoreTable, slope: float) -> _Data:
    """The data in cells that are narrow enough for this slope."""
    return _Data.of(table, steepness=abs(slope)) if len(table) > MANY and abs(slope) > STEEP else _data(table)


def _condensed(table: ScoreTable, widest: float) -> _Data:
    """The data of many scores, cells of 256 neighbors each replaced by four nodes; wider cells stay as they are.

    The weights of the nodes keep the first four moments of a cell, so whatever is smooth adds up to the same: over a
    cell of width h in logits within (|slope| h / 2)^4 / 100 of each term, 1e-13 and less for h = 1/256 and slope 1.
    """
    whole = len(table) // CELL * CELL
    ups, downs = (floats(table.scores[start:whole:CELL]) for start in (0, CELL - 1))
    narrow = logits(ups) - logits(downs) <= widest
    pieces = [_moments(table, rows) for rows in blocks(whole, threshold_rates.WIDE)]
    moments = np.concatenate(pieces, axis=2)[:, :, narrow]
    scores = (ups + downs)[narrow, None] / 2 + (ups - downs)[narrow, None] / 2 * NODES
    pos, neg = (moments[side].T @ FROM_MOMENTS for side in (0, 1))
    wide = np.flatnonzero(~narrow)[:, None] * CELL + np.arange(CELL)
    rest = np.append(wide, np.arange(whole, len(table)))
    own, rest_neg = floats(table.pos[rest]), floats(table.neg[rest])
    return _Data(
        logits(np.concatenate((scores.ravel(), floats(table.scores[rest])))),
        np.concatenate((pos.ravel(), own)),
        np.concatenate(((pos + neg).ravel(), own + rest_neg)),
        together=len(NODES),
    )


def _moments(table: ScoreTable, rows: slice) -> Array:
    """Of the positives and of the negatives: the moments of each cell among these rows, its ends at 1 and -1."""
    scores, *weights = (floats(column[rows]).reshape(-1, CELL) for column in (table.scores, table.pos, table.neg))
    offset = scores - (scores[:, :1] + scores[:, -1:]) / 2
    offset /= (scores[:, :1] - scores[:, -1:]) / 2
    moments, power = np.empty((2, len(NODES), len(scores))), offset.copy()
    for side, weight in enumerate(weights):
        np.sum(weight, axis=1, out=moments[side, 0])
        np.vecdot(weight, offset, out=moments[side, 1])
    for order in range(2, len(NODES)):
        power *= offset
        for side, weight in enumerate(weights):
            np.vecdot(weight, power, out=moments[side, order])
    return moments


def _refuse_without_logits(table: ScoreTable, title: str = "calibration slope") -> None:
    if not table.positives or not table.negatives:
        raise Undefined(f"no {'positives' if not table.positives else 'negatives'}: {title} is undefined")
    if table.scores[0] >= 1 or table.scores[-1] <= 0:
        raise Undefined(f"a probability of 0 or 1 has no logit, so {title} is undefined")


def _refuse_without_slope(table: ScoreTable) -> None:
    _refuse_without_logits(table)
    if len(table) == 1:
        raise Undefined("all cases have the same score, so the calibration slope is undefined")
    (first_up, last_up), (first_down, last_down) = _reach(table.tp), _reach(table.fp)
    if last_up <= first_down or last_down <= first_up:
        raise Undefined("the scores separate the classes, so the calibration slope is infinite and no fit exists")


def _reach(sums: Array) -> tuple[int, int]:
    """The first and the last row where cumulative sums grow."""
    return int(np.searchsorted(sums, 0, side="right")), int(np.searchsorted(sums, sums[-1], side="left"))


def _climb(data: _Data, *, free: Array) -> Array:
    """The maximum by Newton's method, steps halved until they climb; only `free` coordinates move.

    Many rows are climbed on neighbors put together first: from there one or two steps are left.
    """
    start = _climb(data.grouped(), free=free) if len(data.x) > 4 * GROUPS else START
    coefficients, height, pick = start, data.likelihood(start), np.ix_(free, free)
    for _ in range(100):
        slopes, information = data.slopes(coefficients)
        step = np.zeros(2)
        try:
            step[free] = np.linalg.solve(information[pick], slopes[free])
        except np.linalg.LinAlgError:  # weights so unequal that a single score dominates
            raise Undefined("the logistic fit did not converge") from None
        if float(slopes @ step) <= 1e-12 * (1 + abs(height)):  # too close to the maximum for a measurable improvement
            return coefficients + step
        while (tried := data.likelihood(coefficients + step)) < height:
            step = step / 2
        coefficients, height = coefficients + step, tried
    raise Undefined("the logistic fit did not converge")


@statistic(
    "calibration_slope", title="calibration slope",
    formula="slope of logit P(positive) on logit(score)",
    latex=r"b \text{ in } \operatorname{logit} P(y = 1) = a + b \operatorname{logit} s",
    low=float("-inf"), high=float("inf"), chance="0",
    says="1 if the spread of the probabilities is right, below 1 if they are too extreme, above 1 if too moderate.",
    prefer="to check a model on new data", cite=COX, needs_probabilities=True,
)  # fmt: skip
def calibration_slope(table: ScoreTable) -> float:
    """The calibration slope; NaN with the reason if there are probabilities of 0 or 1 or the classes are separated.

    >>> round(calibration_slope(ScoreTable.from_scores([1, 0, 1, 0, 1, 0], [0.9, 0.7, 0.6, 0.4, 0.3, 0.2])), 4)
    0.7207
    """
    return float(_line(table)[1])


@statistic(
    "calibration_intercept", title="calibration intercept",
    formula="intercept of logit P(positive) on logit(score)",
    latex=r"a \text{ in } \operatorname{logit} P(y = 1) = a + b \operatorname{logit} s",
    low=float("-inf"), high=float("inf"), best=0.0,
    says="0 (with slope 1) if the probabilities are calibrated.",
    prefer="alongside the slope; for the mean alone, use calibration in the large",
    cite=COX, needs_probabilities=True,
)  # fmt: skip
def calibration_intercept(table: ScoreTable) -> float:
    """The calibration intercept, fitted together with the slope.

    >>> round(calibration_intercept(ScoreTable.from_scores([1, 0, 1, 0, 1, 0], [0.9, 0.7, 0.6, 0.4, 0.3, 0.2])), 4)
    -0.077
    """
    return float(_line(table)[0])


@statistic(
    "calibration_in_the_large", title="calibration in the large",
    formula="a in logit P(positive) = a + logit(score), slope fixed at 1",
    latex=r"a \text{ in } \operatorname{logit} P(y = 1) = a + \operatorname{logit} s",
    low=float("-inf"), high=float("inf"), best=0.0,
    says="Above 0, the probabilities are too low on average; below 0, too high.",
    prefer="to check a model when the prevalence may have changed",
    cite="Steyerberg 2019, Clinical Prediction Models, 2nd ed., chapter 15", needs_probabilities=True,
)  # fmt: skip
def calibration_in_the_large(table: ScoreTable) -> float:
    """The calibration intercept with the slope fixed at 1: whether the probabilities are right on average.

    Unlike the slope, it also exists if the scores separate the classes.

    >>> round(calibration_in_the_large(ScoreTable.from_scores([1, 0, 1, 0, 1, 0], [0.9, 0.7, 0.6, 0.4, 0.3, 0.2])), 4)
    -0.0871
    """
    _refuse_without_logits(table, "calibration in the large")
    return float(_shift(table)[0])
