"""A gate as the assertion of a test."""

import numpy as np

import rocscope as rs

rng = np.random.default_rng(0)
y = rng.integers(0, 2, 200)
p = np.clip(y * 0.3 + rng.random(200) * 0.7, 0, 1)
found = rs.gate(rs.evaluate(y, p), "auc.low >= 0.5", "recall >= 0.5 where fpr <= 0.5")
assert found, str(found)
