"""States: many models, one, one class, labels only, weights, a backward ranking, scores that are not probabilities."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import reports
import screen
from unpacked import unpacked

Visiting = Callable[..., Any]
STATES = {
    "many": reports.many_models, "one": reports.one_model, "weighted": reports.weighted, "one class": reports.one_class,
    "labels": reports.labels_only, "backwards": reports.backwards, "scores": reports.not_probabilities,
    "two points": reports.two_points,
}  # fmt: skip


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    folder = tmp_path_factory.mktemp("states")

    def path(state: str) -> Path:
        target = folder / f"{state.replace(' ', '-')}.html"
        if not target.exists():
            STATES[state]().save(str(target))
        return target

    return path


@pytest.mark.parametrize("state", STATES)
@pytest.mark.parametrize("width", [1280, 380])
def test_each_state_opens_without_an_error(saved: Any, visit: Visiting, state: str, width: int) -> None:
    page = visit(saved(state), width=width).page
    assert page.locator("h1").inner_text()
    assert page.locator(".reason.failed").count() == 0
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    text = page.locator("main").first.inner_text()
    for word in ("NaN", "null", "Infinity", "[object", "{"):
        assert word not in text, word


def test_one_model_has_a_strip_of_thresholds_and_no_comparison(saved: Any, visit: Visiting) -> None:
    page = visit(saved("one")).page
    assert page.locator("#strip .segment").count() > 2
    assert page.locator("#differences").count() == 0
    assert "threshold" in page.locator("#strip .reading").inner_text()


def test_one_class_says_what_is_missing(saved: Any, visit: Visiting) -> None:
    page = visit(saved("one class")).page
    assert "60" in page.locator("main").first.inner_text()
    assert page.locator("#pr path.curve").count() == 0


def test_labels_only_has_no_threshold(saved: Any, visit: Visiting) -> None:
    page = visit(saved("labels")).page
    assert page.locator("#pr path.curve").count() == 0
    assert page.locator("#calibration path.curve").count() == 0


def test_scores_that_are_no_probabilities_say_so(saved: Any, visit: Visiting) -> None:
    page = visit(saved("scores")).page
    assert page.locator("#pr path.curve").count() == 1
    assert page.locator("#calibration path.curve").count() == 0
    assert "not probabilities" in page.locator("#calibration").inner_text()


def test_more_than_five_models_are_grey_until_chosen(saved: Any, visit: Visiting) -> None:
    page = visit(saved("many")).page
    slots = [model["slot"] for model in unpacked(page.evaluate(screen.DATA))["drawing"]["models"]]
    assert max(slots) <= 5
    assert page.locator("#roc path.curve").count() >= 9
    assert page.locator("#differences tbody tr:visible").count() <= 9


def test_weights_are_said_and_counted(saved: Any, visit: Visiting) -> None:
    page = visit(saved("weighted")).page
    found = reports.weighted()
    screen.set_threshold(page, 0.4)
    counts = found.at(0.4)
    shown = screen.matrix(page)
    assert shown["tp"] == pytest.approx(float(counts.tp), abs=0.6)
    assert "weight" in page.locator("main").first.inner_text()


def test_embedded_cases_are_listed_by_cell_and_by_point(tmp_path: Path, visit: Visiting) -> None:
    from rocscope.report.html import page as html

    found = reports.one_model(120, threshold=0.4)
    labels, scores = reports.cases(120)
    name = found.to_dict(drawing=True)["drawing"]["models"][0]["name"]
    cases = {"ids": [f"case {k}" for k in range(120)], "label": labels, "scores": {name: scores}, "more": 0}
    path = tmp_path / "cases.html"
    path.write_text(html(found.to_dict(drawing=True, cases=cases)), "utf-8")
    page = visit(path).page
    screen.set_threshold(page, 0.4)
    page.locator("#cases table.matrix td:has(.kind)").first.locator("button").click()
    listed = page.locator("#cases .caselist tbody tr")
    listed.first.wait_for()
    counts = found.at(0.4)
    assert listed.count() == counts.tp
    hits = {f"case {k}" for k in range(120) if labels[k] and scores[k] >= 0.4}
    assert {row.locator("th").inner_text() for row in listed.all()} == hits
    screen.show(page, "pr")
    page.mouse.click(*screen.pixel(page, "pr", counts.recall, counts.precision))
    page.locator("#pr .caselist tbody tr").first.wait_for()
    assert page.locator("#pr .caselist tbody tr").count() == 20
