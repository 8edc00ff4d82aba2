"""The picture of a resampling plan: each row shows the training cases and the test cases of one pair."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocscope.plots import theme
from rocscope.splits import Pairs

if TYPE_CHECKING:
    from matplotlib.axes import Axes

ROWS = 30  # maximum number of train/test pairs drawn
COLORS = ("#ffffff", "#c9d6e8", "#1f5fa8")  # unused, training, test


def pairs(found: Pairs, ax: Axes | None = None) -> Axes:
    """Draw the training cases (light) and test cases (dark) of each pair, in the order in which cases are first tested.

    >>> from rocscope import splits
    >>> ax = pairs(splits.plan("5-fold", 20))
    >>> [tick.get_text() for tick in ax.get_yticklabels()][:2]
    ['fold 1', 'fold 2']
    """
    from matplotlib.colors import ListedColormap
    from matplotlib.patches import Patch

    shown = found.roles()[:ROWS]
    ax = theme.axes(ax, width=6.4, height=1.2 + 0.32 * len(shown))
    ax.pcolormesh(shown[::-1], cmap=ListedColormap(COLORS), vmin=0, vmax=2, edgecolors="white",
                  linewidth=0.6 if found.cases.n <= 60 else 0.0)  # fmt: skip
    theme.frame(ax, x="cases, in the order of their first test", grid="")
    names = [theme.inert(name) for name in found.names[: len(shown)]]
    ax.set_yticks([len(shown) - row - 0.5 for row in range(len(shown))], names)
    ax.tick_params(length=0)
    handles = [Patch(color=COLORS[1], label="training"), Patch(color=COLORS[2], label="test")]
    ax.legend(handles=handles, loc="lower right", bbox_to_anchor=(1, 1), ncols=2, frameon=False, fontsize="small")
    return ax
