"""`rocscope evaluate`: how good, how sure, at which threshold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any

import click

from rocscope.cli.parts.evaluating import check_output, complete, deliver, evaluation_options, settings_of
from rocscope.cli.parts.guessing import class_columns, guess
from rocscope.cli.parts.predictions import as_label, blank_remarks, in_file, weights_of
from rocscope.cli.parts.progress import progress_bar
from rocscope.cli.reader import Columns, read
from rocscope.cli.streams import say
from rocscope.errors import RocscopeError
from rocscope.evaluation import ClassEvaluation, Evaluation, evaluate

EPILOG = """\b
Examples:
  rocscope evaluate scores.csv --label y --score p --cost-fn 5
  rocscope evaluate scores.csv --label y --score p --choose f1 --cross-fit 5
  rocscope evaluate labels.csv --label y --predicted yhat
  rocscope evaluate pets.csv --label y --score cat --score dog --score rat
"""


@click.command(epilog=EPILOG)
@click.argument("file")
@evaluation_options
@click.option("--predicted", metavar="COLUMN", help="Column of predicted labels, where there are no scores.")
@click.option("--probability", "probabilities", multiple=True, metavar="COLUMN=LABEL",
              help="Column of the probability of a class; one for each class.")  # fmt: skip
@click.option("--choose-on", metavar="FILE", help="Choose the threshold on the cases of another file.")
def command(file: str, **given: Any) -> None:
    """How good a classifier is, how sure that is, and at which threshold to use it.

    FILE is a CSV with a column of true labels and one of scores, of predicted labels, or one of probabilities for each
    class; - is standard input. Without column names they are taken from the file where that is plain.
    """
    inputs = [file, *([given["choose_on"]] if given["choose_on"] else [])]
    check_output(given, inputs)
    settings = settings_of(given)
    columns = read(file)
    for remark in blank_remarks(columns):
        say(f"rocscope: {columns.source}: {remark}")
    given = _named(columns, file, given)
    with in_file(columns.source), progress_bar("resampling") as progress:
        found = _evaluated(columns, given, settings, progress)
        source = {"file": file} | {name: given[name] for name in _SOURCE if given[name]}
        document = replace(found, source=MappingProxyType(source)).to_dict()
    deliver(document, given, inputs)


_SOURCE = ("label", "scores", "predicted", "probabilities", "positive", "weight", "cluster", "choose_on")


def _named(columns: Columns, file: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """The options, with the columns guessed where none is named."""
    given = dict(given)
    if given["scores"] or given["predicted"] or given["probabilities"]:
        if given["label"] is None:
            raise RocscopeError(f"{columns.source}: say which column holds the true labels: --label COLUMN")
        return given
    found = guess(columns, file, label=given["label"])
    say(f"rocscope: taken as  {found.command(file)}")
    return given | {"label": found.label, "scores": found.scores, "predicted": found.predicted}


def _evaluated(
    columns: Columns, given: Mapping[str, Any], settings: Mapping[str, Any], progress: Any
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
    columns: Columns, given: Mapping[str, Any], settings: Mapping[str, Any], progress: Any
) -> Evaluation | ClassEvaluation:
    if len(given["scores"]) > 1:
        raise RocscopeError(
            f"{len(given['scores'])} score columns for one evaluation",
            hint="Several models are compared: rocscope compare. One column per class is named like the class",
        )
    score = given["scores"][0]
    kept, left_out = complete(columns, _needed(given, {score: "score"}), missing=given["missing"])
    labels = kept.text(given["label"])
    found = evaluate(
        labels,
        kept.numbers(score),
        positive=as_label(given["positive"], labels),
        choose_on=_other(given, score, labels),
        clusters=kept.text(given["cluster"]) if given["cluster"] else None,
        name=score,
        progress=progress,
        **_weights(kept, given),
        **settings,
    )
    return replace(found, left_out=MappingProxyType(left_out))


def _needed(given: Mapping[str, Any], scores: Mapping[str, str]) -> dict[str, str]:
    needed = {given["label"]: "label", **scores}
    return needed | {given[name]: name for name in ("weight", "cluster") if given[name]}


def _weights(columns: Columns, given: Mapping[str, Any]) -> dict[str, Any]:
    if not given["weight"]:
        return {}
    return {"weights": weights_of(columns, given["weight"]), "weights_are": given["weights_are"]}


def _other(given: Mapping[str, Any], score: str, labels: Sequence[str]) -> tuple[list[str], list[float]] | None:
    """Labels and scores of the file on which the threshold is chosen."""
    if not given["choose_on"]:
        return None
    if not any(given[name] is not None for name in ("choose", "cost_fp", "cost_fn", "pt")):
        raise RocscopeError("--choose-on needs a rule", hint="Add --choose youden, say, or --cost-fn 5")
    columns = read(given["choose_on"])
    kept, _ = complete(columns, {given["label"]: "label", score: "score"}, missing=given["missing"])
    return kept.text(given["label"]), kept.numbers(score)


# --- several classes


def _hard(columns: Columns, given: Mapping[str, Any], settings: Mapping[str, Any]) -> Evaluation | ClassEvaluation:
    predicted = given["predicted"]
    kept, left_out = complete(columns, _needed(given, {predicted: "predicted label"}), missing=given["missing"])
    labels, decided = kept.text(given["label"]), kept.text(predicted)
    found = evaluate(
        labels,
        predicted=decided,
        labels=_positive_first(given["positive"], labels, decided),
        clusters=kept.text(given["cluster"]) if given["cluster"] else None,
        name=predicted,
        **_weights(kept, given),
        **settings,
    )
    return replace(found, left_out=MappingProxyType(left_out))


def _positive_first(positive: str | None, labels: Sequence[str], decided: Sequence[str]) -> list[str] | None:
    if positive is None:
        return None
    present = sorted({*labels, *decided})
    if positive not in present:
        raise RocscopeError(f"no label is '{positive}'; there are {', '.join(present[:12])}")
    return [positive, *(label for label in present if label != positive)]


def _class_columns(columns: Columns, given: Mapping[str, Any]) -> dict[str, str]:
    """The column of each class, as said or by the names of the score columns; {} for one score."""
    if given["probabilities"]:
        if given["scores"]:
            raise RocscopeError("--score and --probability", hint="Say one of the two")
        return dict(_said(columns, one) for one in given["probabilities"])
    if len(given["scores"]) < 2:
        return {}
    present = {cell for cell in columns.cells(given["label"]) if cell.strip()}
    named = class_columns(given["scores"], present)
    if named:
        taken = ", ".join(f"{column} for {label}" for label, column in list(named.items())[:6])
        say(f"rocscope: taken as probabilities of classes: {taken}{', ...' if len(named) > 6 else ''}")
    return named


def _said(columns: Columns, text: str) -> tuple[str, str]:
    """COLUMN=LABEL, where either may hold a = itself: the longest column that exists counts."""
    cuts = [place for place, letter in enumerate(text) if letter == "="]
    for place in reversed(cuts):
        if text[:place] in columns.names:
            return text[place + 1 :], text[:place]
    if not cuts:
        raise RocscopeError(f"--probability {text}: the label is missing", hint=f"Write --probability {text}=LABEL")
    columns.cells(text[: cuts[-1]])  # says which columns there are
    raise AssertionError


def _of_classes(
    columns: Columns, given: Mapping[str, Any], classes: Mapping[str, str], settings: Mapping[str, Any]
) -> Evaluation | ClassEvaluation:
    needed = _needed(given, {column: f"score of {label}" for label, column in classes.items()})
    kept, left_out = complete(columns, needed, missing=given["missing"])
    scores = [list(row) for row in zip(*(kept.numbers(column) for column in classes.values()), strict=True)]
    found = evaluate(
        kept.text(given["label"]),
        scores,
        labels=list(classes),
        clusters=kept.text(given["cluster"]) if given["cluster"] else None,
        name=", ".join(classes.values()),
        **_weights(kept, given),
        **settings,
    )
    return replace(found, left_out=MappingProxyType(left_out))
