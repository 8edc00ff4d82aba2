"""Lessons: worked examples with their correct answers, concepts, questions, traces, exercises.

>>> example("fawcett").title
"Fawcett's twenty instances"
>>> concept("hull").name
'hull'
>>> from rocscope.lessons import roc_trace
>>> roc_trace([1, 0, 1, 1, 0], [0.9, 0.8, 0.8, 0.8, 0.1])[-1].area
Fraction(5, 6)

The texts are data (`data/*.toml`, read by `content.py`); code that computes is loaded when it is first used, so that
reading a concept loads no numerical library.
"""

from typing import TYPE_CHECKING

from rocscope.lessons.content import (
    concept,
    concepts,
    errata,
    erratum,
    example,
    examples,
    question,
    questions,
    shape,
    shapes,
)
from rocscope.lessons.records import Answer, Concept, Erratum, Example, Question, Shape, reading, show

_COMPUTING = {
    "computed_answers": ("agrees", "compute", "compute_data", "subject"),
    "exercises": ("Exercise", "exercise", "kinds"),
    "traces": (
        *("HullStep", "HullTrace", "MatrixRow", "PredictionRow", "RocRow"),
        *("hull_trace", "matrices_trace", "predictions_trace", "roc_trace",
          "table_matrices", "table_trace"),
    ),
}

if TYPE_CHECKING:
    from typing import Any

    from rocscope.lessons.computed_answers import agrees, compute, compute_data, subject
    from rocscope.lessons.exercises import Exercise, exercise, kinds
    from rocscope.lessons.traces import (
        HullStep,
        HullTrace,
        MatrixRow,
        PredictionRow,
        RocRow,
        hull_trace,
        matrices_trace,
        predictions_trace,
        roc_trace,
        table_matrices,
        table_trace,
    )
else:

    def __getattr__(name: str) -> "Any":
        """Load a computing name when it is first asked for (PEP 562)."""
        from importlib import import_module

        for module, names in _COMPUTING.items():
            if name in names:
                return getattr(import_module(f"rocscope.lessons.{module}"), name)
        raise AttributeError(f"module 'rocscope.lessons' has no attribute '{name}'")


__all__ = [
    "Answer", "Concept", "Erratum", "Example", "Exercise", "HullStep", "HullTrace", "MatrixRow", "PredictionRow",
    "Question", "RocRow", "Shape", "agrees", "compute", "compute_data", "concept", "concepts", "errata", "erratum",
    "example", "examples", "exercise", "hull_trace", "kinds", "matrices_trace", "predictions_trace", "question",
    "questions", "reading", "roc_trace", "shape", "shapes", "show", "subject", "table_matrices", "table_trace",
]  # fmt: skip
