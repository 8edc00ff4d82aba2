"""scikit-learn's metric functions, with its names, signatures and results, computed from this library's tables.

>>> from rocscope.sklearn import roc_auc_score
>>> roc_auc_score([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
0.75

Results, types, warnings and errors are those of scikit-learn 1.9. Where its policy differs from that of this library
(an undefined precision is 0 with a warning there, and NaN with a reason here), only this package follows scikit-learn.
scikit-learn need not be installed.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from rocscope.sklearn.area_scores import average_precision_score, roc_auc_score
from rocscope.sklearn.class_averages import (
    f1_score,
    fbeta_score,
    jaccard_score,
    precision_recall_fscore_support,
    precision_score,
    recall_score,
)
from rocscope.sklearn.matrices import (
    accuracy_score,
    balanced_accuracy_score,
    class_likelihood_ratios,
    cohen_kappa_score,
    confusion_matrix,
    hamming_loss,
    matthews_corrcoef,
    multilabel_confusion_matrix,
    zero_one_loss,
)
from rocscope.sklearn.probability_losses import (
    brier_score_loss,
    d2_brier_score,
    d2_log_loss_score,
    hinge_loss,
    log_loss,
)
from rocscope.sklearn.ranked_labels import (
    coverage_error,
    dcg_score,
    label_ranking_average_precision_score,
    label_ranking_loss,
    ndcg_score,
    top_k_accuracy_score,
)
from rocscope.sklearn.report import classification_report
from rocscope.sklearn.scorers import make_scorer, scorer
from rocscope.sklearn.threshold_curves import (
    auc,
    calibration_curve,
    confusion_matrix_at_thresholds,
    det_curve,
    metric_at_thresholds,
    precision_recall_curve,
    roc_curve,
)

if TYPE_CHECKING:
    from rocscope.sklearn.displays import (
        CalibrationDisplay,
        ConfusionMatrixDisplay,
        DetCurveDisplay,
        PrecisionRecallDisplay,
        RocCurveDisplay,
    )
    from rocscope.sklearn.estimators import CalibratedClassifier, CostThresholdClassifier, ThresholdClassifier

__all__ = [
    "confusion_matrix", "multilabel_confusion_matrix", "accuracy_score", "balanced_accuracy_score", "precision_score",
    "recall_score", "f1_score", "fbeta_score", "precision_recall_fscore_support", "classification_report",
    "cohen_kappa_score", "matthews_corrcoef", "jaccard_score", "hamming_loss", "zero_one_loss",
    "class_likelihood_ratios", "brier_score_loss", "log_loss", "d2_log_loss_score", "d2_brier_score", "hinge_loss",
    "top_k_accuracy_score", "roc_curve", "roc_auc_score", "auc", "det_curve", "precision_recall_curve",
    "average_precision_score", "confusion_matrix_at_thresholds", "metric_at_thresholds", "calibration_curve",
    "coverage_error", "label_ranking_average_precision_score", "label_ranking_loss", "dcg_score", "ndcg_score",
    "scorer", "make_scorer", "RocCurveDisplay", "PrecisionRecallDisplay", "DetCurveDisplay", "CalibrationDisplay",
    "ConfusionMatrixDisplay", "ThresholdClassifier", "CostThresholdClassifier", "CalibratedClassifier",
]  # fmt: skip

# names that require scikit-learn itself, loaded on first use: name -> module
_WITH_SCIKIT_LEARN = {
    "RocCurveDisplay": "displays", "PrecisionRecallDisplay": "displays", "DetCurveDisplay": "displays",
    "CalibrationDisplay": "displays", "ConfusionMatrixDisplay": "displays",
    "ThresholdClassifier": "estimators", "CostThresholdClassifier": "estimators", "CalibratedClassifier": "estimators",
}  # fmt: skip


def __getattr__(name: str) -> Any:
    if name not in _WITH_SCIKIT_LEARN:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from rocscope.splits import need_scikit_learn

    need_scikit_learn(name)
    return getattr(import_module(f"{__name__}.{_WITH_SCIKIT_LEARN[name]}"), name)
