"""Calibration: are cases with probability 0.7 positive 7 times in 10? Without bins and with bins."""

from __future__ import annotations

import numpy as np

from rocscope.curves import threshold_rates
from rocscope.curves.curve import Array, Curve
from rocscope.curves.declaration import curve, statistic
from rocscope.curves.probability import CORP
from rocscope.errors import RocscopeError, did_you_mean
from rocscope.formula import divide
from rocscope.hull import corner_rows
from rocscope.numbers import floats
from rocscope.table import ScoreTable

NAEINI = "Naeini, Cooper & Hauskrecht 2015, AAAI, 2901-2907"
KINDS = ("width", "count")


@curve(
    "calibration", title="reliability diagram", aka=("reliability", "calibration_curve"),
    columns=("low", "high", "score", "observed", "count"), x="score", y="observed",
    formula="x = mean probability, y = share of positives, for each block of scores",
    latex=r"(\bar s_b, \bar y_b)", chance="constant, equal to the prevalence",
    says="The observed frequency of positives against the predicted probability.",
    prefer="before scores are used as probabilities",
    cite=CORP, needs_probabilities=True,
)  # fmt: skip
def calibration(table: ScoreTable, *, bins: int | None = None, by: str = "width", closed: str = "left") -> Curve:
    """The reliability diagram in ascending order: one row per block, with its lowest, highest and mean score, its share
    of positives and its weight.

    Without `bins`, the blocks are those of isotonic regression (CORP): the data determine their number, and each is
    drawn as a horizontal line. With `bins`, by="width" cuts 0 to 1 into equal widths (a score on an edge belongs to the
    bin above it, and the last bin includes 1; closed="right" puts it in the bin below); by="count" makes bins with
    equal numbers of cases and keeps ties together. Empty bins are kept, with count 0.

    >>> c = calibration(ScoreTable.from_scores([0, 1, 0, 1], [0.1, 0.4, 0.35, 0.8]))
    >>> c.observed, c.count
    (array([0., 1.]), array([2., 2.]))
    >>> calibration(ScoreTable.from_scores([0, 1, 0, 1], [0.1, 0.4, 0.35, 0.8]), bins=4).count
    array([1., 2., 0., 1.])
    """
    ends, low, high = _pooled(table) if bins is None else _binned(table, bins, by, closed)
    count, score, observed = _sums(table, ends)
    columns = {"low": low, "high": high, "score": score, "observed": observed, "count": count}
    why = threshold_rates.why_missing("observed", observed, lambda _: "the bin is empty")
    return Curve("calibration", low.copy(), columns, x="score", y="observed", why=why, steps=False, table=table)


def _sums(table: ScoreTable, ends: Array) -> tuple[Array, Array, Array]:
    """Weight, mean score and share of positives of each bin, the lowest first; NaN where it is empty.

    Scores are in order, so a bin is a run of rows: up to `ends[k]` for bin k, from `ends[k + 1]` on.
    """
    bounds = ends[::-1]
    positives, negatives = threshold_rates.class_sums(table, bounds)
    count = positives + negatives
    scores = threshold_rates.score_sums(table, bounds)
    return count[::-1], np.asarray(divide(scores, count))[::-1], np.asarray(divide(positives, count))[::-1]


def _pooled(table: ScoreTable) -> tuple[Array, Array, Array]:
    """Blocks of isotonic regression, counted from the lowest: the rows they end at, and their score ranges."""
    rows = corner_rows(table)
    scores = floats(table.scores)
    return rows[::-1], scores[rows[1:] - 1][::-1], scores[rows[:-1]][::-1]


def _binned(table: ScoreTable, bins: int, by: str, closed: str) -> tuple[Array, Array, Array]:
    if not isinstance(bins, int | np.integer) or bins < 1:
        raise RocscopeError(f"bins must be an integer of at least 1, not {bins}")
    if by not in KINDS:
        raise RocscopeError(f"by must be 'width' or 'count', not '{by}'", hint=did_you_mean(by, KINDS))
    if closed not in ("left", "right"):
        raise RocscopeError(
            f"closed must be 'left' or 'right', not '{closed}'", hint=did_you_mean(closed, ("left", "right"))
        )
    return _by_width(table, int(bins), closed) if by == "width" else _by_count(table, int(bins))


def _by_width(table: ScoreTable, bins: int, closed: str) -> tuple[Array, Array, Array]:
    # rounded once, so each edge equals its decimal literal (0.3 rather than 0.30000000000000004)
    edges = np.arange(bins + 1) / bins
    rising, side = floats(table.scores)[::-1], "left" if closed == "left" else "right"
    below = np.searchsorted(rising, edges[1:-1], side=side)  # type: ignore[call-overload]
    return len(table) - np.concatenate(([0], below, [len(table)])), edges[:-1], edges[1:]


def _by_count(table: ScoreTable, bins: int) -> tuple[Array, Array, Array]:
    """A tied score goes wholly into the bin that its middle case falls into, counted from the lowest score."""
    weight = floats(table.pos) + floats(table.neg)
    above = np.cumsum(weight)
    middle = (above[-1] - above + weight / 2) / above[-1]
    index = np.minimum((middle * bins).astype(np.int64), bins - 1)
    ends = len(table) - np.searchsorted(index[::-1], np.arange(bins + 1))
    scores = floats(table.scores)
    empty = ends[1:] == ends[:-1]
    low, high = scores[ends[:-1] - 1], scores[np.minimum(ends[1:], len(table) - 1)]
    return ends, np.where(empty, np.nan, low), np.where(empty, np.nan, high)


# ---- binned errors: the name states the binning ----


def _gaps(table: ScoreTable, bins: int, by: str) -> tuple[Array, Array]:
    """|mean score - share of positives| and the weight of each bin that is not empty."""
    count, score, observed = _sums(table, _binned(table, bins, by, "left")[0])
    full = count > 0
    return np.abs(score - observed)[full], count[full]


@statistic(
    "ece_10", title="ECE, 10 bins of equal width",
    formula="sum over bins of (n_b / n) |mean score - share of positives|",
    latex=r"\sum_b \frac{n_b}{n} |\bar s_b - \bar y_b|",
    best=0.0,
    says="The mean distance between predicted and observed frequency, over ten bins of equal width.",
    prefer="to compare with other tools that use this binning; the value depends on the bins",
    cite=NAEINI, needs="cases", needs_probabilities=True,
)  # fmt: skip
def ece(table: ScoreTable, *, bins: int = 10, by: str = "width") -> float:
    """The expected calibration error over `bins` bins of equal width (or, with by="count", of equal numbers of cases).

    It depends on the binning, which its names in the catalog therefore state: ece_10, ece_15_equal_count.

    >>> round(ece(ScoreTable.from_scores([0, 1, 0, 1], [0.1, 0.4, 0.35, 0.8]), bins=4), 12)
    0.1375
    """
    gaps, count = _gaps(table, bins, by)
    return float((gaps * count).sum() / count.sum())


@statistic(
    "mce_10", title="MCE, 10 bins of equal width",
    formula="max over bins of |mean score - share of positives|",
    latex=r"\max_b |\bar s_b - \bar y_b|", best=0.0,
    says="The largest distance between predicted and observed frequency among ten bins of equal width.",
    prefer="to compare with other tools that use this binning; a bin with a single case can determine it",
    cite=NAEINI, needs="cases", needs_probabilities=True,
)  # fmt: skip
def mce(table: ScoreTable, *, bins: int = 10, by: str = "width") -> float:
    """The maximum calibration error: the largest gap of any nonempty bin.

    >>> round(mce(ScoreTable.from_scores([0, 1, 0, 1], [0.1, 0.4, 0.35, 0.8]), bins=4), 12)
    0.2
    """
    return float(_gaps(table, bins, by)[0].max())
