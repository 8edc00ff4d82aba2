"""Files, frames and engines reduced to tables: the only package that knows files and frames.

>>> from rocscope import sources
>>> source = sources.open({"y": [1, 0, 1, 0], "p": [0.9, 0.4, 0.4, 0.1]})
>>> sources.tables(source, label="y", scores=["p"]).tables["p",]
ScoreTable(4 cases, 2 positive (50 %), 3 distinct scores from 0.9 to 0.1, positive: score >= threshold)

`open(anything)` gives a `Source`. `tables` makes one lazy reduction for all scores and slices: exact in memory while
the rows fit `budget`, else on dyadic cells with a bound that holds, refined until it is under `tolerance`. `confusions`
does the same for hard predictions, `columns` fetches columns as arrays, `paired_delong` what a paired test needs.
`to_native` takes a tidy table back to the user's library.

- `source.py`: Source, Rows, Reduced, PairedAreas, and the stated limits; `opening.py`: anything becomes a Source
- `files.py`: files of any kind as one Source; `formats.py`, `compression.py`, `text_blocks.py`: what their bytes are
- `csv.py`: what a CSV file means; `plain_csv.py`: large ones by pyarrow or DuckDB; `json_lines.py`, `excel.py`,
  `parquet.py`; `database.py`: DuckDB
- `column_batches.py`: a source as batches of NumPy columns
- `checks.py`: labels, missing values, weights: one policy, counted by reason
- `tables.py`: any source to score tables; `certified.py`: with NumPy, on `cells.py`, filled by `counters.py`, exact
  beyond memory by `exact_ranges.py`; `engines/`: inside an engine, through narwhals
- `paired_areas.py`: DeLong's covariance of several scores; `placing.py`: the same inside an engine
- `confusions.py`: confusion matrices; `join_by_id.py`: the cases of several files matched
- `table_files.py`: saved tables; `to_native.py`: tidy tables in the user's library
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
