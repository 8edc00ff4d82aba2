"""The HTML file itself: one page with its policy, style, data and script, without external resources.

All views have the same form: a title, an explanation, a picture, and the table behind it.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from pkgutil import get_data
from typing import Any

from rocscope.report.html.markup import Markup, data, join, shortened, tag
from rocscope.report.html.packed_data import with_hull_rows
from rocscope.version import VERSION

MARK = Markup(
    '<svg class="mark" viewBox="0 0 20 20" aria-hidden="true"><circle cx="10" cy="10" r="8.6" fill="none" '
    'stroke="currentColor" stroke-width="1.7"/><path d="M4.2,14.6C5,8.6 8.2,5.6 15.6,5.2'
    'M4.2,14.6C8.6,13.6 12,11 15.6,5.2" '
    'fill="none" stroke="currentColor" stroke-width="1.7"/></svg>'
)

LESSON = 60  # maximum number of cases for which a report includes the step-by-step lesson


@lru_cache(maxsize=8)
def built(name: str) -> str:
    """A committed build file of the page; '' if it does not exist."""
    try:  # not importlib.resources, which takes longer to load than most drawings to be made
        return (get_data("rocscope.report.html", name) or b"").decode("utf-8")
    except OSError:
        return ""


def policy(script: str, style: str) -> str:
    """The content security policy: only this exact script and this exact style are allowed.

    >>> policy("", "")[:18]
    "default-src 'none'"
    """
    return (
        f"default-src 'none'; script-src '{_hash(script)}'; style-src '{_hash(style)}'; img-src data: blob:; "
        "base-uri 'none'; form-action 'none'"
    )


def _hash(content: str) -> str:
    digest = base64.b64encode(hashlib.sha256(content.encode("utf-8")).digest()).decode("ascii")
    return f"sha256-{digest}"


def file(
    document: Mapping[str, Any], body: Sequence[Any], *, title: str, stamp: str = "", compact: bool = False
) -> str:
    """The complete file of a report."""
    moves = bool(document["drawing"]["models"])  # interactive; otherwise a multiclass evaluation or a validation
    few = moves and document["drawing"]["positives"] + document["drawing"]["negatives"] <= LESSON
    script = "page_lesson.js" if few else "page.js" if moves else "classes.js"
    return whole(
        body, _embedded(document), title=title, holder="rocscope-data", script=script, stamp=stamp, compact=compact
    )


def whole(
    body: Sequence[Any], held: Mapping[str, Any], *, title: str, holder: str, script: str, stamp: str = "",
    compact: bool = False,
) -> str:  # fmt: skip
    """One file: the body, the data in the element of that name, the style (stamped for paper), the script."""
    sheets = ["page.css", *(f"{part}.css" for part in ("lesson", "classes") if part in script)]
    sheets += ["classroom.css"] if script == "lesson.js" else []
    sheets += ["compact.css"] if compact else []
    script, style = built(script), "".join(built(name).rstrip("\n") for name in sheets) + stamp
    head = tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", http_equiv="Content-Security-Policy", content=policy(script, style)),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", name="generator", content=f"rocscope {VERSION}"),
        tag("meta", name="color-scheme", content="light dark"),
        tag("title", f"{shortened(title, 120)} · rocscope"),
        tag("style", Markup(style)),
    )
    ends = [
        tag("div", class_="live", aria_live="polite"),
        tag("script", data(held), type="application/json", id=holder),
        tag("script", Markup(script)) if script else None,
    ]
    page = tag("html", head, tag("body", *body, *ends, class_="compact" if compact else None), lang="en", data_theme="")
    return f"<!doctype html>\n{page}\n"


def bar(title: str, *, skip: bool = True) -> Markup:
    """The header of the page: the logo, the title, and space for what the script adds."""
    return join(
        [
            tag("a", "Skip to the controls", class_="skip", href="#controls") if skip else None,
            tag("header", MARK, tag("span", "rocscope", class_="brand"),
                tag("span", shortened(title, 80), class_="title"), tag("div", class_="tools"), class_="bar"),
        ]
    )  # fmt: skip


def _embedded(document: Mapping[str, Any]) -> dict[str, Any]:
    """The part of the results document that the file contains: without repetitions, its drawing packed."""
    slimmed = slim(document)
    return slimmed | {"drawing": with_hull_rows(slimmed["drawing"])}


def slim(document: Mapping[str, Any]) -> dict[str, Any]:
    """The results document without what its drawing and verdict already contain.

    It still conforms to the schema.

    >>> slim({"kind": "evaluation", "roc": {}, "hull": {"points": [1], "intervals": [2], "area": 0.5}})["hull"]
    {'points': [], 'intervals': [], 'area': 0.5}
    """
    slimmed = dict(document)
    if "roc" in slimmed and slimmed.get("kind") == "evaluation":
        slimmed |= {"roc": None, "top": None}  # the page draws both from the tables of the models
    if "hull" in slimmed:
        slimmed["hull"] = {**slimmed["hull"], "points": [], "intervals": []}
    if "pairs" in slimmed:
        slimmed["pairs"] = []
    if slimmed.get("kind") == "class_comparison":
        slimmed["evaluations"] = {slimmed["recommended"]: slimmed["evaluations"][slimmed["recommended"]]}
    elif isinstance(slimmed.get("evaluations"), Mapping):  # everything shown for the other models is in the drawing
        chosen = slimmed["recommended"]
        slimmed["evaluations"] = {chosen: _inner(slim(slimmed["evaluations"][chosen]))}
    return slimmed


def _inner(evaluation: dict[str, Any]) -> dict[str, Any]:
    """An evaluation inside a comparison: the page shows the comparison's verdict, and only the text of this
    one.
    """
    verdict = evaluation["verdict"]
    short = {"verdict": {**verdict, "statements": {part: [] for part in verdict["statements"]}}}
    # already contained in the drawing of the model, or in the methods of the comparison
    empty: dict[str, Any] = {"areas": [], "calibration": None, "rules": [], "measures": [], "slices": [], "caveats": []}
    empty["methods"] = ""
    return evaluation | short | empty


# ---- views ----


def row(look: str, *views: Markup | None, name: str | None = None) -> Markup | None:
    """A row of views, without empty ones."""
    shown = [part for part in views if part is not None]
    return tag("div", *shown, class_=look, id=name) if shown else None


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
    """The ids of the elements that describe the picture of a view: its title and explanation."""
    return f"{name}-title {name}-reading"


def shown_table(heads: Sequence[str], rows: Iterable[Sequence[Any]], *, words: Sequence[int] = (0,)) -> Markup:
    """The table behind a picture, collapsed."""
    return folded("Show table", tag("div", plain_table(heads, rows, words=words), class_="scroll", tabindex=0))


def folded(title: str, content: Any) -> Markup:
    """Content that expands when its title is clicked."""
    return tag("details", tag("summary", title), content)


def plain_table(heads: Sequence[str], rows: Iterable[Sequence[Any]], *, words: Sequence[int] = (0,)) -> Markup:
    """A plain table; text columns are left-aligned."""

    def cell(name: str, column: int, value: Any, **more: Any) -> Markup:
        return tag(name, value, class_="text" if column in words else None, **more)

    head = tag("tr", *(cell("th", column, head_text, scope="col") for column, head_text in enumerate(heads)))
    lines = [tag("tr", *(cell("td", column, value) for column, value in enumerate(row))) for row in rows]
    return tag("table", tag("thead", head), tag("tbody", *lines), class_="plain")


def long_table(heads: Sequence[Markup], lines: Sequence[Markup], look: str, most: int) -> list[Markup]:
    """A table of limited length, with the remaining rows in a second, collapsed table."""

    def table(some: Sequence[Markup]) -> Markup:
        return tag("table", tag("thead", tag("tr", *heads)), tag("tbody", *some), class_=look)

    if len(lines) <= most:
        return [table(lines)]
    rest = folded(f"{len(lines) - most} more", table(lines[most:]))
    return [table(lines[:most]), tag("div", rest, class_="behind")]


def heading(text: Any, look: str | None = None, **more: Any) -> Markup:
    """The heading of a column."""
    return tag("th", text, scope="col", class_=look or None, **more)
