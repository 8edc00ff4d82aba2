"""The top of the ranking: the contents of the first 5, 10, ... percent of the cases, deciles, and the KS distance."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from rocscope import curves
from rocscope.decisions import counts_at, rows_within
from rocscope.estimate import Estimate, proportion
from rocscope.evaluation.clusters import estimate_of
from rocscope.numbers import json_number
from rocscope.table import Counts, ScoreTable, thresholds_at

if TYPE_CHECKING:
    from rocscope.evaluation.binary import Evaluation

SHARES = tuple(Fraction(share, 100) for share in (5, 10, 15, 20, 30, 50))
TENTHS = tuple(Fraction(tenth, 10) for tenth in range(1, 11))
MEASURES = ("precision", "recall", "lift")
MOST_CLUSTERED = 2000  # maximum number of scores for which clusters are resampled


def top_section(ev: Evaluation) -> dict[str, Any] | None:
    """The section of the results document; None if a class is absent."""
    table = ev.table
    if not table.positives or not table.negatives:
        return None
    rows = rows_within(table, (*SHARES, *TENTHS))
    top, tenths = rows[: len(SHARES)], rows[len(SHARES) :]
    fresh = dict(reversed([(row, share) for row, share in zip(top, SHARES, strict=True) if row]))
    return {
        "shares": [_share(ev, row, float(share)) for row, share in sorted(fresh.items())],
        "deciles": _deciles(table, tenths, ev.settings.level),
        "ks": _distance(ev),
    }


def _share(ev: Evaluation, row: int, share: float) -> dict[str, Any]:
    """One top share of the cases: the number flagged and their contents, with intervals."""
    threshold = float(ev.table.scores[row - 1])
    counts = counts_at(ev.table, row)
    units = None if ev.clustered is None else ev.clustered.by_cluster(threshold)
    estimates = {name: estimate_of(counts, name, level=ev.settings.level, units=units).to_dict() for name in MEASURES}
    return {
        "share": share,
        "threshold": json_number(threshold),
        "counts": {name: json_number(cell) for name, cell in counts.cells.items()},
        **estimates,
    }


def _deciles(table: ScoreTable, rows: list[int], level: float) -> list[dict[str, Any]]:
    """Tenths of the ranking from the most positive scores down; tied scores stay together."""
    deciles = []
    all_positive, all_negative = float(table.positives), float(table.negatives)
    for number, (start, end) in enumerate(pairwise([0, *rows]), start=1):
        if start == end:
            continue
        positives, negatives = (float(sums[end] - sums[start]) for sums in (table.tp, table.fp))
        recall, alarms = float(table.tp[end]) / all_positive, float(table.fp[end]) / all_negative
        cases = positives + negatives
        inside = Counts(positives, negatives, all_positive - positives, all_negative - negatives)
        rate = proportion(positives, cases, level=level)
        deciles.append(
            {
                "decile": number,
                "cases": json_number(cases),
                "positives": json_number(positives),
                "rate": rate.to_dict(),
                "lift": inside.estimate("lift", level=level).to_dict(),
                "recall": json_number(recall),
                "gap": json_number(recall - alarms),
            }
        )
    return deciles


def _distance(ev: Evaluation) -> dict[str, Any]:
    """The Kolmogorov-Smirnov distance between the scores of the two classes, and where it is reached.

    Resampling whole clusters is left to `ev.area("ks_statistic")` if there are many cases.
    """
    table = ev.table
    threshold = float(thresholds_at(table, [curves.largest_gap_row(table)])[0])
    if ev.clustered is not None and len(table) > MOST_CLUSTERED:
        value, why = curves.get("ks_statistic")(table), "limits for clustered data with many cases require --bootstrap"
        distance = Estimate(value, level=ev.settings.level, why=why)
    else:
        distance = ev.area("ks_statistic")
    return {"threshold": json_number(threshold), **distance.to_dict()}
