"""The vocabulary for requesting an answer from the library, and the function that interprets it.

counts.precision                a measure or a cell of one 2 x 2 matrix
error:delong                    the standard error of the AUC by a named method
known.specificity               "yes" or "no": can it be computed from what is given
expression.accuracy             a measure with an unknown cell
interval:wilson.accuracy        both limits at 95 % by a named method, also interval:delong.auc
matrix.kappa, macro:f1, micro:f1, weighted:f1, of:versicolor.f1, support:cat, predicted:cat, cell:dog,cat
auc, average_precision, pr_area, pr_trapezoid, log_loss, brier, partial_auc:0..0.2, partial_corrected:0..0.2
points, areas                   of the ROC curve, row by row
at:0.5.accuracy                 a measure (or `distance` to (0, 1)) at a threshold
best.youden.threshold           where a rule puts the threshold, or a measure there
hull.area, hull.points, hull.slopes, hull.best:1/4
space:A, inverted:C             a point of ROC space
area                            under a drawn line
urn.together, urn.returned, urn.left_out
folds.models, folds.train, folds.test, folds.shared
in:M1.auc                       any of these of one named part
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from fractions import Fraction
from itertools import combinations, product
from types import MappingProxyType
from typing import Any

from rocscope import curves, decisions, hull, intervals, splits, verdicts
from rocscope.errors import RocscopeError
from rocscope.lessons.records import Example, Value, pick
from rocscope.lessons.traces import table_trace
from rocscope.numbers import fraction
from rocscope.table import Confusion, Counts, ScoreTable


def compute(example: Example, ask: str) -> Value:
    """The library's answer for an example's data.

    >>> from rocscope.lessons import example
    >>> compute(example("iris"), "of:versicolor.f1"), compute(example("c45-svm"), "hull.best:1/4")
    (Fraction(7, 11), 'SVM')
    """
    return compute_data(example.kind, example.data, ask)


def compute_data(kind: str, data: Mapping[str, Any], ask: str) -> Value:
    """Like `compute`, for data that do not belong to an example, such as those of an exercise."""
    if kind == "lost":
        raise RocscopeError("the data of this example are lost, so nothing can be computed")
    if kind == "cases":
        head, _, rest = ask.partition(".")
        part_kind, part_data = pick(head.removeprefix("in:"), data, "part")
        return compute_data(part_kind, part_data, rest)
    return _read(subject(kind, data), ask)


def agrees(computed: Value, expected: Value) -> bool:
    """Whether a computed value is the expected one: fractions exactly, or to 1e-12 if a float was computed;
    expected decimals to their last printed digit.

    >>> agrees(0.33071891, 0.3307), agrees(0.33081891, 0.3307), agrees(2 / 3, Fraction(2, 3))
    (True, False, True)
    """
    if isinstance(expected, tuple):
        return (
            isinstance(computed, tuple)
            and len(computed) == len(expected)
            and all(agrees(a, b) for a, b in zip(computed, expected, strict=True))
        )
    if isinstance(computed, str | tuple) or isinstance(expected, str):
        return computed == expected
    if isinstance(expected, float) and math.isfinite(expected):
        return math.isfinite(computed) and abs(fraction(computed) - fraction(expected)) <= _half_unit(expected)
    return computed == expected or (
        isinstance(computed, float) and math.isclose(computed, expected, rel_tol=1e-12, abs_tol=1e-15)
    )


def _half_unit(value: float) -> Fraction:
    """Half a unit of the last printed digit of a decimal, of the fourth at least."""
    return Fraction(1, 2 * 10 ** max(len(repr(value).partition(".")[2]), 4))


def subject(kind: str, data: Mapping[str, Any]) -> Any:
    """The object of the library that holds an example's data: Counts, Confusion, ScoreTable or the data itself."""
    make: Callable[[Mapping[str, Any]], Any] = pick(kind, _SUBJECTS, "kind of example")
    return make(data)


# ---- data as objects ----


def _tally(data: Mapping[str, Any]) -> Counts:
    """Right and wrong answers only: accuracy and error rate do not ask which."""
    return Counts(tp=data["right"], fp=data["wrong"], fn=0, tn=0)


def _thresholds(data: Mapping[str, Any]) -> ScoreTable:
    return ScoreTable.from_points(
        data["rows"],
        positives=data.get("positives"),
        negatives=data.get("negatives"),
        higher_is_positive=data["higher_is_positive"],
    )


_SUBJECTS: Mapping[str, Callable[[Mapping[str, Any]], Any]] = MappingProxyType(
    {
        "tally": _tally,
        "counts": lambda data: Counts(**data),
        "retrieval": lambda data: Counts.from_retrieval(**data),
        "matrix": lambda data: Confusion.from_matrix(
            [list(row) for row in data["matrix"]], labels=data["labels"], rows=data["rows"]
        ),
        "labels": lambda data: Confusion.from_labels(
            list(data["actual"]), list(data["predicted"]), labels=data["labels"]
        ),
        "scores": lambda data: ScoreTable.from_scores(
            list(data["y"]), list(data["scores"]), positive=data.get("positive")
        ),
        "thresholds": _thresholds,
        "points": lambda data: dict(data["points"]),
        "polyline": lambda data: data["points"],
        "urn": lambda data: data,
        "folds": lambda data: splits.plan(data["plan"], data["cases"]),
    }
)


def _read(content: Any, ask: str) -> Value:
    """The ask split into head, argument and rest, and handed to its reader."""
    head = ask.partition(".")[0].partition(":")[0]
    reader: Callable[[Any, str], Value] = pick(head, _READERS, "ask")
    return reader(content, ask[len(head) + 1 :])


# ---- readers: evaluate the rest of a request on the object named by its first word ----


def _of_counts(counts: Counts, name: str) -> Value:
    """A cell, an exact fraction where there is one, else a float."""
    if name in ("tp", "fp", "fn", "tn"):
        cell: int = getattr(counts, name)
        return cell
    if name == "distance":
        return math.hypot(float(counts.exact("fpr")), float(counts.exact("fnr")))
    try:
        return counts.exact(name)
    except RocscopeError:
        return float(counts.value(name))


def _interval(content: Counts | ScoreTable, rest: str) -> Value:
    """Both limits by a named method at 95 %: of a measure of counts, or of the AUC of a table."""
    method, _, name = rest.partition(".")
    estimate = (
        intervals.auc(content, method=method)
        if isinstance(content, ScoreTable)
        else content.estimate(name, method=method)
    )
    return (float(estimate.low), float(estimate.high))


def _error(table: ScoreTable, method: str) -> Value:
    error = intervals.auc(table, method=method).se
    return math.nan if error is None else float(error)


def _of_class(matrix: Confusion, rest: str) -> Value:
    label, _, measure = rest.rpartition(".")
    return _of_counts(matrix.of(_label(matrix, label)), measure)


def _label(matrix: Confusion, text: str) -> Any:
    return pick(text, {str(label): label for label in matrix.labels}, "class")


def _support(matrix: Confusion, text: str) -> Value:
    counts = matrix.of(_label(matrix, text))
    return int(counts.tp + counts.fn)


def _predicted(matrix: Confusion, text: str) -> Value:
    counts = matrix.of(_label(matrix, text))
    return int(counts.tp + counts.fp)


def _cell(matrix: Confusion, text: str) -> Value:
    predicted, actual = (matrix.labels.index(_label(matrix, name)) for name in text.split(","))
    return int(matrix.to_array(rows="predicted")[predicted, actual])


def _at(table: ScoreTable, rest: str) -> Value:
    threshold, _, measure = rest.rpartition(".")
    return _of_counts(table.at(float(threshold)), measure)


def _best(table: ScoreTable, rest: str) -> Value:
    """One value where the rule has one optimum, else all of them."""
    rule, _, what = rest.partition(".")
    values = tuple(_of_optimum(optimum, what) for optimum in decisions.best(table, rule))
    return values[0] if len(values) == 1 else values


def _of_optimum(optimum: Any, what: str) -> Value:
    return float(optimum.threshold) if what == "threshold" else _of_counts(optimum.counts, what)


def _partial(corrected: bool) -> Callable[[ScoreTable, str], Value]:
    def reader(table: ScoreTable, text: str) -> Value:
        low, _, high = text.partition("..")
        return float(curves.partial_auc(table, fpr=(float(low), float(high)), corrected=corrected))

    return reader


def _hull(content: Any, rest: str) -> Value:
    outline = hull.hull(content)
    if rest.startswith("best:"):
        return str(outline.best(cost_ratio=Fraction(rest.removeprefix("best:"))).model)
    if rest == "points":
        return outline.points_exact
    if rest == "slopes":
        return tuple(math.inf if segment.slope_exact is None else segment.slope_exact for segment in outline.segments)
    return outline.area_exact


def _points(table: ScoreTable, _: str) -> Value:
    roc = curves.roc(table)
    return tuple((float(f), float(t)) for f, t in zip(roc.fpr, roc.tpr, strict=True))


def _inverted(points: Mapping[str, tuple[float, float]], name: str) -> Value:
    fpr, tpr = points[name]
    return (1 - fraction(fpr), 1 - fraction(tpr))


def _urn(urn: Mapping[str, Any], what: str) -> Value:
    items, draws = urn["items"], urn["draws"]
    if what == "together":
        return len(list(combinations(items, draws)))
    if what == "returned":
        return len(list(product(items, repeat=draws)))
    return Fraction(len(items) - 1, len(items)) ** len(items)


def _folds(pairs: splits.Pairs, what: str) -> Value:
    """How many pairs, how many cases in the first, and how many every two training sets have in common."""
    if what == "models":
        return len(pairs)
    if what == "shared":
        (shared,) = {len(set(a.train.tolist()) & set(b.train.tolist())) for a, b in combinations(pairs, 2)}
        return shared
    return len(pairs[0].train) if what == "train" else len(pairs[0].test)


_READERS: Mapping[str, Callable[[Any, str], Value]] = MappingProxyType(
    {
        "counts": _of_counts,
        "known": lambda counts, name: "no" if counts.why(name) else "yes",
        "interval": _interval,
        "error": _error,
        "expression": lambda counts, name: counts.expression(name),
        "matrix": lambda matrix, name: matrix.exact(name),
        "macro": lambda matrix, name: matrix.exact(name, average="macro"),
        "micro": lambda matrix, name: matrix.exact(name, average="micro"),
        "weighted": lambda matrix, name: matrix.exact(name, average="weighted"),
        "of": _of_class,
        "support": _support,
        "predicted": _predicted,
        "cell": _cell,
        "at": _at,
        "best": _best,
        "partial_auc": _partial(corrected=False),
        "partial_corrected": _partial(corrected=True),
        "hull": _hull,
        "points": _points,
        "areas": lambda table, _: tuple(row.area for row in table_trace(table)),
        "space": lambda points, name: verdicts.roc_space(*points[name]).partition(":")[0],
        "inverted": _inverted,
        "area": lambda points, _: curves.polyline_area(points),
        "urn": _urn,
        "folds": _folds,
        "auc": lambda table, _: curves.exact("auc", table),
        "average_precision": lambda table, _: curves.exact("average_precision", table),
        "pr_area": lambda table, _: table.pr_area,
        "pr_trapezoid": lambda table, _: table.pr_trapezoid,
        "log_loss": lambda table, _: table.log_loss,
        "brier": lambda table, _: table.brier,
    }
)
