"""Methods without their own registry, for `rocscope explain`: averages, corrections, resampling, calibration."""

from __future__ import annotations

# kind -> name -> (description, usage, source)
FURTHER: dict[str, dict[str, tuple[str, str, str]]] = {
    "adjustment for several tests": {
        "holm": ("Adjusts the p-values of several tests, the smallest by the largest factor, to control the "
            "family-wise error rate.",
                 "rs.significance.holm([0.01, 0.04])", "Holm 1979, Scandinavian Journal of Statistics 6:65-70"),
        "bonferroni": ("Multiplies every p-value by the number of tests.",
                       "rs.significance.bonferroni([0.01, 0.04])", ""),
        "benjamini-hochberg": ("Adjusts p-values to control the false discovery rate.",
                               "rs.significance.benjamini_hochberg([0.01, 0.04])",
                               "Benjamini & Hochberg 1995, Journal of the Royal Statistical Society B 57:289-300"),
        "max-t": ("Simultaneous limits for all pairs of models, from the covariance of their differences.",
                  "rs.compare(y, {...}).pairs", ""),
    },
    "average over classes": {
        "one-vs-rest": ("The average AUC of each class against all others: unweighted, weighted by size, or pooled.",
                        'rs.evaluate(y, P).area("auc_ovr")', "Fawcett 2006, Pattern Recognition Letters 27:861-874"),
        "hand-till": ("The AUC of each pair of classes, averaged; it does not depend on the class sizes.",
                      'rs.evaluate(y, P).area("hand_till")', "Hand & Till 2001, Machine Learning 45:171-186"),
        "volume": ("The probability that one case of each ordered class is ranked in the correct order.",
                   "rs.multiclass.volume(y, score, order=[...])",
                   "Nakas & Yiannoutsos 2004, Statistics in Medicine 23:3437-3449"),
        "top-k accuracy": ("The share of cases whose class is among the k with the highest scores.",
                           'rs.evaluate(y, P).measure("top_3_accuracy")', ""),
    },
    "measure of several labels": {
        "subset accuracy": ("The share of cases whose labels are all predicted correctly.",
                            'rs.evaluate(Y, S).measure("subset_accuracy")', ""),
        "hamming loss": ("The share of decisions about labels that are wrong.",
                         'rs.evaluate(Y, S).measure("hamming_loss")',
                         "Schapire & Singer 2000, Machine Learning 39:135-168"),
        "samples average": ("A measure computed from the labels of each case and averaged over the cases.",
                            'rs.evaluate(Y, S).measure("samples f1")', ""),
        "label ranking loss": ("The share of pairs of one true and one false label of the same case that are ranked "
            "in the wrong order.",
                               'rs.evaluate(Y, S).measure("ranking_loss")',
                               "Schapire & Singer 2000, Machine Learning 39:135-168"),
        "coverage error": ("The average number of top-ranked labels needed to include all true labels of a case.",
                           'rs.evaluate(Y, S).measure("coverage_error")',
                           "Schapire & Singer 2000, Machine Learning 39:135-168"),
    },
    "rule for several classes": {
        "cost matrix": ("Predict the class with the lowest expected cost; leave a case undecided if that costs less.",
                        "rocscope evaluate FILE --cost-matrix costs.csv --reject 2", "Elkan 2001, IJCAI:973-978"),
    },
    "confidence interval": {
        "mover": ("Limits for a sum or mean, computed from the limits of its parts and their covariance.",
                  'rs.evaluate(y, P).area("auc")', "Zou & Donner 2008, Statistics in Medicine 27:1693-1702"),
        "kish": ("The number of equally weighted cases with the same information: (sum of weights)² / sum of squares.",
                 "rs.evaluate(y, score, weights=w)", ""),
        "obuchowski": ("The AUC for clustered cases, such as several cases per patient.", "rs.evaluate(y, score, "
        "clusters=patients)",
                       "Obuchowski 1997, Biometrics 53:567-578"),
        "mercaldo": ("Predictive values at a prevalence other than that of the sample.",
                     "rocscope evaluate FILE --prevalence 0.02",
                     "Mercaldo, Lau & Zhou 2007, Statistics in Medicine 26:2170-2183"),
        "begg-greenes": ("Sensitivity and specificity when only some cases were verified.",
                         "rs.intervals.verified_table(...)", "Begg & Greenes 1983, Biometrics 39:207-215"),
        "prediction-powered": ("A mean estimated from few labels and many predictions.",
                               "rs.intervals.prediction_powered_mean(...)",
                               "Angelopoulos et al. 2023, Science 382:669-674"),
        "paired bootstrap": ("Differences in any measure between models, in resamples of the same cases.",
                             "rocscope compare FILE --bootstrap 2000", ""),
        "cluster bootstrap": ("Resamples whole clusters instead of single cases.",
                              "rs.intervals.bootstrap_rows(..., clusters=patients)", ""),
        "cross-fitting": ("Each case is classified by a threshold or calibrator that was chosen without it.",
                          "rocscope evaluate FILE --choose youden --cross-fit 5", ""),
        "optimism": ("How much better a choice looks on the cases used for choosing than on other cases.",
                     "rs.intervals.optimism(...)", ""),
        "evpi": ("The cost of not knowing the best decision: the expected value of perfect information and of "
                 "sample information.",
                 "rs.intervals.perfect_information(...)", ""),
    },
    "calibration of probabilities": {
        "ece": ("The mean distance between stated probabilities and observed frequencies, in bins.",
                'rs.evaluate(y, p).area("ece_10")', ""),
        "class-wise ece": ("The expected calibration error of the probability of each class, averaged.",
                           'rs.evaluate(y, P).calibration["classwise_ece"]', "Kull et al. 2019, NeurIPS:12295-12305"),
        "top-label calibration": ("Whether the predicted class is correct as often as its probability states.",
                                  'rs.evaluate(y, P).calibration["ece_10"]', "Guo et al. 2017, ICML:1321-1330"),
        "hosmer-lemeshow": ("A chi-squared test over deciles of risk. It depends on the bins: prefer slope and ICI.",
                            "rs.evaluate(y, p)", ""),
    },
    "average of folds": {
        "vertical averaging": ("The mean sensitivity of the folds at each false positive rate, with its band.",
                               "rocscope evaluate FILE --fold fold",
                               "Fawcett 2006, Pattern Recognition Letters 27:861-874"),
        "threshold averaging": ("The mean ROC point of the folds at each "
            "threshold.", "rocscope evaluate FILE --fold fold",
                                "Fawcett 2006, Pattern Recognition Letters 27:861-874"),
    },
}  # fmt: skip

# common synonym -> name above, or a name declared elsewhere
FURTHER_ALIASES = {
    "ovr": "one-vs-rest", "one against the rest": "one-vs-rest", "one vs all": "one-vs-rest", "ovo": "hand-till",
    "one vs one": "hand-till", "hand till auc": "hand-till", "hum": "volume", "vus": "volume",
    "volume under the surface": "volume", "exact match": "subset accuracy", "exact match ratio": "subset accuracy",
    "hamming": "hamming loss", "samples": "samples average", "example based": "samples average",
    "ranking loss": "label ranking loss", "multi label": "samples average", "multilabel": "samples average",
    "top k accuracy": "top-k accuracy", "classwise ece": "class-wise ece", "expected calibration error": "ece",
    "confidence calibration": "top-label calibration", "evsi": "evpi", "value of information": "evpi",
    "averaged roc": "vertical averaging", "average roc": "vertical averaging",
    "spiegelhalter": "spiegelhalter_z", "gains": "gain",
    "cumulative gains": "gain", "cohen's kappa": "kappa", "cohen s kappa": "kappa",
    "fdr": "benjamini-hochberg", "max t": "max-t", "cluster": "cluster bootstrap", "ppi": "prediction-powered",
    "verification bias": "begg-greenes", "reject": "grey_zone", "decile": "top", "deciles": "top", "top 5 %": "top",
    "top 200": "top", "cost sensitive": "cost matrix",
}  # fmt: skip
