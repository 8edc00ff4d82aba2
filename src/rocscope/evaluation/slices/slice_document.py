"""The slices in the document: plain data, the worst first, as many as a reader can use."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rocscope.evaluation.slices.shrinkage import Pool, back
from rocscope.significance import settled
from rocscope.verdicts.slice_sentences import of_differences, of_slices

if TYPE_CHECKING:
    from rocscope.evaluation.slices.estimates import Slice, Slices
    from rocscope.evaluation.slices.of_differences import Between, DifferenceSlices

MOST = 1000  # slices by one column in the document; the others are counted


def slices_section(found: Sequence[Slices], *, level: float) -> list[dict[str, Any]]:
    """One entry for each column, or each two crossed."""
    return [_panel(one, level) for one in found]


def _panel(panel: Slices, level: float) -> dict[str, Any]:
    body = {
        **_counted(panel.by, panel.measure, panel.slices, level),
        "missing": _number(panel.missing),
        "spread": {name: _spread(pool, level) for name, pool in panel.pools.items()},
        "rows": [_row(one) for one in panel.slices[:MOST]],
    }
    return body | {"words": of_slices(body)}


def _counted(by: tuple[str, ...], measure: str, slices: Sequence[Any], level: float) -> dict[str, Any]:
    rest = slices[MOST:]
    return {
        "by": list(by),
        "measure": measure,
        "level": level,
        "slices": len(slices),
        "few": sum(one.few for one in slices),
        "rest": {"slices": len(rest), "cases": _number(sum(one.cases for one in rest))},
    }


def _spread(pool: Pool, level: float) -> dict[str, Any]:
    """How much the slices differ beyond chance, on the logit scale; the centre as a share."""
    centre = None if pool.why else back(pool.centre, pool.se, level).to_dict()
    return {"centre": centre, **_test(pool)}


def _test(pool: Pool) -> dict[str, Any]:
    numbers = {"tau2": pool.tau2, "q": pool.q, "p": pool.p}
    return {**{name: _number(one) for name, one in numbers.items()}, "df": pool.df, "why": pool.why}


def _row(one: Slice) -> dict[str, Any]:
    return {
        **_who(one),
        "left_out": one.left_out,
        "measures": {name: _measured(one, name) for name in one.estimates},
    }


def _who(one: Slice | Between) -> dict[str, Any]:
    table = getattr(one.evaluation, "table", None)
    positives, negatives = (None, None) if table is None else (table.positives, table.negatives)
    return {
        "value": [None if part is None else str(part) for part in one.value],
        "name": one.name,
        "cases": _number(one.cases),
        "positives": None if positives is None else _number(positives),
        "negatives": None if negatives is None else _number(negatives),
        "few": one.few,
    }


def _measured(one: Slice, name: str) -> dict[str, Any]:
    bound = getattr(getattr(one.evaluation, "table", None), "bound", 0.0) if name == "auc" else 0.0
    return {
        **one.estimates[name].to_dict(),
        **({"bound": bound} if bound else {}),
        "shrunk": _or_none(one.shrunk, name),
        "gap": _or_none(one.gaps, name),
        "p_adjusted": _number(one.p_adjusted.get(name, math.nan)),
    }


def _or_none(found: Mapping[str, Any], name: str) -> dict[str, Any] | None:
    return found[name].to_dict() if name in found else None


# ---- differences between models, slice by slice ----


def differences_section(found: Sequence[DifferenceSlices], *, level: float) -> list[dict[str, Any]]:
    """One entry for each column: the AUC of the recommended model less that of each other, in every slice."""
    return [_pairs(one, level) for one in found]


def _pairs(panel: DifferenceSlices, level: float) -> dict[str, Any]:
    body = {
        **_counted(panel.by, "auc", panel.slices, level),
        "why": panel.why,
        "spread": {name: _test(pool) | {"centre": _number(pool.centre)} for name, pool in panel.pools.items()},
        "rows": [
            {**_who(one), "differences": [_difference(panel.a, name, one) for name in one.estimates]}
            for one in panel.slices[:MOST]
        ],
    }
    return body | {"words": of_differences(body)}


def _difference(first: str, other: str, one: Between) -> dict[str, Any]:
    found = one.estimates[other]
    return {
        "a": first,
        "b": other,
        "what": "auc",
        "settled": settled(found, one.p_adjusted[other]),
        "p_adjusted": _number(one.p_adjusted[other]),
        **found.to_dict(),
        "shrunk": one.shrunk[other].to_dict(),
    }


def _number(value: Any) -> Any:
    if isinstance(value, int):
        return value
    return float(value) if math.isfinite(value) else None
