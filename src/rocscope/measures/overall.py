"""Measures of the whole k x k matrix: averages over classes, association, pairs of cases."""

from __future__ import annotations

from math import inf
from typing import Any

from rocscope.measures.measure import (
    CASES,
    CLASS_MARGINS,
    COVARIANCE,
    NO_CASES,
    NOT_MET,
    ONE_CLASS,
    ONE_EACH,
    PRODUCT,
    RECALL,
    SPECIFICITY,
    UNSEEN,
    Measure,
)
from rocscope.measures.of_matrix import (
    actual,
    agreement,
    apart,
    greater,
    largest,
    mean,
    of_whole_cases,
    outer,
    predicted,
    ratio,
    root,
    smallest,
    total,
)

ONE_ACTUAL = "all cases belong to one class"
ONE_PREDICTED = "all cases are predicted as one class"
NOT_PREDICTED = "a class is never predicted"
EMPTY_CLASS = "a class has no cases or is never predicted"

FERRI = "Ferri, Hernández-Orallo & Modroiu 2009, Pattern Recognition Letters 30:27"
GOODMAN = "Goodman & Kruskal 1954, JASA 49:732"


def recalls(a: Any) -> Any:
    """The recall of each class."""
    return ratio(agreement(a), actual(a), NOT_MET)


def precisions(a: Any) -> Any:
    """The precision of each class."""
    return ratio(agreement(a), predicted(a), NOT_PREDICTED)


def f1s(a: Any) -> Any:
    """The F1 of each class."""
    return ratio(2 * agreement(a), actual(a) + predicted(a), UNSEEN)


def by_support(values: Any, a: Any) -> Any:
    """The mean of a value per class, weighted by the number of cases of the class."""
    return ratio((values * actual(a)).sum(-1), total(a), NO_CASES)


def one_point_areas(a: Any) -> Any:
    """The area under the ROC curve of one point, (recall + specificity) / 2, for each class against the rest."""
    rest = a.sum((-2, -1), keepdims=True)[..., 0] - actual(a)
    alarms = ratio(predicted(a) - agreement(a), rest, ONE_ACTUAL)
    return ratio(1 + recalls(a) - alarms, 2, "")


def adjusted_balanced_accuracy(a: Any) -> Any:
    """(Mean recall - 1/k) / (1 - 1/k)."""
    k = a.shape[-1]
    return ratio(recalls(a).sum(-1) - 1, k - 1, ONE_CLASS)


def class_balance_accuracy(a: Any) -> Any:
    """The mean over classes of the smaller of precision and recall."""
    return mean(ratio(agreement(a), greater(actual(a), predicted(a)), UNSEEN))


def phi_squared(a: Any) -> Any:
    """The mean squared contingency, chi squared / n."""
    expected = outer(actual(a), predicted(a))
    excess = a.sum((-2, -1), keepdims=True) * a - expected
    squares = ratio(excess * excess, expected, EMPTY_CLASS).sum((-2, -1))
    return ratio(squares, total(a) * total(a), EMPTY_CLASS)


def cramer_v(a: Any) -> Any:
    """The root of phi squared over its largest value, k - 1."""
    return root(ratio(phi_squared(a), a.shape[-1] - 1, ONE_CLASS))


def pearson_c(a: Any) -> Any:
    """The root of chi squared / (chi squared + n)."""
    square = phi_squared(a)
    return root(ratio(square, 1 + square, NO_CASES))


def _guessed_better(a: Any, margin: Any, axis: int) -> tuple[Any, Any]:
    """Guesses saved by knowing the other side, and the guesses that went wrong without knowing it."""
    commonest = largest(margin)
    return largest(a, axis).sum(-1) - commonest, margin.sum(-1) - commonest


def lambda_actual(a: Any) -> Any:
    """Goodman and Kruskal's lambda for guessing the truth from the prediction."""
    return ratio(*_guessed_better(a, actual(a), -2), ONE_ACTUAL)


def lambda_predicted(a: Any) -> Any:
    """Goodman and Kruskal's lambda for guessing the prediction from the truth."""
    return ratio(*_guessed_better(a, predicted(a), -1), ONE_PREDICTED)


def lambda_symmetric(a: Any) -> Any:
    """Goodman and Kruskal's lambda, in both directions together."""
    saved, wrong = _guessed_better(a, actual(a), -2)
    saved_too, wrong_too = _guessed_better(a, predicted(a), -1)
    return ratio(saved + saved_too, wrong + wrong_too, ONE_EACH)


def tau(a: Any) -> Any:
    """Goodman and Kruskal's tau for guessing the truth from the prediction, in proportion."""
    columns = predicted(a)
    within = ratio((a * a).sum(-2), columns, NOT_PREDICTED).sum(-1)
    rows = actual(a)
    return ratio(total(a) * within - (rows * rows).sum(-1), apart(outer(rows, rows)), ONE_ACTUAL)


def _pairs(x: Any) -> Any:
    """Twice the number of pairs among x cases."""
    return x * (x - 1)


def rand_index(a: Any) -> Any:
    """The share of pairs of cases that both sides put together, or both apart."""
    together, everything = _pairs(of_whole_cases(a)).sum((-2, -1)), _pairs(total(a))
    split = _pairs(actual(a)).sum(-1) + _pairs(predicted(a)).sum(-1)
    return ratio(everything + 2 * together - split, everything, "there are fewer than two cases")


def adjusted_rand_index(a: Any) -> Any:
    """The Rand index against its expectation when both margins are shuffled."""
    rows, columns = _pairs(actual(of_whole_cases(a))).sum(-1), _pairs(predicted(a)).sum(-1)
    everything = _pairs(total(a))
    spread = rows * (everything - columns) + columns * (everything - rows)
    above = 2 * (everything * _pairs(a).sum((-2, -1)) - rows * columns)
    return ratio(above, spread, "both sides put all cases into one class, or each into its own: every permutation "
    "agrees")


# fmt: off: the short facts of a measure share a line
CLASSES: tuple[Measure, ...] = (
    Measure(
        "single_point_auc", f"(1 + {RECALL} - fp / (fp + tn)) / 2", matrix=lambda a: mean(one_point_areas(a)),
        title="area under the ROC curve of a single point", aka=("one_point_auc", "ba_auc", "aunu"),
        chance="0.5",
        says="The area under two straight lines through one ROC point; no substitute for the AUC of the scores. "
        "For several classes, the mean over each class against the rest.",
        prefer="only when no scores are available; for two classes it is the balanced accuracy",
        cite=FERRI,
    ),
    Measure(
        "single_point_auc_weighted", f"(1 + {RECALL} - fp / (fp + tn)) / 2",
        matrix=lambda a: by_support(one_point_areas(a), a), title="area of a single point, weighted by class",
        aka=("aunp",), chance="0.5",
        says="The single-point areas of each class against the rest, weighted by class frequency.",
        prefer="like the single-point AUC, when common classes should count more",
        cite=FERRI,
    ),
    Measure(
        "adjusted_balanced_accuracy", f"{RECALL} + {SPECIFICITY} - 1", matrix=adjusted_balanced_accuracy,
        aka=("balanced_accuracy_adjusted",), low=-1.0, chance="0",
        says="Balanced accuracy rescaled so that chance is 0 and perfection is 1.",
        prefer="to compare balanced accuracies of problems with different numbers of classes",
        cite="Guyon, Bennett, Cawley et al. 2015, Design of the 2015 ChaLearn AutoML Challenge, IJCNN",
    ),
    Measure(
        "macro_precision", "(tp / (tp + fp) + tn / (fn + tn)) / 2", matrix=lambda a: mean(precisions(a)),
        aka=("average_class_precision",), chance="1/k, so 0.5 for two classes",
        says="The mean of the precisions of all classes.",
        prefer="when predictions of every class should be equally trustworthy; undefined when a class is never "
            "predicted",
        cite="Sokolova & Lapalme 2009, Information Processing & Management 45:427",
    ),
    Measure(
        "weighted_precision", f"((tp + fn) * (tp / (tp + fp)) + (fp + tn) * (tn / (fn + tn))) / {CASES}",
        matrix=lambda a: by_support(precisions(a), a), chance=CLASS_MARGINS,
        says="The mean of the precisions of all classes, weighted by class frequency.",
        prefer="alongside macro precision, to see the influence of the common classes",
        cite="Pedregosa, Varoquaux, Gramfort et al. 2011, Journal of Machine Learning Research 12:2825",
    ),
    Measure(
        "macro_f1", "(2 * tp / (2 * tp + fp + fn) + 2 * tn / (2 * tn + fp + fn)) / 2",
        matrix=lambda a: mean(f1s(a)), title="macro F1", aka=("overall_f", "overall_f1"), chance=CLASS_MARGINS,
        says="The mean of the F1 of all k classes, (1/k) sum F_i; the formula is that for two classes.",
        prefer="when every class matters equally, however rare",
        cite="Sokolova & Lapalme 2009, Information Processing & Management 45:427",
    ),
    Measure(
        "weighted_f1",
        f"((tp + fn) * (2 * tp / (2 * tp + fp + fn)) + (fp + tn) * (2 * tn / (2 * tn + fp + fn))) / {CASES}",
        matrix=lambda a: by_support(f1s(a), a), title="weighted F1", chance=CLASS_MARGINS,
        says="The mean of the F1 of all classes, weighted by class frequency.",
        prefer="alongside macro F1, to see the influence of the common classes",
        cite="Pedregosa, Varoquaux, Gramfort et al. 2011, Journal of Machine Learning Research 12:2825",
    ),
    Measure(
        "worst_recall", f"min({RECALL}, {SPECIFICITY})", matrix=lambda a: smallest(recalls(a)),
        aka=("minimum_recall", "worst_class_recall"), chance=CLASS_MARGINS,
        says="The recall of the class with the lowest recall.",
        prefer="when no class may be neglected",
        cite="Fernández Caballero, Martínez, Hervás & Gutiérrez 2010, IEEE Transactions on Neural Networks 21:750",
    ),
    Measure(
        "class_balance_accuracy", "(tp / max(tp + fp, tp + fn) + tn / max(fp + tn, fn + tn)) / 2",
        matrix=class_balance_accuracy, aka=("cba",), chance=CLASS_MARGINS,
        says="The mean over classes of the smaller of precision and recall.",
        prefer="as a conservative summary: high precision cannot make up for low recall, or vice versa",
        cite="Mosley 2013, A balanced approach to the multi-class imbalance problem, Iowa State University",
    ),
    Measure(
        "classification_success_index",
        "(tp / (tp + fp) + tp / (tp + fn) + tn / (fp + tn) + tn / (fn + tn)) / 2 - 1",
        matrix=lambda a: mean(precisions(a) + recalls(a)) - 1, low=-1.0, chance="2/k - 1, so 0 for two classes",
        says="The mean over classes of precision plus recall minus 1.",
        prefer="when false alarms and misses of each class should both lower the value",
        cite="Labatut & Cherifi 2011, Ubiquitous Computing and Communication Journal 6:21",
    ),
    Measure(
        "no_information_rate", f"max(tp + fn, fp + tn) / {CASES}",
        matrix=lambda a: ratio(largest(actual(a)), total(a), NO_CASES),
        aka=("nir", "majority_share", "majority_accuracy"), best=None,
        chance="the share of the most common class",
        says="The accuracy of always predicting the most common class.",
        prefer="alongside every accuracy: a model below it is worse than no model",
        cite="Kuhn 2008, Journal of Statistical Software 28(5)",
    ),
    Measure(
        "imbalance_ratio", "max(tp + fn, fp + tn) / min(tp + fn, fp + tn)",
        matrix=lambda a: ratio(largest(actual(a)), smallest(actual(a)), NOT_MET), low=1.0, high=inf, best=None,
        chance="the most common class over the rarest",
        says="The frequency of the most common class divided by that of the rarest.",
        prefer="to decide whether accuracy can be trusted: above about 4 (80 to 20), accuracy misleads",
        cite="Orriols-Puig & Bernadó-Mansilla 2009, Soft Computing 13:213",
    ),
    Measure(
        "cases_per_class", f"{CASES} / 2", matrix=lambda a: ratio(total(a), a.shape[-1], ""),
        aka=("global_performance_index",), high=inf, best=None, says="Cases per class, on average.",
        prefer="to see how many cases a mean over classes is based on",
        cite="Haghighi, Jasemi, Hessabi & Zolanvari 2018, Journal of Open Source Software 3:729",
    ),
)

ASSOCIATIONS: tuple[Measure, ...] = (
    Measure(
        "chi_squared", f"{CASES} * {COVARIANCE}**2 / ({PRODUCT})", matrix=lambda a: total(a) * phi_squared(a),
        aka=("chi2", "chi_square"), high=inf, best=inf, chance="0",
        says="How far the table is from independence, growing with the number of cases.",
        prefer="for a test of independence, not as a measure of quality",
        cite="Pearson 1900, Philosophical Magazine 50:157", group="association",
    ),
    Measure(
        "phi_squared", f"{COVARIANCE}**2 / ({PRODUCT})", matrix=phi_squared,
        aka=("phi2", "mean_square_contingency", "doolittle"), high=inf, best=inf, chance="0",
        says="Chi squared per case: at most k - 1 for k classes, and the square of MCC for two.",
        prefer="as a component of Cramér's V", cite="Pearson 1904, On the theory of contingency",
        group="association",
    ),
    Measure(
        "cramer_v", f"abs{COVARIANCE} / sqrt({PRODUCT})", matrix=cramer_v, title="Cramér's V",
        aka=("cramers_v", "tschuprow_t"), chance="0",
        says="How strongly prediction and truth are associated; it is also 1 when all labels are swapped.",
        prefer="for clusters or codes whose names do not matter; unlike MCC, it does not distinguish right from wrong",
        cite="Cramér 1946, Mathematical Methods of Statistics", group="association",
    ),
    Measure(
        "pearson_c", f"abs{COVARIANCE} / sqrt({COVARIANCE}**2 + {PRODUCT})", matrix=pearson_c,
        title="Pearson's C", aka=("contingency_coefficient", "pearsons_c"), chance="0",
        says="The contingency coefficient: at most the square root of (k - 1)/k, which is 0.71 for two classes.",
        prefer="rarely; Cramér's V is preferable because it can reach 1",
        cite="Pearson 1904, On the theory of contingency", group="association",
    ),
    Measure(
        "lambda_a", "(max(tp, fp) + max(fn, tn) - max(tp + fn, fp + tn)) / min(tp + fn, fp + tn)",
        matrix=lambda_actual, title="lambda A", aka=("lambda_actual", "goodman_kruskal_lambda_a"), chance="0",
        says="The share of wrong guesses of the truth that knowing the prediction avoids.",
        prefer="to see whether the prediction would ever change the best guess; 0 is common with imbalanced classes",
        cite=GOODMAN, group="association",
    ),
    Measure(
        "lambda_b", "(max(tp, fn) + max(fp, tn) - max(tp + fp, fn + tn)) / min(tp + fp, fn + tn)",
        matrix=lambda_predicted, title="lambda B", aka=("lambda_predicted", "goodman_kruskal_lambda_b"),
        chance="0",
        says="The share of wrong guesses of the prediction that knowing the truth avoids.",
        prefer="like lambda A, in the other direction",
        cite=GOODMAN, group="association",
    ),
    Measure(
        "lambda_symmetric",
        "(max(tp, fp) + max(fn, tn) + max(tp, fn) + max(fp, tn) - max(tp + fn, fp + tn) - max(tp + fp, fn + tn))"
        " / (min(tp + fn, fp + tn) + min(tp + fp, fn + tn))",
        matrix=lambda_symmetric, title="symmetric lambda", aka=("goodman_kruskal_lambda",), chance="0",
        says="The share of wrong guesses that knowing the other side avoids, in both directions together.",
        prefer="when neither side is the truth", cite=GOODMAN, group="association",
    ),
    Measure(
        "goodman_kruskal_tau", f"{COVARIANCE}**2 / ({PRODUCT})", matrix=tau, title="Goodman and Kruskal's tau",
        chance="0",
        says="The relative reduction in wrong guesses, made in proportion to the classes, from knowing the prediction.",
        prefer="where lambda is 0 although the prediction is informative",
        cite=GOODMAN, group="association",
    ),
    Measure(
        "rand_index", matrix=rand_index, aka=("ri",), chance="depends on the margins",
        says="The share of pairs of cases on which both sides agree: together in one class, or apart.",
        prefer="for clusters without names; it is high whenever there are many classes. Integer counts only",
        cite="Rand 1971, JASA 66:846",
        notation=r"1 - \frac{\sum_i \binom{n_{i\cdot}}{2} + \sum_j \binom{n_{\cdot j}}{2}"
        r" - 2 \sum_{ij} \binom{n_{ij}}{2}}{\binom{n}{2}}",
        group="association",
    ),
    Measure(
        "adjusted_rand_index", matrix=adjusted_rand_index, aka=("ari",), low=-0.5, chance="0 on average",
        says="The Rand index corrected for agreement by chance.",
        prefer="for clusters without names. Integer counts only",
        cite="Hubert & Arabie 1985, Journal of Classification 2:193",
        notation=r"\frac{\sum_{ij} \binom{n_{ij}}{2} - E}{\frac{1}{2} \left(A + B\right) - E},\;"
        r" A = \sum_i \binom{n_{i\cdot}}{2},\; B = \sum_j \binom{n_{\cdot j}}{2},\; E = A B / \binom{n}{2}",
        group="association",
    ),
)

MEASURES: tuple[Measure, ...] = (*CLASSES, *ASSOCIATIONS)
