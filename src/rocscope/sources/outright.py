"""Text files that fit memory, reduced outright: their columns are arrays as soon as they have been read."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from rocscope.sources.checks import Asked, Clerk, rows_that_fit
from rocscope.sources.column_batches import Column
from rocscope.sources.csv import number
from rocscope.sources.source import BUDGET, ROW, Reduced, Source, Unread

if TYPE_CHECKING:
    from rocscope.sources.bulk import CsvFile
    from rocscope.sources.files import LargeColumns

Array = NDArray[Any]


class TextSource(Unread):
    """A CSV file of which the header alone was read: a plain one that fits memory is read without DuckDB."""

    file: CsvFile | None = None
    numbers: frozenset[str] = frozenset()


def text_source(columns: LargeColumns, numbers: Collection[str], make: Callable[[], Source]) -> TextSource | None:
    """The source of one large CSV file; None of anything else. `make` gives the one with the relation."""
    from rocscope.sources.bulk import CsvFile

    file = columns.files[0]
    if len(columns.files) > 1 or not isinstance(file, CsvFile):
        return None
    made = TextSource.until(
        make, name=columns.source, kind=file.kind, columns=columns.names, bytes=columns.bytes, held=columns
    )
    object.__setattr__(made, "file", file)
    object.__setattr__(made, "numbers", frozenset(numbers))
    return made


def plain_tables(source: Source, asked: Asked) -> Reduced | None:
    """The exact tables of a source that is one CSV file; None where it is not, is too large, or has slices."""
    if not isinstance(source, TextSource) or asked.by or not source.numbers.issuperset(asked.wanted[1:]):
        return None
    file, fit = source.file, rows_that_fit(BUDGET if asked.budget is None else asked.budget, asked, ROW)
    if file is None or file.rows > fit:
        return None
    text = asked.label not in source.numbers
    needed = {name: reason.removeprefix("no ") for reason, name in zip(asked.reasons, asked.wanted, strict=True)}
    part = file.load(needed, missing=asked.missing)
    label = _label(part.columns[asked.label], text=text)
    if label is None or len(part) > fit:
        return None
    numbers = {name: Column(np.asarray(part.columns[name])) for name in asked.wanted[1:]}
    found, lost = _reduced({asked.label: label, **numbers}, asked), dict(part.left_out)
    return replace(found, left_out=lost, rows=found.rows + sum(lost.values()))


def _label(column: Any, *, text: bool) -> Column | None:
    """The column of labels as the relation has it: text, or numbers."""
    # Where a quote before these letters was taken away, the relation still has it.
    if column.lost() is not None or any(value.startswith(("=", "+", "-", "@", "\t", "\r")) for value in column.values):
        return None
    return Column(column.codes, None, column.values) if text else _numbered(column.codes, column.values)


def _numbered(codes: Array, values: Sequence[str]) -> Column | None:
    numbers = [number(value.strip()) for value in values]
    found = np.array([np.nan if value is None else value for value in numbers])
    if np.isnan(found).any():
        return None
    if codes.dtype == np.int8 and np.array_equal(found, np.arange(len(found))):
        return Column(codes.view(np.uint8))
    return Column(found[codes])


def _reduced(batch: Mapping[str, Column], asked: Asked) -> Reduced:
    from rocscope.sources.certified import Pile, piled

    clerk, pile = Clerk(asked), Pile(own=True)
    pile.add(clerk.take(batch))
    return piled(pile, clerk, clerk.settle(), asked)
