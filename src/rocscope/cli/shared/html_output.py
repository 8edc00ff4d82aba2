"""`--html OUT`: the report as one file, beside the answer; `--embed-cases N` puts cases into it."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

import click

from rocscope.errors import RocscopeError

Command = TypeVar("Command", bound=Callable[..., Any])
html_option = click.option(
    "--html", metavar="OUT", help="Write the report too: one HTML file that opens anywhere, without a network."
)


def page_options(command: Command) -> Command:
    """`--html`, `--embed-cases` and `--id`."""
    for option in (
        click.option("--id", "id_column", metavar="COLUMN",
                     help="Column that names a case in the report.  [default: its line]"),
        click.option("--embed-cases", type=click.IntRange(min=1), metavar="N",
                     help="Put up to N cases into the report, those nearest the threshold, to look up errors."),
        html_option,
    ):  # fmt: skip
        command = option(command)
    return command


def check_page(given: Mapping[str, Any], inputs: Sequence[str]) -> None:
    """Refuse a report that cannot be written before the long computation."""
    if given["html"] is None:
        if given.get("embed_cases"):
            raise RocscopeError("--embed-cases is for the report", hint="Add --html report.html")
        return
    from rocscope.report.files import check_target

    if given.get("embed_cases") and "-" in inputs:
        raise RocscopeError("cases of standard input are not kept", hint="Write them into a file first")
    check_target(given["html"], force=given["force"], inputs=inputs)


def page_parts(files: str | Sequence[str], given: Mapping[str, Any], found: Any) -> dict[str, Any]:
    """The keywords of `to_dict` that the report needs; {} when none is asked for."""
    if given["html"] is None:
        return {}
    named = [files] if isinstance(files, str) else list(files)
    return {"drawing": True, "cases": _embedded(named, given, found) if given.get("embed_cases") else None}


def write_page(document: dict[str, Any], given: Mapping[str, Any], inputs: Sequence[str]) -> dict[str, Any]:
    """Write the report when one is asked for; the document without what only the report needs."""
    if given["html"] is None:
        return document
    from rocscope.cli.streams import say
    from rocscope.report.files import write_file
    from rocscope.report.html import html

    write_file(given["html"], html(document), force=given["force"], inputs=inputs)
    say(f"rocscope: {given['html']} written")
    return {name: part for name, part in document.items() if name != "drawing"}


def _embedded(files: Sequence[str], given: Mapping[str, Any], found: Any) -> dict[str, Any]:
    """Up to N cases, those whose score is nearest the threshold first, by their id or line."""
    evaluations = getattr(found, "evaluations", None) or {found.name: found}
    chosen = getattr(found, "recommended", found.name if len(evaluations) == 1 else "")
    first = evaluations[chosen]
    if first.source.get("label") is None or getattr(first, "table", None) is None:
        raise RocscopeError("only scored cases can be embedded", hint="Leave out --embed-cases")
    ids, labels, scores = _columns(files, given, first.source["label"], list(evaluations))
    threshold = math.nan if first.point is None else first.point.threshold
    positive = str(first.table.labels[1])
    rows = _nearest(scores[chosen], threshold, given["embed_cases"])
    return {
        "ids": [str(ids[row]) for row in rows],
        "label": [int(str(labels[row]) == positive) for row in rows],
        "scores": {name: [float(column[row]) for row in rows] for name, column in scores.items()},
        "more": len(labels) - len(rows),
    }


def _columns(files: Sequence[str], given: Mapping[str, Any], label: str, names: Sequence[str]) -> tuple[Any, Any, Any]:
    """Ids, labels and scores of the rows that were evaluated, read anew."""
    from rocscope.cli.reader import Kept, read
    from rocscope.cli.shared.evaluating import complete
    from rocscope.sources.csv import BY

    id_column = given["id_column"]
    kept: Kept
    if id_column and len(files) > 1:
        from rocscope.cli.shared.scanning import models_in

        models = models_in(files, given)
        kept, (named, _) = models.aligned(given), models.opened[0].complete({id_column: "label"}, missing="refuse")
    else:
        needed = {label: "label"} | dict.fromkeys(names, "score") | ({id_column: BY} if id_column else {})
        kept, _ = complete(read(files), needed, missing="drop")
        named = kept
    labels = kept.text(label)
    scores = {name: kept.numbers(name) for name in names}
    if id_column:
        return named.text(id_column), labels, scores
    lines = getattr(kept, "lines", None)
    return [f"line {lines[row]}" if lines else f"row {row}" for row in range(len(labels))], labels, scores


def _nearest(scores: Any, threshold: float, most: int) -> list[int]:
    """The rows nearest the threshold, in the order of the file."""
    if not math.isfinite(threshold):
        return list(range(min(most, len(scores))))
    near = sorted(range(len(scores)), key=lambda row: abs(scores[row] - threshold))[:most]
    return sorted(near)
