"""Tests between classifiers, and what to do when there are many of them.

>>> from rocscope import significance
>>> print(significance.mcnemar(2, 9))
−0.64 [−0.94, −0.03] p = 0.039

- `paired.py`: two or more classifiers on the same cases, right or wrong (McNemar, Cochran)
- `resampled.py`: differences over folds and repetitions (5x2cv, corrected t, its Bayesian twin), the same on cases
- `ranks.py`: several models over several data sets (Friedman, Nemenyi)
- `signs.py`: two models over several data sets (Wilcoxon, sign test, Bayesian signed rank)
- `margins.py`: equivalence and non-inferiority, with a margin that is asked for
- `multiplicity.py`: Holm, Bonferroni, Benjamini-Hochberg
- `areas.py`: areas under ROC curves on the same cases or of two samples (DeLong, also jointly)
- `swaps.py`: permutation of ranks within cases (Bandos, Venkatraman)
- `models.py`: any statistic, by paired bootstrap or permutation; the probability of being the cheapest model
- `along.py`: that probability along a whole axis of cost ratios
- `registry.py`: `@difference("name", ...)`, so that a test is found by its name
"""

from rocscope.significance.any_statistic import (
    Cheapest,
    best_probability,
    bootstrap_difference,
    permutation_difference,
)
from rocscope.significance.auc_tests import delong, joint_delong
from rocscope.significance.bayesian import Posterior
from rocscope.significance.cheapest import cheapest_along
from rocscope.significance.equivalence import non_inferiority, tost
from rocscope.significance.multiplicity import benjamini_hochberg, bonferroni, holm, settled
from rocscope.significance.paired import cochran_q, mcnemar
from rocscope.significance.permutation import rank_swap, venkatraman
from rocscope.significance.rank_tests import CriticalDifference, friedman, nemenyi
from rocscope.significance.registry import (
    DISCORDANT,
    DISJOINT_PARTS,
    FOLDS,
    FOLDS_AND_SIZES,
    HALVES,
    ON_CASES,
    TWO_SCORES,
    Declared,
    catalogue,
    difference,
    find,
    fitting,
    run_on_scores,
)
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
from rocscope.significance.sign_tests import bayesian_signed_rank, sign_test, wilcoxon

__all__ = [
    "DISCORDANT",
    "DISJOINT_PARTS",
    "FOLDS",
    "FOLDS_AND_SIZES",
    "HALVES",
    "ON_CASES",
    "TWO_SCORES",
    "Cheapest",
    "CriticalDifference",
    "Declared",
    "Posterior",
    "bayesian_signed_rank",
    "bayesian_t",
    "benjamini_hochberg",
    "best_probability",
    "bonferroni",
    "bootstrap_difference",
    "catalogue",
    "cheapest_along",
    "cochran_q",
    "corrected_cases",
    "corrected_t",
    "corrected_t5",
    "delong",
    "difference",
    "f_5x2",
    "find",
    "fitting",
    "friedman",
    "holm",
    "independent_t",
    "joint_delong",
    "mcnemar",
    "naive_t",
    "nemenyi",
    "non_inferiority",
    "permutation_difference",
    "rank_swap",
    "run_on_scores",
    "settled",
    "sign_test",
    "t_5x2",
    "tost",
    "venkatraman",
    "wilcoxon",
]
