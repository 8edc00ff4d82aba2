"""Several data sets: which models differ over all of them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from rocscope import significance
from rocscope.errors import RocscopeError
from rocscope.estimate import Estimate
from rocscope.significance import CriticalDifference
from rocscope.validation.results import Validation


@dataclass(frozen=True, slots=True)
class Across:
    """Models over several data sets: Friedman's test, and Nemenyi's critical difference of mean ranks."""

    measure: str
    data_sets: tuple[str, ...]
    models: tuple[str, ...]
    values: tuple[tuple[float, ...], ...]
    friedman: Estimate
    nemenyi: CriticalDifference

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain data."""
        return {
            "measure": self.measure,
            "data_sets": list(self.data_sets),
            "models": list(self.models),
            "values": [list(row) for row in self.values],
            "friedman": self.friedman.to_dict(),
            "nemenyi": self.nemenyi.to_dict(),
        }


def across(validations: Mapping[str, Validation], measure: str = "accuracy", *, level: float = 0.95) -> Across:
    """Models ranked on each of several data sets, by the mean of a measure over the folds.

    Friedman's test with Iman and Davenport's F, then Nemenyi's critical difference. Higher must be better; an error
    rate is turned. Demsar, J Mach Learn Res 2006;7:1-30.
    """
    if len(validations) < 2:
        raise RocscopeError("two data sets or more are needed", hint="For one data set: validation.compare()")
    first = next(iter(validations.values())).names
    for name, one in validations.items():
        if set(one.names) != set(first):
            raise RocscopeError(
                f"data set '{name}' has other models: {', '.join(one.names)}", hint="The same everywhere"
            )
    rows = [[float(np.nanmean(one.over_seeds(model, measure))) for model in first] for one in validations.values()]
    for name, row in zip(validations, rows, strict=True):
        if any(math.isnan(value) for value in row):
            raise RocscopeError(f"{measure} is undefined for a model on data set '{name}'")
    sign = -1.0 if measure in ("error_rate", "brier", "log_loss", "hamming_loss") else 1.0
    scores = sign * np.array(rows)
    return Across(
        measure, tuple(validations), first, tuple(map(tuple, rows)),
        significance.friedman(scores, level=level), significance.nemenyi(scores, names=first, level=level),
    )  # fmt: skip
