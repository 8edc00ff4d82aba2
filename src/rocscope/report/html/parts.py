"""The frame of every view: a title, a reading line, a picture, and the table behind it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from rocscope.report.html.markup import Markup, tag


def view(name: str, title: Any, reading: Any, picture: Any, behind: Any = None, *, reason: str = "") -> Markup:
    """A section of the page; `reason` says why there is no picture."""
    return tag(
        "section",
        tag("div", tag("h2", title, id=f"{name}-title"), class_="head"),
        tag("p", reading, class_="reading", id=f"{name}-reading"),
        tag("p", reason, class_="reason") if reason else None,
        None if picture is None else tag("div", picture, class_="picture"),
        None if behind is None else tag("div", behind, class_="behind"),
        class_="view",
        id=name,
        aria_labelledby=f"{name}-title",
    )


def labelled(name: str) -> str:
    """The ids that name the picture of a view: its title and its reading line."""
    return f"{name}-title {name}-reading"


def shown_table(heads: Sequence[str], rows: Iterable[Sequence[Any]], *, words: Sequence[int] = (0,)) -> Markup:
    """The table behind a picture, folded."""
    body = table(heads, rows, words=words)
    return tag("details", tag("summary", "Show table"), tag("div", body, class_="scroll", tabindex=0))


def table(heads: Sequence[str], rows: Iterable[Sequence[Any]], *, words: Sequence[int] = (0,)) -> Markup:
    """A plain table; the columns of words stand on the left."""

    def cell(name: str, place: int, value: Any, **more: Any) -> Markup:
        return tag(name, value, class_="text" if place in words else None, **more)

    head = tag("tr", *(cell("th", place, one, scope="col") for place, one in enumerate(heads)))
    lines = [tag("tr", *(cell("td", place, one) for place, one in enumerate(row))) for row in rows]
    return tag("table", tag("thead", head), tag("tbody", *lines), class_="plain")


def dash(slot: int, *, chosen: bool = False) -> Markup:
    """The line of a model, as a sample beside its name."""
    line = tag("line", class_="curve chosen" if chosen else "curve", x1=0, x2=28, y1=4, y2=4)
    return tag("svg", line, class_="dash", width=28, height=8, data_m=slot, aria_hidden="true")
