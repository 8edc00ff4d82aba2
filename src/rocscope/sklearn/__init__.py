"""scikit-learn's metric functions, with its names, signatures and answers, read off this library's tables."""

from rocscope.sklearn.averages import (
    f1_score,
    fbeta_score,
    jaccard_score,
    precision_recall_fscore_support,
    precision_score,
    recall_score,
)
from rocscope.sklearn.matrix import (
    accuracy_score,
    balanced_accuracy_score,
    class_likelihood_ratios,
    cohen_kappa_score,
    confusion_matrix,
    hamming_loss,
    matthews_corrcoef,
    multilabel_confusion_matrix,
    zero_one_loss,
)
from rocscope.sklearn.report import classification_report
