"""Sentences for the methods section of a paper: which interval, which test, which version."""

from __future__ import annotations

from rocscope.evaluation.settings import Settings
from rocscope.version import VERSION

_AUC = {
    "newcombe": "scaled Newcombe score intervals (Stat Med 2006;25:559)",
    "newcombe-plain": "Newcombe score intervals (Stat Med 2006;25:559)",
    "delong": "DeLong's method (Biometrics 1988;44:837)",
    "logit-delong": "DeLong's method on the logit scale",
    "hanley-mcneil": "the method of Hanley and McNeil (Radiology 1982;143:29)",
}

MOST_PAIRED = 100
"""Above this number of models, only pairs with the recommended model are tested: 1,000 models have 499,500 pairs."""

SLICES = (
    " Slices were shrunk toward each other by empirical Bayes on the logit scale (DerSimonian and Laird, Control Clin "
    "Trials 1986;7:177), and each was compared with all other cases, with Holm's adjustment for the number of slices."
)


def methods_sentence(
    settings: Settings,
    *,
    compared: int = 1,
    clusters: bool = False,
    slices: bool = False,
    cells: bool = False,
    resamples: int = 0,
    measure: tuple[str, str] = ("", ""),
) -> str:
    """A few sentences, ready to paste; `measure` is the measure that decides between models, and its method.

    `resamples` is how often the choice of a threshold was repeated to correct for it; 0 if nothing is corrected.
    """
    percent = f"{100 * settings.level:g} %"
    area = _AUC.get(settings.interval, f"the {settings.interval} interval")
    if settings.bootstrap:
        area = f"BCa intervals from {settings.bootstrap:,} resamples (seed {settings.seed})"
    if clusters:
        area = "score intervals with Obuchowski's variance for clusters (Biometrics 1997;53:567)"
        if settings.bootstrap:
            area = f"percentile intervals from {settings.bootstrap:,} resamples of clusters (seed {settings.seed})"
    first = (
        f"Intervals (all {percent}) were computed with rocscope {VERSION}: Wilson score intervals for proportions and "
        f"F1; intervals combined from those of the two rates for balanced accuracy and Youden's J (Zou and Donner, "
        f"Stat Med 2008;27:1693); delta-method intervals, on a scale that respects the range of the measure, for other "
        f"measures at a threshold; and {area} for areas under the ROC curve."
    )
    if resamples:
        both = compared > 1 and settings.costs is not None and not measure[0]
        what = "The model and its threshold were" if both else "The threshold was"
        first += (
            f" {what} chosen on the same cases: cost and measures are corrected for the optimism of that choice, which "
            f"was repeated in {resamples} resamples (seed {settings.seed}), and their intervals allow for it."
        )
    if clusters:
        first += " Counts were divided by the design effect of the clusters."
    if settings.cross_fit:
        first += f" Thresholds were chosen by cross-fitting in {settings.cross_fit} folds (seed {settings.seed})."
    if cells:
        first += " Scores were counted in cells of neighboring values, and the limits of areas allow for that."
    if slices:
        first += SLICES
    if compared < 2:
        return first
    if measure[0]:
        adjusted = adjustment(compared)
        first += f" The models were ranked by {measure[0]}; the method for differences was {measure[1]}{adjusted}."
    tested = "DeLong's paired test on the same cases (with a variance no smaller than the areas and class sizes imply)"
    if settings.test not in (None, "delong"):
        tested = f"the test {settings.test} on the same cases"
    return f"{first} Areas were compared by {tested}{adjustment(compared, settings.test in (None, 'delong'))}."


def adjustment(models: int, covaried: bool = True) -> str:
    """How p-values were adjusted for the pairs of models: jointly, from the covariance of all models, or by Holm.

    Above `MOST_PAIRED` models, Bonferroni's method is used.

    >>> adjustment(2), adjustment(4)
    ('', ', with p-values adjusted for all 6 pairs (max-|T|)')
    """
    how = "Bonferroni" if models > MOST_PAIRED else "max-|T|" if covaried else "Holm"
    return f", with p-values adjusted for all {models * (models - 1) // 2} pairs ({how})" if models > 2 else ""


def class_methods(
    settings: Settings, *, labels: bool = False, slices: bool = False, compared: tuple[str, str, int] = ("", "", 1),
    clusters: bool = False,
) -> str:  # fmt: skip
    """A few sentences on several classes or labels, ready to paste.

    `compared` is the deciding measure, its method, and the number of models.
    """
    percent = f"{100 * settings.level:g} %"
    if labels:
        first = (
            f"Intervals (all {percent}) were computed with rocscope {VERSION}: Wilson score intervals for shares of "
            f"cases, and, for all other measures, score intervals from a variance that is linearized over cases, so "
            f"that the labels of one case are not counted as independent."
        )
        if settings.choose is not None:
            first += " Thresholds were chosen by cross-fitting, each without the cases to which it is applied."
    else:
        first = (
            f"Intervals (all {percent}) were computed with rocscope {VERSION}: score intervals for proportions and "
            f"mean losses; intervals combined from those of the classes for macro averages; delta-method intervals for "
            f"other measures of the matrix; and limits combined by MOVER for mean areas under the ROC curve."
        )
    if slices:
        first += SLICES
    if clusters:
        first += (
            " In the comparison, limits of the models and of their differences come from resamples of whole clusters; "
            "counts of single classes were divided by the design effect of the clusters."
        )
    what, method, models = compared
    if models < 2:
        return first
    return f"{first} The models were ranked by {what}; the method for differences was {method}{adjustment(models)}."
