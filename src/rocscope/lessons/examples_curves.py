"""Worked examples on scores, threshold tables and points of ROC space, and those whose data are lost.

Every value here is typed from the documents (their errata applied), none is computed by the library:
the tests compare both.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction as F
from typing import Any

from rocscope.lessons.records import Example, answer, data


def ranked(order: str) -> Mapping[str, Any]:
    """Data of a ranking written as + and - from the highest score down.

    >>> dict(ranked("+-+"))
    {'y': (1, 0, 1), 'scores': (3, 2, 1)}
    """
    return data(y=tuple(int(mark == "+") for mark in order), scores=tuple(range(len(order), 0, -1)))


def _row(threshold: float, tp: int, fn: int, fp: int, tn: int) -> Mapping[str, float]:
    return data(threshold=threshold, tp=tp, fp=fp, fn=fn, tn=tn)


FIVE_POINTS = Example(
    name="five-points",
    title="Five cases with a tie, row by row",
    source_item=54,
    kind="scores",
    data=data(y=("c1", "c2", "c1", "c1", "c2"), scores=(0.9, 0.8, 0.8, 0.8, 0.1), positive="c1"),
    question="Follow the ROC algorithm: which points, which area after each, which AUC?",
    answers=(
        answer("points", ((0, 0), (0, F(1, 3)), (F(1, 2), 1), (1, 1)), "(0,0) (0,1/3) (1/2,1) (1,1)"),
        answer("areas", (0, 0, F(1, 3), F(5, 6)), "area after each point: 0, 0, 1/3, 5/6"),
        answer("auc", F(5, 6)),
        answer("interval:newcombe.auc", (0.312839, 0.980518)),
    ),
    erratum=(12, 15),
    note="A positive and a negative tie at 0.8, so the curve moves diagonally and the piece under it is a trapezoid.",
)

ROC_POINTS = Example(
    name="roc-points",
    title="Three classifiers as points",
    source_item=60,
    kind="points",
    data=data(points=data(A=(0, 1), B=(1, 1), C=(1, 0.5))),
    question="A (0, 1), B (1, 1), C (1, 0.5): which is perfect, and what are the others?",
    answers=(
        answer("space:A", "perfect"),
        answer("space:B", "always positive"),
        answer("space:C", "below the diagonal"),
        answer("inverted:C", (0, F(1, 2)), "C inverted = (0, 0.5)"),
    ),
    note="C is worse than guessing. Turning its answers round gives (0, 0.5), which is better.",
)

DRAWN_CURVE = Example(
    name="drawn-curve",
    title="The area under a drawn curve",
    source_item=62,
    kind="polyline",
    data=data(points=((0, 0.6), (0.4, 0.6), (0.4, 0.8), (0.6, 0.8), (0.6, 1), (1, 1))),
    question="What is the area under this staircase?",
    answers=(answer("area", F(4, 5), "0.24 + 0.16 + 0.40 = 4/5 = 0.8"),),
    erratum=(17,),
    note="Three rectangles: 0.4 x 0.6, 0.2 x 0.8 and 0.4 x 1.",
)

STEP_TABLE = Example(
    name="step-table",
    title="Seven thresholds, 29 positives and 25 negatives",
    source_item=63,
    also=(132,),
    kind="thresholds",
    data=data(
        rows=(
            _row(1, tp=0, fn=29, fp=0, tn=25),
            _row(2, tp=7, fn=22, fp=0, tn=25),
            _row(3, tp=18, fn=11, fp=1, tn=24),
            _row(4, tp=26, fn=3, fp=5, tn=20),
            _row(5, tp=29, fn=0, fp=14, tn=11),
            _row(6, tp=29, fn=0, fp=25, tn=0),
            _row(7, tp=29, fn=0, fp=25, tn=0),
        ),
        higher_is_positive=False,
    ),
    question="Draw the ROC curve of the table. What is its area, and which threshold serves best?",
    answers=(
        answer("at:2.tpr", F(7, 29)),
        answer("at:3.tpr", F(18, 29)),
        answer("at:4.tpr", F(26, 29)),
        answer("at:3.fpr", F(1, 25)),
        answer("at:4.fpr", F(1, 5)),
        answer("at:5.fpr", F(14, 25)),
        answer("auc", F(23, 25)),
        answer("hull.area", F(23, 25)),
        answer("best.youden.threshold", 4),
        answer("best.youden.youden", 0.6966),
        answer("best.closest.threshold", 4),
        answer("best.closest.distance", 0.2252),
        answer("at:4.accuracy", F(23, 27)),
        answer("interval:delong.auc", (0.8534, 0.9866)),
        answer("interval:newcombe.auc", (0.800463, 0.968532)),
    ),
    erratum=(18, 19),
    note="The curve is its own hull. The last row repeats the one before and changes nothing.",
)

BMI = Example(
    name="bmi",
    title="Body mass index as a test, twelve cut-offs",
    source_item=124,
    also=(126,),
    kind="thresholds",
    data=data(
        rows=(
            _row(18, 100, 0, 200, 0),
            _row(20, 100, 0, 198, 2),
            _row(22, 99, 1, 177, 23),
            _row(24, 95, 5, 117, 83),
            _row(26, 85, 15, 80, 120),
            _row(28, 66, 34, 53, 147),
            _row(30, 47, 53, 27, 173),
            _row(32, 34, 66, 17, 183),
            _row(34, 21, 79, 14, 186),
            _row(36, 17, 83, 6, 194),
            _row(38, 7, 93, 4, 196),
            _row(40, 1, 99, 1, 199),
        ),
        higher_is_positive=True,
    ),
    question="100 patients and 200 others, positive from the cut-off up: what is the AUC, which cut-offs "
    "are nearest the corner (0, 1)?",
    answers=(
        answer("at:26.tpr", F(17, 20)),
        answer("at:26.fpr", F(2, 5)),
        answer("at:22.fpr", 0.885),
        answer("at:40.fpr", 0.005),
        answer("auc", F(15623, 20000)),
        answer("hull.area", F(31367, 40000)),
        answer("best.youden.threshold", 26),
        answer("best.youden.youden", F(9, 20)),
        answer("best.closest.threshold", 26),
        answer("best.closest.distance", 0.4272),
        answer("at:28.distance", 0.4311),
        answer("interval:delong.auc", (0.7289, 0.8334)),
        answer("interval:newcombe.auc", (0.720208, 0.830530)),
    ),
    erratum=(30, 31, 53),
    status="reconstructed",
    note="The printed table slipped by a row in places; each row here adds up to 100 and 200.",
)

_ARM_ROWS = tuple(
    data(threshold=cut, tp=tp, tn=tn)
    for cut, tp, tn in (
        (8.3, 13, 867),
        (8.4, 24, 844),
        (8.5, 73, 826),
        (8.6, 90, 800),
        (8.7, 113, 783),
        (8.8, 119, 735),
        (8.9, 121, 626),
        (9.0, 125, 505),
        (9.1, 127, 435),
        (9.2, 130, 0),
    )
)

ARM = Example(
    name="arm",
    title="Mid-arm circumference and low birth-weight",
    source_item=133,
    kind="cases",
    data=data(
        **{
            str(total): (
                "thresholds",
                data(rows=_ARM_ROWS, positives=130, negatives=total, higher_is_positive=False),
            )
            for total in (867, 870)
        }
    ),
    question="The test is positive at or below the cut-off. What is the AUC, and which cut-off serves best?",
    answers=(
        answer("in:867.auc", 0.9173),
        answer("in:870.auc", 0.9143),
        answer("in:867.best.youden.threshold", 8.7),
        answer("in:870.best.youden.threshold", 8.7),
        answer("in:867.best.youden.sensitivity", F(113, 130)),
        answer("in:867.best.youden.specificity", F(261, 289)),
        answer("in:870.best.youden.specificity", F(9, 10)),
        answer("in:867.interval:delong.auc", (0.8923, 0.9423)),
        answer("in:870.interval:delong.auc", (0.8892, 0.9395)),
        answer("in:867.interval:newcombe.auc", (0.885961, 0.940096)),
        answer("in:870.interval:newcombe.auc", (0.882520, 0.937576)),
    ),
    erratum=(34,),
    status="reconstructed",
    note="130 positives; the number of negatives is not given and must be asked for. At least 867 are "
    "needed; 870 would make a round thousand.",
)

C45_SVM = Example(
    name="c45-svm",
    title="Two classifiers, two cost ratios",
    source_item=148,
    also=(149,),
    kind="points",
    data=data(points=data(**{"C4.5": (0.2, 0.7), "SVM": (0.5, 0.95)})),
    question="Which classifier is cheapest at slope 1, and which at slope 1/4?",
    answers=(
        answer("hull.best:1", "C4.5"),
        answer("hull.best:1/4", "SVM"),
        answer("hull.slopes", (F(7, 2), F(5, 6), F(1, 10)), "hull slopes 3.5, 0.8333, 0.1"),
    ),
    status="reconstructed",
    note="The figure's points are lost; these two give both printed answers. The lead changes at 5/6.",
)

FAWCETT = Example(
    name="fawcett",
    title="Fawcett's twenty instances",
    source_item=155,
    kind="scores",
    data=data(
        y=tuple("ppnpppnnpnpnpnnnpnpn"),
        scores=(
            *(0.9, 0.8, 0.7, 0.6, 0.55, 0.54, 0.53, 0.52, 0.51, 0.505),
            *(0.4, 0.39, 0.38, 0.37, 0.36, 0.35, 0.34, 0.33, 0.30, 0.1),
        ),
        positive="p",
    ),
    question="Ten positives, ten negatives: draw the curve and its hull; which threshold is most accurate?",
    answers=(
        answer("auc", F(17, 25)),
        answer(
            "hull.points",
            ((0, 0), (0, F(1, 5)), (F(1, 10), F(1, 2)), (F(1, 2), F(4, 5)), (F(9, 10), 1), (1, 1)),
            "hull (0,0) (0,0.2) (0.1,0.5) (0.5,0.8) (0.9,1) (1,1)",
        ),
        answer("hull.slopes", (float("inf"), 3, F(3, 4), F(1, 2), 0), "hull slopes inf, 3, 0.75, 0.5, 0"),
        answer("hull.area", F(151, 200)),
        answer("best.accuracy.threshold", 0.54),
        answer("best.accuracy.accuracy", F(7, 10)),
        answer("at:0.5.accuracy", F(3, 5)),
        answer("average_precision", 0.7357),
        answer("pr_area", 0.7200),
        answer("pr_trapezoid", 0.7191),
        answer("partial_auc:0..0.2", F(7, 100), "partial AUC for fpr 0 to 0.2 = 0.07"),
        answer("partial_corrected:0..0.2", 0.6389, "the same, corrected = 0.6389"),
        answer("interval:delong.auc", (0.4311, 0.9289)),
        answer("interval:logit-delong.auc", (0.4036, 0.8696)),
        answer("interval:newcombe.auc", (0.414482, 0.858393)),
        answer("error:delong", 0.1270),
        answer("error:hanley-mcneil", 0.1219),
    ),
    erratum=(50,),
    note="The threshold 0.5 costs a tenth of the accuracy here: nothing makes 0.5 special for a score.",
)

SIX_CASES = Example(
    name="six-cases",
    title="Six cases, every score a threshold",
    source_item=172,
    kind="scores",
    data=data(y=(1, 1, 0, 1, 0, 0), scores=(0.94, 0.92, 0.70, 0.65, 0.30, 0.20)),
    question="Fill in TPR and FPR at each score. What is the AUC?",
    answers=(
        answer("at:0.94.tpr", F(1, 3)),
        answer("at:0.94.fpr", 0),
        answer("at:0.92.tpr", F(2, 3)),
        answer("at:0.92.fpr", 0),
        answer("at:0.7.tpr", F(2, 3)),
        answer("at:0.7.fpr", F(1, 3)),
        answer("at:0.65.tpr", 1),
        answer("at:0.65.fpr", F(1, 3)),
        answer("at:0.3.tpr", 1),
        answer("at:0.3.fpr", F(2, 3)),
        answer("at:0.2.tpr", 1),
        answer("at:0.2.fpr", 1),
        answer("auc", F(8, 9)),
        answer("average_precision", 0.9167),
        answer("pr_area", 0.9041),
        answer("interval:newcombe.auc", (0.391161, 0.988831)),
    ),
    erratum=(41, 51),
    note="At 0.92 both cases flagged are positive: FP is 0 and TPR 2/3.",
)

_ORDER_Y = (1, 1, 0, 1, 1)

SAME_ORDER = Example(
    name="same-order",
    title="Two models, one order",
    source_item=178,
    kind="cases",
    data=data(
        M1=("scores", data(y=_ORDER_Y, scores=(0.95, 0.92, 0.80, 0.76, 0.71))),
        M2=("scores", data(y=_ORDER_Y, scores=(0.20, 0.10, 0.08, 0.06, 0.02))),
    ),
    question="Both models rank the five cases alike. Which measures tell them apart?",
    answers=(
        answer("in:M1.auc", F(1, 2)),
        answer("in:M2.auc", F(1, 2)),
        answer("in:M1.log_loss", 0.4722),
        answer("in:M2.log_loss", 2.1442),
        answer("in:M1.brier", 0.1581),
        answer("in:M2.brier", 0.6601),
        answer("in:M1.at:0.5.accuracy", F(4, 5)),
        answer("in:M2.at:0.5.accuracy", F(1, 5)),
        answer("in:M1.interval:newcombe.auc", (0.100161, 0.899839)),
    ),
    erratum=(44,),
    note="AUC reads the order and nothing else. Log loss, Brier and any fixed threshold read the numbers.",
)

URN = Example(
    name="urn",
    title="Five balls in an urn",
    source_item=103,
    kind="urn",
    data=data(items=tuple("ABCDE"), draws=2),
    question="Balls A to E, samples of two: how many are there with and without return?",
    answers=(
        answer("urn.together", 10, "drawn together: 10 pairs"),
        answer("urn.returned", 25, "each returned before the next: 25 ordered samples"),
        answer("urn.left_out", F(1024, 3125), "share never drawn in 5 draws: (4/5)^5 = 0.3277"),
    ),
    erratum=(26,),
    note="Only drawing with return is a bootstrap sample: it alone can draw the same ball twice. With many "
    "balls the share left out comes near 1/e = 0.368.",
)

NAIVE_BAYES = Example(
    name="naive-bayes",
    title="Naive Bayes on Iris-PC",
    source_item=57,
    kind="scores",
    data=ranked("-+++-++--+-+--+--+----+-------"),
    question="The figure gives AUC 0.775 for 10 positives and 20 negatives. Why does it start below the diagonal?",
    answers=(answer("auc", F(31, 40)), answer("at:30.fpr", F(1, 20)), answer("at:30.tpr", 0)),
    status="reconstructed",
    note="The scores are lost. 0.775 is 155 of 200 pairs, which this ranking has too. It starts below the "
    "diagonal because the highest score belongs to a negative.",
)

LR_KNN = Example(
    name="lr-knn",
    title="Logistic regression above nearest neighbours",
    source_item=47,
    kind="lost",
    data=data(),
    question="Two ROC curves in one figure: which model has the larger area?",
    status="lost",
    note="Logistic regression, says the figure. Its data are lost, so no number can be recomputed. The "
    "same question is answered for any two models by their tables.",
)

COURSE_AUC = Example(
    name="course-auc",
    title="An AUC printed by a library",
    source_item=181,
    kind="lost",
    data=data(printed=0.96898),
    question="roc_auc_score prints 0.96898. What is that in percent?",
    erratum=(45,),
    status="lost",
    note="96.9 %, not 97.8 %. The data are lost, so the number cannot be recomputed.",
)

COURSE_PR = Example(
    name="course-pr",
    title="A PR area by trapezoids",
    source_item=186,
    kind="lost",
    data=data(printed=0.89437),
    question="auc(recall, precision) prints 0.89437. Which area is that?",
    erratum=(47, 48),
    status="lost",
    note="The trapezoid area, which draws straight lines where the PR curve is not straight. The data are "
    "lost; use average precision or the exact area, and name which.",
)

CURVE_EXAMPLES: tuple[Example, ...] = (
    LR_KNN,
    FIVE_POINTS,
    NAIVE_BAYES,
    ROC_POINTS,
    DRAWN_CURVE,
    STEP_TABLE,
    URN,
    BMI,
    ARM,
    C45_SVM,
    FAWCETT,
    SIX_CASES,
    SAME_ORDER,
    COURSE_AUC,
    COURSE_PR,
)
