"""Several classes and validations by hand: pick, press, zoom, price; the link holds it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import screen

import rocscope as rs
from rocscope.cli import main

Visiting = Callable[..., Any]
LABELS = ["class 1", "class 2", "class 10"]


@pytest.fixture(scope="module")
def made() -> Any:
    rng = np.random.default_rng(3)
    y = rng.integers(0, 3, 300)
    raw = rng.normal(size=(300, 3)) + 2.0 * np.eye(3)[y]
    shares = np.exp(raw) / np.exp(raw).sum(axis=1, keepdims=True)
    return rs.evaluate([LABELS[k] for k in y], shares, labels=LABELS)


@pytest.fixture(scope="module")
def saved(made: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("classes") / "classes.html"
    made.save(str(path))
    return path


@pytest.fixture(scope="module")
def validated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("sklearn")
    from sklearn.datasets import load_breast_cancer
    from sklearn.naive_bayes import GaussianNB
    from sklearn.tree import DecisionTreeClassifier

    data = load_breast_cancer()
    models = {"nb": GaussianNB(), "tree": DecisionTreeClassifier(max_depth=3, random_state=0)}
    path = tmp_path_factory.mktemp("validated") / "validation.html"
    rs.validate(models, data.data, data.target, plan="3-fold", seed=0).save(str(path))
    return path


def cells(page: Any) -> list[list[str]]:
    rows = page.locator("#cases table.classes tbody tr").all()
    return [[cell.inner_text() for cell in row.locator("td").all()] for row in rows]


def test_totals_and_orders(made: Any, saved: Path, visit: Visiting) -> None:
    page = visit(saved).page
    assert "Select a cell to see its share and its cost." in page.locator("#cases .reading").inner_text()
    matrix = np.array(made.matrix.cells)
    page.get_by_role("button", name="natural order").click()
    shown = [[int(one or 0) for one in row] for row in cells(page)]
    assert [row[:-1] for row in shown[:-1]] == matrix.tolist()
    assert [row[-1] for row in shown[:-1]] == matrix.sum(axis=1).tolist()
    assert shown[-1] == [*matrix.sum(axis=0).tolist(), int(matrix.sum())]
    names = [one.inner_text() for one in page.locator("#cases table.classes thead th").all()]
    assert names == [*LABELS, "all"]
    assert "order=natural" in page.url


def test_a_cell_says_what_it_holds_and_can_be_priced(made: Any, saved: Path, visit: Visiting) -> None:
    page = visit(saved).page
    matrix = np.array(made.matrix.cells)
    page.get_by_role("button", name=f"actual class 1, predicted class 2: {matrix[0, 1]}").click()
    detail = page.locator("#cases .formula")
    assert f"{matrix[0, 1]} of {matrix[0].sum()}" in detail.inner_text()
    field = detail.get_by_role("textbox")
    field.fill("10")
    field.press("Enter")
    wrong = matrix.sum() - np.trace(matrix)
    cost = 1000 * (wrong + 9 * matrix[0, 1]) / matrix.sum()
    wait = f"{cost:.3g}"
    screen.wait_until(page, lambda: wait in page.locator("#cases .formula").inner_text().replace(",", ""), wait)
    assert "cost=0%2C1%2C10" in page.url or "cost=0,1,10" in page.url


def test_a_class_is_looked_at_everywhere(made: Any, saved: Path, visit: Visiting) -> None:
    page = visit(saved).page
    page.get_by_role("combobox", name="Class to show").select_option("class 10")
    matrix = np.array(made.matrix.cells)
    tp = int(matrix[2, 2])
    fn, fp = int(matrix[2].sum()) - tp, int(matrix[:, 2].sum()) - tp
    said = page.locator("#each .one-class").inner_text()
    counted = f"{tp} true positives, {fn} false negatives, {fp} false positives"
    assert said.startswith(f"class 10 against the rest: {counted}")
    assert page.locator("#each tr.chosen th").inner_text() == "class 10"
    assert page.locator("#roc path.curve.chosen").count() == 1
    page.get_by_role("button", name="zoom in").click()
    assert page.locator("#roc svg").text_content().count("0.2") >= 1
    again = visit(saved, page.url.split("#")[1]).page
    assert again.locator("#each tr.chosen th").inner_text() == "class 10"
    assert again.get_by_role("button", name="zoom in").get_attribute("aria-pressed") == "true"


def test_without_a_script_totals_and_the_worst_confusion_are_there(saved: Path, visit: Visiting) -> None:
    page = visit(saved, java_script_enabled=False).page
    assert "Most frequent confusion" in page.locator("#cases .reading").inner_text()
    assert page.locator("#cases table.classes .total").count() == 7


@pytest.mark.parametrize("width", [1280, 380])
def test_nothing_is_wider_than_the_screen(saved: Path, validated: Path, visit: Visiting, width: int) -> None:
    for path in (saved, validated):
        page = visit(path, width=width).page
        assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_a_fold_and_the_costs_of_a_validation(validated: Path, visit: Visiting) -> None:
    page = visit(validated).page
    page.get_by_role("combobox", name="Model whose folds are drawn").select_option("tree")
    assert page.locator("#roc-reading").inner_text().startswith("tree: 3 folds")
    page.get_by_role("combobox", name="Highlighted fold").select_option("fold 2")
    assert page.locator("#roc-reading").inner_text().startswith("tree, fold 2: ")
    page.get_by_role("button", name="20 ×").click()
    assert "At 1 : 20 " in page.locator("#roc .question .reading").inner_text().replace("\u00a0", " ")
    again = visit(validated, page.url.split("#")[1]).page
    assert again.locator("#roc-reading").inner_text().startswith("tree, fold 2: ")


def test_what_was_computed_for_other_costs_says_so(tmp_path: Path, visit: Visiting) -> None:
    pytest.importorskip("sklearn")
    assert main(["validate", "--demo", "--plan", "3-fold", "--model", "nb", "--model", "tree", "--cost-fn", "10",
                 "--html", str(tmp_path / "costs.html")]) == 0  # fmt: skip
    page = visit(tmp_path / "costs.html").page
    notes = page.locator(".saved-note")
    assert notes.count() == 2 and not notes.first.is_visible() and not notes.last.is_visible()
    page.get_by_role("button", name="50 ×").click()
    for view in ("verdict", "differences"):
        said = page.locator(f"#{view} .saved-note").inner_text().replace("\u00a0", " ")
        assert said == "Computed for the costs of the report, 1 : 10."
    assert "At 1 : 50 " in page.locator("#roc .question .reading").inner_text().replace("\u00a0", " ")
    page.get_by_role("button", name="10 ×").click()
    assert not notes.first.is_visible() and not notes.last.is_visible()


# the slot of the color in which a picture names a class
COLORS = """(section) => Object.fromEntries([...section.querySelectorAll('svg text.name')]
  .map((one) => [one.textContent, one.dataset.m]))"""


@pytest.mark.parametrize("script", [True, False])
def test_a_class_has_one_color_in_every_picture(saved: Path, visit: Visiting, script: bool) -> None:
    page = visit(saved, java_script_enabled=script).page
    colors = page.locator("#roc").evaluate(COLORS)
    assert sorted(colors) == sorted(LABELS) and sorted(colors.values()) == ["1", "2", "3"]
    assert page.locator("#class-lines").evaluate(COLORS) == colors


def several_labels() -> tuple[Any, Any, list[str]]:
    rng = np.random.default_rng(3)
    y = (rng.random((200, 3)) < [0.5, 0.3, 0.15]).astype(int)
    scores = 1 / (1 + np.exp(-(rng.normal(size=(200, 3)) + 2.2 * y - 1.2)))
    return y, scores.round(3), ["news", "sport", "art"]


@pytest.fixture(scope="module")
def tagged(tmp_path_factory: pytest.TempPathFactory) -> Path:
    y, scores, labels = several_labels()
    path = tmp_path_factory.mktemp("labels") / "labels.html"
    rs.evaluate(y, scores, labels=labels).save(str(path))
    return path


def counted(page: Any, label: str) -> list[int]:
    row = page.locator("#thresholds tbody tr", has=page.get_by_role("button", name=label, exact=True))
    return [int(cell) for cell in row.locator("td").all_inner_texts()[2:6]]


def test_thresholds_of_labels_move_as_python_counts_them(tagged: Path, visit: Visiting) -> None:
    y, scores, labels = several_labels()
    page = visit(tagged, "t=1,0.31").page
    found = rs.evaluate(y, scores, labels=labels, threshold={"news": 0.5, "sport": 0.31, "art": 0.5}).to_dict()
    for label in labels:
        assert counted(page, label) == [found["labels"][label]["counts"][cell] for cell in screen.CELLS]
    together = page.locator("#thresholds .question .reading").inner_text()
    micro = next(one["value"] for one in found["measures"] if one["name"] == "micro_f1")
    assert f"micro F1 {micro:.3f}" in together
    for view in ("measures", "each"):  # what is not computed anew says so
        assert page.locator(f"#{view} .saved-note").is_visible()
    page.get_by_role("slider", name="Threshold of art").press("ArrowRight")
    assert "t=1,0.31;2,0." in page.evaluate("decodeURIComponent(location.hash)")


def test_the_cost_of_a_miss_sets_the_cheapest_threshold_of_each_label(tagged: Path, visit: Visiting) -> None:
    y, scores, labels = several_labels()
    page = visit(tagged).page
    page.get_by_role("button", name="5 ×", exact=True).click()
    for k, label in enumerate(labels):
        flags = [scores[:, k] >= t for t in (*np.unique(scores[:, k]), np.inf)]
        least = min(np.sum((y[:, k] == 0) & one) + 5 * np.sum((y[:, k] == 1) & ~one) for one in flags)
        _, fp, fn, _ = counted(page, label)
        assert fp + 5 * fn == least


def test_a_label_and_a_class_stand_in_front_of_the_others(tagged: Path, saved: Path, visit: Visiting) -> None:
    page = visit(tagged).page
    page.get_by_role("combobox", name="Label to show").select_option("art")
    assert page.locator("#roc path.curve.chosen").count() == 1 and page.locator("#each tr.chosen").count() == 1
    page = visit(saved).page
    page.get_by_role("combobox", name="Class to show").select_option("class 2")
    assert page.locator("#class-lines path.curve.chosen").count() == 1
    assert page.locator("#class-lines .reading").inner_text().startswith("class 2: calibration error ")


@pytest.fixture(scope="module")
def filed(folder: Path, made: Any) -> Path:
    """The report of a file with its cases, as the command line writes it."""
    scores = made.predictions.scores
    rows = [
        f"k{row},{LABELS[code]},{','.join(map(repr, map(float, scores[row])))}"
        for row, code in enumerate(made.predictions.codes)
    ]
    table = folder / "cases.csv"
    table.write_text("\n".join([f"id,y,{','.join(f'p_{label}' for label in LABELS)}", *rows, ""]), "utf-8")
    page = folder / "cases.html"
    options = ["--label", "y", "--score", "p_*", "--id", "id", "--embed-cases", "300", "--html", str(page)]
    assert main(["evaluate", str(table), *options]) == 0
    return page


def test_a_cell_lists_its_cases(made: Any, filed: Path, visit: Visiting) -> None:
    page = visit(filed, "cell=0,1").page
    held = made.predictions
    inside = [row for row in range(len(held)) if held.codes[row] == 0 and held.predicted[row] == 1]
    expected = [f"k{row}" for row in sorted(inside, key=lambda row: -round(float(held.scores[row, 1]), 4))]
    assert "Select a cell to see its share, its cost and its cases." in page.locator("#cases .reading").inner_text()
    listed = page.locator("#cases .formula tbody th").all_inner_texts()
    assert sorted(listed) == sorted(expected) and len(listed) == made.matrix.matrix[0][1] > 0
    shown = [float(one) for one in page.locator("#cases .formula tbody td").all_inner_texts()]
    assert shown == sorted(shown, reverse=True)


def test_cases_of_predicted_labels_are_those_of_the_file(tmp_path: Path) -> None:
    table = tmp_path / "predicted.csv"
    table.write_text("who,y,said\na,x,x\nb,x,z\nc,z,z\nd,w,x\n", "utf-8")
    ev = rs.evaluate(str(table), label="y", predicted="said")
    cases = rs.evaluation.case_list(str(table), ev, 3, id="who")
    assert cases["ids"] == ["a", "b", "d"] and cases["more"] == 1 and cases["scores"] is None  # errors first
    named = [ev.matrix.labels[code] for code in cases["actual"]], [ev.matrix.labels[code] for code in cases["predicted"]]
    assert named == (["x", "x", "w"], ["x", "z", "x"])


def test_checks_of_classes_are_muted_and_the_link_holds_it(folder: Path, visit: Visiting) -> None:
    y = ["a"] * 100 + ["b"] * 100 + ["c"] * 100
    said = ["a"] * 98 + ["b"] * 102 + ["c"] * 40 + ["a"] * 60
    rs.evaluate(y, predicted=said).save(str(folder / "muted.html"))
    page = visit(folder / "muted.html", "c=2").page
    check = page.locator('.caveats p[data-check="neglected"]')
    assert check.count() == 1 and check.get_by_role("button", name="see").is_visible()
    check.get_by_role("button", name="mute").click()
    assert not check.is_visible() and "c=2&mute=neglected" in page.url
    page.get_by_role("button", name="natural order").click()
    again = visit(folder / "muted.html", page.url.partition("#")[2]).page
    assert not again.locator('.caveats p[data-check="neglected"]').is_visible()
    again.get_by_role("button", name="show again").click()
    assert again.locator('.caveats p[data-check="neglected"]').is_visible()


def test_checks_of_a_validation_can_be_muted(validated: Path, visit: Visiting) -> None:
    page = visit(validated).page
    page.locator(".caveats").get_by_role("button", name="mute").first.click()
    assert "mute=note_1" in page.url and page.locator(".caveats").get_by_text("Muted: note_1").is_visible()
