"""The slices in the results document: plain data, the worst first, as many as a reader can use."""

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

MOST = 1000  # slices by one column in the document; the others are counted


def slices_section(found: Sequence[Slices], *, level: float) -> list[dict[str, Any]]:
    """One entry for each column, or each two crossed: of one classifier, or of the differences between models."""
    return [_panel(one, level) for one in found]


def _panel(panel: Slices, level: float) -> dict[str, Any]:
    """The measures of one classifier in each slice, or the AUC of the recommended model less that of each other."""
    shown, rest = panel.slices[:MOST], panel.slices[MOST:]
    body = {
        "by": list(panel.by),
        "measure": panel.measure,
        "level": level,
        "slices": len(panel),
        "few": sum(one.few for one in panel),
        "rest": {"slices": len(rest), "cases": json_number(sum(one.cases for one in rest))},
        **({"why": panel.why} if panel.model else {"missing": json_number(panel.missing)}),
        "spread": {name: _spread(pool, level, differences=bool(panel.model)) for name, pool in panel.pools.items()},
        "rows": [{**_who(one), **_row(one, panel.model)} for one in shown],
    }
    return body | {"words": slice_sentences(body)}


def _spread(pool: Pool, level: float, *, differences: bool) -> dict[str, Any]:
    """How much slices differ beyond chance; the mean of measures comes back from the logit scale."""
    test = {name: json_number(getattr(pool, name)) for name in ("tau2", "q", "p")} | {"df": pool.df, "why": pool.why}
    if differences:
        return {**test, "centre": json_number(pool.mean)}
    return {"centre": None if pool.why else back(pool.mean, pool.se, level).to_dict(), **test}


def _row(one: Slice, model: str) -> dict[str, Any]:
    if model:
        return {"differences": [_difference(model, name, one) for name in one.estimates]}
    return {"left_out": one.left_out, "measures": {name: _measured(one, name) for name in one.estimates}}


def _who(one: Slice) -> dict[str, Any]:
    table = getattr(one.evaluation, "table", None)
    return {
        "value": [None if part is None else str(part) for part in one.value],
        "name": one.name,
        "cases": json_number(one.cases),
        "positives": None if table is None else json_number(table.positives),
        "negatives": None if table is None else json_number(table.negatives),
        "few": one.few,
    }


def _measured(one: Slice, name: str) -> dict[str, Any]:
    bound = getattr(getattr(one.evaluation, "table", None), "bound", 0.0) if name == "auc" else 0.0
    return {
        **one.estimates[name].to_dict(),
        **({"bound": bound} if bound else {}),
        "shrunk": one.shrunk[name].to_dict() if name in one.shrunk else None,
        "gap": one.gaps[name].to_dict() if name in one.gaps else None,
        "p_adjusted": json_number(one.p_adjusted.get(name, math.nan)),
    }


def _difference(first: str, other: str, one: Slice) -> dict[str, Any]:
    found = one.estimates[other]
    return {
        "a": first,
        "b": other,
        "what": "auc",
        "settled": settled(found, one.p_adjusted[other]),
        "p_adjusted": json_number(one.p_adjusted[other]),
        **found.to_dict(),
        "shrunk": one.shrunk[other].to_dict(),
    }
