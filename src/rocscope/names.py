"""Every catalogue name and alias as an attribute.

`names.pyi` beside this file is generated from the catalogue (`make names`), so that editors complete
`c.prec...` and type checkers flag `c.precison`; at run time one look-up serves all names.
"""

from __future__ import annotations

from typing import Any

from rocscope import measures
from rocscope.errors import RocscopeError
from rocscope.measures import Measure


class UnknownName(RocscopeError, AttributeError):
    """An attribute that is neither a field nor a measure."""


class MeasureNames:
    """Gives its heirs one attribute per measure; an heir says in `_measured` how it reads one."""

    __slots__ = ()

    def _measured(self, measure: Measure) -> Any:
        raise NotImplementedError

    def value(self, name: str) -> Any:
        """The value of any measure by name or alias, also of F-beta for any beta ("f0.5")."""
        return self._measured(measures.get(name))

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):  # protocols of copying and display ask for names that are no measures
            raise AttributeError(name)
        try:
            found = measures.get(name)
        except RocscopeError as error:
            raise UnknownName(f"{type(self).__name__} has no '{name}'", hint=error.hint) from None
        return self._measured(found)
