"""scikit-learn's display classes, with curves from this library's tables and bands around them.

They are subclasses of scikit-learn's: what is drawn, and how, is as there. The numbers are this library's, a band at
`level` is drawn unless `band=False`, and `from_cv_results` exists for all five. Loaded when one of them is asked for:
scikit-learn 1.8 or later and matplotlib are needed then.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import sklearn
from sklearn import metrics
from sklearn.calibration import CalibrationDisplay as CalibrationDisplayBase
from sklearn.utils.multiclass import unique_labels

from rocscope import curves
from rocscope.errors import RocscopeError
from rocscope.estimate import wilson_limits
from rocscope.numbers import Array
from rocscope.plots import band_outline
from rocscope.sklearn import inputs
from rocscope.sklearn.area_scores import average_precision_score
from rocscope.sklearn.matrices import confusion_matrix
from rocscope.sklearn.threshold_curves import (
    auc,
    calibration_bins,
    calibration_curve,
    det_curve,
    precision_recall_curve,
    roc_curve,
    table_of,
)

if TYPE_CHECKING:
    from typing import Self

if [int(part) for part in sklearn.__version__.split(".")[:2]] < [1, 8]:
    raise RocscopeError(
        f"displays need scikit-learn 1.8 or later, but {sklearn.__version__} is installed",
        hint="pip install --upgrade scikit-learn; everything else in rocscope.sklearn works with 1.6",
    )

Answer = tuple[Any, Any, Any, Any]
"""One fold: true labels, the model's predictions, weights or None, and the positive label."""

PALE = 0.16  # opacity of a confidence band
UNSAID = "deprecated"  # scikit-learn's marker of a deprecated parameter


class _Banded:
    """A display that can draw a band around its curve, and its ways in: a fitted model, or the folds of one."""

    ax_: Any
    line_: Any
    band_: Any = None
    _outline: Any = None
    _response: Any = "auto"

    @classmethod
    def from_estimator(
        cls, estimator: Any, X: Any, y: Any, *, band: bool = True, level: float = 0.95, **how: Any
    ) -> Self:
        """The curve of a fitted classifier; `how` is the same as in scikit-learn."""
        display: Self = super().from_estimator(estimator, X, y, **how)._with_band(band, level)  # type: ignore[misc]
        return display

    @classmethod
    def from_cv_results(
        cls, cv_results: Mapping[str, Any], X: Any, y: Any, *, sample_weight: Any = None, response_method: Any = None,
        pos_label: Any = None, **how: Any,
    ) -> Self:  # fmt: skip
        """The curve of all test cases together, each scored by the model that did not see it."""
        folds = cls._folds(cv_results, X, y, sample_weight, response_method or cls._response, pos_label)
        truth, scores, weights, labels = zip(*folds, strict=True)
        if sample_weight is not None:
            how["sample_weight"] = np.concatenate([np.asarray(weight) for weight in weights])
        together = np.concatenate([np.asarray(part) for part in truth])
        display: Self = cls.from_predictions(together, np.concatenate(scores), pos_label=labels[0], **how)  # type: ignore[attr-defined]
        return display

    @classmethod
    def _folds(
        cls, cv_results: Mapping[str, Any], X: Any, y: Any, weights: Any, method: Any, pos_label: Any
    ) -> Iterator[Answer]:
        """Fold by fold: the test cases and what the model that did not see them says."""
        display: Any = cls
        display._validate_from_cv_results_params(cv_results, X, y, sample_weight=weights)
        for model, cases in zip(cv_results["estimator"], cv_results["indices"]["test"], strict=True):
            rows, truth = _rows(X, cases), _rows(y, cases)
            scores, label, _ = display._validate_and_get_response_values(
                model, rows, truth, response_method=method, pos_label=pos_label
            )
            yield truth, scores, _rows(weights, cases), label

    def draw_band(self, level: float | None = 0.95) -> Any:
        """Draw the band at a level in place of the existing one, or remove it (None); some curves can have no band.

        The band is pointwise, as that of `rocscope.intervals.roc_points`.
        """
        if self.band_ is not None:
            self.band_.remove()
            self.band_ = None
        if level is None or self._outline is None or isinstance(self.line_, list):
            return self
        try:
            x, y = self._outline(level)
        except RocscopeError:  # weights, or a class is missing
            return self
        color = self.line_.get_color()
        self.band_ = self.ax_.fill(x, y, color=color, alpha=PALE, linewidth=0, zorder=1)[0]
        return self

    def _with_band(self, band: bool, level: float) -> Any:
        return self.draw_band(level if band else None)


class _Curve(_Banded):
    """A display of one curve of thresholds: its points, and the outline of its band."""

    _drop = True  # default of drop_intermediate

    @staticmethod
    def _points(truth: Any, scores: Any, label: Any, weights: Any, drop: bool) -> dict[str, Any]:
        """What the display shows of labels and scores."""
        raise NotImplementedError

    @staticmethod
    def _edge(table: Any, level: float) -> tuple[Array, Array]:
        """The outline of the band."""
        raise NotImplementedError

    @classmethod
    def from_predictions(
        cls, y_true: Any, y_score: Any = None, *, sample_weight: Any = None, drop_intermediate: bool | None = None,
        pos_label: Any = None, name: str | None = None, y_pred: Any = UNSAID, band: bool = True, level: float = 0.95,
        **how: Any,
    ) -> Self:  # fmt: skip
        """The curve of labels and scores; `how` goes to `plot`."""
        display: Any = cls
        scores, drop = _scores(y_score, y_pred), cls._drop if drop_intermediate is None else drop_intermediate
        label, name = display._validate_from_predictions_params(
            y_true, scores, sample_weight=sample_weight, pos_label=pos_label, name=name
        )
        figure = display(
            **cls._points(y_true, scores, label, sample_weight, drop), **_called(cls, name), pos_label=label
        )
        figure.plot(name=name, **how)
        figure._outline = partial(cls._edge_of_scores, y_true, scores, label, sample_weight)
        banded: Self = figure._with_band(band, level)
        return banded

    @classmethod
    def _edge_of_scores(cls, y_true: Any, scores: Any, label: Any, sample_weight: Any, level: float) -> Any:
        return cls._edge(table_of(inputs.scored(y_true, scores, label, sample_weight)), level)


class _FoldCurves(_Curve):
    """One that shows the curve of each fold by itself."""

    @classmethod
    def from_cv_results(
        cls, cv_results: Mapping[str, Any], X: Any, y: Any, *, sample_weight: Any = None,
        drop_intermediate: bool = True, response_method: Any = "auto", pos_label: Any = None, name: Any = None,
        chance_level_kwargs: Any = None, **how: Any,
    ) -> Self:  # fmt: skip
        """One curve for each fold of `cross_validate(..., return_estimator=True, return_indices=True)`."""
        display: Any = cls
        points_by_fold, label = [], pos_label
        for truth, scores, weights, label in cls._folds(cv_results, X, y, sample_weight, response_method, pos_label):
            points_by_fold.append(cls._points(truth, scores, label, weights, drop_intermediate))
        figure = display(
            **{key: [points[key] for points in points_by_fold] for key in points_by_fold[0]}, name=name, pos_label=label
        )
        figure.plot(chance_level_kw=chance_level_kwargs, **how)
        folds: Self = figure
        return folds


def _called(display: Any, name: Any) -> dict[str, Any]:
    """The name under which a display takes it: "estimator_name" of the older ones."""
    return {"name" if issubclass(display, _FoldCurves) else "estimator_name": name}


def _scores(y_score: Any, y_pred: Any) -> Any:
    """The scores under their new name, or their old one with a warning."""
    if isinstance(y_pred, str) and y_pred == UNSAID:
        return y_score
    if y_score is not None:
        raise ValueError("`y_pred` and `y_score` cannot be both specified. Please use `y_score` only.")
    warnings.warn("y_pred was deprecated in 1.8 and will be removed; use `y_score`.", FutureWarning, stacklevel=3)
    return y_pred


def _rows(values: Any, cases: Any) -> Any:
    if values is None:
        return None
    return values.iloc[cases] if hasattr(values, "iloc") else np.asarray(values)[cases]


class RocCurveDisplay(_FoldCurves, metrics.RocCurveDisplay):  # type: ignore[misc]
    """scikit-learn's ROC curve display, with a confidence band.

    >>> RocCurveDisplay.from_predictions([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]).roc_auc
    0.75
    """

    @staticmethod
    def _points(truth: Any, scores: Any, label: Any, weights: Any, drop: bool) -> dict[str, Any]:
        fpr, tpr, _ = roc_curve(truth, scores, pos_label=label, sample_weight=weights, drop_intermediate=drop)
        return {"fpr": fpr, "tpr": tpr, "roc_auc": auc(fpr, tpr)}

    @staticmethod
    def _edge(table: Any, level: float) -> tuple[Array, Array]:
        return band_outline(curves.roc(table), level=level)


class PrecisionRecallDisplay(_FoldCurves, metrics.PrecisionRecallDisplay):  # type: ignore[misc]
    """scikit-learn's precision-recall display, with a confidence band.

    >>> PrecisionRecallDisplay.from_predictions([0, 1, 1], [0.1, 0.4, 0.8]).average_precision
    1.0
    """

    _drop = False

    @staticmethod
    def _points(truth: Any, scores: Any, label: Any, weights: Any, drop: bool) -> dict[str, Any]:
        precision, recall, _ = precision_recall_curve(
            truth, scores, pos_label=label, sample_weight=weights, drop_intermediate=drop
        )
        return {
            "precision": precision,
            "recall": recall,
            "average_precision": average_precision_score(truth, scores, pos_label=label, sample_weight=weights),
            "prevalence_pos_label": float(np.mean(np.asarray(truth) == label)),
        }

    @staticmethod
    def _edge(table: Any, level: float) -> tuple[Array, Array]:
        return band_outline(curves.pr(table), level=level)


class DetCurveDisplay(_Curve, metrics.DetCurveDisplay):  # type: ignore[misc]
    """scikit-learn's detection error tradeoff display, with a confidence band.

    >>> DetCurveDisplay.from_predictions([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]).band_ is not None
    True
    """

    @staticmethod
    def _points(truth: Any, scores: Any, label: Any, weights: Any, drop: bool) -> dict[str, Any]:
        fpr, fnr, _ = det_curve(truth, scores, pos_label=label, sample_weight=weights, drop_intermediate=drop)
        return {"fpr": fpr, "fnr": fnr}

    @staticmethod
    def _edge(table: Any, level: float) -> tuple[Array, Array]:
        """The outline in the plane of FPR and TPR as one of FPR and FNR on normal scales."""
        from scipy.stats import norm

        (x, y), edge = band_outline(curves.roc(table), level=level), np.finfo(np.float64).eps
        return norm.ppf(np.clip(x, edge, 1 - edge)), norm.ppf(np.clip(1 - y, edge, 1 - edge))


class CalibrationDisplay(_Banded, CalibrationDisplayBase):  # type: ignore[misc]
    """scikit-learn's reliability diagram, with an interval for the share of positives in each bin.

    >>> CalibrationDisplay.from_predictions([0, 1, 1], [0.1, 0.4, 0.8]).prob_true
    array([0., 1., 1.])
    """

    _response = "predict_proba"

    @classmethod
    def from_predictions(
        cls, y_true: Any, y_prob: Any, *, n_bins: int = 5, strategy: str = "uniform", pos_label: Any = None,
        name: str | None = None, band: bool = True, level: float = 0.95, **how: Any,
    ) -> CalibrationDisplay:  # fmt: skip
        """The curve of labels and probabilities; `how` is passed to `plot`."""
        label, name = cls._validate_from_predictions_params(
            y_true, y_prob, sample_weight=None, pos_label=pos_label, name=name
        )
        bins: dict[str, Any] = {"pos_label": pos_label, "n_bins": n_bins, "strategy": strategy}
        shares, means = calibration_curve(y_true, y_prob, **bins)
        display = cls(prob_true=shares, prob_pred=means, y_prob=y_prob, estimator_name=name, pos_label=label)
        display.plot(**how)
        display._outline = partial(_wilson_outline, *calibration_bins(y_true, y_prob, **bins))
        banded: CalibrationDisplay = display._with_band(band, level)
        return banded


def _wilson_outline(rows: Array, expected: Array, positives: Array, level: float) -> tuple[Array, Array]:
    low, high = wilson_limits(positives.astype(float), rows.astype(float), level=level)
    x = expected / rows
    return np.concatenate((x, x[::-1])), np.concatenate((high, low[::-1]))


class ConfusionMatrixDisplay(metrics.ConfusionMatrixDisplay):  # type: ignore[misc]
    """scikit-learn's confusion matrix display; `intervals=True` shows the interval of each cell's share.

    >>> ConfusionMatrixDisplay.from_predictions([0, 1, 1], [0, 1, 0]).confusion_matrix
    array([[1, 0],
           [1, 1]])
    """

    @classmethod
    def from_estimator(
        cls, estimator: Any, X: Any, y: Any, *, intervals: bool = False, level: float = 0.95, **how: Any
    ) -> ConfusionMatrixDisplay:
        """The matrix of a fitted classifier; `how` is the same as in scikit-learn."""
        display: ConfusionMatrixDisplay = super().from_estimator(estimator, X, y, **how)
        return display.write_intervals(level) if intervals else display

    @classmethod
    def from_predictions(
        cls, y_true: Any, y_pred: Any, *, labels: Any = None, sample_weight: Any = None, normalize: str | None = None,
        display_labels: Any = None, intervals: bool = False, level: float = 0.95, **how: Any,
    ) -> ConfusionMatrixDisplay:  # fmt: skip
        """The matrix of true and predicted labels; `how` is passed to `plot`."""
        if display_labels is None:
            display_labels = unique_labels(y_true, y_pred) if labels is None else labels
        options: dict[str, Any] = {"labels": labels, "sample_weight": sample_weight}
        cells = confusion_matrix(y_true, y_pred, normalize=normalize, **options)
        display = cls(confusion_matrix=cells, display_labels=display_labels)
        display._counted = confusion_matrix(y_true, y_pred, **options) if sample_weight is None else None
        display.plot(**how)
        return display.write_intervals(level) if intervals else display

    _counted: Any = None

    def write_intervals(self, level: float = 0.95) -> ConfusionMatrixDisplay:
        """Write below each cell the Wilson interval of its share of the true class, unless cases are weighted."""
        if self._counted is None or self.text_ is None:
            return self
        totals = self._counted.sum(axis=1, keepdims=True)
        low, high = wilson_limits(self._counted.astype(float), np.maximum(totals, 1).astype(float), level=level)
        for cell, text in np.ndenumerate(self.text_):
            text.set_text(f"{text.get_text()}\n{low[cell]:.0%}-{high[cell]:.0%}")
        return self

    @classmethod
    def from_cv_results(cls, cv_results: Mapping[str, Any], X: Any, y: Any, **how: Any) -> ConfusionMatrixDisplay:
        """The matrix of all test cases together, each decided by the model that did not see it."""
        if not {"estimator", "indices"} <= set(cv_results):
            raise ValueError(
                "cv_results has no estimators or indices: pass return_estimator=True and return_indices=True"
            )
        pairs = zip(cv_results["estimator"], cv_results["indices"]["test"], strict=True)
        predictions = [(np.asarray(_rows(y, cases)), model.predict(_rows(X, cases))) for model, cases in pairs]
        truth, guess = (np.concatenate(side) for side in zip(*predictions, strict=True))
        return cls.from_predictions(truth, guess, **how)
