"""recalibrate(): a calibrator fitted to arrays, or to columns of a file or frame, and assessed on other cases."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from rocscope import sources
from rocscope.errors import RocscopeError, naming
from rocscope.evaluation.settings import Request
from rocscope.recalibration import Calibrator, Recalibration, method_named, recalibrated


def recalibrate(
    y: Any,
    score: Any = None,
    method: str = "isotonic",
    *,
    label: str | None = None,
    positive: Any = None,
    weights: Any = None,
    clusters: Any = None,
    higher_is_positive: bool = True,
    missing: str = "error",
    folds: int = 10,
    seed: int = 0,
    level: float = 0.95,
) -> Recalibration:
    """Learn to map scores to probabilities, and assess the map on cases that were not used for learning.

    `recalibrate(y, score)` takes arrays; `recalibrate(frame_or_path, "p", label="y")` names columns. `method` is
    "isotonic", "platt", "logistic", "beta" or "temperature". The result holds the `calibrator`, which maps new scores
    (`calibrator.apply`) and saves itself (`calibrator.save("calibrator.json")`), the cross-fitted `probabilities` of
    these cases, and the `gains` in Brier score and log loss with intervals.

    >>> found = recalibrate([0, 0, 1, 0, 1, 0, 1, 1] * 5, [0.1, 0.2, 0.3, 0.4, 0.6, 0.7, 0.8, 0.9] * 5, "platt")
    >>> found.calibrator
    Calibrator(platt, slope=4.238, intercept=-2.119, learned on 40 cases)
    """
    method_named(method)  # fail before any data are read
    how: dict[str, Any] = {"higher_is_positive": higher_is_positive, "folds": folds, "seed": seed, "level": level}
    if label is None:
        if isinstance(y, str) or score is None or isinstance(score, str):
            raise RocscopeError(
                "recalibrate needs labels and scores",
                hint='recalibrate(y, scores), or recalibrate(path, "p", label="y")',
            )
        return recalibrated(y, score, method, positive=positive, weights=weights, clusters=clusters, **how)
    if not isinstance(score, str):
        raise RocscopeError("label names a column, but score is not a column name", hint='Give score="column"')
    request = Request(label, positive, weights, clusters=clusters, missing=missing).by_name()
    source = sources.open(y)
    with naming(source.name):
        rows = sources.complete(source, request.needed({score: "score"}), missing=missing)
        given = request.holding(rows.values())
        recalibration = recalibrated(
            given.label, rows.values()[score], method, positive=given.positive, weights=given.weights,
            clusters=given.clusters, **how,
        )  # fmt: skip
    return (
        recalibration
        if rows.kept is None
        else replace(recalibration, probabilities=_spread(recalibration.probabilities, rows.kept, source))
    )


def _spread(values: Any, kept: Any, source: sources.Source) -> Any:
    """The values at the rows that were kept, NaN at those that were excluded."""
    spread = np.full(sources.count(source), np.nan)
    spread[kept] = values
    return spread


def applied(calibrator: Calibrator, given: Any, score: str, *, missing: str = "error") -> Any:
    """The calibrated probabilities of a column of a file or frame; NaN for rows left out by missing="drop"."""
    source = sources.open(given)
    with naming(source.name):
        rows = sources.complete(source, {score: "score"}, missing=missing)
        values = calibrator.apply(rows.values()[score])
    return values if rows.kept is None else _spread(values, rows.kept, source)
