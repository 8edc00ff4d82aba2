"""names.pyi is what tools/names.py makes of the catalog, and type checkers read it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent


def test_the_stub_is_up_to_date() -> None:
    sys.path.insert(0, str(ROOT / "tools"))
    try:
        import names
    finally:
        sys.path.remove(str(ROOT / "tools"))
    assert names.TARGET.read_text(encoding="utf-8") == names.stub(), "run: make docs"


def test_mypy_knows_the_names_and_flags_a_misspelt_one(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text("import rocscope as rs\nc = rs.Counts(tp=1)\nc.precision\nc.ppv\nc.precison\n"
        "t = rs.ScoreTable.empty()\nx: float = t.auc\nt.average_precision\nt.acu\n"
    )
    result = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(tmp_path / "cache"), str(program)],
        capture_output=True,
        text=True,
        check=False,
        env={"MYPYPATH": str(ROOT / "src"), "PATH": ""},
    )
    complaints = [line for line in result.stdout.splitlines() if "program.py" in line and ": error" in line]
    assert len(complaints) == 2 and '"precison"' in complaints[0] and '"acu"' in complaints[1], result.stdout
