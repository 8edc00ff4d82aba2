"""Mean AUCs of several classes with their intervals, and the optimism of a chosen threshold."""

from __future__ import annotations

import math
from statistics import NormalDist

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rocscope import Costs, RocscopeError, ScoreTable, decisions, estimate, evaluate, intervals
from rocscope.decisions import CostMatrix, DecisionSums, needs_costs, rules
from rocscope.intervals.auc_intervals import area_covariance
from rocscope.intervals.case_statistics import case_statistic, mean_cost
from rocscope.intervals.class_means import MEANS, ClassProducts
from rocscope.intervals.paired_cases import PairedCases
from rocscope.multiclass import CaseSums, ClassPredictions, ClassScores, LabelPredictions, LabelSums


def drawn(seed: int, cases: int, classes: int, shift: float = 1.0, digits: int = 12) -> ClassScores:
    generator = np.random.default_rng(seed)
    y = generator.integers(0, classes, cases)
    x = generator.normal(size=(cases, classes))
    x[np.arange(cases), y] += shift
    p = np.exp(x)
    return ClassScores.of(y, np.round(p / p.sum(axis=1, keepdims=True), digits), labels=range(classes))


@pytest.mark.parametrize("digits", [12, 1])
def test_the_variances_of_pooled_decisions_are_those_of_one_table_of_decisions(digits: int) -> None:
    """Obuchowski's with the decisions about a case as its cluster, and DeLong's as if each decision were a case."""
    c = drawn(7, 23, 3, digits=digits)
    found = ClassProducts(c)
    found.add(c)
    hit = (c.codes[:, None] == np.arange(3)).ravel()
    rows, cases = PairedCases.of(hit, [c.scores.ravel()]), (np.repeat(np.arange(23), 3), 23)
    by_decisions = intervals.auc(ScoreTable.from_scores(hit, c.scores.ravel()), method="delong").se
    by_cases = area_covariance(rows, cases)[0, 0]
    assert found.covariance.pooled == pytest.approx((by_cases, by_decisions**2), rel=1e-12)


@pytest.mark.parametrize("how", ["macro", "weighted", "hand-till"])
def test_two_classes_have_the_interval_of_their_one_auc(how: str) -> None:
    generator = np.random.default_rng(3)
    p = generator.integers(0, 64, 80) / 64  # 1 - p is exact, so both columns rank alike
    y = (generator.random(80) < p).astype(int)
    one = intervals.auc(ScoreTable.from_scores(y, p))
    mean = intervals.mean_auc(ClassScores.of(y, np.column_stack([1 - p, p])), how)
    assert (mean.value, mean.low, mean.high) == pytest.approx((one.value, one.low, one.high), abs=1e-12)


@pytest.mark.parametrize("certain", [False, True])
@pytest.mark.parametrize("name", ["brier", "log_loss"])
@pytest.mark.parametrize("cases", [8, 60])
def test_losses_of_two_classes_have_the_interval_of_their_table(name: str, cases: int, certain: bool) -> None:
    """The Brier score of all classes is twice that of one of two; the log loss is the same.

    Probabilities that turn out better than they say have less spread than is to be expected of them: the other half.
    """
    generator = np.random.default_rng(5)
    p = generator.integers(4, 60, cases) / 64
    y = (p > 0.5).astype(int) if certain else (generator.random(cases) < p).astype(int)
    factor, t = (2 if name == "brier" else 1), ScoreTable.from_scores(y, p)
    one = intervals.brier(t) if name == "brier" else intervals.log_loss(t)
    two = ClassPredictions.of_scores(ClassScores.of(y, np.column_stack([1 - p, p])))
    found = case_statistic(name, two).estimate(two)
    assert (found.value, found.low, found.high, found.se) == pytest.approx(
        tuple(factor * number for number in (one.value, one.low, one.high, one.se)), rel=1e-9
    )


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("cases", [2, 3, 30])
def test_the_mean_of_a_number_of_each_case_has_the_standard_error_of_a_mean(cases: int, weighted: bool) -> None:
    """Of the Hamming loss; with weights the sum of squared weighted deviations over the squared sum of weights."""
    generator = np.random.default_rng(cases)
    truth, guess = generator.integers(0, 2, (2, cases, 4)) == 1
    guess[:2] = truth[:2] ^ [[True, False, False, False], [True, True, False, False]]
    weights = generator.random(cases) + 0.5 if weighted else np.ones(cases)
    p = LabelPredictions(truth, guess, tuple("abcd"), None, weights if weighted else None)
    found = case_statistic("hamming_loss", p).estimate(p)
    each, share = (truth != guess).mean(axis=1), weights / weights.sum()
    value = float(share @ each)
    spread = float((share**2) @ (each - value) ** 2) * cases / (cases - 1)
    assert found.value == pytest.approx(value) and found.se == pytest.approx(math.sqrt(spread))
    assert 0 <= found.low < value < found.high <= 1


def test_a_cost_per_thousand_is_a_thousand_mean_costs() -> None:
    costs = CostMatrix.of([[0, 3, 1], [2, 0, 4], [1, 1, 0]], labels=(0, 1, 2))
    generator = np.random.default_rng(8)
    truth, guess = generator.integers(0, 3, (2, 50))
    each = costs.array[truth, guess]
    one = mean_cost(each, np.ones(50), 4.0)
    found = intervals.cost_per_thousand(CaseSums.of(each, np.ones(50)), costs)
    assert (found.value, found.low, found.high, found.se) == pytest.approx(
        tuple(1000 * number for number in (one.value, one.low, one.high, one.se)), rel=1e-12
    )
    assert one.se == pytest.approx(each.std(ddof=1) / math.sqrt(50))


REJECTED = CostMatrix.of([[0, 3, 1], [2, 0, 4], [1, 1, 0]], labels=(0, 1, 2), reject=0.5)


def test_the_cost_with_undecided_cases_varies_with_their_share_and_with_the_costs_of_the_others() -> None:
    generator = np.random.default_rng(9)
    truth, guess = generator.integers(0, 3, (2, 60))
    guess[8:] = -1
    sums = DecisionSums.of(REJECTED, truth, np.eye(3)[truth], guess)
    found = intervals.cost_per_thousand(sums.own, REJECTED, decided=sums.decided)
    costs, share = REJECTED.array[truth[:8], guess[:8]], estimate.proportion(8, 60)
    mean = mean_cost(costs, np.ones(8), 4.0, stated=(0.0, 0.0))  # certain probabilities: no cost is expected
    value = (costs.sum() + 52 * 0.5) / 60
    gain = mean.value - 0.5
    assert gain > 0 and found.value == pytest.approx(1000 * value)
    for limit, sign in (("low", -1), ("high", 1)):
        a, c = abs(getattr(share, limit) - share.value), abs(getattr(mean, limit) - mean.value)
        cross = (share.high - share.value) * c
        reach = math.sqrt((gain * a) ** 2 + (share.value * c) ** 2 + cross**2)
        assert getattr(found, limit) == pytest.approx(1000 * (value + sign * reach))
    none = DecisionSums.of(REJECTED, truth, np.eye(3)[truth], np.full(60, -1))
    found, share = intervals.cost_per_thousand(none.own, REJECTED, decided=none.decided), estimate.proportion(0, 60)
    assert (found.low, found.value, found.high) == pytest.approx(
        (1000 * (0.5 - 0.5 * share.high), 500, 1000 * (0.5 + 3.5 * share.high))
    )


@pytest.mark.parametrize(("size", "temper"), [(600, 0.6), (215, 1.6)])
def test_the_cost_with_few_decided_cases_holds_the_truth(size: int, temper: float) -> None:
    """Nearly every case is rejected, and the errors of the others are rare: from all costs together it was 0.34."""
    generator, samples, k = np.random.default_rng(17), 400, 8
    costs = CostMatrix.of(np.round(np.random.default_rng(4).uniform(0.5, 5, (k, k)) * (1 - np.eye(k)), 2), reject=0.6)
    raw = 1.2 * generator.standard_normal((samples * size, k))
    stated, true = (np.exp(part) / np.exp(part).sum(axis=1, keepdims=True) for part in (raw, temper * raw))
    y = (generator.random(len(true))[:, None] > true.cumsum(axis=1)).sum(axis=1).clip(max=k - 1)
    guess = costs.decide(stated)
    prices = np.where((guess < 0)[:, None], 0.6, costs.array[:, np.maximum(guess, 0)].T)
    truth, held = 1000 * float((true * prices).sum(axis=1).mean()), 0
    assert 0 < (guess >= 0).mean() < 0.05
    for sample in range(samples):
        rows = slice(sample * size, (sample + 1) * size)
        sums = DecisionSums.of(costs, y[rows], stated[rows], guess[rows])
        found = intervals.cost_per_thousand(sums.own, costs, decided=sums.decided)
        held += found.low <= truth <= found.high
    assert held / samples > 0.93


@pytest.mark.parametrize("cases", [3, 40])
@pytest.mark.parametrize("most", [1.0, 7.5])
def test_costs_that_are_all_least_or_all_greatest_have_wilsons_limits(cases: int, most: float) -> None:
    z = NormalDist().inv_cdf(0.975)
    width = most * z * z / (cases + z * z)
    least, greatest = (mean_cost(np.full(cases, cost), np.ones(cases), most) for cost in (0.0, most))
    assert (least.low, least.value, least.high) == pytest.approx((0, 0, width))
    assert (greatest.low, greatest.value, greatest.high) == pytest.approx((most - width, most, most))
    stated = mean_cost(np.full(cases, most), np.ones(cases), most, stated=(0.9 * most, 0.01))
    assert (stated.low, stated.high) == pytest.approx((most - width, most))


def placement(scores: list[float], others: list[float], *, beats: bool) -> list[float]:
    """By the definition: the share of the others that each case beats, or is beaten by, a tie for one half."""
    sign = 1 if beats else -1
    return [sum((sign * (a - b) > 0) + 0.5 * (a == b) for b in others) / len(others) for a in scores]


def by_definition(c: ClassScores, level: float = 0.95) -> tuple[float, float, float]:
    """The macro mean with MOVER limits, every pair compared and every sum written out."""
    k, codes = len(c.labels), c.codes.tolist()
    added, areas = [], []
    for label in range(k):
        column = c.scores[:, label].tolist()
        mine = [i for i, code in enumerate(codes) if code == label]
        rest = [i for i, code in enumerate(codes) if code != label]
        up = placement([column[i] for i in mine], [column[i] for i in rest], beats=True)
        down = placement([column[i] for i in rest], [column[i] for i in mine], beats=False)
        found = dict(zip(mine, (v / len(mine) for v in up), strict=True))
        found |= dict(zip(rest, (v / len(rest) for v in down), strict=True))
        added.append(found)
        areas.append(intervals.auc(ScoreTable.from_scores([code == label for code in codes], column), level=level))
    covariance = np.zeros((k, k))
    for a in range(k):
        for b in range(k):
            for label in range(k):
                members = [i for i, code in enumerate(codes) if code == label]
                x, y = [added[a][i] for i in members], [added[b][i] for i in members]
                covariance[a, b] += len(members) * float(np.cov(x, y)[0, 1])
    ratio = covariance / np.sqrt(np.outer(np.diag(covariance), np.diag(covariance)))
    value = sum(one.value for one in areas) / k
    below = [(one.value - one.low) / k for one in areas]
    above = [(one.high - one.value) / k for one in areas]
    reach = [math.sqrt(sum(s[a] * s[b] * ratio[a, b] for a in range(k) for b in range(k))) for s in (below, above)]
    return value, value - reach[0], value + reach[1]


@pytest.mark.parametrize(("seed", "digits"), [(0, 12), (1, 1), (2, 2)])
def test_the_macro_mean_follows_its_definition(seed: int, digits: int) -> None:
    c = drawn(seed, 45, 3, digits=digits)
    found = intervals.mean_auc(c)
    assert (found.value, found.low, found.high) == pytest.approx(by_definition(c), abs=1e-12)


@given(st.integers(0, 10**6), st.integers(1, 40), st.integers(2, 5), st.floats(-3, 6), st.integers(0, 3))
def test_means_stay_in_range_and_are_never_of_no_width(
    seed: int, cases: int, classes: int, shift: float, digits: int
) -> None:
    c = drawn(seed, cases, classes, shift, digits)
    for how in MEANS:
        found = intervals.mean_auc(c, how)
        plain = c.hand_till() if how == "hand-till" else c.auc(how)
        if math.isnan(found.value):
            assert found.why
            continue
        assert found.value == pytest.approx(plain.value, abs=1e-12)
        if not math.isnan(found.low):
            assert 0 <= found.low <= found.value <= found.high <= 1
            assert found.high > found.low


def test_perfect_scores_of_three_classes() -> None:
    found = intervals.mean_auc(ClassScores.of([0, 0, 1, 1, 2, 2], np.eye(3)[[0, 0, 1, 1, 2, 2]]))
    assert found.value == found.high == 1
    assert found.low < 0.9


def test_an_unknown_mean_is_refused() -> None:
    with pytest.raises(RocscopeError, match="no mean 'makro'"):
        intervals.mean_auc(drawn(0, 20, 3), "makro")


def test_the_document_has_the_interval_of_every_mean() -> None:
    c = drawn(0, 60, 3)
    document = evaluate(c.codes, c.scores).to_dict()
    for how in MEANS:
        one = intervals.mean_auc(c, how)
        assert [document["auc"][how][part] for part in ("value", "low", "high")] == [one.value, one.low, one.high]


# ---- optimism ----


def cases(generator: np.random.Generator, n: int) -> tuple[np.ndarray, np.ndarray]:
    y = (generator.random(n) < 0.1).astype(int)
    return y, generator.normal(size=n) + 1.2 * y


def test_optimism_is_what_new_cases_cost_more() -> None:
    """Over many samples: the mean of the estimate is the mean of (cost on a large population - cost seen)."""
    generator, costs = np.random.default_rng(0), Costs(fp=1, fn=5)
    population = ScoreTable.from_scores(*cases(generator, 300_000))
    truth, found = [], []
    for _ in range(150):
        t = ScoreTable.from_scores(*cases(generator, 1000))
        best = decisions.best(t, costs=costs)[0]
        new, seen = population.at(best.threshold), best.counts
        truth.append((new.fp + 5 * new.fn) / 300_000 - (seen.fp + 5 * seen.fn) / 1000)
        found.append(intervals.optimism(t, "cost", costs=costs).value)
    error = np.std(truth) / math.sqrt(len(truth))
    assert np.mean(found) == pytest.approx(np.mean(truth), abs=4 * error)
    assert 4 * error < np.mean(truth) / 2  # or the line above would show nothing


def test_nothing_to_choose_is_not_optimistic() -> None:
    y = [0, 1] * 20
    assert intervals.optimism(ScoreTable.from_scores(y, [0.5] * 40)).value == 0
    assert intervals.optimism(ScoreTable.from_scores(y, [float(one) for one in y])).value == 0


def test_optimism_refuses_weights_and_too_many_folds() -> None:
    t = ScoreTable.from_scores([0, 1, 1, 0], [1, 2, 3, 4], weights=[0.5, 1.5, 1, 1])
    with pytest.raises(RocscopeError, match="not weights"):
        intervals.optimism(t)
    with pytest.raises(RocscopeError, match=r"folds must be from 2 to .*, not 5"):
        intervals.optimism(ScoreTable.from_scores([0, 1, 1, 0], [1, 2, 3, 4]))


@pytest.mark.parametrize("name", [*rules(), "f1", "fpr", "mcc"])
def test_every_rule_has_its_optimism(name: str) -> None:
    draw = np.random.default_rng(4)
    y = draw.random(200) < 0.3
    s, costs = draw.normal(size=200) + y, Costs(fp=1, fn=5) if needs_costs(name) else None
    t = ScoreTable.from_scores(y, s)
    assert intervals.optimism(t, name, costs=costs).value >= 0
    best = decisions.best(t, name, costs=costs)[0].threshold
    assert intervals.not_worse(t, name, costs=costs, n=99).best == best
    assert intervals.cut_point(t, name, costs=costs, n=99).value == best
    ev = evaluate(y, s, choose=name, costs=costs, bootstrap=100)
    assert ev.optimism is not None and ev.point is not None and ev.point.low is not None


def test_the_verdict_says_the_optimism() -> None:
    y, s = cases(np.random.default_rng(1), 500)
    ev = evaluate(y, s, costs=Costs(fp=1, fn=5))
    assert ev.optimism is not None
    caveat = next(one for one in ev.to_dict()["verdict"]["caveats"] if one.startswith("The threshold was chosen"))
    assert "corrected for selection" in caveat
    assert evaluate(y, s, threshold=0.5).optimism is None
    assert evaluate(y, s, costs=Costs(fp=1, fn=5), cross_fit=5).optimism is None


def test_an_evaluation_in_which_every_case_is_rejected_has_reasons_in_place_of_numbers() -> None:
    """Rejecting costs next to nothing: no class is predicted, and what needs a prediction says so."""
    rng = np.random.default_rng(0)
    stated, y = rng.dirichlet(np.full(3, 5.0), 60), rng.integers(0, 3, 60)
    costs = Costs.matrix(3 * (1 - np.eye(3)), reject=0.01)
    ev = evaluate(y, stated, labels=[0, 1, 2], costs=costs)
    assert np.isnan(ev.calibration["ece_10"].value) and "rejected" in ev.calibration["ece_10"].why
    assert ev.calibration["classwise_ece"].high > 0 and ev.decision.cost.value == pytest.approx(10)
    assert "Estimated cost 10" in str(ev) and ev.to_dict(drawing=True)["measures"]


# --- what each case adds


def test_what_a_case_adds_to_the_mean_auc_is_its_placement_in_every_class() -> None:
    """By its definition: a positive's share of negatives below it, or a negative's of positives above, less the AUC."""
    c = drawn(5, 40, 3, digits=1)  # with ties
    expected = np.zeros(40)
    for at in range(3):
        own, score = c.codes == at, c.scores[:, at]
        wins = (score[own][:, None] > score[~own]) + 0.5 * (score[own][:, None] == score[~own])
        expected[own] += (wins.mean(axis=1) - wins.mean()) / own.sum() / 3
        expected[~own] += (wins.mean(axis=0) - wins.mean()) / (~own).sum() / 3
    products = ClassProducts(c, [(at, None) for at in range(3)])
    np.testing.assert_allclose(products.mean_added(c), expected, atol=1e-12)


@pytest.mark.parametrize("weights", [None, [1.0, 2.0, 3.0, 4.0] * 3], ids=["plain", "weighted"])
def test_a_mean_that_does_not_vary_has_wilsons_limits_for_three_times_the_cases(weights: list[float] | None) -> None:
    """Half of what is predicted is right in each of twelve cases: several decisions vary less than one."""
    p = LabelPredictions.of([[1, 0]] * 12, predicted=[[1, 1]] * 12, weights=weights)
    cases = 12 if weights is None else sum(weights) ** 2 / sum(weight * weight for weight in weights)
    interval = case_statistic("samples_precision", p).interval(p, 0.95)
    wilson = estimate.proportion(1.5 * cases, 3 * cases)
    assert (interval.low, interval.high) == pytest.approx((wilson.low, wilson.high), rel=1e-12)


@pytest.mark.parametrize("measure", ["f1", "precision", "recall"])
@pytest.mark.parametrize("how", ["macro", "micro", "weighted"])
def test_averages_over_labels_move_with_each_case_as_their_slopes_say(how: str, measure: str) -> None:
    generator = np.random.default_rng(3)
    truth = generator.random((50, 3)) < [0.2, 0.5, 0.8]
    p = LabelPredictions.of(truth.astype(int), predicted=(truth ^ (generator.random((50, 3)) < 0.3)).astype(int))
    statistic = case_statistic(f"{how}_{measure}", p)
    value, step = statistic.prepare(p), 1e-6 * np.eye(50)
    moved = np.array([float(value(1 + one)) - float(value(1 - one)) for one in step]) / 2e-6
    assert statistic.interval(p, 0.95).se == pytest.approx(math.sqrt(moved @ moved * 50 / 49), rel=1e-6)


def test_perfect_ranking_of_labels_known_as_sums_has_wilsons_limits_for_three_times_the_pairs() -> None:
    truth = np.array([[1, 1], [0, 1], [0, 1], [0, 0], [0, 0], [0, 0]])
    sums = LabelSums.of(truth, 0.1 + 0.8 * truth)
    interval = case_statistic("macro_auc", sums).interval(sums, 0.95)
    cases = 3 * 2**2 / (6 / (1 * 5) + 6 / (3 * 3))  # of a label: positives x negatives / both
    wilson = estimate.proportion(cases, cases)
    assert interval.value == 1 and interval.low == pytest.approx(wilson.low, rel=1e-12)
