"""Measures with their intervals: at the threshold, and over all thresholds."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from rocscope.report.document_reader import short_title
from rocscope.report.html.axes import rail, tick, whisker
from rocscope.report.html.html_page import heading, view
from rocscope.report.html.markup import Markup, join, rich, tag
from rocscope.report.html.state import Page
from rocscope.text import limits_text, percentage, value_text
from rocscope.verdicts import fill

ALWAYS = ("auc", "average_precision", "brier")


def measures(page: Page) -> Markup:
    """The view: one row per measure, value, whisker, limits."""
    own = page.evaluation
    labels_only = page.model["labels_only"]
    rows = page.model["rows"] if labels_only else own["measures"]
    areas = [] if labels_only else [row for row in own["areas"] if row["name"] in ALWAYS]
    slot = page.model["slot"] if page.models else 1
    advised = page.drawing.get("advised") or {"measures": ()}
    body = [*(row_of(row, slot, row["name"] in advised["measures"]) for row in rows)]
    corrected = page.model.get("corrected")
    if corrected:
        body.insert(0, tag("tr", tag("th", corrected["label"], colspan=4, scope="colgroup"), class_="group"))
    if areas:
        body += [
            tag("tr", tag("th", "over all thresholds", colspan=4, scope="colgroup"), class_="group"),
            *(row_of(row, slot, row["name"] in advised["measures"]) for row in areas),
        ]
    return view("measures", "Measures", _reading(page, rows), table(body, page.drawing["level"]))


def table(body: list[Markup], level: float) -> Markup:
    """The table of measures, with its headings."""
    ends = tag("span", tag("span", "0"), tag("span", "1"), class_="ends")
    heads = (heading("measure"), heading("value", "value"), heading(ends, "draw"),
             heading(f"{100 * level:g} %", "interval"))  # fmt: skip
    return tag("table", tag("thead", tag("tr", *heads)), tag("tbody", *body), class_="measures")


def _reading(page: Page, rows: list[Mapping[str, Any]]) -> Markup:
    reading: list[Any] = [rich(fill("measures"), {})]
    if page.drawing.get("advised"):
        reading += [" ", rich(fill("measures_advised", why=page.drawing["advised"]["why"]), {})]
    if page.both and page.rebased:
        share = percentage(page.prevalence)
        brier = any(row["name"] == "brier" for row in rows)
        losses = " The Brier score is shown at the prevalence of the data." if brier else ""
        return join([*reading, f" Everything that depends on the prevalence is shown at {share}.{losses}"])
    accuracy = next((row for row in rows if row["name"] == "accuracy"), None)
    if accuracy is not None and accuracy["value"] is not None and accuracy["baseline"] is not None:
        value, base = accuracy["value"], float(accuracy["baseline"])
        if base >= 0.6 and 0 <= value - base < 0.5 * (1 - base):
            reading += [" ", rich(fill("measures_accuracy", accuracy=value, baseline=base), {})]
    return join(reading)


def row_of(row: Mapping[str, Any], slot: int, advised: bool = False) -> Markup:
    """A row: name, value, whisker, limits; the reason if one of them is missing. `advised` ones are marked."""
    title = short_title(row)
    bound = tag("span", f" ±{row['bound']:.1g}", class_="muted") if row.get("bound") else None
    head = tag("th", title, bound, scope="row", class_="advised" if advised else None)
    value = tag("td", "–" if row["value"] is None else value_text(row), class_="value")
    if row["value"] is None or row["low"] is None:
        why = row["why"] or ("not defined" if row["value"] is None else "no interval")
        return tag("tr", head, value, tag("td", why, class_="why", colspan=2))
    inside = max(row["value"], row["high"] or math.inf) <= 1  # a loss may exceed 1
    drawn = tag("td", _drawn(row, slot) if inside else None, class_="draw")
    limits = tag("td", limits_text(row), class_="interval")
    return tag("tr", head, value, drawn, limits)


def _drawn(row: Mapping[str, Any], slot: int) -> Markup:
    """The position on 0 to 1; a measure that can be negative has an axis from -1 to 1."""
    below = row["low"] < 0
    position = [(number + 1) / 2 if below else number for number in (row["low"], row["value"], row["high"])]
    marks = [whisker(position, slot=slot)]
    base = row.get("baseline")
    if isinstance(base, int | float):
        at = (base + 1) / 2 if below else base
        if 0 <= at <= 1:
            marks.insert(0, tick(at, tall=False))
    return rail(*marks)
