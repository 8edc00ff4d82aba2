"""Many clients at once, slow ones, huge uploads and malformed requests: an answer or a refusal, never a fault.

`make load` asks a server of its own on 127.0.0.1 for a minute with 200 clients; tests/bad/test_load.py runs a sample.
The status of every answer is counted; the start page is asked for apart, by a process of its own that does not wait
for the other clients' threads, and its slowest answer is what is reported.
"""

from __future__ import annotations

import argparse
import http.client
import json
import random
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from serving import Client, Server, serving

ROWS = "y,p,q\n" + "".join(f"{i % 2},{(i * 37 % 101) / 101},{(i * 53 % 97) / 97}\n" for i in range(200))
LIMIT = 4 * 2**20
VISITOR = """
import http.client, json, sys, time
spent, until = [], time.monotonic() + float(sys.argv[2])
while time.monotonic() < until:
    begun = time.monotonic()
    link = http.client.HTTPConnection("127.0.0.1", int(sys.argv[1]), timeout=120)
    link.request("GET", "/")
    answer = link.getresponse()
    assert answer.status == 200 and len(answer.read()) > 1000
    link.close()
    spent.append(time.monotonic() - begun)
    time.sleep(0.05)
print(json.dumps(spent))
"""


@dataclass
class Found:
    """What came back: how often each status, seconds of the start page, answers that are none."""

    statuses: Counter[str] = field(default_factory=Counter)
    start_page: list[float] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def note(self, what: str, status: int | str, body: bytes = b"") -> None:
        with self.lock:
            self.statuses[f"{what} {status}"] += 1
            if str(status).startswith("5") and status != 507:
                self.faults.append(f"{what}: {status} {body[:200]!r}")


# --- what a client may do


def start_page(client: Client, found: Found, chance: random.Random) -> None:
    status, _, body = client.server.ask("GET", "/")
    found.note("start page", status, body)


def evaluation(client: Client, found: Found, chance: random.Random) -> None:
    status, _, body = client.ask("POST", "/files?name=a.csv", ROWS.encode())
    found.note("upload", status, body)
    if status != 201:
        return
    key = json.loads(body)["id"]
    chosen = {"files": [{"id": key, "label": "y", "positive": "1", "scores": ["p"]}]}
    status, _, body = client.ask("POST", "/evaluate", chosen)
    found.note("evaluate", status, body)
    if status == 201:
        status, _, body = client.ask("GET", f"/report/{json.loads(body)['report']}")
        found.note("report", status, b"")
    client.ask("POST", f"/files/{key}/remove", {})


def paste(client: Client, found: Found, chance: random.Random) -> None:
    points = "C4.5 (0.2, 0.7)\nSVM (0.5, 0.95)"
    text = chance.choice(["7 7 3 13", ROWS, points, "x" * 10_000, "1,2\n3", "\x00", " " * 9999])
    status, _, body = client.ask("POST", "/recognise", {"text": text})
    found.note("recognise", status, body)


def state(client: Client, found: Found, chance: random.Random) -> None:
    address = chance.choice(["/state", "/examples/fawcett", "/jobs/none", "/report/none", "/learn"])
    status, _, body = client.ask("GET", address)
    found.note("read", status, body)


def huge_upload(client: Client, found: Found, chance: random.Random) -> None:
    """More than the limit: said so, or in pieces without end."""
    lines = ["POST /files?name=huge.csv HTTP/1.1", f"Host: {client.server.host}",
             f"Origin: http://{client.server.host}", f"Cookie: {client.cookie}"]  # fmt: skip
    chunked = chance.random() < 0.5
    lines += ["Transfer-Encoding: chunked" if chunked else f"Content-Length: {LIMIT + 1}", "", ""]
    with socket.create_connection(("127.0.0.1", client.server.port), timeout=60) as link:
        with suppress(OSError):
            link.sendall("\r\n".join(lines).encode())
            for _ in range(8 if chunked else 1):
                link.sendall(b"100000\r\n" + b"1,0.5\n" * 174762 + b"1,0." + b"\r\n" if chunked else b"x" * 1000)
        found.note("huge upload", _status(link))


def malformed(client: Client, found: Found, chance: random.Random) -> None:
    """Bytes that are no request, or nearly one."""
    host = client.server.host
    whole = (f"POST /evaluate HTTP/1.1\r\nHost: {host}\r\nOrigin: http://{host}\r\nCookie: {client.cookie}\r\n"
             'Content-Length: 20\r\nConnection: close\r\n\r\n{"files": [{"id":1}]}').encode()  # fmt: skip
    data = bytearray(whole)
    for _ in range(chance.randint(1, 6)):
        at = chance.randrange(len(data))
        data[at : at + chance.randint(0, 3)] = bytes(chance.randrange(256) for _ in range(chance.randint(0, 3)))
    with socket.create_connection(("127.0.0.1", client.server.port), timeout=60) as link:
        with suppress(OSError):
            link.sendall(bytes(data))
            link.shutdown(socket.SHUT_WR)
        found.note("malformed", _status(link))


def slow(client: Client, found: Found, chance: random.Random) -> None:
    """A request that comes letter by letter, and is never finished."""
    with socket.create_connection(("127.0.0.1", client.server.port), timeout=60) as link, suppress(OSError):
        for letter in f"GET / HTTP/1.1\r\nHost: {client.server.host}\r\n"[: chance.randint(5, 40)]:
            link.sendall(letter.encode())
            time.sleep(0.05)
    found.note("slow", "left")


def _status(link: socket.socket) -> str:
    """The status of an answer; "none" where the connection just ends."""
    held = b""
    with suppress(OSError):
        while b"\r\n" not in held and (piece := link.recv(4096)):
            held += piece
    return held[9:12].decode("latin-1") if held.startswith(b"HTTP/1.1 ") else "none"


DEEDS: tuple[Callable[[Client, Found, random.Random], None], ...] = (
    start_page, start_page, start_page, evaluation, paste, state, huge_upload, malformed, malformed, slow,
)  # fmt: skip


def asked(server: Server, clients: int, seconds: float, seed: int = 0) -> Found:
    """What so many clients get in so many seconds; they share the sessions of a few browsers."""
    found, until = Found(), time.monotonic() + seconds
    browsers = [Client.enter(server) for _ in range(4)]

    def ask(number: int) -> None:
        chance = random.Random(seed * 1000 + number)
        while time.monotonic() < until:
            deed = chance.choice(DEEDS)
            try:
                deed(chance.choice(browsers), found, chance)
            except (OSError, http.client.HTTPException) as error:
                found.note(deed.__name__, type(error).__name__)
            time.sleep(chance.uniform(0, 1.0))

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(clients)]
    visitor = [sys.executable, "-c", VISITOR, str(server.port), str(seconds)]
    with subprocess.Popen(visitor, stdout=subprocess.PIPE, text=True) as process:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        found.start_page += json.loads(process.communicate(timeout=120)[0])
    return found


def main() -> int:
    """A server, many clients, and what they got."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--clients", type=int, default=200)
    options.add_argument("--seconds", type=float, default=60)
    options.add_argument("--seed", type=int, default=0)
    given = options.parse_args()
    with tempfile.TemporaryDirectory() as name, serving(Path(name), "--limit", str(LIMIT)) as server:
        found = asked(server, given.clients, given.seconds, given.seed)
        begun = time.monotonic()
        start_page(Client.enter(server), Found(), random.Random(0))
        quiet = time.monotonic() - begun
        first = next((at for at, line in enumerate(server.said) if "Traceback" in line or "fault" in line), None)
        faults = [] if first is None else server.said[first : first + 60]
        memory = server.memory() / 2**20
    for status, count in sorted(found.statuses.items()):
        print(f"{count:7,} {status}")
    spent = sorted(found.start_page)
    print(f"start page: {len(spent):,} answers, median {spent[len(spent) // 2]:.3f} s, "
          f"99 % {spent[int(0.99 * len(spent))]:.3f} s, slowest {spent[-1]:.3f} s; "
          f"afterwards {quiet:.3f} s; memory {memory:.0f} MiB")  # fmt: skip
    for one in [*found.faults[:20], *faults]:
        print(f"FAULT {one}")
    return 1 if found.faults or faults else 0


if __name__ == "__main__":
    sys.exit(main())
