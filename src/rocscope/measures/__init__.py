"""The catalog of measures of a confusion matrix, each declared once.

>>> get("ppv").name
'precision'
>>> get("f0.5").text
'1.25 * tp / (1.25 * tp + 0.25 * fn + fp)'
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache
from math import inf, isnan
from numbers import Real
from typing import Any

from rocscope.errors import RocscopeError
from rocscope.measures import agreement, clinical, information, overall, rates, similarity
from rocscope.measures.averages import AVERAGES, Average, average, cells_by_class, class_cells, one_vs_rest
from rocscope.measures.measure import Measure
from rocscope.measures.of_matrix import as_cells
from rocscope.numbers import fraction
from rocscope.registry import Registry

__all__ = [
    "AVERAGES", "Average", "Measure", "average", "catalog", "cells_by_class", "class_cells", "declare", "fbeta",
    "get", "look_up", "names", "one_vs_rest", "as_cells",
]  # fmt: skip

DECLARED = Registry[Measure]("measure")
for _topic in (rates, clinical, agreement, similarity, information, overall):
    for _measure in _topic.MEASURES:  # the group defaults to the name of the module
        _group = _measure.group or _topic.__name__.rpartition(".")[2]
        DECLARED.declare(_measure.name, replace(_measure, group=_group), aka=_measure.aka)

_F_BETA = re.compile(r"f_?(inf|[0-9]{1,9}(?:[._][0-9]{1,9})?(?:e[0-9]{1,2})?)")
LARGEST_BETA = 1e6  # its square still leaves precision a nonzero weight in floating point


def declare(name: str, text: str | None = None, *, group: str = "declared", **facts: Any) -> Measure:
    """Add a measure to the catalog: its formula in tp, fp, fn and tn, or `matrix`, and its description `says`.

    It can then be used by its name wherever a measure is named: as an attribute of counts, as a rule for a threshold,
    in conditions, and on the command line. The other keywords are the fields of `Measure`.
    """
    measure = Measure(name, text, group=group, **facts)
    return DECLARED.declare(name, measure, aka=measure.aka)


def catalog() -> tuple[Measure, ...]:
    """All measures, in reading order."""
    return tuple(DECLARED.catalog().values())


def names() -> Mapping[str, Measure]:
    """Every name and alias with its measure."""
    return DECLARED.names()


def get(name: str) -> Measure:
    """The measure with this name or alias, ignoring case; f0.5, f2, f3 ... are F-beta with that beta."""
    return look_up(name) or DECLARED.find(name)


def look_up(name: str) -> Measure | None:
    """The measure with this name or alias, as in `get`; None if there is none.

    >>> look_up("ppv").name, look_up("nonsense")
    ('precision', None)
    """
    measure = DECLARED.look_up(name)
    beta = _F_BETA.fullmatch(name.strip().lower()) if measure is None else None
    return fbeta(float(beta[1].replace("_", "."))) if beta else measure


def fbeta(beta: float) -> Measure:
    """F-beta, in which recall matters beta times as much as precision; 0 gives precision, and infinity gives recall.

    F = (1 + b^2) TP / ((1 + b^2) TP + b^2 FN + FP). van Rijsbergen 1979.

    >>> fbeta(2).value({"tp": 7, "fp": 7, "fn": 3, "tn": 13})
    0.6481481481481481
    """
    if isinstance(beta, bool) or not isinstance(beta, Real):
        raise RocscopeError(f"beta must be a number, not {beta!r}")
    if (isinstance(beta, float) and isnan(beta)) or beta < 0:
        raise RocscopeError(
            f"beta must be 0 or more, not {beta}: it is the weight of recall relative to precision"
        )
    if beta == 0 or beta == inf:
        return get("precision" if beta == 0 else "recall")
    if not 1 / LARGEST_BETA <= beta <= LARGEST_BETA:
        raise RocscopeError(
            f"beta must be between {1 / LARGEST_BETA:g} and {LARGEST_BETA:g}, not {str(beta)[:40]}",
            hint="F0 is precision, and Finf is recall",
        )
    return get("f1") if beta == 1 else _fbeta(float(beta))


@lru_cache(maxsize=256)
def _fbeta(beta: float) -> Measure:
    square = fraction(beta) ** 2
    more, weight = (_written(1 + square), _written(square))
    return Measure(
        f"f{beta:g}", f"{more} * tp / ({more} * tp + {weight} * fn + fp)", title=f"F{beta:g}",
        says=f"Precision and recall combined, with recall weighted {beta:g} times as much.",
        prefer="when a miss is worse than a false alarm (beta above 1), or the reverse (below 1)",
        cite="van Rijsbergen 1979, Information Retrieval, 2nd ed.", chance="depends on the number flagged",
        group="rates",
    )  # fmt: skip


def _written(number: Fraction) -> str:
    """A decimal where there is a short one, else a quotient, as the formula grammar reads it."""
    text = f"{float(number):.12g}"
    return text if Fraction(text) == number else f"({number.numerator} / {number.denominator})"
