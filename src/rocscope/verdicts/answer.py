"""The answer a page begins with: headline, lead, how sure, what could mislead, what would change it, as pieces.

Made from the document and what is drawn of it; the sentences are the templates of `live`, the caveats those of the
verdict. A model is `{"m": name}`, strong text `{"b": pieces}`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

from rocscope.verdicts import verdict
from rocscope.verdicts.templates import Rich, fill

Document = Mapping[str, Any]
GRADES = ((0.95, "Very"), (0.8, "Fairly"), (0.6, "Leaning"), (0.0, "Undecided"))
_HEADS = re.compile(
    r"^(Accuracy|The threshold was chosen on these (?:same )?[^:]{1,60}|Over-confident|Under-confident|"
    r"Every positive is above every negative\.|\d+ (?:positive|negative)s?|Only \d+ distinct scores|"
    r"The ranking runs backwards)"
)


def of_binary(document: Document, drawing: Document) -> dict[str, Any]:
    """The answer on one scored classifier, or on several."""
    own = chosen(document)
    said = document["verdict"]
    both = document["data"]["positives"] and document["data"]["negatives"]
    if own["point"] is None or not both:
        return _plain(said)
    return {
        "headline": _headline(document, own),
        "lead": _lead(document, own, drawing),
        "sure": _sure(document, own, drawing),
        "mislead": _mislead(document, own),
        "change": _change(document, own, drawing),
    }


def of_any(document: Document) -> dict[str, Any]:
    """The answer of the verdict alone, sentence by sentence."""
    return _plain(document["verdict"])


def chosen(document: Document) -> Document:
    """The evaluation that the answer speaks of: the recommended one."""
    if "evaluations" not in document:
        return document
    found: Document = document["evaluations"][document["recommended"]]
    return found


def _plain(said: Document) -> dict[str, Any]:
    caveats = [headed(one) for one in said["caveats"]]
    change = [[said["change"]]] if said["change"] else []
    sure = [[said["sure"]]] if said["sure"] else []
    return {"headline": [said["headline"]], "lead": [said["lead"]], "sure": sure, "mislead": caveats, "change": change}


def headed(sentence: str) -> Rich:
    """A caveat with its first words strong, where they name it.

    >>> headed("Accuracy is 0.94, but flagging nobody has 0.92.")
    [{'b': ['Accuracy']}, ' is 0.94, but flagging nobody has 0.92.']
    """
    head = _HEADS.match(sentence)
    return [sentence] if head is None else [{"b": [head[0]]}, sentence[head.end() :]]


# ---- headline and lead ----


def _headline(document: Document, own: Document) -> Rich:
    point, at = own["point"], verdict.threshold_text(own["point"])
    text = document["verdict"]["headline"]
    if "evaluations" not in document:
        return fill("headline_single", threshold=at) if text.startswith("Use threshold") else [text]
    model = {"m": document["recommended"]}
    placed = point["chosen"] not in ("not chosen", "given") and own["settings"]["costs"] is not None
    if text.startswith("Use "):
        return fill("headline", model=model, threshold=at) if placed else fill("headline_model", model=model)
    rival = verdict.rival(document)
    if "no difference seen" in text and rival is not None:
        second = verdict.threshold_text(document["evaluations"][rival["b"]]["point"])
        other = {"m": rival["b"]}
        if not placed:
            return fill("headline_either_model", model=model, other=other)
        if at == second:
            return fill("headline_both", model=model, other=other, threshold=at)
        return fill("headline_either", model=model, other=other, threshold=at, second=second)
    return [text]


def _lead(document: Document, own: Document, drawing: Document) -> Rich:
    point, costs = own["point"], own["settings"]["costs"]
    rates = _rates(own, drawing)
    if point["cost"] is None or costs is None:
        return [document["verdict"]["lead"], " ", *rates]
    share = costs["prevalence"] if costs["prevalence"] is not None else own["data"]["prevalence"]
    if costs["tp"] or costs["tn"] or not costs["fp"] or not costs["fn"]:
        return [own["verdict"]["lead"], " ", *rates]
    first = fill(
        "lead",
        ratio=alarms(costs["fn"] / costs["fp"]),
        share=percent(share),
        units=drawing["units"],
        positive=drawing["positive"],
        cost=cost_text(point["cost"]),
    )
    habits = own["costs"] or {}
    slots = {"nobody": whole(habits["flag nobody"]["value"])} if "flag nobody" in habits else None
    if slots is None:
        return [*first, " ", *rates]
    if "0.5" in habits:
        second = fill("lead_habits", **slots, habit=whole(habits["0.5"]["value"]))
    else:
        second = fill("lead_nobody", **slots)
    return [*first, " ", *second, " ", *rates]


def _rates(own: Document, drawing: Document) -> Rich:
    found = {row["name"]: row["value"] for row in own["measures"]}
    if found.get("recall") is None or found.get("precision") is None:
        return []
    names = {"units": drawing["units"], "positive": drawing["positive"]}
    precision = _carried(own, found["precision"], found["recall"])
    return fill("lead_rates", recall=percent(found["recall"]), precision=percent(precision), **names)


def _carried(own: Document, precision: float, recall: float) -> float:
    """The precision at the share of positives that the costs name; that of the data where they name none."""
    costs, counts = own["settings"]["costs"], own["point"]["counts"]
    share = None if costs is None else costs["prevalence"]
    if share is None:
        return precision
    alarms_of = counts["fp"] / (counts["fp"] + counts["tn"])
    flagged = share * recall + (1 - share) * alarms_of
    return float(share * recall / flagged) if flagged else precision


# ---- how sure ----


def _sure(document: Document, own: Document, drawing: Document) -> list[Rich]:
    found: list[Rich] = []
    if "evaluations" in document:
        found += _sampled(document, drawing)
        lead = _lead_over(document)
        if lead:
            found += [lead] if not found else []
            if len(found) and found[-1] is not lead:
                found[-1] = [*found[-1], " ", *lead]
    auc = next((row for row in own["areas"] if row["name"] == "auc"), None)
    if auc is not None and auc["value"] is not None:
        text = estimate_text(auc)
        several = "evaluations" in document
        found.append(
            fill("sure_auc_model", model={"m": document["recommended"]}, auc=text)
            if several
            else fill("sure_auc", auc=text)
        )
        if own["data"]["bound"]:
            found[-1].append(f" The area is certified to {own['data']['bound']:.2g}.")
    ends = drawing.get("range")
    if ends is not None and ends["low"] < ends["high"]:
        shown = {side: f"{ends[side]:.3g}" for side in ("low", "high")}
        found.append(fill("sure_threshold" if shown["low"] != shown["high"] else "sure_threshold_near", **shown))
    return found


def _sampled(document: Document, drawing: Document) -> list[Rich]:
    shares, name = document["cheapest"], document["recommended"]
    strip = drawing["strip"] or {}
    if name not in shares or document["settings"]["costs"] is None:
        why = strip.get("why", "")
        return [fill("sure_unsampled", why=why)] if why and document["settings"]["costs"] is not None else []
    word = next(word for limit, word in GRADES if round(shares[name], 2) >= limit)
    said = fill(
        "sure", word=word, model={"m": name}, share=percent(shares[name]), resamples=strip.get("resamples") or 600
    )
    others = sorted((one for one in shares if one != name), key=lambda one: -shares[one])
    for other in [one for one in others if shares[one] > 0][:3]:
        said += fill("sure_other", model={"m": other}, share=percent(shares[other]))
    return [[*said, "."]]


def _lead_over(document: Document) -> Rich:
    """By how much the recommended model leads over the one that comes nearest."""
    rival = verdict.rival(document)
    if rival is None:
        rows = [one for one in document["cost_differences"] if one["value"] is not None and one["low"] is not None]
        if not rows:
            nearest = verdict.nearest_auc(document) if document["settings"]["costs"] is None else None
            lead = "" if nearest is None else estimate_text(nearest)
            return [] if nearest is None else fill("sure_settled_auc", other={"m": nearest["b"]}, lead=lead)
        rival = max(rows, key=lambda one: one["value"])
        return fill("sure_settled", other={"m": rival["b"]}, lead=verdict.saved_text(rival))
    other = {"m": rival["b"]}
    if verdict.close(rival):
        said = fill("sure_most", most=verdict.most_text(rival))
        if rival["what"] != "auc":
            return said
        return [*fill("sure_settled_auc", other=other, lead=estimate_text(rival)), " ", *said]
    if rival["what"] == "auc":
        return fill("sure_lead_auc", other=other, lead=estimate_text(rival))
    return fill("sure_lead", other=other, lead=verdict.saved_text(rival))


# ---- what could mislead ----


def _mislead(document: Document, own: Document) -> list[Rich]:
    return [
        [{"b": ["AUC points the other way:"]}, " ", one] if " has the higher AUC (" in one else headed(one)
        for one in document["verdict"]["caveats"]
    ]


# ---- what would change the answer ----


def _change(document: Document, own: Document, drawing: Document) -> list[Rich]:
    costs, data = own["settings"]["costs"], own["data"]
    rows = document["hull"]["intervals"]
    if costs is None or not costs["fp"] or not costs["fn"] or costs["tp"] or costs["tn"] or not rows:
        text = document["verdict"]["change"]
        return [[text]] if text else []
    share = costs["prevalence"] if costs["prevalence"] is not None else data["prevalence"]
    odds = (1 - share) / share
    ratio = costs["fn"] / costs["fp"]
    several = "evaluations" in document
    found = _switches(rows, odds, ratio, several=several)
    said = [_switched(one, odds, several=several) for one in found]
    if found and several:
        said[0] = [*said[0], " ", *_by_share(found[0], ratio, drawing)]
    if not said and several:
        said = [fill("change_never")]
    return [*said, *_slice(drawing)]


def _switches(rows: Sequence[Document], odds: float, ratio: float, *, several: bool) -> list[dict[str, Any]]:
    """Where the answer turns as a miss costs more, and as it costs less: the slope, and what is cheapest beyond."""
    slope = odds / ratio
    found: list[dict[str, Any]] = []
    for before, after in pairwise(rows):
        edge = before["slope_from"]
        if not isinstance(edge, int | float) or not edge > 0 or (several and before["model"] == after["model"]):
            continue
        found.append({"edge": float(edge), "more": after, "less": before})
    lower = [one for one in found if float(one["edge"]) < slope]
    higher = [one for one in found if float(one["edge"]) >= slope]
    return [one | {"side": "more"} for one in lower[:1]] + [one | {"side": "less"} for one in higher[-1:]]


def _switched(one: Mapping[str, Any], odds: float, *, several: bool) -> Rich:
    side, beyond = one["side"], one[one["side"]]
    ratio, threshold = alarms(odds / one["edge"]), beyond["threshold"]
    if isinstance(threshold, str) or threshold is None:
        return fill("change_nobody" if side == "less" else "change_everybody", ratio=ratio)
    at = f"{threshold:.3g}"
    if not several:
        return fill(f"change_{side}_threshold", ratio=ratio, threshold=at)
    way = {"more": "lower", "less": "higher"}[side]
    return fill(f"change_{side}", ratio=ratio, model={"m": beyond["model"]}, threshold=at, side=way)


def _by_share(one: Mapping[str, Any], ratio: float, drawing: Document) -> Rich:
    share = 1 / (1 + one["edge"] * ratio)
    name = "change_share" if one["side"] == "more" else "change_share_less"
    return fill(name, share=percent(share), positive=drawing["positive"], costs=ratio_text(ratio))


def _slice(drawing: Document) -> list[Rich]:
    """The slice where least is found, when that is less than elsewhere beyond chance."""
    rows = [
        row for row in drawing["slices"] or []
        if not row["few"] and row["recall"] and row["recall"]["value"] is not None and (row["p"] or 1) < 0.05
    ]  # fmt: skip
    if not rows:
        return []
    worst = min(rows, key=lambda row: row["recall"]["value"])
    return [fill("change_slice", by=worst["by"], value=worst["value"], recall=f"{worst['recall']['value']:.2f}")]


# ---- numbers ----


def percent(share: float) -> str:
    """A share in per cent with a no-break space, one decimal under 10.

    >>> percent(0.0825), percent(0.654), percent(0.996)
    ('8.3\\xa0%', '65\\xa0%', '99.6\\xa0%')
    """
    value = 100 * share
    if 99 < value < 100:
        return f"{int(value * 10) / 10:g}\N{NO-BREAK SPACE}%"
    if value != 0 and abs(value) < 0.95:
        return f"{value:.1g}\N{NO-BREAK SPACE}%"
    # halves go up, as they do on the page
    return (
        f"{int(value + 0.5)}\N{NO-BREAK SPACE}%"
        if value >= 9.95
        else f"{int(10 * value + 0.5) / 10:g}\N{NO-BREAK SPACE}%"
    )


def whole(value: float) -> str:
    """A cost: whole from 10 on, else two digits."""
    return verdict.whole_text(value)


def cost_text(row: Mapping[str, Any]) -> str:
    """A cost with its limits."""
    return verdict.cost_text(row)


def estimate_text(row: Mapping[str, Any]) -> str:
    """An estimate with its limits."""
    return verdict.estimate_text(row)


def alarms(ratio: float) -> str:
    """What a miss costs, told in false alarms.

    >>> alarms(5), alarms(1), alarms(0.5)
    ('5 false alarms', 'as much as a false alarm', '0.5 false alarms')
    """
    return "as much as a false alarm" if ratio == 1 else f"{ratio:.3g} false alarms"


def ratio_text(ratio: float) -> str:
    """The cost of a false alarm to that of a miss.

    >>> ratio_text(5.0), ratio_text(0.5)
    ('1 : 5', '2 : 1')
    """
    return f"1 : {ratio:.3g}" if ratio >= 1 else f"{1 / ratio:.3g} : 1"
