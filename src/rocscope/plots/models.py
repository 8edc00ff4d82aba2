"""Pictures of one or several evaluations: any curve, the matrix, estimates, the hull, the strip."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from rocscope import curves, measures, significance
from rocscope.curves import Curve
from rocscope.decisions import Costs
from rocscope.errors import RocscopeError
from rocscope.estimate import Estimate
from rocscope.evaluation import ClassComparison, ClassEvaluation, Comparison, Evaluation, LabelEvaluation, color_slots
from rocscope.plots import theme
from rocscope.plots.confusion_matrix import counts, matrix
from rocscope.plots.curves import curve
from rocscope.plots.folds import p_text
from rocscope.plots.forest import ForestRow, estimates
from rocscope.plots.hulls import ends, hull, strip, styles
from rocscope.plots.kinds import curve_names, title_of, unknown
from rocscope.table import ScoreTable
from rocscope.text import threshold_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes

RESAMPLES, STEPS = 600, 61


def made(
    kind: str, table: ScoreTable, pictures: Iterable[str], of: str, elsewhere: str = "", costs: Costs | None = None
) -> Curve:
    """The curve of that name, or that measure at every threshold; `pictures` are other pictures of `of`."""
    name = kind.strip().lower().replace("-", "_").replace(" ", "_")
    reading = curves.names().get(name)
    if reading is not None and reading.kind == "curve":
        reading_curve: Curve = _priced(table, costs) if reading.required else reading(table)
        return reading_curve
    if name in measures.names():
        return curves.sweep(table, measures.get(name).name)
    also = "any measure along the thresholds, such as f1"
    raise unknown(kind, (*pictures, *curve_names()), of=of, also=also, elsewhere=elsewhere)


def _priced(table: ScoreTable, costs: Costs | None) -> Curve:
    """The expected cost along the thresholds at the costs and the prevalence of the evaluation."""
    if costs is None:
        raise RocscopeError(
            "the expected cost requires the costs of both kinds of error", hint="Give costs= to evaluate"
        )
    based = table if costs.prevalence is None else table.rebase(float(costs.prevalence))
    prices = {cell: float(getattr(costs, cell)) for cell in ("fp", "fn", "tp", "tn")}
    return curves.expected_cost(based, **prices)


# ---- one model ----


def evaluation(ev: Evaluation, kind: str = "roc", ax: Axes | None = None, **how: Any) -> Axes:
    """Draw one model: "estimates", "matrix" (at its threshold), "hull", "strip", any curve or any measure."""
    if kind in ALONE:
        alone: Axes = ALONE[kind](ev, ax, **how)
        return alone
    elsewhere = "It needs several models; use rocscope.compare." if kind in SEVERAL else ""
    drawn = made(kind, ev.table, ALONE, "one model", elsewhere, ev.settings.costs)
    ax = curve(drawn, ax, **{"label": ev.name, "level": ev.settings.level, **how})
    _mark(ax, kind, ev, how.get("model", 1))
    return ax


def _mark(ax: Axes, kind: str, ev: Evaluation, model: int) -> None:
    """The operating point on a ROC or PR curve, and the positive label on its axis."""
    if kind not in ("roc", "pr") or ev.point is None or not (ev.table.positives and ev.table.negatives):
        return
    label = theme.inert(str(ev.table.labels[-1]))
    if kind == "roc":
        for axis in (ax.title, ax.yaxis.label, ax._left_title):  # type: ignore[attr-defined]
            axis.set_text(axis.get_text().replace("(recall)", f"(recall of {label})"))
    point = ev.point.counts
    at = (point.fpr, point.recall) if kind == "roc" else (point.recall, point.precision)
    if all(math.isfinite(float(rate)) for rate in at):
        theme.operating_point(ax, at, f"at {threshold_text(ev.point.threshold)}", theme.style_of(model).color)


def _matrix(ev: Evaluation, ax: Axes | None, **how: Any) -> Axes:
    if ev.point is None:
        raise RocscopeError("there is no threshold, because all cases belong to one class", hint="Give a threshold")
    return counts(ev.point.counts, ax, **how)


def _estimates(ev: Evaluation, ax: Axes | None, **how: Any) -> Axes:
    """The usual measures that lie between -1 and 1, with what flagging at random gives."""
    rows = [
        ForestRow(title_of(name), estimate, chance=_baseline(ev, name))
        for name, estimate in ev.estimates.items()
        if name != "log_loss"  # it has no upper limit
    ]
    low = min([0.0, *(row.estimate.low for row in rows if not math.isnan(row.estimate.low))])
    return estimates(rows, ax, **{"inside": (low - 0.02, 1.02), **how})


def _baseline(ev: Evaluation, name: str) -> float:
    if name in measures.names():
        return ev.baseline(name)
    total = float(ev.table.positives + ev.table.negatives)
    share = float(ev.table.positives) / total if total else math.nan
    return {"auc": 0.5, "average_precision": share, "brier": share * (1 - share)}.get(name, math.nan)


def _hull(ev: Evaluation | Comparison, ax: Axes | None, **how: Any) -> Axes:
    if "cost_ratio" not in how and "costs" not in how and ev.settings.costs is not None:
        how = {**how, "costs": ev.settings.costs}
    return hull(ev.hull(), ax, **how)


def _strip(ev: Evaluation, ax: Axes | None, **how: Any) -> Axes:
    return strip(ev.hull(), ax, **{"ratio": _now(ev), "prevalence": _prevalence(ev), **how})


def _prevalence(ev: Evaluation | Comparison) -> Any:
    """That of the costs, where they say one."""
    return None if ev.settings.costs is None else ev.settings.costs.prevalence


def _now(ev: Evaluation | Comparison) -> float | None:
    """What a miss costs in false alarms, where costs are given."""
    costs = ev.settings.costs
    if costs is None:
        return None
    alarm, miss = float(costs.fp) - float(costs.tn), float(costs.fn) - float(costs.tp)
    return miss / alarm if alarm > 0 and miss > 0 else None


ALONE: Mapping[str, Callable[..., Any]] = MappingProxyType(
    {"estimates": _estimates, "matrix": _matrix, "hull": _hull, "strip": _strip}
)


# ---- several models ----


def comparison(cmp: Comparison, kind: str = "roc", ax: Axes | None = None, **how: Any) -> Axes:
    """Draw several models: any curve or measure, "hull", "strip", "estimates" (one area each) or "differences".

    The recommended model is drawn thick with its band; dominated models are muted.
    """
    if kind in SEVERAL:
        several: Axes = SEVERAL[kind](cmp, ax, **how)
        return several
    elsewhere = f"Use it for a single model: .evaluations[name].plot({kind!r})." if kind in ALONE else ""
    chosen, slots = cmp.recommended, slots_of(cmp)
    for name in sorted(cmp.names, key=lambda model: _rank(cmp, model)):
        drawn = made(kind, cmp.evaluations[name].table, SEVERAL, "several models", elsewhere, cmp.settings.costs)
        ax = curve(drawn, ax, label=name, model=slots[name], chosen=name == chosen, level=cmp.settings.level, **how)
    assert ax is not None
    if kind == "roc":
        _hull_over(ax, cmp)
    _mark(ax, kind, cmp.evaluations[chosen], slots[chosen])
    return ax


def slots_of(cmp: Comparison) -> dict[str, int]:
    """The number of each model's color, as in the report."""
    return color_slots(cmp)


def _rank(cmp: Comparison, name: str) -> float:
    value = cmp.evaluations[name].auc.value
    return math.inf if math.isnan(value) else -value


def _hull_over(ax: Axes, cmp: Comparison) -> None:
    """The hull of all models as a thin line."""
    points = cmp.hull().points
    ax.plot([p.fpr for p in points], [p.tpr for p in points], color=theme.INK, linewidth=0.7, zorder=2.9,
            gid="rocscope-hull")  # fmt: skip


def _areas(cmp: Comparison, ax: Axes | None, *, measure: str = "auc", **how: Any) -> Axes:
    """One area or measure of every model."""
    slots = slots_of(cmp)
    rows = [ForestRow(name, _of(ev, measure), slots[name]) for name, ev in cmp.evaluations.items()]
    return estimates(rows, ax, **{"x": title_of(measure), **how})


def _of(ev: Evaluation, measure: str) -> Estimate:
    return ev.measure(measure) if measure in measures.names() else ev.area(measure)


def _differences(cmp: Comparison, ax: Axes | None, **how: Any) -> Axes:
    """The recommended model against each other: AUC, and p adjusted for all pairs."""
    slots = slots_of(cmp)
    rows = [ForestRow(f"{gap.a} − {gap.b}", gap.estimate, slots[gap.b], remark=p_text(gap.p_adjusted))
            for gap in cmp.differences]  # fmt: skip
    return estimates(rows, ax, **{"x": "difference in AUC", "zero": True, **how})


def _strip_of(cmp: Comparison, ax: Axes | None, *, resamples: int = RESAMPLES, **how: Any) -> Axes:
    how = {"ratio": _now(cmp), "prevalence": _prevalence(cmp), **how}
    span = ends(cmp.hull(), how["ratio"], prevalence=how["prevalence"])
    ratios = np.geomspace(*span, STEPS).tolist() if resamples and cmp.cheapest else []
    shares = _shares(cmp, ratios, resamples, how["prevalence"]) if ratios else None
    return strip(cmp.hull(), ax, **{"shares": shares, "ratios": ratios, **how})


def _shares(cmp: Comparison, ratios: list[float], resamples: int, prevalence: Any) -> dict[str, list[float]]:
    """The share of paired resamples in which each model is cheapest, along the cost ratio."""
    shares = significance.cheapest_along(
        cmp.mask, cmp.scores, ratios, n=resamples, seed=cmp.settings.seed,
        prevalence=prevalence,
        higher_is_positive=next(iter(cmp.evaluations.values())).table.higher_is_positive,
    )  # fmt: skip
    return shares


SEVERAL: Mapping[str, Callable[..., Any]] = MappingProxyType(
    {"estimates": _areas, "differences": _differences, "hull": _hull, "strip": _strip_of}
)


# ---- multiclass and multilabel ----


def classes(ev: ClassEvaluation, kind: str = "matrix", ax: Axes | None = None, **how: Any) -> Axes:
    """Draw a classifier of several classes: "matrix", "estimates", or a curve of every class against the rest."""
    if kind == "matrix":
        return matrix(ev.matrix, ax, **how)
    return _each_table(ev, kind, ax, ("matrix", "estimates"), "several classes", **how)


def labels(ev: LabelEvaluation, kind: str = "roc", ax: Axes | None = None, **how: Any) -> Axes:
    """Draw a classifier that predicts several labels for each case: "estimates", or a curve of every label.

    >>> from rocscope import evaluate
    >>> ev = evaluate([[1, 0], [1, 1], [0, 1], [0, 0]], [[0.9, 0.2], [0.8, 0.7], [0.4, 0.6], [0.6, 0.1]])
    >>> len(ev.plot("roc").get_lines()) > 1, len(labels(ev, "estimates").get_yticklabels()) > 10
    (True, True)
    """
    return _each_table(ev, kind, ax, ("estimates",), "several labels", **how)


def _each_table(
    ev: ClassEvaluation | LabelEvaluation, kind: str, ax: Axes | None, pictures: tuple[str, ...], of: str, **how: Any
) -> Axes:
    """The estimates, or the same curve of each table."""
    if kind == "estimates":
        shown = {
            name: estimate for name, estimate in ev.estimates.items() if estimate.high <= 1 or math.isnan(estimate.high)
        }
        return estimates(shown, ax, **{"inside": (-0.02, 1.02), **how})
    tables = ev.tables()
    if not tables:
        drawn = " or ".join(f'"{other}"' for other in pictures)
        raise RocscopeError(f"figure '{kind}' needs scores, but these are predicted labels", hint=f"Draw {drawn}")
    for index, (label, table) in enumerate(tables.items()):
        shape = made(kind, table, pictures, of)
        ax = curve(shape, ax, label=str(label), model=index + 1, chosen=False, **how)
    assert ax is not None
    return ax


def class_comparison(cmp: ClassComparison, kind: str = "estimates", ax: Axes | None = None, **how: Any) -> Axes:
    """Draw models that predict classes or labels: one measure of each ("estimates"), or their "differences".

    `measure` names a measure other than the deciding one.

    >>> from rocscope import compare
    >>> y, a, b = ["cat", "dog", "rat"] * 4, ["cat", "dog", "rat"] * 4, ["cat", "dog", "cat"] * 4
    >>> cmp = compare(y, {"a": a, "b": b})
    >>> cmp.plot("estimates").get_xlabel(), class_comparison(cmp, "differences").get_xlabel()
    ('accuracy →', 'difference in accuracy →')
    """
    slots = styles(cmp.names, [])
    name = how.pop("measure", cmp.primary.name)
    title = next((measure.title for measure in cmp.measures if measure.name == name), str(name).replace("_", " "))
    if kind == "estimates":
        rows = [ForestRow(model, cmp.estimate(model, name), slots[model]) for model in cmp.names]
        return estimates(rows, ax, **{"x": title, **how})
    if kind == "differences":
        differences = cmp.differences if name == cmp.primary.name else cmp.differences_in(name)
        rows = [ForestRow(f"{gap.a} − {gap.b}", gap.estimate, slots[gap.b], remark=p_text(gap.p_adjusted))
                for gap in differences]  # fmt: skip
        return estimates(rows, ax, **{"x": f"difference in {title}", "zero": True, **how})
    elsewhere = f"Use it for a single model: .evaluations[name].plot({kind!r})."
    known = ("estimates", "differences")
    also = "any measure, given as measure="
    raise unknown(kind, known, of="models of several classes", also=also, elsewhere=elsewhere)
