"""The facts about measures, curves, statistics, concepts and questions, as text and as plain data."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, TypeAlias

import rocscope as rs
from rocscope.text import trimmed

if TYPE_CHECKING:
    from rocscope.curves import Reading
    from rocscope.lessons import Concept, Question
    from rocscope.measures import Measure

Entry: TypeAlias = "Measure | Reading"  # an entry of the catalog
DECLARED = ("low", "high", "best", "chance", "says", "prefer", "cite")


def end_words(value: float) -> str:
    """The end of a range as text.

    >>> end_words(1.0), end_words(-math.inf), end_words(1.4142135)
    ('1', '-inf', '1.4142')
    """
    return ("-inf" if value < 0 else "inf") if math.isinf(value) else trimmed(value)


def range_words(low: float, high: float, best: float | None) -> str:
    """A range and its best value in words.

    >>> range_words(0.0, 1.0, 1.0), range_words(0.0, math.inf, None)
    ('0 to 1, best 1', '0 to inf')
    """
    words = f"{end_words(low)} to {end_words(high)}"
    return words if best is None else f"{words}, best {end_words(best)}"


def entry_dict(entry: Entry) -> dict[str, Any]:
    """The declaration of a measure, a curve or a statistic."""
    if isinstance(entry, rs.measures.Measure):
        facts = _picked(entry, "name", "title", "group", "aka", "formula", "latex", *DECLARED)
        return facts | {"formula": entry.text}
    drawn = ("x", "y", "columns") if entry.kind == "curve" else ()
    names = ("name", "kind", "title", "aka", "formula", "latex", *DECLARED, "needs_probabilities", *drawn)
    return _picked(entry, *names)


def concept_dict(concept: Concept) -> dict[str, Any]:
    """The content of a concept."""
    return _picked(concept, "name", "aka", "says", "formula", "pitfall", "use", "examples")


def question_dict(question: Question) -> dict[str, Any]:
    """A question and its answer."""
    return _picked(question, "name", "question", "answer")


def _picked(entry: Any, *names: str) -> dict[str, Any]:
    values = {name: getattr(entry, name) for name in names}
    return {name: list(value) if isinstance(value, tuple) else value for name, value in values.items()}
