"""The results document as the views use it: the selected model, its counts at the point, rates and costs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

from rocscope.record import record
from rocscope.text import point_text
from rocscope.verdicts import fill

Model = Mapping[str, Any]


@record
class Page:
    """A results document with its drawing."""

    document: Mapping[str, Any]

    @cached_property
    def drawing(self) -> Mapping[str, Any]:
        """The section from which pictures are made."""
        section: Mapping[str, Any] = self.document["drawing"]
        return section

    @cached_property
    def slots(self) -> dict[str, int]:
        """The color of each model."""
        known: dict[str, int] | None = self.drawing.get("slots")
        return known or {str(model["name"]): int(model["slot"]) for model in self.models}

    @property
    def models(self) -> Sequence[Model]:
        """The models, in the given order."""
        section: Sequence[Model] = self.drawing.get("models") or []
        return section

    @property
    def model(self) -> Model:
        """The model initially selected."""
        chosen: Model = self.models[self.drawing["state"].get("model", 0)]
        return chosen

    @property
    def evaluation(self) -> Mapping[str, Any]:
        """The section of the results document about that model."""
        if "evaluations" in self.document:
            section: Mapping[str, Any] = self.document["evaluations"][self.model["name"]]
            return section
        return self.document

    @property
    def named(self) -> list[Model]:
        """The models named in pictures, the selected one first; of more than five, those with a color."""
        rest = [other for other in self.models if other is not self.model and (other["slot"] or len(self.models) <= 5)]
        return [self.model, *rest]

    def area(self, name: str, model: Model | None = None) -> Mapping[str, Any] | None:
        """An area of a model, by default the selected one."""
        return next((row for row in (model or self.model)["areas"] if row["name"] == name), None)

    @property
    def totals(self) -> tuple[float, float]:
        """Numbers of positives and negatives."""
        return float(self.drawing["positives"]), float(self.drawing["negatives"])

    @property
    def both(self) -> bool:
        """Whether there are cases of both classes."""
        return self.totals[0] > 0 and self.totals[1] > 0

    @property
    def prevalence(self) -> float:
        """The prevalence set on the page."""
        return float(self.drawing["state"]["prevalence"] or 0.0)

    @property
    def own_costs(self) -> bool:
        """Whether costs vary between cases, so that there is no common cost to set."""
        return bool(self.drawing["state"].get("own_costs"))

    @property
    def rebased(self) -> bool:
        """Whether that prevalence differs from that of the data."""
        positives, negatives = self.totals
        return abs(self.prevalence - positives / (positives + negatives)) > 1e-12

    @property
    def ratio(self) -> float:
        """The cost of a miss in units of a false alarm."""
        state = self.drawing["state"]
        return float(state["fn"]) / float(state["fp"]) if state["fp"] else float("inf")

    def rates(self, model: Model) -> list[tuple[float, float]]:
        """(FPR, TPR) of every row."""
        positives, negatives = self.totals
        return [(fp / negatives, tp / positives) for tp, fp in zip(model["tp"], model["fp"], strict=True)]

    def rate(self, model: Model, row: int) -> tuple[float, float]:
        """(FPR, TPR) of one row."""
        positives, negatives = self.totals
        return model["fp"][row] / negatives, model["tp"][row] / positives

    @cached_property
    def cells(self) -> Mapping[str, Any] | None:
        """The counts at the point."""
        if self.model["labels_only"]:
            counts: Mapping[str, Any] = self.model["points"]
            return counts
        point = self.evaluation["point"]
        return None if point is None else point["counts"]

    @property
    def apparent(self) -> list[list[Any]]:
        """Label that distinguishes sample counts from corrected measures beside them; empty if none are corrected."""
        return [fill("apparent")] if self.model.get("corrected") else []

    def threshold_at(self, model: Model, row: int) -> str:
        """The displayed threshold of a row: the shortest decimal that yields the same decisions."""
        thresholds, value = model["thresholds"], model["thresholds"][row]
        if value is None:
            return "flag nobody"
        beyond = thresholds[row + 1] if model.get("whole") and row + 1 < len(thresholds) else None
        return point_text({"threshold": value, "beyond": beyond})

    @cached_property
    def threshold(self) -> str:
        """The displayed threshold."""
        point = self.evaluation["point"]
        return "" if point is None else point_text(point)

    @cached_property
    def per_thousand(self) -> dict[str, float]:
        """The outcomes of 1,000 cases at the selected prevalence."""
        assert self.cells is not None
        positives, negatives = self.totals
        share = self.prevalence
        scale = {
            "tp": share / positives,
            "fn": share / positives,
            "fp": (1 - share) / negatives,
            "tn": (1 - share) / negatives,
        }
        return {name: 1000 * scale[name] * float(self.cells[name]) for name in ("tp", "fp", "fn", "tn")}
