"""The answer to standard output or into a file, in the format that was asked for; the report beside it."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

import click

from rocscope.cli.output import emit, inert_on_a_terminal, write
from rocscope.cli.streams import say
from rocscope.errors import RocscopeError
from rocscope.report import Block, Look, Tabular, as_csv, as_json, as_markdown, as_text, letters

Command = TypeVar("Command", bound=Callable[..., Any])
Document = Mapping[str, Any]
Blocks = Callable[[Look, bool], Sequence[Block]]
"""The blocks of a document for a look; True for text, False for Markdown, which has no drawings."""
Makers = Mapping[str, Callable[[], str]]
ENDINGS = {".txt": "text", ".json": "json", ".md": "md", ".csv": "csv", ".tex": "latex"}


# --- a format


def target_format(given: Mapping[str, Any], endings: Mapping[str, str] = ENDINGS) -> str:
    """The format that is asked for, or that the ending of the output file says."""
    if given["format"] is not None or given["output"] is None:
        return str(given["format"] or "text")
    ending = Path(given["output"]).suffix.lower()
    if ending not in endings:
        raise RocscopeError(
            f"the ending of '{given['output']}' says no format", hint=f"Say --format, or end in {', '.join(endings)}"
        )
    return endings[ending]


def check_output(given: Mapping[str, Any], inputs: Sequence[str], endings: Mapping[str, str] = ENDINGS) -> None:
    """Refuse an output that cannot be written before the long computation."""
    target_format(given, endings)
    if given["output"] is not None:
        from rocscope.report import check_target

        check_target(given["output"], force=given["force"], inputs=inputs)


def deliver(
    document: Document,
    given: Mapping[str, Any],
    inputs: Sequence[str],
    *,
    blocks: Blocks,
    rows: Callable[[], Tabular],
    more: Makers | None = None,
    endings: Mapping[str, str] = ENDINGS,
    written: bool = False,
) -> None:
    """The results document to standard output, or to the file that was named, in its format.

    Text and Markdown are made of `blocks`, CSV of `rows`; `more` has further formats. With `written` the file is named
    on standard error.
    """
    format, output = target_format(given, endings), given["output"]
    if output is None and format == "text":
        emit(document, format="text", sheet=lambda look: blocks(look, True))
        return
    plain, wide = Look(), Look(width=1000)
    makers: dict[str, Callable[[], str]] = {
        "text": lambda: "".join(f"{letters(line)}\n" for line in as_text(blocks(plain, True), plain)),
        "json": lambda: as_json(document),
        "md": lambda: as_markdown(blocks(wide, False)),
        "csv": lambda: as_csv(rows()),
        **(more or {}),
    }
    made = makers[format]()
    if output is None:
        write(inert_on_a_terminal(made) if format == "csv" else made)
        return
    from rocscope.report import write_file

    write_file(output, made, force=given["force"], inputs=inputs)
    if written:
        say(f"rocscope: {output} written")


def deliver_document(document: Document, given: Mapping[str, Any], inputs: Sequence[str]) -> None:
    """An evaluation or a comparison, in any format of the report."""
    from rocscope import report

    full = given["full"]
    makers: dict[str, Callable[[], str]] = {
        "text": lambda: report.text(document, full=full) + "\n",
        "json": lambda: report.json(document),
        "md": lambda: report.markdown(document, full=full),
        "latex": lambda: report.latex(document),
        "dvc": lambda: report.as_dvc(document),
        "hf": lambda: report.as_model_index(document, card_of(given)),
    }
    deliver(
        document, given, inputs, more=makers, blocks=lambda look, single: report.blocks(document, look, full=full),
        rows=lambda: report.rows(document),
    )  # fmt: skip


# --- the model card of --format hf


def card_option(command: Command) -> Command:
    """`--card KEY=VALUE`, what a model card says beside the numbers."""
    return click.option(
        "--card", "cards", multiple=True, metavar="KEY=VALUE",
        help="For --format hf: model, task, dataset, dataset-type or split.",
    )(command)  # fmt: skip


def card_of(given: Mapping[str, Any]) -> dict[str, str]:
    """The model card's words that the options say."""
    found: dict[str, str] = {}
    for text in given.get("cards") or ():
        key, sign, value = text.partition("=")
        if not sign or not value:
            raise RocscopeError(f"--card {text}", hint="Write it like --card model=churn-model")
        found[key] = value
    return found


# --- the report


html_option = click.option(
    "--html", metavar="OUT", help="HTML report to write as well: one file, which opens without a network."
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
    from rocscope.report import check_target

    if given.get("embed_cases") and "-" in inputs:
        raise RocscopeError("cases of standard input are not kept", hint="Write them into a file first")
    check_target(given["html"], force=given["force"], inputs=inputs)


def document_of(found: Any, files: Any, given: Mapping[str, Any]) -> dict[str, Any]:
    """The results document of an evaluation or comparison, with all that the report needs where one is asked for.

    `files` is what it was made of: read again where cases are to be embedded.
    """
    from rocscope.errors import naming
    from rocscope.evaluation import case_list

    evaluations = getattr(found, "evaluations", {"": found})
    with naming(str(next(iter(evaluations.values())).source.get("file", "the answer"))):
        if given["html"] is None:
            document: dict[str, Any] = found.to_dict()
            return document
        most = given.get("embed_cases")
        cases = case_list(files, found, most, id=given["id_column"]) if most else None
        document = found.to_dict(drawing=True, cases=cases)
        return document


def write_page(document: dict[str, Any], given: Mapping[str, Any], inputs: Sequence[str]) -> dict[str, Any]:
    """Write the report when one is asked for; the results document without what only the report needs."""
    if given["html"] is None:
        return document
    from rocscope.report import page, write_file

    if typed := typed_command():
        document["drawing"]["provenance"]["command"] = typed
    write_file(given["html"], page(document), force=given["force"], inputs=inputs)
    say(f"rocscope: {given['html']} written")
    return {name: part for name, part in document.items() if name != "drawing"}


def typed_command() -> str:
    """The command as it was typed, quoted for a shell: run in the same folder it makes the same report."""
    from rocscope.cli import TYPED

    context = click.get_current_context(silent=True)
    typed = () if context is None else context.meta.get(TYPED, ())
    return shlex.join(["rocscope", *typed]) if typed else ""
