"""The names of all pictures, and the error for any other name."""

from __future__ import annotations

import difflib
from collections.abc import Sequence

from rocscope import curves, measures
from rocscope.errors import RocscopeError


def curve_names() -> list[str]:
    """The names of the curves that can be drawn.

    >>> "roc" in curve_names(), "auc" in curve_names()
    (True, False)
    """
    return [statistic.name for statistic in curves.catalog() if statistic.kind == "curve"]


def title_of(name: str) -> str:
    """The title of a measure, a curve or a statistic."""
    return measures.get(name).title if name in measures.names() else curves.get(name).title


def unknown(kind: object, kinds: Sequence[str], *, of: str, also: str, elsewhere: str = "") -> RocscopeError:
    """Create the error for a picture that does not exist: it suggests a similar name and lists the pictures.

    `also` states what else can be drawn by name, and `elsewhere` where the requested picture can be found.

    >>> str(unknown("time", ["hull", "strip"], of="several models", also="any measure"))
    "there is no figure 'time' for several models. There are hull, strip, and any measure"
    """
    name = str(kind).strip().lower().replace("-", "_").replace(" ", "_")
    # suggest a measure only if it is a close match: there are so many that a loose match always exists
    near = difflib.get_close_matches(name, kinds, n=1, cutoff=0.6) or difflib.get_close_matches(
        name, measures.names(), n=1, cutoff=0.75
    )
    first = elsewhere or (f"Did you mean '{near[0]}'?" if near else "")
    hint = f"{first} There are {', '.join(kinds)}, and {also}".strip()
    return RocscopeError(f"there is no figure '{kind}' for {of}", hint=hint)
