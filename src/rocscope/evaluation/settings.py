"""What the user asked for: level, costs, threshold or rule, seed; checked once, carried everywhere."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from rocscope.decisions import Costs
from rocscope.errors import RocscopeError
from rocscope.numbers import checked_level, json_number


@dataclass(frozen=True, slots=True)
class Settings:
    """How an evaluation is made.

    `threshold` is the user's own; `choose` a rule that chooses it ("youden", "f1", "recall where precision >= 0.9");
    with neither, costs choose the cheapest, and without costs there is no choice. `interval` is the method for the AUC,
    `bootstrap` the number of resamples where resampling is asked for, `cross_fit` the number of folds in which a rule
    chooses a threshold without the cases it decides, `unit` the noun for a case, `test` the name of the test between
    models (DeLong's by default).
    """

    level: float = 0.95
    interval: str = "newcombe"
    bootstrap: int = 0
    seed: int = 0
    costs: Costs | None = None
    threshold: float | None = None
    choose: str | None = None
    unit: str = "case"
    cross_fit: int = 0
    test: str | None = None

    def __post_init__(self) -> None:
        checked_level(self.level)
        checked_seed(self.seed)
        if self.threshold is not None and self.choose is not None:
            raise RocscopeError(
                "a threshold and a rule to choose one", hint="Say threshold=... or choose=..., not both"
            )
        if self.threshold is not None and math.isnan(self.threshold):
            raise RocscopeError("threshold is NaN", hint="inf flags nobody, -inf everybody")
        if self.cross_fit and self.threshold is None and self.choose is None and self.costs is None:
            raise RocscopeError("cross-fitting chooses a threshold", hint="Say by which rule (choose=) or costs=")
        if self.cross_fit and self.threshold is not None:
            raise RocscopeError("a threshold and cross-fitting to choose one", hint="Say one of the two")
        if self.bootstrap and not 100 <= self.bootstrap <= 1_000_000:
            raise RocscopeError(f"{self.bootstrap} resamples; 100 to 1,000,000 make an interval")

    def to_dict(self) -> dict[str, Any]:
        """The settings of the results document."""
        return {
            "level": self.level,
            "interval": self.interval,
            "bootstrap": self.bootstrap,
            "seed": self.seed,
            "costs": None if self.costs is None else costs_document(self.costs),
            "threshold": json_number(self.threshold),
            "choose": self.choose,
            "unit": self.unit,
            "cross_fit": self.cross_fit,
        }


def checked_seed(seed: Any) -> int:
    """A seed that gives the same numbers everywhere: a whole number, 0 or more."""
    if isinstance(seed, bool) or not isinstance(seed, int) or not 0 <= seed < 2**63:
        raise RocscopeError(f"seed {seed!r}; a whole number from 0 on is needed")
    return seed


def costs_document(costs: Costs) -> dict[str, Any]:
    """The costs as the results document has them."""
    cells = {name: float(getattr(costs, name)) for name in ("fp", "fn", "tp", "tn")}
    return {**cells, "prevalence": None if costs.prevalence is None else float(costs.prevalence)}
