"""The page of a validation: errors over folds, the fan of fold curves, ranks, time against quality, tests, folds."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from rocscope.report.html.axes import KEY_LINE, SvgAxes, dash, label, roc_space, ticks
from rocscope.report.html.html_page import folded, heading, labelled, long_table, plain_table, row, shown_table, view
from rocscope.report.html.markup import Markup, called, join, shortened, tag
from rocscope.report.html.state import Page
from rocscope.report.html.views.differences import around, numbers, reach
from rocscope.report.text_views.validation import seconds_text
from rocscope.text import limits_text, p_text, signed, whole, whole_limits, with_limits

Row = Mapping[str, Any]
WIDTH = 584.0
FAN = 30  # maximum number of fold curves drawn
MOST = 300  # maximum number of rows in the table of folds


def rows(page: Page) -> list[Markup | None]:
    """The rows of views: errors and curves of the folds, ranks and time, tests, folds."""
    return [
        row("row row2", tag("div", _errors(page), _time(page), class_="stack"), _fan(page) or _summary(page)),
        row("row row2", _ranks(page)),
        row("row", _tests(page)),
        row("row", _folds(page)),
    ]


def _ranked(page: Page) -> list[str]:
    first = page.document["recommended"]
    return [first, *(name for name in page.document["models"] if name != first)]


def facts(page: Page) -> Markup:
    """The numbers of cases, classes and splits, the origin of the data, the plan, the seed, the level."""
    data, plan, settings = page.document["data"], page.document["plan"], page.document["settings"]
    counted = ((f"{data['cases']:,}", "cases"), (len(data["labels"]), "classes"), (plan["pairs"], "splits"))
    said = [tag("span", tag("b", many), f" {what}") for many, what in counted]
    if data["source"].get("file"):
        said.append(tag("span", shortened(str(data["source"]["file"]), 60)))
    said += [
        tag("span", plan["words"].splitlines()[0]),
        tag("span", f"seed {settings['seed']}"),
        tag("span", f"intervals {100 * settings['level']:g} %"),
    ]
    failed = len(page.document["failures"])
    if failed:
        said.append(tag("span", tag("b", failed), " fits failed", class_="amber"))
    return tag("p", *said, class_="facts")


# ---- measure over folds ----


def _errors(page: Page) -> Markup:
    """A dot for each fold, and the mean with its interval over them."""
    names, errors = _ranked(page), page.document["errors"]
    summary = page.document["summary"]
    known = [one for name in names for one in errors[name] if isinstance(one, int | float)]
    limits = [summary[name]["error_rate"]["mean"]["high"] for name in names]
    top = max([*known, *(one for one in limits if one is not None)], default=1.0) or 1.0
    line = 46.0
    f = SvgAxes(WIDTH, 46 + line * len(names) + 40, left=120, top=26, high=(top * 1.04, 1.0))
    layers = f.axes("error rate", x_at=ticks(0, top * 1.04, 5))
    for place, name in enumerate(names):
        slot, y = page.slots.get(name, 0), f.top + line * (place + 0.55)
        look, mean = "name strong" if place == 0 else "name", summary[name]["error_rate"]["mean"]
        layers.append(label(shortened(name, 16), f.left - 10, y + 4, look, slot, anchor="end"))
        layers += [
            tag("circle", class_="pale", data_m=slot, cx=f.x(x), cy=y + 8 + shift, r=3)
            for x, shift in _swarm(errors[name], f)
        ]
        layers.append(_mean(f, mean, y - 6, slot))
    behind = [
        (shortened(name), with_limits(one["mean"]), *map(_four, (one["least"], one["most"], one["sd"])), one["folds"])
        for name, one in ((name, summary[name]["error_rate"]) for name in names)
    ]
    table = shown_table(("model", "mean", "least", "most", "sd", "folds"), behind)
    reading = "Pale dots are single folds; above them is the mean over folds with its interval."
    return view("errors", "Errors over the folds", reading, f.picture(labelled("errors"), layers), table)


def _swarm(errors: Sequence[Any], f: SvgAxes) -> list[tuple[float, float]]:
    """Place folds side by side if they would overlap."""
    placed: list[tuple[float, float]] = []
    for one in sorted(error for error in errors if isinstance(error, int | float)):
        level = 0
        while any(abs(f.x(one) - f.x(x)) < 6 and shift == 3.5 * level for x, shift in placed) and level < 4:
            level += 1
        placed.append((one, 3.5 * level))
    return placed


def _mean(f: SvgAxes, found: Row, y: float, slot: int) -> Markup:
    marks: list[Any] = []
    if found["low"] is not None and found["high"] is not None:
        marks.append(f.lying(y, max(f.low[0], found["low"]), min(f.high[0], found["high"])))
    if found["value"] is not None:
        marks.append(tag("circle", class_="dot", cx=f.x(found["value"]), cy=y, r=4))
    return tag("g", *marks, data_m=slot)


def _four(value: Any) -> str:
    return f"{value:.4f}" if isinstance(value, int | float) else "–"


# ---- ROC curves of the folds ----


def _fan(page: Page) -> Markup | None:
    """The curves of the folds, their vertical mean and its band, for the recommended model.

    Means of the others.
    """
    curves = page.document["roc"]
    if not curves:
        return None
    f, first = SvgAxes(470, 470, left=38, top=26), page.document["recommended"]
    own, slot, summary = curves[first], page.slots.get(first, 1), page.document["summary"]
    layers, mean = roc_space(f), own["vertical"]
    if mean is not None and all(isinstance(y, int | float) for y in (*mean["low"], *mean["high"])):
        layers.append(f.band(mean["fpr"], mean["low"], mean["high"], slot))
    layers += [f.line(list(zip(one["fpr"], one["tpr"], strict=True)), "fold", slot) for one in own["folds"][:FAN]]
    ranked = _ranked(page)
    for name in reversed(ranked):
        average = curves[name]["vertical"]
        if average is not None:
            points = list(zip(average["fpr"], average["tpr"], strict=True))
            layers.append(f.line(points, "curve chosen" if name == first else "curve", page.slots.get(name, 0)))
    y = f.y(0) - 16 - KEY_LINE * len(ranked[:6])
    for name in ranked[:6]:
        y += KEY_LINE
        value = with_limits(summary[name]["auc"]["mean"]) if "auc" in summary[name] else ""
        layers += f.key_row(name, value, y, page.slots.get(name, 0), chosen=name == first)
    folds = tag("b", f"{len(own['folds'])} folds")
    said = (
        " are drawn as thin lines and their mean as a thick line with a shaded band; other models are shown by their "
        "means only."
    )
    areas = page.document["auc"] or {}
    behind = [(shortened(name), *(with_limits(areas[name][how]) for how in ("mean_of_folds", "pooled")))
              for name in ranked if name in areas]  # fmt: skip
    table = shown_table(("model", "mean of fold AUCs", "AUC of pooled scores"), behind)
    reading = join([called(first, slot), ": ", folds, said])
    return view("roc", "ROC over the folds", reading, f.picture(labelled("roc"), layers), table)


def _summary(page: Page) -> Markup:
    """Every measure of every model, if there is no curve to draw."""
    names, summary = _ranked(page), page.document["summary"]
    titles = page.document["titles"]
    found = [(titles[one], *(with_limits(summary[name][one]["mean"]) for name in names)) for one in summary[names[0]]]
    table = plain_table(("mean over folds", *(shortened(name, 16) for name in names)), found)
    shown = tag("div", table, class_="scroll tall", tabindex=0)
    return view("summary", "Measures", "The mean over the folds, with its interval.", shown)


# ---- ranks and times ----


def _ranks(page: Page) -> Markup | None:
    """Mean ranks on a line; models within a critical difference are joined by a bar."""
    found = page.drawing.get("ranks")
    if not found:
        return None
    ranks: Mapping[str, float] = found["ranks"]
    names = sorted(ranks, key=lambda name: ranks[name])
    many, line = len(names), 20.0
    half = (many + 1) // 2
    height = 92 + line * half + 12 * len(found["groups"])
    f = SvgAxes(WIDTH, height, left=110, right=110, low=(1.0, 0.0), high=(float(many), 1.0))
    layers = [tag("line", class_="axis", x1=f.x(1), x2=f.x(many), y1=46, y2=46)]
    for rank in range(1, many + 1):
        layers.append(tag("line", class_="axis", x1=f.x(rank), x2=f.x(rank), y1=41, y2=46))
        layers.append(label(rank, f.x(rank), 36, anchor="middle"))
    reached = min(float(many), 1 + found["cd"])
    layers += [f.lying(16, 1, reached), label(f"critical difference {found['cd']:.2f}", f.x(reached) + 8, 20)]
    y = 54.0
    for group in found["groups"]:
        x0, x1 = (f.x(edge(ranks[name] for name in group)) for edge in (min, max))
        layers.append(tag("line", class_="group", x1=x0 - 3, x2=x1 + 3, y1=y, y2=y))
        y += 10
    for place, name in enumerate(names):
        left = place < half
        level = y + 14 + line * (place if left else many - 1 - place)
        end, anchor, off = (f.left - 8, "end", -4) if left else (f.width - f.right + 8, "start", 4)
        words = f"{shortened(name, 12)} {ranks[name]:.2f}"
        layers.append(tag("path", class_="flat", d=f"M{f.x(ranks[name]):.1f},46V{level:.1f}H{end:.1f}"))
        layers.append(label(words, end + off, level + 4, "name", page.slots.get(name, 0), anchor=anchor))
    reading = (
        f"Mean rank in {page.document['titles'][page.document['measure']]} over the folds (1 is best); a bar joins "
        "models that differ by less than the critical difference. Folds share training cases, so this is a "
        "description, not a test."
    )
    table = shown_table(("model", "mean rank"), [(shortened(name), f"{ranks[name]:.3f}") for name in names])
    return view("ranks", "Ranks over the folds", reading, f.picture(labelled("ranks"), layers), table)


def _time(page: Page) -> Markup:
    """Fitting time, on a logarithmic scale, against quality with its interval."""
    measure, times = page.document["measure"], page.document["times"]["models"]
    means = {name: page.document["summary"][name][measure]["mean"] for name in _ranked(page)}
    behind = [
        (shortened(name), *(seconds_text(times[name][one]) for one in ("fit_seconds", "predict_seconds_per_1000")),
         with_limits(mean))
        for name, mean in means.items()
    ]  # fmt: skip
    table = shown_table(("model", "fit", "predict 1,000", page.document["titles"][measure]), behind)
    reading = "Seconds to fit one fold, on a logarithmic scale. Times vary between runs; all else is reproducible."
    logs = {name: math.log10(times[name]["fit_seconds"]) for name, mean in means.items()
            if (times[name]["fit_seconds"] or 0) > 0 and mean["value"] is not None}  # fmt: skip
    if not logs:
        return view("time", "Fitting time and quality", reading, None, table, reason="No model was timed.")
    ends = [one for name in logs for side in ("low", "value", "high") if (one := means[name][side]) is not None]
    low, high = min(ends), max(ends)
    room = (high - low or 0.1) * 0.12
    x = min(logs.values()) - 0.4, max(logs.values()) + 0.9
    f = SvgAxes(WIDTH, 330, left=48, right=30, low=(x[0], low - room), high=(x[1], high + room))
    powers = [float(power) for power in range(math.ceil(f.low[0]), math.floor(f.high[0]) + 1)] or [round(f.low[0], 1)]
    at_powers = {power: seconds_text(10.0**power).replace(".0 ", " ") for power in powers}
    how: Any = {"x_at": powers, "y_at": ticks(f.low[1], f.high[1]), "x_text": at_powers.__getitem__}
    layers = f.axes("time to fit", page.document["titles"][measure], **how)
    for name, seconds in logs.items():
        mean, point = means[name], (seconds, means[name]["value"])
        known = mean["low"] is not None and mean["high"] is not None
        marks = [f.upright(seconds, mean["low"], mean["high"], cap=4)] if known else []
        named = label(shortened(name, 16), f.x(seconds) + 9, f.y(point[1]) + 4, "name halo")
        marks += [f.dot(point, "dot", None, 4.5), named]
        layers.append(tag("g", *marks, data_m=page.slots.get(name, 0)))
    return view("time", "Fitting time and quality", reading, f.picture(labelled("time"), layers), table)


# ---- tables ----


def _tests(page: Page) -> Markup | None:
    found = page.document["comparisons"]
    if not found:
        return None
    spans = {what: reach(one for one in found if one["what"] == what) for what in {one["what"] for one in found}}
    pairs = {(one["a"], one["b"]) for one in found if one["p_adjusted"] is not None}
    limits = f"{100 * page.drawing['level']:g} %{' CI, unadjusted' if len(pairs) > 1 else ''}"
    named = (("difference", None), ("in", None), (limits, 2), ("p (Holm)", None), ("test", None), ("in words", None))
    heads = [heading(name, colspan=span) for name, span in named]
    table = long_table(heads, [_test(page, one, spans[one["what"]]) for one in found], "evidence stack", len(found))
    said = "Each difference is the first minus the second; it is settled if the interval and the p-value agree."
    return view("differences", "Do the models differ?", said, table)


def _test(page: Page, one: Row, span: float) -> Markup:
    slot = page.slots.get(one["b"], 0)
    words = (one["why"] or "undefined") if one["value"] is None else "settled" if one["settled"] else "not settled"
    if one["method"].startswith("Bayesian"):
        words = one["why"]  # probabilities in place of a p-value
    costs = one["what"] == "cost" and one["value"] is not None
    plus = "+" if costs and one["value"] > 0 else ""
    shown = (f"{plus}{whole(one['value'])}", whole_limits(one)) if costs else (signed(one), limits_text(one))
    pair = called(one["a"], page.slots.get(one["a"], 0), most=16), " − ", called(one["b"], slot, most=16)
    return tag(
        "tr",
        tag("th", dash(slot), *pair, scope="row"),
        tag("td", page.document["titles"][one["what"]]),
        tag("td", around(one, span, slot), class_="draw"),
        numbers(*shown),
        tag("td", p_text(one["p_adjusted"]), class_="p"),
        tag("td", one["method"]),
        tag("td", words),
    )


def _folds(page: Page) -> Markup:
    folds = page.document["folds"]
    names = list(folds[0]["measures"]) if folds else []
    found = [
        (shortened(one["model"]), shortened(one["name"]), one["train"], one["test"],
         *(_four(one["measures"][name]) for name in names), one["why"])
        for one in folds[:MOST]
    ]  # fmt: skip
    rest = f"The first {MOST} of {len(folds):,} folds are shown; the others are in the data of this report."
    said = "" if len(folds) <= MOST else rest
    heads = ("model", "fold", "train", "test", *(page.document["titles"][name] for name in names), "why")
    table = tag("div", plain_table(heads, found, words=(0, 1)), class_="scroll tall", tabindex=0)
    shown = tag("div", folded(f"{len(folds):,} folds", table), class_="behind always")
    return view("folds", "Folds", said, shown)
