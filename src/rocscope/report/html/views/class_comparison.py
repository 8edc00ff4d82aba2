"""The page of models that predict classes or labels: which is better, in which measure, and results of the recommended
one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rocscope.report.document_reader import settled_note, short_title
from rocscope.report.html.axes import dash, rail, whisker
from rocscope.report.html.html_page import heading, long_table, row, shown_table, view
from rocscope.report.html.markup import Markup, called, shortened, tag
from rocscope.report.html.state import Page
from rocscope.report.html.views import classes, differences, multilabel
from rocscope.text import limits_text, p_text, p_value, show_count, signed, value_text, with_limits

Row = Mapping[str, Any]
OUTCOMES, TESTS = ("both_right", "only_a", "only_b", "both_wrong"), ("stuart_maxwell", "bowker")
SHOWN = 8  # number of models shown in a table; the others are collapsed


def rows(page: Page) -> list[Markup | None]:
    """The rows of views: models and differences, then the recommended model by itself."""
    own = Page({**page.document["evaluations"][page.document["recommended"]], "drawing": page.drawing})
    if page.document["of"] == "labels":
        inner = [
            row("row", multilabel.labels(own)),
            row("row row9", classes.curves(own, "ROC of each label", "label"), multilabel.all_labels(own)),
        ]
    else:
        inner = [row("row row2", classes.matrix(own), classes.curves(own)), row("row", classes.each(own))]
    return [
        row("row", _models(page)),
        row("row row2", _differences(page), _others(page)),
        row("row", _agreement(page)),
        *inner,
    ]


def _ordered(page: Page) -> list[str]:
    decides, first = page.document["measures"][0], page.document["recommended"]
    sign = 1 if decides["best"] == "lowest" else -1
    worth = {name: sign * (value["value"] or 0) for name, value in decides["values"].items()}
    return sorted(page.document["models"], key=lambda name: (name != first, worth[name]))


def _models(page: Page) -> Markup:
    """Every model with every measure shown; the deciding measure comes first, with a whisker."""
    first, *further = page.document["measures"]
    heads = [
        heading("model"),
        heading(short_title(first), colspan=2),
        *(heading(short_title(other), "right") for other in further),
    ]
    inside = all((value["high"] or 2) <= 1 and (value["low"] or 0) >= 0 for value in first["values"].values())
    lines = []
    for name in _ordered(page):
        slot, estimate = page.slots.get(name, 0), first["values"][name]
        numbers = [estimate[side] for side in differences.SIDES]
        drawn = rail(whisker(numbers, slot=slot)) if inside and None not in numbers else None
        cells = [tag("td", value_text(other["values"][name]), class_="right") for other in further]
        lines.append(tag(
            "tr", tag("th", dash(slot), called(name, slot, most=18), scope="row"), tag("td", drawn, class_="draw"),
            differences.numbers(value_text(estimate), limits_text(estimate)), *cells,
        ))  # fmt: skip
    reading = (
        f"The deciding measure is {short_title(first)}; its limits are at {100 * page.drawing['level']:g} %. Models, "
        f"differences and pairs are computed for all cases; they do not change with the selection below."
    )
    table = tag("div", *long_table(heads, lines, "evidence stack", SHOWN), class_="scroll", tabindex=0)
    behind = shown_table(
        ("model", "measure", "value"),
        [(shortened(name, 40), short_title(measure), with_limits(measure["values"][name])) for name in _ordered(page)
         for measure in page.document["measures"]],
        words=(0, 1),
    )  # fmt: skip
    return view("models", "Models compared", reading, table, behind)


def _differences(page: Page) -> Markup:
    """Compare each model with the recommended one in the deciding measure."""
    entries = page.document["differences"]
    title, turned = short_title(page.document["measures"][0]), [_turned(record) for record in entries]
    span = differences.reach(turned)
    heads = [heading(["against ", called(page.document["recommended"], most=16)]),
             heading(f"difference in {title}", colspan=2), heading("adjusted p", "right")]  # fmt: skip
    lines = []
    for entry in turned:
        slot = page.slots.get(entry["b"], 0)
        lines.append(tag(
            "tr", tag("th", dash(slot), called(entry["b"], slot, most=18), scope="row"),
            tag("td", differences.around(entry, span, slot), class_="draw"),
            differences.numbers(signed(entry), limits_text(entry)),
            tag("td", p_text(entry["p_adjusted"]), class_="right p"),
        ))  # fmt: skip
    joint = page.document["joint"]
    reading = settled_note(page.document)
    if joint and joint.get("p") is not None:
        reading = f"Test that all models are correct equally often (Cochran's Q): p {p_value(joint['p'])}. {reading}"
    table = tag("div", *long_table(heads, lines, "evidence stack", SHOWN), class_="scroll tall", tabindex=0)
    return view("differences", "Do the models differ?", reading, table)


def _turned(entry: Row) -> dict[str, Any]:
    """The difference from the point of view of the other model."""
    if entry["value"] is None or entry["low"] is None:
        return dict(entry)
    return {**entry, "value": -entry["value"], "low": -entry["high"], "high": -entry["low"]}


def _others(page: Page) -> Markup | None:
    """The differences in the other measures."""
    titles = {measure["name"]: short_title(measure) for measure in page.document["measures"]}
    entries = page.document["other_differences"]
    if not entries:
        return None
    heads = [heading("measure"), heading("model"), heading(f"minus {shortened(page.document['recommended'], 16)}"),
             heading("adjusted p", "right")]  # fmt: skip
    lines = [
        tag("tr", tag("th", titles[entry["what"]], scope="row"),
            tag("td", called(entry["b"], page.slots.get(entry["b"], 0))),
            tag("td", with_limits(_turned(entry)), class_="number"),
            tag("td", p_text(entry["p_adjusted"]), class_="right p"))
        for entry in entries
    ]  # fmt: skip
    reading = "Paired on the same cases; p is adjusted for the pairs of models, not for the number of measures."
    table = tag("div", *long_table(heads, lines, "evidence", 12), class_="scroll tall", tabindex=0)
    return view("other-differences", "Differences in other measures", reading, table)


def _agreement(page: Page) -> Markup:
    """How many cases both, one or neither of two models predict correctly, and whether their class frequencies
    agree.
    """
    entries: Sequence[Row] = page.document["agreement"]
    tests = any(record["tests"] for record in entries)
    heads = ["first", "second", "both right", "only first", "only second", "both wrong",
             *(("marginal homogeneity p", "symmetry p") if tests else ())]  # fmt: skip
    lines = []
    for entry in entries:
        cells = [tag("td", show_count(entry[name]), class_="right") for name in OUTCOMES]
        if tests:
            cells += [tag("td", p_text((entry["tests"].get(name) or {}).get("p")), class_="right p") for name in TESTS]
        first, second = (called(entry[side], page.slots.get(entry[side], 0)) for side in ("a", "b"))
        lines.append(tag("tr", tag("th", first, scope="row"), tag("td", second), *cells))
    reading = "Cases that both models of a pair, one of them, or neither predicts correctly."
    if tests:
        reading += " The tests are the Stuart-Maxwell and the Bowker test of the classes they predict."
    columns = [heading(head, "right" if index > 1 else None) for index, head in enumerate(heads)]
    table = long_table(columns, lines, "evidence", SHOWN)
    return view("agreement", "Agreement between models", reading, tag("div", *table, class_="scroll", tabindex=0))
