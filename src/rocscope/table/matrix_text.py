"""Confusion matrices as text: both axis names, counts and percentages, aligned."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rocscope.errors import RocscopeError
from rocscope.formula import Formula, parse
from rocscope.text import percent, show_count, show_label


def sum_of_cells(cells: Sequence[Any]) -> Any:
    """The sum of counts; an expression if a cell is one (x - 3 plus 3 is x), None if a cell is unknown.

    Simplifying needs sympy; without it, a sum with an expression is unknown.
    """
    if any(cell is None for cell in cells):
        return None
    if not any(isinstance(cell, Formula) for cell in cells):
        return sum(cells)
    text = " + ".join(f"({cell.text if isinstance(cell, Formula) else cell})" for cell in cells)
    try:
        return parse(parse(text, unknowns=True).expression({}), unknowns=True)
    except RocscopeError:
        return None


def matrix_grid(
    cells: Sequence[Sequence[Any]], labels: Sequence[Any], *, rows: str = "actual", notes: Sequence[str] = ()
) -> str:
    """A k x k matrix as text. `cells` are in the printed orientation; `rows` names what the rows are.

    Every cell shows its count and its share of the row; totals close both sides; `notes` stand at the row ends.
    """
    columns = "predicted" if rows == "actual" else "actual"
    names = [show_label(label) for label in labels]
    body = [[*row, sum_of_cells(row)] for row in cells]
    body.append([sum_of_cells(column) for column in zip(*body, strict=True)])
    texts = [[_cell_text(cell, row[-1]) for cell in row[:-1]] + [show_count(row[-1])] for row in body]
    heads = [*names, "all"]
    widths = [max(len(head), *(len(row[i]) for row in texts)) + 3 for i, head in enumerate(heads)]
    left = max(len(rows), *(len(name) for name in heads)) + 2
    lines = [" " * (left + 3) + columns, rows.ljust(left) + _right(heads, widths)]
    for i, (name, row) in enumerate(zip(heads, texts, strict=True)):
        note = f"   {notes[i]}" if i < len(notes) and notes[i] else ""
        lines.append(name.ljust(left) + _right(row, widths) + note)
    return "\n".join(line.rstrip() for line in lines)


def _cell_text(cell: Any, whole: Any) -> str:
    share = percent(cell, whole)
    return f"{show_count(cell)} ({share})" if share else show_count(cell)


def _right(texts: Sequence[str], widths: Sequence[int]) -> str:
    return "".join(text.rjust(width) for text, width in zip(texts, widths, strict=True))


def binary_grid(cells: Mapping[str, Any], labels: tuple[Any, Any]) -> str:
    """The four cells as text, positive first, with the rates they give at the row ends."""
    tp, fp, fn, tn = (cells[name] for name in ("tp", "fp", "fn", "tn"))
    rates = {"recall": (tp, [tp, fn]), "false alarms": (fp, [fp, tn]), "precision": (tp, [tp, fp])}
    shares = {name: percent(part, sum_of_cells(whole)) for name, (part, whole) in rates.items()}
    notes = [share and f"{name} {share}" for name, share in shares.items()]
    return matrix_grid([[tp, fn], [fp, tn]], labels[::-1], notes=notes)
