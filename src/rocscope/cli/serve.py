"""`rocscope serve`: the page in the browser, served from this machine to anyone with the link."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from rocscope.cli.output import say
from rocscope.cli.shared.typed_numbers import size_of
from rocscope.errors import RocscopeError

EPILOG = """\b
Examples:
  rocscope serve
  rocscope serve predictions.csv --port 9000
  rocscope serve --no-browser --limit 2GB
  rocscope serve predictions.csv --read-only --no-browser --token-file token

Files stay on this machine, in a folder that is deleted when the server stops (Ctrl-C). The link contains a key that
works once; after it has been used, a new one is shown. Programs use the JSON API (/api/openapi.json) with the token of
--token-file.
"""


@click.command(epilog=EPILOG)
@click.argument("files", nargs=-1, metavar="[FILE]...")
@click.option("--port", type=click.IntRange(0, 65535), metavar="N", help="Port to try first.  [default: 8477]")
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option("--open-to-network", is_flag=True, help="Allow an address that other machines can reach.")
@click.option("--no-browser", is_flag=True, help="Show the link without opening a browser.")
@click.option("--limit", default="512MB", show_default=True, metavar="SIZE", help="Size limit for uploads.")
@click.option(
    "--token-file", metavar="FILE", help="File with the token for the JSON API; created if it does not exist."
)
@click.option("--read-only", is_flag=True, help="Accept no uploads; evaluate only the files given here.")
def command(
    files: tuple[str, ...], port: int | None, host: str, open_to_network: bool, no_browser: bool, limit: str,
    token_file: str | None, read_only: bool,
) -> None:  # fmt: skip
    """Open the page in the browser: drop files or paste a table, choose columns, and see the answer.

    FILE is a file of predictions to start with.
    """
    serve = _installed()
    paths = [_readable(file) for file in files]
    local = host in serve.SAFE_HOSTS
    if not local and not open_to_network:
        raise RocscopeError(
            f"--host {host} would let other machines reach the page",
            hint="Add --open-to-network if that is what you want",
        )
    serve.run(
        files=paths, host=host, port=serve.PORT if port is None else port, limit=_limit(limit),
        on_ready=_greeting(local, browser=local and not no_browser),
        token_file=None if token_file is None else Path(token_file), read_only=read_only,
        on_token=lambda url: say(f"rocscope: the link has been used; to open the page in another browser, use {url}"),
    )  # fmt: skip
    say("rocscope: server stopped; no files were kept")


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
    from rocscope.sources import refuse_remote

    path = Path(file)
    refuse_remote(file)
    if not path.is_file():
        raise RocscopeError(f"there is no file {file}")
    with open(path, "rb"):  # fail now if the file is unreadable, not later in the browser
        return path.resolve()


def _limit(text: str) -> int:
    size = size_of("--limit", text, example="512MB, 2GB, ...")
    if size < 1:
        raise RocscopeError(f"--limit must be at least one byte, not {text}")
    return size


def _greeting(local: bool, *, browser: bool) -> Callable[[Any, str], None]:
    """Print a message once the server listens, and open the browser."""

    def greet(address: Any, url: str) -> None:
        if address.asked not in (0, address.port):
            say(f"rocscope: port {address.asked} is in use; using {address.port}")
        if not local:
            say(
                f"rocscope: listening on {address.host}; the connection is open to the network and not encrypted, and "
                "only the link gives access"
            )
        say(f"rocscope: running on {url}")
        say("rocscope: press Ctrl-C to stop and delete the files")
        if browser:
            open_browser(url)

    return greet


def open_browser(url: str) -> None:
    """Open the link in a thread, because some browsers block the caller."""
    import threading

    from rocscope.serve import browse, opening_page

    threading.Thread(target=browse, args=(opening_page(url),), daemon=True).start()
