"""Figures: the lines are the curves, names are inert, the user's Axes and settings are respected, files are stable."""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rocscope as rs
from rocscope import curves, intervals, measures, plots
from rocscope.plots import theme
from rocscope.plots.hulls import pieces
from rocscope.plots.spaces import SPACES

matplotlib = pytest.importorskip("matplotlib")

NASTY = [
    "$\\frac{a}{b}$", "<script>alert(1)</script>", "_hidden", "a\u202eb\x1b[31m", "100 % & $x", "\\input{/x}", "{x}",
]  # fmt: skip


def sample(seed: int = 0, n: int = 300, share: float = 0.3) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < share).astype(int)
    return y, 1 / (1 + np.exp(-(1.7 * y + rng.normal(size=n) - 1)))


def compared(**settings: Any) -> rs.Comparison:
    y, strong = sample()
    rng = np.random.default_rng(1)
    weak = np.clip(strong * 0.2 + 0.8 * rng.random(len(y)), 0, 1)
    middle = np.clip(strong * 0.6 + 0.4 * rng.random(len(y)), 0, 1)
    return rs.compare(y, {"strong": strong, "middle": middle, "weak": weak}, **settings)


@pytest.fixture(scope="module")
def table() -> rs.ScoreTable:
    return rs.ScoreTable.from_scores(*sample())


def models_of(ax: Any) -> list[Any]:
    return [line for line in ax.get_lines() if line.get_gid() == "rocscope-model"]


def drawn(ax: Any) -> bytes:
    """Every artist is really rendered: warnings are errors here."""
    return plots.picture(ax, "png", dpi=40)


# ---- the line is the curve ----

PLAIN = ("roc", "gain", "lift", "pr_gain", "cost", "brier_curve", "risk_coverage", "pr_points")


@pytest.mark.parametrize("kind", PLAIN)
def test_a_line_has_the_points_of_its_curve(table: rs.ScoreTable, kind: str) -> None:
    one = curves.get(kind)(table)
    x, y = one.xy
    known = np.isfinite(x) & np.isfinite(y)
    line = models_of(one.plot())[-1]
    assert np.array_equal(line.get_xdata(), x[known])
    assert np.array_equal(line.get_ydata(), y[known])


def test_precision_and_recall_are_drawn_with_exact_points_between(table: rs.ScoreTable) -> None:
    line = models_of(curves.pr(table).plot())[0]
    exact = curves.pr_points(table)
    assert np.array_equal(line.get_xdata(), exact.recall[1:])
    assert np.array_equal(line.get_ydata(), exact.precision[1:])


@pytest.mark.parametrize("higher", [True, False])
@pytest.mark.parametrize("name", ["f1", "recall", "mcc"])
def test_a_measure_along_thresholds_reads_off_the_step_that_holds(name: str, higher: bool) -> None:
    y, score = sample(n=40)
    table = rs.ScoreTable.from_scores(y, score if higher else -score, higher_is_positive=higher)
    line = models_of(curves.sweep(table, name).plot(band=False))[0]
    x, drawn_y = line.get_xdata(), line.get_ydata()
    assert (np.diff(x) > 0).all()
    for left, right in pairwise(x):
        middle = (left + right) / 2
        at = int(np.searchsorted(x, middle, side="left" if higher else "right")) - (0 if higher else 1)
        expected = table.at(middle).value(name)
        assert drawn_y[at] == pytest.approx(expected)
    assert line.get_drawstyle() == ("steps-pre" if higher else "steps-post")


def test_the_decision_curve_is_per_thousand_and_exact_between_scores(table: rs.ScoreTable) -> None:
    line = models_of(curves.net_benefit(table).plot())[0]
    for pt, height in list(zip(*line.get_data(), strict=True))[::37]:
        assert height == pytest.approx(1000 * curves.net_benefit_at(table, pt=pt))
    asked = models_of(curves.net_benefit(table, pt=[0.1, 0.3]).plot())[0]
    assert asked.get_xdata().tolist() == [0.1, 0.3]


def test_the_det_curve_is_drawn_in_normal_deviates_and_ticked_in_rates(table: rs.ScoreTable) -> None:
    one = curves.det(table)
    ax = one.plot()
    known = np.isfinite(one.probit_fpr) & np.isfinite(one.probit_fnr)
    assert np.array_equal(models_of(ax)[0].get_xdata(), one.probit_fpr[known])
    assert "5 %" in [label.get_text() for label in ax.get_xticklabels()]


def test_a_reliability_diagram_is_flat_over_each_block(table: rs.ScoreTable) -> None:
    one = curves.calibration(table)
    line = models_of(one.plot())[0]
    assert np.array_equal(line.get_xdata()[::2], one.low) and np.array_equal(line.get_xdata()[1::2], one.high)
    assert np.array_equal(line.get_ydata()[::2], one.observed)
    binned = curves.calibration(table, bins=10)
    full = binned.column("count") > 0
    assert np.array_equal(models_of(binned.plot())[0].get_xdata(), binned.score[full])


@pytest.mark.parametrize("kind", [one.name for one in curves.catalog() if one.kind == "curve"])
def test_every_curve_of_the_catalogue_can_be_drawn(table: rs.ScoreTable, kind: str) -> None:
    ax = curves.get(kind)(table).plot()
    assert ax.get_xlabel() and ax.get_ylabel()
    assert drawn(ax).startswith(b"\x89PNG")
    assert kind in SPACES


def test_every_measure_of_counts_can_be_swept_and_drawn() -> None:
    small = rs.ScoreTable.from_scores(*sample(n=30))
    for one in measures.catalog():
        try:
            curve = curves.sweep(small, one.name)
        except (rs.RocscopeError, TypeError, KeyError):  # measures of a whole matrix
            continue
        assert curve.plot(band=False).get_ylabel() == f"{one.title} →"


def test_many_points_are_thinned_and_the_rest_stay_on_the_curve() -> None:
    table = rs.ScoreTable.from_scores(*sample(n=20_000))
    one = curves.roc(table)
    line = models_of(one.plot(band=False))[0]
    assert len(line.get_xdata()) <= 4000 < len(one)
    held = set(zip(one.fpr.tolist(), one.tpr.tolist(), strict=True))
    assert set(map(tuple, line.get_xydata().tolist())) <= held


# ---- bands, chance, thresholds ----


def band_of(ax: Any) -> Any:
    return next(patch for patch in ax.patches if patch.get_gid() == "rocscope-band").get_xy()


def test_the_roc_band_goes_around_every_rectangle(table: rs.ScoreTable) -> None:
    from matplotlib.path import Path as Outline

    found = intervals.roc_points(table)
    outline = Outline(band_of(curves.roc(table).plot()))
    inside = outline.contains_points(np.column_stack((found.x, found.y)), radius=-1e-6)
    assert inside[1:-1].all()
    corners = np.column_stack((found.left, found.high))
    assert outline.contains_points(corners, radius=-1e-6).all()


def test_the_band_says_what_it_is_and_can_be_left_out(table: rs.ScoreTable) -> None:
    one = curves.roc(table)
    assert any("pointwise, 95 %" in text.get_text() for text in one.plot().texts)
    assert any("pointwise, 90 %" in text.get_text() for text in one.plot(level=0.9).texts)
    assert not one.plot(band=False).patches


def test_a_band_that_cannot_be_drawn_says_why() -> None:
    y, score = sample(n=50)
    weighted = rs.ScoreTable.from_scores(y, score, weights=np.linspace(0.5, 2, 50))
    ax = curves.calibration(weighted).plot()
    assert any(text.get_text().startswith("no band: ") for text in ax.texts)


def test_thresholds_are_written_where_they_hold(table: rs.ScoreTable) -> None:
    one = curves.roc(table)
    ax = one.plot(thresholds=[0.5, 0.25])
    marks = [line.get_xydata()[0].tolist() for line in ax.get_lines() if line.get_gid() == "rocscope-threshold"]
    assert marks == [[one.at(t)["fpr"], one.at(t)["tpr"]] for t in (0.5, 0.25)]
    assert not [line for line in one.plot(thresholds=()).get_lines() if line.get_gid() == "rocscope-threshold"]


def test_the_line_of_chance_lies_at_the_prevalence(table: rs.ScoreTable) -> None:
    ax = curves.pr(table).plot()
    line = next(one for one in ax.get_lines() if one.get_gid() == "rocscope-chance")
    assert set(line.get_ydata()) == {table.positives / (table.positives + table.negatives)}


@pytest.mark.parametrize("kind", ["roc", "pr", "gain", "lift", "pr_gain", "det"])
def test_one_class_alone_leaves_the_axes_and_says_the_reason(kind: str) -> None:
    one = curves.get(kind)(rs.ScoreTable.from_scores([1, 1, 1], [0.2, 0.5, 0.9], positive=1))
    ax = one.plot()
    drawn(ax)
    if not np.isfinite(one.xy[0]).any() or not np.isfinite(one.xy[1]).any():
        assert any("no negatives" in text.get_text() for text in ax.texts)


# ---- the user's Axes and settings ----


def own_axes() -> Any:
    from matplotlib.figure import Figure

    return Figure().add_subplot()


def test_the_axes_given_is_used_and_returned(table: rs.ScoreTable) -> None:
    ax = own_axes()
    ax.set_title("mine")
    assert curves.roc(table).plot(ax) is ax
    assert ax.get_title() == "mine" and ax.get_title(loc="left") == ""
    assert ax.yaxis.label.get_visible()


def test_two_curves_in_one_axes_share_chance_and_key(table: rs.ScoreTable) -> None:
    ax = curves.roc(table).plot(label="a")
    curves.roc(table).plot(ax, label="b", model=2, chosen=False)
    assert sum(one.get_gid() == "rocscope-chance" for one in ax.get_lines()) == 1
    texts = [text.get_text() for text in ax.get_legend().get_texts()]
    assert [text.split()[0] for text in texts] == ["a", "b"]
    assert texts[0].endswith("]")


def test_neither_settings_nor_pyplot_are_touched() -> None:
    code = """
import matplotlib, sys
before = list(dict.items(matplotlib.rcParams))
import numpy as np, rocscope as rs
rng = np.random.default_rng(0); y = rng.integers(0, 2, 60); s = np.clip(0.3 * y + rng.random(60) * 0.6, 0, 1)
ev = rs.evaluate(y, s)
for kind in ("roc", "pr", "calibration", "estimates", "matrix", "hull", "strip", "f1"):
    rs.plots = __import__("rocscope.plots").plots
    rs.plots.picture(ev.plot(kind), "svg")
assert list(dict.items(matplotlib.rcParams)) == before, "rcParams changed"
assert "matplotlib.pyplot" not in sys.modules, "pyplot loaded"
"""
    subprocess.run([sys.executable, "-W", "error", "-c", code], check=True)


def test_importing_the_room_does_not_load_matplotlib() -> None:
    code = "import rocscope.plots, sys; assert 'matplotlib' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)


# ---- names ----


@pytest.mark.parametrize("name", NASTY)
def test_names_are_drawn_as_they_are(table: rs.ScoreTable, name: str) -> None:
    ax = curves.roc(table).plot(label=name)
    text = ax.get_legend().get_texts()[0]
    assert not text.get_parse_math() and not text.get_usetex()
    shown = text.get_text()
    assert "\u202e" not in shown and "\x1b" not in shown
    assert name.replace("\u202e", "\\u202e").replace("\x1b", "\\x1b")[:10] in shown
    drawn(ax)
    svg = plots.picture(ax, "svg")
    assert b"<script" not in svg


def test_names_are_inert_in_every_picture() -> None:
    y, score = sample(n=80)
    cmp = rs.compare(y, {name: score + 0.1 * np.random.default_rng(i).random(80) for i, name in enumerate(NASTY[:3])})
    for kind in ("roc", "hull", "strip", "estimates", "differences", "f1"):
        check_texts(cmp.plot(kind))
    check_texts(rs.Confusion.from_matrix([[3, 1], [2, 4]], labels=NASTY[:2]).plot())
    scores = np.random.default_rng(0).random((6, 4))
    check_texts(rs.significance.nemenyi(scores, names=NASTY[:4]).plot())


def check_texts(ax: Any) -> None:
    from matplotlib.text import Text

    plots.picture(ax, "svg")
    for text in ax.findobj(Text):
        if any(sign in text.get_text() for sign in "$<\\_"):
            assert not text.get_parse_math() and not text.get_usetex(), text.get_text()


def test_long_names_are_cut_in_the_middle() -> None:
    assert theme.inert("a" * 30 + "b" * 30) == "a" * 11 + "…" + "b" * 11


# ---- several models ----


def test_the_recommended_model_is_thick_and_every_model_has_the_color_of_the_report() -> None:
    cmp = compared()
    ax = cmp.plot("roc")
    by_name = {line.get_label().split()[0]: line for line in models_of(ax)}
    assert by_name["strong"].get_linewidth() == theme.THICK and by_name["strong"].get_linestyle() == "-"
    assert by_name["middle"].get_linewidth() == theme.THIN
    slots = {model["name"]: model["slot"] for model in cmp.to_dict(drawing=True)["drawing"]["models"]}
    assert {name: line.get_color() for name, line in by_name.items()} == {
        name: theme.style_of(slot).color for name, slot in slots.items()
    }
    areas = [cmp.evaluations[line.get_label().split()[0]].auc.value for line in models_of(ax)]
    assert areas == sorted(areas, reverse=True)


@pytest.mark.parametrize("kind", ["pr", "det", "calibration", "net_benefit", "cost", "gain", "lift", "ks", "f1"])
def test_every_kind_takes_several_models(kind: str) -> None:
    ax = compared().plot(kind)
    assert len(models_of(ax)) >= 3
    drawn(ax)


def test_names_stand_at_the_ends_of_decision_curves_and_do_not_touch() -> None:
    ax = compared().plot("net_benefit")
    heights = sorted(text.get_position()[1] for text in ax.texts if text.get_gid() == "rocscope-end")
    assert len(heights) == 3 and np.diff(heights).min() >= 0.05


def test_more_than_five_models_are_grey_beyond_the_fifth() -> None:
    from rocscope.plots.hulls import styles

    assert list(styles(list("abcdefg"), muted=["b"]).values()) == [1, 0, 2, 3, 4, 5, 0]


def many(count: int) -> rs.Comparison:
    y, strong = sample(n=400)
    noise = np.random.default_rng(2).random((count, len(y)))
    return rs.compare(y, {f"model {k}": (1 - k / 9) * strong + k / 9 * noise[k] for k in range(count)})


@pytest.mark.parametrize("kind", ["roc", "pr", "calibration", "gain", "f1"])
@pytest.mark.parametrize("count", [1, 4])
def test_no_curve_runs_through_the_key(kind: str, count: int) -> None:
    cmp = many(max(2, count))
    ax = cmp.plot(kind) if count > 1 else cmp.evaluations["model 0"].plot(kind)
    drawn(ax)
    box = ax.get_legend().get_window_extent()
    for line in models_of(ax):
        path = line.get_transform().transform_path(line.get_path())
        assert not path.intersects_bbox(box, filled=False), line.get_label()
    right = ax.figure.bbox.x1
    assert box.x0 >= 0 and box.x1 <= right


@pytest.mark.parametrize("bins", [None, 10])
def test_the_texts_of_a_calibration_plot_keep_apart(table: rs.ScoreTable, bins: int | None) -> None:
    ax = curves.calibration(table, bins=bins).plot()
    drawn(ax)
    title = ax._left_title.get_window_extent()
    band = next(text for text in ax.texts if text.get_gid() == "rocscope-says-band").get_window_extent()
    assert title.y0 >= band.y1 or title.x1 + 10 < band.x0
    name = next(text for text in ax.texts if text.get_text() == "calibrated")
    if name.get_visible():  # the middle line of the letters, along the diagonal, meets no curve
        spot, up = sum(name.get_position()) / 2, 0.03 if name.get_va() == "bottom" else -0.02
        x = np.linspace(spot - 0.05, spot + 0.05, 50)
        letters = matplotlib.path.Path(np.column_stack((x - up / 2, x + up / 2)))
        assert not any(line.get_path().intersects_path(letters, filled=False) for line in models_of(ax))
    else:
        assert "calibrated" in [text.get_text() for text in ax.get_legend().get_texts()]


def test_a_key_without_room_in_the_axes_of_the_user_stays_inside_on_paper() -> None:
    ax = own_axes()
    ax.plot(*np.random.default_rng(0).random((2, 4000)))
    curves.roc(rs.ScoreTable.from_scores(*sample())).plot(ax, label="a")
    assert ax.get_legend().get_frame_on()
    assert ax.figure.get_size_inches().tolist() == matplotlib.rcParams["figure.figsize"]


def test_an_unknown_picture_says_which_there_are(validation: rs.Validation) -> None:
    cmp = compared()
    with pytest.raises(rs.RocscopeError, match=r"Use it for a single model.*There are .*hull, strip, .*pr") as caught:
        cmp.plot("matrix")
    assert "ari" not in str(caught.value).split()
    with pytest.raises(rs.RocscopeError, match=r"There are errors, roc, time, differences, ranks, and any measure"):
        validation.plot("xx")
    with pytest.raises(rs.RocscopeError, match=r"Did you mean 'precision'\? There are estimates, matrix"):
        cmp.evaluations["weak"].plot("precison")
    with pytest.raises(rs.RocscopeError, match=r"needs several models.*There are estimates, matrix, hull, strip"):
        cmp.evaluations["weak"].plot("differences")


def test_an_unknown_picture_gets_a_hint() -> None:
    with pytest.raises(rs.RocscopeError, match=r"no figure 'rok'.*roc"):
        compared().plot("rok")
    with pytest.raises(rs.RocscopeError, match="no figure 'errorz'"):
        rs.Validation.plot(None, "errorz")  # type: ignore[arg-type]


# ---- the other figures ----


def test_a_matrix_writes_counts_and_shares_of_the_actual_class() -> None:
    m = rs.Confusion.from_matrix([[10, 0, 0], [0, 7, 5], [0, 3, 5]], labels=["s", "ve", "vi"], rows="predicted")
    ax = m.plot()
    texts = [text.get_text() for text in ax.texts]
    assert ax.get_ylabel() == "actual" and ax.get_xlabel() == "predicted"
    assert texts[::2] == ["10", "0", "0", "0", "7", "3", "0", "5", "5"]
    assert texts[1::2] == ["100 %", "", "", "", "70 %", "30 %", "", "50 %", "50 %"]
    turned = m.plot(rows="predicted")
    assert turned.get_ylabel() == "predicted"
    assert [text.get_text() for text in turned.texts][::2] == ["10", "0", "0", "0", "7", "5", "0", "3", "5"]


def test_counts_are_drawn_with_the_positive_class_first() -> None:
    ax = rs.Counts(tp=7, fp=6, fn=3, tn=13, labels=("no", "yes")).plot()
    assert [text.get_text() for text in ax.texts][::2] == ["7", "3", "6", "13"]
    assert [label.get_text() for label in ax.get_yticklabels()] == ["yes", "no"]
    with pytest.raises(rs.RocscopeError, match="four known counts"):
        rs.Counts(tp=7, fp=6, fn=3).plot()


def test_the_hull_is_drawn_through_its_corners_with_the_tangent() -> None:
    h = rs.hull.hull({"C4.5": (0.2, 0.7), "SVM": (0.5, 0.95), "rules": (0.4, 0.6)})
    ax = h.plot(cost_ratio=1)
    hull = next(line for line in ax.get_lines() if line.get_gid() == "rocscope-hull")
    assert hull.get_xydata().tolist() == [[p.fpr, p.tpr] for p in h.points]
    tangent = next(line for line in ax.get_lines() if line.get_gid() == "rocscope-iso")
    (x0, x1), (y0, y1) = tangent.get_data()
    assert (y1 - y0) / (x1 - x0) == pytest.approx(1) and y0 - x0 == pytest.approx(0.5)
    assert all(c * p.fpr + 0.5 >= p.tpr - 1e-12 for p in h.points for c in (1,))
    texts = [text.get_text() for text in ax.texts]
    assert "C4.5" in texts and "dominated: rules" in texts


def test_the_strip_switches_where_the_costs_do() -> None:
    h = rs.hull.hull({"C4.5": (0.2, 0.7), "SVM": (0.5, 0.95)})
    found = [(one.model, one.low, one.high) for one in pieces(h)]
    assert [name for name, _, _ in found] == ["flag nobody", "C4.5", "SVM", "flag all"]
    assert found[1][2] == pytest.approx(1.2) and found[2][1] == pytest.approx(1.2)  # the slope 5/6 turned round
    for model, low, high in found[1:3]:
        middle = (low * high) ** 0.5
        assert h.best(cost_ratio=1 / middle).model == model
    drawn(h.plot_strip(ratio=2))


def best_at(h: Any, ratio: float) -> Any:
    """The corner of least cost where a miss costs so many false alarms."""
    return h.best(cost_ratio=float(h.negatives) / float(h.positives) / ratio)


def text_of(ax: Any, gid: str) -> str:
    return str(next(text.get_text() for text in ax.texts if text.get_gid() == gid))


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("ratio", [None, 5, 400])
def test_the_strip_of_one_model_says_the_thresholds_of_its_own_axis(seed: int, ratio: float | None) -> None:
    ev = rs.evaluate(*sample(seed, share=0.1 + 0.2 * seed))
    h = ev.hull()
    for ax in (h.plot_strip(ratio=ratio), ev.plot("strip", ratio=ratio)):
        low, high = ax.get_xlim()
        found = pieces(h, low=low, high=high, each=True)
        assert (found[0].low, found[-1].high) == (low, high)
        assert all(a.high == b.low for a, b in pairwise(found))
        for one in found:
            best = best_at(h, (one.low * one.high) ** 0.5)
            assert one.first == one.last == best.threshold
        ends = [best_at(h, end) for end in (low * 1.000001, high / 1.000001)]
        inner = [one for one in found if one.model is None]
        said = [inner[0].first, inner[-1].first]
        assert [a for a, end in zip(said, ends, strict=True) if end.tpr not in (0, 1)] == [
            end.threshold for end in ends if end.tpr not in (0, 1)
        ]
        first, last = text_of(ax, "rocscope-range").removeprefix("cheapest threshold: ").split(" to ")
        assert (float(first), float(last)) == pytest.approx(tuple(said), rel=0.005)
        written = {text.get_text() for text in ax.texts if text.get_gid() is None}
        assert written & {f"{one.first:.3g}" for one in inner}


def test_the_strip_of_several_models_clips_thresholds_to_its_axis() -> None:
    h = compared().hull()
    low, high = h.plot_strip().get_xlim()
    clipped, whole = pieces(h, low=low, high=high), pieces(h)
    assert {one.model for one in clipped} <= {one.model for one in whole}
    for place, end in ((0, low * 1.000001), (-1, high / 1.000001)):
        one, best = clipped[place], best_at(h, end)
        assert (one.first if place == 0 else one.last) == best.threshold
    narrow = pieces(h, low=2.0, high=3.0)
    assert narrow[0].first == best_at(h, 2.000001).threshold and narrow[-1].last == best_at(h, 2.999999).threshold


def test_the_strip_stands_at_the_prevalence_of_the_costs() -> None:
    costs = rs.Costs(fp=1, fn=5, prevalence=0.02)
    ev = rs.evaluate(*sample(), costs=costs)
    here = next(one for one in pieces(ev.hull(), each=True, prevalence=0.02) if one.low < 5 < one.high)
    assert here.first == ev.hull().best(costs=costs).threshold
    written = [[text.get_text() for text in one.texts] for one in
               (ev.plot("strip"), ev.hull().plot_strip(ratio=5, prevalence=0.02))]  # fmt: skip
    assert written[0] == written[1] != [text.get_text() for text in ev.hull().plot_strip(ratio=5).texts]


def test_a_strip_refuses_a_ratio_without_place_and_says_why_there_is_none() -> None:
    with pytest.raises(rs.RocscopeError, match="cannot cost 0 false alarms"):
        rs.evaluate(*sample()).hull().plot_strip(ratio=0)
    ax = rs.hull.hull(rs.ScoreTable.from_scores([1, 1], [0.2, 0.5], positive=1)).plot_strip()
    assert any("no negatives" in text.get_text() for text in ax.texts)
    drawn(ax)


def dots_beneath(ax: Any) -> list[Any]:
    return [line for line in ax.get_lines() if line.get_gid() == "rocscope-beneath"]


def test_dominated_classifiers_are_muted_dots_with_names() -> None:
    h = rs.hull.hull({"C4.5": (0.2, 0.7), "SVM": (0.5, 0.95), "rules": (0.4, 0.6), "stump": (0.3, 0.3)})
    ax = h.plot()
    assert [line.get_xydata().tolist() for line in dots_beneath(ax)] == [[[0.4, 0.6]], [[0.3, 0.3]]]
    assert all(line.get_color() == theme.MUTE and line.get_marker() == "o" for line in dots_beneath(ax))
    named = {text.get_text(): text.xy for text in ax.texts if text.get_gid() == "rocscope-beneath"}
    assert named == {"rules": (0.4, 0.6), "stump": (0.3, 0.3)}
    sweep = rs.hull.hull([(0.1, 0.5, ["k", 1]), (0.3, 0.4, ["k", 3])])  # settings need not be hashable
    assert [line.get_xydata().tolist() for line in dots_beneath(sweep.plot())] == [[[0.3, 0.4]]]


def test_a_dominated_curve_is_its_own_hull_and_named_once() -> None:
    cmp = compared()
    ax = cmp.plot("hull")
    lines = dots_beneath(ax)
    assert len(lines) == len(cmp.hull().dominated) > 0
    for name, line in zip(cmp.hull().dominated, lines, strict=True):
        own = [[p.fpr, p.tpr] for p in rs.hull.hull(cmp.evaluations[name].table).points]
        assert [place for place in line.get_xydata().tolist() if place not in own] == []
        assert sum(text.get_text() == name for text in ax.texts) == 1
    assert not dots_beneath(cmp.evaluations["strong"].plot("hull"))


def test_the_strip_of_a_comparison_counts_resamples() -> None:
    cmp = compared(costs=rs.Costs(fp=1, fn=5))
    ax = cmp.plot("strip", resamples=100)
    assert any("share of resamples" in text.get_text() for text in ax.texts)
    assert any("now 1 : 5" in text.get_text() for text in ax.texts)
    assert not any("share of resamples" in text.get_text() for text in cmp.plot("strip", resamples=0).texts)
    drawn(ax)


def test_a_forest_has_a_whisker_for_each_interval() -> None:
    ev = compared().evaluations["strong"]
    ax = ev.plot("estimates")
    names = [label.get_text() for label in ax.get_yticklabels()]
    whiskers = [line.get_xdata() for line in ax.get_lines() if line.get_gid() == "rocscope-whisker"]
    expected = [one for name, one in ev.estimates.items() if name != "log_loss"]
    assert len(names) == len(expected)
    assert [tuple(one) for one in whiskers] == [(one.low, one.high) for one in expected if one.low == one.low]


def test_an_undefined_estimate_says_why() -> None:
    from rocscope.estimate import undefined

    ax = plots.estimates({"x": undefined("no negatives")})
    assert any("– no negatives" in text.get_text() for text in ax.texts)


def test_a_critical_difference_diagram_joins_those_that_do_not_differ() -> None:
    scores = np.random.default_rng(3).random((12, 5)) + np.arange(5) * 0.15
    found = rs.significance.nemenyi(scores, names=list("abcde"))
    ax = found.plot()
    held = dict(zip(found.names, found.ranks, strict=True))
    bars = [line.get_xdata() for line in ax.get_lines() if line.get_gid() == "rocscope-group"]
    assert [(bar[0] + 0.03, bar[1] - 0.03) for bar in bars] == [
        pytest.approx((held[group[0]], held[group[-1]])) for group in found.groups
    ]
    length = next(line for line in ax.get_lines() if line.get_gid() == "rocscope-cd").get_xdata()
    assert length[1] - length[0] == pytest.approx(found.cd)
    drawn(ax)


@pytest.fixture(scope="module")
def validation() -> rs.Validation:
    bayes = pytest.importorskip("sklearn.naive_bayes").GaussianNB()
    tree = pytest.importorskip("sklearn.tree").DecisionTreeClassifier(max_depth=2)
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 120)
    return rs.validate({"bayes": bayes, "tree": tree}, rng.normal(size=(120, 3)) + 0.8 * y[:, None], y, plan="5-fold")


@pytest.mark.parametrize("kind", ["errors", "auc", "f1", "roc", "time", "differences", "ranks"])
def test_a_validation_is_drawn(validation: rs.Validation, kind: str) -> None:
    drawn(validation.plot(kind))


def test_every_fold_is_a_dot_and_a_curve(validation: rs.Validation) -> None:
    ax = validation.plot("errors")
    dots = [line.get_xdata() for line in ax.get_lines() if line.get_gid() == "rocscope-folds"]
    for name, drawn_values in zip(validation.names, dots, strict=True):
        assert drawn_values.tolist() == validation.errors[name].tolist()
    for average, said in (("threshold", "mean of"), ("pooled", "all cases of")):
        shown = validation.plot("roc", model="tree", average=average).get_legend_handles_labels()[1]
        assert any(said in one for one in shown)
    with pytest.raises(rs.RocscopeError, match="no average 'best'"):
        validation.plot("roc", average="best")
    fan = validation.plot("roc", model="tree")
    assert sum(line.get_gid() == "rocscope-fold" for line in fan.get_lines()) == 5


def test_several_classes_are_drawn() -> None:
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 90)
    raw = rng.random((90, 3)) + 1.2 * np.eye(3)[y]
    ev = rs.evaluate(y, raw / raw.sum(axis=1, keepdims=True))
    for kind in ("matrix", "estimates", "roc", "pr"):
        drawn(ev.plot(kind))
    hard = rs.evaluate(y, predicted=y[::-1])
    with pytest.raises(rs.RocscopeError, match="needs scores"):
        hard.plot("roc")


# ---- files ----


@pytest.mark.parametrize("ending", ["svg", "pdf", "png"])
def test_the_same_figure_gives_the_same_bytes(table: rs.ScoreTable, ending: str) -> None:
    first, second = (plots.picture(curves.roc(table).plot(label="a"), ending) for _ in range(2))
    assert first == second
    assert b"CreationDate" not in first and b"<dc:date>" not in first


def test_a_picture_is_the_same_in_another_process() -> None:
    code = """
import sys; sys.path.insert(0, "tests")
import rocscope as rs
from rocscope import plots
t = rs.ScoreTable.from_scores([1, 0, 1, 1, 0], [0.9, 0.8, 0.8, 0.8, 0.1])
import hashlib
print(hashlib.sha256(plots.picture(rs.curves.roc(t).plot(label="a"), "svg")).hexdigest())
"""
    runs = {subprocess.run([sys.executable, "-c", code], check=True, capture_output=True).stdout for _ in range(2)}
    assert len(runs) == 1


def test_saving_refuses_other_endings_and_files_that_exist(table: rs.ScoreTable, tmp_path: Path) -> None:
    ax = curves.roc(table).plot()
    with pytest.raises(rs.RocscopeError, match=r"cannot determine an image format.*\.svg, \.pdf or \.png"):
        plots.save(ax, tmp_path / "roc.docx")
    plots.save(ax, tmp_path / "roc.svg")
    with pytest.raises(rs.RocscopeError, match="already exists"):
        plots.save(ax, tmp_path / "roc.svg")
    plots.save(ax, tmp_path / "roc.svg", force=True)
    assert (tmp_path / "roc.svg").read_bytes().startswith(b"<?xml")


def test_without_matplotlib_the_way_to_get_it_is_said(table: rs.ScoreTable, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(rs.RocscopeError, match=r'pip install "rocscope\[plot\]"'):
        curves.roc(table).plot()


# ---- the command line ----


def run(*words: str) -> tuple[int, str, str]:
    done = subprocess.run([sys.executable, "-m", "rocscope", *words], check=False, capture_output=True, text=True)
    return done.returncode, done.stdout, done.stderr


@pytest.fixture(scope="module")
def file() -> Any:
    with tempfile.TemporaryDirectory() as folder:
        y, score = sample(n=60)
        path = Path(folder, "scores.csv")
        rows = "\n".join(f"{a},{b:.4f},{1 - b:.4f}" for a, b in zip(y, score, strict=True))
        path.write_text(f"y,a,b\n{rows}\n")
        yield str(path)


def test_the_command_line_draws_a_file(file: str, tmp_path: Path) -> None:
    out = tmp_path / "roc.svg"
    code, text, said = run("curve", file, "--label", "y", "--score", "a", "--plot", str(out))
    assert code == 0 and "ROC AUC" in text and "written" in said
    first = out.read_bytes()
    assert re.search(rb"<svg ", first)
    assert run("curve", file, "--label", "y", "--score", "a", "--plot", str(out))[0] == 2
    code, _, _ = run("curve", file, "--label", "y", "--score", "a", "--plot", str(out), "--force")
    assert code == 0 and out.read_bytes() == first


def test_the_command_line_draws_several_scores_into_one_picture(file: str, tmp_path: Path) -> None:
    out = tmp_path / "both.png"
    scores = ("--label", "y", "--score", "a", "--score", "b")
    code, text, _ = run("curve", file, *scores, "--kind", "pr", "--plot", str(out))
    assert code == 0 and text == "" and out.read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize("name", ["roc.docx", "missing/roc.svg"])
def test_the_command_line_refuses_before_it_reads(tmp_path: Path, name: str) -> None:
    code, _, said = run("curve", "no-such-file.csv", "--label", "y", "--score", "a", "--plot", str(tmp_path / name))
    assert code == 2 and "no-such-file" not in said and "Traceback" not in said
