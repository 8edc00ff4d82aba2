"""`rocscope explain`: a measure, curve, method, concept or question in plain English, worked out with your numbers."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import click

import rocscope as rs
from rocscope.cli.options import format_option
from rocscope.cli.output import Format, emit
from rocscope.cli.shared.facts import Entry, concept_dict, entry_dict, question_dict, range_words
from rocscope.cli.shared.methods import ALIASES, Method, methods, methods_called
from rocscope.cli.shared.typed_numbers import cell_of, is_number
from rocscope.errors import RocscopeError, did_you_mean
from rocscope.record import record
from rocscope.report import Block, Cell, Look, Paragraph, Sheet, Span, Tabular, formula, quiet, strong
from rocscope.text import plain_name

if TYPE_CHECKING:
    from rocscope.curves import Reading
    from rocscope.lessons import Concept, Question
    from rocscope.measures import Measure
    from rocscope.table import Counts

EPILOG = """\b
Examples:
  rocscope explain precision 7 7 3 13
  rocscope explain accuracy 22 30
  rocscope explain leave-one-out
  rocscope explain delong
  rocscope explain questions
  rocscope explain
"""
SHOWN = 8  # maximum number of names listed per group in the index
MENTIONS = 6  # maximum number of entries suggested whose texts mention the search terms
SHARES = {"accuracy", "error rate", "error_rate", "error"}  # also computed from two numbers, CORRECT and TOTAL
# each of these lists all questions
QUESTIONS = {"question", "questions", "quiz", "quizzes", "exam", "problems", "short", "long"}


@click.command(epilog=EPILOG)
@click.argument("what", nargs=-1, metavar="[NAME] [TP FP FN TN]")
@format_option
def command(what: tuple[str, ...], format: Format) -> None:
    """Explain a measure, curve, method or concept: what it means, its formula, and where it can mislead.

    With the four counts of a confusion matrix, the formula is worked out; accuracy and error rate also accept two
    numbers, CORRECT and TOTAL. Without a name, everything that can be explained is listed; "questions" lists the
    questions and quizzes.
    """
    name, numbers = _split(what)
    if not name:
        if numbers:
            raise click.UsageError("give the name of what to explain with these numbers, such as precision")
        sheet = _index()
    elif plain_name(name) in QUESTIONS:
        sheet = _questions(plain_name(name))
    elif numbers and len(numbers) == 2:
        sheet = rs.report.share_sheet(*map(cell_of, ("correct", "total"), numbers))
    else:
        explained = _look_up(name, what)
        counts = None if not numbers else rs.Counts.of(map(cell_of, rs.formula.CELLS, numbers))
        if counts is not None and explained.measure is None:
            raise click.UsageError(f"'{name}' is not computed from four counts; leave the counts out")
        sheet = _sheet(explained, counts)
    emit(sheet, format)


def _split(what: tuple[str, ...]) -> tuple[str, tuple[str, ...]]:
    """Split the arguments into the name, which may have several words, and the four numbers after it."""
    numbers = what[-4:] if len(what) >= 4 and all(map(is_number, what[-4:])) else ()
    if not numbers and len(what) == 3 and plain_name(what[0]) in SHARES and all(map(is_number, what[1:])):
        numbers = what[1:]
    words = what[: len(what) - len(numbers)]
    return " ".join(words), numbers


@record(slots=True)
class Explained:
    """Everything with the same name."""

    measure: Measure | None
    reading: Reading | None
    concept: Concept | None
    question: Question | None
    methods: tuple[Method, ...] = ()


def _look_up(name: str, what: tuple[str, ...]) -> Explained:
    usual = ALIASES.get(plain_name(name), name)  # the declared name
    explained = Explained(
        _quietly(rs.measures.get, name) or _quietly(rs.measures.get, usual),
        _quietly(rs.curves.get, name) or _quietly(rs.curves.get, usual),
        _quietly(rs.lessons.concept, name),
        _quietly(rs.lessons.question, name),
        tuple(methods_called(name)),
    )
    if explained == Explained(None, None, None, None):
        if what[1:] and all(map(is_number, what[1:])):
            raise click.UsageError(f"give four numbers (TP FP FN TN), not {len(what) - 1}")
        hint = did_you_mean(name, known(), cutoff=0.75) or _mentions(name) or "See the list: rocscope explain"
        raise RocscopeError(f"there is no entry named '{name}'", hint=hint)
    return explained


def _quietly(look: Any, name: str) -> Any:
    try:
        return look(name)
    except RocscopeError:
        return None


def known() -> set[str]:
    """All names that can be explained."""
    concepts = {name for concept in rs.lessons.concepts() for name in (concept.name, *concept.aka)}
    questions = {question.name for question in rs.lessons.questions()}
    declared = {*ALIASES, *(method.name for method in methods())}
    return {*rs.measures.names(), *rs.curves.names(), *concepts, *questions, *declared}


def _mentions(name: str) -> str:
    """The names of entries that mention all of these words, or ''."""
    words = plain_name(name).split()
    texts = {
        **{measure.name: f"{measure.title} {measure.says} {measure.prefer}" for measure in rs.measures.catalog()},
        **{
            statistic.name: f"{statistic.title} {statistic.says} {statistic.prefer}"
            for statistic in rs.curves.catalog()
        },
        **{concept.name: f"{concept.says} {concept.pitfall}" for concept in rs.lessons.concepts()},
        **{question.name: f"{question.question} {question.answer}" for question in rs.lessons.questions()},
        **{method.name: method.says for method in methods()},
    }
    mentions = [key for key, text in texts.items() if all(word in plain_name(f"{key} {text}") for word in words)]
    return f"It is mentioned under: {', '.join(mentions[:MENTIONS])}" if mentions and all(map(len, words)) else ""


# --- a single entry


def _sheet(explained: Explained, counts: Counts | None) -> Sheet:
    facts = _facts(explained, counts)
    latex = (explained.measure.latex if explained.measure else "") or (
        explained.reading.latex if explained.reading else ""
    )

    def blocks(look: Look, single: bool) -> list[Block]:
        return [
            Paragraph.of(*_heading(explained)),
            *(rs.report.counts_blocks(counts, look, single=single) if counts is not None else []),
            *([Paragraph.of(formula(latex))] if latex and not single else []),
            *([Tabular.of(["", ""], [[quiet(name), fact] for name, fact in facts])] if facts else []),
        ]

    document = {
        "measure": explained.measure and entry_dict(explained.measure),
        "curve": explained.reading and entry_dict(explained.reading),
        "concept": explained.concept and concept_dict(explained.concept),
        "question": explained.question and question_dict(explained.question),
        "methods": [method.to_dict() for method in explained.methods] or None,
        **(_worked_dict(explained.measure, counts) if counts is not None and explained.measure is not None else {}),
    }
    rows = [[name, fact.text if isinstance(fact, Span) else str(fact)] for name, fact in facts]
    known = {key: value for key, value in document.items() if value is not None}
    return Sheet(known, blocks, lambda: Tabular.of(["fact", "text"], rows))


def _heading(explained: Explained) -> list[list[str | Span]]:
    """The title, and one sentence of description."""
    entry = explained.measure or explained.reading
    if entry is not None:
        return [[strong(entry.title)], [entry.says]]
    if explained.concept is not None:
        return [[strong(explained.concept.name)], [explained.concept.says]]
    if explained.question is not None:
        return [[strong(explained.question.question)], [explained.question.answer]]
    first = explained.methods[0]
    return [[strong(first.name), quiet(f"   {first.kind}")], [first.says]]


def _facts(explained: Explained, counts: Counts | None) -> list[tuple[str, Cell]]:
    facts: list[tuple[str, Cell]] = []
    if explained.measure is not None:
        facts += _measure_facts(explained.measure, counts)
    if explained.reading is not None:
        facts += _reading_facts(explained.reading, also=explained.measure is not None)
    if explained.concept is not None:
        facts += _concept_facts(explained.concept, also=explained.measure is not None or explained.reading is not None)
    alone = explained == Explained(None, None, None, None, explained.methods)
    for index, method in enumerate(explained.methods):
        facts += _method_facts(method, heading=alone and index == 0)
    return [(name, fact) for name, fact in facts if fact]


def _method_facts(method: Method, *, heading: bool) -> list[tuple[str, Cell]]:
    """Describe a method: its name unless it is the heading, then its usage, its caveat and its source."""
    first = [] if heading else [(method.family, Span(f"{method.name} ({method.kind}): {method.says}"))]
    uses = [("use" if index == 0 else " ", use) for index, use in enumerate(method.use)]
    return [*first, *uses, ("caution", method.caveat), ("source", method.cite)]


def _measure_facts(measure: Measure, counts: Counts | None) -> list[tuple[str, Cell]]:
    written = measure.formula.upper if measure.formula is not None else measure.notation
    return [
        ("formula", written),
        *_worked(measure, counts),
        *_declared(measure),
    ]


def _declared(entry: Entry, drawn: str = "") -> list[tuple[str, Cell]]:
    return [
        ("also called", ", ".join(entry.aka)),
        ("drawn", drawn),
        ("range", range_words(entry.low, entry.high, entry.best)),
        ("by chance", entry.chance),
        ("use it", entry.prefer),
        ("source", entry.cite),
    ]


def _worked(measure: Measure, counts: Counts | None) -> list[tuple[str, Cell]]:
    """The formula with numbers substituted, then the result, each on its own line."""
    if counts is None:
        return []
    steps = counts.explain(measure.name).split(" = ")
    if measure.formula is None:
        return [("worked", strong(f"= {steps[-1]}"))]
    return [("worked", f"= {steps[2]}"), (" ", strong(f"= {' = '.join(steps[3:])}"))] if steps[3:] else [
        ("worked", strong(f"= {steps[2]}"))
    ]  # fmt: skip


def _reading_facts(reading: Reading, *, also: bool) -> list[tuple[str, Cell]]:
    first = [(reading.kind, f"{reading.title}: {reading.says}")] if also else []
    axes = f"x = {reading.x}, y = {reading.y}" if reading.kind == "curve" else ""
    return [*first, ("formula", reading.formula), *_declared(reading, axes)]


def _concept_facts(concept: Concept, *, also: bool) -> list[tuple[str, Cell]]:
    first = [("meaning", concept.says), ("caution", concept.pitfall)] if also else [
        ("also called", ", ".join(concept.aka)), ("formula", concept.formula), ("caution", concept.pitfall),
    ]  # fmt: skip
    uses = [("use" if index == 0 else " ", use) for index, use in enumerate(concept.use)]
    examples = f"rocscope examples {' '.join(concept.examples)}" if concept.examples else ""
    return [*first, *uses, ("examples", examples)]


def _worked_dict(measure: Measure, counts: Counts) -> dict[str, Any]:
    return {
        "counts": counts.cells,
        "value": float(counts.value(measure.name)),
        "worked": counts.explain(measure.name),
        "why": counts.why(measure.name),
    }


# --- the index


def _questions(name: str) -> Sheet:
    """The questions with their texts; those of one kind if "quiz", "short" or "long" was requested."""
    every = rs.lessons.questions()
    listed = [question for question in every if question.name.split()[0] == name.rstrip("s")] or list(every)
    rows = Tabular.of(
        ["name", "question"], [[question.name, " ".join(question.question.split())] for question in listed]
    )
    steps = [(f"rocscope explain {listed[0].name}", "its answer")]
    return Sheet(
        {"questions": [question_dict(question) for question in listed]}, lambda look, single: [rows], steps=steps
    )


def _index() -> Sheet:
    topics = _topics()
    lines: list[list[Cell]] = [
        [quiet(topic), _some(names, whole=topic == "concepts")] for topic, names in topics.items()
    ]
    blocks: list[Block] = [
        Paragraph.of(
            [strong("rocscope explain NAME"), quiet("  what it means, its formula, and where it can mislead")]
        ),
        Tabular.of(["topic", "names"], lines),
        Paragraph.of(quiet("Every measure: rocscope measures. Every curve: rocscope measures --curves. Every "
                           "question with its text: rocscope explain questions."), hang=2),
    ]  # fmt: skip
    rows = [[topic, name] for topic, names in topics.items() for name in names]
    return Sheet(topics, lambda look, single: blocks, lambda: Tabular.of(["topic", "name"], rows))


def _topics() -> dict[str, list[str]]:
    topics: dict[str, list[str]] = {"concepts": [concept.name for concept in rs.lessons.concepts()]}
    for measure in rs.measures.catalog():
        topics.setdefault(f"measures: {measure.group}", []).append(measure.name)
    for reading in rs.curves.catalog():
        topics.setdefault(f"{reading.kind}s of scores", []).append(reading.name)
    for method in methods():
        topics.setdefault(f"methods: {method.kind}", []).append(method.name)
    topics["questions"] = [question.name for question in rs.lessons.questions()]
    return topics


def _some(names: Iterable[str], *, whole: bool) -> str:
    """The names, or the first few of a long list and the number of others."""
    every = list(names)
    if whole or len(every) <= SHOWN + 3:
        return ", ".join(every)
    return f"{', '.join(every[:SHOWN])} and {len(every) - SHOWN} more"
