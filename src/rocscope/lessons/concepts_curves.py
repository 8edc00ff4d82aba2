"""Concepts of thresholds, ROC curves and their area."""

from __future__ import annotations

from rocscope.lessons.records import Concept

CURVE_CONCEPTS: tuple[Concept, ...] = (
    Concept(
        name="threshold",
        aka=("cut-off", "cutoff", "cut point", "rho", "decision threshold"),
        says="A case is called positive when its score S(x) is at or above the threshold rho. Only the "
        "observed scores, from rho_min to rho_max, change anything. Lower the threshold and sensitivity "
        "rises while specificity falls; TPR and FPR rise together.",
        formula="positive when S(x) >= rho",
        use=("t.at(0.5)", "t.thresholds", "rocscope trace FILE"),
        pitfall="The prose writes > where the algorithm uses >=. The trade-off is monotone, not 'inversely "
        "proportional'. Some scores run the other way: then say that lower is positive.",
        items=(41, 43, 44, 50),
        errata=(12, 14),
        examples=("five-points", "arm"),
    ),
    Concept(
        name="roc",
        aka=("roc curve", "receiver operating characteristic", "roc graph"),
        says="The curve of TPR against FPR over all thresholds, from 'predict nothing' (0, 0) to 'predict "
        "all' (1, 1). It holds every confusion matrix of every threshold, and shows how well positives rank "
        "above negatives. One reads a threshold off it.",
        formula="points (FPR(rho), TPR(rho)) for each distinct score rho",
        use=("rs.curves.roc(t)", "rocscope curve FILE --kind roc"),
        pitfall="The C stands for characteristic, not curve. A point is (FPR, TPR), in that order.",
        items=(41, 46, 82, 140, 143, 170, 171),
        errata=(11, 30, 51),
        examples=("five-points", "step-table", "fawcett"),
    ),
    Concept(
        name="roc space",
        aka=("roc space points", "roc point", "points in roc space", "always positive", "always negative"),
        says="The unit square with FPR to the right and TPR upwards. A matrix is one point in it. (0, 0) "
        "always says negative, (1, 1) always positive, (0, 1) is perfect, the diagonal is guessing, below "
        "it is worse.",
        use=("rs.verdicts.roc_space(0.2, 0.7)", "rs.hull.hull({'A': (0.2, 0.7), 'B': (0.5, 0.95)})"),
        items=(61, 116, 117, 118, 119, 120, 121, 129),
        errata=(16, 32),
        examples=("roc-points", "special"),
    ),
    Concept(
        name="roc algorithm",
        aka=("algorithm 22.1", "roc-curve algorithm", "practical method", "rank method"),
        says="Sort the cases by score, highest first (n log n). Start at (0, 0). A positive moves up "
        "1/Pos, a negative right 1/Neg, a tie of both moves diagonally. A point is set only when the score "
        "drops, and one at the end.",
        formula="up 1/Pos, right 1/Neg",
        use=("rocscope trace FILE", "rs.lessons.roc_trace(y, scores)"),
        pitfall="Rank all cases, not only those predicted positive. Start the previous score at 'none', "
        "since -inf may be a score. Unequal lengths or one class only are errors, not an empty answer.",
        items=(52, 83, 154, 169, 170),
        errata=(15, 22, 50),
        examples=("five-points", "six-cases"),
    ),
    Concept(
        name="impractical method",
        aka=("k+1 matrices", "all thresholds", "one matrix per threshold"),
        says="Take each of the k distinct scores as threshold, and one above them all: k + 1 thresholds, k "
        "+ 1 matrices, k + 1 points. The result is the same curve with more work.",
        use=("rs.lessons.matrices_trace(y, scores)",),
        items=(153, 170),
        errata=(36,),
        examples=("diabetes", "six-cases"),
    ),
    Concept(
        name="trapezoid",
        aka=("trapezoid-area", "trapezoid rule", "area of a step"),
        says="The piece of area between two neighbouring points. A step to the right gives a rectangle, a "
        "diagonal a trapezoid, a step up has no width and gives nothing.",
        formula="area = |x2 - x1| (y1 + y2) / 2",
        use=("rs.lessons.roc_trace(y, scores)", "rs.curves.polyline_area([(0, 0.6), (0.4, 0.6), (1, 1)])"),
        items=(53, 64),
        errata=(17, 19),
        examples=("five-points", "drawn-curve"),
    ),
    Concept(
        name="ties",
        aka=("tied scores", "equal scores", "diagonal move", "near ties"),
        says="Cases with the same score are flagged together or not at all. When positives and negatives "
        "tie, the curve moves diagonally and each tied pair counts one half in the AUC.",
        formula="AUC = P(pos > neg) + P(tie) / 2",
        use=("rs.lessons.roc_trace(y, scores)", "rs.verdicts.misleads(t)"),
        pitfall="Scores that differ only by rounding noise are not tied; such near ties are pointed out.",
        items=(51, 54, 154),
        examples=("five-points",),
    ),
    Concept(
        name="auc",
        aka=("auroc", "area under the curve", "area under roc", "c-statistic", "separability"),
        says="The area under the ROC curve: the probability that a random positive scores above a random "
        "negative, ties counting one half. 1 when all positives come first, 0 when all negatives do, 0.5 "
        "for guessing. For patients with and without a disease it says how far the scores separate the two "
        "groups.",
        formula="AUC = (pairs in the right order + tied pairs / 2) / (Pos x Neg)",
        use=("rs.curves.auc(t)",),
        pitfall="It is a probability of right ranking, not of right classification. A random order gives "
        "0.5 only on average, and an AUC of 0.5 need not come from a random order. With more classes it is "
        "taken pair by pair or class against rest.",
        items=(42, 49, 51, 59, 127, 157, 183),
        errata=(13, 52),
        examples=("step-table", "fawcett", "bmi"),
    ),
    Concept(
        name="random classifier",
        aka=("guessing", "coin", "chance", "diagonal"),
        says="Flag a share r of the cases blindly: r of the positives and r of the negatives are flagged, "
        "the point is (r, r). Over all r that is the diagonal, a triangle of area 0.5.",
        formula="TPR = FPR = r, AUC = 1/2",
        use=('rs.lessons.shape("random")', "rs.verdicts.roc_space(0.5, 0.5)"),
        pitfall="The document's points are (FPR, TPR); with FPR = TPR the order does not show.",
        items=(49, 55, 58, 120, 174),
        errata=(13, 16),
    ),
    Concept(
        name="perfect classifier",
        aka=("ideal classifier", "ideal model", "upper left corner"),
        says="Every positive scores above every negative: the curve goes straight up to (0, 1), then right. AUC 1.",
        formula="(FPR, TPR) = (0, 1)",
        use=('rs.lessons.shape("perfect")', "rs.verdicts.roc_space(0, 1)"),
        pitfall="With a threshold near 1 most cases are called negative and TPR is near 1 only if all "
        "positives score near 1. On real data, AUC 1 asks for a search for leakage.",
        items=(45, 46, 58, 119, 175),
        errata=(42,),
        examples=("special", "roc-points"),
    ),
    Concept(
        name="inverted classifier",
        aka=("below the diagonal", "worse than random", "bad model", "invert"),
        says="A curve below the diagonal ranks backwards. Turning the answers round, or using 1 - p, "
        "mirrors it: the point (f, t) becomes (1 - f, 1 - t) and the AUC becomes 1 - AUC. It is rare and "
        "usually a swapped label.",
        formula="AUC(-s) = 1 - AUC(s)",
        use=('rs.lessons.shape("inverted")', "rs.verdicts.roc_space(1, 0.5)"),
        pitfall="Nothing is turned round here without being asked: a search for the better direction flatters noise.",
        items=(56, 59, 176),
        errata=(43,),
        examples=("roc-points",),
    ),
    Concept(
        name="empirical curve",
        aka=("empirical roc", "smooth curve", "theoretical curve"),
        says="From a finite sample the curve is a staircase that comes near a smooth one as cases are "
        "added. A first step to the right means the highest score is a negative; it puts the curve below "
        "the diagonal there.",
        use=("rs.curves.roc(t)",),
        items=(57, 58),
        examples=("naive-bayes",),
    ),
    Concept(
        name="comparing curves",
        aka=("model a against model b", "auc to compare", "overlapping curves", "compare by auc"),
        says="On the same problem the model with the larger area ranks better overall. Curves that lie on "
        "each other mean much the same performance. To choose one for use, the costs are needed as well.",
        use=("rs.hull.hull({'A': t, 'B': t2})", "rocscope hull FILE"),
        pitfall="When curves cross, the larger area may lose at your costs: look at the hull.",
        items=(47, 65, 123, 141, 173, 179),
        errata=(30,),
        examples=("lr-knn", "c45-svm"),
    ),
    Concept(
        name="crossing curves",
        aka=("nearest the corner", "closest to (0,1)", "curves a, b, c"),
        says="Of several curves one takes the one nearest (0, 1): that is right when it lies above the "
        "others everywhere. When curves cross, each is best somewhere, and the cost ratio decides.",
        formula="distance = sqrt(FPR^2 + (1 - TPR)^2)",
        use=('rs.lessons.shape("crossing")', 'rs.decisions.best(t, "closest")'),
        pitfall="The distance treats a missed share of positives and a flagged share of negatives alike, "
        "whatever they cost and however many there are.",
        items=(123, 126),
        errata=(30,),
        examples=("bmi", "c45-svm"),
    ),
    Concept(
        name="parameter sweep",
        aka=("roc of a parameter", "classifier parameter"),
        says="A curve can also be drawn over a parameter of the classifier, such as a tree's depth. Such "
        "points need not rise together, so they get a hull and not a trapezoid area.",
        use=("rs.hull.hull({'depth 1': (0.2, 0.7), 'depth 2': (0.1, 0.6)})",),
        items=(122,),
        errata=(30,),
    ),
    Concept(
        name="curve shapes",
        aka=("four shapes", "concavity", "concavities", "convex curve"),
        says="Good separation: a curve that bulges evenly. Fairly poor and reasonable separation: mostly "
        "so, with small dents. Poor separation: large and small dents. A dent means that a stretch of the "
        "ranking is backwards; the hull spans it.",
        use=('rs.lessons.shape("poor")', "rs.hull.concavities(t)"),
        items=(156,),
        examples=("fawcett",),
    ),
    Concept(
        name="roc history",
        aka=("radar", "history", "world war"),
        says="Radar receivers of the second world war were judged by how well their operators told "
        "aircraft from noise: the receiver operating characteristic. The method then went to psychology, "
        "medicine and learning.",
        items=(67, 114),
        errata=(20,),
    ),
    Concept(
        name="thresholds on the curve",
        aka=("annotate", "threshold labels", "interpolate thresholds"),
        says="Writing some thresholds beside the curve shows where one stands. A step curve is looked up "
        "at the threshold; between two scores nothing changes.",
        use=("rs.curves.roc(t)", "rocscope curve FILE --kind roc"),
        pitfall="Interpolating linearly in the threshold gives points that no threshold has, and fails "
        "where the first threshold is infinite.",
        items=(85, 86),
        errata=(23,),
        examples=("fawcett",),
    ),
    Concept(
        name="drawing a roc",
        aka=("predict_proba", "plot roc", "probability column"),
        says="Fit any two-class model, take the score of the positive class (in scikit-learn column 1 of "
        "predict_proba), compute FPR and TPR at each threshold, plot them with the chance line.",
        use=("rs.curves.roc(t)", "rocscope curve FILE --kind roc"),
        pitfall="Column 1 is the second label in sorted order: check that it is the positive one. A loop "
        "over floats printed 0.919999 for 0.92.",
        items=(64, 84, 180, 181),
        errata=(19, 45),
        examples=("step-table", "course-auc"),
    ),
    Concept(
        name="sources",
        aka=("references", "data sources", "body mass index", "bmi"),
        says="Fawcett 2006 gives the ROC algorithm and the twenty instances. The body mass index is weight "
        "in kg over height in m squared; it goes with risk of illness, and its threshold depends on food "
        "habits, background and life-style of the population (PMC3755824). UCI Auto MPG is due to Quinlan "
        "1993 and Dua and Karra Taniskidou.",
        formula="BMI = weight / height^2",
        use=("rocscope examples fawcett", "rocscope examples bmi"),
        items=(66, 87, 125),
        errata=(53,),
        examples=("bmi", "fawcett"),
    ),
)
