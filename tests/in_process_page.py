"""The local page without sockets: requests are handed to the application in this process."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping, MutableMapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

from unpacked import held_in

from rocscope.serve.app import application
from rocscope.serve.sessions import Sessions

PORT = 8765
LIMIT = 64 * 2**20


@dataclass(eq=False)
class Page:
    """A browser with its session, as the start page uses it."""

    folder: Path
    cookie: str = ""
    sessions: Sessions = field(init=False)

    def __post_init__(self) -> None:
        self.sessions = Sessions(self.folder)
        self.app = application(self.sessions, port=PORT, public=False, limit=LIMIT, on_token=lambda: None)
        self.cookie = f"rocscope-{PORT}={self.sessions.open(self.sessions.token())}"

    def ask(self, method: str, address: str, body: bytes | Mapping[str, Any] = b"") -> tuple[int, Any]:
        """The status and the body of the answer: as JSON where it is JSON, as text otherwise."""
        sent = json.dumps(body).encode() if isinstance(body, Mapping) else body
        parts = urlsplit(address)
        headers = {"host": f"127.0.0.1:{PORT}", "origin": f"http://127.0.0.1:{PORT}", "cookie": self.cookie,
                   "content-length": str(len(sent))}  # fmt: skip
        scope = {
            "type": "http", "http_version": "1.1", "method": method, "path": parts.path, "scheme": "http",
            "query_string": parts.query.encode(), "root_path": "", "server": ("127.0.0.1", PORT),
            "raw_path": parts.path.encode(),
            "headers": [(name.encode(), value.encode("latin-1")) for name, value in headers.items()],
        }  # fmt: skip
        said: list[MutableMapping[str, Any]] = []

        async def receive() -> MutableMapping[str, Any]:
            return {"type": "http.request", "body": sent, "more_body": False}

        async def send(message: MutableMapping[str, Any]) -> None:
            said.append(message)

        # in a thread, since a browser test may have left its own event loop running in this one
        with ThreadPoolExecutor(1) as thread:
            thread.submit(asyncio.run, self.app(scope, receive, send)).result()
        content = b"".join(one.get("body", b"") for one in said[1:])
        kind = dict(said[0]["headers"]).get(b"content-type", b"")
        return said[0]["status"], json.loads(content) if b"json" in kind else content.decode()

    def evaluated(self, name: str, content: bytes, **chosen: Any) -> tuple[int, Any]:
        """A file dropped and evaluated with what is chosen: the results document of its report, or the refusal."""
        status, card = self.ask("POST", f"/files?name={quote(name)}", content)
        if status != 201:
            return status, card
        status, found = self.ask("POST", "/evaluate", {"files": [{"id": card["id"], **chosen}]})
        self.ask("POST", f"/files/{card['id']}/remove", {})
        return self._document(status, found)

    def pasted(self, text: str, **chosen: Any) -> tuple[int, Any]:
        """A text pasted and shown as what it is recognized as: the document of its report, or the refusal."""
        status, found = self.ask("POST", "/recognise", {"text": text})
        if status == 200:
            status, found = self.ask("POST", "/paste", {"text": text, "kind": found["kind"], **chosen})
        return self._document(status, found)

    def _document(self, status: int, found: Any) -> tuple[int, Any]:
        if status != 201:
            return status, found
        status, html = self.ask("GET", f"/report/{found['report']}")
        return status, held_in(html)
