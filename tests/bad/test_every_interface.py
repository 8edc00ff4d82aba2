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
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pandas as pd
import pytest
from bad_inputs import AUC, CASES, GOOD, SAME, Case
from in_process_page import Page
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
    "B074": ("y,p\n1,0.9\n0,0.4,7\n", "line 3 has 3 cells, the first has 2"),
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
    ("B044", {"threshold": nan}, ["--threshold", "nan"], "threshold is NaN"),
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
    ("B052", {"bootstrap": 1}, ["--bootstrap", "1"], "1 resamples; 100 to 1,000,000 are needed"),
    ("B052", {"bootstrap": -5}, ["--bootstrap=-5"], "-5 resamples; 100 to 1,000,000 are needed"),
    ("B052", {"bootstrap": 10**12}, ["--bootstrap", "1000000000000"], "100 to 1,000,000 are needed"),
    ("B054", {"seed": -1}, ["--seed=-1"], "seed -1; an integer of at least 0 is needed"),
    ("B054", {"seed": 2**70}, ["--seed", str(2**70)], "an integer of at least 0 is needed"),
    ("B047", {"tolerance": nan}, ["--tolerance", "nan"], "tolerance nan; a positive number is needed"),
)


@pytest.mark.parametrize(("number", "given", "words", "said"), OPTIONS, ids=[f"{o[0]}-{o[2][-1]}" for o in OPTIONS])
def test_options_get_one_sentence(number: str, given: dict[str, Any], words: list[str], said: str, run: Ask) -> None:
    Path("g.csv").write_text(GOOD)

    def document() -> Any:
        held = {"costs": COSTS(fp=given["costs"][0], fn=given["costs"][1], prevalence=given["costs"][2])} if (
            "costs" in given
        ) else given
        return rs.evaluate("g.csv", label="y", score="p", **held).to_dict()

    code, out, err = run("evaluate", "g.csv", "--label", "y", "--score", "p", *words, "--format", "json")
    if not said:
        assert code == 0 and json.loads(out)["areas"] == json.loads(report.json(document()))["areas"]
        return
    with pytest.raises(RocscopeError) as refusal:
        document()
    assert said in str(refusal.value)
    assert (code, out) == (2, "") and said in err and err.count("\n") == 1


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
