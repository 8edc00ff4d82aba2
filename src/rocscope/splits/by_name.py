"""Plans by name: "10-fold", "5x2", "loo", "holdout", "bootstrap" and their kin."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import fields
from typing import Any, TypeAlias

from rocscope.errors import RocscopeError, did_you_mean
from rocscope.splits.draws import Bootstrap, Holdout, LeaveGroupsOut, TimeOrdered
from rocscope.splits.external import Given, Nested, Splitter
from rocscope.splits.folds import Disjoint, FiveByTwo, Folds, LeaveOneOut
from rocscope.splits.pairs import Pairs

Plan: TypeAlias = (
    Holdout
    | Folds
    | LeaveOneOut
    | LeaveGroupsOut
    | FiveByTwo
    | Nested
    | TimeOrdered
    | Disjoint
    | Bootstrap
    | Given
    | Splitter
)
KINDS = (
    Holdout,
    Folds,
    LeaveOneOut,
    LeaveGroupsOut,
    FiveByTwo,
    Nested,
    TimeOrdered,
    Disjoint,
    Bootstrap,
    Given,
    Splitter,
)
NAMES = (
    "holdout", "10-fold", "5x10-fold", "loo", "leave-1-groups-out", "5x2", "nested", "time-5", "disjoint-10",
    "bootstrap", "bootstrap-200",
)  # fmt: skip

_FORMS: tuple[tuple[str, Callable[..., dict[str, Any]], Any], ...] = (
    (r"hold-?out", lambda: {}, Holdout),
    (r"(\d+)-?fold", lambda k: {"k": int(k)}, Folds),
    (r"(\d+)x(\d+)-?fold", lambda r, k: {"repeats": int(r), "k": int(k)}, Folds),
    (r"loo|loocv|leave-one-out", lambda: {}, LeaveOneOut),
    (r"logo|leave-one-group-out", lambda: {"p": 1}, LeaveGroupsOut),
    (r"leave-(\d+)-groups?-out", lambda p: {"p": int(p)}, LeaveGroupsOut),
    (r"5x2|5x2-?cv", lambda: {}, FiveByTwo),
    (r"time|time-ordered", lambda: {}, TimeOrdered),
    (r"time-(\d+)|(\d+)-time", lambda a, b: {"k": int(a or b)}, TimeOrdered),
    (r"disjoint", lambda: {}, Disjoint),
    (r"disjoint-(\d+)|(\d+)-disjoint", lambda a, b: {"k": int(a or b)}, Disjoint),
    (r"bootstrap", lambda: {}, Bootstrap),
    (r"bootstrap-(\d+)", lambda n: {"n": int(n)}, Bootstrap),
)


def named(plan: Any, *, seed: int | None = None, inner: Any = None, **options: Any) -> Plan:
    """The plan of a name, or the plan itself; a list of pairs or a scikit-learn splitter becomes one.

    Options are the fields of the plan: `k`, `repeats`, `stratified`, `shuffle`, `test`, `n`, `size`, `p`, `gap`,
    `times`. `inner` (a plan) nests: the outer judges, the inner chooses inside each training set.

    >>> named("5x10-fold", seed=7)
    Folds(k=10, repeats=5, stratified=None, shuffle=True, seed=7)
    """
    given = {name: value for name, value in options.items() if value is not None}
    if isinstance(plan, str):
        made = _by_name(plan, 0 if seed is None else seed, given)
        inside = named(inner, seed=seed) if inner is not None else None
        if isinstance(made, Nested):
            return Nested(made.outer, inside or made.inner)
        return made if inside is None else Nested(made, inside)
    if given or inner is not None:
        raise RocscopeError(
            f"options {', '.join(given) or 'inner'} belong to plans by name", hint="Put them into the plan"
        )
    return _made(plan)


def _made(plan: Any) -> Plan:
    if isinstance(plan, KINDS):
        return plan
    if hasattr(plan, "split") and hasattr(plan, "get_n_splits"):
        return Splitter(plan)
    if isinstance(plan, list | tuple) and plan:
        return Given(tuple(plan))
    raise RocscopeError(
        f"no plan {plan!r}",
        hint=f"A name ({', '.join(NAMES[:6])}, ...), a plan, a scikit-learn splitter or a list of pairs",
    )


def _by_name(text: str, seed: Any, options: dict[str, Any]) -> Plan:
    spelled = text.strip().lower().replace("_", "-").replace(" ", "-")
    if spelled == "nested":
        return Nested(Folds(5, **_fitting(Folds, options, seed)), Folds(3, **_fitting(Folds, {}, seed)))
    for pattern, read, kind in _FORMS:
        if match := re.fullmatch(pattern, spelled):
            said = read(*match.groups())
            twice = sorted(said.keys() & options.keys())
            if twice:
                raise RocscopeError(f"plan '{text}' and {twice[0]}={options[twice[0]]!r} both say {twice[0]}")
            made: Plan = kind(**said, **_fitting(kind, options, seed))
            return made
    raise RocscopeError(f"no plan '{text}'", hint=did_you_mean(spelled, NAMES))


def _fitting(kind: Any, options: dict[str, Any], seed: Any) -> dict[str, Any]:
    known = {one.name for one in fields(kind)}
    for name in options:
        if name not in known:
            hint = did_you_mean(name, known - {"seed"}) if known - {"seed"} else ""
            raise RocscopeError(f"{kind.__name__} has no option '{name}'", hint=hint)
    found = dict(options)
    if isinstance(found.get("times"), list) or hasattr(found.get("times"), "tolist"):
        times = found["times"]
        found["times"] = tuple(times.tolist() if hasattr(times, "tolist") else times)
    return found | ({"seed": seed} if "seed" in known else {})


def plan(plan: Any, y: Any, *, seed: int = 0, groups: Any = None, **options: Any) -> Pairs:
    """The (train, test) index pairs of a plan for these labels, as a list.

    `plan` is "holdout", "10-fold", "5x10-fold" (repeated), "loo", "leave-2-groups-out", "5x2", "nested", "time-5",
    "disjoint-10", "bootstrap", a plan of this room, a scikit-learn splitter or a list of pairs; `y` the labels, or the
    number of cases. Groups are never split between training and test; options as in `named`.

    >>> pairs = plan("3-fold", ["a", "b"] * 3, shuffle=False)
    >>> [(train.tolist(), test.tolist()) for train, test in pairs]
    [([2, 3, 4, 5], [0, 1]), ([0, 1, 4, 5], [2, 3]), ([0, 1, 2, 3], [4, 5])]
    """
    from rocscope.splits.cases import checked_seed

    return named(plan, seed=checked_seed(seed), **options).pairs(y, groups)
