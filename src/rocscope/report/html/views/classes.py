"""The page of several classes, or of hard labels: the matrix, measures, each class against the rest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rocscope.report.html import html_page
from rocscope.report.html.axes import Frame
from rocscope.report.html.markup import Markup, called, join, shortened, tag
from rocscope.report.html.parts import labelled, shown_table, view
from rocscope.report.html.state import Page
from rocscope.report.html.views import cases, measures, roc, verdict
from rocscope.text import show_count, with_limits

WHOLE = 12  # classes up to which the matrix is shown whole
SHOWN = 8  # of more, those with most errors
TINTS = 8
FRAME = Frame(440, 470, left=38, top=26)
Row = Mapping[str, Any]


def body(page: Page) -> list[Markup]:
    """The head, the answer, the matrix, each class, the provenance."""
    if page.models:
        rows = [tag("div", roc.roc(page), cases.cases(page), measures.measures(page), class_="row row5")]
        rows.append(tag("div", _each(page), class_="row"))
    else:
        rows = [tag("div", _matrix(page), _measures(page), class_="row row2")]
        rows.append(tag("div", _curves(page), _each(page), class_="row row9"))
    views = tag("div", *rows, class_="views")
    main = tag("main", verdict.facts(page), verdict.verdict(page), views)
    return [html_page.bar(str(page.drawing["title"])), main, verdict.provenance(page)]


# ---- the matrix ----


def _matrix(page: Page) -> Markup:
    labels, cells = page.document["data"]["labels"], page.document["matrix"]["cells"]
    shown, rest = _chosen(page.drawing["order"], cells)
    names = [shortened(labels[place], 16) for place in shown] + ([f"{len(rest)} more"] if rest else [])
    table = _folded(cells, shown, rest)
    most = max((value for i, row in enumerate(table) for j, value in enumerate(row) if i != j), default=0) or 1
    short = [*names[: len(shown)], f"{len(rest)}+"] if rest else names
    head = tag("tr", tag("td"), *(tag("th", tag("bdi", name), scope="col") for name in short))
    lines = [
        tag(
            "tr", tag("th", tag("bdi", name), scope="row"), *(_cell(value, i == j, most) for j, value in enumerate(row))
        )
        for i, (name, row) in enumerate(zip(names, table, strict=True))
    ]
    caption = tag("caption", "rows: actual; columns: predicted", class_="muted")
    table_of = tag("table", caption, tag("thead", head), tag("tbody", *lines), class_="classes")
    picture = tag("div", table_of, class_="scroll tall", tabindex=0)
    return view(
        "cases", "What happens to the cases", _matrix_reading(page, len(shown), len(rest)), picture, _pairs(page)
    )


def _chosen(order: Sequence[int], cells: Sequence[Sequence[float]]) -> tuple[list[int], list[int]]:
    """The classes to show, in cluster order, and the rest."""
    if len(cells) <= WHOLE:
        return list(order) if len(cells) > 2 else list(range(len(cells))), []
    wrong = {i: sum(row) - row[i] for i, row in enumerate(cells)}
    kept = set(sorted(wrong, key=lambda place: -wrong[place])[:SHOWN])
    return [place for place in order if place in kept], [place for place in order if place not in kept]


def _folded(cells: Sequence[Sequence[float]], shown: list[int], rest: list[int]) -> list[list[float]]:
    groups = [[place] for place in shown] + ([rest] if rest else [])
    return [[sum(cells[i][j] for i in rows for j in columns) for columns in groups] for rows in groups]


def _cell(value: float, right: bool, most: float) -> Markup:
    text = show_count(value) if value else ""
    if right:
        return tag("td", text, class_="right")
    return tag("td", text, class_=f"wrong tint{min(TINTS - 1, round((TINTS - 1) * value / most))}", data_tint=True)


def _matrix_reading(page: Page, shown: int, rest: int) -> Markup:
    many = len(page.document["data"]["labels"])
    if rest:
        return join(
            [
                tag("b", f"{many} classes."),
                f" The matrix shows the {shown} with most errors; the rest is one row.",
            ]
        )
    if many > 2:
        return join([tag("b", f"{many} classes."), " Classes taken for each other stand side by side."])
    return join(["Errors are tinted by how many there are."])


def _pairs(page: Page) -> Markup:
    """The pairs confused most."""
    labels, cells = page.document["data"]["labels"], page.document["matrix"]["cells"]
    found = [(value, i, j) for i, row in enumerate(cells) for j, value in enumerate(row) if i != j and value]
    found.sort(key=lambda one: (-one[0], one[1], one[2]))
    rows = [
        (shortened(labels[i], 40), shortened(labels[j], 40), show_count(value), f"{value / (sum(cells[i]) or 1):.3f}")
        for value, i, j in found[:30]
    ]
    return shown_table(("actual", "predicted", "cases", "share of actual"), rows, words=(0, 1))


# ---- measures ----


def _measures(page: Page) -> Markup:
    rows = [*page.document["measures"], *_areas(page)]
    body = [measures.row_of({**row, "baseline": row.get("baseline")}, 1) for row in rows]
    return view(
        "measures",
        "Measures",
        "Of the whole matrix, then averages over the classes.",
        measures.table(body, page.drawing["level"]),
    )


def _areas(page: Page) -> list[dict[str, Any]]:
    found = []
    for how, one in (page.document["auc"] or {}).items():
        part = "" if one["over"] == one["of"] else f" over {one['over']} of {one['of']}"
        limits = {side: one.get(side) for side in ("low", "high")}
        found.append(
            {
                "name": f"{how} auc",
                "title": f"AUC, {how}{part}",
                "value": one["value"],
                "why": "",
                "baseline": 0.5,
                **limits,
            }
        )
    return found


def _each(page: Page) -> Markup:
    """Each class against the rest, the least found first."""
    classes = page.drawing["classes"]
    support = dict(zip(page.document["data"]["labels"], page.document["data"]["support"], strict=True))
    ranked = sorted(classes, key=_recall)
    names = list(classes[0]["estimates"])
    heads = ["class", "cases", *names]
    titles = {"auc": "AUC", "f1": "F1"}
    head = tag(
        "tr",
        *(
            tag("th", titles.get(name, name), scope="col", class_="right" if name == "cases" else None)
            for name in heads
        ),
    )
    lines = [
        tag("tr", tag("th", called(one["label"]), scope="row"),
            tag("td", show_count(support[one["label"]]), class_="right"),
            *(_estimate(one["estimates"][name]) for name in names))
        for one in ranked
    ]  # fmt: skip
    table = tag("table", tag("thead", head), tag("tbody", *lines[:WHOLE]), class_="evidence")
    shown: list[Any] = [table]
    if len(lines) > WHOLE:
        rest = tag("table", tag("thead", head), tag("tbody", *lines[WHOLE:]), class_="evidence")
        shown.append(tag("div", tag("details", tag("summary", f"{len(lines) - WHOLE} more"), rest), class_="behind"))
    return view(
        "each",
        "Each class against the rest",
        "The least found first.",
        tag("div", *shown, class_="scroll tall", tabindex=0),
    )


def _recall(one: Row) -> float:
    value = one["estimates"]["recall"]["value"]
    return 2.0 if value is None else float(value)


def _estimate(row: Row) -> Markup:
    if row["value"] is None:
        return tag("td", "– ", tag("span", row["why"], class_="warn"))
    return tag("td", with_limits(row), class_="number")


# ---- curves ----


def _curves(page: Page) -> Markup | None:
    """One curve per class; the five least found have colour."""
    drawn = [one for one in page.drawing["classes"] if one["fpr"]]
    if not drawn:
        return None
    ranked = sorted(drawn, key=_recall)
    layers: list[Any] = [
        *FRAME.axes("false positive rate", "true positive rate"),
        tag("path", class_="chance", d=FRAME.path([(0, 0), (1, 1)])),
    ]
    for place, one in reversed(list(enumerate(ranked, start=1))):
        slot = place if place <= 5 else 0
        look = "curve" if slot else "curve faint"
        layers.append(
            tag("path", class_=look, data_m=slot, d=FRAME.path(list(zip(one["fpr"], one["tpr"], strict=True))))
        )
    right, y = FRAME.x(1) - 4, FRAME.y(0) - 14 - 18 * min(len(ranked), 6)
    for place, one in enumerate(ranked[:5], start=1):
        y += 18
        layers += _key(one, place, right, y)
    if len(ranked) > 5:
        layers.append(tag("text", f"{len(ranked) - 5} more", x=right, y=y + 18, text_anchor="end"))
    rows = [(shortened(one["label"], 40), with_limits(one["estimates"]["auc"])) for one in ranked]
    reading = "Each class against the rest; the least found have colour."
    return view(
        "roc",
        "ROC, one against the rest",
        reading,
        FRAME.picture(labelled("roc"), layers),
        shown_table(("class", "AUC"), rows),
    )


def _key(one: Row, slot: int, right: float, y: float) -> list[Markup]:
    left = FRAME.x(0.4)
    return [
        tag("line", class_="curve", data_m=slot, x1=left, x2=left + 28, y1=y - 4, y2=y - 4),
        tag("text", shortened(one["label"], 16), class_="name", data_m=slot, x=left + 36, y=y),
        tag("text", with_limits(one["estimates"]["auc"]), class_="ink", x=right, y=y, text_anchor="end"),
    ]
