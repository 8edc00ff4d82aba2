"""The worth of a threshold: one function of the four counts, from which every use of a rule follows.

How it works. The function is called once with symbols for the counts, and what it does with them is its formula. From
the formula follow the worth along a curve or in resamples (floats), the exact fraction that decides ties, and the
limits over a run of thresholds, which let most of a long curve go without being looked at. A function that is more than
a formula (it calls NumPy, or branches) is computed in floats at every threshold.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from rocscope import measures
from rocscope.errors import RocscopeError
from rocscope.formula import CELLS, Call, Formula, Name, Neg, Node, Num, Op, Power, Ratio
from rocscope.measures import Measure
from rocscope.numbers import Array, decimal, floats
from rocscope.record import record
from rocscope.table import Counts, cells_of

Cells = Mapping[str, Any]
"""tp, fp, fn, tn, and the totals positives and negatives: numbers or arrays of any shape."""
MANY = 5_000  # maximum number of rows with a root or logarithm that are compared exactly, one by one


@record(slots=True)
class Criterion:
    """The value of each threshold under a rule or a measure; larger is better.

    `function` takes Counts; `formula` is the function as a formula, if it can be written as one. `shown` gives the
    number and the text shown for a point; `note` applies to all points.
    """

    function: Callable[[Counts], Any]
    formula: Formula | None
    shown: Callable[[Counts], tuple[float, str]]
    note: str = ""

    def worth(self, cells: Cells) -> Array:
        """The value in floats; NaN where undefined."""
        if self.formula is not None:
            values = self.formula.value({name: floats(cells[name]) for name in self.formula.names})
            return np.asarray(np.broadcast_to(values, np.shape(cells["tp"])))
        counts = Counts.of(floats(cells[name]).ravel() for name in CELLS)
        return np.broadcast_to(floats(self.function(counts)), counts.tp.shape).reshape(np.shape(cells["tp"]))

    def exact(self, cells: Cells) -> Ratio | list[float] | None:
        """The value at integer counts, as a ratio; irrational values are rounded once; None if neither exists."""
        return None if self.formula is None else exact_along(self.formula, cells)

    def most(self, first: Cells, last: Cells) -> Array | None:
        """An upper bound on the value over ranges of rows; None if none is known."""
        return None if self.formula is None else np.asarray(self.formula.limits(first, last).high)

    def at(self, counts: Counts) -> float:
        """The value of one point, rounded once if there is a formula."""
        if self.formula is None:
            return float(self.function(counts))
        tp, fp, fn, tn = (decimal(cell, name) for name, cell in counts.cells.items())
        return self.formula.rounded(cells_of(tp, fp, tp + fn, fp + tn))


def exact_along(formula: Formula, cells: Cells, *, many: int = MANY) -> Ratio | list[float] | None:
    """A formula at whole numbers, row by row, as ratios; irrational values are computed to 36 digits and rounded once.

    None if there are too many of them: floats are used instead.
    """
    ratios = formula.ratio_along(cells)
    if ratios is not None or len(cells["tp"]) > many:
        return ratios
    columns = (np.broadcast_to(cells[name], cells["tp"].shape).tolist() for name in cells)
    return [formula.rounded(dict(zip(cells, row, strict=True))) for row in zip(*columns, strict=True)]


def criterion_of(
    function: Callable[[Any], Any], shown: Callable[[float], tuple[float, str]], *, note: str = ""
) -> Criterion:
    """The criterion for a function of counts; `shown` returns the number and the text shown for a value.

    >>> criterion_of(lambda c: c.tp - c.fp / 2, lambda worth: (worth, "")).formula.text
    'tp - fp / 2'
    """

    def at(counts: Counts) -> tuple[float, str]:
        return shown(criterion.at(counts))

    criterion = Criterion(function, traced(function), at, note)
    return criterion


def measure_criterion(measure: Measure, name: str) -> Criterion:
    """The criterion that brings a measure as near as possible to its best value, shown under the requested name."""
    best = measure.best
    if best is None:
        raise RocscopeError(
            f"{measure.name} has no best value, so it cannot choose a threshold", hint="Name another measure"
        )

    def towards(value: Any) -> Any:
        if best == measure.high:
            return value
        return -value if best == measure.low else -abs(value - best)

    def shown(counts: Counts) -> tuple[float, str]:
        value = float(counts.value(measure.name))
        return value, f"{name} {value:.4g}"

    def function(counts: Counts) -> Any:
        return towards(measure.value(counts.cells))

    formula = None if measure.formula is None else Formula(with_totals(towards(Term(measure.formula.tree)).tree))
    return Criterion(function, formula, shown)


# ---- symbolic formula of a Python function ----

TOTALS = {"positives": frozenset(("tp", "fn")), "negatives": frozenset(("fp", "tn"))}


class Term:
    """A symbol for a count, or what a function makes of such symbols with + - * / ** and abs."""

    __slots__ = ("tree",)
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, tree: Node) -> None:
        self.tree = tree

    def __neg__(self) -> Term:
        return Term(Neg(self.tree))

    def __abs__(self) -> Term:
        return Term(Call("abs", (self.tree,)))

    def __pow__(self, exponent: int) -> Term:
        return Term(Power(self.tree, exponent)) if isinstance(exponent, int) and exponent >= 0 else NotImplemented

    def __bool__(self) -> bool:
        raise TypeError("a symbol is neither true nor false")

    def __eq__(self, other: object) -> bool:
        raise TypeError("a symbol is neither equal to a number nor different from it")


def _operator(sign: str, *, turned: bool = False) -> Callable[[Term, Any], Any]:
    def operate(self: Term, other: Any) -> Any:
        if not isinstance(other, Term | int | float | Fraction) or isinstance(other, bool):
            return NotImplemented
        sides = self.tree, other.tree if isinstance(other, Term) else Num(decimal(other, "a constant"))
        return Term(Op(sign, *(sides[::-1] if turned else sides)))

    return operate


for _sign, _name in (("+", "add"), ("-", "sub"), ("*", "mul"), ("/", "truediv")):
    setattr(Term, f"__{_name}__", _operator(_sign))
    setattr(Term, f"__r{_name}__", _operator(_sign, turned=True))


class SymbolicCounts:
    """Counts whose cells, and measures, are symbols."""

    def __getattr__(self, name: str) -> Term:
        measure = measures.names().get(name)
        if name not in CELLS and (measure is None or measure.formula is None):
            raise AttributeError(name)
        return Term(Name(name) if measure is None or measure.formula is None else measure.formula.tree)


def traced(function: Callable[[Any], Any]) -> Formula | None:
    """The formula of a function of counts, None where it is not one."""
    try:
        value = function(SymbolicCounts())
    except (TypeError, ValueError, AttributeError):
        return None
    return Formula(with_totals(value.tree)) if isinstance(value, Term) else None


def with_totals(tree: Node) -> Node:
    """The tree with positives for tp + fn and negatives for fp + tn: along a table these do not move.

    >>> from rocscope.formula import parse
    >>> Formula(with_totals(parse("tp / (fn + tp) - 1").tree)).text
    'tp / positives - 1'
    """
    match tree:
        case Op("+", _, _):
            return _with_totals_in_sum(_summands(tree))
        case Op(sign, left, right):
            return Op(sign, with_totals(left), with_totals(right))
        case Neg(inner):
            return Neg(with_totals(inner))
        case Power(base, exponent):
            return Power(with_totals(base), exponent)
        case Call(function, arguments):
            return Call(function, tuple(map(with_totals, arguments)))
    return tree


def _summands(tree: Node) -> list[Node]:
    match tree:
        case Op("+", left, right):
            return _summands(left) + _summands(right)
    return [with_totals(tree)]


def _with_totals_in_sum(parts: list[Node]) -> Node:
    for total, cells in TOTALS.items():
        if {part.id for part in parts if isinstance(part, Name)} >= cells:
            for cell in cells:
                parts.remove(Name(cell))
            parts.append(Name(total))
    whole = parts[0]
    for part in parts[1:]:
        whole = Op("+", whole, part)
    return whole
