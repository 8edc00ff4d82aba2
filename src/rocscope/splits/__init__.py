"""Resampling plans as plain data: frozen dataclasses that return (train, test) index pairs.

>>> from rocscope import splits
>>> pairs = splits.plan("5x2", [0, 1] * 10, seed=0)
>>> print(pairs)
5x2 stratified cross-validation, five repetitions of two halves, seed 0: 10 pairs of 20 cases
train 10, test 10; every case is tested 5 times
the two training sets of a repetition share no cases; those of different repetitions share about 50 %
>>> len(pairs), pairs.names[2], pairs[2].train.shape
(10, '(T3, V3)', (10,))

- `base.py`: `Plan`, what every plan shares, and `@plan_name`, which declares one
- `folds.py`: `Folds` (k-fold, repeated, stratified, grouped), `LeaveOneOut`, `LeavePairOut`, `FiveByTwo`, `Disjoint`
- `draws.py`: `Holdout`, `LeaveGroupsOut`, `TimeOrdered`, `Bootstrap`
- `external.py`: `Nested`, `Given` (a list of pairs), `Splitter` (one of scikit-learn's)
- `pairs.py`: `Pairs`, the list of pairs that describes itself and refuses leaks; `cases.py`: labels and groups
- `by_name.py`: plans by name

A plan has `pairs(y, groups)`, `split` and `get_n_splits`, so that it can be passed to scikit-learn as `cv=`. If
scikit-learn has the splitter, it does the splitting: the same seed gives the same pairs.
"""

from rocscope.splits.base import Plan, need_scikit_learn, plan_name
from rocscope.splits.by_name import NAMES, catalog, named, plan
from rocscope.splits.cases import Cases, checked_seed
from rocscope.splits.draws import Bootstrap, Holdout, LeaveGroupsOut, TimeOrdered
from rocscope.splits.external import Given, Nested, Splitter
from rocscope.splits.folds import Disjoint, FiveByTwo, Folds, LeaveOneOut, LeavePairOut
from rocscope.splits.train_test_pairs import Pair, Pairs

__all__ = [
    "Bootstrap", "Cases", "Disjoint", "FiveByTwo", "Folds", "Given", "Holdout", "LeaveGroupsOut", "LeaveOneOut",
    "LeavePairOut", "NAMES", "Nested", "Pair", "Pairs", "Plan", "Splitter", "TimeOrdered", "catalog", "checked_seed",
    "named", "need_scikit_learn", "plan", "plan_name",
]  # fmt: skip
