"""Outcomes of the cases: the matrix with totals and costs, and a thousand marks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rocscope.report.html.html_page import heading, shown_table, view
from rocscope.report.html.markup import Markup, join, rich, shortened, tag
from rocscope.report.html.state import Page
from rocscope.text import counted, percentage, show_count
from rocscope.verdicts import fill, per_cases

CELLS = (("tp", "TP"), ("fn", "FN"), ("fp", "FP"), ("tn", "TN"))
ROWS = 20  # number of marks per column in the grid of 1,000
STEP = 6.4  # distance between marks, in pixels
TINTS = 8
MARKS = (
    ("tp", "found", "found"), ("fn", "missed", "missed"), ("fp", "alarm", "false alarm"),
    ("tn", "cleared", "not flagged"),
)  # fmt: skip


def cases(page: Page) -> Markup:
    """The view."""
    if page.cells is None:
        return view("cases", "Confusion matrix", "", None, reason="There is no threshold.")
    reading: list[Any] = []
    picture = [_matrix(page)]
    if page.both:
        marks, per = _marks(page), _per(page)
        counts = _thousandths(page, per)
        names = {name: page.drawing[name] for name in ("positive", "units")}
        reading.append(rich(fill("cases", **_told(counts, per), **names), page.slots))
        cost = _cost(page)
        if cost is not None:
            reading += [" ", rich(fill("cases_cost", cost=cost), {})]
        reading += [piece for text in page.apparent for piece in (" ", rich(text, {}))]
        picture += [_grid(marks), _legend(counts, per)]
    return view("cases", "Confusion matrix", join(reading), picture, _behind(page))


def _per(page: Page) -> int:
    """1,000 cases, or as many as make the hits, misses and false alarms at least 1 each."""
    return per_cases([page.per_thousand[name] / 1000 for name in ("tp", "fn", "fp")])


def _told(counts: Mapping[str, int], per: int) -> dict[str, int]:
    """The counts of the summary line."""
    return {"per": per, "flagged": counts["tp"] + counts["fp"], "found": counts["tp"], "missed": counts["fn"]}


def _cost(page: Page) -> float | None:
    """The cost of errors per 1,000 cases in these data.

    The headline corrects for the choice of the threshold.
    """
    state, errors = page.drawing["state"], page.per_thousand
    return errors["fp"] * state["fp"] + errors["fn"] * state["fn"] if state.get("priced") else None


# ---- confusion matrix ----


def _matrix(page: Page) -> Markup:
    drawing, cells = page.drawing, _cells(page)
    positive, negative = (shortened(drawing[name], 18) for name in ("positive", "negative"))
    flagged, cleared = drawing["flagged"], drawing["cleared"]
    total = sum(cells.values())
    blank = tag("i", Markup("&nbsp;"))
    heads = [join([tag("i", "predicted"), flagged]), join([blank, cleared]), join([blank, "all"])]
    top = tag("tr", tag("td", class_="corner"), *map(heading, heads))
    outcome = {"tp": "found", "fn": "missed", "fp": "flagged", "tn": "not flagged"}
    whose = {"tp": positive, "fn": positive, "fp": negative, "tn": negative}
    sides = (("tp", "fn", positive), ("fp", "tn", negative))
    rows = []
    for first, second, name in sides:
        size = cells[first] + cells[second]
        boxes = [_cell(page, cell, cells[cell], size, f"{whose[cell]} {outcome[cell]}") for cell in (first, second)]
        head, all_of = tag("th", tag("i", "actual"), name, scope="row"), tag("td", show_count(size), class_="total")
        rows.append(tag("tr", head, *boxes, all_of))
    sums = (cells["tp"] + cells["fp"], cells["fn"] + cells["tn"], total)
    bottom = tag("tr", tag("th", "all", scope="row"), *(tag("td", show_count(count), class_="total") for count in sums))
    columns = tag("colgroup", tag("col", class_="head"), tag("col"), tag("col"), tag("col", class_="all"))
    return tag("table", columns, tag("thead", top), tag("tbody", *rows, bottom), class_="matrix")


def _cells(page: Page) -> Mapping[str, float]:
    """The counts; at another prevalence, numbers per 1,000, because counts would be fictitious."""
    assert page.cells is not None
    return _thousandths(page) if page.both and page.rebased else page.cells


def _cell(page: Page, name: str, value: float, size: float, words: str) -> Markup:
    lines: list[Any] = [tag("span", show_count(value), class_="count"), tag("span", name.upper(), class_="kind")]
    lines.append(tag("span", f"{percentage(value / size) if size else '–'} of {words}"))
    if name in ("tp", "tn"):
        return tag("td", *lines, data_cell=name)
    spent = _spent(page)
    cost = spent[name]
    if page.drawing["state"].get("priced"):
        lines.append(join([tag("br"), f"cost {show_count(round(cost, 2))}"]))
    return tag("td", *lines, class_=tint(cost, sum(spent.values())), data_tint=True, data_cell=name)


def tint(part: float, whole: float) -> str:
    """The class of an error cell, darker for a larger share of the total."""
    return f"wrong tint{min(TINTS - 1, round(part / (whole or 1.0) * (TINTS - 1)))}"


def _spent(page: Page) -> dict[str, float]:
    """The cost of the errors in the data."""
    state, cells = page.drawing["state"], _cells(page)
    return {name: float(cells[name]) * float(state[name]) for name in ("fp", "fn")}


# ---- grid of 1,000 marks ----


def _thousandths(page: Page, per: int = 1000) -> dict[str, int]:
    """Integers that add up to 1,000 (or more): the largest remainders are rounded up."""
    exact = {name: per / 1000 * value for name, value in page.per_thousand.items()}
    whole = {name: int(value + 1e-9) for name, value in exact.items()}
    left = per - sum(whole.values())
    for name in sorted(exact, key=lambda cell: whole[cell] - exact[cell])[: max(0, left)]:
        whole[name] += 1
    return whole


def _marks(page: Page) -> dict[str, int]:
    """1,000 marks: each outcome that occurs has at least one, taken from the most frequent."""
    marks = _thousandths(page)
    for name, value in page.per_thousand.items():
        if value > 0 and not marks[name]:
            most = max(marks, key=lambda cell: marks[cell])
            marks[name] += 1
            marks[most] -= 1
    return marks


def _grid(marks: dict[str, int]) -> Markup:
    paths, start = [], 0
    for name, look, _ in MARKS:
        paths += _drawn(look, _columns(look, start, start + marks[name]))
        start += marks[name]
    label = "; ".join(f"{marks[name]} {words}" for name, _, words in MARKS)
    size = {"viewBox": f"0 0 {1000 // ROWS} {ROWS}", "width": 1000 / ROWS * STEP, "height": ROWS * STEP}
    return tag("div", tag("svg", *paths, role="img", aria_label=f"Of 1,000: {label}", **size), class_="thousand")


def _drawn(look: str, d: str) -> list[Markup]:
    """The path of a kind of mark; a miss is a ring: a dot with a hole."""
    if not d:
        return []
    looks = (look, "hole") if look == "missed" else (look,)
    return [tag("path", class_=f"k-{part} k-col", d=d) for part in looks]


def _columns(look: str, start: int, end: int) -> str:
    """The marks from start to end as one stroke per column, with dashes that form dots (or squares)."""
    strokes = []
    while start < end:
        column, row = divmod(start, ROWS)
        many = min(end - start, ROWS - row)
        strokes.append(_mark(look, column, row, many))
        start += many
    return "".join(strokes)


def _mark(look: str, x: int, y: int, many: int = 1) -> str:
    """Marks below each other: dashes of zero length have round ends; those of a false alarm are squares."""
    return f"M{x}.5 {y}.16v{many - 0.32:.2f}" if look == "alarm" else f"M{x}.5 {y}.5v{many - 0.99:.2f}"


def _legend(counts: dict[str, int], per: int) -> Markup:
    rows = []
    for name, look, meaning in MARKS:
        icon = tag("svg", *_drawn(look, _mark(look, 0, 0)), viewBox="0 0 1 1", aria_hidden="true")
        rows.append(tag("li", icon, counted(meaning, counts[name]) if name == "fp" else f"{counts[name]:,} {meaning}"))
    if per != 1000:
        rows.append(tag("li", f"of {per:,}; each mark stands for about {per // 1000:,}", class_="muted"))
    return tag("ul", *rows, class_="legend")


def _behind(page: Page) -> Markup:
    cells = page.cells
    assert cells is not None
    outcome = {"tp": "found", "fn": "missed", "fp": "false alarm", "tn": "not flagged"}
    per = page.per_thousand if page.both else dict.fromkeys(cells, float("nan"))
    rows = [
        (short, outcome[name], show_count(cells[name]), f"{per[name]:.1f}" if per[name] == per[name] else "–")
        for name, short in CELLS
    ]
    return shown_table(("cell", "", "count", "per 1,000"), rows, words=(0, 1))
