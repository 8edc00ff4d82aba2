"""`rocscope examples`: the worked examples, each computed anew beside the answer that is right."""

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
@click.option("--errata", is_flag=True, help="List the errors of the sources with the correct values.")
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


# --- the list


def _list_sheet() -> Sheet:
    every = rs.lessons.examples()
    grid = Tabular.of(["name", "about", ""], [[strong(one.name), one.title, _mark(one)] for one in every])
    found = [_summary(one) for one in every]
    rows = (row | {"errata": " ".join(map(str, row["errata"]))} for row in found)
    steps = [
        ("rocscope examples fawcett", "one of them, recomputed"),
        ("rocscope examples --errata", "the errors printed in the sources"),
    ]
    return Sheet({"examples": found}, lambda look, single: [grid], lambda: Tabular.full(found[0], rows), steps)


def _mark(one: Example) -> Span:
    if one.status != "given":
        return quiet(one.status)
    return alarm("erratum") if one.erratum else Span("")


def _summary(one: Example) -> dict[str, Any]:
    return {"name": one.name, "title": one.title, "kind": one.kind, "status": one.status, "errata": list(one.erratum)}


# --- in full


def _full_sheet(chosen: Sequence[Example]) -> Sheet:
    checked = {one.name: [_compute(one, answer) for answer in one.answers] for one in chosen}
    rows = [
        [name, row.answer.text, *map(rs.lessons.show, (row.computed, row.answer.value)), "yes" if row.agrees else "no"]
        for name, found in checked.items()
        for row in found
    ]
    return Sheet(
        {"examples": [_document(one, checked[one.name]) for one in chosen]},
        lambda look, single: [block for one in chosen for block in _full(one, checked[one.name], look, single)],
        lambda: Tabular.of(["example", "answer", "computed", "right", "agrees"], rows),
    )


@record(slots=True)
class _Row:
    """An answer and what the library computes now, or why it cannot."""

    answer: Answer
    computed: Any
    why: str = ""

    @property
    def agrees(self) -> bool:
        """Whether both are the same."""
        return not self.why and rs.lessons.agrees(self.computed, self.answer.value)


def _compute(one: Example, answer: Answer) -> _Row:
    try:
        return _Row(answer, rs.lessons.compute(one, answer.ask))
    except RocscopeError as error:  # an expression, where sympy is not installed
        return _Row(answer, "", str(error))


def _full(one: Example, rows: Sequence[_Row], look: Look, single: bool) -> list[Block]:
    status = f"   {one.status}" if one.status != "given" else ""
    blocks: list[Block] = [
        Paragraph.of([strong(one.title), quiet(f"   {one.name}{status}")], one.question),
        *rs.report.data_blocks(one.kind, one.data, look, single=single),
    ]
    if rows:
        columns = [Field("question"), Field("computed", right=True), Field("right", right=True), Field("")]
        blocks.append(Tabular.of(columns, [_line(row) for row in rows]))
    blocks += [Paragraph.of(one.note)] if one.note else []
    errata: list[list[str | Span]] = [
        [alarm("! "), f"The source ({found.where}) prints {found.printed}. Right: {found.right}."]
        for found in map(rs.lessons.erratum, one.erratum)
    ]
    wrong = [Paragraph.of(*errata, hang=2)] if errata else []
    return [*blocks, *rs.report.remarks(sorted({row.why for row in rows if row.why})), *wrong]


def _line(row: _Row) -> list[Cell]:
    right, computed = rs.lessons.show(row.answer.value), _rounded(row)
    long = len(right) + len(computed) > 46  # points of a curve: the words are enough, and whether they agree
    short = " = " in row.answer.text and not long
    name = row.answer.text.split(" = ")[0] if short else rs.lessons.reading(row.answer.ask)
    verdict = quiet("agrees") if row.agrees else alarm("not computed" if row.why else "differs")
    if long:
        sizes = [f"{len(side)} values" if isinstance(side, tuple) else "" for side in (row.computed, row.answer.value)]
        return [row.answer.text, model(sizes[0]), sizes[1], verdict]
    return [name, model(computed), right, verdict]


def _rounded(row: _Row) -> str:
    """The computed value: decimals to six digits, also where the source has a decimal and we a fraction."""
    decimal = isinstance(row.answer.value, float) and isinstance(row.computed, Fraction)
    return rs.lessons.show(_to_six(float(row.computed) if decimal else row.computed))


def _to_six(value: Any) -> Any:
    if isinstance(value, tuple):
        return tuple(map(_to_six, value))
    if not isinstance(value, float) or not math.isfinite(value):
        return value
    return int(value) if value.is_integer() else float(f"{value:.6g}")


def _document(one: Example, rows: Sequence[_Row]) -> dict[str, Any]:
    return {
        **_summary(one),
        "data": _plain(one.data),
        "question": one.question,
        "answers": [
            {"ask": row.answer.ask, "text": row.answer.text, "right": row.answer.value, "computed": row.computed,
             "agrees": row.agrees, "why": row.why}
            for row in rows
        ],
        "note": one.note,
        "errata": [_erratum_dict(rs.lessons.erratum(number)) for number in one.erratum],
    }  # fmt: skip


def _plain(value: Any) -> Any:
    """Data of an example with plain dicts and lists inside."""
    if hasattr(value, "items"):
        return {str(key): _plain(item) for key, item in value.items()}
    return [_plain(item) for item in value] if isinstance(value, tuple) else value


# --- errata


def _errata_sheet() -> Sheet:
    every = rs.lessons.errata()
    lines: list[list[Cell]] = [[quiet(f"E{e.number}"), e.where, alarm(e.printed), e.right] for e in every]
    grid = Tabular.of(["", "where", "printed", "right"], lines)
    found = [_erratum_dict(one) for one in every]
    return Sheet({"errata": found}, lambda look, single: [grid], lambda: Tabular.full(found[0], found))


def _erratum_dict(erratum: Erratum) -> dict[str, Any]:
    return {"number": erratum.number, "where": erratum.where, "printed": erratum.printed, "right": erratum.right}


