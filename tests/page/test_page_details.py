"""Details of reports that a reader stumbles over: places, sizes and names, on screens, phones and figures."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import reports
import screen
from test_page_notebook import classes, validation

import rocscope as rs

Visiting = Callable[..., Any]

# the smallest text of the pictures in pixels of the screen, and what it says
SMALLEST = """[...document.querySelectorAll('main svg text')]
  .filter((one) => one.textContent.trim() && one.checkVisibility())
  .map((one) => {
    const picture = one.ownerSVGElement, box = picture.viewBox.baseVal;
    const scale = box?.width ? picture.getBoundingClientRect().width / box.width : 1;
    return [scale * parseFloat(getComputedStyle(one).fontSize), one.textContent];
  })
  .sort((a, b) => a[0] - b[0])[0]"""


def touching(one: dict[str, float], other: dict[str, float]) -> bool:
    """Whether two boxes overlap."""
    across = min(one["x"] + one["width"], other["x"] + other["width"]) > max(one["x"], other["x"])
    return across and min(one["y"] + one["height"], other["y"] + other["height"]) > max(one["y"], other["y"])


def scarce() -> tuple[Any, Any]:
    """Labels with 49 positives in 40,000, and probabilities."""
    rng = np.random.default_rng(0)
    labels = rng.random(40_000) < 0.0012
    return labels.astype(int), np.round(1 / (1 + np.exp(-(rng.normal(size=40_000) * 1.2 - 7 + 3 * labels))), 6)


def test_many_caveats_have_room_where_nothing_is_said_about_certainty(folder: Path, visit: Visiting) -> None:
    labels, scores = scarce()
    rs.evaluate(labels, scores, unit="transaction").save(str(folder / "unpriced.html"))
    page = visit(folder / "unpriced.html").page
    assert page.locator(".columns section").count() == 2 and page.locator(".caveats p[data-check]").count() >= 4
    assert (
        min(one["width"] for one in (part.bounding_box() for part in page.locator(".caveats p[data-check]").all()))
        >= 300
    )


def test_natural_frequencies_of_rare_cases_are_at_least_one() -> None:
    labels, scores = scarce()
    text = " ".join(str(rs.evaluate(labels, scores, threshold=0.05, unit="transaction")).split())
    assert "Per 10,000 transactions: 2 true positives, 10 missed and 4 false alarms." in text


def test_the_header_of_a_phone_is_one_row(three: Path, visit: Visiting) -> None:
    page = visit(three, width=380, height=800).page
    assert page.locator("header.bar").bounding_box()["height"] <= 60


def test_the_charts_of_a_validation_are_drawn_for_the_phone_and_not_scaled(folder: Path, visit: Visiting) -> None:
    validation(2).save(str(folder / "folds.html"))
    for script in (True, False):
        page = visit(folder / "folds.html", width=380, java_script_enabled=script).page
        size, words = page.evaluate(SMALLEST)
        assert size >= (10.5 if script else 7), words


def test_the_corner_of_a_curve_is_enlarged_and_the_key_covers_no_name(
    three: Path, folder: Path, visit: Visiting
) -> None:
    classes(10, probabilities=True).save(str(folder / "ten.html"))
    for report in (three, folder / "ten.html"):
        page = visit(report).page
        page.locator("#roc").get_by_role("button", name="zoom in").click()
        screen.settled(page)
        assert "0.2" in page.locator("#roc .picture svg text").all_text_contents()
        for name in page.locator("#roc .picture svg text", has_text="chance").all():
            for key in page.locator("#roc .picture .key text").all() if name.is_visible() else ():
                assert not touching(name.bounding_box(), key.bounding_box())
        page.locator("#roc").get_by_role("button", name="zoom in").click()
        screen.settled(page)
        assert "0.75" in page.locator("#roc .picture svg text").all_text_contents()


def test_two_files_with_a_column_of_one_name_have_names_of_one_form(tmp_path: Path) -> None:
    labels, scores = reports.cases(80)
    for name, spread in (("run_a", 0.2), ("run_b", 2.0)):
        rows = zip(range(80), labels, reports.noisy(scores, spread, 1), strict=True)
        text = "\n".join(["case,y,score", *(",".join(map(str, row)) for row in rows)])
        (tmp_path / f"{name}.csv").write_text(text + "\n", encoding="utf-8")
    files = [str(tmp_path / f"{name}.csv") for name in ("run_a", "run_b")]
    names = list(rs.compare(files, label="y", score="score", id="case").evaluations)
    assert [name.replace("run_a", "").replace("run_b", "") for name in names] == [names[0].replace("run_a", "")] * 2
    assert "run_a" in names[0] and "run_b" in names[1]


def test_the_progress_of_a_validation_has_the_color_of_the_page() -> None:
    import rocscope.serve

    style = (Path(rocscope.serve.__file__).parent / "static" / "start.css").read_text("utf-8")
    assert "progress { width: 200px; height: 8px; accent-color: var(--m1); }" in style


@pytest.mark.parametrize("kind", ["matrix", "roc", "strip", "net_benefit"])
def test_no_text_of_a_figure_is_smaller_than_seven_points(kind: str) -> None:
    text = pytest.importorskip("matplotlib.text")
    made = classes(10, probabilities=True) if kind == "matrix" else reports.three_models(300)
    figure = made.plot(kind).figure
    shown = [one for one in figure.findobj(text.Text) if one.get_text().strip() and one.get_visible()]
    assert min(one.get_fontsize() for one in shown) >= 6.9
    if kind == "net_benefit":
        assert {"flag all", "flag nobody"} <= {one.get_text() for one in shown}
