"""The critical-difference diagram: mean ranks on a line, with bars that join models that do not differ."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from rocscope.plots import theme
from rocscope.significance import CriticalDifference

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STEP = 0.36  # distance between names; half of it between bars


def ranks(found: CriticalDifference, ax: Axes | None = None) -> Axes:
    """Draw a critical-difference diagram: the best mean rank is on the left, and a bar joins models that do not differ
    significantly.

    Demsar, J Mach Learn Res 2006;7:1-30.

    >>> from rocscope import significance
    >>> scores = [[.9, .8, .7], [.8, .7, .75], [.95, .9, .6], [.7, .72, .6]]
    >>> ax = ranks(significance.nemenyi(scores, names=["a", "b", "c"]))
    >>> [text.get_text() for text in ax.texts][3:5]
    ['critical difference 1.66', 'a  1.25']
    """
    order = sorted(range(len(found.names)), key=lambda model: found.ranks[model])
    half = math.ceil(len(order) / 2)
    bars = len(found.groups)
    depth = STEP * (0.8 + 0.5 * bars + half)
    ax = theme.axes(ax, width=6.4, height=0.9 + 0.62 * depth)
    low, high = 1.0, float(len(order))
    margin = 0.42 * (high - low)
    ax.set(xlim=(low - margin, high + margin), ylim=(-depth, 2.1 * STEP))
    ax.set_axis_off()
    _scale(ax, int(low), int(high))
    _distance(ax, found.cd, low, high)
    for index, model in enumerate(order):
        left = index < half
        row = index if left else len(order) - 1 - index
        _model(ax, found, model, -STEP * (0.8 + 0.5 * bars + row), left=left, edge=low if left else high)
    rank_of = dict(zip(found.names, found.ranks, strict=True))
    for number, group in enumerate(found.groups):
        ends = [rank_of[group[0]] - 0.03, rank_of[group[-1]] + 0.03]
        y = -STEP * (0.45 + 0.5 * number)
        ax.plot(ends, (y, y), color=theme.INK, linewidth=3, solid_capstyle="butt", gid="rocscope-group")
    return ax


def _scale(ax: Axes, low: int, high: int) -> None:
    ax.plot((low, high), (0, 0), color=theme.INK, linewidth=1, gid="rocscope-scale")
    for rank in range(low, high + 1):
        ax.plot((rank, rank), (0, 0.1), color=theme.INK, linewidth=1)
        theme.write(ax, rank, 0.14, str(rank), ha="center", va="bottom", color=theme.INK3)


def _distance(ax: Axes, cd: float, low: float, high: float) -> None:
    y = 1.45 * STEP
    # drawn in full even if it is longer than the rank axis, which shows that no difference can be significant
    ax.plot((low, low + cd), (y, y), color=theme.AMBER, linewidth=1.6, marker="|", markersize=6, gid="rocscope-cd",
            clip_on=False)  # fmt: skip
    theme.write(ax, low, y + 0.09, f"critical difference {cd:.2f}", va="bottom", color=theme.INK2)


def _model(ax: Axes, comparison: CriticalDifference, model: int, y: float, *, left: bool, edge: float) -> None:
    rank, name = comparison.ranks[model], theme.inert(comparison.names[model])
    reach = 0.06 * (len(comparison.names) - 1) * (-1 if left else 1)
    ax.plot((rank, rank, edge + reach), (0, y, y), color=theme.INK3, linewidth=0.8, gid="rocscope-model-line")
    text = f"{name}  {rank:.2f}" if left else f"{rank:.2f}  {name}"
    theme.write(ax, edge + 1.15 * reach, y, text, ha="right" if left else "left", va="center", color=theme.INK)
