"""Confusion matrices: counts and shares in one picture, with correct predictions in blue and errors in amber."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from rocscope.errors import RocscopeError
from rocscope.formula import Formula
from rocscope.numbers import plain
from rocscope.plots import theme
from rocscope.table import Confusion, Counts
from rocscope.text import percent, show_count

if TYPE_CHECKING:
    from matplotlib.axes import Axes

WRITTEN = 12  # maximum number of classes for which counts are printed in the cells
DEEPEST = 0.85  # opacity of the fill of a cell that contains all cases of its class


def matrix(m: Confusion, ax: Axes | None = None, *, rows: str = "actual") -> Axes:
    """Draw a confusion matrix with counts and shares of each actual class, tinted by the share.

    >>> ax = matrix(Confusion.from_matrix([[10, 0], [5, 7]], labels=["cat", "dog"]))
    >>> ax.get_xlabel(), [text.get_text() for text in ax.texts][:2]
    ('predicted', ['10', '100 % of cat'])
    """
    size = len(m)
    ax = theme.axes(ax, width=2.2 + 0.8 * min(size, 14), height=1.4 + 0.8 * min(size, 14))
    turned = rows == "predicted"
    cells, names = m.to_array(rows=rows), [theme.inert(label) for label in m.labels]
    shares = _shares(np.asarray(m.to_array(rows="actual"), dtype=float))
    shares = shares.T if turned else shares
    ax.imshow(_tints(shares), aspect="equal", interpolation="nearest")
    _lines_between(ax, size)
    for axis in (ax.xaxis, ax.yaxis):
        theme.plain_ticks(axis, range(size), names)
    ax.tick_params(length=0, labelcolor=theme.INK2, labelsize="small", top=True, bottom=False, labeltop=True,
                   labelbottom=False, labelrotation=0)  # fmt: skip
    if size > 3:
        ax.tick_params(axis="x", labelrotation=45)
    ax.xaxis.set_label_position("top")
    actual, predicted = ("x", "y") if turned else ("y", "x")
    ax.set(**{f"{actual}label": "actual", f"{predicted}label": "predicted"})
    for axis in (ax.xaxis, ax.yaxis):
        axis.label.set(color=theme.INK3, fontsize="small")
    if size <= WRITTEN:
        _write_cells(ax, cells, shares, names, turned)
    return ax


def counts(c: Counts, ax: Axes | None = None, *, rows: str = "actual") -> Axes:
    """Draw the four counts at a threshold as a matrix, with the positive class first."""
    if any(cell is None or isinstance(cell, Formula) or np.ndim(cell) for cell in c.cells.values()):
        raise RocscopeError("a figure needs four known counts at one threshold", hint="table.at(0.5).plot()")
    cells = [[c.tp, c.fn], [c.fp, c.tn]]
    return matrix(Confusion.from_matrix(cells, labels=_named(c)), ax, rows=rows)


def _named(c: Counts) -> list[Any]:
    negative, positive = c.labels
    return [positive, negative]


def _shares(cells: Any) -> Any:
    """Of each actual class (rows); 0 where a class is empty."""
    total = cells.sum(axis=1, keepdims=True)
    return np.divide(cells, total, out=np.zeros_like(cells), where=total > 0)


def _tints(shares: Any) -> Any:
    """White to blue on the diagonal, white to amber beside it."""
    from matplotlib.colors import to_rgb

    right, wrong = np.array(to_rgb(theme.MODELS[0].color)), np.array(to_rgb(theme.AMBER))
    ink = np.where(np.eye(len(shares), dtype=bool)[..., None], right, wrong)
    depth = (0.06 + (DEEPEST - 0.06) * shares)[..., None]
    depth = np.where(shares[..., None] > 0, depth, 0.03)
    return 1 - depth * (1 - ink)


def _lines_between(ax: Axes, size: int) -> None:
    for side in ax.spines.values():
        side.set_visible(False)
    edges = np.arange(1, size) - 0.5
    ax.hlines(edges, -0.5, size - 0.5, color=theme.PAPER, linewidth=2.5)
    ax.vlines(edges, -0.5, size - 0.5, color=theme.PAPER, linewidth=2.5)


def _write_cells(ax: Axes, cells: Any, shares: Any, names: list[str], turned: bool) -> None:
    for row in range(len(names)):
        for column in range(len(names)):
            share = float(shares[row, column])
            ink = theme.PAPER if row == column and share > 0.78 else theme.INK  # keeps the contrast at 4.5:1 or more
            cell = cells[row][column]
            actual = names[column] if turned else names[row]
            of = f" of {actual}" if len(names) <= 2 else ""
            theme.write(ax, column, row - 0.09, show_count(plain(cell)), ha="center", va="center", color=ink,
                       fontsize="large" if len(names) <= 4 else "medium", fontweight="bold")  # fmt: skip
            text = percent(share, 1.0) if cell else ""
            theme.write(ax, column, row + 0.2, f"{text}{of}" if text else "", ha="center", va="center", color=ink,
                       fontsize="x-small")  # fmt: skip
