"""Reading the results document: numbers without a JSON notation, estimates, counts, rows of the hull."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from rocscope import curves, measures
from rocscope.curves import Reading
from rocscope.errors import RocscopeError, naming
from rocscope.estimate import Estimate
from rocscope.hull import SlopeInterval
from rocscope.measures import Measure
from rocscope.numbers import from_json
from rocscope.report.sheet import Document
from rocscope.report.text_views.measures import Measured
from rocscope.table import Counts

if TYPE_CHECKING:
    from rocscope.report.text_views.hull import Ratios

INITIALS = {"mcc": "MCC", "npv": "NPV", "kappa": "kappa"}
LARGEST = 2**28  # maximum number of characters of a results document
KINDS = ("evaluation", "comparison", "classes", "labels", "class_comparison", "validation", "gate", "merge")


def checked(document: Document) -> Document:
    """The results document after checking that rocscope wrote it."""
    kind = document.get("kind") if isinstance(document, Mapping) else None
    if kind not in KINDS or document.get("schema") != "rocscope/1":
        raise RocscopeError("this is not a rocscope/1 document", hint="Pass the result of to_dict()")
    return document


def document_in(path: str) -> Document:
    """The results document in a JSON file, as written by --format json or `save`.

    >>> import tempfile
    >>> from rocscope import evaluate
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     evaluate([0, 1], [0.2, 0.7]).save(f"{folder}/answer.json")
    ...     document_in(f"{folder}/answer.json")["kind"]
    'evaluation'
    """
    try:
        with open(path, encoding="utf-8") as file:
            text = file.read(LARGEST + 1)
    except FileNotFoundError:
        raise RocscopeError(f"there is no file {path}") from None
    except (OSError, UnicodeDecodeError) as error:
        raise RocscopeError(f"cannot read {path}: {getattr(error, 'strerror', None) or error}") from None
    import json  # the command line needs it only here

    try:
        document = json.loads(text) if len(text) <= LARGEST else None
    except (ValueError, RecursionError):
        document = None
    with naming(path):
        return checked(document if isinstance(document, Mapping) else {})


def estimate_of(row: Document) -> Estimate:
    """An estimate from the results document."""
    value, low, high = (from_json(row[side]) for side in ("value", "low", "high"))
    return Estimate(value, low, high, row["level"], row["method"], row["why"])


def counts_of(document: Document) -> Counts:
    """The counts at the point, with the labels of the data."""
    cells, labels = document["point"]["counts"], document["data"]["labels"]
    names = (labels["negative"], labels["positive"])
    return Counts.of([cells[name] for name in ("tp", "fp", "fn", "tn")], labels=names)


def measured_of(row: Document) -> Measured:
    """A row of measures or areas."""
    estimate = estimate_of(row)
    measure, baseline = declared(row["name"]), from_json(row["baseline"])
    return Measured(bounded_title(row), measure, estimate.value, None, estimate, baseline, row["why"])


def short_title(row: Document) -> str:
    """The title of a row, abbreviated to its initials if these are in common use.

    >>> short_title({"name": "macro mcc", "title": "macro Matthews correlation coefficient"})
    'macro MCC'
    """
    how, _, plain = row["name"].rpartition(" ")
    return f"{how} {INITIALS[plain]}".strip() if plain in INITIALS else str(row["title"])


def bounded_title(row: Document) -> str:
    """The short title, with the maximum error of an area whose scores were binned into cells.

    >>> bounded_title({"name": "auc", "title": "ROC AUC", "bound": 4.2e-7})
    'ROC AUC, ± 4e-07'
    """
    return f"{short_title(row)}, ± {row['bound']:.1g}" if row.get("bound") else short_title(row)


def declared(name: str) -> Measure | Reading:
    """The declaration of a measure or an area, averaged or not."""
    plain = "accuracy" if name.startswith("top_") else name.rpartition(" ")[2]
    return measures.look_up(plain) or curves.get(plain)


def intervals_of(document: Document) -> list[SlopeInterval]:
    """The cost-ratio table."""
    rows = []
    for row in document["hull"]["intervals"]:
        low, high, fpr, tpr = (from_json(row[name]) for name in ("slope_from", "slope_to", "fpr", "tpr"))
        threshold = None if row["threshold"] is None else from_json(row["threshold"])
        rows.append(SlopeInterval(low, high, row["model"], threshold, fpr, tpr))
    return rows


def ratios_of(document: Document) -> Ratios:
    """Slopes as costs, at the prevalence given with the costs, or that of the data."""
    from rocscope.report.text_views.hull import Ratios

    costs, data = document["settings"]["costs"], document["data"]
    share = costs["prevalence"] if costs and costs["prevalence"] is not None else None
    if share is not None:
        return Ratios(share / (1 - share))
    return Ratios(data["positives"] / data["negatives"] if data["negatives"] else None)


def decision_costs(decision: Document) -> dict[str, Document]:
    """The costs of decisions among several classes, by how these were made, and of the alternatives.

    >>> decision_costs({"cost": {"value": 40.0}, "saving": None, "alternatives": {"always a": {"value": 90.0}}})
    {'predicted labels': {'value': 40.0}, 'always a': {'value': 90.0}}
    """
    own = "predicted labels" if decision["saving"] is None else "least expected cost"
    return {own: decision["cost"], **decision["alternatives"]}


def settled_note(document: Document) -> str:
    """Why a recommendation is settled although the adjusted p-value of a pair is not small; "" if nothing is to say."""
    certainty, alpha = document["certainty"], 1 - document["settings"]["level"]
    if not certainty or certainty["grade"] != "settled":
        return ""
    rows = [*document["differences"], *document.get("cost_differences", ()), *document.get("measure_differences", ())]
    decisive = [row["p_adjusted"] for row in rows if row["what"] == certainty["decides"]]
    if not any(p is not None and p > alpha for p in decisive):
        return ""
    return (
        "The recommendation is settled without adjustment, because its advantage must hold over every other model at "
        "once; the adjusted p-values are for pairs considered one at a time."
    )
