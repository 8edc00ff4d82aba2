"""Draw the figures of the pages for teachers and of the three rules:   python tools/figures.py

Slide-size pictures (16:9, SVG) in docs/img/, made with the functions that draw for users. Texts are paths: they look
the same everywhere.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("Agg")
from matplotlib.figure import Figure

import rocscope as rs
from rocscope import lessons

FOLDER = Path(__file__).parent.parent / "docs" / "img"
SIZE = (9.6, 5.4)  # inches, 16:9


def matrix(figure: Figure) -> None:
    """The matrix of the worked example."""
    rs.Counts(tp=7, fp=7, fn=3, tn=13).plot(figure.subplots())


def roc_space(figure: Figure) -> None:
    """ROC space with its corners named."""
    ax = figure.subplots()
    ax.plot([0, 1], [0, 1], color="#8a94a0", linestyle=(0, (2, 3)))
    named = {
        (0, 1): "perfect", (0, 0): "always negative", (1, 1): "always positive", (1, 0): "always wrong",
        (0.3, 0.3): "random", (0.2, 0.7): "C4.5", (0.5, 0.95): "SVM", (1, 0.5): "worse than random",
    }  # fmt: skip
    for (x, y), name in named.items():
        ax.plot([x], [y], "o", color="#1f5fa8", markersize=9, clip_on=False)
        left = x == 1
        ax.annotate(name, (x, y), (-10 if left else 10, -14 if y > 0.9 else 8), textcoords="offset points",
                    ha="right" if left else "left", fontsize=13)  # fmt: skip
    ax.set(xlim=(0, 1), ylim=(0, 1), aspect="equal", xlabel="false positive rate", ylabel="true positive rate")


def shapes(figure: Figure) -> None:
    """The four shapes of ROC curves."""
    for ax, name in zip(figure.subplots(1, 4), ("good", "reasonable", "fairly poor", "poor"), strict=True):
        one = lessons.shape(name)
        curve = rs.curves.roc(one.table())
        ax.plot([0, 1], [0, 1], color="#8a94a0", linestyle=(0, (2, 3)))
        ax.plot(curve.fpr, curve.tpr, color="#1f5fa8", linewidth=2.4)
        ax.set(xlim=(0, 1), ylim=(0, 1), aspect="equal", xticks=[0, 1], yticks=[0, 1])
        ax.set_title(f"{name}\nAUC {rs.curves.auc(one.table()):.2f}", fontsize=13)


def thresholds(figure: Figure) -> None:
    """The ROC curve of the body mass index with its cut-offs."""
    held = lessons.subject("thresholds", lessons.example("bmi").data)
    curve = rs.curves.roc(held)
    ax = figure.subplots()
    ax.plot([0, 1], [0, 1], color="#8a94a0", linestyle=(0, (2, 3)))
    ax.plot(curve.fpr, curve.tpr, "o-", color="#1f5fa8", linewidth=2.4)
    for at, x, y in zip(curve.threshold, curve.fpr, curve.tpr, strict=True):
        if 20 < at < 40:
            ax.annotate(f"{at:g}", (x, y), (8, -12), textcoords="offset points", fontsize=13)
    ax.set(xlim=(0, 1), ylim=(0, 1), aspect="equal", xlabel="false positive rate", ylabel="true positive rate")


def folds(figure: Figure) -> None:
    """Five-fold cross-validation of thirty cases."""
    rs.splits.plan("5-fold", 30).plot(figure.subplots())


def costs(figure: Figure) -> None:
    """The hull of two classifiers and the lines of equal cost at two cost ratios."""
    held = rs.hull.hull({"C4.5": (0.2, 0.7), "SVM": (0.5, 0.95)})
    for ax, ratio in zip(figure.subplots(1, 2), (1, 0.25), strict=True):
        held.plot(ax, cost_ratio=ratio)


def sum_of_tables(figure: Figure) -> None:
    """Two score tables, their sum, and the curve of the sum."""
    monday = rs.ScoreTable.from_scores([1, 0], [0.9, 0.3])
    tuesday = rs.ScoreTable.from_scores([1, 0, 0], [0.8, 0.8, 0.3])
    axes = figure.subplots(1, 4, width_ratios=[1, 1, 1, 1.3])
    tables = {"Monday": monday, "+ Tuesday": tuesday, "= both days": monday + tuesday}
    for ax, (title, t) in zip(axes, tables.items(), strict=False):
        ax.set_axis_off()
        cells = [[f"{s:g}", str(p), str(n)] for s, p, n in zip(t.scores, t.pos, t.neg, strict=True)]
        table = ax.table(cells, colLabels=["score", "pos", "neg"], loc="center", cellLoc="center")
        table.scale(1, 2.2)
        table.set_fontsize(13)
        ax.set_title(title, fontsize=15)
    curve = rs.curves.roc(monday + tuesday)
    axes[3].plot([0, 1], [0, 1], color="#8a94a0", linestyle=(0, (2, 3)))
    axes[3].plot(curve.fpr, curve.tpr, "o-", color="#1f5fa8", linewidth=2.4, clip_on=False)
    axes[3].set(xlim=(0, 1), ylim=(0, 1), aspect="equal", xticks=[0, 1], yticks=[0, 1])
    axes[3].set_title("→ every curve", fontsize=15)


def boxes(figure: Figure, columns: list[tuple[str, list[str]]]) -> None:
    """Columns of boxes, from left to right, joined by arrows."""
    ax = figure.subplots()
    ax.set_axis_off()
    ax.set(xlim=(0, len(columns)), ylim=(0, 1))
    for place, (title, lines) in enumerate(columns):
        ax.text(place + 0.5, 0.93, title, ha="center", fontsize=14, weight="bold")
        for row, line in enumerate(lines):
            y = 0.8 - 0.78 * (row + 0.5) / len(lines)
            ax.text(place + 0.5, y, line, ha="center", va="center", fontsize=12,
                    bbox={"boxstyle": "round,pad=0.5", "fc": "#eef3f9", "ec": "#1f5fa8"})  # fmt: skip
        if place:
            arrow = {"arrowstyle": "->", "color": "#5b6672", "linewidth": 1.8}
            ax.annotate("", (place + 0.1, 0.42), (place - 0.1, 0.42), arrowprops=arrow)


def declaration(figure: Figure) -> None:
    """One formula and all that follows from it."""
    boxes(figure, [
        ("one declaration", ["precision = tp / (tp + fp)"]),
        ("follows by itself", ["value and curve", "exact fraction", "interval", "worked explanation"]),
        ("appears in", ["Python", "command line", "report and page", "reference and tests"]),
    ])  # fmt: skip


def road(figure: Figure) -> None:
    """From data through one set of functions to every output."""
    boxes(figure, [
        ("data", ["files", "frames", "engines", "arrays"]),
        ("one reader", ["score table", "confusion matrix"]),
        ("one answer", ["evaluate", "compare", "validate"]),
        ("results document", ["text", "HTML report", "page", "JSON, CSV"]),
    ])  # fmt: skip


FIGURES: dict[str, Callable[[Figure], None]] = {
    "slide-matrix": matrix, "slide-roc-space": roc_space, "slide-shapes": shapes, "slide-thresholds": thresholds,
    "slide-folds": folds, "slide-costs": costs, "rule-sum": sum_of_tables, "rule-declaration": declaration,
    "rule-road": road,
}  # fmt: skip


def drawn(name: str) -> Any:
    """The figure of that name, at slide size."""
    figure = Figure(figsize=SIZE, layout="constrained")
    FIGURES[name](figure)
    return figure


def main() -> int:
    """Draw all of them."""
    with matplotlib.rc_context({"svg.hashsalt": "rocscope", "font.size": 12}):
        for name in FIGURES:
            drawn(name).savefig(FOLDER / f"{name}.svg", metadata={"Date": None})
    return 0


if __name__ == "__main__":
    sys.exit(main())
