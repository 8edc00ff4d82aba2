"""`rocscope explain`: a measure, a curve, a concept or a question in plain words, worked with numbers if given."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import click

from rocscope import curves, lessons, measures
from rocscope.cli.options import format_option
from rocscope.cli.output import Format, emit
from rocscope.cli.shared.cells import cell_of, is_number
from rocscope.cli.shared.facts import concept_dict, curve_dict, measure_dict, range_words
from rocscope.curves import Reading
from rocscope.errors import RocscopeError, did_you_mean
from rocscope.formula import CELLS
from rocscope.lessons import Concept, Question
from rocscope.measures import Measure
from rocscope.report import Block, Cell, Look, Paragraph, Span, Tabular, counts_blocks, formula, quiet, strong
from rocscope.table import Counts

EPILOG = """\b
Examples:
  rocscope explain precision 7 7 3 13
  rocscope explain leave-one-out
  rocscope explain roc
  rocscope explain
"""
SHOWN = 8  # names of a group in the index


@click.command(epilog=EPILOG)
@click.argument("what", nargs=-1, metavar="[MEASURE or CONCEPT] [TP FP FN TN]")
@format_option
def command(what: tuple[str, ...], format: Format) -> None:
    """What a measure, a curve or a concept says, its formula and where it misleads; with numbers, worked out.

    Without a name: what can be explained.
    """
    name, numbers = _split(what)
    if not name:
        if numbers:
            raise click.UsageError("say what to explain with these numbers, such as precision")
        _show_index(format)
        return
    found = _look_up(name, what)
    counts = None if not numbers else Counts.of(map(cell_of, CELLS, numbers))
    if counts is not None and found.measure is None:
        raise click.UsageError(f"'{name}' is no measure of four numbers; leave them out")
    _show(found, counts, format)


def _split(what: tuple[str, ...]) -> tuple[str, tuple[str, ...]]:
    """The name, which may have several words, and the four numbers after it."""
    numbers = what[-4:] if len(what) >= 4 and all(map(is_number, what[-4:])) else ()
    words = what[: len(what) - len(numbers)]
    return " ".join(words), numbers


@dataclass(frozen=True, slots=True)
class Found:
    """All that goes by one name."""

    measure: Measure | None
    reading: Reading | None
    concept: Concept | None
    question: Question | None


def _look_up(name: str, what: tuple[str, ...]) -> Found:
    found = Found(
        _quietly(measures.get, name),
        _quietly(curves.get, name),
        _quietly(lessons.concept, name),
        _quietly(lessons.question, name),
    )
    if found == Found(None, None, None, None):
        if what[1:] and all(map(is_number, what[1:])):
            raise click.UsageError(f"four numbers TP FP FN TN are needed, {len(what) - 1} came")
        hint = did_you_mean(name, known()) or "See the list: rocscope explain"
        raise RocscopeError(f"nothing is called '{name}'", hint=hint)
    return found


def _quietly(look: Any, name: str) -> Any:
    try:
        return look(name)
    except RocscopeError:
        return None


def known() -> set[str]:
    """All names that can be explained."""
    concepts = {name for concept in lessons.concepts() for name in (concept.name, *concept.aka)}
    questions = {question.name for question in lessons.questions()}
    return {*measures.names(), *curves.names(), *concepts, *questions}


# --- one of them


def _show(found: Found, counts: Counts | None, format: Format) -> None:
    facts = _facts(found, counts)

    def sheet(look: Look) -> list[Block]:
        return [
            Paragraph.of(*_heading(found)),
            *(counts_blocks(counts, look, single=format == "text") if counts is not None else []),
            *_mathematics(found, format),
            *([Tabular.of(["", ""], [[quiet(name), fact] for name, fact in facts])] if facts else []),
        ]

    document = {
        "measure": None if found.measure is None else measure_dict(found.measure),
        "curve": None if found.reading is None else curve_dict(found.reading),
        "concept": None if found.concept is None else concept_dict(found.concept),
        "question": _question_dict(found.question),
        **({} if counts is None else _worked_dict(found, counts)),
    }
    rows = Tabular.of(["fact", "text"], [[name, _text(fact)] for name, fact in facts])
    emit({key: value for key, value in document.items() if value is not None}, format=format, sheet=sheet, rows=rows)


def _text(fact: Cell) -> str:
    return fact.text if isinstance(fact, Span) else str(fact)


def _heading(found: Found) -> list[list[str | Span]]:
    """Its title, and in a sentence what it says."""
    if found.measure is not None:
        return [[strong(found.measure.title)], [found.measure.says]]
    if found.reading is not None:
        return [[strong(found.reading.title)], [found.reading.says]]
    if found.concept is not None:
        return [[strong(found.concept.name)], [found.concept.says]]
    assert found.question is not None
    return [[strong(found.question.question)], [found.question.answer]]


def _facts(found: Found, counts: Counts | None) -> list[tuple[str, Cell]]:
    facts: list[tuple[str, Cell]] = []
    if found.measure is not None:
        facts += _measure_facts(found.measure, counts)
    if found.reading is not None:
        facts += _reading_facts(found.reading, also=found.measure is not None)
    if found.concept is not None:
        facts += _concept_facts(found.concept, also=found.measure is not None or found.reading is not None)
    return [(name, fact) for name, fact in facts if fact]


def _measure_facts(measure: Measure, counts: Counts | None) -> list[tuple[str, Cell]]:
    written = measure.formula.upper if measure.formula is not None else measure.notation
    return [
        ("formula", written),
        *_worked(measure, counts),
        ("also called", ", ".join(measure.aka)),
        ("range", range_words(measure.low, measure.high, measure.best)),
        ("by chance", measure.chance),
        ("prefer it", measure.prefer),
        ("source", measure.cite),
    ]


def _worked(measure: Measure, counts: Counts | None) -> list[tuple[str, Cell]]:
    """The numbers filled in, then the result, each on its own line."""
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
    axes = f"{reading.x} across, {reading.y} upwards" if reading.kind == "curve" else ""
    return [
        *first,
        ("formula", reading.formula),
        ("also called", ", ".join(reading.aka)),
        ("drawn", axes),
        ("range", range_words(reading.low, reading.high, reading.best)),
        ("by chance", reading.chance),
        ("prefer it", reading.prefer),
        ("source", reading.cite),
    ]


def _concept_facts(concept: Concept, *, also: bool) -> list[tuple[str, Cell]]:
    first = [("in words", concept.says), ("mind", concept.pitfall)] if also else [
        ("also called", ", ".join(concept.aka)), ("formula", concept.formula), ("mind", concept.pitfall),
    ]  # fmt: skip
    uses = [("use" if index == 0 else " ", use) for index, use in enumerate(concept.use)]
    examples = f"rocscope examples {' '.join(concept.examples)}" if concept.examples else ""
    return [*first, *uses, ("examples", examples)]


def _mathematics(found: Found, format: Format) -> list[Block]:
    """The formula as mathematics, where it is shown as such."""
    latex = (found.measure.latex if found.measure else "") or (found.reading.latex if found.reading else "")
    return [Paragraph.of(formula(latex))] if format == "md" and latex else []


def _question_dict(question: Question | None) -> dict[str, Any] | None:
    if question is None:
        return None
    return {"name": question.name, "question": question.question, "answer": question.answer}


def _worked_dict(found: Found, counts: Counts) -> dict[str, Any]:
    assert found.measure is not None
    return {
        "counts": counts.cells,
        "value": float(counts.value(found.measure.name)),
        "worked": counts.explain(found.measure.name),
        "why": counts.why(found.measure.name),
    }


# --- all of them


def _show_index(format: Format) -> None:
    topics = _topics()

    def sheet(look: Look) -> list[Block]:
        rows: list[list[Cell]] = [
            [quiet(topic), _some(names, whole=topic == "concepts")] for topic, names in topics.items()
        ]
        return [
            Paragraph.of([strong("rocscope explain NAME"), quiet("  what it says, its formula, where it misleads")]),
            Tabular.of(["topic", "names"], rows),
            Paragraph.of(quiet("Every measure: rocscope measures. Every curve: rocscope measures --curves."), hang=2),
        ]

    rows = Tabular.of(["topic", "name"], [[topic, name] for topic, names in topics.items() for name in names])
    emit(topics, format=format, sheet=sheet, rows=rows)


def _topics() -> dict[str, list[str]]:
    topics: dict[str, list[str]] = {"concepts": [concept.name for concept in lessons.concepts()]}
    for measure in measures.catalogue():
        topics.setdefault(f"measures: {measure.group}", []).append(measure.name)
    for reading in curves.catalogue():
        topics.setdefault(f"{reading.kind}s of scores", []).append(reading.name)
    topics["questions"] = [question.name for question in lessons.questions()]
    return topics


def _some(names: Iterable[str], *, whole: bool) -> str:
    """The names, or the first few of a long list and how many more there are."""
    every = list(names)
    if whole or len(every) <= SHOWN + 3:
        return ", ".join(every)
    return f"{', '.join(every[:SHOWN])} and {len(every) - SHOWN} more"
