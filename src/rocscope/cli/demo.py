"""`rocscope demo`: a comparison on built-in data, with the answer first."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import click

import rocscope as rs
from rocscope import report
from rocscope.cli.options import force_option, format_option, full_option, html_option
from rocscope.cli.output import Document, Format, check_page, emit, write_page
from rocscope.cli.shared.demo_loans import LABEL, MODELS, POSITIVE, Loan, loans
from rocscope.report import Sheet, Tabular

EPILOG = """\b
Examples:
  rocscope demo
  rocscope demo --html report.html
  rocscope demo --data > loans.csv
"""


@click.command(epilog=EPILOG)
@click.option("--data", "cases", is_flag=True, help="Print the cases of the example as CSV, for your own experiments.")
@full_option
@html_option
@force_option
@format_option
def command(cases: bool, full: bool, html: str | None, force: bool, format: Format) -> None:
    """Show which of three models to use for 1,000 loans, at which threshold, and how well it performs.

    The command prints the result of `rocscope compare` for these loans, where a miss costs as much as 5 false alarms.
    """
    rows = loans()
    if cases:
        listed = [dict(zip((LABEL, *MODELS), row, strict=True)) for row in rows]
        grid = Tabular.full((LABEL, *MODELS), listed)
        emit(Sheet({"cases": listed}, lambda look, single: [grid]), "csv" if format == "text" else format)
        return
    given = {"html": html, "force": force}
    check_page(given, [])
    document = write_page(answer(rows, drawing=html is not None), given, [])
    emit(replace(report.answer(document, full=full), steps=_next(document)), format)


def answer(rows: list[Loan], *, drawing: bool = False) -> dict[str, Any]:
    """The results document for the three models, evaluated on these loans."""
    labels, *scores = zip(*rows, strict=True)
    models = dict(zip(MODELS, scores, strict=True))
    comparison = rs.compare(labels, models, positive=POSITIVE, costs=rs.Costs(fp=1, fn=5), unit="loan")
    return comparison.to_dict(drawing=drawing)


def _next(document: Document) -> list[tuple[str, str]]:
    counts = document["evaluations"][document["recommended"]]["point"]["counts"]
    cells = " ".join(str(cell) for cell in counts.values())
    columns = f"--label {LABEL} --positive {POSITIVE} --score {MODELS[0]}"
    return [
        ("rocscope demo --html report.html", "an interactive report with every curve in a single file"),
        ("rocscope demo --data > loans.csv", "these loans, to experiment with"),
        (f"rocscope evaluate loans.csv {columns}", "one model alone"),
        (f"rocscope explain precision {cells}", "the formula with your numbers"),
    ]
