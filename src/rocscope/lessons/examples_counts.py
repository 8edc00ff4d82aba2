"""Worked examples on counts and matrices, as the founding documents state them.

Every value here is typed from the documents (their errata applied), none is computed by the library:
the tests compare both.
"""

from __future__ import annotations

from fractions import Fraction as F

from rocscope.lessons.records import Answer, Example, Value, answer, data


def _measures(**values: Value) -> tuple[Answer, ...]:
    """Answers read off one 2 x 2 matrix."""
    return tuple(answer(f"counts.{name}", value) for name, value in values.items())


EIGHT_WRONG = Example(
    name="eight-wrong",
    title="Eight of thirty flowers wrong",
    source_item=7,
    kind="tally",
    data=data(right=22, wrong=8),
    question="A classifier gets 8 of 30 test cases wrong. What are its accuracy and its error rate?",
    answers=(
        *_measures(accuracy=F(11, 15), error_rate=F(4, 15)),
        answer("interval:wilson.accuracy", (0.5555, 0.8582)),
    ),
    note="Accuracy asks only how many are right, so it can be answered without knowing which ones.",
)

NINETY_TEN = Example(
    name="ninety-ten",
    title="Ninety of a hundred in one class",
    source_item=6,
    kind="counts",
    data=data(tp=0, fp=0, fn=10, tn=90),
    question="90 of 100 cases are negative and the model always says negative. How good is its accuracy?",
    answers=(
        *_measures(accuracy=F(9, 10), recall=0, balanced_accuracy=F(1, 2)),
        answer("known.precision", "no"),
    ),
    erratum=(1,),
    note="Accuracy 0.9 without finding a single positive: the majority-class baseline.",
)

IRIS = Example(
    name="iris",
    title="Iris, three classes",
    source_item=16,
    kind="matrix",
    data=data(
        matrix=((10, 0, 0), (0, 7, 5), (0, 3, 5)),
        labels=("setosa", "versicolor", "virginica"),
        rows="predicted",
    ),
    question="What are precision, recall and F of each class, the overall F and the accuracy?",
    answers=(
        answer("predicted:setosa", 10),
        answer("predicted:versicolor", 12),
        answer("predicted:virginica", 8),
        answer("support:setosa", 10),
        answer("support:versicolor", 10),
        answer("support:virginica", 10),
        answer("of:setosa.precision", 1),
        answer("of:versicolor.precision", F(7, 12)),
        answer("of:virginica.precision", F(5, 8)),
        answer("of:setosa.recall", 1),
        answer("of:versicolor.recall", F(7, 10)),
        answer("of:virginica.recall", F(1, 2)),
        answer("of:setosa.f1", 1),
        answer("of:versicolor.f1", F(7, 11)),
        answer("of:virginica.f1", F(5, 9)),
        answer("macro:f1", F(217, 297)),
        answer("macro:precision", F(53, 72)),
        answer("micro:precision", F(11, 15)),
        answer("matrix.accuracy", F(11, 15)),
        answer("matrix.kappa", F(3, 5)),
    ),
    erratum=(3, 4, 5),
    note="Rows are the predicted classes. Overall 'precision' in the document is the accuracy.",
)

IRIS_PC = Example(
    name="iris-pc",
    title="Iris on two principal components",
    source_item=29,
    kind="counts",
    data=data(tp=7, fp=7, fn=3, tn=13),
    question="Versicolor against the rest: what are the measures of both classes?",
    answers=_measures(
        precision=F(1, 2),
        npv=F(13, 16),
        tpr=F(7, 10),
        tnr=F(13, 20),
        fnr=F(3, 10),
        fpr=F(7, 20),
        accuracy=F(2, 3),
        f1=F(7, 12),
        youden=F(7, 20),
        mcc=0.3307,
    ),
    erratum=(6,),
    note="Accuracy 2/3 is what always answering 'rest' has as well: 20 of 30.",
)

DOGS = Example(
    name="dogs",
    title="Dogs among cats, from three facts",
    source_item=30,
    also=(110,),
    kind="retrieval",
    data=data(found=8, exist=12, right=5),
    question="A program calls 8 animals dogs; there are 12 dogs and 5 of the 8 are dogs. Precision, recall?",
    answers=(
        *_measures(tp=5, fp=3, fn=7, precision=F(5, 8), recall=F(5, 12), f1=F(1, 2)),
        answer("known.specificity", "no"),
    ),
    note="The number of cats is not told, so TN is unknown and what needs it stays undefined.",
)

DOGS_X = Example(
    name="dogs-x",
    title="Dogs among x cats",
    source_item=37,
    kind="counts",
    data=data(tp=5, fp=3, fn=7, tn="x - 3"),
    question="The same picture with x cats: write the measures that need x as expressions.",
    answers=(
        *_measures(precision=F(5, 8), recall=F(5, 12), f1=F(1, 2)),
        answer("expression.specificity", "(x - 3)/x"),
        answer("expression.accuracy", "(x + 2)/(x + 12)"),
        answer("expression.error_rate", "10/(x + 12)"),
    ),
    erratum=(9,),
    note="F1 needs no TN, so it is a number: 1/2. The printed 1.2 cannot be, since F1 is at most 1.",
)

LOST_MATRIX = Example(
    name="lost-matrix",
    title="A matrix rebuilt from its answers",
    source_item=31,
    kind="counts",
    data=data(tp=9, fp=9, fn=1, tn=5),
    question="What are precision of both classes, TPR, TNR and accuracy?",
    answers=_measures(precision=F(1, 2), npv=F(5, 6), tpr=F(9, 10), tnr=F(5, 14), accuracy=F(7, 12), f1=F(9, 14)),
    erratum=(7,),
    status="reconstructed",
    note="The picture of the matrix is lost; these four counts give every printed answer.",
)

SPAM = Example(
    name="spam",
    title="Spam filter, 500 mails",
    source_item=33,
    kind="matrix",
    data=data(matrix=((70, 30), (70, 330)), labels=("spam", "ham"), rows="predicted"),
    question="What are precision and recall for spam?",
    answers=(
        answer("of:spam.precision", F(7, 10)),
        answer("of:spam.recall", F(1, 2)),
        answer("of:spam.specificity", F(11, 12)),
        answer("of:spam.f1", F(7, 12)),
        answer("of:spam.mcc", 0.4677),
        answer("matrix.accuracy", F(4, 5)),
    ),
    note="Accuracy 0.80, but calling everything ham has 0.72.",
)

REPORT = Example(
    name="report",
    title="A classification report, line by line",
    source_item=40,
    kind="labels",
    data=data(actual=(1, 1, 0, 1, 1, 0, 0, 1, 1, 0), predicted=(0, 1, 0, 1, 0, 0, 1, 1, 0, 0), labels=(1, 0)),
    question="Ten cases, actual and predicted: write the matrix and the whole report.",
    answers=(
        answer("of:1.tp", 3),
        answer("of:1.fp", 1),
        answer("of:1.fn", 3),
        answer("of:1.tn", 3),
        answer("of:1.precision", F(3, 4)),
        answer("of:1.recall", F(1, 2)),
        answer("of:1.f1", F(3, 5)),
        answer("support:1", 6),
        answer("of:0.precision", F(1, 2)),
        answer("of:0.recall", F(3, 4)),
        answer("of:0.f1", F(3, 5)),
        answer("support:0", 4),
        answer("matrix.accuracy", F(3, 5)),
        answer("macro:precision", F(5, 8)),
        answer("macro:recall", F(5, 8)),
        answer("macro:f1", F(3, 5)),
        answer("weighted:precision", F(13, 20)),
        answer("weighted:recall", F(3, 5)),
        answer("weighted:f1", F(3, 5)),
    ),
    erratum=(10,),
    note="The macro averages are 0.625; 0.62 in the printed report is that, rounded to even.",
)

ANIMALS = Example(
    name="animals",
    title="Twenty-seven animals",
    source_item=108,
    kind="matrix",
    data=data(matrix=((5, 2, 0), (3, 3, 2), (0, 1, 11)), labels=("cat", "dog", "rabbit"), rows="predicted"),
    question="How many cats are called dogs, and how good is each class?",
    answers=(
        answer("cell:dog,cat", 3),
        answer("cell:rabbit,dog", 1),
        answer("cell:cat,dog", 2),
        answer("support:cat", 8),
        answer("support:dog", 6),
        answer("support:rabbit", 13),
        answer("of:cat.precision", F(5, 7)),
        answer("of:dog.precision", F(3, 8)),
        answer("of:rabbit.precision", F(11, 12)),
        answer("of:cat.recall", F(5, 8)),
        answer("of:dog.recall", F(1, 2)),
        answer("of:rabbit.recall", F(11, 13)),
        answer("of:cat.f1", F(2, 3)),
        answer("of:dog.f1", F(3, 7)),
        answer("of:rabbit.f1", F(22, 25)),
        answer("matrix.accuracy", F(19, 27)),
        answer("macro:f1", 0.6584),
        answer("matrix.kappa", 0.5394),
    ),
    note="Rows are predicted: of 8 cats 3 are called dogs; of 6 dogs 1 is called rabbit and 2 cats.",
)

BALLS = Example(
    name="balls",
    title="Balls in a picture",
    source_item=111,
    kind="counts",
    data=data(tp=2, fp=5, fn=2, tn=1),
    question="7 of 10 things are called balls, 2 of them rightly, and 4 balls exist. Precision and recall?",
    answers=_measures(precision=F(2, 7), recall=F(1, 2), accuracy=F(3, 10), mcc=-0.3563),
    note="MCC below 0: the answers agree with the truth less than guessing would.",
)

SEARCH = Example(
    name="search",
    title="A search in eighty documents",
    source_item=112,
    kind="retrieval",
    data=data(found=50, exist=55, right=40, total=80),
    question="80 documents, 55 relevant; the search returns 50, of which 40 are relevant. Precision, recall?",
    answers=_measures(tp=40, fp=10, fn=15, tn=15, precision=F(4, 5), recall=F(8, 11), accuracy=F(11, 16)),
    erratum=(28,),
    note="TN is 15: with the printed 25 there would be 90 documents.",
)

MAN_WOMAN = Example(
    name="man-woman",
    title="Man or woman, ten records",
    source_item=130,
    kind="labels",
    data=data(actual=tuple("mmwmwwwmmw"), predicted=tuple("wmwmmwwmww"), labels=("m", "w")),
    question="Man is positive: what are accuracy, precision, recall, sensitivity and specificity?",
    answers=(
        answer("of:m.tp", 3),
        answer("of:m.fn", 2),
        answer("of:m.fp", 1),
        answer("of:m.tn", 4),
        answer("matrix.accuracy", F(7, 10)),
        answer("of:m.precision", F(3, 4)),
        answer("of:m.recall", F(3, 5)),
        answer("of:m.sensitivity", F(3, 5)),
        answer("of:m.specificity", F(4, 5)),
        answer("of:m.f1", F(2, 3)),
    ),
    erratum=(33,),
    status="reconstructed",
    note="The ten predictions are destroyed in the document; these follow a well-known public example.",
)

FLU = Example(
    name="flu",
    title="A flu test for ten thousand",
    source_item=131,
    kind="counts",
    data=data(tp=620, fp=180, fn=380, tn=8820),
    question="1,000 of 10,000 people have flu. What are accuracy, precision and recall of the test?",
    answers=_measures(
        accuracy=F(118, 125),
        precision=F(31, 40),
        recall=F(31, 50),
        specificity=F(49, 50),
        f1=F(31, 45),
        mcc=0.6635,
    ),
    note="Accuracy 0.944, but calling everyone healthy has 0.90.",
)

HOSPITAL = Example(
    name="hospital",
    title="Ninety-two of a hundred patients found",
    source_item=163,
    kind="counts",
    data=data(tp=92, fn=8),
    question="A test finds 92 of 100 patients with the disease. What is its sensitivity?",
    answers=(
        *_measures(sensitivity=F(23, 25), fnr=F(2, 25)),
        answer("known.specificity", "no"),
        answer("interval:wilson.sensitivity", (0.8500, 0.9589), "95 % interval (wilson) = (0.850, 0.959)"),
    ),
    note="Nothing is told about people without the disease, so specificity stays unknown.",
)

FLAGGED = Example(
    name="flagged",
    title="Six hundred healthy people flagged",
    source_item=166,
    kind="counts",
    data=data(fp=600),
    question="600 people without cancer are told they may have it. How good is the specificity?",
    answers=(*_measures(fp=600), answer("known.specificity", "no"), answer("known.fpr", "no")),
    erratum=(39,),
    note="It cannot be said without the number of healthy people. What can be said is what each of the 600 "
    "pays: more tests, expensive treatment without use, stigma and worry.",
)

SPECIAL = Example(
    name="special",
    title="All negative, all positive, ideal",
    source_item=45,
    kind="cases",
    data=data(
        negative=("counts", data(tp=0, fp=0, fn=10, tn=20)),
        positive=("counts", data(tp=10, fp=20, fn=0, tn=0)),
        ideal=("counts", data(tp=10, fp=0, fn=0, tn=20)),
    ),
    question="Where in ROC space are 'always negative', 'always positive' and the ideal classifier?",
    answers=(
        answer("in:negative.counts.fpr", 0),
        answer("in:negative.counts.tpr", 0),
        answer("in:negative.known.precision", "no"),
        answer("in:positive.counts.fpr", 1),
        answer("in:positive.counts.tpr", 1),
        answer("in:positive.counts.precision", F(1, 3)),
        answer("in:ideal.counts.fpr", 0),
        answer("in:ideal.counts.tpr", 1),
        answer("in:ideal.counts.accuracy", 1),
    ),
    note="Class sizes do not matter for the points, (0, 0), (1, 1) and (0, 1); 10 positives and 20 negatives are "
    "taken here.",
)

DIABETES = Example(
    name="diabetes",
    title="Diabetes, the two lowest thresholds",
    source_item=142,
    kind="cases",
    data=data(
        lowest=("counts", data(tp=4, fp=4, fn=0, tn=0)),
        next=("counts", data(tp=4, fp=3, fn=0, tn=1)),
    ),
    question="4 people with and 4 without diabetes: which ROC points do the two lowest thresholds give?",
    answers=(
        answer("in:lowest.counts.fpr", 1),
        answer("in:lowest.counts.tpr", 1),
        answer("in:next.counts.fpr", F(3, 4)),
        answer("in:next.counts.tpr", 1),
    ),
    erratum=(36,),
    note="Two matrices of a sweep of nine. The scores are lost, so the rest of the curve is unknown.",
)

COUNT_EXAMPLES: tuple[Example, ...] = (
    NINETY_TEN,
    EIGHT_WRONG,
    IRIS,
    IRIS_PC,
    DOGS,
    LOST_MATRIX,
    SPAM,
    DOGS_X,
    REPORT,
    SPECIAL,
    ANIMALS,
    BALLS,
    SEARCH,
    MAN_WOMAN,
    FLU,
    DIABETES,
    HOSPITAL,
    FLAGGED,
)
