"""The mergeable sums Counts, Confusion and ScoreTable, and Stream for cases that arrive in batches."""

from rocscope.table.at_thresholds import ScoreRun, cells_at, cells_of, class_runs, entries, once, thresholds_at
from rocscope.table.confusion import Confusion, weights_of_cases
from rocscope.table.counts import Counts, as_prevalence
from rocscope.table.matrix_text import sum_of_cells
from rocscope.table.on_cells import Known
from rocscope.table.score_table import ScoreTable, as_table
from rocscope.table.streaming import Stream, windows

__all__ = [
    "Confusion", "Counts", "ScoreRun", "ScoreTable", "Stream", "cells_at", "class_runs", "entries", "cells_of", "once",
    "thresholds_at", "windows", "Known", "weights_of_cases", "as_prevalence", "as_table", "sum_of_cells",
]  # fmt: skip
