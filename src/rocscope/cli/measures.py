"""`rocscope measures`: the catalog, to read or to search."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import click

import rocscope as rs
from rocscope.cli.options import format_option
from rocscope.cli.output import Format, emit
from rocscope.cli.shared.facts import Entry, end_words, entry_dict, range_words
from rocscope.errors import RocscopeError, did_you_mean
from rocscope.report import Block, Look, Paragraph, Sheet, Span, Tabular, quiet, strong

WIDE = 150  # terminal width, in columns, from which the catalog is shown as one table

EPILOG = """\b
Examples:
  rocscope measures recall
  rocscope measures --group clinical
  rocscope measures --curves
"""


@click.command(epilog=EPILOG)
@click.argument("search", nargs=-1, metavar="[SEARCH]")
@click.option("--group", help="Group to list: rates, clinical, agreement, ...")
@click.option("--curves", "with_curves", is_flag=True, help="List curves and statistics of scores instead.")
@format_option
def command(search: tuple[str, ...], group: str | None, with_curves: bool, format: Format) -> None:
    """List the measures in the catalog: name, formula, range, best value, chance level and meaning."""
    entries: Sequence[Entry] = rs.curves.catalog() if with_curves else rs.measures.catalog()
    if search and group is None and not with_curves:  # a search covers what is computed from scores, too
        entries = [*entries, *rs.curves.catalog()]
    chosen = [entry for entry in entries if group is None or _group(entry) == _known_group(group, entries)]
    words = [word.lower() for word in search]
    matching = [entry for entry in chosen if all(word in _searched(entry) for word in words)]
    if not matching:
        raise _nothing(" ".join(search), entries)
    # stable sort: entries that match equally well keep the catalog order
    matching.sort(key=lambda entry: _distance(entry, words))
    document = {"measures": [entry_dict(entry) for entry in matching]}
    emit(Sheet(document, lambda look, single: _blocks(matching, search, look, single), lambda: _rows(matching)), format)


def _group(entry: Entry) -> str:
    return entry.group if isinstance(entry, rs.measures.Measure) else f"{entry.kind}s"


def _known_group(group: str, entries: Iterable[Entry]) -> str:
    groups = {_group(entry) for entry in entries}
    if group not in groups:
        raise RocscopeError(f"there is no group '{group}'", hint=did_you_mean(group, groups))
    return group


def _searched(entry: Entry) -> str:
    return " ".join([entry.name, entry.title, *entry.aka, entry.says, entry.prefer]).lower()


def _distance(entry: Entry, words: Sequence[str]) -> int:
    """The distance of a measure from a search term: its exact name, a part of a name, or a term in its
    description.
    """
    names = [entry.name, *entry.aka]
    if "_".join(words) in names or not words:
        return 0
    return 1 if all(any(word in name for name in names) for word in words) else 2


def _nothing(search: str, entries: Iterable[Entry]) -> RocscopeError:
    names = [name for entry in entries for name in (entry.name, *entry.aka)]
    return RocscopeError(f"no measure matches '{search}'", hint=did_you_mean(search, names))


def _formula(entry: Entry) -> str:
    if isinstance(entry, rs.curves.Reading):
        return entry.formula
    return entry.text or "of the whole matrix"


# --- output


def _blocks(entries: Sequence[Entry], search: Sequence[str], look: Look, single: bool) -> list[Block]:
    if not single or look.width >= WIDE:
        columns = ["name", "formula", "range", "best", "by chance", "says"]
        return [Tabular.of(columns, [[strong(entry.name), *_facts(entry)] for entry in entries])]
    about = f" about '{' '.join(search)}'" if search else ""
    step = (f"rocscope explain {entries[0].name}", "the details of one of them")
    head = f"{len(entries)} measure{'' if len(entries) == 1 else 's'}{about}"
    return [Paragraph.of(strong(head)), *_entries(entries), *rs.report.next_steps([step])]


def _entries(entries: Sequence[Entry]) -> list[Block]:
    """Each measure with its facts below its name, under the name of its group."""
    blocks: list[Block] = []
    for index, entry in enumerate(entries):
        chance = f", by chance {entry.chance}" if entry.chance else ""
        facts = f"  {range_words(entry.low, entry.high, entry.best)}{chance}"
        group = (
            [Span(f"  {_group(entry)}", "quiet")] if index == 0 or _group(entry) != _group(entries[index - 1]) else []
        )
        blocks.append(
            Paragraph.of([strong(entry.name), *group], ["  ", _formula(entry)], quiet(facts), f"  {entry.says}", hang=2)
        )
    return blocks


def _facts(entry: Entry) -> list[str]:
    best = "" if entry.best is None else end_words(entry.best)
    return [_formula(entry), range_words(entry.low, entry.high, None), best, entry.chance, entry.says]


def _rows(entries: Sequence[Entry]) -> Tabular:
    names = ["name", "title", "group", "aka", "formula", "low", "high", "best", "chance", "says", "prefer", "cite"]
    records = (
        entry_dict(entry) | {"group": _group(entry), "aka": " ".join(entry.aka), "formula": _formula(entry)}
        for entry in entries
    )
    return Tabular.full(names, records)
