"""Comparisons of classes and labels, and several labels, of more rows than fit: sums give the answer of the rows."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from test_classes_beyond import COSTS, same

import rocscope as rs
from rocscope import RocscopeError
from rocscope.cli import main
from rocscope.multiclass import JointDecisions, LabelStream, LabelSums

LABELS = ["a", "b", "c", "d"]
TOPICS = ["sea", "sky", "sun", "cat", "dog"]
SMALL = 100_000  # bytes: far less than the rows take


@pytest.fixture(scope="module")
def frame() -> dict[str, Any]:
    """Two classifiers of four classes, with probabilities and predicted labels, a third one, weights and slices."""
    rng, n = np.random.default_rng(5), 6_000
    y = rng.integers(0, 4, n)
    raw = rng.normal(size=(n, 4)) + np.eye(4)[y]
    first = np.exp(raw) / np.exp(raw).sum(axis=1, keepdims=True)
    second = 0.6 * first + 0.4 * rng.dirichlet(np.ones(4), n)
    columns: dict[str, Any] = {"id": np.arange(n), "y": np.array(LABELS)[y]}
    for name, shares in (("p", first), ("q", second)):
        rounded = np.round(shares, 2) + 0.01
        rounded /= rounded.sum(axis=1, keepdims=True)
        columns |= {f"{name}_{label}": rounded[:, at] for at, label in enumerate(LABELS)}
        columns[f"hard_{name}"] = np.array(LABELS)[rounded.argmax(axis=1)]
    columns["hard_r"] = np.roll(columns["hard_q"], 3)
    return columns | {"w": rng.integers(1, 4, n), "site": rng.choice(["x", "y"], n)}


@pytest.fixture(scope="module")
def labels() -> dict[str, Any]:
    """Two classifiers of five labels for each case."""
    rng, n = np.random.default_rng(2), 6_000
    truth = rng.random((n, 5)) < [0.5, 0.3, 0.2, 0.4, 0.05]
    scores = {
        "p": np.round(0.3 * truth + rng.random((n, 5)) * 0.7, 3),
        "q": np.round(0.2 * truth + rng.random((n, 5)) * 0.8, 3),
    }
    columns: dict[str, Any] = {f"label_{topic}": truth[:, at].astype(int) for at, topic in enumerate(TOPICS)}
    for name, held in scores.items():
        columns |= {f"{name}_{topic}": held[:, at] for at, topic in enumerate(TOPICS)}
        columns |= {f"hard_{name}_{topic}": (held[:, at] >= 0.5).astype(int) for at, topic in enumerate(TOPICS)}
    return columns | {"w": rng.integers(1, 4, n)}


def parquet(folder: Path, columns: dict[str, Any], name: str = "rows.parquet") -> Path:
    import pyarrow as pa
    import pyarrow.parquet as pq

    pq.write_table(pa.table(columns), folder / name, row_group_size=1000)
    return folder / name


def without(document: dict[str, Any], *names: str) -> dict[str, Any]:
    return {name: value for name, value in document.items() if name not in names}


def by_measure(document: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {row["what"]: row for row in (*document["differences"], *document["other_differences"])}


# ---- predicted labels ----

DECIDED = replace(COSTS, reject=None)


@pytest.mark.parametrize(
    "how", [{}, {"measure": "macro_f1", "by": "site"}, {"measure": "mcc"}, {"costs": DECIDED}, {"bootstrap": 300}],
    ids=["plain", "slices", "mcc", "costs", "bootstrap"],
)  # fmt: skip
def test_predicted_labels_are_compared_to_the_last_bit(
    tmp_path: Path, frame: dict[str, Any], how: dict[str, Any]
) -> None:
    file = parquet(tmp_path, frame)
    read = {"label": "y", "predicted": ["hard_p", "hard_q", "hard_r"], **how}
    whole, summed = rs.compare(file, **read), rs.compare(file, **read, budget=SMALL)
    assert len(summed.predictions["hard_p"]) <= 4**4 and whole.predictions["hard_p"].repeats is None
    assert whole.to_dict() == summed.to_dict()


@pytest.mark.parametrize("budget", [{}, {"budget": SMALL}], ids=["in memory", "beyond"])
def test_predicted_labels_cannot_be_left_undecided(tmp_path: Path, frame: dict[str, Any], budget: Any) -> None:
    file = parquet(tmp_path, frame)
    with pytest.raises(RocscopeError, match="only if there is a probability for each class"):
        rs.compare(file, label="y", predicted=["hard_p", "hard_q"], costs=COSTS, **budget)


def test_sampling_weights_are_drawn_as_other_resamples(tmp_path: Path, frame: dict[str, Any]) -> None:
    file = parquet(tmp_path, frame)
    read = {"label": "y", "predicted": ["hard_p", "hard_q"], "weights": "w"}
    whole, summed = rs.compare(file, **read).to_dict(), rs.compare(file, **read, budget=SMALL).to_dict()
    same(whole["measures"], summed["measures"])
    same(whole["agreement"], summed["agreement"])
    for name, row in by_measure(whole).items():
        other = by_measure(summed)[name]
        assert row["value"] == pytest.approx(other["value"])
        assert other["high"] - other["low"] == pytest.approx(row["high"] - row["low"], rel=0.1), name


def test_joint_decisions_add_in_any_order() -> None:
    rng = np.random.default_rng(0)
    codes, guesses = rng.integers(0, 3, 500), [rng.integers(-1, 3, 500), rng.integers(0, 3, 500)]
    whole = JointDecisions.of(codes, guesses)
    parts = [JointDecisions.of(codes[at::3], [guess[at::3] for guess in guesses]) for at in range(3)]
    for order in (parts, parts[::-1]):
        total = order[0] + order[1] + order[2]
        assert np.array_equal(total.rows, whole.rows) and np.array_equal(total.repeats, whole.repeats)
    expected, counts = np.unique(np.stack([codes, *guesses], axis=1), axis=0, return_counts=True)
    assert np.array_equal(whole.rows, expected) and np.array_equal(whole.repeats, counts)


def test_too_many_combinations_are_refused(tmp_path: Path) -> None:
    rng, n = np.random.default_rng(0), 80_000
    names = np.array([f"c{at:03}" for at in range(300)])
    columns = {name: names[rng.integers(0, 300, n)] for name in ("y", "first", "second", "third")}
    file = parquet(tmp_path, columns)
    with pytest.raises(RocscopeError, match="distinct combinations of classes and predictions"):
        rs.compare(file, label="y", predicted=["first", "second", "third"], budget=SMALL)


# ---- class probabilities ----


@pytest.mark.parametrize("how", [{}, {"costs": COSTS}, {"weights": "w"}], ids=["plain", "costs", "weights"])
def test_class_probabilities_are_compared_without_the_rows(
    tmp_path: Path, frame: dict[str, Any], how: dict[str, Any]
) -> None:
    file = parquet(tmp_path, frame)
    read = {"label": "y", "score": {"p": "p_*", "q": "q_*"}, **how}
    whole, summed = rs.compare(file, **read), rs.compare(file, **read, budget=SMALL)
    a, b = whole.to_dict(), summed.to_dict()
    assert summed.beyond and not whole.beyond
    for part in ("measures", "agreement", "evaluations", "models", "recommended", "joint"):
        same(a[part], b[part], path=part)
    rows, others = by_measure(a), by_measure(b)
    for name, row in rows.items():
        assert row["value"] == pytest.approx(others[name]["value"], abs=1e-12)
        if name in ("log_loss", "brier"):
            assert others[name]["method"] == "linearized over cases, paired"
        elif "weights" not in how:
            assert (row["low"], row["high"], row["p"]) == tuple(others[name][key] for key in ("low", "high", "p"))
        width = row["high"] - row["low"]
        assert others[name]["low"] == pytest.approx(row["low"], abs=0.06 * width), name
        assert others[name]["high"] == pytest.approx(row["high"], abs=0.06 * width), name


@pytest.mark.parametrize("measure", ["log_loss", "brier", "auc"])
def test_losses_and_the_mean_auc_decide_from_sums(tmp_path: Path, frame: dict[str, Any], measure: str) -> None:
    file = parquet(tmp_path, frame)
    read = {"label": "y", "score": {"p": "p_*", "q": "q_*"}, "measure": measure}
    whole, summed = rs.compare(file, **read), rs.compare(file, **read, budget=SMALL)
    first, second = whole.differences[0].estimate, summed.differences[0].estimate
    assert first.value == pytest.approx(second.value, abs=1e-12)
    assert second.high - second.low == pytest.approx(first.high - first.low, rel=0.05)
    assert summed.certainty["grade"] == whole.certainty["grade"] == "settled"
    drawn = whole.replicates(whole.primary)
    np.testing.assert_allclose(summed.moments[measure], np.cov(drawn), rtol=0.15)


def test_very_many_cases_in_memory_have_the_limits_of_sums(frame: dict[str, Any], monkeypatch: Any) -> None:
    from rocscope.evaluation import class_comparison

    monkeypatch.setattr(class_comparison, "MOST_CASES", 1_000)
    models = {name: np.column_stack([frame[f"{name}_{label}"] for label in LABELS]) for name in "pq"}
    cmp = rs.compare(frame["y"], models, labels=LABELS)
    codes = np.searchsorted(LABELS, frame["y"])
    each = -np.log(models["p"][np.arange(len(codes)), codes]) + np.log(models["q"][np.arange(len(codes)), codes])
    gap = cmp.differences_in("log_loss")[0].estimate
    sign = 1 if cmp.recommended == "p" else -1
    assert gap.value == pytest.approx(sign * each.mean())
    assert gap.se == pytest.approx(each.std(ddof=1) / len(each) ** 0.5)


def test_what_needs_the_rows_is_refused(tmp_path: Path, frame: dict[str, Any]) -> None:
    file = parquet(tmp_path, frame)
    with pytest.raises(RocscopeError, match="differences in auc_ovo can be computed only with all rows in memory"):
        rs.compare(file, label="y", score={"p": "p_*", "q": "q_*"}, measure="auc_ovo", budget=SMALL)


def test_two_classes_with_a_column_each_are_one_score(tmp_path: Path, frame: dict[str, Any]) -> None:
    kept = frame["y"] <= "b"
    columns = {"y": frame["y"][kept]}
    for name in "pq":
        share = frame[f"{name}_b"][kept] / (frame[f"{name}_a"][kept] + frame[f"{name}_b"][kept])
        columns |= {f"{name}_a": 1 - share, f"{name}_b": share}
    file = parquet(tmp_path, columns)
    read = {"label": "y", "score": {"p": "p_*", "q": "q_*"}, "positive": "b"}
    whole, summed = rs.compare(file, **read), rs.compare(file, **read, budget=SMALL)
    assert summed.differences[0].estimate.value == pytest.approx(whole.differences[0].estimate.value, abs=1e-6)


def test_engines_are_compared_too(frame: dict[str, Any]) -> None:
    import duckdb
    import pandas as pd

    held = pd.DataFrame(frame)
    relation = duckdb.from_df(held)
    for read in ({"predicted": ["hard_p", "hard_q"]}, {"score": {"p": "p_*", "q": "q_*"}}):
        whole = rs.compare(held, label="y", **read)
        summed = rs.compare(relation, label="y", **read, budget=SMALL)
        assert whole.differences[0].estimate == summed.differences[0].estimate


def test_files_matched_by_id(tmp_path: Path, frame: dict[str, Any]) -> None:
    order = np.random.default_rng(1).permutation(len(frame["y"]))
    first = parquet(tmp_path, {name: frame[name] for name in ("id", "y", "hard_p")}, "first.parquet")
    second = parquet(tmp_path, {name: frame[name][order] for name in ("id", "y", "hard_q")}, "second.parquet")
    read = {"label": "y", "predicted": ["hard_p", "hard_q"], "id": "id"}
    whole, summed = rs.compare([first, second], **read), rs.compare([first, second], **read, budget=SMALL)
    assert summed.predictions["hard_p"].repeats is not None
    assert whole.to_dict() == summed.to_dict()


def test_the_command_compares_beyond_the_budget(
    tmp_path: Path, frame: dict[str, Any], capsys: pytest.CaptureFixture[str]
) -> None:
    file = str(parquet(tmp_path, frame))
    asked = ["compare", file, "--label", "y", "--predicted", "hard_p", "--predicted", "hard_q", "--format", "json"]
    assert main(asked) == 0
    whole = capsys.readouterr().out
    assert main([*asked, "--budget", "1M"]) == 0
    assert capsys.readouterr().out == whole


# ---- several labels ----


@pytest.mark.parametrize(
    "how",
    [{"score": "p_*"}, {"score": "p_*", "weights": "w"}, {"score": "p_*", "threshold": {"sea": 0.4}},
     {"predicted": "hard_p_*"}],
    ids=["plain", "weights", "thresholds", "predicted"],
)  # fmt: skip
def test_several_labels_give_the_answer_of_memory(tmp_path: Path, labels: dict[str, Any], how: dict[str, Any]) -> None:
    file = parquet(tmp_path, labels)
    whole, summed = (rs.evaluate(file, label="label_*", **how, budget=most) for most in (None, SMALL))
    assert isinstance(summed.predictions, LabelSums) and summed.predictions.bound == 0
    same(whole.to_dict(), summed.to_dict())
    for name in ("samples_specificity", "macro mcc", "weighted jaccard", "micro npv"):
        same(whole.measure(name).to_dict(), summed.measure(name).to_dict())


def test_a_rule_for_thresholds_keeps_the_rows(tmp_path: Path, labels: dict[str, Any]) -> None:
    """Cross-fitting needs to know which case is in which fold."""
    file = parquet(tmp_path, labels)
    found = rs.evaluate(file, label="label_*", score="p_*", choose="youden", budget=SMALL)
    assert found.cross_fitted and not isinstance(found.predictions, LabelSums)


def test_scores_on_cells_say_how_far_areas_are_off() -> None:
    rng, n = np.random.default_rng(4), 20_000
    truth = rng.random((n, 3)) < 0.3
    scores = (0.3 * truth + 0.7 * rng.random((n, 3))).clip(0, 1)
    stream = LabelStream(["a", "b", "c"], budget=6_000)
    for start in range(0, n, 3_000):
        stream.update(truth[start : start + 3_000], scores[start : start + 3_000])
    found, exact = rs.evaluate(stream.sums), rs.evaluate(truth, scores, labels=["a", "b", "c"])
    assert 0 < stream.sums.bound < 1e-3 and "off by" in found.notes[0]
    assert found.measure("auc").value == pytest.approx(exact.measure("auc").value, abs=stream.sums.bound)
    for name in ("micro_f1", "macro_f1", "samples_f1", "subset_accuracy", "ranking_loss", "coverage_error"):
        same(found.measure(name).to_dict(), exact.measure(name).to_dict(), within=1e-10)


def test_sums_of_days_add_and_are_saved(
    tmp_path: Path, labels: dict[str, Any], capsys: pytest.CaptureFixture[str]
) -> None:
    truth, scores = (np.column_stack([labels[f"{name}_{topic}"] for topic in TOPICS]) for name in ("label", "p"))
    whole = rs.evaluate(truth, scores, labels=TOPICS)
    days = [rs.evaluate(truth[at::3], scores[at::3], labels=TOPICS).sums for at in range(3)]
    for total in (sum(days), sum(days[::-1])):
        found = rs.evaluate(total)
        for name in whole.estimates:
            other = found.measure(name)
            assert other.value == pytest.approx(whole.measure(name).value, abs=1e-12), name
            if name.endswith(("auc", "average_precision")):  # how labels vary together is not known of sums
                assert np.isnan(other.low) or (other.low <= whole.measure(name).low + 1e-9), name
            else:
                same(other.to_dict(), whole.measure(name).to_dict())
        assert found.baseline("subset_accuracy") == pytest.approx(whole.baseline("subset_accuracy"))
    names = [tmp_path / f"day{at}.scoretable.parquet" for at in range(3)]
    for day, name in zip(days, names, strict=True):
        day.save(name)
    same(rs.evaluate(names).to_dict()["measures"], rs.evaluate(sum(days)).to_dict()["measures"])
    assert main(["merge", *map(str, names)]) == 0
    out = capsys.readouterr().out
    assert "micro F1 of day2 minus micro F1 of all earlier ones" in out and "6,000" in out
    with pytest.raises(RocscopeError, match="holds sums of several labels"):
        rs.ScoreTable.load(names[0])


def test_the_command_saves_the_sums_of_labels(
    tmp_path: Path, labels: dict[str, Any], capsys: pytest.CaptureFixture[str]
) -> None:
    file, target = str(parquet(tmp_path, labels)), str(tmp_path / "all.scoretable.parquet")
    asked = ["--label", "label_*", "--score", "p_*", "--budget", "1M", "--save-table", target]
    assert main(["evaluate", file, *asked]) == 0
    first = capsys.readouterr().out
    assert main(["evaluate", target]) == 0
    assert first.splitlines()[0] == capsys.readouterr().out.splitlines()[0]


@pytest.mark.parametrize("measure", ["auc", "micro_auc", "micro_f1", "samples_precision", "hamming_loss"])
def test_labels_are_compared_without_the_rows(tmp_path: Path, labels: dict[str, Any], measure: str) -> None:
    file = parquet(tmp_path, labels)
    read = {"label": "label_*", "score": {"p": "p_*", "q": "q_*"}, "measure": measure}
    whole, summed = rs.compare(file, **read), rs.compare(file, **read, budget=SMALL)
    a, b = whole.to_dict(), summed.to_dict()
    for part in ("measures", "agreement", "evaluations", "recommended", "joint"):
        same(a[part], b[part], path=part)
    assert by_measure(a)["subset_accuracy"]["p"] == by_measure(b)["subset_accuracy"]["p"]
    np.testing.assert_allclose(summed.moments[measure], np.cov(whole.replicates(whole.primary)), rtol=0.2, atol=2e-6)
    for name, row in by_measure(a).items():
        other, width = by_measure(b)[name], row["high"] - row["low"]
        assert row["value"] == pytest.approx(other["value"], abs=1e-12)
        assert other["low"] == pytest.approx(row["low"], abs=0.06 * width), name
        assert other["high"] == pytest.approx(row["high"], abs=0.06 * width), name


def test_three_models_of_predicted_labels(tmp_path: Path, labels: dict[str, Any]) -> None:
    columns = labels | {f"hard_r_{topic}": np.roll(labels[f"hard_q_{topic}"], 2) for topic in TOPICS}
    file = parquet(tmp_path, columns)
    read = {"label": "label_*", "predicted": {"p": "hard_p_*", "q": "hard_q_*", "r": "hard_r_*"}, "weights": "w"}
    whole, summed = rs.compare(file, **read), rs.compare(file, **read, budget=SMALL)
    same(whole.to_dict()["agreement"], summed.to_dict()["agreement"])
    same(whole.to_dict()["measures"], summed.to_dict()["measures"])
    assert without(whole.certainty, "best_share") == without(summed.certainty, "best_share")


# ---- class-wise calibration ----


def test_errors_of_classes_vary_together_as_in_a_loop() -> None:
    from rocscope.intervals import ClassGaps
    from rocscope.multiclass import ClassScores

    rng = np.random.default_rng(3)
    shares = rng.dirichlet(np.ones(4), 400)
    cases = ClassScores.of(np.append(rng.integers(0, 4, 396), range(4)), shares, labels=range(4))
    gaps = ClassGaps(cases)
    gaps.add(cases)
    moved = np.zeros((4, 400))
    for at in range(4):
        bins = np.minimum((shares[:, at] * 10).astype(int), 9)
        gap = np.bincount(bins, shares[:, at] - (cases.codes == at), 10)
        signs = np.where(gap < 0, -1.0, 1.0)[bins]
        moved[at] = signs * (shares[:, at] - (cases.codes == at)) - np.abs(gap).sum() / 400
    expected = np.sqrt((moved.sum(axis=0) ** 2).sum()) / np.sqrt((moved**2).sum(axis=1)).sum()
    assert gaps.together == pytest.approx(expected) and expected < 0.9


def test_a_calibrated_model_of_many_classes_is_seldom_called_miscalibrated() -> None:
    """Means of limits that were cut at 0 class by class left out 0 in a quarter of such samples."""
    rng, left_out = np.random.default_rng(7), 0
    for _ in range(40):
        raw = 0.88 * rng.standard_normal((1314, 8))
        shares = np.exp(raw) / np.exp(raw).sum(axis=1, keepdims=True)
        y = (rng.random(1314)[:, None] > shares.cumsum(axis=1)).sum(axis=1).clip(max=7)
        found = rs.evaluate(y, shares, labels=list(range(8))).calibration
        assert found is not None
        left_out += found["classwise_ece"].low > 1e-4
    assert left_out <= 6  # about 2 expected at 95 %
