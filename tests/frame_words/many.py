from __future__ import annotations

import click

from rocscope.cli.output import emit
from rocscope.report.sheet import Paragraph


@click.command()
@click.argument("lines", type=int)
def command(lines: int) -> None:
    """Print many lines."""
    emit({}, format="text", sheet=lambda look: [Paragraph.of(*["a line like any other"] * lines)])
