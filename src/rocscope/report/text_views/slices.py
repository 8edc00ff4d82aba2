"""Slices as tables: lowest first, each with its raw and shrunken estimates, and its difference from the rest."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rocscope.report.document_reader import estimate_of
from rocscope.report.sheet import Block, Cell, Document, Paragraph, data, quiet, strong
from rocscope.report.sheet_formats import Look, table_of
from rocscope.text import short_name, shorten, show_count, show_p
from rocscope.verdicts import by_text

FIRST = 20  # number of slices shown without --full: the lowest ones
FULL = 200
LONGEST = 400  # maximum number of characters of a sentence, as it may quote a value of any length
TITLES = {
    "auc": "ROC AUC", "accuracy": "accuracy", "recall": "recall", "specificity": "specificity",
    "precision": "precision", "predicted_prevalence": "flagged", "observed_less_expected": "observed - expected",
}  # fmt: skip

SPARE = (  # columns dropped, in this order, if the terminal is too narrow
    "observed - expected", "flagged", "precision", "specificity", "recall", "against the rest", "positive", "cases",
)  # fmt: skip


def slice_blocks(document: Document, look: Look, *, full: bool) -> list[Block]:
    """For each column, return the findings about its slices and a table of them; nothing if there are no slices."""
    return [block for panel in document["slices"] for block in _panel(panel, look, full)]


def _panel(panel: Document, look: Look, full: bool) -> list[Block]:
    shown = panel["rows"][: FULL if full else FIRST]
    if not shown:
        return [_words(panel)]
    pairs = "differences" in shown[0]
    rows = [_differences(row) if pairs else _measures(row, panel["measure"]) for row in shown]
    heading = shorten(by_text(panel), 40)
    named = [{heading: data(row["name"], limit=24), **cells} for row, cells in zip(shown, rows, strict=True)]
    names = list(dict.fromkeys(name for row in named for name in row))
    grid = table_of(named, names, look, spare=[name for name in SPARE if name in names], right=_on_the_right)
    return [_words(panel), grid, *_more(panel, len(shown), pairs)]


def _on_the_right(name: str) -> bool:
    return name in ("cases", "positive") or name.startswith("p (")


def _words(panel: Document) -> Paragraph:
    sentences = [shorten(word, LONGEST) for word in panel["words"]]
    return Paragraph.of([strong(sentences[0])], *sentences[1:]) if sentences else Paragraph.of(by_text(panel))


def _measures(row: Document, name: str) -> dict[str, Cell]:
    measures = row["measures"]
    main = measures[name]
    cells = _sizes(row) | {
        TITLES[name]: _numbers(main),
        "shrunk": _numbers(main["shrunk"]),
        "against the rest": _numbers(main["gap"], sign=True),
        "p (Holm)": _p(main, row["few"]),
    }
    return cells | {TITLES[other]: _numbers(measure) for other, measure in measures.items() if other != name}


def _differences(row: Document) -> dict[str, Cell]:
    cells = _sizes(row)
    several = len(row["differences"]) > 1
    for difference in row["differences"]:
        who = f"{short_name(difference['a'], 16)} - {short_name(difference['b'], 16)}"
        cells |= {
            f"AUC of {who}": _numbers(difference, sign=True),
            f"shrunk {short_name(difference['b'], 16)}" if several else "shrunk": _numbers(
                difference["shrunk"], sign=True
            ),
            f"p (Holm) {short_name(difference['b'], 16)}" if several else "p (Holm)": _p(difference, row["few"]),
        }
    return cells


def _sizes(row: Document) -> dict[str, Cell]:
    sizes: dict[str, Cell] = {"cases": show_count(row["cases"])}
    return sizes if row["positives"] is None else sizes | {"positive": show_count(row["positives"])}


def _numbers(estimate: Mapping[str, Any] | None, *, sign: bool = False) -> str:
    if estimate is None or estimate["value"] is None:
        return "–"
    text = str(estimate_of(estimate))
    text = text if estimate["low"] is not None else text.partition(" (")[0]
    return f"+{text}" if sign and estimate["value"] > 0 else text


def _p(row: Mapping[str, Any], few: bool) -> Cell:
    if row["p_adjusted"] is None:
        return quiet("few" if few else "–")
    return show_p(row["p_adjusted"])


def _more(panel: Document, shown: int, pairs: bool) -> list[Block]:
    if panel["slices"] <= shown:
        return []
    which = "largest" if pairs else "lowest"
    return [Paragraph.of(quiet(f"the {which} {shown} of {panel['slices']:,} slices; --format csv lists them"))]
