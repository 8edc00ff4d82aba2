"""A validation in plain words: which model, how sure, what could mislead, how it was done."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from rocscope.splits import FiveByTwo
from rocscope.validation.comparisons import ON_CASES, minority, test_words
from rocscope.version import VERSION

if TYPE_CHECKING:
    from rocscope.validation.results import Validation

NO_FREE_LUNCH = "This holds for these data and this plan: no model is best on all data."


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
        found.append(f"{min(_support(va))} cases in the smallest class: estimates are unstable.")
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
