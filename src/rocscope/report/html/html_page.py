"""The file itself: one page with its policy, its style, its data and its script, and nothing from anywhere else."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping, Sequence
from functools import lru_cache
from importlib.resources import files
from typing import Any

from rocscope.report.html.markup import Markup, data, join, shortened, tag
from rocscope.version import VERSION

MARK = Markup(
    '<svg class="mark" viewBox="0 0 20 20" aria-hidden="true"><circle cx="10" cy="10" r="8.6" fill="none" '
    'stroke="currentColor" stroke-width="1.7"/><path d="M4.2,14.6C5,8.6 8.2,5.6 15.6,5.2'
    'M4.2,14.6C8.6,13.6 12,11 15.6,5.2" '
    'fill="none" stroke="currentColor" stroke-width="1.7"/></svg>'
)


@lru_cache(maxsize=4)
def built(name: str) -> str:
    """A built file of the page, as it is committed; '' when it is not there."""
    source = files("rocscope.report.html").joinpath(name)
    return source.read_text(encoding="utf-8") if source.is_file() else ""


def policy(script: str, style: str) -> str:
    """The content security policy: nothing but this very script and this very style.

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
    """The whole file of a report."""
    return whole(body, slim(document), title=title, holder="rocscope-data", stamp=stamp, compact=compact)


def whole(
    body: Sequence[Any], held: Mapping[str, Any], *, title: str, holder: str, stamp: str = "", compact: bool = False
) -> str:
    """One file: the body, the data in the element of that name, the style (with a stamp for paper) and the script."""
    script, style = built("page.js"), built("page.css").rstrip("\n") + stamp
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
    """The head of the page: the mark, the title, and room for what a script adds."""
    return join(
        [
            tag("a", "Skip to the controls", class_="skip", href="#controls") if skip else None,
            tag("header", MARK, tag("span", "rocscope", class_="brand"),
                tag("span", shortened(title, 80), class_="title"), tag("div", class_="tools"), class_="bar"),
        ]
    )  # fmt: skip


def slim(document: Mapping[str, Any]) -> dict[str, Any]:
    """The document without what its drawing and its verdict have already; still a document of the schema.

    >>> slim({"kind": "evaluation", "roc": {}, "hull": {"points": [1], "intervals": [2], "area": 0.5}})["hull"]
    {'points': [], 'intervals': [], 'area': 0.5}
    """
    found = dict(document)
    if "roc" in found and found.get("kind") == "evaluation":
        found["roc"] = None
    if "hull" in found:
        found["hull"] = {**found["hull"], "points": [], "intervals": []}
    if isinstance(found.get("evaluations"), Mapping):
        found["evaluations"] = {name: _inner(slim(one)) for name, one in found["evaluations"].items()}
    return found


def _inner(evaluation: dict[str, Any]) -> dict[str, Any]:
    """An evaluation inside a comparison: the page shows the comparison's verdict, of this one the text is enough."""
    said = evaluation["verdict"]
    return evaluation | {"verdict": {**said, "statements": {part: [] for part in said["statements"]}}}
