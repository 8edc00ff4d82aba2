"""New problems to solve by hand, with exact answers and worked solutions; the same seed gives the same text.

>>> print(exercise(17, kind="auc").text)
Scores of the positives: 9, 8, 7, 5. Scores of the negatives: 6, 3, 1, 1. Give the AUC by counting pairs.
>>> exercise(17, kind="auc").answers[0].text
'auc = 15/16 = 0.9375'
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from fractions import Fraction
from itertools import pairwise
from random import Random
from types import MappingProxyType
from typing import Any

from rocscope.errors import RocscopeError
from rocscope.lessons.records import Answer, answer, data, pick, show
from rocscope.lessons.traces import hull_trace, roc_trace
from rocscope.numbers import fraction
from rocscope.record import record
from rocscope.text import trimmed


@record(slots=True)
class Exercise:
    """A problem generated from a seed; `data_kind` and `data` have the form of an example, so it can be recomputed."""

    seed: int
    kind: str
    title: str
    text: str
    answers: tuple[Answer, ...]
    solution: str
    data_kind: str
    data: Mapping[str, Any]


Draw = Callable[[int, int], int]
# Return value of an exercise generator: title, text, answers, solution, kind of data, data.
_Made = tuple[str, str, tuple[Answer, ...], str, str, Mapping[str, Any]]


def kinds() -> tuple[str, ...]:
    """The available kinds of exercise.

    >>> kinds()
    ('matrix', 'retrieval', 'roc', 'auc', 'hull', 'f-beta', 'kappa', 'unknown', 'thresholds', 'classes', 'folds')
    """
    return tuple(_MAKERS)


def exercise(seed: int, kind: str | None = None) -> Exercise:
    """The exercise for a seed, of the given kind or of a kind determined by the seed.

    >>> exercise(3, kind="kappa").kind
    'kappa'
    """
    if isinstance(seed, bool) or not isinstance(seed, int):
        raise RocscopeError(f"seed must be an integer, not {seed!r}")
    random = Random(seed)
    first = random.random()
    chosen = kinds()[int(first * len(_MAKERS))] if kind is None else kind
    make: Callable[[Draw], _Made] = pick(chosen, _MAKERS, "kind of exercise")

    # Only random() is guaranteed to return the same numbers on every platform and in every Python version.
    def draw(low: int, high: int) -> int:
        return low + int(random.random() * (high - low + 1))

    title, text, answers, solution, data_kind, subject = make(draw)
    return Exercise(seed, chosen, title, text, answers, solution, data_kind, subject)


# ---- counts ----

_STORIES: tuple[tuple[str, str, str, str], ...] = (
    ("A spam filter", "mails", "spam", "wanted"),
    ("A quick test", "people", "ill", "healthy"),
    ("A night camera", "clips", "with a fox", "without a fox"),
    ("A fruit sorter", "apples", "bruised", "sound"),
    ("A bank's model", "loans", "lost", "paid back"),
    ("A smoke detector", "nights", "with fire", "without fire"),
)


def _four(draw: Draw) -> tuple[int, int, int, int]:
    positives, negatives = draw(6, 20), draw(8, 30)
    tp, fp = draw(positives // 2, positives - 1), draw(1, negatives // 2)  # better than chance, but not perfect
    return tp, fp, positives - tp, negatives - fp


def _story(draw: Draw, tp: int, fp: int, fn: int, tn: int) -> str:
    who, items, positive, negative = _STORIES[draw(0, len(_STORIES) - 1)]
    return (
        f"{who} looks at {tp + fp + fn + tn} {items}. {tp + fn} are {positive}, {fp + tn} are {negative}. "
        f"It flags {tp + fp} of them as {positive}; {tp} of these really are."
    )


def _worked(name: str, top: str, bottom: str, value: Fraction) -> str:
    """A line such as `recall = 6 / (6 + 2) = 3/4 = 0.75`, without saying the same fraction twice."""
    result = trimmed(float(value)) if str(value) == f"{top}/{bottom}" else show(value)
    return f"{name} = {top} / {bottom} = {result}"


def _matrix(draw: Draw) -> _Made:
    tp, fp, fn, tn = _four(draw)
    n = tp + fp + fn + tn
    values = {
        "accuracy": (Fraction(tp + tn, n), f"({tp} + {tn})", str(n)),
        "precision": (Fraction(tp, tp + fp), str(tp), f"({tp} + {fp})"),
        "recall": (Fraction(tp, tp + fn), str(tp), f"({tp} + {fn})"),
        "specificity": (Fraction(tn, fp + tn), str(tn), f"({tn} + {fp})"),
        "f1": (Fraction(2 * tp, 2 * tp + fp + fn), f"2 x {tp}", f"(2 x {tp} + {fp} + {fn})"),
    }
    text = _story(draw, tp, fp, fn, tn) + " Write the matrix. Give accuracy, precision, recall, specificity and F1."
    lines = [f"TP = {tp}, FP = {tp + fp} - {tp} = {fp}, FN = {tp + fn} - {tp} = {fn}, TN = {fp + tn} - {fp} = {tn}."]
    lines += [_worked(name, top, bottom, value) for name, (value, top, bottom) in values.items()]
    cells = {"tp": tp, "fp": fp, "fn": fn, "tn": tn}
    answers = [answer(f"counts.{name}", cell) for name, cell in cells.items()]
    answers += [answer(f"counts.{name}", value) for name, (value, _, _) in values.items()]
    return "A confusion matrix from a story", text, tuple(answers), "\n".join(lines), "counts", data(**cells)


def _retrieval(draw: Draw) -> _Made:
    right, wrong, missed = draw(2, 12), draw(1, 9), draw(1, 9)
    returned, exist = right + wrong, right + missed
    precision, recall = Fraction(right, returned), Fraction(right, exist)
    f1 = 2 * precision * recall / (precision + recall)
    text = (
        f"A search returns {returned} documents. There are {exist} relevant documents in all, and {right} of those "
        f"returned are "
        "relevant. Give precision, recall and F1. Which measure cannot be given: recall, F1 or specificity?"
    )
    lines = [
        f"TP = {right}, FP = {returned} - {right} = {wrong}, FN = {exist} - {right} = {missed}; TN is not given.",
        _worked("precision", str(right), str(returned), precision),
        _worked("recall", str(right), str(exist), recall),
        f"f1 = 2 x {right} / (2 x {right} + {wrong} + {missed}) = {show(f1)}",
        "Specificity needs TN, so it cannot be given.",
    ]
    answers = (
        answer("counts.precision", precision),
        answer("counts.recall", recall),
        answer("counts.f1", f1),
        answer("known.specificity", "no"),
    )
    facts = data(found=returned, exist=exist, right=right)
    return "Retrieval facts", text, answers, "\n".join(lines), "retrieval", facts


def _f_beta(draw: Draw) -> _Made:
    tp, fp, fn, tn = _four(draw)
    name, beta = (("f2", Fraction(2)), ("f0.5", Fraction(1, 2)), ("f3", Fraction(3)))[draw(0, 2)]
    precision, recall, square = Fraction(tp, tp + fp), Fraction(tp, tp + fn), beta**2
    value = (1 + square) * precision * recall / (square * precision + recall)
    times = trimmed(float(beta))
    text = _story(draw, tp, fp, fn, tn) + f" Recall matters {times} times as much as precision: give F_beta."
    lines = [
        _worked("precision", str(tp), str(tp + fp), precision),
        _worked("recall", str(tp), str(tp + fn), recall),
        f"F_beta = (1 + {square}) x {precision} x {recall} / ({square} x {precision} + {recall}) = {show(value)}",
    ]
    answers = (answer(f"counts.{name}", value, f"F with beta {times} = {show(value)}"),)
    return "F-beta", text, answers, "\n".join(lines), "counts", data(tp=tp, fp=fp, fn=fn, tn=tn)


def _kappa(draw: Draw) -> _Made:
    tp, fp, fn, tn = _four(draw)
    n = tp + fp + fn + tn
    seen = Fraction(tp + tn, n)
    chance = Fraction((tp + fp) * (tp + fn) + (fn + tn) * (fp + tn), n * n)
    value = (seen - chance) / (1 - chance)
    text = (
        f"A program and a doctor assess {n} images. Both say ill: {tp}. Only the program says ill: {fp}. Only the "
        f"doctor: {fn}. Neither: {tn}. How well do they agree beyond chance?"
    )
    lines = [
        f"observed agreement = ({tp} + {tn}) / {n} = {show(seen)}",
        f"chance agreement = ({tp + fp} x {tp + fn} + {fn + tn} x {fp + tn}) / {n}^2 = {show(chance)}",
        f"kappa = (observed - chance) / (1 - chance) = {show(value)}",
    ]
    answers = (answer("counts.accuracy", seen), answer("counts.kappa", value))
    return "Agreement beyond chance", text, answers, "\n".join(lines), "counts", data(tp=tp, fp=fp, fn=fn, tn=tn)


def _unknown(draw: Draw) -> _Made:
    fp = draw(1, 6)
    tp, fn = fp + draw(1, 8), draw(1, 8)
    f1 = Fraction(2 * tp, 2 * tp + fp + fn)
    specificity, accuracy = f"(x - {fp})/x", f"(x + {tp - fp})/(x + {tp + fn})"
    text = (
        f"A picture shows {tp + fn} dogs and x cats. A program calls {tp + fp} animals dogs; {tp} of them are. Write "
        "specificity and accuracy in terms of x, and F1 as a number."
    )
    lines = [
        f"TP = {tp}, FP = {fp}, FN = {fn}, TN = x - {fp}.",
        f"specificity = (x - {fp}) / (x - {fp} + {fp}) = {specificity}",
        f"accuracy = ({tp} + x - {fp}) / (x + {tp + fn}) = {accuracy}",
        f"f1 = 2 x {tp} / (2 x {tp} + {fp} + {fn}) = {show(f1)}: it needs no TN.",
    ]
    answers = (
        answer("expression.specificity", specificity),
        answer("expression.accuracy", accuracy),
        answer("counts.f1", f1),
    )
    facts = data(tp=tp, fp=fp, fn=fn, tn=f"x - {fp}")
    return "An unknown cell", text, answers, "\n".join(lines), "counts", facts


# ---- curves ----

_LEVELS: tuple[tuple[int, int], ...] = ((1, 0), (0, 1), (1, 0), (0, 1), (1, 1), (2, 1), (1, 2))


def _ranking(draw: Draw) -> tuple[tuple[int, ...], tuple[float, ...]]:
    """Five to seven score levels from 0.9 down, one of them a tie of both classes."""
    levels = [_LEVELS[draw(0, 3)] for _ in range(draw(4, 6))]
    levels.insert(draw(0, len(levels)), _LEVELS[draw(4, 6)])
    rows = [(label, (9 - i) / 10) for i, (pos, neg) in enumerate(levels) for label in (1,) * pos + (0,) * neg]
    return tuple(label for label, _ in rows), tuple(score for _, score in rows)


def _roc(draw: Draw) -> _Made:
    y, scores = _ranking(draw)
    trace = roc_trace(list(y), list(scores))
    cases = ", ".join(f"{score:g}{'+' if label else '-'}" for label, score in zip(y, scores, strict=True))
    text = f"Scores, with + for positive and - for negative: {cases}. Draw the ROC curve and give its area."
    points = tuple((row.fpr, row.tpr) for row in trace)
    written = " ".join(f"({fpr}, {tpr})" for fpr, tpr in points)
    lines = [*(row.says for row in trace), f"AUC = {show(trace[-1].area)}"]
    answers = (answer("points", points, f"points {written}"), answer("auc", trace[-1].area))
    return "A ROC curve by hand", text, answers, "\n".join(lines), "scores", data(y=y, scores=scores)


def _auc(draw: Draw) -> _Made:
    positives = sorted((draw(3, 9) for _ in range(draw(3, 4))), reverse=True)
    negatives = sorted((draw(1, 7) for _ in range(draw(3, 4))), reverse=True)
    lines, half_pairs = [], 0
    for score in positives:
        below, tied = sum(other < score for other in negatives), sum(other == score for other in negatives)
        half_pairs += 2 * below + tied
        lines.append(f"{score}: {below} negatives below" + (f", {tied} tied" if tied else ""))
    pairs = len(positives) * len(negatives)
    value = Fraction(half_pairs, 2 * pairs)
    lines.append(
        f"AUC = (pairs in order + tied pairs / 2) / {pairs} = {trimmed(half_pairs / 2)} / {pairs} = {show(value)}"
    )
    text = (
        f"Scores of the positives: {', '.join(map(str, positives))}. Scores of the negatives: "
        f"{', '.join(map(str, negatives))}. Give the AUC by counting pairs."
    )
    y = (1,) * len(positives) + (0,) * len(negatives)
    facts = data(y=y, scores=(*positives, *negatives))
    return "AUC by counting pairs", text, (answer("auc", value),), "\n".join(lines), "scores", facts


def _points(draw: Draw) -> dict[str, tuple[float, float]]:
    """Three classifiers above the diagonal, in steps of 1/20."""
    points = {}
    for name in "ABC":
        fpr = draw(1, 14)
        points[name] = (fpr / 20, draw(fpr + 3, 19) / 20)
    return points


def _worth(points: Mapping[str, tuple[float, float]], slope: Fraction) -> dict[str, Fraction]:
    """The worth tpr - slope x fpr of each point and of both ends: the larger, the cheaper."""
    worth = {name: fraction(tpr) - slope * fraction(fpr) for name, (fpr, tpr) in points.items()}
    return {**worth, "always negative": Fraction(0), "always positive": 1 - slope}


def _hull_problem(draw: Draw) -> tuple[dict[str, tuple[float, float]], int, int, int, int, str]:
    """Points, costs and class sizes for which one classifier alone is cheapest."""
    while True:
        points = _points(draw)
        cost_fp, cost_fn = draw(1, 4), draw(1, 4)
        positives, negatives = 10 * draw(1, 5), 10 * draw(2, 9)
        worth = _worth(points, Fraction(cost_fp * negatives, cost_fn * positives))
        top = max(worth.values())
        best = [name for name, value in worth.items() if value == top]
        if len(best) == 1 and best[0] in points:
            return points, cost_fp, cost_fn, positives, negatives, best[0]


def _hull(draw: Draw) -> _Made:
    points, cost_fp, cost_fn, positives, negatives, best = _hull_problem(draw)
    slope = Fraction(cost_fp * negatives, cost_fn * positives)
    trace = hull_trace(points)
    listed = ", ".join(f"{name} ({fpr:g}, {tpr:g})" for name, (fpr, tpr) in points.items())
    text = (
        f"Three classifiers as points (FPR, TPR): {listed}. There are {positives} positives and {negatives} negatives; "
        f"a false positive costs {cost_fp}, a false negative {cost_fn}. Draw the hull. Which classifier is cheapest?"
    )
    corners = ", ".join(name for name, _, _ in trace.corners)
    lines = [
        *(f"{step.name} is dropped: {step.why}." for step in trace.steps if step.action == "drop"),
        f"Hull: {corners}; slopes {', '.join(map(_slope, trace.slopes))}.",
        f"Slope c = ({cost_fp} / {cost_fn}) x ({negatives} / {positives}) = {show(slope)}.",
        *(f"{name}: tpr - c fpr = {show(value)}" for name, value in _worth(points, slope).items()),
        f"{best} has the largest value.",
    ]
    answers = (answer(f"hull.best:{slope}", best), answer("hull.slopes", trace.slopes))
    return "Hull and cost", text, answers, "\n".join(lines), "points", data(points=data(**points))


def _threshold_counts(draw: Draw) -> list[tuple[int, int, int]]:
    """Threshold, TP and FP of four rows from the strictest down, flagging more cases of each class at every step."""
    tp = fp = 0
    rows = []
    for threshold in (8, 6, 4, 2):
        tp, fp = tp + draw(2, 6), fp + draw(1, 5)
        rows.append((threshold, tp, fp))
    return rows


def _thresholds(draw: Draw) -> _Made:
    while True:
        rows = _threshold_counts(draw)
        positives, negatives = rows[-1][1] + draw(0, 3), rows[-1][2] + draw(3, 9)
        rates = [(t, Fraction(tp, positives), Fraction(fp, negatives)) for t, tp, fp in rows]
        gaps = [tpr - fpr for _, tpr, fpr in rates]
        if gaps.count(max(gaps)) == 1 and max(gaps) > 0:
            break
    listed = "; ".join(f"{t}: TP {tp}, FP {fp}" for t, tp, fp in rows)
    text = (
        f"A test is positive at or above a threshold. There are {positives} positives and {negatives} negatives. "
        f"Counts by threshold: {listed}. Give TPR and FPR at each threshold, the area under the ROC curve, and the "
        "threshold with the largest Youden's J = TPR - FPR."
    )
    points = [(Fraction(0), Fraction(0)), *((fpr, tpr) for _, tpr, fpr in rates), (Fraction(1), Fraction(1))]
    area = sum(((b[0] - a[0]) * (a[1] + b[1]) / 2 for a, b in pairwise(points)), Fraction(0))
    best = rates[gaps.index(max(gaps))][0]
    lines = [f"{t}: TPR = {tpr}, FPR = {fpr}, J = {show(tpr - fpr)}" for t, tpr, fpr in rates]
    lines += [f"AUC by trapezoids from (0, 0) to (1, 1) = {show(area)}", f"J is largest at threshold {best}."]
    answers = (
        *(answer(f"at:{t}.tpr", tpr) for t, tpr, _ in rates),
        *(answer(f"at:{t}.fpr", fpr) for t, _, fpr in rates),
        answer("auc", area),
        answer("best.youden.threshold", best),
    )
    table = tuple({"threshold": t, "tp": tp, "fp": fp} for t, tp, fp in rows)
    facts = data(rows=table, positives=positives, negatives=negatives, higher_is_positive=True)
    return "A ROC curve from a table of thresholds", text, answers, "\n".join(lines), "thresholds", facts


# ---- multiclass, resampling ----


def _classes(draw: Draw) -> _Made:
    names = ("A", "B", "C")
    while True:  # until the fractions are easy to add by hand
        matrix = tuple(tuple(draw(4, 12) if i == j else draw(0, 4) for j in range(3)) for i in range(3))
        predicted = [sum(row) for row in matrix]
        actual = [sum(column) for column in zip(*matrix, strict=True)]
        f1 = [Fraction(2 * matrix[i][i], predicted[i] + actual[i]) for i in range(3)]
        macro = sum(f1, Fraction(0)) / 3
        if macro.denominator <= 500:
            break
    right, n = sum(matrix[i][i] for i in range(3)), sum(predicted)
    shown = "; ".join(f"{name}: {', '.join(map(str, row))}" for name, row in zip(names, matrix, strict=True))
    text = (
        f"A confusion matrix with the predicted classes in rows and the actual classes A, B, C in columns: {shown}. "
        "Give the accuracy, precision, recall and F1 of each class, and the macro average of F1."
    )
    lines, answers = (
        [_worked("accuracy", str(right), str(n), Fraction(right, n))],
        [answer("matrix.accuracy", Fraction(right, n))],
    )
    for i, name in enumerate(names):
        hit = matrix[i][i]
        precision, recall = Fraction(hit, predicted[i]), Fraction(hit, actual[i])
        lines += [
            f"{name}: " + _worked("precision", str(hit), str(predicted[i]), precision),
            f"{name}: " + _worked("recall", str(hit), str(actual[i]), recall),
            f"{name}: " + _worked("f1", f"2 x {hit}", f"({predicted[i]} + {actual[i]})", f1[i]),
        ]
        answers += [
            answer(f"of:{name}.precision", precision),
            answer(f"of:{name}.recall", recall),
            answer(f"of:{name}.f1", f1[i]),
        ]
    lines.append(f"macro F1 = ({' + '.join(map(str, f1))}) / 3 = {show(macro)}")
    answers.append(answer("macro:f1", macro))
    facts = data(matrix=matrix, labels=names, rows="predicted")
    return "A matrix of three classes", text, tuple(answers), "\n".join(lines), "matrix", facts


def _folds(draw: Draw) -> _Made:
    k, part = (3, 4, 5, 8, 10)[draw(0, 4)], draw(2, 12)
    n = k * part
    text = (
        f"{n} cases are divided into {k} equal parts for {k}-fold cross-validation. How many models are trained? On "
        "how many cases is each of them trained and validated? How many cases do any two training sets share?"
    )
    lines = [
        f"Each part is the validation set once: {k} models.",
        f"Validation: {n} / {k} = {part} cases; training: {n} - {part} = {n - part} cases.",
        f"Two training sets share everything except their two validation sets: {k} - 2 = {k - 2} parts, "
        f"{n - 2 * part} cases.",
    ]
    answers = (
        answer("folds.models", k, f"models trained = {k}"),
        answer("folds.train", n - part, f"cases in a training set = {n - part}"),
        answer("folds.test", part, f"cases in a validation set = {part}"),
        answer("folds.shared", n - 2 * part, f"cases that two training sets share = {n - 2 * part}"),
    )
    return (
        ("Cross-validation with equal parts"),
        text,
        answers,
        "\n".join(lines),
        "folds",
        data(cases=n, plan=f"{k}-fold"),
    )


def _slope(value: Fraction | float) -> str:
    return "infinite" if math.isinf(value) else str(value)


_MAKERS: Mapping[str, Callable[[Draw], _Made]] = MappingProxyType(
    {
        "matrix": _matrix,
        "retrieval": _retrieval,
        "roc": _roc,
        "auc": _auc,
        "hull": _hull,
        "f-beta": _f_beta,
        "kappa": _kappa,
        "unknown": _unknown,
        "thresholds": _thresholds,
        "classes": _classes,
        "folds": _folds,
    }
)
