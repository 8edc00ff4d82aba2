"""Sums of several classes or labels, stored as the columns and the metadata of one saved table."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import asdict, replace
from types import MappingProxyType
from typing import Any

import numpy as np

from rocscope.errors import RocscopeError
from rocscope.multiclass import CaseKinds, CaseSums, ClassSums, KnownMean, LabelSums, ShareRange
from rocscope.numbers import plain
from rocscope.table import Confusion, ScoreTable

# class whose score it is, and class of the cases; "of" equal to the number of classes marks the confidence
OWNERS = ("of", "among")
Facts = dict[str, Any]
Columns = dict[str, Any]


def class_facts(sums: ClassSums, of_table: Callable[[ScoreTable], tuple[Facts, Columns]]) -> tuple[Facts, Columns]:
    """The metadata to write for multiclass sums; `of_table` returns the metadata and columns of one table."""
    about: list[Facts] = []
    parts: list[Columns] = []
    for i, column in enumerate((*sums.tables_by_class, (sums.confidence,))):
        for j, table in enumerate(column):
            if not len(table):
                continue
            known, columns = of_table(table)
            owners = {"of": i, "among": j}
            about.append({**owners, **{name: known[name] for name in ("rows", "score_type", "known")}})
            parts.append(_filled(columns) | {name: np.full(len(table), at) for name, at in owners.items()})
    facts = {
        "kind": "classes", "labels": [plain(label) for label in sums.labels], "rows": "actual", "tables": about,
        "weighted": sums.weighted, "matrix": sums.matrix.matrix.tolist(),
        "squares": None if sums.matrix.squares is None else sums.matrix.squares.tolist(),
        "places": sums.places.tolist(), "shares": asdict(sums.shares),
        "losses": {name: asdict(loss) for name, loss in sums.losses.items()},
    }  # fmt: skip
    return facts, {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}


def _filled(columns: Columns) -> Columns:
    """The columns of one table, with float64 scores and placeholders for the cells it lacks."""
    scores = columns["score"].astype(np.float64)
    cells = {"mixed": np.zeros(len(scores), dtype=bool), "end": scores}
    return cells | columns | {"score": scores}


def sums_from(
    facts: Mapping[str, Any], columns: Columns, table_of: Callable[[Facts, Columns], ScoreTable]
) -> ClassSums:
    """Read and validate the multiclass sums in a file; `table_of` builds and validates one table."""
    labels, k = tuple(facts["labels"]), len(facts["labels"])
    if k < 2 or len(set(labels)) != k or not set(OWNERS) <= set(columns):
        raise RocscopeError("its classes are invalid")
    known = {(about["of"], about["among"]): about for about in facts["tables"]}
    owners = {name: columns.pop(name) for name in OWNERS}
    owner = owners["of"].astype(np.int64) * (k + 1) + owners["among"]
    if set(np.unique(owner).tolist()) != {i * (k + 1) + j for i, j in known}:
        raise RocscopeError("its tables do not match its metadata")
    empty = ScoreTable.empty()

    def table(i: int, j: int) -> ScoreTable:
        about = known.get((i, j))
        if about is None:
            return empty
        rows = np.flatnonzero(owner == i * (k + 1) + j)
        own = {name: column[rows] for name, column in columns.items()}
        if not own["mixed"].any():
            own = {name: column for name, column in own.items() if name not in ("mixed", "end")}
        return table_of({**about, "labels": [0, 1], "higher_is_positive": True}, own)

    tables = tuple(tuple(table(i, j) for j in range(k)) for i in range(k))
    squares = None if facts["squares"] is None else np.asarray(facts["squares"])
    matrix = replace(Confusion.from_matrix(facts["matrix"], labels=labels), squares=squares)
    ranks = np.asarray(facts["places"], dtype=np.float64)
    if ranks.shape != (k, 2) or not np.isfinite(ranks).all() or (ranks < 0).any():
        raise RocscopeError("its ranks are invalid")
    losses = {str(name): _sums(loss) for name, loss in facts["losses"].items()}
    return ClassSums(
        labels, matrix, tables, ranks, table(k, 0), ShareRange(**facts["shares"]), MappingProxyType(losses),
        bool(facts["weighted"]),
    )  # fmt: skip


def _sums(fields: Mapping[str, Any]) -> CaseSums:
    stated = fields.get("stated")
    return CaseSums(**{**fields, "stated": None if stated is None else (float(stated[0]), float(stated[1]))})


# ---- several labels ----

MOST_LABELS = 300  # whose products are written: their number grows with the square


def label_facts(sums: LabelSums, of_table: Callable[[ScoreTable], tuple[Facts, Columns]]) -> tuple[Facts, Columns]:
    """The metadata to write for sums of labels; `of_table` returns the metadata and columns of one table."""
    if len(sums.labels) > MOST_LABELS:
        raise RocscopeError(f"sums of at most {MOST_LABELS} labels can be saved, not {len(sums.labels)}")
    about: list[Facts] = []
    parts: list[Columns] = []
    for i, table in enumerate(sums.tables):
        known, columns = of_table(table)
        about.append({"of": i, **{name: known[name] for name in ("rows", "score_type", "known")}})
        parts.append(_filled(columns) | {"of": np.full(len(table), i)})
    facts = {
        "kind": "labels", "labels": [plain(label) for label in sums.labels], "tables": about,
        "weighted": sums.weighted, "cells": sums.cells.tolist(), "products": sums.products.tolist(),
        "kinds": _kinds_facts(sums.kinds), "rows_with": sums.rows_with.tolist(),
        "sets": None if sums.sets is None else _kinds_facts(sums.sets),
        "range": list(sums.range) if sums.scored else None,
        "rankings": {name: asdict(mean) for name, mean in sums.rankings.items()},
    }  # fmt: skip
    none = {"of": np.zeros(0, dtype=np.int64)}
    return facts, {name: np.concatenate([part[name] for part in parts]) for name in parts[0]} if parts else none


def _kinds_facts(kinds: CaseKinds) -> Facts:
    return {"rows": kinds.rows.tolist(), "sums": kinds.sums.tolist()}


def labels_from(
    facts: Mapping[str, Any], columns: Columns, table_of: Callable[[Facts, Columns], ScoreTable]
) -> LabelSums:
    """Read and validate the sums of several labels in a file; `table_of` builds and validates one table."""
    labels, k = tuple(facts["labels"]), len(facts["labels"])
    if not k or len(set(labels)) != k or "of" not in columns:
        raise RocscopeError("its labels are invalid")
    known, owner = facts["tables"], columns.pop("of")
    if [about["of"] for about in known] not in ([], list(range(k))) or set(np.unique(owner)) - set(range(len(known))):
        raise RocscopeError("its tables do not match its metadata")
    tables = []
    for about in known:
        own = {name: column[owner == about["of"]] for name, column in columns.items()}
        if not own["mixed"].any():
            own = {name: column for name, column in own.items() if name not in ("mixed", "end")}
        tables.append(table_of({**about, "labels": [0, 1], "higher_is_positive": True}, own))
    cells, products = _numbers(facts["cells"], (2, 4, k)), _numbers(facts["products"], (1 + 3 * k, 1 + 3 * k))
    kinds, sets = _kinds(facts["kinds"], 3), facts["sets"]
    rankings = {
        str(name): KnownMean(_sums(mean["sums"]), int(mean["left_out"]), bool(mean["zero_one"]))
        for name, mean in facts["rankings"].items()
    }
    limits = facts["range"] or (math.inf, -math.inf)
    return LabelSums(
        labels, tuple(tables), cells, products, kinds, _numbers(facts["rows_with"], (k,)).astype(np.int64),
        None if sets is None else _kinds(sets, -(-k // 32)), MappingProxyType(rankings), bool(facts["weighted"]),
        (float(limits[0]), float(limits[1])),
    )  # fmt: skip


def _numbers(values: Any, shape: tuple[int, ...]) -> Any:
    numbers = np.asarray(values, dtype=np.float64)
    if numbers.shape != shape or not np.isfinite(numbers).all() or (numbers < 0).any():
        raise RocscopeError("its sums are invalid")
    return numbers


def _kinds(facts: Mapping[str, Any], columns: int) -> CaseKinds:
    rows = np.asarray(facts["rows"], dtype=np.int64).reshape(-1, columns)
    return CaseKinds(rows, _numbers(facts["sums"], (len(rows), 3)))
