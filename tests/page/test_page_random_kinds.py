"""Controls of every other kind of report moved at random: every number shown is Python's for that state, or is marked.

Three models and one model with costs have tests of their own, which also derive the threshold of each rule.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import reports
from screen import DRAWN
from test_page_kinds import classes, validation
from test_page_random import MOVE, MOVES, moves, row_of

import rocscope as rs
from rocscope import estimate, measures
from rocscope import text as written

Visiting = Callable[..., Any]
EACH = max(8, MOVES // 20)
SHORT = {"NPV": "npv", "MCC": "mcc"}
AREAS = ("ROC AUC", "average precision", "Brier", "log loss")


def lower_is_positive() -> Any:
    labels, scores = reports.cases(300)
    return rs.evaluate(labels, [round(1 - s, 3) for s in scores], higher_is_positive=False)


def without_costs() -> Any:
    return rs.evaluate(*reports.cases(400))


SCORED: dict[str, Callable[[], Any]] = {
    "without costs": without_costs, "weighted": reports.weighted, "reversed": reports.backwards,
    "not probabilities": reports.not_probabilities, "many models": reports.many_models, "lower": lower_is_positive,
}  # fmt: skip
SHOWN = """() => ({
  threshold: document.querySelector('#controls input[aria-label="Threshold, as text"]').value,
  model: document.querySelector('#controls .model[aria-pressed="true"]')?.textContent ?? '',
  unit: document.querySelector('#cases .switch button[aria-pressed="true"]').textContent,
})"""


@pytest.mark.parametrize("kind", SCORED)
def test_every_number_of_a_scored_report_is_pythons(kind: str, anywhere: Visiting, tmp_path: Path) -> None:
    found, path = SCORED[kind](), tmp_path / "report.html"
    found.save(str(path))
    page = anywhere(path)
    evaluations = dict(getattr(found, "evaluations", None) or {"": found})
    names = page.evaluate("() => [...document.querySelectorAll('#controls .model')].map((one) => one.textContent)")
    asked = moves(random.Random(23), names)
    for number in range(EACH):
        move = next(asked)
        seen = page.evaluate(MOVE, list(move)) | page.evaluate(SHOWN)
        ev = evaluations.get(seen["model"]) or next(iter(evaluations.values()))
        try:
            _check(ev, found.settings.level, seen)
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
