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
"""The origin of a point: (model, threshold)."""


@record(slots=True)
class PointSource:
    """Points (x / width, y / height) of one model; coordinates are Python integers, or floats for float weights."""

    model: Any
    x: list[Any]
    y: list[Any]
    width: Any
    height: Any
    thresholds: list[Any]
    ends: tuple[Any, Any] | None = None  # thresholds that flag nothing and everything, for a curve
    totals: tuple[Any, Any] | None = None  # positives, negatives
    why: str = ""

    @property
    def exact(self) -> bool:
        """Whether its coordinates are whole numbers."""
        return not isinstance(self.width, float) and not isinstance(self.height, float)


@record(slots=True)
class Corners:
    """The corners of a hull on one common grid, each with all classifiers that reach it, the trivial ones first."""

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
    points = sorted(owners)
    kept = chain([x for x, _ in points], [y for _, y in points], None if _all_exact(sources) else (1.0, 1.0))
    corners = [points[i] for i in kept]
    x, y = zip(*corners, strict=True)
    return Corners(x, y, width, height, tuple(tuple(owners[corner]) for corner in corners))


def _corners_alone(source: PointSource, ends: tuple[Any, Any]) -> Corners:
    thresholds = (ends[0], *source.thresholds[1:-1], ends[1])
    return Corners(
        tuple(source.x), tuple(source.y), source.width, source.height, tuple(((None, s),) for s in thresholds)
    )


def _all_exact(sources: list[PointSource]) -> bool:
    return all(source.exact for source in sources)


def _common_grid(sources: list[PointSource]) -> tuple[Any, Any]:
    """Width and height in which every coordinate is a whole number; 1.0 where floats are among them."""
    if not _all_exact(sources):
        return 1.0, 1.0
    return math.lcm(*(source.width for source in sources)), math.lcm(*(source.height for source in sources))


def _owners(sources: list[PointSource], width: Any, height: Any) -> dict[tuple[Any, Any], list[Owner]]:
    nothing = next((one.ends[0] for one in sources if one.ends), math.inf)
    owners: dict[tuple[Any, Any], list[Owner]] = {
        (0 * width, 0 * height): [(None, nothing)],
        (width, height): [(None, -nothing)],
    }
    for source in sources:
        for x, y, threshold in zip(source.x, source.y, source.thresholds, strict=True):
            point = (_on_grid(x, source.width, width), _on_grid(y, source.height, height))
            owners.setdefault(point, []).append((source.model, threshold))
    return owners


def _on_grid(value: Any, size: Any, common: Any) -> Any:
    return value / size if isinstance(common, float) else value * (common // size)


def sources_of(given: Any) -> list[PointSource]:
    """The sources in the given object: one table, one set of points, or a mapping of models to either."""
    if isinstance(given, Mapping):
        if not given:
            raise RocscopeError("no models", hint='Give {"name": table or (fpr, tpr), ...}')
        return [_source(name, points) for name, points in given.items()]
    return [_source(None, given)]


def _source(model: Any, given: Any) -> PointSource:
    if isinstance(given, ScoreTable):
        return _of_table(model, given)
    if isinstance(given, Counts) and len(given) == 1 and not isinstance(given.tp, np.ndarray):
        return _of_points(model, [(*_rates(given, model), None)])
    if isinstance(given, Counts):
        return _of_points(model, [(*_rates(given[i], model), i) for i in range(len(given))])
    if _is_point(given):
        return _of_points(model, [(*_checked(given, model), None)])
    if not _is_iterable(given):
        raise _unreadable(given)
    return _of_points(model, [_sweep_point(i, point, model) for i, point in enumerate(given)])


def _of_table(model: Any, t: ScoreTable) -> PointSource:
    totals = (t.positives, t.negatives)
    ends = tuple(thresholds_at(t, [0, len(t)]).tolist())
    missing = "positives" if not t.positives else "negatives" if not t.negatives else ""
    if missing:
        named = "" if model is None else f"{model}: "
        return PointSource(model, [], [], 1, 1, [], ends, totals, f"{named}there are no {missing}")
    corners = corner_rows(t)
    x, y = t.fp[corners].tolist(), t.tp[corners].tolist()
    if not t.exact:  # if either class has float weights, make both float, as exact comparison is not possible
        x, y = [float(number) for number in x], [float(number) for number in y]
    return PointSource(model, x, y, x[-1], y[-1], thresholds_at(t, corners).tolist(), ends, totals)


def _of_points(model: Any, points: list[tuple[Fraction, Fraction, Any]]) -> PointSource:
    if not points:
        raise RocscopeError("no points" if model is None else f"{model} has no points")
    width = math.lcm(*(fpr.denominator for fpr, _, _ in points))
    height = math.lcm(*(tpr.denominator for _, tpr, _ in points))
    x = [int(fpr * width) for fpr, _, _ in points]
    y = [int(tpr * height) for _, tpr, _ in points]
    return PointSource(model, x, y, width, height, [setting for _, _, setting in points])


def _sweep_point(index: int, point: Any, model: Any) -> tuple[Fraction, Fraction, Any]:
    """A point of a sweep is (fpr, tpr), (fpr, tpr, setting) or Counts; without a setting its position stands for it."""
    if isinstance(point, Counts):
        return (*_rates(point, model), index)
    pair = tuple(point) if _is_iterable(point) else ()
    if len(pair) not in (2, 3):
        raise _unreadable(point)
    return (*_checked(pair[:2], model), pair[2] if len(pair) == 3 else index)


def _is_iterable(given: Any) -> bool:
    """Whether it has items; text and arrays without a dimension do not."""
    return isinstance(given, Iterable) and not isinstance(given, str | bytes) and getattr(given, "ndim", 1) > 0


def _is_point(given: Any) -> bool:
    numbers = isinstance(given, tuple | list | np.ndarray) and getattr(given, "ndim", 1) > 0 and len(given) == 2
    return numbers and all(isinstance(number, Real) for number in given)


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
            f"{named}a point in ROC space requires all four cells, with positives and negatives, not {counts!r}"
        ) from None


def _unreadable(given: Any) -> RocscopeError:
    return RocscopeError(
        f"a hull requires score tables or points, not {type(given).__name__}",
        hint='Give a ScoreTable, {"name": table}, {"name": (fpr, tpr)}, or a list of (fpr, tpr)',
    )
