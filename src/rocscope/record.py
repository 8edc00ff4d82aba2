"""Frozen records: `@record` is `@dataclass(frozen=True)` whose methods are written when they are first used.

A dataclass compiles its methods while its module loads, half a millisecond for each class; for the more than one
hundred classes that a command loads but never instantiates, this was half of the time it took to start. A record has
the fields of a dataclass (`fields`, `replace`, `asdict` and `match` work with it) and the same signature, hash and
printed form. Equality also compares the fields, but arrays element by element, and NaN equals NaN.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import MISSING, Field, FrozenInstanceError, dataclass, field, fields
from operator import attrgetter
from reprlib import recursive_repr
from typing import Any, TypeVar, dataclass_transform, overload

__all__ = ["record"]

T = TypeVar("T")


class _Factory:
    """Stands in a signature for a value that is made anew for each object."""

    def __repr__(self) -> str:
        return "<factory>"


_FACTORY = _Factory()


class _Method:
    """A method that is written when it is first looked up, and takes this one's place in its class."""

    def __init__(self, home: type, name: str, write: Callable[[type], Callable[..., Any]]) -> None:
        self.home, self.name, self.write = home, name, write

    def __get__(self, instance: object, owner: type) -> Any:
        method = self.write(self.home)
        method.__name__, method.__qualname__ = self.name, f"{self.home.__qualname__}.{self.name}"
        method.__module__ = self.home.__module__
        setattr(self.home, self.name, method)
        return method.__get__(instance, owner)


def _initializer(home: type) -> Callable[..., Any]:
    """`__init__`: a parameter for each field, then `__post_init__` where there is one."""
    known: dict[str, Any] = {"_put": object.__setattr__, "_FACTORY": _FACTORY}
    given = [item for item in fields(home) if item.init]
    parameters = [_parameter(item, known) for item in given if not item.kw_only]
    named = [_parameter(item, known) for item in given if item.kw_only]
    lines = [_assignment(item, known) for item in fields(home)]
    if hasattr(home, "__post_init__"):
        lines.append(" self.__post_init__()")
    signature = ", ".join(["self", *parameters, *(["*", *named] if named else [])])
    exec("\n".join([f"def __init__({signature}):", *filter(None, lines), " pass"]), known)
    method: Callable[..., Any] = known["__init__"]
    method.__annotations__ = {**{item.name: item.type for item in given}, "return": None}
    return method


def _parameter(item: Field[Any], known: dict[str, Any]) -> str:
    if item.default_factory is not MISSING:
        return f"{item.name}=_FACTORY"
    if item.default is MISSING:
        return item.name
    known[f"_default_{item.name}"] = item.default
    return f"{item.name}=_default_{item.name}"


def _assignment(item: Field[Any], known: dict[str, Any]) -> str:
    value = item.name if item.init else ""
    if item.default_factory is not MISSING:
        known[f"_make_{item.name}"] = item.default_factory
        factory = f"_make_{item.name}()"
        value = f"{factory} if {value} is _FACTORY else {value}" if value else factory
    return f" _put(self, {item.name!r}, {value})" if value else ""


def _compared(home: type) -> Callable[[Any], tuple[Any, ...]]:
    """What equality and hash look at: the fields of an object, as a tuple."""
    names = [item.name for item in fields(home) if item.compare]
    if len(names) > 1:
        return attrgetter(*names)
    return lambda instance: tuple(getattr(instance, name) for name in names)


def _equality(home: type) -> Callable[..., Any]:
    values = _compared(home)

    def equal(self: object, other: object) -> Any:
        return _same(values(self), values(other)) if other.__class__ is self.__class__ else NotImplemented

    return equal


def _same(first: Any, second: Any) -> bool:
    """Whether two values are equal, arrays within them element by element; NaN is equal to NaN, as in a copy."""
    if first is second:
        return True
    if isinstance(first, list | tuple) and type(first) is type(second):
        return len(first) == len(second) and all(map(_same, first, second))
    if isinstance(first, Mapping) and isinstance(second, Mapping):
        return first.keys() == second.keys() and all(_same(first[name], second[name]) for name in first)
    shape = getattr(first, "shape", ())
    if shape != getattr(second, "shape", ()):
        return False
    if shape:
        return bool(((first == second) | ((first != first) & (second != second))).all())
    return bool(first == second) or (isinstance(first, float) and first != first and second != second)


def _hash(home: type) -> Callable[..., Any]:
    values = _compared(home)
    return lambda self: hash(values(self))


@recursive_repr()
def _printed(self: Any) -> str:
    shown = (f"{item.name}={getattr(self, item.name)!r}" for item in fields(self) if item.repr)
    return f"{self.__class__.__qualname__}({', '.join(shown)})"


def _refuse_assignment(self: object, name: str, value: object) -> None:
    raise FrozenInstanceError(f"cannot assign to field {name!r}")


def _refuse_deletion(self: object, name: str) -> None:
    raise FrozenInstanceError(f"cannot delete field {name!r}")


def _state(self: Any) -> list[Any]:
    return [getattr(self, item.name) for item in fields(self)]


def _restore(self: Any, state: list[Any]) -> None:
    for item, value in zip(fields(self), state, strict=True):
        object.__setattr__(self, item.name, value)


def _completed(home: type, eq: bool, repr: bool, slots: bool) -> type:
    """A class with the methods of a record, but for those that it defines itself."""
    own = home.__dict__
    hashed = own.get("__hash__") is not None or ("__hash__" in own and "__eq__" not in own)
    methods: dict[str, Any] = {"__setattr__": _refuse_assignment, "__delattr__": _refuse_deletion}
    methods["__init__"] = _Method(home, "__init__", _initializer)
    if repr:
        methods["__repr__"] = _printed
    if eq:
        methods["__eq__"] = _Method(home, "__eq__", _equality)
    if slots and "__getstate__" not in own:  # Python restores slots by assignment, which records do not allow
        methods["__getstate__"], methods["__setstate__"] = _state, _restore
    for name, method in methods.items():
        if name not in own:
            setattr(home, name, method)
    if eq and not hashed:
        setattr(home, "__hash__", _Method(home, "__hash__", _hash))  # noqa: B010 - mypy refuses the assignment
    return home


@overload
def record(home: type[T]) -> type[T]: ...
@overload
def record(*, eq: bool = True, repr: bool = True, slots: bool = False) -> Callable[[type[T]], type[T]]: ...


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def record(home: type | None = None, *, eq: bool = True, repr: bool = True, slots: bool = False) -> Any:
    """Convert the class to a frozen dataclass, with `@record` or `@record(slots=True)`.

    >>> @record
    ... class Point:
    ...     x: float
    ...     y: float = 0.0
    >>> Point(1.0)
    Point(x=1.0, y=0.0)
    """
    if home is None:
        return lambda decorated: record(decorated, eq=eq, repr=repr, slots=slots)  # type: ignore[call-overload]
    declared: type = dataclass(init=False, repr=False, eq=False, slots=slots)(home)
    return _completed(declared, eq, repr, slots)
