"""The worked examples as cards with a small picture, and a page for each."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from rocscope import curves, lessons
from rocscope import hull as hulls
from rocscope.errors import RocscopeError
from rocscope.evaluation import ClassEvaluation, Evaluation
from rocscope.lessons import Example, subject
from rocscope.report import Look, Markup, SvgAxes, data_blocks, tag
from rocscope.serve.answers import page_of
from rocscope.serve.pages import blocks_html, frame, prose, roc_svg
from rocscope.serve.rates_only import moving
from rocscope.sources import RocPoint
from rocscope.table import Confusion, Counts, ScoreTable

# Cards of the start page: example -> (title, description).
CARDS: Mapping[str, tuple[str, str]] = {
    "c45-svm": ("C4.5 against SVM", "Which one? The answer changes when a miss costs 1.2 false alarms."),
    "fawcett": ("Twenty cases by hand", "The ROC algorithm, row by row."),
    "flu": ("A flu test", "10,000 people, few of them ill: why precision matters."),
    "arm": ("Mid-arm circumference", "Low values indicate the positive class: state the direction."),
    "iris": ("Iris, three classes", "A 3 × 3 matrix, class by class."),
    "dogs-x": ("Seven dogs missed, x unknown", "One count is unknown: answers in terms of x."),
    "naive-bayes": ("Naive Bayes on flowers", "Thirty flowers, ranked and evaluated."),
    "five-points": ("Five cases with a tie", "Why the curve moves diagonally."),
}
GROUPS = ("ROC curves, thresholds and costs", "Confusion matrices and measures", "Other questions")
SMALL = SvgAxes(70, 70, left=2, right=2, top=2, bottom=2)  # axes of the thumbnail on a card


def gallery_items() -> str:
    """The cards of the start page as HTML, except those that need a missing package (sympy)."""
    return "".join(_card(name, *said) for name, said in CARDS.items())


def _card(name: str, title: str, says: str) -> str:
    try:
        picture = _thumbnail(lessons.example(name))
    except RocscopeError:
        return ""
    return tag("li", tag("a", picture, tag("div", tag("b", title), tag("span", says)), href=f"/examples/{name}"))


def _thumbnail(example: Example) -> Markup:
    """A curve, points with their hull, cells, or a formula, 70 pixels wide."""
    content = _subject(example)
    inside: list[Markup] = []
    if isinstance(content, ScoreTable):
        curve = curves.roc(content).thin(60)
        inside = _roc([(float(x), float(y)) for x, y in zip(*curve.xy, strict=True)], "stroke")
    elif isinstance(content, hulls.Hull):
        points = [(p.fpr, p.tpr) for p in content.points]
        dots = [SMALL.dot(spot, "other" if point else "dot", None, 4) for point, spot in enumerate(points[1:-1])]
        inside = [*_roc(points, "hull"), *dots]
    elif (matrix := content if isinstance(content, Confusion) else _known_counts(content)) is not None:
        inside = _cells(matrix.to_array(rows=matrix.rows).tolist())
    elif isinstance(content, Counts):
        top, _, bottom = content.expression("specificity").partition("/")
        rule = tag("line", class_="rule", x1=8, y1=38, x2=62, y2=38)
        both = ((30, top), (56, bottom))
        inside = [rule, *(tag("text", part.strip("()"), x=35, y=y, text_anchor="middle") for y, part in both)]
    return tag("svg", *inside, viewBox="0 0 70 70", aria_hidden="true") if inside else Markup("")


def _roc(points: Sequence[tuple[float, float]], look: str) -> list[Markup]:
    return [tag("path", class_="frame", d="M2 2V68H68"), SMALL.chance(), SMALL.line(points, look)]


def _cells(rows: Sequence[Sequence[float]]) -> list[Markup]:
    side, most = 68 / len(rows), max(1.0, *(value for row in rows for value in row))
    marks: list[Markup] = []
    for i, row in enumerate(rows):
        for j, value in enumerate(row):
            deep, across, down = 0.08 + 0.6 * math.sqrt(value / most), j * side, i * side
            marks.append(tag("rect", class_="right" if i == j else "wrong", x=1 + across, y=1 + down, width=side - 2,
                             height=side - 2, rx=3, fill_opacity=deep))  # fmt: skip
            if value and len(rows) < 4 and len(str(value)) < 4:
                marks.append(tag("text", value, x=across + side / 2, y=down + side / 2 + 5, text_anchor="middle"))
    return marks


def _subject(example: Example) -> Any:
    """The library object that an example is about; the first of several cases."""
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
    """The page of an example: its question, correct answers, errata of its source, and a link to the interactive
    page.
    """
    example = lessons.example(name)
    answers = [tag("li", answer.text) for answer in example.answers]
    errata = [tag("li", prose(str(lessons.erratum(number)))) for number in example.erratum]
    ranked = isinstance(_subject(example), ScoreTable)
    return frame(
        example.title,
        tag("h1", example.title),
        tag("p", prose(example.question), class_="lead"),
        data_of(example),
        _button(name, "report", "Open as a report") if _shown(example) else None,
        _button(name, "learn", "Follow the algorithm step by step") if ranked else None,
        tag("details", tag("summary", "Show the answers"), tag("ul", *answers),
            tag("p", prose(example.note)) if example.note else None,
            *([tag("h2", "Errors in the source"), tag("ul", *errata)] if errata else [])),
        _way_on(name),
    )  # fmt: skip


def _way_on(name: str) -> Markup:
    """Links to the previous and next examples, and to all of them."""
    names = [one.name for one in _kept()]
    place = names.index(name) if name in names else 0
    near = (("Previous", names[place - 1]), ("Next", names[(place + 1) % len(names)]))
    links = [tag("a", "All examples", href="/examples"), *(tag("a", say, href=f"/examples/{to}") for say, to in near)]
    return tag("p", *(part for link in links for part in (link, " ")), class_="way-on")


def _button(name: str, page: str, text: str) -> Markup:
    return tag("p", tag("a", text, class_="button", href=f"/examples/{name}/{page}"))


def data_of(example: Example) -> Markup:
    """The data of an example as HTML; points in ROC space also as a picture."""
    shown = blocks_html(data_blocks(example.kind, example.data, Look(width=1000), single=False))
    if example.kind == "points":
        points = [(str(name), float(x), float(y)) for name, (x, y) in example.data["points"].items()]
        picture = roc_svg(hulls.hull({name: (x, y) for name, x, y in points}), points, size=300)
        shown = [tag("div", *shown, picture, class_="two")]
    return tag("div", *shown, class_="data")


def _shown(example: Example) -> bool:
    return (
        isinstance(_subject(example), ScoreTable | hulls.Hull | Confusion)
        or _known_counts(_subject(example)) is not None
    )


def _known_counts(content: Any) -> Confusion | None:
    if not isinstance(content, Counts) or not all(isinstance(cell, int) for cell in content.cells.values()):
        return None
    return Confusion.from_matrix([[content.tp, content.fn], [content.fp, content.tn]], labels=["positive", "negative"])


def example_report(name: str) -> str:
    """The report on the data of an example."""
    example = lessons.example(name)
    content = _subject(example)
    if isinstance(content, ScoreTable):
        return page_of(Evaluation(content, name=example.title), example.title)
    if isinstance(content, hulls.Hull):
        points = [RocPoint(str(model), float(x), float(y)) for model, (x, y) in example.data["points"].items()]
        return moving(points, source=example.title)
    if isinstance(content, Confusion):
        return page_of(ClassEvaluation(content), example.title)
    matrix = _known_counts(content)
    if matrix is None:
        raise RocscopeError(f"{example.title} has no data for a report")
    return page_of(ClassEvaluation(matrix, positive="positive"), example.title)


def lesson(name: str = "") -> str:
    """The ROC algorithm step by step, on the scores of an example or on Fawcett's twenty cases."""
    from rocscope.report import teaching

    if not name:
        return teaching()
    content = _subject(lessons.example(name))
    if not isinstance(content, ScoreTable):
        raise RocscopeError("only ranked scores can be followed step by step")
    return teaching(content, source=lessons.example(name).title)


def examples_page() -> str:
    """All worked examples as cards, by subject."""
    groups: dict[str, list[Markup]] = {name: [] for name in GROUPS}
    for one in _kept():
        words = tag("div", tag("b", one.title), tag("span", prose(one.question)))
        groups[_group(one)].append(tag("li", tag("a", _thumbnail(one), words, href=f"/examples/{one.name}")))
    parts = [[tag("h2", name), tag("ul", *cards, class_="gallery")] for name, cards in groups.items() if cards]
    lead = tag(
        "p",
        "Each page states the question and its data. The answers stay hidden until you ask for them.",
        class_="lead",
    )
    return frame("Worked examples", tag("h1", "Worked examples"), lead, *parts)


def _kept() -> list[Example]:
    return [one for one in lessons.examples() if one.status != "lost"]


def _group(one: Example) -> str:
    held = _subject(one)
    return GROUPS[0 if isinstance(held, ScoreTable | hulls.Hull) else 1 if isinstance(held, Confusion | Counts) else 2]
