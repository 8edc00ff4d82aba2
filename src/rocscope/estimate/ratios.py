"""Ratios of the four cells, with intervals on the log or log-odds scale."""

from __future__ import annotations

import math

from rocscope.errors import RocscopeError, did_you_mean
from rocscope.estimate.estimate import Estimate, undefined
from rocscope.numbers import checked_cases, checked_level, checked_share, expit, normal_quantile

Cells = tuple[float, float, float, float]


def likelihood_ratio(
    tp: float, fp: float, fn: float, tn: float, *, kind: str = "positive", level: float = 0.95
) -> Estimate:
    """The factor by which a positive (or negative) prediction multiplies the odds of being positive, with its interval.

    LR+ = (TP/P)/(FP/N), and the variance of its log is 1/TP - 1/P + 1/FP - 1/N; LR- = (FN/P)/(TN/N) is treated
    likewise. If a cell is empty, the limits come from the table with half a case added to each cell, extended to
    include the plain value. Reference: Simel, Samsa & Matchar, J Clin Epidemiol 1991;44:763-770.

    >>> print(likelihood_ratio(7, 7, 3, 13), likelihood_ratio(7, 7, 3, 13, kind="negative"))
    2.00 [0.97, 4.12] 0.46 [0.17, 1.25]
    """
    cells, level = _checked(tp, fp, fn, tn), checked_level(level)
    method = "log LR+ (Simel)" if _is_positive(kind) else "log LR- (Simel)"
    if why := _empty_class(cells):
        return undefined(why, level=level, method=method)
    value = _quotient(*_rates(cells, kind))
    return _on_log(value, *_log_likelihood_ratio(_filled(cells), kind), level=level, method=method)


def odds_ratio(tp: float, fp: float, fn: float, tn: float, *, level: float = 0.95) -> Estimate:
    """The diagnostic odds ratio, TP·TN/(FP·FN), with its interval on the log scale.

    The variance of its log is 1/TP + 1/FP + 1/FN + 1/TN; empty cells are treated as in `likelihood_ratio`.
    Reference: Woolf, Ann Hum Genet 1955;19:251-253.

    >>> print(odds_ratio(7, 7, 3, 13))
    4.33 [0.84, 22.23]
    """
    cells, level = _checked(tp, fp, fn, tn), checked_level(level)
    if why := _empty_class(cells):
        return undefined(why, level=level, method="log odds ratio (Woolf)")
    tp, fp, fn, tn = _filled(cells)
    centre = math.log(tp) + math.log(tn) - math.log(fp) - math.log(fn)
    se = math.sqrt(1 / tp + 1 / fp + 1 / fn + 1 / tn)
    value = _quotient(cells[0] * cells[3], cells[1] * cells[2])
    return _on_log(value, centre, se, level=level, method="log odds ratio (Woolf)")


def predictive_value(
    tp: float, fp: float, fn: float, tn: float, *, prevalence: float, kind: str = "positive", level: float = 0.95
) -> Estimate:
    """The precision (PPV) or the negative predictive value at a given prevalence.

    logit PPV = logit prevalence + log LR+, logit NPV = -logit prevalence - log LR-, each with the standard
    error of its log LR. Reference: Mercaldo, Lau & Zhou, Stat Med 2007;26:2170-2183.

    >>> print(predictive_value(7, 7, 3, 13, prevalence=0.02))
    0.039 [0.019, 0.078]
    """
    cells, level = _checked(tp, fp, fn, tn), checked_level(level)
    prevalence = checked_share("prevalence", prevalence, hint="2 % is 0.02")
    method = "logit PPV (Mercaldo)" if _is_positive(kind) else "logit NPV (Mercaldo)"
    if why := _empty_class(cells):
        return undefined(why, level=level, method=method)
    rate, other = _rates(cells, kind)
    if max(rate, other) == 0:
        return undefined(f"undefined: there is no {kind} prediction", level=level, method=method)
    share = (prevalence * rate, (1 - prevalence) * other)
    log_ratio, se = _log_likelihood_ratio(_filled(cells), kind)
    log_odds, step = math.log(prevalence / (1 - prevalence)) + log_ratio, normal_quantile(level) * se
    sign = 1 if _is_positive(kind) else -1
    value = (share[0] if _is_positive(kind) else share[1]) / sum(share)
    low, high = expit(sign * log_odds - step), expit(sign * log_odds + step)
    spread = value * (1 - value) * se
    return Estimate(
        value, min(low, value), max(high, value), level, method, se=spread, se_scale="logit", se_on_scale=se
    )


def _rates(cells: Cells, kind: str) -> tuple[float, float]:
    """The share of the positives, and of the negatives, that got this prediction."""
    tp, fp, fn, tn = cells
    positives, negatives = tp + fn, fp + tn
    return (tp / positives, fp / negatives) if _is_positive(kind) else (fn / positives, tn / negatives)


def _log_likelihood_ratio(cells: Cells, kind: str) -> tuple[float, float]:
    tp, fp, fn, tn = cells
    hit, other = (tp, fp) if _is_positive(kind) else (fn, tn)
    rate, other_rate = _rates(cells, kind)
    variance = 1 / hit - 1 / (tp + fn) + 1 / other - 1 / (fp + tn)
    return math.log(rate) - math.log(other_rate), math.sqrt(variance)


def _filled(cells: Cells) -> Cells:
    """The cells themselves, or with half a case added to each when one is empty."""
    tp, fp, fn, tn = cells
    return cells if min(cells) > 0 else (tp + 0.5, fp + 0.5, fn + 0.5, tn + 0.5)


def _quotient(top: float, bottom: float) -> float:
    if bottom > 0:
        return top / bottom
    return math.inf if top > 0 else math.nan


def _on_log(value: float, centre: float, se: float, *, level: float, method: str) -> Estimate:
    """Limits exp(center ± z se), stretched to the value; a value over 0 has no upper limit and is NaN."""
    step = normal_quantile(level) * se
    low, high = math.exp(centre - step), math.exp(min(700, centre + step))
    if math.isnan(value):
        return undefined("0/0: no case has this prediction", level=level, method=method)
    if math.isinf(value):
        why = "division by 0: the ratio has no upper limit"
        return Estimate(math.nan, low, math.inf, level, method, why, se_scale="log", se_on_scale=se)
    return Estimate(
        value, min(low, value), max(high, value), level, method, se=value * se, se_scale="log", se_on_scale=se
    )


def _is_positive(kind: str) -> bool:
    if kind not in ("positive", "negative"):
        raise RocscopeError(f"there is no kind '{kind}'", hint=did_you_mean(str(kind), ("positive", "negative")))
    return kind == "positive"


def _empty_class(cells: Cells) -> str:
    tp, fp, fn, tn = cells
    if tp + fn == 0:
        return "undefined: there are no positives"
    return "undefined: there are no negatives" if fp + tn == 0 else ""


def _checked(tp: float, fp: float, fn: float, tn: float) -> Cells:
    return checked_cases("tp", tp), checked_cases("fp", fp), checked_cases("fn", fn), checked_cases("tn", tn)
