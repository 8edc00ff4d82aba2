"""Tails of Student's t, of F and of the chi-square beside SciPy's, and in closed form."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import special

from rocscope import numbers
from rocscope.distributions import chi2_tail, fisher_tail, student_point, student_tail

FREEDOM = [0.5, 1, 1.5, 2, 3, 5, 9, 29.7, 99, 199, 201, 300, 1e3, 12345.6]
POINTS = [0.01, 0.3, 0.99, 1, 1.01, 1.4, 1.75, 1.96, 2.5, 4, 7, 12, 30]


@pytest.mark.parametrize("df", FREEDOM)
def test_student(df: float) -> None:
    for t in POINTS:
        assert student_tail(t, df) == pytest.approx(float(special.stdtr(df, -t)), rel=3e-12)
        assert student_tail(-t, df) == pytest.approx(float(special.stdtr(df, t)), rel=1e-13)
    for p in (0.6, 0.75, 0.9, 0.95, 0.975, 0.995, 0.99999):
        assert student_point(p, df) == pytest.approx(float(special.stdtrit(df, p)), rel=1e-12)
        assert student_tail(student_point(p, df), df) == pytest.approx(1 - p, rel=1e-13)


def test_student_in_closed_form() -> None:
    for t in POINTS:
        assert student_tail(t, 1) == pytest.approx(math.atan2(1, t) / math.pi, rel=1e-13)
        root = math.sqrt(t * t + 2)
        assert student_tail(t, 2) == pytest.approx(1 / (root * (root + t)), rel=1e-13)
        # far from the middle the next term of the expansion counts, 1e-8 for the largest t here
        normal, density = math.erfc(t / math.sqrt(2)) / 2, math.exp(-t * t / 2) / math.sqrt(2 * math.pi)
        if t <= 4:
            assert student_tail(t, 1e8) == pytest.approx(normal + density * (t**3 + t) / 4e8, rel=1e-12)
    assert student_tail(0, 7) == 0.5


def test_student_tails_fall_with_more_freedom() -> None:
    tails = [student_tail(2.0, df) for df in (*FREEDOM, 1e5, 1e6, 1e7, 1e8, 1e9)]
    assert tails == sorted(tails, reverse=True) and tails[-1] > math.erfc(math.sqrt(2)) / 2


@pytest.mark.parametrize("df1", [1, 2, 3, 4, 5, 9, 20, 39, 40])
def test_fisher(df1: int) -> None:
    for df2 in (1, 2.5, 10, 99, 1234, 1e5):
        for f in (0.01, 0.5, 0.99, 1, 1.01, 1.5, 3, 10, 100):
            expected = float(special.fdtrc(df1, df2, f))
            assert fisher_tail(f, df1, df2) == pytest.approx(expected, rel=3e-11, abs=1e-290)
        assert fisher_tail(0, df1, df2) == 1


@pytest.mark.parametrize("df", [1, 2, 3, 4, 5, 9, 10, 19, 40, 99, 190])
def test_chi_square(df: int) -> None:
    for x in (1e-9, 0.1, 1, 3.84, 10, 50, 200, 700, 1300):
        assert chi2_tail(x, df) == pytest.approx(float(special.chdtrc(df, x)), rel=2e-12, abs=1e-290)
    assert chi2_tail(0, df) == 1


def test_what_is_undefined_or_far_out_is_a_number_between_0_and_1() -> None:
    nan, far = math.nan, math.inf
    for value in (
        *(numbers.student_above(t, df) for t in (nan, far, -far, 40.0) for df in (0, 3, far)),
        *(numbers.fisher_above(f, a, b) for f in (0.0, nan, far, 3.0) for a in (0, 2, 2.5, 60) for b in (0, 5)),
        *(numbers.chi2_above(x, df) for x in (0.0, nan, far, 9e4) for df in (0, 1, 2.5, 60)),
    ):
        assert 0 < value <= 1
    assert numbers.student_quantile(0.0, 5) == 0 and numbers.student_quantile(1.0, 5) == far


# ---- roots and series ----

RISING = {
    "cube": lambda x: x**3,
    "logarithm": math.log,
    "arc tangent": lambda x: math.atan(50 * (x - 0.3)),
    "step": lambda x: float(x > 0.123),
    "infinite below": lambda x: -math.inf if x < 0.4 else x,
    "undefined at an end": lambda x: -1 / x,
}


@pytest.mark.parametrize("name", RISING)
def test_a_crossing_is_where_bisection_finds_it(name: str) -> None:
    draw = np.random.default_rng(4)
    for high in (1e-3, 1.0, 5.0, 1e6):
        target = 0.5 if name == "step" else RISING[name](float(draw.uniform(0.2, 0.9)) * high)
        asked: list[float] = []

        def rising(x: float, asked: list[float] = asked) -> float:
            asked.append(x)
            return RISING[name](x)

        found, (below, above) = numbers.crossing(rising, target, 0.0, high), (0.0, high)
        assert 0.0 not in asked and high not in asked
        while below < (middle := (below + above) / 2) < above:
            below, above = (middle, above) if RISING[name](middle) < target else (below, middle)
        assert found == middle


def test_a_smooth_crossing_takes_few_steps() -> None:
    asked: list[float] = []
    numbers.crossing(lambda x: (asked.append(x), math.exp(x))[1], 2.0, 0.0, 3.0)
    assert len(asked) < 25  # bisection alone: 53


@pytest.mark.parametrize("size", [1e-12, 1e-5, 0.009, 0.011, 3.0])
def test_what_a_logarithm_lacks_keeps_its_digits(size: float) -> None:
    from fractions import Fraction

    r = size * np.array([0.1, 0.5, 1.0])
    for one, found in zip(r.tolist(), numbers.beyond_log(r).tolist(), strict=True):
        if one < 0.5:
            exact = sum(Fraction((-1) ** k, k) * Fraction(one) ** k for k in range(2, 60))
            assert found == pytest.approx(float(exact), rel=1e-13)
        assert found == pytest.approx(one - math.log1p(one), rel=1e-13 + 1e-15 / one)
