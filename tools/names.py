"""Write src/rocscope/names.pyi anew from the catalogs: one typed attribute per name and alias."""

from __future__ import annotations

from collections.abc import Iterable
from keyword import iskeyword
from pathlib import Path

from rocscope import curves, measures

TARGET = Path(__file__).parent.parent / "src" / "rocscope" / "names.pyi"

HEAD = '''"""Generated from the catalogs by tools/names.py: do not edit."""

from typing import Any

from rocscope.errors import RocscopeError
from rocscope.measures import Measure

class UnknownName(RocscopeError, AttributeError): ...

class MeasureNames:
    def _measured(self, measure: Measure) -> Any: ...
    def value(self, name: str) -> Any: ...
'''

STATISTICS = """
class StatisticNames:
    def _statistic(self, name: str) -> Any: ...
    def value(self, name: str, **options: Any) -> float: ...
"""

# Fields and methods of the subclasses that are also catalog names: there the subclass's own one is meant.
OWN = {"support", "tp", "fp", "fn", "tn"}


def attributes(names: Iterable[str], kind: str) -> str:
    """One line per name that can be an attribute."""
    usable = [name for name in names if name.isidentifier() and not iskeyword(name) and name not in OWN]
    return "".join(f"    {name}: {kind}\n" for name in usable)


def stub() -> str:
    """The text of names.pyi."""
    of_counts = [name for one in measures.catalog() for name in (one.name, *one.aka)]
    alone = [one for one in curves.catalog() if one.kind == "statistic" and not one.required]
    of_tables = [name for one in alone for name in (one.name, *one.aka)]
    return HEAD + attributes(of_counts, "Any") + STATISTICS + attributes(of_tables, "float")


if __name__ == "__main__":
    TARGET.write_text(stub(), encoding="utf-8")
