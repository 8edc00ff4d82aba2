"""Pasted notations other than tables: points "C4.5 (0.2, 0.7)", rates "TPR=0.7 FPR=0.2", counts "tp=7 fp=7 fn=3
tn=13", four numbers, lists as Python prints them, and confusion matrices as R, pandas and Weka print them.
"""

from __future__ import annotations

import re
from decimal import Decimal

from rocscope.formula import CELLS
from rocscope.sources import FPR_NAMES, SPECIFICITY_NAMES, TPR_NAMES, plain_name

Rows = tuple[tuple[str, ...], tuple[tuple[str, ...], ...]]  # column names, rows

LONGEST = 4000  # maximum number of characters; longer text is not handwritten notation, and the patterns would be slow
NUMBER = r"[-+]?(?:\d{1,20}\.?\d{0,20}|\.\d{1,20})(?:[eE][-+]?\d{1,3})?"
GAP = r"\s{0,9}"
POINT = re.compile(rf"([^(),;\n]{{0,80}}?){GAP}[:=]?{GAP}\({GAP}({NUMBER}){GAP}[,;]{GAP}({NUMBER}){GAP}\)")
COUNT = re.compile(
    rf"\b(tp|fp|fn|tn)\b(?:\s{{0,9}}[:=]\s{{0,9}}([^\s,;]{{1,40}})|\s{{1,9}}({NUMBER})(?=[\s,;]|$))", re.IGNORECASE
)
LIST = re.compile(r"\[([^\[\]]{1,1000})\]")
AROUND = re.compile(
    r"\s{0,9}(?:np\.|numpy\.)?(?:array|matrix)?\s{0,9}\(?\s{0,9}\[[\s,]*\][\s,]{0,9}(?:dtype=[\w.]{1,20})?\)?\s{0,9}"
)
NAMED_LIST = re.compile(rf"(\w{{1,40}}){GAP}={GAP}(?:[\w.]{{1,20}}\()?\[([^\[\]]{{1,4000}})\]{GAP}\)?")
RATE = re.compile(
    rf"\b(1{GAP}-{GAP}\w{{2,20}}|[a-z]\w{{1,20}}){GAP}[:=]?{GAP}({NUMBER})({GAP}%)?(?![\w.])", re.IGNORECASE
)
ACTUAL_NAMES = frozenset({"actual", "reference", "truth", "true", "true_label", "true_class", "observed", "y_true"})
PREDICTED_NAMES = frozenset(
    {"predicted", "prediction", "predictions", "pred", "predicted_label", "predicted_class", "y_pred"}
)
WEKA_HEAD = re.compile(r"([a-z]{1,3}(?:\s{1,20}[a-z]{1,3}){1,200})\s{1,20}<--\s?classified as", re.IGNORECASE)
WEKA_ROW = re.compile(r"((?:\d{1,15}\s{1,20}){2,200})\|\s{0,9}[a-z]{1,3}\s?=\s?(.{1,80})", re.IGNORECASE)
EXPRESSION = re.compile(r"[\d.]*[a-z](?:\s*[-+*/]\s*[\d.]+)?|[\d.]+\s*[-+*/]\s*[a-z]", re.IGNORECASE)
APART = re.compile(r"(?<=[a-z\d])[ \t]{1,9}([-+*/])[ \t]{1,9}(?=\d|[a-z]\b)", re.IGNORECASE)
BETWEEN = re.compile(r"[\s,;]*")


def rows_of(text: str) -> Rows | None:
    """The rows of a text that lists points or counts in one of these notations; None for anything else.

    >>> rows_of("C4.5 (0.2, 0.7); SVM (0.5, 0.95)")
    (('classifier', 'FPR', 'TPR'), (('C4.5', '0.2', '0.7'), ('SVM', '0.5', '0.95')))
    >>> rows_of("TP: 7, FP: 7, FN: 3, TN: 13")
    (('tp', 'fp', 'fn', 'tn'), (('7', '7', '3', '13'),))
    >>> rows_of("5 3 7 x - 3")
    (('tp', 'fp', 'fn', 'tn'), (('5', '3', '7', 'x-3'),))
    >>> rows_of("array([[50, 10], [5, 35]])")
    ((), (('50', '10'), ('5', '35')))
    >>> rows_of("sensitivity 70 %, specificity 80 %")
    (('FPR', 'TPR'), (('0.2', '0.7'),))
    >>> rows_of("y_true = [1, 0]; y_score = [0.9, 0.2]")
    (('y_true', 'y_score'), (('1', '0.9'), ('0', '0.2')))
    """
    if len(text) > LONGEST:
        return None
    joined = APART.sub(r"\1", text)  # "x - 3" is one expression
    return (
        _points(text) or _counts(joined) or _four(joined) or _one_point(text) or _named_lists(text) or _lists(text)
        or _printed_matrix([line.split() for line in text.splitlines() if line.strip()]) or _weka(text)
    )  # fmt: skip


def _points(text: str) -> Rows | None:
    """Parse points as (FPR, TPR), each with or without a name before it."""
    matches = POINT.findall(text)
    if not matches or not BETWEEN.fullmatch(POINT.sub("", text)):
        return None
    rows = tuple((name.strip(" \t-"), fpr, tpr) for name, fpr, tpr in matches)
    if any(name for name, _, _ in rows):
        return ("classifier", "FPR", "TPR"), rows
    return ("FPR", "TPR"), tuple(row[1:] for row in rows)


def _counts(text: str) -> Rows | None:
    """Parse counts by their names; those that are not given are unknown, ''."""
    values = {name.lower(): assigned or bare for name, assigned, bare in COUNT.findall(text)}
    if len(values) < 2 or not BETWEEN.fullmatch(COUNT.sub("", text)):
        return None
    return CELLS, (tuple(values.get(cell, "") for cell in CELLS),)


def _lists(text: str) -> Rows | None:
    """Parse a list of lists, or an array as NumPy prints it."""
    rows = tuple(tuple(row.replace(",", " ").split()) for row in LIST.findall(text))
    if len(rows) < 2 or len({*map(len, rows)}) > 1:
        return None
    if len(rows) == 2 < len(rows[0]) and BETWEEN.fullmatch(LIST.sub("", text)):  # two columns, one after the other
        return (), tuple(zip(*rows, strict=True))
    return ((), rows) if AROUND.fullmatch(LIST.sub("", text)) else None


def _named_lists(text: str) -> Rows | None:
    """Parse assignments of lists, each of them a column."""
    columns = {name: values.replace(",", " ").split() for name, values in NAMED_LIST.findall(text)}
    if len(columns) < 2 or not BETWEEN.fullmatch(NAMED_LIST.sub("", text)) or len({*map(len, columns.values())}) > 1:
        return None
    return tuple(columns), tuple(zip(*columns.values(), strict=True))


def _one_point(text: str) -> Rows | None:
    """Parse a recall and a false positive rate, or a specificity, by their names."""
    shares = {
        plain_name(name): Decimal(number) / (100 if percent else 1) for name, number, percent in RATE.findall(text)
    }
    recall = [share for name, share in shares.items() if name in TPR_NAMES]
    alarms = [share for name, share in shares.items() if name in FPR_NAMES]
    alarms += [1 - share for name, share in shares.items() if name in SPECIFICITY_NAMES]
    if len(recall) != 1 or len(alarms) != 1 or not BETWEEN.fullmatch(RATE.sub("", text)):
        return None
    return ("FPR", "TPR"), ((f"{alarms[0].normalize():f}", f"{recall[0].normalize():f}"),)


def _printed_matrix(lines: list[list[str]]) -> Rows | None:
    """Parse a matrix whose rows and columns have titles: R's table and caret, the crosstab of pandas.

    R prints the title of the columns above, that of the rows beside the labels; pandas exchanges the two.
    """
    if len(lines) < 4:
        return None
    (first, *labels), second = (lines[1], lines[0]) if len(lines[0]) == 1 else (lines[0], lines[1])
    titles = (first, second[0]) if len(lines[0]) == 1 else (second[0], first)
    rows, columns = (plain_name(title) for title in titles)
    known = {rows, columns}
    if len(second) > 1 or not (known & ACTUAL_NAMES and known & PREDICTED_NAMES):
        return None
    if any(len(row) != len(labels) + 1 or not all(map(str.isdigit, row[1:])) for row in lines[2:]):
        return None
    return ("actual" if rows in ACTUAL_NAMES else "predicted", *labels), tuple(map(tuple, lines[2:]))


def _weka(text: str) -> Rows | None:
    """Parse a confusion matrix as Weka prints it: its rows are the actual classes."""
    head, *lines = [line.strip() for line in text.splitlines() if line.strip() and "===" not in line] or [""]
    rows = [WEKA_ROW.fullmatch(line) for line in lines]
    cells = [(row[2].strip(), *row[1].split()) for row in rows if row is not None]
    if not WEKA_HEAD.fullmatch(head) or not cells or len(cells) < len(rows):
        return None
    return ("actual", *(name for name, *_ in cells)), tuple(cells)


def _four(text: str) -> Rows | None:
    """Parse TP FP FN TN in this order, at least one of them an expression such as x-3."""
    cells = tuple(text.replace(",", " ").replace(";", " ").split())
    unknown = [cell for cell in cells if EXPRESSION.fullmatch(cell)]
    known = [cell for cell in cells if re.fullmatch(NUMBER, cell)]
    return (CELLS, (cells,)) if len(cells) == 4 and unknown and len(known) + len(unknown) == 4 else None
