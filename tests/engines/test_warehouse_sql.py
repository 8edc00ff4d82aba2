"""The queries as warehouses get them from Ibis: kept as files, so that a change of any dialect is seen.

ROCSCOPE_GOLDEN=1 writes the files anew.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rocscope import sources
from rocscope.sources.engines.certified import Cells, cells_query, split_query
from rocscope.sources.engines.query import WITHOUT_NAN, Query
from rocscope.sources.engines.sums import grouped_query
from rocscope.sources.engines.survey import Survey, survey_query
from rocscope.sources.usable_rows import TableRequest
from rocscope.table import Known

ibis = pytest.importorskip("ibis", reason="ibis is not installed")
GOLDEN = Path(__file__).parent.parent / "golden" / "sql"
WAREHOUSES = ["bigquery", "snowflake", "trino", "databricks", "athena"]
SERVERS = ["clickhouse", "postgres", "mysql", "mssql"]
COLUMNS = {"y": "int64", "p": "float64", "w": "float64", "country": "string"}
ASKED = TableRequest("y", ("p",), weight="w", by=("country",), missing="drop")


def queries(dialect: str, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """The queries of an evaluation: what is there, each score, cells, and the parts of some cells."""
    # a table without a connection does not know which engine it is for
    monkeypatch.setattr("rocscope.sources.engines.query.has_nan", lambda native: dialect not in WITHOUT_NAN)
    query = Query.of(sources.open(ibis.table(COLUMNS, name="predictions")), ASKED)
    known = [[Known(0.0, 1.0)]]
    survey = Survey((0, 1), {}, 9, 9, [0.0], [1.0], 1.0, {("de",): 0}, np.array([[4], [5]]), known)
    one: Any = None  # what is known of cells plays no part in the query
    split = Cells(14, [], one, one, known[0], np.array([3.0, 7.0]), 6)
    return {
        "survey": survey_query(query),
        "each score": grouped_query(query, survey),
        "cells": cells_query(query, survey, [14]),
        "parts of cells": split_query([split], query, survey),
    }


def sql(dialect: str, monkeypatch: pytest.MonkeyPatch) -> str:
    made = queries(dialect, monkeypatch).items()
    parts = [f"-- {name}\n{ibis.to_sql(one.to_native(), dialect=dialect, pretty=True)};\n" for name, one in made]
    return "\n".join(parts)


@pytest.mark.parametrize("dialect", [*WAREHOUSES, *SERVERS])
def test_the_sql_of_warehouses(dialect: str, monkeypatch: pytest.MonkeyPatch) -> None:
    file, found = GOLDEN / f"{dialect}.sql", sql(dialect, monkeypatch)
    if os.environ.get("ROCSCOPE_GOLDEN"):
        file.parent.mkdir(exist_ok=True)
        file.write_text(found)
    assert found == file.read_text()


@pytest.mark.parametrize("dialect", [*WAREHOUSES, *SERVERS])
def test_only_sums_are_asked_for(dialect: str, monkeypatch: pytest.MonkeyPatch) -> None:
    sqlglot = pytest.importorskip("sqlglot", reason="sqlglot is not installed")
    reader = {"mssql": "tsql"}.get(dialect, dialect)
    statements = sqlglot.parse(sql(dialect, monkeypatch), read=reader)
    assert len(statements) == 4
    for one in statements:
        groups = list(one.find_all(sqlglot.expressions.Group))
        assert len(groups) == 1, "one group-by, and no rows beside it"
        assert not list(one.find_all(sqlglot.expressions.Join))
        if dialect in WITHOUT_NAN:
            assert "isnan" not in one.sql().lower() and "'NaN'" not in one.sql()
