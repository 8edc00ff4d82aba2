"""The JSON API as a document (OpenAPI 3.1): its requests, their arguments, and the allowed values.

One table of arguments serves three purposes: checking a request (`checked`), converting a query string (`of_query`),
and the OpenAPI document served at /api/openapi.json. The names are those of the Python functions.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from rocscope.errors import RocscopeError, did_you_mean
from rocscope.version import VERSION

Schema = dict[str, Any]

TEXT: Schema = {"type": "string", "maxLength": 1000}
TEXTS: Schema = {"type": "array", "items": TEXT, "maxItems": 500}
NAMES: Schema = {"oneOf": [TEXT, TEXTS]}
LABEL: Schema = {"type": ["string", "number", "boolean"]}
FLAG: Schema = {"type": "boolean"}
NUMBER: Schema = {"type": "number"}
CELL: Schema = {"type": ["number", "string"]}


def _whole(least: int, most: int) -> Schema:
    return {"type": "integer", "minimum": least, "maximum": most}


def _choice(*names: str) -> Schema:
    return {"type": "string", "enum": list(names)}


COSTS: Schema = {
    "type": "object",
    "properties": {name: {"type": "number", "minimum": 0} for name in ("fp", "fn", "tp", "tn", "prevalence")},
    "additionalProperties": False,
}
CASE_COSTS: Schema = {
    "type": "object", "properties": {"fn": CELL, "fp": CELL}, "required": ["fn", "fp"], "additionalProperties": False,
}  # fmt: skip
DATA: Schema = {"oneOf": [
    {"type": "object", "additionalProperties": {"type": "array"}}, {"type": "array", "items": {"type": "object"}},
]}  # fmt: skip

# name -> (schema, description) of the arguments of evaluate, compare and gate that describe the cases
COLUMNS: dict[str, tuple[Schema, str]] = {
    "label": (NAMES, "Column with the true labels."),
    "score": (NAMES, "Column with the scores; several for models to compare, or for the probabilities of classes."),
    "positive": (LABEL, "The positive label."),
    "weights": (TEXT, "Column with the weights of the cases."),
    "weights_are": (_choice("sampling", "frequency"), "What the weights mean."),
    "clusters": (TEXT, "Column with the clusters of cases that belong together."),
    "by": (NAMES, "Columns that define the slices."),
    "fold": (TEXT, "Column with the fold in which a case was predicted."),
    "id": (TEXT, "Column that identifies cases that were predicted more than once."),
    "predicted": (NAMES, "Column with predicted labels; one for each model to compare."),
    "labels": (TEXTS, "Class labels, in the order of the columns of probabilities."),
    "missing": (_choice("error", "drop"), "Whether missing values are refused or left out and counted."),
    "higher_is_positive": (FLAG, "Whether higher scores indicate the positive class."),
    "crossed": (FLAG, "Whether pairs of slicing columns are also shown."),
}
SETTINGS: dict[str, tuple[Schema, str]] = {
    "threshold": (NUMBER, "Threshold of the decisions."),
    "choose": (TEXT, "Rule that chooses the threshold, such as youden or f1."),
    "cross_fit": (_whole(0, 100), "Number of folds in which the threshold is chosen."),
    "costs": (COSTS, "Costs of the four outcomes, and the prevalence they apply to."),
    "level": ({"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1}, "Confidence level."),
    "interval": (TEXT, "Interval method for the AUC."),
    "bootstrap": (_whole(0, 10_000), "Number of bootstrap samples; 0 for closed forms."),
    "seed": (_whole(0, 2**32 - 1), "Random seed."),
    "unit": (TEXT, "Noun for a single case."),
    "tolerance": ({"type": "number", "exclusiveMinimum": 0}, "Largest allowed error of the AUC for large data."),
    "exact": (FLAG, "Whether large data are read exactly, however long that takes."),
}
EVALUATE: dict[str, tuple[Schema, str]] = {
    **COLUMNS,
    "cost_column": (CASE_COSTS, "The cost of missing each case and the cost of a false alarm: each a number or a "
    "column."),
    "refer": (CELL, "Two requirements (the cases in between are referred), or the price of a referral together with "
    "costs."),
    **SETTINGS, "name": (TEXT, "Name of the model."),
}  # fmt: skip
COMPARE: dict[str, tuple[Schema, str]] = {
    **COLUMNS, **SETTINGS, "test": (TEXT, "Test between the models, by its name."),
    "measure": (TEXT, "Measure that decides."),
    "margin": ({"type": "number", "exclusiveMinimum": 0}, "Equivalence margin for the deciding measure."),
}  # fmt: skip
GATE: dict[str, tuple[Schema, str]] = {
    **EVALUATE, "require": (NAMES, 'Conditions, such as "auc.low >= 0.8".'),
    "against": ({"type": "object"}, "Earlier results (a results document) to compare with."),
}  # fmt: skip
MATRIX: dict[str, tuple[Schema, str]] = {
    "tp": (CELL, "True positives: a number, or an expression such as x - 3."), "fp": (CELL, "False positives."),
    "fn": (CELL, "False negatives."), "tn": (CELL, "True negatives; unknown if omitted."),
    "measures": (TEXTS, "Measures to show."), "prevalence": (NUMBER, "Prevalence to convert the measures to."),
}  # fmt: skip
INPUT: dict[str, tuple[Schema, str]] = {
    "data": (DATA, "The cases: an array for each column, or an object for each case."),
    "file": (TEXT, "Name of a file the server was started with, instead of data."),
}

QUESTIONS: dict[str, dict[str, tuple[Schema, str]]] = {
    "evaluate": EVALUATE, "compare": COMPARE, "gate": GATE, "matrix": MATRIX,
}  # fmt: skip
SAYS = {
    "evaluate": "Evaluate a classifier: how good it is, how certain that is, and which threshold to use.",
    "compare": "Compare several models: which one to use, and whether its advantage is statistically settled.",
    "gate": "Whether a model meets its requirements; the status is 200 in either case, and `met` contains the result.",
    "matrix": "The measures of a confusion matrix, with intervals.",
}
MEDIA = {
    "json": "application/json", "text": "text/plain", "md": "text/markdown", "csv": "text/csv", "latex": "text/plain",
    "html": "text/html", "junit": "application/xml", "openmetrics": "application/openmetrics-text; version=1.0.0",
}  # fmt: skip
FORMATS = {
    "evaluate": ("json", "text", "md", "csv", "latex", "html", "openmetrics"),
    "compare": ("json", "text", "md", "csv", "latex", "html", "openmetrics"),
    "gate": ("json", "text", "md", "csv", "junit", "openmetrics"),
    "matrix": ("json", "text", "md", "csv"),
}


# ---- request validation ----


def checked(question: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of a request after checking their types; null is dropped."""
    known = {**QUESTIONS[question], **({} if question == "matrix" else INPUT)}
    for name, value in given.items():
        if name not in known:
            raise RocscopeError(f"{question} has no argument '{name[:40]}'", hint=did_you_mean(name, known))
        if value is not None and not fits(value, known[name][0]):
            raise RocscopeError(f"'{name}' is not valid; expected {in_words(known[name][0])}")
    return {name: value for name, value in given.items() if value is not None}


def fits(value: Any, schema: Schema) -> bool:
    """Whether a JSON value matches a type, for the subset of JSON Schema that the table above uses."""
    if "oneOf" in schema:
        return any(fits(value, option) for option in schema["oneOf"])
    kinds = schema.get("type", [])
    if not any(_IS[kind](value) for kind in ([kinds] if isinstance(kinds, str) else kinds)):
        return False
    if isinstance(value, str):
        return len(value) <= schema.get("maxLength", 1000) and value in schema.get("enum", [value])
    if isinstance(value, list):
        return len(value) <= schema.get("maxItems", len(value)) and all(
            fits(item, schema["items"]) for item in value if "items" in schema
        )
    if isinstance(value, dict):
        named, rest = schema.get("properties", {}), schema.get("additionalProperties", {})
        return all((key in named or rest is not False) and fits(item, named.get(key, rest) or {"type": list(_IS)})
                   for key, item in value.items())  # fmt: skip
    return isinstance(value, bool) or value is None or _within(value, schema)


def _within(value: float, schema: Schema) -> bool:
    return (
        schema.get("minimum", -math.inf) <= value <= schema.get("maximum", math.inf)
        and schema.get("exclusiveMinimum", -math.inf) < value < schema.get("exclusiveMaximum", math.inf)
        and abs(value) < 1e300
    )


_IS: dict[str, Callable[[Any], bool]] = {
    "string": lambda value: isinstance(value, str),
    "number": lambda value: isinstance(value, int | float) and not isinstance(value, bool),
    "integer": lambda value: isinstance(value, int) and not isinstance(value, bool),
    "boolean": lambda value: isinstance(value, bool),
    "array": lambda value: isinstance(value, list),
    "object": lambda value: isinstance(value, dict),
    "null": lambda value: value is None,
}


def in_words(schema: Schema) -> str:
    """Describe the allowed values, for a message.

    >>> in_words(_whole(0, 100)), in_words(NAMES), in_words(_choice("error", "drop"))
    ('an integer from 0 to 100', 'a text or a list', 'one of error, drop')
    """
    if "enum" in schema:
        return f"one of {', '.join(schema['enum'])}"
    if "oneOf" in schema:
        return " or ".join(in_words(option) for option in schema["oneOf"])
    words = {"string": "a text", "number": "a number", "integer": "an integer", "boolean": "true or false",
             "array": "a list", "object": "an object"}  # fmt: skip
    kinds = schema["type"]
    expected = " or ".join(words[kind] for kind in ([kinds] if isinstance(kinds, str) else kinds))
    if "minimum" in schema and "maximum" in schema:
        return f"{expected} from {schema['minimum']} to {schema['maximum']}"
    if "exclusiveMaximum" in schema:
        return f"{expected} between {schema['exclusiveMinimum']} and {schema['exclusiveMaximum']}"
    return expected


def of_query(question: str, pairs: Sequence[tuple[str, str]]) -> dict[str, Any]:
    """Convert the arguments in a query string to the types in the table; a name may be repeated for a list."""
    arguments: dict[str, Any] = {}
    for name in dict.fromkeys(name for name, _ in pairs):
        texts = [text for key, text in pairs if key == name]
        schema = QUESTIONS[question].get(name, (TEXT, ""))[0]
        if schema.get("type") == "array" or (schema is NAMES and len(texts) > 1):
            arguments[name] = texts
        elif len(texts) > 1:
            raise RocscopeError(f"'{name}' was given {len(texts)} times")
        elif schema.get("type") in ("number", "integer", "boolean", "object"):
            arguments[name] = _read(name, texts[0], schema)
        else:
            arguments[name] = texts[0]
    return arguments


def _read(name: str, text: str, schema: Schema) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        raise RocscopeError(f"'{name}' is not valid; expected {in_words(schema)}") from None


# ---- OpenAPI document ----


def document() -> dict[str, Any]:
    """The OpenAPI document."""
    paths: dict[str, Any] = {
        "/health": _read_only("Whether the server is running.", "health", public=True),
        "/api/openapi.json": _read_only("This document.", "openapi", public=True),
        "/api/schema.json": _read_only("The JSON Schema of results documents.", "schema", public=True),
        "/api/files": _read_only("The files that the server was started with.", "files"),
    }
    for question in QUESTIONS:
        paths[f"/api/{question}"] = {"post": _operation(question)}
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "rocscope", "version": VERSION, "license": {"name": "MIT", "identifier": "MIT"},
            "description": "Evaluate classifiers. The answers are the results documents that the commands write.",
        },
        "servers": [{"url": "http://127.0.0.1:8477"}],
        "security": [{"token": []}],
        "paths": paths,
        "components": {
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
            "schemas": {"Problem": _PROBLEM, **{name.capitalize(): _body(name) for name in QUESTIONS}},
            "responses": {"Problem": {
                "description": "What is wrong with the request, and what to do about it (RFC 9457).",
                "content": {"application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}},
            }},
        },
    }  # fmt: skip


_PROBLEM: Schema = {
    "type": "object",
    "properties": {
        "type": {"type": "string"}, "title": {"type": "string"}, "status": {"type": "integer"},
        "detail": {"type": "string"}, "hint": {"type": "string"},
    },
    "required": ["type", "title", "status", "detail"],
}  # fmt: skip


def _read_only(says: str, name: str, *, public: bool = False) -> dict[str, Any]:
    answer = {"description": says, "content": {"application/json": {"schema": {"type": "object"}}}}
    operation: dict[str, Any] = {"summary": says, "operationId": name, "responses": {"200": answer, **_refusals()}}
    return {"get": {**operation, "security": []} if public else operation}


def _refusals(*more: str) -> dict[str, Any]:
    return {status: {"$ref": "#/components/responses/Problem"} for status in ("400", "401", "403", "421", *more)}


def _body(question: str) -> Schema:
    known = {**({} if question == "matrix" else INPUT), **QUESTIONS[question]}
    fields = {name: {**schema, "description": says} for name, (schema, says) in known.items()}
    needed = {"gate": ["require"]}.get(question)
    return {"type": "object", "properties": fields, "additionalProperties": False,
            **({"required": needed} if needed else {})}  # fmt: skip


def _operation(question: str) -> dict[str, Any]:
    body = {"$ref": f"#/components/schemas/{question.capitalize()}"}
    content: dict[str, Any] = {"application/json": {"schema": body}}
    parameters = [_parameter("format", _choice(*FORMATS[question]), "Output format; json by default.")]
    if question != "matrix":
        for kind in ("text/csv", "application/vnd.apache.parquet", "application/octet-stream"):
            content[kind] = {"schema": {"type": "string", "format": "binary"}}
        parameters.append(_parameter("filename", TEXT, "Name of the file in the body."))
        parameters += [
            _parameter(name, schema, f"With a file as the body: {says}")
            for name, (schema, says) in QUESTIONS[question].items() if name != "against"
        ]  # fmt: skip
    schema: Schema = {"type": "object"} if question == "matrix" else {"$ref": "/api/schema.json"}
    answers = {MEDIA[format]: {"schema": {"type": "string"}} for format in FORMATS[question]}
    return {
        "summary": SAYS[question],
        "operationId": question,
        "parameters": parameters,
        "requestBody": {"required": True, "content": content},
        "responses": {
            "200": {"description": "The answer.", "content": {**answers, "application/json": {"schema": schema}}},
            **_refusals("408", "413", "415"),
        },
    }


def _parameter(name: str, schema: Schema, says: str) -> dict[str, Any]:
    parameter = {"name": name, "in": "query", "description": says}
    if schema.get("type") == "object":
        return {**parameter, "content": {"application/json": {"schema": schema}}}
    return {**parameter, "schema": schema}
