"""The JSON API: the commands evaluate, compare, gate and matrix over HTTP, for programs.

A request is JSON with its cases in `data`, JSON that names a file the server was started with, or a file as the body
with its arguments in the query string. The response is the results document of the functions that Python and the
command line also call; nothing is stored. An error is a problem document (RFC 9457).
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from contextlib import nullcontext
from dataclasses import replace
from functools import cache
from importlib import resources
from pathlib import Path
from types import MappingProxyType
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from rocscope.decisions import Costs
from rocscope.errors import RocscopeError, did_you_mean
from rocscope.evaluation import compare, evaluate, gate, is_saved
from rocscope.record import record
from rocscope.report import USUAL, counts_sheet, written
from rocscope.serve import openapi
from rocscope.serve.pages import policy_of
from rocscope.serve.sessions import Session, Sessions, Upload
from rocscope.serve.tables import opened, speaking_of, unpacked
from rocscope.serve.uploads import UNPACKED, Refused, json_of, shown_name, size_text, to_disk, whole_body
from rocscope.table import Counts
from rocscope.version import VERSION

JSON_LIMIT = 8 * 2**20  # maximum size in bytes of a request with inline cases: parsing holds up all other requests
OF_FILE = ("filename", "format")  # query parameters that are not arguments

Work = Callable[..., Awaitable[Any]]


@record(slots=True)
class ApiRequest:
    """A request: its arguments, its file (None: `data`, or four numbers), and the format."""

    question: str
    arguments: Mapping[str, Any]
    upload: Upload | None
    format: str


@record(eq=False)
class Api:
    """The handlers; `work` computes in a thread, with the same concurrency limit as the page."""

    sessions: Sessions
    limit: int
    read_only: bool
    work: Work

    def routes(self) -> list[Route]:
        """The routes."""
        reads = {"/health": self.health, "/api/openapi.json": self.document, "/api/schema.json": self.schema,
                 "/api/files": self.files}  # fmt: skip
        return [
            *(Route(path, handler, methods=["GET"]) for path, handler in reads.items()),
            *(Route(f"/api/{name}", self.ask, methods=["POST"], name=name) for name in openapi.QUESTIONS),
        ]

    async def health(self, request: Request) -> Response:
        """Report that the server is running, and its version."""
        return JSONResponse({"status": "ok", "version": VERSION, "read_only": self.read_only})

    async def document(self, request: Request) -> Response:
        """The OpenAPI document."""
        return JSONResponse(openapi.document())

    async def schema(self, request: Request) -> Response:
        """The JSON Schema of results documents."""
        return Response(_schema(), media_type="application/schema+json")

    async def files(self, request: Request) -> Response:
        """The files that can be requested by name."""
        listed = [{"name": path.name, "size": path.stat().st_size} for path in self.sessions.given if path.is_file()]
        return JSONResponse({"files": listed})

    async def ask(self, request: Request) -> Response:
        """Answer one request; an uploaded file is deleted afterwards."""
        question = request.url.path.rsplit("/", 1)[-1]
        format = request.query_params.get("format", "json")
        if format not in (known := openapi.FORMATS[question]):
            raise RocscopeError(f"there is no output format '{format[:40]}'", hint=f"One of {', '.join(known)}")
        kind = request.headers.get("content-type", "").split(";")[0].strip().lower()
        if kind == "application/json" or question == "matrix":
            return await self.answered(await self.of_json(request, question, format))
        if kind.startswith("multipart/") or kind == "application/x-www-form-urlencoded":
            raise Refused(415, "send JSON or the file itself, not a form")
        api_request, session = await self.of_file(request, question, format)
        try:
            return await self.answered(api_request)
        finally:
            if api_request.upload is not None:
                session.remove(api_request.upload.key)

    async def of_json(self, request: Request, question: str, format: str) -> ApiRequest:
        """Parse a JSON request, with its cases or with the name of a file."""
        body = await whole_body(request, min(JSON_LIMIT, self.limit))
        given = await self.work(arguments_of, question, body)
        if question == "matrix":
            return ApiRequest(question, given, None, format)
        if ("data" in given) == ("file" in given):
            raise RocscopeError("give the cases exactly once", hint="Give data, or the name of a file on the server")
        if "data" in given:
            self.refuse_data()
            return ApiRequest(question, given, None, format)
        paths = {path.name: path for path in self.sessions.given}
        name = given.pop("file")
        if name not in paths:
            raise RocscopeError(f"the server has no file '{name[:40]}'", hint=did_you_mean(name, paths))
        return ApiRequest(question, given, Upload("", name, paths[name], 0, ours=False), format)

    async def of_file(self, request: Request, question: str, format: str) -> tuple[ApiRequest, Session]:
        """Parse a request with a file as its body."""
        self.refuse_data()
        pairs = [(name, text) for name, text in request.query_params.multi_items() if name not in OF_FILE]
        given = openapi.checked(question, openapi.of_query(question, pairs))
        if set(given) & set(openapi.INPUT):
            raise RocscopeError(
                "data and file can be given only in JSON requests", hint="Send Content-Type: application/json"
            )
        session: Session = request.scope["session"]
        key, path = session.target()
        free = 2 * UNPACKED * self.limit - self.sessions.bytes_held()
        size = await to_disk(request, path, limit=min(self.limit, max(0, free)))
        upload = Upload(key, shown_name(request.query_params.get("filename", "")), path, size)
        session.files[key] = upload
        try:
            if size == 0:
                raise RocscopeError("the body is empty", hint="Send a file, or JSON as application/json")
            await self.work(unpacked, upload.path, upload.name, UNPACKED * self.limit)
        except BaseException:
            session.remove(key)
            raise
        return ApiRequest(question, given, upload, format), session

    def refuse_data(self) -> None:
        """Raise an error for data from the client if the server is read-only."""
        if self.read_only:
            raise Refused(403, "this server is read-only: it evaluates only its own files, named in 'file'")

    async def answered(self, api_request: ApiRequest) -> Response:
        """The response in its format, with the policy that an HTML page states itself."""
        body = await self.work(answer_of, api_request)
        policy = policy_of(body) if api_request.format == "html" else ""
        headers = {"content-security-policy": policy} if policy else {}
        return Response(body, media_type=openapi.MEDIA[api_request.format], headers=headers)


# ---- work done in a thread ----


def arguments_of(question: str, body: bytes) -> dict[str, Any]:
    """The checked arguments of a JSON request: with millions of cells, this takes seconds."""
    return openapi.checked(question, json_of(body))


def answer_of(api_request: ApiRequest) -> str:
    """The answer to a request, as text in its format."""
    if api_request.question == "matrix":
        return _matrix(api_request)
    upload = api_request.upload
    with nullcontext() if upload is None else speaking_of({upload.path: upload.name}):
        result = _result(api_request)
        document = result.to_dict(drawing=True) if api_request.format == "html" else result.to_dict()
        return written(document, api_request.format)


def _result(api_request: ApiRequest) -> Any:
    """The result of the function of that name."""
    given = dict(api_request.arguments)
    if "costs" in given:
        given["costs"] = Costs(**{"fp": 1, "fn": 1, **given["costs"]})
    require, against = given.pop("require", ()), given.pop("against", None)
    if api_request.question == "gate" and not require:
        raise RocscopeError("no requirement was given", hint='Give require, such as ["auc.low >= 0.8"]')
    cases, named = _cases(api_request, given)
    if api_request.question == "compare":
        return compare(cases, **given)
    result: Any = evaluate(cases, given.pop("score", None), **given)
    if named:  # a saved table only has its path
        result = replace(result, source=MappingProxyType({"file": named}))
    if api_request.question == "evaluate":
        return result
    return gate(result, *([require] if isinstance(require, str) else require), against=against)


def _cases(api_request: ApiRequest, given: dict[str, Any]) -> tuple[Any, str]:
    """The data to evaluate, and the name of a saved table."""
    upload = api_request.upload
    if upload is not None and api_request.question != "compare" and is_saved(upload.path):
        return str(upload.path), upload.name
    if "label" not in given:
        raise RocscopeError("no label was given", hint="Name the column with the true labels in 'label'")
    if "score" not in given and "predicted" not in given:
        raise RocscopeError("no score was given", hint="Name the column with the scores in 'score'")
    if upload is not None:
        return opened(upload.path, upload.name), ""
    return given.pop("data"), ""


def _matrix(api_request: ApiRequest) -> str:
    given = dict(api_request.arguments)
    names, prevalence = given.pop("measures", None) or USUAL, given.pop("prevalence", None)
    if not given:
        raise RocscopeError("the counts are missing", hint="Give tp, fp, fn and tn")
    return counts_sheet(Counts(**given), names, prevalence=prevalence).written(api_request.format)


@cache
def _schema() -> str:
    return resources.files("rocscope").joinpath("schema", "rocscope-1.json").read_text("utf-8")


# ---- authentication token ----


def token_in(path: Path) -> str:
    """Read the token from a file; if there is no such file, create a new one that only its owner can read."""
    import os
    import secrets

    if not path.exists():
        token = secrets.token_urlsafe(32)
        with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="ascii") as sink:
            sink.write(f"{token}\n")
        return token
    if path.stat().st_size > 4096:
        raise RocscopeError(f"{path.name} is {size_text(path.stat().st_size)}, but a token must be one short line")
    text = path.read_text("utf-8", errors="replace").strip()
    if len(text) < 16 or not text.isascii() or not text.isprintable() or " " in text:
        raise RocscopeError(
            f"{path.name} contains no token", hint="A token is one line of at least 16 letters and digits"
        )
    return text
