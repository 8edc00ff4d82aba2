"""The lesson in a class: its own numbers, a projector, guesses, a link to the state."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import screen

from rocscope.report import teaching


@pytest.fixture
def lesson(browser: Any, tmp_path: Path) -> Iterator[Any]:
    path = tmp_path / "lesson.html"
    path.write_text(teaching(), encoding="utf-8")
    page = browser.new_page(viewport={"width": 1024, "height": 768})
    page.set_default_timeout(1000 * screen.PATIENCE)
    page.goto(path.as_uri())
    yield page
    page.close()


def press(page: Any, name: str) -> None:
    page.get_by_role("button", name=name, exact=True).click()
    screen.settled(page)


def test_own_numbers_are_walked_and_kept_in_the_link(lesson: Any) -> None:
    lesson.get_by_text("Your own numbers").click()
    lesson.get_by_label("Your own scores and labels").fill("0.9 p\n0.8 n\n0.8 p\n0.1 n")
    press(lesson, "Use these")
    press(lesson, "Step on")
    press(lesson, "Step on")
    assert lesson.inner_text(".teach-card h2") == "A tie moves diagonally"
    flags = lesson.locator(".teach-flag").all_inner_texts()
    assert flags == ["1", "1", "1", "0"]  # what the threshold 0.8 predicts
    assert lesson.evaluate("location.hash") == "#list=0.9p,0.8n,0.8p,0.1n&step=2"
    lesson.reload()
    screen.wait_for(lesson, "document.querySelector('.teach-bar b')?.textContent === 'step 2 of 3'")
    lesson.get_by_text("Your own numbers").click()
    lesson.get_by_label("Your own scores and labels").fill("0.9 p\n0.8 maybe")
    press(lesson, "Use these")
    assert "Line 2" in lesson.inner_text(".teach-own [role=status]")


def test_the_projector_fits_the_screen_with_large_type(lesson: Any) -> None:
    press(lesson, "Projector")
    screen.wait_for(lesson, "document.documentElement.hasAttribute('data-projector')")
    press(lesson, "Last step")
    assert lesson.evaluate("document.documentElement.scrollHeight <= window.innerHeight")
    assert lesson.evaluate("parseFloat(getComputedStyle(document.querySelector('.teach-list td')).fontSize)") >= 17


def test_the_next_move_is_guessed_before_it_is_shown(lesson: Any) -> None:
    press(lesson, "Guess the next move")
    hidden = lesson.locator(".teach-list tr[data-row]").nth(3).locator("td").nth(1)
    assert hidden.evaluate("(one) => getComputedStyle(one).visibility") == "hidden"
    press(lesson, "↑ up")  # Fawcett's list begins with two positives
    press(lesson, "→ right")
    said = lesson.inner_text(".teach-guess [role=status]")
    assert said == "No: ↑ up. 1 of 2 right."


def test_hidden_answers_hide_the_title_of_the_card(lesson: Any) -> None:
    press(lesson, "Step on")
    press(lesson, "Hide answers")
    assert lesson.locator(".teach-card h2").evaluate("(one) => getComputedStyle(one).visibility") == "hidden"
