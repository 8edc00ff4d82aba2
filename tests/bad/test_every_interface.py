"""The list of bad inputs through every interface: one number, or one sentence spelled for the interface.

Each case of `bad_inputs.py` goes through the command, `rs.evaluate(path)`, a pandas frame, the page and the JSON API of
a server; twenty-two good files, options and comparisons through all that take them. The table at the end says of every
number of the list which of the four interfaces try it, and why another cannot. The server is a process of its own.
"""

from __future__ import annotations

import io
import json
import math
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pandas as pd
import pytest
from bad_inputs import AUC, CASES, GOOD, SAME, Case
from in_process_page import Page
from privileges import open_to_all, without_privileges
from reports import HOSTILE
from serving import Server, serving
from test_one_road import GOOD_FILES, in_pandas, options

import rocscope as rs
from rocscope import RocscopeError, report
from rocscope.cli.shared.option_names import with_options
from rocscope.serve.control_names import with_controls
from rocscope.sources import files

Ask = Callable[..., tuple[int, str, str]]
LISTED = [f"B{number:03}" for number in range(1, 141)]
OPTION = re.compile(r"--[a-z]")
TOKEN = "a-token-of-sixteen-letters"
ARGUMENT = re.compile(r"\b[a-z_]+=")


@pytest.fixture
def page(tmp_path: Path) -> Page:
    folder = tmp_path / "page"
    folder.mkdir()
    return Page(folder)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("server")
    (folder / "token").write_text(TOKEN)
    (folder / "g.csv").write_text(GOOD)
    with serving(folder, str(folder / "g.csv"), "--token-file", str(folder / "token"), "--limit", "64MB") as started:
        yield started


def asked(server: Server, question: str, body: Any, **given: Any) -> tuple[int, Any]:
    """A question to the API with a file as its body and its arguments in the address, or all of it in JSON."""
    sent, kind = (body, "text/plain") if isinstance(body, bytes) else (json.dumps(body), "application/json")
    pairs = [(name, one) for name, value in given.items() for one in (value if isinstance(value, list) else [value])]
    address = f"/api/{question}?{urlencode([(name, _written(value)) for name, value in pairs])}"
    headers = {"Origin": None, "Authorization": f"Bearer {TOKEN}", "Content_Type": kind}
    status, _, answer = server.ask("POST", address, sent, **headers)  # type: ignore[arg-type]
    return status, json.loads(answer)


def _written(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def area(document: dict[str, Any]) -> float | None:
    value = next(row["value"] for row in document["areas"] if row["name"] == "auc")
    return None if value is None else float(value)


def found(call: Callable[[], Any]) -> float | RocscopeError | None:
    """The AUC of an evaluation, or its refusal; everything else is a defect."""
    try:
        value = float(call().auc)
    except RocscopeError as error:
        return error
    return None if math.isnan(value) else value


def agrees(answer: Any, expected: float | str | None) -> bool:
    if isinstance(expected, str):
        return isinstance(answer, RocscopeError) and expected in str(answer)
    return answer is None if expected is None else answer == pytest.approx(expected, abs=1e-12)


def frame_of(case: Case) -> pd.DataFrame:
    """What pandas makes of the file."""
    content = io.BytesIO(case.data)
    if case.name.endswith(".jsonl"):
        return pd.read_json(content, lines=True)
    return pd.read_parquet(content) if case.name.endswith(".parquet") else pd.read_csv(content)


def as_of_a_frame(message: str, case: Case) -> str:
    """The sentence about a file as a frame says it: without the name, with rows from 0 for lines."""
    before = 1 if case.name.endswith(".jsonl") else 2  # the first line of CSV is the header
    message = re.sub(r"first on line (\d+)", lambda line: f"first at row {int(line[1]) - before}", message)
    return message.removeprefix(case.name).removeprefix(": ")


def without_source(message: str) -> str:
    return message.removeprefix("a pandas frame").removeprefix(": ")


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("case", CASES, ids=str)
def test_one_number_or_one_sentence(
    case: Case, run: Ask, page: Page, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    Path(case.name).write_bytes(case.data)
    given = {"label": "y", "score": "p", **case.given}
    answer = found(lambda: rs.evaluate(case.name, **given))
    assert agrees(answer, case.answer), answer
    _by_command(case, answer, given, run)
    _on_the_page(case, answer, given, page)
    _by_the_server(case, answer, given, server)
    if case.frame is not None:
        _in_a_frame(case, answer, given)
    with monkeypatch.context() as patch:
        patch.setattr(files, "SMALL", 0)
        large = found(lambda: rs.evaluate(case.name, **given))
    assert str(large) == str(answer) if isinstance(answer, RocscopeError) else agrees(large, answer), large


def _by_command(case: Case, answer: Any, given: dict[str, Any], run: Ask) -> None:
    more = options({name: value for name, value in case.given.items() if name != "score"})
    columns = ("--label", "y", f"--score={given['score']}")
    code, out, err = run("evaluate", *columns, *more, "--format", "json", "--", case.name)
    if isinstance(answer, RocscopeError):
        assert (code, out, err) == (2, "", f"rocscope: {with_options(answer)}\n")
        assert not ARGUMENT.search(err.replace(case.name, ""))
    else:
        assert code == 0, err
        assert out == report.json(rs.evaluate(case.name, **given).to_dict())


def _on_the_page(case: Case, answer: Any, given: dict[str, Any], page: Page) -> None:
    if "weights" in given:
        return  # the page has no control for weights
    chosen = {"label": "y", "scores": [given["score"]], "positive": case.given.get("positive"),
              "lower": case.given.get("higher_is_positive") is False}  # fmt: skip
    status, body = page.evaluated(case.name, case.data, **chosen)
    if case.page is not SAME:
        assert case.page in body["error"] if isinstance(case.page, str) else area(body) == pytest.approx(case.page)
    elif isinstance(answer, RocscopeError):
        spelled = with_controls(answer)
        assert (status, body) == (400, {"error": spelled.message, "hint": spelled.hint})
        assert not OPTION.search(str(spelled)) and not ARGUMENT.search(str(spelled).replace(case.name, ""))
    else:
        assert status == 200 and (area(body) is None if answer is None else area(body) == pytest.approx(answer)), body


def _by_the_server(case: Case, answer: Any, given: dict[str, Any], server: Server) -> None:
    status, body = asked(server, "evaluate", case.data, filename=case.name, **given)
    if not case.data:
        assert (status, body["detail"]) == (400, "the body is empty")
    elif isinstance(answer, RocscopeError):
        assert (status, body["detail"]) == (400, answer.message), body
        assert "Traceback" not in str(body) and not OPTION.search(str(body))
    else:
        assert status == 200, body
        assert area(body) is None if answer is None else area(body) == pytest.approx(answer)


def _in_a_frame(case: Case, answer: Any, given: dict[str, Any]) -> None:
    framed = found(lambda: rs.evaluate(frame_of(case), **given))
    if case.frame is not SAME:
        assert isinstance(framed, RocscopeError) and str(case.frame) in str(framed), framed
    elif isinstance(answer, RocscopeError):
        assert isinstance(framed, RocscopeError)
        assert without_source(framed.message).strip() == as_of_a_frame(answer.message, case).strip()
    else:
        assert agrees(framed, answer), framed


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", GOOD_FILES)
def test_good_files_give_one_number(name: str, run: Ask, page: Page) -> None:
    content, given = GOOD_FILES[name]
    held = content() if callable(content) else content
    data = held if isinstance(held, bytes) else held.encode()
    Path(name).write_bytes(data)
    made = rs.evaluate(name, label="y", score="p", **given)
    code, out, err = run("evaluate", name, "--label", "y", "--score", "p", *options(given), "--format", "json")
    assert code == 0 and out == report.json(made.to_dict()), err
    assert float(rs.evaluate(in_pandas(name), label="y", score="p", **given).auc) == float(made.auc)
    if "weights" not in given:
        chosen = {"label": "y", "scores": ["p"], "positive": given.get("positive"),
                  "lower": given.get("higher_is_positive") is False}  # fmt: skip
        status, document = page.evaluated(name, data, **chosen)
        assert status == 200 and area(document) == float(made.auc)


# ---- text that is pasted ----

PASTED: dict[str, tuple[str, str]] = {
    "B008": ("", "nothing has been pasted yet"),
    "B074": ("y,p\n1,0.9\n0,0.4,7\n", "line 3 has 3 cells, but the first line has 2"),
    "B077": ("\x00\x01", ""),
    "B085": ("y,score\n1,0.9\n0,O.5\n", ""),
    "B014": ("y,score\nyes,0.9\nno,0.1\nyes,0.7\n", "state which is positive"),
}


@pytest.mark.parametrize("number", PASTED)
def test_a_bad_paste_is_one_sentence(number: str, page: Page) -> None:
    text, said = PASTED[number]
    status, body = page.pasted(text)
    if status == 200:  # what a text does not say is asked beside it
        assert number == "B014"
        return
    assert status == 400 and said in body["error"] and "Traceback" not in body["error"]
    assert not ARGUMENT.search(f"{body['error']} {body.get('hint', '')}"), body


def test_a_good_paste_is_the_number_of_the_library(page: Page) -> None:
    status, document = page.pasted(GOOD)
    assert status == 200 and area(document) == pytest.approx(AUC)


# ---- options ----

nan, inf = math.nan, math.inf
COSTS: Callable[..., Any] = rs.Costs
OPTIONS: tuple[tuple[str, dict[str, Any], list[str], str], ...] = (
    ("B021", {"positive": "maybe"}, ["--positive", "maybe"], "positive label 'maybe' is not in y, which has 0, 1"),
    ("B044", {"threshold": nan}, ["--threshold", "nan"], "threshold must not be NaN"),
    ("B045", {"threshold": inf}, ["--threshold", "inf"], ""),
    ("B045", {"threshold": -inf}, ["--threshold=-inf"], ""),
    ("B048", {"choose": "f-1"}, ["--choose", "f-1"], "no rule or measure 'f-1'"),
    ("B048", {"choose": "fnan"}, ["--choose", "fnan"], "no rule or measure 'fnan'"),
    ("B048", {"choose": "f0"}, ["--choose", "f0"], ""),
    ("B048", {"choose": "finf"}, ["--choose", "finf"], ""),
    ("B049", {"costs": (-1, 5, None)}, ["--cost-fp=-1", "--cost-fn", "5"], "cost"),
    ("B049", {"costs": (nan, 5, None)}, ["--cost-fp", "nan", "--cost-fn", "5"], "cost"),
    ("B049", {"costs": (0, 0, None)}, ["--cost-fp", "0", "--cost-fn", "0"], ""),
    ("B050", {"costs": (1, 5, 0)}, ["--cost-fn", "5", "--prevalence", "0"], "strictly between 0 and 1"),
    ("B050", {"costs": (1, 5, 1.5)}, ["--cost-fn", "5", "--prevalence", "1.5"], "strictly between 0 and 1"),
    ("B051", {"level": 95}, ["--level", "95"], "Write 0.95, not 95"),
    ("B051", {"level": 0}, ["--level", "0"], "level must lie between 0 and 1"),
    ("B051", {"level": 1}, ["--level", "1"], "level must lie between 0 and 1"),
    ("B051", {"level": nan}, ["--level", "nan"], "level must lie between 0 and 1"),
    ("B052", {"bootstrap": 1}, ["--bootstrap", "1"], "must be between 100 and 1,000,000, not 1"),
    ("B052", {"bootstrap": -5}, ["--bootstrap=-5"], "must be between 100 and 1,000,000, not -5"),
    ("B052", {"bootstrap": 10**12}, ["--bootstrap", "1000000000000"], "must be between 100 and 1,000,000"),
    ("B054", {"seed": -1}, ["--seed=-1"], "seed must be an integer of at least 0, not -1"),
    ("B054", {"seed": 2**70}, ["--seed", str(2**70)], "seed must be an integer of at least 0"),
    ("B044", {"tolerance": nan}, ["--tolerance", "nan"], "tolerance must be a positive number such as 1e-6, not nan"),
)


@pytest.mark.parametrize(("number", "given", "words", "said"), OPTIONS, ids=[f"{o[0]}-{o[2][-1]}" for o in OPTIONS])
def test_options_get_one_sentence(
    number: str, given: dict[str, Any], words: list[str], said: str, run: Ask, page: Page, server: Server
) -> None:
    Path("g.csv").write_text(GOOD)
    _option_of_the_server(given, said, server)
    _option_of_the_page(given, said, page)

    def document() -> Any:
        held = (
            {"costs": COSTS(fp=given["costs"][0], fn=given["costs"][1], prevalence=given["costs"][2])}
            if ("costs" in given)
            else given
        )
        return rs.evaluate("g.csv", label="y", score="p", **held).to_dict()

    code, out, err = run("evaluate", "g.csv", "--label", "y", "--score", "p", *words, "--format", "json")
    if not said:
        assert code == 0 and json.loads(out)["areas"] == json.loads(report.json(document()))["areas"]
        return
    with pytest.raises(RocscopeError) as refusal:
        document()
    assert said in str(refusal.value)
    assert (code, out) == (2, "") and said in err and err.count("\n") == 1


def _option_of_the_server(given: dict[str, Any], said: str, server: Server) -> None:
    sent = dict(given)
    if "costs" in given:
        sent["costs"] = {
            name: cost
            for name, cost in zip(("fp", "fn", "prevalence"), given["costs"], strict=True)
            if cost is not None
        }
    status, body = asked(server, "evaluate", {"file": "g.csv", "label": "y", "score": "p", **sent})
    numbers = [value for value in (*given.values(), *given.get("costs", ())) if isinstance(value, float)]
    if not all(map(math.isfinite, numbers)):
        assert status == 400  # JSON has neither NaN nor infinities
    else:
        assert (status == 200) == (not said) and status in (200, 400), body


def _option_of_the_page(given: dict[str, Any], said: str, page: Page) -> None:
    """The page has controls for the positive label and two costs."""
    chosen, more = {"label": "y", "scores": ["p"]}, {}
    if "positive" in given:
        chosen["positive"] = given["positive"]
    elif "costs" in given and given["costs"][2] is None:
        more = {"cost_fp": given["costs"][0], "cost_fn": given["costs"][1]}
    else:
        return
    card = page.ask("POST", "/files?name=g.csv", GOOD.encode())[1]
    status, body = page.ask("POST", "/evaluate", {"files": [{"id": card["id"], **chosen}], **more})
    assert status == (400 if said else 201), body
    assert not said or said in body["error"] or body["error"] == "the request is not valid JSON", body  # NaN is none


# ---- several columns ----

MODELS = "y,a,b\n1,0.9,0.9\n0,0.4,0.4\n1,0.3,0.3\n0,0.1,0.1\n1,0.8,0.8\n0,0.2,0.2\n"
PERFECT = "y,a,b\n" + "".join(f"{i % 2},{i % 2 + i / 99},{i % 2 + (20 - i) / 77}\n" for i in range(20))
HARD = "y,yhat\na,a\nb,a\na,a\na,c\n"
ALIKE = "y,a,b\nyes,yes,yes\nno,yes,yes\nno,no,no\nyes,yes,yes\n"
CLASSES = "y,p_a,p_b,p_c\na,0.9,0.5,0.1\nb,0.1,0.8,0.1\nc,0.2,0.2,0.6\n"
SUMS = "Probabilities do not sum to 1: row 0 sums to 1.5; they are used as scores and not rescaled."


@dataclass(frozen=True)
class Several:
    """A question about several columns of a file, and what the document of its answer must show."""

    question: str
    content: str
    given: dict[str, Any]
    holds: Callable[[dict[str, Any]], bool]

    @property
    def words(self) -> list[str]:
        """The options of the command."""
        pairs = [
            (name, one) for name, value in self.given.items() for one in ([value] if isinstance(value, str) else value)
        ]
        return [word for name, value in pairs for word in (f"--{name}", value)]

    @property
    def chosen(self) -> dict[str, Any]:
        """What is chosen on the page."""
        predicted = self.given.get("predicted")
        scores = self.given.get("score", predicted if isinstance(predicted, list) else [])
        return {"label": "y", "scores": scores, "positive": self.given.get("positive"),
                "predicted": predicted if isinstance(predicted, str) else None}  # fmt: skip


def first_difference(document: dict[str, Any]) -> tuple[float, float]:
    return document["differences"][0]["value"], document["differences"][0]["p"]


BOTH: dict[str, Any] = {"score": ["a", "b"]}
SEVERAL = {
    "B006": Several("evaluate", HARD, {"predicted": "yhat"},
                    lambda of: of["classes"]["b"]["precision"]["value"] is None),
    "B024": Several("evaluate", HARD, {"predicted": "yhat"}, lambda of: of["classes"]["c"]["recall"]["value"] is None),
    "B028": Several("evaluate", CLASSES, {"score": ["p_a", "p_b", "p_c"]}, lambda of: SUMS in of["caveats"]),
    "B058": Several("compare", MODELS, BOTH, lambda of: first_difference(of) == (0, 1)),
    "B059": Several("compare", PERFECT, BOTH,
                    lambda of: first_difference(of) == (0, 1) and of["differences"][0]["low"] < 0),
    "B060": Several("compare", ALIKE, {"predicted": ["a", "b"], "positive": "yes"},
                    lambda of: first_difference(of) == (0, 1)),
}  # fmt: skip


@pytest.mark.parametrize("number", SEVERAL)
def test_several_columns_get_one_answer(number: str, run: Ask, page: Page, server: Server) -> None:
    asks = SEVERAL[number]
    Path("s.csv").write_text(asks.content)
    function = rs.compare if asks.question == "compare" else rs.evaluate
    assert asks.holds(json.loads(report.json(function("s.csv", label="y", **asks.given).to_dict())))  # type: ignore[operator]
    code, out, err = run(asks.question, "s.csv", "--label", "y", *asks.words, "--format", "json")
    assert code == 0 and asks.holds(json.loads(out)), err
    status, document = page.evaluated("s.csv", asks.content.encode(), **asks.chosen)
    assert status == 200 and asks.holds(document), document
    status, document = asked(server, asks.question, asks.content.encode(), filename="s.csv", label="y", **asks.given)
    assert status == 200 and asks.holds(document), document


def test_b011_two_scores_for_one_label_are_no_evaluation_anywhere(run: Ask, page: Page, server: Server) -> None:
    Path("s.csv").write_text(MODELS)
    with pytest.raises(RocscopeError) as refusal:
        rs.evaluate("s.csv", label="y", score=["a", "b"])
    code, _, err = run("evaluate", "s.csv", "--label", "y", "--score", "a", "--score", "b")
    assert (code, err) == (2, f"rocscope: {with_options(refusal.value)}\n")
    status, body = asked(server, "evaluate", MODELS.encode(), filename="s.csv", label="y", score=["a", "b"])
    assert (status, body["detail"]) == (400, refusal.value.message)
    status, document = page.evaluated("s.csv", MODELS.encode(), label="y", scores=["a", "b"])
    assert status == 200 and "differences" in document  # there two scores are two models


def test_b010_b012_arrays_in_json(server: Server) -> None:
    """Columns of a request may be shaped like any array of Python."""
    y, p = [1, 0, 1, 0], [0.9, 0.4, 0.3, 0.1]
    for given, expected in (([[one] for one in p], 0.75), (0.5, None), ([], None), ([0.9], None)):
        status, body = asked(server, "evaluate", {"data": {"y": y, "p": given}, "label": "y", "score": "p"})
        assert status in (200, 400) and "Traceback" not in str(body), body
        assert status == 400 if expected is None else (status == 400 or area(body) == expected), body


def test_b053_resamples_of_one_positive(run: Ask, server: Server) -> None:
    rows = "y,p\n1,0.5\n" + "".join(f"0,{score}\n" for score in (0.8, 0.3, 0.2, 0.2, 0.1))
    Path("s.csv").write_text(rows)
    code, out, err = run("evaluate", "s.csv", "--label", "y", "--score", "p", "--bootstrap", "200", "--format", "json")
    status, body = asked(server, "evaluate", rows.encode(), filename="s.csv", label="y", score="p", bootstrap=200)
    assert code == 0 and status == 200 and json.loads(out)["areas"] == body["areas"], err
    assert 0 <= body["areas"][0]["low"] <= body["areas"][0]["high"] <= 1


def test_b055_b056_plans_that_cannot_be(run: Ask, page: Page) -> None:
    rows = "y,u,v,g\n" + "".join(f"{i % 2},{i / 9},{i * 7 % 5},{i // 4}\n" for i in range(12))
    Path("d.csv").write_text(rows)
    for plan in ("1-fold", "0-fold", "99-fold"):
        code, out, err = run("validate", "d.csv", "--target", "y", "--model", "nb", "--plan", plan)
        assert (code, out) == (2, "") and "fold" in err, err
        card = page.ask("POST", "/files?name=d.csv", rows.encode())[1]
        status, body = page.ask("POST", "/validate", {"id": card["id"], "target": "y", "models": ["nb"], "plan": plan})
        assert status == 400 and plan in body["error"], body
    words = ("--target", "y", "--model", "nb", "--group", "g")
    code, _, err = run("validate", "d.csv", *words, "--plan", "5-fold")
    assert code == 2 and "group" in err, err  # of three groups no five folds can be made
    assert run("validate", "d.csv", *words, "--plan", "3-fold")[0] == 0


def test_b057_models_on_different_rows_anywhere(run: Ask, page: Page, server: Server) -> None:
    long, short = "k,y,p\na,1,0.9\nb,0,0.4\nc,1,0.3\n", "k,y,p\na,1,0.9\nb,0,0.4\n"
    Path("a.csv").write_text(long)
    Path("b.csv").write_text(short)
    code, _, err = run("compare", "a.csv", "b.csv", "--label", "y", "--score", "p", "--id", "k")
    assert code == 2 and "same cases" in err, err
    cards = [page.ask("POST", f"/files?name={len(text)}.csv", text.encode())[1] for text in (long, short)]
    files = [{"id": card["id"], "label": "y", "scores": ["p"]} for card in cards]
    status, body = page.ask("POST", "/evaluate", {"files": files})
    assert status == 400 and "rows" in body["error"], body
    data = {"y": [1, 0, 1], "a": [0.9, 0.4, 0.3], "b": [0.9, 0.4]}
    status, body = asked(server, "compare", {"data": data, "label": "y", "score": ["a", "b"]})
    assert status == 400 and "Traceback" not in str(body), body


def test_b061_chance_agreement_of_one(run: Ask, page: Page, server: Server) -> None:
    code, out, _ = run("matrix", "9", "0", "0", "0", "--measure", "kappa", "--format", "json")
    assert code == 0 and json.loads(out)["measures"]["kappa"]["value"] is None, out
    status, body = asked(server, "matrix", {"tp": 9, "fp": 0, "fn": 0, "tn": 0, "measures": ["kappa"]})
    assert status == 200 and body["measures"]["kappa"]["value"] is None, body
    assert page.pasted("tp=9 fp=0 fn=0 tn=0")[0] == 200


def test_b062_b063_b064_b098_b101_paths_of_the_library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.csv").write_text(GOOD)
    Path("b.csv").write_text("y,q\n1,0.5\n")
    Path("loop").symlink_to("loop")
    Path("secret.csv").write_text(GOOD)
    Path("secret.csv").chmod(0)
    open_to_all(tmp_path)
    refusals = {"none.csv": "there is no file none.csv", ".": "is a directory", "loop": "Too many levels",
                "/dev/null": "is empty", "secret.csv": "Permission denied"}  # fmt: skip
    with without_privileges():
        for path, said in refusals.items():
            with pytest.raises(RocscopeError, match=said):
                rs.evaluate(path, label="y", score="p")
    with pytest.raises(RocscopeError, match="has no column 'p', which"):
        rs.evaluate(["a.csv", "b.csv"], label="y", score="p")  # type: ignore[call-overload]


def test_b062_b063_only_files_of_the_server_can_be_named(server: Server) -> None:
    for name in ("nothing.csv", ".", "/", "/etc/passwd", "../g.csv", "g.csv/", ""):
        status, body = asked(server, "evaluate", {"file": name, "label": "y", "score": "p"})
        assert status == 400 and body["detail"].startswith("the server has no file"), body


def test_b114_b115_b116_b117_b118_b119_b120_b121_b122_b124_names_in_answers_of_the_server(server: Server) -> None:
    for name in HOSTILE.values():
        data = {"y": [name, "no", name, "no"], name: [0.9, 0.4, 0.3, 0.1]}
        given = {"data": data, "label": "y", "score": name, "positive": name}
        status, document = asked(server, "evaluate", given)
        assert (status, document["name"]) == (200, name), document


# ---- the list ----


def tried() -> Iterator[str]:
    """The numbers that something in this folder tries; those of requests are tried where a server runs."""
    yield from (case.id for case in CASES)
    yield from (option[0] for option in OPTIONS)
    for path in (*Path(__file__).parent.glob("test_*.py"), Path(__file__).parents[1] / "test_serve.py"):
        for name in re.findall(r"^def test_([a-zA-Z0-9_]+)", path.read_text("utf-8"), re.MULTILINE):
            yield from (f"B{number}" for number in re.findall(r"(?<![a-z0-9])[bB]([01][0-9]{2})(?![0-9])", name))


def test_every_number_of_the_list_is_tried_here() -> None:
    missing = sorted(set(LISTED) - set(tried()))
    assert not missing, missing


FOUR = ("command", "library", "page", "server")
ELSEWHERE: dict[str, str] = {
    "B010 B012": "library server",
    "B011 B057": "command library page server",
    "B041 B042 B043": "library",
    "B046": "command library",
    "B047": "library",
    "B053": "command library server",
    "B055": "command library page",
    "B056": "command library",
    "B061": "command library page server",
    "B062 B063": "command library server",
    "B064 B090 B098": "command library",
    "B100": "command",
    "B101": "command library",
    "B102 B103 B104 B105 B106": "command",
    "B107 B108 B109 B110 B111 B112 B113": "command",
    "B114 B115 B116 B117 B118 B119 B120 B121 B122 B124": "command page server",
    "B123": "command page",
}
"""Where tests of their own, named after the number, try what is neither a file of one score nor an option."""
REQUESTS = {f"B{number}" for number in range(125, 141)}
WHY_NOT: dict[str, dict[str, str]] = {
    "the page has no such control": {
        "page": "B029 B030 B031 B032 B033 B044 B045 B046 B047 B048 B050 B051 B052 B053 B054 B056"},
    "an array of Python; files and requests have columns of single values": {
        "command": "B010 B012 B041 B042 B043", "page": "B010 B012 B041 B042 B043", "server": "B041 B042 B043"},
    "a question that the API does not have": {"server": "B046 B047 B055 B056"},
    "an argument of the library alone": {"command": "B047"},
    "a path: the page and a request bring the file itself, which is a private copy": {
        "page": "B062 B063 B064 B090 B098", "server": "B064 B090 B098"},
    "a request is about one file; the page compares two, which is no run over both": {"server": "B101", "page": "B101"},
    "only the command has configuration files": {"library": "B100", "page": "B100", "server": "B100"},
    "an output or a stream of the command; the others return their answer": {
        name: " ".join(f"B{number}" for number in range(102, 114)) for name in ("library", "page", "server")},
    "the library returns values; what shows them is the report": {
        "library": " ".join(f"B{number}" for number in range(114, 125))},
    "JSON asks for nothing": {"server": "B123"},
    "a request": {name: " ".join(sorted(REQUESTS)) for name in ("command", "library")},
}  # fmt: skip


def interfaces() -> dict[str, set[str]]:
    """The interfaces through which each number of the list is tried."""
    tried: dict[str, set[str]] = {number: set() for number in LISTED}
    for case in CASES:
        tried[case.id] |= {"command", "library", "server", *([] if "weights" in case.given else ["page"])}
    for number, given, _, _ in OPTIONS:
        control = "positive" in given or ("costs" in given and given["costs"][2] is None)
        tried[number] |= {"command", "library", "server", *(["page"] if control else [])}
    for number in SEVERAL:
        tried[number] |= set(FOUR)
    for numbers, names in ELSEWHERE.items():
        for number in numbers.split():
            tried[number] |= set(names.split())
    for number in REQUESTS:
        tried[number] |= {"page", "server"}  # one guard stands before both
    return tried


def test_every_number_is_tried_through_every_interface_that_takes_it() -> None:
    tried = interfaces()
    reasons = {
        (number, name) for why in WHY_NOT.values() for name, numbers in why.items() for number in numbers.split()
    }
    for number in LISTED:
        for name in FOUR:
            assert (name in tried[number]) != ((number, name) in reasons), (number, name)
