"""The errata of the founding documents: what they print, and what is right.

S0 to S4 are the five documents in the order of the checklist; l. is a line of the document.
"""

from __future__ import annotations

from rocscope.errors import RocscopeError
from rocscope.lessons.records import Erratum

_ROWS: tuple[tuple[str, str, str], ...] = (
    ("S0 l.35", "'even number of classes'", "an even distribution of classes"),
    ("S0 l.74", "n_ii/m_ii", "n_ii/m_i"),
    (
        "S0 l.78-80",
        "overall 'precision' for the share of right answers",
        "that is accuracy (= micro precision); macro precision differs (0.7361)",
    ),
    ("S0 l.98", "a sum that runs to r", "the sum runs to k"),
    ("S0 l.106", "a matrix with two zeros lost", "[[10, 0, 0], [0, 7, 5], [0, 3, 5]], predicted rows"),
    ("S0 l.189", "'TN = TN'", "TNR; throughout 'rac' is a fraction bar, 'eta' is beta, 'ho' is rho"),
    ("S0 l.244-248", "a matrix image, lost", "TP 9, FP 9, FN 1, TN 5, rebuilt from the printed answers"),
    ("S0 l.301", "'weighted F1' for F_beta", "F_beta; the weighted F1 is an average over classes"),
    (
        "S0 l.326",
        "F = (2*5/8)/(5/8+5/12), which is 1.2 and above 1",
        "2*(5/8)*(5/12)/(5/8+5/12) = 1/2",
    ),
    (
        "S0 l.343, 366-372",
        "output lines displaced, macro 0.62",
        "[[3 1], [3 3]] and macro 0.625 (0.62 is 0.625 rounded to even)",
    ),
    ("S0 l.377", "'Receiver Operating Curve'", "Receiver Operating Characteristic"),
    ("S0 l.425", "positive when S(x) > rho", "S(x) >= rho, as the algorithm and its table have it"),
    (
        "S0 l.449",
        "a random (perfect) model classifies right with probability 50 (100) %",
        "it ranks a pair right with that probability",
    ),
    (
        "S0 l.453-463",
        "arrows lost; 'inversely proportional'",
        "sensitivity up, specificity down: a monotone trade-off, not a proportion",
    ),
    (
        "S0 l.487-496, 504",
        "line numbers and indentation lost; y_1",
        "lines 9-14 are the body of the if, lines 15-16 count; y_i",
    ),
    ("S0 l.537", "point (TPR, FPR)", "point (FPR, TPR)"),
    ("S0 l.568", "(06-0.4)", "(0.6-0.4)"),
    ("S2 l.408", "FP = 10 at threshold 2", "FP = 0, since TN + FP must be 25 (S0 has 0)"),
    ("S0 l.621", "0.919999", "0.92 exactly"),
    ("S1 l.13, 26", "'Image you are'", "'Imagine you are'"),
    ("S1 l.133", "sum(OBS), len(OBS)", "sum(Y), len(Y)"),
    ("S1 l.183", "pprev = -inf", "None: -inf fails when the largest score is -inf"),
    (
        "S1 l.226",
        "'interpld', linear in the threshold",
        "interp1d; but a curve of steps is looked up, and scikit-learn's first threshold is inf since 1.3",
    ),
    (
        "S2 l.25, 29, 39",
        "sentences cut",
        "'... very poor'; '... several other criteria'; '... into K parts, then divide each part ...'",
    ),
    (
        "S2 l.71, 83",
        "a subject lost; T9 paired with V3",
        "'We take X1(1) as ...'; T9 with V9; 'fold' means a repetition here",
    ),
    (
        "S2 l.95-102",
        "two balls drawn together, then returned, called a bootstrap sample",
        "a bootstrap sample draws each item with replacement, usually N of N",
    ),
    ("S2 l.150", "FN in the cell of TN", "TN"),
    (
        "S2 l.239, 247",
        "text cut; TN = 25",
        "'Of the 50, 40 were relevant'; TN = 15, since n is 80 and not 90",
    ),
    ("S2 l.296", "a label lost", "TPR = true positive rate"),
    ("S2 l.339, 344", "points (TPR, FPR); 'accuracy'", "points (FPR, TPR); performance is meant"),
    (
        "S2 l.349-363",
        "cut-offs one row late, TP (and partly FN, FP, TN) one row late for 24-30; 2230, '1 1550', "
        "1100000; FPR 0.08, 0.00",
        "the table of the example 'bmi'",
    ),
    ("S2 l.395", "'KUC'; 'using the prediction'", "ROC; the perfect prediction"),
    ("S2 l.396-398", "a run of repeated words: 14 tokens for 10 predictions", "the example 'man-woman'"),
    (
        "S2 l.419-431",
        "labels one row early or late, '< 0.0'; headings Normal and Low swapped; no total",
        "TP belong to low birth-weight, TN to normal; the example 'arm'",
    ),
    ("S3 l.60", "'= 1 true negative rate'", "1 - true negative rate"),
    ("S3 l.82-120", "slides repeated, 'ls' for 'Is', scores lost", "two matrices of a sweep of nine"),
    ("S4 l.12", "TN in cell (1,1)", "TP"),
    ("S4 l.17", "recall over 'real prediction'", "recall over the real positives"),
    ("S4 l.96", "'fruitless experience treatments'", "expensive treatments"),
    (
        "S4 l.113, 115",
        "FNR = 1 - TNR; FPR = 1 - TPR",
        "FNR = 1 - TPR; FPR = 1 - TNR (l.449-454 have it right)",
    ),
    ("S4 l.218, 226", "FP = 1 and TPR 0.50 at 0.92", "FP = 0 and TPR 0.67"),
    (
        "S4 l.271",
        "threshold near 1, most predicted 0, TPR near 1",
        "only when all positives score near 1; otherwise TPR is near 0",
    ),
    ("S4 l.291", "ROC < 0", "AUC < 0.5"),
    ("S4 l.340, 347", "P_m1 above M2's table; FPR_M2 in M1's list", "P_m2; FPR_M1"),
    ("S4 l.425", "97.8 %", "96.9 %"),
    ("S4 l.458, 461", "'does not work'; 'PR - ROC curve'", "can look too good; precision-recall curve"),
    (
        "S4 l.476-515",
        "F1 derived from the area under the PR curve; closeness to F1 as proof",
        "F1 follows from each point of the curve, not from its area; there is no such proof",
    ),
    (
        "S4 l.495, 507",
        "one name spelled two ways; trapezoid area",
        "one name; average precision or the exact area",
    ),
    ("S4 l.535", "60-40 'slightly balanced'", "slightly imbalanced, or nearly balanced"),
    ("S3 practical method", "'rank test instances predicted as positive'", "rank all test instances"),
    (
        "S4 step 3",
        "pick where 'TPR increases and FPR decreases'",
        "both rise together along the curve: pick by cost, or by TPR - FPR",
    ),
    ("S3 AUC slide", "random order <=> 0.5", "0.5 only on average"),
    (
        "S2 BMI paragraph",
        "sentences repeated and cut",
        "the threshold depends on food habits, background and life-style of the population",
    ),
    (
        "S0, S4",
        "'F1 is better for imbalanced data'",
        "F1 ignores TN and depends on prevalence: read it with the baseline and MCC",
    ),
)

ERRATA: tuple[Erratum, ...] = tuple(Erratum(number, *row) for number, row in enumerate(_ROWS, start=1))


def errata() -> tuple[Erratum, ...]:
    """All errata in order of their numbers.

    >>> len(errata()), errata()[8].right
    (54, '2*(5/8)*(5/12)/(5/8+5/12) = 1/2')
    """
    return ERRATA


def erratum(number: int) -> Erratum:
    """The erratum of that number, as the examples and concepts cite it.

    >>> print(erratum(2))
    E2 (S0 l.74): printed n_ii/m_ii; right: n_ii/m_i
    """
    if not 1 <= number <= len(ERRATA):
        raise RocscopeError(f"no erratum {number}; they run from 1 to {len(ERRATA)}")
    return ERRATA[number - 1]
