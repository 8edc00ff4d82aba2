"""A probability for each of three classes."""

import numpy as np

import rocscope as rs

rng = np.random.default_rng(0)
y = rng.integers(0, 2, 200)
p = np.clip(y * 0.3 + rng.random(200) * 0.7, 0, 1)
probabilities = rng.dirichlet([1.0, 1.0, 1.0], 200)
classes = rng.integers(0, 3, 200)
ev = rs.evaluate(classes, probabilities, labels=[0, 1, 2])
print(ev.estimates["accuracy"].value, ev.auc.value, ev.area("hand_till").low)
