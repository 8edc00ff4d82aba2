"""Counts, matrices, curves and hulls in a notebook: HTML without a script, with the numbers that Python prints."""

from __future__ import annotations

import re
from html import unescape
from html.parser import HTMLParser
from typing import Any

import pytest

import rocscope as rs

Y, S = [1, 1, 0, 1, 0, 0, 1, 0], [0.9, 0.8, 0.7, 0.6, 0.4, 0.3, 0.35, 0.1]


def shown(one: Any) -> str:
    made = one._repr_html_()
    parser = HTMLParser()
    parser.feed(made)
    parser.close()
    assert "<script" not in made and "style=" not in made
    return made


def words(made: str) -> str:
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", made)).split())


def test_counts_have_totals_and_measures_with_intervals() -> None:
    counts = rs.Counts(tp=7, fp=7, fn=3, tn=13)
    said = words(shown(counts))
    assert "positive 7 3 10" in said and "negative 7 13 20" in said and "all 14 16 30" in said
    assert "precision 0.50 [0.27, 0.73]" in said


def test_unknown_cells_are_printed_as_they_are() -> None:
    assert "tn=None" in words(shown(rs.Counts(tp=5, fp=3, fn=7)))


def test_a_matrix_has_totals_and_its_measures() -> None:
    matrix = rs.Confusion.from_matrix([[10, 0, 0], [0, 7, 5], [0, 3, 5]], labels=["<a>", "b", "c"])
    made = shown(matrix)
    assert "&lt;a&gt;" in made
    said = words(made)
    assert "b 0 7 5 12" in said and "all 10 10 10 30" in said and "accuracy 0.73" in said
    wide = rs.Confusion.from_matrix([[int(i == j) for j in range(40)] for i in range(40)])
    assert "40 classes" in words(shown(wide))


@pytest.mark.parametrize(
    ("kind", "x", "y"), [("roc", "false positive rate", "true positive rate"), ("pr", "recall", "precision")]
)
def test_a_curve_is_drawn_with_the_names_of_its_axes(kind: str, x: str, y: str) -> None:
    curve = getattr(rs.evaluate(Y, S), kind)()
    made = shown(curve)
    assert made.count("<path") == (2 if kind == "roc" else 1)
    assert f"{x} →" in made and f"↑ {y}" in made


def test_a_hull_lists_its_slopes() -> None:
    hull = rs.evaluate(Y, S).hull()
    made = shown(hull)
    assert "slope from" in made and made.count("<tr>") == 1 + len(hull.intervals)


def test_what_is_undefined_is_said() -> None:
    one = rs.evaluate([1, 1, 1], [0.2, 0.4, 0.6], positive=1)
    assert "undefined" in words(shown(one.hull()))


def test_an_interval_over_few_folds_that_covers_everything_says_why() -> None:
    """A mean over three folds has two degrees of freedom; a reader of [0.00, 1.00] is told so, of ten folds not."""
    pytest.importorskip("sklearn")
    import numpy as np
    from sklearn.linear_model import LogisticRegression

    rng = np.random.default_rng(0)
    data = rng.normal(size=(120, 3))
    target = (data[:, 0] + rng.normal(size=120) > 0.4).astype(int)
    few, many = (
        rs.validate({"logistic": LogisticRegression()}, data, target, plan=plan, seed=0)._repr_html_()
        for plan in ("3-fold", "10-fold")
    )
    assert "[0.00, 1.00]" in few and "3 folds are too few for this measure" in few and "2 degrees of freedom" in few
    assert "[0.00, 1.00]" not in many and "too few" not in many


def test_a_validation_is_a_page() -> None:
    pytest.importorskip("sklearn")
    from sklearn.datasets import load_breast_cancer
    from sklearn.naive_bayes import GaussianNB

    data = load_breast_cancer()
    made = rs.validate({"nb": GaussianNB()}, data.data, data.target, plan="2-fold")._repr_html_()
    assert made.startswith('<div style="container-type:inline-size"><iframe') and "sandbox=" in made


def test_a_result_has_its_numbers_beside_the_frame_for_viewers_without_scripts() -> None:
    ev = rs.evaluate(Y, S)
    _, still = ev._repr_html_().split("</iframe></div>")
    assert "<script" not in still and still.startswith("<details>") and still.count("<path") == 2
    said = words(still)
    assert ev.to_dict()["verdict"]["statements"]["headline"][0]["text"] in said
    cmp = rs.compare(Y, {"a": S, "b": [1 - s for s in S]})
    assert "model AUC, 95 % interval a 0.8" in words(cmp._repr_html_().split("</iframe>")[1])


def test_a_figure_shows_itself_with_the_operating_point_and_the_label() -> None:
    pytest.importorskip("matplotlib")
    from rocscope.plots import theme
    from rocscope.report.html import notebook_cells

    assert tuple(one.color for one in theme.MODELS) == notebook_cells.COLORS
    ev = rs.evaluate(["ill" if y else "well" for y in Y], S, positive="ill")
    ax = ev.plot()
    assert ax._repr_png_().startswith(b"\x89PNG") and ax.figure._repr_png_().startswith(b"\x89PNG")
    (point,) = [one for one in ax.collections if one.get_gid() == "rocscope-point"]
    assert point.get_offsets().tolist() == [[float(ev.point.counts.fpr), float(ev.point.counts.recall)]]
    assert "recall of ill" in ax.get_title(loc="left")
    near = [one for one in ax.texts if one.get_gid() == "rocscope-threshold" and one.get_visible()]
    x, y = point.get_offsets()[0]
    assert near and all(max(abs(one.xy[0] - x), abs(one.xy[1] - y)) >= 0.08 for one in near)  # no name over another


class Sanitizer(HTMLParser):
    """What a viewer such as GitHub's leaves of a cell: no script, style, frame or picture, no attribute."""

    KEPT = frozenset(("b", "br", "details", "div", "p", "pre", "summary", "table", "tbody", "td", "th", "thead", "tr"))
    DROPPED = frozenset(("iframe", "script", "style", "svg"))

    def __init__(self) -> None:
        super().__init__()
        self.left, self.inside = "", [""]

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        if tag in self.DROPPED:
            self.inside.append(tag)
        elif tag in self.KEPT and len(self.inside) == 1:
            self.left += f"<{tag}>"

    def handle_endtag(self, tag: str) -> None:
        if tag == self.inside[-1]:
            self.inside.pop()
        elif tag in self.KEPT and len(self.inside) == 1:
            self.left += f"</{tag}>"

    def handle_data(self, data: str) -> None:
        self.left += data if len(self.inside) == 1 else ""


def left_of(one: Any) -> str:
    parser = Sanitizer()
    parser.feed(one._repr_html_())
    parser.close()
    return words(parser.left)


def validated() -> Any:
    linear = pytest.importorskip("sklearn.linear_model")
    features = [[score, (7 * place) % 5] for place, score in enumerate(S * 5)]
    return rs.validate({"logistic": linear.LogisticRegression()}, features, Y * 5, plan="4-fold", seed=0)


RESULTS = {
    "one model": lambda: rs.evaluate(Y * 5, S * 5, costs=rs.Costs(fp=1, fn=5)),
    "comparison": lambda: rs.compare(Y * 5, {"a": S * 5, "b": [round(1 - s, 2) for s in S * 5]}),
    "classes": lambda: rs.evaluate(["a", "b", "c"] * 8, predicted=["a", "b", "c", "b"] * 6),
    "labels": lambda: rs.evaluate([[0, 1], [1, 1], [1, 0]] * 8, [[0.2, 0.9], [0.8, 0.6], [0.7, 0.1]] * 8),
    "validation": validated,
}


@pytest.mark.parametrize("kind", RESULTS)
def test_without_script_style_frame_and_picture_the_answer_is_still_there(kind: str) -> None:
    """GitHub and VS Code show notebooks so; where they show no HTML at all, the text is the answer too."""
    found = RESULTS[kind]()
    said = left_of(found)
    headline = " ".join(one["text"] for one in found.to_dict()["verdict"]["statements"]["headline"])
    assert said.startswith(" ".join(headline.split())), said[:200]
    assert len(re.findall(r"\d\.\d+ \[\d\.\d+, \d\.\d+\]", said)) >= 1, said  # numbers with their intervals, in a table

    class Printer:
        written = ""

        def text(self, words: str) -> None:
            self.written += words

    printer = Printer()
    found._repr_pretty_(printer, False)
    assert printer.written == str(found) and "array(" not in printer.written


def test_small_results_are_legible_without_their_pictures() -> None:
    roc = left_of(rs.curves.roc(rs.ScoreTable.from_scores(Y, S)))
    assert "fpr tpr 0 0" in roc and roc.endswith("1 1")
    assert "slope from to model threshold" in left_of(rs.evaluate(Y, S).hull())
    assert "precision 0.50 [0.27, 0.73]" in left_of(rs.Counts(tp=7, fp=7, fn=3, tn=13))
