"""B114 to B124 of the list of bad inputs: names that mean harm, through the command, the report and the page."""

from __future__ import annotations

import csv
import io
import json
import re
import sys
from collections.abc import Callable
from html import unescape
from html.parser import HTMLParser
from pathlib import Path

import pytest
from in_process_page import Page
from unpacked import held_in

sys.path.append(str(Path(__file__).parents[1] / "page"))
from reports import HOSTILE

Ask = Callable[..., tuple[int, str, str]]
NAMES = {**HOSTILE, "B119": "x" * 100_000, "B123": "http://example.org/x.png"}


def table(name: str) -> str:
    """Six cases whose positive label and score column have the name."""
    sink = io.StringIO()
    rows = [("y", name), *((name if y else "no", p) for y, p in ((1, 0.9), (0, 0.4), (1, 0.3), (0, 0.1)))]
    csv.writer(sink).writerows(rows)
    return sink.getvalue()


class Attributes(HTMLParser):
    """The names of all attributes of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.found: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found |= {name for name, _ in attrs}


def harmless(html: str, name: str) -> None:
    """Nothing in the page acts, asks for anything, or turns letters round; its data hold the name as it is."""
    assert html.lower().count("<script") == 2 and ("<" not in name or name not in html)
    attributes = Attributes()
    attributes.feed(html)
    assert not [found for found in attributes.found if found.startswith("on")]
    assert not re.search(r"""(?:src|href)=["']?(?:https?:|javascript:)""", html)
    assert "default-src 'none'" in unescape(html)
    for letter in "\u202e\u200b\x07\x1b":
        assert letter not in html
    assert json.dumps(name) in json.dumps(held_in(html))


def test_b114_b115_b116_b117_b118_b119_b120_b121_b122_b123_b124_names_are_inert_everywhere(
    run: Ask, tmp_path: Path
) -> None:
    (tmp_path / "page").mkdir()
    page = Page(tmp_path / "page")
    for number, name in NAMES.items():
        Path("n.csv").write_text(table(name), encoding="utf-8", newline="")
        chosen = ("--label", "y", f"--score={name}", f"--positive={name}")
        for form in ("text", "md", "csv", "latex"):
            code, out, err = run("evaluate", "n.csv", *chosen, "--format", form)
            assert code == 0, (number, err)
            if form != "csv":  # which is data, and keeps every letter where it goes to a file
                assert not set("\u202e\u200b\x07\x1b") & set(out), (number, form)
            else:
                assert not re.search(r"(?m)(?:^|,)\"?[=@]", out), number
        assert run("evaluate", "n.csv", *chosen, "--html", "n.html", "--force")[0] == 0
        harmless(Path("n.html").read_text("utf-8"), name)
        card = page.ask("POST", "/files?name=n.csv", table(name).encode())[1]
        asked = {"files": [{"id": card["id"], "label": "y", "scores": [name[:1000]], "positive": name[:1000]}]}
        status, found = page.ask("POST", "/evaluate", asked)
        if len(name) > 1000:
            assert status == 400
            continue
        harmless(page.ask("GET", f"/report/{found['report']}")[1], name)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["n.csv", "n.html", "page"]


@pytest.mark.parametrize("name", ["../../etc/x", "/etc/passwd", "..\\x"])
def test_b122_a_name_is_never_a_path(run: Ask, tmp_path: Path, name: str) -> None:
    Path("n.csv").write_text(table(name), encoding="utf-8", newline="")
    chosen = ("--label", "y", f"--score={name}", f"--positive={name}")
    code, _, err = run("evaluate", "n.csv", *chosen, "--html", "out.html")
    assert code == 0, err
    assert sorted(path.name for path in tmp_path.iterdir()) == ["n.csv", "out.html"]
