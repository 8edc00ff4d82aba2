"""Results as a file, a dict and a frame."""

import tempfile
from pathlib import Path

import numpy as np

import rocscope as rs

rng = np.random.default_rng(0)
y = rng.integers(0, 2, 200)
p = np.clip(y * 0.3 + rng.random(200) * 0.7, 0, 1)
ev = rs.evaluate(y, p, name="model")
with tempfile.TemporaryDirectory() as folder:
    ev.save(str(Path(folder) / "report.html"))
document = ev.to_dict()
print(document["schema"])
