"""Tables of several days, added."""

import numpy as np

import rocscope as rs

rng = np.random.default_rng(0)
y = rng.integers(0, 2, 200)
p = np.clip(y * 0.3 + rng.random(200) * 0.7, 0, 1)
days = [rs.ScoreTable.from_scores(y[i::3], p[i::3]) for i in range(3)]
total = days[0] + days[1] + days[2]
print(rs.evaluate(total).auc.value, total.positives)
