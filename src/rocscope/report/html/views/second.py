"""Second opinions: precision and recall, calibration, the decision curve."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from rocscope.report.html.axes import Frame, ticks
from rocscope.report.html.markup import Markup, join, rich, shortened, tag
from rocscope.report.html.parts import labelled, shown_table, view
from rocscope.report.html.state import Model, Page
from rocscope.text import percentage
from rocscope.verdicts import templates

FRAME = Frame(378, 330)
RISK = 0.5  # the largest risk on the decision curve


# ---- precision and recall ----


def precision_recall(page: Page) -> Markup | None:
    """The PR curve at the prevalence that is set, exact between the points."""
    if not page.both:
        return None
    f, chosen = FRAME, page.model
    base = page.prevalence
    layers: list[Any] = [*f.axes("recall", "precision")]
    layers.append(tag("path", class_="chance", d=f.path([(0, base), (1, base)])))
    layers.append(
        tag(
            "text",
            f"flag at random: {percentage(base)}",
            x=f.x(0) + 4,
            y=f.y(base) - 5 if base < 0.9 else f.y(base) + 14,
        )
    )
    lines = {model["name"]: pr_points(page, model) for model in page.models}
    for model in [*(one for one in page.models if one is not chosen), chosen]:
        faint = len(page.models) > 5 and not model["slot"]
        look = "curve chosen" if model is chosen else "curve faint" if faint else "curve"
        layers.append(tag("path", class_=look, data_m=model["slot"], d=f.path(lines[model["name"]])))
    layers += _names(page, lines)
    layers += _mark(page, _pr_at(page, chosen))
    return view("pr", "Precision and recall", _pr_reading(page), f.picture(labelled("pr"), layers), _pr_table(page))


def pr_points(page: Page, model: Model) -> list[tuple[float, float]]:
    """(recall, precision) of the rows, with points between where the exact curve bends.

    Between two thresholds precision is TP / (TP + FP) with both running evenly: no straight line.
    """
    positives, negatives = page.totals
    share = page.prevalence
    odds = share / (1 - share) * negatives / positives if 0 < share < 1 else 0.0
    found: list[tuple[float, float]] = []
    last: tuple[float, float] | None = None
    for tp, fp in zip(model["tp"], model["fp"], strict=True):
        if tp + fp == 0:
            continue
        steps = 1
        if last is not None and tp - last[0] > 0.02 * positives and fp > last[1]:
            steps = 6
        for step in range(1, steps + 1):
            t = tp if last is None else last[0] + (tp - last[0]) * step / steps
            x = fp if last is None else last[1] + (fp - last[1]) * step / steps
            found.append((t / positives, t * odds / (t * odds + x) if t * odds + x else 0.0))
        last = (float(tp), float(fp))
    return found


def _pr_at(page: Page, model: Model) -> tuple[float, float] | None:
    if model["point"] is None or not page.cells:
        return None
    per = page.per_thousand
    flagged = per["tp"] + per["fp"]
    return (per["tp"] / (per["tp"] + per["fn"]), per["tp"] / flagged) if flagged else None


def _mark(page: Page, at: tuple[float, float] | None, frame: Frame = FRAME) -> list[Markup]:
    if at is None:
        return []
    x, y, slot = frame.x(at[0]), frame.y(at[1]), page.model["slot"]
    hair = f"M{x:.1f},{frame.y(frame.low[1]):.1f}V{y:.1f}H{frame.x(frame.low[0]):.1f}"
    return [
        tag("path", class_="reach", data_m=slot, d=hair),
        tag("circle", class_="point", data_m=slot, cx=x, cy=y, r=5.5),
    ]


def _names(page: Page, lines: Mapping[str, list[tuple[float, float]]]) -> list[Markup]:
    """Names on the curves themselves, where they are apart; no box of a legend."""
    if len(page.models) == 1:
        return []
    found: list[Markup] = []
    taken: list[tuple[float, float]] = []
    shown = [
        page.model,
        *(one for one in page.models if one is not page.model and (one["slot"] or len(page.models) <= 5)),
    ][:6]
    for place, model in enumerate(shown):
        points = lines[model["name"]]
        for want in (0.62, 0.3, 0.45, 0.2, 0.75, 0.1):
            at = min(points, key=lambda one: abs(one[0] - want), default=None)
            if at is None:
                break
            # the chosen one to the right above its curve, the others to the left below theirs
            x, y = (FRAME.x(at[0]) + 8, FRAME.y(at[1]) - 6) if place == 0 else (FRAME.x(at[0]) - 8, FRAME.y(at[1]) + 14)
            free = all(abs(y - b) > 14 or abs(x - a) > 90 for a, b in taken)
            if free and FRAME.y(1) < y < FRAME.y(0) - 4 and (place == 0 or x > 100):
                taken.append((x, y))
                look = "name strong halo" if place == 0 else "name halo"
                found.append(tag("text", shortened(model["name"], 16), class_=look, data_m=model["slot"], x=x, y=y,
                                 text_anchor=None if place == 0 else "end"))  # fmt: skip
                break
    return found


def _pr_reading(page: Page) -> Markup:
    said = []
    at = _pr_at(page, page.model)
    if at is not None:
        said.append(templates.fill("pr", precision=at[1], share=page.prevalence, positive=page.drawing["positive"]))
    area = next((row for row in page.model["areas"] if row["name"] == "average_precision"), None)
    if area is not None and area["value"] is not None and page.model["pr_area"] is not None:
        said.append(templates.fill("pr_areas", ap=area, area=page.model["pr_area"]))
    return join([rich(one, page.slots), " "] for one in said)


def _pr_table(page: Page) -> Markup:
    rows = []
    for model in page.models[:8]:
        kept = _some(model["hull"][1:], 16)
        for row in kept:
            fpr, tpr = page.rate(model, row)
            share = page.prevalence
            flagged = share * tpr + (1 - share) * fpr
            rows.append(
                (
                    shortened(model["name"]),
                    f"{model['thresholds'][row]:.6g}",
                    f"{tpr:.4f}",
                    f"{share * tpr / flagged:.4f}" if flagged else "–",
                )
            )
    return shown_table(("model", "threshold", "recall", "precision"), rows)


def _some(rows: Any, most: int) -> list[int]:
    rows = list(rows)
    return rows if len(rows) <= most else [rows[round(i * (len(rows) - 1) / (most - 1))] for i in range(most)]


# ---- calibration ----


def calibration(page: Page) -> Markup | None:
    """Observed against predicted, in bins with Wilson's bars."""
    if not page.both:
        return None
    found = page.model["calibration"]
    if found is None:
        return view("calibration", "Calibration", rich(templates.fill("calibration_none"), {}), None)
    f, bins = FRAME, [one for one in found["bins"] if one["count"]]
    slot = page.model["slot"]
    layers: list[Any] = [*f.axes("predicted probability", "observed frequency")]
    layers.append(tag("path", class_="chance", d=f.path([(0, 0), (1, 1)])))
    layers += _bars(bins)
    layers.append(
        tag("path", class_="curve chosen", data_m=slot, d=f.path([(one["mean"], one["observed"]) for one in bins]))
    )
    for one in bins:
        x = f.x(one["mean"])
        layers.append(
            tag("path", class_="whisker", data_m=slot, d=f"M{x:.1f},{f.y(one['low95']):.1f}V{f.y(one['high95']):.1f}")
        )
        layers.append(tag("circle", class_="point", data_m=slot, cx=x, cy=f.y(one["observed"]), r=3.6))
    layers.append(tag("text", "bars: cases at each score", class_="halo", x=f.x(1), y=f.y(0) - 6, text_anchor="end"))
    rows = [
        (
            f"{one['low']:g} to {one['high']:g}",
            _or_dash(one["mean"]),
            _or_dash(one["observed"]),
            _limits(one),
            one["count"],
        )
        for one in found["bins"]
    ]
    behind = shown_table(("score", "mean", "observed", "interval", "cases"), rows)
    return view(
        "calibration",
        "Calibration",
        _calibration_reading(page, found),
        f.picture(labelled("calibration"), layers),
        behind,
    )


def _or_dash(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"


def _limits(one: Mapping[str, Any]) -> str:
    return "–" if one["low95"] is None else f"[{one['low95']:.3f}, {one['high95']:.3f}]"


def _bars(bins: list[Mapping[str, Any]]) -> list[Markup]:
    most = max((one["count"] for one in bins), default=1)
    f = FRAME
    found = []
    for one in bins:
        height = 34 * one["count"] / most
        left, right = f.x(one["low"]), f.x(one["high"])
        found.append(
            tag("rect", class_="bars", x=left, width=max(1.0, right - left - 1), y=f.y(0) - height, height=height)
        )
    return found


def _calibration_reading(page: Page, found: Mapping[str, Any]) -> Markup:
    """One diagnosis, from the slope and its interval, where the ranking is better than chance."""
    slope, areas = found["slope"], {row["name"]: row for row in page.model["areas"]}
    said = []
    if slope["value"] is not None:
        known = slope["low"] is not None and (areas["auc"]["low"] or 0.0) > 0.5
        extreme, moderate = known and slope["high"] < 1, known and slope["low"] > 1
        name = "extreme" if extreme else "moderate" if moderate else "slope"
        said.append(templates.fill(f"calibration_{name}", slope=slope))
    if "brier" in areas:
        said.append(templates.fill("calibration_brier", brier=areas["brier"]))
    return join([rich(one, page.slots), " "] for one in said)


# ---- decision curve ----


def decision(page: Page) -> Markup | None:
    """Net true positives per 1,000 against the risk at which one acts."""
    if not page.both or not page.drawing["probabilities"]:
        return None
    share = page.prevalence
    lines = {model["name"]: net_benefits(page, model) for model in page.models}
    top = 1000 * share
    low = -0.15 * top
    f = Frame(378, 330, low=(0.0, low), high=(RISK, top * 1.02))
    axes = f.axes(
        "risk at which you act", "net true positives per 1,000", x_at=(0, 0.1, 0.2, 0.3, 0.4, 0.5), y_at=ticks(0, top),
        x_text=lambda x: "0" if x == 0 else percentage(x),
    )  # fmt: skip
    layers: list[Any] = [
        *axes,
        tag("path", class_="flat", d=f.path([(0, 0), (RISK, 0)])),
        tag("text", "flag nobody", x=f.x(0.27), y=f.y(0) + 14),
    ]
    everybody = [
        (x, y)
        for x, y in ((step / 200, 1000 * (share - (1 - share) * odds(step / 200))) for step in range(101))
        if y >= low
    ]
    layers.append(tag("path", class_="flat", d=f.path(everybody)))
    if everybody:
        x, y = everybody[len(everybody) * 2 // 3]
        layers.append(tag("text", "flag all", x=f.x(x) + 6, y=f.y(y) + 2))
    for model in [*(one for one in page.models if one is not page.model), page.model]:
        faint = len(page.models) > 5 and not model["slot"]
        look = "curve chosen" if model is page.model else "curve faint" if faint else "curve"
        layers.append(
            tag(
                "path", class_=look, data_m=model["slot"], d=f.path([(x, max(low, y)) for x, y in lines[model["name"]]])
            )
        )
    layers += _end_names(page, lines, f)
    layers += _risk_line(page, lines, f)
    rows = [
        (
            percentage(risk),
            *(f"{_near(lines[model['name']], risk):.1f}" for model in page.models[:8]),
            f"{1000 * (share - (1 - share) * odds(risk)):.1f}",
        )
        for risk in (0.01, 0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5)
    ]
    heads = ("risk", *(shortened(model["name"]) for model in page.models[:8]), "flag all")
    return view(
        "decision",
        "Decision curve",
        _decision_reading(page, lines),
        f.picture(labelled("decision"), layers),
        shown_table(heads, rows),
    )


def odds(risk: float) -> float:
    """p / (1 - p)."""
    return risk / (1 - risk) if risk < 1 else math.inf


def net_benefits(page: Page, model: Model) -> list[tuple[float, float]]:
    """(risk, net true positives per 1,000) when one acts on the probability as it is given."""
    from rocscope.report.html.views.roc import row_at

    share = page.prevalence
    found = []
    for step in range(101):
        risk = RISK * step / 100
        fpr, tpr = page.rate(model, row_at(model, risk, ">=")) if risk else (1.0, 1.0)
        found.append((risk, 1000 * (share * tpr - (1 - share) * fpr * odds(risk))))
    return found


def _near(line: list[tuple[float, float]], risk: float) -> float:
    return min(line, key=lambda one: abs(one[0] - risk))[1]


def _end_names(page: Page, lines: Mapping[str, list[tuple[float, float]]], f: Frame) -> list[Markup]:
    if len(page.models) == 1:
        return []
    found = []
    taken: list[float] = []
    for model in sorted(page.models, key=lambda one: (one is not page.model, -lines[one["name"]][-1][1])):
        if not model["slot"] and len(page.models) > 5:
            continue
        y = f.y(lines[model["name"]][-1][1]) - 8
        while any(abs(y - other) < 13 for other in taken):
            y += 3
        if y > f.y(f.low[1]) + 4:
            continue
        taken.append(y)
        look = "name strong halo" if model is page.model else "name halo"
        found.append(
            tag(
                "text",
                shortened(model["name"], 16),
                class_=look,
                data_m=model["slot"],
                x=f.x(RISK),
                y=y,
                text_anchor="end",
            )
        )
    return found


def _risk_line(page: Page, lines: Mapping[str, list[tuple[float, float]]], f: Frame) -> list[Markup]:
    risk = 1 / (1 + page.ratio)
    if risk > RISK or not page.drawing["state"].get("priced"):
        return []
    x = f.x(risk)
    words = "".join(templates.fill("decision_line", ratio=page.ratio, risk=risk))
    return [
        tag("path", class_="cost", d=f"M{x:.1f},{f.y(f.high[1]):.1f}V{f.y(f.low[1]):.1f}"),
        tag(
            "text",
            words,
            class_="ink halo",
            x=x + 6 if risk < 0.28 else x - 6,
            y=f.y(f.high[1]) + 10,
            text_anchor="start" if risk < 0.28 else "end",
        ),
        tag(
            "circle",
            class_="point",
            data_m=page.model["slot"],
            cx=x,
            cy=f.y(max(f.low[1], _near(lines[page.model["name"]], risk))),
            r=5,
        ),
    ]


def _decision_reading(page: Page, lines: Mapping[str, list[tuple[float, float]]]) -> Markup:
    risk = 1 / (1 + page.ratio)
    net = _near(lines[page.model["name"]], risk)
    share = page.prevalence
    everybody = 1000 * (share - (1 - share) * odds(risk))
    other: tuple[str, Any] = ("flagging all", everybody) if everybody > 0 else ("flagging all or none", "0 or less")
    said: list[Any] = [rich(templates.fill("decision", net=net, per=1000, other=other[0], rest=other[1]), {})]
    slope = (page.model["calibration"] or {}).get("slope") or {}
    if slope.get("value") is not None and not 0.8 <= slope["value"] <= 1.25:
        said.append(" It acts on the probability as given: see calibration.")
    return join(said)
