"""Arrays as tests want them: checked once, on entry."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rocscope.errors import RocscopeError

Array = NDArray[np.float64]
ALL_ZERO = "all differences are 0: no difference seen"


def vector(name: str, x: Any, *, least: int = 1) -> Array:
    """The numbers as one row of finite floats; a table (repetitions x folds) is read row by row.

    >>> vector("diffs", [[0.1, 0.2], [0.0, 0.1]]).tolist()
    [0.1, 0.2, 0.0, 0.1]
    """
    values = _finite(name, x)
    if values.ndim == 0 or values.ndim > 2:
        raise RocscopeError(f"{name} must be a list of numbers, not an array of shape {values.shape}")
    if values.size < least:
        raise RocscopeError(f"{name} has {values.size} numbers, but at least {least} are needed")
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
    except (TypeError, ValueError):
        hint = "Rows of equal length, numbers only"
        raise RocscopeError(f"{name} must be numbers, as a list or array", hint=hint) from None
    bad = np.argwhere(~np.isfinite(values))
    if bad.size:
        raise RocscopeError(
            f"{name} has {len(bad)} values that are NaN or infinite (first at row {bad[0][0] if values.ndim else 0})",
            hint="Leave those rows out of every model",
        )
    return values


def seeded(seed: Any) -> np.random.Generator:
    """A generator from an explicit whole-number seed: the same seed gives the same numbers.

    >>> int(seeded(0).integers(100))
    85
    """
    if isinstance(seed, bool) or not isinstance(seed, (int, np.integer)) or seed < 0:
        raise RocscopeError(f"seed must be a whole number, 0 or more, not {seed!r}")
    return np.random.default_rng(int(seed))


def doubled_midranks(place: Any, size: int) -> NDArray[np.int64]:
    """Twice the midrank of each case, a whole number, from its place among `size` distinct values, the least first.

    >>> doubled_midranks([0, 2, 2, 1], 3).tolist()
    [2, 7, 7, 4]
    """
    counts = np.bincount(place, minlength=size)
    return np.asarray((2 * np.cumsum(counts) - counts + 1)[place], dtype=np.int64)
