"""Plain CSV in pieces, where pyarrow is installed: each thread reads one, finds its fields, and has pyarrow read them.

Where no field is quoted, every line end ends a row, so that a file can be cut anywhere. Fields stand between delimiters
and line ends, and NumPy finds these. pyarrow is handed the fields where they are, and reads nothing but finite numbers.
Labels of one letter and short ids are taken as they stand: 01 is never 1. Whatever is not plain - a quote, a blank
line, a line of another length, a number that is missing or none - is left to the other readers (`bulk.py`), which agree
with `csv.py` or say what is wrong.
"""

from __future__ import annotations

import csv
import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from threading import local
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rocscope.sources.csv import ID, is_number
from rocscope.sources.loaded import Texts
from rocscope.sources.querying import all_finite

if TYPE_CHECKING:
    from rocscope.sources.bulk import CsvFile

Array = NDArray[Any]

MOST_WORKERS = 8
PIECE, MORE = 2**20, 2**12  # bytes in which the lines of a piece begin, and looked at beyond for the end of the last
LONGEST = 2**18  # bytes of a line that is read here
LONGEST_FIELD = csv.field_size_limit()  # letters
LONGEST_ID = 16  # bytes of an id that two words hold
_UNKNOWN = 255  # a letter that is not among the first labels
_LINE_END, _RETURN = 10, 13


class _NotPlain(Exception):
    """Something that another reader must look at."""


def read(
    file: CsvFile, needed: Mapping[str, str], progress: Callable[[float], None] | None = None
) -> dict[str, Array | Texts] | None:
    """All needed columns, numbers finite and none missing, codes of missing labels below 0.

    None where pyarrow is not installed, and when not all is plain.
    """
    if not (_is_fit(file) and any(map(is_number, needed.values()))):
        return None
    found = _Gathered(_Plan.of(file, needed), file.bytes - file.header_bytes)
    try:
        for part in _parts(file, found.plan):
            found.add(part)
            if progress is not None:
                progress(min(1.0, found.bytes / found.size))
    except _NotPlain:
        return None
    return found.columns(needed) if found.rows else None


def _parts(file: CsvFile, plan: _Plan) -> Iterator[_Part]:
    """The pieces of a file in order; several are read at once, each by a thread."""
    workers = min(MOST_WORKERS, _processors())
    waiting: deque[Future[_Part | None]] = deque()
    rooms = local()
    with open(file.path, "rb", buffering=0) as held, ThreadPoolExecutor(workers) as pool:
        try:
            for start in range(file.header_bytes, file.bytes, PIECE):
                waiting.append(pool.submit(plan.read, held.fileno(), start, rooms))
                if len(waiting) > 2 * workers and (part := waiting.popleft().result()) is not None:
                    yield part
            while waiting:
                if (part := waiting.popleft().result()) is not None:
                    yield part
        finally:
            pool.shutdown(cancel_futures=True)


def _is_fit(file: CsvFile) -> bool:
    from rocscope.sources.column_batches import has_arrow

    plain = 1 < len(file.header) == len(file.names) and file.delimiter.isascii() and file.delimiter not in " \r"
    known = not (file.scanned and file.scanned[0].quotes) and hasattr(os, "preadv")
    return plain and known and has_arrow()


def _processors() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


class _Part(NamedTuple):
    """A piece, read: its rows, and each needed column as far as a piece can tell."""

    rows: int
    bytes: int
    columns: Mapping[str, Any]


# --- one piece


class _Room:
    """Memory in which a thread reads one piece after the other: fresh memory takes longer than what is done with it."""

    def __init__(self) -> None:
        self.text = bytearray(PIECE + LONGEST)
        self.letters = np.frombuffer(self.text, dtype=np.uint8)
        self.marks = np.empty((2, len(self.text)), dtype=bool)

    def fill(self, descriptor: int, start: int, held: int, more: int) -> int:
        """Read on after what is held of a piece, at most so many bytes; how many there were."""
        found = 0
        while found < more:  # one call may give less than there is
            place = memoryview(self.text)[held + found : held + more]
            got = os.preadv(descriptor, [place], start + held + found)
            if not got:
                break
            found += got
        return found


@dataclass(frozen=True, slots=True)
class _Plan:
    """How each needed column is read from a piece."""

    places: Mapping[str, int]
    """The place of each needed column in a line."""
    numbers: tuple[str, ...]
    ids: tuple[str, ...]
    letters: Mapping[str, tuple[tuple[str, ...], bytes]]
    """Columns whose first labels are single letters: these, and the code of each byte."""
    texts: tuple[str, ...]
    width: int
    delimiter: str
    header: int
    """Bytes of the header."""
    bytes: int
    """Bytes of the file."""
    returns: bool
    """Whether lines end with a carriage return before the line end, as the header does."""

    @classmethod
    def of(cls, file: CsvFile, needed: Mapping[str, str]) -> _Plan:
        """The plan for a file, from its first rows."""
        numbers = tuple(name for name, what in needed.items() if is_number(what))
        ids = tuple(name for name, what in needed.items() if what == ID)
        texts = [name for name in needed if name not in numbers and name not in ids]
        first = {name: tuple(sorted(file.head.labels_as_written(name))) for name in texts}
        letters = {name: (labels, _codes_of(labels)) for name, labels in first.items() if _single(labels)}
        return cls(
            {name: file.names.index(name) for name in needed}, numbers, ids, letters,
            tuple(name for name in texts if name not in letters), len(file.header), file.delimiter, file.header_bytes,
            file.bytes, _ends_with_return(file),
        )  # fmt: skip

    def read(self, descriptor: int, start: int, rooms: local) -> _Part | None:
        """The lines that begin in the piece at `start`, if any; `_NotPlain` when something in them is not."""
        room: _Room = rooms.__dict__.get("own") or rooms.__dict__.setdefault("own", _Room())
        lines = self._lines(descriptor, start, room)
        if not len(lines):
            return None
        fields = _Fields.of(lines, self.delimiter.encode(), self.width, room)
        if self.returns:
            fields.check_returns()
        columns: dict[str, Any] = {name: _numbers(fields, self.places[name]) for name in self.numbers}
        columns |= {name: _words(fields, self.places[name]) for name in self.ids}
        columns |= {name: _letters(fields, self.places[name], codes) for name, (_, codes) in self.letters.items()}
        for name in (*self.letters, *self.texts):
            if columns.get(name) is None:
                columns[name] = _labels(fields, self.places[name])
        return _Part(len(fields.ends), len(lines), columns)

    def _lines(self, descriptor: int, start: int, room: _Room) -> Array:
        """The bytes of the lines that begin in a piece, each with its end."""
        before = int(start > self.header)  # the byte before tells whether a line begins at the first
        size = room.fill(descriptor, start - before, 0, before + PIECE + MORE)
        first = room.text.find(b"\n", 0, min(size, PIECE)) + 1 if before else 0
        if before and first in (0, size):  # no line begins here, or none follows
            return room.letters[:0]
        last = room.text.find(b"\n", before + PIECE - 1, size) + 1
        if not last:
            size += room.fill(descriptor, start - before, size, len(room.text) - size - 2)
            last = room.text.find(b"\n", before + PIECE - 1, size) + 1 or self._end(room, start - before, size)
        lines = room.letters[first:last]
        self._check(room.text, first, last, lines)
        return lines

    def _end(self, room: _Room, start: int, size: int) -> int:
        """Where the last line of the file ends, which gets an end if it has none."""
        if start + size < self.bytes:
            raise _NotPlain  # a line longer than the room
        end = b"" if room.text[size - 1 : size] == b"\n" else b"\r\n" if self.returns else b"\n"
        room.text[size : size + len(end)] = end
        return size + len(end)

    def _check(self, text: bytearray, first: int, last: int, lines: Array) -> None:
        """Refuse what is no text, and what may mean something else to another reader."""
        if text.find(b'"', first, last) >= 0 or (not self.returns and text.find(b"\r", first, last) >= 0):
            raise _NotPlain
        if not lines.min():
            raise _NotPlain  # a NUL
        if lines.max() > 127:
            try:
                text[first:last].decode()
            except UnicodeDecodeError:
                raise _NotPlain from None


def _ends_with_return(file: CsvFile) -> bool:
    with open(file.path, "rb") as held:
        return held.read(file.header_bytes).endswith(b"\r\n")


def _single(labels: Sequence[str]) -> bool:
    return 0 < len(labels) < _UNKNOWN and all(len(label) == 1 and label.isascii() for label in labels)


def _codes_of(labels: Sequence[str]) -> bytes:
    codes = bytearray([_UNKNOWN] * 256)
    for code, label in enumerate(labels):
        codes[ord(label)] = code
    return bytes(codes)


@dataclass(frozen=True, slots=True, eq=False)
class _Fields:
    """Where the fields of each line stand: every line has as many as the header, and none is blank."""

    letters: Array
    ends: Array
    """The delimiter or the line end after each field, a row for each line."""

    @classmethod
    def of(cls, found: Array, delimiter: bytes, width: int, room: _Room | None = None) -> _Fields:
        """The fields of whole lines."""
        marks, others = np.empty((2, len(found)), dtype=bool) if room is None else room.marks[:, : len(found)]
        rows = np.count_nonzero(np.equal(found, _LINE_END, out=marks))
        marks |= np.equal(found, delimiter[0], out=others)
        ends = np.flatnonzero(marks)
        # So many line ends as rows, and one of them at the end of each row: then all others are delimiters.
        if len(ends) != rows * width or (found[ends[width - 1 :: width]] != _LINE_END).any():
            raise _NotPlain
        # A field longer than `csv.py` takes has no end in some stretch of half its length.
        if (np.diff(np.searchsorted(ends, range(0, len(found), LONGEST_FIELD // 2))) == 0).any():
            raise _NotPlain
        return cls(found, ends.reshape(rows, width))

    def check_returns(self) -> None:
        """Refuse carriage returns that do not stand before a line end, and line ends without one."""
        returns = self.letters == _RETURN
        if np.count_nonzero(returns) != len(self.ends) or not returns[self.ends[:, -1] - 1].all():
            raise _NotPlain

    def of_column(self, place: int) -> tuple[Array, Array]:
        """The first byte of each field of a column, and the one after its last."""
        ends = self.ends[:, place]
        if place:
            begins = self.ends[:, place - 1] + 1
        else:
            begins = np.empty_like(ends)
            begins[0], begins[1:] = 0, self.ends[:-1, -1] + 1
        if place == self.ends.shape[1] - 1 and self.letters[ends[0] - 1] == _RETURN:
            if (self.letters[ends - 1] != _RETURN).any():
                raise _NotPlain
            ends = ends - 1
        return begins, ends

    def arrow(self, place: int) -> Any:
        """A column as pyarrow holds text, without a copy: each field, and as a null what stands before the next."""
        import pyarrow as pa

        begins, ends = self.of_column(place)
        offsets = np.empty(2 * len(ends), dtype=np.int32)
        offsets[0::2], offsets[1::2] = begins, ends
        every_other = np.full(len(ends) // 4 + 1, 0b01010101, dtype=np.uint8)
        buffers = map(pa.py_buffer, (every_other, offsets, self.letters))
        valid, places, text = buffers
        return pa.StringArray.from_buffers(len(offsets) - 1, places, text, valid)


def _numbers(fields: _Fields, place: int) -> Array:
    """A column of finite numbers, each as near to what is written as a double can be."""
    import pyarrow as pa

    try:
        found = fields.arrow(place).cast(pa.float64())
    except pa.ArrowInvalid:
        raise _NotPlain from None
    numbers = np.frombuffer(found.buffers()[1], dtype=np.float64, count=len(found))[0::2]
    if not all_finite(numbers):
        raise _NotPlain
    return numbers


def _labels(fields: _Fields, place: int) -> tuple[list[str], Array]:
    """The different labels of a column, and the place of each row's among them."""
    found = fields.arrow(place).dictionary_encode()
    codes = np.frombuffer(found.indices.buffers()[1], dtype=np.int32, count=len(found))[0::2]
    return found.dictionary.to_pylist(), codes


def _letters(fields: _Fields, place: int, codes: bytes) -> Array | None:
    """The codes of a column in which every field is one known letter; None of any other."""
    begins, ends = fields.of_column(place)
    if (ends - begins != 1).any():
        return None
    found = fields.letters[begins].tobytes().translate(codes)
    return None if bytes([_UNKNOWN]) in found else np.frombuffer(found, dtype=np.int8)


def _words(fields: _Fields, place: int) -> tuple[Array, Array | None]:
    """Ids as one word or two that hold their bytes, the first one stirred: different ids have different words."""
    begins, ends = fields.of_column(place)
    lengths = ends - begins
    longest = int(lengths.max())
    # A blank id is missing, which others must say.
    if not lengths.min() or longest > LONGEST_ID or (fields.letters[begins] <= 32).any():
        raise _NotPlain
    padded = np.concatenate([fields.letters, np.zeros(LONGEST_ID, dtype=np.uint8)])
    words = np.ndarray((len(padded) - 7,), dtype="<u8", buffer=padded, strides=(1,))
    first = words[begins] & _MASKS[np.minimum(lengths, 8)]
    second = words[begins + 8] & _MASKS[np.maximum(lengths - 8, 0)] if longest > 8 else None
    return stirred(first, second), second


_MASKS = np.array([(1 << 8 * count) - 1 for count in range(9)], dtype=np.uint64)


def stirred(first: Array, second: Array | None) -> Array:
    """Words whose first bits differ as well where only some bits did; of the same second word none becomes another.

    The finalizer of SplitMix64 (Steele, Lea and Flood, 2014), each step of which can be undone.
    """
    with np.errstate(over="ignore"):
        words = first if second is None else first + second * np.uint64(0x9E3779B97F4A7C15)
        words ^= words >> np.uint64(30)
        words *= np.uint64(0xBF58476D1CE4E5B9)
        words ^= words >> np.uint64(27)
        words *= np.uint64(0x94D049BB133111EB)
        words ^= words >> np.uint64(31)
    return words


# --- all pieces


@dataclass(slots=True)
class _Long:
    """An array that grows: room for all rows is asked for at once, and taken only when it is written to."""

    array: Array
    used: int = 0

    def add(self, values: Array, room: int) -> None:
        """The next values; `room` is how many there will be in the end, about."""
        end = self.used + len(values)
        if not self.used:
            self.array = np.empty(max(end, room), dtype=self.array.dtype)  # in large pages, which a resized one is not
        elif end > len(self.array):
            self.array.resize(max(end, room), refcheck=False)
        self.array[self.used : end] = values
        self.used = end

    def widened(self, kind: type[np.integer[Any]]) -> _Long:
        """The same with room for larger values."""
        return _Long(self.array[: self.used].astype(kind), self.used)

    def done(self) -> Array:
        """All values."""
        self.array.resize(self.used, refcheck=False)
        return self.array


class _Gathered:
    """The columns of the pieces so far."""

    def __init__(self, plan: _Plan, size: int) -> None:
        self.plan, self.size = plan, size
        self.rows = self.bytes = 0
        self.numbers = {name: _Long(np.empty(0)) for name in plan.numbers}
        self.codes = {name: _Long(np.empty(0, dtype=np.int8)) for name in (*plan.letters, *plan.texts)}
        self.labels = {name: {one: i for i, one in enumerate(plan.letters.get(name, ((),))[0])} for name in self.codes}
        self.words = {name: (_Long(_no_words()), _Long(_no_words())) for name in plan.ids}

    def add(self, part: _Part) -> None:
        """One more piece."""
        self.rows += part.rows
        self.bytes += part.bytes
        room = int(1.02 * self.rows / self.bytes * self.size) + 1000
        for name, numbers in self.numbers.items():
            numbers.add(part.columns[name], room)
        for name in self.codes:
            fresh = self._coded(name, part.columns[name])
            self.codes[name].add(fresh, room)
        for name, (first, second) in self.words.items():
            words, more = part.columns[name]
            if more is not None:
                second.add(np.zeros(first.used - second.used, dtype=np.uint64), room)
                second.add(more, room)
            first.add(words, room)

    def _coded(self, name: str, column: Any) -> Array:
        """The codes of a piece among the labels of all pieces."""
        if isinstance(column, np.ndarray):
            return column
        book = self.labels[name]
        labels, codes = column
        places = np.array([book.setdefault(label, len(book)) for label in labels], dtype=np.int32)
        if len(book) > 127 and self.codes[name].array.dtype == np.int8:
            self.codes[name] = self.codes[name].widened(np.int32)
        found: Array = places[codes]
        return found

    def columns(self, names: Iterable[str]) -> dict[str, Array | Texts]:
        """Every column, whole."""
        return {name: self._column(name) for name in names}

    def _column(self, name: str) -> Array | Texts:
        if name in self.numbers:
            return self.numbers[name].done()
        if name in self.words:
            return _ids(*self.words[name])
        labels, codes = list(self.labels[name]), self.codes[name].done()
        order = sorted(labels)
        if order != labels:
            place = {label: i for i, label in enumerate(order)}
            codes = np.array([place[label] for label in labels], dtype=codes.dtype)[codes]
        return Texts.of(codes, order)


def _no_words() -> Array:
    return np.empty(0, dtype=np.uint64)


def _ids(first: _Long, second: _Long) -> Array:
    """One word for each id, or a pair where some are long."""
    if not second.used:
        return first.done()
    second.add(np.zeros(first.used - second.used, dtype=np.uint64), first.used)
    pairs = np.empty(first.used, dtype=[("a", np.uint64), ("b", np.uint64)])
    pairs["a"], pairs["b"] = first.done(), second.done()
    return pairs
