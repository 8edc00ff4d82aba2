"""Concepts by name: what an idea says, its formula, where it is used here, and its trap.

>>> concept("LOO").name
'leave-one-out'
>>> concept("recall").formula
'recall = TPR = TP / (TP + FN); class i: n_ii / n_i'
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType

from rocscope.lessons.concepts_costs import COST_CONCEPTS
from rocscope.lessons.concepts_counts import COUNT_CONCEPTS
from rocscope.lessons.concepts_curves import CURVE_CONCEPTS
from rocscope.lessons.concepts_resampling import RESAMPLING_CONCEPTS
from rocscope.lessons.records import Concept, pick

_ALL: tuple[Concept, ...] = (*COUNT_CONCEPTS, *CURVE_CONCEPTS, *COST_CONCEPTS, *RESAMPLING_CONCEPTS)


def plain(name: str) -> str:
    """A name as it is looked up: lower case, one space for blanks, hyphens and underscores.

    >>> plain("  Leave-One_Out ")
    'leave one out'
    """
    return re.sub(r"[\s_-]+", " ", name).strip().lower()


_BY_NAME: Mapping[str, Concept] = MappingProxyType({plain(name): one for one in _ALL for name in (one.name, *one.aka)})


def concepts() -> tuple[Concept, ...]:
    """All concepts, in reading order.

    >>> concepts()[0].name
    'evaluation'
    """
    return _ALL


def concept(name: str) -> Concept:
    """The concept of that name or alias; hyphens, blanks and case do not matter.

    >>> concept("roc_convex_hull").name
    'hull'
    >>> concept("5x3")
    Traceback (most recent call last):
    ...
    rocscope.errors.RocscopeError: no concept is called '5x3'. Did you mean '5x2'?
    """
    key = plain(name)
    found: Concept = _BY_NAME[key] if key in _BY_NAME else pick(name, _BY_NAME, "concept")
    return found
