"""The corners of a table's convex hull as rows of its curves: what cost, calibration and thinning are made from."""

from __future__ import annotations

import numpy as np

from rocscope.curves.curve import Array
from rocscope.table import ScoreTable


def corners(table: ScoreTable) -> Array:
    """The rows of `along` that are corners of the ROC convex hull, "predict nothing" and "predict all" included.

    >>> t = ScoreTable.from_scores([1, 0, 1, 1, 0], [0.9, 0.8, 0.8, 0.8, 0.1])
    >>> corners(t)
    array([0, 1, 2, 3])
    """
    if not table.positives or not table.negatives:  # no ROC curve: one block of one class
        return np.array([0, len(table)] if len(table) else [0])
    from rocscope.hull import hull

    rows = np.unique([table.position(point.threshold) for point in hull(table).points])
    rows[0], rows[-1] = 0, len(table)  # scores of weight 0 at an end belong to it
    return rows
