"""Saved tables on the command line: answered without a scan, and kept with --save-table."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping, Sequence
from glob import glob
from types import MappingProxyType
from typing import Any, TypeVar

import click
from click.core import ParameterSource

from rocscope.errors import RocscopeError
from rocscope.evaluation import ClassEvaluation, Evaluation, Settings
from rocscope.table import Confusion, ScoreTable
from rocscope.table.spelling import spelled_alike

Command = TypeVar("Command", bound=Callable[..., Any])
ENDING = ".rst"
NEEDS_CASES = (
    "label", "scores", "predicted", "probabilities", "weight", "weights_are", "cluster", "cross_fit", "by", "id",
    "missing", "lower_is_positive", "crossed", "delimiter", "encoding", "sheet", "budget", "tolerance", "exact",
)  # fmt: skip


def save_table_option(command: Command) -> Command:
    """`--save-table OUT.rst`."""
    return click.option(
        "--save-table", metavar="OUT.rst", help="Keep the table of sums: it answers the next question without a scan."
    )(command)


def check_saving(given: Mapping[str, Any], inputs: Sequence[str]) -> None:
    """Refuse a table file that cannot be written before the long computation."""
    target = given.get("save_table")
    if target is None:
        return
    from rocscope.report.files import check_target

    if not target.lower().endswith(ENDING):
        raise RocscopeError(f"--save-table {target}: a table of rocscope ends in {ENDING}")
    also = [given["output"]] if given.get("output") else []
    if also and also[0] == target:
        raise RocscopeError(f"--output and --save-table are both {target}", hint="Choose another name for one")
    check_target(target, force=given["force"], inputs=inputs)


def keep_table(found: Evaluation | ClassEvaluation, given: Mapping[str, Any], inputs: Sequence[str]) -> None:
    """Write the table behind an evaluation where --save-table asks for it."""
    if given.get("save_table") is None:
        return
    from rocscope.report.storing import save_table

    table = found.table if isinstance(found, Evaluation) else found.matrix
    save_table(
        table,
        given["save_table"],
        name=found.name,
        unit=found.settings.unit,
        left_out=found.left_out,
        force=given["force"],
        inputs=inputs,
    )


# --- in


def is_saved(file: str) -> bool:
    """Whether a file is named as a saved table."""
    return file.lower().endswith(ENDING)


def saved_evaluation(
    files: Sequence[str], given: Mapping[str, Any], settings: Mapping[str, Any], *, strict: bool = True
) -> Evaluation | ClassEvaluation:
    """The evaluation of saved tables, added up; no case is read, so options about cases are refused.

    Not `strict`, they are passed over: another file of the same command has cases.
    """
    from rocscope.sources.table_files import read

    files = expanded(files)
    if strict:
        refuse_cases(files[0])
    kept = [read(file) for file in files]
    whole = total([one.table for one in kept], files)
    _same_positive(whole, given.get("positive"), files[0])
    left_out: dict[str, int] = {}
    for one in kept:
        for why, count in one.left_out.items():
            left_out[why] = left_out.get(why, 0) + count
    name, said = kept[0].name, MappingProxyType(left_out)
    asked = {name: value for name, value in settings.items() if name != "higher_is_positive"}
    if asked.get("unit") == "case" and kept[0].unit:
        asked["unit"] = kept[0].unit
    if isinstance(whole, Confusion):
        _no_threshold(asked, files[0])
        positive = given.get("positive")
        known = next((label for label in whole.labels if str(label) == positive), positive)
        return ClassEvaluation(whole, Settings(**asked), name=name, left_out=said, positive=known)
    if not len(whole):
        raise RocscopeError(f"{files[0]} holds no cases")
    return Evaluation(whole, Settings(**asked), name, choose_on=_other(given, whole), left_out=said)


def expanded(files: Sequence[str]) -> list[str]:
    """The files that names and patterns stand for, each once: a table added twice would count its cases twice."""
    found: list[str] = []
    for file in files:
        pattern = not os.path.exists(file) and any(letter in file for letter in "*?[")
        matched = sorted(glob(file), key=numbered) if pattern else [file]
        if not matched:
            raise RocscopeError(f"no file is named like {file}")
        found += matched
    seen: set[str] = set()
    for file in found:
        if os.path.realpath(file) in seen:
            raise RocscopeError(f"{file} is named twice: its cases would count twice")
        seen.add(os.path.realpath(file))
    return found


def numbered(file: str) -> list[tuple[int, str]]:
    """A name as text and numbers in turn, so that day2 comes before day10."""
    return [(int(part), "") if part.isdigit() else (0, part) for part in re.split(r"([0-9]+)", file)]


def total(tables: Sequence[ScoreTable | Confusion], files: Sequence[str]) -> ScoreTable | Confusion:
    """The sum of tables, what does not add named by its file."""
    whole: Any = tables[0]
    for table, file in zip(tables[1:], files[1:], strict=True):
        if type(table) is not type(whole):
            raise RocscopeError(f"{file} and {files[0]}: a score table and a confusion matrix do not add")
        try:
            whole = whole + table
        except RocscopeError as error:
            raise RocscopeError(f"{file} and {files[0]}: {error.message}", hint=error.hint) from None
    found: ScoreTable | Confusion = whole
    return found


def refuse_cases(file: str) -> None:
    """Refuse options said on the command line that only cases could answer; defaults of a config file are not meant."""
    context = click.get_current_context(silent=True)
    if context is None:
        return
    for parameter in context.command.params:
        name = str(parameter.name)
        if name in NEEDS_CASES and context.get_parameter_source(name) is ParameterSource.COMMANDLINE:
            option = parameter.opts[0]
            raise RocscopeError(
                f"{option} needs the cases; {file} holds a table of sums", hint=f"Leave {option} out, or read the cases"
            )


def _same_positive(table: ScoreTable | Confusion, positive: str | None, file: str) -> None:
    if positive is None or isinstance(table, Confusion) or str(table.labels[1]) == positive:
        return
    raise RocscopeError(f"--positive {positive}, but the positive label of {file} is {table.labels[1]}")


def _no_threshold(asked: Mapping[str, Any], file: str) -> None:
    options = {"threshold": "--threshold", "choose": "--choose", "costs": "costs", "bootstrap": "--bootstrap"}
    for name, option in options.items():
        if asked.get(name):
            raise RocscopeError(f"{option} needs scores; {file} holds a confusion matrix")


def _other(given: Mapping[str, Any], whole: ScoreTable) -> ScoreTable | None:
    """The table on which the threshold is chosen: saved too."""
    other = given.get("choose_on")
    if not other:
        return None
    if not is_saved(other):
        raise RocscopeError(f"--choose-on {other} is no saved table", hint="Save it first with --save-table")
    found = ScoreTable.load(other)
    if found.higher_is_positive != whole.higher_is_positive or not spelled_alike(found.labels[1], whole.labels[1]):
        raise RocscopeError(f"--choose-on {other}: its direction or positive label is another one")
    return found


# --- formats


def card_option(command: Command) -> Command:
    """`--card KEY=VALUE`, what a model card says beside the numbers."""
    return click.option(
        "--card", "cards", multiple=True, metavar="KEY=VALUE",
        help="For --format hf: model, task, dataset, dataset-type or split.",
    )(command)  # fmt: skip


def card_of(given: Mapping[str, Any]) -> dict[str, str]:
    """The model card's words that the options say."""
    found: dict[str, str] = {}
    for text in given.get("cards") or ():
        key, sign, value = text.partition("=")
        if not sign or not value:
            raise RocscopeError(f"--card {text}", hint="Write it like --card model=churn-model")
        found[key] = value
    return found


def unsaid(command: click.Command) -> dict[str, Any]:
    """Every option of a command as if nobody had said it: for a word that asks the same without offering them all."""
    return {
        str(one.name): () if getattr(one, "multiple", False) else False if getattr(one, "is_flag", False) else None
        for one in command.params
    }


def with_formats(
    command: click.Command, formats: Sequence[str], *, output: str, without: Sequence[str] = ("full",)
) -> click.Command:
    """The command with its own formats and help of --output, and without options that it has no use for."""
    known = [one for one in command.params if one.name not in without]
    for place, one in enumerate(known):
        if one.name == "format":
            shown = "How the answer is written.  [default: text]"
            known[place] = click.Option(["--format"], type=click.Choice(list(formats)), help=shown)
        if one.name == "output":
            known[place] = click.Option(["--output"], metavar="OUT", help=output)
    command.params = known
    return command
