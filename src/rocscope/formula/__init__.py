"""One formula string, and everything that is derived from it.

A measure is written once, as text over the four cells of a binary confusion matrix:

>>> precision = parse("tp / (tp + fp)")

Everything else is derived from that text: its value at a point, along a whole curve, as an exact fraction or with an
unknown cell; its LaTeX; the numerator and denominator for a Wilson interval; the gradient for a delta-method interval;
and its worked explanation:

>>> precision.exact({"tp": 7, "fp": 7})
Fraction(1, 2)
>>> precision.latex
'\\\\frac{TP}{TP + FP}'
>>> precision.worked({"tp": 7, "fp": 7})
'TP / (TP + FP) = 7 / (7 + 7)'

Internally, a formula is a validated tree, which `fold(tree, algebra)` evaluates; each kind of result is a
small algebra. The grammar consists of names, numbers, `+ - * /`, `**` with a small whole exponent, `sqrt log abs min
max`. Text is never handed to `eval` or to a symbolic parser, both of which would run code.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from functools import cached_property, lru_cache
from math import inf, nan
from typing import Any

import numpy as np

from rocscope.errors import RocscopeError, Undefined
from rocscope.formula.algebras import Duals, Exact, Floats, Fractions, Irrational, divide, logarithm, root
from rocscope.formula.bounds import Bounds, Boxes, bounds_of
from rocscope.formula.exact_ratios import ExactRatios, Ratio, constant, maxima, whole
from rocscope.formula.notation import Latex, Spelled, Symbols, text_of
from rocscope.formula.tree import CELLS, Call, Name, Neg, Node, Num, Op, Power, fold, read, walk
from rocscope.record import record

__all__ = [
    "CELLS", "Call", "Formula", "Irrational", "Name", "Neg", "Node", "Num", "Op", "Power", "Ratio", "constant",
    "divide", "logarithm", "maxima", "parse", "root", "whole", "zero_in_words",
]  # fmt: skip


@lru_cache(maxsize=1024)
def parse(text: str, *, unknowns: bool = False) -> Formula:
    """The formula stated in the text; with `unknowns`, names other than the cells are allowed.

    >>> parse("__import__('os')")
    Traceback (most recent call last):
    ...
    rocscope.errors.RocscopeError: unknown function '__import__' in the formula. Known: abs, log, max, min, sqrt
    """
    return Formula(read(text, unknowns=unknowns))


@record
class Formula:
    """A validated formula, ready to be evaluated in several ways; created by `parse`."""

    tree: Node

    @cached_property
    def names(self) -> frozenset[str]:
        """The names that the formula uses; only these cells must be known."""
        return frozenset(node.id for node in walk(self.tree) if isinstance(node, Name))

    def value(self, cells: Mapping[str, Any]) -> Any:
        """The float64 value: a number for numbers, an array for arrays; NaN where undefined."""
        with np.errstate(over="ignore", invalid="ignore"):
            return fold(self.tree, Floats(cells))

    def rounded(self, cells: Mapping[str, Any]) -> float:
        """The value at integer or fractional cells, computed exactly and rounded once; NaN if undefined."""
        try:
            value = fold(self.tree, Fractions(cells, strict=False))
            return float(value)
        except Undefined:
            return nan
        except OverflowError:  # exceeds the largest float
            return inf if value > 0 else -inf

    def exact(self, cells: Mapping[str, Any]) -> Fraction:
        """The value as a fraction; raises an error if it is irrational or undefined."""
        try:
            return Fraction(fold(self.tree, Fractions(cells, strict=True)))
        except Irrational as error:
            raise RocscopeError(f"no exact fraction: {error} is irrational") from None
        except Undefined:
            raise RocscopeError(f"undefined: {self.why(cells)}") from None

    def why(self, cells: Mapping[str, Any]) -> str:
        """The reason why the formula has no value at these numbers; '' if it has one."""
        for node in self._conditional:
            match node:
                case Op("/", _, below) if self._at(below, cells) == 0:
                    return zero_in_words(next(_zero_factors(below, lambda part: self._at(part, cells) == 0)))
                case Call("log", (inner,)) if self._at(inner, cells) <= 0:
                    return f"the logarithm of {float(self._at(inner, cells)):g} ({text_of(inner)}) is undefined"
                case Call("sqrt", (inner,)) if self._at(inner, cells) < 0:
                    return f"the root of {float(self._at(inner, cells)):g} ({text_of(inner)}) is undefined"
        return ""

    @cached_property
    def _conditional(self) -> tuple[Node, ...]:
        """The parts that do not have a value everywhere: quotients, logarithms and roots, leaves first."""
        return tuple(node for node in walk(self.tree) if isinstance(node, Call) or getattr(node, "sign", "") == "/")

    @staticmethod
    def _at(tree: Node, cells: Mapping[str, Any]) -> Exact:
        return fold(tree, Fractions(cells, strict=False))  # type: ignore[no-any-return]

    def gradient(self, cells: Mapping[str, Any]) -> tuple[Any, Any, Any, Any]:
        """The derivatives with respect to tp, fp, fn and tn, at numbers or along arrays."""
        with np.errstate(over="ignore", invalid="ignore"):
            return fold(self.tree, Duals(cells))[1]  # type: ignore[no-any-return]

    def ratio_along(self, cells: Mapping[str, Any]) -> Ratio | None:
        """The value at every row of integer cells as a quotient of integers; None if it is irrational."""
        try:
            return fold(self.tree, ExactRatios(cells))  # type: ignore[no-any-return]
        except Irrational:
            return None

    def limits(self, first: Mapping[str, Any], last: Mapping[str, Any]) -> Bounds:
        """Bounds on the value for all cells between those of one row and those of a later row.

        >>> first, last = ({"tp": np.array([tp]), "fp": np.array([fp])} for tp, fp in ((4.0, 1.0), (6.0, 2.0)))
        >>> parse("tp / (tp + fp)").limits(first, last)
        Bounds(low=array([0.5]), high=array([1.2]))
        """
        with np.errstate(all="ignore"):
            return fold(self.tree, Boxes(bounds_of(self.names, first, last)))  # type: ignore[no-any-return]

    def expression(self, cells: Mapping[str, Any]) -> str:
        """The simplest form when some cells are expressions such as x - 3 (needs sympy)."""
        try:
            import sympy
        except ImportError:
            raise RocscopeError(
                "expressions with an unknown require sympy", hint="pip install 'rocscope[symbolic]'"
            ) from None
        try:
            raw = fold(self.tree, Symbols(cells))
        except Undefined:
            raise RocscopeError("undefined: it divides by zero for every value of the unknown") from None
        return str(sympy.cancel(raw) if raw.is_rational_function() else sympy.simplify(raw))

    @cached_property
    def ratio(self) -> tuple[Formula, Formula] | None:
        """The numerator and denominator, if the formula is a quotient."""
        match self.tree:
            case Op("/", above, below):
                return Formula(above), Formula(below)
        return None

    @cached_property
    def proportion(self) -> tuple[frozenset[str], frozenset[str]] | None:
        """The cells in the numerator and the denominator, if the formula is a proportion of cases."""
        if self.ratio is None:
            return None
        part, whole = (_summands(side.tree) for side in self.ratio)
        return (part, whole) if part and whole and part <= whole else None

    @cached_property
    def text(self) -> str:
        """The formula in its original notation."""
        return text_of(self.tree)

    @cached_property
    def upper(self) -> str:
        """The formula with the cells in capitals: TP / (TP + FP)."""
        return text_of(self.tree, {cell: cell.upper() for cell in CELLS})

    @cached_property
    def latex(self) -> str:
        """The formula as LaTeX."""
        return fold(self.tree, Latex(Spelled(str.upper)))[0]  # type: ignore[no-any-return]

    def worked(self, cells: Mapping[str, Any]) -> str:
        """The formula, followed by the formula with the numbers filled in."""
        filled = {name: _filled(cells.get(name), name) for name in self.names}
        return f"{self.upper} = {text_of(self.tree, filled)}"


def _filled(cell: Any, name: str) -> str:
    if cell is None:
        return name.upper()
    return cell.text if isinstance(cell, Formula) else f"{cell:.12g}" if isinstance(cell, float) else str(cell)


def _summands(tree: Node, *, times: bool = False) -> frozenset[str] | None:
    """The cells of a plain sum of different cells, else None; with `times`, also of multiples such as 2 * tp."""
    match tree:
        case Name(name):
            return frozenset({name})
        case Op("*", Num(value), Name(name)) if times and value > 0:
            return frozenset({name})
        case Op("+", left, right):
            a, b = _summands(left, times=times), _summands(right, times=times)
            return a | b if a and b and not a & b else None
    return None


def _zero_factors(tree: Node, is_zero: Any) -> Iterator[Node]:
    """The smallest factors of a vanishing denominator that vanish themselves."""
    match tree:
        case Op("*", left, right):
            for part in (left, right):
                if is_zero(part):
                    yield from _zero_factors(part, is_zero)
        case Call("sqrt", (inner,)) | Power(inner, _) | Op("/", inner, _):
            yield from _zero_factors(inner, is_zero)
        case _:
            yield tree


_ZERO_WORDS = {
    frozenset({"tp", "fp"}): "nothing was predicted positive",
    frozenset({"fn", "tn"}): "nothing was predicted negative",
    frozenset({"tp", "fn"}): "there are no positives",
    frozenset({"fp", "tn"}): "there are no negatives",
    frozenset(CELLS): "there are no cases",
    frozenset({"tp", "fp", "fn"}): "there are no positives, neither actual nor predicted",
    frozenset({"tn", "fp", "fn"}): "there are no negatives, neither actual nor predicted",
    frozenset({"fp"}): "there are no false positives",
    frozenset({"fn"}): "there are no false negatives",
    frozenset({"tp"}): "there are no true positives",
    frozenset({"tn"}): "there are no true negatives",
}


def zero_in_words(tree: Node) -> str:
    """The reason why a denominator is zero, in words if its meaning is known, with its formula.

    >>> zero_in_words(parse("tp + fp").tree)
    'nothing was predicted positive (TP + FP = 0)'
    """
    shown = f"{text_of(tree, Spelled(str.upper))} = 0"
    words = _ZERO_WORDS.get(_summands(tree, times=True) or frozenset())
    return f"{words} ({shown})" if words else shown
