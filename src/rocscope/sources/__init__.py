"""Files, frames and engines reduced to tables: the only package that reads files and frames.

>>> from rocscope import sources
>>> source = sources.open({"y": [1, 0, 1, 0], "p": [0.9, 0.4, 0.4, 0.1]})
>>> sources.tables(source, label="y", scores=["p"]).tables["p",]
ScoreTable(4 cases, 2 positive (50 %), 3 distinct scores from 0.9 to 0.1, positive: score >= threshold)

`open(anything)` gives a `Source`. `tables` makes one lazy reduction for all scores and slices: exact in memory while
the rows fit into `budget`, otherwise on dyadic cells with a guaranteed bound, refined until it is below `tolerance`.
`confusions` does the same for hard predictions, `paired_delong` what a paired test needs; `complete` and `columns`
fetch rows into memory. `to_native` converts a tidy table to the user's library.

- `source.py`: Source, Rows, Reduced, PairedAreas, and the stated limits; `frames.py`: anything becomes a Source
- `files.py`: files of any kind as one Source, and how it is read; `formats.py`, `compression.py`: their formats
- `text_file.py`: one file of text; `csv.py`: the meaning of CSV; `plain_csv.py`: large files by pyarrow or DuckDB, in
  `text_blocks.py`; `json_lines.py`, `excel.py`; `text_table.py`: their cells, and errors that name the line
- `parquet.py`: files with typed columns; `database.py`: DuckDB; `temporary_folder.py`: folders removed with the process
- `column_batches.py`: a source as batches of NumPy columns; `rows.py`: its rows in memory
- `usable_rows.py`: one policy for labels, missing values and weights; rows left out are counted by reason
- `reduction.py`: any source reduced to score tables; `certified.py`: with NumPy, on `cells.py`, filled by
  `counters.py`, exact beyond memory by `exact_ranges.py`; `engines/`: inside an engine, through narwhals
- `paired_areas.py`: DeLong's covariance of several scores
- `confusion_matrices.py`: confusion matrices; `join_by_id.py`: the cases of several files matched
- `column_guess.py`: the role of each column; `small_tables.py`: matrices, thresholds and ROC points in a small table
- `saved_tables.py`: saved tables; `native_frames.py`: tidy tables in the user's library
- `row_output.py`: rows written to files
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocscope.registry import on_first_use

if TYPE_CHECKING:
    from rocscope.sources.class_reduction import (
        PREDICTED,
        ClassQuestion,
        ClassReduction,
        ModelReduction,
        class_sums,
        decided_models,
        labels_of,
        model_sums,
    )
    from rocscope.sources.column_guess import (
        LABEL_NAMES,
        MOST_GROUPS,
        MOST_LABELS,
        PREDICTED_NAMES,
        Profile,
        Roles,
        as_number,
        class_columns,
        class_models,
        common_start,
        guess,
        plain_name,
        positive_of,
        profile,
        said_positive,
        several_labels,
    )
    from rocscope.sources.compression import unpack
    from rocscope.sources.confusion_matrices import confusions
    from rocscope.sources.files import Files
    from rocscope.sources.formats import inner_name, refuse_remote
    from rocscope.sources.frames import again, count, open
    from rocscope.sources.infinite_ends import ended, with_finite_ends
    from rocscope.sources.join_by_id import ModelColumns, aligned, joined_source, left_out_by_file, refuse_other_labels
    from rocscope.sources.label_reduction import LabelQuestion, LabelReduction, label_sums
    from rocscope.sources.native_frames import to_native
    from rocscope.sources.paired_areas import paired_delong
    from rocscope.sources.reduction import tables
    from rocscope.sources.row_output import ROW_ENDINGS, all_columns, check_row_ending, write_columns
    from rocscope.sources.rows import BY, CompleteRows, columns, complete, indicator_matrix, score_columns
    from rocscope.sources.saved_tables import (
        KINDS,
        TABLE_ENDINGS,
        SavedTable,
        holds_table,
        parquet_columns,
        read_table,
        write_table,
    )
    from rocscope.sources.small_tables import (
        FPR_NAMES,
        SPECIFICITY_NAMES,
        THRESHOLD_NAMES,
        TPR_NAMES,
        RocPoint,
        confusion_matrix,
        cost_table,
        counts_table,
        is_point_table,
        is_threshold_table,
        roc_points,
        threshold_column,
        threshold_table,
    )
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
    from rocscope.sources.temporary_folder import locked_folder, remove_abandoned
    from rocscope.sources.text_table import TextTable, absent_column
    from rocscope.sources.usable_rows import MOST_SLICES, only_match, spoken, too_many_slices
else:
    __getattr__ = on_first_use(__name__, {
        "usable_rows": "MOST_SLICES only_match spoken too_many_slices",
        "class_reduction": (
            "PREDICTED ClassQuestion ClassReduction ModelReduction class_sums decided_models labels_of model_sums"
        ),
        "label_reduction": "LabelQuestion LabelReduction label_sums",
        "column_guess": (
            "LABEL_NAMES MOST_GROUPS MOST_LABELS PREDICTED_NAMES Profile Roles as_number class_columns class_models "
            "common_start guess plain_name positive_of profile said_positive several_labels"
        ),
        "compression": "unpack",
        "confusion_matrices": "confusions",
        "files": "Files",
        "formats": "inner_name refuse_remote",
        "frames": "again count open",
        "infinite_ends": "ended with_finite_ends",
        "join_by_id": "ModelColumns aligned joined_source left_out_by_file refuse_other_labels",
        "native_frames": "to_native",
        "paired_areas": "paired_delong",
        "row_output": "ROW_ENDINGS all_columns check_row_ending write_columns",
        "rows": "BY CompleteRows columns complete indicator_matrix score_columns",
        "reduction": "tables",
        "small_tables": (
            "FPR_NAMES SPECIFICITY_NAMES THRESHOLD_NAMES TPR_NAMES RocPoint confusion_matrix cost_table counts_table "
            "is_point_table is_threshold_table roc_points threshold_column threshold_table"
        ),
        "source": "BUDGET ENGINE_BUDGET ROW TOLERANCE Key PairedAreas Progress Reduced Rows Source",
        "saved_tables": "KINDS TABLE_ENDINGS SavedTable holds_table parquet_columns read_table write_table",
        "temporary_folder": "locked_folder remove_abandoned",
        "text_table": "TextTable absent_column",
    })  # fmt: skip

__all__ = [
    "TABLE_ENDINGS",
    "locked_folder",
    "remove_abandoned",
    "FPR_NAMES",
    "SPECIFICITY_NAMES",
    "TPR_NAMES",
    "BUDGET",
    "BY",
    "ENGINE_BUDGET",
    "KINDS",
    "LABEL_NAMES",
    "MOST_GROUPS",
    "MOST_LABELS",
    "MOST_SLICES",
    "PREDICTED",
    "PREDICTED_NAMES",
    "ROW",
    "ROW_ENDINGS",
    "THRESHOLD_NAMES",
    "TOLERANCE",
    "ClassQuestion",
    "ClassReduction",
    "CompleteRows",
    "Files",
    "Key",
    "LabelQuestion",
    "LabelReduction",
    "ModelReduction",
    "ModelColumns",
    "PairedAreas",
    "Profile",
    "Progress",
    "Reduced",
    "RocPoint",
    "Roles",
    "Rows",
    "SavedTable",
    "Source",
    "TextTable",
    "absent_column",
    "again",
    "aligned",
    "all_columns",
    "as_number",
    "check_row_ending",
    "class_columns",
    "class_models",
    "class_sums",
    "common_start",
    "cost_table",
    "decided_models",
    "ended",
    "with_finite_ends",
    "columns",
    "complete",
    "confusion_matrix",
    "confusions",
    "count",
    "counts_table",
    "guess",
    "holds_table",
    "indicator_matrix",
    "inner_name",
    "is_point_table",
    "is_threshold_table",
    "joined_source",
    "left_out_by_file",
    "refuse_other_labels",
    "refuse_remote",
    "label_sums",
    "labels_of",
    "model_sums",
    "open",
    "only_match",
    "paired_delong",
    "parquet_columns",
    "plain_name",
    "positive_of",
    "said_positive",
    "profile",
    "several_labels",
    "read_table",
    "roc_points",
    "score_columns",
    "spoken",
    "tables",
    "threshold_column",
    "threshold_table",
    "to_native",
    "too_many_slices",
    "unpack",
    "write_columns",
    "write_table",
]
