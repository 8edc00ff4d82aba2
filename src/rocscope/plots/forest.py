"""Forest plots: each estimate is a dot with a whisker and its numbers, never a bar."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from rocscope.estimate import Estimate
from rocscope.plots import theme
from rocscope.record import record

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@record(slots=True)
class ForestRow:
    """A line of a forest plot: its name, estimate, color, chance level and remark."""

    name: str
    estimate: Estimate
    model: int = 1
    chance: float = math.nan
    remark: str = ""


def estimates(
    found: Mapping[str, Estimate] | Sequence[ForestRow], ax: Axes | None = None, *, x: str = "", zero: bool = False,
    inside: tuple[float, float] | None = None,
) -> Axes:  # fmt: skip
    """Draw estimates as dots with whiskers, one below the other, with the numbers on the right.

    `zero` draws the line of no difference; `inside` fixes the range.

    >>> ax = estimates({"AUC": Estimate(0.88, 0.86, 0.90, 0.95, "newcombe")})
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['AUC']
    """
    rows = (
        [ForestRow(name, estimate) for name, estimate in found.items()] if isinstance(found, Mapping) else list(found)
    )
    ax = theme.axes(ax, width=6.2, height=0.75 + 0.3 * len(rows))
    theme.named_rows(ax, [theme.inert(row.name, longest=40) for row in rows], x=x)
    if inside is not None:
        ax.set_xlim(*inside)
    if zero:
        ax.axvline(0, color=theme.INK3, linewidth=0.8, zorder=1.5)
    for index, row in enumerate(rows):
        _row(ax, index, row)
    return ax


def _row(ax: Axes, index: int, row: ForestRow) -> None:
    estimate = row.estimate
    if math.isnan(estimate.value):
        theme.write(ax, 1.02, index, f"– {estimate.why}"[:60], transform=ax.get_yaxis_transform(), va="center",
                    color=theme.WARN)  # fmt: skip
        return
    if not math.isnan(row.chance):
        ax.plot((row.chance,) * 2, (index - 0.2, index + 0.2), color=theme.MUTE, linewidth=1, gid="rocscope-chance")
    theme.whisker(ax, estimate, index, theme.style_of(row.model).color, remark=row.remark)
