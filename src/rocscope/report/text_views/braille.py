"""Curves drawn with characters: Braille dots on a UTF-8 terminal with color, ASCII on a plain one."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from rocscope.record import record
from rocscope.report.sheet import Line, Span, letters, quiet
from rocscope.report.sheet_formats import Look
from rocscope.report.text_views.whiskers import joined
from rocscope.text import number

BRAILLE = 0x2800
DOTS = ((0x01, 0x08), (0x02, 0x10), (0x04, 0x20), (0x40, 0x80))  # bits of a Braille character, by row and column
SIGNS = "*+x#@"  # characters of the curves in ASCII output, in order


@record(slots=True)
class Stroke:
    """A line through points, in the style of its pieces; with `every`, only every n-th dot is drawn."""

    x: Sequence[float]
    y: Sequence[float]
    style: str = "model"
    every: int = 1
    steps: bool = False


@record(slots=True)
class TextAxes:
    """The frame of a drawing: its size in characters, the ranges it shows, the names of its axes."""

    width: int
    height: int
    x: tuple[float, float] = (0.0, 1.0)
    y: tuple[float, float] = (0.0, 1.0)
    x_name: str = ""
    y_name: str = ""


def draw(
    strokes: Sequence[Stroke],
    frame: TextAxes,
    look: Look,
    *,
    mark: tuple[float, float] | None = None,
    title: Line = (),
    key: Sequence[Span] = (),
) -> list[Line]:
    """The drawing as lines: its title, the curves with an axis on the left, the names below.

    The first stroke is on top where two meet. `mark` is the selected point; the lines of the `key` are in the lower
    right, where no ROC curve runs.

    >>> for line in draw([Stroke([0, 0, 1], [0, 1, 1])], TextAxes(9, 4, x_name="fpr"), Look()):
    ...     print(letters(line))
    1 |*********
      |*
      |*
    0 |*
      +---------
       0  fpr  1
    """
    rows = _braille(strokes, frame) if look.fancy else _ascii(strokes, frame)
    if mark is not None:
        _place_mark(rows, frame, mark, "●" if look.fancy else "O")
    for line, piece in enumerate(key, start=frame.height - len(key) - 1):
        rows[line][frame.width - len(piece.text) - 1 : frame.width - 1] = [Span(c, piece.style) for c in piece.text]
    return [*_title(title, frame, look), *_framed(rows, frame, look), *_below(frame)]


# --- Braille and ASCII canvases


def _braille(strokes: Sequence[Stroke], frame: TextAxes) -> list[list[Span]]:
    bits = [[0] * frame.width for _ in range(frame.height)]
    styles = [[""] * frame.width for _ in range(frame.height)]
    for stroke in reversed(strokes):
        for column, row in _dots(stroke, frame, frame.width * 2, frame.height * 4):
            bits[row // 4][column // 2] |= DOTS[row % 4][column % 2]
            styles[row // 4][column // 2] = stroke.style
    return [
        [Span(chr(BRAILLE + bit) if bit else " ", style) for bit, style in zip(*both, strict=True)]
        for both in zip(bits, styles, strict=True)
    ]


def _ascii(strokes: Sequence[Stroke], frame: TextAxes) -> list[list[Span]]:
    rows = [[Span(" ")] * frame.width for _ in range(frame.height)]
    for index, stroke in reversed(list(enumerate(strokes))):
        sign = "." if stroke.every > 1 else SIGNS[min(index, len(SIGNS) - 1)]
        for column, row in _dots(stroke, frame, frame.width, frame.height):
            rows[row][column] = Span(sign, stroke.style)
    return rows


def _dots(stroke: Stroke, frame: TextAxes, columns: int, rows: int) -> Iterator[tuple[int, int]]:
    """The dots of a stroke on a canvas, from the top left; undefined and outside points are omitted."""
    points = [_scaled(x, y, frame, columns, rows) for x, y in _corners(stroke)]
    drawn = 0
    for start, end in zip(points, points[1:] or points, strict=False):
        if start is None or end is None:
            continue
        # oversampled, so that rounding leaves no gaps
        length = max(1, 2 * math.ceil(max(abs(end[0] - start[0]), abs(end[1] - start[1]))))
        for step in range(length + 1):
            share = step / length
            column = round(start[0] + share * (end[0] - start[0]))
            row = round(start[1] + share * (end[1] - start[1]))
            drawn += 1
            if drawn % (2 * stroke.every) < 2 - (stroke.every > 1) and 0 <= column < columns and 0 <= row < rows:
                yield column, row


def _corners(stroke: Stroke) -> Iterable[tuple[float, float]]:
    """The points to join: unchanged, or with a corner between each two for a step curve."""
    pairs = list(zip(map(float, stroke.x), map(float, stroke.y), strict=True))
    if not stroke.steps:
        return pairs
    bent = ((here, (after[0], here[1])) for here, after in pairwise(pairs))
    return [point for both in bent for point in both] + pairs[-1:]


def _scaled(x: float, y: float, frame: TextAxes, columns: int, rows: int) -> tuple[float, float] | None:
    if not (math.isfinite(x) and math.isfinite(y)):
        return None
    across = (x - frame.x[0]) / ((frame.x[1] - frame.x[0]) or 1.0)
    up = (y - frame.y[0]) / ((frame.y[1] - frame.y[0]) or 1.0)
    return across * (columns - 1), (1 - up) * (rows - 1)


def _place_mark(rows: list[list[Span]], frame: TextAxes, mark: tuple[float, float], sign: str) -> None:
    position = _scaled(*mark, frame, frame.width, frame.height)
    if position is not None and 0 <= round(position[0]) < frame.width and 0 <= round(position[1]) < frame.height:
        rows[round(position[1])][round(position[0])] = Span(sign, "strong")


# --- axes and names


def _framed(rows: list[list[Span]], frame: TextAxes, look: Look) -> Iterator[Line]:
    left = _left(frame)
    bar = "│" if look.fancy else "|"
    for index, row in enumerate(rows):
        end = frame.y[1] if index == 0 else frame.y[0] if index == len(rows) - 1 else None
        label = "" if end is None else _end(end)
        last = max((column for column, piece in enumerate(row) if piece.text != " "), default=-1)
        yield (quiet(f"{label.rjust(left)} {bar}"), *joined(row[: last + 1]))
    corner = f"{' ' * left} {'└' if look.fancy else '+'}{('─' if look.fancy else '-') * frame.width}"
    yield (quiet(corner),)


def _title(title: Line, frame: TextAxes, look: Look) -> Iterator[Line]:
    if frame.y_name:
        up = f"{'↑' if look.fancy else '^'} {frame.y_name}"
        title = (*title, quiet(f"   {up}" if title else up))
    if title:
        yield (Span(" " * (_left(frame) + 1)), *title)


def _below(frame: TextAxes) -> Iterator[Line]:
    low, high = _end(frame.x[0]), _end(frame.x[1])
    room = frame.width - len(low) - len(high)
    name = frame.x_name if len(frame.x_name) <= room - 2 else ""
    yield (quiet(f"{' ' * (_left(frame) + 2)}{low}{name.center(room)}{high}"),)


def _left(frame: TextAxes) -> int:
    return max(len(_end(end)) for end in frame.y)


def _end(value: float) -> str:
    """The end of an axis in a short notation."""
    return number(float(f"{value:.3g}"), None)


# --- placement next to other blocks


def beside(left: Sequence[Line], right: Sequence[Line], *, gap: int = 3) -> list[Line]:
    """Join two columns of lines: the right one begins after the longest line on the left."""
    width = max((len(letters(line)) for line in left), default=0) + gap
    rows = max(len(left), len(right))
    both = zip(_to(left, rows), _to(right, rows), strict=True)
    return [(*a, Span(" " * (width - len(letters(a)))), *b) if b else a for a, b in both]


def _to(lines: Sequence[Line], rows: int) -> list[Line]:
    return [*lines, *[()] * (rows - len(lines))]
