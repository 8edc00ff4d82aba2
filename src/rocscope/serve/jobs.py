"""Validation on a data set in a background thread, with progress reports and a way to stop it."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any

from rocscope.errors import RocscopeError, did_you_mean
from rocscope.record import record
from rocscope.serve.answers import page_of
from rocscope.serve.control_names import with_controls
from rocscope.serve.sessions import Job, Session
from rocscope.sources import Source

MODELS = ("logistic", "knn", "tree", "forest", "svm", "nb", "boosting", "majority")
PLANS = ("10-fold", "5-fold", "5x2", "5x10-fold", "holdout", "bootstrap-200", "loo")


class Stopped(Exception):
    """The user stopped a run."""


@record(slots=True)
class ValidationRequest:
    """What to fit: the column to predict, models by name, the plan, columns to exclude from the features."""

    target: str
    models: tuple[str, ...]
    plan: str
    positive: str | None = None
    leave_out: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not self.models:
            raise RocscopeError("no model was selected", hint=f"Choose one of {', '.join(MODELS)}")
        for model in self.models:  # built-in names only: nothing sent by a client is ever imported
            if model not in MODELS:
                raise RocscopeError(f"there is no model '{model[:40]}'", hint=did_you_mean(model, MODELS))
        if self.plan not in PLANS:
            raise RocscopeError(f"there is no plan '{self.plan[:40]}'", hint=", ".join(PLANS))


def start(session: Session, table: Source, wanted: ValidationRequest) -> Job:
    """Start a run in the background."""
    if wanted.target not in table.columns:
        raise RocscopeError(
            f"there is no column '{wanted.target[:40]}'", hint=did_you_mean(wanted.target, table.columns)
        )
    job = session.start()
    threading.Thread(target=_work, args=(session, job, table, wanted), daemon=True, name="rocscope-validate").start()
    return job


def _work(session: Session, job: Job, table: Source, wanted: ValidationRequest) -> None:
    try:
        validation = validated(table, wanted, lambda done, total: _tell(job, done, total))
        title = f"{wanted.plan} on {table.name}"
        job.report = session.keep(title, page_of(validation, title)).key
        job.state = "done"
    except Stopped:
        job.state = "stopped"
    except RocscopeError as error:
        job.state, job.error = "failed", str(with_controls(error))
    except Exception as error:  # a model may raise anything; the page gets a message, never a traceback
        job.state, job.error = "failed", f"the run failed: {type(error).__name__}"


def _tell(job: Job, done: int, total: int) -> None:
    job.done, job.total = done, total
    if job.stop.is_set():
        raise Stopped


def validated(table: Source, wanted: ValidationRequest, progress: Any) -> Any:
    """Run the validation itself."""
    from rocscope.validation import classifier, features_of, validate

    text = table.whole()
    labels = [cell.strip() for cell in text.cells(wanted.target)]
    if not all(labels):
        raise RocscopeError(f"'{wanted.target}' is missing in {labels.count('')} rows", hint="Remove these rows")
    hidden: Sequence[str] = (wanted.target, *wanted.leave_out)
    features = features_of({name: text.cells(name) for name in text.columns if name not in hidden})
    models = {name: classifier(name, features) for name in wanted.models}
    validation = validate(
        models, features.X, labels, wanted.plan, positive=wanted.positive if len(set(labels)) == 2 else None,
        progress=progress, source={"file": table.name, "target": wanted.target},
    )  # fmt: skip
    if len(validation.failures) == len(validation.folds):
        raise RocscopeError(f"no model could be fitted: {validation.failures[0].why}")
    return validation
