"""What a curve and a statistic of a score table are: one decorated function each, from which every use follows.

A function of a table raises `Undefined` where it has no value; the declaration turns that into NaN for the caller,
and into the reason for whoever asks `why`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import wraps
from math import nan
from types import MappingProxyType
from typing import Any, Concatenate, Literal, NamedTuple, ParamSpec

import numpy as np

from rocscope.curves.curve import Curve
from rocscope.errors import RocscopeError, Undefined
from rocscope.registry import Registry
from rocscope.table import ScoreTable, as_table

P = ParamSpec("P")
Needs = Literal["cases", "positives", "both"]
Function = Callable[Concatenate[ScoreTable, P], float]
Exact = Callable[[ScoreTable], Fraction]
NO_OPTIONS: Mapping[str, Any] = MappingProxyType({})


class Kernel(NamedTuple):
    """How a statistic is computed for whole blocks of resamples.

    `layout` says which scores of a table share a cell; `prepare` takes the table and gives the function of counts of
    positives and negatives (resamples x cells) to values.
    """

    layout: Callable[[ScoreTable], Any]
    prepare: Callable[[ScoreTable], Callable[[Any, Any], Any]]


@dataclass(frozen=True, slots=True)
class Reading:
    """Something computed from a score table, and the facts about it.

    `kind` is "curve" or "statistic"; `formula` is plain text and `latex` the same in LaTeX; `chance` is the value
    for scores independent of the truth, a number as text or words. `rank_only` readings see the order of the scores
    alone, `needs_probabilities` ones refuse scores outside [0, 1]. `options` make a typical call where one is needed.

    How sure it is: `bounds` holds for every order inside the cells of a table; `kernel` computes many resamples at
    once (without one each is a table of its own), `influence` is the derivative by the weight of each case, `interval`
    a closed form, called with the table, level= and fixed_classes=. Those of the built-in ones are in `intervals`.
    """

    name: str
    kind: Literal["curve", "statistic"]
    title: str
    aka: tuple[str, ...]
    formula: str
    latex: str
    low: float
    high: float
    best: float | None
    chance: str
    says: str
    prefer: str
    cite: str
    needs: Needs
    needs_probabilities: bool
    rank_only: bool
    function: Callable[..., Any] = field(repr=False)
    strict: Callable[..., Any] = field(repr=False)
    fraction: Exact | None = field(default=None, repr=False)
    options: Mapping[str, Any] = field(default_factory=lambda: NO_OPTIONS)
    x: str = ""
    y: str = ""
    columns: tuple[str, ...] = ()
    linear: bool = False
    bounds: Callable[[ScoreTable], tuple[float, float]] | None = field(default=None, repr=False)
    kernel: Kernel | None = field(default=None, repr=False)
    influence: Callable[[ScoreTable, float], Any] | None = field(default=None, repr=False)
    interval: Callable[..., Any] | None = field(default=None, repr=False)

    @property
    def range(self) -> tuple[float, float]:
        """The smallest and the largest value it can have."""
        return self.low, self.high

    @property
    def typical(self) -> str:
        """The options of a typical call in words, '' where none is needed.

        >>> from rocscope import curves
        >>> curves.get("expected_cost").typical
        'fp 1, fn 5'
        """
        return ", ".join(f"{name} {value}" for name, value in self.options.items())

    def __call__(self, table: ScoreTable, **options: Any) -> Any:
        """The curve or the number."""
        return self.function(table, **{**self.options, **options})

    def why(self, table: ScoreTable, **options: Any) -> str:
        """'' where it has a finite value, else the reason."""
        try:
            found = self.strict(table, **{**self.options, **options})
        except Undefined as reason:
            return str(reason)
        return found.why if isinstance(found, Curve) else ""

    def exact(self, table: ScoreTable) -> Fraction:
        """The value as a fraction; refused where it is no fraction, has none or the weights are not whole."""
        if self.fraction is None:
            raise RocscopeError(f"{self.name} has no exact fraction")
        if not table.exact:
            raise RocscopeError(f"an exact {self.name} needs counts or whole weights; these are decimals")
        reason = self.why(table)
        if reason:
            raise RocscopeError(f"undefined: {reason}")
        return self.fraction(table)


DECLARED = Registry[Reading]("curve or statistic")


def _add(reading: Reading) -> None:
    DECLARED.declare(reading.name, reading, aka=reading.aka, function=reading.strict)


def attach(name: str, **parts: Any) -> None:
    """Add to the record of a statistic what a later package knows of it: kernel, influence, interval."""
    _add(replace(DECLARED.find(name), **parts))


def statistic(  # one declaration names all facts about a statistic, hence the many keywords
    name: str,
    *,
    title: str,
    formula: str,
    latex: str,
    says: str,
    cite: str,
    aka: tuple[str, ...] = (),
    low: float = 0.0,
    high: float = 1.0,
    best: float | None = 1.0,
    chance: str = "",
    prefer: str = "",
    needs: Needs = "both",
    needs_probabilities: bool = False,
    rank_only: bool | None = None,
    fraction: Exact | None = None,
    options: Mapping[str, Any] = NO_OPTIONS,
    bounds: Callable[[ScoreTable], tuple[float, float]] | None = None,
    kernel: Kernel | None = None,
    influence: Callable[[ScoreTable, float], Any] | None = None,
    interval: Callable[..., Any] | None = None,
) -> Callable[[Function[P]], Function[P]]:
    """Declare the function below as a statistic of a table; the keywords are the fields of `Reading`.

    >>> from rocscope import curves
    >>> curves.get("auc").best, curves.get("auc").chance
    (1.0, '0.5')
    """

    def declare(function: Function[P]) -> Function[P]:
        @wraps(function)
        def strict(table: ScoreTable, /, *args: P.args, **kwargs: P.kwargs) -> float:
            _check(table, title, needs, needs_probabilities)
            return float(function(table, *args, **kwargs))

        @wraps(function)
        def lenient(table: ScoreTable, /, *args: P.args, **kwargs: P.kwargs) -> float:
            try:
                return strict(table, *args, **kwargs)
            except Undefined as reason:
                return reason.value

        _add(
            Reading(
                name, "statistic", title, aka, formula, latex, low, high, best, chance, says, prefer, cite, needs,
                needs_probabilities, not needs_probabilities if rank_only is None else rank_only,
                function=lenient, strict=strict, fraction=fraction, options=MappingProxyType(dict(options)),
                bounds=bounds, kernel=kernel, influence=influence, interval=interval,
            )
        )  # fmt: skip
        return lenient

    return declare


def curve(
    name: str,
    *,
    title: str,
    columns: tuple[str, ...],
    x: str,
    y: str,
    formula: str,
    latex: str,
    says: str,
    cite: str,
    aka: tuple[str, ...] = (),
    low: float = 0.0,
    high: float = 1.0,
    chance: str = "",
    prefer: str = "",
    needs: Needs = "cases",
    needs_probabilities: bool = False,
    rank_only: bool | None = None,
    linear: bool = False,
    options: Mapping[str, Any] = NO_OPTIONS,
) -> Callable[[Callable[Concatenate[ScoreTable, P], Curve]], Callable[Concatenate[ScoreTable, P], Curve]]:
    """Declare the function below as a curve of a table; `low` and `high` bound its y.

    `linear` curves are straight in the counts, so that points on a straight piece can go without loss.

    >>> from rocscope import curves
    >>> curves.get("roc").x, curves.get("roc").y
    ('fpr', 'tpr')
    """

    def declare(
        function: Callable[Concatenate[ScoreTable, P], Curve],
    ) -> Callable[Concatenate[ScoreTable, P], Curve]:
        @wraps(function)
        def strict(table: ScoreTable, /, *args: P.args, **kwargs: P.kwargs) -> Curve:
            _check(table, title, needs, needs_probabilities)
            return function(table, *args, **kwargs)

        @wraps(function)
        def lenient(table: ScoreTable, /, *args: P.args, **kwargs: P.kwargs) -> Curve:
            try:
                return strict(table, *args, **kwargs)
            except Undefined as reason:
                lost = {column: np.full(len(table) + 1, nan) for column in columns}
                return Curve.of(name, table, lost, x=x, y=y, why=str(reason))

        _add(
            Reading(
                name, "curve", title, aka, formula, latex, low, high, None, chance, says, prefer, cite, needs,
                needs_probabilities, not needs_probabilities if rank_only is None else rank_only,
                function=lenient, strict=strict, options=MappingProxyType(dict(options)),
                x=x, y=y, columns=columns, linear=linear,
            )
        )  # fmt: skip
        return lenient

    return declare


# ---- what a table must be ----


def _check(table: ScoreTable, title: str, needs: Needs, needs_probabilities: bool) -> None:
    as_table(table)
    if needs_probabilities:
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
            f"scores are not probabilities: from {low:g} to {high:g}; {title} needs them between 0 and 1",
            hint="Ranking measures (AUC, average precision) work on any scores",
        )
    if not table.higher_is_positive:
        raise RocscopeError(
            f"low scores mean positive here, so they are no probabilities of it; {title} needs those",
            hint="Give 1 - score with high as positive, or make the other class the positive one",
        )
    if table.known is None and table.mixed is not None and table.mixed.any():
        raise RocscopeError(
            f"the table holds cells of several scores; {title} needs the scores themselves",
            hint="Read the predictions exactly, not on a grid",
        )


def is_probability(table: ScoreTable) -> bool:
    """Whether the scores can be probabilities of the positive class."""
    try:
        refuse_unless_probabilities(table, "this")
    except RocscopeError:
        return False
    return True
