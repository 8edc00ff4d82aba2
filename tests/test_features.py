"""Rows of the feature list that had been missing or partial, each asked by command and in Python, on real data.

One test for each row, named by its identifier; numbers are held against scikit-learn, scipy or a loop written out.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rocscope as rs

Run = Callable[..., tuple[int, str, str]]
datasets = pytest.importorskip("sklearn.datasets")


def _probabilities(x: Any, y: Any) -> Any:
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import cross_val_predict
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    model = make_pipeline(StandardScaler(), LogisticRegression(max_iter=200, C=0.05))
    return cross_val_predict(model, x, y, cv=3, method="predict_proba")


@pytest.fixture(scope="module")
def wine() -> tuple[Any, Any]:
    """Labels and cross-validated probabilities of three classes."""
    held = datasets.load_wine()
    return np.array(held.target_names)[held.target], _probabilities(held.data[:, :4], held.target)


@pytest.fixture(scope="module")
def breast() -> tuple[Any, Any, Any]:
    """Labels and two cross-validated scores of two classes."""
    x, y = datasets.load_breast_cancer(return_X_y=True)
    return y, _probabilities(x[:, :3], y)[:, 1], _probabilities(x[:, 4:7], y)[:, 1]


def written(name: str, **columns: Any) -> str:
    rows = [",".join(map(str, row)) for row in zip(*columns.values(), strict=True)]
    Path(name).write_text("\n".join([",".join(columns), *rows]) + "\n", encoding="utf-8")
    return name


def wine_file(wine: tuple[Any, Any], name: str = "wine.csv") -> str:
    y, p = wine
    return written(name, kind=y, **{f"p_class_{k}": p[:, k].round(6) for k in range(3)})


def breast_file(breast: tuple[Any, Any, Any]) -> str:
    y, a, b = breast
    row = np.arange(len(y))
    return written("breast.csv", y=y, a=a.round(6), b=b.round(6), amount=row % 7 + 1, fold=row % 5)


def answer(run: Run, *words: str) -> Any:
    code, out, problem = run(*words, "--format", "json")
    assert code == 0, problem
    return json.loads(out)


def test_a14_one_reason_for_one_undefined_measure() -> None:
    counts = rs.Counts(tp=0, fp=0, fn=3, tn=5)
    for name in ("precision", "lr_plus", "f1", "dor"):
        assert counts.why(name) == counts.estimate(name).why


def test_a15_a_baseline_beside_every_measure_of_classes(run: Run, wine: tuple[Any, Any]) -> None:
    found = answer(run, "evaluate", wine_file(wine), "--label", "kind", "--score", "p_class_*")
    assert all(row["baseline"] is not None for row in found["measures"])
    shares = np.unique(wine[0], return_counts=True)[1] / len(wine[0])
    base = {row["name"]: row["baseline"] for row in found["measures"]}
    assert base["accuracy"] == pytest.approx(shares.max()) and base["kappa"] == base["mcc"] == 0
    assert base["log_loss"] == pytest.approx(-(shares * np.log(shares)).sum())
    assert "chance level" in run("evaluate", "wine.csv", "--label", "kind", "--score", "p_class_*")[1]


def test_b11_any_measure_against_any_other(run: Run, breast: tuple[Any, Any, Any]) -> None:
    asked = [breast_file(breast), "--label", "y", "--score", "a", "--kind", "recall against precision"]
    found = answer(run, "curve", *asked)
    y, a, _ = breast
    curve = rs.curves.trade(rs.ScoreTable.from_scores(y, a.round(6)), "precision", "recall")
    assert len(found["points"]) >= 10 and len(curve) >= 10
    rounded = a.round(6)
    for row in found["points"][1:]:  # the first flags nobody, and has no precision
        flagged = rounded >= row["threshold"]
        assert row["recall"] == pytest.approx((flagged & (y == 1)).sum() / (y == 1).sum())
        assert row["precision"] == pytest.approx((flagged & (y == 1)).sum() / flagged.sum())


def test_b15_the_picture_of_kolmogorov_and_smirnov(run: Run, breast: tuple[Any, Any, Any]) -> None:
    from scipy.stats import ks_2samp

    y, a, _ = breast
    asked = [breast_file(breast), "--label", "y", "--score", "a", "--kind", "ks", "--plot", "ks.svg"]
    code, _, problem = run("curve", *asked)
    assert code == 0 and Path("ks.svg").stat().st_size > 1000, problem
    expected = ks_2samp(a[y == 1].round(6), a[y == 0].round(6)).statistic
    assert float(rs.curves.ks_statistic(rs.ScoreTable.from_scores(y, a.round(6)))) == pytest.approx(expected)


def test_b16_latent_values_are_no_thresholds(run: Run, breast: tuple[Any, Any, Any]) -> None:
    code, out, problem = run("curve", breast_file(breast), "--label", "y", "--score", "a", "--kind", "binormal-roc")
    assert code == 0, problem
    heading = next(line for line in out.splitlines() if "fpr" in line)
    assert "latent" in heading and "threshold" not in heading


def test_b17_averaged_curves_of_a_column_of_folds(run: Run, breast: tuple[Any, Any, Any]) -> None:
    found = answer(run, "evaluate", breast_file(breast), "--label", "y", "--score", "a", "--fold", "fold")
    curves = found["roc"]["a"]
    assert {"vertical", "threshold", "pooled"} <= set(curves) and len(curves["folds"]) == 5
    made = rs.evaluate(breast[0], breast[1].round(6), fold=np.arange(len(breast[0])) % 5)
    assert len(made.folds) == 5


def fold_file() -> tuple[str, Any, Any]:
    """Three models that give probabilities of three classes, tested in five folds; the labels, and those of `a`."""
    rng = np.random.default_rng(11)
    y = rng.integers(0, 3, 300)
    columns: dict[str, Any] = {"y": np.array(["cat", "dog", "eel"])[y], "fold": np.arange(300) % 5}
    for name, gain in (("a", 1.3), ("b", 1.2), ("c", 0.8)):
        raw = rng.gamma(1, size=(300, 3)) + gain * (y[:, None] == np.arange(3))
        p = (raw / raw.sum(axis=1, keepdims=True)).round(6)
        p[:, 2] = (1 - p[:, 0] - p[:, 1]).round(6)
        columns |= {f"{name}_{label}": p[:, k] for k, label in enumerate(("cat", "dog", "eel"))}
    probabilities = np.stack([columns[f"a_{label}"] for label in ("cat", "dog", "eel")], axis=1)
    return written("folds.csv", **columns), y, probabilities


def test_b17_losses_of_several_classes_over_folds(run: Run) -> None:
    file, y, p = fold_file()
    found = answer(run, "evaluate", file, "--label", "y", "--score", "a_*", "--fold", "fold")["summary"]["a"]
    own = p[np.arange(300), y]
    losses = {"log_loss": -np.log(own), "brier": ((p - np.eye(3)[y]) ** 2).sum(axis=1)}
    for name, each in losses.items():
        mean, error = found[name]["mean"], each.std(ddof=1) / np.sqrt(300)
        assert mean["value"] == pytest.approx(np.mean([each[k::5].mean() for k in range(5)]), abs=1e-12)
        assert mean["high"] - mean["low"] == pytest.approx(2 * 1.96 * error, rel=0.02)
    p[0] = [1, 0, 0] if y[0] else [0, 1, 0]  # a class that was excluded
    infinite = rs.evaluate(y, p, fold=np.arange(300) % 5).to_dict()["summary"]["model"]
    assert infinite["log_loss"]["mean"]["why"] == "infinite in 1 of 5 folds" and infinite["brier"]["mean"]["value"] < 2
    for scores in (p * 3 - 1, p**2):  # beyond 0 and 1, and sums other than 1
        assert not {"log_loss", "brier"} & set(
            rs.evaluate(y, scores, fold=np.arange(300) % 5).to_dict()["summary"]["model"]
        )


def test_b17_intervals_beside_adjusted_p_values_say_that_they_are_not(run: Run) -> None:
    words = ["compare", fold_file()[0], "--label", "y", "--fold", "fold", "--score", "a_*", "--score", "b_*"]
    code, out, problem = run(*words, "--score", "c_*", "--html", "folds.html")
    assert code == 0, problem
    heading = next(line for line in out.splitlines() if line.startswith("difference"))
    assert " ".join(heading.split()) == "difference in 95 % CI, unadjusted p (Holm) all measures"
    assert "95 % CI, unadjusted" in Path("folds.html").read_text(encoding="utf-8")
    assert "unadjusted" not in run(*words)[1]  # two models: there is nothing to adjust for


def test_c5_three_areas_under_precision_and_recall_by_name(run: Run, breast: tuple[Any, Any, Any]) -> None:
    from sklearn.metrics import auc, average_precision_score, precision_recall_curve

    found = answer(run, "evaluate", breast_file(breast), "--label", "y", "--score", "a")
    areas = {row["name"]: row["value"] for row in found["areas"]}
    y, a = breast[0], breast[1].round(6)
    precision, recall, _ = precision_recall_curve(y, a)
    assert areas["average_precision"] == pytest.approx(average_precision_score(y, a))
    assert areas["pr_trapezoid"] == pytest.approx(auc(recall, precision), abs=1e-9)
    assert areas["pr_area"] == pytest.approx(rs.curves.pr_area(rs.ScoreTable.from_scores(y, a)))


def test_d4_gains_and_profit(run: Run, breast: tuple[Any, Any, Any]) -> None:
    asked = [breast_file(breast), "--label", "y", "--score", "a"]
    found = answer(run, "evaluate", *asked, "--gains", "tp=2, fp=-1, fn=-5")
    y, a = breast[0], breast[1].round(6)
    costs = rs.Costs.gains(tp=2, fp=-1, fn=-5)
    best = min(float(((y == 1) & (a < t)).sum() * 5 + ((y == 0) & (a >= t)).sum() - 2 * ((y == 1) & (a >= t)).sum())
               for t in [*a, np.inf])  # fmt: skip
    ev = rs.evaluate(y, a, costs=costs)
    assert ev.apparent_cost is not None and ev.apparent_cost.value == pytest.approx(1000 * best / len(y))
    assert found["point"]["apparent_cost"]["value"] == pytest.approx(1000 * best / len(y))


def test_d6_the_top_of_the_ranking(run: Run, breast: tuple[Any, Any, Any]) -> None:
    found = answer(run, "evaluate", breast_file(breast), "--label", "y", "--score", "a", "--choose", "top 5 %")
    y, a = breast[0], breast[1].round(6)
    flagged = a >= found["point"]["threshold"]
    assert flagged.sum() <= 0.05 * len(y) and found["point"]["counts"]["tp"] == int((flagged & (y == 1)).sum())
    fifth = next(row for row in found["top"]["shares"] if row["share"] == 0.2)
    first = np.argsort(-a)[: round(0.2 * len(y))]
    assert fifth["precision"]["value"] == pytest.approx(y[first].mean(), abs=0.01)
    assert fifth["precision"]["low"] < fifth["precision"]["value"] <= fifth["precision"]["high"]
    out = run("evaluate", "breast.csv", "--label", "y", "--score", "a", "--full")[1]
    heading = next(line for line in out.splitlines() if line.startswith("decile"))
    assert heading.endswith("TPR - FPR")  # one table, as wide as the terminal


def test_d7_costs_of_single_cases(run: Run, breast: tuple[Any, Any, Any]) -> None:
    asked = [breast_file(breast), "--label", "y", "--score", "a", "--cost-column", "amount", "--cost-fp", "2"]
    found = answer(run, "evaluate", *asked)
    y, a, amount = breast[0], breast[1].round(6), np.arange(len(breast[0])) % 7 + 1
    least = min(float(amount[(y == 1) & (a < t)].sum() + 2 * ((y == 0) & (a >= t)).sum()) for t in [*a, np.inf])
    assert found["point"]["apparent_cost"]["value"] == pytest.approx(1000 * least / len(y))
    assert found["point"]["cost"]["low"] < found["point"]["cost"]["value"] < found["point"]["cost"]["high"]


def test_d9_net_benefit_with_limits_and_differences(run: Run, breast: tuple[Any, Any, Any]) -> None:
    asked = [breast_file(breast), "--label", "y", "--score", "a"]
    rows = answer(run, "curve", *asked, "--kind", "net-benefit")["points"]
    assert {"low", "high"} <= set(rows[0]) and any("avoided" in key for key in rows[0])
    gap = answer(run, "compare", *asked, "--score", "b", "--measure", "net benefit at 0.2")["measure_differences"][0]
    y, a, b = breast[0], breast[1].round(6), breast[2].round(6)
    benefit = {name: (((s >= 0.2) & (y == 1)).sum() - 0.25 * ((s >= 0.2) & (y == 0)).sum()) / len(y)
               for name, s in (("a", a), ("b", b))}  # fmt: skip
    assert gap["value"] == pytest.approx(benefit[gap["a"]] - benefit[gap["b"]])
    assert gap["low"] < gap["value"] < gap["high"]


def test_d12_a_grey_zone(run: Run, breast: tuple[Any, Any, Any]) -> None:
    asked = [breast_file(breast), "--label", "y", "--score", "a", "--refer", "recall >= 0.95, precision >= 0.95"]
    zones = answer(run, "evaluate", *asked)["referral"]
    assert sum(one["share"]["value"] for one in zones["zones"]) == pytest.approx(1, abs=0.05)
    assert all(one["share"]["low"] <= one["share"]["high"] for one in zones["zones"])
    assert run("explain", "grey zone")[0] == 0


def test_e5_break_even_costs_with_limits(run: Run) -> None:
    """Two scores that cross: the slope between the two corners of the hull, with limits that are ratios of costs."""
    rng = np.random.default_rng(5)
    y, noise = rng.integers(0, 2, 600), rng.normal(size=(2, 600))
    shapes = zip((1.4, 2.0), (0.6, 1.7), noise, strict=True)
    a, b = (np.where(y, up + wide * one, one).round(4) for up, wide, one in shapes)
    asked = [written("cross.csv", y=y, a=a, b=b), "--label", "y", "--score", "a", "--score", "b"]
    (row,) = answer(run, "hull", *asked)["break_even"]
    (made,) = rs.compare(y, {"a": a, "b": b}).break_evens
    scores = {"a": a, "b": b}
    rates = [[float((scores[one.model] >= one.threshold)[y == label].mean()) for label in (1, 0)]
             for one in (made.first, made.second)]  # fmt: skip
    slope, odds = (rates[1][0] - rates[0][0]) / (rates[1][1] - rates[0][1]), y.sum() / (1 - y).sum()
    assert row["slope"] == pytest.approx(slope) and row["cost_value"] == pytest.approx(slope * odds)
    assert 0 <= row["low"] < row["slope"] < row["high"] and row["low"] == pytest.approx(made.slope.low)
    code, out, _ = run("hull", *asked)
    assert code == 0 and "break-even  b and a at 1.74 : 1, 95 % CI" in out
    assert "95 % CI" in run("compare", *asked, "--full")[1].split("break-even")[1][:120]


def test_f4_tests_and_limits_of_calibration(run: Run, breast: tuple[Any, Any, Any]) -> None:
    found = answer(run, "evaluate", breast_file(breast), "--label", "y", "--score", "a")["calibration"]
    rows = {one["name"]: one for one in found["estimates"]}
    assert rows["calibration_slope"]["low"] < rows["calibration_slope"]["value"] < rows["calibration_slope"]["high"]
    assert any("hosmer" in one["name"].lower().replace("-", " ") for one in found["tests"])


def test_g3_an_absent_class_is_counted(wine: tuple[Any, Any]) -> None:
    y, p = wine
    kept = y != "class_2"
    found = rs.evaluate(y[kept], p[kept], labels=["class_0", "class_1", "class_2"])
    assert found.absent == ("class_2",) and "1 of 3 classes" in " ".join(found.caveats)


def test_g4_decisions_by_a_cost_matrix(run: Run, wine: tuple[Any, Any]) -> None:
    names, costs = [f"class_{k}" for k in range(3)], np.array([[0, 1, 4], [2, 0, 1], [5, 1, 0]])
    written("costs.csv", actual=names, **{name: costs[:, k] for k, name in enumerate(names)})
    asked = [wine_file(wine), "--label", "kind", "--score", "p_class_*", "--cost-matrix", "costs.csv"]
    found = answer(run, "evaluate", *asked)
    y, p = wine
    p = p.round(6)
    codes, decided = np.searchsorted(names, y), (p / p.sum(axis=1, keepdims=True) @ costs).argmin(axis=1)
    assert found["decision"]["cost"]["value"] == pytest.approx(1000 * costs[codes, decided].mean())
    assert found["decision"]["cost"]["low"] < found["decision"]["cost"]["high"]


def test_g6_several_labels(run: Run) -> None:
    from sklearn.metrics import f1_score, hamming_loss, label_ranking_average_precision_score

    rng = np.random.default_rng(2)
    truth = (rng.random((200, 4)) < [0.5, 0.3, 0.2, 0.4]).astype(int)
    scores = (0.5 * truth + rng.random((200, 4)) * 0.8).clip(0, 1).round(4)
    columns = {f"label_{k}": truth[:, k] for k in range(4)} | {f"score_{k}": scores[:, k] for k in range(4)}
    code, out, problem = run(written("labels.csv", **columns), "--format", "json")
    assert code == 0, problem
    rows = {one["name"]: one["value"] for one in json.loads(out)["measures"]}
    decided = scores >= 0.5
    for average in ("macro", "micro", "samples"):
        expected = f1_score(truth, decided, average=average, zero_division=np.nan)
        assert rows[f"{average}_f1"] == pytest.approx(expected, abs=1e-12)
    assert rows["hamming_loss"] == pytest.approx(hamming_loss(truth, decided))
    assert rs.evaluate(truth, scores).estimates["hamming_loss"].value == rows["hamming_loss"]
    name = "ranking_precision"
    assert rs.evaluate(truth, scores).measure(name).value == pytest.approx(
        label_ranking_average_precision_score(truth, scores)
    )


def test_h4_missing_values_of_arrays_are_dropped_and_counted() -> None:
    found = rs.evaluate([1, 0, 1, 0, 1], [0.9, 0.2, float("nan"), 0.4, 0.7], missing="drop")
    assert found.table.positives == 2 and sum(found.left_out.values()) == 1


def test_h4_cases_without_a_score_in_one_file_are_dropped_from_all(run: Run) -> None:
    y, noise = np.arange(40) % 2, np.random.default_rng(3).normal(size=(2, 40))
    a, b = (list((y + one).round(3)) for one in noise)
    order = np.random.default_rng(4).permutation(40)
    gaps = [*a[:5], "", *a[6:]]
    written("first.csv", case=np.arange(40), y=y, p=gaps)
    others = ["NA" if row in (5, 9) else b[row] for row in order]
    written("second.csv", case=order, y=y[order], p=others)
    asked = ["first.csv", "second.csv", "--label", "y", "--score", "p", "--id", "case", "--missing", "drop"]
    found = answer(run, "compare", *asked)
    kept = [row for row in range(40) if row not in (5, 9)]
    plain = rs.compare(y[kept], {"first": np.array(a)[kept], "second": np.array(b)[kept]})
    assert found["differences"][0]["value"] == pytest.approx(plain.differences[0].estimate.value, abs=1e-12)
    left_out = found["evaluations"]["first"]["data"]["left_out"]
    assert left_out == {"no score of first in first.csv": 1, "no score of second in second.csv": 2}
    assert run("compare", *asked[:-2])[0] == 2
    written("third.csv", case=order[1:], y=y[order][1:], p=others[1:])
    code, _, problem = run("compare", "first.csv", "third.csv", *asked[2:])
    assert code == 2 and "have no match: 1 of first.csv" in problem
    columns = [written(f"c{k}.csv", case=np.arange(9), y=list("abcabcabc"), q=q) for k, q in
               enumerate(([*"abcabcab", ""], list("aacabcaba")))]  # fmt: skip
    classes = ["--label", "y", "--predicted", "q", "--id", "case", "--missing", "drop"]
    assert answer(run, "compare", *columns, *classes)["data"]["cases"] == 8


def ends() -> tuple[Any, Any, Any]:
    """Labels and two scores, the first with infinite values at both ends, which the ranks replace."""
    rng = np.random.default_rng(2)
    y = rng.integers(0, 2, 400)
    a, b = rng.normal(size=400) + y, rng.normal(size=400) + y
    return y, np.where(a > 2, np.inf, np.where(a < -1, -np.inf, a)), b


@pytest.mark.parametrize("kind", ["csv", "parquet", "pandas", "polars", "pyarrow", "dict"])
@pytest.mark.parametrize("budget", [None, 2**12])
def test_h5_infinite_scores_of_files_and_frames_are_the_ends_when_asked(
    kind: str, budget: int | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    y, a, _ = ends()
    expected = rs.evaluate(y, np.searchsorted(np.unique(a), a)).auc
    given: Any = {"y": y, "a": a}
    if kind == "csv":
        given = written("ends.csv", y=y, a=a)
    elif kind != "dict":
        library = pytest.importorskip("pyarrow" if kind == "parquet" else kind)
        given = (library.table if kind in ("pyarrow", "parquet") else library.DataFrame)(given)
    if kind == "parquet":
        pytest.importorskip("pyarrow.parquet").write_table(given, "ends.parquet")
        given = "ends.parquet"
    with pytest.raises(rs.RocscopeError, match='infinite="ends"'):
        rs.evaluate(given, label="y", score="a")
    found = rs.evaluate(given, label="y", score="a", infinite="ends", budget=budget)
    assert found.auc.value == pytest.approx(expected.value, abs=1e-6 if budget else 1e-15)
    assert found.auc.low == pytest.approx(expected.low, abs=1e-5 if budget else 1e-12)


def test_h5_by_command_in_one_file_and_several(run: Run) -> None:
    y, a, b = ends()
    file, at = written("both.csv", y=y, a=a, b=b, fold=np.arange(400) % 4), np.arange(400)
    files = [written("one.csv", case=at, y=y, p=a), written("two.csv", case=at[::-1], y=y[::-1], p=b[::-1])]
    ranks = np.searchsorted(np.unique(a), a)
    expected = rs.compare(y, {"one": ranks, "two": b}).differences[0].estimate
    code, _, problem = run("compare", file, "--label", "y", "--score", "a", "--score", "b")
    assert code == 2 and "--infinite ends to rank infinite scores beyond all others" in problem
    for words in ([file, "--score", "a", "--score", "b"], [*files, "--score", "p", "--id", "case"]):
        found = answer(run, "compare", *words, "--label", "y", "--infinite", "ends")["differences"][0]
        assert [found["value"], found["low"]] == pytest.approx([expected.value, expected.low], abs=1e-12)
    folds = answer(run, "evaluate", file, "--label", "y", "--score", "a", "--fold", "fold", "--infinite", "ends")
    assert folds["summary"]["a"]["auc"]["mean"]["value"] == pytest.approx(
        np.mean([rs.evaluate(y[k::4], ranks[k::4]).auc.value for k in range(4)])
    )
    assert run("gate", file, "--label", "y", "--score", "a", "--infinite", "ends", "--require", "auc > 0.6")[0] == 0
    Path("odd.csv").write_text("y,p\n1,inf\n0,-inf\n1,high\n0,0.5\n", encoding="utf-8")
    code, _, problem = run("evaluate", "odd.csv", "--label", "y", "--score", "p", "--infinite", "ends")
    assert code == 2 and "odd.csv, line 4, column 'p': 'high' is not a finite number" in problem
    code, _, problem = run("evaluate", file, "--label", "y", "--predicted", "a", "--infinite", "ends")
    assert code == 2 and "--infinite ends applies only to scores" in problem


def test_j5_a_difference_at_a_fixed_rate(run: Run, breast: tuple[Any, Any, Any]) -> None:
    asked = [breast_file(breast), "--label", "y", "--score", "a", "--score", "b"]
    gap = answer(run, "compare", *asked, "--measure", "sensitivity at specificity 0.9")["measure_differences"][0]
    assert gap["low"] < gap["high"] and 0 <= gap["p"] <= 1


def test_j6_mcnemar_from_labels_and_files(run: Run, wine: tuple[Any, Any]) -> None:
    from scipy.stats import binom

    y, p = wine
    names = np.array([f"class_{k}" for k in range(3)])
    first, second = names[p.argmax(axis=1)], np.where(np.arange(len(y)) % 3, y, names[0])
    asked = [written("hard.csv", y=y, a=first, b=second), "--label", "y", "--predicted", "a", "--predicted", "b"]
    found = answer(run, "compare", *asked)
    only_a, only_b = int(((first == y) & (second != y)).sum()), int(((first != y) & (second == y)).sum())
    few, n = min(only_a, only_b), only_a + only_b
    mid = min(1.0, 2 * binom.cdf(few, n, 0.5) - binom.pmf(few, n, 0.5))
    assert found["differences"][0]["p"] == pytest.approx(mid)


@pytest.mark.parametrize("name", ["5x2-t", "5x2-f"])
def test_j9_tests_of_five_times_two_folds(run: Run, name: str) -> None:
    """Dietterich's t and Alpaydin's F by their definitions, from the errors of the folds; other plans are refused."""
    from scipy import stats
    from sklearn.linear_model import LogisticRegression
    from sklearn.neighbors import KNeighborsClassifier

    x, y = datasets.load_breast_cancer(return_X_y=True)
    x = x[:, :3] / x[:, :3].std(axis=0)
    models = {"lr": LogisticRegression(), "knn": KNeighborsClassifier(3)}
    va = rs.validate(models, x, y, plan="5x2", seed=0)
    errors = {model: [float(np.mean(fold.predicted != y[fold.cases])) for fold in va.folds if fold.model == model]
              for model in models}  # fmt: skip
    differences = (np.array(errors["lr"]) - np.array(errors["knn"])).reshape(5, 2)
    spread = ((differences - differences.mean(axis=1, keepdims=True)) ** 2).sum(axis=1)
    if name == "5x2-t":
        statistic = differences[0, 0] / np.sqrt(spread.mean())
        p = 2 * stats.t.sf(abs(statistic), 5)
    else:
        statistic = (differences**2).sum() / (2 * spread.sum())
        p = stats.f.sf(statistic, 10, 5)
    found = next(one.estimate for one in va.compare(name) if one.what == "error_rate")
    assert found.statistic == pytest.approx(statistic) and found.p == pytest.approx(p)
    with pytest.raises(rs.RocscopeError, match=f"'{name}' takes 5 x 2 differences"):
        rs.validate(models, x, y, plan="10-fold", seed=0).compare(name)
    asked = ["--demo", "iris", "--model", "majority", "--model", "tree", "--test", name]
    code, out, problem = run("validate", *asked, "--plan", "5x2")
    assert code == 0 and ("5x2cv t" if name == "5x2-t" else "5x2cv F") in out, problem
    code, _, problem = run("validate", *asked, "--plan", "10-fold")
    assert code == 2 and f"'{name}' takes 5 x 2 differences" in problem and "corrected-t" in problem


def test_j12_bayesian_tests() -> None:
    differences = np.random.default_rng(0).normal(0.02, 0.03, (6, 10))
    found = rs.significance.bayesian_hierarchical(differences, 90, 10, rope=0.01)
    assert found.right > 0.5 and found.left + found.rope + found.right == pytest.approx(1)


def test_j14_p_over_all_pairs_and_measures(run: Run, wine: tuple[Any, Any]) -> None:
    y, p = wine
    other = np.roll(p, 1, axis=1) * 0.3 + p * 0.7
    third = p * 0.5 + 1 / 6
    cmp = rs.compare(y, {"a": p, "b": other, "c": third}, labels=["class_0", "class_1", "class_2"])
    own = {(one.b, one.what): one for one in (*cmp.differences, *sum(cmp.other_differences.values(), ()))}
    assert {(one.b, one.what) for one in cmp.together} == set(own) and len(own) > 4
    for one in cmp.together:
        same = own[one.b, one.what]
        assert one.p_adjusted >= same.p_adjusted - 1e-12 and one.estimate == same.estimate
    rows = cmp.to_dict()["other_differences"]
    assert all(row["p_together"] >= row["p_adjusted"] - 1e-12 for row in rows if row["p_adjusted"] is not None)
    columns = {f"{m}_class_{k}": v[:, k].round(6) for m, v in (("a", p), ("b", other)) for k in range(3)}
    asked = [written("two.csv", y=y, **columns), "--label", "y", "--score", "a_*", "--score", "b_*", "--full"]
    code, out, problem = run("compare", *asked)
    assert code == 0 and "all measures" in out, problem
    code, out, _ = run("validate", "--demo", "iris", "--model", "majority", "--model", "tree", "--plan", "5-fold")
    assert code == 0 and "all measures" in out


def test_j14_of_scores_is_holm_over_both_measures(breast: tuple[Any, Any, Any]) -> None:
    y, a, b = breast
    cmp = rs.compare(y, {"a": a, "b": b}, costs=rs.Costs(fp=1, fn=3))
    raw = [*cmp.differences, *cmp.cost_differences]
    expected = rs.significance.holm([one.p_adjusted for one in raw])  # two models: one comparison in each measure
    assert [one.p_adjusted for one in cmp.together] == pytest.approx(expected)


def test_j15_equality_for_practical_purposes(run: Run, breast: tuple[Any, Any, Any]) -> None:
    asked = [breast_file(breast), "--label", "y", "--score", "a", "--score", "b", "--margin", "0.5"]
    found = answer(run, "compare", *asked)["equivalence"][0]
    assert found["equivalent"] is True
    strict = answer(run, "compare", *asked[:-1], "0.0001")["equivalence"][0]
    assert strict["equivalent"] is False and strict["p"] > 0.05 > found["p"]


def test_l7_every_format_has_the_matrix(run: Run) -> None:
    written("hard.csv", y=[*"abba"] * 13, q=[*"abaa"] * 13)
    said = {"csv": "26,26,0", "latex": r"a & 26 (100 \%) & 0 (0 \%) & 26", "md": "| a | 26 (100 %) | 0 (0 %) | 26 |"}
    for form, row in said.items():
        code, out, problem = run("matrix", "hard.csv", "--actual", "y", "--predicted", "q", "--format", form)
        assert code == 0 and row in out, problem
    written("flags.csv", y=[1, 0, 0, 1, 0], q=[1, 0, 1, 1, 0])
    for words in (("flags.csv", "--actual", "y", "--predicted", "q"), ("2", "1", "0", "2")):
        rows = run("matrix", *words, "--format", "csv")[1].splitlines()
        assert rows[1:5] == ["tp,2,,,,,,,,", "fp,1,,,,,,,,", "fn,0,,,,,,,,", "tn,2,,,,,,,,"]
    unknown = ("--tp", "5", "--fp", "3", "--fn", "7", "--tn", "x-3")
    assert "tn,,,,,,,,,x - 3" in run("matrix", *unknown, "--format", "csv")[1]


def test_a16_no_prevalence_is_called_rarer_than_it_is(run: Run) -> None:
    assert "--prevalence 0.02  where positives are rarer" in run("matrix", "7", "7", "3", "13")[1]
    rare = run("matrix", "5", "100", "5", "9890")[1]
    assert "less than the 0.999 of always predicting" in rare and "--prevalence" not in rare


def test_l7_percentages_say_what_they_are_of(run: Run) -> None:
    assert "actual, % of row" in run("matrix", "7", "7", "3", "13")[1]
    assert "predicted, % of row" in run("matrix", "7", "7", "3", "13", "--rows", "predicted")[1]


def test_o1_models_in_and_estimators_out(breast: tuple[Any, Any, Any]) -> None:
    from sklearn.linear_model import LogisticRegression

    x, y = datasets.load_breast_cancer(return_X_y=True)
    model = LogisticRegression(max_iter=3000).fit(x[::2, :3], y[::2])
    ev = rs.evaluate(model, x[1::2, :3], y[1::2], costs=rs.Costs(fp=3, fn=1))
    made = ev.threshold_model(model)
    p = model.predict_proba(x[1::2, :3])[:, 1]
    assert ev.point is not None
    assert np.array_equal(made.predict(x[1::2, :3]), (p >= ev.point.threshold).astype(int))


# ---- what somebody who comes from scikit-learn types first ----


def test_predicted_labels_of_several_classes_need_no_name(wine: tuple[Any, Any]) -> None:
    y, p = wine
    codes = np.unique(y, return_inverse=True)[1]
    plain = rs.evaluate(codes, predicted=p.argmax(axis=1)).measure("accuracy")
    for truth, said in ((codes, p.argmax(axis=1)), (codes.astype(float), p.argmax(axis=1).astype(float))):
        assert rs.evaluate(truth, said).measure("accuracy").value == plain.value
    with pytest.raises(rs.RocscopeError, match="must have two classes, but it has 3"):
        rs.evaluate(codes, p[:, 0])
    with pytest.raises(rs.RocscopeError, match="one score per case is required"):
        rs.evaluate(codes, p.argmax(axis=1), threshold=1)


def test_names_of_scorers_are_understood(wine: tuple[Any, Any]) -> None:
    y, p = wine
    ev = rs.evaluate(y, p)
    pairs = {"f1_macro": "macro_f1", "precision_weighted": "weighted_precision", "roc_auc_ovr": "auc_ovr",
             "roc_auc_ovo": "auc_ovo", "roc_auc_ovr_weighted": "auc_ovr_weighted"}  # fmt: skip
    for theirs, ours in pairs.items():
        assert ev.measure(theirs) == ev.measure(ours)
    assert ev.estimates["macro_f1"] == ev.estimates["macro f1"] and "f1" not in ev.estimates
    with pytest.raises(KeyError):
        ev.estimates["f1"]


def test_a_class_may_be_named_by_its_text_and_has_its_curve() -> None:
    x, y = datasets.load_iris(return_X_y=True)
    ev = rs.evaluate(y, _probabilities(x[:, :2], y))
    assert ev.of("2") == ev.of(2) and ev.matrix.of("2").recall == ev.matrix.of(2).recall
    assert ev.roc("2").tpr.tolist() == ev.roc()[2].tpr.tolist()
    with pytest.raises(rs.RocscopeError, match="no class '7'"):
        ev.of("7")


def test_forests_of_several_labels() -> None:
    """Their probabilities are a list of arrays, one for each label."""
    from sklearn.ensemble import RandomForestClassifier

    x, truth = datasets.make_multilabel_classification(120, n_classes=3, random_state=0)
    forest = RandomForestClassifier(5, random_state=0).fit(x[:60], truth[:60])
    said = forest.predict_proba(x[60:])
    stacked = np.column_stack([one[:, 1] for one in said])
    expected = rs.evaluate(truth[60:], stacked).measure("micro_f1")
    assert rs.evaluate(truth[60:], said).measure("micro_f1") == expected
    assert rs.evaluate(forest, x[60:], truth[60:]).measure("f1_micro") == expected


def test_every_case_left_undecided_is_an_answer(wine: tuple[Any, Any]) -> None:
    """Found by the simulation: a price of a referral below every expected cost left nothing to compute with."""
    y, p = wine
    ev = rs.evaluate(y, p, costs=rs.Costs.matrix(1 - np.eye(3), reject=1e-6))
    assert ev.calibration is not None and "every case was rejected" in ev.calibration["ece_10"].why
    assert ev.decision is not None and ev.decision.cost.value == pytest.approx(1e-3)
    assert ev.to_dict()["kind"] == "classes" and "undecided" in str(ev)
