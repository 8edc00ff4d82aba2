"""The area under the curve as a number and with its interval."""

import numpy as np

import rocscope as rs

rng = np.random.default_rng(0)
y = rng.integers(0, 2, 200)
p = np.clip(y * 0.3 + rng.random(200) * 0.7, 0, 1)
ev = rs.evaluate(y, p)
area: float = float(ev.auc)
print(f"{ev.auc:.3f} in [{ev.auc.low:.3f}, {ev.auc.high:.3f}]", round(ev.auc, 2), area > 0.5, ev.auc >= 0.5)
