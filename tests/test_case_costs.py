"""Costs of individual cases: the cheapest threshold by counting, intervals that cover, refusals with their line."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import rocscope as rs
from rocscope.decisions import CaseCosts
from rocscope.intervals import PairedCases
from rocscope.intervals.case_costs import after_case_choice
from rocscope.intervals.resamples import multiplicities
from rocscope.report.html import page as html

RNG = np.random.default_rng(8)
N = 400
Y = (RNG.random(N) < 0.2).astype(int)
P = np.round(1 / (1 + np.exp(-(RNG.normal(size=N) + 2 * Y - 2))), 3)
AMOUNT = np.round(np.exp(RNG.normal(2, 1, N)), 2)
CHECK = RNG.choice([1.0, 4.0], N)
SCHEMA = Path(rs.__file__).parent / "schema" / "rocscope-1.json"


def spent(threshold: float) -> float:
    return float(AMOUNT[(Y == 1) & (threshold > P)].sum() + CHECK[(Y == 0) & (threshold <= P)].sum())


def test_the_threshold_is_the_cheapest_of_all() -> None:
    ev = rs.evaluate(Y, P, cost_column={"fn": AMOUNT, "fp": CHECK})
    assert ev.point is not None and ev.point.chosen == "cost per case" and ev.apparent_cost is not None
    least = min(spent(threshold) for threshold in [*P, np.inf])
    assert spent(ev.point.threshold) == pytest.approx(least, abs=1e-9)
    assert ev.apparent_cost.value == pytest.approx(1000 * least / N, abs=1e-9)
    assert ev.cost is not None and ev.cost.value > ev.apparent_cost.value  # the choice found some luck
    assert ev.total_cost is not None and ev.total_cost.value == pytest.approx(N * ev.cost.value / 1000)
    assert ev.measure("recall").value != ev.apparent("recall").value
    assert ev.point.threshold == rs.decisions.best_per_case(Y, P, cost_fp=CHECK, cost_fn=AMOUNT)[0].threshold


def test_the_optimism_is_that_of_a_loop_written_out() -> None:
    ev = rs.evaluate(Y, P, cost_column={"fn": AMOUNT, "fp": CHECK})
    assert ev.cost is not None and ev.apparent_cost is not None
    rng, gaps = np.random.default_rng(4), []
    thresholds = np.array([*np.unique(P), np.inf])
    flags = thresholds[:, None] <= P[None, :]
    losses = np.where(flags == (Y == 1), 0.0, np.where(Y == 1, AMOUNT, CHECK))
    for _ in range(400):
        drawn = np.bincount(rng.integers(0, N, N), minlength=N)
        inside = losses @ drawn / N
        best = inside.argmin()
        gaps.append(losses[best].mean() - inside[best])
    shift = (ev.cost.value - ev.apparent_cost.value) / 1000
    error = np.std(gaps) * np.sqrt(1 / 400 + 1 / 200)
    assert shift == pytest.approx(np.mean(gaps), abs=4 * error)


def test_decisions_of_each_case_and_a_given_threshold() -> None:
    ev = rs.evaluate(Y, P, cost_column={"fn": AMOUNT, "fp": 3}, threshold=0.5)
    costs = ev.to_dict()["costs"]
    flagged = (P * AMOUNT >= (1 - P) * 3) | np.isclose(P * AMOUNT, (1 - P) * 3, rtol=1e-12)
    expected = 1000 / N * (AMOUNT[(Y == 1) & ~flagged].sum() + 3 * ((Y == 0) & flagged).sum())
    assert costs["each case by its own costs"]["value"] == pytest.approx(expected)
    assert costs["flag nobody"]["value"] == pytest.approx(1000 / N * AMOUNT[Y == 1].sum())
    assert ev.point is not None and not ev.point.optimistic and ev.cost == ev.apparent_cost
    losses = np.where((P >= 0.5) == (Y == 1), 0, np.where(Y == 1, AMOUNT, 3.0))
    assert ev.cost is not None and ev.cost.value == pytest.approx(1000 * losses.mean())
    reach = (ev.cost.high - ev.cost.low) / 2 / 1000
    assert reach == pytest.approx(1.96 * losses.std(ddof=1) / np.sqrt(N), rel=0.15)  # the plain interval of a mean
    assert ev.cost.high - ev.cost.value > ev.cost.value - ev.cost.low > 0  # amounts are skewed


def test_a_case_is_flagged_by_its_own_costs_however_small_they_are() -> None:
    """Flagging costs (1 - p) alarm on average and not flagging p miss; what costs nothing to miss is not flagged."""
    score, miss, alarm = np.array([0.9, 0.9, 0.2, 0.5, 0.9]), [0.5, 1e-6, 0.5, 0.25, 0], [0.5, 1e-6, 0.5, 0.25, 0]
    costs = CaseCosts.of(np.array([1, 1, 1, 0, 0]), score, fn=miss, fp=alarm)
    assert costs.by_case().tolist() == [True, True, False, True, False]


def test_clusters_widen_and_free_errors_have_no_cost() -> None:
    y, p, amount, house = (np.repeat(one, 5) for one in (Y[:80], P[:80], AMOUNT[:80], np.arange(80)))
    alone = rs.evaluate(y, p, cost_column={"fn": amount, "fp": 2}, threshold=0.3)
    held = rs.evaluate(y, p, cost_column={"fn": amount, "fp": 2}, threshold=0.3, clusters=house)
    assert alone.cost is not None and held.cost is not None and alone.cost.value == held.cost.value
    ratio = (held.cost.high - held.cost.low) / (alone.cost.high - alone.cost.low)
    assert ratio > 0.9 * np.sqrt(5)  # copies say nothing new
    free = rs.evaluate(Y, P, cost_column={"fn": 0, "fp": 0}, threshold=0.3).cost
    assert free is not None and free.value == 0 and free.why == "no error has a cost"


def test_the_interval_covers_the_cost_of_the_chosen_threshold() -> None:
    """100 samples; the wider run is in the docstring of `after_case_choice`."""
    rng = np.random.default_rng(12)

    def draw(n: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        y = (rng.random(n) < 0.2).astype(int)
        return y, rng.normal(size=n) + 1.5 * y, np.exp(rng.normal(2, 0.8, n))

    y, x, amounts = draw(100_000)
    everybody, covered = CaseCosts.of(y, x, fn=amounts, fp=5), []
    for _ in range(100):
        y, x, amounts = draw(300)
        ev = rs.evaluate(y, x, cost_column={"fn": amounts, "fp": 5})
        assert ev.point is not None and ev.cost is not None
        true = 1000 * everybody.losses(everybody.flagged(ev.point.threshold)).mean()
        covered.append(ev.cost.low <= true <= ev.cost.high)
    assert np.mean(covered) >= 0.88


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"cost_column": AMOUNT}, "not the cost of a false alarm"),
        ({"cost_column": {"fn": -AMOUNT, "fp": 1}}, "cost_fn must be 0 or more"),
        ({"cost_column": {"fn": AMOUNT[:5], "fp": 1}}, "cost_fn has 5 rows"),
        ({"cost_column": {"fn": np.where(AMOUNT > 9, np.nan, AMOUNT), "fp": 1}}, "cost_fn"),
        ({"cost_column": {"fn": AMOUNT, "fp": 1}, "costs": rs.Costs(fp=1, fn=1)}, "only one of the two"),
        ({"cost_column": {"fn": AMOUNT, "fp": 1}, "weights": AMOUNT}, "weights"),
        ({"cost_column": {"fn": AMOUNT, "fp": 1}, "cross_fit": 5}, "cross-fitting"),
        ({"cost_column": {"fn": AMOUNT, "fp": 1}, "choose_on": (Y, P)}, "other cases"),
    ],
)
def test_what_is_refused(given: dict[str, object], said: str) -> None:
    with pytest.raises(rs.RocscopeError, match=said):
        rs.evaluate(Y, P, **given).to_dict()  # type: ignore[call-overload]


# ---- files, and the command ----


def written(name: str, amounts: list[object]) -> str:
    rows = [f"{y},{p},{a},{c}" for y, p, a, c in zip(Y, P, amounts, CHECK, strict=True)]
    Path(name).write_text("\n".join(["y,p,amount,check", *rows]) + "\n")
    return name


def test_the_command_says_what_python_says(run: Callable[..., tuple[int, str, str]]) -> None:
    import jsonschema

    file = written("cases.csv", list(AMOUNT))
    asked = ("evaluate", file, "--label", "y", "--score", "p", "--cost-column", "amount")
    code, out, _ = run(*asked, "--cost-fp-column", "check", "--format", "json", "--html", "report.html")
    document = json.loads(out)
    held = rs.evaluate(file, label="y", score="p", cost_column={"fn": "amount", "fp": "check"})
    assert code == 0 and document["point"] == json.loads(json.dumps(held.to_dict()["point"]))
    assert document["settings"]["case_costs"] == {"fn": "amount", "fp": "check"}
    assert document["case_costs"]["total"]["value"] == pytest.approx(held.total_cost.value)  # type: ignore[union-attr]
    jsonschema.Draft202012Validator(json.loads(SCHEMA.read_text())).validate(document)
    page = Path("report.html").read_text()
    assert "at the costs of each case" in page and "one false alarm = " not in page.split("<script")[0]
    assert 'id="case-costs"' in page and "each case by its own costs" in page
    _, text, _ = run(*asked, "--cost-fp", "5", "--full")
    assert "least total cost" in text and "With the costs of each case" in text and "each case by its own" in text


@pytest.mark.parametrize(
    ("amount", "said"),
    [
        ("-3", "amount must be 0 or more, but it is negative (first on line 6: -3)"),
        ("", "'amount' is missing in 1 row (first on line 6)"),
    ],
)
def test_a_bad_cost_has_its_line(run: Callable[..., tuple[int, str, str]], amount: str, said: str) -> None:
    file = written("cases.csv", [*AMOUNT[:4], amount, *AMOUNT[5:]])
    asked = ("evaluate", file, "--label", "y", "--score", "p", "--cost-column", "amount")
    code, _, problem = run(*asked, "--cost-fp", "5")
    assert code == 2 and said in problem
    if not amount:
        assert run(*asked, "--cost-fp", "5", "--missing", "drop")[0] == 0
    code, _, problem = run(*asked)
    assert code == 2 and "--cost-fp X or --cost-fp-column COLUMN" in problem
    assert "only one" in run(*asked, "--cost-fp", "5", "--cost-fn", "5")[2]


def test_the_page_sets_no_one_price_where_each_case_has_its_own() -> None:
    """No question about the cost of a miss, no cost slider, no strip of cost ratios: a sentence says why."""
    ev = rs.evaluate(Y, P, cost_column={"fn": AMOUNT, "fp": CHECK}, unit="loan")
    document = ev.to_dict(drawing=True)
    assert document["drawing"]["state"]["own_costs"] is True
    shown = html(document).split("<script")[0]
    assert 'id="strip"' not in shown and "equal cost, slope" not in shown
    assert "each loan has its own costs" in shown
    assert "Costs of each loan" in shown and "follow the controls" in shown
    told = document["drawing"]["words"]["own_costs"].format(unit="loan")
    assert "one price for all cannot be set here" in told and "Costs of each loan" in told
    plain = rs.evaluate(Y, P, costs=rs.Costs(fp=1, fn=5)).to_dict(drawing=True)
    assert "own_costs" not in plain["drawing"]["state"] and 'id="strip"' in html(plain).split("<script")[0]


@pytest.mark.parametrize("houses", [None, 12])
def test_resamples_that_lack_a_class_are_left_out(houses: int | None) -> None:
    """Two positives of 24: about one resample in eight has none, and says nothing of recall."""
    rng = np.random.default_rng(2)
    y = np.zeros(24, dtype=int)
    y[[3, 17]] = 1
    score, clusters = np.round(rng.normal(size=24) + y, 2), None if houses is None else (np.arange(24) % houses, houses)
    for label in (y, 1 - y):
        held = CaseCosts.of(label, score, fn=rng.random(24) + 1, fp=1.0, clusters=clusters)
        found = after_case_choice(held, rs.Counts(tp=1, fp=3, fn=1, tn=19), n=400)
        rows = PairedCases.of(label, [score])
        drawn = np.concatenate(list(multiplicities(rows, 400, seed=0, stratified=False, clusters=held.clusters)))
        both = (drawn[:, label == 1].sum(axis=1) > 0) & (drawn[:, label == 0].sum(axis=1) > 0)
        assert found is not None and 20 < 400 - both.sum() < 120
        assert found.selection.resamples == both.sum() == len(found.inside) == len(found.outside)


def test_the_interval_allows_for_an_expensive_error_that_was_not_observed() -> None:
    """All 11 positives are flagged: with cheap false alarms alone in view, one miss of 100 was beyond the limits."""
    y, score = np.repeat([1, 0], (11, 220)), np.concatenate((np.full(11, 0.9), np.full(20, 0.8), np.full(200, 0.1)))
    cost = rs.evaluate(y, score, cost_column={"fn": 100.0, "fp": 1.0}, threshold=0.5).cost
    assert cost is not None and cost.value == pytest.approx(1000 * 20 / 231)
    assert cost.low < cost.value and cost.high > 1000 * (20 + 100) / 231
