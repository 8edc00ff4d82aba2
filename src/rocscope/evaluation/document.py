"""The results document: versioned plain data, from which every output is produced."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from rocscope import curves, decisions, hull, intervals, verdicts
from rocscope.decisions import CaseCosts
from rocscope.errors import RocscopeError
from rocscope.estimate import Estimate
from rocscope.evaluation.binary import AREAS, LOSSES, MEASURES, RULES, per_thousand, shown_title
from rocscope.evaluation.methods import methods_sentence
from rocscope.evaluation.result import Sections
from rocscope.numbers import json_number
from rocscope.table import Counts, ScoreTable
from rocscope.verdicts import note
from rocscope.version import VERSION

if TYPE_CHECKING:
    from rocscope.evaluation.binary import Evaluation
    from rocscope.evaluation.comparison import Comparison

SCHEMA = "rocscope/1"
CORRECTED = "corrected for selection"  # label of measures and costs; the matrix shows the uncorrected counts
BEYOND = (
    "The rows do not fit in memory, so case-by-case differences in cost and the share of resamples in which each "
    "model is cheapest are not reported."
)
OF_SHARES = {"accuracy_below", "accuracy_equal", "accuracy_above", "rare_positives", "rare_negatives"}
DRAWN = 200  # target number of points of a curve in the results document; more if its area requires them


def document_head(kind: str) -> dict[str, Any]:
    """The first entries of every results document."""
    return {"schema": SCHEMA, "kind": kind, "rocscope": VERSION}


def evaluation_sections(ev: Evaluation) -> Sections:
    """The results document of one scored classifier."""
    caveats = cache(lambda: _caveats(ev))
    body: Sections = Sections(
        document_head("evaluation")
        | {
            "name": ev.name,
            "data": lambda: _data(ev),
            "settings": ev.settings.to_dict,
            "point": lambda: _point(ev),
            "measures": lambda: [_measure_row(ev, name) for name in MEASURES if name in ev.estimates],
            "areas": lambda: [_area_row(ev, name) for name in (*AREAS, *LOSSES) if name in ev.estimates] + _pr_rows(ev),
            "rules": lambda: _rules(ev),
            "costs": lambda: _costs(ev),
            "roc": lambda: _roc(ev),
            "hull": lambda: _hull(ev.hull(), {None: ev.table}),
            "calibration": lambda: _calibration(ev),
            "top": lambda: _top(ev),
            **optional_sections(ev),
            "slices": lambda: _slices(ev),
            "caveats": lambda: [caveat["text"] for caveat in caveats()],
            "methods": lambda: methods_sentence(
                ev.settings,
                clusters=ev.clustered is not None,
                slices=bool(ev.slicings),
                cells=ev.certified,
                resamples=_resamples(ev),
            ),
            "verdict": lambda: verdicts.of_evaluation(body, caveats()),
        }
    )
    return body


def _top(ev: Evaluation) -> dict[str, Any] | None:
    from rocscope.evaluation.top_ranked import top_section  # the first screen does not show it

    return top_section(ev)


def optional_sections(ev: Evaluation) -> dict[str, Any]:
    """The sections included only on request: case-specific costs, and a zone of referred cases."""
    sections: dict[str, Any] = {"case_costs": _case_costs(ev), "referral": None}
    if ev.settings.refer is not None:
        from rocscope.evaluation.referral import referral_section

        sections["referral"] = referral_section(ev)
    return {name: section for name, section in sections.items() if section is not None}


def _case_costs(ev: Evaluation) -> dict[str, Any] | None:
    """The total cost and the total costs of errors, for costs that vary between cases."""
    if ev.priced is None or ev.total_cost is None:
        return None
    positive = ev.priced.mask == 1
    return {
        "total": ev.total_cost.to_dict(),
        "misses": json_number(float(ev.priced.miss[positive].sum())),
        "alarms": json_number(float(ev.priced.alarm[~positive].sum())),
    }


def _slices(result: Evaluation | Comparison) -> list[dict[str, Any]]:
    if not result.slices:
        return []
    from rocscope.evaluation.slices.slice_document import slices_section

    return slices_section(result.slices, level=result.settings.level)


def comparison_sections(cmp: Comparison) -> Sections:
    """The results document of several classifiers on the same cases."""
    from rocscope.evaluation.certainty import with_p_together  # not needed for a single evaluation

    first = cmp.evaluations[cmp.recommended]
    notes = [BEYOND] if cmp.beyond else []
    body: Sections = Sections(
        document_head("comparison")
        | {
            "data": lambda: _data(first),
            "settings": cmp.settings.to_dict,
            "models": list(cmp.names),
            "recommended": cmp.recommended,
            "evaluations": Sections({name: ev.sections for name, ev in cmp.evaluations.items()}),
            "differences": lambda: with_p_together(cmp.differences, cmp.together),
            "cost_differences": lambda: with_p_together(cmp.cost_differences, cmp.together),
            **_primary(cmp),
            **_equivalence(cmp),
            "pairs": lambda: [pair.to_dict() for pair in cmp.pairs],
            "joint": lambda: None if cmp.joint is None else cmp.joint.to_dict(),
            "certainty": lambda: cmp.certainty,
            "cheapest": lambda: dict(cmp.cheapest),
            "hull": lambda: _hull(cmp.hull(), {name: ev.table for name, ev in cmp.evaluations.items()}),
            "break_evens": lambda: [_break_even(break_even) for break_even in cmp.break_evens],
            "slices": lambda: _slices(cmp),
            "caveats": lambda: [*(caveat["text"] for caveat in _caveats(first)), *notes],
            "methods": lambda: methods_sentence(
                cmp.settings,
                compared=len(cmp.names),
                clusters=cmp.clusters is not None,
                cells=first.certified,
                resamples=_resamples(first),
                measure=_compared_by(cmp),
            ),
            "verdict": lambda: verdicts.of_comparison(body, notes),
        }
    )
    return body


def _equivalence(cmp: Comparison) -> dict[str, Any]:
    """Whether models are equivalent within the margin, if one was given."""
    if cmp.settings.margin is None:
        return {}
    alpha = 1 - cmp.settings.level
    rows = [
        {**difference.to_dict(), "equivalent": bool(difference.p_adjusted < alpha), "margin": cmp.settings.margin}
        for difference in cmp.equivalence
    ]
    return {"equivalence": [{key: cell for key, cell in row.items() if key != "settled"} for row in rows]}


def _primary(cmp: Comparison) -> dict[str, Any]:
    """The deciding measure and the differences in it, if one was named."""
    if cmp.primary is None:
        return {}
    from rocscope.evaluation.certainty import with_p_together

    found = with_p_together(cmp.measure_differences, cmp.together)
    return {"measure": cmp.primary.to_dict(), "measure_differences": found}


def _compared_by(cmp: Comparison) -> tuple[str, str]:
    """The named measure and the method of its differences; empty without one."""
    return ("", "") if cmp.primary is None else (cmp.primary.title, cmp.measure_differences[0].estimate.method)


# ---- parts of the results document ----


def _data(ev: Evaluation) -> dict[str, Any]:
    t = ev.table
    total = t.positives + t.negatives
    return {
        "cases": json_number(total),
        "positives": json_number(t.positives),
        "negatives": json_number(t.negatives),
        "prevalence": json_number(t.positives / total),
        "rows": sum(t.rows),
        "distinct_scores": len(t),
        "weighted": t.weighted,
        "labels": {"negative": str(t.labels[0]), "positive": str(t.labels[1])},
        "rule": t.rule,
        "probabilities": ev.probabilities,
        "bound": t.bound,
        "cells": t.width if ev.certified else None,
        "imbalance": verdicts.imbalance(float(t.positives), float(t.negatives)).grade,
        "clusters": None if ev.clustered is None else ev.clustered.cluster_count,
        "left_out": dict(ev.left_out),
        "source": dict(ev.source),
    }


def _point(ev: Evaluation) -> dict[str, Any] | None:
    if ev.point is None:
        return None
    p = ev.point
    return {
        "threshold": json_number(p.threshold),
        "beyond": json_number(p.beyond),
        "chosen": p.chosen,
        "chosen_on": p.chosen_on,
        "optimistic": p.optimistic,
        "optimism": None if ev.optimism is None else ev.optimism._asdict(),
        "low": json_number(p.low),
        "high": json_number(p.high),
        "tied": [json_number(threshold) for threshold in p.tied],
        "counts": _cells(p.counts),
        "cost": None if ev.cost is None else ev.cost.to_dict(),
        "apparent_cost": None if ev.selection is None or ev.apparent_cost is None else ev.apparent_cost.to_dict(),
        "correction": _correction(ev),
    }


def _resamples(ev: Evaluation) -> int:
    """How often the choice of the threshold was repeated to correct for it."""
    return 0 if ev.selection is None else ev.selection.resamples


def _correction(ev: Evaluation) -> dict[str, Any] | None:
    """Whether the numbers at the point are corrected for choosing it on these cases.

    Returns None if nothing was chosen.
    """
    if ev.selection is None and not ev.uncorrected:
        return None
    resamples = 0 if ev.selection is None else ev.selection.resamples
    label = "" if ev.selection is None else CORRECTED
    return {"corrected": ev.selection is not None, "label": label, "resamples": resamples, "why": ev.uncorrected}


def _rules(ev: Evaluation) -> list[dict[str, Any]]:
    """The thresholds that the usual rules choose, as alternatives to the recommended one."""
    rows = []
    for rule in (*(("cost",) if ev.settings.costs else ()), *RULES):
        try:
            optima = ev.best(rule)
        except RocscopeError:
            continue
        first = optima[0]
        rows.append(
            {
                "rule": rule,
                "threshold": json_number(first.threshold),
                "beyond": json_number(first.beyond),
                "value": json_number(first.value),
                "tied": len(optima) - 1,
                "counts": _cells(first.counts),
                "words": first.words,
            }
        )
    return rows


def _costs(ev: Evaluation) -> dict[str, Any] | None:
    """The costs of the alternatives: flagging no case, flagging all cases, the default threshold 0.5."""
    if ev.settings.costs is None and ev.priced is None:
        return None
    alternatives = {"flag nobody": math.inf, "flag everybody": -math.inf}
    if not ev.table.higher_is_positive:
        alternatives = {"flag nobody": -math.inf, "flag everybody": math.inf}
    position = ev.table.position
    if ev.probabilities and (ev.point is None or position(0.5) != position(ev.point.threshold)):
        alternatives["0.5"] = 0.5  # only if 0.5 decides differently from the operating point
    if ev.priced is not None:
        return {
            name: priced_alternative.to_dict()
            for name, priced_alternative in _priced_alternatives(ev, ev.priced, alternatives).items()
        }
    return {name: ev.cost_at(threshold).to_dict() for name, threshold in alternatives.items()}


def _priced_alternatives(ev: Evaluation, priced: CaseCosts, alternatives: Mapping[str, float]) -> dict[str, Estimate]:
    """The same for case-specific costs; with probabilities, also deciding each case by its own costs."""
    flags = {name: priced.flagged(threshold) for name, threshold in alternatives.items()}
    if ev.probabilities:
        flags["each case by its own costs"] = priced.by_case()
    level = ev.settings.level
    return {name: per_thousand(intervals.case_cost(priced, flag, level=level)) for name, flag in flags.items()}


def _hull(outline: hull.Hull, tables: Mapping[Any, ScoreTable]) -> dict[str, Any]:
    if outline.why:
        return {"area": None, "why": outline.why, "points": [], "intervals": [], "dominated": []}
    return {
        "area": json_number(outline.area),
        "why": "",
        "points": [[json_number(p.fpr), json_number(p.tpr), p.model, json_number(p.threshold)] for p in outline.points],
        "intervals": [
            {
                "slope_from": json_number(interval.low),
                "slope_to": json_number(interval.high),
                "model": interval.model,
                "threshold": json_number(interval.threshold),
                "beyond": json_number(_next_score(tables.get(interval.model), interval.threshold)),
                "fpr": json_number(interval.fpr),
                "tpr": json_number(interval.tpr),
            }
            for interval in outline.intervals
        ],
        "dominated": [str(name) for name in outline.dominated],
    }


def _break_even(crossing: intervals.BreakEven) -> dict[str, Any]:
    """Two models and the slope at which they cost the same; `first` is cheaper above it."""
    corners = {"first": crossing.first, "second": crossing.second}
    sides = {side: {"model": at.model, "threshold": json_number(at.threshold)} for side, at in corners.items()}
    return {**sides, "slope": crossing.slope.to_dict()}


def _next_score(table: ScoreTable | None, threshold: float | None) -> float | None:
    """The score after a threshold, so that the threshold can be written with the fewest digits that decide
    alike.
    """
    if table is None or threshold is None or not math.isfinite(threshold):
        return None
    row = table.position(threshold)
    return float(table.scores[row]) if row < len(table) else None


def _roc(ev: Evaluation) -> dict[str, Any] | None:
    """The ROC curve with few enough points to draw; None if a class is absent."""
    if not (ev.table.positives and ev.table.negatives):
        return None
    drawn = curves.thinned_roc(ev.table, DRAWN)
    return {
        "threshold": [json_number(threshold) for threshold in drawn.thresholds.tolist()],
        "fpr": [json_number(rate) for rate in drawn.fpr.tolist()],
        "tpr": [json_number(rate) for rate in drawn.tpr.tolist()],
    }


def _calibration(ev: Evaluation) -> dict[str, Any] | None:
    """Calibration statistics; None if the scores are not probabilities or a class is absent."""
    if ev.calibration is None:
        return None
    names = ("calibration_slope", "calibration_intercept", "miscalibration", "discrimination", "uncertainty", "ece_10")
    known = {name: estimate.value for name, estimate in ev.calibration.items()}
    summary: dict[str, Any] = {
        name: json_number(known[name] if name in known else curves.get(name)(ev.table)) for name in names
    }
    ideal = {name: curves.get(name).best for name in ev.calibration}
    rows = [{"ideal": ideal[name], **measure_row(name, estimate, None)} for name, estimate in ev.calibration.items()]
    estimates = [{key: cell for key, cell in row.items() if key != "baseline"} for row in rows]
    return summary | {"estimates": estimates, "tests": _calibration_tests(ev)}


def _calibration_tests(ev: Evaluation) -> list[dict[str, Any]]:
    """Test that the probabilities are correct: likelihood ratios, Spiegelhalter's test, Hosmer and Lemeshow's test.

    Empty with weights and clusters, which these tests do not take into account, and for tables on cells.
    """
    if ev.table.weighted or ev.clustered is not None or ev.certified:
        return []
    fit, groups = curves.calibration_fit(ev.table), curves.hosmer_lemeshow(ev.table)
    rows: list[tuple[str, float | None, int | None, float, str]] = [
        ("intercept 0 and slope 1", None, 2, fit.p, fit.why),
        ("calibration in the large 0", None, 1, fit.p_in_the_large, ""),
        ("slope 1", None, 1, fit.p_slope, fit.why),
        ("Spiegelhalter", float(curves.spiegelhalter_z(ev.table)), None, float(curves.spiegelhalter_p(ev.table)), ""),
        (f"Hosmer-Lemeshow, {groups.df} groups", groups.statistic, groups.df, groups.p, groups.why),
    ]
    return [
        {"name": name, "statistic": json_number(value), "df": df, "p": json_number(p), "why": why if p != p else ""}
        for name, value, df, p, why in rows
    ]


def _capacity_note(ev: Evaluation) -> list[str]:
    """What ties do to a capacity ("top 200"): how many are flagged, and how many by the next threshold."""
    rule = ev.settings.choose
    if rule is None or decisions.capacity_of(rule) is None or ev.point is None:
        return []
    remark = decisions.best(ev.choose_on or ev.table, rule).note
    return [remark] if remark else []


def _caveats(ev: Evaluation) -> list[dict[str, Any]]:
    """What could mislead in the data, most severe first, as statements of the verdict."""
    statements = verdicts.caveats(ev.table)
    both = bool(ev.table.positives) and bool(ev.table.negatives)
    if ev.point is not None and both:
        accuracy = None if ev.selection is None else ev.estimates["accuracy"].value
        statements = [*verdicts.caveats(ev.point.counts, accuracy=accuracy), *statements]
    # statements on class shares describe the sample, not the population with the given prevalence
    if ev.prevalence is not None:
        statements = [statement for statement in statements if statement["rule"] not in OF_SHARES]
    return [*statements, *map(note, (*_capacity_note(ev), *ev.notes))]


def _chance(ev: Evaluation, name: str) -> float | None:
    """The value for uninformative scores."""
    share = float(ev.table.positives / (ev.table.positives + ev.table.negatives))
    if name == "auc":
        return 0.5
    if name in ("average_precision", "pr_area"):
        return share if ev.prevalence is None else ev.prevalence
    score, pos, neg = (np.array([number]) for number in (share, float(ev.table.positives), float(ev.table.negatives)))
    return float(curves.get(name)(ScoreTable(score, pos, neg)))  # every case gets the prevalence as its score


def measure_row(name: str, estimate: Estimate, baseline: float | None) -> dict[str, Any]:
    """A measure for the results document: its name and title, its chance level, and its estimate."""
    how, _, rest = name.rpartition(" ")
    title = f"{how} {shown_title(rest)}".strip()
    return {"name": name, "title": title, "baseline": json_number(baseline), **estimate.to_dict()}


def _measure_row(ev: Evaluation, name: str) -> dict[str, Any]:
    """A measure at the point; a corrected one is accompanied by the apparent one, which ignores the choice."""
    apparent = None if ev.selection is None else ev.apparent(name).to_dict()
    return measure_row(name, ev.estimates[name], ev.baseline(name)) | {"apparent": apparent}


def _area_row(ev: Evaluation, name: str) -> dict[str, Any]:
    """An area, with its maximum error if the table consists of cells of scores."""
    row = measure_row(name, ev.estimates[name], _chance(ev, name))
    return row | {"bound": ev.bound(name)} if ev.certified else row


def _pr_rows(ev: Evaluation) -> list[dict[str, Any]]:
    """The areas under the precision-recall curve that accompany average precision."""
    chances = {"pr_area": _chance(ev, "pr_area"), "pr_trapezoid": None}
    return [measure_row(name, pr_area, chances[name]) for name, pr_area in ev.pr_areas.items()]


def _cells(counts: Counts) -> dict[str, Any]:
    return {name: json_number(cell) for name, cell in counts.cells.items()}
