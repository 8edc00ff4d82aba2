"""Every catalog name and alias as an attribute: measures of Counts and Confusion, statistics of ScoreTable.

`names.pyi` beside this file is generated from the catalogs by tools/names.py, so that editors complete `c.prec...`
and type checkers flag `c.precison`; at run time one look-up serves all names.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from rocscope import measures
from rocscope.errors import RocscopeError
from rocscope.measures import Measure


class UnknownName(RocscopeError, AttributeError):
    """An attribute that is neither a field nor a name of the catalog."""


class MeasureNames:
    """Gives subclasses one attribute per measure; `_measured` says how they compute one."""

    __slots__ = ()

    def _measured(self, measure: Measure) -> Any:
        raise NotImplementedError

    def value(self, name: str) -> Any:
        """The value of any measure by name or alias, including F-beta for any beta ("f0.5")."""
        return self._measured(measures.get(name))

    def __getattr__(self, name: str) -> Any:
        return self._measured(_named(self, name, measures.get))

    def __dir__(self) -> list[str]:
        """The names that a console or a notebook completes."""
        return sorted({*super().__dir__(), *filter(str.isidentifier, measures.names())})


class StatisticNames:
    """Gives subclasses one attribute per statistic; `_statistic` finds the statistic of a name."""

    __slots__ = ()

    def _statistic(self, name: str) -> Any:
        raise NotImplementedError

    def _statistic_names(self) -> Iterable[str]:
        raise NotImplementedError

    def value(self, name: str, **options: Any) -> float:
        """The value of any statistic by name or alias, with the options it takes; NaN where it is undefined."""
        statistic = self._statistic(name)
        return float(statistic(self, **statistic.checked(options)))

    def __getattr__(self, name: str) -> Any:
        statistic = _named(self, name, self._statistic)
        if statistic.required:
            raise UnknownName(f"{name} needs {' and '.join(statistic.required)}", hint=f"Write {statistic.example}")
        return float(statistic(self))

    def __dir__(self) -> list[str]:
        """The names that a console or a notebook completes."""
        return sorted({*super().__dir__(), *filter(str.isidentifier, self._statistic_names())})


def _named(owner: object, name: str, find: Callable[[str], Any]) -> Any:
    """What the catalog has under an attribute's name, or an error that suggests a near one."""
    if name.startswith("_"):  # copy and display protocols probe for private names
        raise AttributeError(name)
    try:
        return find(name)
    except RocscopeError as error:
        raise UnknownName(f"{type(owner).__name__} has no '{name}'", hint=error.hint) from None
