"""Output of tidy tables in the user's own library, and of small tables in the library of a source."""

from __future__ import annotations

import importlib.util
from collections.abc import Mapping, Sequence
from typing import Any

from rocscope.errors import RocscopeError, did_you_mean

KINDS = ("pandas", "polars", "pyarrow", "duckdb", "dict")


def to_native(rows: Sequence[Mapping[str, Any]] | Mapping[str, Sequence[Any]], kind: str) -> Any:
    """A tidy frame of the rows in the requested library: pandas, polars, pyarrow, duckdb, or "dict" of lists.

    `rows` are dicts with the same keys, or columns by name. None becomes a missing value in every library.

    >>> to_native([{"measure": "auc", "value": 0.5}], "dict")
    {'measure': ['auc'], 'value': [0.5]}
    """
    columns = _columns(rows)
    if kind == "dict":
        return columns
    if kind not in KINDS:
        raise RocscopeError(f"there is no frame library '{kind}'", hint=did_you_mean(str(kind), KINDS))
    if importlib.util.find_spec(kind) is None:
        raise RocscopeError(f"{kind} is not installed", hint=f"pip install {kind}")
    if kind == "duckdb":
        return _relation(columns)
    import narwhals.stable.v2 as nw

    return nw.from_dict(columns, backend=kind).to_native()  # type: ignore[arg-type]


def _columns(rows: Sequence[Mapping[str, Any]] | Mapping[str, Sequence[Any]]) -> dict[str, list[Any]]:
    if isinstance(rows, Mapping):
        return {name: list(values) for name, values in rows.items()}
    names = list(dict.fromkeys(name for row in rows for name in row))
    return {name: [row.get(name) for row in rows] for name in names}


def _relation(columns: Mapping[str, list[Any]]) -> Any:
    """Create a DuckDB relation that contains the values: it needs no other package and no reference to keep it
    alive.
    """
    import duckdb

    from rocscope.sources import database

    names = ", ".join(map(database.name, columns))
    rows = list(zip(*columns.values(), strict=True))
    if not rows:
        return duckdb.sql(f"select {', '.join('null' for _ in columns)} limit 0").project("*")
    marks = ", ".join("(" + ", ".join("?" for _ in columns) + ")" for _ in rows)
    parameters = [value for row in rows for value in row]
    return duckdb.sql(f"select * from (values {marks}) as rows({names})", params=parameters)
