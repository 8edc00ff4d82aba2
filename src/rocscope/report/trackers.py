"""The results document for other tools: flat metrics, OpenMetrics, DVC, and the model index of a Hugging Face card."""

from __future__ import annotations

import itertools
import json
import math
import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

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
    """The name of a tested number: after 'where', it depends on the whole condition."""
    if check["threshold"] is None:
        return str(part["name"])
    return str(check["require"] if len(check["parts"]) == 1 else f"{part['name']}, {check['require']}")


# --- flat metrics


class Metric(NamedTuple):
    """A number of a results document: its name, "low" or "high" for a limit, and the model or class it is about."""

    name: str
    limit: str
    value: Any
    about: tuple[tuple[str, str], ...] = ()


def flat_metrics(document: Document) -> dict[str, float]:
    """Every number under a flat name, with its limits as name_low and name_high, for experiment trackers.

    With several models, names begin with that of the model ("new/auc"); those of a class begin with "classes/".
    Characters that trackers refuse in names become underscores; names that this makes equal are numbered ("_5" and
    "_5_2" for "<5" and ">5"). Undefined values are left out.

    >>> from rocscope import evaluate
    >>> found = flat_metrics(evaluate([1, 1, 0, 1, 0, 0], [0.9, 0.8, 0.7, 0.6, 0.4, 0.3]).to_dict())
    >>> found["cases"], round(found["auc"], 3), round(found["auc_low"], 3)
    (6.0, 0.889, 0.391)
    """
    name = _UniqueNames()
    flat = {}
    for metric in _metrics(document):
        prefix = ""
        for kind, about in metric.about:
            prefix = name(f"{prefix}{GROUPS[kind]}", about) + "/"
        flat[name(prefix, metric.name) + (f"_{metric.limit}" if metric.limit else "")] = metric.value
    return flat


GROUPS = {"model": "", "class": "classes/", "label": "labels/", "condition": "conditions/"}
"""What precedes the name of a group in a flat name."""


class _UniqueNames:
    """Names that trackers accept: one for each text, and never the same name for two."""

    def __init__(self) -> None:
        self._given: dict[tuple[str, str], str] = {}
        self._used: set[str] = set()

    def __call__(self, prefix: str, text: str) -> str:
        if (prefix, text) not in self._given:
            plain = prefix + re.sub(r"[^\w./ -]", "_", text.replace("/", "_"), flags=re.ASCII)
            numbered = (f"{plain}_{number}" for number in itertools.count(2))
            name = next(name for name in itertools.chain([plain], numbered) if name not in self._used)
            self._used.add(name)
            self._given[prefix, text] = name
        return self._given[prefix, text]


def _metrics(document: Document) -> Iterator[Metric]:
    """The numbers of a results document that are defined."""
    for metric in _all_metrics(document):
        if isinstance(metric.value, int | float) and math.isfinite(metric.value):
            yield metric._replace(value=float(metric.value))


def _all_metrics(document: Document) -> Iterator[Metric]:
    kind = document["kind"]
    if kind == "merge":
        yield from _all_metrics(document["evaluation"])
    elif kind in ("comparison", "class_comparison"):
        for model, evaluation in document["evaluations"].items():
            own = ("model", str(model))
            yield from (metric._replace(about=(own, *metric.about)) for metric in _all_metrics(evaluation))
    elif kind == "validation":
        yield Metric("cases", "", document["data"]["cases"])
        for model, rows in document["summary"].items():
            means = _numbers({name: row["mean"] for name, row in rows.items()})
            yield from _with_limits(means, ("model", str(model)))
    elif kind == "gate":
        yield from _of_gate(document)
    else:
        nested = DVC[kind](document)
        yield from _with_limits(nested)
        for group, one in (("classes", "class"), ("labels", "label")):
            for label, numbers in nested.get(group, {}).items():
                yield from _with_limits(numbers, (one, label))


def _with_limits(nested: Mapping[str, Any], *about: tuple[str, str]) -> Iterator[Metric]:
    for name, value in nested.items():
        if name in ("low", "high"):
            yield from (Metric(measure, name, limit, about) for measure, limit in value.items())
        elif not isinstance(value, Mapping):
            yield Metric(name, "", value, about)


def _of_gate(document: Document) -> Iterator[Metric]:
    """Whether each condition is met, and the tested numbers; after 'where', a number belongs to its condition."""
    yield Metric("met", "", document["met"])
    yield Metric("failed", "", document["failed"])
    for check in document["checks"]:
        yield Metric("condition_met", "", check["met"], (("condition", check["require"]),))
    for check in document["checks"]:
        about = () if check["threshold"] is None else (("condition", check["require"]),)
        for part in check["parts"]:
            name, _, end = part["name"].rpartition(".")
            limit = end if end in ("low", "high") else ""
            yield Metric(name if limit else part["name"].removesuffix(".value"), limit, part["tested"], about)


def as_openmetrics(document: Document) -> str:
    """The same numbers in the text format of Prometheus and OpenTelemetry collectors (OpenMetrics 1.0).

    Every metric is a gauge named rocscope_..., with the model, class, condition and limit as labels.
    """
    families: dict[str, dict[str, float]] = {}
    for metric in _metrics(document):
        labels = {"limit": metric.limit} if metric.limit else {}
        if document.get("name"):
            labels["model"] = str(document["name"])
        labels |= metric.about
        shown = ",".join(f'{key}="{_label(text)}"' for key, text in sorted(labels.items()))
        family = "rocscope_" + re.sub(r"\W", "_", metric.name, flags=re.ASCII)
        families.setdefault(family, {})[f"{family}{f'{{{shown}}}' if shown else ''}"] = metric.value
    lines = [
        line
        for family, samples in families.items()
        for line in (f"# TYPE {family} gauge", *(f"{sample} {value!r}" for sample, value in samples.items()))
    ]
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
    """One metric, with its interval as arguments.

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
    """A YAML scalar: numbers unchanged, text always in double quotes and in ASCII, so that no text is markup."""
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
