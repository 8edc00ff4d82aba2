"""Controls of every other kind of report moved at random: every number shown is Python's for that state, or is marked.

Three models and one model with costs have tests of their own, which also derive the threshold of each rule.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

import numpy as np
import pytest
import reports
from screen import DRAWN
from test_page_kinds import classes, validation
from test_page_random import MOVE, MOVES, moves, row_of, ways

import rocscope as rs
from rocscope import estimate, measures
from rocscope import text as written
from rocscope.serve import pasted

Visiting = Callable[..., Any]
EACH = max(8, MOVES // 20)
SHORT = {"NPV": "npv", "MCC": "mcc"}
AREAS = ("ROC AUC", "average precision", "Brier", "log loss")


def lower_is_positive() -> Any:
    labels, scores = reports.cases(300)
    return rs.evaluate(labels, [round(1 - s, 3) for s in scores], higher_is_positive=False)


def without_costs() -> Any:
    return rs.evaluate(*reports.cases(400))


def _priced(count: int = 400) -> tuple[list[int], list[float], list[float]]:
    rng, (labels, scores) = random.Random(8), reports.cases(count)
    return labels, scores, [round(rng.lognormvariate(1, 1), 2) for _ in labels]


ALARM, CASE_COSTS = 1.5, _priced()


def case_costs() -> Any:
    labels, scores, amounts = CASE_COSTS
    return rs.evaluate(labels, scores, cost_column={"fn": amounts, "fp": ALARM})


SCORED: dict[str, Callable[[], Any]] = {
    "without costs": without_costs, "weighted": reports.weighted, "reversed": reports.backwards,
    "not probabilities": reports.not_probabilities, "many models": reports.many_models, "lower": lower_is_positive,
    "costs of individual cases": case_costs, "one class": reports.one_class,
}  # fmt: skip
SHOWN = """() => ({
  threshold: document.querySelector('#controls input[aria-label="Threshold, as text"]').value,
  model: document.querySelector('#controls .model[aria-pressed="true"]')?.textContent ?? '',
  unit: document.querySelector('#cases .switch button[aria-pressed="true"]').textContent,
})"""
SWITCH = f"""async (name) => {{
  [...document.querySelectorAll('#cases .switch button')].find((one) => one.textContent === name)?.click();
  await {DRAWN};
}}"""


@pytest.mark.parametrize("kind", SCORED)
def test_every_number_of_a_scored_report_is_pythons(kind: str, anywhere: Visiting, tmp_path: Path) -> None:
    found, path = SCORED[kind](), tmp_path / "report.html"
    found.save(str(path))
    page = anywhere(path)
    evaluations = dict(getattr(found, "evaluations", None) or {"": found})
    names = page.evaluate("() => [...document.querySelectorAll('#controls .model')].map((one) => one.textContent)")
    asked, hand = moves(random.Random(23), names), random.Random(24)
    for number in range(EACH):
        move = next(asked)
        page.evaluate(SWITCH, hand.choice(("counts", "per 1,000", "rows: actual", "predicted", "")))
        seen = page.evaluate(MOVE, list(move)) | page.evaluate(SHOWN)
        ev = evaluations.get(seen["model"]) or next(iter(evaluations.values()))
        try:
            _check(ev, found.settings.level, seen)
            if kind == "costs of individual cases":
                _check_case_costs(found, seen)
        except AssertionError as wrong:
            raise AssertionError(f"{kind}, move {number}, {move}: {wrong}") from wrong


def _check(ev: Any, level: float, seen: dict[str, Any]) -> None:
    at = seen["threshold"].replace("−", "-")
    flagged_none = at in ("none", "") or not re.match(r"^-?[\d.]", at)
    nothing = float("-inf") if ev.table.rule == "<=" else float("inf")
    counts = ev.table.at(nothing if flagged_none else float(at))
    moved = re.search(r"(?:^|&)p=([\d.e-]+)", seen["hash"])
    share = float(moved[1]) if moved else None
    if share is None and seen["unit"] == "counts":
        shown = {cell.upper(): written.show_count(getattr(counts, cell)) for cell in ("tp", "fp", "fn", "tn")}
        assert seen["matrix"] == shown, (seen["hash"], at)
    elif counts.positives and counts.negatives:
        _check_parts(seen, counts if share is None else counts.rebase(share))
    corrected = seen["groups"][0] == "corrected for selection"
    for title, value, limits in seen["measures"]:
        if title in AREAS:
            continue  # they do not move, and the static report has them
        name = SHORT.get(title, title.replace(" ", "_").lower())
        one = ev.measure(name) if corrected else estimate.of(measures.get(name), counts, prevalence=share, level=level)
        row = row_of(one)
        assert value == (written.value_text(row) if row["value"] is not None else "–"), (seen["hash"], title, row)
        if row["low"] is not None:
            assert limits == written.limits_text(row), (seen["hash"], title, row)


def _check_parts(seen: dict[str, Any], counts: Any) -> None:
    """The cells of 1,000 cases, or of 10,000 and more where positives are rare: each within one of its part."""
    shown = {kind: float(count.replace(",", "")) for kind, count in seen["matrix"].items()}
    whole = sum(float(getattr(counts, cell)) for cell in ("tp", "fp", "fn", "tn"))
    for kind, count in shown.items():
        part = sum(shown.values()) * float(getattr(counts, kind.lower())) / whole
        assert abs(count - part) <= 1, (seen["hash"], kind, shown)


def _check_case_costs(ev: Any, seen: dict[str, Any]) -> None:
    """Without the cases nothing of their costs can move: the answer is the report's, marked at another prevalence."""
    at = (seen["hash"], seen["costs"])
    labels, scores, amounts = CASE_COSTS
    costs = {"nobody": sum(amount for label, amount in zip(labels, amounts, strict=True) if label)}
    costs["default"] = sum(
        amount * (score < 0.5) if label else ALARM * (score >= 0.5)
        for label, score, amount in zip(labels, scores, amounts, strict=True)
    )
    shown = {name: value for who, where, value, _ in seen["costs"] for name in costs if name in f"{who} {where}"}
    assert shown == {name: written.whole(1000 * cost / len(labels)) for name, cost in costs.items()}, at
    assert seen["headline"] == ev.to_dict()["verdict"]["headline"], at
    moved = "p" in dict(parse_qsl(seen["hash"]))
    assert ("cannot be recomputed" in (seen["hand"] or "")) == seen["marked"]["caveats"] == moved, (at, seen["hand"])
    assert "no single threshold probability is marked" in seen["readings"]["decision"], at


LABELS_SHOWN = f"""async ([k, share, ratio]) => {{
  const asked = ratio && document.querySelector(`#thresholds [data-ratio="${{ratio}}"]`);
  if (asked) asked.click();
  else {{
    const slider = document.querySelectorAll('#thresholds input[type=range]')[k];
    slider.value = Math.round(Number(slider.min) + share * (slider.max - slider.min));
    slider.dispatchEvent(new Event('input'));
  }}
  await {DRAWN};
  return [...document.querySelectorAll('#thresholds tbody tr')]
    .map((row) => [...row.querySelectorAll('td')].map((cell) => cell.textContent));
}}"""


def test_every_count_of_several_labels_is_pythons(anywhere: Visiting, tmp_path: Path) -> None:
    rng, path = np.random.default_rng(4), tmp_path / "labels.html"
    truth = rng.random((200, 3)) < [0.2, 0.5, 0.3]
    scores = np.round(1 / (1 + np.exp(-(2 * truth - 1 + rng.normal(size=truth.shape)))), 2)
    rs.evaluate(truth.astype(int), scores).save(str(path))
    page, hand = anywhere(path), random.Random(5)
    for _ in range(EACH):
        rows = page.evaluate(LABELS_SHOWN, [hand.randrange(3), hand.random(), hand.choice((0, 0, 1, 5, 20))])
        for k, row in enumerate(rows):
            flagged = scores[:, k] >= float(row[0])
            real = truth[:, k]
            four = [flagged & real, flagged & ~real, ~flagged & real, ~flagged & ~real]
            assert [int(cell.replace(",", "")) for cell in row[2:6]] == [int(one.sum()) for one in four], (k, row)


CELL = f"""async ([i, j, price]) => {{
  const rows = document.querySelectorAll('#cases table.classes tbody tr');
  const cell = rows[i].querySelectorAll('button.cell')[j];
  if (cell.ariaPressed !== 'true') cell.click();
  await {DRAWN};
  const field = document.querySelector('#cases .formula input');
  if (field) {{ field.value = price; field.dispatchEvent(new Event('change')); }}
  await {DRAWN};
  const names = [...rows].slice(0, -1).map((row) => row.querySelector('th').textContent);
  return [names, document.querySelector('#cases .formula').textContent];
}}"""


def test_every_cell_and_cost_of_several_classes_is_pythons(anywhere: Visiting, tmp_path: Path) -> None:
    found, path, hand = classes(), tmp_path / "classes.html", random.Random(6)
    found.save(str(path))
    page, matrix = anywhere(path), np.array(found.matrix.cells)
    places = {str(label): k for k, label in enumerate(found.matrix.labels)}
    prices: dict[tuple[int, int], float] = {}
    for _ in range(EACH):
        row, column, price = hand.randrange(3), hand.randrange(3), hand.choice((0, 2, 5, 10))
        names, said = page.evaluate(CELL, [row, column, price])
        i, j = places[names[row]], places[names[column]]
        assert said.startswith(f"{matrix[i, j]} of {matrix[i].sum()}: "), said
        if i == j:
            continue
        prices[i, j] = price
        total = sum(prices.get((a, b), 1) * matrix[a, b] for a in range(3) for b in range(3) if a != b)
        assert f"Total cost: {written.significant(1000 * total / matrix.sum())} per 1,000." in said, (said, prices)


FOLD = f"""async ([model, fold]) => {{
  const [models, folds] = document.querySelectorAll('#roc .pick select');
  models.value = model; models.dispatchEvent(new Event('change'));
  await {DRAWN};
  folds.value = String(fold); folds.dispatchEvent(new Event('change'));
  await {DRAWN};
  return document.querySelector('#roc .reading').textContent;
}}"""


def test_every_fold_of_a_validation_is_pythons(anywhere: Visiting, tmp_path: Path) -> None:
    found, path, hand = validation(), tmp_path / "validation.html", random.Random(7)
    found.save(str(path))
    page, document = anywhere(path), found.to_dict()
    for _ in range(EACH):
        model, place = hand.choice(document["models"]), hand.randrange(3)
        said = page.evaluate(FOLD, [model, place]).replace("\u00a0", " ")
        own = [one for one in document["folds"] if one["model"] == model][place]["measures"]
        for name, shown in re.findall(r"(AUC|error rate|recall|precision) (\d\.\d+)", said):
            value = own[name.lower().replace(" ", "_")]
            assert abs(float(shown) - value) <= 0.5001 * 10 ** -len(shown.split(".")[1]), (model, place, said)
        assert said.count(",") >= 3, said


def test_every_number_of_labels_only_is_pythons(anywhere: Visiting, tmp_path: Path) -> None:
    """Predicted labels have one point and no threshold: the matrix turns and changes its unit, the measures stay."""
    found, path, hand = reports.labels_only(), tmp_path / "labels_only.html", random.Random(9)
    found.save(str(path))
    page, counts = anywhere(path), found.counts
    asked = moves(hand, [])
    for _ in range(EACH):
        page.evaluate(SWITCH, hand.choice(("counts", "per 1,000", "rows: actual", "predicted")))
        seen = page.evaluate(MOVE, list(next(asked)))
        if "unit=thousand" in seen["hash"]:
            _check_parts(seen, counts)
        else:
            cells = {cell.upper(): written.show_count(getattr(counts, cell)) for cell in ("tp", "fp", "fn", "tn")}
            assert seen["matrix"] == cells, seen["hash"]
        assert len(seen["measures"]) >= 8
        for title, value, limits in seen["measures"]:
            row = row_of(counts.estimate(SHORT.get(title, title.replace(" ", "_").lower()), level=found.settings.level))
            assert (value, limits) == (written.value_text(row), written.limits_text(row)), (seen["hash"], title)


POINTS = {"C4.5": ("0.2", "0.7"), "SVM": ("0.5", "0.95"), "NB": ("0.6", "0.9")}
RATES = POINTS | {"flag nobody": ("0", "0"), "flag everybody": ("1", "1")}


def test_every_number_of_pasted_points_is_the_fraction(anywhere: Visiting, tmp_path: Path) -> None:
    """Rates without counts: matrix, measures, costs and the answer at any prevalence and ratio, in exact fractions."""
    path, hand = tmp_path / "points.html", random.Random(10)
    lines = [f"{name} ({fpr}, {tpr})" for name, (fpr, tpr) in POINTS.items()]
    path.write_text(pasted.show("\n".join(lines), "points")[1], encoding="utf-8")
    page = anywhere(path)
    asked = moves(hand, list(POINTS))
    for number in range(EACH):
        move = next(asked)
        seen = page.evaluate(MOVE, list(move))
        try:
            _check_point(seen)
        except AssertionError as wrong:
            raise AssertionError(f"move {number}, {move}: {wrong}") from wrong


def _check_point(seen: dict[str, Any]) -> None:
    given = dict(parse_qsl(seen["hash"]))
    share = Fraction(given.get("p", "1/2"))
    fp, fn = (Fraction(given.get(cell, "1")) for cell in ("fp", "fn"))
    name = list(POINTS)[int(given.get("m", 0))]
    counts = rs.Counts(**_cells(*POINTS[name], share))
    _check_parts(seen, counts)
    shown_as = [title for title, _, _ in seen["measures"]]
    assert "recall" in shown_as and "MCC" in shown_as
    for title, value, limits in seen["measures"]:
        if title == "ROC AUC":
            fpr, tpr = map(Fraction, POINTS[name])
            exact = float((1 + tpr - fpr) / 2)
        else:
            exact = float(counts.value(SHORT.get(title, title.replace(" ", "_").lower())))
        assert value in ways(lambda x: written.value_text({"value": x, "low": None, "high": None}), exact), (
            title,
            exact,
        )
        assert "[" not in limits, (title, limits)  # rates without counts have no interval
    costs = {who: 1000 * _cost(*rates, share, fp, fn) for who, rates in RATES.items()}
    assert len(seen["costs"]) >= 3
    for who, _, value, limits in seen["costs"]:
        assert value in ways(written.whole, float(costs[who])) and not limits, (seen["hash"], who, value, costs[who])
    least = min(costs.values())
    cheapest = [who for who, cost in costs.items() if cost == least]
    words = {"flag nobody": "flag none of the cases. At these costs no other choice is cheaper"}
    words["flag everybody"] = "flag all cases. At these costs no other choice is cheaper"
    headlines = [f"Recommended: {words.get(who, who)}." for who in cheapest]
    assert seen["headline"] in headlines, (seen["hash"], seen["headline"], headlines)
    assert "threshold" not in seen["change"] + (seen["hand"] or ""), seen["change"]
    ends = {"flagging none": "flag nobody", "flagging all": "flag everybody"}
    for ratio in (0.51, 1, 2.2, 6, 11, 30, 99):  # the sentence over the strip names the cheapest at every ratio
        reading = seen["readings"]["strip"].replace("\u00a0", " ")
        none_pays = reading.startswith("No model is cheaper than flagging all or none")
        named = min(ends, key=lambda end: costs[ends[end]]) if none_pays else _leader(reading, ratio)
        at_ratio = {who: _cost(*rates, share, Fraction(1), Fraction(str(ratio))) for who, rates in RATES.items()}
        least = min(at_ratio.values())
        assert at_ratio[ends.get(named, named)] <= least * Fraction(101, 100), (seen["readings"]["strip"], ratio, named)


def _leader(reading: str, ratio: float) -> str:
    """Which choice a sentence over the strip calls the cheapest at a ratio."""
    reading = reading.removeprefix("Cheapest by the cost of a miss, in false alarms: ")
    if match := re.match(r"(\S+) is cheapest at every ratio shown", reading):
        return match[1]
    if match := re.match(r"(\S+) is cheapest while a miss costs up to (\S+) false alarms?, and (\S+) beyond that", reading):
        return match[1] if ratio <= float(match[2].replace(",", "")) else match[3]
    for name, until in re.findall(r"((?:flagging )?\S+) up to ([\d.,]+), ", reading):
        if ratio <= float(until.replace(",", "")):
            return str(name)
    found = re.search(r"((?:flagging )?\S+) beyond\.", reading)
    assert found, reading
    return found[1]


def _cells(fpr: str, tpr: str, share: Fraction) -> dict[str, Fraction]:
    found, alarms = share * Fraction(tpr), (1 - share) * Fraction(fpr)
    return {"tp": found, "fp": alarms, "fn": share - found, "tn": 1 - share - alarms}


def _cost(fpr: str, tpr: str, share: Fraction, fp: Fraction, fn: Fraction) -> Fraction:
    cells = _cells(fpr, tpr, share)
    return fn * cells["fn"] + fp * cells["fp"]


def test_a_comparison_of_classes_keeps_its_numbers(anywhere: Visiting, tmp_path: Path) -> None:
    """Cells picked at random are the recommended model's; the tables of models say that they do not follow."""
    rng, path, hand = np.random.default_rng(2), tmp_path / "compared.html", random.Random(11)
    labels = rng.integers(0, 3, 240)
    models = {
        name: rng.dirichlet([1, 1, 1], 240) * (1 - keep) + keep * np.eye(3)[labels]
        for name, keep in (("a", 0.4), ("b", 0.2))
    }
    found = rs.compare(labels, models)
    found.save(str(path))
    page, own = anywhere(path), found.evaluations[found.recommended]
    matrix, places = np.array(own.matrix.cells), {str(label): k for k, label in enumerate(own.matrix.labels)}
    before = page.evaluate("() => document.getElementById('models').textContent")
    assert "Models, differences and pairs are computed for all cases" in before
    for _ in range(EACH):
        row, column = hand.randrange(3), hand.randrange(3)
        names, said = page.evaluate(CELL, [row, column, hand.choice((2, 5))])
        i, j = places[names[row]], places[names[column]]
        assert said.startswith(f"{matrix[i, j]} of {matrix[i].sum()}: "), said
    assert page.evaluate("() => document.getElementById('models').textContent") == before
