"""The right test for each plan, even with few cases: combined F for 5x2, corrected t for folds, tests on cases."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from rocscope import significance
from rocscope.errors import RocscopeError
from rocscope.estimate import Estimate, undefined
from rocscope.record import record
from rocscope.significance import CriticalDifference, Declared
from rocscope.splits import Disjoint, FiveByTwo, LeaveOneOut, LeavePairOut, Pairs
from rocscope.validation.folds import Problem, outer_plan, unpooled
from rocscope.verdicts import LOSSES

if TYPE_CHECKING:
    from rocscope.validation.results import Validation

TESTS = {
    "5x2-f": "the combined 5x2cv F test (Alpaydin, Neural Comput 1999;11:1885)",
    "corrected-t": "the corrected resampled t-test (Nadeau & Bengio, Mach Learn 2003;52:239)",
    "corrected-t5": "the corrected resampled t-test, 5 degrees of freedom (Nadeau & Bengio, Mach Learn 2003;52:239)",
    "independent-t": "the paired t-test over independent parts",
    "cases": "paired tests on the cases: DeLong's for AUC (Biometrics 1988;44:837), McNemar's mid-P for errors",
    "corrected-cases": "paired intervals on the cases (DeLong's for AUC, Biometrics 1988;44:837; Newcombe's for "
    "errors, Stat Med 1998;17:2635), corrected for the training sets by the method of Nadeau & Bengio (Mach Learn "
    "2003;52:239)",
}
ON_CASES = ("cases", "corrected-cases")
FEWEST = 3  # minimum number of defined differences for a t-test over folds
# Minimum number of cases outside the largest class (with two classes: in the smaller one) for a test. With fewer,
# equal learners are called different in more than 7 % of simulated runs, up to 34 % (docs/howto/validate.md). For two
# equal classes the minimum could be somewhat lower. The error rates with these limits: benchmarks/validation_size.py.
FEW_TRAINED = 125  # 5x2cv F test
FEW_REPEATED = 50  # corrected t-test over repetitions or random splits
FEW_HELD_OUT = 20  # DeLong's test on a holdout: number of tested cases


def default_test(pairs: Pairs) -> str:
    """The test that fits a plan; with few cases, it is one that allows for the variation of training sets.

    >>> from rocscope import splits
    >>> plans = ("5x2", "10-fold", "loo", "holdout", "disjoint-5")
    >>> [default_test(splits.plan(name, [0, 1] * 150)) for name in plans]
    ['5x2-f', 'corrected-t', 'corrected-cases', 'cases', 'independent-t']
    >>> [default_test(splits.plan(name, [0, 1] * 30)) for name in plans]
    ['corrected-t5', 'corrected-t', 'corrected-cases', 'corrected-cases', 'independent-t']
    """
    plan = outer_plan(pairs)
    if isinstance(plan, FiveByTwo):
        return "5x2-f" if minority(pairs) >= FEW_TRAINED else "corrected-t5"
    if isinstance(plan, LeaveOneOut | LeavePairOut) or max(pairs.test_sizes) == 1:
        return "corrected-cases"  # the training sets vary with the tested cases, however many there are
    if len(pairs) == 1:
        return "cases" if minority(pairs, pairs[0].test) >= FEW_HELD_OUT else "corrected-cases"
    if isinstance(plan, Disjoint):
        return "independent-t"
    repeated = sum(pairs.test_sizes) > pairs.cases.n
    return "corrected-t5" if repeated and minority(pairs) < FEW_REPEATED else "corrected-t"


def test_words(name: str) -> str:
    """The name of a test, with its source, for a sentence about the methods."""
    if name in TESTS:
        return TESTS[name]
    test = significance.find(name)
    return f"the test {test.name}" + (f" ({test.cite})" if test.cite else "")


def minority(pairs: Pairs, cases: Any = slice(None)) -> int:
    """How many of the cases are outside the largest class; with two classes, the size of the smaller one.

    >>> from rocscope import splits
    >>> minority(splits.plan("5x2", [0, 0, 0, 1, 1, 2]))
    3
    """
    classes = pairs.cases.strata()[cases]
    # multilabel: count as two equal classes
    return len(classes) - int(np.bincount(classes).max()) if pairs.cases.codes is not None else len(classes) // 2


def fitting_test(name: str, pairs: Pairs) -> Declared:
    """The declared test of that name; one that requires something the plan lacks is refused with the reason.

    >>> from rocscope import splits
    >>> fitting_test("corrected_t", splits.plan("10-fold", [0, 1] * 30)).name
    'corrected-t'
    """
    if name.strip().lower() == CASES.name:
        return CASES
    plan, several = outer_plan(pairs), len(pairs) > 1 and max(pairs.test_sizes) > 1
    offered, reason = [significance.ON_CASES, significance.DISCORDANT], f"this plan is {pairs.says}"
    if not (why := unpooled(pairs)):
        offered.append(significance.TWO_SCORES)
    elif significance.TWO_SCORES in significance.find(name).takes:
        reason = why
    if several and not isinstance(plan, LeavePairOut):
        offered += [significance.FOLDS, significance.FOLDS_AND_SIZES, significance.FOLDS_AND_ROPE]
    if _five_times_two_halves(pairs):
        offered.append(significance.HALVES)
    if isinstance(plan, Disjoint):
        offered.append(significance.DISJOINT_PARTS)
    return significance.fitting(name, offered, reason)


def takes_margin(test: Declared) -> bool:
    """Whether a test has a margin of practical equivalence, as the Bayesian tests do."""
    return test.takes == significance.FOLDS_AND_ROPE


def check_margin(test: Declared, margin: float | None, parameter: str) -> None:
    """Refuse a test that lacks its required margin, and a margin for a test that does not use one."""
    if margin is None and takes_margin(test):
        hint = f"Give {parameter}=0.01: differences within it do not matter"
        raise RocscopeError(f"test '{test.name}' needs a region of practical equivalence", hint=hint)
    if margin is not None and not takes_margin(test):
        raise RocscopeError(f"test '{test.name}' does not take {parameter}=", hint="Only bayesian-t takes it")


def _five_times_two_halves(pairs: Pairs) -> bool:
    """Whether the pairs are those of 5x2, by name or made elsewhere: halves that swap their parts five times."""
    swapped = zip(pairs[::2], pairs[1::2], strict=False)
    return len(pairs) == 10 and all(
        np.array_equal(np.sort(first.train), np.sort(other.test))
        and np.array_equal(np.sort(first.test), np.sort(other.train))
        for first, other in swapped
    )


def fold_test(
    name: str, diffs: Any, train: Sequence[int], test: Sequence[int], *, level: float, rope: float | None = None,
    lowest: bool = False,
) -> Estimate:  # fmt: skip
    """Apply a test of fold differences by name; if folds are missing or infinite, it may be undefined, with the reason.

    A Bayesian test requires the region of practical equivalence `rope`. Its probabilities are stated in the reason of
    the estimate; with `lowest`, the better model is the one with the lower values.
    """
    values, declared = np.asarray(diffs, dtype=np.float64), significance.find(name)
    known, infinite = ~np.isnan(values), int(np.isinf(values).sum())
    if infinite:
        return undefined(f"infinite in {infinite} of {len(values)} folds: not tested", level=level, method=name)
    if declared.takes == significance.HALVES:
        if not known.all():
            return undefined(f"{(~known).sum()} of {len(values)} differences are undefined", level=level, method=name)
        halves: Estimate = declared.run(values.reshape(5, 2), level=level)
        return halves
    if known.sum() < FEWEST:
        return undefined(f"{known.sum()} of {len(values)} differences are defined: too few", level=level, method=name)
    sizes: tuple[Any, ...] = ()
    if declared.takes == significance.FOLDS_AND_SIZES:
        sizes = np.asarray(train, dtype=float)[known], np.asarray(test, dtype=float)[known]
    if takes_margin(declared):
        sizes = np.asarray(train, dtype=float)[known], np.asarray(test, dtype=float)[known]
        posterior = declared.run(values[known], *sizes, level=level, rope=rope)
        judged_by = declared.run(-values[known], *sizes, level=level, rope=rope) if lowest else posterior
        answer = {"method": posterior.method, "why": str(judged_by), "p": None, "statistic": None}
        judged: Estimate = replace(posterior.estimate, **answer)
        return judged
    estimate: Estimate = declared.run(values[known], *sizes, level=level)
    if not known.all() and not estimate.why:
        estimate = replace(
            estimate, why=f"{(~known).sum()} of {len(values)} folds left out because the measure is undefined there"
        )
    return estimate


def mean_over_folds(
    values: Any, train: Sequence[int], test: Sequence[int], *, level: float, low: float, high: float, independent: bool
) -> Estimate:
    """The mean of a measure over folds with the corrected interval, kept within the measure's range.

    mean ± t sqrt((1/J + n_test/n_train) s²): training sets overlap, so the folds carry less information than the
    same number of independent ones. A mean with an infinite fold is infinite and has no interval. Nadeau & Bengio,
    Mach Learn 2003;52:239-281.
    """
    numbers = np.asarray(values, dtype=np.float64)
    known = numbers[~np.isnan(numbers)]
    if np.isinf(known).any():
        return _infinite(known, len(numbers), level)
    if len(known) < FEWEST:
        value = float(known.mean()) if len(known) else math.nan
        why = f"the value is defined in {len(known)} of {len(numbers)} folds: too few for an interval"
        return Estimate(value, level=level, method="corrected t", why=why)
    name = "independent-t" if independent else "corrected-t"
    estimate = fold_test(name, numbers, train, test, level=level)
    method = estimate.method.replace("paired ", "")
    limits = (max(low, estimate.low), min(high, estimate.high))
    if math.isnan(estimate.low):
        return Estimate(float(known.mean()), level=level, method=method, why="no variation between folds: no interval")
    left_out = (
        f"{len(numbers) - len(known)} of {len(numbers)} folds left out because the measure is undefined there"
        if len(known) < len(numbers)
        else ""
    )
    return Estimate(float(known.mean()), *limits, level, method, left_out, se=estimate.se)


def not_narrower(folds: Estimate, pooled: Estimate, low: float, high: float) -> Estimate:
    """The interval over folds, widened to that of the pooled cases if it is narrower (folds agree by chance)."""
    if not math.isfinite(folds.value) or not math.isfinite(pooled.value) or math.isnan(pooled.low):
        return folds
    down, up = pooled.value - pooled.low, pooled.high - pooled.value
    if folds.value - folds.low >= down and folds.high - folds.value >= up:
        return folds
    # comparisons with NaN are false, so limits that the folds cannot provide come from the cases
    lower = folds.low if folds.value - folds.low >= down else max(low, folds.value - down)
    upper = folds.high if folds.high - folds.value >= up else min(high, folds.value + up)
    why = folds.why if not math.isnan(folds.low) else ""
    return Estimate(
        folds.value,
        lower,
        upper,
        folds.level,
        f"{folds.method}, no narrower than the interval from the cases",
        why,
        se=folds.se,
    )


def _infinite(known: Any, folds: int, level: float) -> Estimate:
    with np.errstate(invalid="ignore"):
        value = float(known.mean())  # NaN if the folds contain both infinities
    why = f"infinite in {int(np.isinf(known).sum())} of {folds} folds"
    return Estimate(value, level=level, method="mean over folds", why=why)


def paired_on_cases(problem: Problem, cases: Any, a: Any, b: Any, what: str, *, level: float) -> Estimate:
    """Compare two models on the same cases: DeLong for AUC (a, b: scores), McNemar's mid-P for errors (a, b: wrong).

    >>> problem = Problem.of(np.zeros((4, 1)), [0, 1, 0, 1])
    >>> wrong = np.array([True, False, False, False])
    >>> paired_on_cases(problem, np.arange(4), wrong, ~wrong, "error_rate", level=0.95).value
    -0.5
    """
    return case_test(significance.find("delong" if what == "auc" else "mcnemar"), problem, cases, a, b, level=level)


SAME_CASES = "two models on the same cases"
CASES = Declared("cases", SAME_CASES, paired_on_cases, "DeLong's and McNemar's tests under one name", "", "")


def case_test(test: Declared, problem: Problem, cases: Any, a: Any, b: Any, *, level: float) -> Estimate:
    """Test two scores, or the cases that only one of the models predicts correctly, on the tested cases."""
    if test.takes == significance.DISCORDANT:
        return _paired_errors(test, a, b, level)
    given = {"weights": problem.weights, "clusters": problem.groups}
    options = {name: value[cases] for name, value in given.items() if value is not None}
    estimate: Estimate = significance.run_on_scores(test, problem.codes[cases] == 1, a, b, level=level, **options)
    return estimate


def _paired_errors(test: Declared, a: Any, b: Any, level: float) -> Estimate:
    """The difference of error rates: that of the shares right, turned."""
    gap = significance.right_difference(~a, ~b, test=test.run, level=level)
    return Estimate(-gap.value, -gap.high, -gap.low, level, gap.method, gap.why, gap.p, gap.statistic)


# ---- several data sets ----


@record(slots=True)
class Across:
    """Models over several data sets: Friedman's test, and Nemenyi's critical difference of mean ranks."""

    measure: str
    data_sets: tuple[str, ...]
    models: tuple[str, ...]
    values: tuple[tuple[float, ...], ...]
    friedman: Estimate
    nemenyi: CriticalDifference

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain data."""
        return {
            "measure": self.measure,
            "data_sets": list(self.data_sets),
            "models": list(self.models),
            "values": [list(row) for row in self.values],
            "friedman": self.friedman.to_dict(),
            "nemenyi": self.nemenyi.to_dict(),
        }


def across(validations: Mapping[str, Validation], measure: str = "accuracy", *, level: float = 0.95) -> Across:
    """Rank models on each of several data sets by the mean of a measure over the folds.

    Friedman's test with Iman and Davenport's F, then Nemenyi's critical difference. Higher values must be better, so
    error rates are reversed. Demsar, J Mach Learn Res 2006;7:1-30.
    """
    if len(validations) < 2:
        raise RocscopeError(
            "ranking models needs at least two data sets", hint="For one data set, use validation.compare()"
        )
    first = next(iter(validations.values())).names
    for name, validation in validations.items():
        if set(validation.names) != set(first):
            raise RocscopeError(
                f"data set '{name}' has different models: {', '.join(validation.names)}",
                hint="Give the same models everywhere",
            )
    rows = [[float(np.nanmean(one.over_seeds(model, measure))) for model in first] for one in validations.values()]
    for name, row in zip(validations, rows, strict=True):
        if any(math.isnan(value) for value in row):
            raise RocscopeError(f"{measure} is undefined for a model on data set '{name}'")
    sign = -1.0 if measure in LOSSES else 1.0
    scores = sign * np.array(rows)
    return Across(
        measure, tuple(validations), first, tuple(map(tuple, rows)),
        significance.friedman(scores, level=level), significance.nemenyi(scores, names=first, level=level),
    )  # fmt: skip
