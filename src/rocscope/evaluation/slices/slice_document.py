"""Slices in the results document: plain data, worst first, limited to a readable number."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from rocscope.evaluation.slices.shrinkage import Pool, back
from rocscope.numbers import json_number
from rocscope.significance import settled
from rocscope.verdicts import slice_sentences

if TYPE_CHECKING:
    from rocscope.evaluation.slices.estimates import Slice, Slices

MOST = 1000  # maximum number of slices per column in the results document; the rest are only counted


def slices_section(panels: Sequence[Slices], *, level: float) -> list[dict[str, Any]]:
    """One entry for each column or crossed pair: of one classifier, or of the differences between models."""
    return [_panel(panel, level) for panel in panels]


def _panel(panel: Slices, level: float) -> dict[str, Any]:
    """The measures of one classifier in each slice, or the AUC of the recommended model minus that of each
    other.
    """
    shown, rest = panel.slices[:MOST], panel.slices[MOST:]
    body = {
        "by": list(panel.by),
        "measure": panel.measure,
        "level": level,
        "slices": len(panel),
        "few": sum(part.few for part in panel),
        "rest": {"slices": len(rest), "cases": json_number(sum(part.cases for part in rest))},
        **({"why": panel.why} if panel.model else {"missing": json_number(panel.missing)}),
        "spread": {name: _spread(pool, level, differences=bool(panel.model)) for name, pool in panel.pools.items()},
        "rows": [{**_who(part), **_row(part, panel.model)} for part in shown],
    }
    return body | {"words": slice_sentences(body)}


def _spread(pool: Pool, level: float, *, differences: bool) -> dict[str, Any]:
    """How much slices differ beyond chance; the means of measures are converted back from the logit scale."""
    test = {name: json_number(getattr(pool, name)) for name in ("tau2", "q", "p")} | {"df": pool.df, "why": pool.why}
    if differences:
        return {**test, "centre": json_number(pool.mean)}
    return {"centre": None if pool.why else back(pool.mean, pool.se, level).to_dict(), **test}


def _row(part: Slice, model: str) -> dict[str, Any]:
    if model:
        return {"differences": [_difference(model, name, part) for name in part.estimates]}
    return {"left_out": part.left_out, "measures": {name: _measured(part, name) for name in part.estimates}}


def _who(piece: Slice) -> dict[str, Any]:
    table = getattr(piece.evaluation, "table", None)
    return {
        "value": [None if part is None else str(part) for part in piece.value],
        "name": piece.name,
        "cases": json_number(piece.cases),
        "positives": None if table is None else json_number(table.positives),
        "negatives": None if table is None else json_number(table.negatives),
        "few": piece.few,
    }


def _measured(part: Slice, name: str) -> dict[str, Any]:
    bound = getattr(getattr(part.evaluation, "table", None), "bound", 0.0) if name == "auc" else 0.0
    return {
        **part.estimates[name].to_dict(),
        **({"bound": bound} if bound else {}),
        "shrunk": part.shrunk[name].to_dict() if name in part.shrunk else None,
        "gap": part.gaps[name].to_dict() if name in part.gaps else None,
        "p_adjusted": json_number(part.p_adjusted.get(name, math.nan)),
    }


def _difference(first: str, other: str, part: Slice) -> dict[str, Any]:
    estimate = part.estimates[other]
    return {
        "a": first,
        "b": other,
        "what": "auc",
        "settled": settled(estimate, part.p_adjusted[other]),
        "p_adjusted": json_number(part.p_adjusted[other]),
        **estimate.to_dict(),
        "shrunk": part.shrunk[other].to_dict(),
    }
