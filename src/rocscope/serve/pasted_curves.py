"""A pasted ROC curve: cut-offs with sensitivity and specificity as textbooks print them, or points of a drawn curve."""

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
from rocscope.sources import FPR_NAMES, TPR_NAMES, as_number, plain_name, threshold_column
from rocscope.table import ScoreTable
from rocscope.text import significant

SPECIFICITY = frozenset({"specificity", "tnr", "true_negative_rate", "spec"})
LEAST = 3  # points without cut-offs that make a curve
SIGN = re.compile(r"^\s*(>=|<=|>|<|≥|≤)\s*")


@record(slots=True)
class PastedCurve:
    """Points from (0, 0) to (1, 1) with the cut-off of each where it is known, and the class sizes."""

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
    """The curve that a table of rates is; a table of several classifiers is none.

    >>> rows = [("5", "98", "30"), ("10", "85", "62"), ("15", "52", "91")]
    >>> round(curve_of(("Cut-off", "Sensitivity", "Specificity"), rows, {}).area, 4)
    0.8119
    """
    places = _places(header, len(rows[0]))
    at = threshold_column(header) if header else None
    others = [name for i, name in enumerate(header) if i not in places.values() and name != at]
    if others:
        raise RocscopeError("these are classifiers with names")
    fpr, tpr = (_rates(rows, places, side) for side in ("fpr", "tpr"))
    settings = [row[header.index(at)] if at is not None else "" for row in rows]
    points = sorted(zip(fpr, tpr, settings, strict=True))
    if len(points) < (LEAST if at is None else 2) or any(after[1] < before[1] for before, after in pairwise(points)):
        raise RocscopeError("no curve: recall must not fall where the false positive rate grows")
    return PastedCurve(tuple(points), totals.get("positives"), totals.get("negatives"))


def _places(header: Sequence[str], width: int) -> dict[str, int]:
    """In which columns the rates stand: the false positive rate or specificity, and recall."""
    if not header:
        if width != 2:
            raise RocscopeError("no two rates")
        return {"fpr": 0, "tpr": 1}
    found: dict[str, int] = {}
    for place, name in enumerate(header):
        plain = plain_name(re.sub(r"\(?%\)?", "", name).strip())
        for side, known in (("fpr", FPR_NAMES), ("tpr", TPR_NAMES), ("specificity", SPECIFICITY)):
            if plain in known:
                found[side] = place
    if "tpr" not in found or not {"fpr", "specificity"} & set(found):
        raise RocscopeError("no false positive rate or specificity to go with the sensitivity")
    return found


def _rates(rows: Sequence[Sequence[str]], places: Mapping[str, int], side: str) -> list[float]:
    turned = side == "fpr" and "fpr" not in places
    cells = [row[places["specificity" if turned else side]].strip().removesuffix("%") for row in rows]
    numbers = [as_number(cell) for cell in cells]
    if any(one is None or one != one for one in numbers):
        raise RocscopeError("a rate is not a number")
    known = [one for one in numbers if one is not None]
    scale = 100.0 if max(known) > 1 else 1.0
    shares = [round(one / scale, 12) for one in known]
    if not all(0 <= one <= 1 for one in shares):
        raise RocscopeError("a share from 0 to 1, or a percentage, is needed")
    return [round(1 - one, 12) for one in shares] if turned else shares


# ---- the page ----


def curve_page(curve: PastedCurve) -> str:
    """The whole report where the sizes of the classes are known; else picture, area and what each cut-off is worth."""
    if curve.positives and curve.negatives:
        return page_of(Evaluation(_counted(curve, curve.positives, curve.negatives)), "A ROC curve")
    points = [(fpr, tpr) for fpr, tpr, _ in curve.whole]
    upper = hull({f"{i}": point for i, point in enumerate(points)}).area
    best = max(curve.rows, key=lambda one: one[1] - one[0])
    at = f"cut-off {best[2]}" if best[2] else f"point ({best[0]:g}, {best[1]:g})"
    named = any(setting for _, _, setting in curve.rows)
    heads = [*(["cut-off"] if named else []), "false positive rate", "sensitivity", "specificity", "Youden's J"]
    lines = [
        [*([setting] if named else []), *(significant(one, 4) for one in (fpr, tpr, 1 - fpr, tpr - fpr))]
        for fpr, tpr, setting in curve.rows
    ]
    table = tag("table", tag("thead", tag("tr", *(tag("th", one) for one in heads))),
                tag("tbody", *(tag("tr", *(tag("td", one) for one in line)) for line in lines)))  # fmt: skip
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
    """The score table of the curve: cut-offs as thresholds where they are numbers, else the places of the points."""
    cuts = [as_number(SIGN.sub("", setting)) for _, _, setting in curve.rows]
    known = [one for one in cuts if one is not None and one == one]
    if len(set(known)) < len(cuts):
        known = [float(len(cuts) - place) for place in range(len(cuts))]
    rows = [
        {"threshold": cut, "tp": round(tpr * positives), "fp": round(fpr * negatives)}
        for cut, (fpr, tpr, _) in zip(known, curve.rows, strict=True)
    ]
    higher = known[0] > known[-1]  # the first point flags fewest
    return ScoreTable.from_points(rows, positives=positives, negatives=negatives, higher_is_positive=higher)
