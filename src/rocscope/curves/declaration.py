"""What a curve and a statistic of a score table are: one decorated function each, from which every use follows.

A function of a table raises `Undefined` where it has no value; the declaration turns that into NaN for the caller,
and into the reason for whoever asks `why`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field, replace
from fractions import Fraction
from functools import wraps
from inspect import Parameter, signature
from math import nan
from types import MappingProxyType
from typing import Any, Concatenate, Literal, NamedTuple, ParamSpec, Required, TypedDict, Unpack

import numpy as np

from rocscope.curves.curve import Curve
from rocscope.errors import RocscopeError, Undefined
from rocscope.record import record
from rocscope.registry import Registry
from rocscope.table import ScoreTable, as_table

P = ParamSpec("P")
Needs = Literal["cases", "positives", "both"]
Function = Callable[Concatenate[ScoreTable, P], float]
Exact = Callable[[ScoreTable], Fraction]
Bounds = Callable[[ScoreTable], tuple[float, float]]
THRESHOLD = "threshold"
NO_OPTIONS: Mapping[str, Any] = MappingProxyType({})


class Kernel(NamedTuple):
    """The functions that compute a statistic for whole blocks of resamples.

    `layout` states which scores of a table share a cell; `prepare` takes the table and returns a function from counts
    of positives and negatives (resamples x cells) to values.
    """

    layout: Callable[[ScoreTable], Any]
    prepare: Callable[[ScoreTable], Callable[[Any, Any], Any]]


class Facts(TypedDict, total=False):
    """The facts of a curve or statistic in its declaration: the fields of `Reading`, which has their defaults."""

    title: Required[str]
    formula: Required[str]
    latex: Required[str]
    says: Required[str]
    cite: Required[str]
    aka: tuple[str, ...]
    low: float
    high: float
    best: float | None
    chance: str
    prefer: str
    needs: Needs
    needs_probabilities: bool
    rank_only: bool
    options: Mapping[str, Any]


@record(slots=True)
class Reading:
    """A curve or statistic of a score table, with its description.

    `kind` is "curve" or "statistic"; `formula` is the formula as plain text and `latex` in LaTeX; `chance` is the value
    for scores that are independent of the truth, given as text. `rank_only` readings depend only on the order of the
    scores; `needs_probabilities` readings refuse scores outside [0, 1]. `options` are those of a typical call, if it
    needs any. For a curve, `low` and `high` bound its y; a `linear` curve is straight in the counts, so points on a
    straight piece can be dropped without loss.

    Uncertainty: `bounds` are valid for every order of the scores within the cells of a table; `kernel` computes many
    resamples at once (without it, each resample is a table of its own), `influence` is the derivative with respect to
    the weight of each case, and `interval` is a closed form, called with the table, level= and fixed_classes=. Those of
    built-in readings are declared in `intervals`.
    """

    name: str
    kind: Literal["curve", "statistic"]
    title: str
    formula: str
    latex: str
    says: str
    cite: str
    needs: Needs
    function: Callable[..., Any] = field(repr=False)
    strict: Callable[..., Any] = field(repr=False)
    rank_only: bool
    best: float | None
    aka: tuple[str, ...] = ()
    low: float = 0.0
    high: float = 1.0
    chance: str = ""
    prefer: str = ""
    needs_probabilities: bool = False
    fraction: Exact | None = field(default=None, repr=False)
    options: Mapping[str, Any] = field(default_factory=lambda: NO_OPTIONS)
    x: str = ""
    y: str = ""
    columns: tuple[str, ...] = ()
    linear: bool = False
    bounds: Bounds | None = field(default=None, repr=False)
    kernel: Kernel | None = field(default=None, repr=False)
    influence: Callable[[ScoreTable, float], Any] | None = field(default=None, repr=False)
    interval: Callable[..., Any] | None = field(default=None, repr=False)

    @property
    def range(self) -> tuple[float, float]:
        """The smallest and the largest possible values."""
        return self.low, self.high

    @property
    def typical(self) -> str:
        """The options of a typical call in words; '' if none is needed.

        >>> from rocscope import curves
        >>> curves.get("expected_cost").typical
        'fp 1, fn 5'
        """
        return ", ".join(f"{name} {value}" for name, value in self.options.items())

    def __call__(self, table: ScoreTable, **options: Any) -> Any:
        """The curve or the number; options that are not given are those of a typical call."""
        return self.function(table, **{**self.options, **options})

    @property
    def required(self) -> tuple[str, ...]:
        """The options that a user must give: a range, a share or a price, for which no default is assumed.

        >>> from rocscope import curves
        >>> curves.get("partial_auc").required, curves.get("auc").required
        (('fpr',), ())
        """
        return tuple(name for name in self.options if name != THRESHOLD)

    @property
    def example(self) -> str:
        """A typical call with the options it needs.

        >>> from rocscope import curves
        >>> curves.get("net_benefit_at").example
        'curves.net_benefit_at(t, pt=0.2)'
        """
        options = [f"{name}={value}" for name, value in self.options.items()]
        return f"curves.{self.name}({', '.join(['t', *options])})"

    def checked(self, options: Mapping[str, Any]) -> Mapping[str, Any]:
        """The options given by the user; raises an error if a required one is missing.

        >>> from rocscope import curves
        >>> curves.get("net_benefit_at").checked({"pt": 0.3})
        {'pt': 0.3}
        """
        known = signature(self.function).parameters if self.required and options else {}
        missing = [
            name
            for name in self.required
            if name not in options and (not options or known[name].default is Parameter.empty)
        ]
        if missing:
            raise RocscopeError(f"{self.name} needs {' and '.join(missing)}", hint=f"Write {self.example}, for example")
        return options

    def why(self, table: ScoreTable, **options: Any) -> str:
        """The reason why the curve or statistic has no finite value; '' if it has one."""
        try:
            answer = self.strict(table, **{**self.options, **options})
        except Undefined as reason:
            return str(reason)
        return answer.why if isinstance(answer, Curve) else ""

    def exact(self, table: ScoreTable) -> Fraction:
        """The value as a fraction; raises an error if there is none or if the weights are not integers."""
        if self.fraction is None:
            raise RocscopeError(f"{self.name} has no exact fraction")
        if not table.exact:
            raise RocscopeError(f"an exact {self.name} requires counts or integer weights, not decimals")
        reason = self.why(table)
        if reason:
            raise RocscopeError(f"undefined: {reason}")
        return self.fraction(table)


DECLARED = Registry[Reading]("curve or statistic")


def _add(reading: Reading) -> None:
    DECLARED.declare(reading.name, reading, aka=reading.aka, function=reading.strict)


def attach(name: str, **parts: Any) -> None:
    """Add a kernel, an influence function or an interval to the record of a statistic."""
    _add(replace(DECLARED.find(name), **parts))


def statistic(
    name: str, *, fraction: Exact | None = None, bounds: Bounds | None = None, kernel: Kernel | None = None,
    influence: Callable[[ScoreTable, float], Any] | None = None, interval: Callable[..., Any] | None = None,
    **facts: Unpack[Facts],
) -> Callable[[Function[P]], Function[P]]:  # fmt: skip
    """Declare the function below as a statistic of a table; the keywords are the fields of `Reading`.

    >>> from rocscope import curves
    >>> curves.get("auc").best, curves.get("auc").chance
    (1.0, '0.5')
    """
    facts = {"needs": "both", "best": 1.0, **facts}

    def declare(function: Function[P]) -> Function[P]:
        strict, lenient = _guarded(function, facts, lambda _, value: float(value), lambda _, reason: reason.value)
        parts = {"fraction": fraction, "bounds": bounds, "kernel": kernel, "influence": influence, "interval": interval}
        _declare(name, "statistic", facts, function=lenient, strict=strict, **parts)
        return lenient  # type: ignore[no-any-return]

    return declare


Columns = tuple[Mapping[str, Any], str]
Drawn = Callable[Concatenate[ScoreTable, P], Curve | Columns]


def curve(
    name: str, *, columns: tuple[str, ...], x: str = "", y: str = "", linear: bool = False, **facts: Unpack[Facts]
) -> Callable[[Drawn[P]], Callable[Concatenate[ScoreTable, P], Curve]]:
    """Declare the function below as a curve of a table; `x` and `y` are its first two columns unless named.

    The function returns a curve, or its columns at every threshold and the reason why some values are undefined.

    >>> from rocscope import curves
    >>> curves.get("roc").x, curves.get("roc").y
    ('fpr', 'tpr')
    """
    facts = {"needs": "cases", "best": None, **facts}
    across, up = x or columns[0], y or columns[1]

    def declare(function: Drawn[P]) -> Callable[Concatenate[ScoreTable, P], Curve]:
        def drawn(table: ScoreTable, found: Curve | Columns) -> Curve:
            return found if isinstance(found, Curve) else Curve.of(name, table, found[0], x=across, y=up, why=found[1])

        def lost(table: ScoreTable, reason: Undefined) -> Curve:
            return drawn(table, ({column: np.full(len(table) + 1, nan) for column in columns}, str(reason)))

        strict, lenient = _guarded(function, facts, drawn, lost)
        parts = {"x": across, "y": up, "columns": columns, "linear": linear}
        _declare(name, "curve", facts, function=lenient, strict=strict, **parts)
        return lenient  # type: ignore[no-any-return]

    return declare


def _guarded(
    function: Callable[..., Any], facts: Facts, finished: Callable[[ScoreTable, Any], Any],
    lost: Callable[[ScoreTable, Undefined], Any],
) -> tuple[Any, Any]:  # fmt: skip
    """The function on tables it is checked to fit, which raises where it is undefined, and the one that does not."""
    _write_facts(function, facts)

    @wraps(function)
    def strict(table: ScoreTable, /, *args: Any, **kwargs: Any) -> Any:
        _check(table, facts)
        return finished(table, function(table, *args, **kwargs))

    @wraps(function)
    def lenient(table: ScoreTable, /, *args: Any, **kwargs: Any) -> Any:
        try:
            return strict(table, *args, **kwargs)
        except Undefined as reason:
            return lost(table, reason)

    return strict, lenient


def _declare(name: str, kind: Literal["curve", "statistic"], facts: Facts, **parts: Any) -> None:
    own: dict[str, Any] = {"rank_only": not facts.get("needs_probabilities", False), **facts}
    own["options"] = MappingProxyType(dict(facts.get("options", NO_OPTIONS)))
    _add(Reading(name, kind, **own, **parts))


def _write_facts(function: Callable[..., Any], facts: Facts) -> None:
    """Put formula and source into the docstring, before the example: they are said once, in the declaration."""
    summary, example, rest = (function.__doc__ or facts["says"]).partition("\n\n    >>>")
    function.__doc__ = f"{summary}\n\n    Definition: {facts['formula']}. Reference: {facts['cite']}.{example}{rest}"


# ---- requirements on a table ----


def _check(table: ScoreTable, facts: Facts) -> None:
    title, needs = facts["title"], facts["needs"]
    as_table(table)
    if facts.get("needs_probabilities", False):
        refuse_unless_probabilities(table, title)
    if not table.positives and not table.negatives:
        raise Undefined(f"no cases: {title} is undefined")
    if needs != "cases" and not table.positives:
        raise Undefined(f"no positives: {title} is undefined")
    if needs == "both" and not table.negatives:
        raise Undefined(f"no negatives: {title} is undefined")


def refuse_unless_probabilities(table: ScoreTable, title: str) -> None:
    """Refuse a table whose scores cannot be probabilities of the positive class; scores are never transformed."""
    low, high = sorted((float(table.scores[0]), float(table.scores[-1]))) if len(table) else (0.0, 1.0)
    if table.known is not None:
        low, high = table.known.low, table.known.high
    if low < 0 or high > 1:
        raise RocscopeError(
            f"{title} requires probabilities, but the scores are not probabilities: they run from {low:g} to "
            f"{high:g}",
            hint="Ranking measures (AUC, average precision) work on any scores",
        )
    if not table.higher_is_positive:
        raise RocscopeError(
            f"{title} requires probabilities, but low scores indicate the positive class",
            hint="Give 1 - score with high scores as positive, or make the other class positive",
        )
    if table.known is None and table.mixed is not None and table.mixed.any():
        raise RocscopeError(
            f"{title} requires the individual scores, but the table contains cells of several scores",
            hint="Read the predictions with their exact scores, not in cells",
        )


def is_probability(table: ScoreTable) -> bool:
    """Whether the scores can be probabilities of the positive class."""
    try:
        refuse_unless_probabilities(table, "this")
    except RocscopeError:
        return False
    return True
