"""What was found by using the page: each test is one finding, cured."""

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
LONG = [f"gradient_boosting_classifier_with_{how}_calibration_2024" for how in ("isotonic", "sigmoid")]
# the size of a text on paper in points: a picture that is scaled scales its text, too
SIZES = """[...document.querySelectorAll('main svg text, main p, main td, main th')]
  .filter((one) => one.getClientRects().length && one.textContent.trim() && !one.matches('.at.long'))
  .map((one) => {
    const picture = one.ownerSVGElement, box = picture?.viewBox.baseVal;
    const scale = box?.width ? picture.getBoundingClientRect().width / box.width : 1;
    return [0.75 * scale * parseFloat(getComputedStyle(one).fontSize), one.textContent.slice(0, 40)];
  })"""

SCROLLED = """[...document.querySelectorAll('main *')]
  .filter((one) => one.scrollWidth > one.clientWidth + 1 && /auto|scroll/.test(getComputedStyle(one).overflowX))
  .map((one) => one.className)"""


@pytest.fixture(scope="module")
def long(folder: Path) -> Path:
    labels, scores = reports.cases(400)
    models = {LONG[0]: scores, LONG[1]: reports.noisy(scores, 0.4, 1), "a short one": reports.noisy(scores, 2.0, 2)}
    rs.compare(labels, models, costs=rs.Costs(fp=1, fn=5)).save(str(folder / "long.html"))
    return folder / "long.html"


@pytest.fixture(scope="module")
def demo(folder: Path) -> Path:
    from rocscope.cli.shared.demo_loans import MODELS, POSITIVE, loans

    labels, *scores = zip(*loans(), strict=True)
    models = dict(zip(MODELS, scores, strict=True))
    made = rs.compare(labels, models, positive=POSITIVE, costs=rs.Costs(fp=1, fn=5), unit="loan")
    made.save(str(folder / "demo.html"))
    return folder / "demo.html"


def test_esc_closes_the_controls_of_a_phone(three: Path, visit: Visiting) -> None:
    page = visit(three, width=380, height=800).page
    page.get_by_role("button", name="change").click()
    screen.settled(page)
    assert page.locator("#controls").bounding_box()["height"] <= 0.6 * 800  # what it changes stays in sight
    for field in (None, "What a miss costs, in false alarms, as text"):
        if field:
            page.get_by_role("button", name="change").click()
            page.get_by_role("textbox", name=field, exact=True).focus()
        page.keyboard.press("Escape")
        screen.settled(page)
        assert page.get_by_role("button", name="change").get_attribute("aria-expanded") == "false"


def test_what_a_mouse_holds_has_no_focus_frame(three: Path, visit: Visiting) -> None:
    page = visit(three).page
    screen.show(page, "roc")
    outline = "getComputedStyle(document.activeElement).outlineStyle"
    x, y = screen.centre(page.locator("#roc [role=slider] circle >> nth=-1"))
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 12, y - 4, steps=3)
    screen.settled(page)
    assert page.evaluate("document.activeElement.getAttribute('role')") == "slider" and page.evaluate(outline) == "none"
    page.mouse.up()
    page.keyboard.press("ArrowRight")
    screen.settled(page)
    assert page.evaluate(outline) == "solid"


@pytest.mark.parametrize("width", [1280, 380])
@pytest.mark.parametrize("script", [True, False])
def test_long_names_are_cut_once_and_read_differently(long: Path, visit: Visiting, width: int, script: bool) -> None:
    page = visit(long, width=width, java_script_enabled=script).page
    texts = "(all) => all.map((one) => one.textContent)"
    shown = page.locator("main bdi, main svg text").evaluate_all(texts)
    assert not [name for name in shown if name.count("…") > 1]
    names = {name for name in shown if name.startswith("gra")}
    assert any("isotonic" in name for name in names) and any("sigmoid" in name for name in names)
    assert all("isotonic" in name or "sigmoid" in name for name in names), names


def test_no_name_of_the_code_is_shown(folder: Path, three: Path, visit: Visiting) -> None:
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 4, 300)
    shares = np.eye(4)[labels] / 2 + rng.random((300, 4))
    shares /= shares.sum(axis=1, keepdims=True)
    rs.evaluate(np.array(list("abcd"))[labels], shares, labels=list("abcd")).save(str(folder / "four.html"))
    for path in (three, folder / "four.html"):
        page = visit(path).page
        if page.locator(".all-measures button").count():
            page.locator(".all-measures button").click()
        for fold in page.locator("main summary").all():
            fold.click()
        screen.settled(page)
        page.wait_for_timeout(300)
        raw = re.findall(r"hand-till|newcombe|wilson\b|delong|\b[a-z]+_[a-z_]+\b", page.inner_text("main"))
        assert raw == []


def test_text_on_paper_is_never_tiny(folder: Path, three: Path, long: Path, visit: Visiting) -> None:
    for path in (three, long):
        page = visit(path, width=698).page
        page.emulate_media(media="print")
        page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
        screen.settled(page)
        assert min(page.evaluate(SIZES))[0] >= 6.7


def test_the_demo_and_long_names_are_printed_on_three_pages(demo: Path, long: Path, visit: Visiting) -> None:
    for path in (demo, long):
        printed = visit(path).page.pdf(prefer_css_page_size=True, print_background=True)
        assert len(re.findall(rb"/Type\s*/Page\b", printed)) == 3, path.name


def test_two_columns_of_caveats_begin_at_the_same_height(demo: Path, visit: Visiting) -> None:
    page = visit(demo).page
    boxes = "(all) => all.map((one) => one.getBoundingClientRect()).map(({x, y}) => [x, y])"
    places = page.locator(".caveats p[data-check]").evaluate_all(boxes)
    columns = {x: min(y for other, y in places if other == x) for x, _ in places}
    assert len(columns) == 2 and len(set(columns.values())) == 1


@pytest.mark.parametrize("width", [1110, 1200, 1280])
def test_ten_classes_need_no_scrolling_to_the_side(folder: Path, visit: Visiting, width: int) -> None:
    if not (folder / "ten.html").exists():
        rng = np.random.default_rng(0)
        labels = rng.integers(0, 10, 600)
        shares = np.eye(10)[labels] / 2 + rng.random((600, 10))
        rs.evaluate(labels, shares / shares.sum(axis=1, keepdims=True), labels=list(range(10))).save(
            str(folder / "ten.html")
        )
    page = visit(folder / "ten.html", width=width).page
    assert page.evaluate(SCROLLED) == []


def test_one_false_alarm_is_singular_everywhere(folder: Path, visit: Visiting) -> None:
    labels, scores = [0] * 499 + [1] * 501, [0.1] * 498 + [0.9] + [0.9] * 500 + [0.1]
    made = rs.evaluate(labels, scores, threshold=0.5)
    made.save(str(folder / "single.md"))
    for text in (str(made), (folder / "single.md").read_text("utf-8")):
        assert "1 missed and 1 false alarm." in " ".join(text.replace("\u00a0", " ").split())
    made.save(str(folder / "single.html"))
    for script in (True, False):
        page = visit(folder / "single.html", java_script_enabled=script).page
        shown = page.inner_text("main")
        assert "1 false alarm" in shown and "1 false alarms" not in shown and "1 are" not in shown
    page = visit(folder / "single.html").page
    grip = page.locator("#roc [aria-label^='line of equal cost']")
    assert grip.get_attribute("aria-valuetext").startswith("a miss costs 1 false alarm,")
