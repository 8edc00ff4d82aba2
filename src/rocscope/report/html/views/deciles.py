"""Top shares and tenths of the ranking, for credit scoring and the like: tables without a script."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rocscope.numbers import from_json
from rocscope.report.html.html_page import folded, plain_table, view
from rocscope.report.html.markup import Markup, join, tag
from rocscope.report.html.state import Page
from rocscope.text import limits_text, show_count, threshold_text, value_text

TOP = ("top", "cases", "TP", "FP", "precision", "recall", "lift")
TENTHS = ("decile", "cases", "positive", "share positive", "lift", "recall so far", "TPR − FPR")


def deciles(page: Page) -> Markup | None:
    """The contents of the first shares and of each tenth of the cases; None for several models."""
    section = page.evaluation.get("top")
    if section is None or len(page.drawing["models"]) > 1 or not section["shares"]:
        return None
    shares = [
        [f"{100 * one['share']:g} %", show_count(one["counts"]["tp"] + one["counts"]["fp"]),
         *(show_count(one["counts"][name]) for name in ("tp", "fp")),
         *(_limited(one[name]) for name in ("precision", "recall", "lift"))]
        for one in section["shares"]
    ]  # fmt: skip
    tenths = [
        [one["decile"], show_count(one["cases"]), show_count(one["positives"]), _limited(one["rate"]),
         _limited(one["lift"]), f"{100 * one['recall']:.0f} %", f"{one['gap']:.2f}"]
        for one in section["deciles"]
    ]  # fmt: skip
    distance = section["ks"]
    at = threshold_text(from_json(distance["threshold"]))
    reading = (
        f"The {page.drawing['units']} with the highest scores, as counted here. The Kolmogorov-Smirnov distance is "
        f"{_limited(distance)}, reached at threshold {at}."
    )
    tables = {
        "Show top shares": plain_table(TOP, shares, words=()),
        "Show deciles": plain_table(TENTHS, tenths, words=()),
    }
    shown = join([folded(title, tag("div", table, class_="scroll", tabindex=0)) for title, table in tables.items()])
    return view("deciles", "Lift and deciles", reading, None, shown)


def _limited(estimate: Mapping[str, Any]) -> str:
    return f"{value_text(estimate)} {limits_text(estimate)}"
