"""The pictures of the page: colours that colour-blind readers can tell apart, names beside the lines."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.coverage import areas, counts
from benchmarks.coverage.models import models
from benchmarks.coverage.results import Results

# Okabe & Ito's palette, backed by dashes and markers
STYLES = {
    "newcombe": ("#0072B2", "-", "o"),
    "newcombe-plain": ("#56B4E9", "--", "s"),
    "delong": ("#D55E00", "-", "v"),
    "logit-delong": ("#E69F00", "--", "D"),
    "hanley-mcneil": ("#CC79A7", ":", "^"),
}
SHAPES = (("#0072B2", "o"), ("#D55E00", "s"), ("#009E73", "^"), ("#CC79A7", "D"), ("#000000", "x"))
LABELLED = {
    "wilson": ("#0072B2", "-"),
    "clopper-pearson": ("#000000", "-"),
    "jeffreys": ("#E69F00", "--"),
    "agresti-coull": ("#009E73", "-."),
    "mid-p": ("#CC79A7", ":"),
    "wald": ("#D55E00", "-"),
}
TITLES = {
    "newcombe": "newcombe (default)",
    "wilson": "wilson (default)",
    "mcnemar mid-p": "mid-P (default)",
    "mcnemar exact": "exact",
    "mcnemar chi2": "chi-square",
    "mcnemar chi2-corrected": "corrected",
}
TESTS = {"mid-p": "#0072B2", "exact": "#000000", "chi2": "#D55E00", "chi2-corrected": "#009E73"}


def draw(r: Results, folder: Path) -> list[Path]:
    """All pictures as SVG, the same bytes for the same results."""
    import matplotlib as mpl

    mpl.use("Agg")
    style = {
        "font.size": 9, "axes.spines.top": False, "axes.spines.right": False, "svg.hashsalt": "rocscope",
        "axes.titlesize": 9, "axes.grid": True, "grid.color": "#e5e5e5", "grid.linewidth": 0.6,
        "axes.axisbelow": True,
    }  # fmt: skip
    folder.mkdir(parents=True, exist_ok=True)
    made = []
    with mpl.rc_context(style):
        for name, picture in (
            ("auc", methods), ("default", default), ("proportions", proportions), ("mcnemar", mcnemar)
        ):  # fmt: skip
            made.append(folder / f"coverage-{name}.svg")
            figure = picture(r)
            figure.savefig(made[-1], metadata={"Date": None}, bbox_inches="tight")
            _close(figure)
    return made


def _close(figure: Any) -> None:
    from matplotlib import pyplot

    pyplot.close(figure)


def _panels(columns: int, *, height: float, width: float = 10.5) -> tuple[Any, Any]:
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(1, columns, figsize=(width, height), sharey=True, layout="constrained")
    return figure, np.atleast_1d(axes)


def _names(axis: Any, x: float, ends: dict[str, float], colours: dict[str, str], gap: float, top: float) -> None:
    """Each line's name beside its end, moved apart where names would overlap, tied to the line by its colour."""
    order = sorted(ends, key=lambda name: ends[name])
    heights = np.array([ends[name] for name in order])
    for i in range(1, len(heights)):
        heights[i] = max(heights[i], heights[i - 1] + gap)
    ceiling = top - gap * np.arange(len(heights))[::-1]
    for name, height in zip(order, np.minimum(heights, ceiling), strict=True):
        axis.annotate(
            TITLES.get(name, name), (x, ends[name]), (1.09, height), textcoords=axis.get_yaxis_transform(),
            color="#222222", va="center", fontsize=8.5, annotation_clip=False,
            arrowprops={"arrowstyle": "-", "color": colours[name], "shrinkA": 2, "shrinkB": 0, "relpos": (0, 0.5)},
        )  # fmt: skip


def _area_axis(axis: Any, title: str) -> None:
    axis.set_title(title)
    axis.set_xticks(range(len(areas.AREAS)), [f"{a:g}".lstrip("0") for a in areas.AREAS], fontsize=8)
    axis.grid(axis="x", visible=False)


# ---- one area ----


def methods(r: Results) -> Any:
    """Coverage of every method against the true AUC, one panel per size, mean over the score models."""
    figure, panels = _panels(len(areas.SIZES), height=3.4)
    ends: dict[str, float] = {}
    for axis, size in zip(panels, areas.SIZES, strict=True):
        axis.axhline(0.95, color="#000000", linewidth=0.8)
        for method, (colour, dash, marker) in STYLES.items():
            line = [_mean(r, size, area, method) for area in areas.AREAS]
            axis.plot(
                range(len(line)), line, dash, color=colour, marker=marker, markersize=4, linewidth=1.6,
                markeredgecolor="white", markeredgewidth=0.5,
            )  # fmt: skip
            ends[method] = line[-1]
        _area_axis(axis, f"{size[0]} / {size[1]} cases")
        axis.set_ylim(0, 1.02)
    panels[0].set_ylabel("coverage, mean of five score models")
    panels[-1].text(0, 0.93, "0.95", fontsize=7.5, va="top", ha="left")
    figure.supxlabel("true AUC (panels: positives / negatives)", fontsize=9)
    colours = {method: style[0] for method, style in STYLES.items()}
    _names(panels[-1], len(areas.AREAS) - 1, ends, colours, gap=0.06, top=1.0)
    return figure


def _mean(r: Results, size: tuple[int, int], area: float, method: str) -> float:
    found = [
        t[method].coverage
        for cell, t in r.areas.items()
        if (cell.positives, cell.negatives) == size and cell.area == area
    ]
    return float(np.mean(found)) if found else float("nan")


def default(r: Results) -> Any:
    """Coverage of the default in every cell, with two standard errors."""
    figure, panels = _panels(len(areas.SIZES), height=3.6)
    low = min(0.83, *(t[areas.DEFAULT].coverage - 0.01 for t in r.areas.values()))
    for axis, size in zip(panels, areas.SIZES, strict=True):
        axis.axhspan(0, 0.93, color="#f3f3f3", zorder=0)
        axis.axhline(0.95, color="#000000", linewidth=0.8)
        for i, (model, (colour, marker)) in enumerate(zip(models(), SHAPES, strict=True)):
            here = [(areas.AREAS.index(c.area), t[areas.DEFAULT]) for c, t in r.areas.items()
                    if c.model == model.name and (c.positives, c.negatives) == size]  # fmt: skip
            if here:
                axis.errorbar(
                    [x + 0.13 * (i - 2) for x, _ in here], [t.coverage for _, t in here],
                    [2 * t.error for _, t in here], fmt=marker, color=colour, markersize=4, linewidth=0.8,
                    label=model.name,
                )  # fmt: skip
        _area_axis(axis, f"{size[0]} / {size[1]} cases")
        axis.set_ylim(low, 1.003)
    panels[0].set_ylabel("coverage of the default (bars: ± 2 standard errors)")
    panels[0].text(-0.4, 0.9285, "under 0.93", fontsize=7, va="top", ha="left", color="#555555")
    figure.supxlabel("true AUC (panels: positives / negatives)", fontsize=9)
    handles, labels = panels[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", ncols=len(labels), frameon=False, fontsize=8.5)
    return figure


# ---- exact ----


def proportions(r: Results) -> Any:
    """Mean and least coverage against n."""
    figure, panels = _panels(2, height=3.8, width=9.5)
    n = np.array(r.cases)
    for axis, title, part in zip(
        panels, ("mean over all rates", "least over rates 0.1 to 0.9"), ("mean", "least_in_middle"), strict=True
    ):
        axis.axhline(0.95, color="#777777", linewidth=0.8)
        ends = {}
        for method, (colour, dash) in LABELLED.items():
            line = np.array([getattr(r.proportions[method][k], part) for k in r.cases])
            axis.plot(n, line, dash, color=colour, linewidth=1.5)
            ends[method] = float(line[-1])
        axis.set_xscale("log")
        axis.set_xlim(n[0] * 0.92, n[-1])
        colours = {method: style[0] for method, style in LABELLED.items()}
        _names(axis, n[-1], ends, colours, gap=0.011, top=0.985)
        ticks = [k for k in (5, 10, 20, 50, 100, 200) if k in r.cases]
        axis.set_xticks(ticks, [str(k) for k in ticks])
        axis.minorticks_off()
        axis.set_title(title)
        axis.set_xlabel("n")
    panels[0].set_ylim(0.8, 1.0)
    panels[0].set_ylabel("coverage (wald leaves the picture below)")
    return figure


def mcnemar(r: Results) -> Any:
    """The largest size over all n against the share of discordant pairs."""
    figure, panels = _panels(1, height=3.4, width=7.0)
    axis = panels[0]
    axis.axhline(counts.ALPHA, color="#777777", linewidth=0.8)
    dashes = dict(zip(TESTS, ("-", "-", "--", "-."), strict=True))
    ends = {}
    for name, colour in TESTS.items():
        line = r.mcnemar[name].max(axis=0)
        axis.plot(counts.RATES, line, dashes[name], color=colour, linewidth=1.6)
        ends[f"mcnemar {name}"] = float(line[-1])
    rate = counts.safe_rate(r.mcnemar["mid-p"])
    axis.axvline(rate, color="#0072B2", linewidth=0.8, linestyle=":")
    axis.text(rate - 0.01, 0.004, f"mid-P at most 0.05 up to {rate:.2f}", color="#0072B2", ha="right", fontsize=8.5)
    axis.set_xlim(0, 1)
    axis.set_ylim(0, None)
    colours = {f"mcnemar {name}": colour for name, colour in TESTS.items()}
    _names(axis, 1.0, ends, colours, gap=0.0045, top=0.082)
    axis.set_xlabel("share of discordant pairs")
    axis.set_ylabel(f"largest size over {r.span}")
    return figure
