"""The pytest fixture `rocscope_gate`: a test of a model fails with the table of conditions that it does not meet."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest


@pytest.fixture
def rocscope_gate() -> Callable[..., Any]:
    """A function that fails the test when an evaluation does not meet conditions.

    `rocscope_gate(ev, "auc.low >= 0.8")` takes an evaluation, or whatever `evaluate` takes, with its keywords:
    `rocscope_gate("scores.csv", "auc.low >= 0.8", label="y", score="p")`. It returns the gate for further inspection.
    """

    def check(given: Any, *requires: str, baseline: Any = None, against: Any = None, **options: Any) -> Any:
        from rocscope.errors import RocscopeError
        from rocscope.evaluation import Result, evaluate
        from rocscope.evaluation import gate as gated

        if isinstance(given, Result) and options:
            raise RocscopeError(
                f"{', '.join(options)} cannot change an evaluation that has already been made",
                hint="Give these options to evaluate()",
            )
        ev: Any = given if isinstance(given, Result) else evaluate(given, **options)
        outcome = gated(ev, *requires, baseline=baseline, against=against)
        if not outcome:
            pytest.fail(str(outcome), pytrace=False)
        return outcome

    return check
