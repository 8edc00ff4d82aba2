"""The verdict: one headline, one lead, how sure, what would change it; made from the document alone.

Tone: a careful colleague. Short sentences, present tense, no praise. Numbers carry their interval.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from typing import Any

from rocscope.estimate import Estimate

Document = Mapping[str, Any]


def of_evaluation(document: Document) -> dict[str, Any]:
    """The verdict on one scored classifier."""
    point = document["point"]
    if point is None or not (document["data"]["positives"] and document["data"]["negatives"]):
        return _said(_one_class(document), "", "", document["caveats"], "")
    return _said(_headline(document), _lead(document), _sure(document), _caveats(document), _change(document))


def of_comparison(document: Document) -> dict[str, Any]:
    """The verdict on several classifiers."""
    first = document["evaluations"][document["recommended"]]
    if first["point"] is None or not (document["data"]["positives"] and document["data"]["negatives"]):
        return _said(_one_class(first), "", "", document["caveats"], "")
    return _said(
        _choice(document), _lead(first), _agreed(document), [*_crossed(document), *_caveats(first)], _change(first)
    )


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


def _one_class(document: Document) -> str:
    data = document["data"]
    present = "positive" if data["positives"] else "negative"
    return f"All {_count(data['cases'])} cases are {present}: nothing can be said about telling the classes apart."


def _headline(document: Document) -> str:
    point = document["point"]
    if point["chosen"] == "not chosen":
        return "Nobody chose a threshold: what follows is at 0.5."
    if point["chosen"] == "given":
        return f"At threshold {threshold_text(point)}, as you set it."
    flagged = point["counts"]["tp"] + point["counts"]["fp"]
    if not flagged:
        pays = _pays_from(document)
        return "Flag nobody: at these costs no threshold beats it." + (f" The scores pay from {pays}." if pays else "")
    if not point["counts"]["fn"] + point["counts"]["tn"]:
        return "Flag everybody: at these costs no threshold beats it."
    equal = "" if document["settings"]["costs"] or point["chosen"] != "cost" else "At equal cost per error "
    return f"{equal}{'use' if equal else 'Use'} threshold {threshold_text(point)}."


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


def _natural(document: Document) -> str:
    """What happens to 1,000 cases: natural frequencies are read right more often than rates."""
    counts, unit = document["point"]["counts"], document["settings"]["unit"]
    total = sum(counts.values())
    found, missed, alarms = (round(1000 * counts[name] / total) for name in ("tp", "fn", "fp"))
    alarm = "false alarm" if alarms == 1 else "false alarms"
    return f"Of every 1,000 {unit}s it finds {found} positives, misses {missed} and raises {alarms} {alarm}"


def _sure(document: Document) -> str:
    auc = next(row for row in document["areas"] if row["name"] == "auc")
    if auc["value"] is None:
        return ""
    few = min(document["data"]["positives"], document["data"]["negatives"])
    said = f"AUC {_estimate(auc)}."
    if few < 30:
        rare = "positives" if document["data"]["positives"] <= document["data"]["negatives"] else "negatives"
        said += f" {_count(few)} {rare}: any of this may change with the next file."
    return said


def _caveats(document: Document) -> list[str]:
    """What could mislead, with what the threshold itself adds."""
    point, found = document["point"], list(document["caveats"])
    slope = (document["calibration"] or {}).get("calibration_slope")
    if slope is not None and not 0.8 <= slope <= 1.25:
        kind = "Over-confident" if slope < 1 else "Under-confident"
        found.append(f"{kind}: calibration slope {slope:.2f}. The ranking is not affected.")
    if point["optimistic"]:
        found.append("The threshold was chosen on these same cases: expect a little worse on new ones.")
    if point["tied"]:
        others = ", ".join(threshold_text({"threshold": one, "beyond": None}) for one in point["tied"])
        found.append(f"{threshold_text(point)} is not alone: {others} do as well.")
    return found


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
    at = threshold_text(first["point"])
    where = f" at threshold {at}" if first["point"]["chosen"] != "not chosen" else ""
    rivals = [one for one in document["differences"] if not one["settled"]]
    if not rivals:
        return f"Use {name}{where}."
    nearest = min(rivals, key=lambda one: abs(one["value"] or 0.0))
    if nearest["value"] == 0:
        other = threshold_text(document["evaluations"][nearest["b"]]["point"])
        places = f", at {at} or {other}" if where else ""
        return f"{name} or {nearest['b']}{places}: no difference seen. Take the simpler one."
    return f"Use {name}{where}. Its lead over {nearest['b']} in AUC is {_estimate(nearest)}: more cases may turn it."


def _agreed(document: Document) -> str:
    """One word from the share of resamples in which the pick is cheapest, then the numbers."""
    share = document["cheapest"].get(document["recommended"])
    if share is None:
        return _sure(document["evaluations"][document["recommended"]])
    word = next(
        word
        for limit, word in ((0.95, "Very"), (0.8, "Fairly"), (0.6, "Leaning"), (0.0, "Undecided"))
        if share >= limit
    )
    return f"{word}: it is the cheapest in {_percent(share)} of resamples. " + _sure(
        document["evaluations"][document["recommended"]]
    )


def _crossed(document: Document) -> list[str]:
    """A model with a higher AUC that is not the one to use: say so before somebody wonders."""
    name = document["recommended"]
    aucs = {model: _value(one, "auc") for model, one in document["evaluations"].items()}
    better = [model for model, auc in aucs.items() if auc > aucs[name]]
    said = [
        f"{model} has the higher AUC ({aucs[model]:.3f}, {aucs[name]:.3f}), yet costs more here." for model in better
    ]
    dominated = document["hull"]["dominated"]
    if dominated:
        said.append(f"{', '.join(dominated)}: never the cheapest, whatever the costs.")
    return said


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
    rounding = ROUND_FLOOR if beyond < value else ROUND_CEILING
    for digits in range(17):
        short = Decimal(repr(float(value))).quantize(Decimal(1).scaleb(-digits), rounding=rounding)
        if abs(short - Decimal(repr(float(value)))) < abs(Decimal(repr(float(beyond))) - Decimal(repr(float(value)))):
            return f"{short:f}"
    return repr(value)


def _estimate(row: Mapping[str, Any]) -> str:
    low, high = (math.nan if row[side] is None else row[side] for side in ("low", "high"))
    return str(Estimate(row["value"], low, high)) if row["value"] is not None else f"undefined ({row['why']})"


def _cost(row: Mapping[str, Any]) -> str:
    if row["low"] is None or row["high"] is None:
        return _whole(row["value"])
    return f"{_whole(row['value'])} [{_whole(row['low'])}, {_whole(row['high'])}]"


def _whole(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 10 else f"{value:.2g}"


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
        return "only misses cost"
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
