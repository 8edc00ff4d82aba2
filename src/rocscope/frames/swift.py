"""Plain CSV in pieces, where pyarrow is installed: it turns text into numbers while the next bytes are looked at.

Where no field is quoted, fields stand between delimiters and line ends, and NumPy finds these. pyarrow is handed the
fields where they are, and reads nothing but finite numbers. Labels of one letter and short ids are taken as they stand:
01 is never 1. Whatever is not plain - a quote, a blank line, a line of another length, a number that is missing or none
- is left to the other readers (`bulk.py`), which agree with `csv.py` or say what is wrong.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rocscope.frames.csv import ID, is_number
from rocscope.frames.loaded import Texts
from rocscope.frames.querying import all_finite

if TYPE_CHECKING:
    from rocscope.frames.bulk import CsvFile

Array = NDArray[Any]

MOST_WORKERS = 8  # one thread looks at the bytes: more than so many others would wait for it
LONGEST_ID = 16  # bytes of an id that two words hold
_UNKNOWN = 255  # a letter that is not among the first labels
_LINE_END, _RETURN = 10, 13


class _NotPlain(Exception):
    """Something that another reader must look at."""


class Reader:
    """The needed columns of a file whose bytes come by in blocks; several pieces are read at once, each by a thread."""

    def __init__(self, file: CsvFile, needed: Mapping[str, str]) -> None:
        self._needed, self._header = needed, file.header_bytes
        self._found = _Gathered(_Plan.of(file, needed), file.bytes)
        self._workers = min(MOST_WORKERS, _processors())
        self._pool = ThreadPoolExecutor(self._workers)
        self._waiting: deque[Future[_Part]] = deque()
        self._tail, self._plain = b"", True

    def take(self, block: bytes) -> None:
        """The next bytes, of which it is known that they are text; nothing is done once something is not plain."""
        if self._plain:
            try:
                self._take(block)
            except _NotPlain:
                self._plain = False

    def columns(self) -> dict[str, Array | Texts] | None:
        """All columns, numbers finite and none missing, codes of missing labels below 0; None when not all is plain."""
        try:
            if self._plain:
                self._finish()
        except _NotPlain:
            self._plain = False
        return self._found.columns(self._needed) if self._plain and self._found.rows else None

    def close(self) -> None:
        """End the threads."""
        self._pool.shutdown(wait=True, cancel_futures=True)

    def _take(self, block: bytes) -> None:
        if b'"' in block:
            raise _NotPlain
        start, self._header = self._header, 0
        end = block.rfind(b"\n") + 1
        if end <= start:
            raise _NotPlain
        self._submit(b"".join((self._tail, block[start:end])))
        self._tail = block[end:]
        while len(self._waiting) > 2 * self._workers:
            self._found.add(self._waiting.popleft().result())

    def _submit(self, piece: bytes) -> None:
        self._waiting.append(self._pool.submit(self._found.plan.read, piece))

    def _finish(self) -> None:
        if self._tail:
            self._submit(self._tail + b"\n")
        while self._waiting:
            self._found.add(self._waiting.popleft().result())


@contextmanager
def reading(file: CsvFile, needed: Mapping[str, str]) -> Iterator[Reader | None]:
    """A reader for the file; None where pyarrow is not installed, or the first lines say that it is of no use."""
    if not (_is_fit(file) and any(map(is_number, needed.values()))):
        yield None
        return
    reader = Reader(file, needed)
    try:
        yield reader
    finally:
        reader.close()


def _is_fit(file: CsvFile) -> bool:
    from rocscope.frames.batches import has_arrow

    plain = 1 < len(file.header) == len(file.names) and file.delimiter.isascii() and file.delimiter not in " \r"
    return plain and not (file.scanned and file.scanned[0].quotes) and has_arrow()


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
            tuple(name for name in texts if name not in letters), len(file.header), file.delimiter,
        )  # fmt: skip

    def read(self, piece: bytes) -> _Part:
        """The columns of a piece; `_NotPlain` when something in it is not."""
        fields = _Fields.of(piece, self.delimiter.encode(), self.width)
        columns: dict[str, Any] = {name: _numbers(fields, self.places[name]) for name in self.numbers}
        columns |= {name: _words(fields, self.places[name]) for name in self.ids}
        columns |= {name: _letters(fields, self.places[name], codes) for name, (_, codes) in self.letters.items()}
        for name in (*self.letters, *self.texts):
            if columns.get(name) is None:
                columns[name] = _labels(fields, self.places[name])
        return _Part(len(fields.ends), len(piece), columns)


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

    piece: bytes
    letters: Array
    """The same, as numbers."""
    ends: Array
    """The delimiter or the line end after each field, a row for each line."""

    @classmethod
    def of(cls, piece: bytes, delimiter: bytes, width: int) -> _Fields:
        """The fields of whole lines."""
        found = np.frombuffer(piece, dtype=np.uint8)
        line_ends = found == _LINE_END
        rows = np.count_nonzero(line_ends)
        line_ends |= found == delimiter[0]
        ends = np.flatnonzero(line_ends)
        # So many line ends as rows, and one of them at the end of each row: then all others are delimiters.
        if len(ends) != rows * width or (found[ends[width - 1 :: width]] != _LINE_END).any():
            raise _NotPlain
        return cls(piece, found, ends.reshape(rows, width))

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
        buffers = map(pa.py_buffer, (every_other, offsets, self.piece))
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
