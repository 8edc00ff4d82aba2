"""The results document for other tools: flat metrics, OpenMetrics, DVC, and the model index of a Hugging Face card."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping
from typing import Any

from rocscope.errors import RocscopeError, did_you_mean
from rocscope.numbers import from_json
from rocscope.report.sheet import Document
from rocscope.report.sheet_formats import as_json

CARD = ("model", "task", "dataset", "dataset-type", "split")

# rocscope name -> metric type in Hugging Face's evaluate library
TYPES = {"auc": "roc_auc", "mcc": "matthews_correlation", "brier": "brier_score"}


# --- DVC


def as_dvc(document: Document) -> str:
    """The numbers in the form that `dvc metrics` shows and compares: values by name, limits under low and high."""
    return as_json(DVC[document["kind"]](document))


def _evaluation(document: Document) -> dict[str, Any]:
    facts = document["data"]
    rows = [*document["measures"], *document["areas"]]
    metrics: dict[str, Any] = {"cases": facts["cases"], "positives": facts["positives"]}
    if document["point"] is not None and math.isfinite(threshold := from_json(document["point"]["threshold"])):
        metrics["threshold"] = threshold
    return metrics | _numbers({row["name"]: row for row in rows})


def _numbers(rows: Mapping[str, Document]) -> dict[str, Any]:
    def side(which: str) -> dict[str, float]:
        return {name.replace(" ", "_"): row[which] for name, row in rows.items() if row[which] is not None}

    return {**side("value"), "low": side("low"), "high": side("high")}


def _classes(document: Document) -> dict[str, Any]:
    overall = _numbers({row["name"]: row for row in document["measures"]})
    of_classes = {str(label): _numbers(rows) for label, rows in document["classes"].items()}
    return {"cases": document["data"]["cases"], **overall, "classes": of_classes}


def _comparison(document: Document) -> dict[str, Any]:
    return {name: _evaluation(evaluation) for name, evaluation in document["evaluations"].items()}


def _labels(document: Document) -> dict[str, Any]:
    overall = _numbers({row["name"]: row for row in document["measures"]})
    of_labels = {str(label): _numbers(section["measures"]) for label, section in document["labels"].items()}
    return {"cases": document["data"]["cases"], **overall, "labels": of_labels}


def _class_comparison(document: Document) -> dict[str, Any]:
    kinds = {"classes": _classes, "labels": _labels}
    return {name: kinds[evaluation["kind"]](evaluation) for name, evaluation in document["evaluations"].items()}


def _merge(document: Document) -> dict[str, Any]:
    inner: Document = document["evaluation"]
    return _classes(inner) if inner["kind"] == "classes" else _evaluation(inner)


def _gate(document: Document) -> dict[str, Any]:
    tested = {
        _tested_name(check, part): part["tested"]
        for check in document["checks"]
        for part in check["parts"]
        if isinstance(part["tested"], int | float)
    }
    conditions = {check["require"]: int(check["met"]) for check in document["checks"]}
    return {"met": int(document["met"]), "failed": document["failed"], "conditions": conditions, "tested": tested}


DVC = {
    "evaluation": _evaluation, "classes": _classes, "labels": _labels, "comparison": _comparison,
    "class_comparison": _class_comparison, "gate": _gate, "merge": _merge,
}  # fmt: skip
"""The numbers of each kind of document."""


def _tested_name(check: Document, part: Document) -> str:
    """Return the name of a tested number: after 'where', it depends on the whole condition."""
    if check["threshold"] is None:
        return str(part["name"])
    return str(check["require"] if len(check["parts"]) == 1 else f"{part['name']}, {check['require']}")


# --- flat metrics


def flat_metrics(document: Document) -> dict[str, float]:
    """Every number under a flat name, with its limits as name_low and name_high, for experiment trackers.

    With several models, names begin with that of the model ("new/auc"); those of a class begin with "classes/".
    Characters that trackers refuse in names become underscores; undefined values are left out.

    >>> from rocscope import evaluate
    >>> found = flat_metrics(evaluate([1, 1, 0, 1, 0, 0], [0.9, 0.8, 0.7, 0.6, 0.4, 0.3]).to_dict())
    >>> found["cases"], round(found["auc"], 3), round(found["auc_low"], 3)
    (6.0, 0.889, 0.391)
    """
    nested = _validation(document) if document["kind"] == "validation" else DVC[document["kind"]](document)
    return dict(_flat(nested, ""))


def _flat(nested: Mapping[str, Any], prefix: str) -> Iterator[tuple[str, float]]:
    for name, value in nested.items():
        if name in ("low", "high") and isinstance(value, Mapping):
            yield from ((f"{prefix}{_metric_name(metric)}_{name}", float(limit)) for metric, limit in value.items())
        elif isinstance(value, Mapping):
            yield from _flat(value, f"{prefix}{_metric_name(name)}/")
        elif isinstance(value, int | float) and math.isfinite(value):
            yield f"{prefix}{_metric_name(name)}", float(value)


def _metric_name(name: Any) -> str:
    return re.sub(r"[^\w./ -]", "_", str(name).replace("/", "_"), flags=re.ASCII)


def _validation(document: Document) -> dict[str, Any]:
    """The mean of every measure over the folds, for each model."""
    means = {model: {name: row["mean"] for name, row in rows.items()} for model, rows in document["summary"].items()}
    return {"cases": document["data"]["cases"], **{model: _numbers(rows) for model, rows in means.items()}}


def as_openmetrics(document: Document) -> str:
    """The same numbers in the text format of Prometheus and OpenTelemetry collectors (OpenMetrics 1.0).

    Every metric is a gauge named rocscope_..., with the model, class and limit as labels.
    """
    families: dict[str, list[str]] = {}
    for name, value in flat_metrics(document).items():
        *groups, last = name.split("/")
        limit = next((end for end in ("low", "high") if last.endswith(f"_{end}")), "")
        measure = last.removesuffix(f"_{limit}") if limit else last
        labels = {"limit": limit} if limit else {}
        if groups[:1] == ["classes"]:
            labels["class"] = groups[-1]
        elif groups:
            labels["model"] = groups[0]
        elif document.get("name"):
            labels["model"] = str(document["name"])
        shown = ",".join(f'{key}="{_label(text)}"' for key, text in sorted(labels.items()))
        family = "rocscope_" + re.sub(r"\W", "_", measure, flags=re.ASCII)
        families.setdefault(family, []).append(f"{family}{f'{{{shown}}}' if shown else ''} {value!r}")
    lines = [line for family, samples in families.items() for line in (f"# TYPE {family} gauge", *samples)]
    return "\n".join([*lines, "# EOF", ""])


def _label(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")


# --- Hugging Face


def as_model_index(document: Document, card: Mapping[str, str]) -> str:
    """The `model-index` of a model card in YAML: the task, the data set, and the metrics with their intervals.

    `card` supplies what the results document does not contain: model, task, dataset, dataset-type, split.
    """
    if document["kind"] not in ("evaluation", "classes", "labels"):
        raise RocscopeError("a model index can describe only one model", hint="Write it with rocscope evaluate")
    for key in card:
        if key not in CARD:
            raise RocscopeError(f"--card has no '{key}'", hint=did_you_mean(key, CARD))
    source = str(document["data"]["source"].get("file", ""))
    stem = re.split(r"[\\/]", source)[-1].split(".")[0]
    dataset = card.get("dataset") or stem or "unknown"
    task = card.get("task", "tabular-classification")
    lines = [
        "model-index:",
        f"- name: {_yaml(card.get('model') or document['name'] or 'model')}",
        "  results:",
        "  - task:",
        f"      type: {_yaml(task)}",
        "    dataset:",
        f"      name: {_yaml(dataset)}",
        f"      type: {_yaml(card.get('dataset-type') or dataset)}",
        *([f"      split: {_yaml(card['split'])}"] if card.get("split") else []),
        "    metrics:",
    ]
    for row in [*document["measures"], *document.get("areas", [])]:
        lines += _metric(row)
    return "\n".join([*lines, ""])


def _metric(row: Document) -> list[str]:
    """Return one metric, with its interval as arguments.

    An undefined one is omitted, because null is not allowed there.
    """
    if row["value"] is None:
        return []
    name = row["name"].replace(" ", "_")
    lines = [
        f"    - type: {_yaml(TYPES.get(name, name))}",
        f"      value: {_yaml(row['value'])}",
        f"      name: {_yaml(row['title'])}",
    ]
    if row["low"] is not None and row["high"] is not None:
        lines += ["      args:", f"        low: {_yaml(row['low'])}", f"        high: {_yaml(row['high'])}"]
        lines += [f"        level: {_yaml(row['level'])}", f"        method: {_yaml(row['method'])}"]
    return lines


def _yaml(value: Any) -> str:
    """Return a YAML scalar: numbers unchanged, text always in double quotes and in ASCII, so that no text is markup."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        text = json.dumps(value)
        # YAML 1.1 parses 1e-05 as text: a number with an exponent needs a decimal point and a sign
        return re.sub(r"^(-?\d+)(e)", r"\1.0\2", text)
    return '"' + "".join(map(_yaml_letter, str(value))) + '"'


def _yaml_letter(letter: str) -> str:
    code = ord(letter)
    if 0x20 <= code < 0x7F:
        return "\\" + letter if letter in '"\\' else letter
    return f"\\x{code:02x}" if code <= 0xFF else f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"
