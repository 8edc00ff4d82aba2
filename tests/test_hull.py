"""The hull: by hand, by brute force, by its laws, and against isotonic regression."""

from __future__ import annotations

import math
from fractions import Fraction as F
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rocscope.errors import RocscopeError
from rocscope.hull import concavities, hull, pav
from rocscope.hull.corners import chain, curve_corners
from rocscope.table import Counts, ScoreTable

FAWCETT_SCORES = [
    *(0.9, 0.8, 0.7, 0.6, 0.55, 0.54, 0.53, 0.52, 0.51, 0.505),
    *(0.4, 0.39, 0.38, 0.37, 0.36, 0.35, 0.34, 0.33, 0.30, 0.1),
]
FAWCETT = ScoreTable.from_scores([c == "p" for c in "ppnpppnnpnpnpnnnpnpn"], FAWCETT_SCORES)
BMI = {
    **{18: (100, 200), 20: (100, 198), 22: (99, 177), 24: (95, 117), 26: (85, 80), 28: (66, 53)},
    **{30: (47, 27), 32: (34, 17), 34: (21, 14), 36: (17, 6), 38: (7, 4), 40: (1, 1)},
}
TWO = {"C4.5": (0.2, 0.7), "SVM": (0.5, 0.95)}


def table(pos: list, neg: list, *, higher: bool = True) -> ScoreTable:
    scores = np.arange(len(pos), 0, -1.0) if higher else np.arange(1.0, len(pos) + 1)
    return ScoreTable(scores=scores, pos=np.array(pos), neg=np.array(neg), higher_is_positive=higher)


@st.composite
def tables(draw: st.DrawFn, most: int = 12, weight: int = 5) -> ScoreTable:
    cells = st.tuples(st.integers(0, weight), st.integers(0, weight))
    rows = draw(st.lists(cells, min_size=1, max_size=most).filter(lambda r: all(map(sum, zip(*r, strict=True)))))
    return table([p for p, _ in rows], [n for _, n in rows], higher=draw(st.booleans()))


def curve(t: ScoreTable) -> list[tuple[F, F]]:
    rates = zip(t.fp.tolist(), t.tp.tolist(), strict=True)
    return [(F(x, t.negatives), F(y, t.positives)) for x, y in rates]


def brute(points: list[tuple[F, F]]) -> list[tuple[F, F]]:
    """The corners by definition: a point that no two others have on or under their chord."""
    kept = sorted({*points, (F(0), F(0)), (F(1), F(1))})
    return [p for p in kept if p in ((0, 0), (1, 1)) or not any(_covers(a, b, p) for a in kept for b in kept)]


def _covers(a: tuple[F, F], b: tuple[F, F], p: tuple[F, F]) -> bool:
    if p in (a, b) or not a[0] <= p[0] <= b[0]:
        return False
    if a[0] == b[0]:
        return max(a[1], b[1]) >= p[1]
    return a[1] + (b[1] - a[1]) * (p[0] - a[0]) / (b[0] - a[0]) >= p[1]


def area(points: list[tuple[F, F]]) -> F:
    return sum(((b[0] - a[0]) * (a[1] + b[1]) / 2 for a, b in pairwise(points)), F(0))


# ---- the founding examples ----


def test_fawcett_by_hand() -> None:
    h = hull(FAWCETT)
    assert [p[:2] for p in h.points] == [(0, 0), (0, 0.2), (0.1, 0.5), (0.5, 0.8), (0.9, 1), (1, 1)]
    assert [p.threshold for p in h.points] == [math.inf, 0.8, 0.54, 0.38, 0.3, 0.1]
    assert h.slopes == (math.inf, 3, 0.75, 0.5, 0)
    assert [s.slope_exact for s in h.segments] == [None, 3, F(3, 4), F(1, 2), 0]
    assert (h.area, h.area_exact) == (0.755, F(151, 200))
    assert [(row.low, row.high, row.threshold) for row in h.intervals] == [
        (3, math.inf, 0.8),
        (0.75, 3, 0.54),
        (0.5, 0.75, 0.38),
        (0, 0.5, 0.3),
    ]
    assert h.best(cost_ratio=1).threshold == 0.54
    assert h.dominated == () and h.models == ()


def test_two_classifiers_as_points() -> None:
    h = hull(TWO)
    assert h.slopes == (3.5, 5 / 6, 0.1)
    assert h.best(cost_ratio=1).model == "C4.5" and h.best(cost_ratio=0.25).model == "SVM"
    assert h.best(cost_ratio=F(1, 4)).model == "SVM"
    assert h.break_even("C4.5", "SVM") == h.break_even("SVM", "C4.5") == (5 / 6,)
    assert h.break_even(None, "C4.5") == (3.5,)
    assert [p.model for p in h.points] == [None, "C4.5", "SVM", None]
    assert [p.threshold for p in h.points] == [math.inf, None, None, -math.inf]
    assert [(row.model, row.low, row.high) for row in h.intervals] == [
        (None, 3.5, math.inf),
        ("C4.5", 5 / 6, 3.5),
        ("SVM", 0.1, 5 / 6),
        (None, 0, 0.1),
    ]


def test_seven_threshold_table_is_its_own_hull_and_repeats_are_harmless() -> None:
    counts = [(7, 0, 0), (6, 7, 0), (5, 18, 1), (4, 26, 5), (3, 29, 14), (2, 29, 25), (1, 29, 25)]
    rows = [{"threshold": s, "tp": tp, "fp": fp} for s, tp, fp in counts]
    t = ScoreTable.from_points(rows, positives=29, negatives=25)
    h = hull(t)
    assert h.area_exact == F(23, 25) and concavities(t) == ()
    assert h.best(cost_ratio=1).threshold == 4


def test_body_mass_index() -> None:
    rows = [{"threshold": s, "tp": tp, "fp": fp} for s, (tp, fp) in BMI.items()]
    t = ScoreTable.from_points(rows, positives=100, negatives=200)
    h = hull(t)
    assert h.area == 0.784175
    assert h.best(cost_ratio=1).threshold == 26
    assert h.area_exact - F(15623, 20000) == sum(F(dip.area).limit_denominator(10**6) for dip in concavities(t))


@pytest.mark.parametrize("negatives", [867, 870])
def test_mid_arm_circumference_low_is_positive(negatives: int) -> None:
    given_rows = {8.3: (13, 867), 8.4: (24, 844), 8.5: (73, 826), 8.6: (90, 800), 8.7: (113, 783), 8.8: (119, 735)}
    given_rows |= {8.9: (121, 626), 9.0: (125, 505), 9.1: (127, 435), 9.2: (130, 0)}
    rows = [{"threshold": s, "tp": tp, "tn": tn} for s, (tp, tn) in given_rows.items()]
    t = ScoreTable.from_points(rows, positives=130, negatives=negatives, higher_is_positive=False)
    h = hull(t)
    assert h.best(cost_ratio=1).threshold == 8.7
    assert h.points[0].threshold == -math.inf


def test_points_a_b_c_of_the_quiz() -> None:
    h = hull({"A": (0, 1), "B": (1, 1), "C": (1, 0.5)})
    assert h.area == 1 and h.dominated == ("B", "C")
    assert h.best(cost_ratio=5).model == "A" and h.best(cost_ratio=0.01).model == "A"
    # B is the same point as "always positive"
    assert ("B", None) in h.reached_by[-1]


# ---- kinds of input ----


def test_sweep_need_not_be_monotone() -> None:
    sweep = [(0.5, 0.6), (0.1, 0.4), (0.3, 0.8), (0.2, 0.3), (0.6, 0.9)]
    h = hull(sweep)
    assert [p[:2] for p in h.points] == [(0, 0), (0.1, 0.4), (0.3, 0.8), (0.6, 0.9), (1, 1)]
    assert [p.threshold for p in h.points] == [math.inf, 1, 2, 4, -math.inf]
    named = hull([(0.1, 0.4, "k=3"), (0.3, 0.8, "k=5")])
    assert named.best(cost_ratio=1).threshold == "k=5" and "k=5" in str(named)
    assert [p[:3] for p in hull({"knn": sweep}).points[1:-1]] == [
        (0.1, 0.4, "knn"),
        (0.3, 0.8, "knn"),
        (0.6, 0.9, "knn"),
    ]
    assert hull(np.array(sweep)).points == h.points


def test_mixed_mapping_of_tables_points_and_counts() -> None:
    h = hull({"curve": FAWCETT, "dot": (0.1, 0.9), "matrix": Counts(tp=3, fp=2, fn=7, tn=8), "sweep": [(0.5, 0.97)]})
    assert h.dominated == ("matrix",)
    assert {p.model for p in h.points} == {None, "curve", "dot", "sweep"}
    assert h.positives is None


def test_tables_with_different_totals_meet_exactly() -> None:
    # (1/3, 2/3) from both: the same point, so both own it
    a, b = table([2, 1], [1, 2]), table([4, 2], [5, 10])
    h = hull({"a": a, "b": b})
    assert h.points_exact == ((0, 0), (F(1, 3), F(2, 3)), (1, 1))
    assert h.reached_by[1] == (("a", 2.0), ("b", 2.0))
    assert h.dominated == () and h.break_even("a", "b") == ()


def test_totals_known_when_tables_agree() -> None:
    h = hull({"a": FAWCETT, "b": FAWCETT.reverse().reverse()})
    assert (h.positives, h.negatives) == (10, 10)


def test_whole_numbers_too_large_for_int64_products() -> None:
    small = table([3, 1, 4, 1, 5, 9], [2, 7, 1, 8, 2, 8])
    factor = 10**17
    large = table([p * factor for p in small.pos.tolist()], [n * factor for n in small.neg.tolist()])
    huge = ScoreTable(small.scores, small.pos.astype(object) * 10**30, small.neg.astype(object) * 10**30)
    assert hull(large).points == hull(small).points == hull(huge).points
    assert hull(huge).area_exact == hull(small).area_exact
    # one unit in 10**17 off the line is seen
    bent = ScoreTable(np.array([2.0, 1.0]), np.array([factor + 1, factor]), np.array([factor, factor]))
    assert len(hull(bent).points) == 3


def test_one_class_only_is_undefined_with_the_reason() -> None:
    for t, reason in [(table([1, 2], [0, 0]), "negatives"), (table([0, 0], [1, 2]), "positives")]:
        h = hull(t)
        assert math.isnan(h.area) and h.points == () and h.intervals == () and h.slopes == ()
        assert h.why == f"there are no {reason}" and reason in repr(h) and reason in str(h)
        with pytest.raises(RocscopeError, match=reason):
            h.best(cost_ratio=1)
        assert concavities(t) == ()
    assert hull({"a": FAWCETT, "b": table([1], [0])}).why == "b: there are no negatives"


def test_one_score_only() -> None:
    h = hull(table([3], [4]))
    assert h.area == 0.5 and h.slopes == (1,) and [p[:2] for p in h.points] == [(0, 0), (1, 1)]


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        ({}, "no models"),
        ([], "no points"),
        ({"a": []}, "a has no points"),
        ({"a": (0.2, 1.7)}, "a: tpr must be a share from 0 to 1, .* not 1.7"),
        ([(0.1, math.nan)], "finite"),
        ([(0.1, "x")], "must be a number"),
        ([(0.1, True)], "must be a number"),
        ("abc", "not str"),
        (7, "not int"),
        ([0.1, 0.2, 0.3], "not float"),
        ([np.array(0.5)], "not ndarray"),
        ({"a": Counts(tp=1, fp=1, fn=1)}, "all four cells"),
        ({"a": Counts(tp=1, fp=0, fn=1, tn=0)}, "positives and negatives"),
    ],
)
def test_unreadable_input_is_refused(bad: object, message: str) -> None:
    with pytest.raises(RocscopeError, match=message):
        hull(bad)  # type: ignore[arg-type]


@pytest.mark.parametrize("ratio", [-1, math.nan, "1", True, -math.inf])
def test_unreadable_ratio_is_refused(ratio: object) -> None:
    with pytest.raises(RocscopeError, match="cost_ratio"):
        hull(TWO).best(cost_ratio=ratio)


def test_ratio_or_costs_but_not_both_and_not_neither() -> None:
    with pytest.raises(RocscopeError, match="either"):
        hull(TWO).best()
    with pytest.raises(RocscopeError, match="prevalence"):
        hull(TWO).best(cost_ratio=1, prevalence=0.1)
    with pytest.raises(RocscopeError, match=r"Known: C4\.5, SVM"):
        hull(TWO).break_even("C4.5", "SVN")


# ---- slopes at the ends, ties, iso lines, mixtures ----


def test_ties_at_the_break_even_slope_give_both() -> None:
    h = hull(TWO)
    assert [p.model for p in h.best_all(cost_ratio=F(5, 6))] == ["C4.5", "SVM"]
    assert [p.model for p in h.best_all(cost_ratio=3.5)] == [None, "C4.5"]
    assert h.best(cost_ratio=3.5).model is None  # of two that tie, the one that flags fewer
    # 0.1 is read as 1/10, though 0.1 as a float is a little more
    assert [p.model for p in h.best_all(cost_ratio=0.1)] == ["SVM", None]


def test_extreme_ratios() -> None:
    h = hull(FAWCETT)
    assert [p.tpr for p in h.best_all(cost_ratio=math.inf)] == [0, 0.2]
    assert h.best(cost_ratio=math.inf).tpr == 0.2  # no false positives either way, but this one finds two
    assert h.best(cost_ratio=0).fpr == 0.9
    assert [p.fpr for p in h.best_all(cost_ratio=0)] == [0.9, 1]


def test_iso_line_touches() -> None:
    h = hull(TWO)
    assert h.iso_line(cost_ratio=1) == (1, 0.5)
    assert h.iso_line(cost_ratio=0.25) == (0.25, 0.825)
    with pytest.raises(RocscopeError, match="no intercept"):
        h.iso_line(cost_ratio=math.inf)


def test_mixture_by_hand() -> None:
    h = hull(TWO)
    m = h.mixture(fpr=0.35)
    assert (m.first.model, m.second.model, m.probability, m.fpr, m.tpr) == ("C4.5", "SVM", 0.5, 0.35, 0.825)
    assert m.words == "SVM decides with probability 0.5, and C4.5 otherwise: fpr 0.35, tpr 0.825."
    assert h.mixture(tpr=0.825).probability == 0.5
    assert h.mixture(fpr=0.1).words.startswith("C4.5 decides with probability 0.5, and always negative otherwise")
    alone = h.mixture(fpr=0.2)
    assert alone.first == alone.second and alone.words.startswith("C4.5 decides alone")
    steep = hull(FAWCETT)
    assert steep.mixture(fpr=0).tpr == 0.2 and steep.mixture(tpr=1).fpr == 0.9
    assert "at threshold 0.8" in steep.mixture(fpr=0).words
    for bad in ({}, {"fpr": 0.1, "tpr": 0.2}, {"fpr": 1.2}, {"tpr": -0.1}):
        with pytest.raises(RocscopeError):
            h.mixture(**bad)


# ---- concavities and calibration ----


def test_concavities_of_fawcett() -> None:
    dips = concavities(FAWCETT)
    assert [(d.start, d.end) for d in dips] == [(0.8, 0.54), (0.54, 0.38), (0.38, 0.3)]
    assert [round(d.area, 12) for d in dips] == [0.015, 0.03, 0.03]
    assert dips[0].words == (
        "Scores under 0.8 down to 0.54 rank worse than chance: the hull adds 0.015 to the area there."
    )
    assert dips[1].fpr == (0.1, 0.5) and dips[1].tpr == (0.5, 0.8)


def test_concavity_from_the_first_score() -> None:
    (dip,) = concavities(table([0, 1], [1, 0]))
    assert dip.area == 0.5 and dip.words.startswith("The first scores down to 1 rank worse")
    (up,) = concavities(table([0, 1], [1, 0], higher=False))
    assert up.words.startswith("The first scores up to 2")


def test_pav_of_fawcett() -> None:
    found = pav(FAWCETT)
    assert [(b.exact, b.weight) for b in found.blocks] == [(1, 2), (F(3, 4), 4), (F(3, 7), 7), (F(1, 3), 6), (0, 1)]
    assert [(b.start, b.end) for b in found.blocks][:2] == [(0.9, 0.8), (0.7, 0.54)]
    assert found.values[:3].tolist() == [1, 1, 0.75]
    # the Brier score of the calibrated probabilities: uncertainty minus discrimination (0.25 - 0.060119)
    brier = (FAWCETT.pos * (1 - found.values) ** 2 + FAWCETT.neg * found.values**2).sum() / 20
    assert brier == pytest.approx(0.25 - 0.060119, abs=1e-6)


def test_pav_needs_no_second_class() -> None:
    assert pav(table([2, 1], [0, 0])).values.tolist() == [1, 1]
    assert pav(table([0], [4])).values.tolist() == [0]


def test_entries_of_weight_zero_change_nothing() -> None:
    holes = table([0, 2, 0, 1, 0, 1, 0], [0, 0, 0, 1, 0, 3, 0])
    plain = table([2, 1, 1], [0, 1, 3])
    assert [p[:2] for p in hull(holes).points] == [p[:2] for p in hull(plain).points]
    values = pav(holes).values
    assert values[[1, 3, 5]].tolist() == pav(plain).values.tolist() and len(values) == 7
    assert np.all(np.diff(values) <= 0)


@given(tables())
def test_pav_equals_isotonic_regression(t: ScoreTable) -> None:
    from sklearn.isotonic import IsotonicRegression

    rows = [(s, label) for s, p, n in zip(t.scores, t.pos, t.neg, strict=True) for label in [1] * p + [0] * n]
    model = IsotonicRegression(increasing=t.higher_is_positive)
    expected = model.fit_transform([s for s, _ in rows], [label for _, label in rows])
    value = dict(zip(t.scores.tolist(), pav(t).values.tolist(), strict=True))
    assert [value[s] for s, _ in rows] == pytest.approx(expected.tolist(), abs=1e-12)


# ---- laws ----


@given(tables())
def test_hull_is_the_brute_force_hull(t: ScoreTable) -> None:
    h = hull(t)
    assert list(h.points_exact) == brute(curve(t))
    assert h.area_exact == area(brute(curve(t)))
    # every corner is a point of the curve, at its own threshold
    for point in h.points:
        at = t.at(point.threshold)
        assert (at.fp / t.negatives, at.tp / t.positives) == point[:2]


@given(tables())
def test_hull_is_concave_and_above_the_curve(t: ScoreTable) -> None:
    h = hull(t)
    slopes = [math.inf if s.slope == math.inf else s.slope_exact for s in h.segments]
    assert all(a > b for a, b in pairwise(slopes)) and slopes[-1] >= 0
    for fpr, tpr in curve(t):
        assert F(h.mixture(fpr=fpr).tpr).limit_denominator(10**9) >= tpr
    auc = area(curve(t))
    assert h.area_exact >= auc
    assert math.isclose(float(h.area_exact - auc), sum(d.area for d in concavities(t)), abs_tol=1e-12)


@given(tables(), st.fractions(0, 5, max_denominator=8))
def test_best_on_the_hull_is_best_of_all_thresholds(t: ScoreTable, ratio: F) -> None:
    h = hull(t)
    gains = [tpr - ratio * fpr for fpr, tpr in curve(t)]
    tied = h.best_all(cost_ratio=ratio)
    assert {tpr - ratio * fpr for fpr, tpr in (h.points_exact[h.points.index(p)] for p in tied)} == {max(gains)}
    # complete: every corner that reaches the best gain is among them
    corners = [p for p, (fpr, tpr) in zip(h.points, h.points_exact, strict=True) if tpr - ratio * fpr == max(gains)]
    assert list(tied) == corners
    line = h.iso_line(cost_ratio=ratio)
    assert line.intercept == pytest.approx(float(max(gains)))


@given(st.dictionaries(st.sampled_from("abcd"), tables(most=6), min_size=1))
def test_hull_of_several_is_the_hull_of_all_their_points(held: dict[str, ScoreTable]) -> None:
    h = hull(held)
    assert list(h.points_exact) == brute([point for t in held.values() for point in curve(t)])
    for place, owners in list(zip(h.points_exact, h.reached_by, strict=True))[1:-1]:
        assert {name for name, _ in owners} == {name for name, t in held.items() if place in curve(t)}
    assert set(h.dominated) == {name for name, t in held.items() if not set(curve(t)) & set(h.points_exact[1:-1])}


shares = st.fractions(0, 1, max_denominator=12)


@given(st.lists(st.tuples(shares, shares), min_size=1, max_size=10), shares)
def test_hull_of_any_points(points: list[tuple[F, F]], fpr: F) -> None:
    h = hull(points)
    assert list(h.points_exact) == brute(points)
    m = h.mixture(fpr=fpr)
    (a, b), (c, d) = m.first[:2], m.second[:2]
    assert m.fpr == pytest.approx(float(fpr)) and a <= m.fpr <= c
    assert m.tpr == pytest.approx(b + m.probability * (d - b))
    if a < m.fpr < c:
        assert (m.tpr - b) * (c - a) == pytest.approx((d - b) * (m.fpr - a))


@given(tables())
def test_swapping_the_classes_mirrors_the_hull(t: ScoreTable) -> None:
    h, mirrored = hull(t), hull(t.swap())
    assert [(1 - y, 1 - x) for x, y in reversed(h.points_exact)] == list(mirrored.points_exact)
    assert h.area_exact == mirrored.area_exact


@given(tables(), st.integers(1, 7))
def test_weights_scale_away(t: ScoreTable, factor: int) -> None:
    scaled = ScoreTable(t.scores, t.pos * factor, t.neg * factor, t.higher_is_positive)
    assert hull(scaled).points == hull(t).points


@given(tables())
def test_float_weights_give_the_same_hull_up_to_rounding(t: ScoreTable) -> None:
    tenth = ScoreTable(t.scores, t.pos * 0.1, t.neg * 0.1, t.higher_is_positive)
    exact, rounded = hull(t), hull(tenth)
    assert not rounded.exact
    assert [p.threshold for p in rounded.points] == [p.threshold for p in exact.points]
    assert np.allclose([p[:2] for p in rounded.points], [p[:2] for p in exact.points], atol=1e-12)
    assert rounded.area == pytest.approx(exact.area, abs=1e-12)
    assert len(concavities(tenth)) == len(concavities(t))
    for slope in exact.slopes:
        if math.isfinite(slope):
            assert len(rounded.best_all(cost_ratio=slope)) == 2
    both = hull({"a": t, "b": tenth})
    assert both.area == pytest.approx(exact.area, abs=1e-12) and not both.exact
    with pytest.raises(RocscopeError, match="float weights"):
        _ = rounded.area_exact


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("shift", [0.0, 1.0])
def test_long_curves_lose_no_corner_to_the_rounds(seed: int, shift: float) -> None:
    rng = np.random.default_rng(seed)
    label = rng.random(20_000) < (0.5, 0.01)[seed % 2]
    score = rng.normal(size=label.size) + shift * label
    t = ScoreTable.from_scores(label, score if seed < 4 else np.round(score, 2))
    expected = chain(t.fp.tolist(), t.tp.tolist())
    assert curve_corners(t.fp, t.tp).tolist() == expected
    assert curve_corners(t.fp.astype(object) * 10**20, t.tp.astype(object) * 10**20).tolist() == expected
    assert curve_corners(t.fp * 10**14, t.tp * 10**13).tolist() == expected
    assert curve_corners(t.fp * 0.1, t.tp * 0.3).tolist() == expected  # no three points are nearly in line


def test_a_curve_all_of_whose_points_are_corners() -> None:
    rise = np.arange(5000, 0, -1)
    t = ScoreTable(np.arange(5000.0, 0, -1), rise, np.ones(5000, dtype=np.int64))
    assert len(hull(t).points) == 5001
    # each step in two halves: the middles lie on the line and are not corners
    halves = np.repeat(rise, 2)
    x, y = np.arange(10_001), np.concatenate(([0], np.cumsum(halves)))
    assert curve_corners(x, y).tolist() == list(range(0, 10_001, 2))
    # bends of one in 10**17, which floats do not see, are bends
    x, y = np.arange(5001) * 10**15, np.concatenate(([0], np.cumsum(10**17 + rise.astype(object))))
    assert len(curve_corners(x, y)) == 5001
    # one far point at the end takes them all away
    x, y = np.arange(5001), np.concatenate(([0], np.cumsum(rise)))
    y[-1] *= 10
    assert curve_corners(x, y).tolist() == [0, 5000]


def test_hull_prints_its_cost_ratio_table() -> None:
    assert repr(hull({**TWO, "worse": (0.5, 0.5)})) == "Hull(4 points, area 0.805, dominated: worse)"
    assert str(hull(FAWCETT)).splitlines()[2].split() == ["3", "inf", "0.8", "0", "0.2"]
