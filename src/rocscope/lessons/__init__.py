"""Lessons: the worked examples of the founding documents with their right answers, concepts, traces, exercises.

>>> example("fawcett").title
"Fawcett's twenty instances"
>>> concept("hull").name
'hull'
>>> roc_trace([1, 0, 1, 1, 0], [0.9, 0.8, 0.8, 0.8, 0.1])[-1].area
Fraction(5, 6)
"""

from rocscope.lessons.asks import agrees, compute
from rocscope.lessons.concepts import concept, concepts
from rocscope.lessons.coverage import MISSION_ITEMS
from rocscope.lessons.errata import ERRATA, errata, erratum
from rocscope.lessons.examples import example, examples
from rocscope.lessons.exercises import Exercise, exercise, kinds
from rocscope.lessons.questions import question, questions
from rocscope.lessons.records import Answer, Concept, Erratum, Example, Question
from rocscope.lessons.shapes import Shape, shape, shapes
from rocscope.lessons.traces import (
    HullStep,
    HullTrace,
    MatrixRow,
    RocRow,
    hull_trace,
    matrices_trace,
    roc_trace,
    table_trace,
)

__all__ = [
    "ERRATA",
    "MISSION_ITEMS",
    "Answer",
    "Concept",
    "Erratum",
    "Example",
    "Exercise",
    "HullStep",
    "HullTrace",
    "MatrixRow",
    "Question",
    "RocRow",
    "Shape",
    "agrees",
    "compute",
    "concept",
    "concepts",
    "errata",
    "erratum",
    "example",
    "examples",
    "exercise",
    "hull_trace",
    "kinds",
    "matrices_trace",
    "question",
    "questions",
    "roc_trace",
    "shape",
    "shapes",
    "table_trace",
]
