"""A threshold, or a model and its threshold, chosen on the cases that then say what it costs."""

from __future__ import annotations

from typing import Any

import rocscope as rs
from benchmarks.coverage.drawn.quantity import (
    Answers,
    Generator,
    Limits,
    Quantity,
    Setting,
    cases_and_share,
    limits_of,
    one_of,
    spread_over,
)
from benchmarks.coverage.drawn.scores import (
    AT_THRESHOLD,
    labels,
    named,
    rates,
    score_setting,
    scores,
    true_cost,
    true_measure,
)


def asked(setting: Setting, y: Any, columns: Any, **more: Any) -> tuple[Any, int, Any]:
    """The evaluation of what is recommended, which model that is, and the comparison it comes from."""
    if len(columns) == 1:
        return rs.evaluate(y, columns[0], **more), 0, None
    found = rs.compare(y, named(columns), **more)
    return found.evaluations[found.recommended], found.names.index(found.recommended), found


def at_point(
    ev: Any, share: float, found: tuple[float, float], names: tuple[str, ...] = AT_THRESHOLD
) -> dict[str, Limits]:
    answers = {}
    for name in names:
        measure = rs.measures.get(name)
        answers[name] = limits_of(ev.measure(name), true_measure(name, share, found), measure.low, measure.high)
    return answers


def by_cost(setting: Setting, rng: Generator) -> Answers:
    y = labels(rng, setting["n"], setting["share"])
    costs = rs.Costs(fp=1, fn=setting["miss"])
    ev, model, _ = asked(setting, y, scores(rng, setting, y), costs=costs)
    found = rates(setting, model, ev.point.threshold)
    truth, most = true_cost(setting["share"], found, costs), max(1.0, setting["miss"])
    answers: dict[str, Any] = {
        "cost": limits_of(ev.cost, truth, 0, most, per=1000),
        "cost, apparent": limits_of(ev.apparent_cost, truth, 0, most, per=1000),
    }
    return answers | at_point(ev, setting["share"], found)


def cost_setting(rng: Generator) -> Setting:
    models = one_of(rng, 1, 3, 5, 10)
    return {
        "models": models, **cases_and_share(rng), "miss": spread_over(rng, 1, 50, 1), **score_setting(rng, models),
    }  # fmt: skip


def by_rule(setting: Setting, rng: Generator) -> Answers:
    y = labels(rng, setting["n"], setting["share"])
    ev, model, _ = asked(setting, y, scores(rng, setting, y), choose=setting["rule"])
    found = rates(setting, model, ev.point.threshold)
    held = at_point(ev, setting["share"], found)
    apparent, of = ev.apparent(setting["rule"]), rs.measures.get(setting["rule"])
    truth = true_measure(setting["rule"], setting["share"], found)
    return {
        "what was chosen by": limits_of(ev.measure(setting["rule"]), truth, of.low, of.high),
        "what was chosen by, apparent": limits_of(apparent, truth, of.low, of.high),
        **held,
    }


def rule_setting(rng: Generator) -> Setting:
    return {**cases_and_share(rng), "rule": one_of(rng, "youden", "f1", "accuracy", "mcc"), **score_setting(rng, 1)}


QUANTITIES = (
    Quantity(
        "cost and measures at a threshold chosen by cost",
        "`evaluate(y, score, costs=)`, or `compare(y, scores, costs=)` for 3, 5 and 10 models",
        cost_setting,
        by_cost,
        held=("cost", *AT_THRESHOLD),
        again=1,
    ),
    Quantity(
        "measures at a threshold chosen by a rule",
        "`evaluate(y, score, choose=)`: Youden's J, F1, accuracy or MCC",
        rule_setting,
        by_rule,
        held=("what was chosen by", *AT_THRESHOLD),
        again=3,
    ),
)
