"""One grammar for conditions, read by threshold rules and by gates: `recall >= 0.7 where fpr <= 0.1`.

condition   comparison ("and" comparison)* ["where" comparison ("and" comparison)*]
goal        name ["where" comparison ("and" comparison)*]
comparison  name (">=" | ">" | "<=" | "<" | "==") number, or the number first
name        a measure or alias (recall, ppv, f2, f0.5), or with dots what a gate resolves (auc.low)
number      0.7, 70 %, 1e-3
"""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Callable, Collection, Iterator, Mapping
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from rocscope import measures
from rocscope.decisions.criterion_of_counts import exact_along
from rocscope.errors import RocscopeError, did_you_mean
from rocscope.formula import constant
from rocscope.measures import Measure
from rocscope.numbers import decimal
from rocscope.record import record
from rocscope.table import Counts

LONGEST = 1000
MANY = 20_000  # maximum number of rows with a root or logarithm that are compared exactly, one by one
_TESTS: dict[str, Callable[[Any, Any], Any]] = {
    ">=": operator.ge,
    ">": operator.gt,
    "<=": operator.le,
    "<": operator.lt,
    "==": operator.eq,
}
_TURNED = {">=": "<=", ">": "<", "<=": ">=", "<": ">", "==": "=="}
_SPELLED = {"≥": ">=", "≤": "<="}
_TOKEN = re.compile(
    r"\s*(?:(?P<name>[A-Za-z_]\w*(?:\.\w+)*)|(?P<sign>[<>]=?|==?|!=|≥|≤)"
    r"|(?P<number>[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d{1,3})?(?:\s*%)?)|(?P<other>\S))",
    re.ASCII,
)


@record(slots=True)
class Requirement:
    """A comparison of a measure with a number."""

    name: str
    sign: str
    limit: Fraction
    shown: str

    def __str__(self) -> str:
        return f"{self.name} {self.sign} {self.shown}"

    def accepts(self, value: float) -> bool:
        """Whether a value meets the requirement; NaN does not. A float is read as the decimal that it prints as."""
        if value != value:
            return False
        finite = -math.inf < value < math.inf
        return bool(_TESTS[self.sign](decimal(value, self.name) if finite else value, self.limit))

    def holds(self, counts: Counts) -> Any:
        """Whether the requirement holds at a point (bool) or at each point of a curve (array); undefined values do not
        meet it.
        """
        measure = measures.get(self.name)
        values = measure.value(counts.cells)
        if isinstance(values, np.ndarray) and values.ndim:
            return self._holds_along(measure, counts, values)
        if all(isinstance(cell, int | Fraction) for cell in counts.cells.values()) and values == values:
            return self._at(measure, counts.cells)
        return bool(self._passes(np.asarray(values)))

    def along(self, cells: Mapping[str, Any]) -> Any:
        """Whether the requirement holds for float arrays of any shape, such as many resamples; undefined values do not
        meet it.
        """
        return self._passes(np.asarray(measures.get(self.name).value(cells)))

    def _at(self, measure: Measure, cells: dict[str, Any]) -> bool:
        """Whether it holds at whole or fractional cells: the exact fraction decides, what is irrational as rounded."""
        try:
            return bool(_TESTS[self.sign](measure.exact(cells), self.limit))
        except RocscopeError:
            return self.accepts(float(measure.value(cells)))

    def _passes(self, values: Any) -> Any:
        """Whether floats pass; what differs by rounding alone is equal."""
        limit = float(self.limit)
        with np.errstate(invalid="ignore"):
            gap = values - limit
        return _TESTS[self.sign](np.where(abs(gap) <= 1e-12 * max(1.0, abs(limit)), 0.0, gap), 0.0)

    def _holds_along(self, measure: Measure, counts: Counts, values: Any) -> Any:
        result = self._passes(values)
        cells = counts.cells
        if any(cell is None or cell.dtype == np.float64 for cell in cells.values()):
            return result
        limit = float(self.limit)
        with np.errstate(invalid="ignore"):
            close = np.flatnonzero(abs(values - limit) <= 1e-9 * max(1.0, abs(limit)))
        if close.size:  # too close for floating-point comparison
            result[close] = self._decided(measure, {name: cell[close] for name, cell in cells.items()}, values[close])
        return result

    def _decided(self, measure: Measure, cells: dict[str, Any], values: Any) -> Any:
        exact = None if measure.formula is None else exact_along(measure.formula, cells, many=MANY)
        if isinstance(exact, list):
            return [self.accepts(value) for value in exact]
        return self._passes(values) if exact is None else _TESTS[self.sign](exact.minus(constant(self.limit)).sign(), 0)


@record(slots=True)
class Condition:
    """A requirement, and (in `where`) the thresholds at which it is checked; created by `condition`.

    >>> rule = condition("recall >= 0.7 where fpr <= 10 %")
    >>> str(rule), rule.holds(Counts(tp=8, fp=2, fn=2, tn=18))
    ('recall >= 0.7 where fpr <= 10%', True)
    """

    require: tuple[Requirement, ...]
    where: tuple[Requirement, ...] = ()

    def __str__(self) -> str:
        sides = (" and ".join(map(str, side)) for side in (self.require, self.where) if side)
        return " where ".join(sides)

    @property
    def comparisons(self) -> tuple[Requirement, ...]:
        """All requirements, with those after `where` last."""
        return self.require + self.where

    @property
    def names(self) -> tuple[str, ...]:
        """The names that the condition mentions, in order and without repetition."""
        return tuple(dict.fromkeys(comparison.name for comparison in self.comparisons))

    def holds(self, counts: Counts) -> Any:
        """Whether all requirements hold at a point (bool), or at each point of a curve (array)."""
        parts = [comparison.holds(counts) for comparison in self.comparisons]
        return bool(all(parts)) if all(isinstance(part, bool) for part in parts) else np.logical_and.reduce(parts)

    def met(self, counts: Counts) -> bool:
        """Whether any point meets the requirement; with `where`, any of those thresholds."""
        return bool(np.any(self.holds(counts)))

    def accepts(self, resolve: Callable[[str], float]) -> bool:
        """Whether the values that `resolve` returns for the names meet all requirements."""
        return all(comparison.accepts(resolve(comparison.name)) for comparison in self.comparisons)


def condition(text: str | Condition, *, known: Collection[str] | None = None) -> Condition:
    """The condition stated in the text.

    Names are measures in the catalog. With `known`, those names are allowed too, and so are dotted names that begin
    with one of them or with a measure (auc.low, precision.low); the caller that passes `known` resolves them.

    >>> condition("precison >= 0.9")
    Traceback (most recent call last):
    ...
    rocscope.errors.RocscopeError: there is no measure 'precison' (in 'precison >= 0.9'). Did you mean 'precision'?
    """
    if isinstance(text, Condition):
        return text
    reader = _Reader(text, known)
    require = reader.comparisons()
    where = reader.comparisons() if reader.took("where") else ()
    reader.end()
    return Condition(require, where)


def goal(text: str) -> tuple[str, Condition | None]:
    """The goal and the condition in a text such as "recall where precision >= 0.9"; the goal is any single name.

    >>> goal("recall where precision >= 0.9")[0]
    'recall'
    """
    head, *tail = re.split(r"\swhere\s", text.strip(), maxsplit=1, flags=re.IGNORECASE)
    return head.strip(), condition(tail[0]) if tail else None


class _Token(NamedTuple):
    kind: str
    text: str


class _Reader:
    """A cursor over the tokens of one text."""

    def __init__(self, text: str, known: Collection[str] | None) -> None:
        if not isinstance(text, str) or not text.strip() or len(text) > LONGEST:
            shown = f"{len(text)} characters" if isinstance(text, str) and text.strip() else repr(text)
            raise RocscopeError(
                f"a condition must be a short text, not {shown}", hint="Write, for example, precision >= 0.9"
            )
        self.text, self.known = text.strip(), known
        self.tokens = list(_tokens(self.text))
        self.at = 0

    def peek(self) -> _Token:
        return self.tokens[self.at] if self.at < len(self.tokens) else _Token("end", "the end")

    def took(self, word: str) -> bool:
        matches = self.peek().kind == "word" and self.peek().text == word
        self.at += matches
        return matches

    def take(self, *kinds: str) -> _Token:
        token = self.peek()
        if token.kind not in kinds:
            raise self.wrong(" or ".join(_EXPECTED[kind] for kind in kinds), token)
        self.at += 1
        return token

    def wrong(self, expected: str, token: _Token) -> RocscopeError:
        shown = token.text if token.kind == "end" else f"'{token.text}'"
        hints = {
            "=": "Write == for equality", "!=": "The sign != is not available",
            "or": "Conditions can be joined only by 'and'",
        }  # fmt: skip
        return RocscopeError(
            f"expected {expected}, found {shown} (in '{self.text}')",
            hint=hints.get(token.text, "Write, for example, recall >= 0.7 where fpr <= 0.1"),
        )

    def comparisons(self) -> tuple[Requirement, ...]:
        requirements = [self.comparison()]
        while self.took("and"):
            requirements.append(self.comparison())
        return tuple(requirements)

    def comparison(self) -> Requirement:
        left = self.take("name", "number")
        sign = self.take("sign").text
        right = self.take("number" if left.kind == "name" else "name")
        name, number = (left, right) if left.kind == "name" else (right, left)
        return Requirement(self.name(name.text), sign if left is name else _TURNED[sign], *_number(number.text))

    def name(self, name: str) -> str:
        head = name.partition(".")[0]
        extra = self.known is not None and (name in self.known or ("." in name and _is_known(head, self.known)))
        if extra or is_measure(name):
            return name
        if ("." in name and is_measure(head)) or (self.known is None and "." in name):
            raise RocscopeError(
                f"'{name}' has no value at a single threshold (in '{self.text}')", hint="Name a measure"
            )
        hint = did_you_mean(name, {*measures.names(), *(self.known or ())})
        raise RocscopeError(f"there is no measure '{name}' (in '{self.text}')", hint=hint)

    def end(self) -> None:
        if self.at < len(self.tokens):
            raise self.wrong("'and', 'where' or the end", self.peek())


_EXPECTED = {"name": "a measure", "number": "a number", "sign": "one of >= > <= < =="}


def _tokens(text: str) -> Iterator[_Token]:
    for match in _TOKEN.finditer(text):
        kind = str(match.lastgroup)
        token = match[kind]
        if kind == "name" and token.lower() in ("and", "or", "where"):
            yield _Token("word", token.lower())
        elif kind == "sign":
            sign = _SPELLED.get(token, token)
            yield _Token("sign" if sign in _TESTS else "other", sign)
        else:
            yield _Token(kind, token)


def _number(text: str) -> tuple[Fraction, str]:
    """The number, and how it is shown."""
    plain = text.rstrip("%").strip()
    size = abs(float(plain))
    if not (math.isfinite(size) and (size or not plain.lower().partition("e")[0].strip("+-0. "))):
        raise RocscopeError(f"{plain} is outside the range of numbers", hint="Use a limit between 1e-300 and 1e300")
    return (Fraction(plain) / 100, f"{plain}%") if text.endswith("%") else (Fraction(plain), plain)


def is_measure(name: str) -> bool:
    """Whether a name denotes a measure at one threshold."""
    try:
        measures.get(name)
    except RocscopeError:
        return False
    return True


def _is_known(head: str, known: Collection[str]) -> bool:
    return head in known or is_measure(head)
