"""Two tables that need no script: cases that are flagged, referred and not flagged; and costs of single cases."""

from __future__ import annotations

from typing import Any

from rocscope.numbers import from_json
from rocscope.report.html.html_page import plain_table, view
from rocscope.report.html.markup import Markup, join, tag
from rocscope.report.html.state import Page
from rocscope.text import limits_text, show_count, significant, threshold_text, value_text

STILL = "Computed for the thresholds named here; it does not follow the controls."
HEADS = ("", "from threshold", "cases", "positive", "share of all", "precision", "recall", "NPV")


def referral(page: Page) -> Markup | None:
    """The zone between two thresholds; None where none was asked for."""
    found = page.evaluation.get("referral")
    if found is None:
        return None
    ends = {"flag": found["flag"], "refer": found["refer"]}
    rows = [_row(zone, ends.get(zone["zone"])) for zone in found["zones"]]
    corrected = " Shares and measures are corrected for choosing on these data." if found["corrected"] else ""
    said = f"{found['words']}{corrected} {STILL}"
    table = tag("div", plain_table(HEADS, rows), class_="scroll", tabindex=0)
    return view("referral", "Flag, refer, do not flag", said, table)


def _row(zone: dict[str, Any], end: dict[str, Any] | None) -> list[Any]:
    cases = from_json(zone["positives"]) + from_json(zone["negatives"])
    first = [zone["zone"], "" if end is None else threshold_text(from_json(end["threshold"]))]
    cells = [show_count(cases), show_count(zone["positives"]), _estimate(zone["share"])]
    rest = [""] * 3 if end is None else [_estimate(end["measures"][name]) for name in ("precision", "recall", "npv")]
    return [*first, *cells, *rest]


def _estimate(one: dict[str, Any]) -> Markup:
    return join([value_text(one), " ", tag("span", limits_text(one), class_="interval")])


def case_costs(page: Page) -> Markup | None:
    """What is to be paid where each case has costs of its own; None where all errors cost alike."""
    found, own = page.evaluation.get("case_costs"), page.evaluation
    if found is None or own["costs"] is None or own["point"] is None:
        return None
    at = threshold_text(from_json(own["point"]["threshold"]))
    names = {f"threshold {at}": own["point"]["cost"]}
    names |= {f"threshold {name}" if name[:1].isdigit() else name: one for name, one in own["costs"].items()}
    rows = [[name, significant(from_json(one["value"])), _limits(one)] for name, one in names.items()]
    total, units = found["total"], page.drawing["units"]
    said = (
        f"Over all {units}: {significant(from_json(total['value']))} {_limits(total)} at threshold {at}. "
        f"Missing every positive costs {significant(from_json(found['misses']))}, flagging every negative "
        f"{significant(from_json(found['alarms']))}. {STILL}"
    )
    level = f"{100 * own['settings']['level']:g} %"
    heads = ("decision", f"cost per 1,000 {units}", level)
    table = tag("div", plain_table(heads, rows), class_="scroll", tabindex=0)
    return view("case-costs", f"Costs of each {page.drawing['unit']}", said, table)


def _limits(one: dict[str, Any]) -> str:
    low, high = (from_json(one[side]) for side in ("low", "high"))
    return f"[{significant(low)}, {significant(high)}]" if low == low and high == high else "–"
