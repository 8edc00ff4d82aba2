"""Calibration: observed against predicted, in bins with Wilson's bars."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rocscope.report.html.axes import SvgAxes, label
from rocscope.report.html.html_page import labelled, shown_table, view
from rocscope.report.html.markup import Markup, rich, rich_lines, shortened, tag
from rocscope.report.html.state import Page
from rocscope.text import with_limits
from rocscope.verdicts import fill

AXES = SvgAxes(378, 330)
TALLEST = 34.0  # height in pixels of the tallest bar


def calibration(page: Page) -> Markup | None:
    """The view; a sentence if the scores are not probabilities."""
    if not page.both:
        return None
    data = page.model["calibration"]
    if data is None:
        return view("calibration", "Calibration", rich(fill("calibration_none"), {}), None)
    observed = f"observed frequency of {shortened(page.drawing['positive'])}"
    picture = _picture(data["bins"], observed, page.model["slot"], _others(page))
    return view("calibration", "Calibration", _reading(page, data), picture, _behind(data["bins"]))


def top_label(page: Page, rows: Sequence[Mapping[str, Any]]) -> Markup | None:
    """The view for several classes: how often the predicted class is right, by probability; `rows` are the numbers."""
    bins = page.drawing.get("reliability")
    if not bins:
        return None
    sentence = "; ".join(f"{row['title']}: {with_limits(row)}" for row in rows)
    picture = _picture(bins, "share predicted correctly", 1, [])
    return view("calibration", "Calibration of the predicted class", f"{sentence}.", picture, _behind(bins))


def lines(curves: Sequence[tuple[str, int, Sequence[Mapping[str, Any]]]]) -> Markup:
    """Several lines in one picture: name, color and bins of each.

    Those without a color are faint and unnamed.
    """
    layers = [*AXES.axes("predicted probability", "observed frequency"), AXES.chance()]
    for _, slot, bins in reversed(curves):
        line = [(row["mean"], row["observed"]) for row in bins if row["count"]]
        layers.append(AXES.line(line, "curve" if slot else "curve faint", slot))
    for index, (name, slot) in enumerate((name, slot) for name, slot, _ in curves if slot):
        at = AXES.y(1) + 14 + 16 * index
        layers.append(label(shortened(name, 16), AXES.x(0) + 10, at, "name halo", slot))
    return AXES.picture(labelled("class-lines"), layers)


def _picture(rows: Sequence[Mapping[str, Any]], observed: str, slot: int, rest: Sequence[Markup]) -> Markup:
    bins = [row for row in rows if row["count"]]
    line = [(row["mean"], row["observed"]) for row in bins]
    layers = [
        *AXES.axes("predicted probability", observed),
        AXES.chance(),
        *_bars(bins),
        *rest,
        AXES.line(line, "curve chosen", slot),
        *(AXES.upright(row["mean"], row["low95"], row["high95"], slot) for row in bins),
        *(AXES.dot(point, "point", slot, 3.6) for point in line),
        label("bars: number of cases", AXES.x(1), AXES.y(0) - 6, "halo", anchor="end"),
    ]
    return AXES.picture(labelled("calibration"), layers)


def _behind(bins: Sequence[Mapping[str, Any]]) -> Markup:
    rows = [
        (f"{row['low']:g} to {row['high']:g}", _three(row["mean"]), _three(row["observed"]),
         "–" if row["low95"] is None else f"[{row['low95']:.3f}, {row['high95']:.3f}]", row["count"])
        for row in bins
    ]  # fmt: skip
    return shown_table(("score", "mean", "observed", "interval", "cases"), rows)


def _others(page: Page) -> list[Markup]:
    """The lines of the other models, without bars; the page names them."""
    marks = []
    for model in page.named[1:]:
        bins = (model["calibration"] or {}).get("bins", ())
        line = [(row["mean"], row["observed"]) for row in bins if row["count"]]
        marks.append(AXES.line(line, "curve", model["slot"]))
        if line:
            x, y = AXES.at(line[-1])
            marks.append(label(shortened(model["name"], 16), x - 4, y + 14, "name halo", model["slot"], anchor="end"))
    return marks


def _three(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"


def _bars(bins: Sequence[Mapping[str, Any]]) -> list[Markup]:
    most = max((entry["count"] for entry in bins), default=1)
    marks = []
    for row in bins:
        height, left, right = TALLEST * row["count"] / most, AXES.x(row["low"]), AXES.x(row["high"])
        size = {"width": max(1.0, right - left - 1), "y": AXES.y(0) - height, "height": height}
        marks.append(tag("rect", class_="bars", x=left, **size))
    return marks


def _reading(page: Page, data: Mapping[str, Any]) -> Markup:
    """Two diagnoses, each from its interval: the slope, if the ranking is better than chance, and the mean."""
    slope, auc, brier = data["slope"], page.area("auc"), page.area("brier")
    sentences = []
    if slope["value"] is not None:
        known = slope["low"] is not None and auc is not None and (auc["low"] or 0.0) > 0.5
        extreme, moderate = known and slope["high"] < 1, known and slope["low"] > 1
        name = "extreme" if extreme else "moderate" if moderate else "slope"
        sentences.append(fill(f"calibration_{name}", slope=slope))
    shift = data["in_the_large"]
    if not page.rebased and shift["low"] is not None and not shift["low"] <= 0 <= shift["high"]:
        sentences.append(fill(f"calibration_{'low' if shift['low'] > 0 else 'high'}", shift=shift))
    if brier is not None:
        sentences.append(fill("calibration_brier", brier=brier))
    return rich_lines(sentences, page.slots)
