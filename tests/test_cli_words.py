"""The words of the command line: what they print, in every format and at every width, and what they refuse.

Names like B084 are rows of the list of bad inputs.
"""

from __future__ import annotations

import csv
import doctest
import io
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from contextlib import chdir
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import rocscope as rs
from rocscope import cli, curves, decisions, estimate, hull, intervals, lessons, measures
from rocscope.cli.shared.demo_loans import LABEL, MODELS, POSITIVE, loans
from rocscope.report.sheet import Span, letters
from rocscope.report.sheet_formats import Look
from rocscope.report.text_views.braille import Stroke, TextAxes, beside, draw
from rocscope.report.text_views.whiskers import Axis, fitting
from rocscope.text import cost_ratio, significant

ROOT = Path(__file__).parent.parent
EVIL = "\x1b[31mred\x1b[0m\u202egnp"

sys.path.append(str(ROOT / "tools"))
import consoles  # noqa: E402
import picture  # noqa: E402

Ask = Callable[..., str]


@pytest.fixture
def ask(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Ask:
    """What a command prints on a plain terminal; an exit code other than 0 gives the message instead."""
    monkeypatch.chdir(tmp_path)
    for name in ("NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)

    def run(*arguments: str, code: int = 0, columns: int = 80) -> str:
        monkeypatch.setenv("COLUMNS", str(columns))
        assert cli.main(arguments) == code, capsys.readouterr()
        out, err = capsys.readouterr()
        if code:
            assert out == "" and err.count("\n") == 1 and err.startswith("rocscope")
            return err
        assert err == ""
        return out

    return run


def document(printed: str) -> Any:
    return json.loads(printed)


def rows_of(printed: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(printed)))


@pytest.fixture
def scores(tmp_path: Path) -> tuple[Path, list[int], list[float]]:
    """A file of 200 cases with ties, and its columns."""
    y = [1 if (i * 7919) % 10 < 3 else 0 for i in range(200)]
    p = [round(((i * 104729) % 997) / 1500 + 0.3 * label, 2) for i, label in enumerate(y)]
    path = tmp_path / "scores.csv"
    path.write_text("y,p,q\n" + "".join(f"{a},{b},{1 - b:.2f}\n" for a, b in zip(y, p, strict=True)))
    return path, y, p


def command(path: Path, *more: str, word: str = "curve") -> list[str]:
    return [word, str(path), "--label", "y", "--score", "p", *more]


# --- golden texts


def test_a_matrix_from_four_numbers(ask: Ask) -> None:
    assert ask("matrix", "7", "7", "3", "13", "--measure", "accuracy", "--measure", "F1", "--measure", "mcc") == (
        "                  predicted\n"
        "actual, % of row   positive   negative  all\n"
        "positive           7 (70 %)   3 (30 %)   10   recall 70 %\n"
        "negative           7 (35 %)  13 (65 %)   20   false alarms 35 %\n"
        "all               14 (47 %)  16 (53 %)   30   precision 50 %\n"
        "\n"
        "20 of 30 cases are predicted correctly: accuracy 66.7 %, error rate 33.3 %.\n"
        "\n"
        "measure   fraction   value  95 % interval  0                                   1\n"
        "accuracy       2/3  0.6667  [0.49, 0.81]   .        .        ------o-----      .\n"
        "F1            7/12  0.5833  [0.36, 0.78]   .        .   -|------o-------       .\n"
        "mcc                 0.3307  [-0.03, 0.62]  |-----------o----------    .        .\n"
        "\n"
        "| chance level (same number flagged at random); for accuracy: the larger class\n"
        "Always predicting negative is correct for 66.7 % of the cases.\n"
        "\n"
        "! Accuracy is 0.67, and always predicting negative also gives 0.67. Read\n"
        "  precision and recall.\n"
        "\n"
        "next  rocscope explain precision 7 7 3 13  the formula with your numbers\n"
        "      rocscope matrix 7 7 3 13 --prevalence 0.02  where positives are rarer\n"
        "      rocscope matrix 7 7 3 13 --all  every measure in the catalog\n"
    )


def test_the_algorithm_row_by_row(ask: Ask) -> None:
    assert ask("trace", "--example", "five-points") == (
        "AUC 5/6 = 0.8333\n"
        "5 cases, 3 c1 (60 %)   positive: score >= threshold\n"
        "\n"
        "threshold  FP  TP  FPR  TPR  move      adds  area so far\n"
        "      inf   0   0    0    0  start           0\n"
        "      0.9   0   1    0  1/3  up              0\n"
        "      0.8   1   3  1/2    1  diagonal   1/3  1/3 = 0.3333\n"
        "      0.1   2   3    1    1  right      1/2  5/6 = 0.8333\n"
        "\n"
        "next  --what matrices  a matrix for every threshold\n"
        "      --what predictions  a column of predictions for every threshold\n"
        "      --what hull  the convex hull, point by point\n"
    )


def test_two_classifiers_and_a_cost_ratio(ask: Ask, tmp_path: Path) -> None:
    points = tmp_path / "points.csv"
    points.write_text("name,fpr,tpr\nC4.5,0.2,0.7\nSVM,0.5,0.95\ntree,0.4,0.6\n")
    assert ask("hull", str(points), "--cost-ratio", "0.25") == (
        "Use SVM   FPR 0.5, TPR 0.95\n"
        "The slope is 0.25; it is cheapest from slope 0.833 to 0.1.\n"
        "It touches the best line of equal cost, tpr = 0.25 fpr + 0.825; along this line,\n"
        "  0.1 more FPR is worth 0.025 more TPR.\n"
        "\n"
        "slope from     to  model          FPR   TPR\n"
        "       inf    3.5  flag nobody      0     0\n"
        "       3.5  0.833  C4.5           0.2   0.7\n"
        "     0.833    0.1  SVM            0.5  0.95\n"
        "       0.1      0  flag everyone    1     1\n"
        "\n"
        "break-even  C4.5 and SVM at slope 0.833\n"
        "dominated   tree is not the cheapest at any cost ratio\n"
        "\n"
        "slope = cost FP / cost FN x negatives / positives; --prevalence P shows the\n"
        "  costs too\n"
        "\n"
        "model         area of its hull\n"
        "C4.5                      0.75\n"
        "SVM                      0.725\n"
        "tree                       0.6\n"
        "all together             0.805\n"
        "\n"
        "next  rocscope explain cost ratio  from costs to slopes\n"
    )


def test_a_measure_worked_out(ask: Ask) -> None:
    shown = ask("explain", "kappa", "7", "7", "3", "13")
    assert shown.startswith("Cohen's kappa\n") and "\nactual, % of row   positive   negative  all\n" in shown
    assert "worked       = 2 * (7 * 13 - 7 * 3) / ((7 + 7) * (7 + 13) + (7 + 3) * (3 +" in shown
    assert "             = 7/22 = 0.3182\n" in shown


@pytest.mark.parametrize("page", consoles.PAGES, ids=lambda path: path.name)
def test_every_command_of_the_pages_prints_what_they_show(page: Path) -> None:
    text = page.read_text("utf-8")
    assert consoles.renewed(text) == text


@pytest.mark.parametrize("page", [page for page in consoles.PAGES if ">>> " in page.read_text("utf-8")], ids=str)
def test_the_python_of_the_pages(page: Path, tmp_path: Path, ask: Ask) -> None:
    (tmp_path / "loans.csv").write_text(ask("demo", "--data"), "utf-8")  # pages that use it show the command
    with chdir(tmp_path):
        failed, tried = doctest.testfile(str(page), module_relative=False, optionflags=doctest.NORMALIZE_WHITESPACE)
    assert failed == 0 and tried >= 1


def test_the_python_of_the_tutorial() -> None:
    failed, tried = doctest.testfile(str(ROOT / "docs" / "tutorial.md"), module_relative=False)
    assert failed == 0 and tried >= 5


def test_the_picture_shows_what_is_printed() -> None:
    made = picture.svg(picture.printed(picture.COMMAND), "rocscope demo")
    assert picture.TARGET.read_text("utf-8") == made
    assert "http" not in made.replace("http://www.w3.org/2000/svg", "")


# --- matrix


def test_matrix_as_json_says_what_the_library_says(ask: Ask) -> None:
    found = document(ask("matrix", "7", "7", "3", "13", "--all", "--format", "json"))
    counts = rs.Counts(tp=7, fp=7, fn=3, tn=13)
    assert found["counts"] == counts.cells and set(found["measures"]) == {m.name for m in measures.catalog()}
    for name, row in found["measures"].items():
        sure = estimate.of(measures.get(name), counts)
        value = counts.value(name)
        assert row["value"] == value or (row["value"] is None and value != value) or row["value"] == "Infinity", name
        assert row["low"] == sure.to_dict()["low"] and row["why"] == counts.why(name), name
    assert found["measures"]["f1"]["fraction"] == "7/12" and found["measures"]["mcc"]["fraction"] is None


def test_chance_is_the_matrix_with_the_same_margins(ask: Ask) -> None:
    found = document(ask("matrix", "7", "7", "3", "13", "--format", "json"))["measures"]
    chance = {name: row["chance"] for name, row in found.items()}
    assert chance["recall"] == pytest.approx(14 / 30) and chance["specificity"] == pytest.approx(16 / 30)
    assert chance["precision"] == pytest.approx(10 / 30) and chance["kappa"] == chance["mcc"] == 0
    assert chance["accuracy"] == pytest.approx(20 / 30)  # the larger class: a better opponent than chance


def test_an_unknown_cell_gives_expressions(ask: Ask) -> None:
    options = ["--tp", "5", "--fp", "3", "--fn", "7", "--tn", "x-3"]
    found = document(ask("matrix", *options, "--measure", "error_rate", "--measure", "f1", "--format", "json"))
    assert found["measures"]["error_rate"]["expression"] == "10/(x + 12)"
    assert found["measures"]["f1"] | {"fraction": "1/2", "value": 0.5} == found["measures"]["f1"]
    shown = ask("matrix", *options)
    assert "specificity        (x - 3)/x\n" in shown and "accuracy           (x + 2)/(x + 12)\n" in shown
    assert "F1              1/2  0.5000" in shown


@pytest.mark.parametrize("wide", [["--tp", "number_found_" * 6], ["--tp", "x", "--fp", "1e-320"]])
def test_an_unknown_cell_too_wide_for_the_terminal_is_shown(ask: Ask, wide: list[str]) -> None:
    """Cells that are no numbers cannot be put in order, as those of a wide matrix of numbers are."""
    shown = ask("matrix", *["--tp", "5", "--fp", "3", "--fn", "7", "--tn", "5"], *wide)
    assert wide[1] in "".join(shown.split()) and "too wide" not in shown


def test_a_cell_left_out_is_unknown(ask: Ask) -> None:
    for arguments in (["--tp", "5", "--fp", "3", "--fn", "7"], ["--found", "8", "--exist", "12", "--right", "5"]):
        found = document(ask("matrix", *arguments, "--format", "json"))
        assert found["counts"] == {"tp": 5, "fp": 3, "fn": 7, "tn": None}
        specificity = found["measures"]["specificity"]
        assert (specificity["value"], specificity["why"]) == (None, "tn is unknown")
        assert found["measures"]["recall"]["fraction"] == "5/12" and found["caveats"] == []
    assert "tn is\n           unknown" in ask("matrix", "--tp", "5", "--fp", "3", "--fn", "7")


def test_retrieval_facts_with_a_total(ask: Ask) -> None:
    facts = ["--found", "50", "--exist", "55", "--right", "40", "--total", "80"]
    found = document(ask("matrix", *facts, "--format", "json"))
    assert found["counts"]["tn"] == 15 and found["measures"]["accuracy"]["fraction"] == "11/16"


@pytest.mark.parametrize(
    "text",
    ["__import__('os')", "().__class__", "x.y", "lambda: 0", "open('/etc/passwd')", "x; y", "[1]", "'a'", "x" * 5000],
)
def test_an_expression_is_never_run(ask: Ask, text: str) -> None:
    ask("matrix", "--tp", "5", "--tn", text, code=2)


def test_another_prevalence(ask: Ask) -> None:
    found = document(ask("matrix", "7", "7", "3", "13", "--prevalence", "0.02", "--format", "json"))
    counts = rs.Counts(tp=7, fp=7, fn=3, tn=13).rebase(0.02)
    rebased = found["at_prevalence"]["measures"]
    assert rebased["precision"]["fraction"] == "2/51" == str(counts.exact("precision"))
    assert rebased["recall"]["value"] == found["measures"]["recall"]["value"] == 0.7
    assert found["measures"]["precision"]["value"] == 0.5
    assert "of 1,000 cases at 2 %  found 14, missed 6, false alarms 343, not flagged 637" in ask(
        "matrix", "7", "7", "3", "13", "--prevalence", "0.02"
    )


@pytest.fixture
def animals(tmp_path: Path) -> Path:
    path = tmp_path / "animals.csv"
    truth = ["cat"] * 8 + ["dog"] * 6 + ["rabbit"] * 13
    guess = ["cat"] * 5 + ["dog"] * 3 + ["cat"] * 2 + ["dog"] * 3 + ["rabbit"] + ["dog"] * 2 + ["rabbit"] * 11
    path.write_text("y,yhat\n" + "".join(f"{a},{b}\n" for a, b in zip(truth, guess, strict=True)))
    return path


def test_labels_in_two_columns(ask: Ask, animals: Path) -> None:
    found = document(ask("matrix", str(animals), "--actual", "y", "--predicted", "yhat", "--format", "json"))
    m = rs.Confusion.from_matrix([[5, 3, 0], [2, 3, 1], [0, 2, 11]], labels=["cat", "dog", "rabbit"])
    assert found["matrix"] == m.to_array().tolist() and found["labels"] == ["cat", "dog", "rabbit"]
    assert found["measures"]["kappa"]["value"] == m.kappa and found["measures"]["accuracy"]["fraction"] == "19/27"
    dog = m.of("dog")
    assert found["classes"]["dog"] == {"precision": dog.precision, "recall": 0.5, "f1": dog.f1, "support": 6}
    assert found["averages"]["macro"]["f1"] == m.macro("f1") and found["averages"]["weighted"]["f1"] == m.weighted("f1")
    rows = rows_of(ask("matrix", str(animals), "--actual", "y", "--predicted", "yhat", "--format", "csv"))
    assert [row["class"] for row in rows][-3:] == ["macro average", "micro average", "weighted average"]
    assert float(rows[1]["recall"]) == 0.5 and float(rows[1]["recall_low"]) < 0.5 < float(rows[1]["recall_high"])
    assert [int(rows[1][f"predicted {one}"]) for one in ("cat", "dog", "rabbit")] == m.to_array().tolist()[1]
    shown = ask("matrix", str(animals), "--actual", "y", "--predicted", "yhat", "--format", "latex")
    assert r"\begin{tabular}" in shown and "dog" in shown


def test_one_class_against_the_rest(ask: Ask, animals: Path) -> None:
    options = ["--actual", "y", "--predicted", "yhat", "--positive", "cat", "--format", "json"]
    found = document(ask("matrix", str(animals), *options))
    assert found["counts"] == {"tp": 5, "fp": 2, "fn": 3, "tn": 17}
    assert found["labels"] == {"negative": "not cat", "positive": "cat"}


def test_labels_0_and_1_need_no_positive(ask: Ask, tmp_path: Path) -> None:
    path = tmp_path / "binary.csv"
    path.write_text("y,yhat,w\n1,1,2\n0,1,1\n1,0,3\n0,0,4\n")
    weighted = ["matrix", str(path), "--actual", "y", "--predicted", "yhat", "--weight", "w", "--format", "json"]
    found = document(ask(*weighted))
    assert found["counts"] == {"tp": 2, "fp": 1, "fn": 3, "tn": 4}
    sampled = found["measures"]["recall"]["low"]
    often = document(ask(*weighted, "--weights-are", "frequency"))
    assert sampled < often["measures"]["recall"]["low"]  # rows that stand for others say less than rows that occurred


def test_a_ready_matrix_in_either_orientation(ask: Ask, tmp_path: Path) -> None:
    path, turned, bare = tmp_path / "a.csv", tmp_path / "b.csv", tmp_path / "c.csv"
    path.write_text("predicted,setosa,versicolor,virginica\nsetosa,10,0,0\nversicolor,0,7,5\nvirginica,0,3,5\n")
    turned.write_text("class,setosa,versicolor,virginica\nvirginica,0,5,5\nsetosa,10,0,0\nversicolor,0,7,3\n")
    bare.write_text("setosa,versicolor,virginica\n10,0,0\n0,7,5\n0,3,5\n")
    asked = [[str(path)], [str(turned), "--rows", "actual"], [str(bare), "--rows", "predicted"]]
    first, second, third = (document(ask("matrix", *one, "--format", "json")) for one in asked)
    assert first["measures"] == second["measures"] == third["measures"] and first["classes"] == second["classes"]
    assert first["measures"]["kappa"]["fraction"] == "3/5" and first["classes"]["versicolor"]["precision"] == 7 / 12
    assert (first["rows"], second["rows"]) == ("predicted", "actual")
    assert first["matrix"] == [[10, 0, 0], [0, 7, 5], [0, 3, 5]]
    heading = ask("matrix", str(path)).splitlines()[1].split()
    assert heading == ["predicted,", "%", "of", "row", "setosa", "versicolor", "virginica", "all"]
    assert "states that its rows are the predicted classes" in ask("matrix", str(path), "--rows", "actual", code=2)


def test_rows_turn_the_print_and_change_no_number(ask: Ask) -> None:
    cells = ["matrix", "7", "7", "3", "13"]
    shown = ask(*cells, "--rows", "predicted").splitlines()
    assert shown[1].startswith("predicted")
    assert " ".join(shown[2].split()) == "positive 7 (50 %) 7 (50 %) 14 precision 50 %"
    turned = document(ask(*cells, "--rows", "predicted", "--format", "json"))
    assert turned["measures"] == document(ask(*cells, "--format", "json"))["measures"]


def test_a_matrix_too_wide_shows_what_is_confused_most(ask: Ask, tmp_path: Path) -> None:
    path = tmp_path / "many.csv"
    pairs = [(f"class number {i}", f"class number {(i + (i % 5 == 0)) % 30}") for i in range(30) for _ in range(i + 1)]
    path.write_text("y,yhat\n" + "".join(f"{a},{b}\n" for a, b in pairs))
    shown = ask("matrix", str(path), "--actual", "y", "--predicted", "yhat")
    assert "30 classes is too wide" in shown and "81 errors in 6 cells" in " ".join(shown.split())
    assert re.search(r"class number 25 +class number 26 +26 +100 %", shown)
    found = document(ask("matrix", str(path), "--actual", "y", "--predicted", "yhat", "--format", "json"))
    assert len(found["matrix"]) == 30


def test_large_counts_stay_exact(ask: Ask) -> None:
    found = document(ask("matrix", "60000", "50000", "40000", "70000", "--format", "json"))
    assert found["measures"]["mcc"]["value"] == pytest.approx(0.1826, abs=5e-5)
    huge = ["4000000000", "1", "1", "4000000000"]
    exact = document(ask("matrix", *huge, "--measure", "kappa", "--format", "json"))["measures"]["kappa"]
    assert Fraction(exact["fraction"]) == rs.Counts.of(map(int, huge)).exact("kappa")
    assert str(Fraction(exact["fraction"])) not in ask("matrix", *huge, "--measure", "kappa")
    assert str(Fraction(exact["fraction"])) in ask("matrix", *huge, "--measure", "kappa", "--exact")


# --- explain, measures, examples, exercise


@pytest.mark.parametrize(
    ("name", "family", "says"),
    [
        ("delong", "test", "same area under the ROC curve"), ("wilson", "interval", "Score interval"),
        ("Clopper", "interval", "inverts the exact binomial"), ("bca", "interval", "corrected for bias and skewness"),
        ("bootstrap", "plan", "with replacement"), ("MAP", "rule", "maximum a posteriori"),
        ("closest", "rule", "nearest to (0, 1)"), ("cutoff", "", "at or above the threshold"),
        ("ROCon", "", "program ROCon"), ("nadeau bengio", "test", "two learners differ"),
        ("leave one out", "plan", "each case is the test set once"), ("mcnemar's test", "test", "err equally often"),
    ],
)  # fmt: skip
def test_methods_are_explained_by_their_usual_names(ask: Ask, name: str, family: str, says: str) -> None:
    shown = " ".join(ask("explain", *name.split()).split())
    assert says.lower() in shown.lower()
    assert not family or family in shown


def test_every_method_can_be_explained(ask: Ask) -> None:
    from rocscope.cli.shared.methods import ALIASES, methods

    for one in methods():
        found = document(ask("explain", one.name, "--format", "json"))
        assert one.name in [method["name"] for method in found["methods"]]
    others = {one.name for one in (*measures.catalog(), *curves.catalog())}
    assert set(ALIASES.values()) <= {one.name for one in methods()} | others


def test_questions_are_listed_with_their_texts(ask: Ask) -> None:
    shown = ask("explain", "questions")
    assert "What is cross-validation?" in shown and "quiz sensitivity" in shown
    assert "short 1" not in ask("explain", "quiz")


def test_a_matrix_that_does_not_say_what_its_rows_are_is_refused(ask: Ask, tmp_path: Path) -> None:
    path = tmp_path / "iris.csv"
    path.write_text(",setosa,versicolor,virginica\nsetosa,10,0,0\nversicolor,0,7,5\nvirginica,0,3,5\n", "utf-8")
    assert "--rows actual or --rows predicted" in ask("matrix", str(path), code=2)
    found = document(ask("matrix", str(path), "--rows", "predicted", "--format", "json"))
    assert found["classes"]["versicolor"]["recall"] == 0.7
    turned = ask("matrix", str(path), "--rows", "predicted", "--order", "virginica,versicolor,setosa")
    heading = turned.splitlines()[1].split()
    assert heading == ["predicted,", "%", "of", "row", "virginica", "versicolor", "setosa", "all"]
    assert "List every class exactly once" in ask("matrix", str(path), "--rows", "actual", "--order", "setosa", code=2)
    path.write_text(",a,b\na,3,1\nb,1,5\n", "utf-8")
    assert "8 of 10 cases" in ask("matrix", str(path))  # symmetric: the same either way


def test_two_classes_from_a_file_have_a_report_in_the_order_asked_for(ask: Ask, tmp_path: Path) -> None:
    path = tmp_path / "two.csv"
    path.write_text("y,p\n0,1\n1,1\n1,0\n1,1\n", "utf-8")
    asked = ["matrix", str(path), "--actual", "y", "--predicted", "p"]
    assert ask(*asked).splitlines()[1].split() == ["actual,", "%", "of", "row", "1", "0", "all"]
    shown = ask(*asked, "--order", "0,1")
    assert shown.splitlines()[1].split() == ["actual,", "%", "of", "row", "0", "1", "all"]
    assert "macro average        0.3333  0.3333  0.3333        4" in shown
    assert "the classes are 0 and 1" in ask(*asked, "--order", "0,2", code=2)
    assert "22 of 30 cases" in ask("matrix", "--correct", "22", "--total", "30")
    assert "must be given together" in ask("matrix", "--correct", "22", code=2)
    assert "name the columns with actual and predicted" in ask("matrix", str(path), "--rows", "actual", code=2)


def test_accuracy_of_22_of_30(ask: Ask) -> None:
    shown = ask("explain", "accuracy", "22", "30")
    assert shown.startswith("22 of 30 cases are predicted correctly: accuracy 73.3 %, error rate 26.7 %.")
    assert "0.7333  [0.56, 0.86]" in shown
    assert "CORRECT from 0 to TOTAL" in ask("explain", "accuracy", "31", "30", code=2)


def test_a_name_that_only_texts_mention(ask: Ask) -> None:
    assert "It is mentioned under: " in ask("explain", "leakage", code=2)


def test_everything_declared_can_be_explained(ask: Ask) -> None:
    names = [m.name for m in measures.catalog()] + [r.name for r in curves.catalog()]
    names += [c.name for c in lessons.concepts()] + [q.name for q in lessons.questions()]
    for name in names:
        found = document(ask("explain", *name.split(), "--format", "json"))
        assert found and set(found) <= {"measure", "curve", "concept", "question", "methods"}, name


def test_explain_takes_aliases_and_several_words(ask: Ask) -> None:
    assert document(ask("explain", "ppv", "--format", "json"))["measure"]["name"] == "precision"
    assert document(ask("explain", "leave", "one", "out", "--format", "json"))["concept"]["name"] == "leave-one-out"
    found = document(ask("explain", "f0.5", "7", "7", "3", "13", "--format", "json"))
    assert found["value"] == rs.Counts(tp=7, fp=7, fn=3, tn=13).value("f0.5")
    assert ask("explain", "short", "8").startswith("What is the AUC?\n")


def test_explain_shows_mathematics_in_markdown(ask: Ask) -> None:
    assert r"$\frac{TP}{TP + FP}$" in ask("explain", "precision", "--format", "md")
    assert document(ask("explain", "auc", "--format", "json"))["curve"]["latex"]


def test_explain_without_a_name_lists_what_there_is(ask: Ask) -> None:
    assert "no free lunch" in ask("explain")
    topics = document(ask("explain", "--format", "json"))
    assert sum(map(len, topics.values())) > 200 and "auc" in topics["statistics of scores"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["explain", "precison"], "Did you mean 'precision'?"),
        (["explain", "leave-one-in"], "Did you mean 'leave-one-out'?"),
        (["explain", "hull", "7", "7", "3", "13"], "not computed from four counts"),
        (["explain", "7", "7", "3", "13"], "give the name of what to explain"),
        (["explain", "precision", "7", "7", "3", "1e999"], "must be a count of 0 or more, not inf"),
        (["measures", "--group", "rate"], "Did you mean 'rates'?"),
        (["measures", "xyzzy"], "no measure matches 'xyzzy'"),
        (["examples", "irsi"], "Did you mean 'iris'?"),
        (["examples", "iris", "--all"], "give only one of"),
        (["exercise", "--kind", "matrx"], "Did you mean 'matrix'?"),
        (["exercise", "--seed", "1.5"], "not a valid integer"),
        (["trace", "--example", "iris"], "has no scores to rank"),
        (["trace"], "either FILE or --example"),
        (["trace", "a.csv", "--example", "fawcett"], "either FILE or --example"),
        (["matrix"], "none given"),
        (["matrix", "7", "7", "3"], "3 given"),
        (["matrix", "7"], "1 given"),
        (["matrix", "7", "7", "3", "1,300"], "without thousands separators"),
        (["matrix", "7", "7", "3", "nan"], "must be a count, not 'nan'"),
        (["matrix", "--tp", "-1"], "must be a count of 0 or more, not -1"),
        (["matrix", "7", "7", "3", "13", "--tp", "4"], "give exactly one of:"),
        (["matrix", "--found", "8", "--exist", "12"], "--right is missing"),
        (["matrix", "--found", "8", "--exist", "12", "--right", "9"], "9 cases cannot be right if 8 were found"),
        (["matrix", "7", "7", "3", "13", "--measure", "precison"], "Did you mean 'precision'?"),
        (["matrix", "7", "7", "3", "13", "--prevalence", "2"], "strictly between 0 and 1"),  # B050
        (["matrix", "7", "7", "3", "13", "--prevalence", "0"], "strictly between 0 and 1"),
        (["matrix", "--tp", "5", "--fp", "3", "--fn", "7", "--prevalence", "0.1"], "tn is unknown"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_what_is_refused_says_why_in_one_line(ask: Ask, arguments: list[str], message: str) -> None:
    assert message in ask(*arguments, code=2)


def test_a_search_of_measures_finds_statistics_of_scores(ask: Ask) -> None:
    assert "\npartial_auc  statistics\n" in ask("measures", "partial", "auc")
    assert "partial_auc" not in ask("measures", "--group", "rates")


def test_the_catalogue_in_full_and_searched(ask: Ask) -> None:
    assert len(rows_of(ask("measures", "--format", "csv"))) == len(measures.catalog()) >= 100
    assert len(document(ask("measures", "--curves", "--format", "json"))["measures"]) == len(curves.catalog())
    names = [row["name"] for row in rows_of(ask("measures", "recall", "--format", "csv"))]
    assert names[0] == "recall" and "f1" in names and "chi_squared" not in names
    forecasts = rows_of(ask("measures", "--group", "forecasts", "--format", "csv"))
    assert {row["group"] for row in forecasts} == {"forecasts"}
    assert ask("measures", "--format", "md").splitlines()[0] == "| name | formula | range | best | by chance | says |"
    assert "tp / (tp + fn)" in ask("measures", "recall") and "tp / (tp + fn)" in ask("measures", "recall", columns=160)


def test_every_example_agrees_with_what_is_computed(ask: Ask) -> None:
    found = document(ask("examples", "--all", "--format", "json"))["examples"]
    assert [one["name"] for one in found] == [one.name for one in lessons.examples()]
    answers = [answer for one in found for answer in one["answers"]]
    assert len(answers) > 200 and all(answer["agrees"] for answer in answers)
    shown = ask("examples", "--all")
    assert "differs" not in re.findall(r"  (agrees|differs)$", shown, re.MULTILINE)
    assert all(one.title in shown for one in lessons.examples())


def test_an_example_shows_its_erratum(ask: Ask) -> None:
    shown = " ".join(ask("examples", "dogs-x").split())
    assert "The source (notes after Zaki & Meira, Data Mining and Analysis, ch. 22) prints F = " in shown
    assert "prints F = (2*5/8)/(5/8+5/12), which is 1.2 and above 1." in shown
    assert "specificity (x - 3)/x (x - 3)/x agrees" in shown
    assert len(rows_of(ask("examples", "--errata", "--format", "csv"))) == len(lessons.errata())
    assert all(one.name in ask("examples") for one in lessons.examples()[:3])


def test_without_sympy_the_other_examples_are_still_shown(ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sympy", None)
    shown = ask("examples", "dogs-x")
    assert re.search(r"specificity +\(x - 3\)/x +not computed", shown) and "pip install 'rocscope[symbolic]'" in shown
    assert re.search(r"f1 +1/2 = 0.5 +1/2 = 0.5 +agrees", shown)
    assert "pip install" in ask("matrix", "--tp", "5", "--fp", "3", "--fn", "7", "--tn", "x", code=2)


@pytest.mark.parametrize("kind", lessons.kinds())
def test_an_exercise_hides_its_answers_until_asked(ask: Ask, kind: str) -> None:
    problem = lessons.exercise(3, kind)
    without = ask("exercise", "--seed", "3", "--kind", kind)
    assert problem.title in without and problem.answers[0].text not in without
    assert "solution" not in document(ask("exercise", "--seed", "3", "--kind", kind, "--format", "json"))
    assert " ".join(problem.answers[0].text.split()) in " ".join(
        ask("exercise", "--seed", "3", "--kind", kind, "--answers").split()
    )


def test_the_same_seed_gives_the_same_exercise(ask: Ask) -> None:
    assert ask("exercise", "--seed", "17") == ask("exercise", "--seed", "17") != ask("exercise", "--seed", "18")


# --- trace


def test_a_trace_in_every_format(ask: Ask, scores: tuple[Path, list[int], list[float]]) -> None:
    path, y, p = scores
    trace = lessons.roc_trace(y, p)
    found = document(ask(*command(path, "--format", "json", word="trace")))
    assert found["auc"] == str(trace[-1].area) and len(found["rows"]) == len(trace)
    rows = rows_of(ask(*command(path, "--format", "csv", word="trace")))
    assert [Fraction(row["area"]) for row in rows] == [row.area for row in trace]
    matrices = rows_of(ask(*command(path, "--what", "matrices", "--format", "csv", word="trace")))
    assert [int(row["tp"]) for row in matrices] == [row.tp for row in lessons.matrices_trace(y, p)]


def test_a_long_trace_says_what_it_leaves_out(ask: Ask, scores: tuple[Path, list[int], list[float]]) -> None:
    path, y, p = scores
    rows = len(lessons.roc_trace(y, p))
    shown = ask(*command(path, word="trace"))
    assert f"{rows - 60} rows in between are left out" in shown and len(shown.splitlines()) < 80


def test_the_hull_scanned_point_by_point(ask: Ask) -> None:
    found = document(ask("trace", "--example", "fawcett", "--what", "hull", "--format", "json"))
    assert found["slopes"] == ["Infinity", "3", "3/4", "1/2", "0"]
    corners = [corner["name"] for corner in found["corners"]]
    assert corners == ["always negative", "0.8", "0.54", "0.38", "0.3", "always positive"]
    assert "SVM" in ask("trace", "--example", "c45-svm")


def test_standard_input_and_lower_is_positive(
    ask: Ask, monkeypatch: pytest.MonkeyPatch, scores: tuple[Path, list[int], list[float]]
) -> None:
    path, y, p = scores
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(path.read_bytes())))
    found = document(ask("trace", "-", "--label", "y", "--score", "p", "--lower-is-positive", "--format", "json"))
    assert Fraction(found["auc"]) == 1 - lessons.roc_trace(y, p)[-1].area


# --- curve


def test_a_curve_has_the_points_of_the_library(ask: Ask, scores: tuple[Path, list[int], list[float]]) -> None:
    path, y, p = scores
    t = rs.ScoreTable.from_scores(y, p)
    roc = curves.roc(t)
    found = document(ask(*command(path, "--format", "json")))
    assert [point["tpr"] for point in found["points"]] == roc.tpr.tolist()
    assert found["points"][0]["threshold"] == "Infinity" and found["rule"] == "score >= threshold"
    assert found["statistics"]["auc"] == intervals.auc(t).to_dict()
    rows = rows_of(ask(*command(path, "--format", "csv")))
    assert [float(row["fpr"]) for row in rows] == roc.fpr.tolist() and rows[0]["threshold"] == "inf"
    assert len(rows_of(ask(*command(path, "--points", "10", "--format", "csv")))) < len(rows)


@pytest.mark.parametrize("kind", [r.name for r in curves.catalog() if r.kind == "curve"] + ["f1", "mcc", "lr_plus"])
def test_every_kind_is_drawn_and_listed(ask: Ask, scores: tuple[Path, list[int], list[float]], kind: str) -> None:
    path = scores[0]
    prices = ("--cost-fp", "1", "--cost-fn", "5") if kind == "expected_cost" else ()
    shown = ask(*command(path, "--kind", kind.replace("_", "-"), *prices))
    assert "*" in shown and "threshold" in shown and max(map(len, shown.splitlines())) <= 80
    rows = rows_of(ask(*command(path, "--kind", kind, *prices, "--format", "csv")))
    assert len(rows) > 3 and {"threshold", "latent"} & set(rows[0])  # a fitted curve has a scale of its own


def test_rows_at_thresholds(ask: Ask, scores: tuple[Path, list[int], list[float]]) -> None:
    path, y, p = scores
    found = document(ask(*command(path, "--at", "0.5", "--at", "inf", "--format", "json")))["at"]
    counts = rs.ScoreTable.from_scores(y, p).at(0.5)
    assert found[0]["at"] == 0.5 and found[0]["tpr"] == counts.tpr and found[0]["fpr"] == counts.fpr
    assert found[1] == {"at": "Infinity", "threshold": "Infinity", "fpr": 0.0, "tpr": 0.0}  # B045
    assert "threshold must not be NaN" in ask(*command(path, "--at", "nan"), code=2)  # B044


def test_a_table_of_thresholds(ask: Ask, tmp_path: Path) -> None:
    full, short = tmp_path / "full.csv", tmp_path / "short.csv"
    full.write_text(
        "Threshold,TP,FP,FN,TN\n1,0,0,29,25\n2,7,0,22,25\n3,18,1,11,24\n4,26,5,3,20\n5,29,14,0,11\n6,29,25,0,0\n"
    )
    short.write_text("threshold,tp,tn\n1,0,25\n2,7,25\n3,18,24\n4,26,20\n5,29,11\n6,29,0\n")
    one = document(ask("curve", str(full), "--lower-is-positive", "--format", "json"))
    totals = ["--positives", "29", "--negatives", "25", "--lower-is-positive"]
    two = document(ask("curve", str(short), *totals, "--format", "json"))
    assert one["points"] == two["points"] and one["statistics"]["auc"]["value"] == 0.92
    assert "Give --positives N" in ask("curve", str(short), code=2)
    assert document(ask("curve", str(full), "--format", "json"))["points"] == one["points"], "counts tell the direction"


def test_b005_one_class_is_an_answer_without_an_area(ask: Ask, tmp_path: Path) -> None:
    path = tmp_path / "one.csv"
    path.write_text("y,p\n1,0.9\n1,0.4\n")
    assert "no negatives" in ask(*command(path))
    assert document(ask(*command(path, "--format", "json")))["statistics"]["auc"]["value"] is None
    assert "there are no negatives" in ask("hull", str(path), "--label", "y", "--score", "p", code=2)


def test_b027_probabilities_where_they_are_needed(ask: Ask, tmp_path: Path) -> None:
    path = tmp_path / "raw.csv"
    path.write_text("y,p\n1,12\n0,3\n1,5\n0,7\n")
    assert "ROC AUC 0.75" in ask(*command(path))
    assert "not probabilities" in ask(*command(path, "--kind", "calibration"), code=2)


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (["--kind", "lfit"], "Did you mean 'lift'?"),
        (["--kind", "auc"], "a single number, not a curve"),
        (["--kind", "closest"], "rocscope evaluate FILE --choose closest"),
        (["--score", "q"], "give only one --score"),
        (["--points", "1"], "1 is not in the range"),
        (["--weight", "v"], "has no column 'v'"),
    ],
)
def test_what_curve_refuses(
    ask: Ask, scores: tuple[Path, list[int], list[float]], more: list[str], message: str
) -> None:
    assert message in ask(*command(scores[0], *more), code=2)


# --- hull


def test_a_hull_of_several_models(ask: Ask, scores: tuple[Path, list[int], list[float]]) -> None:
    path, y, p = scores
    tables = {"p": rs.ScoreTable.from_scores(y, p), "q": rs.ScoreTable.from_scores(y, [round(1 - b, 2) for b in p])}
    held = hull.hull(tables)
    found = document(ask(*command(path, "--score", "q", "--format", "json", word="hull")))
    assert found["area"] == held.area and found["dominated"] == list(held.dominated) == ["q"]
    assert [row["threshold"] for row in found["intervals"]][-1] == held.intervals[-1].threshold
    assert found["models"]["p"]["auc"] == curves.auc(tables["p"])
    odds = sum(y) / (len(y) - sum(y))
    rows = rows_of(ask(*command(path, "--score", "q", "--format", "csv", word="hull")))
    assert [float(row["slope_to"]) for row in rows] == [row.low for row in held.intervals]
    assert float(rows[0]["cost_to"]) == pytest.approx(held.intervals[0].low * odds)


def test_the_cheapest_at_given_costs(ask: Ask, scores: tuple[Path, list[int], list[float]]) -> None:
    path, y, p = scores
    options = ["--cost-fp", "1", "--cost-fn", "5", "--format", "json"]
    best = document(ask(*command(path, *options, word="hull")))["best"]
    t = rs.ScoreTable.from_scores(y, p)
    chosen = {point.threshold for point in decisions.best(t, "cost", costs=decisions.Costs(fp=1, fn=5))}
    assert {point["threshold"] for point in best["points"]} <= chosen
    slope = decisions.Costs(fp=1, fn=5).slope(t.positives, t.negatives)
    assert best["slope"] == pytest.approx(float(slope))
    point = best["points"][0]
    assert best["iso_line"]["intercept"] == pytest.approx(point["tpr"] - best["slope"] * point["fpr"])


def test_ties_extremes_and_worthless_costs(ask: Ask, tmp_path: Path) -> None:
    path = tmp_path / "points.csv"
    path.write_text("model,fpr,tpr\nA,0.25,0.75\nB,0.5,1\n")
    tie = ask("hull", str(path), "--cost-ratio", "1")
    assert tie.startswith("Use A   FPR 0.25, TPR 0.75 or B   FPR 0.5, TPR 1: both cost the same")
    assert ask("hull", str(path), "--cost-ratio", "100").startswith("Flag nobody: at these costs no model beats it")
    free = ["--cost-fp", "0", "--cost-fn", "0", "--prevalence", "0.5"]
    assert ask("hull", str(path), *free).startswith("Every model and threshold has the same cost")  # B049
    assert "Give --prevalence P" in ask("hull", str(path), "--cost-fp", "1", "--cost-fn", "5", code=2)
    assert "cost fp must be 0 or more, not -1" in ask("hull", str(path), "--cost-fp", "-1", "--cost-fn", "5", code=2)
    assert "0 or more" in ask("hull", str(path), "--cost-ratio", "-1", code=2)
    assert "must be given together" in ask("hull", str(path), "--cost-fp", "1", code=2)
    assert "not both" in ask("hull", str(path), "--cost-fp", "1", "--cost-fn", "2", "--cost-ratio", "1", code=2)


def test_settings_of_one_model_are_a_sweep(ask: Ask, tmp_path: Path) -> None:
    path = tmp_path / "sweep.csv"
    path.write_text("name,fpr,tpr,setting\ntree,0.1,0.5,depth 1\ntree,0.4,0.9,depth 4\nforest,0.2,0.6,trees 10\n")
    found = document(ask("hull", str(path), "--format", "json"))
    assert [point["threshold"] for point in found["points"]][1:-1] == ["depth 1", "depth 4"]
    assert found["dominated"] == ["forest"]
    path.write_text("name,fpr,tpr\nA,20,70\n")
    assert "line 2: fpr must be a proportion from 0 to 1, not 20" in ask("hull", str(path), code=2)


def test_many_thresholds_of_a_model_share_a_row(ask: Ask, tmp_path: Path) -> None:
    path = tmp_path / "smooth.csv"
    rows = [(1, k / 40) for k in range(41) for _ in range(k)] + [(0, k / 40) for k in range(41) for _ in range(40 - k)]
    path.write_text("y,p\n" + "".join(f"{a},{b}\n" for a, b in rows))
    assert len(rows_of(ask("hull", str(path), "--label", "y", "--score", "p", "--format", "csv"))) > 20
    assert re.search(r"p +\S+ to \S+ +\S+ to \S+ +\S+ to \S+\n", ask("hull", str(path), "--label", "y", "--score", "p"))


# --- demo


def test_the_demo_begins_with_the_answer(ask: Ask) -> None:
    lines = ask("demo").splitlines()
    assert re.fullmatch(r"Recommended: \w+ at threshold 0\.\d+   least cost", lines[0])
    found = document(ask("demo", "--format", "json"))
    rows = loans()
    tables = {
        name: rs.ScoreTable.from_scores([row[0] for row in rows], [row[i] for row in rows], positive=POSITIVE)
        for i, name in enumerate(MODELS, 1)
    }
    costs = {name: decisions.best(t, "cost", costs=decisions.Costs(fp=1, fn=5)).value for name, t in tables.items()}
    use = found["recommended"]
    point = found["evaluations"][use]["point"]
    assert use == min(costs, key=lambda name: costs[name]) and found["models"] == list(MODELS)
    assert point["apparent_cost"]["value"] == pytest.approx(1000 * min(costs.values()))
    assert point["cost"]["value"] > point["apparent_cost"]["value"]  # corrected for choosing on the same loans
    assert point["counts"] == tables[use].at(point["threshold"]).cells
    assert [row["model"] for row in found["hull"]["intervals"]] == [row.model for row in hull.hull(tables).intervals]


def test_the_demo_tells_its_story() -> None:
    """Curves that cross, the higher AUC not the cheaper model, and a model that is never best."""
    rows = loans()
    assert len(rows) == 1000 and sum(row[0] == POSITIVE for row in rows) == 80
    y = [row[0] for row in rows]
    tables = [rs.ScoreTable.from_scores(y, [row[i] for row in rows], positive=POSITIVE) for i in (1, 2, 3)]
    held = hull.hull(dict(zip(MODELS, tables, strict=True)))
    assert held.dominated == ("scorecard",)
    assert [row.model for row in held.intervals] == ["boosting"] * 4 + ["logistic"] * 6
    assert curves.auc(tables[1]) > curves.auc(tables[0])


def test_the_data_of_the_demo_can_be_read_again(ask: Ask, tmp_path: Path) -> None:
    path = tmp_path / "loans.csv"
    path.write_text(ask("demo", "--data"))
    options = ["--label", LABEL, "--positive", POSITIVE, "--score", "boosting", "--cost-fp", "1", "--cost-fn", "5"]
    best = document(ask("hull", str(path), *options, "--format", "json"))["best"]["points"][0]
    found = document(ask("demo", "--format", "json"))
    assert best["threshold"] == found["evaluations"]["boosting"]["point"]["threshold"]


# --- every word: formats, widths, letters

EVERY = [
    ["demo"],
    ["matrix", "7", "7", "3", "13"],
    ["matrix", "7", "7", "3", "13", "--all"],
    ["matrix", "123456", "70000", "3000000", "130000", "--prevalence", "0.001"],
    ["matrix", "--tp", "5", "--fp", "3", "--fn", "7", "--tn", "x - 3"],
    ["matrix", "animals.csv", "--actual", "y", "--predicted", "yhat"],
    ["explain"],
    ["explain", "mcc", "7", "7", "3", "13"],
    ["explain", "roc"],
    ["measures"],
    ["measures", "--curves"],
    ["examples"],
    ["examples", "--all"],
    ["examples", "--errata"],
    ["exercise", "--seed", "5", "--kind", "hull", "--answers"],
    ["trace", "--example", "bmi"],
    ["trace", "--example", "fawcett", "--what", "hull"],
    ["curve", "scores.csv", "--label", "y", "--score", "p"],
    ["curve", "scores.csv", "--label", "y", "--score", "p", "--kind", "net-benefit"],
    ["hull", "scores.csv", "--label", "y", "--score", "p", "--score", "q", "--cost-fp", "1", "--cost-fn", "3"],
]


@pytest.mark.parametrize("arguments", EVERY, ids=" ".join)
def test_text_fits_the_terminal_and_is_plain_in_a_pipe(
    ask: Ask, arguments: list[str], animals: Path, scores: tuple[Path, list[int], list[float]]
) -> None:
    for columns in (72, 80, 120, 200):
        shown = ask(*arguments, columns=columns)
        assert max(map(len, shown.splitlines())) <= columns, columns
        assert shown.isascii() or arguments[0] in ("measures", "explain", "matrix"), "é of Cramér stays"
        assert not any(line != line.rstrip() for line in shown.splitlines())


@pytest.mark.parametrize("arguments", EVERY, ids=" ".join)
def test_a_fancy_terminal_shows_the_same_in_the_same_width(
    ask: Ask,
    arguments: list[str],
    animals: Path,
    scores: tuple[Path, list[int], list[float]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    plain = ask(*arguments, columns=100)
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm-256color")
    shown = re.sub(r"\x1b\[[0-9;]*m", "", ask(*arguments, columns=100))
    assert max(map(len, shown.splitlines())) <= 100 and "\x1b" not in shown
    assert re.findall(r"\d+\.\d+", shown) == re.findall(r"\d+\.\d+", plain)


@pytest.mark.parametrize("arguments", EVERY, ids=" ".join)
def test_every_answer_in_every_format(
    ask: Ask, arguments: list[str], animals: Path, scores: tuple[Path, list[int], list[float]]
) -> None:
    assert isinstance(document(ask(*arguments, "--format", "json")), dict)
    rows = rows_of(ask(*arguments, "--format", "csv"))
    assert rows and all(None not in row for row in rows)
    page = ask(*arguments, "--format", "md")
    tables = [block.splitlines() for block in page.split("\n\n") if block.startswith("|")]
    for table in tables:
        assert len({len(re.findall(r"(?<!\\)\|", line)) for line in table}) == 1, table


@pytest.mark.parametrize("word", cli.COMMANDS)
def test_every_word_has_a_help_with_examples(ask: Ask, word: str) -> None:
    shown = ask(word, "--help")
    assert "Examples:" in shown and f"  rocscope {word}" in shown
    assert "--format" in shown or word == "serve"  # which answers with pages alone
    assert max(map(len, shown.splitlines())) <= 80
    assert word in ask("--help")


def test_wide_terminals_get_the_drawing(ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "false positive rate" not in ask("demo", columns=80)
    assert "false positive rate" not in ask("demo", columns=120)  # plain: no drawing
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm-256color")
    assert "false positive rate" not in ask("demo", columns=80)
    shown = ask("demo", columns=120)
    assert "false positive rate" in shown
    assert re.search("[\u2801-\u28ff]", shown) and "━" in shown and "┆" in shown and "\x1b[94m" in shown


# --- bad files: what each gets, through a word


@pytest.mark.parametrize(
    ("row", "content", "message"),
    [
        ("B065", b"", "is empty"),
        ("B066", b"y,p\n", "has no rows"),
        ("B067", b"1,0.9\n0,0.4\n", "The first line looks like data"),
        ("B070", b"y,p\n\xe9,0.9\n", "is not UTF-8: byte 4, on line 2"),
        ("B072", b"y;p\n1;0,93\n0;0,12\n", "decimal point"),
        ("B073", b'y,p\n1,"1,234"\n', "line 2, column 'p': '1,234' is not a finite number"),
        ("B074", b"y,p\n1,0.9,3\n", "line 2: 3 fields, but the header has 2"),
        ("B075", b'y,p\n1,"0.9\n0,0.4\n', "never closed"),
        ("B077", b"y,p\n1,0.9\x00\n", "byte 9 is NUL"),
        ("B082", b"y,p,p\n1,0.9,0.8\n", "appears twice"),
        ("B084", b"y,pp\n1,0.9\n0,0.4\n", "Did you mean 'pp'?"),
        ("B085", b"y,p\n1,O.5\n0,0.4\n", "'O.5' is not a finite number"),
        ("B085 nan", b"y,p\n1,nan\n0,0.4\n", "'p' is missing in 1 row (first on line 2)"),
        ("B086", b"y,p\n1,0.9\n0,0.4\nTotal,1.3\n", "must have two classes, but it has 3"),
        ("B014", b"y,p\nyes,0.9\nno,0.4\n", "Add --positive yes"),
        ("B019", b"y,p\n1,0.9\n2,0.4\n", "state which is positive"),
        ("B017", b"y,p\n0,0.9\n1,0.4\n2,0.1\n", "must have two classes, but it has 3"),
    ],
    ids=lambda value: value if isinstance(value, str) and value.startswith("B") else "",
)
@pytest.mark.parametrize("word", ["curve", "hull", "trace"])
def test_bad_files_are_refused_in_one_line(
    ask: Ask, tmp_path: Path, word: str, row: str, content: bytes, message: str
) -> None:
    path = tmp_path / "bad.csv"
    path.write_bytes(content)
    assert message in ask(*command(path, word=word), code=2)


@pytest.mark.parametrize("word", ["curve", "hull", "trace"])
def test_b062_b063_no_file(ask: Ask, tmp_path: Path, word: str) -> None:
    assert "there is no file" in ask(*command(tmp_path / "none.csv", word=word), code=2)
    assert "is a directory" in ask(*command(tmp_path, word=word), code=2)
    assert "there is no file none.csv" in ask("matrix", "none.csv", code=2)


@pytest.mark.parametrize(
    ("row", "content"),
    [
        ("B068", b"\xef\xbb\xbfy,p\n1,0.9\n0,0.4\n"),
        ("B071", b"y\tp\n1\t0.9\n0\t0.4\n"),
        ("B071 semicolon", b"y;p\n1;0.9\n0;0.4\n"),
        ("B076", b'y,p,note\n1,0.9,"two\nlines, one cell"\n0,0.4,\n'),
        ("B078", b"y,p\r1,0.9\r\n0,0.4\n"),
        ("B015", b"y,p\n1,0.9\n0,0.4\n"),
        ("B018", b"y,p\n1,0.9\n-1,0.4\n"),
        ("B083", b'"y",p,"=a ""b"""\n1,0.9,x\n0,0.4,y\n'),
        ("B085", b"y,p\n1, 0.9 \n0,4e-1\n"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_odd_files_that_are_right(ask: Ask, tmp_path: Path, row: str, content: bytes) -> None:
    path = tmp_path / "odd.csv"
    path.write_bytes(content)
    assert document(ask(*command(path, "--format", "json")))["statistics"]["auc"]["value"] == 1


def test_b087_blank_lines_are_left_out_and_counted(ask: Ask, tmp_path: Path) -> None:
    path = tmp_path / "blank.csv"
    path.write_text("y,p,\n1,0.9,\n\n0,0.4,\n\n")
    for word in ("curve", "hull", "trace"):
        assert "2 blank lines left out." in ask(*command(path, word=word))


def test_b022_labels_that_look_alike_are_said(ask: Ask, tmp_path: Path) -> None:
    path = tmp_path / "alike.csv"
    path.write_text("y,p\nyes,0.9\nYes ,0.4\n")
    assert "differ only in case" in " ".join(ask(*command(path, "--positive", "yes")).split())


def test_b086_a_total_in_a_ready_matrix(ask: Ask, tmp_path: Path) -> None:
    path = tmp_path / "matrix.csv"
    path.write_text("actual,a,b\na,3,1\nb,0,2\nTotal,3,3\n")
    assert "a confusion matrix is square" in ask("matrix", str(path), code=2)
    path.write_text("actual,a,b\na,3,1\nTotal,0,2\n")
    assert "line 3: 'Total' is not a column" in ask("matrix", str(path), code=2)
    path.write_text("actual,a,b\na,3,1\nb,0,-2\n")
    assert "line 3, column 'b': '-2' is not a count" in ask("matrix", str(path), code=2)


# --- labels that would do harm


@pytest.fixture
def evil(tmp_path: Path) -> Path:
    path = tmp_path / "evil.csv"
    rows = [(EVIL, EVIL), (EVIL, "=1+1"), ("=1+1", "=1+1"), ("a|b<script>", EVIL)]
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([("y", "yhat"), *rows])
    return path


@pytest.mark.parametrize("form", ["text", "json", "md"])
def test_b114_b118_b124_labels_are_shown_inert(ask: Ask, evil: Path, form: str) -> None:
    shown = ask("matrix", str(evil), "--actual", "y", "--predicted", "yhat", "--format", form)
    assert "\x1b" not in shown and "\u202e" not in shown and r"u202e" in shown
    assert form != "md" or "<script>" not in shown


def test_b121_labels_in_csv_start_no_formula_and_come_back(ask: Ask, evil: Path, tmp_path: Path) -> None:
    shown = ask("matrix", str(evil), "--actual", "y", "--predicted", "yhat", "--format", "csv")
    assert "\n'=1+1," in shown and "\n=1+1," not in shown


def test_b124_in_every_place_where_a_label_or_name_can_stand(ask: Ask, tmp_path: Path) -> None:
    path = tmp_path / "names.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerows([("y", EVIL), (EVIL, 0.9), ("no", 0.4), (EVIL, 0.3), ("no", 0.1), ("no", 0.05)])
    options = [str(path), "--label", "y", "--score", EVIL, "--positive", EVIL]
    points = tmp_path / "points.csv"
    with points.open("w", newline="", encoding="utf-8") as file:
        rows = [("name", "fpr", "tpr", "setting"), (EVIL, 0.2, 0.7, EVIL), ("b" + EVIL, 0.3, 0.6, EVIL)]
        csv.writer(file).writerows(rows)
    counts = ["matrix", str(path), "--actual", "y", "--predicted", "y", "--positive", EVIL]
    asked = [["curve", *options], ["hull", *options], ["trace", *options], counts]
    asked += [["hull", str(points)], ["hull", str(points), "--cost-ratio", "1"]]
    asked += [["hull", *options, "--cost-ratio", "1"]]
    for arguments in asked:
        for form in ("text", "md", "json"):
            shown = ask(*arguments, "--format", form)
            assert "\x1b" not in shown and "\u202e" not in shown, arguments
    refused = ask("curve", str(path), "--label", "y", "--score", "x" + EVIL, code=2)
    assert "\x1b" not in refused


def test_b119_a_label_of_a_megabyte_is_short_on_the_screen(ask: Ask, tmp_path: Path) -> None:
    path, label = tmp_path / "long.csv", "x" * 100_000
    path.write_text(f"y,p\n{label},0.9\nno,0.4\n{label},0.3\n")
    shown = ask(*command(path, "--positive", label))
    assert len(shown) < 4000
    assert len(ask("matrix", str(path), "--actual", "y", "--predicted", "y")) < 4000
    assert len(ask("matrix", str(path), "--actual", "y", "--predicted", "y", "--positive", label)) < 4000


# --- streams, through a real shell


def shell(line: str, cwd: Path, **changes: str) -> subprocess.CompletedProcess[bytes]:
    plain = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "FORCE_COLOR", "COLUMNS")}
    environment = {**plain, "PYTHONPATH": str(ROOT / "src"), "PYTHONWARNINGS": "error", **changes}
    whole = line.replace("rocscope", f"{sys.executable} -m rocscope")
    return subprocess.run(["bash", "-c", whole], capture_output=True, env=environment, cwd=cwd, check=False)


def test_b109_a_reader_that_leaves(tmp_path: Path) -> None:
    done = shell("rocscope examples --all --format json | head -1; echo ${PIPESTATUS[0]}", tmp_path)
    assert done.stderr == b"" and done.stdout.split()[0] == b"{" and done.stdout.split()[-1] in (b"0", b"141")


def test_a_pipe_from_one_word_to_another(tmp_path: Path) -> None:
    columns = "--label outcome --positive default --score logistic"
    done = shell(f"rocscope demo --data | rocscope curve - {columns} --at 0.2 --format csv", tmp_path)
    assert done.returncode == 0 and done.stdout.startswith(b"at,threshold,fpr,tpr\n0.2,0.2,")


def test_b112_b113_a_bare_terminal(tmp_path: Path) -> None:
    (tmp_path / "names.csv").write_text("y,p\ngröße,0.9\nno,0.4\n", encoding="utf-8")
    line = "rocscope curve names.csv --label y --score p --positive größe"
    done = shell(line, tmp_path, PYTHONIOENCODING="ascii", TERM="dumb", LANG="C")
    assert done.returncode == 0 and rb"gr\xf6\xdfe" in done.stdout and done.stderr == b""
    assert shell("rocscope demo >&-; echo $?", tmp_path).stdout == b"0\n"


# --- the parts


def test_an_axis_has_its_value_its_interval_and_its_baseline() -> None:
    axis = Axis(41)
    line = letters(axis.draw(0.5, low=0.25, high=0.75, tick=0.3))
    assert line[20] == "●" and line[10] == "━" and line[30] == "━" and line[12] == "┆" and len(line) == 41
    assert letters(axis.draw(-0.4))[0] == "<" and letters(axis.draw(1.4))[-1] == ">"
    assert "●" not in letters(axis.draw(float("nan")))
    assert fitting(12) is None and fitting(30) == Axis(29) and fitting(500) == Axis(41)


def test_a_drawing_has_no_gaps_and_keeps_to_its_frame() -> None:
    rise = Stroke([0, 0.37, 1], [0, 0.91, 1])
    for look in (Look(), Look(fancy=True)):
        lines = [letters(line) for line in draw([rise], TextAxes(30, 10), look)]
        assert max(map(len, lines)) <= 33 and all(line[3:].strip() for line in lines[:10])
    missing = Stroke([0, float("nan"), 1], [0, 1, 1])
    assert "*" not in "".join(letters(line) for line in draw([missing], TextAxes(30, 10), Look()))


def test_a_mark_and_a_key_stand_in_the_drawing() -> None:
    key = [Span("a 0.9"), Span("b 0.8")]
    lines = [letters(line) for line in draw([], TextAxes(20, 6), Look(), mark=(0.5, 1.0), key=key)]
    assert "O" in lines[0] and lines[3].endswith("a 0.9") and lines[4].endswith("b 0.8")


def test_two_columns_of_lines() -> None:
    left, right = [(Span("one"),), (Span("three"),)], [(Span("x"),), (Span("y"),), (Span("z"),)]
    assert [letters(line) for line in beside(left, right, gap=2)] == ["one    x", "three  y", "       z"]


def test_numbers_people_read() -> None:
    assert [cost_ratio(ratio) for ratio in (Fraction(1, 5), 1, 3, 1 / 6.64)] == ["1 : 5", "1 : 1", "3 : 1", "1 : 6.64"]
    assert [significant(x) for x in (0.8333333, 12, 1234.5, 0.0, float("inf"))] == ["0.833", "12", "1,230", "0", "inf"]
