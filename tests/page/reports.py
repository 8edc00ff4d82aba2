"""The reports the browser opens: small data, one for each state of the page."""

from __future__ import annotations

import math
import random
from typing import Any

import rocscope as rs

HOSTILE = {
    "B114": "<script>window.hacked = 114</script>",
    "B115": "</script><img src=x onerror='window.hacked = 115'>",
    "B116": "\"><svg onload='window.hacked = 116'>",
    "B117": "${window.hacked = 117} {{7*7}} {% raise %}",
    "B118": "abc\u202edef\u200b\x07",
    "B120": "javascript:window.hacked=120",
    "B121": "=cmd|' /C calc'!A0",
    "B122": "../../etc/x",
    "B124": "\x1b[31mred\x1b[0m",
}


def cases(count: int, *, share: float = 0.2, shift: float = 1.6, seed: int = 0, digits: int = 3) -> tuple[list, list]:
    """Labels and probabilities of a model that is honest on average; scores are rounded, so that some are tied."""
    rng = random.Random(seed)
    labels = [int(rng.random() < share) for _ in range(count)]
    raw = [rng.gauss(shift * (label - 0.5), 1.0) for label in labels]
    odds = [math.log(share / (1 - share)) + shift * x for x in raw]
    return labels, [round(1 / (1 + math.exp(-x)), digits) for x in odds]


def noisy(scores: list[float], spread: float, seed: int) -> list[float]:
    """The same scores, blurred on the scale of log odds."""
    rng = random.Random(seed)
    kept = [min(max(s, 0.001), 0.999) for s in scores]
    return [round(1 / (1 + math.exp(-(math.log(s / (1 - s)) + rng.gauss(0, spread)))), 3) for s in kept]


def three_models(count: int = 900) -> Any:
    labels, scores = cases(count)
    models = {"sharp": scores, "blurred": noisy(scores, 0.8, 1), "dull": noisy(scores, 3.0, 2)}
    return rs.compare(labels, models, costs=rs.Costs(fp=1, fn=5), unit="loan")


def many_models(models: int = 9, count: int = 400) -> Any:
    labels, scores = cases(count)
    named = {f"model {k + 1}": noisy(scores, 0.3 * k, k) for k in range(models)}
    return rs.compare(labels, named, costs=rs.Costs(fp=1, fn=5))


def one_model(count: int = 500, **options: Any) -> Any:
    labels, scores = cases(count)
    return rs.evaluate(labels, scores, costs=rs.Costs(fp=1, fn=5), **options)


def weighted(count: int = 300) -> Any:
    labels, scores = cases(count)
    rng = random.Random(5)
    return rs.evaluate(labels, scores, weights=[round(rng.uniform(0.2, 3), 2) for _ in labels])


def one_class(count: int = 60) -> Any:
    _, scores = cases(count)
    return rs.evaluate([0] * count, scores, positive=1)


def labels_only(count: int = 300) -> Any:
    labels, scores = cases(count)
    return rs.evaluate(labels, predicted=[int(s >= 0.5) for s in scores])


def backwards(count: int = 300) -> Any:
    labels, scores = cases(count)
    return rs.evaluate(labels, [round(1 - s, 3) for s in scores])


def not_probabilities(count: int = 300) -> Any:
    labels, scores = cases(count)
    return rs.evaluate(labels, [round(10 * s - 3, 2) for s in scores])


def two_points() -> Any:
    """C4.5 at (0.2, 0.7) and SVM at (0.5, 0.95), each as one point: 20 positives, 10 negatives."""
    labels = [1] * 20 + [0] * 10
    models = {
        "C4.5": [1] * 14 + [0] * 6 + [1] * 2 + [0] * 8,
        "SVM": [1] * 19 + [0] * 1 + [1] * 5 + [0] * 5,
    }
    return rs.compare(labels, models, costs=rs.Costs(fp=2, fn=1))


def hostile(count: int = 200) -> Any:
    """Every name of BAD_INPUTS B114 to B124 as a model's name, two of them as labels."""
    labels, scores = cases(count)
    names = [HOSTILE["B114"], HOSTILE["B121"]]
    models = {name: noisy(scores, 0.2 * k, k) for k, name in enumerate(HOSTILE.values())}
    return rs.compare([names[label] for label in labels], models, positive=names[1], unit="</h1><b>loan")
