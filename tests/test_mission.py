"""The 188 entries of the founding notes, each asked of the product as a reader of these notes would ask it.

`COMMANDS` are typed on the command line, `CALLS` in Python; every entry stands in one of them at least. Where the
notes are wrong, the right value stands here (`rocscope examples --errata`).
"""

from __future__ import annotations

import math
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import Run

import rocscope as rs
from rocscope import lessons
from rocscope.estimate import Estimate
from rocscope.lessons.computed_answers import subject
from rocscope.lessons.traces import trapezoid

FILES = {
    "iris.csv": "setosa,versicolor,virginica\n10,0,0\n0,7,5\n0,3,5\n",
    "spam.csv": "predicted,spam,wanted\nspam,70,30\nwanted,70,330\n",
    "neglected.csv": "y,p\na,a\na,a\na,a\na,a\nb,b\nb,b\nb,b\nb,b\nc,a\nc,b\n",
    "report.csv": "y,p\n1,0\n1,1\n0,0\n1,1\n1,0\n0,0\n0,1\n1,1\n1,0\n0,0\n",
    "five.csv": "y,s\nc1,0.9\nc2,0.8\nc1,0.8\nc1,0.8\nc2,0.1\n",
    "abc.csv": "name,fpr,tpr\nA,0,1\nB,1,1\nC,1,0.5\n",
    "drawn.csv": "fpr,tpr\n0,0.6\n.4,.6\n.4,.8\n.6,.8\n.6,1\n1,1\n",
    "step.csv": "Threshold,TP,TN,FP,FN\n1,0,25,0,29\n2,7,25,0,22\n3,18,24,1,11\n4,26,20,5,3\n5,29,11,14,0\n"
    "6,29,0,25,0\n7,29,0,25,0\n",
    "bmi.csv": "Cut-off value of BMI,TP,FN,FP,TN\n18,100,0,200,0\n20,100,0,198,2\n22,99,1,177,23\n24,95,5,117,83\n"
    "26,85,15,80,120\n28,66,34,53,147\n30,47,53,27,173\n32,34,66,17,183\n34,21,79,14,186\n36,17,83,6,194\n"
    "38,7,93,4,196\n40,1,99,1,199\n",
    "arm.csv": "cm,TP,TN\n8.3,13,867\n8.4,24,844\n8.5,73,826\n8.6,90,800\n8.7,113,783\n8.8,119,735\n8.9,121,626\n"
    "9.0,125,505\n9.1,127,435\n9.2,130,0\n",
    "points.csv": "model,fpr,tpr\nC4.5,0.2,0.7\nSVM,0.5,0.95\n",
    "order.csv": "y,M1,M2\n1,.95,.20\n1,.92,.10\n0,.80,.08\n1,.76,.06\n1,.71,.02\n",
    "rare.csv": "y,s\n" + "".join(f"{i % 20 // 19},{(i * 37 % 100 + i % 20 // 19 * 60) / 200}\n" for i in range(200)),
}

# entries, the command, and what its answer says (blanks and line ends count as one blank)
COMMANDS: list[tuple[tuple[int, ...], str, tuple[str, ...]]] = [
    ((1, 88), "explain evaluation", ("assessed on cases it has not seen",)),
    ((2, 8), "explain setting", ("D_j (n_j cases)", "R_j (m_j)")),
    ((3, 23, 74, 135), "explain accuracy 7 7 3 13", ("= 2/3 = 0.6667", "66.7 %")),
    ((4, 22, 76, 135), "matrix 7 7 3 13", ("accuracy 66.7 %, error rate 33.3 %",)),
    ((4, 22), "explain error_rate 7 7 3 13", ("= 1/3 = 0.3333", "33.3 %")),
    ((5,), "matrix neglected.csv --actual y --predicted p", ("No case of c is predicted correctly", "accuracy 80.0 %")),
    ((6, 158), "matrix 0 0 10 90", ("Always predicting negative is correct for 90.0 %",)),
    ((7,), "matrix --correct 22 --total 30", ("accuracy 73.3 %, error rate 26.7 %", "[0.56, 0.86]")),
    ((7,), "explain accuracy 22 30", ("22 of 30 cases are predicted correctly",)),
    ((9, 106), "matrix iris.csv --rows predicted", ("versicolor 0.5833 0.7000 0.6364", "macro average 0.7361")),
    ((13,), "explain precision-recall trade-off", ("If you flag everything, recall is 1",)),
    ((15,), "explain macro F1", ("(1/k) sum F_i", "mean of the F1 of all k classes")),
    ((16,), "examples iris", ("3/5 = 0.6", "217/297 = 0.7306")),
    ((17, 134), "matrix 7 7 3 13 --rows predicted", ("positive 7", "negative 3")),
    ((18, 19, 20, 21, 67, 68, 70, 105), "explain fp", ("type I error", "P = TP + FN")),
    ((24,), "explain npv", ("precision of the negative class",)),
    ((29,), "examples iris-pc", ("13/16 = 0.8125", "agrees")),
    ((30,), "explain quiz dogs", ("TP 5, FP 3, FN 7.",)),
    ((31,), "matrix 9 9 1 5", ("5/6", "9/10", "5/14", "7/12")),
    ((32, 107), "explain confusion matrix", ("diagonal shows agreement",)),
    ((33,), "matrix spam.csv --positive spam", ("7/10", "1/2", "0.4677")),
    ((34, 39), "explain choosing a measure", ("false alarms hurt", "misses hurt")),
    ((35, 161), "explain f-measure", ("harmonic mean",)),
    ((36,), "explain f2 7 7 3 13", ("also called",)),
    ((37,), "matrix --tp 5 --fp 3 --fn 7 --tn x-3", ("(x + 2)/(x + 12)", "(x - 3)/x", "F1 1/2", "x + 4 x + 12")),
    ((38,), "explain support", ("same for every model",)),
    ((40,), "matrix report.csv --actual y --predicted p", ("macro average 0.6250 0.6250 0.6000 10",)),
    ((40, 69, 159), "matrix report.csv --actual y --predicted p --order 0,1", ("actual, % of row 0 1 all",)),
    ((40, 69), "evaluate report.csv --label y --predicted p --order 1,0", ("actual, % of row 1 0 all",)),
    ((41, 46, 82, 140, 143), "explain roc", ("over all thresholds", "C stands for characteristic")),
    ((42, 49, 59, 127, 157), "explain auroc", ("random positive scores above a random negative",)),
    ((43, 44, 50), "explain threshold", ("threshold",)),
    ((45,), "examples special", ("agrees",)),
    ((47,), "examples lr-knn", ("lost",)),
    ((51, 52, 54, 83, 154, 169), "trace five.csv --label y --score s --positive c1", ("5/6",)),
    ((55, 174), "explain random classifier", ("0.5",)),
    ((56, 176), "explain inverted", ("1 -",)),
    ((57,), "examples naive-bayes", ("155 of 200 pairs", "reconstructed")),
    ((60, 116, 117, 118, 119, 120), "hull abc.csv", ("perfect:", "always positive:", "inverted, it is (0, 0.5)")),
    ((61, 117, 118, 119), "explain quiz corners", ("(0, 1)", "(1, 1)", "(0, 0)")),
    ((62,), "curve drawn.csv", ("area under the drawn curve 0.8", "0.240", "0.160", "0.400")),
    ((63, 132), "evaluate step.csv --choose youden", ("threshold 4", "score <= threshold")),
    ((64, 171), "curve step.csv", ("ROC AUC 0.92", "0.0400 0.6207", "Thresholds 1, 7 flag no further cases")),
    ((65, 123, 173), "explain crossing curves", ("When curves cross",)),
    ((71, 115, 162), "explain sensitivity 7 7 3 13", ("7/10",)),
    ((72, 165), "explain specificity 7 7 3 13", ("13/20",)),
    ((73, 109, 160), "explain precision 7 7 3 13", ("1/2",)),
    ((75, 139), "explain fallout 7 7 3 13", ("7/20",)),
    ((77, 78, 79, 80, 81), "explain counting in code", ("True counts as 1", "scikit-learn")),
    ((66, 87, 125), "explain sources", ("Fawcett",)),
    ((89,), "explain several validation sets", ("One validation set gives one number",)),
    ((90, 102), "explain distribution of validation errors", ("Fewer than ten",)),
    ((91,), "explain no free lunch", ("elevated performance", "1997;1:67-82")),
    ((92,), "explain other criteria", ("interpretable",)),
    ((93,), "explain large data", ("disjoint-10",)),
    ((94,), "explain cross-validation", ("The same data are used several times",)),
    ((95,), "explain holdout", ("validate once",)),
    ((96, 97, 98), "explain k-fold", ("K - 2 parts", "10 or 30")),
    ((100,), "explain leave-one-out", ("medicine",)),
    ((101, 102), "explain 5x2", ("(T1, V1) to (T10, V10)",)),
    ((103,), "examples urn", ("agrees",)),
    ((104,), "explain bootstrap", ("1/e = 0.368",)),
    ((108,), "examples animals", ("19/27 = 0.7037",)),
    ((110,), "explain problem 1", ("5/8", "5/12")),
    ((111,), "examples balls", ("6 white and 4 red balls", "2/7 = 0.2857")),
    ((112,), "matrix --found 50 --exist 55 --right 40 --total 80", ("11/16", "8/11")),
    ((112,), "explain problem 3", ("80 records",)),
    ((113,), "explain f1 40 10 15 15", ("16/21",)),
    ((114,), "explain roc history", ("radar",)),
    ((122,), "explain parameter sweep", ("parameter",)),
    ((124, 126), "evaluate bmi.csv --choose closest", ("threshold 26", "closest to the top-left corner", "0.781")),
    ((124,), "curve bmi.csv", ("0.7812", "0.7842")),
    ((125,), "examples bmi", ("breast cancer", "15623/20000")),
    ((126,), "explain closest to (0,1)", ("--choose closest",)),
    ((128, 129), "explain questions", ("What is cross-validation?", "What are ROC space and the ROC curve")),
    ((128,), "explain short 5", ("precision",)),
    ((129,), "explain long 2", ("true positives", "7/12 and 7/10")),
    ((130,), "examples man-woman", ("reconstructed", "7/10 = 0.7", "2/3 = 0.6667")),
    ((131,), "matrix 620 180 380 8820", ("accuracy 94.4 %", "31/45", "0.6635")),
    ((133,), "curve arm.csv --positives 130 --negatives 870", ("0.9143",)),
    ((133,), "evaluate arm.csv --positives 130 --negatives 870 --choose youden", ("threshold 8.7",)),
    ((136, 137, 138), "explain unequal errors", ("adds 1/N", "spam")),
    ((141,), "explain ROCon", ("rocscope hull",)),
    ((142,), "examples diabetes", ("3/4 = 0.75",)),
    ((143, 153), "trace --example five-points --what matrices", ("threshold",)),
    ((144, 145, 146), "explain cost ratio", ("Neg",)),
    ((147, 148), "hull points.csv --cost-ratio 1", ("C4.5",)),
    ((149,), "hull points.csv --cost-ratio 1/4", ("SVM",)),
    ((150,), "explain likelihood_ratio", ("likelihood",)),
    ((151,), "explain MAP", ("P(-) / P(+)",)),
    ((152,), "explain free threshold", ("threshold",)),
    ((155,), "examples fawcett", ("17/25 = 0.68", "0.4311", "0.7357", "0.6389")),
    ((156,), "explain curve shapes", ("large and small dents",)),
    ((156, 58), "curve --shape poor", ("large and small concavities",)),
    ((163,), "explain quiz sensitivity", ("0.92", "high")),
    ((164,), "explain miss rate 7 7 3 13", ("3/10",)),
    ((166,), "examples flagged", ("agrees",)),
    ((167, 183), "explain points to remember", ("FNR = 1 - TPR",)),
    ((168,), "explain raising a score", ("0.4",)),
    ((170,), "trace --example six-cases --what predictions", ("0.92 0 1 1 1 1 1",)),
    ((172,), "examples six-cases", ("8/9 = 0.8889", "prints FP = 1 at 0.94")),
    ((175,), "explain perfect classifier", ("1",)),
    ((177, 182), "explain one threshold or all", ("An F1 of 0.88 and an AUC of 0.97",)),
    ((178,), "compare order.csv --label y --score M1 --score M2",
     ("rank all cases in the same order", "2.144", "accuracy (0.8")),
    ((179,), "explain quiz overlap", ("At every FPR they have the same TPR",)),
    ((180,), "explain probability column", ("column 1 of predict_proba",)),
    ((181,), "examples course-auc", ("96.9 %",)),
    ((184,), "explain pr curve", ("precision",)),
    ((185, 187), "explain f1 from the area", ("does not follow from the area",)),
    ((186,), "examples course-pr", ("trapezoid",)),
    ((188,), "evaluate rare.csv --label y --score s", ("extremely imbalanced",)),
]  # fmt: skip

# entries, an expression, its value
CALLS: list[tuple[tuple[int, ...], str, Any]] = [
    ((8, 16), "iris.support.tolist()", [10, 10, 10]),
    ((10, 24), "[iris.of(c).exact('precision') for c in iris.labels]", [1, Fraction(7, 12), Fraction(5, 8)]),
    ((11,), "iris.micro('precision') == iris.accuracy", True),
    ((12,), "[iris.of(c).exact('recall') for c in iris.labels]", [1, Fraction(7, 10), Fraction(1, 2)]),
    ((14, 15), "iris.exact('macro_f1')", Fraction(217, 297)),
    ((17,), "rs.Confusion.from_matrix([[7, 7], [3, 13]], labels=[1, 0], rows='predicted').of(1).cells",
     {"tp": 7, "fp": 7, "fn": 3, "tn": 13}),
    ((25, 26, 27, 28, 48), "[float(c.tpr), float(c.tnr), float(c.fnr), float(c.fpr)]", [0.7, 0.65, 0.3, 0.35]),
    ((30,), "rs.Counts.from_retrieval(found=8, exist=12, right=5).exact('f1')", Fraction(1, 2)),
    ((37,), "rs.Counts(tp=5, fp=3, fn=7, tn='x - 3').expression('error_rate')", "10/(x + 12)"),
    ((40, 69, 79), "report.to_array(rows='predicted').tolist()", [[3, 1], [3, 3]]),
    ((42,), "round(rs.evaluate(['a', 'b', 'c', 'a'], [[.8, .1, .1], [.2, .7, .1], [.1, .2, .7], [.1, .8, .1]])"
     ".area('macro').value, 4)", 0.7639),
    ((43, 46), "(five.at(0.8).tp, five.at(0.8).fp)", (3, 1)),
    ((44,), "(float(five.scores.min()), float(five.scores.max()))", (0.1, 0.9)),
    ((51, 54), "rs.curves.exact('auc', five)", Fraction(5, 6)),
    ((53,), "trapezoid((0, Fraction(1, 3)), (Fraction(1, 2), 1))", Fraction(1, 3)),
    ((55, 58), "float(lessons.shape('random').table().auc)", 0.5),
    ((56, 176), "round(float(five.reverse().auc + five.auc), 12)", 1.0),
    ((58, 175), "float(lessons.shape('perfect').table().auc)", 1.0),
    ((60,), "rs.verdicts.roc_space(1, 0.5).partition(':')[0]", "below the diagonal"),
    ((62,), "rs.curves.polyline_area([(0, .6), (.4, .6), (.4, .8), (.6, .8), (.6, 1), (1, 1)])", 0.8),
    ((63, 132), "[round(float(x), 4) for x in (step.auc, *limits(rs.intervals.auc(step, method='delong')))]",
     [0.92, 0.8534, 0.9866]),
    ((63,), "round(rs.decisions.best(step, 'youden')[0].counts.exact('accuracy') * 54)", 46),
    ((83,), "refusal(lambda: lessons.roc_trace([1, 1], [.1, .2]))", True),
    ((83,), "refusal(lambda: lessons.roc_trace([1, 0], [.1]))", True),
    ((84,), "type(rs.curves.roc(fawcett).plot()).__name__ != ''", True),
    ((85, 86), "[label.threshold for label in rs.curves.roc(five).labels()]", [0.9, 0.8, 0.1]),
    ((85,), "[(x.x, x.y) for x in rs.curves.roc(fawcett).labels([0.5])]", [(0.4, 0.6)]),
    ((96, 97), "len(set(folds[0].train.tolist()) & set(folds[1].train.tolist()))", 80),
    ((97,), "['any two training sets share' in one.describe() for one in (folds, rs.splits.plan('10x10-fold', 100))]",
     [True, False]),
    ((95, 99, 100), "(len(rs.splits.plan('holdout', 40)), len(rs.splits.plan('loo', 40)), len(folds))", (1, 40, 10)),
    ((99,), "type(rs.splits.plan('5-fold', 20).plot()).__name__ != ''", True),
    ((101,), "rs.splits.plan('5x2', 20).names[::9]", ("(T1, V1)", "(T10, V10)")),
    ((102,), "[round(x, 3) for x in (rs.significance.t_5x2(diffs).statistic, rs.significance.t_5x2(diffs).p)]",
     [1.217, 0.278]),
    ((121,), "type(rs.hull.hull({'A': (0, 1), 'B': (1, 1)}).plot()).__name__ != ''", True),
    ((124,), "rs.curves.exact('auc', bmi)", Fraction(15623, 20000)),
    ((126,), "[(float(p.threshold), round(float(p.counts.youden), 2)) for p in rs.decisions.best(bmi, 'closest')]",
     [(26.0, 0.45)]),
    ((133,), "refusal(lambda: rs.ScoreTable.from_points([{'threshold': 8.3, 'tp': 13, 'tn': 867}], positives=130))",
     True),
    ((144, 145), "rs.Costs(fp=1, fn=4).slope(positives=1, negatives=1) == Fraction(1, 4)", True),
    ((147,), "[str(x.model) for x in rs.hull.hull({'C4.5': (.2, .7), 'SVM': (.5, .95)}).intervals if x.model]",
     ["C4.5", "SVM"]),
    ((150, 151), "[float(rs.decisions.best(fawcett, rule)[0].threshold) for rule in ('likelihood_ratio', 'map')]",
     [0.54, 0.54]),
    ((153,), "'number beyond all others' in refusal_hint(lambda: rs.ScoreTable.from_scores([1, 0], [math.inf, 1]))",
     True),
    ((155,), "[round(float(rs.curves.partial_auc(fawcett, fpr=(0, .2), corrected=k)), 4) for k in (False, True)]",
     [0.07, 0.6389]),
    ((156,), "len(rs.hull.concavities(lessons.shape('poor').table())) > 1", True),
    ((163,), "[round(x, 3) for x in limits(rs.Counts(tp=92, fn=8).estimate('recall'))]", [0.85, 0.959]),
    ((172,), "rs.curves.exact('auc', six)", Fraction(8, 9)),
    ((178,), "[round(float(rs.curves.log_loss(rs.ScoreTable.from_scores([1, 1, 0, 1, 1], s))), 4) for s in "
     "([.95, .92, .8, .76, .71], [.2, .1, .08, .06, .02])]", [0.4722, 2.1442]),
    ((188,), "[rs.verdicts.imbalance(k, 100 - k).grade for k in (50, 40, 30, 20, 5)]",
     ["balanced", "nearly balanced", "slightly imbalanced", "imbalanced", "extremely imbalanced"]),
]  # fmt: skip


def limits(found: Estimate) -> tuple[float, float]:
    return found.low, found.high


def refusal(call: Any) -> bool:
    with pytest.raises(rs.RocscopeError):
        call()
    return True


def refusal_hint(call: Any) -> str:
    with pytest.raises(rs.RocscopeError) as refused:
        call()
    return str(refused.value.hint)


def of(name: str) -> Any:
    one = lessons.example(name)
    return subject(one.kind, one.data)


@pytest.fixture(scope="module")
def names() -> dict[str, Any]:
    tables = {"five": "five-points", "six": "six-cases", "step": "step-table"}
    held = {name: of(tables.get(name, name)) for name in ("iris", "report", "five", "six", "step", "bmi", "fawcett")}
    return {
        **held, "rs": rs, "np": np, "math": math, "lessons": lessons, "Fraction": Fraction, "refusal": refusal,
        "refusal_hint": refusal_hint, "limits": limits, "trapezoid": trapezoid,
        "c": rs.Counts(tp=7, fp=7, fn=3, tn=13), "folds": rs.splits.plan("10-fold", 100),
        "diffs": [[0.02, 0.01], [0.01, 0.03], [0.0, -0.02], [0.04, 0.01], [-0.01, 0.02]],
    }  # fmt: skip


def test_every_entry_is_asked_for() -> None:
    assert sorted({item for items, *_ in [*COMMANDS, *CALLS] for item in items}) == list(range(1, 189))


@pytest.mark.parametrize(("command", "expected"), [row[1:] for row in COMMANDS], ids=[row[1] for row in COMMANDS])
def test_commands_answer(command: str, expected: tuple[str, ...], run: Run, tmp_path: Path) -> None:
    for name in set(command.split()) & set(FILES):
        (tmp_path / name).write_text(FILES[name], "utf-8")
    code, out, err = run(*command.split())
    assert code == 0, err
    shown = " ".join(out.split())
    assert [text for text in expected if text not in shown] == [], out


@pytest.mark.parametrize(("call", "expected"), [row[1:] for row in CALLS], ids=[row[1] for row in CALLS])
def test_calls_answer(call: str, expected: Any, names: dict[str, Any]) -> None:
    if ".plot()" in call:
        pytest.importorskip("matplotlib").use("Agg")
    assert eval(call, dict(names)) == expected


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("matrix iris.csv", "--rows actual or --rows predicted"),
        ("matrix 22 8", "--correct 22 --total 30"),
        ("curve arm.csv", "--positives"),
    ],
)
def test_what_is_not_said_is_asked_for(command: str, said: str, run: Run, tmp_path: Path) -> None:
    for name in set(command.split()) & set(FILES):
        (tmp_path / name).write_text(FILES[name], "utf-8")
    code, _, err = run(*command.split())
    assert code == 2 and said in err
