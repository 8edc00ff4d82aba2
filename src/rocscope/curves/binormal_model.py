"""The binormal ROC curve: two normal distributions fitted to the ranking. Available by name, never a default."""

from __future__ import annotations

from math import nan, sqrt

import numpy as np

from rocscope.curves.curve import Array, Curve
from rocscope.curves.declaration import curve, statistic
from rocscope.errors import RocscopeError, Undefined
from rocscope.numbers import floats
from rocscope.record import record
from rocscope.table import ScoreTable

CITE = "Dorfman & Alf 1969, Journal of Mathematical Psychology 6:487-496"
MOST_CATEGORIES = 20
LIMITS = (0.5, 2.0)
FURTHEST = 12.0  # limit of a parameter in standard deviations: beyond it the fit is diverging to infinity


@record(slots=True)
class Binormal:
    """The fitted curve TPR = Phi(a + b Phi^-1(FPR)); `hook` warns when it bends below the diagonal.

    `covariance` is the covariance matrix of a and b, from the expected information, with each unit treated as a case.
    """

    a: float
    b: float
    auc: float
    why: str = ""
    covariance: tuple[tuple[float, float], tuple[float, float]] = ((nan, nan), (nan, nan))

    @property
    def hook(self) -> str:
        """The warning for a slope far from 1; '' otherwise."""
        if LIMITS[0] <= self.b <= LIMITS[1] or self.b != self.b:
            return ""
        return f"hook: b is {self.b:.3g}, so the fitted curve crosses the diagonal and its ends are unreliable"

    def tpr(self, fpr: Array | float) -> Array:
        """The true positive rates of the fitted curve at the given false positive rates."""
        from scipy.special import ndtr, ndtri

        rates = np.asarray(fpr, dtype=np.float64)
        inside = (rates > 0) & (rates < 1)
        return np.where(inside, ndtr(self.a + self.b * ndtri(np.where(inside, rates, 0.5))), rates)


def binormal(table: ScoreTable) -> Binormal:
    """The binormal fit by maximum likelihood on groups of tied scores; NaN, with the reason, if no fit exists.

    TPR = Phi(a + b Phi^-1(FPR)), AUC = Phi(a / sqrt(1 + b^2)). If the sorted scores form more than 20 runs of a single
    class, they are first grouped into 20 categories (Metz, Herman & Shen 1998). Dorfman & Alf 1969, Journal of
    Mathematical Psychology 6:487-496.

    >>> y = [0] * 58 + [1] * 51
    >>> ratings = [1] * 33 + [2] * 6 + [3] * 6 + [4] * 11 + [5] * 2 + [1] * 3 + [2] * 2 + [3] * 2 + [4] * 11 + [5] * 33
    >>> fit = binormal(ScoreTable.from_scores(y, ratings))
    >>> round(fit.a, 6), round(fit.b, 6), round(fit.auc, 6)
    (1.656782, 0.713002, 0.911331)
    """
    try:
        return _fit(table)
    except Undefined as reason:
        return Binormal(nan, nan, nan, why=str(reason))


@statistic(
    "binormal_auc", title="binormal AUC",
    formula="Phi(a / sqrt(1 + b^2)) of the fitted TPR = Phi(a + b probit(FPR))",
    latex=r"\Phi\left(\frac{a}{\sqrt{1 + b^2}}\right)",
    chance="0.5",
    says="The area under a smooth ROC curve of two normal distributions fitted to the ranking.",
    prefer="for a few ordered ratings, as in radiology",
    cite=CITE,
)  # fmt: skip
def binormal_auc(table: ScoreTable) -> float:
    """The area under the fitted binormal ROC curve.

    >>> t = ScoreTable(np.array([3, 2, 1]), np.array([6, 3, 1]), np.array([1, 3, 6]))
    >>> round(binormal_auc(t), 4)
    0.8611
    """
    return _fit(table).auc


@curve(
    "binormal_roc", title="binormal ROC curve", columns=("fpr", "tpr"), formula="TPR = Phi(a + b probit(FPR))",
    latex=r"TPR = \Phi(a + b\,\Phi^{-1}(FPR))",
    chance="the diagonal",
    says="A smooth ROC curve of two normal distributions fitted to the ranking.",
    prefer="for a few ordered ratings, as in radiology",
    cite=CITE, needs="both",
)  # fmt: skip
def binormal_roc(table: ScoreTable, *, points: int = 101) -> Curve:
    """The fitted binormal ROC curve at evenly spaced false positive rates.

    Its thresholds are on the fitted normal scale (negatives have mean 0 and standard deviation 1), not on the scale of
    the scores.

    >>> t = ScoreTable(np.array([3, 2, 1]), np.array([6, 3, 1]), np.array([1, 3, 6]))
    >>> binormal_roc(t, points=3).tpr.round(4)
    array([0. , 0.9376, 1. ])
    """
    from scipy.special import ndtri

    if points < 2:
        raise RocscopeError(f"points must be at least 2, not {points}")
    fit = _fit(table)
    rates = np.linspace(0.0, 1.0, points)
    columns = {"fpr": rates, "tpr": fit.tpr(rates)}
    return Curve("binormal_roc", -ndtri(rates), columns, x="fpr", y="tpr", why=fit.hook, steps=False)


# ---- maximum-likelihood fit ----


def _fit(table: ScoreTable) -> Binormal:
    from scipy.special import ndtr

    if not table.positives or not table.negatives:
        raise Undefined(f"no {'positives' if not table.positives else 'negatives'}: a binormal fit is undefined")
    pos, neg = _categories(table)
    if not _overlap(pos, neg):
        raise Undefined("the scores separate the classes: a binormal fit is undefined")
    if len(pos) < 3:
        raise Undefined(f"there are {len(pos)} categories of scores, but a binormal fit needs at least 3")
    parameters = _climb(pos, neg, _start(pos, neg))
    a, b = float(parameters[0]), float(parameters[1])
    spread = np.linalg.inv(_slopes(pos, neg, parameters)[1])[:2, :2].tolist()
    return Binormal(a, b, float(ndtr(a / sqrt(1 + b * b))), covariance=(tuple(spread[0]), tuple(spread[1])))


def _categories(table: ScoreTable) -> tuple[Array, Array]:
    """Positives and negatives per category, from the least positive up: runs of one class pooled, at most 20."""
    pos, neg = floats(table.pos)[::-1], floats(table.neg)[::-1]
    filled = (pos + neg) > 0
    pos, neg = pos[filled], neg[filled]
    pure = (pos == 0).astype(int) - (neg == 0)  # 1: only negatives, -1: only positives, 0: both
    starts = np.flatnonzero(np.concatenate(([True], (pure[1:] != pure[:-1]) | (pure[1:] == 0))))
    pos, neg = np.add.reduceat(pos, starts), np.add.reduceat(neg, starts)
    if len(pos) <= MOST_CATEGORIES:
        return pos, neg
    share = np.cumsum(pos / pos.sum() + neg / neg.sum()) / 2
    which = np.minimum((share * MOST_CATEGORIES).astype(int), MOST_CATEGORIES - 1)
    starts = np.flatnonzero(np.concatenate(([True], which[1:] != which[:-1])))
    return np.add.reduceat(pos, starts), np.add.reduceat(neg, starts)


def _overlap(pos: Array, neg: Array) -> bool:
    ups, downs = np.flatnonzero(pos), np.flatnonzero(neg)
    return bool(ups[0] < downs[-1] and downs[0] < ups[-1])


def _start(pos: Array, neg: Array) -> Array:
    """a, b and the cut points to begin with: from rates with half a case, or a thousandth of all, added to each."""
    from scipy.special import ndtri

    filled = (counts + max(0.5, 1e-3 * counts.sum()) for counts in (neg, pos))
    cuts, turned = (ndtri(np.cumsum(counts)[:-1] / counts.sum()) for counts in filled)
    spread = float(((cuts - cuts.mean()) ** 2).sum())
    b = float(((cuts - cuts.mean()) * (turned - turned.mean())).sum()) / spread if spread else 1.0
    b = min(max(b, 0.2), 5.0)
    return np.concatenate(([b * cuts.mean() - turned.mean(), b], cuts))


def _climb(pos: Array, neg: Array, parameters: Array) -> Array:
    """The maximum by Fisher scoring, steps halved until they climb and keep the cut points in order."""
    height = _likelihood(pos, neg, parameters)
    for _ in range(500):
        slopes, information = _slopes(pos, neg, parameters)
        try:
            step = np.linalg.solve(information, slopes)
        except np.linalg.LinAlgError:
            break
        gain = float(slopes @ step)  # Newton decrement: about twice the remaining gain in log-likelihood
        while (tried := _likelihood(pos, neg, parameters + step)) < height and np.abs(step).max() > 1e-13:
            step = step / 2
        stuck = tried < height
        if not stuck:
            parameters, height = parameters + step, tried
        if np.abs(parameters).max() > FURTHEST or parameters[1] < 1 / FURTHEST:
            break
        # close to the maximum, a step that cannot improve is due to rounding
        if gain < (1e-8 if stuck else 1e-16 * (1 + abs(height))):
            return parameters
        if stuck:
            break
    raise Undefined("the binormal fit did not converge: the likelihood has no maximum at finite a and b")


def _cells(parameters: Array) -> tuple[Array, Array, Array, Array]:
    """The probabilities of the categories for positives and for negatives, and the ends they lie between."""
    from scipy.special import ndtr

    ends = np.concatenate(([-np.inf], parameters[2:], [np.inf]))
    shifted = parameters[1] * ends - parameters[0]
    return np.diff(ndtr(shifted)), np.diff(ndtr(ends)), ends, shifted


def _likelihood(pos: Array, neg: Array, parameters: Array) -> float:
    if parameters[1] <= 0:
        return -np.inf
    up, down, _, _ = _cells(parameters)
    if (up <= 0).any() or (down <= 0).any():
        return -np.inf
    return float((pos * np.log(up)).sum() + (neg * np.log(down)).sum())


def _slopes(pos: Array, neg: Array, parameters: Array) -> tuple[Array, Array]:
    """The gradient and the expected information by a, b and the cut points."""
    up, down, ends, shifted = _cells(parameters)
    dense_up, dense_down = _density(shifted), _density(ends)
    at = np.where(np.isfinite(ends), ends, 0.0)
    cuts = len(parameters) - 2
    of_up, of_down = np.zeros((len(up), cuts + 2)), np.zeros((len(up), cuts + 2))
    of_up[:, 0], of_up[:, 1] = -np.diff(dense_up), np.diff(at * dense_up)
    for k in range(cuts):
        of_up[k : k + 2, k + 2] = parameters[1] * dense_up[k + 1] * np.array([1.0, -1.0])
        of_down[k : k + 2, k + 2] = dense_down[k + 1] * np.array([1.0, -1.0])
    slopes = of_up.T @ (pos / up) + of_down.T @ (neg / down)
    weight_up, weight_down = pos.sum() / up, neg.sum() / down
    return slopes, of_up.T @ (weight_up[:, None] * of_up) + of_down.T @ (weight_down[:, None] * of_down)


def _density(x: Array) -> Array:
    return np.exp(-(np.where(np.isfinite(x), x, 40.0) ** 2) / 2) / sqrt(2 * np.pi)
