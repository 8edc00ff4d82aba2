"""Applying the defaults of a configuration file to a command, and reporting that."""

from __future__ import annotations

import copy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from rocscope.cli.output import say
from rocscope.cli.shared import config
from rocscope.cli.shared.config import Config
from rocscope.errors import RocscopeError


def configured(
    context: click.Context, word: str, command: click.Command, arguments: list[str]
) -> tuple[click.Command, list[str]]:
    """The command and its arguments, with defaults from the applicable configuration file."""
    path, none, rest = _taken_out(arguments)
    path, none = path or context.params.get("config"), none or bool(context.params.get("no_config"))
    if path and none:
        raise RocscopeError("--config and --no-config cannot be combined", hint="Give only one of the two")
    if none or {"-h", "--help"} & set(rest):
        return command, rest
    chosen_config = config.read(Path(path), asked=True) if path else config.find()
    if chosen_config is None:
        return command, rest
    known = {str(param.name) for param in command.params}
    explicit = {name for param in command.params for name in _conflicts(str(param.name)) if _is_said(param, rest)}
    defaults = {name: value for name, value in chosen_config.defaults(word).items() if name in known - explicit}
    context.default_map = {**(context.default_map or {}), word: defaults}
    spoken = copy.copy(command)
    spoken.callback = _reporting_defaults(command.callback, chosen_config)
    return spoken, rest


# command-line option -> configured defaults that it overrides, because the two exclude each other
CONFLICTS = {
    "threshold": ("choose", "cross_fit", "choose_on"),
    "choose": ("threshold",),
    "cross_fit": ("threshold", "choose_on"),
    "choose_on": ("threshold", "cross_fit"),
    "pt": ("cost_fp", "cost_fn"),
    "cost_fp": ("pt",),
    "cost_fn": ("pt",),
    "cost_ratio": ("cost_fp", "cost_fn", "prevalence"),
    "predicted": ("scores", "probabilities"),
    "scores": ("predicted", "probabilities"),
    "probabilities": ("predicted", "scores"),
}


def _conflicts(name: str) -> tuple[str, ...]:
    return CONFLICTS.get(name, ())


def _is_said(parameter: click.Parameter, arguments: list[str]) -> bool:
    return any(
        argument == option or argument.startswith(f"{option}=") for option in parameter.opts for argument in arguments
    )


def _taken_out(arguments: list[str]) -> tuple[str | None, bool, list[str]]:
    """Remove --config PATH and --no-config from after the command, where they are also accepted."""
    path, none = None, False
    rest: list[str] = []
    words = iter(arguments)
    for argument in words:
        if argument == "--":
            return path, none, [*rest, argument, *words]
        if argument == "--config":
            path = next(words, None)
            if path is None:
                raise RocscopeError("--config needs the name of a file")
        elif argument.startswith("--config="):
            path = argument.removeprefix("--config=")
        elif argument == "--no-config":
            none = True
        else:
            rest.append(argument)
    return path, none, rest


def _reporting_defaults(callback: Callable[..., Any] | None, config_file: Config) -> Callable[..., Any]:
    """Wrap a command so that it first reports which defaults come from the file."""

    def run(*arguments: Any, **given: Any) -> Any:
        context = click.get_current_context()
        taken = {
            str(param.name): param.opts[0].removeprefix("--")
            for param in context.command.params
            if context.get_parameter_source(str(param.name)) is ParameterSource.DEFAULT_MAP
        }
        if "baseline" in taken and not any(".diff" in require for require in given["requires"]):
            del taken["baseline"]  # no condition uses it, so the file is not read
            given["baseline"] = None
        used = list(taken.values())
        if used:
            say(f"rocscope: defaults from {config_file.shown}: {', '.join(used)}")
        assert callback is not None
        return callback(*arguments, **given)

    return run
