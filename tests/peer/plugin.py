"""A pytest plugin that runs scikit-learn's own tests of its metrics on our functions.

    PYTHONPATH=src:tests/peer python -m pytest -p plugin --pyargs sklearn.metrics.tests.test_ranking

Every scikit-learn module that holds one of the functions gets ours in its place, and so do the ready-made scorers. The
originals and all helpers of their modules are made to raise, whoever holds them: a drop-in that delegates would fail
the tests it should pass. Tests that called one of ours are counted apart from those that did not, and for each function
those that called it alone; so passing means something. To prove that, PEER_WRONG=broken gives wrong answers and
PEER_WRONG=delegate hands every call over to scikit-learn, both of all functions or of the one that PEER_ONLY names.
PEER_REPORT names a file for the counts.
"""

from __future__ import annotations

import functools
import importlib
import inspect
import json
import os
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FunctionType
from typing import Any

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parent))
from outside import outside

HOMES = ("sklearn.metrics._classification", "sklearn.metrics._ranking", "sklearn.metrics._base")
WRONG, ONLY = os.environ.get("PEER_WRONG", ""), os.environ.get("PEER_ONLY", "")

called: set[str] = set()
outcomes: Counter[str] = Counter()
left_out: Counter[str] = Counter()
alone: dict[str, Counter[str]] = {}


class DelegatedToScikitLearn(BaseException):
    """Our function asked scikit-learn for the answer."""


# ---- our functions, as they are or made wrong on purpose ----


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
        return answer * 0.5 + 0.01 if isinstance(answer, float | np.ndarray) else None

    return wrong


def delegating(function: Callable[..., Any], original: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(function)
    def handed_over(*args: Any, **kwargs: Any) -> Any:
        return original(*args, **kwargs)

    return handed_over


def as_asked(function: Callable[..., Any], original: Callable[..., Any]) -> Callable[..., Any]:
    if ONLY not in ("", function.__name__):
        return function
    if WRONG == "broken":
        return broken(function)
    return delegating(function, original) if WRONG == "delegate" else function


# ---- the exchange ----


def home_of(name: str) -> Any:
    ours_in_calibration = ("calibration_curve", "CalibrationDisplay")
    return importlib.import_module("sklearn.calibration" if name in ours_in_calibration else "sklearn.metrics")


SCORERS = ("make_scorer",)  # which only hand on: scikit-learn's own, with our functions in it


def names() -> list[str]:
    import rocscope.sklearn

    return [name for name in rocscope.sklearn.__all__ if hasattr(home_of(name), name) and name not in SCORERS]


def is_display(name: str) -> bool:
    return name.endswith("Display")


def _poisoned(*args: Any, **kwargs: Any) -> Any:
    from plugin import DelegatedToScikitLearn

    raise DelegatedToScikitLearn("scikit-learn's own function was asked")


def poison(function: Callable[..., Any]) -> None:
    """Make the function itself raise: its code is exchanged, not a name that holds it."""
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


# ---- displays: the drawing is inherited, the numbers are ours ----

COMPUTING = ("from_predictions", "from_cv_results")


def display(name: str, ours: type, original: type) -> type:
    """Our display class, its computing methods counted, and as wrong as is asked for; the original's are poisoned."""
    for method in COMPUTING:
        if hasattr(original, method):
            theirs = original.__dict__[method].__func__
            poison(theirs)
            own = getattr(ours, method).__func__  # its own, or that of the class it shares with other displays
            made = displayed(own, original, method) if ONLY in ("", name) else own
            setattr(ours, method, classmethod(counted(name, made)))
    return ours


def displayed(method: Callable[..., Any], original: type, name: str) -> Callable[..., Any]:
    if WRONG == "delegate":
        return lambda cls, *args, **how: getattr(original, name)(*args, **how)
    if WRONG != "broken":
        return method

    @functools.wraps(method)
    def wrong(cls: Any, *args: Any, **how: Any) -> Any:
        made = method(cls, *args, **how)
        for attribute, value in list(vars(made).items()):
            if isinstance(value, np.ndarray) and value.dtype.kind in "if":
                setattr(made, attribute, value * 0.5 + 0.01)
        return made

    return wrong


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
    exchanged: dict[Any, Any] = {}
    for name in names():
        original, ours = getattr(home_of(name), name), getattr(rocscope.sklearn, name)
        if is_display(name):
            exchanged[original] = display(name, ours, original)
            continue
        exchanged[original] = counted(name, as_asked(ours, original))
        # pickle looks a function up by its home and name: it must find the one that counts
        setattr(sys.modules[ours.__module__], name, exchanged[original])
    for helper in (_dcg_sample_scores, _ndcg_sample_scores):
        exchanged[getattr(sys.modules["sklearn.metrics._ranking"], helper.__name__)] = helper
    for original, ours in exchanged.items():
        assert replace_everywhere(original, ours), f"{original} is held nowhere"
    replace_in_scorers(exchanged)
    helpers = [value for home in HOMES for value in vars(sys.modules[home]).values()]
    for function in [*exchanged, *helpers]:
        if isinstance(function, FunctionType) and function.__module__ in (*HOMES, "sklearn.calibration"):
            poison(function)


# ---- pytest ----


def pytest_configure(config: pytest.Config) -> None:
    exchange()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    reasons = [outside(f"{item.path.name}::{item.name}") for item in items]
    left_out.update(why for why in reasons if why)
    config.hook.pytest_deselected(items=[item for item, why in zip(items, reasons, strict=True) if why])
    items[:] = [item for item, why in zip(items, reasons, strict=True) if not why]


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    called.clear()
    yield


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Any:
    report = (yield).get_result()
    if report.when == "call" or (report.when == "setup" and report.outcome != "passed"):
        outcomes[f"{report.outcome}, ours {'called' if called else 'not called'}"] += 1
        if len(called) == 1:
            alone.setdefault(next(iter(called)), Counter())[report.outcome] += 1


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    for key, times in sorted(outcomes.items()):
        terminalreporter.write_line(f"peer: {times} {key}")
    for why, times in sorted(left_out.items()):
        terminalreporter.write_line(f"peer: {times} outside: {why}")
    if path := os.environ.get("PEER_REPORT"):
        Path(path).write_text(json.dumps({"outcomes": outcomes, "outside": left_out, "alone": alone, "names": names()}))
