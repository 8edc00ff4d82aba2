"""The results document as the views read it: the chosen model, its counts at the point, rates and costs."""

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
    """A document with its drawing."""

    document: Mapping[str, Any]

    @cached_property
    def drawing(self) -> Mapping[str, Any]:
        """The section that pictures are made of."""
        section: Mapping[str, Any] = self.document["drawing"]
        return section

    @cached_property
    def slots(self) -> dict[str, int]:
        """The color of each model."""
        known: dict[str, int] | None = self.drawing.get("slots")
        return known or {str(model["name"]): int(model["slot"]) for model in self.models}

    @property
    def models(self) -> Sequence[Model]:
        """The models, in the order given."""
        section: Sequence[Model] = self.drawing.get("models") or []
        return section

    @property
    def model(self) -> Model:
        """The model that the page begins with."""
        chosen: Model = self.models[self.drawing["state"].get("model", 0)]
        return chosen

    @property
    def evaluation(self) -> Mapping[str, Any]:
        """The section of the results document on that model."""
        if "evaluations" in self.document:
            section: Mapping[str, Any] = self.document["evaluations"][self.model["name"]]
            return section
        return self.document

    @property
    def named(self) -> list[Model]:
        """The models that are named in pictures, the page's own first: of more than five those with a color."""
        rest = [other for other in self.models if other is not self.model and (other["slot"] or len(self.models) <= 5)]
        return [self.model, *rest]

    def area(self, name: str, model: Model | None = None) -> Mapping[str, Any] | None:
        """An area of a model, or of the one that the page begins with."""
        return next((row for row in (model or self.model)["areas"] if row["name"] == name), None)

    @property
    def totals(self) -> tuple[float, float]:
        """Positives and negatives."""
        return float(self.drawing["positives"]), float(self.drawing["negatives"])

    @property
    def both(self) -> bool:
        """Whether there are cases of both classes."""
        return self.totals[0] > 0 and self.totals[1] > 0

    @property
    def prevalence(self) -> float:
        """The share of positives that the page is set to."""
        return float(self.drawing["state"]["prevalence"] or 0.0)

    @property
    def own_costs(self) -> bool:
        """Whether each case has costs of its own, so that there is no one price to set."""
        return bool(self.drawing["state"].get("own_costs"))

    @property
    def rebased(self) -> bool:
        """Whether that is another share than the data have."""
        positives, negatives = self.totals
        return abs(self.prevalence - positives / (positives + negatives)) > 1e-12

    @property
    def ratio(self) -> float:
        """What a miss costs, in false alarms."""
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
        """What tells counts of the sample from the corrected measures beside them; nothing where none are corrected."""
        return [fill("apparent")] if self.model.get("corrected") else []

    def threshold_at(self, model: Model, row: int) -> str:
        """The threshold of a row as it is said: the shortest decimal that decides the same."""
        thresholds, value = model["thresholds"], model["thresholds"][row]
        if value is None:
            return "flag nobody"
        beyond = thresholds[row + 1] if model.get("whole") and row + 1 < len(thresholds) else None
        return point_text({"threshold": value, "beyond": beyond})

    @cached_property
    def threshold(self) -> str:
        """The threshold as it is said."""
        point = self.evaluation["point"]
        return "" if point is None else point_text(point)

    @cached_property
    def per_thousand(self) -> dict[str, float]:
        """What happens to 1,000 cases at the prevalence that is set."""
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
