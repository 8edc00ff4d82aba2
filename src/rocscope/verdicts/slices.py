"""Sentences about slices, from the results document alone: whether they differ, the lowest one, what is untested."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rocscope.text import p_value, percent, with_limits

Panel = Mapping[str, Any]
FEW = 10
TITLES = {
    "auc": "AUC", "recall": "recall", "specificity": "specificity", "precision": "precision",
    "predicted_prevalence": "the share flagged", "accuracy": "accuracy",
}  # fmt: skip


def slice_sentences(panel: Panel) -> list[str]:
    """Sentences about the slices of one column, for a classifier or for differences, most important first."""
    if panel.get("why"):
        return [f"{panel['why'][:1].upper()}{panel['why'][1:]}."]
    if "why" in panel:
        sentences = [_changes(name, spread, panel["level"]) for name, spread in panel["spread"].items()]
    else:
        sentences = [_differ(panel), _lowest(panel), _others(panel), _gone(panel)]
    return [sentence for sentence in (*sentences, _small(panel), _more(panel)) if sentence]


def by_text(panel: Panel) -> str:
    """The columns as a phrase.

    >>> by_text({"by": ["region", "sex"]})
    'region and sex'
    """
    return " and ".join(panel["by"])


def _differ(panel: Panel) -> str:
    name = panel["measure"]
    spread = panel["spread"][name]
    if spread["why"]:
        return f"Slices by {by_text(panel)}: too few slices have {FEW} cases of each class to tell whether they differ."
    what = f"by {by_text(panel)} differ in {TITLES[name]}"
    return _tested(f"Slices {what}", f"slices {what}", spread, panel["level"])


def _tested(differs: str, doubted: str, spread: Mapping[str, Any], level: float) -> str:
    """Whether there is more than chance between slices, with the p-value of the test that there is not."""
    if not spread["tau2"]:
        return f"No evidence that {doubted}."
    if spread["p"] < 1 - level:
        return f"{differs} (test of equality: p {p_value(spread['p'])})."
    return f"No evidence that {doubted} (p {p_value(spread['p'])})."


def _lowest(panel: Panel) -> str:
    """The worst slice with its interval, where slices differ."""
    name, spread = panel["measure"], panel["spread"][panel["measure"]]
    if not spread["tau2"] or not panel["rows"] or not spread["p"] < 1 - panel["level"]:
        return ""
    row = panel["rows"][0]
    drawn, plain = (with_limits(estimate) for estimate in (row["measures"][name]["shrunk"], row["measures"][name]))
    return f"Lowest: {row['name']}, {drawn} after shrinkage toward the others ({plain} by itself)."


def _others(panel: Panel) -> str:
    """The other measures in which slices differ."""
    titles = [
        TITLES.get(name, name)
        for name, spread in panel["spread"].items()
        if name != panel["measure"] and spread["tau2"] and spread["p"] < 1 - panel["level"]
    ]
    if not titles:
        return ""
    listed = titles[0] if len(titles) == 1 else f"{', '.join(titles[:-1])} and {titles[-1]}"
    return f"They differ in {listed} at the threshold."


def _gone(panel: Panel) -> str:
    share = panel["missing"]
    if not share:
        return ""
    own = "a slice" if len(panel["by"]) == 1 else "slices"
    return f"{percent(share)} of the cases have no {' or '.join(panel['by'])} and form {own} of their own."


def _small(panel: Panel) -> str:
    few = panel["few"]
    if not few:
        return ""
    of = "cases" if panel["measure"] == "accuracy" else "positives or negatives"
    who = f"1 of {panel['slices']:,} slices has" if few == 1 else f"{few:,} of {panel['slices']:,} slices have"
    return f"{who} fewer than {FEW} {of}: shown but not tested."


def _more(panel: Panel) -> str:
    rest = panel["rest"]["slices"]
    return f"{rest:,} more slices are counted but not listed." if rest else ""


def _changes(name: str, spread: Mapping[str, Any], level: float) -> str:
    what = f"difference from {name} varies between slices"
    return "" if spread["why"] else _tested(f"The {what}", f"the {what}", spread, level)
