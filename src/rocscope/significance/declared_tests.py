"""Tests by name: `@difference("mcnemar", takes=...)` declares a function as a test.

The input of a test determines where it can be requested: `compare(test=)` and `validate(...).compare()` offer the
tests for which their data and plan suffice (`TWO_SCORES`, `FOLDS`, ...), and refuse all others.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from inspect import signature
from typing import Any, TypeVar

from rocscope.errors import RocscopeError
from rocscope.record import record
from rocscope.registry import Registry

TWO_SCORES = "labels and two scores"  # function(y, a, b, *, level)
DISCORDANT = "discordant counts"  # function(only first correct, only second correct, *, level)
FOLDS = "fold differences"  # function(differences, *, level)
FOLDS_AND_SIZES = "fold differences, train and test sizes"  # function(differences, train, test, *, level)
FOLDS_AND_ROPE = "fold differences, train and test sizes, rope"  # function(differences, train, test, *, rope, level)
DISJOINT_PARTS = "differences over disjoint parts"  # function(differences, *, level)
HALVES = "5 x 2 differences"  # function(5 x 2 array, *, level)
ON_CASES = "a difference on the same cases, numbers of test and training cases"  # function(estimate, trained, tested)

Function = TypeVar("Function", bound=Callable[..., Any])


@record(slots=True)
class Declared:
    """A declared test: its name, its input, its function and its description."""

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
    """Declare the function below as the test `name`; `takes` describes its input ("fold differences", ...).

    >>> catalog()["mcnemar"].takes
    'discordant counts'
    """

    def declare(function: Function) -> Function:
        _DECLARED.declare(name, Declared(name, takes, function, says, cite, caveat), function=function)
        return function

    return declare


def catalog() -> Mapping[str, Declared]:
    """All declared tests by name, read-only and in the order of declaration.

    >>> "corrected-t" in catalog()
    True
    """
    return _DECLARED.catalog()


def find(name: str) -> Declared:
    """The declared test with that name (underscores count as hyphens); an error suggests similar names.

    >>> find("corrected_t").name
    'corrected-t'
    """
    return _DECLARED.find(name)


def fitting(name: str, offered: Collection[str], reason: str) -> Declared:
    """The declared test with that name if its input is available; otherwise an error with the reason.

    >>> fitting("delong", [TWO_SCORES], "").name
    'delong'
    >>> fitting("5x2-f", [FOLDS], "these are 10 folds")
    Traceback (most recent call last):
    rocscope.errors.RocscopeError: test '5x2-f' takes 5 x 2 differences; these are 10 folds. Tests that fit: naive-t
    """
    test = find(name)
    if set(test.takes.split(", or ")).isdisjoint(offered):
        fit = [
            declared.name
            for declared in catalog().values()
            if not set(declared.takes.split(", or ")).isdisjoint(offered)
        ]
        raise RocscopeError(
            f"test '{test.name}' takes {test.takes}; {reason}", hint=f"Tests that fit: {', '.join(fit)}"
        )
    return test


def run_on_scores(test: Declared, y: Any, a: Any, b: Any, **options: Any) -> Any:
    """Run a test of two scores on the same cases, with weights, clusters and other options that the test supports.

    >>> run_on_scores(find("delong"), [1, 0, 1, 0], [4, 1, 3, 2], [4, 1, 3, 2], level=0.9, clusters=None).p
    1.0
    """
    given = {name: value for name, value in options.items() if value is not None}
    known = signature(test.run).parameters
    for name in given.keys() - known.keys():
        if name != "level":
            raise RocscopeError(f"test '{test.name}' does not support {name}", hint="Use delong, which does")
    return test.run(y, a, b, **{name: value for name, value in given.items() if name in known})
