"""Costs, conditions, operating points: by hand, by brute force over every threshold, and refusals."""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction as F
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from rocscope import measures
from rocscope.decisions import (
    Condition,
    CostMatrix,
    Costs,
    DecisionSums,
    at_sensitivity,
    at_specificity,
    best,
    best_per_case,
    condition,
    criterion,
    goal,
    grey_zone,
    likelihood_ratio,
    map_rule,
    rule,
    rules,
    top,
)
from rocscope.decisions.search import best_rows, candidates
from rocscope.errors import RocscopeError
from rocscope.formula import Ratio, maxima, parse, whole
from rocscope.hull import hull
from rocscope.table import Counts, ScoreTable, cells_at

FAWCETT = ScoreTable.from_scores(
    [c == "p" for c in "ppnpppnnpnpnpnnnpnpn"],
    [
        *(0.9, 0.8, 0.7, 0.6, 0.55, 0.54, 0.53, 0.52, 0.51, 0.505),
        *(0.4, 0.39, 0.38, 0.37, 0.36, 0.35, 0.34, 0.33, 0.30, 0.1),
    ],
)


def table(pos: list, neg: list, *, higher: bool = True) -> ScoreTable:
    scores = np.arange(len(pos), 0, -1.0) if higher else np.arange(1.0, len(pos) + 1)
    return ScoreTable(scores=scores, pos=np.array(pos), neg=np.array(neg), higher_is_positive=higher)


@st.composite
def tables(draw: st.DrawFn, most: int = 10, weight: int = 4) -> ScoreTable:
    cells = st.tuples(st.integers(0, weight), st.integers(0, weight))
    rows = draw(st.lists(cells, min_size=1, max_size=most).filter(lambda r: all(map(sum, zip(*r, strict=True)))))
    return table([p for p, _ in rows], [n for _, n in rows], higher=draw(st.booleans()))


def rates(point: Any) -> tuple[float, float]:
    return point.counts.fpr, point.counts.tpr


def along(t: ScoreTable) -> list[Counts]:
    return [t.along()[i] for i in range(len(t) + 1)]


def rows_of(t: ScoreTable, found: Any) -> list[int]:
    """The rows of the curve that optima stand for; entries of weight 0 repeat a row under another threshold."""
    return [t.thresholds.tolist().index(threshold) for threshold in found.thresholds.tolist()]


# ---- the founding examples ----


def test_fawcett() -> None:
    (accurate,) = best(FAWCETT, "accuracy")
    assert accurate.threshold == 0.54 and accurate.value == 0.7 and accurate.counts.exact("accuracy") == F(7, 10)
    assert sorted(map(rates, best(FAWCETT, "closest"))) == [(0.3, 0.6), (0.4, 0.7)]
    (youden,) = best(FAWCETT, "youden")
    assert rates(youden) == (0.1, 0.5) and youden.value == 0.4
    assert (
        youden.words == "Flag scores >= 0.54: 6 of 20 flagged, 5 of 10 positives found, 1 false alarm (Youden's J 0.4)."
    )
    assert (youden.beyond, youden.midpoint) == (0.53, 0.535)
    assert best(FAWCETT, "closest").words.endswith("1 other threshold does equally well.")


def test_seven_thresholds() -> None:
    counts = [(7, 0, 0), (6, 7, 0), (5, 18, 1), (4, 26, 5), (3, 29, 14), (2, 29, 25), (1, 29, 25)]
    rows = [{"threshold": s, "tp": tp, "fp": fp} for s, tp, fp in counts]
    t = ScoreTable.from_points(rows, positives=29, negatives=25)
    for name, value in (("youden", 0.6966), ("closest", 0.2252), ("accuracy", 0.8519)):
        (found,) = best(t, name)
        assert found.threshold == 4 and found.value == pytest.approx(value, abs=5e-5)


def test_body_mass_index() -> None:
    table_rows = {18: (100, 200), 20: (100, 198), 22: (99, 177), 24: (95, 117), 26: (85, 80), 28: (66, 53)}
    table_rows |= {30: (47, 27), 32: (34, 17), 34: (21, 14), 36: (17, 6), 38: (7, 4), 40: (1, 1)}
    rows = [{"threshold": s, "tp": tp, "fp": fp} for s, (tp, fp) in table_rows.items()]
    t = ScoreTable.from_points(rows, positives=100, negatives=200)
    (nearest,) = best(t, "closest")
    assert nearest.threshold == 26 and nearest.value == pytest.approx(0.4272, abs=5e-5)
    (largest,) = best(t, "youden")
    assert largest.threshold == 26 and largest.value == 0.45


@pytest.mark.parametrize(("negatives", "specificity"), [(867, 0.9031), (870, 0.9)])
def test_mid_arm_circumference(negatives: int, specificity: float) -> None:
    given_rows = {8.3: (13, 867), 8.4: (24, 844), 8.5: (73, 826), 8.6: (90, 800), 8.7: (113, 783), 8.8: (119, 735)}
    given_rows |= {8.9: (121, 626), 9.0: (125, 505), 9.1: (127, 435), 9.2: (130, 0)}
    rows = [{"threshold": s, "tp": tp, "tn": tn} for s, (tp, tn) in given_rows.items()]
    t = ScoreTable.from_points(rows, positives=130, negatives=negatives, higher_is_positive=False)
    (found,) = best(t, "youden")
    assert found.threshold == 8.7
    assert found.counts.sensitivity == pytest.approx(0.8692, abs=5e-5)
    assert found.counts.specificity == pytest.approx(specificity, abs=5e-5)
    assert found.words.startswith("Flag scores <= 8.7: ")


# ---- costs ----


def test_costs_by_hand() -> None:
    costs = Costs(fp=1, fn=5)
    assert costs.slope(10, 20) == F(2, 5) and costs.slope(positives=1, negatives=1) == F(1, 5)
    assert Costs(fp=0.2, fn=0.1).slope(1, 1) == 2  # decimals, not binary fractions
    assert Costs(fp=np.float32(0.2), fn=Decimal("0.1")).slope(np.int64(1), 1) == 2
    assert Costs(fp=3, fn=7, tp=1, tn=1).slope(1, 3) == F(2, 6) * 3
    assert costs.threshold_probability == 1 / 6
    assert Costs(fp=3, fn=7, tp=1, tn=1).threshold_probability == 0.25
    c = Counts(tp=7, fp=7, fn=3, tn=13)
    assert costs.expected(c) == 22 / 30 and costs.expected(c, per=1000) == pytest.approx(733.3333)
    assert Costs(fp=1, fn=5, prevalence=0.1).expected(c) == pytest.approx(0.9 * 7 / 20 + 0.1 * 5 * 3 / 10)
    assert Costs(fp=1, fn=5, prevalence=0.1).slope(10, 20) == F(9, 5)
    assert costs.slope(10, 20, prevalence=0.1) == F(9, 5)
    assert repr(costs) == "Costs(fp=1, fn=5)"
    assert repr(Costs(fp=0.5, fn=5, tn=0.25, prevalence=0.1)) == "Costs(fp=0.5, fn=5, tn=0.25, prevalence=0.1)"


def test_gains() -> None:
    profit = Costs.gains(tp=100, fp=-5)
    c = Counts(tp=7, fp=7, fn=3, tn=13)
    assert profit.gain(c) == pytest.approx((700 - 35) / 30) and profit.expected(c) == -profit.gain(c)
    assert profit.slope(1, 1) == F(1, 20)
    assert repr(profit) == "Costs.gains(tp=100, fp=-5, fn=0)"
    (found,) = best(FAWCETT, costs=profit)
    assert found.counts.recall == 1 and "expected gain" in found.words
    assert found.value == pytest.approx((1000 - 45) / 20)


def test_threshold_probability_costs() -> None:
    t = ScoreTable.from_scores([1, 0, 1, 0, 0], [0.9, 0.8, 0.4, 0.3, 0.1])
    counts, same = t.at(0.5), Costs(fp=1, fn=9)
    assert Costs.from_pt(0.1).per_case(*counts.cells.values()) == same.per_case(*counts.cells.values())
    assert Costs.from_pt(0.1).slope(1, 1) == F(1, 9) and Costs.from_pt(0.1).threshold_probability == 0.1
    for bad in (0, 1, -0.1, 1.5, math.nan, "0.1"):
        with pytest.raises(RocscopeError, match="pt"):
            Costs.from_pt(bad)


def test_extreme_costs() -> None:
    assert Costs(fp=1, fn=0).slope(1, 1) == math.inf and Costs(fp=0, fn=1).slope(1, 1) == 0
    free = Costs(fp=0, fn=0)
    assert math.isnan(free.slope(1, 1)) and math.isnan(free.threshold_probability)
    found = best(FAWCETT, costs=free)
    assert len(found) == 21 and "every threshold is optimal" in found.words
    assert hull(FAWCETT).best_all(costs=free) == hull(FAWCETT).points
    assert best(FAWCETT, costs=Costs(fp=1, fn=0))[0].threshold == math.inf
    assert math.isnan(Costs(fp=1, fn=1).expected(Counts(0, 0, 0, 0)))
    assert math.isnan(Costs(fp=1, fn=1, prevalence=0.5).expected(Counts(1, 0, 1, 0)))


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        ({"fp": -1, "fn": 1}, "cost fp must be 0 or more, not -1"),
        ({"fp": 1, "fn": -0.5}, r"Costs\.gains"),
        ({"fp": 1, "fn": 1, "tp": -1}, "cost tp"),
        ({"fp": math.nan, "fn": 1}, "finite"),
        ({"fp": math.inf, "fn": 1}, "finite"),
        ({"fp": "1", "fn": 1}, "must be a number"),
        ({"fp": 1, "fn": True}, "must be a number"),
        ({"fp": 1, "fn": 1, "tn": 2}, "must not cost less than a correct decision"),
        ({"fp": 1, "fn": 1, "prevalence": 0}, "prevalence"),
        ({"fp": 1, "fn": 1, "prevalence": 1}, "prevalence"),
        ({"fp": 1, "fn": 1, "prevalence": 1.2}, "prevalence"),
    ],
)
def test_bad_costs_are_refused(bad: dict[str, Any], message: str) -> None:
    with pytest.raises(RocscopeError, match=message):
        Costs(**bad)


def test_costs_on_the_hull() -> None:
    h = hull({"C4.5": (0.2, 0.7), "SVM": (0.5, 0.95)})
    assert h.best(costs=Costs(fp=1, fn=1), prevalence=0.5).model == "C4.5"
    assert h.best(costs=Costs(fp=1, fn=1, prevalence=0.8)).model == "SVM"
    with pytest.raises(RocscopeError, match="prevalence"):
        h.best(costs=Costs(fp=1, fn=1))
    assert hull(FAWCETT).best(costs=Costs(fp=1, fn=1)).threshold == 0.54
    assert hull(FAWCETT).iso_line(costs=Costs(fp=1, fn=1)).slope == 1


costs_drawn = st.builds(
    Costs,
    fp=st.integers(0, 6),
    fn=st.sampled_from([0, 1, 2.5, 7]),
    prevalence=st.sampled_from([None, None, 0.1, 0.5]),
)


@given(tables(), costs_drawn)
def test_least_cost_is_the_brute_force_minimum(t: ScoreTable, costs: Costs) -> None:
    fp, fn = F(str(costs.fp)), F(str(costs.fn))
    known = costs.prevalence is not None
    share = F(str(costs.prevalence)) if known else F(t.positives, t.positives + t.negatives)
    expected = [share * fn * F(c.fn, c.tp + c.fn) + (1 - share) * fp * F(c.fp, c.fp + c.tn) for c in along(t)]
    found = best(t, "cost", costs=costs)
    assert rows_of(t, found) == [i for i, cost in enumerate(expected) if cost == min(expected)]
    assert found.value == float(min(expected))
    assert np.allclose(costs.expected(t.along()), [float(one) for one in expected])
    # and the hull agrees: every corner it finds is among the optima
    corners = hull(t).best_all(costs=costs)
    assert {p.threshold for p in corners} <= {p.threshold for p in found} | {t.thresholds[-1]}
    assert {costs.expected(t.at(p.threshold)) for p in corners} == {found.value}


# ---- rules ----


def youden(c: Counts) -> F:
    return F(c.tp, c.tp + c.fn) - F(c.fp, c.fp + c.tn)


def distance(c: Counts) -> F:
    return -(F(c.fp, c.fp + c.tn) ** 2) - F(c.fn, c.tp + c.fn) ** 2


@given(tables())
def test_youden_closest_and_map_by_brute_force(t: ScoreTable) -> None:
    for name, worth in (("youden", youden), ("closest", distance), ("likelihood_ratio", youden)):
        values = [worth(c) for c in along(t)]
        assert rows_of(t, best(t, name)) == [i for i, v in enumerate(values) if v == max(values)]
    right = [c.tp + c.tn for c in along(t)]
    assert rows_of(t, best(t, "map")) == [i for i, v in enumerate(right) if v == max(right)]
    assert rows_of(t, best(t, "accuracy")) == rows_of(t, best(t, "map"))


MEASURES = [one for one in measures.catalog() if one.best is not None and one.formula is not None]


@pytest.mark.parametrize("measure", MEASURES, ids=lambda one: one.name)
def test_every_measure_is_a_rule(measure: measures.Measure) -> None:
    rng = np.random.default_rng(7)
    for _ in range(4):
        t = table(rng.integers(0, 4, 9).tolist(), rng.integers(1, 4, 9).tolist())
        values = [measure.value(c.cells) for c in along(t)]
        known = {i: v for i, v in enumerate(values) if not math.isnan(v)}
        if measure.best == measure.high:
            worth = known
        elif measure.best == measure.low:
            worth = {i: -v for i, v in known.items()}
        else:
            worth = {i: -abs(v - measure.best) for i, v in known.items()}
        if not worth:
            with pytest.raises(RocscopeError, match="undefined at every threshold"):
                best(t, measure.name)
            continue
        # values are computed exactly and rounded once, so equal values are equal here too
        top_worth = max(worth.values())
        assert rows_of(t, best(t, measure.name)) == [i for i, v in worth.items() if v == top_worth]


def test_smallest_is_best_where_the_best_value_is_small() -> None:
    assert best(FAWCETT, "fpr")[0].threshold == math.inf
    assert len(best(FAWCETT, "fpr")) == 3
    assert best(FAWCETT, "error_rate").thresholds.tolist() == [0.54]
    assert best(FAWCETT, "frequency_bias")[0].value == 1  # best in the middle: as many flagged as there are positives
    with pytest.raises(RocscopeError, match="no best value"):
        best(FAWCETT, "prevalence")


def test_predict_nothing_is_allowed_but_said() -> None:
    t = table([0, 0, 1], [1, 1, 5])
    (found,) = best(t, "accuracy")
    assert found.threshold == math.inf and found.counts == Counts(0, 0, 1, 7)
    assert found.words.startswith("Predict nothing: no case is flagged, and all positives (1) are missed")
    assert found.midpoint == math.inf
    everything = best(t, "recall")[-1]
    assert everything.words.startswith("Predict everything: all 8 cases are flagged")
    assert everything.beyond is None and everything.midpoint == everything.threshold


def test_names_aliases_and_f_beta() -> None:
    assert rows_of(FAWCETT, best(FAWCETT, "F2")) == rows_of(FAWCETT, best(FAWCETT, "f2"))
    assert (
        best(FAWCETT, "sensitivity", where="ppv >= 0.7").value
        == best(FAWCETT, "recall", where="precision >= 0.7").value
    )
    assert best(FAWCETT, "f0.5")[0].value > 0
    with pytest.raises(RocscopeError, match="Did you mean 'youden'"):
        best(FAWCETT, "yuden")
    with pytest.raises(RocscopeError, match="Did you mean 'precision'"):
        best(FAWCETT, "precison")


def test_what_best_refuses() -> None:
    with pytest.raises(RocscopeError, match="needs costs"):
        best(FAWCETT, "cost")
    with pytest.raises(RocscopeError, match="name a rule"):
        best(FAWCETT)
    with pytest.raises(RocscopeError, match="does not use costs"):
        best(FAWCETT, "f1", costs=Costs(fp=1, fn=1))
    for t, missing in ((table([1, 1], [0, 0]), "negatives"), (table([0, 0], [2, 1]), "positives")):
        for name in ("youden", "closest", "mcc"):
            with pytest.raises(RocscopeError, match=f"there are no {missing}|undefined at every threshold"):
                best(t, name)
        with pytest.raises(RocscopeError, match=missing):
            best(t, costs=Costs(fp=1, fn=1, prevalence=0.3))
    assert best(table([1, 1], [0, 0]), "accuracy")[0].threshold == 1  # still defined with one class


def test_a_function_of_counts_is_a_rule() -> None:
    def gain(c: Counts) -> Any:
        return 3 * c.tp - c.fp

    found = best(FAWCETT, gain)
    assert found.value == max(3 * c.tp - c.fp for c in along(FAWCETT)) and found.rule == "gain"


def test_rules_can_be_declared_and_listed() -> None:
    assert [*rules()][:3] == ["youden", "closest", "cost"] and rules()["cost"].needs_costs
    with pytest.raises(TypeError):
        rules()["x"] = 1  # type: ignore[index]
    with pytest.raises(RocscopeError, match="declared twice"):

        @rule("youden", says="")
        def _other(c: Counts, costs: Costs | None) -> Any:
            raise NotImplementedError


def test_many_optima_are_made_only_when_asked_for() -> None:
    size = 200_000
    t = ScoreTable(np.arange(size, 0, -1.0), np.r_[1, np.zeros(size - 1, int)], np.r_[0, np.ones(size - 1, int)])
    found = best(t, "recall")
    assert len(found) == size and found[-1].threshold == 1 and found[0].threshold == size
    assert repr(found).startswith("Optima(recall 1 at threshold 200000, ")
    with pytest.raises(IndexError):
        found[size]


def test_float_weights_tie_up_to_rounding() -> None:
    t = ScoreTable(FAWCETT.scores, FAWCETT.pos * 0.1, FAWCETT.neg * 0.1)
    for name in ("youden", "closest", "accuracy", "f1", "mcc", "recall"):
        assert rows_of(t, best(t, name)) == rows_of(FAWCETT, best(FAWCETT, name))
    assert rows_of(t, best(t, costs=Costs(fp=1, fn=2))) == rows_of(FAWCETT, best(FAWCETT, costs=Costs(fp=1, fn=2)))
    assert rows_of(t, best(t, "recall", where="precision >= 0.6")) == rows_of(
        FAWCETT, best(FAWCETT, "recall", where="precision >= 0.6")
    )


def test_counts_beyond_int64_products_tie_exactly() -> None:
    factor = 10**17
    t = ScoreTable(FAWCETT.scores, FAWCETT.pos * factor, FAWCETT.neg * factor)
    for name in ("youden", "closest", "accuracy", "f1", "kappa", "balanced_accuracy"):
        assert rows_of(t, best(t, name)) == rows_of(FAWCETT, best(FAWCETT, name))
    bent = ScoreTable(np.array([2.0, 1.0]), np.array([factor + 1, factor]), np.array([factor, factor]))
    assert best(bent, "youden").thresholds.tolist() == [2]  # by one in 10**17, which floats do not see
    wide = ScoreTable(FAWCETT.scores, FAWCETT.pos.astype(object) * 10**30, FAWCETT.neg.astype(object) * 10**30)
    assert rows_of(wide, best(wide, "closest", where="fpr <= 0.35")) == rows_of(
        FAWCETT, best(FAWCETT, "closest", where="fpr <= 0.35")
    )


# ---- exact arithmetic along curves ----

FORMULAS = [
    "tp / (tp + fp)",
    "abs(tp - fp) / (fn + 1)",
    "max(tp, fp) - min(fn / 3, tn)",
    "-(tp**3) + 0.25 * fn",
    "tp / (fp - fn)",
]


@given(st.sampled_from(FORMULAS), st.lists(st.tuples(*[st.integers(0, 9)] * 4), min_size=1, max_size=6), st.booleans())
def test_ratios_equal_fractions(text: str, rows: list[tuple[int, ...]], large: bool) -> None:
    formula = parse(text)
    factor = 10**15 if large else 1
    cells = {name: np.array([row[i] * factor for row in rows]) for i, name in enumerate(("tp", "fp", "fn", "tn"))}
    found = formula.ratio_along(cells)
    assert isinstance(found, Ratio)
    for i, row in enumerate(rows):
        at = dict(zip(cells, (F(cell * factor) for cell in row), strict=True))
        undefined = bool(np.broadcast_to(found.undefined, len(rows))[i])
        assert undefined == bool(formula.why(at))
        if not undefined:
            above, below = (np.broadcast_to(part.values, len(rows))[i] for part in (found.above, found.below))
            assert F(int(above), int(below)) == formula.exact(at)


def test_roots_are_no_ratios() -> None:
    assert parse("sqrt(tp)").ratio_along({"tp": np.array([4])}) is None


@given(st.lists(st.tuples(st.integers(-5, 5), st.integers(1, 4)), min_size=1, max_size=8), st.data())
def test_maxima_of_ratios(parts: list[tuple[int, int]], data: st.DataObject) -> None:
    values = [F(a, b) for a, b in parts]
    ratio = Ratio(whole(np.array([a for a, _ in parts])), whole(np.array([b for _, b in parts])))
    guess = data.draw(st.integers(0, len(parts) - 1))
    assert maxima(ratio, guess).tolist() == [i for i, v in enumerate(values) if v == max(values)]


# ---- conditions ----


def test_condition_prints_itself_back() -> None:
    for text in ("recall >= 0.7 where fpr <= 0.1", "ppv > 0.9 and f0.5 == 1", "mcc < -1e-3"):
        assert str(condition(text)) == text and condition(str(condition(text))) == condition(text)
    assert str(condition("  0.7<=recall  WHERE fpr≤10 %")) == "recall >= 0.7 where fpr <= 10%"
    assert condition("recall >= 0.7 and fpr < 0.1 where f2 > 0").names == ("recall", "fpr", "f2")
    assert condition(condition("f1 > 0")) == condition("f1 > 0")
    assert goal("recall where precision >= 0.9") == ("recall", condition("precision >= 0.9"))
    assert goal("recall") == ("recall", None)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "a condition must be a short text"),
        ("x" * 2000, "2000 characters"),
        ("recall", "expected one of >= > <= < ==, found the end"),
        ("recall >=", "expected a number, found the end"),
        ("recall = 0.7", "Write == for equal"),
        ("recall != 0.7", "The sign != is not available"),
        ("recall >= precision", "expected a number, found 'precision'"),
        ("recall >= 0.7 or fpr < 0.1", "can be joined only by 'and'"),
        ("recall >= 0.7 fpr < 0.1", "expected 'and', 'where' or the end"),
        ("recall >= 0.7 where", "expected a measure or a number, found the end"),
        ("recall >= 0.7 where fpr < 1 where f1 > 0", "expected 'and', 'where' or the end"),
        ("and recall > 0", "expected a measure or a number, found 'and'"),
        ("recal >= 0.7", "Did you mean 'recall'"),
        ("auc.low >= 0.8", "has no value at a single threshold"),
        ("recall.low >= 0.8", "has no value at a single threshold"),
        ("__import__('os') > 1", "expected one of"),
        ("recall >= 0.7; f1 > 0", "found ';'"),
        ("1e9999 < recall", "expected"),
    ],
)
def test_bad_conditions_say_what_is_wrong(text: str, message: str) -> None:
    with pytest.raises(RocscopeError, match=message.replace("(", r"\(")):
        condition(text)


def test_names_that_a_gate_resolves() -> None:
    gate = condition("auc.low >= 0.8 and auc.diff.low > 0 and precision.low >= 0.5", known={"auc"})
    values = {"auc.low": 0.8, "auc.diff.low": 0.1, "precision.low": 0.6}
    assert gate.accepts(values.__getitem__)
    assert not gate.accepts({**values, "auc.low": 0.7999}.__getitem__)
    assert not gate.accepts({**values, "auc.low": math.nan}.__getitem__)
    assert condition("auc > 0.5", known=["auc"]).accepts(lambda name: math.inf)
    with pytest.raises(RocscopeError, match="Did you mean 'auc'"):
        condition("aucc > 0.5", known=["auc"])
    with pytest.raises(RocscopeError):
        condition("aucc.low > 0.5", known=["auc"])


def test_condition_at_a_point_is_exact() -> None:
    c = Counts(tp=9, fp=1, fn=0, tn=0)
    assert condition("precision >= 0.9").holds(c) is True
    assert condition("precision > 0.9").holds(c) is False
    assert condition("precision == 90 %").holds(c) is True
    assert condition("npv >= 0").holds(c) is False  # undefined does not pass
    assert condition("mcc >= 0").holds(Counts(2, 1, 1, 2)) is True
    near = Counts(tp=[9 * 10**14, 9 * 10**14 - 1], fp=[10**14, 10**14 + 1], fn=[0, 1], tn=[0, 0])
    assert condition("precision >= 0.9").holds(near).tolist() == [True, False]
    assert condition("precision == 0.9").holds(near).tolist() == [True, False]
    third = Counts(tp=1, fp=2, fn=0, tn=10**17)
    assert condition("precision > 0.3333333333333333").holds(third) is True  # 1/3 is more than that decimal


names = st.sampled_from(["precision", "recall", "fpr", "f1", "balanced_accuracy", "mcc", "kappa", "f0.5", "gmean"])
signs = st.sampled_from([">=", ">", "<=", "<", "=="])
limits = st.sampled_from(["0", "0.25", "0.5", "0.6", "0.75", "1", "-0.2", "20 %", "0.3333333333333333"])
comparisons = st.builds(lambda *parts: " ".join(parts), names, signs, limits)


@given(tables(), st.lists(comparisons, min_size=1, max_size=3))
def test_conditions_along_a_curve_equal_a_loop(t: ScoreTable, parts: list[str]) -> None:
    rule_text = " and ".join(parts[:2]) + (f" where {parts[2]}" if len(parts) > 2 else "")
    found = condition(rule_text)
    expected = [all(_true_at(one, c) for one in found.comparisons) for c in along(t)]
    assert found.holds(t.along()).tolist() == expected
    assert [found.holds(c) for c in along(t)] == expected
    assert found.met(t.along()) == any(expected)


def _true_at(one: Any, c: Counts) -> bool:
    value = c.value(one.name)
    if math.isnan(value):
        return False
    try:
        gap = c.exact(one.name) - one.limit
    except RocscopeError:  # irrational: as it prints
        gap = F(str(value)) - one.limit
    return {">=": gap >= 0, ">": gap > 0, "<=": gap <= 0, "<": gap < 0, "==": gap == 0}[one.sign]


@given(tables(), comparisons, st.sampled_from(["recall", "f1", "accuracy", "youden", "closest", "fpr"]))
def test_best_where_equals_a_loop(t: ScoreTable, where: str, name: str) -> None:
    (one,) = condition(where).comparisons
    allowed = [i for i, c in enumerate(along(t)) if _true_at(one, c)]
    values = {i: along(t)[i].value("distance_index" if name == "closest" else name) for i in allowed}
    values = {i: v for i, v in values.items() if not math.isnan(v)}
    if not values:
        with pytest.raises(RocscopeError, match=r"no threshold|undefined"):
            best(t, name, where=where)
        return
    better = min if name in ("closest", "fpr") else max
    assert rows_of(t, best(t, name, where=where)) == [i for i, v in values.items() if v == better(values.values())]
    assert best(t, f"{name} where {where}").thresholds.tolist() == best(t, name, where=where).thresholds.tolist()


def test_where_that_cannot_be_met_says_how_near_it_comes() -> None:
    with pytest.raises(RocscopeError, match=r"no threshold reaches fpr < 0; the best is 0, at threshold inf"):
        best(FAWCETT, "recall", where="fpr < 0")
    with pytest.raises(
        RocscopeError,
        match=r"no threshold reaches recall >= 0.5 where precision >= 0.9; the best is 0.2, at threshold 0.8",
    ):
        best(FAWCETT, "f1", where="precision >= 0.9 and recall >= 0.5")
    with pytest.raises(RocscopeError, match=r"no threshold reaches precision == 0.99; the best is 1"):
        best(FAWCETT, "f1", where="precision == 0.99")
    with pytest.raises(RocscopeError, match="is undefined at every threshold"):
        best(table([2, 1], [0, 0]), "recall", where="fpr >= 0")
    found = best(FAWCETT, "recall", where=Condition(condition("precision >= 0.75").require))
    assert found.rule == "recall where precision >= 0.75" and found.value == 0.5


# ---- at a given rate ----


@given(tables(), st.fractions(0, 1, max_denominator=10))
def test_at_a_rate_by_brute_force(t: ScoreTable, value: F) -> None:
    enough = [c for c in along(t) if F(c.tp, c.tp + c.fn) >= value]
    fewest = min(c.fp for c in enough)
    found = at_sensitivity(t, value).counts
    assert found.fp == fewest and found.tp == max(c.tp for c in enough if c.fp == fewest)
    enough = [c for c in along(t) if F(c.tn, c.fp + c.tn) >= value]
    most = max(c.tp for c in enough)
    found = at_specificity(t, value).counts
    assert found.tp == most and found.fp == min(c.fp for c in enough if c.tp == most)


def test_at_a_rate_refuses() -> None:
    for bad in (1.2, -0.1, math.nan, "x"):
        with pytest.raises(RocscopeError, match="sensitivity"):
            at_sensitivity(FAWCETT, bad)
    with pytest.raises(RocscopeError, match="there are no negatives"):
        at_specificity(table([1], [0]), 0.5)


# ---- capacity ----


def test_capacity_words() -> None:
    t = table([1, 2, 0, 1], [0, 1, 1, 4])
    exact = top(t, k=4)
    assert exact.beyond is None and exact.within.threshold == 3
    assert exact.words == "Requested 4: the threshold 3 flags exactly 4."
    between = top(t, share=0.3)
    assert between.asked == 3 and (between.within.threshold, between.beyond.threshold) == (4, 3)
    assert between.words == (
        "Requested 30 % (3): the threshold 4 flags 1, the next, 3, flags 4, because 3 cases share that score."
    )
    assert top(t, k=99).words == "Requested 99: there are only 10, and all are flagged."
    assert top(t, k=0).words == "Requested 0: nothing is flagged."
    assert top(table([3], [3]), k=2).words.startswith("Requested 2: predicting nothing flags 0, the next, 1, flags 6")
    assert top(t, k=10).words == "Requested 10: the threshold 1 flags exactly 10."


@given(tables(), st.integers(0, 60))
def test_capacity_by_brute_force(t: ScoreTable, k: int) -> None:
    found = top(t, k=k)
    flagged = [c.tp + c.fp for c in along(t)]
    within = found.within.counts.tp + found.within.counts.fp
    assert within == max(one for one in flagged if one <= k)
    more = [one for one in flagged if one > k]
    if within == k or not more:
        assert found.beyond is None
    else:
        assert found.beyond is not None and found.beyond.counts.tp + found.beyond.counts.fp == min(more)


@pytest.mark.parametrize(
    "bad",
    [{}, {"k": 1, "share": 0.1}, {"k": -1}, {"k": 1.5}, {"k": math.nan}, {"k": True}, {"share": 1.1}, {"share": -0.1}],
)
def test_capacity_refuses(bad: dict[str, Any]) -> None:
    with pytest.raises(RocscopeError):
        top(FAWCETT, **bad)


def test_capacity_of_float_weights() -> None:
    t = ScoreTable(FAWCETT.scores, FAWCETT.pos * 0.1, FAWCETT.neg * 0.1)
    assert top(t, share=0.3).within.threshold == top(FAWCETT, share=0.3).within.threshold
    assert top(t, k=0.25).beyond is not None


# ---- likelihood ratio and maximum a posteriori ----


@given(tables(), st.sampled_from([None, Costs(fp=1, fn=3), Costs(fp=2, fn=1, prevalence=0.2)]))
def test_bayes_rules_are_tangents_of_the_hull(t: ScoreTable, costs: Costs | None) -> None:
    h = hull(t)
    ml = likelihood_ratio(t)
    assert {(p.counts.fp, p.counts.tp) for p in ml} >= {
        (t.at(p.threshold).fp, t.at(p.threshold).tp) for p in h.best_all(cost_ratio=1)
    }
    slope = F(t.negatives, t.positives) if costs is None else costs.slope(t.positives, t.negatives)
    chosen = {(p.counts.fp, p.counts.tp) for p in map_rule(t, costs=costs)}
    assert chosen >= {(t.at(p.threshold).fp, t.at(p.threshold).tp) for p in h.best_all(cost_ratio=slope)}


def test_direct_cuts_say_so() -> None:
    y, s = [1, 0, 1, 0, 0, 0, 0, 0], [0.9, 0.6, 0.5, 0.4, 0.3, 0.1, 0.2, 0.05]
    t = ScoreTable.from_scores(y, s)
    cut = {"scores": "probabilities"}
    assert likelihood_ratio(t, **cut)[0].threshold == 0.25  # the prevalence
    assert map_rule(t, **cut)[0].threshold == 0.5
    assert map_rule(t, costs=Costs(fp=1, fn=4), **cut)[0].threshold == 0.2
    assert map_rule(t, costs=Costs(fp=1, fn=4), **cut)[0].counts == t.at(0.2)
    # at a prevalence of 1/2 the odds triple: p / (1 - p) * 3 >= 1/4 from p = 1/13
    assert map_rule(t, costs=Costs(fp=1, fn=4, prevalence=0.5), **cut)[0].threshold == pytest.approx(1 / 13)
    ratios = ScoreTable.from_scores(y, [9.0, 4.0, 3.5, 2.0, 1.0, 0.5, 0.7, 0.1])
    assert likelihood_ratio(ratios, scores="likelihood ratios")[0].threshold == 1
    assert map_rule(ratios, scores="likelihood ratios")[0].threshold == 3
    words = map_rule(ratios, scores="likelihood ratios").words
    assert "The scores are treated as likelihood ratios: cut at 3." in words
    assert "The scores are treated as ranks: the slope of the hull passes 1 here." in likelihood_ratio(t).words
    assert "the slope of the hull passes 3 here" in map_rule(t).words


def test_direct_cuts_refuse() -> None:
    with pytest.raises(RocscopeError, match="scores must be one of ranks"):
        likelihood_ratio(FAWCETT, scores="logits")
    with pytest.raises(RocscopeError, match="low scores indicate the positive class"):
        map_rule(FAWCETT.reverse(), scores="probabilities")
    with pytest.raises(RocscopeError, match="scores must be probabilities between 0 and 1"):
        map_rule(table([1, 1], [1, 1]), scores="probabilities")
    with pytest.raises(RocscopeError, match="the costs must differ"):
        map_rule(FAWCETT, scores="probabilities", costs=Costs(fp=0, fn=0))


# ---- costs of individual cases ----

amounts = st.sampled_from([0, 1, 2, 5, 0.1, 0.2, 0.3, 12.35])


@given(st.lists(st.tuples(st.booleans(), st.integers(0, 4), amounts, amounts), min_size=2, max_size=12), st.booleans())
def test_costs_per_case_by_brute_force(rows: list[tuple[bool, int, float, float]], higher: bool) -> None:
    y, score, fp, fn = (list(column) for column in zip(*rows, strict=True))
    assume(any(y) and not all(y))
    found = best_per_case(y, score, cost_fp=fp, cost_fn=fn, higher_is_positive=higher)
    thresholds = [math.inf if higher else -math.inf, *sorted(set(score), reverse=higher)]
    totals = []
    for threshold in thresholds:
        flagged = [s >= threshold if higher else s <= threshold for s in score]
        wrong = [
            (F(str(a)) if f else F(str(b))) for f, label, a, b in zip(flagged, y, fp, fn, strict=True) if f != label
        ]
        totals.append(sum(wrong, F(0)))
    least = min(totals)
    assert found.thresholds.tolist() == [s for s, total in zip(thresholds, totals, strict=True) if total == least]
    assert found.value == pytest.approx(float(least / len(rows)), abs=1e-12)
    point = found[0]
    assert point.counts.tp + point.counts.fp + point.counts.fn + point.counts.tn == len(rows)


def test_costs_per_case_refuse() -> None:
    y, s = [1, 0, 1], [0.9, 0.5, 0.1]
    for bad, message in [
        ({"cost_fp": -1, "cost_fn": 1}, "cost_fp must be 0 or more, but it is negative"),
        ({"cost_fp": [1, -2, 0], "cost_fn": 1}, "cost_fp must be 0 or more, but it is negative at row 1"),
        ({"cost_fp": 1, "cost_fn": [1, 2]}, "cost_fn has 2 rows"),
        ({"cost_fp": math.nan, "cost_fn": 1}, "finite"),
        ({"cost_fp": 1, "cost_fn": [1, math.nan, 2]}, "NaN"),
    ]:
        with pytest.raises(RocscopeError, match=message):
            best_per_case(y, s, **bad)
    free = best_per_case(y, s, cost_fp=0, cost_fn=[0, 0, 0])
    assert len(free) == 4 and "every threshold is optimal" in free.words
    # a cent in a trillion is a difference, where amounts are decimals
    near = best_per_case([0, 1], [2, 1], cost_fp=1e12, cost_fn=1e12 + 0.01)
    assert near.thresholds.tolist() == [1]
    odd = best_per_case(y, s, cost_fp=1 / 3, cost_fn=2 / 3)  # no short decimals: floats
    assert odd.thresholds.tolist() == [0.1]


def test_costs_per_case_equal_plain_costs_when_all_are_the_same() -> None:
    y = [c == "p" for c in "ppnpppnnpnpnpnnnpnpn"]
    found = best_per_case(y, FAWCETT.scores, cost_fp=1, cost_fn=2)
    plain = best(FAWCETT, costs=Costs(fp=1, fn=2))
    assert found.thresholds.tolist() == plain.thresholds.tolist() and found.value == plain.value


# ---- the grey zone ----


def zone_costs(t: ScoreTable, costs: Costs, refer: F) -> dict[tuple[int, int], F]:
    up = down = 1 / F(t.positives + t.negatives)
    if costs.prevalence is not None:
        share = F(str(costs.prevalence))
        up, down = share / t.positives, (1 - share) / t.negatives
    cost = {name: F(str(getattr(costs, name))) for name in ("fp", "fn", "tp", "tn")}
    tp, fp = t.tp.tolist(), t.fp.tolist()
    found = {}
    for i in range(len(t) + 1):
        for j in range(i, len(t) + 1):
            flagged = tp[i] * up * cost["tp"] + fp[i] * down * cost["fp"]
            referred = (tp[j] - tp[i]) * up * (refer + cost["tp"]) + (fp[j] - fp[i]) * down * (refer + cost["tn"])
            cleared = (tp[-1] - tp[j]) * up * cost["fn"] + (fp[-1] - fp[j]) * down * cost["tn"]
            found[i, j] = flagged + referred + cleared
    return found


@given(
    tables(most=7),
    st.builds(
        Costs,
        fp=st.sampled_from([1, 3, 10]),
        fn=st.sampled_from([2, 2.5, 20]),
        tp=st.sampled_from([0, 1]),
        tn=st.sampled_from([0, 0.5]),
        prevalence=st.sampled_from([None, 0.1]),
    ),
    st.sampled_from([F(0), F(1, 4), F(1), F(5)]),
)
def test_grey_zone_by_brute_force(t: ScoreTable, costs: Costs, refer: F) -> None:
    every = zone_costs(t, costs, refer)
    found = grey_zone(t, costs, refer=refer)
    least = min(every.values())
    assert found.cost == pytest.approx(float(least), abs=1e-12)
    assert found.single_cost == pytest.approx(float(min(every[i, i] for i in range(len(t) + 1))), abs=1e-12)
    thresholds = t.thresholds.tolist()
    pair = thresholds.index(found.flag), thresholds.index(found.refer)
    assert every[pair] == least
    sizes = (t.tp + t.fp).tolist()
    assert found.referred.total == min(sizes[j] - sizes[i] for (i, j), cost in every.items() if cost == least)
    assert found.flagged.total + found.referred.total + found.cleared.total == sizes[-1]
    floats = ScoreTable(t.scores, t.pos * 0.1, t.neg * 0.1, t.higher_is_positive)
    assert grey_zone(floats, costs, refer=refer).cost == pytest.approx(found.cost, abs=1e-9)


def test_grey_zone_words() -> None:
    t = table([2, 0, 1, 0], [0, 1, 0, 2])
    found = grey_zone(t, Costs(fp=10, fn=10), refer=1)
    assert found.words == (
        "Flag scores >= 4 (2 cases), refer the next down to 2 (2), do not flag the rest (2): "
        "0.3333 per case; a single threshold costs 1.667."
    )
    assert (found.referred.positives, found.referred.negatives) == (1, 1)
    dear = grey_zone(t, Costs(fp=1, fn=1), refer=100)
    assert dear.flag == dear.refer and dear.words.startswith("Referral does not pay")
    everything = grey_zone(table([1, 1], [1, 1]), Costs(fp=9, fn=9), refer=1)
    assert everything.words.startswith("Flag nothing, refer the next down to 1 (4)")
    low = grey_zone(table([2, 0, 1, 0], [0, 1, 0, 2], higher=False), Costs(fp=10, fn=10), refer=1)
    assert low.words.startswith("Flag scores <= 1 (2 cases), refer the next up to 3 (2)")
    for bad in (-1, math.nan, "x"):
        with pytest.raises(RocscopeError, match="refer"):
            grey_zone(t, Costs(fp=1, fn=1), refer=bad)


def test_grey_zone_of_huge_counts() -> None:
    small = table([2, 0, 1, 0], [0, 1, 0, 2])
    large = ScoreTable(small.scores, small.pos * 10**17, small.neg * 10**17)
    a, b = (grey_zone(t, Costs(fp=101, fn=101), refer=7) for t in (small, large))
    assert (a.flag, a.refer, a.cost) == (b.flag, b.refer, b.cost)


@given(tables())
def test_optima_run_from_strict_to_loose(t: ScoreTable) -> None:
    for name in ("youden", "closest", "recall"):
        flagged = [c.tp + c.fp for c in (p.counts for p in best(t, name))]
        assert all(a <= b for a, b in pairwise(flagged))


# ---- long curves: boxes that cannot hold the best are left out ----

LIMITED = sorted(name for name, one in measures.names().items() if one.formula is not None and name == one.name)


@given(st.sampled_from(LIMITED), st.lists(st.integers(0, 6), min_size=8, max_size=8))
def test_a_measure_keeps_within_its_limits_over_a_box(name: str, numbers: list[int]) -> None:
    first = dict(zip(("tp", "fp", "fn", "tn"), numbers[:4], strict=True))
    tp, fp = min(numbers[4], first["fn"]), min(numbers[5], first["tn"])
    last = {"tp": first["tp"] + tp, "fp": first["fp"] + fp, "fn": first["fn"] - tp, "tn": first["tn"] - fp}
    formula = measures.get(name).formula
    assert formula is not None
    found = formula.limits(*({cell: np.array([float(n)]) for cell, n in row.items()} for row in (first, last)))
    for up in range(tp + 1):
        for down in range(fp + 1):
            cells = {"tp": first["tp"] + up, "fp": first["fp"] + down,
                     "fn": first["fn"] - up, "tn": first["tn"] - down}  # fmt: skip
            value = measures.get(name).value(cells)
            assert not value < found.low[0] - 1e-9 * abs(value) and not value > found.high[0] + 1e-9 * abs(value)


@pytest.mark.parametrize("kind", ["distinct", "tied", "perfect", "empty entries"])
@pytest.mark.parametrize(
    "name", ["youden", "closest", "cost", "f1", "accuracy", "mcc", "recall", "fpr", "lr_plus", "bias"]
)
def test_the_best_of_a_long_curve_is_that_of_all_rows(kind: str, name: str) -> None:
    draw = np.random.default_rng(11)
    y = draw.random(40_000) < 0.2
    score = draw.normal(size=len(y)) + (9 if kind == "perfect" else 1.5) * y
    t = ScoreTable.from_scores(y, score.round(3) if kind == "tied" else score)
    if kind == "empty entries":
        shown = np.arange(len(t)) % 4 > 0
        t = ScoreTable(t.scores, t.pos * shown, t.neg * shown)
    costs = Costs(fp=1, fn=3) if name == "cost" else None
    try:
        _, found_criterion = criterion(name, costs)
    except RocscopeError:
        pytest.skip(f"{name} cannot choose a threshold")
    everywhere = np.ones(len(t) + 1, dtype=bool)
    rows = best_rows(found_criterion, partial(cells_at, t), len(t) + 1, exact=True, allowed=everywhere)
    found = best(t, name, costs=costs)
    assert found.thresholds.tolist() == t.thresholds[rows].tolist()
    assert found[0].counts == t.along()[int(rows[0])] and found[-1].counts == t.along()[int(rows[-1])]
    after = int(rows[0]) + 1
    assert found[0].beyond == (t.thresholds[after] if after <= len(t) else None)


@pytest.mark.parametrize("name", ["f1", "youden", "closest", "map", "accuracy"])
def test_few_rows_of_a_long_curve_are_looked_at(name: str) -> None:
    y = np.arange(100_000) % 5 < 2
    score = np.arange(100_000.0) if name == "f1" else np.random.default_rng(1).normal(size=len(y)) + y
    t = ScoreTable.from_scores(y, score)
    looked = candidates(criterion(name)[1], partial(cells_at, t), len(t) + 1)
    assert looked is not None and len(looked[0]) < len(t) / 10
    assert candidates(criterion(name)[1], partial(cells_at, t), 100) is None


def test_float_weights_are_looked_at_row_by_row() -> None:
    t = ScoreTable(np.arange(40_000, 0, -1.0), np.ones(40_000), np.linspace(0, 2, 40_000))
    values = np.asarray(measures.get("f1").value(t.along().cells), dtype=float)
    assert best(t, "f1")[0].threshold == t.thresholds[int(np.nanargmax(values))]


@pytest.mark.parametrize("weighted", [False, True])
def test_sums_of_decisions_add_up_over_any_parts_of_the_cases(weighted: bool) -> None:
    rng = np.random.default_rng(4)
    codes, scores = rng.integers(0, 3, 40), rng.dirichlet((1, 1, 1), 40)
    costs = CostMatrix(((0, 1, 4), (2, 0, 3), (9, 5, 0)), reject=0.8)
    decided = costs.decide(scores)
    assert 3 < (decided < 0).sum() < 37
    mass = rng.random(40) if weighted else None

    def of(rows: Any) -> DecisionSums:
        return DecisionSums.of(costs, codes[rows], scores[rows], decided[rows], None if mass is None else mass[rows])

    whole, parts = of(np.arange(40)), [of(rows) for rows in (slice(0, 7), slice(7, 8), slice(8, 40))]
    added = parts[0] + parts[1] + parts[2]
    weight = np.ones(40) if mass is None else mass
    left = decided < 0
    assert added.left == whole.left == left.sum()
    assert added.undecided.tolist() == pytest.approx([weight[left & (codes == at)].sum() for at in range(3)])
    for name in ("own", "usual", "gap"):
        one, other = getattr(added, name), getattr(whole, name)
        assert (one.rows, one.value, one.variance) == pytest.approx((40, other.value, other.variance))
    assert [one.value for one in added.same] == pytest.approx([one.value for one in whole.same])
    paid = np.where(left, 0.8, costs.array[codes, decided])
    usual = costs.array[codes, scores.argmax(axis=1)]
    assert added.own.value == pytest.approx(np.average(paid, weights=weight))
    assert added.gap.value == pytest.approx(np.average(usual - paid, weights=weight))
