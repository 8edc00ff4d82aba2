"""The trend of saved tables: the results for their sum, then a row for each of them."""

from __future__ import annotations

from collections.abc import Sequence

from rocscope.report.document_reader import estimate_of
from rocscope.report.sheet import Block, Cell, Document, Field, Paragraph, Span, Tabular, data, strong
from rocscope.report.sheet_formats import Look
from rocscope.text import percent, show_count

ROOMY = 110  # terminal width, in columns, needed to show a trend with all its intervals
TITLES = {"auc": "ROC AUC", "average_precision": "average precision"}


def trend_blocks(document: Document, look: Look, *, full: bool, single: bool = True) -> Sequence[Block]:
    """The evaluation of the sum, the trend, and the difference between the newest part and all earlier ones."""
    from rocscope import report

    inner = report.blocks(document["evaluation"], look, full=full, single=single)
    return [*inner, *_trend(document, look)]


def _trend(document: Document, look: Look) -> list[Block]:
    blocks: list[Block] = [_grid(document, short=look.width < ROOMY)]
    if document["change"] is not None:
        size, last = document["window"], document["trend"][-1]
        newest, several = last["name"], "micro F1" if "micro_f1" in last["measures"] else "accuracy"
        what = several if last["positives"] is None else "AUC"
        which = f"the {size} up to " if size else ""
        line: list[str | Span] = [
            f"{what} of {which}",
            data(newest, limit=24),
            f" minus {what} of all earlier ones: ",
        ]
        blocks.append(Paragraph.of([*line, strong(str(estimate_of(document["change"])))], hang=2))
    return blocks


def _grid(document: Document, *, short: bool) -> Tabular:
    size = document["window"]
    names = list(document["trend"][0]["measures"])
    heads: list[str | Field] = [f"{size} up to" if size else "part", Field("cases", right=True)]
    scored = document["trend"][0]["positives"] is not None
    heads += [Field("positive", right=True)] if scored else []
    heads += [Field(_title(name, short=short), right=True) for name in names]
    rows: list[list[Cell]] = []
    for row in document["trend"]:
        share = [percent(row["positives"], row["cases"])] if scored else []
        values = [_shown(row["measures"][name], short=short and index > 0) for index, name in enumerate(names)]
        rows.append([data(row["name"], limit=32), show_count(row["cases"]), *share, *values])
    return Tabular.of(heads, rows)


def _title(name: str, *, short: bool) -> str:
    return "AP" if short and name == "average_precision" else TITLES.get(name, name)


def _shown(row: Document, *, short: bool) -> str:
    """An estimate; on a narrow terminal, its value with the digits that its interval justifies."""
    text = str(estimate_of(row))
    return text.partition(" ")[0] if short else text
