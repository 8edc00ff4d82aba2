"""Options that several commands share, each written once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

Command = TypeVar("Command", bound=Callable[..., Any])
WEIGHTS = ("sampling", "frequency")


def format_option(command: Command) -> Command:
    """`--format text|json|md|csv`, handed to the command as `format`."""
    return click.option(
        "--format",
        type=click.Choice(["text", "json", "md", "csv"]),
        default="text",
        show_default=True,
        help="Output format.",
    )(command)


def force_option(command: Command) -> Command:
    """`--force`, for commands that write files."""
    return click.option("--force", is_flag=True, help="Overwrite an existing file.")(command)


def positive_options(command: Command) -> Command:
    """`--positive`, `--weight` and `--weights-are`."""
    for option in (
        click.option("--weights-are", type=click.Choice(WEIGHTS), default="sampling", show_default=True,
                     help="sampling: a row stands for others; frequency: it occurred that often."),
        click.option("--weight", metavar="COLUMN", help="Column with weights."),
        click.option("--positive", metavar="LABEL", help="Positive label (not needed for 0/1 and -1/1)."),
    ):  # fmt: skip
        command = option(command)
    return command
