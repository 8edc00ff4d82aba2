"""What each function accepts besides its data, and the messages with which scikit-learn refuses anything else.

scikit-learn's own exception and warning classes are used where scikit-learn is installed, so that `except` clauses and
warning filters written for it keep working; without it, classes of the same names and bases stand in.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache
from math import inf
from numbers import Integral, Real
from typing import Any, NamedTuple

import numpy as np


class Domain(NamedTuple):
    """Which values fit, and the choices in words."""

    fits: Callable[[Any], bool]
    words: tuple[str, ...]

    def __or__(self, other: Domain) -> Domain:
        first, two = self.fits, other.fits
        return Domain(lambda value: first(value) or two(value), self.words + other.words)


def check(function: str, **given: Any) -> None:
    """Refuse the first value that does not fit the rule of its name, as scikit-learn words it.

    The first statement of every function: `check("name", **locals())`, when its parameters are all it has.
    """
    rules = RULES[function]
    for name, value in given.items():
        rule = rules[name]
        if not rule.fits(value):
            words = ", ".join(rule.words[:-1]) + " or " + rule.words[-1] if len(rule.words) > 1 else rule.words[0]
            message = f"The {name!r} parameter of {function} must be {words}. Got {value!r} instead."
            raise invalid_parameter_error()(message)


# ---- exception and warning classes of scikit-learn ----


class _InvalidParameterError(ValueError, TypeError):
    """A parameter of a type or value that the function does not take."""


class _UndefinedMetricWarning(UserWarning):
    """The measure has no value here, and another is given in its place."""


@cache
def invalid_parameter_error() -> type[Exception]:
    """scikit-learn's InvalidParameterError, or ours of the same bases."""
    try:
        from sklearn.utils._param_validation import InvalidParameterError
    except ImportError:
        return _InvalidParameterError
    return InvalidParameterError  # type: ignore[no-any-return]


@cache
def undefined_metric_warning() -> type[Warning]:
    """scikit-learn's UndefinedMetricWarning, or ours."""
    try:
        from sklearn.exceptions import UndefinedMetricWarning
    except ImportError:
        return _UndefinedMetricWarning
    return UndefinedMetricWarning  # type: ignore[no-any-return]


# ---- validation rules ----


def array_like(value: Any) -> bool:
    """Whether it holds values rather than being one: it has a length, a shape or turns into an array."""
    if isinstance(value, np.ndarray):
        return value.ndim > 0
    holds = hasattr(value, "__len__") or hasattr(value, "shape") or hasattr(value, "__array__")
    return holds and not np.isscalar(value)


def _among(*choices: str) -> Domain:
    listed = ", ".join(map(repr, choices))
    return Domain(lambda value: isinstance(value, str) and value in choices, (f"a str among {{{listed}}}",))


def _numbers(words: str, *choices: float) -> Domain:
    def fits(value: Any) -> bool:
        return isinstance(value, Real) and (value in choices or (_is_nan(value) and "nan" in words))

    return Domain(fits, (words,))


def _within(low: float, high: float, words: str, kind: Any = Real) -> Domain:
    """Numbers of a range; the brackets of the text say which ends belong to it."""
    left, right = "[" in words, words.endswith("]")

    def fits(value: Any) -> bool:
        if not isinstance(value, kind) or _is_nan(value):
            return False
        return bool((low <= value if left else low < value) and (value <= high if right else value < high))

    return Domain(fits, (words,))


def _instance(*kinds: type) -> Domain:
    return Domain(lambda value: isinstance(value, kinds), tuple(f"an instance of {kind.__name__!r}" for kind in kinds))


def _is_nan(value: Any) -> bool:
    return isinstance(value, Real) and bool(value != value)


NONE = Domain(lambda value: value is None, ("None",))
ARRAY = Domain(array_like, ("an array-like",))
ARRAY_OR_SPARSE = Domain(array_like, ("an array-like", "a sparse array or matrix"))
FLAG = Domain(
    lambda value: value is True or value is False or isinstance(value, np.bool_),
    ("an instance of 'bool' or an instance of 'numpy.bool'",),
)
LABEL = Domain(
    lambda value: isinstance(value, Real | str | np.bool_),
    ("an instance of 'float'", "an instance of 'str'", *FLAG.words),
)
NAN = Domain(_is_nan, ("numpy.nan",))
COUNT = _within(1, inf, "an int in the range [1, inf)", Integral)
WARN = _among("warn")
AVERAGE = _among("binary", "macro", "micro", "samples", "weighted") | NONE
RANKING_AVERAGE = _among("macro", "micro", "samples", "weighted") | NONE
ZERO_DIVISION = _numbers("a float among {0.0, 1.0}", 0.0, 1.0) | NAN | WARN
BETA = _within(0, inf, "a float in the range [0.0, inf]")

_OPTIONAL = ARRAY | NONE
_LABELS = {"labels": _OPTIONAL, "sample_weight": _OPTIONAL, "pos_label": LABEL | NONE}
_TWO = {"y_true": ARRAY, "y_pred": ARRAY, **_LABELS}
_TWO_OR_SPARSE = {"y_true": ARRAY_OR_SPARSE, "y_pred": ARRAY_OR_SPARSE, **_LABELS}
_AVERAGED = {**_TWO_OR_SPARSE, "average": AVERAGE, "zero_division": ZERO_DIVISION, "beta": BETA}
_SCORED = {"y_true": ARRAY, "y_score": ARRAY, **_LABELS, "drop_intermediate": FLAG}
_LABEL_RANKED = {"y_true": ARRAY_OR_SPARSE, "y_score": ARRAY, "sample_weight": _OPTIONAL}
_GAINS = {"y_true": ARRAY, "y_score": ARRAY, "k": COUNT | NONE, "sample_weight": _OPTIONAL, "ignore_ties": FLAG}
_LOSS = {"y_true": ARRAY, **_LABELS}
_OLD_NAME = {"y_proba": Domain(lambda value: value is None or array_like(value), ARRAY.words)}
_OLD_NAME["y_pred"] = ARRAY | _instance(str)

RULES: dict[str, dict[str, Domain]] = {
    "confusion_matrix": {**_TWO, "normalize": _among("true", "pred", "all") | NONE},
    "multilabel_confusion_matrix": {**_TWO_OR_SPARSE, "samplewise": FLAG},
    "accuracy_score": {**_TWO_OR_SPARSE, "normalize": FLAG},
    "zero_one_loss": {**_TWO_OR_SPARSE, "normalize": FLAG},
    "hamming_loss": _TWO_OR_SPARSE,
    "balanced_accuracy_score": {**_TWO, "adjusted": FLAG},
    "precision_score": _AVERAGED,
    "recall_score": _AVERAGED,
    "f1_score": _AVERAGED,
    "fbeta_score": _AVERAGED,
    "precision_recall_fscore_support": {**_AVERAGED, "warn_for": _instance(list, tuple, set)},
    "jaccard_score": {**_AVERAGED, "zero_division": _numbers("a float among {0, 1}", 0, 1) | WARN},
    "classification_report": {
        **_AVERAGED,
        "target_names": _OPTIONAL,
        "digits": _within(0, inf, "an int in the range [0, inf)", Integral),
        "output_dict": FLAG,
    },
    "cohen_kappa_score": {
        "y1": ARRAY,
        "y2": ARRAY,
        **_LABELS,
        "weights": _among("linear", "quadratic") | NONE,
        "replace_undefined_by": _within(-1, 1, "a float in the range [-1.0, 1.0]") | NAN,
    },
    "matthews_corrcoef": _TWO,
    "class_likelihood_ratios": {
        **_TWO_OR_SPARSE,
        "replace_undefined_by": _numbers("a float among {1.0, nan}", 1.0) | _instance(dict),
    },
    "brier_score_loss": {**_LOSS, "y_proba": ARRAY, "scale_by_half": FLAG | _among("auto")},
    "d2_brier_score": {**_LOSS, "y_proba": ARRAY},
    "log_loss": {**_LOSS, **_OLD_NAME, "normalize": FLAG},
    "d2_log_loss_score": {**_LOSS, **_OLD_NAME},
    "hinge_loss": {**_LOSS, "pred_decision": ARRAY},
    "top_k_accuracy_score": {**_SCORED, "k": COUNT, "normalize": FLAG},
    "roc_curve": _SCORED,
    "det_curve": _SCORED,
    "precision_recall_curve": _SCORED,
    "confusion_matrix_at_thresholds": _SCORED,
    "metric_at_thresholds": {
        **_SCORED,
        "metric_func": Domain(callable, ("a callable",)),
        "metric_params": _instance(dict) | NONE,
    },
    "roc_auc_score": {
        **_SCORED,
        "average": RANKING_AVERAGE,
        "max_fpr": _within(0, 1, "a float in the range (0.0, 1.0]") | NONE,
        "multi_class": _among("raise", "ovr", "ovo"),
    },
    "average_precision_score": {**_SCORED, "average": RANKING_AVERAGE, "pos_label": LABEL},
    "auc": {"x": ARRAY, "y": ARRAY},
    "calibration_curve": {
        "y_true": ARRAY,
        "y_prob": ARRAY,
        "pos_label": LABEL | NONE,
        "n_bins": COUNT,
        "strategy": _among("uniform", "quantile"),
    },
    "coverage_error": {"y_true": ARRAY, "y_score": ARRAY, "sample_weight": _OPTIONAL},
    "label_ranking_average_precision_score": _LABEL_RANKED,
    "label_ranking_loss": _LABEL_RANKED,
    "dcg_score": {**_GAINS, "log_base": _within(0, inf, "a float in the range (0.0, inf)")},
    "ndcg_score": _GAINS,
}


def listed(values: Iterable[Any]) -> str:
    """The values as a NumPy array prints them, as scikit-learn's messages show classes."""
    return str(np.asarray(list(values)))
