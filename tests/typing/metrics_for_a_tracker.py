"""Flat metrics for an experiment tracker."""

import numpy as np

import rocscope as rs

rng = np.random.default_rng(0)
y = rng.integers(0, 2, 200)
p = np.clip(y * 0.3 + rng.random(200) * 0.7, 0, 1)
metrics: dict[str, float] = rs.evaluate(y, p).to_metrics()
print(metrics["auc"], metrics["auc_low"])
