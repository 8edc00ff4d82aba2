"""evaluate() on score tables and on saved ones: no cases are read, and whatever needs the cases is an error."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from glob import glob
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from rocscope.errors import RocscopeError
from rocscope.evaluation.binary import Evaluation
from rocscope.evaluation.classes import ClassEvaluation
from rocscope.evaluation.settings import Progress, Request, Settings, is_saved, no_threshold
from rocscope.evaluation.slices.partition import slicings_of_tables
from rocscope.multiclass import ClassSums, LabelSums
from rocscope.sources import KINDS, read_table
from rocscope.table import Confusion, ScoreTable
from rocscope.tally import spelled_alike

if TYPE_CHECKING:
    from rocscope.evaluation.multilabel import LabelEvaluation

Sums = ScoreTable | Confusion | ClassSums | LabelSums


def evaluated_tables(
    given: Any, settings: Settings, *, positive: Any = None, choose_on: Any = None, by: Any = None, name: str = "",
    progress: Progress | None = None,
) -> Evaluation | ClassEvaluation | LabelEvaluation:  # fmt: skip
    """The evaluation of a table, or of the sum of saved ones."""
    if isinstance(given, ScoreTable):
        if not len(given):
            raise RocscopeError("the table contains no cases")
        _same_positive(given, positive, "the table")
        return Evaluation(
            given, settings, name, choose_on=_other(choose_on, given), progress=progress,
            slicings=slicings_of_tables(by),
        )  # fmt: skip
    if isinstance(given, ClassSums):
        return _of_sums(given, settings, positive, choose_on, {"name": name})
    if isinstance(given, LabelSums):
        return _of_label_sums(given, settings, choose_on, {"name": name})
    if by is not None:
        raise RocscopeError(
            "by= needs the cases, but a saved table contains only sums", hint="Leave by= out, or give the cases"
        )
    files = expanded([given] if isinstance(given, str | os.PathLike) else given)
    kept = [read_table(file) for file in files]
    whole = total([one.table for one in kept], files)
    left_out: Counter[str] = Counter()
    for saved in kept:
        left_out.update(saved.left_out)
    if settings.unit == "case" and kept[0].unit:
        settings = replace(settings, unit=kept[0].unit)
    shown = ", ".join(files[:3]) + (f" and {len(files) - 3} more" if len(files) > 3 else "")
    description: dict[str, Any] = {
        "name": name or kept[0].name, "left_out": MappingProxyType(dict(left_out)),
        "source": MappingProxyType({"file": shown}),
    }  # fmt: skip
    if isinstance(whole, ClassSums):
        return _of_sums(whole, settings, positive, choose_on, description)
    if isinstance(whole, LabelSums):
        return _of_label_sums(whole, settings, choose_on, description)
    if isinstance(whole, Confusion):
        no_threshold(settings, Request(None), choose_on)
        known = next((label for label in whole.labels if str(label) == str(positive)), positive)
        return ClassEvaluation(whole, settings, positive=known, **description)
    if not len(whole):
        raise RocscopeError(f"{files[0]} contains no cases")
    _same_positive(whole, positive, files[0])
    return Evaluation(whole, settings, choose_on=_other(choose_on, whole), progress=progress, **description)


def _of_sums(
    sums: ClassSums, settings: Settings, positive: Any, choose_on: Any, description: Mapping[str, Any]
) -> ClassEvaluation:
    """Evaluate several classes from their sums; decisions are already included, so costs and thresholds are errors."""
    no_threshold(settings, Request(None), choose_on, saved=True)
    known = next((label for label in sums.labels if str(label) == str(positive)), positive)
    return ClassEvaluation(sums.matrix, settings, sums, positive=known, notes=bound_note(sums), **description)


def _of_label_sums(
    sums: LabelSums, settings: Settings, choose_on: Any, description: Mapping[str, Any]
) -> LabelEvaluation:
    """Several labels from their sums: decided when these were made, so costs and thresholds come too late."""
    from rocscope.evaluation.multilabel import LabelEvaluation

    no_threshold(settings, Request(None), choose_on, saved=True)
    notes = (
        *bound_note(sums),
        *(
            ("The labels were predicted when the sums were computed, so other thresholds cannot be applied.",)
            if sums.scored
            else ()
        ),
    )
    return LabelEvaluation(sums, MappingProxyType({}), settings, notes=notes, **description)


def bound_note(sums: ClassSums | LabelSums) -> tuple[str, ...]:
    """The note on the largest error of areas if scores were merged for lack of memory."""
    if not sums.bound:
        return ()
    off = f"an AUC can be off by {sums.bound:.1g}, and a mean of probabilities by {sums.width:.1g}"
    return (f"Not all distinct scores fit into memory: {off}.",)


def expanded(files: Sequence[Any]) -> list[str]:
    """The files matched by names and patterns, each once, because a table added twice would count its cases twice."""
    paths: list[str] = []
    for file in map(str, files):
        pattern = not os.path.exists(file) and any(letter in file for letter in "*?[")
        matched = sorted(glob(file), key=numbered) if pattern else [file]
        if not matched:
            raise RocscopeError(f"no file matches {file}")
        paths += matched
    seen: set[str] = set()
    for file in paths:
        if os.path.realpath(file) in seen:
            raise RocscopeError(f"{file} is named twice, so its cases would be counted twice")
        seen.add(os.path.realpath(file))
    return paths


def numbered(file: str) -> list[tuple[int, str]]:
    """A name split into text and numbers, so that day2 is sorted before day10."""
    return [(int(part), "") if part.isdigit() else (0, part) for part in re.split(r"([0-9]+)", file)]


def total(tables: Sequence[Sums], files: Sequence[str]) -> Sums:
    """The sum of the tables; an error names the files that cannot be added."""
    whole: Any = tables[0]
    for table, file in zip(tables[1:], files[1:], strict=True):
        if type(table) is not type(whole):
            kinds = " and ".join(KINDS[type(sums).__name__] for sums in (table, whole))
            raise RocscopeError(f"{file} and {files[0]}: {kinds} cannot be added")
        try:
            whole = whole + table
        except RocscopeError as error:
            raise RocscopeError(f"{file} and {files[0]}: {error.message}", hint=error.hint) from None
    sums: Sums = whole
    return sums


def _same_positive(table: ScoreTable, positive: Any, what: str) -> None:
    """Raise an error for a positive label other than that of the table."""
    if positive is None or str(table.labels[1]) == str(positive):
        return
    raise RocscopeError(
        f"positive={positive!r}, but the positive label of {what} is {table.labels[1]}",
        hint="Create the table with the other label as positive",
    )


def _other(choose_on: Any, whole: ScoreTable) -> ScoreTable | None:
    """The table on which the threshold is chosen: saved, or built from cases."""
    if choose_on is None or isinstance(choose_on, ScoreTable):
        return choose_on
    if not isinstance(choose_on, str | os.PathLike):
        return ScoreTable.from_scores(*choose_on, positive=whole.labels[1], higher_is_positive=whole.higher_is_positive)
    if not is_saved(choose_on):
        raise RocscopeError(f"choose_on={str(choose_on)!r} is not a saved table", hint="Save its table first")
    saved = ScoreTable.load(str(choose_on))
    if saved.higher_is_positive != whole.higher_is_positive or not spelled_alike(saved.labels[1], whole.labels[1]):
        raise RocscopeError(f"choose_on={str(choose_on)!r}: its direction or positive label differs")
    return saved
