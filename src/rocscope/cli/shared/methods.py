"""Named methods: intervals, tests, threshold rules and resampling plans, for `rocscope explain`."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from typing import Any

import rocscope as rs
from rocscope.cli.shared.further_methods import FURTHER, FURTHER_ALIASES
from rocscope.record import record
from rocscope.text import plain_name

# common synonym -> declared name
ALIASES = {
    "score interval": "wilson", "wilson score": "wilson", "exact binomial": "clopper-pearson",
    "clopper": "clopper-pearson",
    "agresti": "agresti-coull", "beta interval": "jeffreys", "normal approximation": "wald", "always valid": "anytime",
    "confidence sequence": "anytime", "hanley": "hanley-mcneil", "bca": "bootstrap-bca",
    "percentile bootstrap": "bootstrap-percentile", "basic bootstrap": "bootstrap-basic",
    "studentized bootstrap": "bootstrap-studentized", "bootstrap studentized": "bootstrap-studentized",
    "delong test": "delong", "delong's test": "delong", "mcnemar's test": "mcnemar", "mcnemar test": "mcnemar",
    "cochran": "cochran-q", "cochran's q": "cochran-q", "nadeau bengio": "corrected-t", "nadeau": "corrected-t",
    "corrected resampled t": "corrected-t", "corrected t test": "corrected-t", "dietterich": "5x2-t",
    "5x2cv": "5x2-t", "alpaydin": "5x2-f", "combined 5x2cv f": "5x2-f", "paired t": "naive-t",
    "paired t test": "naive-t",
    "t test": "naive-t", "signed rank": "wilcoxon", "wilcoxon signed rank": "wilcoxon", "sign test": "sign",
    "equivalence": "tost", "equivalence test": "tost", "noninferiority": "non-inferiority", "rope": "bayesian-t",
    "bayesian": "bayesian-t", "critical difference": "nemenyi", "friedman test": "friedman", "begg": "venkatraman",
    "permutation test": "permutation", "youden index": "youden", "youden's j": "youden", "perfect corner": "closest",
    "closest to (0, 1)": "closest",
    "expected cost": "cost", "cheapest threshold": "cost", "leave one out": "loo", "cross validation": "10-fold",
    "k fold": "10-fold", "hold out": "holdout", "time series split": "time-5",
    "leave one group out": "leave-1-groups-out", "oob": "bootstrap", "platt scaling": "platt", "sigmoid": "platt",
    "isotonic regression": "isotonic", "pav": "isotonic", "pool adjacent violators": "isotonic",
    "recalibration": "beta",
    "beta calibration": "beta", "temperature scaling": "temperature", "cox recalibration": "logistic", "top k": "top",
    "capacity": "top", "top": "top", "gray zone": "grey_zone", "referral": "grey_zone", "reject option": "grey_zone",
    "chow": "grey_zone", "per case costs": "cost per case", "example dependent costs": "cost per case",
    **FURTHER_ALIASES,
}  # fmt: skip

FAMILIES = ("adjustment", "interval", "test", "rule", "plan", "calibration", "average", "measure")
KINDS = {
    "proportion": "confidence interval for a proportion",
    "auc": "confidence interval for the AUC",
    "auc difference": "confidence interval for a difference in AUC",
}


@record(slots=True)
class Method:
    """A declared method: its kind, its name, what it does, how to request it, and its source."""

    kind: str
    name: str
    says: str
    use: tuple[str, ...]
    cite: str = ""
    caveat: str = ""

    @property
    def family(self) -> str:
        """Its kind as a single noun: interval, test, rule, plan, calibration, average, measure or adjustment."""
        return next(word for word in FAMILIES if word in self.kind)

    def to_dict(self) -> dict[str, Any]:
        """The method for a document."""
        return {"kind": self.kind, "name": self.name, "says": self.says, "use": list(self.use), "cite": self.cite,
                "caveat": self.caveat}  # fmt: skip


def methods() -> tuple[Method, ...]:
    """Every method that has a name: intervals, tests, rules for thresholds, resampling plans, calibrators."""
    return (*_intervals(), *_tests(), *_rules(), *_plans(), *_calibrators(), *_further())


def methods_called(name: str) -> list[Method]:
    """The methods with that name, with that alias, or with it as the first part of their names.

    >>> [(one.kind, one.name) for one in methods_called("wilson")][0]
    ('confidence interval for a proportion', 'wilson')
    """
    plain = plain_name(name)
    wanted = {plain, plain_name(ALIASES.get(plain, name))}
    known = methods()
    exact = [method for method in known if plain_name(method.name) in wanted]
    return exact + [
        method for method in known if method not in exact and plain_name(method.name).startswith(f"{plain} ")
    ]


def _intervals() -> Iterator[Method]:
    rs.intervals.auc_methods()  # registers the interval methods for areas
    for fits, kind in KINDS.items():
        for method in rs.estimate.methods(fits).values():
            use = {
                "proportion": f'rs.estimate.proportion(22, 30, method="{method.name}")',
                "auc": f'rs.evaluate(y, score, interval="{method.name}").auc',
            }.get(fits, "rs.compare(frame, label=..., score=[...])")
            yield Method(kind, method.name, _sentence(method.says), (use,), method.cite, method.caveat)


def _tests() -> Iterator[Method]:
    for name, test in rs.significance.catalog().items():
        asks = f"{test.says[:1].upper()}{test.says[1:]}?" if test.says.split()[0] in _ASKING else _sentence(test.says)
        use = f"rs.significance.{test.run.__name__}(...) takes {test.takes}"
        yield Method("test between classifiers", name, asks, (use,), test.cite)


_ASKING = ("do", "are", "is", "which", "how", "on")


def _rules() -> Iterator[Method]:
    for name, rule in rs.decisions.rules().items():
        use = (f'rs.decisions.best(t, "{name}")', f"rocscope evaluate FILE --label y --score p --choose {name}")
        yield Method("rule for a threshold", name, rule.says, use, rule.cite)

    yield Method(
        "rule for a threshold", "top", "Flag the k cases with the highest scores, or a share of all cases; ties are "
            "flagged together.",
        ('rs.decisions.top(t, k=200)', 'rocscope evaluate FILE --label y --score p --choose "top 5 %"'),
    )  # fmt: skip
    yield Method(
        "rule for two thresholds", "grey_zone",
        "Flag above one threshold, do not flag below another, and refer the cases in between.",
        ("rs.decisions.grey_zone(t, rs.Costs(fp=1, fn=5), refer=0.2)",),
        "Chow 1970, IEEE Transactions on Information Theory 16:41",
    )  # fmt: skip
    yield Method(
        "rule for a threshold", "cost per case", "The threshold with the lowest total cost when each case has its own "
            "costs.",
        ("rs.decisions.best_per_case(y, score, cost_fp=5, cost_fn=amounts)",),
        "Elkan 2001, The foundations of cost-sensitive learning, IJCAI",
    )  # fmt: skip


def _calibrators() -> Iterator[Method]:
    for name, method in rs.recalibration.METHODS.items():
        use = (f'rs.recalibrate(y, p, "{name}")', f"rocscope calibrate FILE --label y --score p --method {name}")
        yield Method("calibration of probabilities", name, method.says, use, method.cite)


def _plans() -> Iterator[Method]:
    for name, plan in rs.splits.catalog().items():
        says = (inspect.getdoc(plan.kind) or "").split("\n\n")[0].replace("\n", " ")
        use = (f'rs.splits.plan("{name}", y)', f"rocscope validate DATA --target y --plan {name}")
        yield Method("resampling plan", name, says, use)


def _further() -> Iterator[Method]:
    for kind, named in FURTHER.items():
        for name, (says, use, cite) in named.items():
            yield Method(kind, name, says, (use,), cite)


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}{'' if text.endswith('.') else '.'}"
