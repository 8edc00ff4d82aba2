"""The verdict: one headline, one lead, how sure, what would change it; made from the document alone.

Tone: a careful colleague. Short sentences, present tense, no praise. Numbers carry their interval.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

from rocscope.estimate import Estimate
from rocscope.text import short_threshold

Document = Mapping[str, Any]
FEW_FOR_TESTS = 20
BACKWARDS = "The ranking runs backwards"
LONGEST_NAME = 40  # letters of a model's name in a sentence; the document has it whole


def of_evaluation(document: Document) -> dict[str, Any]:
    """The verdict on one scored classifier."""
    point = document["point"]
    if point is None or not (document["data"]["positives"] and document["data"]["negatives"]):
        return _one_sided(document, document["caveats"])
    return _said(_headline(document), _lead(document), _sure(document), _caveats(document), _change(document))


def of_comparison(document: Document) -> dict[str, Any]:
    """The verdict on several classifiers."""
    first = document["evaluations"][document["recommended"]]
    if first["point"] is None or not (document["data"]["positives"] and document["data"]["negatives"]):
        return _one_sided(first, document["caveats"])
    own = [one for one in document["caveats"] if one not in first["caveats"]]  # of the comparison itself
    caveats = [*own, *_crossed(document), *_caveats(first), *_small(document)]
    return _said(_choice(document), _unchosen(first, _lead(first)), _agreed(document), caveats, _change(first))


def of_classes(document: Document) -> dict[str, Any]:
    """The verdict on a classifier of several classes."""
    accuracy = next(row for row in document["measures"] if row["name"] == "accuracy")
    macro = next(row for row in document["measures"] if row["name"] == "macro f1")
    cases, k = _count(document["data"]["cases"]), len(document["data"]["labels"])
    headline = f"{_estimate(accuracy)} of {cases} cases are predicted right."
    lead = f"Over {k} classes the mean F1 is {_estimate(macro)}." if macro["value"] is not None else ""
    return _said(headline, lead, "", document["caveats"], "")


def _said(headline: str, lead: str, sure: str, caveats: Sequence[str], change: str) -> dict[str, Any]:
    return {"headline": headline, "lead": lead, "sure": sure, "caveats": list(caveats), "change": change}


# ---- one classifier ----


def _one_sided(document: Document, caveats: Sequence[str]) -> dict[str, Any]:
    """What one class alone leaves: what is missing, what is still defined, and which label was taken as positive."""
    data, unit = document["data"], document["settings"]["unit"]
    present = "positive" if data["positives"] else "negative"
    who = f"The only {unit} is" if data["cases"] == 1 else f"All {_count(data['cases'])} {unit}s are"
    headline = f"{who} {present}: nothing can be said about telling the classes apart."
    defined = "recall" if data["positives"] else "specificity"
    lead = f"The AUC needs both classes; {defined} and accuracy at a threshold do not."
    said = [one for one in caveats if not one.startswith(("All cases are of one class", "Accuracy is"))]
    positive = _called(data["labels"]["positive"])
    return _said(headline, f"{lead} Taken as positive: {positive}.", "", said, "")


def _headline(document: Document) -> str:
    point, auc = document["point"], _area(document, "auc")
    if auc["high"] is not None and auc["high"] < 0.5:
        return (
            f"The ranking runs backwards: AUC {_estimate(auc)}. If low scores mean positive, say so "
            "(--lower-is-positive). Nothing was flipped."
        )
    if point["chosen"] == "not chosen":
        return "Nobody chose a threshold: what follows is at 0.5."
    if point["chosen"] != "given" and not _asked(document):
        return f"Nobody chose a threshold: what follows is at {threshold_text(point)}, where Youden's J is greatest."
    if point["chosen"] == "given":
        return f"At threshold {threshold_text(point)}, as you set it."
    costs = document["settings"]["costs"]
    if point["chosen"] == "cost" and costs is not None and not any(costs[name] for name in ("fp", "fn", "tp", "tn")):
        return "All costs are 0: every threshold costs the same."
    flagged = point["counts"]["tp"] + point["counts"]["fp"]
    if not flagged:
        pays = _pays_from(document)
        return "Flag nobody: at these costs no threshold beats it." + (f" The scores pay from {pays}." if pays else "")
    if not point["counts"]["fn"] + point["counts"]["tn"]:
        return "Flag everybody: at these costs no threshold beats it."
    return f"Use threshold {threshold_text(point)}."


def _asked(document: Document) -> bool:
    """Whether the user said how a threshold is to be chosen."""
    return document["settings"]["choose"] is not None or document["settings"]["costs"] is not None


def _lead(document: Document) -> str:
    point, data = document["point"], document["data"]
    if point["cost"] is None:
        return f"{_natural(document)}."
    costs = document["settings"]["costs"]
    unit = document["settings"]["unit"]
    share = costs["prevalence"] if costs["prevalence"] is not None else data["prevalence"]
    said = f"If {_priced(costs)} and {_percent(share)} are positive, it costs {_cost(point['cost'])} per 1,000 {unit}s."
    others = [
        f"{_habit(name)} costs {_whole(one['value'])}"
        for name, one in (document["costs"] or {}).items()
        if name != "flag everybody"
    ]
    return f"{said} {'; '.join(others)}." if others else said


def _unchosen(document: Document, lead: str) -> str:
    """The lead of a comparison, whose headline names models: it says first that nobody chose the threshold."""
    point = document["point"]
    if point["chosen"] == "given" or _asked(document):
        return lead
    why = "" if point["chosen"] == "not chosen" else " (Youden's J is greatest there)"
    return f"At {threshold_text(point)}, which nobody chose{why}, {lead[:1].lower()}{lead[1:]}"


def _natural(document: Document) -> str:
    """What happens to 1,000 cases: natural frequencies are read right more often than rates."""
    counts, unit = document["point"]["counts"], document["settings"]["unit"]
    total = sum(counts.values())
    found, missed, alarms = (round(1000 * counts[name] / total) for name in ("tp", "fn", "fp"))
    alarm = "false alarm" if alarms == 1 else "false alarms"
    positive = "positive" if found == 1 else "positives"
    return f"Of every 1,000 {unit}s it finds {found} {positive}, misses {missed} and raises {alarms} {alarm}"


def _area(document: Document, name: str) -> Mapping[str, Any]:
    found: Mapping[str, Any] = next(row for row in document["areas"] if row["name"] == name)
    return found


def _sure(document: Document) -> str:
    auc = _area(document, "auc")
    if auc["value"] is None:
        return ""
    return f"AUC {_estimate(auc)}."


def _caveats(document: Document) -> list[str]:
    """What could mislead, with what the threshold itself adds."""
    point, found = document["point"], list(document["caveats"])
    if _headline(document).startswith(BACKWARDS):
        found = [one for one in found if not one.startswith(BACKWARDS)]
    slope = (document["calibration"] or {}).get("calibration_slope")
    if slope is not None and not 0.8 <= slope <= 1.25:
        kind = "Over-confident" if slope < 1 else "Under-confident"
        found.append(f"{kind}: calibration slope {slope:.2f}. The ranking is not affected.")
    if point["optimistic"]:
        found.append(_optimistic(document))
    if point["tied"]:
        shown = [threshold_text(point), *(threshold_text({"threshold": one, "beyond": None}) for one in point["tied"])]
        found.append(f"{', '.join(shown[:-1])} and {shown[-1]} do equally well.")
    return found


def _optimistic(document: Document) -> str:
    """That the threshold was chosen on the cases it is judged on, and what that flatters it by."""
    point, unit = document["point"], document["settings"]["unit"]
    if point["correction"] and point["correction"]["corrected"]:
        what = "its cost and measures are" if point["cost"] else "its measures are"
        return f"The threshold was chosen on these same {unit}s: {what} corrected for that."
    said, found = f"The threshold was chosen on these same {unit}s: expect", point["optimism"]
    if found is None or found["value"] == 0:
        return f"{said} a little worse on new ones."
    if point["chosen"] == "cost":
        return f"{said} about {_rounded(found['value'])} more per 1,000 on new ones."
    return f"{said} {point['chosen']} worse by about {_rounded(found['value'])} on new ones."


def _rounded(value: float) -> str:
    """One or two digits that count: more would pretend to be sure."""
    digits = 1 - math.floor(math.log10(value))
    shown = f"{round(value, digits):.{max(0, digits)}f}"
    return shown.rstrip("0").rstrip(".") if "." in shown else shown


def _small(document: Document) -> list[str]:
    """Where DeLong's p-value is known to err more often than it says (decision 0009)."""
    smaller = min(document["data"]["positives"], document["data"]["negatives"])
    if smaller >= FEW_FOR_TESTS:
        return []
    return [f"Under {FEW_FOR_TESTS} of a class: equal models give p <= 0.05 up to 7 times in 100. Read the interval."]


def _change(document: Document) -> str:
    """At which cost ratio the answer changes."""
    point, data = document["point"], document["data"]
    if document["hull"]["why"] or document["settings"]["costs"] is not None or point["chosen"] == "given":
        return ""
    slope = data["negatives"] / data["positives"]
    lower = [one["slope_from"] for one in document["hull"]["intervals"] if _below(one["slope_from"], slope)]
    if not lower:
        return ""
    ratio = slope / max(lower)
    return f"Set what a miss costs: at equal costs the best threshold changes at 1 : {ratio:.3g}."


def _below(value: Any, slope: float) -> bool:
    return isinstance(value, int | float) and 0 < value < slope


def _pays_from(document: Document) -> str:
    """The ratio FP : FN from which flagging somebody is cheaper than flagging nobody."""
    data = document["data"]
    steepest = [one["slope_from"] for one in document["hull"]["intervals"][:1] if isinstance(one["slope_from"], float)]
    if not steepest or not steepest[0]:
        return ""
    ratio = data["negatives"] / data["positives"] / steepest[0]
    return f"1 : {ratio:.3g}" if ratio >= 1 else f"{1 / ratio:.3g} : 1"


# ---- several classifiers ----


def _choice(document: Document) -> str:
    name = document["recommended"]
    first = document["evaluations"][name]
    if _headline(first).startswith(BACKWARDS):
        return f"{_called(name)}, the best of them: {_headline(first)}"
    at = threshold_text(first["point"])
    chosen = first["point"]["chosen"] not in ("not chosen", "given") and _asked(first)
    where = f" at threshold {at}" if chosen else ""
    if not first["point"]["counts"]["tp"] + first["point"]["counts"]["fp"] and first["point"]["chosen"] == "cost":
        return "Flag nobody: at these costs no model beats it."
    nearest = rival(document)
    if nearest is None:
        return f"Use {_called(name)}{where}."
    if close(nearest):
        other = threshold_text(document["evaluations"][nearest["b"]]["point"])
        places = (f", both at {at}" if at == other else f", at {at} or {other}") if where else ""
        bound = f" It is at most {most_text(nearest)}." if max(-nearest["low"], nearest["high"]) else ""
        return f"{_called(name)} or {_called(nearest['b'])}{places}: no difference seen.{bound} Take the simpler one."
    lead = f"Its lead over {_called(nearest['b'])} {_lead_of(nearest)}"
    return f"Use {_called(name)}{where}. {lead}: more cases may turn it."


def rival(document: Document) -> Mapping[str, Any] | None:
    """The difference to the model that comes nearest, of those whose difference is not settled; None without one."""
    rivals = [one for one in document["cost_differences"] or document["differences"] if not one["settled"]]
    rivals = [one for one in rivals if one["value"] is not None and one["low"] is not None]
    return min(rivals, key=lambda one: abs(one["value"])) if rivals else None


def close(one: Mapping[str, Any]) -> bool:
    """Whether a difference is so near 0, for its interval, that none is seen."""
    return bool(abs(one["value"]) <= (one["high"] - one["low"]) / 8)


def most_text(one: Mapping[str, Any]) -> str:
    """The largest difference that the interval allows."""
    return _size(one, max(-one["low"], one["high"]))


def saved_text(one: Mapping[str, Any]) -> str:
    """What a costs less than b, with its limits.

    >>> saved_text({"value": -12.0, "low": -25.0, "high": 1.0})
    '12 [−1, 25]'
    """
    return _cost({"value": -one["value"], "low": -one["high"], "high": -one["low"]})


def _lead_of(one: Mapping[str, Any]) -> str:
    """What a is ahead of b by; a cost difference is told as what is saved."""
    if one["what"] == "auc":
        return f"in AUC is {_estimate(one)}"
    return f"is {saved_text(one)} per 1,000"


def _size(one: Mapping[str, Any], value: float) -> str:
    return f"{value:.3f} in AUC" if one["what"] == "auc" else f"{_whole(value)} per 1,000"


def _called(name: str) -> str:
    return name if len(name) <= LONGEST_NAME else f"{name[: LONGEST_NAME - 3]}..."


def _agreed(document: Document) -> str:
    """One word from the share of resamples in which the pick is cheapest, then the numbers."""
    first = document["evaluations"][document["recommended"]]
    share = document["cheapest"].get(document["recommended"])
    if document["settings"]["costs"] is None:
        return " ".join(one for one in (_sure(first), _ahead(document)) if one)
    if share is None:
        return _sure(first)
    grades = ((0.95, "Very sure"), (0.8, "Fairly sure"), (0.6, "Leaning"), (0.0, "Undecided"))
    word = next(word for limit, word in grades if round(share, 2) >= limit)  # as it is shown
    return f"{word}: it is the cheapest in {_percent(share)} of resamples. {_sure(first)}"


def _ahead(document: Document) -> str:
    """By how much its AUC is above that of the model that comes nearest, with limits."""
    nearest = nearest_auc(document)
    return "" if nearest is None else f"Its lead over {_called(nearest['b'])} in AUC is {_estimate(nearest)}."


def nearest_auc(document: Document) -> Mapping[str, Any] | None:
    """The difference in AUC to the model that comes nearest; None where no difference has limits."""
    known = [one for one in document["differences"] if one["value"] is not None and one["low"] is not None]
    return min(known, key=lambda one: abs(one["value"])) if known else None


def _crossed(document: Document) -> list[str]:
    """A model with a higher AUC that is not the one to use: say so before somebody wonders."""
    name = document["recommended"]
    aucs = {model: _value(one, "auc") for model, one in document["evaluations"].items()}
    better = sorted((model for model, auc in aucs.items() if auc > aucs[name]), key=lambda model: -aucs[model])
    said = [
        f"{_called(model)} has the higher AUC ({aucs[model]:.3f}, {aucs[name]:.3f}), yet costs more "
        f"here{_turn(document, name, model)}."
        for model in better[:1]  # of several the highest: the others tell the same
    ]
    dominated = [_called(model) for model in document["hull"]["dominated"]]
    if dominated:
        shown = ", ".join(dominated[:3]) + (f" and {len(dominated) - 3} more" if len(dominated) > 3 else "")
        said.append(f"{shown}: never the cheapest, whatever the costs.")
    return said


def _turn(document: Document, name: str, other: str) -> str:
    """From which cost ratio on the other model leads, where the lead passes from one to the other."""
    rows = document["hull"]["intervals"]
    costs, data = document["settings"]["costs"], document["data"]
    share = data["prevalence"] if costs is None or costs["prevalence"] is None else costs["prevalence"]
    for before, after in pairwise(rows):
        if (before["model"], after["model"]) == (name, other):
            ratio = before["slope_from"] * share / (1 - share)
            return f": it leads only from {_ratio(ratio)} on"
    return ""


def _ratio(ratio: float) -> str:
    return f"1 : {1 / ratio:.3g}" if ratio <= 1 else f"{ratio:.3g} : 1"


def _value(document: Document, name: str) -> float:
    found = next((row["value"] for row in document["areas"] if row["name"] == name), None)
    return -math.inf if found is None else float(found)


# ---- numbers in words ----


def threshold_text(point: Mapping[str, Any]) -> str:
    """The shortest decimal that decides as the threshold does: after `beyond`, the next score, up to itself.

    >>> threshold_text({"threshold": 0.28038809, "beyond": 0.27911})
    '0.28'
    >>> threshold_text({"threshold": "Infinity", "beyond": 0.9})
    'inf'
    """
    value, beyond = point["threshold"], point["beyond"]
    if isinstance(value, str):
        return {"Infinity": "inf", "-Infinity": "-inf"}[value]
    if beyond is None or isinstance(beyond, str):
        return f"{value:.6g}"
    return short_threshold(value, beyond)


def _estimate(row: Mapping[str, Any]) -> str:
    low, high = (math.nan if row[side] is None else row[side] for side in ("low", "high"))
    return str(Estimate(row["value"], low, high)) if row["value"] is not None else f"undefined ({row['why']})"


def _cost(row: Mapping[str, Any]) -> str:
    if row["low"] is None or row["high"] is None:
        return _whole(row["value"])
    return f"{_whole(row['value'])} [{_whole(row['low'])}, {_whole(row['high'])}]"


def _whole(value: float) -> str:
    text = f"{value:,.0f}" if abs(value) >= 10 else f"{value:.2g}"
    return text.replace("-", "\N{MINUS SIGN}") if "e" not in text else text


estimate_text, cost_text, whole_text = _estimate, _cost, _whole  # as the page says them too


def _count(value: float) -> str:
    return f"{value:,}" if isinstance(value, int) else f"{value:,.0f}"


def _percent(share: float) -> str:
    percent = 100 * share
    return f"{percent:.0f} %" if percent >= 10 or percent == round(percent) else f"{percent:.2g} %"


def _priced(costs: Mapping[str, Any]) -> str:
    if costs["tp"] or costs["tn"]:
        names = {"fp": "a false alarm", "fn": "a miss", "tp": "a hit", "tn": "a clear"}
        return ", ".join(f"{named} costs {costs[name]:g}" for name, named in names.items())
    if not costs["fp"]:
        return "only misses cost" if costs["fn"] else "nothing costs anything"
    ratio = costs["fn"] / costs["fp"]
    if ratio == 1:
        return "a miss costs as much as a false alarm"
    return (
        f"a miss costs {ratio:.3g} false alarms"
        if ratio > 1
        else f"a false alarm costs {1 / ratio if ratio else math.inf:.3g} misses"
    )


def _habit(name: str) -> str:
    return {"flag nobody": "Flagging nobody", "0.5": "threshold 0.5"}.get(name, name)
