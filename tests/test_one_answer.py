"""One answer to one question: Python, results document, JSON, text and page give the same number, for every kind."""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from test_report import states
from test_verdict_rules import of_classes, of_single_cases, validations
from unpacked import held_in

import rocscope as rs
from rocscope import report
from rocscope.estimate import Estimate
from rocscope.report.document_reader import estimate_of
from rocscope.report.html import page as html
from rocscope.report.text_views.evaluation import cost_text

Document = dict[str, Any]


@pytest.fixture(scope="module")
def answers() -> dict[str, tuple[Any, Document]]:
    """Every state of every kind, with its document as JSON brings it back."""
    found = states() | dict(validations()) | dict(of_classes()) | dict(of_single_cases())
    return {name: (one, json.loads(report.json(one.to_dict(drawing=True)))) for name, one in found.items()}


def same(row: Mapping[str, Any] | None, one: Estimate | None) -> bool:
    """Whether a row of a document is an estimate of Python, to the last bit; what is not finite is null there."""
    if row is None or one is None:
        return row is None and one is None
    numbers = (getattr(one, name) for name in ("value", "low", "high"))
    return [row[name] for name in ("value", "low", "high")] == [x if math.isfinite(x) else None for x in numbers]


def evaluations(answers: dict[str, tuple[Any, Document]]) -> Iterator[tuple[str, Any, Document]]:
    """Every scored evaluation with its document, those inside comparisons too."""
    for name, (one, document) in answers.items():
        if document["kind"] == "evaluation":
            yield name, one, document
        if document["kind"] == "comparison":
            for model, inner in document["evaluations"].items():
                yield f"{name}, {model}", one.evaluations[model], inner


def test_all_kinds_are_here(answers: dict[str, tuple[Any, Document]]) -> None:
    schema = json.loads((Path(rs.__file__).parent / "schema" / "rocscope-1.json").read_text())
    reports = set(schema["$defs"]["drawing"]["properties"]["kind"]["enum"])
    assert {document["kind"] for _, document in answers.values()} == reports and len(reports) == 6


def test_python_and_the_document_have_the_same_measures_areas_and_costs(answers: Any) -> None:
    for name, ev, document in evaluations(answers):
        for row in document["measures"]:
            assert same(row, ev.measure(row["name"])), (name, row["name"])
            assert same(row, ev.estimates.get(row["name"], ev.measure(row["name"]))), (name, row["name"])
            assert row.get("apparent") is None or same(row["apparent"], ev.apparent(row["name"])), (name, row["name"])
        for row in document["areas"]:
            assert same(row, ev.area(row["name"])), (name, row["name"])
        if document["point"] is not None:
            assert same(document["point"]["cost"], ev.cost), name
            if document["point"]["apparent_cost"] is not None:
                assert same(document["point"]["apparent_cost"], ev.apparent_cost), name
        for row in (document["calibration"] or {}).get("estimates") or ():
            assert same(row, ev.calibration[row["name"]]), (name, row["name"])


def test_comparisons_have_the_same_differences(answers: Any) -> None:
    for name, (cmp, document) in answers.items():
        if document["kind"] != "comparison":
            continue
        for part in ("differences", "cost_differences", "pairs"):
            held = getattr(cmp, part)
            assert len(held) == len(document[part]), (name, part)
            for row, one in zip(document[part], held, strict=True):
                assert (row["a"], row["b"]) == (one.a, one.b) and same(row, one.estimate), (name, part)
        assert document["certainty"]["grade"] == cmp.certainty["grade"] and document["recommended"] == cmp.recommended


def estimates_in(document: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Every part of a document that has limits, with its place."""
    if isinstance(document, dict):
        if {"value", "low", "high", "level"} <= set(document):
            yield path, document
        for key, part in document.items():
            yield from estimates_in(part, f"{path}/{key}")
    elif isinstance(document, list):
        for place, part in enumerate(document):
            yield from estimates_in(part, f"{path}/{place}")


def contradictions(document: Document) -> list[tuple[Any, ...]]:
    """Differences of models whose p-value is small beside limits that include 0, or the other way around."""
    return [
        (path, row["low"], row["high"], row["p"])
        for path, row in estimates_in({part: document.get(part) for part in DIFFERENCES})
        if row.get("p") is not None and row["low"] is not None
        and (row["low"] > 0 or row["high"] < 0) != (row["p"] < 1 - row["level"])
    ]  # fmt: skip


DIFFERENCES = ("differences", "cost_differences", "measure_differences", "other_differences", "pairs", "slices")


def test_no_p_value_contradicts_its_limits(answers: Any) -> None:
    found = {name: contradictions(document) for name, (_, document) in answers.items()}
    assert not {name: rows for name, rows in found.items() if rows}


def few_cases() -> tuple[Any, Any, Any]:
    """10 positives and 50 negatives, for which DeLong's own p is 0.03 and the limits of the difference include 0."""
    rng = np.random.default_rng(263)
    y, both = np.repeat([1, 0], (10, 50)), rng.standard_normal(60)
    a = 0.7 * (both + rng.standard_normal(60)) + 1.2 * y
    return y, a, 0.7 * (both + rng.standard_normal(60)) * np.where(y, 2, 1) + y


@pytest.mark.parametrize("models", [2, 3])
def test_a_comparison_of_few_cases_has_one_p_value(models: int) -> None:
    y, a, b = few_cases()
    own = rs.significance.delong(y, a, b)
    assert own.p < 0.05 and own.low < 0 < own.high and "uncorrected" in own.why
    scores = {"a": a, "b": b, "c": a + 0.5 * b}
    side = np.tile(["left", "right"], 30)
    cmp = rs.compare(y, dict(list(scores.items())[:models]), by={"side": side})
    document = cmp.to_dict()
    assert not contradictions(document)
    pair = next(row for row in document["pairs"] if (row["a"], row["b"]) == ("a", "b"))
    assert pair["p_uncorrected"] == own.p and pair["p"] == pair["p_adjusted"] > 0.05 and pair["why"] == ""
    if models == 2:
        row = document["differences"][0]
        assert (row["p"], row["p_uncorrected"]) == (cmp.differences[0].estimate.p, own.p) and row["p"] > 0.05
        assert row["p"] == pytest.approx(pair["p"]) and rs.text.show_p(row["p"]) in report.text(document)


def test_classes_and_validations_have_the_same_estimates(answers: Any) -> None:
    for name, (one, document) in answers.items():
        if document["kind"] == "classes":
            for row in document["measures"]:
                assert same(row, one.estimates[row["name"]]), (name, row["name"])
        if document["kind"] == "validation":
            for model, rows in document["summary"].items():
                for measure, row in rows.items():
                    assert same(row["mean"], one.summarise(model, measure).mean), (name, model, measure)


def test_labels_have_the_same_estimates(answers: Any) -> None:
    for name, (one, document) in answers.items():
        if document["kind"] != "labels":
            continue
        for row in document["measures"]:
            assert same(row, one.estimates[row["name"]]), (name, row["name"])
        for label, held in document["labels"].items():
            estimates = next(one.of(known) for known in one.labels if str(known) == label)
            for measure, row in held["measures"].items():
                assert same(row, estimates[measure]), (name, label, measure)


def test_class_comparisons_have_the_same_values_and_differences(answers: Any) -> None:
    for name, (one, document) in answers.items():
        if document["kind"] != "class_comparison":
            continue
        for row in document["measures"]:
            for model, held in row["values"].items():
                assert same(held, one.estimate(model, row["name"])), (name, row["name"], model)
        other = [difference for rows in one.other_differences.values() for difference in rows]
        for part, held in (("differences", one.differences), ("other_differences", other), ("pairs", one.pairs)):
            assert len(held) == len(document[part]), (name, part)
            for row, difference in zip(document[part], held, strict=True):
                assert (row["a"], row["b"], row["what"]) == (difference.a, difference.b, difference.what)
                assert same(row, difference.estimate), (name, part)
        assert document["certainty"]["grade"] == one.certainty["grade"] and document["recommended"] == one.recommended
        for model, inner in document["evaluations"].items():
            for row in inner["measures"]:
                assert same(row, one.evaluations[model].estimates[row["name"]]), (name, model, row["name"])


def test_the_page_starts_with_the_numbers_of_the_document(answers: Any) -> None:
    """What the page shows before it is moved: the areas, and the measures where they are corrected for the choice."""
    for name, (_, document) in answers.items():
        for model in document["drawing"]["models"]:
            own = document["evaluations"][model["name"]] if document["kind"] == "comparison" else document
            if document["kind"] in ("classes", "labels", "class_comparison"):
                continue
            rows = {row["name"]: row for row in (*own["areas"], *own["measures"])}
            for area in model["areas"]:
                assert area["value"] == rows[area["name"]]["value"] and area["low"] == rows[area["name"]]["low"], name
            for measure, held in ((model["corrected"] or {}).get("measures") or {}).items():
                row = rows[rs.measures.get(measure).name] if measure in rows else _alias(rows, measure)
                assert (held["value"], held["low"], held["high"]) == (row["value"], row["low"], row["high"]), name
            corrected = own["point"] is not None and (own["point"]["correction"] or {}).get("corrected")
            assert bool(model["corrected"]) == bool(corrected), name


def _alias(rows: Mapping[str, Any], measure: str) -> Any:
    """The row of a measure that the document calls by another of its names."""
    return next(row for key, row in rows.items() if key in rs.measures.get(measure).aka)


def test_the_page_holds_the_document_and_its_words(answers: Any) -> None:
    for name, (_, document) in answers.items():
        page = html(document)
        held = held_in(page)
        assert held["drawing"] == document["drawing"], name
        for part in ("verdict", "measures", "areas", "differences", "cost_differences", "summary", "certainty"):
            if part in document:
                assert held[part] == document[part], (name, part)


def printed(document: Document) -> Iterator[tuple[str, Any]]:
    """The rows of a document that its text prints with their limits, whatever its kind."""
    kind = document["kind"]
    if kind in ("evaluation", "classes"):
        yield from ((row["name"], row) for row in (*document["measures"], *document.get("areas", ())))
    if kind == "comparison":
        few = document["models"] if len(document["models"]) <= 10 else [document["recommended"]]  # others are cut
        for name in few:
            own = document["evaluations"][name]
            yield from ((f"{name} {row['name']}", row) for row in own["areas"] if row["name"] == "auc")
        first = document["evaluations"][document["recommended"]]
        yield from ((row["name"], row) for row in first["measures"])
        named = document.get("measure")
        yield from (named["values"].items() if named else ())
    if kind == "labels":
        yield from ((row["name"], row) for row in document["measures"])
    if kind == "class_comparison":
        for row in document["measures"]:
            if row["decides"]:
                yield from ((f"{model} {row['name']}", held) for model, held in row["values"].items())
        yield from ((f"{row['a']} - {row['b']}", row) for row in document["differences"])
    if kind == "validation":
        for model, rows in document["summary"].items():
            yield from ((f"{model} {measure}", row["mean"]) for measure, row in rows.items())


def limits(row: Mapping[str, Any]) -> str:
    """A value and its limits as text prints them; what has no limits is not looked for."""
    one = estimate_of(row)
    return "" if math.isnan(one.low) or math.isnan(one.value) else str(one).split(" ", 1)[1].replace("−", "-")


def test_the_text_prints_the_numbers_of_the_document(answers: Any) -> None:
    for name, (_, document) in answers.items():
        text = " ".join(report.text(document, full=True, width=200).split())
        found = [(what, limits(row)) for what, row in printed(document)]
        assert [what for what, shown in found if shown not in text] == [], name
        headline = " ".join(document["verdict"]["headline"].replace("−", "-").replace("–", "-").split())
        assert headline.split(" (")[0].split(":")[0] in text, name


def test_text_of_the_sections_it_reads_is_the_text_of_the_whole_document(answers: Any) -> None:
    for name, (one, _) in answers.items():
        for width, fancy, full in ((80, False, False), (160, True, False), (80, False, True)):
            both = one.sections(), one.to_dict()
            shown = [report.text(found, width=width, fancy=fancy, full=full) for found in both]
            assert shown[0] == shown[1], name
        assert dict(one.sections()).keys() == one.to_dict().keys(), name


def test_the_first_screen_leaves_out_what_it_does_not_show(answers: Any) -> None:
    one = next(one for one, document in answers.values() if document["kind"] == "comparison")
    sections = one.sections()
    report.text(sections)
    waiting = {"top", "roc", "rules", "measures", "verdict", "calibration"}
    for model, inner in sections["evaluations"].items():
        late = {"top", "roc"} if model == one.recommended else waiting
        assert all(callable(inner._sections[section]) for section in late), model


def test_text_and_page_print_costs_and_differences_alike(answers: Any) -> None:
    """The cost of each model and what it costs more: one number in document, text, Markdown and page."""
    for name, (_, document) in answers.items():
        if document["kind"] != "comparison" or not document["cost_differences"]:
            continue
        text = " ".join(report.text(document, full=True, width=200).split())
        markdown, page = report.markdown(document), html(document)
        for model, own in document["evaluations"].items():
            cost = own["point"]["cost"]
            shown = f"{cost_text(cost['value'])} [{cost_text(cost['low'])}, {cost_text(cost['high'])}]"
            assert shown in text and shown in markdown.replace("\\", ""), (name, model)
        for row in document["cost_differences"]:
            assert cost_text(abs(row["value"])) in text, (name, row["b"])
        assert json.dumps(document["cost_differences"][0]["value"])[:8] in page, name


def test_the_page_has_the_corrected_cost_of_the_document_at_its_ratio(answers: Any) -> None:
    """What the page says after a control was moved and moved back."""
    seen = 0
    for name, (_, document) in answers.items():
        along, first = document["drawing"].get("corrections"), document
        if document["kind"] == "comparison":
            first = document["evaluations"][document["recommended"]]
        point, prices = first.get("point"), document["settings"].get("costs")
        if not along or not prices or not prices["fp"] or not (point["correction"] or {}).get("corrected"):
            continue
        at = along["ratios"].index(prices["fn"] / prices["fp"])
        shown = [prices["fp"] * along[side][at] for side in ("value", "low", "high")]
        assert shown == pytest.approx([point["cost"][side] for side in ("value", "low", "high")], rel=1e-5), name
        seen += 1
    assert seen >= 5


def test_another_prevalence_is_said_beside_what_is_of_the_sample(answers: Any) -> None:
    _, document = answers["other prevalence"]
    text = " ".join(report.text(document).split())
    assert "apply to a prevalence of 1 %" in text and "the matrix shows the sample" in text
    assert not [one for one in document["caveats"] if "Accuracy is" in one or "precision-recall curve" in one]
    full = " ".join(report.text(document, full=True).split())
    assert "Brier score, log loss, calibration, lift and the top of the ranking are those of the sample" in full


@pytest.mark.parametrize(
    ("rule", "shown"),
    [("f1", "greatest F1 in the sample"), ("youden", "greatest Youden's J"), ("cost", "least cost")],
)
def test_a_rule_that_chose_in_the_sample_says_so_beside_another_prevalence(rule: str, shown: str) -> None:
    rng = np.random.default_rng(1)
    y = rng.random(400) < 0.29
    costs = rs.Costs(fp=1, fn=5, prevalence=0.02)
    lines = report.text(rs.evaluate(y, rng.normal(size=400) + 1.5 * y, choose=rule, costs=costs).to_dict()).splitlines()
    assert lines[0].endswith(f"   {shown}")
    own = report.text(rs.evaluate(y, rng.normal(size=400) + 1.5 * y, choose=rule, costs=rs.Costs(fp=1, fn=5)).to_dict())
    assert "in the sample" not in own.splitlines()[0]


def test_a_rule_that_chose_in_the_sample_is_named_in_every_output() -> None:
    rng = np.random.default_rng(1)
    y = rng.random(400) < 0.29
    ev = rs.evaluate(y, rng.normal(size=400) + 1.5 * y, choose="f1", costs=rs.Costs(fp=1, fn=5, prevalence=0.02))
    document = json.loads(report.json(ev.to_dict(drawing=True)))
    (remark,) = (one for one in document["verdict"]["statements"]["caveats"] if one["rule"] == "chosen_in_sample")
    assert remark["text"] in document["verdict"]["caveats"] and "prevalence of the sample" in remark["text"]
    for text in (report.text(document), report.markdown(document), html(document)):
        plain = " ".join(text.replace("*", "").replace("\\", "").split())
        assert "The threshold was chosen at the prevalence of the sample" in plain


def test_costs_beside_each_other_are_corrected_or_called_apparent() -> None:
    rng = np.random.default_rng(4)
    y, both = (rng.random(400) < 0.15).astype(int), rng.normal(size=400)
    a, b = (0.7 * (both + rng.normal(size=400)) + shift * y for shift in (1.5, 1.3))
    cmp = rs.compare(y, {"a": a, "b": b}, costs=rs.Costs(fp=1, fn=8))
    document = cmp.to_dict()
    assert document["cost_differences"][0]["method"].endswith("apparent")
    for text in (report.text(document), report.markdown(document), json.dumps(document["verdict"], ensure_ascii=False)):
        assert "apparent advantage over" in " ".join(text.replace("*", "").split())
    given = rs.compare(y, {"a": a, "b": b}, costs=rs.Costs(fp=1, fn=8), threshold=1.0).to_dict()
    assert "apparent" not in given["cost_differences"][0]["method"] and "apparent advantage" not in report.text(given)
    accuracy = next(row["value"] for row in document["evaluations"]["a"]["measures"] if row["name"] == "accuracy")
    (caveat,) = (text for text in document["caveats"] if "Accuracy is" in text)
    assert f"Accuracy is {accuracy:.2f}" in caveat


@pytest.mark.parametrize(("costs", "cost"), [((1, 2, 0.01), 20), ((1, 2000, 0.3), 700)])
def test_flagging_none_or_all_has_an_exact_cost_at_a_stated_prevalence(costs: Any, cost: float) -> None:
    rng = np.random.default_rng(4)
    y, score = (rng.random(400) < 0.15).astype(int), rng.normal(size=400)
    score[np.argmin(score)], y[np.argmin(score)] = score.min(), 1  # the lowest score is of a positive: flag all or none
    fp, fn, prevalence = costs
    ev = rs.evaluate(y, score, costs=rs.Costs(fp=fp, fn=fn, prevalence=prevalence))
    document = ev.to_dict()
    assert ev.cost.value == pytest.approx(cost) and math.isnan(ev.cost.low) and "exact at this" in ev.cost.why
    assert document["point"]["cost"]["low"] is None and document["point"]["correction"] is None
    assert "It is exact at this prevalence." in document["verdict"]["lead"]
    assert "CI" not in report.text(document).split("per 1,000")[0]
    for name in ("flag nobody", "flag everybody"):
        row = document["costs"][name]
        assert row["low"] is None and row["method"] == "exact" and "exact at this prevalence" in row["why"]
    own = rs.evaluate(y, score, costs=rs.Costs(fp=fp, fn=fn)).to_dict()["costs"]
    assert all(row["low"] < row["value"] < row["high"] for row in own.values())  # the prevalence varies with the sample
    assert html(json.loads(report.json(ev.to_dict(drawing=True))))


@pytest.mark.parametrize("kind", ["evaluation", "comparison", "classes", "labels", "class_comparison"])
def test_the_tidy_table_has_the_numbers_of_the_document(answers: Any, kind: str) -> None:
    """What `--format csv` prints is the document, to the last digit."""
    for name, (_, document) in answers.items():
        if document["kind"] != kind:
            continue
        rows = list(csv.DictReader(io.StringIO(report.csv(document))))
        values = {row["value"] for row in rows if row.get("value")}
        for what, row in printed(document):
            if row["value"] is not None and "macro" not in what:
                assert any(float(one) == row["value"] for one in values if _number(one)), (name, what)


def _number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
