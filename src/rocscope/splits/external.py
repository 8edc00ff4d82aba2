"""Plans from elsewhere, and plans inside plans: given pairs, scikit-learn's splitters, nested."""

from __future__ import annotations

from typing import Any

import numpy as np

from rocscope.errors import RocscopeError
from rocscope.record import record
from rocscope.splits.base import MOST, Plan, run
from rocscope.splits.cases import Cases, Indices, checked_count
from rocscope.splits.folds import Folds
from rocscope.splits.train_test_pairs import Pair, Pairs


@record(slots=True)
class Given(Plan):
    """User-supplied pairs: a list of (train, test) positions.

    >>> Given(((range(3), [3]),)).pairs(4).test_sizes
    [1]
    """

    held: tuple[Any, ...]

    def pairs_of(self, cases: Cases) -> Pairs:
        pairs = [_pair(pair) for pair in self.held]
        return Pairs(pairs, cases=cases, plan=self, says="given pairs", disjoint_tests=False)

    @property
    def count(self) -> int:
        """The number of pairs."""
        return len(self.held)


def _pair(given: Any) -> tuple[Any, Any]:
    try:
        train, test = given
    except (TypeError, ValueError):
        raise RocscopeError("a pair must be (train, test)", hint="Give a list of pairs of positions") from None
    return (list(train) if isinstance(train, range) else train), (list(test) if isinstance(test, range) else test)


@record(slots=True)
class Splitter(Plan):
    """A scikit-learn splitter, or any object with a `split` method.

    >>> from sklearn.model_selection import KFold
    >>> Splitter(KFold(3)).pairs(6).test_sizes
    [2, 2, 2]
    """

    held: Any

    def pairs_of(self, cases: Cases) -> Pairs:
        try:
            pairs = run(self.held, cases)
        except ValueError as error:
            raise RocscopeError(f"{type(self.held).__name__}: {error}") from None
        checked_count(len(pairs), "the number of pairs", least=1, most=MOST)
        repeats = self._repeats(len(pairs))
        each = len(pairs) // repeats
        return Pairs(
            pairs, cases=cases, plan=self, says=" ".join(repr(self.held).split()),
            disjoint_tests=_disjoint(pairs, repeats, cases.n), repetitions=[i // each for i in range(len(pairs))],
        )  # fmt: skip

    def _repeats(self, found: int) -> int:
        # scikit-learn's repeated splitters have n_repeats; the others do not repeat
        repeats = getattr(self.held, "n_repeats", 1)
        return repeats if isinstance(repeats, int) and repeats > 0 and found % repeats == 0 else 1

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """The number of pairs."""
        return int(self.held.get_n_splits(X, y, groups))


def _disjoint(pairs: list[tuple[Indices, Indices]], repeats: int, n: int) -> bool:
    times = np.bincount(np.concatenate([test for _, test in pairs]), minlength=n)
    return bool(times.max() <= repeats)


@record(slots=True)
class Nested(Plan):
    """A plan inside a plan: `outer` is for assessment; `inner` chooses a threshold or a setting in each training set.

    As `cv=`, it is the outer plan. `inside(pairs, i)` returns the inner pairs of the i-th training set, as positions
    among all cases. Varma & Simon, BMC Bioinformatics 2006;7:91.

    >>> nested = Nested(Folds(3, shuffle=False), Folds(2, shuffle=False))
    >>> pairs = nested.pairs(6)
    >>> [(train.tolist(), test.tolist()) for train, test in nested.inside(pairs, 0)]
    [([4, 5], [2, 3]), ([2, 3], [4, 5])]
    """

    outer: Any
    inner: Any

    def pairs_of(self, cases: Cases) -> Pairs:
        outer: Pairs = self.outer.pairs(cases)
        return Pairs(
            outer, cases=outer.cases, plan=self, notes=outer.notes, names=outer.names, repetitions=outer.repetitions,
            says=f"{outer.says}; inside each training set {_short(self.inner)}", disjoint_tests=outer.disjoint_tests,
        )  # fmt: skip

    def inside(self, pairs: Pairs, index: int) -> list[Pair]:
        """The inner pairs of one training set, as positions among all cases."""
        train = pairs[index].train
        return [Pair(train[a], train[b]) for a, b in self.inner.pairs(pairs.cases.rows(train))]

    def overlap(self, pairs: Pairs) -> str:
        """The overlap of the outer plan."""
        return str(self.outer.overlap(pairs))

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """The number of outer pairs."""
        return int(self.outer.get_n_splits(X, y, groups))


def _short(plan: Any) -> str:
    return f"{plan.k}-fold" if isinstance(plan, Folds) else type(plan).__name__
