"""The drop-in against scikit-learn itself: the same answers, types, warnings and refusals on random data sets.

Data sets are drawn by shape (which kind of labels, scores, weights, containers) and filled from a seed. Where an answer
is a number it must agree to 1e-12; float32 probabilities are the one exception, since scikit-learn sums them in float32
and we do not.
"""

from __future__ import annotations

import inspect
import math
import pickle
import re
import subprocess
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rocscope.sklearn as ours
from rocscope.errors import RocscopeError

theirs = pytest.importorskip("sklearn.metrics", reason="no scikit-learn")
pytestmark = pytest.mark.oracle

Call = Callable[[Any], Any]
CLOSE = 1e-12


def function(module: Any, name: str) -> Callable[..., Any]:
    if module is theirs and name in ("calibration_curve", "CalibrationDisplay"):
        import sklearn.calibration

        return getattr(sklearn.calibration, name)
    return getattr(module, name)


# ---- what a call gives: an answer or a refusal, and warnings ----


def outcome(call: Callable[[], Any]) -> tuple[str, Any, list[tuple[str, str]]]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            kind, value = "answer", call()
        except Exception as error:
            kind, value = "refusal", error
    said = [(w.category.__name__, str(w.message)) for w in caught if w.category is not RuntimeWarning]
    return kind, value, said


def same(mine: Any, other: Any, close: float = CLOSE) -> bool:
    if isinstance(other, tuple | list):
        alike = type(mine) is type(other) and len(mine) == len(other)
        return alike and all(same(a, b, close) for a, b in zip(mine, other, strict=True))
    if isinstance(other, dict):
        return list(mine) == list(other) and all(same(mine[key], other[key], close) for key in other)
    if isinstance(other, np.ndarray):
        alike = isinstance(mine, np.ndarray) and mine.dtype == other.dtype and mine.shape == other.shape
        return alike and bool(np.allclose(mine, other, rtol=close, atol=close, equal_nan=True))
    if isinstance(other, float):
        near = math.isclose(mine, other, rel_tol=close, abs_tol=close) or (math.isnan(mine) and math.isnan(other))
        return type(mine) is type(other) and near
    return type(mine) is type(other) and bool(mine == other)


def words(error: Exception) -> str:
    """A message without what cannot be the same: the order of a set (of texts, or of numbers with a NaN)."""
    return re.sub(r"\{([^{}]*)\}", lambda found: "{" + ", ".join(sorted(found[1].split(", "))) + "}", str(error))


def agree(name: str, *args: Any, close: float = CLOSE, **options: Any) -> None:
    mine = outcome(lambda: function(ours, name)(*args, **options))
    other = outcome(lambda: function(theirs, name)(*args, **options))
    shown = f"{name}{args, options}\n  ours   {mine}\n  theirs {other}"
    assert mine[0] == other[0], shown
    if mine[0] == "answer":
        assert same(mine[1], other[1], close), shown
    else:
        assert isinstance(mine[1], type(other[1])) and words(mine[1]) == words(other[1]), shown
    assert mine[2] == other[2], shown


# ---- random data sets ----

TEXT = np.array(["ape", "bee", "cat", "dog", "elk"], dtype=object)
WORD_KINDS = ["int", "wide", "negative", "float", "bool", "text", "object", "int8", "uint8"]


def labelled(codes: Any, kind: str) -> Any:
    """Class numbers as labels of a kind."""
    if kind == "bool":
        return codes % 2 == 1
    if kind == "wide":
        return np.array([7, -3, 1000, 12, 0])[codes]
    if kind in ("text", "object"):
        return TEXT[codes].astype(str) if kind == "text" else TEXT[codes]
    return (codes - 1 if kind == "negative" else codes).astype({"int": int, "negative": int}.get(kind, kind))


def contained(values: Any, how: str) -> Any:
    """The values as another container: read-only, strided, a list, one column of a matrix, a frame's column."""
    if how == "read-only":
        values = values.copy()
        values.flags.writeable = False
        return values
    if how == "strided":
        return np.repeat(values, 2, axis=0)[::2]
    if how == "list":
        return values.tolist()
    if how == "column" and values.ndim == 1:
        return values.reshape(-1, 1)
    if how == "pandas" and values.ndim == 1:
        return pytest.importorskip("pandas").Series(values)
    return values


CONTAINERS = st.sampled_from(["plain", "plain", "read-only", "strided", "list", "pandas"])
SEEDS = st.integers(0, 2**32 - 1)
SIZES = st.sampled_from([2, 3, 5, 8, 20, 60])


def weights(rng: Any, n: int, kind: str) -> Any:
    if kind == "none":
        return None
    if kind == "float":
        return rng.random(n)
    return rng.integers(0 if kind == "zeros" else 1, 4, n) + (np.arange(n) == 0)


WEIGHTS = st.sampled_from(["none", "none", "float", "int", "zeros"])


@settings(max_examples=250)
@given(SEEDS, SIZES, st.integers(1, 5), st.sampled_from(WORD_KINDS), CONTAINERS, WEIGHTS, st.data())
def test_labels(seed: int, n: int, k: int, kind: str, how: str, weighing: str, data: Any) -> None:
    rng = np.random.default_rng(seed)
    truth, guess = rng.integers(0, k, n), rng.integers(0, rng.integers(1, k + 1), n)
    guess = np.where(rng.random(n) < 0.5, truth, guess)
    y, p = (contained(labelled(codes, kind), how) for codes in (truth, guess))
    weight = {"sample_weight": weights(rng, n, weighing)}
    known = np.unique(labelled(np.arange(5), kind)).tolist()
    for name in (
        *("accuracy_score", "balanced_accuracy_score", "matthews_corrcoef", "hamming_loss", "zero_one_loss"),
        *("multilabel_confusion_matrix", "cohen_kappa_score", "confusion_matrix"),
    ):
        agree(name, y, p, **weight)
    # as text, float supports are printed to their last bit, which depends on the order of adding
    agree("classification_report", y, p, output_dict=weighing == "float", **weight)
    agree("classification_report", y, p, output_dict=True, zero_division=data.draw(st.sampled_from([0, 1, np.nan])))
    agree(
        "confusion_matrix", y, p, labels=known, normalize=data.draw(st.sampled_from(["true", "pred", "all"])), **weight
    )
    agree(
        "confusion_matrix", y, p, labels=data.draw(st.lists(st.sampled_from(known), max_size=3, unique=True)), **weight
    )
    agree("cohen_kappa_score", y, p, weights=data.draw(st.sampled_from(["linear", "quadratic"])), **weight)
    agree("class_likelihood_ratios", y, p, labels=known if len(known) == 2 else None, **weight)
    average = data.draw(st.sampled_from([None, "micro", "macro", "weighted", "binary", "samples"]))
    chosen = data.draw(st.sampled_from([None, known, known[:1], known[::-1]]))
    options = {"average": average, "labels": chosen, "pos_label": data.draw(st.sampled_from([1, known[-1]])), **weight}
    for name in ("precision_score", "recall_score", "f1_score", "jaccard_score", "precision_recall_fscore_support"):
        agree(name, y, p, **options)
    agree("fbeta_score", y, p, beta=data.draw(st.sampled_from([0.5, 2, 0, 3.7, np.inf])), **options)


@settings(max_examples=100)
@given(SEEDS, SIZES, st.integers(2, 5), st.sampled_from(["dense", "sparse", "read-only", "float"]), WEIGHTS, st.data())
def test_label_matrices(seed: int, n: int, k: int, how: str, weighing: str, data: Any) -> None:
    rng = np.random.default_rng(seed)
    y, p = (rng.random((n, k)) < rng.random() for _ in range(2))
    y[0, 0] = p[0, 0] = True  # the type of a sum over an empty sparse matrix is a matter of chance in scikit-learn
    y, p = (contained(matrix.astype(float if how == "float" else int), how) for matrix in (y, p))
    if how == "sparse":
        from scipy.sparse import csr_array

        y, p = csr_array(y), csr_array(p)
    weight = {"sample_weight": weights(rng, n, weighing)}
    for name in ("accuracy_score", "zero_one_loss", "hamming_loss", "multilabel_confusion_matrix"):
        agree(name, y, p, **weight)
    agree("classification_report", y, p, output_dict=weighing == "float", **weight)
    agree("multilabel_confusion_matrix", y, p, samplewise=True, **weight)
    options = {
        "average": data.draw(st.sampled_from([None, "micro", "macro", "weighted", "samples", "binary"])),
        **weight,
    }
    options["labels"] = data.draw(st.sampled_from([None, [0], [k - 1, 0], [k], [-1]]))
    for name in ("precision_score", "recall_score", "f1_score", "jaccard_score", "precision_recall_fscore_support"):
        agree(name, y, p, **options)


SCORES = ["continuous", "tied", "whole", "float32", "mixed", "tiny", "huge", "one", "bool"]


def scores(rng: Any, n: int, kind: str) -> Any:
    values = rng.random(n)
    if kind == "whole":
        return rng.integers(-3, 4, n)
    if kind == "bool":
        return values > 0.5
    return {
        "tied": np.round(values, 1),
        "float32": np.round(values, 2).astype(np.float32),
        "mixed": np.round(values - 0.5, 2),
        "tiny": values * 1e-300,
        "huge": (values - 0.5) * 1e300,
        "one": np.full(n, 0.25),
    }.get(kind, values)


@settings(max_examples=250)
@given(
    SEEDS,
    SIZES,
    st.sampled_from(["int", "bool", "negative", "text", "object", "float"]),
    st.sampled_from(SCORES),
    CONTAINERS,
    WEIGHTS,
)
def test_scores(seed: int, n: int, kind: str, scoring: str, how: str, weighing: str) -> None:
    rng = np.random.default_rng(seed)
    codes = (rng.random(n) < rng.choice([0.1, 0.5, 0.9])).astype(int)
    y = contained(labelled(2 * codes if kind == "negative" else codes, kind), how)
    s = contained(scores(rng, n, scoring), how)
    options = {"sample_weight": weights(rng, n, weighing)}
    positive = {} if kind not in ("text", "object") else {"pos_label": "bee"}
    for name in ("roc_curve", "precision_recall_curve", "det_curve"):
        for drop in (True, False):
            agree(name, y, s, drop_intermediate=drop, **positive, **options)
    agree("confusion_matrix_at_thresholds", y, s, **positive, **options)
    agree("roc_auc_score", y, s, **options)
    if weighing != "zeros":
        agree("roc_auc_score", y, s, max_fpr=float(rng.choice([0.1, 0.5, 0.99])), **options)
    agree("average_precision_score", y, s, **positive, **options)
    if scoring not in ("huge", "bool"):
        agree("hinge_loss", y, s, **options)
    if kind == "int" and n <= 20:
        for metric in ("accuracy_score", "f1_score", "balanced_accuracy_score", "precision_score"):
            agree_at_thresholds(y, s, metric, **options)
        # with one class and weights theirs divides one rounding error by another: 0, NaN or any number
        if weighing != "float" or len(set(codes.tolist())) == 2:
            agree_at_thresholds(y, s, "matthews_corrcoef", **options)


def agree_at_thresholds(y: Any, s: Any, metric: str, **options: Any) -> None:
    mine = outcome(lambda: ours.metric_at_thresholds(y, s, getattr(ours, metric), **options))
    other = outcome(lambda: theirs.metric_at_thresholds(y, s, getattr(theirs, metric), **options))
    assert mine[0] == other[0] == "answer"
    assert same(mine[1], other[1]), (y, s, metric, options, mine, other)


@settings(max_examples=200)
@given(
    SEEDS,
    SIZES,
    st.integers(2, 4),
    st.sampled_from(["int", "text", "object", "wide"]),
    WEIGHTS,
    st.booleans(),
    st.data(),
)
def test_probabilities(seed: int, n: int, k: int, kind: str, weighing: str, single: bool, data: Any) -> None:
    rng = np.random.default_rng(seed)
    y = labelled(rng.integers(0, k, n), kind)
    proba = rng.dirichlet(np.ones(k), n) if not single else rng.dirichlet(np.ones(k), n)[:, 0]
    if data.draw(st.booleans()):
        proba = np.round(proba, 1) if single else np.eye(k)[rng.integers(0, k, n)]
    options = {"sample_weight": weights(rng, n, weighing)}
    labels = data.draw(st.sampled_from([None, np.unique(labelled(np.arange(k), kind)).tolist()]))
    for name in ("log_loss", "brier_score_loss", "d2_log_loss_score", "d2_brier_score"):
        agree(name, y, proba, labels=labels, close=1e-10 if name.startswith("d2") else CLOSE, **options)
    agree("log_loss", y, proba, labels=labels, normalize=False, **options)
    agree("top_k_accuracy_score", y, proba, labels=labels, k=data.draw(st.integers(1, 4)), **options)
    agree("hinge_loss", y, np.log(proba + 0.01), labels=labels, **options)
    for how in ("ovr", "ovo"):
        average = data.draw(st.sampled_from(["macro", "weighted", "micro", None]))
        agree("roc_auc_score", y, proba, labels=labels, multi_class=how, average=average, **options)
    if not single:
        agree(
            "average_precision_score",
            y,
            proba,
            average=data.draw(st.sampled_from(["macro", "micro", "weighted", None])),
            **options,
        )
    if single and k == 2 and kind == "int":
        for strategy in ("uniform", "quantile"):
            agree("calibration_curve", y, proba, n_bins=data.draw(st.integers(1, 12)), strategy=strategy)


@settings(max_examples=150)
@given(SEEDS, SIZES, st.integers(2, 6), st.sampled_from(SCORES), WEIGHTS, st.data())
def test_scored_label_matrices(seed: int, n: int, k: int, scoring: str, weighing: str, data: Any) -> None:
    rng = np.random.default_rng(seed)
    y = (rng.random((n, k)) < rng.random()).astype(int)
    s = np.asarray(scores(rng, n * k, scoring)).reshape(n, k).astype(float)
    options = {"sample_weight": weights(rng, n, weighing)}
    average = data.draw(st.sampled_from(["macro", "micro", "weighted", "samples", None]))
    agree("roc_auc_score", y, s, average=average, **options)
    agree("average_precision_score", y, s, average=average, **options)
    for name in ("coverage_error", "label_ranking_average_precision_score", "label_ranking_loss"):
        agree(name, y, s, **options)
    gains = rng.integers(0, 5, (n, k)) if data.draw(st.booleans()) else rng.random((n, k))
    best = data.draw(st.sampled_from([None, 1, 2, 10]))
    agree("dcg_score", gains, s, k=best, log_base=data.draw(st.sampled_from([2, 10])), **options)
    agree("ndcg_score", gains, s, k=best, **options)


@settings(max_examples=50)
@given(SEEDS, st.sampled_from([2, 20, 60]))
def test_float32_probabilities_are_summed_in_float64(seed: int, n: int) -> None:
    rng = np.random.default_rng(seed)
    y = np.concatenate(([0, 1], rng.integers(0, 2, n - 2)))
    proba = np.clip(rng.random(n), 0.01, 0.99).astype(np.float32)
    for name in ("log_loss", "brier_score_loss"):
        agree(name, y, proba, close=1e-4)
        mine = function(ours, name)(y, proba)
        assert math.isclose(mine, function(theirs, name)(y, proba.astype(float)), rel_tol=1e-12)


# ---- wrong input ----

HARD = ("accuracy_score", "confusion_matrix", "f1_score", "matthews_corrcoef", "cohen_kappa_score", "hamming_loss")
SOFT = (
    "roc_curve",
    "precision_recall_curve",
    "average_precision_score",
    "roc_auc_score",
    "brier_score_loss",
    "log_loss",
)
WRONG_LABELS: list[tuple[Any, Any]] = [
    ([], []), ([0, 1], [0, 1, 1]), ([0, 1], [0.5, 0.7]), ([0, 1], [1, np.nan]), ([0, 1], [1, np.inf]),
    (None, [1]), (1, [1]), ("ab", "ab"), ([0, 1], None), (["a", "b"], [1, 0]), ([b"a", b"b"], [b"a", b"b"]),
    (np.array([0, 1], dtype=object), [1, 0]), (np.array(["a", None], dtype=object), ["a", "b"]),
    ([[0, 1], [1, 0]], [0, 1]), ([[0, 1], [1, 0]], [[0, 1, 1], [1, 0, 0]]), ([[0, 2], [1, 0]], [[0, 1], [1, 0]]),
    ([1 + 2j, 1], [1, 0]), ([0.5, 1.5], [0.5, 1.5]),
]  # fmt: skip
WRONG_WEIGHTS: list[Any] = [[1, 2, 3], [0, 0], [1, np.nan], [1, np.inf], 2, "ab", [[1, 2], [3, 4]], [1j, 2]]
WRONG_SCORES: list[tuple[Any, Any]] = [
    ([0, 1], [0.5]), ([0, 1], [0.5, np.nan]), ([0, 1], [0.5, np.inf]), ([0, 1], None), (None, [0.5]), ([0, 1], 0.5),
    ([0.5, 1], [0.5, 0.1]), (np.array([0, 1], dtype=object), [0.5, 0.1]), ([[0, 2], [1, 0]], [[0.1, 0.9], [0.8, 0.2]]),
    ([0, np.nan], [0.5, 0.1]),
]  # fmt: skip
WRONG_OPTIONS: list[tuple[str, dict[str, Any]]] = [
    ("f1_score", {"average": "x"}), ("f1_score", {"zero_division": 3}), ("f1_score", {"pos_label": [1]}),
    ("f1_score", {"pos_label": 7}), ("f1_score", {"pos_label": None}), ("fbeta_score", {"beta": -1}),
    ("fbeta_score", {"beta": "a"}), ("jaccard_score", {"zero_division": np.nan}), ("accuracy_score", {"normalize": 1}),
    ("classification_report", {"digits": -1}), ("classification_report", {"digits": 1.0}),
    ("classification_report", {"target_names": ["a"]}), ("confusion_matrix", {"labels": []}),
    ("confusion_matrix", {"labels": [5]}), ("confusion_matrix", {"labels": 3}),
    ("confusion_matrix", {"normalize": "x"}),
    ("cohen_kappa_score", {"weights": "x"}), ("cohen_kappa_score", {"replace_undefined_by": 3}),
    ("cohen_kappa_score", {"labels": [5]}), ("class_likelihood_ratios", {"replace_undefined_by": {"LR+": 0}}),
    ("class_likelihood_ratios", {"replace_undefined_by": 2}), ("balanced_accuracy_score", {"adjusted": "no"}),
    ("multilabel_confusion_matrix", {"samplewise": True}), ("precision_recall_fscore_support", {"warn_for": "a"}),
    ("roc_auc_score", {"max_fpr": 2}), ("roc_auc_score", {"multi_class": "x"}), ("roc_auc_score", {"average": "x"}),
    ("roc_curve", {"drop_intermediate": 1}), ("roc_curve", {"pos_label": [1]}),
    ("average_precision_score", {"pos_label": None}),
    ("average_precision_score", {"pos_label": 7}), ("top_k_accuracy_score", {"k": 0}),
    ("top_k_accuracy_score", {"k": 1.5}),
    ("brier_score_loss", {"scale_by_half": "x"}), ("log_loss", {"labels": [0]}), ("log_loss", {"labels": [5, 6]}),
    ("log_loss", {"y_pred": [0.5, 0.5]}), ("calibration_curve", {"n_bins": 0}),
    ("calibration_curve", {"strategy": "x"}),
    ("dcg_score", {"k": 0}), ("dcg_score", {"log_base": 0}), ("ndcg_score", {"ignore_ties": "no"}),
    ("det_curve", {"pos_label": {}}),
]  # fmt: skip


@pytest.mark.parametrize("name", HARD)
@pytest.mark.parametrize("case", range(len(WRONG_LABELS)))
def test_wrong_labels_are_refused_alike(name: str, case: int) -> None:
    agree(name, *WRONG_LABELS[case])


@pytest.mark.parametrize("name", (*HARD, "roc_auc_score", "brier_score_loss", "log_loss", "average_precision_score"))
@pytest.mark.parametrize("case", range(len(WRONG_WEIGHTS)))
def test_wrong_weights_are_refused_alike(name: str, case: int) -> None:
    agree(name, [0, 1], [1, 0], sample_weight=WRONG_WEIGHTS[case])


WEIGHTED = sorted(name for name in ours.__all__ if "sample_weight" in inspect.signature(getattr(ours, name)).parameters)


def weighted_call(name: str, weights: Any) -> Any:
    """A call of any function that takes weights, on six cases that suit it."""
    y, predicted, scores = [0, 1, 1, 0, 1, 0], [0, 1, 0, 0, 1, 1], [0.2, 0.9, 0.4, 0.1, 0.6, 0.7]
    if name in (
        "coverage_error",
        "label_ranking_average_precision_score",
        "label_ranking_loss",
        "dcg_score",
        "ndcg_score",
    ):
        rows = np.array([[1, 0, 1], [0, 1, 1]] * 3), np.array([[0.9, 0.4, 0.1], [0.3, 0.2, 0.8]] * 3)
        return function(ours, name)(*rows, sample_weight=weights)
    if name == "metric_at_thresholds":
        return ours.metric_at_thresholds(y, scores, ours.accuracy_score, sample_weight=weights)
    if name == "top_k_accuracy_score":
        return ours.top_k_accuracy_score(y, scores, k=1, sample_weight=weights)
    options = {"beta": 1.0} if name == "fbeta_score" else {}
    scored = {"y_score", "y_proba", "pred_decision"} & set(inspect.signature(getattr(ours, name)).parameters)
    return function(ours, name)(y, scores if scored else predicted, sample_weight=weights, **options)


@pytest.mark.parametrize("name", WEIGHTED)
def test_negative_weights_are_refused_everywhere(name: str) -> None:
    weighted_call(name, [1, 1, 2, 1, 1, 1])
    for weights in ([1, 1, -5, 1, 1, 1], [1.0, 1.0, 1.0, -1e-9, 1.0, 1.0]):
        with pytest.raises(ValueError, match="Negative values in data passed to `sample_weight`"):
            weighted_call(name, weights)


SUMMED = ("accuracy_score", "zero_one_loss", "hamming_loss", "balanced_accuracy_score", "matthews_corrcoef")
SUMMED += ("cohen_kappa_score", "class_likelihood_ratios", "f1_score", "roc_auc_score", "brier_score_loss")


@pytest.mark.parametrize("name", SUMMED)
def test_sums_of_weights_do_not_wrap_around(name: str) -> None:
    large = [3 * 10**18, 3 * 10**18, 3 * 10**18, 3 * 10**18, 1, 5]  # their sum passes int64
    np.testing.assert_allclose(
        weighted_call(name, large), weighted_call(name, [weight / 1e18 for weight in large]), rtol=1e-12
    )


@pytest.mark.parametrize(
    "name", ["accuracy_score", "balanced_accuracy_score", "matthews_corrcoef", "cohen_kappa_score", "f1_score"]
)
@pytest.mark.parametrize("weights", [[3, 0, 0], [0, 0, 3], [0, 1, 1], [0.5, 0, 0]])
def test_thresholds_with_all_weight_in_one_class(name: str, weights: list[float]) -> None:
    agree(
        "metric_at_thresholds",
        [0, 0, 1],
        [0.634, 0.506, 0.060],
        metric_func=getattr(theirs, name),
        sample_weight=weights,
    )


@pytest.mark.parametrize("name", SOFT)
@pytest.mark.parametrize("case", range(len(WRONG_SCORES)))
def test_wrong_scores_are_refused_alike(name: str, case: int) -> None:
    agree(name, *WRONG_SCORES[case])


@pytest.mark.parametrize("case", range(len(WRONG_OPTIONS)))
def test_wrong_options_are_refused_alike(case: int) -> None:
    name, options = WRONG_OPTIONS[case]
    agree(name, [0, 1], [1, 0], **options)


@pytest.mark.parametrize("name", ["roc_curve", "precision_recall_curve", "auc"])
def test_text_is_no_score(name: str) -> None:
    for module in (ours, theirs):
        with pytest.raises(TypeError):
            function(module, name)([0, 1], ["0.5", "0.7"])


@pytest.mark.parametrize("name", ["roc_auc_score", "average_precision_score", "brier_score_loss", "d2_brier_score"])
def test_dates_are_labels(name: str) -> None:
    days = np.array(["2020-01-01", "2020-01-02"], dtype="M8[D]")[[0, 1, 0, 1]]
    agree(name, days, [0.1, 0.4, 0.35, 0.8])
    agree("roc_auc_score", [], [0.5])


# ---- frames, scorers, and life without scikit-learn ----


def test_columns_of_frames() -> None:
    pandas, polars, pyarrow = (pytest.importorskip(name) for name in ("pandas", "polars", "pyarrow"))
    rng = np.random.default_rng(0)
    y, p = TEXT[rng.integers(0, 3, 50)], TEXT[rng.integers(0, 3, 50)]
    bits, s = rng.integers(0, 2, 50), rng.random(50)
    makers: list[Call] = [
        pandas.Series, lambda values: pandas.Series(values).astype("category"), polars.Series, pyarrow.array,
        lambda values: pandas.DataFrame({"a": values}),
        lambda values: pyarrow.chunked_array([values[:20], values[20:]]),
    ]  # fmt: skip
    expected, area = theirs.confusion_matrix(y, p), theirs.roc_auc_score(bits, s)
    for make in makers:
        assert np.array_equal(ours.confusion_matrix(make(y), make(p)), expected)
    for make in (pandas.Series, polars.Series, pyarrow.array, lambda v: pandas.Series(v).convert_dtypes()):
        assert ours.roc_auc_score(make(bits), make(s)) == pytest.approx(area, abs=1e-12)
        assert ours.f1_score(make(bits), make(1 - bits)) == theirs.f1_score(bits, 1 - bits)


def test_signatures_are_scikit_learns() -> None:
    from inspect import signature

    own = {"scorer", "ThresholdClassifier", "CostThresholdClassifier", "CalibratedClassifier"}
    for name in ours.__all__:
        if name not in own:
            mine, other = (signature(function(module, name)).parameters for module in (ours, theirs))
            assert [(p.name, p.kind, repr(p.default)) for p in mine.values()] == [
                (p.name, p.kind, repr(p.default)) for p in other.values()
            ], name


@pytest.fixture(scope="module")
def model() -> Any:
    from sklearn.datasets import make_classification
    from sklearn.linear_model import LogisticRegression

    x, y = make_classification(200, random_state=0)
    return LogisticRegression().fit(x, y), x, y


@pytest.mark.parametrize(
    ("name", "theirs_name"),
    [("auc", "roc_auc"), ("average_precision", "average_precision"), ("f1", "f1"), ("mcc", "matthews_corrcoef"),
     ("accuracy", "accuracy"), ("brier", "neg_brier_score"), ("log_loss", "neg_log_loss"), ("recall", "recall")],
)  # fmt: skip
def test_scorers_score_as_scikit_learns(model: Any, name: str, theirs_name: str) -> None:
    from sklearn.model_selection import cross_val_score

    estimator, x, y = model
    mine = cross_val_score(estimator, x, y, scoring=ours.scorer(name), cv=3)
    assert mine == pytest.approx(cross_val_score(estimator, x, y, scoring=theirs_name, cv=3), abs=1e-12)


def test_a_scorer_serves_a_grid_search_and_travels(model: Any) -> None:
    from sklearn.model_selection import GridSearchCV

    estimator, x, y = model
    for name in ("auc", "youden", "f0.5", "ks_statistic"):
        scorer = pickle.loads(pickle.dumps(ours.scorer(name)))
        search = GridSearchCV(estimator, {"C": [0.1, 1.0]}, scoring=scorer, cv=3).fit(x, y)
        assert 0 <= search.best_score_ <= 1
    made = theirs.make_scorer(ours.roc_auc_score, response_method="predict_proba")
    assert made(estimator, x, y) == pytest.approx(theirs.get_scorer("roc_auc")(estimator, x, y))


def test_scorers_know_text_labels_and_names(model: Any) -> None:
    estimator, x, y = model
    named = TEXT[y]
    fitted = type(estimator)().fit(x, named)
    assert ours.scorer("recall", positive="bee")(fitted, x, named) == theirs.recall_score(
        named, fitted.predict(x), pos_label="bee"
    )
    with pytest.raises(RocscopeError, match="Did you mean"):
        ours.scorer("acuracy")


def test_without_scikit_learn_it_works() -> None:
    code = """
import sys, warnings
sys.modules["sklearn"] = None
import rocscope.sklearn as rs
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    assert rs.precision_score([0, 1], [0, 0]) == 0.0
    assert rs.roc_auc_score([0, 1, 1], [0.1, 0.2, 0.05]) == 0.5
assert "UndefinedMetricWarning" in caught[0].category.__name__
try:
    rs.f1_score([0], [0], average="x")
except (ValueError, TypeError) as error:
    assert "average" in str(error)
else:
    raise SystemExit("not refused")
"""
    source = str(Path(ours.__file__).parents[2])
    done = subprocess.run([sys.executable, "-c", f"import sys; sys.path.insert(0, {source!r})\n{code}"], check=False)
    assert done.returncode == 0


def test_importing_it_loads_no_scikit_learn() -> None:
    source = str(Path(ours.__file__).parents[2])
    code = f"import sys; sys.path.insert(0, {source!r}); import rocscope.sklearn; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not {"sklearn", "scipy", "pandas"} & {name.split(".")[0] for name in done.stdout.split()}


def test_the_type_of_a_weighted_matrix() -> None:
    """As scikit-learn's, but for sums beyond int64, which wrap around there."""
    y, weight = [0, 1, 1], np.ones(3)
    for kind in (np.bool_, np.int32, np.uint64, np.float32, np.float64, object):
        mine, other = (one.confusion_matrix(y, y, sample_weight=weight.astype(kind)) for one in (ours, theirs))
        assert mine.dtype == other.dtype and mine.tolist() == other.tolist(), kind
    large = ours.confusion_matrix(y, y, sample_weight=np.full(3, 4294967295, dtype=np.uint32))
    assert large[1, 1] == 8589934590
    beyond = ours.confusion_matrix(y, y, sample_weight=np.full(3, 2**63 - 1))
    assert beyond[1, 1] == 2.0**64
