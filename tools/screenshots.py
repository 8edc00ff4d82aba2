"""Take the pictures of the report in docs/pictures, in a real browser:   python tools/screenshots.py [FOLDER]

Needs Chromium and the Python package playwright. The report is that of the demo's loans; the same file every time, so
a picture changes only when the page does.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
TARGET = ROOT / "docs" / "pictures"
CHROMIUM = ("chromium", "chromium-browser", "google-chrome-stable", "google-chrome")
PAPER = 698  # CSS pixels between the margins of A4


def report(folder: Path) -> Path:
    """The report of the demo's loans."""
    sys.path.insert(0, str(ROOT / "src"))
    from rocscope.cli.shared.demo_loans import MODELS, POSITIVE, loans
    from rocscope.decisions import Costs
    from rocscope.evaluation import compare

    labels, *scores = zip(*loans(), strict=True)
    models = dict(zip(MODELS, scores, strict=True))
    path = folder / "report.html"
    compare(labels, models, positive=POSITIVE, costs=Costs(fp=1, fn=5), unit="loan").save(str(path))
    return path


def shoot(browser: Any, address: str, target: Path, *, width: int, act: Callable[[Any], None], **look: Any) -> None:
    """Open the report, do something with it, and keep what is seen."""
    context = browser.new_context(viewport={"width": width, "height": 900}, **look)
    page = context.new_page()
    page.goto(address)
    act(page)
    page.wait_for_timeout(300)
    page.screenshot(path=str(target), full_page=True)
    context.close()


def still(page: Any) -> None:
    """As it opens."""


def by_hand(page: Any) -> None:
    """After the reader moved the threshold and turned the matrix."""
    page.get_by_role("textbox", name="Threshold, as text", exact=True).fill("0.5")
    page.keyboard.press("Enter")
    page.get_by_role("button", name="per 1,000").click()
    page.get_by_role("button", name="predicted", exact=True).click()
    page.locator("#measures").get_by_role("button", name="precision").first.click()


def all_open(page: Any) -> None:
    """With every curve open."""
    page.locator("#more summary").first.click()


def on_paper(page: Any) -> None:
    """As it is printed, without the breaks between pages."""
    page.emulate_media(media="print")
    page.evaluate("window.dispatchEvent(new Event('beforeprint'))")


def main(folder: Path) -> None:
    """Write report-*.png."""
    from playwright.sync_api import sync_playwright

    program = next(filter(None, map(shutil.which, CHROMIUM)), None)
    if program is None:
        raise SystemExit("no Chromium found: install Debian's package chromium")
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as made, sync_playwright() as playwright:
        address = report(Path(made)).as_uri()
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        shoot(browser, address, folder / "report-desktop.png", width=1280, act=still)
        shoot(browser, address, folder / "report-dark.png", width=1280, act=still, color_scheme="dark")
        shoot(browser, address, folder / "report-by-hand.png", width=1280, act=by_hand)
        shoot(browser, address, folder / "report-more.png", width=1280, act=all_open)
        shoot(browser, address, folder / "report-phone.png", width=380, act=still, is_mobile=True, has_touch=True)
        shoot(browser, address, folder / "report-print.png", width=PAPER, act=on_paper)
        browser.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else TARGET)
