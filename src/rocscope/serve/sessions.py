"""Access control: one-time tokens, the session of a cookie, and its files, results and jobs."""

from __future__ import annotations

import filecmp
import hashlib
import secrets
import shutil
import threading
from collections import OrderedDict
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic
from typing import Any

from rocscope.errors import RocscopeError
from rocscope.record import record

MOST_SESSIONS, MOST_FILES, MOST_REPORTS, MOST_JOBS = 16, 40, 30, 4
TOKEN_SECONDS = 24 * 3600.0


@record(slots=True)
class Upload:
    """A file of a session: its path, its original name, and its size. `ours` files are deleted."""

    key: str
    name: str
    path: Path
    size: int
    ours: bool = True


@record(slots=True)
class Report:
    """A stored result: its page, and its title."""

    key: str
    title: str
    html: str


@dataclass(eq=False)
class Job:
    """A running validation: its progress, and its result."""

    key: str
    done: int = 0
    total: int = 0
    state: str = "running"
    report: str = ""
    error: str = ""
    stop: threading.Event = field(default_factory=threading.Event)

    def to_dict(self) -> dict[str, Any]:
        """What the page receives."""
        return {"id": self.key, "done": self.done, "total": self.total, "state": self.state, "report": self.report,
                "error": self.error}  # fmt: skip


@dataclass(eq=False)
class Session:
    """The files and results of one browser, inaccessible from other sessions."""

    folder: Path
    files: dict[str, Upload] = field(default_factory=dict)
    reports: OrderedDict[str, Report] = field(default_factory=OrderedDict)
    jobs: OrderedDict[str, Job] = field(default_factory=OrderedDict)

    def target(self) -> tuple[str, Path]:
        """A new key and the path of its file: the name that the browser sent is never part of a path."""
        if len(self.files) >= MOST_FILES:
            raise RocscopeError(f"{MOST_FILES} files are already open", hint="Remove one first")
        key = secrets.token_hex(8)
        return key, self.folder / key

    def keep(self, title: str, html: str) -> Report:
        """Store a result; the oldest is removed if there are too many."""
        report = Report(secrets.token_hex(8), title, html)
        self.reports[report.key] = report
        while len(self.reports) > MOST_REPORTS:
            self.reports.popitem(last=False)
        return report

    def start(self) -> Job:
        """Start a new job; an error if too many are running."""
        if sum(job.state == "running" for job in self.jobs.values()) >= MOST_JOBS:
            raise RocscopeError(f"{MOST_JOBS} validations are already running", hint="Wait for one, or stop it")
        job = Job(secrets.token_hex(8))
        self.jobs[job.key] = job
        while len(self.jobs) > 4 * MOST_JOBS:
            self.jobs.popitem(last=False)
        return job

    def same(self, upload: Upload) -> Upload | None:
        """Another file of the same name and content, such as the same one dropped twice."""
        alike = [
            other
            for other in list(self.files.values())  # another tab may add or remove files meanwhile
            if other.key != upload.key and (other.name, other.size) == (upload.name, upload.size)
        ]
        for other in alike:
            with suppress(FileNotFoundError):
                if filecmp.cmp(other.path, upload.path, shallow=False):
                    return other
        return None

    def remove(self, key: str) -> None:
        """Remove a file, and delete it unless it is the user's own."""
        upload = self.files.pop(key, None)
        if upload is not None and upload.ours:
            upload.path.unlink(missing_ok=True)


@dataclass(eq=False)
class Sessions:
    """All sessions of a server. A token opens one session, once; only hashes of cookies are stored."""

    folder: Path
    given: tuple[Path, ...] = ()
    tokens: dict[str, float] = field(default_factory=dict)
    held: OrderedDict[str, Session] = field(default_factory=OrderedDict)
    programs: dict[str, Session] = field(default_factory=dict)  # by hash of the API token

    def admit(self, token: str) -> None:
        """Admit programs that send this token."""
        folder = self.folder / secrets.token_hex(8)
        folder.mkdir(mode=0o700)
        self.programs[_hash(token)] = Session(folder)

    def of_token(self, token: str) -> Session | None:
        """The session of programs with a token."""
        return self.programs.get(_hash(token))

    def token(self) -> str:
        """A new token, for one use."""
        made = secrets.token_urlsafe(24)
        self.tokens[_hash(made)] = monotonic() + TOKEN_SECONDS
        return made

    def open(self, token: str) -> str | None:
        """The cookie of a new session; None if the token is unknown, used or expired."""
        until = self.tokens.pop(_hash(token), None)
        if until is None or until < monotonic():
            return None
        cookie = secrets.token_urlsafe(32)
        folder = self.folder / secrets.token_hex(8)
        folder.mkdir(mode=0o700)
        session = Session(folder)
        for path in self.given:
            key = secrets.token_hex(8)
            with suppress(OSError):  # the file may have been removed since the server started
                session.files[key] = Upload(key, path.name, path, path.stat().st_size, ours=False)
        self.held[_hash(cookie)] = session
        while len(self.held) > MOST_SESSIONS:
            _, oldest = self.held.popitem(last=False)
            shutil.rmtree(oldest.folder, ignore_errors=True)
        return cookie

    def of(self, cookie: str | None) -> Session | None:
        """The session of a cookie."""
        return self.held.get(_hash(cookie)) if cookie else None

    def bytes_held(self) -> int:
        """Total size of the uploads of all sessions."""
        sessions = (*self.held.values(), *self.programs.values())
        return sum(one.size for session in sessions for one in session.files.values() if one.ours)

    def stop(self) -> None:
        """Ask every job to stop."""
        for session in self.held.values():
            for job in session.jobs.values():
                job.stop.set()


def _hash(secret: str) -> str:
    # comparing hashes prevents timing attacks: a partly correct guess takes no longer
    return hashlib.sha256(secret.encode("utf-8", "replace")).hexdigest()
