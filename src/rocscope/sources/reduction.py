"""The entry point of the reduction of any source to score tables."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from rocscope.sources.column_batches import local, release_unused
from rocscope.sources.files import reading
from rocscope.sources.source import TOLERANCE, Progress, Reduced, Source
from rocscope.sources.usable_rows import TableRequest, checked

Computed = TypeVar("Computed")


def tables(
    source: Source,
    *,
    label: str,
    scores: Sequence[str],
    weight: str | None = None,
    weights_are: str = "sampling",
    by: Sequence[str] = (),
    positive: Any = None,
    missing: str = "error",
    higher_is_positive: bool = True,
    budget: int | None = None,
    tolerance: float = TOLERANCE,
    exact: bool = False,
    progress: Progress | None = None,
) -> Reduced:
    """Every score column and every slice of a source as a score table, in one reduction.

    The tables are exact if the rows fit into `budget` bytes (`BUDGET`, or `ENGINE_BUDGET` for engines that hold their
    rows elsewhere); otherwise they use dyadic cells: after each pass, the cells that add most to the bound 1/2 Σ p n /
    (P N) of the AUC are split, until the bound is at most `tolerance` (or, for a slice, 1 % of its standard error). A
    cell with one distinct score is a tie and adds nothing. Brier score and log loss stay exact. A source that can be
    read only once is not split further. With `exact`, the order inside the cells is counted too, one range of values at
    a time, so the areas are exact. Rows without a label, score or weight are refused or, with missing="drop", left out
    and counted; with several scores, a row needs a value in each. Infinite scores and negative weights are refused.
    `positive` may be given as text.

    >>> from rocscope import sources
    >>> source = sources.open({"y": [1, 0, None, 1], "p": [0.9, 0.1, 0.5, 0.3], "site": ["a", "a", "a", "b"]})
    >>> found = tables(source, label="y", scores=["p"], by=["site"], missing="drop")
    >>> list(found.tables), found.left_out
    ([('a', 'p'), ('b', 'p')], {'no label': 1})
    """
    request = TableRequest(
        label, tuple(scores), weight, weights_are, tuple(by), positive, missing, higher_is_positive, budget,
        tolerance, exact, progress, source,
    )  # fmt: skip
    return on_request(source, request, tables_of)


def on_request(source: Source, request: TableRequest, compute: Callable[[Source, TableRequest], Computed]) -> Computed:
    """Check a request, open the source for the columns it needs, and compute what it asks for."""
    request = checked(source, request)
    return reading(
        source,
        request.wanted[1:],
        lambda opened: compute(opened, replace(request, source=opened)),
        label=request.label,
        budget=request.budget,
    )


def tables_of(source: Source, request: TableRequest) -> Reduced:
    """Compute the tables of a source that is ready to be read."""
    if local(source):
        from rocscope.sources.certified import reduce_local

        reduced = reduce_local(source, request)
        release_unused()  # 100 MiB after 1e7 rows of CSV
        return replace(reduced, notes=(_one_pass(source),)) if source.once and reduced.bound else reduced
    from rocscope.sources.engines import reduce_in_engine

    return reduce_in_engine(source, request)


def _one_pass(source: Source) -> str:
    """The note about cells that cannot be split because the source can be read only once."""
    return (
        f"The rows of {source.name} were read in one pass; the bound of the AUC can be made smaller by reading "
        "from a file."
    )
