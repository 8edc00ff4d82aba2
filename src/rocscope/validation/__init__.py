"""`validate` turns models and data into a distribution of validation errors and a fair comparison of models.

>>> from sklearn.datasets import load_breast_cancer
>>> from sklearn.naive_bayes import GaussianNB
>>> from sklearn.tree import DecisionTreeClassifier
>>> from rocscope.validation import validate
>>> X, y = load_breast_cancer(return_X_y=True)
>>> va = validate({"bayes": GaussianNB(), "tree": DecisionTreeClassifier(max_depth=3)}, X, y, plan="5x2", seed=0)
>>> va.errors["bayes"].shape, va.recommended
((10,), 'bayes')

- `folds.py`: `Problem` (the cases) and `Fold` (what one model did in one fold)
- `fold_fit.py`: one fit, timed, and all of them, in parallel; `run_folder.py`: the run directory
- `fold_statistics.py`: any measure in every fold; `comparisons.py`: the test that fits the plan, several data sets
- `primary_measure.py`: what decides between models
- `results.py`: `Validation`; `cross_validated_auc.py`, `cross_validated_losses.py`, `estimates.py`, `roc_average.py`
- `fold_column.py`: predictions made elsewhere, with a column that names their folds
- `models.py`: models by name, and columns of text as features; `document.py`: the answer
"""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from time import perf_counter
from types import MappingProxyType
from typing import Any

import numpy as np

from rocscope.decisions import Costs
from rocscope.errors import RocscopeError
from rocscope.splits import Bootstrap, LeavePairOut, Nested, Pairs, named, need_scikit_learn
from rocscope.validation.comparisons import across, check_margin, fitting_test
from rocscope.validation.fold_column import validated_predictions
from rocscope.validation.fold_fit import APPARENT, How, Progress, Task, check_jobs, fit_one, run, weight_name
from rocscope.validation.folds import Fold, Problem
from rocscope.validation.models import classifier, demo_data, features_of, imported_model, prepared
from rocscope.validation.primary_measure import checked_measure, checked_values
from rocscope.validation.results import Summary, Validation, ValidationSettings
from rocscope.validation.roc_average import averaged_roc
from rocscope.validation.run_folder import Store, run_key

__all__ = [
    "Fold", "Problem", "Summary", "Validation", "ValidationSettings", "across", "averaged_roc", "classifier",
    "demo_data", "features_of", "imported_model", "prepared", "validate", "validated_predictions",
]  # fmt: skip

MOST_SECONDS = 60  # maximum estimated running time of leave-pair-out, in seconds


def validate(
    models: Any,
    X: Any,
    y: Any,
    plan: Any = "10-fold",
    *,
    seed: int = 0,
    positive: Any = None,
    labels: Sequence[Any] | None = None,
    weights: Any = None,
    groups: Any = None,
    stratified: bool | None = None,
    inner: Any = None,
    scores: str = "auto",
    seeds: int = 1,
    learning: Sequence[float] = (),
    costs: Costs | None = None,
    choose: str | None = None,
    test: str | None = None,
    measure: str | None = None,
    margin: float | None = None,
    memory: bool = False,
    notes: Mapping[str, Mapping[str, Any]] | None = None,
    level: float = 0.95,
    n_jobs: int | None = None,
    run_directory: str | os.PathLike[str] | None = None,
    on_error: str = "keep",
    progress: Progress | None = None,
    source: Mapping[str, Any] | None = None,
) -> Validation:
    """Fit and score models on the same splits of a plan: how good each is, how certain that is, and which is better.

    `models` are scikit-learn classifiers or pipelines by name; `plan` is a name ("10-fold", "5x2", "loo", ...), a plan
    of `rocscope.splits`, a scikit-learn splitter or a list of pairs. Unset random states are derived from the seed;
    `seeds=n` refits each split with n of them. `scores` is "auto" (probabilities if available, otherwise decision
    values) or "labels". `inner` is a plan by which thresholds are chosen inside each training set, and `learning=(0.25,
    0.5)` also trains on these shares of it. `test` names the test for comparing models (by default, the one that fits
    the plan), and `measure` names the measure that decides between them ("f1", "macro_f1", "error_rate", ...; by
    default, the cost if costs are given, otherwise the AUC or, without a ranking, the error rate). `margin` is the
    largest difference that does not matter (for test="bayesian-t"). `memory` measures peak memory, which takes longer.
    `notes` records what no run can measure ({"tree": {"interpretable": True}}). `n_jobs` or a joblib backend runs fits
    in parallel. With `run_directory`, finished fits are kept, and the same call resumes where it was stopped. A fit
    that fails is reported, unless `on_error="raise"`.

    >>> from sklearn.naive_bayes import GaussianNB
    >>> va = validate(GaussianNB(), [[0.], [1.], [2.], [3.], [4.], [5.]], [0, 0, 1, 0, 1, 1], plan="3-fold")
    >>> [round(float(error), 2) for error in va.errors["GaussianNB"]]
    [0.5, 0.0, 0.5]
    """
    need_scikit_learn("validation")
    settings = ValidationSettings(level, seed, seeds, scores, memory, costs, choose, test, margin=margin)
    estimators = named_models(models)
    problem = Problem.of(X, y, positive=positive, labels=labels, weights=weights, groups=groups)
    pairs = named(plan, seed=settings.seed, inner=inner, stratified=stratified).pairs(problem.classes, problem.groups)
    if test is not None:
        check_margin(fitting_test(test, pairs), margin, "margin")  # fail before any model is fitted
    if measure is not None:
        settings = replace(settings, measure=checked_measure(measure, problem, pairs))
    how = How(scores, memory, every_state=seeds > 1)
    tasks = _tasks(estimators, problem, pairs, settings, _shares(learning))
    _refuse_hours(estimators, problem, pairs, tasks, how)
    store = None
    if run_directory is not None:
        key = run_key(problem, estimators, pairs, how, [(t.key, t.state, t.everywhere) for t in tasks])
        store = Store.open(run_directory, key, {"models": list(estimators), "plan": pairs.says, "fits": len(tasks)})
    start = perf_counter()
    folds, resumed = run(
        estimators, problem, tasks, how, store=store, n_jobs=check_jobs(n_jobs), on_error=on_error, progress=progress
    )
    about = {"seconds": perf_counter() - start, "resumed": resumed, "n_jobs": n_jobs}
    validation = Validation(
        problem, pairs, tuple(estimators),
        folds=tuple(fold for fold in folds if fold.split != APPARENT and fold.share == 1.0),
        apparent=MappingProxyType({fold.model: fold for fold in folds if fold.split == APPARENT}),
        learning=tuple(fold for fold in folds if fold.share != 1.0),
        settings=settings, notes=MappingProxyType(_noted(notes, estimators)),
        source=MappingProxyType(dict(source or {})),
        run=MappingProxyType(about), remarks=_remarks(problem, estimators, pairs),
    )  # fmt: skip
    return checked_values(validation)


# ---- fits to run ----


def _tasks(
    models: Mapping[str, Any], problem: Problem, pairs: Pairs, settings: ValidationSettings, shares: Sequence[float]
) -> list[Task]:
    """Every fit: model by model within a split, so that a run stopped early has all models on some splits."""
    plan = pairs.plan
    everywhere = isinstance(plan.outer if isinstance(plan, Nested) else plan, Bootstrap)
    tasks = []
    for split, (train, test) in enumerate(pairs):
        inner = tuple(plan.inside(pairs, split)) if isinstance(plan, Nested) and problem.kind == "binary" else ()
        for number in range(settings.seeds):
            state = settings.seed + number
            tasks += [Task(name, split, number, 1.0, train, test, state, everywhere, inner) for name in models]
        for share in shares:
            part = _part(problem, train, share, settings.seed)
            tasks += [Task(name, split, 0, share, part, test, settings.seed) for name in models]
    if everywhere:
        every = np.arange(len(problem))
        tasks += [Task(name, APPARENT, 0, 1.0, every, every, settings.seed) for name in models]
    return tasks


def _refuse_hours(models: Mapping[str, Any], problem: Problem, pairs: Pairs, tasks: Sequence[Task], how: How) -> None:
    """Leave-pair-out fits once for each pair of cases: where the first fits say that it takes long, it is refused."""
    if not isinstance(pairs.plan, LeavePairOut):
        return
    seconds = math.inf
    for _ in range(2):  # the first time, a fit may import modules
        start = perf_counter()
        for task in tasks[: len(models)]:
            fit_one(models[task.model], problem, task, how)
        seconds = min(seconds, (perf_counter() - start) * len(tasks) / len(models))
        if seconds <= MOST_SECONDS:
            return
    raise RocscopeError(
        f"leave-pair-out would need {len(tasks):,} fits, which would take about {seconds / 60:.0f} minutes",
        hint="Use plan='10-fold': its AUC is the mean over folds",
    )


def _part(problem: Problem, train: Any, share: float, seed: int) -> Any:
    """A share of the training cases, of each class as far as that goes; larger shares hold the smaller ones."""
    order = np.random.default_rng(seed).permutation(len(train))
    if problem.kind != "labels":
        codes = problem.codes[train][order]
        rank = np.empty(len(order))
        for code in np.unique(codes):
            inside = np.flatnonzero(codes == code)
            rank[inside] = (np.arange(len(inside)) + 0.5) / len(inside)
        order = order[np.argsort(rank, kind="stable")]
    return np.sort(train[order[: max(1, round(share * len(train)))]])


# ---- arguments ----


def named_models(models: Any) -> dict[str, Any]:
    """Models by name: a mapping, one model, or a list of models or names ("logistic")."""
    if isinstance(models, Mapping):
        by_name = {str(name): model for name, model in models.items()}
    elif isinstance(models, list | tuple):
        by_name = {}
        for model in models:
            name = model if isinstance(model, str) else type(model).__name__
            by_name[name if name not in by_name else f"{name} {sum(k.startswith(name) for k in by_name) + 1}"] = model
    else:
        by_name = {models if isinstance(models, str) else type(models).__name__: models}
    if not by_name:
        raise RocscopeError("no model given", hint='validate({"logistic": LogisticRegression()}, X, y)')
    return {name: _model(name, model) for name, model in by_name.items()}


def _model(name: str, model: Any) -> Any:
    if isinstance(model, str):
        return classifier(model)
    if isinstance(model, type) or not (hasattr(model, "fit") and hasattr(model, "predict")):
        kind = f"the class {model.__name__}" if isinstance(model, type) else f"a {type(model).__name__}"
        raise RocscopeError(f"model '{name}' is {kind}, not a classifier with fit and predict", hint="Give an instance")
    return model


def _remarks(problem: Problem, models: Mapping[str, Any], pairs: Pairs) -> tuple[str, ...]:
    """What is particular here: weights not used, no AUC of leave-one-out, classes absent from test sets."""
    remarks = []
    if problem.weights is not None:
        remarks += [
            f"{name} does not accept sample weights: it was fitted without them and evaluated with them."
            for name, model in models.items()
            if not weight_name(model)
        ]
    if problem.kind != "labels" and max(pairs.test_sizes) == 1:
        remarks.append(
            "Leave-one-out gives no AUC, because its scores come from different models (Airola et al., Comput Stat "
            "Data Anal 2011;55:1828). For an AUC, use the plan 10-fold or lpo (leave-pair-out)."
        )
        sizes = np.sort(np.bincount(problem.codes))
        if sizes[-1] - sizes[-2:][0] <= 1:
            remarks.append(
                "The largest classes are equally large: under leave-one-out a model that predicts the larger class of "
                "its training cases is wrong every time (Kohavi, IJCAI 1995:1137-1143). 10-fold has no such bias."
            )
    return (*remarks, *_absent(problem, pairs))


def _absent(problem: Problem, pairs: Pairs) -> list[str]:
    """Which classes are in no case of some test sets, so that averages over classes leave them out there."""
    if problem.kind != "classes" or max(pairs.test_sizes) == 1:
        return []
    sets = np.array([np.bincount(problem.codes[pair.test], minlength=len(problem.labels)) for pair in pairs])
    return [
        f"Class {problem.labels[code]} is absent from {count} of {len(pairs)} test sets: averages over classes "
        "exclude it there."
        for code, count in enumerate((sets == 0).sum(axis=0).tolist())
        if 0 < count < len(pairs)
    ]


def _shares(shares: Sequence[float]) -> list[float]:
    distinct = sorted({float(share) for share in shares} - {1.0})
    if distinct and not 0 < distinct[0] <= distinct[-1] < 1:
        raise RocscopeError(f"shares of the training cases must lie between 0 and 1, not {distinct}")
    return distinct


def _noted(notes: Mapping[str, Mapping[str, Any]] | None, models: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    for name in notes or {}:
        if name not in models:
            raise RocscopeError(f"notes= names '{name}', which is not a model", hint=f"Models: {', '.join(models)}")
    return {name: dict(note) for name, note in (notes or {}).items()}
