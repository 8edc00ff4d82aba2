"""Precision and recall: the PR curve at the prevalence that is set, with exact interpolation."""

from __future__ import annotations

from collections.abc import Mapping

from rocscope.report.html.axes import Points, SvgAxes, evenly, label
from rocscope.report.html.html_page import labelled, shown_table, view
from rocscope.report.html.markup import Markup, rich_lines, shortened
from rocscope.report.html.state import Model, Page
from rocscope.report.html.views.roc import model_lines
from rocscope.text import percentage
from rocscope.verdicts import fill

AXES = SvgAxes(378, 330)


def precision_recall(page: Page) -> Markup | None:
    """The view."""
    if not page.both:
        return None
    base, lines = page.prevalence, {model["name"]: pr_points(page, model) for model in page.models}
    at = AXES.x(0) + 4, AXES.y(base) - 5 if base < 0.9 else AXES.y(base) + 14
    point, positive = _at_point(page, page.model), shortened(page.drawing["positive"])
    layers = [
        *AXES.axes(f"recall of {positive}", f"precision of {positive}"),
        AXES.line([(0, base), (1, base)], "chance"),
        label(f"chance level: {percentage(base)}", *at),
        *model_lines(page, AXES, lines),
        *_names(page, lines),
        *([] if point is None else AXES.point(point, page.model["slot"], 5.5)),
    ]
    return view("pr", "Precision and recall", _reading(page), AXES.picture(labelled("pr"), layers), _behind(page))


def pr_points(page: Page, model: Model) -> list[tuple[float, float]]:
    """(recall, precision) of the rows, with points between where the exact curve bends.

    Between two thresholds, precision is TP / (TP + FP) with both counts interpolated linearly, so the curve is not
    straight.
    """
    positives, negatives = page.totals
    share = page.prevalence
    odds = share / (1 - share) * negatives / positives if 0 < share < 1 else 0.0
    points: list[tuple[float, float]] = []
    last: tuple[float, float] | None = None
    for tp, fp in zip(model["tp"], model["fp"], strict=True):
        if tp + fp == 0:
            continue
        steps = 6 if last is not None and tp - last[0] > 0.02 * positives and fp > last[1] else 1
        for step in range(1, steps + 1):
            t = tp if last is None else last[0] + (tp - last[0]) * step / steps
            x = fp if last is None else last[1] + (fp - last[1]) * step / steps
            points.append((t / positives, t * odds / (t * odds + x) if t * odds + x else 0.0))
        last = (float(tp), float(fp))
    return points


def _at_point(page: Page, model: Model) -> tuple[float, float] | None:
    if model["point"] is None or not page.cells:
        return None
    per = page.per_thousand
    flagged = per["tp"] + per["fp"]
    return (per["tp"] / (per["tp"] + per["fn"]), per["tp"] / flagged) if flagged else None


def _names(page: Page, lines: Mapping[str, Points]) -> list[Markup]:
    """Names placed directly on the curves where these are apart, without a legend box."""
    names: list[Markup] = []
    taken: list[tuple[float, float]] = []
    for index, model in enumerate(page.named[:6] if len(page.models) > 1 else ()):
        points = lines[model["name"]]
        for want in (0.62, 0.3, 0.45, 0.2, 0.75, 0.1):
            near = min(points, key=lambda point: abs(point[0] - want), default=None)
            if near is None:
                break
            # the selected model's name goes above and to the right of its curve, the others below and to the left
            at = AXES.at(near)
            x, y = (at[0] + 8, at[1] - 6) if index == 0 else (at[0] - 8, at[1] + 14)
            free = all(abs(y - b) > 14 or abs(x - a) > 90 for a, b in taken)
            if free and AXES.y(1) < y < AXES.y(0) - 4 and (index == 0 or x > 100):
                taken.append((x, y))
                look, anchor = ("name strong halo", None) if index == 0 else ("name halo", "end")
                names.append(label(shortened(model["name"], 16), x, y, look, model["slot"], anchor=anchor))
                break
    return names


def _reading(page: Page) -> Markup:
    reading = []
    at = _at_point(page, page.model)
    if at is not None:
        reading += [
            fill("pr", precision=at[1], share=page.prevalence, positive=page.drawing["positive"]),
            *page.apparent,
        ]
    area = page.area("average_precision")
    if area is not None and area["value"] is not None and page.model["pr_area"] is not None:
        reading.append(fill("pr_areas", ap=area, area=page.model["pr_area"]))
    return rich_lines(reading, page.slots)


def _behind(page: Page) -> Markup:
    rows, share = [], page.prevalence
    for model in page.named[:5]:
        for row in evenly(model["hull"][1:], 6):
            fpr, tpr = page.rate(model, row)
            flagged = share * tpr + (1 - share) * fpr
            precision = f"{share * tpr / flagged:.4f}" if flagged else "–"
            rows.append((shortened(model["name"]), page.threshold_at(model, row), f"{tpr:.4f}", precision))
    return shown_table(("model", "threshold", "recall", "precision"), rows)
