"""Differences between the models: each against the recommended one, in AUC and in cost."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from rocscope.report.document_reader import settled_note
from rocscope.report.html.axes import dash, rail, tick, whisker
from rocscope.report.html.html_page import heading, long_table, view
from rocscope.report.html.markup import Markup, called, tag
from rocscope.report.html.state import Page
from rocscope.text import limits_text, p_text, p_value, signed, whole, whole_limits

Row = Mapping[str, Any]
SHOWN = 8  # number of models shown in the table; the others are collapsed
SIDES = ("low", "value", "high")


def differences(page: Page) -> Markup | None:
    """The view: whiskers around a zero line, adjusted p, conclusions; cheapest first."""
    rows = page.drawing["differences"]
    if not rows:
        return None
    rows = sorted(rows, key=lambda row: (row["cost"] or row["auc"])["value"] or 0.0)
    priced = any(row["cost"] for row in rows)
    spans = {what: reach(row[what] for row in rows if row[what]) for what in ("auc", "cost")}
    heads = [heading(["against ", called(page.model["name"], most=16)]),
             heading(f"difference in AUC, {100 * page.drawing['level']:g} %", colspan=2),
             heading("adjusted p", "right"),
             *([heading("difference in cost per 1,000", colspan=2)] if priced else []),
             heading("in words")]  # fmt: skip
    joint = page.document.get("joint")
    reading = settled_note(page.document)
    if joint and joint.get("p") is not None:
        reading = f"Test that all AUCs are equal: p {p_value(joint['p'])}. {reading}"
    lines = [_line(page, row, spans, priced) for row in rows]
    return view("differences", "Do the models differ?", reading, long_table(heads, lines, "evidence stack", SHOWN))


def reach(rows: Iterable[Row]) -> float:
    """The largest distance of the limits from zero; 1 if none is known."""
    return max((abs(row[side]) for row in rows for side in SIDES if row[side] is not None), default=1.0) or 1.0


def _line(page: Page, row: Row, spans: Mapping[str, float], priced: bool) -> Markup:
    slot = page.slots.get(row["b"], 0)
    strong, *rest = row["words"]
    auc, cost = row["auc"], row["cost"]
    cells = [
        tag("th", dash(slot), called(row["b"], slot, most=18), scope="row"),
        tag("td", around(auc, spans["auc"], slot), class_="draw"),
        numbers(signed(auc), limits_text(auc), "number of-auc"),
        tag("td", p_text(row["auc_p"]), class_="right p"),
    ]
    if priced:
        known = cost is not None and cost["value"] is not None
        shown = f"{'+' if cost['value'] > 0 else ''}{whole(cost['value'])}" if known else "–"
        cells.append(tag("td", None if cost is None else around(cost, spans["cost"], slot), class_="draw of-cost"))
        cells.append(numbers(shown, "" if cost is None else whole_limits(cost), "number of-cost"))
    cells.append(tag("td", tag("b", strong), tag("span", *rest) if rest else None, class_="words"))
    return tag("tr", *cells)


def numbers(value: str, limits: str, look: str = "number") -> Markup:
    """A cell with a value, strong, and its limits."""
    return tag("td", tag("b", value), " ", tag("span", limits, class_="interval"), class_=look)


def around(row: Row, reach: float, slot: int) -> Markup:
    """A whisker around a line at 0."""
    if row["value"] is None:
        return rail(tick(0.5), bare=True)
    position = [None if row[side] is None else 0.5 + 0.46 * row[side] / reach for side in SIDES]
    return rail(tick(0.5), whisker(position, slot=slot))
