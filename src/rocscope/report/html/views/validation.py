"""The page of a validation: errors over folds, the fan of fold curves, ranks, time against quality, tests, folds."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from rocscope.report.html import html_page
from rocscope.report.html.axes import Frame, ticks
from rocscope.report.html.markup import Markup, called, join, shortened, tag
from rocscope.report.html.parts import dash, labelled, shown_table, view
from rocscope.report.html.state import Page
from rocscope.report.html.views import verdict
from rocscope.report.html.views.evidence import around
from rocscope.report.text_views.validation import TITLES, seconds_text
from rocscope.text import limits_text, p_text, signed, tick_text, with_limits

Row = Mapping[str, Any]
WIDTH = 584.0
FAN = 30  # fold curves drawn
MOST = 300  # rows of the table of folds


def body(page: Page) -> list[Markup]:
    """The head, the answer, the views, the provenance."""
    rows = [
        tag("div", _errors(page), _fan(page) or _summary(page), class_="row row2"),
        tag("div", _ranks(page), _time(page), class_="row row2")
        if _ranks(page)
        else tag("div", _time(page), class_="row row2"),
        tag("div", _tests(page), class_="row"),
        tag("div", _folds(page), class_="row"),
    ]
    main = tag("main", _facts(page), verdict.verdict(page), tag("div", *rows, class_="views"))
    return [html_page.bar(str(page.drawing["title"])), main, verdict.provenance(page)]


def _ranked(page: Page) -> list[str]:
    first = page.document["recommended"]
    return [first, *(name for name in page.document["models"] if name != first)]


def _title(name: str) -> str:
    return TITLES.get(name, name.replace("_", " "))


def _facts(page: Page) -> Markup:
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


# ---- errors ----


def _errors(page: Page) -> Markup:
    """A dot for each fold, the mean with its interval over them."""
    names, errors = _ranked(page), page.document["errors"]
    summary = page.document["summary"]
    known = [one for name in names for one in errors[name] if isinstance(one, int | float)]
    limits = [summary[name]["error_rate"]["mean"]["high"] for name in names]
    top = max([*known, *(one for one in limits if one is not None)], default=1.0) or 1.0
    line = 46.0
    f = Frame(WIDTH, 46 + line * len(names) + 40, left=120, top=26, high=(top * 1.04, 1.0))
    layers: list[Any] = [*_across(f, ticks(0, top * 1.04, 5), "error rate")]
    for place, name in enumerate(names):
        slot = page.slots.get(name, 0)
        y = f.top + line * (place + 0.55)
        layers.append(
            tag(
                "text",
                shortened(name, 16),
                class_="name strong" if place == 0 else "name",
                data_m=slot,
                x=f.left - 10,
                y=y + 4,
                text_anchor="end",
            )
        )
        layers += [
            tag("circle", class_="pale", data_m=slot, cx=f.x(x), cy=y + 8 + shift, r=3)
            for x, shift in _swarm(errors[name], f)
        ]
        layers.append(_mean(f, summary[name]["error_rate"]["mean"], y - 6, slot))
    found = {name: summary[name]["error_rate"] for name in names}
    rows = [
        (
            shortened(name),
            with_limits(one["mean"]),
            *(_four(one[side]) for side in ("least", "most", "sd")),
            one["folds"],
        )
        for name, one in found.items()
    ]
    heads = ("model", "mean", "least", "most", "sd", "folds")
    reading = "Pale dots: each fold. Above them the mean over folds with its interval."
    return view(
        "errors", "Errors over the folds", reading, f.picture(labelled("errors"), layers), shown_table(heads, rows)
    )


def _swarm(errors: Sequence[Any], f: Frame) -> list[tuple[float, float]]:
    """Folds side by side where they would cover each other."""
    placed: list[tuple[float, float]] = []
    for one in sorted(error for error in errors if isinstance(error, int | float)):
        level = 0
        while any(abs(f.x(one) - f.x(x)) < 6 and shift == 3.5 * level for x, shift in placed) and level < 4:
            level += 1
        placed.append((one, 3.5 * level))
    return placed


def _mean(f: Frame, row: Row, y: float, slot: int) -> Markup:
    marks: list[Any] = []
    if row["low"] is not None and row["high"] is not None:
        low, high = f.x(max(f.low[0], row["low"])), f.x(min(f.high[0], row["high"]))
        marks.append(tag("path", class_="whisker", d=f"M{low:.1f},{y - 4:.1f}v8m0,-4H{high:.1f}m0,-4v8"))
    if row["value"] is not None:
        marks.append(tag("circle", class_="dot", cx=f.x(row["value"]), cy=y, r=4))
    return tag("g", *marks, data_m=slot)


def _across(f: Frame, at: Sequence[float], name: str, text: Any = tick_text) -> list[Markup]:
    bottom, top = f.height - f.bottom, f.top - 6
    found = [tag("path", class_="grid", d="".join(f"M{f.x(x):.1f},{top:.1f}V{bottom:.1f}" for x in at))]
    found += [tag("text", text(x), x=f.x(x), y=bottom + 16, text_anchor="middle") for x in at]
    found.append(tag("text", f"{name} →", class_="label", x=f.width - f.right, y=bottom + 33, text_anchor="end"))
    return found


def _four(value: Any) -> str:
    return f"{value:.4f}" if isinstance(value, int | float) else "–"


# ---- the fan ----


def _fan(page: Page) -> Markup | None:
    """The curves of the folds, their vertical mean and its band, for the recommended model; means of the others."""
    curves = page.document["roc"]
    if not curves:
        return None
    f, first = Frame(470, 470, left=38, top=26), page.document["recommended"]
    own, slot = curves[first], page.slots.get(first, 1)
    layers: list[Any] = [
        *f.axes("false positive rate", "true positive rate"),
        tag("path", class_="chance", d=f.path([(0, 0), (1, 1)])),
    ]
    mean = own["vertical"]
    if mean is not None:
        upper, lower = (list(zip(mean["fpr"], mean[side], strict=True)) for side in ("high", "low"))
        if all(isinstance(y, int | float) for _, y in [*upper, *lower]):
            layers.append(tag("path", class_="band", data_m=slot, d=f.path([*upper, *lower[::-1]], close=True)))
    for one in own["folds"][:FAN]:
        layers.append(tag("path", class_="fold", data_m=slot, d=f.path(list(zip(one["fpr"], one["tpr"], strict=True)))))
    for name in reversed(_ranked(page)):
        average = curves[name]["vertical"]
        if average is not None:
            look = "curve chosen" if name == first else "curve"
            layers.append(
                tag(
                    "path",
                    class_=look,
                    data_m=page.slots.get(name, 0),
                    d=f.path(list(zip(average["fpr"], average["tpr"], strict=True))),
                )
            )
    y = f.y(0) - 16 - 18 * len(_ranked(page)[:6])
    for name in _ranked(page)[:6]:
        y += 18
        layers += _key(page, name, f, y)
    reading = join(
        [
            called(first, slot),
            ": ",
            tag("b", f"{len(own['folds'])} folds"),
            " thin, their mean thick, the band of the mean shaded; the others by their means.",
        ]
    )
    rows = (
        [
            (
                shortened(name),
                with_limits(page.document["auc"][name]["mean_of_folds"]),
                with_limits(page.document["auc"][name]["pooled"]),
            )
            for name in _ranked(page)
        ]
        if page.document["auc"]
        else []
    )
    return view(
        "roc",
        "ROC over the folds",
        reading,
        f.picture(labelled("roc"), layers),
        shown_table(("model", "mean of fold AUCs", "AUC of pooled scores"), rows),
    )


def _key(page: Page, name: str, f: Frame, y: float) -> list[Markup]:
    left, right, slot = f.x(0.4), f.x(1) - 4, page.slots.get(name, 0)
    found = page.document["summary"][name].get("auc")
    chosen = name == page.document["recommended"]
    return [
        tag(
            "line", class_="curve chosen" if chosen else "curve", data_m=slot, x1=left, x2=left + 28, y1=y - 4, y2=y - 4
        ),
        tag("text", shortened(name, 16), class_="name strong" if chosen else "name", data_m=slot, x=left + 36, y=y),
        tag("text", with_limits(found["mean"]) if found else "", class_="ink", x=right, y=y, text_anchor="end"),
    ]


def _summary(page: Page) -> Markup:
    """Every measure of every model, where there is no curve to draw."""
    names = _ranked(page)
    rows = [
        (_title(one), *(with_limits(page.document["summary"][name][one]["mean"]) for name in names))
        for one in page.document["summary"][names[0]]
    ]
    heads = ("mean over folds", *(shortened(name, 16) for name in names))
    from rocscope.report.html.parts import table

    return view(
        "summary",
        "Measures",
        "The mean over the folds, with its interval.",
        tag("div", table(heads, rows), class_="scroll tall", tabindex=0),
    )


# ---- ranks and time ----


def _ranks(page: Page) -> Markup | None:
    """Mean ranks on a line, models that are no critical difference apart joined by a bar."""
    found = page.drawing.get("ranks")
    if not found:
        return None
    ranks: Mapping[str, float] = found["ranks"]
    names = sorted(ranks, key=lambda name: ranks[name])
    many, line = len(names), 20.0
    half = (many + 1) // 2
    f = Frame(
        WIDTH,
        92 + line * half + 12 * len(found["groups"]),
        left=110,
        right=110,
        low=(1.0, 0.0),
        high=(float(many), 1.0),
    )
    layers: list[Any] = [tag("line", class_="axis", x1=f.x(1), x2=f.x(many), y1=46, y2=46)]
    for rank in range(1, many + 1):
        layers += [
            tag("line", class_="axis", x1=f.x(rank), x2=f.x(rank), y1=41, y2=46),
            tag("text", rank, x=f.x(rank), y=36, text_anchor="middle"),
        ]
    ends = f.x(1), f.x(min(many, 1 + found["cd"]))
    layers.append(tag("path", class_="whisker", d=f"M{ends[0]:.1f},12v8m0,-4H{ends[1]:.1f}m0,-4v8"))
    layers.append(tag("text", f"critical difference {found['cd']:.2f}", x=ends[1] + 8, y=20))
    y = 54.0
    for group in found["groups"]:
        x0, x1 = (f.x(edge(ranks[name] for name in group)) for edge in (min, max))
        layers.append(tag("line", class_="group", x1=x0 - 3, x2=x1 + 3, y1=y, y2=y))
        y += 10
    for place, name in enumerate(names):
        left = place < half
        row = y + 14 + line * (place if left else many - 1 - place)
        x, end = f.x(ranks[name]), (f.left - 8 if left else f.width - f.right + 8)
        slot = page.slots.get(name, 0)
        layers.append(tag("path", class_="flat", d=f"M{x:.1f},46V{row:.1f}H{end:.1f}"))
        layers.append(
            tag(
                "text",
                f"{shortened(name, 12)} {ranks[name]:.2f}",
                class_="name",
                data_m=slot,
                x=end + (-4 if left else 4),
                y=row + 4,
                text_anchor="end" if left else "start",
            )
        )
    reading = (
        f"Mean rank in {_title(page.document['measure'])} over the folds, 1 is best; a bar joins models no critical "
        "difference apart. Folds share training cases: a picture, no test."
    )
    rows = [(shortened(name), f"{ranks[name]:.3f}") for name in names]
    return view(
        "ranks",
        "Ranks over the folds",
        reading,
        f.picture(labelled("ranks"), layers),
        shown_table(("model", "mean rank"), rows),
    )


def _time(page: Page) -> Markup:
    """Fitting time, on a logarithmic scale, against quality with its interval."""
    measure, times = page.document["measure"], page.document["times"]["models"]
    summary = page.document["summary"]
    names = [
        name
        for name in _ranked(page)
        if (times[name]["fit_seconds"] or 0) > 0 and summary[name][measure]["mean"]["value"] is not None
    ]
    rows = [
        (
            shortened(name),
            seconds_text(times[name]["fit_seconds"]),
            seconds_text(times[name]["predict_seconds_per_1000"]),
            with_limits(summary[name][measure]["mean"]),
        )
        for name in _ranked(page)
    ]
    behind = shown_table(("model", "fit", "predict 1,000", _title(measure)), rows)
    reading = "Seconds to fit one fold, on a logarithmic scale. Times vary from run to run; nothing else here does."
    if not names:
        return view("time", "Time against quality", reading, None, behind, reason="No model was timed.")
    logs = {name: math.log10(times[name]["fit_seconds"]) for name in names}
    ends = [
        one
        for name in names
        for side in ("low", "value", "high")
        if (one := summary[name][measure]["mean"][side]) is not None
    ]
    low, high = min(ends), max(ends)
    room = (high - low or 0.1) * 0.12
    f = Frame(
        WIDTH,
        330,
        left=48,
        right=30,
        low=(min(logs.values()) - 0.4, low - room),
        high=(max(logs.values()) + 0.9, high + room),
    )
    powers = [float(power) for power in range(math.ceil(f.low[0]), math.floor(f.high[0]) + 1)] or [round(f.low[0], 1)]
    layers: list[Any] = [
        *f.axes(
            "time to fit",
            _title(measure),
            x_at=powers,
            y_at=ticks(f.low[1], f.high[1]),
            x_text=lambda power: seconds_text(10.0**power),
        )
    ]
    for name in names:
        row, slot, x = summary[name][measure]["mean"], page.slots.get(name, 0), f.x(logs[name])
        marks: list[Any] = []
        if row["low"] is not None and row["high"] is not None:
            marks.append(
                tag(
                    "path",
                    class_="whisker",
                    d=f"M{x - 4:.1f},{f.y(row['low']):.1f}h8m-4,0V{f.y(row['high']):.1f}m-4,0h8",
                )
            )
        marks.append(tag("circle", class_="dot", cx=x, cy=f.y(row["value"]), r=4.5))
        layers.append(
            tag(
                "g",
                *marks,
                tag("text", shortened(name, 16), class_="name halo", x=x + 9, y=f.y(row["value"]) + 4),
                data_m=slot,
            )
        )
    return view("time", "Time against quality", reading, f.picture(labelled("time"), layers), behind)


# ---- tables ----


def _tests(page: Page) -> Markup | None:
    rows = page.document["comparisons"]
    if not rows:
        return None
    reach: dict[str, float] = {}
    for row in rows:
        ends = [abs(row[side]) for side in ("low", "value", "high") if row[side] is not None]
        reach[row["what"]] = max([reach.get(row["what"], 0.0), *ends])
    heads = (
        ("difference", 1),
        ("in", 1),
        (f"{100 * page.drawing['level']:g} %", 2),
        ("p (Holm)", 1),
        ("test", 1),
        ("in words", 1),
    )
    head = tag("tr", *(tag("th", name, scope="col", colspan=span if span > 1 else None) for name, span in heads))
    lines = [_test(page, row, reach[row["what"]] or 1.0) for row in rows]
    table = tag("table", tag("thead", head), tag("tbody", *lines), class_="evidence stack")
    said = "The first less the second; settled where the interval and p agree."
    return view("differences", "Are the models different?", said, table)


def _test(page: Page, row: Row, reach: float) -> Markup:
    slot = page.slots.get(row["b"], 0)
    if row["value"] is None:
        words = row["why"] or "undefined"
    else:
        words = "settled" if row["settled"] else "not settled"
    return tag(
        "tr",
        tag(
            "th",
            dash(slot),
            called(row["a"], page.slots.get(row["a"], 0), most=16),
            " − ",
            called(row["b"], slot, most=16),
            scope="row",
        ),
        tag("td", _title(row["what"])),
        tag("td", around(row, reach, slot), class_="draw"),
        tag("td", tag("b", signed(row)), " ", tag("span", limits_text(row), class_="interval"), class_="number"),
        tag("td", p_text(row["p_adjusted"]), class_="p"),
        tag("td", row["method"]),
        tag("td", words),
    )


def _folds(page: Page) -> Markup:
    folds = page.document["folds"]
    names = list(folds[0]["measures"]) if folds else []
    rows = [
        (shortened(one["model"]), shortened(one["name"]), one["train"], one["test"],
         *(_four(one["measures"][name]) for name in names), one["why"])
        for one in folds[:MOST]
    ]  # fmt: skip
    said = "" if len(folds) <= MOST else f"The first {MOST} of {len(folds):,}; all are in the data of this page."
    heads = ("model", "fold", "train", "test", *(_title(name) for name in names), "why")
    from rocscope.report.html.parts import table

    shown = tag(
        "details",
        tag("summary", f"{len(folds):,} folds"),
        tag("div", table(heads, rows, words=(0, 1)), class_="scroll tall", tabindex=0),
    )
    return view("folds", "Folds", said, tag("div", shown, class_="behind always"))
