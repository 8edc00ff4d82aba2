"""Curve: columns of equal length along the thresholds of a score table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import floor, inf, isnan, log10
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rocscope import measures
from rocscope.errors import RocscopeError, did_you_mean
from rocscope.record import record
from rocscope.table import ScoreTable

Array = NDArray[Any]
PROBABILITY_LABELS = (0.9, 0.7, 0.5, 0.3, 0.1)


class Label(NamedTuple):
    """A threshold label on a curve, and its position."""

    threshold: float
    x: float
    y: float


@record(repr=False)
class Curve:
    """A curve computed from a table: `thresholds` and named columns, all of equal length and read-only.

    The first row of a curve along thresholds is "predict nothing": threshold +inf, or -inf when low scores are
    positive. Columns are attributes; `x` and `y` name the two that are drawn. `why` states what is undefined and why,
    and is '' if nothing is. `steps` states whether a row applies until the next threshold.

    >>> from rocscope import curves
    >>> r = curves.roc(ScoreTable.from_scores([1, 0, 1, 1, 0], [0.9, 0.8, 0.8, 0.8, 0.1]))
    >>> r
    Curve(roc: 4 points, tpr against fpr, positive: score >= threshold)
    >>> r.thresholds, r.fpr
    (array([inf, 0.9, 0.8, 0.1]), array([0. , 0. , 0.5, 1. ]))
    >>> r.at(0.85)
    {'threshold': 0.9, 'fpr': 0.0, 'tpr': 0.3333333333333333}
    """

    kind: str
    thresholds: Array
    columns: Mapping[str, Array]
    x: str
    y: str
    why: str = ""
    higher_is_positive: bool = True
    steps: bool = True
    table: ScoreTable | None = None

    def __post_init__(self) -> None:
        for name, column in self.columns.items():
            if column.shape != self.thresholds.shape:
                raise RocscopeError(
                    f"column {name} must have {len(self.thresholds)} rows, like the thresholds, not {len(column)}"
                )
        for column in (self.thresholds, *self.columns.values()):
            column.flags.writeable = False
        object.__setattr__(self, "columns", MappingProxyType(dict(self.columns)))

    @classmethod
    def of(cls, kind: str, table: ScoreTable, columns: Mapping[str, Array], *, x: str, y: str, why: str = "") -> Curve:
        """A curve with one row per threshold of the table."""
        return cls(
            kind, table.thresholds, columns, x=x, y=y, why=why,
            higher_is_positive=table.higher_is_positive, table=table,
        )  # fmt: skip

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or name == "columns":  # the copy protocol looks up attributes before any is set
            raise AttributeError(name)
        return self.column(name)

    def column(self, name: str) -> Array:
        """A column by its name or, for a measure, by any of its names; "threshold" is also a column."""
        if name in ("threshold", "thresholds"):
            return self.thresholds
        if name in self.columns:
            return self.columns[name]
        for column in self.columns:
            if _measure_name(column) == _measure_name(name):
                return self.columns[column]
        raise _Absent(f"curve '{self.kind}' has no '{name}'", hint=did_you_mean(name, self.columns))

    @property
    def xy(self) -> tuple[Array, Array]:
        """The two columns that are drawn."""
        return self.column(self.x), self.column(self.y)

    @property
    def rule(self) -> str:
        """Which scores are predicted positive at a threshold."""
        return "score >= threshold" if self.higher_is_positive else "score <= threshold"

    # ---- rows ----

    def __len__(self) -> int:
        return len(self.thresholds)

    def row(self, index: int) -> dict[str, float]:
        """One row by its number."""
        cells = {name: column[index].item() for name, column in self.columns.items()}
        return {"threshold": self.thresholds[index].item(), **cells}

    def __iter__(self) -> Iterator[dict[str, float]]:
        return (self.row(index) for index in range(len(self)))

    def to_rows(self) -> list[dict[str, float]]:
        """Every row as a dict of plain numbers; the thresholds of a fitted curve are on its "latent" scale."""
        names = ("threshold" if self.kind != "binormal_roc" else "latent", *self.columns)
        values = (self.thresholds.tolist(), *(column.tolist() for column in self.columns.values()))
        return [dict(zip(names, row, strict=True)) for row in zip(*values, strict=True)]

    def to_frame(self, library: str | None = None) -> Any:
        """One row for each point, as a frame of "pandas", "polars", "pyarrow", "duckdb" or a "dict" of columns."""
        from rocscope import wire

        return wire("Curve.to_frame")(self, library)

    def at(self, threshold: float) -> dict[str, float]:
        """The row that applies at a threshold; it is looked up as in a step function, never interpolated.

        +inf is "predict nothing" (-inf when low scores are positive); a threshold between two scores gives the row of
        the last score that is still predicted positive.
        """
        return self.row(self._position(threshold))

    def _position(self, threshold: float) -> int:
        if isnan(threshold):
            raise RocscopeError(
                "threshold must not be NaN", hint="Use inf to flag nothing, or -inf to flag everything"
            )
        if not self.steps:
            raise RocscopeError(
                f"curve '{self.kind}' cannot be read at a threshold: its value changes between its rows",
                hint="Use its rows instead",
            )
        if self.higher_is_positive:
            flagged = len(self) - int(np.searchsorted(self.thresholds[::-1], threshold, side="left"))
        else:
            flagged = int(np.searchsorted(self.thresholds, threshold, side="right"))
        return max(flagged - 1, 0)

    def labels(self, thresholds: Sequence[float] | None = None) -> list[Label]:
        """The threshold labels on the curve and their positions: the given ones in their order, or a few round ones.

        Without given thresholds, round ones that fall on the same point are shown once, and if no score is close to a
        round number, the score of that point is shown instead.

        >>> from rocscope import curves
        >>> r = curves.roc(ScoreTable.from_scores([1, 0, 1, 1, 0], [0.9, 0.8, 0.8, 0.8, 0.1]))
        >>> [(label.threshold, label.x, label.y) for label in r.labels([0.5])]
        [(0.5, 0.5, 1.0)]
        >>> [label.threshold for label in r.labels()]
        [0.9, 0.8, 0.1]
        """
        x, y = self.xy
        wanted = _round_thresholds(self.thresholds[1:]) if thresholds is None else thresholds
        rows = [(float(threshold), self._position(float(threshold))) for threshold in wanted]
        if thresholds is None:
            rows = [pair for i, pair in enumerate(rows) if i == 0 or pair[1] != rows[i - 1][1]]
            rows = [(self._near(threshold, row, wanted), row) for threshold, row in rows]
        return [Label(threshold, float(x[row]), float(y[row])) for threshold, row in rows]

    def _near(self, threshold: float, row: int, wanted: Sequence[float]) -> float:
        """The round threshold, or the score of its point where that is half a step or more away."""
        step = abs(wanted[1] - wanted[0]) if len(wanted) > 1 else inf
        score = float(self.thresholds[row])
        return threshold if abs(score - threshold) < 0.499 * step else score

    @property
    def midpoints(self) -> Array:
        """Thresholds halfway between neighboring scores, as other tools report them; they give the same decisions."""
        score = self.thresholds
        if len(score) == 1:
            return score
        middle = score[1:-1] / 2 + score[2:] / 2
        # The midpoint of two adjacent floats can be the next score itself, which must not be flagged.
        between = middle > score[2:] if self.higher_is_positive else middle < score[2:]
        last = -inf if self.higher_is_positive else inf
        return np.concatenate((score[:1], np.where(between, middle, score[1:-1]), [last]))

    # ---- display ----

    def thin(self, points: int = 1000) -> Curve:
        """The curve with fewer rows for drawing: about `points`, keeping the corners of the hull and the area.

        Rows on a straight piece are dropped first, without loss. Beyond that, the drawn area stays accurate to 1e-5 of
        its box, and more rows than requested are kept if this requires them. Numbers are never computed from a thinned
        curve.
        """
        from dataclasses import replace

        from rocscope.curves.simplification import kept_rows

        rows = kept_rows(self, points)
        columns = {name: column[rows] for name, column in self.columns.items()}
        return replace(self, thresholds=self.thresholds[rows], columns=columns, table=None)

    def _repr_html_(self) -> str:
        """The curve, drawn, as a notebook shows it."""
        from rocscope import wire

        return str(wire("Curve._repr_html_")(self))

    def plot(self, ax: Any = None, **how: Any) -> Any:
        """Draw the curve with matplotlib, in the given Axes or a new figure, and return the Axes.

        The keywords are label, model (1 to 5 for color and dash, 0 for muted), chosen, band, and thresholds (written on
        a ROC curve).
        """
        from rocscope import wire

        return wire("Curve.plot")(self, ax, **how)

    def __repr__(self) -> str:
        count = f"{len(self):,} point{'' if len(self) == 1 else 's'}"
        reason = f", {self.why}" if self.why else ""
        return f"Curve({self.kind}: {count}, {self.y} against {self.x}, positive: {self.rule}{reason})"


class _Absent(RocscopeError, AttributeError):
    """A column that the curve does not have."""


def _measure_name(name: str) -> str:
    """The catalog name of a measure's alias; any other name as it is."""
    measure = measures.names().get(name)
    return measure.name if measure else name


def _round_thresholds(scores: Array) -> Sequence[float]:
    """A few round numbers inside the range of the scores, from the most positive down."""
    finite = scores[np.isfinite(scores)]
    if not finite.size:
        return ()
    low, high = sorted((float(finite[0]), float(finite[-1])))
    if low >= 0 and high <= 1:
        thresholds = [value for value in PROBABILITY_LABELS if low <= value <= high]
    else:
        step = 10.0 ** floor(log10(max((high - low) / 2, 1e-300)))
        step = next(step * k for k in (1, 2, 5, 10) if (high - low) / (step * k) <= 6)
        count = int((high - low) / step) + 2
        thresholds = [x for k in range(count) if low <= (x := (floor(high / step) - k) * step) <= high]
    return thresholds if finite[0] >= finite[-1] else thresholds[::-1]
