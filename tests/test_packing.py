"""Rows put in order by sorting keys: the order of a stable argsort."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rocscope.tally import packed_keys

FUZZ = settings(deadline=None, max_examples=120)
LESS = settings(deadline=None, max_examples=50)

# ---- the order of rows ----

ORDERED = {
    "floats": st.floats(allow_nan=False, allow_infinity=False),
    "near": st.integers(0, 40).map(lambda ulps: 1.0 + ulps * 2.0**-52),
    "zeros": st.sampled_from([0.0, -0.0, 5e-324, -5e-324, 1.0]),
}


@given(st.data(), st.sampled_from(sorted(ORDERED)))
def test_order_is_that_of_a_stable_argsort(data: Any, kind: str) -> None:
    values = np.array(data.draw(st.lists(ORDERED[kind], min_size=1, max_size=60)))
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(packed_keys, "FEW", 0)
        assert packed_keys.order(values).tolist() == np.argsort(values, kind="stable").tolist()


@pytest.mark.parametrize("kind", ["<i8", "<u8", "<f8", "<f4", "<i2"])
def test_order_of_many_rows(kind: str) -> None:
    generator = np.random.default_rng(11)
    n = packed_keys.FEW + 5
    whole = generator.integers(0, 2**15, n) if kind == "<i2" else generator.integers(0, 2**62, n)
    values = generator.normal(size=n).astype(kind) if "f" in kind else whole.astype(kind)
    for some in (values, values // 2**50 if kind in ("<i8", "<u8") else values, np.repeat(values[: n // 5], 5)):
        assert np.array_equal(packed_keys.order(some), np.argsort(some, kind="stable"))


def test_order_looks_again_where_bits_are_lost() -> None:
    n = packed_keys.FEW + 1
    near = np.nextafter(0.5, 0) - np.arange(3) * 2.0**-54
    values = np.concatenate((np.linspace(0, 1, n - 6), near, [-1e300, 1e300, 0.5]))
    assert np.array_equal(packed_keys.order(values), np.argsort(values, kind="stable"))
    wide = np.exp(np.random.default_rng(0).normal(0, 100, n)) * np.tile([1, 1 + 2.0**-50], n)[:n]
    assert np.array_equal(packed_keys.order(np.repeat(wide, 3)), np.argsort(np.repeat(wide, 3), kind="stable"))


def test_sorting_by_halves_sorts() -> None:
    keys = np.random.default_rng(2).integers(-(2**60), 2**60, packed_keys.MANY + 7)
    expected = np.sort(keys)
    packed_keys.sort(keys)
    assert np.array_equal(keys, expected)
