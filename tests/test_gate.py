"""`rocscope gate`: conditions with their numbers, exit codes, a baseline, and reports that build servers read."""

from __future__ import annotations

import errno
import json
import math
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from fractions import Fraction
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from stopping import PATIENCE, RESAMPLED, resampling, running

import rocscope as rs
from rocscope import RocscopeError, ScoreTable, evaluate, gate, significance
from rocscope.cli.shared.demo_loans import MODELS, loans
from rocscope.estimate import Estimate
from rocscope.evaluation import ClassEvaluation, Evaluation
from rocscope.evaluation.certainty import agreeing
from rocscope.evaluation.gates import between
from rocscope.report import junit

SOURCE = Path(rs.__file__).parent.parent
Ask = Callable[..., tuple[int, str, str]]
LOANS = ("loans.csv", "--label", "outcome", "--positive", "default", "--score", "boosting")
SCHEMA = json.loads((SOURCE / "rocscope" / "schema" / "rocscope-1.json").read_text("utf-8"))


@pytest.fixture
def ask(run: Ask, monkeypatch: pytest.MonkeyPatch) -> Ask:
    monkeypatch.setenv("COLUMNS", "100")
    lines = [",".join(("outcome", *MODELS)), *(",".join(map(str, row)) for row in loans())]
    Path("loans.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return run


def boosting() -> Evaluation:
    rows = loans()
    found = evaluate([row[0] for row in rows], [row[1] for row in rows], positive="default")
    assert isinstance(found, Evaluation)
    return found


# ---- what a condition means ----


@given(
    st.lists(st.tuples(st.booleans(), st.integers(0, 6)), min_size=2, max_size=25),
    st.sampled_from([Fraction(k, n) for n in (1, 2, 4, 5, 8, 10) for k in range(n + 1)]),
)
def test_where_asks_whether_some_threshold_does_it(rows: list[tuple[bool, int]], limit: Fraction) -> None:
    y, s = [int(a) for a, _ in rows], [b for _, b in rows]
    ev = Evaluation(ScoreTable.from_scores(y, s))
    p, n = sum(y), len(y) - sum(y)
    reachable = False
    for threshold in [math.inf, *s]:  # by the definition, in fractions
        tp = sum(a and b >= threshold for a, b in zip(y, s, strict=True))
        fp = sum((not a) and b >= threshold for a, b in zip(y, s, strict=True))
        if p and n and Fraction(fp, n) <= limit and Fraction(tp, p) >= Fraction(7, 10):
            reachable = True
    found = gate(ev, f"recall >= 0.7 where fpr <= {float(limit)!r}").checks[0]
    assert found.met == reachable


def test_a_share_is_compared_as_a_fraction() -> None:
    ev = evaluate([1] * 10 + [0] * 10, [0.9] * 7 + [0.1] * 3 + [0.2] * 10, threshold=0.5)
    assert gate(ev, "recall >= 0.7").met and gate(ev, "recall <= 70%").met and not gate(ev, "recall > 0.7").met


def test_the_numbers_are_those_of_the_evaluation() -> None:
    ev = boosting()
    found = gate(ev, "auc.low >= 0", "auc.high <= 1", "recall >= 0", "average_precision >= 0", "brier.high <= 1",
                 "cases == 1000", "positives >= 80", "f0.5.low >= 0")  # fmt: skip
    tested = [check.parts[0].tested for check in found.checks]
    assert tested[:7] == [
        ev.auc.low, ev.auc.high, ev.estimates["recall"].value, ev.estimates["average_precision"].value,
        ev.estimates["brier"].high, 1000, 80,
    ]  # fmt: skip
    assert tested[7] == ev.measure("f0.5").low
    assert found.met


def test_where_gives_the_best_inside_with_its_interval() -> None:
    ev = boosting()
    check = gate(ev, "recall >= 0.9 where fpr <= 0.1").checks[0]
    along = ev.table.along()
    best = max(r for r, f in zip(along.recall.tolist(), along.fpr.tolist(), strict=True) if f <= 0.1)
    assert check.parts[0].tested == best and not check.met
    assert check.threshold is not None
    assert check.parts[0].estimate == ev.at(check.threshold).estimate("recall")
    least = gate(ev, "fpr <= 0.1 where recall >= 0.7").checks[0]
    assert least.parts[0].tested == min(
        f for r, f in zip(along.recall.tolist(), along.fpr.tolist(), strict=True) if r >= 0.7
    )


def test_several_comparisons_hold_at_one_threshold() -> None:
    ev = evaluate([1, 1, 0, 0, 1, 0], [6, 5, 4, 3, 2, 1])
    assert gate(ev, "recall >= 0.6 and precision >= 0.9 where fpr <= 0.5").met
    # each is reachable, both together are not
    assert gate(ev, "recall >= 1 where fpr <= 0.7").met and gate(ev, "precision >= 1 where fpr <= 0.7").met
    assert not gate(ev, "recall >= 1 and precision >= 1 where fpr <= 0.7").met


def test_undefined_is_not_met_and_says_why() -> None:
    ev = evaluate([1, 1, 1], [0.9, 0.8, 0.2])
    for text in ("auc >= 0", "auc.low >= 0", "auc <= 1", "specificity >= 0"):
        part = gate(ev, text).checks[0].parts[0]
        assert not part.met and part.why
    nothing = gate(boosting(), "recall >= 0.1 where fpr < 0").checks[0]
    assert not nothing.met and "no threshold" in nothing.parts[0].why


def test_a_certified_table_passes_only_with_its_bound() -> None:
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 3000)
    exact = ScoreTable.from_scores(y, rng.normal(size=3000) + y)
    coarse = exact.coarse(2)
    value, bound = rs.curves.auc(coarse), coarse.bound
    assert bound > 0
    ev = Evaluation(coarse)
    assert gate(ev, f"auc >= {value - 1.1 * bound:.12f}").met
    near = gate(ev, f"auc >= {value - 0.5 * bound:.12f}").checks[0]
    assert not near.met and "accurate only to" in near.parts[0].why
    assert gate(ev, f"auc <= {value + 1.1 * bound:.12f}").met and not gate(ev, f"auc <= {value + 0.5 * bound:.12f}").met


def test_hard_labels_have_gates_too() -> None:
    ev = evaluate(["a", "a", "b", "c"], predicted=["a", "b", "b", "c"])
    assert isinstance(ev, ClassEvaluation)
    found = gate(ev, "accuracy >= 0.75", "macro_f1 >= 0.7", "kappa.low >= 0.9", "cases >= 4")
    assert [check.met for check in found.checks] == [True, True, False, True]
    assert found.checks[1].parts[0].tested == ev.estimates["macro f1"].value
    with pytest.raises(RocscopeError, match="no scores"):
        gate(ev, "recall >= 0.7 where fpr <= 0.1")


@pytest.mark.parametrize(("positive", "cells"), [("bad", (31, 12, 9, 48)), ("good", (48, 9, 12, 31))])
def test_a_measure_of_the_positive_class_of_hard_labels(positive: str, cells: tuple[int, ...]) -> None:
    counts = rs.Counts(*cells)
    actual, guessed = ["bad"] * 40 + ["good"] * 60, ["bad"] * 31 + ["good"] * 9 + ["bad"] * 12 + ["good"] * 48
    ev = evaluate(actual, predicted=guessed, positive=positive)
    found = gate(ev, f"recall == {cells[0] / (cells[0] + cells[2])}", "precision.low >= 0", "recall.anytime.low >= 0")
    assert found.met
    assert found.checks[1].parts[0].tested == counts.estimate("precision").low
    assert found.checks[2].parts[0].estimate == counts.estimate("recall", method="anytime")
    told = found.to_dict()["data"]
    assert told["positives"] == cells[0] + cells[2] and told["labels"][1] == positive
    other = evaluate(actual, predicted=guessed, positive=({"bad", "good"} - {positive}).pop())
    with pytest.raises(RocscopeError, match="but the baseline has"):
        gate(ev, "recall.diff >= 0", baseline=other)
    with pytest.raises(RocscopeError, match=r"not known which of bad/good is positive.*positive="):
        gate(evaluate(actual, predicted=guessed), "recall >= 0.5")
    with pytest.raises(RocscopeError, match=r"recall is a measure of one class, but there are 3.*macro_recall"):
        gate(evaluate(["a", "b", "c"], predicted=["a", "b", "b"]), "recall >= 0.5")


def test_hard_labels_with_a_positive_class_on_the_command_line(ask: Ask) -> None:
    Path("hard.csv").write_text("l,h\n" + "bad,bad\n" * 31 + "bad,good\n" * 9 + "good,bad\n" * 12 + "good,good\n" * 48)
    hard = ("gate", "hard.csv", "--label", "l", "--predicted", "h", "--save-table", "hard.rst", "--force")
    assert ask(*hard, "--positive", "bad", "--require", "recall >= 0.79")[0] == 1
    assert ask(*hard, "--positive", "good", "--require", "recall >= 0.79")[0] == 0
    code, _, err = ask(*hard, "--require", "recall >= 0.79")
    assert code == 2 and "--positive" in err
    assert ask("gate", "hard.rst", "--positive", "bad", "--require", "recall == 0.775")[0] == 0


def test_limits_for_any_time_are_wider_and_for_shares_alone() -> None:
    ev = evaluate([1] * 40 + [0] * 60, [0.9] * 30 + [0.1] * 10 + [0.2] * 60, threshold=0.5)
    part = gate(ev, "recall.anytime.low >= 0.5").checks[0].parts[0]
    assert part.estimate == ev.point.counts.estimate("recall", method="anytime")
    assert part.tested < ev.estimates["recall"].low
    for text in ("auc.anytime.low >= 0", "mcc.anytime.low >= 0"):
        with pytest.raises(RocscopeError, match="proportions of cases"):
            gate(ev, text)
    heavy = evaluate([1, 0], [0.9, 0.1], weights=[0.5, 2.0], threshold=0.5)
    assert not gate(heavy, "recall.anytime.low >= 0").met


# ---- a baseline ----


def split_loans() -> tuple[Evaluation, Evaluation]:
    rows = loans()
    halves = [evaluate([r[0] for r in part], [r[1] for r in part], positive="default", threshold=0.2)
              for part in (rows[:500], rows[500:])]  # fmt: skip
    return halves[0], halves[1]  # type: ignore[return-value]


def test_the_difference_of_areas_is_delongs_of_two_samples() -> None:
    new, old = split_loans()
    part = gate(new, "auc.diff.low >= -0.01", baseline=old).checks[0].parts[0]
    own = significance.delong(new.table, old.table, paired=False)
    assert part.estimate == agreeing(own) and part.estimate.p == pytest.approx(own.p, abs=1e-3)
    assert part.tested == part.estimate.low


def test_the_difference_of_a_share_is_newcombes() -> None:
    new, old = split_loans()
    part = gate(new, "recall.diff >= -1", baseline=old).checks[0].parts[0]
    a, b = new.point.counts, old.point.counts
    expected = rs.estimate.difference(a.tp, a.tp + a.fn, b.tp, b.tp + b.fn)
    assert (part.estimate.value, part.estimate.low, part.estimate.high) == pytest.approx(
        (expected.value, expected.low, expected.high), abs=1e-12
    )


def test_a_table_against_itself_differs_by_nothing() -> None:
    new, _ = split_loans()
    found = gate(new, "auc.diff == 0", "mcc.diff == 0", "brier.diff == 0", "average_precision.diff == 0",
                 "recall.diff == 0 where fpr <= 0.1", baseline=new)  # fmt: skip
    assert found.met


def test_the_sign_of_a_difference_is_new_less_old() -> None:
    good = evaluate([1, 1, 0, 0] * 20, [4, 3, 2, 1] * 20)
    bad = evaluate([1, 1, 0, 0] * 20, [1, 3, 2, 4] * 20)
    assert gate(good, "auc.diff >= 0.5", baseline=bad).met and gate(bad, "auc.diff <= -0.5", baseline=good).met


@given(*[st.tuples(st.floats(0, 1), st.floats(0, 1), st.floats(0, 1)) for _ in range(2)])
def test_limits_of_a_difference_hold_its_value(a: tuple[float, ...], b: tuple[float, ...]) -> None:
    first, second = (Estimate(sorted(x)[1], sorted(x)[0], sorted(x)[2]) for x in (a, b))
    found, turned = between(first, second), between(second, first)
    assert found.low <= found.value <= found.high
    assert (found.low, found.high) == pytest.approx((-turned.high, -turned.low))


# ---- what is refused ----


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("auk >= 0.8", "Did you mean 'auc'"),
        ("auc.lo >= 0.8", "Did you mean 'auc.low'"),
        ("auc.diff >= 0", "needs a baseline"),
        ("auc >= 0.8 where fpr <= 0.1", "does not depend on a threshold"),
        ("recall >= 0.8 where auc >= 0.1", "no value at a single threshold"),
        ("recall >= 0.8 where fpr.low <= 0.1", "no value at a single threshold"),
        ("auc = 0.8", "=="),
        ("auc >= ", "expected a number"),
        ("", "a condition must be a short text"),
        ("auc >= 0.8 or recall >= 0.9", "be joined only by 'and'"),
        ("__import__('os') >= 0", "no measure|expected"),
    ],
)
def test_bad_conditions_are_refused_before_the_file_is_read(ask: Ask, text: str, says: str) -> None:
    code, out, err = ask("gate", "there-is-no-such-file.csv", "--require", text)
    assert code == 2 and out == "" and re.search(says, err) and err.count("\n") == 1


def test_nothing_required_is_refused(ask: Ask) -> None:
    code, _, err = ask("gate", *LOANS)
    assert code == 2 and "no requirement was given" in err


def test_a_cost_without_costs_is_wrong_usage(ask: Ask) -> None:
    code, out, err = ask("gate", "there-is-no-such-file.csv", "--require", "cost.high <= 100")
    assert code == 2 and out == "" and "needs costs" in err and "--cost-fn 5" in err and "Costs(" not in err
    with pytest.raises(RocscopeError, match=r"needs costs.*costs=Costs"):
        gate(boosting(), "cost <= 100")
    assert ask("gate", *LOANS, "--cost-fn", "5", "--require", "cost <= 1e6")[0] == 0


@pytest.mark.parametrize(
    ("text", "reachable"),
    [
        ("auc >= 1.8", False), ("auc > 1", False), ("auc.low >= 1", True), ("auc.low < 0", False),
        ("mcc <= -1.01", False), ("mcc <= -1", True), ("auc == 0.5", True), ("auc == 1.5", False),
        ("brier.diff <= -1", True), ("brier.diff < -1", False), ("cases >= 1e9", True), ("positives < 0", False),
    ],
)  # fmt: skip
def test_a_condition_that_no_value_can_meet_is_remarked(text: str, reachable: bool) -> None:
    part = gate(boosting(), text, baseline=boosting()).checks[0].parts[0]
    assert not part.met and ("can never be met" in part.why) == (not reachable)


def test_numbers_for_dvc_keep_every_condition(ask: Ask) -> None:
    asked = ["auc >= 0.5", "auc <= 0.6", "recall >= 0.1 where fpr <= 0.05", "recall >= 0.1 where fpr <= 0.5",
             "recall >= 0.1 and precision >= 0 where fpr <= 0.2"]  # fmt: skip
    code, out, _ = ask("gate", *LOANS, *(word for one in asked for word in ("--require", one)), "--format", "dvc")
    found = json.loads(out)
    assert code == 1 and found["conditions"] == dict(zip(asked, (1, 0, 1, 1, 1), strict=True))
    checks = gate(boosting(), *asked).checks
    assert found["tested"] == {
        "auc": checks[0].parts[0].tested,
        asked[2]: checks[2].parts[0].tested,
        asked[3]: checks[3].parts[0].tested,
        f"recall, {asked[4]}": checks[4].parts[0].tested,
        f"precision, {asked[4]}": checks[4].parts[1].tested,
    }


def test_plain_labels_are_called_positive_and_guesses_name_the_word(ask: Ask) -> None:
    Path("plain.csv").write_text("y,p\n1,0.9\n0,0.4\n1,0.3\n0,0.2\n")
    _, out, err = ask("gate", "plain.csv", "--require", "gini.low >= 0.9")
    assert "4 cases, 2 positive" in out and "bootstrap(t" not in out
    assert "use the bootstrap for limits" in " ".join(out.split())
    assert err == "rocscope: interpreted as  rocscope gate plain.csv --label y --score p --require 'gini.low >= 0.9'\n"
    assert "80 default" in ask("gate", *LOANS, "--require", "auc >= 0.5")[1]


def test_the_help_names_the_endings_that_are_taken(ask: Ask) -> None:
    shown = " ".join(ask("gate", "--help")[1].split())
    assert ".xml) determines the format" in shown and ".tex" not in shown


# ---- the command ----


def test_exit_codes(ask: Ask) -> None:
    assert ask("gate", *LOANS, "--require", "auc >= 0.8")[0] == 0
    code, out, err = ask("gate", *LOANS, "--require", "auc >= 0.8", "--require", "auc.low >= 0.8")
    assert code == 1 and err == ""
    assert out.splitlines()[0] == "The gate is not met: 1 of 2 conditions fails."
    assert re.search(r"^met +auc >= 0\.8 +0\.847 \[0\.780, 0\.894\]$", out, re.MULTILINE)
    assert re.search(r"^NOT MET +auc\.low >= 0\.8 +0\.847 \[0\.780, 0\.894\]$", out, re.MULTILINE)
    assert ask("gate", "none.csv", "--require", "auc >= 0.8")[0] == 2


def test_a_saved_table_and_a_baseline_through_the_command(ask: Ask) -> None:
    assert ask("evaluate", *LOANS, "--save-table", "new.rst")[0] == 0
    ask("evaluate", *LOANS[:-1], "scorecard", "--save-table", "old.rst")
    same = ("--require", "auc.diff.low >= -0.1", "--format", "json")
    code, out, _ = ask("gate", "new.rst", "--baseline", "old.rst", *same)
    expected = significance.delong(ScoreTable.load("new.rst"), ScoreTable.load("old.rst"), paired=False)
    part = json.loads(out)["checks"][0]["parts"][0]
    assert part["value"] == expected.value and part["low"] == expected.low
    assert code == (0 if expected.low >= -0.1 else 1)
    assert json.loads(out)["baseline"]["cases"] == 1000


def test_columns_are_said_for_the_file_that_has_cases(ask: Ask) -> None:
    ask("evaluate", *LOANS, "--save-table", "new.rst")
    ask("evaluate", *LOANS[:-1], "scorecard", "--save-table", "old.rst")
    require = ("--require", "auc.diff >= 0", "--format", "json")
    both = json.loads(ask("gate", "new.rst", "--baseline", "old.rst", *require)[1])
    cases = json.loads(ask("gate", *LOANS, "--baseline", "old.rst", *require)[1])
    turned = json.loads(ask("gate", "old.rst", *LOANS[1:], "--baseline", "loans.csv", *require)[1])
    assert cases["checks"] == both["checks"]
    assert turned["checks"][0]["parts"][0]["value"] == -both["checks"][0]["parts"][0]["value"]
    assert ask("gate", "new.rst", "--label", "outcome", "--require", "auc >= 0")[0] == 2
    other = evaluate([1, 0], [0.9, 0.1])
    with pytest.raises(RocscopeError, match="positive label"):
        gate(other, "auc.diff >= 0", baseline=boosting())


def test_the_document_is_in_the_schema(ask: Ask) -> None:
    jsonschema = pytest.importorskip("jsonschema")
    ask("evaluate", *LOANS, "--save-table", "new.rst")
    requires = ("--require", "auc >= 0.8", "--require", "recall.low >= 0.7 where fpr <= 0.1", "--require", "cost <= 1",
                "--cost-fn", "5")  # fmt: skip
    for extra in ((), ("--baseline", "new.rst"), ("--level", "0.9")):
        code, out, _ = ask("gate", "new.rst", *requires, *extra, "--format", "json")
        assert code == 1
        jsonschema.validate(json.loads(out), SCHEMA)


def test_markdown_for_a_job_summary(ask: Ask) -> None:
    code, out, err = ask("gate", *LOANS, "--require", "auc >= 0.9", "--format", "md")
    assert code == 1
    assert "**The gate is not met.**" in out and "| NOT MET | auc \\>= 0.9 |" in out
    assert err == "rocscope: The gate is not met. auc >= 0.9\n"


def test_csv_has_a_row_for_each_comparison(ask: Ask) -> None:
    _, out, _ = ask("gate", *LOANS, "--require", "auc >= 0.8 and recall >= 0.9", "--format", "csv")
    assert [line.split(",")[1:4] for line in out.splitlines()[1:]] == [["true", "auc", ">="], ["false", "recall", ">="]]


def test_dvc_reads_numbers_alone(ask: Ask) -> None:
    def numbers_alone(value: Any) -> bool:
        return all(map(numbers_alone, value.values())) if isinstance(value, dict) else isinstance(value, int | float)

    _, out, _ = ask("gate", *LOANS, "--require", "auc >= 0.8", "--format", "dvc")
    found = json.loads(out)
    assert found["met"] == 1 and numbers_alone(found) and found["tested"]["auc"] == boosting().auc.value
    _, out, _ = ask("evaluate", *LOANS, "--format", "dvc")
    found = json.loads(out)
    assert numbers_alone(found) and found["auc"] == boosting().auc.value and found["low"]["auc"] == boosting().auc.low


def test_output_to_a_file_by_its_ending(ask: Ask) -> None:
    code, out, err = ask("gate", *LOANS, "--require", "auc >= 0.9", "--output", "gate.xml")
    assert code == 1 and out == "" and "not met" in err
    assert ElementTree.parse("gate.xml").getroot().tag == "testsuites"
    assert ask("gate", *LOANS, "--require", "auc >= 0.9", "--output", "gate.xml")[0] == 2  # exists
    assert ask("gate", *LOANS, "--require", "auc >= 0.9", "--output", "loans.csv", "--force")[0] == 2  # the input
    assert ask("gate", *LOANS, "--require", "auc >= 0.9", "--output", "gate.what")[0] == 2
    assert ask("gate", *LOANS, "--require", "auc >= 0.8", "--save-table", "kept.rst")[0] == 0
    assert ScoreTable.load("kept.rst") == boosting().table


def test_b110_ctrl_c_is_130(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 3000)
    ScoreTable.from_scores(y, rng.random(3000)).save(tmp_path / "t.rst")
    words = ("gate", "t.rst", "--require", "auc.low >= 0.1", "--bootstrap", "1000000", "--output", "gate.xml")
    with resampling(*words, folder=tmp_path, environment={**os.environ, "PYTHONPATH": str(SOURCE)}) as job:
        job.send_signal(signal.SIGINT)
        _, err = job.communicate(timeout=PATIENCE)
    assert job.returncode == 130 and b"Traceback" not in err and RESAMPLED not in err
    assert os.listdir(tmp_path) == ["t.rst"]


def test_b111_terminated_is_143(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "never.csv")  # nothing is written: the gate waits for its cases
    command = [sys.executable, "-m", "rocscope", "gate", "never.csv", "--label", "y", "--score", "p", "--require",
               "auc >= 0", "--output", "gate.xml"]  # fmt: skip
    environment = {**os.environ, "PYTHONPATH": str(SOURCE)}
    with running(command, tmp_path, environment) as job, never_written(tmp_path / "never.csv", job):
        job.send_signal(signal.SIGTERM)
        _, err = job.communicate(timeout=PATIENCE)
    assert job.returncode == 143 and b"Traceback" not in err and os.listdir(tmp_path) == ["never.csv"]


@contextmanager
def never_written(pipe: Path, job: subprocess.Popen[bytes]) -> Iterator[None]:
    """The other end of a pipe that the process has come to read."""
    while True:
        try:
            end = os.open(pipe, os.O_WRONLY | os.O_NONBLOCK)
            break
        except OSError as error:
            assert error.errno == errno.ENXIO and job.poll() is None, job.stderr and job.stderr.read()
            time.sleep(0.05)
    try:
        yield
    finally:
        os.close(end)


def test_b109_a_reader_that_leaves(tmp_path: Path) -> None:
    ScoreTable.from_scores([1, 0], [0.9, 0.1]).save(tmp_path / "t.rst")
    line = f"{sys.executable} -m rocscope gate t.rst --require 'auc >= 0' --format junit | head -0"
    done = subprocess.run(line, shell=True, cwd=tmp_path, capture_output=True, text=True, check=False,
                          env={**os.environ, "PYTHONPATH": str(SOURCE)})  # fmt: skip
    assert done.stderr == ""


def test_b112_b113_a_bare_environment_and_no_utf8(tmp_path: Path) -> None:
    table = ScoreTable.from_scores([1, 0], [0.9, 0.1]).named(("não", "\u202eção"))
    table.save(tmp_path / "t.rst")
    bare = {"PATH": os.environ["PATH"], "PYTHONPATH": str(SOURCE), "LANG": "C", "TERM": "dumb"}
    bare["PYTHONIOENCODING"] = "ascii"
    for format in ("text", "md", "junit", "json", "csv"):
        done = subprocess.run([sys.executable, "-m", "rocscope", "gate", "t.rst", "--require", "auc >= 0", "--format",
                               format], cwd=tmp_path, capture_output=True, env=bare, check=False)  # fmt: skip
        assert done.returncode == 0 and done.stdout.isascii(), format
    closed = f"{sys.executable} -m rocscope gate t.rst --require 'auc >= 2' >&- 2>&-"
    assert subprocess.run(closed, shell=True, cwd=tmp_path, env=bare, check=False).returncode == 1


# ---- JUnit ----

XSD = "{http://www.w3.org/2001/XMLSchema}"
TYPES = {
    "xs:string": r"(?s:.*)",
    "xs:nonNegativeInteger": r"\d+",
    "xs:decimal": r"-?\d+(\.\d+)?",
    "xs:dateTime": r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d",
}


def violations(element: ElementTree.Element, schema: dict[str, ElementTree.Element]) -> list[str]:
    """What in a document is against an XSD of sequences of references and simple attributes, as ours is."""
    rule = schema.get(element.tag)
    if rule is None:
        return [f"unknown element {element.tag}"]
    kind = rule.find(f"{XSD}complexType")
    found: list[str] = []
    attributes = {} if kind is None else {one.get("name"): one for one in kind.findall(f"{XSD}attribute")}
    found += [f"{element.tag} has {name}" for name in element.attrib if name not in attributes]
    for name, one in attributes.items():
        value = element.get(str(name))
        if value is None and one.get("use") == "required":
            found.append(f"{element.tag} lacks {name}")
        elif value is not None and not re.fullmatch(TYPES[one.get("type", "")], value):
            found.append(f"{element.tag} {name} is {value!r}")
    children, place = list(element), 0
    sequence = [] if kind is None else kind.findall(f"{XSD}sequence/{XSD}element")
    for one in sequence:
        count = 0
        while place < len(children) and children[place].tag == one.get("ref"):
            place, count = place + 1, count + 1
        most = one.get("maxOccurs", "1")
        if count < int(one.get("minOccurs", "1")) or (most != "unbounded" and count > int(most)):
            found.append(f"{element.tag} has {count} of {one.get('ref')}")
    if place < len(children):
        found.append(f"{element.tag} has {children[place].tag} out of place")
    mixed = kind is None or kind.get("mixed") == "true"
    if not mixed and any((text or "").strip() for text in (element.text, *(child.tail for child in children))):
        found.append(f"{element.tag} has text")
    return found + [why for child in children for why in violations(child, schema)]


def checked(text: str) -> ElementTree.Element:
    schema = ElementTree.parse(Path(__file__).parent / "junit.xsd").getroot()
    rules = {str(one.get("name")): one for one in schema.findall(f"{XSD}element")}
    root = ElementTree.fromstring(text)
    assert violations(root, rules) == []
    return root


def test_junit_is_valid_and_counts_what_failed(ask: Ask) -> None:
    requires = ("auc >= 0.8", "auc.low >= 0.8", "recall >= 0.9 where fpr <= 0.1", "positives >= 10")
    said = [word for one in requires for word in ("--require", one)]
    code, out, _ = ask("gate", *LOANS, *said, "--format", "junit")
    root = checked(out)
    assert code == 1 and (root.get("tests"), root.get("failures")) == ("4", "2")
    cases = root.findall("testsuite/testcase")
    assert [one.get("name") for one in cases] == list(requires)
    assert [one.find("failure") is not None for one in cases] == [False, True, True, False]
    failure = cases[1].find("failure")
    assert failure is not None and failure.get("message") == "auc.low is 0.780171, not >= 0.8"


def test_the_check_of_junit_can_fail() -> None:
    for wrong in (
        "<testsuites><case/></testsuites>",
        "<testsuites tests='many'/>",
        "<testsuites>text</testsuites>",
        "<testsuites><testsuite name='a' tests='1' failures='0'/></testsuites>",
    ):
        with pytest.raises(AssertionError):
            checked(wrong)


@pytest.mark.parametrize("name", ['"><x/>', "a&b<c>", "]]>", "\x1b[31m", "\x00\ud800\ufffe", "\u202e\n\t", "é"])
def test_b116_names_are_escaped_in_junit(name: str) -> None:
    ev = evaluate([1, 0], [0.9, 0.1], name=name)
    document = gate(ev, "auc >= 2").to_dict()
    document["data"]["source"] = {"file": name}
    root = checked(junit.as_junit(document))
    suite = root.find("testsuite")
    assert suite is not None
    shown = str(suite.get("name"))
    assert "\x1b" not in shown and len(root.findall(".//testcase")) == 1
    if name.isprintable() or name == "\u202e\n\t":
        assert shown == name


# ---- Hugging Face ----


def test_a_model_index_is_yaml_that_says_what_was_measured(ask: Ask) -> None:
    yaml = pytest.importorskip("yaml")
    card = ("--card", "model=it's: a #1 [model]", "--card", "dataset=loans", "--card", "split=test")
    code, out, _ = ask("evaluate", *LOANS, "--format", "hf", *card)
    assert code == 0
    (one,) = yaml.safe_load(out)["model-index"]
    assert one["name"] == "it's: a #1 [model]"
    (result,) = one["results"]
    assert result["task"] == {"type": "tabular-classification"}
    assert result["dataset"] == {"name": "loans", "type": "loans", "split": "test"}
    auc = next(row for row in result["metrics"] if row["type"] == "roc_auc")
    assert (auc["value"], auc["args"]["low"]) == (boosting().auc.value, boosting().auc.low)
    assert all(isinstance(row["value"], float | int) for row in result["metrics"])


@given(st.one_of(st.floats(allow_nan=False, allow_infinity=False), st.text(max_size=20), st.integers()))
def test_yaml_scalars_come_back(value: Any) -> None:
    yaml = pytest.importorskip("yaml")
    from rocscope.report.trackers import _yaml

    if isinstance(value, str) and any(0xD800 <= ord(letter) <= 0xDFFF for letter in value):
        return
    assert yaml.safe_load(_yaml(value)) == value


@pytest.mark.parametrize("card", ["modell=x", "model", "model="])
def test_a_bad_card_is_refused(ask: Ask, card: str) -> None:
    code, out, err = ask("evaluate", *LOANS, "--format", "hf", "--card", card)
    assert code == 2 and out == "" and "--card" in err


def test_several_classes_have_a_model_index_and_metrics(ask: Ask) -> None:
    yaml = pytest.importorskip("yaml")
    Path("hard.csv").write_text("y,yhat\na,a\na,b\nb,b\nc,c\n")
    hard = ("evaluate", "hard.csv", "--label", "y", "--predicted", "yhat")
    (one,) = yaml.safe_load(ask(*hard, "--format", "hf")[1])["model-index"]
    names = [row["type"] for row in one["results"][0]["metrics"]]
    assert "accuracy" in names and "macro_f1" in names
    found = json.loads(ask(*hard, "--format", "dvc")[1])
    assert found["accuracy"] == 0.75 and found["classes"]["a"]["recall"] == 0.5
