"""Columns that the user does not name: what `sources.guess` proposes if nothing is ambiguous, or what to write."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any

import click

import rocscope as rs
from rocscope.cli.output import say
from rocscope.errors import RocscopeError

if TYPE_CHECKING:
    from rocscope.sources import Roles, Source

# options that name a column which is neither the label nor a score
OTHER_COLUMNS = ("weight", "cluster", "fold", "id_column", "by", "cost_column", "cost_fp_column")


def with_columns(opened: Source, files: Sequence[str], given: Mapping[str, Any]) -> dict[str, Any]:
    """The options of one model, with guessed columns if none are named; `models` states whether there are several."""
    if given["scores"] or given["predicted"] or given["probabilities"]:
        if given["predicted"] and (given["scores"] or given["probabilities"]):
            raise RocscopeError(
                "--predicted and scores cannot be combined", hint="Give only one of the two: predicted labels or scores"
            )
        if given["label"] is None:
            raise RocscopeError(f"{opened.name}: name the column with the true labels (--label COLUMN)")
        return dict(given)
    context = click.get_current_context(silent=True)
    command = "evaluate" if context is None or context.info_name is None else context.info_name  # also called by `gate`
    roles = _roles(opened, given)
    models = len(roles.models) > 1
    # a comparison has other options
    alone = models and (command != "evaluate" or given["choose_on"] or given["save_table"])
    if roles.doubt or alone:
        raise _doubtful(opened, files, roles, command)
    command = "compare" if models else command
    say(f"rocscope: interpreted as  {_spelled(roles, files, command, opened.columns)}")
    scores = _patterns(roles, opened.columns) if models else roles.scores
    predicted = scores if roles.hard else roles.predicted
    return {**given, "label": roles.label, "scores": () if roles.hard else scores, "predicted": predicted,
            "models": models}  # fmt: skip


def with_models(opened: Sequence[Source], files: Sequence[str], given: Mapping[str, Any]) -> dict[str, Any]:
    """The options of a comparison, with guessed columns; with an id, each of several files holds one model."""
    several = given["id_column"] is not None and len(opened) > 1
    found = [_roles(source, given) for source in opened]
    first, pairs = found[0], list(zip(opened, found, strict=True))
    doubtful = next(((source, roles) for source, roles in pairs if roles.doubt), None)
    if doubtful is not None and doubtful[1].doubt == "positive" and not several:
        raise _doubtful(doubtful[0], files, doubtful[1], "compare")
    models = [_patterns(roles, source.columns) or (roles.predicted,) for source, roles in pairs]
    alike = len({(roles.label, roles.predicted is None and not roles.hard) for roles in found}) == 1
    if doubtful is not None or not alike or (any(len(own) != 1 for own in models) if several else len(models[0]) < 2):
        raise unclear(opened, files, by_id=several)
    columns = [str(own[0]) for own in models] if several else [str(column) for column in models[0]]
    columns = columns[:1] if len({*columns}) == 1 else columns
    hard = first.hard or first.predicted is not None
    option = "--predicted" if hard else "--score"
    words = [word for column in columns for word in (option, column)]
    words += ["--id", given["id_column"]] if several else []
    command = [
        "rocscope",
        "compare",
        *files,
        "--label",
        str(first.label),
        *words,
        *_other_options("compare", "--label", "--id"),
    ]
    say(f"rocscope: interpreted as  {shlex.join(command)}")
    return {**given, "label": first.label, "predicted" if hard else "scores": tuple(columns)}


def _roles(opened: Source, given: Mapping[str, Any]) -> Roles:
    """The proposed roles, without columns that other options name; the positive label may be given."""
    label, apart = given["label"], _named_elsewhere(given)
    columns = [column for column in rs.sources.profile(opened.sample()) if column.name not in apart]
    roles = (rs.sources.several_labels(columns) if label is None else None) or rs.sources.guess(columns, label=label)
    if roles.doubt == "positive" and (given["positive"] is not None or roles.positive is None):
        roles = replace(roles, doubt="")  # a column of several classes is refused with their names when it is read
    unnamed = roles.label not in opened.columns and not roles.several
    unspelled = len(roles.models) > 1 and not _patterns(roles, opened.columns)
    return replace(roles, doubt="label" if unnamed else "scores") if unnamed or unspelled else roles


def _named_elsewhere(given: Mapping[str, Any]) -> set[str]:
    named = [given.get(option) for option in OTHER_COLUMNS]
    return {str(name) for names in named for name in (names if isinstance(names, tuple | list) else [names]) if name}


def _patterns(roles: Roles, columns: Sequence[str]) -> tuple[str, ...]:
    """What names each model: a column, or a pattern for those of its classes; () if a pattern matches others, too."""
    if not roles.classes:
        return roles.scores
    found = tuple(_pattern(own, columns) for own in roles.models)
    return found if all(found) and len({*found}) == len(found) else ()


def _pattern(own: Sequence[str], columns: Sequence[str]) -> str:
    """The pattern that matches these columns and no others: their common beginning, up to a separator if possible."""
    common = rs.sources.common_start(list(own))
    cut = max((index + 1 for index, letter in enumerate(common) if letter in "_ .:-"), default=0)
    for start in dict.fromkeys((common[:cut], common)):
        if start and [name for name in columns if fnmatchcase(name, f"{start}*")] == list(own):
            return f"{start}*"
    return ""


def _spelled(roles: Roles, files: Sequence[str], command: str, columns: Sequence[str] = ()) -> str:
    """The command that names the columns, those of classes by their pattern if it matches no other column."""
    option = "--predicted" if roles.hard else "--score"
    words = [word for score in _patterns(roles, columns) or roles.scores for word in (option, score)]
    words = ["--label", str(roles.label), *(words or ["--predicted", str(roles.predicted)])]
    if roles.doubt == "positive":
        words += ["--positive", str(roles.positive)]
    return shlex.join(["rocscope", command, *files, *words, *_other_options(command, "--label")])


def _other_options(command: str, *replaced: str) -> list[str]:
    """The options as typed that the command has, too, without files and without the options that are replaced."""
    from rocscope.cli import TYPED

    context = click.get_current_context(silent=True)
    if context is None:
        return []
    group = context.find_root().command
    target = group.get_command(context, command) if isinstance(group, click.Group) else context.command
    options = [option for option in target.params if isinstance(option, click.Option)] if target is not None else []
    names = {name for option in options for name in option.opts} - {*replaced}
    valued = {name for option in (*options, *context.command.params) for name in option.opts
              if isinstance(option, click.Option) and not option.is_flag}  # fmt: skip
    words, kept = list(context.meta.get(TYPED, ())), []
    while words:
        name, joined, _ = (word := words.pop(0)).partition("=")
        own = [word, *([words.pop(0)] if name in valued and not joined and words else [])]
        kept += own if name in names else []
    return kept


def _typed_after(command: str) -> str:
    return "".join(f" {shlex.quote(word)}" for word in _other_options(command, "--label"))


def _doubtful(opened: Source, files: Sequence[str], roles: Roles, command: str) -> RocscopeError:
    """What is ambiguous, with a command to copy."""
    if roles.doubt == "positive":
        command = "compare" if len(roles.scores) > 1 else command
        return RocscopeError(
            f"{opened.name}: cannot tell which label in '{roles.label}' is positive",
            hint=f"Write {_spelled(roles, files, command)}",
        )
    label = shlex.quote(roles.label) if roles.label and roles.doubt != "label" else "COLUMN"
    start = f"{shlex.join(files)} --label {label}"
    hint = f"Write rocscope {command} {start} --score COLUMN{_typed_after(command)}"
    scored = [column.name for column in rs.sources.profile(opened.sample()) if column.is_score and not column.is_id]
    models = [name for name in scored if name != roles.label]
    if len(models) > 1 and label != "COLUMN":
        several = " ".join(f"--score {shlex.quote(name)}" for name in models[:3])
        hint += f"; or compare: rocscope compare {start} {several}{_typed_after('compare')}"
    what = "its labels" if label == "COLUMN" else "its scores"
    return RocscopeError(
        f"{opened.name}: cannot tell which column holds {what}; the columns are {_shown(opened)}", hint=hint
    )


def unclear(opened: Sequence[Source], files: Sequence[str], *, by_id: bool) -> RocscopeError:
    """The error for a comparison whose columns are neither named nor unambiguous."""
    if by_id:
        shown = "; ".join(f"{source.name} has {_shown(source)}" for source in opened[:2])
        return RocscopeError(
            f"a comparison of {len(opened)} files needs the label and the score of each: {shown}",
            hint="Give --label COLUMN and --score COLUMN once for all files, or once for each file in the same order",
        )
    hint = "Give --label COLUMN --score A --score B; for a single model use rocscope evaluate"
    if len(files) > 1:
        hint = (
            "Give --label COLUMN --score COLUMN --id COLUMN: each file holds one model, and cases are matched by "
            "their id"
        )
    source = opened[0]
    return RocscopeError(
        f"{source.name}: a comparison needs a label and two scores; the file has {_shown(source)}", hint=hint
    )


def _shown(source: Source) -> str:
    return ", ".join(source.columns[:12]) + (", ..." if len(source.columns) > 12 else "")
