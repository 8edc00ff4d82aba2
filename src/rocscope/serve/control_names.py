"""Library errors in the vocabulary of the page: a Python parameter becomes a control, or is omitted."""

from __future__ import annotations

import re

from rocscope.errors import RocscopeError

PHRASES: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"^positive=.*"), "Choose the positive label beside the file"),
    (re.compile(r"Give its encoding, for example encoding=.*"), "Save it in UTF-8, and drop it again"),
    (re.compile(r"Name one of them: sheet=.*"), "Save the intended sheet as a separate file"),
    (re.compile(r"Leave such rows out with missing=.*"), "Fill these values in, or take the rows out of the file"),
    (re.compile(r'\. Use infinite="ends" to rank .*'), ""),
    (re.compile(r"Give a larger --limit"), "Start the server with a larger --limit"),
)
"""Hints that are worded differently on the page."""

_ARGUMENT = re.compile(r"\b\w+=(?!=)|\w\(\.{0,3}\)|\b\w+\(\w+, ?\w+")
"""A parameter or a call, neither of which a user of the page can give."""


def with_controls(error: RocscopeError) -> RocscopeError:
    """The error in the page's vocabulary.

    >>> str(with_controls(RocscopeError("y has two labels no/yes; state which is positive", hint="positive='yes'")))
    'y has two labels no/yes; state which is positive. Choose the positive label beside the file'
    >>> str(with_controls(RocscopeError("no", hint="Raise budget=, or leave it out")))
    'no'
    """
    hint = error.hint
    for phrase, control in PHRASES:
        hint = phrase.sub(control, hint)
    return RocscopeError(error.message, hint="" if _ARGUMENT.search(hint) else hint)
