"""Interval methods by name: `@interval("wilson", fits="proportion")` declares a function as one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from rocscope.record import record
from rocscope.registry import Registry

Function = TypeVar("Function", bound=Callable[..., Any])


@record(slots=True)
class IntervalMethod:
    """A declared method: its name, the quantity ("proportion", "auc", ...), its function and its description."""

    name: str
    fits: str
    limits: Callable[..., Any]
    says: str
    cite: str
    caveat: str


_FAMILIES: dict[str, Registry[IntervalMethod]] = {}


def interval(
    name: str, *, fits: str, says: str = "", cite: str = "", caveat: str = ""
) -> Callable[[Function], Function]:
    """Declare the decorated function as the interval method `name` for the quantity named by `fits`.

    A `caveat` becomes the `why` of every estimate that the method produces.

    >>> methods("proportion")["wilson"].cite
    'Wilson, J Am Stat Assoc 1927;22:209-212'
    """

    def declare(function: Function) -> Function:
        _family(fits).declare(name, IntervalMethod(name, fits, function, says, cite, caveat), function=function)
        return function

    return declare


def methods(fits: str) -> Mapping[str, IntervalMethod]:
    """The declared methods for a quantity, by name, read-only and in the order of declaration.

    >>> "clopper-pearson" in methods("proportion")
    True
    """
    return _family(fits).catalog()


def find(name: str, *, fits: str) -> IntervalMethod:
    """The declared method with that name; an error suggests similar names.

    >>> find("wison", fits="proportion")
    Traceback (most recent call last):
    rocscope.errors.RocscopeError: there is no interval 'wison' for proportion. Did you mean 'wilson'?
    """
    return _family(fits).find(name)


def _family(fits: str) -> Registry[IntervalMethod]:
    return _FAMILIES.setdefault(fits, Registry("interval", suffix=f" for {fits}"))
