"""The texts of the lessons by name: concepts, worked examples, questions, errata and shapes, read from `data/*.toml`.

>>> concept("LOO").name
'leave-one-out'
>>> [a.text for a in example("dogs").answers][3]
'precision = 5/8 = 0.625'
>>> question("short 8").answer.split(":")[0]
'The area under the ROC curve'
>>> print(erratum(2))
E2 (notes after Zaki & Meira, Data Mining and Analysis, ch. 22): printed n_ii/m_ii; correct: n_ii/m_i

A file is a list of tables, one for each record of `records.py`, with its fields as keys; a text "7/12" is a fraction.
An unknown or missing field, a value of the wrong type or a name that is used twice is refused when the file is read.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import MISSING, fields
from fractions import Fraction
from functools import cache
from importlib.resources import files
from types import MappingProxyType
from typing import Any, TypeVar

from rocscope.errors import RocscopeError
from rocscope.lessons.records import Answer, Concept, Erratum, Example, Question, Shape, answer, pick
from rocscope.text import plain_name

Record = TypeVar("Record", Concept, Example, Question, Erratum, Shape)
FRACTION = re.compile(r"-?\d+/\d+")


# ---- parsing ----


def _records(kind: type[Record], file: str) -> tuple[Record, ...]:
    """The records of a file, checked against the fields of their kind."""
    name = kind.__name__.lower()
    tables = tomllib.loads((files("rocscope.lessons") / "data" / file).read_text("utf-8"))
    if list(tables) != [name]:
        raise RocscopeError(f"{file}: tables [[{name}]] are expected, not {', '.join(tables)}")
    return tuple(record(kind, table) for table in tables[name])


def record(kind: type[Record], table: Mapping[str, Any]) -> Record:
    """Create a record from its table; an error names the field that is invalid.

    >>> record(Erratum, {"number": 1, "where": "p. 3", "printed": "2", "right": "3"}).right
    '3'
    >>> record(Erratum, {"number": 1, "where": "p. 3", "printed": "2"})
    Traceback (most recent call last):
    rocscope.errors.RocscopeError: erratum 1: 'right' is missing
    """
    known = {declared.name: declared for declared in fields(kind)}
    shown = f"{kind.__name__.lower()} {table.get('name', table.get('number', '?'))}"
    for name in table.keys() - known.keys():
        raise RocscopeError(f"{shown}: there is no field '{name}'")
    for name, field in known.items():
        if name not in table and field.default is MISSING and name != "data":
            raise RocscopeError(f"{shown}: '{name}' is missing")
    return kind(**dict(_read(kind, shown, {"data": {}, **table} if kind is Example else table)))


def _read(kind: type[Any], shown: str, table: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    types = {field.name: str(field.type) for field in fields(kind)}
    for name, value in table.items():
        if name == "answers":
            yield name, tuple(_answer(shown, item) for item in value)
        elif name in ("data", "models"):
            yield name, _frozen(value)
        elif name == "value":
            yield name, _value(value)
        else:
            expected = {"str": str, "int": int}.get(types[name], list)
            if not isinstance(value, expected) or isinstance(value, bool):
                raise RocscopeError(f"{shown}: '{name}' is {value!r}, not {types[name]}")
            yield name, tuple(value) if isinstance(value, list) else value


def _answer(shown: str, table: Mapping[str, Any]) -> Answer:
    if not {"ask", "value"} <= table.keys() <= {"ask", "value", "text"}:
        raise RocscopeError(f"{shown}: an answer has ask, value and perhaps text, not {', '.join(table)}")
    return answer(table["ask"], _value(table["value"]), table.get("text", ""))


def _value(value: Any) -> Any:
    """A value as it is compared: lists as tuples, "7/12" as a fraction."""
    if isinstance(value, list):
        return tuple(_value(item) for item in value)
    return Fraction(value) if isinstance(value, str) and FRACTION.fullmatch(value) else value


def _frozen(value: Any) -> Any:
    """Data that cannot be changed."""
    if isinstance(value, dict):
        return MappingProxyType({name: _frozen(item) for name, item in value.items()})
    return tuple(_frozen(item) for item in value) if isinstance(value, list) else value


def _named(records: tuple[Any, ...], *, folded: bool = False) -> Mapping[str, Any]:
    """Records by their names and aliases; a name that is used twice is refused."""
    by_name: dict[str, Any] = {}
    for entry in records:
        for name in (entry.name, *getattr(entry, "aka", ())):
            key = plain_name(name) if folded else name
            if by_name.setdefault(key, entry) is not entry:
                raise RocscopeError(f"two lessons are named '{name}'")
    return MappingProxyType(by_name)


# ---- lookup ----


@cache
def concepts() -> tuple[Concept, ...]:
    """All concepts, in reading order.

    >>> concepts()[0].name
    'evaluation'
    """
    return _records(Concept, "concepts.toml")


@cache
def _concepts_by_name() -> Mapping[str, Concept]:
    return _named(concepts(), folded=True)


def concept(name: str) -> Concept:
    """The concept with that name or alias; hyphens, blanks and case do not matter.

    >>> concept("roc_convex_hull").name
    'hull'
    >>> concept("5x3")
    Traceback (most recent call last):
    rocscope.errors.RocscopeError: there is no concept named '5x3'. Did you mean '5x2'?
    """
    known, key = _concepts_by_name(), plain_name(name)
    matched: Concept = known[key] if key in known else pick(name, known, "concept")
    return matched


@cache
def examples() -> tuple[Example, ...]:
    """All worked examples, in the order of their sources.

    >>> examples()[1].name
    'eight-wrong'
    """
    return _records(Example, "examples.toml")


def example(name: str) -> Example:
    """The worked example with that name.

    >>> example("flu").title
    'A flu test for ten thousand'
    >>> example("irsi")
    Traceback (most recent call last):
    rocscope.errors.RocscopeError: there is no example named 'irsi'. Did you mean 'iris'?
    """
    matched: Example = pick(name, _named(examples()), "example")
    return matched


@cache
def questions() -> tuple[Question, ...]:
    """All questions: short, long, problems and quizzes.

    >>> len([one for one in questions() if one.kind == "long"])
    7
    """
    return _records(Question, "questions.toml")


def question(name: str) -> Question:
    """The question with that name.

    >>> question("long 6").answer[:5]
    '0.92.'
    """
    matched: Question = pick(name, _named(questions()), "question")
    return matched


@cache
def errata() -> tuple[Erratum, ...]:
    """All errata in order of their numbers.

    >>> len(errata()), errata()[8].right
    (54, '2*(5/8)*(5/12)/(5/8+5/12) = 1/2')
    """
    return _records(Erratum, "errata.toml")


def erratum(number: int) -> Erratum:
    """The erratum with that number, as cited in the examples and concepts.

    >>> erratum(1).where
    'notes after Zaki & Meira, Data Mining and Analysis, ch. 22'
    """
    known = errata()
    if not 1 <= number <= len(known):
        raise RocscopeError(f"there is no erratum {number}; errata are numbered from 1 to {len(known)}")
    return known[number - 1]


@cache
def shapes() -> tuple[Shape, ...]:
    """Small fixed data sets, each showing a shape of ROC curve; the four from the source texts come first.

    >>> [one.name for one in shapes()][:4]
    ['good', 'fairly poor', 'reasonable', 'poor']
    """
    return _records(Shape, "shapes.toml")


def shape(name: str) -> Shape:
    """The shape with that name.

    >>> shape("perfect").cases()[0]
    (1, 1, 1, 1, 1, 0, 0, 0, 0, 0)
    """
    matched: Shape = pick(name, _named(shapes()), "shape")
    return matched
