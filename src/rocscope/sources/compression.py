"""Decompression and decoding of streams, within limits."""

from __future__ import annotations

import codecs
import io
import itertools
import os
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO, Any

from rocscope.errors import RocscopeError, did_you_mean
from rocscope.sources import database
from rocscope.sources.column_batches import has_arrow
from rocscope.sources.formats import GZIP, HEAD, ZSTD, check_kind, kind_of
from rocscope.sources.text_blocks import BLOCK

SWOLLEN = 200  # expansion factor above which, beyond SWOLLEN_BYTES, a file is treated as a decompression bomb
SWOLLEN_BYTES = 2**30
RESERVE = 2**28  # number of bytes to keep free in the temporary folder


class _Joined(io.RawIOBase):
    """Chunks of bytes as a readable file."""

    def __init__(self, pieces: Iterator[bytes]) -> None:
        self._pieces, self._held = pieces, b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        self._held = self._held or next(self._pieces, b"")
        piece, self._held = self._held[: len(buffer)], self._held[len(buffer) :]
        buffer[: len(piece)] = piece
        return len(piece)


def unpacked(packed: Iterator[bytes], kind: str, name: str, *, size: int | None) -> Iterator[bytes]:
    """Yield the bytes of a compressed stream.

    One that is truncated, corrupt, or expands beyond the limit is an error.
    """
    file = io.BufferedReader(_Joined(packed), BLOCK)
    total = 0
    for piece in _of_gzip(file, name) if kind == GZIP else _of_zstd(file, name):
        total += len(piece)
        if size is not None and total > SWOLLEN_BYTES and total > SWOLLEN * max(size, 1):
            raise RocscopeError(
                f"{name} expands to more than {SWOLLEN} times its size ({total / 2**30:.1f} GiB so far)",
                hint="Decompress it yourself if that is intended",
            )
        yield piece


def _of_gzip(file: IO[bytes], name: str) -> Iterator[bytes]:
    import gzip

    try:
        with gzip.GzipFile(fileobj=file) as stream:
            while piece := stream.read(BLOCK):
                yield piece
    except EOFError:
        raise RocscopeError(f"{name} is truncated: the gzip stream ends too early", hint="Download it again") from None
    except (gzip.BadGzipFile, zlib.error) as error:
        raise RocscopeError(f"{name} is not a valid gzip file: {error}") from None


def _of_zstd(file: IO[bytes], name: str) -> Iterator[bytes]:
    """Decompress Zstandard with pyarrow; without pyarrow, DuckDB reads the lines of a file (`zstd_lines`)."""
    if not has_arrow():
        raise RocscopeError(
            f"{name}: zstd from a pipe needs pyarrow", hint="pip install pyarrow, or decompress it first"
        )
    import pyarrow as pa

    reader = pa.CompressedInputStream(pa.PythonFile(file, mode="r"), "zstd")
    try:
        while piece := reader.read(BLOCK):
            yield bytes(piece)
    except EOFError:
        raise RocscopeError(f"{name} is truncated: the zstd stream ends too early", hint="Download it again") from None
    except (OSError, ValueError) as error:
        reason = " ".join(str(error).split())[:100]
        raise RocscopeError(f"{name} is not a valid zstd file: {reason}", hint="It may be truncated") from None


def zstd_lines(path: str, name: str, folder: database.TemporaryFolder) -> Iterator[bytes]:
    """Yield the nonblank lines of a compressed text file with DuckDB, if nothing else can decompress zstd."""
    connection = database.connect(folder)
    link = folder.link(path, f"packed-{abs(hash(path))}")
    source = (
        f"read_csv({database.quoted(link)}, auto_detect=false, header=false, delim='\x01', quote='', escape='', "
        "compression='zstd', columns={'line': 'VARCHAR'})"
    )
    try:
        with database.refusals(name, what="zstd file"):
            result = connection.execute(f"SELECT line FROM {source} WHERE line IS NOT NULL")
            while rows := result.fetchmany(50_000):
                yield ("\n".join(line for (line,) in rows) + "\n").encode()
    finally:
        connection.close()


def unpack(path: Path, name: str, *, limit: int) -> int:
    """Decompress a file in place and return its new size; a file that expands beyond the limit is refused.

    It is decompressed once instead of at every read, and a few kilobytes cannot fill the disk.
    """
    with open(path, "rb") as file:
        head = file.read(HEAD)
    kind = kind_of(head)
    if head:  # an empty file is reported when it is read
        check_kind(kind, name, name)
    if kind == GZIP or (kind == ZSTD and has_arrow()):
        beside = path.with_name(os.urandom(8).hex())
        try:
            with open(path, "rb") as file, open(beside, "xb") as sink:
                packed = iter(lambda: file.read(BLOCK), b"")
                for piece in unpacked(packed, kind, name, size=None):
                    if sink.tell() + len(piece) > limit:
                        problem = f"{name} expands to more than {limit // 2**20:,} MB"
                        raise RocscopeError(problem, hint="Give a larger --limit")
                    sink.write(piece)
            os.replace(beside, path)  # both files are closed here, because Windows cannot rename an open file
        finally:
            beside.unlink(missing_ok=True)
    return path.stat().st_size


# --- encodings


def known_encoding(encoding: str) -> str:
    """Python's name of a text encoding; an unknown one is an error that suggests the nearest."""
    try:
        info = codecs.lookup(encoding)
    except (LookupError, ValueError):
        usual = ("utf-8", "latin-1", "cp1252", "utf-16", "cp1251", "shift_jis", "gb18030", "big5", "mac_roman")
        hint = did_you_mean(encoding, usual) or "Common encodings are utf-8, latin-1 and cp1252"
        raise RocscopeError(f"there is no encoding '{encoding}'", hint=hint) from None
    if not getattr(info, "_is_text_encoding", True):
        raise RocscopeError(
            f"'{encoding}' is not a known text encoding", hint="Common encodings are utf-8, latin-1 and cp1252"
        )
    return info.name


def in_utf8(pieces: Iterable[bytes], encoding: str, name: str) -> Iterator[bytes]:
    """Convert text in any encoding to UTF-8 without a byte order mark."""
    decoder = codecs.getincrementaldecoder(encoding)()
    done, first = 0, True
    for piece in itertools.chain(pieces, [b""]):
        try:
            text = decoder.decode(piece, final=not piece)
        except UnicodeDecodeError as error:
            where = f"byte {done + error.start} is 0x{error.object[error.start]:02x}"
            hint = "Give another encoding: encoding=..."
            raise RocscopeError(f"{name} is not {encoding}: {where}", hint=hint) from None
        done += len(piece)
        if first and text:
            text, first = text.removeprefix("\ufeff"), False
        yield text.encode("utf-8", errors="surrogatepass")


# --- spooling to disk


def spooled(pieces: Iterable[bytes], folder: database.TemporaryFolder, name: str) -> str:
    """Write the stream to a file in the temporary folder and return its path."""
    import shutil

    path = folder.path("spooled")
    with open(path, "wb") as sink:
        for number, piece in enumerate(pieces):
            if number % 64 == 0 and shutil.disk_usage(folder.folder).free < RESERVE:
                hint = "Set TMPDIR to a folder with more space"
                raise RocscopeError(f"not enough space in {folder.folder} for {name}", hint=hint)
            sink.write(piece)
    return path
