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
TALLEST = 34.0  # pixels of the bar with most cases


def calibration(page: Page) -> Markup | None:
    """The view; a sentence where the scores are not probabilities."""
    if not page.both:
        return None
    found = page.model["calibration"]
    if found is None:
        return view("calibration", "Calibration", rich(fill("calibration_none"), {}), None)
    observed = f"observed frequency of {shortened(page.drawing['positive'])}"
    picture = _picture(found["bins"], observed, page.model["slot"], _others(page))
    return view("calibration", "Calibration", _reading(page, found), picture, _behind(found["bins"]))


def top_label(page: Page, rows: Sequence[Mapping[str, Any]]) -> Markup | None:
    """Of several classes: how often the predicted class is right, by its probability; `rows` are the numbers."""
    bins = page.drawing.get("reliability")
    if not bins:
        return None
    said = "; ".join(f"{one['title']}: {with_limits(one)}" for one in rows)
    picture = _picture(bins, "share predicted correctly", 1, [])
    return view("calibration", "Calibration of the predicted class", f"{said}.", picture, _behind(bins))


def lines(curves: Sequence[tuple[str, int, Sequence[Mapping[str, Any]]]]) -> Markup:
    """Several lines in one picture: name, color and bins of each; those without a color are faint and have no name."""
    layers = [*AXES.axes("predicted probability", "observed frequency"), AXES.chance()]
    for _, slot, bins in reversed(curves):
        line = [(one["mean"], one["observed"]) for one in bins if one["count"]]
        layers.append(AXES.line(line, "curve" if slot else "curve faint", slot))
    for place, (name, slot) in enumerate((name, slot) for name, slot, _ in curves if slot):
        at = AXES.y(1) + 14 + 16 * place
        layers.append(label(shortened(name, 16), AXES.x(0) + 10, at, "name halo", slot))
    return AXES.picture(labelled("class-lines"), layers)


def _picture(found: Sequence[Mapping[str, Any]], observed: str, slot: int, others: Sequence[Markup]) -> Markup:
    bins = [one for one in found if one["count"]]
    line = [(one["mean"], one["observed"]) for one in bins]
    layers = [
        *AXES.axes("predicted probability", observed),
        AXES.chance(),
        *_bars(bins),
        *others,
        AXES.line(line, "curve chosen", slot),
        *(AXES.upright(one["mean"], one["low95"], one["high95"], slot) for one in bins),
        *(AXES.dot(point, "point", slot, 3.6) for point in line),
        label("bars: number of cases", AXES.x(1), AXES.y(0) - 6, "halo", anchor="end"),
    ]
    return AXES.picture(labelled("calibration"), layers)


def _behind(bins: Sequence[Mapping[str, Any]]) -> Markup:
    rows = [
        (f"{one['low']:g} to {one['high']:g}", _three(one["mean"]), _three(one["observed"]),
         "–" if one["low95"] is None else f"[{one['low95']:.3f}, {one['high95']:.3f}]", one["count"])
        for one in bins
    ]  # fmt: skip
    return shown_table(("score", "mean", "observed", "interval", "cases"), rows)


def _others(page: Page) -> list[Markup]:
    """The lines of the other models, without bars; the page names them."""
    found = []
    for model in page.named[1:]:
        bins = (model["calibration"] or {}).get("bins", ())
        line = [(one["mean"], one["observed"]) for one in bins if one["count"]]
        found.append(AXES.line(line, "curve", model["slot"]))
        if line:
            x, y = AXES.at(line[-1])
            found.append(label(shortened(model["name"], 16), x - 4, y + 14, "name halo", model["slot"], anchor="end"))
    return found


def _three(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"


def _bars(bins: Sequence[Mapping[str, Any]]) -> list[Markup]:
    most = max((one["count"] for one in bins), default=1)
    found = []
    for one in bins:
        height, left, right = TALLEST * one["count"] / most, AXES.x(one["low"]), AXES.x(one["high"])
        size = {"width": max(1.0, right - left - 1), "y": AXES.y(0) - height, "height": height}
        found.append(tag("rect", class_="bars", x=left, **size))
    return found


def _reading(page: Page, found: Mapping[str, Any]) -> Markup:
    """Two diagnoses, each from its interval: the slope, where the ranking is better than chance, and the mean."""
    slope, auc, brier = found["slope"], page.area("auc"), page.area("brier")
    said = []
    if slope["value"] is not None:
        known = slope["low"] is not None and auc is not None and (auc["low"] or 0.0) > 0.5
        extreme, moderate = known and slope["high"] < 1, known and slope["low"] > 1
        name = "extreme" if extreme else "moderate" if moderate else "slope"
        said.append(fill(f"calibration_{name}", slope=slope))
    shift = found["in_the_large"]
    if not page.rebased and shift["low"] is not None and not shift["low"] <= 0 <= shift["high"]:
        said.append(fill(f"calibration_{'low' if shift['low'] > 0 else 'high'}", shift=shift))
    if brier is not None:
        said.append(fill("calibration_brier", brier=brier))
    return rich_lines(said, page.slots)
