"""compare() on several files of the same cases: models matched by an id of each case, or row by row."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

from rocscope import sources
from rocscope.errors import RocscopeError
from rocscope.evaluation.comparison import Comparison
from rocscope.evaluation.from_source import column_description, compared, compared_rows, described, opened
from rocscope.evaluation.settings import Request, Settings
from rocscope.sources.formats import inner_name
from rocscope.sources.opened_files import CompleteRows, OpenedFiles, naming


@dataclass(frozen=True, slots=True)
class ModelFile:
    """One of several files of the same cases: its label, the score column of each model, and its column of ids."""

    files: OpenedFiles
    label: str
    models: Mapping[str, str]
    id: str | None = None

    def needed(self, first: bool, request: Request) -> dict[str, str]:
        """What its columns are for; labels, weights, clusters and slices are those of the first file."""
        found = {self.label: "label"} if first or self.label in self.files.names else {}
        if first:
            found = replace(request, label=self.label).needed({})
        return found | {column: f"score of {name}" for name, column in self.models.items()}


def matched(given: Sequence[Any], score: Any, request: Request, settings: Settings, *, id: str) -> Comparison:
    """A model from each file: `score` is one column, one for each file, or a mapping of names to these."""
    held = _opened(given)
    columns = [score] if isinstance(score, str) else list(score.values() if isinstance(score, Mapping) else score or ())
    if len(columns) not in (1, len(held)):
        raise RocscopeError(
            f"{len(held)} files and {len(columns)} score columns",
            hint="Name one score column, or one for each file in their order",
        )
    columns = columns * len(held) if len(columns) == 1 else columns
    names = list(score) if isinstance(score, Mapping) and len(score) == len(held) else _model_names(held, columns)
    return compared_files(_parts(held, names, columns, request, id), request, settings)


def aligned_columns(
    given: Sequence[Any], names: Sequence[str], columns: Sequence[str], request: Request, id: str
) -> Mapping[str, Any]:
    """The labels and scores of `matched`, with the ids, in the order of the first file."""
    held = _opened(given)
    columns = list(columns) * len(held) if len(columns) == 1 else columns
    found = _aligned(_parts(held, names, columns, request, id), request)
    return {**found, id: held[0].rows({id: "cluster"}, missing="refuse").columns[id]}


def _opened(given: Sequence[Any]) -> list[OpenedFiles]:
    files = [opened(one) for one in given]
    held = [one for one in files if isinstance(one, OpenedFiles)]
    if len(held) < len(files):
        raise RocscopeError("id= matches the cases of files", hint="Join frames first, and name the columns")
    return held


def _parts(
    files: Sequence[OpenedFiles], names: Sequence[str], columns: Sequence[str], request: Request, id: str
) -> list[ModelFile]:
    return [
        ModelFile(one, request.label, {name: column}, id)
        for one, name, column in zip(files, names, columns, strict=True)
    ]


def compared_files(parts: Sequence[ModelFile], request: Request, settings: Settings) -> Comparison:
    """The models of several files on the same cases, in the order of the first file.

    Matched by id no row may be left out; row by row, one that lacks something in a file is left out of all.
    """
    by_row = any(part.id is None for part in parts)
    if request.missing == "drop" and not by_row:
        raise RocscopeError("missing='drop' and id=", hint="Every file needs a score for every case")
    models = [name for part in parts for name in part.models]
    if len(set(models)) < len(models):
        raise RocscopeError(f"two models are called '{next(n for n in models if models.count(n) > 1)}'")
    first, source = parts[0], _description(parts, request)
    named = {name: name for name in models}
    if by_row:
        rows, left_out = _row_by_row(parts, request)
        with naming(first.files.name):
            made = compared_rows(rows, named, request, settings)
        known = {name: replace(one, left_out=left_out) for name, one in made.evaluations.items()}
        return described(replace(made, evaluations=MappingProxyType(known)), source)
    budget = request.budget if request.budget is not None else sources.BUDGET
    share = budget if budget < 0 else budget // (len(parts) + 1)  # every model's, and that of comparing them
    exceed = request.clusters is None and not settings.cross_fit and any(
        part.files.exceed(share, part.needed(part is first, request), twice=True) for part in parts
    )  # fmt: skip
    if exceed:
        return described(compared(_joined(parts, request), named, request, settings), source)
    rows = _aligned(parts, request)
    with naming(first.files.name):
        return described(compared_rows(rows, named, request, settings), source)


def _description(parts: Sequence[ModelFile], request: Request) -> Mapping[str, Any]:
    """Where the cases came from, for the results document."""
    columns = list(dict.fromkeys(column for part in parts for column in part.models.values()))
    given = OpenedFiles(tuple(name for part in parts for name in part.files.given), parts[0].files.columns)
    return column_description(given, request, scores=columns)


def _model_names(files: Sequence[OpenedFiles], scores: Sequence[str]) -> list[str]:
    """The score columns where they differ, else the names of the files."""
    if len(set(scores)) == len(scores):
        return list(scores)
    names = [one.given[0] for one in files]
    stems = [Path(inner_name(name)).stem for name in names]
    return stems if len(set(stems)) == len(stems) else names


def _needed(
    parts: Sequence[ModelFile], request: Request
) -> tuple[list[dict[str, str]], list[dict[str, str]]]:
    """What the columns of each file are needed as, and what they are called afterwards."""
    needed, called = [], []
    for place, part in enumerate(parts):
        wanted = part.needed(not place, request)
        names = {column: name for name, column in part.models.items()}
        label = f"{part.label} {place}" if place else request.label
        needed.append(wanted)
        called.append({one: names.get(one, label if one == part.label else one) for one in wanted})
    return needed, called


def _aligned(parts: Sequence[ModelFile], request: Request) -> Mapping[str, Any]:
    """All columns in memory, in the order of the first file."""
    from rocscope.sources.join_by_id import aligned, other_labels
    from rocscope.sources.opened_files import column_values

    needed, called = _needed(parts, request)
    kept = aligned([part.files.columns for part in parts], needed, called, id=[str(part.id) for part in parts])
    for place, part in enumerate(parts[1:], 1):
        if f"{part.label} {place}" in kept.columns:
            differ = kept.differing(request.label, f"{part.label} {place}")
            if differ:
                raise other_labels(part.label, differ, part.files.name, parts[0].files.name)
    what = {name: needed[place][one] for place, names in enumerate(called) for one, name in names.items()}
    return {name: column_values(kept, name, what[name]) for name in kept.columns}


def _joined(parts: Sequence[ModelFile], request: Request) -> OpenedFiles:
    """All columns in a file of the temporary folder."""
    from rocscope.sources.join_by_id import joined_file
    from rocscope.sources.source import BUDGET

    needed, called = _needed(parts, request)
    memory = 2 * (BUDGET if request.budget is None or request.budget < 0 else request.budget)
    ids = [str(part.id) for part in parts]
    made = joined_file([part.files.columns for part in parts], needed, called, id=ids, memory=memory)
    return OpenedFiles(parts[0].files.given, made)


def _row_by_row(
    parts: Sequence[ModelFile], request: Request
) -> tuple[Mapping[str, Any], Mapping[str, int]]:
    """All columns in memory where no ids are known: the files must have the same rows, with the same labels."""
    from rocscope import tally

    read = [
        part.files.rows(part.needed(not place, request), missing=request.missing) for place, part in enumerate(parts)
    ]
    left_out = {
        f"{why} in {part.files.name}": count
        for part, rows in zip(parts, read, strict=True)
        for why, count in rows.left_out.items()
    }
    found: dict[str, Any] = {}
    truth: list[Any] = []
    for place, (part, rows) in enumerate(zip(parts, _on_shared_lines(read) if left_out else read, strict=True)):
        codes, values = tally.factorize(rows.columns[part.label], "label", limit=64)
        labels = [values[code] for code in codes.tolist()]
        if place and len(labels) != len(truth):
            raise RocscopeError(
                f"{parts[0].files.name} has {len(truth)} rows, {part.files.name} has {len(labels)}",
                hint="Choose an id column in each file to match their cases",
            )
        if place and labels != truth:
            raise RocscopeError(
                f"{part.files.name} and {parts[0].files.name} disagree about the labels of the same cases",
                hint="Choose an id column in each file to match their cases",
            )
        truth = labels
        names = {column: name for name, column in part.models.items()}
        found |= {names.get(one, one): column for one, column in rows.columns.items() if one in names or not place}
    return found, MappingProxyType(left_out)


def _on_shared_lines(read: Sequence[CompleteRows]) -> list[CompleteRows]:
    """The rows whose line is complete in every file."""
    lines = [rows.lines for rows in read if rows.lines is not None]
    if len(lines) < len(read):
        raise RocscopeError(
            "rows lack a value, and large files are not matched row by row then",
            hint="Choose an id column in each file to match their cases",
        )
    shared = set(lines[0]).intersection(*lines[1:])
    found = []
    for rows, own in zip(read, lines, strict=True):
        keep = [row for row, line in enumerate(own) if line in shared]
        columns = {name: [column[row] for row in keep] for name, column in rows.columns.items()}
        found.append(CompleteRows(columns, rows.left_out, [own[row] for row in keep]))
    return found
