"""`rocscope compare`: several models on the same cases: which to use, how sure, which one when."""

from __future__ import annotations

from dataclasses import replace
from types import MappingProxyType
from typing import Any

import click

from rocscope.cli.parts.evaluating import check_output, complete, deliver, evaluation_options, settings_of
from rocscope.cli.parts.predictions import as_label, blank_remarks, in_file, weights_of
from rocscope.cli.parts.progress import progress_bar
from rocscope.cli.reader import read
from rocscope.cli.streams import say
from rocscope.errors import RocscopeError
from rocscope.evaluation import Comparison, compare

EPILOG = """\b
Examples:
  rocscope compare scores.csv --label y --score a --score b --cost-fn 5
  rocscope compare scores.csv --label y --score a --score b --format md
"""
_SOURCE = ("label", "scores", "positive", "weight", "cluster")


@click.command(epilog=EPILOG)
@click.argument("file")
@evaluation_options
def command(file: str, **given: Any) -> None:
    """Which of several models to use, how sure that is, and which one at which cost of errors.

    FILE is a CSV with a column of true labels and two or more of scores, of the same cases; - is standard input.
    """
    check_output(given, [file])
    settings = settings_of(given)
    columns = read(file)
    for remark in blank_remarks(columns):
        say(f"rocscope: {columns.source}: {remark}")
    names = list(dict.fromkeys(given["scores"]))
    if given["label"] is None or len(names) < 2:
        found = ", ".join(columns.names[:12])
        hint = "Say --label COLUMN --score A --score B; for one model: rocscope evaluate"
        raise RocscopeError(f"{columns.source}: a label and two scores are compared; it has {found}", hint=hint)
    needed = {given["label"]: "label"} | {name: f"score of {name}" for name in names}
    needed |= {given[name]: name for name in ("weight", "cluster") if given[name]}
    kept, left_out = complete(columns, needed, missing=given["missing"])
    if given["weight"] and given["weights_are"] == "frequency":
        raise RocscopeError("compare takes sampling weights", hint="Write a row as often as it occurred")
    labels = kept.text(given["label"])
    with in_file(columns.source), progress_bar("resampling") as progress:
        made = compare(
            labels,
            {name: kept.numbers(name) for name in names},
            positive=as_label(given["positive"], labels),
            weights=weights_of(kept, given["weight"]) if given["weight"] else None,
            clusters=kept.text(given["cluster"]) if given["cluster"] else None,
            progress=progress,
            **settings,
        )
        source = {"file": file} | {name: given[name] for name in _SOURCE if given[name]}
        document = described(made, source, left_out).to_dict()
    deliver(document, given, [file])


def described(made: Comparison, source: dict[str, Any], left_out: dict[str, int]) -> Comparison:
    """The comparison with where its cases came from and what was left out."""
    known = {
        name: replace(one, source=MappingProxyType(source), left_out=MappingProxyType(left_out))
        for name, one in made.evaluations.items()
    }
    return replace(made, evaluations=MappingProxyType(known))
