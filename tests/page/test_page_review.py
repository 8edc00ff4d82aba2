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
from rocscope.cli import main

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


def test_many_thresholds_are_one_band_with_numbers(folder: Path, visit: Visiting) -> None:
    labels, scores = reports.cases(20_000, digits=5)
    ev = rs.evaluate(labels, scores)
    ev.save(str(folder / "large.html"))
    for script in (True, False):
        page = visit(folder / "large.html", java_script_enabled=script).page
        assert page.locator("#strip svg rect").count() == 1
        texts = page.locator("#strip svg text").all_text_contents()
        thresholds = [float(text) for text in texts if text.startswith("0.")]
        assert len(thresholds) == 8 and thresholds == sorted(thresholds, reverse=True)
        # the second is the cheapest threshold where a miss costs as much as a false alarm
        held, best = ev.table.at(thresholds[1]), ev.best("accuracy")[0].counts
        assert held.tp + held.tn == best.tp + best.tn


def test_names_of_the_decision_curve_stand_beside_it(three: Path, long: Path, visit: Visiting) -> None:
    for report in (three, long):
        page = visit(report).page
        screen.show(page, "decision")
        frame = screen.frame(page, "decision")
        size = page.locator("#decision .picture svg").first.bounding_box()
        for name in page.locator("#decision .picture text.name").all():
            box = name.bounding_box()
            assert box["x"] >= size["x"] + frame["left"] + frame["width"], name.inner_text()
            assert box["x"] + box["width"] <= size["x"] + size["width"] + 1, name.inner_text()
        static = visit(report, java_script_enabled=False).page.locator("#decision svg text.name")
        assert static.count() >= 2
        assert static.evaluate_all("(all) => all.every((one) => getComputedStyle(one).textAnchor === 'start')")


# how many points of the curves and of the line of the costs lie in the box of the name "flag all"
STRUCK = """(section) => {
  const name = [...section.querySelectorAll('svg text')].find((one) => one.textContent.endsWith('flag all'));
  const inner = (box) => name && {left: box.left + 1, right: box.right - 1, top: box.top + 3, bottom: box.bottom - 3};
  const box = inner(name?.getBoundingClientRect());
  const frame = section.querySelector('svg').getBoundingClientRect();
  if (!box || box.left < frame.left) return [0, false];
  let struck = 0;
  for (const line of section.querySelectorAll('svg path[data-m]:not(.faint), svg .cost, svg path.flat')) {
    const at = line.getScreenCTM();
    for (let k = 0; k <= 2000; k += 1) {
      const {x, y} = line.getPointAtLength(line.getTotalLength() * k / 2000).matrixTransform(at);
      struck += x > box.left && x < box.right && y > box.top && y < box.bottom;
    }
  }
  return [struck, true];
}"""


def test_no_line_crosses_the_name_of_flagging_all(three: Path, demo: Path, folder: Path, visit: Visiting) -> None:
    rng = np.random.default_rng(0)
    y = np.arange(20_000) < 30
    scores = np.round(1 / (1 + np.exp(-(rng.normal(-7, 1.5, len(y)) + 5 * y))), 5)
    rs.evaluate(y.astype(int), scores, costs=rs.Costs(fp=1, fn=50)).save(str(folder / "scarce.html"))
    for report in (three, demo, folder / "scarce.html"):
        for state in ("", "fn=12", "fn=1", "p=0.05", "p=0.3&fn=3"):
            page = visit(report, state).page
            screen.show(page, "decision")
            struck, named = page.locator("#decision").evaluate(STRUCK)
            assert struck == 0, (report.name, state)
            assert named or report.name == "scarce.html"  # there its line is that of the axis
        struck, named = visit(report, java_script_enabled=False).page.locator("#decision").evaluate(STRUCK)
        assert struck == 0 and (named or report.name == "scarce.html"), report.name


def test_names_of_curves_do_not_touch(folder: Path, visit: Visiting) -> None:
    labels = [1] * 40 + [0] * 160
    scores = [0.6 + 0.01 * row for row in range(40)] + [0.35 * row / 160 for row in range(160)]
    rs.evaluate(labels, scores, costs=rs.Costs(fp=1, fn=5)).save(str(folder / "apart.html"))
    page = visit(folder / "apart.html").page
    screen.show(page, "thresholds")
    boxes = [one.bounding_box() for one in page.locator("#thresholds .picture text.name").all()]
    for k, a in enumerate(boxes):
        for b in boxes[k + 1 :]:
            side = max(a["x"], b["x"]) - min(a["x"] + a["width"], b["x"] + b["width"])
            assert side >= 3 or abs(a["y"] - b["y"]) >= 10


def test_names_in_the_list_are_cut_once(folder: Path, visit: Visiting) -> None:
    labels, scores = reports.cases(300)
    start = "gradient boosted trees with early stopping and calibrated probabilities fold "
    cmp = rs.compare(labels, {start + end: reports.noisy(scores, k, k) for k, end in enumerate(("one", "two", "three"))})
    cmp.save(str(folder / "folds.html"))
    page = visit(folder / "folds.html").page
    whole = "(all) => all.every((one) => one.scrollWidth <= one.clientWidth)"
    assert page.locator(".costs th").evaluate_all(whole)
    page.locator(".question [data-ratio='5']").click()
    screen.settled(page)
    assert page.locator(".costs th").evaluate_all(whole)
    said = [*page.locator(".columns p").all_inner_texts(), *cmp.to_dict()["verdict"]["caveats"]]
    names = [part for text in said for part in re.findall(r"gradient[^:,;]*", text)]
    assert names and not [name for name in names if "fold" not in name]


def test_a_comparison_without_costs_says_how_good_and_proposes_a_threshold(folder: Path, visit: Visiting) -> None:
    labels, scores = reports.cases(600)
    cmp = rs.compare(labels, {"sharp": scores, "dull": reports.noisy(scores, 2.0, 1)})
    cmp.save(str(folder / "unpriced.html"))
    page = visit(folder / "unpriced.html").page
    headline = page.locator("h1").inner_text().replace("\xa0", " ")
    own = cmp.evaluations["sharp"]
    youden = own.best("youden")[0]
    assert headline.startswith(f"Recommended: sharp, AUC {own.auc.value:.3f} (95 % CI {own.auc.low:.3f}–")
    proposed = re.search(r"Proposed threshold: ([\d.]+), the maximum of Youden's J\.", headline)
    assert proposed is not None and own.table.at(float(proposed[1])) == youden.counts
    page.get_by_text("Show the results at").click()
    screen.settled(page)
    assert page.get_by_role("textbox", name="Threshold, as text", exact=True).input_value() == proposed[1]
    page.locator(".question [data-ratio='5']").click()
    screen.settled(page)
    assert re.fullmatch(r"Recommended: sharp\s+at threshold [\d.]+\.", page.locator("h1").inner_text())


def test_labels_that_name_no_class_are_positive_and_negative_in_sentences(folder: Path, visit: Visiting) -> None:
    labels, scores = reports.cases(300)
    ev = rs.evaluate(["Yes" if label else "No" for label in labels], scores, positive="Yes", unit="customer")
    ev.save(str(folder / "yes.html"))
    page = visit(folder / "yes.html").page
    text = page.locator("main").inner_text()
    assert "Yes customers" not in text and "of the Yes" not in text and "of the positive customers" in text
    assert "positive = Yes" in page.locator(".facts").inner_text()


def test_the_words_of_the_command_are_not_broken(folder: Path, visit: Visiting) -> None:
    assert main(["demo", "--html", str(folder / "wrapped.html")]) == 0
    page = visit(folder / "wrapped.html", width=1280).page
    words = page.locator(".provenance code span")
    assert words.count() > 2
    assert words.evaluate_all("(all) => all.every((one) => one.getClientRects().length === 1)")


def test_a_setting_costs_more_by_what_is_shown(three: Path, visit: Visiting) -> None:
    page = visit(three).page

    def cost() -> int:
        found = re.search(r"cost ([\d,]+) per 1,000", page.locator("#cases .reading").inner_text())
        assert found is not None
        return int(screen.number(found[1]))

    least = cost()
    for threshold in (0.05, 0.3, 0.31, 0.42, 0.5, 0.63, 0.7, 0.84, 0.9):
        screen.set_threshold(page, threshold)
        said = re.search(r"costs ([\d,]+), ([\d,]+) more than the cheapest", page.locator("p.hand").inner_text())
        assert said is not None
        assert screen.number(said[1]) == cost() and screen.number(said[1]) - screen.number(said[2]) == least
