"""Small pages made by the server itself: text, an example, points in ROC space, an error. No script in any of them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from html import unescape
from typing import Any

from rocscope.hull import Hull
from rocscope.report import Block, Markup, Paragraph, SvgAxes, Tabular, cell_line, letters, tag

CSP_META = re.compile(r"""<meta\s+http-equiv=["']?Content-Security-Policy["']?\s+content="([^"]*)\"""", re.IGNORECASE)
COLORS = 5


def frame(title: str, *body: Any) -> str:
    """A page of the house around some elements."""
    head = tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("title", title),
        tag("meta", name="viewport", content="width=device-width"),
        tag("link", rel="icon", href="data:,"),
        tag("link", rel="stylesheet", href="/static/start.css"),
    )
    home = tag("a", tag("span", class_="mark"), "rocscope", class_="home", href="/")
    bar = tag("header", home, tag("span", title, class_="where"), class_="bar")
    page = tag("html", head, tag("body", bar, tag("main", *body, class_="page")), lang="en")
    return f"<!doctype html>{page}"


def text_page(title: str, text: str) -> str:
    """An answer as plain text."""
    return frame(title, tag("h1", title), tag("pre", prose(text), class_="answer"))


def prose(text: str) -> list[Any]:
    """Text whose line ends stay: those of a name would be made visible."""
    first, *rest = text.split("\n")
    return [first, *([Markup("\n"), line] for line in rest)]


def error_page(status: int, why: str) -> str:
    """A page that says what went wrong and how to go on: no stack, no path."""
    return frame(f"{status}", tag("h1", why), tag("p", tag("a", "Back to the start", href="/")))


def blocks_html(blocks: Iterable[Block]) -> list[Markup]:
    """Paragraphs and grids of the report as HTML.

    >>> blocks_html([Tabular.of(["class", "n"], [["a<b", 2]])])[0]
    '<table><thead><tr><th>class</th><th>n</th></tr></thead><tbody><tr><td>a&lt;b</td><td>2</td></tr></tbody></table>'
    """
    return [_grid(block) if isinstance(block, Tabular) else _paragraph(block) for block in blocks]


def _grid(grid: Tabular) -> Markup:
    heads = [f"{above} {column.name}".strip() for above, column in zip(grid.above, grid.columns, strict=True)]
    top = tag("thead", tag("tr", *(tag("th", head) for head in heads))) if any(heads) else None
    rows = [[letters(cell_line(*cell)) for cell in zip(row, grid.columns, strict=True)] for row in grid.rows]
    return tag("table", top, tag("tbody", *(tag("tr", *(tag("td", cell) for cell in row)) for row in rows)))


def _paragraph(paragraph: Paragraph) -> Markup:
    first, *rest = (letters(line) for line in paragraph.lines)
    return tag("p", first, *([tag("br"), line] for line in rest))


def policy_of(page: str) -> str | None:
    """The Content-Security-Policy that a page states itself, completed for a header; None when it states none."""
    match = CSP_META.search(page[:20_000])
    if match is None:
        return None
    stated = unescape(match[1]).rstrip("; ")
    extra = (directive for directive in ("base-uri", "form-action", "frame-ancestors") if directive not in stated)
    return "; ".join([stated, *(f"{directive} 'none'" for directive in extra)])


def roc_svg(h: Hull, points: Sequence[tuple[str, float, float]], *, size: int = 380) -> Markup:
    """ROC space with the points named and the hull drawn, as SVG."""
    axes = SvgAxes(size, size, left=46, right=20, top=24, bottom=42)
    colored = [name for name in dict.fromkeys(name for name, _, _ in points) if name not in h.dominated][:COLORS]
    return tag(
        "svg",
        *axes.axes("false positive rate", "true positive rate (recall)"),
        axes.chance(),
        axes.line([(point.fpr, point.tpr) for point in h.points], "hull"),
        *(_dot(axes, name, (fpr, tpr), colored) for name, fpr, tpr in points),
        class_="roc", width=size, height=size, role="img", aria_label="Classifiers in ROC space",
    )  # fmt: skip


def roc_curve_svg(points: Sequence[tuple[float, float]], *, size: int = 380) -> Markup:
    """A ROC curve by straight lines between its points, as SVG."""
    axes = SvgAxes(size, size, left=46, right=20, top=24, bottom=42)
    return tag(
        "svg",
        *axes.axes("false positive rate", "true positive rate (recall)"),
        axes.chance(),
        tag("g", axes.line(points, "hull"), *(axes.dot(point, "point", None, 3.5) for point in points), data_m=1),
        class_="roc", width=size, height=size, role="img", aria_label="The ROC curve",
    )  # fmt: skip


def _dot(axes: SvgAxes, name: str, point: tuple[float, float], colored: Sequence[str]) -> Markup:
    x, y = axes.at(point)
    near = x > 300  # close to the right edge: place the name on the left
    text = tag("text", name, x=x + (-8 if near else 8), y=y + 16, text_anchor="end" if near else None)
    slot = colored.index(name) + 1 if name in colored else 0
    return tag("g", axes.dot(point, "point", None, 4.5), text, data_m=slot)
