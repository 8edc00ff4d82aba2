"""A pasted table: what it is, in words, and the answer it leads to."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from rocscope.errors import RocscopeError
from rocscope.evaluation import ClassEvaluation, Evaluation
from rocscope.serve.answers import Choice, answer, page_of
from rocscope.serve.guessing import guess, plain, profile
from rocscope.serve.rates_only import Point, moving
from rocscope.serve.tables import as_number, pasted
from rocscope.sources.column_names import LABELS, PREDICTED
from rocscope.sources.csv import TextColumns
from rocscope.table import Confusion, ScoreTable

FPR = {"fpr", "false_positive_rate", "1_specificity", "fallout", "x"}
TPR = {"tpr", "true_positive_rate", "recall", "sensitivity", "hit_rate", "y"}
POSITIVES = {"positives", "pos", "p", "n_pos", "n_positive", "n_positives"}
NEGATIVES = {"negatives", "neg", "n", "n_neg", "n_negative", "n_negatives"}
NAMED = {frozenset(FPR): "FPR", frozenset(TPR): "TPR"}
IN_ROC_SPACE = "Classifiers in ROC space"
CELLS = ("tp", "fp", "fn", "tn")
KINDS: Mapping[str, str] = MappingProxyType(
    {
        "points": "ROC points",
        "counts": "TP FP FN TN counts",
        "matrix": "a confusion matrix",
        "thresholds": "thresholds with their counts",
        "scores": "scores with labels",
    }
)
BUTTONS = {
    "points": "Show in ROC space", "counts": "Show the matrix", "matrix": "Show the matrix", "thresholds": "Evaluate",
    "scores": "Evaluate",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Pasted:
    """Rows of cells, and the names in the first line where it has names."""

    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    @property
    def table(self) -> TextColumns:
        """The rows as columns; without names they are called column 1, column 2 ..."""
        names = self.header or tuple(f"column {number + 1}" for number in range(len(self.rows[0])))
        return pasted(names, self.rows)


def parse(text: str) -> Pasted:
    """The cells of a pasted text: split at tabs, semicolons, commas, or blanks.

    >>> parse("model FPR TPR\\nSVM 0.5 0.95").rows
    (('SVM', '0.5', '0.95'),)
    """
    lines = [line for line in text.splitlines() if line.strip()]
    if not lines:
        raise RocscopeError("nothing is pasted yet")
    if len(lines) > 200_000:
        raise RocscopeError("more than 200,000 lines", hint="Drop it as a file")
    rows = [tuple(cell.strip() for cell in row) for row in _split(lines)]
    named = len(rows) > 1 and not any(map(_is_number, rows[0])) and (
        any(_is_number(cell) for row in rows[1:] for cell in row) or _names_labels(rows[0])
    )  # fmt: skip
    if named and len(rows[0]) == len(rows[1]) - 1:  # a matrix whose corner is empty
        rows[0] = ("", *rows[0])
    widths = {len(row) for row in rows}
    if len(widths) > 1:
        odd = next(i for i, row in enumerate(rows) if len(row) != len(rows[0]))
        raise RocscopeError(f"line {odd + 1} has {len(rows[odd])} cells, the first has {len(rows[0])}")
    return Pasted(rows[0] if named else (), tuple(rows[1:] if named else rows))


def _split(lines: Sequence[str]) -> list[Sequence[str]]:
    for delimiter in "\t;":
        if all(delimiter in line for line in lines):
            return [line.rstrip("\r").split(delimiter) for line in lines]
    if all("," in line for line in lines):
        import csv

        return list(csv.reader(lines))
    wide = [re.split(r"\s{2,}", line.strip()) for line in lines]
    if len({len(row) for row in wide}) == 1 and len(wide[0]) > 1:
        return list(wide)
    return [line.split() for line in lines]


def _names_labels(row: Sequence[str]) -> bool:
    """Whether a row names what happened and what was predicted, above labels that are words."""
    names = {plain(cell) for cell in row}
    return bool(names & LABELS) and bool(names & PREDICTED)


def _is_number(cell: str) -> bool:
    value = as_number(cell)
    return value is not None and value == value


def _is_whole(cell: str) -> bool:
    value = as_number(cell)
    return value is not None and value.is_integer()


# ---- what it is ----


def recognise(text: str) -> dict[str, Any]:
    """What a pasted text looks like, what else it could be, and in one sentence what was found."""
    given = parse(text)
    fits = [kind for kind, reader in READERS.items() if _fits(reader, given)]
    meant = _nearest(given)
    if meant not in fits and (meant or not fits):
        raise _unknown(given, meant)
    return {
        "kind": fits[0],
        "kinds": [{"kind": kind, "title": KINDS[kind], "says": _says(kind, given), "button": BUTTONS[kind]}
                  for kind in fits],
        "also": [KINDS[kind] for kind in KINDS if kind not in fits],
    }  # fmt: skip


def _unknown(given: Pasted, kind: str) -> RocscopeError:
    """Why no reader takes it: the reason of the one that comes nearest, else what would be understood."""
    try:
        if kind:
            READERS[kind](given)
    except RocscopeError as error:
        return RocscopeError(f"this looks like {KINDS[kind]}, but {error.message}", hint=error.hint)
    return RocscopeError(
        "no table that is known here", hint="Paste scores with labels, a confusion matrix, ROC points, or counts"
    )


def _nearest(given: Pasted) -> str:
    """What a table is meant to be, by the names of its columns or by its shape; '' where that says nothing."""
    names = {plain(name) for name in given.header}
    if names & set(CELLS):
        return "thresholds" if "threshold" in names else "counts"
    if names & (FPR | TPR) - {"x", "y"}:
        return "points"
    if names & (LABELS | PREDICTED):
        return "scores"
    flat = [cell for row in given.rows for cell in row]
    if not given.header and len(flat) == 4 and len(given.rows) in (1, 4) and all(map(_is_number, flat)):
        return "counts"
    bare = [row[1:] if given.header and not _is_number(row[0]) else row for row in given.rows]
    if len(bare) > 1 and all(len(row) == len(bare) and all(map(_is_whole, row)) for row in bare):
        return "matrix"
    if not given.header and len(given.rows[0]) == 3 and all(map(_is_number, given.rows[0][1:])):
        return "" if _is_number(given.rows[0][0]) else "points"
    return ""


def _fits(reader: Callable[[Pasted], Any], given: Pasted) -> bool:
    try:
        reader(given)
    except (RocscopeError, ValueError):
        return False
    return True


def _says(kind: str, given: Pasted) -> str:
    """What was found, for people."""
    found = READERS[kind](given)
    if kind == "points":
        return f"{len(found)} classifier{'' if len(found) == 1 else 's'}, in rates"
    if kind == "matrix":
        return f"{len(found)} classes, rows taken as actual"
    if kind == "counts":
        return f"{len(found)} classifier{'' if len(found) == 1 else 's'}"
    if kind == "thresholds":
        return f"{len(given.rows)} thresholds, {found.positives} positives, {found.negatives} negatives"
    _, choice = found
    cases = f"{len(given.rows)} case{'' if len(given.rows) == 1 else 's'}, label {choice.label}"
    if not choice.scores:
        return f"{cases}, predicted labels {choice.predicted}"
    return f"{cases}, positive {choice.positive}, scores {', '.join(choice.scores)}"


# ---- how each kind is read ----


def _place(given: Pasted, wanted: set[str]) -> int:
    """The first column with one of these names; -1 where there is none."""
    return next((i for i, name in enumerate(given.header) if plain(name) in wanted), -1)


def _positions(given: Pasted, *wanted: set[str]) -> list[int]:
    found = [_place(given, group) for group in wanted]
    missing = [sorted(group)[0] if len(group) == 1 else NAMED[frozenset(group)]
               for group, at in zip(wanted, found, strict=True) if at < 0]  # fmt: skip
    if missing:
        raise RocscopeError(f"there is no column {' and no column '.join(one.upper() for one in missing)}")
    return found


def _rate(cell: str) -> float:
    value = as_number(cell)
    if value is None or not 0 <= value <= 1:
        share = value is not None and 1 < value <= 100
        raise RocscopeError(
            f"'{cell[:40]}' is no rate between 0 and 1", hint="Divide per cents by 100" if share else ""
        )
    return value


def _points(given: Pasted) -> list[Point]:
    """Name and rates of each row, by the names of the columns, or a name and two rates; the totals where they stand."""
    sizes = [-1, -1]
    if given.header:
        x, y = _positions(given, FPR, TPR)
        sizes = [_place(given, one) for one in (NEGATIVES, POSITIVES)]
        rest = [i for i in range(len(given.header)) if i not in (x, y, *sizes)]
    else:
        width = len(given.rows[0])
        if width not in (2, 3) or (width == 3 and _is_number(given.rows[0][0])):
            raise RocscopeError("no name and two rates")
        x, y, rest = width - 2, width - 1, [0][: width - 2]
        if width == 2 and all(row[0] in ("0", "1") for row in given.rows):
            raise RocscopeError("these are labels")
    names = [row[rest[0]] if rest else f"classifier {i + 1}" for i, row in enumerate(given.rows)]
    if len(set(names)) < len(names):
        names = [f"{name} ({i + 1})" for i, name in enumerate(names)]
    return [
        Point(name, _rate(row[x]), _rate(row[y]), *(None if at < 0 else _count(row[at]) for at in sizes))
        for name, row in zip(names, given.rows, strict=True)
    ]


def _count(cell: str) -> int:
    value = as_number(cell)
    if value is None or value < 0 or value != int(value):
        raise RocscopeError(f"'{cell[:40]}' is no count: a whole number, 0 or more")
    return int(value)


def _counts(given: Pasted) -> dict[str, list[int]]:
    """The four counts of each row; four bare numbers are TP FP FN TN."""
    if given.header:
        places = _positions(given, *({cell} for cell in CELLS))
        rest = [i for i in range(len(given.header)) if i not in places]
        if any(plain(given.header[i]) == "threshold" for i in rest):
            raise RocscopeError("these are thresholds")
        return {row[rest[0]] if rest else f"row {i + 1}": [_count(row[p]) for p in places]
                for i, row in enumerate(given.rows)}  # fmt: skip
    flat = [cell for row in given.rows for cell in row]
    named = {plain(row[0]): row[1] for row in given.rows if len(row) == 2}
    if set(named) == set(CELLS):
        return {"": [_count(named[cell]) for cell in CELLS]}
    if len(flat) != 4 or len(given.rows) not in (1, 4):
        raise RocscopeError("not four counts")
    return {"": [_count(cell) for cell in flat]}


def _matrix(given: Pasted) -> Confusion:
    """A square of counts, with names in its first line and column or without."""
    rows = [list(row) for row in given.rows]
    labels: list[str] | None = None
    if given.header and not _is_number(rows[0][0]):
        labels, rows = [row[0] for row in rows], [row[1:] for row in rows]
        if set(labels) != set(given.header[1:]):
            raise RocscopeError("the names of rows and columns differ")
        order = [given.header[1:].index(label) for label in labels]
        rows = [[row[place] for place in order] for row in rows]
    elif given.header:
        labels = list(given.header)
    if len(rows) < 2 or any(len(row) != len(rows) for row in rows):
        raise RocscopeError("not square")
    return Confusion.from_matrix([[_count(cell) for cell in row] for row in rows], labels=labels)


def _threshold(cell: str) -> float:
    """A threshold; infinity stands for flagging nobody, or all."""
    try:
        return float(cell)
    except ValueError:
        raise RocscopeError(f"'{cell[:40]}' is no threshold: a number") from None


def _thresholds(given: Pasted) -> ScoreTable:
    names = [plain(name) for name in given.header]
    if "threshold" not in names or not set(CELLS) <= set(names):
        raise RocscopeError("no thresholds with counts")
    rows = [dict(zip(names, row, strict=True)) for row in given.rows]
    read = [{"threshold": _threshold(row["threshold"]), **{cell: _count(row[cell]) for cell in CELLS}} for row in rows]
    return ScoreTable.from_points(read)


def _scores(given: Pasted) -> tuple[TextColumns, Choice]:
    table = given.table
    roles = guess(profile(table))
    if roles.label is None:
        raise RocscopeError("no column of labels was found", hint="Name the column of what happened 'label'")
    if not roles.scores and roles.predicted is None:
        raise RocscopeError(
            "no column of scores was found", hint="A score is a number for each case; labels stand under 'predicted'"
        )
    return table, Choice(roles.label, roles.scores, roles.positive, None if roles.scores else roles.predicted)


READERS: Mapping[str, Callable[[Pasted], Any]] = MappingProxyType(
    {"thresholds": _thresholds, "points": _points, "counts": _counts, "matrix": _matrix, "scores": _scores}
)


# ---- the answer ----


def show(text: str, kind: str, *, rows: str = "actual") -> tuple[str, str]:
    """The title and the page of a pasted table that is of a kind."""
    if kind not in READERS:
        raise RocscopeError(f"no kind '{kind[:40]}' of table", hint=", ".join(READERS))
    found = READERS[kind](parse(text))
    if kind == "points":
        return IN_ROC_SPACE, moving(found, source="the pasted table")
    if kind == "counts":
        return _of_counts(found)
    if kind == "matrix":
        turned = Confusion.from_matrix(found.to_array(), labels=list(found.labels), rows=rows)
        return "A confusion matrix", page_of(ClassEvaluation(turned), "A confusion matrix")
    if kind == "thresholds":
        return "A table of thresholds", page_of(Evaluation(found), "A table of thresholds")
    title = "The pasted scores"
    return title, page_of(answer([found]), title)


def _of_counts(found: Mapping[str, Sequence[int]]) -> tuple[str, str]:
    if len(found) == 1:
        tp, fp, fn, tn = next(iter(found.values()))
        matrix = Confusion.from_matrix([[tp, fn], [fp, tn]], labels=["positive", "negative"])
        return "Four counts", page_of(ClassEvaluation(matrix, positive="positive"), "Four counts")
    points = [
        Point(name or "classifier", fp / (fp + tn), tp / (tp + fn), fp + tn, tp + fn)
        for name, (tp, fp, fn, tn) in found.items()
        if fp + tn and tp + fn
    ]
    return IN_ROC_SPACE, moving(points, source="the pasted table")
