"""An Arrow stream through a pipe: read once, batch by batch, the needed columns alone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from rocscope.errors import RocscopeError
from rocscope.sources import database
from rocscope.sources.column_batches import BATCH, Batch, of_arrow
from rocscope.sources.csv import check_names
from rocscope.sources.formats import ARROW, ARROW_STREAM
from rocscope.sources.loaded import Part
from rocscope.sources.pipes import Pipe, roles
from rocscope.sources.typed import TypedFile, check_types, open_typed


@dataclass(frozen=True, slots=True, eq=False)
class TableFile(TypedFile):
    """Batches in memory, read as a file is."""

    table: Any = None

    def reader(self, connection: Any) -> str:
        """What stands after FROM."""
        connection.register("arrow", self.table)
        return "arrow"


class ArrowPipe(Pipe[Any]):
    """An Arrow stream that flows by: its types and its first batch are known."""

    def __init__(self, file: TableFile, reader: Any) -> None:
        super().__init__(file)
        self._reader, self._first = reader, file.table

    @classmethod
    def of(cls, file: Any, name: str, workshop: database.Workshop, memory: int) -> ArrowPipe:
        """The stream behind a file, which is read as far as its first batch with rows."""
        import pyarrow as pa

        with _sound(name):
            reader = pa.ipc.open_stream(pa.PythonFile(file, mode="r"))
            check_names(reader.schema.names, name)
            first = next((batch for batch in reader if batch.num_rows), None)
        if first is None:
            raise RocscopeError(f"{name} has no rows")
        return cls(_described(_table([first]), name, workshop, memory), reader)

    def batches(self, names: Sequence[str], numbers: Sequence[str]) -> Iterator[Batch]:
        """The named columns in batches, with the types they have."""
        for table in self.items(roles(names, [one for one in numbers if one in names])):
            for start in range(0, table.num_rows, BATCH):
                yield {name: of_arrow(_array(table.column(name).slice(start, BATCH))) for name in names}

    def _begin(self, needed: Mapping[str, str]) -> None:
        super()._begin(needed)
        check_types(self._file, needed)

    def _next(self) -> Any:
        assert self._needed is not None
        found, self._first = self._first, None
        if found is None:
            with _sound(self.name):
                batch = next(iter(self._reader), None)
            if batch is None:
                return None
            found = _table([batch])
        self._seen += found.num_rows
        return found.select(list(self._needed))

    def _complete(self, items: list[Any], needed: Mapping[str, str], missing: str) -> Part:
        import pyarrow as pa

        file = self._file
        whole = _described(pa.concat_tables(items), file.name, file.workshop, file.memory)
        return whole.load(needed, missing=missing)

    def _keep(self) -> Any:
        import pyarrow as pa

        path = self._file.workshop.path("kept")
        with _sound(self.name), pa.ipc.new_stream(path, self._reader.schema) as sink:
            sink.write_table(self._file.table)
            for batch in self._reader:
                sink.write_batch(batch)
        return open_typed(path, self.name, ARROW_STREAM, workshop=self._file.workshop, memory=self._file.memory)


@contextmanager
def _sound(name: str) -> Iterator[None]:
    """What pyarrow refuses in our own words."""
    import pyarrow as pa

    try:
        yield
    except (pa.ArrowException, OSError, ValueError) as error:
        said = " ".join(str(error).split())[:120]
        raise RocscopeError(f"{name} is not a complete {ARROW} file: {said}") from None


def _table(batches: Sequence[Any]) -> Any:
    import pyarrow as pa

    table = pa.Table.from_batches(batches)
    table.validate()
    return table


def _array(column: Any) -> Any:
    return column.chunk(0) if column.num_chunks == 1 else column


def _described(table: Any, name: str, workshop: database.Workshop, memory: int) -> TableFile:
    unknown = TableFile(name, "", ARROW_STREAM, (), (), table.num_rows, 0, workshop, memory, table)
    with unknown._connected() as (connection, source):
        described = connection.execute(f"DESCRIBE SELECT * FROM {source}").fetchall()
    names, types = zip(*((row[0], row[1]) for row in described), strict=True)
    return TableFile(name, "", ARROW_STREAM, names, types, table.num_rows, 0, workshop, memory, table)
