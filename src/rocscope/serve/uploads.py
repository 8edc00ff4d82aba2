"""Request bodies: streamed to disk or read if small, with limits on size and speed."""

from __future__ import annotations

import asyncio
import json
import shutil
from collections.abc import AsyncIterator
from pathlib import Path
from time import monotonic
from typing import Any

from starlette.requests import ClientDisconnect, Request

from rocscope.errors import RocscopeError

LIMIT = 512 * 2**20
SMALL = 4 * 2**20  # maximum size in bytes of a pasted table or a JSON request
UNPACKED = 2  # maximum size of a decompressed file, as a multiple of the upload limit
SPARE = 64 * 2**20  # free disk space to preserve, in bytes
PAUSE = 20.0  # timeout in seconds between two chunks
SLOWEST = 2048  # minimum transfer rate in bytes per second, enforced after one minute


class Refused(Exception):
    """A rejected body: the status of the response, and the reason."""

    def __init__(self, status: int, why: str) -> None:
        super().__init__(why)
        self.status, self.why = status, why


def size_text(size: int) -> str:
    """A number of bytes as people write it.

    >>> size_text(512 * 2**20), size_text(421_888), size_text(900)
    ('512 MB', '412 KB', '900 bytes')
    """
    for unit, name in ((2**30, "GB"), (2**20, "MB"), (2**10, "KB")):
        if size >= unit:
            shown = f"{size / unit:.1f}".removesuffix(".0")
            return f"{shown if size < 10 * unit else f'{size / unit:.0f}'} {name}"
    return f"{size} byte{'' if size == 1 else 's'}"


def shown_name(name: str) -> str:
    """The displayed name of a file: its last part, without control characters, truncated."""
    last = name.replace("\\", "/").rsplit("/", 1)[-1]
    kept = "".join(letter for letter in last if letter.isprintable()).strip()
    return kept[:80] or "the file"


async def chunks(request: Request, limit: int) -> AsyncIterator[bytes]:
    """Yield the body in pieces; an error as soon as it exceeds the limit, stops or is too slow."""
    stated = request.headers.get("content-length", "")
    if stated and (not stated.isdigit() or len(stated) > 18):
        raise Refused(400, "Content-Length is not a number")
    if stated and int(stated) > limit:
        raise Refused(413, f"larger than {size_text(limit)}")
    stream, start, seen = request.stream(), monotonic(), 0
    while True:
        try:
            piece = await asyncio.wait_for(anext(stream), PAUSE)
        except StopAsyncIteration:
            break
        except TimeoutError:
            raise Refused(408, "no data arrived within the time limit") from None
        except ClientDisconnect:
            raise Refused(400, "the connection ended before the body") from None
        seen += len(piece)
        if seen > limit:
            raise Refused(413, f"larger than {size_text(limit)}")
        if (spent := monotonic() - start) > 60 and seen < SLOWEST * spent:
            raise Refused(408, "the upload is too slow")
        if piece:
            yield piece
    if stated and seen != int(stated):
        raise Refused(400, "the body does not have the stated length")


async def to_disk(request: Request, path: Path, *, limit: int) -> int:
    """Write the body to a new file, never more than the limit, and leave nothing behind when it is refused."""
    free = shutil.disk_usage(path.parent).free - SPARE
    allowed = min(limit, max(0, free))
    size = 0
    try:
        with open(path, "xb") as sink:
            async for piece in chunks(request, allowed):
                await asyncio.to_thread(sink.write, piece)
                size += len(piece)
    except BaseException as error:
        path.unlink(missing_ok=True)
        if isinstance(error, Refused) and error.status == 413 and allowed < limit:
            raise Refused(507, "the disk is full") from None
        raise
    return size


async def small_json(request: Request) -> dict[str, Any]:
    """The body as a JSON object of modest size and depth."""
    return json_of(await whole_body(request, SMALL))


async def whole_body(request: Request, limit: int) -> bytes:
    """The body in memory."""
    return b"".join([piece async for piece in chunks(request, limit)])


def json_of(body: bytes) -> dict[str, Any]:
    """The JSON object that a body holds; parsing a large one is work for a thread."""
    try:
        content = json.loads(body or b"{}", parse_constant=_no_constant)
    except (ValueError, RecursionError):
        raise Refused(400, "the request is not valid JSON") from None
    if not isinstance(content, dict):
        raise Refused(400, "the request must be a JSON object")
    return content


def _no_constant(name: str) -> float:
    raise ValueError(name)


def text_of(given: dict[str, Any], name: str, *, default: str | None = None, longest: int = 1000) -> str:
    """A text that must be in an object."""
    value = given.get(name, default)
    if not isinstance(value, str) or len(value) > longest:
        raise RocscopeError(f"'{name}' must be a string")
    return value


def texts_of(given: dict[str, Any], name: str) -> list[str]:
    """A list of texts that may be in an object."""
    value = given.get(name) or []
    if not isinstance(value, list) or len(value) > 500 or not all(isinstance(item, str) for item in value):
        raise RocscopeError(f"'{name}' must be a list of strings")
    return list(dict.fromkeys(value))
