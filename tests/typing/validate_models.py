"""Models over a resampling plan."""

import numpy as np
from sklearn.linear_model import LogisticRegression

import rocscope as rs

rng = np.random.default_rng(0)
y = rng.integers(0, 2, 200)
p = np.clip(y * 0.3 + rng.random(200) * 0.7, 0, 1)
features = np.column_stack([p, rng.random(200)])
va = rs.validate({"lr": LogisticRegression()}, features, y, plan="5-fold", seed=0)
summary = va.summary()
print(len(va.folds), summary)
