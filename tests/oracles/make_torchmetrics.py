"""Write torchmetrics.json: measures of random classes and labels by torchmetrics (pip install torchmetrics), frozen."""

from __future__ import annotations

import json
import sys
from pathlib import Path

FOLDER = Path(__file__).parent
sys.path.insert(0, str(FOLDER.parent))


def sets() -> list[dict[str, object]]:
    """The measures of thirty of the sets that tests/test_classes_oracle.py draws."""
    import torch
    import torchmetrics.functional.classification as tm
    from test_classes_oracle import classes_of, labels_of

    found = []
    for seed in range(0, 60, 2):  # those without scores of exactly 0.5, which torchmetrics does not predict
        y, shares, _ = classes_of(seed)
        k, p, t = shares.shape[1], torch.tensor(shares), torch.tensor(y)
        classes = {
            "accuracy": tm.multiclass_accuracy(p, t, k, average="micro"),
            "balanced_accuracy": tm.multiclass_accuracy(p, t, k, average="macro"),
            "mcc": tm.multiclass_matthews_corrcoef(p, t, k),
            "kappa": tm.multiclass_cohen_kappa(p, t, k),
            "auc": tm.multiclass_auroc(p, t, k),
            "ece_10": tm.multiclass_calibration_error(p, t, k, n_bins=10, norm="l1"),
        }
        truth, scores, _ = labels_of(seed)
        size, s, u = truth.shape[1], torch.tensor(scores), torch.tensor(truth.astype(int))
        labels = {
            "subset_accuracy": tm.multilabel_exact_match(s, u, size),
            "hamming_loss": tm.multilabel_hamming_distance(s, u, size, average="micro"),
            "micro_f1": tm.multilabel_f1_score(s, u, size, average="micro"),
            "macro_f1": tm.multilabel_f1_score(s, u, size, average="macro"),
            "auc": tm.multilabel_auroc(s, u, size),
            "micro_auc": tm.multilabel_auroc(s, u, size, average="micro"),
            "average_precision": tm.multilabel_average_precision(s, u, size),
            "ranking_precision": tm.multilabel_ranking_average_precision(s, u, size),
            "ranking_loss": tm.multilabel_ranking_loss(s, u, size),
            "coverage_error": tm.multilabel_coverage_error(s, u, size),
        }
        numbers = {"classes": classes, "labels": labels}
        values = {kind: {name: float(one) for name, one in held.items()} for kind, held in numbers.items()}
        found.append({"seed": seed, "values": values})
    return found


if __name__ == "__main__":
    import torch
    import torchmetrics

    torch.set_default_dtype(torch.float64)
    target = FOLDER / "torchmetrics.json"
    target.write_text('{"sets": [], "double": {}}')  # the test module reads it when it is imported
    of_labels = ["micro_f1", "macro_f1", "auc", "micro_auc", "average_precision", "ranking_loss"]
    double = {"classes": ["auc"], "labels": of_labels}
    made = {"made_with": f"torch {torch.__version__}, torchmetrics {torchmetrics.__version__}", "double": double}
    target.write_text(json.dumps(made | {"sets": sets()}, indent=1) + "\n")
