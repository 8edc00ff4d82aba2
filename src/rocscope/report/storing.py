"""Tables into files, whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path

from rocscope.errors import RocscopeError
from rocscope.report.files import write_with
from rocscope.sources.table_files import Saved, write
from rocscope.table import Confusion, ScoreTable

ENDING = ".rst"


def save_table(
    table: ScoreTable | Confusion,
    path: str | os.PathLike[str],
    *,
    name: str = "",
    unit: str = "case",
    left_out: Mapping[str, int] | None = None,
    force: bool = False,
    inputs: Iterable[str | Path] = (),
) -> None:
    """Write a table to a file that ends in .rst: into a neighbour first, then renamed over the old one.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     ScoreTable.from_scores([1, 0], [0.9, 0.1]).save(f"{folder}/day1.rst")
    ...     ScoreTable.load(f"{folder}/day1.rst").scores
    array([0.9, 0.1])
    """
    named = os.fspath(path)
    if not named.lower().endswith(ENDING):
        raise RocscopeError(f"{named}: a table of rocscope ends in {ENDING}", hint=f"Name it like day1{ENDING}")
    held = Saved(table, name, unit, dict(left_out or {}))
    write_with(Path(path), lambda place: write(held, place), force=force, inputs=inputs)
