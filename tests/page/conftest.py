"""A real Chromium that opens reports from disk, and writes down every request, error and violation it sees."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
import reports
from firefox import Firefox
from screen import PATIENCE

CHROMIUM = ("chromium", "chromium-browser", "google-chrome-stable", "google-chrome")
LOCAL = ("file:", "data:", "blob:", "about:")
HERE = Path(__file__).parent

# Each violation of the page's security policy, kept where the test can read it.
WATCH = """
window.violations = [];
document.addEventListener('securitypolicyviolation', (event) => {
  window.violations.push(event.violatedDirective + ' ' + event.blockedURI);
});
"""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if HERE in Path(str(item.path)).parents:
            item.add_marker(pytest.mark.browser)


@dataclass
class Visit:
    """One open report: the page, and what it did that it should not."""

    page: Any
    requests: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)

    def violations(self) -> list[str]:
        return list(self.page.evaluate("window.violations || []"))

    def check(self) -> None:
        """No request left, no error, no violation."""
        assert self.requests == [], self.requests
        assert self.errors == [], self.errors
        assert self.violations() == []


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    api = pytest.importorskip("playwright.sync_api", reason="no browser: playwright is not installed")
    program = next(filter(None, map(shutil.which, CHROMIUM)), None)
    if program is None:
        pytest.skip("no browser: chromium is not installed")
    with api.sync_playwright() as playwright:
        arguments = ["--no-sandbox", "--disable-gpu"]
        started = playwright.chromium.launch(executable_path=program, args=arguments, timeout=4000 * PATIENCE)
        yield started
        started.close()


@pytest.fixture
def visit(browser: Any) -> Iterator[Callable[..., Visit]]:
    """Open a report from disk: visit(path, "m=1&fn=5", width=1280); each visit is checked when the test ends."""
    visits: list[tuple[Visit, bool]] = []
    contexts: list[Any] = []

    def go(
        path: Path, fragment: str = "", *, width: int = 1280, height: int = 900, checked: bool = True, **options: Any
    ) -> Visit:
        context = browser.new_context(viewport={"width": width, "height": height}, accept_downloads=True, **options)
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(1000 * PATIENCE)
        if options.get("java_script_enabled", True):
            page.add_init_script(WATCH)
        opened = Visit(page)
        visits.append((opened, checked and options.get("java_script_enabled", True)))
        page.on("request", lambda request: opened.requests.append(request.url) if not _local(request.url) else None)
        page.on("pageerror", lambda error: opened.errors.append(str(error)))
        page.on("console", lambda message: opened.errors.append(message.text) if message.type == "error" else None)
        page.goto(path.as_uri() + (f"#{fragment}" if fragment else ""))
        if options.get("java_script_enabled", True):
            page.locator("html[data-live]").wait_for(state="attached")
        return opened

    yield go
    try:
        for opened, wanted in visits:
            if wanted:
                opened.check()
    finally:
        for context in contexts:
            context.close()


@pytest.fixture(scope="session")
def firefox() -> Iterator[Firefox]:
    started = Firefox()
    yield started
    started.close()


@pytest.fixture
def anywhere(request: pytest.FixtureRequest) -> Callable[..., Any]:
    """Open a report in Chromium, or in Firefox with BROWSER=firefox; what comes back has `evaluate`."""
    if os.environ.get("BROWSER") == "firefox":
        opened: Callable[..., Any] = request.getfixturevalue("firefox").open
        return opened
    visit = request.getfixturevalue("visit")
    return lambda path, fragment="": visit(path, fragment).page


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where a module keeps its reports."""
    return tmp_path_factory.mktemp("reports")


@pytest.fixture(scope="module")
def three(folder: Path) -> Path:
    """The report on three models."""
    reports.three_models().save(str(folder / "three.html"))
    return folder / "three.html"


def _local(address: str) -> bool:
    return address.startswith(LOCAL)
