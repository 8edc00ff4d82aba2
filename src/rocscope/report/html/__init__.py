"""The report as one HTML file: the answer in words, drawings and tables that work without JavaScript, and an
interactive page.

The file contains everything: style, script and data. A policy in its head forbids any request. Without JavaScript, the
drawings and tables of the saved state are shown; with it, the page replaces them. The modules of `views/` have the same
names as those in `page/src/views/`.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rocscope.report.html.markup import Markup
    from rocscope.report.html.state import Page

__all__ = ["notebook", "page"]
HEIGHT = 1100  # height of the notebook frame, in pixels
HEIGHTS = {"evaluation": 1400, "comparison": 1350, "validation": 1020, "classes": 900}
ONE_CLASS = 1150  # the same, if an AUC is not defined
STILL = {  # the module of the rows of a page without controls, by the kind of its document
    "classes": "classes", "labels": "multilabel", "class_comparison": "class_comparison", "validation": "validation",
}  # fmt: skip
LARGEST_MATRIX = 18  # number of classes from which the matrix does not grow


def page(document: Mapping[str, Any], *, compact: bool = False) -> str:
    """The results document, made with `to_dict(drawing=True)`, as one self-contained HTML file.

    With `compact`, it contains only the first screen: the answer and the first row of views.

    >>> from rocscope import evaluate
    >>> made = page(evaluate([1, 1, 0, 1, 0, 0], [0.9, 0.8, 0.7, 0.6, 0.4, 0.3]).to_dict(drawing=True))
    >>> made.startswith("<!doctype html>"), "Content-Security-Policy" in made
    (True, True)
    """
    from rocscope.errors import RocscopeError
    from rocscope.report.document_reader import checked
    from rocscope.report.html.html_page import bar, file
    from rocscope.report.html.markup import aliases, tag
    from rocscope.report.html.state import Page
    from rocscope.report.html.views import verdict

    if "drawing" not in checked(document):
        raise RocscopeError("this document has no drawing data", hint="Pass the result of to_dict(drawing=True)")
    with aliases(document["drawing"].get("aliases") or {}):
        state, kind = Page(document), document["kind"]
        title = str(state.drawing["title"])
        still = import_module(f"rocscope.report.html.views.{STILL[kind]}") if kind in STILL else None
        rows = _scored(state) if still is None else still.rows(state)
        facts = still.facts(state) if still and kind == "validation" else verdict.facts(state)
        controls = verdict.controls(state) if still is None else None
        views = tag("div", *(rows[:1] if compact else rows), class_="views" if controls is None else "views ordered")
        main = tag("main", facts, verdict.verdict(state), controls, views)
        body = [main] if compact else [bar(title), main, verdict.provenance(state)]
        return file(document, body, title=title, stamp=verdict.stamp(state), compact=compact)


def _scored(page: Page) -> list[Markup | None]:
    """The rows of views for scored classifiers: one, or several on the same cases."""
    from rocscope.report.html.html_page import row, view
    from rocscope.report.html.views.calibration import calibration
    from rocscope.report.html.views.cases import cases
    from rocscope.report.html.views.deciles import deciles
    from rocscope.report.html.views.decision import decision
    from rocscope.report.html.views.differences import differences
    from rocscope.report.html.views.measures import measures
    from rocscope.report.html.views.pr import precision_recall
    from rocscope.report.html.views.referral import case_costs, referral
    from rocscope.report.html.views.roc import roc
    from rocscope.report.html.views.slices import slices
    from rocscope.report.html.views.strip import strip
    from rocscope.report.html.views.thresholds import thresholds, top

    if page.drawing.get("points"):  # points without thresholds: no ranking and no probabilities
        return [row("row row5", roc(page), cases(page), measures(page)), row("row", strip(page), name="strip-row")]
    more = (
        "Gain, lift, DET, cost curve, PR gain, distributions, and any measure against any other. These views need "
        "JavaScript."
    )
    return [
        row("row row5", roc(page), cases(page), measures(page)),
        row("row", strip(page), name="strip-row"),
        row("row row8", thresholds(page), top(page), name="thresholds-row"),
        row("row row7", precision_recall(page), calibration(page), decision(page)),
        row("row", deciles(page)),
        row("row", referral(page)),
        row("row", case_costs(page)),
        row("row row8", differences(page), slices(page)),
        view("more", "More curves", more, "") if page.both else None,
    ]


def notebook(document: Mapping[str, Any], *, height: int | None = None) -> str:
    """The compact interactive page in an isolated frame, whose scripts have no access to the notebook.

    Below it, a collapsed section contains the same numbers without a frame or script, for viewers that drop both.

    >>> from rocscope import evaluate
    >>> frame = notebook(evaluate([1, 1, 0, 1, 0, 0], [0.9, 0.8, 0.7, 0.6, 0.4, 0.3]).to_dict(drawing=True))
    >>> frame[:8], frame[-10:]
    ('<div sty', '</details>')
    """
    from rocscope.report.html.notebook_cells import still

    # a page has 200 times as many double quotes as single ones: between single quotes it is a sixth smaller
    escaped = page(document, compact=True).replace("&", "&amp;").replace("'", "&#x27;")
    tall = _height(document) if height is None else height
    look = "" if height is not None else f'style="height:calc({tall}px{_narrow(document)})" '
    return (
        '<div style="container-type:inline-size">'
        f'<iframe title="rocscope" sandbox="allow-scripts allow-downloads" width="100%" height="{tall}" {look}'
        f"frameborder=\"0\" srcdoc='{escaped}'></iframe></div>{still(document)}"
    )


def _narrow(document: Mapping[str, Any]) -> str:
    """What a frame needs in addition where it is narrower, as CSS: 100cqi is the width of the notebook's cell.

    Views that are side by side at the usual width are one below the other.
    """
    classes = min(len(document["drawing"].get("classes") or ()), LARGEST_MATRIX)
    steps = {895: 135, 720: 50, 680: 525}  # width below which so many pixels are added
    edge, slope, most = 680, 0.8, 190  # pixels for each pixel below the edge, at most
    if _height(document) == ONE_CLASS:
        steps = {895: 40, 720: 60, 680: 375}
    elif document["kind"] == "validation":
        steps, slope = {761: 810, 680: 50}, 0.0
    elif not document["drawing"]["models"]:
        more = max(classes - 3, 0)
        steps = {895: 50 + 22 * more, 761: 300 + 5 * more}
        edge, slope, most = 600, 0.47 + 0.055 * more, 120 + 13 * more
    added = [f" + {pixels} * clamp(0px, {width}px - 100cqi, 1px)" for width, pixels in steps.items()]
    return "".join(added) + (f" + clamp(0px, {slope:g} * ({edge}px - 100cqi), {most}px)" if slope else "")


def _height(document: Mapping[str, Any]) -> int:
    """The height in pixels of the compact page at the usual width of a notebook, 900 pixels or more."""
    kind, drawing = document["kind"], document["drawing"]
    classes, models = len(drawing.get("classes") or ()), len(drawing["models"])
    if kind == "classes" and not models:
        measures = 25 * (len(document["measures"]) + len(document["auc"] or ()))
        caveats = 60 if document["caveats"] else 0
        return caveats + max(245 + measures, 420 + 30 * min(classes, LARGEST_MATRIX))
    if kind == "labels":
        return min(HEIGHT, 300 + 40 * classes)
    if kind == "comparison":
        return HEIGHTS[kind] + 25 * min(max(models - 3, 0), 3)
    if kind == "evaluation" and not (drawing["positives"] and drawing["negatives"]):
        return ONE_CLASS
    if kind == "validation" and len(document["models"]) == 1:
        return HEIGHTS[kind] - 70
    return HEIGHTS.get(kind, HEIGHT)
