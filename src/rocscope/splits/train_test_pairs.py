"""The (train, test) index pairs of a plan, as a list that can describe itself."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations, islice
from typing import Any, NamedTuple

import numpy as np

from rocscope.errors import RocscopeError
from rocscope.splits.cases import Cases, Indices

COMPARED = 300  # maximum number of pairs of training sets whose overlap is measured


class Pair(NamedTuple):
    """The positions of the training cases and of the test cases."""

    train: Indices
    test: Indices


class Pairs(list[Pair]):
    """A list of (train, test) index pairs with its plan: names, repetitions and notes.

    `names` has a name for each pair ("fold 3", "(T1, V1)"), `repetitions` gives the repetition to which each belongs,
    and `notes` contains remarks about the cases. It works wherever a list of pairs does, including scikit-learn's
    `cv=`.
    """

    def __init__(
        self,
        pairs: Iterable[Any],
        *,
        cases: Cases,
        plan: Any = None,
        says: str = "",
        names: Sequence[str] = (),
        repetitions: Sequence[int] = (),
        notes: Sequence[str] = (),
        disjoint_tests: bool = True,
    ) -> None:
        super().__init__(Pair(_indices(train), _indices(test)) for train, test in pairs)
        self.cases = cases
        self.plan = plan
        self.says = says
        self.names = tuple(names) or tuple(f"split {i + 1}" for i in range(len(self)))
        self.repetitions = tuple(repetitions) or (0,) * len(self)
        self.notes = tuple(notes)
        self.disjoint_tests = disjoint_tests
        refuse_nonsense(self, cases)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Pairs) or (len(self), self.names) != (len(other), other.names):
            return False
        return all(
            np.array_equal(*both) for pairs in zip(self, other, strict=True) for both in zip(*pairs, strict=True)
        )

    def __ne__(self, other: object) -> bool:  # a list has its own
        return not self == other

    __hash__ = None

    @property
    def train_sizes(self) -> list[int]:
        """The number of training cases of each pair; a case drawn twice counts twice."""
        return [len(pair.train) for pair in self]

    @property
    def test_sizes(self) -> list[int]:
        """The number of test cases of each pair."""
        return [len(pair.test) for pair in self]

    def describe(self) -> str:
        """The plan in a few lines: sizes, overlap of the training sets, notes.

        >>> from rocscope.splits import plan
        >>> print(plan("3-fold", 6).describe())
        3-fold cross-validation, shuffled, seed 0: 3 pairs of 6 cases
        train 4, test 2; every case is tested once
        any two training sets share 50 % of their cases (1 of 2 parts)
        """
        lines = [f"{self.says}: {len(self)} pair{'s' if len(self) != 1 else ''} of {self.cases.n:,} cases"]
        lines.append(f"train {_range(self.train_sizes)}, test {_range(self.test_sizes)}; {self._tested()}")
        lines += [line for line in (self._overlap(),) if line]
        return "\n".join([*lines, *(f"note: {note}" for note in self.notes)])

    def roles(self) -> np.ndarray[Any, Any]:
        """The role of each case in each pair: 1 training, 2 test, 0 neither; cases in the order of their first test.

        >>> from rocscope.splits import plan
        >>> plan("3-fold", 6).roles().tolist()
        [[2, 2, 1, 1, 1, 1], [1, 1, 2, 2, 1, 1], [1, 1, 1, 1, 2, 2]]
        """
        roles = np.zeros((len(self), self.cases.n), dtype=np.int8)
        for row, pair in zip(roles, self, strict=True):
            row[pair.train] = 1
            row[pair.test] = 2
        tested = (roles == 2).argmax(0) + len(self) * ~(roles == 2).any(0)
        return roles[:, np.argsort(tested, kind="stable")]

    def plot(self, ax: Any = None) -> Any:
        """Draw the training and test cases of each pair with matplotlib, and return the Axes."""
        from rocscope import wire

        return wire("Pairs.plot")(self, ax)

    def __str__(self) -> str:
        return self.describe()

    def _tested(self) -> str:
        times = np.bincount(np.concatenate([pair.test for pair in self]), minlength=self.cases.n)
        if times.min() == times.max():
            return "every case is tested " + ("once" if times.min() == 1 else f"{times.min()} times")
        untested = int((times == 0).sum())
        never = f", {untested:,} never" if untested else ""
        return f"cases are tested {times.min()} to {times.max()} times{never}"

    def _overlap(self) -> str:
        extra: str = "" if self.plan is None else self.plan.overlap(self)
        if extra or len(self) < 2:
            return extra
        share = self.shared()
        return f"two training sets share {100 * share:.0f} % of their cases on average"

    def shared(self) -> float:
        """The mean share of a training set's cases that another training set also contains."""
        seen = []
        for first, other in islice(combinations(self, 2), COMPARED):
            a, b = np.unique(first.train), np.unique(other.train)
            seen.append(len(np.intersect1d(a, b, assume_unique=True)) / min(len(a), len(b)))
        return float(np.mean(seen)) if seen else 0.0


def _indices(values: Any) -> Indices:
    array = np.asarray(values)
    if array.dtype == bool:
        array = np.flatnonzero(array)
    if array.ndim != 1 or (array.size and array.dtype.kind not in "iu"):
        raise RocscopeError(
            f"a pair must contain positions of cases, not an array of shape {array.shape} and type {array.dtype}",
            hint="Give two lists of integers: train, test",
        )
    indices = array.astype(np.int64)
    indices.flags.writeable = False
    return indices


def _range(sizes: Sequence[int]) -> str:
    low, high = min(sizes), max(sizes)
    return f"{low:,}" if low == high else f"{low:,} to {high:,}"


def refuse_nonsense(pairs: Sequence[Pair], cases: Cases) -> None:
    """Refuse pairs that would make a result look too good: empty parts, shared cases, or groups on both sides."""
    if not pairs:
        raise RocscopeError("the plan has no pairs", hint="Give at least one (train, test) pair")
    for number, (train, test) in enumerate(pairs):
        if not len(train) or not len(test):
            side = "training" if not len(train) else "test"
            raise RocscopeError(f"pair {number} of {cases.n} cases has an empty {side} set", hint="Use fewer parts")
        low, high = min(train.min(), test.min()), max(train.max(), test.max())
        if low < 0 or high >= cases.n:
            wrong = low if low < 0 else high
            raise RocscopeError(f"pair {number} contains case {wrong}, but cases are numbered from 0 to {cases.n - 1}")
        trained = np.zeros(cases.n, dtype=bool)
        trained[train] = True
        if trained[test].any():
            first = int(test[trained[test]][0])
            raise RocscopeError(f"pair {number} uses case {first} for both training and testing")
        if cases.groups is not None:
            _refuse_leak(number, cases, train, test)


def _refuse_leak(number: int, cases: Cases, train: Indices, test: Indices) -> None:
    assert cases.groups is not None
    inside = np.zeros(cases.group_count, dtype=bool)
    inside[cases.groups[train]] = True
    leaked = np.flatnonzero(inside[cases.groups[test]])
    if leaked.size:
        name = cases.group_labels[int(cases.groups[test[leaked[0]]])]
        raise RocscopeError(
            f"pair {number} trains and tests on cases of group {name!s}, so the test is not independent",
            hint="Use a plan that keeps groups whole (k-fold, holdout, leave-1-groups-out, bootstrap)",
        )
