"""Several classes, or several labels for each case: tables, areas, losses and decisions.

>>> from rocscope.multiclass import ClassScores
>>> ClassScores.of([0, 1, 2], [[.8, .1, .1], [.2, .7, .1], [.1, .3, .6]]).auc().value
1.0

- `class_scores.py`: a score for every class: one-vs-rest and one-vs-one tables, their AUCs, volume under the surface
- `case_losses.py`: what each case adds to log loss, Brier score, top-k accuracy and rankings of labels
- `case_sums.py`, `class_sums.py`: the same as sums over cases, which can be added: `ClassSums`, and `ClassStream` for
  batches
- `predictions.py`: what was predicted for each case: one class (`ClassPredictions`), or several labels
"""

from typing import TYPE_CHECKING

from rocscope.registry import on_first_use

if TYPE_CHECKING:
    from rocscope.multiclass.case_losses import (
        RankedLabels,
        class_places,
        coverages,
        log_losses,
        loss_if,
        mean_at_random,
        ranked_labels,
        ranking_losses,
        ranking_precisions,
        squared_losses,
    )
    from rocscope.multiclass.case_sums import (
        CaseMoments,
        CaseSums,
        KnownMean,
        ShareRange,
        are_probabilities,
        check_probabilities,
    )
    from rocscope.multiclass.class_scores import (
        ClassAverage,
        ClassRanking,
        ClassScores,
        label_tables,
        score_matrix,
        volume,
    )
    from rocscope.multiclass.class_sums import ClassStream, ClassSums
    from rocscope.multiclass.label_sums import CaseKinds, LabelStream, LabelSums
    from rocscope.multiclass.predictions import ClassPredictions, JointDecisions, LabelPredictions, indicators
else:
    __getattr__ = on_first_use(__name__, {
        "case_losses": (
            "RankedLabels class_places coverages log_losses loss_if mean_at_random ranked_labels ranking_losses "
            "ranking_precisions squared_losses"
        ),
        "case_sums": "CaseMoments CaseSums KnownMean ShareRange are_probabilities check_probabilities",
        "class_scores": "ClassAverage ClassRanking ClassScores label_tables score_matrix volume",
        "class_sums": "ClassStream ClassSums",
        "label_sums": "CaseKinds LabelStream LabelSums",
        "predictions": "ClassPredictions JointDecisions LabelPredictions indicators",
    })  # fmt: skip

__all__ = [
    "CaseKinds", "CaseMoments", "CaseSums", "ClassAverage", "ClassPredictions", "ClassRanking", "ClassScores",
    "ClassStream", "ClassSums", "JointDecisions", "KnownMean", "LabelPredictions", "LabelStream", "LabelSums",
    "RankedLabels", "ShareRange", "are_probabilities", "check_probabilities", "class_places", "coverages",
    "indicators", "label_tables", "log_losses", "loss_if", "mean_at_random", "ranked_labels", "ranking_losses",
    "ranking_precisions", "score_matrix", "squared_losses", "volume",
]  # fmt: skip
