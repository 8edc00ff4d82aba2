"""Uncertainty: intervals for areas, curves, thresholds and costs, and the bootstrap of any statistic.

>>> from rocscope import ScoreTable, intervals
>>> print(intervals.auc(ScoreTable.from_scores([1, 1, 0, 0], [4, 3, 2, 1])))
1.00 [0.39, 1.00]

- `auc_intervals`: the AUC (scaled score interval, DeLong and the others by name), and for cases in clusters
- `class_means`: the mean AUCs of several classes
- `case_statistics`: any measure of several classes or labels, case by case
- `calibration_intervals`: calibration in the large, slope, intercept, ICI, E50, E90 and ECE
- `cluster_effects`: the effective number of independent cases in clusters
- `closed_forms`: closed forms for average precision, PR area, the KS statistic, Brier score and log loss
- `bootstrap_intervals`: resampling of any statistic of a table, and of rows in clusters or with weights
- `bands`: ROC and PR bands, sensitivity at fixed specificity, the CORP consistency band
- `thresholds`: thresholds not worse than the best, cross-fitted decisions, the optimism of a choice
- `after_choice`, `along_costs`: cost and measures, corrected for the choice of a threshold or a model
- `case_costs`, `referral_zones`: costs that differ from case to case, and a gray zone between two thresholds
- `cost_intervals`: net benefit, expected cost, break-even between two operating points
- `sample_size`: sample size and power
- `unlabelled`: few labels with many predictions, a changed prevalence, and partly verified cases
- `information_value`: the cost of not knowing the best option
- `multi_reader`: several readers of the same cases
- `influence`, `resamples`, `statistics`, `paired_cases`: the building blocks of these
"""

from typing import TYPE_CHECKING

from rocscope.intervals.auc_intervals import (
    area_covariance,
    auc,
    auc_clustered,
    auc_methods,
    newcombe_variance,
    scale_of,
    score_limits,
)
from rocscope.intervals.bootstrap_intervals import (
    Progress,
    bootstrap,
    bootstrap_rows,
    check_replicates,
    from_replicates,
    joined_blocks,
    model_values,
    replicates,
)
from rocscope.intervals.closed_forms import (
    area_in_clusters,
    average_precision,
    brier,
    ks_statistic,
    log_loss,
    of,
    pr_area,
)
from rocscope.intervals.influence import EffectiveSizes, auc_slopes, effective_sizes, linear_variance, placements
from rocscope.intervals.statistics import Ranged, Statistic, StatisticSpec, ValueRange, auc_values, statistic_of
from rocscope.registry import on_first_use

if TYPE_CHECKING:
    from rocscope.intervals.bands import (
        Band,
        calibration_band,
        pr_band,
        roc_band,
        roc_points,
        sensitivity_at,
        specificity_at,
    )
    from rocscope.intervals.calibration_intervals import ClassGaps, calibration, classwise_ece
    from rocscope.intervals.case_costs import PricedSelection, after_case_choice, case_cost, total_of
    from rocscope.intervals.case_statistics import (
        MEAN_AUCS,
        CaseStatistic,
        LabelProducts,
        Predictions,
        case_statistic,
        class_names,
        cost_per_thousand,
        cost_statistic,
        label_names,
        mean_cost,
        positive_statistic,
        two_class_cost,
    )
    from rocscope.intervals.chosen_thresholds import ENOUGH, Selection, after_choice, along_costs
    from rocscope.intervals.class_means import ClassProducts, PartCovariance, mean_auc
    from rocscope.intervals.cluster_effects import (
        ClusterEffect,
        ClusterFreedom,
        cell_slopes,
        cells_by_cluster,
        cluster_effect,
        measure_slopes,
    )
    from rocscope.intervals.cost_intervals import (
        BreakEven,
        break_even,
        break_even_costs,
        decision_curve,
        expected_cost,
        hull_break_evens,
        net_benefit,
    )
    from rocscope.intervals.explicit_names import EXAMPLES, AskedStatistic, asked_statistic
    from rocscope.intervals.information_value import Information, perfect_information, value_of_information
    from rocscope.intervals.multi_reader import readers_auc
    from rocscope.intervals.paired_cases import PairedCases, clusters_of, distinct_places
    from rocscope.intervals.referral_zones import ZoneChoice, after_referral
    from rocscope.intervals.resamples import CellCounts, CellSums, multiplicities, resampled
    from rocscope.intervals.sample_size import (
        StudyPlan,
        power_for_auc,
        power_for_difference,
        size_for_auc,
        size_for_difference,
        size_for_width,
    )
    from rocscope.intervals.thresholds import (
        CutPoints,
        Optimism,
        cross_fitted,
        cross_fitted_flags,
        cut_point,
        not_worse,
        optimism,
    )
    from rocscope.intervals.unlabelled import label_shift, prediction_powered_mean, verified_rate, verified_table
else:
    __getattr__ = on_first_use(__name__, {
        "bands": "Band calibration_band pr_band roc_band roc_points sensitivity_at specificity_at",
        "calibration_intervals": "ClassGaps calibration classwise_ece",
        "case_costs": "PricedSelection after_case_choice case_cost total_of",
        "case_statistics": (
            "MEAN_AUCS CaseStatistic LabelProducts Predictions case_statistic class_names cost_per_thousand "
            "cost_statistic label_names mean_cost positive_statistic two_class_cost"
        ),
        "chosen_thresholds": "ENOUGH Selection after_choice along_costs",
        "class_means": "ClassProducts PartCovariance mean_auc",
        "cluster_effects": (
            "ClusterEffect ClusterFreedom cell_slopes cells_by_cluster cluster_effect measure_slopes"
        ),
        "cost_intervals": (
            "BreakEven break_even break_even_costs decision_curve expected_cost hull_break_evens net_benefit"
        ),
        "explicit_names": "EXAMPLES AskedStatistic asked_statistic",
        "information_value": "Information perfect_information value_of_information",
        "multi_reader": "readers_auc",
        "paired_cases": "PairedCases clusters_of distinct_places",
        "referral_zones": "ZoneChoice after_referral",
        "resamples": "CellCounts CellSums multiplicities resampled",
        "sample_size": (
            "StudyPlan power_for_auc power_for_difference size_for_auc size_for_difference size_for_width"
        ),
        "thresholds": "CutPoints Optimism cross_fitted cross_fitted_flags cut_point not_worse optimism",
        "unlabelled": "label_shift prediction_powered_mean verified_rate verified_table",
    })  # fmt: skip

__all__ = [
    "ENOUGH", "EXAMPLES", "MEAN_AUCS", "AskedStatistic", "Band", "BreakEven", "CaseStatistic", "CellCounts",
    "CellSums", "ClassGaps", "ClassProducts", "ClusterEffect", "ClusterFreedom", "CutPoints", "EffectiveSizes",
    "Information", "LabelProducts", "Optimism", "PairedCases", "PartCovariance", "Predictions", "PricedSelection",
    "Progress", "Ranged", "Selection", "Statistic", "StatisticSpec", "StudyPlan", "ValueRange", "ZoneChoice",
    "after_case_choice", "after_choice", "after_referral", "along_costs", "area_covariance", "area_in_clusters",
    "asked_statistic", "auc", "auc_clustered", "auc_methods", "auc_slopes", "auc_values", "average_precision",
    "bootstrap", "bootstrap_rows", "break_even", "break_even_costs", "brier", "calibration", "calibration_band",
    "case_cost", "case_statistic", "cell_slopes", "cells_by_cluster", "check_replicates", "class_names",
    "classwise_ece", "cluster_effect", "clusters_of", "cost_per_thousand", "cost_statistic", "cross_fitted",
    "cross_fitted_flags", "cut_point", "decision_curve", "distinct_places", "effective_sizes", "expected_cost",
    "from_replicates", "hull_break_evens", "joined_blocks", "ks_statistic", "label_names", "label_shift",
    "linear_variance", "log_loss", "mean_auc", "mean_cost", "measure_slopes", "model_values", "multiplicities",
    "net_benefit", "newcombe_variance", "not_worse", "of", "optimism", "perfect_information", "placements",
    "power_for_auc", "power_for_difference", "pr_area", "pr_band", "prediction_powered_mean", "readers_auc",
    "replicates", "resampled", "roc_band", "roc_points", "scale_of", "score_limits", "sensitivity_at",
    "size_for_auc", "size_for_difference", "size_for_width", "specificity_at", "statistic_of", "total_of",
    "value_of_information", "verified_rate", "verified_table", "positive_statistic", "two_class_cost",
]  # fmt: skip
