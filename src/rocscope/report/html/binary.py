"""The page of scored classifiers: one, or several on the same cases."""

from __future__ import annotations

from typing import Any

from rocscope.report.html import html_page
from rocscope.report.html.markup import Markup, tag
from rocscope.report.html.parts import view
from rocscope.report.html.state import Page
from rocscope.report.html.views import cases, evidence, measures, roc, second, strip, verdict


def body(page: Page, *, compact: bool = False) -> list[Markup]:
    """The head, the answer, the controls, the views, the provenance; compact, only what fills the first screen."""
    first = _row("row row5", roc.roc(page), cases.cases(page), measures.measures(page))
    rows: list[Any] = [first] if compact else [
        first,
        _row("row", strip.strip(page), name="strip-row"),
        _row("row row7", second.precision_recall(page), second.calibration(page), second.decision(page)),
        _row("row row8", evidence.differences(page), evidence.slices(page)),
        _more(page),
    ]  # fmt: skip
    main = tag(
        "main",
        verdict.facts(page),
        verdict.verdict(page),
        verdict.controls(page),
        tag("div", *rows, class_="views ordered"),
    )
    if compact:
        return [main]
    return [html_page.bar(str(page.drawing["title"])), main, verdict.provenance(page)]


def _row(look: str, *views: Markup | None, name: str | None = None) -> Markup | None:
    shown = [one for one in views if one is not None]
    return tag("div", *shown, class_=look, id=name) if shown else None


def _more(page: Page) -> Markup | None:
    """Room for further curves, which a script draws when it is opened."""
    if not page.both:
        return None
    reading = "Gain, lift, DET, cost curve, PR gain, and any measure against the threshold. They need JavaScript."
    return view("more", "More curves", reading, "")
