"""REQUIRE_ALL=1 makes a skip fail; without it a skip is counted with its reason."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
SKIPPED = "import pytest\n\ndef test_fine(): pass\n\n@pytest.mark.skip(reason='no browser')\ndef test_page(): pass\n"
ABSENT = "import pytest\n\nabsent = pytest.importorskip('a_package_that_is_absent', reason='no such package')\n"
FINE = "def test_fine(): pass\n"
EXPECTED_FAILURE = "import pytest\n\n@pytest.mark.xfail\ndef test_known(): assert False\n"


def run(folder: Path, source: str, require_all: str) -> subprocess.CompletedProcess[str]:
    (folder / "conftest.py").write_text((HERE / "conftest.py").read_text())
    (folder / "test_sample.py").write_text(source)
    (folder / "test_other.py").write_text(FINE)
    environment = {**os.environ, "REQUIRE_ALL": require_all}
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--rootdir", str(folder), str(folder)]
    return subprocess.run(command, capture_output=True, text=True, env=environment, check=False)


@pytest.mark.parametrize(
    ("source", "require_all", "code"),
    [
        *[(SKIPPED, "", 0), (SKIPPED, "1", 1), (ABSENT, "", 0), (ABSENT, "1", 1)],
        *[(FINE, "1", 0), (EXPECTED_FAILURE, "1", 0)],
    ],
    ids=["skip", "skip-required", "module", "module-required", "none-required", "xfail-required"],
)
def test_a_skip_is_counted_or_fails(tmp_path: Path, source: str, require_all: str, code: int) -> None:
    done = run(tmp_path, source, require_all)
    assert done.returncode == code, done.stdout
    skips = source in (SKIPPED, ABSENT)
    assert ("1 skipped, not checked here: no" in done.stdout) == (skips and not require_all)
    assert ("1 skipped, REQUIRE_ALL=1: a skip fails: no" in done.stdout) == (skips and bool(require_all))
