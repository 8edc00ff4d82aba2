"""Accuracy and error rate when only the number of correct predictions is known: 22 of 30."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from rocscope import estimate, measures
from rocscope.cli.output import Format, emit
from rocscope.errors import RocscopeError
from rocscope.report import Block, Look, Measured, Paragraph, measure_blocks, measure_rows, next_steps, strong
from rocscope.text import show_count


def show_share(correct: Any, total: Any, format: Format) -> None:
    """Print accuracy and error rate of `correct` of `total` cases, in percent and with intervals."""
    if not isinstance(correct, int) or not isinstance(total, int) or not 0 <= correct <= total or total < 1:
        raise RocscopeError(
            f"{correct} correct of {total}", hint="Both are whole numbers: CORRECT from 0 to TOTAL, TOTAL at least 1"
        )
    found = [
        Measured(name, measures.get(name), hits / total, Fraction(hits, total), estimate.proportion(hits, total))
        for name, hits in (("accuracy", correct), ("error rate", total - correct))
    ]

    def sheet(look: Look) -> list[Block]:
        steps = next_steps([("rocscope matrix TP FP FN TN", "which errors these are, and every other measure")])
        return [
            Paragraph.of([strong(correct_line(correct, total))]),
            *measure_blocks(found, look, drawn=format == "text"),
            *(steps if format == "text" else []),
        ]

    document = {"correct": correct, "total": total, "measures": {one.measure.name: one.to_dict() for one in found}}
    emit(document, format=format, sheet=sheet, rows=measure_rows(found))


def correct_line(correct: Any, total: Any) -> str:
    """How many cases are predicted correctly, with accuracy and error rate in percent.

    >>> correct_line(22, 30)
    '22 of 30 cases are predicted correctly: accuracy 73.3 %, error rate 26.7 %.'
    """
    share = 100 * Fraction(correct) / Fraction(total)
    said = f"accuracy {float(share):.1f} %, error rate {float(100 - share):.1f} %"
    return f"{show_count(correct)} of {show_count(total)} cases are predicted correctly: {said}."
