"""Write src/rocscope/names.pyi anew from the catalogue: one typed attribute per measure name and alias."""

from __future__ import annotations

from keyword import iskeyword
from pathlib import Path

from rocscope import measures

TARGET = Path(__file__).parent.parent / "src" / "rocscope" / "names.pyi"

HEAD = '''"""Generated from the catalogue by tools/names.py: do not edit."""

from typing import Any

from rocscope.errors import RocscopeError
from rocscope.measures import Measure

class UnknownName(RocscopeError, AttributeError): ...

class MeasureNames:
    def _measured(self, measure: Measure) -> Any: ...
    def value(self, name: str) -> Any: ...
'''

# Fields and methods of the heirs that are also catalogue names: there the heir's own one is meant.
OWN = {"support"}


def stub() -> str:
    """The text of names.pyi."""
    lines = [HEAD]
    for measure in measures.catalogue():
        for name in (measure.name, *measure.aka):
            if name.isidentifier() and not iskeyword(name) and name not in OWN and name not in ("tp", "fp", "fn", "tn"):
                lines.append(f"    @property\n    def {name}(self) -> Any: ...\n")
    return "".join(lines)


if __name__ == "__main__":
    TARGET.write_text(stub(), encoding="utf-8")
