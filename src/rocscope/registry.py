"""Declarations by name: measures, statistics, threshold rules, intervals, tests and plans each have one registry."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from types import MappingProxyType
from typing import Any, Generic, TypeVar

from rocscope.errors import RocscopeError, did_you_mean

Entry = TypeVar("Entry")


class Registry(Generic[Entry]):
    """Entries of one kind, found by name or alias; case, spaces, hyphens and underscores do not matter.

    >>> fruit = Registry[int]("fruit")
    >>> fruit.declare("red-apple", 1, aka=("apple",))
    1
    >>> fruit.find("Red apple"), fruit.find("apple"), list(fruit.catalog())
    (1, 1, ['red-apple'])
    >>> fruit.find("aple")
    Traceback (most recent call last):
    rocscope.errors.RocscopeError: there is no fruit 'aple'. Did you mean 'apple'?
    """

    def __init__(self, kind: str, *, suffix: str = "") -> None:
        self.kind, self.suffix = kind, suffix
        self._entries: dict[str, Entry] = {}
        self._names: dict[str, Entry] = {}
        self._owners: dict[str, tuple[str, str]] = {}  # normalized name -> (name of the entry, where it was declared)

    def declare(
        self, name: str, entry: Entry, *, aka: tuple[str, ...] = (), function: Callable[..., object] | None = None
    ) -> Entry:
        """Add an entry; `function` is the function it describes, so that a reloaded module may declare it again."""
        owner = (name, getattr(function, "__qualname__", ""))
        for each in (name, *aka):
            known = self._owners.get(_folded(each), owner)
            if known[0] != name:
                raise RocscopeError(f"{self.kind} '{each}' names both {known[0]} and {name}")
            if known[1] != owner[1] or (each in self._names and not owner[1]):
                raise RocscopeError(f"{self.kind} '{each}'{self.suffix} is declared twice", hint="Choose another name")
        for each in (name, *aka):
            self._owners[_folded(each)], self._names[each] = owner, entry
        self._entries[name] = entry
        return entry

    def find(self, name: str) -> Entry:
        """The entry with that name or alias; an error suggests a similar name."""
        entry = self.look_up(name)
        if entry is None:
            hint = did_you_mean(name, self._names)
            raise RocscopeError(f"there is no {self.kind} '{name}'{self.suffix}", hint=hint)
        return entry

    def look_up(self, name: str) -> Entry | None:
        """The entry with that name or alias; None if there is none or if the name is not text."""
        if not isinstance(name, str):
            raise RocscopeError(f"there is no {self.kind} {name!r}", hint=f"Give the name of a {self.kind}, as text")
        if name in self._names:
            return self._names[name]
        owner = self._owners.get(_folded(name))
        return None if owner is None else self._entries[owner[0]]

    def catalog(self) -> Mapping[str, Entry]:
        """Every entry by its name, read-only and in the order of declaration."""
        return MappingProxyType(self._entries)

    def names(self) -> Mapping[str, Entry]:
        """Every name and alias with its entry, read-only."""
        return MappingProxyType(self._names)


def _folded(name: str) -> str:
    return name.strip().lower().replace(" ", "_").replace("-", "_")


def on_first_use(package: str, homes: Mapping[str, str]) -> Callable[[str], Any]:
    """`__getattr__` of a package whose names are loaded when they are first asked for: module -> "name name".

    A command pays for what it uses. The twin for type checkers is the package's block under TYPE_CHECKING; a test holds
    the two together.
    """
    modules = {name: module for module, names in homes.items() for name in names.split()}

    def loaded(name: str) -> Any:
        if name not in modules:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value = getattr(import_module(f"{package}.{modules[name]}"), name)
        setattr(sys.modules[package], name, value)
        return value

    return loaded
