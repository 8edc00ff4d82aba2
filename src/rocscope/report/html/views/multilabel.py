"""The page of several labels for each case: measures of all labels, each label, thresholds, ROC curves."""

from __future__ import annotations

from rocscope.numbers import from_json
from rocscope.report.html.html_page import heading, long_table, row, view
from rocscope.report.html.markup import Markup, called, join, tag
from rocscope.report.html.state import Page
from rocscope.report.html.views import classes, measures
from rocscope.text import show_count, threshold_text

WHOLE = 20  # labels in a table; the others are folded


def rows(page: Page) -> list[Markup | None]:
    """The rows of views."""
    return [
        row("row", labels(page)),
        row("row row9", classes.curves(page, "ROC of each label", "label"), all_labels(page)),
        row("row", thresholds(page)),
    ]


def labels(page: Page) -> Markup:
    """Each label with its measures, the least found first."""
    return classes.each(page, "Each label", "label")


def all_labels(page: Page) -> Markup:
    """Measures of all labels together."""
    body = [measures.row_of(one, 1) for one in page.document["measures"]]
    said = "Averages over labels and over cases, whole sets of labels, rankings. The tick is the baseline."
    return view("measures", "Measures", said, measures.table(body, page.drawing["level"]))


def thresholds(page: Page) -> Markup | None:
    """From which score on each label is predicted, and what happens there."""
    found = page.document["thresholds"]
    if not found:
        return None
    heads = [heading("label"), heading("threshold", "right"), heading("how"), heading("TP", "right"),
             heading("FP", "right"), heading("FN", "right"), heading("TN", "right")]  # fmt: skip
    lines = []
    for label, one in found.items():
        counts = page.document["labels"][label]["counts"]
        how = one["why"] or {"not chosen": "default", "given": "given"}.get(one["chosen"], f"chosen by {one['chosen']}")
        cells = (tag("td", show_count(counts[cell]), class_="right") for cell in ("tp", "fp", "fn", "tn"))
        at = threshold_text(from_json(one["threshold"]))
        first = tag("th", called(label), scope="row"), tag("td", at, class_="right"), tag("td", how)
        lines.append(tag("tr", *first, *cells))
    said = "Positive means score ≥ threshold."
    if page.document["cross_fitted"]:
        said += " Use these; the counts come from thresholds that were each chosen without the cases they decide."
    return view("thresholds", "Thresholds", said, join(long_table(heads, lines, "evidence", WHOLE)))
