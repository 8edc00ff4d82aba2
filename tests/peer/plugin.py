"""A pytest plugin that runs scikit-learn's own tests of its metrics on our functions.

    python -m pytest -p plugin --pyargs sklearn.metrics.tests.test_ranking

Every scikit-learn module that holds one of the functions gets ours in its place, and so do the ready-made scorers. The
originals and all helpers of their modules are made to raise: a drop-in that delegates would fail every test it should
pass. PEER_BROKEN names functions that are broken on purpose, PEER_DELEGATE functions that hand over to the originals;
both must make tests fail. Each test that called one of ours is counted, so that passing means something.
"""

from __future__ import annotations

import functools
import importlib
import inspect
import os
import sys
from collections.abc import Callable
from pathlib import Path
from types import FunctionType
from typing import Any

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parent))
from outside import outside  # noqa: E402  the list of tests that are not a drop-in's duty

HOMES = ("sklearn.metrics._classification", "sklearn.metrics._ranking", "sklearn.metrics._base")
BROKEN = set(filter(None, os.environ.get("PEER_BROKEN", "").split(",")))
DELEGATE = set(filter(None, os.environ.get("PEER_DELEGATE", "").split(",")))

called: set[str] = set()
outcomes: dict[str, int] = {}


class DelegatedToScikitLearn(BaseException):
    """Our function asked scikit-learn for the answer."""


def names() -> list[str]:
    import rocscope.sklearn

    return [name for name in rocscope.sklearn.__all__ if hasattr(_home(name), name)]


def _home(name: str) -> Any:
    return importlib.import_module("sklearn.calibration" if name == "calibration_curve" else "sklearn.metrics")


def counted(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        called.add(name)
        return function(*args, **kwargs)

    return call


def broken(function: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(function)
    def wrong(*args: Any, **kwargs: Any) -> Any:
        answer = function(*args, **kwargs)
        try:
            return answer * 0.5 + 0.01
        except TypeError:
            return None

    return wrong


def _poisoned(*args: Any, **kwargs: Any) -> Any:
    from plugin import DelegatedToScikitLearn

    raise DelegatedToScikitLearn("scikit-learn's own function was asked")


def poison(function: Callable[..., Any]) -> None:
    """Make the function itself raise, whoever holds it: its code is exchanged, not a name."""
    inner = inspect.unwrap(function)
    if isinstance(inner, FunctionType) and not inner.__closure__:
        inner.__code__ = _poisoned.__code__


def replace_everywhere(original: Any, ours: Any) -> int:
    places = 0
    for module_name, module in list(sys.modules.items()):
        if module_name.split(".")[0] == "sklearn" and module is not None:
            for attribute, value in list(vars(module).items()):
                if value is original:
                    setattr(module, attribute, ours)
                    places += 1
    return places


def replace_in_scorers(exchanged: dict[Any, Any]) -> None:
    from sklearn.metrics import _scorer

    for scorer in _scorer._SCORERS.values():
        scorer._score_func = exchanged.get(scorer._score_func, scorer._score_func)


def _dcg_sample_scores(y_true: Any, y_score: Any, k: Any = None, log_base: float = 2, ignore_ties: bool = False) -> Any:
    """scikit-learn's helper of that name in terms of ours: its tests of dcg_score go through it."""
    from sklearn.metrics import dcg_score

    options = {"k": k, "log_base": log_base, "ignore_ties": ignore_ties}
    return np.array([dcg_score([t], [s], **options) for t, s in zip(y_true, y_score, strict=True)])


def _ndcg_sample_scores(y_true: Any, y_score: Any, k: Any = None, ignore_ties: bool = False) -> Any:
    from sklearn.metrics import ndcg_score

    return np.array([ndcg_score([t], [s], k=k, ignore_ties=ignore_ties) for t, s in zip(y_true, y_score, strict=True)])


def exchange() -> None:
    import rocscope.sklearn

    for module in ("sklearn.metrics", "sklearn.calibration", "sklearn.model_selection", "sklearn.inspection"):
        importlib.import_module(module)
    exchanged = {}
    for name in names():
        original, ours = getattr(_home(name), name), getattr(rocscope.sklearn, name)
        if name in DELEGATE:
            ours = functools.wraps(ours)(functools.partial(original))
        if name in BROKEN:
            ours = broken(ours)
        exchanged[original] = counted(name, ours)
        # pickle looks a function up by its home and name: it must find the one that counts
        setattr(sys.modules[ours.__module__], name, exchanged[original])
    for original, ours in exchanged.items():
        assert replace_everywhere(original, ours), original
    for helper in (_dcg_sample_scores, _ndcg_sample_scores):
        original = getattr(sys.modules["sklearn.metrics._ranking"], helper.__name__)
        exchanged[original] = helper
        replace_everywhere(original, helper)
    replace_in_scorers(exchanged)
    for original in exchanged:
        poison(original)
    for home in HOMES:
        for value in list(vars(sys.modules[home]).values()):
            if isinstance(value, FunctionType) and value.__module__ == home and value not in exchanged.values():
                poison(value)


def pytest_configure(config: pytest.Config) -> None:
    exchange()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    kept, left = [], []
    for item in items:
        why = outside(f"{item.path.name}::{item.name}")
        (left if why else kept).append(item)
        if why:
            outcomes[f"outside: {why}"] = outcomes.get(f"outside: {why}", 0) + 1
    if left:
        config.hook.pytest_deselected(items=left)
        items[:] = kept


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Any:
    called.clear()
    yield


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Any:
    outcome = yield
    report = outcome.get_result()
    if report.when == "call" or (report.when == "setup" and report.outcome != "passed"):
        key = f"{report.outcome}, ours called" if called else f"{report.outcome}, ours not called"
        outcomes[key] = outcomes.get(key, 0) + 1
        if log := os.environ.get("PEER_LOG"):
            with open(log, "a") as file:
                file.write(f"{key}\t{item.path.name}::{item.name}\t{report.duration:.3f}\t{report.longrepr if report.outcome == 'skipped' else ''}\n")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    for key, times in sorted(outcomes.items()):
        terminalreporter.write_line(f"peer: {times} {key}")
