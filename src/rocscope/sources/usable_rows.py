"""The common policy of all sources for labels, missing values and weights; excluded rows are counted by reason."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rocscope import tally
from rocscope.errors import RocscopeError
from rocscope.record import record
from rocscope.sources.column_batches import Batch, Column, is_blank
from rocscope.sources.source import TOLERANCE, Located, Progress, Source
from rocscope.table import weights_of_cases

Array = NDArray[Any]
Extent = tuple[float, float] | None
NO_LABEL, NO_WEIGHT = "no label", "no weight"
# maximum number of slices for one column, and for several columns combined
MOST_SLICES, MOST_COMBINED = 10_000, 100_000
FILL = "Fill in the values or remove these rows"
MOST_LABELS = 64  # maximum number of labels kept for the error message about a column that should have two


@record(slots=True)
class TableRequest:
    """Validated request: what to read, and how."""

    label: str
    scores: tuple[str, ...]
    weight: str | None = None
    weights_are: str = "sampling"
    by: tuple[str, ...] = ()
    positive: Any = None
    missing: str = "error"
    higher_is_positive: bool = True
    budget: int | None = None
    tolerance: float = TOLERANCE
    exact: bool = False
    progress: Progress | None = None
    source: Source | None = None
    """What is read, for messages."""

    @property
    def names(self) -> tuple[str, ...]:
        """All required columns, without duplicates."""
        weight = () if self.weight is None else (self.weight,)
        return tuple(dict.fromkeys((self.label, *self.scores, *weight, *self.by)))

    @property
    def sampled(self) -> bool:
        """Whether sums of squared weights are kept."""
        return self.weight is not None and self.weights_are == "sampling"

    @property
    def reasons(self) -> tuple[str, ...]:
        """Reasons for excluding a row, in the order in which they are checked."""
        several = len(self.scores) > 1
        scores = tuple(f"no score of {name}" if several else "no score" for name in self.scores)
        return (NO_LABEL, *scores, *(() if self.weight is None else (NO_WEIGHT,)))

    @property
    def wanted(self) -> tuple[str, ...]:
        """The column of each reason."""
        return (self.label, *self.scores, *(() if self.weight is None else (self.weight,)))


def checked(source: Source, request: TableRequest) -> TableRequest:
    """The request after validating it against the source."""
    if not request.scores:
        raise RocscopeError("no score column was named", hint="For example: scores=['p']")
    if len(set(request.scores)) != len(request.scores):
        raise RocscopeError(f"a score column is named twice: {', '.join(request.scores)}")
    source.having(*request.names)
    weights_of_cases(request.weights_are)
    policy(request.missing)
    if not isinstance(request.higher_is_positive, bool):
        raise RocscopeError(f"higher_is_positive must be True or False, not {request.higher_is_positive!r}")
    if not request.tolerance > 0:
        raise RocscopeError(f"tolerance must be a positive number such as 1e-6, not {request.tolerance}")
    roles = [request.label, *request.scores, *(() if request.weight is None else (request.weight,))]
    double = next((name for name in roles if roles.count(name) > 1), None)
    if double is not None:
        raise RocscopeError(f"column '{double}' can be only one of label, score and weight")
    return request


def policy(missing: str) -> str:
    """Validate the policy for rows with missing values."""
    if missing not in ("error", "drop"):
        raise RocscopeError(f"missing must be 'error' or 'drop', not {missing!r}")
    return missing


class Chunk(NamedTuple):
    """Usable rows: 1 for positives, the scores of each column, weights, and the slice number of each row.

    `extents` are the minimum and maximum of each score column, if known.
    """

    mask: Array
    scores: tuple[Array, ...]
    weights: Array | None = None
    slices: Array | None = None
    extents: tuple[Extent, ...] | None = None

    def __len__(self) -> int:
        return len(self.mask)

    def numbered(self, kind: type[np.signedinteger[Any]]) -> Chunk:
        """The same chunk with slice numbers of another type."""
        slices = None if self.slices is None else self.slices.astype(kind, copy=False)
        return Chunk(self.mask, self.scores, self.weights, slices, self.extents)


@dataclass
class Gaps:
    """Rows with a missing value in a required column, counted batch by batch."""

    reasons: Mapping[str, str]
    """Column -> why a row without it is left out: "no label". A row that lacks several counts under the first."""
    left_out: dict[str, int] = field(default_factory=dict)
    lacking: dict[str, int] = field(default_factory=dict)
    """Column -> how many rows lack it, whatever else they lack."""
    first: dict[str, int] = field(default_factory=dict)
    rows: int = 0

    def used(self, batch: Batch, known: Mapping[str, Extent] | None = None) -> Array | None:
        """The complete rows of a batch, or None if all are complete.

        Columns in `known` have no missing values.
        """
        lost: Array | None = None
        for name, reason in self.reasons.items():
            flags = batch[name].missing() if known is None or known.get(name) is None else None
            if flags is None:
                continue
            fresh = int(np.count_nonzero(flags if lost is None else flags & ~lost))
            if fresh:
                self.left_out[reason] = self.left_out.get(reason, 0) + fresh
            self.lacking[name] = self.lacking.get(name, 0) + int(np.count_nonzero(flags))
            self.first.setdefault(name, self.rows + int(flags.argmax()))
            lost = flags if lost is None else lost | flags
        return None if lost is None else np.flatnonzero(~lost)

    def settle(self, missing: str, source: Source | None) -> None:
        """Raise an error for values that must not be missing, with the first row of each column, or if no row is
        usable.
        """
        if missing == "error" and self.lacking:
            raise missing_values(self.lacking, source, self.first)
        if self.rows == sum(self.left_out.values()):
            raise nothing_left(self.rows, self.left_out, source)


@dataclass
class RowValidator:
    """Converts batches to chunks of usable rows, and records labels, slices and excluded rows."""

    request: TableRequest
    slices: dict[tuple[Any, ...], int] = field(default_factory=dict)
    labels: list[Any] = field(default_factory=list)
    _heaviest: float = 0.0
    _wholes: dict[str, tuple[float, float]] = field(default_factory=dict)
    """The lowest and highest score of each column; NaN once a value with a fraction has occurred."""

    def __post_init__(self) -> None:
        self.gaps = Gaps(dict(zip(self.request.wanted, self.request.reasons, strict=True)))

    @property
    def rows(self) -> int:
        """Number of rows read."""
        return self.gaps.rows

    @property
    def left_out(self) -> dict[str, int]:
        """Number of excluded rows by reason."""
        return self.gaps.left_out

    def take(self, batch: Batch) -> Chunk:
        """The usable rows of a batch."""
        request = self.request
        size = len(batch[request.label].values)
        tally.check_label_types(batch[request.label].categories or (), request.label)
        for name in (*request.scores, *(() if request.weight is None else (request.weight,))):
            refuse_text(batch[name], name, request.source, self.rows)
        extents = {name: batch[name].extent() for name in request.wanted[1:]}
        used = self.gaps.used(batch, extents)
        columns = batch if used is None else {name: batch[name].take(used) for name in request.names}
        extents = extents if used is None else {name: columns[name].extent() for name in extents}
        for name in (name for name in request.wanted[1:] if extents[name] is None):
            refuse_infinite(columns[name].values, name, request.source, self.rows, used)
        self._note_wholes(columns, extents)
        weights = None if request.weight is None else self._weights(columns[request.weight].values, used)
        self.gaps.rows += size
        return Chunk(
            self._mask(columns[request.label]),
            tuple(_score(columns[name].values) for name in request.scores),
            weights,
            self._slices(columns) if request.by else None,
            tuple(extents[name] for name in request.scores),
        )

    def settle(self) -> tuple[Any, Any]:
        """The labels (negative, positive) after the last batch; errors that need totals are raised here."""
        self.gaps.settle(self.request.missing, self.request.source)
        if self.request.weight is not None:
            refuse_scale(self._heaviest, self.request.weight)
        sides = sides_of(self.labels, self.request)
        for name, (low, high) in self._wholes.items():
            tally.check_magnitude(name, low, high, whole=low == low)
        return sides

    def _note_wholes(self, columns: Batch, extents: Mapping[str, Extent]) -> None:
        """Record the range of score columns in which no fraction has occurred yet."""
        for name in self.request.scores:
            low, high = self._wholes.get(name, (math.inf, -math.inf))
            extent = extents[name]
            if low == low and extent is not None:
                fractions = tally.has_fractions(columns[name].values)
                ends = (math.nan, math.nan) if fractions else (min(low, extent[0]), max(high, extent[1]))
                self._wholes[name] = ends

    def _weights(self, values: Array, used: Array | None) -> Array:
        name = str(self.request.weight)
        values = usable_weights(values, name, self.request.source, self.rows, used)
        self._heaviest = max(self._heaviest, float(values.max(initial=0)))
        if self._heaviest > 1:  # before its square is summed
            refuse_scale(self._heaviest, name)
        return values

    def _mask(self, column: Column) -> Array:
        """1 for positive labels, else 0; all labels are recorded."""
        if column.categories is not None:
            flags = np.zeros(len(column.categories), dtype=np.uint8)
            present = np.bincount(column.values).nonzero()[0].tolist() if len(column.values) else ()
            for code in present:
                label = column.categories[code]
                flags[code] = self._is_positive(label)
                self._note(label)
            return flags[column.values]
        values = column.values
        if not len(values):
            return np.zeros(0, dtype=np.uint8)
        low, high = values.min().item(), values.max().item()
        few = [low] if low == high else [low, high]
        between = low != high and not (values.dtype.kind in "biu" and high - low == 1)
        if between and np.count_nonzero(values == low) + np.count_nonzero(values == high) != len(values):
            few = np.unique(values)[: MOST_LABELS + 2].tolist()
        for label in few:
            self._note(label)
        positive = next((label for label in few if self._is_positive(label)), None)
        mask = np.zeros(len(values), dtype=bool) if positive is None else values == positive
        return mask.view(np.uint8)

    def _is_positive(self, label: Any) -> bool:
        return is_positive(label, self.request.positive)

    def _note(self, label: Any) -> None:
        if label not in self.labels:
            self.labels.append(label)
            if len(self.labels) > MOST_LABELS:
                sides_of(self.labels, self.request)  # raises an error

    def _slices(self, columns: Batch) -> Array:
        """The slice number of each row; slices are numbered in order of appearance."""
        codes = [coded(columns[name]) for name in self.request.by]
        combined, size = codes[0][0], len(codes[0][1]) + 1
        for positions, values in codes[1:]:
            combined = combined * (len(values) + 1) + positions
            size *= len(values) + 1
        if size < NARROW:
            present = np.flatnonzero(np.bincount(combined, minlength=size))
            numbers = np.zeros(size, dtype=np.int64)
            numbers[present] = self._numbers(present, [values for _, values in codes])
            return numbers[combined]
        present, inverse = distinct(combined)
        return self._numbers(present, [values for _, values in codes])[inverse]

    def _numbers(self, present: Array, columns: Sequence[list[Any]]) -> Array:
        """The numbers of slices by their combined codes; new slices get the next number."""
        numbers = []
        for code in present.tolist():
            key: tuple[Any, ...] = ()
            for values in reversed(columns):
                code, place = divmod(code, len(values) + 1)
                key = (values[place] if place < len(values) else None, *key)
            numbers.append(self.slices.setdefault(key, len(self.slices)))
        check_slices(self.slices, self.request.by)
        return np.array(numbers, dtype=np.int64)


NARROW = 2**20
"""Whole numbers that differ by less are distinguished by counting; others are sorted."""


def distinct(values: Array) -> tuple[Array, Array]:
    """The distinct values in ascending order, and the position of each value among them.

    Whole numbers in a narrow range, as those of slices are, take a tenth of the time that sorting takes.

    >>> distinct(np.array([7, 3, 7]))
    (array([3, 7]), array([1, 0, 1]))
    """
    if values.dtype.kind not in "iu" or not len(values):
        present, positions = np.unique(values, return_inverse=True)
        return present, positions.reshape(-1)
    low, high = values.min(), values.max()
    if int(high) - int(low) >= NARROW:
        present, positions = np.unique(values, return_inverse=True)
        return present, positions.reshape(-1)
    offsets = (values - low).astype(np.int64, copy=False)
    offset = np.flatnonzero(np.bincount(offsets))
    position = np.zeros(int(high) - int(low) + 1, dtype=np.int64)
    position[offset] = np.arange(len(offset))
    return offset.astype(values.dtype) + low, position[offsets]


def check_slices(slices: Collection[tuple[Any, ...]], by: Sequence[str]) -> None:
    """Raise an error for too many slices, before memory is allocated for them."""
    if len(slices) <= MOST_SLICES:
        return
    for index, name in enumerate(by):
        if len({key[index] for key in slices}) > MOST_SLICES:
            raise too_many_slices(name)
    if len(slices) > MOST_COMBINED:
        raise too_many_slices(" and ".join(by), MOST_COMBINED)


def coded(column: Column) -> tuple[Array, list[Any]]:
    """Codes and the values they encode; the code after the last one means missing."""
    if column.categories is not None:
        values = [plain(value) for value in column.categories]
        return np.where(column.values < 0, len(values), column.values), values
    lost = column.missing()
    present, positions = distinct(column.values if lost is None else column.values[~lost])
    codes = np.full(len(column.values), len(present), dtype=np.int64)
    codes[slice(None) if lost is None else ~lost] = positions
    return codes, [plain(value) for value in present]


def plain(value: Any) -> Any:
    """A value of a slice as a Python object: missing values such as NaN become None; whole floats stay as they are."""
    if isinstance(value, np.generic):
        value = value.item()
    return None if value is None or value != value or is_blank(value) else value


# ---- labels ----

GREATER = frozenset(greater for _, greater in tally.PAIRS)
"""Text labels that are recognized as positive."""
WHOLE_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.0)?")
"""A number that a class may have, with or without the point of a float."""


def is_positive(label: Any, positive: Any) -> bool:
    """Whether a label is the positive one: as specified, or by the common rule (1, True, and these as text)."""
    if positive is None:
        return label in GREATER if isinstance(label, str) else bool(label == 1)
    return bool(label == spoken(positive, label))


def spoken(positive: Any, label: Any) -> Any:
    """The positive label in the type of a label: 1, 1.0 and "1" name the same class, and so do True and "true".

    >>> spoken(1, "1.0"), spoken("1", 2.0), spoken("3.0", 3), spoken("yes", 1)
    ('1.0', 1.0, 3, 'yes')
    """
    if isinstance(label, str):
        return label if label in spellings(positive) else str(positive)
    if isinstance(positive, str) and isinstance(label, bool | np.bool_):
        return {"true": True, "false": False}.get(positive.lower(), positive)
    if isinstance(positive, str) and isinstance(label, int | float):
        for text in spellings(positive):
            with suppress(ValueError):
                return type(label)(text)
    return positive


def spellings(positive: Any) -> tuple[str, ...]:
    """A positive label as files spell it: numbers with and without a point, truth values in small and capital letters.

    >>> spellings("1"), spellings("yes"), spellings(True)
    (('1', '1.0'), ('yes',), ('True', '1', '1.0', 'true', 'TRUE'))
    """
    text = str(positive)
    words = [text]
    if isinstance(positive, int | float | np.number | np.bool_) and positive in (0, 1):  # a truth value, as in NumPy
        words += ["1", "1.0", "True"] if positive else ["0", "0.0", "False"]
    elif WHOLE_NUMBER.fullmatch(text):
        whole = text.partition(".")[0]
        words += [whole, f"{whole}.0"]
    words += [form for word in words if word.lower() in ("true", "false") for form in _forms(word)]
    return tuple(dict.fromkeys(words))


def _forms(word: str) -> tuple[str, ...]:
    return word.capitalize(), word.lower(), word.upper()


def only_match(positive: Any, labels: Sequence[Any], name: str) -> Any:
    """The label to which the positive label refers; if there is none, the positive label in the type of the labels."""
    fitting = [label for label in labels if is_positive(label, positive)]
    if len(fitting) > 1:
        shown = " and ".join(sorted(repr(label) for label in fitting))
        raise RocscopeError(f"positive label {positive!r} matches several labels of {name}: {shown}", hint="Rename one")
    return fitting[0] if fitting else absent_positive(positive, labels)


def absent_positive(positive: Any, labels: Sequence[Any]) -> Any:
    """A positive label that no row has, spelled as the other one of its pair: 1.0 is "1" beside "0".

    >>> absent_positive("1.0", ["0"]), absent_positive(1, ["0.0"]), absent_positive("1", [0])
    ('1', '1.0', 1)
    """
    forms = set(spellings(positive))
    partners = (pair for pair in map(set, tally.PAIRS) if not pair.isdisjoint(labels) and not pair.isdisjoint(forms))
    return next((pair.intersection(forms).pop() for pair in partners), spoken(positive, labels[0]))


def sides_of(labels: Sequence[Any], request: TableRequest) -> tuple[Any, Any]:
    """(negative, positive) of the labels seen, as specified or by the common rule; anything else is an error."""
    present = [int(label) if isinstance(label, float) and label.is_integer() else label for label in labels]
    positive = request.positive
    if positive is not None and present:
        positive = only_match(positive, present, request.label)
    sides: tuple[Any, Any] = tally.binary(tally.in_order(present, request.label), positive, request.label)[1]
    return sides


# ---- error messages shared by files, data frames, arrays and engines ----


class NegativeWeight(RocscopeError):
    """A weight is negative."""


class MissingValues(RocscopeError):
    """Values are missing; only a reader that processes a file row by row knows their locations."""


def missing_values(
    lacking: Mapping[str, int], source: Located | None = None, first: Mapping[str, int] | None = None,
    *, hint: str = 'Leave such rows out with missing="drop"',
) -> MissingValues:  # fmt: skip
    """Create the error for missing values that are not allowed: the number per column, and the first one."""
    parts: list[str] = []
    for name, count in lacking.items():
        rows = "1 row" if count == 1 else f"{count:,} rows"
        where = f" ({source.first(first[name])})" if source is not None and first and name in first else ""
        parts.append(f"'{name}' {'in' if parts else 'is missing in'} {rows}{where}")
    return MissingValues(_named(source, ", ".join(parts)), hint=hint)


def _named(source: Located | None, text: str) -> str:
    return text if source is None else f"{source.name}: {text}"


def nothing_left(rows: int, left_out: Mapping[str, int], source: Source | None = None) -> RocscopeError:
    """Create the error for data without a usable row."""
    if not rows:
        return RocscopeError(_named(source, "there are no rows"))
    reasons = ", ".join(f"{count:,} {reason}" for reason, count in left_out.items())
    return RocscopeError(_named(source, f"none of {rows:,} rows can be used: {reasons}"))


def infinite(
    name: str, count: int, source: Source | None = None, row: int | None = None, value: Any = None
) -> RocscopeError:
    """Create the error for infinite numbers, which are not allowed under any policy for missing values."""
    plural = "value" if count == 1 else "values"
    where = "" if source is None or row is None else f" ({source.first(row)}: {value})"
    return RocscopeError(_named(source, f"'{name}' has {count:,} infinite {plural}{where}"), hint=tally.INFINITE)


def negative(name: str, where: str = "", what: str = "Weights must be counts or shares") -> NegativeWeight:
    """Create the error for negative weights or costs."""
    return NegativeWeight(f"{name} must be 0 or more, but it is negative{where}", hint=what)


def not_numbers(name: str, example: Any = None, kind: str = "text") -> RocscopeError:
    """Create the error for a column that should contain numbers but does not, with an example or its kind."""
    shown = "" if example is None else f", such as {str(example)[:40]!r}"
    if not (example is None or isinstance(example, str)):
        kind = f"values of type {type(example).__name__}"
    decimals = "Cast the column to 64-bit floats" if kind.endswith("Decimal") else ""
    hint = decimals or "Check that this is the right column"
    return RocscopeError(f"{name} must contain numbers, but it contains {kind}{shown}", hint=hint)


def refuse_scale(heaviest: float, name: str) -> None:
    """Raise an error for weights that are all zero, or too large or too small to be multiplied."""
    if not heaviest > 0:
        raise RocscopeError(f"{name} is zero in all rows", hint="At least one row needs a positive weight")
    tally.refuse_extreme(heaviest, name)


def too_many_slices(name: str, most: int = MOST_SLICES) -> RocscopeError:
    """The error for a column with so many values that it is probably an id."""
    hint = "The column may be an id or a score. Group numbers into ranges first"
    return RocscopeError(f"{name} has more than {most:,} distinct values, which is too many for slices", hint=hint)


def refuse_text(column: Column, name: str, source: Source | None = None, before: int = 0) -> None:
    """Raise an error for a text column where numbers are needed, with the first invalid cell and its location."""
    known = [value for value in column.categories or () if value is not None]
    if not known:
        return
    from rocscope.sources.text_table import MISSING, not_a, number

    texts = [str(category).strip() if isinstance(category, str) else "" for category in column.categories or ()]
    odd = [code for code, text in enumerate(texts) if text.lower() not in MISSING and number(text) is None]
    if not odd or source is None:
        raise not_numbers(name, known[0])
    row = int(np.isin(column.values, odd).argmax())
    where = f"{source.location(before + row)}, column '{name}'"
    raise not_a("a finite number", str(column.objects()[row]), where)


def refuse_infinite(
    values: Array, name: str, source: Source | None, before: int = 0, used: Array | None = None
) -> None:
    """Raise an error for infinite numbers; these are the `used` rows of a batch that `before` rows precede."""
    wide = np.isinf(values) if values.dtype.kind == "f" else np.zeros(0, dtype=bool)
    if wide.any():
        at = int(wide.argmax())
        row = before + (at if used is None else int(used[at]))
        raise infinite(name, int(np.count_nonzero(wide)), source, row, values[at])


def usable_weights(
    values: Array, name: str, source: Source | None = None, before: int = 0, used: Array | None = None,
    what: str = "Weights must be counts or shares",
) -> Array:  # fmt: skip
    """Weights as integers or floats.

    Negative ones are an error that gives the first, as in `refuse_infinite`.
    """
    whole = values.dtype.kind in "bui" and values.dtype != np.uint64
    values = values.astype(np.int64 if whole else np.float64, copy=False)
    if len(values) and values.min() < 0:
        at = int((values < 0).argmax())
        where = "" if source is None else f"{source.first(before + (at if used is None else int(used[at])))}: "
        raise negative(name, f" ({where}{values[at]:g})", what)
    return values


def _score(values: Array) -> Array:
    """Scores in their own type, except that booleans become integers and half floats become floats."""
    if values.dtype.kind == "b":
        return values.astype(np.uint8)
    if values.dtype.kind == "f":
        if values.dtype.itemsize not in (4, 8):
            return values.astype(np.float32 if values.dtype.itemsize == 2 else np.float64)
        if not values.dtype.isnative:
            return values.astype(values.dtype.newbyteorder("="))
    return values


def rows_that_fit(budget: int, request: TableRequest, row: int) -> float:
    """The maximum number of rows of an exact computation."""
    each = row * len(request.scores) + (0 if request.weight is None else 8 + 16 * len(request.scores))
    return math.inf if budget < 0 else budget // each
