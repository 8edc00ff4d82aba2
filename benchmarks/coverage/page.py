"""docs/coverage.md, written from the results: no figure and no verdict is typed by hand."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from benchmarks.coverage import areas, counts, pairs
from benchmarks.coverage.models import models
from benchmarks.coverage.results import Results, promises

TESTS = {"mid-p": "mid-P", "exact": "exact", "chi2": "chi-square", "chi2-corrected": "chi-square, corrected"}
Tallies = dict[areas.Cell, dict[str, areas.Tally]]


def markdown(r: Results) -> str:
    """The whole page."""
    parts = (opening(r), of_one_area(r), of_pairs(r), of_proportions(r), of_mcnemar(r), of_measures(r), settings(r))
    return "\n\n".join(line for part in parts for line in part) + "\n"


def grid(heads: Sequence[str], rows: Iterable[Sequence[str]], *, words: int = 1) -> str:
    """A Markdown table; all columns but the first `words` are numbers, to the right."""
    lines = [heads, ["---" if i < words else "---:" for i in range(len(heads))], *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def listed(values: Iterable[float]) -> str:
    return ", ".join(f"{value:g}" for value in values)


def size_list(sizes: Iterable[tuple[int, int]]) -> str:
    return ", ".join(f"{p}/{n}" for p, n in sizes)


# ---- in short ----


def opening(r: Results) -> Iterator[str]:
    yield "# Coverage: do the intervals keep their level?"
    yield (
        "An interval with level 95 % should contain the truth in 95 of 100 samples, and a test at 0.05 should "
        "reject at most 5 of 100 true null hypotheses. This page shows how far that holds, for the defaults and for "
        "other common methods. It is written by `make coverage`. ± is one Monte Carlo standard error; figures called "
        "exact are summed over all outcomes, without simulation."
    )
    kept = list(promises(r))
    rows = [(p.what, p.asked, p.found, "yes" if p.holds else "**no**") for p in kept]
    yield grid(("claim", "required", "measured", "holds"), rows, words=4)
    missed = [p.what for p in kept if not p.holds]
    if not missed:
        yield "All of them hold. The weak cells are named below all the same."
        return
    yield f"{len(kept) - len(missed)} of {len(kept)} claims hold. These do not:"
    yield "\n".join(f"- {line}" for line in _missed(r, missed))


def _missed(r: Results, names: Sequence[str]) -> Iterator[str]:
    """Where a promise is missed and what to do about it."""
    for name in names:
        if name.startswith("DeLong"):
            yield delong_size(r)
        elif name.startswith("McNemar"):
            yield mcnemar_condition(r)
        else:
            yield f"{name}: the cells are listed below."


# ---- one area ----


def of_one_area(r: Results) -> Iterator[str]:
    yield "## The interval for one AUC"
    yield (
        f"{len(r.areas)} cells: {len(models())} score models, class sizes (positives/negatives) "
        f"{size_list(areas.SIZES)}, true AUC {listed(areas.AREAS)}; {r.samples:,} samples in each, the same for all "
        f"methods, so the coverage of one cell is known to about ± {np.sqrt(0.95 * 0.05 / r.samples):.4f}. A sample "
        "for which a method has no limits counts as not covered: for a perfect sample the usual methods shrink to "
        "[1, 1], which is wrong whenever the true AUC is not 1, and rocscope refuses that answer."
    )
    yield _methods_table(areas.by_method(r.areas))
    yield (
        "*no limits*: share of samples for which the method gives no limits; *answered*: mean coverage of the others; "
        "*past 1 or 0*: share of the intervals that leave [0, 1] and are truncated there; "
        "*width*: relative to newcombe-plain on the same samples, mean over the cells (and the largest cell)."
    )
    yield "![Coverage of five methods by class sizes and true AUC](img/coverage-auc.svg)"
    yield _reading(r)
    yield "### The default, cell by cell"
    yield "Mean over the score models, with the lowest in brackets:"
    yield _default_table(r.areas, areas.SIZES)
    yield "![Coverage of the default interval in every cell](img/coverage-default.svg)"
    yield from _weak(r)
    yield from _harder(r)


def _methods_table(found: dict[str, areas.Summary]) -> str:
    heads = (
        "method", "mean coverage", "least", "cells < 0.93", "cells < 0.84", "no limits", "answered", "width 0",
        "outside [0, 1]", "past 1 or 0", "width",
    )  # fmt: skip
    rows = []
    for name, s in found.items():
        wald = name in ("delong", "hanley-mcneil")
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
            f"{100 * s.past / (s.samples - s.refused):.1f} %" if wald else "",
            f"{s.width:.3f} ({s.widest:.2f})",
        ))  # fmt: skip
    return grid(heads, rows)


def _reading(r: Results) -> str:
    """What the first picture shows, in figures."""
    small = [c for c in r.areas if min(c.positives, c.negatives) <= 25 and c.area >= 0.95]
    easy = [c for c in r.areas if min(c.positives, c.negatives) >= 100 and c.area <= 0.9]

    def means(cells: Sequence[areas.Cell]) -> str:
        return ", ".join(f"{m} {np.mean([r.areas[c][m].coverage for c in cells]):.3f}" for m in areas.METHODS)

    perfect = sum(r.areas[c]["delong"].refused for c in small) / sum(r.areas[c]["delong"].samples for c in small)
    return (
        f"With at least 100 cases per class and an AUC of at most 0.9 the methods hardly differ ({means(easy)}). With "
        f"10 to 25 cases in the smaller class and an AUC of at least 0.95 they do ({means(small)}): "
        f"{100 * perfect:.0f} % of these samples are perfect, and a method "
        "that takes its uncertainty from the sample alone finds none in them."
    )


def _default_table(found: Tallies, sizes: Sequence[tuple[int, int]]) -> str:
    rows = []
    for size in sizes:
        row = [f"{size[0]}/{size[1]}"]
        for area in areas.AREAS:
            here = [
                tallies[areas.DEFAULT].coverage
                for cell, tallies in found.items()
                if (cell.positives, cell.negatives) == size and cell.area == area
            ]
            row.append(f"{np.mean(here):.3f} ({min(here):.3f})")
        rows.append(row)
    return grid(("positives/negatives", *(f"AUC {area:g}" for area in areas.AREAS)), rows)


def _weak(r: Results) -> Iterator[str]:
    weak = [(cell, t) for cell, t in r.areas.items() if t[areas.DEFAULT].coverage < 0.93]
    weak.sort(key=lambda item: item[1][areas.DEFAULT].coverage)
    above = sum(t[areas.DEFAULT].coverage > 0.99 for t in r.areas.values())
    if weak:
        yield "The cells in which the default covers less than 0.93:"
        yield _weak_table(weak)
        clear = sum(t[areas.DEFAULT].coverage + 2 * t[areas.DEFAULT].error < 0.93 for _, t in weak)
        yield f"Below 0.93 by more than two standard errors: {clear}."
    else:
        yield "No cell of the default lies under 0.93."
    yield f"Excessive width is also a defect, though a milder one: the default covers more than 0.99 in {above} cells."


def _weak_table(cells: Iterable[tuple[areas.Cell, dict[str, areas.Tally]]]) -> str:
    rows = []
    for cell, t in cells:
        found = t[areas.DEFAULT]
        others = [f"{t[name].coverage:.3f}" for name in areas.METHODS[1:]]
        rows.append((cell.model, cell.size, f"{cell.area:g}", f"{found.coverage:.4f} ± {found.error:.4f}", *others))
    return grid(("score model", "sizes", "AUC", areas.DEFAULT, *areas.METHODS[1:]), rows)


def _harder(r: Results) -> Iterator[str]:
    yield "### Beyond the grid"
    yield (
        f"Harder settings, outside the claims: sizes {size_list(areas.HARDER_SIZES)} with the models "
        f'"{areas.HARDER_MODELS[0]}" and "{areas.HARDER_MODELS[1]}", {len(r.harder)} cells (default interval, mean '
        "over the two models, with the lowest in brackets):"
    )
    yield _default_table(r.harder, areas.HARDER_SIZES)
    found = areas.by_method(r.harder)
    cell, tallies = min(r.harder.items(), key=lambda item: item[1][areas.DEFAULT].coverage)
    worst, default = tallies[areas.DEFAULT], found[areas.DEFAULT]
    yield (
        f"Mean coverage: {', '.join(f'{name} {s.mean:.3f}' for name, s in found.items())}. The default is weakest "
        f"with the {cell.model} model, {cell.size}, AUC {cell.area:g}: {worst.coverage:.3f} ± {worst.error:.3f} "
        f"(newcombe-plain {tallies[areas.PLAIN].coverage:.3f}, logit-delong {tallies['logit-delong'].coverage:.3f}); "
        f"{default.under_93} of {default.cells} cells lie below 0.93, {default.under_84} under 0.84; intervals of "
        f"width 0: {default.zero_width}."
    )


# ---- pairs ----


def of_pairs(r: Results) -> Iterator[str]:
    yield "## Two models on the same cases"
    yield "### The size of DeLong's test"
    most = max(o.samples for o in r.equal.values())
    errors = [np.sqrt(0.05 * 0.95 / n) for n in (r.samples, most)]
    yield (
        f"{len(r.equal)} cells in which both models have the same true AUC ({listed(pairs.EQUAL)}): normal scores "
        f"with correlation {listed(pairs.CORRELATIONS)} within each class, and some with different shapes (the "
        f"positives of the second model with standard deviation 2). {r.samples:,} samples each, {most:,} for AUC 0.7 "
        f"and 0.8, so a size of 0.05 is known to ± {errors[0]:.4f} and ± {errors[1]:.4f}. Share of p ≤ 0.05, least "
        "to largest cell:"
    )
    yield _sizes_table(r)
    excluded = 1 - min(o.tallies["floored"].coverage for o in r.equal.values())
    yield (
        f"{delong_size(r)} The default interval for the difference, further down, excludes 0 in at most "
        f"{excluded:.4f} of the samples of a cell."
    )
    yield from _permuted(r)
    unseen, swapped, total = (
        sum(getattr(o, part) for o in r.equal.values()) for part in ("unseen", "swapped", "samples")
    )
    yield (
        f"DeLong's variance of the difference was 0 in {unseen:,} of {total:,} samples; {swapped:,} of these showed a "
        "difference nevertheless and took p from the rank-swap permutation; the others have p = 1."
    )
    yield "### The interval for the difference"
    yield from _difference(r)


def _sizes_table(r: Results) -> str:
    rows = []
    for size in pairs.SIZES:
        here = [(p, o) for p, o in r.equal.items() if (p.positives, p.negatives) == size]
        row = [f"{size[0]}/{size[1]}"]
        for area in pairs.EQUAL:
            at = [o.size for p, o in here if p.first == area]
            row.append(f"{min(at):.3f} to {max(at):.3f}")
        worst = max((o for _, o in here), key=lambda o: o.size)
        rows.append((*row, f"{np.mean([o.size for _, o in here]):.4f}", f"{worst.size:.4f} ± {worst.error:.4f}"))
    return grid(("sizes", *(f"AUC {a:g}" for a in pairs.EQUAL), "mean", "largest"), rows)


def delong_size(r: Results) -> str:
    over = [(p, o) for p, o in r.equal.items() if o.size > 0.065]
    pair, worst = max(r.equal.items(), key=lambda item: item[1].size)
    where = f"DeLong's test rejects most often with {pair.name}: {worst.size:.4f} ± {worst.error:.4f}"
    if not over:
        return f"{where}. No cell is above 0.065."
    sizes = [f"{p}/{n}" for p, n in pairs.SIZES if any(x.size == f"{p}/{n}" for x, _ in over)]
    clear = sum(o.size - 2 * o.error > 0.065 for _, o in over)
    rest = [(p, o) for p, o in r.equal.items() if p.size not in sizes]
    others = ""
    if rest:
        best, most = max(rest, key=lambda item: item[1].size)
        others = f"; with all other sizes the largest is {most.size:.4f} ± {most.error:.4f} ({best.size})"
    return (
        f"{where}. {len(over)} of {len(r.equal)} cells are above 0.065 ({clear} by more than two standard errors), all "
        f"with sizes {' or '.join(sizes)}{others}. The p-value is DeLong's own, unchanged, as other software gives it;"
        " the verdict on two models follows the interval (decision 0009)."
    )


def _permuted(r: Results) -> Iterator[str]:
    """The permutation test beside DeLong's, where that rejects most."""
    here = {p: o for p, o in r.equal.items() if o.permuted}
    if not here:
        return
    alike = [(p, o) for p, o in here.items() if p.spread == 1]
    unlike = [o.permuted_size for p, o in here.items() if p.spread != 1]
    pair, worst = max(alike, key=lambda item: item[1].permuted_size)
    error = areas.error_of(worst.permuted_rejected, worst.permuted)
    yield (
        f"The rank-swap permutation test (`significance.rank_swap`, {pairs.SWAPS} draws) on the first "
        f"{worst.permuted:,} samples of the {len(here)} cells with 10 positives and AUC 0.7 or 0.8: mean "
        f"{np.mean([o.permuted_size for o in here.values()]):.4f}, largest {worst.permuted_size:.4f} ± {error:.4f} "
        f"({pair.name}) where the shapes are equal; where they differ, which this test does not treat as no "
        f"difference, up to {max(unlike):.4f}."
    )


def _difference(r: Results) -> Iterator[str]:
    apart = ", ".join(f"{a:g} and {b:g}" for a, b in pairs.UNEQUAL)
    yield (
        f"All {len(r.pairs)} cells: those above and unequal areas ({apart}). `floored` is the default of "
        "`significance.delong`: DeLong's variance, but no less than the areas and class sizes suggest. `delong` is "
        "the difference ± z standard errors; if the estimated variance is 0, it has no limits and counts as not "
        "covered."
    )
    yield _difference_table(r)
    found = areas.summary([o.tallies["floored"] for o in r.pairs.values()])
    if found.zero_width:
        apart_only = sum(o.tallies["floored"].zero_width for p, o in r.pairs.items() if p.gap)
        yield (
            f"`floored` gave [0, 0] in {found.zero_width:,} of {found.samples:,} samples, {apart_only:,} of them where "
            "the true areas differ: rankings that are not the same, but put every case at the same place among the "
            "other class. DeLong's correlation is 1 there and the floor vanishes with it. That is too sure of itself."
        )


def _difference_table(r: Results) -> str:
    rows = []
    for name in pairs.INTERVALS:
        for label, chosen in (("equal areas", (True,)), ("unequal areas", (False,)), ("all", (True, False))):
            here = [(p, o.tallies[name]) for p, o in r.pairs.items() if (p.first == p.second) in chosen]
            s = areas.summary([t for _, t in here])
            where = min(here, key=lambda item: item[1].coverage)[0].name
            rows.append((
                f"{name}, {label}", where, f"{s.mean:.4f} ± {s.error:.4f}", f"{s.least:.3f}",
                f"{s.under_93} of {s.cells}", f"{100 * s.refused / s.samples:.1f} %", str(s.zero_width),
                str(s.outside), f"{s.width:.2f}",
            ))  # fmt: skip
    heads = (
        "interval", "least with", "mean coverage", "least", "cells < 0.93", "no limits", "width 0",
        "outside [-1, 1]", "width / floored",
    )  # fmt: skip
    return grid(heads, rows, words=2)


# ---- proportions ----


def of_proportions(r: Results) -> Iterator[str]:
    yield "## Proportions"
    yield (
        "Exact: the probability that the 95 % interval of k of n contains the rate, for every rate. In each cell: "
        "the mean over all rates from 0 to 1 / the lowest over all rates / the lowest over rates from 0.1 to 0.9. The "
        "lowest value is located at the limits themselves, where the coverage jumps, not on a grid."
    )
    shown = [n for n in counts.SHOWN if n in r.cases]
    rows = []
    for method, found in r.proportions.items():
        cells = [f"{found[n].mean:.3f} / {found[n].least:.3f} / {found[n].least_in_middle:.3f}" for n in shown]
        name = f"**{method}** (default)" if method == "wilson" else method
        rows.append((name, *cells, f"{found[shown[-1]].width:.4f}"))
    yield grid(("method", *(f"n = {n}" for n in shown), f"mean width, n = {shown[-1]}"), rows)
    yield "![Mean and least coverage of intervals of a proportion against n](img/coverage-proportions.svg)"
    yield _wilson(r)


def _wilson(r: Results) -> str:
    wilson = r.proportions["wilson"]
    means, least = ([getattr(found, part) for found in wilson.values()] for part in ("mean", "least"))
    worst = min(wilson, key=lambda n: wilson[n].least_in_middle)
    sure = min(found.least for found in r.proportions["clopper-pearson"].values())
    return (
        f"Over {r.span} Wilson covers {min(means):.3f} to {max(means):.3f} on average, but not at every rate: where "
        f"the rarer outcome is expected about 0.18 times it falls to {min(least):.3f} to {max(least):.3f}, however "
        f"large n is, and for rates from 0.1 to 0.9 it is at least {wilson[worst].least_in_middle:.3f} (n = "
        f"{worst}). If you need 95 % at every rate, use clopper-pearson (least {sure:.4f}); it is wider. Wald at "
        "0 of n and n of n has zero width here, which rocscope refuses; its coverage near 0 and 1 is 0. "
        "`anytime` holds at all looks simultaneously, hence its width."
    )


# ---- McNemar ----


def of_mcnemar(r: Results) -> Iterator[str]:
    yield "## McNemar's test"
    yield (
        f"Exact: n pairs ({r.span}), each discordant with the same probability, both classifiers "
        "wrong equally often; the table gives the probability that p ≤ 0.05. The default, mid-P:"
    )
    columns = (0.1, 0.25, 0.5, 0.75, 0.9, 1.0)
    at = [int(np.argmin(abs(counts.RATES - rate))) for rate in columns]
    sizes = r.mcnemar["mid-p"]
    shown = [n for n in counts.SHOWN if n in r.cases]
    rows = [(f"n = {n}", *(f"{sizes[r.cases.index(n), i]:.4f}" for i in at)) for n in shown]
    rows.append(("largest of all n", *(f"**{sizes[:, i].max():.4f}**" for i in at)))
    yield grid(("mid-P", *(f"{100 * rate:g} % discordant" for rate in columns)), rows)
    yield mcnemar_condition(r)
    yield "![Largest size of McNemar's tests against the share of discordant pairs](img/coverage-mcnemar.svg)"
    half = counts.RATES <= 0.5
    rows = [
        (TESTS[name], f"{s[:, half].max():.4f}", f"{s.max():.4f}", f"{counts.safe_rate(s):.2f}")
        for name, s in r.mcnemar.items()
    ]
    heads = ("test", "largest size, up to half discordant", "largest size", "at most 0.05 up to a share of")
    yield grid(heads, rows)


def mcnemar_condition(r: Results) -> str:
    sizes = r.mcnemar["mid-p"]
    rate = counts.safe_rate(sizes)
    n, at = np.unravel_index(int(sizes.argmax()), sizes.shape)
    return (
        f"McNemar mid-P keeps its size, at most 0.05 for every n, while at most {100 * rate:.0f} % of the pairs are "
        f"discordant (largest there {sizes[:, rate >= counts.RATES].max():.5f}). Beyond that, the size can be larger: "
        f"{sizes[n, at]:.4f} at most, with n = {r.cases[int(n)]} and {100 * counts.RATES[at]:.0f} % discordant. Two "
        "useful classifiers disagree on far fewer cases; if nearly all pairs are discordant, use "
        f'`method="exact"` (largest size {r.mcnemar["exact"].max():.4f}).'
    )


# ---- measures ----


def of_measures(r: Results) -> Iterator[str]:
    yield "## F1, MCC and kappa"
    totals = sorted({s.n for found in r.measures.values() for s in found})
    rates = ", ".join(f"({a:g}, {b:g})" for a, b in counts.RATES_OF_CLASSES)
    many = len(next(iter(r.measures.values())))
    yield (
        f"Exact: every table of {', '.join(map(str, totals))} cases, weighted by its multinomial probability at "
        f"prevalence {listed(counts.PREVALENCES)} and (sensitivity, specificity) {rates}: {many} settings. Samples in "
        "which the measure is undefined (MCC with an empty row or column) have no interval and are left out; "
        "*undefined* is their largest share."
    )
    rows = []
    for key, found in r.measures.items():
        coverage = np.array([c.coverage for c in found.values()])
        worst = min(found, key=lambda s: found[s].coverage)
        rows.append((
            _interval_name(*key), worst.name, f"{coverage.mean():.4f}", f"{coverage.min():.3f}",
            f"{(coverage < 0.93).sum()} of {len(coverage)}", f"{max(c.undefined for c in found.values()):.3f}",
            f"{np.mean([c.width for c in found.values()]):.3f}",
        ))  # fmt: skip
    heads = ("measure, interval", "least with", "mean coverage", "least", "< 0.93", "undefined", "mean width")
    yield grid(heads, rows, words=2)
    yield from _by_total(r, totals)


def _interval_name(measure: str, method: str | None) -> str:
    if method:
        return f"{measure}, delta on the logit scale"
    return f"{measure}, " + ("Wilson, indirect" if measure == "f1" else "delta on the atanh scale") + " (default)"


def _by_total(r: Results, totals: Sequence[int]) -> Iterator[str]:
    yield "By the number of cases and the prevalence, mean (least) over sensitivity and specificity:"
    columns = [(n, p) for n in totals for p in counts.PREVALENCES]
    rows = []
    for (measure, method), found in r.measures.items():
        row = [measure + (f", {method}" if method else "")]
        for n, share in columns:
            here = [c.coverage for s, c in found.items() if (s.n, s.prevalence) == (n, share)]
            row.append(f"{np.mean(here):.3f} ({min(here):.3f})")
        rows.append(row)
    yield grid(("measure", *(f"n = {n}, {p:g}" for n, p in columns)), rows)
    by_delta = [(s, c.coverage) for key, found in r.measures.items() if key[0] != "f1" for s, c in found.items()]
    few = [coverage for s, coverage in by_delta if s.n * s.prevalence < 6 - 1e-9]
    more = [coverage for s, coverage in by_delta if s.n * s.prevalence >= 6 - 1e-9]
    yield (
        "The delta method for MCC and kappa needs positives: with fewer than six expected, coverage falls to "
        f"{min(few):.3f}, with six or more it is at least {min(more):.3f}."
    )


# ---- settings ----


def settings(r: Results) -> Iterator[str]:
    yield "## How it was made"
    yield (
        "The parameter of each score model was solved for, so that the true AUC is known by a closed form or an exact "
        "sum:"
    )
    yield "\n".join(f"- **{model.name}**: {model.says}" for model in models())
    yield (
        f"Every cell has a seed of its own (from {areas.SEED}, the model, the sizes and the AUC; NumPy's PCG64), so "
        "any part of the grid reproduces the figures of the whole, and the same version gives the same page. All "
        "limits and p-values come from the public functions: `intervals.auc`, `estimate.proportion`, `estimate.of`, "
        "`significance.delong`, `significance.rank_swap`, `significance.mcnemar`. The code is in "
        "`benchmarks/coverage`; `python -m benchmarks.coverage --quick` prints a coarse version, `--cells TEXT` the "
        "cells of one AUC whose name contains the text."
    )
    yield (
        "The drawn settings are those of `benchmarks/coverage/drawn`, by `python -m benchmarks.coverage.drawn`; what "
        "was found in each setting is in its folder `found`. This page does not cover other score models or the "
        "bootstrap methods, which are too slow for this many samples."
    )
