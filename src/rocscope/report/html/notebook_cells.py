"""Small results in notebooks: counts, a matrix, a curve, a hull, as HTML without script or style sheet.

Text and axes inherit the surrounding color, so that they are visible in dark notebooks and in viewers that remove
styles.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from numbers import Real
from typing import Any

from rocscope.report.html.axes import path, ticks
from rocscope.report.html.markup import Markup, join, shortened, tag
from rocscope.text import show_count, significant, tick_text, with_limits

COLORS = ("#0067c0", "#b34700", "#00694f", "#87378c", "#4d3d00")  # colors of models 1 to 5 on a light background
GRAY = "#67717c"
SIZE, LEFT, TOP, ROOM = 300.0, 44.0, 24.0, 40.0
AXES = {"fpr": "false positive rate", "tpr": "true positive rate", "fnr": "false negative rate"}
MEASURES = ("recall", "specificity", "precision", "f1", "mcc", "accuracy")
FOLDED = ("auc", "error_rate", "recall", "precision", "f1")
OVERALL = ("accuracy", "balanced_accuracy", "kappa", "mcc")
MOST = 12  # maximum number of classes, and of table rows
FEW = 9  # number of points listed in the table of a curve


def counts(one: Any) -> str:
    """The four cells with totals, and the usual measures with their intervals."""
    cells = [one.tp, one.fn, one.fp, one.tn]
    if not all(isinstance(cell, Real) for cell in cells):  # unknown cells, expressions, curves of counts
        return str(tag("pre", repr(one)))
    tp, fn, fp, tn = cells
    rows = [
        ["actual", "predicted positive", "predicted negative", "all"],
        ["positive", *map(show_count, (tp, fn, tp + fn))],
        ["negative", *map(show_count, (fp, tn, fp + tn))],
        ["all", *map(show_count, (tp + fp, fn + tn, tp + fn + fp + tn))],
    ]
    return str(tag("div", _table(rows), _measured(one, MEASURES)))


def confusion(one: Any) -> str:
    """The matrix with totals, and the overall measures."""
    cells, names = one.matrix.tolist(), [shortened(str(label)) for label in one.labels]
    if len(names) > MOST:
        return str(tag("div", tag("p", f"{len(names)} classes"), _measured(one, OVERALL)))
    rows = [["actual \\ predicted", *names, "all"]]
    rows += [[name, *map(show_count, row), show_count(sum(row))] for name, row in zip(names, cells, strict=True)]
    sums = [sum(row[k] for row in cells) for k in range(len(names))]
    rows.append(["all", *map(show_count, sums), show_count(sum(sums))])
    return str(tag("div", _table(rows), _measured(one, OVERALL)))


def curve(one: Any) -> str:
    """A drawing of the curve, or the reason why it is undefined."""
    x, y = (list(map(float, one.columns[name])) for name in (one.x, one.y))
    points = [(a, b) for a, b in zip(x, y, strict=True) if math.isfinite(a) and math.isfinite(b)]
    note = tag("p", one.why) if one.why else None
    if len(points) < 2:
        return str(tag("div", tag("pre", repr(one)), note))
    some = [points[k] for k in sorted({round(k * (len(points) - 1) / (FEW - 1)) for k in range(FEW)})]
    rows = [[one.x, one.y], *([tick_text(round(a, 4)), tick_text(round(b, 4))] for a, b in some)]
    table = tag("details", tag("summary", f"{len(points):,} points; some of them"), _table(rows))
    names = (AXES.get(one.x, one.x), AXES.get(one.y, one.y))
    return str(tag("div", _picture([points], names, diagonal=one.kind == "roc"), note, table))


def hull(one: Any) -> str:
    """A drawing of the corners, and which of them is the cheapest at each slope."""
    if one.why:
        return str(tag("pre", repr(one)))
    points = [(float(p.fpr), float(p.tpr)) for p in one.points]
    rows = [["slope from", "to", "model", "threshold"]]
    for row in one.intervals[:MOST]:
        ends = (significant(row.low), "∞" if math.isinf(row.high) else significant(row.high))
        known = row.threshold is not None and math.isfinite(row.threshold)
        name = "" if row.model is None else shortened(str(row.model))
        rows.append([*ends, name, f"{row.threshold:.6g}" if known else ""])
    more = len(one.intervals) - MOST
    rest = tag("p", f"{more} more") if more > 0 else None
    return str(tag("div", _picture([points], (AXES["fpr"], AXES["tpr"]), diagonal=True), _table(rows), rest))


def still(document: Mapping[str, Any]) -> str:
    """A result without frame and script, collapsed: headline, evidence, measures or models with intervals, ROC
    curves.
    """
    stated = document["verdict"]["statements"]
    said, more = (" ".join(one["text"] for one in stated[part]) for part in ("headline", "evidence"))
    parts = [tag("p", more) if more else None, _areas(document), _few_folds(document), _curves(document)]
    return str(tag("details", tag("summary", said), *(one for one in parts if one is not None)))


def _areas(document: Mapping[str, Any]) -> Markup | None:
    """The measures of a result; for several models, their areas; over folds, the means of the first measures."""
    models = document["drawing"]["models"]
    if document["kind"] == "validation":
        titles, summary = document["titles"], document["summary"]
        names = [name for name in FOLDED if all(name in own for own in summary.values())]
        lines = [[shortened(model), *(_mean(own[name]["mean"]) for name in names)] for model, own in summary.items()]
        return _table([["model", *(f"{titles[name]}, mean over folds" for name in names)], *lines])
    if document["kind"] == "comparison":
        found = [(model["name"], one) for model in models for one in model["areas"] if one["name"] == "auc"]
        rows = [[shortened(name), with_limits(one)] for name, one in found if one["value"] is not None]
        return _table([["model", "AUC, 95 % interval"], *rows]) if rows else None
    rows = [
        [one.get("title") or one["name"], with_limits(one)]
        for one in document.get("measures") or ()
        if isinstance(one, Mapping) and one.get("value") is not None
    ]
    return _table([["measure", "value, 95 % interval"], *rows[:MOST]]) if rows else None


def _few_folds(document: Mapping[str, Any]) -> Markup | None:
    """Why an interval covers the whole range from 0 to 1: a mean over few folds has few degrees of freedom."""
    if document["kind"] != "validation":
        return None
    means = [own[name]["mean"] for own in document["summary"].values() for name in FOLDED if name in own]
    if not any(mean["low"] == 0 and mean["high"] == 1 for mean in means):
        return None
    folds = len({fold["split"] for fold in document["folds"]})
    return tag(
        "p",
        f"An interval from 0 to 1 means that {folds} folds are too few for this measure: the mean over folds has "
        f"{folds - 1} degree{'s' if folds != 2 else ''} of freedom. More folds or repetitions narrow it.",
    )


def _mean(one: Mapping[str, Any]) -> str:
    return "–" if one["value"] is None else with_limits(one)


def _curves(document: Mapping[str, Any]) -> Markup | None:
    """The ROC curves of the models, in their colors."""
    drawing = document["drawing"]
    positives, negatives = drawing.get("positives"), drawing.get("negatives")
    drawn = [one for one in drawing["models"] if not one["labels_only"]][:5]
    if not drawn or not positives or not negatives:
        return None
    lines = [[(f / negatives, t / positives) for f, t in zip(one["fp"], one["tp"], strict=True)] for one in drawn]
    colors = [COLORS[one["slot"] - 1] if one["slot"] else GRAY for one in drawn]
    return _picture(lines, ("false positive rate", "true positive rate"), diagonal=True, colors=colors)


# ---- tables and figures ----


def _table(rows: Sequence[Sequence[Any]]) -> Markup:
    """A table whose first row and column are headings."""
    head = tag("thead", tag("tr", *(tag("th", name, scope="col") for name in rows[0])))
    body = [
        tag("tr", tag("th", row[0], scope="row", align="left"), *(tag("td", cell, align="right") for cell in row[1:]))
        for row in rows[1:]
    ]  # align, since viewers remove styles
    return tag("table", head, tag("tbody", *body))


def _measured(one: Any, names: Iterable[str]) -> Markup:
    """Measures with their intervals; '–' with the reason if one is undefined."""
    from rocscope import measures

    rows: list[list[Any]] = [["measure", "value, 95 % interval"]]
    for name in names:
        found = one.estimate(name).to_dict()
        value = with_limits(found) if found["value"] is not None else f"– {found['why']}"
        rows.append([measures.get(name).title, value])
    return _table(rows)


def _picture(
    lines: Sequence[Sequence[tuple[float, float]]], names: tuple[str, str], *, diagonal: bool,
    colors: Sequence[str] = COLORS[:1],
) -> Markup:  # fmt: skip
    """Lines in a square frame, with ticks and axis names."""
    ends = [_ends([point[side] for line in lines for point in line]) for side in (0, 1)]
    (left, right), (low, high) = ends

    def at(point: tuple[float, float]) -> tuple[float, float]:
        x = LEFT + (point[0] - left) / (right - left) * SIZE
        return x, TOP + (high - point[1]) / (high - low) * SIZE

    marks: list[Any] = [
        tag("rect", x=LEFT, y=TOP, width=SIZE, height=SIZE, fill="none", stroke="currentColor", stroke_opacity=0.3)
    ]
    for value in ticks(left, right):
        x, y = at((value, low))
        marks.append(_text(tick_text(value), x, y + 16, "middle"))
    for value in ticks(low, high):
        x, y = at((left, value))
        marks.append(_text(tick_text(value), x - 6, y + 4, "end"))
    marks.append(_text(f"{names[0]} →", LEFT + SIZE, TOP + SIZE + 34, "end"))
    marks.append(_text(f"↑ {names[1]}", LEFT, TOP - 8, "start"))
    if diagonal:
        look = {"fill": "none", "stroke": "currentColor", "stroke_opacity": 0.4, "stroke_dasharray": "2 3"}
        marks.append(tag("path", d=path([at((0.0, 0.0)), at((1.0, 1.0))]), **look))
    drawn = [
        tag("path", d=path([at(one) for one in line]), fill="none", stroke=color, stroke_width=2)
        for line, color in zip(lines, colors, strict=True)
    ]
    width, height = LEFT + SIZE + 12, TOP + SIZE + ROOM
    label = f"{names[1]} against {names[0]}"
    size = {"width": width, "height": height, "viewBox": f"0 0 {width:g} {height:g}"}
    return tag("svg", join(marks), *drawn, role="img", aria_label=label, xmlns="http://www.w3.org/2000/svg", **size)


def _ends(values: Sequence[float]) -> tuple[float, float]:
    """The range of an axis: 0 to 1 for proportions, else that of the values."""
    low, high = min(values), max(values)
    if low >= 0 and high <= 1:
        return 0.0, 1.0
    return (low, high) if high > low else (low - 1.0, high + 1.0)


def _text(words: str, x: float, y: float, anchor: str) -> Markup:
    return tag("text", words, x=x, y=y, text_anchor=anchor, font_size=12, fill="currentColor")
