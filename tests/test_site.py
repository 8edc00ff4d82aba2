"""The documentation site: it builds, every link leads somewhere, nothing is fetched, and every public name is on it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
from html.parser import HTMLParser
from pathlib import Path

import pytest
import site_search

pytest.importorskip("mkdocs")
pytest.importorskip("mkdocstrings")

ROOT = Path(__file__).parent.parent
TASKS = tomllib.loads((Path(__file__).parent / "newcomer_tasks.toml").read_text("utf-8"))["task"]
FETCHED = {"script": "src", "link": "href", "img": "src", "iframe": "src", "source": "src", "video": "src"}


class Resources(HTMLParser):
    """What a page asks a browser to load."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        wanted = dict(attributes).get(FETCHED.get(tag, ""))
        if wanted and not (tag == "link" and dict(attributes).get("rel") == "canonical"):
            self.found.append(wanted)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site as `make site` builds it; mkdocs.yml is strict, so a broken link or a missing page fails here."""
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--quiet", "--site-dir", str(folder)]
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1", "PYTHONPATH": str(ROOT / "src")}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return folder


def test_nothing_is_fetched_from_a_network(site: Path) -> None:
    for page in site.rglob("*.html"):
        parser = Resources()
        parser.feed(page.read_text("utf-8"))
        assert [found for found in parser.found if re.match(r"(https?:)?//", found)] == [], page.name


def test_the_schema_of_the_results_document_can_be_opened(site: Path) -> None:
    assert 'href="reference/rocscope-1.json"' in (site / "document.html").read_text("utf-8")
    shipped = ROOT / "src" / "rocscope" / "schema" / "rocscope-1.json"
    assert (site / "reference" / "rocscope-1.json").read_bytes() == shipped.read_bytes()


def test_every_public_name_is_in_the_reference(site: Path) -> None:
    sys.path.insert(0, str(ROOT / "tools"))
    try:
        import python_reference
    finally:
        sys.path.remove(str(ROOT / "tools"))
    import importlib

    for package in python_reference.PACKAGES:
        page = (site / "reference" / "python" / f"{package}.html").read_text("utf-8")
        names = python_reference.public_names(importlib.import_module(f"rocscope.{package}"))
        missing = [name for name in names if f"{package}.{name}" not in page]
        assert missing == [], package


def test_the_search_of_the_site_finds_what_newcomers_look_for(site: Path) -> None:
    index = site_search.sections(site)
    assert len(TASKS) == 30
    lost = {
        task["ask"]: found
        for task in TASKS
        if not set(found := site_search.found(index, task["ask"])) & set(task["pages"])
    }
    assert lost == {}  # better titles, or the words that people use, on the page that has the answer


def test_formulas_are_drawn_without_a_script(site: Path) -> None:
    page = (site / "reference" / "measures.html").read_text("utf-8")
    assert page.count("<math") > 100
    assert "$$" not in page


def test_public_names_have_examples_that_run() -> None:
    pytest.importorskip("matplotlib")
    sys.path.insert(0, str(ROOT / "tools"))
    try:
        import python_reference
    finally:
        sys.path.remove(str(ROOT / "tools"))
    import importlib
    import inspect

    known = {
        f"{package}.{name}": getattr(module, name)
        for package in python_reference.PACKAGES
        for module in [importlib.import_module(f"rocscope.{package}")]
        for name in python_reference.public_names(module)
    }
    assert set(python_reference.examples()) <= set(known)
    bare = [
        name
        for name, value in known.items()
        if ">>>" not in (inspect.getdoc(value) or "") and not python_reference.example(name, value)
    ]
    assert bare == []  # write an example into the docstring or into tools/examples.toml
