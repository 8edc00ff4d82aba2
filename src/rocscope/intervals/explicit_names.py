"""Statistics whose name states their range or point: "partial_auc fpr 0 to 0.1", "net benefit at 0.2"."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np

from rocscope import curves
from rocscope.estimate import Estimate
from rocscope.intervals.bands import sensitivity_at, specificity_at
from rocscope.intervals.cost_intervals import net_benefit
from rocscope.intervals.resamples import cut_at
from rocscope.intervals.statistics import Array, Statistic, statistic_of
from rocscope.numbers import checked_share, floats
from rocscope.record import record

_NUMBER = r"(\d+(?:\.\d+)?|\.\d+)\s*(%?)"
_RANGE = rf"{_NUMBER}(?:\s*to\s*|\s*-\s*|\s*,\s*){_NUMBER}"
_RATE = {
    "sensitivity": "sensitivity", "recall": "sensitivity", "tpr": "sensitivity", "specificity": "specificity",
    "tnr": "specificity",
}  # fmt: skip
_AT_RATE = re.compile(rf"({'|'.join(_RATE)}) at ({'|'.join(_RATE)}) {_NUMBER}")
_BENEFIT = re.compile(rf"net benefit (?:at )?{_NUMBER}")
_AREA = re.compile(rf"(?:partial )?(auc|pauc|roc auc|pr area|pr auc|auprc) (fpr|tpr|recall) {_RANGE}")
EXAMPLES = 'Write, for example, "partial_auc fpr 0 to 0.1", "pr_area recall 0.5 to 1" or "net benefit at 0.2"'


@record(slots=True)
class AskedStatistic:
    """A statistic with its range or point: its name as written, its title, and how it is resampled.

    `closed` is its closed form, called with a table and level=, and None if it is resampled; `pt` is the threshold
    probability of a net benefit, and None for every other statistic.
    """

    name: str
    title: str
    statistic: Statistic
    needs_probabilities: bool = False
    closed: Callable[..., Estimate] | None = None
    pt: float | None = None


def asked_statistic(text: str) -> AskedStatistic | None:
    """The statistic that a text names together with its range or point; None if the text names no such statistic.

    >>> asked_statistic("sensitivity-at-specificity-0.9").name, asked_statistic("auc")
    ('sensitivity at specificity 0.9', None)
    """
    spelled = re.sub(r"[\s_]+|(?<=[a-z])-(?=[a-z\d.])", " ", str(text).strip().lower())
    if match := _AT_RATE.fullmatch(spelled):
        wanted, kept = _RATE[match[1]], _RATE[match[2]]
        return None if wanted == kept else _rate(wanted, kept, _value(match[3], match[4]))
    if match := _BENEFIT.fullmatch(spelled):
        return _net_benefit(_value(match[1], match[2]))
    if match := _AREA.fullmatch(spelled):
        return _area(match[1], match[2], (_value(match[3], match[4]), _value(match[5], match[6])))
    return None


def _value(number: str, percent: str) -> float:
    return float(number) / 100 if percent else float(number)


def _rate(wanted: str, kept: str, value: float) -> AskedStatistic:
    checked_share(kept, value, hint="Write 0.9 or 90 %")
    statistic: Any = statistic_of(f"{wanted}_at", **{kept: value})
    title = f"{wanted} at {kept} {value:g}"
    closed = sensitivity_at if wanted == "sensitivity" else specificity_at
    return AskedStatistic(title, title, statistic, closed=lambda t, **how: closed(t, value, **how))


def _area(kind: str, across: str, ends: tuple[float, float]) -> AskedStatistic | None:
    """A part of the ROC area, or of the area under the precision-recall curve."""
    pr = kind.startswith("pr ") or kind == "auprc"
    if pr != (across == "recall"):
        return None
    given: dict[str, Any] = {across: ends} if pr else {"fpr": None, "tpr": None, across: ends}
    statistic: Any = statistic_of("pr_area" if pr else "partial_auc", **given)
    title = f"{'PR area' if pr else 'partial AUC'}, {across} {ends[0]:g} to {ends[1]:g}"
    curves.rate_range(across, ends)
    name = f"{'pr_area' if pr else 'partial_auc'} {across} {ends[0]:g} to {ends[1]:g}"
    return AskedStatistic(name, title, statistic)


def _net_benefit(pt: float) -> AskedStatistic:
    """TP/n - w FP/n at the threshold pt, with w = pt / (1 - pt)."""
    checked_share("pt", pt, hint="Give the lowest probability at which acting is worthwhile, such as 0.2")
    odds, plain = pt / (1 - pt), statistic_of("net_benefit_at", pt=pt)

    def values(pos: Array, neg: Array) -> Array:
        cases = floats(pos.sum(1)) + floats(neg.sum(1))
        return np.asarray((floats(pos[:, 0]) - odds * floats(neg[:, 0])) / np.where(cases > 0, cases, np.nan))

    statistic = Statistic(
        f"net benefit at {pt:g}", -odds, 1.0, plain.value, plain.why, cut_at(pt), lambda t: values,
        instead=f"intervals.net_benefit(t, pt={pt:g})",
    )  # fmt: skip
    return AskedStatistic(
        statistic.name, statistic.name, statistic, True, lambda t, **how: net_benefit(t, pt=pt, level=how["level"]), pt
    )
