"""Two thresholds with a zone of referred cases between: by trying every pair, by counting, and by simulation."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from itertools import combinations_with_replacement
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import norm

import rocscope as rs
from rocscope.decisions import referral_of, zone_of
from rocscope.intervals import after_referral

ASKED = "recall >= 0.9, precision >= 0.8"
SCHEMA = Path(rs.__file__).parent / "schema" / "rocscope-1.json"


def cases(seed: int, n: int = 120) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < 0.3).astype(int)
    y[:2], y[2:4] = 1, 0
    return y, np.round(rng.normal(size=n) + 1.5 * y, 1)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize(
    ("asked", "out", "into"),
    [
        (ASKED, lambda c: c.recall >= 0.9, lambda c: c.precision >= 0.8),
        ("specificity > 95 %, npv >= 0.9", lambda c: c.npv >= 0.9, lambda c: c.specificity > 0.95),
        ("fnr <= 0.1, fdr < 0.25", lambda c: c.fnr <= 0.1, lambda c: c.fdr < 0.25),
    ],
)
def test_the_fewest_cases_are_referred_of_all_pairs(
    seed: int, asked: str, out: Callable[[rs.Counts], bool], into: Callable[[rs.Counts], bool]
) -> None:
    y, s = cases(seed)
    t = rs.ScoreTable.from_scores(y, s)
    along = [t.at(float(threshold)) for threshold in t.thresholds]
    found = zone_of(t, referral_of(asked))
    last = len(along) - 1
    pairs = [
        along[j].tp + along[j].fp - along[i].tp - along[i].fp
        for i, j in combinations_with_replacement(range(len(along)), 2)
        if (i == 0 or into(along[i])) and (j == last or out(along[j]))
    ]
    assert found.referred.total == min(pairs)
    assert found.flagged.total + found.referred.total + found.cleared.total == len(y)
    assert not found.flagged.total or into(t.at(found.flag))
    assert not found.cleared.total or out(t.at(found.refer))


@pytest.mark.parametrize("prevalence", [None, 0.1])
def test_a_price_chooses_as_the_exact_search_does(prevalence: float | None) -> None:
    costs = rs.Costs(fp=1, fn=6, prevalence=prevalence)
    for seed in range(5):
        y, s = cases(seed)
        t = rs.ScoreTable.from_scores(y, s)
        rule = referral_of(0.3, costs)
        cells = {name: np.asarray(cell, dtype=float)[None] for name, cell in t.along().cells.items()}
        upper, lower = (int(one[0]) for one in rule.rows(cells))
        exact = rs.decisions.grey_zone(t, costs, refer=0.3)
        assert (t.thresholds[upper], t.thresholds[lower]) == (exact.flag, exact.refer)
        found = after_referral(t, rule, chosen_on=t).cost()  # not corrected: the same cases
        assert found.value == pytest.approx(exact.cost) and found.low < exact.cost < found.high


def test_shares_and_measures_are_counted_by_hand_on_other_cases() -> None:
    y, s = cases(1)
    other = cases(2)
    ev = rs.evaluate(y, s, refer=ASKED, choose_on=other, choose="youden")
    section = ev.to_dict()["referral"]
    flag, refer = section["flag"]["threshold"], section["refer"]["threshold"]
    chosen = zone_of(rs.ScoreTable.from_scores(*other), referral_of(ASKED))
    assert (flag, refer) == (chosen.flag, chosen.refer) and not section["corrected"]
    shares = [one["share"]["value"] for one in section["zones"]]
    assert shares == pytest.approx([(s >= flag).mean(), ((s < flag) & (s >= refer)).mean(), (s < refer).mean()])
    assert section["flag"]["measures"]["precision"]["value"] == pytest.approx(y[s >= flag].mean())
    assert section["refer"]["measures"]["npv"]["value"] == pytest.approx((1 - y[s < refer]).mean())
    wilson = rs.estimate.proportion(int((s < refer).sum()), len(s))
    assert section["zones"][2]["share"]["low"] == pytest.approx(wilson.low)


def test_a_choice_on_these_cases_is_corrected() -> None:
    y, s = cases(3, 300)
    found = rs.evaluate(y, s, refer=ASKED).referral
    assert found is not None and found.repeated
    seen = found.parts["seen"]
    assert found.measure("seen", "recall").value < seen.counts.recall  # just met here, less elsewhere
    gaps = seen.inside[0] / (seen.inside[0] + seen.inside[2]) - seen.outside[0] / (seen.outside[0] + seen.outside[2])
    assert seen.counts.recall - found.measure("seen", "recall").value == pytest.approx(gaps.mean())
    house = np.arange(300) // 3
    grouped = rs.evaluate(y, s, refer=ASKED, clusters=house).referral
    assert grouped is not None and grouped.repeated and grouped.zone == found.zone


def test_the_intervals_cover_what_the_zone_does_elsewhere() -> None:
    """120 samples; the wider run is in the docstring of `after_referral`."""
    rng, rule, share, gap = np.random.default_rng(5), referral_of("recall >= 0.95, precision >= 0.8"), 0.2, 1.8
    covered: dict[str, list[bool]] = {}
    for _ in range(120):
        y = (rng.random(300) < share).astype(int)
        found = after_referral(rs.ScoreTable.from_scores(y, rng.normal(size=300) + gap * y), rule)
        tp, fp, seen, alarms = (
            float(norm.sf(at - move)) for at in (found.zone.flag, found.zone.refer) for move in (gap, 0)
        )
        flagged, looked = share * tp + (1 - share) * fp, share * seen + (1 - share) * alarms
        true = {"referred": looked - flagged, "flagged": flagged, "not flagged": 1 - looked}
        for name, value in true.items():
            one = found.share(name)
            covered.setdefault(name, []).append(one.low <= value <= one.high)
        measured = {("flagged", "precision"): share * tp / flagged if flagged else None, ("seen", "recall"): seen}
        for (part, name), value in measured.items():
            one = found.measure(part, name)
            if value is not None and one.low == one.low:
                covered.setdefault(name, []).append(one.low <= value <= one.high)
    assert {name: round(float(np.mean(one)), 2) for name, one in covered.items() if np.mean(one) < 0.9} == {}


def test_nothing_to_flag_or_nothing_to_refer() -> None:
    t = rs.ScoreTable.from_scores([1, 0, 1, 0, 1, 0], [6, 6, 5, 5, 4, 4])
    none = zone_of(t, referral_of("recall >= 0.9, precision >= 0.9"))
    assert (none.flagged.total, none.referred.total, none.cleared.total) == (0, 6, 0)
    assert none.words.startswith("Flag nothing, refer")
    sure = zone_of(rs.ScoreTable.from_scores([1, 1, 0, 0], [4, 3, 2, 1]), referral_of(ASKED))
    assert sure.referred.total == 0 and sure.words.startswith("No case has to be referred")


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ("recall >= 0.9", "two requirements"),
        ("recall >= 0.9, npv >= 0.9", "refer to the same cases"),
        ("recall <= 0.9, precision >= 0.8", "does not state which"),
        ("f1 >= 0.9, recall >= 0.9", "does not state which"),
        (0.2, "price of a referral"),
        (-1, "0 or more"),
    ],
)
def test_what_is_refused(asked: object, said: str) -> None:
    y, s = cases(1)
    with pytest.raises(rs.RocscopeError, match=said):
        rs.evaluate(y, s, refer=asked)


def test_the_command_says_what_python_says(run: Callable[..., tuple[int, str, str]]) -> None:
    import jsonschema

    y, s = cases(4, 200)
    Path("cases.csv").write_text("\n".join(["y,p", *(f"{a},{b}" for a, b in zip(y, s, strict=True))]) + "\n")
    asked = ("evaluate", "cases.csv", "--label", "y", "--score", "p", "--refer", ASKED)
    code, out, _ = run(*asked, "--format", "json", "--html", "report.html")
    document, held = json.loads(out), rs.evaluate("cases.csv", label="y", score="p", refer=ASKED).to_dict()
    assert code == 0 and document["referral"] == json.loads(json.dumps(held["referral"]))
    jsonschema.Draft202012Validator(json.loads(SCHEMA.read_text())).validate(document)
    assert 'id="referral"' in Path("report.html").read_text()
    text = run(*asked)[1]
    assert "With two thresholds, the share of" in text
    assert "flagged or referred" in text and "corrected for selection" in text
    priced = run(*asked[:-1], "0.2", "--cost-fn", "5")[1]
    assert "Cases are referred where that is cheapest (referring costs 0.2)" in priced
    assert "Cost per 1,000 cases" in priced
    assert "Give --cost-fn 5 as well" in run(*asked[:-1], "0.2")[2]


def test_the_parts_of_weighted_cases_hold_the_weights_and_their_squares() -> None:
    y, s = cases(3)
    w = np.round(np.random.default_rng(9).random(len(y)) * 4 + 0.5, 2)
    t = rs.ScoreTable.from_scores(y, s, weights=w)
    found = after_referral(t, referral_of(ASKED))
    zone = found.zone
    flagged, seen = s >= zone.flag, s >= zone.refer
    assert 0 < (seen & ~flagged).sum() < len(y)
    for name, inside in (("flagged", flagged), ("referred", seen & ~flagged), ("seen", seen)):
        held, sides = found.parts[name].counts, [(inside, 1), (inside, 0), (~inside, 1), (~inside, 0)]
        for power, sums in ((1, (held.tp, held.fp, held.fn, held.tn)), (2, held.squares)):
            wanted = [float((w[side & (y == label)] ** power).sum()) for side, label in sides]
            assert list(sums) == pytest.approx(wanted, rel=1e-12)


@pytest.mark.parametrize("prevalence", [None, 0.1])
def test_the_spread_of_the_cost_with_referral_is_that_of_single_cases(prevalence: float | None) -> None:
    y, s = cases(4, 200)
    t, costs = rs.ScoreTable.from_scores(y, s), rs.Costs(fp=2, fn=9, tp=1, tn=0.25, prevalence=prevalence)
    found = after_referral(t, referral_of(0.5, costs), chosen_on=t)
    zone = found.zone
    flagged, referred = s >= zone.flag, (s < zone.flag) & (s >= zone.refer)
    assert 10 < referred.sum() < 150
    right = np.where(y == 1, 1.0, 0.25)
    paid = np.select([referred, flagged], [right + 0.5, np.where(y == 1, 1.0, 2.0)], np.where(y == 1, 9.0, 0.25))
    share = {1: y.mean() if prevalence is None else prevalence}
    share[0] = 1 - share[1]
    value = sum(share[label] * paid[y == label].mean() for label in (0, 1))
    spread = sum(share[label] ** 2 * paid[y == label].var() / (y == label).sum() for label in (0, 1))
    if prevalence is None:
        spread = paid.var() / len(y)
    cost = found.cost()
    assert cost.value == pytest.approx(value) and cost.se == pytest.approx(math.sqrt(spread))
    assert 0.25 < cost.low < value < cost.high < 9


def test_what_no_threshold_reaches_is_said() -> None:
    ev = rs.evaluate([1, 0, 1, 0, 1, 0], [1, 2, 3, 4, 5, 6], refer="recall >= 0.9, precision >= 0.99")
    unmet = ev.to_dict()["referral"]["unmet"]
    assert "No threshold reaches precision >= 0.99, so no case is flagged." in unmet
    assert "reaches recall >= 0.9, so every case is flagged or referred." in unmet
    assert "No threshold reaches precision >= 0.99" in " ".join(str(ev).split())
    easy = rs.evaluate([1, 1, 0, 1, 0, 0], [6, 5, 4, 3, 2, 1], refer="recall >= 0.9, precision >= 0.7")
    assert easy.to_dict()["referral"]["unmet"] == ""


@pytest.mark.parametrize("asked", ["recall >= 0.9, precision >= 1.1", "recall > 1, precision >= 0.9"])
def test_what_can_never_hold_is_refused(asked: str) -> None:
    with pytest.raises(rs.RocscopeError, match="can never hold"):
        rs.evaluate([1, 0, 1, 0], [1, 2, 3, 4], refer=asked)
