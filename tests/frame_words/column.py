from __future__ import annotations

import click

from rocscope.cli.options import format_option
from rocscope.cli.output import Format, emit
from rocscope.cli.reader import read
from rocscope.report.sheet import Tabular


@click.command()
@click.argument("file")
@click.argument("name")
@format_option
def command(file: str, name: str, format: Format) -> None:
    """Print a column of numbers."""
    values = read(file).whole().numbers(name)
    emit({name: values}, format=format, sheet=lambda look: [Tabular.of([name], [[value] for value in values])])
