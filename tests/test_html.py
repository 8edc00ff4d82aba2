"""The report as one HTML file: complete, inert, the same bytes, and readable without a script."""

from __future__ import annotations

import base64
import hashlib
import json
import math
import os
import re
import subprocess
import sys
from collections import Counter
from dataclasses import replace
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from test_report import EVIL, ROOT, loan_scores, states
from unpacked import unpacked

import rocscope as rs
from rocscope import report, significance
from rocscope.cli import main
from rocscope.cli.shared.demo_loans import POSITIVE
from rocscope.evaluation import page_model
from rocscope.evaluation.page_data import catalog, cluster_order
from rocscope.report import escape
from rocscope.report.html import page as html
from rocscope.report.html.html_page import built, slim
from rocscope.report.html.markup import data, shortened, tag, text
from rocscope.table import ScoreTable
from rocscope.text import percentage
from rocscope.verdicts import placeholders
from rocscope.verdicts.sentences import RULES

GOLDEN = Path(__file__).parent / "golden"
VOID = {"meta", "col", "br"}
HARMLESS = {
    "html", "head", "meta", "title", "style", "body", "a", "header", "span", "div", "main", "p", "section", "h1", "h2",
    "h3", "b", "bdi", "table", "caption", "thead", "tbody", "tr", "th", "td", "i", "code", "footer", "script", "svg",
    "path", "circle", "line", "text", "tspan", "rect", "g", "ul", "li", "details", "summary", "colgroup", "col", "br",
}  # fmt: skip


class Reader(HTMLParser):
    """The elements, attributes and text of a page; wrong nesting is remembered."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.wrong: list[str] = []
        self.tags: Counter[str] = Counter()
        self.attributes: list[tuple[str, str, str | None]] = []
        self.texts: list[str] = []
        self.scripts: list[str] = []
        self.styles: list[str] = []
        self.headings: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags[tag] += 1
        self.attributes += [(tag, name, value) for name, value in attrs]
        if re.fullmatch(r"h\d", tag):
            self.headings.append(tag)
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if not self.open or self.open.pop() != tag:
            self.wrong.append(tag)

    def handle_data(self, data: str) -> None:
        held = self.open[-1] if self.open else ""
        {"script": self.scripts, "style": self.styles}.get(held, self.texts).append(data)

    @property
    def shown(self) -> str:
        return "".join(self.texts)


def read(page: str) -> Reader:
    reader = Reader()
    reader.feed(page)
    reader.close()
    return reader


def hash_of(content: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()}"


@pytest.fixture(scope="module")
def documents() -> dict[str, dict[str, Any]]:
    return {name: one.to_dict(drawing=True) for name, one in states().items()}


@pytest.fixture(scope="module")
def validator() -> Any:
    import jsonschema

    return jsonschema.Draft202012Validator(json.loads((ROOT / "src/rocscope/schema/rocscope-1.json").read_text()))


def loan_comparison(**how: Any) -> rs.Comparison:
    y, scores = loan_scores()
    return rs.compare(y, scores, positive=POSITIVE, costs=rs.Costs(fp=1, fn=5), unit="loan", **how)


# ---- every state ----


@pytest.mark.parametrize("name", states())
def test_every_state_makes_a_sound_page(name: str, documents: dict[str, Any], validator: Any) -> None:
    document = documents[name]
    assert not list(validator.iter_errors(document))
    page = html(document)
    reader = read(page)
    assert reader.wrong == [] and reader.open == []
    assert set(reader.tags) <= HARMLESS
    assert reader.tags["script"] == 2 and reader.tags["style"] == 1 and reader.tags["h1"] == 1
    ids = [value for _, key, value in reader.attributes if key == "id"]
    assert len(ids) == len(set(ids))
    for key in ("aria-labelledby",):
        wanted = {one for _, name, value in reader.attributes if name == key for one in (value or "").split()}
        assert wanted <= set(ids)
    levels = [int(one[1]) for one in reader.headings]
    assert levels[0] == 1 and all(after - before <= 1 for before, after in pairwise(levels))
    held = next(script for script in reader.scripts if script.startswith("{"))
    assert unpacked(json.loads(held)) == json.loads(json.dumps(slim(document)))
    assert not list(validator.iter_errors(unpacked(json.loads(held))))


@pytest.mark.parametrize("name", ["models", "costs", "hard labels", "many classes"])
def test_the_policy_lets_in_this_script_and_this_style_alone(name: str, documents: dict[str, Any]) -> None:
    reader = read(html(documents[name]))
    policy = next(
        value
        for tag, key, value in reader.attributes
        if tag == "meta" and key == "content" and "default-src" in str(value)
    )
    assert policy is not None and policy.startswith("default-src 'none'; ")
    script = next(one for one in reader.scripts if not one.startswith("{"))
    assert f"script-src '{hash_of(script)}'" in policy and f"style-src '{hash_of(reader.styles[0])}'" in policy
    assert "unsafe" not in policy and "http" not in policy
    # nothing in the page asks for anything: no address, no style attribute, no handler
    for tag_name, key, value in reader.attributes:
        assert key != "style" and not key.startswith("on") and key not in ("src", "srcset", "action")
        assert key != "href" or (tag_name == "a" and value == "#controls")
    assert "url(" not in reader.styles[0] and "@import" not in reader.styles[0]


def test_every_picture_is_sound_xml(documents: dict[str, Any]) -> None:
    for name, document in documents.items():
        page = html(document)
        pictures = re.findall(r'<div class="picture">(<svg.*?</svg>)', page, re.S)
        for picture in pictures:
            whole = re.match(r"(<svg.*)</svg>", picture, re.S)
            assert whole is not None
        for part in outer_pictures(page):
            ElementTree.fromstring(part.replace(" data-tint", ""))
        assert pictures or name in ("hard labels", "many classes", "probabilities", "absent class")


def outer_pictures(page: str) -> list[str]:
    """Every outermost svg element of a page."""
    found, depth, start = [], 0, 0
    for mark in re.finditer(r"<svg\b|</svg>", page.partition('<script type="application/json"')[0]):
        if mark[0] == "<svg":
            start = mark.start() if depth == 0 else start
            depth += 1
        else:
            depth -= 1
            if depth == 0:
                found.append(page[start : mark.end()])
    return found


def test_the_answer_comes_first_and_needs_no_script() -> None:
    reader = read(html(loan_comparison().to_dict(drawing=True)))
    shown = reader.shown
    order = (
        "Recommended: boosting at threshold 0.287.|If a miss costs 5 false alarms|How certain is it?|Leaning:|"
        "What could mislead here|"
        "What would change the answer|ROC, hull and cost line|Confusion matrix|Measures|"
        "Cheapest model by cost ratio|Precision and recall|Calibration|Decision curve|Do the models differ?"
    )
    places = [shown.index(one) for one in order.split("|")]
    assert places == sorted(places)
    for number in (
        "174 (95\xa0% CI 127–239)", "0.847 [0.780, 0.894]", "10.2 false alarms", "corrected for choosing"):
        assert number in shown
    assert shown.count("Show table") == 6


def test_it_needs_a_drawing() -> None:
    with pytest.raises(rs.RocscopeError, match="no drawing"):
        html(loan_comparison().to_dict())


def test_the_built_files_are_there() -> None:
    assert len(built("page.js")) > 1000 and len(built("page.css")) > 1000
    assert "</script" not in built("page.js").lower() and "</style" not in built("page.css").lower()


# ---- names that mean harm (B114 to B124) ----


@pytest.mark.parametrize("evil", EVIL, ids=lambda one: ascii(one[:20]))
def test_evil_names_are_shown_and_do_nothing(evil: str) -> None:
    y = [evil, "fine", evil, "fine", "fine", evil, "fine", evil]
    scores = {evil: [0.9, 0.1, 0.8, 0.3, 0.2, 0.4, 0.45, 0.7], "other": [0.4, 0.1, 0.9, 0.3, 0.6, 0.4, 0.5, 0.7]}
    made = rs.compare(
        y, scores, positive=evil, costs=rs.Costs(fp=1, fn=2), unit=evil[:200], by={evil[:100]: [evil[:50], "b"] * 4}
    )
    inert(html(made.to_dict(drawing=True)), evil)
    classes = rs.evaluate([evil, "b", "c"] * 4, predicted=["b", "b", "c"] * 2 + [evil, "b", "c"] * 2, name=evil)
    inert(html(classes.to_dict(drawing=True)), evil)
    labels = rs.evaluate([evil, "b"] * 4, predicted=["b", "b"] * 2 + [evil, "b"] * 2, name=evil)
    inert(html(labels.to_dict(drawing=True)), evil)


def inert(page: str, evil: str) -> None:
    reader = read(page)
    assert reader.wrong == [] and reader.open == [] and set(reader.tags) <= HARMLESS
    assert reader.tags["script"] == 2 and reader.tags["a"] <= 1
    assert not [name for _, name, _ in reader.attributes if name.startswith("on")]
    for _, name, value in reader.attributes:
        if name in ("id", "class", "for", "href", "viewBox", "d"):
            assert evil not in str(value) or evil in "b|c"
    assert escape(shortened(evil)) in reader.shown
    for letter in "\u202e\u200b\x1b\x07":
        assert letter not in page
    for part in outer_pictures(page):
        ElementTree.fromstring(part.replace(" data-tint", ""))
    held = next(script for script in reader.scripts if script.startswith("{"))
    assert not re.search(r"[<>&\u2028\u2029]", held)
    if len(evil) > 1000:  # a label of a megabyte is whole in the data and nowhere else
        assert evil in json.dumps(json.loads(held)) and evil not in page.replace(held, "")
        assert len(page.replace(held, "")) < 500_000


def test_names_are_only_data_to_templates() -> None:
    template = RULES["model_at"].template
    evil = placeholders.filled(template, {"model": "{threshold}", "threshold": "0.5"})
    assert placeholders.plain(evil) == "Recommended: {threshold} at threshold 0.5."
    assert placeholders.filled("Use {it}.", {"it": "**x**"}) == ["Use ", "**x**", "."]
    with pytest.raises(KeyError):
        placeholders.fill("no such template")


def test_text_has_one_way_in() -> None:
    assert tag("p", "<b>", title='"&') == '<p title="&quot;&amp;">&lt;b&gt;</p>'
    assert text("\u2028\x00") == "\\u2028\\x00"
    held = data({"x": "</script>\u2028<!--"})
    assert "<" not in held and "\u2028" not in held and json.loads(held) == {"x": "</script>\u2028<!--"}


# ---- the same bytes ----

TWICE = """
import sys
import rocscope as rs
from rocscope.cli.demo import answer
from rocscope.cli.shared.demo_loans import loans
from rocscope.report.html import page as html
import hashlib
print(hashlib.sha256(html(answer(loans(), drawing=True)).encode()).hexdigest())
"""


def test_the_same_input_gives_the_same_bytes() -> None:
    found = set()
    for seed in ("1", "2"):
        environment = os.environ | {"PYTHONHASHSEED": seed, "PYTHONPATH": str(ROOT / "src")}
        done = subprocess.run(
            [sys.executable, "-c", TWICE], capture_output=True, text=True, check=True, env=environment
        )
        found.add(done.stdout)
    assert len(found) == 1


def test_the_documents_of_the_page_tests_are_up_to_date() -> None:
    sys.path.insert(0, str(ROOT / "tools"))
    try:
        import page_documents
    finally:
        sys.path.pop(0)
    for name in ("two_points", "labels", "one_class"):
        stored = json.loads((page_documents.TARGET / f"{name}.json").read_text())
        made = json.loads(page_documents.text(page_documents._MAKERS[name]()))
        assert _up_to_rounding(stored, made), f"{name}: run: python tools/page_documents.py"


def _up_to_rounding(a: Any, b: Any) -> bool:
    """Equal but for the last digits of numbers: OpenBLAS adds in another order on another kind of processor."""
    if isinstance(a, float) and isinstance(b, float):
        return math.isclose(a, b, rel_tol=1e-11, abs_tol=1e-14)
    if isinstance(a, dict) and isinstance(b, dict):
        return list(a) == list(b) and all(_up_to_rounding(a[key], b[key]) for key in a)
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(map(_up_to_rounding, a, b))
    return type(a) is type(b) and a == b


def test_a_change_beyond_rounding_is_seen() -> None:
    document = {"value": [0.5, "text", None, 3]}
    assert _up_to_rounding(document, {"value": [0.5 + 1e-15, "text", None, 3]})
    for other in ([0.5 + 1e-9, "text", None, 3], [0.5, "text", None, 4], [0.5, "text", None], [0.5, "texts", None, 3]):
        assert not _up_to_rounding(document, {"value": other})


@pytest.mark.parametrize("name", ["roc", "strip", "pr", "calibration", "decision", "measures"])
def test_golden_pictures(name: str) -> None:
    page = html(loan_comparison().to_dict(drawing=True))
    section = re.search(rf'<section class="view" id="{name}".*?</section>', page, re.S)
    assert section is not None
    seen = section[0].replace("><", ">\n<") + "\n"
    stored = GOLDEN / f"{name}.svg.txt"
    if os.environ.get("GOLDEN"):
        stored.write_text(seen, encoding="utf-8")
    assert seen == stored.read_text("utf-8"), "look at it, then run with GOLDEN=1"


def test_golden_text() -> None:
    seen = report.text(loan_comparison().to_dict(), full=True) + "\n"
    stored = GOLDEN / "demo.txt"
    if os.environ.get("GOLDEN"):
        stored.write_text(seen, encoding="utf-8")
    assert seen == stored.read_text("utf-8"), "look at it, then run with GOLDEN=1"


# ---- the drawing ----


@given(
    st.lists(st.tuples(st.booleans(), st.integers(-30, 30)), min_size=2, max_size=60),
    st.booleans(),
)
@settings(max_examples=60, deadline=None)
def test_kept_thresholds_have_their_exact_counts(cases: list[tuple[bool, int]], higher: bool) -> None:
    y, score = [int(one) for one, _ in cases], [value / 7 for _, value in cases]
    table = ScoreTable.from_scores(y, score, positive=1, higher_is_positive=higher)
    exact_counts(table, page_model.rows_of(table))


@pytest.mark.parametrize("higher", [True, False])
@pytest.mark.parametrize("shares", [True, False])
def test_a_thinned_table_keeps_exact_counts_and_every_corner(higher: bool, shares: bool) -> None:
    rng = np.random.default_rng(4)
    y = (rng.random(20_000) < 0.1).astype(int)
    score = rng.normal(size=20_000) + 1.5 * y
    score = 1 / (1 + np.exp(-score)) if shares else score
    table = ScoreTable.from_scores(y, score if higher else -score, higher_is_positive=higher)
    rows = page_model.rows_of(table)
    assert len(rows) < 1200
    exact_counts(table, rows)
    along = table.along()
    for slope in np.geomspace(0.01, 100, 41):  # what is cheapest among all is cheapest among those kept
        cost = slope * along.fp / table.negatives - along.tp / table.positives
        assert cost[rows].min() == cost.min()


def exact_counts(table: ScoreTable, rows: Any) -> None:
    found = page_model.drawn_rows(table, rows)
    assert found["thresholds"][0] is None and found["tp"][0] == 0 and found["fp"][0] == 0
    assert found["tp"][-1] == table.positives and found["fp"][-1] == table.negatives
    for threshold, tp, fp in list(zip(found["thresholds"], found["tp"], found["fp"], strict=True))[1:]:
        counts = table.at(threshold)
        assert (counts.tp, counts.fp) == (tp, fp)


def test_histogram_and_bins_hold_every_case() -> None:
    document = loan_comparison().to_dict(drawing=True)
    for model in document["drawing"]["models"]:
        assert sum(model["histogram"]["pos"]) == 80 and sum(model["histogram"]["neg"]) == 920
        bins = model["calibration"]["bins"]
        assert sum(one["count"] for one in bins) == 1000
        assert all(one["low95"] <= one["observed"] <= one["high95"] for one in bins if one["count"])


def test_the_drawing_speaks_of_the_point_of_the_document() -> None:
    document = loan_comparison().to_dict(drawing=True)
    for model in document["drawing"]["models"]:
        counts = document["evaluations"][model["name"]]["point"]["counts"]
        assert (model["tp"][model["point"]], model["fp"][model["point"]]) == (counts["tp"], counts["fp"])
    state = document["drawing"]["state"]
    assert (state["rule"], state["fp"], state["fn"], state["prevalence"], state["priced"]) == ("cost", 1, 5, 0.08, True)


def test_weights_carry_their_squares() -> None:
    rng = np.random.default_rng(2)
    y, score, weights = rng.integers(0, 2, 40), rng.random(40), rng.random(40) + 0.1
    model = rs.evaluate(y, score, weights=weights).to_dict(drawing=True)["drawing"]["models"][0]
    assert model["tp_squares"][-1] == pytest.approx((weights[y == 1] ** 2).sum(), rel=1e-5)
    assert model["tp"][-1] == pytest.approx(weights[y == 1].sum())


def test_only_measures_of_counts_are_in_the_catalogue() -> None:
    rows = {row["name"]: row for row in catalog()}
    assert rows["precision"]["formula"] == "tp / (tp + fp)" and (rows["mcc"]["low"], rows["mcc"]["high"]) == (-1, 1)
    assert rows["lr_plus"]["high"] is None and "auc" not in rows


def test_one_threshold_is_written_in_one_way_everywhere() -> None:
    """Between 0.38 and 0.62 there is no score: the headline, the strip and the page's rules all write 0.6."""
    made = rs.evaluate([0, 0, 0, 1, 1, 1], [0.1, 0.2, 0.38, 0.62, 0.8, 0.9]).to_dict(drawing=True)
    assert made["drawing"]["state"]["threshold"] == 0.5  # the slider stands where the results are shown for
    corners = {one["threshold"] for one in made["drawing"]["hull"]["points"]}
    assert 0.5 not in corners and 0.62 not in corners and 0.6 in corners
    costed = rs.evaluate([0, 0, 0, 1, 1, 1], [0.1, 0.2, 0.38, 0.62, 0.8, 0.9], costs=rs.Costs(fp=1, fn=2))
    shown = html(costed.to_dict(drawing=True))
    assert "Recommended: threshold 0.6." in shown and "The cheapest threshold is 0.6 at" in shown
    strip = shown[shown.index('id="strip"') : shown.index('id="thresholds"')]
    assert ">0.6<" in strip and "0.62" not in strip


def test_classes_taken_for_each_other_stand_together() -> None:
    cells = np.zeros((5, 5))
    np.fill_diagonal(cells, 50)
    cells[0, 3] = cells[3, 0] = 20
    cells[3, 1] = 9
    order = cluster_order(cells.tolist())
    assert (
        sorted(order) == list(range(5))
        and abs(order.index(0) - order.index(3)) == 1
        and abs(order.index(3) - order.index(1)) == 1
    )


def test_large_reports_stay_small() -> None:
    rng = np.random.default_rng(0)
    y = (rng.random(60_000) < 0.08).astype(int)
    models = {f"model {i}": 1 / (1 + np.exp(3 - rng.normal(size=60_000) - y * (2 - i / 2))) for i in range(3)}
    page = html(rs.compare(y, models, costs=rs.Costs(fp=1, fn=5)).to_dict(drawing=True))
    without = len(page) - len(built("page.js")) - len(built("page.css"))
    assert without < 225_000


def test_reports_keep_their_weight() -> None:
    """Script and style of any report under 200 KB; three models under 320 KB and 14 under 500 KB."""
    scripts = {"page.js": [], "page_lesson.js": ["lesson.css"], "classes.js": ["classes.css"]}
    for script, styles in scripts.items():
        assert sum(len(built(name)) for name in (script, "page.css", *styles)) < 200_000
    rng = np.random.default_rng(0)
    labels = (rng.random(2000) < 0.2).astype(int)
    scores = {f"model {k}": np.round(1 / (1 + np.exp(1.5 - rng.normal(size=2000) - labels * (3 - k / 5))), 4)
              for k in range(14)}  # fmt: skip
    for models, most in ((3, 320_000), (14, 500_000)):
        some = {name: scores[name] for name in list(scores)[:models]}
        made = rs.compare(labels, some, costs=rs.Costs(fp=1, fn=5), unit="loan")
        assert len(html(made.to_dict(drawing=True)).encode()) < most
    labels = (rng.random(200_000) < 0.08).astype(int)  # every score differs: thresholds with many digits, long counts
    many = {name: 1 / (1 + np.exp(2.5 - rng.normal(size=len(labels)) - labels * shift))
            for name, shift in (("boosting", 2.0), ("logistic", 1.7), ("forest", 1.2))}  # fmt: skip
    made = rs.compare(labels, many, costs=rs.Costs(fp=1, fn=5))
    assert len(html(made.to_dict(drawing=True)).encode()) < 320_000


def test_the_command_is_quoted_for_the_shell() -> None:
    import shlex
    from dataclasses import replace
    from types import MappingProxyType

    y, scores = loan_scores()
    source = {"file": "a b; rm -rf $HOME.csv", "label": "`x`", "scores": ("p'q",), "positive": POSITIVE}
    made = rs.evaluate(y, scores["boosting"], positive=POSITIVE, costs=rs.Costs(fp=1, fn=5))
    command = replace(made, source=MappingProxyType(source)).to_dict(drawing=True)["drawing"]["provenance"]["command"]
    wanted = ["rocscope", "evaluate", source["file"], "--label", "`x`", "--positive", POSITIVE, "--score", "p'q"]
    assert shlex.split(command) == [*wanted, "--cost-fp", "1", "--cost-fn", "5"]


# ---- what the settings change ----


def test_another_share_of_positives_is_told_per_thousand() -> None:
    y, scores = loan_scores()
    costs = rs.Costs(fp=1, fn=5, prevalence=0.02)
    made = rs.evaluate(y, scores["boosting"], positive=POSITIVE, costs=costs)
    shown = read(html(made.to_dict(drawing=True))).shown
    assert "different from the data" in shown and "depends on the prevalence is shown at 2" in shown
    assert made.point is not None
    recall, fpr = made.point.counts.recall, made.point.counts.fpr
    precision = 0.02 * recall / (0.02 * recall + 0.98 * fpr)
    assert percentage(float(precision)) in shown


def test_slices_are_shown_and_named_in_the_answer() -> None:
    rng = np.random.default_rng(1)
    y = (rng.random(4000) < 0.2).astype(int)
    region = np.where(rng.random(4000) < 0.3, "south", "north")
    score = rng.normal(size=4000) + np.where(region == "south", 0.2, 2.5) * y
    made = rs.evaluate(y, score, by={"region": region}, costs=rs.Costs(fp=1, fn=2), name="model")
    document = made.to_dict(drawing=True)
    shown = read(html(document)).shown
    assert "Slices: model by region" in shown and "Where region is south, recall is" in shown
    assert document["drawing"]["slices"][0]["value"] == "south"


def test_a_certified_table_prints_its_bound() -> None:
    rng = np.random.default_rng(1)
    y, score = rng.integers(0, 2, 500), rng.random(500)
    table = ScoreTable.from_scores(y, score).coarse(6)
    shown = read(html(rs.evaluate(table).to_dict(drawing=True))).shown
    assert table.bound > 0 and f"areas certified to {table.bound:.2g}" in shown and f"±{table.bound:.1g}" in shown


# ---- shares along the ratio ----


def test_shares_along_the_ratio_agree_with_those_at_one() -> None:
    y, scores = loan_scores()
    mask = [int(one == POSITIVE) for one in y]
    ratios = [1.0, 5.0, 20.0]
    along = significance.cheapest_along(mask, scores, ratios, n=2000, seed=3)
    for place, ratio in enumerate(ratios):
        single = significance.best_probability(mask, scores, rs.Costs(fp=1, fn=ratio), n=2000, seed=4)
        assert sum(row[place] for row in along.values()) == pytest.approx(1)
        for name, row in along.items():
            assert row[place] == pytest.approx(single.shares[name], abs=0.05)
    assert along == significance.cheapest_along(mask, scores, ratios, n=2000, seed=3)
    assert along != significance.cheapest_along(mask, scores, ratios, n=2000, seed=5)


def test_shares_by_drawing_rows_one_by_one() -> None:
    """The definition itself: draw cases with replacement within each class, count, compare costs."""
    rng = np.random.default_rng(8)
    y = np.array([1] * 30 + [0] * 50)
    scores = {"a": np.round(y + rng.normal(0, 0.9, 80), 1), "b": np.round(y + rng.normal(0, 1.1, 80), 1)}
    along = significance.cheapest_along(y, scores, [2.0], n=4000, seed=1)
    flags = {}
    for name, score in scores.items():
        best = rs.decisions.best(ScoreTable.from_scores(y, score), "cost", costs=rs.Costs(fp=1, fn=2))[0]
        flags[name] = score >= best.threshold
    won, positives, negatives = Counter[str](), np.flatnonzero(y == 1), np.flatnonzero(y == 0)
    for _ in range(4000):
        rows = np.concatenate((rng.choice(positives, 30), rng.choice(negatives, 50)))
        cost = {
            name: float((2 * (~flag[rows] & (y[rows] == 1)) + (flag[rows] & (y[rows] == 0))).sum())
            for name, flag in flags.items()
        }
        least = [name for name, value in cost.items() if value == min(cost.values())]
        for name in least:
            won[name] += 1 / len(least)  # type: ignore[assignment]
    assert along["a"][0] == pytest.approx(won["a"] / 4000, abs=0.04)


def test_one_class_has_no_cheapest_model() -> None:
    with pytest.raises(rs.RocscopeError, match="positives and negatives"):
        significance.cheapest_along([1, 1], {"a": [1, 2], "b": [2, 1]}, [1.0])


# ---- saved, shown, asked for ----


def test_saving_writes_the_page(tmp_path: Path) -> None:
    y, scores = loan_scores()
    made = rs.evaluate(y, scores["boosting"], positive=POSITIVE)
    made.save(str(tmp_path / "one.html"))
    assert (tmp_path / "one.html").read_text("utf-8") == html(made.to_dict(drawing=True))
    with pytest.raises(rs.RocscopeError, match="already exists"):
        made.save(str(tmp_path / "one.html"))
    loan_comparison().save(str(tmp_path / "one.html"), force=True)
    assert "3 models compared" in (tmp_path / "one.html").read_text("utf-8")
    rs.evaluate(["a", "b"], predicted=["a", "a"]).save(str(tmp_path / "classes.HTML"))
    assert sorted(one.name for one in tmp_path.iterdir()) == ["classes.HTML", "one.html"]


def test_a_notebook_shows_the_first_screen_in_a_frame_of_its_own() -> None:
    frame = loan_comparison()._repr_html_()
    whole, _, still = frame.partition("</iframe></div>")
    assert still.startswith("<details>") and read(still).wrong == []  # the same without frame and script
    reader = read(whole + "</iframe></div>")
    assert reader.tags == Counter({"div": 1, "iframe": 1})
    attributes = {name: value for _, name, value in reader.attributes}
    assert "allow-same-origin" not in str(attributes["sandbox"])
    inner = read(str(attributes["srcdoc"]))
    assert "Recommended: boosting" in inner.shown and "Decision curve" not in inner.shown and inner.wrong == []
    assert str(attributes["srcdoc"]).replace("&", "&amp;").replace("'", "&#x27;") in frame


def cli(*arguments: str) -> int:
    return main(list(arguments))


@pytest.fixture
def loans_file(tmp_path: Path) -> Path:
    y, scores = loan_scores()
    lines = ["id,outcome," + ",".join(scores)]
    lines += [f"L{i},{y[i]}," + ",".join(str(column[i]) for column in scores.values()) for i in range(len(y))]
    path = tmp_path / "loans.csv"
    path.write_text("\n".join(lines) + "\n")
    return path


def held_in(path: Path) -> dict[str, Any]:
    scripts = read(path.read_text("utf-8")).scripts
    found: dict[str, Any] = unpacked(json.loads(next(one for one in scripts if one.startswith("{"))))
    return found


def test_the_words_of_the_command_line_write_it(
    tmp_path: Path, loans_file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out.html"
    columns = ["--label", "outcome", "--positive", "default", "--unit", "loan"]
    assert cli("evaluate", str(loans_file), *columns, "--score", "boosting", "--html", str(out)) == 0
    said = capsys.readouterr()
    assert "written" in said.err and "No threshold was given" in said.out
    assert held_in(out)["drawing"]["cases"] is None
    assert held_in(out)["drawing"]["provenance"]["command"].startswith("rocscope evaluate")
    assert (
        cli("compare", str(loans_file), *columns, "--score", "boosting", "--score", "logistic", "--html", str(out)) == 2
    )
    assert "already exists" in capsys.readouterr().err
    both = ["--score", "boosting", "--score", "logistic", "--html", str(out), "--force", "--format", "json"]
    assert cli("compare", str(loans_file), *columns, *both) == 0
    answer = json.loads(capsys.readouterr().out)
    assert "drawing" not in answer and held_in(out)["kind"] == "comparison"
    assert cli("demo", "--html", str(out), "--force") == 0
    assert "3 models compared" in out.read_text("utf-8")
    assert cli("demo", "--html", str(out)) == 2


def test_cases_are_embedded_when_asked_for(
    tmp_path: Path, loans_file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out.html"
    asked = [
        "evaluate",
        str(loans_file),
        "--label",
        "outcome",
        "--positive",
        "default",
        "--score",
        "boosting",
        "--cost-fn",
        "5",
    ]
    assert cli(*asked, "--html", str(out), "--embed-cases", "20", "--id", "id") == 0
    cases = held_in(out)["drawing"]["cases"]
    assert len(cases["ids"]) == 20 and cases["more"] == 980 and all(one.startswith("L") for one in cases["ids"])
    assert set(cases["label"]) <= {0, 1} and sum(cases["label"]) > 0
    threshold = held_in(out)["point"]["threshold"]
    far = max(abs(one - threshold) for one in cases["scores"]["boosting"])
    _, scores = loan_scores()
    assert sum(abs(one - threshold) < far for one in scores["boosting"]) <= 20
    assert cli(*asked, "--html", str(out), "--force", "--embed-cases", "3") == 0
    assert held_in(out)["drawing"]["cases"]["ids"][0].startswith("line ")
    capsys.readouterr()
    assert cli(*asked, "--embed-cases", "3") == 2
    assert "--html" in capsys.readouterr().err


def test_a_page_of_cells_whose_losses_are_not_known(tmp_path: Path) -> None:
    """Cells without the sums of their losses have no calibration; the page is drawn without it."""
    rng = np.random.default_rng(5)
    y = rng.integers(0, 2, 500)
    table = rs.ScoreTable.from_scores(y, np.clip(rng.normal(0.4 + 0.2 * y, 0.2), 0, 1)).coarse(6)
    out = tmp_path / "cells.html"
    rs.evaluate(replace(table, known=None)).save(str(out))
    assert held_in(out)["drawing"]["models"][0]["calibration"] is None


def test_a_report_that_cannot_be_written_is_refused_first(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    missing = tmp_path / "nowhere" / "out.html"
    assert cli("evaluate", str(tmp_path / "no.csv"), "--label", "y", "--score", "p", "--html", str(missing)) == 2
    assert "no folder" in capsys.readouterr().err


# ---- validations ----


@pytest.fixture(scope="module")
def validation() -> Any:
    pytest.importorskip("sklearn")
    from sklearn.datasets import load_breast_cancer
    from sklearn.naive_bayes import GaussianNB
    from sklearn.tree import DecisionTreeClassifier

    X, y = load_breast_cancer(return_X_y=True)
    models = {
        "bayes": GaussianNB(),
        "tree": DecisionTreeClassifier(max_depth=2, random_state=0),
        EVIL[0]: DecisionTreeClassifier(max_depth=1),
    }
    return rs.validate(models, X, y, plan="5x2", seed=0)


def test_a_validation_has_a_page(validation: Any, validator: Any, tmp_path: Path) -> None:
    document = validation.to_dict(drawing=True)
    assert not list(validator.iter_errors(json.loads(json.dumps(document))))
    reader = read(html(document))
    assert reader.wrong == [] and set(reader.tags) <= HARMLESS and reader.tags["script"] == 2
    for title in (
        "Errors over the folds",
        "ROC over the folds",
        "Ranks over the folds",
        "Fitting time and quality",
        "Do the models differ?",
        "30 folds",
    ):
        assert title in reader.shown
    validation.save(str(tmp_path / "v.html"))
    for ending in ("md", "csv", "txt", "json"):
        validation.save(str(tmp_path / f"v.{ending}"))
    assert (tmp_path / "v.csv").read_text().count("\n") == 31
    assert "errors over folds" in (tmp_path / "v.txt").read_text()


def test_text_and_markdown_of_a_validation(validation: Any) -> None:
    document = validation.to_dict()
    assert report.text(document).startswith("Recommended: bayes")
    assert "| model" in report.markdown(document)


def test_validations_of_classes_have_a_page() -> None:
    pytest.importorskip("sklearn")
    from sklearn.datasets import load_iris
    from sklearn.naive_bayes import GaussianNB

    X, y = load_iris(return_X_y=True)
    document = rs.validate({"bayes": GaussianNB()}, X, y, plan="5-fold", seed=0).to_dict(drawing=True)
    reader = read(html(document))
    assert reader.wrong == [] and "Errors over the folds" in reader.shown


# ---- hard labels of two classes ----


@pytest.mark.parametrize("positive", ["bad", "good"])
def test_a_page_of_hard_labels_speaks_of_the_positive_class(
    positive: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    actual = ["bad"] * 40 + ["good"] * 60
    guessed = ["bad"] * 31 + ["good"] * 9 + ["bad"] * 12 + ["good"] * 48
    path, page = tmp_path / "hard.csv", tmp_path / "r.html"
    path.write_text("l,h\n" + "".join(f"{a},{b}\n" for a, b in zip(actual, guessed, strict=True)))
    asked = ["evaluate", str(path), "--label", "l", "--predicted", "h", "--positive", positive]
    assert main([*asked, "--html", str(page)]) == 0
    assert f"2 classes, positive: {positive}" in capsys.readouterr().out
    counts = rs.Confusion.from_labels(actual, guessed).of(positive)
    shown, read = page.read_text(), hard_label_numbers(page.read_text())
    assert f"positive: <bdi>{positive}</bdi>" in shown
    for name in ("recall", "precision", "specificity"):
        assert read[name] == str(counts.estimate(name))
    assert main([*asked, "--format", "json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["data"]["positive"] == positive
    assert document["classes"][positive]["recall"]["value"] == counts.recall


def hard_label_numbers(page: str) -> dict[str, str]:
    """Each measure in the table of measures, value and limits."""
    view = re.search(r'<section class="view" id="measures".*?</section>', page, re.S)
    assert view is not None
    rows = [re.sub(r"<[^>]+>", " ", row).split() for row in re.findall(r"<tr.*?</tr>", view[0], re.S)]
    return {row[0]: f"{row[1]} {row[2]} {row[3]}" for row in rows if len(row) > 3}


def test_without_a_positive_class_both_are_shown_alike() -> None:
    shown = html(rs.evaluate(["bad", "good"] * 9, predicted=["bad", "bad", "good"] * 6).to_dict(drawing=True))
    assert "positive class: not specified" in shown and 'id="each"' in shown and "<bdi>bad</bdi>" in shown
    assert "specificity" not in re.sub(r"<script.*?</script>", "", shown, flags=re.S)


def test_four_pasted_counts_are_those_of_rocscope_matrix(capsys: pytest.CaptureFixture[str]) -> None:
    pasting = pytest.importorskip("rocscope.serve.pasted")
    read = hard_label_numbers(pasting.show("7 7 3 13", "counts")[1])
    assert main(["matrix", "7", "7", "3", "13", "--format", "json"]) == 0
    known = json.loads(capsys.readouterr().out)["measures"]
    for name in ("recall", "precision", "specificity", "accuracy"):
        assert float(read[name].split()[0]) == pytest.approx(known[name]["value"], abs=0.006)
    assert read["recall"] == str(rs.Counts(7, 7, 3, 13).estimate("recall"))


# ---- a comparison without costs ----


def test_a_comparison_without_costs_says_that_no_threshold_was_given() -> None:
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 400)
    good, poor = (1 / (1 + np.exp(-(rng.normal(size=400) + k * (y - 0.5)))) for k in (2.2, 1.0))
    document = rs.compare(y, {"a": good, "b": poor}).to_dict(drawing=True)
    found = significance.delong(y, good, poor)
    gap = f"{found.value:.3f} (95 % CI {found.low:.3f}–{found.high:.3f})"
    begins = "No threshold was given; results are shown for the default threshold 0.5. Per 1,000 cases:"
    assert document["verdict"]["lead"].startswith(begins) and begins in read(html(document)).shown
    settled = f"Settled: its advantage over b, the closest model, in AUC is {gap}."
    assert document["verdict"]["sure"].startswith(settled)
    assert settled in read(html(document)).shown.replace("\xa0", " ")
    whole = rs.compare(y, {"a": 7 * good - 3, "b": 7 * poor - 3}).to_dict()["verdict"]["lead"]
    assert "the maximum of Youden's J on these cases." in whole
    for asked in ({"threshold": 0.5}, {"choose": "f1"}, {"costs": rs.Costs(fp=1, fn=2)}):
        assert "No threshold" not in rs.compare(y, {"a": good, "b": poor}, **asked).to_dict()["verdict"]["lead"]


def test_long_names_that_differ_in_the_middle_are_told_apart() -> None:
    names = [f"gradient boosting with monotone constraints, depth {depth}, v2.31-final" for depth in (6, 8)]
    labels, scores = [1, 0, 1, 0, 1, 0] * 5, [0.9, 0.2, 0.7, 0.4, 0.6, 0.5] * 5
    cmp = rs.compare(labels, {names[0]: scores, names[1]: [score / 2 for score in scores]})
    made = html(cmp.to_dict(drawing=True))
    assert "gradient… depth 6<" in made and "gradient… depth 8<" in made
    assert ">gradient boo…v2.31-final<" not in made
