"""`rocscope examples`: the worked examples, with computed answers beside the correct ones."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import click

import rocscope as rs
from rocscope.cli.options import format_option
from rocscope.cli.output import Format, emit
from rocscope.errors import RocscopeError
from rocscope.record import record
from rocscope.report import Block, Cell, Field, Look, Paragraph, Sheet, Span, Tabular, alarm, model, quiet, strong

if TYPE_CHECKING:
    from rocscope.lessons import Answer, Erratum, Example

EPILOG = """\b
Examples:
  rocscope examples
  rocscope examples fawcett
  rocscope examples --errata
"""


@click.command(epilog=EPILOG)
@click.argument("names", nargs=-1, metavar="[NAME]...")
@click.option("--all", "every", is_flag=True, help="Show every example in full.")
@click.option("--errata", is_flag=True, help="List the errors in the sources, with the correct values.")
@format_option
def command(names: tuple[str, ...], every: bool, errata: bool, format: Format) -> None:
    """Show the worked examples: data, question, correct and computed answers, and errata."""
    if sum((bool(names), every, errata)) > 1:
        raise click.UsageError("give only one of NAME, --all or --errata")
    if errata:
        sheet = _errata_sheet()
    elif names or every:
        sheet = _full_sheet(rs.lessons.examples() if every else [rs.lessons.example(name) for name in names])
    else:
        sheet = _list_sheet()
    emit(sheet, format)


# --- list of examples


def _list_sheet() -> Sheet:
    every = rs.lessons.examples()
    grid = Tabular.of(
        ["name", "about", ""], [[strong(example.name), example.title, _mark(example)] for example in every]
    )
    summaries = [_summary(example) for example in every]
    rows = (row | {"errata": " ".join(map(str, row["errata"]))} for row in summaries)
    steps = [
        ("rocscope examples fawcett", "one of them, recomputed"),
        ("rocscope examples --errata", "the errors printed in the sources"),
    ]
    return Sheet({"examples": summaries}, lambda look, single: [grid], lambda: Tabular.full(summaries[0], rows), steps)


def _mark(example: Example) -> Span:
    if example.status != "given":
        return quiet(example.status)
    return alarm("erratum") if example.erratum else Span("")


def _summary(example: Example) -> dict[str, Any]:
    return {
        "name": example.name,
        "title": example.title,
        "kind": example.kind,
        "status": example.status,
        "errata": list(example.erratum),
    }


# --- one example in full


def _full_sheet(chosen: Sequence[Example]) -> Sheet:
    checked = {example.name: [_compute(example, answer) for answer in example.answers] for example in chosen}
    rows = [
        [name, row.answer.text, *map(rs.lessons.show, (row.computed, row.answer.value)), "yes" if row.agrees else "no"]
        for name, checked_rows in checked.items()
        for row in checked_rows
    ]
    return Sheet(
        {"examples": [_document(example, checked[example.name]) for example in chosen]},
        lambda look, single: [
            block for example in chosen for block in _full(example, checked[example.name], look, single)
        ],
        lambda: Tabular.of(["example", "answer", "computed", "right", "agrees"], rows),
    )


@record(slots=True)
class _Row:
    """An answer and the value that the library computes, or why it cannot."""

    answer: Answer
    computed: Any
    why: str = ""

    @property
    def agrees(self) -> bool:
        """Whether both values agree."""
        return not self.why and rs.lessons.agrees(self.computed, self.answer.value)


def _compute(example: Example, answer: Answer) -> _Row:
    try:
        return _Row(answer, rs.lessons.compute(example, answer.ask))
    except RocscopeError as error:  # a symbolic expression when sympy is not installed
        return _Row(answer, "", str(error))


def _full(example: Example, rows: Sequence[_Row], look: Look, single: bool) -> list[Block]:
    status = f"   {example.status}" if example.status != "given" else ""
    blocks: list[Block] = [
        Paragraph.of([strong(example.title), quiet(f"   {example.name}{status}")], example.question),
        *rs.report.data_blocks(example.kind, example.data, look, single=single),
    ]
    if rows:
        columns = [Field("question"), Field("computed", right=True), Field("right", right=True), Field("")]
        blocks.append(Tabular.of(columns, [_line(row) for row in rows]))
    blocks += [Paragraph.of(example.note)] if example.note else []
    errata: list[list[str | Span]] = [
        [alarm("! "), f"The source ({erratum.where}) prints {erratum.printed}. Correct: {erratum.right}."]
        for erratum in map(rs.lessons.erratum, example.erratum)
    ]
    wrong = [Paragraph.of(*errata, hang=2)] if errata else []
    return [*blocks, *rs.report.remarks(sorted({row.why for row in rows if row.why})), *wrong]


def _line(row: _Row) -> list[Cell]:
    right, computed = rs.lessons.show(row.answer.value), _rounded(row)
    # too long for the table, such as the points of a curve: show only the description and the verdict
    long = len(right) + len(computed) > 46
    short = " = " in row.answer.text and not long
    name = row.answer.text.split(" = ")[0] if short else rs.lessons.reading(row.answer.ask)
    verdict = quiet("agrees") if row.agrees else alarm("not computed" if row.why else "differs")
    if long:
        sizes = [f"{len(side)} values" if isinstance(side, tuple) else "" for side in (row.computed, row.answer.value)]
        return [row.answer.text, model(sizes[0]), sizes[1], verdict]
    return [name, model(computed), right, verdict]


def _rounded(row: _Row) -> str:
    """The computed value: decimals to six digits, even if the source has a decimal and rocscope a fraction."""
    decimal = isinstance(row.answer.value, float) and isinstance(row.computed, Fraction)
    return rs.lessons.show(_to_six(float(row.computed) if decimal else row.computed))


def _to_six(value: Any) -> Any:
    if isinstance(value, tuple):
        return tuple(map(_to_six, value))
    if not isinstance(value, float) or not math.isfinite(value):
        return value
    return int(value) if value.is_integer() else float(f"{value:.6g}")


def _document(example: Example, rows: Sequence[_Row]) -> dict[str, Any]:
    return {
        **_summary(example),
        "data": _plain(example.data),
        "question": example.question,
        "answers": [
            {"ask": row.answer.ask, "text": row.answer.text, "right": row.answer.value, "computed": row.computed,
             "agrees": row.agrees, "why": row.why}
            for row in rows
        ],
        "note": example.note,
        "errata": [_erratum_dict(rs.lessons.erratum(number)) for number in example.erratum],
    }  # fmt: skip


def _plain(value: Any) -> Any:
    """The data of an example as plain dicts and lists."""
    if hasattr(value, "items"):
        return {str(key): _plain(item) for key, item in value.items()}
    return [_plain(item) for item in value] if isinstance(value, tuple) else value


# --- errata


def _errata_sheet() -> Sheet:
    every = rs.lessons.errata()
    lines: list[list[Cell]] = [[quiet(f"E{e.number}"), e.where, alarm(e.printed), e.right] for e in every]
    grid = Tabular.of(["", "where", "printed", "right"], lines)
    documents = [_erratum_dict(erratum) for erratum in every]
    return Sheet({"errata": documents}, lambda look, single: [grid], lambda: Tabular.full(documents[0], documents))


def _erratum_dict(erratum: Erratum) -> dict[str, Any]:
    return {"number": erratum.number, "where": erratum.where, "printed": erratum.printed, "right": erratum.right}
