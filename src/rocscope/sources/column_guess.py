"""Guess the role of each column from names and first rows, for `rocscope FILE` and for the page, which asks for
confirmation.

Each column of the first rows is profiled (distinct values, numbers or text, range). The label is a column with a
typical label name, otherwise one with two values. Scores are numeric columns that are not ids: one column per class if
columns are named after the labels (p_0 to p_9), otherwise the one with a typical score name, otherwise those between 0
and 1, otherwise all. Several groups of columns named after the labels (a_cat, a_dog, b_cat, b_dog) are several models,
and so are, without scores, several columns that contain nothing but labels. A column with a score name, or the only
candidate, may contain some text among its numbers; the error for it gives the line. `Roles.doubt` states what is
ambiguous, if anything: the command line then asks, and the page shows its guess.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence

from rocscope.record import record
from rocscope.sources.text_table import MISSING, TextTable, number
from rocscope.tally import PAIRS, plain_positive

LABEL_NAMES = frozenset({
    "label", "labels", "y", "y_true", "ytrue", "target", "actual", "truth", "true", "class", "outcome", "response",
    "ground_truth", "default", "diagnosis", "event",
})  # fmt: skip
PREDICTED_NAMES = frozenset({"predicted", "y_pred", "ypred", "yhat", "y_hat", "predicted_label"})
EITHER = frozenset({"prediction", "pred"})  # a predicted label or a score, depending on the values
SCORES = EITHER | {
    "score", "scores", "p", "prob", "proba", "probability", "y_score", "yscore", "y_prob", "y_proba", "risk",
    "pred_proba", "predicted_probability", "p1", "confidence", "decision",
}  # fmt: skip
NOT_SCORES = frozenset({
    "id", "index", "row", "case", "patient", "weight", "weights", "fold", "group", "cluster", "date", "time", "",
})  # fmt: skip
PREFIX = re.compile(r"^(p|prob|proba|probability|score)[_ .-]", re.IGNORECASE)
# prefix of a label column in multilabel data
INDICATOR = re.compile(r"(label|labels|y|y_true|true|truth|target|actual)[_ .:-]", re.IGNORECASE)
MOST_LABELS, MOST_GROUPS, MOST_MODELS = 50, 20, 8
FLAGS = tuple(map(set, PAIRS))


@record(slots=True)
class Profile:
    """The contents of a column: the numbers of distinct values, missing values, numbers and texts."""

    name: str
    distinct: int
    missing: int
    numbers: int
    texts: int
    low: float
    high: float
    whole: bool
    values: tuple[tuple[str, int], ...]

    @property
    def numeric(self) -> bool:
        """Whether all values are numbers."""
        return bool(self.numbers) and not self.texts

    @property
    def is_spoilt(self) -> bool:
        """Whether the column would be a score if there were no text among its numbers."""
        name = plain_name(self.name)
        if name in SCORES - EITHER:  # the name says it, however few rows there are
            return 0 < self.texts <= self.numbers
        return 0 < 2 * self.texts <= self.numbers and self.distinct > 2 and name not in NOT_SCORES

    @property
    def is_id(self) -> bool:
        """Whether it only identifies rows."""
        named = re.search(r"(^|_)(id|index|row|key)$", plain_name(self.name)) is not None
        return named or (self.whole and self.numeric and self.missing == 0 and self.distinct > 50 and self.high > 1)

    @property
    def is_score(self) -> bool:
        """Whether it can rank cases."""
        name = plain_name(self.name)
        return self.numeric and (self.distinct > 2 or name in SCORES - EITHER) and name not in NOT_SCORES

    @property
    def is_probability(self) -> bool:
        """Whether it lies between 0 and 1."""
        return self.is_score and self.low >= 0 and self.high <= 1

    @property
    def labels(self) -> set[str]:
        """Its distinct values, if there are few."""
        return {value for value, _ in self.values}


@record(slots=True)
class Roles:
    """The columns assigned to each role; every assignment can be changed."""

    label: str | None
    positive: str | None
    scores: tuple[str, ...]
    by: str | None = None
    predicted: str | None = None
    classes: bool = False
    """Whether each model has a score for each class."""
    hard: bool = False
    """Whether the scores are predicted labels, of several models."""
    several: bool = False
    """Whether each case has several labels: label and scores are then patterns of columns ("label_*")."""
    doubt: str = ""
    """What is ambiguous: "label", "scores", "positive"; or nothing."""
    models: tuple[tuple[str, ...], ...] = ()
    """The columns of each model."""


def profile(sample: TextTable) -> list[Profile]:
    """The contents of every column; for a large file, those of its first rows."""
    return [_profile(name, cells) for name, cells in sample.all_cells()]


def _profile(name: str, cells: Sequence[str]) -> Profile:
    counted = Counter(cell.strip() for cell in cells)
    read = {cell: as_number(cell) for cell in counted}
    missing = sum(times for cell, times in counted.items() if not cell)
    numbers = {cell: value for cell, value in read.items() if value is not None and not math.isnan(value)}
    texts = sum(counted[cell] for cell, value in read.items() if value is None)
    known = numbers.values()
    ordered = sorted(((v, n) for v, n in counted.items() if v), key=lambda pair: (-pair[1], pair[0]))
    whole = all(float(value).is_integer() for value in known)
    return Profile(
        name, len(ordered), missing, sum(counted[cell] for cell in numbers), texts,
        min(known, default=math.nan), max(known, default=math.nan), whole, tuple(ordered[:MOST_LABELS]),
    )  # fmt: skip


def as_number(cell: str) -> float | None:
    """A finite number; NaN for an empty cell, None for anything else.

    >>> as_number(" 0.5 "), as_number("1e400"), as_number("1_000"), as_number("x")
    (0.5, None, None, None)
    """
    text = cell.strip()
    return math.nan if text.lower() in MISSING else number(text)


def guess(columns: Sequence[Profile], *, label: str | None = None) -> Roles:
    """The roles that names and contents suggest; `label` is used if it is known.

    >>> from rocscope.sources.csv import read_text
    >>> rows = "".join(f"{i},{i % 2},0.{i},0.{i + 1}\\n" for i in range(1, 8))
    >>> roles = guess(profile(read_text("id,default,a,b\\n" + rows, "models.csv")))
    >>> roles.label, roles.positive, roles.scores, roles.doubt
    ('default', '1', ('a', 'b'), '')
    """
    candidates = [column for column in columns if column.name == label] if label is not None else _labels(columns)
    truth = candidates[0] if candidates else None
    rest = [column for column in columns if truth is None or column.name != truth.name]
    scored = [other for other in rest if other.is_score and not other.is_id]
    spoilt = [
        other for other in rest if other.is_spoilt
    ]  # accepted anyway: values that cannot be parsed are reported with their line
    named = [column for column in (*scored, *spoilt) if plain_name(column.name) in SCORES]
    models = _of_classes(rest, truth)
    classes = [column for own in models for column in own]
    chosen = classes or (named if len(named) == 1 else [column for column in scored if column.is_probability] or scored)
    labelled = [other for other in rest if other.distinct <= MOST_LABELS]
    hard = [column.name for column in labelled if plain_name(column.name) in PREDICTED_NAMES | EITHER]
    decided = _decided(rest, truth) if not chosen and not hard else []
    hard += [column.name for column in decided if len(decided) == 1]
    if not chosen and not hard:
        chosen = scored = decided or spoilt
    predicted = hard[0] if hard and not chosen else None
    slices = [
        other for other in rest
        if not other.numeric and 2 <= other.distinct <= MOST_GROUPS and other.name != predicted
        and other not in decided
    ]  # fmt: skip
    positive = positive_of(truth) if truth else None
    doubt = ""
    if len(candidates) != 1:
        doubt = "label"
    elif not (classes or len(named) == 1 or (chosen and chosen == scored and len(chosen) <= MOST_MODELS)):
        doubt = "" if predicted is not None and len(hard) == 1 else "scores"
    elif truth is not None and not decided and len(classes) < 2 and plain_positive(sorted(truth.labels)) is None:
        doubt = "positive"
    return Roles(
        truth.name if truth else None,
        positive,
        tuple(column.name for column in chosen),
        slices[0].name if slices else None,
        predicted,
        len(max(models, key=len, default=())) > 1,
        len(decided) > 1,
        doubt=doubt,
        models=tuple(tuple(column.name for column in own) for own in models or [[column] for column in chosen]),
    )


def _labels(columns: Sequence[Profile]) -> list[Profile]:
    """The candidates for the label column: those of the best category that is present."""
    fit = [column for column in columns if 1 <= column.distinct <= MOST_LABELS]
    named = [column for column in fit if plain_name(column.name) in LABEL_NAMES]
    if named:
        return [column for column in named if column.distinct == 2] or named
    groups = _Groups.of([column.name for column in columns if column.is_probability])
    kinds = (
        [column for column in fit if column.distinct > 2 and groups.of_classes(column.labels)],
        [column for column in fit if column.labels in FLAGS],
        [column for column in fit if column.distinct == 2],
    )
    return next((kind for kind in kinds if kind), [])


def _of_classes(rest: Sequence[Profile], truth: Profile | None) -> list[list[Profile]]:
    """The score columns of the classes, for each model; for two classes, only that of the positive class."""
    if truth is None:
        return []
    numeric = {other.name: other for other in rest if other.numeric}
    groups = _Groups.of(list(numeric)).of_classes(truth.labels)
    if len(truth.labels) > 2:
        own = [set(group.values()) for group in groups if len(group) <= 2 * len(truth.labels)]
        return [[column for name, column in numeric.items() if name in names] for names in own]
    positive = plain_positive(sorted(truth.labels))
    return [[numeric[group[positive]]] for group in groups if len(group) == 2 and positive is not None]


def _decided(rest: Sequence[Profile], truth: Profile | None) -> list[Profile]:
    """The columns that contain only labels of the cases, as predictions do.

    Labels that are numbers could be anything: there, no column but ids and the like may contain anything else.
    """
    if truth is None or len(truth.labels) < 2:
        return []
    free = [other for other in rest if not other.is_id and plain_name(other.name) not in NOT_SCORES]
    decided = [other for other in free if other.distinct > 1 and other.labels <= truth.labels]
    return decided if not truth.numeric or decided == free else []


@record(slots=True)
class _Groups:
    """Columns grouped by prefix: the suffixes of each group, and the groups that have a given suffix."""

    endings: dict[str, dict[str, str]]
    starts: dict[str, list[str]]

    @classmethod
    def of(cls, names: Sequence[str]) -> _Groups:
        """Group columns in one pass over their names."""
        groups = cls({}, {})
        for name in names:
            for start in ("", *_starts(name)):
                ending = name.removeprefix(start)
                groups.endings.setdefault(start, {})[ending] = name
                groups.starts.setdefault(ending, []).append(start)
        return groups

    def of_classes(self, present: set[str]) -> list[dict[str, str]]:
        """Groups of columns named after all labels, including classes without cases: p_0 to p_9 with labels 0 to 8."""
        found = []
        for start in self.starts.get(min(present, default=""), ()):
            group = self.endings[start]
            if present <= group.keys():
                columns = dict(group) if start else {name: name for name in present}
                found += [columns] if len(columns) > 1 else []
        return found


def class_columns(scores: Sequence[str], present: set[str]) -> dict[str, str]:
    """The score column of each class, if every label is the name of one (or its ending, as in p_cat); otherwise {}.

    >>> class_columns(["p_cat", "p_dog"], {"cat", "dog"}), class_columns(["m1.p0", "m1.p1"], {"0", "1"})
    ({'cat': 'p_cat', 'dog': 'p_dog'}, {'0': 'm1.p0', '1': 'm1.p1'})
    """
    common = common_start(list(scores))
    shared = [start for start in _starts(str(scores[0])) if common.startswith(start)] if scores else []
    for start in ("", *shared):
        named = {name.removeprefix(start): name for name in scores}
        if present <= set(named) and len(named) == len(scores) > 1:
            return named
    named = {PREFIX.sub("", name): name for name in scores}
    return named if present <= set(named) and len(named) == len(scores) > 1 else {}


def class_models(scores: Sequence[str], present: set[str]) -> dict[str, list[str]]:
    """The score columns of each of several models, if every model has one for each class; otherwise {}.

    >>> class_models(["a_cat", "a_dog", "b_cat", "b_dog"], {"cat", "dog"})
    {'a': ['a_cat', 'a_dog'], 'b': ['b_cat', 'b_dog']}
    """
    groups: dict[str, list[str]] = {}
    for name in scores:
        label = max((known_label for known_label in present if name.endswith(known_label)), key=len, default=None)
        if label is None:
            return {}
        groups.setdefault(name[: len(name) - len(label)], []).append(name)
    complete = all(len(own) == len(present) and class_columns(own, present) for own in groups.values())
    return {start.rstrip("_ .:-") or "scores": own for start, own in groups.items()} if complete else {}


def common_start(names: Sequence[str]) -> str:
    """The longest common beginning of all names.

    >>> common_start(["label_beach", "label_bay"])
    'label_b'
    """
    first, last = min(names, default=""), max(names, default="")
    pairs = enumerate(zip(first, last, strict=False))
    return first[: next((index for index, (a, b) in pairs if a != b), min(len(first), len(last)))]


def _starts(name: str) -> list[str]:
    """The possible prefixes before the label in a column name: up to each separator, and up to the first digit.

    >>> _starts("proba_class_0"), _starts("p7")
    (['proba_', 'proba_class_'], ['p'])
    """
    cuts = {match.end() for match in re.finditer(r"[_ .:-]+|[A-Za-z](?=[0-9])", name)}
    return [name[:cut] for cut in sorted(cuts) if cut < len(name)]


def several_labels(columns: Sequence[Profile]) -> Roles | None:
    """The columns of several labels: 0/1 columns such as label_beach with scores such as score_beach; otherwise None.

    >>> from rocscope.sources.csv import read_text
    >>> rows = "".join(f"{i % 2},{i % 3 // 2},0.{i},0.{9 - i}\\n" for i in range(1, 9))
    >>> roles = several_labels(profile(read_text("label_a,label_b,score_a,score_b\\n" + rows, "x.csv")))
    >>> roles.label, roles.scores
    ('label_*', ('score_*',))
    """
    profiles = {column.name: column for column in columns}
    for label in dict.fromkeys(start for column in columns for start in _starts(column.name)):
        own = [name for name in profiles if name.startswith(label)]
        if len(own) < 2 or not INDICATOR.fullmatch(label) or any(profiles[name].labels - {"0", "1"} for name in own):
            continue
        ends, patterns = {name.removeprefix(label) for name in own}, []
        for start in dict.fromkeys(start for column in columns for start in _starts(column.name)):
            scores = [name for name in profiles if name.startswith(start)]
            named = {name.removeprefix(start) for name in scores}
            if start != label and named == ends and all(profiles[name].numeric for name in scores):
                patterns.append(f"{start}*")
        if patterns:
            return Roles(
                f"{label}*", None, tuple(patterns), several=True, models=tuple((pattern,) for pattern in patterns)
            )
    return None


def positive_of(label: Profile) -> str | None:
    """The positive label if the pair makes it clear, otherwise the rarer one as a guess; None for several classes."""
    values = [value for value, _ in label.values]
    return (said_positive(label) or values[-1]) if 1 <= len(values) <= 2 else None


def said_positive(label: Profile) -> str | None:
    """The positive label of a pair that makes it clear, such as 0 and 1 or no and yes; None for anything else.

    >>> from rocscope.sources.csv import read_text
    >>> [said_positive(one) for one in profile(read_text("a,b,c\\nyes,0,p\\nno,1,n\\n", "three.csv"))]
    ['yes', '1', None]
    """
    values = [value for value, _ in label.values]
    if not 1 <= len(values) <= 2:
        return None
    yes = next((value for value in values if value.lower() in ("yes", "y", "true", "positive")), None)
    return plain_positive(values) or yes


def plain_name(name: str) -> str:
    """A name in lower case, with words joined by _.

    >>> plain_name(" Y-true ")
    'y_true'
    """
    return re.sub(r"[\s.-]+", "_", name.strip().lower())
