"""The ROC view: curves, band, hull, thresholds, the line of equal cost, the point, and the key in the empty corner."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rocscope.report.html.axes import Frame
from rocscope.report.html.markup import Markup, join, rich, shortened, tag
from rocscope.report.html.parts import labelled, shown_table, view
from rocscope.report.html.state import Model, Page
from rocscope.text import limits_text, tick_text, value_text, with_limits
from rocscope.verdicts import templates

FRAME = Frame(440, 470, left=38, top=26)
WRITTEN = (0.9, 0.7, 0.5, 0.3, 0.1, 0.05, 0.02, 0.01)  # thresholds on the curve
APART = 20.0  # pixels between two of them
MOST_KEY = 7  # models in the key
KEY_WIDTH = 246.0


def roc(page: Page) -> Markup:
    """The whole view; with one class only the axes and what is missing."""
    if page.models[0]["labels_only"]:
        return _labels_only(page)
    if not page.both:
        return _one_class(page)
    return view("roc", "ROC, hull and cost line", _reading(page), _picture(page), _behind(page))


# ---- words ----


def _reading(page: Page) -> Markup:
    auc = _auc(page.model)
    if auc is not None and auc["high"] is not None and auc["high"] < 0.5:
        return rich(templates.fill("roc_reversed", auc=auc), page.slots)
    said = []
    if len(page.models) > 5:
        on_hull = sum(not model["dominated"] for model in page.models)
        said.append(templates.fill("roc_many", models=len(page.models), hull=on_hull))
    if page.model["point"] is not None and page.threshold:
        fpr, tpr = page.rate(page.model, page.model["point"])
        names = {name: page.drawing[name] for name in ("positive", "negative", "units")}
        said.append(
            templates.fill("roc", model=page.model["name"], threshold=page.threshold, recall=tpr, fpr=fpr, **names)
        )
    if len(page.models) <= 5:
        said += [templates.fill("roc_dominated", model=one["name"]) for one in page.models if one["dominated"]]
    return join([rich(one, page.slots), " "] for one in said)


def _auc(model: Model) -> Mapping[str, Any] | None:
    return next((row for row in model["areas"] if row["name"] == "auc"), None)


# ---- the picture ----


def _picture(page: Page) -> Markup:
    f, chosen = FRAME, page.model
    layers: list[Any] = [*f.axes("false positive rate", "true positive rate (recall)")]
    layers.append(tag("path", class_="chance", d=f.path([(0, 0), (1, 1)])))
    layers.append(_chance_name())
    layers.append(_band(chosen))
    others = [one for one in page.models if one is not chosen]
    faint = len(page.models) > 5
    for model in sorted(others, key=lambda one: -one["slot"] if one["slot"] else -99):
        look = "curve faint" if faint and not model["slot"] else "curve"
        layers.append(_curve(page, model, look))
    layers.append(_curve(page, chosen, "curve chosen"))
    layers += [_hull(page), *_thresholds(page), _cost_line(page), *_point(page), _key(page)]
    return f.picture(labelled("roc"), layers)


def _chance_name() -> Markup:
    x, y = FRAME.x(0.92), FRAME.y(0.92) + 14
    return tag(
        "text", "chance", class_="muted", transform=f"translate({x:.0f} {y:.0f}) rotate(-45)", text_anchor="middle"
    )


def _band(model: Model) -> Markup | None:
    band = model["band"]
    if band is None:
        return None
    upper = list(zip(band["fpr"], band["high"], strict=True))
    lower = list(zip(band["fpr"], band["low"], strict=True))
    return tag("path", class_="band", data_m=model["slot"], d=FRAME.path([*upper, *lower[::-1]], close=True))


def _curve(page: Page, model: Model, look: str) -> Markup:
    return tag("path", class_=look, data_m=model["slot"], d=FRAME.path(page.rates(model)))


def _hull(page: Page) -> Markup:
    corners = [(one["fpr"], one["tpr"]) for one in page.drawing["hull"]["points"]]
    dots = [(FRAME.x(x), FRAME.y(y)) for x, y in corners[1:-1]]
    shown = dots if len(dots) <= 40 else dots[:: len(dots) // 30]
    return tag(
        "g",
        tag("path", class_="hull", d=FRAME.path(corners)),
        *(tag("circle", class_="vertex", cx=x, cy=y, r=1.6) for x, y in shown),
    )


def _thresholds(page: Page) -> list[Markup]:
    """Thresholds written on the chosen curve, dropped where they would touch."""
    model, drawing = page.model, page.drawing
    if not drawing["probabilities"]:
        return []
    placed: list[tuple[float, float]] = []
    if model["point"] is not None:
        fpr, tpr = page.rate(model, model["point"])
        placed.append((FRAME.x(fpr), FRAME.y(tpr)))
    found = []
    for mark in WRITTEN:
        row = row_at(model, mark, drawing["rule"])
        if row == 0:
            continue
        x, y = (side(rate) for side, rate in zip((FRAME.x, FRAME.y), page.rate(model, row), strict=True))
        if any(abs(x - a) + abs(y - b) < APART for a, b in placed):
            continue
        placed.append((x, y))
        found.append(tag("circle", class_="tick", cx=x, cy=y, r=2.6))
        found.append(tag("text", tick_text(mark), class_="tick halo", x=x + 6, y=y + 15))
    return [tag("g", *found, data_m=model["slot"])]


def row_at(model: Model, threshold: float, rule: str) -> int:
    """The row that decides as the threshold does, of those kept."""
    higher = rule == ">="
    row = 0
    for place, one in enumerate(model["thresholds"][1:], start=1):
        if one < threshold if higher else one > threshold:
            break
        row = place
    return row


def _cost_line(page: Page) -> Markup | None:
    """The line of equal cost that touches the hull, with its grip."""
    share, ratio = page.prevalence, page.ratio
    corners = page.drawing["hull"]["points"]
    if not corners or not 0 < share < 1 or not 0 < ratio < float("inf"):
        return None
    slope = (1 - share) / share / ratio
    touched = min(corners, key=lambda one: slope * one["fpr"] - one["tpr"])
    ends = _clipped(slope, touched["tpr"] - slope * touched["fpr"])
    if ends is None:
        return None
    (x0, y0), (x1, y1) = ends
    x, y = FRAME.x((x0 + 2 * x1) / 3), FRAME.y((y0 + 2 * y1) / 3)
    return tag(
        "g",
        tag("path", class_="cost", d=FRAME.path(ends)),
        tag("circle", class_="grip", cx=x, cy=y, r=7),
        tag("circle", class_="grip-dot", cx=x, cy=y, r=2),
    )


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
    fpr, tpr = page.rate(page.model, page.model["point"])
    x, y, slot = FRAME.x(fpr), FRAME.y(tpr), page.model["slot"]
    hair = f"M{x:.1f},{FRAME.y(0):.1f}V{y:.1f}H{FRAME.x(0):.1f}"
    label = shortened(page.model["name"], 18)
    end = fpr > 0.6
    return [
        tag("path", class_="reach", data_m=slot, d=hair),
        tag("circle", class_="point", data_m=slot, cx=x, cy=y, r=6),
        tag("text", f"{label} at {page.threshold}", class_="strong halo", x=x + (-10 if end else 11), y=y + 4,
            text_anchor="end" if end else None),
    ]  # fmt: skip


def _key(page: Page) -> Markup:
    """Models by AUC in the lower right triangle, which no sensible curve enters."""
    ranked = sorted(page.models, key=lambda one: -((_auc(one) or {}).get("value") or 0.0))
    shown = [one for one in ranked if one["slot"]] if len(ranked) > MOST_KEY else ranked
    rest = len(ranked) - len(shown)
    line, low = 18.0, _is_low(page)
    right = FRAME.x(0.66 if low else 1) - 4
    lines = len(shown) + 2 + (1 if rest else 0)
    y = FRAME.y(1) + 30 if low else FRAME.y(0) - 14 - line * lines  # under the diagonal, unless a curve is there
    head = "AUC" if page.drawing.get("rates_only") else f"AUC, {100 * page.drawing['level']:g} % interval"
    rows: list[Any] = [tag("text", head, x=right, y=y, text_anchor="end")]
    for model in shown:
        y += line
        rows += _key_row(page, model, right, y)
    if rest:
        y += line
        rows.append(tag("text", f"{rest} more, all dominated", x=right, y=y, text_anchor="end"))
    area = page.drawing["hull"]["area"]
    what = "hull of all" if len(page.models) > 1 else "hull"
    left = right - KEY_WIDTH
    for name, look in ((f"{what}, area {area:.3f}" if area else what, "hull"), (_slope(page), "cost")):
        y += line
        rows += [
            tag("line", class_=look, x1=left, x2=left + 28, y1=y - 4, y2=y - 4),
            tag("text", name, x=left + 36, y=y),
        ]
    return tag("g", *rows, class_="key")


def _key_row(page: Page, model: Model, right: float, y: float) -> list[Markup]:
    auc, chosen, left = _auc(model), model is page.model, right - KEY_WIDTH
    name = shortened(model["name"], 16)
    value = "–" if auc is None else f"{value_text(auc)} {limits_text(auc)}"
    return [
        tag(
            "line",
            class_="curve chosen" if chosen else "curve",
            data_m=model["slot"],
            x1=left,
            x2=left + 28,
            y1=y - 4,
            y2=y - 4,
        ),
        tag("text", name, class_="name strong" if chosen else "name", data_m=model["slot"], x=left + 36, y=y),
        tag("text", value, class_="ink", x=right, y=y, text_anchor="end"),
    ]


def _is_low(page: Page) -> bool:
    """Whether a curve runs below the diagonal, through the corner where the key stands otherwise."""
    return any(((_auc(model) or {}).get("value") or 1.0) < 0.5 for model in page.models)


def _slope(page: Page) -> str:
    share, ratio = page.prevalence, page.ratio
    if not 0 < share < 1 or not 0 < ratio < float("inf"):
        return "equal cost"
    return f"equal cost, slope {(1 - share) / share / ratio:.3g}"


# ---- behind ----


def _behind(page: Page) -> Markup:
    rows = []
    for model in sorted(page.models, key=lambda one: one is not page.model)[:8]:
        kept = sorted({*_spread(model["hull"], 16), *([model["point"]] if model["point"] is not None else [])})
        for row in kept:
            fpr, tpr = page.rate(model, row)
            threshold = "flag nobody" if row == 0 else tick_text(model["thresholds"][row])
            rows.append(
                (shortened(model["name"]), threshold, f"{fpr:.4f}", f"{tpr:.4f}", model["tp"][row], model["fp"][row])
            )
    return shown_table(("model", "threshold", "FPR", "TPR", "TP", "FP"), rows)


def _spread(rows: Any, most: int) -> list[int]:
    """Some of the rows, evenly."""
    rows = list(rows)
    return rows if len(rows) <= most else [rows[round(i * (len(rows) - 1) / (most - 1))] for i in range(most)]


# ---- other states ----


def _one_class(page: Page) -> Markup:
    positives, negatives = page.totals
    drawing = page.drawing
    present = "positive" if positives else "negative"
    missing = "negative" if positives else "positive"
    many = int(positives + negatives)
    reading = join(
        [
            tag("b", f"All {many:,} {drawing['units']} are {present}."),
            " What needs both classes is left open, not set to 0.",
        ]
    )
    found = {row["name"]: row for row in page.evaluation["measures"]}
    still = found.get("recall" if positives else "specificity")
    lines: list[Any] = [tag("b", f"No {missing} case in these data.")]
    if still is not None and still["value"] is not None:
        lines.append(f"{still['title']} {with_limits(still)} is defined.".capitalize())
    label = page.document["data"]["labels"]["positive"]
    lines.append(join(["Was the positive label meant: ", tag("bdi", shortened(label)), "?"]))
    axes = [
        *FRAME.axes("false positive rate", "true positive rate"),
        tag("path", class_="chance", d=FRAME.path([(0, 0), (1, 1)])),
    ]
    panel = tag("div", *(tag("p", line) for line in lines), class_="panel over")
    return view("roc", "ROC, hull and cost line", reading, [FRAME.picture(labelled("roc"), axes), panel])


def _labels_only(page: Page) -> Markup:
    """One point with both whiskers and a thin chord: a curve is not there."""
    from rocscope.table import Counts

    model, f = page.models[0], FRAME
    counts = Counts.of([model["points"][cell] for cell in ("tp", "fp", "fn", "tn")])
    level = page.drawing["level"]
    tpr, fpr = (counts.estimate(name, level=level) for name in ("recall", "fpr"))
    reading = rich(
        [*templates.fill("roc_labels"), " Threshold, cost line and PR are off; matrix and measures work."], {}
    )
    layers: list[Any] = [
        *f.axes("false positive rate", "true positive rate"),
        tag("path", class_="chance", d=f.path([(0, 0), (1, 1)])),
    ]
    if tpr.value == tpr.value and fpr.value == fpr.value:
        x, y = f.x(fpr.value), f.y(tpr.value)
        chord = f.path([(0, 0), (fpr.value, tpr.value), (1, 1)])
        cross = f"M{f.x(fpr.low):.1f},{y:.1f}H{f.x(fpr.high):.1f}M{x:.1f},{f.y(tpr.low):.1f}V{f.y(tpr.high):.1f}"
        layers += [
            tag("path", class_="chord", data_m=1, d=chord),
            tag("path", class_="cross", data_m=1, d=cross),
            tag("circle", class_="point", data_m=1, cx=x, cy=y, r=5),
            tag("text", shortened(model["name"]), class_="strong halo", x=x + 14, y=y + 16),
            tag("text", f"recall {tpr}", class_="halo", x=x + 14, y=y + 33),
            tag("text", f"FPR {fpr}", class_="halo", x=x + 14, y=y + 50),
        ]
    return view("roc", "ROC", reading, f.picture(labelled("roc"), layers))
