"""The left cells of the tables on docs/migration/torchmetrics.md and weka-orange.md, run as they stand.

    python migration.py [FOLDER WITH weka.jar]     writes migration_python.json; needs torchmetrics, Orange3 and Java
"""

from __future__ import annotations

import csv
import json
import re
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

HERE = Path(__file__).parent
PAGES = HERE.parent.parent / "docs" / "migration"
CASES = HERE / "migration.csv"


def left_cells(page: str, heading: str = "") -> list[str]:
    text = (PAGES / page).read_text("utf-8").split(heading, 1)[-1] if heading else (PAGES / page).read_text("utf-8")
    return re.findall(r"(?m)^\| `([^`]+\))` \|", text.split("\n\n| there |")[0])


def columns() -> dict[str, Any]:
    with CASES.open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    return {
        "y": np.array([int(row["y"]) for row in rows]), "s": np.array([float(row["s"]) for row in rows]),
        "yk": np.array(["abc".index(row["yk"]) for row in rows]),
        "P": np.array([[float(row[name]) for name in "abc"] for row in rows]),
    }  # fmt: skip


def torchmetrics_values() -> list[dict[str, Any]]:
    import torch
    from torchmetrics import classification

    names = {name: torch.tensor(values) for name, values in columns().items()}
    found = []
    for cell in left_cells("torchmetrics.md"):
        value = eval(cell, {**vars(classification), **names})
        found.append({"there": cell, "numbers": np.ravel(value.numpy()).astype(float).tolist()})
    return found


def orange_values() -> list[dict[str, Any]]:
    from Orange.data import DiscreteVariable, Domain
    from Orange.evaluation import Results, scoring

    held = columns()
    domain = Domain([], DiscreteVariable("y", values=("0", "1")))
    probabilities = np.column_stack([1 - held["s"], held["s"]])
    predicted = (held["s"] >= 0.5).astype(int)
    results = Results(
        domain=domain, actual=held["y"], predicted=predicted[None], probabilities=probabilities[None]
    )
    found = []
    for cell in left_cells("weka-orange.md", "## Orange"):
        options = ", target=1)" if re.match("F1|Precision|Recall|Specificity", cell) else ")"
        value = eval(cell.replace(")", options), {**vars(scoring), "results": results})
        found.append({"there": cell, "numbers": np.ravel(value).astype(float).tolist()})
    return found


def weka_values(folder: str) -> list[dict[str, Any]]:
    jars = ":".join(str(Path(folder, f"{name}.jar")) for name in ("weka", "mtj", "core", "arpack_combined"))
    command = ["java", "-cp", jars, str(HERE / "Migration.java"), str(CASES), str(PAGES / "weka-orange.md")]
    printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return [json.loads(line) for line in printed.splitlines() if line.startswith("{")]


def main(folder: str) -> None:
    frozen = {
        "made_with": {name: version(name) for name in ("torch", "torchmetrics", "Orange3")} | {"Weka": "3.9.7"},
        "torchmetrics": torchmetrics_values(), "orange": orange_values(), "weka": weka_values(folder),
    }  # fmt: skip
    (HERE / "migration_python.json").write_text(json.dumps(frozen, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main(sys.argv[1])
