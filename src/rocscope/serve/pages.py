"""Small pages made by the server itself: text, an example, points in ROC space, an error. No script in any of them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from html import escape as html_escape
from html import unescape

from rocscope.hull import Hull
from rocscope.report import Block, Paragraph, Tabular, cell_line, letters
from rocscope.report import escape as visible

CSP_META = re.compile(r"""<meta\s+http-equiv=["']?Content-Security-Policy["']?\s+content="([^"]*)\"""", re.IGNORECASE)
COLORS = 5


def inert(text: object) -> str:
    """Text for HTML: markup escaped, control and direction characters visible; line ends stay.

    >>> inert("<b>" + chr(0x202E))
    '&lt;b&gt;\\\\u202e'
    """
    return "\n".join(html_escape(visible(line)) for line in str(text).split("\n"))


def frame(title: str, body: str) -> str:
    """A page of the house around some HTML."""
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{inert(title)}</title>'
        '<meta name="viewport" content="width=device-width"><link rel="icon" href="data:,">'
        '<link rel="stylesheet" href="/static/start.css"></head>'
        f'<body><header class="bar"><a class="home" href="/"><span class="mark"></span>rocscope</a>'
        f'<span class="where">{inert(title)}</span></header><main class="page">{body}</main></body></html>'
    )


def text_page(title: str, text: str) -> str:
    """An answer as plain text."""
    return frame(title, f'<h1>{inert(title)}</h1><pre class="answer">{inert(text)}</pre>')


def error_page(status: int, why: str) -> str:
    """A page that says what went wrong and how to go on: no stack, no path."""
    return frame(f"{status}", f'<h1>{inert(why)}</h1><p><a href="/">Back to the start</a></p>')


def blocks_html(blocks: Iterable[Block]) -> str:
    """Paragraphs and grids of the report as HTML.

    >>> blocks_html([Tabular.of(["class", "n"], [["a<b", 2]])])
    '<table><thead><tr><th>class</th><th>n</th></tr></thead><tbody><tr><td>a&lt;b</td><td>2</td></tr></tbody></table>'
    """
    return "".join(_grid(one) if isinstance(one, Tabular) else _paragraph(one) for one in blocks)


def _grid(grid: Tabular) -> str:
    heads = [f"{above} {column.name}".strip() for above, column in zip(grid.above, grid.columns, strict=True)]
    top = "".join(f"<th>{inert(head)}</th>" for head in heads)
    rows = [[letters(cell_line(*one)) for one in zip(row, grid.columns, strict=True)] for row in grid.rows]
    body = "".join(f"<tr>{''.join(f'<td>{inert(cell)}</td>' for cell in row)}</tr>" for row in rows)
    return f"<table>{f'<thead><tr>{top}</tr></thead>' if any(heads) else ''}<tbody>{body}</tbody></table>"


def _paragraph(paragraph: Paragraph) -> str:
    return f"<p>{'<br>'.join(inert(letters(line)) for line in paragraph.lines)}</p>"


def policy_of(page: str) -> str | None:
    """The Content-Security-Policy that a page states itself, completed for a header; None when it states none."""
    found = CSP_META.search(page[:20_000])
    if found is None:
        return None
    stated = unescape(found[1]).rstrip("; ")
    extra = (one for one in ("base-uri", "form-action", "frame-ancestors") if one not in stated)
    return "; ".join([stated, *(f"{one} 'none'" for one in extra)])


# ---- points in ROC space ----


def roc_svg(h: Hull, points: Sequence[tuple[str, float, float]], *, size: int = 380) -> str:
    """ROC space with the points named and the hull drawn, as SVG."""
    left, top, side = 46, 24, size - 66

    def at(fpr: float, tpr: float) -> tuple[float, float]:
        return round(left + fpr * side, 2), round(top + (1 - tpr) * side, 2)

    ticks = "".join(_tick(at, value, left, top, side) for value in (0, 0.25, 0.5, 0.75, 1))
    line = " ".join(f"{x},{y}" for x, y in (at(p.fpr, p.tpr) for p in h.points))
    x0, y0, x1, y1 = *at(0, 0), *at(1, 1)
    coloured = [name for name in dict.fromkeys(name for name, _, _ in points) if name not in h.dominated]
    dots = "".join(_dot(at(fpr, tpr), name, coloured) for name, fpr, tpr in points)
    return (
        f'<svg class="roc" width="{size}" height="{size}" role="img" aria-label="Classifiers in ROC space">{ticks}'
        f'<line class="chance" x1="{x0}" y1="{y0}" x2="{x1}" y2="{y1}"/><polyline class="hull" points="{line}"/>{dots}'
        f'<text class="axis" x="{left + side}" y="{size - 4}" text-anchor="end">false positive rate →</text>'
        f'<text class="axis" x="{left}" y="14">↑ true positive rate (recall)</text></svg>'
    )


def _tick(at: object, value: float, left: int, top: int, side: int) -> str:
    assert callable(at)
    x, y = at(value, value)
    return (
        f'<line class="grid" x1="{x}" y1="{top}" x2="{x}" y2="{top + side}"/>'
        f'<line class="grid" x1="{left}" y1="{y}" x2="{left + side}" y2="{y}"/>'
        f'<text class="axis" x="{x}" y="{top + side + 16}" text-anchor="middle">{value:g}</text>'
        f'<text class="axis" x="{left - 6}" y="{y + 4}" text-anchor="end">{value:g}</text>'
    )


def _dot(place: tuple[float, float], name: str, coloured: Sequence[str]) -> str:
    slot = coloured.index(name) + 1 if name in coloured[:COLORS] else 0
    near = 'text-anchor="end"' if place[0] > 300 else ""
    x = place[0] + (-8 if near else 8)
    return (
        f'<g data-m="{slot}"><circle cx="{place[0]}" cy="{place[1]}" r="4.5"/>'
        f'<text x="{x}" y="{place[1] + 16}" {near}>{inert(name)}</text></g>'
    )
