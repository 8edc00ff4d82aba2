"""Two tables without a script: cases that are flagged, referred and not flagged; and case-specific costs."""

from __future__ import annotations

from typing import Any

from rocscope.numbers import from_json
from rocscope.report.html.html_page import plain_table, view
from rocscope.report.html.markup import Markup, join, tag
from rocscope.report.html.state import Page
from rocscope.text import limits_text, show_count, significant, threshold_text, value_text

STILL = "These results are computed for the thresholds named here; they do not follow the controls."
HEADS = ("", "from threshold", "cases", "positive", "share of all", "precision", "recall", "NPV")


def referral(page: Page) -> Markup | None:
    """The zone between two thresholds; None if none was requested."""
    section = page.evaluation.get("referral")
    if section is None:
        return None
    ends = {"flag": section["flag"], "refer": section["refer"]}
    rows = [_row(zone, ends.get(zone["zone"])) for zone in section["zones"]]
    corrected = " Shares and measures are corrected for choosing on these data." if section["corrected"] else ""
    reading = f"{section['unmet']} {section['words']}{corrected} {STILL}".strip()
    table = tag("div", plain_table(HEADS, rows), class_="scroll", tabindex=0)
    return view("referral", "Flag, refer, do not flag", reading, table)


def _row(zone: dict[str, Any], end: dict[str, Any] | None) -> list[Any]:
    cases = from_json(zone["positives"]) + from_json(zone["negatives"])
    first = [zone["zone"], "" if end is None else threshold_text(from_json(end["threshold"]))]
    cells = [show_count(cases), show_count(zone["positives"]), _estimate(zone["share"])]
    rest = [""] * 3 if end is None else [_estimate(end["measures"][name]) for name in ("precision", "recall", "npv")]
    return [*first, *cells, *rest]


def _estimate(estimate: dict[str, Any]) -> Markup:
    return join([value_text(estimate), " ", tag("span", limits_text(estimate), class_="interval")])


def case_costs(page: Page) -> Markup | None:
    """The total cost if costs vary between cases; None if they do not."""
    section, own = page.evaluation.get("case_costs"), page.evaluation
    if section is None or own["costs"] is None or own["point"] is None:
        return None
    at = threshold_text(from_json(own["point"]["threshold"]))
    names = {f"threshold {at}": own["point"]["cost"]}
    names |= {f"threshold {name}" if name[:1].isdigit() else name: cost for name, cost in own["costs"].items()}
    rows = [[name, significant(from_json(estimate["value"])), _limits(estimate)] for name, estimate in names.items()]
    total, units = section["total"], page.drawing["units"]
    reading = (
        f"Over all {units}: {significant(from_json(total['value']))} {_limits(total)} at threshold {at}. "
        f"Missing every positive costs {significant(from_json(section['misses']))}, flagging every negative "
        f"{significant(from_json(section['alarms']))}. {STILL}"
    )
    level = f"{100 * own['settings']['level']:g} %"
    heads = ("decision", f"cost per 1,000 {units}", level)
    table = tag("div", plain_table(heads, rows), class_="scroll", tabindex=0)
    return view("case-costs", f"Costs of each {page.drawing['unit']}", reading, table)


def _limits(estimate: dict[str, Any]) -> str:
    low, high = (from_json(estimate[side]) for side in ("low", "high"))
    return f"[{significant(low)}, {significant(high)}]" if low == low and high == high else "–"
