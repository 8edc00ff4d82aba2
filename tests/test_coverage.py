"""The coverage simulation in small: a few seeded cells hold, its score models are what they say, its sums are exact.

The whole of it is `make coverage`, with its results in docs/coverage.md.
"""

from __future__ import annotations

import math
import sys
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import rocscope as rs

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.coverage import areas, counts, models, pairs
from benchmarks.coverage.drawn import designs, measures, page, quantity, small
from benchmarks.coverage.drawn import run as drawn
from benchmarks.coverage.drawn import scores as normal
from benchmarks.coverage.results import Results, promises

CELLS = (
    areas.Cell("binormal", 10, 10, 0.9),
    areas.Cell("binormal, unequal", 10, 50, 0.8),
    areas.Cell("exponential", 25, 25, 0.99),
    areas.Cell("ratings", 10, 10, 0.999),
)


# ---- one area ----


@pytest.mark.parametrize("cell", CELLS, ids=lambda cell: cell.name)
def test_the_default_covers_and_is_never_silly(cell):
    found = areas.simulate(cell, 400)["newcombe"]
    assert found.coverage >= 0.90
    assert (found.refused, found.zero_width, found.outside) == (0, 0, 0)
    assert found.relative_width <= 1.3


def test_the_usual_methods_collapse_where_the_default_does_not():
    found = areas.simulate(CELLS[3], 400)
    assert found["newcombe"].coverage > 0.9 > 0.3 > found["delong"].coverage
    assert found["delong"].refused > 200  # perfect samples: DeLong has no variance there, and says so


def test_a_cell_gives_the_same_figures_again_and_alone():
    assert areas.simulate(CELLS[0], 50) == areas.simulate(CELLS[0], 50)
    assert CELLS[0].seed != CELLS[1].seed
    assert len({tuple(cell.seed) for cell in (*areas.grid(), *areas.harder())}) == 186


def test_the_shortcuts_change_nothing():
    """Tables are made of ranks and areas seen before are not asked again: the limits are those of the scores."""
    model = models.named("ratings")
    up, down = model.draw(np.random.default_rng(3), model.solve(0.9), (30, 8), (30, 12))
    pos, neg = models.sorted_counts(up, down)
    answers = list(areas._answers(pos, neg, areas.METHODS))
    for i in range(30):
        t = rs.ScoreTable.from_scores([1] * 8 + [0] * 12, np.concatenate((up[i], down[i])))
        for method, row in zip(areas.METHODS, answers[i], strict=True):
            found = rs.intervals.auc(t, method=method)
            np.testing.assert_array_equal(row[:3], (found.value, found.low, found.high))


# ---- score models ----


@pytest.mark.parametrize("model", models.models(), ids=lambda model: model.name)
@pytest.mark.parametrize("area", (0.7, 0.95, 0.999))
def test_the_area_of_a_model_is_the_one_asked_for(model, area):
    assert model.area(model.solve(area)) == pytest.approx(area, abs=1e-12)
    up, down = model.draw(np.random.default_rng(1), model.solve(area), (1, 40_000), (1, 40_000))
    t = rs.ScoreTable.from_scores(np.repeat([1, 0], 40_000), np.concatenate((up[0], down[0])))
    error = rs.intervals.auc(t, method="delong").se
    assert abs(rs.curves.auc(t) - area) < 4 * error


def test_the_beta_model_has_its_area_by_integration():
    from scipy.integrate import quad

    a = 2.7  # P(negative < x) = 1 - (1 - x)^a, density of the positives a x^(a - 1)
    area = quad(lambda x: (1 - (1 - x) ** a) * a * x ** (a - 1), 0, 1)[0]
    assert models.beta_area(a) == pytest.approx(area, abs=1e-9)


# ---- two models ----


def test_pairs_have_the_areas_and_the_correlation_they_name():
    pair = pairs.Pair(400, 400, 0.9, 0.8, 0.5, 2.0)
    y, first, second = pairs.scores(pair, 60)
    for scores, area in ((first, 0.9), (second, 0.8)):
        found = np.mean([rs.curves.auc(rs.ScoreTable.from_scores(y, row)) for row in scores])
        assert found == pytest.approx(area, abs=0.006)
    for label in (0, 1):
        seen = np.corrcoef(first[:, y == label].ravel(), second[:, y == label].ravel())[0, 1]
        # the class means are the same within a label, so this is the correlation within the class
        assert seen == pytest.approx(0.5, abs=0.03)


def test_delong_keeps_near_its_size_and_the_floor_covers():
    found = pairs.simulate(pairs.Pair(25, 25, 0.8, 0.8, 0.5), 400)
    assert 0.01 <= found.size <= 0.09
    assert found.tallies["floored"].coverage >= found.tallies["delong"].coverage >= 0.9
    small = pairs.simulate(pairs.Pair(10, 10, 0.99, 0.9, 0.5), 200)
    assert small.tallies["floored"].coverage >= 0.93
    assert small.tallies["floored"].outside == 0


# ---- by enumeration ----


def test_exact_coverage_is_that_of_a_fine_grid():
    low, high = counts.limits("wilson", 12)
    found = counts.exact_coverage(low, high)
    rates = (np.arange(50_000) + 0.5) / 50_000
    covered = (counts.binomial(12, rates) * ((low <= rates[:, None]) & (rates[:, None] <= high))).sum(axis=1)
    assert found.mean == pytest.approx(covered.mean(), abs=1e-4)
    assert found.least <= covered.min() <= found.least + 1e-3
    middle = covered[(rates >= 0.1) & (rates <= 0.9)]
    assert found.least_in_middle <= middle.min() <= found.least_in_middle + 1e-3


def test_what_is_promised_of_proportions():
    for n in (5, 20, 60):
        assert counts.exact_coverage(*counts.limits("clopper-pearson", n)).least >= 0.95
        assert 0.94 < counts.exact_coverage(*counts.limits("wilson", n)).mean < 0.96
        assert counts.exact_coverage(*counts.limits("wald", n)).least == 0


def test_the_size_of_mcnemar_is_that_of_all_outcomes():
    n, rate = 9, 0.6
    total = 0.0
    for b in range(n + 1):
        for c in range(n + 1 - b):
            chance = math.factorial(n) // (math.factorial(b) * math.factorial(c) * math.factorial(n - b - c))
            chance *= (rate / 2) ** (b + c) * (1 - rate) ** (n - b - c)
            total += chance * (rs.significance.mcnemar(b, c).p <= 0.05)
    found = counts.mcnemar_sizes("mid-p", (n,))
    assert found[0, list(counts.RATES).index(rate)] == pytest.approx(total, abs=1e-12)


def test_mid_p_keeps_its_size_until_most_pairs_are_discordant():
    sizes = counts.mcnemar_sizes("mid-p", range(5, 61))
    assert sizes[:, counts.RATES <= 0.75].max() <= 0.05 < sizes.max()
    assert counts.mcnemar_sizes("exact", range(5, 61)).max() <= 0.05
    assert counts.safe_rate(np.full((1, 100), 0.06)) == 0


@pytest.mark.parametrize(("measure", "method"), counts.MEASURES)
def test_tables_called_alike_have_the_same_interval(measure, method):
    tables = counts.all_tables(9)[::7]
    quick = counts.intervals_of(measure, method, tables)
    slow = np.array([counts.ask(measure, method, cells) for cells in tables.tolist()])
    np.testing.assert_allclose(quick, slow, atol=1e-9)


def test_all_tables_and_their_chances_add_up():
    tables = counts.all_tables(12)
    assert len(tables) == math.comb(15, 3) == len(np.unique(tables, axis=0))
    setting = counts.Setting(12, 0.3, 0.8, 0.9)
    assert math.fsum(setting.shares.values()) == pytest.approx(1)
    assert counts.multinomial(tables, list(setting.shares.values())).sum() == pytest.approx(1, abs=1e-12)
    found = counts.measure_coverage("f1", None, 12)[setting]
    empty = float((1 - Fraction(3, 10) - Fraction(7, 100)) ** 12)  # no positive and no alarm: F1 is 0/0
    assert found.undefined == pytest.approx(empty, abs=1e-12)
    assert found.coverage > 0.9


# ---- promises ----


def test_a_missed_promise_is_said():
    def tally(covered: int) -> dict[str, areas.Tally]:
        return dict.fromkeys(areas.METHODS, areas.Tally(100, covered, 0, 0, 0, 0, 0.2, 0.1))

    pair = pairs.Outcome(100, 50, 0, 0, dict.fromkeys(pairs.INTERVALS, tally(95)["delong"]))
    found = Results(
        samples=100,
        areas=dict.fromkeys(CELLS, tally(80)),
        harder={},
        pairs={pairs.grid()[0]: pair},
        proportions={},
        mcnemar={"mid-p": np.full((1, 100), 0.04)},
        measures={},
        cases=(5,),
    )
    assert [promise.holds for promise in promises(found)] == [False] * 3 + [True] * 2 + [False] * 2 + [True] * 3


# ---- settings drawn at random ----


def by_name(name: str) -> quantity.Quantity:
    return next(one for one in drawn.QUANTITIES if one.name == name)


@pytest.mark.parametrize("one", drawn.QUANTITIES, ids=lambda one: one.name)
def test_every_quantity_can_be_asked(one):
    """One sample of a small setting; settings are the same again, and say how many cases of a class to expect."""
    places = sorted(range(12), key=lambda at: one.setting(at).get("n", 0) * one.setting(at).get("models", 1))
    setting = one.setting(places[0])
    assert setting == one.setting(places[0]) and setting["cases"] > 0
    answers = one.sample(setting, np.random.default_rng(5))
    assert answers and set(one.held) <= set(answers)
    for name, found in answers.items():
        if isinstance(found, quantity.Limits) and not math.isnan(found.low):
            assert found.least - 1e-9 <= found.low < found.high <= found.most + 1e-9, name


def test_what_is_said_of_equal_models_is_what_compare_says():
    """The shortcuts of the simulation change nothing: the grade, and whether some pair is told apart."""
    one, seen = by_name("equal models, by AUC"), set()
    setting = one.setting(0) | {
        "models": 4,
        "tied": "all",
        "n": 60,
        "areas": [0.7] * 4,
        "correlation": 0.1,
        "step": 0.0,
    }
    for unequal in (0.0, 0.2):
        here = setting | {"areas": [0.7 + unequal, 0.7, 0.7, 0.7]}
        for seed in range(12):
            found = one.sample(here, np.random.default_rng(seed))
            rng = np.random.default_rng(seed)
            y = normal.labels(rng, 60, here["share"])
            asked = rs.compare(y, normal.named(normal.scores(rng, here, y)))
            assert found["one is called best"].wrongly == (asked.certainty["grade"] == "settled")
            apart = any(not pair.estimate.low <= 0 <= pair.estimate.high for pair in asked.pairs)
            assert found["some pair is called different"].wrongly == apart
            seen.add((found["one is called best"].wrongly, apart))
    assert len(seen) > 1


def test_what_is_asked_of_classes_is_what_evaluate_prints():
    """Macro averages of a matrix, and mean AUCs of scores: the simulated functions and the public answer are one."""
    rng = np.random.default_rng(6)
    y, stated = rng.integers(0, 3, 90), rng.dirichlet(np.ones(3), 90)
    predicted = rng.integers(0, 3, 90)
    ev, matrix = rs.evaluate(y, predicted=predicted), rs.Confusion.from_labels(y, predicted)
    for name in measures.AVERAGED:
        assert ev.estimates[f"macro {name}"] == matrix.estimate(name, average="macro")
    made = rs.multiclass.ClassScores.of(y, stated, labels=[0, 1, 2])
    by_class = rs.evaluate(y, stated, labels=[0, 1, 2])
    for how, name in (("macro", "auc"), ("hand-till", "hand_till")):
        assert by_class.area(name) == rs.intervals.mean_auc(made, how)


def test_the_quickest_quantity_is_the_first(monkeypatch):
    """What has least left to do is done first, and what is done takes no time."""
    done = by_name("balanced accuracy and kin, 3 to 20 positives")
    assert drawn.seconds_left(done, 60, 1000) == 0
    quick, slow = by_name("readers"), by_name("equal models, by cost")
    order = []
    monkeypatch.setattr(drawn, "QUANTITIES", (slow, quick))
    monkeypatch.setattr(drawn, "seconds_left", lambda one, *_: {"readers": 1.0}.get(one.name, 9.0))
    monkeypatch.setattr(drawn, "run", lambda one, settings, *_, **__: order.append((one.name, settings)) or {})
    drawn.everything(["readers", "by cost"], None, 1000, 0, 1, go_on=True)
    assert order == [("readers", 60), ("equal models, by cost", 60)]


def test_more_samples_only_add():
    one = by_name("balanced accuracy and kin, 3 to 20 positives")
    setting, few = quantity.simulate(one, 3, 40)
    again = quantity.simulate(one, 3, 90, quantity.as_data(setting, 40, few))
    assert again[0] == setting and again[1] == quantity.simulate(one, 3, 90)[1]


def test_balanced_accuracy_covers_with_few_positives():
    found = quantity.simulate(by_name("balanced accuracy and kin, 3 to 20 positives"), 0, 300)[1]
    for name, tally in found.items():
        assert tally.share >= 0.91 and not tally.zero and not tally.outside, name


def test_true_rates_are_those_of_many_cases():
    rng = np.random.default_rng(8)
    for step in (0.0, 0.25):
        setting = {"areas": [0.8, 0.7], "correlation": 0.4, "spread": 1.5, "step": step}
        y = np.arange(400_000) % 2
        for model, x in enumerate(normal.scores(rng, setting, y)):
            seen = (x[y == 1] >= 0.75).mean(), (x[y == 0] >= 0.75).mean()
            assert normal.rates(setting, model, 0.75) == pytest.approx(seen, abs=0.005)
            area = rs.curves.auc(rs.ScoreTable.from_scores(y, x))
            assert area == pytest.approx(normal.true_area(setting, model), abs=0.004)
            if not step:
                assert normal.true_area(setting, model) == setting["areas"][model]
        assert normal.rates(setting, 0, math.inf) == (0, 0)


@pytest.mark.parametrize("goes_with", ["class", "group", "nothing"])
def test_a_weighted_sample_stands_for_its_population(goes_with):
    one = by_name("weights")
    setting = one.setting(0) | {"n": 60_000, "share": 0.3, "heaviest": 6.0, "goes with": goes_with}
    y, x, w = designs.weighted(setting, np.random.default_rng(9))
    assert len(y) == 60_000 and w @ y / w.sum() == pytest.approx(0.3, abs=0.012)
    truth = {name: found.truth for name, found in one.sample(setting, np.random.default_rng(9)).items()}
    assert truth["AUC"] == pytest.approx(rs.evaluate(y, x, weights=w).auc.value, abs=0.012)
    assert truth["recall, given"] == pytest.approx(
        rs.evaluate(y, x, weights=w, threshold=_middle(setting)).at(_middle(setting)).recall, abs=0.012
    )


def _middle(setting):
    return math.sqrt(2) * models.quantile(setting["area"]) / 2


def test_true_calibration_and_precision_are_those_of_many_cases():
    true = measures.true_calibration(0.2, 1.3, 0.7, 0.3)
    rng = np.random.default_rng(10)
    logits = true["center"] + 1.3 * rng.standard_normal(400_000)
    y = rng.random(400_000) < 1 / (1 + np.exp(-0.3 - 0.7 * logits))
    t = rs.ScoreTable.from_scores(y, 1 / (1 + np.exp(-logits)))
    assert y.mean() == pytest.approx(0.2, abs=0.003)
    fit = rs.curves.calibration_fit(t)
    assert (fit.slope, fit.intercept, fit.in_the_large) == pytest.approx(
        (0.7, 0.3, true["calibration_in_the_large"]), abs=0.03
    )
    assert rs.curves.get("ece_10")(t) == pytest.approx(true["ece_10"], abs=0.003)
    area = measures.true_average_precision(0.2, 0.8, 1.0)
    y, x = np.arange(200_000) % 5 == 0, rng.standard_normal(200_000)
    x = x + y * math.sqrt(2) * models.quantile(0.8)
    assert rs.curves.average_precision(rs.ScoreTable.from_scores(y, x)) == pytest.approx(area, abs=0.004)


def test_small_tables_have_intervals_with_width_inside_their_range():
    found = small.chunk(3, 60)
    assert found["tables"] == 60 and found["asked"] > 300 and found["faults"] == {}


def test_a_fault_is_named():
    assert small.fault(rs.estimate.Estimate(0.5, 0.5, 0.5), 0, 1) == "width 0"
    assert small.fault(rs.estimate.Estimate(0.5, -0.1, 0.6), 0, 1) == "outside its range"
    assert small.fault(rs.estimate.Estimate(0.5, 0.6, 0.7), 0, 1) == "without its value"
    assert small.fault(rs.estimate.Estimate(0.5, 0.1, 0.7), 0, 1) == ""


def test_the_page_names_what_does_not_hold():
    one = quantity.Quantity("areas", "`f()`", lambda rng: {}, lambda setting, rng: {})
    good, bad = (quantity.Tally("limits", samples=1000, covered=covered, width=100.0) for covered in (950, 850))
    rows = {
        str(at): {"setting": {"n": 100 + at, "cases": 20.0}, "samples": 1000, "found": {"AUC": tally.__dict__}}
        for at, tally in enumerate((good, bad))
    }
    kept = [(one, {"quantity": "areas", "settings": rows})]
    (found,) = page.answers(kept)
    few = page.Answer(one, "AUC", found.cells[:1])
    assert (few.holds, few.full, few.verdict, found.verdict) == (True, False, "not contradicted", "**no**")
    assert (found.holds, found.worst.index, len(found.short)) == (False, 1, 1)
    text = page.markdown(kept, {"tables": 5, "asked": 9, "faults": {}})
    assert (
        "0 of 1 answers hold" in text
        and "1 answer fails" in text
        and "**no**" in text
        and "n 101" in text
        and "none has width 0" in text
    )
    whole = page.placed("# Coverage\n\n## How it was made\n\nSo.\n", text)
    assert page.placed(whole, text) == whole and whole.endswith("## How it was made\n\nSo.\n")


def test_the_page_is_written_from_what_was_found():
    """docs/coverage.md has the part that the kept figures give."""
    assert page.placed(drawn.PAGE.read_text(encoding="utf-8"), drawn.section()) == drawn.PAGE.read_text(
        encoding="utf-8"
    )
