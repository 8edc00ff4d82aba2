"""Fits: clone, fit, score, predict, with times, size and memory; one after the other or by joblib, kept as they end.

An exception of a model is reported, not raised.
"""

from __future__ import annotations

import sys
import time
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from rocscope.errors import RocscopeError
from rocscope.numbers import plain
from rocscope.record import record
from rocscope.validation.folds import Fold, Problem
from rocscope.validation.run_folder import Store

APPARENT = -1  # index of the split that trains and tests on all cases
LONGEST = 300  # maximum number of characters of an error message
Progress = Callable[[int, int], None]
ON_ERROR = ("keep", "raise")


@record(eq=False)
class Task:
    """One fit: the model, the cases for training and testing, and any other cases to predict."""

    model: str
    split: int
    seed: int
    share: float
    train: Any
    test: Any
    state: int
    everywhere: bool = False
    inner: tuple[Any, ...] = ()

    @property
    def key(self) -> tuple[str, int, int, float]:
        """The key that distinguishes this fit from all others of a run."""
        return self.model, self.split, self.seed, self.share


@record(slots=True)
class How:
    """Settings of every fit: which scores, whether memory is traced, whether all random states are set."""

    scores: str = "auto"
    memory: bool = False
    every_state: bool = False


def fit_one(estimator: Any, problem: Problem, task: Task, how: How) -> Fold:
    """The fold of a task; an exception raised by the model becomes its `why`."""
    resources: dict[str, Any] = {}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            answers = _fitted(estimator, problem, task, how, resources)
            why = ""
        except Exception as error:
            answers, why = {}, f"{type(error).__name__}: {' '.join(str(error).split())[:LONGEST]}"
    distinct = len(np.unique(task.train))
    messages = tuple(
        dict.fromkeys(f"{warning.category.__name__}: {_first_line(warning.message)}" for warning in caught)
    )
    return Fold(
        task.model, task.split, task.seed, task.share, len(task.train), distinct, task.test,
        why=why, warned=messages, resources=resources, **answers,
    )  # fmt: skip


def _first_line(message: Any) -> str:
    return str(message).strip().split("\n")[0][:LONGEST]


def _fitted(estimator: Any, problem: Problem, task: Task, how: How, resources: dict[str, Any]) -> dict[str, Any]:
    model = seeded(estimator, task.state, every=how.every_state)
    trace = how.memory
    measured(lambda: fit(model, problem, task.train), "fit", resources, trace=trace)
    where = np.arange(len(problem)) if task.everywhere else task.test
    rows = rows_of(problem.X, where)
    scores, kind = measured(lambda: scores_of(model, rows, problem, how.scores), "score", resources, trace=trace)
    predicted = measured(lambda: predicted_of(model, rows, problem), "predict", resources, trace=False)
    resources["bytes"] = size_of(model)
    answers: dict[str, Any] = {"scores": scores, "predicted": predicted, "score_kind": kind}
    if task.everywhere:
        answers["all_scores"], answers["all_predicted"] = scores, predicted
        answers["scores"] = None if scores is None else scores[task.test]
        answers["predicted"] = predicted[task.test]
    if task.inner and scores is not None:
        answers["inner_cases"], answers["inner_scores"] = _inside(estimator, problem, task, how)
    return answers


def _inside(estimator: Any, problem: Problem, task: Task, how: How) -> tuple[Any, Any]:
    """Scores for the training cases, each by a model fitted without it."""
    cases, scores = [], []
    for train, test in task.inner:
        model = seeded(estimator, task.state, every=how.every_state)
        fit(model, problem, train)
        cases.append(test)
        scores.append(scores_of(model, rows_of(problem.X, test), problem, how.scores)[0])
    return np.concatenate(cases), np.concatenate(scores)


def measured(work: Callable[[], Any], name: str, resources: dict[str, Any], *, trace: bool) -> Any:
    """The result of some work; its duration and, if requested, its peak memory (slower) are recorded."""
    if trace:
        import tracemalloc

        tracemalloc.start()
    start = time.perf_counter()
    try:
        return work()
    finally:
        resources[f"{name}_seconds"] = time.perf_counter() - start
        if trace:
            resources[f"{name}_peak"] = tracemalloc.get_traced_memory()[1]
            tracemalloc.stop()


# ---- models ----


def seeded(estimator: Any, state: int, *, every: bool) -> Any:
    """A clone with its open random states set, or all of them if seeds are compared."""
    from sklearn.base import clone

    model = clone(estimator)
    if not hasattr(model, "get_params"):
        return model
    open_ones = {
        name: state
        for name, value in model.get_params(deep=True).items()
        if (name == "random_state" or name.endswith("__random_state")) and (every or value is None)
    }
    return model.set_params(**open_ones) if open_ones else model


def fit(model: Any, problem: Problem, train: Any) -> Any:
    """Fit on some cases, with sample weights and groups if the model accepts them."""
    extra: dict[str, Any] = {}
    if problem.weights is not None and (name := weight_name(model)):
        extra[name] = problem.weights[train]
    if problem.groups is not None and takes(model, "groups"):
        extra["groups"] = problem.groups[train]
    return model.fit(rows_of(problem.X, train), problem.y[train], **extra)


def weight_name(model: Any) -> str:
    """The parameter for sample weights (of the last step of a pipeline), or "" if there is none."""
    if hasattr(model, "steps"):
        name, last = model.steps[-1]
        return f"{name}__sample_weight" if takes(last, "sample_weight") else ""
    return "sample_weight" if takes(model, "sample_weight") else ""


def takes(model: Any, name: str) -> bool:
    """Whether `fit` accepts an argument; a search over settings passes its arguments on."""
    import inspect

    inside = getattr(model, "estimator", None)
    if hasattr(model, "cv") and inside is not None:
        return name == "groups" or takes(inside, name)
    return name in inspect.signature(model.fit).parameters


def rows_of(X: Any, cases: Any) -> Any:
    """Some rows of a matrix, a sparse matrix or a frame."""
    return X.iloc[cases] if hasattr(X, "iloc") else X[cases]


# ---- predictions ----


def scores_of(model: Any, rows: Any, problem: Problem, how: str) -> tuple[Any, str]:
    """The scores of some rows and their kind ("probability" or "decision"), or None and "labels"."""
    wanted = {"auto": ("predict_proba", "decision_function"), "probability": ("predict_proba",)}
    for name in wanted.get(how, ("decision_function",) if how == "decision" else ()):
        if hasattr(model, name):
            answer = getattr(model, name)(rows)
            kind = "probability" if name == "predict_proba" else "decision"
            scores = aligned(answer, model, problem, kind)
            return (None, "labels") if scores is None else (_finite(scores), kind)
    if how in ("probability", "decision"):
        raise RocscopeError(f"{type(model).__name__} gives no {how}", hint="Use scores='auto'")
    return None, "labels"


def aligned(answer: Any, model: Any, problem: Problem, kind: str) -> Any:
    """Scores in the order of the labels; for two classes, only those of the positive label."""
    if problem.kind == "labels":
        several = isinstance(answer, list)  # one (n, 2) matrix per label
        return np.column_stack([part[:, -1] for part in answer]) if several else np.asarray(answer, dtype=np.float64)
    scores = np.asarray(answer, dtype=np.float64)
    positions = places_of(model.classes_, problem.labels)
    if problem.kind == "binary":
        if len(positions) < 2:
            raise RocscopeError("the training cases have only one class")
        if scores.ndim == 1:
            return scores if positions[1] == 1 else -scores
        return scores[:, positions.index(1)]
    if scores.ndim == 1:  # only two of several classes were in the training set
        scores = np.column_stack([-scores, scores])
    if scores.shape[1] != len(positions) or (kind == "decision" and len(positions) < len(problem.labels)):
        return None
    columns = np.zeros((len(scores), len(problem.labels)))
    columns[:, positions] = scores
    return columns


def _finite(scores: Any) -> Any:
    wrong = np.argwhere(~np.isfinite(scores))
    if wrong.size:
        raise RocscopeError(f"{len(wrong)} scores are NaN or infinite (the first is that of tested case {wrong[0][0]})")
    return scores


def places_of(classes: Any, labels: tuple[Any, ...]) -> list[int]:
    """The position of each class of a model among the labels."""
    known = [plain(label) for label in classes]
    unknown = [label for label in known if label not in labels]
    if unknown:
        raise RocscopeError(f"the model has a label {unknown[0]!r} that does not occur in y")
    return [labels.index(label) for label in known]


def predicted_of(model: Any, rows: Any, problem: Problem) -> Any:
    """The labels that a model predicts, as codes."""
    answer = np.asarray(model.predict(rows))
    if problem.kind == "labels":
        return answer.astype(np.int8)
    answer = answer.ravel()
    distinct, inverse = np.unique(answer, return_inverse=True)
    return np.array(places_of(distinct, problem.labels), dtype=np.int32)[inverse]


# ---- size of a fitted model ----


def size_of(model: Any, *, deepest: int = 12) -> int:
    """The size of a fitted model in bytes: its arrays and objects, each counted once, without serializing it."""
    seen: dict[int, Any] = {}  # keeps the objects alive, so that their ids are not reused
    total, stack = 0, [(model, 0)]
    while stack:
        item, depth = stack.pop()
        if id(item) in seen or depth > deepest or isinstance(item, type) or callable(item):
            continue
        seen[id(item)] = item
        if isinstance(item, np.ndarray) and item.dtype != object:
            total += int(item.nbytes)
            continue
        total += sys.getsizeof(item, 0)
        stack += [(inner, depth + 1) for inner in _parts(item)]
    return total


def _parts(item: Any) -> list[Any]:
    if isinstance(item, dict):
        return [*item.values()]
    if isinstance(item, list | tuple | set):
        return [*item]
    if isinstance(item, np.ndarray):
        return [*item.ravel()]
    if isinstance(item, str | bytes | int | float | complex) or item is None:
        return []
    state = getattr(item, "__dict__", None)
    if state is None and type(item).__module__.startswith("sklearn.") and hasattr(item, "node_count"):
        state = item.__getstate__()  # a scikit-learn tree exposes its nodes only here
    return [*state.values()] if isinstance(state, dict) else []


# ---- all fits of a run ----


def run(
    models: Mapping[str, Any],
    problem: Problem,
    tasks: Sequence[Task],
    how: How,
    *,
    store: Store | None = None,
    n_jobs: int | None = None,
    on_error: str = "keep",
    progress: Progress | None = None,
) -> tuple[list[Fold], int]:
    """Run all tasks, and return their folds in order with the number of folds that already existed.

    With a store, every fold is saved as soon as it is done: a run that is stopped at any moment, even by Ctrl-C or
    SIGKILL, resumes from there when it is called again.
    """
    if on_error not in ON_ERROR:
        raise RocscopeError(f"on_error must be 'keep' or 'raise', not '{on_error}'")
    folds = {} if store is None else store.load(task.key for task in tasks)
    before, total = len(folds), len(tasks)
    if progress is not None:
        progress(before, total)
    todo = [task for task in tasks if task.key not in folds]
    for fold in _answers(models, problem, todo, how, n_jobs):
        if fold.why and on_error == "raise":
            raise RocscopeError(f"{fold.model} failed in split {fold.split}: {fold.why}")
        if store is not None:
            store.save(fold)
        folds[fold.key] = fold
        if progress is not None:
            progress(len(folds), total)
    return [folds[task.key] for task in tasks], before


def _answers(
    models: Mapping[str, Any], problem: Problem, tasks: Sequence[Task], how: How, n_jobs: int | None
) -> Iterator[Fold]:
    import joblib

    if not tasks:
        return
    processes = None if n_jobs is None else min(n_jobs, len(tasks))  # more would have nothing to do
    if joblib.effective_n_jobs(processes) == 1:
        for task in tasks:
            yield fit_one(models[task.model], problem, task, how)
        return
    calls = (joblib.delayed(fit_one)(models[task.model], problem, task, how) for task in tasks)
    yield from joblib.Parallel(n_jobs=processes, return_as=_return_as())(calls)


def _return_as() -> str:
    """As they finish, where the backend can; else all at the end."""
    from joblib.parallel import get_active_backend

    backend = get_active_backend()[0]
    return "generator_unordered" if getattr(backend, "supports_return_generator", False) else "list"


def check_jobs(n_jobs: Any) -> int | None:
    """Validate a number of processes: 1 or more, -1 for all cores, None for the setting of joblib."""
    if n_jobs is None:
        return None
    if isinstance(n_jobs, bool) or not isinstance(n_jobs, int) or n_jobs == 0:
        raise RocscopeError(f"n_jobs must be 1 or more, or -1 for all cores, not {n_jobs!r}")
    return n_jobs
