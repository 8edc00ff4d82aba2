"""Text that flows by, cut into blocks at the ends of rows: those of lines inside a quoted field are none."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rocscope.sources.formats import BLOCK
from rocscope.sources.scanning import Checked, occurrences

Array = NDArray[Any]
_QUOTE, _ENDS = b'"', b"\r\n"
_MARK = b"\xef\xbb\xbf"


class Blocks:
    r"""The bytes of a text as blocks of whole rows, without a byte order mark; what is no text is refused on the way.

    `delimiter` says how fields are parted; None where no quote can hold the end of a line, as in JSON lines. `before`
    is the number of lines before the block that was taken last, `lines` that up to its end.

    >>> blocks = Blocks([b'y,note\n1,"a\nb"\n0,', b"c\n"], "scores.csv", size=10)
    >>> blocks.delimiter = ","
    >>> list(iter(blocks.take, b""))
    [b'y,note\n', b'1,"a\nb"\n', b'0,c\n']
    """

    def __init__(self, pieces: Iterable[bytes], source: str, *, size: int = BLOCK) -> None:
        self.size, self.delimiter, self.before, self.lines = size, None, 0, 0  # type: int, str | None, int, int
        self.ended = False
        self._pieces, self._check = iter(pieces), Checked(source)
        self._rest, self._begun = b"", False

    @property
    def waiting(self) -> bool:
        """Whether something has been read that was not taken."""
        return bool(self._rest)

    def peek(self) -> bytes:
        """The bytes of the next block and of what follows it, as far as they have been read."""
        self._fill(self.size)
        return self._rest

    def take(self) -> bytes:
        """The next block; b"" after the last one."""
        wanted = self.size
        while not (place := self._place(wanted)) and self._rest:
            wanted *= 2  # one row is longer than that
        block, self._rest = self._rest[:place], self._rest[place:]
        self.before, self.lines = self.lines, self.lines + line_ends(block)
        return block

    def _place(self, wanted: int) -> int:
        self._fill(wanted)
        if self.ended and len(self._rest) <= wanted:
            return len(self._rest)
        return cut(self._rest[:wanted], self.delimiter)

    def remaining(self) -> Iterator[bytes]:
        """All that was not taken, as it comes."""
        rest, self._rest = self._rest, b""
        yield rest
        for piece in self._pieces:
            self._check.take(piece)
            yield piece
        self._end()

    def _fill(self, wanted: int) -> None:
        held, size = [self._rest], len(self._rest)
        while size < wanted and not self.ended:
            piece = next(self._pieces, None)
            if piece is None:
                self._end()
                break
            self._check.take(piece)
            held.append(piece)
            size += len(piece)
        self._rest = held[0] if len(held) == 1 else b"".join(held)
        if not self._begun and (len(self._rest) >= len(_MARK) or self.ended):
            self._rest, self._begun = self._rest.removeprefix(_MARK), True

    def _end(self) -> None:
        if not self.ended:
            self._check.finish()
        self.ended = True


def line_ends(block: bytes) -> int:
    r"""How many lines end in a block, as editors count: at \n, \r\n and \r.

    >>> line_ends(b"a\r\nb\rc\n")
    3
    """
    found = occurrences(block, b"\n") if block else 0
    return found + block.count(b"\r") - block.count(b"\r\n") if b"\r" in block else found


def cut(data: bytes, delimiter: str | None) -> int:
    r"""Where the last row ends that is sure to be whole; 0 when none is. A \r at the very end may be half of an end.

    >>> cut(b'1,"a\nb"\n0,"c\nd', ",")
    8
    """
    end = _last_end(data, 0, len(data) - data.endswith(b"\r"))
    if not end or delimiter is None or _QUOTE not in data:
        return end
    quotes = _field_quotes(data, delimiter.encode())
    found = 0 if quotes is None else _outside(data, quotes)
    return found or _by_reading(data[:end], delimiter)


def _last_end(data: bytes, start: int, stop: int) -> int:
    """The place behind the last end of a line in a part of the data; 0 when there is none."""
    return max(data.rfind(letter, start, stop) for letter in (b"\n", b"\r")) + 1


def _field_quotes(data: bytes, delimiter: bytes) -> Array | None:
    """Where quotes stand that open and close in turn; None where one stands in the midst of a field.

    An opening one begins a field or doubles the one before it, a closing one ends a field or is doubled: where that is
    so throughout, the n-th quote opens when n is odd, as a reader going letter by letter would find.
    """
    letters = np.frombuffer(data, dtype=np.uint8)
    quotes = np.flatnonzero(letters == _QUOTE[0])
    beside = np.frombuffer(delimiter + _QUOTE + _ENDS, dtype=np.uint8)
    opening, closing = quotes[::2], quotes[1::2]
    opening, closing = opening[opening > 0], closing[closing < len(letters) - 1]
    fits = np.isin(letters[opening - 1], beside).all() and np.isin(letters[closing + 1], beside).all()
    return quotes if fits and len(delimiter) == 1 else None


def _outside(data: bytes, quotes: Array) -> int:
    """The place behind the last end of a line that is not between an opening and a closing quote."""
    stop, places = len(data) - data.endswith(b"\r"), quotes.tolist()
    if len(places) % 2:
        stop = places.pop()
    while places:
        if found := _last_end(data, places[-1] + 1, stop):
            return found
        places.pop()
        stop = places.pop()
    return _last_end(data, 0, stop)


def _by_reading(data: bytes, delimiter: str) -> int:
    """The same by reading the rows; of a row that cannot be read everything is given, so that it is refused there."""
    consumed = whole = 0

    def lines() -> Iterator[str]:
        nonlocal consumed
        for line in io.TextIOWrapper(io.BytesIO(data), encoding="utf-8", newline=""):
            consumed += len(line.encode())
            yield line

    try:
        for _ in csv.reader(lines(), delimiter=delimiter, strict=True):
            whole = consumed
    except csv.Error as error:
        return whole if whole or "unexpected end" in str(error) else len(data)
    return whole
