"""The convex hull in ROC space: which model and threshold is cheapest at which cost ratio.

>>> h = hull({"C4.5": (0.2, 0.7), "SVM": (0.5, 0.95)})
>>> print(h)
Hull(4 points, area 0.805)
slope from      to  model  threshold  fpr   tpr
       3.5     inf               inf    0     0
    0.8333     3.5   C4.5             0.2   0.7
       0.1  0.8333    SVM             0.5  0.95
         0     0.1              -inf    1     1
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from rocscope.hull.corners import corner_rows
from rocscope.hull.isotonic import Concavity, Isotonic, IsotonicBlock, concavities, pav, pools
from rocscope.hull.points import Corners, PointSource, corners_of, sources_of
from rocscope.hull.result import Hull, HullPoint, IsoLine, Mixture, Segment, SlopeInterval
from rocscope.table import Counts, ScoreTable

__all__ = [
    "IsotonicBlock",
    "Concavity",
    "Hull",
    "HullPoint",
    "SlopeInterval",
    "IsoLine",
    "Isotonic",
    "Mixture",
    "Segment",
    "concavities",
    "corner_rows",
    "hull",
    "pav",
    "pools",
]

Point = tuple[Any, Any] | Counts


def hull(held: ScoreTable | Mapping[Any, ScoreTable | Point | Iterable[Any]] | Iterable[Any] | Point) -> Hull:
    """The convex hull of one curve, several models or single classifiers, including both trivial ends.

    A mapping gives models by name: each is a score table, one point (fpr, tpr), Counts, or a list of points. A list
    alone is a parameter sweep of points (fpr, tpr) or (fpr, tpr, setting), which need not be monotone. Points on a line
    between others are not corners; tables of integers are compared exactly, and a float is treated as the decimal that
    it prints as. Provost & Fawcett 2001, Machine Learning 42:203.

    >>> import numpy as np
    >>> t = ScoreTable(scores=np.array([3, 2, 1]), pos=np.array([2, 1, 1]), neg=np.array([0, 1, 3]))
    >>> hull(t).points[1]
    HullPoint(fpr=0.0, tpr=0.5, model=None, threshold=3.0)
    >>> hull(t).slopes, hull(t).area
    ((inf, 1.0, 0.3333333333333333), 0.8125)
    """
    sources = sources_of(held)
    models = tuple(source.model for source in sources if source.model is not None)
    positives, negatives = _totals(sources)
    why = "; ".join(source.why for source in sources if source.why)
    corners = Corners((), (), 1, 1, ()) if why else corners_of(sources)
    return Hull(corners, models, positives, negatives, why, tuple(sources))


def _totals(sources: list[PointSource]) -> tuple[Any, Any]:
    """Positives and negatives where all sources agree on them, else unknown."""
    distinct = {source.totals for source in sources}
    totals = distinct.pop() if len(distinct) == 1 else None
    return totals if totals is not None else (None, None)
