"""The records of the lessons: an example with its answers, an erratum, a concept, a question, a shape of curve."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeAlias

from rocscope.errors import RocscopeError, did_you_mean
from rocscope.record import record
from rocscope.text import with_decimal

if TYPE_CHECKING:
    from rocscope.table import ScoreTable

Levels = tuple[tuple[int, int], ...]
Value: TypeAlias = "int | float | Fraction | str | tuple[Value, ...]"


@record(slots=True)
class Answer:
    """One correct answer: how it is computed, the value taken from the source, and its text.

    >>> answer("counts.f1", Fraction(7, 12)).text
    'f1 = 7/12 = 0.5833'
    """

    ask: str
    value: Value
    text: str


@record(slots=True)
class Erratum:
    """An error in a source: what it prints, and what is correct."""

    number: int
    where: str
    printed: str
    right: str

    def __str__(self) -> str:
        return f"E{self.number} ({self.where}): printed {self.printed}; correct: {self.right}"


@record(slots=True)
class Example:
    """A worked example: its data as plain Python, its question and its correct answers.

    `source_item` is its number in the checklist of the sources, and `also` holds the numbers of the items that share
    its data.
    `status` is "given" (the source prints the data), "reconstructed" (they were damaged and have been reconstructed) or
    "lost".
    """

    name: str
    title: str
    source_item: int
    kind: str
    data: Mapping[str, Any]
    question: str
    answers: tuple[Answer, ...] = ()
    erratum: tuple[int, ...] = ()
    note: str = ""
    also: tuple[int, ...] = ()
    status: str = "given"


@record(slots=True)
class Concept:
    """A concept in plain English: its meaning, its formula, where it is used, and its pitfall.

    `use` holds calls and commands.
    """

    name: str
    aka: tuple[str, ...]
    says: str
    formula: str = ""
    use: tuple[str, ...] = ()
    pitfall: str = ""
    items: tuple[int, ...] = ()
    errata: tuple[int, ...] = ()
    examples: tuple[str, ...] = ()

    def __str__(self) -> str:
        blocks = [self.name, self.says]
        blocks += [f"Formula: {self.formula}"] if self.formula else []
        blocks += [f"Use: {' | '.join(self.use)}"] if self.use else []
        blocks += [f"Caution: {self.pitfall}"] if self.pitfall else []
        blocks += [f"Examples: {', '.join(self.examples)}"] if self.examples else []
        return "\n".join(blocks)


@record(slots=True)
class Question:
    """A question from the sources with its answer; `example` and `ask` state how it is computed."""

    name: str
    kind: str
    source_item: int
    question: str
    answer: str
    example: str = ""
    ask: str = ""
    value: Value = ""


@record(slots=True)
class Shape:
    """One or more models on the same classes, given as (positives, negatives) at each score from the top down."""

    name: str
    title: str
    models: Mapping[str, Levels]
    says: str

    def cases(self, model: str = "") -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Labels and scores, case by case: scores count down to 1, positives first within a tie."""
        levels = self._levels(model)
        rows = [
            (label, score)
            for score, (pos, neg) in zip(range(len(levels), 0, -1), levels, strict=True)
            for label in (1,) * pos + (0,) * neg
        ]
        return tuple(label for label, _ in rows), tuple(score for _, score in rows)

    def table(self, model: str = "") -> ScoreTable:
        """The score table of a model, the first one unless it is named."""
        from rocscope.table import ScoreTable

        y, scores = self.cases(model)
        return ScoreTable.from_scores(list(y), list(scores))

    def _levels(self, model: str) -> Levels:
        levels: Levels = pick(model or next(iter(self.models)), self.models, "model")
        return levels


def answer(ask: str, value: Value, text: str = "") -> Answer:
    """An `Answer`; unless its text is given, it is composed of the question and the value."""
    return Answer(ask, value, text or f"{reading(ask)} = {show(value)}")


def data(**entries: Any) -> Mapping[str, Any]:
    """The data of an example as a mapping that cannot be changed."""
    return MappingProxyType(entries)


def show(value: Value) -> str:
    """A value as text: fractions with their decimals, infinities by name.

    >>> show(Fraction(7, 12)), show(Fraction(4, 2)), show((0.5, float("inf")))
    ('7/12 = 0.5833', '2', '(0.5, inf)')
    """
    if isinstance(value, tuple):
        return "(" + ", ".join(_brief(entry) for entry in value) + ")"
    return with_decimal(value) if isinstance(value, Fraction) else _brief(value)


def reading(ask: str) -> str:
    """The question to which an answer belongs, as text.

    >>> reading("of:versicolor.f1"), reading("in:M1.at:0.5.accuracy"), reading("best.youden.threshold")
    ('f1 of versicolor', 'accuracy at 0.5 (M1)', 'threshold by youden')
    """
    head, _, rest = ask.partition(".")
    key, _, argument = head.partition(":")
    if key == "in":
        return f"{reading(rest)} ({argument})"
    if key == "at":
        threshold, _, measure = ask.removeprefix("at:").rpartition(".")
        return f"{_plain(measure)} at {threshold}"
    if key == "best":
        rule, what = rest.split(".")
        return f"best {_plain(rule)}" if what == rule else f"{_plain(what)} by {_plain(rule)}"
    if ask.startswith("hull.best:"):
        return f"cheapest at slope {ask.removeprefix('hull.best:')}"
    if key in _PHRASES:
        return _PHRASES[key].format(argument=_plain(argument), rest=_plain(rest))
    return _plain(ask)


_PHRASES: Mapping[str, str] = MappingProxyType(
    {
        "of": "{rest} of {argument}",
        "counts": "{rest}",
        "matrix": "{rest}",
        "macro": "macro {argument}",
        "micro": "micro {argument}",
        "weighted": "weighted {argument}",
        "support": "support of {argument}",
        "predicted": "predicted as {argument}",
        "cell": "cell {argument}",
        "known": "{rest} can be computed",
        "expression": "{rest}",
        "error": "standard error of the AUC ({argument})",
        "interval": "95 % interval for {rest} ({argument})",
        "space": "{argument} in ROC space",
        "inverted": "{argument} inverted",
        "hull": "hull {rest}",
        "urn": "{rest}",
    }
)


def _plain(text: str) -> str:
    return text.replace("_", " ")


def _brief(value: Value) -> str:
    return show(value) if isinstance(value, tuple) else str(value)


def pick(name: str, known: Mapping[str, Any], what: str) -> Any:
    """The entry called `name`; an error suggests the nearest name."""
    try:
        return known[name]
    except KeyError:
        raise RocscopeError(f"there is no {what} named {name!r}", hint=did_you_mean(name, known)) from None
