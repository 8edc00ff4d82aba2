"""Estimates in NumPy, sorted and in a dict."""

import numpy as np

import rocscope as rs

rng = np.random.default_rng(0)
y = rng.integers(0, 2, 200)
p = np.clip(y * 0.3 + rng.random(200) * 0.7, 0, 1)
areas = {name: rs.evaluate(y, p ** power).auc for name, power in (("a", 1.0), ("b", 2.0))}
ranked = sorted(areas.items(), key=lambda item: float(item[1]), reverse=True)
print(np.mean([float(one) for one in areas.values()]), ranked[0][0], max(float(one) for one in areas.values()))
