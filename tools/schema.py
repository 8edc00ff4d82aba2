"""Write src/rocscope/schema/rocscope-1.json: the JSON Schema of the document, assembled from its parts."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

TARGET = Path(__file__).parent.parent / "src" / "rocscope" / "schema" / "rocscope-1.json"

Schema = dict[str, Any]
TESTED = ("p", "statistic")


def record(**fields: Schema) -> Schema:
    """An object with exactly these fields; those of a test may be absent."""
    needed = [name for name in fields if name not in TESTED]
    return {"type": "object", "properties": fields, "required": needed, "additionalProperties": False}


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
    "row": record(name=TEXT, title=TEXT, baseline=NUMBER, **ESTIMATE),
    "data": record(
        cases=WEIGHT, positives=WEIGHT, negatives=WEIGHT, prevalence=NUMBER, rows=WHOLE, distinct_scores=WHOLE,
        weighted=FLAG, labels=record(negative=TEXT, positive=TEXT), rule=TEXT, probabilities=FLAG, bound=WEIGHT,
        imbalance=TEXT, clusters=or_null(WHOLE), **PROVENANCE,
    ),
    "settings": record(
        level={"type": "number"}, interval=TEXT, bootstrap=WHOLE, seed=WHOLE, threshold=NUMBER, choose=or_null(TEXT),
        unit=TEXT, cross_fit=WHOLE,
        costs=or_null(record(fp=NUMBER, fn=NUMBER, tp=NUMBER, tn=NUMBER, prevalence=NUMBER)),
    ),
    "point": record(
        threshold=NUMBER, beyond=NUMBER, chosen=TEXT, optimistic=FLAG, low=NUMBER, high=NUMBER,
        chosen_on={"enum": ["", "these cases", "other cases", "other folds"]}, tied=listing(NUMBER), counts=COUNTS,
        cost=or_null(ref("estimate")),
    ),
    "rule": record(rule=TEXT, threshold=NUMBER, value=NUMBER, tied=WHOLE, counts=COUNTS, words=TEXT),
    "hull": record(
        area=NUMBER, why=TEXT, points={"type": "array"}, dominated=listing(TEXT),
        intervals=listing(
            record(slope_from=NUMBER, slope_to=NUMBER, model=or_null(TEXT), threshold=NUMBER, fpr=NUMBER, tpr=NUMBER)
        ),
    ),
    "roc": record(threshold=listing(NUMBER), fpr=listing({"type": "number"}), tpr=listing({"type": "number"})),
    "verdict": record(headline=TEXT, lead=TEXT, sure=TEXT, caveats=listing(TEXT), change=TEXT),
    "average": record(value=NUMBER, over=WHOLE, of=WHOLE, values=mapping(NUMBER), why=mapping(TEXT)),
    "difference": record(
        a=TEXT, b=TEXT, what=TEXT, settled=FLAG, p_adjusted=NUMBER, **ESTIMATE
    ),
}  # fmt: skip

COMMON: dict[str, Schema] = {
    "schema": {"const": "rocscope/1"},
    "rocscope": TEXT,
    "settings": ref("settings"),
    "caveats": listing(TEXT),
    "methods": TEXT,
    "verdict": ref("verdict"),
}

KINDS = {
    "evaluation": record(
        kind={"const": "evaluation"}, name=TEXT, data=ref("data"), point=or_null(ref("point")),
        measures=listing(ref("row")), areas=listing(ref("row")), rules=listing(ref("rule")),
        costs=or_null(mapping(ref("estimate"))), roc=or_null(ref("roc")), hull=ref("hull"),
        calibration=or_null(mapping(NUMBER)), **COMMON,
    ),
    "comparison": record(
        kind={"const": "comparison"}, data=ref("data"), models=listing(TEXT), recommended=TEXT,
        evaluations=mapping(ref("evaluation")), differences=listing(ref("difference")),
        cost_differences=listing(ref("difference")),
        joint=or_null(ref("estimate")), cheapest=mapping(NUMBER), hull=ref("hull"), **COMMON,
    ),
    "classes": record(
        kind={"const": "classes"}, name=TEXT,
        data=record(cases=WEIGHT, labels=listing(TEXT), support=listing(WEIGHT), **PROVENANCE),
        matrix=record(rows={"const": "actual"}, cells=listing(listing(WEIGHT))),
        classes=mapping(mapping(ref("estimate"))), measures=listing(ref("row")),
        auc=or_null(mapping(ref("average"))), **COMMON,
    ),
}  # fmt: skip


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
    settings=record(level={"type": "number"}, seed=WHOLE, seeds=WHOLE, scores=TEXT, choose=or_null(TEXT),
                    costs=or_null(record(fp=NUMBER, fn=NUMBER, tp=NUMBER, tn=NUMBER, prevalence=NUMBER))),
    plan=record(words=TEXT, pairs=WHOLE, train=listing(WHOLE), test=listing(WHOLE), notes=listing(TEXT)),
    models=listing(TEXT), recommended=TEXT, measure=TEXT, folds=listing(ref("fold")), errors=mapping(NUMBERS),
    summary=mapping(mapping(ref("over_folds"))),
    test={"enum": ["5x2-f", "corrected-t", "independent-t", "cases"]}, comparisons=listing(ref("difference")),
    auc=or_null(mapping(record(mean_of_folds=ref("estimate"), pooled=ref("estimate"), cv_auc=ref("estimate")))),
    roc=or_null(mapping(record(folds=listing(record(fpr=NUMBERS, tpr=NUMBERS)), vertical=or_null(ref("averaged_roc")),
                               threshold=or_null(ref("averaged_roc"))))),
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


def schema() -> Schema:
    """The whole schema."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "rocscope/1",
        "description": "The document of a rocscope evaluation, comparison, multi-class evaluation or validation.",
        "oneOf": [ref(kind) for kind in (*KINDS, "validation")],
        "$defs": PARTS | VALIDATION_PARTS | KINDS | {"validation": VALIDATION},
    }


def text() -> str:
    """The schema file."""
    return json.dumps(schema(), indent=1, sort_keys=False) + "\n"


if __name__ == "__main__":
    TARGET.parent.mkdir(exist_ok=True)
    TARGET.write_text(text(), encoding="utf-8")
