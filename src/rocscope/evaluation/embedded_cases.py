"""Individual cases for the report: those nearest the threshold, with their labels, scores, and ids or lines."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from rocscope import sources, tally
from rocscope.errors import RocscopeError
from rocscope.evaluation.binary import Evaluation
from rocscope.evaluation.classes import ClassEvaluation
from rocscope.evaluation.comparison import Comparison
from rocscope.multiclass import ClassPredictions


def case_list(given: Any, found: Any, most: int, *, id: str | None = None) -> dict[str, Any]:
    """Up to `most` cases of the files behind an evaluation or comparison, for `to_dict(cases=...)`.

    The cases nearest to the threshold are chosen and listed in the order of the file; for several classes, errors come
    first, then correct predictions. `id` names a column that identifies a case, instead of its line.
    """
    if isinstance(found, ClassEvaluation) and found.source.get("label") is not None:
        return _class_cases(given, found, most, id)
    if not isinstance(found, Evaluation | Comparison):
        raise RocscopeError("only cases with scores can be embedded", hint="Leave them out of the report")
    evaluations: Mapping[str, Evaluation] = found.evaluations if isinstance(found, Comparison) else {found.name: found}
    chosen = found.recommended if isinstance(found, Comparison) else found.name
    first = evaluations[chosen]
    if first.source.get("label") is None:
        raise RocscopeError("only cases with scores can be embedded", hint="Leave them out of the report")
    ids, labels, scores = _columns(given, first.source, list(evaluations), id)
    threshold = math.nan if first.point is None else first.point.threshold
    rows = _nearest(scores[chosen], threshold, most)
    positive = str(first.table.labels[1])
    return {
        "ids": [str(ids[row]) for row in rows],
        "label": [int(str(labels[row]) == positive) for row in rows],
        "scores": {name: [float(column[row]) for row in rows] for name, column in scores.items()},
        "more": len(labels) - len(rows),
    }


def _class_cases(given: Any, ev: ClassEvaluation, most: int, id: str | None) -> dict[str, Any]:
    """The actual and predicted class of up to `most` cases, errors first, with the score of the latter."""
    label, predicted = ev.source["label"], ev.source.get("predicted")
    opened = sources.open(given)
    if opened.files is None:
        raise RocscopeError("cases can be embedded only from files", hint="Save the frame first")
    columns = {predicted: "predicted label"} if predicted else dict.fromkeys(ev.source["scores"], "score")
    rows = sources.complete(opened, {label: "label"} | columns | ({id: sources.BY} if id else {}), missing="drop")
    values = rows.values()
    predictions = ev.predictions
    if predicted:
        predictions = ClassPredictions.of_labels(values[label], values[predicted], labels=ev.matrix.labels)
    cases = len(values[label])
    if not isinstance(predictions, ClassPredictions) or predictions.sums is not None or len(predictions) != cases:
        raise RocscopeError(
            "the cases do not fit in memory, so they cannot be embedded", hint="Leave them out of the report"
        )
    index_of = {str(name): index for index, name in enumerate(ev.matrix.labels)}
    of = [index_of[str(name)] for name in predictions.labels]
    wrong = sorted(range(len(predictions)), key=lambda row: predictions.codes[row] == predictions.predicted[row])
    kept = sorted(row for row in wrong[:most] if predictions.predicted[row] >= 0)
    ids = values[id] if id else _Places(opened, rows)
    return {
        "ids": [str(ids[row]) for row in kept],
        "actual": [of[predictions.codes[row]] for row in kept],
        "predicted": [of[predictions.predicted[row]] for row in kept],
        "scores": None if predictions.scores is None else [
            round(float(predictions.scores[row, predictions.predicted[row]]), 4) for row in kept
        ],
        "more": len(predictions) - len(kept),
    }


def _columns(given: Any, source: Mapping[str, Any], names: Sequence[str], id: str | None) -> tuple[Any, Any, Any]:
    """Ids, labels and scores of the evaluated rows, read again."""
    label = source["label"]
    several = isinstance(given, list | tuple) and len(given) > 1
    if several and id is not None:
        from rocscope.evaluation.model_files import aligned_columns
        from rocscope.evaluation.settings import Request

        kept = aligned_columns(given, names, source["scores"], Request(label, by=()), id)
        return kept[id], _texts(kept[label]), {name: kept[name] for name in names}
    opened = sources.open(given)
    if opened.files is None:
        raise RocscopeError("cases can be embedded only from files", hint="Save the frame first")
    columns = list(source["scores"])
    needed = {label: "label"} | dict.fromkeys(columns, "score") | ({id: sources.BY} if id else {})
    rows = sources.complete(opened, needed, missing="drop")
    values = rows.values()
    called = dict(zip(names, columns, strict=True))
    scores = {name: values[column] for name, column in called.items()}
    ids = values[id] if id else _Places(opened, rows)
    return ids, _texts(values[label]), scores


class _Places:
    """The location of each row: the line of a small file, else the number of preceding rows."""

    def __init__(self, source: sources.Source, rows: sources.CompleteRows) -> None:
        self.source, self.rows = source, rows

    def __getitem__(self, row: int) -> str:
        if self.source.files is None or self.source.files.large:
            return f"row {row}"
        first = row if self.rows.kept is None else int(self.rows.kept[row])
        return self.source.location(first).rpartition(", ")[2]


def _texts(labels: Any) -> list[Any]:
    codes, values = tally.factorize(labels, "label", limit=64)
    return [values[code] for code in codes.tolist()]


def _nearest(scores: Any, threshold: float, most: int) -> list[int]:
    """The rows nearest the threshold, in file order."""
    if not math.isfinite(threshold):
        return list(range(min(most, len(scores))))
    near = sorted(range(len(scores)), key=lambda row: abs(scores[row] - threshold))[:most]
    return sorted(near)
