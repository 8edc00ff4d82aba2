"""Blocks of the pages that show no output: commands and Python, run on prepared data with the names that they use."""

from __future__ import annotations

import re
import shlex
from contextlib import chdir
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import rocscope as rs
from rocscope import cli

ROOT = Path(__file__).parent.parent
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PAGES = [
    page
    for page in sorted([ROOT / "README.md", *ROOT.glob("docs/**/*.md")])
    if not {"reference", "decisions"} & set(page.parts)
]
BLOCKS = [(page, language, block) for page in PAGES for language, block in FENCE.findall(page.read_text("utf-8"))]
SCRIPTS = [(page, block) for page, language, block in BLOCKS if language == "python" and ">>> " not in block]
COMMANDS = [
    (page, line)
    for page, language, block in BLOCKS
    for line in block.splitlines()
    if language in ("", "sh") and line.startswith("rocscope ") and not line.startswith("rocscope serve")
]


def arrays() -> dict[str, Any]:
    """Sixty cases with scores of several models, readers and labels."""
    draw = np.random.default_rng(3)
    y = np.repeat([0, 1], [35, 25])
    noisy = {name: np.round(1 / (1 + np.exp(-(2 * y - 1 + draw.normal(size=60)))), 3) for name in "abcdef"}
    X = np.column_stack([y + draw.normal(size=60), draw.normal(size=60)])
    return {"y": y, "X": X, "score": noisy["a"], **noisy}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The files that the pages name."""
    pa = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    known = arrays()
    rows = {"y": known["y"].tolist(), "p": known["a"].tolist(), "a": known["a"].tolist(), "b": known["b"].tolist()}
    rows |= {"region": ["north", "south"] * 30, "sex": ["f", "m", "m"] * 20, "country": ["at", "fr"] * 30}
    lines = [",".join(rows), *(",".join(map(str, row)) for row in zip(*rows.values(), strict=True))]
    (tmp_path / "scores.csv").write_text("\n".join(lines), "utf-8")
    (tmp_path / "data.csv").write_text(
        "\n".join(["x1,x2,y", *(f"{a},{b},{y}" for (a, b), y in zip(known["X"], known["y"], strict=True))]), "utf-8"
    )
    (tmp_path / "mymodels.py").write_text(
        "from sklearn.linear_model import LogisticRegression\n\nmake = LogisticRegression\n", "utf-8"
    )
    (tmp_path / "predictions").mkdir()
    for name in ("predictions/part-0.parquet", "2026-11-15.parquet", "2026-11-16.parquet"):
        parquet.write_table(pa.table(rows), tmp_path / name)
    return tmp_path


def names() -> dict[str, Any]:
    """What the scripts take as given."""
    known = arrays()
    y, a, b, c = (known[name] for name in ("y", "a", "b", "c"))
    table = rs.ScoreTable.from_scores(y, a)
    frame = {"y": y, "p": a}
    readers = {"Ann": a, "Bob": b, "Cem": c}
    return {
        **known, "rs": rs, "table": table, "scores": np.array([0.02] * 50 + [0.6] * 10), "actual": y,
        "predicted": (a > 0.5).astype(float),
        "predicted_without_labels": (c > 0.5).astype(float), "ann": a, "bob": b, "cem": c, "with_aid": readers,
        "without_aid": {"Ann": known["d"], "Bob": known["e"], "Cem": known["f"]}, "models": ["logistic", "nb"],
        "names": ["a", "b", "c"], "spark": SimpleNamespace(table=lambda name: _frame(frame)),
    }  # fmt: skip


def _frame(columns: dict[str, Any]) -> Any:
    return pytest.importorskip("pandas").DataFrame(columns)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("page", "block"), SCRIPTS, ids=[f"{page.stem} {i}" for i, (page, _) in enumerate(SCRIPTS)])
def test_python_without_output_runs(page: Path, block: str, folder: Path) -> None:
    for module in ("matplotlib", "sklearn", "joblib", "duckdb"):
        pytest.importorskip(module)
    import duckdb
    import joblib
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    given = {**names(), "joblib": joblib, "duckdb": duckdb}
    if "nemenyi(scores" in block:
        given |= {"my_axes": pyplot.figure().subplots()}
        block = block.replace("nemenyi(scores", "nemenyi(matrix")
        given["matrix"] = [[0.9, 0.8, 0.7], [0.8, 0.7, 0.75], [0.9, 0.85, 0.6]]
    if "va1" in block:
        made = rs.validate(["logistic", "nb"], given["X"], given["y"], plan="5-fold")
        given |= {"va1": made, "va2": made, "va3": made}
    with chdir(folder):
        exec(block.replace('backend="dask"', 'backend="threading"'), given)
    pyplot.close("all")


@pytest.mark.parametrize(("page", "line"), COMMANDS, ids=[f"{page.stem}: {line}" for page, line in COMMANDS])
def test_commands_without_output_run(
    page: Path, line: str, folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.syspath_prepend(str(folder))
    with chdir(folder):
        (folder / "loans.csv").write_text(printed("demo --data", capsys), "utf-8")
        for day in (15, 16):
            kept = f"2026-11-{day}.scoretable.parquet"
            printed(f"evaluate 2026-11-{day}.parquet --label y --score p --save-table {kept}", capsys)
        shown = line.removeprefix("rocscope ").split(" > ")[0]
        printed(shown.replace("2026-11-15.scoretable", "kept.scoretable"), capsys)


def printed(line: str, capsys: pytest.CaptureFixture[str]) -> str:
    """What a command prints; patterns that a shell would expand are expanded."""
    arguments = shlex.split(line, comments=True)
    if arguments[0] == "merge":
        arguments = [one for word in arguments for one in (sorted(map(str, Path().glob(word))) or [word])]
    assert cli.main(arguments) == 0, line
    return capsys.readouterr().out
