"""The teaching page: a ranking that becomes a curve, step by step, as one file without a report.

The worked examples with scores are its gallery. Without JavaScript, the trace of the list and its curve are shown.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

from rocscope import lessons
from rocscope.errors import RocscopeError
from rocscope.lessons import Example, RocRow, subject
from rocscope.report.html.axes import SvgAxes, roc_space
from rocscope.report.html.html_page import bar, heading, whole
from rocscope.report.html.markup import Markup, tag
from rocscope.report.html.views import classroom
from rocscope.table import ScoreTable
from rocscope.text import tick_text

MOST = 60  # maximum number of rows shown step by step; a larger table is sampled
TITLE = "How a ranking becomes a curve"
LEAD = (
    "Sort the cases by score, highest first. Go down the list: a positive moves the curve up, a negative moves it "
    "right, and a tie moves it diagonally."
)
ARROWS = {"start": "", "up": "↑", "right": "→", "diagonal": "↗"}


def teaching(table: ScoreTable | None = None, *, source: str = "") -> str:
    """The teaching page as one self-contained HTML file; without a table it starts with Fawcett's twenty instances.

    >>> page = teaching(ScoreTable.from_scores([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1]))
    >>> page.startswith("<!doctype html>"), "How a ranking becomes a curve" in page
    (True, True)
    """
    chosen = _checked(_fawcett() if table is None else table)
    small, note = _followed(chosen, source)
    lesson: dict[str, Any] = {"cases": classroom.cases_of(small), "note": note, "examples": _gallery()}
    lesson |= {"shapes": classroom.shapes(), "exercises": classroom.exercises(), "folds": classroom.plans()}
    body = [bar("Learn ROC", skip=False), tag("main", *_static(small, note), class_="teach-static")]
    return whole(body, lesson, title=TITLE, holder="rocscope-lesson", script="lesson.js")


def _checked(table: ScoreTable) -> ScoreTable:
    if table.weighted or not table.exact:
        raise RocscopeError("the steps of the algorithm need counts of cases, not weights")
    if not table.positives or not table.negatives:
        raise RocscopeError("the steps of the algorithm need positives and negatives")
    return table if table.higher_is_positive else _turned(table)


def _turned(table: ScoreTable) -> ScoreTable:
    """The same ranking with the sign of the scores reversed: the page reads from the highest score down."""
    return ScoreTable(-table.scores, table.pos, table.neg, labels=table.labels, rows=table.rows)


def _fawcett() -> ScoreTable:
    table: ScoreTable = _table_of(lessons.example("fawcett"))
    return table


def _table_of(example: Example) -> Any:
    return subject(example.kind, example.data)


# ---- list of cases ----


def _followed(table: ScoreTable, source: str) -> tuple[ScoreTable, str]:
    """The table, or an even sample of its ranks if it has too many cases to follow, and a note about it."""
    total = int(table.positives + table.negatives)
    if total <= MOST:
        return table, ""
    where = f" of {source}" if source else ""
    sizes = [_share(int(side), total) for side in (table.positives, table.negatives)]
    rows = [
        (score, label)
        for label, weights, size in ((1, table.pos, sizes[0]), (0, table.neg, sizes[1]))
        for score in _evenly(table.scores.tolist(), weights.tolist(), size)
    ]
    small = ScoreTable.from_scores([label for _, label in rows], [score for score, _ in rows], positive=1)
    sampled = f"{len(rows)} of {total:,} cases{where}"
    note = f"{sampled}, sampled evenly over the ranking; the curve approximates the full one."
    return small, note


def _share(side: int, total: int) -> int:
    return max(min(5, side), round(MOST * side / total))


def _evenly(scores: list[float], weights: list[int], size: int) -> list[float]:
    """The scores at evenly spaced ranks of a class."""
    total, spread, seen, rank = sum(weights), [], 0, 0
    for score, weight in zip(scores, weights, strict=True):
        seen += weight
        while rank < size and (rank + 0.5) / size * total <= seen:
            spread.append(score)
            rank += 1
    return spread


def _gallery() -> list[dict[str, Any]]:
    """The worked examples that are ranked lists, with their questions and answers."""
    return [_example(example, table) for example, table in _scored(lessons.examples())]


def _scored(examples: Iterable[Example]) -> Iterable[tuple[Example, ScoreTable]]:
    for example in examples:
        if example.kind != "scores" or example.status == "lost":
            continue
        table = _table_of(example)
        if isinstance(table, ScoreTable) and int(table.positives + table.negatives) <= MOST:
            yield example, table


def _example(example: Example, table: ScoreTable) -> dict[str, Any]:
    says = f"{int(table.positives)} positives, {int(table.negatives)} negatives"
    answers = [answer.text for answer in example.answers][:6]
    content = {"name": example.title, "says": says, "cases": classroom.cases_of(table)}
    return content | {"question": example.question, "answers": answers}


# ---- static version without JavaScript ----


def _static(table: ScoreTable, note: str) -> list[Markup | None]:
    trace = lessons.table_trace(table)
    return [
        tag("h1", TITLE, class_="headline"),
        tag("p", LEAD, class_="lead"),
        tag("p", note, class_="muted") if note else None,
        tag("div", tag("section", _picture(trace)), tag("section", _list(trace)), class_="teach-columns"),
    ]


def _list(trace: Iterable[RocRow]) -> Markup:
    heads = ("threshold", "move", "TP", "FP", "area so far", "in words")
    rows = [tag("tr", *(tag("td", cell) for cell in _cells(row))) for row in trace]
    return tag("table", tag("thead", tag("tr", *map(heading, heads))), tag("tbody", *rows), class_="teach-list")


def _cells(row: RocRow) -> tuple[str, ...]:
    threshold = "above all" if math.isinf(row.threshold) else tick_text(row.threshold)
    return threshold, ARROWS[row.move], str(row.tp), str(row.fp), f"{float(row.area):.3f}", row.says


def _picture(trace: Iterable[RocRow]) -> Markup:
    axes = SvgAxes(width=440, height=440)
    points = [(float(row.fpr), float(row.tpr)) for row in trace]
    area = axes.line([*points, (1.0, 0.0)], "teach-area", close=True)
    drawn = [*roc_space(axes), area, axes.line(points, "curve chosen", 1)]
    size = {"viewBox": "0 0 440 440", "width": 440, "height": 440}
    return tag("svg", *drawn, role="img", aria_label="The ROC curve of the list", **size)
