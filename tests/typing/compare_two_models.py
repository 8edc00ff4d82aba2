"""Which of two models is better."""

import numpy as np

import rocscope as rs

rng = np.random.default_rng(0)
y = rng.integers(0, 2, 200)
p = np.clip(y * 0.3 + rng.random(200) * 0.7, 0, 1)
other = np.clip(p + rng.normal(0, 0.3, 200), 0, 1)
cmp = rs.compare(y, {"new": p, "old": other}, seed=1)
for difference in cmp.differences:
    print(difference.a, difference.b, difference.estimate.low, difference.estimate.p)
print(cmp.recommended)
