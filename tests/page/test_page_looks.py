"""The look of every kind of report: nothing is cut off, overlaps, or is too small, on screens and on paper."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import reports
import screen
from test_page_kinds import KINDS
from test_page_review import SIZES

import rocscope as rs

Visiting = Callable[..., Any]
CLASSES = [f"digit {k}" for k in range(10)]


def ten_classes(shift: float = 2.2) -> tuple[list[str], np.ndarray]:
    rng = np.random.default_rng(3)
    labels = rng.integers(0, 10, 600)
    raw = np.exp(rng.normal(size=(600, 10)) + shift * np.eye(10)[labels])
    return [CLASSES[k] for k in labels], raw / raw.sum(axis=1, keepdims=True)


def compared_classes() -> Any:
    labels, shares = ten_classes()
    return rs.compare(labels, {"network": shares, "tree": ten_classes(1.2)[1]}, labels=CLASSES)


def several_labels() -> Any:
    rng = np.random.default_rng(3)
    target = (rng.random((200, 4)) < 0.3).astype(int)
    scores = np.clip(0.5 * target + 0.7 * rng.random((200, 4)), 0, 1)
    return rs.evaluate(target, scores, labels=["sports", "politics", "science", "arts"])


def rare() -> Any:
    rng = np.random.default_rng(0)
    labels = np.arange(50_000) < 50
    return rs.evaluate(labels.astype(int), np.round(1 / (1 + np.exp(-(rng.normal(-7, 1.5, 50_000) + 5 * labels))), 5))


MADE: dict[str, Callable[[], Any]] = {name: make for name, (make, *_) in KINDS.items()} | {
    "ten classes": lambda: rs.evaluate(*ten_classes(), labels=CLASSES), "compared classes": compared_classes,
    "several labels": several_labels,
}  # fmt: skip
WIDE = "[document.documentElement.scrollWidth, window.innerWidth]"
# pairs of texts of a picture whose boxes overlap by more than the space around their letters
TOUCHING = """(root) => {
  const seen = [...root.querySelectorAll('text')].filter((one) =>
    one.textContent.trim() && one.checkVisibility({visibilityProperty: true}));
  const boxes = seen.map((one) => [one.textContent, one.getBoundingClientRect()]).filter(([, box]) => box.width);
  return boxes.flatMap(([a, one], i) => boxes.slice(i + 1).filter(([, other]) =>
    Math.min(one.right, other.right) - Math.max(one.left, other.left) > 2 &&
    Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top) > 7).map(([b]) => [a, b]));
}"""


@pytest.fixture(scope="module")
def made(folder: Path) -> Callable[[str, Callable[[], Any]], Path]:
    def of(name: str, make: Callable[[], Any]) -> Path:
        path = folder / f"{name.replace(' ', '-')}.html"
        if not path.exists():
            make().save(str(path))
        return path

    return of


@pytest.mark.parametrize("kind", MADE)
def test_no_report_is_wider_than_its_screen(kind: str, made: Any, visit: Visiting) -> None:
    path = made(kind, MADE[kind])
    for width in (380, 800, 1280):
        page = visit(path, width=width).page
        screen.settled(page)
        assert page.evaluate(WIDE) == [width, width], width


@pytest.mark.parametrize("kind", ["ten classes", "compared classes", "several labels", "validation", "classes"])
def test_other_reports_are_legible_on_paper(kind: str, made: Any, visit: Visiting) -> None:
    """Letters of a picture that is not drawn anew are scaled with it; buttons that hold a number or a name stay."""
    page = visit(made(kind, MADE[kind]), width=698).page
    held = "(all) => all.map((one) => one.innerText.trim())"
    before = page.locator("main .classes td, main .classes tbody th, main .movable tbody th").evaluate_all(held)
    page.emulate_media(media="print")
    page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    screen.settled(page)
    after = page.locator("main .classes td, main .classes tbody th, main .movable tbody th").evaluate_all(held)
    assert after == before and page.evaluate("document.documentElement.scrollWidth") <= 700
    assert min(page.evaluate(SIZES))[0] >= 6.7
    assert page.locator("main select").evaluate_all("(all) => all.every((one) => !one.checkVisibility())")


def test_a_matrix_of_ten_named_classes_is_whole_at_1280_pixels(made: Any, visit: Visiting) -> None:
    page = visit(made("ten classes", MADE["ten classes"])).page
    matrix = page.locator("#cases .scroll.tall")
    assert matrix.evaluate("(one) => one.scrollWidth <= one.clientWidth")
    assert not page.locator("#cases [data-cut]").count()
    phone = visit(made("ten classes", MADE["ten classes"]), width=380).page
    assert phone.locator("#cases [data-cut]").count() == 1  # where it is cut, it fades


def test_a_small_matrix_fills_its_column(made: Any, visit: Visiting) -> None:
    page = visit(made("classes", MADE["classes"])).page
    column, matrix = (page.locator(where).bounding_box()["width"] for where in ("#cases", "#cases table.classes"))
    assert matrix > 0.5 * column


def test_pictures_side_by_side_begin_at_one_height(three: Path, visit: Visiting) -> None:
    for state in ("", "fn=20&p=0.02"):
        page = visit(three, state).page
        screen.show(page, "calibration")
        pictures = page.locator(".row7 > .view > .picture")
        tops = pictures.evaluate_all("(all) => all.map((one) => one.getBoundingClientRect().top)")
        assert len(tops) == 3 and max(tops) - min(tops) < 1


def test_a_name_without_a_place_is_not_shown(three: Path, visit: Visiting) -> None:
    """Outside of its picture, "flag all" would stand in the one beside it."""
    for state in ("", "fn=20&p=0.02", "fn=60", "p=0.001"):
        page = visit(three, state).page
        screen.show(page, "decision")
        outside = """(svg) => [...svg.querySelectorAll('text')]
          .filter((one) => one.checkVisibility({visibilityProperty: true})
            && one.getBoundingClientRect().left < svg.getBoundingClientRect().left - 1).map((one) => one.textContent)"""
        assert page.locator("#decision .picture > svg").evaluate(outside) == [], state


def test_no_net_benefit_is_what_rounding_leaves(folder: Path, visit: Visiting) -> None:
    ev = rs.evaluate([1, 1, 0, 1, 0, 0, 1, 0, 0, 0], [0.9, 0.8, 0.7, 0.6, 0.55, 0.5, 0.4, 0.3, 0.2, 0.1])
    ev.save(str(folder / "ten-cases.html"))
    for script in (True, False):
        page = visit(folder / "ten-cases.html", java_script_enabled=script).page
        assert "gives 0 net true positives" in page.locator("#decision .reading").inner_text().replace("\u00a0", " ")


def test_texts_of_the_roc_picture_keep_apart(three: Path, made: Any, visit: Visiting) -> None:
    """Thresholds along the curve, the name of the operating point, the key, the name of the line of chance."""
    others = [made("rare", rare), made("one model", MADE["one model"]), made("many models", MADE["many models"])]
    for path in (three, *others):
        for state in ("", "zoom=1", "rule=hand&t=0.1", "rule=hand&t=0.5"):
            page = visit(path, state).page
            screen.show(page, "roc")
            assert page.locator("#roc .picture > svg").evaluate(TOUCHING) == [], (path.name, state)
            zoom = page.locator("#roc .zoom").bounding_box()
            frame = screen.pixel(page, "roc", 1, 1)
            assert zoom["y"] + zoom["height"] <= frame[1], "the button lies on the frame"


def test_a_count_is_never_broken(made: Any, visit: Visiting) -> None:
    page = visit(made("rare", rare)).page
    lines = "(all) => all.map((one) => [one.textContent, one.getClientRects().length, one.offsetHeight])"
    found = page.locator("#cases .matrix .count").evaluate_all(lines)
    assert any(len(text.replace(",", "")) >= 5 for text, *_ in found)
    assert all(pieces == 1 and height < 30 for _, pieces, height in found), found


def test_a_small_p_value_stays_on_one_line(folder: Path, visit: Visiting) -> None:
    labels, scores = reports.cases(900)
    rs.compare(labels, {"sharp": scores, "noise": reports.noisy(scores, 9.0, 1)}).save(str(folder / "small-p.html"))
    for width in (1280, 800, 380):
        page = visit(folder / "small-p.html", width=width).page
        cell = page.locator("#differences td.p").first
        assert "0.001" in cell.inner_text()
        broken = """(cell) => {
          const range = document.createRange();
          range.selectNodeContents(cell);
          return new Set([...range.getClientRects()].map((box) => Math.round(box.top))).size;
        }"""
        assert cell.evaluate(broken) == 1, width


def test_the_rows_of_a_phone_say_what_they_hold(three: Path, visit: Visiting) -> None:
    page = visit(three, width=380).page
    before = "(all) => all.map((one) => getComputedStyle(one, '::before').content)"
    assert set(page.locator("#differences .of-auc").evaluate_all(before)) >= {'"AUC "'}
    assert set(page.locator("#differences .number.of-cost").evaluate_all(before)) == {'"cost "'}
    middles = """(all) => all.filter((one) => one.checkVisibility()).map((one) => one.getBoundingClientRect())
      .map((box) => box.top + box.height / 2)"""
    tops = page.locator("header.bar > *, header.bar .tools > *").evaluate_all(middles)
    assert max(tops) - min(tops) < 12  # the header is one row


def test_the_chosen_threshold_says_that_it_is_of_the_sample(folder: Path, visit: Visiting) -> None:
    """A rule such as F1 chose at the prevalence of the data; the page opens with that threshold, and says so."""
    ev = rs.evaluate(*reports.cases(500), choose="f1", costs=rs.Costs(fp=1, fn=5, prevalence=0.03))
    ev.save(str(folder / "in-sample.html"))
    for script in (True, False):
        page = visit(folder / "in-sample.html", java_script_enabled=script).page
        text = page.locator("#verdict").inner_text().replace("\u00a0", " ")
        stated = re.search(r"Recommended: threshold ([\d.]+\d)", text)
        assert stated is not None and ev.table.at(float(stated[1])) == ev.point.counts
        assert "chosen at the prevalence of the sample, 19 %" in text and "What would change" not in text
    page = visit(folder / "in-sample.html").page
    field = page.get_by_role("textbox", name="Threshold, as text", exact=True)
    assert field.input_value() == stated[1]
    assert "chosen_in_sample" in str(ev.to_dict()["verdict"]["statements"]["caveats"])


PYTHON = {"roc", "measures", "strip", "thresholds", "topk", "pr", "calibration", "decision", "differences", "slices"}


def test_the_copied_python_call_runs(folder: Path, visit: Visiting) -> None:
    labels, scores = reports.cases(300)
    groups = ["north" if row % 3 else "south" for row in range(300)]
    models = {"sharp": scores, "dull": reports.noisy(scores, 2.0, 1)}
    costs = rs.Costs(fp=1, fn=5)
    rs.compare(labels, models, costs=costs).save(str(folder / "calls.html"))
    rs.evaluate(labels, scores, by={"region": groups}, costs=costs).save(str(folder / "calls-one.html"))
    tried = set()
    for name in ("calls", "calls-one"):
        page = visit(folder / f"{name}.html", permissions=["clipboard-read", "clipboard-write"]).page
        for view in sorted(PYTHON):
            section = page.locator(f"section#{view}")
            if not section.count():
                continue
            section.get_by_role("button", name="More about").click()
            section.get_by_role("menuitem", name="Copy the Python call").click()
            screen.wait_until(page, lambda: section.locator(".menu .said").inner_text() == "Copied", view)  # noqa: B023
            known: dict[str, Any] = {"labels": labels, "scores": scores, "models": models, "groups": groups}
            exec(page.evaluate("navigator.clipboard.readText()"), known)
            tried.add(view)
    assert tried == PYTHON
