"""Folders of Parquet files; subfolders such as country=de are columns, as written by Hive, Spark and Arrow."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator

from rocscope.errors import RocscopeError

Partition = tuple[tuple[str, str | int | None], ...]
"""Columns that are constant in one file, with their values."""

NO_VALUE = "__HIVE_DEFAULT_PARTITION__"
_WHOLE = re.compile(r"-?(0|[1-9][0-9]{0,17})")


def parquet_files(folder: str) -> list[tuple[str, Partition]]:
    """The Parquet files in a folder and its subfolders, each with the columns that its subfolders define.

    Names that begin with a dot or an underscore are skipped, as in Spark. A column whose values are all whole numbers
    is numeric.
    """
    paths = sorted(_below(folder))
    if not paths:
        raise RocscopeError(f"{folder} is a directory", hint="Name a file in it, or a directory of Parquet files")
    texts = [_columns(os.path.relpath(os.path.dirname(path), folder)) for path in paths]
    text_columns = {
        name
        for columns in texts
        for name, value in columns.items()
        if value is not None and not _WHOLE.fullmatch(value)
    }
    return [
        (path, tuple((name, _value(text, name not in text_columns)) for name, text in columns.items()))
        for path, columns in zip(paths, texts, strict=True)
    ]


def _below(folder: str) -> Iterator[str]:
    for parent, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith((".", "_"))]
        for name in names:
            if name.lower().endswith((".parquet", ".pq")) and not name.startswith((".", "_")):
                yield os.path.join(parent, name)


def _columns(folders: str) -> dict[str, str | None]:
    from urllib.parse import unquote

    pairs = (part.partition("=") for part in folders.split(os.sep) if "=" in part)
    return {unquote(name): None if value == NO_VALUE else unquote(value) for name, _, value in pairs}


def _value(text: str | None, whole: bool) -> str | int | None:
    return int(text) if whole and text is not None else text
