"""A gate as text: the headline and a row for each condition."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from rocscope.numbers import from_json
from rocscope.report.document_reader import estimate_of
from rocscope.report.sheet import (
    Block,
    Cell,
    Document,
    Field,
    Paragraph,
    Span,
    Tabular,
    alarm,
    data,
    letters,
    model,
    quiet,
    strong,
)
from rocscope.report.sheet_formats import Look, as_text
from rocscope.report.text_views.verdict import cases_text, positive_piece
from rocscope.text import shorten, show_count, threshold_text, trimmed

OPTIMISTIC = (
    "A threshold that a 'where' condition selects is chosen on these same cases; expect somewhat worse results on new "
    "ones."
)


def gate_text(document: Document) -> str:
    """The headline and a row for each condition, as plain text."""
    return "\n".join(letters(line) for line in as_text(gate_blocks(document), Look()))


def gate_blocks(document: Document) -> Sequence[Block]:
    """The verdict, the facts, one row for each comparison, and what could mislead."""
    blocks: list[Block] = [Paragraph.of([strong(gate_headline(document))], _facts(document), hang=2), _grid(document)]
    if any(check["threshold"] is not None for check in document["checks"]):
        blocks.append(Paragraph.of([quiet("! "), OPTIMISTIC], hang=2))
    return [*blocks, *_changed(document)]


def _changed(document: Document) -> Sequence[Block]:
    """The tested values beside those in an earlier results document."""
    earlier = document.get("against")
    if earlier is None:
        return []
    rows: list[list[Cell]] = [
        [change["name"], *(_four(change[key]) for key in ("before", "now")), _four(change["change"], sign=True)]
        for change in earlier["changes"]
    ]
    heads: list[str | Field] = ["tested", *(Field(name, right=True) for name in ("before", "now", "change"))]
    title = f"Changes since the earlier results ({show_count(earlier['cases'])} cases):"
    return [Paragraph.of([title]), Tabular.of(heads, rows)]


def _four(value: float | None, *, sign: bool = False) -> str:
    if value is None:
        return "none"
    whole = float(value).is_integer() and abs(value) >= 2
    return f"{float(value):{'+' if sign else ''}{',.0f' if whole else '.4f'}}"


def gate_headline(document: Document) -> str:
    """The answer in one line.

    >>> gate_headline({"met": False, "failed": 1, "checks": [1, 2, 3]})
    'The gate is not met: 1 of 3 conditions fails.'
    """
    failed, count = document["failed"], len(document["checks"])
    if document["met"]:
        return "The gate is met." if count == 1 else f"The gate is met: all {count} conditions hold."
    if count == 1:
        return "The gate is not met."
    return f"The gate is not met: {failed} of {count} conditions {'fails' if failed == 1 else 'fail'}."


def _facts(document: Document) -> list[str | Span]:
    facts = document["data"]
    line: list[str | Span] = [cases_text(document)]
    if facts["positives"] is not None:
        line += [f", {show_count(facts['positives'])} ", positive_piece(facts["labels"][1])]
    if facts["threshold"] is not None:
        chosen = {"given": "", "not chosen": ", not chosen"}.get(
            facts["chosen"], f", by {shorten(facts['chosen'], 40)}"
        )
        line.append(quiet(f"   threshold {threshold_text(from_json(facts['threshold']))}{chosen}"))
    if document["baseline"] is not None:
        line.append(quiet(f"   baseline of {show_count(document['baseline']['cases'])}"))
    return line


def _grid(document: Document) -> Tabular:
    rows: list[list[Cell]] = []
    for check in document["checks"]:
        for index, part in enumerate(check["parts"]):
            word = model("met") if part["met"] else alarm("NOT MET")
            first = data(check["require"]) if index == 0 else ""
            rows.append([word, first, value_text(part), note_text(check, part)])
    heads: list[str | Field] = ["", "condition", Field("value", right=True), "note"]
    noted = any(row[-1] for row in rows)
    return Tabular.of(heads if noted else heads[:3], rows if noted else [row[:3] for row in rows])


def value_text(part: Document) -> str:
    """The value of a comparison: a count, an estimate with its limits, or that it is undefined."""
    if part["value"] is None:
        return "undefined"
    if part["method"] == "counted":
        return trimmed(float(part["value"]))
    return str(replace(estimate_of(part), why=""))  # the reason is given in the note


def note_text(check: Document, part: Document) -> str:
    """The threshold of a condition, and why a part of it is not met."""
    parts = [f"at {threshold_text(from_json(check['threshold']))}"] if check["threshold"] is not None else []
    return "; ".join([*parts, *([part["why"]] if part["why"] and (not part["met"] or part["tested"] is None) else [])])
