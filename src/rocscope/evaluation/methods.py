"""Sentences for the methods section of a paper: which interval, which test, which version."""

from __future__ import annotations

from rocscope.evaluation.settings import Settings
from rocscope.version import VERSION

_AUC = {
    "newcombe": "scaled score intervals after Newcombe (Stat Med 2006;25:559)",
    "newcombe-plain": "score intervals after Newcombe (Stat Med 2006;25:559)",
    "delong": "DeLong's method (Biometrics 1988;44:837)",
    "logit-delong": "DeLong's method on the logit scale",
    "hanley-mcneil": "the method of Hanley and McNeil (Radiology 1982;143:29)",
}


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
    measure: tuple[str, str] = ("", ""),
) -> str:
    """Return a few sentences, ready to paste; `measure` is the measure that decides between models, and its method."""
    percent = f"{100 * settings.level:g} %"
    area = _AUC.get(settings.interval, f"the {settings.interval} interval")
    if settings.bootstrap:
        area = f"BCa intervals from {settings.bootstrap:,} resamples (seed {settings.seed})"
    if clusters:
        area = "score intervals with Obuchowski's variance for clusters (Biometrics 1997;53:567)"
        if settings.bootstrap:
            area = f"percentile intervals from {settings.bootstrap:,} resamples of clusters (seed {settings.seed})"
    first = (
        f"Proportions have Wilson score intervals, other measures at a threshold have delta-method intervals on a "
        f"scale that respects their range, and areas under the ROC curve have {area} (all {percent}; "
        f"rocscope {VERSION})."
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
    adjusted = f", with Holm's adjustment for all {compared * (compared - 1) // 2} pairs" if compared > 2 else ""
    if measure[0]:
        first += f" The models were ranked by {measure[0]}; differences in it: {measure[1]}{adjusted}."
    return f"{first} Areas were compared by DeLong's paired test on the same cases{adjusted}."


def class_methods(settings: Settings, *, labels: bool = False, compared: tuple[str, str, int] = ("", "", 1)) -> str:
    """The same for several classes or labels.

    `compared` is the deciding measure, its method, and the number of models.
    """
    percent = f"{100 * settings.level:g} %"
    if labels:
        first = (
            f"Shares of cases have Wilson score intervals, all other measures score intervals from a variance that is "
            f"linearized over cases, so that the labels of one case are not counted as independent (all {percent}; "
            f"rocscope {VERSION})."
        )
        if settings.choose is not None:
            first += " Thresholds were chosen by cross-fitting, each without the cases to which it is applied."
    else:
        first = (
            f"Proportions and mean losses have score intervals, other measures of the matrix intervals by the delta "
            f"method, and mean areas under the ROC curve limits joined by MOVER (all {percent}; rocscope {VERSION})."
        )
    what, method, models = compared
    if models < 2:
        return first
    adjusted = f", with Holm's adjustment for all {models * (models - 1) // 2} pairs" if models > 2 else ""
    return f"{first} The models were ranked by {what}; differences in it: {method}{adjusted}."
