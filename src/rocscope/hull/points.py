"""What a hull is made of: curves, single classifiers, parameter sweeps, each as points on a grid of whole numbers."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from fractions import Fraction
from numbers import Real
from typing import Any

import numpy as np

from rocscope.errors import RocscopeError
from rocscope.hull.corners import chain, corner_rows
from rocscope.numbers import share
from rocscope.record import record
from rocscope.table import Counts, ScoreTable, thresholds_at

Owner = tuple[Any, Any]
"""Whose point it is: (model, threshold)."""


@record(slots=True)
class PointSource:
    """Points (x / width, y / height) of one model; coordinates are Python integers, or floats for float weights."""

    model: Any
    x: list[Any]
    y: list[Any]
    width: Any
    height: Any
    thresholds: list[Any]
    ends: tuple[Any, Any] | None = None  # the thresholds of "predict nothing" and "predict everything" of a curve
    totals: tuple[Any, Any] | None = None  # positives, negatives
    why: str = ""

    @property
    def exact(self) -> bool:
        """Whether its coordinates are whole numbers."""
        return not isinstance(self.width, float) and not isinstance(self.height, float)


@record(slots=True)
class Corners:
    """The corners of a hull on one common grid, each with all who reach it, the trivial classifiers first."""

    x: tuple[Any, ...]
    y: tuple[Any, ...]
    width: Any
    height: Any
    owners: tuple[tuple[Owner, ...], ...]

    @property
    def exact(self) -> bool:
        """Whether slopes and areas are exact."""
        return not isinstance(self.width, float)


def corners_of(sources: list[PointSource]) -> Corners:
    """The corners of the upper hull of all sources and the two trivial classifiers."""
    if len(sources) == 1 and sources[0].ends and sources[0].model is None:
        return _corners_alone(sources[0], sources[0].ends)
    width, height = _common_grid(sources)
    owners = _owners(sources, width, height)
    places = sorted(owners)
    kept = chain([x for x, _ in places], [y for _, y in places], None if _all_exact(sources) else (1.0, 1.0))
    found = [places[i] for i in kept]
    x, y = zip(*found, strict=True)
    return Corners(x, y, width, height, tuple(tuple(owners[place]) for place in found))


def _corners_alone(one: PointSource, ends: tuple[Any, Any]) -> Corners:
    thresholds = (ends[0], *one.thresholds[1:-1], ends[1])
    return Corners(tuple(one.x), tuple(one.y), one.width, one.height, tuple(((None, s),) for s in thresholds))


def _all_exact(sources: list[PointSource]) -> bool:
    return all(source.exact for source in sources)


def _common_grid(sources: list[PointSource]) -> tuple[Any, Any]:
    """Width and height in which every coordinate is a whole number; 1.0 where floats are among them."""
    if not _all_exact(sources):
        return 1.0, 1.0
    return math.lcm(*(one.width for one in sources)), math.lcm(*(one.height for one in sources))


def _owners(sources: list[PointSource], width: Any, height: Any) -> dict[tuple[Any, Any], list[Owner]]:
    nothing = next((one.ends[0] for one in sources if one.ends), math.inf)
    found: dict[tuple[Any, Any], list[Owner]] = {
        (0 * width, 0 * height): [(None, nothing)],
        (width, height): [(None, -nothing)],
    }
    for one in sources:
        for x, y, threshold in zip(one.x, one.y, one.thresholds, strict=True):
            place = (_on_grid(x, one.width, width), _on_grid(y, one.height, height))
            found.setdefault(place, []).append((one.model, threshold))
    return found


def _on_grid(value: Any, size: Any, common: Any) -> Any:
    return value / size if isinstance(common, float) else value * (common // size)


def sources_of(held: Any) -> list[PointSource]:
    """The sources in whatever came: one table, one set of points, or a mapping of models to either."""
    if isinstance(held, Mapping):
        if not held:
            raise RocscopeError("no models", hint='Give {"name": table or (fpr, tpr), ...}')
        return [_source(name, one) for name, one in held.items()]
    return [_source(None, held)]


def _source(model: Any, held: Any) -> PointSource:
    if isinstance(held, ScoreTable):
        return _of_table(model, held)
    if isinstance(held, Counts) and len(held) == 1 and not isinstance(held.tp, np.ndarray):
        return _of_points(model, [(*_rates(held, model), None)])
    if isinstance(held, Counts):
        return _of_points(model, [(*_rates(held[i], model), i) for i in range(len(held))])
    if _is_point(held):
        return _of_points(model, [(*_checked(held, model), None)])
    if isinstance(held, str | bytes) or not isinstance(held, Iterable) or getattr(held, "ndim", 1) == 0:
        raise _unreadable(held)
    return _of_points(model, [_sweep_point(i, one, model) for i, one in enumerate(held)])


def _of_table(model: Any, t: ScoreTable) -> PointSource:
    totals = (t.positives, t.negatives)
    ends = tuple(thresholds_at(t, [0, len(t)]).tolist())
    missing = "positives" if not t.positives else "negatives" if not t.negatives else ""
    if missing:
        named = "" if model is None else f"{model}: "
        return PointSource(model, [], [], 1, 1, [], ends, totals, f"{named}there are no {missing}")
    corners = corner_rows(t)
    x, y = t.fp[corners].tolist(), t.tp[corners].tolist()
    if not t.exact:  # one float class makes both float, so that no exact comparison is pretended
        x, y = [float(one) for one in x], [float(one) for one in y]
    return PointSource(model, x, y, x[-1], y[-1], thresholds_at(t, corners).tolist(), ends, totals)


def _of_points(model: Any, points: list[tuple[Fraction, Fraction, Any]]) -> PointSource:
    if not points:
        raise RocscopeError("no points" if model is None else f"{model} has no points")
    width = math.lcm(*(fpr.denominator for fpr, _, _ in points))
    height = math.lcm(*(tpr.denominator for _, tpr, _ in points))
    x = [int(fpr * width) for fpr, _, _ in points]
    y = [int(tpr * height) for _, tpr, _ in points]
    return PointSource(model, x, y, width, height, [setting for _, _, setting in points])


def _sweep_point(index: int, one: Any, model: Any) -> tuple[Fraction, Fraction, Any]:
    """A point of a sweep is (fpr, tpr), (fpr, tpr, setting) or Counts; without a setting its position stands for it."""
    if isinstance(one, Counts):
        return (*_rates(one, model), index)
    pair = tuple(one) if isinstance(one, Iterable) and not isinstance(one, str | bytes) else ()
    if len(pair) not in (2, 3):
        raise _unreadable(one)
    return (*_checked(pair[:2], model), pair[2] if len(pair) == 3 else index)


def _is_point(held: Any) -> bool:
    numbers = isinstance(held, tuple | list | np.ndarray) and getattr(held, "ndim", 1) > 0 and len(held) == 2
    return numbers and all(isinstance(one, Real) for one in held)


def _checked(pair: Any, model: Any) -> tuple[Fraction, Fraction]:
    named = "" if model is None else f"{model}: "
    return share(pair[0], f"{named}fpr"), share(pair[1], f"{named}tpr")


def _rates(counts: Counts, model: Any) -> tuple[Fraction, Fraction]:
    try:
        fp, tn, tp, fn = (Fraction(getattr(counts, cell)) for cell in ("fp", "tn", "tp", "fn"))
        return fp / (fp + tn), tp / (tp + fn)
    except (TypeError, ZeroDivisionError):
        named = "" if model is None else f"{model}: "
        raise RocscopeError(
            f"{named}a point of ROC space needs all four cells, positives and negatives; got {counts!r}"
        ) from None


def _unreadable(held: Any) -> RocscopeError:
    return RocscopeError(
        f"a hull needs score tables or points, not {type(held).__name__}",
        hint='Give a ScoreTable, {"name": table}, {"name": (fpr, tpr)}, or a list of (fpr, tpr)',
    )
