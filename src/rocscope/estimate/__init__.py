"""The uncertainty of a number: the Estimate, and intervals for proportions, ratios and differences of counts.

>>> from rocscope import estimate
>>> print(estimate.proportion(40, 50))
0.80 [0.67, 0.89]

- `estimate.py`: `Estimate`, a number with its limits, level, method and reason
- `interval_methods.py`: `@interval("name", fits=...)`, so that a method is found by its name
- `proportions.py`: Wilson (the default) and its named alternatives; the anytime-valid rate
- `ratios.py`: likelihood ratios, odds ratio, predictive values at a given prevalence
- `combined_proportions.py`: two proportions, of two samples or of the same cases
- `of_counts.py`, `matrix_estimates.py`: any measure of four cells or of a k x k matrix, by these or `delta.py`
- `delta.py`: the delta method, on a scale that keeps the limits inside a measure's range
"""

from rocscope.estimate.combined_proportions import between, difference, mover, paired_difference
from rocscope.estimate.delta import on_scale
from rocscope.estimate.estimate import Estimate, undefined
from rocscope.estimate.interval_methods import IntervalMethod, find, interval, methods
from rocscope.estimate.matrix_estimates import of_matrix
from rocscope.estimate.of_counts import of
from rocscope.estimate.proportions import e_value, proportion, wilson_limits
from rocscope.estimate.ratios import likelihood_ratio, odds_ratio, predictive_value
from rocscope.numbers import checked_cases, checked_level, checked_share, normal_quantile
from rocscope.text import show_number, show_p

__all__ = [
    "Estimate", "IntervalMethod", "between", "checked_cases", "checked_level", "checked_share", "difference", "e_value",
    "interval", "likelihood_ratio", "methods", "mover", "normal_quantile", "odds_ratio", "of", "of_matrix", "on_scale",
    "paired_difference", "predictive_value", "proportion", "show_number", "show_p", "undefined", "wilson_limits",
    "find",
]  # fmt: skip
