"""Saved tables on the command line: written with --save-table, and evaluated without options about cases."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

import rocscope as rs
from rocscope.cli.output import say
from rocscope.errors import RocscopeError

if TYPE_CHECKING:
    pass

NEEDS_CASES = (
    "label", "scores", "predicted", "probabilities", "weight", "weights_are", "cluster", "cross_fit", "by", "id",
    "missing", "lower_is_positive", "crossed", "delimiter", "encoding", "sheet", "budget", "tolerance", "exact",
)  # fmt: skip


def keep_table(result: Any, target: str | None, given: Mapping[str, Any], inputs: Sequence[str]) -> None:
    """Write the table of an evaluation to the named file, if any."""
    if target is None:
        return
    from rocscope.report import check_target, save_table

    if isinstance(result, rs.Comparison):
        targets = _of_models(target, list(result.evaluations))
        for file in targets.values():  # all or none
            check_target(file, force=given["force"], inputs=inputs)
        for name, file in targets.items():
            keep_table(result.evaluations[name], file, given, inputs)
        say(f"rocscope: --save-table wrote a table for each model: {', '.join(targets.values())}")
        return
    if not isinstance(result, rs.Evaluation | rs.ClassEvaluation | rs.LabelEvaluation):
        raise RocscopeError(
            "--save-table needs a single classifier, or several with one score each", hint="Leave it out"
        )
    table, unit = result.table if isinstance(result, rs.Evaluation) else result.sums, result.settings.unit
    about: dict[str, Any] = {"name": result.name, "unit": unit, "left_out": result.left_out}
    save_table(table, target, force=given["force"], inputs=inputs, **about)


def _of_models(target: str, names: Sequence[str]) -> dict[str, str]:
    """The file of each model; models whose names need the same file name are an error."""
    targets = {name: _of_model(target, name) for name in names}
    models: dict[str, str] = {}
    for name, file in targets.items():
        if file in models:
            raise RocscopeError(
                f"--save-table would write the tables of {models[file]} and {name} to the same file {file}",
                hint="Rename one of the models",
            )
        models[file] = name
    return targets


def _of_model(target: str, name: str) -> str:
    """The file of one of several models: for boosting, day.scoretable.parquet becomes
    day.boosting.scoretable.parquet.
    """
    plain = "".join(letter if letter.isalnum() or letter in "-_" else "-" for letter in name)
    folder, slash, file = target.rpartition("/")
    start, dot, ending = file.partition(".")
    return f"{folder}{slash}{start}.{plain}{dot}{ending}"


def saved_evaluation(
    files: Sequence[str], given: Mapping[str, Any], settings: Mapping[str, Any], *, strict: bool = True
) -> Any:
    """Evaluate the sum of saved tables; options about cases are an error.

    Without `strict`, they are ignored, because another file of the same command has cases.
    """
    if strict:
        refuse_cases(files[0])
    about = {name: value for name, value in settings.items() if name != "cross_fit"}
    other = given.get("choose_on")
    evaluation: rs.Result = rs.evaluate(
        list(files), positive=given.get("positive"),
        choose_on=other if strict or rs.evaluation.is_saved(other) else None, **about,
    )  # fmt: skip
    return evaluation


def refuse_cases(file: str, *, but: Sequence[str] = ()) -> None:
    """Raise an error for command-line options that require cases; defaults of a configuration file are ignored."""
    context = click.get_current_context(silent=True)
    if context is None:
        return
    for parameter in context.command.params:
        name = str(parameter.name)
        if name in set(NEEDS_CASES) - set(but) and context.get_parameter_source(name) is ParameterSource.COMMANDLINE:
            option = parameter.opts[0]
            raise RocscopeError(
                f"{option} needs the cases, but {file} contains only a table of sums",
                hint=f"Leave {option} out, or give the file with the cases",
            )
