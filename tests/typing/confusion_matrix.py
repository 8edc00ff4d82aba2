"""Hard labels of three classes."""

import numpy as np

import rocscope as rs

rng = np.random.default_rng(0)
y = rng.integers(0, 2, 200)
p = np.clip(y * 0.3 + rng.random(200) * 0.7, 0, 1)
actual, predicted = rng.choice(["a", "b", "c"], 200), rng.choice(["a", "b", "c"], 200)
matrix = rs.Confusion.from_labels(actual.tolist(), predicted.tolist())
print(matrix.accuracy, matrix.macro("f1"), matrix.of("a").precision)
