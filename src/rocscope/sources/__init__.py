"""Frames, files and engines reduced to tables: the only room that knows frames.

>>> from rocscope import sources
>>> source = sources.open({"y": [1, 0, 1, 0], "p": [0.9, 0.4, 0.4, 0.1]})
>>> sources.tables(source, label="y", scores=["p"]).tables["p",]
ScoreTable(4 cases, 2 positive (50 %), 3 distinct scores from 0.9 to 0.1, positive: score >= threshold)

`open(anything)` gives a `Source`. `tables` makes one lazy reduction for all scores and slices: exact in memory while
the rows fit `budget`, else on dyadic cells with a bound that holds, refined until it is under `tolerance`. `confusions`
does the same for hard predictions, `columns` fetches columns as arrays, `paired_delong` what a paired test needs.
`to_native` takes a tidy table back to the user's library.

- `source.py`: Source, Rows, Reduced, PairedAreas, and the stated limits
- `opening.py`: which frame is it
- `batches.py`: a source as batches of NumPy arrays
- `checks.py`: labels, missing values, weights: one policy, counted by reason
- `cells.py`: dyadic cells of scores, which of them to split, and the table they make
- `counters.py`: cells being filled
- `local.py`: reduction with NumPy of what this process can read
- `ranges.py`: exact readings beyond memory, by ranges of values
- `engines.py`: reduction inside an engine, through narwhals
- `pairs.py`: DeLong's covariance of several scores; `placing.py`: the same inside an engine
- `matrices.py`: confusion matrices
- `native.py`: tidy tables out
- `files.py` and its neighbours: files in; `saved.py`: saved tables, the layout of `.rst`
"""

from __future__ import annotations

from rocscope.sources.confusions import confusions
from rocscope.sources.opening import columns, open
from rocscope.sources.paired_areas import paired_delong
from rocscope.sources.source import (
    BUDGET,
    ENGINE_BUDGET,
    ROW,
    TOLERANCE,
    Key,
    PairedAreas,
    Progress,
    Reduced,
    Rows,
    Source,
)
from rocscope.sources.tables import tables
from rocscope.sources.to_native import to_native

__all__ = [
    "BUDGET",
    "ENGINE_BUDGET",
    "ROW",
    "TOLERANCE",
    "Key",
    "PairedAreas",
    "Progress",
    "Reduced",
    "Rows",
    "Source",
    "columns",
    "confusions",
    "open",
    "paired_delong",
    "tables",
    "to_native",
]
