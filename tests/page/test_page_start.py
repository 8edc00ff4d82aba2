"""The start page of the server in a real browser: the link lets in, files and tables become answers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from nodes import axe
from screen import PATIENCE, drag, pixel, settled, show, wait_for, wait_until
from screen import matrix as screen_matrix
from serving import Server, serving

pytest.importorskip("starlette")
pytest.importorskip("uvicorn")

POINTS = "model   FPR   TPR\nC4.5    0.20  0.70\nSVM     0.50  0.95\nk-NN    0.30  0.72\nrules   0.10  0.40"
NASTY = "<img src=x onerror=alert(1)>"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with serving(tmp_path_factory.mktemp("start")) as made:
        yield made


@pytest.fixture
def start(browser: Any, server: Server) -> Iterator[Callable[..., Any]]:
    """Open the link in a browser of its own; no error on the console, no request to anywhere else."""
    contexts, wrong = [], []

    def go(**options: Any) -> Any:
        context = browser.new_context(viewport={"width": 1280, "height": 1000}, **options)
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(2000 * PATIENCE)  # the server computes, too
        page.on("console", lambda message: wrong.append(message.text) if _is_wrong(message) else None)
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on("request", lambda one: None if one.url.startswith((f"http://{server.host}/", "data:", "blob:"))
                else wrong.append(one.url))  # fmt: skip
        links = server.links()
        page.goto(links[-1])
        page.wait_for_selector("body[data-ready]")
        server.wait_for("#token=", times=len(links) + 1)
        return page

    yield go
    for context in contexts:
        context.close()
    assert wrong == []


def _is_wrong(message: Any) -> bool:
    """Browsers write a refusal (400) to the console; the page tells it to the user."""
    return message.type == "error" and "400 (Bad Request)" not in message.text


def predictions(folder: Path, name: str = "predictions.csv") -> Path:
    rows = [f"{i},{int(i % 4 == 0)},{(i * 37 % 100) / 100},{(i * 53 % 97) / 97:.3f},{'xy'[i % 2]}" for i in range(200)]
    rows[7] = rows[7].replace(rows[7].split(",")[2], "", 1)
    path = folder / name
    path.write_text(f"id,default,boosting,{NASTY},product\n" + "\n".join(rows))
    return path


def test_the_token_leaves_the_address_and_works_once(start: Callable[..., Any], server: Server, browser: Any) -> None:
    used = server.links()[-1]
    page = start()
    page.wait_for_url(f"http://{server.host}/")
    other = browser.new_context().new_page()
    other.set_default_timeout(2000 * PATIENCE)
    other.goto(used)
    other.wait_for_selector("#locked:not([hidden])")
    assert "Open the link that the terminal shows" in other.inner_text("#locked")
    other.context.close()


def test_a_file_becomes_chips_and_opens_only_when_asked(start: Callable[..., Any], tmp_path: Path) -> None:
    page = start()
    page.set_input_files("#files", str(predictions(tmp_path)))
    page.wait_for_selector(".card")
    assert page.url.endswith("/") and page.inner_text(".card .name") == "predictions.csv"
    pressed = page.locator(".card .chip[aria-pressed=true]").all_inner_texts()
    assert pressed == ["boosting", NASTY, "product"]
    assert "50 of 199" in page.inner_text(".card")
    assert page.inner_text("#left-out") == "1 row has no score of boosting: left out, and counted in the report."
    assert page.inner_text("#evaluate") == "Evaluate 2 models"
    page.get_by_role("button", name="boosting").click()
    wait_for(page, "document.getElementById('evaluate').textContent === 'Evaluate 1 model'")
    assert page.inner_text("#left-out") == "" and "50 of 200" in page.inner_text(".card")
    page.get_by_role("button", name="boosting").click()
    wait_for(page, "document.getElementById('evaluate').textContent === 'Evaluate 2 models'")
    page.fill("#cost", "5")
    with page.expect_navigation():
        page.click("#evaluate")
    assert "/report/" in page.url and "boosting" in page.inner_text("main")


def test_a_wrong_file_stays_in_its_door_with_a_hint(start: Callable[..., Any], tmp_path: Path) -> None:
    page = start()
    bad = tmp_path / "bad.csv"
    bad.write_text("y,p\n1,0.5\n0\n")
    page.set_input_files("#files", str(bad))
    page.wait_for_selector("#drop-problem:not([hidden])")
    assert "bad.csv" in page.inner_text("#drop-problem")


def test_a_file_dropped_again_is_not_evaluated_twice(start: Callable[..., Any], tmp_path: Path) -> None:
    page = start()
    path = str(predictions(tmp_path))
    for time in range(3):
        page.set_input_files("#files", path)
        page.wait_for_selector(".card" if time == 0 else "#drop-problem:not([hidden])")
    assert page.inner_text("#drop-problem") == "predictions.csv is already here."
    assert page.locator(".card").count() == 1 and page.inner_text("#evaluate") == "Evaluate 2 models"
    other = tmp_path / "other"
    other.mkdir()
    path = predictions(other)  # another file of the same name: its models are told apart
    path.write_text(path.read_text().replace(",0.37,", ",0.38,"))
    page.set_input_files("#files", str(path))
    page.locator(".card").nth(1).wait_for()
    page.locator(".card").first.get_by_role("button", name="row order").click()  # by id, every score must be there
    with page.expect_navigation():
        page.click("#evaluate")
    page.wait_for_selector("html[data-live]", state="attached")
    assert len(set(page.locator("#controls .model").all_inner_texts())) == 4


def test_a_pasted_table_is_recognised_and_shown(start: Callable[..., Any]) -> None:
    page = start()
    page.fill("#paste", POINTS)
    page.wait_for_selector("#paste-act:not([hidden])")
    assert page.inner_text("#found").startswith("Looks like ROC points, 4 classifiers, in rates.")
    page.click("#else")
    page.locator("#kinds .chip").first.wait_for()
    assert page.locator("#kinds .chip").count() == 8
    page.click("#else")
    with page.expect_navigation():
        page.click("#show")
    page.wait_for_selector("html[data-live]", state="attached")
    assert "k-NN: not the cheapest at any cost ratio" in page.inner_text("#verdict")
    facts = page.inner_text(".facts")
    assert "4 classifiers" in facts and "rates only, no counts" in facts and "cases" not in facts
    assert "Each model is a single point: there is no threshold to move." in page.inner_text("#controls")
    for gone in ("#thresholds", "#topk", "#pr", "#calibration", "#more", "#controls .rules", "#set-threshold"):
        assert page.locator(gone).count() == 0, gone
    assert "at 1" not in page.inner_text("#roc") and "corrected" not in page.inner_text("main")
    assert screen_matrix(page) == {"tp": 350, "fp": 100, "fn": 150, "tn": 400}  # C4.5 at (0.2, 0.7), as given
    assert page.inner_text("footer").startswith("Made from the pasted table.")
    assert "intervals 95" not in page.inner_text(".facts") and "[0." not in page.inner_text("main")


def test_what_a_pasted_table_does_not_say_is_asked_by_buttons(start: Callable[..., Any]) -> None:
    page = start()
    page.fill("#paste", "outcome score\na 0.9\na 0.8\nb 0.7\na 0.6\nb 0.2")
    page.locator("#asked button").first.wait_for()
    assert page.inner_text("#asked").split() == ["Which", "label", "is", "positive?", "a", "b"]
    assert not page.is_visible("#show")
    with page.expect_navigation():
        page.locator("#asked button").first.click()
    assert "3 a (60" in page.inner_text(".facts").replace("\u00a0", " ")


def test_the_cost_line_turns_c45_into_svm(start: Callable[..., Any]) -> None:
    page = start()
    with page.expect_navigation():
        page.click("text=C4.5 against SVM")
    assert " ".join(page.inner_text("main table").split()) == "classifier FPR TPR C4.5 0.2 0.7 SVM 0.5 0.95"
    with page.expect_navigation():
        page.click("text=Open as a report")
    page.wait_for_selector("html[data-live]", state="attached")
    assert page.inner_text("#headline") == "Recommended: C4.5."
    assert "1.2 false alarms" in page.inner_text("#verdict .next-steps")
    page.focus("#set-cost")
    for _ in range(200):
        if page.inner_text("#headline") != "Recommended: C4.5.":
            break
        page.keyboard.press("ArrowRight")
        settled(page)
    assert page.inner_text("#headline") == "Recommended: SVM."
    ratio = page.input_value(".control.cost .now input")
    assert 1.2 <= float(ratio.split(":")[1]) / float(ratio.split(":")[0]) < 2
    assert "[" not in page.inner_text(".costlist") and "[" not in page.inner_text("#measures table")


def test_the_cost_line_of_an_example_is_dragged(start: Callable[..., Any]) -> None:
    page = start()
    page.goto(f"{page.url}examples/c45-svm/report")
    page.wait_for_selector("html[data-live]", state="attached")
    show(page, "roc")
    grip = page.get_by_role("slider", name="line of equal cost")
    drag(page, grip.locator("circle").last, partial(pixel, page, "roc", 0.7, 1.0))  # flatter: a miss costs more
    assert page.inner_text("#headline") == "Recommended: SVM."


def test_files_are_joined_as_the_chips_say(start: Callable[..., Any], tmp_path: Path) -> None:
    page = start()
    page.set_input_files("#files", [str(predictions(tmp_path, name)) for name in ("one.csv", "two.csv")])
    page.locator(".card").nth(1).wait_for()
    joins = page.locator(".card .role", has_text="join by").locator(".chip[aria-pressed=true]")
    assert joins.all_inner_texts() == ["id", "id"]
    assert "remove the others" in page.inner_text("#validate-not")
    page.locator(".card").first.get_by_role("button", name="row order").click()
    wait_until(page, lambda: joins.all_inner_texts() == ["row order", "row order"], "both are joined by row order")
    with page.expect_navigation(), page.expect_request("**/evaluate") as sent:
        page.click("#evaluate")
    assert [one["join"] for one in sent.value.post_data_json["files"]] == [None, None]
    assert "/report/" in page.url


def test_what_cannot_be_evaluated_says_why(start: Callable[..., Any], tmp_path: Path) -> None:
    page = start()
    page.set_input_files("#files", str(predictions(tmp_path)))
    page.wait_for_selector(".card")
    for name in ("boosting", NASTY):
        page.get_by_role("button", name=name).click()
        page.wait_for_selector(f".chip[data-place$='score {name}'][aria-pressed=false]")
    assert not page.is_visible("#evaluate")
    assert page.inner_text("#stuck") == "predictions.csv: select at least one score."


def test_the_gallery_and_the_lesson_open(start: Callable[..., Any]) -> None:
    page = start()
    assert page.locator(".gallery li").count() == 8
    with page.expect_navigation():
        page.click("text=C4.5 against SVM")
    assert page.inner_text("h1")
    page.go_back()
    page.wait_for_selector("body[data-ready]")
    with page.expect_navigation():
        page.click("text=Learn ROC")
    assert page.title()


def first_held(page: Any, address: str) -> list[Any]:
    """The first request to an address, once it is sent: it waits for `continue_`, later ones go through."""
    held: list[Any] = []
    page.route(address, lambda route: route.continue_() if held else held.append(route))
    return held


def test_a_late_answer_to_an_older_text_is_not_shown(start: Callable[..., Any]) -> None:
    page = start()
    late = first_held(page, "**/recognise")
    page.fill("#paste", "7 7 3 13")
    wait_until(page, lambda: late, "the first text is asked about, and its answer waits")
    page.fill("#paste", POINTS)
    page.wait_for_selector("#paste-act:not([hidden])")
    shown = page.inner_text("#found")
    assert shown.startswith("Looks like ROC points")
    with page.expect_event("requestfinished", lambda request: request.url.endswith("/recognise")):
        late[0].continue_()
    settled(page)
    assert page.inner_text("#found") == shown


def test_of_two_quick_clicks_none_is_lost(start: Callable[..., Any], tmp_path: Path) -> None:
    page = start()
    page.set_input_files("#files", str(predictions(tmp_path)))
    page.wait_for_selector(".card")
    held = first_held(page, "**/files/*")
    page.get_by_role("button", name="boosting").click()
    page.locator(".chip[data-place$='slice null']").click()
    wait_until(page, lambda: held, "the first change is asked for")
    held[0].continue_()
    chips = page.locator(".card .chip[aria-pressed=true]")
    wait_until(page, lambda: chips.all_inner_texts() == [NASTY, "none"], "both changes are made")


def test_what_was_pressed_just_before_is_evaluated(start: Callable[..., Any], tmp_path: Path) -> None:
    page = start()
    page.set_input_files("#files", str(predictions(tmp_path)))
    page.wait_for_selector(".card")
    held = first_held(page, "**/files/*")
    page.get_by_role("button", name="boosting").click()
    page.click("#evaluate")
    wait_until(page, lambda: held, "the change is asked for")
    with page.expect_navigation(), page.expect_request("**/evaluate") as sent:
        held[0].continue_()
    assert [one["scores"] for one in sent.value.post_data_json["files"]] == [[NASTY]]


@pytest.mark.parametrize("width", [1280, 900, 380])
def test_nothing_is_cut_off_at_any_width(start: Callable[..., Any], tmp_path: Path, width: int) -> None:
    page = start(color_scheme="dark")
    page.set_viewport_size({"width": width, "height": 900})
    wait_for(page, f"innerWidth === {width}")
    page.set_input_files("#files", str(predictions(tmp_path, "a" * 60 + ".csv")))
    page.wait_for_selector(".card")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_serious(start: Callable[..., Any], tmp_path: Path, scheme: str) -> None:
    page = start(color_scheme=scheme, bypass_csp=True)
    page.set_input_files("#files", str(predictions(tmp_path)))
    page.wait_for_selector(".card")
    page.fill("#paste", POINTS)
    page.wait_for_selector("#paste-act:not([hidden])")
    page.click("#else")
    page.click("#validate summary")
    page.add_script_tag(path=str(axe()))
    found = page.evaluate("axe.run(document, {resultTypes: ['violations']})")
    serious = [(one["id"], one["nodes"][0]["html"][:200]) for one in found["violations"]
               if one["impact"] in ("serious", "critical")]  # fmt: skip
    assert serious == []


def test_the_keyboard_alone_reaches_the_answer(start: Callable[..., Any]) -> None:
    page = start()
    page.focus("#choose")
    page.keyboard.press("Tab")
    page.clock.install(time=0)
    page.clock.pause_at(60)  # the page asks the server when the hand rests: however slow it types, it rests once
    page.keyboard.type("7 7 3 13")
    page.clock.resume()
    page.wait_for_selector("#paste-act:not([hidden])")
    page.keyboard.press("Tab")
    with page.expect_navigation():
        page.keyboard.press("Enter")
    assert "/report/" in page.url
