"""Several classes, or several labels, for each case: tables, areas, losses, decisions.

>>> from rocscope.multiclass import ClassScores
>>> ClassScores.of([0, 1, 2], [[.8, .1, .1], [.2, .7, .1], [.1, .3, .6]]).auc().value
1.0

- `class_scores.py`: a score for every class: one-vs-rest and one-vs-one tables, their AUCs, volume under the surface
- `case_losses.py`: what each case adds to log loss, Brier score, top-k accuracy and rankings of labels
- `predictions.py`: what was predicted of each case: one class (`ClassPredictions`), or several labels
"""

from rocscope.multiclass.case_losses import (
    RankedLabels,
    class_places,
    coverages,
    log_losses,
    loss_if,
    ranked_labels,
    ranking_losses,
    ranking_precisions,
    squared_losses,
)
from rocscope.multiclass.class_scores import (
    ClassAverage,
    ClassScores,
    are_probabilities,
    check_probabilities,
    label_tables,
    score_matrix,
    volume,
)
from rocscope.multiclass.predictions import ClassPredictions, LabelPredictions, indicators

__all__ = [
    "ClassAverage", "ClassPredictions", "ClassScores", "LabelPredictions", "RankedLabels", "are_probabilities",
    "check_probabilities", "class_places", "coverages", "indicators", "label_tables", "log_losses", "loss_if",
    "ranked_labels", "ranking_losses", "ranking_precisions", "score_matrix", "squared_losses", "volume",
]  # fmt: skip
