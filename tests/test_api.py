"""The JSON API over real HTTP: the answers of the functions, who is let in, and what a wrong request gets."""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from serving import Client, Server, serving

import rocscope as rs

pytest.importorskip("starlette")
pytest.importorskip("uvicorn")

from rocscope.serve import openapi

TOKEN = "a-token-of-sixteen-letters"
ROWS = [(i, int(i % 3 == 0), (i * 37 % 100) / 100, (i * 53 % 100) / 100, "xy"[i % 2]) for i in range(90)]
CSV = "id,y,a,b,group\n" + "".join(",".join(map(str, row)) + "\n" for row in ROWS)
DATA = {name: [row[place] for row in ROWS] for place, name in enumerate(("id", "y", "a", "b", "group"))}
ASK: dict[str, Any] = {"data": DATA, "label": "y", "score": "a"}
USUAL: dict[str, dict[str, Any]] = {
    "evaluate": ASK, "compare": {**ASK, "score": ["a", "b"]}, "gate": {**ASK, "require": "auc >= 0.5"},
    "matrix": {"tp": 7, "fp": 7, "fn": 3, "tn": 13},
}  # fmt: skip


def started(folder: Path, *words: str) -> Any:
    (folder / "token").write_text(TOKEN)
    (folder / "scores.csv").write_text(CSV)
    return serving(folder, str(folder / "scores.csv"), "--token-file", str(folder / "token"), *words)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with started(tmp_path_factory.mktemp("api"), "--limit", "1MB") as made:
        yield made


@pytest.fixture(scope="module")
def read_only(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with started(tmp_path_factory.mktemp("read-only"), "--read-only") as made:
        yield made


def ask(server: Server, path: str, body: Any = None, kind: str = "application/json", **headers: Any) -> Any:
    """A request of a program: no Origin, no cookie, the token."""
    sent = json.dumps(body) if isinstance(body, dict) else body
    own = {"Origin": None, "Authorization": f"Bearer {TOKEN}", "Content_Type": kind}
    return server.ask("GET" if body is None else "POST", path, sent, **{**own, **headers})


def answer(server: Server, path: str, body: Any = None, kind: str = "application/json") -> Any:
    status, _, found = ask(server, path, body, kind)
    assert status == 200, found
    return json.loads(found)


def without_source(document: Any) -> Any:
    """Without the name of the file, which is a path on the command line."""
    return {**document, "data": {**document["data"], "source": None}}


def as_json(result: Any) -> Any:
    return json.loads(rs.report.json(result.to_dict()))


# ---- the answers ----


def test_data_in_the_request_is_evaluated_as_by_the_function(server: Server) -> None:
    asked = {**ASK, "by": "group", "costs": {"fp": 1, "fn": 5}, "level": 0.9}
    expected = rs.evaluate(DATA, label="y", score="a", by="group", costs=rs.Costs(fp=1, fn=5), level=0.9)
    assert answer(server, "/api/evaluate", asked) == as_json(expected)
    rows = [dict(zip(DATA, row, strict=True)) for row in ROWS]
    assert answer(server, "/api/evaluate", {**asked, "data": rows})["areas"] == as_json(expected)["areas"]


def test_a_file_of_the_server_is_answered_as_by_the_command(server: Server, run: Any) -> None:
    path = str(server.folder / "scores.csv")
    found = answer(server, "/api/evaluate", {"file": "scores.csv", "label": "y", "score": "a", "choose": "f1"})
    code, out, _ = run("evaluate", path, "--label", "y", "--score", "a", "--choose", "f1", "--format", "json")
    assert code == 0 and without_source(found) == without_source(json.loads(out))
    assert found["data"]["source"]["file"] == "scores.csv"
    assert answer(server, "/api/files") == {"files": [{"name": "scores.csv", "size": len(CSV)}]}


@pytest.mark.parametrize("packed", [False, True])
def test_a_file_as_the_body_is_answered_and_leaves_nothing(server: Server, packed: bool) -> None:
    import gzip

    body = gzip.compress(CSV.encode()) if packed else CSV.encode()
    named = "week.csv.gz" if packed else "week.csv"
    query = f'score=a&score=b&label=y&filename={named}&missing=drop&level=0.9&costs={{"fn":5}}'.replace('"', "%22")
    found = answer(server, f"/api/compare?{query}", body, "text/csv")
    costs = rs.Costs(fp=1, fn=5)
    expected = rs.compare(DATA, label="y", score=["a", "b"], missing="drop", level=0.9, costs=costs)
    assert found["differences"] == as_json(expected)["differences"]
    assert server.uploads() == []


def test_a_saved_table_and_a_gate(server: Server, tmp_path: Path) -> None:
    ev = rs.evaluate(DATA, label="y", score="a")
    ev.table.save(tmp_path / "day.scoretable.parquet")
    body = (tmp_path / "day.scoretable.parquet").read_bytes()
    found = answer(server, "/api/gate?require=auc%20>=%200.99&filename=day".replace(">", "%3E"), body, "x/y")
    assert found["kind"] == "gate" and found["met"] is False
    asked = {**ASK, "require": ["auc >= 0.1", "cases == 90"], "against": ev.to_dict()}
    found = answer(server, "/api/gate", asked)
    assert found["met"] is True and [one["change"] for one in found["against"]["changes"]] == [0.0, 0.0]
    status, headers, junit = ask(server, "/api/gate?format=junit", asked)
    assert status == 200 and headers["content-type"].startswith("application/xml") and b"<testsuites" in junit


def test_four_numbers(server: Server, run: Any) -> None:
    found = answer(server, "/api/matrix", {"tp": 7, "fp": 7, "fn": 3, "tn": 13, "measures": ["recall"]})
    assert found == json.loads(run("matrix", "7", "7", "3", "13", "--measure", "recall", "--format", "json")[1])
    assert answer(server, "/api/matrix", {"tp": 5, "fp": 3, "fn": 7, "tn": "x - 3"})["counts"]["tn"] == "x - 3"


@pytest.mark.parametrize("question", ["evaluate", "compare", "gate", "matrix"])
def test_every_format_is_written_as_what_it_says(server: Server, question: str) -> None:
    for format in openapi.FORMATS[question]:
        status, headers, found = ask(server, f"/api/{question}?format={format}", USUAL[question])
        assert status == 200 and found, (format, found)
        assert headers["content-type"].split(";")[0] == openapi.MEDIA[format].split(";")[0]
        policy = headers["content-security-policy"]
        assert ("sha256-" in policy) == (format == "html") and "'unsafe" not in policy


# ---- who is let in ----


def test_health_and_the_documents_need_no_token(server: Server, read_only: Server) -> None:
    assert answer(server, "/health") == {"status": "ok", "version": rs.__version__, "read_only": False}
    assert answer(read_only, "/health")["read_only"] is True
    for path in ("/health", "/api/openapi.json", "/api/schema.json"):
        assert server.ask("GET", path)[0] == 200
        assert server.ask("GET", path, Host="evil.example")[0] == 421
        assert server.ask("POST", path, "{}")[0] in (401, 403, 405)


@pytest.mark.parametrize(
    "shown", [None, "", "Bearer", "Bearer ", "Bearer guess", f"Basic {TOKEN}", TOKEN, "Bearer \xe9"]
)
def test_without_the_token_nothing_is_answered(server: Server, shown: str | None) -> None:
    for path, body in (("/api/files", None), ("/api/evaluate", ASK)):
        status, headers, found = ask(server, path, body, Authorization=shown)
        assert status in (401, 403) and problem(headers, found)["status"] == status
        assert status == 403 or headers["www-authenticate"] == "Bearer"
        if shown is None:  # a program learns what to send; only a browser is asked for its page
            assert status == 401 and "Bearer TOKEN" in problem(headers, found)["hint"]


def test_another_page_is_refused_with_the_token_too(server: Server) -> None:
    for foreign in ({"Origin": "http://evil.example"}, {"Origin": "null"}, {"Sec_Fetch_Site": "cross-site"}):
        status, headers, found = ask(server, "/api/evaluate", ASK, **foreign)
        assert status == 403 and problem(headers, found)
    status, headers, found = ask(server, "/api/evaluate", ASK, Host="evil.example")
    assert status == 421 and problem(headers, found)
    own = f"http://{server.host}"
    assert ask(server, "/api/evaluate", ASK, Origin=own, Sec_Fetch_Site="same-origin")[0] == 200


def test_the_cookie_of_the_page_opens_the_api_to_our_own_page_alone(server: Server) -> None:
    client = Client.enter(server)
    sent = json.dumps(ASK)
    assert client.ask("POST", "/api/evaluate", sent, Content_Type="application/json")[0] == 200
    assert client.ask("POST", "/api/evaluate", sent, Content_Type="application/json", Origin=None)[0] == 403  # type: ignore[arg-type]


def test_a_token_is_made_where_there_is_none_and_a_short_one_is_refused(tmp_path: Path, run: Any) -> None:
    with serving(tmp_path, "--token-file", str(tmp_path / "new")) as made:
        token = (tmp_path / "new").read_text().strip()
        assert len(token) >= 32 and (tmp_path / "new").stat().st_mode & 0o077 == 0
        assert ask(made, "/api/files", Authorization=f"Bearer {token}")[0] == 200
        assert not any(token in line for line in made.said)
    for content in ("short", "", "two words and many letters", "x" * 5000):
        (tmp_path / "bad").write_text(content)
        code, _, err = run("serve", "--no-browser", "--token-file", str(tmp_path / "bad"))
        assert code == 2 and "token" in err and "Traceback" not in err


# ---- read-only ----


def test_a_read_only_server_answers_about_its_own_files_alone(read_only: Server) -> None:
    asked = {"file": "scores.csv", "label": "y", "score": "a"}
    assert answer(read_only, "/api/evaluate", asked)["kind"] == "evaluation"
    assert answer(read_only, "/api/matrix", {"tp": 7, "fp": 7, "fn": 3, "tn": 13})
    for body, kind in ((ASK, "application/json"), (CSV.encode(), "text/csv")):
        status, headers, found = ask(read_only, "/api/evaluate?label=y&score=a", body, kind)
        assert status == 403 and "read-only" in problem(headers, found)["detail"]
    client = Client.enter(read_only)
    for path in ("/files?name=x", "/paste", "/recognise", "/validate"):
        status, _, found = client.ask("POST", path, "{}")
        assert status == 403 and b"read-only" in found
    card = client.json("GET", "/state")["files"][0]
    chosen = {"files": [{"id": card["id"], "label": "y", "scores": ["a"], "positive": "1"}]}
    assert client.json("POST", "/evaluate", chosen)["report"]
    assert read_only.uploads() == []


# ---- wrong requests ----


def problem(headers: dict[str, str], body: bytes) -> Any:
    assert headers["content-type"] == "application/problem+json", body
    found = json.loads(body)
    assert {"type", "title", "status", "detail"} <= set(found)
    return found


WRONG: list[tuple[str, Any, str, int, str]] = [
    ("/api/evaluate", "{", "application/json", 400, "not valid JSON"),
    ("/api/evaluate", "[1]", "application/json", 400, "object"),
    ("/api/evaluate", '{"level": NaN}', "application/json", 400, "not valid JSON"),
    ("/api/evaluate", "[" * 100_000, "application/json", 400, "not valid JSON"),
    ("/api/evaluate", {}, "application/json", 400, "give the cases exactly once"),
    ("/api/evaluate", {**ASK, "file": "scores.csv"}, "application/json", 400, "once"),
    ("/api/evaluate", {"file": "scores.cvs"}, "application/json", 400, "no file"),
    ("/api/evaluate", {"file": "../token"}, "application/json", 400, "no file"),
    ("/api/evaluate", {"data": DATA}, "application/json", 400, "label"),
    ("/api/evaluate", {"data": DATA, "label": "y"}, "application/json", 400, "score"),
    ("/api/evaluate", {**ASK, "score": "zzz"}, "application/json", 400, "zzz"),
    ("/api/evaluate", {**ASK, "choos": "f1"}, "application/json", 400, "no argument 'choos'"),
    ("/api/evaluate", {**ASK, "choose": "no such rule"}, "application/json", 400, "no such rule"),
    ("/api/evaluate", {**ASK, "interval": "no such"}, "application/json", 400, "no such"),
    ("/api/evaluate", {**ASK, "bootstrap": 10**9}, "application/json", 400, "from 0 to 10000"),
    ("/api/evaluate", {**ASK, "costs": {"fp": "1"}}, "application/json", 400, "costs"),
    ("/api/evaluate", {**ASK, "costs": {"fpp": 1}}, "application/json", 400, "costs"),
    ("/api/evaluate", {**ASK, "progress": "x"}, "application/json", 400, "no argument"),
    ("/api/evaluate", {**ASK, "data": {"y": [1, 0], "a": [1]}}, "application/json", 400, ""),
    ("/api/evaluate", {**ASK, "data": {"y": [], "a": []}}, "application/json", 400, ""),
    ("/api/evaluate", {**ASK, "data": []}, "application/json", 400, ""),
    ("/api/evaluate", {**ASK, "data": [{"y": 1}, {"a": 2}]}, "application/json", 400, ""),
    ("/api/evaluate", {**ASK, "data": {"y": [[1], {}], "a": [None, "x"]}}, "application/json", 400, ""),
    ("/api/evaluate", {**ASK, "data": {"y": [1, 0], "a": [1e999, 2]}}, "application/json", 400, ""),
    ("/api/gate", ASK, "application/json", 400, "requirement"),
    ("/api/gate", {**ASK, "require": "auc !! 3"}, "application/json", 400, ""),
    ("/api/gate", {**ASK, "require": "auc >= 0", "against": {"schema": "x"}}, "application/json", 400, ""),
    ("/api/compare", ASK, "application/json", 400, ""),
    ("/api/compare", {**ASK, "score": ["a", "b"], "test": "no such"}, "application/json", 400, "no such"),
    ("/api/matrix", {}, "application/json", 400, "counts"),
    ("/api/matrix", {"tp": -1, "fp": 1, "fn": 1, "tn": 1}, "application/json", 400, ""),
    ("/api/matrix", {"tp": "__import__('os')", "fp": 1}, "application/json", 400, ""),
    ("/api/matrix", {"tp": 1, "fp": 1, "fn": 1, "tn": 1, "prevalence": 7}, "application/json", 400, ""),
    ("/api/matrix", {"tp": 1, "fp": 1, "fn": 1, "tn": 1, "measures": ["nope"]}, "application/json", 400, "nope"),
    ("/api/evaluate?label=y&score=a", b"", "text/csv", 400, "empty"),
    ("/api/evaluate?label=y&score=a", b"\x00\xff\xfe", "text/csv", 400, ""),
    ("/api/evaluate?label=y&score=a", b"PAR1 no parquet PAR1", "x/y", 400, ""),
    ("/api/evaluate?label=y&score=a&level=high", b"y,a\n1,2\n", "text/csv", 400, "level"),
    ("/api/evaluate?label=y&score=a&level=.5&level=.6", b"y,a\n1,2\n", "text/csv", 400, "2 times"),
    ("/api/evaluate?label=y&score=a&data=x", b"y,a\n1,2\n", "text/csv", 400, "data"),
    ("/api/evaluate?label=y&score=a&x=1", b"y,a\n1,2\n", "text/csv", 400, "no argument 'x'"),
    ("/api/evaluate?label=y&score=a", b"a=1", "application/x-www-form-urlencoded", 415, "form"),
    ("/api/evaluate?label=y&score=a", b"--x", "multipart/form-data; boundary=x", 415, "form"),
    ("/api/evaluate?format=pdf", ASK, "application/json", 400, "no output format"),
    ("/api/evaluat", ASK, "application/json", 404, ""),
    ("/api/files", ASK, "application/json", 405, ""),
]  # fmt: skip


@pytest.mark.parametrize("place", range(len(WRONG)))
def test_a_wrong_request_gets_a_problem_and_never_a_fault(server: Server, place: int) -> None:
    path, body, kind, expected, says = WRONG[place]
    status, headers, found = ask(server, path, body, kind)
    assert status == expected, found
    made = problem(headers, found)
    assert says in made["detail"] + made.get("hint", "")
    assert "Traceback" not in found.decode() and str(server.folder) not in found.decode()
    assert server.uploads() == [] and ask(server, "/health")[0] == 200


@pytest.mark.parametrize("kind", ["text/csv", "application/json"])
def test_a_body_larger_than_the_limit_is_refused_before_it_is_read(server: Server, kind: str) -> None:
    lines = ["POST /api/evaluate?label=y&score=a HTTP/1.1", f"Host: {server.host}", f"Authorization: Bearer {TOKEN}",
             f"Content-Type: {kind}", f"Content-Length: {2**20 + 1}", "", ""]  # fmt: skip
    found = server.raw("\r\n".join(lines).encode())  # no byte of the body is sent
    assert found.startswith(b"HTTP/1.1 413") and b"application/problem+json" in found and b"1 MB" in found


VALUES: list[Any] = [True, -1, 1e308, 10**40, "", "a", [], ["a", 1], {"a": 1}, [[]]]
FEW = {name: values[:12] for name, values in DATA.items()}


@pytest.mark.parametrize("question", openapi.QUESTIONS)
def test_any_argument_of_any_kind_is_answered_or_refused(server: Server, question: str) -> None:
    shared = set(openapi.EVALUATE) if question == "gate" else set()
    for name in (set(openapi.QUESTIONS[question]) | {"data", "file", "none"}) - shared:
        for value in VALUES:
            few = {} if question == "matrix" else {"data": FEW}
            status, _, found = ask(server, f"/api/{question}", {**USUAL[question], **few, name: value})
            assert status in (200, 400), (name, value, found)


# ---- the documentation ----


def test_the_example_of_the_documentation_runs(server: Server, capsys: pytest.CaptureFixture[str]) -> None:
    page = (Path(__file__).parent.parent / "docs" / "howto" / "api.md").read_text("utf-8")
    code = re.search(r"```py\n(import json.*?)```", page, re.DOTALL)
    assert code is not None
    token = f"Path({str(server.folder / 'token')!r})"
    exec(code[1].replace("127.0.0.1:8477", server.host).replace('Path("token")', token), {})
    expected = rs.evaluate([1, 1, 0, 1, 0, 0], [0.9, 0.8, 0.7, 0.6, 0.4, 0.3])
    assert capsys.readouterr().out == f"{expected.to_dict()['verdict']['headline']}\n"
    for path in re.findall(r"/api/[a-z.]+|/health", page):
        assert path in openapi.document()["paths"]


# ---- the document ----


def test_the_arguments_are_those_of_the_functions() -> None:
    without = {
        "target": "a fitted model does not travel", "choose_on": "one body has one data set",
        "progress": "a function does not travel", "budget": "the server decides about its memory",
        "infinite": "JSON has no infinite numbers, and files are refused with one",
    }  # fmt: skip
    for function, known in ((rs.evaluate, openapi.EVALUATE), (rs.compare, openapi.COMPARE)):
        names = set(inspect.signature(function).parameters) - {"y", "scores"}
        assert set(known) == names - set(without)


def test_the_openapi_document_is_whole_and_is_in_the_documentation(server: Server) -> None:
    served = answer(server, "/api/openapi.json")
    assert served == openapi.document()
    page = Path(__file__).parent.parent / "docs" / "reference" / "openapi.json"
    assert json.loads(page.read_text()) == served, "make docs"
    text = json.dumps(served)
    for pointer in re.findall(r'"\$ref": "#/([^"]+)"', text):
        place = served
        for part in pointer.split("/"):
            place = place[part]
    routes = set(served["paths"])
    assert routes == {"/health", "/api/openapi.json", "/api/schema.json", "/api/files",
                      *(f"/api/{name}" for name in openapi.QUESTIONS)}  # fmt: skip
    jsonschema = pytest.importorskip("jsonschema")
    for name in openapi.QUESTIONS:
        jsonschema.Draft202012Validator.check_schema(served["components"]["schemas"][name.capitalize()])
    jsonschema.validate(ASK, served["components"]["schemas"]["Evaluate"])
    assert answer(server, "/api/schema.json")["title"]
