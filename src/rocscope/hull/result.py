"""The hull: its corners, and what is computed from them: area, slopes, the cost-ratio table, the cheapest model."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from numbers import Real
from typing import Any, NamedTuple, Protocol

from rocscope.errors import RocscopeError, did_you_mean
from rocscope.hull.points import Corners, PointSource
from rocscope.numbers import quotient, ratio_or_inf, share
from rocscope.record import record
from rocscope.text import show_label


class HullPoint(NamedTuple):
    """A corner of the hull: rates, model and threshold. Trivial ends have no model, and single classifiers have no
    threshold.
    """

    fpr: float
    tpr: float
    model: Any
    threshold: Any


class Segment(NamedTuple):
    """The line between two neighboring corners; at its slope, both cost the same.

    `slope_exact` is None if the slope is infinite or based on float weights.
    """

    start: HullPoint
    end: HullPoint
    slope: float
    slope_exact: Fraction | None


class SlopeInterval(NamedTuple):
    """One row of the cost-ratio table: from slope `low` to `high` this corner is cheapest."""

    low: float
    high: float
    model: Any
    threshold: Any
    fpr: float
    tpr: float


class IsoLine(NamedTuple):
    """The best line of equal cost, tpr = slope * fpr + intercept, which touches the hull."""

    slope: float
    intercept: float


@record(slots=True)
class Mixture:
    """A randomized classifier: `second` decides with the given `probability`, and `first` otherwise."""

    first: HullPoint
    second: HullPoint
    probability: float
    fpr: float
    tpr: float
    words: str


class Priced(Protocol):
    """The property of costs that the hull uses: the slope of their lines of equal cost."""

    def slope(self, positives: Any = None, negatives: Any = None, *, prevalence: Any = None) -> Fraction | float:
        """The slope; infinite or NaN if the costs do not determine one."""
        ...


@record(repr=False)
class Hull:
    """The convex hull of points in ROC space; created by `hull`.

    Slopes are cost ratios c = (cost FP / cost FN) * (negatives / positives). `models` are the models it was computed
    from; `positives` and `negatives` are known if all models came from tables with the same totals. Where the hull is
    undefined, `why` gives the reason, there are no points, and the area is NaN.
    """

    corners: Corners
    models: tuple[Any, ...] = ()
    positives: Any = None
    negatives: Any = None
    why: str = ""
    sources: tuple[PointSource, ...] = ()

    # ---- corners and slopes ----

    @cached_property
    def points(self) -> tuple[HullPoint, ...]:
        """The corners from (0, 0) to (1, 1)."""
        c = self.corners
        rates = ((quotient(x, c.width), quotient(y, c.height)) for x, y in zip(c.x, c.y, strict=True))
        return tuple(HullPoint(*rate, *owners[0]) for rate, owners in zip(rates, c.owners, strict=True))

    @property
    def exact(self) -> bool:
        """Whether corners, slopes and ties are exact; with float weights they are rounded."""
        return self.corners.exact

    @cached_property
    def points_exact(self) -> tuple[tuple[Fraction, Fraction], ...]:
        """The corners (fpr, tpr) as fractions."""
        c = self.corners
        if not c.exact:
            raise RocscopeError("float weights have no exact hull", hint="Read .points")
        return tuple((Fraction(x, c.width), Fraction(y, c.height)) for x, y in zip(c.x, c.y, strict=True))

    @cached_property
    def _slopes(self) -> tuple[Any, ...]:
        """The slopes, falling: fractions (floats for float weights), infinite where a segment is vertical."""
        c = self.corners
        steps = zip(pairwise(c.x), pairwise(c.y), strict=True)
        return tuple(_slope((b - a) * c.height, (d - e) * c.width) for (a, b), (e, d) in steps)

    @property
    def slopes(self) -> tuple[float, ...]:
        """The slopes of the segments from left to right; infinite where vertical."""
        return tuple(float(slope) for slope in self._slopes)

    @cached_property
    def segments(self) -> tuple[Segment, ...]:
        """The segments from left to right, with their slopes."""
        exact = (slope if isinstance(slope, Fraction) else None for slope in self._slopes)
        pairs = zip(pairwise(self.points), self.slopes, exact, strict=True)
        return tuple(Segment(start, end, slope, fraction) for (start, end), slope, fraction in pairs)

    @cached_property
    def _double_area(self) -> Any:
        c = self.corners
        steps = zip(pairwise(c.x), pairwise(c.y), strict=True)
        return sum((b - a) * (d + e) for (a, b), (e, d) in steps)

    @property
    def area(self) -> float:
        """The area under the hull; NaN with `why` if it is undefined."""
        return math.nan if self.why else quotient(self._double_area, 2 * self.corners.width * self.corners.height)

    @property
    def area_exact(self) -> Fraction:
        """The area as a fraction."""
        self._defined()
        if not self.exact:
            raise RocscopeError("float weights have no exact area", hint="Read .area")
        return Fraction(self._double_area, 2 * self.corners.width * self.corners.height)

    # ---- cheapest corner at given costs ----

    @cached_property
    def intervals(self) -> tuple[SlopeInterval, ...]:
        """The cost-ratio table: the cheapest model and threshold for every slope, from high to low.

        A corner that is cheapest only at slope infinity or 0 has no row.
        """
        bounds = (math.inf, *self.slopes, 0.0)
        rows = zip(self.points, bounds[1:], bounds, strict=False) if self.points else ()
        return tuple(
            SlopeInterval(low, high, point.model, point.threshold, point.fpr, point.tpr)
            for point, low, high in rows
            if low < high
        )

    def best_all(
        self, cost_ratio: Any = None, *, costs: Priced | None = None, prevalence: Any = None
    ) -> tuple[HullPoint, ...]:
        """All cheapest corners: two if the ratio equals the slope of a segment.

        Give the slope as `cost_ratio`, or the `costs` (and a prevalence if the hull has none).
        """
        slope = self._asked(cost_ratio, costs, prevalence)
        if isinstance(slope, float) and math.isnan(slope):  # all corners cost the same
            return self.points
        ties = [self._equal(segment, slope) for segment in self._slopes]
        first = sum(segment > slope and not tie for segment, tie in zip(self._slopes, ties, strict=True))
        return self.points[first : first + sum(ties) + 1]

    def _equal(self, a: Any, b: Any) -> bool:
        return bool(a == b) if self.exact else math.isclose(a, b, rel_tol=1e-12)

    def best(self, cost_ratio: Any = None, *, costs: Priced | None = None, prevalence: Any = None) -> HullPoint:
        """The cheapest corner: the lowest c * fpr - tpr; in case of a tie, the one that flags fewer.

        Provost & Fawcett 2001, Machine Learning 42:203.

        >>> from rocscope.hull import hull
        >>> h = hull({"C4.5": (0.2, 0.7), "SVM": (0.5, 0.95)})
        >>> h.best(cost_ratio=1).model, h.best(cost_ratio=0.25).model
        ('C4.5', 'SVM')
        """
        tied = self.best_all(cost_ratio, costs=costs, prevalence=prevalence)
        # at an infinite slope only FPR matters; of the corners without false positives, the last has the highest TPR
        return tied[-1] if tied[0].fpr == tied[-1].fpr else tied[0]

    def _asked(self, cost_ratio: Any, costs: Priced | None, prevalence: Any) -> Fraction | float:
        self._defined()
        if (cost_ratio is None) == (costs is None):
            raise RocscopeError("give either cost_ratio=... or costs=...", hint="cost_ratio is the slope c")
        if costs is None:
            if prevalence is not None:
                raise RocscopeError(
                    "cost_ratio already includes the prevalence", hint="Give the prevalence together with costs=..."
                )
            return ratio_or_inf(cost_ratio, "cost_ratio")
        if not hasattr(costs, "slope"):
            raise RocscopeError(
                f"costs must be a Costs object, not a {type(costs).__name__}", hint="costs=Costs(fp=1, fn=5)"
            )
        return costs.slope(self.positives, self.negatives, prevalence=prevalence)

    def iso_line(self, cost_ratio: Any = None, *, costs: Priced | None = None, prevalence: Any = None) -> IsoLine:
        """The line of equal cost that touches the hull: its slope and its intercept at fpr = 0.

        >>> from rocscope.hull import hull
        >>> hull({"C4.5": (0.2, 0.7), "SVM": (0.5, 0.95)}).iso_line(cost_ratio=1)
        IsoLine(slope=1.0, intercept=0.5)
        """
        slope = self._asked(cost_ratio, costs, prevalence)
        if isinstance(slope, float):
            raise RocscopeError(f"at the ratio {slope} the line of equal cost has no intercept")
        touched = self.points.index(self.best(cost_ratio, costs=costs, prevalence=prevalence))
        fpr, tpr = self._place(touched)
        return IsoLine(float(slope), float(tpr - slope * fpr))

    # ---- models ----

    @property
    def reached_by(self) -> tuple[tuple[tuple[Any, Any], ...], ...]:
        """Every (model, threshold) that reaches each point; several if models coincide."""
        return self.corners.owners

    @cached_property
    def dominated(self) -> tuple[Any, ...]:
        """The models that are not strictly cheapest at any cost ratio; the trivial ends belong to no model."""
        seen = {model for owners in self.corners.owners[1:-1] for model, _ in owners}
        return () if self.why else tuple(model for model in self.models if model not in seen)

    @cached_property
    def beneath(self) -> tuple[HullPoint, ...]:
        """The classifiers that are not corners, by model; for a dominated curve, the corners of its own hull.

        >>> from rocscope.hull import hull
        >>> hull({"C4.5": (0.2, 0.7), "SVM": (0.5, 0.95), "rules": (0.4, 0.6)}).beneath
        (HullPoint(fpr=0.4, tpr=0.6, model='rules', threshold=None),)
        """
        corner_rates = {point[:2] for point in self.points}
        candidates = (point for source in self.sources for point in _points(source))
        curves = {source.model for source in self.sources if source.ends} - set(self.dominated)
        return (
            ()
            if self.why
            else tuple(point for point in candidates if point.model not in curves and point[:2] not in corner_rates)
        )

    def break_even(self, a: Any, b: Any) -> tuple[float, ...]:
        """The slopes at which the cheaper of two models changes, from high to low; () if they are not neighbors.

        None denotes the trivial classifiers at the ends.

        >>> from rocscope.hull import hull
        >>> hull({"C4.5": (0.2, 0.7), "SVM": (0.5, 0.95)}).break_even("C4.5", "SVM")
        (0.8333333333333334,)
        """
        for model in (a, b):
            if model is not None and model not in self.models:
                hint = did_you_mean(str(model), map(str, self.models))
                raise RocscopeError(f"there is no model {model!r}", hint=hint)
        owned = [{model for model, _ in owners} for owners in self.corners.owners]
        joined = (_passes(a, b, left, right) or _passes(b, a, left, right) for left, right in pairwise(owned))
        # at a slope of 0 or infinity one error type costs nothing, and curves often share those corners: no break-even
        return tuple(slope for slope, both in zip(self.slopes, joined, strict=True) if both and 0 < slope < math.inf)

    def mixture(self, *, fpr: Any = None, tpr: Any = None) -> Mixture:
        """The classifier on the hull at a rate between its corners: the two to mix at random, and the probability.

        With probability q the second decides, otherwise the first; q = (fpr - fpr1) / (fpr2 - fpr1). The rate may also
        be given as `tpr`. Scott, Niranjan & Prager 1998, British Machine Vision Conference.

        >>> from rocscope.hull import hull
        >>> m = hull({"C4.5": (0.2, 0.7), "SVM": (0.5, 0.95)}).mixture(fpr=0.3)
        >>> m.first.model, m.second.model, m.probability, m.tpr
        ('C4.5', 'SVM', 0.3333333333333333, 0.7833333333333333)
        """
        self._defined()
        if (fpr is None) == (tpr is None):
            raise RocscopeError("give either fpr=... or tpr=...")
        axis = 0 if tpr is None else 1
        wanted = share(fpr, "fpr") if tpr is None else share(tpr, "tpr")
        corners = [self._place(i) for i in range(len(self.points))]
        # at equal FPR the higher corner is better, at equal TPR the leftmost: no mixing is needed
        start = _last(corners, lambda p: p[0] <= wanted) if axis == 0 else _first(corners, lambda p: p[1] >= wanted)
        if corners[start][axis] == wanted:
            return self._mixed(start, start, Fraction(0))
        low, high = (start, start + 1) if axis == 0 else (start - 1, start)
        return self._mixed(low, high, (wanted - corners[low][axis]) / (corners[high][axis] - corners[low][axis]))

    def _mixed(self, low: int, high: int, q: Any) -> Mixture:
        (a, b), (c, d) = self._place(low), self._place(high)
        rates = float(a + q * (c - a)), float(b + q * (d - b))
        first, second = self.points[low], self.points[high]
        if low == high:
            words = f"{_decider(first)} decides alone"
        else:
            words = f"{_decider(second)} decides with probability {float(q):.4g}, and {_decider(first)} otherwise"
        return Mixture(first, second, float(q), *rates, f"{words}: fpr {rates[0]:.4g}, tpr {rates[1]:.4g}.")

    def _place(self, index: int) -> tuple[Any, Any]:
        return self.points_exact[index] if self.exact else self.points[index][:2]

    def _defined(self) -> None:
        if self.why:
            raise RocscopeError(f"there is no hull: {self.why}")

    # ---- display ----

    def _repr_html_(self) -> str:
        """The corners, drawn, and their slopes, as a notebook shows them."""
        from rocscope import wire

        return str(wire("Hull._repr_html_")(self))

    def plot(self, ax: Any = None, **how: Any) -> Any:
        """Draw the hull with matplotlib and return the Axes; cost_ratio= or costs= adds the lines of equal cost."""
        from rocscope import wire

        return wire("Hull.plot")(self, ax, **how)

    def plot_strip(self, ax: Any = None, **how: Any) -> Any:
        """Draw the cost-ratio table as a strip: the range of costs over which each model is cheapest."""
        from rocscope import wire

        return wire("Hull.plot_strip")(self, ax, **how)

    def __repr__(self) -> str:
        if self.why:
            return f"Hull(undefined: {self.why})"
        left = f", dominated: {', '.join(map(show_label, self.dominated))}" if self.dominated else ""
        return f"Hull({len(self.points)} points, area {self.area:.6g}{left})"

    def __str__(self) -> str:
        """The cost-ratio table as text."""
        rows: list[tuple[str, ...]] = [("slope from", "to", "model", "threshold", "fpr", "tpr")]
        for row in self.intervals:
            model = "" if row.model is None else show_label(row.model)
            threshold = "" if row.threshold is None else _setting(row.threshold)
            rows.append((*(f"{slope:.4g}" for slope in row[:2]), model, threshold, f"{row.fpr:.4g}", f"{row.tpr:.4g}"))
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        lines = ("  ".join(map(str.rjust, row, widths)).rstrip() for row in rows)
        return "\n".join([repr(self), *lines]) if self.intervals else repr(self)


def _points(source: PointSource) -> tuple[HullPoint, ...]:
    """The points of a source."""
    rates = ((quotient(x, source.width), quotient(y, source.height)) for x, y in zip(source.x, source.y, strict=True))
    return tuple(HullPoint(*rate, source.model, at) for rate, at in zip(rates, source.thresholds, strict=True))


def _slope(run: Any, rise: Any) -> Any:
    if run == 0:
        return math.inf
    return Fraction(rise, run) if isinstance(run, int) and isinstance(rise, int) else rise / run


def _last(corners: list[Any], test: Any) -> int:
    return max(i for i, position in enumerate(corners) if test(position))


def _first(corners: list[Any], test: Any) -> int:
    return min(i for i, position in enumerate(corners) if test(position))


def _decider(point: HullPoint) -> str:
    """Who decides at a corner, in words."""
    if (point.fpr, point.tpr) in ((0, 0), (1, 1)):
        return "always negative" if point.tpr == 0 else "always positive"
    model = "the classifier" if point.model is None else show_label(point.model)
    return model if point.threshold is None else f"{model} at threshold {_setting(point.threshold)}"


def _setting(threshold: Any) -> str:
    """A threshold, or the setting of a parameter sweep, which need not be a number."""
    return f"{threshold:g}" if isinstance(threshold, Real) else show_label(threshold)


def _passes(a: Any, b: Any, left: set[Any], right: set[Any]) -> bool:
    """Whether the lead passes from a to b; models that share both corners tie throughout."""
    return a in left and b in right and not (b in left and a in right)
