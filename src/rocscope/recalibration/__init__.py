"""Recalibration: maps from scores to probabilities, learned, assessed on unseen cases, applied and saved.

>>> from rocscope import recalibration
>>> y, s = [0, 0, 1, 0, 1, 0, 1, 1], [0.1, 0.2, 0.3, 0.4, 0.6, 0.7, 0.8, 0.9]
>>> recalibration.learned(y, s, "isotonic").apply([0.25, 0.5])
array([0.25, 0.5 ])

- `calibrators`: isotonic regression, Platt scaling, logistic, beta and temperature calibration
- `cross_fitted_gain`: the gain of a calibrator on cases that were not used for learning
"""

from rocscope.recalibration.calibrators import (
    METHODS,
    Calibrator,
    CalibratorMethod,
    learned,
    learned_on,
    method_named,
)
from rocscope.recalibration.cross_fitted_gain import Recalibration, recalibrated

__all__ = [
    "METHODS", "Calibrator", "CalibratorMethod", "Recalibration", "learned", "learned_on", "method_named",
    "recalibrated",
]  # fmt: skip
