"""The threshold with the least expected cost."""

import numpy as np

import rocscope as rs

rng = np.random.default_rng(0)
y = rng.integers(0, 2, 200)
p = np.clip(y * 0.3 + rng.random(200) * 0.7, 0, 1)
ev = rs.evaluate(y, p, costs=rs.Costs(fp=1, fn=5))
best = ev.best("cost")[0]
counts = ev.at(best.threshold)
print(best.threshold, counts.recall, counts.precision)
