"""How people name the columns of predictions: the words that the command line and the page guess by."""

LABELS = frozenset({
    "label", "labels", "y", "y_true", "ytrue", "target", "actual", "truth", "true", "class", "outcome", "response",
    "ground_truth", "default", "diagnosis", "event",
})  # fmt: skip
PREDICTED = frozenset({"predicted", "y_pred", "ypred", "yhat", "y_hat", "predicted_label"})
EITHER = frozenset({"prediction", "pred"})  # a predicted label or a score: what the column holds decides
SCORES = EITHER | {
    "score", "scores", "p", "prob", "proba", "probability", "y_score", "yscore", "y_prob", "y_proba", "risk",
    "pred_proba", "predicted_probability", "p1", "confidence", "decision",
}  # fmt: skip
NOT_SCORES = frozenset({
    "id", "index", "row", "case", "patient", "weight", "weights", "fold", "group", "cluster", "date", "time", "",
})  # fmt: skip
