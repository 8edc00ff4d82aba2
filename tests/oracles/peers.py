"""Reference values of Python packages, frozen: `python peers.py` writes peers.json.

Needs statsmodels, mlxtend, scikit-posthocs and baycomp, which nothing else here does.
"""

from __future__ import annotations

import json
import warnings
from importlib.metadata import version
from pathlib import Path

import numpy as np
from scipy import stats

warnings.simplefilter("ignore")
COUNTS = [(1, 1), (1, 20), (5, 20), (10, 20), (19, 20), (40, 50), (3, 7), (80, 100), (999, 1000), (123, 4567)]


def proportions() -> list[dict]:
    """Limits by statsmodels and scipy; 0 of n and n of n are left out where they do not reach the end."""
    from statsmodels.stats.proportion import proportion_confint

    names = {"wilson": "wilson", "clopper-pearson": "beta", "jeffreys": "jeffreys", "agresti-coull": "agresti_coull"}
    found = []
    for k, n in COUNTS:
        for level in (0.8, 0.95, 0.99):
            limits = {
                ours: [float(x) for x in proportion_confint(k, n, alpha=1 - level, method=theirs)]
                for ours, theirs in names.items()
            }
            if 0 < k < n:
                limits["wald"] = [float(x) for x in proportion_confint(k, n, alpha=1 - level, method="normal")]
            corrected = stats.binomtest(k, n).proportion_ci(level, method="wilsoncc")
            limits["wilson-continuity"] = [float(corrected.low), float(corrected.high)]
            found.append({"k": k, "n": n, "level": level, "limits": limits})
    return found


def differences() -> list[dict]:
    """Newcombe's hybrid score interval of two independent proportions by statsmodels."""
    from statsmodels.stats.proportion import confint_proportions_2indep

    found = []
    for k1, n1, k2, n2 in [(40, 50, 30, 50), (7, 10, 7, 20), (1, 30, 9, 31), (56, 70, 48, 80), (5, 56, 0, 29)]:
        low, high = confint_proportions_2indep(k1, n1, k2, n2, method="newcomb", compare="diff")
        found.append({"k1": k1, "n1": n1, "k2": k2, "n2": n2, "low": float(low), "high": float(high)})
    return found


def discordant() -> list[dict]:
    """McNemar by statsmodels and mlxtend, for counts where neither divides by zero nor corrects below zero."""
    from mlxtend.evaluate import mcnemar as mlxtend_mcnemar
    from statsmodels.stats.contingency_tables import mcnemar

    found = []
    for b, c in [(2, 9), (9, 2), (0, 5), (30, 45), (121, 59), (15, 4)]:
        table = np.array([[20, b], [c, 30]])
        plain, corrected = (mcnemar(table, exact=False, correction=corr) for corr in (False, True))
        chi2, p = mlxtend_mcnemar(table, corrected=True)
        found.append(
            {
                "b": b,
                "c": c,
                "exact": float(mcnemar(table, exact=True).pvalue),
                "chi2": [float(plain.statistic), float(plain.pvalue)],
                "chi2-corrected": [float(corrected.statistic), float(corrected.pvalue)],
                "mlxtend-corrected": [float(chi2), float(p)],
            }
        )
    return found


def adjusted(generator: np.random.Generator) -> list[dict]:
    """Multiplicity by statsmodels."""
    from statsmodels.stats.multitest import multipletests

    found = []
    for count in (1, 3, 10, 40):
        p = (generator.random(count) ** 2).tolist()
        names = {"holm": "holm", "bonferroni": "bonferroni", "bh": "fdr_bh"}
        found.append({"p": p} | {ours: multipletests(p, method=theirs)[1].tolist() for ours, theirs in names.items()})
    return found


class Planned:
    """A stub estimator: mlxtend only ever asks it to fit."""

    def __init__(self, role: str) -> None:
        self.role = role

    def fit(self, data: object, target: object) -> Planned:
        return self


def resampled(generator: np.random.Generator) -> list[dict]:
    """5x2cv t and F and the naive k-fold t by mlxtend, fed with planned differences through the scorer."""
    from mlxtend.evaluate import combined_ftest_5x2cv, paired_ttest_5x2cv, paired_ttest_kfold_cv

    first, second = Planned("first"), Planned("second")
    data, target = np.arange(40.0).reshape(20, 2), np.tile([0, 1], 10)

    def run(test: object, plan: np.ndarray, **more: object) -> list[float]:
        left = iter(plan.ravel())
        scorer = lambda estimator, x, y: next(left) if estimator.role == "first" else 0.0  # noqa: E731
        return [float(x) for x in test(first, second, data, target, scoring=scorer, random_seed=1, **more)]

    plans = [np.array([[0.03, 0.01], [0.02, 0.04], [0, 0.02], [0.05, 0.01], [0.01, 0.02]])]
    plans += [generator.normal(0.01, 0.02, (5, 2)).round(4) for _ in range(4)]
    return [
        {
            "diffs": plan.tolist(),
            "t": run(paired_ttest_5x2cv, plan),
            "f": run(combined_ftest_5x2cv, plan),
            "naive": run(paired_ttest_kfold_cv, plan, cv=10),
        }
        for plan in plans
    ]


def several(generator: np.random.Generator) -> list[dict]:
    """Cochran's Q by mlxtend and statsmodels."""
    from mlxtend.evaluate import cochrans_q
    from statsmodels.stats.contingency_tables import cochrans_q as statsmodels_q

    found = []
    for cases, models in [(30, 2), (40, 3), (100, 5)]:
        right = (generator.random((cases, models)) < np.linspace(0.6, 0.85, models)).astype(int)
        q, p = cochrans_q(np.ones(cases, int), *right.T)
        other = statsmodels_q(right)
        found.append({"correct": right.tolist(), "q": float(q), "p": float(p), "statsmodels": float(other.statistic)})
    return found


def ranked(generator: np.random.Generator) -> list[dict]:
    """Friedman by scipy, Nemenyi's p-values by scikit-posthocs, studentized range by scipy."""
    from scikit_posthocs import posthoc_nemenyi_friedman

    found = []
    for rows, models in [(6, 3), (14, 4), (20, 6)]:
        scores = (generator.random((rows, models)) + np.linspace(0, 0.5, models)).round(6)
        chi2, p = stats.friedmanchisquare(*scores.T)
        quantile = stats.studentized_range.ppf(0.95, models, np.inf)
        found.append(
            {
                "scores": scores.tolist(),
                "chi2": float(chi2),
                "p": float(p),
                "nemenyi": posthoc_nemenyi_friedman(scores).to_numpy().tolist(),
                "q95": float(quantile),
            }
        )
    return found


def bayesian(generator: np.random.Generator) -> list[dict]:
    """Correlated t (exact) and signed rank (200,000 draws) by baycomp, whose differences are second - first."""
    import baycomp

    found = []
    for folds, runs in [(10, 1), (10, 10)]:
        diffs = generator.normal(0.01, 0.03, folds * runs).round(4)
        zeros = np.zeros_like(diffs)
        left, rope, right = baycomp.CorrelatedTTest.probs(zeros, diffs, rope=0.01, runs=runs)[:3]
        found.append({"diffs": diffs.tolist(), "folds": folds, "t": [float(x) for x in (left, rope, right)]})
    for count in (6, 14, 30):
        diffs = generator.normal(0.01, 0.03, count).round(4)
        zeros = np.zeros_like(diffs)
        left, rope, right = baycomp.SignedRankTest.probs(
            zeros, diffs, rope=0.01, prior=0.5, nsamples=200_000, random_state=1
        )[:3]
        found.append({"diffs": diffs.tolist(), "signed_rank": [float(x) for x in (left, rope, right)]})
    return found


def main() -> None:
    """Write every reference value, with the versions that made it."""
    generator = np.random.default_rng(20261115)
    packages = ("numpy", "scipy", "statsmodels", "mlxtend", "scikit-posthocs", "baycomp")
    frozen = {
        "made_with": {name: version(name) for name in packages},
        "proportions": proportions(),
        "differences": differences(),
        "discordant": discordant(),
        "adjusted": adjusted(generator),
        "resampled": resampled(generator),
        "several": several(generator),
        "ranked": ranked(generator),
        "bayesian": bayesian(generator),
    }
    Path(__file__).with_name("peers.json").write_text(json.dumps(frozen, indent=0) + "\n")


if __name__ == "__main__":
    main()
