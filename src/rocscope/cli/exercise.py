"""`rocscope exercise`: a new problem for a class; the same seed gives the same problem."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

import rocscope as rs
from rocscope.cli.options import format_option
from rocscope.cli.output import Format, emit
from rocscope.report import Block, Paragraph, Sheet, Tabular, quiet, strong

if TYPE_CHECKING:
    from rocscope.lessons import Exercise

EPILOG = """\b
Examples:
  rocscope exercise --seed 17
  rocscope exercise --seed 17 --answers
  rocscope exercise --seed 3 --kind hull
"""


@click.command(epilog=EPILOG)
@click.option("--seed", type=int, default=0, show_default=True, help="Number of the problem (random seed).")
@click.option("--kind", metavar="KIND",
              help="Kind of problem: matrix, retrieval, roc, auc, hull, f-beta, kappa, unknown, "
              "thresholds, classes or folds.")  # fmt: skip
@click.option("--answers", is_flag=True, help="Show the answers and how they are obtained.")
@format_option
def command(seed: int, kind: str | None, answers: bool, format: Format) -> None:
    """Make a new problem to solve by hand, with exact answers; the same seed gives the same problem everywhere."""
    emit(_sheet(rs.lessons.exercise(seed, kind), answers), format)


def _sheet(problem: Exercise, answers: bool) -> Sheet:
    about = ("seed", "kind", "title", "text")
    document: dict[str, Any] = {name: getattr(problem, name) for name in about} | {"data": dict(problem.data)}
    blocks: list[Block] = [
        Paragraph.of([strong(problem.title), quiet(f"   exercise {problem.seed}, {problem.kind}")]),
        Paragraph.of(problem.text),
    ]
    if not answers:
        again = f"rocscope exercise --seed {problem.seed} --kind {problem.kind} --answers"
        steps = [
            (again, "the solution"),
            (f"rocscope exercise --seed {problem.seed + 1} --kind {problem.kind}", "another one"),
        ]
        row = Tabular.of(["seed", "kind", "problem"], [[problem.seed, problem.kind, problem.text]])
        return Sheet(document, lambda look, single: blocks, lambda: row, steps)
    values = [{"ask": answer.ask, "value": answer.value, "text": answer.text} for answer in problem.answers]
    blocks += [
        Paragraph.of(quiet("Answers"), *(strong(answer.text) for answer in problem.answers), hang=2),
        Paragraph.of(quiet("How"), *problem.solution.split("\n"), hang=2),
    ]
    rows = Tabular.of(["answer"], [[answer.text] for answer in problem.answers])
    document |= {"answers": values, "solution": problem.solution}
    return Sheet(document, lambda look, single: blocks, lambda: rows)
