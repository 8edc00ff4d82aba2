from __future__ import annotations

import click

from rocscope.cli.options import format_option
from rocscope.cli.output import Format, emit
from rocscope.report.sheet import Block, Field, Paragraph, Tabular, data, model, strong
from rocscope.report.sheet_formats import Look, Sheet


@click.command()
@click.argument("label")
@format_option
def command(label: str, format: Format) -> None:
    """Show one label in every format."""

    def blocks(look: Look, single: bool) -> list[Block]:
        columns = ["label", "n", "value", Field("0 to 1", drawn=True)]
        grid = Tabular.of(columns, [[data(label), 10650, 0.5, (model("━●━"),)]])
        return [Paragraph.of([strong("One label"), " — recall ≥ 0.5: ", data(label)]), grid]

    emit(Sheet({"label": label, "n": 10650, "value": 0.5}, blocks), format)
