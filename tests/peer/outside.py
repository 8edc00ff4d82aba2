"""Tests of scikit-learn that are outside a drop-in's duty, each with its reason; everything else must pass."""

from __future__ import annotations

import re

REASONS: list[tuple[str, str]] = [
    (r"array_api", "array-API dispatch on other backends (torch, CuPy, dpnp, array_api_strict)"),
    (r"::test__check_targets", "asks the private helper _check_targets"),
    (r"::test_sort_inputs_and_compute", "asks the private helper _sort_inputs_and_compute_classification_thresholds"),
    (r"::test_averaging_binary_multilabel_all_zeroes", "asks the private helper _average_binary_score"),
    (r"::test_scoring_is_not_metric", "asks that the functions live in a module named sklearn.metrics"),
    # tests/test_sklearn.py::test_the_type_of_a_weighted_matrix has the rest of this test
    (r"::test_confusion_matrix_dtype", "asks that sums of weights beyond int64 wrap around to negative counts"),
]


def outside(test: str) -> str:
    """Why a test (file::name) is not the drop-in's duty, or ''."""
    return next((why for pattern, why in REASONS if re.search(pattern, test)), "")
