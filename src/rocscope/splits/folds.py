"""Plans that divide the cases into parts: k-fold, leave-one-out, leave-pair-out, 5x2, disjoint parts."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from rocscope.errors import RocscopeError
from rocscope.record import record
from rocscope.splits.base import MOST, Plan, enough_units, fold_splitter, model_selection, plan_name, run
from rocscope.splits.cases import Cases, Indices, checked_count, checked_seed, stratify
from rocscope.splits.train_test_pairs import Pairs

MOST_OUT = 20_000  # maximum number of pairs left out, each of which requires a fit on almost all cases


@plan_name("10-fold", r"(?P<k>\d+)-?fold", r"(?P<repeats>\d+)x(?P<k>\d+)-?fold")
@record(slots=True)
class Folds(Plan):
    """K-fold cross-validation, optionally repeated: V_i = X_i, T_i = the union of the other parts.

    Cases are shuffled with the seed and stratified unless set otherwise; groups, if given, stay whole. The splits are
    those of scikit-learn's (Stratified)KFold, (Stratified)GroupKFold and their repetitions: the same seed gives the
    same pairs.

    >>> [pair.test.tolist() for pair in Folds(3, shuffle=False).pairs(6)]
    [[0, 1], [2, 3], [4, 5]]
    """

    COUNTED = ("k", "repeats")
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
            raise RocscopeError("repetitions without shuffling are identical", hint="Leave shuffle=False out")

    def pairs_of(self, cases: Cases) -> Pairs:
        enough_units(cases, self.k)
        strata, notes = stratify(cases, self.stratified, self.k)
        pairs = list(self._split(cases, strata))
        return Pairs(
            pairs, cases=cases, plan=self, says=self._says(strata, cases), notes=notes,
            names=self._names(), repetitions=[i // self.k for i in range(len(pairs))],
        )  # fmt: skip

    def _split(self, cases: Cases, strata: bool) -> Iterator[tuple[Indices, Indices]]:
        # One generator for all repetitions, as in scikit-learn: the same seed gives the same pairs.
        generator = np.random.RandomState(self.seed) if self.shuffle else None
        for _ in range(self.repeats):
            yield from run(fold_splitter(cases, self.k, strata, self.shuffle, generator), cases)

    def _names(self) -> list[str]:
        if self.repeats == 1:
            return [f"fold {i + 1}" for i in range(self.k)]
        return [f"repetition {r + 1}, fold {i + 1}" for r in range(self.repeats) for i in range(self.k)]

    def _says(self, strata: bool, cases: Cases) -> str:
        kind = cases.words(strata)
        times = f"{self.repeats} times " if self.repeats > 1 else ""
        order = f", shuffled, seed {self.seed}" if self.shuffle else ", in the order of the cases"
        return f"{times}{kind} {self.k}-fold cross-validation{order}".strip().replace("  ", " ")

    def overlap(self, pairs: Pairs) -> str:
        """How much training sets overlap: any two of one repetition share k - 2 parts."""
        if self.k == 2:
            return "the two training sets of a repetition share no cases"
        share = (self.k - 2) / (self.k - 1)
        inside = " of one repetition" if self.repeats > 1 else ""
        parts = f"{self.k - 2} of {self.k - 1} parts"
        return f"any two training sets{inside} share {100 * share:.0f} % of their cases ({parts})"


@plan_name("loo", r"loo|loocv|leave-one-out")
@record(slots=True)
class LeaveOneOut(Plan):
    """Leave-one-out: each case is the test set once, and all others are used for training; N pairs.

    >>> [(pair.train.tolist(), pair.test.tolist()) for pair in LeaveOneOut().pairs(3)]
    [([1, 2], [0]), ([0, 2], [1]), ([0, 1], [2])]
    """

    def pairs_of(self, cases: Cases) -> Pairs:
        checked_count(cases.n, "the number of cases to leave out in turn", least=2, most=MOST)
        names = [f"case {i}" for i in range(cases.n)]
        return Pairs(
            run(model_selection().LeaveOneOut(), cases), cases=cases, plan=self, says="leave-one-out", names=names
        )

    def overlap(self, pairs: Pairs) -> str:
        """Any two training sets share all but two cases."""
        return f"any two training sets share {pairs.cases.n - 2} of {pairs.cases.n - 1} cases"


@plan_name("lpo", r"lpo|leave-pair-out")
@record(slots=True)
class LeavePairOut(Plan):
    """Leave-pair-out: each pair of a positive and a negative case is the test set once; all others are used for
    training.

    The share of pairs ranked correctly estimates the AUC without the bias of pooled leave-one-out scores, which come
    from different models. Airola, Pahikkala, Waegeman, De Baets & Salakoski, Comput Stat Data Anal 2011;55:1828-1844.

    >>> [pair.test.tolist() for pair in LeavePairOut().pairs([0, 1, 0, 1])]
    [[0, 1], [0, 3], [1, 2], [2, 3]]
    """

    def pairs_of(self, cases: Cases) -> Pairs:
        present = np.flatnonzero(cases.counts)
        if cases.groups is not None:
            raise RocscopeError(
                "leave-pair-out does not support groups", hint="Use plan='10-fold', which keeps groups whole"
            )
        if len(present) != 2 or cases.counts[present].min() < 2 or cases.codes is None:
            raise RocscopeError(
                "leave-pair-out needs two classes with at least two cases each", hint="Use plan='10-fold'"
            )
        fits = int(cases.counts[present].prod())
        if fits > MOST_OUT:
            raise RocscopeError(f"leave-pair-out would need {fits:,} fits", hint="Use plan='10-fold'")
        first, other = (np.flatnonzero(cases.codes == code) for code in present)
        tests = sorted(sorted((int(i), int(j))) for i in first for j in other)
        every = np.arange(cases.n)
        return Pairs(
            [(np.delete(every, test), np.array(test)) for test in tests], cases=cases, plan=self, says="leave-pair-out",
            names=[f"cases {i} and {j}" for i, j in tests], disjoint_tests=False,
        )  # fmt: skip

    def overlap(self, pairs: Pairs) -> str:
        """Any two training sets share all but a few cases."""
        return f"any two training sets share at least {pairs.cases.n - 4} of {pairs.cases.n - 2} cases"


@plan_name("5x2", r"5x2(-?cv)?")
@record(slots=True)
class FiveByTwo(Plan):
    """5x2 cross-validation: the cases are halved at random five times, and each half serves once as the training set.

    The ten pairs are named (T1, V1) to (T10, V10): in repetition i, T_2i-1 = V_2i is the first half and V_2i-1 = T_2i
    the second. scikit-learn's Repeated(Stratified)KFold makes the halves. Dietterich, Neural Comput 1998;10:1895-1923.

    >>> pairs = FiveByTwo().pairs(6)
    >>> pairs.names[0], pairs.names[-1], pairs[0].train.tolist() == pairs[1].test.tolist()
    ('(T1, V1)', '(T10, V10)', True)
    """

    stratified: bool | None = None
    seed: int = 0

    def __post_init__(self) -> None:
        checked_seed(self.seed)

    def pairs_of(self, cases: Cases) -> Pairs:
        halves = Folds(2, repeats=5, stratified=self.stratified, seed=self.seed).pairs(cases)
        kind = " stratified" if "stratified" in halves.says else ""
        return Pairs(
            halves, cases=cases, plan=self, notes=halves.notes, repetitions=halves.repetitions,
            says=f"5x2{kind} cross-validation, five repetitions of two halves, seed {self.seed}",
            names=[f"(T{i}, V{i})" for i in range(1, 11)],
        )  # fmt: skip

    def overlap(self, pairs: Pairs) -> str:
        """The halves of one repetition share no cases; those of two repetitions share about half."""
        return "the two training sets of a repetition share no cases; those of different repetitions share about 50 %"

    @property
    def count(self) -> int:
        """The number of pairs."""
        return 10


@plan_name("disjoint-10", r"disjoint(-(?P<k>\d+))?", r"(?P<k>\d+)-disjoint")
@record(slots=True)
class Disjoint(Plan):
    """For large data sets: K parts, each halved into training and test cases; no two pairs share a case.

    >>> pairs = Disjoint(2).pairs(8)
    >>> sorted(case for pair in pairs for part in pair for case in part.tolist())
    [0, 1, 2, 3, 4, 5, 6, 7]
    """

    COUNTED = ("k",)
    k: int = 10
    stratified: bool | None = None
    seed: int = 0

    def __post_init__(self) -> None:
        checked_count(self.k, "the number of parts", least=2, most=MOST)
        checked_seed(self.seed)

    def pairs_of(self, cases: Cases) -> Pairs:
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
        """Training sets share no cases, by construction."""
        return "no two pairs share a case"


def _halved(cases: Cases, part: Indices, strata: bool, generator: np.random.RandomState) -> tuple[Indices, Indices]:
    inner = cases.rows(part)
    if inner.group_count < 2:
        raise RocscopeError("a part contains a single group and cannot be halved", hint="Use fewer parts")
    both = inner.counts.size > 1 and (inner.counts[inner.counts > 0].max() >= 2)
    train, test = next(iter(run(fold_splitter(inner, 2, strata and bool(both), True, generator), inner)))
    return part[train], part[test]
