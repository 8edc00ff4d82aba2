"""The mergeable sums: Counts, Confusion, ScoreTable."""

from rocscope.table.confusion import Confusion
from rocscope.table.counts import Counts
from rocscope.table.scores import ScoreTable

__all__ = ["Confusion", "Counts", "ScoreTable"]
