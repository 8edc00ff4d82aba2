"""Write torchmetrics.json: measures of random classes and labels by torchmetrics (pip install torchmetrics), frozen."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent
SEEDS = range(0, 1000, 2)  # those without scores of exactly 0.5, which torchmetrics does not predict
sys.path.insert(0, str(FOLDER.parent))


def of_classes(seed: int) -> dict[str, Any]:
    import torch
    import torchmetrics.functional.classification as tm
    from test_classes_oracle import classes_of

    y, shares, _ = classes_of(seed)
    k, p, t = shares.shape[1], torch.tensor(shares), torch.tensor(y)
    return {
        "accuracy": tm.multiclass_accuracy(p, t, k, average="micro"),
        "balanced_accuracy": tm.multiclass_accuracy(p, t, k, average="macro"),
        "macro_f1": tm.multiclass_f1_score(p, t, k, average="macro"),
        "mcc": tm.multiclass_matthews_corrcoef(p, t, k),
        "kappa": tm.multiclass_cohen_kappa(p, t, k),
        "auc": tm.multiclass_auroc(p, t, k),
        "ece_10": tm.multiclass_calibration_error(p, t, k, n_bins=10, norm="l1"),
    }


def of_labels(seed: int) -> dict[str, Any]:
    import torch
    import torchmetrics.functional.classification as tm
    from test_classes_oracle import labels_of

    truth, scores, _ = labels_of(seed)
    size, s, u = truth.shape[1], torch.tensor(scores), torch.tensor(truth.astype(int))
    return {
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


def columns(rows: list[dict[str, Any]]) -> dict[str, list[float]]:
    return {name: [float(row[name]) for row in rows] for name in rows[0]}


if __name__ == "__main__":
    import torch
    import torchmetrics

    torch.set_default_dtype(torch.float64)
    torch.Tensor.float = torch.Tensor.double  # torchmetrics turns counts into single precision by this method
    torch.float = torch.float32 = torch.float64
    target = FOLDER / "torchmetrics.json"
    target.write_text('{"seeds": []}')  # the test module reads it when it is imported
    made = {
        "made_with": f"torch {torch.__version__}, torchmetrics {torchmetrics.__version__}",
        "seeds": list(SEEDS),
        "classes": columns([of_classes(seed) for seed in SEEDS]),
        "labels": columns([of_labels(seed) for seed in SEEDS]),
    }
    target.write_text(json.dumps(made) + "\n")
