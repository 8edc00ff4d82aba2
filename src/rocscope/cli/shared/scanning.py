"""Files with more rows than fit into memory: announced, then reduced to a table that says how exact it is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from rocscope.cli.reader import LONG, LargeColumns, Loaded, Opened, budget_of, read, said
from rocscope.cli.shared.progress import counting_bar
from rocscope.cli.shared.slicing import by_names
from rocscope.cli.streams import say
from rocscope.errors import RocscopeError
from rocscope.evaluation import ClassEvaluation, Comparison, Evaluation, compare, evaluate
from rocscope.sources.csv import BY
from rocscope.sources.formats import inner_name


def shown_files(files: Sequence[str]) -> str:
    """The files of a run in one text."""
    return ", ".join(files[:3]) + (f" and {len(files) - 3} more" if len(files) > 3 else "")


def exceeds(
    columns: LargeColumns, given: Mapping[str, Any], needed: Mapping[str, str], *, twice: bool = False
) -> bool:
    """Whether the rows do not fit into the budget; clusters and folds need them all the same, and try.

    Through a pipe nobody knows before so many have been read. What looks at the rows `twice` has them kept first.
    """
    from rocscope.sources.source import ROW

    announce(columns)
    if given["cluster"] or given["cross_fit"]:
        return False
    if twice or said("exact"):
        columns.keep()
    with counting_bar(columns.flows) as told:
        return replace(columns, progress=told).exceed(budget_of() // ROW, needed)


def announce(columns: LargeColumns) -> None:
    """Say what a long scan will read, before it begins."""
    if columns.bytes < LONG:
        return
    rows, size = columns.rows, columns.bytes / 2**30
    say(f"rocscope: reading {columns.source}: {size:.1f} GiB, about {rows:,} rows, {_passes(rows)}")


def _passes(rows: int) -> str:
    from rocscope.sources.source import ROW

    if rows * ROW <= budget_of():
        return "in 1 pass"
    return "in several passes, until every area is exact" if said("exact") else "in 1 to 4 passes, on cells"


def beyond_memory(
    columns: LargeColumns, given: Mapping[str, Any], settings: Mapping[str, Any], progress: Any
) -> Evaluation | ClassEvaluation:
    """One score of more rows than fit: exact where asked, else on cells with a bound."""
    from rocscope.sources.files import explained, source_of

    label, score = given["label"], given["scores"][0]
    numbers = [score, *([given["weight"]] if given["weight"] else [])]
    needed = {label: "label"} | {one: "weight" if one == given["weight"] else "score" for one in numbers}
    with explained(columns, needed, missing=given["missing"]), counting_bar(columns.flows) as told:
        return evaluate(
            source_of(replace(columns, progress=told), numbers=numbers, memory=2 * budget_of()),
            label=label,
            score=score,
            positive=given["positive"],
            weight=given["weight"],
            weights_are=given["weights_are"],
            choose_on=_other(given, score),
            by=by_names(given) or None,
            crossed=bool(given.get("crossed")),
            name=score,
            missing=given["missing"],
            tolerance=said("tolerance"),
            exact=bool(said("exact")),
            budget=budget_of(),
            progress=progress,
            **settings,
        )


def compared_beyond_memory(
    columns: LargeColumns, names: Sequence[str], given: Mapping[str, Any], settings: Mapping[str, Any], progress: Any
) -> Comparison:
    """Several scores of more rows than fit: paired tests of areas from tables and one pass of products."""
    from rocscope.sources.files import explained, source_of

    if said("exact"):
        raise RocscopeError(
            "--exact is for one score: a comparison of more rows than fit is certified, with its bound",
            hint="Raise --budget, or evaluate each score with --exact",
        )

    label, weight = given["label"], given["weight"]
    numbers = [*names, *([weight] if weight else [])]
    needed = {label: "label"} | {one: "weight" if one == weight else f"score of {one}" for one in numbers}
    with explained(columns, needed, missing=given["missing"]):
        return compare(
            source_of(columns, numbers=numbers, memory=2 * budget_of()),
            label=label,
            score=list(names),
            positive=given["positive"],
            weight=weight,
            by=by_names(given) or None,
            crossed=bool(given.get("crossed")),
            missing=given["missing"],
            tolerance=said("tolerance"),
            budget=budget_of(),
            progress=progress,
            **settings,
        )


def _other(given: Mapping[str, Any], score: str) -> Any:
    if not given["choose_on"]:
        return None
    columns = read(given["choose_on"])
    kept, _ = columns.complete({given["label"]: "label", score: "score"}, missing=given["missing"])
    return kept.classes(given["label"]), kept.numbers(score)


# --- a model in each file


@dataclass(frozen=True)
class Models:
    """A model in each of several files, cases matched by --id."""

    opened: list[Opened]
    names: list[str]
    needed: list[dict[str, str]]
    """What the columns of each file are needed as."""
    called: list[dict[str, str]]
    """What they are called afterwards."""

    def exceed(self, given: Mapping[str, Any]) -> bool:
        """Whether the rows of any file do not fit into the budget."""
        return any(
            exceeds(columns, given, needed, twice=True)
            for columns, needed in zip(self.opened, self.needed, strict=True)
            if isinstance(columns, LargeColumns)
        )

    def aligned(self, given: Mapping[str, Any]) -> Loaded:
        """All columns in memory, in the order of the first file."""
        from rocscope.sources.aligning import aligned, other_labels

        label = given["label"]
        kept = aligned(self.opened, self.needed, self.called, id=given["id_column"])
        for place, columns in enumerate(self.opened[1:], 1):
            if f"{label} {place}" in kept.columns:
                differ = kept.differing(label, f"{label} {place}")
                if differ:
                    raise other_labels(label, differ, columns.source, self.opened[0].source)
        return kept

    def joined(self, given: Mapping[str, Any]) -> LargeColumns:
        """All columns in a file of the temporary folder."""
        from rocscope.sources.joining import joined_file

        return joined_file(self.opened, self.needed, self.called, id=given["id_column"], memory=2 * budget_of())


def models_in(files: Sequence[str], given: Mapping[str, Any]) -> Models:
    """The files, opened, with the score of a model in each; no row may be left out."""
    if given["missing"] == "drop":
        raise RocscopeError("--missing drop and --id", hint="Every file needs a score for every case")
    label, scores = given["label"], _one_score_each(files, given)
    found = Models([read(file) for file in files], _model_names(files, scores), [], [])
    for place, (columns, score, name) in enumerate(zip(found.opened, scores, found.names, strict=True)):
        taken = {label: "label"} if not place or label in columns.names else {}
        more = {given[one]: one for one in ("weight", "cluster") if given[one]} if not place else {}
        more |= dict.fromkeys(by_names(given), BY) if not place else {}
        found.needed.append(taken | more | {score: f"score of {name}"})
        called = {one: f"{one} {place}" if one == label and place else one for one in (*taken, *more)}
        found.called.append(called | {score: name})
    return found


def _one_score_each(files: Sequence[str], given: Mapping[str, Any]) -> list[str]:
    if given["label"] is None or len(given["scores"]) not in (1, len(files)):
        raise RocscopeError(
            f"{len(files)} files and {len(given['scores'])} score columns",
            hint="Say --label COLUMN and --score COLUMN once, or once for each file in their order",
        )
    return list(given["scores"]) if len(given["scores"]) > 1 else [given["scores"][0]] * len(files)


def _model_names(files: Sequence[str], scores: Sequence[str]) -> list[str]:
    """The score columns where they differ, else the names of the files."""
    if len(set(scores)) == len(scores):
        return list(scores)
    stems = [Path(inner_name(file)).stem for file in files]
    return stems if len(set(stems)) == len(stems) else list(files)
