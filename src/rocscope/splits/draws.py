"""Plans that draw or order cases: holdout, leave groups out, time-ordered, bootstrap."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from rocscope.errors import RocscopeError
from rocscope.numbers import fraction
from rocscope.record import record
from rocscope.splits.base import MOST, Plan, model_selection, plan_name, run
from rocscope.splits.cases import Cases, Indices, checked_count, checked_seed, stratify
from rocscope.splits.train_test_pairs import Pairs

MOST_DRAWS = 2 * 10**9  # maximum number of cases over all training sets of a bootstrap; more would not fit in memory
REDRAWS = 1000


@plan_name("holdout", r"hold-?out")
@record(slots=True)
class Holdout(Plan):
    """Set a part aside, train on the rest, and test on the part set aside; optionally repeated.

    `test` is a share of the cases (0.25) or a number of them. scikit-learn's (Stratified/Group)ShuffleSplit draws the
    cases.

    >>> pairs = Holdout(0.25).pairs([0, 1] * 6)
    >>> pairs.train_sizes, pairs.test_sizes
    ([9], [3])
    """

    COUNTED = ("repeats",)
    test: float | int = 0.25
    repeats: int = 1
    stratified: bool | None = None
    seed: int = 0

    def __post_init__(self) -> None:
        checked_count(self.repeats, "the number of repetitions", least=1, most=MOST)
        checked_seed(self.seed)
        whole = isinstance(self.test, int | np.integer) and not isinstance(self.test, bool)
        share = isinstance(self.test, float) and 0 < self.test < 1
        if not share and not (whole and self.test >= 1):
            raise RocscopeError(f"test must be a share between 0 and 1 or a number of cases, not {self.test!r}")

    def pairs_of(self, cases: Cases) -> Pairs:
        share = isinstance(self.test, float)
        count = math.ceil(fraction(self.test) * cases.group_count) if share else int(self.test)
        if count >= cases.group_count:
            units = "cases" if cases.groups is None else "groups"
            raise RocscopeError(
                f"setting aside {count} of {cases.group_count} {units} leaves none for training",
                hint="Set fewer cases aside",
            )
        strata, notes = (False, ()) if cases.groups is not None else stratify(cases, self.stratified, 2)
        if strata and (count < len(cases.counts) or cases.group_count - count < len(cases.counts)):
            strata, notes = False, (f"{count} cases are set aside, fewer than there are classes: not stratified",)
        skl = model_selection()
        kind = skl.StratifiedShuffleSplit if strata else skl.ShuffleSplit
        if cases.groups is not None:
            kind = skl.GroupShuffleSplit
        pairs = run(kind(self.repeats, test_size=self.test, random_state=self.seed), cases)
        times = f"{self.repeats} times " if self.repeats > 1 else ""
        amount = f"{100 * self.test:g} %" if isinstance(self.test, float) else f"{self.test} cases"
        return Pairs(
            pairs, cases=cases, plan=self, notes=notes, disjoint_tests=self.repeats == 1,
            says=f"{times}{'stratified ' if strata else ''}holdout of {amount}, seed {self.seed}",
            names=["holdout"] if self.repeats == 1 else [f"holdout {i + 1}" for i in range(self.repeats)],
            repetitions=range(self.repeats),
        )  # fmt: skip


@plan_name("leave-1-groups-out", r"logo|leave-one-group-out", r"leave-(?P<p>\d+)-groups?-out")
@record(slots=True)
class LeaveGroupsOut(Plan):
    """Each set of p groups is the test set once, as when predicting for a new hospital, site or person.

    >>> [pair.test.tolist() for pair in LeaveGroupsOut().pairs(5, groups=["a", "a", "b", "b", "c"])]
    [[0, 1], [2, 3], [4]]
    """

    p: int = 1

    def __post_init__(self) -> None:
        checked_count(self.p, "the number of groups left out", least=1)

    def pairs_of(self, cases: Cases) -> Pairs:
        if cases.groups is None:
            raise RocscopeError("a plan that leaves groups out requires groups", hint="Give groups=, one for each case")
        if self.p >= cases.group_count:
            raise RocscopeError(f"leaving out {self.p} of {cases.group_count} groups leaves none for training")
        checked_count(math.comb(cases.group_count, self.p), "the number of pairs", least=1, most=MOST)
        pairs = run(model_selection().LeavePGroupsOut(self.p), cases)
        names = [_group_names(cases, test) for _, test in pairs]
        says = f"leave {self.p} of {cases.group_count} groups out"
        return Pairs(pairs, cases=cases, plan=self, says=says, names=names, disjoint_tests=self.p == 1)


def _group_names(cases: Cases, test: Indices) -> str:
    assert cases.groups is not None
    return "without " + ", ".join(str(cases.group_labels[code]) for code in np.unique(cases.groups[test]).tolist())


@plan_name("time-5", r"time(-ordered)?|time-(?P<k>\d+)", r"(?P<k>\d+)-time")
@record(slots=True)
class TimeOrdered(Plan):
    """Train on the past and test on what comes next, k times, with a longer past each time.

    Cases must be in chronological order unless `times` gives the time of each. `gap` cases in between are left out, and
    `most` limits the training cases. The splits are those of scikit-learn's TimeSeriesSplit.

    >>> [(pair.train.tolist(), pair.test.tolist()) for pair in TimeOrdered(2).pairs(6)]
    [([0, 1], [2, 3]), ([0, 1, 2, 3], [4, 5])]
    """

    COUNTED = ("k",)
    k: int = 5
    gap: int = 0
    most: int | None = None
    times: tuple[Any, ...] | None = None

    def __post_init__(self) -> None:
        checked_count(self.k, "the number of pairs", least=1, most=MOST)
        checked_count(self.gap, "the gap", least=0)
        if self.most is not None:
            checked_count(self.most, "the largest training set", least=1)

    def pairs_of(self, cases: Cases) -> Pairs:
        order = self._order(cases.n)
        if cases.n // (self.k + 1) < 1 or cases.n - self.gap - (cases.n // (self.k + 1)) * self.k < 1:
            raise RocscopeError(
                f"{self.k} steps with a gap of {self.gap} need more than {cases.n} cases", hint="Use fewer"
            )
        if self.k == 1:
            size = cases.n // 2
            pairs = [(np.arange(cases.n - size - self.gap), np.arange(cases.n - size, cases.n))]
        else:
            splitter = model_selection().TimeSeriesSplit(self.k, gap=self.gap, max_train_size=self.most)
            pairs = list(splitter.split(np.zeros((cases.n, 1))))
        return Pairs(
            [(order[train], order[test]) for train, test in pairs], cases=cases, plan=self,
            says=f"time-ordered, {self.k} steps" + (f", {self.gap} cases between left out" if self.gap else ""),
            names=[f"step {i + 1}" for i in range(self.k)],
        )  # fmt: skip

    def _order(self, n: int) -> Indices:
        if self.times is None:
            return np.arange(n)
        if len(self.times) != n:
            raise RocscopeError(f"there are {n} cases, but {len(self.times)} times", hint="Give one time for each case")
        return np.argsort(np.asarray(self.times), kind="stable")

    def overlap(self, pairs: Pairs) -> str:
        """Every training set contains the previous one."""
        return "every training set contains the previous one" if self.most is None else ""


@plan_name("bootstrap", r"bootstrap(-(?P<n>\d+))?")
@record(slots=True)
class Bootstrap(Plan):
    """Train on `size` cases drawn with replacement (by default, N of N) and test on the rest; n times.

    A case is not drawn with probability (1 - 1/N)^size, which is near 1/e = 0.368. Stratified draws keep the class
    sizes; with groups, whole groups are drawn. A draw that misses a class, or leaves no case to test, is drawn again,
    and the notes count it. Efron & Tibshirani, An Introduction to the Bootstrap, 1993.

    >>> pairs = Bootstrap(2).pairs(6)
    >>> pairs[0].train.tolist(), pairs[0].test.tolist()
    ([5, 3, 3, 1, 1, 0], [2, 4])
    """

    COUNTED = ("n",)
    n: int = 200
    size: int | None = None
    stratified: bool = False
    seed: int = 0

    def __post_init__(self) -> None:
        checked_count(self.n, "the number of bootstrap samples", least=2, most=MOST)
        checked_seed(self.seed)
        if self.size is not None:
            checked_count(self.size, "the size of a bootstrap sample", least=1)

    def pairs_of(self, cases: Cases) -> Pairs:
        drawn = self.n * (cases.n if self.size is None else self.size)
        if drawn > MOST_DRAWS:
            raise RocscopeError(
                f"{drawn:,} cases in {self.n:,} samples do not fit into memory", hint="Use fewer samples"
            )
        if cases.group_count < 2:
            raise RocscopeError("a bootstrap needs at least two cases")
        generator, redrawn, pairs = np.random.default_rng(self.seed), 0, []
        for _ in range(self.n):
            pair, again = self._draw(cases, generator)
            pairs.append(pair)
            redrawn += again
        notes = (f"{redrawn} samples lacked a class or left no test cases, and were drawn again",) if redrawn else ()
        kind = cases.words(self.stratified)
        return Pairs(
            pairs, cases=cases, plan=self, notes=notes, disjoint_tests=False, repetitions=range(self.n),
            says=f"{kind} bootstrap, tested out of bag, seed {self.seed}".strip(),
            names=[f"sample {i + 1}" for i in range(self.n)],
        )  # fmt: skip

    def _draw(self, cases: Cases, generator: np.random.Generator) -> tuple[tuple[Indices, Indices], int]:
        classes = int((cases.counts > 0).sum())
        for again in range(REDRAWS):
            train, test = self._sample(cases, generator)
            whole = cases.codes is None or len(np.unique(cases.codes[train])) == classes
            if whole and len(test):
                return (train, test), again
        raise RocscopeError(
            f"{REDRAWS} samples in a row lacked a class or left no test cases",
            hint="Use stratified=True or another size",
        )

    def _sample(self, cases: Cases, generator: np.random.Generator) -> tuple[Indices, Indices]:
        units = np.arange(cases.n) if cases.groups is None else np.arange(cases.group_count)
        amount = len(units) if self.size is None else self.size
        chosen = np.concatenate(
            [
                stratum[generator.integers(len(stratum), size=part)]
                for stratum, part in self._strata(cases, units, amount)
            ]
        )
        if cases.groups is None:
            left = np.ones(cases.n, dtype=bool)
            left[chosen] = False
            return chosen, np.flatnonzero(left)
        members = _members(cases)
        train = np.concatenate([members[group] for group in chosen.tolist()])
        return train, np.flatnonzero(~np.isin(cases.groups, chosen))

    def _strata(self, cases: Cases, units: Indices, amount: int) -> list[tuple[Indices, int]]:
        if not self.stratified:
            return [(units, amount)]
        classes = _unit_classes(cases)
        present = [units[classes == code] for code in np.unique(classes).tolist()]
        exact = np.array([amount * len(stratum) / len(units) for stratum in present])
        parts = np.floor(exact).astype(int)
        short = amount - int(parts.sum())
        parts[np.argsort(parts - exact, kind="stable")[:short]] += 1
        return [(stratum, int(part)) for stratum, part in zip(present, parts, strict=True) if part]

    def overlap(self, pairs: Pairs) -> str:
        """The share of cases out of bag, and the expected share."""
        units = pairs.cases.group_count
        amount = units if self.size is None else self.size
        expected = (1 - 1 / units) ** amount
        seen = float(np.mean(pairs.test_sizes)) / pairs.cases.n
        return (
            f"out of bag: {seen:.3f} of the cases, expected {expected:.3f} (1/e = 0.368 if the sample size equals "
            f"the number of cases)"
        )


def _members(cases: Cases) -> list[Indices]:
    assert cases.groups is not None
    order = np.argsort(cases.groups, kind="stable")
    return np.split(order, np.cumsum(np.bincount(cases.groups, minlength=cases.group_count))[:-1])


def _unit_classes(cases: Cases) -> Indices:
    """The class of each case, or of each group when its cases share one."""
    if cases.codes is None:
        raise RocscopeError("a stratified bootstrap needs a class for each case")
    if cases.groups is None:
        return cases.codes
    classes = []
    for group, members in enumerate(_members(cases)):
        classes_seen = np.unique(cases.codes[members])
        if len(classes_seen) > 1:
            name = cases.group_labels[group]
            raise RocscopeError(f"group {name!s} has several classes, so groups cannot be drawn by class")
        classes.append(int(classes_seen[0]))
    return np.array(classes, dtype=np.int64)
