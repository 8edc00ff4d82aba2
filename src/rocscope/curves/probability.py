"""Scores as probabilities: Brier score and log loss, their skill scores, and the decomposition of the Brier score."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from math import fsum, inf, log, log1p, nan, sqrt
from typing import NamedTuple

import numpy as np

from rocscope.curves import threshold_rates
from rocscope.curves.curve import Array
from rocscope.curves.declaration import refuse_unless_probabilities, statistic
from rocscope.errors import RocscopeError, Undefined
from rocscope.hull import pools
from rocscope.numbers import bisected, chi2_above, floats, normal_two_sided
from rocscope.record import record
from rocscope.table import ScoreTable, once
from rocscope.tally import blocks

BRIER = "Brier 1950, Monthly Weather Review 78:1-3"
LEAST, MOST = 5e-324, 1 - 2.0**-53  # the floats adjacent to 0 and 1
CORP = "Dimitriadis, Gneiting & Jordan 2021, PNAS 118:e2016191118"


# ---- mean and variance of the loss per case, in one pass over the scores ----


class Loss(NamedTuple):
    """The loss of a score, for a positive and for a negative.

    `unbounded` losses are infinite at 0 for a positive, and at 1 for a negative.
    """

    of_positive: Callable[[Array], Array]
    of_negative: Callable[[Array], Array]
    unbounded: bool = False

    def finite(self, scores: Array) -> tuple[Array, Array]:
        """The losses of a positive and of a negative; an infinite loss is replaced by a finite number."""
        low, high = (np.maximum(scores, LEAST), np.minimum(scores, MOST)) if self.unbounded else (scores, scores)
        return self.of_positive(low), self.of_negative(high)


SQUARES = Loss(lambda s: (1 - s) ** 2, lambda s: s**2)
LOGS = Loss(lambda s: -np.log(s), lambda s: -np.log1p(-s), unbounded=True)


class LossSums(NamedTuple):
    """The mean loss, and sums over the cases of S, S (loss - center) and S (loss - center)²; S is a squared weight."""

    mean: float
    centre: float
    size: float
    first: float
    second: float

    def spread(self, about: float) -> float:
        """Σ S (loss - about)² over all cases."""
        off = about - self.centre
        return max(0.0, self.second - 2 * off * self.first + off * off * self.size)


@once
def squared_losses(table: ScoreTable) -> LossSums:
    """The squared errors of the probabilities."""
    return losses(table, SQUARES)


@once
def log_losses(table: ScoreTable) -> LossSums:
    """The logarithmic losses; the caller checks whether one of them is infinite."""
    return losses(table, LOGS)


def losses(table: ScoreTable, loss: Loss) -> LossSums:
    """The losses of a table, summed up piece by piece.

    Squares are summed about the mean of an even sample, near enough to the mean of all to lose no digits.
    """
    centre = _sampled_mean(table, loss, len(table) // threshold_rates.PIECE + 1)
    sums = np.array([_summed(table, rows, loss, centre) for rows in blocks(len(table), threshold_rates.WIDE)])
    plain, first, second = (fsum(column) for column in sums.T.tolist())
    total = float(table.positives) + float(table.negatives)
    size = float(sum(column.sum(dtype=np.float64) for column in _squared(table))) if table.weighted else total
    mean = centre if len(table) < threshold_rates.PIECE else centre + plain / total
    return LossSums(mean, centre, size, first, second)


def _summed(table: ScoreTable, rows: slice, loss: Loss, centre: float) -> tuple[float, float, float]:
    """Sums over the cases at some scores of w (loss - center), S (loss - center), S (loss - center)²."""
    scores, plain, first, second = floats(table.scores[rows]), 0.0, 0.0, 0.0
    sides = zip((table.pos, table.neg), _squared(table), loss.finite(scores), strict=True)
    for weights, squared, off in sides:
        weight = floats(weights[rows])
        off -= centre
        moved = _dot(weight, off)
        square = floats(squared[rows]) if table.weighted else weight
        plain, first = plain + moved, first + (_dot(square, off) if table.weighted else moved)
        off *= off
        second += _dot(square, off)
    return plain, first, second


def _dot(a: Array, b: Array) -> float:
    """The sum of products in this thread: BLAS would wake others for so few."""
    return float(np.einsum("i,i->", a, b))


def _squared(table: ScoreTable) -> tuple[Array, Array]:
    return (table.pos_squares, table.neg_squares) if table.weighted else (table.pos, table.neg)


def _sampled_mean(table: ScoreTable, loss: Loss, step: int) -> float:
    """The mean loss of the cases at every `step`-th score."""
    scores, pos, neg = (floats(column[::step]) for column in (table.scores, table.pos, table.neg))
    total = pos.sum() + neg.sum()
    if not total:
        return 0.0
    up, down = loss.finite(scores)
    return float(((pos * up).sum() + (neg * down).sum()) / total)


# ---- Brier score ----


def _mean_known(table: ScoreTable, sums: tuple[float, float]) -> float:
    """The mean over cases of a loss that was summed case by case."""
    return float(sum(sums) / (float(table.positives) + float(table.negatives)))


@statistic(
    "brier", title="Brier score", aka=("brier_score", "mean_squared_error"),
    formula="mean of (probability - outcome)^2",
    latex=r"\frac{1}{n} \sum_i (s_i - y_i)^2",
    best=0.0, chance="prev (1 - prev) for always predicting the prevalence",
    says="The mean squared difference between the predicted probability and the outcome.",
    prefer="to assess probabilities: calibration and ranking together",
    cite=BRIER, needs="cases", needs_probabilities=True,
)  # fmt: skip
def brier(table: ScoreTable) -> float:
    """The Brier score: the mean squared error of the probabilities.

    >>> round(brier(ScoreTable.from_scores([1, 0], [0.8, 0.4])), 12)
    0.1
    """
    if table.known is not None:
        return min(_mean_known(table, table.known.squares), 1.0)
    return min(squared_losses(table).mean, 1.0)


@statistic(
    "brier_skill", title="Brier skill", aka=("brier_skill_score", "d2_brier"),
    formula="1 - Brier / (prev (1 - prev))", latex=r"1 - \frac{BS}{\pi (1 - \pi)}", low=-inf,
    chance="0 for always predicting the prevalence",
    says="The reduction of the Brier score relative to always predicting the prevalence.",
    prefer="to compare Brier scores on data with different prevalences",
    cite="Murphy 1973, Journal of Applied Meteorology 12:215-223", needs_probabilities=True,
)  # fmt: skip
def brier_skill(table: ScoreTable) -> float:
    """The Brier score rescaled so that always predicting the prevalence scores 0 and a perfect prediction scores 1.

    >>> round(brier_skill(ScoreTable.from_scores([1, 0], [0.8, 0.4])), 12)
    0.6
    """
    return 1 - brier(table) / _uncertainty(table)


def _uncertainty(table: ScoreTable) -> float:
    share = threshold_rates.prevalence(table)
    return share * (1 - share)


# ---- decomposition of the Brier score ----


@record(slots=True)
class Decomposition:
    """The Brier score as miscalibration - discrimination + uncertainty."""

    score: float
    miscalibration: float
    discrimination: float
    uncertainty: float


def decompose(table: ScoreTable) -> Decomposition:
    """The Brier score decomposed without bins: score = miscalibration - discrimination + uncertainty.

    After recalibration by pooling adjacent violators (the slopes of the ROC hull), the scores have Brier score S_c; the
    prevalence alone has UNC: MCB = S - S_c, DSC = UNC - S_c. Dimitriadis, Gneiting & Jordan 2021, PNAS 118:e2016191118.

    >>> decompose(ScoreTable.from_scores([1, 0], [0.75, 0.25]))
    Decomposition(score=0.0625, miscalibration=0.0625, discrimination=0.25, uncertainty=0.25)
    """
    refuse_unless_probabilities(table, "the decomposition")
    if not table.positives and not table.negatives:
        return Decomposition(nan, nan, nan, nan)
    score, spread = brier(table), _uncertainty(table)
    pos, neg = (floats(part) for part in pools(table)[1:])
    recalibrated = float((pos * neg / (pos + neg)).sum() / (pos + neg).sum())
    return Decomposition(score, max(score - recalibrated, 0.0), max(spread - recalibrated, 0.0), spread)


@statistic(
    "miscalibration", title="miscalibration", aka=("mcb", "brier_mcb"),
    formula="Brier - Brier of the recalibrated scores",
    latex=r"MCB = BS - BS_{PAV}", best=0.0,
    says="The part of the Brier score that recalibration would remove, computed without bins.",
    prefer="to assess calibration with a single number that needs no choice of bins",
    cite=CORP, needs="cases", needs_probabilities=True,
)  # fmt: skip
def miscalibration(table: ScoreTable) -> float:
    """The miscalibration part of the Brier score.

    >>> miscalibration(ScoreTable.from_scores([1, 0], [0.75, 0.25]))
    0.0625
    """
    return decompose(table).miscalibration


@statistic(
    "discrimination", title="discrimination", aka=("dsc", "brier_dsc"),
    formula="prev (1 - prev) - Brier of the recalibrated scores",
    latex=r"DSC = \pi (1 - \pi) - BS_{PAV}", high=0.25, best=0.25,
    chance="0 in the long run, above 0 in any sample",
    says="The part of the uncertainty that the ranking of the scores removes.",
    prefer="alongside miscalibration, to see which of the two a model lacks",
    cite=CORP, needs="cases", needs_probabilities=True,
)  # fmt: skip
def discrimination(table: ScoreTable) -> float:
    """The discrimination part of the Brier score.

    >>> discrimination(ScoreTable.from_scores([1, 0], [0.75, 0.25]))
    0.25
    """
    return decompose(table).discrimination


@statistic(
    "uncertainty", title="uncertainty", aka=("unc", "brier_unc"), formula="prev (1 - prev)",
    latex=r"UNC = \pi (1 - \pi)", high=0.25, best=None, chance="prev (1 - prev)",
    says="The Brier score of always predicting the prevalence: how hard the data are to predict.",
    prefer="as the reference value for a Brier score",
    cite=CORP, needs="cases", needs_probabilities=True,
)  # fmt: skip
def uncertainty(table: ScoreTable) -> float:
    """The uncertainty part of the Brier score, the same for every model.

    >>> uncertainty(ScoreTable.from_scores([1, 0], [0.75, 0.25]))
    0.25
    """
    return _uncertainty(table)


# ---- log loss ----


@statistic(
    "log_loss", title="log loss", aka=("cross_entropy", "logarithmic_score"),
    formula="mean of -log(probability of the observed outcome)",
    latex=r"-\frac{1}{n} \sum_i [y_i \log s_i + (1 - y_i) \log(1 - s_i)]",
    high=inf, best=0.0, chance="the entropy of the prevalence",
    says="The mean surprise at the outcomes; a probability of 0 for an observed outcome makes it infinite.",
    prefer="when confident errors should be penalized most; most models are trained with this loss",
    cite="Good 1952, Journal of the Royal Statistical Society B 14:107-114", needs="cases",
    needs_probabilities=True,
)  # fmt: skip
def log_loss(table: ScoreTable, *, clip: float | None = None) -> float:
    """The log loss in nats; infinite, with the reason, if an observed outcome had probability 0.

    `clip` first moves probabilities at least that far away from 0 and 1, as some tools do by default.

    >>> round(log_loss(ScoreTable.from_scores([1, 0], [0.8, 0.4])), 6)
    0.366985
    >>> log_loss(ScoreTable.from_scores([1, 0], [0.8, 1.0]))
    inf
    """
    if table.known is not None and clip is None:
        if any(table.known.surprises):
            raise Undefined(_surprise(table), value=inf)
        return _mean_known(table, table.known.losses)
    if clip is not None:
        return log_losses(clipped(table, clip)).mean
    if table.neg[: table.position(1.0)].any() or table.pos[table.position(LEAST) :].any():
        raise Undefined(_surprise(table), value=inf)
    return log_losses(table).mean


def clipped(table: ScoreTable, clip: float) -> ScoreTable:
    """The table with probabilities kept at least this far from 0 and 1."""
    if not 0 < clip < 0.5:
        raise RocscopeError(f"clip must be a small positive number, such as 1e-15, not {clip}")
    return replace(table, scores=np.clip(floats(table.scores), clip, 1 - clip), known=None)


def _surprise(table: ScoreTable) -> str:
    """Which certain probabilities turned out wrong, in words."""
    zero = table.pos[table.scores == 0].sum()
    certain = table.neg[table.scores == 1].sum()
    if table.known is not None:
        zero, certain = table.known.surprises
    parts = (f"probability 0 was given to {zero:g} positive" if zero else "",
             f"probability 1 was given to {certain:g} negative" if certain else "")  # fmt: skip
    return f"{' and '.join(part for part in parts if part)}: log loss is infinite"


@statistic(
    "log_loss_skill", title="log loss skill", aka=("d2_log_loss", "mcfadden_r2"),
    formula="1 - log loss / entropy of the prevalence",
    latex=r"1 - \frac{LL}{-\pi \log \pi - (1 - \pi) \log (1 - \pi)}",
    low=-inf, chance="0 for always predicting the prevalence",
    says="The reduction of the log loss relative to always predicting the prevalence.",
    prefer="to compare log losses on data with different prevalences",
    cite="McFadden 1974, in Zarembka (ed.), Frontiers in Econometrics, 105-142", needs_probabilities=True,
)  # fmt: skip
def log_loss_skill(table: ScoreTable, *, clip: float | None = None) -> float:
    """The log loss rescaled so that always predicting the prevalence scores 0 and a perfect prediction scores 1.

    >>> round(log_loss_skill(ScoreTable.from_scores([1, 0], [0.8, 0.4])), 6)
    0.470553
    """
    share = threshold_rates.prevalence(table)
    loss = log_loss(table, clip=clip)
    if loss == inf:
        raise Undefined(_surprise(table), value=-inf)
    return 1 - loss / (-share * log(share) - (1 - share) * log1p(-share))


# ---- Spiegelhalter's test ----


class GroupTest(NamedTuple):
    """A chi-squared test over groups: its statistic, degrees of freedom and p-value; NaN with the reason."""

    statistic: float
    df: int
    p: float
    why: str = ""


def hosmer_lemeshow(table: ScoreTable, *, groups: int = 10) -> GroupTest:
    """Hosmer and Lemeshow's test on cases not used for fitting: sum of (O - E)² / (E (1 - E / n)).

    The cases are divided by their probability into about `groups` groups of equal size, with ties kept together; the
    degrees of freedom equal the number of groups, because nothing was fitted here. The test depends on the number of
    groups and detects a wrong slope less well than `calibration_fit`. Hosmer & Lemeshow 1980, Communications in
    Statistics A 9:1043-1069.

    >>> found = hosmer_lemeshow(ScoreTable.from_scores([1, 0, 1, 0], [0.9, 0.1, 0.4, 0.3]), groups=2)
    >>> round(found.statistic, 4), found.df, round(found.p, 4)
    (1.5769, 2, 0.4545)
    """
    refuse_unless_probabilities(table, "Hosmer and Lemeshow's test")
    if not isinstance(groups, int) or groups < 2:
        raise RocscopeError(f"groups must be at least 2, not {groups}")
    if table.weighted:
        return GroupTest(nan, 0, nan, "the chi-squared test does not support sampling weights")
    n, seen, expected = _grouped_cases(table, groups)
    used = n > 0
    n, seen, expected = n[used], seen[used], expected[used]
    if ((expected <= 0) | (expected >= n)).any():
        return GroupTest(nan, len(n), nan, "a group contains only probabilities of 0 or 1")
    with np.errstate(over="ignore"):  # of probabilities next to 0 the statistic is beyond all numbers
        total = float(((seen - expected) ** 2 / (expected * (1 - expected / n))).sum())
    return GroupTest(total, len(n), float(chi2_above(total, len(n))))


def _grouped_cases(table: ScoreTable, groups: int) -> Array:
    """The cases, the positives and the expected positives of groups of about equal size."""
    total = float(table.positives + table.negatives)

    def group_of(rows: Array) -> Array:
        return np.floor(floats(table.tp[rows] + table.fp[rows]) * groups / total)

    inner = bisected(group_of, len(table), np.arange(groups - 1))
    bounds = np.concatenate(([0], inner, [len(table)]))
    positives, negatives = threshold_rates.class_sums(table, bounds)
    return np.stack((positives + negatives, positives, threshold_rates.score_sums(table, bounds)))


@statistic(
    "spiegelhalter_z", title="Spiegelhalter's z",
    formula="sum (y - s)(1 - 2 s) / sqrt(sum (1 - 2 s)^2 s (1 - s))",
    latex=r"\frac{\sum_i (y_i - s_i)(1 - 2 s_i)}{\sqrt{\sum_i (1 - 2 s_i)^2 s_i (1 - s_i)}}",
    low=-inf, high=inf, best=0.0, chance="0",
    says="How far the Brier score is from its value for calibrated probabilities, in standard deviations.",
    prefer="to test calibration without bins",
    cite="Spiegelhalter 1986, Statistics in Medicine 5:421-433", needs="cases", needs_probabilities=True,
)  # fmt: skip
def spiegelhalter_z(table: ScoreTable) -> float:
    """Spiegelhalter's z: standard normal when the probabilities are calibrated.

    >>> round(spiegelhalter_z(ScoreTable.from_scores([1, 0], [0.8, 0.4])), 6)
    -0.771517
    """
    excess, variance = _brier_excess(table)
    if not variance:
        raise Undefined("every probability is 0, 0.5 or 1, so Spiegelhalter's z has no variance")
    return excess / sqrt(variance)


@once
def _brier_excess(table: ScoreTable) -> tuple[float, float]:
    """The sum of (y - s)(1 - 2 s) over the cases and its variance if the probabilities are right, block by block."""
    excess = variance = 0.0
    for rows in blocks(len(table), threshold_rates.PIECE):
        scores, cases = floats(table.scores[rows]), floats(table.pos[rows] + table.neg[rows])
        squares = floats(table.pos_squares[rows]) + floats(table.neg_squares[rows]) if table.weighted else cases
        tilt = 1 - 2 * scores
        excess += float((table.pos[rows] - cases * scores) @ tilt)
        tilt *= tilt
        tilt *= scores - scores * scores
        variance += float(squares @ tilt)
    return excess, variance


@statistic(
    "spiegelhalter_p", title="p of Spiegelhalter's test",
    formula="two-sided p of Spiegelhalter's z",
    latex=r"2\,\Phi(-|z|)", best=None, chance="uniform when calibrated",
    says="How often calibrated probabilities would give a z at least this far from 0.",
    prefer="to test calibration without bins",
    cite="Spiegelhalter 1986, Statistics in Medicine 5:421-433", needs="cases", needs_probabilities=True,
)  # fmt: skip
def spiegelhalter_p(table: ScoreTable) -> float:
    """The two-sided p-value of Spiegelhalter's z.

    >>> round(spiegelhalter_p(ScoreTable.from_scores([1, 0], [0.8, 0.4])), 6)
    0.440401
    """
    z = spiegelhalter_z(table)
    if z != z:
        raise Undefined("every probability is 0, 0.5 or 1, so Spiegelhalter's z has no variance")
    return normal_two_sided(z)
