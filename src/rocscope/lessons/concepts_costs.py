"""Concepts of costs, hulls, probabilities and precision-recall curves."""

from __future__ import annotations

from rocscope.lessons.records import Concept

COST_CONCEPTS: tuple[Concept, ...] = (
    Concept(
        name="iso-performance",
        aka=("iso-performance line", "iso-accuracy", "cost line", "equal worth line"),
        says="One more TP is 1/Pos of TPR, one more FP is 1/Neg of FPR. If both errors weigh the same, "
        "points on a line of slope Neg/Pos are worth the same. With other costs the slope changes; the best "
        "point is where such a line, pushed to the upper left, touches the hull last.",
        formula="slope c = (cost FP / cost FN) x (Neg / Pos)",
        use=("rs.hull.hull(t).best(cost_ratio=0.25)",),
        items=(144, 145),
        examples=("c45-svm",),
    ),
    Concept(
        name="cost ratio",
        aka=("slope", "slope c", "a times b", "skew", "skew ratio"),
        says="c = a b: a true positives are worth one false positive, and there are b negatives per "
        "positive. c above 1: a low FPR matters more. c below 1: a high TPR matters more.",
        formula="c = a b = (cost FP / cost FN) x (Neg / Pos)",
        use=("rs.hull.hull(t).intervals", "rs.Costs(fp=1, fn=5)", "rocscope hull FILE"),
        pitfall="A ratio of costs alone is not the slope: the class sizes belong to it.",
        items=(145, 146),
        examples=("c45-svm",),
    ),
    Concept(
        name="hull",
        aka=("convex hull", "roc convex hull", "rocch", "dominated"),
        says="The tightest bulging line above all points. The slope of a segment is the cost ratio at "
        "which its two ends cost the same; above it the left end is cheaper, below it the right end. What "
        "lies under the hull is never cheapest.",
        formula="segment slope = change of TPR / change of FPR",
        use=("rs.hull.hull(t).points", "rs.lessons.hull_trace(points)", "rocscope hull FILE"),
        pitfall="A point between two hull corners is reached by mixing them at random, not by a threshold.",
        items=(147, 148, 149),
        examples=("fawcett", "c45-svm", "bmi"),
    ),
    Concept(
        name="maximum likelihood rule",
        aka=("ml rule", "likelihood ratio rule"),
        says="Call a case positive when it is at least as likely among positives as among negatives. It "
        "ignores how common the classes are. On the hull it is the corner where the slope passes 1, which "
        "is Youden's point.",
        formula="p(x|+) / p(x|-) >= 1",
        use=("rs.decisions.likelihood_ratio(t)", 'rs.decisions.best(t, "youden")'),
        items=(150,),
    ),
    Concept(
        name="map rule",
        aka=("maximum a posteriori", "posterior rule"),
        says="Call a case positive when positive is the more probable class given x: the likelihood ratio "
        "must reach P(-)/P(+). On the hull it is the corner where the slope passes Neg/Pos, which is best "
        "accuracy.",
        formula="p(x|+) / p(x|-) >= P(-) / P(+)",
        use=("rs.decisions.map_rule(t)", 'rs.decisions.best(t, "accuracy")'),
        pitfall="Right only as far as the probabilities are: naive Bayes rarely has them right.",
        items=(151,),
    ),
    Concept(
        name="free threshold",
        aka=("uncalibrated", "naive bayes threshold"),
        says="When a model's probabilities are not to be trusted, as with naive Bayes, do not cut at 0.5 "
        "or at a rule that assumes them. Keep the order of the scores and choose the threshold on the "
        "curve.",
        use=('rs.decisions.best(t, "cost", costs=rs.Costs(fp=1, fn=5))',),
        items=(152,),
        examples=("naive-bayes", "fawcett"),
    ),
    Concept(
        name="calibration",
        aka=("pav", "pool adjacent violators", "reliability", "calibrated probability"),
        says="A score is calibrated when of the cases given 0.3 about 30 % are positive. Pooling adjacent "
        "violators gives the best calibration that keeps the order; its steps are the segments of the ROC "
        "hull.",
        use=("rs.curves.calibration(t)", "rs.hull.pav(t)"),
        pitfall="Calibration and ranking are different virtues: AUC does not see it.",
        items=(152,),
        examples=("same-order",),
    ),
    Concept(
        name="log loss against auc",
        aka=("order only", "log loss", "brier", "auc uses order"),
        says="AUC reads only the order of the scores: two models with the same order have the same AUC, "
        "even if one says 0.95 where the other says 0.20. Log loss and Brier read the probabilities, "
        "accuracy at 0.5 the side.",
        formula="log loss = -mean of log p(true class); Brier = mean of (p - y)^2",
        use=("rs.curves.log_loss(t)", "rs.curves.brier(t)", "rs.curves.auc(t)"),
        items=(178, 183),
        errata=(44,),
        examples=("same-order",),
    ),
    Concept(
        name="pr curve",
        aka=("precision-recall curve", "pr", "prc"),
        says="Precision against recall over all thresholds. Its base line is the share of positives, so a "
        "rare class shows at once how much work a hit costs.",
        use=("rs.curves.pr(t)", "rocscope curve FILE --kind pr"),
        pitfall="Between two points the curve is not straight. The point (0, 1) that some tools add is invented.",
        items=(184, 186),
        errata=(46, 48),
        examples=("fawcett", "course-pr"),
    ),
    Concept(
        name="pr against roc",
        aka=("pr or roc", "roc under imbalance", "auc under imbalance"),
        says="FPR divides by the many negatives, so with few positives a good ROC curve can go with a "
        "precision that is poor. The PR curve shows that. Neither is wrong; they answer different "
        "questions.",
        use=("rs.verdicts.misleads(t)", "rs.curves.pr_area(t)"),
        pitfall="ROC does not stop working under imbalance: it can look better than the use will feel.",
        items=(182, 184),
        errata=(46,),
        examples=("flu",),
    ),
    Concept(
        name="pr area",
        aka=("average precision", "ap", "auprc", "au-prc", "auc-prc"),
        says="Three areas go by one name. Average precision sums precision at each step of recall. The "
        "exact area follows the true curve between points. The trapezoid draws straight lines and can be "
        "far off with ties.",
        use=("rs.curves.average_precision(t)", "rs.curves.pr_area(t)", "rs.curves.pr_trapezoid(t)"),
        pitfall="Name the one you report. For a constant score only the exact area and AP give the prevalence.",
        items=(186,),
        errata=(48,),
        examples=("fawcett", "six-cases", "course-pr"),
    ),
    Concept(
        name="f1 from the area",
        aka=("derive f1 from auc-prc", "au-prc close to f1"),
        says="F1 follows from each point of the PR curve, since a point is a precision and a recall. It "
        "does not follow from the area: many curves share an area, and F1 needs a threshold. A value near "
        "F1 proves nothing.",
        formula="F1 = 2PR / (P + R) at one point",
        use=('rs.curves.sweep(t, "f1")',),
        items=(185, 187),
        errata=(47,),
        examples=("course-pr",),
    ),
)
