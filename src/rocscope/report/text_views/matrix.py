"""Confusion matrices as grids: axis names, counts and percentages, errors marked, limited to the width."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from numbers import Real
from typing import Any

from rocscope.report.sheet import Block, Field, Line, Paragraph, Span, Tabular, data, escape, quiet
from rocscope.report.sheet_formats import Look, fits
from rocscope.table import Confusion, Counts, sum_of_cells
from rocscope.text import percent, short_name, show_count

LIMITS = (24, 16, 10, 7)  # label lengths, in characters, tried in turn until the matrix fits
MOST_CONFUSED = 10


def counts_blocks(
    counts: Counts, look: Look, *, rows: str = "actual", single: bool = True, negative_first: bool = False
) -> list[Block]:
    """The four cells of counts as a grid, with the positive class first or last, and rates at the ends of the rows."""
    by_actual = [[counts.tp, counts.fn], [counts.fp, counts.tn]]
    cells = by_actual if rows == "actual" else [list(column) for column in zip(*by_actual, strict=True)]
    positive, negative, all_rows = _rates(counts, rows)
    if negative_first:
        turned = [row[::-1] for row in cells[::-1]]
        return _blocks(turned, counts.labels, look, rows=rows, single=single, notes=[negative, positive, all_rows])
    return _blocks(cells, counts.labels[::-1], look, rows=rows, single=single, notes=[positive, negative, all_rows])


def confusion_blocks(
    matrix: Confusion, look: Look, *, single: bool = True, instead: Callable[[], Sequence[Block]] | None = None
) -> list[Block]:
    """A k x k matrix as a grid; if that is too wide, the pairs confused most often, or `instead`."""
    cells = matrix.to_array(rows=matrix.rows).astype(object).tolist()
    return _blocks(cells, matrix.labels, look, rows=matrix.rows, single=single, instead=instead)


def _blocks(
    cells: list[list[Any]],
    labels: Sequence[Any],
    look: Look,
    *,
    rows: str,
    single: bool,
    notes: Sequence[str] = (),
    instead: Callable[[], Sequence[Block]] | None = None,
) -> list[Block]:
    if not single:  # Markdown has no width limit
        return [_grid(cells, labels, rows=rows, limit=LIMITS[0], shares=True, single=False, notes=notes)]
    for shares, shown_notes in ((True, notes), (False, notes), (False, ())):
        for limit in LIMITS:
            grid = _grid(cells, labels, rows=rows, limit=limit, shares=shares, single=True, notes=shown_notes)
            if fits(grid, look):
                return [grid]
    if not all(isinstance(cell, Real) for row in cells for cell in row):  # unknown cells cannot be put in order
        return [grid]
    words, table = _most_confused(cells, labels, rows=rows)
    return [words, *(instead() if instead is not None else [] if table is None else [table])]


def _grid(
    cells: list[list[Any]],
    labels: Sequence[Any],
    *,
    rows: str,
    limit: int,
    shares: bool,
    single: bool,
    notes: Sequence[str],
) -> Tabular:
    """The grid; with `single`, the name of the columns appears once above them, and not in every heading."""
    across = "predicted" if rows == "actual" else "actual"
    body = [[*row, sum_of_cells(row)] for row in cells]
    body.append([sum_of_cells(column) for column in zip(*body, strict=True)])
    names = [short_name(escape(str(label)), limit) for label in labels]
    corner = f"{rows}, % of row" if shares else rows
    columns = [Field(corner), *(Field(name, right=True) for name in names), Field("all", right=True)]
    heads = [data(label, limit=limit) for label in labels] + [Span("all")]
    lines: list[list[Any]] = []
    for index, (head, row) in enumerate(zip(heads, body, strict=True)):
        wrong = [index < len(labels) and column < len(labels) and column != index for column in range(len(row))]
        shown = [_cell(cell, row[-1] if shares and column < len(labels) else None, error) for column, (cell, error) in
                 enumerate(zip(row, wrong, strict=True))]  # fmt: skip
        lines.append([head, *shown, *([quiet(f" {notes[index]}")] if notes else [])])
    if notes:
        columns.append(Field("", drawn=True))
    above = ["", *[across] * (1 if single else len(labels))]
    return Tabular.of(columns, lines, above=above)


def _cell(cell: Any, whole: Any, error: bool) -> Line:
    share = percent(cell, whole)
    count = Span(show_count(cell), "alarm" if error else "")
    return (count, quiet(f" ({share})")) if share else (count,)


def _rates(counts: Counts, rows: str) -> list[str]:
    """The rates implied by the margins, at the end of each line."""
    tp, fp, fn, tn = counts.tp, counts.fp, counts.fn, counts.tn
    recall, alarms = percent(tp, sum_of_cells([tp, fn])), percent(fp, sum_of_cells([fp, tn]))
    precision, omission = percent(tp, sum_of_cells([tp, fp])), percent(fn, sum_of_cells([fn, tn]))
    named = (
        {"recall": recall, "false alarms": alarms, "precision": precision}
        if rows == "actual"
        else {"precision": precision, "missed among them": omission, "recall": recall}
    )
    return [f"{name} {rate}" if rate else "" for name, rate in named.items()]


def _most_confused(cells: list[list[Any]], labels: Sequence[Any], *, rows: str) -> tuple[Paragraph, Tabular | None]:
    """The largest cells off the diagonal, for a matrix wider than the terminal."""
    pairs = [
        (cell, *((i, j) if rows == "actual" else (j, i)), sum(row))
        for i, row in enumerate(cells)
        for j, cell in enumerate(row)
        if i != j and cell
    ]
    pairs.sort(key=lambda pair: -pair[0])
    table = [
        [data(labels[i], limit=24), data(labels[j], limit=24), _plain(cell), percent(cell, whole)]
        for cell, i, j, whole in pairs[:MOST_CONFUSED]
    ]
    errors, shown = sum(pair[0] for pair in pairs), min(len(pairs), MOST_CONFUSED)
    words = f"The matrix of {len(labels)} classes is too wide for this terminal (--format json contains it)."
    summary = f" {show_count(_plain(errors))} errors in {len(pairs):,} cells; the largest {shown}:" if pairs else ""
    columns = [Field("actual"), Field("predicted"), Field("cases"), Field(f"of its {rows} class", right=True)]
    return Paragraph.of(words + summary), Tabular.of(columns, table) if table else None


def _plain(cell: Any) -> Any:
    return round(cell, 2) if isinstance(cell, float) else cell
