"""One road: the command, `rs.evaluate(path)`, a pandas frame and the page give one number or one sentence."""

from __future__ import annotations

import gzip
import io
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rocscope as rs
from rocscope import report
from rocscope.cli.shared.option_names import with_options
from rocscope.errors import RocscopeError
from rocscope.serve.answers import Choice, answer
from rocscope.serve.tables import opened
from rocscope.sources import files as reader

Ask = Callable[..., tuple[int, str, str]]

CASES = "1,0.9,a\n0,0.4,b\n1,0.35,a\n0,0.1,b\n1,0.8,b\n0,0.3,a\n"
GOOD = f"y,p,site\n{CASES}"
QUOTED = 'note,y,p\n"two\nlines, ""x""",1,0.9\na,0,0.4\nb,1,0.35\n"c\n",0,0.1\n'


def parquet() -> bytes:
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    sink = io.BytesIO()
    pq.write_table(pa.table({"y": [1, 0, 1, 0], "p": [0.9, 0.4, 0.35, 0.1]}), sink)
    return sink.getvalue()


GOOD_FILES: dict[str, tuple[str | bytes | Callable[[], bytes], dict[str, Any]]] = {
    "plain.csv": (GOOD, {}),
    "mark.csv": (b"\xef\xbb\xbf" + GOOD.encode(), {}),
    "utf16.csv": (GOOD.encode("utf-16"), {}),
    "semicolon.csv": (GOOD.replace(",", ";"), {}),
    "tab.tsv": (GOOD.replace(",", "\t"), {}),
    "bar.csv": (GOOD.replace(",", "|"), {}),
    "quoted.csv": (QUOTED, {}),
    "old_mac.csv": (GOOD.replace("\n", "\r"), {}),
    "windows.csv": (GOOD.replace("\n", "\r\n"), {}),
    "packed.csv.gz": (gzip.compress(GOOD.encode()), {}),
    "blank_lines.csv": (GOOD.replace("\n0", "\n\n0"), {}),
    "lines.jsonl": ('{"y": 1, "p": 0.9}\n{"y": 0, "p": 0.4}\n{"y": 1, "p": 0.2}\n{"y": 0, "p": 0.1}\n', {}),
    "columns.parquet": (parquet, {}),
    "words.csv": (GOOD.replace("1,0", "sick,0").replace("\n0,", "\nwell,"), {"positive": "sick"}),
    "negative.csv": ("y,p\n-1,-3\n1,-2.5\n1,4e-3\n-1,-7\n", {}),
    "truth.csv": ("y,p\nTrue,0.7\nFalse,0.2\nTrue,0.1\nFalse,0.05\n", {}),
    "weighted.csv": ("y,p,w\n1,0.9,2\n0,0.4,1\n1,0.3,1\n0,0.2,3\n", {"weights": "w"}),
    "slices.csv": (GOOD, {"by": ["site"]}),
    "costs.csv": (GOOD, {"costs": rs.Costs(fp=1, fn=5)}),
    "missing.csv": (GOOD + "1,,a\n,0.2,b\n", {"missing": "drop"}),
    "low.csv": (GOOD, {"higher_is_positive": False}),
    "chosen.csv": (GOOD, {"choose": "youden", "level": 0.9}),
}

BAD_FILES: dict[str, tuple[str | bytes, str]] = {
    "empty.csv": (b"", "empty.csv is empty"),
    "blank.csv": (b"\n \n", "blank.csv is empty"),
    "header.csv": ("y,p\n", "has no rows"),
    "no_header.csv": ("1,0.9\n0,0.4\n", "has no column 'y'"),
    "latin.csv": (GOOD.replace("1,", "é,").encode("latin-1"), "on line 2"),
    "decimal_comma.csv": ("y;p\n1;0,93\n0;0,4\n", "line 2, column 'p': '0,93' is not a finite number"),
    "thousands.csv": ('y,p\n1,"1,234"\n', "line 2, column 'p': '1,234'"),
    "ragged.csv": (GOOD + "0\n", "line 8: 1 field"),
    "open_quote.csv": ('y,p\n1,0.9\n"0,0.4\n1,0.3\n', "begins on line 3 is never closed"),
    "nul.csv": (b"y,p\n1,0\x00.9\n", "byte 7 is NUL"),
    "no_score.csv": ("y,p\n1,0.9\n0,\n1,0.3\n", "'p' is missing in 1 row (first on line 3)"),
    "no_label.csv": ("y,p\n1,0.9\n,0.1\n0,0.3\n", "'y' is missing in 1 row (first on line 3)"),
    "text_score.csv": ("y,p\n1,0.9\n0,high\n", "line 3, column 'p': 'high' is not a finite number"),
    "infinite.csv": ("y,p\n1,inf\n0,0.2\n", "line 2, column 'p': 'inf' is not a finite number"),
    "two_columns.csv": ("y,p,p\n1,0.9,0.1\n0,0.4,0.2\n", "the column 'p' appears twice"),
    "yes_no.csv": ("y,p\nyes,0.9\nno,0.3\n", "state which is positive"),
    "three_labels.csv": ("y,p\na,0.9\nb,0.3\nc,0.1\n", "must have two"),
    "list.jsonl": ('{"y": 1, "p": [0.9]}\n{"y": 0, "p": [0.1]}\n', "contains a list"),
}


@pytest.fixture
def ask(run: Ask) -> Ask:
    return run


def write(name: str, content: str | bytes | Callable[[], bytes]) -> str:
    held = content() if callable(content) else content
    Path(name).write_bytes(held if isinstance(held, bytes) else held.encode())
    return name


def options(given: dict[str, Any]) -> list[str]:
    """The arguments of Python as options of the command."""
    words: list[str] = []
    for name, value in given.items():
        if name == "costs":
            words += ["--cost-fp", str(value.fp), "--cost-fn", str(value.fn)]
        elif name == "higher_is_positive":
            words += ["--lower-is-positive"]
        elif name == "by":
            words += [word for one in value for word in ("--by", one)]
        else:
            words += [{"weights": "--weight"}.get(name, f"--{name}"), str(value)]
    return words


@pytest.mark.parametrize("name", GOOD_FILES)
def test_a_good_file_gives_one_document(ask: Ask, name: str) -> None:
    content, given = GOOD_FILES[name]
    path = write(name, content)
    made = rs.evaluate(path, label="y", score="p", **given)
    code, out, err = ask("evaluate", path, "--label", "y", "--score", "p", *options(given), "--format", "json")
    assert code == 0, err
    assert out == report.json(made.to_dict())
    page = answer([(opened(Path(path), path), choice(given))], costs=given.get("costs"))
    asked = {"weights", "choose", "level", "higher_is_positive"} & set(given)
    if not asked:  # the page has no such control
        assert page.to_dict()["areas"] == made.to_dict()["areas"]
        assert page.to_dict()["data"]["left_out"] == made.to_dict()["data"]["left_out"]


def choice(given: dict[str, Any]) -> Choice:
    by = given.get("by")
    return Choice("y", ("p",), given.get("positive"), by=by[0] if by else None)


@pytest.mark.parametrize("size", ["small", "large"])
@pytest.mark.parametrize("name", BAD_FILES)
def test_a_bad_file_gives_one_sentence(ask: Ask, monkeypatch: pytest.MonkeyPatch, name: str, size: str) -> None:
    if size == "large":
        monkeypatch.setattr(reader, "SMALL", 0)
    content, said = BAD_FILES[name]
    path = write(name, content)
    with pytest.raises(RocscopeError) as refused:
        rs.evaluate(path, label="y", score="p")
    assert said in refused.value.message + refused.value.hint and "--" not in refused.value.hint
    code, out, err = ask("evaluate", path, "--label", "y", "--score", "p")
    assert (code, out) == (2, "")
    assert err == f"rocscope: {with_options(refused.value)}\n"
    if "is missing" in said:  # the page leaves rows out, and says how many
        assert sum(answer([(opened(Path(path), path), choice({}))]).left_out.values()) == 1
        return
    with pytest.raises(RocscopeError) as shown:
        answer([(opened(Path(path), path), choice({}))])
    assert shown.value.message == refused.value.message


@pytest.mark.usefixtures("run")
@pytest.mark.parametrize("name", GOOD_FILES)
def test_a_frame_gives_the_same_numbers(name: str) -> None:
    content, given = GOOD_FILES[name]
    path = write(name, content)
    of_file = rs.evaluate(path, label="y", score="p", **given).to_dict()
    of_frame = rs.evaluate(in_pandas(path), label="y", score="p", **given).to_dict()
    for part in ("areas", "measures", "point", "rules", "costs", "hull", "calibration", "slices"):
        assert of_frame[part] == of_file[part]
    assert of_frame["data"]["left_out"] == of_file["data"]["left_out"]


def in_pandas(path: str) -> Any:
    """The file as pandas reads it."""
    pd = pytest.importorskip("pandas")
    if path.endswith(".jsonl"):
        return pd.read_json(path, lines=True)
    if path.endswith(".parquet"):
        return pd.read_parquet(path)
    if path == "quoted.csv":
        return pd.read_csv(path)
    return pd.read_csv(path, sep=None, engine="python", encoding="utf-16" if path.startswith("utf16") else "utf-8-sig")


def test_a_frame_says_what_is_missing() -> None:
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"y": [1, 0, 1], "p": [0.9, np.nan, 0.3]})
    with pytest.raises(RocscopeError, match="1 row"):
        rs.evaluate(frame, label="y", score="p")


# ---- several classes, several models, saved tables ----


def test_classes_and_hard_labels_give_one_document(ask: Ask) -> None:
    hard = write("hard.csv", "y,yhat\ncat,cat\ndog,cat\nrat,rat\ncat,cat\n")
    _, out, _ = ask("evaluate", hard, "--label", "y", "--predicted", "yhat", "--format", "json")
    assert out == report.json(rs.evaluate(hard, label="y", predicted="yhat").to_dict())
    rows = "cat,0.7,0.2,0.1\ndog,0.1,0.8,0.1\nrat,0.3,0.3,0.4\ncat,0.4,0.5,0.1\n"
    pets = write("pets.csv", "y,p_cat,p_dog,p_rat\n" + rows)
    columns = ["p_cat", "p_dog", "p_rat"]
    scored = [word for name in columns for word in ("--score", name)]
    _, out, _ = ask("evaluate", pets, "--label", "y", *scored, "--format", "json")
    assert out == report.json(rs.evaluate(pets, label="y", score=columns).to_dict())
    named = [word for name in columns for word in ("--probability", f"{name}={name[2:]}")]
    _, out, _ = ask("evaluate", pets, "--label", "y", *named, "--format", "json")
    assert out == report.json(rs.evaluate(pets, label="y", score=columns, labels=["cat", "dog", "rat"]).to_dict())


def test_models_in_columns_and_in_files_give_one_document(ask: Ask) -> None:
    both = write("both.csv", "id,y,a,b\n1,1,0.9,0.8\n2,0,0.4,0.5\n3,1,0.3,0.6\n4,0,0.1,0.2\n")
    _, out, _ = ask("compare", both, "--label", "y", "--score", "a", "--score", "b", "--format", "json")
    assert out == report.json(rs.compare(both, label="y", score=["a", "b"]).to_dict())
    one = write("one.csv", "id,y,p\n1,1,0.9\n2,0,0.4\n3,1,0.3\n4,0,0.1\n")
    two = write("two.csv", "id,y,p\n4,0,0.2\n3,1,0.6\n2,0,0.5\n1,1,0.8\n")
    _, out, _ = ask("compare", one, two, "--label", "y", "--score", "p", "--id", "id", "--format", "json")
    made = rs.compare([one, two], label="y", score="p", id="id")
    assert out == report.json(made.to_dict())
    assert made.names == ("one", "two") or list(made.names) == ["one", "two"]
    chosen = [(opened(Path(path), path), Choice("y", ("p",), "1", id="id")) for path in (one, two)]
    page = answer(chosen)
    assert page.to_dict()["differences"][0]["value"] == pytest.approx(made.to_dict()["differences"][0]["value"])


def test_unmatched_ids_are_refused_alike(ask: Ask) -> None:
    one = write("one.csv", "id,y,p\n1,1,0.9\n2,0,0.4\n3,1,0.3\n4,0,0.1\n")
    two = write("two.csv", "id,y,p\n4,0,0.2\n3,1,0.6\n2,0,0.5\n")
    code, _, err = ask("compare", one, two, "--label", "y", "--score", "p", "--id", "id")
    assert code == 2 and "have no match" in err
    chosen = [(opened(Path(path), path), Choice("y", ("p",), "1", id="id")) for path in (one, two)]
    with pytest.raises(RocscopeError) as shown:
        answer(chosen)
    with pytest.raises(RocscopeError) as refused:
        rs.compare([one, two], label="y", score="p", id="id")
    assert err == f"rocscope: {with_options(refused.value)}\n" and shown.value.message == refused.value.message


@pytest.mark.usefixtures("run")
def test_files_without_ids_are_matched_row_by_row() -> None:
    one = write("one.csv", "y,a\n1,0.9\n0,0.4\n1,0.3\n0,0.1\n1,0.8\n")
    two = write("two.csv", "y,b\n1,0.8\n0,0.5\n1,\n0,0.2\n1,0.7\n")
    chosen = [(opened(Path(path), path), Choice("y", (name,), "1")) for path, name in ((one, "a"), (two, "b"))]
    found = answer(chosen)
    expected = rs.compare([1, 0, 0, 1], {"a": [0.9, 0.4, 0.1, 0.8], "b": [0.8, 0.5, 0.2, 0.7]})
    assert found.to_dict()["differences"] == expected.to_dict()["differences"]
    assert dict(found.to_dict()["data"]["left_out"]) == {"no score of b in two.csv": 1}


def test_a_saved_table_gives_one_document(ask: Ask) -> None:
    path = write("scores.csv", GOOD)
    ev = rs.evaluate(path, label="y", score="p")
    assert isinstance(ev, rs.Evaluation)
    ev.table.save("day.rst", name="p")
    _, out, _ = ask("evaluate", "day.rst", "--cost-fn", "5", "--format", "json")
    assert out == report.json(rs.evaluate("day.rst", costs=rs.Costs(fp=1, fn=5)).to_dict())


def test_a_threshold_chosen_on_other_cases_gives_one_document(ask: Ask) -> None:
    path, other = write("scores.csv", GOOD), write("other.csv", GOOD)
    words = ["--label", "y", "--score", "p", "--choose", "f1", "--choose-on", other]
    _, out, _ = ask("evaluate", path, *words, "--format", "json")
    assert out == report.json(rs.evaluate(path, label="y", score="p", choose="f1", choose_on=other).to_dict())


# ---- arguments that cannot be used ----


TABLE = rs.ScoreTable.from_scores([1, 0, 1, 0], [0.9, 0.4, 0.3, 0.1])


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: rs.evaluate(TABLE, positive=0),
        lambda: rs.evaluate(TABLE, labels=[0, 1]),
        lambda: rs.evaluate(TABLE, budget=1),
        lambda: rs.evaluate(TABLE, higher_is_positive=False),
        lambda: rs.evaluate([1, 0], [0.9, 0.1], labels=[0, 1]),
        lambda: rs.evaluate([1, 0], [0.9, 0.1], tolerance=0.1),
        lambda: rs.evaluate([1, 0], [0.9, 0.1], crossed=True),
        lambda: rs.evaluate([1, 0], [0.9, 0.1], choose_on=TABLE),
        lambda: rs.evaluate([1, 0], predicted=[1, 0], higher_is_positive=False),
        lambda: rs.evaluate([1, 0], predicted=[1, 0], choose_on=TABLE, choose="f1"),
        lambda: rs.evaluate([1, 0], [0.9, 0.1], weights_are="frequency"),
        lambda: rs.evaluate([1, 0], [[0.9, 0.1], [0.2, 0.8]], weights=[1, 2], weights_are="frequency"),
        lambda: rs.compare([1, 0], {"a": [0.9, 0.1], "b": [0.1, 0.2]}, id="case"),
    ],
)
def test_what_cannot_be_used_is_refused(wrong: Callable[[], Any]) -> None:
    with pytest.raises(RocscopeError):
        wrong()


@pytest.mark.usefixtures("run")
def test_weights_have_one_name() -> None:
    w = [2.0, 1.0, 1.0, 3.0]
    path = write("w.csv", "y,p,w\n1,0.9,2\n0,0.4,1\n1,0.3,1\n0,0.2,3\n")
    in_file = rs.evaluate(path, label="y", score="p", weights="w")
    in_arrays = rs.evaluate([1, 0, 1, 0], [0.9, 0.4, 0.3, 0.2], weights=w)
    assert in_file.auc.value == in_arrays.auc.value
    for call in (rs.evaluate, rs.compare):
        with pytest.raises(TypeError, match="weight"):
            call([1, 0], [0.9, 0.1], weight=[1, 1])  # type: ignore[operator]


def test_a_gate_is_true_only_when_met_and_prints_its_table() -> None:
    ev = rs.evaluate([1, 1, 0, 1, 0, 0], [0.9, 0.8, 0.7, 0.6, 0.4, 0.3])
    met, failed = rs.gate(ev, "auc >= 0.8"), rs.gate(ev, "auc >= 0.8", "auc.low >= 0.99")
    assert met and not failed
    assert str(failed).startswith("The gate is not met: 1 of 2 conditions fails.") and "auc.low" in str(failed)


# ---- guessing ----


@pytest.mark.parametrize(
    ("content", "taken"),
    [
        ("y,a,b,c\n1,0.9,0.8,0.7\n0,0.2,0.1,0.3\n1,0.4,0.6,0.5\n",
         "compare f.csv --label y --score a --score b --score c"),
        ("y,p_0,p_1,p_2\n0,0.9,0.1,0\n1,0.2,0.7,0.1\n2,0.1,0.2,0.7\n",
         "evaluate f.csv --label y --score 'p_*'"),
        ("y,p_0,p_1\n0,0.9,0.1\n1,0.2,0.8\n1,0.4,0.6\n", "evaluate f.csv --label y --score p_1"),
    ],
)  # fmt: skip
def test_columns_are_guessed_as_the_page_guesses(ask: Ask, content: str, taken: str) -> None:
    code, _, err = ask(write("f.csv", content))
    assert code == 0 and f"interpreted as  rocscope {taken}\n" in err


@pytest.mark.parametrize("header", ["y,p", "outcome,a", "y,score,age"])
def test_text_among_scores_is_refused_with_its_line(ask: Ask, header: str) -> None:
    name, more = header.split(",")[1], ",40" if "age" in header else ""
    rows = "".join(f"{y},{p}{more}\n" for y, p in ((1, 0.9), (0, 0.4), (1, "high"), (0, 0.1), (1, 0.8)))
    code, out, err = ask(write("f.csv", f"{header}\n{rows}"))
    assert (code, out) == (2, "")
    assert f"f.csv, line 4, column '{name}': 'high' is not a finite number" in err


@pytest.mark.parametrize("name", ["p", "score"])
def test_text_in_a_column_named_as_a_score_is_refused_with_its_line_in_two_rows(ask: Ask, name: str) -> None:
    code, out, err = ask(write("f.csv", f"y,{name}\n1,0.9\n0,high\n"))
    assert (code, out) == (2, "")
    assert f"f.csv, line 3, column '{name}': 'high' is not a finite number" in err


def test_labels_in_words_are_asked_with_a_command_to_copy(ask: Ask) -> None:
    code, out, err = ask(write("f.csv", "churn,p\nYes,0.9\nNo,0.2\nYes,0.4\nNo,0.3\n"))
    wanted = "rocscope evaluate f.csv --label churn --score p --positive Yes"
    assert (code, out) == (2, "") and wanted in err
    found = re.search(r"Write rocscope (.*)$", err.strip())
    assert found is not None and ask(*found[1].split())[0] == 0
    code, out, _ = ask("f.csv", "--positive", "Yes", "--format", "json")
    assert code == 0 and json.loads(out)["data"]["source"]["positive"] == "Yes"


def test_a_cut_off_is_a_threshold(ask: Ask) -> None:
    for name in ("cut-off", "Cutoff", "threshold"):
        path = write("t.csv", f"{name},tp,fp,fn,tn\n0.9,1,0,2,3\n0.5,2,1,1,2\n0.1,3,3,0,0\n")
        code, out, err = ask("curve", path, "--format", "json")
        assert code == 0 and json.loads(out)["points"], err
