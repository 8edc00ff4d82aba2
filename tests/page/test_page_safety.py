"""Nothing in the data acts: names with markup are shown, no request leaves, and the file reads without JavaScript."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import reports
import screen
from unpacked import unpacked

Visiting = Callable[..., Any]


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("hostile") / "report.html"
    reports.hostile().save(str(path))
    return path


def test_b114_to_b124_markup_in_names_is_inert(hostile: Path, visit: Visiting) -> None:
    page = visit(hostile).page
    assert page.evaluate("window.hacked") is None
    assert page.locator("main img, main script, main iframe, main [onload], main [onerror]").count() == 0
    assert page.locator("a[href^='javascript']").count() == 0
    text = page.locator("main").first.inner_text()
    assert "<script>" in text and "{{7*7}}" in text, "names are shown as they are"


def test_b118_bidi_and_control_characters_are_shown_escaped(hostile: Path, visit: Visiting) -> None:
    body = visit(hostile).page.evaluate("document.querySelector('main').textContent")
    assert "\u202e" not in body and "\u200b" not in body and "\x07" not in body and "\x1b" not in body
    assert "\\u202e" in body and "\\x1b" in body


def test_b115_the_data_is_one_script_that_nothing_closes(hostile: Path, visit: Visiting) -> None:
    data = visit(hostile).page.evaluate("document.getElementById('rocscope-data').textContent")
    names = [model["name"] for model in unpacked(json.loads(data))["drawing"]["models"]]
    assert sorted(names) == sorted(reports.HOSTILE.values())
    assert "<" not in data and ">" not in data and "&" not in data


def test_b119_a_label_of_a_megabyte_is_shortened_in_view(tmp_path: Path, visit: Visiting) -> None:
    import rocscope as rs

    labels, scores = reports.cases(60)
    path = tmp_path / "long.html"
    rs.compare(labels, {"m" * 1_000_000: scores, "short": reports.noisy(scores, 1, 1)}).save(str(path))
    page = visit(path).page
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    assert len(page.locator("main").first.inner_text()) < 100_000


def test_b121_a_copied_csv_has_no_formula(hostile: Path, visit: Visiting) -> None:
    page = visit(hostile, permissions=["clipboard-read", "clipboard-write"]).page
    rows = screen.copied(page, "differences", "CSV").splitlines()
    cells = [cell.strip('"') for row in rows[1:] for cell in row.split(",")]
    starts = {cell[0] for cell in cells if cell and not _number(cell)}
    assert not starts & set("=+-@")


def _number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True


def test_b122_a_saved_picture_has_a_plain_file_name(hostile: Path, visit: Visiting) -> None:
    page = visit(hostile).page
    section = page.locator("#pr")
    section.get_by_role("button", name="More about").click()
    with page.expect_download() as caught:
        section.get_by_role("menuitem", name="Save SVG").click()
    name = caught.value.suggested_filename
    assert name.endswith(".svg") and "/" not in name and ".." not in name
    written = Path(caught.value.path()).read_text("utf-8")
    assert "<script" not in written and "onload" not in written.replace("&lt;svg onload", "")
    assert "foreignObject" not in written and "href" not in written


def test_b123_no_request_leaves_and_the_policy_is_closed(hostile: Path, visit: Visiting) -> None:
    opened = visit(hostile)
    policy = opened.page.locator("meta[http-equiv='Content-Security-Policy']").get_attribute("content")
    assert policy.startswith("default-src 'none'")
    assert "unsafe" not in policy
    opened.page.evaluate("fetch('https://example.org/').catch(() => 0)")
    screen.wait_for(opened.page, "window.violations.length > 0")  # told of later than the page is refused
    screen.wait_until(opened.page, lambda: opened.errors, "the console says what the policy stops")
    assert opened.requests == [] or opened.violations(), "the policy stops what would leave"
    opened.requests.clear()
    opened.errors.clear()
    opened.page.evaluate("window.violations = []")


def test_without_javascript_the_report_reads(tmp_path: Path, visit: Visiting) -> None:
    path = tmp_path / "report.html"
    reports.three_models().save(str(path))
    page = visit(path, java_script_enabled=False).page
    assert page.locator("h1").inner_text().startswith("Recommended: ")
    for view in ("roc", "cases", "measures", "strip", "pr", "calibration", "decision", "differences"):
        section = page.locator(f"#{view}")
        assert section.locator("h2").inner_text()
        assert section.locator("svg, table").count() > 0, view
    assert page.locator("#roc svg path").count() > 3
    assert page.locator("input").count() == 0, "no control that does nothing"
