"""Shell completion: commands and options by click itself; files, columns and measures by this module."""

from __future__ import annotations

import csv
import os
import re
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import Any

import click
from click.shell_completion import CompletionItem, get_completion_class

from rocscope.errors import RocscopeError

SHELLS = ("bash", "zsh", "fish")
VARIABLE = "_ROCSCOPE_COMPLETE"
HEAD = 2**16  # number of bytes read to find the header line
# The shell inserts a completion unquoted: a column named `p$(command)` would be executed, one with a space split.
INERT = re.compile(r"[\w.:@%+=/-]+")

Names = Callable[[click.Context], Iterable[str]]


def script(shell: str) -> str:
    """The code that a shell runs to complete `rocscope`."""
    known = get_completion_class(shell)
    if known is None or shell not in SHELLS:
        raise RocscopeError(f"there is no completion for '{shell}'", hint=f"Known: {', '.join(SHELLS)}")
    maker = known(click.Group("rocscope"), {}, "rocscope", VARIABLE)
    # maker.source() is not used: for bash it starts a shell to check its version
    text: str = maker.source_template % maker.source_vars()
    return text


def completing(command: click.Command) -> click.Command:
    """Add completion of files, columns, measures and rules to a command."""
    for parameter in command.params:
        name = str(parameter.name)
        if name in ("file", "files", "data", "output", "save_table", "baseline", "choose_on", "html"):
            parameter.shell_complete = _files  # type: ignore[assignment, method-assign]
        elif name == "what" and isinstance(parameter, click.Argument):
            parameter.shell_complete = _named(_explained)  # type: ignore[assignment, method-assign]
        elif name in NAMES:
            parameter.shell_complete = _named(NAMES[name])  # type: ignore[assignment, method-assign]
    return command


def _files(context: click.Context, incomplete: str) -> list[CompletionItem]:
    return [CompletionItem(incomplete, type="file")]


def _named(names: Names) -> Callable[[click.Context, str], list[CompletionItem]]:
    def complete(context: click.Context, incomplete: str) -> list[CompletionItem]:
        matching: list[str] = []
        with suppress(Exception):  # no error messages during completion
            matching = [name for name in dict.fromkeys(names(context)) if name.startswith(incomplete)]
        return [CompletionItem(name) for name in matching if INERT.fullmatch(name)]

    return complete


def _columns(context: click.Context) -> Iterable[str]:
    """The columns of the file named before."""
    given = context.params.get("file") or context.params.get("files") or ()
    # while an option's value is being completed, click leaves the arguments in context.args
    named = [*([given] if isinstance(given, str) else given), *context.args]
    file = next((path for path in named if os.path.isfile(path)), None)
    return [] if file is None else columns_of(file)


def columns_of(file: str) -> list[str]:
    """The names in the first line of a text file, or the columns of a Parquet file."""
    with open(file, "rb") as opened:
        head = opened.read(HEAD)
    if head.startswith(b"PAR1"):
        from rocscope.sources import parquet_columns

        return parquet_columns(file)
    line = head.decode("utf-8", "replace").removeprefix("\ufeff").lstrip().split("\n", 1)[0].rstrip("\r")
    delimiter = max(",;\t", key=line.count)
    return [name for name in next(csv.reader([line], delimiter=delimiter), []) if name.strip()]


def _conditions(context: click.Context) -> Iterable[str]:
    from rocscope.evaluation import known_names
    from rocscope.measures import names

    areas = sorted(known_names())
    return [*areas, *(f"{name}.{end}" for name in ("auc", "average_precision") for end in ("low", "diff.low")),
            *sorted(names())]  # fmt: skip


def _rules(context: click.Context) -> Iterable[str]:
    from rocscope.decisions import rules
    from rocscope.measures import names

    return [*sorted(rules()), *sorted(names())]


def _curves(context: click.Context) -> Iterable[str]:
    from rocscope.curves import names
    from rocscope.measures import names as measures

    return [*sorted(n for n, reading in names().items() if reading.kind == "curve"), *sorted(measures())]


def _intervals(context: click.Context) -> Iterable[str]:
    from rocscope.intervals import auc_methods

    return auc_methods()


def _explained(context: click.Context) -> Iterable[str]:
    from rocscope.cli.explain import known

    return sorted(name for name in known() if " " not in name)


def _examples(context: click.Context) -> Iterable[str]:
    from rocscope.lessons import examples

    return [example.name for example in examples()]


NAMES: dict[str, Names] = {
    **dict.fromkeys(("label", "scores", "weight", "cluster", "by", "predicted", "actual", "id"), _columns),
    "requires": _conditions,
    "choose": _rules,
    "kind": _curves,
    "interval": _intervals,
    "example": _examples,
    "names": _examples,
}


def show(context: click.Context, parameter: click.Parameter, shell: Any) -> None:
    """Print the completion script for a shell and exit: the callback of --show-completion."""
    if shell is None or context.resilient_parsing:
        return
    from rocscope.cli.output import write

    write(script(shell))
    context.exit()
