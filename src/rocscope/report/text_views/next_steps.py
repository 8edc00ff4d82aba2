"""The lines that close an answer: what could mislead, and what to ask next."""

from __future__ import annotations

from collections.abc import Sequence

from rocscope.report.sheet import Block, Line, Paragraph, Piece, alarm, quiet, strong
from rocscope.text import shorten

LONGEST = 400  # letters of a sentence: labels stand in some of them, and a label may be of any length


def remarks(sentences: Sequence[str | Line]) -> list[Block]:
    """Sentences with a `!` before each, or nothing."""
    lines: list[list[str | Piece]] = [
        [alarm("! "), shorten(one, LONGEST)] if isinstance(one, str) else [alarm("! "), *one] for one in sentences
    ]
    return [Paragraph.of(*lines, hang=2)] if lines else []


def next_steps(steps: Sequence[tuple[str, str]]) -> list[Block]:
    """Useful commands, each with what it gives."""
    lines = [
        [quiet("next  " if index == 0 else "      "), strong(command), quiet(f"  {gives}" if gives else "")]
        for index, (command, gives) in enumerate(steps)
    ]
    return [Paragraph.of(*lines, hang=8)] if lines else []
