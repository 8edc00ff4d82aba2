"""Scores that arrive in batches."""

import numpy as np

import rocscope as rs

rng = np.random.default_rng(0)
y = rng.integers(0, 2, 200)
p = np.clip(y * 0.3 + rng.random(200) * 0.7, 0, 1)
table: rs.ScoreTable | None = None
for start in range(0, 200, 50):
    part = rs.ScoreTable.from_scores(y[start : start + 50], p[start : start + 50])
    table = part if table is None else table + part
assert table is not None
print(rs.evaluate(table).auc.value)
