"""Generated pages are up to date, and every page that is linked exists."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])


def test_the_reference_is_what_the_declarations_say() -> None:
    sys.path.insert(0, str(ROOT / "tools"))
    try:
        import docs
    finally:
        sys.path.remove(str(ROOT / "tools"))
    stale = [name for name, text in docs.pages().items() if (docs.REFERENCE / name).read_text("utf-8") != text]
    assert stale == [], "run: make docs"


MADE = ("reference/python/",)  # pages made when the site is built; tests/test_site.py checks links to them


@pytest.mark.parametrize("page", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    links = re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", page.read_text("utf-8"))
    inside = [link for link in links if "://" not in link and not any(made in link for made in MADE)]
    missing = [link for link in inside if not (page.parent / link).exists()]
    assert missing == []


SHOWN = [page for page in PAGES if not {"reference", "decisions"} & set(page.parts)]


def test_every_page_with_code_is_run() -> None:
    """Sessions and consoles by tests/test_cli_words.py; blocks that show no output by tests/test_page_scripts.py."""
    sys.path.insert(0, str(ROOT / "tools"))
    try:
        import consoles
    finally:
        sys.path.remove(str(ROOT / "tools"))
    coded = {page for page in SHOWN if re.search(r"^```(console|python)$", page.read_text("utf-8"), re.MULTILINE)}
    assert coded <= set(consoles.PAGES)


def test_every_figure_is_drawn_kept_and_shown() -> None:
    pytest.importorskip("matplotlib")
    sys.path.insert(0, str(ROOT / "tools"))
    try:
        import figures
    finally:
        sys.path.remove(str(ROOT / "tools"))
    shown = " ".join(page.read_text("utf-8") for page in SHOWN)
    for name in figures.FIGURES:
        assert (figures.FOLDER / f"{name}.svg").is_file() and f"img/{name}.svg)" in shown
        assert figures.drawn(name).axes
