"""Drawings of curves: the line, its band, the chance line, and labels of thresholds."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from rocscope import curves, intervals
from rocscope.curves import Curve
from rocscope.errors import RocscopeError
from rocscope.estimate import wilson_limits
from rocscope.plots import free_space, theme
from rocscope.plots.spaces import Space, chance_of, drawn_range, space_of
from rocscope.table import ScoreTable

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Line = tuple[Any, Any, str]
MOST = 4000  # maximum number of points of a line; more are not visible and make large files
APART = 0.06  # minimum distance between labeled thresholds, as a share of the axes
RATES = (0.001, 0.01, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 0.9, 0.95, 0.99)  # ticks of a normal-deviate axis


def curve(
    one: Curve,
    ax: Axes | None = None,
    *,
    label: str = "",
    model: int = 1,
    chosen: bool = True,
    band: bool = True,
    thresholds: Sequence[float] | None = None,
    level: float = 0.95,
) -> Axes:
    """Draw a curve in the given Axes or a new one, and return the Axes.

    `model` (1 to 5) selects the color and the dash pattern, 0 a muted color; a curve that is not `chosen` is thin and
    dashed, without a band or thresholds. `band` draws a pointwise band at the `level`; `thresholds` are marked on a ROC
    curve, () for none.

    >>> from rocscope.table import ScoreTable
    >>> ax = curve(curves.roc(ScoreTable.from_scores([1, 0, 1, 1, 0], [0.9, 0.8, 0.8, 0.8, 0.1])))
    >>> ax.get_xlabel(), ax.get_lines()[2].get_xydata().tolist()[:3]
    ('false positive rate →', [[0.0, 0.0], [0.0, 0.3333333333333333], [0.5, 1.0]])
    """
    space = space_of(one)
    ax = theme.axes(ax, **({} if space.square or one.kind == "det" else {"width": 5.4, "height": 3.9}))
    _furnish(ax, one, space)
    x, y, steps = outline(one)
    if not np.isfinite(y).any():
        theme.write(ax, 0.5, 0.5, one.why or "nothing to draw", transform=ax.transAxes, ha="center", color=theme.WARN)
        return ax
    style = theme.style_of(model)
    if band and chosen:
        _band(ax, one, style, level)
    if chosen and one.kind in UNDER:
        UNDER[one.kind](ax, one, style)
    line = ax.plot(x, y, drawstyle=steps, **style.line(chosen=chosen))[0]
    line.set(zorder=3 if chosen else 2.5, gid="rocscope-model", label=_label(one, space, label, level))
    if one.kind == "roc" and chosen:
        _write_thresholds(ax, one, style, thresholds)
    if one.kind == "net_benefit":
        theme.end_labels(ax)
    elif label or space.statistic:
        _move_chance(ax, space)
        theme.key(ax, place=space.place)
    return ax


def _label(plotted: Curve, space: Space, label: str, level: float) -> str:
    """The name of the model and the number that belongs to the curve, with its interval."""
    name = theme.inert(label) if label else ""
    if not space.statistic or plotted.table is None:
        return name
    estimate = intervals.of(plotted.table, space.statistic, level=level)
    if estimate.value != estimate.value:
        return name
    shown = theme.numbers(estimate)
    return f"{name}  {shown}" if name else f"{space.short} {shown}"


# ---- axes and chance line ----


def _furnish(ax: Axes, plotted: Curve, space: Space) -> None:
    """The frame, the ranges and the line of chance, once for all curves in the same Axes."""
    if not theme.once(ax, "plane"):
        _widen(ax, plotted, space)
        return
    theme.frame(ax, x=space.x, y=space.y)
    if plotted.kind == "det":
        _deviates(ax)
    elif space.square:
        theme.unit_square(ax)
    else:
        if space.unit_x:
            theme.unit(ax.set_xlim, ax.set_xticks)
        if space.unit_y:
            theme.unit(ax.set_ylim, ax.set_yticks)
    ax.plot([], [], gid="rocscope-plane")
    _widen(ax, plotted, space)
    chance = chance_of(plotted, space)
    if chance is not None:
        (x, y), says = chance
        theme.chance(ax, x, y)
        _name_chance(ax, space, y, says)


def _name_chance(ax: Axes, space: Space, y: Sequence[float], says: str) -> None:
    at: tuple[float, float] = (0.01, y[0])
    how: dict[str, Any] = {"va": "bottom"}
    if len(y) == 3:
        at, how = (0.25, 0.25), {"ha": "right", "va": "bottom"}
    elif space.square and y[1] > y[0]:
        at, how = (0.86, 0.86), {"rotation": 45, "rotation_mode": "anchor", "va": "top", "ha": "center"}
    theme.write(ax, *at, says, color=theme.MUTE, gid="rocscope-chance", **how)


def _move_chance(ax: Axes, space: Space) -> None:
    """The name of a diagonal goes where no curve runs; where one runs everywhere, into the key."""
    text = next(
        (artist for artist in ax.texts if artist.get_gid() == "rocscope-chance" and artist.get_rotation() == 45), None
    )
    if text is None:
        return
    free_space.settle(ax)
    text.set(visible=True, rotation=0)  # an invisible text has no extent
    width, height = free_space.extent(ax, text)[2:]
    text.set(rotation=45)
    at = _beside_diagonal(free_space.ink(ax, leave="rocscope-chance"), width, height)
    line = next(get_line for get_line in ax.get_lines() if get_line.get_gid() == "rocscope-chance")
    line.set_label("_" if at else space.says)
    text.set_visible(at is not None)
    if at:
        spot, side = at
        text.set(position=(spot - 0.008 * side, spot + 0.008 * side), va="top" if side < 0 else "bottom")


def _beside_diagonal(points: Any, width: float, height: float) -> tuple[float, int] | None:
    """The share of the diagonal, and below (-1) or above it (1), where a text of that size meets none of the points."""
    run, rise = (points[:, 0] + points[:, 1]) / 2**0.5, (points[:, 1] - points[:, 0]) / 2**0.5
    for spot in (0.86, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.22):
        near = np.abs(run - spot * 2**0.5) < width / 2 + 0.01
        for side in (-1, 1):
            if not (near & (side * rise > -0.012) & (side * rise < height + 0.02)).any():
                return spot, side
    return None


def _widen(ax: Axes, plotted: Curve, space: Space) -> None:
    """Ranges that are not fixed grow with each curve, never shrink."""
    if plotted.kind == "net_benefit":
        _benefit_range(ax, plotted)
    elif not space.unit_y and plotted.kind != "det":
        low, high = drawn_range(plotted)
        before = (low, high) if theme.once(ax, "model") else ax.get_ylim()
        ax.set_ylim(min(low, before[0]), max(high, before[1], 0.55 if plotted.kind == "cost" else high))


def _benefit_range(ax: Axes, plotted: Curve) -> None:
    share = float(np.nanmax(plotted.net_benefit)) if np.isfinite(plotted.net_benefit).any() else 1.0
    before = (0.0, 0.0) if theme.once(ax, "model") else ax.get_ylim()
    ax.set_ylim(min(-150 * share, before[0]), max(1100 * share, before[1]))
    ends = (0.0, 0.5) if share < 0.25 else (0.0, 1.0)
    ax.set_xlim(*ends)
    ticks = np.linspace(*ends, 6)
    ax.set_xticks(ticks, [f"{100 * tick:.0f} %" for tick in ticks])


def _deviates(ax: Axes) -> None:
    """Axes of normal deviates, their ticks written as rates."""
    from scipy.special import ndtri

    deviates = ndtri(np.array(RATES))
    names = [f"{100 * rate:g} %" for rate in RATES]
    for axis in (ax.xaxis, ax.yaxis):
        theme.plain_ticks(axis, deviates, names)
    ax.set_xlim(ndtri(0.0008), ndtri(0.992))
    ax.set_ylim(ndtri(0.0008), ndtri(0.992))
    ax.set_aspect("equal", adjustable="box")
    ax.tick_params(axis="x", labelrotation=45)


# ---- the curve itself ----


def outline(plotted: Curve) -> Line:
    """The columns to draw, and whether they are joined by straight lines or by steps between thresholds."""
    if plotted.kind == "pr" and plotted.table is not None:
        plotted = curves.pr_points(plotted.table)  # precision is not linear between thresholds
    if plotted.kind == "net_benefit":
        return _benefit(plotted)
    if plotted.kind == "calibration":
        return _calibration(plotted)
    if plotted.kind == "det":
        x, y = plotted.probit_fpr, plotted.probit_fnr
        inside = np.isfinite(x) & np.isfinite(y)
        return x[inside], y[inside], "default"
    plotted = plotted.thin(MOST) if len(plotted) > MOST and plotted.steps else plotted
    x, y = plotted.xy
    inside = np.isfinite(x) & np.isfinite(y)
    if plotted.x != "threshold":
        return x[inside], y[inside], "default"
    turn, steps = _steps(plotted)
    return x[inside][turn], y[inside][turn], steps


def _steps(plotted: Curve) -> tuple[slice, str]:
    """How rows are turned and joined: thresholds run from the most positive down, a row holds to the next one up."""
    return (slice(None, None, -1), "steps-pre") if plotted.higher_is_positive else (slice(None), "steps-post")


def _benefit(plotted: Curve) -> Line:
    """The decision curve from risk 0 up, per 1,000 cases, at every percent where its rows are the observed scores."""
    if plotted.table is not None and len(plotted) == len(plotted.table) + 1:
        plotted = curves.net_benefit(plotted.table, pt=[k / 400 for k in range(400)])
    x, y = plotted.thresholds, plotted.net_benefit
    inside = np.isfinite(x) & np.isfinite(y)
    order = np.argsort(x[inside], kind="stable")
    return x[inside][order], 1000 * y[inside][order], "default"


def is_isotonic(plotted: Curve) -> bool:
    """Whether a reliability diagram is the isotonic one, without bins."""
    if plotted.table is None:
        return False
    plain = curves.calibration(plotted.table)
    return len(plain) == len(plotted) and bool(np.array_equal(plain.low, plotted.low))


def _calibration(plotted: Curve) -> Line:
    """Without bins each block is flat from its lowest to its highest score; bins are points at their mean score."""
    if is_isotonic(plotted):
        return np.column_stack((plotted.low, plotted.high)).ravel(), np.repeat(plotted.observed, 2), "default"
    full = plotted.column("count") > 0
    return plotted.score[full], plotted.observed[full], "default"


# ---- background of the curve ----


def _cost_lines(ax: Axes, plotted: Curve, style: theme.Style) -> None:
    """The cost of single thresholds, whose lower edge is the curve."""
    if plotted.table is None or not theme.once(ax, "lines"):
        return
    from matplotlib.collections import LineCollection

    lines = curves.cost_lines(plotted.table).thin(60)
    pieces = [[(0.0, a), (1.0, b)] for a, b in zip(lines.fpr.tolist(), lines.fnr.tolist(), strict=True)]
    ax.add_collection(
        LineCollection(pieces, colors=theme.LINE, linewidths=0.7, zorder=1, gid="rocscope-lines"), autolim=False
    )


def _both_shares(ax: Axes, plotted: Curve, style: theme.Style) -> None:
    """The shares of positives and negatives, and where they are furthest apart."""
    turn, steps = _steps(plotted)
    inside = np.isfinite(plotted.thresholds)
    x = plotted.thresholds[inside][turn]
    for column, name, dash in ((plotted.tpr, "positives", "-"), (plotted.fpr, "negatives", (0, (4, 2)))):
        drawn = ax.plot(
            x, column[inside][turn], drawstyle=steps, color=theme.INK2, linewidth=theme.THIN, linestyle=dash
        )
        drawn[0].set(gid="rocscope-model", label=name)
    top = int(np.nanargmax(plotted.gap))
    ends = (plotted.fpr[top], plotted.tpr[top])
    ax.plot([plotted.thresholds[top]] * 2, ends, color=theme.AMBER, linewidth=theme.THICK, gid="rocscope-gap")


def _treat_all(ax: Axes, plotted: Curve, style: theme.Style) -> None:
    """What it brings to flag everybody, and nobody."""
    if not theme.once(ax, "all") or plotted.table is None:
        return
    grid = np.linspace(0, 0.99, 199)
    everyone = 1000 * curves.net_benefit(plotted.table, pt=grid.tolist()).treat_all
    ax.plot(grid, everyone, color=theme.MUTE, linewidth=1, gid="rocscope-all", zorder=1.5)
    ax.axhline(0, color=theme.MUTE, linewidth=1, gid="rocscope-none", zorder=1.5)
    theme.write(ax, 0.99, 0, "flag nobody", transform=ax.get_yaxis_transform(), ha="right", va="top", color=theme.MUTE)
    bottom = ax.get_ylim()[0]
    row = int(np.argmax(everyone < 0.55 * bottom))
    theme.note(ax, float(grid[row]), float(everyone[row]), "flag all", color=theme.MUTE, clip_on=False)


def _scores_below(ax: Axes, plotted: Curve, style: theme.Style) -> None:
    """How many cases have which score, as faint bars on the floor; bins get their limits."""
    if plotted.table is None:
        return
    table = plotted.table
    scores = np.asarray(table.scores, dtype=float)
    height, edges = np.histogram(scores, bins=40, range=(0, 1), weights=np.asarray(table.pos + table.neg, dtype=float))
    tall = 0.1 * height / max(float(height.max()), 1e-300)
    ax.bar(edges[:-1], tall, width=np.diff(edges), align="edge", color=theme.LINE, zorder=1)
    if not is_isotonic(plotted) and not table.weighted:
        full = plotted.column("count") > 0
        count = plotted.column("count")[full]
        low, high = wilson_limits(plotted.observed[full] * count, count, level=0.95)
        ax.vlines(plotted.score[full], low, high, color=style.color, linewidth=1, zorder=2.8)
        ax.plot(plotted.score[full], plotted.observed[full], "o", color=style.color, markersize=3.5, zorder=3)


UNDER: Mapping[str, Callable[[Any, Curve, theme.Style], None]] = MappingProxyType(
    {"cost": _cost_lines, "ks": _both_shares, "net_benefit": _treat_all, "calibration": _scores_below}
)


# ---- confidence bands ----


def _band(ax: Axes, plotted: Curve, style: theme.Style, level: float) -> None:
    """A pointwise band where there is one; where there could be one and is not, the reason."""
    maker = BANDS.get(plotted.kind)
    if maker is None or plotted.table is None:
        return
    try:
        x, y = maker(plotted, level)
    except RocscopeError as error:
        theme.write(ax, 0.99, 0.01, f"no band: {error.message}", transform=ax.transAxes, ha="right", va="bottom",
                   fontsize="x-small", wrap=True)  # fmt: skip
        return
    area = ax.fill(x, y, color=style.color, alpha=0.16, linewidth=0, zorder=2, gid="rocscope-band")[0]
    what = "consistent with calibration" if plotted.kind == "calibration" else "pointwise"
    area.set_label(f"_{what} {100 * level:g} %")
    if theme.once(ax, "says-band"):
        says = theme.write(ax, 1.0, 1.01, f"band: {what}, {100 * level:g} %", transform=ax.transAxes, ha="right",
                          va="bottom", fontsize="x-small", color=theme.INK3, gid="rocscope-says-band")  # fmt: skip
        theme.lift_title(ax, says)


def band_outline(one: Curve, *, level: float = 0.95) -> tuple[Any, Any]:
    """The closed outline (x and y) of the pointwise band of a curve with a table.

    >>> from rocscope import ScoreTable, curves
    >>> x, y = band_outline(curves.roc(ScoreTable.from_scores([1, 1, 0, 0], [0.9, 0.4, 0.6, 0.1])))
    >>> len(x) == len(y)
    True
    """
    maker = BANDS.get(one.kind)
    if maker is None or one.table is None:
        raise RocscopeError(f"there is no band for a curve of kind '{one.kind}'", hint=f"Known: {', '.join(BANDS)}")
    return maker(one, level)


def _roc_band(plotted: Curve, level: float) -> tuple[Any, Any]:
    """The rectangles around all points together: through their upper left corners, back through the lower right."""
    table = _known(plotted)
    points = intervals.roc_points(table, level=level)
    assert points.left is not None and points.right is not None
    rows = _few(len(points))
    left, high = np.minimum.accumulate(points.left[rows][::-1])[::-1], np.maximum.accumulate(points.high[rows])
    right, low = np.maximum.accumulate(points.right[rows]), np.minimum.accumulate(points.low[rows][::-1])[::-1]
    return _around((0.0, *left, 1.0), (0.0, *high, 1.0), (0.0, *right, 1.0), (0.0, *low, 1.0))


def _pr_band(plotted: Curve, level: float) -> tuple[Any, Any]:
    """Wilson's limits of the precision at each threshold."""
    table = _known(plotted)
    if table.weighted:
        raise RocscopeError("weighted cases")
    tp, flagged = table.tp[1:].astype(float), (table.tp[1:] + table.fp[1:]).astype(float)
    rows = _few(len(tp))
    low, high = wilson_limits(tp[rows], flagged[rows], level=level)
    recall = tp[rows] / float(table.positives)
    return _around(recall, high, recall, low)


def _calibration_band(plotted: Curve, level: float) -> tuple[Any, Any]:
    """Where the curve would lie if the probabilities were right."""
    limits = intervals.calibration_band(_known(plotted), level=level)
    return _around(limits.x, limits.high, limits.x, limits.low)


def _sweep_band(plotted: Curve, level: float) -> tuple[Any, Any]:
    """Limits of the measure at up to eighty thresholds."""
    table = _known(plotted)
    if table.weighted:
        raise RocscopeError("weighted cases")
    rows = 1 + _few(len(table), 80)
    estimates = [table.at(float(table.thresholds[row])).estimate(plotted.y, level=level) for row in rows]
    kept = [
        (float(table.thresholds[row]), e.low, e.high) for row, e in zip(rows, estimates, strict=True) if e.low == e.low
    ]
    if not kept:
        raise RocscopeError(f"there is no interval for {plotted.y}")
    x, low, high = (np.array(column) for column in zip(*kept, strict=True))
    return _around(x, high, x, low)


BANDS: Mapping[str, Callable[[Curve, float], tuple[Any, Any]]] = MappingProxyType(
    {"roc": _roc_band, "pr": _pr_band, "calibration": _calibration_band, "sweep": _sweep_band}
)


def _known(plotted: Curve) -> ScoreTable:
    assert plotted.table is not None
    return plotted.table


def _few(count: int, most: int = 400) -> Any:
    """The numbers of at most this many rows, evenly, the last one too."""
    return np.unique(np.linspace(0, count - 1, min(count, most)).round().astype(int))


def _around(x: Any, y: Any, back_x: Any, back_y: Any) -> tuple[Any, Any]:
    return np.concatenate((x, np.asarray(back_x)[::-1])), np.concatenate((y, np.asarray(back_y)[::-1]))


# ---- threshold labels ----


def _write_thresholds(ax: Axes, plotted: Curve, style: theme.Style, thresholds: Sequence[float] | None) -> None:
    """Thresholds written on the curve, those too near to the one before left out."""
    written: list[tuple[float, float]] = [(0.0, 0.0), (1.0, 1.0)]
    for label in plotted.labels(thresholds):
        point = (label.x, label.y)
        if thresholds is None and min(max(abs(point[0] - x), abs(point[1] - y)) for x, y in written) < APART:
            continue
        written.append(point)
        ax.plot(*point, "o", markersize=3.6, markerfacecolor=theme.PAPER, markeredgecolor=style.color,
                markeredgewidth=1, zorder=3.2, gid="rocscope-threshold")  # fmt: skip
        theme.note(ax, *point, f"{label.threshold:g}", color=style.color, offset=(5, -5), fontsize="x-small",
                   gid="rocscope-threshold")  # fmt: skip
