"""`rocscope evaluate`: how good, how sure, at which threshold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any

import click

from rocscope.cli.reader import Kept, LargeColumns, Opened, read
from rocscope.cli.shared.evaluating import check_output, complete, deliver, evaluation_options, settings_of
from rocscope.cli.shared.guessing import class_columns, guess
from rocscope.cli.shared.html_output import check_page, page_options, page_parts, write_page
from rocscope.cli.shared.predictions import blank_remarks, in_file, weights_of
from rocscope.cli.shared.progress import progress_bar
from rocscope.cli.shared.saved_tables import (
    card_option,
    check_saving,
    is_saved,
    keep_table,
    save_table_option,
    saved_evaluation,
)
from rocscope.cli.shared.scanning import beyond_memory, exceeds, shown_files
from rocscope.cli.shared.slicing import by_names, by_options, slices_of
from rocscope.cli.streams import say
from rocscope.errors import RocscopeError
from rocscope.evaluation import ClassEvaluation, Evaluation, evaluate
from rocscope.sources.csv import BY, absent_column

EPILOG = """\b
Examples:
  rocscope evaluate scores.csv --label y --score p --cost-fn 5
  rocscope evaluate scores.csv --label y --score p --choose f1 --cross-fit 5
  rocscope evaluate scores.csv --label y --score p --by region --by sex
  rocscope evaluate labels.csv --label y --predicted yhat
  rocscope evaluate pets.csv --label y --score cat --score dog --score rat
"""


@click.command(epilog=EPILOG)
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@evaluation_options
@by_options
@click.option("--predicted", metavar="COLUMN", help="Column of predicted labels, where there are no scores.")
@click.option("--probability", "probabilities", multiple=True, metavar="COLUMN=LABEL",
              help="Column of the probability of a class; one for each class.")  # fmt: skip
@click.option("--choose-on", metavar="FILE", help="Choose the threshold on the cases of another file.")
@save_table_option
@card_option
@page_options
def command(files: tuple[str, ...], **given: Any) -> None:
    """How good a classifier is, how sure that is, and at which threshold to use it.

    FILE has a column of true labels and one of scores, of predicted labels, or one of probabilities for each class:
    CSV, TSV, JSON lines, Parquet, Arrow or Excel, also packed; - is standard input. Several files, or a pattern, are
    read one below the other. Without column names they are taken from the file where that is plain. A table saved with
    --save-table (.rst) is answered without reading a case.
    """
    inputs = [*files, *([given["choose_on"]] if given["choose_on"] else [])]
    check_output(given, inputs)
    check_saving(given, inputs)
    check_page(given, inputs)
    with progress_bar("resampling") as progress:
        found = evaluation_of(files, given, progress)
        with in_file(shown_files(files)):
            document = found.to_dict(**page_parts(files, given, found))
    keep_table(found, given, inputs)
    deliver(write_page(document, given, inputs), given, inputs)


def evaluation_of(
    files: str | Sequence[str], given: Mapping[str, Any], progress: Any = None
) -> Evaluation | ClassEvaluation:
    """The evaluation that the options ask for, as `evaluate` and `gate` use it; a saved table needs no reading."""
    settings = settings_of(given)
    files = [files] if isinstance(files, str) else list(files)
    if all(map(is_saved, files)):
        return replace(saved_evaluation(files, given, settings), source=MappingProxyType({"file": shown_files(files)}))
    columns = read(files)
    for remark in blank_remarks(columns):
        say(f"rocscope: {columns.source}: {remark}")
    given = _named(columns, files, given)
    with in_file(columns.source):
        found = _evaluated(columns, given, settings, progress)
    source = {"file": shown_files(files)} | {name: given[name] for name in _SOURCE if given[name]}
    return replace(found, source=MappingProxyType(source))


_SOURCE = ("label", "scores", "predicted", "probabilities", "positive", "weight", "cluster", "by", "choose_on")


def _named(columns: Opened, files: Sequence[str], given: Mapping[str, Any]) -> dict[str, Any]:
    """The options, with the columns guessed where none is named."""
    given = dict(given)
    if given["scores"] or given["predicted"] or given["probabilities"]:
        if given["label"] is None:
            raise RocscopeError(f"{columns.source}: say which column holds the true labels: --label COLUMN")
        return given
    context = click.get_current_context(silent=True)
    word = "evaluate" if context is None or context.info_name is None else context.info_name  # gate reads so too
    found = guess(columns, " ".join(files), label=given["label"], word=word)
    say(f"rocscope: taken as  {found.command(*files, word=word)}")
    return given | {"label": found.label, "scores": found.scores, "predicted": found.predicted}


def _evaluated(
    columns: Opened, given: Mapping[str, Any], settings: Mapping[str, Any], progress: Any
) -> Evaluation | ClassEvaluation:
    if given["predicted"]:
        if given["scores"] or given["probabilities"]:
            raise RocscopeError("--predicted and scores", hint="Say one of the two: hard labels, or scores")
        return _hard(columns, given, settings)
    classes = _class_columns(columns, given)
    if classes:
        return _of_classes(columns, given, classes, settings)
    return _scored(columns, given, settings, progress)


# --- one score


def _scored(
    columns: Opened, given: Mapping[str, Any], settings: Mapping[str, Any], progress: Any
) -> Evaluation | ClassEvaluation:
    if len(given["scores"]) > 1:
        raise RocscopeError(
            f"{len(given['scores'])} score columns for one evaluation",
            hint="Several models are compared: rocscope compare. One column per class is named like the class",
        )
    score = given["scores"][0]
    needed = _needed(given, {score: "score"})
    if isinstance(columns, LargeColumns) and exceeds(columns, given, needed):
        return beyond_memory(columns, given, settings, progress)
    kept, left_out = complete(columns, needed, missing=given["missing"])
    labels = kept.classes(given["label"])
    found = evaluate(
        labels,
        kept.numbers(score),
        positive=given["positive"],
        choose_on=_other(given, score),
        clusters=kept.text(given["cluster"]) if given["cluster"] else None,
        name=score,
        progress=progress,
        **_weights(kept, given),
        **slices_of(kept, given),
        **settings,
    )
    return replace(found, left_out=MappingProxyType(left_out))


def _needed(given: Mapping[str, Any], scores: Mapping[str, str]) -> dict[str, str]:
    needed = {given["label"]: "label", **scores}
    needed |= {given[name]: name for name in ("weight", "cluster") if given[name]}
    return dict.fromkeys(by_names(given), BY) | needed


def _weights(columns: Kept, given: Mapping[str, Any]) -> dict[str, Any]:
    if not given["weight"]:
        return {}
    return {"weights": weights_of(columns, given["weight"]), "weights_are": given["weights_are"]}


def _other(given: Mapping[str, Any], score: str) -> tuple[Any, Any] | None:
    """Labels and scores of the file on which the threshold is chosen."""
    if not given["choose_on"]:
        return None
    if not any(given[name] is not None for name in ("choose", "cost_fp", "cost_fn", "pt")):
        raise RocscopeError("--choose-on needs a rule", hint="Add --choose youden, say, or --cost-fn 5")
    columns = read(given["choose_on"])
    kept, _ = complete(columns, {given["label"]: "label", score: "score"}, missing=given["missing"])
    return kept.classes(given["label"]), kept.numbers(score)


# --- several classes


def _hard(columns: Opened, given: Mapping[str, Any], settings: Mapping[str, Any]) -> Evaluation | ClassEvaluation:
    predicted = given["predicted"]
    kept, left_out = complete(columns, _needed(given, {predicted: "predicted label"}), missing=given["missing"])
    labels, decided = kept.classes(given["label"]), kept.classes(predicted)
    present = kept.labels(given["label"]) | kept.labels(predicted)
    found = evaluate(
        labels,
        predicted=decided,
        labels=_positive_first(given["positive"], present),
        positive=given["positive"],
        clusters=kept.text(given["cluster"]) if given["cluster"] else None,
        name=predicted,
        **_weights(kept, given),
        **slices_of(kept, given),
        **settings,
    )
    return replace(found, left_out=MappingProxyType(left_out))


def _positive_first(positive: str | None, labels: set[str]) -> list[str] | None:
    if positive is None:
        return None
    present = sorted(labels)
    if positive not in present:
        raise RocscopeError(f"no label is '{positive}'; there are {', '.join(present[:12])}")
    return [positive, *(label for label in present if label != positive)]


def _class_columns(columns: Opened, given: Mapping[str, Any]) -> dict[str, str]:
    """The column of each class, as said or by the names of the score columns; {} for one score."""
    if given["probabilities"]:
        if given["scores"]:
            raise RocscopeError("--score and --probability", hint="Say one of the two")
        return dict(_said(columns, one) for one in given["probabilities"])
    if len(given["scores"]) < 2:
        return {}
    present = columns.labels(given["label"])
    named = class_columns(given["scores"], present)
    if named:
        taken = ", ".join(f"{column} for {label}" for label, column in list(named.items())[:6])
        say(f"rocscope: taken as probabilities of classes: {taken}{', ...' if len(named) > 6 else ''}")
    return named


def list_of_rows(columns: Sequence[Any]) -> Any:
    """Columns as rows: lists of lists for small files, an array for large ones."""
    if isinstance(columns[0], list):
        return [list(row) for row in zip(*columns, strict=True)]
    import numpy as np

    return np.column_stack(columns)


def _said(columns: Opened, text: str) -> tuple[str, str]:
    """COLUMN=LABEL, where either may hold a = itself: the longest column that exists counts."""
    cuts = [place for place, letter in enumerate(text) if letter == "="]
    for place in reversed(cuts):
        if text[:place] in columns.names:
            return text[place + 1 :], text[:place]
    if not cuts:
        raise RocscopeError(f"--probability {text}: the label is missing", hint=f"Write --probability {text}=LABEL")
    raise absent_column(columns.source, columns.names, text[: cuts[-1]])


def _of_classes(
    columns: Opened, given: Mapping[str, Any], classes: Mapping[str, str], settings: Mapping[str, Any]
) -> Evaluation | ClassEvaluation:
    needed = _needed(given, {column: f"score of {label}" for label, column in classes.items()})
    kept, left_out = complete(columns, needed, missing=given["missing"])
    scores = list_of_rows([kept.numbers(column) for column in classes.values()])
    found = evaluate(
        kept.classes(given["label"]),
        scores,
        labels=list(classes),
        positive=given["positive"],
        clusters=kept.text(given["cluster"]) if given["cluster"] else None,
        name=", ".join(classes.values()),
        **_weights(kept, given),
        **slices_of(kept, given),
        **settings,
    )
    return replace(found, left_out=MappingProxyType(left_out))
