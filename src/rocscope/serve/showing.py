"""The data of a worked example as people read them: small tables, and points in ROC space as a picture."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from rocscope import hull as hulls
from rocscope.lessons import Example
from rocscope.serve.pages import inert, roc_svg

CELLS = ("tp", "fp", "fn", "tn")


def data_of(example: Example) -> str:
    """The data of an example as HTML; several parts one below the other."""
    return f'<div class="data">{_shown(example.kind, example.data)}</div>'


def _shown(kind: str, data: Mapping[str, Any]) -> str:
    if kind == "cases":
        return "".join(f"<h2>{inert(name)}</h2>{_shown(*part)}" for name, part in data.items())
    if kind == "counts" and set(CELLS) <= set(data):
        return _square(data)
    if kind == "matrix":
        return _matrix(data)
    if kind == "points":
        return _points(data["points"])
    if kind == "polyline":
        return table(("FPR", "TPR"), data["points"])
    if kind == "thresholds":
        names = list(dict.fromkeys(name for row in data["rows"] for name in row))
        return table(names, ([row.get(name, "?") for name in names] for row in data["rows"])) + _rest(data, "rows")
    columns = [name for name, held in data.items() if isinstance(held, tuple) and name not in ("labels", "items")]
    if columns:
        rows = zip(*(data[name] for name in columns), strict=True)
        return table(("case", *columns), ((i + 1, *row) for i, row in enumerate(rows))) + _rest(data, *columns)
    return _rest(data)


def table(heads: Sequence[object], rows: Iterable[Sequence[object]], *, named: bool = False) -> str:
    """A table of text and numbers; with `named` the first cell of each row is its name."""

    def line(row: Sequence[object]) -> str:
        first, *rest = row
        head = f'<th scope="row">{inert(first)}</th>' if named else f"<td>{inert(first)}</td>"
        return f"<tr>{head}{''.join(f'<td>{inert(one)}</td>' for one in rest)}</tr>"

    top = "".join(f'<th scope="col">{inert(_name(one))}</th>' for one in heads)
    return f"<table><thead><tr>{top}</tr></thead><tbody>{''.join(map(line, rows))}</tbody></table>"


def _square(data: Mapping[str, Any]) -> str:
    rows = (("positive", data["tp"], data["fn"]), ("negative", data["fp"], data["tn"]))
    return table(("actual", "predicted positive", "predicted negative"), rows, named=True)


def _matrix(data: Mapping[str, Any]) -> str:
    across = "actual" if data.get("rows") == "predicted" else "predicted"
    down = "predicted" if across == "actual" else "actual"
    labels = data["labels"]
    rows = ((label, *row) for label, row in zip(labels, data["matrix"], strict=True))
    return table((f"{down}, in rows", *(f"{across} {label}" for label in labels)), rows, named=True)


def _points(points: Mapping[str, tuple[float, float]]) -> str:
    found = [(str(name), float(x), float(y)) for name, (x, y) in points.items()]
    picture = roc_svg(hulls.hull({name: (x, y) for name, x, y in found}), found, size=300)
    return f"<div class='two'>{table(('classifier', 'FPR', 'TPR'), found, named=True)}{picture}</div>"


def _rest(data: Mapping[str, Any], *shown: str) -> str:
    """What stands beside the columns, as name and value."""
    rows = [(_name(name), _one(held)) for name, held in data.items() if name not in shown]
    return table(("told", "value"), rows, named=True) if rows else ""


def _name(name: object) -> str:
    """The name of a column for people."""
    return str(name).upper() if name in CELLS else str(name).replace("_", " ")


def _one(held: object) -> object:
    if isinstance(held, bool):
        return "yes" if held else "no"
    return ", ".join(map(str, held)) if isinstance(held, tuple | list) else held
