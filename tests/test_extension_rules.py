"""One declaration is enough: a rule, a measure, a statistic and an interval added at run time are found everywhere."""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
import test_areas
import test_estimate
import test_intervals
import test_intervals_classes

import rocscope as rs
from rocscope import curves, decisions, intervals, measures, significance
from rocscope.curves import declaration
from rocscope.decisions import threshold_rules
from rocscope.estimate import Estimate, interval, interval_methods
from rocscope.registry import Registry
from rocscope.table import ScoreTable

draw = np.random.default_rng(8)
Y = draw.random(300) < 0.3
A, B = (np.round(1 / (1 + np.exp(-(draw.normal(size=300) + shift * Y - 1))), 3) for shift in (2.0, 1.2))
T = ScoreTable.from_scores(Y, A)


@pytest.fixture
def registries() -> Iterator[None]:
    """What is declared in a test is forgotten after it."""
    families = [interval_methods._family(fits) for fits in ("proportion", "auc")]
    held: list[Registry[Any]] = [threshold_rules._DECLARED, declaration.DECLARED, measures.DECLARED, *families]
    kept = [{name: dict(part) for name, part in vars(one).items() if isinstance(part, dict)} for one in held]
    yield
    for one, parts in zip(held, kept, strict=True):
        for name, part in parts.items():
            getattr(one, name).clear()
            getattr(one, name).update(part)


@pytest.fixture
def predictions() -> Path:
    path = Path("predictions.csv")
    rows = (f"{int(y)},{a},{b}" for y, a, b in zip(Y, A, B, strict=True))
    path.write_text("\n".join(["y,a,b", *rows]) + "\n", encoding="utf-8")
    return path


def tool(name: str) -> ModuleType:
    path = Path(rs.__file__).parents[2] / "tools" / f"{name}.py"
    spec = importlib.util.spec_from_file_location(f"tools_{name}", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


# ---- a rule ----


def declare_rule() -> None:
    @decisions.rule("hits_less_alarms", says="Three points for a hit, one off for a false alarm.", cite="Nobody 2026")
    def hits_less_alarms(c: Any, costs: rs.Costs | None) -> Any:
        return 3 * c.tp - c.fp


@pytest.mark.usefixtures("registries")
def test_a_rule_is_one_declaration(run: Any, predictions: Path) -> None:
    with pytest.raises(rs.RocscopeError, match="no rule or measure 'hits_less_alarms'"):
        decisions.best(T, "hits_less_alarms")
    declare_rule()
    along = T.along()
    worth = 3 * along.tp - along.fp
    found = decisions.best(T, "hits_less_alarms")
    assert found.thresholds.tolist() == T.thresholds[worth == worth.max()].tolist()
    assert found[0].value == worth.max() and found[0].words.endswith(f"(hits_less_alarms {worth.max():.4g}).")
    assert decisions.criterion("hits_less_alarms")[1].formula is not None  # exact ties, long curves
    assert decisions.best(T, "hits_less_alarms", where="recall >= 0.9")[0].counts.recall >= 0.9
    # the laws of the others: optimism, thresholds not worse, cut point, evaluation
    test_intervals_classes.test_every_rule_has_its_optimism("hits_less_alarms")
    # the command line, its completion, the reference
    code, out, _ = run("evaluate", str(predictions), "--label", "y", "--score", "a", "--choose", "hits_less_alarms",
                       "--format", "json")  # fmt: skip
    point = json.loads(out)["point"]
    assert code == 0 and point["threshold"] == found[0].threshold and point["optimism"] is not None
    assert "| `hits_less_alarms` | Three points for a hit" in tool("docs").methods_page()


@pytest.mark.usefixtures("registries")
def test_a_rule_that_is_no_formula_is_computed_in_floats() -> None:
    @decisions.rule("rooted", says="The root of what is found, less a share of what is flagged.")
    def rooted(c: Any, costs: rs.Costs | None) -> Any:
        return np.sqrt(c.tp) - 0.1 * c.fp

    along = T.along()
    worth = np.sqrt(along.tp) - 0.1 * along.fp
    assert decisions.criterion("rooted")[1].formula is None
    assert decisions.best(T, "rooted")[0].threshold == T.thresholds[int(worth.argmax())]
    test_intervals_classes.test_every_rule_has_its_optimism("rooted")


# ---- a measure ----


@pytest.mark.usefixtures("registries")
def test_a_measure_is_one_declaration(run: Any, predictions: Path) -> None:
    with pytest.raises(rs.RocscopeError, match="no rule or measure 'found_or_flagged'"):
        decisions.best(T, "found_or_flagged")
    measures.declare(
        "found_or_flagged", "2 * tp / (2 * tp + fp + 3 * fn)", aka=("fof",), says="A miss counts three times.",
        cite="Nobody 2026",
    )  # fmt: skip
    counts = rs.Counts(tp=7, fp=7, fn=3, tn=13)
    assert counts.value("fof") == counts.found_or_flagged == 14 / 30 and counts.exact("fof") == Fraction(7, 15)
    assert 0 < counts.estimate("fof").low < 14 / 30 < counts.estimate("fof").high < 1
    values = T.along().value("found_or_flagged")
    found = decisions.best(T, "found_or_flagged")
    assert found[0].value == np.nanmax(values) and found[0].threshold == T.thresholds[int(np.nanargmax(values))]
    ev = rs.evaluate(Y, A, choose="found_or_flagged")
    assert isinstance(ev, rs.Evaluation)
    assert ev.point is not None and ev.point.threshold == found[0].threshold
    assert ev.measure("found_or_flagged").low < ev.measure("found_or_flagged").value
    assert rs.gate(ev, "found_or_flagged >= 0.1").met
    with pytest.raises(rs.RocscopeError, match="is declared twice"):
        measures.declare("found_or_flagged", "tp", says="Again.")
    # the command line, the page's catalog, the reference
    code, out, _ = run("evaluate", str(predictions), "--label", "y", "--score", "a", "--choose", "found_or_flagged",
                       "--format", "json")  # fmt: skip
    assert code == 0 and json.loads(out)["point"]["threshold"] == found[0].threshold
    assert "A miss counts three times." in run("explain", "found_or_flagged")[1]
    assert "7/15" in run("matrix", "7", "7", "3", "13", "--measure", "fof")[1]
    drawing = ev.to_dict(drawing=True)["drawing"]
    assert "found_or_flagged" in [one["name"] for one in drawing["measures"]]


# ---- a statistic ----


def declare_statistic(**more: Any) -> None:
    @curves.statistic(
        "mean_gap",
        title="mean gap",
        aka=("discrimination_slope",),
        formula="mean score of positives - mean score of negatives",
        latex=r"\bar s_+ - \bar s_-",
        low=-1.0,
        says="How far apart the mean probabilities of the two classes are.",
        cite="Yates 1982, Organizational Behavior and Human Performance 30:132-156",
        needs_probabilities=True,
        **more,
    )
    def mean_gap(table: ScoreTable) -> float:
        scores = table.scores.astype(float)
        return float(table.pos @ scores / table.positives - table.neg @ scores / table.negatives)


@pytest.mark.usefixtures("registries")
def test_a_statistic_is_one_declaration(run: Any, predictions: Path) -> None:
    with pytest.raises(rs.RocscopeError, match="no curve or statistic 'mean_gap'"):
        curves.get("mean_gap")
    declare_statistic()
    wanted = float(A[Y].mean() - A[~Y].mean())
    reading = curves.get("mean gap")
    assert reading is curves.get("discrimination_slope") and reading(T) == pytest.approx(wanted, rel=1e-12)
    assert reading.why(ScoreTable.from_scores([1, 1], [0.2, 0.3])) == "no negatives: mean gap is undefined"
    # an interval, a test, an evaluation, a gate
    found = intervals.bootstrap(T, "mean_gap", n=199)
    assert found.low < wanted < found.high
    assert "bootstrap" in intervals.of(T, "mean_gap").why
    difference = significance.bootstrap_difference(Y, A, B, "mean_gap", n=199)
    assert difference.value == pytest.approx(wanted - (B[Y].mean() - B[~Y].mean()), rel=1e-9)
    ev = rs.evaluate(Y, A, bootstrap=199)
    assert ev.area("mean_gap").value == pytest.approx(wanted, rel=1e-12)
    assert rs.gate(ev, "mean_gap >= 0.05")
    # the laws of the others, the command line, the reference
    test_areas.test_catalogue_facts_are_complete()
    test_areas.test_b027_scores_that_are_no_probabilities(reading)
    assert run("gate", str(predictions), "--label", "y", "--score", "a", "--require", "mean_gap >= 0.05")[0] == 0
    assert "mean gap" in run("explain", "mean_gap")[1]
    assert "mean_gap" in tool("docs").curves_page(curves.catalog())


@pytest.mark.usefixtures("registries")
def test_a_statistic_may_bring_its_own_interval_and_kernel() -> None:
    def prepare(t: ScoreTable) -> Any:
        return lambda pos, neg: pos @ t.scores / pos.sum(1) - neg @ t.scores / neg.sum(1)

    def interval(t: ScoreTable, *, level: float, fixed_classes: bool) -> rs.estimate.Estimate:
        return rs.estimate.Estimate(0.3, 0.2, 0.4, level, "by hand")

    declare_statistic(kernel=curves.Kernel(lambda t: np.arange(len(t)), prepare), interval=interval)
    assert str(intervals.of(T, "mean_gap")) == "0.30 [0.20, 0.40]"
    fast = intervals.replicates(T, "mean_gap", 50, seed=3)
    slow = intervals.replicates(T, curves.get("mean_gap").function, 50, seed=3)
    assert fast == pytest.approx(slow, rel=1e-12)


# ---- an interval ----


@pytest.mark.usefixtures("registries")
def test_an_interval_of_a_proportion_is_one_declaration(run: Any) -> None:
    with pytest.raises(rs.RocscopeError, match="no interval 'plus-four' for proportion"):
        rs.estimate.proportion(40, 50, method="plus-four")

    @interval("plus-four", fits="proportion", says="two cases added to each side", cite="Agresti & Coull 1998")
    def plus_four(k: float, n: float, level: float) -> tuple[float, float]:
        share, half = (k + 2) / (n + 4), 3.0 * ((k + 2) * (n - k + 2) / (n + 4) ** 3) ** 0.5
        return share - half, share + half

    found = rs.Counts(tp=40, fp=10, fn=3, tn=20).estimate("precision", method="plus-four")
    assert found.method == "plus-four" and found.low < 0.8 < found.high
    assert found == rs.estimate.proportion(40, 50, method="plus-four")
    # the laws of the others, the command line, the reference
    test_estimate.test_limits_lie_in_range_and_contain_the_estimate("plus-four")
    assert "Two cases added to each side" in run("explain", "plus-four")[1]
    assert "| `plus-four` | two cases added to each side |" in tool("docs").methods_page()


@pytest.mark.usefixtures("registries")
def test_an_interval_of_an_area_is_one_declaration(run: Any, predictions: Path) -> None:
    with pytest.raises(rs.RocscopeError, match="no interval 'half' for auc"):
        intervals.auc(T, method="half")

    @interval("half", fits="auc", says="half way to the ends of the range", cite="Nobody 2026")
    def half_way(t: ScoreTable, *, level: float, **_: Any) -> Estimate:
        area = curves.auc(t)
        return Estimate(area, area * (1 - level / 2), 1 - (1 - area) * (1 - level / 2), level, "half")

    wanted = intervals.auc(T, method="half")
    ev = rs.evaluate(Y, A, interval="half")
    assert isinstance(ev, rs.Evaluation) and ev.auc == wanted and "half" in intervals.auc_methods()
    code, out, _ = run("evaluate", str(predictions), "--label", "y", "--score", "a", "--interval", "half",
                       "--format", "json")  # fmt: skip
    row = next(one for one in json.loads(out)["areas"] if one["name"] == "auc")
    assert code == 0 and (row["low"], row["high"], row["method"]) == (wanted.low, wanted.high, "half")
    test_intervals.test_inside_the_range_around_the_value_and_monotone_in_the_level.hypothesis.inner_test(
        list(zip(Y, A, strict=True)), "half"
    )
    assert "Half way to the ends" in run("explain", "half")[1]
    assert "| `half` | half way to the ends of the range |" in tool("docs").methods_page()
