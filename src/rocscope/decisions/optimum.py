"""The best thresholds by a rule, all of them, within what must hold."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from rocscope import measures
from rocscope.decisions.boxes import worth_looking
from rocscope.decisions.conditions import Comparison, Condition, condition, goal
from rocscope.decisions.costs import Costs
from rocscope.decisions.exact import Array, Ratio, maxima
from rocscope.decisions.operating_points import OperatingPoint, Optima, counts_at, operating_point, thresholds_at
from rocscope.decisions.threshold_rules import Criterion, callable_criterion, find, measure_criterion
from rocscope.errors import RocscopeError
from rocscope.numbers import share
from rocscope.table import Counts, ScoreTable
from rocscope.table.score_table import as_table
from rocscope.tally.packing import blocks


def best(
    t: ScoreTable,
    rule: str | Callable[[Counts], Any] | None = None,
    *,
    costs: Costs | None = None,
    where: str | Condition | None = None,
) -> Optima:
    """Every threshold that is best by a rule, ties decided exactly for whole-number tables.

    `rule`: a declared rule ("youden", "closest", "cost", ...), any measure or alias ("f1", "mcc", "fpr"), with a
    condition if you like ("recall where precision >= 0.9"), or a function of counts along the curve, larger being
    better; without one, costs mean "cost". Every observed score is tried, and "predict nothing" too.

    >>> t = ScoreTable.from_scores([1, 1, 0, 1, 0, 0], [0.9, 0.8, 0.7, 0.6, 0.5, 0.4])
    >>> [point.threshold for point in best(t, "youden")]
    [0.8, 0.6]
    >>> best(t, "recall", where="precision >= 0.75")[0].words
    'Flag scores >= 0.6: 4 of 6 flagged, 3 of 3 positives found, 1 false alarm (recall 1).'
    """
    name, criterion, asked = _read(t, rule, costs)
    conditions = [condition(one) for one in (asked, where) if one is not None]
    rows = best_rows(criterion, len(t) + 1, _allowed(t, conditions) if conditions else None)
    if not rows.size:
        raise RocscopeError(
            f"{name} is undefined at every threshold{' allowed' if conditions else ''}", hint=_why(t, name)
        )
    full = f"{name} where {' and '.join(map(str, conditions))}" if conditions else name
    return optima(t, rows, criterion, rule=full)


def optima(t: ScoreTable, rows: Array, criterion: Criterion, *, rule: str) -> Optima:
    """The operating points at some rows of the curve."""

    def point(index: int) -> OperatingPoint:
        row = int(rows[index])
        value = criterion.value(counts_at(t, row))
        return operating_point(t, row, value, rule=rule, shown=criterion.shown(value))

    return Optima(thresholds_at(t, rows), rule, criterion.note, point)


def _read(
    t: ScoreTable, rule: str | Callable[[Counts], Any] | None, costs: Costs | None
) -> tuple[str, Criterion, Condition | None]:
    as_table(t)
    if rule is None:
        if costs is None:
            raise RocscopeError("say by which rule", hint='"youden", "closest", "f1", any measure, or costs=Costs(...)')
        rule = "cost"
    if not isinstance(rule, str):
        return getattr(rule, "__name__", "value"), callable_criterion(t, rule), None
    name, asked = goal(rule)
    found = find(name)
    if found is not None:
        return found.name, found.criterion(t, costs), asked
    if costs is not None:
        raise RocscopeError(f"{name} does not ask for costs", hint='The rule "cost" does')
    return name, measure_criterion(t, measures.get(name), name), asked


def best_rows(criterion: Criterion, size: int, allowed: Array | None = None) -> Array:
    """The rows with the largest worth among those allowed: floats find the candidates, exact numbers decide."""
    found = None
    if allowed is None and criterion.most is not None:
        found = worth_looking(size, criterion.approx, criterion.most)
    rows, scale = (np.arange(size), 0.0) if found is None else found
    parts: list[Any] = list(blocks(size)) if found is None else [rows]
    worth = np.concatenate([criterion.approx(part) for part in parts])
    defined = ~np.isnan(worth) if allowed is None else allowed & ~np.isnan(worth)
    rows, worth = rows[defined], worth[defined]
    if not rows.size:
        return np.asarray(rows)
    scale = max(scale, float(abs(worth).max()))
    near = worth >= worth.max() - 1e-9 * scale
    rows, worth = rows[near], worth[near]
    decided: Array = rows[_best_of(criterion.exact(rows), worth, scale)]
    return decided


def _best_of(exact: Ratio | list[float] | None, worth: Array, scale: float) -> Array:
    if exact is None:  # float weights: what differs by rounding alone is a tie
        return np.flatnonzero(worth >= worth.max() - 1e-12 * scale)
    if isinstance(exact, list):
        return np.flatnonzero(np.array(exact) == max(exact))
    return maxima(exact, int(worth.argmax()))


# ---- within a condition ----


def _allowed(t: ScoreTable, conditions: list[Condition]) -> Array:
    allowed = np.ones(len(t) + 1, dtype=bool)
    comparisons = [one for group in conditions for one in group.comparisons]
    held: list[Comparison] = []
    for one in comparisons:
        passed = allowed & one.holds(t.along())
        if not passed.any():
            raise _unreachable(t, one, held, allowed)
        allowed, held = passed, [*held, one]
    return allowed


def _unreachable(t: ScoreTable, one: Comparison, held: list[Comparison], allowed: Array) -> RocscopeError:
    """Which condition fails, and how near the thresholds come that pass the ones before it."""
    values = np.where(allowed, np.asarray(measures.get(one.name).value(t.along().cells), dtype=np.float64), np.nan)
    among = f" where {' and '.join(map(str, held))}" if held else ""
    known = np.flatnonzero(~np.isnan(values))
    if not known.size:
        return RocscopeError(f"no threshold has a defined {one.name}{among}", hint=_why(t, one.name))
    ahead = {">": 1.0, "<": -1.0}.get(one.sign[0])
    worth = values[known] * ahead if ahead else -abs(values[known] - float(one.limit))
    row = known[worth.argmax()]
    nearest = f"the best is {values[row]:.4g}, at threshold {t.thresholds[row]:g}"
    return RocscopeError(f"no threshold reaches {one}{among}; {nearest}", hint="Relax the condition")


def _why(t: ScoreTable, name: str) -> str:
    try:
        return measures.get(name).why(t.along().cells)
    except RocscopeError:
        return ""


# ---- at a given rate ----


def at_sensitivity(t: ScoreTable, value: float) -> OperatingPoint:
    """The threshold with the fewest false positives among those whose sensitivity is at least `value`.

    >>> t = ScoreTable.from_scores([1, 1, 0, 1, 0, 0], [0.9, 0.8, 0.7, 0.6, 0.5, 0.4])
    >>> at_sensitivity(t, 0.6).threshold, at_specificity(t, 0.6).threshold
    (0.8, 0.6)
    """
    return _at_rate(t, "sensitivity", value, "specificity")


def at_specificity(t: ScoreTable, value: float) -> OperatingPoint:
    """The threshold with the most true positives among those whose specificity is at least `value`."""
    return _at_rate(t, "specificity", value, "sensitivity")


def _at_rate(t: ScoreTable, kept: str, value: float, sought: str) -> OperatingPoint:
    limit = Comparison(kept, ">=", share(value, kept), f"{float(value):g}")
    found = best(t, sought, where=Condition((limit,)))
    # of those that tie, the one that is better in the other rate too
    return found[-1] if kept == "sensitivity" else found[0]
