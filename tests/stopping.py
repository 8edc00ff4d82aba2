"""A command that says when it resamples, so that tests stop it there: where it is, not how long it has run."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

PATIENCE = 600  # seconds until what hangs is given up; nothing that works waits for it
RESAMPLING, RESAMPLED = b"resampling\n", b"resampled\n"

# one line when the first block of resamples is done, one when the last is
TELLING = """
import sys
from rocscope.cli import main
from rocscope.intervals import resamples

def telling(n, width, *numbers, sizes=resamples.block_sizes):
    for number, size in enumerate(sizes(n, width, *numbers)):
        if number == 1:
            print("resampling", file=sys.stderr, flush=True)
        yield size
    print("resampled", file=sys.stderr, flush=True)

resamples.block_sizes = telling
sys.exit(main())
"""


def telling(*arguments: str) -> list[str]:
    """The command that tells."""
    return [sys.executable, "-c", TELLING, *arguments]


@contextmanager
def running(command: list[str], folder: Path, environment: Mapping[str, str]) -> Iterator[subprocess.Popen[bytes]]:
    """A process in a folder, with its standard error; it does not outlive the test."""
    with subprocess.Popen(command, cwd=folder, env=environment, stderr=subprocess.PIPE) as job:
        try:
            yield job
        finally:
            job.kill()


@contextmanager
def resampling(*arguments: str, folder: Path, environment: Mapping[str, str]) -> Iterator[subprocess.Popen[bytes]]:
    """The command, in the middle of resamples."""
    with running(telling(*arguments), folder, environment) as job:
        assert job.stderr is not None
        first = job.stderr.readline()
        assert first == RESAMPLING, first + job.stderr.read()
        yield job
