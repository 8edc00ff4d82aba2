"""Lessons: every worked example recomputed, every concept and question reachable, traces against the definitions."""

from __future__ import annotations

import math
import os
import re
import subprocess
import sys
from collections import Counter
from fractions import Fraction
from importlib import import_module
from itertools import pairwise, product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import source_items
from hypothesis import given, settings
from hypothesis import strategies as st

import rocscope as rs
from rocscope import curves, hull, lessons, measures
from rocscope.errors import RocscopeError
from rocscope.lessons import computed_answers, records
from rocscope.lessons.content import record
from rocscope.lessons.traces import trapezoid
from rocscope.table import Confusion, Counts, ScoreTable
from rocscope.text import plain_name

# The numbers of the worked examples in the checklist of the founding documents.
WORKED = {
    *(7, 16, 29, 30, 31, 33, 37, 40, 45, 47, 54, 57, 60, 62, 63),
    *(103, 108, 110, 111, 112, 124, 126, 130, 131, 132, 133),
    *(142, 148, 149, 155, 163, 166, 172, 178, 181, 186),
}
BANNED = re.compile(r"significan|optimal|robust|!", re.IGNORECASE)
# The words of the command line that lessons may name.
COMMANDS = {"demo", "matrix", "explain", "trace", "examples", "exercise", "measures", "curve", "evaluate", "hull",
            "validate"}  # fmt: skip

ANSWERS = [(one, given_answer) for one in lessons.examples() for given_answer in one.answers]


def pairs_auc(y: Any, scores: Any, positive: Any = 1) -> Fraction:
    """The definition: pairs in the right order, ties one half."""
    up = [s for label, s in zip(y, scores, strict=True) if label == positive]
    down = [s for label, s in zip(y, scores, strict=True) if label != positive]
    return Fraction(sum(2 * (a > b) + (a == b) for a in up for b in down), 2 * len(up) * len(down))


def area_under(points: Any) -> Fraction:
    return sum((trapezoid(a, b) for a, b in pairwise(points)), Fraction(0))


# ---- examples ----


def test_every_worked_example_is_there() -> None:
    numbers = [n for one in lessons.examples() for n in (one.source_item, *one.also)]
    assert set(numbers) - {6} == WORKED
    assert max(Counter(numbers).values()) == 1


def test_names_are_unique_and_short() -> None:
    names = [one.name for one in lessons.examples()]
    assert len(set(names)) == len(names)
    assert all(re.fullmatch(r"[a-z0-9-]{2,12}", name) for name in names)


@pytest.mark.parametrize(("one", "expected"), ANSWERS, ids=lambda x: getattr(x, "name", getattr(x, "ask", "")))
def test_the_library_gives_the_right_answer(one: records.Example, expected: records.Answer) -> None:
    assert lessons.agrees(lessons.compute(one, expected.ask), expected.value)


@pytest.mark.parametrize(("one", "expected"), ANSWERS, ids=lambda x: getattr(x, "name", getattr(x, "ask", "")))
def test_a_wrong_answer_would_be_noticed(one: records.Example, expected: records.Answer) -> None:
    assert not lessons.agrees(lessons.compute(one, expected.ask), _spoiled(expected.value))


def _spoiled(value: records.Value) -> records.Value:
    if isinstance(value, tuple):
        return (*value[:-1], _spoiled(value[-1]))
    return value + "?" if isinstance(value, str) else value + Fraction(2, 10_000)


@pytest.mark.parametrize("one", lessons.examples(), ids=lambda one: one.name)
def test_an_example_is_complete(one: records.Example) -> None:
    assert one.question and one.title
    assert one.note or one.status == "given"
    assert one.status in ("given", "reconstructed", "lost")
    assert (one.kind == "lost") == (one.status == "lost") == (not one.answers)
    assert all(1 <= number <= 54 for number in one.erratum)
    texts = [one.question, one.title, one.note, *(a.text for a in one.answers)]
    assert not any(BANNED.search(text) for text in texts)


def test_lost_data_are_refused_and_unknown_asks_named() -> None:
    with pytest.raises(RocscopeError, match="lost"):
        lessons.compute(lessons.example("lr-knn"), "auc")
    with pytest.raises(RocscopeError, match=r"there is no ask named 'aux'\. Did you mean 'auc'"):
        lessons.compute(lessons.example("fawcett"), "aux")
    with pytest.raises(RocscopeError, match="there is no example named"):
        lessons.example("iris pc")


def test_examples_cannot_be_changed() -> None:
    with pytest.raises(TypeError):
        lessons.example("flu").data["tp"] = 0  # type: ignore[index]


def test_threshold_tables_add_up_row_by_row() -> None:
    for name, totals in (("step-table", (29, 25)), ("bmi", (100, 200))):
        rows = lessons.example(name).data["rows"]
        assert {(row["tp"] + row["fn"], row["fp"] + row["tn"]) for row in rows} == {totals}


def test_the_arm_table_asks_for_the_number_of_negatives() -> None:
    _, held = lessons.example("arm").data["867"]
    with pytest.raises(RocscopeError, match="negatives"):
        ScoreTable.from_points(held["rows"], positives=130, higher_is_positive=False)
    with pytest.raises(RocscopeError):
        ScoreTable.from_points(held["rows"], positives=130, negatives=866, higher_is_positive=False)


def test_the_repeated_last_row_changes_nothing() -> None:
    held = lessons.example("step-table").data
    whole = ScoreTable.from_points(held["rows"], higher_is_positive=False)
    assert whole == ScoreTable.from_points(held["rows"][:-1], higher_is_positive=False)


@pytest.mark.parametrize(("name", "value"), [("five-points", "5/6"), ("fawcett", "17/25"), ("six-cases", "8/9")])
def test_areas_by_their_definition(name: str, value: str) -> None:
    held = lessons.example(name).data
    assert pairs_auc(held["y"], held["scores"], held.get("positive", 1)) == Fraction(value)


def test_the_reconstructed_ranking_starts_with_a_negative() -> None:
    held = lessons.example("naive-bayes").data
    assert (sum(held["y"]), len(held["y"]), held["y"][0]) == (10, 30, 0)
    assert pairs_auc(held["y"], held["scores"]) == Fraction(155, 200)


# ---- intervals, by their closed forms ----


def wilson(hits: int, total: int) -> tuple[float, float]:
    z = 1.959963984540054
    p, share = hits / total, z * z / total
    middle = (p + share / 2) / (1 + share)
    half = z * math.sqrt(p * (1 - p) / total + share / (4 * total)) / (1 + share)
    return middle - half, middle + half


def delong(table: ScoreTable) -> tuple[float, float]:
    """Area and standard error from the placements of every case."""
    up = [i for i, n in enumerate(table.pos.tolist()) for _ in range(n)]
    down = [i for i, n in enumerate(table.neg.tolist()) for _ in range(n)]
    n_down, n_up = Counter(down), Counter(up)
    v = [(sum(n for j, n in n_down.items() if j > i) + n_down[i] / 2) / len(down) for i in up]
    w = [(sum(n for i, n in n_up.items() if i < j) + n_up[j] / 2) / len(up) for j in down]
    area = sum(v) / len(v)
    spread = [sum((x - area) ** 2 for x in part) / (len(part) - 1) / len(part) for part in (v, w)]
    return area, math.sqrt(sum(spread))


def test_the_wilson_intervals_of_the_documents() -> None:
    for name, hits, total in (("eight-wrong", 22, 30), ("hospital", 92, 100)):
        typed = next(a.value for a in lessons.example(name).answers if a.ask.startswith("interval:"))
        assert lessons.agrees(wilson(hits, total), typed)


DELONG = [(one, a) for one, a in ANSWERS if "interval:delong" in a.ask]


@pytest.mark.parametrize(("one", "typed"), DELONG, ids=lambda x: getattr(x, "name", getattr(x, "ask", "")))
def test_the_delong_intervals_of_the_documents(one: records.Example, typed: records.Answer) -> None:
    part = typed.ask.removeprefix("in:").partition(".")[0] if typed.ask.startswith("in:") else ""
    kind, held = one.data[part] if part else (one.kind, one.data)
    area, error = delong(computed_answers.subject(kind, held))
    assert lessons.agrees((area - 1.959964 * error, area + 1.959964 * error), typed.value)


# ---- errata ----


def test_every_erratum_is_there_and_cited() -> None:
    assert [one.number for one in lessons.errata()] == list(range(1, 55))
    assert all(one.where and one.printed and one.right for one in lessons.errata())
    cited = {n for one in lessons.examples() for n in one.erratum}
    cited |= {n for one in lessons.concepts() for n in one.errata}
    assert cited == set(range(1, 55))


def test_an_erratum_is_found_by_its_number() -> None:
    assert lessons.erratum(54).number == 54
    for wrong in (0, 55, -1):
        with pytest.raises(RocscopeError):
            lessons.erratum(wrong)


# ---- concepts and questions ----


def test_concept_names_and_aliases_are_unique() -> None:
    names = Counter(plain_name(name) for one in lessons.concepts() for name in (one.name, *one.aka))
    assert [name for name, count in names.items() if count > 1] == []


@pytest.mark.parametrize(
    "name",
    [
        *("confusion matrix", "accuracy paradox", "precision-recall trade-off", "ROC", "AUC", "roc space points"),
        *("iso-performance", "convex hull", "cost ratio", "maximum likelihood rule", "MAP rule", "cross-validation"),
        *("holdout", "k-fold", "leave-one-out", "5x2", "bootstrap", "no free lunch", "other criteria", "support"),
        *("distribution of validation errors", "stratification", "F-beta", "imbalance scale", "PR against ROC"),
        *("PAV", "calibration", "log loss against auc", "threshold", "ties", "random classifier"),
        *("perfect classifier", "inverted classifier", "LOO", "cross_validation", "precision"),
    ],
)
def test_concepts_are_found_by_the_words_people_use(name: str) -> None:
    found = lessons.concept(name)
    assert found.says and str(found).startswith(found.name)


def test_an_unknown_concept_offers_the_nearest() -> None:
    with pytest.raises(RocscopeError, match="Did you mean 'bootstrap'"):
        lessons.concept("bootstrop")


@pytest.mark.parametrize("one", lessons.concepts(), ids=lambda one: one.name)
def test_a_concept_keeps_the_tone_and_its_links(one: records.Concept) -> None:
    assert not BANNED.search(" ".join((one.says, one.formula, one.pitfall)))
    assert one.says.endswith(".") and one.items
    assert all(lessons.example(name) for name in one.examples)
    assert all(1 <= number <= 188 for number in one.items)


@pytest.mark.parametrize("call", sorted({use for one in lessons.concepts() for use in one.use}))
def test_what_a_concept_says_to_use_works(call: str) -> None:
    if call.startswith("rocscope "):
        assert call.split()[1] in COMMANDS
        return
    if call.startswith("from "):
        exec(call, {})
        return
    assert eval(call, _namespace(resampled=call.startswith("va.") or "models" in call)) is not None


def _resampled() -> dict[str, Any]:
    """Models and data of a few cases, and their validation."""
    from sklearn.naive_bayes import GaussianNB
    from sklearn.tree import DecisionTreeClassifier

    y = np.arange(40) % 2
    X = np.random.default_rng(0).normal(size=(40, 2)) + y[:, None]
    models = {"bayes": GaussianNB(), "tree": DecisionTreeClassifier(max_depth=2)}
    return {"models": models, "X": X, "y": y, "va": rs.validate(models, X, y, plan="5x2")}


def _namespace(*, resampled: bool = False) -> dict[str, Any]:
    if resampled:
        return {"rs": rs, **_resampled()}
    fawcett = lessons.example("fawcett").data
    report = lessons.example("report").data
    iris = lessons.example("iris").data
    actual, predicted = list(report["actual"]), list(report["predicted"])
    t = ScoreTable.from_scores(list(fawcett["y"]), list(fawcett["scores"]), positive="p")
    return {
        "rs": rs,
        "t": t,
        "t2": ScoreTable.from_scores(list(fawcett["y"]), list(fawcett["scores"])[::-1], positive="p"),
        "m": Confusion.from_matrix(iris["matrix"], labels=iris["labels"], rows="predicted"),
        "matrix": iris["matrix"],
        "labels": iris["labels"],
        "counts": Counts(tp=7, fp=7, fn=3, tn=13),
        **{"actual": actual, "predicted": predicted, "Y": actual, "YP": predicted},
        "y": [int(label == "p") for label in fawcett["y"]],
        "scores": list(fawcett["scores"]),
        "points": {"A": (0.2, 0.7), "B": (0.5, 0.95)},
        **{"a": list(fawcett["scores"]), "b": list(fawcett["scores"])[::-1]},
        "diffs": [[0.1, 0.2], [0.0, 0.1], [0.2, 0.1], [-0.1, 0.1], [0.1, 0.0]],
    }


def test_the_questions_of_the_documents_are_all_there() -> None:
    names = {one.name for one in lessons.questions()}
    assert {f"short {i}" for i in range(1, 9)} | {f"long {i}" for i in range(1, 8)} <= names
    assert {one.source_item for one in lessons.questions()} >= {30, 31, 60, 61, 62, 110, 111, 112, 128, 129, 179, 185}


@pytest.mark.parametrize("one", lessons.questions(), ids=lambda one: one.name)
def test_a_question_is_answered_and_computed(one: records.Question) -> None:
    assert one.question.endswith("?") and one.answer.endswith(".") and not BANNED.search(one.answer)
    assert bool(one.example) == bool(one.ask)
    if one.ask:
        example = lessons.example(one.example)
        assert lessons.agrees(lessons.compute(example, one.ask), one.value)


def test_reading_loads_no_numerical_library() -> None:
    code = "import sys, rocscope.lessons as l; l.concept('roc'); l.example('flu'); print('numpy' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=_environment())
    assert done.stdout.strip() == "False"


def _environment() -> dict[str, str]:
    source = str(Path(rs.__file__).parents[1])
    return {**os.environ, "PYTHONPATH": source}


def test_every_public_name_loads_and_a_wrong_one_does_not() -> None:
    assert all(getattr(lessons, name) is not None for name in lessons.__all__)
    with pytest.raises(AttributeError, match="no attribute 'exercize'"):
        lessons.exercize  # type: ignore[attr-defined]  # noqa: B018


# ---- coverage ----


def test_every_entry_of_the_documents_is_covered() -> None:
    assert sorted(source_items.MISSION_ITEMS) == list(range(1, 189))


@pytest.mark.parametrize("item", range(1, 189))
def test_what_covers_an_entry_exists(item: int) -> None:
    found = source_items.targets(item)
    assert found
    for kind, name in found:
        assert _exists(kind, name)


def _exists(kind: str, name: str) -> bool:
    if kind == "call":
        module, _, function = name.rpartition(".")
        return callable(getattr(import_module(f"rocscope.{module}"), function))
    look = {
        "example": lessons.example,
        "concept": lessons.concept,
        "question": lessons.question,
        "measure": measures.get,
    }[kind]
    return look(name) is not None


def test_examples_and_concepts_agree_with_the_coverage() -> None:
    for one in lessons.examples():
        for item in (one.source_item, *one.also):
            assert ("example", one.name) in source_items.targets(item)
    for number, text in source_items.MISSION_ITEMS.items():
        for kind, name in source_items.targets(number):
            if kind == "concept":
                assert number in lessons.concept(name).items, (number, text)


# ---- traces ----

RANKINGS = st.lists(st.tuples(st.integers(0, 1), st.integers(0, 6)), min_size=2, max_size=25).filter(
    lambda rows: {label for label, _ in rows} == {0, 1}
)


def test_the_trace_of_the_document() -> None:
    held = lessons.example("five-points").data
    rows = lessons.roc_trace(list(held["y"]), list(held["scores"]), positive="c1")
    third = Fraction(1, 3)
    assert [(r.threshold, r.fp, r.tp, r.fpr, r.tpr, r.area, r.move, r.shape) for r in rows] == [
        (math.inf, 0, 0, 0, 0, 0, "start", "none"),
        (0.9, 0, 1, 0, third, 0, "up", "none"),
        (0.8, 1, 3, Fraction(1, 2), 1, third, "diagonal", "trapezoid"),
        (0.1, 2, 3, 1, 1, Fraction(5, 6), "right", "rectangle"),
    ]
    assert rows[2].says == (
        "0.8: 2 positives and 1 negative tie, the curve goes diagonally. Trapezoid 1/2 x (1/3 + 1)/2 = 1/3."
    )


@given(RANKINGS)
def test_a_trace_ends_with_the_area_by_definition(rows: list[tuple[int, int]]) -> None:
    y, scores = [label for label, _ in rows], [float(score) for _, score in rows]
    trace = lessons.roc_trace(y, scores)
    area = pairs_auc(y, scores)
    assert trace[-1].area == area
    assert sum(row.step for row in trace) == area
    table = ScoreTable.from_scores(y, scores)
    assert curves.exact("auc", table) == area and float(curves.auc(table)) == float(area)
    backwards = lessons.roc_trace(y, scores, higher_is_positive=False)
    assert backwards[-1].area == 1 - area and backwards[0].threshold == -math.inf


@given(RANKINGS)
def test_the_k_plus_one_matrices_give_the_same_points(rows: list[tuple[int, int]]) -> None:
    y, scores = [label for label, _ in rows], [float(score) for _, score in rows]
    matrices = lessons.matrices_trace(y, scores)
    assert len(matrices) == len(set(scores)) + 1
    assert [(m.fpr, m.tpr) for m in matrices] == [(r.fpr, r.tpr) for r in lessons.roc_trace(y, scores)]
    for row in matrices:
        flagged = [label for label, score in rows if score >= row.threshold]
        assert (row.tp, row.fp) == (sum(flagged), len(flagged) - sum(flagged))
        assert row.tp + row.fp + row.fn + row.tn == len(rows)
        assert row.accuracy == Fraction(row.tp + row.tn, len(rows))


@pytest.mark.parametrize("trace", [lessons.roc_trace, lessons.matrices_trace])
def test_a_trace_refuses_what_has_no_curve(trace: Any) -> None:
    with pytest.raises(RocscopeError, match="requires both classes"):
        trace([1, 1], [0.2, 0.3], positive=1)
    with pytest.raises(RocscopeError):
        trace([1, 0, 1], [0.2, 0.3])
    with pytest.raises(RocscopeError):
        trace(["a", "b"], [0.2, 0.3])


def test_trapezoids_of_the_four_corners() -> None:
    assert trapezoid((0, 0.5), (0.5, 1)) == Fraction(3, 8)
    assert trapezoid((0.5, 1), (0, 0.5)) == Fraction(3, 8)
    assert trapezoid((0.2, 0.3), (0.2, 0.9)) == 0
    assert area_under([(0, 0), (1, 1)]) == Fraction(1, 2)


POINTS = st.lists(st.tuples(*[st.integers(0, 10).map(lambda n: Fraction(n, 10))] * 2), min_size=1, max_size=8)


@given(POINTS)
def test_a_hull_trace_is_the_upper_hull(points: list[tuple[Fraction, Fraction]]) -> None:
    named = {f"p{i}": point for i, point in enumerate(points)}
    trace = lessons.hull_trace(named)
    corners = [(f, t) for _, f, t in trace.corners]
    assert corners[0] == (0, 0) and corners[-1] == (1, 1)
    assert list(trace.slopes) == sorted(trace.slopes, reverse=True) and len(set(trace.slopes)) == len(trace.slopes)
    assert all(_height(corners, f) >= t for f, t in points)
    assert set(corners) <= {*points, (0, 0), (1, 1)}
    names = {name for name, _, _ in trace.corners}
    assert names | set(trace.dropped) == {step.name for step in trace.steps} and not names & set(trace.dropped)
    assert all(step.why for step in trace.steps if step.action == "drop")
    found = hull.hull({name: (float(f), float(t)) for name, (f, t) in named.items()})
    assert found.points_exact == tuple(corners) and found.area_exact == area_under(corners)


def _height(corners: list[tuple[Fraction, Fraction]], fpr: Fraction) -> Fraction:
    """The height of the line through the corners above a false positive rate."""
    best = Fraction(0)
    for (f1, t1), (f2, t2) in pairwise(corners):
        if f1 <= fpr <= f2:
            best = max(best, t2 if f1 == f2 else t1 + (t2 - t1) * (fpr - f1) / (f2 - f1))
    return best


def test_a_hull_trace_says_why_a_point_goes() -> None:
    trace = lessons.hull_trace({"A": (0.2, 0.7), "low": (0.2, 0.5), "on": (0.6, 0.85), "twin": (0.2, 0.7)})
    why = {step.name: step.why for step in trace.steps if step.action == "drop"}
    assert why["low"] == "A has the same fpr and a higher tpr than low"
    assert why["on"].endswith("on lies on the line from A to always positive")
    assert why["twin"] == "twin is the same point as A"
    assert [str(slope) for slope in trace.slopes] == ["7/2", "3/8"]


def test_a_hull_trace_refuses_percentages() -> None:
    with pytest.raises(RocscopeError, match="rates must lie between 0 and 1"):
        lessons.hull_trace({"A": (20, 70)})


# ---- exercises ----


def test_the_same_seed_gives_the_same_text_everywhere() -> None:
    one = lessons.exercise(17, kind="auc")
    assert one.text == FROZEN_TEXT
    assert one == lessons.exercise(17, kind="auc")
    assert lessons.exercise(17) == lessons.exercise(17, kind=lessons.exercise(17).kind)


FROZEN_TEXT = (
    "Scores of the positives: 9, 8, 7, 5. Scores of the negatives: 6, 3, 1, 1. Give the AUC by counting pairs."
)


@pytest.mark.parametrize(("kind", "seed"), list(product(lessons.kinds(), range(25))))
def test_the_library_solves_every_exercise(kind: str, seed: int) -> None:
    one = lessons.exercise(seed, kind=kind)
    assert one.answers and not BANNED.search(one.text + one.solution)
    for expected in one.answers:
        computed = computed_answers.compute_data(one.data_kind, one.data, expected.ask)
        assert lessons.agrees(computed, expected.value), (expected, computed)


@settings(max_examples=50)
@given(st.integers(0, 10**9))
def test_exercises_stay_hand_sized_and_exact(seed: int) -> None:
    one = lessons.exercise(seed)
    assert one.kind in lessons.kinds() and len(one.text) < 400
    for value in (answer.value for answer in one.answers if isinstance(answer.value, Fraction)):
        assert value.denominator <= 2500


def test_seeds_make_different_exercises_and_every_kind() -> None:
    made = [lessons.exercise(seed) for seed in range(80)]
    assert {one.kind for one in made} == set(lessons.kinds())
    assert len({one.text for one in made}) > 70


def test_wrong_seeds_and_kinds_are_refused() -> None:
    with pytest.raises(RocscopeError, match="integer"):
        lessons.exercise(1.5)  # type: ignore[arg-type]
    with pytest.raises(RocscopeError, match="Did you mean 'hull'"):
        lessons.exercise(1, kind="hul")


# ---- shapes ----


def gaps(table: ScoreTable) -> list[Fraction]:
    """The area between the curve and its hull, segment by segment, largest first."""
    points = [(row.fpr, row.tpr) for row in lessons.table_trace(table)]
    corners = [(f, t) for _, f, t in lessons.hull_trace(points).corners]
    between = (
        area_under([a, b]) - area_under([p for p in points if a[0] <= p[0] <= b[0] and a[1] <= p[1] <= b[1]])
        for a, b in pairwise(corners)
    )
    return sorted((gap for gap in between if gap), reverse=True)


def shape_auc(name: str, model: str = "") -> Fraction:
    return lessons.table_trace(lessons.shape(name).table(model))[-1].area


def test_the_four_shapes_are_what_they_are_called() -> None:
    good, fairly, reasonable, poor = (
        gaps(lessons.shape(n).table()) for n in ("good", "fairly poor", "reasonable", "poor")
    )
    assert good == []
    assert len(fairly) == len(reasonable) == 1 and max(*fairly, *reasonable) < Fraction(1, 100)
    assert len(poor) >= 3 and poor[0] > 3 * poor[1]
    assert shape_auc("good") > Fraction(9, 10) > shape_auc("reasonable") > Fraction(8, 10)
    assert Fraction(7, 10) > shape_auc("fairly poor") > Fraction(55, 100)


def test_the_areas_of_the_plain_shapes() -> None:
    areas = {name: shape_auc(name) for name in ("random", "perfect", "inverted", "all tied")}
    assert areas == {"random": Fraction(1, 2), "perfect": 1, "inverted": 0, "all tied": Fraction(1, 2)}


def test_nearest_the_corner_is_not_cheapest() -> None:
    one = lessons.shape("crossing")
    points = {
        f"{model} {row.threshold:g}": (row.fpr, row.tpr)
        for model in one.models
        for row in lessons.table_trace(one.table(model))
    }
    nearest = min(points, key=lambda name: points[name][0] ** 2 + (1 - points[name][1]) ** 2)
    assert nearest == "wide 3" and points[nearest] == (Fraction(1, 4), Fraction(3, 4))
    assert shape_auc("crossing", "wide") > shape_auc("crossing", "steep")
    trace = lessons.hull_trace(points)
    assert nearest in trace.dropped and Fraction(7, 9) in trace.slopes


def test_shapes_have_words_and_cases() -> None:
    for one in lessons.shapes():
        assert not BANNED.search(one.says)
        for model in one.models:
            y, scores = one.cases(model)
            assert len(y) == len(scores) and set(y) == {0, 1} and list(scores) == sorted(scores, reverse=True)
    with pytest.raises(RocscopeError, match="no model"):
        lessons.shape("perfect").table("other")


# ---- the texts as data ----


def test_a_record_that_does_not_fit_is_refused() -> None:
    right: dict[str, Any] = {"name": "a", "kind": "quiz", "source_item": 3, "question": "?", "answer": "!"}
    assert record(lessons.Question, right).name == "a"
    wrong: dict[str, dict[str, Any]] = {
        "there is no field 'page'": right | {"page": 3},
        "'answer' is missing": {name: value for name, value in right.items() if name != "answer"},
        "'source_item' is '3', not int": right | {"source_item": "3"},
        "'name' is 3, not str": right | {"name": 3},
    }
    for message, table in wrong.items():
        with pytest.raises(RocscopeError, match=message):
            record(lessons.Question, table)
    example: dict[str, Any] = {"name": "b", "title": "B", "source_item": 1, "kind": "counts", "question": "?"}
    example["answers"] = [{"ask": "x"}]
    with pytest.raises(RocscopeError, match="an answer has ask, value and perhaps text"):
        record(lessons.Example, example)
