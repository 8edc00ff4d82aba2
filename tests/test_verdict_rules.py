"""Every sentence of a verdict is true of the document it is printed from.

Each rule has its condition a second time here, written against the document itself; each is printed by at least one
document, and each number that a statement holds is found in that document.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from test_report import states

import rocscope as rs
from rocscope import report
from rocscope.serve.rates_only import document as points_document
from rocscope.sources import RocPoint
from rocscope.verdicts.placeholders import FORMATS, VIEWS, plain, slots_of
from rocscope.verdicts.sentences import PARTS, RULES
from rocscope.verdicts.verdict import LIVE, pieces_of

Document = dict[str, Any]


def own(d: Document) -> Document:
    return d["evaluations"][d["recommended"]] if "evaluations" in d else d


def auc(d: Document) -> Any:
    return next(row for row in own(d)["areas"] if row["name"] == "auc")


def both(d: Document) -> bool:
    return bool(own(d)["data"]["positives"]) and bool(own(d)["data"]["negatives"])


def chosen(d: Document) -> str:
    return str(own(d)["point"]["chosen"])


def asked(d: Document) -> bool:
    settings = own(d)["settings"]
    return settings["costs"] is not None or settings["choose"] is not None or "case_costs" in settings


def cells(d: Document) -> Any:
    return own(d)["point"]["counts"]


def flags_none_at_all(d: Document) -> bool:
    return bool(own(d)["point"]["threshold"] == "Infinity" and cells(d)["tp"] + cells(d)["fp"] == 0)


def tied_at_top(d: Document) -> float:
    """The number of cases with the highest score: those that the first finite threshold flags."""
    roc, data = own(d)["roc"], own(d)["data"]
    return float(roc["tpr"][1] * data["positives"] + roc["fpr"][1] * data["negatives"])


def limit(d: Document) -> float:
    """The number of cases that a capacity such as "top 5 %" or "top 20" allows."""
    number, *percent = chosen(d).removeprefix("top ").split()
    return float(number) / 100 * own(d)["data"]["cases"] if percent else float(number)


def measured(d: Document, name: str) -> float:
    """A measure at the threshold as the table of measures has it: corrected for a choice on these cases."""
    rows = {row["name"]: row["value"] for row in own(d)["measures"]}
    if name in rows:
        return float(rows[name])
    return float(cells(d)["tp"] / (cells(d)["tp"] + cells(d)["fn" if name == "recall" else "fp"]))


def positives(d: Document) -> float:
    return float((cells(d)["tp"] + cells(d)["fn"]) / sum(cells(d).values()))


def decisive(d: Document) -> list[Any]:
    rows = d["cost_differences"] if own(d)["settings"]["costs"] else d.get("measure_differences", d["differences"])
    return [row for row in rows if row["low"] is not None]


def excludes_zero(row: Any) -> bool:
    return bool(row["low"] > 0 or row["high"] < 0)


def share(d: Document) -> float:
    costs = own(d)["settings"]["costs"]
    return float(own(d)["data"]["prevalence"] if costs["prevalence"] is None else costs["prevalence"])


def cheapest_at(d: Document, misses: float) -> Any:
    """The row of the hull that is cheapest when a miss costs so many false alarms."""
    slope = (1 - share(d)) / share(d) / misses
    ends = {"Infinity": float("inf"), "-Infinity": -float("inf")}
    rows = d["hull"]["intervals"]
    return next(row for row in rows if row["slope_from"] <= slope <= ends.get(row["slope_to"], row["slope_to"]))


def switches(side: float, slot: str) -> Callable[[Document, Any], bool]:
    """Whether what is cheapest changes at the ratio named: just beyond it is another row than just before."""

    def holds(d: Document, facts: Any) -> bool:
        before, beyond = (cheapest_at(d, facts[slot] * factor) for factor in (1 / side, side))
        return bool(before != beyond)

    return holds


def calibrated(d: Document, name: str) -> Any:
    return next(row for row in own(d)["calibration"]["estimates"] if row["name"] == name)


# rule -> whether it is true of (document, facts), written without the code that states it
TRUE: dict[str, Callable[[Document, Any], Any]] = {
    "one_case": lambda d, f: not both(d) and own(d)["data"]["cases"] == 1,
    "one_class": lambda d, f: not both(d),
    "reversed": lambda d, f: auc(d)["high"] < 0.5,
    "no_costs": lambda d, f: not any(own(d)["settings"]["costs"][cell] for cell in ("fp", "fn", "tp", "tn")),
    "flag_none": lambda d, f: chosen(d) == "cost" and cells(d)["tp"] + cells(d)["fp"] == 0,
    "flag_all": lambda d, f: chosen(d) == "cost" and cells(d)["fn"] + cells(d)["tn"] == 0,
    "capacity_none": lambda d, f: flags_none_at_all(d) and chosen(d).startswith("top ") and tied_at_top(d) > limit(d),
    "capacity_none_model": lambda d, f: f["model"] == d["recommended"] and TRUE["capacity_none"](d, f),
    "rule_none": lambda d, f: flags_none_at_all(d) and chosen(d) == own(d)["settings"]["choose"],
    "rule_none_model": lambda d, f: f["model"] == d["recommended"] and TRUE["rule_none"](d, f),
    "model_at": lambda d, f: f["model"] == d["recommended"]
    and f["threshold"]["threshold"] == own(d)["point"]["threshold"],
    "model_only": lambda d, f: f["model"] == d["recommended"],
    "model_proposed": lambda d, f: f["model"] == d["recommended"] and not asked(d) and auc(d)["low"] > 0.5
    and f["auc"]["value"] == auc(d)["value"]
    and f["proposed"]["threshold"] in [row["threshold"] for row in own(d)["rules"] if row["rule"] == "youden"],
    "point_only": lambda d, f: cells(d)["tp"] + cells(d)["fp"] > 0,
    "given": lambda d, f: own(d)["settings"]["threshold"] == f["threshold"]["threshold"],
    "threshold_only": lambda d, f: asked(d) and f["threshold"]["threshold"] == own(d)["point"]["threshold"],
    "proposed": lambda d, f: auc(d)["low"] > 0.5
    and f["proposed"]["threshold"] in [row["threshold"] for row in d["rules"] if row["rule"] == "youden"],
    "chance": lambda d, f: auc(d)["low"] <= 0.5,
    "undefined": lambda d, f: not both(d),
    "positive_label": lambda d, f: own(d)["data"]["labels"]["positive"] == f["label"],
    "default_threshold": lambda d, f: not asked(d) and own(d)["point"]["threshold"] == 0.5,
    "youden_threshold": lambda d, f: not asked(d) and own(d)["settings"]["threshold"] is None,
    "cost": lambda d, f: f["cost"]["value"] == own(d)["point"]["cost"]["value"]
    and f["ratio"] == own(d)["settings"]["costs"]["fn"] / own(d)["settings"]["costs"]["fp"],
    "cost_corrected": lambda d, f: own(d)["point"]["correction"]["corrected"]
    and f["cost"]["value"] == own(d)["point"]["cost"]["value"],
    "corrected": lambda d, f: own(d)["point"]["correction"]["corrected"]
    and own(d)["point"]["chosen_on"] == "these cases",
    "cost_exact": lambda d, f: f["cost"]["value"] == own(d)["point"]["cost"]["value"] and f["cost"]["low"] is None
    and d["settings"]["costs"]["prevalence"] is not None,
    "cost_general": lambda d, f: f["cost"]["value"] == own(d)["point"]["cost"]["value"],
    "frequencies": lambda d, f: own(d)["point"]["cost"] is None
    and abs(f["found"] / f["per"] - positives(d) * measured(d, "recall")) < 0.51 / f["per"]
    and all(f[name] >= 1 for name, cell in (("found", "tp"), ("missed", "fn"), ("alarms", "fp")) if cells(d)[cell]),
    "frequencies_corrected": lambda d, f: own(d)["point"]["correction"]["corrected"] and TRUE["frequencies"](d, f),
    "cost_of_both": lambda d, f: f["cost_at_default"] == own(d)["costs"]["0.5"]["value"],
    "cost_of_none": lambda d, f: f["cost_of_none"] == own(d)["costs"]["flag nobody"]["value"],
    "rates": lambda d, f: abs(f["recall"] - measured(d, "recall")) < 1e-12
    and abs(f["precision"] - measured(d, "precision")) < 1e-9,
    "rates_corrected": lambda d, f: own(d)["point"]["correction"]["corrected"]
    and abs(f["recall"] - measured(d, "recall")) < 1e-12
    and abs(f["precision"] - measured(d, "precision")) < 1e-9,
    "unknown": lambda d, f: "CI" not in json.dumps(d["verdict"]),
    "settled_cost_apparent": lambda d, f: TRUE["settled_cost"](d, f) and own(d)["point"]["correction"]["corrected"],
    "unsettled_cost_apparent": lambda d, f: TRUE["unsettled_cost"](d, f) and own(d)["point"]["correction"]["corrected"],
    "settled_cost": lambda d, f: all(map(excludes_zero, decisive(d))) and f["advantage"]["low"] > 0,
    "settled_auc": lambda d, f: all(map(excludes_zero, decisive(d))) and f["advantage"]["low"] > 0,
    "alike_but": lambda d, f: auc(d)["value"] == auc_of(d, f["other"]) and f["unlike"],
    "alike": lambda d, f: auc(d)["value"] == auc_of(d, f["other"]),
    "equal": lambda d, f: any(row["b"] == f["other"] and row["value"] == 0 for row in decisive(d)),
    "unsettled_cost": lambda d, f: not all(map(excludes_zero, decisive(d))) and f["advantage"]["low"] <= 0,
    "settled_measure": lambda d, f: all(map(excludes_zero, decisive(d))) and f["what"] == d["measure"]["title"]
    and f["advantage"]["low"] > 0,
    "unsettled_measure": lambda d, f: not all(map(excludes_zero, decisive(d))) and f["what"] == d["measure"]["title"]
    and f["advantage"]["low"] <= 0,
    "settled_elsewhere": lambda d, f: not all(map(excludes_zero, decisive(d)))
    and all(row["settled"] and row["value"] > 0 for row in d["differences"]),
    "higher_auc_measure": lambda d, f: f["what"] == d["measure"]["title"]
    and any(row["b"] == f["higher"] and row["value"] < 0 for row in d["differences"]),
    "unsettled_auc": lambda d, f: not all(map(excludes_zero, decisive(d))) and f["advantage"]["low"] <= 0,
    "untested": lambda d, f: d["cost_differences"] == [],
    "resampled": lambda d, f: f["best_share"] == d["certainty"]["best_share"]
    and f["certainty"] == d["certainty"]["grade"].capitalize(),
    "auc_of_model": lambda d, f: f["auc"]["value"] == auc(d)["value"],
    "auc": lambda d, f: f["auc"]["value"] == auc(d)["value"],
    "certified": lambda d, f: f["bound"] == own(d)["data"]["bound"] > 0,
    "threshold_range": lambda d, f: f["low"] <= own(d)["point"]["threshold"] <= f["high"],
    "higher_auc": lambda d, f: auc({"areas": d["evaluations"][f["higher"]]["areas"]})["value"] > auc(d)["value"]
    and cheapest_at(d, f["turn"] * 1.001)["model"] == f["higher"],
    "higher_auc_only": lambda d, f: auc({"areas": d["evaluations"][f["higher"]]["areas"]})["value"] > auc(d)["value"],
    "dominated": lambda d, f: len(f["dominated"]) == len(d["hull"]["dominated"])
    and not {row["model"] for row in d["hull"]["intervals"]} & set(d["hull"]["dominated"]),
    "one_point": lambda d, f: all(len(model["thresholds"]) <= 3 for model in d["drawing"]["models"]),
    "too_high": lambda d, f: f["in_the_large"]["high"] < 0
    and f["in_the_large"]["low"] == calibrated(d, "calibration_in_the_large")["low"],
    "too_low": lambda d, f: f["in_the_large"]["low"] > 0
    and f["in_the_large"]["high"] == calibrated(d, "calibration_in_the_large")["high"],
    "too_extreme": lambda d, f: f["slope"]["high"] < 1,
    "too_moderate": lambda d, f: f["slope"]["low"] > 1,
    "uncorrected": lambda d, f: not own(d)["point"]["correction"]["corrected"]
    and own(d)["point"]["chosen_on"] == "these cases",
    "optimistic": lambda d, f: own(d)["point"]["chosen_on"] == "these cases",
    "chosen_in_sample": lambda d, f: f["share"] == own(d)["settings"]["costs"]["prevalence"] != f["sample_share"]
    and f["sample_share"] == own(d)["data"]["prevalence"]
    and own(d)["point"]["chosen"] not in ("cost", "youden", "closest"),
    "unstable_choice": lambda d, f: own(d)["point"]["correction"]["corrected"]
    and any(f["seldom_defined"] == f"{row['title']} is {row['why']}" for row in own(d)["measures"]),
    "tied": lambda d, f: len(f["thresholds"])
    == sum(isinstance(one, int | float) for one in (own(d)["point"]["threshold"], *own(d)["point"]["tied"])),
    "give_costs": lambda d, f: own(d)["settings"]["costs"] is None,
    "pays_from": switches(1.001, "pays_from"),
    "more_model_point": switches(1.001, "more_ratio"),
    "more_model": switches(1.001, "more_ratio"),
    "more_threshold": switches(1.001, "more_ratio"),
    "more_all": switches(1.001, "more_ratio"),
    "less_model_point": switches(1.001, "less_ratio"),
    "less_model": switches(1.001, "less_ratio"),
    "less_threshold": switches(1.001, "less_ratio"),
    "less_none": switches(1.001, "less_ratio"),
    "never": lambda d, f: {row["model"] for row in d["hull"]["intervals"]} <= {d["recommended"], None},
    "slice": lambda d, f: any(
        row["name"] == f["slice"] and row["measures"]["recall"]["p_adjusted"] < 0.05
        for panel in own(d)["slices"] for row in panel["rows"]
    ),
    "one_class_data": lambda d, f: not both(d),
    "separated": lambda d, f: auc(d)["value"] == 1,
    "reversed_data": lambda d, f: auc(d)["value"] < 0.5,
    "one_score": lambda d, f: own(d)["data"]["distinct_scores"] == 1,
    "two_scores": lambda d, f: own(d)["data"]["distinct_scores"] == 2,
    "rare_negatives": lambda d, f: own(d)["data"]["prevalence"] >= 0.8,
    "rare_positives": lambda d, f: own(d)["data"]["prevalence"] <= 0.2,
    "near_ties": lambda d, f: f["first"] != f["second"] and abs(float(f["first"]) - float(f["second"])) < 1e-12,
    "few": lambda d, f: min(own(d)["data"]["positives"], own(d)["data"]["negatives"]) < 30,
    "accuracy_below": lambda d, f: float(f["accuracy"]) < float(f["baseline"]),
    "accuracy_equal": lambda d, f: float(f["accuracy"]) == float(f["baseline"]),
    "accuracy_above": lambda d, f: float(f["accuracy"]) > float(f["baseline"]),
    "class_never_found": lambda d, f: bool(f["neglected"]),
    "accuracy": lambda d, f: f["accuracy"]["value"]
    == next(row["value"] for row in d["measures"] if row["name"] == "accuracy"),
    "macro_f1": lambda d, f: f["classes"] == len(d["data"]["labels"]),
    "accuracy_decided": lambda d, f: f["decided"] == sum(map(sum, d["matrix"]["cells"])) < f["cases"],
    "case_cost": lambda d, f: case_cost_is_true(d, f) and not own(d)["point"]["correction"],
    "case_cost_corrected": lambda d, f: case_cost_is_true(d, f) and own(d)["point"]["correction"]["corrected"],
    "referred": lambda d, f: f["referred"]["value"] == d["referral"]["zones"][1]["share"]["value"]
    and d["referral"]["flag"]["threshold"] > d["referral"]["refer"]["threshold"],
    "none_referred": lambda d, f: d["referral"]["zones"][1]["positives"] + d["referral"]["zones"][1]["negatives"] == 0
    and d["referral"]["cost"] is None,
    "referral_not_worth_it": lambda d, f: d["referral"]["cost"] is not None
    and d["referral"]["zones"][1]["positives"] + d["referral"]["zones"][1]["negatives"] == 0,
    "class_cost": lambda d, f: f["cost"]["value"] == d["decision"]["cost"]["value"],
    "class_cost_usual": lambda d, f: f["usual"]["value"]
    == d["decision"]["alternatives"]["most probable class"]["value"],
    "class_cost_accuracy": lambda d, f: d["decision"]["saving"] is None
    and "most probable class" not in d["decision"]["alternatives"]
    and f["accuracy"]["value"] == row_of(d, "accuracy")["value"],
    "confused": lambda d, f: f["share"]["value"] == d["confusions"][0]["share"]["value"]
    and d["confusions"][0]["cases"]
    == max(count for i, row in enumerate(d["matrix"]["cells"]) for j, count in enumerate(row) if i != j),
    "labels_f1": lambda d, f: f["micro"]["value"] == row_of(d, "micro_f1")["value"],
    "labels_subset": lambda d, f: row_of(d, "micro_f1")["value"] is None
    and f["subset"]["value"] == row_of(d, "subset_accuracy")["value"],
    "labels_all": lambda d, f: f["subset"]["value"] == row_of(d, "subset_accuracy")["value"],
    "labels_worst": lambda d, f: f["worst_f1"]["value"]
    in sorted(one["measures"]["f1"]["value"] for one in d["labels"].values() if one["measures"]["f1"]["value"])[:1],
    "classes_settled": lambda d, f: all(excludes_zero(row) for row in d["differences"]),
    "classes_alike": lambda d, f: any(row["value"] == 0 for row in d["differences"]),
    "classes_lowest": lambda d, f: d["measures"][0]["best"] == "lowest"
    and not all(excludes_zero(row) for row in d["differences"]),
    "classes_highest": lambda d, f: d["measures"][0]["best"] == "highest"
    and not all(excludes_zero(row) for row in d["differences"]),
    "classes_quality": lambda d, f: f["quality"]["value"] == d["measures"][0]["values"][f["model"]]["value"],
    **dict.fromkeys(("classes_lead", "classes_settled_lead", "classes_two"), lambda d, f: abs(f["advantage"]["value"])
                    in [abs(row["value"]) for row in d["differences"] if row["b"] == f["other"]]),
    "classes_share": lambda d, f: f["best_share"] == d["certainty"]["best_share"],
    "classes_elsewhere": lambda d, f: any(row["settled"] for row in d["other_differences"]),
    "validated_cost": lambda d, f: len(d["models"]) == 1 and f["cost"]["value"] == cost(d)["value"],
    "validated_cheapest": lambda d, f: not all(row["settled"] for row in rivals(d))
    and cost(d)["value"] == min(one["value"] for one in d["costs"]["models"].values()),
    "validated_expected": lambda d, f: f["cost"]["value"] == cost(d)["value"],
    "validated_saving": lambda d, f: any(-row["value"] == f["advantage"]["value"] for row in rivals(d)),
    "validated_resampled": lambda d, f: f["best_share"] == d["winner"]["chosen"][d["recommended"]]
    and d["winner"]["measure"] == (d["measure"] if d["costs"] is None else "cost")
    and not all(row["settled"] for row in rivals(d)) and (f["best_share"] >= 0.8) == (f["certainty"] == "Leaning"),
    "validated_pooled": lambda d, f: f["first_pooled"] == d["pooled"]["recommended"] != d["recommended"],
    "validated_not_in_cost": lambda d, f: any(row["settled"] for row in d["comparisons"] if row["what"] != "cost"),
    "validated": lambda d, f: len(d["models"]) == 1,
    "validated_settled": lambda d, f: all(excludes_zero(row) for row in rivals(d)),
    "validated_open": lambda d, f: not all(row["settled"] for row in rivals(d)) and d["measure"] != "error_rate",
    "validated_open_error": lambda d, f: not all(row["settled"] for row in rivals(d)) and d["measure"] == "error_rate",
    "validated_error": lambda d, f: f["error"]["value"] == d["summary"][f["model"]]["error_rate"]["mean"]["value"],
    "validated_quality": lambda d, f: f["quality"]["value"] == d["summary"][f["model"]][d["measure"]]["mean"]["value"],
    "validated_posterior": lambda d, f: any(row["b"] == f["other"] and row["why"] == f["why"] for row in rivals(d))
    and d["test"] == "bayesian-t",
    "validated_untested": lambda d, f: any(
        row["b"] == f["other"] and row["low"] is None and row["p"] is None and row["why"] == f["why"]
        for row in rivals(d)
    ) and d["verdict"]["grade"] == "open",
    "validated_incomparable": lambda d, f: any(row["b"] == f["other"] and row["value"] is None for row in rivals(d)),
    "validated_lead": lambda d, f: any(row["b"] == f["other"] and row["p_adjusted"] == f["p"] for row in rivals(d)),
    "validated_gap": lambda d, f: any(row["b"] == f["other"] for row in rivals(d)),
    "validated_elsewhere": lambda d, f: any(row["settled"] for row in d["comparisons"] if row["what"] != d["measure"]),
    "validated_costs": lambda d, f: d["settings"]["costs"] is None and len(leaders(d)) == 1,
    "validated_costs_many": lambda d, f: d["settings"]["costs"] is None and len(leaders(d)) > 1,
    "validated_never": lambda d, f: not leaders(d),
}  # fmt: skip

# states that need more than a few cases to come about, facts that the document does not hold yet, and one caveat of the
# data that the headline states
RARE = {
    "one_class_data", "optimistic", "untested", "validated_costs_many", "validated_open_error", "validated_quality",
    "certified", "higher_auc_only", "validated_incomparable", "validated_gap", "plain",
    "more_all", "flag_all", "less_model",
}  # fmt: skip


def rivals(d: Document) -> list[Any]:
    decides = d["measure"] if d["costs"] is None else "cost"
    return [row for row in d["comparisons"] if row["what"] == decides and row["a"] == d["recommended"]]


def auc_of(d: Document, name: str) -> Any:
    return next(row["value"] for row in d["evaluations"][name]["areas"] if row["name"] == "auc")


def cost(d: Document) -> Any:
    return d["costs"]["models"][d["recommended"]]


def leaders(d: Document) -> set[Any]:
    return {row["model"] for row in d["pooled"]["hull"]["intervals"]} - {d["recommended"], None}


def more_states() -> Iterator[tuple[str, Any]]:
    rng = np.random.default_rng(3)
    y = (rng.random(2000) < 0.3).astype(int)
    score = y + rng.normal(0, 1, 2000)
    place = np.where(rng.random(2000) < 0.3, "south", "north")
    chances = rng.random(200)
    yield "ranked alike", rs.compare(y[:200], {"a": chances, "b": chances**3})
    yield "equal areas", rs.compare([1, 1, 0, 0], {"a": [4, 2, 3, 1], "b": [2, 4, 3, 1]})
    yield "the same twice", rs.compare(y[:200], {"a": chances, "b": chances})
    uneven = rng.normal(0, 1, 2000) + np.where(place == "south", 0.2, 2.5) * y
    costs = rs.Costs(fp=1, fn=2)
    yield "slices", rs.evaluate(y, uneven, by={"place": place}, costs=costs)
    yield "settled", rs.compare(y, {"good": score, "poor": rng.normal(0, 1, 2000)}, costs=costs)
    good = {"good": score, "poor": score[::-1]}
    yield "settled at a given threshold", rs.compare(y, good, costs=costs, threshold=0.9)
    close = {"one": score, "other": score + rng.normal(0, 0.1, 2000)}
    yield "open at a given threshold", rs.compare(y, close, costs=costs, threshold=0.9)
    yield "none flagged", rs.evaluate(y, rng.normal(0, 1, 2000), costs=rs.Costs(fp=1, fn=2, prevalence=0.01))
    yield "settled without costs", rs.compare(y, {"good": score, "poor": rng.normal(0, 1, 2000)})
    noise = np.random.default_rng(4).normal(0, 1, 2000)
    by_error = {"threshold": 0.5, "measure": "error_rate"}
    yield "settled in a measure", rs.compare(y, {"good": score, "poor": noise}, **by_error)
    high = {"good": score[:400], "poor": noise[:400]}
    yield "settled in AUC alone", rs.compare(y[:400], high, threshold=3.0, measure="error_rate")
    yield "higher AUC", rs.compare(y, {"shifted": score + 2, "weak": 0.5 * y + noise}, **by_error)
    yield "all four costs", rs.evaluate(y, score, costs=rs.Costs(fp=2, fn=5, tp=1, tn=0))
    yield "a rule in the sample", rs.evaluate(y, score, choose="f1", costs=rs.Costs(fp=1, fn=5, prevalence=0.03))
    yield "near ties", rs.evaluate([1, 0, 1, 0] * 20, [0.9, 3.4, 3.4000000000000004, 0.1] * 20)
    yield "rare negatives", rs.evaluate(1 - (y & (rng.random(2000) < 0.3)), -score)
    apart = np.random.default_rng(5)
    chance = 1 / (1 + np.exp(-2 * apart.normal(-0.5, 1, 2000)))
    drawn = (apart.random(2000) < chance).astype(int)
    for name, slope, shift in (("extreme", 2.0, 0.0), ("moderate", 0.5, 0.0), ("high", 1.0, 0.7), ("low", 1.0, -0.7)):
        stated_logit = slope * np.log(chance / (1 - chance)) + shift
        yield f"predictions too {name}", rs.evaluate(drawn, 1 / (1 + np.exp(-stated_logit)))
    rare = np.isin(np.arange(200), (199, 90))
    yield "next to nothing flagged", rs.evaluate(rare.astype(int), np.arange(200.0), choose="accuracy")
    two = (score > 0.5).astype(int)
    yield "ties beyond the capacity", rs.evaluate(y, two, choose="top 5 %")
    yield "ties beyond a number", rs.compare(y, {"two": two, "noise": noise}, choose="top 20")
    yield "nothing by a rule", rs.evaluate(y, two, choose="specificity")
    yield "nothing of a model by a rule", rs.compare(y, {"two": two, "noise": noise}, choose="specificity")
    yield "two scores", rs.evaluate(y, (score > 0.5).astype(int))
    yield "rare events", rs.evaluate((np.arange(200_000) % 20_000 == 0).astype(int), rng.random(200_000), threshold=0.5)
    large = np.arange(120_000) % 2
    yield "large", rs.evaluate(large, np.round(large + rng.normal(0, 1, 120_000), 1), costs=costs)
    leaning = rng.normal(0, 1, 400), rng.normal(0, 1, 400)
    few = y[:400]
    yield "leaning", rs.compare(few, {"a": few + leaning[0], "b": 0.8 * few + leaning[1]}, costs=costs)
    yield "few for tests", rs.compare(few[:40], {"a": score[:40], "b": uneven[:40]})
    yield "hard to beat", rs.evaluate(y, score, costs=rs.Costs(fp=1, fn=30))
    yield "cheap misses", rs.evaluate(y, score, costs=rs.Costs(fp=1.5, fn=1))


@pytest.fixture(scope="module")
def documents() -> dict[str, Document]:
    found = {name: one.to_dict() for name, one in (states() | dict(more_states())).items()}
    three = [RocPoint("C4.5", 0.2, 0.7), RocPoint("SVM", 0.5, 0.95), RocPoint("kNN", 0.3, 0.72)]
    found["points"] = points_document(three, source="three")
    found["costly misses"] = points_document(three, source="three", costs=rs.Costs(fp=1, fn=3))
    found["one point"] = points_document([RocPoint("C4.5", 0.2, 0.7)], source="one")
    found |= {name: one.to_dict() for name, one in of_classes()}
    found |= {name: one.to_dict() for name, one in of_single_cases()}
    found |= {name: one.to_dict() for name, one in validations()}
    return {name: json.loads(report.json(one)) for name, one in found.items()}


def case_cost_is_true(d: Document, f: Document) -> bool:
    """The cost per 1,000 cases and that of all cases are one number, and the costs are those of the cases."""
    all_cases = f["total_cost"]["value"] == pytest.approx(f["cost"]["value"] * f["cases"] / 1000)
    return all_cases and f["cost"]["value"] == own(d)["point"]["cost"]["value"] and "case_costs" in own(d)["settings"]


def of_single_cases() -> Iterator[tuple[str, Any]]:
    """Costs of individual cases, and cases that are referred."""
    rng = np.random.default_rng(3)
    y = rng.integers(0, 2, 200)
    s = np.clip(rng.normal(0.35, 0.2, 200) + 0.3 * y, 0, 1)
    amounts = {"fn": rng.gamma(2, 5, 200), "fp": 1}
    yield "case costs", rs.evaluate(y, s, cost_column=amounts)
    yield "case costs at a given threshold", rs.evaluate(y, s, cost_column=amounts, threshold=0.4)
    yield "referred", rs.evaluate(y, s, refer="recall >= 0.95, precision >= 0.9", threshold=0.5)
    yield "none referred", rs.evaluate(y, s, refer="recall >= 0.1, precision >= 0.1", threshold=0.5)
    yield "referral too expensive", rs.evaluate(y, s, refer=100, costs=rs.Costs(fp=1, fn=2))


def row_of(d: Document, name: str) -> Document:
    return next(row for row in d["measures"] if row["name"] == name)


def of_classes() -> Iterator[tuple[str, Any]]:
    """Several classes and labels, and models compared on them."""
    rng = np.random.default_rng(4)
    names = np.array(["a", "b", "c"])
    y = rng.choice(names, 240)

    def noisy(share: float) -> Any:
        return np.where(rng.random(240) < share, y, rng.choice(names, 240))

    def stated(gain: float) -> Any:
        raw = rng.gamma(1, size=(240, 3)) + gain * (y[:, None] == names)
        return raw / raw.sum(axis=1, keepdims=True)

    good, fair = stated(2.0), stated(1.9)
    sharp = good**6 / (good**6).sum(axis=1, keepdims=True)
    yield "class costs", rs.evaluate(y, good, costs=rs.Costs.matrix([[0, 1, 5], [1, 0, 1], [1, 1, 0]], reject=0.5))
    decided = np.where(np.arange(240) % 4 > 0, y, np.roll(y, 1))
    prices = rs.Costs.matrix([[0, 1, 5], [1, 0, 1], [1, 1, 0]])
    yield "label costs", rs.evaluate(y, predicted=decided, costs=prices)
    yield "class thresholds", rs.evaluate(y, good, threshold={"a": 0.6, "b": 0.6, "c": 0.6})
    yield "classes settled", rs.compare(y, {"good": noisy(0.9), "poor": noisy(0.3)})
    first = noisy(0.7)
    yield "classes alike", rs.compare(y, {"one": first, "two": first})
    yield "classes open", rs.compare(y, {"good": good, "fair": fair})
    yield "losses open", rs.compare(y, {"good": good, "fair": fair}, measure="log_loss")
    yield "losses differ", rs.compare(y, {"good": good, "sharp": sharp})  # the same classes, other probabilities
    truth = rng.random((120, 3)) < 0.4
    yield "labels", rs.evaluate(truth, np.clip(rng.normal(0.35, 0.2, (120, 3)) + 0.3 * truth, 0, 1))
    hits = {at: np.where(rng.random(400) < share, "a", "b") for at, share in enumerate((0.95, 0.8, 0.78))}
    truth = ["a"] * 400 + ["b"] * 400
    told = {f"m{at}": [*found, *np.where(found == "a", "b", "a")] for at, found in hits.items()}
    yield "three settled", rs.compare(truth, told)
    yield "three open", rs.compare(truth, told | {"m0": told["m1"]})
    yield "no labels", rs.evaluate(np.zeros((9, 2)), np.full((9, 2), 0.1))


def validations() -> Iterator[tuple[str, Any]]:
    pytest.importorskip("sklearn")
    from sklearn.dummy import DummyClassifier
    from sklearn.linear_model import LogisticRegression
    from sklearn.naive_bayes import GaussianNB
    from sklearn.tree import DecisionTreeClassifier

    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 3))
    y = (X[:, 0] + rng.normal(0, 1, 300) > 0.3).astype(int)
    yield "validated", rs.validate({"nb": GaussianNB()}, X, y, plan="5-fold", seed=0)
    yield "validated open", rs.validate({"nb": GaussianNB(), "lr": LogisticRegression()}, X, y, plan="5-fold", seed=0)
    few = np.random.default_rng(0)
    small = few.normal(size=(60, 2))
    late = (small[:, 0] + few.normal(0, 1, 60) > 0.3).astype(int)
    both = {"nb": GaussianNB(), "lr": LogisticRegression()}
    yield "validated, Bayesian", rs.validate(both, X, y, plan="5-fold", test="bayesian-t", margin=0.01)
    yield "validated, pooled otherwise", rs.validate(both, small, late, plan="5-fold", seed=0)
    many = {"nb": GaussianNB(), "tree": DecisionTreeClassifier(random_state=0), "none": DummyClassifier()}
    two = {"lr": LogisticRegression(), "none": DummyClassifier()}
    yield "validated settled", rs.validate(two, X, y, plan="10-fold")
    learns_nothing = {"none": DummyClassifier(), "nb": GaussianNB()}
    yield "validated, one out", rs.validate(learns_nothing, X[:40], [0, 1] * 20, plan="loo")
    yield "validated, pairs out", rs.validate(both, X[:12], y[:12], plan="lpo")
    costs = rs.Costs(fp=1, fn=10)
    yield "validated cost", rs.validate({"nb": GaussianNB()}, X, y, plan="5-fold", costs=costs)
    yield "validated saving", rs.validate(two, X, y, plan="10-fold", costs=costs)
    yield "validated few saved", rs.validate(two, X, y, plan="10-fold", costs=rs.Costs(fp=1, fn=1000))
    same = {"nb": GaussianNB(), "again": GaussianNB()}
    yield "validated same cost", rs.validate(same, X, y, plan="5-fold", costs=costs)
    fixed = {f"always {one}": DummyClassifier(strategy="constant", constant=one) for one in (0, 1)}
    half = np.arange(300) % 2
    yield "validated constant saving", rs.validate(fixed, X, half, plan="5-fold", costs=costs, scores="labels")
    yield "validated many", rs.validate(many | {"lr": LogisticRegression()}, X, y, plan="10-fold", seed=0)
    classes = y + (X[:, 1] > 0.5)
    yield "validated classes", rs.validate({"nb": GaussianNB(), "lr": LogisticRegression()}, X, classes, plan="5-fold")


def stated(documents: dict[str, Document]) -> Iterator[tuple[str, Document, str, Any]]:
    for name, document in documents.items():
        for part in PARTS:
            for one in document["verdict"]["statements"][part]:
                yield name, document, part, one


def test_every_rule_has_its_condition_here() -> None:
    assert set(TRUE) | {"plain"} == set(RULES)


def test_every_statement_is_true_of_its_document(documents: dict[str, Document]) -> None:
    for name, document, _, one in stated(documents):
        if one["rule"] == "note":
            continue
        if document["kind"] == "classes" and one["rule"].startswith("accuracy_"):
            continue  # the matrix has no areas
        assert TRUE[one["rule"]](document, one["facts"]), (name, one)


def test_every_rule_is_printed_by_some_document(documents: dict[str, Document]) -> None:
    seen = {one["rule"] for *_, one in stated(documents)}
    assert set(RULES) - seen - RARE == set()


def test_the_text_is_the_template_with_its_facts(documents: dict[str, Document]) -> None:
    for name, _, part, one in stated(documents):
        assert plain(pieces_of(one)) == one["text"], (name, part)
        if one["rule"] != "note":
            assert set(one["facts"]) == set(slots_of(RULES[one["rule"]].template))
    for document in documents.values():
        made = document["verdict"]["statements"]
        assert document["verdict"]["headline"] == made["headline"][0]["text"] and len(made["headline"]) == 1
        assert document["verdict"]["lead"] == " ".join(one["text"] for one in made["evidence"])
        assert document["verdict"]["caveats"] == [one["text"] for one in made["caveats"]]


def test_a_grade_never_contradicts_the_interval_beside_it(documents: dict[str, Document]) -> None:
    for name, document in documents.items():
        if document["kind"] != "comparison" or not document["verdict"]["grade"]:
            continue
        settled = all(map(excludes_zero, decisive(document)))
        assert (document["verdict"]["grade"] == "settled") == settled, name


def test_templates_use_formats_that_exist() -> None:
    for template in [*VIEWS.values(), *(rule.template for rule in RULES.values())]:
        for part in template.split("{")[1:]:
            form = part.split("}")[0].partition(":")[2]
            assert form in {"", "model", *FORMATS}, template
    assert set(LIVE) <= set(RULES)


BANNED = (
    "nobody", "dear", "habit", "at most", "Take the simpler", "whatever the costs", "may turn", "that they are equal",
    "no difference", "found out", "blind", "told",
)  # fmt: skip


def test_no_sentence_misleads_or_is_cute() -> None:
    for rule in RULES.values():
        text = rule.template.replace("told apart", "")
        assert not [word for word in BANNED if word in text], rule
        assert text.endswith((".", "}.")), rule


def test_every_check_is_explained() -> None:
    """A caveat is a check with a code; the page mutes it by that, and the documentation says what it means."""
    from pathlib import Path

    from rocscope.verdicts.sentences import IN_COUNTS, IN_TABLE, SCORED

    page = (Path(__file__).parent.parent / "docs" / "explanation" / "checks.md").read_text("utf-8")
    groups = [*IN_COUNTS, *IN_TABLE, *SCORED["caveats"], *SCORED["remarks"]]
    assert [rule.name for group in groups for rule in group if f"`{rule.name}`" not in page] == []
