"""Frame columns that know their distinct values: categoricals, Arrow dictionaries, self-encoding text.

Each becomes (codes, categories) without a Python object per row. Categories may be unused or repeated; the
caller settles that. Nothing is imported: a column is known by the methods it has, and its library is loaded
already.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rocscope.numbers import Array
from rocscope.tally.columns import is_frame_column, missing, null_flags, single_column

Coded = tuple[Array, list[Any]]


@dataclass(frozen=True, slots=True, eq=False)
class Dictionary:
    """A column of labels as what reads files has it: codes into the different labels, below 0 where there is none."""

    codes: Array
    labels: Sequence[Any]

    def __len__(self) -> int:
        return len(self.codes)


def dictionary_of(values: Any, name: str) -> Coded | None:
    """Codes and categories of a frame column of text or categories, or None when it is not one."""
    if isinstance(values, Dictionary) and len(values):
        if values.codes.min() < 0:
            missing(values.codes < 0, name)
        return values.codes, list(values.labels)
    if not is_frame_column(values):
        return None
    column = single_column(values, name)
    if not len(column):
        return None
    if hasattr(column, "dictionary_encode"):
        return _of_arrow(column, name)
    if hasattr(column, "to_physical"):
        return _of_polars(column, name)
    dtype = getattr(column, "dtype", None)
    if hasattr(column, "factorize") and not isinstance(dtype, np.dtype) and getattr(dtype, "kind", "") == "O":
        return _of_pandas(column, name)
    return None


def _of_pandas(column: Any, name: str) -> Coded:
    categorical = getattr(column, "cat", column)
    if hasattr(categorical, "categories"):
        codes, categories = np.asarray(categorical.codes), categorical.categories
    else:
        codes, categories = column.factorize()
    missing(codes < 0, name)
    return codes, categories.tolist()


def _of_arrow(column: Any, name: str) -> Coded | None:
    kind = str(column.type)
    if not kind.startswith(("dictionary", "string", "large_string", "utf8", "large_utf8")):
        return None
    flags = null_flags(column)
    if flags is not None:
        missing(flags, name)
    if kind.startswith("string_view"):
        column = column.cast("string")
    if not kind.startswith("dictionary"):
        column = column.dictionary_encode()
    if hasattr(column, "unify_dictionaries"):
        column = column.unify_dictionaries().combine_chunks()
    return column.indices.to_numpy(zero_copy_only=False), column.dictionary.to_pylist()


def _of_polars(column: Any, name: str) -> Coded | None:
    kind = str(column.dtype)
    if not kind.startswith(("String", "Categorical", "Enum")):
        return None
    flags = null_flags(column)
    if flags is not None:
        missing(flags, name)
    if kind == "String":
        column = column.cast(sys.modules["polars"].Enum(column.unique()))
    distinct = column.unique()
    physical = distinct.to_physical().to_numpy()
    place = np.zeros(int(physical.max()) + 1, dtype=np.int64)
    place[physical] = np.arange(len(physical))
    return place[column.to_physical().to_numpy()], distinct.to_list()
