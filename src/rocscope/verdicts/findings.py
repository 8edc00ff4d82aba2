"""The facts that the rules of a verdict require, from a results document, a score table or counts.

The slots of a template are the names of these properties, so that every number of a sentence has one definition.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from typing import Any

from rocscope import curves, decisions
from rocscope.errors import RocscopeError
from rocscope.table import Confusion, Counts, ScoreTable
from rocscope.tally import blocks
from rocscope.text import alarms, apart, names, percentage
from rocscope.verdicts.placeholders import brief, class_names

Document = Mapping[str, Any]
FEW = 30  # number of cases of a class below which estimates are unstable
LEANING = 0.8  # share of resamples from which a choice that is not settled is graded as leaning
NEAR = 2.0**-49  # relative tolerance, about eight units in the last place, for sums in a different order
LOSSES = ("error_rate", "brier", "log_loss", "hamming_loss")  # lower is better
CELLS = ("tp", "fp", "fn", "tn")
RATES_ONLY = ("cost", "cost per case", "youden", "closest")  # rules whose choice holds for the stated prevalence
NO_POINT: Document = {  # used for an evaluation without a threshold
    "threshold": None, "beyond": None, "low": None, "high": None, "chosen": "", "tied": (), "cost": None,
    "correction": None, "optimistic": False, "counts": dict.fromkeys(CELLS, 0),
}  # fmt: skip
SELDOM = "undefined at the threshold that"  # start of the reason given when a measure is defined in few resamples
SAME_RANKING = "identical rankings"  # start of the reason given when two models rank identically
# measures in which two models with identical rankings can differ
DIFFERING = (("log_loss", "log loss"), ("brier", "Brier score"))
IMBALANCED = Fraction(80, 100)  # share of the larger class from which a ROC curve can look too favorable


def limits_of(row: Document) -> dict[str, Any]:
    """A value with its limits, in the form in which a statement holds it."""
    return {name: row[name] for name in ("value", "low", "high", "level")}


def advantage_of(row: Document, *, turned: bool) -> dict[str, Any]:
    """How much better the first model of a difference is; `turned` means that lower is better."""
    limits = limits_of(row)
    if not turned or limits["value"] is None:
        return limits
    if limits["low"] is None:
        return limits | {"value": 0.0 - limits["value"]}
    return limits | {"value": 0.0 - limits["value"], "low": 0.0 - limits["high"], "high": 0.0 - limits["low"]}


def costs_in_words(prices: Document) -> str:
    """The cost of each outcome, one by one."""
    names = {"fp": "a false alarm", "fn": "a miss", "tp": "a hit", "tn": "a correct rejection"}
    return ", ".join(f"{name} costs {prices[cell]:g}" for cell, name in names.items())


class Findings:
    """A results document of one scored classifier, or of several on the same cases.

    If only one point of each classifier is known, `points` is the reason.
    """

    def __init__(self, document: Document, *, points: str = "") -> None:
        self.document, self.points = document, points
        self.several, self.grade, self.alike = "evaluations" in document, "", False
        self.own: Document = document["evaluations"][document["recommended"]] if self.several else document
        self.data, settings = self.own["data"], self.own["settings"]
        self.model = str(document["recommended"]) if self.several else ""
        self.unit = brief(settings["unit"])
        self.units = f"{self.unit}s"
        names = class_names(self.data["labels"]["negative"], self.data["labels"]["positive"])
        self.positive, self.negative = names["positive"], names["negative"]
        self.label, self.cases = brief(self.data["labels"]["positive"]), self.data["cases"]
        self.bound = float(self.data["bound"] or 0.0)
        sizes = self.data["positives"], self.data["negatives"]
        self.present, self.defined = ("positive", "recall") if sizes[0] else ("negative", "specificity")
        # both classes are present, and there is a threshold
        self.both = self.own["point"] is not None and bool(sizes[0]) and bool(sizes[1])
        self._read_costs(settings)
        self._read_point(self.own["point"] or NO_POINT, settings)
        if self.both:
            self._read_rates()
        if self.worst is not None:
            self.by, self.slice = brief(self.worst["by"]), brief(str(self.worst["name"]))
            self.slice_recall = limits_of(self.worst)
        if self.several:
            self._read_models()
        for side, turn in self.switches.items():  # more_ratio, less_ratio, more_model, ...
            threshold = {name: turn.get(name) for name in ("threshold", "beyond")}
            slots = {"ratio": turn["costs"], "model": turn["model"] or self.own["name"], "threshold": threshold}
            vars(self).update({f"{side}_{slot}": value for slot, value in slots.items()})

    def _read_costs(self, settings: Document) -> None:
        self.prices = prices = settings["costs"]
        named = None if prices is None else prices["prevalence"]
        # prevalence given with the costs, otherwise that of the data
        self.share = float(self.data["prevalence"] if named is None else named)
        # whether all costs are 0; the cost ratio FN / FP, if only these two have a cost
        self.free, self.ratio = prices is not None and not any(prices[cell] for cell in CELLS), None
        if prices is not None and prices["fp"] and prices["fn"] and not prices["tp"] and not prices["tn"]:
            self.ratio = float(prices["fn"] / prices["fp"])
        alternatives = self.own["costs"] or {}
        self.cost_of_none, self.cost_at_default = (
            None if name not in alternatives else alternatives[name]["value"] for name in ("flag nobody", "0.5")
        )

    def _read_point(self, point: Document, settings: Document) -> None:
        self.point = point
        self.low, self.high = point["low"], point["high"]
        self.threshold = {name: point[name] for name in ("threshold", "beyond")}
        self.given, self.by_cost = point["chosen"] == "given", point["chosen"] in ("cost", "cost per case")
        # whether costs differ from case to case
        self.by_case = "case_costs" in settings and point["cost"] is not None
        self.referral = self.own.get("referral")
        # whether the user specified how to choose the threshold, so that one is recommended
        self.asked = settings["choose"] is not None or self.prices is not None or "case_costs" in settings
        self.chosen = self.asked and point["chosen"] not in ("given", "not chosen")
        counts = point["counts"]
        self.flags_none, self.flags_all = not counts["tp"] + counts["fp"], not counts["fn"] + counts["tn"]
        # whether a rule or a capacity, rather than costs, ends with no threshold at which any case is flagged
        self.none_by_rule = self.chosen and not self.by_cost and self.flags_none and not _finite(point["threshold"])
        self.capacity = self.none_by_rule and decisions.capacity_of(point["chosen"])
        self.priced = self.prices is not None and point["cost"] is not None
        self.exact_cost = self.priced and point["cost"]["method"] == "exact"
        # whether cost and measures are corrected for choosing the threshold or model on these cases, and if not, why
        correction = point["correction"] or {"corrected": False, "why": ""}
        self.corrected, self.uncorrected = bool(correction["corrected"]), str(correction["why"])
        # whether a rule whose choice depends on the prevalence was applied at another one than that of the measures
        self.sample_share = float(self.data["prevalence"] or 0)
        self.in_sample = self.chosen and point["chosen"] not in RATES_ONLY and self.share != self.sample_share
        # thresholds that perform equally well
        self.thresholds = [
            f"{threshold:.6g}" for threshold in [point["threshold"], *point["tied"]] if _finite(threshold)
        ]

    def _read_rates(self) -> None:
        """Recall and precision as the table of measures has them, corrected for a choice; and counts per 1,000 or so.

        Precision is that at the share of positives which the costs name, the counts are those at the share of the data.
        As many cases are taken as make the smallest of the counts at least 1.
        """
        tp, fp, fn, tn = (float(self.point["counts"][cell]) for cell in CELLS)
        positives = (tp + fn) / (tp + fp + fn + tn)
        rows = {row["name"]: row["value"] for row in self.own["measures"]} if self.corrected else {}
        self.recall, alarms = rows.get("recall", tp / (tp + fn)), 1 - rows.get("specificity", tn / (fp + tn))
        shares = [positives * self.recall, positives * (1 - self.recall), (1 - positives) * alarms]
        self.per = per_cases(shares)
        self.found, self.missed, self.alarms = (round(self.per * share) for share in shares)
        self.precision = None if self.flags_none else rows.get("precision") or tp / (tp + fp)
        if self.precision is not None and self.prices is not None and self.prices["prevalence"] is not None:
            flagged = self.share * self.recall + (1 - self.share) * alarms
            self.precision = self.share * self.recall / flagged if flagged else self.precision

    def _read_models(self) -> None:
        """What the choice between models rests on."""
        certainty, hull = self.document["certainty"] or {}, self.document["hull"]
        self.dominated = [brief(model) for model in hull["dominated"]]
        # share of resamples in which the recommended model is best in the deciding measure
        self.best_share = certainty.get("best_share")
        # deciding differences: in cost if costs are given, in the named measure if there is one, otherwise in AUC
        self.measure = self.document.get("measure")
        self.what = "" if self.measure is None else str(self.measure["title"])
        named = "measure_differences" if self.measure else "differences"
        rows = self.document["cost_differences" if self.prices is not None else named]
        rows = [row for row in rows if row["value"] is not None and row["low"] is not None]
        # settled, leaning or open; "" if there is no deciding difference
        self.grade = str(certainty.get("grade", "")) if self.both and rows else ""
        self.certainty = self.grade.capitalize()
        # the closest rival: first among models whose interval contains 0
        self.rival = min(rows, key=lambda row: (not row["low"] <= 0 <= row["high"], abs(row["value"])), default=None)
        if self.rival is not None:
            self.other, self.decides = str(self.rival["b"]), str(self.rival["what"])
            lowest = self.decides == "cost" or (self.measure is not None and self.measure["best"] == "lowest")
            self.advantage = advantage_of(self.rival, turned=lowest)
            ranked_alike = [
                difference["b"]
                for difference in self.document["differences"]
                if difference["why"].startswith(SAME_RANKING)
            ]
            # whether the closest rival ranks all cases like the recommended model, and its decisions are as good
            self.alike = self.other in ranked_alike and self.rival["value"] == 0
        # whether the recommended model has a significantly higher AUC than every other
        areas = self.document["differences"]
        self.settled_in_auc = bool(areas) and all(area["settled"] and area["value"] > 0 for area in areas)
        # model with a higher AUC than the recommended one; "" if there is none
        aucs = {name: _auc(evaluation) for name, evaluation in self.document["evaluations"].items()}
        first = max(aucs, key=lambda name: aucs[name])
        self.higher = first if aucs[first] > aucs[self.model] else ""
        self.higher_auc, self.lower_auc = f"{aucs[first]:.3f}", f"{aucs[self.model]:.3f}"

    @cached_property
    def unlike(self) -> str:
        """What differs between two models that rank all cases equally: losses or accuracy; "" if nothing does.

        Accuracy is not corrected for selection, because two such corrections differ by chance.
        """
        both, pairs = (self.own, self.document["evaluations"][self.other]), []
        for name, title in DIFFERING:
            pairs.append(
                (title, [row["value"] for evaluation in both for row in evaluation["areas"] if row["name"] == name])
            )
        counts = [evaluation["point"]["counts"] for evaluation in both if evaluation["point"]]
        pairs.append(
            ("accuracy", [(count["tp"] + count["tn"]) / sum(count[cell] for cell in CELLS) for count in counts])
        )
        differing = [
            f"{title} ({rows[0]:.4g} against {rows[1]:.4g})"
            for title, rows in pairs
            if len(rows) == 2 and None not in rows and rows[0] != rows[1]
        ]
        return names(differing) if differing else ""

    # ---- ranking ----

    @cached_property
    def auc(self) -> dict[str, Any] | None:
        row = next((row for row in self.own["areas"] if row["name"] == "auc"), None)
        return None if row is None or row["value"] is None else limits_of(row)

    @cached_property
    def seldom_defined(self) -> str:
        """A phrase that names a measure that is undefined at the threshold of many resamples; "" if there is none."""
        rows = (row for row in self.own["measures"] if row["value"] is not None)
        return next((f"{row['title']} is {row['why']}" for row in rows if row["why"].startswith(SELDOM)), "")

    @property
    def reversed(self) -> bool:
        """Whether the interval shows that the ranking is worse than chance."""
        return self.auc is not None and self.auc["high"] is not None and self.auc["high"] < 0.5

    @property
    def discriminates(self) -> bool:
        """Whether the interval shows that the ranking is better than chance."""
        return self.auc is not None and (self.auc["low"] is None or self.auc["low"] > 0.5)

    # ---- threshold and costs ----

    @cached_property
    def youden(self) -> Document | None:
        """The threshold that Youden's J proposes."""
        return next(
            (rule for rule in self.own["rules"] if rule["rule"] == "youden" and _finite(rule["threshold"])), None
        )

    @property
    def proposed(self) -> Any:
        assert self.youden is not None
        return {name: self.youden.get(name) for name in ("threshold", "beyond")}

    @property
    def costs(self) -> str:
        """The costs one by one, if a ratio does not describe them."""
        return costs_in_words(self.prices)

    @property
    def cost(self) -> dict[str, Any]:
        return limits_of(self.point["cost"])

    @property
    def total_cost(self) -> dict[str, Any]:
        """The total cost of all cases, if costs vary between cases."""
        return limits_of(self.own["case_costs"]["total"])

    @property
    def referred(self) -> dict[str, Any]:
        """The share of cases between two thresholds, which are referred."""
        assert self.referral is not None
        return limits_of(next(zone["share"] for zone in self.referral["zones"] if zone["zone"] == "refer"))

    @property
    def one_threshold(self) -> bool:
        """Whether the two thresholds of a referral rule are equal."""
        referral = self.referral
        return referral is not None and bool(referral["flag"]["threshold"] == referral["refer"]["threshold"])

    @property
    def untested(self) -> str:
        """Why no difference in cost was tested."""
        if self.data["weighted"]:
            return "with weights"
        if self.data["clusters"]:
            return "with clusters"
        return "with cross-fitting" if self.own["settings"]["cross_fit"] else "for data that do not fit in memory"

    @property
    def turn(self) -> float | None:
        """The cost of a miss, in false alarms, from which on the model with the higher AUC is the cheapest."""
        for before, after in pairwise(self.document["hull"]["intervals"]):
            if (before["model"], after["model"]) == (self.model, self.higher) and before["slope_from"]:
                return float((1 - self.share) / self.share / before["slope_from"])
        return None

    @cached_property
    def slope(self) -> dict[str, Any] | None:
        """The calibration slope, if it has an interval and the ranking is better than chance."""
        return self._calibrated("calibration_slope") if self.discriminates else None

    @cached_property
    def in_the_large(self) -> dict[str, Any] | None:
        """Calibration in the large, if it has an interval and the share of positives is that of the cases."""
        costs = self.own["settings"]["costs"]
        stated = costs is not None and costs["prevalence"] is not None
        return None if stated else self._calibrated("calibration_in_the_large")

    def _calibrated(self, name: str) -> dict[str, Any] | None:
        rows = (self.own["calibration"] or {}).get("estimates", ())
        entry = next((row for row in rows if row["name"] == name), None)
        return None if entry is None or entry["low"] is None or entry["high"] is None else limits_of(entry)

    # ---- changes that would reverse the recommendation ----

    @cached_property
    def switches(self) -> dict[str, dict[str, Any]]:
        """The costs of a miss, above and below the given one, at which the answer changes, and the cheapest choices."""
        if self.ratio is None or not 0 < self.share < 1 or self.given or (self.chosen and not self.by_cost):
            return {}  # a given threshold, or one that a rule chose, stays where it is
        odds = (1 - self.share) / self.share
        slope, edges = odds / self.ratio, []
        for before, after in pairwise(self.document["hull"]["intervals"]):
            edge = before["slope_from"]
            if _finite(edge) and edge > 0 and not (self.several and before["model"] == after["model"]):
                edges.append({"edge": edge, "costs": odds / edge, "more": after, "less": before})
        more = [entry for entry in edges if entry["edge"] < slope * (1 - 1e-9)][:1]
        less = [entry for entry in edges if entry["edge"] > slope * (1 + 1e-9)][-1:]
        return {
            side: {**nearest[0], **nearest[0][side]} for side, nearest in (("more", more), ("less", less)) if nearest
        }

    def switch(self, side: str, *, model: bool = False, point: bool = False) -> bool:
        """Whether there is a switch on that side, to another model (if several are compared) or an end of the curve."""
        turn = self.switches.get(side)
        if not turn:
            return False
        ends = not _finite(turn["threshold"]) or (turn["fpr"], turn["tpr"]) in ((0, 0), (1, 1))
        return bool(point if ends else model == self.several)

    @property
    def more_share(self) -> float:
        """The share of positives beyond which the same switch occurs at the given costs."""
        return float(1 / (1 + self.switches["more"]["edge"] * (self.ratio or 1.0)))

    @property
    def equal_turn(self) -> float | None:
        """The cost of a miss, in false alarms, at which the threshold that is cheapest at equal costs changes."""
        if self.own["hull"]["why"]:
            return None
        slope = self.data["negatives"] / self.data["positives"]
        edges = [interval["slope_from"] for interval in self.own["hull"]["intervals"]]
        lower = [edge for edge in edges if _finite(edge) and 0 < edge < slope]
        return slope / max(lower) if lower else None

    @property
    def pays_from(self) -> float | None:
        """The cost of a miss, in false alarms, from which on flagging some cases is cheaper than flagging none."""
        steepest = [
            interval["slope_from"] for interval in self.own["hull"]["intervals"][:1] if _finite(interval["slope_from"])
        ]
        return (1 - self.share) / self.share / steepest[0] if steepest and steepest[0] and self.share else None

    @cached_property
    def worst(self) -> dict[str, Any] | None:
        """The slice with the lowest recall among those that differ significantly from the rest."""
        rows = [
            {"by": " and ".join(panel["by"]), "name": row["name"], **row["measures"]["recall"]}
            for panel in self.own["slices"]
            for row in panel["rows"]
            if not row["few"] and "recall" in row["measures"] and row["measures"]["recall"]["value"] is not None
        ]
        rows = [row for row in rows if row["p_adjusted"] is not None and row["p_adjusted"] < 0.05]
        return min(rows, key=lambda row: float(row["value"]), default=None)


def per_cases(shares: list[float]) -> int:
    """The number of cases to which shares refer: 1,000, or more if the smallest nonzero share is less than one case.

    >>> per_cases([0.05, 0.2]), per_cases([0.0003, 0.5]), per_cases([0.0, 1e-9])
    (1000, 10000, 1000000)
    """
    smallest = min((share for share in shares if share > 0), default=1.0)
    return next((per for per in (1_000, 10_000, 100_000) if per * smallest >= 1), 1_000_000)


def _finite(value: Any) -> bool:
    return isinstance(value, int | float) and math.isfinite(value)


def _auc(document: Document) -> float:
    value = next((row["value"] for row in document["areas"] if row["name"] == "auc"), None)
    return -math.inf if value is None else float(value)


class TableFindings:
    """What could mislead in the data of a score table."""

    def __init__(self, table: ScoreTable) -> None:
        self.table = table
        self.both = bool(table.positives) and bool(table.negatives)
        self.present = "positive" if table.positives else "negative"

    @cached_property
    def auc(self) -> float:
        return float(curves.auc(self.table))

    @property
    def turned(self) -> float:
        return 1 - self.auc

    @property
    def imbalanced(self) -> bool:
        sizes = Fraction(self.table.positives), Fraction(self.table.negatives)
        return max(sizes) >= IMBALANCED * sum(sizes)

    @property
    def share(self) -> float:
        """The share of the rarer class."""
        positives, negatives = float(self.table.positives), float(self.table.negatives)
        return min(positives, negatives) / (positives + negatives)

    @property
    def ap(self) -> float:
        return float(curves.average_precision(self.table))

    @cached_property
    def near_ties(self) -> tuple[int, str, str]:
        """The number of adjacent float scores that differ by no more than rounding error, and the first such pair."""
        if self.table.scores.dtype.kind != "f":
            return 0, "", ""
        scores, number, first = self.table.scores, 0, 0
        for rows in blocks(len(scores) - 1, 2**13):
            earlier, after = scores[rows], scores[rows.start + 1 : rows.stop + 1]
            near = abs(after - earlier) <= NEAR * abs(earlier)
            if near.any():
                first = first if number else rows.start + int(near.argmax())
                number += int(near.sum())
        return number, repr(float(scores[first])), repr(float(scores[first + 1])) if number else ""

    @property
    def pairs(self) -> str:
        number = self.near_ties[0]
        return "1 pair of scores differs" if number == 1 else f"{number} pairs of scores differ"

    @property
    def first(self) -> str:
        return self.near_ties[1]

    @property
    def second(self) -> str:
        return self.near_ties[2]

    @property
    def few(self) -> str:
        """The class with too few cases for stable estimates: "9 positives"; "" without one."""
        for size, noun in zip(self.table.rows, ("positive", "negative"), strict=True):
            if 0 < size < FEW:
                return f"{size} {noun}{'s' if size != 1 else ''}"
        return ""


class CountFindings:
    """The accuracy of counts or a matrix, beside that of always predicting the largest class.

    If the accuracy was corrected for selection, it replaces that of the counts, as everywhere else.
    """

    def __init__(self, cases: Counts | Confusion, corrected: float | None = None) -> None:
        sizes = class_sizes(cases)
        self.total, self.larger = sum(sizes.values()), max(sizes.values())
        self.predicts = brief(max(sizes, key=lambda label: sizes[label]))
        if isinstance(cases, Confusion):
            self.right = sum((Fraction(cell) for cell in cases.matrix.diagonal().tolist()), Fraction(0))
            self.neglected = _never_right(cases)
        else:
            self.right, self.neglected = Fraction(cases.tp) + Fraction(cases.tn), ""
        if corrected is not None:
            right = Fraction(corrected) * self.total
            # a quotient in binary is rarely exact: 0.6885 of 2,000 cases are 1,377 of them
            self.right = Fraction(self.larger) if abs(right - self.larger) <= NEAR * self.larger else right
        self.accuracy, self.baseline = apart(float(self.right / self.total), float(self.larger / self.total))

    @property
    def telling(self) -> bool:
        """Whether accuracy is informative: above the baseline, which is low or whose errors are at least halved."""
        gained = self.right - self.larger
        return gained > 0 and (self.larger * 10 < self.total * 6 or gained * 2 >= self.total - self.larger)


def _never_right(m: Confusion) -> str:
    """The classes that have cases of which none is predicted right; with two classes the recall says it."""
    sizes = zip(m.labels, m.support.tolist(), m.matrix.diagonal().tolist(), strict=True)
    classes = (
        [brief(str(label)) for label, support, right in sizes if support and not right] if len(m.labels) > 2 else []
    )
    return " and ".join(classes) if len(classes) < 3 else f"{len(classes)} classes"


def class_sizes(cases: Counts | Confusion | ScoreTable) -> dict[str, Fraction]:
    """The number of cases of each class by name; refused if the numbers are unknown or absent."""
    if isinstance(cases, Confusion):
        sizes = {str(label): Fraction(n) for label, n in zip(cases.labels, cases.support.tolist(), strict=True)}
    else:
        positives, negatives = _binary_sizes(cases)
        sizes = {str(cases.labels[0]): Fraction(negatives), str(cases.labels[1]): Fraction(positives)}
    if not sum(sizes.values()):
        raise RocscopeError("there are no cases, so no class is the largest")
    return sizes


def _binary_sizes(cases: Counts | ScoreTable) -> tuple[Any, Any]:
    if isinstance(cases, ScoreTable):
        return cases.positives, cases.negatives
    cells = cases.cells
    unknown = [name for name, cell in cells.items() if not isinstance(cell, int | float | Fraction)]
    if unknown:
        raise RocscopeError(
            f"the class sizes need all four counts at one threshold, but {', '.join(unknown)} is not a single number"
        )
    return cells["tp"] + cells["fn"], cells["fp"] + cells["tn"]


class ClassFindings:
    """A results document of several classes."""

    def __init__(self, document: Document) -> None:
        rows = {row["name"]: row for row in document["measures"]}
        self.accuracy, self.macro = limits_of(rows["accuracy"]), limits_of(rows["macro f1"])
        self.cases, self.classes = document["data"]["cases"], len(document["data"]["labels"])
        self.decided = sum(document["data"]["support"])
        # expected cost of decisions by a cost matrix
        decision = document.get("decision") or {}
        self.cost = limits_of(decision["cost"]) if decision.get("cost") else None
        usual = (decision.get("alternatives") or {}).get("most probable class")  # unknown for predicted labels
        self.usual = limits_of(usual) if usual else None
        # most frequently confused pair of classes, if there are at least three classes
        self.confused = document["confusions"][0] if self.classes > 2 and document["confusions"] else None
        if self.confused is not None:
            self.actual, self.predicted = (brief(self.confused[side]) for side in ("actual", "predicted"))
            self.share = limits_of(self.confused["share"])


class LabelFindings:
    """A results document of several labels for each case."""

    def __init__(self, document: Document) -> None:
        rows = {row["name"]: row for row in document["measures"]}
        self.micro, self.subset = limits_of(rows["micro_f1"]), limits_of(rows["subset_accuracy"])
        self.cases, self.labels = document["data"]["cases"], len(document["data"]["labels"])
        # label with the lowest F1, if any is defined
        known = {
            label: section["measures"]["f1"]
            for label, section in document["labels"].items()
            if section["measures"]["f1"]["value"] is not None
        }
        self.worst = min(known, key=lambda label: known[label]["value"]) if len(known) > 1 else None
        if self.worst is not None:
            self.label, self.worst_f1 = brief(self.worst), limits_of(known[self.worst])


class ClassComparisonFindings:
    """A results document of several models that predict classes or labels of the same cases."""

    def __init__(self, document: Document) -> None:
        self.model, certainty = document["recommended"], document["certainty"]
        first, *more = document["measures"]
        self.what, self.quality = in_sentence(first["title"]), limits_of(first["values"][self.model])
        self.grade = str(certainty["grade"])
        self.certainty, self.best_share = self.grade.capitalize(), certainty["best_share"]
        self.lowest = first["best"] == "lowest"
        rows = [
            difference
            for difference in document["differences"]
            if difference["value"] is not None and difference["low"] is not None
        ]
        self.several = len(document["models"]) > 2
        self.others = [brief(name) for name in certainty["against"]]
        # the closest rival: first among models whose interval contains 0
        self.rival = min(rows, key=lambda row: (not row["low"] <= 0 <= row["high"], abs(row["value"])), default=None)
        if self.rival is not None:
            self.other, self.p = str(self.rival["b"]), self.rival["p_adjusted"]
            self.method = str(self.rival["method"])
            self.advantage = advantage_of(self.rival, turned=self.lowest)
        # another measure in which another model is significantly better than the recommended one
        titles = {row["name"]: (row["title"], row["best"]) for row in more}
        against = [
            other_difference for other_difference in document["other_differences"]
            if other_difference["settled"] and other_difference["what"] in titles
            and (other_difference["value"] > 0) == (titles[other_difference["what"]][1] == "lowest")
        ]  # fmt: skip
        self.better = brief(against[0]["b"]) if against else ""
        self.elsewhere = in_sentence(titles[against[0]["what"]][0]) if against else ""


def in_sentence(title: str) -> str:
    """A title for use inside a sentence, without the text in brackets.

    >>> in_sentence("subset accuracy (all labels right)")
    'subset accuracy'
    """
    return title.split(" (", maxsplit=1)[0]


class ValidationFindings:
    """A results document of a validation."""

    def __init__(self, document: Document) -> None:
        self.document, self.model, self.measure = document, document["recommended"], document["measure"]
        self.what, self.lowest = document["titles"][self.measure], document["lowest_is_best"]
        summary = document["summary"][self.model]
        self.quality = limits_of(summary[self.measure]["mean"])
        # tests on cases pool the folds, some of which may not define the measure on their own
        pooled = document["test"] in ("cases", "corrected-cases")
        folds = document["plan"]["pairs"] if pooled else summary[self.measure]["folds"]
        self.over = "one split" if folds == 1 else f"{folds:,} folds"
        self.error = limits_of(summary["error_rate"]["mean"])
        # expected cost of the recommended model, which decides if costs are given
        self.priced = document["costs"] is not None
        self.cost = limits_of(document["costs"]["models"][self.model]) if self.priced else None
        self.decides = "cost" if self.priced else self.measure
        self.rivals = [
            comparison
            for comparison in document["comparisons"]
            if (comparison["what"], comparison["a"]) == (self.decides, self.model)
        ]
        unsettled = [rival for rival in self.rivals if not rival["settled"]]
        # share of resamples of the test cases in which the model is best in the deciding measure; None if unknown
        winner = document["winner"] or {"measure": None}
        self.best_share = winner["chosen"].get(self.model) if winner["measure"] == self.decides else None
        if any(rival["low"] is None for rival in self.rivals):
            self.best_share = None  # what cannot be tested, resamples of the same cases do not show either
        # settled if every deciding difference is, otherwise leaning or open; "" for a single model
        leaning = self.best_share is not None and self.best_share >= LEANING
        self.grade = "" if not self.rivals else "settled" if not unsettled else "leaning" if leaning else "open"
        self.certainty = self.grade.capitalize()
        self.others = [brief(row["b"]) for row in unsettled]
        if self.rivals:
            # the closest rival: first among models whose difference is not settled
            order = unsettled or self.rivals
            near = min(order, key=lambda row: math.inf if row["value"] is None else abs(row["value"]))
            self.nearest, self.other, self.p = near, str(near["b"]), near["p_adjusted"]
            self.method, self.why = str(near["method"]), str(near["why"])
            self.advantage = advantage_of(near, turned=self.priced or self.lowest)

    @property
    def costs(self) -> str:
        """The costs in words, as a ratio if only the two errors cost something, and the prevalence if it was given."""
        prices = self.document["settings"]["costs"]
        stated = costs_in_words(prices)
        if prices["fp"] and prices["fn"] and not prices["tp"] and not prices["tn"]:
            stated = f"a miss costs {alarms(prices['fn'] / prices['fp'])}"
        share = prices["prevalence"]
        return stated if share is None else f"{stated} and {percentage(share)} of the cases are positive"

    @property
    def decided_by(self) -> str:
        """How the thresholds behind the costs were chosen."""
        return str(self.document["costs"]["thresholds"])

    @property
    def elsewhere(self) -> list[str]:
        """Other measures in which the recommended model differs significantly from another model."""
        rows = [
            comparison
            for comparison in self.document["comparisons"]
            if comparison["a"] == self.model and comparison["settled"]
        ]
        titles = self.document["titles"] | {"cost": "cost"}
        return list(dict.fromkeys(titles[row["what"]] for row in rows if row["what"] != self.decides))

    @property
    def first_pooled(self) -> str:
        """The best model on the pooled test cases, if it differs from the one that the folds recommend."""
        pooled = self.document["pooled"]
        alike = self.priced or self.measure == "auc"  # the pooled cases are compared by cost or by AUC
        if not alike or not pooled or pooled["kind"] != "comparison" or pooled["recommended"] == self.model:
            return ""
        return str(pooled["recommended"])

    @cached_property
    def leaders(self) -> list[str] | None:
        """The other models that are cheapest at some costs; None if this is unknown."""
        pooled = self.document["pooled"]
        if not pooled or pooled["kind"] != "comparison":
            return None
        leaders = [interval["model"] for interval in pooled["hull"]["intervals"] if interval["model"]]
        return [brief(name) for name in dict.fromkeys(leaders) if name != self.model]
