"""The zone between two thresholds: how many cases are flagged, referred and not flagged, and with which error rates."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rocscope import intervals
from rocscope.estimate import Estimate
from rocscope.numbers import json_number

if TYPE_CHECKING:
    from rocscope.evaluation.binary import Evaluation
    from rocscope.intervals import ZoneChoice

MEASURES = ("precision", "recall", "specificity", "npv")
TITLES = {"flagged": "flag", "referred": "refer", "not flagged": "do not flag"}


def zone_choice(ev: Evaluation) -> ZoneChoice | None:
    """The zone that the settings request; None if none is requested or a class is absent."""
    referral, table = ev.settings.referral, ev.table
    if referral is None or not table.positives or not table.negatives:
        return None
    cases, clusters = ev.repeatable
    return intervals.after_referral(
        cases, referral, table=table, chosen_on=ev.choose_on, clusters=clusters, seed=ev.settings.seed
    )


def referral_section(ev: Evaluation) -> dict[str, Any] | None:
    """The section of the results document; None without a zone."""
    choice = ev.referral
    if choice is None:
        return None
    level, zone = ev.settings.level, choice.zone
    zones = {"flagged": zone.flagged, "referred": zone.referred, "not flagged": zone.cleared}
    priced = ev.settings.costs is not None and choice.referral.price is not None
    return {
        "asked": str(choice.referral),
        "flag": _threshold(ev, choice, "flagged", zone.flag),
        "refer": _threshold(ev, choice, "seen", zone.refer),
        "zones": [
            {
                "zone": TITLES[name],
                "positives": json_number(zone_sums.positives),
                "negatives": json_number(zone_sums.negatives),
                "share": choice.share(name, level=level).to_dict(),
            }
            for name, zone_sums in zones.items()
        ],
        "cost": _per(choice.cost(level=level)).to_dict() if priced else None,
        "single_cost": json_number(1000 * zone.single_cost) if priced else None,
        "corrected": choice.repeated,
        "words": zone.words,
        "unmet": zone.unmet,
    }


def _threshold(ev: Evaluation, choice: ZoneChoice, part: str, threshold: float) -> dict[str, Any]:
    counts = choice.parts[part].counts
    estimates = {name: choice.measure(part, name, level=ev.settings.level).to_dict() for name in MEASURES}
    return {
        "threshold": json_number(threshold),
        "counts": {name: json_number(cell) for name, cell in counts.cells.items()},
        "measures": estimates,
    }


def _per(estimate: Estimate) -> Estimate:
    from rocscope.evaluation.binary import per_thousand

    return per_thousand(estimate)
