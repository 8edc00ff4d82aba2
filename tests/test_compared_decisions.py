"""Predicted labels of two classes compared by measures of the four counts and by costs, and in clusters."""

from __future__ import annotations

import json
import pickle
from pathlib import Path

import numpy as np
import pytest

import rocscope as rs
from rocscope.cli import main

RNG = np.random.default_rng(4)
CASES = 400
PATIENT = RNG.integers(0, 40, CASES)
TRUTH = (RNG.random(CASES) < 0.3).astype(int)
SHARED = RNG.normal(0, 1.2, 40)[PATIENT]  # errors of one patient come together
MODELS = {
    "a": np.where(RNG.normal(0, 1, CASES) + SHARED > 1.3, 1 - TRUTH, TRUTH),
    "b": np.where(RNG.normal(0, 1, CASES) + SHARED > 1.0, 1 - TRUTH, TRUTH),
}


def write(folder: Path, *, names: tuple[str, str] = ("0", "1")) -> str:
    rows = zip(TRUTH, MODELS["a"], MODELS["b"], PATIENT, strict=True)
    lines = [f"{names[y]},{names[a]},{names[b]},{patient}" for y, a, b, patient in rows]
    path = folder / "labels.csv"
    path.write_text("\n".join(["y,a,b,patient", *lines]) + "\n")
    return str(path)


@pytest.mark.parametrize("measure", ["f1", "recall", "precision", "specificity"])
def test_a_measure_of_the_four_counts_decides_between_predicted_labels(measure: str) -> None:
    cmp = rs.compare(TRUTH, MODELS, measure=measure)
    for name, labels in MODELS.items():
        counts = rs.Counts.from_labels(TRUTH, labels)
        own, expected = cmp.values[measure][name], counts.estimate(measure)
        assert (own.value, own.low, own.high) == pytest.approx((expected.value, expected.low, expected.high))
    first, second = (rs.Counts.from_labels(TRUTH, MODELS[name]).value(measure) for name in "ab")
    gap = cmp.difference("a", "b")
    assert gap.value == pytest.approx(first - second) and gap.low < gap.value < gap.high and gap.p is not None
    assert cmp.recommended == ("a" if first >= second else "b")
    assert pickle.loads(pickle.dumps(cmp)).difference("a", "b") == gap
    assert cmp.to_dict()["measures"][0]["name"] == measure


@pytest.mark.parametrize("prevalence", [None, 0.05])
def test_costs_decide_between_predicted_labels(prevalence: float | None, tmp_path: Path, capsys: object) -> None:
    costs = rs.Costs(fp=1, fn=5, prevalence=prevalence)
    cmp = rs.compare(write(tmp_path), label="y", predicted=["a", "b"], costs=costs)
    for name, labels in MODELS.items():
        counts = rs.Counts.from_labels(TRUTH, labels)
        assert cmp.values["cost"][name].value == pytest.approx(1000 * float(costs.expected(counts)))
    assert cmp.certainty["decides"] == "cost"
    low_budget = rs.compare(write(tmp_path), label="y", predicted=["a", "b"], costs=costs, budget=0)
    assert low_budget.differences[0].estimate == cmp.differences[0].estimate
    given = [] if prevalence is None else ["--prevalence", str(prevalence)]
    command = ["compare", write(tmp_path), "--label", "y", "--predicted", "a", "--predicted", "b", "--cost-fn", "5"]
    assert main([*command, *given, "--format", "json"]) == 0
    document = json.loads(capsys.readouterr().out)  # type: ignore[attr-defined]
    assert document["differences"] == json.loads(json.dumps(cmp.to_dict()["differences"]))


def test_what_measures_and_costs_of_one_class_need_is_said(tmp_path: Path, capsys: object) -> None:
    path = write(tmp_path, names=("benign", "malignant"))
    command = ["compare", path, "--label", "y", "--predicted", "a", "--predicted", "b"]
    for options in (["--measure", "f1"], ["--cost-fn", "5"]):
        assert main([*command, *options]) == 2
        said = capsys.readouterr().err  # type: ignore[attr-defined]
        assert "a positive class: benign or malignant" in said and "--positive" in said
        assert main([*command, *options, "--positive", "malignant"]) == 0
        capsys.readouterr()  # type: ignore[attr-defined]
    three = np.arange(CASES) % 3
    words = [("ox", "ape", "cat")[label] for label in three]
    table = tmp_path / "three.csv"
    table.write_text("\n".join(["y,a,b", *(f"{word},{word},ox" for word in words)]) + "\n")
    with pytest.raises(rs.RocscopeError, match="two classes, but there are 3 classes"):
        rs.compare(table, label="y", predicted=["a", "b"], costs=rs.Costs(fp=1, fn=5))
    with pytest.raises(rs.RocscopeError, match="one class, but there are several"):
        rs.compare(three, {"a": three, "b": np.roll(three, 1)}, measure="recall")


def test_the_limits_of_each_model_respect_clusters() -> None:
    """Cases of one patient go wrong together: limits of the models are wider, as those of their difference are."""
    alone, grouped = (rs.compare(TRUTH, MODELS, clusters=one) for one in (None, PATIENT))
    for name in MODELS:
        for measure in ("accuracy", "macro_f1"):
            plain, wide = alone.values[measure][name], grouped.values[measure][name]
            assert wide.value == pytest.approx(plain.value) and wide.method.endswith("clusters")
            assert wide.high - wide.low > 1.2 * (plain.high - plain.low)
        assert grouped.estimate(name, "accuracy") == grouped.values["accuracy"][name]
    assert "resamples of whole clusters" in grouped.to_dict()["methods"]
    assert "clusters" not in alone.to_dict()["methods"]
