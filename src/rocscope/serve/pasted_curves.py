"""A pasted ROC curve: cut-offs with sensitivity and specificity as in textbooks, or points of a curve."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import pairwise

from rocscope.errors import RocscopeError
from rocscope.evaluation import Evaluation
from rocscope.hull import hull
from rocscope.record import record
from rocscope.report import tag
from rocscope.serve.answers import page_of
from rocscope.serve.pages import frame, roc_curve_svg
from rocscope.sources import FPR_NAMES, SPECIFICITY_NAMES, TPR_NAMES, as_number, plain_name, threshold_column
from rocscope.table import ScoreTable
from rocscope.text import significant

BESIDE = re.compile(r"\bCI\b|confidence|youden|[+-]LR|LR[+-]", re.IGNORECASE)  # printed beside the rates, not needed
LEAST = 3  # minimum number of points without cut-offs that form a curve
SIGN = re.compile(r"^\s*(>=|<=|>|<|≥|≤)\s*")


@record(slots=True)
class PastedCurve:
    """Points from (0, 0) to (1, 1) with the cut-off of each if known, and the class sizes."""

    rows: tuple[tuple[float, float, str], ...]
    positives: int | None = None
    negatives: int | None = None

    @property
    def whole(self) -> tuple[tuple[float, float, str], ...]:
        """The points with both ends."""
        ends = {point[:2] for point in self.rows}
        first = () if (0.0, 0.0) in ends else ((0.0, 0.0, ""),)
        last = () if (1.0, 1.0) in ends else ((1.0, 1.0, ""),)
        return (*first, *self.rows, *last)

    @property
    def area(self) -> float:
        """The area under the straight lines between the points."""
        return sum((b[0] - a[0]) * (a[1] + b[1]) / 2 for a, b in pairwise(self.whole))


def curve_of(header: Sequence[str], rows: Sequence[Sequence[str]], totals: Mapping[str, int]) -> PastedCurve:
    """The curve in a table of rates; None for a table of several classifiers.

    >>> rows = [("5", "98", "30"), ("10", "85", "62"), ("15", "52", "91")]
    >>> round(curve_of(("Cut-off", "Sensitivity", "Specificity"), rows, {}).area, 4)
    0.8119
    """
    positions = _places(header, len(rows[0]))
    at = threshold_column(header) if header else None
    rest = [
        name for i, name in enumerate(header) if i not in positions.values() and name != at and not BESIDE.search(name)
    ]
    if at is None and len(rest) == 1 and _are_cut_offs([row[header.index(rest[0])] for row in rows]):
        at = rest.pop()
    if rest:
        raise RocscopeError("these are classifiers with names")
    fpr, tpr = (_rates(rows, positions, side) for side in ("fpr", "tpr"))
    settings = [row[header.index(at)] if at is not None else "" for row in rows]
    points = sorted(zip(fpr, tpr, settings, strict=True))
    if len(points) < (LEAST if at is None else 2) or any(after[1] < before[1] for before, after in pairwise(points)):
        raise RocscopeError("this is not a ROC curve: recall must not fall as the false positive rate rises")
    return PastedCurve(tuple(points), totals.get("positives"), totals.get("negatives"))


def _are_cut_offs(cells: Sequence[str]) -> bool:
    """Whether cells are numbers that rise or fall from row to row, with or without a sign such as >=."""
    numbers = [as_number(SIGN.sub("", cell)) for cell in cells]
    known = [number for number in numbers if number is not None and number == number]
    steps = {after > before for before, after in pairwise(known) if after != before}
    return len(set(known)) == len(cells) and len(steps) == 1


def _places(header: Sequence[str], width: int) -> dict[str, int]:
    """The columns of the rates: the false positive rate or specificity, and recall."""
    if not header or [plain_name(name) for name in header] == ["x", "y"]:
        if width != 2:
            raise RocscopeError("no two rates")
        return {"fpr": 0, "tpr": 1}
    positions: dict[str, int] = {}
    for index, name in enumerate(header):
        plain = plain_name(re.sub(r"\(?%\)?", "", name).strip())
        for side, known in (("fpr", FPR_NAMES), ("tpr", TPR_NAMES), ("specificity", SPECIFICITY_NAMES)):
            if plain in known:
                positions[side] = index
    if "tpr" not in positions or not {"fpr", "specificity"} & set(positions):
        raise RocscopeError("there is no false positive rate or specificity to go with the sensitivity")
    return positions


def _rates(rows: Sequence[Sequence[str]], positions: Mapping[str, int], side: str) -> list[float]:
    turned = side == "fpr" and "fpr" not in positions
    cells = [row[positions["specificity" if turned else side]].strip().removesuffix("%") for row in rows]
    numbers = [as_number(cell) for cell in cells]
    if any(number is None or number != number for number in numbers):
        raise RocscopeError("a rate must be a number")
    known = [number for number in numbers if number is not None]
    scale = 100.0 if max(known) > 1 else 1.0
    shares = [round(number / scale, 12) for number in known]
    if not all(0 <= share <= 1 for share in shares):
        raise RocscopeError("rates must be shares from 0 to 1, or percentages")
    return [round(1 - share, 12) for share in shares] if turned else shares


# ---- HTML page ----


def curve_page(curve: PastedCurve) -> str:
    """The full report, or, if the class sizes are unknown, the picture, the area and each cut-off's measures."""
    if curve.positives and curve.negatives:
        return page_of(Evaluation(_counted(curve, curve.positives, curve.negatives)), "A ROC curve")
    points = [(fpr, tpr) for fpr, tpr, _ in curve.whole]
    upper = hull({f"{i}": point for i, point in enumerate(points)}).area
    best = max(curve.rows, key=lambda point: point[1] - point[0])
    at = f"cut-off {best[2]}" if best[2] else f"point ({best[0]:g}, {best[1]:g})"
    named = any(setting for _, _, setting in curve.rows)
    heads = [*(["cut-off"] if named else []), "false positive rate", "sensitivity", "specificity", "Youden's J"]
    lines = [
        [*([setting] if named else []), *(significant(number, 4) for number in (fpr, tpr, 1 - fpr, tpr - fpr))]
        for fpr, tpr, setting in curve.rows
    ]
    table = tag("table", tag("thead", tag("tr", *(tag("th", head) for head in heads))),
                tag("tbody", *(tag("tr", *(tag("td", cell) for cell in line)) for line in lines)))  # fmt: skip
    says = (
        f"Area under the curve {curve.area:.4g} (trapezoidal rule); under the convex hull {upper:.4g}. "
        f"Youden's J is largest at the {at}: {best[1] - best[0]:.3g}."
    )
    how = (
        "Rates without counts have no interval. Add two lines such as 'positives: 130' and 'negatives: 400' for the "
        "full report."
    )
    body = [tag("h1", f"Area {curve.area:.3f}"), tag("p", says), roc_curve_svg(points), table, tag("p", how)]
    return frame("A ROC curve", *body)


def _counted(curve: PastedCurve, positives: int, negatives: int) -> ScoreTable:
    """The score table of the curve: cut-offs as thresholds if they are numbers, else the positions of the
    points.
    """
    cuts = [as_number(SIGN.sub("", setting)) for _, _, setting in curve.rows]
    known = [cut for cut in cuts if cut is not None and cut == cut]
    if len(set(known)) < len(cuts):
        known = [float(len(cuts) - index) for index in range(len(cuts))]
    rows = [
        {"threshold": cut, "tp": round(tpr * positives), "fp": round(fpr * negatives)}
        for cut, (fpr, tpr, _) in zip(known, curve.rows, strict=True)
    ]
    higher = known[0] > known[-1]  # the first point flags the fewest cases
    return ScoreTable.from_points(rows, positives=positives, negatives=negatives, higher_is_positive=higher)
