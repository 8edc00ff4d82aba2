"""`rocscope validate`: fit models over a resampling plan, evaluate each, and compare them."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from rocscope import report
from rocscope.cli.options import cost_options, file_options, force_option, html_option, level_option, seed_option
from rocscope.cli.output import check_output, deliver, emit, say, write_page
from rocscope.cli.reader import read
from rocscope.cli.shared.arguments import costs_of
from rocscope.cli.shared.progress import progress_bar
from rocscope.errors import RocscopeError, naming

if TYPE_CHECKING:
    from rocscope.sources import TextTable

DEFAULT_MODELS = ("logistic", "knn", "tree")
GRACE = 1.2  # seconds to wait for an orderly stop before forcing it
ENDINGS = {".json": "json", ".md": "md", ".csv": "csv", ".txt": "text", ".tex": "latex"}

EPILOG = """\b
Models: logistic knn tree forest svm nb boosting majority,
        or module:factory of your own
Plans:  10-fold 5x10-fold 5x2 loo holdout bootstrap-200 nested time-5
        disjoint-10 leave-1-groups-out

\b
Examples:
  rocscope validate --demo
  rocscope validate --demo iris --model knn --model nb --plan 5x2
  rocscope validate data.csv --target y --model logistic --model forest
  rocscope validate data.csv --target y --model mymodels:make --plan 5x2
"""


@click.command(epilog=EPILOG)
@click.argument("data", required=False)
@file_options
@click.option("--target", metavar="COLUMN", help="Column to be predicted.")
@click.option("--model", "models", multiple=True, metavar="NAME", help="Model to assess; several are compared.")
@click.option("--plan", default="10-fold", show_default=True, help="Resampling plan.")
@click.option("--demo", is_flag=False, flag_value="breast", type=click.Choice(["breast", "iris"]),
              help="Data set that comes with scikit-learn: breast (the default) or iris.")  # fmt: skip
@click.option("--positive", metavar="LABEL", help="Positive label, for two classes.")
@click.option("--group", metavar="COLUMN", help="Column with groups, such as patients, which are never split.")
@click.option("--weight", metavar="COLUMN", help="Column with weights.")
@click.option("--leave-out", multiple=True, metavar="COLUMN", help="Column to exclude from the features.")
@click.option("--test", metavar="NAME", help="Test for comparing models. [default: the one that fits the plan]")
@click.option("--measure", metavar="NAME",
              help="Measure that decides if no costs are given: auc or error_rate (the defaults), f1, macro_f1, "
                   "...")  # fmt: skip
@click.option("--margin", type=float, metavar="X",
              help="Largest difference that does not matter, for --test bayesian-t.")  # fmt: skip
@seed_option
@click.option("--seeds", type=int, default=1, show_default=True, metavar="N", help="Number of random states per split.")
@click.option("--inner", metavar="PLAN", help="Plan for choosing thresholds inside each training set.")
@click.option(
    "--learning",
    multiple=True,
    type=float,
    metavar="SHARE",
    help="Additional share of each training set to train on, for learning curves.",
)
@cost_options
@click.option("--choose", metavar="RULE", help="Rule for a threshold: youden, f1, accuracy, ...")
@click.option(
    "--note", "notes", multiple=True, metavar="MODEL:TEXT", help='Note about a model, such as "tree:interpretable".'
)
@click.option("--memory", is_flag=True, help="Measure the peak memory of each fit; this takes longer.")
@level_option
@click.option(
    "--jobs", type=int, default=1, show_default=True, metavar="N", help="Number of parallel fits; -1 for all cores."
)
@click.option(
    "--run", "run_directory", metavar="DIR", help="Folder for finished fits, so that the same command can resume."
)
@click.option("--full", is_flag=True, help="Show everything: all measures, thresholds, other estimates, methods.")
@click.option("--format", type=click.Choice(["text", "json", "md", "csv", "latex"]), default="text", show_default=True,
              help="Output format; csv has a row for each fold.")  # fmt: skip
@click.option(
    "--output", metavar="OUT", help="Output file; the extension (.json, .md, .csv, .txt, .tex) determines the format."
)
@html_option
@force_option
def command(data: str | None, **given: Any) -> None:
    """Fit models over a resampling plan: how good each model is, how certain that is, and which one is better.

    All columns of DATA except the target are features: numbers (missing values imputed, scaled if needed) and
    categories (encoded). Preparation is fitted inside each training set, and every model sees the same splits.
    """
    inputs = [] if data is None else [data]
    by_ending = {**given, "format": None}
    if given["output"] and Path(given["output"]).suffix.lower() not in ENDINGS:
        hint = f"Use one of the extensions {', '.join(sorted(ENDINGS))}"
        raise RocscopeError(f"cannot determine a format from the extension of '{given['output']}'", hint=hint)
    check_output(by_ending, inputs, ENDINGS)
    X, y, extra = _demo(given) if given["demo"] else _from_file(data, given)
    with naming(data or "the demo"), progress_bar("fitting") as progress, prompt_interrupt():
        validated = _validated(X, y, extra, given, progress)
    document = write_page(validated, given, inputs)
    if given["output"]:
        deliver(document, by_ending, inputs, endings=ENDINGS)
    emit(report.answer(document, full=given["full"]), given["format"])


def _validated(X: Any, y: Any, extra: dict[str, Any], given: Mapping[str, Any], progress: Any) -> dict[str, Any]:
    from rocscope.validation import validate

    features = extra.pop("features", None)
    models = _models(given["models"] or DEFAULT_MODELS, features)
    source = {"file": extra.pop("file"), "target": given["target"] or extra.pop("target", "diagnosis")}
    if features is not None:
        source["features"] = features.to_dict()
    positive = extra.pop("positive", given["positive"])
    costs = costs_of(given["cost_fp"], given["cost_fn"], None, None)
    validation = validate(
        models, X, y, given["plan"], test=given["test"], seed=given["seed"],
        seeds=given["seeds"], positive=positive, inner=given["inner"],
        learning=given["learning"], costs=costs, choose=given["choose"], measure=given["measure"],
        margin=given["margin"], memory=given["memory"], level=given["level"],
        n_jobs=given["jobs"], run_directory=given["run_directory"], notes=_notes(given["notes"], models),
        progress=progress, source=source, **extra,
    )  # fmt: skip
    if len(validation.failures) == len(validation.folds):
        raise RocscopeError(f"no model could be fitted: {validation.failures[0].why}")
    return validation.to_dict(drawing=given["html"] is not None)


# --- input


def _demo(given: Mapping[str, Any]) -> tuple[Any, Any, dict[str, Any]]:
    from rocscope.validation import demo_data

    if given["target"] or given["group"] or given["weight"] or given["leave_out"]:
        raise RocscopeError(
            "--demo cannot be combined with options that name columns",
            hint="Leave out --target, --group, --weight and --leave-out",
        )
    X, y = demo_data(given["demo"])
    if given["demo"] == "iris":
        return X, y, {"file": "demo: Iris (Fisher)", "target": "species"}
    return X, y, {"file": "demo: breast masses (Wisconsin)", "positive": given["positive"] or "malignant"}


def _from_file(path: str | None, given: Mapping[str, Any]) -> tuple[Any, Any, dict[str, Any]]:
    if path is None:
        raise click.UsageError("Missing argument 'DATA'. To try it on built-in data, run rocscope validate --demo")
    table = read(path).whole()
    target = given["target"]
    if target is None:
        raise RocscopeError(
            f"{table.name}: name the column to be predicted", hint=f"For example: --target {table.columns[-1]}"
        )
    y = table.text(target)
    extra: dict[str, Any] = {"file": table.name, "features": _features(table, given)}
    if given["group"]:
        extra["groups"] = table.text(given["group"])
    if given["weight"]:
        extra["weights"] = table.numbers(given["weight"])
    return extra["features"].X, y, extra


def _features(table: TextTable, given: Mapping[str, Any]) -> Any:
    from rocscope.validation import features_of

    used = {given["target"], given["group"], given["weight"], *given["leave_out"]}
    for name in given["leave_out"]:
        table.cells(name)  # raises an error with the closest name if the column does not exist
    features = features_of({name: table.cells(name) for name in table.columns if name not in used})
    for name, why in features.left_out.items():
        say(f"rocscope: {table.name}: column '{name}' was left out: {why}")
    return features


def _models(names: Sequence[str], features: Any) -> dict[str, Any]:
    from rocscope.validation import classifier, imported_model, prepared

    estimators: dict[str, Any] = {}
    for name in names:
        if name in estimators:
            raise RocscopeError(f"model '{name}' is named twice")
        estimators[name] = prepared(imported_model(name), features) if ":" in name else classifier(name, features)
    return estimators


def _notes(notes: Sequence[str], models: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    notes_by_model: dict[str, dict[str, Any]] = {}
    for note in notes:
        model, colon, words = note.rpartition(":")
        if not colon or model not in models:
            raise RocscopeError(
                f"--note must name one of the models, not '{note}'", hint="Write MODEL:TEXT, such as tree:interpretable"
            )
        notes_by_model.setdefault(model, {})[words.strip()] = True
    return notes_by_model


# --- interrupting a run


@contextmanager
def prompt_interrupt() -> Iterator[None]:
    """Make Ctrl-C stop within two seconds, even while a fit runs compiled code; finished fits are kept.

    Python handles a signal only between its own instructions. The operating system writes to a pipe immediately, where
    a thread waits: if the ordinary stop has not taken effect after a grace period, the thread ends the process.
    """
    import threading

    reader, writer = os.pipe()
    with suppress(OSError, AttributeError):
        os.set_blocking(writer, False)
    try:
        before = signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
    except ValueError:  # not in the main thread, where Python does not allow signal handlers
        os.close(reader)
        os.close(writer)
        yield
        return
    over = threading.Event()

    def watch() -> None:
        while number := os.read(reader, 1):
            if over.is_set():
                return
            if number[0] == signal.SIGINT and not over.wait(GRACE):
                say("rocscope: interrupted")
                os._exit(130)

    threading.Thread(target=watch, daemon=True).start()
    try:
        yield
    finally:
        over.set()
        signal.set_wakeup_fd(before)
        os.write(writer, b"\0")
