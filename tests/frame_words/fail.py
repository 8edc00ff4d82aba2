from __future__ import annotations

import click

from rocscope.errors import RocscopeError

HOW: dict[str, BaseException] = {
    "data": RocscopeError("score has 3 NaN (first at row 17)", hint="Drop them first"),
    "evil": RocscopeError("no label '\x1b[31mred\x1b[0m\nsecond line'"),
    "file": PermissionError(13, "Permission denied", "secret.csv"),
    "memory": MemoryError(),
    "fault": ZeroDivisionError("division by zero"),
    "interrupt": KeyboardInterrupt(),
    "gate": click.exceptions.Exit(1),
}


@click.command()
@click.argument("how", type=click.Choice(list(HOW)))
def command(how: str) -> None:
    """Fail in a chosen way."""
    raise HOW[how]
