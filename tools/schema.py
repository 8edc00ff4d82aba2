"""Write src/rocscope/schema/rocscope-1.json: the JSON Schema of the document, assembled from its parts."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

TARGET = Path(__file__).parent.parent / "src" / "rocscope" / "schema" / "rocscope-1.json"

Schema = dict[str, Any]
TESTED = ("p", "statistic", "drawing", "apparent")


def record(**fields: Schema) -> Schema:
    """An object with exactly these fields; those of a test, the drawing, and an apparent estimate may be absent."""
    needed = [name for name in fields if name not in TESTED]
    return {"type": "object", "properties": fields, "required": needed, "additionalProperties": False}


def optional(needed: Schema, **more: Schema) -> Schema:
    """A record with further fields that may be absent."""
    return {**needed, "properties": {**needed["properties"], **more}}


def area(**fields: Schema) -> Schema:
    """An object that may also have a bound, where scores were read on cells."""
    found = record(**fields)
    return {**found, "properties": {**fields, "bound": WEIGHT}}


def mapping(of: Schema) -> Schema:
    """An object whose values are all alike."""
    return {"type": "object", "additionalProperties": of}


def listing(of: Schema) -> Schema:
    """An array whose items are all alike."""
    return {"type": "array", "items": of}


def or_null(of: Schema) -> Schema:
    """The thing, or null."""
    return {"anyOf": [of, {"type": "null"}]}


def ref(name: str) -> Schema:
    """A part by its name."""
    return {"$ref": f"#/$defs/{name}"}


TEXT: Schema = {"type": "string"}
FLAG: Schema = {"type": "boolean"}
WHOLE: Schema = {"type": "integer"}
FINITE: Schema = or_null({"type": "number"})
NUMBER: Schema = {"anyOf": [{"type": "number"}, {"type": "null"}, {"enum": ["Infinity", "-Infinity"]}]}
WEIGHT: Schema = {"type": "number", "minimum": 0}

ESTIMATE = {
    "value": FINITE,
    "low": FINITE,
    "high": FINITE,
    "level": {"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1},
    "method": TEXT,
    "why": TEXT,
    "p": FINITE,
    "statistic": FINITE,
}
COUNTS = record(tp=WEIGHT, fp=WEIGHT, fn=WEIGHT, tn=WEIGHT)
PROVENANCE = {"left_out": mapping(WHOLE), "source": {"type": "object"}}

PARTS: dict[str, Schema] = {
    "estimate": record(**ESTIMATE),
    "row": area(name=TEXT, title=TEXT, baseline=NUMBER, apparent=or_null(ref("estimate")), **ESTIMATE),
    "data": record(
        cases=WEIGHT, positives=WEIGHT, negatives=WEIGHT, prevalence=NUMBER, rows=WHOLE, distinct_scores=WHOLE,
        weighted=FLAG, labels=record(negative=TEXT, positive=TEXT), rule=TEXT, probabilities=FLAG, bound=WEIGHT,
        cells=or_null(WEIGHT),
        imbalance=TEXT, clusters=or_null(WHOLE), **PROVENANCE,
    ),
    "settings": optional(record(
        level={"type": "number"}, interval=TEXT, bootstrap=WHOLE, seed=WHOLE, threshold=NUMBER, choose=or_null(TEXT),
        unit=TEXT, cross_fit=WHOLE,
        costs=or_null(record(fp=NUMBER, fn=NUMBER, tp=NUMBER, tn=NUMBER, prevalence=NUMBER)),
    ), measure=TEXT, cost_matrix=ref("cost_matrix"), refer=TEXT, margin=WEIGHT,
        case_costs=record(fn={"anyOf": [TEXT, WEIGHT]}, fp={"anyOf": [TEXT, WEIGHT]}),
    ),  # what a comparison is decided by, where it was named
    "cost_matrix": record(
        labels=or_null(listing(TEXT)), cells=listing(listing(WEIGHT)), reject=or_null(WEIGHT)
    ),
    "point": record(
        threshold=NUMBER, beyond=NUMBER, chosen=TEXT, optimistic=FLAG, low=NUMBER, high=NUMBER,
        optimism=or_null(record(value=NUMBER, folds=WHOLE, repeats=WHOLE)),
        chosen_on={"enum": ["", "these cases", "other cases", "other folds"]}, tied=listing(NUMBER), counts=COUNTS,
        cost=or_null(ref("estimate")), apparent_cost=or_null(ref("estimate")),
        correction=or_null(record(corrected=FLAG, label=TEXT, resamples=WHOLE, why=TEXT)),
    ),
    "rule": record(
        rule=TEXT, threshold=NUMBER, beyond=NUMBER, value=NUMBER, tied=WHOLE, counts=COUNTS, words=TEXT
    ),
    "hull": record(
        area=NUMBER, why=TEXT, points={"type": "array"}, dominated=listing(TEXT),
        intervals=listing(
            record(slope_from=NUMBER, slope_to=NUMBER, model=or_null(TEXT), threshold=NUMBER, beyond=NUMBER, fpr=NUMBER,
                   tpr=NUMBER)
        ),
    ),
    "break_even": record(
        first=record(model=TEXT, threshold=NUMBER), second=record(model=TEXT, threshold=NUMBER), slope=ref("estimate"),
    ),
    "roc": record(threshold=listing(NUMBER), fpr=listing({"type": "number"}), tpr=listing({"type": "number"})),
    "statement": record(rule=TEXT, facts={"type": "object"}, text=TEXT),
    "verdict": record(
        headline=TEXT, lead=TEXT, sure=TEXT, caveats=listing(TEXT), change=TEXT,
        grade={"enum": ["", "settled", "leaning", "open"]},
        statements=record(**{
            part: listing(ref("statement")) for part in ("headline", "evidence", "doubt", "caveats", "next_steps")
        }),
    ),
    "average": optional(
        record(
            value=NUMBER, low=NUMBER, high=NUMBER, level={"type": "number"}, method=TEXT, over=WHOLE, of=WHOLE,
            values=mapping(NUMBER), why=mapping(TEXT),
        ),
        baseline=NUMBER,
    ),
    "top": record(
        shares=listing(record(
            share=FINITE, threshold=NUMBER, counts=COUNTS, precision=ref("estimate"), recall=ref("estimate"),
            lift=ref("estimate"),
        )),
        deciles=listing(record(
            decile=WHOLE, cases=FINITE, positives=FINITE, rate=ref("estimate"), lift=ref("estimate"),
            recall=FINITE, gap=FINITE,
        )),
        ks=record(threshold=NUMBER, **ESTIMATE),
    ),
    "case_costs": record(total=ref("estimate"), misses=FINITE, alarms=FINITE),
    "zone_end": record(threshold=NUMBER, counts=COUNTS, measures=mapping(ref("estimate"))),
    "referral": record(
        asked=TEXT, flag=ref("zone_end"), refer=ref("zone_end"), cost=or_null(ref("estimate")), single_cost=FINITE,
        zones=listing(record(zone=TEXT, positives=WEIGHT, negatives=WEIGHT, share=ref("estimate"))), corrected=FLAG,
        words=TEXT, unmet=TEXT,
    ),
    "calibration": optional(record(
        calibration_slope=NUMBER, calibration_intercept=NUMBER, miscalibration=NUMBER, discrimination=NUMBER,
        uncertainty=NUMBER, ece_10=NUMBER, estimates=listing(record(name=TEXT, title=TEXT, ideal=NUMBER, **ESTIMATE)),
    ), tests=listing(record(name=TEXT, statistic=NUMBER, df=or_null(WHOLE), p=FINITE, why=TEXT))),
    "certainty": record(
        grade={"enum": ["settled", "leaning", "open"]}, decides=TEXT, best_share=NUMBER, against=listing(TEXT)
    ),
    "difference": optional(
        record(a=TEXT, b=TEXT, what=TEXT, settled=FLAG, p_adjusted=NUMBER, **ESTIMATE), p_together=NUMBER,
        p_uncorrected=NUMBER,
    ),
}  # fmt: skip

SLICE = {
    "value": listing(or_null(TEXT)), "name": TEXT, "cases": WEIGHT, "positives": or_null(WEIGHT),
    "negatives": or_null(WEIGHT), "few": FLAG,
}  # fmt: skip
SLICED = {
    "by": listing(TEXT), "measure": TEXT, "level": {"type": "number"}, "slices": WHOLE, "few": WHOLE,
    "rest": record(slices=WHOLE, cases=WEIGHT), "words": listing(TEXT),
}  # fmt: skip
SPREAD = {"tau2": FINITE, "q": FINITE, "p": FINITE, "df": WHOLE, "why": TEXT}

# One entry for each column of `by`: of one model, and of the differences between models.
SLICE_PARTS: dict[str, Schema] = {
    "slice_measure": area(
        **ESTIMATE, shrunk=or_null(ref("estimate")), gap=or_null(ref("estimate")),
        p_adjusted=FINITE,
    ),
    "slices": record(
        **SLICED, missing=FINITE, spread=mapping(record(centre=or_null(ref("estimate")), **SPREAD)),
        rows=listing(record(**SLICE, left_out=or_null(WHOLE), measures=mapping(ref("slice_measure")))),
    ),
    "slice_difference": record(
        a=TEXT, b=TEXT, what=TEXT, settled=FLAG, p_adjusted=FINITE, shrunk=ref("estimate"), **ESTIMATE
    ),
    "difference_slices": record(
        **SLICED, why=TEXT, spread=mapping(record(centre=FINITE, **SPREAD)),
        rows=listing(record(**SLICE, differences=listing(ref("slice_difference")))),
    ),
}  # fmt: skip

RICH = {"type": "array", "items": {"anyOf": [TEXT, {"$ref": "#/$defs/strong"}, record(m=TEXT)]}}
SIDE = listing(WEIGHT)


# What a page needs to draw and to move: rows of each table with exact counts, pictures in numbers, words in pieces.
DRAWING_PARTS: dict[str, Schema] = {
    "strong": record(b=RICH),
    "drawn_estimate": record(value=FINITE, low=FINITE, high=FINITE, level={"type": "number"}, method=TEXT, why=TEXT),
    "drawn_bin": record(
        low=FINITE, high=FINITE, mean=FINITE, observed=FINITE, low95=FINITE, high95=FINITE, count=WEIGHT
    ),
    "drawn_table": optional(
        record(whole=FLAG, thresholds=listing(FINITE), tp=SIDE, fp=SIDE, rule=TEXT, weighted=FLAG),
        tp_squares=SIDE, fp_squares=SIDE,
    ),
    "drawn_model": optional(
        record(
            name=TEXT, slot={"type": "integer", "minimum": 0, "maximum": 5}, dominated=FLAG, labels_only=FLAG,
            whole=FLAG, thresholds=listing(FINITE), tp=SIDE, fp=SIDE, point=or_null(WHOLE),
            best=mapping(or_null(WHOLE)), hull=listing(WHOLE), areas=listing(ref("row")), pr_area=FINITE,
            corrected=or_null(record(label=TEXT, measures=mapping(ref("drawn_estimate")))),
            histogram=or_null(record(edges=listing({"type": "number"}), pos=SIDE, neg=SIDE)),
            band=or_null(record(fpr=SIDE, low=SIDE, high=SIDE, method=TEXT)),
            calibration=or_null(
                record(
                    bins=listing(ref("drawn_bin")),
                    empty=WHOLE, slope=ref("estimate"), intercept=ref("estimate"),
                    in_the_large=ref("estimate"), brier=FINITE, log_odds=FLAG,
                )
            ),
            points=or_null(COUNTS),
        ),
        tp_squares=SIDE, fp_squares=SIDE, rows=listing(ref("row")),
    ),
    "drawn_measure": optional(
        record(name=TEXT, title=TEXT, formula=TEXT, says=TEXT, low=FINITE, high=FINITE),
        best=FINITE, chance=TEXT, interval={"enum": ["wilson", "f1", "log", "delta"]},  # of earlier documents
    ),
    "drawn_state": optional(
        record(),
        model=WHOLE, rule=TEXT, row=or_null(WHOLE), threshold=FINITE, fp=FINITE, fn=FINITE, priced=FLAG,
        own_costs=FLAG, prevalence=FINITE,
    ),
    "drawing": optional(
        record(
            kind={"enum": ["evaluation", "comparison", "classes", "labels", "class_comparison", "validation"]},
            title=TEXT, unit=TEXT, units=TEXT,
            level={"type": "number"}, models=listing(ref("drawn_model")), words=mapping(TEXT), state=ref("drawn_state"),
            costs=listing(record(model=or_null(WHOLE), at=TEXT, kind=TEXT, value=FINITE, low=FINITE, high=FINITE)),
            provenance=optional(record(command=TEXT, methods=TEXT, version=TEXT, hash=TEXT), origin=TEXT),
        ),
        positive=TEXT, negative=TEXT, flagged=TEXT, cleared=TEXT, rule={"enum": [">=", "<="]}, probabilities=FLAG,
        scale={"enum": ["root", "linear"]}, weighted=FLAG, rates_only=FLAG, points=FLAG, bound=WEIGHT,
        positives=WEIGHT, advised=or_null(record(measures=listing(TEXT), why=TEXT)),
        negatives=WEIGHT, recommended=WHOLE, usual=listing(TEXT), measures=listing(ref("drawn_measure")),
        slots=mapping(WHOLE),
        hull=or_null(record(points=listing(record(fpr=FINITE, tpr=FINITE, model=or_null(TEXT), threshold=FINITE)),
                            area=FINITE, why=TEXT)),
        strip=or_null(record(ratios=listing({"type": "number"}), shares=or_null(mapping(listing({"type": "number"}))),
                             resamples=WHOLE, why=TEXT)),
        corrections=or_null(record(**dict.fromkeys(("ratios", "value", "low", "high"), listing({"type": "number"})))),
        differences=listing(record(a=TEXT, b=TEXT, auc=or_null(ref("drawn_estimate")), auc_p=FINITE,
                                   cost=or_null(ref("drawn_estimate")), cost_p=FINITE, words=listing(TEXT))),
        slices=or_null(listing(optional(
            record(by=TEXT, value=TEXT, cases=WEIGHT, positives=or_null(WEIGHT), auc=or_null(ref("drawn_estimate")),
                   shrunk=or_null(ref("estimate")), recall=or_null(ref("drawn_estimate")), few=FLAG), p=FINITE))),
        cases=or_null(
            record(ids=listing(TEXT), label=listing({"enum": [0, 1]}), scores=mapping(listing(FINITE)), more=WHOLE)
        ),
        classes=listing(optional(
            record(label=TEXT, estimates=mapping(ref("estimate")), fpr=or_null(SIDE), tpr=or_null(SIDE)),
            bins=or_null(listing(ref("drawn_bin"))), table=or_null(ref("drawn_table")))),
        aliases=mapping(TEXT),
        order=listing(WHOLE), reliability=or_null(listing(ref("drawn_bin"))),
        ranks=or_null({"type": "object"}), range=or_null(record(low=FINITE, high=FINITE)),
    ),
}  # fmt: skip

COMMON: dict[str, Schema] = {
    "drawing": ref("drawing"),
    "schema": {"const": "rocscope/1"},
    "rocscope": TEXT,
    "settings": ref("settings"),
    "caveats": listing(TEXT),
    "methods": TEXT,
    "verdict": ref("verdict"),
}

KINDS = {
    "evaluation": optional(record(
        kind={"const": "evaluation"}, name=TEXT, data=ref("data"), point=or_null(ref("point")),
        measures=listing(ref("row")), areas=listing(ref("row")), rules=listing(ref("rule")),
        costs=or_null(mapping(ref("estimate"))), roc=or_null(ref("roc")), hull=ref("hull"),
        calibration=or_null(ref("calibration")), top=or_null(ref("top")), slices=listing(ref("slices")), **COMMON,
    ), case_costs=ref("case_costs"), referral=ref("referral")),
    "comparison": optional(record(
        kind={"const": "comparison"}, data=ref("data"), models=listing(TEXT), recommended=TEXT,
        evaluations=mapping(ref("evaluation")), differences=listing(ref("difference")),
        cost_differences=listing(ref("difference")), pairs=listing(ref("difference")),
        joint=or_null(ref("estimate")), cheapest=mapping(NUMBER), hull=ref("hull"),
        certainty=ref("certainty"),
        slices=listing(ref("difference_slices")), **COMMON,
    ),
        break_evens=listing(ref("break_even")),
        measure=record(name=TEXT, title=TEXT, best={"enum": ["highest", "lowest"]}, values=mapping(ref("estimate"))),
        measure_differences=listing(ref("difference")),
        equivalence=listing(record(
            a=TEXT, b=TEXT, what=TEXT, equivalent=FLAG, margin=WEIGHT, p_adjusted=NUMBER, **ESTIMATE
        )),
    ),
    "classes": optional(
        record(
            kind={"const": "classes"}, name=TEXT,
            data=optional(
                record(cases=WEIGHT, labels=listing(TEXT), positive=or_null(TEXT), support=listing(WEIGHT),
                       **PROVENANCE),
                absent=listing(TEXT),
            ),
            matrix=record(rows={"const": "actual"}, cells=listing(listing(WEIGHT))),
            classes=mapping(mapping(ref("estimate"))), measures=listing(ref("row")),
            auc=or_null(mapping(ref("average"))), slices=listing(ref("slices")), **COMMON,
        ),
        confusions=listing(record(actual=TEXT, predicted=TEXT, cases=WEIGHT, share=ref("estimate"))),
        margins=mapping(ref("estimate")),
        decision=record(
            costs=or_null(ref("cost_matrix")), thresholds=mapping(NUMBER), cost=or_null(ref("estimate")),
            alternatives=mapping(ref("estimate")), saving=or_null(ref("estimate")), coverage=ref("estimate"),
            undecided=listing(WEIGHT),
        ),
        calibration=or_null(record(
            estimates=listing(record(name=TEXT, title=TEXT, ideal=NUMBER, **ESTIMATE)), classes=mapping(ref("estimate"))
        )),
    ),
}  # fmt: skip


LABELS = record(
    kind={"const": "labels"}, name=TEXT,
    data=record(cases=WEIGHT, labels=listing(TEXT), support=listing(WEIGHT), labels_per_case=NUMBER, scored=FLAG,
                **PROVENANCE),
    thresholds=mapping(record(threshold=NUMBER, chosen=TEXT, why=TEXT)), cross_fitted=FLAG,
    labels=mapping(record(counts=COUNTS, measures=mapping(ref("estimate")))), measures=listing(ref("row")), **COMMON,
)  # fmt: skip
CLASS_COMPARISON = record(
    kind={"const": "class_comparison"}, of={"enum": ["classes", "labels"]}, data={"type": "object"},
    models=listing(TEXT), recommended=TEXT,
    evaluations=mapping({"anyOf": [ref("classes"), ref("labels")]}),
    measures=listing(record(
        name=TEXT, title=TEXT, best={"enum": ["highest", "lowest"]}, decides=FLAG, values=mapping(ref("estimate"))
    )),
    differences=listing(ref("difference")), other_differences=listing(ref("difference")),
    pairs=listing(ref("difference")), joint=or_null(ref("estimate")),
    agreement=listing(record(
        a=TEXT, b=TEXT, both_right=WEIGHT, only_a=WEIGHT, only_b=WEIGHT, both_wrong=WEIGHT,
        tests=mapping(ref("estimate")),
    )),
    certainty=ref("certainty"), **COMMON,
)  # fmt: skip

NUMBERS = listing(NUMBER)

# What a resampling adds: folds, their spread, and the estimates made from them.
VALIDATION_PARTS: dict[str, Schema] = {
    "fold": record(
        model=TEXT, split=WHOLE, name=TEXT, repetition=WHOLE, seed=WHOLE, train=WHOLE, test=WHOLE,
        scores={"enum": ["probability", "decision", "labels"]}, why=TEXT, measures=mapping(NUMBER),
    ),
    "over_folds": record(
        mean=ref("estimate"), sd=NUMBER, least=NUMBER, most=NUMBER, folds=WHOLE, pooled=or_null(ref("estimate")),
        between_splits=NUMBER, between_seeds=NUMBER,
    ),
    "averaged_roc": record(
        fpr=NUMBERS, tpr=NUMBERS, low=NUMBERS, high=NUMBERS, thresholds=NUMBERS, fpr_low=NUMBERS, fpr_high=NUMBERS,
        folds=WHOLE,
    ),
    "judged_point": record(counts=COUNTS, measures=mapping(NUMBER), cost=NUMBER),
    "judged_threshold": {
        "anyOf": [
            record(rule=TEXT, why=TEXT, threshold=NUMBER, chosen_on=TEXT, thresholds=NUMBERS,
                   optimistic=ref("judged_point"), honest=ref("judged_point")),
            record(rule=TEXT, why=TEXT),
        ]
    },
    "point632": {
        "anyOf": [
            record(apparent=NUMBER, out_of_bag=NUMBER, no_information=NUMBER, overfitting=NUMBER, weight=NUMBER,
                   point632=NUMBER, plus=NUMBER, why=TEXT),
            record(why=TEXT),
        ]
    },
    "mean_sd": record(mean=NUMBER, sd=NUMBER, folds=WHOLE),
}  # fmt: skip

VALIDATION = record(
    kind={"const": "validation"},
    data=record(cases=WHOLE, kind={"enum": ["binary", "classes", "labels"]}, labels=listing(TEXT),
                support=listing(WHOLE),
                weighted=FLAG, groups=or_null(WHOLE), source={"type": "object"}),
    settings=optional(record(level={"type": "number"}, seed=WHOLE, seeds=WHOLE, scores=TEXT, choose=or_null(TEXT),
                             measure=or_null(TEXT),
                             costs=or_null(record(fp=NUMBER, fn=NUMBER, tp=NUMBER, tn=NUMBER, prevalence=NUMBER))),
                      margin=WEIGHT),
    plan=record(words=TEXT, pairs=WHOLE, train=listing(WHOLE), test=listing(WHOLE), notes=listing(TEXT)),
    models=listing(TEXT), recommended=TEXT, measure=TEXT, titles=mapping(TEXT), lowest_is_best=FLAG,
    folds=listing(ref("fold")), errors=mapping(NUMBERS),
    summary=mapping(mapping(ref("over_folds"))),
    costs=or_null(record(thresholds=TEXT, models=mapping(ref("estimate")))),
    test=TEXT,
    comparisons=listing(ref("difference")),
    auc=or_null(mapping(record(mean_of_folds=ref("estimate"), pooled=ref("estimate"), cv_auc=ref("estimate")))),
    roc=or_null(mapping(optional(
        record(folds=listing(record(fpr=NUMBERS, tpr=NUMBERS)), vertical=or_null(ref("averaged_roc")),
               threshold=or_null(ref("averaged_roc"))),
        pooled=or_null(ref("averaged_roc")),
    ))),
    thresholds=or_null(mapping(ref("judged_threshold"))),
    bootstrap=or_null(mapping(record(error_rate=ref("point632"), one_minus_auc=ref("point632"),
                                     optimism_error_rate=ref("estimate"), optimism_auc=ref("estimate")))),
    winner=or_null(record(model=TEXT, measure=TEXT, seen=NUMBER, corrected=ref("estimate"), chosen=mapping(NUMBER))),
    calibration=or_null(mapping(mapping(ref("mean_sd")))),
    learning_curve=or_null(
        mapping(listing(record(share=NUMBER, train=NUMBER, folds=WHOLE, error_rate=NUMBER, sd=NUMBER)))
    ),
    pooled={"anyOf": [ref("comparison"), ref("evaluation"), {"type": "null"}]},
    classes=or_null(mapping(ref("classes"))),
    failures=listing(record(model=TEXT, split=WHOLE, seed=WHOLE, why=TEXT)), warnings=mapping(mapping(WHOLE)),
    notes=mapping({"type": "object"}),
    times=record(models=mapping(mapping(NUMBER)), folds=listing({"type": "object"}), run={"type": "object"}),
    **{name: part for name, part in COMMON.items() if name != "settings"},
)  # fmt: skip

# What a gate looked at and found, and the sum of saved tables with its trend.
GATED = record(
    cases=WEIGHT, positives=or_null(WEIGHT), labels=listing(TEXT), rule=TEXT, threshold=NUMBER, chosen=TEXT,
    bound=WEIGHT, **PROVENANCE,
)  # fmt: skip
GATE = optional(record(
    kind={"const": "gate"}, name=TEXT, met=FLAG, failed=WHOLE, data=GATED, baseline=or_null(GATED),
    checks=listing(
        record(require=TEXT, met=FLAG, threshold=NUMBER, parts=listing(record(
            name=TEXT, sign={"enum": [">=", ">", "<=", "<", "=="]}, limit={"type": "number"}, tested=NUMBER, met=FLAG,
            **ESTIMATE,
        )))
    ),
    **{name: COMMON[name] for name in ("schema", "rocscope", "settings")},
), against=record(
    cases=WEIGHT, changes=listing(record(name=TEXT, before=NUMBER, now=NUMBER, change=NUMBER)),
))  # fmt: skip
MERGE = record(
    kind={"const": "merge"}, parts=listing(TEXT), window=or_null(WHOLE), change=or_null(ref("estimate")),
    trend=listing(
        record(name=TEXT, cases=WEIGHT, positives=or_null(WEIGHT), measures=mapping(ref("estimate")))
    ),
    evaluation={"anyOf": [ref("evaluation"), ref("classes")]},
    **{name: COMMON[name] for name in ("schema", "rocscope")},
)  # fmt: skip


def schema() -> Schema:
    """The whole schema."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "rocscope/1",
        "description": "The document of a rocscope evaluation, comparison, validation, gate or merge.",
        "oneOf": [ref(kind) for kind in (*KINDS, "labels", "class_comparison", "validation", "gate", "merge")],
        "$defs": PARTS | DRAWING_PARTS | SLICE_PARTS | VALIDATION_PARTS | KINDS
        | {"labels": LABELS, "class_comparison": CLASS_COMPARISON}
        | {"validation": VALIDATION, "gate": GATE, "merge": MERGE},
    }


def text() -> str:
    """The schema file."""
    return json.dumps(schema(), indent=1, sort_keys=False) + "\n"


if __name__ == "__main__":
    TARGET.parent.mkdir(exist_ok=True)
    TARGET.write_text(text(), encoding="utf-8")
