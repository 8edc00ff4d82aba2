"""The beginning and end of every answer: the verdict and the facts about the data; caveats and next steps."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rocscope.report.sheet import Block, Document, Line, Paragraph, Span, alarm, as_line, data, quiet, strong
from rocscope.table import ScoreTable
from rocscope.text import PLAIN_LABELS, percent, shorten, show_count
from rocscope.verdicts import pieces_of, plain

LONGEST = 400  # maximum number of characters of a sentence, as it may contain a name of any length
TABULATED = {"rates", "rates_corrected", "auc", "auc_of_model"}
AMBER = 0.01  # share of rows left out from which the message is highlighted as a warning
RULES = {
    "cost": "least cost", "cost per case": "least total cost", "youden": "greatest Youden's J",
    "closest": "closest to the top-left corner",
    "f1": "greatest F1", "accuracy": "greatest accuracy", "mcc": "greatest MCC",
}  # fmt: skip


def verdict_block(document: Document, *, note: str = "") -> Block:
    """The headline and how the threshold was chosen, then evidence, doubt and next steps."""
    statements = document["verdict"]["statements"]
    headline = shorten(statements["headline"][0]["text"], LONGEST)
    first = [strong(headline.removesuffix(".")), quiet(f"   {note}")] if note else [strong(headline)]
    parts = [_joined(statements[part]) for part in ("evidence", "doubt", "next_steps")]
    return Paragraph.of(first, *(line for line in parts if line))


def statement_line(statement: Document) -> Line:
    """A statement of the verdict as a line, with its strong parts emphasized."""
    return tuple(
        strong(as_line(shorten(plain([piece]), LONGEST))[0]) if isinstance(piece, dict) and "b" in piece
        else as_line(shorten(plain([piece]), LONGEST))[0]
        for piece in pieces_of(statement)
    )  # fmt: skip


def _joined(statements: Sequence[Document]) -> Line:
    """The statements in sequence, without those that the matrix and the table of measures show."""
    lines = [statement_line(statement) for statement in statements if statement["rule"] not in TABULATED]
    return tuple(piece for index, line in enumerate(lines) for piece in ((Span(" "), *line) if index else line))


def point_note(document: Document) -> str:
    """How the threshold was chosen, and its uncertainty."""
    point = document["point"]
    if point is None or point["chosen"] in ("given", "not chosen"):
        return ""
    settings = document["settings"]
    if settings["choose"] is None and settings["costs"] is None and "case_costs" not in settings:
        return ""
    if document["verdict"]["statements"]["headline"][0]["rule"] in ("no_costs", "reversed"):
        return ""
    chosen = point["chosen"]
    by = f"the {chosen} of the scores" if chosen.startswith("top ") else f"by {shorten(chosen, 60)}"
    rule = RULES.get(chosen, by)
    if any(statement["rule"] == "chosen_in_sample" for statement in document["verdict"]["statements"]["caveats"]):
        rule += " in the sample"  # where the rule chose; the measures beside it are of the stated prevalence
    if point["chosen_on"] == "other folds":
        rule += f", assessed in {document['settings']['cross_fit']} folds"
    if point["chosen_on"] == "other cases":
        rule += " on other cases"
    return rule


def facts_line(table: ScoreTable) -> Line:
    """The number of cases of a table, the number of positives, and the rule."""
    total = table.positives + table.negatives
    noun = "case" if total == 1 else "cases"
    cases = f"weight {show_count(total)}" if table.weighted else f"{show_count(total)} {noun}"
    positive = _positives(table.positives, total, table.labels[1])
    return (Span(f"{cases}, "), *positive, quiet(f"   positive: {table.rule}"))


def _positives(positives: Any, total: Any, label: Any) -> list[Span]:
    share = percent(positives, total)
    return [Span(f"{show_count(positives)} "), positive_piece(label), Span(f" ({share})" if share else "")]


def positive_piece(label: Any) -> Span:
    """The positive label; in words for a plain one, such as 1."""
    return Span("positive") if str(label) in PLAIN_LABELS else data(label, limit=24)


def facts_block(document: Document) -> Block:
    """The number of cases, the number of positives, the excluded rows, and the rule."""
    facts = document["data"]
    line: list[str | Span] = [
        f"{cases_text(document)}, ",
        *_positives(facts["positives"], facts["cases"], facts["labels"]["positive"]),
        *left_out_pieces(facts),
        *([quiet(f"   {facts['clusters']:,} clusters")] if facts["clusters"] else []),
        quiet(f"   positive: {facts['rule']}"),
        *([quiet(f"   {facts['imbalance']}")] if "imbalanced" in facts["imbalance"] else []),
    ]
    return Paragraph.of(line, hang=2)


def cells_block(document: Document) -> list[Block]:
    """If scores were binned into cells, return what remains exact, and the maximum error of the rest."""
    facts = document["data"]
    if facts.get("cells") is None:
        return []
    bound, width = facts["bound"], facts["cells"]
    if bound:
        text = f"AUC ± {bound:.1g} from cells: scores were counted in cells at most {width:.1g} wide. "
    else:
        text = f"The areas are exact. Scores that do not affect the areas are in cells at most {width:.1g} wide. "
    text += "Thresholds are exact to within one cell" + _losses(document)
    return [Paragraph.of([quiet("cells    "), text], hang=9)]


def _losses(document: Document) -> str:
    evaluation = document["evaluations"][document["recommended"]] if "evaluations" in document else document
    known = any(row["name"] == "brier" for row in evaluation["areas"])
    return "; Brier score and log loss are exact." if known else "."


def cases_text(document: Document) -> str:
    """The number of cases, with the user's noun; weights are named as such."""
    facts, unit = document["data"], shorten(document["settings"]["unit"], 24)
    if facts.get("weighted"):
        return f"weight {show_count(facts['cases'])}"
    return f"{show_count(facts['cases'])} {unit if facts['cases'] == 1 else f'{unit}s'}"


def left_out_pieces(facts: Any) -> list[Span]:
    """How many rows were excluded, and why."""
    reasons = facts["left_out"]
    if not reasons:
        return []
    total = sum(reasons.values())
    listed = ", ".join(f"{count:,} {why}" if len(reasons) > 1 else why for why, count in reasons.items())
    text = as_line(f"   {total:,} left out: {shorten(listed, 80)}")[0]
    return [alarm(text) if total >= AMBER * (total + facts.get("rows", facts["cases"])) else quiet(text)]


def closing_caveats(document: Document, *, full: bool, most: int = 3) -> list[Line]:
    """The caveats, most severe first, and the number of further ones if there are too many to show."""
    caveats = [statement_line(caveat) for caveat in document["verdict"]["statements"]["caveats"]]
    if full or len(caveats) <= most + 1:
        return caveats
    return [*caveats[:most], as_line(f"{len(caveats) - most} more remarks: --full shows them.")]


def remarks(sentences: Sequence[str | Line]) -> list[Block]:
    """Sentences, each preceded by `!`; empty if there are none."""
    lines: list[list[str | Span]] = [
        [alarm("! "), shorten(sentence, LONGEST)] if isinstance(sentence, str) else [alarm("! "), *sentence]
        for sentence in sentences
    ]
    return [Paragraph.of(*lines, hang=2)] if lines else []


REPORT_STEP = ("--html report.html", "an interactive report with every curve in a single file")


def next_steps(steps: Sequence[tuple[str, str]]) -> list[Block]:
    """Useful commands, each with a short description."""
    lines = [
        [quiet("next  " if index == 0 else "      "), strong(command), quiet(f"  {gives}" if gives else "")]
        for index, (command, gives) in enumerate(steps)
    ]
    return [Paragraph.of(*lines, hang=8)] if lines else []
