from __future__ import annotations

import os
import time

import click

from rocscope.cli.options import force_option
from rocscope.cli.output import say
from rocscope.report import write_file


@click.command()
@click.argument("path")
@click.option("--input", "source")
@click.option("--size", type=int, default=4)
@click.option("--wait", is_flag=True, help="Stop in the middle of writing, to be interrupted there.")
@force_option
def command(path: str, source: str | None, size: int, wait: bool, force: bool) -> None:
    """Write a file."""
    if wait:
        os.fsync = _wait  # type: ignore[assignment]
    write_file(path, "new\n" * (size // 4), force=force, inputs=[source] if source else [])


def _wait(handle: int) -> None:
    say("ready")
    time.sleep(600)
