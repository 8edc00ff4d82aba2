"""What a Bayesian comparison says: how likely worse, practically equal, better."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from rocscope.errors import RocscopeError
from rocscope.estimate import Estimate


@dataclass(frozen=True, slots=True)
class Posterior:
    """Probabilities that the difference lies left of, inside and right of the region of practical equivalence.

    The region (rope) is [-margin, margin]; `right` is the probability that the first model is better by more
    than the margin. `estimate` is the difference with its credible interval; the probabilities are NaN with
    a reason where the posterior is a single point.

    >>> print(Posterior(0.01, 0.19, 0.8, margin=0.02, estimate=Estimate(0.03, 0.01, 0.05)))
    worse 0.01, equivalent (within 0.02) 0.19, better 0.80
    """

    left: float
    rope: float
    right: float
    margin: float
    estimate: Estimate
    method: str = ""
    why: str = ""

    def __str__(self) -> str:
        worse, same, better = (f"{x:.2f}" for x in (self.left, self.rope, self.right))
        words = f"worse {worse}, equivalent (within {self.margin:g}) {same}, better {better}"
        return f"{words} ({self.why})" if self.why else words

    def to_dict(self) -> dict[str, Any]:
        """The three probabilities, the margin, the method, the reason and the estimate as plain data."""
        chances = {"left": self.left, "rope": self.rope, "right": self.right}
        return {
            **{name: None if chance != chance else chance for name, chance in chances.items()},
            "margin": self.margin,
            "method": self.method,
            "why": self.why,
            "estimate": self.estimate.to_dict(),
        }


def checked_margin(name: str, margin: Any, *, zero: bool) -> float:
    """A margin as a float: finite and positive (or 0 where `zero` is allowed); it is never guessed."""
    try:
        size = float(margin)
    except (TypeError, ValueError):
        size = float("nan")
    if isinstance(margin, (str, bool)) or not (0 <= size < float("inf")) or (size == 0 and not zero):
        least = "0 or more" if zero else "more than 0"
        hint = "The smallest difference that would matter in use; nobody else can know it"
        raise RocscopeError(f"{name} must be a number, {least}, not {margin!r}", hint=hint)
    return size
