"""The facts of measures, curves and concepts: in words, and as parts of a document."""

from __future__ import annotations

import math
from typing import Any

from rocscope.curves import Reading
from rocscope.lessons import Concept
from rocscope.measures import Measure
from rocscope.text import trimmed


def end_words(value: float) -> str:
    """An end of a range.

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


def measure_dict(measure: Measure) -> dict[str, Any]:
    """All that is declared of a measure."""
    return {
        "name": measure.name,
        "title": measure.title,
        "group": measure.group,
        "aka": list(measure.aka),
        "formula": measure.text,
        "latex": measure.latex,
        "low": measure.low,
        "high": measure.high,
        "best": measure.best,
        "chance": measure.chance,
        "says": measure.says,
        "prefer": measure.prefer,
        "cite": measure.cite,
    }


def curve_dict(reading: Reading) -> dict[str, Any]:
    """All that is declared of a curve or a statistic."""
    drawn = {"x": reading.x, "y": reading.y, "columns": list(reading.columns)} if reading.kind == "curve" else {}
    return {
        "name": reading.name,
        "kind": reading.kind,
        "title": reading.title,
        "aka": list(reading.aka),
        "formula": reading.formula,
        "latex": reading.latex,
        "low": reading.low,
        "high": reading.high,
        "best": reading.best,
        "chance": reading.chance,
        "says": reading.says,
        "prefer": reading.prefer,
        "cite": reading.cite,
        "needs_probabilities": reading.needs_probabilities,
        **drawn,
    }


def concept_dict(concept: Concept) -> dict[str, Any]:
    """All that a concept says."""
    return {
        "name": concept.name,
        "aka": list(concept.aka),
        "says": concept.says,
        "formula": concept.formula,
        "pitfall": concept.pitfall,
        "use": list(concept.use),
        "examples": list(concept.examples),
    }
