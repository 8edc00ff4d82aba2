"""Markup that data cannot break: plain text is always escaped on entry."""

from __future__ import annotations

import html as entities
import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from types import MappingProxyType
from typing import Any

from rocscope.report.sheet import escape
from rocscope.text import cut_name

LONGEST = 24  # maximum number of characters of a displayed name; cut in the middle, in full in its title
SENTENCE = 600  # maximum number of characters of a part of a sentence
TITLE = 400  # maximum number of characters of a title attribute; the embedded data contain the full text
VOID = frozenset({"meta", "col", "br", "link"})


class Markup(str):
    """Text that is already markup."""

    __slots__ = ()


def text(value: Any) -> Markup:
    """Data as text: harmful characters are made visible, then markup is escaped. All data pass through here.

    >>> text("<b>" + chr(0x202E))
    '&lt;b&gt;\\\\u202e'
    """
    return Markup(entities.escape(escape(str(value)), quote=True))


def tag(name: str, /, *children: Any, **attributes: Any) -> Markup:
    """An element; text among the children is escaped, None is left out, `class_` is the attribute class.

    >>> tag("p", "a < b", class_="x", data_m=1)
    '<p class="x" data-m="1">a &lt; b</p>'
    """
    given = "".join(_attribute(key, value) for key, value in attributes.items() if value is not None)
    if name in VOID:
        return Markup(f"<{name}{given}>")
    return Markup(f"<{name}{given}>{join(children)}</{name}>")


def _attribute(key: str, value: Any) -> str:
    name = key.rstrip("_").replace("_", "-") if key not in SVG_NAMES else SVG_NAMES[key]
    if value is True:
        return f" {name}"
    shown = number(value) if isinstance(value, float) else value
    return f' {name}="{shown if isinstance(shown, Markup) else text(shown)}"'


SVG_NAMES = {"viewBox": "viewBox", "preserveAspectRatio": "preserveAspectRatio"}


def join(children: Iterable[Any]) -> Markup:
    """Concatenate children: markup unchanged, text escaped, lists flattened, None omitted."""
    parts = []
    for child in children:
        if child is None:
            continue
        if isinstance(child, Markup):
            parts.append(child)
        elif isinstance(child, list | tuple):
            parts.append(join(child))
        else:
            parts.append(text(child))
    return Markup("".join(parts))


def number(value: float) -> str:
    """A number for a drawing, rounded to a hundredth of a pixel.

    >>> number(12.3456), number(3.0), number(-0.001)
    ('12.35', '3', '0')
    """
    shown = f"{value:.2f}".rstrip("0").rstrip(".")
    return "0" if shown == "-0" else shown


# ---- names and sentences ----


_ALIASES: ContextVar[Mapping[str, str]] = ContextVar("aliases", default=MappingProxyType({}))


@contextmanager
def aliases(known: Mapping[str, str]) -> Iterator[None]:
    """While a page is written, give distinct short aliases to long names that would look alike when truncated."""
    token = _ALIASES.set(known)
    try:
        yield
    finally:
        _ALIASES.reset(token)


def shortened(name: str, most: int = LONGEST) -> str:
    """A name truncated in the middle, or its alias if it could be confused with another.

    >>> shortened("a" * 30 + "z" * 30, 9)
    'aaaa…zzzz'
    """
    return cut_name(name if len(name) <= most else _ALIASES.get().get(name, name), most)


def called(name: str, slot: int | None = None, *, most: int = LONGEST) -> Markup:
    """A name in the color of its model, isolated from the direction of the surrounding text."""
    shown = shortened(name, most)
    title = None if shown == name else cut_name(name, TITLE)
    return tag("bdi", shown, class_="name" if slot is not None else None, data_m=slot, title=title)


def rich(pieces: Iterable[Any], slots: Mapping[str, int]) -> Markup:
    """A sentence made of pieces: text, strong parts, models in their colors."""
    return join(_piece(piece, slots) for piece in pieces)


def rich_lines(sentences: Iterable[Iterable[Any]], slots: Mapping[str, int]) -> Markup:
    """Several sentences."""
    return join([rich(sentence, slots), " "] for sentence in sentences)


def _piece(piece: Any, slots: Mapping[str, int]) -> Any:
    if isinstance(piece, Mapping):
        return tag("b", rich(piece["b"], slots)) if "b" in piece else called(piece["m"], slots.get(piece["m"], 0))
    return shortened(str(piece), SENTENCE)


# ---- data ----


def data(document: Mapping[str, Any]) -> Markup:
    """The results document as JSON inside a script element; its text cannot break out of the element.

    >>> data({"name": "</script>"})
    '{"name":"\\\\u003c/script\\\\u003e"}'
    """
    plain = json.dumps(document, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    for letter in "<>&":
        plain = plain.replace(letter, f"\\u{ord(letter):04x}")
    return Markup(plain)
