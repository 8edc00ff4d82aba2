"""Running the fits: one after the other or by joblib, with progress, kept as they finish."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from rocscope.errors import RocscopeError
from rocscope.validation.fold_fit import How, Task, fit_one
from rocscope.validation.folds import Fold, Problem
from rocscope.validation.run_folder import Store

Progress = Callable[[int, int], None]
ON_ERROR = ("keep", "raise")


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
    """The folds of all tasks in their order, and how many of them were already there.

    With a store every fold is kept as soon as it is done: a run that is stopped at any moment, also by Ctrl-C or
    SIGKILL, goes on from there when it is called again.
    """
    if on_error not in ON_ERROR:
        raise RocscopeError(f"no way '{on_error}' to treat an error", hint="keep or raise")
    found = {} if store is None else store.load(task.key for task in tasks)
    before, total = len(found), len(tasks)
    if progress is not None:
        progress(before, total)
    todo = [task for task in tasks if task.key not in found]
    for fold in _answers(models, problem, todo, how, n_jobs):
        if fold.why and on_error == "raise":
            raise RocscopeError(f"{fold.model} failed in split {fold.split}: {fold.why}")
        if store is not None:
            store.save(fold)
        found[fold.key] = fold
        if progress is not None:
            progress(len(found), total)
    return [found[task.key] for task in tasks], before


def _answers(
    models: Mapping[str, Any], problem: Problem, tasks: Sequence[Task], how: How, n_jobs: int | None
) -> Iterator[Fold]:
    import joblib

    if not tasks:
        return
    if joblib.effective_n_jobs(n_jobs) == 1:
        for task in tasks:
            yield fit_one(models[task.model], problem, task, how)
        return
    calls = (joblib.delayed(fit_one)(models[task.model], problem, task, how) for task in tasks)
    yield from joblib.Parallel(n_jobs=n_jobs, return_as=_return_as())(calls)


def _return_as() -> str:
    """As they finish, where the backend can; else all at the end."""
    from joblib.parallel import get_active_backend

    backend = get_active_backend()[0]
    return "generator_unordered" if getattr(backend, "supports_return_generator", False) else "list"


def check_jobs(n_jobs: Any) -> int | None:
    """A number of processes: 1 or more, -1 for all cores, None for what joblib is set to."""
    if n_jobs is None:
        return None
    if isinstance(n_jobs, bool) or not isinstance(n_jobs, int) or n_jobs == 0:
        raise RocscopeError(f"n_jobs {n_jobs!r}; 1 or more, or -1 for all cores")
    return n_jobs
