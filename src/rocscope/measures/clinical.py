"""Diagnostic tests and yes/no forecasts: what a flag, or its absence, says about one case."""

from __future__ import annotations

from math import inf
from typing import Any

from rocscope.measures.measure import CASES, FALL_OUT, MARGINS, RECALL, Measure
from rocscope.measures.of_matrix import actual, apart, outer, predicted, ratio, right, total

NOTHING_LEARNT = "undefined: a prediction at chance level carries no information"

POWERS = "Powers 2011, Journal of Machine Learning Technologies 2:37"
SIMEL = "Simel, Samsa & Matchar 1991, Journal of Clinical Epidemiology 44:763"
LINN = "Linn & Grunau 2006, Epidemiologic Perspectives & Innovations 3:11"


def peirce(a: Any) -> Any:
    """The skill over guessing the actual shares: (right - expected right) / the most that can be."""
    rows = actual(a)
    above = total(a) * right(a) - (rows * predicted(a)).sum(-1)
    return ratio(above, apart(outer(rows, rows)), "all cases belong to one class")


# fmt: off: the short facts of a measure share a line
DIAGNOSTIC: tuple[Measure, ...] = (
    Measure(
        "youden", f"{RECALL} - {FALL_OUT}", matrix=peirce, title="Youden's J",
        aka=("youden_j", "youden_index", "informedness", "bookmaker_informedness", "bm", "peirce_skill_score",
            "true_skill_statistic", "tss", "hanssen_kuipers", "single_point_gini"),
        low=-1.0, chance="0",
        says="How much more often positives are flagged than negatives: recall minus the false positive rate.",
        prefer="to assess a binary test regardless of prevalence; it weighs misses and false alarms by class, not by "
        "cost. For several classes, it is the Peirce skill score",
        cite="Youden 1950, Cancer 3:32; Peirce 1884, Science 4:453",
    ),
    Measure(
        "markedness", "tp / (tp + fp) - fn / (fn + tn)",
        aka=("mk", "delta_p", "predictive_summary_index", "psi", "clayton_skill_score"), low=-1.0, chance="0",
        says="How much more often flagged cases are positive than unflagged ones: precision - false omission rate.",
        prefer="alongside Youden's J, as its counterpart: how informative the prediction is about the truth",
        cite=POWERS,
    ),
    Measure(
        "lr_plus", f"({RECALL}) / ({FALL_OUT})", title="positive likelihood ratio",
        aka=("plr", "positive_likelihood_ratio", "lr+", "lrp"), high=inf, best=inf, chance="1",
        says="The share of positives flagged, relative to the share of negatives flagged; a flag multiplies the odds "
        "by it.",
        prefer="to apply a test at another prevalence: the odds after a flag are the odds before it times this ratio",
        cite=SIMEL,
    ),
    Measure(
        "lr_minus", "(fn / (tp + fn)) / (tn / (fp + tn))", title="negative likelihood ratio",
        aka=("nlr", "negative_likelihood_ratio", "lr-", "lrn"), high=inf, best=0.0, chance="1",
        says="How many times as likely a negative result is among positives as among negatives; values near 0 rule the "
        "condition out.",
        prefer="to apply a negative result at another prevalence: the odds after it are the odds before it times this "
        "ratio",
        cite=SIMEL,
    ),
    Measure(
        "diagnostic_odds_ratio", "(tp * tn) / (fp * fn)", aka=("dor", "odds_ratio", "cross_product_ratio"),
        high=inf, best=inf, chance="1",
        says="The odds of a flag among positives over those among negatives.",
        prefer="in meta-analysis; it hides which kind of error is made",
        cite="Glas, Lijmer, Prins, Bonsel & Bossuyt 2003, Journal of Clinical Epidemiology 56:1129",
    ),
    Measure(
        "log_odds_ratio", "log((tp * tn) / (fp * fn))", aka=("log_dor", "lor"), low=-inf, high=inf, best=inf,
        chance="0",
        says="The natural logarithm of the diagnostic odds ratio: 0 is chance, and the scale is symmetric.",
        prefer="to average or compare odds ratios, whose own scale is far from symmetric",
        cite="Woolf 1955, Annals of Human Genetics 19:251",
    ),
    Measure(
        "discriminant_power", "sqrt(3) / 3.141592653589793 * log((tp * tn) / (fp * fn))", aka=("dp",), low=-inf,
        high=inf, best=inf, chance="0",
        says="The log odds ratio in units of a standard deviation (natural logarithm): below 1 poor, above 3 good.",
        prefer="to read an odds ratio as a distance between two bell curves",
        cite="Sokolova, Japkowicz & Szpakowicz 2006, Australasian Conference on AI, LNCS 4304:1015",
    ),
    Measure(
        "relative_risk", "(tp / (tp + fp)) / (fn / (fn + tn))", aka=("risk_ratio", "rr"), high=inf, best=inf,
        chance="1",
        says="The probability that a flagged case is positive, relative to a case that was not flagged.",
        prefer="when the prediction is a risk group; it depends on prevalence",
        cite="Cornfield 1951, Journal of the National Cancer Institute 11:1269",
    ),
    Measure(
        "lift", f"(tp / (tp + fp)) / ((tp + fn) / {CASES})", aka=("lift_score", "forbes", "interest"), high=inf,
        best=inf, chance="1",
        says="The frequency of positives among the flagged cases, relative to all cases.",
        prefer="for a mailing or a work list; at most 1 / prevalence, so not comparable across data sets",
        cite="Brin, Motwani, Ullman & Tsur 1997, SIGMOD, p. 255",
    ),
    Measure(
        "number_needed_to_diagnose", "(tp + fn) * (fp + tn) / (tp * tn - fp * fn)", aka=("nnd",), low=-inf,
        high=inf, chance=NOTHING_LEARNT,
        says="How many patients must be tested for one more correct diagnosis than by chance: 1 / Youden's J.",
        prefer="to express J as a number of people; below 0, the test is worse than chance",
        cite=LINN,
    ),
    Measure(
        "number_needed_to_predict", "(tp + fp) * (fn + tn) / (tp * tn - fp * fn)", aka=("nnp",), low=-inf,
        high=inf, chance=NOTHING_LEARNT,
        says="How many patients must be examined for one correct prediction of the disease: 1 / markedness.",
        prefer="like the number needed to diagnose, from the perspective of the test result",
        cite=LINN,
    ),
    Measure(
        "number_needed_to_misdiagnose", f"{CASES} / (fp + fn)", aka=("nnm",), low=1.0, high=inf, best=inf,
        chance=MARGINS,
        says="The average number of tests per wrong result: 1 / error rate.",
        prefer="to express an error rate as a number of people",
        cite="Habibzadeh & Yadollahie 2013, Epidemiology 24:170",
    ),
    Measure(
        "number_needed_to_evaluate", "(tp + fp) / tp",
        aka=("nne", "workup_to_detection_ratio", "flags_per_hit"), low=1.0, high=inf, chance="1 / prevalence",
        says="How many flags must be followed up to find one positive: 1 / precision.",
        prefer="for alarms to which people must respond",
        cite="Romero-Brufau, Huddleston, Escobar & Liebow 2015, Critical Care 19:285",
    ),
    Measure(
        "clinical_utility_positive", f"{RECALL} * (tp / (tp + fp))",
        aka=("cui_plus", "positive_clinical_utility_index", "sorgenfrei"),
        chance="prevalence times the share flagged",
        says="Recall times precision: whether a flag is both frequent enough and trustworthy enough to rule in.",
        prefer="to judge a test used to confirm a condition",
        cite="Mitchell 2011, European Journal of Epidemiology 26:251",
    ),
    Measure(
        "clinical_utility_negative", "tn / (fp + tn) * (tn / (fn + tn))",
        aka=("cui_minus", "negative_clinical_utility_index"), chance=MARGINS,
        says="Specificity times NPV: whether a negative result is frequent and trustworthy enough to rule out.",
        prefer="to judge a test used to exclude a condition",
        cite="Mitchell 2011, European Journal of Epidemiology 26:251",
    ),
    Measure(
        "prevalence_threshold", f"sqrt({FALL_OUT}) / (sqrt({RECALL}) + sqrt({FALL_OUT}))", best=0.0,
        chance="0.5",
        says="The prevalence below which precision falls off most steeply.",
        prefer="to see at which prevalence a flag stops being credible",
        cite="Balayla 2020, PLoS ONE 15:e0240215",
    ),
)

FORECASTS: tuple[Measure, ...] = (
    Measure(
        "gilbert_skill_score", f"(tp * tn - fp * fn) / ((fp + fn) * {CASES} + tp * tn - fp * fn)",
        aka=("equitable_threat_score", "ets", "gss"), low=-1 / 3, chance="0",
        says="The threat score (Jaccard) without the hits expected by chance.",
        prefer="for rare events, where true negatives should not be rewarded",
        cite="Gilbert 1884, American Meteorological Journal 1:166", group="forecasts",
    ),
    Measure(
        "extreme_dependency_score", f"2 * log((tp + fn) / {CASES}) / log(tp / {CASES}) - 1", aka=("eds",),
        low=-1.0, chance=MARGINS,
        says="How slowly hits decrease as events become rarer; it depends only on hits and prevalence.",
        prefer="for very rare events, but never alone: flagging more cases improves it",
        cite="Stephenson, Casati, Ferro & Wilson 2008, Meteorological Applications 15:41", group="forecasts",
    ),
    Measure(
        "symmetric_extreme_dependency_score",
        f"(log((tp + fp) / {CASES}) + log((tp + fn) / {CASES})) / log(tp / {CASES}) - 1", aka=("seds",),
        low=-1.0, chance="0",
        says="The extreme dependency score with flags and events treated symmetrically: over-flagging is penalized.",
        prefer="for very rare events",
        cite="Hogan, O'Connor & Illingworth 2009, Quarterly Journal of the Royal Meteorological Society 135:1494",
        group="forecasts",
    ),
    Measure(
        "extremal_dependence_index", f"(log({FALL_OUT}) - log({RECALL})) / (log({FALL_OUT}) + log({RECALL}))",
        aka=("edi",), low=-1.0, chance="0",
        says="How fast false alarms decrease compared with hits as events become rarer, whatever the prevalence.",
        prefer="for very rare events, when the base rate changes between data sets",
        cite="Ferro & Stephenson 2011, Weather and Forecasting 26:699", group="forecasts",
    ),
    Measure(
        "symmetric_extremal_dependence_index",
        f"(log({FALL_OUT}) - log({RECALL}) + log(fn / (tp + fn)) - log(tn / (fp + tn)))"
        f" / (log({FALL_OUT}) + log({RECALL}) + log(fn / (tp + fn)) + log(tn / (fp + tn)))",
        aka=("sedi",), low=-1.0, chance="0",
        says="The extremal dependence index with both classes treated symmetrically.",
        prefer="for very rare events, when the base rate changes between data sets",
        cite="Ferro & Stephenson 2011, Weather and Forecasting 26:699", group="forecasts",
    ),
)

MEASURES: tuple[Measure, ...] = (*DIAGNOSTIC, *FORECASTS)
