"""A sample of `make load` (tests/load.py): a few clients for a few seconds, among them slow and malformed ones."""

from __future__ import annotations

from pathlib import Path

import pytest
from load import LIMIT, asked
from serving import serving

pytest.importorskip("uvicorn")


def test_many_clients_get_answers_or_refusals_and_never_a_fault(tmp_path: Path) -> None:
    with serving(tmp_path, "--limit", str(LIMIT)) as server:
        found = asked(server, clients=20, seconds=4)
    assert not found.faults and not [line for line in server.said if "Traceback" in line], server.said
    assert found.statuses["start page 200"] > 5
    codes = {status.rsplit(" ", 1)[1] for status in found.statuses}
    assert codes <= {"200", "201", "204", "none", "left", *(str(code) for code in range(400, 500))}, found.statuses
