"""Pasted notations other than tables: points "C4.5 (0.2, 0.7)", counts "tp=7 fp=7 fn=3 tn=13", four numbers, lists
of lists as Python prints them.
"""

from __future__ import annotations

import re

from rocscope.formula import CELLS

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
    """
    if len(text) > LONGEST:
        return None
    joined = APART.sub(r"\1", text)  # "x - 3" is one expression
    return _points(text) or _counts(joined) or _four(joined) or _lists(text)


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
    return (
        ((), rows) if len(rows) > 1 and AROUND.fullmatch(LIST.sub("", text)) and len({*map(len, rows)}) == 1 else None
    )


def _four(text: str) -> Rows | None:
    """Parse TP FP FN TN in this order, at least one of them an expression such as x-3."""
    cells = tuple(text.replace(",", " ").replace(";", " ").split())
    unknown = [cell for cell in cells if EXPRESSION.fullmatch(cell)]
    known = [cell for cell in cells if re.fullmatch(NUMBER, cell)]
    return (CELLS, (cells,)) if len(cells) == 4 and unknown and len(known) + len(unknown) == 4 else None
