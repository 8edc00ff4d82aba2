"""One answer by every path: a sample of what `make fuzz` runs for an hour, the cases it found, and planted defects."""

from __future__ import annotations

import os
import shutil
from collections import Counter
from collections.abc import Callable
from itertools import product
from typing import Any

import pytest
from differential import Case, corpus, differences, text_cases, typed_cases
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

from rocscope import RocscopeError
from rocscope.sources import files, text_file
from rocscope.sources.engines import survey
from rocscope.table import ScoreTable

pytestmark = pytest.mark.filterwarnings("ignore")


def sampled(cases: st.SearchStrategy[Any], examples: int, number: int, look: Callable[[Case], None]) -> None:
    """Look at so many cases, the same in every run; the first that fails is shown as it was drawn."""

    @seed(number)
    @settings(max_examples=examples, database=None, suppress_health_check=list(HealthCheck), phases=[Phase.generate])
    @given(cases)
    def each(case: Case) -> None:
        look(case)

    each()


@pytest.mark.parametrize(("cases", "examples"), [(text_cases(), 40), (typed_cases(), 20)], ids=["text", "typed"])
def test_every_path_gives_one_answer(cases: st.SearchStrategy[Any], examples: int) -> None:
    counts: Counter[str] = Counter()

    def look(case: Case) -> None:
        wrong, found = differences(case, ("dask",) if counts.total() % 5 == 0 else ())
        counts["accepted" if next(iter(found.values())).accepted else "refused"] += 1
        assert not wrong, (wrong, case)

    sampled(cases, examples, 23, look)
    assert min(counts["accepted"], counts["refused"]) > examples / 6, counts  # neither side is left untried


@pytest.mark.spark
def test_spark_gives_the_same_answer() -> None:
    sql = pytest.importorskip("pyspark.sql", reason="PySpark is not installed")
    if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
        pytest.skip("no Java for Spark")
    counts: Counter[str] = Counter()
    others = sql.SparkSession.getActiveSession()

    def look(case: Case) -> None:
        wrong, found = differences(case, ("Spark",))
        if "Spark" in found:
            counts["accepted" if found["Spark"].accepted else "refused"] += 1
        assert not wrong, (wrong, case)

    try:
        sampled(typed_cases(), 6, 1, look)
    finally:
        session = sql.SparkSession.getActiveSession()
        if session is not None and others is None:
            session.stop()
    assert counts["accepted"] and counts["refused"], counts


@pytest.mark.parametrize("name", sorted(corpus()))
def test_cases_that_once_differed_agree(name: str) -> None:
    wrong, _ = differences(corpus()[name], ("dask",))
    assert not wrong, wrong


def planted_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    """Cells say that they are exact when they are not."""
    monkeypatch.setattr(ScoreTable, "bound", property(lambda table: 0.0))


def planted_labels(monkeypatch: pytest.MonkeyPatch) -> None:
    """An engine takes labels of text for negative."""
    monkeypatch.setattr(survey, "is_positive", lambda label, positive: label == 1)


def planted_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    """The reader of large files loses its last row."""
    whole = files.Files.batches

    def shorter(self: Any, *given: Any, **named: Any) -> Any:
        for batch in whole(self, *given, **named):
            yield {name: column.take(slice(0, max(1, len(column.values) - 1))) for name, column in batch.items()}

    monkeypatch.setattr(files.Files, "batches", shorter)


def planted_order(monkeypatch: pytest.MonkeyPatch) -> None:
    """The reader of large files names the last of several faults, where all others name the first."""
    whole = text_file.batch_of

    def backwards(rows: Any, *given: Any, **named: Any) -> Any:
        try:
            return whole(rows, *given, **named)
        except RocscopeError:
            return whole(rows[::-1], *given, **named)

    monkeypatch.setattr(text_file, "batch_of", backwards)


@pytest.mark.parametrize("plant", [planted_bound, planted_labels, planted_rows, planted_order])
def test_planted_defects_are_found(
    plant: Callable[[pytest.MonkeyPatch], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A fuzzer that finds nothing in a sound program must find what is put in."""
    plant(monkeypatch)
    found = []

    def look(case: Case) -> None:
        if not found:
            found.extend(differences(case)[0])

    # what is drawn varies with what is loaded
    for number, cases in product(range(7, 11), (typed_cases(), text_cases())):
        if not found:
            sampled(cases, 40, number, look)
    assert found
