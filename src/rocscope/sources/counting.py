"""How many rows a source has, asked of its own engine where it does not say so itself."""

from __future__ import annotations

from rocscope.sources.source import Source


def count(source: Source) -> int:
    """The number of rows.

    >>> from rocscope import sources
    >>> count(sources.open({"y": [0, 1], "p": [0.2, 0.9]}))
    2
    """
    if source.rows is not None:
        return source.rows
    if hasattr(source.native, "count_rows"):  # a pyarrow dataset
        return int(source.native.count_rows())
    import narwhals.stable.v2 as nw

    return int(nw.from_native(source.native).lazy().select(nw.len()).collect().item())
