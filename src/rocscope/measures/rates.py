"""Counts and rates: what is read straight off the four cells."""

from __future__ import annotations

from math import inf
from typing import Any

from rocscope.measures.measure import CASES, MARGINS, NO_CASES, NOT_MET, RECALL, SPECIFICITY, Measure
from rocscope.measures.of_matrix import actual, agreement, apart, mean_of_rows, ratio, right, root, total

PER_CLASS = "1/k, so 0.5 for two classes"
FAWCETT = "Fawcett 2006, Pattern Recognition Letters 27:861"
RIJSBERGEN = "van Rijsbergen 1979, Information Retrieval, 2nd ed."


def _count(name: str, text: str, says: str, *, best: float | None = None, cite: str = FAWCETT, **facts: Any) -> Measure:
    """Declare a number of cases: it has no upper end, and mostly no best value."""
    chance = "" if best is None else MARGINS
    prefer = "as the basis of the rates: a count means little without its total"
    facts |= {"best": best, "cite": cite, "chance": chance, "prefer": prefer}
    return Measure(name, text, says=says, high=inf, group="counts", **facts)


# fmt: off: the short facts of a measure share a line
COUNTS: tuple[Measure, ...] = (
    _count("true_positives", "tp", "Positive cases that were flagged.", aka=("hits",)),
    _count(
        "false_positives", "fp", "Negative cases that were flagged by mistake.",
        aka=("false_alarms", "type_1_errors"), best=0.0,
    ),
    _count(
        "false_negatives", "fn", "Positive cases that were missed.", aka=("misses", "type_2_errors"), best=0.0,
    ),
    _count("true_negatives", "tn", "Negative cases that were correctly not flagged.", aka=("correct_rejections",)),
    _count(
        "positives", "tp + fn", "Cases that really are positive.",
        aka=("p", "condition_positive", "actual_positives"),
    ),
    _count(
        "negatives", "fp + tn", "Cases that really are negative.",
        aka=("condition_negative", "actual_negatives"),
    ),
    _count(
        "predicted_positives", "tp + fp", "Cases that were flagged as positive.",
        aka=("flagged", "test_outcome_positive"),
    ),
    _count(
        "predicted_negatives", "fn + tn", "Cases that were predicted negative.", aka=("test_outcome_negative",),
    ),
    _count("total", "tp + fp + fn + tn", "All cases.", aka=("population", "pop", "n_cases"), matrix=total),
    _count("correct", "tp + tn", "Cases predicted correctly.", matrix=right, aka=("correct_predictions",)),
    _count(
        "errors", "fp + fn", "Cases predicted incorrectly.", matrix=apart,
        aka=("error_count", "hamming_distance", "hd", "zero_one_loss_count"), best=0.0,
    ),
    _count(
        "flagged_excess", "fp - fn", "The number of flagged cases minus the number of positive cases.",
        aka=("automatic_manual", "am"), best=0.0, low=-inf,
        cite="Haghighi, Jasemi, Hessabi & Zolanvari 2018, Journal of Open Source Software 3:729",
    ),
)

RATES: tuple[Measure, ...] = (
    Measure(
        "accuracy", f"(tp + tn) / {CASES}", matrix=lambda a: ratio(right(a), total(a), NO_CASES),
        aka=("acc", "overall_accuracy", "overall_precision", "fraction_correct", "simple_matching",
            "micro_precision", "micro_recall", "micro_f1", "weighted_recall"),
        chance=MARGINS,
        says="The share of cases predicted correctly; some texts call it the overall precision.",
        prefer="when classes are about equally frequent and both kinds of error cost the same. With one label per "
            "case, "
        "micro precision, micro recall and micro F1 are all this number",
        cite=FAWCETT,
    ),
    Measure(
        "error_rate", f"(fp + fn) / {CASES}", matrix=lambda a: ratio(apart(a), total(a), NO_CASES),
        aka=("err", "misclassification_rate", "inaccuracy", "hamming_loss", "zero_one_loss"), best=0.0,
        chance=MARGINS,
        says="The share of cases predicted incorrectly: 1 - accuracy.",
        prefer="when errors rather than successes are reported; it has the same limitations as accuracy",
        cite=FAWCETT,
    ),
    Measure(
        "precision", "tp / (tp + fp)", aka=("ppv", "positive_predictive_value", "success_ratio"),
        chance="prevalence",
        says="The share of flagged cases that are positive.",
        prefer="when a false alarm is costly, as in a spam filter; it falls with prevalence",
        cite=RIJSBERGEN,
    ),
    Measure(
        "recall", RECALL,
        aka=("sensitivity", "tpr", "true_positive_rate", "hit_rate", "coverage", "probability_of_detection"),
        chance="the share flagged",
        says="The share of positive cases that are found.",
        prefer="when a miss is costly, as in screening for a disease; flagging everything makes it 1",
        cite=RIJSBERGEN,
    ),
    Measure(
        "specificity", SPECIFICITY, aka=("tnr", "true_negative_rate", "selectivity"),
        chance="1 - the share flagged",
        says="The share of negative cases that are not flagged.",
        prefer="when alarming healthy people is costly; read it together with recall, because flagging nothing makes "
            "it 1",
        cite="Yerushalmy 1947, Public Health Reports 62:1432",
    ),
    Measure(
        "negative_predictive_value", "tn / (fn + tn)", aka=("npv", "negative_precision"),
        chance="1 - prevalence",
        says="The share of cases predicted negative that are negative: the precision of the negative class.",
        prefer="when a negative result must be trustworthy; it is high whenever positives are rare",
        cite="Altman & Bland 1994, BMJ 309:102",
    ),
    Measure(
        "false_positive_rate", "fp / (fp + tn)",
        aka=("fpr", "fallout", "fall_out", "false_alarm_rate", "probability_of_false_detection"), best=0.0,
        chance="the share flagged",
        says="The share of negative cases that are flagged by mistake: 1 - specificity.",
        prefer="as the horizontal axis of a ROC graph; with many negatives, even a small rate means many false alarms",
        cite=FAWCETT,
    ),
    Measure(
        "false_negative_rate", "fn / (tp + fn)", aka=("fnr", "miss_rate"), best=0.0,
        chance="1 - the share flagged",
        says="The share of positive cases that are missed: 1 - recall.",
        prefer="when misses matter, as in safety and screening",
        cite=FAWCETT,
    ),
    Measure(
        "false_discovery_rate", "fp / (tp + fp)", aka=("fdr", "false_alarm_ratio"), best=0.0,
        chance="1 - prevalence",
        says="The share of flagged cases that are false alarms: 1 - precision.",
        prefer="when every flag costs a check",
        cite="Benjamini & Hochberg 1995, Journal of the Royal Statistical Society B 57:289",
    ),
    Measure(
        "false_omission_rate", "fn / (fn + tn)", aka=("fomr", "for_"), best=0.0, chance="prevalence",
        says="The share of cases predicted negative that are actually positive: 1 - NPV.",
        prefer="when the cases that are not reviewed matter",
        cite="Genovese & Wasserman 2002, Journal of the Royal Statistical Society B 64:499",
    ),
    Measure(
        "prevalence", f"(tp + fn) / {CASES}", aka=("pre", "base_rate", "positive_share"), best=None,
        chance="prevalence",
        says="The share of cases that are positive.",
        prefer="alongside precision, F1 and accuracy, which all change with it",
        cite="Altman & Bland 1994, BMJ 309:102",
    ),
    Measure(
        "predicted_prevalence", f"(tp + fp) / {CASES}",
        aka=("share_flagged", "detection_prevalence", "predicted_positive_rate", "topr"), best=None,
        chance="the share flagged",
        says="The share of cases that are flagged.",
        prefer="to plan the workload of flagged cases, and alongside prevalence to see over- or under-prediction",
        cite="Rogan & Gladen 1978, American Journal of Epidemiology 107:71",
    ),
    Measure(
        "detection_rate", f"tp / {CASES}", aka=("russell_rao", "russel_rao"),
        chance="prevalence times the share flagged",
        says="The share of all cases that are positive and found; at most the prevalence.",
        prefer="in screening, for the yield per person tested",
        cite="Russell & Rao 1940, Journal of the Malaria Institute of India 3:153",
    ),
    Measure(
        "frequency_bias", "(tp + fp) / (tp + fn)", aka=("bias", "bias_score"), high=inf,
        chance="the share flagged over prevalence",
        says="The number of flagged cases per positive: above 1 means over-prediction, below 1 under-prediction.",
        prefer="to see the balance of false alarms and misses; it says nothing about whether flags are correct",
        cite="Wilks 2011, Statistical Methods in the Atmospheric Sciences, 3rd ed.",
    ),
    Measure(
        "skew", "(fp + tn) / (tp + fn)", aka=("class_ratio", "negatives_per_positive"), high=inf, best=None,
        chance="(1 - prevalence) / prevalence",
        says="How many negatives there are for each positive.",
        prefer="as the slope, in ROC space, along which accuracy stays the same",
        cite="Flach 2003, ICML, p. 194",
    ),
)

COMBINED: tuple[Measure, ...] = (
    Measure(
        "f1", "2 * tp / (2 * tp + fp + fn)", title="F1",
        aka=("f1_score", "f_measure", "dice", "sorensen_dice", "positive_agreement"), chance=MARGINS,
        says="The harmonic mean of precision and recall: low when either is low.",
        prefer="when true negatives do not matter; compare it with its baseline, which depends on prevalence",
        cite=RIJSBERGEN,
    ),
    Measure(
        "f2", "5 * tp / (5 * tp + 4 * fn + fp)", title="F2", aka=("f2_score",), chance=MARGINS,
        says="Precision and recall combined, recall counting twice as much.",
        prefer="when a miss is worse than a false alarm",
        cite=RIJSBERGEN,
    ),
    Measure(
        "f0.5", "1.25 * tp / (1.25 * tp + 0.25 * fn + fp)", title="F0.5", aka=("f0_5", "f05", "f0_5_score"),
        chance=MARGINS,
        says="Precision and recall combined, recall counting half as much.",
        prefer="when a false alarm is worse than a miss",
        cite=RIJSBERGEN,
    ),
    Measure(
        "negative_agreement", "2 * tn / (2 * tn + fp + fn)", aka=("f1_negative",), chance=MARGINS,
        says="F1 with the negative class as the class of interest.",
        prefer="alongside F1, which ignores the true negatives",
        cite="Cicchetti & Feinstein 1990, Journal of Clinical Epidemiology 43:551",
    ),
    Measure(
        "p4", "4 * tp * tn / (4 * tp * tn + (tp + tn) * (fp + fn))", title="P4", aka=("p4_metric",),
        chance=MARGINS,
        says="The harmonic mean of precision, recall, specificity and NPV: low when any of the four is low.",
        prefer="as an F1 that takes both classes into account",
        cite="Sitarz 2023, Advances in Artificial Intelligence and Machine Learning 3:1025",
    ),
    Measure(
        "balanced_accuracy", f"({RECALL} + {SPECIFICITY}) / 2",
        matrix=lambda a: mean_of_rows(agreement(a), a, NOT_MET),
        aka=("bac", "bacc", "macro_recall", "average_recall", "unweighted_average_recall"), chance=PER_CLASS,
        says="The mean of the recalls of all classes that have cases; with two classes, of recall and specificity.",
        prefer="when classes are imbalanced and every class matters equally",
        cite="Brodersen, Ong, Stephan & Buhmann 2010, ICPR, p. 3121",
    ),
    Measure(
        "balanced_error_rate", "(fn / (tp + fn) + fp / (fp + tn)) / 2",
        matrix=lambda a: mean_of_rows(actual(a) - agreement(a), a, NOT_MET),
        aka=("ber", "half_total_error_rate", "hter"), best=0.0, chance="1 - 1/k, so 0.5 for two classes",
        says="The mean of the miss rates of all classes that have cases: 1 - balanced accuracy.",
        prefer="like balanced accuracy, where errors are reported",
        cite="Guyon, Gunn, Ben-Hur & Dror 2004, NIPS 17, p. 545",
    ),
    Measure(
        "gmean", f"sqrt({RECALL} * ({SPECIFICITY}))",
        matrix=lambda a: root(ratio(agreement(a), actual(a), NOT_MET).prod(-1), a.shape[-1]),
        title="G-mean", aka=("gm", "g_mean", "geometric_mean"), chance=MARGINS,
        says="The geometric mean of the recalls of all classes: 0 when a class is never found.",
        prefer="when no class may be neglected, as balanced accuracy would allow",
        cite="Kubat & Matwin 1997, ICML, p. 179",
    ),
    Measure(
        "adjusted_gmean",
        f"tp / tp * (sqrt({RECALL} * ({SPECIFICITY})) + {SPECIFICITY} * ((fp + tn) / {CASES}))"
        f" / (1 + (fp + tn) / {CASES})",
        title="adjusted G-mean", aka=("agm", "adjusted_geometric_mean"), chance=MARGINS,
        says="The G-mean with more weight on specificity the more negatives there are; undefined when no positive is "
        "found.",
        prefer="when recall should increase without many more false alarms",
        cite="Batuwita & Palade 2009, ICMLA, p. 545",
    ),
    Measure(
        "adjusted_f", "sqrt(5 * tp / (5 * tp + 4 * fn + fp) * (5 * tn / (5 * tn + fp + 4 * fn)))",
        title="adjusted F", aka=("agf", "adjusted_f_score"), chance=MARGINS,
        says="The geometric mean of F2 for the positives and F0.5 for the negatives.",
        prefer="when positives are few and the true negatives should count too",
        cite="Maratea, Petrosino & Manzo 2014, Information Sciences 257:331",
    ),
    Measure(
        "optimized_precision",
        f"(tp + tn) / {CASES} - abs({SPECIFICITY} - {RECALL}) / ({SPECIFICITY} + {RECALL})", aka=("op",),
        low=-1.0, chance=MARGINS,
        says="Accuracy minus a penalty for recognizing one class much better than the other.",
        prefer="to tune on accuracy without losing the small class",
        cite="Ranawana & Palade 2006, IEEE Congress on Evolutionary Computation, p. 2254",
    ),
    Measure(
        "index_of_balanced_accuracy", f"(1 + {RECALL} - {SPECIFICITY}) * ({RECALL}) * ({SPECIFICITY})",
        aka=("iba",), chance=MARGINS,
        says="Recall times specificity, increased when recall is higher and decreased when it is lower (weight 1).",
        prefer="when the positive class is the one that matters",
        cite="García, Mollineda & Sánchez 2009, IbPRIA, LNCS 5524:441",
    ),
    Measure(
        "distance_index", "sqrt((fn / (tp + fn))**2 + (fp / (fp + tn))**2)",
        aka=("dind", "distance_to_corner", "closest_topleft"), high=2**0.5, best=0.0, chance=MARGINS,
        says="How far the point in ROC space is from the perfect corner (0, 1).",
        prefer="to choose a threshold by eye; unlike Youden's J, it has no interpretation in terms of cases",
        cite="Perkins & Schisterman 2006, American Journal of Epidemiology 163:670",
    ),
    Measure(
        "similarity_index", "1 - sqrt(((fn / (tp + fn))**2 + (fp / (fp + tn))**2) / 2)", aka=("sind",),
        chance=MARGINS,
        says="Closeness to the perfect corner of ROC space: 1 there, 0 at the opposite corner.",
        prefer="like the distance index, where higher should be better",
        cite="Haghighi, Jasemi, Hessabi & Zolanvari 2018, Journal of Open Source Software 3:729",
    ),
)

MEASURES: tuple[Measure, ...] = (*RATES, *COMBINED, *COUNTS)
