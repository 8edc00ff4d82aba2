"""Sentences that move: templates for what a page says while a hand is on its controls, and how they are filled.

A template has `{slots}` and `**strong**` parts. Filled, it is a list of pieces: text, `{"b": pieces}` for strong ones,
`{"m": name}` for a model, which is shown in its colour. The page fills the same templates while something moves.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

Rich = list[Any]

_TEMPLATES = {
    # the verdict
    "headline": "Use {model} at threshold {threshold}.",
    "headline_model": "Use {model}.",
    "headline_single": "Use threshold {threshold}.",
    "headline_either": "{model} or {other}, at {threshold} or {second}: no difference seen.",
    "headline_both": "{model} or {other}, both at {threshold}: no difference seen.",
    "headline_either_model": "{model} or {other}: no difference seen.",
    "headline_nobody": "Flag nobody: at these costs no model beats it.",
    "headline_everybody": "Flag everybody: at these costs no model beats it.",
    "lead": "If a miss costs {ratio} and {share} of the {units} are {positive}, it costs **{cost}** per 1,000 {units}.",
    "lead_nobody": "Flagging nobody costs {nobody}.",
    "lead_habits": "Flagging nobody costs {nobody}; the habitual threshold 0.5 costs {habit}.",
    "lead_rates": "It finds **{recall}** of the {positive} {units}, and **{precision}** of what it flags are "
    "{positive}.",
    "hand": "Your setting, {model} at {threshold}, costs {cost}: {more} more.",
    "hand_same": "Your setting, {model} at {threshold}, costs {cost}: as little as the cheapest.",
    "go": "Go to the cheapest",
    "sure": "**{word}.** {model} was cheapest in **{share}** of {resamples} resamples",
    "sure_other": ", {model} in {share}",
    "sure_lead": "Its lead over {other} is {lead} per 1,000: more cases may turn it.",
    "sure_settled": "Its lead over {other} is {lead} per 1,000.",
    "sure_settled_auc": "Its lead over {other} in AUC is {lead}.",
    "sure_lead_auc": "Its lead over {other} in AUC is {lead}: more cases may turn it.",
    "sure_most": "The difference is at most {most}. Take the simpler one.",
    "sure_threshold": "The cheapest threshold lies between {low} and {high}.",
    "sure_threshold_near": "The cheapest threshold is {low}, as far as three digits tell.",
    "sure_auc": "AUC **{auc}**.",
    "sure_auc_model": "{model} has AUC **{auc}**.",
    "sure_unsampled": "How often each model is cheapest was not resampled: {why}.",
    "change_more": "A miss worth more than **{ratio}**: use {model}, at {threshold} or {side}.",
    "change_less": "A miss worth less than **{ratio}**: use {model}, at {threshold} or {side}.",
    "change_more_threshold": "A miss worth more than **{ratio}**: threshold {threshold}.",
    "change_less_threshold": "A miss worth less than **{ratio}**: threshold {threshold}.",
    "change_nobody": "A miss worth less than **{ratio}**: flag nobody.",
    "change_everybody": "A miss worth more than **{ratio}**: flag everybody.",
    "change_share": "More than **{share} {positive}** at {costs}: the same switch.",
    "change_share_less": "Less than **{share} {positive}** at {costs}: the same switch.",
    "change_never": "No cost of a miss changes the model: it is the cheapest throughout.",
    "change_slice": "Where {by} is {value}, recall is {recall} (see slices).",
    "tied": "{first} and {second} cost the same.",
    # reading lines
    "roc": "{model} **at {threshold}** finds {recall} of the {positive} and flags {fpr} of the {negative} {units}.",
    "roc_dominated": "{model} lies below the hull: never the cheapest.",
    "roc_labels": "**This model gives one point, not a curve.** Its area is not an AUC.",
    "roc_backwards": "**The ranking runs backwards: AUC {auc}.** If low scores mean positive, say so: "
    "--lower-is-positive gives {turned}. Nothing was flipped.",
    "roc_many": "**{models} models, {hull} on the hull.** Only hull models and the chosen one have colour.",
    "cases": "Per 1,000 {units}: flags **{flagged}**, of which {found} are {positive}; misses {missed}.",
    "cases_cost": "**Cost {cost}.**",
    "measures": "Tick **|** = flag as many at random.",
    "measures_accuracy": "**Accuracy {accuracy}** is little above its {baseline}: read precision and recall.",
    "strip": "{first} is cheapest while a miss costs up to **{ratio}**, {second} beyond.",
    "strip_one": "{model} is cheapest at every ratio shown.",
    "strip_threshold": "The cheapest threshold falls from {high} to {low} as a miss costs more.",
    "strip_never": "{model} never leads by itself.",
    "switch": "switch at {ratio}",
    "now": "now {ratio}",
    "pr": "Of the flagged, **{precision} are {positive}**; flagging at random gives {share}.",
    "pr_areas": "Average precision {ap}, exact area {area}.",
    "calibration_over": "**Over-confident near the top:** when it says {said}, {seen} are {positive}.",
    "calibration_under": "**Under-confident near the top:** when it says {said}, {seen} are {positive}.",
    "calibration_fair": "**Fair near the top:** when it says {said}, {seen} are {positive}.",
    "calibration_slope": "Slope {slope} (ideal 1), Brier {brier}.",
    "calibration_none": "Scores are not probabilities: only their order is judged.",
    "decision": "Acting on its probability gives **{net} net finds per 1,000**; {other} gives {rest}.",
    "decision_line": "{ratio} means act above {risk}",
    "prevalence_chip": "{data} in the data, {set} set",
    "none_reaches": "no threshold reaches precision {asked}; best {best}",
    "settings": "Settings: model **{model}**, rule **{rule}**, threshold **{threshold}**; a miss costs "
    "**{ratio}**; share of positives **{share}**, {where}.",
    "settings_single": "Settings: rule **{rule}**, threshold **{threshold}**; a miss costs "
    "**{ratio}**; share of positives **{share}**, {where}.",
}


def templates() -> dict[str, str]:
    """The templates by name.

    >>> templates()["headline_single"]
    'Use threshold {threshold}.'
    """
    return dict(_TEMPLATES)


def fill(name: str, **slots: Any) -> Rich:
    """A template with its slots filled, as pieces; what is filled in may hold braces and asterisks of its own.

    >>> fill("sure_auc", auc="0.84 [0.80, 0.88]")
    ['AUC ', {'b': ['0.84 [0.80, 0.88]']}, '.']
    >>> fill("headline_model", model={"m": "{x}**"})
    ['Use ', {'m': '{x}**'}, '.']
    """
    found: Rich = []
    for place, part in enumerate(_TEMPLATES[name].split("**")):
        inner = _filled(part, slots)
        found += [{"b": inner}] if place % 2 else inner
    return found


def _filled(text: str, slots: Mapping[str, Any]) -> Rich:
    pieces: Rich = []
    for part in re.split(r"(\{\w+\})", text):
        slot = part[1:-1] if part[:1] == "{" and part[1:-1] in slots else None
        value = part if slot is None else slots[slot]
        if value != "":
            pieces += value if isinstance(value, list) else [value if isinstance(value, dict) else str(value)]
    return pieces


def plain(rich: Rich) -> str:
    """The pieces as text alone.

    >>> plain(fill("headline", model={"m": "b"}, threshold="0.31"))
    'Use b at threshold 0.31.'
    """
    return "".join(
        piece if isinstance(piece, str) else plain(piece["b"]) if "b" in piece else str(piece["m"]) for piece in rich
    )


def difference(auc: Mapping[str, Any], cost: Mapping[str, Any] | None, *, dominated: bool) -> str:
    """What a difference to the recommended model comes to, in a few words; differences are recommended less other.

    >>> difference({"value": -0.03, "settled": True}, None, dominated=False)
    'ranks better'
    """
    if auc["value"] is None:
        return "not comparable"
    ranks = "no difference seen" if not auc["settled"] else "ranks worse" if auc["value"] > 0 else "ranks better"
    if dominated and auc["settled"] and auc["value"] > 0:
        return "worse; dominated everywhere"
    if cost is None or cost["value"] is None or cost["low"] is None:
        return ranks
    if cost["settled"]:
        dearer = "dearer here" if cost["value"] < 0 else "cheaper here"
        return f"{ranks}; {dearer}" if ranks != "no difference seen" else f"{dearer}; ranking not settled"
    if ranks == "no difference seen":
        return f"{ranks}; at most {max(0.0, -cost['low']):.0f} dearer"
    return f"{ranks}; {'dearer' if cost['value'] < 0 else 'cheaper'} here, not settled"
