"""Which column is what, guessed from names and contents: shown as chips, and corrected by whoever knows."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from rocscope.errors import RocscopeError
from rocscope.serve.tables import Columns, as_number, rows_of, sample_of
from rocscope.sources.column_names import LABELS, NOT_SCORES, PREDICTED
from rocscope.sources.csv import TextColumns
from rocscope.tally import plain_positive

MOST_CLASSES, MOST_SLICES = 30, 20


@dataclass(frozen=True, slots=True)
class Column:
    """What a column holds: how many different values, how many rows have none, whether all are numbers."""

    name: str
    distinct: int
    missing: int
    numeric: bool
    low: float
    high: float
    whole: bool
    values: tuple[tuple[str, int], ...]

    @property
    def is_id(self) -> bool:
        """Whether it tells rows apart and says no more."""
        named = re.search(r"(^|_)(id|index|row|key)$", plain(self.name)) is not None
        return named or (self.whole and self.numeric and self.missing == 0 and self.distinct > 50 and self.high > 1)

    @property
    def is_score(self) -> bool:
        """Whether it can rank cases."""
        return self.numeric and self.distinct > 2 and plain(self.name) not in NOT_SCORES

    @property
    def is_probability(self) -> bool:
        """Whether it lies between 0 and 1."""
        return self.is_score and self.low >= 0 and self.high <= 1


@dataclass(frozen=True, slots=True)
class Roles:
    """The columns taken for each role; every one can be changed."""

    label: str | None
    positive: str | None
    scores: tuple[str, ...]
    by: str | None
    predicted: str | None = None


def profile(sample: TextColumns) -> list[Column]:
    """What every column holds, judged by the first rows of a large file."""
    return [_column(name, sample.cells(name)) for name in sample.names]


def _column(name: str, cells: Sequence[str]) -> Column:
    counted = Counter(cell.strip() for cell in cells)
    numbers = [as_number(cell) for cell in counted]
    missing = sum(times for cell, times in counted.items() if not cell)
    known = [one for one in numbers if one is not None and not math.isnan(one)]
    ordered = sorted(((v, n) for v, n in counted.items() if v), key=lambda pair: (-pair[1], pair[0]))
    whole = all(float(one).is_integer() for one in known)
    return Column(
        name, len([cell for cell in counted if cell]), missing, None not in numbers and bool(known),
        min(known, default=math.nan), max(known, default=math.nan), whole, tuple(ordered[:MOST_CLASSES]),
    )  # fmt: skip


def guess(columns: Sequence[Column]) -> Roles:
    """The roles that names and contents suggest.

    >>> from rocscope.serve.tables import pasted
    >>> rows = [(str(i), str(i % 2), f"0.{i}", f"0.{i + 1}") for i in range(1, 8)]
    >>> guess(profile(pasted(("id", "default", "a", "b"), rows)))
    Roles(label='default', positive='1', scores=('a', 'b'), by=None, predicted=None)
    """
    label = _label(columns)
    others = [one for one in columns if label is None or one.name != label.name]
    scored = [one for one in others if one.is_score and not one.is_id]
    chosen = [one for one in scored if one.is_probability] or scored
    hard = next((one.name for one in others if plain(one.name) in PREDICTED), None) if not chosen else None
    slices = [one for one in others if not one.numeric and 2 <= one.distinct <= MOST_SLICES and one.name != hard]
    return Roles(
        label.name if label else None,
        positive_of(label) if label else None,
        tuple(one.name for one in chosen),
        slices[0].name if slices else None,
        hard,
    )


def _label(columns: Sequence[Column]) -> Column | None:
    fit = [one for one in columns if 1 <= one.distinct <= MOST_CLASSES]
    named = [one for one in fit if plain(one.name) in LABELS]
    pairs = [one for one in fit if one.distinct == 2]
    return next(iter([one for one in named if one.distinct == 2] or named or pairs), None)


def positive_of(label: Column) -> str | None:
    """The positive label where the pair says it itself, else the rarer one, a guess; None for several classes."""
    values = [value for value, _ in label.values]
    if not 1 <= len(values) <= 2:
        return None
    return plain_positive(values) or ("yes" if set(values) <= {"no", "yes"} else values[-1])


def plain(name: str) -> str:
    """A name in small letters, words joined by _.

    >>> plain(" Y-true ")
    'y_true'
    """
    return re.sub(r"[\s.-]+", "_", name.strip().lower())


def card(table: Columns, columns: Sequence[Column], roles: Roles) -> dict[str, Any]:
    """What the page shows of a file: the roles, what else could play them, and what will be left out."""
    counted, left_out, problem = _counted(table, roles)
    looked_at = len(sample_of(table))
    return {
        "rows": rows_of(table),
        "columns": len(columns),
        "label": roles.label,
        "labels": [one.name for one in columns if 1 <= one.distinct <= MOST_CLASSES],
        "values": [{"value": value, "count": count} for value, count in counted],
        "positive": roles.positive,
        "scores": [{"name": one.name, "chosen": one.name in roles.scores} for one in columns
                   if one.is_score and one.name != roles.label and (not one.is_id or one.name in roles.scores)],
        "predicted": roles.predicted,
        "by": roles.by,
        "slices": [one.name for one in columns
                   if 2 <= one.distinct <= MOST_SLICES and one.name not in (roles.label, roles.predicted)
                   and not one.is_probability],
        "ids": [one.name for one in columns if one.is_id and one.distinct == looked_at],
        "left_out": left_out,
        "problem": problem,
    }  # fmt: skip


def needed_of(label: str, scores: Sequence[str], predicted: str | None) -> dict[str, str]:
    """What each column is needed for, as the reader asks it."""
    found = {label: "label"} | {name: f"score in {name}" for name in scores}
    return found if predicted is None else found | {predicted: "predicted label"}


def _counted(table: Columns, roles: Roles) -> tuple[list[tuple[str, int]], dict[str, int], str]:
    """How often each label occurs among the rows that can be used, and how many rows cannot."""
    if roles.label is None:
        return [], {}, ""
    needed = needed_of(roles.label, roles.scores, None if roles.scores else roles.predicted)
    try:
        kept, left_out = table.complete(needed, missing="drop")
    except RocscopeError as error:
        return [], {}, str(error)
    counted = Counter(str(value) for value in kept.text(roles.label))
    return counted.most_common(MOST_CLASSES), left_out, ""
