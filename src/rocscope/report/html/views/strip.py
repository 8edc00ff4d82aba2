"""Which model at which cost: the cheapest in each range of cost ratios, and how often each is cheapest in resamples."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any

from rocscope.report.html.axes import evenly, label, percent
from rocscope.report.html.html_page import labelled, shown_table, view
from rocscope.report.html.markup import Markup, join, number, rich, rich_lines, shortened, tag
from rocscope.report.html.state import Page
from rocscope.text import percentage, point_text, ratio_text
from rocscope.verdicts import fill, plain

LOW, HIGH = 0.5, 100.0  # ends of the axis: cost of a false negative / cost of a false positive
MARKS = (0.5, 1, 2, 5, 10, 20, 50, 100)
MANY = 24  # maximum number of thresholds drawn one by one
NEVER = 3  # maximum number of models listed by name as not cheapest at any cost ratio
Segment = Mapping[str, Any]


def strip(page: Page) -> Markup | None:
    """The view; None if there is no hull, or if the cases have different costs."""
    if page.own_costs or not page.both or not page.drawing["hull"]["points"]:
        return None
    pieces = segments(page)
    several = len(page.models) > 1
    title = "Cheapest model by cost ratio" if several else "Cheapest threshold by cost ratio"
    return view("strip", title, _reading(page, pieces), _picture(page, pieces), _behind(page, pieces))


def segments(page: Page) -> list[dict[str, Any]]:
    """The cheapest corner of the hull in each range of ratios: model, threshold, ends.

    Falling slopes, rising ratios.
    """
    corners = page.drawing["hull"]["points"]
    share = page.prevalence
    odds = (1 - share) / share
    pieces: list[dict[str, Any]] = []
    start = 0.0
    for index, corner in enumerate(corners):
        end = math.inf
        if index + 1 < len(corners):
            run, rise = corners[index + 1]["fpr"] - corner["fpr"], corners[index + 1]["tpr"] - corner["tpr"]
            end = odds * run / rise if rise > 0 else math.inf
        if end > start:
            # with a single model the corners carry no model name
            alone = corner["model"] is None and corner["threshold"] is not None
            pieces.append(
                {**corner, "model": page.model["name"] if alone else corner["model"], "from": start, "to": end}
            )
        start = max(start, end)
    return pieces


def owner(segment: Segment) -> Any:
    """The owner of a segment: a model, or flagging none or all."""
    if segment["fpr"] == 0 and segment["tpr"] == 0:
        return "flag nobody"
    return "flag everybody" if segment["threshold"] is None and segment["model"] is None else {"m": segment["model"]}


def joined(pieces: Sequence[Segment]) -> list[dict[str, Any]]:
    """Merge adjacent segments of one model, within the axis."""
    runs: list[dict[str, Any]] = []
    for segment in pieces:
        if segment["to"] <= LOW or segment["from"] >= HIGH:
            continue
        if runs and runs[-1]["owner"] == owner(segment):
            runs[-1] |= {"to": segment["to"], "last": segment["threshold"]}
        else:
            runs.append(_run(segment))
    return runs


def _run(segment: Segment) -> dict[str, Any]:
    ends = {"from": segment["from"], "to": segment["to"], "first": segment["threshold"], "last": segment["threshold"]}
    return {"owner": owner(segment), **ends}


def place(ratio: float) -> float:
    """The position of a ratio on the axis, 0 to 1."""
    inside = min(HIGH, max(LOW, ratio))
    return math.log(inside / LOW) / math.log(HIGH / LOW)


def _at(threshold: Any) -> str:
    return "" if threshold is None else point_text(threshold)


# ---- text ----


def _reading(page: Page, pieces: Sequence[Segment]) -> Markup:
    if len(page.models) == 1:
        inside = [
            segment
            for segment in pieces
            if segment["to"] > LOW and segment["from"] < HIGH and segment["threshold"] is not None
        ]
        if not inside:
            return join([])
        ends = {"high": _at(inside[0]["threshold"]), "low": _at(inside[-1]["threshold"])}
        return rich(fill(f"strip_threshold{'' if ends['high'] != ends['low'] else '_one'}", **ends), {})
    all_runs = joined(pieces)
    runs = [run for run in all_runs if isinstance(run["owner"], dict)]
    reading = []
    if runs and len(runs) < len(all_runs):  # flagging nobody, or everybody, is the cheapest at an end
        reading.append([*fill("strip_many"), *chain(*map(_until, all_runs[:-1])), *_beyond(all_runs[-1])])
    elif len(runs) == 1:
        reading.append(fill("strip_one", model=runs[0]["owner"]["m"]))
    elif len(runs) == 2:
        first, second = (run["owner"]["m"] for run in runs)
        reading.append(fill("strip", first=first, second=second, ratio=runs[0]["to"]))
    elif runs:
        reading.append([*fill("strip_many"), *chain(*map(_until, runs[:-1])), *_beyond(runs[-1])])
    leads = {run["owner"]["m"] for run in runs}
    never = [model["name"] for model in page.models if model["name"] not in leads]
    few = len(never) <= NEVER
    reading += [fill("strip_never", model=name) for name in never] if few else [fill("strip_others", models=len(never))]
    return rich_lines(reading, page.slots)


def _until(run: Mapping[str, Any]) -> Any:
    if isinstance(run["owner"], dict):
        return fill("strip_until", model=run["owner"]["m"], ratio=run["to"])
    return fill("strip_until_none", ratio=run["to"])


def _beyond(run: Mapping[str, Any]) -> Any:
    return fill("strip_beyond", model=run["owner"]["m"]) if isinstance(run["owner"], dict) else fill("strip_beyond_all")


# ---- figure ----


def _picture(page: Page, pieces: Sequence[Segment]) -> Markup:
    inside = [segment for segment in pieces if segment["to"] > LOW and segment["from"] < HIGH]
    runs = joined(pieces) if len(page.models) > 1 else [_run(segment) for segment in inside]
    bars = [_bar(page, run) for run in runs] if len(page.models) > 1 or len(runs) <= MANY else _band(page, runs)
    now = place(page.ratio)
    layers = [_axis(), *bars, *_shares(page), *_switches(page, runs, now), *_handle(page, now)]
    return tag("svg", *layers, role="img", aria_labelledby=labelled("strip"), width="100%", height=130, class_="fluid")


def _bar(page: Page, run: Mapping[str, Any]) -> Markup:
    """A segment as a separate drawing, which clips what does not fit."""
    left, right = place(run["from"]), place(run["to"])
    several, model = len(page.models) > 1, run["owner"]["m"] if isinstance(run["owner"], dict) else None
    first, last = _at(run["first"]), _at(run["last"])
    words = run["owner"] if model is None else shortened(model, 18) if several else ""
    spread = first if not several or first == last else f"{first} → {last}"
    if model is None or not first or page.drawing.get("points"):
        spread = ""
    named = f"thresholds {spread}" if "→" in spread else f"threshold {spread}" if several else spread
    parts = [tag("tspan", words, font_weight=650) if words else None,
             tag("tspan", named, dx=14 if words else 0) if spread else None]  # fmt: skip
    fill, text = tag("rect", class_="fill", width="100%", height=32, rx=3), label(parts, 12, 21, "on-model")
    size = {"x": percent(left), "y": 28, "width": percent(right - left - 0.0015), "height": 32}
    return tag("svg", fill, text, **size, data_m=page.slots.get(model, 0) if model is not None else 0)


def _band(page: Page, runs: Sequence[Mapping[str, Any]]) -> list[Markup]:
    """More thresholds than can be distinguished as one band, with the cheapest threshold above each tick."""
    shape = tag("rect", class_="fill", x="0%", y=28, width="100%", height=32, rx=3)
    texts = []
    for mark in MARKS:
        run = next((run for run in runs if mark <= run["to"]), runs[-1])
        at, words = place(mark), _at(run["first"]) if isinstance(run["owner"], dict) else "–"
        anchor, dx = ("end", -8) if at == 1 else ("start", 8)
        look = "on-model wide-only" if mark in (0.5, 10, 50) else "on-model"
        texts.append(label(words, percent(at), 49, look, anchor=anchor, dx=dx))
    return [tag("g", shape, *texts, data_m=page.model["slot"])]


def _shares(page: Page) -> list[Markup]:
    """Stacked shares of resamples, as areas of a drawing stretched to the width."""
    known = page.drawing["strip"]
    if not known or not known["shares"]:
        return []
    ratios, base = known["ratios"], [0.0] * len(known["ratios"])
    areas = []
    for model in page.models:
        row = known["shares"].get(model["name"])
        if row is None or max(row) == 0:
            continue
        top = [low + share for low, share in zip(base, row, strict=True)]
        upper = [(1000 * place(r), 100 * level) for r, level in zip(ratios, base, strict=True)]
        lower = [(1000 * place(r), 100 * level) for r, level in zip(ratios, top, strict=True)]
        outline = "L".join(f"{number(x)},{number(y)}" for x, y in [*upper, *lower[::-1]])
        areas.append(tag("path", class_="area", data_m=model["slot"], d=f"M{outline}Z"))
        base = top
    size = {"x": "0%", "y": 66, "width": "100%", "height": 40, "viewBox": "0 0 1000 100"}
    inner = tag("svg", *areas, **size, preserveAspectRatio="none")
    return [inner, label("share of resamples in which each is cheapest", "0%", 90, "ink", dx=12)]


def _axis() -> Markup:
    marks = []
    for mark in MARKS:
        at = place(mark)
        anchor = "start" if at == 0 else "end" if at == 1 else "middle"
        marks.append(tag("line", class_="axis", x1=percent(at), x2=percent(at), y1=106, y2=111))
        look = "wide-only" if mark in (0.5, 10, 50) else None
        marks.append(label(ratio_text(mark), percent(at), 125, look, anchor=anchor))
    return tag("g", *marks)


def _switches(page: Page, runs: Sequence[Mapping[str, Any]], now: float) -> list[Markup]:
    if len(page.models) == 1:
        return []
    marks = []
    last = -1.0
    for run in runs[:-1]:
        at = place(run["to"])
        if abs(at - now) > 0.02 and 0.02 < at < 0.98 and at - last > 0.12 and not 0 < now - at < 0.2:
            last = at
            far = at > now and at - now < 0.12
            words, after = plain(fill("switch", ratio=run["to"])), far or at < 0.85
            anchor, dx = ("start", 4) if after else ("end", -4)
            marks.append(label(words, percent(at), 15, anchor=anchor, dx=dx))
    return marks


def _handle(page: Page, now: float) -> list[Markup]:
    if not page.drawing["state"].get("priced"):
        return []
    words = "".join(fill("now", ratio=page.ratio))
    dx, anchor = (-12, "end") if now > 0.12 else (12, "start")
    return [
        tag("line", class_="flat handle", x1=percent(now), x2=percent(now), y1=16, y2=110),
        tag("circle", class_="grip", cx=percent(now), cy=11, r=7),
        label(words, percent(now), 15, "strong", anchor=anchor, dx=dx),
    ]


def _behind(page: Page, pieces: Sequence[Segment]) -> Markup:
    rows = []
    for segment in evenly(pieces, 8):
        who = segment["model"] if isinstance(owner(segment), dict) else owner(segment)
        name = shortened(who) if who is not None else page.model["name"]
        at = "" if segment["threshold"] is None else _at(segment["threshold"])
        low = ratio_text(segment["from"]) if segment["from"] > 0 else "0"
        high = ratio_text(segment["to"]) if math.isfinite(segment["to"]) else "∞"
        rows.append((low, high, name, at, percentage(segment["fpr"]), percentage(segment["tpr"])))
    return shown_table(("ratio from", "to", "model", "threshold", "FPR", "TPR"), rows, words=(0, 1, 2))
