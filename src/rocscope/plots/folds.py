"""Pictures of a validation: the distribution of errors, the ROC curves of the folds, time against quality."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from rocscope import curves, measures, significance
from rocscope.plots import theme
from rocscope.plots.critical_difference import ranks
from rocscope.plots.forest import ForestRow, estimates
from rocscope.plots.kinds import title_of, unknown
from rocscope.text import significant
from rocscope.validation import Validation, averaged_roc

if TYPE_CHECKING:
    from matplotlib.axes import Axes

KINDS = ("errors", "roc", "time", "differences", "ranks")


def validation(va: Validation, kind: str = "errors", ax: Axes | None = None, **how: Any) -> Axes:
    """Draw a validation: "errors" (or measure=...), "roc" (the curves of the folds), "time", "differences" or "ranks".

    The name of a measure draws its distribution over the folds.
    """
    if kind == "roc":
        return _fan(va, ax, **how)
    if kind == "time":
        return _time(va, ax, **how)
    if kind == "differences":
        return _differences(va, ax, **how)
    if kind == "ranks":
        return _ranks(va, ax, **how)
    return _spread(va, ax, measure="error_rate" if kind == "errors" else _known(kind), **how)


def _known(kind: str) -> str:
    if kind in measures.names() or kind in curves.names():
        return kind
    raise unknown(kind, KINDS, of="a validation", also="any measure or area over the folds, such as f1 or auc")


def _slots(va: Validation) -> dict[str, int]:
    """The number of each model's color, as in the report: the recommended one, then as given."""
    first = va.recommended
    order = [first, *(name for name in va.names if name != first)]
    return {name: slot if slot <= len(theme.MODELS) else 0 for slot, name in enumerate(order, start=1)}


# ---- distribution over folds ----


def _spread(va: Validation, ax: Axes | None, *, measure: str) -> Axes:
    """Every fold a dot, beside it the mean with its corrected interval."""
    ax = theme.axes(ax, width=6.2, height=0.9 + 0.62 * len(va.names))
    theme.named_rows(ax, [theme.inert(name) for name in va.names], x=title_of(measure))
    slots = _slots(va)
    for index, name in enumerate(va.names):
        color = theme.style_of(slots[name]).color
        values = va.of(name).values(measure)
        values = values[np.isfinite(values)]
        ax.plot(values, index + 0.13 + _stacked(values), "o", color=color, alpha=0.45, markersize=4,
                markeredgewidth=0, gid="rocscope-folds")  # fmt: skip
        theme.whisker(ax, va.summarise(name, measure).mean, index - 0.12, color, size=5)
    theme.write(ax, 1.02, 1.0, f"{len(va.pairs)} splits", transform=ax.transAxes, va="top", fontsize="x-small")
    return ax


def _stacked(values: Any) -> Any:
    """How far down each dot moves so that equal values do not hide each other."""
    if not len(values):
        return values
    width = (values.max() - values.min()) / 60 or 1.0
    seen: dict[int, int] = {}
    moved = []
    for value in values:
        cell = round(float(value) / width)
        moved.append(0.07 * min(seen.get(cell, 0), 4))
        seen[cell] = seen.get(cell, 0) + 1
    return np.array(moved)


# ---- ROC curves of the folds ----


def _fan(va: Validation, ax: Axes | None, *, model: str | None = None, average: str = "vertical") -> Axes:
    """The ROC curve of every fold, pale, and their average with its band: "vertical", "threshold" or "pooled"."""
    name = va.recommended if model is None else model
    ax = theme.axes(ax)
    theme.roc_plane(ax)
    style = theme.style_of(_slots(va).get(name, 1))
    mean = averaged_roc(va, name, average)
    for table in va.of(name).tables:
        if table is not None and table.positives and table.negatives:
            curve = curves.roc(table)
            ax.plot(curve.fpr, curve.tpr, color=style.color, alpha=0.3, linewidth=0.8, gid="rocscope-fold")
    ax.fill_between(mean.fpr, mean.low, mean.high, color=style.color, alpha=0.16, linewidth=0, zorder=1.8)
    line = ax.plot(mean.fpr, mean.tpr, **style.line(chosen=True))[0]
    about = "all cases of" if average == "pooled" else "mean of"
    line.set(gid="rocscope-model", label=f"{theme.inert(name)}, {about} {mean.folds} folds")
    theme.key(ax)
    return ax


# ---- fit time ----


def _time(va: Validation, ax: Axes | None, *, measure: str | None = None) -> Axes:
    """How good each model is against how long it takes to fit, each named at its point."""
    name = va.primary if measure is None else measure
    ax = theme.axes(ax, width=5.4, height=3.9)
    theme.frame(ax, x="median seconds to fit", y=title_of(name))
    slots = _slots(va)
    for model in va.names:
        seconds, mean = va.resources(model)["fit_seconds"], va.summarise(model, name).mean
        if seconds is None or math.isnan(mean.value):
            continue
        color = theme.style_of(slots[model]).color
        if not math.isnan(mean.low):
            ax.plot((seconds, seconds), (mean.low, mean.high), color=color, linewidth=1.3, gid="rocscope-whisker")
        ax.plot(seconds, mean.value, "o", color=color, markersize=5, gid="rocscope-dot")
        theme.note(ax, seconds, mean.value, theme.inert(model), color=color, offset=(7, 0))
    _seconds(ax)
    return ax


def _seconds(ax: Axes) -> None:
    """A logarithmic axis of seconds, its ticks in plain numbers."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

    ax.set_xscale("log")
    ax.margins(x=0.25)
    ax.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5), numticks=12))
    ax.xaxis.set_minor_locator(NullLocator())
    ax.xaxis.set_major_formatter(FuncFormatter(lambda value, _: significant(value)))


# ---- differences ----


def _differences(va: Validation, ax: Axes | None, *, measure: str | None = None) -> Axes:
    """The differences of all pairs of models with their intervals, and p adjusted by Holm's method."""
    name = va.primary if measure is None else measure
    rows = [
        ForestRow(
            f"{difference.a} − {difference.b}",
            difference.estimate,
            1 if difference.settled else 0,
            remark=p_text(difference.p_adjusted),
        )
        for difference in va.compare(measures=(name,))
    ]
    return estimates(rows, ax, x=f"difference in {title_of(name)}", zero=True)


def p_text(p: float) -> str:
    """A p-value as it is printed in text; '' if there is none."""
    if math.isnan(p):
        return ""
    return "p < 0.001" if p < 0.001 else f"p = {p:.3f}" if p < 0.1 else f"p = {p:.2f}"


def _ranks(va: Validation, ax: Axes | None, *, measure: str | None = None) -> Axes:
    """Ranks over the folds: a picture only, since folds of one data set are no independent data sets."""
    name = va.primary if measure is None else measure
    low_is_good = name in measures.names() and measures.get(name).best == measures.get(name).low
    sign = -1 if low_is_good else 1
    rows = np.column_stack([sign * va.over_seeds(model, name) for model in va.names])
    comparison = significance.nemenyi(
        rows[np.isfinite(rows).all(axis=1)], names=list(va.names), level=va.settings.level
    )
    return ranks(comparison, ax)
