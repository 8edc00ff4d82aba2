"""The verdict: headline, evidence, doubt, caveats and next steps, made once from the results document.

Each is a statement `{rule, facts, text}`: its rule, by the name it has in `sentence_rules`, the numbers it states, and
the sentence. Text, Markdown, HTML and the page render these; the page fills the same templates with the numbers of the
moment.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rocscope.verdicts.findings import (
    ClassComparisonFindings,
    ClassFindings,
    Findings,
    LabelFindings,
    ValidationFindings,
)
from rocscope.verdicts.placeholders import VIEWS, Rich, filled, note
from rocscope.verdicts.sentences import CLASSES, COMPARED, LABELS, PARTS, RULES, SCORED, VALIDATED, Group, stated

Document = Mapping[str, Any]
Statement = Mapping[str, Any]
LIVE = (
    "flag_none", "flag_all", "model_at", "model_only", "threshold_only", "cost", "cost_corrected", "cost_of_none",
    "rates", "never", "more_model_point", "more_model", "more_threshold", "more_all",
    "less_model_point", "less_model", "less_threshold", "less_none",
)  # fmt: skip
# caveats of the data that the headline already states
STATED = {"reversed": {"reversed_data"}, "one_class": {"one_class_data"}, "one_case": {"one_class_data"}}


def of_evaluation(document: Document, caveats: Sequence[Statement]) -> dict[str, Any]:
    """The verdict on one scored classifier; `caveats` are those of its data."""
    return _verdict(SCORED, Findings(document), caveats)


def of_comparison(document: Document, notes: Sequence[str] = ()) -> dict[str, Any]:
    """The verdict on several classifiers; the caveats of the data are those of the recommended one."""
    findings = Findings(document)
    own = [
        caveat for caveat in findings.own["verdict"]["statements"]["caveats"] if caveat["rule"] not in _scored_caveats()
    ]
    return _verdict(SCORED, findings, [*map(note, notes), *own])


def of_points(document: Document, why: str, *, counted: bool) -> dict[str, Any]:
    """The verdict on classifiers that are each known by a single point, without thresholds or cases.

    `counted` is True if the counts behind the rates are known.
    """
    findings = Findings(document, points=why)
    few = [caveat for caveat in findings.own["verdict"]["statements"]["caveats"] if caveat["rule"] == "few"]
    return _verdict(SCORED, findings, few if counted else [])


def of_classes(document: Document, caveats: Sequence[Statement]) -> dict[str, Any]:
    """The verdict on a classifier of several classes."""
    return _verdict(CLASSES, ClassFindings(document), caveats)


def of_labels(document: Document, caveats: Sequence[Statement]) -> dict[str, Any]:
    """The verdict on a classifier that predicts several labels for each case."""
    return _verdict(LABELS, LabelFindings(document), caveats)


def of_class_comparison(document: Document, caveats: Sequence[Statement]) -> dict[str, Any]:
    """The verdict on several models that predict classes or labels for the same cases."""
    return _verdict(COMPARED, ClassComparisonFindings(document), caveats)


def of_validation(document: Document) -> dict[str, Any]:
    """The verdict on validated models."""
    return _verdict(VALIDATED, ValidationFindings(document), [note(caveat) for caveat in document["caveats"]])


def _verdict(rules: Mapping[str, Sequence[Group]], findings: Any, caveats: Sequence[Statement]) -> dict[str, Any]:
    """The statements, and what they say as text."""
    statements = {part: list(stated(rules.get(part, ()), findings)) for part in PARTS}
    known = STATED.get(statements["headline"][0]["rule"], set())
    statements["caveats"] += [dict(caveat) for caveat in caveats if caveat["rule"] not in known]
    statements["caveats"] += stated(rules.get("remarks", ()), findings)
    texts = {part: [statement["text"] for statement in statements[part]] for part in PARTS}
    return {
        "headline": texts["headline"][0],
        "lead": " ".join(texts["evidence"]),
        "sure": " ".join(texts["doubt"]),
        "caveats": texts["caveats"],
        "change": " ".join(texts["next_steps"]),
        "grade": getattr(findings, "grade", ""),
        "statements": statements,
    }


def _scored_caveats() -> set[str]:
    return {rule.name for group in (*SCORED["caveats"], *SCORED["remarks"]) for rule in group}


def pieces_of(one: Statement) -> Rich:
    """A statement as pieces: text, strong parts, models."""
    rule = RULES.get(one["rule"])
    return [one["text"]] if rule is None else filled(rule.template, one["facts"])


def live_templates() -> dict[str, str]:
    """The templates that the page fills by itself: those of its views, and the parts of the verdict that change with
    the costs.

    >>> live_templates()["threshold_only"]
    'Recommended: threshold {threshold:threshold}.'
    """
    return {name: RULES[name].template for name in LIVE} | VIEWS
