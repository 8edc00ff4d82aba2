"""Who uses the page how: by keyboard alone, from a link, on paper, on a phone, in the dark, with a screen reader."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
import reports
import screen
from nodes import axe
from test_page_kinds import KINDS

import rocscope as rs

Visiting = Callable[..., Any]

# what a hand or a key can work, as long as it is shown
WORKABLE = "a[href], button, input, select, summary, textarea, [role=slider], [tabindex='0']"


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("three") / "report.html"
    reports.three_models().save(str(path))
    return path


def test_every_working_part_is_reached_by_tab_alone(report: Path, visit: Visiting) -> None:
    page = visit(report).page
    wanted = page.evaluate(
        """(workable) => {
          const shown = (node) =>
            node.checkVisibility({visibilityProperty: true}) && !node.disabled && node.tabIndex >= 0;
          const found = [...document.querySelectorAll(workable)].filter(shown);
          found.forEach((node, k) => { node.dataset.stop = k; });
          return found.length;
        }""",
        WORKABLE,
    )
    assert wanted > 30
    reached = set()
    for _ in range(wanted + 5):
        page.keyboard.press("Tab")
        stop = page.evaluate("document.activeElement?.dataset?.stop ?? null")
        if stop is not None:
            reached.add(int(stop))
    missed = page.evaluate(
        "(stops) => stops.map((k) => document.querySelector(`[data-stop='${k}']`)?.outerHTML.slice(0, 99) ?? '(gone)')",
        sorted(set(range(wanted)) - reached),
    )
    assert [one for one in missed if one != "(gone)"] == []


def test_every_slider_moves_by_arrow_keys(report: Path, visit: Visiting) -> None:
    page = visit(report).page
    sliders = page.locator("#controls .full input[type=range], [role=slider]")
    assert sliders.count() >= 6  # threshold, costs, prevalence; operating point, cost line, strip
    for k in range(sliders.count()):
        slider = sliders.nth(k)
        before = slider.get_attribute("aria-valuetext")
        assert before, slider.evaluate("(node) => node.outerHTML.slice(0, 200)")
        slider.focus()
        page.keyboard.press("ArrowUp")
        screen.settled(page)
        assert sliders.nth(k).get_attribute("aria-valuetext") != before, before
        assert page.evaluate("document.activeElement?.matches('input, [role=slider]')"), "the focus stays"


def test_pages_of_the_strip_go_to_the_next_switch(report: Path, visit: Visiting) -> None:
    page = visit(report).page
    handle = page.locator("#strip [role=slider]")
    handle.focus()
    page.keyboard.press("Home")
    screen.settled(page)
    assert float(handle.get_attribute("aria-valuenow")) == 0.5
    first = handle.get_attribute("aria-valuetext").split(": ")[1]
    page.keyboard.press("PageUp")
    screen.settled(page)
    assert handle.get_attribute("aria-valuetext").split(": ")[1] != first
    page.keyboard.press("End")
    screen.settled(page)
    assert float(handle.get_attribute("aria-valuenow")) == 100


def test_letters_are_keys_but_not_while_typing(report: Path, visit: Visiting) -> None:
    page = visit(report).page
    page.keyboard.press("y")
    screen.settled(page)
    assert page.get_by_role("button", name="Youden").get_attribute("aria-pressed") == "true"
    page.keyboard.press("2")
    screen.settled(page)
    assert page.locator(".models button").nth(1).get_attribute("aria-pressed") == "true"
    page.get_by_role("textbox", name="Threshold, as text", exact=True).focus()
    page.keyboard.type("c")
    screen.settled(page)
    assert page.get_by_role("button", name="Youden").get_attribute("aria-pressed") == "true"


def test_the_table_of_the_focused_view_opens_by_t(report: Path, visit: Visiting) -> None:
    page = visit(report).page
    page.locator("#pr").get_by_role("button", name="More about").focus()
    page.keyboard.press("t")
    page.locator("#pr .behind table").wait_for()


def test_the_menu_opens_walks_and_closes_by_keys(report: Path, visit: Visiting) -> None:
    page = visit(report).page
    button = page.locator("#decision").get_by_role("button", name="More about")
    button.focus()
    page.keyboard.press("Enter")
    menu = page.locator("#decision [role=menu]")
    menu.wait_for()
    page.keyboard.press("ArrowDown")
    screen.wait_for(page, "document.activeElement.textContent === 'Copy as Markdown'")
    page.keyboard.press("Escape")
    menu.wait_for(state="hidden")
    screen.wait_for(page, "document.activeElement.getAttribute('aria-label')?.startsWith('More about')")


@pytest.mark.parametrize("form", ["Markdown", "CSV", "LaTeX"])
def test_a_table_is_copied(report: Path, visit: Visiting, form: str) -> None:
    page = visit(report, permissions=["clipboard-read", "clipboard-write"]).page
    copied = screen.copied(page, "strip", form)
    starts = {"Markdown": "| from | to | model |", "CSV": "from,to,model,threshold", "LaTeX": "% The cheapest model"}
    assert copied.startswith(starts[form])
    assert "sharp" in copied


@pytest.mark.parametrize("view", ["roc", "strip", "pr", "calibration", "decision"])
def test_a_picture_is_saved_with_title_reading_and_source(report: Path, visit: Visiting, view: str) -> None:
    import xml.etree.ElementTree as ElementTree

    page = visit(report).page
    section = page.locator(f"#{view}")
    section.get_by_role("button", name="More about").click()
    with page.expect_download() as caught:
        section.get_by_role("menuitem", name="Save SVG").click()
    tree = ElementTree.parse(caught.value.path())
    words = " ".join("".join(node.itertext()) for node in tree.iter("{http://www.w3.org/2000/svg}text"))
    assert section.locator("h2").inner_text() in words
    assert "rocscope" in words
    marks = [node for node in tree.iter() if node.tag.endswith(("path", "line", "rect"))]
    assert len(marks) > 3
    assert all("class" not in node.attrib and "style" not in node.attrib for node in tree.iter())
    assert not any("var(" in value for node in tree.iter() for value in node.attrib.values())


def test_a_picture_is_saved_as_png_twice_its_size(report: Path, visit: Visiting) -> None:
    page = visit(report).page
    section = page.locator("#pr")
    width = section.locator(".picture svg").first.bounding_box()["width"]
    section.get_by_role("button", name="More about").click()
    with page.expect_download() as caught:
        section.get_by_role("menuitem", name="Save PNG").click()
    data = Path(caught.value.path()).read_bytes()
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    assert int.from_bytes(data[16:20], "big") >= 2 * width


def test_a_link_restores_the_same_view(report: Path, visit: Visiting) -> None:
    page = visit(report).page
    page.locator(".models button").nth(1).click()
    screen.settled(page)
    screen.set_threshold(page, 0.3)
    screen.set_ratio(page, "1 : 7")
    screen.set_prevalence(page, "10 %")
    page.keyboard.press("Tab")
    fragment = page.evaluate("location.hash")
    again = visit(report, fragment.removeprefix("#")).page
    for view in ("h1", "#roc .reading", "#cases", "#measures", "#strip .reading", "#pr .reading", "#decision .reading"):
        assert again.locator(view).first.inner_text() == page.locator(view).first.inner_text(), view


@pytest.mark.parametrize("fragment", ["m=99&fn=-3&p=7", "t=abc&zzz=1&rule=no", "%%%", "t=1e999&fp=0&open=<script>"])
def test_a_broken_link_opens_all_the_same(report: Path, visit: Visiting, fragment: str) -> None:
    page = visit(report, fragment).page
    assert page.locator("h1").inner_text().startswith("Recommended: ")
    assert sum(screen.matrix(page).values()) > 0


# ---- layouts ----


def test_paper_does_not_get_the_phone_layout(report: Path, visit: Visiting) -> None:
    page = visit(report, width=700).page
    page.emulate_media(media="print")
    page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    screen.settled(page)
    assert page.evaluate("getComputedStyle(document.querySelector('.controls')).position") == "static"
    roc, cases = page.locator("#roc").bounding_box(), page.locator("#cases").bounding_box()
    assert abs(roc["y"] - cases["y"]) < 5 and cases["x"] > roc["x"] + 200, "ROC and matrix stand side by side"
    assert not page.get_by_role("button", name="More about").first.is_visible()
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"


def test_paper_is_light_in_the_dark_and_a_few_pages_long(report: Path, visit: Visiting) -> None:
    page = visit(report, color_scheme="dark").page
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") != "rgb(255, 255, 255)"
    pages = page.pdf(prefer_css_page_size=True, print_background=True).count(b"/Type /Page\n")
    assert pages == 3
    page.emulate_media(media="print")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"


@pytest.mark.parametrize("width", [380, 760, 1000, 1280, 1920])
def test_nothing_is_wider_than_the_screen(report: Path, visit: Visiting, width: int) -> None:
    page = visit(report, width=width).page
    screen.open_more(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    drawn = page.evaluate(
        """[...document.querySelectorAll('.picture > svg')].filter((svg) => svg.checkVisibility()).map((svg) => {
          const box = svg.getBoundingClientRect();
          return Math.abs(box.width - Number(svg.getAttribute('width')));
        })"""
    )
    assert max(drawn) <= 1, "pictures are drawn at their width, not scaled"


def test_a_resized_window_draws_anew(report: Path, visit: Visiting) -> None:
    page = visit(report).page
    before = page.locator("#strip .picture svg").get_attribute("width")
    page.set_viewport_size({"width": 900, "height": 800})
    screen.wait_for(page, f"document.querySelector('#strip .picture svg').getAttribute('width') !== '{before}'")
    assert float(page.locator("#strip .picture svg").get_attribute("width")) < 900


# ---- axe ----


def serious(page: Any) -> list[str]:
    """What axe-core calls serious or critical."""
    page.evaluate(axe().read_text("utf-8"))
    found = page.evaluate("axe.run(document, {resultTypes: ['violations']})")
    return [
        f"{one['id']} ({one['impact']}): {node['html'][:160]}"
        for one in found["violations"]
        if one["impact"] in ("serious", "critical")
        for node in one["nodes"][:3]
    ]


@pytest.mark.parametrize(
    ("width", "scheme"), [(1280, "light"), (1280, "dark"), (380, "light"), (380, "dark")],
    ids=["desktop", "desktop-dark", "phone", "phone-dark"],
)  # fmt: skip
def test_axe_finds_nothing_serious(report: Path, visit: Visiting, width: int, scheme: str) -> None:
    page = visit(report, width=width, color_scheme=scheme).page
    screen.open_more(page)
    for view in ("strip", "calibration", "decision"):  # short tables: axe looks at every cell
        screen.open_table(page, view)
    page.locator("#measures").get_by_role("button", name="precision").first.click()
    screen.settled(page)
    assert serious(page) == []


@pytest.mark.parametrize("kind", KINDS)
def test_axe_finds_nothing_serious_in_any_kind_of_report(kind: str, tmp_path: Path, visit: Visiting) -> None:
    """In the dark, where the tint of the errors lies under light text, and on paper."""
    path = tmp_path / "report.html"
    KINDS[kind][0]().save(str(path))
    page = visit(path, color_scheme="dark").page
    assert serious(page) == []
    page.emulate_media(media="print")
    assert serious(page) == []


@pytest.mark.parametrize("media", ["screen", "print"])
def test_axe_finds_nothing_serious_in_other_scripts(tmp_path: Path, visit: Visiting, media: str) -> None:
    """Arabic and Chinese names of slices and models, on a phone and on paper."""
    labels, scores = reports.cases(400)
    regions = ["شمال", "北京", "west", "the fourth region of the south-east"] * 100
    frame = pd.DataFrame({"y": labels, "p": scores, "region": regions})
    path = tmp_path / "scripts.html"
    rs.evaluate(frame, label="y", score="p", by="region", costs=rs.Costs(fp=1, fn=5)).save(str(path))
    page = visit(path, width=380 if media == "screen" else 1280).page
    page.emulate_media(media=media)
    assert serious(page) == []


def test_the_data_are_json_that_says_its_schema(report: Path, visit: Visiting) -> None:
    data = json.loads(visit(report).page.evaluate("document.getElementById('rocscope-data').textContent"))
    assert data["schema"] == "rocscope/1"


def test_one_sentence_is_spoken_after_a_change(report: Path, visit: Visiting) -> None:
    page = visit(report).page
    assert page.locator("[aria-live=polite]").count() == 1
    screen.set_threshold(page, 0.4)
    screen.wait_for(page, "document.querySelector('[aria-live=polite]').textContent.includes('0.4')")
