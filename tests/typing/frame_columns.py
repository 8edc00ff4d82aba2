"""Columns of a data frame by their names."""

import numpy as np

import rocscope as rs

rng = np.random.default_rng(0)
y = rng.integers(0, 2, 200)
p = np.clip(y * 0.3 + rng.random(200) * 0.7, 0, 1)
frame = {"y": y, "p": p, "site": np.where(p > 0.5, "x", "z")}
ev = rs.evaluate(frame, score="p", label="y", by="site")
for slices in ev.slices:
    for one in slices:
        print(one.name, float(one.evaluation.auc))
