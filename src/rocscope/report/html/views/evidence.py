"""Evidence tables: are the models different, and how do the slices fare."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rocscope.report.html.axes import rail, whisker
from rocscope.report.html.markup import Markup, called, join, shortened, tag
from rocscope.report.html.parts import dash, view
from rocscope.report.html.state import Page
from rocscope.text import limits_text, p_text, p_value, show_count, signed, value_text, whole, whole_limits

Row = Mapping[str, Any]
SHOWN = 8  # models in the table; the others are folded
SLICES = 12


def differences(page: Page) -> Markup | None:
    """Each model against the recommended one: AUC and cost, whisker round a zero line, adjusted p, words."""
    rows = page.drawing["differences"]
    if not rows:
        return None
    rows = sorted(rows, key=lambda row: (row["cost"] or row["auc"])["value"] or 0.0)
    priced = any(row["cost"] for row in rows)
    spans = {what: _reach([row[what] for row in rows if row[what]]) for what in ("auc", "cost")}
    heads = [tag("th", "against ", called(page.model["name"], most=16), scope="col"),
             tag("th", f"difference in AUC, {100 * page.drawing['level']:g} %", scope="col", colspan=2),
             tag("th", "adjusted p", scope="col", class_="right")]  # fmt: skip
    if priced:
        heads.append(tag("th", "difference in cost per 1,000", scope="col", colspan=2))
    heads.append(tag("th", "in words", scope="col"))

    def table(some: Sequence[Row]) -> Markup:
        body = [_difference(page, row, spans, priced) for row in some]
        return tag("table", tag("thead", tag("tr", *heads)), tag("tbody", *body), class_="evidence stack")

    shown: list[Any] = [table(rows[:SHOWN])]
    if len(rows) > SHOWN:
        rest = tag("details", tag("summary", f"{len(rows) - SHOWN} more"), table(rows[SHOWN:]))
        shown.append(tag("div", rest, class_="behind"))
    joint = page.document.get("joint")
    reading = (
        "" if not joint or joint.get("p") is None else f"Test that all AUCs are equal: p {p_value(joint['p'])}."
    )
    return view("differences", "Are the models different?", reading, shown)


def _reach(rows: Sequence[Row]) -> float:
    found = [abs(row[side]) for row in rows for side in ("low", "value", "high") if row[side] is not None]
    return max(found, default=1.0) or 1.0


def _difference(page: Page, row: Row, spans: Mapping[str, float], priced: bool) -> Markup:
    slot = page.slots.get(row["b"], 0)
    strong, *rest = row["words"]
    auc, cost = row["auc"], row["cost"]
    cells = [
        tag("th", dash(slot), called(row["b"], slot, most=18), scope="row"),
        tag("td", around(auc, spans["auc"], slot), class_="draw"),
        tag("td", tag("b", signed(auc)), " ", tag("span", limits_text(auc), class_="interval"), class_="number"),
        tag("td", p_text(row["auc_p"]), class_="right p"),
    ]
    if priced:
        shown = (
            "–"
            if cost is None or cost["value"] is None
            else f"{'+' if cost['value'] > 0 else ''}{whole(cost['value'])}"
        )
        limits = "" if cost is None else whole_limits(cost)
        cells.append(tag("td", None if cost is None else around(cost, spans["cost"], slot), class_="draw"))
        cells.append(tag("td", tag("b", shown), " ", tag("span", limits, class_="interval"), class_="number"))
    cells.append(tag("td", tag("b", strong), tag("span", *rest) if rest else None, class_="words"))
    return tag("tr", *cells)


def around(row: Row, reach: float, slot: int) -> Markup:
    """A whisker round a line at 0."""
    zero = tag("line", class_="base", x1="50%", x2="50%", y1=1, y2=15)
    if row["value"] is None:
        return tag("svg", zero, class_="whiskers", height=16, aria_hidden="true")
    place = [None if row[side] is None else 0.5 + 0.46 * row[side] / reach for side in ("low", "value", "high")]
    return rail(zero, whisker(place[0], place[1] or 0.5, place[2], slot=slot))


# ---- slices ----


def slices(page: Page) -> Markup | None:
    """Worst first as the document has them; few positives are grey and say so; never ranked by a bare estimate."""
    rows = page.drawing["slices"]
    if not rows:
        return None
    by = list(dict.fromkeys(row["by"] for row in rows))
    all_auc = next((row["value"] for row in page.model["areas"] if row["name"] == "auc"), None)
    heads = [(", ".join(by) if len(by) == 1 else "slice", ""), ("cases", "right optional"), ("positive", "right"),
             ("AUC, drawn", "optional draw"), ("AUC (tick: all cases)", "number"),
             (f"recall at {page.threshold}", "number")]  # fmt: skip
    head = tag("tr", *(_head(name, look) for name, look in heads))

    def table(some: Sequence[Row]) -> Markup:
        body = [_slice(row, page.model["slot"], all_auc, named=len(by) > 1) for row in some]
        return tag("table", tag("thead", head), tag("tbody", *body), class_="evidence slices")

    shown: list[Any] = [table(rows[:SLICES])]
    if len(rows) > SLICES:
        rest = tag("details", tag("summary", f"{len(rows) - SLICES} more"), table(rows[SLICES:]))
        shown.append(tag("div", rest, class_="behind"))
    title = join(
        ["Slices: ", called(page.model["name"]), " by ", called(by[0] if len(by) == 1 else f"{len(by)} columns")]
    )
    said = [sentence for panel in page.evaluation["slices"] for sentence in panel["words"]]
    return view("slices", title, shortened(" ".join(said[:3]), 600), shown)


def _head(name: str, look: str) -> Markup:
    """A heading; that of a drawing is only read out."""
    shown = tag("span", name, class_="visually-hidden") if "draw" in look else shortened(name, 30)
    return tag("th", shown, scope="col", class_=look or None)


def _slice(row: Row, slot: int, everybody: float | None, *, named: bool) -> Markup:
    colour = 0 if row["few"] else slot
    name = f"{row['by']} {row['value']}" if named else row["value"]
    marks: list[Any] = []
    if everybody is not None:
        marks.append(tag("line", class_="base", x1=_at(everybody), x2=_at(everybody), y1=1, y2=15))
    auc, recall = row["auc"], row["recall"]
    if auc and auc["value"] is not None:
        place = [None if auc[side] is None else 2 * auc[side] - 1 for side in ("low", "value", "high")]
        marks.append(whisker(place[0], place[1] or 0.0, place[2], slot=colour))
    few = tag("span", "few positives", class_="few") if row["few"] else None
    return tag(
        "tr",
        tag("th", called(name, most=22), scope="row"),
        tag("td", show_count(row["cases"]), class_="right optional"),
        tag("td", "–" if row["positives"] is None else show_count(row["positives"]), class_="right"),
        tag("td", rail(*marks), class_="draw optional"),
        tag("td", *_shown(auc), class_="number"),
        tag("td", *_shown(recall), few, class_="number"),
    )


def _at(auc: float) -> str:
    return f"{100 * max(0.0, min(1.0, 2 * auc - 1)):.2f}%"


def _shown(row: Row | None) -> list[Any]:
    if row is None or row["value"] is None:
        return ["–"]
    return [tag("span", value_text(row), class_="num"), " ", tag("span", limits_text(row), class_="interval")]
