"""A validation in plain words: which model, how sure, what could mislead, how it was done."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from rocscope.estimate import Estimate
from rocscope.splits import FiveByTwo
from rocscope.text import show_p
from rocscope.validation.comparisons import ON_CASES, minority, test_words
from rocscope.version import VERSION

if TYPE_CHECKING:
    from rocscope.validation.results import Validation

Document = Mapping[str, Any]
NO_FREE_LUNCH = "This holds for these data and this plan: no model is best on all data."
TITLES = {"auc": "AUC", "error_rate": "error rate"}


def caveats(va: Validation) -> list[str]:
    """What could mislead here, the worst first."""
    found = []
    if va.failures:
        by = {name: sum(fold.model == name for fold in va.failures) for name in va.names}
        said = ", ".join(f"{name} in {count}" for name, count in by.items() if count)
        found.append(
            f"Failed fits are left out: {said} of {len(va.pairs) * va.asked.seeds}; first: {va.failures[0].why}"
        )
    one_class = _one_class(va)
    if one_class:
        found.append(f"{one_class} of {len(va.pairs)} test sets have one class only: no AUC there.")
    if va.problem.kind != "labels" and min(_support(va)) < 30:
        found.append(f"{min(_support(va))} cases in the smallest class: any of this may change with other cases.")
    test = va.test
    if va.pairs.cases.groups is not None and test in ON_CASES:
        found.append("The test of error rates counts cases as independent, which cases of one group are not.")
    if len(va.names) > 1:
        found += _few(va, test)
    found += va.remarks
    return [*found, *(f"{note[0].upper()}{note[1:]}." for note in va.pairs.notes), NO_FREE_LUNCH]


def _few(va: Validation, test: str) -> list[str]:
    """Why another test than the best known one of the plan decides: few cases, or one by one."""
    if test not in ("corrected-t5", "corrected-cases"):
        return []
    held = va.pairs[0].test if len(va.pairs) == 1 else np.arange(len(va.problem))
    many = f"{len(held):,} cases"
    if va.problem.kind != "labels":
        many += f", {minority(va.pairs, held):,} outside the largest class"
    if isinstance(va.plan, FiveByTwo):
        return [
            f"5x2 on {many}: in halves this small the combined F test too often sees differences that are not there. "
            "The corrected t-test decides."
        ]
    if test == "corrected-t5":
        return [
            f"Tested again and again: {many}. With so few, repetitions add little: the corrected t-test counts 5 "
            "degrees of freedom."
        ]
    if len(va.pairs) == 1:
        return [
            f"Held out: {many}. With so few, other training cases could change the lead, which tests on cases do not "
            "count. They are corrected for it."
        ]
    return [
        "Training sets change with the cases left out, which tests on cases do not count. They are corrected for it."
    ]


def _one_class(va: Validation) -> int:
    if va.problem.kind == "labels" or max(va.test_sizes) == 1:
        return 0
    return sum(len(set(va.problem.codes[pair.test].tolist())) < 2 for pair in va.pairs)


def _support(va: Validation) -> list[int]:
    counts = np.bincount(va.problem.codes)
    return [int(count) for count in counts if count]


def methods(va: Validation) -> str:
    """A few sentences for a paper, ready to paste."""
    plan = va.pairs.says
    said = (
        f"Models were fitted and scored on the same splits ({plan}; rocscope {VERSION}). Means over folds have "
        f"{100 * va.asked.level:g} % intervals with the correction of Nadeau and Bengio (Mach Learn 2003;52:239) for "
        f"overlapping training sets."
    )
    if len(va.names) > 1:
        said += f" Models were compared by {test_words(va.test)}, with Holm's adjustment."
    if va.asked.seeds > 1:
        said += f" Each split was fitted with {va.asked.seeds} random states."
    return said


def verdict(document: Document) -> dict[str, Any]:
    """The answer in a few sentences: headline, lead, how sure, what could mislead."""
    return {
        "headline": _headline(document),
        "lead": _lead(document),
        "sure": _sure(document),
        "caveats": list(document["caveats"]),
        "change": _change(document),
    }


def _headline(document: Document) -> str:
    name, what = document["recommended"], document["measure"]
    rivals = [one for one in document["comparisons"] if one["what"] == what and one["a"] == name]
    if not rivals:
        return f"{name}: {_shown(document, name, what)}."
    open_ones = [one for one in rivals if not one["settled"]]
    if not open_ones:
        return f"Use {name}: better than {'the other' if len(rivals) == 1 else 'each of the others'} in {TITLES[what]}."
    if len(open_ones) == len(rivals):
        others = ", ".join(one["b"] for one in open_ones)
        return f"{name} leads, but no difference from {others} is settled. Take the simpler or cheaper one."
    others = ", ".join(one["b"] for one in open_ones)
    return f"Use {name}, or {others}: between them no difference is settled."


def _shown(document: Document, name: str, what: str) -> str:
    mean = document["summary"][name][what]["mean"]
    return f"{TITLES.get(what, what)} {_estimate(mean)}"


def _lead(document: Document) -> str:
    name, what = document["recommended"], document["measure"]
    parts = [_shown(document, name, what)]
    if what != "error_rate":
        parts.append(_shown(document, name, "error_rate"))
    folds = document["summary"][name][what]["folds"]
    return f"{name}: {', '.join(parts)} over {folds} fold{'s' if folds != 1 else ''}."


def _sure(document: Document) -> str:
    name, what = document["recommended"], document["measure"]
    rivals = [one for one in document["comparisons"] if one["what"] == what and one["a"] == name]
    if not rivals:
        return ""
    nearest = min(rivals, key=lambda one: abs(one["value"]) if one["value"] is not None else float("inf"))
    if nearest["value"] is None:
        return f"Against {nearest['b']}: {nearest['why']}."
    p = nearest["p_adjusted"]
    tested = "" if p is None else f", p {_p(p)} (Holm)"
    return f"Lead over {nearest['b']} in {TITLES[what]}: {_estimate(nearest)}{tested}; {nearest['method']}."


def _p(p: float) -> str:
    shown = show_p(p)
    return shown if shown.startswith("<") else f"= {shown}"


def _change(document: Document) -> str:
    """Which other model is cheapest at other costs, from the pooled cases."""
    pooled = document["pooled"]
    if not pooled or pooled["kind"] != "comparison":
        return ""
    leaders = [one["model"] for one in pooled["hull"]["intervals"] if one["model"]]
    others = list(dict.fromkeys(name for name in leaders if name != document["recommended"]))
    if not others:
        return f"{document['recommended']} is the cheapest at every cost ratio, as far as these cases tell."
    return f"At some costs of errors another is cheaper: {', '.join(others)}. Say what a false alarm and a miss cost."


def _estimate(row: Mapping[str, Any]) -> str:
    nan = float("nan")
    low, high = (nan if row[side] is None else row[side] for side in ("low", "high"))
    return str(Estimate(nan if row["value"] is None else row["value"], low, high, why=row["why"]))


def text_of(va: Validation) -> str:
    """A validation as text: the verdict, then each model in one line."""
    from rocscope.validation.document import validation_document

    document = validation_document(va)
    said = document["verdict"]
    width = max(len(name) for name in va.names)
    rows = []
    for name in va.names:
        found = document["summary"][name]
        shown = [f"{TITLES.get(m, m)} {_estimate(found[m]['mean'])}" for m in dict.fromkeys((va.primary, "error_rate"))]
        rows.append(f"{name.ljust(width)}  {', '.join(shown)}")
    parts = [
        said["headline"],
        said["sure"],
        "",
        *rows,
        "",
        va.pairs.describe(),
        *(f"! {one}" for one in said["caveats"]),
    ]
    return "\n".join(part for part in parts if part is not None)
