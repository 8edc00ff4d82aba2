"""A gate as people and build servers read it: text, Markdown, CSV, JUnit."""

from __future__ import annotations

import re
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

OPTIMISTIC = "A threshold after 'where' is chosen on these same cases: expect a little less on new ones."


def gate_text(document: Document) -> str:
    """The headline and a row for each condition, as plain text."""
    return "\n".join(letters(line) for line in as_text(gate_blocks(document), Look()))


def gate_blocks(document: Document) -> Sequence[Block]:
    """The verdict, the facts, one row for each comparison, and what could mislead."""
    blocks: list[Block] = [Paragraph.of([strong(gate_headline(document))], _facts(document), hang=2), _grid(document)]
    if any(check["threshold"] is not None for check in document["checks"]):
        blocks.append(Paragraph.of([quiet("! "), OPTIMISTIC], hang=2))
    return blocks


def gate_headline(document: Document) -> str:
    """The answer in one line.

    >>> gate_headline({"met": False, "failed": 1, "checks": [1, 2, 3]})
    'The gate is not met: 1 of 3 conditions fails.'
    """
    failed, asked = document["failed"], len(document["checks"])
    if document["met"]:
        return "The gate is met." if asked == 1 else f"The gate is met: all {asked} conditions hold."
    if asked == 1:
        return "The gate is not met."
    return f"The gate is not met: {failed} of {asked} conditions {'fails' if failed == 1 else 'fail'}."


def _facts(document: Document) -> list[str | Span]:
    told = document["data"]
    line: list[str | Span] = [cases_text(document)]
    if told["positives"] is not None:
        line += [f", {show_count(told['positives'])} ", positive_piece(told["labels"][1])]
    if told["threshold"] is not None:
        chosen = {"given": "", "not chosen": ", not chosen"}.get(told["chosen"], f", by {shorten(told['chosen'], 40)}")
        line.append(quiet(f"   threshold {threshold_text(from_json(told['threshold']))}{chosen}"))
    if document["baseline"] is not None:
        line.append(quiet(f"   baseline of {show_count(document['baseline']['cases'])}"))
    return line


def _grid(document: Document) -> Tabular:
    rows: list[list[Cell]] = []
    for check in document["checks"]:
        for index, part in enumerate(check["parts"]):
            word = model("met") if part["met"] else alarm("NOT MET")
            first = data(check["require"]) if index == 0 else ""
            rows.append([word, first, _value(part), _note(check, part)])
    heads: list[str | Field] = ["", "condition", Field("value", right=True), "note"]
    noted = any(row[-1] for row in rows)
    return Tabular.of(heads if noted else heads[:3], rows if noted else [row[:3] for row in rows])


def _value(part: Document) -> str:
    if part["value"] is None:
        return "undefined"
    if part["method"] == "counted":
        return trimmed(float(part["value"]))
    return str(replace(estimate_of(part), why=""))  # the reason stands in the note


def _note(check: Document, part: Document) -> str:
    told = [f"at {threshold_text(from_json(check['threshold']))}"] if check["threshold"] is not None else []
    return "; ".join([*told, *([part["why"]] if part["why"] and (not part["met"] or part["tested"] is None) else [])])


# --- JUnit


def as_junit(document: Document) -> str:
    """The gate as a JUnit report: a test case for each condition, a failure for each that is not met."""
    asked, failed = len(document["checks"]), document["failed"]
    source = str(document["data"]["source"].get("file", "")) or "rocscope"
    counts = f'tests="{asked}" failures="{failed}" errors="0"'
    suite = f'  <testsuite name="{_xml(source)}" {counts} skipped="0" time="0">'
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', f'<testsuites name="rocscope gate" {counts} time="0">', suite]
    lines += ["    <properties>"]
    lines += [f'      <property name="{name}" value="{_xml(value)}"/>' for name, value in _properties(document)]
    lines += ["    </properties>"]
    for check in document["checks"]:
        lines += _case(check, document["name"])
    return "\n".join([*lines, "  </testsuite>", "</testsuites>", ""])


def _properties(document: Document) -> list[tuple[str, str]]:
    told = document["data"]
    found = [("rocscope", document["rocscope"]), ("cases", str(told["cases"]))]
    if told["threshold"] is not None:
        found.append(("threshold", str(told["threshold"])))
    return found


def _case(check: Document, name: str) -> list[str]:
    group = _xml(f"rocscope.gate.{name}" if name else "rocscope.gate")
    opening = f'    <testcase name="{_xml(check["require"])}" classname="{group}" time="0"'
    told = [f"{part['name']}: {_value(part)}" + (f" ({note})" if (note := _note(check, part)) else "")
            for part in check["parts"]]  # fmt: skip
    body = _xml("\n".join(told))
    if check["met"]:
        return [f"{opening}>", f"      <system-out>{body}</system-out>", "    </testcase>"]
    message = "; ".join(_missed(part) for part in check["parts"] if not part["met"])
    return [
        f"{opening}>",
        f'      <failure message="{_xml(message)}" type="NotMet">{body}</failure>',
        "    </testcase>",
    ]


def _missed(part: Document) -> str:
    tested = "undefined" if part["tested"] is None else trimmed(from_json(part["tested"]), 6)
    return f"{part['name']} is {tested}, not {part['sign']} {trimmed(part['limit'], 6)}"


_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def _xml(text: str) -> str:
    """Text for an attribute or element; what XML cannot hold is written as \\x1b."""
    plain = _NOT_XML.sub(lambda found: found[0].encode("unicode_escape").decode("ascii"), str(text))
    for letter, entity in (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ('"', "&quot;")):
        plain = plain.replace(letter, entity)
    return plain.replace("\n", "&#10;").replace("\r", "&#13;").replace("\t", "&#9;")
