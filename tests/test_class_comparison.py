"""Models that predict classes or labels compared: tests on right and wrong, on classes, and by any measure."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rocscope as rs
from rocscope import RocscopeError, report, significance
from rocscope.cli import main
from rocscope.evaluation.certainty import PairedInference
from rocscope.intervals import case_statistic, class_names
from rocscope.report.html import page

FROZEN = json.loads((Path(__file__).parent / "oracles" / "classes.json").read_text("utf-8"))


@pytest.mark.parametrize("one", FROZEN["squares"], ids=lambda one: f"{one['k']} classes")
def test_symmetry_and_margins_equal_those_of_r(one: dict[str, object]) -> None:
    cells = np.array(one["cells"]).reshape(one["k"], one["k"])
    symmetry, margins = significance.bowker(cells), significance.stuart_maxwell(cells)
    assert symmetry.statistic == pytest.approx(one["bowker"], rel=1e-10) and symmetry.df == one["bowker_df"]
    assert symmetry.p == pytest.approx(one["bowker_p"], rel=1e-9)
    assert margins.statistic == pytest.approx(one["margins"], rel=1e-9) and margins.df == one["margins_df"]
    assert margins.p == pytest.approx(one["margins_p"], rel=1e-9)
    if one["k"] == 2:
        alone = significance.mcnemar(cells[0, 1], cells[1, 0], method="chi2")
        assert symmetry.statistic == pytest.approx(alone.statistic, rel=1e-12) and symmetry.p == pytest.approx(alone.p)


@pytest.mark.parametrize("one", FROZEN["answers"], ids=lambda one: f"{one['models']} models")
def test_cochran_equals_that_of_r(one: dict[str, object]) -> None:
    found = significance.cochran_q(np.array(one["right"]).reshape(one["cases"], one["models"]))
    assert found.statistic == pytest.approx(one["q"], rel=1e-10) and found.p == pytest.approx(one["p"], rel=1e-9)


def test_tables_without_anything_to_compare() -> None:
    assert significance.bowker(np.eye(3) * 5).p == 1 and significance.stuart_maxwell(np.eye(3) * 5).p == 1
    # a class that neither side has changes nothing
    small, wide = np.array([[9, 4], [1, 6]]), np.array([[9, 4, 0], [1, 6, 0], [0, 0, 0]])
    assert significance.stuart_maxwell(small).statistic == significance.stuart_maxwell(wide).statistic
    with pytest.raises(RocscopeError, match="k x k"):
        significance.bowker([[1, 2, 3]])


def tables_of_many_classes() -> Iterator[np.ndarray]:
    """Confusions at random, of neighbors alone (a chain), and in separate parts."""
    draw = np.random.default_rng(4)
    random = np.bincount(draw.integers(0, 60 * 60, 900), minlength=60 * 60).reshape(60, 60)
    chain = np.diag(draw.integers(1, 9, 59), 1) + np.diag(draw.integers(1, 9, 59), -1)
    apart = np.zeros((60, 60), dtype=int)
    apart[:30, :30], apart[30:, 30:] = random[:30, :30], random[30:, 30:]
    yield from (random, chain + np.eye(60, dtype=int), apart)


@pytest.mark.parametrize("cells", list(tables_of_many_classes()), ids=["random", "chain", "apart"])
def test_many_classes_are_tested_as_few_are(cells: np.ndarray, monkeypatch: pytest.MonkeyPatch) -> None:
    few = significance.stuart_maxwell(cells)
    monkeypatch.setattr("rocscope.significance.paired.DIRECT", 0)
    many = significance.stuart_maxwell(cells)
    assert many.statistic == pytest.approx(few.statistic, rel=1e-11) and many.df == few.df
    spread = np.diag(cells.sum(axis=0) + cells.sum(axis=1)) - cells - cells.T
    gap = cells.sum(axis=1) - cells.sum(axis=0)
    inverse = np.linalg.pinv(spread, rcond=1e-10, hermitian=True)  # the direction of equal changes is left out
    assert few.statistic == pytest.approx(gap @ inverse @ gap, rel=1e-9)
    above, below = cells[np.triu_indices(60, 1)], cells.T[np.triu_indices(60, 1)]
    pairs = above + below > 0
    by_hand = ((above - below)[pairs] ** 2 / (above + below)[pairs]).sum()
    assert significance.bowker(cells).statistic == pytest.approx(by_hand, rel=1e-12)
    assert significance.bowker(cells).df == pairs.sum()


def test_the_values_are_the_cases_to_move_for_symmetry_and_for_equal_margins() -> None:
    cells = np.array([[20, 5, 1, 0], [9, 30, 4, 2], [3, 12, 16, 6], [8, 2, 0, 7]])
    pairs = [(i, j) for i in range(4) for j in range(i)]
    moved = sum(abs(int(cells[i, j]) - int(cells[j, i])) for i, j in pairs) / 2
    symmetric = (cells + cells.T) / 2  # half the gap of each pair goes to the other side
    off = cells.sum() - np.trace(cells)
    found = significance.bowker(cells)
    assert np.abs(symmetric - cells).sum() == 2 * moved and found.value == pytest.approx(moved / off, rel=1e-14)
    assert significance.bowker(2 * symmetric).value == 0 == significance.bowker(2 * symmetric).statistic
    margins = [abs(int(cells[i].sum()) - int(cells[:, i].sum())) for i in range(4)]
    assert significance.stuart_maxwell(cells).value == pytest.approx(sum(margins) / 2 / cells.sum(), rel=1e-14)


# ---- models on the same cases ----

NAMES = np.array(["cat", "dog", "rat"])


def predictions(seed: int = 0, n: int = 240) -> tuple[Any, dict[str, Any], dict[str, Any]]:
    """Labels, what three models predict, and the probabilities of two."""
    rng = np.random.default_rng(seed)
    y = rng.choice(NAMES, n)
    labels = {name: np.where(rng.random(n) < share, y, rng.choice(NAMES, n)) for name, share in
              (("a", 0.85), ("b", 0.7), ("c", 0.5))}  # fmt: skip
    raw = [rng.gamma(1, size=(n, 3)) + gain * (y[:, None] == NAMES) for gain in (2.0, 1.2)]
    shares = {name: one / one.sum(axis=1, keepdims=True) for name, one in zip("pq", raw, strict=True)}
    return y, labels, shares


def test_predicted_labels_are_compared_by_mcnemar_and_cochran() -> None:
    y, labels, _ = predictions()
    cmp = rs.compare(y, labels)
    assert isinstance(cmp, rs.ClassComparison) and cmp.recommended == "a"
    right = {name: one == y for name, one in labels.items()}
    alone, other = int((right["a"] & ~right["b"]).sum()), int((right["b"] & ~right["a"]).sum())
    assert cmp.difference("a", "b").p == significance.mcnemar(alone, other).p
    assert cmp.difference("a", "b").value == pytest.approx(right["a"].mean() - right["b"].mean())
    assert cmp.joint is not None
    assert cmp.joint.statistic == significance.cochran_q(np.stack(list(right.values()), axis=1).astype(int)).statistic
    pair = next(one for one in cmp.agreement if (one.a, one.b) == ("a", "b"))
    assert (pair.both_right, pair.only_a, pair.only_b) == (int((right["a"] & right["b"]).sum()), alone, other)
    table = [[int(((labels["a"] == i) & (labels["b"] == j)).sum()) for j in NAMES] for i in NAMES]
    assert pair.tests["bowker"].statistic == significance.bowker(table).statistic
    # limits for all pairs together are wider than those of one
    one, all_pairs = cmp.differences[0].estimate, cmp.pairs[0].estimate
    assert all_pairs.high - all_pairs.low > one.high - one.low


def test_equal_cases_drawn_together_vary_as_cases_drawn_one_by_one() -> None:
    y, labels, _ = predictions(n=400)
    few = rs.compare(y, labels, bootstrap=4000)
    apart = rs.compare(y, labels, bootstrap=4000, clusters=np.arange(400))  # each case its own cluster: no counting
    for measure in ("macro_f1", "kappa"):
        first, second = few.difference("a", "b", measure), apart.difference("a", "b", measure)
        assert first.value == pytest.approx(second.value, abs=1e-12)
        assert (first.low, first.high) == pytest.approx((second.low, second.high), abs=0.02)


def test_bootstrap_limits_of_every_measure_of_classes_are_quantiles_of_its_replicates() -> None:
    """The 5th and the 195th of 199, since (199 + 1) * 0.025 = 5; no declared range cuts them off."""
    y, _, shares = predictions(n=60)
    cmp, compared = rs.compare(y, shares, bootstrap=199), 0
    for name in class_names():
        found = cmp.estimate("p", name)
        drawn = np.sort(cmp.replicates(case_statistic(name, cmp.predictions["p"]))[cmp.names.index("p")])
        if not math.isfinite(found.low) or not np.isfinite(drawn).all():
            assert found.why, name
            continue
        wanted = min(drawn[4], found.value), max(drawn[194], found.value)
        assert (found.low, found.high) == pytest.approx(wanted), name
        compared += 1
    assert compared > 40


def test_losses_of_probabilities_differ_as_their_means() -> None:
    y, _, shares = predictions()
    cmp = rs.compare(y, shares, measure="log_loss")
    codes = np.searchsorted(NAMES, y)
    losses = {name: -np.log(one[np.arange(len(y)), codes]) for name, one in shares.items()}
    gap = losses["p"] - losses["q"]
    found = cmp.difference("p", "q")
    assert found.value == pytest.approx(gap.mean(), abs=1e-12)
    half = 1.96 * gap.std(ddof=1) / np.sqrt(len(gap))
    assert (found.low, found.high) == pytest.approx((gap.mean() - half, gap.mean() + half), abs=0.3 * half)
    assert cmp.certainty["decides"] == "log_loss" and cmp.recommended == "p"


def test_whole_numbers_that_are_labels_are_labels_and_decimals_are_scores() -> None:
    y = [0, 1, 1, 0, 1, 0] * 5
    assert isinstance(rs.compare(y, {"a": [0, 1, 0, 0, 1, 1] * 5, "b": [0, 1, 1, 1, 1, 0] * 5}), rs.ClassComparison)
    scores = {"a": [0.0, 1, 0, 0, 1, 1] * 5, "b": [0.0, 1, 1, 1, 1, 0] * 5}
    assert isinstance(rs.compare(y, scores), rs.Comparison)
    both = {"a": np.column_stack([[0.4] * 30, [0.6] * 30]), "b": np.column_stack([[0.7] * 30, [0.3] * 30])}
    assert isinstance(rs.compare(y, both), rs.Comparison)  # of two classes the probability of the positive one


def test_one_engine_for_scores_and_classes() -> None:
    rng = np.random.default_rng(3)
    y = rng.integers(0, 2, 150)
    scored = rs.compare(y, {"a": rng.random(150) + 0.5 * y, "b": rng.random(150) + 0.2 * y})
    classed = rs.compare(y.astype(str), {"a": y.astype(str), "b": rng.permutation(y).astype(str)})
    for one in (scored._inference("auc"), classed._inference(classed.primary)):
        assert isinstance(one, PairedInference)


def test_files_and_arrays_agree_and_ids_match_cases(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    y, labels, shares = predictions(n=90)
    order = np.random.default_rng(1).permutation(90)
    first, second = tmp_path / "p.csv", tmp_path / "q.csv"
    head = "case,y,p_cat,p_dog,p_rat,guess"
    for path, name, guess, rows in ((first, "p", "a", range(90)), (second, "q", "b", order)):
        lines = [f"{i},{y[i]},{','.join(map(repr, shares[name][i].tolist()))},{labels[guess][i]}" for i in rows]
        path.write_text("\n".join([head, *lines]) + "\n")
    how = {"label": "y", "id": "case"}
    by_file = rs.compare([str(first), str(second)], score="p_*", **how)
    in_memory = rs.compare(y, shares, labels=list(NAMES))
    assert by_file.difference("p", "q", "brier").value == in_memory.difference("p", "q", "brier").value
    guessed = rs.compare([str(first), str(second)], predicted="guess", **how)
    assert guessed.difference("p", "q").p == rs.compare(y, {"a": labels["a"], "b": labels["b"]}).difference("a", "b").p
    assert main(["compare", str(first), str(second), "--label", "y", "--predicted", "guess", "--id", "case"]) == 0
    assert "Its advantage over" in capsys.readouterr().out


# ---- costs of several classes ----


def test_decisions_of_least_expected_cost_and_cases_left_undecided() -> None:
    y, _, shares = predictions()
    costs = np.array([[0, 1, 1], [2, 0, 1], [9, 9, 0]])
    ev = rs.evaluate(y, shares["p"], costs=rs.Costs.matrix(costs, labels=NAMES, reject=0.4))
    expected = shares["p"] @ costs
    decided = np.where(expected.min(axis=1) > 0.4, -1, expected.argmin(axis=1))
    assert ev.decision is not None and ev.decision.predicted.tolist() == decided.tolist()
    codes = np.searchsorted(NAMES, y)
    paid = np.where(decided < 0, 0.4, costs[codes, np.maximum(decided, 0)])
    assert ev.decision.cost.value == pytest.approx(1000 * paid.mean())
    assert ev.decision.cost.low < ev.decision.cost.value < ev.decision.cost.high
    assert ev.matrix.matrix.sum() == (decided >= 0).sum() and ev.decision.undecided.sum() == (decided < 0).sum()
    assert ev.to_dict()["data"]["cases"] == len(y)


def test_thresholds_of_classes_leave_cases_undecided() -> None:
    y, _, shares = predictions()
    ev = rs.evaluate(y, shares["p"], threshold={"cat": 0.9, "dog": 0.5, "rat": 0.5})
    allowed = shares["p"] >= [0.9, 0.5, 0.5]
    assert ev.decision is not None
    assert ((ev.decision.predicted < 0) == ~allowed.any(axis=1)).all()
    with pytest.raises(RocscopeError, match="cow"):
        rs.evaluate(y, shares["p"], threshold={"cow": 0.5})


# ---- several labels ----


def test_thresholds_of_labels_are_chosen_without_the_cases_they_decide() -> None:
    rng = np.random.default_rng(7)
    gains = []
    for _ in range(20):  # scores that know nothing: a threshold chosen on the same cases would find an F1 above chance
        truth, scores = rng.random((40, 2)) < 0.3, rng.random((40, 2))
        ev = rs.evaluate(truth, scores, choose="f1")
        apparent = np.mean([rs.decisions.best(ev.table(label), "f1")[0].value for label in ev.labels])
        gains.append(apparent - ev.measure("macro f1").value)
    assert np.mean(gains) > 0.03  # what choosing on the same cases would have added


def test_columns_of_labels_and_scores_are_found_by_name(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rng = np.random.default_rng(2)
    truth = rng.random((60, 3)) < 0.4
    scores = np.round(np.clip(rng.normal(0.35, 0.2, (60, 3)) + 0.3 * truth, 0, 1), 3)
    path = tmp_path / "scene.csv"
    rows = [",".join(map(str, [*one.astype(int), *two[::-1]])) for one, two in zip(truth, scores, strict=True)]
    head = "label_sea,label_sky,label_sun,score_sun,score_sky,score_sea"  # in another order
    path.write_text("\n".join([head, *rows]) + "\n")
    assert main([str(path)]) == 0
    assert "3 labels" in capsys.readouterr().out
    found = rs.evaluate(str(path), label="label_*", score="score_*")
    assert found.measure("micro f1").value == rs.evaluate(truth, scores).measure("micro f1").value
    assert found.labels == ("sea", "sky", "sun")


# ---- folds ----


def test_a_fold_column_gives_what_validate_gives() -> None:
    pytest.importorskip("sklearn")
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import StratifiedKFold

    rng = np.random.default_rng(5)
    X = rng.normal(size=(160, 3))
    y = (X[:, 0] + rng.normal(0, 1, 160) > 0).astype(int)
    plan = StratifiedKFold(5, shuffle=True, random_state=0)
    fold, scores = np.zeros(160, dtype=int), np.zeros(160)
    for number, (train, test) in enumerate(plan.split(X, y)):
        fold[test] = number
        scores[test] = LogisticRegression().fit(X[train], y[train]).predict_proba(X[test])[:, 1]
    fitted = rs.validate({"lr": LogisticRegression()}, X, y, plan=plan)
    named = rs.evaluate(y, scores, fold=fold, name="lr")
    for measure in ("auc", "error_rate", "brier"):
        assert named.values(measure)["lr"] == pytest.approx(fitted.values(measure)["lr"], abs=1e-12)
        one, other = (va.summarise("lr", measure).mean for va in (named, fitted))
        assert (one.value, one.low, one.high) == pytest.approx((other.value, other.low, other.high), abs=1e-12)
    pooled = rs.validation.averaged_roc(named, "lr", "pooled")
    assert (pooled.low <= pooled.tpr).all() and (pooled.tpr <= pooled.high).all() and pooled.tpr[-1] == 1


def test_halves_that_swap_five_times_are_5x2() -> None:
    rng = np.random.default_rng(6)
    y = rng.integers(0, 2, 300)
    rows = [(case, f"{turn}{half}") for turn in range(5) for half, part in
            enumerate(np.array_split(rng.permutation(300), 2)) for case in part.tolist()]  # fmt: skip
    case = np.array([one for one, _ in rows])
    models = {name: rng.random(len(case)) + gain * y[case] for name, gain in (("a", 0.5), ("b", 0.3))}
    models = {name: one / 2 for name, one in models.items()}
    va = rs.compare(y[case], models, fold=[name for _, name in rows], id=case)
    assert va.test == "5x2-f" and len(va.pairs) == 10
    with pytest.raises(RocscopeError, match="one fold only"):
        rs.evaluate([0, 1, 0], [0.1, 0.9, 0.4], fold=["x", "x", "x"])


def test_macro_f1_decides_between_models_of_unbalanced_classes() -> None:
    """A model that only knows the large class wins by accuracy, and not where the small classes count."""
    y = ["a"] * 90 + ["b"] * 6 + ["c"] * 4
    large = ["a"] * 100
    each = ["a"] * 78 + ["b"] * 18 + ["c"] * 4
    balanced = rs.compare(["a", "b", "c"] * 10, {"x": ["a", "b", "c"] * 10, "y": ["a", "b", "b"] * 10})
    assert balanced.primary.name == "accuracy"
    cmp = rs.compare(y, {"large": large, "each": each})
    assert (cmp.primary.name, cmp.recommended) == ("macro_f1", "each")
    assert rs.compare(y, {"large": large, "each": each}, measure="accuracy").recommended == "large"


# ---- pictures, and several files of several labels ----


def several_labels_files(folder: Path) -> tuple[list[str], Any, dict[str, Any]]:
    rng = np.random.default_rng(4)
    truth = rng.random((80, 3)) < 0.4
    scores = {name: np.round(np.clip(rng.normal(0.3, 0.2, (80, 3)) + lift * truth, 0, 1), 4)
              for name, lift in (("one", 0.4), ("two", 0.2))}  # fmt: skip
    files = []
    for name, held in scores.items():
        order = rng.permutation(80) if name == "two" else np.arange(80)
        head = "case," + ",".join([*(f"label_{x}" for x in "abc"), *(f"score_{x}" for x in "abc")])
        rows = [",".join(map(str, [case, *truth[case].astype(int), *held[case]])) for case in order.tolist()]
        (folder / f"{name}.csv").write_text("\n".join([head, *rows]) + "\n", "utf-8")
        files.append(str(folder / f"{name}.csv"))
    return files, truth, scores


def test_several_labels_in_several_files_are_matched_by_id(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files, truth, scores = several_labels_files(tmp_path)
    found = rs.compare(files, label="label_*", score="score_*", id="case")
    alone = rs.compare(truth, scores, labels=["a", "b", "c"])
    assert found.names == ("one", "two") and found.recommended == alone.recommended == "one"
    for name in alone.names:
        assert found.estimate(name, "auc").value == pytest.approx(alone.estimate(name, "auc").value, abs=1e-12)
    words = ["compare", *files, "--label", "label_*", "--score", "score_*", "--id", "case"]
    assert main([*words, "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["recommended"] == "one"
    text = Path(files[1]).read_text("utf-8").splitlines()
    cells = text[1].split(",")
    cells[1] = "0" if cells[1] == "1" else "1"
    Path(files[1]).write_text("\n".join([text[0], ",".join(cells), *text[2:]]) + "\n", "utf-8")
    with pytest.raises(RocscopeError, match=r"'label_a' differs between .* in 1 case"):
        rs.compare(files, label="label_*", score="score_*", id="case")


def test_models_of_classes_and_labels_are_drawn(tmp_path: Path) -> None:
    _, truth, scores = several_labels_files(tmp_path)
    several, y = rs.compare(truth, scores, labels=["a", "b", "c"]), ["cat", "dog", "rat"] * 20
    hard = rs.compare(y, {"x": y, "z": y[1:] + y[:1]})
    for cmp, measure in ((several, "micro_f1"), (hard, "macro_f1")):
        shown = [label.get_text() for label in cmp.plot().get_yticklabels()]
        assert shown == list(cmp.names)
        assert cmp.plot("differences", measure=measure).get_xlabel().startswith("difference in ")
        with pytest.raises(RocscopeError, match="no figure 'roc'"):
            cmp.plot("roc")
    one = several.evaluations["one"]
    assert len(one.plot().get_lines()) >= 3 and one.plot("estimates").get_yticklabels()


def test_a_model_of_several_labels_has_a_model_index(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files, _, _ = several_labels_files(tmp_path)
    assert main(["evaluate", files[0], "--format", "hf"]) == 0
    assert 'type: "micro_f1"' in capsys.readouterr().out


def test_a_settled_recommendation_beside_a_large_adjusted_p_is_explained() -> None:
    """All differences exclude 0, the condition for "settled"; the p-value of one pair, adjusted, is 0.16."""
    rng = np.random.default_rng(1)
    truth = rng.integers(0, 3, 200)
    models = {f"m{at}": np.where(rng.random(200) < share, truth, (truth + 1) % 3)
              for at, share in enumerate((0.9, 0.82, 0.82, 0.82))}  # fmt: skip
    cmp = rs.compare([f"c{label}" for label in truth], {name: [f"c{x}" for x in told] for name, told in models.items()})
    assert cmp.certainty["grade"] == "settled" and max(one.p_adjusted for one in cmp.differences) > 0.05
    text = " ".join(str(cmp).split())
    assert "Settled: its advantage over m1, the closest" in text and "settled without adjustment" in text
    assert "settled without adjustment" in page(cmp.to_dict(drawing=True))
    assert "adjusted p =" not in text  # the verdict states the interval that it rests on
    full = report.answer(cmp.to_dict(), full=True).written("text")
    table = full[full.index("first minus second") :].split("\n\n")[0]
    assert "p" not in table.splitlines()[0].replace("first minus second", "").split()  # one adjusted p for each pair


def test_one_probability_of_two_classes_is_a_score(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "p.csv"
    rows = [("yes", 0.9, 0.6), ("no", 0.2, 0.7), ("yes", 0.7, 0.8), ("no", 0.4, 0.1), ("yes", 0.3, 0.9), ("no", 0.1, 0)]
    path.write_text("y,p,q\n" + "".join(f"{y},{p},{q}\n" for y, p, q in rows))

    def answer(*arguments: str) -> dict[str, Any]:
        capsys.readouterr()
        assert main([arguments[0], str(path), "--label", "y", *arguments[1:], "--format", "json"]) == 0
        found: dict[str, Any] = json.loads(capsys.readouterr().out)
        return found

    one, same = answer("evaluate", "--probability", "p=yes"), answer("evaluate", "--score", "p", "--positive", "yes")
    assert one["areas"] == same["areas"] and one["data"]["labels"]["positive"] == "yes"
    asked = ("compare", "--probability", "a:p=yes", "--probability", "b:q=yes")
    two = answer(*asked)
    assert two["kind"] == "comparison" and two["models"] == ["a", "b"]
    assert main([asked[0], str(path), "--label", "y", *asked[1:], "--positive", "no"]) == 2
    assert "--probability names the class yes, but --positive names no" in capsys.readouterr().err


# ---- predicted labels with costs, and what a comparison prints of undefined values ----

PRICES = [[0, 1, 5], [1, 0, 2], [10, 3, 0]]


@pytest.mark.parametrize("weighted", [False, True])
def test_predicted_labels_are_priced_by_a_cost_matrix(weighted: bool) -> None:
    draw = np.random.default_rng(8)
    y, guess = draw.integers(0, 3, 400), draw.integers(0, 3, 400)
    weights = draw.uniform(0.5, 2, 400) if weighted else None
    decision = rs.evaluate(y, predicted=guess, costs=rs.Costs.matrix(PRICES), weights=weights).decision
    assert decision is not None and decision.saving is None
    each = np.array(PRICES)[y, guess]
    assert decision.cost.value == pytest.approx(1000 * np.average(each, weights=weights), rel=1e-12)
    assert decision.cost.low < decision.cost.value < decision.cost.high
    always = {f"always {k}": 1000 * np.average(np.array(PRICES)[y, k], weights=weights) for k in range(3)}
    cheapest = min(always, key=lambda name: always[name])
    assert {name: pytest.approx(one.value) for name, one in decision.alternatives.items()} == {
        cheapest: always[cheapest]
    }
    cmp = rs.compare(y, {"a": guess, "b": y[::-1]}, costs=rs.Costs.matrix(PRICES), weights=weights)
    assert cmp.values["cost"]["a"] == decision.cost  # one number, one place


def test_the_command_prices_predicted_labels(run: Any, tmp_path: Path) -> None:
    rows = "a,a\nb,c\nc,c\na,b\nc,a\nb,b\n" * 5
    labels, prices = tmp_path / "labels.csv", tmp_path / "prices.csv"
    labels.write_text("y,guess\n" + rows, "utf-8")
    prices.write_text("actual,a,b,c\na,0,1,5\nb,1,0,2\nc,10,3,0\n", "utf-8")
    asked = ("evaluate", str(labels), "--label", "y", "--predicted", "guess", "--cost-matrix", str(prices))
    code, out, err = run(*asked)
    assert code == 0, err
    assert "predicted labels" in out and "always b" in out and "saving over" not in out
    known = json.loads(run(*asked, "--format", "json")[1])
    assert known["decision"]["cost"]["value"] == pytest.approx(1000 * (2 + 1 + 10) / 6)
    written = tmp_path / "page.html"
    assert run(*asked, "--html", str(written))[0] == 0 and "predicted labels" in written.read_text("utf-8")
    code, _, err = run(*asked, "--reject", "1")
    assert code == 2 and "only if there is a probability for each class" in err


def test_an_infinite_loss_of_one_model_keeps_the_differences_of_the_others(run: Any, tmp_path: Path) -> None:
    draw = np.random.default_rng(5)
    y = draw.integers(0, 3, 90)
    lines = ["y,a_0,a_1,a_2,b_0,b_1,b_2,c_0,c_1,c_2"]
    for label in y:
        a, b = draw.dirichlet(1 + 6 * np.eye(3)[label]), draw.dirichlet(1 + 3 * np.eye(3)[label])
        c = np.eye(3)[draw.integers(0, 3)]
        lines.append(",".join(map(str, (label, *a, *b, *c))))
    path = tmp_path / "three.csv"
    path.write_text("\n".join(lines), "utf-8")
    scores = [word for name in "abc" for word in ("--score", f"{name}_*")]
    code, out, err = run("compare", str(path), "--label", "y", *scores, "--measure", "log_loss")
    assert code == 0, err
    row = next(line for line in out.splitlines() if line.startswith("b "))
    assert "log loss difference" in out and row.count("[") == 2 and "infinite: the class of case" in out


@pytest.mark.parametrize("test", ["bowker", "delong"])
def test_a_test_of_something_else_is_refused_for_classes(run: Any, tmp_path: Path, test: str) -> None:
    path = tmp_path / "labels.csv"
    path.write_text("y,a,b\nu,u,v\nv,w,v\nw,w,u\n" * 5, "utf-8")
    asked = ("compare", str(path), "--label", "y", "--predicted", "a", "--predicted", "b", "--test", test)
    code, _, err = run(*asked)
    assert code == 2 and "this comparison uses predicted classes. Tests that fit: mcnemar" in err


def test_a_cost_matrix_is_never_ignored() -> None:
    draw = np.random.default_rng(2)
    y, p, sets = draw.integers(0, 3, 60), draw.dirichlet([1, 1, 1], 60), draw.random((60, 3)) < 0.5
    prices = rs.Costs.matrix(PRICES)
    for asked in (
        lambda: rs.evaluate(sets, p, costs=prices),
        lambda: rs.compare(sets, {"a": p, "b": p**2}, costs=prices),
        lambda: rs.evaluate(y, p, costs=prices, fold=np.arange(60) % 5),
        lambda: rs.evaluate(y == 1, p[:, 1], costs=prices),
    ):
        with pytest.raises(RocscopeError, match="cost matrix"):
            asked()


# ---- clusters in the intervals of single models and classes ----


def test_clusters_widen_every_interval_of_a_compared_model(run: Any, tmp_path: Path) -> None:
    """Ten copies of each case in a cluster: the limits of the cases once, not those of ten times as many cases."""
    y, labels, _ = predictions(n=120)
    rows = [f"{one},{a},{b},{at}\n" for at, (one, a, b) in enumerate(zip(y, labels["a"], labels["b"], strict=True))]
    once, copied = tmp_path / "once.csv", tmp_path / "copied.csv"
    once.write_text("y,a,b,patient\n" + "".join(rows), "utf-8")
    copied.write_text("y,a,b,patient\n" + "".join(rows) * 10, "utf-8")
    found = []
    for path, more in ((once, ()), (copied, ("--cluster", "patient")), (copied, ())):
        asked = ("--label", "y", "--predicted", "a", "--predicted", "b", "--format", "json", *more)
        code, out, err = run("compare", str(path), *asked)
        assert code == 0, err
        found.append(json.loads(out))
    alone, clustered, ignored = (document["evaluations"]["a"] for document in found)

    def width(one: Any) -> float:
        return float(one["high"] - one["low"])

    for label in NAMES:
        for name in ("precision", "recall", "f1"):
            first, second, third = (document["classes"][label][name] for document in (alone, clustered, ignored))
            assert first["value"] == pytest.approx(second["value"]) and second["method"].endswith("clusters")
            assert 0.95 < width(second) / width(first) < 1.3 and width(third) < 0.5 * width(second)
    for first, second in zip(alone["confusions"], clustered["confusions"], strict=True):
        ratio = width(second["share"]) / width(first["share"])
        assert 0.95 < ratio < 1.6 or first["cases"] < 3  # one or two cases: one or two degrees of freedom
    for first, second in zip(alone["measures"], clustered["measures"], strict=True):
        assert 0.75 < width(second) / width(first) < 1.35, first["name"]
    assert clustered["margins"] == {}
    shown = {row["name"]: row["values"]["a"] for row in found[1]["measures"]}
    known = {row["name"].replace(" ", "_"): row for row in clustered["measures"]}
    for name in ("accuracy", "balanced_accuracy", "macro_f1", "mcc"):  # one number, one place
        assert (shown[name]["low"], shown[name]["high"]) == (known[name]["low"], known[name]["high"])


def test_clusters_in_compared_probabilities_and_labels() -> None:
    """Limits come from clusters, or are left out with the reason; a cost does not ignore them either."""
    y, _, shares = predictions(n=150)
    ids = np.arange(150) // 5
    cmp = rs.compare(y, shares, clusters=ids, costs=rs.Costs.matrix(PRICES), bootstrap=400)
    assert cmp.values["cost"]["p"].method.endswith("clusters")
    document = cmp.to_dict(drawing=True)
    one = document["evaluations"]["p"]
    assert one["classes"]["cat"]["auc"]["low"] < one["classes"]["cat"]["auc"]["high"]
    assert all(row["low"] is None and "clusters" in row["why"] for row in one["calibration"]["estimates"])
    assert one["decision"]["cost"]["low"] is None and "clusters" in one["decision"]["cost"]["why"]
    assert "Models compared" in page(document)
    rng = np.random.default_rng(3)
    truth = (rng.random((150, 3)) < 0.4).astype(int)
    scores = {name: 0.4 * truth + rng.random((150, 3)) for name in "ab"}
    several = rs.compare(truth, scores, clusters=ids, labels=["x", "y", "z"], threshold=0.6, bootstrap=400)
    own = several.evaluations["a"]
    assert own.of("x")["recall"].method.endswith("clusters") and own.of("x")["auc"].low < own.of("x")["auc"].high
    assert own.estimates["micro f1" if "micro f1" in own.estimates else "micro_f1"] == several.values["micro_f1"]["a"]
    assert math.isnan(own.of("x")["average_precision"].low) and own.of("x")["average_precision"].why
