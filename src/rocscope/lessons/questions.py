"""The questions of the founding documents, each with its answer and, where it is a number, how it is computed.

>>> question("short 8").answer.split(":")[0]
'The area under the ROC curve'
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction as F
from types import MappingProxyType

from rocscope.lessons.records import Question, pick

_SHORT: tuple[tuple[str, str], ...] = (
    (
        "What is cross-validation?",
        "Using the same cases several times, split differently into training and validation each time, so that "
        "every case serves in both.",
    ),
    (
        "What is 5x2 cross-validation?",
        "Halve the data, train on one half and validate on the other, then swap; do so five times with new halves: "
        "ten pairs of a training and a validation set.",
    ),
    (
        "What is leave-one-out?",
        "Each of the N cases is the validation set once, and the other N - 1 train: N pairs. Used where cases are few.",
    ),
    (
        "What is a confusion matrix?",
        "A table that counts the cases of each true class by the class they were predicted to be. Its diagonal is "
        "agreement.",
    ),
    (
        "What are precision, recall, sensitivity and specificity?",
        "Precision: of those flagged, the share that is positive, TP/(TP + FP). Recall = sensitivity: of the "
        "positives, the share found, TP/(TP + FN). Specificity: of the negatives, the share left alone, TN/(TN + FP).",
    ),
    (
        "What is a ROC curve?",
        "TPR against FPR over all thresholds, from (0, 0) where nothing is flagged to (1, 1) where everything is.",
    ),
    (
        "What are TPR and FPR?",
        "TPR = TP/(TP + FN), the share of positives flagged; FPR = FP/(FP + TN), the share of negatives flagged.",
    ),
    (
        "What is the AUC?",
        "The area under the ROC curve: the probability that a random positive scores above a random negative, ties "
        "counting one half. 1 is perfect, 0.5 is guessing.",
    ),
)

_LONG: tuple[Question, ...] = (
    Question(
        name="long 1",
        kind="long",
        source_item=129,
        question="Which kinds of cross-validation are there?",
        answer="Holdout: one split. K-fold: K parts, each validates once, training sets share K - 2 parts. "
        "Leave-one-out: K = N. 5x2: five random halvings, each used both ways. Bootstrap, its relative: train on N "
        "cases drawn with return, test on those not drawn.",
    ),
    Question(
        name="long 2",
        kind="long",
        source_item=129,
        question="What is a confusion matrix, and how does it extend to more classes?",
        answer="With two classes it has TP, FP, FN, TN. With k classes it is k x k: cell (i, j) counts cases predicted "
        "i that truly are j. Each class against the rest gives a 2 x 2 matrix again, hence precision and recall per "
        "class: for versicolor of the Iris example 7/12 and 7/10.",
        example="iris",
        ask="of:versicolor.precision",
        value=F(7, 12),
    ),
    Question(
        name="long 3",
        kind="long",
        source_item=129,
        question="Which points of ROC space stand for the perfect prediction, for always positive and always negative?",
        answer="(0, 1) is perfect, (1, 1) always positive, (0, 0) always negative. The diagonal is guessing.",
        example="roc-points",
        ask="space:A",
        value="perfect",
    ),
    Question(
        name="long 4",
        kind="long",
        source_item=130,
        question="Ten records of men and women, man positive: accuracy, precision, recall, sensitivity, specificity?",
        answer="TP 3, FN 2, FP 1, TN 4: accuracy 7/10, precision 3/4, recall = sensitivity 3/5, specificity 4/5. The "
        "predictions are reconstructed.",
        example="man-woman",
        ask="matrix.accuracy",
        value=F(7, 10),
    ),
    Question(
        name="long 5",
        kind="long",
        source_item=131,
        question="A flu test with TP 620, FN 380, FP 180, TN 8820: accuracy, precision, recall?",
        answer="Accuracy 0.944, precision 0.775, recall 0.62. Calling everyone healthy has accuracy 0.90.",
        example="flu",
        ask="counts.precision",
        value=F(31, 40),
    ),
    Question(
        name="long 6",
        kind="long",
        source_item=132,
        question="Draw the ROC curve of the table of seven thresholds. What is its AUC?",
        answer="0.92. At threshold 2 there are 0 false positives, not 10: TN + FP must be 25.",
        example="step-table",
        ask="auc",
        value=F(23, 25),
    ),
    Question(
        name="long 7",
        kind="long",
        source_item=133,
        question="Mid-arm circumference as a test for low birth-weight: draw the ROC curve, which cut-off serves best?",
        answer="8.7 cm by TPR - FPR: sensitivity 0.8692. The area needs the number of negatives, which is not given: "
        "0.9173 with 867, 0.9143 with 870.",
        example="arm",
        ask="in:870.best.youden.threshold",
        value=8.7,
    ),
)

_PROBLEMS: tuple[Question, ...] = (
    Question(
        name="problem 1",
        kind="problem",
        source_item=110,
        question="8 animals called dogs, 12 dogs exist, 5 of the 8 are dogs: precision and recall?",
        answer="Precision 5/8, recall 5/12.",
        example="dogs",
        ask="counts.recall",
        value=F(5, 12),
    ),
    Question(
        name="problem 2",
        kind="problem",
        source_item=111,
        question="7 of 10 things called balls, 2 rightly, 4 balls exist: precision and recall?",
        answer="TP 2, FP 5, FN 2: precision 2/7, recall 1/2.",
        example="balls",
        ask="counts.precision",
        value=F(2, 7),
    ),
    Question(
        name="problem 3",
        kind="problem",
        source_item=112,
        question="80 documents, 55 relevant, 50 returned, 40 of them relevant: precision, recall and accuracy?",
        answer="Precision 4/5, recall 8/11, and with TN = 15 accuracy 11/16.",
        example="search",
        ask="counts.accuracy",
        value=F(11, 16),
    ),
)

_QUIZZES: tuple[Question, ...] = (
    Question(
        name="quiz dogs",
        kind="quiz",
        source_item=30,
        question="Of 8 animals called dogs 5 are dogs, and 12 dogs exist: TP, FP, FN?",
        answer="TP 5, FP 3, FN 7. TN is not told.",
        example="dogs",
        ask="counts.fn",
        value=7,
    ),
    Question(
        name="quiz matrix",
        kind="quiz",
        source_item=31,
        question="TP 9, FP 9, FN 1, TN 5: precision of both classes, TPR, TNR, accuracy?",
        answer="1/2 and 5/6, 9/10, 5/14, 7/12. The matrix is rebuilt from these answers.",
        example="lost-matrix",
        ask="counts.tnr",
        value=F(5, 14),
    ),
    Question(
        name="quiz points",
        kind="quiz",
        source_item=60,
        question="A (0, 1), B (1, 1), C (1, 0.5): which classifier is perfect?",
        answer="A. B flags everything; C is worse than guessing, and inverted it is (0, 0.5).",
        example="roc-points",
        ask="space:A",
        value="perfect",
    ),
    Question(
        name="quiz corners",
        kind="quiz",
        source_item=61,
        question="Where are the perfect, the always positive and the always negative classifier in ROC space?",
        answer="At (0, 1), (1, 1) and (0, 0).",
        example="special",
        ask="in:positive.counts.fpr",
        value=1,
    ),
    Question(
        name="quiz area",
        kind="quiz",
        source_item=62,
        question="What is the area under the drawn staircase?",
        answer="0.24 + 0.16 + 0.40 = 0.80.",
        example="drawn-curve",
        ask="area",
        value=F(4, 5),
    ),
    Question(
        name="quiz order",
        kind="quiz",
        source_item=178,
        question="Two models rank five cases alike, with other numbers: whose AUC is larger?",
        answer="Neither: AUC uses the order only, here 1/2 for both. Log loss tells them apart.",
        example="same-order",
        ask="in:M2.auc",
        value=F(1, 2),
    ),
    Question(
        name="quiz overlap",
        kind="quiz",
        source_item=179,
        question="The ROC curves of two models lie on each other. What does that mean?",
        answer="At every threshold they trade TPR for FPR alike: much the same performance as rankers.",
    ),
    Question(
        name="quiz f1",
        kind="quiz",
        source_item=185,
        question="Can F1 be derived from the area under the precision-recall curve?",
        answer="No. F1 follows from each point of the curve, not from the area.",
    ),
)


def _short() -> tuple[Question, ...]:
    return tuple(
        Question(f"short {number}", "short", 128, asked, said) for number, (asked, said) in enumerate(_SHORT, 1)
    )


_BY_NAME: Mapping[str, Question] = MappingProxyType(
    {one.name: one for one in (*_short(), *_LONG, *_PROBLEMS, *_QUIZZES)}
)


def questions() -> tuple[Question, ...]:
    """All questions: short 1 to 8, long 1 to 7, problems, quizzes.

    >>> len([one for one in questions() if one.kind == "long"])
    7
    """
    return tuple(_BY_NAME.values())


def question(name: str) -> Question:
    """The question of that name.

    >>> question("long 6").answer[:5]
    '0.92.'
    """
    found: Question = pick(name, _BY_NAME, "question")
    return found
