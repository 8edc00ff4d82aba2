"""The report as one HTML file: the answer in words, pictures and tables that need no script, and a page that moves.

Everything is in the file: style, script and data. A policy in its head forbids any request. Without JavaScript the
drawings and tables of the saved state stand; with it the page takes over the same places.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

Document = Mapping[str, Any]

__all__ = ["html"]


def html(document: Document, *, compact: bool = False) -> str:
    """The document, made with `to_dict(drawing=True)`, as one self-contained HTML file.

    >>> from rocscope import evaluate
    >>> page = html(evaluate([1, 1, 0, 1, 0, 0], [0.9, 0.8, 0.7, 0.6, 0.4, 0.3]).to_dict(drawing=True))
    >>> page.startswith("<!doctype html>"), "Content-Security-Policy" in page
    (True, True)
    """
    from rocscope.errors import RocscopeError
    from rocscope.report.html import binary, html_page
    from rocscope.report.html.state import Page
    from rocscope.report.html.views import classes, validation
    from rocscope.report.html.views.verdict import stamp

    if "drawing" not in document:
        raise RocscopeError("this document has no drawing", hint="Pass what to_dict(drawing=True) gives")
    page = Page(document)
    kind, title = document["kind"], str(page.drawing["title"])
    if kind == "classes":
        body = classes.body(page)
    elif kind == "validation":
        body = validation.body(page)
    else:
        body = binary.body(page, compact=compact)
    return html_page.file(document, body, title=title, stamp=stamp(page), compact=compact)
