"""Library errors in the vocabulary of the command line: a Python parameter becomes an option."""

from __future__ import annotations

import re
import shlex

from rocscope.errors import RocscopeError

PHRASES = {
    "costs=Costs(fp=1, fn=5) as well": "--cost-fn 5 as well",
    "costs=Costs(fp=1, fn=5)": "--cost-fn 5",
    "baseline=, the evaluation of other cases": "--baseline day0.scoretable.parquet",
    "positives=...": "--positives N",
    "negatives=...": "--negatives N",
    "(higher_is_positive)": "(--lower-is-positive)",
    "hull()": "rocscope hull",
    "folds=...": "--cross-fit FOLDS",
    "labels=[...]": "--probability COLUMN=LABEL",
    "(choose=)": "(--choose)",
    "with compare;": "with rocscope compare;",
}
"""Phrases that are replaced as a whole."""

OPTIONS = {
    "label": "--label", "score": "--score", "predicted": "--predicted", "positive": "--positive",
    "weights": "--weight", "clusters": "--cluster", "by": "--by", "crossed": "--crossed", "missing": "--missing",
    "infinite": "--infinite",
    "choose": "--choose", "choose_on": "--choose-on", "cross_fit": "--cross-fit", "threshold": "--threshold",
    "budget": "--budget", "tolerance": "--tolerance", "exact": "--exact", "id": "--id", "force": "--force",
    "rows": "--rows", "encoding": "--encoding", "sheet": "--sheet", "delimiter": "--delimiter", "seed": "--seed",
    "labels": "--probability", "refer": "--refer", "costs": "--cost-fn", "weights_are": "--weights-are",
    "fold": "--fold", "measure": "--measure", "bootstrap": "--bootstrap", "margin": "--margin", "test": "--test",
}  # fmt: skip
"""A parameter and its option."""

_ARGUMENT = re.compile(rf"""(?<![\w.'"-])({"|".join(OPTIONS)})=('[^']*'|"[^"]*"|[\w.-]+|)(?![\w=])""")


def with_options(error: RocscopeError) -> RocscopeError:
    """The error in command-line vocabulary.

    >>> str(with_options(RocscopeError("choose_on= needs a rule", hint="Add choose='youden', say")))
    '--choose-on needs a rule. Add --choose youden, say'
    """
    hint = error.hint
    for phrase, option in PHRASES.items():
        hint = hint.replace(phrase, option)
    if hint.startswith("positive="):
        hint = f"Add {hint}"
    return RocscopeError(_ARGUMENT.sub(_option, error.message), hint=_ARGUMENT.sub(_option, hint))


def _option(match: re.Match[str]) -> str:
    value = match[2].strip("'\"")
    return OPTIONS[match[1]] if value in ("", "True") else f"{OPTIONS[match[1]]} {shlex.quote(value)}"
