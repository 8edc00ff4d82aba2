"""One look at every byte of a text file: is it text at all, and may it be read the quick way?"""

from __future__ import annotations

import codecs
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import IO

import numpy as np

from rocscope.errors import RocscopeError

BLOCK = 2**20
LONGEST_LINE = 2**24  # bytes: a longer line is no row of a table, and would fill the memory


@dataclass(frozen=True, slots=True)
class Facts:
    """What the bytes of a text file say before it is parsed."""

    bytes: int
    lines: int
    """Lines as an editor counts them."""
    delimiters: int
    quotes: bool
    odd_ends: bool
    """Whether a line ends with a carriage return alone, or lines end in different ways."""
    odd_numbers: bool
    """Whether 1_000 or +-1 may occur, which DuckDB takes for numbers."""


def blocks(file: IO[bytes]) -> Iterator[bytes]:
    """The bytes of a file in pieces."""
    while block := file.read(BLOCK):
        yield block


def scan(
    pieces: Iterable[bytes],
    source: str,
    *,
    delimiter: bytes = b",",
    header: int = 0,
    progress: Callable[[int], None] | None = None,
) -> Facts:
    """The facts of a text file; refused when it holds a NUL, is not UTF-8, or has a line without end.

    `header` bytes at the start are not looked at for odd numbers: names may hold what numbers may not.

    >>> scan([b"y,score\\n1,0.5\\n"], "scores.csv").lines
    2
    """
    check, look = Checked(source), _Look(delimiter, header)
    for block in pieces:
        check.take(block)
        look.take(block)
        if progress is not None:
            progress(check.bytes)
    check.finish()
    return look.facts(check)


class Checked:
    """Refuses bytes that are not UTF-8 text in lines, with their place."""

    def __init__(self, source: str) -> None:
        self.source, self.bytes, self.newlines = source, 0, 0
        self._since_end = 0
        self._decoder = codecs.getincrementaldecoder("utf-8")()

    def take(self, block: bytes) -> None:
        """Look at the next bytes."""
        if (nul := block.find(b"\0")) >= 0:
            raise not_text(self.source, self.bytes + nul)
        if not block.isascii() or self._decoder.getstate()[0]:
            self._decode(block)
        self._lengths(block)
        self.newlines += occurrences(block, b"\n")
        self.bytes += len(block)

    def finish(self) -> None:
        """Refuse a letter that is cut off at the end."""
        self._decode(b"", final=True)

    def _decode(self, block: bytes, *, final: bool = False) -> None:
        pending = len(self._decoder.getstate()[0])
        try:
            self._decoder.decode(block, final)
        except UnicodeDecodeError as error:
            line = self.newlines + 1 + error.object[: error.start].count(b"\n")
            place = self.bytes - pending + error.start
            raise not_utf8(self.source, place, line, error.object[error.start]) from None

    def _lengths(self, block: bytes) -> None:
        line, alone = block.find(b"\n"), block.find(b"\r")
        first = min((place for place in (line, alone) if place >= 0), default=len(block))
        if self._since_end + first > LONGEST_LINE:
            raise endless(self.source, self.newlines + 1)
        last = max(block.rfind(b"\n"), block.rfind(b"\r") if alone >= 0 else -1)
        self._since_end = len(block) - last - 1 if last >= 0 else self._since_end + len(block)


class _Look:
    """Counts what decides whether a file may be read the quick way."""

    def __init__(self, delimiter: bytes, header: int) -> None:
        self.delimiter, self.header = delimiter, header
        self.delimiters = self.pairs = self.returns = 0
        self.quotes = self.numbers = False
        self.last = b""

    def take(self, block: bytes) -> None:
        self.delimiters += occurrences(block, self.delimiter)
        self.quotes = self.quotes or b'"' in block
        if b"\r" in block or self.last == b"\r":
            self.returns += occurrences(block, b"\r")
            self.pairs += (self.last + block).count(b"\r\n")
        if not self.numbers:
            body = self.last + block[self.header :] if self.header or self.last == b"+" else block
            self.numbers = b"_" in body or (b"+" in body and b"+-" in body)
        self.header = max(0, self.header - len(block))
        self.last = block[-1:]

    def facts(self, check: Checked) -> Facts:
        ended = self.last in (b"\n", b"\r", b"")
        alone = self.returns - self.pairs
        return Facts(
            bytes=check.bytes,
            lines=check.newlines + (0 if ended else 1),
            delimiters=self.delimiters,
            quotes=self.quotes,
            odd_ends=alone > 0 or (self.pairs > 0 and self.pairs != check.newlines),
            odd_numbers=self.numbers,
        )


def occurrences(block: bytes, letter: bytes) -> int:
    """How often one byte occurs: NumPy counts several times faster than `bytes.count` where it occurs often.

    >>> occurrences(b"a,b,c", b",")
    2
    """
    return int(np.count_nonzero(np.frombuffer(block, dtype=np.uint8) == letter[0]))


def has_odd_fields(pieces: Iterable[bytes], delimiter: bytes, *, quotes: bool) -> bool:
    """Whether a quote stands beside a blank, empty fields end a line, or (with quotes) a line is blank.

    There DuckDB and Python's reader differ, or only the latter can tell how many lines are blank.
    """
    patterns = [2 * delimiter + b"\n", 2 * delimiter + b"\r"]
    if quotes:
        after = b'""' + delimiter
        patterns += [b' "', b'" ', b'\t"', b'"\t', b'""\n', b'""\r', after + b"\n", after + b"\r", delimiter + after]
        patterns += [b"\n\n", b"\n\r"]
    tail = b""
    for block in pieces:
        seen = tail + block
        if any(pattern in seen for pattern in patterns):
            return True
        tail = seen[-3:]
    return not tail.endswith((b"\n", b"\r")) and any(pattern in tail + b"\n" for pattern in patterns)


def endless(source: str, line: int) -> RocscopeError:
    """The refusal of a line that does not end."""
    hint = "A row of a table ends with a line end; is this a table?"
    return RocscopeError(f"{source}, line {line} is longer than {LONGEST_LINE // 2**20} MiB", hint=hint)


def not_text(source: str, place: int) -> RocscopeError:
    """The refusal of bytes that no text holds."""
    hint = "CSV and JSON lines are text, in UTF-8; for another encoding say --encoding"
    return RocscopeError(f"{source} is not text: byte {place} is NUL", hint=hint)


def not_utf8(source: str, place: int, line: int, byte: int) -> RocscopeError:
    """The refusal of bytes in another encoding."""
    found = f"byte {place}, on line {line}, is 0x{byte:02x}"
    return RocscopeError(f"{source} is not UTF-8: {found}", hint="Say its encoding: --encoding latin-1, for example")
