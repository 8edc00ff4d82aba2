"""How other libraries answer the same questions: each contender is there when its package is."""

from __future__ import annotations

import importlib.util
import json
import shutil
import subprocess
from collections.abc import Callable
from typing import Any

import numpy as np

Call = Callable[[], Any]


def there(package: str) -> bool:
    """Whether the package can be imported."""
    return importlib.util.find_spec(package) is not None


def scikit(name: str, *args: Any, **options: Any) -> dict[str, Call]:
    """scikit-learn's function of that name."""
    if not there("sklearn"):
        return {}
    from sklearn import calibration, metrics

    function = getattr(metrics, name, None) or getattr(calibration, name)
    return {"scikit-learn": lambda: function(*args, **options)}


# ---- AUC ----


def areas(y: Any, s: Any) -> dict[str, Call]:
    """The AUC by polars (mean rank of the positives), DuckDB (the same in SQL) and torchmetrics."""
    found: dict[str, Call] = {}
    if there("polars"):
        import polars as pl

        frame = pl.DataFrame({"y": y, "s": s})
        found["polars"] = lambda: _from_ranks(
            frame.select(pl.col("s").rank("average"), "y").filter(pl.col("y") == 1)["s"].sum(), y
        )
    if there("duckdb"):
        import duckdb

        found["duckdb"] = _duck_auc(duckdb.connect(), y, s)
    if there("torchmetrics"):
        import torch
        from torchmetrics.functional.classification import binary_auroc

        labels, scores = torch.tensor(y), torch.tensor(s)
        found["torchmetrics"] = lambda: binary_auroc(scores, labels).numpy()  # in float32
    return found


def _from_ranks(ranks: float, y: Any) -> float:
    positives = int(y.sum())
    return (ranks - positives * (positives + 1) / 2) / (positives * (len(y) - positives))


def _duck_auc(connection: Any, y: Any, s: Any) -> Call:
    groups = "SELECT s, sum(y) AS p, count(*) - sum(y) AS q FROM columns GROUP BY s"
    wins = "p * (2 * (sum(q) OVER (ORDER BY s)) - q)"
    query = f"SELECT sum(w) / (2 * sum(p) * sum(q)) FROM (SELECT p, q, {wins} AS w FROM ({groups}))"
    connection.register("columns", {"y": y, "s": s})
    return lambda: float(connection.execute(query).fetchone()[0])


# ---- confusion matrix ----


def matrices(y: Any, p: Any, classes: int) -> dict[str, Call]:
    """The matrix by polars and DuckDB (group by), torchmetrics and PyCM."""
    found: dict[str, Call] = {}
    if there("polars"):
        import polars as pl

        frame = pl.DataFrame({"y": y, "p": p})
        found["polars"] = lambda: _filled(frame.group_by("y", "p").len().rows(), classes)
    if there("duckdb"):
        import duckdb

        connection = duckdb.connect()
        connection.register("columns", {"y": y, "p": p})
        query = "SELECT y, p, count(*) FROM columns GROUP BY y, p"
        found["duckdb"] = lambda: _filled(connection.execute(query).fetchall(), classes)
    if there("torchmetrics"):
        import torch
        from torchmetrics.functional.classification import multiclass_confusion_matrix

        truth, guess = torch.tensor(y), torch.tensor(p)
        found["torchmetrics"] = lambda: multiclass_confusion_matrix(guess, truth, classes).numpy()
    if there("pycm") and len(y) <= 100_000:
        from pycm import ConfusionMatrix

        found["PyCM"] = lambda: ConfusionMatrix(actual_vector=y, predict_vector=p).to_array()
    return found


def _filled(rows: list[tuple[Any, Any, int]], classes: int) -> Any:
    matrix = np.zeros((classes, classes), dtype=np.int64)
    for truth, guess, count in rows:
        matrix[truth, guess] = count
    return matrix


def text_matrices(y: Any, p: Any, words: Any) -> dict[str, Call]:
    """The matrix of text labels by polars, which holds them in its own form already."""
    if not there("polars"):
        return {}
    import polars as pl

    frame, place = pl.DataFrame({"y": y, "p": p}), {word: code for code, word in enumerate(words)}
    return {
        "polars": lambda: _filled(
            [(place[a], place[b], count) for a, b, count in frame.group_by("y", "p").len().rows()], len(words)
        )
    }


# ---- sums over the rows ----


def sums(which: str, y: Any, s: Any) -> dict[str, Call]:
    """Brier score, log loss or accuracy as one expression of polars and of DuckDB: nothing is checked there."""
    found: dict[str, Call] = {}
    if there("polars"):
        import polars as pl

        frame, a, b = pl.DataFrame({"y": y, "s": s}), pl.col("y"), pl.col("s")
        terms = {
            "brier_score_loss": (a - b) ** 2,
            "log_loss": -(pl.when(a == 1).then(b).otherwise(1 - b)).log(),
            "accuracy_score": (a == b).cast(pl.Float64),
        }
        found["polars"] = lambda: frame.select(terms[which].mean()).item()
    if there("duckdb"):
        import duckdb

        connection = duckdb.connect()
        connection.register("columns", {"y": y, "s": s})
        term = {
            "brier_score_loss": "(y - s) * (y - s)",
            "log_loss": "-ln(CASE WHEN y = 1 THEN s ELSE 1 - s END)",
            "accuracy_score": "CASE WHEN y = s THEN 1.0 ELSE 0.0 END",
        }[which]
        found["duckdb"] = lambda: float(connection.execute(f"SELECT avg({term}) FROM columns").fetchone()[0])
    return found


def average_precisions(y: Any, s: Any) -> dict[str, Call]:
    """Average precision by torchmetrics."""
    if not there("torchmetrics"):
        return {}
    import torch
    from torchmetrics.functional.classification import binary_average_precision

    labels, scores = torch.tensor(y), torch.tensor(s)
    return {"torchmetrics": lambda: binary_average_precision(scores, labels).numpy()}


# ---- how sure ----


def delong(y: Any, a: Any, b: Any) -> dict[str, Call]:
    """The paired DeLong test by MLstatkit."""
    if not there("MLstatkit"):
        return {}
    from MLstatkit import Delong_test

    return {"MLstatkit": lambda: float(Delong_test(y, a, b)[1])}


def resampled(y: Any, s: Any, times: int) -> dict[str, Call]:
    """A bootstrap interval of the AUC by SciPy around scikit-learn."""
    if not there("sklearn"):
        return {}
    from scipy.stats import bootstrap
    from sklearn.metrics import roc_auc_score

    return {
        "scipy.bootstrap": lambda: bootstrap(
            (y, s), roc_auc_score, paired=True, vectorized=False, n_resamples=times, method="percentile", rng=0
        ).confidence_interval
    }


def delong_interval(y: Any, s: Any) -> dict[str, Call]:
    """DeLong's interval of the AUC by confidenceinterval, which works in float32."""
    if not there("confidenceinterval"):
        return {}
    from confidenceinterval import roc_auc_score

    return {"confidenceinterval": lambda: np.array(roc_auc_score(y, s, confidence_level=0.95)[1], dtype=np.float32)}


# ---- other languages: they time themselves, since starting them would be timed otherwise ----


def r_proc(y: Any, s: Any, rounds: int) -> dict[str, Any] | None:
    """Area and best seconds of R's pROC, or None where R or pROC is absent."""
    if shutil.which("Rscript") is None:
        return None
    script = (
        'suppressMessages(library(pROC)); con <- file("stdin", "rb"); n <- readBin(con, "integer", 1);'
        'y <- readBin(con, "double", n); s <- readBin(con, "double", n); best <- Inf;'
        f"for (i in 1:{rounds}) {{ t <- proc.time()[3]; r <- roc(y, s, levels=c(0, 1), direction='<', quiet=TRUE);"
        'a <- as.numeric(auc(r)); best <- min(best, proc.time()[3] - t) };'
        'cat(sprintf(\'{"area": %.15f, "seconds": %.6f}\', a, best))'
    )
    data = np.int32(len(y)).tobytes() + y.astype(float).tobytes() + s.astype(float).tobytes()
    done = subprocess.run(["Rscript", "-e", script], input=data, capture_output=True, check=False)
    return json.loads(done.stdout) if done.returncode == 0 else None


def spark(y: Any, s: Any, rounds: int) -> dict[str, Any] | None:
    """Area and best seconds of Spark MLlib, or None where it is absent; data are in its memory already."""
    if not there("pyspark"):
        return None
    from time import perf_counter

    from pyspark.ml.evaluation import BinaryClassificationEvaluator
    from pyspark.sql import SparkSession

    session = SparkSession.builder.master("local[*]").config("spark.ui.enabled", "false").getOrCreate()
    rows = [(float(a), float(b)) for a, b in zip(s.tolist(), y.tolist(), strict=True)]
    frame = session.createDataFrame(rows, ["rawPrediction", "label"]).cache()
    frame.count()
    evaluator, best, area = BinaryClassificationEvaluator(), float("inf"), 0.0
    for _ in range(rounds):
        start = perf_counter()
        area = evaluator.evaluate(frame)
        best = min(best, perf_counter() - start)
    session.stop()
    return {"area": area, "seconds": best}
