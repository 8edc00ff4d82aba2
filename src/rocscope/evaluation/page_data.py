"""The `drawing` section of the results document: everything an interactive page needs in addition."""

from __future__ import annotations

import hashlib
import math
import shlex
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from rocscope import curves, hull, intervals, measures, significance
from rocscope.decisions import Costs
from rocscope.evaluation import page_model
from rocscope.evaluation.binary import MEASURES, Evaluation, Point, at_random
from rocscope.evaluation.comparison import Comparison, or_low
from rocscope.evaluation.document import measure_row
from rocscope.evaluation.settings import Settings
from rocscope.measures import Measure
from rocscope.numbers import from_json, json_number
from rocscope.table import Counts, ScoreTable
from rocscope.text import distinct_names, point_text, short_threshold
from rocscope.verdicts import LOSSES, class_names, difference, difference_words, imbalance, live_templates, trust

if TYPE_CHECKING:  # other kinds of results, which a comparison of scores does not load
    from rocscope.evaluation.class_comparison import ClassComparison
    from rocscope.evaluation.classes import ClassEvaluation
    from rocscope.evaluation.multilabel import LabelEvaluation

CLASS_POINTS = 60
MOVABLE = 20  # maximum number of labels whose thresholds can be changed on the page
COLORS = 5  # number of models with a color of their own; the others are gray until selected
# cost ratios: cost of a false negative / cost of a false positive
RATIOS = tuple(float(f"{ratio:.4g}") for ratio in np.geomspace(0.5, 100, 33))
OFFERED = (1.0, 2.0, 5.0, 10.0, 20.0, 50.0)  # cost ratios offered to a reader who has given no costs
RESAMPLES = 600
RANGED = 200_000  # maximum number of distinct scores for which the threshold range is resampled by default
MOST_SLICES = 100  # maximum number of slices per column
MOST_MODELS = 6  # maximum number of models in the joint resampling of the cheapest one
DEFAULTS = {"level": 0.95, "interval": "newcombe", "bootstrap": 0, "cross_fit": 0, "unit": "case"}
MOVED = ("cost", "youden", "closest", "f1")  # rules that the page recomputes itself

Document = Mapping[str, Any]


def drawing_of(result: Any, document: Document, *, cases: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Everything a page needs beyond the results document; `cases` are individual cases to show."""
    return _drawing(result, document, cases) | {"aliases": distinct_names(_names_of(document))}


def _names_of(document: Document) -> list[str]:
    """The names of the models."""
    return [str(name) for name in document.get("models") or document.get("evaluations") or ()]


def _drawing(result: Any, document: Document, cases: Mapping[str, Any] | None) -> dict[str, Any]:
    """Build the drawing section for a kind of result."""
    if document["kind"] == "validation":
        return of_validation(document)
    if document["kind"] == "classes":
        return of_classes(result, document, cases)
    if document["kind"] == "labels":
        return of_labels(result, document)
    if document["kind"] == "class_comparison":
        return of_class_comparison(result, document)
    rows, clusters = result.repeatable
    corrections = _corrections(rows, clusters, result.settings)
    if document["kind"] == "comparison":
        return _scored(result.evaluations, document, result.recommended, _shares(result), corrections, cases)
    name = result.name or "model"
    return _scored({name: result}, document, name, None, corrections, cases)


def of_classes(ev: ClassEvaluation, document: Document, cases: Mapping[str, Any] | None) -> dict[str, Any]:
    """The drawing data for several classes or hard labels: the matrix, and each class against the rest."""
    labels, cells = document["data"]["labels"], document["matrix"]["cells"]
    tables = {str(label): table for label, table in ev.tables().items()}
    digest = fingerprint(tables.values()) if tables else digest_of(cells)
    drawing = {
        "kind": "classes",
        "title": ev.name or f"{len(labels)} classes",
        **_words_of(document["settings"]["unit"], *(("", "") if ev.counts is None else ev.counts.labels)),
        "level": ev.settings.level,
        "classes": [
            _curve(label, tables.get(label), document["classes"][label])
            | {"bins": None if ev.calibration is None else _bins(tables.get(label), ev.settings.level)}
            for label in labels
        ],
        "order": cluster_order(cells),
        "reliability": _reliability(ev),
        "models": [],
        "measures": [],
        "slices": None,
        "usual": list(MEASURES),
        "words": live_templates(),
        "state": {},
        "cases": cases,
        "costs": [],
        "provenance": _provenance(document, digest),
    }
    return drawing | _hard_labels(ev, ev.counts) if ev.counts is not None and ev.scores is None else drawing


def of_labels(ev: LabelEvaluation, document: Document) -> dict[str, Any]:
    """The drawing data for several labels per case: the ROC curve of each label."""
    tables = {str(label): table for label, table in ev.tables().items()}
    counts = [label["counts"] for label in document["labels"].values()]
    digest = fingerprint(tables.values()) if tables else digest_of(counts)
    few = len(tables) <= MOVABLE
    moved = {
        label: _movable(table, from_json(document["thresholds"][label]["threshold"]))
        for label, table in tables.items()
        if few and table.positives and table.negatives and label in (document["thresholds"] or {})
    }
    return _still(document, "labels", ev.name or f"{len(ev.labels)} labels", digest) | {
        "classes": [
            _curve(label, tables.get(label), document["labels"][label]["measures"]) | {"table": moved.get(label)}
            for label in document["data"]["labels"]
        ],
    }


def _movable(table: ScoreTable, threshold: float) -> dict[str, Any]:
    """The rows of a label's table that a page needs to change its threshold."""
    drawing = page_model.drawn_rows(table, page_model.rows_of(table, [threshold]))
    return drawing | {"rule": ">=" if table.higher_is_positive else "<=", "weighted": bool(table.weighted)}


def _bins(table: ScoreTable | None, level: float) -> list[dict[str, Any]] | None:
    """The predicted and observed frequencies of a class, by its probability."""
    return None if table is None or not table.positives else page_model.calibration_bins(table, level)


def of_class_comparison(cmp: ClassComparison, document: Document) -> dict[str, Any]:
    """The drawing data for models that predict classes or labels: the recommended model, and a color for each."""
    own, first = document["evaluations"][cmp.recommended], cmp.evaluations[cmp.recommended]
    from rocscope.evaluation.multilabel import LabelEvaluation

    inner = of_labels(first, own) if isinstance(first, LabelEvaluation) else of_classes(first, own, None)
    order = [cmp.recommended, *(name for name in cmp.names if name != cmp.recommended)]
    title = " and ".join(map(_short, cmp.names)) if len(cmp.names) < 3 else f"{len(cmp.names)} models"
    digest = digest_of([document["measures"], document["agreement"]])
    shared = {name: inner[name] for name in ("classes", "order", "reliability") if name in inner}
    return (
        _still(document, "class_comparison", title, digest)
        | shared
        | {
            "slots": {name: slot if slot <= COLORS else 0 for slot, name in enumerate(order, start=1)},
        }
    )


def _still(document: Document, kind: str, title: str, digest: str) -> dict[str, Any]:
    """The common part of drawings without interaction."""
    return {
        "kind": kind, "title": title, **_words_of(document["settings"]["unit"], "", ""),
        "level": document["settings"]["level"], "models": [], "words": live_templates(), "state": {}, "costs": [],
        "provenance": _provenance(document, digest),
    }  # fmt: skip


def _reliability(ev: ClassEvaluation) -> list[dict[str, Any]] | None:
    """How often the predicted class is right, by its probability; None without probabilities or decisions."""
    if ev.calibration is None or not np.asarray(ev.matrix.matrix).any():
        return None
    return page_model.calibration_bins(ev.predictions.confidence, ev.settings.level)


def of_validation(document: Document) -> dict[str, Any]:
    """The drawing data for a validation; its pictures are drawn from the results document and are not interactive."""
    names, first = document["models"], document["recommended"]
    # color order: the recommended model first, the others as given
    order = [first, *(name for name in names if name != first)]
    return {
        "kind": "validation",
        "title": f"{len(names)} model{'s' if len(names) > 1 else ''} validated",
        "unit": "case",
        "units": "cases",
        "level": document["settings"]["level"],
        "models": [],
        "slots": {name: slot if slot <= COLORS else 0 for slot, name in enumerate(order, start=1)},
        "words": live_templates(),
        "state": {},
        "costs": [],
        "ranks": _ranks(document),
        "provenance": _provenance(document, digest_of([document["folds"], document["data"]])),
    }


def _ranks(document: Document) -> dict[str, Any] | None:
    """Mean ranks of three or more models over the folds, with Nemenyi's critical difference; None if undefined.

    Folds of one data set share their training cases, so the distance describes the folds and is not a test.
    """
    names, measure = document["models"], document["measure"]
    by_split: dict[Any, dict[str, list[float]]] = {}
    for fold in document["folds"]:
        value = fold["measures"].get(measure)
        if isinstance(value, int | float):
            by_split.setdefault(fold["split"], {}).setdefault(fold["model"], []).append(float(value))
    rows = [
        [sum(fold_values[name]) / len(fold_values[name]) for name in names]
        for fold_values in by_split.values()
        if len(fold_values) == len(names)
    ]
    if len(names) < 3 or len(rows) < 2:
        return None
    sign = -1.0 if measure in LOSSES else 1.0
    scores = [[sign * value for value in row] for row in rows]
    return significance.nemenyi(scores, names=names, level=document["settings"]["level"]).to_dict()


def _hard_labels(ev: ClassEvaluation, counts: Counts) -> dict[str, Any]:
    """Hard labels of two classes with a known positive as a table of one threshold, which a page can adjust."""
    tp, fp, fn, tn = (json_number(cell) for cell in counts.cells.values())
    level, random = ev.settings.level, at_random(counts)
    rows = [measure_row(name, counts.estimate(name, level=level), float(random.value(name))) for name in MEASURES]
    positives, negatives = tp + fn, tn + fp
    model = {
        "name": ev.name or "predictions", "slot": 1, "dominated": False, "labels_only": True, "whole": True,
        "thresholds": [None, 1, 0], "tp": [0, tp, positives], "fp": [0, fp, negatives], "hull": [0, 1, 2],
        "areas": [], "histogram": None, "band": None, "pr_area": None, "calibration": None, "point": 1, "best": {},
        "corrected": None,
        "points": {"tp": tp, "fp": fp, "fn": fn, "tn": tn}, "rows": rows,
    }  # fmt: skip
    share = positives / (positives + negatives) if positives + negatives else None
    return {
        "models": [model], "measures": catalog(), "positives": positives, "negatives": negatives, "rule": ">=",
        "probabilities": False, "scale": "linear", "weighted": False, "bound": 0.0, "recommended": 0, "hull": None,
        "strip": None, "corrections": None, "differences": [], "state": _state(0, "hand", 1, 1, None, share),
    }  # fmt: skip


def _curve(label: str, table: ScoreTable | None, estimates: Mapping[str, Any]) -> dict[str, Any]:
    """A class against the rest, or a label, with its thinned ROC curve if there are scores."""
    curve_data: dict[str, Any] = {"label": label, "estimates": estimates, "fpr": None, "tpr": None}
    if table is None or not (table.positives and table.negatives):
        return curve_data
    curve = curves.roc(table).thin(CLASS_POINTS)
    return curve_data | {
        "fpr": [page_model.short(x) for x in curve.fpr],
        "tpr": [page_model.short(y) for y in curve.tpr],
    }


def cluster_order(cells: Sequence[Sequence[float]]) -> list[int]:
    """Order the classes so that those often confused with each other are adjacent.

    Starting with the pair confused most, each next class is the one confused most with the previous one.

    >>> cluster_order([[9, 0, 5], [0, 9, 1], [4, 0, 9]])
    [0, 2, 1]
    """
    mixed = np.array(cells, dtype=np.float64)
    mixed = mixed + mixed.T
    np.fill_diagonal(mixed, -1.0)
    if len(mixed) < 2:
        return list(range(len(mixed)))
    order = [int(index) for index in np.unravel_index(int(mixed.argmax()), mixed.shape)]
    while len(order) < len(mixed):
        left = [index for index in range(len(mixed)) if index not in order]
        order.append(max(left, key=lambda index: (mixed[order[-1], index], -index)))
    return order


def digest_of(value: Any) -> str:
    """The SHA-256 of plain numbers."""
    return hashlib.sha256(repr(value).encode()).hexdigest()


def _scored(
    evaluations: Mapping[str, Evaluation], document: Document, recommended: str, shares: dict[str, Any] | None,
    corrections: dict[str, Any] | None,
    cases: Mapping[str, Any] | None,
) -> dict[str, Any]:  # fmt: skip
    """Build the drawing section of one scored classifier, or of several on the same cases."""
    first, chosen = evaluations[recommended], list(evaluations).index(recommended)
    data, table, hull = document["data"], first.table, document["hull"]
    slots = _slots(evaluations, recommended, hull["dominated"], shares)
    models = [_model(name, ev, document, slots[name]) for name, ev in evaluations.items()]
    point, costs, row = first.point, document["settings"]["costs"], models[chosen]["point"]
    rule = point.chosen if point is not None and point.chosen in MOVED else "hand"
    if rule == "f1" and costs is not None and costs["prevalence"] not in (None, data["prevalence"]):
        rule = "hand"  # it was chosen at the prevalence of the data; the page would choose at that of the costs
    return {
        "kind": document["kind"],
        "title": _title(evaluations, first),
        **_words_of(document["settings"]["unit"], *table.labels),
        "level": first.settings.level,
        "rule": ">=" if table.higher_is_positive else "<=",
        "probabilities": all(ev.probabilities for ev in evaluations.values()),
        "scale": "root" if page_model.crowded_near_zero(table) else "linear",
        "weighted": data["weighted"],
        "bound": data["bound"],
        "positives": data["positives"],
        "negatives": data["negatives"],
        "recommended": chosen,
        "advised": _advised(float(data["positives"]), float(data["negatives"])),
        "models": models,
        "hull": _hull(hull, {name: ev.table for name, ev in evaluations.items()}),
        "strip": shares,
        "corrections": corrections,
        "differences": _differences(document) if "evaluations" in document else [],
        "slices": _slices(_own(document)),
        "measures": catalog(),
        "usual": list(MEASURES),
        "words": live_templates(),
        "state": _state(chosen, rule, row, _set_threshold(point, row, models[chosen]), costs, data["prevalence"])
        | ({"own_costs": True} if first.priced is not None else {}),
        "cases": cases,
        "range": _range(first),
        "provenance": _provenance(document, fingerprint(ev.table for ev in evaluations.values())),
        "costs": _costs(document),
    }


def _hull(hull: Document, tables: Mapping[str, ScoreTable]) -> dict[str, Any]:
    """The corners; rates are rounded to what is visible, while the rows of the models have the exact counts.

    A threshold is the shortest decimal that yields the same decisions, as everywhere on the page.
    """
    alone = next(iter(tables.values())) if len(tables) == 1 else None
    points = [
        {"fpr": float(f"{fpr:.9g}"), "tpr": float(f"{tpr:.9g}"), "model": model,
         "threshold": _shortest(threshold, tables.get(model, alone))}
        for fpr, tpr, model, threshold in hull["points"]
    ]  # fmt: skip
    return {"points": points, "area": hull["area"], "why": hull["why"]}


def _range(ev: Evaluation) -> dict[str, float] | None:
    """The range of thresholds not worse than the cheapest, by resampling; None if that is not informative."""
    point, costs, table = ev.point, ev.settings.costs, ev.table
    if point is None or costs is None or point.chosen != "cost" or point.chosen_on != "these cases":
        return None
    if point.low is not None and point.high is not None:
        return {"low": point.low, "high": point.high}
    if table.weighted or not table.exact or ev.cases is not None or len(table) > RANGED:
        return None
    low, high = ev.not_worse("cost", RESAMPLES)
    return {"low": low, "high": high} if low is not None and high is not None and math.isfinite(low + high) else None


def _shortest(threshold: Any, table: ScoreTable | None) -> float | None:
    known = _finite(threshold)
    if known is None or table is None:
        return known if known is None else float(f"{known:.6g}")
    row = table.position(known)
    return float(short_threshold(known, float(table.scores[row]) if row < len(table) else None))


def _provenance(document: Document, digest: str) -> dict[str, str]:
    facts = {"command": _command(document), "methods": document["methods"], "version": document["rocscope"]}
    return facts | {"hash": digest}


def _advised(positives: float, negatives: float) -> dict[str, Any] | None:
    """The recommended measures for classes of these sizes, and the reasons."""
    if not positives or not negatives:
        return None
    grade = imbalance(positives, negatives).grade
    advice = trust("balanced" if grade == "balanced" else "imbalance")
    return {"measures": [advice.measure, *advice.beside], "why": advice.reason}


def _title(evaluations: Mapping[str, Evaluation], first: Evaluation) -> str:
    title = f"{len(evaluations)} models compared" if len(evaluations) > 1 else first.name or "One model"
    label = first.source.get("label")
    return f"{_short(str(label))}: {title}" if label else title


def _words_of(unit: str, negative: Any, positive: Any) -> dict[str, str]:
    unit = _short(unit)
    named = class_names(negative, positive)
    return {"unit": unit, "units": f"{unit}s", **named, "flagged": "flagged", "cleared": "not flagged"}


def _short(name: str, most: int = 40) -> str:
    """A name shortened for use in sentences; the data contain it in full."""
    return name if len(name) <= most else f"{name[: most // 2]}…{name[1 - most // 2 :]}"


def _finite(value: Any) -> float | None:
    return None if value is None or isinstance(value, str) else value


# ---- colors ----


def color_slots(cmp: Comparison) -> dict[str, int]:
    """The number of each model's color in the report, and in every figure: 1 to 5, 0 for gray.

    >>> from rocscope import compare
    >>> color_slots(compare([1, 0, 1, 0, 1], {"a": [0.9, 0.1, 0.8, 0.3, 0.7], "b": [0.2, 0.4, 0.6, 0.1, 0.5]}))["a"]
    1
    """
    return _slots(cmp.evaluations, cmp.recommended, cmp.hull().dominated, _shares(cmp))


def _slots(
    evaluations: Mapping[str, Evaluation], recommended: str, dominated: Sequence[str], shares: dict[str, Any] | None
) -> dict[str, int]:
    """The color of each model: 1 for the recommended one, then those that may be cheapest; 0 is gray."""
    seen = (shares or {}).get("shares") or {}
    ever = {name for name, row in seen.items() if max(row, default=0) >= 0.02}
    bright = [name for name in evaluations if name != recommended and (name not in dominated or name in ever)]
    slots = dict.fromkeys(evaluations, 0) | {recommended: 1}
    return slots | {name: slot for slot, name in enumerate(bright[: COLORS - 1], start=2)}


# ---- one model ----


def _model(name: str, ev: Evaluation, document: Document, slot: int) -> dict[str, Any]:
    own = document["evaluations"][name] if "evaluations" in document else document
    both = bool(ev.table.positives) and bool(ev.table.negatives)
    thresholds = [rule["threshold"] for rule in own["rules"]] + ([own["point"]["threshold"]] if own["point"] else [])
    prices = own["settings"]["costs"]
    priced = prices is not None and prices["fp"] and prices["fn"]
    risk = prices["fp"] / (prices["fp"] + prices["fn"]) if priced else None  # risk above which treatment pays off
    thresholds += [] if risk is None else [risk]
    rows = page_model.rows_of(ev.table, [threshold for threshold in thresholds if isinstance(threshold, int | float)])
    positions = {int(row): position for position, row in enumerate(rows)}
    point = None if own["point"] is None else positions.get(ev.table.position(from_json(own["point"]["threshold"])))
    return {
        "name": name,
        "slot": slot,
        "dominated": name in document["hull"]["dominated"] and slot != 1,
        "labels_only": False,
        **page_model.drawn_rows(ev.table, rows, risk),
        "point": point,
        "best": {rule["rule"]: positions.get(ev.table.position(from_json(rule["threshold"]))) for rule in own["rules"]},
        "hull": [positions[int(row)] for row in hull.corner_rows(ev.table) if int(row) in positions] if both else [],
        "histogram": page_model.histogram(ev.table),
        "band": page_model.band(ev.table, rows, ev.settings.level),
        "areas": own["areas"],
        "corrected": _corrected(own),
        "pr_area": json_number(curves.pr_area(ev.table if ev.prevalence is None else ev.table.rebase(ev.prevalence)))
        if both
        else None,
        "calibration": page_model.calibration(ev),
        "points": None,
    }


def _corrected(own: Document) -> dict[str, Any] | None:
    """The measures at the point that are corrected for choosing it, with a label that says so."""
    correction = own["point"] and own["point"]["correction"]
    if not correction or not correction["corrected"]:
        return None
    rows = {measures.get(row["name"]).name: _estimate(row) for row in own["measures"]}
    return {"label": correction["label"], "measures": rows}


def _corrections(cases: Any, clusters: Any, settings: Settings) -> dict[str, Any] | None:
    """The cost of the cheapest choice along the cost ratio, corrected for choosing it on these cases.

    Returns None if unknown.

    Per 1,000 cases and in units of a false alarm, at the prevalence of the costs or of the cases.
    """
    if cases is None:
        return None
    share, own = None, []
    if settings.costs is not None:
        share, prices = settings.costs.prevalence, settings.costs
        own = [float(prices.fn) / float(prices.fp)] if prices.fp and prices.fn else []
    # at round ratios and at the report's own ratio the page shows exactly the result computed in Python
    ratios = sorted({*RATIOS, *OFFERED, *own})
    grid = [Costs(fp=1, fn=ratio, prevalence=share) for ratio in ratios]
    selections = intervals.along_costs(cases, grid, clusters=clusters, seed=settings.seed)
    if any(selection is None for selection in selections):
        return None
    limits = [
        selection.cost(at, level=settings.level)
        for selection, at in zip(selections, grid, strict=True)
        if selection is not None
    ]
    sides = {
        side: [float(f"{1000 * getattr(limit, side):.6g}") for limit in limits] for side in ("value", "low", "high")
    }
    return {"ratios": ratios, **sides}


# ---- cheapest model by cost ratio ----


def _shares(cmp: Comparison) -> dict[str, Any]:
    """The share of paired resamples in which each model is cheapest, along the cost ratio."""
    base: dict[str, Any] = {"ratios": list(RATIOS), "shares": None, "resamples": 0, "why": ""}
    table = cmp.evaluations[cmp.names[0]].table
    if not (table.positives and table.negatives):
        return base | {"why": "one class only"}
    if cmp.beyond:
        return base | {"why": "the rows do not fit in memory"}
    if cmp.weights is not None or cmp.clusters is not None:
        return base | {"why": "cases with weights or in clusters are not resampled here"}
    names = _worth(cmp)
    costs = cmp.settings.costs
    cheapest = significance.cheapest_along(
        cmp.mask,
        {name: cmp.scores[name] for name in names},
        RATIOS,
        prevalence=None if costs is None else costs.prevalence,
        n=RESAMPLES,
        seed=cmp.settings.seed,
        higher_is_positive=table.higher_is_positive,
    )
    shares = {name: [float(f"{share:.4g}") for share in row] for name, row in cheapest.items()}
    why = "" if len(names) == len(cmp.names) else f"among the {len(names)} closest models"
    return base | {"shares": shares, "resamples": RESAMPLES, "why": why}


def _worth(cmp: Comparison) -> list[str]:
    """The models that may be cheapest somewhere: those of the hull, then by AUC, up to the number that can be
    resampled.
    """
    dominated = set(map(str, cmp.hull().dominated))
    order = sorted(cmp.names, key=lambda name: (name in dominated, -or_low(cmp.evaluations[name].auc.value)))
    kept = set(order[:MOST_MODELS]) | {cmp.recommended}
    return [name for name in cmp.names if name in kept]


# ---- differences and slices ----


def _differences(document: Document) -> list[dict[str, Any]]:
    """Compare each model with the recommended one: the differences in AUC and in cost, each as other minus
    recommended.
    """
    costs = {cost_difference["b"]: cost_difference for cost_difference in document["cost_differences"]}
    named = {
        measure_difference["b"]: measure_difference for measure_difference in document.get("measure_differences", ())
    }
    rows = []
    for row in document["differences"]:
        cost = costs.get(row["b"])
        words = difference(row, cost, dominated=row["b"] in document["hull"]["dominated"])
        if row["b"] in named:
            words = [difference_words(named[row["b"]], document["measure"]["title"]), ", ".join(words)]
        rows.append(
            {
                "a": row["a"],
                "b": row["b"],
                "auc": _turned(row),
                "auc_p": row["p_adjusted"],
                "cost": None if cost is None else _turned(cost),
                "cost_p": None if cost is None else cost["p_adjusted"],
                "words": words,
            }
        )
    return rows


def _own(document: Document) -> Document:
    """The evaluation of the recommended model, which the answer is about."""
    evaluation: Document = document["evaluations"][document["recommended"]] if "evaluations" in document else document
    return evaluation


def _slices(own: Document) -> list[dict[str, Any]] | None:
    """The slices of the recommended model, worst first as in the results document."""
    rows = [
        {
            "by": " and ".join(panel["by"]),
            "value": row["name"],
            "cases": row["cases"],
            "positives": row["positives"],
            "auc": _measured(row, "auc"),
            "shrunk": (row["measures"].get("auc") or {}).get("shrunk"),
            "recall": _measured(row, "recall"),
            "p": (row["measures"].get("recall") or row["measures"].get("auc") or {}).get("p_adjusted"),
            "few": row["few"],
        }
        for panel in own.get("slices") or []
        for row in panel["rows"][:MOST_SLICES]
    ]
    return rows or None


def _measured(row: Document, name: str) -> dict[str, Any] | None:
    estimate = row["measures"].get(name)
    return None if estimate is None else _estimate(estimate)


def _estimate(row: Document) -> dict[str, Any]:
    return {key: row[key] for key in ("value", "low", "high", "level", "method", "why")}


def _costs(document: Document) -> list[dict[str, Any]]:
    """The list beside the headline: each model at its threshold, then at 0.5; areas if no costs were given."""
    own = _own(document)
    several = document.get("evaluations") or {own["name"] or "model": document}
    names = list(several)
    rows = []
    for name, evaluation in several.items():
        row = evaluation["point"] and evaluation["point"]["cost"]
        if row:
            at = point_text(evaluation["point"])
            rows.append({"model": names.index(name), "at": at, "kind": "model", **_limits(row)})
    if not rows:
        areas = (
            (name, next((row for row in one["areas"] if row["name"] == "auc"), None)) for name, one in several.items()
        )
        rows = [{"model": names.index(n), "at": "", "kind": "auc", **_limits(row)} for n, row in areas if row]
        return sorted(rows, key=lambda row: -math.inf if row["value"] is None else -row["value"])
    first = names.index(document["recommended"]) if "evaluations" in document else 0
    dearest = max((row["value"] for row in rows if row["value"] is not None), default=0.0)
    for name, row in (own["costs"] or {}).items():
        if name == "0.5":
            rows.append({"model": first, "at": "0.5", "kind": "habit", **_limits(row)})
        elif name == "flag nobody" or (name == "flag everybody" and row["value"] < 1.5 * dearest):
            rows.append({"model": None, "at": "", "kind": name, **_limits(row)})
    return sorted(rows, key=lambda row: math.inf if row["value"] is None else row["value"])


def _limits(row: Document) -> dict[str, Any]:
    return {side: row[side] for side in ("value", "low", "high")}


def _turned(gap: Document) -> dict[str, Any]:
    """Reverse the sign of a difference, as the table shows it: other model minus recommended."""
    kept = ("level", "method", "why")
    value, low, high = (None if gap[side] is None else -gap[side] for side in ("value", "high", "low"))
    return {"value": value, "low": low, "high": high, **{name: gap[name] for name in kept}}


def catalog() -> list[dict[str, Any]]:
    """Every measure of the four counts: its formula in the formula grammar, its meaning, and its range."""
    return [_measure(measure) for measure in measures.catalog() if measure.formula is not None]


def _measure(measure: Measure) -> dict[str, Any]:
    assert measure.formula is not None
    return {
        "name": measure.name,
        "title": measure.title,
        "formula": measure.text,
        "says": measure.says,
        "low": _finite(json_number(measure.low)),
        "high": _finite(json_number(measure.high)),
    }


# ---- initial state ----


def _state(
    model: int, rule: str, row: int | None, threshold: float | None, costs: Document | None, prevalence: float | None
) -> dict[str, Any]:
    """The initial state of the page's controls."""
    prices = costs or {"fp": 1, "fn": 1, "prevalence": None}
    share = prevalence if prices["prevalence"] is None else prices["prevalence"]
    return {
        "model": model, "rule": rule, "row": row, "threshold": threshold, "fp": prices["fp"], "fn": prices["fn"],
        "priced": costs is not None, "prevalence": share,
    }  # fmt: skip


def _set_threshold(point: Point | None, row: int | None, model: Mapping[str, Any]) -> float | None:
    """The initial position of the slider: the given threshold, else the score that a rule chose."""
    if row is None or point is None:
        return None
    given = point.chosen in ("given", "not chosen") and math.isfinite(point.threshold)
    return float(point.threshold) if given else model["thresholds"][row]


def _command(document: Document) -> str:
    """The command that reproduces this result, with arguments quoted for a shell."""
    source, settings = document["data"]["source"], document["settings"]
    # the command line replaces it with the command as typed
    if "file" not in source or document["kind"] == "validation":
        return ""
    words = ["rocscope", "compare" if document["kind"] == "comparison" else "evaluate", str(source["file"])]
    for option in ("label", "predicted", "positive", "weight", "cluster"):
        words += [f"--{option}", str(source[option])] if source.get(option) else []
    for option, name in (("scores", "score"), ("probabilities", "probability"), ("by", "by")):
        words += [word for setting in source.get(option) or () for word in (f"--{name}", str(setting))]
    words += ["--lower-is-positive"] if document["data"].get("rule") == "score <= threshold" else []
    words += ["--missing", "drop"] if document["data"].get("left_out") else []
    costs = settings["costs"] or {}
    options = {"cost-fp": costs.get("fp"), "cost-fn": costs.get("fn"), "prevalence": costs.get("prevalence")}
    options |= {"threshold": settings["threshold"], "choose": settings["choose"], "seed": settings["seed"] or None}
    for name, default in DEFAULTS.items():
        value = settings.get(name, default)
        options[name.replace("_", "-")] = None if value == default else value
    for name, item in options.items():
        words += [] if item is None else [f"--{name}", f"{item:g}" if isinstance(item, float) else str(item)]
    return " ".join(map(shlex.quote, words))


def fingerprint(tables: Any) -> str:
    """The SHA-256 of the score tables, identical on every machine: it identifies the data without the rows."""
    digest = hashlib.sha256()
    for table in tables:
        for column in (table.scores, table.pos, table.neg):
            plain = (
                column
                if column.dtype == object
                else np.ascontiguousarray(column).astype(column.dtype.newbyteorder("<"))
            )
            digest.update(repr(plain.tolist()).encode() if plain.dtype == object else plain.tobytes())
    return digest.hexdigest()
