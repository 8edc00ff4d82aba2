"""Results of several models that predict classes or labels: which to use, how certain, all of them side by side."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from rocscope.numbers import from_json
from rocscope.report.document_reader import short_title
from rocscope.report.sheet import Block, Cell, Document, Field, Paragraph, Span, Tabular, data, quiet, strong
from rocscope.report.sheet_formats import Look, first_fitting, table_of
from rocscope.report.text_views.classes import calibration_blocks, class_blocks, classes_facts, confusion_lines
from rocscope.report.text_views.comparison import difference_from_other, estimate_text, pairs_blocks, settled_blocks
from rocscope.report.text_views.matrix import confusion_blocks
from rocscope.report.text_views.multilabel import each_label_blocks
from rocscope.report.text_views.verdict import closing_caveats, left_out_pieces, next_steps, remarks, verdict_block
from rocscope.table import Confusion
from rocscope.text import p_value, short_name, show_p

SHOWN = 8  # maximum number of models in the table
SHORT = {"AUC, one against the rest": "AUC", "subset accuracy (all labels correct)": "subset accuracy",
         "coverage error (labels to inspect)": "coverage error"}  # fmt: skip


def class_comparison_blocks(document: Document, look: Look, *, full: bool, single: bool) -> list[Block]:
    """The sheet of a comparison of models that predict classes or labels."""
    first = document["evaluations"][document["recommended"]]
    more = [] if full else [("--full", "every pair of models, other measures, tests of the predicted classes")]
    return [
        verdict_block(document),
        Paragraph.of([*classes_facts(first), *left_out_pieces(document["data"])], hang=2),
        *compared_blocks(document, look, full=full),
        *(agreement_blocks(document) if full or len(document["models"]) == 2 else []),
        *_own(first, look, full=full, single=single),
        *(_more(document) if full else []),
        *remarks(closing_caveats(document, full=full)),
        *([Paragraph.of([quiet("methods  "), document["methods"]], hang=9)] if full else []),
        *(next_steps(more) if single and document["data"]["source"].get("file") else []),
    ]


def _own(first: Document, look: Look, *, full: bool, single: bool) -> list[Block]:
    """The recommended model by itself."""
    if first["kind"] == "labels":
        return each_label_blocks(first, look)
    matrix = Confusion.from_matrix(first["matrix"]["cells"], labels=first["data"]["labels"], rows="actual")
    blocks = confusion_blocks(matrix, look, single=single)
    if full:
        blocks = [*blocks, *class_blocks(first, look), *calibration_blocks(first, full=False)]
    return [*blocks, *confusion_lines(first, full=False)]


def compared_blocks(document: Document, look: Look, *, full: bool = False) -> list[Block]:
    """Every model in the deciding measure, its difference from the recommended one, and the other measures.

    `full` shows the limits of the other measures as well.
    """
    names = _ordered(document)
    rows = [_cells(document, name) for name in names[:SHOWN]]
    first, *further = document["measures"]
    wanted = ["model", first["name"], "difference", "p"]
    heading = {measure["name"]: short_measure(measure) for measure in document["measures"]}
    heading |= {"difference": f"{heading[first['name']]} difference", "p": "adjusted p"}
    shorter = heading | {"difference": "difference"}
    choices = ((wanted, heading), (wanted, shorter), ([name for name in wanted if name != "difference"], heading))
    grid = first_fitting(
        (table_of(rows, shown, look, right=("p",).__contains__, heading=heads) for shown, heads in choices), look
    )
    values = [{"model": row["model"], **_values(document, name)} for row, name in zip(rows, names, strict=False)]
    others = [other["name"] for other in further]
    aligned: dict[str, Any] = {"spare": list(reversed(others)), "right": others.__contains__, "heading": heading}
    limited = full and others
    also = _limits(document, names[:SHOWN]) if limited else table_of(values, ["model", *others], look, **aligned)
    rest = len(names) - SHOWN
    more: list[Block] = [Paragraph.of(quiet(f"{rest} more models: --format json lists them."))] if rest > 0 else []
    joint = document["joint"]
    if joint is not None and joint.get("p") is not None:
        sentence = (
            f"Test that all {len(names)} models are correct equally often (Cochran's Q): p {p_value(joint['p'])}."
        )
        more.append(Paragraph.of(sentence))
    return [grid, *_without_value(document, names[:SHOWN]), *settled_blocks(document), also, *more]


def _without_value(document: Document, names: Sequence[str]) -> list[Block]:
    """Why the deciding measure of a model has no finite value."""
    decides = document["measures"][0]
    lines: list[list[str | Span]] = [
        ["undefined  ", data(name, limit=24), f": {why}"]
        for name in names if (why := decides["values"][name]["why"]) and decides["values"][name]["value"] is None
    ]  # fmt: skip
    return [Paragraph.of(*lines, hang=2)] if lines else []


def _short_estimate(row: Document) -> str:
    """A value with its limits, or only that it is undefined; the reason stands below the table."""
    return "undefined" if row["value"] is None else estimate_text(row)


def _ordered(document: Document) -> list[str]:
    """The recommended model, then the others by the deciding measure."""
    decides = document["measures"][0]
    sign = 1 if decides["best"] == "lowest" else -1

    def worth(name: str) -> tuple[bool, float]:
        value = from_json(decides["values"][name]["value"])
        return name != document["recommended"], math.inf if math.isnan(value) else sign * value

    return sorted(document["models"], key=worth)


def _cells(document: Document, name: str) -> dict[str, Cell]:
    gap = next((difference for difference in document["differences"] if difference["b"] == name), None)
    decides = document["measures"][0]
    return {
        "model": strong(data(name, limit=24)) if name == document["recommended"] else data(name, limit=24),
        "difference": "" if gap is None else "undefined" if gap["value"] is None else difference_from_other(gap),
        "p": "" if gap is None or gap["p_adjusted"] is None else show_p(gap["p_adjusted"]),
        decides["name"]: _short_estimate(decides["values"][name]),
    }


def _values(document: Document, name: str) -> Mapping[str, Cell]:
    """The other measures of a model, without their limits."""
    cells: dict[str, Cell] = {}
    for measure in document["measures"][1:]:
        text = estimate_text(measure["values"][name])
        cells[measure["name"]] = text.split(" [")[0].split(" (")[0]
    return cells


def _limits(document: Document, names: Sequence[str]) -> Tabular:
    """The other measures of every model, with their limits."""
    rows: list[list[Cell]] = [
        ["" if index else short_measure(measure), data(name, limit=24), estimate_text(measure["values"][name])]
        for measure in document["measures"][1:] for index, name in enumerate(names)
    ]  # fmt: skip
    return Tabular.of([Field("measure"), Field("model"), Field("value")], rows)


def short_measure(measure: Document) -> str:
    """The title of a measure, abbreviated to common initials, short enough for a column heading."""
    title = short_title(measure)
    return SHORT.get(title, title)


def agreement_blocks(document: Document) -> list[Block]:
    """How many cases both, one or neither of two models predict correctly."""
    rows: list[list[Cell]] = [
        [data(row["a"], limit=20), data(row["b"], limit=20), row["both_right"], row["only_a"], row["only_b"],
         row["both_wrong"]]
        for row in document["agreement"][:SHOWN]
    ]  # fmt: skip
    heads = ["first", "second", "both right", "only first", "only second", "both wrong"]
    return [Tabular.of([Field(head, 2, right=index > 1) for index, head in enumerate(heads)], rows)]


def _more(document: Document) -> list[Block]:
    blocks: list[Block] = list(pairs_blocks(document))
    titles = {measure["name"]: short_measure(measure) for measure in document["measures"]}
    alone = len(document["models"]) == 2  # the heading names both models
    rows: list[list[Cell]] = [
        [titles[one["what"]], *([] if alone else [data(one["b"], limit=20)]), estimate_text(one),
         *("" if one.get(name) is None else show_p(one[name]) for name in ("p_adjusted", "p_together"))]
        for one in (*document["differences"], *document["other_differences"])
    ]  # fmt: skip
    if document["other_differences"]:
        names = [short_name(name, 16) for name in (document["recommended"], document["differences"][0]["b"])]
        what = f"{names[0]} minus {names[1]}" if alone else f"{names[0]} minus that"
        heads = [Field("measure"), *([] if alone else [Field("model")]), Field(what), Field("p", right=True),
                 Field("all measures", right=True)]  # fmt: skip
        told = (
            "p-values are adjusted for the pairs of models in one measure (max-|T|), and in the last column for all "
            "measures together"
        )
        blocks += [Tabular.of(heads, rows), Paragraph.of(quiet(f"{told} (Holm)."))]
    lines = []
    for row in document["agreement"]:
        known = {name: test["p"] for name, test in row["tests"].items() if test.get("p") is not None}
        if known:
            opening = f"{row['a']} and {row['b']}: test that they predict each class equally often (Stuart-Maxwell): p "
            symmetry = f"that their disagreements are symmetric (Bowker): p {p_value(known['bowker'])}."
            lines.append(f"{opening}{p_value(known['stuart_maxwell'])}; {symmetry}")
    return [*blocks, *([Paragraph.of(*lines[:SHOWN])] if lines else [])]
