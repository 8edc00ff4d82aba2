"""The checked tree of a formula: its grammar, and the one fold over it."""

from __future__ import annotations

import ast
import math
from collections.abc import Iterator
from fractions import Fraction
from typing import Any, NamedTuple, Protocol

from rocscope.errors import RocscopeError, did_you_mean
from rocscope.numbers import fraction

CELLS = ("tp", "fp", "fn", "tn")
FUNCTIONS = {"sqrt": 1, "log": 1, "abs": 1, "min": 2, "max": 2}
LONGEST = 600  # maximum length in characters, twice that of the longest formula in the catalog
HIGHEST_POWER = 9
HIGHEST_DEGREE = 64  # maximum degree of a formula: ((tp**9)**9)**9 is short but practically impossible to compute


class Num(NamedTuple):
    """A constant, stored as the exact decimal that was written."""

    value: Fraction


class Name(NamedTuple):
    """A cell, or an unknown such as x."""

    id: str


class Op(NamedTuple):
    """Two operands and an operator: + - * or /."""

    sign: str
    left: Any
    right: Any


class Neg(NamedTuple):
    """The negative of an expression."""

    inner: Any


class Power(NamedTuple):
    """base ** exponent, where the exponent is a small whole number."""

    base: Any
    exponent: int


class Call(NamedTuple):
    """One of FUNCTIONS applied to its arguments."""

    function: str
    arguments: tuple[Any, ...]


Node = Num | Name | Op | Neg | Power | Call
_SIGNS: dict[type[ast.operator], str] = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/"}


def read(text: str, *, unknowns: bool = False) -> Node:
    """The tree of the formula written in the text; with `unknowns`, it may contain names other than the cells."""
    if len(text) > LONGEST:
        raise RocscopeError(f"a formula must have at most {LONGEST} characters, not {len(text)}")
    try:
        tree = _node(ast.parse(text.strip(), mode="eval").body, unknowns)
    except (SyntaxError, RecursionError, MemoryError, OverflowError) as error:
        raise RocscopeError(f"'{text}' is not a formula", hint="Write, for example, tp / (tp + fp)") from error
    if degree(tree) > HIGHEST_DEGREE:
        raise RocscopeError(f"the degree of a formula must be at most {HIGHEST_DEGREE}, not {degree(tree)}")
    return tree


def degree(tree: Node) -> int:
    """The largest number of cells that are multiplied together, which bounds the work."""
    match tree:
        case Op("*" | "/", left, right):
            return degree(left) + degree(right)
        case Op(_, left, right):
            return max(degree(left), degree(right))
        case Power(base, exponent):
            return degree(base) * exponent
        case Neg(inner):
            return degree(inner)
        case Call(_, arguments):
            return max(degree(argument) for argument in arguments)
    return 1


def _node(tree: ast.expr, unknowns: bool) -> Node:
    match tree:
        case ast.Constant(value=int() | float() as value) if not isinstance(value, bool):
            return Num(_decimal(value))
        case ast.Name(id=name):
            return Name(_allowed_name(name, unknowns))
        case ast.UnaryOp(op=ast.USub(), operand=inner):
            return Neg(_node(inner, unknowns))
        case ast.UnaryOp(op=ast.UAdd(), operand=inner):
            return _node(inner, unknowns)
        case ast.BinOp(left=base, op=ast.Pow(), right=ast.Constant(value=int() as exponent)):
            if isinstance(exponent, bool) or not 0 <= exponent <= HIGHEST_POWER:
                raise RocscopeError(
                    f"an exponent in a formula must be an integer from 0 to {HIGHEST_POWER}, not {exponent}"
                )
            return Power(_node(base, unknowns), exponent)
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _SIGNS:
            return Op(_SIGNS[type(op)], _node(left, unknowns), _node(right, unknowns))
        case ast.Call(func=ast.Name(id=name), args=arguments, keywords=[]):
            return _call(name, arguments, unknowns)
    raise RocscopeError(
        f"'{ast.unparse(tree)}' is not part of the formula grammar",
        hint="Use names, numbers, + - * /, ** with a small whole exponent, and sqrt, log, abs, min or max",
    )


def _call(name: str, arguments: list[ast.expr], unknowns: bool) -> Call:
    if name not in FUNCTIONS:
        raise RocscopeError(f"unknown function '{name}' in the formula", hint=did_you_mean(name, FUNCTIONS))
    if len(arguments) != FUNCTIONS[name]:
        raise RocscopeError(f"{name} takes {FUNCTIONS[name]} argument(s), but {len(arguments)} were given")
    return Call(name, tuple(_node(argument, unknowns) for argument in arguments))


def _allowed_name(name: str, unknowns: bool) -> str:
    if name in CELLS or (unknowns and name.isascii() and name.isidentifier() and not name.startswith("_")):
        return name
    raise RocscopeError(f"unknown name '{name}' in the formula", hint=did_you_mean(name, CELLS))


def _decimal(value: float) -> Fraction:
    """A float is read as the decimal it prints as: 0.2 is 1/5."""
    if isinstance(value, float) and not math.isfinite(value):
        raise RocscopeError("a formula needs finite numbers")
    return fraction(value)


class Algebra(Protocol):
    """The operations by which a tree is interpreted."""

    def number(self, value: Fraction) -> Any: ...
    def name(self, name: str) -> Any: ...
    def operate(self, sign: str, left: Any, right: Any) -> Any: ...
    def negate(self, inner: Any) -> Any: ...
    def power(self, base: Any, exponent: int) -> Any: ...
    def call(self, function: str, arguments: tuple[Any, ...]) -> Any: ...


def fold(tree: Node, algebra: Algebra) -> Any:
    """The value of the tree in an algebra, leaves first."""
    if isinstance(tree, Op):  # the most frequent first; twice as fast as matching the classes with their fields
        return algebra.operate(tree.sign, fold(tree.left, algebra), fold(tree.right, algebra))
    if isinstance(tree, Name):
        return algebra.name(tree.id)
    if isinstance(tree, Num):
        return algebra.number(tree.value)
    if isinstance(tree, Call):
        return algebra.call(tree.function, tuple(fold(argument, algebra) for argument in tree.arguments))
    if isinstance(tree, Power):
        return algebra.power(fold(tree.base, algebra), tree.exponent)
    return algebra.negate(fold(tree.inner, algebra))


def walk(tree: Node) -> Iterator[Node]:
    """Every node of the tree, leaves first."""
    match tree:
        case Op(_, left, right):
            yield from walk(left)
            yield from walk(right)
        case Neg(inner) | Power(inner, _):
            yield from walk(inner)
        case Call(_, arguments):
            for argument in arguments:
                yield from walk(argument)
    yield tree
