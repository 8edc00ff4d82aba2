"""Classifiers given by one point each, as rates or four counts, on the interactive page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

from rocscope import verdicts
from rocscope.decisions import Costs
from rocscope.errors import RocscopeError
from rocscope.evaluation import Comparison, Evaluation, compare, evaluate
from rocscope.sources import RocPoint

NOMINAL = 1000  # nominal number of cases per class if only rates are known
MOST_CASES = 100_000  # maximum number of cases that are expanded one by one; above it only the rates are used
NO_METHODS = "Rates were given without counts, so no intervals can be computed."
NO_INTERVAL = "rates without counts have no interval"
NOT_PAIRED = "it is not known which cases each classifier got right"
# A classifier given as a single point has no threshold.
WORDS: Mapping[str, str] = {
    "model_at": "Recommended: {model:model}.",
    "threshold_only": "Recommended: {model:model}.",
    "moved": "Your setting, {model:model}, costs {cost:whole}, {more:whole} more than the cheapest.",
    "moved_same": "Your setting, {model:model}, costs {cost:whole}, the same as the cheapest.",
    "roc": "{model:model} finds {recall:percent} of the {positive} {units} and flags {fpr:percent} of the {negative} "
    "{units}.",
}


def moving(points: Sequence[RocPoint], *, source: str, costs: Costs | None = None) -> str:
    """The page on classifiers in ROC space: a line of equal cost to drag, the hull, which one at which cost."""
    from rocscope.report import page

    return page(document(points, source=source, costs=costs))


def document(points: Sequence[RocPoint], *, source: str, costs: Costs | None = None) -> dict[str, Any]:
    """Build the results document of classifiers given by one point each; without counts, it contains no intervals.

    >>> found = document([RocPoint("C4.5", 0.2, 0.7), RocPoint("SVM", 0.5, 0.95)], source="two")
    >>> found["recommended"], found["drawing"]["rates_only"], found["drawing"]["models"][0]["areas"][0]["low"]
    ('C4.5', True, None)
    """
    if not points:
        raise RocscopeError("no classifier has both rates", hint="A row needs positives and negatives")
    totals = _totals(points)
    labels, weights, flags = _cases(points, totals or (NOMINAL, NOMINAL), written_out=totals is not None)
    shared: dict[str, Any] = {"costs": costs or Costs(fp=1, fn=1), "weights": weights}
    result: Evaluation | Comparison | Any
    if len(points) > 1:
        result = compare(labels, flags, **shared)
    else:
        ((name, score),) = flags.items()
        result = evaluate(labels, score, name=name, **shared)
    body: dict[str, Any] = result.to_dict(drawing=True)
    for part in (body, *(body.get("evaluations") or {}).values()):
        part["data"]["source"] = {"file": source}
        part["data"]["probabilities"] = False
        part["data"]["weighted"] = False
    return _honest(body, source, rates_only=totals is None)


def _totals(points: Sequence[RocPoint]) -> tuple[int, int] | None:
    """The common numbers of negatives and positives; None if they are unknown, differ, or are very large."""
    known = {(point.negatives, point.positives) for point in points}
    if len(known) > 1:
        return None
    negatives, positives = known.pop()
    if not negatives or not positives or negatives + positives > MOST_CASES:
        return None
    return negatives, positives


def _cases(
    points: Sequence[RocPoint], totals: tuple[int, int], *, written_out: bool
) -> tuple[list[int], list[float] | None, dict[str, list[int]]]:
    """Construct labels, weights and flags of each classifier that reproduce all the rates.

    Within a class, the flagged cases come first: divided at every rate, a class consists of a few groups of equal
    cases.
    """
    labels: list[int] = []
    weights: list[float] = []
    flags: dict[str, list[int]] = {point.name: [] for point in points}
    for label, total in enumerate(totals):
        ends = {point.name: round((point.fpr, point.tpr)[label] * total, 0 if written_out else 9) for point in points}
        for low, high in pairwise(sorted({0.0, float(total), *ends.values()})):
            times = round(high - low) if written_out else 1
            labels += [label] * times
            weights.append(high - low)
            for name, end in ends.items():
                flags[name] += [int(end >= high)] * times
    return labels, None if written_out else weights, flags


# ---- removal of results that the data do not support ----


def _honest(body: dict[str, Any], source: str, *, rates_only: bool) -> dict[str, Any]:
    """The results document without what only paired cases show, and without intervals if counts are unknown."""
    drawing = body["drawing"]
    several = "evaluations" in body
    for entry in (body, *(body.get("evaluations") or {}).values()):
        _as_given(entry)
    if several:
        for entry in (*body["differences"], *body["cost_differences"]):
            _bare(entry, NOT_PAIRED)
            entry |= {"p": None, "p_adjusted": None}
        body["cheapest"] = {}
        body["joint"] = None
    for entry in (body, *(body.get("evaluations") or {}).values()):
        (entry.get("costs") or {}).pop("0.5", None)  # only meaningful for probabilities
        if "areas" in entry:
            entry["areas"] = _areas(entry["areas"])
    if rates_only:
        for part in (body, *(body.get("evaluations") or {}).values()):
            _strip(part)
        _strip(drawing)
    for model in drawing["models"]:
        model |= {"calibration": None, "histogram": None, "corrected": None, "areas": _areas(model["areas"])}
        for name in ("tp_squares", "fp_squares"):
            model.pop(name, None)
        if rates_only:
            model["band"] = None
    why = NO_INTERVAL if rates_only else NOT_PAIRED
    drawing |= {
        "probabilities": False, "weighted": False, "differences": [], "range": None, "rates_only": rates_only,
        "points": True, "corrections": None,
        "strip": drawing["strip"] and drawing["strip"] | {"shares": None, "resamples": 0, "why": why},
        "words": {**drawing["words"], **WORDS},
    }  # fmt: skip
    known = {name: evaluation["point"]["cost"] for name, evaluation in (body.get("evaluations") or {"": body}).items()}
    names = list(known)
    drawing["costs"] = sorted(
        ({**row, "at": "", **({} if row["model"] is None else {"value": known[names[row["model"]]]["value"]})}
         for row in drawing["costs"] if row["kind"] != "habit"),
        key=lambda row: row["value"],
    )  # fmt: skip
    body["verdict"] = verdicts.of_points(body, why, counted=not rates_only)
    _one_voice(body, source, rates_only=rates_only)
    return body


def _as_given(part: dict[str, Any]) -> None:
    """Cost and measures of the rates as given: no threshold was chosen, so nothing is corrected for it."""
    point = part.get("point")
    if point is None or point["correction"] is None:
        return
    point |= {"cost": point["apparent_cost"] or point["cost"], "apparent_cost": None, "correction": None}
    point["optimistic"] = False
    for row in part["measures"]:
        row |= row.pop("apparent", None) or {}


def _areas(rows: Sequence[Any]) -> list[Any]:
    """The areas that are meaningful for one point, without a ranking or probabilities."""
    return [row for row in rows if row["name"] == "auc"]


def _strip(part: Any) -> None:
    """Remove every interval from a part of the results document, in place."""
    if isinstance(part, dict):
        if {"value", "low", "high"} <= set(part):
            _bare(part, NO_INTERVAL)
        for item in part.values():
            _strip(item)
    elif isinstance(part, list):
        for item in part:
            _strip(item)


def _bare(row: dict[str, Any], why: str) -> None:
    row |= {"low": None, "high": None}
    if "why" in row:
        row |= {"method": "", "why": row["why"] or why}


def _one_voice(body: dict[str, Any], source: str, *, rates_only: bool) -> None:
    """Remove mentions of thresholds, pairs of cases or intervals that do not exist from the results document."""
    texts = body["verdict"]["caveats"]
    own = body["evaluations"][body["recommended"]] if "evaluations" in body else body
    # omits the comparison, as it is not known which cases each classifier got right
    methods = NO_METHODS if rates_only else own["methods"]
    for part in (body, *(body.get("evaluations") or {}).values()):
        part["verdict"] = body["verdict"]
        part["caveats"] = texts
        part["methods"] = methods
    body["drawing"]["provenance"] |= {"methods": body["methods"], "command": "", "origin": f"Made from {source}."}
