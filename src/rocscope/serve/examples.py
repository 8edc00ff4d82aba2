"""The worked examples as cards with a small picture, and a page for each."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rocscope import curves, lessons
from rocscope import hull as hulls
from rocscope.errors import RocscopeError
from rocscope.evaluation import ClassEvaluation, Evaluation
from rocscope.lessons import Example, subject
from rocscope.report import Look, data_blocks
from rocscope.serve.answers import page_of
from rocscope.serve.pages import blocks_html, frame, inert, roc_svg
from rocscope.serve.rates_only import moving
from rocscope.serve.thumbnails import thumbnail
from rocscope.sources import RocPoint
from rocscope.table import Confusion, Counts, ScoreTable

# The cards of the start page: example -> title, and one line under it.
CARDS: Mapping[str, tuple[str, str]] = {
    "c45-svm": ("C4.5 against SVM", "Which one? It turns when a miss costs 1.2 false alarms."),
    "fawcett": ("Twenty cases by hand", "The ROC algorithm, row by row."),
    "flu": ("A flu test", "Ten thousand people, few of them ill: read precision."),
    "arm": ("Mid-arm circumference", "Lower means positive: say the direction."),
    "iris": ("Iris, three classes", "A 3 × 3 matrix, class by class."),
    "dogs-x": ("Seven dogs missed, x unknown", "A cell is missing: the answer in x."),
    "naive-bayes": ("Naive Bayes on flowers", "Thirty flowers, ranked and judged."),
    "five-points": ("Five cases with a tie", "Why the curve moves diagonally."),
}


def gallery_items() -> str:
    """The cards of the start page as HTML."""
    return "".join(
        f'<li><a href="/examples/{name}">{thumbnail(picture(lessons.example(name)))}'
        f"<div><b>{inert(title)}</b><span>{inert(says)}</span></div></a></li>"
        for name, (title, says) in CARDS.items()
    )


def picture(example: Example) -> dict[str, Any]:
    """The data of a small drawing: a curve, points with their hull, cells, or a formula."""
    held = _subject(example)
    if isinstance(held, ScoreTable):
        curve = curves.roc(held).thin(60)
        return {"kind": "curve", "points": [[float(x), float(y)] for x, y in zip(*curve.xy, strict=True)]}
    if isinstance(held, hulls.Hull):
        return {"kind": "points", "points": [[p.fpr, p.tpr] for p in held.points]}
    if isinstance(held, Confusion):
        return {"kind": "cells", "cells": held.to_array(rows=held.rows).tolist()}
    if isinstance(held, Counts) and all(isinstance(cell, int) for cell in held.cells.values()):
        return {"kind": "cells", "cells": [[held.tp, held.fn], [held.fp, held.tn]]}
    if isinstance(held, Counts):
        top, _, bottom = held.expression("specificity").partition("/")
        return {"kind": "formula", "top": top.strip("()"), "bottom": bottom.strip("()")}
    return {"kind": "none"}


def _subject(example: Example) -> Any:
    """What an example is about, as the library holds it; of several cases the first."""
    kind, data = example.kind, example.data
    if kind == "cases":
        kind, data = next(iter(data.values()))
    if kind == "points":
        return hulls.hull(dict(data["points"]))
    try:
        return subject(kind, data)
    except (RocscopeError, KeyError, TypeError, ValueError):
        return None


def example_page(name: str) -> str:
    """An example: its question, its right answers, what its source got wrong, and where to see it move."""
    one = lessons.example(name)
    answers = "".join(f"<li>{inert(found.text)}</li>" for found in one.answers)
    errata = "".join(f"<li>{inert(lessons.erratum(number))}</li>" for number in one.erratum)
    report = f'<p><a class="button" href="/examples/{name}/report">See it as a report</a></p>' if _shown(one) else ""
    if isinstance(_subject(one), ScoreTable):
        report += f'<p><a class="button" href="/examples/{name}/learn">Follow the algorithm step by step</a></p>'
    return frame(
        one.title,
        f"<h1>{inert(one.title)}</h1><p class='lead'>{inert(one.question)}</p>{data_of(one)}{report}"
        f"<details><summary>Show the answers</summary><ul>{answers}</ul></details>"
        + (f"<p>{inert(one.note)}</p>" if one.note else "")
        + (f"<h2>Where the source errs</h2><ul>{errata}</ul>" if errata else "")
        + '<p><a href="/examples">All examples</a></p>',
    )


def data_of(example: Example) -> str:
    """The data of an example as HTML; points in ROC space as a picture too."""
    shown = blocks_html(data_blocks(example.kind, example.data, Look(width=1000), single=False))
    if example.kind == "points":
        found = [(str(name), float(x), float(y)) for name, (x, y) in example.data["points"].items()]
        picture = roc_svg(hulls.hull({name: (x, y) for name, x, y in found}), found, size=300)
        shown = f"<div class='two'>{shown}{picture}</div>"
    return f'<div class="data">{shown}</div>'


def _shown(one: Example) -> bool:
    return isinstance(_subject(one), ScoreTable | hulls.Hull | Confusion) or _known_counts(_subject(one)) is not None


def _known_counts(held: Any) -> Confusion | None:
    if not isinstance(held, Counts) or not all(isinstance(cell, int) for cell in held.cells.values()):
        return None
    return Confusion.from_matrix([[held.tp, held.fn], [held.fp, held.tn]], labels=["positive", "negative"])


def example_report(name: str) -> str:
    """The report on the data of an example."""
    one = lessons.example(name)
    held = _subject(one)
    if isinstance(held, ScoreTable):
        return page_of(Evaluation(held, name=one.title), one.title)
    if isinstance(held, hulls.Hull):
        points = [RocPoint(str(model), float(x), float(y)) for model, (x, y) in one.data["points"].items()]
        return moving(points, source=one.title)
    if isinstance(held, Confusion):
        return page_of(ClassEvaluation(held), one.title)
    matrix = _known_counts(held)
    if matrix is None:
        raise RocscopeError(f"{one.title} has no data for a report")
    return page_of(ClassEvaluation(matrix, positive="positive"), one.title)


def lesson(name: str = "") -> str:
    """The ROC algorithm step by step, on the scores of an example or on Fawcett's twenty cases."""
    from rocscope.report import teaching

    if not name:
        return teaching()
    held = _subject(lessons.example(name))
    if not isinstance(held, ScoreTable):
        raise RocscopeError("only a ranking can be followed step by step")
    return teaching(held, source=lessons.example(name).title)


def examples_page() -> str:
    """All worked examples."""
    items = "".join(
        f'<li><a href="/examples/{one.name}">{inert(one.title)}</a> <span>{inert(one.question)}</span></li>'
        for one in lessons.examples()
        if one.status != "lost"
    )
    return frame("Worked examples", f'<h1>Worked examples</h1><ul class="list">{items}</ul>')
