"""`rocscope serve`: the page in the browser, from this machine and for whoever has the link."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from rocscope.cli.streams import say
from rocscope.errors import RocscopeError

EPILOG = """\b
Examples:
  rocscope serve
  rocscope serve predictions.csv --port 9000
  rocscope serve --no-browser --limit 2GB

Files stay on this machine, in a folder that is deleted when the server stops (Ctrl-C). The link holds a key that
works once; a new one is shown when it has been used.
"""
SIZES = {"": 1, "B": 1, "KB": 2**10, "MB": 2**20, "GB": 2**30}


@click.command(epilog=EPILOG)
@click.argument("files", nargs=-1, metavar="[FILE]...")
@click.option("--port", type=click.IntRange(0, 65535), metavar="N", help="Port to try first.  [default: 8477]")
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option("--open-to-network", is_flag=True, help="Allow an address that other machines can reach.")
@click.option("--no-browser", is_flag=True, help="Show the link, but open nothing.")
@click.option("--limit", default="512MB", show_default=True, metavar="SIZE", help="Size limit of uploads.")
def command(
    files: tuple[str, ...], port: int | None, host: str, open_to_network: bool, no_browser: bool, limit: str
) -> None:
    """Open the page in the browser: drop files or paste a table, choose columns, see the answer.

    FILE is a file of predictions to begin with.
    """
    serve = _installed()
    paths = [_readable(file) for file in files]
    local = host in serve.SAFE_HOSTS
    if not local and not open_to_network:
        raise RocscopeError(
            f"{host} lets other machines reach the page", hint="Add --open-to-network if that is what you want"
        )
    serve.run(
        files=paths, host=host, port=serve.PORT if port is None else port, limit=size_of(limit),
        on_ready=_greeting(local, browser=local and not no_browser),
        on_token=lambda url: say(f"rocscope: that link is used up; another browser may open {url}"),
    )  # fmt: skip
    say("rocscope: stopped; nothing was kept")


def _installed() -> Any:
    try:
        from rocscope import serve
    except ImportError as error:
        if (error.name or "").split(".")[0] not in ("starlette", "uvicorn", "h11", "anyio"):
            raise
        raise RocscopeError(
            "the page needs starlette and uvicorn, which are not installed", hint='pip install "rocscope[serve]"'
        ) from None
    return serve


def _readable(file: str) -> Path:
    path = Path(file)
    if not path.is_file():
        raise RocscopeError(f"there is no file {file}")
    with open(path, "rb"):  # refused now rather than in the browser
        return path.resolve()


def size_of(text: str) -> int:
    """A size in bytes.

    >>> size_of("2GB"), size_of("1.5 MB"), size_of("100")
    (2147483648, 1572864, 100)
    """
    found = re.fullmatch(r"\s*([0-9]+(?:\.[0-9]+)?)\s*([KMG]?B?)\s*", text.upper())
    if found is None:
        raise RocscopeError(f"--limit {text} is no size", hint="512MB, 2GB, ...")
    unit = found[2] if found[2] in SIZES else f"{found[2]}B"
    size = int(float(found[1]) * SIZES[unit])
    if size < 1:
        raise RocscopeError(f"--limit {text}: at least one byte is needed")
    return size


def _greeting(local: bool, *, browser: bool) -> Callable[[Any, str], None]:
    """What is said once the server listens; and the browser is opened."""

    def greet(address: Any, url: str) -> None:
        if address.asked not in (0, address.port):
            say(f"rocscope: port {address.asked} is taken; {address.port} it is")
        if not local:
            say(f"rocscope: listening on {address.host}, open to the network and not encrypted; only the link lets in")
        say(f"rocscope: running on {url}")
        say("rocscope: stop with Ctrl-C; files are deleted then")
        if browser:
            open_browser(url)

    return greet


def open_browser(url: str) -> None:
    """Open the link, in a thread: some browsers keep the caller waiting."""
    import threading

    from rocscope.serve.server import browse

    threading.Thread(target=browse, args=(url,), daemon=True).start()
