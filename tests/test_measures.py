"""The catalog: its facts, the laws that hold for every measure, and its peers."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rocscope import Confusion, measures
from rocscope.errors import RocscopeError
from rocscope.formula import CELLS
from rocscope.measures import Measure, average, catalog, class_cells, fbeta, get, names
from rocscope.measures.information import confusion_entropies

ALL = catalog()
ON_CELLS = [one for one in ALL if one.formula is not None]
ON_MATRICES = [one for one in ALL if one.matrix is not None]

# ---- which laws do not hold for which measure, and why ----

ORDERED = {"linear_weighted_kappa", "quadratic_weighted_kappa"}  # they know which class is next to which
GROWING = {  # they count cases, or pairs of cases
    *(one.name for one in ALL if one.group == "counts"),
    "cases_per_class",
    "chi_squared",
    "krippendorff_alpha",
    "rand_index",
    "adjusted_rand_index",
}
BEST_ONLY_APPROACHED = {
    "detection_rate",
    "faith",
    "tarwid",
    "pearson_c",
}  # needs all positive, or rare, or many classes
BEST_WHEN_EVEN = {"michael", "dispersion"}
UNDEFINED_WHEN_PERFECT = {"extremal_dependence_index", "symmetric_extremal_dependence_index"}

# ---- cells ----

SMALL, MIDDLE, HUGE = st.integers(0, 6), st.integers(0, 1000), st.integers(0, 10**20)


def four(count: Any) -> Any:
    return st.fixed_dictionaries(dict.fromkeys(CELLS, count))


ANY_CELLS = st.one_of(four(SMALL), four(MIDDLE), four(HUGE), four(st.one_of(st.just(0), HUGE)))
ANY_MATRIX = (
    st.integers(1, 5)
    .flatmap(
        lambda k: st.one_of(
            *(
                st.lists(st.lists(cell, min_size=k, max_size=k), min_size=k, max_size=k)
                for cell in (SMALL, st.sampled_from((0, 0, 1, 7)), MIDDLE, HUGE)
            )
        )
    )
    .map(lambda rows: np.array(rows, dtype=object))
)


def rows(length: int) -> Any:
    return st.lists(st.sampled_from((0, 0, 1, 2, 9, 100)), min_size=length, max_size=length)


def counts(tp: Any, fp: Any, fn: Any, tn: Any) -> dict[str, Any]:
    return {"tp": tp, "fp": fp, "fn": fn, "tn": tn}


def matrix_of(cells: dict[str, Any]) -> Any:
    return np.array([[cells["tp"], cells["fn"]], [cells["fp"], cells["tn"]]], dtype=object)


def near(a: float, b: float, tolerance: float = 1e-12) -> bool:
    return (math.isnan(a) and math.isnan(b)) or a == b or abs(a - b) <= tolerance * max(1.0, abs(a), abs(b))


def exact_or_none(ask: Any) -> Fraction | None:
    """The fraction, or None where the refusal says irrational or undefined."""
    try:
        return ask()  # type: ignore[no-any-return]
    except RocscopeError as error:
        assert "irrational" in str(error) or "undefined" in str(error)
        return None


def check_value(one: Measure, value: float, exact: Fraction | None, why: str) -> None:
    """In its range, NaN if and only if there is a reason, and the fraction rounded once where there is one."""
    assert math.isnan(value) == bool(why), (one.name, value, why)
    if math.isnan(value):
        assert exact is None
        assert len(why) > 8
    elif exact is not None:
        assert float(exact) == value
        assert one.low <= value <= one.high, one.name
    else:
        slack = 1e-12 * max(1.0, abs(value))
        assert one.low - slack <= value <= one.high + slack, one.name


# ---- facts ----


def test_the_catalogue_is_large_and_every_name_is_one_measure() -> None:
    assert len(ALL) >= 130
    everything = [name for one in ALL for name in (one.name, *one.aka)]
    assert len(everything) == len(set(everything)) == len(names())
    assert all(name == name.lower() and " " not in name for name in everything)
    assert {name for name in everything if not name.isidentifier()} == {"lr+", "lr-", "f0.5"}


REQUIRED = """accuracy error_rate precision recall sensitivity specificity tpr fpr tnr fnr ppv npv f1 mcc kappa lift
youden balanced_accuracy fallout miss_rate fdr fomr false_omission_rate prevalence detection_rate markedness
informedness lr_plus lr_minus positive_likelihood_ratio plr lr+ dor fowlkes_mallows jaccard threat_score csi gmean
discriminant_power yule_q yule_y optimized_precision adjusted_f adjusted_geometric_mean index_of_balanced_accuracy
bennett_s scott_pi gwet_ac1 krippendorff_alpha unbiased_kappa kappa_max pabak cramer_v pearson_c phi_squared
chi_squared lambda_a lambda_b mutual_information conditional_entropy joint_entropy reference_entropy response_entropy
cross_entropy kl_divergence relative_classifier_information cen mcen adjusted_rand_index hamming_loss zero_one_loss
no_information_rate cba overall_jaccard aunu aunp single_point_auc bangdiwala_b braun_blanquet overlap otsuka_ochiai
sokal_sneath_1 rogers_tanimoto russell_rao kulczynski_1 kulczynski_2 hamann faith positives p condition_positive
negatives predicted_positives predicted_negatives total information_score distance_index number_needed_to_diagnose
number_needed_to_misdiagnose predicted_prevalence bias peirce_skill_score heidke gilbert_skill_score sedi
overall_accuracy"""


def test_promised_names_exist() -> None:
    assert not [name for name in REQUIRED.split() if name not in names()]


@pytest.mark.parametrize("one", ALL, ids=lambda one: one.name)
def test_each_declaration_is_complete(one: Measure) -> None:
    assert one.text or one.matrix
    assert one.latex and one.title and one.prefer
    assert one.says.endswith(".") and one.says[0].isupper()
    assert one.low < one.high
    assert one.best is None or one.low <= one.best <= one.high
    assert one.chance or one.best is None
    assert one.group in {
        "rates", "counts", "clinical", "forecasts", "agreement", "similarity", "information", "overall", "association",
    }  # fmt: skip


def test_no_one_point_value_calls_itself_an_area() -> None:
    assert not {"auc", "auroc", "roc_auc", "gini", "aupr", "auprc"} & set(names())


def test_no_name_hides_a_part_of_counts_or_confusion() -> None:
    from rocscope.table import Confusion, Counts

    taken = {name for kind in (Counts, Confusion) for name in dir(kind) if not name.startswith("_")}
    assert not taken & set(names())


def test_names_are_found_whatever_their_spelling() -> None:
    assert get("PPV") is get(" precision ") is get("Positive Predictive-Value")
    assert get("lr-").name == "lr_minus"
    assert [get(f"f{beta}").text for beta in ("2", "0.5", "0_5")] == [fbeta(b).text for b in (2, 0.5, 0.5)]
    with pytest.raises(RocscopeError, match="Did you mean 'precision'"):
        get("precison")


def test_nothing_is_parsed_when_imported() -> None:
    code = "import rocscope.measures, rocscope.formula as f; print(f.parse.cache_info().currsize)"
    path = str(Path(measures.__file__).parents[2])
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env={"PYTHONPATH": path}
    )
    assert done.stdout.strip() == "0"


# ---- laws for every measure ----


@settings(max_examples=25)
@given(ANY_CELLS)
def test_range_reason_and_rounding_on_cells(cells: dict[str, int]) -> None:
    for one in ALL:
        check_value(one, one.value(cells), exact_or_none(lambda one=one: one.exact(cells)), one.why(cells))


@settings(max_examples=25)
@given(ANY_MATRIX)
def test_range_reason_and_rounding_on_matrices(a: Any) -> None:
    for one in ON_MATRICES:
        exact = exact_or_none(lambda one=one: one.exact_of_matrix(a))
        check_value(one, one.of_matrix(a), exact, one.why_of_matrix(a))


@settings(max_examples=25)
@given(ANY_CELLS)
def test_matrix_and_formula_are_one_at_two_classes(cells: dict[str, int]) -> None:
    a = matrix_of(cells)
    for one in ON_MATRICES:
        if one.formula is None:
            continue
        assert near(one.of_matrix(a), one.value(cells)), one.name
        fraction = exact_or_none(lambda one=one: one.exact(cells))
        if fraction is not None:  # a formula refuses 0 / sqrt(2) too, which a matrix knows to be 0
            assert one.exact_of_matrix(a) == fraction, one.name


@settings(max_examples=20)
@given(ANY_MATRIX, st.randoms(use_true_random=False))
def test_names_of_classes_do_not_matter(a: Any, random: Any) -> None:
    order = random.sample(range(len(a)), len(a))
    shuffled, reversed_ = a[np.ix_(order, order)], a[::-1, ::-1]
    for one in ON_MATRICES:
        other = reversed_ if one.name in ORDERED else shuffled
        assert near(one.of_matrix(a), one.of_matrix(other)), one.name


def test_ordered_measures_do_mind_the_order() -> None:
    a = np.array([[5, 4, 0], [1, 6, 1], [0, 1, 7]], dtype=object)
    order = [1, 0, 2]
    for name in ORDERED:
        assert not near(get(name).of_matrix(a), get(name).of_matrix(a[np.ix_(order, order)]), 1e-3)


@settings(max_examples=12)
@given(ANY_CELLS, ANY_MATRIX, st.sampled_from((2, 3, 10**6)))
def test_more_of_the_same_changes_no_rate(cells: dict[str, int], a: Any, factor: int) -> None:
    more = {name: factor * cell for name, cell in cells.items()}
    for one in ALL:
        if one.name not in GROWING:
            assert near(one.value(cells), one.value(more)), one.name
            assert one.matrix is None or near(one.of_matrix(a), one.of_matrix(factor * a)), one.name


def test_growing_measures_do_grow() -> None:
    for name in GROWING:
        assert get(name).value(counts(7, 8, 3, 13)) != get(name).value(counts(14, 16, 6, 26)), name


@settings(max_examples=12)
@given(st.lists(st.one_of(four(SMALL), four(MIDDLE)), min_size=1, max_size=12), st.sampled_from((1, 2**40)))
def test_a_curve_is_its_points(points: list[dict[str, int]], factor: int) -> None:
    arrays = {name: np.array([factor * point[name] for point in points]) for name in CELLS}
    for one in ALL:
        along = one.value(arrays)
        assert along.shape == (len(points),)
        singly = [one.value({name: factor * cell for name, cell in point.items()}) for point in points]
        assert all(near(float(x), y) for x, y in zip(along, singly, strict=True)), (one.name, along, singly)
        undefined = sum(map(math.isnan, singly))
        assert one.why(arrays).startswith(f"undefined at {undefined} of {len(points)}") if undefined else True


@settings(max_examples=12)
@given(st.integers(2, 4).flatmap(lambda k: st.lists(rows(k * k), min_size=1, max_size=6)))
def test_a_batch_is_a_loop(batch: list[list[int]]) -> None:
    k = math.isqrt(len(batch[0]))
    stacked = np.array(batch).reshape(-1, k, k)
    for one in ON_MATRICES:
        for form in (stacked, stacked.astype(np.float64)):
            together = one._function(form)
            assert together.shape == (len(batch),)
            assert all(near(float(x), one.of_matrix(a)) for x, a in zip(together, form, strict=True)), one.name
        assert all(near(one.of_matrix(a), one.of_matrix(a.astype(object))) for a in form), one.name


# ---- chance ----

INDEPENDENT = (counts(120, 280, 180, 420), counts(30, 10, 90, 30))
THREE = np.array([[25, 25, 50], [50, 50, 100], [75, 75, 150]], dtype=object)
WORDS: dict[str, Any] = {  # what the words say, of prevalence p, share flagged q and k classes
    "prevalence": lambda p, q, k: p,
    "the share flagged": lambda p, q, k: q,
    "1 - prevalence": lambda p, q, k: 1 - p,
    "1 - the share flagged": lambda p, q, k: 1 - q,
    "prevalence times the share flagged": lambda p, q, k: p * q,
    "the share flagged over prevalence": lambda p, q, k: q / p,
    "(1 - prevalence) / prevalence": lambda p, q, k: (1 - p) / p,
    "1 / prevalence": lambda p, q, k: 1 / p,
    "1/k, so 0.5 for two classes": lambda p, q, k: Fraction(1, k),
    "1 - 1/k, so 0.5 for two classes": lambda p, q, k: 1 - Fraction(1, k),
    "2/k - 1, so 0 for two classes": lambda p, q, k: Fraction(2, k) - 1,
    "the share of the most common class": lambda p, q, k: max(p, 1 - p),
    "the most common class over the rarest": lambda p, q, k: max(p, 1 - p) / min(p, 1 - p),
}
OF_CLASSES = {"1/k, so 0.5 for two classes", "1 - 1/k, so 0.5 for two classes", "2/k - 1, so 0 for two classes"}


def is_number(text: str) -> bool:
    return text.replace(".", "").isdigit()


@pytest.mark.parametrize("one", ALL, ids=lambda one: one.name)
def test_chance_is_what_independence_gives(one: Measure) -> None:
    values = [one.value(cells) for cells in INDEPENDENT]
    shares = [
        (Fraction(c["tp"] + c["fn"], sum(c.values())), Fraction(c["tp"] + c["fp"], sum(c.values())))
        for c in INDEPENDENT
    ]
    if is_number(one.chance):
        assert all(near(value, float(one.chance)) for value in values)
        assert one.matrix is None or near(one.of_matrix(THREE), float(one.chance))
    elif one.chance in WORDS:
        expected = [WORDS[one.chance](p, q, 2) for p, q in shares]
        assert all(near(value, float(e)) for value, e in zip(values, expected, strict=True))
        if one.chance in OF_CLASSES:
            assert near(one.of_matrix(THREE), float(WORDS[one.chance](0, 0, 3)))
    elif one.chance.startswith("depends"):
        assert abs(values[0] - values[1]) > 1e-3
    elif one.chance.startswith("undefined"):
        assert all(map(math.isnan, values))
    else:
        even = "0 when the share flagged equals the prevalence, otherwise below 0"
        assert one.chance in ("", "near 0", "0 on average", even)


def test_chance_in_the_remaining_words() -> None:
    assert get("scott_pi").exact(counts(9, 21, 21, 49)) == 0
    assert all(get("scott_pi").value(cells) < 0 for cells in INDEPENDENT)
    assert all(abs(get("krippendorff_alpha").value(cells)) < 0.05 for cells in (counts(90, 210, 210, 490),))
    deals = [counts(tp, 3 - tp, 2 - tp, 3 + tp) for tp in range(3)]  # 2 of 8 positive, 3 flagged
    ways = [math.comb(2, c["tp"]) * math.comb(6, c["fp"]) for c in deals]
    mean = sum(w * get("adjusted_rand_index").exact(c) for w, c in zip(ways, deals, strict=True))
    assert mean == 0  # the expectation over all deals with these margins


# ---- the best value ----

PERFECT = (counts(15, 0, 0, 15), counts(4, 0, 0, 16))
FLAWED = (counts(12, 3, 3, 12), counts(3, 1, 1, 15))


@pytest.mark.parametrize("one", [one for one in ALL if one.best is not None], ids=lambda one: one.name)
def test_best_is_what_perfection_gives(one: Measure) -> None:
    values = [one.value(cells) for cells in PERFECT]
    if one.name in UNDEFINED_WHEN_PERFECT:
        assert all(map(math.isnan, values))
    elif one.best == math.inf or one.name in BEST_ONLY_APPROACHED:
        flawed = [one.value(cells) for cells in FLAWED]
        assert all(math.isnan(best) or best > worse for best, worse in zip(values, flawed, strict=True))
    else:
        assert values[0] == one.best
        assert (values[1] == one.best) == (one.name not in BEST_WHEN_EVEN)
        if one.matrix is not None:
            assert one.of_matrix(np.diag([3, 4, 5]).astype(object)) == one.best


# ---- gradients ----


def slopes(value: Any, at: list[Any]) -> list[float | None]:
    """Central differences in exact fractions; None next to a kink or a pole."""
    found: list[float | None] = []
    for i, cell in enumerate(at):
        step = Fraction(cell, 10**4)
        back, ahead = (value([*at[:i], cell + sign * step, *at[i + 1 :]]) for sign in (-1, 1))
        here, size = value(at), float(step)
        scale = max(1e-9, abs(here) / float(cell), abs(ahead - back) / (2 * size))
        bent = abs(ahead - 2 * here + back) / size > 1e-2 * scale
        found.append(None if bent or math.isnan(scale) else (ahead - back) / (2 * size))
    return found


def agree(found: Any, expected: list[float | None], scale: float) -> int:
    """How many slopes were compared, all of them equal to 1e-6."""
    pairs = [(float(x), y) for x, y in zip(found, expected, strict=True) if y is not None]
    assert all(abs(x - y) <= 1e-6 * max(abs(x), abs(y), scale) for x, y in pairs), pairs
    return len(pairs)


RANDOM = np.random.default_rng(20)
POSITIVE = [[int(x) for x in RANDOM.integers(1, 200, 4)] for _ in range(6)]
POSITIVE_3 = [RANDOM.integers(1, 60, (3, 3)).astype(object) + np.diag([30, 40, 50]) for _ in range(3)]


OF_PAIRS = ("krippendorff_alpha", "rand_index", "adjusted_rand_index")  # defined at whole numbers of cases only


@pytest.mark.parametrize("one", [one for one in ALL if one.name not in OF_PAIRS], ids=lambda one: one.name)
def test_gradient_on_cells(one: Measure) -> None:
    compared = 0
    for at in POSITIVE:
        cells = dict(zip(CELLS, at, strict=True))
        gradient = [float(x) for x in one.gradient(cells)]
        value = one.value(cells)
        by_differences = slopes(lambda new: one.value(dict(zip(CELLS, new, strict=True))), at)
        compared += agree(gradient, by_differences, abs(value) / max(at))
        if one.name not in GROWING:  # Euler: a measure that only sees shares does not move when all cells grow alike
            assert abs(sum(g * cell for g, cell in zip(gradient, at, strict=True))) <= 1e-9 * max(1.0, abs(value))
    assert compared >= 12


@pytest.mark.parametrize("name", OF_PAIRS)
def test_measures_of_pairs(name: str) -> None:
    one, a = get(name), POSITIVE_3[0].astype(float)
    gradient, h = one.gradient_of_matrix(a), 1e-4
    for i, j in np.ndindex(3, 3):
        step = np.zeros((3, 3))
        step[i, j] = h
        up, down = one.matrix(np.stack([a + step, a - step]))  # a batch is not checked for whole numbers
        assert gradient[i, j] == pytest.approx((up - down) / (2 * h), rel=1e-5, abs=1e-9)
    assert math.isnan(one.of_matrix(a / 3)) and "integer counts" in one.why_of_matrix(a / 3)


@pytest.mark.parametrize("one", [one for one in ON_MATRICES if one.name not in OF_PAIRS], ids=lambda one: one.name)
def test_gradient_on_matrices(one: Measure) -> None:
    compared = 0
    for a in POSITIVE_3:
        gradient = one.gradient_of_matrix(a)
        assert gradient.shape == (3, 3)
        by_differences = slopes(lambda new: one.of_matrix(np.array(new, dtype=object).reshape(3, 3)), list(a.ravel()))
        compared += agree(gradient.ravel(), by_differences, abs(one.of_matrix(a)) / 100)
        if one.name not in GROWING:
            assert abs((gradient * a.astype(float)).sum()) <= 1e-9 * max(1.0, abs(one.of_matrix(a)))
    assert compared >= 18


# ---- figures of the founding documents ----

IRIS = np.array([[10, 0, 0], [0, 7, 3], [0, 5, 5]], dtype=object)
ANIMALS = np.array([[5, 3, 0], [2, 3, 1], [0, 2, 11]], dtype=object)
F = Fraction
FIGURES: dict[str, tuple[dict[str, int], dict[str, Any]]] = {
    "29": (
        counts(7, 7, 3, 13),
        {"ppv": F(1, 2), "npv": F(13, 16), "tpr": F(7, 10), "tnr": F(13, 20), "fnr": F(3, 10), "fpr": F(7, 20),
         "accuracy": F(2, 3), "f1": F(7, 12), "youden": F(7, 20), "mcc": 0.3307},
    ),
    "31": (
        counts(9, 9, 1, 5),
        {"ppv": F(1, 2), "npv": F(5, 6), "tpr": F(9, 10), "tnr": F(5, 14), "accuracy": F(14, 24), "f1": F(9, 14)},
    ),
    "33": (
        counts(70, 30, 70, 330),
        {"precision": F(7, 10), "recall": F(1, 2), "accuracy": F(4, 5), "specificity": F(11, 12), "f1": F(7, 12),
         "mcc": 0.4677},
    ),
    "40": (
        counts(3, 1, 3, 3),
        {"precision": F(3, 4), "recall": F(1, 2), "f1": F(3, 5), "npv": F(1, 2), "specificity": F(3, 4),
         "accuracy": F(3, 5), "macro_precision": F(5, 8), "macro_recall": F(5, 8), "macro_f1": F(3, 5),
         "weighted_precision": F(13, 20), "weighted_recall": F(3, 5), "weighted_f1": F(3, 5)},
    ),
    "111": (counts(2, 5, 2, 1), {"precision": F(2, 7), "recall": F(1, 2), "accuracy": F(3, 10), "mcc": -0.356}),
    "112": (counts(40, 10, 15, 15), {"precision": F(4, 5), "recall": F(8, 11), "accuracy": F(55, 80)}),
    "130": (
        counts(3, 1, 2, 4),
        {"accuracy": F(7, 10), "precision": F(3, 4), "sensitivity": F(3, 5), "specificity": F(4, 5), "f1": F(2, 3)},
    ),
    "131": (
        counts(620, 180, 380, 8820),
        {"accuracy": F(944, 1000), "precision": F(775, 1000), "recall": F(62, 100), "specificity": F(98, 100),
         "f1": F(31, 45), "mcc": 0.6635},
    ),
}  # fmt: skip


@pytest.mark.parametrize("item", FIGURES)
def test_figures_on_four_cells(item: str) -> None:
    cells, expected = FIGURES[item]
    for name, value in expected.items():
        if isinstance(value, Fraction):
            assert get(name).exact(cells) == value, name
        else:
            assert round(get(name).value(cells), len(str(abs(value))) - 2) == value, name


def test_figures_on_three_classes() -> None:
    assert get("accuracy").exact_of_matrix(IRIS) == F(22, 30) and get("error_rate").exact_of_matrix(IRIS) == F(8, 30)
    assert get("kappa").of_matrix(IRIS) == 0.6 and str(get("kappa").of_matrix(IRIS)) == "0.6"
    assert get("macro_f1").exact_of_matrix(IRIS) == average(get("f1"), IRIS, "macro").exact == F(217, 297)
    assert get("accuracy").exact_of_matrix(ANIMALS) == F(19, 27)
    assert (
        round(get("kappa").of_matrix(ANIMALS), 4) == 0.5394 and round(get("macro_f1").of_matrix(ANIMALS), 4) == 0.6584
    )
    by_class = {
        "precision": ((1, F(7, 12), F(5, 8)), (F(5, 7), F(3, 8), F(11, 12))),
        "recall": ((1, F(7, 10), F(1, 2)), (F(5, 8), F(1, 2), F(11, 13))),
        "f1": ((1, F(7, 11), F(5, 9)), (F(2, 3), F(3, 7), F(22, 25))),
    }
    for name, columns in by_class.items():
        for a, column in zip((IRIS, ANIMALS), columns, strict=True):
            assert tuple(get(name).exact(class_cells(a, i)) for i in range(3)) == column


def test_the_unknown_cell() -> None:
    from rocscope.formula import parse

    cells = counts(5, 3, 7, parse("x - 3", unknowns=True))
    expected = {"specificity": "(x - 3)/x", "accuracy": "(x + 2)/(x + 12)", "error_rate": "10/(x + 12)"}
    for name, text in expected.items():
        assert get(name).formula.expression(cells) == text  # type: ignore[union-attr]
        assert math.isnan(get(name).value(cells)) and "but the expression" in get(name).why(cells)
    assert [get(name).exact(cells) for name in ("precision", "recall", "f1")] == [F(5, 8), F(5, 12), F(1, 2)]


def test_large_counts_neither_overflow_nor_round() -> None:
    cells = counts(60000, 50000, 40000, 70000)
    assert round(get("mcc").value(cells), 4) == round(get("mcc").of_matrix(matrix_of(cells).astype(int)), 4) == 0.1826
    int64 = {name: np.int64(cell) for name, cell in cells.items()}
    assert get("mcc").value(int64) == get("mcc").value(cells)
    assert get("krippendorff_alpha").exact(int64) == get("krippendorff_alpha").exact(cells)
    huge = counts(10**20 + 1, 10**20, 10**20, 10**20)
    assert get("accuracy").exact(huge) == F(2 * 10**20 + 1, 4 * 10**20 + 1)
    assert get("number_needed_to_diagnose").exact(huge) == F((2 * 10**20 + 1) * 2 * 10**20, 10**20)
    beyond = {name: cell * 1e80 for name, cell in cells.items()}  # products leave float64's range
    assert near(get("mcc").value(beyond), get("mcc").value(cells))


# ---- reasons ----


@pytest.mark.parametrize(
    ("name", "cells", "reason"),
    [
        ("precision", counts(0, 0, 3, 5), "nothing was predicted positive (TP + FP = 0)"),
        ("recall", counts(0, 2, 0, 5), "there are no positives (TP + FN = 0)"),
        ("npv", counts(3, 2, 0, 0), "nothing was predicted negative (FN + TN = 0)"),
        ("accuracy", counts(0, 0, 0, 0), "there are no cases"),
        ("mcc", counts(0, 0, 3, 5), "nothing was predicted positive (TP + FP = 0)"),
        ("dor", counts(4, 0, 3, 5), "there are no false positives (FP = 0)"),
        ("f1", counts(0, 0, 0, 5), "there are no positives, neither actual nor predicted (2 * TP + FP + FN = 0)"),
        ("actual_entropy", counts(0, 0, 0, 0), "there are no cases"),
        ("cross_entropy", counts(0, 0, 3, 5), "a class that occurs is never predicted"),
    ],
)  # fmt: skip
def test_reasons_in_words(name: str, cells: dict[str, int], reason: str) -> None:
    assert get(name).why(cells) == reason
    assert math.isnan(get(name).value(cells))


def test_kappa_where_chance_agreement_is_complete() -> None:
    cells = counts(9, 0, 0, 0)
    assert get("kappa").why(cells).startswith("all cases belong to one class and are predicted as such")
    assert math.isnan(get("kappa").value(cells)) and math.isnan(get("kappa").of_matrix(matrix_of(cells)))
    with pytest.raises(RocscopeError, match="undefined: all cases belong to one class"):
        get("kappa").exact_of_matrix(matrix_of(cells))


def test_refusals_say_what_to_try() -> None:
    with pytest.raises(RocscopeError, match=r"m\.of\(label\)\.precision"):
        get("precision").of_matrix(IRIS)
    with pytest.raises(RocscopeError, match="irrational"):
        get("mcc").exact(counts(7, 7, 3, 13))
    with pytest.raises(RocscopeError, match="undefined: nothing was predicted positive"):
        get("precision").exact(counts(0, 0, 3, 5))


# ---- averages ----


def test_micro_averages_of_one_label_per_case_are_accuracy() -> None:
    for a in (IRIS, ANIMALS):
        for name in ("precision", "recall", "f1"):
            assert average(get(name), a, "micro").exact == get("accuracy").exact_of_matrix(a)
        assert average(get("recall"), a, "weighted").exact == get("accuracy").exact_of_matrix(a)


@settings(max_examples=20)
@given(ANY_MATRIX)
def test_averages_are_means_of_classes(a: Any) -> None:
    for name, whole in (
        ("recall", "balanced_accuracy"),
        ("precision", "macro_precision"),
        ("jaccard", "macro_jaccard"),
    ):
        found = average(get(name), a, "macro")
        values = [get(name).value(class_cells(a, i)) for i in range(len(a))]
        assert found.undefined == tuple(i for i, value in enumerate(values) if math.isnan(value))
        if found.undefined and whole == "balanced_accuracy" and len(a) > 2 and len(found.undefined) < len(a):
            # of three or more classes, those without cases are left out
            assert get(whole).of_matrix(a) == pytest.approx(float(np.nanmean(values)), abs=1e-15)
        elif found.undefined:
            assert math.isnan(get(whole).of_matrix(a))
        else:
            assert found.exact == get(whole).exact_of_matrix(a)
            assert found.value == get(whole).of_matrix(a)
        same = average(get(name), a.astype(np.int64) if a.max() < 2**50 else a, "weighted")
        assert same == average(get(name), a, "weighted") or math.isnan(same.value)


def test_f_beta_between_precision_and_recall() -> None:
    cells = counts(7, 7, 3, 13)
    assert fbeta(0) is get("precision") and fbeta(math.inf) is get("recall") and fbeta(1) is get("f1")
    p, r = get("precision").exact(cells), get("recall").exact(cells)
    for beta in (Fraction(1, 10), Fraction(1, 3), Fraction(3, 2), Fraction(2), Fraction(7)):
        square = Fraction(repr(float(beta))) ** 2
        assert fbeta(float(beta)).exact(cells) == (1 + square) * p * r / (square * p + r)
    for wrong in (-1.0, math.nan):
        with pytest.raises(RocscopeError, match="beta"):
            fbeta(wrong)


# ---- PyCM ----

PYCM = json.loads((Path(__file__).parent / "oracles" / "pycm.json").read_text(encoding="utf-8"))["matrices"]
PYCM_CLASS = {
    "TPR": "recall", "TNR": "specificity", "PPV": "precision", "NPV": "npv", "FNR": "fnr", "FPR": "fpr",
    "FDR": "fdr", "FOR": "false_omission_rate", "ACC": "accuracy", "F1": "f1", "MCC": "mcc", "BM": "informedness",
    "MK": "markedness", "PLR": "lr_plus", "NLR": "lr_minus", "DOR": "dor", "TP": "true_positives",
    "TN": "true_negatives", "FP": "false_positives", "FN": "false_negatives", "POP": "total", "P": "positives",
    "PR": "prevalence", "N": "negatives", "TOP": "predicted_positives", "TOPR": "predicted_prevalence",
    "TON": "predicted_negatives", "PRE": "prevalence", "G": "fowlkes_mallows", "RACC": "racc", "F0.5": "f0.5",
    "F2": "f2", "ERR": "error_rate", "RACCU": "raccu", "J": "jaccard", "IS": "information_score",
    "AUC": "single_point_auc", "sInd": "similarity_index", "dInd": "distance_index", "DP": "discriminant_power",
    "Y": "youden", "GI": "single_point_gini", "LS": "lift", "AM": "flagged_excess", "BCD": "bray_curtis",
    "OP": "optimized_precision", "IBA": "iba", "GM": "gmean", "Q": "yule_q", "AGM": "adjusted_gmean",
    "AGF": "adjusted_f", "OC": "overlap", "OOC": "otsuka_ochiai", "AUPR": "single_point_aupr",
    "ICSI": "icsi", "HD": "errors", "BB": "braun_blanquet",
}  # fmt: skip
PYCM_OVERALL = {
    "Overall ACC": "accuracy", "Overall RACCU": "chance_agreement_unbiased", "Overall RACC": "chance_agreement",
    "Kappa": "kappa", "Gwet AC1": "gwet_ac1", "Bennett S": "bennett_s", "Kappa Unbiased": "kappa_unbiased",
    "Scott PI": "scott_pi", "Kappa No Prevalence": "kappa_no_prevalence", "Chi-Squared": "chi_squared",
    "Phi-Squared": "phi_squared", "Cramer V": "cramer_v", "Response Entropy": "response_entropy",
    "Reference Entropy": "reference_entropy", "Cross Entropy": "cross_entropy", "Joint Entropy": "joint_entropy",
    "Conditional Entropy": "conditional_entropy", "Mutual Information": "mutual_information",
    "KL Divergence": "kl_divergence", "Lambda B": "lambda_b", "Lambda A": "lambda_a", "Overall J": "macro_jaccard",
    "Hamming Loss": "hamming_loss", "Zero-one Loss": "errors", "NIR": "no_information_rate",
    "Overall CEN": "confusion_entropy", "Overall MCEN": "modified_confusion_entropy", "Overall MCC": "mcc",
    "RR": "cases_per_class", "CBA": "class_balance_accuracy", "AUNU": "aunu", "AUNP": "aunp", "RCI": "rci",
    "Pearson C": "pearson_c", "CSI": "classification_success_index", "ARI": "adjusted_rand_index",
    "Bangdiwala B": "bangdiwala_b", "Krippendorff Alpha": "krippendorff_alpha",
}  # fmt: skip
NO_MEASURE = {  # numbers that PyCM gives and a catalog of measures has no place for
    "Kappa Standard Error": "how sure: estimate",
    "Kappa 95% CI": "how sure: estimate",
    "Standard Error": "how sure: estimate",
    "95% CI": "how sure: estimate",
    "P-Value": "a test of accuracy against the no information rate",
    "Chi-Squared DF": "(k - 1) squared, whatever the data",
}
# Where the two differ: both values at the first matrix where they do, and why ours is meant.
DIFFERENT = {
    "DP": "PyCM takes logarithms to base 10; the factor root(3) / pi belongs to natural ones (logistic variance)",
    "Q": "(OR - 1) / (OR + 1) with OR = x / 0 is None; (ad - bc) / (ad + bc) is 1 there",
    "DOR": "LR+ / LR- is None when a likelihood ratio is; ad / (bc) is 0 when a or d is 0",
    "AGM": "its authors set it to 0 where no positive is found; ours is undefined there, as every measure is",
    "Cross Entropy": "a class that occurs and is never predicted costs infinitely many bits; PyCM leaves it out",
    "KL Divergence": "a class without cases adds 0 log 0 = 0; for PyCM it makes all undefined",
    "Overall CEN": "a class neither met nor predicted adds nothing; for PyCM it makes all undefined",
    "Overall MCEN": "as Overall CEN",
    "Macro": "an average leaves out the classes where the measure is undefined, and names them; PyCM: undefined",
}


def different(ours: float, theirs: float | None) -> bool:
    return not near(ours, math.nan if theirs is None else theirs, 1e-9)


@pytest.mark.oracle
def test_pycm_on_classes() -> None:
    seen = set()
    for found in PYCM.values():
        a = np.array(found["matrix"], dtype=object)
        assert set(found["class"]) == {*PYCM_CLASS, "CEN", "MCEN"}
        for stat, name in PYCM_CLASS.items():
            ours = [get(name).value(class_cells(a, i)) for i in range(len(a))]
            if stat == "DP":
                ours = [value / math.log(10) for value in ours]
            if any(different(x, y) for x, y in zip(ours, found["class"][stat], strict=True)):
                seen.add(stat)
        for stat, modified in (("CEN", False), ("MCEN", True)):
            ours = confusion_entropies(a.astype(float), modified=modified).tolist()
            assert not any(different(x, y) for x, y in zip(ours, found["class"][stat], strict=True))
    assert seen == {"Q", "DOR", "AGM"} <= set(DIFFERENT)


@pytest.mark.oracle
def test_pycm_on_whole_matrices() -> None:
    averages = {
        f"{stat} {how}" for stat in ("TPR", "TNR", "PPV", "NPV", "FPR", "FNR", "F1") for how in ("Macro", "Micro")
    }
    seen = set()
    for found in PYCM.values():
        a = np.array(found["matrix"], dtype=object)
        assert set(found["overall"]) == {*PYCM_OVERALL, *NO_MEASURE, *averages, "ACC Macro"}
        for stat, name in PYCM_OVERALL.items():
            theirs = found["overall"][stat]
            theirs = theirs[1] if isinstance(theirs, list) else theirs  # Overall J: the sum, then the mean
            if different(get(name).of_matrix(a), theirs):
                seen.add(stat)
        for stat in (*averages, "ACC Macro"):
            of, how = stat.split()
            ours = average(get(PYCM_CLASS[of]), a, how.lower())
            if different(ours.value, found["overall"][stat]):
                assert ours.undefined and found["overall"][stat] is None
                seen.add(how)
    assert seen == set(DIFFERENT) - {"DP", "Q", "DOR", "AGM"}


@pytest.mark.oracle
def test_the_differences_from_pycm() -> None:
    iris, perfect, wrong = (
        np.array(PYCM[name]["matrix"], dtype=object) for name in ("iris petals", "perfect", "all wrong")
    )
    dp = get("discriminant_power").value(class_cells(iris, 0))
    assert near(dp, math.sqrt(3) / math.pi * math.log(13 / 3))
    assert near(PYCM["iris petals"]["class"]["DP"][0], dp / math.log(10))
    assert get("yule_q").exact(class_cells(perfect, 0)) == 1 and PYCM["perfect"]["class"]["Q"][0] is None
    assert get("dor").exact(class_cells(wrong, 0)) == 0 and PYCM["all wrong"]["class"]["DOR"][0] is None


# ---- scikit-learn ----


@pytest.mark.oracle
@pytest.mark.parametrize("name", ["iris petals", "spam", "three irises", "animals", "five"])
def test_scikit_learn(name: str) -> None:
    from sklearn import metrics

    a = np.array(PYCM[name]["matrix"])
    k = len(a)
    y, guess = np.repeat(np.repeat(np.arange(k), k), a.ravel()), np.repeat(np.tile(np.arange(k), k), a.ravel())
    theirs = {
        "accuracy": metrics.accuracy_score(y, guess),
        "balanced_accuracy": metrics.balanced_accuracy_score(y, guess),
        "adjusted_balanced_accuracy": metrics.balanced_accuracy_score(y, guess, adjusted=True),
        "kappa": metrics.cohen_kappa_score(y, guess),
        "linear_weighted_kappa": metrics.cohen_kappa_score(y, guess, weights="linear"),
        "quadratic_weighted_kappa": metrics.cohen_kappa_score(y, guess, weights="quadratic"),
        "mcc": metrics.matthews_corrcoef(y, guess),
        "hamming_loss": metrics.hamming_loss(y, guess),
        "zero_one_loss": metrics.zero_one_loss(y, guess),
        "errors": metrics.zero_one_loss(y, guess, normalize=False),
        "macro_f1": metrics.f1_score(y, guess, average="macro"),
        "weighted_f1": metrics.f1_score(y, guess, average="weighted"),
        "macro_precision": metrics.precision_score(y, guess, average="macro"),
        "weighted_precision": metrics.precision_score(y, guess, average="weighted"),
        "macro_jaccard": metrics.jaccard_score(y, guess, average="macro"),
        "rand_index": metrics.rand_score(y, guess),
        "adjusted_rand_index": metrics.adjusted_rand_score(y, guess),
        "mutual_information": metrics.mutual_info_score(y, guess) / math.log(2),
        "homogeneity": metrics.homogeneity_score(y, guess),
        "completeness": metrics.completeness_score(y, guess),
        "v_measure": metrics.v_measure_score(y, guess),
    }
    assert not [name for name, value in theirs.items() if different(get(name).of_matrix(a), float(value))]
    by_class = {
        "precision": metrics.precision_score(y, guess, average=None),
        "recall": metrics.recall_score(y, guess, average=None),
        "f1": metrics.f1_score(y, guess, average=None),
        "f2": metrics.fbeta_score(y, guess, beta=2, average=None),
        "f0.5": metrics.fbeta_score(y, guess, beta=0.5, average=None),
        "jaccard": metrics.jaccard_score(y, guess, average=None),
    }
    for stat, values in by_class.items():
        assert not any(different(get(stat).value(class_cells(a, i)), float(v)) for i, v in enumerate(values)), stat
    if k == 2:
        plus, minus = metrics.class_likelihood_ratios(y, guess, labels=[1, 0])
        assert near(get("lr_plus").value(class_cells(a, 0)), plus) and near(
            get("lr_minus").value(class_cells(a, 0)), minus
        )


# ---- many classes ----


@pytest.mark.parametrize("name", [one.name for one in measures.catalog() if one.matrix is not None])
def test_sums_of_rows_and_columns_say_what_the_cells_say(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """With more than 16 classes most measures are read from k sums instead of k x k cells: value, reason and slopes."""
    rng, measure = np.random.default_rng(4), measures.get(name)
    counts = rng.poisson(2, (18, 18)) + 1
    empty = counts.copy()
    empty[3] = 0
    for array in (counts, empty, counts * rng.random((18, 18))):
        whole = np.asarray(array, dtype=np.float64)
        read = [measure.of_matrix(array), measure.why_of_matrix(array), measure.gradient_of_matrix(whole)]
        with monkeypatch.context() as patch:
            patch.setattr(Measure, "_of_margins", lambda self, margins: None)
            asked = [measure.of_matrix(array), measure.why_of_matrix(array), measure.gradient_of_matrix(whole)]
        assert read[0] == pytest.approx(asked[0], rel=1e-12, abs=1e-14, nan_ok=True) and read[1] == asked[1]
        if not asked[1]:
            assert read[2] == pytest.approx(asked[2], rel=1e-8, abs=1e-13, nan_ok=True)


def test_averages_of_many_classes_are_those_of_fractions() -> None:
    rng = np.random.default_rng(5)
    m = Confusion.from_matrix((rng.poisson(0.3, (120, 120)) + 5 * np.eye(120, dtype=int)).tolist())
    for name in ("f1", "precision", "recall", "mcc"):
        for how in ("macro", "weighted"):
            found, exact = (measures.average(measures.get(name), m.cells, how, exact=one) for one in (None, True))
            assert found.exact is None and found.value == pytest.approx(exact.value, rel=1e-14)
            assert (found.over, found.undefined) == (exact.over, exact.undefined)
    assert m.exact("recall", average="macro") == sum(
        (Fraction(int(m.matrix[i, i]), int(m.matrix[i].sum())) for i in range(120)), Fraction(0)
    ) / 120  # fmt: skip
    assert m.by_class() == {label: m.of(label) for label in m.labels}


@pytest.mark.parametrize("one", [one for one in catalog() if one.text], ids=lambda one: one.name)
def test_no_small_table_leaves_the_range(one: Measure) -> None:
    """Every table with cells of 0, 1, 2, 3 and 7: chance does not decide whether the ends are met."""
    grid = [cell.ravel() for cell in np.meshgrid(*[[0, 1, 2, 3, 7]] * 4)]
    cells = dict(zip(CELLS, grid, strict=True))
    values = np.asarray(one.value(cells), dtype=float)
    held = values[~np.isnan(values)]
    assert len(held) > 100 and held.min() >= one.low - 1e-12 and held.max() <= one.high + 1e-12


SMALLEST_OF_TWO = {"chance_agreement_unbiased": 0.5, "no_information_rate": 0.5}  # 1/k; the range is that of any k
LARGEST_OF_TWO = {"pearson_c": math.sqrt(0.5), "phi_squared": 1.0}  # sqrt((k - 1) / k), and k - 1


@pytest.mark.parametrize("one", [one for one in catalog() if one.text], ids=lambda one: one.name)
def test_both_ends_of_the_range_are_reached_or_approached(one: Measure) -> None:
    """A range wider than its values would be as wrong as one that is left: some table comes close to either end."""
    grid = [cell.ravel() for cell in np.meshgrid(*[[0, 1, 2, 3, 7, 10**4, 10**6, 10**15]] * 4)]
    values = np.asarray(one.value(dict(zip(CELLS, grid, strict=True))), dtype=float)
    held = values[~np.isnan(values)]
    low, high = SMALLEST_OF_TWO.get(one.name, one.low), LARGEST_OF_TWO.get(one.name, one.high)
    assert held.min() < -30 if math.isinf(low) else held.min() == pytest.approx(low, abs=0.05)
    assert held.max() > 30 if math.isinf(high) else held.max() == pytest.approx(high, abs=0.05)
