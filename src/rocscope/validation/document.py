"""The results document of a validation: plain data, from which text and pictures are drawn."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

import numpy as np

from rocscope import curves, decisions, verdicts
from rocscope.errors import RocscopeError
from rocscope.estimate import Estimate, undefined
from rocscope.evaluation import costs_document, document_head
from rocscope.numbers import json_number
from rocscope.splits import FiveByTwo
from rocscope.table import Counts
from rocscope.text import percent
from rocscope.validation.comparisons import ON_CASES, minority, test_words
from rocscope.validation.estimates import auc_632, error_632, optimism, threshold, winner
from rocscope.validation.fold_statistics import Readings
from rocscope.validation.primary_measure import lowest_is_best, title_of
from rocscope.validation.results import Summary, Validation
from rocscope.validation.roc_average import averaged_roc
from rocscope.version import VERSION

DRAWN_FOLDS = 30  # maximum number of fold curves in the results document
DRAWN = 60  # number of points per fold curve
NO_FREE_LUNCH = "This holds for these data and this plan: no model is best on all data."
INTERVALS = {  # interval method over folds -> description for a paper
    "cvAUC": "those for the AUC use its influence curve over folds (LeDell, Petersen & van der Laan, Electron J Stat "
    "2015;9:1583), widened because the cases of each fold also train the models of the other folds",
    "losses": "those for error rates and losses use the loss of each case",
    "corrected t": "those for means over folds are corrected for overlapping training sets by the method of "
    "Nadeau and Bengio (Mach Learn 2003;52:239)",
    "t, independent": "they use Student's t over independent parts",
}
SLOPES = ("calibration_slope", "calibration_intercept", "brier")


def validation_document(va: Validation) -> dict[str, Any]:
    """The results document of a validation; only its section `times` depends on a clock or the memory."""
    summary = va.summary()
    body: dict[str, Any] = {
        **document_head("validation"),
        "data": _data(va),
        "settings": _settings(va),
        "plan": _plan(va),
        "models": list(va.names),
        "recommended": va.recommended,
        "measure": va.primary,
        "titles": {name: title_of(name) for name in ("cost", "auc", "error_rate", *va.measures)},
        "lowest_is_best": lowest_is_best(va.primary),
        "folds": _folds(va),
        "errors": {name: [json_number(value) for value in values.tolist()] for name, values in va.errors.items()},
        "summary": {name: {m: _record(record) for m, record in measures.items()} for name, measures in summary.items()},
        "costs": _costs(va),
        "test": va.test,
        "comparisons": _comparisons(va),
        "auc": _areas(va, summary),
        "roc": {name: _roc(va, name) for name in va.names} if _ranked(va) else None,
        "thresholds": _thresholds(va),
        "bootstrap": {name: _bootstrap(va, name) for name in va.names} if va.bootstrapped else None,
        "winner": _winner(va),
        "calibration": _calibration(va),
        "learning_curve": _learning(va),
        "pooled": None if (pooled := va.pooled_answer()) is None else pooled.to_dict(),
        "classes": _classes(va),
        "failures": [{"model": f.model, "split": f.split, "seed": f.seed, "why": f.why} for f in va.failures],
        "warnings": _warnings(va),
        "notes": {name: {str(k): v for k, v in note.items()} for name, note in va.notes.items()},
        "caveats": caveats(va),
        "methods": methods(va),
    }
    return body | {"verdict": verdicts.of_validation(body), "times": _times(va)}


def _data(va: Validation) -> dict[str, Any]:
    problem = va.problem
    rows = problem.codes.sum(axis=0) if problem.kind == "labels" else np.bincount(problem.codes, minlength=2)
    return {
        "cases": len(problem),
        "kind": problem.kind,
        "labels": [str(label) for label in problem.labels],
        "support": [int(count) for count in rows],
        "weighted": problem.weights is not None,
        "groups": None if va.pairs.cases.groups is None else va.pairs.cases.group_count,
        "source": dict(va.source),
    }


def _settings(va: Validation) -> dict[str, Any]:
    settings = va.settings
    return {
        "level": settings.level, "seed": settings.seed, "seeds": settings.seeds, "scores": settings.scores,
        "choose": settings.choose, "measure": settings.measure,
        "costs": None if settings.costs is None else costs_document(settings.costs),
        **({} if settings.margin is None else {"margin": settings.margin}),
    }  # fmt: skip


def _plan(va: Validation) -> dict[str, Any]:
    train, test = va.pairs.train_sizes, va.pairs.test_sizes
    return {
        "words": va.pairs.describe(),
        "pairs": len(va.pairs),
        "train": [min(train), max(train)],
        "test": [min(test), max(test)],
        "notes": list(va.pairs.notes),
    }


def _folds(va: Validation) -> list[dict[str, Any]]:
    values = {name: {m: va.of(name).values(m) for m in va.measures} for name in va.names}
    seen: Counter[str] = Counter()
    rows = []
    for fold in va.folds:
        index = seen[fold.model]
        seen[fold.model] += 1
        rows.append(
            {
                "model": fold.model,
                "split": fold.split,
                "name": va.pairs.names[fold.split],
                "repetition": va.pairs.repetitions[fold.split],
                "seed": fold.seed,
                "train": fold.train,
                "test": len(fold.cases),
                "scores": fold.score_kind,
                "why": fold.why,
                "measures": {m: json_number(column[index]) for m, column in values[fold.model].items()},
            }
        )
    return rows


def _record(value: Any) -> dict[str, Any]:
    """A value of several fields as plain data."""
    return {name: _plain(getattr(value, name)) for name in value.__dataclass_fields__}


def _plain(value: Any) -> Any:
    if isinstance(value, Estimate):
        return value.to_dict()
    if isinstance(value, Mapping):
        return {name: _plain(item) for name, item in value.items()}
    return value if isinstance(value, str) else json_number(value)


def _costs(va: Validation) -> dict[str, Any] | None:
    """The expected cost of each model per 1,000 cases, and at which thresholds it arises."""
    if va.fold_costs is None:
        return None
    return {"thresholds": va.fold_costs.decided_by, "models": {name: cost.to_dict() for name, cost in va.costs.items()}}


def _comparisons(va: Validation) -> list[dict[str, Any]]:
    if len(va.names) < 2:
        return []
    head = dict.fromkeys(("a", "b", "what", "settled", "p_adjusted", "p", "statistic"))
    whole = va.compare(together=True)
    several = len({one.what for one in whole}) > 1
    return [
        head | one.to_dict() | ({"p_together": json_number(all_.p_adjusted)} if several else {})
        for one, all_ in zip(va.compare(), whole, strict=True)
    ]


def _classes(va: Validation) -> dict[str, Any] | None:
    """Several classes: for each model the results document of its pooled cases."""
    if va.problem.kind != "classes":
        return None
    return {name: va.pooled_classes(name).to_dict() for name in va.names if len(va.pooled(name).cases)}


# ---- areas and curves ----


def _ranked(va: Validation) -> bool:
    """Whether scores of different folds may be ranked together."""
    return va.problem.kind == "binary" and "auc" in va.measures and not va.unranked


def _areas(va: Validation, summary: dict[str, dict[str, Summary]]) -> dict[str, Any] | None:
    """The AUC three ways, each by its name: they are different numbers, and often confused."""
    if va.problem.kind != "binary" or "auc" not in va.measures:
        return None
    none = undefined(va.unpooled or "not pooled", level=va.settings.level)
    return {
        name: {
            "mean_of_folds": measures["auc"].mean.to_dict() if max(va.test_sizes) > 1 else none.to_dict(),
            "pooled": (measures["auc"].pooled or none).to_dict(),
            "cv_auc": va.cv_auc(name).to_dict(),
        }
        for name, measures in summary.items()
    }


def _roc(va: Validation, name: str) -> dict[str, Any]:
    tables = [table for table in va.of(name).tables if table is not None and table.positives and table.negatives]
    fan = [curves.roc(table).thin(DRAWN) for table in tables[:DRAWN_FOLDS]]
    drawn: dict[str, Any] = {"folds": [{"fpr": _list(curve.fpr), "tpr": _list(curve.tpr)} for curve in fan]}
    for kind in ("vertical", "threshold", "pooled"):
        drawn[kind] = None
        if tables and not (kind == "pooled" and va.unpooled):
            average = averaged_roc(va, name, kind)
            names = ("fpr", "tpr", "low", "high", "thresholds", "fpr_low", "fpr_high")
            drawn[kind] = {column: _list(getattr(average, column)) for column in names} | {"folds": average.folds}
    return drawn


def _list(values: Any) -> list[Any]:
    return [json_number(float(number)) for number in np.asarray(values).tolist()]


# ---- thresholds, bootstrap, winner ----


def _thresholds(va: Validation) -> dict[str, Any] | None:
    """The rule asked for (or Youden's) judged where it was not chosen, beside where it was."""
    if not _ranked(va):
        return None
    rule = va.settings.choose or ("cost" if va.settings.costs else "youden")
    by_model: dict[str, Any] = {}
    for name in va.names:
        try:
            chosen = threshold(va, name, rule, costs=va.settings.costs if decisions.needs_costs(rule) else None)
        except RocscopeError as error:
            by_model[name] = {"rule": rule, "why": str(error)}
            continue
        by_model[name] = {
            "rule": rule, "why": "", "threshold": json_number(chosen.threshold), "chosen_on": chosen.chosen_on,
            "thresholds": [json_number(value) for value in chosen.thresholds],
            "optimistic": _point(chosen.optimistic, va), "honest": _point(chosen.honest, va),
        }  # fmt: skip
    return by_model


def _point(counts: Counts, va: Validation) -> dict[str, Any]:
    cells = {name: json_number(cell) for name, cell in counts.cells.items()}
    rates = {name: json_number(float(counts.value(name))) for name in ("recall", "specificity", "precision", "youden")}
    cost = None if va.settings.costs is None else json_number(float(va.settings.costs.expected(counts, per=1000)))
    return {"counts": cells, "measures": rates, "cost": cost}


def _bootstrap(va: Validation, name: str) -> dict[str, Any]:
    estimates: dict[str, Any] = {}
    functions = {"error_rate": error_632, "one_minus_auc": auc_632}
    for what, estimate in functions.items():
        try:
            estimates[what] = _record(estimate(va, name)) | {"why": ""}
        except RocscopeError as error:
            estimates[what] = {"why": str(error)}
    for what in ("error_rate", "auc"):
        try:
            estimates[f"optimism_{what}"] = optimism(va, name, what).to_dict()
        except RocscopeError as error:
            estimates[f"optimism_{what}"] = undefined(str(error), level=va.settings.level).to_dict()
    return estimates


def _winner(va: Validation) -> dict[str, Any] | None:
    if len(va.names) < 2 or len(va.shared_cases) < 2:
        return None
    try:
        return _record(winner(va, seed=va.settings.seed))
    except RocscopeError:  # the measure has no fast form for many resamples, or is undefined for a model
        return None


def _calibration(va: Validation) -> dict[str, Any] | None:
    """Calibration over folds, where scores are probabilities and test sets are large enough to fit a slope."""
    if not _ranked(va) or "brier" not in va.measures or max(va.test_sizes) < 20:
        return None
    return {name: {what: _over_folds(va.of(name).values(what)) for what in SLOPES} for name in va.names}


def _over_folds(values: Any) -> dict[str, Any]:
    """The mean and the spread of the folds in which a measure is defined."""
    known = values[np.isfinite(values)]
    return {
        "mean": json_number(known.mean()) if len(known) else None,
        "sd": json_number(known.std(ddof=1)) if len(known) > 1 else None,
        "folds": len(known),
    }


def _learning(va: Validation) -> dict[str, Any] | None:
    """The mean error by the share of the training cases that were used."""
    if not va.learning:
        return None
    by_model: dict[str, Any] = {}
    for name in va.names:
        rows = []
        for share in sorted({fold.share for fold in va.learning} | {1.0}):
            folds = tuple(f for f in (*va.learning, *va.folds) if f.model == name and f.share == share and f.seed == 0)
            over, train = _over_folds(Readings(va.problem, folds).values("error_rate")), [f.train for f in folds]
            rows.append(
                {
                    "share": share, "train": json_number(float(np.mean(train))), "folds": over["folds"],
                    "error_rate": over["mean"], "sd": over["sd"],
                }
            )  # fmt: skip
        by_model[name] = rows
    return by_model


def _warnings(va: Validation) -> dict[str, dict[str, int]]:
    counts_by_model: dict[str, Counter[str]] = {}
    for fold in (*va.folds, *va.learning, *va.apparent.values()):
        for message in fold.warned:
            counts_by_model.setdefault(fold.model, Counter())[message] += 1
    return {name: dict(sorted(counts.items())) for name, counts in sorted(counts_by_model.items())}


def _times(va: Validation) -> dict[str, Any]:
    per_fold = [
        {"model": f.model, "split": f.split, "seed": f.seed} | {k: json_number(v) for k, v in f.resources.items()}
        for f in va.folds
    ]
    models = {name: va.resources(name) for name in va.names}
    run = {k: (json_number(v) if isinstance(v, int | float) else v) for k, v in va.run.items()}
    return {"models": models, "folds": per_fold, "run": run}


# ---- caveats and methods ----


def caveats(va: Validation) -> list[str]:
    """What could be misleading, most serious first."""
    sentences = []
    if va.failures:
        by = {name: sum(fold.model == name for fold in va.failures) for name in va.names}
        listed = ", ".join(f"{name} in {count}" for name, count in by.items() if count)
        sentences.append(
            f"Failed fits are left out: {listed} of {len(va.pairs) * va.settings.seeds}. The first failure: "
            f"{va.failures[0].why}"
        )
    one_class = _one_class(va)
    if one_class:
        sentences.append(f"{one_class} of {len(va.pairs)} test sets have only one class, so they have no AUC.")
    if va.problem.kind != "labels" and (few := min(_support(va))) < 30:
        sentences.append(f"{few} {'case' if few == 1 else 'cases'} in the smallest class: estimates are unstable.")
    test = va.test
    if va.pairs.cases.groups is not None and test in ON_CASES:
        sentences.append("The test of error rates treats cases as independent, but cases of the same group are not.")
    if len(va.names) > 1:
        sentences += _few(va, test)
    costs = va.settings.costs
    if costs is not None and costs.prevalence is not None:
        sentences.append(
            f"The cost applies to a prevalence of {percent(float(costs.prevalence))}; error rate, accuracy, "
            f"precision and similar measures over folds apply to the sample."
        )
    sentences += va.remarks
    return [*sentences, *(f"{note[0].upper()}{note[1:]}." for note in va.pairs.notes), NO_FREE_LUNCH]


def _few(va: Validation, test: str) -> list[str]:
    """Why another test than the best known one of the plan decides: few cases, or one by one."""
    if test not in ("corrected-t5", "corrected-cases"):
        return []
    tested = va.pairs[0].test if len(va.pairs) == 1 else np.arange(len(va.problem))
    many = f"{len(tested):,} cases"
    if va.problem.kind != "labels":
        many += f", {minority(va.pairs, tested):,} outside the largest class"
    if isinstance(va.plan, FiveByTwo):
        return [
            f"There are {many}. In halves this small, the combined F test of 5x2 cross-validation too often reports "
            "differences that do not exist, so the corrected t-test is used instead."
        ]
    if test == "corrected-t5":
        return [
            f"There are {many}. With so few, repeated testing adds little information, so the corrected t-test uses "
            "5 degrees of freedom."
        ]
    if len(va.pairs) == 1:
        return [
            f"The test set has {many}. With so few, other training cases could change the ranking. Tests on cases "
            f"ignore this, so they are corrected for it."
        ]
    return [
        "The training sets change with the cases that are left out. Tests on cases ignore this, so they are "
        "corrected for it."
    ]


def _one_class(va: Validation) -> int:
    if va.problem.kind == "labels" or max(va.test_sizes) == 1:
        return 0
    return sum(len(set(va.problem.codes[pair.test].tolist())) < 2 for pair in va.pairs)


def _support(va: Validation) -> list[int]:
    counts = np.bincount(va.problem.codes)
    return [int(count) for count in counts if count]


def methods(va: Validation) -> str:
    """A few sentences about the methods, for pasting into a paper."""
    used = [record.mean.method for record in va.summary()[va.recommended].values()]
    known = [says for method, says in INTERVALS.items() if any(method_used.startswith(method) for method_used in used)]
    known = [text.replace("for means", "for other means") for text in known] if len(known) > 1 else known
    how = "; ".join(known) or "they are computed from all test cases, each counted once"
    elsewhere = "The predictions come from models fitted elsewhere"
    origin = "Models were fitted and scored on the same splits" if va.run else elsewhere
    level = f"{100 * va.settings.level:g} %"
    sentences = f"{origin} ({va.pairs.says}; rocscope {VERSION}). All intervals have level {level}: {how}."
    if len(va.names) > 1:
        margin = va.settings.margin  # only a Bayesian test has one, and probabilities in place of p-values
        adjusted = ", with Holm's adjustment" if margin is None else f", with a margin of {margin:g}"
        sentences += f" Models were compared by {test_words(va.test)}{adjusted}."
    if va.settings.seeds > 1:
        sentences += f" Each model was fitted to each split with {va.settings.seeds} random states."
    return sentences
