"""Results in a notebook: the frame is as high as what it holds, at the widths that notebooks have."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
import reports
from screen import DRAWN

import rocscope as rs


def classes(count: int, *, probabilities: bool) -> Any:
    rng = np.random.default_rng(0)
    labels = rng.integers(0, count, 400)
    if not probabilities:
        return rs.evaluate(labels, predicted=np.where(rng.random(400) < 0.8, labels, rng.integers(0, count, 400)))
    shares = np.eye(count)[labels] / 2 + rng.random((400, count))
    return rs.evaluate(labels, shares / shares.sum(axis=1, keepdims=True), labels=list(range(count)))


def validation(models: int) -> Any:
    linear = pytest.importorskip("sklearn.linear_model")
    rng = np.random.default_rng(0)
    data = rng.normal(size=(200, 3))
    named = {f"model {k}": linear.LogisticRegression(C=10.0**-k) for k in range(models)}
    return rs.validate(named, data, (data[:, 0] > 0.3).astype(int), plan="5-fold", seed=0)


MADE = {
    "evaluation": lambda: rs.evaluate(*reports.cases(500)),
    "costs": reports.one_model,
    "reversed": reports.backwards,
    "one class": reports.one_class,
    "labels only": reports.labels_only,
    "three models": reports.three_models,
    "nine models": reports.many_models,
    "three classes": lambda: classes(3, probabilities=True),
    "ten classes": lambda: classes(10, probabilities=True),
    "ten classes, predicted": lambda: classes(10, probabilities=False),
    "one model validated": lambda: validation(1),
    "two models validated": lambda: validation(2),
}


# widths of a cell, and how much room may be left below: narrow frames differ more from kind to kind
WIDTHS = {1000: 160, 900: 160, 800: 280, 761: 280, 700: 280, 670: 280, 620: 280, 560: 280, 380: 280}


@pytest.mark.parametrize("kind", MADE)
def test_the_frame_fits_what_it_holds(kind: str, browser: Any) -> None:
    context = browser.new_context(viewport={"width": 1000, "height": 700})
    try:
        page = context.new_page()
        shown = MADE[kind]()._repr_html_()
        page.set_content(f"<!doctype html><meta charset=utf-8><body style='margin: 0'>{shown}</body>")
        page.frame_locator("iframe").locator("html[data-live]").wait_for(state="attached")
        frame = page.frames[1]
        for width, gap in WIDTHS.items():
            page.set_viewport_size({"width": width, "height": 700})
            page.wait_for_function("(width) => document.querySelector('iframe').clientWidth === width", arg=width)
            frame.evaluate(f"async () => {{ await {DRAWN}; await {DRAWN}; }}")
            needed = frame.evaluate("document.querySelector('main').getBoundingClientRect().bottom")
            high = page.locator("iframe").bounding_box()["height"]
            assert needed <= high, f"the frame scrolls at {width}"
            assert high - needed < gap, f"the frame has a gap at {width}"
    finally:
        context.close()


def test_a_narrow_cell_has_one_view_below_the_other(browser: Any) -> None:
    """At 620 pixels no word of the matrix is broken and no button covers the name of an axis."""
    context = browser.new_context(viewport={"width": 620, "height": 1400})
    try:
        page = context.new_page()
        page.set_content(f"<!doctype html><body style='margin: 0'>{reports.one_model()._repr_html_()}</body>")
        page.frame_locator("iframe").locator("html[data-live]").wait_for(state="attached")
        frame = page.frames[1]
        boxes = [frame.locator(f"#{view}").bounding_box() for view in ("roc", "cases", "measures")]
        assert all(after["y"] >= before["y"] + before["height"] for before, after in pairwise(boxes))
        name = frame.locator("#roc .picture text", has_text="true positive rate").bounding_box()
        button = frame.locator("#roc .zoom").bounding_box()
        assert name["x"] + name["width"] <= button["x"]
        lines = frame.locator("#cases .matrix .line").evaluate_all("(all) => all.map((one) => one.clientHeight)")
        assert lines and max(lines) <= 16
    finally:
        context.close()
