"""Gates: requirements that a model must meet before it is used, with the number and its interval for each condition.

A name in a condition is a measure at the evaluation's threshold (recall), an area or loss (auc, brier), `cost` per
1,000 cases, or a fact (cases, positives). Of several classes it is a measure of the matrix (kappa), an average over
classes (macro_recall), a loss or area (log_loss, auc_ovo, top_3_accuracy), or, of two classes with hard labels, a
measure of the one that is known to be positive (recall). Behind a dot it is a limit (auc.low), or the difference from a
baseline on other cases (auc.diff, auc.diff.low). `recall.anytime.low` is a limit that holds however often one looks
while cases are added. With `where` a measure is the best that some threshold inside the condition reaches.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeAlias

import numpy as np

from rocscope import curves, estimate, intervals, measures, significance
from rocscope.decisions import Condition, Requirement, condition, is_measure
from rocscope.errors import RocscopeError, did_you_mean
from rocscope.estimate import Estimate, between, undefined
from rocscope.evaluation.binary import Evaluation
from rocscope.evaluation.certainty import agreeing
from rocscope.evaluation.classes import ClassEvaluation
from rocscope.evaluation.document import document_head
from rocscope.numbers import json_number
from rocscope.record import record
from rocscope.table import Counts, ScoreTable

Evaluated: TypeAlias = Evaluation | ClassEvaluation

FACTS: dict[str, Callable[[Evaluated], Any]] = {
    "cases": lambda ev: ev.size,
    "positives": lambda ev: _class_sizes(ev)[0],
    "negatives": lambda ev: _class_sizes(ev)[1],
    "distinct_scores": lambda ev: len(ev.table) if isinstance(ev, Evaluation) else math.nan,
}
ENDS = ("low", "high", "diff", "anytime")
NOT_SAID = "the positive class is not known"
AVERAGES = ("macro", "weighted", "micro")
_NAME = re.compile(r"(?P<head>.+?)(?:\.(?P<how>diff|anytime))?(?:\.(?P<side>low|high|value))?", re.ASCII)


@record(slots=True)
class TestedComparison:
    """One comparison: the compared number, its estimate, and whether it passes."""

    comparison: Requirement
    tested: float
    estimate: Estimate
    met: bool
    why: str = ""

    def to_dict(self) -> dict[str, Any]:
        """The comparison as written in the results document of a gate."""
        comparison, why = self.comparison, self.why or self.estimate.why
        tested = {
            "name": comparison.name,
            "sign": comparison.sign,
            "limit": float(comparison.limit),
            "tested": json_number(self.tested),
        }
        return {**tested, "met": self.met, **self.estimate.to_dict(), "why": why}


@record(slots=True)
class Check:
    """One condition, which is met when all its comparisons are; `threshold` is the one chosen by `where`, if any."""

    condition: Condition
    parts: tuple[TestedComparison, ...]
    threshold: float | None = None

    @property
    def met(self) -> bool:
        """Whether the whole condition holds."""
        return all(part.met for part in self.parts)

    def to_dict(self) -> dict[str, Any]:
        """The condition as written in the results document of a gate."""
        parts = [part.to_dict() for part in self.parts]
        return {
            "require": str(self.condition), "met": self.met, "threshold": json_number(self.threshold), "parts": parts
        }  # fmt: skip


@record(slots=True)
class Gate:
    """All conditions on an evaluation, including those on its difference from a baseline."""

    evaluation: Evaluated
    checks: tuple[Check, ...]
    baseline: Evaluated | None = None
    against: Mapping[str, Any] | None = None

    @property
    def met(self) -> bool:
        """Whether every condition holds."""
        return all(check.met for check in self.checks)

    def __bool__(self) -> bool:
        """Whether every condition holds, so that `assert gate(...)` fails when one does not."""
        return self.met

    def __str__(self) -> str:
        """The headline and a row for each condition."""
        from rocscope import wire

        text: str = wire("Gate.__str__")(self.to_dict())
        return text

    def to_dict(self) -> dict[str, Any]:
        """The results document of the gate (schema rocscope/1)."""
        ev = self.evaluation
        earlier = {} if self.against is None else {"against": _changes(self.checks, self.against)}
        return {
            **document_head("gate"),
            "name": ev.name,
            "met": self.met,
            "failed": sum(not check.met for check in self.checks),
            "checks": [check.to_dict() for check in self.checks],
            "data": _data(ev),
            "baseline": None if self.baseline is None else _data(self.baseline),
            "settings": ev.settings.to_dict(),
            **earlier,
        }


def _changes(checks: Sequence[Check], document: Mapping[str, Any]) -> dict[str, Any]:
    """The tested values beside those of an earlier results document, of a gate or an evaluation."""
    before = _earlier_values(document)
    changes = []
    for name, tested in _tested_values(check.to_dict() for check in checks).items():
        old = before.get(name)
        change = None if old is None or tested is None else float(tested) - float(old)
        changes.append({"name": name, "before": old, "now": tested, "change": json_number(change)})
    return {"cases": document["data"]["cases"], "changes": changes}


def _tested_values(checks: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """The tested values of checks; after 'where', a value belongs to that part of its condition."""
    values = {}
    for check in checks:
        require, _, where = check["require"].partition(" where ")
        for part in check["parts"]:
            best = len(check["parts"]) == 1 and part["sign"] in (">=", ">")  # the best inside, whatever is required
            inside = f" where {where}" if best else f" in {require} where {where}"
            values[part["name"] + (inside if where else "")] = part["tested"]
    return values


def _earlier_values(document: Mapping[str, Any]) -> dict[str, Any]:
    if not isinstance(document, Mapping):
        raise RocscopeError(
            f"against must be a results document (a dict), not {type(document).__name__}",
            hint="Give to_dict() of the earlier gate or evaluation",
        )
    if document.get("kind") not in ("gate", "evaluation", "classes"):
        raise RocscopeError(
            f"the earlier results document is of kind {document.get('kind')!r}",
            hint="Give the results document of a gate or an evaluation",
        )
    try:
        cases = document["data"]["cases"]
        if document["kind"] == "gate":
            return _tested_values(document["checks"])
        rows = [*document["measures"], *document.get("areas", [])]
        limits = {f"{row['name']}.{end}": row[end] for row in rows for end in ("low", "high")}
        return limits | {row["name"]: row["value"] for row in rows} | {"cases": cases}
    except (LookupError, TypeError, AttributeError):
        raise RocscopeError("the earlier results document is incomplete", hint="Create it again") from None


def gate(
    ev: Evaluated, *requires: str | Condition, baseline: Evaluated | None = None,
    against: Mapping[str, Any] | None = None,
) -> Gate:  # fmt: skip
    """Check whether an evaluation meets conditions; an undefined value meets no condition.

    The difference from a baseline treats the two samples as independent: areas are compared by DeLong's method,
    everything else by the limits of the two estimates, combined by the Pythagorean rule (Newcombe, Stat Med
    1998;17:873-890; Zou & Donner, Stat Med 2008;27:1693). `against` is the results document of an earlier gate or
    evaluation: each tested number is shown beside its earlier value.

    >>> from rocscope import evaluate
    >>> ev = evaluate([1, 1, 0, 1, 0, 0], [0.9, 0.8, 0.7, 0.6, 0.4, 0.3])
    >>> [check.met for check in gate(ev, "auc >= 0.8", "auc.low >= 0.8", "recall >= 0.9 where fpr <= 0.4").checks]
    [True, False, True]
    >>> bool(gate(ev, "auc >= 0.8")), bool(gate(ev, "auc >= 0.8", "auc.low >= 0.8"))
    (True, False)
    """
    for name, given in (("ev", ev), ("baseline", baseline)):
        _refuse_other(name, given)
    if against is not None:
        _earlier_values(against)
    if not requires:
        raise RocscopeError("no requirement was given", hint='Give a requirement, such as "auc.low >= 0.8"')
    known = known_names(ev)
    read = [condition(require, known=known) for require in requires]
    _same_positive(ev, baseline)
    for required in read:
        _check_names(required, known, baseline=baseline is not None, costs=ev.settings.costs is not None)
        if required.where and not isinstance(ev, Evaluation):
            raise RocscopeError(f"'where' chooses a threshold, but there are no scores (in '{required}')")
    return Gate(ev, tuple(_check(one, ev, baseline) for one in read), baseline, against)


def _refuse_other(name: str, given: Any) -> None:
    """Raise an error for anything but the evaluation of one classifier, of which a condition could not be checked."""
    if isinstance(given, Evaluation | ClassEvaluation) or (given is None and name == "baseline"):
        return
    hint = {
        "Comparison": "Give one of its evaluations: comparison.evaluations[NAME]",
        "ClassComparison": "Give one of its evaluations: comparison.evaluations[NAME]",
        "LabelEvaluation": "With several labels per case, compare its estimates with the limits: "
        "ev.measure(\"micro_f1\").low >= 0.8",
    }.get(type(given).__name__, "Give the result of evaluate()")
    raise RocscopeError(
        f"{name} must be the evaluation of one classifier by scores or classes, not {type(given).__name__}", hint=hint
    )


def _same_positive(ev: Evaluated, baseline: Evaluated | None) -> None:
    """Raise an error for a baseline about another class: the difference would be meaningless."""
    here, there = (None if evaluation is None else evaluation.positive_label for evaluation in (ev, baseline))
    if here is not None and there is not None and str(here) != str(there):
        raise RocscopeError(f"the positive label is {here}, but the baseline has {there}")


def known_names(ev: Evaluated | None = None) -> set[str]:
    """The names that a condition may use in addition to the measures of the catalog."""
    if isinstance(ev, ClassEvaluation):
        return {"cases", "positives", "negatives", *_class_names()}
    statistics = {name for name, reading in curves.names().items() if reading.kind == "statistic"}
    return {*FACTS, "cost", *statistics}


def _class_names() -> set[str]:
    """The names of averages over classes, losses of probabilities and multiclass areas."""
    return {*intervals.class_names(), *(f"{how}_{name}" for how in AVERAGES for name in measures.names())}


# ---- parsing conditions ----


def _taken_apart(name: str) -> tuple[str, str, str]:
    """Split a name: auc.diff.low -> auc, diff, low; f0.5 keeps its dot."""
    match = _NAME.fullmatch(name)
    assert match is not None
    return match["head"], match["how"] or "", match["side"] or "value"


def read_conditions(requires: Iterable[str], *, baseline: bool, costs: bool = True) -> tuple[Condition, ...]:
    """The conditions of a gate, checked before any data are read."""
    known = known_names() | _class_names()
    read = tuple(condition(require, known=known) for require in requires)
    for required in read:
        _check_names(required, known, baseline=baseline, costs=costs)
    return read


def _check_names(required: Condition, known: Collection[str], *, baseline: bool, costs: bool) -> None:
    for comparison in required.require:
        head, how, _ = _taken_apart(comparison.name)
        if not (is_measure(head) or head in known):
            hint = did_you_mean(comparison.name, [f"{head.partition('.')[0]}.{end}" for end in ENDS])
            raise RocscopeError(f"an evaluation has no quantity '{comparison.name}' (in '{required}')", hint=hint)
        if how == "anytime" and not _is_share(head):
            what = f"'{comparison.name}': anytime limits exist only for proportions of cases, such as recall"
            raise RocscopeError(f"{what} (in '{required}')")
        if how == "diff" and not baseline:
            hint = "Give baseline=, the evaluation of other cases"
            raise RocscopeError(f"'{comparison.name}' needs a baseline (in '{required}')", hint=hint)
        if head == "cost" and not costs:
            hint = "State the costs of errors, for example costs=Costs(fp=1, fn=5)"
            raise RocscopeError(f"'{comparison.name}' needs costs (in '{required}')", hint=hint)
        if required.where and not is_measure(head):
            raise RocscopeError(f"{head} does not depend on a threshold, but 'where' chooses one (in '{required}')")
    for comparison in required.where:
        if not is_measure(comparison.name):
            what = f"'{comparison.name}' has no value at a single threshold (in '{required}')"
            raise RocscopeError(what, hint="Name a measure")


# ---- checking conditions ----


def _check(required: Condition, ev: Evaluated, baseline: Evaluated | None) -> Check:
    if not required.where:
        return Check(required, tuple(_part(comparison, ev, baseline) for comparison in required.require))
    assert isinstance(ev, Evaluation)
    here = _best_inside(ev, required)
    if here is None:
        why = "no threshold meets the condition"
        missing = undefined(why, level=ev.settings.level)
        absent = [TestedComparison(comparison, math.nan, missing, False, why) for comparison in required.require]
        return Check(required, tuple(absent))
    there = _best_inside(baseline, required) if isinstance(baseline, Evaluation) else None
    parts = tuple(_part(comparison, here, there) for comparison in required.require)
    assert here.point is not None
    return Check(required, parts, here.point.threshold)


def _best_inside(ev: Evaluation, required: Condition) -> Evaluation | None:
    """The evaluation at the threshold inside `where` that meets all requirements, else the best one for the
    first.
    """
    along = ev.table.along()
    inside = np.logical_and.reduce([np.asarray(comparison.holds(along)) for comparison in required.where])
    first = required.require[0]
    values = np.asarray(measures.get(_taken_apart(first.name)[0]).value(along.cells), dtype=np.float64)
    inside = inside & ~np.isnan(values)
    if not inside.any():
        return None
    plain = [comparison for comparison in required.require if is_measure(comparison.name)]
    both = np.logical_and.reduce([inside, *(np.asarray(comparison.holds(along)) for comparison in plain)])
    among = np.flatnonzero(both if both.any() else inside)
    wanted = values[among] if first.sign in (">=", ">", "==") else -values[among]
    threshold = float(ev.table.thresholds[among[int(np.argmax(wanted))]])
    fixed = replace(ev.settings, threshold=threshold, choose=None, cross_fit=0)
    return replace(ev, settings=fixed, choose_on=None)


def _part(comparison: Requirement, ev: Evaluated, baseline: Evaluated | None) -> TestedComparison:
    head, how, side = _taken_apart(comparison.name)
    differs = how == "diff"
    interval = _difference(head, ev, baseline) if differs else _anytime(head, ev) if how else _estimate(head, ev)
    tested = float(getattr(interval, side))
    slack = _slack(head, ev) + (_slack(head, baseline) if differs else 0.0)
    met = comparison.accepts(_against(tested, comparison.sign, slack))
    if not slack and not differs and comparison.name == head and is_measure(head) and not math.isnan(tested):
        # exact comparison with fractions: 7 of 10 is 0.7
        met = met if ev.counts is None else bool(comparison.holds(ev.counts))
    why = interval.why if math.isnan(tested) else ""
    if math.isnan(tested) and not why:
        why = f"no limits are available for {head}"
    if not met and slack and comparison.accepts(tested):
        why = f"the table is accurate only to within {slack:.2g}"
    if not met and not why:
        why = _out_of_reach(comparison)
    return TestedComparison(comparison, tested, interval, met, why)


def _out_of_reach(comparison: Requirement) -> str:
    """The reason why no model could pass, if the limit lies outside the possible range; else ''."""
    head, how, _ = _taken_apart(comparison.name)
    if head in FACTS or head == "cost":
        low, high = 0.0, math.inf
    elif is_measure(head) or head in curves.names():
        low, high = measures.get(head).range if is_measure(head) else curves.get(head).range
    else:
        return ""
    if how == "diff":
        low, high = low - high, high - low
    inside = comparison.sign == "==" and low <= comparison.limit <= high
    if inside or any(comparison.accepts(end) for end in (low, high)):
        return ""
    return f"this condition can never be met: {comparison.name} lies between {low:g} and {high:g}"


def _class_sizes(ev: Evaluated) -> tuple[Any, Any]:
    """The numbers of positives and negatives; NaN if it is not known which they are."""
    if isinstance(ev, Evaluation):
        return ev.table.positives, ev.table.negatives
    counts = ev.counts
    return (math.nan, math.nan) if counts is None else (counts.tp + counts.fn, counts.fp + counts.tn)


def _against(value: float, sign: str, slack: float) -> float:
    """The value for the least favorable order inside the cells of a certified table."""
    return value - slack if sign.startswith(">") else value + slack if sign.startswith("<") else value


def _slack(head: str, ev: Evaluated | None) -> float:
    if not isinstance(ev, Evaluation) or head not in curves.names() or curves.get(head).name != "auc":
        return 0.0
    return ev.table.bound


def _estimate(head: str, ev: Evaluated) -> Estimate:
    level = ev.settings.level
    if head in FACTS:
        value = float(FACTS[head](ev))
        return Estimate(value, value, value, level, "counted", "" if value == value else "not available")
    if isinstance(ev, ClassEvaluation):
        alone = is_measure(head) and measures.get(head).matrix is None
        return _of_one_class(measures.get(head).name, ev) if alone else ev.measure(head)
    if is_measure(head):
        return ev.measure(head)
    if head == "cost":
        return ev.cost if ev.cost is not None else undefined("no costs were given", level=level)
    return _area(curves.get(head).name, ev)


def _of_one_class(name: str, ev: ClassEvaluation) -> Estimate:
    """A measure of the positive one of two classes."""
    if ev.counts is not None:
        return ev.counts.estimate(name, level=ev.settings.level)
    averages = ", ".join(f"{how}_{name}" for how in AVERAGES)
    labels = ev.matrix.labels
    if len(labels) != 2:
        raise RocscopeError(
            f"{name} is a measure of one class, but there are {len(labels)}", hint=f"Require one of {averages}"
        )
    shown = "/".join(map(str, labels))
    raise RocscopeError(
        f"{name} is a measure of one class, but it is not known which of {shown} is positive",
        hint=f'State which label is positive: positive="LABEL", or require one of {averages}',
    )


def _anytime(head: str, ev: Evaluated) -> Estimate:
    """A proportion at the threshold with limits valid at all looks simultaneously (Robbins 1970)."""
    if ev.counts is None:
        return undefined("no threshold" if isinstance(ev, Evaluation) else NOT_SAID, level=ev.settings.level)
    if ev.table.weighted if isinstance(ev, Evaluation) else ev.matrix.squares is not None:
        return undefined("anytime limits do not support weights", level=ev.settings.level)
    return ev.counts.estimate(head, level=ev.settings.level, method="anytime")


def _is_share(head: str) -> bool:
    """Whether a measure is a proportion of cases, for which anytime-valid limits exist."""
    if not is_measure(head):
        return False
    try:
        estimate.of(measures.get(head), Counts(tp=1, fp=1, fn=1, tn=1), method="anytime")
    except RocscopeError:
        return False
    return True


def _area(name: str, ev: Evaluation) -> Estimate:
    reading = curves.get(name)
    if reading.required:
        raise RocscopeError(
            f"{name} needs {' and '.join(reading.required)}, which a condition cannot state",
            hint=f"Compute it in Python: {reading.example}",
        )
    try:
        return ev.area(name)
    except RocscopeError as error:
        value = float(reading(ev.table))
        why = reading.why(ev.table) or f"no limits without resampling ({error.message})"
        return Estimate(value, level=ev.settings.level, why=why)


def _difference(head: str, ev: Evaluated, baseline: Evaluated | None) -> Estimate:
    assert baseline is not None or isinstance(ev, Evaluation)
    level = ev.settings.level
    if baseline is None:
        return undefined("no threshold of the baseline meets the condition", level=level)
    if type(baseline) is not type(ev):
        return undefined("scores and hard labels cannot be compared", level=level)
    if isinstance(ev, Evaluation) and isinstance(baseline, Evaluation) and _plain_auc(head, ev, baseline):
        return agreeing(significance.delong(ev.table, baseline.table, paired=False, level=level))
    return between(_estimate(head, ev), _estimate(head, baseline))


def _plain_auc(head: str, ev: Evaluation, baseline: Evaluation) -> bool:
    clustered = ev.clustered is not None or baseline.clustered is not None
    return head in curves.names() and curves.get(head).name == "auc" and not clustered


# ---- results document ----


def _data(ev: Evaluated) -> dict[str, Any]:
    """Describe the data of the gate: the number of cases, their origin, the threshold."""
    sums = ev.table if isinstance(ev, Evaluation) else ev.counts or ev.matrix
    point = ev.point if isinstance(ev, Evaluation) else None
    return {
        "cases": json_number(ev.size),
        "positives": json_number(_class_sizes(ev)[0]),
        "labels": [str(label) for label in sums.labels],
        "rule": sums.rule if isinstance(sums, ScoreTable) else "",
        "threshold": None if point is None else json_number(point.threshold),
        "chosen": "" if point is None else point.chosen,
        "bound": sums.bound if isinstance(sums, ScoreTable) else 0.0,
        "left_out": dict(ev.left_out),
        "source": dict(ev.source),
    }
