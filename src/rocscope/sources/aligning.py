"""Several files of the same cases, brought into the order of the first by a column of ids."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rocscope.errors import RocscopeError
from rocscope.sources.csv import ID, TextColumns
from rocscope.sources.files import SmallFile
from rocscope.sources.legacy import Columns, LargeColumns
from rocscope.sources.loaded import Loaded, Part, Texts
from rocscope.tally import order as order_of

Array = NDArray[Any]
_CASE = "case"  # an id needed as text


def aligned(
    files: Sequence[Columns],
    needed: Sequence[Mapping[str, str]],
    names: Sequence[Mapping[str, str]],
    *,
    id: str | Sequence[str],
) -> Loaded:
    """The needed columns of all files in the order of the first; ids that repeat or do not match are refused.

    `needed` says what each file's columns are needed as, `names` what they are called afterwards, `id` which column
    names the cases: one in all files, or one for each.
    """
    ids = [id] * len(files) if isinstance(id, str) else list(id)
    parts = [_part(file, {one: ID, **columns}) for file, columns, one in zip(files, needed, ids, strict=True)]
    held = [part.columns[one] for part, one in zip(parts, ids, strict=True)]
    hashed = [column for column in held if not isinstance(column, Texts)]
    orders = _orders(hashed) if len(hashed) == len(parts) else None
    if orders is None:
        cells = [_texts(*one) for one in zip(files, ids, strict=True)]
        orders = _orders_of_text(cells, [file.source for file in files], ids[0])
    found: dict[str, Array | Texts] = {}
    for part, order, called in zip(parts, orders, names, strict=True):
        for column, name in called.items():
            found.setdefault(name, _taken(part.columns[column], order))
    first = files[0]
    return Loaded(first.source, first.names, found)


def _part(file: Columns, needed: Mapping[str, str]) -> Part:
    kept, _ = file.complete(needed, missing="refuse")
    if isinstance(kept, Loaded):
        return Part(kept.columns)
    small = LargeColumns(kept.source, kept.names, (SmallFile(kept),))
    return Part(small.complete(needed, missing="refuse")[0].columns)


def _texts(file: Columns, id: str) -> list[str]:
    if isinstance(file, TextColumns):
        return file.text(id)
    kept, _ = file.complete({id: _CASE}, missing="refuse")
    found: list[str] = kept.text(id).tolist()
    return found


def _taken(column: Array | Texts, order: Array | None) -> Array | Texts:
    if order is None:
        return column
    return column.take(order) if isinstance(column, Texts) else column[order]


# --- by words that stand for the ids: their bytes, stirred, or the hash and the length of each


def _orders(ids: Sequence[Array]) -> list[Array | None] | None:
    """For each file the rows in the order of the first; None when ids repeat or do not match, or were read apart."""
    if len({one.dtype for one in ids}) > 1 or len(set(map(len, ids))) > 1:
        return None
    first = _words(ids[0])
    by_id = order_of(first[0])
    rising = [words[by_id] for words in first]
    if (rising[0][1:] == rising[0][:-1]).any():
        return None
    orders: list[Array | None] = [None]
    for other in map(_words, ids[1:]):
        if all(map(np.array_equal, other, first)):
            orders.append(None)
            continue
        here = order_of(other[0])
        if not all(np.array_equal(words[here], known) for words, known in zip(other, rising, strict=True)):
            return None
        order = np.empty_like(by_id)
        order[by_id] = here
        orders.append(order)
    return orders


def _words(ids: Array) -> list[Array]:
    return [ids] if ids.dtype.names is None else [ids[name] for name in ids.dtype.names]


# --- by the ids themselves, which can say what is wrong


def _orders_of_text(ids: Sequence[list[str]], sources: Sequence[str], name: str) -> list[Array | None]:
    for cells, source in zip(ids, sources, strict=True):
        _refuse_repeated(cells, source, name)
    first = {cell: row for row, cell in enumerate(ids[0])}
    orders: list[Array | None] = [None]
    for cells, source in zip(ids[1:], sources[1:], strict=True):
        place = {cell: row for row, cell in enumerate(cells)}
        _refuse_unmatched(first, place, sources[0], source, name)
        orders.append(np.fromiter((place[cell] for cell in ids[0]), dtype=np.int64, count=len(ids[0])))
    return orders


def _refuse_repeated(cells: Sequence[str], source: str, name: str) -> None:
    if len(set(cells)) == len(cells):
        return
    from collections import Counter

    twice = [cell for cell, times in Counter(cells).items() if times > 1]
    raise repeated(len(twice), twice[0], source, name)


def repeated(count: int, first: str, source: str, name: str) -> RocscopeError:
    """The refusal of ids that stand in a file more than once."""
    ids = f"1 id ('{first[:40]}') stands" if count == 1 else f"{count:,} ids stand"
    example = "" if count == 1 else f" (first '{first[:40]}')"
    return RocscopeError(
        f"{source}: {ids} more than once in '{name}'{example}", hint="Every case needs an id of its own"
    )


def other_labels(label: str, count: int, source: str, first: str) -> RocscopeError:
    """The refusal of files that do not agree about the truth."""
    cases = "1 case" if count == 1 else f"{count:,} cases"
    return RocscopeError(f"'{label}' of {source} is not that of {first} in {cases}")


def _refuse_unmatched(
    first: Mapping[str, int], other: Mapping[str, int], source: str, other_source: str, name: str
) -> None:
    lacking = [cell for cell in first if cell not in other]
    more = [cell for cell in other if cell not in first]
    sides = [(len(cells), cells[0], where) for cells, where in ((lacking, source), (more, other_source)) if cells]
    if sides:
        raise unmatched(sides, name)


def unmatched(sides: Sequence[tuple[int, str, str]], name: str) -> RocscopeError:
    """The refusal of ids that not every file has: how many, the first, and where they are."""
    parts = [f"{count:,} of {where} (first '{first[:40]}')" for count, first, where in sides]
    return RocscopeError(
        f"ids in '{name}' without a match: {' and '.join(parts)}", hint="Models are compared on the same cases"
    )
