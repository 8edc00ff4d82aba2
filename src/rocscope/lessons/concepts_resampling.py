"""Concepts of validation: how test cases are come by, and what else counts."""

from __future__ import annotations

from rocscope.lessons.records import Concept

RESAMPLING_CONCEPTS: tuple[Concept, ...] = (
    Concept(
        name="comparing classifiers",
        aka=("assess and compare", "several algorithms"),
        says="Several methods usually apply to one task. To say which serves better one needs the same "
        "cases, more than one validation set, and a comparison of the spread of errors, not of two single "
        "numbers.",
        use=("rs.compare(y, {'A': a, 'B': b})", "rs.validate(models, X, y, plan='5x2')"),
        items=(88, 89),
    ),
    Concept(
        name="several validation sets",
        aka=("validation set", "one validation set"),
        says="One validation set gives one number, and another set would give another. Several sets show "
        "how much the number moves with the cases and with the training.",
        use=("rs.splits.plan('10-fold', y)",),
        items=(89,),
    ),
    Concept(
        name="distribution of validation errors",
        aka=("expected error", "error distribution", "validation errors"),
        says="Training and validating many times gives a distribution of errors. Its mean estimates the "
        "expected error; two methods are compared by their distributions. Fewer than ten values are too few "
        "to fit one and test.",
        use=("va.errors", "rs.significance.corrected_t(diffs, 90, 10)"),
        pitfall="Errors from overlapping training sets depend on each other: their spread understates the doubt.",
        items=(90, 102),
    ),
    Concept(
        name="no free lunch",
        aka=("no free lunch theorem", "wolpert"),
        says="No method is best on all problems: for each there are data on which it is accurate and data "
        "on which it is very poor. A comparison holds for the given data only. Wolpert and Macready proved "
        "it for search: averaged over all problems, methods that do better on some must do worse on others.",
        items=(91,),
        errata=(24,),
    ),
    Concept(
        name="other criteria",
        aka=("other factors", "training time", "interpretability", "programmability"),
        says="Error is not all. Also weigh the risk under a loss function, time and memory for training "
        "and for testing, whether people can read the model, and how easily it is programmed.",
        use=("rs.Costs(fp=1, fn=5)", "va.summary()"),
        items=(92,),
        errata=(24,),
    ),
    Concept(
        name="large data",
        aka=("k parts", "splitting large data"),
        says="With plenty of data, split it into K parts and halve each part into training and validation: "
        "K independent pairs. With little data, use the same cases again in different splits.",
        use=("rs.splits.plan('holdout', y)",),
        items=(93,),
        errata=(24,),
    ),
    Concept(
        name="cross-validation",
        aka=("cv", "resampling"),
        says="Using the same data several times, split differently each time, so that every case serves in "
        "training and, in turn, in validation.",
        use=(
            "rs.splits.plan('10-fold', y)",
            "rocscope validate DATA --target y --plan 5x2",
            "rocscope explain k-fold",
            "rocscope explain 5x2",
        ),
        pitfall="A measure over pooled cases and the mean over folds differ: say which was taken.",
        items=(94, 128, 129),
    ),
    Concept(
        name="holdout",
        aka=("hold-out", "train and test split"),
        says="Set a part of the cases aside, train on the rest, validate once on the part set aside.",
        use=("rs.splits.plan('holdout', y)",),
        pitfall="One split, one number: how it would move is not seen.",
        items=(95,),
    ),
    Concept(
        name="k-fold",
        aka=("k-fold cross-validation", "5-fold", "10-fold", "fold"),
        says="Cut the data into K parts X_1..X_K. In round i validate on X_i and train on the others; five "
        "rounds for K = 5. K is typically 10 or 30. A larger K gives more training data and steadier "
        "estimates, but smaller validation sets and K trainings.",
        formula="V_i = X_i, T_i = union of X_j for j other than i",
        use=("rs.splits.plan('10-fold', y)",),
        pitfall="Any two training sets share K - 2 parts, so the K results are not independent.",
        items=(96, 97, 98, 99),
    ),
    Concept(
        name="leave-one-out",
        aka=("loo", "loocv"),
        says="K-fold with K = N: each case is the validation set once, N trainings. Used where labelled "
        "cases are dear, as in medicine.",
        formula="N pairs (all but case i, case i)",
        use=("rs.splits.plan('loo', y)",),
        pitfall="A validation set of one case cannot be stratified, and an AUC needs the pooled scores.",
        items=(100,),
    ),
    Concept(
        name="5x2",
        aka=("5x2 cv", "5 x 2 cross-validation", "five by two", "5x2 cross-validation"),
        says="Halve the data at random; train on the first half and validate on the second, then swap. Do "
        "so five times: ten pairs (T1, V1) to (T10, V10). With more repetitions the error rates depend too "
        "much on each other; with fewer there are not ten values to fit a distribution and test.",
        formula="T_2i-1 = V_2i = first half i, V_2i-1 = T_2i = second half i",
        use=("rs.splits.plan('5x2', y)", "rs.significance.t_5x2(diffs)", "rs.significance.f_5x2(diffs)"),
        pitfall="'Fold' means a repetition here. The ninth training set goes with the ninth validation set.",
        items=(101, 102, 128),
        errata=(25,),
    ),
    Concept(
        name="bootstrap",
        aka=("bootstrap sample", "sampling with replacement", "out-of-bag", "oob", "urn"),
        says="Draw N cases from the N at hand, returning each before the next draw. Train on them, test on "
        "those never drawn, and repeat. A case is left out with a probability near 1/e = 0.368.",
        formula="P(not drawn) = (1 - 1/N)^N -> 1/e",
        use=("rocscope examples urn", "rs.splits.plan('bootstrap', y)"),
        pitfall="Two balls taken together and then put back are not a bootstrap sample: the same ball "
        "could not come twice.",
        items=(103, 104),
        errata=(26,),
        examples=("urn",),
    ),
)
