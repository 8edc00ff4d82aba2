"""One threshold, one cost ratio, one prevalence move every view, to the values that Python computes."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import reports
import screen

import rocscope as rs

Visiting = Callable[..., Any]
SHOWN = {
    "recall": "recall", "specificity": "specificity", "precision": "precision", "F1": "f1", "accuracy": "accuracy",
    "balanced accuracy": "balanced_accuracy",
}  # fmt: skip


# What a hand can hold: the report, the view to scroll to, the grip, and where the hand goes from the grip, in pixels.
HELD = {
    "cost line": ("two", None, "#roc [aria-label^='line of equal cost'] circle >> nth=-1",
                  [(-90, 60), (-40, 20), (30, -10), (80, -20), (160, -30), (20, -10), (-90, 60)]),
    "cost line, scrolled": ("two", "roc", "#roc [aria-label^='line of equal cost'] circle >> nth=-1",
                            [(-90, 60), (-40, 20), (30, -10), (80, -20), (160, -30), (20, -10), (-90, 60)]),
    "operating point": ("report", "roc", "#roc [aria-label^='operating point'] circle >> nth=-1",
                        [(-60, 160), (-20, 60), (60, -20), (200, -40), (0, 0)]),
    "handle of the strip": ("two", "strip", "#strip [role=slider] .grip", [(-80, 0), (100, 0), (300, 0), (600, 0)]),
    "slider of costs": ("two", None, "#set-cost", [(-150, 0), (-60, 0), (40, 0), (120, 0), (-150, 0)]),
}  # fmt: skip


@pytest.fixture(scope="module")
def compared() -> Any:
    return reports.three_models()


@pytest.fixture(scope="module")
def report(compared: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("three") / "report.html"
    compared.save(str(path))
    return path


@pytest.fixture(scope="module")
def two(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """ROCon's example: C4.5 (0.2, 0.7) and SVM (0.5, 0.95); at slope 1 the first is cheapest, at 1/4 the second."""
    path = tmp_path_factory.mktemp("two") / "two.html"
    reports.two_points().save(str(path))
    return path


def near(text: str, value: float) -> bool:
    """Whether a number on the page is this one, at the decimals it shows."""
    return abs(screen.number(text) - value) <= 0.500001 * 10 ** -screen.decimals(text)


@pytest.mark.parametrize("threshold", [0.08, 0.25, 0.5, 0.731])
def test_the_threshold_moves_matrix_and_measures_to_pythons_values(
    compared: Any, report: Path, visit: Visiting, threshold: float
) -> None:
    page = visit(report).page
    screen.set_threshold(page, threshold)
    chosen = compared.evaluations[compared.recommended]
    counts = chosen.at(threshold)
    assert screen.matrix(page) == {cell: getattr(counts, cell) for cell in screen.CELLS}
    expected = rs.evaluate(compared.mask, compared.scores[compared.recommended], threshold=threshold)
    written = screen.measures(page)
    for shown, name in SHOWN.items():
        value, limits = written[shown]
        one = expected.measure(name)
        assert near(value, one.value), (shown, value)
        low, high = screen.limits(limits)
        assert near(low, one.low) and near(high, one.high), (shown, limits)


def test_the_threshold_moves_the_point_of_every_picture(compared: Any, report: Path, visit: Visiting) -> None:
    page = visit(report).page
    chosen = compared.evaluations[compared.recommended]
    for threshold in (0.1, 0.4, 0.8):
        screen.set_threshold(page, threshold)
        counts = chosen.at(threshold)
        x, y = screen.point(page, "pr")
        assert (x, y) == pytest.approx((counts.recall, counts.precision), abs=2e-3)
        words = page.locator("#roc [role=slider]").nth(0).get_attribute("aria-valuetext")
        other = page.locator("#roc [role=slider]").nth(1).get_attribute("aria-valuetext")
        assert f"threshold {threshold}" in words + other


def test_the_native_slider_steps_from_score_to_score(report: Path, visit: Visiting) -> None:
    page = visit(report).page
    slider = page.locator("#set-threshold")
    before = slider.get_attribute("aria-valuetext")
    flagged = screen.flagged(page)
    slider.focus()
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    screen.settled(page)
    assert slider.get_attribute("aria-valuetext") != before
    assert screen.flagged(page) < flagged, "a higher threshold flags fewer"


@pytest.mark.parametrize("ratio", [1, 3, 12, 60])
def test_costs_move_threshold_strip_and_headline_to_pythons_choice(
    compared: Any, report: Path, visit: Visiting, ratio: int
) -> None:
    page = visit(report).page
    screen.set_ratio(page, f"1 : {ratio}")
    best = compared.best(costs=rs.Costs(fp=1, fn=ratio))
    headline = page.locator("h1").inner_text()
    if best.model is not None:
        assert str(best.model) in headline
    now = page.locator("#strip [role=slider]").get_attribute("aria-valuetext")
    assert f"costs {ratio} false alarm" in now
    assert best.model is None or str(best.model) in now
    line = page.locator("#decision .moving text", has_text="means acting above").text_content()
    assert line.startswith(f"1 : {ratio} means acting above")


def test_the_rule_holds_the_threshold_until_a_hand_takes_it(report: Path, visit: Visiting) -> None:
    page = visit(report).page
    field = page.get_by_role("textbox", name="Threshold, as text", exact=True)
    screen.set_ratio(page, "1 : 2")
    low_cost = field.input_value()
    screen.set_ratio(page, "1 : 40")
    assert screen.number(field.input_value()) < screen.number(low_cost), "the rule moves it"
    screen.set_threshold(page, 0.6)
    assert page.get_by_role("button", name="By hand").get_attribute("aria-pressed") == "true"
    screen.set_ratio(page, "1 : 3")
    assert screen.number(field.input_value()) == 0.6, "the hand holds it"
    assert "Your setting" in page.locator(".hand").first.inner_text()


def test_prevalence_moves_precision_and_the_counts_become_per_thousand(
    compared: Any, report: Path, visit: Visiting
) -> None:
    page = visit(report).page
    screen.set_threshold(page, 0.5)
    screen.set_prevalence(page, "2 %")
    counts = compared.evaluations[compared.recommended].at(0.5)
    recall, fpr = counts.recall, counts.fpr
    expected = 0.02 * recall / (0.02 * recall + 0.98 * fpr)
    assert near(screen.measures(page)["precision"][0], expected)
    assert near(screen.measures(page)["recall"][0], recall)
    assert sum(screen.matrix(page).values()) == pytest.approx(1000, abs=2)
    assert screen.point(page, "pr") == pytest.approx((recall, expected), abs=2e-3)
    assert "in the data" in page.locator(".chip").inner_text()
    # average precision cannot be computed anew: the page names the prevalence for which it holds
    assert "areas are those at the prevalence of the report" in page.locator("#pr .reading").inner_text()
    assert "average precision at the prevalence of the report" in page.locator("#measures table").inner_text()
    page.get_by_role("button", name="reset").click()
    screen.settled(page)
    assert screen.matrix(page) == {cell: getattr(counts, cell) for cell in screen.CELLS}
    assert "prevalence of the report" not in page.locator("#pr .reading").inner_text()


def test_the_model_switch_moves_every_view(compared: Any, report: Path, visit: Visiting) -> None:
    page = visit(report).page
    other = next(name for name in compared.names if name != compared.recommended)
    page.locator("#controls .models").get_by_role("button", name=other).click()
    screen.settled(page)
    screen.set_threshold(page, 0.3)
    counts = compared.evaluations[other].at(0.3)
    assert screen.matrix(page) == {cell: getattr(counts, cell) for cell in screen.CELLS}
    assert screen.point(page, "pr") == pytest.approx((counts.recall, counts.precision), abs=2e-3)
    assert other in page.locator("#roc .reading").inner_text()


def test_net_benefit_is_pythons(compared: Any, report: Path, visit: Visiting) -> None:
    page = visit(report).page
    screen.set_ratio(page, "1 : 4")
    chosen = compared.evaluations[compared.recommended]
    net = 1000 * rs.curves.net_benefit_at(chosen.table, pt=0.2)
    assert f"{net:.0f} net true positives" in page.locator("#decision .reading").inner_text()


def test_dragging_the_cost_line_switches_the_model(two: Path, visit: Visiting) -> None:
    page = visit(two).page
    for place, model in (((0.4, 0.9), "C4.5"), ((0.7, 1.0), "SVM"), ((0.4, 0.9), "C4.5")):
        grip = page.get_by_role("slider", name="line of equal cost")
        screen.show(page, "roc")
        screen.drag(page, grip.locator("circle").last, partial(screen.pixel, page, "roc", *place))
        assert model in page.locator("h1").inner_text()
    words = page.get_by_role("slider", name="line of equal cost").get_attribute("aria-valuetext")
    assert "slope 1" in words


@pytest.mark.parametrize("name", HELD)
def test_what_a_hand_holds_stays_under_it(name: str, request: pytest.FixtureRequest, visit: Visiting) -> None:
    """Sentences above take a line more or less while a hand drags; the picture does not move for that."""
    report, view, selector, ways = HELD[name]
    page = visit(request.getfixturevalue(report), height=1200).page
    if view:
        screen.show(page, view)
    picture = page.locator(f"#{view or 'roc'} .picture")
    grip = page.locator(selector)
    x, y = screen.centre(grip)
    top, above = picture.bounding_box()["y"], page.locator("#verdict").inner_text()
    seen = screen.held(
        page, grip, [(x + dx, y + dy) for dx, dy in ways],
        lambda: (picture.bounding_box()["y"], page.locator("#verdict").inner_text()),
    )  # fmt: skip
    assert [one for one, _ in seen] == pytest.approx([top] * len(ways), abs=1)
    assert len({above, *(words for _, words in seen)}) > 2, "the drag changes what is said above"
    page.mouse.up()
    screen.wait_until(page, lambda: not page.locator("[style*=min-height]").count(), "heights are free again")
    assert picture.bounding_box()["y"] <= top + 1


def test_dragging_the_operating_point_moves_the_threshold(report: Path, visit: Visiting) -> None:
    page = visit(report).page
    before = screen.flagged(page)
    grip = page.get_by_role("slider", name="operating point")
    screen.show(page, "roc")
    screen.drag(page, grip.locator("circle").last, partial(screen.pixel, page, "roc", 0.6, 0.98))
    assert screen.flagged(page) > before
    assert page.get_by_role("button", name="By hand").get_attribute("aria-pressed") == "true"


def test_dragging_the_handle_of_the_strip_sets_the_costs(report: Path, visit: Visiting) -> None:
    page = visit(report).page
    handle = page.locator("#strip [role=slider]")
    screen.show(page, "strip")
    start = screen.centre(handle.locator(".grip"))
    screen.drag(page, handle.locator(".grip"), lambda: (start[0] + 200, start[1]))
    ratio = float(handle.get_attribute("aria-valuenow"))
    assert ratio > 8
    shown = page.get_by_role("textbox", name="What a miss costs, in false alarms, as text").input_value()
    assert screen.number(shown.split(":")[1]) == pytest.approx(ratio, rel=0.02)


def test_the_strip_table_is_pythons_cost_ratio_table(compared: Any, report: Path, visit: Visiting) -> None:
    page = visit(report).page
    rows = [row.inner_text().split("\t") for row in screen.open_table(page, "strip").all()]
    merged: list[str] = []
    for one in compared.hull().intervals:
        name = one.model if one.model is not None else "flag"
        if not merged or merged[-1] != name:
            merged.append(name)
    assert [("flag" if row[2].startswith("flag") else row[2]) for row in rows] == merged


def test_a_formula_opens_with_its_numbers(compared: Any, report: Path, visit: Visiting) -> None:
    page = visit(report).page
    screen.set_threshold(page, 0.5)
    page.locator("#measures").get_by_role("button", name="precision").first.click()
    screen.settled(page)
    counts = compared.evaluations[compared.recommended].at(0.5)
    code = page.locator("#measures code").first.inner_text()
    assert f"{counts.tp}" in code and f"{counts.fp}" in code


def test_more_curves_are_drawn_when_opened_and_follow(compared: Any, report: Path, visit: Visiting) -> None:
    page = visit(report).page
    assert page.locator("#more .charts svg").count() == 0
    screen.open_more(page)
    screen.set_threshold(page, 0.5)
    chosen = compared.evaluations[compared.recommended]
    counts = chosen.at(0.5)
    share = (counts.tp + counts.fp) / (chosen.table.positives + chosen.table.negatives)
    assert screen.point(page, "more-gain") == pytest.approx((share, counts.recall), abs=2e-3)
    assert page.locator("#more").get_by_role("button", name="More about").count() == 7
    page.get_by_label("Measure on the vertical axis").select_option("mcc")
    screen.settled(page)
    assert "correlation" in page.locator("#more-measure .reading").inner_text()
