"""Placeholders in sentences, and how they are filled.

A template has slots with a format, `{share:percent}`, and `**strong**` parts. Filling it yields a list of pieces: text,
`{"b": pieces}` for strong ones, `{"m": name}` for a model, which is shown in its color. The page fills the same
templates with the numbers of the moment.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import partial
from types import MappingProxyType
from typing import Any

from rocscope import text
from rocscope.text import NBSP

Rich = list[Any]
FORMATS: Mapping[str, Callable[[Any], str]] = MappingProxyType({
    "alarms": text.alarms, "cost": text.cost_text, "count": text.show_count, "estimate": text.estimate_text,
    "false_alarms": partial(text.counted, "false alarm"), "true_positives": partial(text.counted, "true positive"),
    "names": text.names, "p": text.p_value, "percent": text.percentage, "ratio": text.ratio_text, "rough": text.rough,
    "significant": text.significant, "threshold": text.point_text, "two": text.two, "whole": text.whole,
})  # fmt: skip
LONGEST_NAME = 40  # maximum number of characters of a name in a sentence
# labels that do not describe a class: "the Yes customers" is no English
_PLAIN = text.PLAIN_LABELS | {"Yes", "yes", "YES", "No", "no", "NO", "Y", "y", "N", "n", "negative"}
_SLOT = re.compile(r"\{(\w+)(?::(\w+))?\}")
_PARTS = re.compile(r"\{(\w+(?::\w+)?)\}")

# Texts of the page other than its verdict, whose sentences are in `sentences`.
VIEWS = {
    # shown while a control is moved
    "moved": "Your setting, {model:model} at {threshold:threshold}, costs {cost:whole}, {more:whole} more than "
    "the cheapest.",
    "moved_same": "Your setting, {model:model} at {threshold:threshold}, costs {cost:whole}, the same as the cheapest.",
    "moved_point": "{model:model} costs {cost:whole}, {more:whole} more than the cheapest.",
    "go": "Use the cheapest",
    "uncorrected": "This is not corrected for choosing the threshold on these data.",
    "question": "What does a miss cost compared with a false alarm?",
    "times": "{ratio:significant} ×",
    "as_much": "the same",
    "see_proposed": "Show the results at {threshold:threshold}",
    "as_saved": "for costs {ratio:ratio} and prevalence {share:percent}",
    "as_saved_own": "for prevalence {share:percent}",
    "differences_saved": "Differences in cost are computed for the settings of the report, {ratio:ratio} and "
    "{share:percent} {positive}; they do not follow the controls.",
    "certainty": "**{grade}.** {model:model} is the cheapest in **{share:percent}** of {resamples:count} resamples.",
    # one-line interpretations of the views
    "roc": "{model:model} **at {threshold:threshold}** finds {recall:percent} of the {positive} {units} and "
    "flags {fpr:percent} of the {negative} {units}.",
    "apparent": "Apparent: not corrected for selection.",
    "roc_dominated": "{model:model} lies below the hull: not the cheapest at any cost ratio in this sample.",
    "roc_dominated_many": "{models:names} lie below the hull: none of them is the cheapest at any cost ratio in this "
    "sample.",
    "roc_reversed": "**The ranking is reversed:** AUC {auc:estimate}. The scores are used as given.",
    "roc_labels": "**This model gives one point, not a curve,** so it has no AUC.",
    "roc_many": "**{models} models, {hull} on the hull.** Only models on the hull and the selected one are colored.",
    "cases": "Of {per:count} {units}: **{flagged:whole}** flagged, {found:whole} of them {positive}; {missed:whole} "
    "missed.",
    "cases_cost": "These errors **cost {cost:whole}** per 1,000.",
    "measures": "Tick **|**: chance level (same number flagged at random).",
    "measures_advised": "◆ recommended for classes of these sizes. {why}",
    "measures_accuracy": "**Accuracy {accuracy:two}** is close to the {baseline:two} of always predicting the larger "
    "class: read precision and recall.",
    "strip": "{first:model} is cheapest while a miss costs up to **{ratio:alarms}**, and {second:model} beyond that.",
    "strip_many": "Cheapest by the cost of a miss, in false alarms: ",
    "strip_until": "{model:model} up to **{ratio:significant}**, ",
    "strip_beyond": "{model:model} beyond.",
    "strip_until_none": "flagging none up to **{ratio:significant}**, ",
    "strip_beyond_all": "flagging all beyond.",
    "strip_one": "{model:model} is cheapest at every ratio shown.",
    "strip_threshold": "The cheapest threshold falls from {high:significant} to {low:significant} as a miss costs "
    "more.",
    "strip_threshold_one": "The cheapest threshold is {low:significant} at every ratio shown.",
    "strip_others": "{models} other models are not the cheapest at any cost ratio in this sample.",
    "strip_never": "{model:model} is not the cheapest at any cost ratio in this sample.",
    "switch": "switch at {ratio:ratio}",
    "now": "now {ratio:ratio}",
    "thresholds": "**At {threshold:threshold}**: precision {precision:percent}, recall {recall:percent}, F1 {f1}; "
    "{flagged:percent} of the {units} are flagged. Bands are pointwise intervals.",
    "top": "The {units} with the highest scores. Ties are not split, so the share flagged can be smaller.",
    "pr": "Of the flagged, **{precision:percent} are {positive}**; flagging at random gives {share:percent}.",
    "pr_areas": "Average precision {ap:estimate}, exact area {area:significant}.",
    "calibration_extreme": "**Predictions are too extreme:** calibration slope {slope:estimate}; 1 is ideal.",
    "calibration_moderate": "**Predictions are too moderate:** calibration slope {slope:estimate}; 1 is ideal.",
    "calibration_slope": "Calibration slope {slope:estimate}; 1 is ideal.",
    "calibration_high": "**Predictions are too high on average:** calibration in the large {shift:estimate}; 0 is "
    "ideal.",
    "calibration_low": "**Predictions are too low on average:** calibration in the large {shift:estimate}; 0 is ideal.",
    "calibration_brier": "Brier score {brier:estimate}.",
    "calibration_none": "The scores are not probabilities, so only their ranking can be assessed.",
    "decision": "Acting on the predicted probability gives **{net:whole} net true positives per {per:count}**; {other} "
    "gives {rest:whole}.",
    "decision_own": "Net benefit by threshold probability. Each {unit} has its own costs, so no single threshold "
    "probability is marked.",
    "decision_line": "{ratio:ratio} means acting above {risk:percent}",
    # if the report stores only some of the thresholds, so that another might be better
    "kept": "Chosen from the {kept:count} thresholds stored in this report.",
    "prevalence_chip": "{data:percent} in the data, {set:percent} set",
    "none_reaches": "no threshold reaches precision {asked}; the highest is {best}",
    "settings": "Settings: model **{model:model}**, rule **{rule}**, threshold **{threshold:threshold}**; a miss costs "
    "**{ratio:alarms}**; prevalence **{share:percent}**, {where}.",
    "own_costs": "Each {unit} has its own costs, so one price for all cannot be set here. "
    "“Costs of each {unit}” shows what the thresholds of the report cost.",
    "own_costs_saved": "The recommendation and the costs apply to the prevalence of the report, {share:percent}; the "
    "costs of individual {units} cannot be recomputed for another prevalence.",
    "settings_own": "Settings: rule **{rule}**, threshold **{threshold:threshold}**; each {unit} has its own costs; "
    "prevalence **{share:percent}**, {where}.",
    "settings_single": "Settings: rule **{rule}**, threshold **{threshold:threshold}**; a miss costs "
    "**{ratio:alarms}**; prevalence **{share:percent}**, {where}.",
}


def statement(rule: str, template: str, facts: Mapping[str, Any]) -> dict[str, Any]:
    """A sentence as stored in the results document: the name of its rule, the facts it states, and its text."""
    known = {slot: facts[slot] for slot in slots_of(template)}
    return {"rule": rule, "facts": known, "text": plain(filled(template, known))}


def note(sentence: str, check: str = "") -> dict[str, Any]:
    """A sentence without slots; `check` is its code if it is a check that the page can mute."""
    return {"rule": "note", "facts": {"check": check} if check else {}, "text": sentence}


def slots_of(template: str) -> list[str]:
    """The names of the slots.

    >>> slots_of("{model:model} has an AUC of **{auc:estimate}**.")
    ['model', 'auc']
    """
    return [name for name, _ in _SLOT.findall(template)]


def fill(name: str, **facts: Any) -> Rich:
    """The template of a view with its slots filled, as pieces.

    >>> plain(fill("pr", precision=0.847, share=0.08, positive="default"))
    'Of the flagged, 85 % are default; flagging at random gives 8 %.'
    """
    return filled(VIEWS[name], facts)


def filled(template: str, facts: Mapping[str, Any]) -> Rich:
    """A template with its slots filled; the values may contain braces and asterisks.

    >>> filled("AUC **{auc:two}** of {model:model}.", {"auc": 0.84, "model": "{x}**"})
    ['AUC ', {'b': ['0.84']}, ' of ', {'m': '{x}**'}, '.']
    """
    pieces: Rich = []
    for index, part in enumerate(template.split("**")):
        inner = _inner(part, facts)
        pieces += [{"b": inner}] if index % 2 else inner
    return pieces


def _inner(part: str, facts: Mapping[str, Any]) -> Rich:
    pieces: Rich = []
    for index, piece in enumerate(_PARTS.split(part)):
        if not index % 2:
            pieces.append(piece)
            continue
        name, _, form = piece.partition(":")
        value = facts[name]
        shown = value if isinstance(value, str) else FORMATS[form](value) if form in FORMATS else str(value)
        pieces.append({"m": value} if form == "model" else shown)
    return [piece for piece in pieces if piece != ""]


def plain(rich: Rich) -> str:
    """The pieces as text alone.

    >>> plain(["Use ", {"m": "b"}, " at ", {"b": ["0.31"]}, "."])
    'Use b at 0.31.'
    """
    return "".join(map(_text, rich)).replace(NBSP, " ")


def _text(piece: Any) -> str:
    if isinstance(piece, str):
        return piece
    return plain(piece["b"]) if "b" in piece else brief(str(piece["m"]))


def brief(name: str, most: int = LONGEST_NAME) -> str:
    """A name for a sentence, cut in the middle, where long names tend to agree; results documents keep it whole.

    >>> brief("gradient boosted trees with calibrated probabilities, fold 2")
    'gradient boosted tre…obabilities, fold 2'
    """
    return text.cut_name(name, most)


def class_names(negative: Any, positive: Any) -> dict[str, str]:
    """How sentences name the classes: by their labels, if these are more informative than 0 and 1.

    >>> class_names(0, 1), class_names("paid", "default")["positive"]
    ({'positive': 'positive', 'negative': 'negative'}, 'default')
    """
    labels = {"positive": str(positive), "negative": str(negative)}
    if set(labels.values()) <= _PLAIN:
        return {"positive": "positive", "negative": "negative"}
    return {name: brief(label) for name, label in labels.items()}


def difference_words(one: Mapping[str, Any], what: str) -> str:
    """How another model compares in a measure; the difference is recommended minus other.

    >>> difference_words({"value": -0.03, "settled": True}, "error rate")
    'higher error rate'
    """
    if one["value"] is None:
        return f"{what} not comparable"
    return f"{what} not settled" if not one["settled"] else f"{'lower' if one['value'] > 0 else 'higher'} {what}"


def difference(auc: Mapping[str, Any], cost: Mapping[str, Any] | None, *, dominated: bool) -> list[str]:
    """The effect of a difference from the recommended model; differences are recommended minus other.

    >>> difference({"value": -0.03, "settled": True}, None, dominated=False)
    ['higher AUC']
    """
    if auc["value"] is None:
        return ["not comparable"]
    ranks = "AUC not settled" if not auc["settled"] else "lower AUC" if auc["value"] > 0 else "higher AUC"
    if cost is None or cost["value"] is None or cost["low"] is None:
        return [ranks, *(["below the hull"] if dominated else [])]
    pays = "cost not settled" if not cost["settled"] else "costs more" if cost["value"] < 0 else "costs less"
    return [pays, ranks]
