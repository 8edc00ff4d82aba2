"""The style of every figure: colors and dashes of models, thin frames, names as plain text, files.

Nothing here uses pyplot or changes rcParams: either a separate figure is created, or the user's Axes is used.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rocscope.errors import RocscopeError
from rocscope.estimate import Estimate
from rocscope.plots import free_space
from rocscope.record import record
from rocscope.report import escape

if TYPE_CHECKING:
    from matplotlib.axes import Axes

PX = 0.75  # points per CSS pixel, so that sizes match those of the HTML page
PAPER, LINE, GRID = "#ffffff", "#e2e5ea", "#eceef1"
INK, INK2, INK3, MUTE, AMBER = "#14181d", "#454e59", "#626c78", "#67717c", "#d9822b"
WARN = "#8a4600"
THICK, THIN = 2.75 * PX, 1.6 * PX
LONGEST = 24  # maximum number of characters of a name
ENDINGS = ("svg", "pdf", "png")
PLAIN: dict[str, Any] = {"parse_math": False, "usetex": False}  # never interpret TeX or math in a text
AXIS_NAME: dict[str, Any] = {"color": INK3, "fontsize": "small", **PLAIN}


@record(slots=True)
class Style:
    """The color and the dash (in pixels, () for a solid line) of a model."""

    color: str
    dash: tuple[float, ...] = ()

    def line(self, *, chosen: bool) -> dict[str, Any]:
        """The keywords of a line: the chosen model's is solid and thick, others are thin and dashed."""
        width = THICK if chosen else THIN
        # matplotlib measures dashes in units of the line width
        dash = "-" if chosen or not self.dash else (0, tuple(part * PX / width for part in self.dash))
        return {"color": self.color, "linewidth": width, "linestyle": dash, "solid_joinstyle": "round"}


MODELS = (
    Style("#0067c0"),
    Style("#b34700", (7, 3)),
    Style("#00694f", (2, 2.5)),
    Style("#87378c", (9, 3, 2, 3)),
    Style("#4d3d00", (5, 5)),
)
MUTED = Style(MUTE, (1, 3))


def style_of(model: int) -> Style:
    """The style of models 1 to 5; all others are muted.

    >>> style_of(2).color, style_of(0).dash
    ('#b34700', (1, 3))
    """
    return MODELS[model - 1] if 1 <= model <= len(MODELS) else MUTED


# ---- Axes ----


def axes(ax: Axes | None, *, width: float = 4.6, height: float = 4.6) -> Axes:
    """The user's Axes, or new Axes in a separate figure."""
    if ax is not None:
        return ax
    _installed()
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained", facecolor=PAPER)
    new: Axes = figure.add_subplot()
    new.set_gid("rocscope")  # marks a figure created here, whose axis names can be placed as on the HTML page
    for shown in (new, figure):  # pyplot does not know the figure, so notebooks need _repr_png_
        shown._repr_png_ = partial(picture, new, "png", dpi=110)  # type: ignore[union-attr]
    return new


def _installed() -> None:
    try:
        import matplotlib  # noqa: F401
    except ImportError:
        raise RocscopeError(
            "figures need matplotlib, which is not installed", hint='pip install "rocscope[plot]"'
        ) from None


def frame(ax: Axes, *, x: str = "", y: str = "", grid: str = "both") -> None:
    """Draw thin spines, a pale grid below everything, and the names of the axes at their ends."""
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)
    for side in ("left", "bottom"):
        ax.spines[side].set(linewidth=0.6, color=INK3)
    ax.tick_params(width=0.6, length=3, color=INK3, labelcolor=INK3, labelsize="small")
    ax.set_axisbelow(True)
    if grid:
        ax.grid(True, axis=grid, color=GRID, linewidth=0.8)  # type: ignore[arg-type]
    if x:
        ax.set_xlabel(f"{x} →", loc="right", **AXIS_NAME)
    if y:
        ax.set_ylabel(f"{y} →", loc="top", **AXIS_NAME)
    # in our own figure the y label is horizontal above the axis; in others the title may be in use
    if y and ax.get_gid() == "rocscope":
        ax.yaxis.label.set_visible(False)
        ax.set_title(f"↑ {y}", loc="left", pad=5, **AXIS_NAME)


def roc_plane(ax: Axes, *, zorder: float = 1.5) -> None:
    """Draw ROC space: its axes, and the diagonal of chance."""
    frame(ax, x="false positive rate", y="true positive rate (recall)")
    unit_square(ax)
    chance(ax, (0, 1), (0, 1), zorder=zorder)


def chance(ax: Axes, x: Sequence[float], y: Sequence[float], *, zorder: float = 1.5) -> None:
    """Draw the dotted line of random scores."""
    ax.plot(x, y, color=MUTE, linewidth=1, linestyle=(0, (1, 2.2)), zorder=zorder, gid="rocscope-chance")


def named_rows(ax: Axes, names: Sequence[str], *, x: str) -> None:
    """Set up rows one below the other, with their names on the left."""
    frame(ax, x=x, grid="x")
    ax.spines["left"].set_visible(False)
    ax.set_ylim(len(names) - 0.4, -0.6)
    plain_ticks(ax.yaxis, range(len(names)), names)
    ax.tick_params(axis="y", length=0, labelcolor=INK)


def whisker(ax: Axes, estimate: Estimate, y: float, color: str, *, size: float = 4.5, remark: str = "") -> None:
    """Draw a dot with its whisker in a row, and its numbers on the right."""
    if not math.isnan(estimate.low):
        ax.plot((estimate.low, estimate.high), (y, y), color=color, linewidth=1.3, solid_capstyle="butt", marker="|",
                markersize=5, gid="rocscope-whisker")  # fmt: skip
    ax.plot(estimate.value, y, "o", color=color, markersize=size, gid="rocscope-dot", zorder=3)
    write(ax, 1.02, y, f"{numbers(estimate)}  {remark}".rstrip(), transform=ax.get_yaxis_transform(), va="center")


def lift_title(ax: Axes, beside: Any) -> None:
    """In rocscope's own figures, move the name of the vertical axis up a line if a text would nearly touch it."""
    title = ax.get_title(loc="left")
    if not title or ax.get_gid() != "rocscope":
        return
    free_space.settle(ax)
    ends = free_space.extent(ax, write(ax, 0, 1, title))[2]
    ax.texts[-1].remove()
    if ends > free_space.extent(ax, beside)[0] - 0.06:
        ax.set_title(title, loc="left", pad=17, **AXIS_NAME)


def unit_square(ax: Axes) -> None:
    """Draw both axes from 0 to 1 with the same ticks, in a square; lines on the edge are not cut."""
    unit(ax.set_xlim, ax.set_xticks)
    unit(ax.set_ylim, ax.set_yticks)
    ax.set_aspect("equal", adjustable="box")


def unit(set_limits: Any, set_ticks: Any) -> None:
    """Set an axis to 0 to 1, with a little room so that lines on the edge are not cut."""
    set_limits(-0.01, 1.01)
    set_ticks((0, 0.25, 0.5, 0.75, 1), ("0", "0.25", "0.5", "0.75", "1"))


# ---- names ----


def inert(text: Any, *, longest: int = LONGEST) -> str:
    """A name as displayed: control and direction characters are visible, and long names are cut in the middle.

    Markup, $ and backslashes are unchanged: every text is drawn with `parse_math=False` and without TeX.

    >>> inert("$x^2$"), inert("a" + chr(0x202E) + "b"), inert("_hidden")
    ('$x^2$', 'a\\\\u202eb', ' _hidden')
    """
    shown = escape(str(text))
    if len(shown) > longest:
        half = (longest - 1) // 2
        shown = f"{shown[:half]}…{shown[-half:]}"
    # matplotlib omits labels that begin with an underscore from the legend
    return f" {shown}" if shown.startswith("_") else shown


def numbers(estimate: Estimate) -> str:
    """The value and its limits, without the test and the reason.

    >>> numbers(Estimate(0.88, 0.86, 0.90, 0.95, p=0.02)), numbers(Estimate(0.875, why="no limits"))
    ('0.880 [0.860, 0.900]', '0.875')
    """
    text = str(estimate)
    return text[: text.index("]") + 1] if "[" in text else text.split(" ", maxsplit=1)[0]


def write(ax: Axes, x: float, y: float, text: str, **how: Any) -> Any:
    """Write a small plain text at a place."""
    return ax.text(x, y, text, **{"fontsize": "small", "color": INK2, **how, **PLAIN})


def note(ax: Axes, x: float, y: float, text: str, **how: Any) -> Any:
    """Write a small text beside a point, `offset` points away."""
    from matplotlib.patheffects import withStroke

    offset = how.pop("offset", (5, 0))
    halo = [withStroke(linewidth=2, foreground=PAPER)]  # keeps lines behind the text from running through it
    return ax.annotate(
        text, (x, y), xytext=offset, textcoords="offset points", path_effects=halo,
        **{"fontsize": "small", "color": INK2, "va": "center", **how, **PLAIN},
    )  # fmt: skip


def plain_ticks(axis: Any, at: Sequence[float], names: Sequence[str]) -> None:
    """Draw ticks with the user's names, as plain text."""
    axis.set_ticks(list(at), labels=list(names))
    for tick in axis.get_major_ticks(len(names)):
        for label in (tick.label1, tick.label2):  # both sides, as the user may move the labels
            label.set(**PLAIN)


SIDES = (((6, -5), "left", "top"), ((6, 5), "left", "bottom"), ((-6, 5), "right", "bottom"),
         ((-6, -5), "right", "top"), ((0, -7), "center", "top"), ((0, 7), "center", "bottom"))  # fmt: skip


def note_free(ax: Axes, spots: Sequence[tuple[float, float]], text: str, **how: Any) -> Any:
    """Write a small text beside one of the points, on the side where it covers least."""
    free_space.settle(ax)
    tries = [(x, y, {"offset": at, "ha": ha, "va": va}) for x, y in spots for at, ha, va in SIDES]
    taken = []
    for x, y, side in tries:
        tried = note(ax, x, y, text, **side)
        box = free_space.extent(ax, tried)
        tried.remove()
        taken.append(free_space.count(ax, box))
    x, y, side = tries[taken.index(min(taken))]
    return note(ax, x, y, text, **{**how, **side})


def key(ax: Axes, *, place: str = "lower right") -> None:
    """Draw a key: the names of all lines so far, in their colors and without a box, at a place that no line crosses.

    If no place is free, rocscope's own figure is widened for it; in the user's Axes, it has a pale background.
    """
    named = [(artist, artist.get_label()) for artist in (*ax.get_lines(), *ax.collections) if _named(artist)]
    if not named:
        return
    handles, labels = zip(*sorted(named, key=lambda pair: pair[0].get_gid() == "rocscope-chance"), strict=True)
    how: dict[str, Any] = {
        "loc": "lower left", "frameon": False, "fontsize": "small", "handlelength": 2.6, "labelspacing": 0.35,
        "borderaxespad": 0.0, "borderpad": 0.0,
    }  # fmt: skip
    if (before := ax.get_legend()) is not None:
        before.remove()
    legend = ax.legend(handles, labels, bbox_to_anchor=(0, 0), **how)
    free_space.settle(ax)
    size = free_space.extent(ax, legend)[2:]
    at = free_space.free(ax, size, place) or free_space.free(ax, size, place, faint=False)
    own = ax.get_gid() == "rocscope"
    if at is None and own:
        inches = legend.get_window_extent().width / ax.figure.dpi
        legend = ax.legend(handles, labels, **{**how, "loc": "upper left"}, bbox_to_anchor=(1.03, 1))
        _grow(ax, inches)
    elif at is None:
        legend = ax.legend(handles, labels, **{**how, "loc": place, "borderaxespad": 0.6, "borderpad": 0.3},
                         facecolor=PAPER, edgecolor=PAPER, framealpha=0.85)  # fmt: skip
        legend.set_frame_on(True)
    else:
        legend.set_bbox_to_anchor(at, transform=ax.transAxes)
    for text, handle in zip(legend.get_texts(), handles, strict=True):
        text.set(color=_ink(handle), **PLAIN)


def _grow(ax: Axes, inches: float) -> None:
    """Room at the right of our own figure; what was made before stays as large as it is."""
    figure: Any = ax.figure
    width, height = figure.get_size_inches()
    base = height if ax.get_aspect() == 1 else height * 5.4 / 3.9
    figure.set_size_inches(max(width, base + inches + 0.15), height)
    ax.set_anchor("W")


def end_labels(ax: Axes) -> None:
    """Write the name of each line at its right end, moved apart if they would touch, so that no key is needed."""
    right = ax.get_xlim()[1]
    for text in [label for label in ax.texts if label.get_gid() == "rocscope-end"]:
        text.remove()
    line_ends = [
        (float(_end(get_line, right)), get_line)
        for get_line in ax.get_lines()
        if _named(get_line) and get_line.get_label()
    ]
    low, high = ax.get_ylim()
    bound = 0.0
    for y, line in sorted(line_ends, key=lambda pair: pair[0]):
        bound = max((y - low) / (high - low), bound + 0.055)
        write(ax, 1.015, bound, str(line.get_label()), transform=ax.transAxes, va="center", color=line.get_color(),
              gid="rocscope-end")  # fmt: skip


def _end(line: Any, right: float) -> float:
    """The height of a line at the right edge."""
    x, y = line.get_data()
    return float(y[max(0, int((x <= right).sum()) - 1)])


def _named(artist: Any) -> bool:
    gid = str(artist.get_gid() or "")
    return gid.startswith("rocscope-model") or (gid == "rocscope-chance" and not artist.get_label().startswith("_"))


def _ink(handle: Any) -> str:
    return str(handle.get_color()) if hasattr(handle, "get_color") else INK2


def once(ax: Axes, what: str) -> bool:
    """Whether something (such as the chance line) has not been drawn in these Axes yet."""
    return all(artist.get_gid() != f"rocscope-{what}" for artist in (*ax.get_lines(), *ax.texts, *ax.collections))


# ---- files ----


NEAR = 0.08  # distance along an axis from 0 to 1 within which names of two thresholds overlap


def operating_point(ax: Axes, at: tuple[Any, Any], words: str, color: str) -> None:
    """Draw a filled dot at the operating point, with the threshold beside it."""
    from matplotlib.patheffects import withStroke

    x, y = map(float, at)
    for beside in ax.texts:  # the name of this threshold stands where those of its neighbors would
        away = max(abs(a - b) for a, b in zip(getattr(beside, "xy", (x, y)), (x, y), strict=True))
        if beside.get_gid() == "rocscope-threshold" and away < NEAR:
            beside.set_visible(False)
    look: dict[str, Any] = {"color": color, "edgecolor": PAPER, "linewidth": 1.2, "zorder": 6, "gid": "rocscope-point"}
    ax.scatter([x], [y], s=34, **look)
    side: dict[str, Any] = {"xytext": (-8, -4), "ha": "right"} if x > 0.8 else {"xytext": (8, -4), "ha": "left"}
    font: dict[str, Any] = {"color": INK, "fontsize": "small", "fontweight": "bold", "zorder": 7}
    text = ax.annotate(words, (x, y), textcoords="offset points", va="top", **side, **font)
    text.set_path_effects([withStroke(linewidth=2.5, foreground=PAPER)])


def check_ending(path: str | Path) -> str:
    """The format that the extension of a file name implies: svg, pdf or png."""
    ending = Path(path).suffix.lower().removeprefix(".")
    if ending not in ENDINGS:
        raise RocscopeError(
            f"cannot determine an image format from the extension of '{path}'", hint="Use .svg, .pdf or .png"
        )
    _installed()
    return ending


def picture(ax: Axes, ending: str, *, dpi: int = 200) -> bytes:
    """The figure of an Axes as the bytes of an SVG, PDF or PNG file; the same figure gives the same bytes."""
    from matplotlib.figure import Figure

    figure = ax.figure if isinstance(ax.figure, Figure) else ax.figure.figure
    sink = BytesIO()
    stamp = {"svg": {"Date": None}, "pdf": {"CreationDate": None}, "png": {"Software": None}}[ending]
    with _file_settings():
        figure.savefig(sink, format=ending, dpi=dpi, metadata=stamp)
    return sink.getvalue()


def save(ax: Axes, path: str | Path, *, dpi: int = 200, force: bool = False) -> None:
    """Write the figure of an Axes to an .svg, .pdf or .png file, completely or not at all; the bytes are
    reproducible.
    """
    from rocscope.report import check_target, write_file

    ending = check_ending(path)
    check_target(path, force=force)
    write_file(path, picture(ax, ending, dpi=dpi), force=force)


@contextmanager
def _file_settings() -> Iterator[None]:
    """While a file is written: ids that are not random, letters as outlines in SVG and as TrueType in PDF."""
    import matplotlib

    with matplotlib.rc_context({"svg.hashsalt": "rocscope", "svg.fonttype": "path", "pdf.fonttype": 42}):
        yield
