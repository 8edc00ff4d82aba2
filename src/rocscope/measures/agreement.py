"""Agreement: how far prediction and truth agree beyond chance."""

from __future__ import annotations

from math import inf
from typing import Any

import numpy as np

from rocscope.measures.measure import CASES, COVARIANCE, MARGINS, NO_CASES, ONE_CLASS, PRODUCT, Measure
from rocscope.measures.of_matrix import (
    actual,
    agreement,
    apart,
    apart_of_outer,
    lesser,
    of_whole_cases,
    outer,
    predicted,
    ratio,
    right,
    root,
    total,
)

CERTAIN = "all cases belong to one class and are predicted as such, so chance agreement is already complete"
EMPTY_MARGIN = "all cases belong to one class, or all are predicted as one class"

COHEN = "Cohen 1960, Educational and Psychological Measurement 20:37"
BYRT = "Byrt, Bishop & Carlin 1993, Journal of Clinical Epidemiology 46:423"


def _by_chance(a: Any) -> Any:
    """n squared times the agreement expected when prediction and truth are independent."""
    return (actual(a) * predicted(a)).sum(-1)


def kappa(a: Any) -> Any:
    """1 - observed disagreement / disagreement expected by chance."""
    return 1 - ratio(total(a) * apart(a), apart_of_outer(actual(a), predicted(a)), CERTAIN)


def weighted_kappa(a: Any, power: int) -> Any:
    """Kappa with each disagreement weighted by the distance of its classes to a power."""
    position = np.arange(a.shape[-1])
    weight = np.abs(position[:, None] - position) ** power
    chance = (weight * outer(actual(a), predicted(a))).sum((-2, -1))
    return 1 - ratio(total(a) * (weight * a).sum((-2, -1)), chance, CERTAIN)


def kappa_max(a: Any) -> Any:
    """Kappa if prediction and truth agreed as far as their margins allow."""
    unequal = total(a) - lesser(actual(a), predicted(a)).sum(-1)
    return 1 - ratio(total(a) * unequal, apart_of_outer(actual(a), predicted(a)), CERTAIN)


def scott_pi(a: Any) -> Any:
    """Kappa with chance taken from the two margins together."""
    both = actual(a) + predicted(a)
    return 1 - ratio(4 * total(a) * apart(a), apart_of_outer(both, both), CERTAIN)


def krippendorff(a: Any) -> Any:
    """Alpha for nominal classes, two raters, no gaps: Scott's pi corrected for the sample size."""
    both = actual(of_whole_cases(a)) + predicted(a)
    return 1 - ratio((4 * total(a) - 2) * apart(a), apart_of_outer(both, both), CERTAIN)


def gwet(a: Any) -> Any:
    """AC1: chance agreement is what is left to those cases that are guessed."""
    both, n, k = actual(a) + predicted(a), total(a), a.shape[-1]
    most = 4 * (k - 1) * n * n
    why = ONE_CLASS if k == 1 else NO_CASES
    return 1 - ratio(most * apart(a), n * (most - apart_of_outer(both, both)), why)


def bennett(a: Any) -> Any:
    """S: chance agreement is 1 / k."""
    k = a.shape[-1]
    return 1 - ratio(k * apart(a), (k - 1) * total(a), ONE_CLASS if k == 1 else NO_CASES)


def mcc(a: Any) -> Any:
    """Gorodkin's R_K, the correlation of two classifications."""
    rows, columns = actual(a), predicted(a)
    spread = apart_of_outer(rows, rows) * apart_of_outer(columns, columns)
    return ratio(total(a) * right(a) - _by_chance(a), root(spread), EMPTY_MARGIN)


# fmt: off: the short facts of a measure share a line
KAPPAS: tuple[Measure, ...] = (
    Measure(
        "kappa",
        f"2 * {COVARIANCE} / ((tp + fp) * (fp + tn) + (tp + fn) * (fn + tn))",
        matrix=kappa,
        title="Cohen's kappa",
        aka=("cohen_kappa", "cohens_kappa", "heidke_skill_score", "heidke"),
        low=-1.0,
        chance="0",
        says="Agreement between prediction and truth beyond chance: 0 is chance, 1 is complete agreement.",
        prefer="for two raters, or any number of classes; it falls when prevalence is far from one half",
        cite=COHEN,
    ),
    Measure(
        "linear_weighted_kappa",
        matrix=lambda a: weighted_kappa(a, 1),
        aka=("weighted_kappa_linear",),
        low=-1.0,
        chance="0",
        says="Kappa for ordered classes: an error is weighted by how many classes apart prediction and truth are.",
        prefer="for grades and stages, when an error of two steps is twice as bad as one",
        cite="Cohen 1968, Psychological Bulletin 70:213",
        notation=r"1 - \frac{n \sum_{ij} |i - j|\, n_{ij}}{\sum_{ij} |i - j|\, n_{i\cdot} n_{\cdot j}}",
    ),
    Measure(
        "quadratic_weighted_kappa",
        matrix=lambda a: weighted_kappa(a, 2),
        aka=("weighted_kappa_quadratic", "qwk"),
        low=-1.0,
        chance="0",
        says="Kappa for ordered classes: an error is weighted by the squared distance between prediction and truth.",
        prefer="for grades and stages, when large errors are much worse than small ones, which it treats leniently",
        cite="Cohen 1968, Psychological Bulletin 70:213",
        notation=r"1 - \frac{n \sum_{ij} (i - j)^2\, n_{ij}}{\sum_{ij} (i - j)^2\, n_{i\cdot} n_{\cdot j}}",
    ),
    Measure(
        "kappa_max",
        f"1 - abs(fp - fn) * {CASES} / ((tp + fp) * (fp + tn) + (tp + fn) * (fn + tn))",
        matrix=kappa_max,
        title="largest possible kappa",
        aka=("kappa_maximum",),
        chance=MARGINS,
        says="The largest kappa possible with the same numbers of flagged and of positive cases.",
        prefer="alongside kappa, to see how much of the gap comes from flagging too many or too few",
        cite=COHEN,
    ),
    Measure(
        "scott_pi",
        "(4 * tp * tn - (fp + fn)**2) / ((2 * tp + fp + fn) * (2 * tn + fp + fn))",
        matrix=scott_pi,
        title="Scott's pi",
        aka=("kappa_unbiased", "unbiased_kappa", "scotts_pi"),
        low=-1.0,
        chance="0 when the share flagged equals the prevalence, otherwise below 0",
        says="Kappa with chance taken from both margins together.",
        prefer="for two raters of equal standing, which a classifier and the truth are not",
        cite="Scott 1955, Public Opinion Quarterly 19:321",
    ),
    Measure(
        "krippendorff_alpha",
        matrix=krippendorff,
        title="Krippendorff's alpha",
        aka=("alpha_nominal",),
        low=-1.0,
        chance="near 0",
        says="Scott's pi corrected for small samples: 1 - observed over expected disagreement.",
        prefer="for annotators of equal standing and few cases; it needs whole counts, not weights",
        cite="Krippendorff 2004, Content Analysis, 2nd ed.",
        notation=r"1 - \frac{(4n - 2) \sum_{i \ne j} n_{ij}}"
        r"{\sum_{i \ne j} (n_{i\cdot} + n_{\cdot i})(n_{j\cdot} + n_{\cdot j})}",
    ),
    Measure(
        "gwet_ac1",
        f"1 - 2 * (fp + fn) * {CASES} / (2 * {CASES}**2 - (2 * tp + fp + fn) * (2 * tn + fp + fn))",
        matrix=gwet,
        title="Gwet's AC1",
        aka=("ac1",),
        low=-1.0,
        chance=MARGINS,
        says="Agreement beyond chance, where chance applies only to cases that are hard to classify.",
        prefer="when one class is very common and kappa is low although the raters nearly always agree",
        cite="Gwet 2008, British Journal of Mathematical and Statistical Psychology 61:29",
    ),
    Measure(
        "bennett_s",
        f"(tp + tn - fp - fn) / {CASES}",
        matrix=bennett,
        title="Bennett's S",
        aka=("bennett_alpert_goldstein_s", "brennan_prediger"),
        low=-1.0,
        chance=MARGINS,
        says="Accuracy beyond the 1/k expected from guessing among k classes.",
        prefer="when all classes are equally likely guesses; it ignores how common they are",
        cite="Bennett, Alpert & Goldstein 1954, Public Opinion Quarterly 18:303",
    ),
    Measure(
        "kappa_no_prevalence",
        f"(tp + tn - fp - fn) / {CASES}",
        matrix=lambda a: ratio(right(a) - apart(a), total(a), NO_CASES),
        title="prevalence-adjusted kappa",
        aka=("pabak", "hamann"),
        low=-1.0,
        chance=MARGINS,
        says="The share of correct minus that of incorrect predictions: the value of kappa for balanced classes "
        "without bias.",
        prefer="alongside kappa, to see the effects of prevalence and bias",
        cite=BYRT,
    ),
    Measure(
        "prevalence_index",
        f"(tp - tn) / {CASES}",
        low=-1.0,
        best=None,
        chance=MARGINS,
        says="How far the agreements favor one class: 0 when there are as many true positives as true negatives.",
        prefer="alongside kappa, which is lower the farther this value is from 0",
        cite=BYRT,
    ),
    Measure(
        "bias_index",
        f"(fp - fn) / {CASES}",
        low=-1.0,
        best=0.0,
        chance=MARGINS,
        says="How much larger the share flagged is than the prevalence.",
        prefer="alongside kappa, to see over- and under-prediction",
        cite=BYRT,
    ),
    Measure(
        "bangdiwala_b",
        "(tp**2 + tn**2) / ((tp + fp) * (tp + fn) + (fp + tn) * (fn + tn))",
        matrix=lambda a: ratio(
            (agreement(a) * agreement(a)).sum(-1), _by_chance(a), "no class both occurs and is predicted"
        ),
        title="Bangdiwala's B",
        chance=MARGINS,
        says="In the agreement chart, the area of the agreement squares divided by that of the rectangles.",
        prefer="with the chart; it depends less on prevalence than kappa",
        cite="Bangdiwala 1985, 45th Session of the International Statistical Institute 1:307",
    ),
    Measure(
        "chance_hit_share",
        f"(tp + fp) * (tp + fn) / {CASES}**2",
        aka=("racc", "random_accuracy"),
        best=None,
        chance="prevalence times the share flagged",
        says="The share of hits expected if flags were assigned at random.",
        prefer="as the baseline of the detection rate",
        cite=COHEN,
    ),
    Measure(
        "chance_hit_share_unbiased",
        f"((2 * tp + fp + fn) / (2 * {CASES}))**2",
        aka=("raccu", "random_accuracy_unbiased"),
        best=None,
        chance=MARGINS,
        says="The share of hits expected at random when both sides share one prevalence.",
        prefer="as a component of Scott's pi",
        cite="Scott 1955, Public Opinion Quarterly 19:321",
    ),
    Measure(
        "chance_agreement",
        f"((tp + fp) * (tp + fn) + (fp + tn) * (fn + tn)) / {CASES}**2",
        matrix=lambda a: ratio(_by_chance(a), total(a) * total(a), NO_CASES),
        aka=("overall_racc", "expected_accuracy", "expected_agreement"),
        best=None,
        chance=MARGINS,
        says="The accuracy expected if predictions were assigned at random.",
        prefer="as the baseline accuracy from which kappa starts",
        cite=COHEN,
    ),
    Measure(
        "chance_agreement_unbiased",
        f"((2 * tp + fp + fn)**2 + (2 * tn + fp + fn)**2) / (4 * {CASES}**2)",
        matrix=lambda a: ratio(((actual(a) + predicted(a)) ** 2).sum(-1), 4 * total(a) * total(a), NO_CASES),
        aka=("overall_raccu",),
        best=None,
        chance=MARGINS,
        says="The accuracy expected at random when both sides share the same margins.",
        prefer="as a component of Scott's pi",
        cite="Scott 1955, Public Opinion Quarterly 19:321",
    ),
)

CORRELATIONS: tuple[Measure, ...] = (
    Measure(
        "mcc",
        f"{COVARIANCE} / sqrt({PRODUCT})",
        matrix=mcc,
        title="Matthews correlation coefficient",
        aka=("matthews_corrcoef", "matthews_correlation", "phi_coefficient", "r_k"),
        low=-1.0,
        chance="0",
        says="The correlation of prediction and truth: high only when both classes are predicted well.",
        prefer="as a single number for a matrix with imbalanced classes; it is undefined when a row or column is empty",
        cite="Matthews 1975, Biochimica et Biophysica Acta 405:442; Gorodkin 2004, "
        "Computational Biology and Chemistry 28:367",
    ),
    Measure(
        "loevinger_h",
        f"{COVARIANCE} / min((tp + fp) * (fp + tn), (tp + fn) * (fn + tn))",
        title="Loevinger's H",
        aka=("phi_over_phi_max",),
        low=-inf,
        chance="0",
        says="MCC divided by the largest MCC possible with the same numbers of flagged and of positive cases.",
        prefer="to compare points of one curve that flag different shares",
        cite="Loevinger 1947, Psychological Monographs 61(4)",
    ),
    Measure(
        "maxwell_pilliner",
        f"2 * {COVARIANCE} / ((tp + fp) * (fn + tn) + (tp + fn) * (fp + tn))",
        title="Maxwell-Pilliner coefficient",
        low=-1.0,
        chance="0",
        says="The covariance of prediction and truth over the mean of their variances.",
        prefer="when the scale of kappa is wanted but not its chance correction",
        cite="Maxwell & Pilliner 1968, British Journal of Mathematical and Statistical Psychology 21:105",
    ),
    Measure(
        "yule_q",
        f"{COVARIANCE} / (tp * tn + fp * fn)",
        title="Yule's Q",
        aka=("yules_q", "odds_ratio_skill_score"),
        low=-1.0,
        chance="0",
        says="The odds ratio on a scale from -1 to 1.",
        prefer="for association independent of the margins; an empty error cell makes it 1",
        cite="Yule 1900, Philosophical Transactions of the Royal Society A 194:257",
    ),
    Measure(
        "yule_y",
        "(sqrt(tp * tn) - sqrt(fp * fn)) / (sqrt(tp * tn) + sqrt(fp * fn))",
        title="Yule's Y",
        aka=("yules_y", "coefficient_of_colligation"),
        low=-1.0,
        chance="0",
        says="The MCC of the table after its margins are made equal.",
        prefer="like Yule's Q, but slower to reach 1",
        cite="Yule 1912, Journal of the Royal Statistical Society 75:579",
    ),
    Measure(
        "digby_h",
        "(sqrt(tp * tn * sqrt(tp * tn)) - sqrt(fp * fn * sqrt(fp * fn)))"
        " / (sqrt(tp * tn * sqrt(tp * tn)) + sqrt(fp * fn * sqrt(fp * fn)))",
        title="Digby's H",
        low=-1.0,
        chance="0",
        says="The odds ratio to the power 3/4 on a scale from -1 to 1, near the tetrachoric correlation.",
        prefer="when both sides are dichotomized from continuous values",
        cite="Digby 1983, Biometrics 39:753",
    ),
)

MEASURES: tuple[Measure, ...] = (*KAPPAS, *CORRELATIONS)
