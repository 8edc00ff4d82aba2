"""Similarity coefficients: how much the flagged and the positive cases, as two sets, overlap."""

from __future__ import annotations

from math import inf

from rocscope.measures.measure import CASES, MARGINS, UNSEEN, Measure
from rocscope.measures.of_matrix import actual, agreement, mean, predicted, ratio

SOKAL = "Sokal & Sneath 1963, Principles of Numerical Taxonomy"
CHOI = "Choi, Cha & Tappert 2010, Journal of Systemics, Cybernetics and Informatics 8:43"

# fmt: off: the short facts of a measure share a line
OVERLAPS: tuple[Measure, ...] = (
    Measure(
        "jaccard", "tp / (tp + fp + fn)", title="Jaccard index",
        aka=("jaccard_index", "iou", "tanimoto", "threat_score", "critical_success_index", "csi"),
        chance=MARGINS,
        says="The share of cases that are both positive and flagged, among those that are either.",
        prefer="when true negatives are innumerable or meaningless, as in image masks and warnings",
        cite="Jaccard 1912, New Phytologist 11:37; Gilbert 1884, American Meteorological Journal 1:166",
    ),
    Measure(
        "macro_jaccard", "(tp / (tp + fp + fn) + tn / (fp + fn + tn)) / 2",
        matrix=lambda a: mean(ratio(agreement(a), actual(a) + predicted(a) - agreement(a), UNSEEN)),
        title="mean Jaccard index", aka=("overall_jaccard", "overall_j", "mean_iou", "miou", "hawkins_dotson"),
        chance=MARGINS,
        says="The mean of the Jaccard indices of all classes.",
        prefer="when every class matters equally, as in segmentation",
        cite="Everingham, Van Gool, Williams, Winn & Zisserman 2010, International Journal of Computer Vision 88:303",
    ),
    Measure(
        "fowlkes_mallows", "tp / sqrt((tp + fp) * (tp + fn))", title="Fowlkes-Mallows index",
        aka=("fmi", "g_measure", "ochiai", "otsuka_ochiai", "ooc", "cosine_similarity"), chance=MARGINS,
        says="The geometric mean of precision and recall.",
        prefer="like F1, slightly more lenient when the two are unequal",
        cite="Fowlkes & Mallows 1983, JASA 78:553; Ochiai 1957, Nippon Suisan Gakkaishi 22",
    ),
    Measure(
        "braun_blanquet", "tp / max(tp + fp, tp + fn)", title="Braun-Blanquet similarity", aka=("bb",),
        chance=MARGINS,
        says="The smaller of precision and recall.",
        prefer="when the lower of the two decides",
        cite=CHOI,
    ),
    Measure(
        "overlap", "tp / min(tp + fp, tp + fn)", title="overlap coefficient",
        aka=("overlap_coefficient", "szymkiewicz_simpson", "oc"), chance=MARGINS,
        says="The larger of precision and recall: 1 when one set lies within the other.",
        prefer="to check whether one set contains the other; flagging a single certain case makes it 1",
        cite="Simpson 1943, American Journal of Science 241:1",
    ),
    Measure(
        "precision_recall_mean", "(tp / (tp + fp) + tp / (tp + fn)) / 2", title="mean of precision and recall",
        aka=("kulczynski_2", "kulczynski", "driver_kroeber", "single_point_aupr"), chance=MARGINS,
        says="The arithmetic mean of precision and recall at one threshold, not the area under a curve.",
        prefer="rarely: one high value hides a low one, unlike in F1",
        cite="Kulczyński 1927, Bulletin International de l'Académie Polonaise des Sciences B:57; "
             "Driver & Kroeber 1932, University of California Publications in American Archaeology 31:211",
    ),
    Measure(
        "individual_classification_success_index", "tp / (tp + fp) + tp / (tp + fn) - 1",
        aka=("icsi", "mcconnaughey"), low=-1.0, chance=MARGINS,
        says="Precision plus recall minus 1: the success that remains after false alarms and misses.",
        prefer="per class; its mean over classes is the classification success index",
        cite="Labatut & Cherifi 2011, Ubiquitous Computing and Communication Journal 6:21",
    ),
    Measure(
        "kulczynski_1", "tp / (fp + fn)", title="Kulczynski's first coefficient", high=inf, best=inf,
        chance=MARGINS, says="Hits per error.",
        prefer="like the Jaccard index, on a scale without an upper limit",
        cite=CHOI,
    ),
    Measure(
        "sokal_sneath_1", "tp / (tp + 2 * fp + 2 * fn)", title="Sokal-Sneath I", chance=MARGINS,
        says="The Jaccard index with errors counted twice.",
        prefer="when errors should weigh more; it orders classifiers as F1 does. Sources number the five Sokal-Sneath "
        "coefficients differently",
        cite=SOKAL,
    ),
    Measure(
        "bray_curtis", f"abs(fp - fn) / (2 * {CASES})", title="Bray-Curtis dissimilarity",
        aka=("bcd", "bray_curtis_dissimilarity"), high=0.5, best=0.0, chance=MARGINS,
        says="Half the difference between the share flagged and the prevalence; it ignores which cases are flagged.",
        prefer="only to compare totals", cite="Bray & Curtis 1957, Ecological Monographs 27:325",
    ),
)

MATCHES: tuple[Measure, ...] = (
    Measure(
        "sokal_sneath_2", "2 * (tp + tn) / (2 * (tp + tn) + fp + fn)", title="Sokal-Sneath II",
        aka=("gower_legendre",), chance=MARGINS,
        says="Accuracy with correct predictions counted twice.",
        prefer="rarely: it orders classifiers as accuracy does",
        cite=SOKAL,
    ),
    Measure(
        "sokal_sneath_3", "(tp + tn) / (fp + fn)", title="Sokal-Sneath III", aka=("right_per_wrong",), high=inf,
        best=inf, chance=MARGINS,
        says="Correct predictions per incorrect one: the odds of being correct.",
        prefer="to compare accuracies near 1, where odds are more informative than shares",
        cite=SOKAL,
    ),
    Measure(
        "sokal_sneath_4", "(tp / (tp + fp) + tp / (tp + fn) + tn / (fp + tn) + tn / (fn + tn)) / 4",
        title="Sokal-Sneath IV", aka=("anderberg_mean",), chance="0.5",
        says="The mean of precision, recall, specificity and NPV.",
        prefer="as a rough overall summary of the four",
        cite=SOKAL,
    ),
    Measure(
        "sokal_sneath_5", "tp * tn / sqrt((tp + fp) * (tp + fn) * (fp + tn) * (fn + tn))",
        title="Sokal-Sneath V", aka=("ochiai_2",), chance=MARGINS,
        says="The root of the product of precision, recall, specificity and NPV: the square of their geometric mean.",
        prefer="when precision, recall, specificity and NPV must all be high",
        cite=SOKAL,
    ),
    Measure(
        "rogers_tanimoto", "(tp + tn) / (tp + tn + 2 * (fp + fn))", title="Rogers-Tanimoto similarity",
        chance=MARGINS,
        says="Accuracy with errors counted twice.",
        prefer="rarely: it orders classifiers as accuracy does",
        cite="Rogers & Tanimoto 1960, Science 132:1115",
    ),
    Measure(
        "faith", f"(tp + tn / 2) / {CASES}", title="Faith's similarity", chance=MARGINS,
        says="Accuracy with true negatives counted half; 1 only when every case is positive and found.",
        prefer="when agreeing on absence is worth less than agreeing on presence",
        cite="Faith 1983, Oecologia 57:287",
    ),
    Measure(
        "baroni_urbani_buser_1", "(sqrt(tp * tn) + tp) / (sqrt(tp * tn) + tp + fp + fn)",
        title="Baroni-Urbani & Buser I", aka=("baroni_urbani_buser",), chance=MARGINS,
        says="The Jaccard index with partial credit for true negatives: the geometric mean of TP and TN is added.",
        prefer="between Jaccard (true negatives do not count) and accuracy (they count fully)",
        cite="Baroni-Urbani & Buser 1976, Systematic Zoology 25:251",
    ),
    Measure(
        "baroni_urbani_buser_2", "(sqrt(tp * tn) + tp - fp - fn) / (sqrt(tp * tn) + tp + fp + fn)",
        title="Baroni-Urbani & Buser II", low=-1.0, chance=MARGINS,
        says="The first coefficient rescaled to run from -1 to 1.",
        prefer="like the first, on the scale of a correlation",
        cite="Baroni-Urbani & Buser 1976, Systematic Zoology 25:251",
    ),
    Measure(
        "dispersion", f"(tp * tn - fp * fn) / {CASES}**2", aka=("covariance",), low=-0.25, high=0.25, best=0.25,
        chance="0",
        says="The covariance of prediction and truth as 0/1 numbers; 1/4 is reached when half the cases are positive.",
        prefer="as the basis of MCC, kappa, J and markedness, which scale it differently",
        cite=CHOI,
    ),
    Measure(
        "michael", "4 * (tp * tn - fp * fn) / ((tp + tn)**2 + (fp + fn)**2)", title="Michael's coefficient",
        low=-1.0, chance="0",
        says="The covariance of prediction and truth divided by the squared numbers of correct and incorrect "
            "predictions; 1 requires balanced classes.",
        prefer="rarely: MCC has the same aim and a known meaning",
        cite=CHOI,
    ),
    Measure(
        "tarwid", f"(tp * {CASES} - (tp + fp) * (tp + fn)) / (tp * {CASES} + (tp + fp) * (tp + fn))",
        title="Tarwid's coefficient", low=-1.0, chance="0",
        says="Lift on a scale from -1 to 1: (lift - 1) / (lift + 1).",
        prefer="to show lifts above and below 1 on one scale",
        cite=CHOI,
    ),
)

MEASURES: tuple[Measure, ...] = (*OVERLAPS, *MATCHES)
