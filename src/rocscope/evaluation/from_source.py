"""evaluate() and compare() on frames, files and engines: exact if the data fit in memory, certified otherwise.

A file that fits the budget is read into arrays, and errors give the line; a frame, an engine, or a file that does not
fit is reduced to tables. The command line, `serve` and Python all use this module.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import replace
from fnmatch import fnmatchcase
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from rocscope import sources, tally
from rocscope.errors import RocscopeError, naming
from rocscope.evaluation import arrays
from rocscope.evaluation.binary import Evaluation
from rocscope.evaluation.settings import Request, Settings, in_type_of, no_threshold, refuse_cost_matrix
from rocscope.evaluation.slices.partition import Slicing, added, missing_flags, partitions, summed_slices
from rocscope.sources import Source, class_columns, common_start, count, indicator_matrix, score_columns
from rocscope.table import ScoreTable

if TYPE_CHECKING:
    from rocscope.evaluation.class_comparison import ClassComparison
    from rocscope.evaluation.classes import ClassEvaluation
    from rocscope.evaluation.comparison import Comparison
    from rocscope.evaluation.multilabel import LabelEvaluation

Compared = TypeVar("Compared", bound="Comparison | ClassComparison")
LIBRARIES = ("pandas", "polars", "pyarrow", "duckdb")
ENGINES = ("dask", "pyspark", "ibis", "sqlframe")
MANY = 4  # number of score columns from which the evaluation is not named after them
TEXT = 4  # approximate number of bytes in memory per byte of a text file


def _reduction(request: Request) -> dict[str, Any]:
    """The keyword arguments of a reduction to tables."""

    def tell(done: int | None, of: int | None, *, step: str) -> None:
        if done is not None and of and request.progress is not None:
            request.progress(min(done, of), of)

    shared = ("label", "weights_are", "positive", "missing", "higher_is_positive", "budget")
    return {name: getattr(request, name) for name in shared} | {
        "weight": request.weights,
        "tolerance": sources.TOLERANCE if request.tolerance is None else request.tolerance,
        "progress": None if request.progress is None else tell,
    }


def evaluated(
    given: Any,
    score: Any,
    request: Request,
    settings: Settings,
    *,
    predicted: Any,
    labels: Sequence[Any] | None,
    choose_on: Any,
    name: str,
    thresholds: Mapping[Any, float] | None = None,
) -> Evaluation | ClassEvaluation | LabelEvaluation:
    """Evaluate one classifier whose labels and scores are columns of a source."""
    if (score is None) == (predicted is None):
        raise RocscopeError(
            "give a column of scores or of predicted labels",
            hint='evaluate(frame, label="y", score="p") or evaluate(frame, label="y", predicted="guess")',
        )
    columns = [] if score is None else [score] if isinstance(score, str) else list(score)
    if score is not None and (not columns or not all(isinstance(column, str) for column in columns)):
        raise RocscopeError("label names a column, but score is not a column name", hint='Give score="column"')
    opened = sources.open(given)
    evaluation: Evaluation | ClassEvaluation | LabelEvaluation
    with named(opened):
        columns = matching(opened, columns)
        if is_several(opened, request.label):
            evaluation = _labelled(opened, columns, predicted, request, settings, labels, thresholds, choose_on)
        elif thresholds is not None and len(columns) < 2:
            raise RocscopeError("thresholds for the classes require a score for each class", hint="Give one threshold")
        elif predicted is not None:
            no_threshold(settings, request, choose_on)
            if not isinstance(predicted, str):
                raise RocscopeError("label names a column, but predicted is an array", hint='Give predicted="column"')
            evaluation = _decided(opened, predicted, request, settings, labels)
        elif len(columns) > 1:
            no_threshold(settings, request, choose_on, per_class=True)
            evaluation = _classes(opened, columns, request, settings, labels, thresholds)
        else:
            if labels is not None:
                raise RocscopeError("labels= applies to a score column per class, but there is only one score")
            refuse_cost_matrix(settings)
            evaluation = _scored(opened, columns[0], request, settings, choose_on)
    classes = None if predicted is not None else labels
    source = column_description(
        opened, request, scores=columns, predicted=predicted, labels=classes, choose_on=choose_on
    )
    shown = ", ".join(columns) if len(columns) < MANY else ""
    return replace(evaluation, name=name or evaluation.name or shown, source=source, library=_library(opened))


# ---- multilabel files ----


def matching(source: Source, names: Any) -> list[str]:
    """The columns that names and patterns ("score_*") match, in the order of the file."""
    columns: list[str] = []
    for name in [names] if isinstance(names, str) else names:
        if "*" not in name or name in source.columns:
            columns.append(name)
            continue
        fit = [column for column in source.columns if fnmatchcase(column, name)]
        if not fit:
            raise RocscopeError(f"no column matches {name}; the columns are {', '.join(source.columns[:12])}")
        columns += fit
    return list(dict.fromkeys(columns))


def is_several(source: Source, label: Any) -> bool:
    """Whether several label columns are named, by a list or by a pattern."""
    return not isinstance(label, str) or ("*" in label and label not in source.columns)


def _labelled(
    source: Source, columns: list[str], predicted: Any, request: Request, settings: Settings,
    labels: Sequence[Any] | None, thresholds: Mapping[Any, float] | None, choose_on: Any,
) -> LabelEvaluation:  # fmt: skip
    """Evaluate several labels per case: a column of 0 and 1 for each label, and one of scores or predicted labels."""
    from rocscope.evaluation.class_arrays import labelled

    if settings.case_costs is not None or settings.refer is not None:
        raise RocscopeError("case-specific costs and referral are not available with several labels for each case")
    if choose_on is not None or request.by or request.clusters is not None:
        raise RocscopeError(
            "slices, clusters and choosing on other cases are not available with several labels for each case"
        )
    guess = matching(source, predicted) if predicted is not None else []
    own, columns = named_alike(matching(source, request.label), columns or guess)
    if _too_many(source, request, 2 * len(own)):
        given = settings.threshold if thresholds is None else thresholds
        summed_labels = _labels_beyond(source, own, {"": columns}, request, settings, labels, bool(guess), given)
        if summed_labels is not None:
            return summed_labels[0][""]
    rows, left_out = _label_rows(source, own, columns, request, scored=not guess)
    matrix = score_columns(rows, columns) if not guess else indicator_matrix(rows, columns)
    request = replace(request, label=indicator_matrix(rows, own), weights=_optional(rows, request.weights), by=None)
    given = settings.threshold if thresholds is None else thresholds
    names = list(labels) if labels is not None else _ends(own)
    evaluation = labelled(
        None if guess else matrix, request, settings, predicted=matrix if guess else None, labels=names, threshold=given
    )
    return replace(evaluation, left_out=MappingProxyType(dict(left_out)))


def _labels_beyond(
    source: Source, own: Sequence[str], models: Mapping[str, Sequence[str]], request: Request, settings: Settings,
    labels: Sequence[Any] | None, predicted: bool, threshold: Any, compared: Sequence[Any] = (),
) -> tuple[dict[str, LabelEvaluation], Mapping[str, Any]] | None:  # fmt: skip
    """Several labels of more rows than fit: their sums; None where thresholds must be chosen, which needs the rows."""
    from rocscope.evaluation.from_tables import bound_note
    from rocscope.evaluation.multilabel import LabelEvaluation, given_thresholds, rule_of

    if rule_of(settings, threshold, probabilities=True) is not None and not predicted:
        return None
    if request.exact or request.weights_are == "frequency":
        raise RocscopeError(
            "exact=True and frequency weights are not available if the rows do not fit in memory", hint="Raise budget="
        )
    source = sources.again(source, why="data with several labels are read several times if they do not fit in memory")
    names = tuple(labels) if labels is not None else tuple(_ends(own))
    if len(names) != len(own):
        raise RocscopeError(f"there are {len(own)} label columns, but {len(names)} names")
    thresholds = {} if predicted else given_thresholds(names, threshold)
    question = sources.LabelQuestion(
        tuple(own), names, {name: tuple(columns) for name, columns in models.items()},
        None if predicted else tuple(chosen.threshold for chosen in thresholds.values()), request.weights,
    )  # fmt: skip
    reduced = sources.label_sums(source, question, compared=compared, missing=request.missing, budget=request.budget)
    if not predicted and not all(
        rule_of(settings, threshold, probabilities=sums.probabilities) is None for sums in reduced.sums.values()
    ):
        return None
    left_out = MappingProxyType(dict(reduced.left_out))
    return {
        name: LabelEvaluation(
            sums, MappingProxyType(thresholds), settings, name, left_out=left_out, notes=bound_note(sums)
        )
        for name, sums in reduced.sums.items()
    }, reduced.moments


def _label_rows(
    source: Source, own: Sequence[str], columns: Sequence[str], request: Request, *, scored: bool
) -> tuple[Mapping[str, Any], Mapping[str, int]]:
    wanted = {name: f"label {name}" for name in own}
    wanted |= {name: f"score of {name}" if scored else f"predicted label {name}" for name in columns}
    wanted |= {} if request.weights is None else {request.weights: "weight"}
    if source.files is None and not fits(source, len(wanted), request.budget):
        raise RocscopeError(f"several labels require all rows in memory, but {source.name} has too many rows")
    complete_rows = sources.complete(source, wanted, missing=request.missing)
    return complete_rows.values(), complete_rows.left_out


def _optional(rows: Mapping[str, Any], name: str | None) -> Any:
    return None if name is None else rows[name]


def named_alike(labels: list[str], columns: list[str]) -> tuple[list[str], list[str]]:
    """The prediction columns in the order of the labels: matched by their suffixes, else by position."""
    columns = [column for column in columns if column not in labels]
    if len(labels) != len(columns):
        raise RocscopeError(
            f"there are {len(labels)} columns of labels, but {len(columns)} columns of scores",
            hint="Give one of each for every label",
        )
    ends = dict(zip(_ends(columns), columns, strict=True))
    wanted = _ends(labels)
    return labels, [ends[end] for end in wanted] if set(ends) == set(wanted) else columns


def _ends(columns: Sequence[str]) -> list[str]:
    """The distinguishing part of column names: without their common prefix up to a separator.

    >>> _ends(["label_beach", "label_bay"])
    ['beach', 'bay']
    """
    common = common_start(list(columns))
    cut = max((index + 1 for index, letter in enumerate(common) if letter in "_ .:-"), default=0)
    return [column[cut:] for column in columns] if len(columns) > 1 else list(columns)


def _library(source: Source) -> str:
    return source.kind if source.kind in LIBRARIES else ""


def named(held: Source) -> Any:
    """Prefix errors about a file with its name."""
    return nullcontext() if held.files is None else naming(held.name)


def _in_arrays(source: Source, request: Request, scores: int = 1) -> bool:
    """Whether the rows are read into arrays: only files that fit; other sources are reduced to tables."""
    return source.files is not None and not exceeds(source, request, scores)


def exceeds(source: Source, request: Request, scores: int) -> bool:
    """Whether the rows of files exceed the budget.

    Each of several scores takes as much memory as a single one, and their comparison the same again (measured: 195
    bytes for two); slices take twice as much (177 bytes for 5,000 of one score).
    """
    most = sources.BUDGET if request.budget is None else request.budget
    row = sources.ROW * (scores + (scores > 1) + 2 * bool(request.by))
    return source.files is not None and most >= 0 and source.files.about > most // row


# ---- single score column ----


def _scored(source: Source, score: str, request: Request, settings: Settings, choose_on: Any) -> Evaluation:
    other = _other(choose_on, score, request)
    alone = request.clusters is not None or request.case_costs is not None or settings.cross_fit
    if alone or _in_arrays(source, request):
        return _in_memory(source, score, request, settings, other)

    def tables(*by: str) -> sources.Reduced:
        return sources.tables(source, scores=[score], by=by, exact=request.exact, **_reduction(request))

    # The precision of a slice's table is relative to the slice's own sampling error, so the sum of the slices is too
    # coarse for the whole; engines refine the whole themselves. For files that do not fit in memory, the table of all
    # cases is built first, before the slice tables take up memory.
    whole = tables() if request.by and source.files is not None else None
    reduced = tables(*request.by)
    if whole is None and request.by and not reduced.whole and _on_cells(reduced.tables.values()) and not source.once:
        whole = tables()
    table = reduced.whole[score] if reduced.whole else added((whole or reduced).tables.values())
    cut = _with_left_out(_slicings(reduced.tables, score, request), source, [score], request, reduced.left_out)
    notes = (*tally.near_duplicates(table.labels), *reduced.notes)
    return Evaluation(
        table, settings, left_out=MappingProxyType(dict(reduced.left_out)), choose_on=other, notes=notes,
        progress=request.progress, slicings=cut,
    )  # fmt: skip


def _on_cells(tables: Iterable[ScoreTable]) -> bool:
    return any(table.mixed is not None and bool(table.mixed.any()) for table in tables)


def _in_memory(
    source: Source, score: str, request: Request, settings: Settings, other: ScoreTable | None
) -> Evaluation:
    """Evaluate the rows themselves: for files that fit, and for clusters and folds."""
    what = "costs of individual cases" if request.case_costs is not None else "cross-fitting"
    what = "clusters" if request.clusters is not None else what
    rows, left_out = _rows(source, {score: "score"}, request, what)
    evaluation = arrays.scored(rows[score], request.holding(rows), settings, choose_on=other, name=score)
    counted: Evaluation = _counted(evaluation, source, [score], request, left_out)
    return counted


def _counted(
    evaluation: Any, source: Source, scores: Sequence[str], request: Request, left_out: Mapping[str, int]
) -> Any:
    """Add the numbers of excluded rows (in total and for each slice) and the source's notes to the evaluation."""
    cut = _with_left_out(evaluation.slicings, source, scores, request, left_out)
    return replace(evaluation, left_out=MappingProxyType(dict(left_out)), slicings=cut)


def _other(choose_on: Any, score: str, request: Request) -> ScoreTable | None:
    """The cases on which the threshold is chosen: a table, arrays, or another source with the same columns."""
    if choose_on is None or isinstance(choose_on, ScoreTable):
        return choose_on
    alone = Request(
        request.label, request.positive, higher_is_positive=request.higher_is_positive, by=(), missing=request.missing,
        tolerance=request.tolerance, budget=request.budget, progress=request.progress,
    )  # fmt: skip
    if isinstance(choose_on, tuple) and len(choose_on) == 2 and not isinstance(choose_on[0], str):
        return arrays.table_of(choose_on[1], replace(alone, label=choose_on[0]))
    source = sources.open(choose_on)
    with named(source):
        return _scored(source, score, alone, Settings(), None).table


def scored_columns(given: Any, scores: Sequence[str], request: Request) -> Comparison:
    """One or more columns of scores, for the rows that have a value in each."""
    source = sources.open(given)
    with named(source):
        rows, _ = _rows(source, {score: f"score of {score}" for score in scores}, request, "scores")
        return compared_rows(rows, {score: score for score in scores}, request, Settings())


# ---- slices from tables ----


def _slicings(tables: Mapping[sources.Key, Any], score: str, request: Request) -> tuple[Slicing, ...]:
    """The slices of one score, or of one column of predicted labels."""
    if not request.by:
        return ()
    finest = {key[:-1]: table for key, table in tables.items() if key[-1] == score}
    return summed_slices(finest, request.by, crossed=request.crossed)


def _with_left_out(
    cut: tuple[Slicing, ...],
    source: Source,
    scores: Sequence[str],
    request: Request,
    left_out: Mapping[str, int],
) -> tuple[Slicing, ...]:
    """Add the number of excluded rows to each slice: scores may be missing more often in one slice than in another.

    The columns are read again only if rows were excluded and the columns fit into memory.
    """
    if not left_out:
        return tuple(replace(slicing, left_out=dict.fromkeys(slicing.tables, 0)) for slicing in cut)
    if not cut or source.once or not fits(source, len(scores) + 2 + len(request.by), request.budget):
        return tuple(replace(slicing, left_out=None) for slicing in cut)
    wanted = replace(request, by=(), clusters=None).needed(dict.fromkeys(scores, "score"))
    names = list(dict.fromkeys([*wanted, *request.by]))
    column_arrays = sources.columns(source, names, kinds=dict.fromkeys(names, "any")).arrays
    absent = [flags for name in wanted if (flags := missing_flags(column_arrays[name])) is not None]
    lost = np.logical_or.reduce(absent) if absent else np.zeros(len(column_arrays[request.label]), dtype=bool)
    parts = partitions(
        {name: column_arrays[name][lost] for name in request.by}, rows=int(lost.sum()), crossed=request.crossed
    )
    counts = {part.by: {value: len(rows) for value, rows in part.rows.items()} for part in parts}
    return tuple(replace(slicing, left_out=counts[slicing.by]) for slicing in cut)


# ---- rows in memory ----


def _rows(
    source: Source, scores: Mapping[str, str], request: Request, what: str
) -> tuple[Mapping[str, Any], Mapping[str, int]]:
    """The columns as arrays; incomplete rows are excluded and counted by reason."""
    if source.files is None and not fits(source, len(scores) + 2, request.budget):
        raise RocscopeError(
            f"{what}: this needs all rows in memory, but {source.name} has too many",
            hint="Raise budget (in bytes), or leave it out; everything else works",
        )
    complete_rows = sources.complete(source, request.needed(scores), missing=request.missing)
    return complete_rows.values(), complete_rows.left_out


def fits(source: Source, columns: int, budget: int | None, *, each: int = 8) -> bool:
    """Whether that many columns of all rows may be held in memory, at `each` bytes per row."""
    usual = sources.ENGINE_BUDGET if source.kind in ENGINES else sources.BUDGET
    most = usual if budget is None else budget
    if most < 0:
        return True
    if source.rows is not None:
        return source.rows * each * columns <= most
    if source.bytes is not None:
        return source.bytes * TEXT * (each // 8) <= most
    return source.once or count(source) * each * columns <= most


def column_description(
    source: Source, request: Request, *, scores: Sequence[str] = (), predicted: str | None = None,
    labels: Sequence[Any] | None = None, choose_on: Any = None,
) -> Mapping[str, Any]:  # fmt: skip
    """Describe the origin of the cases for the results document: the file or frame, and the columns."""
    description: dict[str, Any] = (
        {"from": source.name, "kind": source.kind} if source.files is None else {"file": source.files.shown}
    )
    classes = None if labels is None else [f"{score}={label}" for score, label in zip(scores, labels, strict=False)]
    description |= {
        "label": request.label if isinstance(request.label, str) else ", ".join(request.label),
        "scores": None if classes else list(scores),
        "predicted": predicted,
        "probabilities": classes,
        "positive": None if request.positive is None else str(request.positive),
        "weight": request.weights,
        "cluster": request.clusters,
        "costs": [case_cost for case_cost in (request.case_costs or {}).values() if isinstance(case_cost, str)],
        "by": list(request.by),
        "choose_on": _path(choose_on),
    }
    return MappingProxyType({key: value for key, value in description.items() if value})


def _path(choose_on: Any) -> str | None:
    """The file on which the threshold is chosen; None for cases from elsewhere."""
    if isinstance(choose_on, Source) and choose_on.files is not None:
        return choose_on.files.shown
    return str(choose_on) if isinstance(choose_on, str | os.PathLike) else None


# ---- multiclass ----


def _decided(
    source: Source, predicted: str, request: Request, settings: Settings, labels: Sequence[Any] | None
) -> ClassEvaluation:
    """Evaluate hard labels by a confusion matrix."""
    from rocscope.evaluation.class_arrays import decided

    if _in_arrays(source, request) or (source.files is None and fits(source, 4, request.budget)):
        rows, left_out = _rows(source, {predicted: "predicted label"}, request, "hard labels")
        own = request.holding(rows)
        known = labels or _positive_first(own.positive, rows[request.label], rows[predicted])
        evaluation = decided(rows[predicted], own, settings, labels=known, name=predicted)
        counted: ClassEvaluation = _counted(evaluation, source, [predicted], request, left_out)
        return counted
    matrices = sources.confusions(
        source, label=request.label, predicted=[predicted], weights=request.weights,
        weights_are=request.weights_are, by=request.by, missing=request.missing,
    )  # fmt: skip
    matrix = added(matrices.values())
    cut = _slicings(matrices, predicted, request)
    lost = MappingProxyType(dict(getattr(matrices, "left_out", {})))
    positive = in_type_of(request.positive, matrix.labels)
    from rocscope.evaluation.classes import ClassEvaluation

    return ClassEvaluation(matrix, settings, name=predicted, slicings=cut, left_out=lost, positive=positive)


def _positive_first(positive: Any, *columns: Any) -> list[Any] | None:
    """The labels with the positive one first; None (the usual order) if none is specified."""
    if positive is None:
        return None
    present = {label for column in columns for label in tally.factorize(column, "label", limit=10**6)[1]}
    ordered = sorted(present, key=str)
    if positive not in present:
        raise RocscopeError(f"there is no label '{positive}'; the labels are {', '.join(map(str, ordered[:12]))}")
    return [positive, *(label for label in ordered if label != positive)]


def _classes(
    source: Source, columns: list[str], request: Request, settings: Settings, labels: Sequence[Any] | None,
    thresholds: Mapping[Any, float] | None = None,
) -> ClassEvaluation:  # fmt: skip
    """Evaluate a score column for each class."""
    from rocscope.evaluation.class_arrays import classes

    if source.files is not None and labels is None:
        source.having(request.label, *columns)
        _class_labels(columns, sorted(source.sample().labels(request.label)))  # fail before the rows are read
    held_elsewhere = source.files is None and not fits(source, len(columns) + 2, request.budget)
    if held_elsewhere or exceeds(source, request, len(columns)):
        return _classes_beyond(source, columns, request, settings, labels, thresholds)
    called = dict.fromkeys(columns) if labels is None else dict(zip(columns, labels, strict=False))
    scores = {column: f"score of {column if label is None else label}" for column, label in called.items()}
    rows, left_out = _rows(source, scores, request, "a score for each class")
    stacked = np.column_stack([np.asarray(rows[column], dtype=np.float64) for column in columns])
    actual = rows[request.label]
    known = list(labels) if labels is not None else class_order(columns, actual)
    evaluation = classes(stacked, request.holding(rows), settings, labels=known, thresholds=thresholds)
    counted: ClassEvaluation = _counted(evaluation, source, columns, request, left_out)
    return counted


def _classes_beyond(
    source: Source, columns: list[str], request: Request, settings: Settings, labels: Sequence[Any] | None,
    thresholds: Mapping[Any, float] | None,
) -> ClassEvaluation:  # fmt: skip
    """A column of scores for each class, of more rows than fit: their sums."""
    from rocscope.evaluation.class_arrays import class_costs

    if request.exact:
        raise RocscopeError("exact=True works for a single score, not for a score per class", hint="Raise budget=")
    source = sources.again(source, why="data with several classes are read several times if they do not fit in memory")
    if labels is None:
        labels = class_order(columns, sources.labels_of(source, request.label, missing=request.missing))
    question = sources.ClassQuestion(request.label, tuple(columns), tuple(labels), request.weights, request.by)
    decides = settings.cost_matrix is not None or bool(thresholds)
    if decides and request.by:
        raise RocscopeError(
            "slices are not available if costs or class thresholds determine the predictions", hint="Leave out by="
        )
    costs, each, known = class_costs(labels, settings, thresholds or {})
    if decides:
        question = replace(question, costs=costs, thresholds=each)
    reduced = sources.class_sums(
        source, question, missing=request.missing, weights_are=request.weights_are, budget=request.budget
    )
    return _of_reduction(source, reduced, columns, request, settings, (costs, known))


def _of_reduction(
    source: Source, reduced: sources.ClassReduction, columns: Sequence[str], request: Request, settings: Settings,
    decided_by: tuple[Any, Mapping[Any, float]],
) -> ClassEvaluation:  # fmt: skip
    """The evaluation of sums of several classes; `decided_by` are the costs and class thresholds that decide."""
    from rocscope.evaluation.class_arrays import share_notes
    from rocscope.evaluation.classes import ClassDecision, ClassEvaluation
    from rocscope.evaluation.from_tables import bound_note

    sums, decision = reduced.sums, None
    if reduced.decision is not None:
        sums.shares.check()
        given = settings.cost_matrix is not None
        decision = ClassDecision(reduced.decision, decided_by[0], given, decided_by[1], sums.labels, settings.level)
    cut = _with_left_out(
        _slicings(reduced.slices, sources.PREDICTED, request), source, columns, request, reduced.left_out
    )
    notes = (*tally.near_duplicates(sums.labels), *share_notes(sums.shares), *bound_note(sums))
    return ClassEvaluation(
        sums.matrix, settings, sums, left_out=MappingProxyType(dict(reduced.left_out)), slicings=cut,
        notes=notes, positive=in_type_of(request.positive, sums.labels), decision=decision,
    )  # fmt: skip


def class_order(columns: Sequence[str], actual: Any) -> list[Any]:
    """The label of each column, if columns are named after the labels."""
    present = {str(label): label for label in tally.factorize(actual, "label", limit=max(64, len(columns)))[1]}
    kind = type(next(iter(present.values())))
    return [present.get(label, label if kind is str else kind(label)) for label in _class_labels(columns, present)]


def _class_labels(columns: Sequence[str], present: Iterable[str]) -> list[str]:
    """The label that each column is named after; a label without a column is an error."""
    labels = list(present)
    named = class_columns(columns, set(labels))
    if not named:
        of = {column: label for label, column in named.items()}
        stray = next((label for label in labels if label not in columns and label not in of), labels[0])
        raise RocscopeError(
            f"{len(columns)} score columns were given for one evaluation, but none is named after the label '{stray}'",
            hint="Use compare for several models; for classes, name each column after its label, or list the labels "
            "in labels=[...]",
        )
    label_of = {column: label for label, column in named.items()}
    return [label_of[column] for column in columns]


# ---- several models ----


def compared(
    given: Any, models: Mapping[str, Any], request: Request, settings: Settings, *,
    labels: Sequence[Any] | None = None, predicted: bool = False, threshold: Any = None, choose_on: Any = None,
) -> Comparison | ClassComparison:  # fmt: skip
    """Compare several models whose scores, or predicted labels, are columns of a source."""
    source = sources.open(given)
    several = predicted or not all(isinstance(model, str) and "*" not in model for model in models.values())
    with named(source):
        if several or is_several(source, request.label):
            if choose_on is not None:
                raise RocscopeError("choosing a threshold on other cases needs one score per case", hint="Leave it out")
            columns = {name: matching(source, model) for name, model in models.items()}
            return _compared_classes(source, columns, request, settings, labels, predicted, threshold)
        if labels is not None:
            raise RocscopeError(
                "labels= applies to predicted labels or a score per class", hint="State which label is positive"
            )
        if threshold is not None:
            settings = replace(settings, threshold=threshold)
        scores = {column: f"score of {column}" for column in models.values()}
        apart = request.clusters is not None or bool(settings.cross_fit)
        source.having(*request.needed(scores))
        rows_fit = (
            apart
            or _in_arrays(source, request, len(scores))
            or (source.files is None and fits(source, len(models) + 1, request.budget, each=sources.ROW))
        )
        comparison = (_together if rows_fit else _beyond)(source, models, request, settings)
    if choose_on is not None:
        comparison = _chosen_elsewhere(comparison, models, choose_on, request)
    return described(comparison, column_description(source, request, scores=list(models.values())), _library(source))


def _chosen_elsewhere(
    comparison: Comparison, models: Mapping[str, str], choose_on: Any, request: Request
) -> Comparison:
    """The comparison with thresholds chosen on other cases: a source with the same columns, or arrays."""
    from rocscope.evaluation.model_rows import chosen_elsewhere, directions

    if isinstance(choose_on, tuple):
        chosen: Comparison = chosen_elsewhere(comparison, choose_on, request)
        return chosen
    ways, known = directions(request, list(models)), {}
    for name, column in models.items():
        other = _other(choose_on, column, replace(request, higher_is_positive=ways[name]))
        known[name] = replace(comparison.evaluations[name], choose_on=other)
    return replace(comparison, evaluations=MappingProxyType(known))


def _compared_classes(
    source: Source, models: Mapping[str, list[str]], request: Request, settings: Settings,
    labels: Sequence[Any] | None, predicted: bool, threshold: Any,
) -> ClassComparison | Comparison:  # fmt: skip
    """Models that predict a label, a score for each class, or several labels for each case."""
    columns = list(dict.fromkeys(column for several in models.values() for column in several))
    own = matching(source, request.label) if is_several(source, request.label) else None
    if own is None and request.clusters is None and _too_many(source, request, len(columns)):
        beyond = _classes_compared_beyond(source, models, request, settings, labels, predicted, threshold)
        description = column_description(
            source, request, scores=[] if predicted else columns, predicted=", ".join(columns) if predicted else None
        )
        return described(beyond, description, _library(source))
    if own is not None and _too_many(source, request, len(columns) + len(own)):
        compared_labels = _labels_compared_beyond(source, models, own, request, settings, labels, predicted, threshold)
        if compared_labels is not None:
            shown = ", ".join(columns) if predicted else None
            about = column_description(source, request, scores=[] if predicted else columns, predicted=shown)
            return described(compared_labels, about, _library(source))
    if own is None:
        what = "predicted label" if predicted else "score"
        rows, left_out = _rows(source, {column: f"{what} of {column}" for column in columns}, request, "a comparison")
        held_request = request.holding(rows)
    else:
        rows, left_out = _label_rows(source, own, columns, request, scored=not predicted)
        truth, weights = indicator_matrix(rows, own), _optional(rows, request.weights)
        held_request = replace(request, label=truth, weights=weights, by=None)
    comparison = stacked_models(rows, models, held_request, settings, own, labels, predicted, threshold)
    shown = ", ".join(columns) if predicted else None
    description = column_description(source, request, scores=[] if predicted else columns, predicted=shown)
    return _each(comparison, left_out=MappingProxyType(dict(left_out)), source=description, library=_library(source))


def _too_many(source: Source, request: Request, columns: int) -> bool:
    """Whether the rows of so many columns of scores or predictions do not fit in memory."""
    elsewhere = source.files is None and not fits(source, columns + 2, request.budget)
    return elsewhere or exceeds(source, request, columns)


def _classes_compared_beyond(
    source: Source, models: Mapping[str, list[str]], request: Request, settings: Settings,
    labels: Sequence[Any] | None, predicted: bool, threshold: Any,
) -> ClassComparison | Comparison:  # fmt: skip
    """Models that predict a label or a score for each class, of more rows than fit: their sums."""
    if request.exact or request.weights_are == "frequency" or isinstance(request.higher_is_positive, Mapping):
        what = "exact=True, frequency weights and a direction for each model"
        raise RocscopeError(f"{what} are not available if the rows do not fit in memory", hint="Raise budget=")
    source = sources.again(source, why="the data of a comparison are read several times if they do not fit in memory")
    columns = list(dict.fromkeys(column for several in models.values() for column in several))
    what = "predicted label" if predicted else "score"
    needed = request.needed({column: f"{what} of {column}" for column in columns})
    if predicted:
        no_threshold(settings, request, None, compared=True)
        return _decided_beyond(source, models, request, settings, labels, needed)
    present = sources.labels_of(source, request.label, needed=needed, missing=request.missing)
    if all(len(own) == 2 for own in models.values()):
        positive = tally.binary(list(tally.factorize(present)[1]), request.positive)[1][1]
        own = {name: dict(zip(_class_labels(two, map(str, present)), two, strict=True)) for name, two in models.items()}
        return _beyond(source, {name: of[str(positive)] for name, of in own.items()}, request, settings)
    no_threshold(settings, request, None, per_class=True, compared=True)
    return _scored_beyond(source, models, request, settings, labels, threshold, present)


def _labels_compared_beyond(
    source: Source, models: Mapping[str, list[str]], own: list[str], request: Request, settings: Settings,
    labels: Sequence[Any] | None, predicted: bool, threshold: Any,
) -> ClassComparison | None:  # fmt: skip
    """Several labels of several models, of more rows than fit; None where thresholds must be chosen."""
    from rocscope.evaluation.class_comparison import LABEL_MEASURES, ClassComparison
    from rocscope.intervals import case_statistic
    from rocscope.multiclass import LabelPredictions

    if request.by or request.clusters is not None:
        raise RocscopeError("slices and clusters are not available with several labels for each case")
    ordered = {name: named_alike(own, columns)[1] for name, columns in models.items()}
    kind = LabelPredictions(None, None, tuple(own))
    names = [*LABEL_MEASURES, *(() if predicted else ("ranking_loss",))]
    names += [] if settings.measure is None else [settings.measure]
    statistics = {statistic.name: statistic for statistic in (case_statistic(name, kind) for name in names)}
    summed_labels = _labels_beyond(
        source, own, ordered, request, settings, labels, predicted, threshold, list(statistics.values())
    )
    if summed_labels is None:
        return None
    evaluations, moments = summed_labels
    predictions = {name: evaluation.predictions for name, evaluation in evaluations.items()}
    return ClassComparison(
        MappingProxyType(dict(evaluations)), MappingProxyType(predictions), settings, progress=request.progress,
        moments=MappingProxyType(dict(moments)),
    )  # fmt: skip


def _decided_beyond(
    source: Source, models: Mapping[str, list[str]], request: Request, settings: Settings,
    labels: Sequence[Any] | None, needed: Mapping[str, str],
) -> ClassComparison:  # fmt: skip
    from rocscope.evaluation.class_comparison import ClassComparison
    from rocscope.evaluation.classes import ClassEvaluation

    columns = tuple(own[0] for own in models.values())
    known = labels
    if known is None:
        present = sources.labels_of(source, request.label, *columns, needed=needed, missing=request.missing)
        known = tally.in_order(present, "labels")
    question = sources.ClassQuestion(request.label, columns, tuple(known), request.weights, request.by)
    reduced = sources.decided_models(
        source, question, needed, missing=request.missing, weights_are=request.weights_are, budget=request.budget
    )
    left_out, predictions, evaluations = MappingProxyType(dict(reduced.left_out)), {}, {}
    for at, (name, column) in enumerate(zip(models, columns, strict=True)):
        predictions[name] = reduced.joint.predictions(at, reduced.labels)
        cut = _with_left_out(_slicings(reduced.slices, column, request), source, columns, request, reduced.left_out)
        evaluations[name] = ClassEvaluation(
            predictions[name].matrix, settings, name=name, slicings=cut, left_out=left_out,
            positive=in_type_of(request.positive, reduced.labels), notes=tuple(tally.near_duplicates(reduced.labels)),
        )  # fmt: skip
    return ClassComparison(
        MappingProxyType(evaluations), MappingProxyType(predictions), settings, progress=request.progress
    )


def _scored_beyond(
    source: Source, models: Mapping[str, list[str]], request: Request, settings: Settings,
    labels: Sequence[Any] | None, threshold: Any, present: list[Any],
) -> ClassComparison:  # fmt: skip
    from rocscope.evaluation.class_arrays import class_costs
    from rocscope.evaluation.class_comparison import ClassComparison

    if threshold is not None or any(len(own) < 2 for own in models.values()):
        raise RocscopeError(
            "thresholds, and models with different numbers of classes, are not available if the rows do not fit in "
            "memory",
            hint="Raise budget=",
        )
    questions: dict[str, sources.ClassQuestion] = {}
    known = list(labels) if labels is not None else None
    for name, own in models.items():
        named, order = class_order(own, present) if labels is None else list(labels), own
        known = known or named
        if set(map(str, named)) != set(map(str, known)):
            raise RocscopeError(f"{name} has scores for other classes: {', '.join(map(str, named))}")
        spelled = list(map(str, named))
        order = [own[spelled.index(str(label))] for label in known]
        questions[name] = sources.ClassQuestion(request.label, tuple(order), tuple(known), request.weights, request.by)
    costs, each, limits = class_costs(known or (), settings, {})
    if settings.cost_matrix is not None:
        if request.by:
            raise RocscopeError("slices are not available if costs determine the predictions", hint="Leave out by=")
        questions = {name: replace(question, costs=costs, thresholds=each) for name, question in questions.items()}
    reduced = sources.model_sums(
        source, questions, missing=request.missing, weights_are=request.weights_are, budget=request.budget
    )
    evaluations = {
        name: replace(
            _of_reduction(source, reduction, questions[name].columns, request, settings, (costs, limits)), name=name
        )
        for name, reduction in reduced.models.items()
    }
    predictions = {
        name: reduced.joint.predictions(at, reduced.labels, reduced.models[name].sums) for at, name in enumerate(models)
    }
    return ClassComparison(
        MappingProxyType(evaluations), MappingProxyType(predictions), settings, progress=request.progress,
        moments=MappingProxyType(dict(reduced.moments)),
    )  # fmt: skip


def stacked_models(
    rows: Mapping[str, Any], models: Mapping[str, list[str]], request: Request, settings: Settings,
    own: list[str] | None, labels: Sequence[Any] | None, predicted: bool, threshold: Any,
) -> ClassComparison | Comparison:  # fmt: skip
    """Compare models whose columns are in memory; `own` are the columns of several labels."""
    from rocscope.evaluation.class_arrays import compared_any

    predictions: dict[str, Any] = {}
    known = list(labels) if labels is not None else None
    for name, columns in models.items():
        if own is not None:
            ordered = named_alike(own, columns)[1]
            predictions[name] = indicator_matrix(rows, ordered) if predicted else score_columns(rows, ordered)
        elif len(columns) == 1:
            predictions[name] = rows[columns[0]]
        else:
            named = class_order(columns, request.label) if labels is None else list(labels)
            if known is not None and labels is None and set(map(str, named)) != set(map(str, known)):
                raise RocscopeError(f"{name} has scores for other classes: {', '.join(map(str, named))}")
            known = known or named
            order = [list(map(str, named)).index(str(label)) for label in known]
            predictions[name] = score_columns(rows, [columns[at] for at in order])
    names = _ends(own) if own is not None and labels is None else known
    return compared_any(predictions, request, settings, labels=names, predicted=predicted, threshold=threshold)


def described(
    comparison: Compared, source: Mapping[str, Any], library: str = "", *, left_out: Mapping[str, int] | None = None
) -> Compared:
    """Add the origin of the cases and the number of excluded rows to the comparison."""
    known = {} if left_out is None else {"left_out": MappingProxyType(dict(left_out))}
    return _each(comparison, source=source, library=library, **known)


def _each(comparison: Compared, **known: Any) -> Compared:
    """Add information to each evaluation of a comparison."""
    evaluations: Any = MappingProxyType(
        {name: replace(evaluation, **known) for name, evaluation in comparison.evaluations.items()}
    )
    return replace(comparison, evaluations=evaluations)


def _together(source: Source, models: Mapping[str, str], request: Request, settings: Settings) -> Comparison:
    scores = {column: f"score of {column}" for column in models.values()}
    rows, left_out = _rows(source, scores, request, "a comparison")
    comparison = compared_rows(rows, models, request, settings)
    known = {
        name: _counted(evaluation, source, list(scores), request, left_out)
        for name, evaluation in comparison.evaluations.items()
    }
    return replace(comparison, evaluations=MappingProxyType(known))


def compared_rows(
    rows: Mapping[str, Any], models: Mapping[str, str], request: Request, settings: Settings
) -> Comparison:
    """Compare several models whose scores are columns in memory."""
    from rocscope.evaluation.model_rows import compared_scores

    scores = {name: rows[column] for name, column in models.items()}
    return compared_scores(scores, request.holding(rows), settings)


def _beyond(source: Source, models: Mapping[str, str], request: Request, settings: Settings) -> Comparison:
    """Compare by tables and one pass for products of placements: paired tests of areas without the rows in memory."""
    if isinstance(request.higher_is_positive, Mapping) or request.weights_are == "frequency":
        what = "a direction for each model and frequency weights"
        raise RocscopeError(f"{what} are not available if the rows do not fit in memory", hint="Raise budget=")
    if request.exact:
        raise RocscopeError(
            "exact=True works only for a single score; a comparison of more rows than fit in memory reports "
            "certified bounds",
            hint="Raise budget=, or evaluate each score with exact=True",
        )
    columns = list(dict.fromkeys(models.values()))
    paired = sources.paired_delong(source, scores=columns, **_reduction(request))
    cut: Mapping[sources.Key, ScoreTable] = {}
    if request.by:
        cut = sources.tables(source, scores=columns, by=request.by, **_reduction(request)).tables
    left_out = MappingProxyType(dict(paired.left_out))

    def evaluation(name: str, column: str) -> Evaluation:
        table = paired.tables[paired.names.index(column)]
        notes = tuple(tally.near_duplicates(table.labels))
        return Evaluation(
            table, settings, name, left_out=left_out, notes=notes, progress=request.progress,
            slicings=_slicings(cut, column, request),
        )  # fmt: skip

    evaluations = {name: evaluation(name, column) for name, column in models.items()}
    positions = [paired.names.index(column) for column in models.values()]
    covariance = np.asarray(paired.covariance)[np.ix_(positions, positions)]
    from rocscope.evaluation.comparison import Comparison

    return Comparison(
        MappingProxyType(evaluations),
        None,
        MappingProxyType({}),
        settings,
        request.weights,
        None,
        covariance=covariance,
    )
