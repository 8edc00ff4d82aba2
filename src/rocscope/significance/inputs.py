"""What tests of two models share: arrays checked once, the alternative, and when there is nothing to test."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rocscope.errors import RocscopeError
from rocscope.estimate import Estimate, undefined
from rocscope.intervals import PairedCases, Statistic
from rocscope.numbers import checked_whole, one_of, student_above, student_two_sided
from rocscope.table import ScoreTable

Array = NDArray[np.float64]
ALL_ZERO = "all differences are 0, so no difference was observed"
SIDES: dict[str, Callable[[Array], Array]] = {"two-sided": np.abs, "greater": lambda d: d, "less": lambda d: -d}


# ---- arrays ----


def vector(name: str, x: Any, *, least: int = 1) -> Array:
    """The numbers as one row of finite floats; a table (repetitions x folds) is read row by row.

    >>> vector("diffs", [[0.1, 0.2], [0.0, 0.1]]).tolist()
    [0.1, 0.2, 0.0, 0.1]
    """
    values = _finite(name, x)
    if values.ndim == 0 or values.ndim > 2:
        raise RocscopeError(f"{name} must be a list of numbers, not an array of shape {values.shape}")
    if values.size < least:
        raise RocscopeError(f"{name} must have at least {least} numbers, not {values.size}")
    return values.ravel()


def table(name: str, x: Any, *, rows: str, columns: str) -> Array:
    """The numbers as a table of finite floats with at least one row and two columns.

    >>> table("scores", [[0.8, 0.9]], rows="data sets", columns="models").shape
    (1, 2)
    """
    values = _finite(name, x)
    if values.ndim != 2 or values.shape[0] < 1 or values.shape[1] < 2:
        wanted = f"a table of {rows} x {columns} with at least 2 {columns}"
        raise RocscopeError(f"{name} must be {wanted}, not an array of shape {values.shape}")
    return values


def _finite(name: str, x: Any) -> Array:
    try:
        values = np.asarray(x)
        if values.dtype.kind not in "biufO":
            raise TypeError
        values = values.astype(np.float64)
    except (TypeError, ValueError, OverflowError):
        hint = "Give rows of equal length with numbers only"
        raise RocscopeError(f"{name} must be numbers, as a list or array", hint=hint) from None
    bad = np.argwhere(~np.isfinite(values))
    if bad.size:
        raise RocscopeError(
            f"{name} has {len(bad)} values that are NaN or infinite (first at row {bad[0][0] if values.ndim else 0})",
            hint="Leave those rows out for every model",
        )
    return values


def seeded(seed: Any) -> np.random.Generator:
    """A generator from an explicit whole-number seed: the same seed gives the same numbers.

    >>> int(seeded(0).integers(100))
    85
    """
    return np.random.default_rng(checked_whole("seed", seed, least=0))


def doubled_midranks(position: Any, size: int) -> NDArray[np.int64]:
    """Twice the midrank of each case, a whole number, from its place among `size` distinct values, the least first.

    >>> doubled_midranks([0, 2, 2, 1], 3).tolist()
    [2, 7, 7, 4]
    """
    counts = np.bincount(position, minlength=size)
    return np.asarray((2 * np.cumsum(counts) - counts + 1)[position], dtype=np.int64)


# ---- two models ----


def side_of(alternative: str) -> Callable[[Array], Array]:
    """What counts as extreme under an alternative."""
    return SIDES[one_of("alternative", alternative, SIDES)]


def p_value(t: float, alternative: str, df: float = math.inf) -> float:
    """The p-value of a Student (by default normal) statistic under an alternative."""
    if alternative == "two-sided":
        return student_two_sided(t, df)
    return student_above(t if alternative == "greater" else -t, df)


def compared(rows: PairedCases, statistic: Statistic, level: float, method: str) -> tuple[float, Estimate | None]:
    """The difference of a statistic, first model less second, and the answer where there is nothing to test.

    That is where it is undefined, and where both models are the same to it.
    """
    values = [statistic.value(rows.table(model)) for model in (0, 1)]
    for model, value in enumerate(values):
        if not math.isfinite(value):
            return math.nan, undefined(statistic.why(rows.table(model)), level=level, method=method)
    if not rows.same_ranking(0, 1) or not (statistic.rank_only or np.array_equal(rows.scores[0], rows.scores[1])):
        return values[0] - values[1], None
    why = f"{'identical rankings' if statistic.rank_only else 'the models agree on every case'}: no difference"
    return 0.0, Estimate(0.0, 0.0, 0.0, level, method, why, 1.0, 0.0)


def without_limits(estimate: Estimate) -> Estimate:
    """The answer of a test that knows no limits."""
    return replace(estimate, low=math.nan, high=math.nan)


def two_samples(first: ScoreTable, second: Any, extra: Any, *, paired: bool, test: str) -> ScoreTable:
    """The second of two tables, once it is sure that two samples are compared: tables do not tell their cases."""
    if not isinstance(second, ScoreTable) or extra is not None:
        raise RocscopeError("a table can be compared only with another table", hint=f"{test}(ta, tb, paired=False)")
    if paired:
        raise RocscopeError(
            "tables do not show whether they share cases",
            hint=f"Give the rows, {test}(y, a, b), or give paired=False for two samples",
        )
    return second
