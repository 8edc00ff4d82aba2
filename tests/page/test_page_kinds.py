"""Every kind of report in Chromium, and by `make firefox` in Firefox: it starts, it follows a hand, it keeps the state."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import reports
from screen import DRAWN

import rocscope as rs
from rocscope.serve import pasted

Opening = Callable[..., Any]
STARTED = """() => ({
  live: 'live' in document.documentElement.dataset, headline: document.querySelector('h1').textContent,
  failed: document.querySelectorAll('p.reason.failed').length, hash: location.hash,
  wide: document.documentElement.scrollWidth > window.innerWidth,
})"""
PRESS = """async (where) => {
  document.querySelector(where).dispatchEvent(new MouseEvent('click', {bubbles: true}));
  await DRAWN;
  return location.hash.slice(1);
}""".replace("DRAWN", DRAWN)


def classes() -> Any:
    rng = np.random.default_rng(1)
    labels = rng.integers(0, 3, 200)
    return rs.evaluate(labels, rng.dirichlet([1, 1, 1], 200) * 0.6 + 0.4 * np.eye(3)[labels])


def validation() -> Any:
    from sklearn.linear_model import LogisticRegression
    from sklearn.naive_bayes import GaussianNB

    rng = np.random.default_rng(0)
    data = rng.normal(size=(120, 3))
    target = (data[:, 0] + rng.normal(size=120) > 0.4).astype(int)
    return rs.validate({"logistic": LogisticRegression(), "bayes": GaussianNB()}, data, target, plan="3-fold", seed=0)


KINDS: dict[str, tuple[Callable[[], Any], str, str]] = {
    "three models": (reports.three_models, "#controls .models button:nth-of-type(2)", "m=1"),
    "one model": (reports.one_model, "#controls .rules button:nth-of-type(3)", "rule=youden"),
    "one class": (reports.one_class, "#roc h2", ""),
    "labels only": (reports.labels_only, "#cases .switch button:last-child", "unit=thousand"),
    "weighted": (reports.weighted, "#cases .switch button:last-child", "unit=thousand"),
    "reversed": (reports.backwards, "#roc .zoom button", "zoom=1"),
    "not probabilities": (reports.not_probabilities, "#controls .rules button:nth-of-type(4)", "rule=closest"),
    "many models": (reports.many_models, "#controls .models button:nth-of-type(2)", "m=1"),
    "classes": (classes, "#cases button.cell", "cell="),
    "validation": (validation, "#roc .pick button", "zoom=1"),
}


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_report_starts_and_follows_a_hand(kind: str, anywhere: Opening, tmp_path: Path) -> None:
    make, where, kept = KINDS[kind]
    path = tmp_path / "report.html"
    make().save(str(path))
    page = anywhere(path)
    seen = page.evaluate(STARTED)
    assert seen["live"] and seen["headline"] and seen["failed"] == 0 and not seen["wide"], seen
    assert kept in page.evaluate(PRESS, where)
    if hasattr(page, "assert_clean"):  # of Chromium the fixture checks it
        page.assert_clean()


def test_pasted_points_and_the_lesson_start(anywhere: Opening, tmp_path: Path) -> None:
    points, few = tmp_path / "points.html", tmp_path / "few.html"
    points.write_text(pasted.show("C4.5 (0.2, 0.7)\nSVM (0.5, 0.95)", "points")[1], encoding="utf-8")
    assert anywhere(points).evaluate(STARTED)["headline"] == "Recommended: C4.5."
    rs.evaluate([1, 1, 0, 1, 0, 0], [0.9, 0.8, 0.7, 0.6, 0.4, 0.3]).save(str(few))
    page = anywhere(few)
    page.evaluate(PRESS, ".bar .tools button")
    assert page.evaluate("() => document.querySelector('main.teach-room h1')?.textContent")
