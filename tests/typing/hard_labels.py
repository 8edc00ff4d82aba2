"""Predicted labels in place of scores."""

import numpy as np

import rocscope as rs

rng = np.random.default_rng(0)
y = rng.integers(0, 2, 200)
p = np.clip(y * 0.3 + rng.random(200) * 0.7, 0, 1)
ev = rs.evaluate(y, predicted=(p > 0.5).astype(int))
kappa = ev.estimates["kappa"]
print(kappa.value, kappa.low, ev.size)
