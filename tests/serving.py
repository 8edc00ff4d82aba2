"""A really running server for tests: its process, its links, and plain sockets to speak to it."""

from __future__ import annotations

import http.client
import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from stopping import PATIENCE

SOURCE = Path(__file__).parent.parent / "src"
LINK = re.compile(r"http://[^/\s]+/#token=(\S+)")


@dataclass(eq=False)
class Server:
    """A server process and what it said."""

    process: subprocess.Popen[str]
    folder: Path
    said: list[str] = field(default_factory=list)

    def links(self) -> list[str]:
        return [found[0] for line in self.said if (found := LINK.search(line))]

    @property
    def port(self) -> int:
        return int(re.search(r":([0-9]+)/#", self.links()[0])[1])  # type: ignore[index]

    @property
    def host(self) -> str:
        return f"127.0.0.1:{self.port}"

    def token(self) -> str:
        return LINK.search(self.links()[-1])[1]  # type: ignore[index]

    def wait_for(self, text: str, *, seconds: float = PATIENCE, times: int = 1) -> str:
        """The last line that holds the text, once that many have been said."""
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            found = [line for line in self.said if text in line]
            if len(found) >= times:
                return found[-1]
            if self.process.poll() is not None and not any(text in line for line in self.said):
                break
            time.sleep(0.05)
        raise AssertionError(f"'{text}' was not said; said: {self.said}, code {self.process.poll()}")

    # ---- requests ----

    def ask(self, method: str, path: str, body: Any = None, **headers: str) -> tuple[int, dict[str, str], bytes]:
        """One request on a connection of its own; the headers of our page unless others are given."""
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        base = {"Host": self.host} | ({} if method in ("GET", "HEAD") else {"Origin": f"http://{self.host}"})
        link = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        try:
            link.request(method, path, body, {k: v for k, v in {**base, **named}.items() if v is not None})
            answer = link.getresponse()
            return answer.status, {k.lower(): v for k, v in answer.getheaders()}, answer.read()
        finally:
            link.close()

    def raw(self, data: bytes, *, seconds: float = PATIENCE) -> bytes:
        """What comes back for these very bytes."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=seconds) as link:
            with suppress(OSError):
                link.sendall(data)
            return read_all(link)

    def memory(self) -> int:
        """The most memory the process has held, in bytes."""
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(r"VmHWM:\s+([0-9]+)", status)[1]) * 1024  # type: ignore[index]

    def held(self) -> int:
        """The bytes of all uploads; one may go while they are looked at."""
        size = 0
        for path in self.uploads():
            with suppress(FileNotFoundError):
                size += path.stat().st_size
        return size

    def workshop(self) -> list[Path]:
        return sorted(self.folder.glob("rocscope-serve-*"))

    def uploads(self) -> list[Path]:
        """The files of uploads; os.walk passes over a folder that goes while it is looked at."""
        walked = (Path(folder, name) for one in self.workshop() for folder, _, names in os.walk(one) for name in names)
        return [path for path in walked if path.is_file() and path.name != "lock"]


def read_all(link: socket.socket) -> bytes:
    """What comes until the other side hangs up; that it never does is an error."""
    held = b""
    with suppress(ConnectionError):
        while piece := link.recv(65536):
            held += piece
    return held


@dataclass(eq=False)
class Client:
    """A browser with its cookie."""

    server: Server
    cookie: str

    @classmethod
    def enter(cls, server: Server) -> Client:
        links = len(server.links())
        status, headers, body = server.ask("POST", "/session", json.dumps({"token": server.token()}))
        assert status == 204, body
        server.wait_for("#token=", times=links + 1)
        return cls(server, headers["set-cookie"].split(";")[0])

    def ask(self, method: str, path: str, body: Any = None, **headers: str) -> tuple[int, dict[str, str], bytes]:
        sent = json.dumps(body) if isinstance(body, dict) else body
        return self.server.ask(method, path, sent, **{"Cookie": self.cookie, **headers})

    def json(self, method: str, path: str, body: Any = None) -> Any:
        status, _, found = self.ask(method, path, body)
        assert status < 300, (status, found)
        return json.loads(found or b"null")

    def upload(self, name: str, content: bytes | str) -> Any:
        from urllib.parse import quote

        data = content.encode() if isinstance(content, str) else content
        return self.json("POST", f"/files?name={quote(name)}", data)


@contextmanager
def serving(
    folder: Path, *words: str, settings: str = "", wait: str = "running on", port: int = 0, browser: str = ""
) -> Iterator[Server]:
    """`rocscope serve` in a process of its own; `settings` is Python that is run before, to shorten what is patient.

    The page is opened in no browser, or in the one whose command is given.
    """
    words = (*words, *([] if browser else ["--no-browser"]))
    code = f"import sys; sys.path.insert(0, {str(SOURCE)!r})\n{settings}\nfrom rocscope.cli import main\n"
    code += f"sys.exit(main({['serve', '--port', str(port), *words]!r}))"
    environment = {**os.environ, "TMPDIR": str(folder), "PYTHONUNBUFFERED": "1", "BROWSER": browser}
    process = subprocess.Popen([sys.executable, "-c", code], stderr=subprocess.PIPE, stdout=subprocess.DEVNULL,
                               text=True, env=environment)  # fmt: skip
    server = Server(process, folder)

    def listen() -> None:
        assert process.stderr is not None
        for line in process.stderr:
            server.said.append(line.rstrip("\n"))

    listener = threading.Thread(target=listen, daemon=True)
    listener.start()
    try:
        if wait:
            server.wait_for(wait)
        yield server
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGTERM)
            try:
                process.wait(PATIENCE)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        listener.join(PATIENCE)  # what was said last counts too
        assert process.stderr is not None
        process.stderr.close()
