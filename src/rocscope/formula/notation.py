"""Readings of a formula as text: plain, LaTeX, and with an unknown (sympy)."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from rocscope.formula.algebras import Arithmetic
from rocscope.formula.tree import Node, fold
from rocscope.numbers import fraction
from rocscope.record import record

if TYPE_CHECKING:
    import sympy

_LOOSE, _SUM, _PRODUCT, _TIGHT, _POWER = range(5)  # precedence levels


class Text:
    """Plain text with no more brackets than needed; each piece travels with its binding strength."""

    def __init__(self, names: Mapping[str, str]) -> None:
        self.names = names

    def number(self, value: Fraction) -> tuple[str, int]:
        if value.denominator == 1:
            return str(value), _POWER
        return (str(float(value)), _POWER) if fraction(float(value)) == value else (str(value), _PRODUCT)

    def name(self, name: str) -> tuple[str, int]:
        text = self.names[name]
        return text, _POWER if text.replace(".", "").isalnum() else _LOOSE

    def operate(self, sign: str, left: tuple[str, int], right: tuple[str, int]) -> tuple[str, int]:
        strength = _SUM if sign in "+-" else _PRODUCT
        # a - (b - c), a / (b * c) and a * (b / c) keep their parentheses; a + b + c and a * b * c need none
        tighter = strength if sign == "+" or (sign == "*" and "/" not in right[0]) else strength + 1
        return f"{bracket(left, strength)} {sign} {bracket(right, tighter)}", strength

    def negate(self, inner: tuple[str, int]) -> tuple[str, int]:
        return f"-{bracket(inner, _PRODUCT)}", _SUM

    def power(self, base: tuple[str, int], exponent: int) -> tuple[str, int]:
        return f"{bracket(base, _POWER)}**{exponent}", _TIGHT

    def call(self, function: str, arguments: tuple[tuple[str, int], ...]) -> tuple[str, int]:
        return f"{function}({', '.join(text for text, _ in arguments)})", _POWER


class Latex(Text):
    """LaTeX: fractions stand, products are close, roots have their sign."""

    def operate(self, sign: str, left: tuple[str, int], right: tuple[str, int]) -> tuple[str, int]:
        if sign == "/":
            return rf"\frac{{{left[0]}}}{{{right[0]}}}", _TIGHT
        if sign == "*":
            return rf"{bracket(left, _PRODUCT)} \cdot {bracket(right, _PRODUCT)}", _PRODUCT
        return super().operate(sign, left, right)

    def power(self, base: tuple[str, int], exponent: int) -> tuple[str, int]:
        return f"{bracket(base, _POWER)}^{{{exponent}}}", _TIGHT

    def call(self, function: str, arguments: tuple[tuple[str, int], ...]) -> tuple[str, int]:
        inner = ", ".join(text for text, _ in arguments)
        shapes = {"sqrt": rf"\sqrt{{{inner}}}", "abs": rf"\left|{inner}\right|"}
        return shapes.get(function, rf"\{'ln' if function == 'log' else function}\left({inner}\right)"), _POWER


def bracket(piece: tuple[str, int], strength: int) -> str:
    """The text of a piece, in brackets when it binds less than its surroundings ask."""
    return piece[0] if piece[1] >= strength else f"({piece[0]})"


@record(slots=True)
class Symbols(Arithmetic):
    """sympy expressions, built node by node from our own tree."""

    cells: Mapping[str, Any]

    def number(self, value: Fraction) -> sympy.Expr:
        import sympy

        return sympy.Rational(value.numerator, value.denominator)

    def name(self, name: str) -> sympy.Expr:
        import sympy

        cell: Any = self.cells.get(name)
        if hasattr(cell, "tree"):  # a formula itself, such as x - 3
            return fold(cell.tree, Symbols({}))
        return sympy.Symbol(name, real=True) if cell is None else self.number(Fraction(cell))

    def call(self, function: str, arguments: tuple[sympy.Expr, ...]) -> sympy.Expr:
        import sympy

        names = {"abs": "Abs", "min": "Min", "max": "Max"}
        return getattr(sympy, names.get(function, function))(*arguments)


class Spelled(dict[str, str]):
    """Names spelled by a rule, whatever they are."""

    def __init__(self, rule: Any) -> None:
        self.rule = rule

    def __missing__(self, name: str) -> str:
        return self.rule(name)  # type: ignore[no-any-return]


def text_of(tree: Node, names: Mapping[str, str] | None = None) -> str:
    """The tree as text, with its names unchanged or replaced by the given ones."""
    return fold(tree, Text(Spelled(str) if names is None else names))[0]  # type: ignore[no-any-return]
