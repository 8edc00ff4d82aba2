from __future__ import annotations

import click

from rocscope.cli.options import format_option
from rocscope.cli.output import Format, emit
from rocscope.cli.reader import read
from rocscope.report.sheet import Tabular
from rocscope.report.sheet_formats import Sheet


@click.command()
@click.argument("file")
@click.argument("name")
@format_option
def command(file: str, name: str, format: Format) -> None:
    """Print a column of numbers."""
    values = read(file).whole().numbers(name)
    grid = Tabular.of([name], [[value] for value in values])
    emit(Sheet({name: values}, lambda look, single: [grid]), format)
