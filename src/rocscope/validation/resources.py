"""Other criteria: time and memory for training and testing, the size of the model, and what the user declares."""

from __future__ import annotations

from typing import Any

import numpy as np

from rocscope.validation.results import Validation

RESOURCES = ("fit_seconds", "score_seconds", "predict_seconds", "bytes", "fit_peak", "score_peak")


def median_resources(va: Validation, model: str) -> dict[str, float | None]:
    """The median over folds of a model's seconds to fit, to score and to predict, its bytes, and traced peaks."""
    folds = [fold for fold in va.of(model).folds if not fold.why]
    found: dict[str, float | None] = {}
    for name in RESOURCES:
        values = [fold.resources[name] for fold in folds if name in fold.resources]
        found[name] = float(np.median(values)) if values else None
    cases = [fold.resources["predict_seconds"] / max(1, _answered(fold)) for fold in folds if fold.resources]
    found["predict_seconds_per_1000"] = 1000 * float(np.median(cases)) if cases else None
    return found


def _answered(fold: Any) -> int:
    return len(fold.cases) if fold.all_predicted is None else len(fold.all_predicted)


def factors(va: Validation) -> dict[str, dict[str, Any]]:
    """For each model its time and memory beside the notes that the user declared."""
    return {name: median_resources(va, name) | {"notes": dict(va.notes.get(name, {}))} for name in va.names}
