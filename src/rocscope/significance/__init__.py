"""Tests between classifiers, and adjustments for multiple tests.

>>> from rocscope import significance
>>> print(significance.mcnemar(2, 9))
−0.64 [−0.94, −0.03] p = 0.039

- `paired.py`: classifiers on the same cases, right or wrong (McNemar, Cochran), and class by class (Bowker)
- `auc_tests.py`: areas under ROC curves on the same cases or of two samples (DeLong, also jointly)
- `permutation.py`: permutation of ranks within cases (Bandos, Venkatraman)
- `any_statistic.py`: any statistic, by paired bootstrap or permutation
- `cheapest.py`: the probability of being the cheapest model, at given costs or along all cost ratios
- `resampled.py`: tests of differences over folds and repetitions (5x2cv, corrected t, Bayesian t) or of cases
- `data_sets.py`: models over several data sets (Friedman, Nemenyi, Wilcoxon, sign test, Bayesian signed rank)
- `hierarchical.py`: a hierarchical model of cross-validated differences on several data sets
- `equivalence.py`: equivalence and non-inferiority, with a margin that you state; posteriors
- `multiplicity.py`: Holm, Bonferroni, Benjamini-Hochberg
- `declared_tests.py`: `@difference("name", takes=...)`, so that a test is found by its name where it fits
"""

from rocscope.significance.any_statistic import (
    bootstrap_difference,
    difference_of_replicates,
    permutation_difference,
)
from rocscope.significance.auc_tests import (
    delong,
    delong_of_tables,
    joint_delong,
    joint_delong_of_tables,
    with_few_cases,
)
from rocscope.significance.cheapest import Cheapest, best_probability, cheapest_along
from rocscope.significance.data_sets import (
    CriticalDifference,
    bayesian_signed_rank,
    friedman,
    nemenyi,
    sign_test,
    wilcoxon,
)
from rocscope.significance.declared_tests import (
    DISCORDANT,
    DISJOINT_PARTS,
    FOLDS,
    FOLDS_AND_ROPE,
    FOLDS_AND_SIZES,
    HALVES,
    ON_CASES,
    TWO_SCORES,
    Declared,
    catalog,
    difference,
    find,
    fitting,
    run_on_scores,
)
from rocscope.significance.equivalence import Posterior, non_inferiority, tost, within_margin
from rocscope.significance.hierarchical import bayesian_hierarchical
from rocscope.significance.multiplicity import (
    LargestDifference,
    benjamini_hochberg,
    bonferroni,
    degrees_of_freedom,
    holm,
    holm_defined,
    max_t,
    settled,
)
from rocscope.significance.paired import bowker, cochran_q, mcnemar, right_difference, stuart_maxwell
from rocscope.significance.permutation import rank_swap, venkatraman
from rocscope.significance.resampled import (
    bayesian_t,
    corrected_cases,
    corrected_t,
    corrected_t5,
    f_5x2,
    independent_t,
    naive_t,
    t_5x2,
)

__all__ = [
    "DISCORDANT", "DISJOINT_PARTS", "FOLDS", "FOLDS_AND_ROPE", "FOLDS_AND_SIZES", "HALVES", "ON_CASES", "TWO_SCORES",
    "Cheapest",
    "CriticalDifference", "Declared", "LargestDifference", "Posterior", "bayesian_hierarchical",
    "bayesian_signed_rank", "bayesian_t",
    "benjamini_hochberg", "best_probability", "bonferroni", "bootstrap_difference", "bowker", "catalog",
    "cheapest_along",
    "cochran_q", "corrected_cases", "corrected_t", "corrected_t5", "degrees_of_freedom", "delong",
    "delong_of_tables", "difference", "difference_of_replicates", "f_5x2", "find", "fitting", "friedman",
    "holm", "holm_defined", "independent_t", "joint_delong", "joint_delong_of_tables", "max_t",
    "mcnemar", "naive_t", "nemenyi", "non_inferiority",
    "permutation_difference", "rank_swap", "right_difference", "run_on_scores", "settled", "sign_test",
    "stuart_maxwell", "t_5x2", "tost", "venkatraman", "wilcoxon", "with_few_cases", "within_margin",
]  # fmt: skip
