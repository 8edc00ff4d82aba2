"""All thresholds at once: precision, recall, F1 and the share flagged; and the contents of the top scores."""

from __future__ import annotations

import math
from typing import Any

from rocscope.report.html.axes import Points, SvgAxes, label, ticks
from rocscope.report.html.html_page import heading, labelled, view
from rocscope.report.html.markup import Markup, join, rich, rich_lines, tag
from rocscope.report.html.state import Page
from rocscope.table import Counts
from rocscope.text import limits_text, percentage, show_count, tick_text, value_text
from rocscope.verdicts import fill

SHARES = (0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5)
NAMES = {"precision": "precision", "recall": "recall", "f1": "F1", "flagged": "share flagged"}
ROOTS = (0, 0.01, 0.05, 0.1, 0.2, 0.5, 1)


def thresholds(page: Page) -> Markup | None:
    """The view: four lines over the thresholds of the selected model."""
    if not page.both or page.model["labels_only"] or page.cells is None:
        return None
    across = _across(page)
    marks = [across(tick) for tick in (ROOTS if page.drawing["scale"] == "root" else _ticks(page))]
    low, high = across(_ends(page)[0]), across(_ends(page)[1])
    axes = SvgAxes(734, 302, low=(low, 0.0), high=(high if high > low else low + 1, 1.0))
    back = (lambda x: x * x) if page.drawing["scale"] == "root" else float
    layers = axes.axes("threshold", "value", x_at=marks, x_text=lambda x: tick_text(float(f"{back(x):.6g}")))
    slot = page.model["slot"]
    for name, points in _lines(page).items():
        placed = [(across(x), y) for x, y in points]
        layers.append(axes.line(placed, f"curve of-{name}", slot))
        if placed:
            x, y = axes.at(placed[len(placed) // 3])
            layers.append(label(NAMES[name], x + 6, y - 6, "name halo", slot))
    picture = axes.picture(labelled("thresholds"), layers)
    return view("thresholds", "Measures against the threshold", _reading(page), picture)


def _reading(page: Page) -> Markup:
    assert page.cells is not None
    values = _values(page, {name: float(value) for name, value in page.per_thousand.items()})
    known = {name: value for name, value in values.items() if value is not None}
    if len(known) < len(values):
        return rich(["Nothing is flagged at this threshold."], {})
    sentence = fill(
        "thresholds", threshold=page.threshold, **{**known, "f1": f"{known['f1']:.2f}"}, units=page.drawing["units"]
    )
    return rich_lines([sentence, *page.apparent], page.slots)


def _values(page: Page, cells: dict[str, float]) -> dict[str, float | None]:
    """The four quantities for some cells; None if nothing is flagged."""
    tp, fp, fn = cells["tp"], cells["fp"], cells["fn"]
    return {
        "precision": tp / (tp + fp) if tp + fp else None,
        "recall": tp / (tp + fn) if tp + fn else None,
        "f1": 2 * tp / (2 * tp + fp + fn) if tp + fp + fn else None,
        "flagged": (tp + fp) / sum(cells.values()),
    }


def _cells(page: Page, row: int) -> dict[str, float]:
    """The cells of a row as shares of all cases, at the selected prevalence."""
    fpr, tpr = page.rate(page.model, row)
    share = page.prevalence
    return {"tp": share * tpr, "fn": share * (1 - tpr), "fp": (1 - share) * fpr, "tn": (1 - share) * (1 - fpr)}


def _lines(page: Page) -> dict[str, Points]:
    points: dict[str, list[tuple[float, float]]] = {name: [] for name in NAMES}
    for row, threshold in enumerate(page.model["thresholds"]):
        if threshold is None or not math.isfinite(threshold):
            continue
        for name, value in _values(page, _cells(page, row)).items():
            if value is not None:
                points[name].append((threshold, value))
    return dict(points)


def _ends(page: Page) -> tuple[float, float]:
    if page.drawing["probabilities"]:
        return 0.0, 1.0
    known = [threshold for threshold in page.model["thresholds"] if threshold is not None and math.isfinite(threshold)]
    return min(known, default=0.0), max(known, default=1.0)


def _ticks(page: Page) -> list[float]:
    return [0.0, 0.25, 0.5, 0.75, 1.0] if page.drawing["probabilities"] else ticks(*_ends(page), 6)


def _across(page: Page) -> Any:
    """The position of a threshold: on a square-root scale if probabilities are concentrated near 0."""
    return (lambda x: math.sqrt(max(0.0, x))) if page.drawing["scale"] == "root" else float


# ---- highest scores ----


def top(page: Page) -> Markup | None:
    """The view of the top scores: how many positives are among the cases with the highest scores."""
    if not page.both or page.model["labels_only"] or page.cells is None:
        return None
    rows = _top_rows(page)
    names = ("threshold", "flagged", "found", "precision", "recall")
    heads = [heading(""), *(heading(name, "right") for name in names)]
    body = []
    for share, cells in rows:
        first = tag("th", f"top {percentage(share)}", scope="row")
        body.append(tag("tr", first, *(tag("td", cell, class_="right") for cell in cells)))
    table = tag("table", tag("thead", tag("tr", *heads)), tag("tbody", *body), class_="evidence top")
    reading = rich(fill("top", units=page.drawing["units"]), {})
    return view("topk", "Top of the ranking", reading, tag("div", table, class_="scroll", tabindex=0))


def _estimate(estimate: dict[str, Any]) -> Markup:
    return join([value_text(estimate), tag("span", limits_text(estimate), class_="interval")])


def _top_rows(page: Page) -> list[tuple[float, list[Any]]]:
    """For each share, return the last threshold that flags no more than it, without duplicates."""
    model, rows, seen = page.model, [], {0}
    positives, negatives = page.totals
    flagged = [cells["tp"] + cells["fp"] for cells in (_cells(page, row) for row in range(len(model["tp"])))]
    for share in SHARES:
        row = max(row for row, count in enumerate(flagged) if count <= share * (1 + 1e-12))
        if row in seen:
            continue
        seen.add(row)
        tp, fp = model["tp"][row], model["fp"][row]
        cells = Counts(tp=tp, fp=fp, fn=positives - tp, tn=negatives - fp)
        level = page.drawing["level"]
        plain = not page.drawing["weighted"] and not page.rebased and not page.drawing.get("rates_only")
        values = _values(page, _cells(page, row))
        written = [
            _estimate(cells.estimate(name, level=level).to_dict()) if plain else f"{values[name]:.3f}"
            for name in ("precision", "recall")
        ]
        counts = [show_count(tp + fp), show_count(tp)] if not page.rebased else ["–", "–"]
        rows.append((share, [page.threshold_at(model, row), *counts, *written]))
    return rows
