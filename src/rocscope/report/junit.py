"""A gate in JUnit's XML, for build servers."""

from __future__ import annotations

import re

from rocscope.numbers import from_json
from rocscope.report.sheet import Document
from rocscope.report.text_views.gates import note_text, value_text
from rocscope.text import trimmed


def as_junit(document: Document) -> str:
    """The gate as a JUnit report, with a test case for each condition and a failure for each unmet condition."""
    count, failed = len(document["checks"]), document["failed"]
    source = str(document["data"]["source"].get("file", "")) or "rocscope"
    counts = f'tests="{count}" failures="{failed}" errors="0"'
    suite = f'  <testsuite name="{_xml(source)}" {counts} skipped="0" time="0">'
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', f'<testsuites name="rocscope gate" {counts} time="0">', suite]
    lines += ["    <properties>"]
    lines += [f'      <property name="{name}" value="{_xml(value)}"/>' for name, value in _properties(document)]
    lines += ["    </properties>"]
    for check in document["checks"]:
        lines += _case(check, document["name"])
    return "\n".join([*lines, "  </testsuite>", "</testsuites>", ""])


def _properties(document: Document) -> list[tuple[str, str]]:
    facts = document["data"]
    properties = [("rocscope", document["rocscope"]), ("cases", str(facts["cases"]))]
    if facts["threshold"] is not None:
        properties.append(("threshold", str(facts["threshold"])))
    return properties


def _case(check: Document, name: str) -> list[str]:
    group = _xml(f"rocscope.gate.{name}" if name else "rocscope.gate")
    opening = f'    <testcase name="{_xml(check["require"])}" classname="{group}" time="0"'
    parts = [f"{part['name']}: {value_text(part)}" + (f" ({note})" if (note := note_text(check, part)) else "")
            for part in check["parts"]]  # fmt: skip
    body = _xml("\n".join(parts))
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
    plain = _NOT_XML.sub(lambda match: match[0].encode("unicode_escape").decode("ascii"), str(text))
    for letter, entity in (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ('"', "&quot;")):
        plain = plain.replace(letter, entity)
    return plain.replace("\n", "&#10;").replace("\r", "&#13;").replace("\t", "&#9;")
