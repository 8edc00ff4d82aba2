"""What a page needs beside the document of a validation: the answer in pieces, models in their colours, provenance."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from typing import Any

from rocscope import significance
from rocscope.evaluation.page_data import COLOURS, digest_of
from rocscope.verdicts import live_templates

Document = Mapping[str, Any]
LOSSES = ("error_rate", "brier", "log_loss", "hamming_loss")  # less is better


def of_validation(document: Document) -> dict[str, Any]:
    """The drawing of a validation; its pictures are read off the document itself, and nothing in them moves."""
    many = len(document["models"])
    return {
        "kind": "validation",
        "title": f"{many} model{'s' if many > 1 else ''} validated, {document['plan']['words'].splitlines()[0]}",
        "unit": "case",
        "units": "cases",
        "level": document["settings"]["level"],
        "models": [],
        "slots": _slots(document),
        "words": live_templates(),
        "state": {},
        "costs": [],
        "ranks": ranks(document),
        "provenance": {
            "command": _command(document),
            "methods": document["methods"],
            "version": document["rocscope"],
            "hash": digest_of([document["folds"], document["data"]]),
        },
    }


def ranks(document: Document) -> dict[str, Any] | None:
    """Mean ranks of three or more models over the folds, with Nemenyi's critical difference; None where undefined.

    Folds of one data set share their training cases, so the distance is a picture of the folds and no test.
    """
    names, measure = document["models"], document["measure"]
    found: dict[Any, dict[str, list[float]]] = {}
    for fold in document["folds"]:
        value = fold["measures"].get(measure)
        if isinstance(value, int | float):
            found.setdefault(fold["split"], {}).setdefault(fold["model"], []).append(float(value))
    rows = [[sum(one[name]) / len(one[name]) for name in names] for one in found.values() if len(one) == len(names)]
    if len(names) < 3 or len(rows) < 2:
        return None
    sign = -1.0 if measure in LOSSES else 1.0
    scores = [[sign * value for value in row] for row in rows]
    return significance.nemenyi(scores, names=names, level=document["settings"]["level"]).to_dict()


def _slots(document: Document) -> dict[str, int]:
    """Colours: 1 for the recommended model, then as given; further ones are grey."""
    order = [document["recommended"], *(name for name in document["models"] if name != document["recommended"])]
    return {name: place if place <= COLOURS else 0 for place, name in enumerate(order, start=1)}


def _command(document: Document) -> str:
    source = document["data"]["source"]
    if "file" not in source:
        return ""
    words = ["rocscope", "validate", str(source["file"]), "--target", str(source.get("target", ""))]
    words += [word for name in document["models"] for word in ("--model", name)]
    words += ["--seed", str(document["settings"]["seed"])]
    return " ".join(shlex.quote(word) for word in words)
