"""Plans that cut the cases into parts: k-fold, leave-one-out, 5x2, disjoint parts."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from rocscope.errors import RocscopeError
from rocscope.splits.cases import Cases, Indices, checked_count, checked_seed, stratify
from rocscope.splits.pairs import Pair, Pairs

MOST = 100_000  # pairs of one plan


@dataclass(frozen=True, slots=True)
class Folds:
    """K-fold cross-validation: V_i = X_i, T_i = the union of the other parts, perhaps repeated.

    Shuffled with the seed and stratified unless told otherwise; groups, when given, stay whole. scikit-learn splits:
    (Stratified)KFold, (Stratified)GroupKFold and their repetitions, with the same seed the same pairs.

    >>> [pair.test.tolist() for pair in Folds(3, shuffle=False).pairs(6)]
    [[0, 1], [2, 3], [4, 5]]
    """

    k: int = 10
    repeats: int = 1
    stratified: bool | None = None
    shuffle: bool = True
    seed: int = 0

    def __post_init__(self) -> None:
        checked_count(self.k, "the number of folds", least=2)
        checked_count(self.repeats, "the number of repetitions", least=1)
        checked_count(self.k * self.repeats, "the number of pairs", least=2, most=MOST)
        checked_seed(self.seed)
        if self.repeats > 1 and not self.shuffle:
            raise RocscopeError("repetitions without shuffling are all the same", hint="Leave shuffle=False out")

    def pairs(self, y: Any, groups: Any = None) -> Pairs:
        """The (train, test) pairs for these labels."""
        cases = Cases.of(y, groups)
        enough_units(cases, self.k)
        strata, notes = stratify(cases, self.stratified, self.k)
        found = list(self._split(cases, strata))
        return Pairs(
            found, cases=cases, plan=self, says=self._says(strata, cases), notes=notes,
            names=self._names(), repetitions=[i // self.k for i in range(len(found))],
        )  # fmt: skip

    def _split(self, cases: Cases, strata: bool) -> Iterator[tuple[Indices, Indices]]:
        # One generator for all repetitions, as scikit-learn's repeated splitters have it: same seed, same pairs.
        generator = np.random.RandomState(self.seed) if self.shuffle else None
        for _ in range(self.repeats):
            yield from run(fold_splitter(cases, self.k, strata, self.shuffle, generator), cases)

    def _names(self) -> list[str]:
        if self.repeats == 1:
            return [f"fold {i + 1}" for i in range(self.k)]
        return [f"repetition {r + 1}, fold {i + 1}" for r in range(self.repeats) for i in range(self.k)]

    def _says(self, strata: bool, cases: Cases) -> str:
        kind = " ".join(word for word, true in (("stratified", strata), ("grouped", cases.groups is not None)) if true)
        times = f"{self.repeats} times " if self.repeats > 1 else ""
        order = f", shuffled, seed {self.seed}" if self.shuffle else ", in the order of the cases"
        return f"{times}{kind} {self.k}-fold cross-validation{order}".strip().replace("  ", " ")

    def overlap(self, pairs: Pairs) -> str:
        """How far training sets overlap: any two of one repetition share k - 2 parts."""
        if self.k == 2:
            return "the two training sets of a repetition share no case"
        share = (self.k - 2) / (self.k - 1)
        return f"any two training sets share {100 * share:.0f} % of their cases ({self.k - 2} of {self.k - 1} parts)"

    def split(self, X: Any, y: Any = None, groups: Any = None) -> Iterator[Pair]:
        """scikit-learn's way of asking for the pairs."""
        return iter(self.pairs(target(X, y), groups))

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """The number of pairs."""
        return self.k * self.repeats


@dataclass(frozen=True, slots=True)
class LeaveOneOut:
    """Leave-one-out: each case is the test set once, all others train; N pairs.

    >>> [(pair.train.tolist(), pair.test.tolist()) for pair in LeaveOneOut().pairs(3)]
    [([1, 2], [0]), ([0, 2], [1]), ([0, 1], [2])]
    """

    def pairs(self, y: Any, groups: Any = None) -> Pairs:
        """The (train, test) pairs for these labels."""
        from sklearn.model_selection import LeaveOneOut as Splitter

        cases = Cases.of(y, groups)
        checked_count(cases.n, "the number of cases to leave out in turn", least=2, most=MOST)
        names = [f"case {i}" for i in range(cases.n)]
        return Pairs(run(Splitter(), cases), cases=cases, plan=self, says="leave-one-out", names=names)

    def overlap(self, pairs: Pairs) -> str:
        """Any two training sets share all but two cases."""
        return f"any two training sets share {pairs.cases.n - 2} of {pairs.cases.n - 1} cases"

    def split(self, X: Any, y: Any = None, groups: Any = None) -> Iterator[Pair]:
        """scikit-learn's way of asking for the pairs."""
        return iter(self.pairs(target(X, y), groups))

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """The number of pairs."""
        return Cases.of(target(X, y)).n


@dataclass(frozen=True, slots=True)
class FiveByTwo:
    """5x2 cross-validation: five times, halve the cases at random, train on one half and test on the other, then swap.

    The ten pairs are named (T1, V1) to (T10, V10): in repetition i, T_2i-1 = V_2i is the first half and V_2i-1 = T_2i
    the second. scikit-learn's Repeated(Stratified)KFold halves. Dietterich, Neural Comput 1998;10:1895-1923.

    >>> pairs = FiveByTwo().pairs(6)
    >>> pairs.names[0], pairs.names[-1], pairs[0].train.tolist() == pairs[1].test.tolist()
    ('(T1, V1)', '(T10, V10)', True)
    """

    stratified: bool | None = None
    seed: int = 0

    def __post_init__(self) -> None:
        checked_seed(self.seed)

    def pairs(self, y: Any, groups: Any = None) -> Pairs:
        """The ten (train, test) pairs for these labels."""
        halves = Folds(2, repeats=5, stratified=self.stratified, seed=self.seed).pairs(y, groups)
        kind = " stratified" if "stratified" in halves.says else ""
        return Pairs(
            halves, cases=halves.cases, plan=self, notes=halves.notes, repetitions=halves.repetitions,
            says=f"5x2{kind} cross-validation, five times two halves, seed {self.seed}",
            names=[f"(T{i}, V{i})" for i in range(1, 11)],
        )  # fmt: skip

    def overlap(self, pairs: Pairs) -> str:
        """Halves of one repetition share no case; those of two repetitions about half."""
        return "the two training sets of a repetition share no case, those of different repetitions about 50 %"

    def split(self, X: Any, y: Any = None, groups: Any = None) -> Iterator[Pair]:
        """scikit-learn's way of asking for the pairs."""
        return iter(self.pairs(target(X, y), groups))

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """The number of pairs."""
        return 10


@dataclass(frozen=True, slots=True)
class Disjoint:
    """Plenty of data: K parts, each halved into training and test; no two pairs share a case.

    >>> pairs = Disjoint(2).pairs(8)
    >>> sorted(case for pair in pairs for part in pair for case in part.tolist())
    [0, 1, 2, 3, 4, 5, 6, 7]
    """

    k: int = 10
    stratified: bool | None = None
    seed: int = 0

    def __post_init__(self) -> None:
        checked_count(self.k, "the number of parts", least=2, most=MOST)
        checked_seed(self.seed)

    def pairs(self, y: Any, groups: Any = None) -> Pairs:
        """The (train, test) pairs for these labels."""
        cases = Cases.of(y, groups)
        enough_units(cases, 2 * self.k, "halves of parts")
        strata, notes = stratify(cases, self.stratified, 2 * self.k)
        generator = np.random.RandomState(self.seed)
        parts = [test for _, test in run(fold_splitter(cases, self.k, strata, True, generator), cases)]
        return Pairs(
            [_halved(cases, part, strata, generator) for part in parts], cases=cases, plan=self, notes=notes,
            says=f"{self.k} disjoint parts, each halved, seed {self.seed}",
            names=[f"part {i + 1}" for i in range(self.k)],
        )  # fmt: skip

    def overlap(self, pairs: Pairs) -> str:
        """None: that is the point of it."""
        return "no two pairs share a case"

    def split(self, X: Any, y: Any = None, groups: Any = None) -> Iterator[Pair]:
        """scikit-learn's way of asking for the pairs."""
        return iter(self.pairs(target(X, y), groups))

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """The number of pairs."""
        return self.k


def _halved(cases: Cases, part: Indices, strata: bool, generator: np.random.RandomState) -> tuple[Indices, Indices]:
    inner = cases.rows(part)
    if inner.group_count < 2:
        raise RocscopeError("a part holds a single group and cannot be halved", hint="Take fewer parts")
    both = inner.counts.size > 1 and (inner.counts[inner.counts > 0].max() >= 2)
    train, test = next(iter(run(fold_splitter(inner, 2, strata and bool(both), True, generator), inner)))
    return part[train], part[test]


# ---- scikit-learn's splitters ----


def fold_splitter(cases: Cases, k: int, strata: bool, shuffle: bool, generator: Any) -> Any:
    """scikit-learn's splitter for k parts."""
    from sklearn import model_selection as skl

    state = generator if shuffle else None
    if cases.groups is not None:
        kind = skl.StratifiedGroupKFold if strata else skl.GroupKFold
    else:
        kind = skl.StratifiedKFold if strata else skl.KFold
    return kind(k, shuffle=shuffle, random_state=state)


def run(splitter: Any, cases: Cases) -> list[tuple[Indices, Indices]]:
    """The pairs of a scikit-learn splitter; what it warns of is among our notes."""
    groups = {} if cases.groups is None else {"groups": cases.groups}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        return list(splitter.split(np.zeros((cases.n, 1)), cases.strata(), **groups))


def enough_units(cases: Cases, k: int, parts: str = "folds") -> None:
    """Refuse more parts than there are cases, or groups."""
    units = "cases" if cases.groups is None else "groups"
    if k > cases.group_count:
        raise RocscopeError(f"{k} {parts}, but {cases.group_count} {units}", hint=f"Take at most {cases.group_count}")


def target(X: Any, y: Any) -> Any:
    """The labels, or the number of rows where there are none."""
    return _rows(X) if y is None else y


def _rows(X: Any) -> int:
    shape = getattr(X, "shape", None)
    return int(shape[0]) if shape else len(X)
