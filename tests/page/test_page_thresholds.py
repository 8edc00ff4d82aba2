"""One picture of all thresholds, and what the highest scores hold: numbers as Python computes them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import reports
import screen

import rocscope as rs

Visiting = Callable[..., Any]


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("thresholds") / "one.html"
    reports.one_model().save(str(path))
    return path


@pytest.fixture(scope="module")
def made() -> Any:
    return reports.one_model()


@pytest.mark.parametrize("threshold", [0.08, 0.3, 0.7])
def test_dots_stand_at_the_values_of_the_threshold(saved: Path, visit: Visiting, made: Any, threshold: float) -> None:
    page = visit(saved, f"t={threshold}").page
    counts = made.at(threshold)
    box = screen.frame(page, "thresholds")
    places = [1 - (float(dot.get_attribute("cy")) - box["top"]) / box["height"]
              for dot in page.locator("#thresholds .moving circle.dot").all()]  # fmt: skip
    flagged = (counts.tp + counts.fp) / counts.total
    assert places == pytest.approx([counts.precision, counts.recall, counts.f1, flagged], abs=1e-3)
    reading = page.locator("#thresholds .reading").inner_text().replace("\u00a0", " ")
    assert f"At {threshold}" in reading and f"F1 {counts.f1:.2f}" in reading


def test_a_press_in_the_picture_takes_the_threshold(saved: Path, visit: Visiting) -> None:
    page = visit(saved).page
    screen.show(page, "thresholds")
    box = screen.frame(page, "thresholds")
    corner = page.locator("#thresholds .picture svg").first.bounding_box()
    before = page.get_by_role("textbox", name="Threshold, as text", exact=True).input_value()
    page.mouse.click(corner["x"] + box["left"] + 0.8 * box["width"], corner["y"] + box["top"] + 0.5 * box["height"])
    screen.settled(page)
    assert page.get_by_role("textbox", name="Threshold, as text", exact=True).input_value() != before


@pytest.mark.parametrize("script", [True, False])
def test_the_highest_scores_hold_what_python_counts(saved: Path, visit: Visiting, made: Any, script: bool) -> None:
    page = visit(saved, java_script_enabled=script).page
    rows = page.locator("#topk tbody tr").all()
    assert len(rows) == 7
    for row in rows:
        share = screen.number(row.locator("th").inner_text().replace("top", "")) / 100
        threshold, flagged, found, *measured = (cell.inner_text() for cell in row.locator("td").all())
        counts = made.at(float(threshold))
        assert (screen.number(flagged), screen.number(found)) == (counts.tp + counts.fp, counts.tp)
        assert counts.tp + counts.fp <= share * counts.total
        for text, name in zip(measured, ("precision", "recall"), strict=True):
            one = counts.estimate(name)
            value, limits = text.split("\n")
            low, high = screen.limits(limits)
            for shown, exact in ((value, one.value), (low, one.low), (high, one.high)):
                assert abs(screen.number(shown) - exact) <= 0.5001 * 10 ** -screen.decimals(shown)


def test_a_row_of_the_top_sets_the_threshold(saved: Path, visit: Visiting, made: Any) -> None:
    page = visit(saved).page
    page.get_by_role("button", name="top 10").click()
    screen.settled(page)
    assert screen.flagged(page) <= 50
    assert "10" in page.locator("#topk tr.chosen th").inner_text()


def test_all_models_are_in_one_calibration_plot_and_axes_name_the_label(tmp_path: Path, visit: Visiting) -> None:
    labels, scores = reports.cases(400)
    words = ["default" if one else "paid" for one in labels]
    models = {"a": scores, "b": reports.noisy(scores, 0.8, 1), "c": reports.noisy(scores, 1.5, 2)}
    rs.compare(words, models, positive="default", costs=rs.Costs(fp=1, fn=5)).save(str(tmp_path / "m.html"))
    for script in (True, False):
        page = visit(tmp_path / "m.html", java_script_enabled=script).page
        assert page.locator("#calibration svg path.curve").count() == 3
        assert "observed frequency of default" in page.locator("#calibration svg").text_content()
        assert "recall of default" in page.locator("#roc svg").first.text_content()
        assert "precision of default" in page.locator("#pr svg").text_content()


def test_the_distance_of_the_distributions_and_any_measure_against_any(saved: Path, visit: Visiting, made: Any) -> None:
    page = visit(saved).page
    screen.open_more(page)
    assert f"by {rs.curves.ks_statistic(made.table):.3f} (Kolmogorov" in page.locator("#more-ks .reading").inner_text()
    page.get_by_label("Measure on the vertical axis").select_option("precision")
    page.get_by_label("Measure on the horizontal axis").select_option("specificity")
    rows = [[screen.number(cell.inner_text()) for cell in row.locator("th, td").all()]
            for row in screen.open_table(page, "more-measure").all()[:20]]  # fmt: skip
    assert len(rows) == 20
    for threshold, x, y in rows:
        counts = made.at(threshold)
        assert (x, y) == pytest.approx((counts.specificity, counts.precision), abs=6e-4)
