"""Which columns are meant, where that is plain from their names and what they hold."""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from dataclasses import dataclass

from rocscope.cli.reader import MISSING, Opened, TextColumns, sample_of
from rocscope.errors import RocscopeError
from rocscope.sources.column_names import EITHER, LABELS, NOT_SCORES, PREDICTED, SCORES
from rocscope.tally import PAIRS

PREFIX = re.compile(r"^(p|prob|proba|probability|score)[_ .-]", re.IGNORECASE)
NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")
MOST = 50  # classes that a column of hard labels may have
FLAGS = tuple(map(set, PAIRS))


@dataclass(frozen=True, slots=True)
class Guess:
    """The columns taken: the label, and scores or predicted labels."""

    label: str
    scores: tuple[str, ...] = ()
    predicted: str | None = None

    def command(self, *files: str, word: str = "evaluate") -> str:
        """The command that says the same."""
        scores = [word for score in self.scores for word in ("--score", score)]
        column = scores or ["--predicted", str(self.predicted)]
        return shlex.join(["rocscope", word, *files, "--label", self.label, *column])


def guess(columns: Opened, file: str, *, label: str | None = None, word: str = "evaluate") -> Guess:
    """The label and the score (or predicted label) of a file; refused with what to write where that is not plain."""
    columns = sample_of(columns)
    values = {name: _values(columns, name) for name in columns.names}
    truth = label if label is not None else _label(values)
    if truth is None or truth not in values:
        raise _ambiguous(columns, file, truth, word=word)
    others = [name for name in columns.names if name != truth]
    scored = [name for name in others if _is_score(name, values[name])]
    named = [name for name in scored if _plain(name) in SCORES]
    if len(named) == 1 or (not named and len(scored) == 1):
        return Guess(truth, scores=((named or scored)[0],))
    of_classes = [name for name in others if {name, PREFIX.sub("", name)} & values[truth] and _is_numeric(values[name])]
    if len(of_classes) > 2 and class_columns(of_classes, values[truth]):
        return Guess(truth, scores=tuple(of_classes))
    hard = [name for name in others if _plain(name) in PREDICTED | EITHER and len(values[name]) <= MOST]
    if not scored and len(hard) == 1:
        return Guess(truth, predicted=hard[0])
    raise _ambiguous(columns, file, truth, scored, word=word)


def class_columns(scores: Sequence[str], present: set[str]) -> dict[str, str]:
    """The score column of each class, where every label is the name of one (or its end, as in p_cat); else {}."""
    plain = {name: name for name in scores}
    for named in (plain, {PREFIX.sub("", name): name for name in scores}):
        if present <= set(named) and len(named) == len(scores) > 1:
            return named
    return {}


def _label(values: dict[str, set[str]]) -> str | None:
    named = [name for name in values if _plain(name) in LABELS and 1 <= len(values[name]) <= MOST]
    if len(named) == 1:
        return named[0]
    pairs = [name for name in (named or values) if values[name] in FLAGS]
    return pairs[0] if len(pairs) == 1 else None


def _values(columns: TextColumns, name: str) -> set[str]:
    cells = {cell.strip() for cell in columns.cells(name)}
    return {cell for cell in cells if cell.lower() not in MISSING}


def _is_score(name: str, values: set[str]) -> bool:
    plain = _plain(name)
    many = len(values) > 2 or plain in SCORES - EITHER
    return many and plain not in NOT_SCORES and _is_numeric(values)


def _is_numeric(values: set[str]) -> bool:
    return bool(values) and all(NUMBER.fullmatch(value) for value in values)


def _plain(name: str) -> str:
    return re.sub(r"[\s.-]+", "_", name.strip().lower())


def _ambiguous(
    columns: TextColumns, file: str, label: str | None, scored: list[str] | None = None, *, word: str
) -> RocscopeError:
    found = ", ".join(columns.names[:12]) + (", ..." if len(columns.names) > 12 else "")
    start = f"rocscope {word} {shlex.quote(file)} --label {shlex.quote(label) if label else 'COLUMN'}"
    hint = f"Write {start} --score COLUMN"
    if scored and len(scored) > 1:
        several = " ".join(f"--score {shlex.quote(name)}" for name in scored[:3])
        hint += f"; or compare: rocscope compare {shlex.quote(file)} --label {shlex.quote(str(label))} {several}"
    what = "its scores" if label else "its labels"
    return RocscopeError(f"{columns.source} does not say plainly which column holds {what}; it has {found}", hint=hint)
