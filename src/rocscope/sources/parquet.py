"""Parquet files read with pyarrow, some rows at a time, while the rows before them are worked on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from rocscope.sources.background import ahead

PIECE = 2**18
"""Rows read at a time: a column of them stays in the processor's cache until it is counted."""


@dataclass(frozen=True, slots=True)
class ParquetFiles:
    """Files with the same columns, one after the other.

    `pyarrow.dataset` does the same, but loading it loads pandas too, which takes as long as reading 5e7 rows.
    """

    paths: tuple[str, ...]

    def share(self, names: Sequence[str]) -> bool:
        """Whether all files have the columns, with the same types."""
        import pyarrow.parquet as pq

        schemas = [pq.read_schema(path) for path in self.paths]
        if any(set(names) - set(schema.names) for schema in schemas):
            return False
        return all(schema.field(name).type == schemas[0].field(name).type for schema in schemas for name in names)

    def pieces(self, names: Sequence[str]) -> Iterator[Any]:
        """Record batches of the columns, read by a thread of its own."""
        return ahead(read(self.paths, names))


def read(paths: Sequence[str], names: Sequence[str], *, filesystem: Any = None) -> Iterator[Any]:
    """Record batches of the columns; a scanner would read as fast as it can, and memory grow to the file's size."""
    import pyarrow.parquet as pq

    for path in paths:
        with pq.ParquetFile(path, filesystem=filesystem, pre_buffer=False) as file:
            # one thread: two would wait for each other at every piece
            yield from file.iter_batches(PIECE, columns=list(names), use_threads=False)
