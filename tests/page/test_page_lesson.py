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
    lesson.get_by_text("Your own scores").click()
    lesson.get_by_label("Your own scores and labels").fill("0.9 p\n0.8 n\n0.8 p\n0.1 n")
    press(lesson, "Use these")
    press(lesson, "Step forward")
    press(lesson, "Step forward")
    assert lesson.inner_text(".teach-card h2") == "A tie moves diagonally"
    flags = lesson.locator(".teach-flag").all_inner_texts()
    assert flags == ["1", "1", "1", "0"]  # what the threshold 0.8 predicts
    assert lesson.evaluate("location.hash") == "#list=0.9p,0.8n,0.8p,0.1n&step=2"
    lesson.reload()
    screen.wait_for(lesson, "document.querySelector('.teach-bar b')?.textContent === 'step 2 of 3'")
    lesson.get_by_text("Your own scores").click()
    lesson.get_by_label("Your own scores and labels").fill("0.9 p\n0.8 maybe")
    press(lesson, "Use these")
    assert "Line 2" in lesson.inner_text(".teach-own [role=status]")


def test_the_projector_fits_the_screen_with_large_type(lesson: Any) -> None:
    press(lesson, "Projector")
    screen.wait_for(lesson, "document.documentElement.hasAttribute('data-projector')")
    for name in ["Step forward"] * 8 + ["Last step"]:
        press(lesson, name)
        root = "document.documentElement"
        assert lesson.evaluate(f"{root}.scrollHeight <= innerHeight && {root}.scrollWidth <= innerWidth"), name
        card = lesson.locator(".teach-card").bounding_box()
        assert card["y"] + card["height"] <= 768, lesson.inner_text(".teach-card")
        assert lesson.evaluate(
            "(({scrollHeight, clientHeight}) => scrollHeight <= clientHeight)(document.querySelector('.teach-words'))"
        )
    assert lesson.evaluate("parseFloat(getComputedStyle(document.querySelector('.teach-list td')).fontSize)") >= 17


def test_the_next_move_is_guessed_before_it_is_shown(lesson: Any) -> None:
    press(lesson, "Guess the next move")
    hidden = lesson.locator(".teach-list tr[data-row]").nth(3).locator("td").nth(1)
    assert hidden.evaluate("(one) => getComputedStyle(one).visibility") == "hidden"
    press(lesson, "↑ up")  # Fawcett's list begins with two positives
    press(lesson, "→ right")
    said = lesson.inner_text(".teach-guess [role=status]")
    assert said == "No: ↑ up. 1 of 2 correct."


def test_hidden_answers_hide_the_title_of_the_card(lesson: Any) -> None:
    press(lesson, "Step forward")
    press(lesson, "Hide answers")
    assert lesson.locator(".teach-card h2").evaluate("(one) => getComputedStyle(one).visibility") == "hidden"


def test_exercises_are_those_of_the_command_with_the_answer_hidden(lesson: Any) -> None:
    from rocscope.lessons import exercise

    box = lesson.locator("#exercises")
    box.get_by_role("combobox", name="Seed of the exercise").select_option("6")
    made = exercise(7)
    assert made.text in box.inner_text() and made.answers[0].text not in box.inner_text()
    box.get_by_role("button", name="Show the answer").click()
    assert made.answers[0].text in box.inner_text() and made.solution.splitlines()[0] in box.inner_text()
    press(lesson, "Step through this list")
    scores = lesson.locator(".teach-list tbody tr").count()
    assert scores == len(made.data["y"]) and "seed=7" in lesson.evaluate("location.hash")


def test_the_folds_of_a_plan_are_drawn_as_python_makes_them(lesson: Any) -> None:
    from rocscope import splits

    lesson.locator("#folds").get_by_role("button", name="5-fold", exact=True).click()
    pairs = splits.plan("5-fold", [k % 2 for k in range(20)], seed=0)
    assert (
        "5 models are trained; the first is trained on 16 cases and tested on 4; every case is tested once"
        in lesson.inner_text("#folds")
    )
    looks = lesson.locator("#folds rect").evaluate_all("(all) => all.map((one) => one.getAttribute('class'))")
    rows = [looks[20 * k : 20 * k + 20] for k in range(5)]
    assert [[k for k, look in enumerate(row) if look == "test"] for row in rows] == [p.test.tolist() for p in pairs]
    lesson.reload()
    pressed = lesson.locator("#folds button[aria-pressed=true]")
    assert pressed.inner_text() == "5-fold"


def test_a_shape_of_a_curve_says_what_it_means_once_answers_are_shown(lesson: Any) -> None:
    from rocscope.lessons import shape

    lesson.get_by_role("button", name="fairly poor").click()
    screen.settled(lesson)
    assert shape("fairly poor").says not in lesson.inner_text(".teach-card")
    lesson.locator(".teach-card").get_by_role("button", name="Show the answer").click()
    screen.settled(lesson)
    assert shape("fairly poor").says in lesson.inner_text(".teach-card")
    press(lesson, "Hide answers")
    said = lesson.locator(".teach-card p", has_text="near the diagonal")
    assert said.evaluate("(one) => getComputedStyle(one).visibility") == "hidden"
