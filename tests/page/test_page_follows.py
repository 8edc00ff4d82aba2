"""Every sentence follows the controls, or says in its place which settings it is for."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import reports
import screen

import rocscope as rs

Visiting = Callable[..., Any]


@pytest.fixture(scope="module")
def unpriced(folder: Path) -> Path:
    rs.evaluate(*reports.cases(500)).save(str(folder / "unpriced.html"))
    return folder / "unpriced.html"


def plain(text: str) -> str:
    return " ".join(text.replace("\u00a0", " ").split())


@pytest.mark.parametrize("ratio", [1, 20, 60])
def test_what_would_change_is_what_python_says_at_these_costs(three: Path, visit: Visiting, ratio: int) -> None:
    labels, scores = reports.cases(900)
    models = {"sharp": scores, "blurred": reports.noisy(scores, 0.8, 1), "dull": reports.noisy(scores, 3.0, 2)}
    wanted = rs.compare(labels, models, costs=rs.Costs(fp=1, fn=ratio), unit="loan").to_dict()["verdict"]
    page = visit(three, f"fn={ratio}").page
    said = plain(" ".join(page.locator("#verdict .next-steps p").all_inner_texts()))
    assert said == plain(wanted["change"])
    assert plain(page.locator("#headline").inner_text()) == plain(wanted["headline"])


def test_what_cannot_follow_is_marked_in_its_place(three: Path, visit: Visiting) -> None:
    page = visit(three).page
    assert not page.locator("#differences .saved-note").is_visible()
    assert not page.locator("#verdict .caveats .saved-note").is_visible()
    screen.set_ratio(page, "1 : 40")
    assert "1 : 5 and 20 %" in plain(page.locator("#differences .saved-note").inner_text())
    assert plain(page.locator("#verdict .caveats .saved-note").inner_text()) == "for costs 1 : 5 and prevalence 20 %"
    screen.set_ratio(page, "1 : 5")
    assert not page.locator("#differences .saved-note").is_visible()
    assert "corrected for choosing on these data" in plain(page.locator("#verdict .lead").inner_text())
    screen.set_prevalence(page, "5 %")
    assert page.locator("#differences .saved-note").is_visible()
    assert "not corrected for choosing" in page.locator("#verdict .lead").inner_text()


def test_corrected_and_apparent_rates_are_told_apart(three: Path, visit: Visiting) -> None:
    """The headline is corrected for selection, the pictures are as counted: two numbers, two labels."""
    page = visit(three).page
    assert "Both shares are corrected for selection." in plain(page.locator("#verdict .lead").inner_text())
    heads = page.locator("#measures tr.group")
    assert plain(heads.first.inner_text()) == "corrected for selection"
    for view in ("roc", "cases", "thresholds", "pr"):
        assert "Apparent: not corrected for selection." in plain(page.locator(f"#{view} .reading").inner_text()), view
    screen.set_threshold(page, 0.4)  # nothing is corrected here, so nothing has to be told apart
    assert plain(heads.first.inner_text()) == "apparent: not corrected for selection"
    assert "Apparent" not in page.locator("#roc .reading").inner_text()
    screen.set_ratio(page, "1 : 12")
    lead = plain(page.locator("#verdict .lead").inner_text())
    assert "corrected for choosing on these data" in lead and lead.endswith("Apparent: not corrected for selection.")


def test_one_question_makes_a_recommendation_of_a_proposal(unpriced: Path, visit: Visiting) -> None:
    page = visit(unpriced).page
    assert page.locator("#headline").inner_text().startswith("AUC ")
    page.get_by_role("button", name="5 ×", exact=True).click()
    screen.settled(page)
    labels, scores = reports.cases(500)
    wanted = rs.evaluate(labels, scores, costs=rs.Costs(fp=1, fn=5)).to_dict()["verdict"]
    assert plain(page.locator("#headline").inner_text()) == plain(wanted["headline"])
    assert plain(" ".join(page.locator("#verdict .next-steps p").all_inner_texts())) == plain(wanted["change"])
    page.get_by_role("button", name="the same", exact=True).click()
    screen.settled(page)
    assert page.locator("#headline").inner_text().startswith("Recommended: threshold")
    page.get_by_role("button", name="Show the results at").click()
    screen.settled(page)
    assert page.locator("#headline").inner_text().startswith("AUC ")
    assert screen.matrix(page)["tp"] == rs.evaluate(labels, scores).best("youden")[0].counts.tp


def test_rare_positives_are_never_rounded_to_none(folder: Path, visit: Visiting) -> None:
    rng = np.random.default_rng(0)
    y = np.zeros(50_000, int)
    y[:50] = 1
    scores = np.round(1 / (1 + np.exp(-(rng.normal(-7, 1.5, len(y)) + 5 * y))), 5)
    made = rs.evaluate(y, scores, costs=rs.Costs(fp=1, fn=50))
    made.save(str(folder / "rare.html"))
    for script in (True, False):
        page = visit(folder / "rare.html", java_script_enabled=script).page
        legend = plain(page.locator("#cases .legend").inner_text())
        counts = made.point.counts
        per = 10_000 / len(y)
        assert f"{round(counts.fn * per)} missed" in legend and "of 10,000" in legend and " 0 missed" not in legend
        assert "Of 10,000 cases" in page.locator("#cases .reading").inner_text()


def test_a_single_model_is_drawn_on_the_scale_from_chance_to_one(unpriced: Path, visit: Visiting) -> None:
    page = visit(unpriced, java_script_enabled=False).page
    dot = page.locator("#verdict .costs circle")
    area = rs.evaluate(*reports.cases(500)).auc.value
    assert float(dot.get_attribute("cx").rstrip("%")) == pytest.approx(200 * (area - 0.5), abs=0.1)


def test_one_class_names_the_label_that_was_taken(folder: Path, visit: Visiting) -> None:
    reports.one_class().save(str(folder / "one.html"))
    for script in (True, False):
        page = visit(folder / "one.html", java_script_enabled=script).page
        assert "The positive class was assumed to be 1." in page.locator("#roc .panel").inner_text()


def test_all_measures_open_in_a_panel_with_the_search_field_on_top(unpriced: Path, visit: Visiting) -> None:
    page = visit(unpriced).page
    before = page.evaluate("[document.documentElement.scrollHeight, window.scrollY]")
    more = page.get_by_role("button", name="All measures")
    more.scroll_into_view_if_needed()
    at = page.evaluate("window.scrollY")
    more.click()
    field = page.get_by_role("searchbox", name="Find a measure")
    assert page.evaluate("window.scrollY") == at
    assert page.evaluate("document.documentElement.scrollHeight") <= before[0] + 400
    panel = page.locator("#measures .catalogue")
    assert field.bounding_box()["y"] < panel.bounding_box()["y"]
    field.fill("kappa")
    screen.settled(page)
    assert 1 <= page.locator("#measures table.measures tbody tr:has(td.value)").count() < 12


def test_a_check_is_muted_and_the_link_holds_it(three: Path, visit: Visiting) -> None:
    page = visit(three).page
    first = page.locator("#verdict .caveats p[data-check]").first
    code = first.get_attribute("data-check")
    first.get_by_role("button", name="mute").click()
    screen.settled(page)
    assert not first.is_visible()
    assert plain(page.locator("#verdict .caveats > p.check").inner_text()) == f"Muted: {code}. show again"
    assert page.evaluate("location.hash") == f"#mute={code}"
    again = visit(three, f"mute={code}").page
    assert not again.locator(f"#verdict .caveats p[data-check={code}]").is_visible()
    again.get_by_role("button", name="show again").click()
    screen.settled(again)
    assert again.locator(f"#verdict .caveats p[data-check={code}]").is_visible()


def test_the_measures_to_go_by_are_marked(three: Path, visit: Visiting) -> None:
    for script in (True, False):
        page = visit(three, java_script_enabled=script).page
        marked = [plain(one) for one in page.locator("#measures th.advised").all_inner_texts()]
        assert marked == ["MCC", "balanced accuracy", "average precision"]


def test_three_models_are_printed_on_three_pages(three: Path, visit: Visiting) -> None:
    page = visit(three).page
    printed = page.pdf(prefer_css_page_size=True, print_background=True)
    assert len(re.findall(rb"/Type\s*/Page\b", printed)) == 3


def test_the_cost_line_of_a_perfect_ranking_can_be_taken(folder: Path, visit: Visiting) -> None:
    """Its corner is that of the frame: the grip stands beside the operating point, and moves the costs alone."""
    scores = [0.02, 0.1, 0.2, 0.3, 0.38, 0.62, 0.7, 0.8, 0.9]
    rs.evaluate([0] * 5 + [1] * 4, scores, costs=rs.Costs(fp=1, fn=1)).save(str(folder / "perfect.html"))
    page = visit(folder / "perfect.html").page
    screen.show(page, "roc")
    grip = page.locator("#roc [aria-label^='line of equal cost'] circle >> nth=-1")
    before = screen.matrix(page)
    x, y = screen.centre(grip)
    screen.drag(page, grip, lambda: (x - 20, y + 30))
    ratio = page.get_by_role("textbox", name="What a miss costs, in false alarms, as text", exact=True).input_value()
    assert ratio != "1 : 1" and screen.matrix(page) == before
