"""What a test reads off the page, as a reader would, once the page is done with what a hand asked for.

A click, a key and a typed text are over for Playwright when their handlers have run. The page draws in the next frame,
and what is off the screen soon after, which `settled` waits for. What comes later, such as the table of a fold, an
answer of the clipboard or of the server, has to be waited for by what it shows.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterable
from typing import Any

PATIENCE = 30.0  # seconds until something is taken to be missing: waiting costs nothing where it comes
CELLS = ("tp", "fp", "fn", "tn")
DATA = "JSON.parse(document.getElementById('rocscope-data').textContent)"


# Two frames, and more while views off the screen have still to be drawn.
DRAWN = """new Promise((done) => {
  const look = () => document.documentElement.hasAttribute('data-drawing') ? requestAnimationFrame(look) : done();
  requestAnimationFrame(() => requestAnimationFrame(look));
})"""


def settled(page: Any) -> None:
    """Wait until all views have drawn what was asked for. A fold that opens is not done by then."""
    page.evaluate(DRAWN)


def wait_for(page: Any, expression: str, seconds: float = PATIENCE) -> None:
    """Wait until an expression is true; the page's policy forbids the way Playwright would wait for one."""
    wait_until(page, lambda: page.evaluate(expression), expression, seconds)


def wait_until(page: Any, question: Callable[[], Any], what: str, seconds: float = PATIENCE) -> None:
    """Wait until a question has the answer yes."""
    end = time.monotonic() + seconds
    while not question():
        assert time.monotonic() < end, f"never true: {what}"
        page.wait_for_timeout(30)


def open_table(page: Any, view: str) -> Any:
    """Open the table behind a view; its rows. The browser tells the page of an open fold in its own time."""
    page.locator(f"#{view} .behind summary").click()
    page.locator(f"#{view} .behind table").wait_for()
    return page.locator(f"#{view} .behind tbody tr")


def open_more(page: Any) -> None:
    """Open the fold of more curves, which are drawn then."""
    page.locator("#more summary").first.click()
    page.locator("#more .charts svg").first.wait_for()
    settled(page)


def copied(page: Any, view: str, form: str) -> str:
    """Copy the table of a view by its menu; what the clipboard holds when the page says that it is done."""
    section = page.locator(f"#{view}")
    # the word goes after a moment, so it is caught as it comes
    section.locator(".menu .said").evaluate(
        """(node) => new MutationObserver(() => {
          if (node.textContent && node.checkVisibility({visibilityProperty: true})) window.said = node.textContent;
        }).observe(node, {childList: true, characterData: true, subtree: true})"""
    )
    section.get_by_role("button", name="More about").click()
    section.get_by_role("menuitem", name=f"Copy as {form}").click()
    wait_for(page, "window.said !== undefined")
    assert page.evaluate("window.said") == "Copied"
    return str(page.evaluate("navigator.clipboard.readText()"))


def number(text: str) -> float:
    """A number as the page writes it: thousands by comma, a real minus sign."""
    return float(text.replace(",", "").replace("−", "-").replace("%", "").replace("\u00a0", "").strip())


def decimals(text: str) -> int:
    return len(text.split(".")[1]) if "." in text else 0


def type_into(page: Any, label: str, value: str) -> None:
    """Type a value into a text field of the controls, as a hand would."""
    field = page.get_by_role("textbox", name=label, exact=True)
    field.fill(value)
    field.press("Enter")
    settled(page)


def set_threshold(page: Any, value: float) -> None:
    type_into(page, "Threshold, as text", str(value))


def set_ratio(page: Any, value: str) -> None:
    type_into(page, "What a miss costs, in false alarms, as text", value)


def set_prevalence(page: Any, value: str) -> None:
    type_into(page, "Prevalence where the model will be used, as text", value)


def matrix(page: Any) -> dict[str, float]:
    """The four cells as they stand in the table."""
    found = {}
    for box in page.locator("#cases table.matrix td:has(.kind)").all():
        kind = box.locator(".kind").inner_text().strip().lower()
        found[kind] = number(box.locator(".count").inner_text())
    return found


def flagged(page: Any) -> float:
    found = matrix(page)
    return found["tp"] + found["fp"]


def measures(page: Any) -> dict[str, tuple[str, str]]:
    """Each row of the measures: value and limits as written."""
    found = {}
    for row in page.locator("#measures table.measures tbody tr:has(td.value)").all():
        name = row.locator("th").inner_text().strip().lstrip("▸▾› ").strip()
        found[name] = (row.locator("td.value").inner_text().strip(), row.locator("td.interval").inner_text().strip())
    return found


def limits(text: str) -> tuple[str, str]:
    found = re.fullmatch(r"\[(.+), (.+)\]", text)
    assert found, text
    return found[1], found[2]


def frame(page: Any, view: str) -> dict[str, float]:
    """The frame of a picture in pixels: the box its clip path describes."""
    return dict(
        page.evaluate(
            """(view) => {
              const box = document.querySelector(`#${view} clipPath rect`);
              const of = (name) => Number(box.getAttribute(name));
              return {left: of('x'), top: of('y'), width: of('width'), height: of('height')};
            }""",
            view,
        )
    )


def point(page: Any, view: str) -> tuple[float, float]:
    """Where the operating point stands in a picture, as shares of its frame, from the lower left corner."""
    box = frame(page, view)
    dot = page.locator(f"#{view} .operating .point")
    x, y = float(dot.get_attribute("cx")), float(dot.get_attribute("cy"))
    return (x - box["left"]) / box["width"], 1 - (y - box["top"]) / box["height"]


def show(page: Any, view: str) -> None:
    """Bring the picture of a view to the middle of the screen."""
    page.locator(f"#{view} .picture").first.evaluate("(node) => node.scrollIntoView({block: 'center'})")
    settled(page)


def pixel(page: Any, view: str, x: float, y: float) -> tuple[float, float]:
    """Where on the screen a place in a picture is now, given as shares of its frame."""
    box = frame(page, view)
    corner = page.locator(f"#{view} .picture svg").first.bounding_box()
    return corner["x"] + box["left"] + x * box["width"], corner["y"] + box["top"] + (1 - y) * box["height"]


def drag(page: Any, grip: Any, end: Callable[[], tuple[float, float]]) -> None:
    """Drag a grip to where the end is; what a hand holds stays where it is, whatever is said above it."""
    held(page, grip, [end()])
    page.mouse.up()
    settled(page)


def held(page: Any, grip: Any, places: Iterable[tuple[float, float]], watch: Callable[[], Any] = lambda: None) -> list:
    """Take a grip from place to place without letting go; what a watch saw at each, once it was drawn."""
    at = centre(grip)
    page.mouse.move(*at)
    settled(page)
    page.mouse.down()
    seen = []
    for place in places:
        page.mouse.move((at[0] + place[0]) / 2, (at[1] + place[1]) / 2, steps=3)
        page.mouse.move(*place, steps=3)
        settled(page)
        seen.append(watch())
        at = place
    return seen


def centre(locator: Any) -> tuple[float, float]:
    box = locator.bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
