"""What a plan needs to know about the cases: how many there are, and the class and group of each."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rocscope import tally
from rocscope.errors import RocscopeError
from rocscope.record import record

Indices = NDArray[np.int64]
LARGEST_SEED = 2**32 - 1  # largest seed that scikit-learn's generators accept

MOST_CASES = 10**10  # the positions of more cases would not fit in memory


@record(eq=False)
class Cases:
    """The cases to be split: their number, the codes of their classes (None if there are none) and groups."""

    n: int
    codes: Indices | None = None
    labels: tuple[Any, ...] = ()
    groups: Indices | None = None
    group_labels: tuple[Any, ...] = ()

    @classmethod
    def of(cls, y: Any, groups: Any = None) -> Cases:
        """The cases from labels, from indicators of several labels (n x k), or from their number alone.

        >>> Cases.of(["no", "yes", "no"]).codes.tolist(), Cases.of(5).n
        ([0, 1, 0], 5)
        """
        if isinstance(y, Cases):
            return y if groups is None else _grouped(y.n, y.codes, y.labels, groups)
        if isinstance(y, bool) or (isinstance(y, int | np.integer) and not 1 <= y <= MOST_CASES):
            raise RocscopeError(f"the number of cases must be between 1 and {MOST_CASES:,}, not {y!r}")
        if isinstance(y, int | np.integer):
            return _grouped(int(y), None, (), groups)
        shape = getattr(y, "shape", None)
        if shape is not None and len(shape) == 2 and shape[1] > 1:
            return _grouped(int(shape[0]), None, (), groups)
        size = len(y) if hasattr(y, "__len__") and getattr(y, "ndim", 1) > 0 else 0
        codes, labels = tally.factorize(y, limit=max(2, size) + 1)
        return _grouped(len(codes), codes.astype(np.int64), labels, groups)

    @property
    def counts(self) -> Indices:
        """How many cases each class has."""
        return (
            np.zeros(0, dtype=np.int64) if self.codes is None else np.bincount(self.codes, minlength=len(self.labels))
        )

    @property
    def group_count(self) -> int:
        """The number of groups; without groups, every case is its own group."""
        return self.n if self.groups is None else len(self.group_labels)

    def strata(self) -> Indices:
        """A class for each case: its own, or the same for all if classes are not known."""
        return np.zeros(self.n, dtype=np.int64) if self.codes is None else self.codes

    def words(self, stratified: bool) -> str:
        """How a plan treats the cases: "stratified", "grouped", both, or neither."""
        return " ".join(["stratified"] * stratified + ["grouped"] * (self.groups is not None))

    def rows(self, kept: Indices) -> Cases:
        """The selected cases."""
        codes = None if self.codes is None else self.codes[kept]
        groups = None if self.groups is None else self.groups[kept]
        if groups is not None:
            groups = np.unique(groups, return_inverse=True)[1].astype(np.int64)
        names = () if groups is None else tuple(range(int(groups.max()) + 1))
        return Cases(len(kept), codes, self.labels, groups, names)


def _grouped(n: int, codes: Indices | None, labels: tuple[Any, ...], groups: Any) -> Cases:
    if groups is None:
        return Cases(n, codes, labels)
    group_codes, names = tally.factorize(groups, name="group", limit=n + 2)
    if len(group_codes) != n:
        raise RocscopeError(f"there are {n} cases, but {len(group_codes)} groups", hint="Give one group for each case")
    return Cases(n, codes, labels, group_codes.astype(np.int64), names)


# ---- validation of plan parameters ----


def checked_seed(seed: Any) -> int:
    """A seed that scikit-learn accepts: an integer from 0 to 2**32 - 1.

    >>> checked_seed(7)
    7
    """
    whole = isinstance(seed, int | np.integer) and not isinstance(seed, bool)
    if not whole or not 0 <= seed <= LARGEST_SEED:
        raise RocscopeError(f"seed must be an integer from 0 to {LARGEST_SEED:,}, not {seed!r}")
    return int(seed)


def checked_count(value: Any, name: str, *, least: int, most: int | None = None) -> int:
    """A whole number within limits.

    >>> checked_count(10, "folds", least=2)
    10
    """
    whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
    if not whole or value < least or (most is not None and value > most):
        limits = f"{least:,} or more" if most is None else f"{least:,} to {most:,}"
        raise RocscopeError(f"{name} must be an integer, {limits}, not {value!r}")
    return int(value)


def stratify(cases: Cases, wanted: bool | None, k: int) -> tuple[bool, tuple[str, ...]]:
    """Whether each of k parts can get its share of every class, and any notes on this.

    If stratification is requested, a class with fewer than k cases is refused. Without a request (None), such a class
    is noted and spread over as many parts as possible; if even the largest class is too small, nothing is stratified.
    """
    counts = cases.counts
    present = counts[counts > 0]
    if wanted is False:
        return False, ()
    if len(present) < 2:
        if wanted:
            raise RocscopeError("stratified parts need a class for each case, and at least two classes")
        return False, ()
    if present.min() >= k:
        return True, ()
    smallest = int(np.flatnonzero(counts == present.min())[0])
    few = f"class {cases.labels[smallest]!s} has {present.min()} of {cases.n} cases, fewer than the {k} parts"
    if wanted:
        raise RocscopeError(few, hint="Use fewer parts, or stratified=False")
    if present.max() < k:
        return False, (f"{few}: not stratified",)
    return True, (f"{few}: some parts lack it",)
