"""The local server, really running: who is let in, what is taken and how much, what it answers, what it leaves."""

from __future__ import annotations

import http.client
import json
import re
import signal
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from urllib.request import url2pathname

import numpy as np
import pytest
from serving import Client, Server, read_all, serving
from stopping import PATIENCE
from unpacked import held_in

pytest.importorskip("starlette")
pytest.importorskip("uvicorn")

LIMIT = 8 * 2**20
# one address fails on purpose, and no client is too slow, however busy the machine is
PATIENT = """
from rocscope.serve import examples, server, uploads
uploads.PAUSE, server.PATIENCE = 600.0, 600.0
def fail(): raise ZeroDivisionError("/home/secret/path.py")
examples.examples_page = fail
"""
# what would take minutes takes seconds here
HASTY = """
from rocscope.serve import server, uploads
uploads.PAUSE, server.PATIENCE = 1.5, 3.0
"""
SCORES = "id,y,a,b,group\n" + "\n".join(
    f"{i},{i % 3 == 0:d},{(i * 37 % 100) / 100},{(i * 53 % 100) / 100},{'xy'[i % 2]}" for i in range(90)
)
POST = ["/session", "/files", "/files/x", "/files/x/remove", "/evaluate", "/recognise", "/paste", "/validate",
        "/jobs/x/stop"]  # fmt: skip
GET = ["/", "/static/start.js", "/static/start.css", "/state", "/report/x", "/report/x/download", "/examples",
       "/examples/iris", "/examples/iris/report", "/examples/fawcett/learn", "/learn", "/jobs/x"]  # fmt: skip


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with serving(tmp_path_factory.mktemp("serve"), "--limit", str(LIMIT), settings=PATIENT) as made:
        yield made


@pytest.fixture(scope="module")
def client(server: Server) -> Client:
    return Client.enter(server)


@pytest.fixture(scope="module")
def hasty(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    """At a server that soon gives up: only for tests in which it should."""
    with serving(tmp_path_factory.mktemp("hasty"), settings=HASTY) as made:
        yield Client.enter(made)


def alive(client: Client) -> bool:
    return client.ask("GET", "/state")[0] == 200


def answers(client: Client) -> bool:
    """Whether a server that soon gives up answers; a request that came too late for it is no answer."""
    try:
        return alive(client)
    except (OSError, http.client.HTTPException):
        return False


# ---- who is let in ----


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:{port}", "127.0.0.1:1", "127.0.0.1.evil.example:{port}", "", "a b"]
)
def test_b125_another_host_is_refused(client: Client, host: str) -> None:
    named = host.format(port=client.server.port)
    for method, path in (("GET", "/"), ("GET", "/state"), ("POST", "/recognise")):
        status, _, body = client.ask(method, path, Host=named, Origin=f"http://{named}")
        assert status in (400, 421) and b"csv" not in body.lower()


def test_b125_our_own_names_are_answered(client: Client) -> None:
    for name in ("127.0.0.1", "localhost", "[::1]"):
        assert client.ask("GET", "/state", Host=f"{name}:{client.server.port}")[0] == 200


def test_b125_a_second_host_header_is_refused(client: Client) -> None:
    host = client.server.host.encode()
    twice = b"Host: " + host + b"\r\nHost: evil.example\r\nConnection: close\r\n\r\n"
    answer = client.server.raw(b"GET / HTTP/1.1\r\n" + twice)
    assert answer.startswith(b"HTTP/1.1 400")


@pytest.mark.parametrize("path", POST)
@pytest.mark.parametrize("origin", ["http://evil.example", "null", "https://127.0.0.1", "http://127.0.0.1:1", None])
def test_b126_a_foreign_page_changes_nothing(client: Client, path: str, origin: str | None) -> None:
    assert client.ask("POST", path, "{}", Origin=origin)[0] == 403  # type: ignore[arg-type]


@pytest.mark.parametrize("path", POST)
def test_b126_nothing_changes_without_the_cookie(client: Client, path: str) -> None:
    for cookie in ("", "rocscope-1=x", f"rocscope-{client.server.port}=guess"):
        assert client.ask("POST", path, "{}", Cookie=cookie)[0] in (400, 403)


def test_b126_a_request_marked_cross_site_is_refused(client: Client) -> None:
    assert client.ask("POST", "/recognise", {"text": "7 7 3 13"}, Sec_Fetch_Site="cross-site")[0] == 403
    assert client.ask("POST", "/recognise", {"text": "7 7 3 13"}, Sec_Fetch_Site="same-origin")[0] == 200


def test_what_is_not_public_needs_the_cookie(server: Server) -> None:
    for path in GET:
        assert server.ask("GET", path)[0] == (200 if path == "/" or path.startswith("/static") else 403), path


def test_a_token_opens_one_session_once(server: Server) -> None:
    token = server.token()
    Client.enter(server)
    assert server.ask("POST", "/session", json.dumps({"token": token}))[0] == 403
    assert server.ask("POST", "/session", json.dumps({"token": "guess"}))[0] == 403
    assert server.ask("POST", "/session", json.dumps({"token": None}))[0] == 400


def test_the_arguments_of_the_browser_hold_no_key(tmp_path: Path) -> None:
    """Every user of a machine can see the arguments of a process: the link is in a file of its owner."""
    seen, browser = tmp_path / "seen", tmp_path / "browser"
    browser.write_text(f'#!/bin/sh\nprintf "%s\\n" "$@" > {seen}.new && mv {seen}.new {seen}\n')
    browser.chmod(0o755)
    folder = tmp_path / "temporary"
    folder.mkdir()
    with serving(folder, browser=f"{browser} %s") as made:
        until = time.monotonic() + PATIENCE
        while not seen.exists() and time.monotonic() < until:
            time.sleep(0.05)
        address = seen.read_text().strip()
        assert address.startswith("file://") and made.token() not in address and "token" not in address
        page = Path(url2pathname(urlsplit(address).path))
        assert page.stat().st_mode & 0o777 == 0o600 and page.parent.stat().st_mode & 0o777 == 0o700
        assert re.search(r'content="0; url=([^"]+)"', page.read_text())[1] == made.links()[0]  # type: ignore[index]
        made.process.send_signal(signal.SIGINT)
        assert made.process.wait(PATIENCE) == 0 and list(folder.iterdir()) == []


def test_the_cookie_is_out_of_reach_of_scripts_and_other_sites(server: Server) -> None:
    links = len(server.links())
    _, headers, _ = server.ask("POST", "/session", json.dumps({"token": server.token()}))
    server.wait_for("#token=", times=links + 1)
    cookie = headers["set-cookie"].lower()
    assert "httponly" in cookie and "samesite=strict" in cookie and "path=/" in cookie and "domain" not in cookie


def state_of(client: Client) -> Any:
    return client.json("GET", "/state")["files"], len(client.server.uploads()), len(client.server.workshop())


def test_b127_no_get_changes_anything(client: Client) -> None:
    before, token = state_of(client), client.server.token()
    for path in [*GET, *POST, f"/session?token={token}", f"/?token={token}", "/files?name=x"]:
        client.ask("GET", path)
        client.ask("HEAD", path)
    assert state_of(client) == before
    for path in POST:
        if path not in GET:
            assert client.ask("GET", path)[0] in (404, 405)
    assert client.server.token() == token
    Client.enter(client.server)  # the token is still good


@pytest.mark.parametrize(
    "path",
    [
        "/../etc/passwd", "/static/../../../etc/passwd", "/static/%2e%2e%2f%2e%2e%2fetc%2fpasswd",
        "/static/..%5c..%5cx", "/static/%00", "/static/start.js%00.css", "//etc/passwd", "/static//etc/passwd",
        "/static/start.html",
        "/static/__init__.py", "/report/..%2f..%2fetc%2fpasswd", "/examples/..%2f..", "/static/\\..\\x", "/%2e%2e/",
        "/files/../../x", "/static/./start.js",
    ],
)  # fmt: skip
def test_b128_no_path_leads_out(client: Client, path: str) -> None:
    lines = [f"GET {path} HTTP/1.1", f"Host: {client.server.host}", f"Cookie: {client.cookie}", "Connection: close"]
    answer = client.server.raw("\r\n".join([*lines, "", ""]).encode("latin-1"))
    assert re.match(rb"HTTP/1.1 (400|404|405)", answer), answer[:200]
    assert b"root:" not in answer and b"import" not in answer
    assert alive(client)


# ---- what is taken, and how much ----


def test_b129_a_file_larger_than_the_limit_is_refused_before_it_is_read(client: Client) -> None:
    before = len(client.server.uploads())
    head = upload_head(client, f"Content-Length: {2**30}")
    answer = client.server.raw(head)  # no byte of the body is sent
    assert answer.startswith(b"HTTP/1.1 413") and b"8 MB" in answer
    assert len(client.server.uploads()) == before


def upload_head(client: Client, *more: str) -> bytes:
    return post_head(client, "/files?name=x", *more)


def post_head(client: Client, path: str, *more: str) -> bytes:
    lines = [f"POST {path} HTTP/1.1", f"Host: {client.server.host}", f"Origin: http://{client.server.host}",
             f"Cookie: {client.cookie}", *more, "", ""]  # fmt: skip
    return "\r\n".join(lines).encode()


def test_b129_a_gigabyte_in_pieces_is_refused_at_the_limit_and_fills_neither_disk_nor_memory(client: Client) -> None:
    server, most = client.server, 0
    before, memory = len(server.uploads()), server.memory()
    piece = b"100000\r\n" + b"x" * 2**20 + b"\r\n"
    sent = 0
    with socket.create_connection(("127.0.0.1", server.port), timeout=PATIENCE) as link:
        link.sendall(upload_head(client, "Transfer-Encoding: chunked"))
        try:
            while sent < 2**30:
                link.sendall(piece)
                sent += 2**20
                most = max(most, server.held())
        except OSError:
            pass  # the server has hung up
        answer = read_all(link)
    assert sent < 2**30, "it took everything"
    assert answer.startswith(b"HTTP/1.1 413") or answer == b""
    assert most <= LIMIT + 2**20
    assert server.memory() - memory < 64 * 2**20
    wait_until(lambda: len(server.uploads()) == before)
    assert alive(client)


def wait_until(true: Any, seconds: float = PATIENCE) -> None:
    until = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < until, "it did not happen"
        time.sleep(0.05)


def test_b129_a_packed_file_that_swells_is_refused_and_leaves_nothing(client: Client) -> None:
    import gzip

    before, memory = len(client.server.uploads()), client.server.memory()
    status, _, body = client.ask("POST", "/files?name=x.csv.gz", gzip.compress(b"y,p\n" + b"1,0.5\n" * 2**23))
    assert status == 400 and b"x.csv.gz expands to more than 16 MB" in body
    assert len(client.server.uploads()) == before and client.server.memory() - memory < 64 * 2**20
    assert client.upload("y.csv.gz", gzip.compress(SCORES.encode()))["rows"] == 90


def test_b129_a_body_shorter_than_it_says_leaves_nothing(client: Client) -> None:
    before = len(client.server.uploads())
    with socket.create_connection(("127.0.0.1", client.server.port), timeout=PATIENCE) as link:
        link.sendall(upload_head(client, "Content-Length: 5000") + b"y,p\n1,0.5\n")
        link.shutdown(socket.SHUT_WR)
        assert not re.match(rb"HTTP/1.1 2", read_all(link))
    wait_until(lambda: len(client.server.uploads()) == before)
    assert alive(client)


def test_b129_a_body_longer_than_it_says_is_not_read_on(client: Client) -> None:
    answer = client.server.raw(upload_head(client, "Content-Length: 4") + b"y,p\n" + b"GARBAGE " * 100 + b"\r\n\r\n")
    assert b"GARBAGE" not in answer and answer.startswith(b"HTTP/1.1 4")
    assert alive(client)


@pytest.mark.parametrize("length", ["-5", "x", "9" * 40, "1, 2"])
def test_b129_a_length_that_is_no_number_is_refused(client: Client, length: str) -> None:
    assert re.match(rb"HTTP/1.1 4", client.server.raw(upload_head(client, f"Content-Length: {length}") + b"abc"))
    assert alive(client)


def test_b129_a_body_that_stops_coming_is_given_up(hasty: Client) -> None:
    answer = hasty.server.raw(upload_head(hasty, "Content-Length: 5000") + b"y,p\n")
    assert answer.startswith(b"HTTP/1.1 408")
    assert hasty.server.uploads() == []


@pytest.mark.parametrize(
    "name",
    ["../../x", "..\\..\\x", "/etc/passwd", "con", "a" * 300, "nul.csv", "x\x00y", "", ".", "..", "\u202egnp", "<b>"],
)
def test_b130_the_name_of_a_file_is_never_a_path(client: Client, name: str) -> None:
    card = client.upload(name, SCORES)
    assert len(card["name"]) <= 80 and card["name"].isprintable() and not set("/\\") & set(card["name"])
    inside = {path.resolve() for path in client.server.uploads()}
    roots = [root.resolve() for root in client.server.workshop()]
    assert all(any(root in path.parents for root in roots) for path in inside)
    assert all(re.fullmatch(r"[0-9a-f]{16}", path.name) for path in inside)
    client.ask("POST", f"/files/{card['id']}/remove", {})


def test_b131_a_multipart_bomb_is_no_table(client: Client) -> None:
    before = len(client.server.uploads())
    bomb = b"".join(b"--x\r\nContent-Disposition: form-data; name=a\r\n\r\n1\r\n" for _ in range(100_000))
    for path in ("/files?name=x", "/evaluate", "/recognise"):
        head = post_head(client, path, f"Content-Length: {len(bomb)}", "Content-Type: multipart/form-data; boundary=x")
        answer = client.server.raw(head + bomb)
        assert answer == b"" or re.match(rb"HTTP/1.1 4(00|13|15)", answer), answer[:100]
    assert len(client.server.uploads()) == before


@pytest.mark.parametrize("body", ["[" * 100_000, '{"a":' * 100_000, "[]", "NaN", '"x"', "\xff", "", '{"text": NaN}'])
def test_b131_deep_and_odd_json_is_refused(client: Client, body: str) -> None:
    status, _, found = client.ask("POST", "/recognise", body.encode("latin-1"))
    assert status == 400 and b"Traceback" not in found
    assert alive(client)


def test_b131_large_json_is_refused(client: Client) -> None:
    head = post_head(client, "/recognise", f"Content-Length: {5 * 2**20}")
    assert client.server.raw(head).startswith(b"HTTP/1.1 413")


@pytest.mark.parametrize("path", ["/evaluate", "/paste", "/validate", "/files/x", "/recognise"])
@pytest.mark.parametrize("value", [None, 1, [], {}, "x" * 2000, ["a", 1], True])
def test_b131_values_of_the_wrong_kind_are_refused(client: Client, path: str, value: Any) -> None:
    names = ("id", "files", "label", "scores", "text", "kind", "target", "models", "plan", "cost_fn", "unit")
    status, _, body = client.ask("POST", path, dict.fromkeys(names, value))
    assert status == 400, body


# ---- many and slow clients ----


@contextmanager
def idling(client: Client, count: int) -> Iterator[list[socket.socket]]:
    """So many connections, of which half have begun to ask."""
    address = ("127.0.0.1", client.server.port)
    with ExitStack() as links:
        idle = [links.enter_context(socket.create_connection(address, timeout=PATIENCE)) for _ in range(count)]
        for link in idle[: count // 2]:
            with suppress(OSError):  # a hasty server may have hung up already
                link.sendall(b"GET / HT")
        yield idle


def test_b132_two_hundred_idle_connections_do_not_stop_it(client: Client) -> None:
    with idling(client, 200):
        assert alive(client)
        assert client.upload("x.csv", SCORES)["rows"] == 90
    assert alive(client)


def test_b132_idle_connections_are_hung_up(hasty: Client) -> None:
    with idling(hasty, 200) as idle:
        for link in idle:
            assert read_all(link) == b""  # ends when the server hangs up
    wait_until(lambda: answers(hasty))


def test_b132_a_request_that_creeps_in_is_cut_off(hasty: Client) -> None:
    with socket.create_connection(("127.0.0.1", hasty.server.port), timeout=PATIENCE) as link:
        link.sendall(f"GET / HTTP/1.1\r\nHost: {hasty.server.host}\r\n".encode())
        link.settimeout(0.5)
        for letter in "X-A: " + "b" * 600:
            try:
                link.sendall(letter.encode())
                if not link.recv(1):
                    break
            except TimeoutError:
                continue
            except OSError:
                break
        else:
            pytest.fail("it waited for ever")
    wait_until(lambda: answers(hasty))


def test_b132_a_creeping_request_after_a_good_one_is_cut_off_too(hasty: Client) -> None:
    with socket.create_connection(("127.0.0.1", hasty.server.port), timeout=PATIENCE) as link:
        link.sendall(f"GET / HTTP/1.1\r\nHost: {hasty.server.host}\r\n\r\n".encode())
        assert link.recv(10).startswith(b"HTTP/1.1")
        link.sendall(b"GET / HTT")
        read_all(link)  # ends when the server hangs up


def test_b132_others_are_answered_while_one_computes(client: Client) -> None:
    large = "y,a,b\n" + "\n".join(f"{i % 2},{i % 997},{i % 991}" for i in range(60_000))
    card = client.upload("large.csv", large)
    asked = {"files": [{"id": card["id"], "label": "y", "positive": "1", "scores": ["a", "b"]}], "cost_fn": 5}
    worker = threading.Thread(target=client.ask, args=("POST", "/evaluate", asked))
    worker.start()
    assert client.ask("GET", "/")[0] == 200
    worker.join()


# ---- where it listens ----


def test_b133_only_this_machine_is_answered_by_default(server: Server) -> None:
    table = Path("/proc/net/tcp").read_text() + Path("/proc/net/tcp6").read_text()
    bound = re.findall(rf"^\s*\d+: ([0-9A-F]+):{server.port:04X} \S+ 0A", table, re.MULTILINE)
    assert bound == ["0100007F"]


def test_b133_the_network_needs_a_flag(tmp_path: Path) -> None:
    with serving(tmp_path, "--host", "0.0.0.0", wait="") as made:
        assert made.process.wait(PATIENCE) == 2
    assert any("--open-to-network" in line for line in made.said)


def test_b133_open_to_the_network_the_link_is_shown_and_names_are_refused(tmp_path: Path) -> None:
    with serving(tmp_path, "--host", "0.0.0.0", "--open-to-network") as made:
        assert any("not encrypted" in line for line in made.said)
        assert made.ask("GET", "/", Host=f"10.1.2.3:{made.port}")[0] == 200
        assert made.ask("GET", "/", Host=f"evil.example:{made.port}")[0] == 421
        assert made.ask("GET", "/state", Host=f"10.1.2.3:{made.port}")[0] == 403


def test_b134_a_port_in_use_gives_the_next_one_and_says_so(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with serving(tmp_path, port=port) as made:
            assert made.port != port
            assert any(f"port {port} is in use" in line for line in made.said)


# ---- odd requests and answers ----


@pytest.mark.parametrize(
    ("data", "codes"),
    [
        (b"GET /unknown HTTP/1.1\r\nHost: {host}\r\nCookie: {cookie}\r\nConnection: close\r\n\r\n", b"404"),
        (b"DELETE /state HTTP/1.1\r\nHost: {host}\r\nOrigin: http://{host}\r\nCookie: {cookie}\r\n"
         b"Connection: close\r\n\r\n", b"405"),
        (b"PUT / HTTP/1.1\r\nHost: {host}\r\nOrigin: http://{host}\r\nConnection: close\r\n\r\n", b"405"),
        (b"GET /\r\n\r\n", b"400"),
        (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"\x00" * 40 + b"\r\n\r\n", b"400"),
        (b"GET / HTTP/9.9\r\n\r\n", b"(400|421|505)"),
        (b"GET / HTTP/1.1\r\nHost: {host}\r\nX-Large: " + b"x" * 2**20 + b"\r\n\r\n", b"4(00|31)"),
        (b"GET /" + b"a" * 2**20 + b" HTTP/1.1\r\nHost: {host}\r\n\r\n", b"4(00|14|31)"),
        (b"GET / HTTP/1.1\r\n\r\n", b"4(00|21)"),
        (b"POST /files HTTP/1.1\r\nHost: {host}\r\nTransfer-Encoding: chunked\r\nContent-Length: 5\r\n"
         b"\r\n0\r\n\r\n", b"40[03]"),
    ],
)  # fmt: skip
def test_b135_odd_requests_get_a_number_and_the_server_lives(client: Client, data: bytes, codes: bytes) -> None:
    filled = data.replace(b"{host}", client.server.host.encode()).replace(b"{cookie}", client.cookie.encode())
    answer = client.server.raw(filled)
    assert answer == b"" or re.match(rb"HTTP/1.1 " + codes, answer), answer[:100]
    assert alive(client)


def test_b136_a_fault_shows_no_stack_and_no_path(client: Client) -> None:
    status, _, body = client.ask("GET", "/examples")  # made to fail
    assert status == 500
    number = re.search(rb"number ([0-9a-f]{8})", body)
    assert number is not None
    for word in (b"Traceback", b"ZeroDivision", b"/home", b"site-packages", b".py"):
        assert word not in body
    client.server.wait_for(number[1].decode())  # the terminal knows more
    client.server.wait_for("ZeroDivisionError")


@pytest.mark.parametrize(
    "content", [b"PAR1" + b"x" * 400 + b"PAR1", b"\x1f\x8b" + b"x" * 50, b"", b"\x00" * 100, b"y,p\n1\n", b"\xff\xfe"]
)
def test_b136_files_that_cannot_be_read_say_so_without_a_path(client: Client, content: bytes) -> None:
    before = len(client.server.uploads())
    status, _, body = client.ask("POST", "/files?name=bad.csv", content)
    assert status == 400 and b"bad.csv" in body, body
    folder = str(client.server.folder).encode()
    assert folder not in body and b"/tmp" not in body and b"Traceback" not in body
    assert not re.search(rb"[0-9a-f]{16}", body)
    assert len(client.server.uploads()) == before


def test_b136_missing_pages_are_pages_for_people(client: Client) -> None:
    status, headers, body = client.ask("GET", "/report/none", Accept="text/html")
    assert status == 404 and headers["content-type"].startswith("text/html") and b"Back to the start" in body


@pytest.mark.parametrize("path", [*GET, "/unknown", "/session"])
def test_b137_every_answer_has_its_headers(client: Client, path: str) -> None:
    for cookie in (client.cookie, ""):
        _, headers, _ = client.ask("GET", path, Cookie=cookie)
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["cache-control"] == "no-store"
        assert headers["referrer-policy"] == "no-referrer"
        policy = headers["content-security-policy"]
        assert policy.startswith("default-src 'none'") and "unsafe" not in policy and "frame-ancestors 'none'" in policy
        assert not any(name.startswith("access-control") for name in headers)
        assert "server" not in headers


def test_b138_a_preflight_gets_no_permission(client: Client) -> None:
    for path in ("/files", "/evaluate", "/state"):
        status, headers, _ = client.ask("OPTIONS", path, Origin="http://evil.example",
                                        Access_Control_Request_Method="POST")  # fmt: skip
        assert status == 403 and not any(name.startswith("access-control") for name in headers)


def test_b139_sessions_do_not_see_each_other(client: Client) -> None:
    card = client.upload("mine.csv", SCORES)
    choice = {"id": card["id"], "label": "y", "positive": "1", "scores": ["a"]}
    report = client.json("POST", "/evaluate", {"files": [choice]})["report"]
    other = Client.enter(client.server)
    assert other.json("GET", "/state")["files"] == []
    assert other.ask("GET", f"/report/{report}")[0] == 404
    assert other.ask("POST", "/evaluate", {"files": [choice]})[0] == 400
    assert other.ask("POST", f"/files/{card['id']}", {"label": "y"})[0] == 400
    other.ask("POST", f"/files/{card['id']}/remove", {})
    assert client.ask("GET", f"/report/{report}")[0] == 200
    assert any(one["id"] == card["id"] for one in client.json("GET", "/state")["files"])


def test_b140_a_killed_server_leaves_nothing_for_long(tmp_path: Path) -> None:
    with serving(tmp_path) as first:
        Client.enter(first).upload("x.csv", SCORES)
        left = first.workshop()
        assert len(left) == 1 and len(first.uploads()) == 1
        first.process.kill()
        first.process.wait()
        assert left[0].exists()
    with serving(tmp_path) as second:
        assert not left[0].exists()
        with serving(tmp_path) as third:  # a server that lives is left alone
            assert set(second.workshop()) == set(third.workshop()) and len(third.workshop()) == 2
            assert alive(Client.enter(second)) and alive(Client.enter(third))


@pytest.mark.parametrize(("sent", "code"), [(signal.SIGINT, 0), (signal.SIGTERM, 143)])
def test_b140_stopping_removes_everything(tmp_path: Path, sent: signal.Signals, code: int) -> None:
    with serving(tmp_path) as made:
        Client.enter(made).upload("x.csv", SCORES)
        assert made.uploads()
        made.process.send_signal(sent)
        assert made.process.wait(PATIENCE) == code
        assert list(tmp_path.iterdir()) == []


def test_b140_a_link_in_the_way_is_not_followed(tmp_path: Path) -> None:
    precious = tmp_path / "precious"
    precious.mkdir()
    (precious / "file").write_text("keep")
    (tmp_path / "rocscope-serve-link").symlink_to(precious)
    with serving(tmp_path):
        assert (precious / "file").read_text() == "keep"


# ---- what it does ----


def test_a_dropped_file_is_guessed_counted_and_nothing_opens(client: Client) -> None:
    holed = SCORES.replace("\n3,1,0.11,", "\n3,1,,")
    card = client.upload("predictions.csv", holed)
    assert (card["rows"], card["columns"], card["label"], card["positive"]) == (90, 5, "y", "1")
    assert card["scores"] == [{"name": "a", "chosen": True}, {"name": "b", "chosen": True}]
    assert card["by"] == "group" and card["ids"] == ["id"]
    assert card["left_out"] == {"no score of a": 1}
    assert {one["value"]: one["count"] for one in card["values"]} == {"1": 29, "0": 60}
    fewer = client.json("POST", f"/files/{card['id']}", {"label": "y", "positive": "0", "scores": ["b"], "by": None})
    assert fewer["left_out"] == {} and fewer["positive"] == "0" and fewer["by"] is None
    wrong = client.ask("POST", f"/files/{card['id']}", {"label": "yy", "scores": []})
    assert wrong[0] == 400 and b"Did you mean 'y'" in wrong[2]


def test_the_answer_is_the_report_with_its_own_policy(client: Client) -> None:
    card = client.upload("predictions.csv", SCORES)
    choice = {"id": card["id"], "label": "y", "positive": "1", "scores": ["a", "b"], "by": "group"}
    key = client.json("POST", "/evaluate", {"files": [choice], "cost_fp": 1, "cost_fn": 5})["report"]
    status, headers, body = client.ask("GET", f"/report/{key}")
    assert status == 200 and b"predictions.csv" in body
    policy = headers["content-security-policy"]
    assert "sha256-" in policy and "frame-ancestors 'none'" in policy
    status, headers, saved = client.ask("GET", f"/report/{key}/download")
    assert saved == body and headers["content-disposition"] == 'attachment; filename="rocscope-report.html"'


def test_the_numbers_are_those_of_the_library(client: Client) -> None:
    import rocscope as rs

    rows = [line.split(",") for line in SCORES.splitlines()[1:]]
    expected = rs.evaluate([row[1] for row in rows], [float(row[2]) for row in rows])
    card = client.upload("p.csv", SCORES)
    choice = {"id": card["id"], "label": "y", "positive": "1", "scores": ["a"]}
    key = client.json("POST", "/evaluate", {"files": [choice]})["report"]
    body = client.ask("GET", f"/report/{key}")[2].decode()
    document = held_in(body)
    assert isinstance(expected, rs.Evaluation)
    found = json.dumps(document)
    assert repr(expected.auc.value) in found and repr(expected.auc.low) in found


def test_models_are_compared_across_files_by_their_ids(client: Client) -> None:
    rows = [line.split(",") for line in SCORES.splitlines()[1:]]
    first = client.upload("first.csv", "id,y,a\n" + "\n".join(",".join(row[:3]) for row in rows))
    turned = "id,y,b\n" + "\n".join(",".join([row[0], row[1], row[3]]) for row in reversed(rows))
    second = client.upload("second.csv", turned)
    fewer = client.upload("fewer.csv", "\n".join(turned.splitlines()[:-5]))

    def choice(card: Any, score: str, join: str | None) -> dict[str, Any]:
        return {"id": card["id"], "label": "y", "positive": "1", "scores": [score], "join": join}

    key = client.json("POST", "/evaluate", {"files": [choice(first, "a", "id"), choice(second, "b", "id")]})["report"]
    body = client.ask("GET", f"/report/{key}")[2].decode()
    assert "first.csv, second.csv" in body and "90" in body
    for join, said in (("id", b"have no match: 5 of first.csv"), (None, b"id column")):
        files = [choice(first, "a", join), choice(fewer, "b", join)]
        status, _, refused = client.ask("POST", "/evaluate", {"files": files})
        assert status == 400 and said in refused
    status, _, said = client.ask("POST", "/evaluate", {"files": [choice(first, "a", None), choice(second, "b", None)]})
    assert status == 400 and b"id column" in said


def test_parquet_is_read(client: Client) -> None:
    pa = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    sink = pa.BufferOutputStream()
    rows = [line.split(",") for line in SCORES.splitlines()[1:]]
    parquet.write_table(pa.table({"y": [int(r[1]) for r in rows], "p": [float(r[2]) for r in rows]}), sink)
    card = client.upload("p.parquet", sink.getvalue().to_pybytes())
    assert card["rows"] == 90 and card["label"] == "y" and card["scores"] == [{"name": "p", "chosen": True}]


@pytest.mark.parametrize(
    ("text", "kind", "says"),
    [
        ("model FPR TPR\nC4.5 0.2 0.7\nSVM 0.5 0.95", "points", "2 classifiers"),
        ("A\t0.1\t0.5\nB\t0.2\t0.9", "points", "2 classifiers"),
        ("7 7 3 13", "counts", "1 classifier"),
        ("TP 7\nFP 7\nFN 3\nTN 13", "counts", "1 classifier"),
        ("model,tp,fp,fn,tn\na,7,7,3,13\nb,5,2,5,18", "counts", "2 classifiers"),
        ("10 0 0\n0 7 5\n0 3 5", "matrix", "3 classes"),
        ("\tcat\tdog\ncat\t5\t2\ndog\t1\t9", "matrix", "2 classes"),
        ("y,score\n1,0.9\n0,0.1\n1,0.7\n0,0.4", "scores", "4 cases"),
        ("threshold;tp;fp;fn;tn\n0.5;3;1;1;3\n0.2;4;2;0;2", "thresholds", "2 thresholds"),
    ],
)
def test_a_pasted_table_is_named_and_shown(client: Client, text: str, kind: str, says: str) -> None:
    found = client.json("POST", "/recognise", {"text": text})
    assert found["kind"] == kind and found["kinds"][0]["says"].startswith(says)
    assert set(found["also"]).isdisjoint(one["title"] for one in found["kinds"])
    key = client.json("POST", "/paste", {"text": text, "kind": kind})["report"]
    assert client.ask("GET", f"/report/{key}")[0] == 200


def test_pasted_points_give_the_hull_and_its_cost_ratios(client: Client) -> None:
    text = "model FPR TPR\nC4.5 0.2 0.7\nSVM 0.5 0.95\nk-NN 0.3 0.72"
    key = client.json("POST", "/paste", {"text": text, "kind": "points"})["report"]
    document = document_in(client.ask("GET", f"/report/{key}")[2].decode())
    drawing = document["drawing"]
    assert document["hull"]["dominated"] == ["k-NN"] and document["recommended"] == "C4.5"
    corners = [(point["fpr"], point["tpr"], point["model"]) for point in drawing["hull"]["points"]]
    assert corners == [(0, 0, None), (0.2, 0.7, "C4.5"), (0.5, 0.95, "SVM"), (1, 1, None)]
    assert "1.2 false alarms" in document["verdict"]["change"]  # (0.5 - 0.2) / (0.95 - 0.7)
    assert [(m["name"], m["tp"], m["fp"]) for m in drawing["models"]][1] == ("SVM", [0, 950, 1000], [0, 500, 1000])
    assert document["verdict"]["headline"] == "Recommended: C4.5."


def document_in(body: str) -> Any:
    return held_in(body)


def limits(part: Any) -> list[Any]:
    """Every lower and upper limit in a document."""
    if isinstance(part, dict):
        own = [part["low"], part["high"]] if {"value", "low", "high"} <= set(part) else []
        return own + [one for inner in part.values() for one in limits(inner)]
    return [one for inner in part for one in limits(inner)] if isinstance(part, list) else []


def pasted_document(client: Client, text: str, kind: str) -> Any:
    key = client.json("POST", "/paste", {"text": text, "kind": kind})["report"]
    return document_in(client.ask("GET", f"/report/{key}")[2].decode())


def test_rates_without_counts_have_no_interval_anywhere(client: Client) -> None:
    document = pasted_document(client, "model FPR TPR\nC4.5 0.2 0.7\nSVM 0.5 0.95", "points")
    found = limits(document)
    assert len(found) > 20 and set(found) == {None}
    drawing = document["drawing"]
    assert drawing["rates_only"] and drawing["strip"]["shares"] is None and drawing["differences"] == []
    assert [model["band"] for model in drawing["models"]] == [None, None]
    assert document["data"]["source"] == {"file": "the pasted table"}
    assert drawing["points"] and all(model["corrected"] is None for model in drawing["models"])
    assert not re.search(r"\[\d|CI", json.dumps(document["verdict"]))


def test_rates_are_kept_to_the_last_digit(client: Client) -> None:
    document = pasted_document(client, "model FPR TPR\na 0.12345 0.6789\nb 0.3333333 0.9", "points")
    one = document["drawing"]["models"][0]
    assert abs(one["fp"][1] - 123.45) < 1e-6 and abs(one["tp"][1] - 678.9) < 1e-6


def test_rates_with_their_totals_and_counts_have_their_intervals(client: Client) -> None:
    import rocscope as rs

    rates = "model FPR TPR positives negatives\nC4.5 0.2 0.7 20 10\nSVM 0.5 0.95 20 10"
    counts = "model,tp,fp,fn,tn\nC4.5,14,2,6,8\nSVM,19,5,1,5"
    expected = rs.Counts(tp=14, fp=2, fn=6, tn=8).estimate("recall")
    for text, kind in ((rates, "points"), (counts, "counts")):
        document = pasted_document(client, text, kind)
        model = next(one for one in document["drawing"]["models"] if one["name"] == "C4.5")
        assert (model["tp"], model["fp"], model["point"]) == ([0, 14, 20], [0, 2, 10], 1)
        ends = (model["band"]["low"][1], model["band"]["high"][1])  # the report keeps four decimals of a band
        assert ends == (round(expected.low, 4), round(expected.high, 4))
        assert document["drawing"]["rates_only"] is False
        assert document["drawing"]["strip"]["shares"] is None and document["differences"][0]["p"] is None  # not paired
    other = "model,tp,fp,fn,tn\na,14,2,6,8\nb,19,5,1,50"  # other cases: only the rates can be compared
    assert pasted_document(client, other, "counts")["drawing"]["rates_only"] is True


def test_a_pasted_table_of_thresholds_gives_the_page(client: Client) -> None:
    text = "threshold;tp;fp;fn;tn\n0.8;3;1;7;19\n0.5;7;4;3;16\n0.2;9;12;1;8"
    (model,) = pasted_document(client, text, "thresholds")["drawing"]["models"]
    assert model["tp"] == [0, 3, 7, 9, 10] and model["fp"] == [0, 1, 4, 12, 20]
    assert model["thresholds"] == [None, 0.8, 0.5, 0.2, 0.0] and model["histogram"] is None


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("model FPR TPR\na 1.2 0.7\nb 0.1 0.2\nc 0.1 0.3", "FPR must be a proportion from 0 to 1, not 1.2"),
        ("model FPR\na 0.2\nb 0.3", "no column TPR"),
        ("7 -7 3 13", "'-7' is not a count"),
        ("10 -1 0\n0 7 5\n0 3 5", "'-1' is not a count"),
        ("model,tp,fp,fn\na,1,2,3", "no column TN"),
        ("threshold,tp,fp,fn,tn\nx,3,1,1,3", "'x' is not a threshold"),
    ],
)
def test_what_is_wrong_with_a_pasted_table_is_said(client: Client, text: str, said: str) -> None:
    status, _, body = client.ask("POST", "/recognise", {"text": text})
    assert status == 400 and said in json.loads(body)["error"]


@pytest.mark.parametrize("rows", ["cat,dog\ncat,cat\ndog,dog", "1,0\n1,1\n0,0"])
def test_pasted_labels_and_predictions_are_evaluated(client: Client, rows: str) -> None:
    text = f"actual,predicted\n{rows}"
    assert client.json("POST", "/recognise", {"text": text})["kind"] == "scores"
    assert sum(map(sum, pasted_document(client, text, "scores")["matrix"]["cells"])) == 3


@pytest.mark.parametrize("text", ["", "hello world", "1 2\n3", "a b c\nd e f", "\x00\x01", "0.5"])
def test_what_is_no_table_says_what_would_be(client: Client, text: str) -> None:
    status, _, body = client.ask("POST", "/recognise", {"text": text})
    assert status == 400 and json.loads(body)["error"]


def test_something_else_that_does_not_fit_is_refused_with_a_reason(client: Client) -> None:
    status, _, body = client.ask("POST", "/paste", {"text": "7 7 3 13", "kind": "points"})
    assert status == 400 and json.loads(body)["error"]
    assert client.ask("POST", "/paste", {"text": "7 7 3 13", "kind": "../x"})[0] == 400


def test_names_in_pasted_tables_are_inert(client: Client) -> None:
    text = 'model,FPR,TPR\n<script>alert(1)</script>,0.2,0.7\n""" onload=x\u202e",0.5,0.9'
    key = client.json("POST", "/paste", {"text": text, "kind": "points"})["report"]
    body = client.ask("GET", f"/report/{key}")[2].decode()
    assert "<script>alert" not in body and "\u202e" not in body
    assert document_in(body)["models"][0] == "<script>alert(1)</script>"


def test_the_gallery_leads_to_examples_and_their_reports(client: Client) -> None:
    names = client.json("GET", "/state")["gallery"]
    assert len(names) == 8
    start = client.ask("GET", "/")[2].decode()
    for name in names:
        assert f'<a href="/examples/{name}"><svg' in start
        status, _, body = client.ask("GET", f"/examples/{name}")
        assert status == 200 and b"Show the answers" in body
        before, _, after = body.partition(b"<details>")
        assert b"<td>" in before and b"Errors in the source" not in before  # the data stand above, what answers below
        assert b"All examples" in after.partition(b"</details>")[2]
    moving = document_in(client.ask("GET", "/examples/c45-svm/report")[2].decode())["drawing"]
    assert [model["name"] for model in moving["models"]] == ["C4.5", "SVM"] and moving["rates_only"]
    assert client.ask("GET", "/examples/no-such")[0] == 404


def test_the_start_page_says_all_it_knows_before_any_script(server: Server) -> None:
    body = server.ask("GET", "/")[2].decode()
    assert "CSV, TSV, JSON lines, Parquet, Arrow, Excel; .gz, .zst. Up to 8 MB." in body
    assert body.count("<li>") == 8 and "<!--" not in body


def test_a_file_without_a_chosen_label_is_named(client: Client) -> None:
    first, second = client.upload("first.csv", SCORES), client.upload("second.csv", "h,w\n1.5,2.5\n2.5,3.5\n3.5,4.5")
    assert second["label"] is None
    chosen = [{"id": first["id"], "label": "y", "positive": "1", "scores": ["a"]},
              {"id": second["id"], "label": None, "scores": ["h"]}]  # fmt: skip
    status, _, body = client.ask("POST", "/evaluate", {"files": chosen})
    assert status == 400 and json.loads(body)["error"] == "second.csv: no label was selected"
    fewer = client.json("POST", f"/files/{second['id']}", {"label": None, "scores": ["h"]})
    assert fewer["label"] is None and [one["name"] for one in fewer["scores"] if one["chosen"]] == ["h"]


def test_a_saved_table_is_known_as_one_and_evaluated_alone(client: Client, tmp_path: Path) -> None:
    pytest.importorskip("duckdb")
    from rocscope.table import ScoreTable

    ScoreTable.from_scores([1, 0, 1, 1, 0], [0.9, 0.8, 0.7, 0.8, 0.1]).save(tmp_path / "day.rst")
    card = client.upload("day.rst", (tmp_path / "day.rst").read_bytes())
    assert card["saved"] == "3 positive, 2 negative, 4 distinct scores" and card["labels"] == []
    key = client.json("POST", "/evaluate", {"files": [{"id": card["id"]}], "cost_fp": 1, "cost_fn": 5})["report"]
    document = document_in(client.ask("GET", f"/report/{key}")[2].decode())
    assert (document["data"]["positives"], document["data"]["negatives"]) == (3, 2)
    assert document["settings"]["costs"]["fn"] == 5 and document["data"]["source"]["file"] == "day.rst"
    other = client.upload("other.csv", SCORES)
    both = [{"id": card["id"]}, {"id": other["id"], "label": "y", "positive": "1", "scores": ["a"]}]
    status, _, body = client.ask("POST", "/evaluate", {"files": both})
    assert status == 400 and b"day.rst is a saved table" in body
    status, _, body = client.ask("POST", "/files?name=bad.rst", SCORES)
    assert status == 400 and b"bad.rst" in body and b"/tmp" not in body


def finished(client: Client, job: dict[str, Any]) -> dict[str, Any]:
    seen = []
    while job["state"] == "running":
        time.sleep(0.1)
        job = client.json("GET", f"/jobs/{job['id']}")
        seen.append(job["done"])
    assert seen == sorted(seen)
    return job


def data_set() -> str:
    return "y,u,v\n" + "\n".join(f"{i % 2},{(i * 37 % 101) / 10 + i % 2},{(i * 17 % 89) / 10}" for i in range(80))


def test_a_validation_runs_with_progress_and_gives_a_report(client: Client) -> None:
    pytest.importorskip("sklearn")
    card = client.upload("data.csv", data_set())
    wanted = {"id": card["id"], "target": "y", "models": ["nb", "tree"], "plan": "5x2"}
    job = finished(client, client.json("POST", "/validate", wanted))
    assert job["state"] == "done" and job["done"] == job["total"] == 20, job
    assert b"nb" in client.ask("GET", f"/report/{job['report']}")[2]


def test_a_validation_can_be_stopped(client: Client) -> None:
    pytest.importorskip("sklearn")
    card = client.upload("data.csv", data_set())
    wanted = {"id": card["id"], "target": "y", "models": ["forest"], "plan": "bootstrap-200"}
    job = client.json("POST", "/validate", wanted)
    assert client.ask("POST", f"/jobs/{job['id']}/stop", {})[0] == 204
    assert finished(client, job)["state"] == "stopped"


@pytest.mark.parametrize("model", ["os:system", "rocscope.cli:main", "forest; rm", ""])
def test_a_page_cannot_name_code_to_import(client: Client, model: str) -> None:
    card = client.upload("data.csv", data_set())
    wanted = {"id": card["id"], "target": "y", "models": [model], "plan": "5x2"}
    assert client.ask("POST", "/validate", wanted)[0] == 400


def test_files_named_on_the_command_line_are_there_and_are_not_deleted(tmp_path: Path) -> None:
    own = tmp_path / "own.csv"
    own.write_text(SCORES)
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    with serving(scratch, str(own)) as made:
        client = Client.enter(made)
        (card,) = client.json("GET", "/state")["files"]
        assert card["name"] == "own.csv" and card["label"] == "y"
        client.ask("POST", f"/files/{card['id']}/remove", {})
    assert own.read_text() == SCORES


@pytest.mark.parametrize(
    ("words", "said"), [(["missing.csv"], "there is no file"), (["--limit", "many"], "must be a size, not many")]
)
def test_wrong_usage_ends_before_anything_listens(tmp_path: Path, words: list[str], said: str) -> None:
    with serving(tmp_path, *words, wait="") as made:
        assert made.process.wait(PATIENCE) == 2
    assert any(said in line for line in made.said) and not made.links()


def test_without_its_packages_the_way_to_get_them_is_said(tmp_path: Path) -> None:
    with serving(tmp_path, settings="sys.modules['uvicorn'] = None", wait="") as made:
        assert made.process.wait(PATIENCE) == 2
    assert any('pip install "rocscope[serve]"' in line for line in made.said)


# ---- what people paste ----

TEXTBOOK = "Cut-off\tSensitivity\tSpecificity\n5\t0.98\t0.30\n10\t0.85\t0.62\n15\t0.52\t0.91"


@pytest.mark.parametrize(
    ("text", "kind", "heading"),
    [
        ("C4.5 (0.2, 0.7)\nSVM (0.5, 0.95)", "points", "Recommended: C4.5."),
        ("C4.5: (0.2,0.7); SVM: (0.5,0.95)", "points", "Recommended: C4.5."),
        ("tp=7 fp=7 fn=3 tn=13", "counts", "Accuracy 0.67 (95\u00a0% CI 0.49–0.81) over 30 cases."),
        ("TP: 7, FP: 7, FN: 3, TN: 13", "counts", "Accuracy 0.67 (95\u00a0% CI 0.49–0.81) over 30 cases."),
        ("5 3 7 x-3", "unknown", "Counts with an unknown"),
        (TEXTBOOK, "curve", "Area 0.812"),
        ("cutoff;sensitivity (%);specificity (%)\n>= 5;98;30\n>= 10;85;62", "curve", "Area 0.751"),
        ("0 0\n0 0.5\n0.2 0.7\n0.5 0.9\n1 1", "curve", "Area 0.835"),
        ("cut-off sensitivity specificity\n<= 15 0.98 0.30\n<= 10 0.85 0.62\n<= 5 0.52 0.91", "curve", "Area 0.812"),
        ("Cut-off value   Sens (%)   Spec (%)\n> 5   98   30\n> 10  85   62\n> 15  52   91", "curve", "Area 0.812"),
        ("| Cut-off | TPR | FPR |\n|---|--:|---|\n| 5 | 0.9 | 0.6 |\n| 9 | 0.7 | 0.2 |", "curve", "Area 0.770"),
        ("array([[50, 10],\n       [ 5, 35]])", "matrix", "Accuracy 0.850"),
        ("[[50 10]\n [ 5 35]]", "matrix", "Accuracy 0.850"),
        ("TP 7 FP 7 FN 3 TN 13", "counts", "Accuracy 0.67 (95\u00a0% CI 0.49–0.81) over 30 cases."),
        ("tp=7 fp=7", "unknown", "Counts with an unknown"),
        ("5 3 7 x - 3", "unknown", "Counts with an unknown"),
        ("tp = 5, fp = 3, fn = 7, tn = x - 3", "unknown", "Counts with an unknown"),
        ("cut-off\tTPR\tFPR\n≥ 5\t90%\t60%\n≥ 9\t70%\t20%", "curve", "Area 0.770"),
        ("Score,Sensitivity,Specificity\n>=1,100,10\n>=2,90,40\n>=3,60,80", "curve", "Area 0.745"),
        ("1 0.9\n0 0.3\n1 0.8\n0 0.1\n1 0.4", "scores", "AUC 1.00"),
        ("TPR=0.7 FPR=0.2", "points", "Recommended: use it rather than flag all or none"),
        ("Sensitivity = 70%, Specificity = 80%", "points", "Recommended: use it rather than flag all or none"),
        ("1-Spec 0.2, Sens 0.7", "points", "Recommended: use it rather than flag all or none"),
        ("        Reference\nPrediction no  yes\n       no  50   10\n       yes  5   35", "matrix", "Accuracy 0.850"),
        ("predicted  no  yes\nactual\nno   50   5\nyes  10  35", "matrix", "Accuracy 0.850"),
        ("  a  b   <-- classified as\n 50  5 |  a = no\n 10 35 |  b = yes", "matrix", "Accuracy 0.850"),
        ("y_true = [1, 0, 1, 0, 1]\ny_score = np.array([0.9, 0.3, 0.8, 0.1, 0.4])", "scores", "AUC 1.00"),
        ("[1, 0, 1, 0, 1]\n[0.9, 0.3, 0.8, 0.1, 0.4]", "scores", "AUC 1.00"),
        ("label;score\n1;0,9\n0;0,3\n1;0,825\n0;0,1\n1;0,4", "scores", "AUC 1.00"),
        (
            "Criterion\tSensitivity\t95% CI\tSpecificity\t95% CI\t+LR\n>5\t98\t90-99\t30\t20-40\t1.4\n"
            ">10\t85\t80-90\t62\t50-70\t2.2\n>15\t52\t40-60\t91\t85-95\t5.8",
            "curve",
            "Area 0.812",
        ),
        ("Cutoff value,Sens,1-Spec\n<= 5,0.3,0.02\n<= 10,0.7,0.2\n<= 20,0.98,0.6", "curve", "Area 0.825"),
        ("x,y\n0,0\n0.2,0.7\n1,1", "curve", "Area 0.75"),
    ],
)
def test_what_people_paste_is_understood(text: str, kind: str, heading: str) -> None:
    from rocscope.serve import pasted

    assert pasted.recognise(text)["kind"] == kind
    _, page = pasted.show(text, kind)
    shown = re.search(r"<h1[^>]*>(.*?)</h1>", page, re.DOTALL)
    assert shown and re.sub("<[^>]+>", "", shown[1]).startswith(heading)


def test_a_curve_with_the_sizes_of_the_classes_is_a_report_with_intervals() -> None:
    from rocscope.serve import pasted

    text = f"{TEXTBOOK}\npositives: 130\nnegatives: 400"
    _, page = pasted.show(text, pasted.recognise(text)["kind"])
    drawing = held_in(page)["drawing"]
    assert (drawing["positives"], drawing["negatives"], drawing["rule"]) == (130, 400, ">=")
    assert drawing["models"][0]["areas"][0]["low"] is not None
    falling = text.replace("5\t0.98", "15\t0.98", 1).replace("15\t0.52", "5\t0.52")
    assert held_in(pasted.show(falling, "curve")[1])["drawing"]["rule"] == "<="


def test_counts_that_are_not_given_are_unknown() -> None:
    from rocscope.serve import pasted

    assert pasted.recognise("tp=7 fp=7")["kinds"][0]["says"] == "FN and TN are unknown"
    page = pasted.show("tp=7 fp=7", "unknown")[1]
    assert "precision 50" in page and "specificity: tn is unknown" in page


@pytest.mark.parametrize(("names", "positive"), [(("yes", "no"), "yes"), (("good", "bad"), None), (None, None)])
def test_the_positive_class_of_a_pasted_matrix_is_never_guessed(
    names: tuple[str, str] | None, positive: str | None
) -> None:
    from rocscope.serve import pasted

    text = "50 10\n5 35" if names is None else "\t{0}\t{1}\n{0}\t50\t10\n{1}\t5\t35".format(*names)
    page = pasted.show(text, "matrix")[1]
    assert held_in(page)["data"]["positive"] == positive
    assert ("positive class: not specified" in page) is (positive is None) and "--positive" not in page.split(
        "<footer"
    )[0]


def test_the_rows_of_a_printed_matrix_are_those_of_its_titles() -> None:
    """R prints the predictions in the rows, pandas and Weka the actual classes; nothing is asked."""
    from rocscope.serve import pasted

    caret = "          Reference\nPrediction   no  yes\n       no   50   10\n       yes   5   35"
    crosstab = "predicted  no  yes\nactual\nno   50   5\nyes  10  35"
    weka = "=== Confusion Matrix ===\n\n  a  b   <-- classified as\n 50  5 |  a = no\n 10 35 |  b = yes"
    for text, rows in ((caret, "predicted"), (crosstab, "actual"), (weka, "actual")):
        first = pasted.recognise(text)["kinds"][0]
        assert first["asks"] is None and first["says"] == f"2 classes, rows: {rows} classes"
        held = held_in(pasted.show(text, "matrix")[1])
        assert held["matrix"]["cells"] == [[50, 5], [10, 35]] and held["data"]["positive"] == "yes"


def test_an_unknown_is_worked_out_in_its_own_letters() -> None:
    from rocscope.serve import pasted

    page = pasted.show("tp=5 fp=3 fn=7 tn=x-3", "unknown")[1]
    assert "(x - 3)/x" in page and "5/12" in page


@pytest.mark.parametrize(
    ("text", "name", "choices"),
    [
        ("50 10\n5 35", "rows", ["actual", "predicted"]),
        ("yes yes\nno yes\nno yes\nno no\nyes yes", "actual", ["1", "2"]),
        ("outcome score\na 0.9\na 0.8\nb 0.7\na 0.6\nb 0.2", "positive", ["a", "b"]),
    ],
)
def test_what_a_table_does_not_say_is_asked(text: str, name: str, choices: list[str]) -> None:
    from rocscope.serve import pasted

    first = pasted.recognise(text)["kinds"][0]
    assert first["asks"]["name"] == name and [value for value, _ in first["asks"]["choices"]] == choices
    pages = [pasted.show(text, first["kind"], **{name: value})[1] for value in choices]
    held = [held_in(page) for page in pages]
    assert held[0]["verdict"] != held[1]["verdict"] or held[0]["matrix"] != held[1]["matrix"]


def test_the_same_file_given_again_is_one_file(client: Client) -> None:
    first, again = client.upload("same.csv", SCORES), client.upload("same.csv", SCORES)
    assert again["id"] == first["id"]
    assert [one["id"] for one in client.json("GET", "/state")["files"]].count(first["id"]) == 1
    assert client.upload("same.csv", SCORES.replace("0.37", "0.38"))["id"] != first["id"]
    assert client.upload("copy.csv", SCORES)["id"] != first["id"]  # another name: the user may mean it


def test_no_error_of_a_page_advises_a_parameter_or_an_option(client: Client) -> None:
    """What a user of the page cannot give is said as something to do; a phrase that no hint has any more is dropped."""
    status, _, body = client.ask("POST", "/files?name=latin.csv", "naïve,y\n0.5,1\n".encode("latin-1"))
    answer = json.loads(body)
    assert status == 400 and answer["hint"] == "Save it in UTF-8, and drop it again"
    from rocscope.serve import pasted
    from rocscope.serve.control_names import PHRASES

    hints = [
        text
        for path in Path(pasted.__file__).parents[1].rglob("*.py")
        if path.name != "control_names.py"
        for text in re.findall(r"""hint(?:: str)? ?= ?f?(?:'([^'\n]*)'|"([^"\n]*)")""", path.read_text("utf-8"))
    ]
    written = [one or other for one, other in hints]
    for phrase, _ in PHRASES:
        assert any(phrase.search(hint) for hint in written), phrase.pattern


def test_the_positive_label_of_a_file_is_never_guessed(client: Client) -> None:
    words = client.upload("w.csv", SCORES.replace(",1,", ",good,").replace(",0,", ",bad,"))
    assert words["positive"] is None and len(words["values"]) == 2
    assert client.upload("n.csv", SCORES)["positive"] == "1"


# ---- models of several classes, of predicted labels, and of several labels ----


def classes_csv(kind: str, models: str) -> str:
    """Sixty cases of three classes or labels, with the predictions of models: "hard", "probabilities" or "labels"."""
    rng, names, rows = np.random.default_rng(7), ["cat", "dog", "rat"], []
    head = ["id", *(["y"] if kind != "labels" else [f"label_{one}" for one in names])]
    head += [f"guess_{m}" for m in models] if kind == "hard" else [f"{m}_{one}" for m in models for one in names]
    for case in range(60):
        truth, drawn = int(rng.integers(3)), {m: rng.dirichlet(np.ones(3)) for m in "ab"}
        for m, more in (("a", 0.6), ("b", 0.3)):
            drawn[m][truth] += more
        flags = [str(int(rng.random() < 0.3 + 0.4 * (one == truth))) for one in range(3)]
        cells = [names[truth]] if kind != "labels" else flags
        for m in models:
            share = drawn[m] / drawn[m].sum()
            cells += [names[int(share.argmax())]] if kind == "hard" else [f"{one:.4f}" for one in share]
        rows.append(",".join([str(case), *cells]))
    return "\n".join([",".join(head), *rows]) + "\n"


@pytest.mark.parametrize(("kind", "label"), [("hard", "y"), ("probabilities", "y"), ("labels", "label_*")])
def test_models_of_classes_and_labels_are_compared_in_one_file(client: Client, kind: str, label: str) -> None:
    card = client.upload(f"{kind}.csv", classes_csv(kind, "ab"))
    assert card["label"] == label
    scores = [one["name"] for one in card["scores"]]
    assert len(scores) == {"hard": 2, "probabilities": 6, "labels": 2}[kind]
    asked = {"id": card["id"], "label": label, "positive": None, "scores": scores, "join": None}
    key = client.json("POST", "/evaluate", {"files": [asked]})["report"]
    body = client.ask("GET", f"/report/{key}")[2].decode()
    assert "Recommended" in body and "class_comparison" in body


@pytest.mark.parametrize("join", ["id", None])
@pytest.mark.parametrize("kind", ["hard", "probabilities"])
def test_models_of_classes_are_compared_across_files(client: Client, kind: str, join: str | None) -> None:
    asked = []
    for model in "ab":
        card = client.upload(f"{model}.csv", classes_csv(kind, model))
        scores = [f"guess_{model}"] if kind == "hard" else [f"{model}_{one}" for one in ("cat", "dog", "rat")]
        chosen = {"predicted": scores[0], "scores": []} if kind == "hard" else {"scores": scores}
        asked.append({"id": card["id"], "label": "y", "positive": None, "join": join, **chosen})
    key = client.json("POST", "/evaluate", {"files": asked})["report"]
    body = client.ask("GET", f"/report/{key}")[2].decode()
    assert "class_comparison" in body and "a.csv, b.csv" in body


def test_several_labels_in_several_files_are_matched_by_id(tmp_path: Path) -> None:
    import numpy as np

    import rocscope as rs
    from rocscope.serve import answers, tables

    rng = np.random.default_rng(4)
    truth, order = (rng.random((60, 3)) < 0.4).astype(int), rng.permutation(60)
    paths = []
    for name, rows in (("first", np.arange(60)), ("second", order)):
        scores = (0.4 * truth + rng.random((60, 3)) * 0.6).round(3)
        lines = ["id,label_a,label_b,label_c,score_a,score_b,score_c"]
        lines += [",".join(map(str, [f"case{i}", *truth[i], *scores[i]])) for i in rows]
        paths.append(tmp_path / f"{name}.csv")
        paths[-1].write_text("\n".join(lines) + "\n", encoding="utf-8")

    def asked(id: str | None) -> list[tuple[rs.sources.Source, answers.Choice]]:
        chosen = answers.Choice("label_*", ("score_*",), id=id)
        return [(tables.opened(path, path.name), chosen) for path in paths]

    source = asked(None)[0][0]
    columns = rs.sources.profile(source.sample())
    roles = rs.sources.several_labels(columns)
    assert roles is not None and tables.card(source, columns, roles)["ids"] == ["id"]
    found = answers.answer(asked("id"), costs=None, unit="")
    expected = rs.compare([str(path) for path in paths], label="label_*", score="score_*", id="id")
    assert found.to_dict()["differences"] == expected.to_dict()["differences"]
    with pytest.raises(rs.RocscopeError, match="matched by an id"):
        answers.answer(asked(None), costs=None, unit="")


def test_the_start_page_needs_no_package_beyond_those_of_the_server(monkeypatch: pytest.MonkeyPatch) -> None:
    """With rocscope[serve] alone there is no sympy, and the card of an unknown count is left out."""
    import sys

    from rocscope.serve import examples

    every = examples.gallery_items().count("<li>")
    monkeypatch.setitem(sys.modules, "sympy", None)
    assert examples.gallery_items().count("<li>") == every - 1 > 3
