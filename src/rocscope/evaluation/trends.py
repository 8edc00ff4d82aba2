"""Tables of several days or machines: the evaluation of their sum, and of each table or window."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from typing import Any

from rocscope import significance
from rocscope.errors import RocscopeError
from rocscope.estimate import Estimate, between
from rocscope.evaluation.binary import Evaluation
from rocscope.evaluation.certainty import agreeing
from rocscope.evaluation.classes import ClassEvaluation
from rocscope.evaluation.document import document_head
from rocscope.evaluation.multilabel import LabelEvaluation
from rocscope.multiclass import ClassSums, LabelSums
from rocscope.numbers import json_number
from rocscope.record import record
from rocscope.table import Confusion, ScoreTable, windows

SCORED = ("auc", "average_precision", "recall", "precision")
HARD = ("accuracy", "macro f1")
LABELS = ("micro_f1", "macro_f1", "subset_accuracy")
Sums = ScoreTable | Confusion | ClassSums | LabelSums
Summed = Evaluation | ClassEvaluation | LabelEvaluation


@record(eq=False)
class Trend:
    """The evaluation of a sum of tables, and of its parts in their order.

    `parts` are the tables by name, such as one per day; with a `window` of 7, each row of the trend is the sum of
    seven. Measures of the parts use the threshold of the whole, so that they are comparable.
    """

    whole: Summed
    parts: Mapping[str, Sums]
    window: int | None = None

    @cached_property
    def tables(self) -> Mapping[str, Sums]:
        """The tables of the trend: the parts, or the windows over them."""
        if self.window is None:
            return self.parts
        return dict(windows(self.parts, self.window))  # type: ignore[type-var]

    @cached_property
    def rows(self) -> Mapping[str, Mapping[str, Estimate]]:
        """The usual measures of each row of the trend, with their intervals."""
        return {name: self._measured(self.evaluated(table)) for name, table in self.tables.items()}

    def evaluated(self, table: Sums) -> Summed:
        """The evaluation of a table at the threshold of the whole."""
        if isinstance(self.whole, LabelEvaluation):
            assert isinstance(table, LabelSums)
            return replace(self.whole, predictions=table, left_out={})
        if isinstance(self.whole, ClassEvaluation):
            if isinstance(table, ClassSums):
                return replace(self.whole, matrix=table.matrix, scores=table, left_out={})
            assert isinstance(table, Confusion)
            return replace(self.whole, matrix=table, left_out={})
        assert isinstance(table, ScoreTable)
        point = self.whole.point
        settings = self.whole.settings
        if point is not None:
            settings = replace(settings, threshold=point.threshold, choose=None, cross_fit=0)
        return replace(self.whole, table=table, settings=settings, choose_on=None, left_out={})

    def _measured(self, ev: Summed) -> dict[str, Estimate]:
        if isinstance(ev, LabelEvaluation):
            return {name: ev.measure(name) for name in (*LABELS, *(("auc",) if ev.predictions.scored else ()))}
        if isinstance(ev, ClassEvaluation):
            names = HARD if ev.scores is None else (*HARD, "auc")
            return {name: ev.measure(name) for name in names}
        return {name: ev.area(name) if name in SCORED[:2] else ev.measure(name) for name in SCORED}

    @cached_property
    def change(self) -> Estimate | None:
        """The newest row of the trend minus all parts before it, in AUC (DeLong) or accuracy; None for one part."""
        newest = self.window or 1
        before = list(self.parts.values())[:-newest]
        if not before:
            return None
        last, rest = list(self.tables.values())[-1], sum(before)
        level = self.whole.settings.level
        if isinstance(last, ScoreTable) and isinstance(rest, ScoreTable):
            return agreeing(significance.delong(last, rest, paired=False, level=level))
        ends = (self.evaluated(table) for table in (last, rest))  # type: ignore[arg-type]
        decides = "micro_f1" if isinstance(self.whole, LabelEvaluation) else "accuracy"
        return between(*(end.measure(decides) for end in ends))

    def to_dict(self) -> dict[str, Any]:
        """The results document of the sum and its trend (schema rocscope/1)."""
        return {
            **document_head("merge"),
            "parts": list(self.parts),
            "window": self.window,
            "trend": [
                {"name": name, **_size(table), "measures": {m: e.to_dict() for m, e in self.rows[name].items()}}
                for name, table in self.tables.items()
            ],
            "change": None if self.change is None else self.change.to_dict(),
            "evaluation": self.whole.to_dict(),
        }


def _size(table: Sums) -> dict[str, Any]:
    if isinstance(table, ScoreTable):
        return {"cases": json_number(table.positives + table.negatives), "positives": json_number(table.positives)}
    if isinstance(table, LabelSums):
        return {"cases": json_number(table.size), "positives": None}
    return {"cases": json_number(sum(table.support.tolist())), "positives": None}


def trend(
    whole: Summed, parts: Mapping[str, Sums], *,
    window: int | None = None,
) -> Trend:  # fmt: skip
    """The trend of an evaluation over the tables that make it up.

    >>> from rocscope import ScoreTable
    >>> days = {d: ScoreTable.from_scores([1, 1, 0, 0], [0.9, s, 0.4, 0.1]) for d, s in (("mon", 0.8), ("tue", 0.3))}
    >>> found = trend(Evaluation(sum(days.values())), days)
    >>> [rows["auc"].value for rows in found.rows.values()]
    [1.0, 0.75]
    """
    if not parts:
        raise RocscopeError("a trend needs tables")
    if window is not None and window > len(parts):
        raise RocscopeError(
            f"the window must be at most the number of tables ({len(parts)}), not {window}",
            hint="Choose a shorter window",
        )
    return Trend(whole, parts, window)
