"""Scales, axes and marks of the drawings, with presentation attributes only because the page's policy forbids
style="".
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from typing import Any, TypeVar

from rocscope.record import record
from rocscope.report.html.markup import Markup, number, shortened, tag
from rocscope.text import tick_text

Points = Sequence[tuple[float, float]]
One = TypeVar("One")
QUARTERS = (0.0, 0.25, 0.5, 0.75, 1.0)
KEY_LINE = 18.0  # line height of a legend, in pixels


@record
class SvgAxes:
    """The drawing area in pixels, and the quantities on its axes."""

    width: float
    height: float
    left: float = 36.0
    right: float = 8.0
    top: float = 22.0
    bottom: float = 40.0
    low: tuple[float, float] = (0.0, 0.0)
    high: tuple[float, float] = (1.0, 1.0)

    def x(self, value: float) -> float:
        """The horizontal position in pixels."""
        run = (self.high[0] - self.low[0]) or 1.0
        return self.left + (value - self.low[0]) / run * (self.width - self.left - self.right)

    def y(self, value: float) -> float:
        """The vertical position in pixels."""
        rise = (self.high[1] - self.low[1]) or 1.0
        return self.height - self.bottom - (value - self.low[1]) / rise * (self.height - self.top - self.bottom)

    def at(self, point: tuple[float, float]) -> tuple[float, float]:
        """The pixels of a point."""
        return self.x(point[0]), self.y(point[1])

    def line(self, points: Points, look: str, slot: int | None = None, *, close: bool = False) -> Markup:
        """A line through points, or with `close` the area they enclose."""
        tolerance = 1.6 if " of-" in look else 1.0 if look == "curve faint" else 0.4
        drawn = path([self.at(spot) for spot in points], tolerance)
        return tag("path", class_=look, data_m=slot, d=drawn + ("Z" if close else ""))

    def chance(self) -> Markup:
        """The diagonal: the curve of random scores, or of calibrated probabilities."""
        return self.line([(0, 0), (1, 1)], "chance")

    def band(self, x: Sequence[float], low: Sequence[float], high: Sequence[float], slot: int) -> Markup:
        """The area between two lines."""
        upper, lower = list(zip(x, high, strict=True)), list(zip(x, low, strict=True))
        return self.line([*upper, *lower[::-1]], "band", slot, close=True)

    def dot(self, point: tuple[float, float], look: str, slot: int | None, r: float) -> Markup:
        """A circle at a point."""
        x, y = self.at(point)
        return tag("circle", class_=look, data_m=slot, cx=x, cy=y, r=r)

    def point(self, point: tuple[float, float], slot: int, r: float = 6.0) -> list[Markup]:
        """A point with thin lines to both axes."""
        x, y = self.at(point)
        reach = f"M{x:.1f},{self.y(self.low[1]):.1f}V{y:.1f}H{self.x(self.low[0]):.1f}"
        return [tag("path", class_="reach", data_m=slot, d=reach), self.dot(point, "point", slot, r)]

    def upright(self, x: float, low: float, high: float, slot: int | None = None, *, cap: float = 0.0) -> Markup:
        """A vertical whisker from `low` to `high`."""
        x, low, high = self.x(x), self.y(low), self.y(high)
        d = f"M{x - cap:.1f},{low:.1f}h{2 * cap:g}m-{cap:g},0V{high:.1f}m-{cap:g},0h{2 * cap:g}" if cap else (
            f"M{x:.1f},{low:.1f}V{high:.1f}"
        )  # fmt: skip
        return tag("path", class_="whisker", data_m=slot, d=d)

    def lying(self, y: float, low: float, high: float) -> Markup:
        """A horizontal whisker from `low` to `high`, at a vertical position in pixels."""
        d = f"M{self.x(low):.1f},{y - 4:.1f}v8m0,-4H{self.x(high):.1f}m0,-4v8"
        return tag("path", class_="whisker", d=d)

    def axes(
        self,
        across: str,
        up: str = "",
        *,
        x_at: Iterable[float] = QUARTERS,
        y_at: Iterable[float] = QUARTERS,
        x_text: Callable[[float], str] = tick_text,
    ) -> list[Markup]:
        """Grid, tick texts, and the names of the axes at their ends; without `up`, only the horizontal axis."""
        x_at, y_at = list(x_at), list(y_at) if up else []
        ends = self.x(self.low[0]), self.x(self.high[0]), self.y(self.low[1]), self.y(self.high[1])
        lines = "".join(f"M{number(self.x(x))},{number(ends[3])}V{number(ends[2])}" for x in x_at)
        lines += "".join(f"M{number(ends[0])},{number(self.y(y))}H{number(ends[1])}" for y in y_at)
        marks = [tag("path", class_="grid", d=lines)]
        marks += [label(x_text(x), self.x(x), ends[2] + 16, anchor="middle") for x in x_at]
        marks += [label(tick_text(y), ends[0] - 7, self.y(y) + 4, anchor="end") for y in y_at]
        marks.append(label(f"{across} →", ends[1], ends[2] + 33, "label", anchor="end"))
        return [*marks, label(f"↑ {up}", max(0.0, ends[0] - 30), ends[3] - 9, "label")] if up else marks

    def key_row(
        self, name: str, value: str, y: float, slot: int, *, chosen: bool = False, left: float | None = None,
        right: float | None = None,
    ) -> list[Markup]:  # fmt: skip
        """A line of the key: a sample of the model's line, its name, and its number on the right."""
        look, strong = ("curve chosen", "name strong") if chosen else ("curve", "name")
        left, right = self.x(0.4) if left is None else left, self.x(1) - 4 if right is None else right
        return [
            sample(look, left, y - 4, slot),
            label(shortened(name, 16), left + 36, y, strong, slot),
            label(value, right, y, "ink", anchor="end"),
        ]

    def picture(self, title: str, children: Iterable[Any]) -> Markup:
        """The SVG element: an image named by the title and the reading line of its view."""
        return tag(
            "svg", *children, role="img", aria_labelledby=title, width=self.width, height=self.height,
            viewBox=f"0 0 {number(self.width)} {number(self.height)}",
        )  # fmt: skip


ROC = SvgAxes(440, 470, left=38, top=26)


def roc_space(axes: SvgAxes = ROC, up: str = "true positive rate") -> list[Markup]:
    """The axes of ROC space, and chance."""
    return [*axes.axes("false positive rate", up), axes.chance()]


def label(
    text: Any, x: Any, y: float, look: str | None = None, slot: int | None = None, *, anchor: str | None = None,
    **more: Any,
) -> Markup:  # fmt: skip
    """A text in a drawing, positioned in pixels or as a share of the width."""
    return tag("text", text, class_=look, data_m=slot, x=x, y=y, text_anchor=anchor, **more)


def sample(look: str, left: float, y: float, slot: int | None = None) -> Markup:
    """A short line segment beside its name in a legend."""
    return tag("line", class_=look, data_m=slot, x1=left, x2=left + 28, y1=y, y2=y)


def dash(slot: int) -> Markup:
    """The line of a model, as a sample beside its name in a table."""
    return tag("svg", sample("curve", 0, 4), class_="dash", width=28, height=8, data_m=slot, aria_hidden="true")


def path(points: Points, tolerance: float = 0.4) -> str:
    """A path through pixels, without those within `tolerance` of the line through the others.

    >>> path([(0, 0), (2.5, 2.6), (5, 5)]), path([(0, 0), (4, 0), (4, 7.25), (3, 8)])
    ('M0,0l5,5', 'M0,0h4v7.2l-1,.8')
    """
    finite = [(x, y) for x, y in points if math.isfinite(x) and math.isfinite(y)]
    kept = [finite[corner] for corner in _corners(finite, tolerance)]
    tenths = [(round(10 * x), round(10 * y)) for x, y in kept]
    if not tenths:
        return ""
    steps = [(x - before[0], y - before[1]) for before, (x, y) in pairwise(tenths)]
    first = f"M{_tenths(tenths[0][0])},{_tenths(tenths[0][1])}"
    return first + "".join(_step(x, y) for x, y in steps if x or y)


def _corners(points: Points, tolerance: float) -> list[int]:
    """The positions of the points that a line through them needs (Douglas and Peucker 1973)."""
    kept, parts = {0, len(points) - 1}, [(0, len(points) - 1)]
    while parts:
        start, end = parts.pop()
        far, index = _furthest(points, start, end)
        if far > tolerance:
            kept.add(index)
            parts += [(start, index), (index, end)]
    return sorted(kept) if points else []


def _furthest(points: Points, start: int, end: int) -> tuple[float, int]:
    """The largest distance of a point from the line between two others, and the last point that has it."""
    (ax, ay), (bx, by) = points[start], points[end]
    run, rise = bx - ax, by - ay
    square = math.hypot(run, rise) ** 2
    far, index = 0.0, -1
    for position in range(start + 1, end):  # without a function of its own: most of the time of a report's drawings
        across, up = points[position][0] - ax, points[position][1] - ay
        share = (across * run + up * rise) / square if square else 0.0
        inside = 0.0 if share < 0 else 1.0 if share > 1 else share
        away = math.hypot(across - inside * run, up - inside * rise)
        if away >= far:
            far, index = away, position
    return far, index


def _step(x: int, y: int) -> str:
    """A line segment of the given tenths of a pixel, in its shortest notation."""
    if not y:
        return f"h{_tenths(x)}"
    return f"v{_tenths(y)}" if not x else f"l{_tenths(x)}{'' if y < 0 else ','}{_tenths(y)}"


def _tenths(value: int) -> str:
    return f"{value / 10:g}".replace("0.", ".") if abs(value) < 10 else f"{value / 10:g}"


# ---- whiskers, in percent of the width so that they scale ----


def percent(share: float) -> str:
    """A share of the width, clipped to it.

    >>> percent(0.125), percent(1.5)
    ('12.5%', '100%')
    """
    return f"{number(100 * min(1.0, max(0.0, share)))}%"


def whisker(row: Sequence[float | None], *, slot: int | None = None, shape: str = "") -> Markup:
    """A dot with its whisker, from (low, value, high) on a scale from 0 to 1."""
    low, value, high = row
    lines = []
    if low is not None and high is not None:
        ends = percent(low), percent(high)
        lines = [
            tag("line", class_="whisker", x1=ends[0], x2=ends[1], y1=8, y2=8),
            *(tag("line", class_="whisker", x1=end, x2=end, y1=5, y2=11) for end in ends),
        ]
    dot = tag("circle", class_=f"dot {shape}".strip(), cx=percent(value or 0.0), cy=8, r=3.5 if shape else 3)
    return tag("g", *lines, dot, data_m=slot)


def tick(share: float, *, tall: bool = True) -> Markup:
    """A vertical reference line for the whiskers: a baseline, the value of all cases, zero."""
    return tag("line", class_="base", x1=percent(share), x2=percent(share), y1=1 if tall else 3, y2=15 if tall else 13)


def rail(*marks: Any, bare: bool = False) -> Markup:
    """A row of whiskers on a thin line; decoration beside the numbers."""
    line = None if bare else tag("line", class_="rail", x1="0%", x2="100%", y1=8, y2=8)
    return tag("svg", line, *marks, class_="whiskers", height=16, aria_hidden="true")


# ---- scales ----


def evenly(rows: Iterable[One], most: int) -> list[One]:
    """At most `most` of the rows, evenly spaced, including both ends.

    >>> evenly(range(10), 4)
    [0, 3, 6, 9]
    """
    rows = list(rows)
    return rows if len(rows) <= most else [rows[round(i * (len(rows) - 1) / (most - 1))] for i in range(most)]


def ticks(low: float, high: float, about: int = 4) -> list[float]:
    """Round numbers, approximately as many as requested.

    >>> ticks(0, 83)
    [0.0, 25.0, 50.0, 75.0]
    """
    if not high > low:
        return [low]
    raw = (high - low) / about
    power = 10.0 ** math.floor(math.log10(raw))
    step = next(factor * power for factor in (1, 2, 2.5, 5, 10) if factor * power >= raw * (1 - 1e-9))
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return [float(f"{multiple * step:.12g}") for multiple in range(first, last + 1)]
