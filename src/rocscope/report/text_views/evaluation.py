"""Results of one scored classifier: verdict, matrix, measures with whiskers, caveats, next steps."""

from __future__ import annotations

import math
import shlex
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

from rocscope.numbers import from_json
from rocscope.report.document_reader import counts_of, estimate_of, intervals_of, measured_of, ratios_of
from rocscope.report.sheet import Block, Cell, Document, Field, Line, Paragraph, Span, Tabular, data, quiet, strong
from rocscope.report.sheet_formats import Look, as_text, first_fitting, table_of
from rocscope.report.text_views.braille import Stroke, TextAxes, beside, draw
from rocscope.report.text_views.matrix import counts_blocks
from rocscope.report.text_views.measures import CHANCE, Measured, measure_grid, undefined_blocks
from rocscope.report.text_views.slices import slice_blocks
from rocscope.report.text_views.verdict import (
    REPORT_STEP,
    RULES,
    cells_block,
    closing_caveats,
    facts_block,
    next_steps,
    point_note,
    remarks,
    verdict_block,
)
from rocscope.report.text_views.whiskers import TICK
from rocscope.text import (
    cost_ratio,
    estimate_text,
    p_value,
    percentage,
    point_text,
    show_count,
    significant,
    threshold_text,
)

FIRST = ("recall", "specificity", "precision", "f1", "mcc", "accuracy")
FIRST_AREAS = ("auc", "average_precision")
WIDE = 112  # terminal width, in columns, from which the curve is shown
PICTURE = 42
CALIBRATION = {  # name -> title and interpretation
    "calibration_in_the_large": ("in the large", "0 is ideal; below 0, predictions are too high on average"),
    "calibration_slope": ("slope", "1 is ideal; below 1, predictions are too extreme"),
    "calibration_intercept": ("intercept", "0 is ideal, together with slope 1"),
    "ici": ("ICI", "mean distance from the smoothed observed frequency"),
    "e50": ("E50", "half of the cases are closer than this"),
    "e90": ("E90", "90 % of the cases are closer than this"),
    "ece_10": ("ECE, 10 bins", "mean distance from the observed frequency, in bins"),
}
COST_RATIOS = tuple(Fraction(*ratio) for ratio in ((2, 1), (1, 1), (1, 2), (1, 5), (1, 10), (1, 20), (1, 50), (1, 100)))


def evaluation_blocks(document: Document, look: Look, *, full: bool, single: bool) -> list[Block]:
    """The sheet of one evaluation; `single` is text, with drawings that Markdown omits."""
    return [
        verdict_block(document, note=point_note(document)),
        facts_block(document),
        *cells_block(document),
        *rules_line(document),
        *point_blocks(document, look, full=full, single=single, strokes=lambda: curve_strokes(document)),
        *referral_blocks(document),
        *slice_blocks(document, look, full=full),
        *(more_blocks(document, look) if full else []),
        *remarks(closing_caveats(document, full=full)),
        *(methods_block(document) if full else []),
        *(next_steps(_next(document, full)) if single else []),
    ]


def rules_line(document: Document) -> list[Block]:
    """The thresholds that the usual rules would choose, if no threshold was given."""
    point = document["point"]
    if point is None or point["chosen"] != "not chosen" or not document["rules"] or one_class(document):
        return []
    chosen: dict[str, list[str]] = {}
    for rule in document["rules"]:
        chosen.setdefault(rule_text(rule), []).append(_rule_name(rule["rule"]))
    text = "; ".join(f"{', '.join(names)} {threshold}" for threshold, names in chosen.items())
    return [Paragraph.of([quiet("best by  "), text], hang=9)]


def one_class(document: Document) -> bool:
    """Whether there is only one class."""
    return not (document["data"]["positives"] and document["data"]["negatives"])


def rule_text(rule: Document) -> str:
    """The threshold of a rule; in words if no case is flagged."""
    flagged = rule["counts"]["tp"] + rule["counts"]["fp"]
    return point_text(rule) if flagged else "flag nobody"


def _rule_name(rule: str) -> str:
    return {"youden": "Youden", "closest": "closest", "f1": "F1", "accuracy": "accuracy", "mcc": "MCC"}.get(rule, rule)


def point_blocks(
    document: Document,
    look: Look,
    *,
    full: bool,
    single: bool,
    strokes: Callable[[], Sequence[Stroke]],
    name: str = "",
    key: Callable[[], Sequence[Span]] = tuple,
) -> list[Block]:
    """The matrix and the measures, with the curve beside them if there is room."""
    wide = single and look.fancy and look.width >= WIDE and document["roc"] is not None
    narrow = Look(look.fancy, look.width - PICTURE) if wide else look
    blocks = [
        *(counts_blocks(counts_of(document), narrow, single=single) if document["point"] else []),
        *point_measures(document, narrow, full=full, single=single, name=name),
    ]
    if not wide:
        return blocks
    picture = roc_picture(document, look, strokes(), key())
    return [Paragraph(tuple(beside(list(as_text(blocks, narrow)), picture, gap=4)))]


def point_measures(document: Document, look: Look, *, full: bool, single: bool, name: str = "") -> list[Block]:
    """The measures at the threshold, those over all thresholds, and why any is undefined."""
    at_point = [measured_of(row) for row in document["measures"] if full or row["name"] in FIRST]
    overall = [measured_of(row) for row in document["areas"] if full or row["name"] in FIRST_AREAS]
    known = [[row for row in group if not math.isnan(row.value)] for group in (at_point, overall)]
    rows = [row for group in known for row in group]
    headings = {len(known[0]): "over all thresholds"} if known[0] and known[1] else {}
    if name and known[0]:
        headings[0] = name
    if not rows:
        return undefined_blocks([*at_point, *overall])
    key = [Paragraph.of([quiet(tick_key(document))])] if single else []
    undefined = [row for row in (*at_point, *overall) if math.isnan(row.value)]
    grid = measure_grid(rows, look, headings=headings, with_fractions=False)
    return [grid, *key, *_correction(document, full=full), *undefined_blocks(undefined), *_without_limits(rows)]


def _correction(document: Document, *, full: bool) -> list[Block]:
    """A note that states which measures are corrected for the choice, and which hold for another prevalence."""
    label = ((document["point"] or {}).get("correction") or {}).get("label")
    text = f"Measures at the threshold: {label}. The matrix shows the uncorrected counts." if label else ""
    share = (document["settings"]["costs"] or {}).get("prevalence")
    if share is not None:
        seen = percentage(document["data"]["prevalence"])
        text += (
            f" Precision, NPV, F1, MCC, accuracy and average precision apply to a prevalence of {percentage(share)}; "
            f"the matrix shows the sample, in which the prevalence is {seen}."
        )
        if full:
            text += " The Brier score, log loss, calibration, lift and the top of the ranking are those of the sample."
    return [Paragraph.of([quiet(text.strip())])] if text else []


def tick_key(document: Document) -> str:
    """The meaning of the tick on the whiskers."""
    facts = document["data"]
    larger = "positive" if facts["positives"] > facts["negatives"] else "negative"
    label = data(facts["labels"][larger], limit=24).text
    label = f"{larger}" if label in ("0", "1", "None") else label
    return f"{TICK} {CHANCE}; for accuracy: always {label}"


def _without_limits(rows: Sequence[Measured]) -> list[Block]:
    """Why a value has no interval."""
    reasons: dict[str, list[str]] = {}
    for row in rows:
        if row.estimate is not None and math.isnan(row.estimate.half_width) and row.why:
            reasons.setdefault(row.why, []).append(row.name)
    lines: list[list[str | Span]] = [
        [quiet("no interval  "), f"{', '.join(names)}: {why}"] for why, names in reasons.items()
    ]
    return [Paragraph.of(*lines, hang=13)] if lines else []


# --- figure


def curve_strokes(document: Document) -> list[Stroke]:
    """The ROC curve of one model."""
    roc = document["roc"]
    return [] if roc is None else [Stroke(roc["fpr"], roc["tpr"], "model")]


def roc_picture(document: Document, look: Look, strokes: Sequence[Stroke], key: Sequence[Span] = ()) -> list[Line]:
    """The ROC curve in characters, with the point, and chance as a dotted line."""
    chance = Stroke([0.0, 1.0], [0.0, 1.0], "quiet", every=6)
    auc = next(row for row in document["areas"] if row["name"] == "auc")
    title: Line = (Span("ROC"),) if key else (Span("ROC  "), Span(f"AUC {estimate_of(auc)}"))
    frame = TextAxes(34, 16, x_name="false positive rate", y_name="true positive rate" if key else "")
    mark = None
    if document["point"] is not None:
        counts = counts_of(document)
        mark = (float(counts.fpr), float(counts.tpr))
    return draw([*strokes, chance], frame, look, mark=mark, title=title, key=key)


# --- shown with --full


def more_blocks(document: Document, look: Look) -> list[Block]:
    """Thresholds by other rules, costs of alternatives, which threshold at which cost, calibration."""
    return [
        *rules_grid(document),
        *costs_grid(document),
        *when_blocks(document),
        *top_blocks(document, look),
        *calibration_block(document),
    ]


def rules_grid(document: Document) -> list[Block]:
    """The thresholds of the usual rules."""
    rows: list[list[Cell]] = []
    for rule in document["rules"]:
        counts = rule["counts"]
        rows.append([
            RULES.get(rule["rule"], rule["rule"]), strong(rule_text(rule)),
            *(show_count(counts[cell]) for cell in ("tp", "fp", "fn", "tn")),
            f"and {rule['tied']:,} more" if rule["tied"] else "",
        ])  # fmt: skip
    names = ["rule", "threshold", "TP", "FP", "FN", "TN"]
    if any(row[-1] for row in rows):
        names.append("tied")
    columns = [Field(name, right=0 < index < 6) for index, name in enumerate(names)]
    return [Tabular.of(columns, [row[: len(names)] for row in rows])] if rows else []


def costs_grid(document: Document) -> list[Block]:
    """The costs of the alternatives."""
    if document["costs"] is None or document["point"] is None:
        return []
    costs = {f"threshold {threshold_text(from_json(document['point']['threshold']))}": document["point"]["cost"]}
    costs |= {f"threshold {name}" if name[:1].isdigit() else name: cost for name, cost in document["costs"].items()}
    rows: list[list[Cell]] = [[name, strong(cost_text(from_json(cost["value"]))), quiet(cost_limits(cost))]
                             for name, cost in costs.items()]  # fmt: skip
    level = 100 * document["settings"]["level"]
    unit = document["settings"]["unit"]
    return [Tabular.of(["action", Field(f"cost per 1,000 {unit}s", right=True), f"{level:g} % interval"], rows)]


def cost_text(value: float) -> str:
    """A cost per 1,000, as an integer from 10 on."""
    if math.isnan(value):
        return "–"
    return f"{value:,.0f}" if abs(value) >= 10 else f"{value + 0.0:.2g}"  # + 0.0 avoids -0


def cost_limits(cost: Document) -> str:
    """The limits of a cost."""
    low, high = from_json(cost["low"]), from_json(cost["high"])
    return "–" if math.isnan(low) or math.isnan(high) else f"[{cost_text(low)}, {cost_text(high)}]".replace("-", "−")


def when_blocks(document: Document) -> list[Block]:
    """Which threshold is cheapest at which costs, for common ratios."""
    intervals, ratios = intervals_of(document), ratios_of(document)
    if not intervals or not ratios.odds:
        return []
    rows: list[list[Cell]] = []
    for ratio in COST_RATIOS:
        slope = float(ratio) / ratios.odds
        entry = next(row for row in intervals if row.low <= slope <= row.high)
        flagged = not math.isinf(entry.threshold)
        shown = strong(threshold_text(entry.threshold)) if flagged else quiet("everyone" if entry.tpr else "nobody")
        rows.append([cost_ratio(ratio), shown, f"{entry.tpr:.3f}", f"{entry.fpr:.4f}"])
    names = ("alarm : miss", "cheapest threshold", "recall", "false alarm rate")
    return [Tabular.of([Field(name, right=True) for name in names], rows)]


def referral_blocks(document: Document) -> list[Block]:
    """The zone between two thresholds: how many cases are flagged, referred and not flagged, and the error
    rates.
    """
    section = document.get("referral")
    if section is None:
        return []
    rows: list[list[Cell]] = []
    for zone in section["zones"]:
        cases = from_json(zone["positives"]) + from_json(zone["negatives"])
        cells = [show_count(cases), show_count(zone["positives"]), str(estimate_of(zone["share"]))]
        rows.append([strong(zone["zone"]), *cells])
    names = ("to do", "cases", "positive", "share of all")
    zones = Tabular.of([Field(name, right=index > 0) for index, name in enumerate(names)], rows)
    cost = _referral_cost(section, document["point"])
    unmet = [Paragraph.of(section["unmet"])] if section["unmet"] else []
    return [zones, *unmet, _two_thresholds(section), Paragraph.of([quiet(_referral_note(section))]), *cost]


def _two_thresholds(section: Document) -> Tabular:
    """The measures of flagging from the upper threshold on, and from the lower one on."""
    rows: list[list[Cell]] = []
    for title, end in (("flagged", section["flag"]), ("flagged or referred", section["refer"])):
        estimates = [str(estimate_of(row)) for row in end["measures"].values()]
        rows.append([title, strong(threshold_text(from_json(end["threshold"]))), *estimates])
    names = ("", "threshold", "precision", "recall", "specificity", "NPV")
    return Tabular.of([Field(name, right=index > 0) for index, name in enumerate(names)], rows)


def _referral_note(section: Document) -> str:
    how = "where that is cheapest" if section["cost"] is not None else "as rarely as possible"
    text = f"Cases are referred {how} ({section['asked']})."
    chosen = "Both thresholds were chosen on these cases: the shares and measures are corrected for selection."
    return f"{text} {chosen if section['corrected'] else 'The thresholds were not chosen on these cases.'}"


def _referral_cost(section: Document, point: Document) -> list[Block]:
    """The cost with referral beside that of one threshold, if both are corrected for their choice."""
    if section["cost"] is None:
        return []
    value, limits = cost_text(from_json(section["cost"]["value"])), cost_limits(section["cost"])
    text = f"Cost per 1,000 cases: {value} {limits}"
    if point["chosen"] == "cost":
        single = point["cost"]
        text += f"; one threshold alone costs {cost_text(from_json(single['value']))} {cost_limits(single)}"
    return [Paragraph.of(f"{text}.")]


def top_blocks(document: Document, look: Look) -> list[Block]:
    """The top of the ranking: what is found if only a limited number can be checked, and deciles."""
    section = document.get("top")
    if section is None or not section["shares"]:
        return []
    rows: list[dict[str, Cell]] = []
    for row in section["shares"]:
        counts = row["counts"]
        cells = {"top": f"{100 * row['share']:g} %", "cases": show_count(counts["tp"] + counts["fp"])}
        cells |= {"TP": show_count(counts["tp"]), "FP": show_count(counts["fp"])}
        cells |= {name: str(estimate_of(row[name])) for name in ("precision", "recall")}
        rows.append({**cells, "lift": _lift(row["lift"])})
    # on a narrow terminal without the number of cases, which is TP + FP
    top = table_of(rows, list(rows[0]), look, spare=["cases", "FP", "TP"], right=lambda name: name != "top")
    return [top, _deciles(section["deciles"], look), *_distance(section["ks"])]


def _deciles(deciles: Sequence[Document], look: Look) -> Tabular:
    """The tenths of the ranking; on a narrow terminal, only the share of positives has limits."""
    rows: list[dict[str, Cell]] = []
    for decile in deciles:
        cells: dict[str, Cell] = {"decile": f"{decile['decile']}", "cases": show_count(decile["cases"])}
        cells |= {"positive": show_count(decile["positives"]), "share positive": str(estimate_of(decile["rate"]))}
        cells |= {"lift, with limits": _lift(decile["lift"]), "lift": f"{decile['lift']['value']:.2f}"}
        cells |= {"recall so far": f"{100 * decile['recall']:.0f} %", "TPR - FPR": f"{decile['gap']:.2f}"}
        rows.append(cells)
    wide = [name for name in rows[0] if name != "lift"]
    narrow = [name for name in rows[0] if name != "lift, with limits"]
    how: dict[str, Any] = {"right": lambda name: name != "decile", "heading": {"lift, with limits": "lift"}}
    return first_fitting((table_of(rows, names, look, **how) for names in (wide, narrow)), look)


def _lift(row: Document) -> str:
    value, low, high = (from_json(row[side]) for side in ("value", "low", "high"))
    return f"{value:.2f}" if math.isnan(low) else f"{value:.2f} [{low:.2f}, {high:.2f}]"


def _distance(distance: Document) -> list[Block]:
    at = threshold_text(from_json(distance["threshold"]))
    value = estimate_text(distance)
    return [Paragraph.of(f"Kolmogorov-Smirnov distance: {value}, reached at threshold {at}.")]


def calibration_block(document: Document) -> list[Block]:
    """Calibration in numbers."""
    section = document["calibration"]
    if section is None:
        if document["data"]["probabilities"]:
            return []
        return [Paragraph.of("The scores are not probabilities, so only their ranking can be assessed.")]
    estimates = {row["name"]: row for row in section["estimates"]}
    rows: list[list[Cell]] = []
    for name, (title, says) in CALIBRATION.items():
        value, bracket, limits = str(estimate_of(estimates[name])).partition(" [")
        why = estimates[name]["why"]
        note = f"undefined: {why}" if estimates[name]["value"] is None else says
        rows.append([title, strong(value), quiet(f"[{limits}") if bracket else "", quiet(note)])
    parts = {
        "miscalibration": ("miscalibration", "the part of the Brier score that recalibration would remove"),
        "discrimination": ("discrimination", "the part of the uncertainty that the ranking removes"),
        "uncertainty": ("uncertainty", "the Brier score of always predicting the prevalence"),
    }
    rows += [
        [name, strong(significant(from_json(section[key]))), "", quiet(says)] for name, (key, says) in parts.items()
    ]
    level = f"{100 * document['settings']['level']:g} % CI"
    grid = Tabular.of(["calibration", Field("value", right=True), Field(level), ""], rows)
    tests = [f"{test['name']} {p_value(test['p'])}" for test in section.get("tests", ()) if test["p"] is not None]
    return [grid, *([Paragraph.of([quiet("tests  "), f"p of {'; '.join(tests)}."], hang=7)] if tests else [])]


def methods_block(document: Document) -> list[Block]:
    """The sentences for a methods section."""
    return [Paragraph.of([quiet("methods  "), document["methods"]], hang=9)]


# --- next steps


def _next(document: Document, full: bool) -> list[tuple[str, str]]:
    if not document["data"]["source"].get("file"):
        return []  # not run from the command line, so options would make no sense
    steps = [] if full else [("--full", "other rules, costs, calibration and methods")]
    unpriced = document["settings"]["costs"] is None and "case_costs" not in document["settings"]
    if document["point"] is not None and unpriced and not one_class(document):
        steps.insert(0, ("--cost-fn 5", "the cheapest threshold when a miss costs 5 false alarms"))
    if document["verdict"]["statements"]["headline"][0]["rule"] == "reversed":
        steps.insert(0, ("--lower-is-positive", "if lower scores indicate the positive class"))
    return [REPORT_STEP, *steps, *explain_step(document)]


def explain_step(document: Document) -> list[tuple[str, str]]:
    """The command that explains a formula with these counts."""
    if document["point"] is None:
        return []
    cells = list(document["point"]["counts"].values())
    if not all(isinstance(cell, int) for cell in cells):
        return []
    return [(f"rocscope explain precision {shlex.join(map(str, cells))}", "the formula with your numbers")]
