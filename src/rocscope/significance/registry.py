"""Tests by name: `@difference("mcnemar", takes=...)` on a function declares one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from rocscope.registry import Registry

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


_DECLARED = Registry[Declared]("test")


def difference(
    name: str, *, takes: str, says: str = "", cite: str = "", caveat: str = ""
) -> Callable[[Function], Function]:
    """Declare the function below as the test `name`; `takes` says what it reads ("fold differences", ...).

    >>> catalogue()["mcnemar"].takes
    'discordant counts'
    """

    def declare(function: Function) -> Function:
        _DECLARED.declare(name, Declared(name, takes, function, says, cite, caveat), function=function)
        return function

    return declare


def catalogue() -> Mapping[str, Declared]:
    """Every declared test by name, read-only and in the order of declaration.

    >>> "corrected-t" in catalogue()
    True
    """
    return _DECLARED.catalogue()


def find(name: str) -> Declared:
    """The declared test of that name (underscores are hyphens), or an error that names the near ones.

    >>> find("corrected_t").name
    'corrected-t'
    """
    return _DECLARED.find(name)
