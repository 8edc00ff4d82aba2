"""Hooks of the documentation site (mkdocs.yml): the Python reference, formulas as MathML, links that leave docs/.

The pages of the Python reference are made when the site is built, from the public names and their docstrings.
Browsers draw MathML without a script, so that no page has to fetch one. Pages link to files of the repository that are
not part of the site, such as ../CONTRIBUTING.md; on the site these links are plain text, except for the JSON Schema of
the results document, which the site contains.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

import latex2mathml.converter
from mkdocs.structure.files import File

sys.path.insert(0, str(Path(__file__).parent))
import python_reference

FORMULA = re.compile(r"^\$\$ (.+) \$\$$", re.MULTILINE)
OUTSIDE = re.compile(r"\[([^\]]+)\]\((?:\.\./)+(?:[A-Z]{4}|(?:src|tests|benchmarks|tools)/)[^)]*\)")

SCHEMA = "src/rocscope/schema/rocscope-1.json"


def on_files(files: Any, config: Any) -> Any:
    """The files of the site with the pages of the Python reference and the JSON Schema."""
    schema = (Path(__file__).parents[1] / SCHEMA).read_text(encoding="utf-8")
    files.append(File.generated(config, f"reference/{Path(SCHEMA).name}", content=schema))
    for name, text in python_reference.pages().items():
        files.append(File.generated(config, f"reference/{name}", content=text))
    return files


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """The page with its formulas drawn and its links out of the site removed."""
    drawn = FORMULA.sub(lambda found: latex2mathml.converter.convert(found[1], display="block"), markdown)
    up = page.file.src_uri.count("/") + 1
    drawn = drawn.replace(f"({'../' * up}{SCHEMA})", f"({'../' * (up - 1)}reference/{Path(SCHEMA).name})")
    return OUTSIDE.sub(lambda found: found[1] if found[0].count("../") == up else found[0], drawn)
