"""The application and its routes. No GET request changes anything; bodies are raw files or small JSON."""

from __future__ import annotations

import asyncio
import logging
import secrets
import threading
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cache, partial
from importlib import resources
from typing import Any, TypeVar
from urllib.parse import quote

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Route

from rocscope.decisions import Costs
from rocscope.errors import RocscopeError, did_you_mean
from rocscope.evaluation import is_saved
from rocscope.serve import examples, pasted
from rocscope.serve.answers import Choice, answer, page_of, saved_answer
from rocscope.serve.api import Api
from rocscope.serve.control_names import with_controls
from rocscope.serve.guard import API, STRICT, App, Guard, refusal_at, refused
from rocscope.serve.jobs import MODELS, PLANS, ValidationRequest, start
from rocscope.serve.pages import error_page, policy_of
from rocscope.serve.sessions import Session, Sessions, Upload
from rocscope.serve.tables import FORMATS, broken_card, card, opened, saved_card, speaking_of, unpacked
from rocscope.serve.uploads import UNPACKED, Refused, shown_name, size_text, small_json, text_of, texts_of, to_disk
from rocscope.sources import TABLE_ENDINGS, Profile, Roles, Source, guess, profile, said_positive, several_labels
from rocscope.version import VERSION

STATIC: Mapping[str, str] = {"start.js": "text/javascript", "start.css": "text/css"}
AT_ONCE = 3  # maximum number of concurrent computations; others wait
LOG = logging.getLogger("rocscope.serve")

Handler = Callable[[Request], Awaitable[Response]]
Held = TypeVar("Held")


@cache
def static(name: str) -> str:
    """A file of the start page by its exact name: no path is ever built from a URL."""
    return resources.files("rocscope.serve").joinpath("static", name).read_text("utf-8")


@cache
def _home(limit: str) -> bytes:
    """The start page with its examples and supported formats, so that the layout does not shift when the session
    loads.
    """
    return static("start.html").replace("<!-- formats -->", f"{FORMATS} Up to {limit}.").replace(
        "<!-- gallery -->", examples.gallery_items()
    ).encode()  # fmt: skip


@dataclass(eq=False)
class Handlers:
    """The handlers and their shared state."""

    sessions: Sessions
    port: int
    limit: int
    on_token: Callable[[], None]
    read_only: bool = False
    turns: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(AT_ONCE))

    async def work(self, function: Callable[..., Any], *given: Any, **named: Any) -> Any:
        """Compute in a thread, so that other requests are still answered."""
        async with self.turns:
            return await in_thread(partial(function, *given, **named))

    # ---- start page ----

    async def home(self, request: Request) -> Response:
        """The start page: the same for all users, without files until a session provides them."""
        return HTMLResponse(_home(size_text(self.limit)))  # cached before the server starts listening

    async def file(self, request: Request) -> Response:
        """The script or style of the start page."""
        name = request.path_params["name"]
        if name not in STATIC:
            raise HTTPException(404)
        return Response(static(name), media_type=STATIC[name])

    async def session(self, request: Request) -> Response:
        """Exchange a token for a cookie, once."""
        cookie = self.sessions.open(text_of(await small_json(request), "token"))
        if cookie is None:
            return refused(403, "this link has been used or is too old; the terminal shows a new one")
        self.on_token()
        response = Response(status_code=204)
        response.set_cookie(f"rocscope-{self.port}", cookie, httponly=True, samesite="strict", path="/")
        return response

    async def state(self, request: Request) -> Response:
        """The data of the start page: limits, the gallery, the files of the session."""
        session = _session(request)
        cards = [await self.card_or_problem(upload_file) for upload_file in list(session.files.values())]
        return JSONResponse({
            "version": VERSION, "limit": size_text(self.limit), "where": request.headers["host"], "files": cards,
            "gallery": list(examples.CARDS), "models": MODELS, "plans": PLANS, "kinds": dict(pasted.KINDS),
            "formats": FORMATS,
        })  # fmt: skip

    # ---- files ----

    async def upload(self, request: Request) -> Response:
        """Store a file sent as the raw body; its name is shown, never used as a path."""
        session = _session(request)
        if request.headers.get("content-type", "").lower().startswith("multipart/"):
            return refused(415, "send the file itself, not a form")
        key, path = session.target()
        free = 2 * UNPACKED * self.limit - self.sessions.bytes_held()
        size = await to_disk(request, path, limit=min(self.limit, max(0, free)))
        upload = Upload(key, shown_name(request.query_params.get("name", "")), path, size)
        session.files[key] = upload
        try:
            size_on_disk = await self.work(unpacked, upload.path, upload.name, UNPACKED * self.limit)
            session.files[key] = upload = replace(upload, size=size_on_disk)
            if known := await self.work(session.same, upload):
                with suppress(RocscopeError):  # another tab may have removed it meanwhile
                    shown_card = await self.card_of(known)
                    session.remove(key)
                    return JSONResponse(shown_card)
            return JSONResponse(await self.card_of(upload), status_code=201)
        except RocscopeError:
            session.remove(key)
            raise

    async def card_of(self, upload: Upload, roles: Roles | None = None) -> dict[str, Any]:
        """The card of a file, with the guessed roles or the given ones."""
        shown_card = await self.work(_card, upload, roles)
        return {"id": upload.key, "name": upload.name, "size": size_text(upload.size), **shown_card}

    async def card_or_problem(self, upload: Upload) -> dict[str, Any]:
        """The card of a file, or of one that is no longer readable, so that the others are shown anyway."""
        try:
            return await self.card_of(upload)
        except RocscopeError as error:
            broken = broken_card(str(with_controls(error)))
            return {"id": upload.key, "name": upload.name, "size": size_text(upload.size), **broken}

    async def choose(self, request: Request) -> Response:
        """The card again after the user corrected a role."""
        session, given = _session(request), await small_json(request)
        roles = Roles(
            _or_none(given, "label"), _or_none(given, "positive"), tuple(texts_of(given, "scores")),
            _or_none(given, "by"), _or_none(given, "predicted"),
        )  # fmt: skip
        return JSONResponse(await self.card_of(_upload(session, request.path_params["key"]), roles))

    async def remove(self, request: Request) -> Response:
        """Remove a file."""
        _session(request).remove(request.path_params["key"])
        return Response(status_code=204)

    # ---- results ----

    async def evaluate(self, request: Request) -> Response:
        """Evaluate one model or compare several, from one file or across files."""
        session, given = _session(request), await small_json(request)
        parts = given.get("files")
        if not isinstance(parts, list) or not all(isinstance(part, dict) for part in parts) or len(parts) > 20:
            raise RocscopeError("no file was selected")
        uploads = [_chosen(session, part) for part in parts]
        costs = _costs(given)
        report = await self.work(_answered, session, uploads, costs, text_of(given, "unit", default="case"))
        return JSONResponse({"report": report}, status_code=201)

    async def report(self, request: Request) -> Response:
        """The page of a result."""
        return page(_asked(request, _session(request).reports).html)

    async def download(self, request: Request) -> Response:
        """The same page as a file."""
        response = await self.report(request)
        response.headers["content-disposition"] = 'attachment; filename="rocscope-report.html"'
        return response

    async def recognise(self, request: Request) -> Response:
        """The detected kind of a pasted text."""
        given = await small_json(request)
        text = text_of(given, "text", longest=4 * 2**20)
        return JSONResponse(await self.work(pasted.recognise, text))

    async def paste(self, request: Request) -> Response:
        """The result for a pasted text."""
        session, given = _session(request), await small_json(request)
        text, kind = text_of(given, "text", longest=4 * 2**20), text_of(given, "kind")
        title, html = await self.work(
            pasted.show, text, kind, rows=text_of(given, "rows", default="actual"),
            positive=_or_none(given, "positive"), actual=text_of(given, "actual", default="1"),
        )  # fmt: skip
        return JSONResponse({"report": session.keep(title, html).key}, status_code=201)

    # ---- examples ----

    async def examples(self, request: Request) -> Response:
        """The list of worked examples, one of them, or the report on its data, recomputed without storing it."""
        name = request.path_params.get("name", "")
        if not name:
            return page(await self.work(examples.examples_page))
        maker = {"report": examples.example_report, "learn": examples.lesson}.get(
            request.url.path.rsplit("/", 1)[-1] if request.url.path.count("/") == 3 else "", examples.example_page
        )
        try:
            return page(await self.work(maker, name))
        except RocscopeError as error:
            return HTMLResponse(error_page(404, str(error)), status_code=404)

    async def learn(self, request: Request) -> Response:
        """The ROC algorithm, step by step."""
        return page(await self.work(examples.lesson))

    # ---- validation ----

    async def validate(self, request: Request) -> Response:
        """Start fitting models to a file."""
        session, given = _session(request), await small_json(request)
        upload = _upload(session, text_of(given, "id"))
        if _saved(upload):
            raise RocscopeError(f"{upload.name} is a saved table, which has no columns to fit a model to")
        wanted = ValidationRequest(text_of(given, "target"), tuple(texts_of(given, "models")), text_of(given, "plan"),
                        _or_none(given, "positive"), tuple(texts_of(given, "leave_out")))  # fmt: skip
        table = await self.work(opened, upload.path, upload.name)
        return JSONResponse(start(session, table, wanted).to_dict(), status_code=202)

    async def job(self, request: Request) -> Response:
        """The progress of a validation."""
        return JSONResponse(_asked(request, _session(request).jobs).to_dict())

    async def stop(self, request: Request) -> Response:
        """Ask a validation to stop after the current fit."""
        _asked(request, _session(request).jobs).stop.set()
        return Response(status_code=204)

    def routes(self) -> list[Route]:
        """The routes."""
        reads: list[tuple[str, Handler]] = [
            ("/", self.home), ("/static/{name}", self.file), ("/state", self.state),
            ("/report/{key}", self.report), ("/report/{key}/download", self.download),
            ("/examples", self.examples), ("/examples/{name}", self.examples),
            ("/examples/{name}/report", self.examples), ("/examples/{name}/learn", self.examples),
            ("/learn", self.learn), ("/jobs/{key}", self.job),
        ]  # fmt: skip
        changes: list[tuple[str, Handler]] = [
            ("/session", self.session), ("/files", self.upload), ("/files/{key}", self.choose),
            ("/files/{key}/remove", self.remove), ("/evaluate", self.evaluate), ("/recognise", self.recognise),
            ("/paste", self.paste), ("/validate", self.validate), ("/jobs/{key}/stop", self.stop),
        ]  # fmt: skip
        if self.read_only:
            taken = {"/files", "/recognise", "/paste", "/validate"}
            changes = [(path, self.taking_nothing if path in taken else handler) for path, handler in changes]
        return [
            *(Route(path, handler, methods=["GET"]) for path, handler in reads),
            *(Route(path, handler, methods=["POST"]) for path, handler in changes),
            *Api(self.sessions, self.limit, self.read_only, self.work).routes(),
        ]

    async def taking_nothing(self, request: Request) -> Response:
        """The response of a read-only server to data."""
        return refused(403, "this server is read-only: it evaluates only the files it was started with")


async def in_thread(function: Callable[[], Held]) -> Held:
    """Run a function in a daemon thread and return its result: Ctrl-C does not wait for the computation."""
    loop = asyncio.get_running_loop()
    answer: asyncio.Future[Held] = loop.create_future()

    def settle(result: Held | None, error: BaseException | None) -> None:
        if answer.cancelled():
            return
        if error is None:
            answer.set_result(result)  # type: ignore[arg-type]
        else:
            answer.set_exception(error)

    def compute() -> None:
        result, failed = None, None
        try:
            result = function()
        except BaseException as error:
            failed = error
        with suppress(RuntimeError):  # the loop is closed, so nothing awaits the result
            loop.call_soon_threadsafe(settle, result, failed)

    threading.Thread(target=compute, daemon=True, name="rocscope-serve").start()
    return await answer


def page(html: str) -> Response:
    """One of our own pages, under the security policy that it declares or the strict default."""
    return HTMLResponse(html, headers={"content-security-policy": policy_of(html) or STRICT})


# ---- parsing requests ----


def _session(request: Request) -> Session:
    session = request.scope.get("session")
    if not isinstance(session, Session):
        raise HTTPException(403)
    return session


def _asked(request: Request, entries: Mapping[str, Held]) -> Held:
    """The object that the key in the URL identifies."""
    key = request.path_params["key"]
    if key not in entries:
        raise HTTPException(404)
    return entries[key]


def _upload(session: Session, key: str) -> Upload:
    if key not in session.files:
        raise RocscopeError("this file is no longer available", hint="Drop the file again")
    return session.files[key]


def _saved(upload: Upload) -> bool:
    """Whether an upload is a saved table, by its content or its name."""
    return upload.name.lower().endswith(TABLE_ENDINGS) or is_saved(upload.path)


def _or_none(given: dict[str, Any], name: str) -> str | None:
    return None if given.get(name) is None else text_of(given, name)


def _chosen(session: Session, given: dict[str, Any]) -> tuple[Upload, Choice]:
    """A file and the user's choices for it; a saved table has none."""
    upload = _upload(session, text_of(given, "id"))
    if _saved(upload):
        return upload, Choice("", ())
    if given.get("label") is None:
        raise RocscopeError(f"{upload.name}: no label was selected", hint="Choose the column with the true labels")
    return upload, Choice(
        text_of(given, "label"), tuple(texts_of(given, "scores")), _or_none(given, "positive"),
        _or_none(given, "predicted"), _or_none(given, "by"), _or_none(given, "join"), given.get("lower") is True,
    )  # fmt: skip


def _costs(given: dict[str, Any]) -> Costs | None:
    fp, fn = given.get("cost_fp"), given.get("cost_fn")
    if fp is None and fn is None:
        return None
    for cost in (fp, fn):
        if cost is not None and (isinstance(cost, bool) or not isinstance(cost, int | float) or not 0 <= cost < 1e12):
            raise RocscopeError("a cost must be a number of 0 or more")
    return Costs(fp=1 if fp is None else fp, fn=1 if fn is None else fn)


# ---- work done in a thread ----


def _card(upload: Upload, roles: Roles | None) -> dict[str, Any]:
    with speaking_of({upload.path: upload.name}):
        if _saved(upload):
            return saved_card(upload.path)
        table = opened(upload.path, upload.name)
        columns = profile(table.sample())
        known = several_labels(columns)
        if known is not None and (roles is None or roles.label == known.label):
            scores = known.scores if roles is None else tuple(score for score in roles.scores if score in known.scores)
            return card(table, columns, replace(known, scores=scores or known.scores))
        chosen = _completed(columns, table, replace(guess(columns), positive=None) if roles is None else roles)
        return card(table, columns, chosen)


def _completed(columns: Sequence[Profile], table: Source, roles: Roles) -> Roles:
    """The requested roles; without a positive label, the one implied by the labels, or none."""
    for name in (roles.label, roles.by, roles.predicted, *roles.scores):
        if name is not None and name not in table.columns:
            raise RocscopeError(f"there is no column '{name[:40]}'", hint=did_you_mean(name, table.columns))
    if roles.label is None:
        return roles
    label = next(column for column in columns if column.name == roles.label)
    known = {value for value, _ in label.values}
    positive = roles.positive if roles.positive in known else said_positive(label)
    scores = tuple(name for name in roles.scores if name != roles.label)
    return replace(roles, positive=positive, scores=scores, by=roles.by if roles.by != roles.label else None)


def _answered(session: Session, uploads: list[tuple[Upload, Choice]], costs: Costs | None, unit: str) -> str:
    title = ", ".join(upload.name for upload, _ in uploads)
    tables_saved = [upload for upload, _ in uploads if _saved(upload)]
    if tables_saved and len(uploads) > 1:
        raise RocscopeError(
            f"{tables_saved[0].name} is a saved table; without its cases, it cannot be compared with other files",
            hint="Remove the others to evaluate it",
        )
    with speaking_of({upload.path: upload.name for upload, _ in uploads}):
        how: dict[str, Any] = {"costs": costs, "unit": unit[:40] or "case"}
        if tables_saved:
            result: Any = saved_answer(tables_saved[0].path, title, **how)
        else:
            result = answer([(opened(upload.path, upload.name), choice) for upload, choice in uploads], **how)
        return session.keep(title, page_of(result, title)).key


# ---- errors ----


async def _refused(request: Request, error: Exception) -> Response:
    """An error that the user can fix: one sentence, and a hint."""
    assert isinstance(error, RocscopeError)
    path = request.url.path
    spelled = error if path.startswith(API) else with_controls(error)  # API clients use Python parameter names
    return refusal_at(path)(400, spelled.message, hint=spelled.hint)


async def _too_much(request: Request, error: Exception) -> Response:
    assert isinstance(error, Refused)
    return refusal_at(request.url.path)(error.status, error.why)


async def _http(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    words = {403: "open the link that the terminal shows", 404: "this page does not exist", 405: "method not allowed"}
    why = words.get(error.status_code, "the request failed")
    if "text/html" in request.headers.get("accept", ""):
        return HTMLResponse(error_page(error.status_code, why), status_code=error.status_code)
    return refusal_at(request.url.path)(error.status_code, why)


async def _fault(request: Request, error: Exception) -> Response:
    """Handle an internal error: the traceback goes to the terminal, a number to the page."""
    number = secrets.token_hex(4)
    LOG.error("fault %s at %s", number, quote(request.url.path), exc_info=error)
    return refusal_at(request.url.path)(500, f"this is a bug in rocscope (number {number} in the terminal)")


def application(
    sessions: Sessions, *, port: int, public: bool, limit: int, on_token: Callable[[], None], read_only: bool = False
) -> App:
    """The guarded application."""
    handlers = Handlers(sessions, port, limit, on_token, read_only)
    _home(size_text(limit))
    on_error: Mapping[Any, Any] = {RocscopeError: _refused, Refused: _too_much, HTTPException: _http, Exception: _fault}
    inner = Starlette(debug=False, routes=handlers.routes(), exception_handlers=on_error)
    inner.router.redirect_slashes = False
    return Guard(inner, sessions, port, public)
