"""Plans by name: "10-fold", "5x2", "loo", "holdout", "bootstrap" and others."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from rocscope.errors import RocscopeError, did_you_mean
from rocscope.splits.base import DECLARED, Form, Plan, spelled_plan
from rocscope.splits.cases import checked_seed
from rocscope.splits.draws import Bootstrap
from rocscope.splits.external import Given, Nested, Splitter
from rocscope.splits.folds import Folds
from rocscope.splits.train_test_pairs import Pairs

NAMES = (*DECLARED.catalog(), "5x10-fold", "nested", f"bootstrap-{Bootstrap().n}")
"""Examples of plan names."""


def catalog() -> Mapping[str, Form]:
    """All declared plans by the name of their usual form, read-only.

    >>> catalog()["loo"].kind.__name__
    'LeaveOneOut'
    """
    return DECLARED.catalog()


def named(plan: Any, *, seed: int | None = None, inner: Any = None, **options: Any) -> Plan:
    """The plan with a given name; a plan, a list of pairs or a scikit-learn splitter is also accepted.

    Options are the fields of the plan: `k`, `repeats`, `stratified`, `shuffle`, `test`, `n`, `size`, `p`, `gap`,
    `times`. `inner` is a nested plan: the outer plan assesses, and the inner one chooses inside each training set.

    >>> named("5x10-fold", seed=7)
    Folds(k=10, repeats=5, stratified=None, shuffle=True, seed=7)
    """
    given = {name: value for name, value in options.items() if value is not None}
    if isinstance(plan, str):
        chosen = _by_name(plan, 0 if seed is None else seed, given)
        inside = named(inner, seed=seed) if inner is not None else None
        if isinstance(chosen, Nested):
            return Nested(chosen.outer, inside or chosen.inner)
        return chosen if inside is None else Nested(chosen, inside)
    if given or inner is not None:
        raise RocscopeError(
            f"options {', '.join(given) or 'inner'} apply only to plans given by name", hint="Set them in the plan"
        )
    return _made(plan)


def _made(plan: Any) -> Plan:
    if isinstance(plan, Plan):
        return plan
    if hasattr(plan, "split") and hasattr(plan, "get_n_splits"):
        return Splitter(plan)
    if isinstance(plan, list | tuple) and plan:
        return Given(tuple(plan))
    raise RocscopeError(
        f"there is no plan {plan!r}",
        hint=f"Use a name ({', '.join(NAMES[:6])}, ...), a plan, a scikit-learn splitter or a list of pairs",
    )


def _by_name(text: str, seed: Any, options: dict[str, Any]) -> Plan:
    if text.strip().lower() == "nested":
        return Nested(Folds(5, **_fitting(Folds, options, seed)), Folds(3, **_fitting(Folds, {}, seed)))
    kind, stated = spelled_plan(text)
    twice = sorted(stated.keys() & options.keys())
    if twice:
        raise RocscopeError(f"plan '{text}' and {twice[0]}={options[twice[0]]!r} both specify {twice[0]}")
    return kind(**stated, **_fitting(kind, options, seed))


def _fitting(kind: Any, options: dict[str, Any], seed: Any) -> dict[str, Any]:
    known = {field.name for field in fields(kind)}
    for name in options:
        if name not in known:
            hint = did_you_mean(name, known - {"seed"}) if known - {"seed"} else ""
            raise RocscopeError(f"{kind.__name__} has no option '{name}'", hint=hint)
    arguments = dict(options)
    if isinstance(arguments.get("times"), list) or hasattr(arguments.get("times"), "tolist"):
        times = arguments["times"]
        arguments["times"] = tuple(times.tolist() if hasattr(times, "tolist") else times)
    return arguments | ({"seed": seed} if "seed" in known else {})


def plan(plan: Any, y: Any, *, seed: int = 0, groups: Any = None, **options: Any) -> Pairs:
    """The (train, test) index pairs of a plan for the given labels, as a list.

    `plan` is "holdout", "10-fold", "5x10-fold" (repeated), "loo", "lpo", "leave-2-groups-out", "5x2", "nested",
    "time-5", "disjoint-10", "bootstrap", a plan of this package, a scikit-learn splitter or a list of pairs; `y`
    contains the labels, or is the number of cases. Groups are never split between training and test sets. The options
    are those of `named`.

    >>> pairs = plan("3-fold", ["a", "b"] * 3, shuffle=False)
    >>> [(train.tolist(), test.tolist()) for train, test in pairs]
    [([2, 3, 4, 5], [0, 1]), ([0, 1, 4, 5], [2, 3]), ([0, 1, 2, 3], [4, 5])]
    """
    return named(plan, seed=checked_seed(seed), **options).pairs(y, groups)
