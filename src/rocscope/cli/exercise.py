"""`rocscope exercise`: a new problem for a class, the same for the same seed."""

from __future__ import annotations

from typing import Any

import click

from rocscope import lessons
from rocscope.cli.options import format_option
from rocscope.cli.output import Format, emit
from rocscope.lessons import Exercise
from rocscope.report import Block, Look, Paragraph, Tabular, next_steps, quiet, strong

EPILOG = """\b
Examples:
  rocscope exercise --seed 17
  rocscope exercise --seed 17 --answers
  rocscope exercise --seed 3 --kind hull
"""


@click.command(epilog=EPILOG)
@click.option("--seed", type=int, default=0, show_default=True, help="Number of the problem.")
@click.option("--kind", metavar="KIND", help="matrix, retrieval, roc, auc, hull, f-beta, kappa or unknown.")
@click.option("--answers", is_flag=True, help="Show the answers and how to get them.")
@format_option
def command(seed: int, kind: str | None, answers: bool, format: Format) -> None:
    """A new hand-sized problem with exact answers; the same seed gives the same problem everywhere."""
    problem = lessons.exercise(seed, kind)
    rows = Tabular.of(["answer"], [[answer.text] for answer in problem.answers]) if answers else None
    emit(
        _document(problem, answers),
        format=format,
        sheet=lambda look: _sheet(problem, answers, look, format),
        rows=rows or Tabular.of(["seed", "kind", "problem"], [[seed, problem.kind, problem.text]]),
    )


def _sheet(problem: Exercise, answers: bool, look: Look, format: Format) -> list[Block]:
    blocks: list[Block] = [
        Paragraph.of([strong(problem.title), quiet(f"   exercise {problem.seed}, {problem.kind}")]),
        Paragraph.of(problem.text),
    ]
    if answers:
        solution = Paragraph.of(quiet("How"), *problem.solution.split("\n"), hang=2)
        given = Paragraph.of(quiet("Answers"), *(strong(answer.text) for answer in problem.answers), hang=2)
        return [*blocks, given, solution]
    kind = f" --kind {problem.kind}"
    steps = [
        (f"rocscope exercise --seed {problem.seed}{kind} --answers", "the solution"),
        (f"rocscope exercise --seed {problem.seed + 1}{kind}", "another one"),
    ]
    return [*blocks, *(next_steps(steps) if format == "text" else [])]


def _document(problem: Exercise, answers: bool) -> dict[str, Any]:
    document: dict[str, Any] = {
        "seed": problem.seed,
        "kind": problem.kind,
        "title": problem.title,
        "text": problem.text,
        "data": dict(problem.data),
    }
    if answers:
        values = [{"ask": one.ask, "value": one.value, "text": one.text} for one in problem.answers]
        document |= {"answers": values, "solution": problem.solution}
    return document
