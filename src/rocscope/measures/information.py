"""Information: how much the prediction says about the truth, whatever the classes are called.

Entropies are in bits. 0 log 0 is 0, its limit.
"""

from __future__ import annotations

import math
from math import inf
from typing import Any

import numpy as np

from rocscope.measures.measure import CLASS_MARGINS, NO_CASES, ONE_CLASS, ONE_EACH, UNSEEN, Measure
from rocscope.measures.of_matrix import (
    actual,
    agreement,
    bits,
    never_negative,
    outer,
    plog,
    predicted,
    ratio,
    ready,
    total,
)

NEVER_PREDICTED = "a class that occurs is never predicted"
ONE_ACTUAL = "all cases belong to one class, so there is nothing to predict"
ONE_PREDICTED = "all cases are predicted as one class, so the prediction carries no information"

SHANNON = "Shannon 1948, Bell System Technical Journal 27:379"
V_MEASURE = "Rosenberg & Hirschberg 2007, EMNLP-CoNLL, p. 410"
DELGADO = "Delgado & Núñez-González 2019, PLoS ONE 14:e0210264"


def _shares(x: Any, a: Any) -> tuple[Any, Any]:
    """Counts as shares of all cases, with the number of cases they are shares of."""
    n = a.sum((-2, -1), keepdims=True)
    everything = n if np.ndim(x) == np.ndim(a) else n[..., 0]
    return ratio(x, everything, NO_CASES), everything


def _entropy(counts: Any, a: Any) -> Any:
    """The sum of p log(1 / p) in bits, over counts (..., k) or (..., k, k)."""
    shares, everything = _shares(counts, a)
    return bits(_summed(plog(shares, everything, counts), a))


def _summed(terms: Any, a: Any) -> Any:
    return terms.sum((-2, -1) if np.ndim(terms) == np.ndim(a) else -1)


def actual_entropy(a: Any) -> Any:
    """H(actual)."""
    return _entropy(actual(a), a)


def predicted_entropy(a: Any) -> Any:
    """H(predicted)."""
    return _entropy(predicted(a), a)


def joint_entropy(a: Any) -> Any:
    """H(actual, predicted)."""
    return _entropy(a, a)


def conditional_entropy(a: Any) -> Any:
    """H(predicted | actual)."""
    return bits(plog(_shares(a, a)[0], actual(a)[..., :, None], a).sum((-2, -1)))


def equivocation(a: Any) -> Any:
    """H(actual | predicted)."""
    return bits(plog(_shares(a, a)[0], predicted(a)[..., None, :], a).sum((-2, -1)))


def mutual_information(a: Any) -> Any:
    """The sum of p_ij log(p_ij / (p_i q_j)): 0 for independent sides, never below."""
    shares, everything = _shares(a, a)
    terms = plog(shares, everything * a, outer(actual(a), predicted(a)))
    return never_negative(bits(terms.sum((-2, -1))))


def cross_entropy(a: Any) -> Any:
    """The sum of p_i log(1 / q_i), actual shares p and predicted shares q."""
    shares, everything = _shares(actual(a), a)
    return bits(plog(shares, everything, predicted(a), NEVER_PREDICTED).sum(-1))


def kl_divergence(a: Any) -> Any:
    """The sum of p_i log(p_i / q_i), actual shares p and predicted shares q."""
    shares, _ = _shares(actual(a), a)
    return never_negative(bits(plog(shares, actual(a), predicted(a), NEVER_PREDICTED).sum(-1)))


def jensen_shannon(a: Any) -> Any:
    """The mean divergence of both distributions from their middle."""
    rows, columns = actual(a), predicted(a)
    sides = (plog(_shares(side, a)[0], 2 * side, rows + columns).sum(-1) for side in (rows, columns))
    return never_negative(bits(sum(sides)) / 2)


def _confusion(a: Any, modified: bool) -> tuple[Any, Any]:
    """Of each class: the sum of x log(whole / x) over its errors x, both ways, and the whole they are shares of."""
    k = a.shape[-1]
    whole = actual(a) + predicted(a) - (agreement(a) if modified else 0)
    off = a * (1 - np.eye(k, dtype=np.int64))
    out, back = (plog(x, whole[..., :, None], x).sum(-1) for x in (off, np.swapaxes(off, -2, -1)))
    base = math.log(2 * (k - 1)) if k > 1 else 0
    return ratio(out + back, base, ONE_CLASS), whole


def confusion_entropies(a: Any, *, modified: bool = False) -> Any:
    """The confusion entropy of each class (..., k): how its errors, both ways, spread over the other classes.

    The logarithm has the base 2 (k - 1), so that even spreading gives 1. The modified form leaves the hits out.
    Wei, Yuan, Hu & Wang 2010; Delgado & Núñez-González 2019.

    >>> [round(x, 4) for x in confusion_entropies(np.array([[7.0, 3.0], [7.0, 13.0]])).tolist()]
    [0.8935, 0.7581]
    """
    spread, whole = _confusion(ready(a), modified)
    return ratio(spread, whole, UNSEEN)


def confusion_entropy(a: Any, *, modified: bool = False) -> Any:
    """The mean of the confusion entropies, weighted by how much each class is met and predicted."""
    spread, _ = _confusion(a, modified)
    # with two classes the modified weights do not sum to 1, in accordance with the published definition
    hits = agreement(a).sum(-1) if modified and a.shape[-1] > 2 else 0
    return ratio(spread.sum(-1), 2 * total(a) - hits, NO_CASES)


# fmt: off: the short facts of a measure share a line
MEASURES: tuple[Measure, ...] = (
    Measure(
        "mutual_information", matrix=mutual_information, aka=("mi", "information_gain"), high=inf, best=inf,
        chance="0",
        says="How many bits of information the prediction carries about the truth, on average.",
        prefer="to compare classifiers on the same data; at most the entropy of the actual classes",
        cite=SHANNON,
        notation=r"\sum_{ij} p_{ij} \log_2 \frac{p_{ij}}{p_{i\cdot}\, p_{\cdot j}}",
    ),
    Measure(
        "relative_classifier_information",
        matrix=lambda a: ratio(mutual_information(a), actual_entropy(a), ONE_ACTUAL),
        aka=("rci", "homogeneity", "uncertainty_coefficient", "theils_u", "proficiency"), chance="0",
        says="The share of the uncertainty about the truth that the prediction removes.",
        prefer="for imbalanced classes; swapped class names are not penalized, so read it together with accuracy",
        cite="Sindhwani, Bhattacharya & Rakshit 2001, SIAM Data Mining; " + V_MEASURE,
        notation=r"\frac{I(A; B)}{H(A)}",
    ),
    Measure(
        "completeness", matrix=lambda a: ratio(mutual_information(a), predicted_entropy(a), ONE_PREDICTED),
        chance="0",
        says="The share of the uncertainty about the prediction that the truth removes.",
        prefer="for clusters: whether each class went into one cluster",
        cite=V_MEASURE, notation=r"\frac{I(A; B)}{H(B)}",
    ),
    Measure(
        "v_measure",
        matrix=lambda a: ratio(2 * mutual_information(a), actual_entropy(a) + predicted_entropy(a), ONE_EACH),
        title="V-measure", aka=("normalized_mutual_information", "nmi", "symmetric_uncertainty"), chance="0",
        says="Mutual information over the mean of both entropies.",
        prefer="for clusters without names; it increases with their number",
        cite=V_MEASURE,
        notation=r"\frac{2\, I(A; B)}{H(A) + H(B)}",
    ),
    Measure(
        "variation_of_information", matrix=lambda a: conditional_entropy(a) + equivocation(a), aka=("vi",),
        high=inf, best=0.0, chance=CLASS_MARGINS,
        says="The sum of the uncertainties, in bits, about each side once the other is known.",
        prefer="as a distance between two classifications of the same cases",
        cite="Meilă 2007, Journal of Multivariate Analysis 98:873", notation=r"H(A \mid B) + H(B \mid A)",
    ),
    Measure(
        "actual_entropy", matrix=actual_entropy, aka=("reference_entropy",), high=inf, best=None,
        chance=CLASS_MARGINS,
        says="The bits needed to encode the actual class: 1 for two equally frequent classes.",
        prefer="as the upper limit of the information in any prediction",
        cite=SHANNON,
        notation=r"H(A) = -\sum_i p_{i\cdot} \log_2 p_{i\cdot}",
    ),
    Measure(
        "predicted_entropy", matrix=predicted_entropy, aka=("response_entropy",), high=inf, best=None,
        chance=CLASS_MARGINS,
        says="The bits needed to encode the predicted class.",
        prefer="to see whether the classifier uses all its classes",
        cite=SHANNON,
        notation=r"H(B) = -\sum_j p_{\cdot j} \log_2 p_{\cdot j}",
    ),
    Measure(
        "joint_entropy", matrix=joint_entropy, high=inf, best=None, chance=CLASS_MARGINS,
        says="The bits needed to encode the actual and the predicted class together.",
        prefer="as a component of the other entropies",
        cite=SHANNON,
        notation=r"-\sum_{ij} p_{ij} \log_2 p_{ij}",
    ),
    Measure(
        "conditional_entropy", matrix=conditional_entropy, aka=("response_conditional_entropy",), high=inf,
        best=0.0, chance=CLASS_MARGINS,
        says="The uncertainty about the prediction, in bits, once the truth is known.",
        prefer="to see how erratic a classifier is within the classes",
        cite=SHANNON,
        notation=r"H(B \mid A) = -\sum_{ij} p_{ij} \log_2 \frac{p_{ij}}{p_{i\cdot}}",
    ),
    Measure(
        "equivocation", matrix=equivocation, high=inf, best=0.0, chance=CLASS_MARGINS,
        says="The uncertainty about the truth, in bits, once the prediction is known.",
        prefer="to see how much uncertainty is left after the prediction",
        cite=SHANNON,
        notation=r"H(A \mid B) = -\sum_{ij} p_{ij} \log_2 \frac{p_{ij}}{p_{\cdot j}}",
    ),
    Measure(
        "cross_entropy", matrix=cross_entropy, high=inf, best=None, chance=CLASS_MARGINS,
        says="The bits per case when actual classes are coded with the shares of the predictions. It is not the log "
        "loss.",
        prefer="as a component of the divergence; it compares totals, not individual cases",
        cite="Kullback & Leibler 1951, Annals of Mathematical Statistics 22:79",
        notation=r"-\sum_i p_{i\cdot} \log_2 p_{\cdot i}",
    ),
    Measure(
        "kl_divergence", matrix=kl_divergence, title="Kullback-Leibler divergence",
        aka=("kullback_leibler", "relative_entropy"), high=inf, best=0.0, chance=CLASS_MARGINS,
        says="The bits lost by using the shares of the predictions instead of those of the classes.",
        prefer="to see over- and under-prediction of classes; 0 says nothing about individual cases",
        cite="Kullback & Leibler 1951, Annals of Mathematical Statistics 22:79",
        notation=r"\sum_i p_{i\cdot} \log_2 \frac{p_{i\cdot}}{p_{\cdot i}}",
    ),
    Measure(
        "jensen_shannon_divergence", matrix=jensen_shannon, aka=("jsd",), best=0.0, chance=CLASS_MARGINS,
        says="How different the shares of the classes and of the predictions are, from 0 to 1 bit.",
        prefer="instead of the Kullback-Leibler divergence when a class is never predicted",
        cite="Lin 1991, IEEE Transactions on Information Theory 37:145",
        notation=r"\frac{1}{2} \sum_i \left(p_{i\cdot} \log_2 \frac{2 p_{i\cdot}}{p_{i\cdot} + p_{\cdot i}}"
        r" + p_{\cdot i} \log_2 \frac{2 p_{\cdot i}}{p_{i\cdot} + p_{\cdot i}}\right)",
    ),
    Measure(
        "information_score", "log((tp / (tp + fp)) / ((tp + fn) / (tp + fp + fn + tn))) / log(2)",
        aka=("log_lift", "pointwise_mutual_information"), low=-inf, high=inf, best=inf, chance="0",
        says="How many bits of information a flag carries about a case: the logarithm of lift to base 2.",
        prefer="like lift, but the gains of several steps can be added",
        cite="Kononenko & Bratko 1991, Machine Learning 6:67",
    ),
    Measure(
        "confusion_entropy", matrix=confusion_entropy, aka=("cen", "overall_cen"),
        high=2 / (math.e * math.log(2)), best=0.0, chance=CLASS_MARGINS,
        says="How evenly errors are spread over the wrong classes, for all classes together.",
        prefer="to separate scattered from systematic confusion; for two classes it can exceed 1, unlike the modified "
            "form",
        cite="Wei, Yuan, Hu & Wang 2010, Expert Systems with Applications 37:3799",
        notation=r"\sum_j \frac{n_{j\cdot} + n_{\cdot j}}{2n} \mathrm{CEN}_j,\; \mathrm{CEN}_j ="
        r" -\sum_{i \ne j} \left(q_{ij} \log_{2(k-1)} q_{ij} + q_{ji} \log_{2(k-1)} q_{ji}\right),\;"
        r" q = \frac{n_{ij}}{n_{j\cdot} + n_{\cdot j}}",
    ),
    Measure(
        "modified_confusion_entropy", matrix=lambda a: confusion_entropy(a, modified=True),
        aka=("mcen", "overall_mcen"), best=0.0, chance=CLASS_MARGINS,
        says="Confusion entropy with correct predictions left out of the shares, so that it stays between 0 and 1.",
        prefer="instead of confusion entropy for two classes",
        cite=DELGADO,
        notation=r"\sum_j w_j \mathrm{MCEN}_j,\; w_j = \frac{n_{j\cdot} + n_{\cdot j} - n_{jj}}"
        r"{2n - [k > 2] \sum_i n_{ii}}",
    ),
)
