"""The page of several labels for each case: measures of all labels, each label, thresholds, ROC curves."""

from __future__ import annotations

from rocscope.numbers import from_json
from rocscope.report.html.html_page import heading, long_table, row, view
from rocscope.report.html.markup import Markup, called, join, tag
from rocscope.report.html.state import Page
from rocscope.report.html.views import classes, measures
from rocscope.text import show_count, threshold_text

WHOLE = 20  # number of labels shown in a table; the others are collapsed


def rows(page: Page) -> list[Markup | None]:
    """The rows of views."""
    return [
        row("row", labels(page)),
        row("row row9", classes.curves(page, "ROC of each label", "label"), all_labels(page)),
        row("row", thresholds(page)),
    ]


def labels(page: Page) -> Markup:
    """Each label with its measures, starting with the lowest recall."""
    return classes.each(page, "Each label", "label")


def all_labels(page: Page) -> Markup:
    """Measures of all labels together."""
    body = [measures.row_of(measure, 1) for measure in page.document["measures"]]
    reading = "Averages over labels and over cases, whole sets of labels, and rankings. The tick is the baseline."
    return view("measures", "Measures", reading, measures.table(body, page.drawing["level"]))


def thresholds(page: Page) -> Markup | None:
    """The threshold of each label, and the results there."""
    entries = page.document["thresholds"]
    if not entries:
        return None
    heads = [heading("label"), heading("threshold", "right"), heading("how"), heading("TP", "right"),
             heading("FP", "right"), heading("FN", "right"), heading("TN", "right")]  # fmt: skip
    lines = []
    for label, entry in entries.items():
        counts = page.document["labels"][label]["counts"]
        how = entry["why"] or {"not chosen": "default", "given": "given"}.get(
            entry["chosen"], f"chosen by {entry['chosen']}"
        )
        cells = (tag("td", show_count(counts[cell]), class_="right") for cell in ("tp", "fp", "fn", "tn"))
        at = threshold_text(from_json(entry["threshold"]))
        first = tag("th", called(label), scope="row"), tag("td", at, class_="right"), tag("td", how)
        lines.append(tag("tr", *first, *cells))
    reading = "Positive means score ≥ threshold."
    if page.document["cross_fitted"]:
        reading += (
            " Use these thresholds. The counts come from cross-fitting: each case was classified by a threshold that "
            "was chosen without it."
        )
    return view("thresholds", "Thresholds", reading, join(long_table(heads, lines, "evidence", WHOLE)))
