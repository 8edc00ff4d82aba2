"""The meaning of results in plain English: imbalance, baselines, caveats, which measure to trust, ROC space.

>>> imbalance(8, 92).text
'imbalanced: 92 % are negative (11.5 : 1)'
>>> print(majority_baseline(Counts(tp=2, fp=0, fn=6, tn=92)).text)
Always predicting negative is correct in 0.92 of the cases.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from types import MappingProxyType
from typing import Any

from rocscope.errors import RocscopeError, did_you_mean
from rocscope.record import record
from rocscope.table import Confusion, Counts, ScoreTable
from rocscope.text import percentage, two
from rocscope.verdicts.findings import LEANING, LOSSES, CountFindings, TableFindings, class_sizes, per_cases
from rocscope.verdicts.placeholders import class_names, difference, difference_words, fill, note, plain
from rocscope.verdicts.sentences import IN_COUNTS, IN_TABLE, stated
from rocscope.verdicts.slices import by_text, slice_sentences
from rocscope.verdicts.verdict import (
    live_templates,
    of_class_comparison,
    of_classes,
    of_comparison,
    of_evaluation,
    of_labels,
    of_points,
    of_validation,
    pieces_of,
)

__all__ = [
    "LEANING", "LOSSES", "Baseline", "Imbalance", "Trust", "accuracy_caveat", "by_text", "caveats",
    "class_names",
    "difference", "difference_words", "fill", "imbalance", "live_templates", "majority_baseline", "misleads", "note",
    "of_class_comparison", "of_classes", "of_comparison", "of_evaluation", "of_labels", "of_points", "of_validation",
    "per_cases", "pieces_of", "plain", "roc_space", "situations", "slice_sentences", "trust",
]  # fmt: skip

# ---- imbalance ----


@record(slots=True)
class Imbalance:
    """How uneven two classes are: a grade, the ratio majority / minority, and a phrase."""

    grade: str
    ratio: float
    text: str


# Minimum share of the larger class -> description.
_SCALE: tuple[tuple[Fraction, str], ...] = (
    (Fraction(95, 100), "extremely imbalanced"),
    (Fraction(80, 100), "imbalanced"),
    (Fraction(70, 100), "slightly imbalanced"),
    (Fraction(60, 100), "nearly balanced"),
    (Fraction(50, 100), "balanced"),
)


def imbalance(positives: float, negatives: float) -> Imbalance:
    """The grade of imbalance by the share of the larger class.

    Classes are balanced from 50 %, nearly balanced from 60 %, slightly imbalanced from 70 %, imbalanced from 80 % and
    extremely imbalanced from 95 %; the ratio is majority / minority. The scale is a convention.

    >>> imbalance(40, 60).grade, imbalance(30, 70).grade, imbalance(5, 95).grade
    ('nearly balanced', 'slightly imbalanced', 'extremely imbalanced')
    """
    larger, smaller = _sizes(positives, negatives)
    majority = "positive" if positives > negatives else "negative"
    if not smaller:
        return Imbalance("one class only", math.inf, f"one class only: all are {majority}")
    share = larger / (larger + smaller)
    grade = next(name for limit, name in _SCALE if share >= limit)
    ratio = float(larger / smaller)
    whose = "of each class" if larger == smaller else f"are {majority}"
    return Imbalance(grade, ratio, f"{grade}: {_percent(share)} {whose} ({_number(ratio)} : 1)")


def _sizes(positives: float, negatives: float) -> tuple[Fraction, Fraction]:
    """Both class sizes, the larger first."""
    for name, size in (("positives", positives), ("negatives", negatives)):
        if not math.isfinite(size) or size < 0:
            raise RocscopeError(f"the number of {name} must be 0 or more, not {size}")
    if not positives and not negatives:
        raise RocscopeError("there are no cases: 0 positives and 0 negatives")
    larger, smaller = sorted((Fraction(positives), Fraction(negatives)), reverse=True)
    return larger, smaller


# ---- majority-class baseline ----


@record(slots=True)
class Baseline:
    """The share of cases that always predicting the largest class gets right."""

    accuracy: float
    predicts: str
    text: str


def majority_baseline(cases: Counts | Confusion | ScoreTable) -> Baseline:
    """The accuracy of always predicting the largest class: largest class / total.

    >>> majority_baseline(Counts(tp=7, fp=7, fn=3, tn=13)).accuracy
    0.6666666666666666
    """
    sizes = class_sizes(cases)
    name = max(sizes, key=lambda label: sizes[label])
    share = float(sizes[name] / sum(sizes.values()))
    return Baseline(share, name, f"Always predicting {name} is correct in {two(share)} of the cases.")


def accuracy_caveat(cases: Counts | Confusion) -> str:
    """A sentence if accuracy is uninformative compared with the baseline; otherwise ''.

    It is uninformative if it is not above the baseline, or if the largest class has at least 60 % of the cases and
    fewer than half of the baseline's errors are avoided.

    >>> accuracy_caveat(Counts(tp=4, fp=2, fn=4, tn=90))
    'Accuracy is 0.94, but always predicting negative gives 0.92. Read precision and recall.'
    >>> accuracy_caveat(Counts(tp=45, fp=5, fn=5, tn=45))
    ''
    """
    return "".join(statement["text"] for statement in stated(IN_COUNTS, CountFindings(cases)))


# ---- misleading measures ----


def misleads(cases: Counts | Confusion | ScoreTable) -> list[str]:
    """Caveats that a careful colleague would add: where the usual numbers can be misread.

    For counts and matrices, they concern accuracy against the baseline; for tables, the ROC AUC under imbalance, an AUC
    below 0.5 or of exactly 1, an AUC of hard labels, near ties, and few cases of a class.

    >>> misleads(ScoreTable.from_scores([0, 0, 1, 1], [4, 3, 2, 1]))[0]
    'The ranking is reversed: AUC 0; in the opposite direction it would be 1. Nothing was reversed automatically.'
    """
    return [caveat["text"] for caveat in caveats(cases)]


def caveats(cases: Counts | Confusion | ScoreTable, *, accuracy: float | None = None) -> list[dict[str, Any]]:
    """The caveats of `misleads` as statements: rule, facts and text.

    `accuracy` is the accuracy after correction for selection, if there is one.
    """
    if isinstance(cases, ScoreTable):
        return list(stated(IN_TABLE, TableFindings(cases)))
    if cases.why("accuracy"):  # unknown counts: there is no accuracy that could mislead
        return []
    return list(stated(IN_COUNTS, CountFindings(cases, accuracy)))


# ---- choice of measures ----


@record(slots=True)
class Trust:
    """The measure to use in a situation, the reason, and what to read with it."""

    situation: str
    measure: str
    reason: str
    beside: tuple[str, ...] = ()


_TRUST: tuple[Trust, ...] = (
    Trust("spam", "precision", "A false alarm may lose a wanted message; a miss costs one click.", ("recall", "fpr")),
    Trust("medicine", "recall", "A missed patient goes untreated; a false alarm leads to another test.",
          ("specificity", "fnr")),
    Trust("false alarms", "precision", "Flagged cases must really be positive.", ("recall",)),
    Trust("misses", "recall", "Every positive must be found.", ("precision", "f2")),
    Trust("healthy people", "specificity", "Each false alarm costs money, stigma and worry.", ("fpr", "npv")),
    Trust("imbalance", "mcc", "MCC is high only if all four counts are good: a large class cannot hide errors.",
          ("average_precision", "balanced_accuracy")),
    Trust("rare positives", "average_precision", "The precision-recall curve shows what each hit costs.",
          ("mcc", "lift")),
    Trust("balanced", "accuracy",
          "With balanced classes and equal costs, the share of correct predictions is enough.", ("mcc",)),
    Trust("both errors", "f1", "It is low when either precision or recall is low.", ("precision", "recall", "mcc")),
    Trust("costs", "cost", "With known costs, the expected cost is what you pay; other measures are only substitutes.",
          ("net_benefit",)),
    Trust("ranking", "auc", "Only the order is used, so only the order should be assessed.", ("average_precision",)),
    Trust("probabilities", "log_loss", "The probabilities themselves are used, so they must be accurate.", ("brier",)),
    Trust("many classes", "macro f1", "Each class has the same weight, so a neglected small class is noticed.",
          ("kappa", "accuracy")),
    Trust("retrieval", "precision", "Users see what was retrieved, not what was left out; recall covers the rest.",
          ("recall", "f1")),
    Trust("capacity", "lift", "Capacity is limited: lift shows how much richer in positives the inspected cases are.",
          ("precision",)),
    Trust("chance agreement", "kappa", "It removes the agreement expected by chance.", ("mcc",)),
)  # fmt: skip

_BY_SITUATION: Mapping[str, Trust] = MappingProxyType({trusted.situation: trusted for trusted in _TRUST})


def situations() -> tuple[str, ...]:
    """The situations that `trust` covers.

    >>> situations()[:3]
    ('spam', 'medicine', 'false alarms')
    """
    return tuple(_BY_SITUATION)


def trust(situation: str) -> Trust:
    """The measure to use in a situation, with the reason and what to read with it.

    >>> trust("spam").measure, trust("medicine").measure
    ('precision', 'recall')
    """
    key = situation.strip().lower().replace("-", " ").replace("_", " ")
    if key not in _BY_SITUATION:
        known = ", ".join(_BY_SITUATION)
        raise RocscopeError(
            f"there is no situation named {situation!r}", hint=did_you_mean(key, _BY_SITUATION) or f"Known: {known}"
        )
    return _BY_SITUATION[key]


# ---- ROC space ----


def roc_space(fpr: float, tpr: float) -> str:
    """What a point in ROC space means: perfect, always positive, always negative, random, or on which side it lies.

    >>> roc_space(0, 1)
    'perfect: every positive and no negative is flagged'
    >>> roc_space(1, 0.5)
    'below the diagonal: worse than guessing; inverted, it is (0, 0.5)'
    """
    for name, value in (("fpr", fpr), ("tpr", tpr)):
        if not 0 <= value <= 1:
            raise RocscopeError(
                f"{name} must be a proportion from 0 to 1, not {value}", hint="Divide percentages by 100"
            )
    if (fpr, tpr) in _CORNERS:
        return _CORNERS[fpr, tpr]
    if fpr == tpr:
        return f"random: equivalent to flagging {_percent(fpr)} of the cases at random"
    if tpr < fpr:
        inverted = f"({_number(1 - fpr)}, {_number(1 - tpr)})"
        return f"below the diagonal: worse than guessing; inverted, it is {inverted}"
    return f"above the diagonal: TPR is {_number(tpr - fpr)} higher than by guessing"


_CORNERS: Mapping[tuple[float, float], str] = {
    (0, 1): "perfect: every positive and no negative is flagged",
    (0, 0): "always negative: nothing is flagged",
    (1, 1): "always positive: everything is flagged",
    (1, 0): "always wrong: inverted, it is perfect, (0, 1)",
}


def _number(value: float) -> str:
    """At most four significant digits, without trailing zeros; thousands with commas."""
    number = round(float(value), 12)
    return f"{number:,.0f}" if number >= 1000 else f"{number:.4g}"


def _percent(share: Fraction | float) -> str:
    return plain([percentage(float(share))])
