"""The server process: its socket, its folder, its connections, and its shutdown."""

from __future__ import annotations

import errno
import logging
import os
import shutil
import socket
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from rocscope.errors import RocscopeError
from rocscope.record import record
from rocscope.serve.api import token_in
from rocscope.serve.app import application
from rocscope.serve.sessions import Sessions
from rocscope.serve.uploads import LIMIT
from rocscope.sources import locked_folder, remove_abandoned

PORT, TRIES = 8477, 20
PREFIX = "rocscope-serve-"
PATIENCE = 20.0  # timeout in seconds for a request to arrive
MOST_CONNECTIONS = 600
# thread switch interval in seconds, so that requests are not delayed by computations; Python's default is 0.005
TURN = 0.0005
SAFE_HOSTS = ("127.0.0.1", "localhost", "::1")


@record(slots=True)
class Address:
    """The address at which the server listens, and whether it has the requested port."""

    host: str
    port: int
    asked: int

    def url(self, token: str) -> str:
        """The link that opens a session. The token follows #, so that it appears in no log and no Referer header."""
        host = "127.0.0.1" if self.host in ("0.0.0.0", "localhost") else self.host
        return f"http://{f'[{host}]' if ':' in host else host}:{self.port}/#token={token}"


# ---- socket ----


def bind(host: str, port: int) -> tuple[socket.socket, Address]:
    """A socket on the port, or on the next free one."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    tried = [0] if port == 0 else range(port, min(port + TRIES, 65536))
    for candidate in tried:
        listener = socket.socket(family, socket.SOCK_STREAM)
        if os.name != "nt":  # on Windows this option would let two servers share a port
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((host, candidate))
            listener.listen(256)
        except OSError as error:
            listener.close()
            if error.errno not in (errno.EADDRINUSE, errno.EACCES):
                raise RocscopeError(f"cannot listen on {host}: {error.strerror or error}") from None
            continue
        return listener, Address(host, listener.getsockname()[1], port)
    raise RocscopeError(f"ports {port} to {port + TRIES - 1} are all in use", hint="Choose another with --port")


# ---- temporary folder ----


@contextmanager
def private_folder() -> Iterator[Path]:
    """Create a private folder that is removed when the server stops; remains of a killed server are removed first."""
    remove_abandoned(f"{PREFIX}*")
    name, lock = locked_folder(PREFIX)
    folder, before = Path(name), tempfile.tempdir
    tempfile.tempdir = str(folder)  # temporary files written while reading are removed with the folder
    try:
        yield folder
    finally:
        tempfile.tempdir = before
        if lock is not None:
            os.close(lock)
        shutil.rmtree(folder, ignore_errors=True)


# ---- connections ----


class IdleTimeoutProtocol(H11Protocol):
    """A connection that is closed after a period without requests, so that idle and slow ones do no harm."""

    since: float | None = None
    watch: Any = None

    def connection_made(self, transport: Any) -> None:
        """Start the timeout; the connection idle longest is closed if there are very many."""
        super().connection_made(transport)
        self.since = self.loop.time()
        if len(self.connections) > MOST_CONNECTIONS:
            waiting = [
                connection
                for connection in self.connections
                if isinstance(connection, IdleTimeoutProtocol) and connection.waits and connection is not self
            ]
            if waiting:
                min(waiting, key=lambda connection: connection.since or 0.0).transport.close()
        self.watch = self.loop.call_later(PATIENCE / 4, self.look)

    @property
    def waits(self) -> bool:
        """Whether no request is being answered."""
        return self.cycle is None or self.cycle.response_complete

    def look(self) -> None:
        """Close the connection if it has been idle too long."""
        if not self.waits:
            self.since = None
        elif self.since is None:
            self.since = self.loop.time()
        elif self.loop.time() - self.since > PATIENCE:
            self.transport.close()
            return
        self.watch = self.loop.call_later(PATIENCE / 4, self.look)

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop the timeout."""
        if self.watch is not None:
            self.watch.cancel()
        super().connection_lost(exc)


# ---- server ----


def server_of(
    sessions: Sessions, address: Address, *, limit: int, on_token: Callable[[], None], read_only: bool = False
) -> uvicorn.Server:
    """The server, ready to run on its socket."""
    public = address.host not in SAFE_HOSTS
    app = application(sessions, port=address.port, public=public, limit=limit, on_token=on_token, read_only=read_only)
    config = uvicorn.Config(
        app, http=IdleTimeoutProtocol, ws="none", lifespan="off", interface="asgi3", log_config=None, access_log=False,
        server_header=False, proxy_headers=False, timeout_keep_alive=10, timeout_graceful_shutdown=1,
        h11_max_incomplete_event_size=64 * 1024, backlog=256,
    )  # fmt: skip
    logging.getLogger("uvicorn.error").setLevel(logging.CRITICAL)  # malformed requests are not worth a log line each
    return uvicorn.Server(config)


def opening_page(url: str) -> Path:
    """A file that only its owner can read and that leads to a link, in the server's folder.

    The browser is given the name of this file instead of the link, because every user of the machine can see the
    arguments of a process.
    """
    number, name = tempfile.mkstemp(prefix="open-", suffix=".html")  # readable by its owner alone
    with open(number, "w", encoding="utf-8") as page:
        page.write(f'<!DOCTYPE html>\n<meta charset="utf-8">\n<meta name="referrer" content="no-referrer">\n'
                   f'<title>rocscope</title>\n<meta http-equiv="refresh" content="0; url={url}">\n'
                   f'<p><a href="{url}">Open rocscope</a></p>\n')  # fmt: skip
    return Path(name)


def browse(page: Path) -> None:
    """Open a page in the user's browser; if there is none, nothing happens, because the terminal shows the link too."""
    import webbrowser

    with suppress(Exception):
        webbrowser.open(page.as_uri())


def run(
    *,
    files: Sequence[Path] = (),
    host: str = "127.0.0.1",
    port: int = PORT,
    limit: int = LIMIT,
    on_ready: Callable[[Address, str], None],
    on_token: Callable[[str], None],
    token_file: Path | None = None,
    read_only: bool = False,
) -> None:
    """Serve until stopped. `on_ready(address, url)` is called when it is listening, `on_token(url)` with each new link.

    Programs that send the token in `token_file` may use the JSON API; a `read_only` server accepts no data.
    """
    token = None if token_file is None else token_in(token_file)
    listening, address = bind(host, port)
    with listening, private_folder() as folder:
        sessions = Sessions(folder, tuple(files))
        if token is not None:
            sessions.admit(token)
        server = server_of(
            sessions, address, limit=limit, read_only=read_only,
            on_token=lambda: on_token(address.url(sessions.token())),
        )  # fmt: skip
        before = sys.getswitchinterval()
        sys.setswitchinterval(TURN)
        try:
            on_ready(address, address.url(sessions.token()))
            server.run(sockets=[listening])
        except KeyboardInterrupt:  # Ctrl-C is the regular way to stop the server
            pass
        finally:
            sys.setswitchinterval(before)
            sessions.stop()
