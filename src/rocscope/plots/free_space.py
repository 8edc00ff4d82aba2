"""Free space in a picture: places for keys and notes that no line crosses."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Box = tuple[float, float, float, float]  # left, bottom, width, height as shares of the Axes
CELLS = 240  # resolution of the grid on which free space is searched
PAD = 0.012  # padding around a text, as a share of the Axes
CORNERS = {"lower right": (1, 0), "lower left": (0, 0), "upper left": (0, 1), "upper right": (1, 1),
           "lower center": (0.5, 0), "best": (1, 1)}  # fmt: skip


def settle(ax: Axes) -> None:
    """Give the Axes its final size, against which texts are measured."""
    figure: Any = ax.figure
    if ax.get_gid() == "rocscope" and figure.get_layout_engine() is not None:
        figure.get_layout_engine().execute(figure)
    ax.apply_aspect()


def free(ax: Axes, size: tuple[float, float], near: str, *, faint: bool = True) -> tuple[float, float] | None:
    """The lower left corner of a free place of that size, as near to a corner as possible; None without one.

    With `faint`, bands and bars are avoided as well.
    """
    taken = np.pad(_taken(ax, faint).cumsum(axis=0).cumsum(axis=1), ((1, 0), (1, 0)))
    wide, tall = (min(CELLS, math.ceil((part + 2 * PAD) * CELLS)) for part in size)
    inside = taken[wide:, tall:] - taken[:-wide, tall:] - taken[wide:, :-tall] + taken[:-wide, :-tall]
    x, y = np.nonzero(inside == 0)
    if not len(x):
        return None
    last_x, last_y = CELLS - wide, CELLS - tall
    to_x, to_y = CORNERS[near]
    # penalize positions away from the left and right edges, because a legend reads best next to an edge
    far = np.hypot(x - to_x * last_x, y - to_y * last_y) + 0.1 * CELLS * ((x > 0) & (x < last_x))
    best = int(np.argmin(far))
    return float(x[best]) / CELLS + PAD, float(y[best]) / CELLS + PAD


def count(ax: Axes, box: Box) -> int:
    """How many cells of a box are covered by lines and texts; all of them if the box leaves the Axes."""
    left, bottom, width, height = box
    if min(left, bottom) < 0 or max(left + width, bottom + height) > 1:
        return CELLS * CELLS
    x, y = (slice(max(0, math.floor(CELLS * a)), max(0, math.ceil(CELLS * (a + b)))) for a, b in
            ((left, width), (bottom, height)))  # fmt: skip
    return int(_taken(ax, faint=False)[x, y].sum())


def extent(ax: Axes, artist: Any) -> Box:
    """The position of an artist, as shares of the Axes."""
    box = artist.get_window_extent().transformed(ax.transAxes.inverted())
    return float(box.x0), float(box.y0), float(box.width), float(box.height)


def _taken(ax: Axes, faint: bool) -> Any:
    """Cells through which lines run, under texts, and with `faint` at the edges of bands and under bars."""
    points_by_artist = [ink(ax)]
    for text in ax.texts:
        if text.get_text() and text.get_visible():
            points_by_artist.append(_filled(extent(ax, text)))
    for patch in ax.patches if faint else ():
        outline: Any = patch.get_path().vertices
        points_by_artist.append(_along(ax, outline[:, 0], outline[:, 1], patch.get_transform()))
    points = np.concatenate([np.empty((0, 2)), *points_by_artist])
    edges = np.linspace(0, 1, CELLS + 1)
    return np.histogram2d(points[:, 0], points[:, 1], bins=(edges, edges))[0] > 0


def _vertices(line: Any) -> tuple[Any, Any]:
    from matplotlib.cbook import STEP_LOOKUP_MAP

    x, y = (np.asarray(part, dtype=float) for part in line.get_data())
    return STEP_LOOKUP_MAP[line.get_drawstyle()](x, y) if len(x) else (x, y)


def ink(ax: Axes, *, leave: str = "rocscope-lines") -> Any:
    """Closely spaced points of all lines and error bars, as shares of the Axes, except those of one gid."""
    points_by_artist = [
        _along(ax, *_vertices(get_line), get_line.get_transform())
        for get_line in ax.get_lines()
        if get_line.get_gid() != leave
    ]
    for collection in ax.collections:
        if collection.get_gid() not in (leave, "rocscope-lines") and hasattr(collection, "get_segments"):
            segments: Any = collection.get_segments()
            points_by_artist += [
                _along(ax, segment[:, 0], segment[:, 1], collection.get_transform()) for segment in segments
            ]
    return np.concatenate([np.empty((0, 2)), *points_by_artist])


def _along(ax: Axes, x: Any, y: Any, transform: Any) -> Any:
    points = (transform + ax.transAxes.inverted()).transform(np.column_stack((x, y)))
    points = np.clip(points[np.isfinite(points).all(axis=1)], -2, 3)
    if len(points) < 2:
        return points
    steps = np.concatenate(([0.0], np.hypot(*np.diff(points, axis=0).T).cumsum()))
    at = np.linspace(0, steps[-1], min(20_000, 2 + math.ceil(2 * CELLS * steps[-1])))
    return np.column_stack([np.interp(at, steps, column) for column in points.T])


def _filled(box: Box) -> Any:
    left, bottom, width, height = box
    x = np.linspace(left, left + width, 2 + math.ceil(min(3, width) * CELLS))
    y = np.linspace(bottom, bottom + height, 2 + math.ceil(min(3, height) * CELLS))
    return np.column_stack([part.ravel() for part in np.meshgrid(x, y)])
