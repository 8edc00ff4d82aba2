"""The top of the page: facts, headline, lead, the list of costs, certainty, caveats, and what would change the
answer.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from rocscope.report.html.axes import rail, whisker
from rocscope.report.html.markup import Markup, called, join, rich, shortened, tag
from rocscope.report.html.state import Page
from rocscope.text import PLAIN_LABELS, limits_text, percentage, show_count, value_text, whole, whole_limits
from rocscope.verdicts import fill, pieces_of

COLUMNS = (
    ("doubt", "How certain is it?"), ("caveats", "What could mislead here"),
    ("next_steps", "What would change the answer"),
)  # fmt: skip
RULES = {
    "cost": "least cost", "youden": "Youden", "closest": "closest to the corner", "f1": "best F1", "hand": "by hand",
}  # fmt: skip


def facts(page: Page) -> Markup:
    """The number of cases, the excluded rows, their origin, the rule, the level."""
    data, drawing = page.document["data"], page.drawing
    if drawing.get("rates_only"):
        return _facts_of_rates(page)
    many = show_count(data["cases"])
    first = f"{drawing.get('units', 'cases')}" if not data.get("weighted") else "weight"
    items = [tag("span", tag("b", many), f" {first}")]
    if "positives" in data:
        share = data["positives"] / data["cases"] if data["cases"] else 0.0
        positives = tag("b", show_count(data["positives"])), " ", called(drawing["positive"])
        items.append(tag("span", *positives, f" ({percentage(share)})"))
    elif data.get("labels"):
        of_labels = "labels" in (page.document["kind"], page.document.get("of"))
        items.append(tag("span", tag("b", len(data["labels"])), " labels" if of_labels else " classes"))
    items += _left_out(page)
    items += [tag("span", item) for item in _origin(page)]
    return tag("p", *items, class_="facts")


def _facts_of_rates(page: Page) -> Markup:
    """For rates without counts: the number of classifiers, and that the prevalence is unknown."""
    many = len(page.models)
    items = [
        tag("span", tag("b", many), " classifier" if many == 1 else " classifiers"),
        tag("span", "rates only, no counts"),
        tag("span", f"prevalence assumed to be {percentage(page.prevalence)}: set your own"),
    ]
    return tag("p", *items, *(tag("span", item) for item in _origin(page)), class_="facts")


def _left_out(page: Page) -> list[Markup]:
    data = page.document["data"]
    left = data.get("left_out") or {}
    total = sum(left.values())
    if not total:
        return []
    amber = total >= 0.01 * (data["cases"] + total)
    why = ", ".join(left)
    return [tag("span", tag("b", show_count(total)), f" left out: {why}", class_="amber" if amber else None)]


def _origin(page: Page) -> list[Any]:
    data, drawing = page.document["data"], page.drawing
    source = data.get("source") or {}
    items: list[Any] = []
    if source.get("file"):
        items.append(shortened(str(source["file"]), 60))
    if source.get("label"):
        named: Any = ["label ", tag("code", shortened(str(source["label"]), 40))]
        positive = (data.get("labels") or {}).get("positive") if isinstance(data.get("labels"), dict) else None
        items.append([*named, f", positive = {shortened(str(positive), 24)}"] if positive is not None else named)
    elif isinstance(data.get("labels"), dict) and str(data["labels"].get("positive")) not in PLAIN_LABELS:
        positive = str(data["labels"].get("positive"))
        if positive != drawing["positive"]:  # sentences call it positive
            items.append(f"positive = {shortened(positive, 24)}")
    if page.models and page.models[0]["labels_only"]:
        items.append(join(["positive: ", tag("bdi", shortened(data["positive"]))]))
    elif page.document["kind"] == "classes" and len(data["labels"]) == 2 and data["positive"] is None:
        items.append("positive class: not specified")
    elif drawing.get("rule") and not drawing.get("points"):
        sign = {">=": "≥", "<=": "≤"}[drawing["rule"]]
        items.append(f"{drawing['flagged']} means score {sign} threshold")
    if not drawing.get("rates_only"):
        items.append(f"intervals {100 * drawing['level']:g} %")
    if drawing.get("bound"):
        items.append(f"areas certified to {drawing['bound']:.2g}")
    return items


# ---- verdict ----


def verdict(page: Page) -> Markup:
    """Headline, lead and the list beside it; then three short columns."""
    statements = page.document["verdict"]["statements"]
    text = tag(
        "div",
        tag(
            "h1",
            *(_sentence(page, statement) for statement in statements["headline"]),
            class_="headline",
            id="headline",
        ),
        tag("p", *([_sentence(page, statement), " "] for statement in statements["evidence"]), class_="lead"),
        tag("p", class_="hand"),
    )
    beside = costs(page)
    paragraphs = {name: [_sentence(page, statement) for statement in statements[name]] for name, _ in COLUMNS}
    paragraphs["doubt"] += _range(page)
    codes = {"caveats": _codes(statements["caveats"])}
    columns = [
        _column(name, title, paragraphs[name], codes.get(name, ())) for name, title in COLUMNS if paragraphs[name]
    ]
    return tag(
        "section",
        tag("div", text, beside, class_="answer" if beside is not None else "answer wide"),
        tag("div", *columns, class_="columns") if columns else None,
        class_="verdict",
        id="verdict",
        aria_labelledby="headline",
    )


def _sentence(page: Page, statement: Any) -> Markup:
    return rich(pieces_of(statement), page.slots)


def _range(page: Page) -> list[Markup]:
    """The thresholds whose cost does not differ beyond chance, if only the page resampled them."""
    ends = page.drawing.get("range")
    if ends is None or page.evaluation["point"]["low"] is not None or not ends["low"] < ends["high"]:
        return []
    return [_sentence(page, {"rule": "threshold_range", "facts": ends})]


def _codes(caveats: Iterable[Any]) -> list[str]:
    """The code of each check; sentences without one are numbered, so that each can be muted."""
    return [
        str(caveat["facts"].get("check", f"note_{index}")) if caveat["rule"] == "note" else caveat["rule"]
        for index, caveat in enumerate(caveats, start=1)
    ]


def _column(name: str, title: str, paragraphs: list[Markup], codes: Sequence[str] = ()) -> Markup:
    """A column of paragraphs; `codes` identify the checks stated there, which the page can mute."""
    marks = [*codes, *[None] * (len(paragraphs) - len(codes))]
    marked = [tag("p", paragraph, data_check=code) for paragraph, code in zip(paragraphs, marks, strict=True)]
    return tag("section", tag("h2", title), *marked, class_=name.replace("_", "-"))


def costs(page: Page) -> Markup | None:
    """Each model at its threshold beside the costs of the alternatives; AUCs if no costs were given."""
    rows = [row for row in page.drawing.get("costs") or [] if row["value"] is not None]
    if not rows:
        return None
    areas = rows[0]["kind"] == "auc"
    low, high = _span(rows)
    body = [_cost_row(page, row, low, high) for row in rows[:9]]
    title = f"AUC, {100 * page.drawing['level']:g} %" if areas else f"Cost per 1,000 {page.drawing['units']}"
    heads = [tag("h2", title), tag("span", "chance 0.5" if areas else _unit_cost(page))]
    table = tag("table", tag("tbody", *body), class_="costs")
    return tag("div", tag("div", *heads, class_="heads"), table, class_="costlist")


def _unit_cost(page: Page) -> str:
    if page.own_costs:
        return f"at the costs of each {page.drawing['unit']}"
    return f"one false alarm = {page.drawing['state']['fp']:g}"


def _span(rows: Any) -> tuple[float, float]:
    """The ends of the axis, which need not begin at 0 because dots are drawn, not bars."""
    numbers = [row[side] for row in rows for side in ("low", "value", "high") if row[side] is not None]
    low, high = min(numbers, default=0.0), max(numbers, default=1.0)
    if rows[0]["kind"] == "auc":  # from chance to perfect, so that reports are comparable at a glance
        return (0.5 if low >= 0.5 else 0.0), 1.0
    return (low, high) if high > low else (low - 1.0, high + 1.0)


def _cost_row(page: Page, row: Any, low: float, high: float) -> Markup:
    model = None if row["model"] is None else page.models[row["model"]]
    slot = None if model is None else model["slot"]
    name: Any = row["kind"] if model is None else called(model["name"], slot, most=18)
    at = {"habit": "at 0.5, the default", "auc": ""}.get(row["kind"], f"at {row['at']}" if row["at"] else "")
    position = [None if row[side] is None else (row[side] - low) / (high - low) for side in ("low", "value", "high")]
    bare = row["kind"] in ("flag nobody", "flag everybody")
    shape = "open" if row["kind"] == "habit" else ""
    mark = (
        None
        if position[1] is None
        else whisker([None, position[1], None] if bare else position, slot=slot, shape=shape)
    )
    areas = row["kind"] == "auc"
    chosen = model is not None and row["model"] == page.drawing["recommended"] and row["kind"] in ("model", "auc")
    return tag(
        "tr",
        tag("th", name, scope="row"),
        tag("td", at, class_="at long" if row["kind"] == "habit" else "at"),
        tag("td", rail(mark), class_="draw"),
        tag("td", value_text(row) if areas else whole(row["value"]), class_="value"),
        tag("td", limits_text(row) if areas else "" if bare else whole_limits(row), class_="interval"),
        class_="chosen" if chosen else None,
    )


# ---- controls ----


def controls(page: Page) -> Markup:
    """The controls' values as text; with a script, the controls replace this line, except in print."""
    state = page.drawing["state"]
    none = "There is no threshold to set, because there is only one class or there are no scores."
    settings: Any = tag("p", none, class_="settings")
    scored = page.models and page.both and not page.model["labels_only"] and not page.drawing.get("points")
    if scored and page.threshold:
        where = "different from the data" if page.rebased else "as in the data"
        name = "settings" if len(page.models) > 1 else "settings_own" if page.own_costs else "settings_single"
        ratio = page.ratio if page.ratio != float("inf") else "all"
        set_to = {"rule": RULES.get(state["rule"], state["rule"]), "threshold": page.threshold}
        set_to |= {"unit": page.drawing["unit"]} if page.own_costs else {"ratio": ratio}
        pieces = fill(name, model=page.model["name"], share=page.prevalence, where=where, **set_to)
        settings = tag("p", rich(pieces, page.slots), class_="settings")
    return tag("section", tag("h2", "Controls", class_="visually-hidden"), settings, class_="controls", id="controls")


def stamp(page: Page) -> str:
    """The CSS rule that puts version and hash at the foot of every printed page.

    Nothing in it comes from the data.
    """
    known = page.drawing["provenance"]
    digest = "".join(letter for letter in known["hash"] if letter in "0123456789abcdef")
    words = f"rocscope {known['version']}, sha256 {digest[:8]}\u2026{digest[-4:]}"
    return f'@page{{@bottom-left{{content:"{words}";font:8pt system-ui,sans-serif;color:#626c78}}}}'


def provenance(page: Page) -> Markup:
    """The command, the methods, the version and the hash, which suffice to reproduce the result."""
    known = page.drawing["provenance"]
    digest = known["hash"]
    last = (
        f"rocscope {known['version']}, document rocscope/1, SHA-256 of the input {digest[:8]}…{digest[-4:]}. "
        "The file contains no date: the same input and seed give the same bytes. It makes no network requests."
    )
    origin = known.get("origin", "Created in Python from arrays in memory.")
    # a word of the command is not broken at its hyphens
    words = (tag("span", word) for word in known["command"].split(" "))
    command = tag("code", *(part for word in words for part in (word, " "))) if known["command"] else origin
    return tag("footer", tag("p", command), tag("p", known["methods"]), tag("p", last), class_="provenance")
