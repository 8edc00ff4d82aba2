"""The mergeable sums: Counts, Confusion, ScoreTable, and Stream for cases that arrive in pieces."""

from rocscope.table.at_thresholds import cells_at, cells_of, once, thresholds_at
from rocscope.table.confusion import Confusion
from rocscope.table.counts import Counts
from rocscope.table.score_table import ScoreTable
from rocscope.table.streaming import Stream, windows

__all__ = [
    "Confusion", "Counts", "ScoreTable", "Stream", "cells_at", "cells_of", "once", "thresholds_at", "windows",
]  # fmt: skip
