"""`rocscope evaluate`, `compare` and `power`: the same numbers as in Python, and an answer to every bad input."""

from __future__ import annotations

import json
import os
import re
import shlex
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats
from stopping import PATIENCE, RESAMPLED, resampling

import rocscope as rs
from rocscope import intervals
from rocscope.cli.shared.demo_loans import MODELS, POSITIVE, loans
from rocscope.sources import files

SOURCE = Path(rs.__file__).parent.parent
Ask = Callable[..., tuple[int, str, str]]
LOANS = ("--label", "outcome", "--positive", "default")


@pytest.fixture
def ask(run: Ask) -> Ask:
    """Run the command in a folder of its own: exit code, standard output, standard error."""
    return run


def write(name: str, text: str) -> str:
    Path(name).write_text(text, encoding="utf-8")
    return name


def write_loans(name: str = "loans.csv") -> str:
    lines = ["outcome,boosting,logistic,scorecard", *(",".join(map(str, row)) for row in loans())]
    return write(name, "\n".join(lines) + "\n")


def columns() -> tuple[list[str], dict[str, list[float]]]:
    rows = loans()
    return [row[0] for row in rows], {name: [row[i] for row in rows] for i, name in enumerate(MODELS, 1)}


def of(document: dict[str, Any]) -> dict[str, Any]:
    """The document without where it came from."""
    text = json.loads(json.dumps(document))
    for one in (text, *text.get("evaluations", {}).values()):
        one["data"]["source"] = {}
    return text


# ---- one core, many faces ----


def test_a_threshold_probability_and_the_cost_of_a_miss_give_one_unit(ask: Ask) -> None:
    """Acting from 10 % on means that a miss costs nine false alarms: the same numbers, in false alarms."""
    path = write_loans()
    found = [
        json.loads(ask("evaluate", path, *LOANS, "--score", "boosting", *costs, "--format", "json")[1])
        for costs in (["--pt", "0.1"], ["--cost-fn", "9"], ["--cost-fp", "1", "--cost-fn", "9"])
    ]
    for one in found:
        assert one["point"] == found[0]["point"] and one["verdict"]["headline"] == found[0]["verdict"]["headline"]
        assert "If a miss costs 9 false alarms" in one["verdict"]["lead"]


@pytest.mark.parametrize(
    ("options", "keywords"),
    [
        ([], {}),
        (["--cost-fn", "5"], {"costs": rs.Costs(fp=1, fn=5)}),
        (["--pt", "0.1", "--unit", "loan"], {"costs": rs.Costs.from_pt(0.1), "unit": "loan"}),
        (["--cost-fp", "2", "--cost-fn", "9", "--prevalence", "0.02"],
         {"costs": rs.Costs(fp=2, fn=9, prevalence=0.02)}),
        (["--threshold", "0.3", "--level", "0.9"], {"threshold": 0.3, "level": 0.9}),
        (["--threshold", "inf"], {"threshold": float("inf")}),
        (["--choose", "recall where precision >= 0.9"], {"choose": "recall where precision >= 0.9"}),
        (["--choose", "f1", "--cross-fit", "5", "--seed", "3"], {"choose": "f1", "cross_fit": 5, "seed": 3}),
        (["--interval", "delong"], {"interval": "delong"}),
        (["--bootstrap", "200", "--seed", "7", "--cost-fn", "5"],
         {"bootstrap": 200, "seed": 7, "costs": rs.Costs(fp=1, fn=5)}),
        (["--lower-is-positive"], {"higher_is_positive": False}),
    ],
)  # fmt: skip
def test_evaluate_says_what_python_says(ask: Ask, options: list[str], keywords: dict[str, Any]) -> None:
    path = write_loans()
    code, out, err = ask("evaluate", path, *LOANS, "--score", "boosting", *options, "--format", "json")
    assert (code, err) == (0, "")
    y, scores = columns()
    made = rs.evaluate(y, scores["boosting"], positive=POSITIVE, name="boosting", **keywords)
    assert of(json.loads(out)) == of(made.to_dict())
    assert json.loads(out)["data"]["source"]["file"] == "loans.csv"


@pytest.mark.parametrize("options", [[], ["--cost-fn", "5"], ["--choose", "youden", "--level", "0.8"]])
def test_compare_says_what_python_says(ask: Ask, options: list[str]) -> None:
    path = write_loans()
    named = [word for name in MODELS for word in ("--score", name)]
    code, out, _ = ask("compare", path, *LOANS, *named, *options, "--format", "json")
    y, scores = columns()
    keywords: dict[str, Any] = {"costs": rs.Costs(fp=1, fn=5)} if "--cost-fn" in options else {}
    keywords |= {"choose": "youden", "level": 0.8} if "--choose" in options else {}
    assert code == 0 and of(json.loads(out)) == of(rs.compare(y, scores, positive=POSITIVE, **keywords).to_dict())


def test_the_demo_is_a_comparison_of_its_loans(ask: Ask) -> None:
    path = write_loans()
    named = [word for name in MODELS for word in ("--score", name)]
    _, compared, _ = ask("compare", path, *LOANS, *named, "--cost-fn", "5", "--unit", "loan")
    _, shown, _ = ask("demo")
    assert compared.split("\nnext ")[0] == shown.split("\nnext ")[0]


def test_clusters_and_weights(ask: Ask) -> None:
    rng = np.random.default_rng(0)
    y = (rng.random(120) < 0.4).astype(int)
    s, w, g = np.round(y + rng.normal(0, 1, 120), 3), rng.integers(1, 5, 120) / 2, np.arange(120) // 4
    rows = [f"{a},{b},{c},p{d}" for a, b, c, d in zip(y, s, w, g, strict=True)]
    path = write("c.csv", "y,s,w,patient\n" + "\n".join(rows) + "\n")
    _, out, _ = ask("evaluate", path, "--label", "y", "--score", "s", "--cluster", "patient", "--format", "json")
    document = json.loads(out)
    auc = next(row for row in document["areas"] if row["name"] == "auc")
    expected = intervals.auc_clustered(y, s, g)
    # clusters in another order are added up in another order
    assert (auc["low"], auc["high"]) == pytest.approx((expected.low, expected.high), rel=1e-12)
    assert document["data"]["clusters"] == 30
    recall = next(row for row in document["measures"] if row["name"] == "recall")
    assert "clusters" in recall["method"] and "Obuchowski" in document["methods"]
    _, out, _ = ask("evaluate", path, "--label", "y", "--score", "s", "--weight", "w", "--format", "json")
    assert of(json.loads(out)) == of(rs.evaluate(y.astype(str), s, weights=w, name="s").to_dict())


def test_intervals_widen_with_clusters_and_uneven_weights() -> None:
    rng = np.random.default_rng(2)
    y = (rng.random(60) < 0.5).astype(int)
    s = y + rng.normal(0, 1, 60)
    big_y, big_s, clusters = np.repeat(y, 5), np.repeat(s, 5), np.repeat(np.arange(60), 5)
    alone = rs.evaluate(y, s, threshold=0.5).estimates
    grouped = rs.evaluate(big_y, big_s, threshold=0.5, clusters=clusters).estimates
    naive = rs.evaluate(big_y, big_s, threshold=0.5).estimates
    for name in ("recall", "precision", "accuracy", "auc"):
        # five copies of each case are worth one: the interval is that of the cases alone, or a little
        # wider: with clusters the variance is not taken for known (Student's t)
        assert 1 <= grouped[name].half_width / alone[name].half_width <= 1.15, name
        assert naive[name].half_width < 0.6 * alone[name].half_width, name
    scaled = rs.evaluate(y, s, threshold=0.5, weights=np.full(60, 1000.0)).estimates
    for name in ("recall", "precision", "accuracy", "f1"):
        assert scaled[name].half_width == pytest.approx(alone[name].half_width, rel=1e-6), name


def test_the_threshold_can_be_chosen_on_other_cases(ask: Ask) -> None:
    path, rows = write_loans(), loans()
    lines = ["outcome,boosting", *(f"{row[0]},{row[1]}" for row in rows[:400])]
    other = write("other.csv", "\n".join(lines) + "\n")
    options = ["--score", "boosting", "--choose", "youden", "--choose-on", other, "--format", "json"]
    _, out, _ = ask("evaluate", path, *LOANS, *options)
    point = json.loads(out)["point"]
    table = rs.ScoreTable.from_scores([r[0] for r in rows[:400]], [r[1] for r in rows[:400]], positive=POSITIVE)
    assert point["threshold"] == rs.decisions.best(table, "youden")[0].threshold
    assert point["chosen_on"] == "other cases" and not point["optimistic"]
    code, _, err = ask("evaluate", path, *LOANS, "--score", "boosting", "--choose-on", other)
    assert code == 2 and "--choose-on needs a rule" in err


def test_cross_fitting_is_honest(ask: Ask) -> None:
    path = write_loans()
    _, out, _ = ask("evaluate", path, *LOANS, "--score", "scorecard", "--cost-fn", "5", "--cross-fit", "5",
                    "--format", "json")  # fmt: skip
    document = json.loads(out)
    y, scores = columns()
    counts = intervals.cross_fitted(y, scores["scorecard"], "cost", costs=rs.Costs(fp=1, fn=5), folds=5, seed=0,
                                    positive=POSITIVE)  # fmt: skip
    assert document["point"]["counts"] == counts.cells and document["point"]["chosen_on"] == "other folds"


# ---- hard labels and probabilities ----


def test_hard_labels_and_class_probabilities(ask: Ask) -> None:
    hard = write("hard.csv", "y,yhat\ncat,cat\ndog,cat\nrat,rat\ncat,cat\n")
    _, out, _ = ask("evaluate", hard, "--label", "y", "--predicted", "yhat", "--format", "json")
    made = rs.evaluate(["cat", "dog", "rat", "cat"], predicted=["cat", "cat", "rat", "cat"], name="yhat")
    assert of(json.loads(out)) == of(made.to_dict())
    rows = "cat,0.7,0.2,0.1\ndog,0.1,0.8,0.1\nrat,0.3,0.3,0.4\ncat,0.4,0.5,0.1\n"
    pets = write("pets.csv", "y,cat,dog,rat\n" + rows)
    scored = ["--score", "cat", "--score", "dog", "--score", "rat"]
    code, out, err = ask("evaluate", pets, "--label", "y", *scored, "--format", "json")
    assert code == 0 and "interpreted as class probabilities: cat for cat" in err
    same = write("p.csv", "y,p_cat,p_dog,p_rat\n" + rows)
    said = [word for name in ("cat", "dog", "rat") for word in ("--probability", f"p_{name}={name}")]
    _, again, _ = ask("evaluate", same, "--label", "y", *said, "--format", "json")
    one, two = of(json.loads(out)), of(json.loads(again))
    one["name"] = two["name"]
    assert one == two
    for file in (pets, same):
        code, _, err = ask(file)
        assert code == 0 and "interpreted as" in err


def test_positive_comes_first_among_hard_labels(ask: Ask) -> None:
    path = write("h.csv", "y,p\nno,no\nyes,yes\nyes,no\n")
    _, out, _ = ask("evaluate", path, "--label", "y", "--predicted", "p", "--positive", "yes", "--format", "json")
    assert json.loads(out)["data"]["labels"] == ["yes", "no"]
    code, _, err = ask("evaluate", path, "--label", "y", "--predicted", "p", "--positive", "maybe")
    assert code == 2 and "there is no label 'maybe'; the labels are no, yes" in err


# ---- guessing ----


@pytest.mark.parametrize(
    ("content", "taken"),
    [
        ("y,score\n1,0.9\n0,0.2\n1,0.4\n", "--label y --score score"),
        ("id,target,risk\n1,1,3\n2,0,2\n3,1,7\n", "--label target --score risk"),
        ("case,sick,marker\na,1,3\nb,0,2\nc,1,7\n", "--label sick --score marker"),
        ("label,yhat\na,b\nb,b\nc,c\n", "--label label --predicted yhat"),
        ("y,p,other\n1,0.9,4\n0,0.2,5\n1,0.4,6\n", "--label y --score p"),
        ("True Class,x\n1,0.9\n0,0.2\n1,0.4\n", "--label 'True Class' --score x"),
    ],
)
def test_columns_are_guessed_when_plain_and_said(ask: Ask, content: str, taken: str) -> None:
    code, out, err = ask(write("f.csv", content))
    assert code == 0 and f"interpreted as  rocscope evaluate f.csv {taken}\n" in err and out


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("y,a,b\n1,0.9,4\n0,0.2,5\n1,0.4,6\n", "rocscope compare f.csv --label y --score a --score b"),
        ("u,v\n1,0\n0,1\n", "rocscope evaluate f.csv --label COLUMN --score COLUMN"),
        ("y,name\n1,a\n0,b\n1,c\n", "--label y --score COLUMN"),
    ],
)
def test_what_is_not_plain_is_asked(ask: Ask, content: str, message: str) -> None:
    code, out, err = ask(write("f.csv", content))
    assert code == 2 and not out and message in err and "the columns are " in err


CLASS_ROWS = [("cat", 0.7, 0.2, 0.1), ("dog", 0.2, 0.5, 0.3), ("rat", 0.1, 0.2, 0.7), ("cat", 0.4, 0.5, 0.1)] * 5


def models_file(kind: str) -> str:
    """Two models on the same cases: scores, class probabilities, predicted labels or several labels."""
    classes = ("cat", "dog", "rat")
    if kind == "classes":
        head = ["class", "fold", *(f"{model}_{name}" for model in "ab" for name in classes)]
        rows = [[y, i % 4, *p, *p[::-1]] for i, (y, *p) in enumerate(CLASS_ROWS)]
    elif kind == "labels":
        head = ["class", "fold", "a", "b"]
        rows = [[y, i % 4, y, classes[i % 3]] for i, (y, *_) in enumerate(CLASS_ROWS)]
    elif kind == "flags":
        head, rows = ["y", "fold", "a", "b"], [[i % 2, i % 4, i % 2, i % 3 % 2] for i in range(20)]
    elif kind == "several":
        head = [f"{model}_{name}" for model in ("label", "a", "b") for name in ("sun", "sea")]
        rows = [[i % 2, i % 3 % 2, i / 20, 0.5, 1 - i / 20, 0.25] for i in range(20)]
    else:
        head, rows = ["y", "a", "b"], [[i % 2, i / 20, i % 7 / 7] for i in range(20)]
    return write(f"{kind}.csv", "\n".join(",".join(map(str, row)) for row in [head, *rows]) + "\n")


COMPARED = [
    ("scores", "--label y --score a --score b"),
    ("classes", "--label class --score 'a_*' --score 'b_*'"),
    ("labels", "--label class --predicted a --predicted b"),
    ("flags", "--label y --predicted a --predicted b"),
    ("several", "--label 'label_*' --score 'a_*' --score 'b_*'"),
]


@pytest.mark.parametrize(("kind", "taken"), COMPARED)
def test_several_models_are_compared_whatever_they_predict(ask: Ask, kind: str, taken: str) -> None:
    """The second of two models with class probabilities had been left out without a remark."""
    file = models_file(kind)
    code, out, err = ask(file)
    assert code == 0 and f"interpreted as  rocscope compare {file} {taken}\n" in err
    again = ask("compare", file)
    named = ask("compare", file, *shlex.split(taken))
    assert again[:2] == (0, out) == named[:2] and f"rocscope compare {file} {taken}\n" in again[2]


@pytest.mark.parametrize(("kind", "taken"), COMPARED)
def test_columns_of_files_matched_by_id_are_guessed(ask: Ask, kind: str, taken: str) -> None:
    header, *rows = [line.split(",") for line in Path(models_file(kind)).read_text().splitlines()]
    files = []
    for model in "ab":
        kept = [at for at, name in enumerate(header) if name[0] == model or name[:5] in ("y", "class", "label")]
        column = "p" if kind == "scores" else "guess"
        called = [column if header[at] == model else header[at] for at in kept]
        lines = [["case", *called], *([str(i), *(row[at] for at in kept)] for i, row in enumerate(rows))]
        files.append(write(f"{kind}_{model}.csv", "\n".join(map(",".join, lines)) + "\n"))
    said = taken if "*" in taken else taken.rpartition(" --")[0].rpartition(" a")[0] + f" {column}"
    code, out, err = ask("compare", *files, "--id", "case")
    assert code == 0 and f"interpreted as  rocscope compare {' '.join(files)} {said} --id case\n" in err, err
    assert ask("compare", *files, *shlex.split(said), "--id", "case")[:2] == (0, out)


def test_columns_of_files_that_differ_are_asked_for(ask: Ask) -> None:
    one, other = write("one.csv", "case,y,p\n1,0,0.5\n2,1,0.7\n3,1,0.2\n"), models_file("labels")
    code, _, err = ask("compare", one, other, "--id", "case")
    assert code == 2 and "2 files needs the label and the score of each: one.csv has case, y, p; labels.csv has" in err
    code, _, err = ask("compare", one)
    assert code == 2 and "one.csv: a comparison needs a label and two scores; the file has case, y, p" in err
    words = write("words.csv", "case,ill,a,b\n1,good,0.5,0.1\n2,bad,0.7,0.3\n3,bad,0.2,0.2\n")
    assert ask("compare", words)[0] == 2 and ask("compare", words, "--positive", "bad")[0] == 0
    said = "Write rocscope compare words.csv --label ill --score a --score b --positive good"
    assert said in ask("compare", words)[2]


def test_a_suggested_command_has_the_other_options_and_gives_the_same_answer(ask: Ask) -> None:
    """The costs, the positive label and the output file of the user are part of what is printed, and it runs."""
    file = write("both.csv", "ill,a,b\n" + "".join(f"{'ab'[i % 2]},{i % 7 / 7},{i % 5 / 5}\n" for i in range(20)))
    typed = ["--cost-fn", "5", "--positive=b", "--format", "json"]
    code, out, err = ask(file, *typed)
    said = err.partition("interpreted as  rocscope ")[2].splitlines()[0]
    assert said == f"compare {file} --label ill --score a --score b {' '.join(typed)}" and code == 0
    assert ask(*shlex.split(said))[:2] == (0, out)
    for page, words in (("1.html", ["evaluate", file]), ("2.html", [file])):
        code, _, err = ask(*words, "--cost-fn", "5", "--html", page)
        said = err.partition("Write rocscope ")[2].strip()
        assert said == f"compare {file} --label ill --score a --score b --positive b --cost-fn 5 --html {page}"
        assert code == 2 and ask(*shlex.split(said))[0] == 0
    alone = write("alone.csv", "y,p\n1,0.9\n0,0.2\n1,0.4\n")
    code, _, err = ask("gate", alone, "--require", "auc >= 0.5", "--label", "y")
    assert f"rocscope gate {alone} --label y --score p --require 'auc >= 0.5'\n" in err


@pytest.mark.parametrize("large", [False, True], ids=["small", "large"])
def test_three_classes_and_one_score_are_refused_with_their_names(
    ask: Ask, monkeypatch: pytest.MonkeyPatch, *, large: bool
) -> None:
    """None of three labels can be proposed as the positive one, and a score beyond floats is not the first fault."""
    if large:
        monkeypatch.setattr(files, "SMALL", 0)
    path = write("three.csv", "label,score\nNA,0.0\n1,0.0\n0,0.0\n0,9007199254740992.0\n")
    for more in ([], ["--label", "label", "--score", "score"], ["--label", "label", "--score", "score", "--exact"]):
        code, _, err = ask("evaluate", path, *more)
        assert code == 2 and "label must have two classes, but it has 3: 0, 1, NA" in err, err


def test_columns_named_by_other_options_are_not_guessed(ask: Ask) -> None:
    file = write("w.csv", "y,p,w\n" + "".join(f"{i % 2},{i % 7 / 7},0.{i + 1}\n" for i in range(9)))
    assert "--score p --score w" not in ask(file, "--weight", "w")[2] and ask(file, "--weight", "w")[0] == 0


def test_a_file_that_is_not_there_is_no_word(ask: Ask) -> None:
    assert ask("nothing.csv")[2].startswith("rocscope: there is no file nothing.csv")
    assert "there is no command 'evalute'. Did you mean 'evaluate'?" in ask("evalute")[2]


# ---- missing ----


def test_missing_rows_are_refused_or_counted(ask: Ask) -> None:
    path = write("m.csv", "y,p,w\n1,0.9,1\n0,,1\n1,nan,1\n0,0.2,1\n,0.4,1\n1,0.3,\n0,0.1,2\n")
    code, out, err = ask("evaluate", path, "--label", "y", "--score", "p")
    assert (code, out) == (2, "") and "'y' is missing in 1 row (first on line 6)" in err and "--missing drop" in err
    options = ["--label", "y", "--score", "p", "--weight", "w", "--missing", "drop"]
    _, out, _ = ask("evaluate", path, *options, "--format", "json")
    document = json.loads(out)
    assert document["data"]["left_out"] == {"no label": 1, "no score": 2, "no weight": 1}
    assert document["data"]["rows"] == 3
    assert "4 left out: 1 no label, 2 no score, 1 no weight" in ask("evaluate", path, *options)[1]
    code, _, err = ask("evaluate", write("all.csv", "y,p\n1,\n0,\n"), "--label", "y", "--score", "p",
                       "--missing", "drop")  # fmt: skip
    assert code == 2 and "all.csv: none of 2 rows can be used: 2 no score" in err


# ---- bad arrays ----

GOOD = "y,p\n1,0.9\n0,0.1\n1,0.8\n0,0.2\n"
REFUSED: list[tuple[str, str, list[str], str]] = [
    ("B001", "y,p\n1,0.9\n0,nan\n", [], "'p' is missing in 1 row (first on line 3)"),
    ("B002", "y,p\n1,inf\n0,0.3\n", [], "line 2, column 'p': 'inf' is not a finite number"),
    ("B003", "y,p\n1,nan\n0,nan\n", [], "'p' is missing in 2 rows"),
    ("B004", "y,p\n,0.9\n0,0.1\n", [], "'y' is missing in 1 row"),
    ("B014", "y,p\nyes,0.9\nno,0.3\n", [], "two labels no/yes; state which is positive. Add --positive yes"),
    ("B016", "y,p\n1,0.9\none,0.3\n", [], "state which is positive"),
    ("B017", "y,p\n0,0.9\n1,0.3\n2,0.1\n", [], "must have two classes, but it has 3: 0, 1, 2"),
    ("B019", "y,p\n1,0.9\n2,0.3\n", [], "state which is positive"),
    ("B021", GOOD, ["--positive", "7"], "positive label '7' is not in y, which has 0, 1"),
    ("B026", "y,p\n0.12,1\n0.7,2\n0.33,3\n", [], "y holds 0.12, a continuous value"),
    (
        "B029",
        "y,p,w\n1,0.9,1\n0,0.1,-1\n",
        ["--weight", "w"],
        "w must be 0 or more, but it is negative (first on line 3: -1)",
    ),
    ("B030", "y,p,w\n1,0.9,0\n0,0.1,0\n", ["--weight", "w"], "w is zero in all rows"),
    ("B031", "y,p,w\n1,0.9,inf\n0,0.1,1\n", ["--weight", "w"], "'inf' is not a finite number"),
    ("B037", "y,p\n1,2020-01-01\n0,0.1\n", [], "'2020-01-01' is not a finite number"),
    ("B044", GOOD, ["--threshold", "nan"], "threshold must not be NaN"),
    ("B049", GOOD, ["--cost-fn", "-1"], "--cost-fn must be 0 or more, not -1"),
    ("B049", GOOD, ["--cost-fp", "nan"], "must be 0 or more, not nan"),
    ("B050", GOOD, ["--cost-fn", "2", "--prevalence", "0"], "strictly between 0 and 1"),
    ("B050", GOOD, ["--cost-fn", "2", "--prevalence", "1.5"], "strictly between 0 and 1"),
    ("B050", GOOD, ["--prevalence", "0.1"], "--prevalence needs costs"),
    ("B051", GOOD, ["--level", "95"], "Write 0.95, not 95"),
    ("B051", GOOD, ["--level", "0"], "level must lie between 0 and 1"),
    ("B051", GOOD, ["--level", "nan"], "level must lie between 0 and 1"),
    ("B052", GOOD, ["--bootstrap", "0"], "must be between 100 and 1,000,000, not 0"),
    ("B052", GOOD, ["--bootstrap", "1"], "must be between 100 and 1,000,000, not 1"),
    ("B052", GOOD, ["--bootstrap", "-5"], "must be between 100 and 1,000,000, not -5"),
    ("B052", GOOD, ["--bootstrap", "1000000000000"], "must be between 100 and 1,000,000, not 1000000000000"),
    ("B054", GOOD, ["--seed", "-1"], "seed must be an integer of at least 0, not -1"),
    ("B054", GOOD, ["--seed", "1.5"], "not a valid integer"),
    ("B054", GOOD, ["--seed", "abc"], "not a valid integer"),
    ("B055", GOOD, ["--choose", "f1", "--cross-fit", "5"], "from 2 to the size of the smaller class (2), not 5"),
    ("B055", GOOD, ["--choose", "f1", "--cross-fit", "1"], "1 is not in the range"),
    ("rules", GOOD, ["--choose", "nonsense"], "no rule or measure 'nonsense'"),
    ("rules", GOOD, ["--choose", "recall where precision >= 2"], "precision"),
    ("rules", GOOD, ["--threshold", "0.5", "--choose", "f1"], "not both"),
    ("rules", GOOD, ["--cross-fit", "2"], "cross-fitting needs a rule for choosing a threshold"),
    ("rules", GOOD, ["--pt", "0.1", "--cost-fn", "5"], "Give only one of the two"),
    ("rules", GOOD, ["--pt", "1"], "strictly between 0 and 1"),
    ("names", GOOD, ["--interval", "foo"], "no interval 'foo' for auc. Known: "),
    ("B084", GOOD, ["--weight", "weigth"], "no column 'weigth'; it has y, p"),
    ("B084", GOOD, ["--cluster", "patient"], "no column 'patient'"),
]


@pytest.mark.parametrize(("row", "content", "options", "message"), REFUSED)
def test_bad_input_is_refused_in_one_line(ask: Ask, row: str, content: str, options: list[str], message: str) -> None:
    path = write("bad.csv", content)
    code, out, err = ask("evaluate", path, "--label", "y", "--score", "p", *options, "--output", "out.json")
    assert (code, out) == (2, ""), row
    assert err.count("\n") == 1 and message in err, err
    assert not Path("out.json").exists()


VALUES: list[tuple[str, str, list[str], str]] = [
    ("B005", "y,p\n1,0.9\n1,0.3\n", [], "undefined  ROC AUC: no negatives"),
    ("B009", "y,p\n1,0.9\n", [], "accuracy              1.00  [0.21, 1.00]"),
    ("B013", "y,p\nTrue,0.9\nFalse,0.3\n", [], "1 positive (50 %)"),
    ("B015", "y,p\n1,0.9\n0,0.3\n", [], "1 positive (50 %)"),
    ("B018", "y,p\n1,0.9\n-1,0.3\n", [], "1 positive (50 %)"),
    ("B020", "y,p\n1.0,0.9\n0.0,0.3\n", [], "1 positive (50 %)"),
    ("B022", "y,p\nyes,3\nYes,2\nyes,1\n", ["--positive", "yes"], "yes"),
    ("B027", "y,p\n1,9\n0,3\n1,7\n0,8\n", [], "the maximum of Youden's J"),
    ("B030", "y,p,w\n1,0.9,0\n0,0.1,1\n0,0.5,1\n", ["--weight", "w"], "undefined  ROC AUC: no positives"),
    ("B035", "y,p\n1,0.0\n0,-0.0\n", [], "All cases have the same score"),
    ("B036", "y,p\n1,5e-324\n0,0\n0,-7\n", [], "ROC AUC               1.00"),
    ("B045", GOOD, ["--threshold", "inf"], "the given threshold inf"),
    ("B045", GOOD, ["--threshold", "-inf"], "the given threshold -inf"),
    ("B049", GOOD, ["--cost-fp", "0", "--cost-fn", "0"], "All costs are 0: every threshold costs the same"),
    ("words", "y,p\n" + "1,0.1\n0,0.9\n" * 20, [], "The ranking is reversed: AUC 0.00"),
]


@pytest.mark.parametrize(("row", "content", "options", "text"), VALUES)
def test_odd_input_gets_a_defined_answer(ask: Ask, row: str, content: str, options: list[str], text: str) -> None:
    path = write("odd.csv", content)
    code, out, err = ask("evaluate", path, "--label", "y", "--score", "p", *options)
    assert (code, err) == (0, ""), row
    assert text in out, out


def test_near_duplicates_are_said(ask: Ask) -> None:
    path = write("near.csv", "y,p\nyes,3\nYes,2\nyes,1\nYes,4\n")
    _, out, _ = ask("evaluate", path, "--label", "y", "--score", "p", "--positive", "yes", "--full")
    assert re.search("Yes.*yes|yes.*Yes", out.split("!", 1)[1])


@pytest.mark.parametrize("options", [[], ["--cost-fn", "3"]])
def test_twins_and_perfect_models_differ_by_nothing(ask: Ask, options: list[str]) -> None:
    twins = write("twins.csv", "y,a,b\n1,0.9,0.9\n0,0.1,0.1\n1,0.4,0.4\n0,0.5,0.5\n")
    perfect = write("perfect.csv", "y,a,b\n1,0.9,0.8\n0,0.1,0.2\n1,0.7,0.9\n0,0.2,0.1\n")
    for path in (twins, perfect):
        code, out, err = ask("compare", path, "--label", "y", "--score", "a", "--score", "b", *options,
                             "--format", "json")  # fmt: skip
        document = json.loads(out)
        assert (code, err) == (0, "")
        for one in (*document["differences"], *document["cost_differences"]):
            assert one["value"] == 0 and one["p"] == 1 and one["p_adjusted"] == 1
        shown = ask("compare", path, "--label", "y", "--score", "a", "--score", "b", *options)[1]
        said = "a and b rank all cases in the same order" if path == twins else "does equally well on these cases"
        assert said in shown.replace("\n", " ") and "-0 " not in shown


def test_compare_asks_for_two_models_of_the_same_cases(ask: Ask) -> None:
    path = write("c.csv", "y,a,b\n1,1,2\n0,2,3\n")
    for scores in ([], ["--score", "a"], ["--score", "a", "--score", "a"]):
        code, _, err = ask("compare", path, "--label", "y", *scores)
        assert code == 2 and "a comparison needs a label and two scores" in err
    code, _, err = ask("evaluate", path, "--label", "y", "--score", "a", "--score", "b")
    assert code == 2 and "Use compare for several models" in err


def test_what_needs_one_score_is_refused_for_classes(ask: Ask) -> None:
    path = write("h.csv", "y,p\na,a\nb,c\nc,c\n")
    for options in (["--threshold", "1"], ["--choose", "f1"], ["--cost-fn", "5"], ["--bootstrap", "200"]):
        code, _, err = ask("evaluate", path, "--label", "y", "--predicted", "p", *options)
        assert code == 2 and "one score per case is required" in err


# ---- output ----


def test_output_files(ask: Ask) -> None:
    path = write("g.csv", GOOD)
    base = ["evaluate", path, "--label", "y", "--score", "p"]
    begin = {"a.json": "{", "a.md": "**AUC ", "a.csv": "model,", "a.txt": "AUC ", "a.tex": "%"}
    for name, begins in begin.items():
        assert ask(*base, "--output", name) == (0, "", "")
        assert Path(name).read_text().startswith(begins)
    code, _, err = ask(*base, "--output", "a.json")
    assert code == 2 and "already exists" in err
    assert ask(*base, "--output", "a.json", "--force")[0] == 0
    assert ask(*base, "--output", "a.data", "--format", "json")[0] == 0
    for target, message in (
        ("x.xlsx", "cannot determine a format"),
        ("none/a.json", "there is no folder"),
        ("g.csv", "it is the file being read"),
        (".", "cannot determine a format"),
    ):
        code, _, err = ask(*base, "--output", target, "--force")
        assert code == 2 and message in err, err
    assert Path(path).read_text() == GOOD


def test_formats_on_standard_output(ask: Ask) -> None:
    path = write("g.csv", GOOD)
    base = ["evaluate", path, "--label", "y", "--score", "p", "--format"]
    assert ask(*base, "latex")[1].splitlines()[1].startswith(r"\begin{tabular}")
    assert ask(*base, "csv")[1].startswith("model,class,measure,threshold,value")
    assert ask(*base, "md")[1].startswith("**AUC ")


def test_same_seed_same_bytes(ask: Ask) -> None:
    path = write_loans()
    base = ["evaluate", path, *LOANS, "--score", "boosting", "--cost-fn", "5", "--bootstrap", "150", "--format", "json"]
    first, second, other = (ask(*base, "--seed", seed)[1] for seed in ("1", "1", "2"))
    assert first == second != other


def test_standard_input(ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    import io

    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(GOOD.encode())))
    code, out, err = ask("-")
    assert code == 0 and "interpreted as  rocscope evaluate - --label y --score p" in err and "Check for leakage" in out


@pytest.mark.parametrize("width", [40, 60, 80, 120])
def test_text_fits_the_terminal(ask: Ask, monkeypatch: pytest.MonkeyPatch, width: int) -> None:
    path = write_loans()
    monkeypatch.setenv("COLUMNS", str(width))
    for words in (["evaluate", path, *LOANS, "--score", "boosting", "--full"],
                  ["compare", path, *LOANS, "--score", "boosting", "--score", "logistic", "--cost-fn", "5"],
                  ["power", "--auc", "0.85", "--against", "0.8", "--paired"]):  # fmt: skip
        code, out, _ = ask(*words)
        assert code == 0 and max(map(len, out.splitlines())) <= width and out.isascii()


def test_a_pipe_is_plain_and_a_terminal_is_not(tmp_path: Path) -> None:
    path = tmp_path / "g.csv"
    path.write_text(GOOD)
    command = [sys.executable, "-m", "rocscope", "evaluate", str(path), "--label", "y", "--score", "p"]
    base = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "FORCE_COLOR")}
    base |= {"PYTHONPATH": str(SOURCE), "PYTHONIOENCODING": "utf-8", "COLUMNS": "120"}
    plain = subprocess.run(command, capture_output=True, env=base, check=True).stdout
    fancy = subprocess.run(command, capture_output=True, env=base | {"FORCE_COLOR": "1"}, check=True).stdout
    latin = base | {"FORCE_COLOR": "1", "PYTHONIOENCODING": "latin-1"}
    assert plain.isascii() and max(fancy.decode()) >= "\u2801" and b"\x1b[" in fancy
    assert b"\x1b[" not in subprocess.run(command, capture_output=True, env=latin, check=True).stdout


@pytest.mark.skipif(os.name != "posix", reason="signals are POSIX's")
def test_ctrl_c_stops_a_long_bootstrap(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    y = (rng.random(20_000) < 0.3).astype(int)
    s = y + rng.normal(0, 1, 20_000)
    path = tmp_path / "big.csv"
    path.write_text("y,p\n" + "".join(f"{a},{b}\n" for a, b in zip(y, s, strict=True)))
    words = ("evaluate", str(path), "--label", "y", "--score", "p", "--bootstrap", "200000", "--output", "out.json")
    with resampling(*words, folder=tmp_path, environment=os.environ | {"PYTHONPATH": str(SOURCE)}) as job:
        job.send_signal(signal.SIGINT)
        _, err = job.communicate(timeout=PATIENCE)
    assert job.returncode == 130 and b"interrupted" in err and RESAMPLED not in err
    assert not (tmp_path / "out.json").exists()


# ---- power ----


@pytest.mark.parametrize(
    ("options", "plan"),
    [
        (["--auc", "0.8", "--against", "0.7"], intervals.size_for_auc(0.8, 0.7)),
        (["--auc", "0.8", "--against", "0.7", "--ratio", "3", "--power", "0.9"],
         intervals.size_for_auc(0.8, 0.7, ratio=3, power=0.9)),
        (["--auc", "0.85", "--against", "0.8", "--paired", "--correlation", "0.6"],
         intervals.size_for_difference(0.85, 0.8, correlation=0.6)),
        (["--auc", "0.8", "--against", "0.7", "--positives", "50", "--negatives", "100"],
         intervals.power_for_auc(0.8, 0.7, positives=50, negatives=100)),
        (["--auc", "0.8", "--against", "0.7", "--positives", "50", "--ratio", "2"],
         intervals.power_for_auc(0.8, 0.7, positives=50, negatives=100)),
        (["--auc", "0.9", "--width", "0.1"], intervals.size_for_width(0.9, 0.1)),
    ],
)  # fmt: skip
def test_power_says_what_the_planning_says(ask: Ask, options: list[str], plan: intervals.StudyPlan) -> None:
    found = json.loads(ask("power", *options, "--format", "json")[1])
    assert (found["positives"], found["negatives"], found["total"]) == (plan.positives, plan.negatives, plan.total)
    assert found["power"] == (None if plan.power != plan.power else plan.power)
    text = ask("power", *options)[1]
    assert f"{plan.positives:,} positives and {plan.negatives:,} negatives" in text


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--auc", "0.8"], "give --against B or --width W"),
        (["--auc", "0.8", "--against", "0.8"], "no number of cases can show a difference"),
        (["--auc", "80", "--against", "0.7"], "auc"),
        (["--auc", "0.8", "--against", "0.7", "--power", "0.8", "--positives", "5"], "to compute the other"),
        (["--auc", "0.8", "--against", "0.7", "--correlation", "0.5"], "--correlation needs --paired"),
        (["--auc", "0.8", "--width", "0.1", "--paired"], "--width applies only to a single AUC"),
        (["--auc", "0.8", "--against", "0.7", "--negatives", "5"], "--negatives needs --positives"),
        (["--auc", "0.8", "--against", "0.7", "--ratio", "0"], "--ratio must be a positive number, not 0"),
        (["--auc", "0.8", "--against", "0.7", "--level", "95"], "Write 0.95, not 95"),
    ],
)
def test_power_refuses_what_cannot_be(ask: Ask, options: list[str], message: str) -> None:
    code, out, err = ask("power", *options)
    assert (code, out) == (2, "") and message in err and err.count("\n") == 1


# ---- what a model costs more ----


def test_the_difference_of_costs_is_that_of_the_costs() -> None:
    y, scores = columns()
    cmp = rs.compare(y, scores, positive=POSITIVE, costs=rs.Costs(fp=1, fn=5))
    for one in cmp.cost_differences:
        first, other = (cmp.evaluations[name].apparent_cost for name in (one.a, one.b))
        assert first is not None and other is not None
        assert one.estimate.value == pytest.approx(first.value - other.value)
        assert one.estimate.low < one.estimate.value < one.estimate.high
    closest = cmp._saving(*(one.b for one in cmp.cost_differences))
    found = [*(one.estimate for one in cmp.cost_differences), closest]
    reach = [one.value - one.low if one.value > 0 else one.high - one.value for one in found]
    raw = [2 * stats.norm.sf(1.959964 * abs(one.value) / side) for one, side in zip(found, reach, strict=True)]
    pairs = {frozenset((one.a, one.b)): one.p_adjusted for one in cmp.pairs}
    tails = [2 * stats.t.sf(stats.norm.isf(p / 2), cmp._inference("cost").df) for p in raw]  # the classes are few
    for one, p, most in zip(cmp.cost_differences, raw, rs.significance.bonferroni(tails), strict=False):
        assert p <= one.p_adjusted <= most * (1 + 1e-5) and one.p_adjusted == pairs[frozenset((one.a, one.b))]


def test_equal_costs_give_nearly_mcnemars_z() -> None:
    rng = np.random.default_rng(4)
    y = (rng.random(400) < 0.4).astype(int)
    a, b = (np.round(y + rng.normal(0, 1, 400), 2) for _ in range(2))
    cmp = rs.compare(y, {"a": a, "b": b}, costs=rs.Costs(fp=1, fn=1), threshold=0.5)
    found = cmp.cost_differences[0]
    right = {name: (column >= 0.5) == (y == 1) for name, column in (("a", a), ("b", b))}
    better, worse = (np.count_nonzero(right[x] & ~right[z]) for x, z in ((found.a, found.b), (found.b, found.a)))
    # z of the p-value, which is that of the interval: near McNemar's, and one number everywhere
    assert found.estimate.statistic == pytest.approx((worse - better) / (worse + better) ** 0.5, rel=0.01)
    assert found.estimate.p == pytest.approx(found.p_adjusted)
    assert found.estimate.value == pytest.approx(1000 * (worse - better) / 400)


@pytest.mark.parametrize("size", ["1e9", "2E+6", "512M", "2G", "1.5 GiB", "100000000"])
def test_sizes_are_read_with_units_and_exponents(ask: Ask, size: str) -> None:
    path = write("sized.csv", "y,p\n1,0.9\n0,0.1\n1,0.4\n0,0.5\n")
    code, _, err = ask("evaluate", path, "--label", "y", "--score", "p", "--budget", size)
    assert (code, err) == (0, "")
