"""One formula string and every reading of it."""

from __future__ import annotations

import math
import re
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rocscope.errors import RocscopeError
from rocscope.formula import CELLS, divide, logarithm, parse, root, zero_in_words
from rocscope.formula.tree import LONGEST
from rocscope.measures import catalog

FORMULAS = {one.name: one.formula for one in catalog() if one.formula is not None}
IRIS = {"tp": 7, "fp": 7, "fn": 3, "tn": 13}
COUNTS = st.fixed_dictionaries({name: st.one_of(st.integers(0, 9), st.integers(0, 5000)) for name in CELLS})


def near(a: float, b: float, tolerance: float = 1e-12) -> bool:
    return (math.isnan(a) and math.isnan(b)) or a == b or abs(a - b) <= tolerance * max(1.0, abs(a), abs(b))


# ---- random formulas ----


def combined(inner: Any) -> Any:
    pair = st.tuples(inner, inner)
    return st.one_of(
        st.tuples(pair, st.sampled_from("+-*/")).map(lambda t: f"({t[0][0]} {t[1]} {t[0][1]})"),
        inner.map(lambda x: f"-{x}"),
        st.tuples(inner, st.integers(1, 3)).map(lambda t: f"({t[0]})**{t[1]}"),
        st.tuples(st.sampled_from(("sqrt", "log", "abs")), inner).map(lambda t: f"{t[0]}({t[1]})"),
        st.tuples(st.sampled_from(("min", "max")), pair).map(lambda t: f"{t[0]}({t[1][0]}, {t[1][1]})"),
    )


LEAVES = st.sampled_from((*CELLS, "1", "2", "0.25", "10"))
TEXTS = st.recursive(LEAVES, combined, max_leaves=7).filter(lambda text: len(text) <= LONGEST)


def meaning(text: str, cells: dict[str, Any]) -> float:
    """What Python makes of the text in exact numbers; NaN where it divides by 0 or leaves the reals."""

    def log(x: Any) -> Fraction:
        return Fraction(math.log(x.numerator) - math.log(x.denominator))

    def sqrt(x: Any) -> Fraction:
        if x < 0:
            raise ValueError
        return root(Fraction(x))

    exact = re.sub(r"(?<![\w*])(\d+(?:\.\d+)?)", r"F('\1')", text)
    exact = re.sub(r"\*\*F\('(\d)'\)", r"**\1", exact)
    names = {"F": Fraction, "log": log, "sqrt": sqrt, "abs": abs, "min": min, "max": max}
    try:
        return float(eval(exact, {"__builtins__": {}}, {**names, **{k: Fraction(v) for k, v in cells.items()}}))
    except (ZeroDivisionError, ValueError):
        return math.nan


@settings(max_examples=150)
@given(TEXTS, COUNTS)
def test_a_formula_means_what_python_means(text: str, cells: dict[str, int]) -> None:
    formula = parse(text)
    expected = meaning(text, cells)
    assert near(formula.rounded(cells), expected, 1e-9)
    assert math.isnan(expected) == bool(formula.why(cells))


@settings(max_examples=150)
@given(TEXTS, COUNTS)
def test_its_text_reads_back_as_itself(text: str, cells: dict[str, int]) -> None:
    formula = parse(text)
    again = parse(formula.text)
    assert near(again.rounded(cells), formula.rounded(cells), 0.0)


@settings(max_examples=60)
@given(TEXTS, COUNTS)
def test_floats_follow_fractions(text: str, cells: dict[str, int]) -> None:
    formula = parse(text)
    exact, floats = formula.rounded(cells), formula.value({k: np.float64(v) for k, v in cells.items()})
    array = formula.value({k: np.array([float(v), 1.0]) for k, v in cells.items()})
    assert near(float(np.broadcast_to(array, 2)[0]), float(floats))
    simple = not re.search("sqrt|log|-", text)  # no cancellation: then floats are right to the last digits
    assert not simple or near(exact, float(floats), 1e-9)


# ---- numbers ----


def test_readings_of_precision() -> None:
    precision = parse("tp / (tp + fp)")
    assert precision.names == {"tp", "fp"}
    assert precision.exact(IRIS) == Fraction(1, 2)
    assert precision.rounded(IRIS) == precision.value(IRIS) == 0.5
    assert precision.value({"tp": np.array([7, 0]), "fp": np.array([7, 0])}).tolist()[0] == 0.5
    assert precision.worked(IRIS) == "TP / (TP + FP) = 7 / (7 + 7)"
    assert precision.upper == "TP / (TP + FP)" and precision.latex == r"\frac{TP}{TP + FP}"
    above, below = precision.ratio or pytest.fail("a quotient")
    assert (above.text, below.text) == ("tp", "tp + fp")
    assert precision.proportion == ({"tp"}, {"tp", "fp"})


@pytest.mark.parametrize(
    ("text", "shares"),
    [
        ("(tp + tn) / (tp + fp + fn + tn)", ({"tp", "tn"}, set(CELLS))),
        ("tp / (fp + fn)", None),  # not a part of the whole
        ("2 * tp / (2 * tp + fp + fn)", None),
        ("tp / (tp + tp + fp)", None),
        ("tp + fp", None),
    ],
)
def test_proportions_are_shares_of_cases(text: str, shares: Any) -> None:
    assert parse(text).proportion == shares


def test_decimals_are_read_as_written() -> None:
    assert parse("0.1 + 0.2").exact({}) == Fraction(3, 10)
    assert parse("1.25 * tp").exact({"tp": 4}) == 5
    assert parse("tp + 1").exact({"tp": 10**30}) == 10**30 + 1


def test_undefined_is_nan_never_infinite() -> None:
    zero = dict.fromkeys(CELLS, 0)
    for text in (
        "tp / fp",
        "log(tp)",
        "1 / (tp - fp)",
        "sqrt(tp - 1)",
        "log(tp - 1)",
        "tp / fp / fn",
        "log(tp) / log(fp)",
    ):
        assert math.isnan(parse(text).rounded(zero)) and math.isnan(float(parse(text).value(zero)))
        assert np.isnan(parse(text).value({name: np.zeros(3) for name in CELLS})).all()
        with pytest.raises(RocscopeError, match="undefined"):
            parse(text).exact(zero)
    assert np.isnan(divide(np.array([1.0, -1.0, 0.0]), 0)).all() and divide(1, 4) == 0.25


def test_irrational_values_are_refused_and_perfect_squares_are_not() -> None:
    assert parse("sqrt(tp / fp)").exact({"tp": 4, "fp": 9}) == Fraction(2, 3)
    assert parse("sqrt(tp)").exact({"tp": 10**40}) == 10**20
    assert parse("log(tp)").exact({"tp": 1}) == 0
    for text in ("sqrt(tp)", "log(tp)"):
        with pytest.raises(RocscopeError, match="no exact fraction"):
            parse(text).exact({"tp": 2})


@given(st.fractions(min_value=0, max_denominator=10**6))
def test_roots_are_good_to_36_digits(value: Fraction) -> None:
    found = root(value)
    assert abs(found * found - value) <= value * Fraction(1, 10**36)
    assert float(found) == pytest.approx(math.sqrt(value), rel=1e-15)
    assert root(value * value) == value


@given(st.fractions(min_value=Fraction(1, 10**9), max_value=10**9))
def test_logarithms_are_good_to_double_precision(value: Fraction) -> None:
    import mpmath

    with mpmath.workdps(40):
        truth = float(mpmath.log(mpmath.mpf(value.numerator) / value.denominator))
    assert float(logarithm(value)) == pytest.approx(truth, rel=1e-14, abs=1e-300)


def test_counts_far_beyond_float64() -> None:
    cells = {"tp": 10**200, "fp": 10**200, "fn": 1, "tn": 0}
    assert parse("tp * tp / (tp * fp + fn)").exact(cells) < 1
    assert parse("log(tp * tp)").rounded(cells) == pytest.approx(400 * math.log(10))
    assert parse("tp / (tp + fp)").rounded({"tp": 10**400, "fp": 10**400}) == 0.5


# ---- gradients ----


@settings(max_examples=60)
@given(TEXTS, st.fixed_dictionaries({name: st.integers(1, 60) for name in CELLS}))
def test_gradients_are_slopes(text: str, cells: dict[str, int]) -> None:
    formula = parse(text)
    gradient = formula.gradient({name: np.float64(cell) for name, cell in cells.items()})
    assert len(gradient) == 4
    for name, slope in zip(CELLS, gradient, strict=True):
        step = Fraction(1, 10**5)
        back, ahead = (formula.rounded({**cells, name: cells[name] + sign * step}) for sign in (-1, 1))
        here = formula.rounded(cells)
        first, bend = (ahead - back) / 2e-5, (ahead - 2 * here + back) / 1e-5
        if math.isnan(first) or abs(bend) > 1e-3 * max(1e-6, abs(first)) or abs(here) > 1e6:
            continue  # next to a kink, a pole or the end of where it is defined
        if math.isnan(slope) and "sqrt" in text:
            continue  # a root of 0 has no slope
        assert near(float(slope), first, 1e-5 * max(1.0, abs(here)))


def test_gradients_along_arrays_and_at_kinks() -> None:
    along = parse("tp / (tp + fp)").gradient({"tp": np.array([7.0, 1.0]), "fp": np.array([7.0, 3.0])})
    assert np.allclose(along[0], [7 / 196, 3 / 16]) and np.allclose(along[1], [-7 / 196, -1 / 16])
    tie = {"tp": 2.0, "fp": 2.0, "fn": 1.0, "tn": 1.0}
    assert [float(x) for x in parse("max(tp, fp)").gradient(tie)] == [1.0, 0.0, 0.0, 0.0]
    assert [float(x) for x in parse("min(tp, fp)").gradient(tie)] == [1.0, 0.0, 0.0, 0.0]
    assert all(math.isnan(x) for x in parse("tp / (fp - fp)").gradient(tie)[:2])


# ---- text ----


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("((tp)) / ((tp + fp))", "tp / (tp + fp)"),
        ("tp - (fp - fn)", "tp - (fp - fn)"),
        ("(tp - fp) - fn", "tp - fp - fn"),
        ("tp / (fp / fn)", "tp / (fp / fn)"),
        ("tp * (fp / fn)", "tp * (fp / fn)"),
        ("(tp * fp) / fn", "tp * fp / fn"),
        ("-(tp + fp)", "-(tp + fp)"),
        ("-tp**2", "-tp**2"),
        ("(-tp)**2", "(-tp)**2"),
        ("(tp**2)**3", "(tp**2)**3"),
        ("+tp", "tp"),
        ("tp - -fp", "tp - (-fp)"),
        ("0.5 * tp", "0.5 * tp"),
    ],
)
def test_brackets_are_kept_where_needed_only(text: str, plain: str) -> None:
    assert parse(text).text == plain


def test_numbers_filled_in() -> None:
    x = parse("x - 3", unknowns=True)
    assert parse("tn / (fp + tn)").worked({"fp": 3, "tn": x}) == "TN / (FP + TN) = (x - 3) / (3 + (x - 3))"
    assert parse("tp / fp").worked({"tp": 0.1, "fp": None}) == "TP / FP = 0.1 / FP"
    assert parse("tp**2").worked({"tp": Fraction(1, 2)}) == "TP**2 = (1/2)**2"


@pytest.mark.parametrize("name", FORMULAS)
def test_latex_says_the_same(name: str) -> None:
    formula = FORMULAS[name]
    latex = formula.latex
    assert latex.count("{") == latex.count("}") and latex.count(r"\left") == latex.count(r"\right")
    assert near(eval(from_latex(latex), {**MATHS, **{k.upper(): v for k, v in IRIS.items()}}), formula.rounded(IRIS))


MATHS = {"sqrt": math.sqrt, "log": math.log, "abs": abs, "min": min, "max": max}


def from_latex(latex: str) -> str:
    """The LaTeX as Python: innermost groups first."""
    text = latex.replace(r"\left|", "abs(").replace(r"\right|", ")").replace(r"\left(", "(").replace(r"\right)", ")")
    text = text.replace(r"\cdot", "*").replace(r"\ln", "log").replace(r"\min", "min").replace(r"\max", "max")
    rules = (
        (r"\^\{(\d+)\}", r"**\1"),
        (r"\\frac\{([^{}]*)\}\{([^{}]*)\}", r"((\1)/(\2))"),
        (r"\\sqrt\{([^{}]*)\}", r"sqrt(\1)"),
    )
    before = ""
    while text != before:
        before = text
        for pattern, replacement in rules:
            text = re.sub(pattern, replacement, text)
    return text


def test_latex_of_each_part() -> None:
    assert parse("sqrt(tp * fp)").latex == r"\sqrt{TP \cdot FP}"
    assert parse("abs(tp - fp)**2").latex == r"\left|TP - FP\right|^{2}"
    assert parse("log(tp)").latex == r"\ln\left(TP\right)" and parse("min(tp, 1)").latex == r"\min\left(TP, 1\right)"
    assert parse("(tp + fp) * fn").latex == r"(TP + FP) \cdot FN"
    assert parse("(tp / fp)**2").latex == r"(\frac{TP}{FP})^{2}"


# ---- JavaScript ----

POINTS = [
    dict(zip(CELLS, row, strict=True))
    for row in (
        (7, 7, 3, 13),
        (1, 2, 3, 4),
        (60000, 50000, 40000, 70000),
        (1, 1, 1, 1),
        (0, 0, 3, 5),
        (0, 2, 0, 5),
        (4, 0, 0, 9),
        (0, 0, 0, 0),
    )
]


# ---- unknowns ----


def test_expressions_in_simplest_form() -> None:
    cells = {"tp": 5, "fp": 3, "fn": 7, "tn": parse("x - 3", unknowns=True)}
    assert parse("tn / (fp + tn)").expression(cells) == "(x - 3)/x"
    assert parse("(tp + tn) / (tp + fp + fn + tn)").expression(cells) == "(x + 2)/(x + 12)"
    assert parse("2 * tp / (2 * tp + fp + fn)").expression(cells) == "1/2"
    assert parse("tp / (tp + fp)").expression({"tp": 5, "fp": None}) == "5/(fp + 5)"
    assert parse("sqrt(tn * tn + 6 * tn + 9)").expression(cells) == "Abs(x)"
    with pytest.raises(RocscopeError, match="divides by zero"):
        parse("tp / (fp - 3)").expression(cells)


# ---- reasons ----


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("tp / (tp + fp)", "nothing was predicted positive (TP + FP = 0)"),
        ("tn / (tn + fn)", "nothing was predicted negative (TN + FN = 0)"),
        ("tp / (tp + fn)", "there are no positives (TP + FN = 0)"),
        ("tn / (fp + tn)", "there are no negatives (FP + TN = 0)"),
        ("1 / (tp + fp + fn + tn)", "there are no cases (TP + FP + FN + TN = 0)"),
        ("1 / sqrt((tp + 1) * (fp + tn))", "there are no negatives (FP + TN = 0)"),
        ("1 / (fn + 1) / fp**2", "there are no false positives (FP = 0)"),
        ("1 / (tp - fp)", "TP - FP = 0"),
        ("log(tp)", "the logarithm of 0 (tp) is undefined"),
        ("sqrt(tp - 4)", "the root of -4 (tp - 4) is undefined"),
        ("tp + fp", ""),
    ],
)
def test_reasons(text: str, reason: str) -> None:
    assert parse(text).why(dict.fromkeys(CELLS, 0)) == reason


def test_zero_in_words_of_what_has_no_name() -> None:
    assert zero_in_words(parse("tp * fp + 1").tree) == "TP * FP + 1 = 0"


# ---- refusals ----


@pytest.mark.parametrize(
    "text",
    [
        "__import__('os')",
        "__import__('os').system('true')",
        "tp.real",
        "tp.__class__",
        "().__class__.__bases__",
        "lambda: tp",
        "(lambda x: x)(tp)",
        "'tp'",
        "b'tp'",
        "f'{tp}'",
        "True",
        "None",
        "1j",
        "...",
        "[tp]",
        "{tp}",
        "(tp, fp)",
        "[x for x in (tp,)]",
        "tp if fp else fn",
        "tp and fp",
        "not tp",
        "tp < fp",
        "tp == fp",
        "tp // fp",
        "tp % fp",
        "tp @ fp",
        "tp << 9",
        "tp & fp",
        "~tp",
        "tp[0]",
        "tp := 3",
        "(tp := 3)",
        "tp = 3",
        "tp; fp",
        "import os",
        "tp\nfp",
        "exec(tp)",
        "eval(tp)",
        "open(tp)",
        "pow(tp, 2)",
        "sqrt(tp, fp)",
        "sqrt()",
        "sqrt(*tp)",
        "min(tp)",
        "min(tp, fp, fn)",
        "max(a=tp, b=fp)",
        "sqrt",
        "TP",
        "precision",
        "_",
        "__builtins__",
        "ｔｐ1",
        "τp",
        "tр",
        "tp ÷ fp",
        "²",
        "",
        "   ",
        "(",
        "tp)",
        "tp +",
        "tp ** fp",
        "tp ** -1",
        "tp ** 0.5",
        "tp ** 10",
        "tp ** 1000000000",
        "tp ** True",
        "9 ** 9 ** 9",
        "2 ** 3 ** 4 ** 5",
        "1e999",
        "(" * 10_000 + "tp" + ")" * 10_000,
        "(" * 250 + "tp" + ")" * 250,
        "-" * 10_000 + "tp",
        "tp + " * 5_000 + "tp",
        "9" * 5_000,
        "tp\x00",
        "# tp",
    ],
    ids=lambda text: text[:20],
)  # fmt: skip
def test_refused(text: str) -> None:
    with pytest.raises(RocscopeError):
        parse(text)


def test_refusals_name_the_remedy() -> None:
    with pytest.raises(RocscopeError, match="Did you mean 'sqrt'"):
        parse("sqr(tp)")
    with pytest.raises(RocscopeError, match="unknown name 'prevalence'"):
        parse("tp / prevalence")
    with pytest.raises(RocscopeError, match="an integer from 0 to 9"):
        parse("tp ** 99")
    with pytest.raises(RocscopeError, match=rf"at most {LONGEST}"):
        parse("tp + " * 500 + "tp")


def test_unknowns_are_plain_names_when_allowed() -> None:
    assert parse("x - 3", unknowns=True).names == {"x"}
    for text in ("x.y", "__class__", "_x", "é", "x()", "x['y']", "x if x else x"):
        with pytest.raises(RocscopeError):
            parse(text, unknowns=True)
    with pytest.raises(RocscopeError, match="unknown name 'x'"):
        parse("x - 3")


def test_the_deepest_formula_that_is_read_is_also_computed() -> None:
    deep = "-" * (LONGEST - 2) + "tp"
    formula = parse(deep)
    assert formula.exact({"tp": 3}) == 3 and formula.why({"tp": 3}) == ""
    assert float(formula.gradient({"tp": 3.0})[0]) == 1.0


def test_nested_powers_are_bounded() -> None:
    with pytest.raises(RocscopeError, match="degree"):
        parse("(((tp**9)**9)**9) / fp")
    with pytest.raises(RocscopeError, match="degree"):
        parse("((9**9)**9)**9")
    for allowed, refused in (
        ("(tp**8)**8", "(tp**8)**8 * fp"),
        ("/".join(["tp"] * 64), "/".join(["tp"] * 65)),
        ("((tp*fp)**8)**4 + fn**3", "((tp*fp)**8)**4 * (fn + 1)"),
        ("log((tp**8)**7) - min(tp, -(fp**8)**8)", "log((tp**8)**7) * fp**9"),
    ):
        parse(allowed)
        with pytest.raises(RocscopeError, match="the degree of a formula must be at most 64, not 65"):
            parse(refused)


def test_reason_looks_through_quotients() -> None:
    assert parse("tp / (fp / (fp + tn))").why({"tp": 1, "fp": 0, "tn": 3}).startswith("there are no false positives")
