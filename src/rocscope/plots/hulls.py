"""The hull with its lines of equal cost, and the strip that shows the cheapest model over ranges of cost ratios."""

from __future__ import annotations

import math
from collections.abc import Container, Mapping, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Any

from rocscope.errors import RocscopeError
from rocscope.hull import Hull, SlopeInterval
from rocscope.plots import free_space, theme
from rocscope.record import record
from rocscope.table import as_prevalence
from rocscope.text import cost_ratio as ratio_text
from rocscope.text import significant, threshold_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LEAST, MOST = 0.5, 100.0  # minimum range of the strip: cost of a false negative / cost of a false positive


def styles(models: Sequence[Any], muted: Sequence[Any] = ()) -> dict[Any, int]:
    """The number of each model's color in the order given; muted models, and those beyond the fifth, have 0.

    >>> styles(["a", "b", "c"], muted=["b"])
    {'a': 1, 'b': 0, 'c': 2}
    """
    colored = [model for model in models if model not in muted]
    return {model: (colored.index(model) + 1 if model in colored[: len(theme.MODELS)] else 0) for model in models}


# ---- ROC convex hull ----


def hull(
    h: Hull, ax: Axes | None = None, *, cost_ratio: Any = None, costs: Any = None, prevalence: Any = None,
    names: bool = True,
) -> Axes:  # fmt: skip
    """Draw a convex hull in ROC space with its corners labeled, and the line of equal cost at a cost ratio or costs.

    Paler parallel lines connect points of equal but higher cost.

    >>> from rocscope import hull as hulls
    >>> two = hulls.hull({"C4.5": (0.2, 0.7), "SVM": (0.5, 0.95)})
    >>> hull(two, cost_ratio=1).get_lines()[1].get_xydata().tolist()
    [[0.0, 0.0], [0.2, 0.7], [0.5, 0.95], [1.0, 1.0]]
    """
    ax = theme.axes(ax)
    if theme.once(ax, "plane"):
        theme.roc_plane(ax, zorder=1)
    if h.why:
        theme.write(ax, 0.5, 0.5, h.why, transform=ax.transAxes, ha="center", color=theme.WARN)
        return ax
    x, y = [point.fpr for point in h.points], [point.tpr for point in h.points]
    ax.plot(x, y, color=theme.INK, linewidth=1, zorder=3.4, gid="rocscope-hull")
    _beneath(ax, h)
    if h.dominated and names:
        text = ", ".join(theme.inert(model) for model in h.dominated[:4])
        more = f" and {len(h.dominated) - 4} more" if len(h.dominated) > 4 else ""
        theme.write(ax, 0.98, 0.005, f"dominated: {text}{more}", ha="right", color=theme.MUTE, fontsize="x-small")
    if cost_ratio is not None or costs is not None:
        _iso_lines(ax, h, cost_ratio, costs, prevalence)
    _corners(ax, h, names)
    if names:
        _name_beneath(ax, h)
    return ax


def _corners(ax: Axes, h: Hull, names: bool) -> None:
    slots = styles(h.models, h.dominated)
    few = names and len(h.points) <= 14
    for point in h.points[1:-1]:
        color = theme.style_of(slots.get(point.model, 1 if point.model is None else 0)).color
        size = 4.2 if few else 2.4
        ax.plot(point.fpr, point.tpr, "o", color=color, markersize=size, zorder=3.5, gid="rocscope-corner")
        if few and (text := _corner_text(point)):
            theme.note(ax, point.fpr, point.tpr, text, color=color, offset=(6, -5), va="top")
    if not few and names:
        _key_of_models(ax, h, slots)


def _beneath(ax: Axes, h: Hull) -> None:
    """Classifiers below the hull as muted dots, those of one dominated curve joined."""
    curves = {source.model for source in h.sources if source.ends}
    for model, group in groupby(h.beneath, key=lambda point: point.model):
        rows = list(group)
        line = theme.MUTED.line(chosen=False) if model in curves else {"linestyle": "none", "color": theme.MUTE}
        size = 2.4 if model in curves else 3.6
        ax.plot([row.fpr for row in rows], [row.tpr for row in rows], marker="o", markersize=size, zorder=2.4,
                gid="rocscope-beneath", **line)  # fmt: skip


def _name_beneath(ax: Axes, h: Hull) -> None:
    """Each dot named, a curve once: where least is in the way."""
    curves = {source.model for source in h.sources if source.ends}
    for model, group in groupby(h.beneath, key=lambda point: point.model):
        rows = list(group)
        inner = [(row.fpr, row.tpr) for row in rows[len(rows) // 4 : 3 * len(rows) // 4 + 1 : 2]]
        named = [(theme.inert(model), inner)] if model in curves else [(_corner_text(row), [row[:2]]) for row in rows]
        for text, spots in named[:14]:
            if text:
                theme.note_free(ax, spots, text, color=theme.MUTE, gid="rocscope-beneath")


def _key_of_models(ax: Axes, h: Hull, slots: Mapping[Any, int]) -> None:
    """Too many corners to be named: their colors are."""
    for model in h.models:
        if model is not None and model not in h.dominated:
            color = theme.style_of(slots[model]).color
            ax.plot([], [], "o", color=color, markersize=4.2, gid="rocscope-model", label=theme.inert(model))
    theme.key(ax)


def _corner_text(point: Any) -> str:
    name = "" if point.model is None else theme.inert(point.model)
    at = "" if point.threshold is None else _setting(point.threshold)
    return f"{name} at {at}" if name and at else name or at


def _iso_lines(ax: Axes, h: Hull, cost_ratio: Any, costs: Any, prevalence: Any) -> None:
    """The tangent, and two parallels of higher cost below it."""
    line = h.iso_line(cost_ratio, costs=costs, prevalence=prevalence)
    best = h.best(cost_ratio, costs=costs, prevalence=prevalence)
    for step, (color, width) in enumerate(((theme.INK, 1.2), (theme.MUTE, 0.8), (theme.MUTE, 0.5))):
        height = line.intercept - 0.12 * step * math.hypot(1, line.slope)
        ends = _inside(line.slope, height)
        ax.plot(*ends, color=color, linewidth=width, linestyle=(0, (9, 4)), zorder=2.2, gid="rocscope-iso")
    ax.plot(best.fpr, best.tpr, "o", markersize=7, markerfacecolor="none", markeredgecolor=theme.INK, zorder=3.6)
    theme.write(ax, 0.98, 0.05, f"equal cost, slope {significant(line.slope)}", ha="right", gid="rocscope-slope")


def _inside(slope: float, height: float) -> tuple[tuple[float, float], tuple[float, float]]:
    """The piece of a line that lies in the square."""
    if slope == 0:
        return (0.0, 1.0), (height, height)
    left, right = max(0.0, -height / slope), min(1.0, (1.0 - height) / slope)
    return (left, max(left, right)), (slope * left + height, slope * max(left, right) + height)


# ---- strip of cost ratios ----


@record(slots=True)
class CheapestRange:
    """A range of cost ratios (a miss in false alarms) in which one model is cheapest, with its range of thresholds."""

    low: float
    high: float
    model: Any
    first: Any
    last: Any


def pieces(
    h: Hull, *, low: float = 0.0, high: float = math.inf, each: bool = False, prevalence: Any = None
) -> list[CheapestRange]:
    """The cost-ratio table from `low` to `high`, neighboring rows of one model together unless `each` is asked.

    A slope c is (cost FP / cost FN) (negatives / positives), so a miss is worth (negatives / positives) / c false
    alarms; without a prevalence and known totals the classes count as equally large. Thresholds are those of the rows
    between `low` and `high`: others are cheapest only beyond.

    >>> from rocscope import hull as hulls
    >>> two = hulls.hull({"C4.5": (0.2, 0.7), "SVM": (0.5, 0.95)})
    >>> [(one.model, one.low, one.high) for one in pieces(two, low=0.5, high=4)][1:]
    [('SVM', 1.2, 4)]
    """
    odds = _odds(h, prevalence)
    rows = [(max(low, odds / row.high), min(high, odds / row.low if row.low else math.inf), row) for row in h.intervals]
    inside = [(left, right, row) for left, right, row in rows if left < right]
    ranges = []
    for _, group in groupby(inside, key=lambda entry: (_owner(entry[2]), entry[1] if each else None)):
        grouped = list(group)
        (left, _, first), (_, right, last) = grouped[0], grouped[-1]
        ranges.append(CheapestRange(left, right, _owner(first), first.threshold, last.threshold))
    return ranges


def _odds(h: Hull, prevalence: Any) -> float:
    """Negatives for each positive."""
    if prevalence is not None:
        share = float(as_prevalence(prevalence))
        return (1 - share) / share
    return float(h.negatives) / float(h.positives) if h.positives and h.negatives else 1.0


def _owner(row: SlopeInterval) -> Any:
    """The model, or who decides at the ends."""
    if (row.fpr, row.tpr) == (0.0, 0.0):
        return "flag nobody"
    return "flag all" if (row.fpr, row.tpr) == (1.0, 1.0) else row.model


def strip(
    h: Hull, ax: Axes | None = None, *, ratio: float | None = None, shares: Mapping[Any, Sequence[float]] | None = None,
    ratios: Sequence[float] = (), prevalence: Any = None,
) -> Axes:  # fmt: skip
    """Draw which model is cheapest at each cost of a miss, expressed in false alarms; `ratio` marks your costs.

    For one model, the thresholds are shown. `shares` (the share of resamples in which each model is cheapest, at each
    of the `ratios`) are drawn below and show how uncertain the borders are; `prevalence` replaces the prevalence in the
    data.

    >>> from rocscope import hull as hulls
    >>> ax = strip(hulls.hull({"C4.5": (0.2, 0.7), "SVM": (0.5, 0.95)}))
    >>> [text.get_text() for text in ax.texts][:2]
    ['C4.5', 'SVM']
    """
    if len(ratios) > 0 and not shares:
        raise RocscopeError("ratios= needs shares=", hint="Give the shares of resamples at each ratio too")
    ax = theme.axes(ax, width=7.2, height=1.9 if shares else 1.5)
    low, high = ends(h, ratio, prevalence=prevalence)
    floor = 1.15 if shares else 0.0
    free_space.settle(ax)
    if h.why:
        theme.write(ax, 0.5, 0.5, h.why, transform=ax.transAxes, ha="center", color=theme.WARN)
    elif len(h.models) <= 1:
        _thresholds(ax, pieces(h, low=low, high=high, each=True, prevalence=prevalence), (low, high), floor, ratio)
    else:
        _models(ax, h, pieces(h, low=low, high=high, prevalence=prevalence), (low, high), floor, ratio)
    slots = styles(h.models, h.dominated)
    if shares:
        _draw_shares(ax, shares, ratios, slots)
    if ratio is not None:
        ax.plot((ratio, ratio), (0, floor + 1.12), color=theme.INK, linewidth=1.2, zorder=5, gid="rocscope-now")
        theme.write(ax, ratio, floor + 1.14, f"now {_ratio_text(ratio)}", ha="center", va="bottom", color=theme.INK)
    _strip_axis(ax, low, high, floor + 1.0)
    return ax


def ends(h: Hull, ratio: float | None = None, *, prevalence: Any = None) -> tuple[float, float]:
    """Both ends of a strip, which contains the usual ratios, every change of the model, and your own ratio."""
    if ratio is not None and not 0 < ratio < math.inf:
        raise RocscopeError(f"a miss cannot cost {ratio} false alarms", hint="Give a positive ratio; 5 means 1 : 5")
    ranges = pieces(h, prevalence=prevalence)
    borders = [end for piece in ranges for end in (piece.low, piece.high) if 1e-4 < end < 1e5]
    inside = [*borders, *([] if ratio is None else [ratio])]
    far = MOST if any(end > 10 for end in inside) else 20.0
    return min([LEAST, *(end / 1.5 for end in inside)]), max([far, *(2 * end for end in inside)])


def _models(
    ax: Axes, h: Hull, ranges: Sequence[CheapestRange], axis: tuple[float, float], floor: float, ratio: float | None
) -> None:
    """Every piece in the color of its model, with its name and thresholds where they fit."""
    slots = styles(h.models, h.dominated)
    named = set()
    for piece in ranges:
        trivial = _is_trivial(piece, slots)
        color = theme.LINE if trivial else theme.style_of(slots.get(piece.model, 0)).color
        name = theme.inert(piece.model)
        text = name if trivial else f"{name} {_threshold_range(piece)}".rstrip()
        _block(ax, piece, color, axis, floor)
        if _write_in(ax, piece, (text, name), axis, floor, ratio, theme.INK2 if trivial else theme.PAPER):
            named.add(piece.model)
    if {one.model for one in ranges if one.model in slots} - named:
        _key_above(ax, [model for model in slots if slots[model]], slots, 0.16 if ratio is not None else 0.0)


def _thresholds(
    ax: Axes, ranges: Sequence[CheapestRange], axis: tuple[float, float], floor: float, ratio: float | None
) -> None:
    """One model: every threshold a block, two shades in turn, written where it fits; the ends are said above."""
    from matplotlib.colors import to_rgb

    plain = to_rgb(theme.MODELS[0].color)
    shades = (plain, tuple(0.72 * part for part in plain))  # white text has a contrast of at least 4.5:1 on both
    for index, piece in enumerate(ranges):
        trivial = _is_trivial(piece, ())
        _block(ax, piece, theme.LINE if trivial else shades[index % 2], axis, floor, line=0.0)
        text = str(piece.model) if trivial else "" if piece.first is None else _setting(piece.first)
        _write_in(ax, piece, (text,), axis, floor, ratio, theme.INK2 if trivial else theme.PAPER)
    settings = [one for one in ranges if not _is_trivial(one, ()) and one.first is not None]
    if settings:
        whole = CheapestRange(*axis, None, settings[0].first, settings[-1].last)
        left = ratio is None or ratio > math.sqrt(axis[0] * axis[1])  # away from the mark of the current cost ratio
        theme.write(ax, 0 if left else 1, 1.02, f"cheapest threshold: {_threshold_range(whole).removeprefix('at ')}",
                   transform=ax.transAxes, ha="left" if left else "right", va="bottom",
                   gid="rocscope-range")  # fmt: skip


def _is_trivial(piece: CheapestRange, models: Container[Any]) -> bool:
    return piece.model in ("flag nobody", "flag all") and piece.model not in models


def _block(
    ax: Axes, piece: CheapestRange, color: Any, axis: tuple[float, float], floor: float, line: float = 1.5
) -> None:
    ax.fill_between((piece.low, piece.high), floor, floor + 1, color=color, linewidth=0, gid="rocscope-piece")
    if piece.high < axis[1] and line:
        ax.plot((piece.high, piece.high), (floor, floor + 1), color=theme.PAPER, linewidth=line)


def _write_in(
    ax: Axes,
    piece: CheapestRange,
    texts: Sequence[str],
    axis: tuple[float, float],
    floor: float,
    ratio: float | None,
    color: str,
) -> bool:
    """Write the first text that fits into a piece, beside the mark of where you are; whether one did."""
    parts = [(piece.low, piece.high)]
    if ratio is not None and piece.low < ratio < piece.high:
        parts = sorted([(piece.low, ratio), (ratio, piece.high)], key=lambda part: part[0] / part[1])
    for text in filter(None, texts):
        written = theme.write(ax, 1, floor + 0.5, text, ha="center", va="center", color=color)
        width = free_space.extent(ax, written)[2] + 0.012
        for left, right in parts:
            if width < math.log(right / left) / math.log(axis[1] / axis[0]):
                written.set_x(math.sqrt(left * right))
                return True
        written.remove()
    return False


def _key_above(ax: Axes, models: Sequence[Any], slots: Mapping[Any, int], lift: float) -> None:
    """The colors of the models, where some piece is too narrow for its name."""
    from matplotlib.patches import Patch

    patches = [Patch(color=theme.style_of(slots[model]).color, linewidth=0) for model in models]
    legend = ax.legend(patches, [theme.inert(model) for model in models], loc="lower left", ncols=5, frameon=False,
                     fontsize="small", bbox_to_anchor=(0, 1 + lift), borderaxespad=0, handlelength=1)  # fmt: skip
    for text in legend.get_texts():
        text.set(color=theme.INK2, **theme.PLAIN)


def _threshold_range(piece: CheapestRange) -> str:
    if piece.first is None:
        return ""
    first, last = _setting(piece.first), _setting(piece.last)
    return f"at {first}" if first == last else f"at {first} to {last}"


def _setting(threshold: Any) -> str:
    plain = isinstance(threshold, float) and math.isfinite(threshold)
    return significant(threshold) if plain else threshold_text(threshold)


def _draw_shares(
    ax: Axes, shares: Mapping[Any, Sequence[float]], ratios: Sequence[float], slots: Mapping[Any, int]
) -> None:
    from matplotlib.colors import to_rgba

    order = [model for model in slots if model in shares]
    colors = [to_rgba(theme.style_of(slots[model]).color, 0.42) for model in order]
    ax.stackplot(ratios, *(shares[model] for model in order), colors=colors, linewidth=0)
    theme.write(ax, 0.008, 0.06, "share of resamples in which each is cheapest", transform=ax.get_yaxis_transform(),
               fontsize="x-small", color=theme.INK)  # fmt: skip


def _strip_axis(ax: Axes, low: float, high: float, top: float) -> None:
    from matplotlib.ticker import NullLocator

    ax.set_xscale("log")
    ax.set_xlim(low, high)
    ax.set_ylim(0, top + 0.02)
    ticks = [t for t in (0.001, 0.01, 0.1, 0.5, 1, 2, 5, 10, 20, 50, 100, 1000, 10000) if low <= t <= high]
    theme.frame(ax, x="cost of a false alarm : a miss", grid="")
    ax.xaxis.set_minor_locator(NullLocator())
    ax.set_xticks(ticks, [_ratio_text(tick) for tick in ticks])
    ax.yaxis.set_visible(False)
    ax.spines["left"].set_visible(False)


def _ratio_text(ratio: float) -> str:
    return ratio_text(1 / ratio)
