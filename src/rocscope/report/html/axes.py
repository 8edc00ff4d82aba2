"""Scales, axes and paths of the drawings; presentation attributes only, since the page's policy forbids style=""."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from rocscope.report.html.markup import Markup, number, tag
from rocscope.text import tick_text

Points = Sequence[tuple[float, float]]
QUARTERS = (0.0, 0.25, 0.5, 0.75, 1.0)


@dataclass(frozen=True)
class Frame:
    """The drawing area in pixels, and what its sides stand for."""

    width: float
    height: float
    left: float = 36.0
    right: float = 8.0
    top: float = 22.0
    bottom: float = 40.0
    low: tuple[float, float] = (0.0, 0.0)
    high: tuple[float, float] = (1.0, 1.0)

    def x(self, value: float) -> float:
        """The pixel across."""
        run = (self.high[0] - self.low[0]) or 1.0
        return self.left + (value - self.low[0]) / run * (self.width - self.left - self.right)

    def y(self, value: float) -> float:
        """The pixel down."""
        rise = (self.high[1] - self.low[1]) or 1.0
        return self.height - self.bottom - (value - self.low[1]) / rise * (self.height - self.top - self.bottom)

    def path(self, points: Points, *, close: bool = False) -> str:
        """A line through points."""
        return path([(self.x(x), self.y(y)) for x, y in points]) + ("Z" if close else "")

    def axes(
        self,
        across: str,
        up: str,
        *,
        x_at: Iterable[float] = QUARTERS,
        y_at: Iterable[float] = QUARTERS,
        x_text: Callable[[float], str] = tick_text,
    ) -> list[Markup]:
        """Grid, tick texts, and the names of the axes at their ends."""
        x_at, y_at = list(x_at), list(y_at)
        ends = self.x(self.low[0]), self.x(self.high[0]), self.y(self.low[1]), self.y(self.high[1])
        lines = "".join(f"M{number(self.x(x))},{number(ends[3])}V{number(ends[2])}" for x in x_at)
        lines += "".join(f"M{number(ends[0])},{number(self.y(y))}H{number(ends[1])}" for y in y_at)
        found = [tag("path", class_="grid", d=lines)]
        found += [tag("text", x_text(x), x=self.x(x), y=ends[2] + 16, text_anchor="middle") for x in x_at]
        found += [tag("text", tick_text(y), x=ends[0] - 7, y=self.y(y) + 4, text_anchor="end") for y in y_at]
        found.append(tag("text", f"{across} →", class_="label", x=ends[1], y=ends[2] + 33, text_anchor="end"))
        found.append(tag("text", f"↑ {up}", class_="label", x=max(0.0, ends[0] - 30), y=ends[3] - 9))
        return found

    def picture(self, title: str, children: Iterable[Any]) -> Markup:
        """The SVG element: an image named by the title and the reading line of its view."""
        return tag(
            "svg", *children, role="img", aria_labelledby=title, width=self.width, height=self.height,
            viewBox=f"0 0 {number(self.width)} {number(self.height)}",
        )  # fmt: skip


def path(points: Points) -> str:
    """A path through pixels, without those that fall on the one before.

    >>> path([(0, 0), (0.1, 0.1), (5, 5)])
    'M0,0L5,5'
    """
    kept: list[tuple[float, float]] = []
    for place, (x, y) in enumerate(points):
        if not (math.isfinite(x) and math.isfinite(y)):
            continue
        near = kept and abs(x - kept[-1][0]) + abs(y - kept[-1][1]) < 1.2
        if not near or place == len(points) - 1:
            kept.append((x, y))
    return "".join(f"{'L' if place else 'M'}{_tenth(x)},{_tenth(y)}" for place, (x, y) in enumerate(kept))


def _tenth(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")


def whisker(low: float | None, value: float, high: float | None, *, slot: int | None = None, shape: str = "") -> Markup:
    """A dot with its whisker on a scale from 0 to 1, in percent of the width, so that it fits any."""
    at = [f"{number(100 * min(1.0, max(0.0, one)))}%" for one in (low or 0.0, value, high or 0.0)]
    lines = []
    if low is not None and high is not None:
        lines = [
            tag("line", class_="whisker", x1=at[0], x2=at[2], y1=8, y2=8),
            *(tag("line", class_="whisker", x1=end, x2=end, y1=5, y2=11) for end in (at[0], at[2])),
        ]
    dot = tag("circle", class_=f"dot {shape}".strip(), cx=at[1], cy=8, r=3 if not shape else 3.5)
    return tag("g", *lines, dot, data_m=slot)


def rail(*marks: Any) -> Markup:
    """A row of whiskers on a thin line; only decoration beside the numbers."""
    line = tag("line", class_="rail", x1="0%", x2="100%", y1=8, y2=8)
    return tag("svg", line, *marks, class_="whiskers", height=16, aria_hidden="true")


def ticks(low: float, high: float, about: int = 4) -> list[float]:
    """Round numbers, about so many.

    >>> ticks(0, 83)
    [0.0, 25.0, 50.0, 75.0]
    """
    if not high > low:
        return [low]
    raw = (high - low) / about
    power = 10.0 ** math.floor(math.log10(raw))
    step = next(one * power for one in (1, 2, 2.5, 5, 10) if one * power >= raw * (1 - 1e-9))
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return [float(f"{place * step:.12g}") for place in range(first, last + 1)]
