"""A pasted table: its kind, a description, and the result for it."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field, replace
from decimal import Decimal
from types import MappingProxyType
from typing import Any

from rocscope import sources
from rocscope.errors import RocscopeError
from rocscope.evaluation import ClassEvaluation, Evaluation
from rocscope.formula import CELLS
from rocscope.record import record
from rocscope.report import USUAL, Look, counts_sheet, tag
from rocscope.serve import notations
from rocscope.serve.answers import Choice, answer, page_of
from rocscope.serve.pages import blocks_html, frame
from rocscope.serve.pasted_curves import PastedCurve, curve_of, curve_page
from rocscope.serve.rates_only import moving
from rocscope.sources import (
    FPR_NAMES,
    LABEL_NAMES,
    MOST_LABELS,
    PREDICTED_NAMES,
    TPR_NAMES,
    RocPoint,
    Source,
    TextTable,
    as_number,
    confusion_matrix,
    counts_table,
    guess,
    is_threshold_table,
    plain_name,
    profile,
    roc_points,
    said_positive,
    threshold_column,
    threshold_table,
)
from rocscope.table import Confusion, Counts, ScoreTable

IN_ROC_SPACE = "Classifiers in ROC space"
KINDS: Mapping[str, str] = MappingProxyType(
    {
        "points": "ROC points",
        "curve": "a ROC curve",
        "counts": "TP FP FN TN counts",
        "unknown": "counts with an unknown value",
        "matrix": "a confusion matrix",
        "thresholds": "thresholds with their counts",
        "scores": "scores with labels",
    }
)
BUTTONS = {
    "points": "Show in ROC space", "curve": "Show the curve", "counts": "Show the matrix", "unknown": "Solve",
    "matrix": "Show the matrix", "thresholds": "Evaluate", "scores": "Evaluate",
}  # fmt: skip


@record(slots=True)
class UnknownCounts:
    """Counts that include expressions, and the names of the unknowns."""

    counts: Counts
    unknowns: tuple[str, ...]


# a separate line with the number of cases of a class, such as "positives: 130"
TOTAL = re.compile(r"(positives|negatives)\s{0,20}[:=,;\s]\s{0,20}([0-9]{1,15})", re.IGNORECASE)
RULE = re.compile(r"\s*:?-+:?\s*")
PERCENT = re.compile(r"[-+]?[0-9.]{1,40}\s?%")
COMMA = re.compile(r"\s*[-+]?\d*,\d+\s?%?\s*")
THOUSANDS = re.compile(r"\s*[-+]?[1-9]\d{0,2},\d{3}\s?%?\s*")
SIGN = re.compile(r"([<>]=?|[≥≤])\s+(?=[-.\d])")  # a cut-off such as "<= 15" is one cell


@record(slots=True)
class Pasted:
    """Rows of cells, and the names in the first line if it contains names."""

    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    totals: Mapping[str, int] = field(default_factory=dict)

    @property
    def table(self) -> TextTable:
        """The rows as columns; without names they are called column 1, column 2 ..."""
        names = self.header or tuple(f"column {number + 1}" for number in range(len(self.rows[0])))
        return self.called(*names)

    def called(self, *names: str) -> TextTable:
        """The rows as columns of these names."""
        lines = tuple(range(1, len(self.rows) + 1))
        return TextTable("the pasted table", names, self.rows, lines, unit="row")


def parse(text: str) -> Pasted:
    """The cells of a pasted text: split at tabs, semicolons, bars, commas, or blanks.

    >>> parse("model FPR TPR\\nSVM 0.5 0.95").rows
    (('SVM', '0.5', '0.95'),)
    """
    noted = notations.rows_of(text)
    if noted is not None:
        return Pasted(*noted)
    filled = [line for line in text.splitlines() if line.strip()]
    matches = [TOTAL.fullmatch(line.strip()) for line in filled]
    lines = [line for line, match in zip(filled, matches, strict=True) if match is None]
    totals = {match[1].lower(): int(match[2]) for match in matches if match is not None}
    if not lines:
        raise RocscopeError("nothing has been pasted yet")
    if len(lines) > 200_000:
        raise RocscopeError("more than 200,000 lines", hint="Drop it as a file")
    rows = [tuple(_share(cell.strip()) for cell in row) for row in _with_points(_split(lines))]
    named = len(rows) > 1 and not any(map(_is_number, rows[0])) and (
        any(_is_number(cell) for row in rows[1:] for cell in row) or _names_labels(rows[0])
    )  # fmt: skip
    if named and len(rows[0]) == len(rows[1]) - 1:  # a confusion matrix with an empty corner cell
        rows[0] = ("", *rows[0])
    widths = {len(row) for row in rows}
    if len(widths) > 1:
        odd = next(i for i, row in enumerate(rows) if len(row) != len(rows[0]))
        raise RocscopeError(f"line {odd + 1} has {len(rows[odd])} cells, but the first line has {len(rows[0])}")
    return Pasted(rows[0] if named else (), tuple(rows[1:] if named else rows), MappingProxyType(totals))


def _share(cell: str) -> str:
    """A percentage as a share, anything else as it is.

    >>> _share("98.5 %"), _share("98"), _share("Spec (%)")
    ('0.985', '98', 'Spec (%)')
    """
    number = cell.removesuffix("%").strip()
    return f"{Decimal(number) / 100}" if PERCENT.fullmatch(cell) and _is_number(number) else cell


def _split(lines: Sequence[str]) -> list[Sequence[str]]:
    for delimiter in "\t;":
        if all(delimiter in line for line in lines):
            return [line.rstrip("\r").split(delimiter) for line in lines]
    if all("|" in line for line in lines):  # as in Markdown, whose second line is a rule
        rows = [line.strip().removeprefix("|").removesuffix("|").split("|") for line in lines]
        return [row for row in rows if not all(RULE.fullmatch(cell) for cell in row)]
    if all("," in line for line in lines):
        import csv

        return list(csv.reader(lines))
    lines = [SIGN.sub(r"\1", line) for line in lines]
    wide = [re.split(r"\s{2,}", line.strip()) for line in lines]
    if len({len(row) for row in wide}) == 1 and len(wide[0]) > 1:
        return list(wide)
    return [line.split() for line in lines]


def _with_points(rows: Sequence[Sequence[str]]) -> Sequence[Sequence[str]]:
    """The rows with decimal points if their numbers have decimal commas, as spreadsheets of many languages print them.

    >>> _with_points([["a", "0,9"], ["b", "1,250"]])
    [['a', '0.9'], ['b', '1.250']]
    >>> _with_points([["a", "1,250"], ["b", "1,300"]])
    [['a', '1,250'], ['b', '1,300']]
    """
    cells = [cell for row in rows for cell in row]
    commas = [cell for cell in cells if COMMA.fullmatch(cell)]
    if all(map(THOUSANDS.fullmatch, commas)) or any("." in cell and _is_number(cell) for cell in cells):
        return rows
    return [[cell.replace(",", ".") if COMMA.fullmatch(cell) else cell for cell in row] for row in rows]


def _names_labels(row: Sequence[str]) -> bool:
    """Whether a row contains headings for actual and predicted labels above text labels."""
    names = {plain_name(cell) for cell in row}
    return bool(names & LABEL_NAMES) and bool(names & PREDICTED_NAMES)


def _is_number(cell: str) -> bool:
    value = as_number(cell)
    return value is not None and value == value


def _is_whole(cell: str) -> bool:
    value = as_number(cell)
    return value is not None and value.is_integer()


# ---- recognition ----


def recognise(text: str) -> dict[str, Any]:
    """The kind of a pasted text, its possible alternatives, and a one-sentence description."""
    given = parse(text)
    fits = [kind for kind, reader in READERS.items() if _fits(reader, given)]
    meant = _nearest(given)
    if meant not in fits and (meant or not fits):
        raise _unknown(given, meant)
    return {
        "kind": fits[0],
        "kinds": [{"kind": kind, "title": KINDS[kind], "says": _says(kind, given), "button": BUTTONS[kind],
                   "asks": _asks(kind, given)} for kind in fits],
        "also": [KINDS[kind] for kind in KINDS if kind not in fits],
    }  # fmt: skip


def _unknown(given: Pasted, kind: str) -> RocscopeError:
    """Why no parser accepts it: the reason of the closest one, else what is supported."""
    try:
        if kind:
            READERS[kind](given)
    except RocscopeError as error:
        return RocscopeError(f"this looks like {KINDS[kind]}, but {error.message}", hint=error.hint)
    return RocscopeError(
        "this is not a table of a known kind",
        hint="Paste scores with labels, a confusion matrix, counts such as 'tp=7 fp=7 fn=3 tn=13', or ROC points such "
        "as 'C4.5 (0.2, 0.7)'",
    )


def _asks(kind: str, given: Pasted) -> dict[str, Any] | None:
    """What the table does not state and must be asked: the name of the answer, the question, and the choices."""
    if kind == "matrix" and _said_rows(given) is not None:
        choices = [["actual", "Actual classes"], ["predicted", "Predicted classes"]]
        return {"name": "rows", "question": "What do the rows of the matrix show?", "choices": choices}
    if kind != "scores":
        return None
    if _bare_labels(given):
        choices = [["1", "The first column"], ["2", "The second column"]]
        return {"name": "actual", "question": "Which column holds the true labels?", "choices": choices}
    _, choice = _scores(given)
    if choice.positive is None and choice.scores:
        labels = sorted(set(given.table.text(choice.label)))
        if len(labels) == 2:
            choices = [[label, label] for label in labels]
            return {"name": "positive", "question": "Which label is positive?", "choices": choices}
    return None


def _nearest(given: Pasted) -> str:
    """The likely kind of a table, by its column names or its shape; '' if unclear."""
    names = {plain_name(name) for name in given.header}
    if given.header == CELLS and len(given.rows) == 1 and not all(map(_is_number, given.rows[0])):
        return "unknown"
    if _fits(_curve, given):
        return "curve"
    if names & set(CELLS):
        return "thresholds" if threshold_column(given.header) is not None else "counts"
    if names & (FPR_NAMES | TPR_NAMES):
        return "points"
    if names & (LABEL_NAMES | PREDICTED_NAMES):
        return "matrix" if _fits(_matrix, given) else "scores"
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
    """A description of what was found."""
    content = READERS[kind](given)
    if kind == "points":
        return f"{len(content)} classifier{'' if len(content) == 1 else 's'}, in rates"
    if kind == "curve":
        return f"{len(content.rows)} points, area {content.area:.4g}"
    if kind == "unknown":
        return f"{' and '.join(content.unknowns)} {'is' if len(content.unknowns) == 1 else 'are'} unknown"
    if kind == "matrix":
        rows = "" if _said_rows(given) else f", rows: {given.header[0].strip().lower()} classes"
        return f"{len(content)} classes{rows}"
    if kind == "counts":
        return f"{len(content)} classifier{'' if len(content) == 1 else 's'}"
    if kind == "thresholds":
        return f"{len(given.rows)} thresholds, {content.positives} positives, {content.negatives} negatives"
    _, choice = content
    cases = f"{len(given.rows)} case{'' if len(given.rows) == 1 else 's'}, label {choice.label}"
    if not choice.scores:
        return f"{cases}, predicted labels {choice.predicted}"
    positive = "" if choice.positive is None else f", positive {choice.positive}"
    return f"{cases}{positive}, scores {', '.join(choice.scores)}"


# ---- parsers by kind ----


def _points(given: Pasted) -> list[RocPoint]:
    """Name and rates of each row, by column names, or a name and two rates; and the totals if present."""
    if given.header:
        axes = {"x": "fpr", "y": "tpr"} if {"x", "y"} <= {plain_name(name) for name in given.header} else {}
        table = given.called(*(axes.get(plain_name(name), name) for name in given.header))
    else:
        width = len(given.rows[0])
        if width not in (2, 3) or (width == 3 and _is_number(given.rows[0][0])):
            raise RocscopeError("each row must contain a name and two rates")
        if width == 2 and all(row[0] in ("0", "1") for row in given.rows):
            raise RocscopeError("these are labels")
        table = given.called(*("name", "fpr", "tpr")[3 - width :])
    points = roc_points(table)
    names = [point.name for point in points]
    if len(set(names)) < len(names):
        points = [replace(point, name=f"{point.name} ({i + 1})") for i, point in enumerate(points)]
    return points


def _counts(given: Pasted) -> dict[str, tuple[int, int, int, int]]:
    """The four counts of each row; four bare numbers are TP FP FN TN."""
    if given.header:
        return counts_table(given.table)
    flat = tuple(cell for row in given.rows for cell in row)
    named = {plain_name(row[0]): row[1] for row in given.rows if len(row) == 2}
    if set(named) == set(CELLS):
        flat = tuple(named[cell] for cell in CELLS)
    elif len(flat) != 4 or len(given.rows) not in (1, 4):
        raise RocscopeError("not four counts")
    (cells,) = counts_table(Pasted(CELLS, (flat,)).table).values()
    return {"": cells}


def _matrix(given: Pasted) -> Confusion:
    """A square of counts, with or without names in its first line and column."""
    return confusion_matrix(given.table, rows=_said_rows(given), named=bool(given.header))


def _said_rows(given: Pasted) -> str | None:
    """What the rows are if the table states it.

    The page asks in any case, with actual classes as the default.
    """
    first = given.header[0].strip().lower() if given.header else ""
    return None if first in ("actual", "predicted") else "actual"


def _thresholds(given: Pasted) -> ScoreTable:
    if not is_threshold_table(given.header):
        raise RocscopeError("its columns must be thresholds and counts")
    names = {plain_name(name) for name in given.header}
    sides = {"positives": {"tp", "fn"}, "negatives": {"fp", "tn"}}
    lacking = [side for side, cells in sides.items() if not cells <= names and side not in given.totals]
    if lacking:
        raise RocscopeError(
            f"it does not state how many {' and how many '.join(lacking)} there are",
            hint="Add a line for each, such as " + " and ".join(f"'{side}: 100'" for side in lacking),
        )
    return threshold_table(
        given.table, positives=given.totals.get("positives"), negatives=given.totals.get("negatives")
    )


def _scores(given: Pasted) -> tuple[Source, Choice]:
    table = given.called("actual", "predicted") if _bare_labels(given) else given.table
    roles = guess(profile(table))
    if roles.label is None:
        raise RocscopeError("no column of labels was found", hint="Name the column with the true labels 'label'")
    if not roles.scores and roles.predicted is None:
        raise RocscopeError(
            "no column of scores was found", hint="A score must be a number for each case; put labels under 'predicted'"
        )
    predicted = None if roles.scores else roles.predicted
    positive = said_positive(next(column for column in profile(table) if column.name == roles.label))
    return sources.open(table), Choice(roles.label, roles.scores, positive, predicted)


def _bare_labels(given: Pasted) -> bool:
    """Recognize two columns of the same few words without names: actual and predicted labels, in either order."""
    if given.header or len(given.rows[0]) != 2 or len(given.rows) < 3:
        return False
    columns = [set(column) for column in zip(*given.rows, strict=True)]
    return not any(map(_is_number, columns[0] | columns[1])) and columns[0] & columns[1] != set() and (
        len(columns[0] | columns[1]) <= MOST_LABELS
    )  # fmt: skip


def _unknowns(given: Pasted) -> UnknownCounts:
    """Four counts that include expressions."""
    if given.header != CELLS or len(given.rows) != 1:
        raise RocscopeError("it must contain TP, FP, FN and TN, one of them unknown")
    (row,) = given.rows
    unknown = [cell.upper() for cell, value in zip(CELLS, row, strict=True) if not _is_number(value)]
    if not unknown:
        raise RocscopeError("all four counts are known")
    return UnknownCounts(Counts.of(int(value) if value.isdigit() else value or None for value in row), tuple(unknown))


def _curve(given: Pasted) -> PastedCurve:
    if not given.header and len(given.rows[0]) == 2 and not {("0", "0"), ("1", "1")} <= set(given.rows):
        first, second = (set(column) for column in zip(*given.rows, strict=True))
        if {"0", "1"} in (first, second):
            raise RocscopeError("these are labels")
    return curve_of(given.header, given.rows, given.totals)


READERS: Mapping[str, Callable[[Pasted], Any]] = MappingProxyType(
    {
        "thresholds": _thresholds,
        "curve": _curve,
        "points": _points,
        "unknown": _unknowns,
        "counts": _counts,
        "matrix": _matrix,
        "scores": _scores,
    }
)


# ---- results ----


def show(
    text: str, kind: str, *, rows: str = "actual", positive: str | None = None, actual: str = "1"
) -> tuple[str, str]:
    """The title and the page for a pasted table of a known kind, with the answers to its questions."""
    if kind not in READERS:
        raise RocscopeError(f"there is no kind of table '{kind[:40]}'", hint=", ".join(READERS))
    content = READERS[kind](parse(text))
    if kind == "points":
        return IN_ROC_SPACE, moving(content, source="the pasted table")
    if kind == "curve":
        return "A ROC curve", curve_page(content)
    if kind == "counts":
        return _of_counts(content)
    if kind == "unknown":
        title = "Counts with an unknown"
        sheet = counts_sheet(content.counts, USUAL)
        return title, frame(title, tag("h1", title), *blocks_html(sheet.blocks(Look(), True)))
    if kind == "matrix":
        return "A confusion matrix", page_of(_of_matrix(content, rows, bool(parse(text).header)), "A confusion matrix")
    if kind == "thresholds":
        return "A table of thresholds", page_of(Evaluation(content), "A table of thresholds")
    title = "The pasted scores"
    source, choice = content
    if positive is not None:
        choice = replace(choice, positive=positive)
    if actual == "2":
        choice = replace(choice, label="predicted", predicted="actual")
    return title, page_of(answer([(source, choice)]), title)


def _of_matrix(matrix: Confusion, rows: str, named: bool) -> ClassEvaluation:
    """The evaluation of a matrix: of two classes, one is positive only if their names say so."""
    labels = [str(label) if named else f"class {label}" for label in matrix.labels]
    turned = Confusion.from_matrix(matrix.to_array(), labels=labels, rows=rows)
    (column,) = profile(TextTable("", ("label",), tuple((label,) for label in labels), tuple(range(len(labels)))))
    return ClassEvaluation(turned, positive=said_positive(column) if len(labels) == 2 else None)


def _of_counts(counts: Mapping[str, Sequence[int]]) -> tuple[str, str]:
    if len(counts) == 1:
        tp, fp, fn, tn = next(iter(counts.values()))
        matrix = Confusion.from_matrix([[tp, fn], [fp, tn]], labels=["positive", "negative"])
        return "Four counts", page_of(ClassEvaluation(matrix, positive="positive"), "Four counts")
    points = [
        RocPoint(name or "classifier", fp / (fp + tn), tp / (tp + fn), fp + tn, tp + fn)
        for name, (tp, fp, fn, tn) in counts.items()
        if fp + tn and tp + fn
    ]
    return IN_ROC_SPACE, moving(points, source="the pasted table")
