"""What a test reads off the page, as a reader would."""

from __future__ import annotations

import re
import time
from typing import Any

CELLS = ("tp", "fp", "fn", "tn")
DATA = "JSON.parse(document.getElementById('rocscope-data').textContent)"


def settled(page: Any) -> None:
    """Wait until the views have drawn what was asked for: two frames."""
    page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")


def wait_for(page: Any, expression: str, seconds: float = 8.0) -> None:
    """Wait until an expression is true; the page's policy forbids the way Playwright would wait for one."""
    end = time.monotonic() + seconds
    while not page.evaluate(expression):
        assert time.monotonic() < end, f"never true: {expression}"
        page.wait_for_timeout(30)


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
    type_into(page, "Share of positives where it will be used, as text", value)


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


def pixel(page: Any, view: str, x: float, y: float) -> tuple[float, float]:
    """A place in a picture, given as shares of its frame, on the screen, which shows it then."""
    page.locator(f"#{view} .picture").first.evaluate("(node) => node.scrollIntoView({block: 'center'})")
    box = frame(page, view)
    corner = page.locator(f"#{view} .picture svg").first.bounding_box()
    return corner["x"] + box["left"] + x * box["width"], corner["y"] + box["top"] + (1 - y) * box["height"]


def drag(page: Any, start: tuple[float, float], end: tuple[float, float]) -> None:
    page.mouse.move(*start)
    page.mouse.down()
    page.mouse.move((start[0] + end[0]) / 2, (start[1] + end[1]) / 2, steps=3)
    page.mouse.move(*end, steps=3)
    settled(page)
    page.mouse.up()
    settled(page)


def centre(locator: Any) -> tuple[float, float]:
    box = locator.bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
