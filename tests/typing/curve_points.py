"""The points of a ROC curve."""

import numpy as np

import rocscope as rs

rng = np.random.default_rng(0)
y = rng.integers(0, 2, 200)
p = np.clip(y * 0.3 + rng.random(200) * 0.7, 0, 1)
roc = rs.curves.roc(rs.ScoreTable.from_scores(y, p))
best = (1.0, 0.0)
for threshold, fpr, tpr in zip(roc.thresholds, roc.fpr, roc.tpr, strict=True):
    if float(fpr) <= 0.1:
        best = (float(threshold), float(tpr))
print(best)
