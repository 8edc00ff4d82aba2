"""Defaults from a file: `rocscope.toml`, or `[tool.rocscope]` in `pyproject.toml`.

The file is searched from the working directory upward to the root of the repository; the nearest one applies. The
command line takes precedence. Keys are the long options without their dashes; `[gate]`, `[evaluate]`, ... contain those
of one command.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rocscope.errors import RocscopeError, did_you_mean
from rocscope.record import record

NAMES = ("rocscope.toml", "pyproject.toml")
COMMANDS = ("evaluate", "compare", "curve", "hull", "gate", "merge", "calibrate")
LARGEST = 2**20  # maximum size of a config file, in bytes
OTHER_FORMATS = (".yaml", ".yml", ".json", ".ini", ".cfg")

# key -> type of its value. A command ignores keys that it has no option for.
KINDS = {
    "label": "text", "score": "texts", "positive": "label", "weight": "text", "weights-are": "text",
    "lower-is-positive": "flag", "threshold": "number", "choose": "text", "cross-fit": "whole", "cost-fp": "number",
    "cost-fn": "number", "pt": "number", "prevalence": "number", "cluster": "text", "level": "number",
    "interval": "text", "bootstrap": "whole", "seed": "whole", "unit": "text", "missing": "text", "full": "flag",
    "by": "texts", "tolerance": "number", "predicted": "text", "probability": "texts", "choose-on": "path",
    "delimiter": "text", "encoding": "text", "sheet": "text", "budget": "text", "exact": "flag", "crossed": "flag",
    "require": "texts", "baseline": "path", "window": "whole", "kind": "text", "card": "texts",
}  # fmt: skip
# options for the output of a single run, which have no configurable default
ON_THE_LINE = {"format", "output", "force", "html", "save-table", "embed-cases", "plot", "id", "config", "no-config"}
# command-line option -> click parameter name
PARAMETERS = {"score": "scores", "probability": "probabilities", "require": "requires", "card": "cards"}
_KIND_NAMES = {
    "text": "text", "texts": "a text value or a list of text values", "label": "text or a number", "number": "a number",
    "whole": "a whole number", "flag": "true or false", "path": "the name of a file",
}  # fmt: skip


@record(slots=True)
class Config:
    """A configuration file: its path, and the values of its keys by command ("" for all)."""

    path: Path
    values: Mapping[str, Mapping[str, Any]]

    def defaults(self, word: str) -> dict[str, Any]:
        """Click's defaults of a command, by parameter name."""
        values = {**self.values[""], **self.values.get(word, {})}
        if word == "hull" and len({"cost-fp", "cost-fn"} & set(values)) == 1:  # evaluate uses 1 for the missing cost
            values = {"cost-fp": 1, "cost-fn": 1} | values
        return {_parameter(key): self._value(key, value) for key, value in values.items()}

    def _value(self, key: str, value: Any) -> Any:
        kind = KINDS[key]
        if kind == "texts":
            return [value] if isinstance(value, str) else list(value)
        if kind == "path":  # relative to the config file, not to the working directory
            return os.path.relpath(self.path.parent / value) if not os.path.isabs(value) else value
        if kind == "label":
            return str(value).lower() if isinstance(value, bool) else str(value)
        return value

    @property
    def shown(self) -> str:
        """Its path relative to the working directory."""
        return os.path.relpath(self.path)


def _parameter(key: str) -> str:
    return PARAMETERS.get(key, key.replace("-", "_"))


# --- finding and reading the file


def find(start: Path | None = None) -> Config | None:
    """The nearest configuration file from a directory upward to the root of the repository; None without one."""
    for folder in _upward((start or Path.cwd()).resolve()):
        for name in NAMES:
            path = folder / name
            if os.path.isfile(path) and (config := read(path)) is not None:
                return config
    return None


def _upward(folder: Path) -> Sequence[Path]:
    """The directory and its parents up to the one with .git.

    Outside of a repository, only the directory itself.
    """
    above = [folder, *folder.parents]
    # os.path.exists rather than Path.exists, which raises for a directory without access permission
    root = next((depth for depth, directory in enumerate(above) if os.path.exists(directory / ".git")), 0)
    return above[: root + 1]


def read(path: Path, *, asked: bool = False) -> Config | None:
    """Read and check a configuration file; None for a pyproject.toml without a rocscope section."""
    shown = os.path.relpath(path)
    if path.suffix.lower() in OTHER_FORMATS:
        raise RocscopeError(f"{shown}: a configuration file must be TOML", hint='Write label = "y", for example')
    text = _text(path)
    section = _section(text, shown) if path.name == "pyproject.toml" else _parsed(text, shown)
    if section is None:
        if asked:
            raise RocscopeError(f"{shown} has no [tool.rocscope]")
        return None
    if not isinstance(section, dict):
        raise RocscopeError(f"{shown}: tool.rocscope must be a table, not {_kind(section)}")
    return Config(path, _checked(section, shown))


def _section(text: str, shown: str) -> Any:
    """The section of a pyproject.toml; None without one. The file is parsed only if it contains "rocscope"."""
    tool = _parsed(text, shown).get("tool") if "rocscope" in text else None
    return tool.get("rocscope") if isinstance(tool, dict) else None


def _parsed(text: str, shown: str) -> Any:
    import tomllib

    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise RocscopeError(f"{shown}: {_problem(str(error), text)}") from None
    except RecursionError:
        raise RocscopeError(f"{shown} is nested too deeply") from None


def _text(path: Path) -> str:
    try:
        with open(path, "rb") as file:
            content = file.read(LARGEST + 1)
    except FileNotFoundError:
        raise RocscopeError(f"there is no configuration file {path}") from None
    except OSError as error:
        raise RocscopeError(f"cannot read {path}: {error.strerror or error}") from None
    if len(content) > LARGEST:
        raise RocscopeError(f"{path} is too large for a configuration file: the limit is 1 MiB")
    try:
        return content.decode("utf-8").replace("\r\n", "\n")
    except UnicodeDecodeError:
        raise RocscopeError(f"{path} is not valid UTF-8") from None


def _problem(message: str, text: str) -> str:
    """What is wrong, with the key if it is duplicated: tomllib gives only the position."""
    location = re.search(r"\(at line (\d+)", message)
    lines = text.split("\n")
    if location is None or int(location[1]) > len(lines):
        return f"it is not valid TOML: {message}"
    number = int(location[1])
    line = lines[number - 1].strip()
    if "overwrite" in message or "twice" in message:
        key = line.partition("=")[0].strip().strip("[]") or line
        return f"'{key}' is given twice (line {number})"
    return f"line {number} is not valid TOML: {message.partition(' (at')[0]}"


# --- validation


def _checked(section: Mapping[str, Any], shown: str) -> dict[str, dict[str, Any]]:
    values = {"": _keys({key: value for key, value in section.items() if key not in COMMANDS}, shown, "")}
    for command in COMMANDS:
        if command in section:
            if not isinstance(section[command], dict):
                raise RocscopeError(f"{shown}: '{command}' must be a table [{command}], not {_kind(section[command])}")
            values[command] = _keys(section[command], shown, f"{command}.")
    return values


def _keys(section: Mapping[str, Any], shown: str, before: str) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for written, value in section.items():
        key = written.replace("_", "-")
        if key not in KINDS:
            raise RocscopeError(f"{shown}: there is no key '{before}{written}'", hint=_instead(key, before))
        if key in values:
            raise RocscopeError(f"{shown}: '{before}{key}' is given twice")
        if not _fits(value, KINDS[key]):
            raise RocscopeError(f"{shown}: '{before}{written}' must be {_KIND_NAMES[KINDS[key]]}, not {_kind(value)}")
        values[key] = value
    return values


def _instead(key: str, before: str) -> str:
    """A suggestion for an unknown key."""
    from rocscope.cli import COMMANDS

    if key in ON_THE_LINE:
        return f"--{key} can be given only on the command line"
    if not before and key in COMMANDS:
        return f"rocscope {key} takes no defaults from a file; only {', '.join(COMMANDS)} do"
    return did_you_mean(key, [*KINDS, *(COMMANDS if not before else ())], cutoff=0.75)


def _fits(value: Any, kind: str) -> bool:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    return {
        "text": isinstance(value, str),
        "path": isinstance(value, str) and bool(value),
        "texts": isinstance(value, str) or (isinstance(value, list) and all(isinstance(item, str) for item in value)),
        "label": isinstance(value, str | int | float),
        "number": number,
        "whole": number and isinstance(value, int),
        "flag": isinstance(value, bool),
    }[kind]


def _kind(value: Any) -> str:
    names = {bool: "true or false", int: "a number", float: "a number", str: "text", list: "a list", dict: "a table"}
    return names.get(type(value), "a date or time")
