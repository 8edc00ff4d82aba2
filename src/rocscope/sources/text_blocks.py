"""A text file in blocks of whole lines, every byte checked: UTF-8, no NUL, no line longer than the limit."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from rocscope.errors import RocscopeError

BLOCK = 2**20
LONGEST_LINE = 2**24  # maximum length of a line in bytes; a longer one is not a table row and would fill the memory


class Block(NamedTuple):
    """Some lines of a file: their bytes, where these begin, and how many lines precede them."""

    data: bytes
    start: int
    before: int
    lines: int


def blocks(path: str, name: str, *, start: int = 0, before: int = 0, size: int | None = None) -> Iterator[Block]:
    """The lines of a file from a byte on, each block ending with a line end (the last one perhaps without).

    Lines end with a line feed. A block that contains a lone carriage return need not end with a line end. NUL bytes,
    bytes that are not UTF-8, and lines of more than 16 MiB are refused, with their location.
    """
    rest = b""
    with open(path, "rb", buffering=0) as file:
        file.seek(start)
        while True:
            piece = file.read(size or BLOCK)
            cut = piece.rfind(b"\n") + 1 if b"\n" in piece else len(piece) if b"\r" in piece else 0
            if piece and not cut:
                rest += piece
                if len(rest) > LONGEST_LINE:
                    raise endless(name, before + 1)
                continue
            data, rest = _whole_letters(rest + piece[:cut], piece[cut:], last=not piece)
            if data:
                block = Block(data, start, before, occurrences(data, b"\n"))
                _check(block, name)
                yield block
                start, before = start + len(data), before + block.lines
            if not piece:
                return


def _whole_letters(data: bytes, rest: bytes, *, last: bool) -> tuple[bytes, bytes]:
    """The bytes without an incomplete character at their end, which can occur only without a line feed."""
    if last or data.endswith(b"\n"):
        return data, rest
    for cut in range(1, min(4, len(data) + 1)):
        first = data[-cut]
        if first >= 0xC0:  # first byte of a multibyte character
            whole = cut >= (2 if first < 0xE0 else 3 if first < 0xF0 else 4)
            return (data, rest) if whole else (data[:-cut], data[-cut:] + rest)
    return data, rest


def _check(block: Block, name: str) -> None:
    if (nul := block.data.find(b"\0")) >= 0:
        raise not_text(name, block.start + nul)
    if block.data.isascii():
        return
    try:
        block.data.decode()
    except UnicodeDecodeError as error:
        line = block.before + 1 + block.data.count(b"\n", 0, error.start)
        raise not_utf8(name, block.start + error.start, line, block.data[error.start]) from None


def check(path: str, name: str, *, start: int = 0, before: int = 0) -> None:
    """Raise an error for a file that is not text from some byte on."""
    for _ in blocks(path, name, start=start, before=before):
        pass


def occurrences(block: bytes, letter: bytes) -> int:
    """Count one byte: NumPy is several times faster than `bytes.count` if it occurs often.

    >>> occurrences(b"a,b,c", b",")
    2
    """
    return int(np.count_nonzero(np.frombuffer(block, dtype=np.uint8) == letter[0]))


# --- error messages


def endless(source: str, line: int) -> RocscopeError:
    """Create the error for a line that exceeds the limit."""
    hint = "Each row of a table must end with a line break; check that the file is a table"
    return RocscopeError(f"{source}, line {line} is longer than {LONGEST_LINE // 2**20} MiB", hint=hint)


def not_text(source: str, offset: int) -> RocscopeError:
    """Create the error for bytes that do not occur in text."""
    hint = 'CSV and JSON lines must be UTF-8 text; for another encoding, give, for example, encoding="latin-1"'
    return RocscopeError(f"{source} is not text: byte {offset} is NUL", hint=hint)


def not_utf8(source: str, offset: int, line: int, byte: int) -> RocscopeError:
    """Create the error for bytes in another encoding."""
    where = f"byte {offset}, on line {line}, is 0x{byte:02x}"
    return RocscopeError(f"{source} is not UTF-8: {where}", hint='Give its encoding, for example encoding="latin-1"')
