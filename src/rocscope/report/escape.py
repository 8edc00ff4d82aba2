"""Letters that could do harm on a screen, made visible."""

from __future__ import annotations

_INVISIBLE = {"Cc", "Cf", "Cs", "Zl", "Zp"}  # control, bidi and zero width, lone surrogates, line separators


def escape(text: str) -> str:
    """Text with control, bidirectional and zero-width characters made visible, so that it can do no harm.

    >>> escape("abc" + chr(0x202E) + "def" + chr(10))
    'abc\\\\u202edef\\\\n'
    """
    if text.isprintable():
        return text
    from unicodedata import category

    return "".join(_visible(letter) if category(letter) in _INVISIBLE else letter for letter in text)


def _visible(letter: str) -> str:
    return letter.encode("unicode_escape").decode("ascii")
