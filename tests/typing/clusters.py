"""Several cases of each patient."""

import numpy as np

import rocscope as rs

rng = np.random.default_rng(0)
y = rng.integers(0, 2, 200)
p = np.clip(y * 0.3 + rng.random(200) * 0.7, 0, 1)
patient = rng.integers(0, 40, 200)
ev = rs.evaluate(y, p, clusters=patient)
print(ev.auc.low, ev.auc.high)
