"""What needs the optional packages, tried once each: formulas, validation, figures, workbooks, the server."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from urllib.request import urlopen

import rocscope as rs

Y = [0, 1] * 40
P = [0.3 + 0.4 * y * (i % 3) / 2 + (i * 37 % 100) / 400 for i, y in enumerate(Y)]


def symbolic() -> None:
    """sympy."""
    assert rs.Counts(tp=5, fp=3, fn=7, tn="x - 3").expression("specificity") == "(x - 3)/x"


def validated() -> None:
    """scikit-learn and joblib."""
    from sklearn.linear_model import LogisticRegression

    found = rs.validate({"lr": LogisticRegression()}, [[p] for p in P], Y, plan="5x2", n_jobs=2)
    assert len(found.folds) == 10 and found.to_dict()["kind"] == "validation"


def dropped_in() -> None:
    """scikit-learn's names; its displays need a later one, and say so."""
    import sklearn
    import sklearn.metrics
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import cross_val_score

    import rocscope.sklearn as dropin

    assert abs(dropin.roc_auc_score(Y, P) - sklearn.metrics.roc_auc_score(Y, P)) < 1e-12
    scorer = dropin.make_scorer(dropin.roc_auc_score, response_method="predict_proba")
    assert len(cross_val_score(LogisticRegression(), [[p] for p in P], Y, scoring=scorer)) == 5
    try:
        dropin.RocCurveDisplay.from_predictions(Y, P)
    except rs.RocscopeError as error:
        assert f"displays need scikit-learn 1.8 or later, but {sklearn.__version__}" in str(error)
    else:
        assert sklearn.__version__ >= "1.8"


def drawn() -> None:
    """matplotlib."""
    import matplotlib

    matplotlib.use("Agg")
    rs.evaluate(Y, P).plot().figure.savefig("roc.svg")
    assert Path("roc.svg").stat().st_size > 1000


def read_workbook() -> None:
    """openpyxl."""
    import openpyxl

    book = openpyxl.Workbook()
    for row in [("y", "p"), *zip(Y, P, strict=True)]:
        book.active.append(row)
    book.save("scores.xlsx")
    assert rs.evaluate("scores.xlsx", label="y", score="p").auc == rs.evaluate(Y, P).auc.value


def served() -> None:
    """starlette and uvicorn."""
    command = [sys.executable, "-m", "rocscope", "serve", "--no-browser", "--port", "0"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        link = next(line for line in process.stderr if "running on" in line).split()[-1]
        with urlopen(link.split("#")[0] + "health", timeout=30) as answer:
            assert json.load(answer)["status"] == "ok"
        process.terminate()


if __name__ == "__main__":
    for one in (symbolic, validated, dropped_in, drawn, read_workbook, served):
        one()
        print(f"fine: {one.__name__} ({(one.__doc__ or '').rstrip('.')})")
