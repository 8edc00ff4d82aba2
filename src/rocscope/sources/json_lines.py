"""JSON lines: one object per line, read line by line; numbers keep their original digits."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from rocscope.errors import RocscopeError
from rocscope.sources.csv import empty
from rocscope.sources.text_table import NestedValue, Record, TextTable, cell_of

DEEPEST = 100  # maximum nesting depth; predictions are flat


def read_json_lines(lines: Iterable[str], source: str) -> TextTable:
    r"""The columns of a small JSON lines file: the keys of its objects, in order of appearance.

    >>> columns = read_json_lines(['{"y": 1, "p": 0.5}\n', '{"p": 0.25, "y": null}\n'], "scores.jsonl")
    >>> columns.columns, columns.cells("y"), columns.numbers("p")
    (('y', 'p'), ['1', ''], [0.5, 0.25])
    """
    read = JsonRows(lines, source)
    objects = list(read.objects())
    if not objects:
        raise empty(source)
    names = tuple(dict.fromkeys(key for _, row in objects for key in row))
    rows = tuple(tuple(row.get(name, "") for name in names) for _, row in objects)
    return TextTable(source, names, rows, tuple(line for line, _ in objects), read.blank_lines)


@dataclass(slots=True)
class JsonRows:
    """JSON lines being read: objects are read one by one, and blank lines are counted."""

    lines: Iterable[str]
    source: str
    names: Sequence[str] = ()
    blank_lines: int = 0

    def rows(self) -> Iterator[Record]:
        """Yield each row with its line number, with one cell for each name."""
        for line, row in self.objects():
            yield line, [row.get(name, "") for name in self.names]

    def objects(self) -> Iterator[tuple[int, dict[str, str]]]:
        """Yield each object with its line number, values as text."""
        how: dict[str, Any] = {"parse_float": _Number, "parse_int": _Number, "parse_constant": _not_json}
        kinds: dict[str, bool] = {}
        read = json.JSONDecoder(object_pairs_hook=_object, **how).decode
        for number, line in enumerate(self.lines, 1):
            if line.strip():
                yield number, _decoded(line, read, f"{self.source}, line {number}", kinds)
            else:
                self.blank_lines += 1


def _decoded(line: str, read: Any, where: str, kinds: dict[str, bool]) -> dict[str, str]:
    depth = line.count("{") + line.count("[")
    if depth > DEEPEST:
        raise RocscopeError(f"{where}: more than {DEEPEST} brackets", hint="Use one flat object per line")
    try:
        row = read(line)
    except json.JSONDecodeError as error:
        raise RocscopeError(f"{where} is not JSON: {error.msg} at character {error.colno}") from None
    except ValueError as error:
        raise RocscopeError(f"{where}: {error}") from None
    if not isinstance(row, dict):
        raise RocscopeError(f"{where} is not an object", hint='Each line must be one object: {"y": 1, "score": 0.9}')
    return {key: _cell(value, key, kinds) for key, value in row.items()}


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) < len(pairs):
        seen: set[str] = set()
        twice = next(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]
        raise ValueError(f"the key '{twice[:40]}' appears twice")
    return members


def _not_json(word: str) -> Any:
    raise ValueError(f"{word} is not JSON; write null for a missing value")


class _Number(str):
    """A number in its original spelling; text is a plain str."""

    __slots__ = ()


def _cell(value: Any, name: str, kinds: dict[str, bool]) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, dict | list):
        return NestedValue(json.dumps(value)[:60])
    return cell_of(str(value), isinstance(value, _Number), kinds, name)
