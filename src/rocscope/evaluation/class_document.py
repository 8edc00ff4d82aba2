"""The results documents of several classes, of several labels, and of comparisons of models on them."""

from __future__ import annotations

import math
import re
from typing import Any

import numpy as np

from rocscope import verdicts
from rocscope.evaluation.binary import shown_title
from rocscope.evaluation.certainty import with_p_together
from rocscope.evaluation.class_comparison import ClassComparison
from rocscope.evaluation.classes import ClassConfusion, ClassDecision, ClassEvaluation
from rocscope.evaluation.document import document_head
from rocscope.evaluation.methods import class_methods
from rocscope.evaluation.multilabel import LabelEvaluation
from rocscope.evaluation.slices.slice_document import slices_section
from rocscope.intervals import case_statistic
from rocscope.numbers import json_number
from rocscope.verdicts import note

TOP_K = re.compile(r"top_(\d+)_accuracy")

# ---- multiclass ----


def classes_document(ev: ClassEvaluation) -> dict[str, Any]:
    """Build the results document of a multiclass classifier."""
    support = [json_number(value) for value in ev.matrix.support.tolist()]
    # before the list of cells is made, which takes as much memory as the matrix
    rows, margins = [_class_row(ev, name) for name in ev.estimates], ev.margins
    body = {
        **document_head("classes"),
        "name": ev.name,
        "data": {
            "cases": sum(support) + (0 if ev.decision is None else json_number(float(ev.decision.undecided.sum()))),
            "labels": [str(label) for label in ev.matrix.labels],
            "positive": None if ev.positive_label is None else str(ev.positive_label),
            "support": support,
            "absent": [str(label) for label in ev.absent],
            "left_out": dict(ev.left_out),
            "source": dict(ev.source),
        },
        "settings": ev.settings.to_dict(),
        "matrix": {"rows": "actual", "cells": _cells(ev.matrix.matrix)},
        "classes": {
            str(label): {name: one.to_dict() for name, one in found.items()} for label, found in ev.classes.items()
        },
        "measures": rows,
        "confusions": [_confusion(confusion) for confusion in ev.confusions],
        "margins": {name: margin.to_dict() for name, margin in margins.items()},
        "calibration": _class_calibration(ev),
        **({} if ev.decision is None else {"decision": _decision(ev.decision)}),
        "auc": {how: _average(ev, how) for how in ("macro", "weighted", "micro", "hand-till")} if ev.scores else None,
        "slices": slices_section(ev.slices, level=ev.settings.level),
        "caveats": list(ev.caveats),
        "methods": class_methods(ev.settings, slices=bool(ev.slicings)),
    }
    neglected = [note(caveat, "neglected") for caveat in ev.neglected]
    caveats = [*neglected, *verdicts.caveats(ev.matrix), *map(note, ev.notes)]
    return body | {"verdict": verdicts.of_classes(body, caveats)}


def _cells(matrix: Any) -> list[list[Any]]:
    rows: list[list[Any]] = matrix.tolist()
    return rows if matrix.dtype == np.int64 else [[json_number(cell) for cell in row] for row in rows]


def _class_row(ev: ClassEvaluation, name: str) -> dict[str, Any]:
    """A multiclass measure; one that is not an average keeps the title of its statistic."""
    estimate, baseline = ev.estimates[name], ev.baseline(name)
    return {"name": name, "title": class_title(name), "baseline": json_number(baseline), **estimate.to_dict()}


def class_title(name: str) -> str:
    """The title of a multiclass measure."""
    if match := TOP_K.fullmatch(name):
        return f"top-{match[1]} accuracy"
    how, _, rest = name.rpartition(" ")
    return f"{how} {shown_title(rest)}".strip()


def _decision(decision: ClassDecision) -> dict[str, Any]:
    """Describe how cases were decided, the cost per 1,000 cases, and the costs of the alternatives."""
    return {
        "costs": decision.costs.to_dict() if decision.given else None,
        "thresholds": {str(label): value for label, value in decision.thresholds.items()},
        "cost": decision.cost.to_dict() if decision.given else None,
        "alternatives": {name: alternative.to_dict() for name, alternative in decision.alternatives.items()}
        if decision.given
        else {},
        "saving": decision.saving.to_dict() if decision.given and decision.saving is not None else None,
        "coverage": decision.coverage.to_dict(),
        "undecided": [json_number(float(count)) for count in decision.undecided],
    }


def _confusion(confusion: ClassConfusion) -> dict[str, Any]:
    share = confusion.share.to_dict()
    return {
        "actual": str(confusion.actual),
        "predicted": str(confusion.predicted),
        "cases": json_number(confusion.cases),
        "share": share,
    }


CLASS_CALIBRATION = {
    "ece_10": "ECE of the predicted class, 10 bins", "ici": "ICI of the predicted class",
    "calibration_in_the_large": "calibration in the large, of the predicted class",
    "classwise_ece": "class-wise ECE, 10 bins",
}  # fmt: skip


def _class_calibration(ev: ClassEvaluation) -> dict[str, Any] | None:
    """The calibration of the predicted class, and of each class probability; None without probabilities."""
    if ev.calibration is None:
        return None
    rows = [
        {"name": name, "title": CLASS_CALIBRATION[name], "ideal": 0.0, **estimate.to_dict()}
        for name, estimate in ev.calibration.items()
    ]
    return {
        "estimates": rows,
        "classes": {str(label): estimate.to_dict() for label, estimate in ev.class_calibration.items()},
    }


def _average(ev: ClassEvaluation, how: str) -> dict[str, Any]:
    average, sure = ev.class_average(how), ev.area(how)
    assert average is not None
    named = {" / ".join(map(str, key)) if isinstance(key, tuple) else str(key): key for key in average.values}
    return {
        "value": json_number(sure.value),
        "low": json_number(sure.low),
        "high": json_number(sure.high),
        "level": sure.level,
        "method": sure.method,
        "baseline": json_number(ev.baseline("auc")),
        "over": average.over,
        "of": len(average.values),
        "values": {name: json_number(average.values[key]) for name, key in named.items()},
        "why": {name: average.why[key] for name, key in named.items() if key in average.why},
    }


# ---- multilabel ----


def labels_document(ev: LabelEvaluation) -> dict[str, Any]:
    """Build the results document of a classifier that predicts several labels for each case."""
    body = {
        **document_head("labels"),
        "name": ev.name,
        "data": _labels_data(ev),
        "settings": ev.settings.to_dict(),
        "thresholds": {
            str(label): {
                "threshold": json_number(threshold.threshold),
                "chosen": threshold.chosen,
                "why": threshold.why,
            }
            for label, threshold in ev.thresholds.items()
        },
        "cross_fitted": ev.cross_fitted,
        "labels": {str(label): _label(ev, label) for label in ev.labels},
        "measures": [_label_row(ev, name) for name in ev.estimates],
        "caveats": list(ev.caveats),
        "methods": class_methods(ev.settings, labels=True),
    }
    return body | {"verdict": verdicts.of_labels(body, list(map(note, ev.caveats)))}


def _labels_data(ev: LabelEvaluation) -> dict[str, Any]:
    support = ev.predictions.cell_sums()
    return {
        "cases": ev.size,
        "labels": [str(label) for label in ev.labels],
        "support": ev.support,
        "labels_per_case": json_number(float((support["tp"] + support["fn"]).sum() / ev.predictions.size)),
        "scored": ev.predictions.scored,
        "left_out": dict(ev.left_out),
        "source": dict(ev.source),
    }


def _label(ev: LabelEvaluation, label: Any) -> dict[str, Any]:
    cells = {name: json_number(cell) for name, cell in ev.counts(label).cells.items()}
    return {"counts": cells, "measures": {name: estimate.to_dict() for name, estimate in ev.of(label).items()}}


def _label_row(ev: LabelEvaluation, name: str) -> dict[str, Any]:
    title = case_statistic(name, ev.predictions).title
    return {"name": name, "title": title, "baseline": _known(ev.baseline(name)), **ev.estimates[name].to_dict()}


def _known(value: float) -> float | None:
    return None if math.isnan(value) else value


# ---- comparison of models ----


def class_comparison_document(cmp: ClassComparison) -> dict[str, Any]:
    """Build the results document of several models that predict classes or labels of the same cases."""
    first = cmp.evaluations[cmp.recommended]
    evaluations = {name: ev.to_dict() for name, ev in cmp.evaluations.items()}
    body = {
        **document_head("class_comparison"),
        "of": "labels" if cmp.of_labels else "classes",
        "data": evaluations[cmp.recommended]["data"],
        "settings": cmp.settings.to_dict(),
        "models": list(cmp.names),
        "recommended": cmp.recommended,
        "evaluations": evaluations,
        "measures": [_compared_row(cmp, index) for index in range(len(cmp.measures))],
        "differences": with_p_together(cmp.differences, cmp.together),
        "other_differences": with_p_together(
            [difference for other_difference in cmp.other_differences.values() for difference in other_difference],
            cmp.together,
        ),
        "pairs": [pair.to_dict() for pair in cmp.pairs],
        "joint": None if cmp.joint is None else cmp.joint.to_dict(),
        "agreement": [row.to_dict() for row in cmp.agreement],
        "certainty": cmp.certainty,
        "caveats": list(first.caveats),
        "methods": class_methods(
            cmp.settings, labels=cmp.of_labels, compared=_compared_by(cmp), clusters=cmp.clusters is not None
        ),
    }
    return body | {"verdict": verdicts.of_class_comparison(body, list(map(note, first.caveats)))}


def _compared_row(cmp: ClassComparison, index: int) -> dict[str, Any]:
    """A measure of every model; the first one is the deciding measure."""
    statistic = cmp.measures[index]
    values = {name: estimate.to_dict() for name, estimate in cmp.values[statistic.name].items()}
    best = "lowest" if statistic.lowest else "highest"
    return {"name": statistic.name, "title": statistic.title, "best": best, "decides": index == 0, "values": values}


def _compared_by(cmp: ClassComparison) -> tuple[str, str, int]:
    """The deciding measure, the method of its differences, and the number of models."""
    method = cmp.differences[0].estimate.method if cmp.differences else ""
    return cmp.primary.title, method, len(cmp.names)
