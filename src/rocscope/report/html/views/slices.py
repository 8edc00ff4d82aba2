"""Results by slice: worst first as in the results document; slices with few positives are gray and labeled."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rocscope.report.html.axes import rail, tick, whisker
from rocscope.report.html.html_page import heading, long_table, view
from rocscope.report.html.markup import Markup, called, join, shortened, tag
from rocscope.report.html.state import Page
from rocscope.text import limits_text, show_count, value_text

Row = Mapping[str, Any]
SHOWN = 12  # number of slices shown in the table; the others are collapsed


def slices(page: Page) -> Markup | None:
    """The view; slices are never ranked by their raw estimates."""
    rows = page.drawing["slices"]
    if not rows:
        return None
    by = list(dict.fromkeys(row["by"] for row in rows))
    auc = page.area("auc")
    heads = [(", ".join(by) if len(by) == 1 else "slice", ""), ("cases", "right optional"), ("positive", "right"),
             ("AUC, plot", "optional draw"), ("AUC (tick: all cases)", "number"),
             (f"recall at {page.threshold}", "number")]  # fmt: skip
    everybody = None if auc is None else auc["value"]
    lines = [_line(row, page.model["slot"], everybody, named=len(by) > 1) for row in rows]
    table = long_table([_head(name, look) for name, look in heads], lines, "evidence slices", SHOWN)
    columns = called(by[0] if len(by) == 1 else f"{len(by)} columns")
    title = join(["Slices: ", called(page.model["name"]), " by ", columns])
    sentences = [sentence for panel in page.evaluation["slices"] for sentence in panel["words"]]
    return view("slices", title, shortened(" ".join(sentences[:3]), 600), table)


def _head(name: str, look: str) -> Markup:
    """A heading; that of a drawing is visible only to screen readers."""
    return heading(tag("span", name, class_="visually-hidden") if "draw" in look else shortened(name, 30), look)


def _line(row: Row, slot: int, everybody: float | None, *, named: bool) -> Markup:
    color = 0 if row["few"] else slot
    name = f"{row['by']} {row['value']}" if named else row["value"]
    marks: list[Any] = [] if everybody is None else [tick(2 * everybody - 1)]
    auc, recall = row["auc"], row["recall"]
    if auc and auc["value"] is not None:
        position = [None if auc[side] is None else 2 * auc[side] - 1 for side in ("low", "value", "high")]
        marks.append(whisker(position, slot=color))
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


def _shown(row: Row | None) -> list[Any]:
    if row is None or row["value"] is None:
        return ["–"]
    return [tag("span", value_text(row), class_="num"), " ", tag("span", limits_text(row), class_="interval")]
