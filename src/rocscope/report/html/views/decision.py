"""The decision curve: net true positives per 1,000 cases against the threshold probability."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

from rocscope.report.html.axes import SvgAxes, label, ticks
from rocscope.report.html.html_page import labelled, shown_table, view
from rocscope.report.html.markup import Markup, join, rich, shortened, tag
from rocscope.report.html.state import Model, Page
from rocscope.report.html.views.roc import model_lines, row_at
from rocscope.text import percentage
from rocscope.verdicts import fill

RISK = 0.5  # largest threshold probability on the decision curve
RISKS = (0.01, 0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5)  # threshold probabilities in the table
LETTER = 6.0  # width of a small letter of 12 pixels, at most
Lines = Mapping[str, list[tuple[float, float]]]


def decision(page: Page) -> Markup | None:
    """The view, if the scores are probabilities."""
    if not page.both or not page.drawing["probabilities"]:
        return None
    lines = {model["name"]: net_benefits(page, model) for model in page.models}
    top = 1000 * page.prevalence
    named = page.named if len(page.models) > 1 else ()
    f = SvgAxes(378, 330, right=98.0 if named else 16.0, low=(0.0, -0.15 * top), high=(RISK, top * 1.02))
    layers = [
        *f.axes("threshold probability: act above this risk", "net true positives per 1,000",
                x_at=(0, 0.1, 0.2, 0.3, 0.4, 0.5), y_at=ticks(0, top),
                x_text=lambda x: "0" if x == 0 else percentage(x)),
        f.line([(0, 0), (RISK, 0)], "flat"),
        *_flag_all(page, f, lines),
        *model_lines(page, f, {name: [(x, max(f.low[1], y)) for x, y in line] for name, line in lines.items()}),
        *_end_names(page, lines, f),
        *_risk_line(page, f),
    ]  # fmt: skip
    shown = page.models[:8]
    rows = [
        (percentage(risk), *(f"{_near(lines[model['name']], risk):.1f}" for model in shown), f"{_all(page, risk):.1f}")
        for risk in RISKS
    ]
    behind = shown_table(("threshold probability", *(shortened(model["name"]) for model in shown), "flag all"), rows)
    return view("decision", "Decision curve", _reading(page), f.picture(labelled("decision"), layers), behind)


def odds(risk: float) -> float:
    """The odds p / (1 - p)."""
    return risk / (1 - risk) if risk < 1 else math.inf


def net_benefits(page: Page, model: Model) -> list[tuple[float, float]]:
    """(risk, net true positives per 1,000) for decisions by the stated probability."""
    return [(risk, _net(page, model, risk)) for risk in (RISK * step / 100 for step in range(101))]


def _net(page: Page, model: Model, risk: float) -> float:
    """Net true positives per 1,000 if all cases at or above a risk are flagged."""
    share = page.prevalence
    fpr, tpr = page.rate(model, row_at(model, risk, ">=")) if risk else (1.0, 1.0)
    net = 1000 * (share * tpr - (1 - share) * fpr * odds(risk))
    return 0.0 if abs(net) < 1e-9 else net  # what rounding leaves of a difference of equal terms


def _all(page: Page, risk: float) -> float:
    """The net benefit of flagging all cases."""
    return 1000 * (page.prevalence - (1 - page.prevalence) * odds(risk))


def _flag_all(page: Page, f: SvgAxes, lines: Lines) -> list[Markup]:
    """The line of flagging all, and its name where neither a curve nor the line of the costs crosses it."""
    line = [(x, y) for x, y in ((step / 200, _all(page, step / 200)) for step in range(101)) if y >= f.low[1]]
    if not line:
        return []
    drawn = [[(0.0, 0.0), (RISK, 0.0)], *(lines[model["name"]] for model in page.named)]
    risk = _marked_risk(page)
    if risk is not None:
        drawn.append([(risk, f.low[1]), (risk, f.high[1])])
    lower = reversed(line[len(line) // 3 :])  # from the bottom up: the models are further away there
    heights = [(f.x(x), f.y(y) + 2) for x, y in lower]
    spots = [("flag all", x + 5, y) for x, y in heights]
    if risk is not None:
        spots += [("← flag all", f.x(risk) + 5, y) for x, y in heights if x < f.x(risk)]
    free = next((spot for spot in spots if not any(_crossed(f, other, *spot) for other in drawn)), None)
    return [f.line(line, "flat"), *([label(*free)] if free else [])]


def _crossed(f: SvgAxes, line: Sequence[tuple[float, float]], words: str, x: float, y: float) -> bool:
    """Whether a line crosses words at this position, or whether they leave the frame."""
    left, right, top, bottom = x - 1, x + LETTER * len(words), y - 10, y + 3
    if bottom > f.y(f.low[1]) or top < f.y(f.high[1]):
        return True
    return any(
        max(a[0], b[0]) >= left and min(a[0], b[0]) <= right and max(a[1], b[1]) >= top and min(a[1], b[1]) <= bottom
        for a, b in pairwise([f.at(point) for point in line])
    )


def _near(line: list[tuple[float, float]], risk: float) -> float:
    return min(line, key=lambda point: abs(point[0] - risk))[1]


def _end_names(page: Page, lines: Lines, f: SvgAxes) -> list[Markup]:
    """The names at the right ends of the curves, and of flagging nobody; one model needs no name."""
    if len(page.models) < 2:
        return [label("flag nobody", f.x(RISK) - 5, f.y(0) + 13, anchor="end")]
    ends = [(lines[model["name"]][-1][1], model) for model in page.named]
    rows: list[tuple[float, Model | None]] = [*ends, (0.0, None)]
    names, taken = [], list[float]()
    for net, model in sorted(rows, key=lambda row: (row[1] is not page.model, -row[0])):
        y = f.y(net) + 4
        while any(abs(y - other) < 13 for other in taken):
            y += 3
        if y <= f.y(f.low[1]) + 4:
            taken.append(y)
            look = "name strong halo" if model is page.model else "name halo" if model else "halo"
            words = shortened(model["name"], 12) if model else "flag nobody"
            names.append(label(words, f.x(RISK) + 5, y, look, model["slot"] if model else None))
    return names


def _marked_risk(page: Page) -> float | None:
    """The threshold probability that the costs imply, if it is drawn."""
    risk = 1 / (1 + page.ratio)
    return None if risk > RISK or page.own_costs or not page.drawing["state"].get("priced") else risk


def _risk_line(page: Page, f: SvgAxes) -> list[Markup]:
    risk = _marked_risk(page)
    if risk is None:
        return []
    x, top = f.x(risk), f.y(f.high[1])
    words = "".join(fill("decision_line", ratio=page.ratio, risk=risk))
    at, anchor = (x + 6, "start") if risk < 0.28 else (x - 6, "end")
    point = risk, max(f.low[1], _net(page, page.model, risk))
    return [
        tag("path", class_="cost", d=f"M{x:.1f},{top:.1f}V{f.y(f.low[1]):.1f}"),
        label(words, at, top + 10, "ink halo", anchor=anchor),
        f.dot(point, "point", page.model["slot"], 5),
    ]


def _reading(page: Page) -> Markup:
    risk = 1 / (1 + page.ratio)
    net, everybody = _net(page, page.model, risk), _all(page, risk)
    other: tuple[str, Any] = ("flagging all", everybody) if everybody > 0 else ("flagging all or none", "0 or less")
    words = fill("decision", net=net, per=1000, other=other[0], rest=other[1])
    if page.own_costs:
        words = fill("decision_own", unit=page.drawing["unit"])
    reading: list[Any] = [rich(words, {})]
    slope = (page.model["calibration"] or {}).get("slope") or {}
    if slope.get("value") is not None and not 0.8 <= slope["value"] <= 1.25:
        reading.append(" Net benefit uses the probabilities as given; see Calibration.")
    return join(reading)
