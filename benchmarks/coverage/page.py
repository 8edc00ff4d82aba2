"""docs/coverage.md, written from the results: no figure and no verdict is typed by hand."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from benchmarks.coverage import areas, counts, pairs
from benchmarks.coverage.models import models
from benchmarks.coverage.results import Results, promises

TESTS = {"mid-p": "mid-P", "exact": "exact", "chi2": "chi-square", "chi2-corrected": "chi-square, corrected"}


def markdown(r: Results) -> str:
    """The whole page."""
    parts = (opening(r), of_one_area(r), of_pairs(r), of_proportions(r), of_mcnemar(r), of_measures(r), settings(r))
    return "\n\n".join(line for part in parts for line in part) + "\n"


def grid(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A Markdown table, numbers to the right."""
    lines = [heads, ["---", *("---:" for _ in heads[1:])], *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def count(number: int, noun: str) -> str:
    return f"{number} {noun}" + ("" if number == 1 else "s")


# ---- in short ----


def opening(r: Results) -> Iterator[str]:
    yield "# Coverage: do the intervals hold what they say?"
    yield (
        "An interval with level 95 % should contain the truth in 95 of 100 samples, and a test at 0.05 should reject at "
        "most 5 of 100 true null hypotheses. This page says how far that is so, for the defaults and for what others "
        "use. It is written by `make coverage`; ± is one Monte-Carlo standard error, and figures without ± are exact."
    )
    kept = list(promises(r))
    rows = [(p.what, p.asked, p.found, "yes" if p.holds else "**no**") for p in kept]
    yield grid(("promise", "asked", "found", "holds"), rows)
    missed = [p for p in kept if not p.holds]
    if missed:
        yield f"{count(len(missed), 'promise')} of {len(kept)} {'is' if len(missed) == 1 else 'are'} not kept as asked:"
        yield "\n".join(f"- {line}" for line in _missed(r, [p.what for p in missed]))
    else:
        yield "All of them hold. The weak cells are named below all the same."


def _missed(r: Results, names: Sequence[str]) -> Iterator[str]:
    """Why a promise is missed and what to do, for those with something to say."""
    for name in names:
        if name.startswith("DeLong"):
            yield delong_advice(r)
        elif name.startswith("McNemar"):
            yield mcnemar_condition(r)
        else:
            yield f"{name}: see the cells below."


# ---- one area ----


def of_one_area(r: Results) -> Iterator[str]:
    yield "## The interval of one AUC"
    sizes = ", ".join(f"{p}/{n}" for p, n in areas.SIZES)
    yield (
        f"{len(r.areas)} cells: {len(models())} score models, class sizes (positives/negatives) {sizes}, true AUC "
        f"{', '.join(f'{a:g}' for a in areas.AREAS)}; {r.samples:,} samples in each, the same for all methods, so one "
        f"cell near 0.95 is known to ± {np.sqrt(0.95 * 0.05 / r.samples):.4f}. A sample for which a method has no limits "
        "counts as not covered: for a perfect sample the usual methods end up at [1, 1], which is wrong whenever the "
        "true AUC is not 1, and rocscope refuses that answer."
    )
    yield _methods_table(areas.by_method(r.areas))
    yield (
        "*no limits*: share of samples the method cannot answer; *covered when answered*: mean coverage of the others; "
        "*past the range*: share of the answers whose estimate ± z standard errors leaves [0, 1] and is cut off; "
        "*width*: mean over cells of the width relative to newcombe-plain on the same samples (and the largest cell)."
    )
    yield "![Coverage of five methods by class size and true AUC](img/coverage-auc.svg)"
    yield from _reading(r)
    yield "### The default, cell by cell"
    yield "Mean over the score models, the least of them in brackets:"
    yield _default_table(r.areas, areas.SIZES)
    yield "![Coverage of the default interval in every cell](img/coverage-default.svg)"
    yield from _weak(r)
    yield from _harder(r)


def _methods_table(found: dict[str, areas.Summary]) -> str:
    heads = (
        "method", "mean coverage", "least", "cells < 0.93", "cells < 0.84", "no limits", "covered when answered",
        "width 0", "outside [0, 1]", "past the range", "width",
    )  # fmt: skip
    rows = []
    for name, s in found.items():
        wald = name in ("delong", "hanley-mcneil")
        answers = s.samples - s.refused
        rows.append((
            f"**{name}** (default)" if name == areas.DEFAULT else name,
            f"{s.mean:.4f} ± {s.error:.4f}",
            f"{s.least:.3f}",
            f"{s.under_93} ({100 * s.under_93 / s.cells:.1f} %)",
            f"{s.under_84} ({100 * s.under_84 / s.cells:.1f} %)",
            f"{100 * s.refused / s.samples:.1f} %",
            f"{s.answered:.3f}",
            str(s.zero_width),
            str(s.outside),
            f"{100 * s.past / answers:.1f} %" if wald else "none",
            f"{s.width:.3f} ({s.widest:.2f})",
        ))  # fmt: skip
    return grid(heads, rows)


def _reading(r: Results) -> Iterator[str]:
    """What the first picture shows, in figures."""
    small = [cell for cell in r.areas if min(cell.positives, cell.negatives) <= 25]
    easy = [cell for cell in r.areas if cell.area <= 0.9 and min(cell.positives, cell.negatives) >= 100]

    def mean(cells: Sequence[areas.Cell], method: str) -> str:
        return f"{np.mean([r.areas[cell][method].coverage for cell in cells]):.3f}" if cells else "-"

    def all_of(cells: Sequence[areas.Cell]) -> str:
        return ", ".join(f"{method} {mean(cells, method)}" for method in areas.METHODS)

    near = [cell for cell in small if cell.area >= 0.95]
    yield (
        f"With at least 100 cases per class and an AUC of at most 0.9 all methods are usable: {all_of(easy)}. With 10 "
        f"to 25 cases in the smaller class and an AUC of at least 0.95 they are not: {all_of(near)}."
    )


def _default_table(found: dict[areas.Cell, dict[str, areas.Tally]], sizes: Sequence[tuple[int, int]]) -> str:
    rows = []
    for size in sizes:
        row = [f"{size[0]}/{size[1]}"]
        for area in areas.AREAS:
            here = [
                tallies[areas.DEFAULT].coverage
                for cell, tallies in found.items()
                if (cell.positives, cell.negatives) == size and cell.area == area
            ]
            row.append(f"{np.mean(here):.3f} ({min(here):.3f})" if here else "")
        rows.append(row)
    return grid(("positives/negatives", *(f"AUC {area:g}" for area in areas.AREAS)), rows)


def _weak(r: Results) -> Iterator[str]:
    weak = sorted(
        (
            (t[areas.DEFAULT].coverage, cell, t)
            for cell, t in r.areas.items()
            if t[areas.DEFAULT].coverage < 0.93
        ),
        key=lambda item: item[0],
    )
    if not weak:
        yield "No cell of the default lies under 0.93."
        return
    yield f"The {count(len(weak), 'cell')} of the default under 0.93:"
    yield _weak_table((cell, t) for _, cell, t in weak)
    strict = [cov for cov, _, t in weak if cov + 2 * t[areas.DEFAULT].error < 0.93]
    yield (
        f"{len(strict)} of them by more than two standard errors. Too high is a fault as well, if a milder one: "
        f"{sum(t[areas.DEFAULT].coverage > 0.99 for t in r.areas.values())} cells lie above 0.99."
    )


def _weak_table(cells: Iterable[tuple[areas.Cell, dict[str, areas.Tally]]]) -> str:
    rows = []
    for cell, t in cells:
        found = t[areas.DEFAULT]
        others = [f"{t[name].coverage:.3f}" for name in areas.METHODS[1:]]
        rows.append((cell.model, cell.size, f"{cell.area:g}", f"{found.coverage:.4f} ± {found.error:.4f}", *others))
    return grid(("score model", "sizes", "AUC", areas.DEFAULT, *areas.METHODS[1:]), rows)


def _harder(r: Results) -> Iterator[str]:
    yield "### Beyond the grid"
    sizes = ", ".join(f"{p}/{n}" for p, n in areas.HARDER_SIZES)
    yield (
        f"Harder settings, which no promise covers: sizes {sizes} with the models {' and '.join(areas.HARDER_MODELS)} "
        f"({len(r.harder)} cells, mean over the two, the least in brackets, default interval):"
    )
    yield _default_table(r.harder, areas.HARDER_SIZES)
    found = areas.by_method(r.harder)
    low = min(r.harder.items(), key=lambda item: item[1][areas.DEFAULT].coverage)
    cell, worst = low[0], low[1][areas.DEFAULT]
    yield (
        f"Mean coverage: {', '.join(f'{name} {s.mean:.3f}' for name, s in found.items())}. The default is weakest with "
        f"{cell.model}, {cell.size}, AUC {cell.area:g}: {worst.coverage:.3f} ± {worst.error:.3f} (newcombe-plain "
        f"{low[1][areas.PLAIN].coverage:.3f}, logit-delong {low[1]['logit-delong'].coverage:.3f}); "
        f"{found[areas.DEFAULT].under_93} of {found[areas.DEFAULT].cells} cells lie under 0.93, "
        f"{found[areas.DEFAULT].under_84} under 0.84. Intervals of width 0: {found[areas.DEFAULT].zero_width}."
    )


# ---- pairs ----


def of_pairs(r: Results) -> Iterator[str]:
    yield "## Two models on the same cases"
    yield "### The size of DeLong's test"
    yield (
        f"{len(r.equal)} cells in which both models have the same true AUC ({', '.join(f'{a:g}' for a in pairs.EQUAL)}), "
        f"normal scores with correlation {', '.join(f'{c:g}' for c in pairs.CORRELATIONS)} within each class, in some "
        f"cells with unlike shapes (positives of the second model with standard deviation 2); {r.samples:,} samples "
        f"each, so a size of 0.05 is known to ± {np.sqrt(0.05 * 0.95 / r.samples):.4f}. Share of p ≤ 0.05:"
    )
    yield _sizes_table(r)
    yield delong_advice(r)
    unseen = sum(o.unseen for o in r.equal.values())
    total = sum(o.samples for o in r.equal.values())
    swapped = sum(o.swapped for o in r.equal.values())
    yield (
        f"In {unseen:,} of {total:,} samples DeLong's variance of the difference was 0; {swapped} of them showed a "
        "difference all the same and took p from the rank-swap permutation, the others have p = 1."
    )
    yield "### The interval of the difference"
    yield from _difference(r)


def _sizes_table(r: Results) -> str:
    rows = []
    for size in pairs.SIZES:
        here = [(p, o) for p, o in r.equal.items() if (p.positives, p.negatives) == size]
        if not here:
            continue
        row = [f"{size[0]}/{size[1]}"]
        for area in pairs.EQUAL:
            at = [o.size for p, o in here if p.first == area]
            row.append(f"{min(at):.3f} to {max(at):.3f}" if at else "")
        worst = max((o for _, o in here), key=lambda o: o.size)
        rows.append((*row, f"{np.mean([o.size for _, o in here]):.4f}", f"{worst.size:.4f} ± {worst.error:.4f}"))
    return grid(("sizes", *(f"AUC {a:g}" for a in pairs.EQUAL), "mean", "largest"), rows)


def delong_advice(r: Results) -> str:
    over = [(p, o) for p, o in r.equal.items() if o.size > 0.065]
    pair, worst = max(r.equal.items(), key=lambda item: item[1].size)
    where = f"DeLong's test is largest at {worst.size:.4f} ± {worst.error:.4f} ({pair.name})"
    if not over:
        return f"{where}: no cell is above 0.065."
    sizes = [f"{p}/{n}" for p, n in pairs.SIZES if any(x.size == f"{p}/{n}" for x, _ in over)]
    clear = sum(o.size - 2 * o.error > 0.065 for _, o in over)
    fine = [o.size for p, o in r.equal.items() if p.size not in sizes]
    rest = f"; with {_others(sizes)} the largest is {max(fine):.4f}" if fine else ""
    return (
        f"{where}. {len(over)} of {len(r.equal)} cells are above 0.065 ({clear} by more than two standard errors), all "
        f"with sizes {', '.join(sizes)}{rest}. The p-value is DeLong's own, unchanged, as other software gives it; with "
        "ten cases in a class read the interval below, or take the rank-swap permutation test "
        "(`significance.rank_swap`)."
    )


def _others(sizes: Sequence[str]) -> str:
    return ", ".join(f"{p}/{n}" for p, n in pairs.SIZES if f"{p}/{n}" not in sizes)


def _difference(r: Results) -> Iterator[str]:
    apart = ", ".join(f"{a:g} and {b:g}" for a, b in pairs.UNEQUAL)
    yield (
        f"All {len(r.pairs)} cells: those above and unequal areas ({apart}). `floored` is the default of "
        "`significance.delong`: DeLong's variance, but no less than the areas and class sizes make likely. `delong` is "
        "the difference ± z standard errors; no variance seen counts as not covered."
    )
    rows = []
    for name in pairs.INTERVALS:
        for label, chosen in (("equal areas", True), ("unequal areas", False), ("all", None)):
            here = [
                (p, o.tallies[name])
                for p, o in r.pairs.items()
                if chosen is None or (p.first == p.second) is chosen
            ]
            if not here:
                continue
            s = areas.summary([t for _, t in here])
            where = min(here, key=lambda item: item[1].coverage)[0].name
            rows.append((
                f"{name}, {label}", f"{s.mean:.4f} ± {s.error:.4f}", f"{s.least:.3f}", where,
                f"{s.under_93} of {s.cells}", str(s.zero_width), str(s.outside), f"{s.width:.2f}",
            ))  # fmt: skip
    heads = (
        "interval", "mean coverage", "least", "where", "cells < 0.93", "width 0", "outside [-1, 1]",
        "width / floored",
    )  # fmt: skip
    yield grid(heads, rows)


# ---- proportions ----


def of_proportions(r: Results) -> Iterator[str]:
    yield "## Proportions"
    yield (
        "Exact, by enumeration: the probability that the interval of k of n contains the rate, for every rate. *Mean* is "
        "over all rates from 0 to 1; *least* is the worst rate, found at the limits themselves, where the coverage "
        f"jumps; *least 0.1-0.9* leaves out the rates beyond. Levels 95 %, every n from {min(r.cases)} to "
        f"{max(r.cases)}."
    )
    yield _proportions_table(r)
    yield "![Mean and least coverage of intervals of a proportion against n](img/coverage-proportions.svg)"
    wilson = r.proportions["wilson"]
    least = min(found.least for found in wilson.values())
    in_middle = {n: found.least_in_middle for n, found in wilson.items()}
    worst = min(in_middle, key=lambda n: in_middle[n])
    yield (
        f"Wilson is right on average, not at every rate: with a rate near 0 or 1 (about 0.18 expected cases of the rarer "
        f"kind) its coverage falls to {least:.3f} at every n, and for rates from 0.1 to 0.9 it is at least "
        f"{in_middle[worst]:.3f} (n = {worst}). Who needs at least 95 % at every rate takes Clopper-Pearson (least "
        f"{min(f.least for f in r.proportions['clopper-pearson'].values()):.4f}) and pays in width. Wald at 0 of n is the "
        "text-book point here, which rocscope refuses; it covers nothing near 0 or 1."
    )


def _proportions_table(r: Results) -> str:
    shown = [n for n in counts.SHOWN if n in r.cases]
    heads = ("method", *(f"n = {n}: mean / least / least 0.1-0.9" for n in shown), f"mean width, n = {shown[-1]}")
    rows = []
    for method, found in r.proportions.items():
        cells = [f"{found[n].mean:.3f} / {found[n].least:.3f} / {found[n].least_in_middle:.3f}" for n in shown]
        name = f"**{method}** (default)" if method == "wilson" else method
        rows.append((name, *cells, f"{found[shown[-1]].width:.4f}"))
    return grid(heads, rows)


# ---- McNemar ----


def of_mcnemar(r: Results) -> Iterator[str]:
    yield "## McNemar's test"
    yield (
        f"Exact: n pairs (every n from {min(r.cases)} to {max(r.cases)}), each discordant with the same probability, both "
        "classifiers wrong equally often; the probability that p ≤ 0.05, summed over all outcomes."
    )
    columns = (0.1, 0.25, 0.5, 0.75, 0.9, 1.0)
    at = [int(np.argmin(abs(counts.RATES - rate))) for rate in columns]
    sizes = r.mcnemar["mid-p"]
    shown = [n for n in counts.SHOWN if n in r.cases]
    heads = ("mid-P", *(f"{100 * rate:g} % discordant" for rate in columns))
    rows = [(f"n = {n}", *(f"{sizes[r.cases.index(n), i]:.4f}" for i in at)) for n in shown]
    rows.append(("largest of all n", *(f"**{sizes[:, i].max():.4f}**" for i in at)))
    yield grid(heads, rows)
    yield mcnemar_condition(r)
    yield "![Largest size of McNemar's tests against the share of discordant pairs](img/coverage-mcnemar.svg)"
    half = counts.RATES <= 0.5
    heads = ("test", "largest size, up to half discordant", "largest size", "at most 0.05 up to a share of")
    rows = [
        (TESTS[name], f"{s[:, half].max():.4f}", f"{s.max():.4f}", f"{counts.safe_rate(s):.2f}")
        for name, s in r.mcnemar.items()
    ]
    yield grid(heads, rows)


def mcnemar_condition(r: Results) -> str:
    sizes = r.mcnemar["mid-p"]
    rate = counts.safe_rate(sizes)
    n, at = np.unravel_index(int(sizes.argmax()), sizes.shape)
    start = f"McNemar mid-P keeps its size, at most 0.05 for every n, while at most {100 * rate:.0f} % of the pairs are "
    return start + (
        f"discordant (largest there {sizes[:, rate >= counts.RATES].max():.4f}). Beyond, it can exceed it: the most is "
        f"{sizes[n, at]:.4f}, with n = {r.cases[int(n)]} and {100 * counts.RATES[at]:.0f} % discordant. Two classifiers "
        "that are worth comparing disagree on far fewer cases; where nearly all pairs are discordant, ask for "
        '`method="exact"`, which never exceeds 0.05.'
    )


# ---- measures ----


def of_measures(r: Results) -> Iterator[str]:
    yield "## F1, MCC and kappa"
    totals = sorted({s.n for found in r.measures.values() for s in found})
    yield (
        f"Exact: every table of n = {', '.join(map(str, totals))} cases, weighted by its multinomial probability at "
        f"prevalence {', '.join(f'{p:g}' for p in counts.PREVALENCES)} and (sensitivity, specificity) "
        f"{', '.join(f'({a:g}, {b:g})' for a, b in counts.RATES_OF_CLASSES)}: "
        f"{len(next(iter(r.measures.values())))} settings. Samples in which the measure is undefined (MCC with an empty "
        "row or column) have no interval and are left out; *undefined* is their largest share."
    )
    rows = []
    for (measure, method), found in r.measures.items():
        coverage = np.array([c.coverage for c in found.values()])
        worst = min(found, key=lambda s: found[s].coverage)
        default = {"f1": "Wilson, indirect"}.get(measure, "delta, atanh scale")
        rows.append((
            f"{measure}, {'delta, logit scale' if method else default + ' (default)'}",
            f"{coverage.mean():.4f}", f"{coverage.min():.3f}", worst.name, f"{(coverage < 0.93).sum()} of {len(coverage)}",
            f"{max(c.undefined for c in found.values()):.3f}", f"{np.mean([c.width for c in found.values()]):.3f}",
        ))  # fmt: skip
    heads = ("measure, interval", "mean coverage", "least", "where", "< 0.93", "undefined", "mean width")
    yield grid(heads, rows)
    yield from _by_total(r, totals)


def _by_total(r: Results, totals: Sequence[int]) -> Iterator[str]:
    rows = []
    for (measure, method), found in r.measures.items():
        row = [measure + (f", {method}" if method else "")]
        for n, share in ((n, p) for n in totals for p in counts.PREVALENCES):
            here = [c.coverage for s, c in found.items() if s.n == n and s.prevalence == share]
            row.append(f"{np.mean(here):.3f} ({min(here):.3f})")
        rows.append(row)
    heads = ("mean (least)", *(f"n = {n}, prevalence {p:g}" for n in totals for p in counts.PREVALENCES))
    yield grid(heads, rows)
    small = [c.coverage for key, found in r.measures.items() if key[0] != "f1" for s, c in found.items() if _few(s)]
    large = [
        c.coverage for key, found in r.measures.items() if key[0] != "f1" for s, c in found.items() if not _few(s)
    ]
    if small and large:
        yield (
            f"The delta method needs cases of both classes: with fewer than six expected positives MCC and kappa fall to "
            f"{min(small):.3f}, with six or more they stay at {min(large):.3f} or better. For tiny tables "
            '`method="jeffreys"` is the alternative by name.'
        )


def _few(setting: counts.Setting) -> bool:
    return setting.n * setting.prevalence < 6 - 1e-9


# ---- settings ----


def settings(r: Results) -> Iterator[str]:
    yield "## How it was made"
    said = "\n".join(f"- **{m.name}**: {m.says}" for m in models())
    yield f"Score models, each solved for its parameter so that the true AUC is known (closed form or exact sum):\n\n{said}"
    yield (
        f"Every cell has a seed of its own (from {areas.SEED}, the model, the sizes and the AUC; NumPy's PCG64), so a part "
        "of the grid gives the figures of the whole and the same version gives the same page. All limits and p-values "
        "come from the public functions: `intervals.auc`, `estimate.proportion`, `estimate.of`, `significance.delong`, "
        "`significance.mcnemar`. The code is in `benchmarks/coverage/`; `python -m benchmarks.coverage --quick` prints a "
        "coarse version, `--cells TEXT` the cells whose name contains the text."
    )
    yield (
        "What it does not show: other score models, clustered or weighted cases, thresholds chosen on the same data, and "
        "the bootstrap methods, which are too slow for this many samples."
    )
