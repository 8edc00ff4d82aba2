"""evaluate() and compare() on frames, files and engines: exact in memory while it fits, certified beyond."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from types import MappingProxyType
from typing import Any

import numpy as np

from rocscope import sources, tally
from rocscope.errors import RocscopeError
from rocscope.evaluation import arrays
from rocscope.evaluation.binary import Evaluation
from rocscope.evaluation.classes import ClassEvaluation
from rocscope.evaluation.clusters import Progress
from rocscope.evaluation.comparison import Comparison
from rocscope.evaluation.settings import Settings
from rocscope.evaluation.slices.partition import Slicing, Value, check_count, partitions
from rocscope.numbers import plain
from rocscope.sources.counting import count
from rocscope.table import ScoreTable
from rocscope.tally.columns import is_missing

LIBRARIES = ("pandas", "polars", "pyarrow", "duckdb")
TEXT = 4  # bytes in memory for a byte of a text file, about


@dataclass(frozen=True, slots=True)
class Asked:
    """Which columns, and how they are to be read."""

    label: str
    positive: Any = None
    weight: str | None = None
    weights_are: str = "sampling"
    higher_is_positive: bool = True
    clusters: str | None = None
    by: tuple[str, ...] = ()
    crossed: bool = False
    missing: str = "error"
    tolerance: float | None = None
    exact: bool = False
    budget: int | None = None
    progress: Progress | None = None

    @property
    def reading(self) -> dict[str, Any]:
        """The keywords of a reduction to tables."""
        return {
            "label": self.label,
            "weight": self.weight,
            "weights_are": self.weights_are,
            "positive": self.positive,
            "missing": self.missing,
            "higher_is_positive": self.higher_is_positive,
            "budget": self.budget,
            "tolerance": sources.TOLERANCE if self.tolerance is None else self.tolerance,
            "progress": None if self.progress is None else _told(self.progress),
        }


def _told(progress: Progress) -> Callable[..., None]:
    def tell(done: int | None, of: int | None, *, step: str) -> None:
        if done is not None and of:
            progress(min(done, of), of)

    return tell


def evaluated(
    held: Any,
    score: Any,
    asked: Asked,
    settings: Settings,
    *,
    predicted: Any,
    labels: Sequence[Any] | None,
    choose_on: Any,
    name: str,
) -> Evaluation | ClassEvaluation:
    """One classifier whose labels and scores are columns of a source."""
    from rocscope.evaluation import no_threshold

    if (score is None) == (predicted is None):
        raise RocscopeError(
            "a column of scores or of predicted labels is needed",
            hint='evaluate(frame, label="y", score="p") or evaluate(frame, label="y", predicted="guess")',
        )
    numbers = [] if score is None else [score] if isinstance(score, str) else list(score)
    source = opened(held, [*numbers, asked.weight])
    if predicted is not None:
        no_threshold(settings, asked.clusters)
        return _decided(source, _name(predicted, "predicted"), asked, settings, labels, name)
    columns = [score] if isinstance(score, str) else list(score)
    if not columns or not all(isinstance(one, str) for one in columns):
        raise RocscopeError("label names a column, and score is no name of one", hint='Say score="column"')
    if len(columns) > 1:
        no_threshold(settings, asked.clusters)
        return _classes(source, columns, asked, settings, labels, name)
    return _scored(source, columns[0], asked, settings, choose_on, name)


def opened(held: Any, numbers: Sequence[Any]) -> sources.Source:
    """The source behind a frame or a path; text files are told which columns must be numbers."""
    paths = held if isinstance(held, list | tuple) and held else [held]
    if not all(isinstance(one, str) or hasattr(one, "__fspath__") for one in paths):
        return sources.open(held)
    return sources.open(held, numbers=[one for one in numbers if isinstance(one, str)])


def _name(given: Any, what: str) -> str:
    if isinstance(given, str):
        return given
    raise RocscopeError(f"label names a column, and {what} is an array", hint=f'Say {what}="column"')


# ---- one score ----


def _scored(
    source: sources.Source, score: str, asked: Asked, settings: Settings, choose_on: Any, name: str
) -> Evaluation:
    other = _other(choose_on, score, asked)
    shown: dict[str, Any] = {
        "name": name or score,
        "source": _described(source, asked, score=score),
        "library": source.kind if source.kind in LIBRARIES else "",
    }
    if asked.clusters is not None or settings.cross_fit:
        return replace(_in_memory(source, score, asked, settings, other), **shown)
    found = sources.tables(source, scores=[score], by=asked.by, exact=asked.exact, **asked.reading)
    table = added(found.tables.values())
    if asked.by and _on_cells(found.tables.values()) and not source.once:
        # slices are known to 1 % of their own error: the sum of their cells is too coarse for all cases together
        table = added(sources.tables(source, scores=[score], exact=asked.exact, **asked.reading).tables.values())
    return Evaluation(
        table,
        settings,
        left_out=MappingProxyType(dict(found.left_out)),
        choose_on=other,
        notes=(*tally.near_duplicates(table.labels), *source.notes, *found.notes),
        progress=asked.progress,
        slicings=_with_left_out(slicings(found.tables, score, asked), source, [score], asked, found.left_out),
        **shown,
    )


def _on_cells(tables: Iterable[ScoreTable]) -> bool:
    return any(table.mixed is not None and bool(table.mixed.any()) for table in tables)


def _in_memory(
    source: sources.Source, score: str, asked: Asked, settings: Settings, other: ScoreTable | None
) -> Evaluation:
    """The rows themselves, for clusters and folds: they must fit."""
    what = "clusters" if asked.clusters is not None else "cross-fitting"
    rows, left_out = _rows(source, {score: "score"}, asked, what)
    made = arrays.scored(
        rows[asked.label], rows[score], settings, positive=spoken(asked.positive, rows[asked.label]),
        higher_is_positive=asked.higher_is_positive, weights_are=asked.weights_are, choose_on=other,
        progress=asked.progress, name="", **_along(rows, asked),
        clusters=None if asked.clusters is None else rows[asked.clusters],
    )  # fmt: skip
    return replace(made, left_out=MappingProxyType(left_out), notes=(*made.notes, *source.notes))


def _other(choose_on: Any, score: str, asked: Asked) -> ScoreTable | None:
    """The cases on which the threshold is chosen: a table, arrays, or another source with the same columns."""
    if choose_on is None:
        return None
    if isinstance(choose_on, ScoreTable):
        return choose_on
    kind: dict[str, Any] = {"positive": asked.positive, "higher_is_positive": asked.higher_is_positive}
    if isinstance(choose_on, tuple) and len(choose_on) == 2 and not isinstance(choose_on[0], str):
        return ScoreTable.from_scores(*choose_on, **kind)
    found = sources.tables(opened(choose_on, [score, asked.weight]), scores=[score], **asked.reading)
    table: ScoreTable = added(found.tables.values())
    return table


# ---- slices from tables ----


def slicings(tables: Mapping[sources.Key, ScoreTable], score: str, asked: Asked) -> tuple[Slicing, ...]:
    """The slices of one score by each column, and by each two where that is asked for, as sums of the finest ones."""
    if not asked.by:
        return ()
    wanted: list[tuple[int, ...]] = [(place,) for place in range(len(asked.by))]
    if asked.crossed:
        if len(asked.by) < 2:
            raise RocscopeError("crossed slices need two columns", hint="Name a second column in by")
        wanted += list(combinations(range(len(asked.by)), 2))
    return tuple(_slicing(tables, score, asked.by, places) for places in wanted)


def _slicing(
    tables: Mapping[sources.Key, ScoreTable], score: str, by: tuple[str, ...], places: tuple[int, ...]
) -> Slicing:
    parts: dict[Value, list[ScoreTable]] = {}
    for key, table in tables.items():
        if key[-1] == score:
            parts.setdefault(tuple(key[place] for place in places), []).append(table)
    if len(places) == 1:
        check_count(by[places[0]], len(parts), sum(_size(one) for held in parts.values() for one in held))
    return Slicing(tuple(by[place] for place in places), {value: added(held) for value, held in parts.items()})


def _size(held: Any) -> int:
    return sum(held.rows) if isinstance(held, ScoreTable) else round(float(held.matrix.sum()))


def _with_left_out(
    cut: tuple[Slicing, ...], source: sources.Source, scores: Sequence[str], asked: Asked, left_out: Mapping[str, int]
) -> tuple[Slicing, ...]:
    """The slices with how many rows of each were left out: scores may be missing more often in one than in another.

    Only then are the columns looked at again, and only where they fit into memory.
    """
    if not cut or source.once or (left_out and not fits(source, len(scores) + 2 + len(asked.by), asked.budget)):
        return cut
    if not left_out:
        return tuple(replace(one, left_out=dict.fromkeys(one.tables, 0)) for one in cut)
    wanted = [asked.label, *scores, *(() if asked.weight is None else (asked.weight,))]
    names = list(dict.fromkeys([*wanted, *asked.by]))
    held = sources.columns(source, names, kinds=dict.fromkeys(names, "any")).arrays
    lost = np.logical_or.reduce([absent(held[name]) for name in wanted])
    parts = partitions({name: held[name][lost] for name in asked.by}, rows=int(lost.sum()), crossed=asked.crossed)
    counts = {part.by: {value: len(rows) for value, rows in part.rows.items()} for part in parts}
    return tuple(replace(one, left_out=counts[one.by]) for one in cut)


def absent(values: Any) -> Any:
    """Which values of an array are missing."""
    if values.dtype.kind == "f":
        return np.isnan(values)
    if values.dtype.kind != "O":
        return np.zeros(len(values), dtype=bool)
    return np.fromiter(map(is_missing, values.tolist()), dtype=bool, count=len(values))


def added(tables: Iterable[Any]) -> Any:
    """The sum of tables or matrices, two by two, so that many small ones are not carried along again and again."""
    held = list(tables)
    while len(held) > 1:
        odd = held[-1:] if len(held) % 2 else []
        held = [one + other for one, other in zip(held[::2], held[1::2], strict=False)] + odd
    return held[0]


# ---- rows in memory ----


def _rows(
    source: sources.Source, scores: Mapping[str, str], asked: Asked, what: str
) -> tuple[Mapping[str, Any], dict[str, int]]:
    """The columns as arrays, rows that lack one left out and counted by what they lack."""
    if not fits(source, len(scores) + 2, asked.budget):
        raise RocscopeError(
            f"{what}: the rows must fit into memory, and {source.name} has too many",
            hint="Raise budget (bytes), or leave it out: tables need no rows",
        )
    needed = {asked.label: "label", **scores}
    needed |= {one: kind for one, kind in ((asked.weight, "weight"), (asked.clusters, "cluster")) if one is not None}
    numbers = ("score", "weight")
    kinds = {name: "number" if kind.startswith(numbers) else "label" for name, kind in needed.items()}
    kinds |= dict.fromkeys(asked.by, "any")
    found = sources.columns(source, list(kinds), missing=asked.missing, kinds=kinds)
    if not len(found):
        raise RocscopeError(f"{source.name}: no row has all of {', '.join(needed)}")
    reasons = {f"no {name}": f"no {kind}" for name, kind in needed.items()}
    left_out: dict[str, int] = {}
    for name, lacking in found.left_out.items():
        why = reasons.get(name, name)
        left_out[why] = left_out.get(why, 0) + lacking
    return found.arrays, left_out


def _along(rows: Mapping[str, Any], asked: Asked) -> dict[str, Any]:
    """Weights and slices as arrays."""
    return {
        "weights": None if asked.weight is None else rows[asked.weight],
        "by": {name: rows[name] for name in asked.by},
        "crossed": asked.crossed,
    }


def fits(source: sources.Source, columns: int, budget: int | None) -> bool:
    """Whether so many columns of all rows may be held in memory."""
    engine = source.kind in ("dask", "pyspark", "ibis", "sqlframe")
    most = (sources.ENGINE_BUDGET if engine else sources.BUDGET) if budget is None else budget
    if most < 0:
        return True
    if source.rows is not None:
        return source.rows * 8 * columns <= most
    if source.bytes is not None:
        return source.bytes * TEXT <= most
    return source.once or count(source) * 8 * columns <= most


def spoken(positive: Any, labels: Any) -> Any:
    """The positive label in the type of the labels, by the one rule of the frames."""
    from rocscope.sources.checks import spoken as in_type

    return positive if positive is None or not len(labels) else in_type(positive, plain(labels[0]))


def _described(source: sources.Source, asked: Asked, **more: Any) -> Mapping[str, Any]:
    """Where the cases came from, for the document."""
    said: dict[str, Any] = {"from": source.name, "kind": source.kind, "label": asked.label, **more}
    said |= {"weight": asked.weight, "clusters": asked.clusters, "by": list(asked.by) or None}
    said["positive"] = None if asked.positive is None else str(asked.positive)
    return MappingProxyType({key: value for key, value in said.items() if value is not None})


# ---- several classes ----


def _decided(
    source: sources.Source, predicted: str, asked: Asked, settings: Settings, labels: Sequence[Any] | None, name: str
) -> ClassEvaluation:
    shown: dict[str, Any] = {
        "name": name or predicted,
        "source": _described(source, asked, predicted=predicted),
        "library": source.kind if source.kind in LIBRARIES else "",
    }
    if fits(source, 4, asked.budget):
        rows, left_out = _rows(source, {predicted: "predicted label"}, asked, "hard labels")
        made = arrays.decided(
            rows[asked.label], rows[predicted], settings, labels=labels, weights_are=asked.weights_are, name="",
            positive=spoken(asked.positive, rows[asked.label]), **_along(rows, asked),
        )  # fmt: skip
        return replace(made, left_out=MappingProxyType(left_out), **shown)
    found = sources.confusions(
        source, label=asked.label, predicted=[predicted], weight=asked.weight, weights_are=asked.weights_are,
        by=asked.by, missing=asked.missing,
    )  # fmt: skip
    matrix = added(found.values())
    cut = slicings(found, predicted, asked)  # type: ignore[arg-type]  # matrices add like tables
    left_out = dict(getattr(found, "left_out", {}))
    positive = spoken(asked.positive, matrix.labels)
    return ClassEvaluation(
        matrix, settings, slicings=cut, left_out=MappingProxyType(left_out), positive=positive, **shown
    )


def _classes(
    source: sources.Source,
    columns: list[str],
    asked: Asked,
    settings: Settings,
    labels: Sequence[Any] | None,
    name: str,
) -> ClassEvaluation:
    """A column of scores for each class."""
    scores = {column: f"score of {column}" for column in columns}
    rows, left_out = _rows(source, scores, asked, "a score for each class")
    held = np.column_stack([np.asarray(rows[column], dtype=np.float64) for column in columns])
    known = list(labels) if labels is not None else _labels_named(columns, rows[asked.label])
    positive = spoken(asked.positive, rows[asked.label])
    made = arrays.classes(
        rows[asked.label], held, settings, labels=known, positive=positive, name="", **_along(rows, asked)
    )
    return replace(
        made, left_out=MappingProxyType(left_out), name=name or ", ".join(columns),
        source=_described(source, asked, score=columns), library=source.kind if source.kind in LIBRARIES else "",
    )  # fmt: skip


def _labels_named(columns: Sequence[str], actual: Any) -> list[Any]:
    """The label of each column, where columns are named like the labels."""
    present = {str(label): label for label in tally.factorize(actual, "label", limit=max(64, len(columns)))[1]}
    stray = [label for label in present if label not in columns]
    if stray:
        raise RocscopeError(
            f"no score column is named {stray[0]!r}, and that is a label; columns: {', '.join(columns[:12])}",
            hint="Say which label each column is for: labels=[...], in the order of the columns",
        )
    kind = type(next(iter(present.values())))
    return [present.get(column, column if kind is str else kind(column)) for column in columns]


# ---- several models ----


def compared(held: Any, models: Mapping[str, str], asked: Asked, settings: Settings) -> Comparison:
    """Several models whose scores are columns of a source."""
    source = opened(held, [*models.values(), asked.weight])
    source.having(*models.values())
    if fits(source, len(models) + 2, asked.budget) or asked.clusters is not None or settings.cross_fit:
        made = _together(source, models, asked, settings)
    else:
        made = _beyond(source, models, asked, settings)
    shown: dict[str, Any] = {
        "source": _described(source, asked, score=list(models.values())),
        "library": source.kind if source.kind in LIBRARIES else "",
    }
    known = {name: replace(one, **shown) for name, one in made.evaluations.items()}
    return replace(made, evaluations=MappingProxyType(known))


def _together(source: sources.Source, models: Mapping[str, str], asked: Asked, settings: Settings) -> Comparison:
    scores = {column: f"score of {column}" for column in models.values()}
    rows, left_out = _rows(source, scores, asked, "a comparison")
    made = arrays.compared(
        rows[asked.label], {name: rows[column] for name, column in models.items()}, settings,
        positive=spoken(asked.positive, rows[asked.label]), higher_is_positive=asked.higher_is_positive,
        clusters=None if asked.clusters is None else rows[asked.clusters], progress=asked.progress,
        **_along(rows, asked),
    )  # fmt: skip
    known = {
        name: replace(one, left_out=MappingProxyType(left_out), notes=(*one.notes, *source.notes))
        for name, one in made.evaluations.items()
    }
    return replace(made, evaluations=MappingProxyType(known))


def _beyond(source: sources.Source, models: Mapping[str, str], asked: Asked, settings: Settings) -> Comparison:
    """Tables and one pass of products of placements: paired tests of areas without the rows."""
    columns = list(dict.fromkeys(models.values()))
    found = sources.paired_delong(source, scores=columns, **asked.reading)
    cut: Mapping[sources.Key, ScoreTable] = {}
    if asked.by:
        cut = sources.tables(source, scores=columns, by=asked.by, **asked.reading).tables
    left_out = MappingProxyType(dict(found.left_out))

    def evaluation(name: str, column: str) -> Evaluation:
        table = found.tables[found.names.index(column)]
        notes = (*tally.near_duplicates(table.labels), *source.notes)
        return Evaluation(
            table, settings, name, left_out=left_out, notes=notes, progress=asked.progress,
            slicings=slicings(cut, column, asked),
        )  # fmt: skip

    made = {name: evaluation(name, column) for name, column in models.items()}
    places = [found.names.index(column) for column in models.values()]
    covariance = np.asarray(found.covariance)[np.ix_(places, places)]
    return Comparison(
        MappingProxyType(made), None, MappingProxyType({}), settings, asked.weight, None, covariance=covariance
    )
