"""Take the pictures in docs/pictures/before-after: the first edition of the report beside that of today.

    python tools/before_after.py FIRST        # FIRST: the folder src of the first edition (git archive c733288 src)

Both editions make the reports from the same data, so that a picture changes only when the page does. Needs Chromium
and the Python package playwright.
"""

from __future__ import annotations

import base64
import math
import os
import random
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from screenshots import CHROMIUM, ROOT

TARGET = ROOT / "docs" / "pictures" / "before-after"
HEIGHT = 1500  # CSS pixels of a page that are shown
CASES = ("perfect", "rare", "without-costs", "many-thresholds", "many-models", "ten-classes", "validation", "phone")


def cases(count: int, share: float, shift: float = 1.6, digits: int = 3) -> tuple[list[int], list[float]]:
    """Labels, and probabilities that are calibrated on average."""
    rng = random.Random(1)
    labels = [int(row < share * count) for row in range(count)]
    odds = [math.log(share / (1 - share)) + shift * rng.gauss(shift * (label - 0.5), 1.0) for label in labels]
    return labels, [round(1 / (1 + math.exp(-x)), digits) for x in odds]


def blurred(scores: list[float], spread: float) -> list[float]:
    """The same scores with noise on the scale of log odds."""
    rng = random.Random(spread)
    kept = [min(max(score, 0.001), 0.999) for score in scores]
    return [round(1 / (1 + math.exp(-(math.log(s / (1 - s)) + rng.gauss(0, spread)))), 3) for s in kept]


def reports(folder: Path) -> None:
    """Write the reports with the edition of rocscope that is imported."""
    import numpy as np
    from sklearn.datasets import load_breast_cancer
    from sklearn.linear_model import LogisticRegression
    from sklearn.naive_bayes import GaussianNB
    from sklearn.tree import DecisionTreeClassifier

    import rocscope as rs

    costs = rs.Costs(fp=1, fn=5)
    rng = random.Random(2)
    apart = [round(rng.uniform(0.6, 1), 3) for _ in range(40)] + [round(rng.uniform(0, 0.35), 3) for _ in range(160)]
    rare = cases(50_000, 0.001, 2.2, 5)
    labels, scores = cases(500, 0.23)
    generator = np.random.default_rng(3)
    digits = generator.integers(0, 10, 1500)
    raw = generator.normal(size=(1500, 10)) + 2.2 * np.eye(10)[digits]
    shares = np.exp(raw) / np.exp(raw).sum(axis=1, keepdims=True)
    names = [f"digit {k}" for k in range(10)]
    three = {"sharp": scores, "blurred": blurred(scores, 0.8), "dull": blurred(scores, 3.0)}
    nine = {f"model {k + 1}": blurred(scores, 0.3 * k + 0.01) for k in range(9)}
    data = load_breast_cancer()
    models = {"nb": GaussianNB(), "logistic": LogisticRegression(max_iter=5000),
              "tree": DecisionTreeClassifier(max_depth=3, random_state=0)}  # fmt: skip
    results = {
        "perfect": rs.evaluate([1] * 40 + [0] * 160, apart, costs=costs),
        "rare": rs.evaluate(*rare, costs=rs.Costs(fp=1, fn=50)),
        "without-costs": rs.evaluate(labels, scores),
        "many-thresholds": rs.evaluate(*cases(20_000, 0.2, digits=5), costs=costs),
        "many-models": rs.compare(labels, nine, costs=costs),
        "ten-classes": rs.evaluate([names[k] for k in digits], shares, labels=names),
        "validation": rs.validate(models, data.data, data.target, plan="5-fold", seed=0, costs=rs.Costs(fp=1, fn=10)),
        "phone": rs.compare(labels, three, costs=costs, unit="loan"),
    }
    for name, result in results.items():
        result.save(str(folder / f"{name}.html"))


def shot(browser: Any, report: Path, *, phone: bool, strip: bool) -> bytes:
    """A picture of the beginning of a report, or of its strip of thresholds."""
    context = browser.new_context(viewport={"width": 380 if phone else 1280, "height": HEIGHT})
    page = context.new_page()
    page.goto(report.as_uri())
    page.wait_for_timeout(500)
    if strip:
        page.locator("#strip").scroll_into_view_if_needed()
        page.wait_for_timeout(300)
    seen = page.locator("#strip").screenshot() if strip else page.screenshot()
    context.close()
    return bytes(seen)


def side_by_side(browser: Any, pictures: list[bytes], target: Path, width: int) -> None:
    """Both editions in one picture, the first on the left."""
    encoded = [base64.b64encode(picture).decode() for picture in pictures]
    shown = "".join(f'<img style="width:{width}px" src="data:image/png;base64,{one}">' for one in encoded)
    page = browser.new_page(viewport={"width": 2 * width + 24, "height": 200})
    style = "margin:0;display:flex;gap:24px;align-items:flex-start;background:#9aa1ab"
    page.set_content(f'<body style="{style}">{shown}</body>')
    page.wait_for_timeout(200)
    page.screenshot(path=str(target), full_page=True)
    page.close()


def main(first: Path) -> None:
    """Write the pictures."""
    import shutil

    from playwright.sync_api import sync_playwright

    program = next(filter(None, map(shutil.which, CHROMIUM)), None)
    if program is None:
        raise SystemExit("no Chromium found: install Debian's package chromium")
    with tempfile.TemporaryDirectory() as made, sync_playwright() as playwright:
        folders = [Path(made) / name for name in ("first", "today")]
        for folder, source in zip(folders, (first, ROOT / "src"), strict=True):
            folder.mkdir()
            command = [sys.executable, str(Path(__file__)), "--reports", str(folder)]
            subprocess.run(command, check=True, env=os.environ | {"PYTHONPATH": str(source.resolve())})
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        for name in CASES:
            looks = {"phone": name == "phone", "strip": name == "many-thresholds"}
            pictures = [shot(browser, folder / f"{name}.html", **looks) for folder in folders]
            side_by_side(browser, pictures, TARGET / f"{name}.png", 380 if name == "phone" else 800)
        browser.close()


if __name__ == "__main__":
    if sys.argv[1] == "--reports":
        reports(Path(sys.argv[2]))
    else:
        main(Path(sys.argv[1]))
