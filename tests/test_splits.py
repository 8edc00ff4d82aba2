"""Resampling plans: hand-written lists, partition laws, scikit-learn's own pairs, and what is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import model_selection as skl

from rocscope import splits
from rocscope.errors import RocscopeError
from rocscope.splits import (
    Bootstrap,
    Disjoint,
    FiveByTwo,
    Folds,
    Given,
    Holdout,
    LeaveGroupsOut,
    LeaveOneOut,
    Nested,
    TimeOrdered,
)

TWO = ["a", "b", "a", "b", "a", "b"]


def lists(pairs: Any) -> list[tuple[list[int], list[int]]]:
    return [(list(map(int, train)), list(map(int, test))) for train, test in pairs]


# ---- hand-written lists on six cases ----


def test_three_folds_of_six_cases() -> None:
    assert lists(splits.plan("3-fold", 6, shuffle=False)) == [
        ([2, 3, 4, 5], [0, 1]),
        ([0, 1, 4, 5], [2, 3]),
        ([0, 1, 2, 3], [4, 5]),
    ]


def test_three_stratified_folds_of_six_cases() -> None:
    # first a, first b; second a, second b; third a, third b
    found = splits.plan("3-fold", ["a", "a", "a", "b", "b", "b"], shuffle=False)
    assert lists(found) == [([1, 2, 4, 5], [0, 3]), ([0, 2, 3, 5], [1, 4]), ([0, 1, 3, 4], [2, 5])]


def test_leave_one_out_of_six_cases() -> None:
    assert lists(splits.plan("loo", TWO)) == [
        ([1, 2, 3, 4, 5], [0]),
        ([0, 2, 3, 4, 5], [1]),
        ([0, 1, 3, 4, 5], [2]),
        ([0, 1, 2, 4, 5], [3]),
        ([0, 1, 2, 3, 5], [4]),
        ([0, 1, 2, 3, 4], [5]),
    ]


def test_five_times_two_halves_of_six_cases() -> None:
    # The five random orders of 0..5 that the seed gives; the first half of an order is tested first.
    generator = np.random.RandomState(0)
    orders = [[5, 2, 1, 3, 0, 4], [1, 3, 4, 0, 2, 5], [3, 5, 1, 2, 4, 0], [5, 2, 3, 4, 1, 0], [2, 4, 3, 5, 1, 0]]
    for order in orders:
        drawn = np.arange(6)
        generator.shuffle(drawn)
        assert drawn.tolist() == order
    assert lists(splits.plan("5x2", 6, seed=0)) == [
        ([0, 3, 4], [1, 2, 5]),
        ([1, 2, 5], [0, 3, 4]),
        ([0, 2, 5], [1, 3, 4]),
        ([1, 3, 4], [0, 2, 5]),
        ([0, 2, 4], [1, 3, 5]),
        ([1, 3, 5], [0, 2, 4]),
        ([0, 1, 4], [2, 3, 5]),
        ([2, 3, 5], [0, 1, 4]),
        ([0, 1, 5], [2, 3, 4]),
        ([2, 3, 4], [0, 1, 5]),
    ]


def test_bootstrap_of_six_cases() -> None:
    draws = np.random.default_rng(0).integers(6, size=(2, 6)).tolist()
    assert draws == [[5, 3, 3, 1, 1, 0], [0, 0, 1, 4, 3, 5]]
    assert lists(splits.plan("bootstrap-2", 6, seed=0)) == [
        ([5, 3, 3, 1, 1, 0], [2, 4]),
        ([0, 0, 1, 4, 3, 5], [2]),
    ]


def test_leaving_groups_out_of_six_cases() -> None:
    groups = ["x", "x", "y", "y", "z", "z"]
    assert lists(splits.plan("leave-1-groups-out", 6, groups=groups)) == [
        ([2, 3, 4, 5], [0, 1]),
        ([0, 1, 4, 5], [2, 3]),
        ([0, 1, 2, 3], [4, 5]),
    ]
    two = splits.plan("leave-2-groups-out", 6, groups=groups)
    assert lists(two) == [([4, 5], [0, 1, 2, 3]), ([2, 3], [0, 1, 4, 5]), ([0, 1], [2, 3, 4, 5])]
    assert two.names == ("without x, y", "without x, z", "without y, z")


def test_leaving_pairs_out_of_five_cases() -> None:
    pairs = splits.plan("lpo", [0, 1, 0, 1, 0])
    assert [pair.test.tolist() for pair in pairs] == [[0, 1], [0, 3], [1, 2], [1, 4], [2, 3], [3, 4]]
    assert pairs[0].train.tolist() == [2, 3, 4] and pairs.names[0] == "cases 0 and 1"
    wrong: list[tuple[Any, Any]] = [([0, 1, 2, 0], None), ([0, 1, 0], None), ([0, 1] * 4, [0, 1, 2, 3] * 2), (5, None)]
    for y, groups in wrong:
        with pytest.raises(RocscopeError, match="leave-pair-out"):
            splits.plan("lpo", y, groups=groups)
    with pytest.raises(RocscopeError, match="22,500 fits"):
        splits.plan("lpo", [0, 1] * 150)


def test_time_goes_forward() -> None:
    assert lists(splits.plan("time-2", 6)) == [([0, 1], [2, 3]), ([0, 1, 2, 3], [4, 5])]
    backwards = splits.plan("time-2", 6, times=[6, 5, 4, 3, 2, 1])
    assert lists(backwards) == [([5, 4], [3, 2]), ([5, 4, 3, 2], [1, 0])]
    assert lists(splits.plan("time-2", 6, gap=1)) == [([0], [2, 3]), ([0, 1, 2], [4, 5])]


# ---- the ten pairs are named, and swap ----


def test_the_ten_pairs_are_named_and_swapped() -> None:
    pairs = splits.plan("5x2", [0, 1] * 20, seed=3)
    assert pairs.names == tuple(f"(T{i}, V{i})" for i in range(1, 11))
    assert pairs.repetitions == (0, 0, 1, 1, 2, 2, 3, 3, 4, 4)
    for first, second in zip(pairs[::2], pairs[1::2], strict=True):
        assert first.train.tolist() == second.test.tolist()
        assert first.test.tolist() == second.train.tolist()


# ---- laws ----

labelled = st.integers(12, 60).flatmap(lambda n: st.lists(st.integers(0, 2), min_size=n, max_size=n))


@given(labelled, st.integers(2, 6), st.integers(0, 2**32 - 1))
def test_folds_are_a_partition(y: list[int], k: int, seed: int) -> None:
    pairs = splits.plan(f"{k}-fold", y, seed=seed)
    tests = [test.tolist() for _, test in pairs]
    assert sorted(case for test in tests for case in test) == list(range(len(y)))
    for train, test in pairs:
        assert sorted([*train.tolist(), *test.tolist()]) == list(range(len(y)))


@given(labelled, st.integers(2, 4), st.integers(0, 1000))
def test_strata_are_within_one(y: list[int], k: int, seed: int) -> None:
    counts = np.bincount(y, minlength=3)
    if counts.max() < k or (counts > 0).sum() < 2:
        return  # not stratified then
    for _, test in splits.plan(f"{k}-fold", y, seed=seed):
        inside = np.bincount(np.array(y)[test], minlength=3)
        assert np.all(np.abs(inside - counts / k) < 1)


@given(labelled, st.integers(2, 4), st.integers(0, 1000), st.data())
def test_groups_are_never_split(y: list[int], k: int, seed: int, data: st.DataObject) -> None:
    groups = np.array(data.draw(st.lists(st.integers(0, 7), min_size=len(y), max_size=len(y))))
    if len(np.unique(groups)) < 5:
        return
    for name in (f"{k}-fold", "holdout", "bootstrap-3", "leave-1-groups-out"):
        try:
            pairs = splits.plan(name, y, seed=seed, groups=groups)
        except RocscopeError as error:
            assert "empty" in str(error) or "in a row" in str(error)
            continue
        for train, test in pairs:
            assert not set(groups[train]) & set(groups[test])


@given(st.integers(8, 50), st.integers(0, 1000), st.integers(1, 16))
def test_out_of_bag_is_what_was_not_drawn(n: int, seed: int, size: int) -> None:
    for train, test in Bootstrap(3, size=size, seed=seed).pairs(n):
        assert len(train) == size
        assert set(test.tolist()) == set(range(n)) - set(train.tolist())


@given(st.integers(8, 60), st.integers(2, 4), st.integers(0, 1000))
def test_disjoint_pairs_share_no_case(n: int, k: int, seed: int) -> None:
    cases = [case for pair in Disjoint(k, seed=seed).pairs(n) for part in pair for case in part.tolist()]
    assert sorted(cases) == list(range(n))


def test_any_two_training_sets_share_k_minus_2_parts() -> None:
    pairs = Folds(5).pairs(50)
    for i, one in enumerate(pairs):
        for other in pairs[:i]:
            assert len(np.intersect1d(one.train, other.train)) == 30  # 3 of 5 parts of 10
    assert "share 75 % of their cases (3 of 4 parts)" in str(pairs)


def test_expected_share_out_of_bag() -> None:
    pairs = Bootstrap(400, seed=1).pairs(200)
    assert np.mean(pairs.test_sizes) / 200 == pytest.approx(0.368, abs=0.005)
    assert "expected 0.367" in str(pairs)
    assert "(1/e = 0.368" in str(pairs)


def test_a_stratified_bootstrap_keeps_class_sizes() -> None:
    y = np.array([0] * 30 + [1] * 10)
    for train, _ in Bootstrap(20, stratified=True).pairs(y):
        assert np.bincount(y[train]).tolist() == [30, 10]
    for train, _ in Bootstrap(20, stratified=True, size=7).pairs(y):
        assert np.bincount(y[train]).tolist() == [5, 2]  # 5.25 and 1.75 of 7


def test_a_draw_without_a_class_is_drawn_again_and_counted() -> None:
    y = [0] * 20 + [1] * 2
    pairs = Bootstrap(200, seed=0).pairs(y)
    assert all(1 in np.array(y)[train] for train, _ in pairs)
    redrawn = int(pairs.notes[0].split()[0])
    assert 10 < redrawn < 60  # (20/22)^22 = 0.123 of the draws


# ---- the same pairs as scikit-learn ----

Y = np.random.default_rng(5).integers(0, 3, 90)
G = np.random.default_rng(6).integers(0, 15, 90)


@pytest.mark.parametrize(
    ("plan", "theirs"),
    [
        (Folds(5, seed=7), skl.StratifiedKFold(5, shuffle=True, random_state=7)),
        (Folds(5, stratified=False, seed=7), skl.KFold(5, shuffle=True, random_state=7)),
        (Folds(5, shuffle=False), skl.StratifiedKFold(5)),
        (Folds(5, repeats=3, seed=7), skl.RepeatedStratifiedKFold(n_splits=5, n_repeats=3, random_state=7)),
        (Folds(4, repeats=2, stratified=False, seed=1), skl.RepeatedKFold(n_splits=4, n_repeats=2, random_state=1)),
        (FiveByTwo(seed=7), skl.RepeatedStratifiedKFold(n_splits=2, n_repeats=5, random_state=7)),
        (Holdout(0.3, repeats=4, seed=7), skl.StratifiedShuffleSplit(4, test_size=0.3, random_state=7)),
        (Holdout(20, stratified=False, seed=7), skl.ShuffleSplit(1, test_size=20, random_state=7)),
        (LeaveOneOut(), skl.LeaveOneOut()),
        (TimeOrdered(4, gap=3, most=30), skl.TimeSeriesSplit(4, gap=3, max_train_size=30)),
    ],
    ids=str,
)
def test_scikit_learn_splits_the_same(plan: Any, theirs: Any) -> None:
    assert lists(plan.pairs(Y)) == lists(theirs.split(np.zeros((90, 1)), Y))


@pytest.mark.parametrize(
    ("plan", "theirs"),
    [
        (Folds(4, seed=7), skl.StratifiedGroupKFold(4, shuffle=True, random_state=7)),
        (Folds(4, stratified=False, seed=7), skl.GroupKFold(4, shuffle=True, random_state=7)),
        (Holdout(0.3, seed=7), skl.GroupShuffleSplit(1, test_size=0.3, random_state=7)),
        (LeaveGroupsOut(2), skl.LeavePGroupsOut(2)),
    ],
    ids=str,
)
def test_scikit_learn_splits_groups_the_same(plan: Any, theirs: Any) -> None:
    assert lists(plan.pairs(Y, G)) == lists(theirs.split(np.zeros((90, 1)), Y, G))


def test_labels_of_any_kind_split_as_their_codes() -> None:
    words = np.array(["no", "maybe", "yes"])[Y]
    order = {"maybe": 0, "no": 1, "yes": 2}
    codes = np.array([order[word] for word in words])
    assert lists(Holdout(0.3).pairs(words)) == lists(Holdout(0.3).pairs(codes))


def test_plans_serve_as_cv() -> None:
    from sklearn.datasets import load_iris
    from sklearn.naive_bayes import GaussianNB

    X, y = load_iris(return_X_y=True)
    theirs = skl.cross_val_score(GaussianNB(), X, y, cv=skl.StratifiedKFold(5, shuffle=True, random_state=0))
    for cv in (Folds(5), splits.plan("5-fold", y), Nested(Folds(5), Folds(3))):
        assert skl.cross_val_score(GaussianNB(), X, y, cv=cv).tolist() == theirs.tolist()


@pytest.mark.parametrize(
    "plan",
    [
        Folds(3),
        LeaveOneOut(),
        FiveByTwo(),
        Disjoint(3),
        Holdout(),
        TimeOrdered(3),
        Bootstrap(4),
        Nested(Folds(3), Folds(2)),
    ],
    ids=str,
)
def test_every_plan_says_how_many_pairs_it_makes(plan: Any) -> None:
    X = np.zeros((24, 2))
    y = [0, 1] * 12
    assert plan.get_n_splits(X, y) == len(list(plan.split(X, y))) == len(plan.pairs(y))


def test_their_splitters_and_lists_are_accepted() -> None:
    theirs = skl.RepeatedStratifiedKFold(n_splits=3, n_repeats=2, random_state=0)
    pairs = splits.plan(theirs, Y)
    assert lists(pairs) == lists(theirs.split(np.zeros((90, 1)), Y))
    assert pairs.repetitions == (0, 0, 0, 1, 1, 1)
    assert lists(splits.plan([([0, 1], [2]), ([1, 2], [0])], 3)) == [([0, 1], [2]), ([1, 2], [0])]
    masks = [(np.array([True, True, False]), np.array([False, False, True]))]
    assert lists(splits.plan(masks, 3)) == [([0, 1], [2])]


def test_nested_pairs_stay_inside() -> None:
    nested = splits.named("nested", seed=1)
    assert isinstance(nested, Nested)
    pairs = nested.pairs(Y)
    for i, (train, test) in enumerate(pairs):
        inner = nested.inside(pairs, i)
        assert sorted(case for _, held in inner for case in held.tolist()) == sorted(train.tolist())
        assert not {case for pair in inner for part in pair for case in part.tolist()} & set(test.tolist())


# ---- what is refused, and what is noted ----


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: splits.plan("7-fold", 6), "7 folds, but 6 cases"),
        (lambda: splits.plan("1-fold", 6), "folds must be an integer, 2 or more, not 1"),
        (lambda: splits.plan("0-fold", 6), "2 or more"),
        (lambda: splits.plan("10-fold", [0] * 50 + [1] * 3, stratified=True), "class 1 has 3 of 53 cases"),
        (lambda: splits.plan("5-fold", 10, groups=[0, 1] * 5), "5 folds, but 2 groups"),
        (lambda: splits.plan("loo", 4, groups=["a", "a", "b", "b"]), "group a"),
        (lambda: splits.plan(skl.KFold(2), 4, groups=["a", "b", "a", "b"]), "trains and tests on cases of group"),
        (lambda: splits.plan([([0, 1], [1, 2])], 3), "uses case 1 for both training and testing"),
        (lambda: splits.plan([([0, 1], [5])], 3), "contains case 5, but cases are numbered from 0 to 2"),
        (lambda: splits.plan([([0, 1], [])], 3), "empty test set"),
        (lambda: splits.plan([], 3), "no plan"),
        (lambda: splits.plan("10-folds", 30), "Did you mean '10-fold'"),
        (lambda: splits.plan("10-fold", 30, gap=3), "Folds has no option 'gap'"),
        (lambda: splits.plan("10-fold", 30, k=5), "both specify k"),
        (lambda: splits.plan("leave-1-groups-out", 30), "requires groups"),
        (lambda: splits.plan("leave-3-groups-out", 3, groups=[1, 2, 3]), "leaves none for training"),
        (lambda: splits.plan("holdout", 30, test=30), "leaves none for training"),
        (lambda: splits.plan("holdout", 30, test=1.5), "a share between 0 and 1"),
        (lambda: splits.plan("time-6", 6), "need more than 6 cases"),
        (lambda: splits.plan("10-fold", 30, groups=[1, 2]), "30 cases, but 2 groups"),
        (lambda: splits.plan("10-fold", 0), "the number of cases must be between 1"),
        (lambda: splits.plan("bootstrap", 30, n=0), "not 0"),
        (lambda: splits.plan("bootstrap", 30, n=1), "not 1"),
        (lambda: splits.plan("bootstrap", 30, n=-5), "not -5"),
        (lambda: splits.plan("bootstrap", 30, n=10**12), "to 100,000, not"),
        (lambda: Bootstrap(100_000).pairs(10**6), "do not fit into memory"),
        (lambda: Folds(5, repeats=2, shuffle=False), "identical"),
        (lambda: Bootstrap(2, stratified=True).pairs([0, 1, 0, 1], [1, 1, 2, 2]), "several classes"),
        (lambda: Given((([0, 1],),)).pairs(3), "a pair must be"),
    ],
)
def test_nonsense_is_refused(call: Any, message: str) -> None:
    with pytest.raises(RocscopeError, match=message.replace("(", r"\(")):
        call()


@pytest.mark.parametrize("seed", [-1, 0.5, "7", 2**32, True, None])
def test_seeds_are_whole_numbers(seed: Any) -> None:
    with pytest.raises(RocscopeError, match="seed"):
        splits.plan("10-fold", 30, seed=seed)


def test_the_same_seed_gives_the_same_pairs_and_another_others() -> None:
    for name in ("holdout", "10-fold", "5x2", "disjoint-3", "bootstrap-5"):
        assert lists(splits.plan(name, Y, seed=2**32 - 1)) == lists(splits.plan(name, Y, seed=2**32 - 1))
        assert lists(splits.plan(name, Y, seed=1)) != lists(splits.plan(name, Y, seed=2))


def test_a_class_smaller_than_k_is_noted() -> None:
    pairs = splits.plan("10-fold", [0] * 50 + [1] * 3)
    assert pairs.notes == ("class 1 has 3 of 53 cases, fewer than the 10 parts: some parts lack it",)
    assert "note: class 1 has 3" in str(pairs)
    assert sum(int(case >= 50) for _, test in pairs for case in test.tolist()) == 3
    assert splits.plan("10-fold", range(30)).notes[0].endswith("not stratified")


def test_indicators_of_several_labels_are_not_stratified() -> None:
    y = np.random.default_rng(0).integers(0, 2, (20, 3))
    assert lists(splits.plan("4-fold", y)) == lists(splits.plan("4-fold", 20))
