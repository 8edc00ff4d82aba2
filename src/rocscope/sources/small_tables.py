"""Small tables without cases: a confusion matrix, thresholds with counts, ROC points, counts of classifiers.

Files and pasted text are both passed as columns of text; errors give the line.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from itertools import pairwise

from rocscope.errors import RocscopeError
from rocscope.formula import CELLS
from rocscope.record import record
from rocscope.sources.column_guess import plain_name
from rocscope.sources.text_table import TextTable
from rocscope.table import Confusion, ScoreTable

THRESHOLD_NAMES = frozenset({"threshold", "thresholds", "cutoff", "cut_off", "cutpoint", "cut_point"})
FPR_NAMES = frozenset({"fpr", "false_positive_rate", "1_specificity", "1_spec", "fallout"})
TPR_NAMES = frozenset({"tpr", "true_positive_rate", "recall", "sensitivity", "sens", "hit_rate"})
SPECIFICITY_NAMES = frozenset({"tnr", "true_negative_rate", "specificity", "spec"})
POSITIVES = frozenset({"positives", "pos", "p", "n_pos", "n_positive", "n_positives"})
NEGATIVES = frozenset({"negatives", "neg", "n", "n_neg", "n_negative", "n_negatives"})
NAME, SETTING = frozenset({"name", "model", "classifier"}), frozenset({"setting"})


def column_named(names: Sequence[str], wanted: Collection[str]) -> str | None:
    """The first column with one of these names, ignoring case and blanks.

    >>> column_named(["Model", "Cut-off"], THRESHOLD_NAMES)
    'Cut-off'
    """
    return next((name for name in names if plain_name(name) in wanted), None)


def threshold_column(names: Sequence[str]) -> str | None:
    """The column of thresholds: a usual name, one that begins or ends with such a name, or the one beside two counts.

    >>> threshold_column(["Cut-off value of BMI", "TP", "FP"]), threshold_column(["cm", "TP", "TN"])
    ('Cut-off value of BMI', 'cm')
    """
    exact = column_named(names, THRESHOLD_NAMES)
    ends = [name for name in names for one in THRESHOLD_NAMES if f"{plain_name(name)}_".startswith(f"{one}_")
            or f"_{plain_name(name)}".endswith(f"_{one}")]  # fmt: skip
    others = [name for name in names if plain_name(name) not in CELLS]
    few = len(others) == 1 and len(names) in (3, 4)  # with all four counts, the column may contain names of classifiers
    beside = others if few and plain_name(others[0]) not in NAME else []
    return exact or (ends[0] if len(set(ends)) == 1 else beside[0] if beside else None)


# --- confusion matrix


def confusion_matrix(table: TextTable, *, rows: str | None = None, named: bool = True) -> Confusion:
    """The confusion matrix in a table: its columns are one axis, its rows the other.

    A first column of labels is recognized by its name, predicted or actual, which also states what the rows are, or
    because the table has one more column than rows. If neither the table nor `rows` states what the rows are, the
    matrix is refused unless it is symmetric. `named` is True if the columns are named after the classes.
    """
    first = table.columns[0]
    said = first.strip().lower() if first.strip().lower() in ("actual", "predicted") else None
    if said and rows and said != rows:
        raise RocscopeError(
            f"{table.name} states that its rows are the {said} classes", hint=f"Leave out rows={rows!r}"
        )
    labelled = said is not None or len(table.columns) == len(table) + 1
    labels = table.columns[1:] if labelled else table.columns
    if len(table) != len(labels) or len(table) < 2:
        raise RocscopeError(
            f"{table.name} has {len(labels)} columns of counts and {len(table)} rows, but a confusion matrix is square",
            hint="For labels of single cases, name the columns with actual and predicted labels",
        )
    cells = [_cells(table, name) for name in labels]
    lines = [list(row) for row in zip(*cells, strict=True)]
    if labelled:
        lines = _in_order(table, first, labels, lines)
    if said is None and rows is None and lines != [list(column) for column in zip(*lines, strict=True)]:
        raise RocscopeError(
            f"{table.name} does not state whether its rows are actual or predicted classes",
            hint="Give rows=actual or rows=predicted",
        )
    return Confusion.from_matrix(lines, labels=list(labels) if named else None, rows=said or rows or "actual")


def cost_table(table: TextTable) -> tuple[list[str], list[list[float]]]:
    """The labels and costs of a table with a row for each actual class and a column for each predicted class.

    >>> from rocscope.sources.csv import read_text
    >>> cost_table(read_text("actual,flu,cold\\nflu,0,5\\ncold,1,0\\n", "costs.csv"))
    (['flu', 'cold'], [[0.0, 5.0], [1.0, 0.0]])
    """
    first, labels = table.columns[0], list(table.columns[1:])
    lines = [str(one).strip() for one in table.text(first)]
    if sorted(lines) != sorted(labels) or len(labels) < 2:
        raise RocscopeError(
            f"{table.name}: the rows ({', '.join(lines[:12])}) and the columns ({', '.join(labels[:12])}) must be "
            f"the same classes",
            hint="A table of costs must have a first column with the actual classes and a column for each predicted "
            "class",
        )
    columns = {label: table.cells(label) for label in labels}
    costs = [[_cost(table, label, row, columns[label][row]) for label in labels] for row in range(len(lines))]
    return labels, [costs[lines.index(label)] for label in labels]


def _cost(table: TextTable, label: str, row: int, text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise RocscopeError(f"{table.location(row)}: '{text}' in column '{label}' is not a cost") from None


def _cells(table: TextTable, name: str) -> list[int]:
    try:
        return table.counts(name)
    except RocscopeError as error:
        hint = "For labels of single cases, name the columns with actual and predicted labels"
        raise RocscopeError(error.message, hint=error.hint or hint) from None


def _in_order(table: TextTable, first: str, labels: Sequence[str], lines: list[list[int]]) -> list[list[int]]:
    """The lines in the order of the columns."""
    named = dict(zip(table.text(first), zip(lines, range(len(table)), strict=True), strict=True))
    for label, (_, row) in named.items():
        if label not in labels:
            found = ", ".join(labels[:12])
            raise RocscopeError(f"{table.location(row)}: '{label}' is not a column; the columns are {found}")
    if len(named) != len(lines):
        raise RocscopeError(f"{table.name}: a label appears in two rows")
    return [named[label][0] for label in labels]


# --- thresholds with their counts


def is_threshold_table(names: Sequence[str]) -> bool:
    """Whether the columns are a threshold and the counts at it."""
    return threshold_column(names) is not None and len({plain_name(name) for name in names} & set(CELLS)) >= 2


def threshold_table(
    table: TextTable,
    *,
    positives: int | None = None,
    negatives: int | None = None,
    higher_is_positive: bool = True,
) -> ScoreTable:
    """The score table for thresholds and the counts at each; the class totals are needed if cells are absent.

    Counts that increase with the threshold show that low scores are positive, whatever `higher_is_positive` states.
    """
    thresholds = _thresholds(table, threshold_column(table.columns) or "threshold")
    cells = {cell: table.counts(name) for cell in CELLS if (name := column_named(table.columns, {cell})) is not None}
    rows = [
        {"threshold": threshold, **{cell: counts[i] for cell, counts in cells.items()}}
        for i, threshold in enumerate(thresholds)
    ]
    if higher_is_positive and _grow(thresholds, cells):
        higher_is_positive = False
    try:
        return ScoreTable.from_points(
            rows, positives=positives, negatives=negatives, higher_is_positive=higher_is_positive
        )
    except RocscopeError as error:
        raise RocscopeError(f"{table.name}: {error.message}", hint=error.hint) from None


def _grow(thresholds: Sequence[float], cells: Mapping[str, Sequence[int]]) -> bool:
    """Whether more cases are flagged at higher thresholds, at every step and in every available count."""
    order = sorted(range(len(thresholds)), key=lambda row: thresholds[row])
    growing = {"tp": 1, "fp": 1, "fn": -1, "tn": -1}
    steps = [
        growing[cell] * (counts[after] - counts[before])
        for cell, counts in cells.items()
        for before, after in pairwise(order)
    ]
    return all(step >= 0 for step in steps) and any(step > 0 for step in steps)


def _thresholds(table: TextTable, name: str) -> list[float]:
    """Parse a column of thresholds: numbers, and inf or -inf for the ends of a curve."""
    ends = {"inf": math.inf, "infinity": math.inf, "-inf": -math.inf, "-infinity": -math.inf}
    found = []
    for row, text in enumerate(table.text(name)):
        written = text.strip().lower().lstrip("+")
        try:
            value = ends[written] if written in ends else float(written)
        except ValueError:
            value = math.nan
        if math.isnan(value) or (math.isinf(value) and written not in ends) or "_" in written:
            raise RocscopeError(f"{table.location(row)}, column '{name}': '{text[:40]}' is not a threshold")
        found.append(value)
    return found


# --- points in ROC space


@record(slots=True)
class RocPoint:
    """A classifier in ROC space, or one setting of it, with the class sizes if they are known."""

    name: str
    fpr: float
    tpr: float
    negatives: int | None = None
    positives: int | None = None
    setting: str | None = None


def is_point_table(names: Sequence[str]) -> bool:
    """Whether the columns are rates of classifiers."""
    return column_named(names, FPR_NAMES) is not None and column_named(names, TPR_NAMES) is not None


def roc_points(table: TextTable, *, name: str = "") -> list[RocPoint]:
    """The points of a table with columns FPR and TPR, named by a further column; `name` is for unnamed points."""
    names = table.columns
    taken: dict[str, str | None] = {
        "fpr": column_named(names, FPR_NAMES), "tpr": column_named(names, TPR_NAMES),
        "negatives": column_named(names, NEGATIVES), "positives": column_named(names, POSITIVES),
        "setting": column_named(names, THRESHOLD_NAMES | SETTING),
    }  # fmt: skip
    lacking = [rate.upper() for rate in ("fpr", "tpr") if taken[rate] is None]
    if lacking:
        raise RocscopeError(f"there is no column {' and no column '.join(lacking)}")
    others = [one for one in names if one not in taken.values()]
    called = column_named(names, NAME) or (others[0] if others and not name else None)
    shown = table.text(called) if called is not None else [name] * len(table)
    if called is None and not name:
        shown = [f"classifier {row + 1}" for row in range(len(table))]
    fpr, tpr = (_shares(table, str(taken[rate])) for rate in ("fpr", "tpr"))
    sizes = [None if (at := taken[one]) is None else table.counts(at) for one in ("negatives", "positives")]
    settings = None if taken["setting"] is None else table.text(taken["setting"])
    return [
        RocPoint(
            shown[row],
            fpr[row],
            tpr[row],
            None if sizes[0] is None else sizes[0][row],
            None if sizes[1] is None else sizes[1][row],
            None if settings is None else settings[row],
        )
        for row in range(len(table))
    ]


def _shares(table: TextTable, name: str) -> list[float]:
    shares = table.numbers(name)
    for row, share in enumerate(shares):
        if not 0 <= share <= 1:
            place = f"{table.location(row)}: {name} must be a proportion from 0 to 1, not {share:g}"
            raise RocscopeError(f"{place}", hint="Divide percentages by 100")
    return shares


# --- counts of several classifiers


def counts_table(table: TextTable) -> dict[str, tuple[int, int, int, int]]:
    """TP, FP, FN and TN of each row, by the name in a further column."""
    taken = [column_named(table.columns, {cell}) for cell in CELLS]
    lacking = [cell.upper() for cell, name in zip(CELLS, taken, strict=True) if name is None]
    if lacking:
        raise RocscopeError(f"there is no column {' and no column '.join(lacking)}")
    others = [one for one in table.columns if one not in taken]
    if threshold_column(others) is not None:
        raise RocscopeError("these are thresholds")
    names = table.text(others[0]) if others else [f"row {row + 1}" for row in range(len(table))]
    tp, fp, fn, tn = (table.counts(str(name)) for name in taken)
    return {name: (tp[i], fp[i], fn[i], tn[i]) for i, name in enumerate(names)}
