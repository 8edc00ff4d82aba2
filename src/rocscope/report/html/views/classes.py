"""The page of several classes, or of hard labels: the matrix, measures, each class against the rest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rocscope.report.document_reader import decision_costs
from rocscope.report.html.axes import KEY_LINE, ROC, label, roc_space
from rocscope.report.html.html_page import heading, labelled, long_table, row, shown_table, view
from rocscope.report.html.markup import Markup, called, join, shortened, tag
from rocscope.report.html.state import Page
from rocscope.report.html.views import calibration, cases, measures, roc
from rocscope.text import limits_text, show_count, value_text, with_limits

WHOLE = 12  # maximum number of classes for which the whole matrix is shown
FEW = 5  # maximum number of classes for which cells are large
SHOWN = 8  # number of classes shown in a larger matrix: those with the most errors
COLORED = 5  # number of colored curves: the classes with the lowest recall
AVERAGES = {"hand-till": "Hand and Till", "macro": "macro average", "micro": "micro average",
            "weighted": "weighted by class size"}  # fmt: skip
WIDE = 12  # number of classes above which the matrix takes the full width
TITLES = {"auc": "AUC", "average_precision": "average precision", "f1": "F1"}
Row = Mapping[str, Any]


def rows(page: Page) -> list[Markup | None]:
    """The rows of views: the matrix, measures, each class."""
    if page.models:  # predicted labels of two classes
        return [row("row row5", roc.roc(page), cases.cases(page), measures.measures(page)), row("row", each(page))]
    estimates = (page.document.get("calibration") or {}).get("estimates", ())
    reliability = calibration.top_label(
        page, [estimate for estimate in estimates if estimate["name"] != "calibration_in_the_large"]
    )
    first = [row("row row2", matrix(page), _measures(page)), row("row", _decision(page))]
    second = [row("row row9", curves(page), each(page))]
    if len(page.document["data"]["labels"]) > WIDE:
        first = [row("row", matrix(page)), row("row", _decision(page))]
        second = [row("row row2", _measures(page), curves(page)), row("row", each(page))]
    return [
        *first,
        *second,
        row("row row7", reliability, class_lines(page), _class_calibration(page)),
    ]


# ---- confusion matrix ----


def matrix(page: Page) -> Markup:
    """The view of the confusion matrix, with classes that are often confused side by side."""
    labels, cells = page.document["data"]["labels"], page.document["matrix"]["cells"]
    shown, rest = _chosen(page.drawing["order"], cells)
    names = [shortened(labels[index], 16) for index in shown] + ([f"{len(rest)} more"] if rest else [])
    table = _folded(cells, shown, rest)
    most = max((value for i, row in enumerate(table) for j, value in enumerate(row) if i != j), default=0) or 1
    short = [*names[: len(shown)], f"{len(rest)}+"] if rest else names
    head = tag("tr", tag("td"), *(heading(tag("bdi", name)) for name in short), heading("all"))
    lines = []
    for i, (name, counts) in enumerate(zip(names, table, strict=True)):
        boxes = (_cell(value, i == j, most) for j, value in enumerate(counts))
        lines.append(tag("tr", tag("th", tag("bdi", name), scope="row"), *boxes, _total(counts)))
    sums = [_total([row[j] for row in table]) for j in range(len(table))]
    lines.append(tag("tr", tag("th", "all", scope="row"), *sums, _total([sum(row) for row in table])))
    caption = tag("caption", "rows: actual; columns: predicted", class_="muted")
    look = "classes few" if len(names) <= FEW else "classes"
    table_of = tag("table", caption, tag("thead", head), tag("tbody", *lines), class_=look)
    picture, reading = tag("div", table_of, class_="scroll tall", tabindex=0), _reading(page, len(shown), len(rest))
    return view("cases", "Confusion matrix", reading, picture, _pairs(page))


def _chosen(order: Sequence[int], cells: Sequence[Sequence[float]]) -> tuple[list[int], list[int]]:
    """The classes to show, in cluster order, and the rest."""
    if len(cells) <= WHOLE:
        return list(order) if len(cells) > 2 else list(range(len(cells))), []
    wrong = {i: sum(row) - row[i] for i, row in enumerate(cells)}
    kept = set(sorted(wrong, key=lambda index: -wrong[index])[:SHOWN])
    return [index for index in order if index in kept], [index for index in order if index not in kept]


def _folded(cells: Sequence[Sequence[float]], shown: list[int], rest: list[int]) -> list[list[float]]:
    groups = [[index] for index in shown] + ([rest] if rest else [])
    return [[sum(cells[i][j] for i in rows for j in columns) for columns in groups] for rows in groups]


def _total(counts: Sequence[float]) -> Markup:
    return tag("td", show_count(sum(counts)), class_="total")


def _cell(value: float, right: bool, most: float) -> Markup:
    text = show_count(value) if value else ""
    if right:
        return tag("td", text, class_="right")
    return tag("td", text, class_=cases.tint(value, most), data_tint=True)


def _reading(page: Page, shown: int, rest: int) -> Markup:
    many = len(page.document["data"]["labels"])
    if many == 2:
        return join(["The tint of an error shows how frequent it is."])
    near = f" {_worst(page)} Classes that are often confused are placed side by side."
    text = f" The matrix shows the {shown} with the most errors; the rest are combined in one row." if rest else near
    return join([tag("b", f"{many} classes."), text])


def _worst(page: Page) -> str:
    """The most frequent confusion."""
    labels, cells = page.document["data"]["labels"], page.document["matrix"]["cells"]
    errors = [(value, -i, -j) for i, row in enumerate(cells) for j, value in enumerate(row) if i != j and value]
    if not errors:
        return "Every case is classified correctly."
    value, i, j = max(errors)
    names = shortened(labels[-i], 24), shortened(labels[-j], 24)
    many = show_count(sum(count for count, _, _ in errors))
    return f"Most frequent confusion: {names[0]} mistaken for {names[1]}, {show_count(value)} of {many} errors."


def _pairs(page: Page) -> Markup:
    """The most frequently confused pairs."""
    labels, cells = page.document["data"]["labels"], page.document["matrix"]["cells"]
    errors = [(value, i, j) for i, row in enumerate(cells) for j, value in enumerate(row) if i != j and value]
    errors.sort(key=lambda error: (-error[0], error[1], error[2]))
    rows = [
        (shortened(labels[i], 40), shortened(labels[j], 40), show_count(value), f"{value / (sum(cells[i]) or 1):.3f}")
        for value, i, j in errors[:30]
    ]
    return shown_table(("actual", "predicted", "cases", "share of actual"), rows, words=(0, 1))


# ---- measures ----


def _measures(page: Page) -> Markup:
    entries = [*page.document["measures"], *_areas(page)]
    body = [measures.row_of({**measure, "baseline": measure.get("baseline")}, 1) for measure in entries]
    reading = (
        "Measures of the whole matrix, averages over classes, probabilities and areas. The tick is the chance level."
    )
    return view("measures", "Measures", reading, measures.table(body, page.drawing["level"]))


def _areas(page: Page) -> list[dict[str, Any]]:
    entries = []
    for how, average in (page.document["auc"] or {}).items():
        part = "" if average["over"] == average["of"] else f" over {average['over']} of {average['of']}"
        numbers = {
            "value": average["value"],
            "low": average.get("low"),
            "high": average.get("high"),
            "why": "",
            "baseline": average["baseline"],
        }
        entries.append({"name": f"{how} auc", "title": f"AUC, {AVERAGES.get(how, how)}{part}", **numbers})
    return entries


def each(page: Page, title: str = "Each class against the rest", noun: str = "class") -> Markup:
    """Each class against the rest, or each label, lowest recall first."""
    classes = sorted(page.drawing["classes"], key=_recall)
    support = dict(zip(page.document["data"]["labels"], page.document["data"]["support"], strict=True))
    names = list(classes[0]["estimates"])
    heads = [heading(noun), heading("cases", "right"), *(heading(TITLES.get(name, name)) for name in names)]
    lines = [
        tag("tr", tag("th", called(entry["label"]), scope="row"),
            tag("td", show_count(support[entry["label"]]), class_="right"),
            *(_estimate(entry["estimates"][name]) for name in names))
        for entry in classes
    ]  # fmt: skip
    table = tag("div", *long_table(heads, lines, "evidence", WHOLE), class_="scroll tall", tabindex=0)
    return view("each", title, "Lowest recall first.", table)


def _recall(entry: Row) -> float:
    value = entry["estimates"]["recall"]["value"]
    return 2.0 if value is None else float(value)


def _estimate(row: Row) -> Markup:
    if row["value"] is None:
        return tag("td", "– ", tag("span", row["why"], class_="warn"))
    limits = limits_text(row)
    return tag(
        "td", value_text(row), *([" ", tag("span", limits, class_="interval")] if limits else []), class_="number"
    )


def _decision(page: Page) -> Markup | None:
    """The cost of decisions by costs, beside alternatives, and the number of undecided cases."""
    decision = page.document.get("decision")
    if not decision:
        return None
    kinds = {**decision_costs(decision), "saved": decision["saving"]}
    lines = [
        tag("tr", tag("th", name, scope="row"), _estimate(kind)) for name, kind in kinds.items() if kind is not None
    ]
    lines.append(tag("tr", tag("th", "share of cases decided", scope="row"), _estimate(decision["coverage"])))
    labels = page.document["data"]["labels"]
    left = ", ".join(
        f"{show_count(count)} of {label}" for label, count in zip(labels, decision["undecided"], strict=True) if count
    )
    reading = f"Left undecided: {left}." if left else "Every case is decided."
    reading += " This table uses the costs given for this report; it does not follow costs set in the matrix."
    table = join(long_table([heading("decision"), heading("cost per 1,000 cases")], lines, "evidence", WHOLE))
    return view("decision", "Decisions by expected cost", reading, table)


def class_lines(page: Page) -> Markup | None:
    """Observed against predicted frequencies of every class in one picture, in the colors of the ROC curves."""
    errors = (page.document.get("calibration") or {}).get("classes") or {}
    drawn = [class_data for class_data in page.drawing["classes"] if class_data.get("bins")]
    if not drawn or not errors:
        return None
    drawn.sort(key=lambda class_data: -(errors[class_data["label"]]["value"] or 0.0))
    slots = {class_data["label"]: slot for slot, class_data in enumerate(_by_recall(page)[:COLORED], start=1)}
    reading = "Each class by its predicted probability; on the diagonal, predictions match what is observed. The "
    reading += "colors are those of the ROC curves."
    picture = calibration.lines(
        [(class_data["label"], slots.get(class_data["label"], 0), class_data["bins"]) for class_data in drawn]
    )
    return view("class-lines", "Calibration, all classes", reading, picture)


def _class_calibration(page: Page) -> Markup | None:
    """The calibration error of each class, worst first."""
    errors = (page.document.get("calibration") or {}).get("classes")
    if not errors:
        return None
    order = sorted(errors, key=lambda label: -(errors[label]["value"] or 0.0))
    heads = [heading("class"), heading("ECE, 10 bins")]
    lines = [tag("tr", tag("th", called(label), scope="row"), _estimate(errors[label])) for label in order]
    reading = "Mean difference between the predicted probability of a class and its observed frequency; 0 is perfect."
    table = join(long_table(heads, lines, "evidence", WHOLE))
    return view("class-calibration", "Calibration of each class", reading, table)


# ---- curves ----


def _by_recall(page: Page) -> list[Row]:
    """The classes, or labels, with a curve, lowest recall first; the first ones are colored in every picture."""
    return sorted((drawn for drawn in page.drawing["classes"] if drawn["fpr"]), key=_recall)


def curves(page: Page, title: str = "ROC, one against the rest", noun: str = "class") -> Markup | None:
    """One curve per class, or label; those with the lowest recall are colored."""
    ranked = _by_recall(page)
    if not ranked:
        return None
    layers = roc_space()
    for number, class_data in reversed(list(enumerate(ranked, start=1))):
        slot = number if number <= COLORED else 0
        points = list(zip(class_data["fpr"], class_data["tpr"], strict=True))
        layers.append(ROC.line(points, "curve" if slot else "curve faint", slot))
    y = ROC.y(0) - 14 - KEY_LINE * min(len(ranked), COLORED + 1)
    for number, class_data in enumerate(ranked[:COLORED], start=1):
        y += KEY_LINE
        layers += ROC.key_row(class_data["label"], with_limits(class_data["estimates"]["auc"]), y, number)
    if len(ranked) > COLORED:
        layers.append(label(f"{len(ranked) - COLORED} more", ROC.x(1) - 4, y + KEY_LINE, anchor="end"))
    behind = [(shortened(one["label"], 40), with_limits(one["estimates"]["auc"])) for one in ranked]
    what = "Each class against the rest; the classes" if noun == "class" else "Each label; those"
    reading = f"{what} with the lowest recall are colored."
    picture = ROC.picture(labelled("roc"), layers)
    return view("roc", title, reading, picture, shown_table((noun, "AUC"), behind))
