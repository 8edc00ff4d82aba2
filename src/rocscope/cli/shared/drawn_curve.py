"""A curve that was drawn, as points of false and true positive rate: its area by trapezoids, and its picture."""

from __future__ import annotations

import os
from collections.abc import Sequence
from itertools import pairwise

from rocscope import curves
from rocscope.cli.output import Format, emit
from rocscope.cli.reader import read
from rocscope.cli.shared.predictions import ColumnOptions
from rocscope.evaluation import is_saved
from rocscope.hull import hull
from rocscope.report import Block, Field, Look, Paragraph, Stroke, Tabular, TextAxes, draw, next_steps, quiet, strong
from rocscope.sources import is_point_table, is_threshold_table, roc_points
from rocscope.text import trimmed

Points = Sequence[tuple[float, float]]
WIDTH, HEIGHT = 32, 15


def drawn_points(file: str, asked: ColumnOptions) -> Points | None:
    """The points of a file with columns FPR and TPR; None where it holds something else."""
    if asked.label is not None or asked.scores or not os.path.isfile(file) or is_saved(file):
        return None
    source = read(file, remarks=False)
    if not is_point_table(source.columns) or is_threshold_table(source.columns):
        return None
    return [(one.fpr, one.tpr) for one in roc_points(source.whole(), name="curve")]


def show_drawn(points: Points, format: Format) -> None:
    """Print the area under the line through the points, each trapezoid, and the picture."""
    area = curves.polyline_area(points)
    rows = [[x, y, _strip(before, (x, y))] for before, (x, y) in zip([points[0], *points], points, strict=False)]
    table = Tabular.of(["FPR", "TPR", Field("area added", right=True)], rows)

    def sheet(look: Look) -> list[Block]:
        held = hull({"curve": [(x, y, None) for x, y in points]})
        head = [strong(f"area under the drawn curve {trimmed(area)}"), quiet(f"   under its hull {trimmed(held.area)}")]
        axes = TextAxes(WIDTH, HEIGHT, x=(0.0, 1.0), y=(0.0, 1.0), x_name="false positive rate",
                        y_name="true positive rate")  # fmt: skip
        x, y = (list(column) for column in zip(*points, strict=True))
        strokes = [Stroke(x, y), Stroke([0.0, 1.0], [0.0, 1.0], "quiet", every=6)]
        note = "By trapezoids between the points as given; without counts there is no confidence interval."
        picture = [Paragraph(tuple(draw(strokes, axes, look)))] if format == "text" else []
        steps = next_steps([("rocscope hull FILE", "the same points as settings of a classifier, with costs")])
        return [Paragraph.of(head, [quiet(note)], hang=2), *picture, table, *(steps if format == "text" else [])]

    document = {
        "area": area,
        "points": [{"fpr": x, "tpr": y} for x, y in points],
        "trapezoids": [_strip(before, after) for before, after in pairwise(points)],
    }
    emit(document, format=format, sheet=sheet, rows=table)


def _strip(before: tuple[float, float], after: tuple[float, float]) -> float:
    return curves.polyline_area([before, after])
