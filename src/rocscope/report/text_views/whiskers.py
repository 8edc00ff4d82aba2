"""A line from 0 to 1 made of characters: a value as `●`, its interval as `━`, a baseline as `┆`."""

from __future__ import annotations

import math
from collections.abc import Iterable
from itertools import groupby

from rocscope.record import record
from rocscope.report.sheet import Line, Span

VALUE, INTERVAL, TICK, QUARTER, BELOW, ABOVE = "●", "━", "┆", "·", "<", ">"


@record(slots=True)
class Axis:
    """The line from 0 to 1 over an odd number of characters, so that 0.5 has its own position.

    >>> from rocscope.report.sheet import letters
    >>> letters(Axis(21).draw(0.5, low=0.3, high=0.7, tick=0.25))
    '·    ┆━━━━●━━━━·    ·'
    """

    cells: int

    @property
    def heading(self) -> str:
        """The heading of the column: 0 and 1 above the ends."""
        return f"0{'1'.rjust(self.cells - 1)}"

    def draw(self, value: float, *, low: float = math.nan, high: float = math.nan, tick: float = math.nan) -> Line:
        """Draw one value with its interval and its baseline; values off the line are indicated by an arrow."""
        row = [Span(" ")] * self.cells
        for quarter in range(5):
            row[round(quarter * (self.cells - 1) / 4)] = Span(QUARTER, "quiet")
        if low <= high:
            for cell in range(self._place(low), self._place(high) + 1):
                row[cell] = Span(INTERVAL, "model")
        if 0 <= tick <= 1:  # drawn over the interval, to show whether it contains the baseline
            row[self._place(tick)] = Span(TICK, "quiet")
        if not math.isnan(value):
            sign = VALUE if 0 <= value <= 1 else BELOW if value < 0 else ABOVE
            row[self._place(value)] = Span(sign, "model")
        return joined(row)

    def _place(self, value: float) -> int:
        return round(min(max(value, 0.0), 1.0) * (self.cells - 1))


def fitting(room: int, *, least: int = 13, most: int = 41) -> Axis | None:
    """The axis that fills the available width up to a limit; None if there is too little space."""
    return Axis(min(most, room - 1 + room % 2)) if room >= least else None


def joined(row: Iterable[Span]) -> Line:
    """Merge adjacent pieces of one style."""
    return tuple(Span("".join(piece.text for piece in run), style) for style, run in groupby(row, lambda p: p.style))
