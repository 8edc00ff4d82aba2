"""The base of every plan: the methods that scikit-learn expects, the plan's name, and scikit-learn's splitters."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from math import prod
from typing import Any, ClassVar, TypeVar

import numpy as np

from rocscope.errors import RocscopeError
from rocscope.record import record
from rocscope.registry import Registry
from rocscope.splits.cases import Cases, Indices
from rocscope.splits.train_test_pairs import Pair, Pairs

MOST = 100_000  # maximum number of train/test pairs of a plan


class Plan:
    """A resampling plan: a frozen dataclass whose `pairs_of` returns the (train, test) positions of cases.

    `COUNTED` names the fields whose product is the number of pairs, if it does not depend on the cases. With `split`
    and `get_n_splits`, it can be passed to scikit-learn as `cv=`.
    """

    __slots__ = ()
    COUNTED: ClassVar[tuple[str, ...]] = ()

    def pairs(self, y: Any, groups: Any = None) -> Pairs:
        """The (train, test) pairs for the given labels or number of cases."""
        return self.pairs_of(Cases.of(y, groups))

    def pairs_of(self, cases: Cases) -> Pairs:
        """The (train, test) pairs of these cases."""
        raise NotImplementedError

    @property
    def count(self) -> int | None:
        """The number of pairs, if it does not depend on the cases."""
        return prod(getattr(self, name) for name in self.COUNTED) if self.COUNTED else None

    def overlap(self, pairs: Pairs) -> str:
        """How much training sets overlap, in one sentence; "" if it depends on the cases."""
        return ""

    def split(self, X: Any, y: Any = None, groups: Any = None) -> Iterator[Pair]:
        """The pairs as scikit-learn's `split` returns them."""
        if y is not None and _rows(X) != _rows(y):
            raise RocscopeError(
                f"X has {_rows(X)} rows, but there are {_rows(y)} labels", hint="Give one label for each row"
            )
        return iter(self.pairs(_rows(X) if y is None else y, groups))

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """The number of pairs."""
        if self.count is not None:
            return self.count
        known = next((given for given in (y, X, groups) if given is not None), ())
        return len(self.pairs(_rows(known) if y is None else y, groups))


def _rows(X: Any) -> int:
    shape = getattr(X, "shape", None)
    return int(shape[0]) if shape else len(X)


# ---- plans by name ----


@record(slots=True)
class Form:
    """The spelling of a plan: the patterns of its name, whose groups are its options, and the plan itself."""

    name: str
    patterns: tuple[str, ...]
    kind: type[Plan]


DECLARED = Registry[Form]("plan")
Kind = TypeVar("Kind", bound=type[Plan])


def plan_name(name: str, *patterns: str) -> Callable[[Kind], Kind]:
    """Declare the plan below under a name; a pattern's named groups, r"(?P<k>\\d+)-fold", are its options.

    >>> DECLARED.find("5x2").kind.__name__
    'FiveByTwo'
    """

    def declare(kind: Kind) -> Kind:
        DECLARED.declare(name, Form(name, patterns or (re.escape(name),), kind), function=kind)
        return kind

    return declare


def spelled_plan(text: str) -> tuple[type[Plan], dict[str, int]]:
    """The kind of plan and the options that a name specifies; an error suggests the nearest name."""
    spelled = text.strip().lower().replace("_", "-").replace(" ", "-")
    for form in DECLARED.catalog().values():
        for pattern in form.patterns:
            if match := re.fullmatch(pattern, spelled):
                return form.kind, {
                    name: int(number) for name, number in match.groupdict().items() if number is not None
                }
    return DECLARED.find(text).kind, {}


# ---- scikit-learn's splitters ----


def need_scikit_learn(what: str) -> None:
    """Raise an error that names the extra if scikit-learn is not installed."""
    if find_spec("sklearn") is None or find_spec("joblib") is None:
        raise RocscopeError(
            f"{what}: this needs scikit-learn and joblib, which are not installed",
            hint='pip install "rocscope[validate]"',
        )


def model_selection() -> Any:
    """scikit-learn's splitters."""
    need_scikit_learn("resampling plans")
    from sklearn import model_selection

    return model_selection


def fold_splitter(cases: Cases, k: int, strata: bool, shuffle: bool, generator: Any) -> Any:
    """scikit-learn's splitter for k parts."""
    skl = model_selection()
    state = generator if shuffle else None
    if cases.groups is not None:
        kind = skl.StratifiedGroupKFold if strata else skl.GroupKFold
    else:
        kind = skl.StratifiedKFold if strata else skl.KFold
    return kind(k, shuffle=shuffle, random_state=state)


def run(splitter: Any, cases: Cases) -> list[tuple[Indices, Indices]]:
    """The pairs of a scikit-learn splitter; its warnings become notes."""
    groups = {} if cases.groups is None else {"groups": cases.groups}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        return list(splitter.split(np.zeros((cases.n, 1)), cases.strata(), **groups))


def enough_units(cases: Cases, k: int, parts: str = "folds") -> None:
    """Refuse more parts than there are cases, or groups."""
    units = "cases" if cases.groups is None else "groups"
    if k > cases.group_count:
        raise RocscopeError(
            f"there are {k} {parts}, but {cases.group_count} {units}", hint=f"Use at most {cases.group_count}"
        )
