"""Results of several models: which to use, how certain that is, all of them side by side, which one when."""

from __future__ import annotations

import math
import shlex
from collections.abc import Sequence

from rocscope.numbers import from_json
from rocscope.report.document_reader import estimate_of, intervals_of, ratios_of, settled_note
from rocscope.report.sheet import Block, Cell, Document, Field, Paragraph, Span, Tabular, data, quiet, strong
from rocscope.report.sheet_formats import Look, table_of
from rocscope.report.text_views.braille import Stroke
from rocscope.report.text_views.evaluation import (
    WIDE,
    calibration_block,
    cost_limits,
    cost_text,
    costs_grid,
    explain_step,
    methods_block,
    point_blocks,
    rules_grid,
)
from rocscope.report.text_views.hull import break_even_lines, cost_ranges, hull_table, who
from rocscope.report.text_views.slices import slice_blocks
from rocscope.report.text_views.verdict import (
    REPORT_STEP,
    cells_block,
    closing_caveats,
    facts_block,
    next_steps,
    point_note,
    remarks,
    verdict_block,
)
from rocscope.text import p_value, short_name, shorten, show_p, threshold_text

# columns dropped, in this order, if the terminal is too narrow
SPARE = ("threshold", "AUC difference", "p", "cost difference", "measure difference")
HEADINGS = {"p": "adjusted p", "cost difference": "costs more by"}
SHOWN = 8  # maximum number of models in the table; of more, the best are shown
CURVES = 4  # maximum number of curves that can be distinguished in text output
STYLES = ("model", "", "quiet", "quiet")


def comparison_blocks(document: Document, look: Look, *, full: bool, single: bool) -> list[Block]:
    """The sheet of a comparison."""
    first = document["evaluations"][document["recommended"]]
    point = first["point"]
    at = f" at {threshold_text(from_json(point['threshold']))}" if point is not None else ""
    at += ", the default threshold" if point is not None and _is_default(first) else ""
    name = f"{short_name(document['recommended'], 24)}{at}"
    return [
        verdict_block(document, note=point_note(first)),
        facts_block(document),
        *cells_block(document),
        *point_blocks(
            first,
            look,
            full=full,
            single=single,
            name=name,
            strokes=lambda: _strokes(document),
            key=lambda: _key(document),
        ),
        *models_blocks(document, look),
        *settled_blocks(document),
        *equivalence_blocks(document),
        *when_blocks(document),
        *slice_blocks(document, look, full=full),
        *(_more(document, first, look) if full else []),
        *remarks(closing_caveats(document, full=full)),
        *(methods_block(document) if full else []),
        *(next_steps(_next(document, first, full)) if single else []),
    ]


def _more(document: Document, first: Document, look: Look) -> list[Block]:
    joint = document["joint"]
    intervals = intervals_of(document)
    hull_blocks = [hull_table(intervals, ratios_of(document), look)] if intervals else []
    blocks: list[Block] = [*rules_grid(first), *costs_grid(first), *hull_blocks]
    blocks += calibration_block(first)
    blocks += pairs_blocks(document)
    blocks += together_blocks(document)
    if joint is not None and joint.get("p") is not None:
        sentence = f"Test that all {len(document['models'])} AUCs are equal (DeLong): p {p_value(joint['p'])}."
        blocks.append(Paragraph.of(sentence))
    return blocks


# --- table of models


def models_blocks(document: Document, look: Look) -> list[Block]:
    """Every model with its threshold, cost, AUC and its difference from the recommended one."""
    names = _ordered(document)
    rows = [_cells(document, name) for name in names[:SHOWN]]
    costs = document["settings"]["costs"] is not None and rows[0]["cost per 1,000"] != ""
    wanted = ["model", "threshold", "ROC AUC", "AUC difference", "p"]
    if costs:
        wanted = ["model", "threshold", "cost per 1,000", "cost difference", "p", "ROC AUC", "AUC difference"]
    if costs and not document["cost_differences"]:  # with weights or clusters, or if the rows do not fit in memory
        wanted = ["model", "threshold", "cost per 1,000", "ROC AUC", "AUC difference", "p"]
    heading = HEADINGS
    if document.get("measure"):
        title = document["measure"]["title"]
        heading = HEADINGS | {"measure": title, "measure difference": f"{title} difference"}
        wanted = ["model", "threshold", "measure", "measure difference", "p", "ROC AUC", "AUC difference"]
    if not any(row["threshold"] for row in rows):
        wanted.remove("threshold")
    spare = [name for name in SPARE if name in wanted]
    right = ("threshold", "cost per 1,000", "p").__contains__
    grid = table_of(rows, wanted, look, spare=spare, right=right, heading=heading)
    rest = len(names) - SHOWN
    more = [Paragraph.of(quiet(f"{rest} more models: --format json lists them."))] if rest > 0 else []
    return [grid, *_as_counted(document, costs=costs), *more]


def _as_counted(document: Document, *, costs: bool) -> list[Block]:
    """A note that differences are uncorrected, if the costs beside them are corrected for the choice."""
    point = document["evaluations"][document["recommended"]]["point"] or {}
    if not costs or not document["cost_differences"] or not (point.get("correction") or {}).get("label"):
        return []
    return [Paragraph.of(quiet("Costs are corrected for selection; differences are apparent (not corrected)."))]


def _ordered(document: Document) -> list[str]:
    """The recommended model, then the others by cost, by the deciding measure, or by AUC."""
    measure = document.get("measure")

    def worth(name: str) -> tuple[bool, float]:
        evaluation = document["evaluations"][name]
        cost = None if evaluation["point"] is None else evaluation["point"]["cost"]
        auc = next(row["value"] for row in evaluation["areas"] if row["name"] == "auc")
        worst = math.inf if auc is None else -auc
        if measure:
            known = from_json(measure["values"][name]["value"])
            worst = known if measure["best"] == "lowest" else -known
        return name != document["recommended"], worst if cost is None or cost["value"] is None else cost["value"]

    return sorted(document["models"], key=worth)


def _cells(document: Document, name: str) -> dict[str, Cell]:
    evaluation = document["evaluations"][name]
    point = evaluation["point"]
    cost = None if point is None else point["cost"]
    auc = next(row for row in evaluation["areas"] if row["name"] == "auc")
    auc_gap, cost_gap = (_gap(document[kind], name) for kind in ("differences", "cost_differences"))
    named = _gap(document.get("measure_differences", ()), name)
    main = next((gap for gap in (cost_gap, named) if gap is not None), auc_gap)
    measure = document.get("measure")
    return {
        "model": strong(data(name, limit=24)) if name == document["recommended"] else data(name, limit=24),
        "threshold": "" if point is None or _is_default(evaluation) else threshold_text(from_json(point["threshold"])),
        "cost per 1,000": "" if cost is None else f"{cost_text(from_json(cost['value']))} {cost_limits(cost)}",
        "cost difference": "" if cost_gap is None else _cost_gap(cost_gap),
        "measure": "" if not measure else estimate_text(measure["values"][name]),
        "measure difference": "" if named is None else difference_from_other(named),
        "ROC AUC": estimate_text(auc),
        "AUC difference": "" if auc_gap is None else difference_from_other(auc_gap),
        "p": "" if main is None or main["p_adjusted"] is None else show_p(main["p_adjusted"]),
    }


def _is_default(evaluation: Document) -> bool:
    return bool(evaluation["point"]["chosen"] == "not chosen")


def _gap(differences: Sequence[Document], name: str) -> Document | None:
    return next((difference for difference in differences if difference["b"] == name), None)


def estimate_text(row: Document) -> str:
    """A value with its limits, short enough for a column."""
    text = str(estimate_of(row))
    return shorten(text, 40)


def _cost_gap(difference: Document) -> str:
    """The difference from the point of view of the other model: its additional cost."""
    turned = {
        "value": 0.0 - difference["value"],
        "low": 0.0 - difference["high"],
        "high": 0.0 - difference["low"],
    }  # 0.0 - x avoids -0
    sign = "+" if turned["value"] > 0 else ""
    return f"{sign}{cost_text(turned['value'])} {cost_limits(turned)}".replace("-", "−")


def difference_from_other(difference: Document) -> str:
    """The difference from the point of view of the other model."""
    if difference["value"] is None:
        return estimate_text(difference)
    low, high = (None if limit is None else -limit for limit in (difference["high"], difference["low"]))
    turned = {**difference, "value": -difference["value"], "low": low, "high": high}
    sign = "+" if turned["value"] > 0 else ""
    return f"{sign}{estimate_text(turned)}"


def pairs_blocks(document: Document) -> list[Block]:
    """All pairs of three or more models, with simultaneous limits."""
    pairs = document.get("pairs") or []
    if len(pairs) < 2:
        return []
    cost = pairs[0]["what"] == "cost"
    rows: list[list[Cell]] = []
    for pair in pairs[:SHOWN]:
        priced = f"{cost_text(from_json(pair['value']))} {cost_limits(pair)}".replace("-", "−") if cost else ""
        shown = priced or estimate_text(pair)
        rows.append([data(pair["a"], limit=24), data(pair["b"], limit=24), shown])
    decides = document["measures"][0] if "measures" in document else document.get("measure")
    title = decides["title"] if decides else "AUC"
    what = "cost per 1,000, first minus second" if cost else f"{title}, first minus second"
    level = f"{100 * document['settings']['level']:g}"
    note = (
        f"Limits that hold for all {len(pairs)} pairs together at {level} % (max-|T|), as the adjusted p-values do; "
        "the limits above hold for one pair each."
    )
    grid = Tabular.of(["first", "second", Field(what)], rows)
    return [grid, Paragraph.of(quiet(note))]


def settled_blocks(document: Document) -> list[Block]:
    """Why a recommendation is settled although the adjusted p-value of a pair is not small."""
    note = settled_note(document)
    return [Paragraph.of(quiet(note))] if note else []


def together_blocks(document: Document) -> list[Block]:
    """P over all pairs and measures, if the AUC and another quantity are compared, for the models in the table."""
    rows = [*document["differences"], *document["cost_differences"], *document.get("measure_differences", ())]
    names = _ordered(document)
    told = [
        f"{short_name(one['b'], 24)} in {'AUC' if one['what'] == 'auc' else one['what']} {p_value(one['p_together'])}"
        for one in rows
        if one.get("p_together") is not None and one["b"] in names[:SHOWN]
    ]
    method = "" if "Bonferroni" in document["methods"] else " (Holm)"
    said = f"p adjusted for all pairs and measures together{method}, against "
    return [Paragraph.of(quiet(f"{said}{'; '.join(told)}."), hang=2)] if told else []


def equivalence_blocks(document: Document) -> list[Block]:
    """Which models are equivalent within the given margin."""
    lines: list[list[str | Span]] = []
    for row in document.get("equivalence", ()):
        pair = f"{short_name(row['a'], 24)} and {short_name(row['b'], 24)}"
        unit = "cost per 1,000" if row["what"] == "cost" else "AUC" if row["what"] == "auc" else row["what"]
        within = f"within {row['margin']:g} in {unit}"
        if row["p_adjusted"] is None:
            lines.append([quiet("equal?  "), f"{pair}: {row['why']}."])
        elif row["equivalent"]:
            lines.append([quiet("equal?  "), f"{pair} are equivalent {within} ({show_p(row['p_adjusted'])})."])
        else:
            text = f"{pair}: not shown to be equivalent {within} ({show_p(row['p_adjusted'])})."
            lines.append([quiet("equal?  "), text])
    return [Paragraph.of(*lines, hang=8)] if lines else []


# --- cheapest model by cost ratio


def when_blocks(document: Document) -> list[Block]:
    """Which model is cheapest at which costs, with a row for each range."""
    ratios = ratios_of(document)
    ranges = cost_ranges(intervals_of(document))
    if len({one.model for one in ranges if one.model is not None}) < 2:
        return []
    rows: list[list[Cell]] = []
    for stretch in ranges:
        first, last = stretch.rows[0], stretch.rows[-1]
        ends = [threshold_text(first.threshold), threshold_text(last.threshold)]
        threshold = "" if stretch.model is None else ends[0] if ends[0] == ends[1] else f"{ends[0]} to {ends[1]}"
        rows.append(
            [ratios.text(stretch.high), ratios.text(stretch.low), strong(who(stretch.model, first.tpr)), threshold]
        )
    names = ("alarm : miss from", "to", "cheapest", "thresholds")
    table = Tabular.of([Field(name, right=index < 2) for index, name in enumerate(names)], rows)
    evens = [(break_even["first"]["model"], break_even["second"]["model"], estimate_of(break_even["slope"]))
             for break_even in document.get("break_evens", ())]  # fmt: skip
    lines = break_even_lines(evens, ratios)
    return [table, *([Paragraph.of(*lines, hang=12)] if lines else [])]


# --- figure


def _drawn(document: Document) -> list[str]:
    """The models whose curves are drawn: the recommended one, then those on the hull, then the others."""
    order = _ordered(document)
    dominated = set(document["hull"]["dominated"])
    return sorted(order, key=lambda name: (name != document["recommended"], name in dominated))[:CURVES]


def _strokes(document: Document) -> list[Stroke]:
    curves = [document["evaluations"][name]["roc"] for name in _drawn(document)]
    return [
        Stroke(roc["fpr"], roc["tpr"], style) for roc, style in zip(curves, STYLES, strict=False) if roc is not None
    ]


def _key(document: Document) -> list[Span]:
    drawn = dict(zip(_drawn(document), STYLES, strict=False))
    areas = {name: _auc(document, name) for name in drawn}
    if any(math.isnan(value) for value in areas.values()):
        return []
    ordered = sorted(areas, key=lambda name: -areas[name])
    lines = [Span(f"{data(name, limit=18).text} {areas[name]:.3f}", drawn[name]) for name in ordered]
    return [quiet("AUC"), *lines]


def _auc(document: Document, name: str) -> float:
    return from_json(next(row["value"] for row in document["evaluations"][name]["areas"] if row["name"] == "auc"))


# --- next steps


def _next(document: Document, first: Document, full: bool) -> list[tuple[str, str]]:
    source = document["data"]["source"]
    if not source.get("file"):
        return []
    steps = [] if full else [("--full", "other rules, costs, calibration and methods")]
    if document["settings"]["costs"] is None:
        steps.insert(0, ("--cost-fn 5", "the cheapest model when a miss costs 5 false alarms"))
    alone = _alone(document, first)
    if alone and len(alone) <= WIDE:
        steps.append((alone, "this model alone"))
    return [REPORT_STEP, *steps, *explain_step(first)]


def _alone(document: Document, first: Document) -> str:
    """The command that evaluates the recommended model alone; "" if its file or column is not known."""
    source, model = document["data"]["source"], document["recommended"]
    own = source.get("models", {}).get(model)
    if own is None and (", " in source["file"] or model not in source.get("scores", ())):
        return ""
    own = own or {"file": source["file"], "label": source.get("label"), "score": model}
    named = {"label": own["label"], "positive": source.get("positive"), "score": own["score"]}
    named |= {option: source.get(option) for option in ("weight", "cluster")}
    options = [part for option, value in named.items() if value for part in (f"--{option}", str(value))]
    lower = [] if first["data"]["rule"].startswith("score >=") else ["--lower-is-positive"]
    return shlex.join(["rocscope", "evaluate", str(own["file"]), *options, *lower])
