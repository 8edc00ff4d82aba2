"""Several models on the same cases: what is said of equal ones, and the intervals of their differences."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import expit

import rocscope as rs
from benchmarks.coverage.drawn.quantity import (
    SETTINGS,
    Answers,
    Generator,
    Quantity,
    Said,
    Setting,
    between,
    cases_and_share,
    limits_of,
    one_of,
    spread_over,
)
from benchmarks.coverage.drawn.scores import labels, named, rates, score_setting, scores, true_area, true_cost
from benchmarks.coverage.models import Array


def excludes(one: Any, value: float = 0.0) -> bool:
    return bool(one.low > value + 1e-12 or one.high < value - 1e-12)


def settled(differences: Any, others: int) -> bool:
    """The rule of `Comparison.certainty`: every difference that decides leaves out 0."""
    return len(differences) == others and all(excludes(one.estimate) for one in differences)


# ---- by AUC ----


def equal_setting(rng: Generator) -> Setting:
    """2, 5, 10 or 20 models; all equal, or two equal ones at the top and the others worse."""
    models, tied = one_of(rng, 2, 5, 10, 20), one_of(rng, "all", "two")
    area, behind = between(rng, 0.65, 0.95), between(rng, 0.02, 0.15)
    top = models if tied == "all" else 2
    n = round(spread_over(rng, 40, 600))
    share = between(rng, 0.2, 0.5)
    return {
        "models": models, "tied": tied, "n": n, "share": share, "cases": round(n * share, 1),
        "areas": [area if i < top else round(area - behind, 4) for i in range(models)],
        "correlation": between(rng, 0, 0.9, 2), "spread": 1.0, "step": one_of(rng, 0.0, 0.0, 0.25),
    }  # fmt: skip


def equal_models(setting: Setting, rng: Generator) -> Answers:
    """What `compare` says of them, asked of its parts: with 20 models the others would take most of the time."""
    y = labels(rng, setting["n"], setting["share"])
    columns = scores(rng, setting, y)
    rows = rs.intervals.PairedCases.of(y, named(columns))
    areas = np.array([rs.curves.auc(rows.table(model)) for model in range(len(columns))])
    answers: dict[str, Any] = {"one is called best": Said(called_best(rows, areas))}
    if setting["tied"] == "all":
        answers["some pair is called different"] = Said(called_different(rows, areas, y, columns))
    return answers


def called_best(rows: Any, areas: Array) -> bool:
    """Whether the difference of the greatest AUC from every other leaves out 0; the first that does not decides."""
    best = rows.names[int(areas.argmax())]
    return all(excludes(rs.significance.delong(rows, best, other)) for other in rows.names if other != best)


def called_different(rows: Any, areas: Array, y: Array, columns: Array) -> bool:
    """Whether `Comparison.pairs` tells some pair apart, asked only where DeLong's own errors, which are less, do."""
    spread = rs.intervals.area_covariance(rows)
    largest = rs.significance.max_t(spread, level=0.95, seed=0)
    own = np.diag(spread)
    errors = np.sqrt(np.maximum(0.0, own[:, None] + own - 2 * spread))
    if not (np.abs(areas[:, None] - areas) > 0.999 * largest.critical * errors)[errors > 0].any():
        return False
    return any(excludes(one.estimate) for one in rs.compare(y, named(columns)).pairs)


def few_equal_setting(rng: Generator) -> Setting:
    """3 to 5 equal models, of which everything is asked."""
    found = equal_setting(rng)
    models = one_of(rng, 3, 4, 5)
    return found | {"models": models, "tied": "all", "areas": found["areas"][:1] * models}


def few_equal(setting: Setting, rng: Generator) -> Answers:
    y = labels(rng, setting["n"], setting["share"])
    found = rs.compare(y, named(scores(rng, setting, y)))
    adjusted = [one.p_adjusted is not None and one.p_adjusted <= 0.05 for one in found.differences]
    return {
        "some adjusted p is at most 0.05": Said(any(adjusted)),
        "the joint test rejects": Said(found.joint.p is not None and found.joint.p <= 0.05),
        "some pair is called different": Said(any(excludes(one.estimate) for one in found.pairs)),
    }


# ---- by cost ----


def cost_setting(rng: Generator) -> Setting:
    models = one_of(rng, 2, 5, 10)
    found = {"models": models, **cases_and_share(rng, 100, 2000, least=0.05), "miss": spread_over(rng, 1, 50, 1)}
    found |= score_setting(rng, models)
    return found | {"areas": [found["areas"][0]] * models}


def equal_costs(setting: Setting, rng: Generator) -> Answers:
    """Models that rank equally well; the truth is what each costs at the threshold it was given on these cases."""
    y = labels(rng, setting["n"], setting["share"])
    costs = rs.Costs(fp=1, fn=setting["miss"])
    found = rs.compare(y, named(scores(rng, setting, y)), costs=costs)
    true = {
        name: 1000 * true_cost(setting["share"], rates(setting, i, found.evaluations[name].point.threshold), costs)
        for i, name in enumerate(found.names)
    }
    others = [true[name] for name in found.names if name != found.recommended]
    wrong = settled(found.cost_differences, len(others)) and true[found.recommended] > min(others) + 1e-9
    missed = [excludes(one.estimate, true[one.a] - true[one.b]) for one in found.pairs]
    return {
        "one that is not is called cheapest": Said(wrong),
        "some pair's interval misses its difference": Said(any(missed)),
    }


def pair_setting(rng: Generator) -> Setting:
    found = {"models": 2, **cases_and_share(rng), "miss": spread_over(rng, 1, 50, 1), **score_setting(rng, 2)}
    return found


def two_models(setting: Setting, rng: Generator) -> Answers:
    """Two models at given thresholds and at chosen ones."""
    y = labels(rng, setting["n"], setting["share"])
    columns, costs = named(scores(rng, setting, y)), rs.Costs(fp=1, fn=setting["miss"])
    chosen = rs.compare(y, columns, costs=costs)
    cut = 0.8
    given = rs.compare(y, columns, costs=costs, threshold=cut)
    answers = {}
    for says, found in (("chosen", chosen), ("given", given)):
        true = [
            1000 * true_cost(setting["share"], rates(setting, i, found.evaluations[name].point.threshold), costs)
            for i, name in enumerate(found.names)
        ]
        one = found.cost_differences[0]
        a, b = (found.names.index(name) for name in (one.a, one.b))
        answers[f"difference in cost, thresholds {says}"] = limits_of(one.estimate, true[a] - true[b])
    one = chosen.differences[0]
    first, second = (true_area(setting, chosen.names.index(name)) for name in (one.a, one.b))
    return answers | {"difference in AUC": limits_of(one.estimate, first - second, -1, 1)}


# ---- equivalence ----


def margin_setting(rng: Generator) -> Setting:
    """10 to 50 of each class; the second model is worse by exactly the margin."""
    per_class, margin = int(rng.integers(10, 51)), between(rng, 0.03, 0.15)
    area = between(rng, 0.7, 0.97)
    return {
        "cases": per_class, "margin": margin, "areas": [area, round(max(0.55, area - margin), 4)],
        "correlation": between(rng, 0, 0.9, 2), "spread": 1.0, "step": 0.0,
    }  # fmt: skip


def equivalence(setting: Setting, rng: Generator) -> Answers:
    y = np.repeat([1, 0], setting["cases"])
    columns = scores(rng, setting, y)
    margin = setting["areas"][0] - setting["areas"][1]
    found = rs.significance.delong(y, columns[1], columns[0])
    if not found.se:
        return {}
    return {
        "called not inferior at the margin": Said(rs.significance.non_inferiority(found, margin=margin).p <= 0.05),
        "called equivalent at the margin": Said(rs.significance.tost(found, margin=margin).p <= 0.05),
    }


# ---- by a measure that was named ----


def measure_setting(rng: Generator) -> Setting:
    """Two equally good models with probabilities; the threshold is given."""
    n = round(spread_over(rng, 100, 1000))
    share = spread_over(rng, max(0.05, 15 / n), 0.5)
    found = {"models": 2, "n": n, "share": share, "cases": round(n * share, 1), **score_setting(rng, 2)}
    return found | {"areas": [found["areas"][0]] * 2}


def by_measure(setting: Setting, rng: Generator) -> Answers:
    y = labels(rng, setting["n"], setting["share"])
    columns = named(expit(scores(rng, setting, y) - 1.5))
    answers = {}
    for name in ("average_precision", "brier", "f1", "error_rate"):
        at = {"threshold": 0.4} if name in ("f1", "error_rate") else {}
        one = rs.compare(y, columns, measure=name, bootstrap=999, **at).measure_differences[0]
        answers[f"equal models called different in {name}"] = Said(excludes(one.estimate))
    return answers


QUANTITIES = (
    Quantity(
        "two models, by a named measure",
        "`compare(y, scores, measure=)`: average precision, Brier score, F1, error rate",
        measure_setting,
        by_measure,
    ),
    Quantity(
        "equal models, by AUC",
        "`compare(y, scores)`: `certainty`, `pairs`",
        equal_setting,
        equal_models,
        most=0.06,
        settings=2 * SETTINGS + 8,  # all models are equal in half of them, or fewer
        again=1,
    ),
    Quantity(
        "3 to 5 equal models, by AUC",
        "`compare(y, scores)`: `differences`, `joint`, `pairs`",
        few_equal_setting,
        few_equal,
        most=0.06,
    ),
    Quantity(
        "equal models, by cost",
        "`compare(y, scores, costs=)`: `certainty`, `pairs`",
        cost_setting,
        equal_costs,
        most=0.06,
    ),
    Quantity(
        "two models",
        "`compare(y, scores, costs=)`: `cost_differences`, `differences`",
        pair_setting,
        two_models,
        again=2,
    ),
    Quantity(
        "equivalence of two AUCs",
        "`significance.non_inferiority(delong(...))`, `tost`",
        margin_setting,
        equivalence,
        again=1,
    ),
)
