"""Tests by name: `@difference("mcnemar", takes=...)` on a function declares one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, TypeVar

from rocscope.errors import RocscopeError, did_you_mean

Function = TypeVar("Function", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True)
class Declared:
    """One declared test: its name, the input it takes, its function, its words."""

    name: str
    takes: str
    run: Callable[..., Any]
    says: str
    cite: str
    caveat: str


_DECLARED: dict[str, Declared] = {}


def difference(
    name: str, *, takes: str, says: str = "", cite: str = "", caveat: str = ""
) -> Callable[[Function], Function]:
    """Declare the function below as the test `name`; `takes` says what it reads ("fold differences", ...).

    >>> catalogue()["mcnemar"].takes
    'discordant counts'
    """

    def declare(function: Function) -> Function:
        known = _DECLARED.get(name)
        if known and known.run.__qualname__ != function.__qualname__:  # the same one again is a reload
            raise RocscopeError(f"test '{name}' is declared twice", hint="Choose another name")
        _DECLARED[name] = Declared(name, takes, function, says, cite, caveat)
        return function

    return declare


def catalogue() -> Mapping[str, Declared]:
    """Every declared test by name, read-only and in the order of declaration.

    >>> "corrected-t" in catalogue()
    True
    """
    return MappingProxyType(_DECLARED)


def find(name: str) -> Declared:
    """The declared test of that name (underscores are hyphens), or an error that names the near ones.

    >>> find("corrected_t").name
    'corrected-t'
    """
    spelled = name.lower().replace("_", "-")
    if spelled not in _DECLARED:
        raise RocscopeError(f"no test '{name}'", hint=did_you_mean(spelled, _DECLARED))
    return _DECLARED[spelled]
