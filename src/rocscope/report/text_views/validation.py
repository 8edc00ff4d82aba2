"""A validation as text: the verdict, models side by side, differences, and further results."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rocscope.estimate import Estimate
from rocscope.numbers import from_json
from rocscope.report.sheet import Block, Cell, Document, Field, Paragraph, Tabular, data, quiet
from rocscope.report.sheet_formats import Look
from rocscope.report.text_views.verdict import REPORT_STEP, closing_caveats, next_steps, remarks, verdict_block
from rocscope.text import show_p, whole, whole_limits


def validation_blocks(document: Document, look: Look, *, full: bool = False, single: bool = True) -> list[Block]:
    """The verdict, models, differences, spread of errors; with `full`, everything; `single` is text."""
    blocks: list[Block] = [verdict_block(document)]
    blocks.append(_models(document))
    if document["comparisons"]:
        blocks += _differences(document)
    blocks.append(_spread(document, look))
    if document["times"]["run"]:  # false if the models were fitted elsewhere
        blocks.append(_factors(document))
    if document["winner"] is not None:
        blocks.append(_winner(document))
    if not full and document["costs"]:  # the costs chose these thresholds; without costs they are one result of many
        blocks += [block for block in (_thresholds(document),) if block is not None]
    if full:
        blocks += _full(document)
    blocks.append(Paragraph.of(*([quiet(line)] for line in _plan_lines(document)), hang=2))
    blocks += remarks(closing_caveats(document, full=True))
    steps = [REPORT_STEP, *([("rocscope explain 5x2", "how the plan works")] if full else [])]
    return [*blocks, *(next_steps(steps) if single and document["data"]["source"].get("file") else [])]


def _plan_lines(document: Document) -> list[str]:
    features = document["data"]["source"].get("features")
    prepared = [f"features: {features['words']}"] if features else []
    return [*prepared, *document["plan"]["words"].split("\n")]


def _models(document: Document) -> Tabular:
    """Models side by side: quality with its interval."""
    shown = list(dict.fromkeys((document["measure"], "error_rate")))
    costs = (document["costs"] or {}).get("models")
    rows: list[list[Cell]] = [
        [data(name), *([_cost(costs[name])] if costs else []),
         *(_estimate(document["summary"][name][measure]["mean"]) for measure in shown)]
        for name in _ranked(document)
    ]  # fmt: skip
    heads = [document["titles"][name] for name in (*(["cost"] if costs else []), *shown)]
    return Tabular.of([Field("model"), *(Field(head, right=True) for head in heads)], rows)


def _factors(document: Document) -> Tabular:
    """Other criteria side by side: time, memory, size, and declared ones."""
    traced = any(model["fit_peak"] is not None for model in document["times"]["models"].values())
    noted = bool(document["notes"])
    rows: list[list[Cell]] = []
    for name in _ranked(document):
        times = document["times"]["models"][name]
        row: list[Cell] = [data(name), seconds_text(times["fit_seconds"])]
        row.append(seconds_text(times["predict_seconds_per_1000"]))
        row += [_bytes(times["bytes"]), *([_bytes(times["fit_peak"])] if traced else [])]
        rows.append([*row, *([", ".join(document["notes"].get(name, {}))] if noted else [])])
    heads = ["other criteria", "fit", "predict 1,000", "size", *(["peak of fit"] if traced else [])]
    columns = [Field(head, right=index > 0) for index, head in enumerate(heads)]
    return Tabular.of([*columns, *([Field("notes")] if noted else [])], rows)


def _ranked(document: Document) -> list[str]:
    first = document["recommended"]
    return [first, *(name for name in document["models"] if name != first)]


def _differences(document: Document) -> list[Block]:
    """The difference of every pair of models with p-values, or with the probabilities of a Bayesian test."""
    rows: list[list[Cell]] = []
    for entry in document["comparisons"]:
        p = entry["p_adjusted"]
        pair = f"{entry['a']} - {entry['b']}"
        value = _cost(entry) if entry["what"] == "cost" else _estimate(entry)
        whole = entry.get("p_together")
        rows.append([data(pair), document["titles"][entry["what"]], value, *("" if x is None else show_p(x)
                                                                            for x in (p, whole))])  # fmt: skip
    # only p is adjusted, so an interval that excludes 0 may stand beside a p above 0.05
    pairs = {(entry["a"], entry["b"]) for entry in document["comparisons"] if entry["p_adjusted"] is not None}
    value = f"{100 * document['settings']['level']:g} % CI, unadjusted" if len(pairs) > 1 else "value"
    columns = [Field("difference"), Field("in"), Field(value, right=True), Field("p (Holm)", right=True),
               Field("all measures", right=True)]  # fmt: skip
    while len(columns) > 3 and not any(row[-1] for row in rows):
        rows, columns = [row[:-1] for row in rows], columns[:-1]
    bayesian = [
        f"{entry['a']} against {entry['b']} in {document['titles'][entry['what']]}: {entry['why']}."
        for entry in document["comparisons"]
        if entry["method"].startswith("Bayesian")
    ]
    posterior = [Paragraph.of(f"Posterior probabilities of the first model. {' '.join(bayesian)}")] if bayesian else []
    return [Tabular.of(columns, rows), *posterior]


def _spread(document: Document, look: Look) -> Tabular:
    """The distribution of validation errors: minimum, mean, maximum, and a strip of them."""
    rows: list[list[Cell]] = []
    known = [error for errors in document["errors"].values() for error in errors if error is not None]
    top = max(known, default=1.0) or 1.0
    for name in _ranked(document):
        summary = document["summary"][name]["error_rate"]
        strip = _strip([error for error in document["errors"][name] if error is not None], top, fancy=look.fancy)
        numbers: list[Cell] = [summary["least"], summary["mean"]["value"], summary["most"], summary["sd"]]
        if document["settings"]["seeds"] > 1:
            numbers.append(summary["between_seeds"])
        rows.append([data(name), summary["folds"], *numbers, strip])
    plain = [Field(name) for name in ("least", "mean", "most", "sd")]
    heads: list[str | Field] = ["errors over folds", Field("folds", None), *plain]
    if document["settings"]["seeds"] > 1:
        heads.append(Field("sd of seeds"))
    return Tabular.of([*heads, Field(f"0 to {top:.3g}", drawn=True)], rows)


def _strip(errors: Sequence[float], top: float, *, fancy: bool, width: int = 24) -> str:
    counts = [0] * width
    for error in errors:
        counts[min(width - 1, int(width * error / top))] += 1
    most = max(counts, default=1) or 1
    marks = " ▁▂▃▄▅▆▇█" if fancy else " .:-=+*#@"
    return "".join(marks[-(-8 * count // most)] for count in counts)


def _winner(document: Document) -> Paragraph:
    winner = document["winner"]
    title = document["titles"][winner["measure"]]
    seen = "" if winner["seen"] is None else f"{winner['seen']:.3f}"
    return Paragraph.of(
        [quiet("best of "), f"{len(document['models'])}: {winner['model']}, {title} {seen} on the pooled cases; "
         f"corrected for selection {_estimate(winner['corrected'])}"]
    )  # fmt: skip


# --- shown with --full


def _full(document: Document) -> list[Block]:
    blocks: list[Block] = [_measures(document)]
    blocks += [block for block in (_areas(document), _thresholds(document), _bootstrap(document)) if block is not None]
    return [*blocks, Paragraph.of([quiet("methods "), document["methods"]], hang=2)]


def _measures(document: Document) -> Tabular:
    names = list(document["summary"][document["models"][0]])
    titles, summary = document["titles"], document["summary"]
    rows: list[list[Cell]] = [
        [titles[name], *(_estimate(summary[model][name]["mean"]) for model in _ranked(document))] for name in names
    ]
    return Tabular.of([Field("mean over folds"), *(Field(name, right=True) for name in _ranked(document))], rows)


def _areas(document: Document) -> Tabular | None:
    if document["auc"] is None:
        return None
    titles = {
        "mean_of_folds": "mean of fold AUCs",
        "pooled": "AUC of pooled scores",
        "cv_auc": "cross-validated AUC (LeDell)",
    }
    rows: list[list[Cell]] = [
        [title, *(_estimate(document["auc"][model][key]) for model in _ranked(document))]
        for key, title in titles.items()
    ]
    return Tabular.of([Field("AUC, three ways"), *(Field(name, right=True) for name in _ranked(document))], rows)


def _thresholds(document: Document) -> Tabular | None:
    chosen = {name: threshold for name, threshold in (document["thresholds"] or {}).items() if not threshold["why"]}
    if not chosen:
        return None
    rows: list[list[Cell]] = []
    for name, choice in chosen.items():
        for side in ("optimistic", "honest"):
            rates = choice[side]["measures"]
            where = "the same cases" if side == "optimistic" else choice["chosen_on"]
            limits = [choice["threshold"]] if side == "optimistic" else choice["thresholds"]
            row: list[Cell] = [data(name), where, _range(limits)]
            rows.append([*row, rates["recall"], rates["specificity"], rates["precision"]])
    rule = next(iter(chosen.values()))["rule"]
    heads: list[str | Field] = [f"threshold by {rule}", "chosen on", Field("threshold", right=True)]
    return Tabular.of([*heads, "recall", "specificity", "precision"], rows)


def _range(thresholds: Sequence[float | str | None]) -> str:
    """Show the least and the largest of the thresholds chosen; one number if they are equal."""
    known = [from_json(value) for value in thresholds if value is not None]  # an infinite one stands by name
    ends = list(dict.fromkeys(f"{end:.3g}" for end in (min(known), max(known)))) if known else []
    return " to ".join(ends)


def _bootstrap(document: Document) -> Tabular | None:
    if document["bootstrap"] is None:
        return None
    rows: list[list[Cell]] = []
    for name, row in document["bootstrap"].items():
        error = row["error_rate"]
        if not error["why"]:
            corrected = _estimate(row["optimism_error_rate"])
            rows.append(
                [data(name), error["apparent"], error["out_of_bag"], error["point632"], error["plus"], corrected]
            )
    heads: list[str | Field] = ["error rate", "apparent", "out of bag", ".632", ".632+"]
    heads.append(Field("less optimism", right=True))
    return Tabular.of(heads, rows) if rows else None


# --- formatting of numbers


def _estimate(row: Mapping[str, Any]) -> str:
    nan = float("nan")
    value, low, high = (nan if row[side] is None else row[side] for side in ("value", "low", "high"))
    if row["value"] is None:
        return "infinite" if row["why"].startswith("infinite") else "undefined"
    return str(Estimate(value, low, high))


def _cost(row: Mapping[str, Any]) -> str:
    """A cost per 1,000 cases, in whole units."""
    if row["value"] is None:
        return "undefined"
    return f"{whole(row['value'])} {whole_limits(row)}".strip()


def seconds_text(value: float | None) -> str:
    """A time in a suitable unit."""
    if value is None:
        return ""
    return f"{1e6 * value:.0f} us" if value < 1e-3 else f"{1000 * value:.1f} ms" if value < 1 else f"{value:.1f} s"


def _bytes(value: float | None) -> str:
    if value is None:
        return ""
    return f"{value:.0f} B" if value < 1e4 else f"{value / 1000:.0f} kB" if value < 1e7 else f"{value / 1e6:.0f} MB"
