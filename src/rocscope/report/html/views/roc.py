"""The ROC view: curves, band, hull, thresholds, the line of equal cost, the point, and the key in the empty corner."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping
from typing import Any

from rocscope.report.html.axes import KEY_LINE, ROC, Points, SvgAxes, evenly, label, roc_space, sample
from rocscope.report.html.html_page import labelled, shown_table, view
from rocscope.report.html.markup import Markup, join, rich, rich_lines, shortened, tag
from rocscope.report.html.state import Model, Page
from rocscope.text import limits_text, tick_text, value_text, with_limits
from rocscope.verdicts import fill

WRITTEN = (0.9, 0.7, 0.5, 0.3, 0.1, 0.05, 0.02, 0.01)  # thresholds labeled on the curve
APART = 20.0  # minimum distance between labels, in pixels
MOST_KEY = 7  # maximum number of models in the legend
KEY_WIDTH = 246.0


def roc(page: Page) -> Markup:
    """The whole view; with a single class, only the axes and what is missing."""
    if page.models[0]["labels_only"]:
        return _labels_only(page)
    if not page.both:
        return _one_class(page)
    return view("roc", "ROC, hull and cost line", _reading(page), _picture(page), _behind(page))


# ---- text ----


def _reading(page: Page) -> Markup:
    auc = page.area("auc")
    if auc is not None and auc["high"] is not None and auc["high"] < 0.5:
        return rich(fill("roc_reversed", auc=auc), page.slots)
    reading = []
    if len(page.models) > 5:
        on_hull = sum(not model["dominated"] for model in page.models)
        reading.append(fill("roc_many", models=len(page.models), hull=on_hull))
    if page.model["point"] is not None and page.threshold:
        fpr, tpr = page.rate(page.model, page.model["point"])
        names = {name: page.drawing[name] for name in ("positive", "negative", "units")}
        at = {"model": page.model["name"], "threshold": page.threshold}
        reading += [fill("roc", recall=tpr, fpr=fpr, **at, **names), *page.apparent]
    if len(page.models) <= 5:
        below = [model["name"] for model in page.models if model["dominated"]]
        reading += [fill("roc_dominated", model=below[0])] if len(below) == 1 else []
        reading += [fill("roc_dominated_many", models=below)] if len(below) > 1 else []
    return rich_lines(reading, page.slots)


# ---- figure ----


def _picture(page: Page) -> Markup:
    chosen, band = page.model, page.model["band"]
    layers: list[Any] = [
        *roc_space(ROC, f"true positive rate (recall of {shortened(page.drawing['positive'], 18)})"),
        _chance_name(),
        None if band is None else ROC.band(band["fpr"], band["low"], band["high"], chosen["slot"]),
        *model_lines(page, ROC, {model["name"]: page.rates(model) for model in page.models}),
    ]
    layers += [_hull(page), *_thresholds(page), _cost_line(page), *_point(page), _key(page)]
    return ROC.picture(labelled("roc"), layers)


def model_lines(page: Page, axes: SvgAxes, lines: Mapping[str, Points]) -> list[Markup]:
    """A line for each model: the recommended one on top; of more than five, those without a color are faint."""
    faint = len(page.models) > 5
    order = sorted(page.models, key=lambda model: (model is page.model, -(model["slot"] or 99)))
    looks = {True: "curve chosen", False: "curve"}
    return [
        axes.line(lines[model["name"]], "curve faint" if faint and not model["slot"] and model is not page.model else
                  looks[model is page.model], model["slot"])
        for model in order
    ]  # fmt: skip


def _chance_name() -> Markup:
    # away from the threshold labels, which are dense at the upper end of the curve
    x, y = ROC.x(0.62) + 10, ROC.y(0.62) + 10
    turned = f"translate({x:.0f} {y:.0f}) rotate(-45)"
    return tag("text", "chance", class_="muted", transform=turned, text_anchor="middle")


def _hull(page: Page) -> Markup:
    corners = [(point["fpr"], point["tpr"]) for point in page.drawing["hull"]["points"]]
    shown = corners[1:-1] if len(corners) <= 42 else corners[1 : -1 : (len(corners) - 2) // 30]
    dots = "".join(f"M{x:.1f},{y:.1f}h0" for x, y in map(ROC.at, shown))
    return tag("g", ROC.line(corners, "hull"), tag("path", class_="vertex", d=dots))


def _thresholds(page: Page) -> list[Markup]:
    """Threshold labels on the selected curve, omitted where they would touch."""
    model, drawing = page.model, page.drawing
    if not drawing["probabilities"]:
        return []
    placed: list[tuple[float, float]] = []
    if model["point"] is not None:
        placed.append(ROC.at(page.rate(model, model["point"])))
    marks = []
    for mark in WRITTEN:
        row = row_at(model, mark, drawing["rule"])
        if row == 0:
            continue
        x, y = ROC.at(page.rate(model, row))
        if any(abs(x - a) + abs(y - b) < APART for a, b in placed):
            continue
        placed.append((x, y))
        marks.append(tag("circle", class_="tick", cx=x, cy=y, r=2.6))
        marks.append(label(tick_text(mark), x + 6, y + 15, "tick halo"))
    return [tag("g", *marks, data_m=model["slot"])]


def row_at(model: Model, threshold: float, rule: str) -> int:
    """The row, among those kept, that yields the same decisions as the threshold."""
    sign = -1.0 if rule == ">=" else 1.0  # thresholds run from the strictest on; the first row flags nothing
    return bisect_right(model["thresholds"], sign * threshold, lo=1, key=lambda value: sign * value) - 1


def _cost_line(page: Page) -> Markup | None:
    """The line of equal cost that touches the hull, with its handle."""
    share, ratio = page.prevalence, page.ratio
    corners = page.drawing["hull"]["points"]
    if page.own_costs or not corners or not 0 < share < 1 or not 0 < ratio < float("inf"):
        return None
    slope = (1 - share) / share / ratio
    touched = min(corners, key=lambda corner: slope * corner["fpr"] - corner["tpr"])
    ends = _clipped(slope, touched["tpr"] - slope * touched["fpr"])
    if ends is None:
        return None
    (x0, y0), (x1, y1) = ends
    grip = (x0 + 2 * x1) / 3, (y0 + 2 * y1) / 3
    return tag("g", ROC.line(ends, "cost"), ROC.dot(grip, "grip", None, 7), ROC.dot(grip, "grip-dot", None, 2))


def _clipped(slope: float, start: float) -> list[tuple[float, float]] | None:
    """The part of y = start + slope x inside the square."""
    ends = []
    for x, y in ((0.0, start), (1.0, start + slope), (-start / slope, 0.0), ((1 - start) / slope, 1.0)):
        if -1e-9 <= x <= 1 + 1e-9 and -1e-9 <= y <= 1 + 1e-9:
            ends.append((min(1.0, max(0.0, x)), min(1.0, max(0.0, y))))
    ends.sort()
    return [ends[0], ends[-1]] if len(ends) > 1 else None


def _point(page: Page) -> list[Markup]:
    if page.model["point"] is None:
        return []
    point = page.rate(page.model, page.model["point"])
    at_threshold = "" if page.drawing.get("points") else f" at {page.threshold}"
    (x, y), words = ROC.at(point), f"{shortened(page.model['name'], 18)}{at_threshold}"
    at, anchor = (x - 10, "end") if point[0] > 0.6 else (x + 11, None)
    return [*ROC.point(point, page.model["slot"]), label(words, at, y + 4, "strong halo", anchor=anchor)]


def _key(page: Page) -> Markup:
    """The legend, by AUC, in the lower right triangle, where useful curves do not run."""
    ranked = sorted(page.models, key=lambda curve: -((page.area("auc", curve) or {}).get("value") or 0.0))
    shown = [curve for curve in ranked if curve["slot"]] if len(ranked) > MOST_KEY else ranked
    rest, low = len(ranked) - len(shown), _is_low(page)
    right = ROC.x(0.66 if low else 1) - 4
    left = right - KEY_WIDTH
    lines = len(shown) + 2 + (1 if rest else 0)
    y = ROC.y(1) + 30 if low else ROC.y(0) - 14 - KEY_LINE * lines  # below the diagonal, unless a curve is there
    head = "AUC" if page.drawing.get("rates_only") else f"AUC, {100 * page.drawing['level']:g} % interval"
    rows: list[Any] = [label(head, right, y, anchor="end")]
    for model in shown:
        y += KEY_LINE
        auc = page.area("auc", model)
        value = "–" if auc is None else f"{value_text(auc)} {limits_text(auc)}"
        chosen = model is page.model
        rows += ROC.key_row(model["name"], value, y, model["slot"], chosen=chosen, left=left, right=right)
    if rest:
        y += KEY_LINE
        rows.append(label(f"{rest} more, {'all ' if rest > 1 else ''}dominated", right, y, anchor="end"))
    area = page.drawing["hull"]["area"]
    what = "hull of all" if len(page.models) > 1 else "hull"
    for name, look in ((f"{what}, area {area:.3f}" if area else what, "hull"), (_slope(page), "cost")):
        if look == "cost" and page.own_costs:
            continue
        y += KEY_LINE
        rows += [sample(look, left, y - 4), label(name, left + 36, y)]
    return tag("g", *rows, class_="key")


def _is_low(page: Page) -> bool:
    """Whether a curve runs below the diagonal, through the corner where the legend usually is."""
    return any(((page.area("auc", model) or {}).get("value") or 1.0) < 0.5 for model in page.models)


def _slope(page: Page) -> str:
    share, ratio = page.prevalence, page.ratio
    if not 0 < share < 1 or not 0 < ratio < float("inf"):
        return "equal cost"
    return f"equal cost, slope {(1 - share) / share / ratio:.3g}"


# ---- table of the data ----


def _behind(page: Page) -> Markup:
    rows = []
    for model in page.named[:5]:
        kept = sorted({*evenly(model["hull"], 5), *([model["point"]] if model["point"] is not None else [])})
        for row in kept:
            fpr, tpr = page.rate(model, row)
            at = page.threshold_at(model, row)
            counts = model["tp"][row], model["fp"][row]
            rows.append((shortened(model["name"]), at, f"{fpr:.4f}", f"{tpr:.4f}", *counts))
    return shown_table(("model", "threshold", "FPR", "TPR", "TP", "FP"), rows)


# ---- one class only, or labels only ----


def _positive(page: Page) -> str:
    """The positive label as in the data."""
    return str(page.document["data"]["labels"]["positive"])


def _one_class(page: Page) -> Markup:
    positives, negatives = page.totals
    drawing = page.drawing
    present = "positive" if positives else "negative"
    missing = "negative" if positives else "positive"
    many = int(positives + negatives)
    first = tag("b", f"All {many:,} {drawing['units']} are {present}.")
    reading = join([first, " Measures that need both classes are left undefined, not set to 0."])
    by_name = {row["name"]: row for row in page.evaluation["measures"]}
    still = by_name.get("recall" if positives else "specificity")
    lines: list[Any] = [tag("b", f"There is no {missing} case in these data.")]
    if still is not None and still["value"] is not None:
        lines.append(f"{still['title']} {with_limits(still)} is defined.".capitalize())
    lines.append(join(["The positive class was assumed to be ", tag("bdi", shortened(_positive(page))), "."]))
    panel = tag("div", *(tag("p", line) for line in lines), class_="panel over")
    return view("roc", "ROC, hull and cost line", reading, [ROC.picture(labelled("roc"), roc_space()), panel])


def _labels_only(page: Page) -> Markup:
    """One point with both whiskers and a thin chord, because there is no curve."""
    from rocscope.table import Counts

    model, f = page.models[0], ROC
    counts = Counts.of([model["points"][cell] for cell in ("tp", "fp", "fn", "tn")])
    level = page.drawing["level"]
    tpr, fpr = (counts.estimate(name, level=level) for name in ("recall", "fpr"))
    reading = rich([*fill("roc_labels"), " Views that need scores are left out."], {})
    layers = roc_space()
    if tpr.value == tpr.value and fpr.value == fpr.value:
        x, y = f.at(point := (fpr.value, tpr.value))
        cross = f"M{f.x(fpr.low):.1f},{y:.1f}H{f.x(fpr.high):.1f}M{x:.1f},{f.y(tpr.low):.1f}V{f.y(tpr.high):.1f}"
        layers += [
            f.line([(0, 0), point, (1, 1)], "chord", 1),
            tag("path", class_="cross", data_m=1, d=cross),
            f.dot(point, "point", 1, 5),
            label(shortened(model["name"]), x + 14, y + 16, "strong halo"),
            label(f"recall {tpr}", x + 14, y + 33, "halo"),
            label(f"FPR {fpr}", x + 14, y + 50, "halo"),
        ]
    return view("roc", "ROC", reading, f.picture(labelled("roc"), layers))
