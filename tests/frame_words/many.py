from __future__ import annotations

import click

from rocscope.cli.output import emit
from rocscope.report.sheet import Paragraph
from rocscope.report.sheet_formats import Sheet


@click.command()
@click.argument("lines", type=int)
def command(lines: int) -> None:
    """Print many lines."""
    emit(Sheet({}, lambda look, single: [Paragraph.of(*["a line like any other"] * lines)]), "text")
