"""Results of recalibration: the gain first, then the losses and the calibration before and after."""

from __future__ import annotations

import math

from rocscope.estimate import Estimate
from rocscope.recalibration import METHODS, Recalibration
from rocscope.report.document_reader import declared
from rocscope.report.sheet import Block, Cell, Paragraph, Span, Tabular, quiet, strong
from rocscope.report.sheet_formats import Sheet
from rocscope.text import show_count

LOSSES = ("brier", "log_loss")


def recalibration_sheet(found: Recalibration) -> Sheet:
    """The answer of `rocscope calibrate`."""
    document = found.to_dict()
    blocks: list[Block] = [_headline(found), _numbers(found), _notes(found)]
    names = ("measure", "before", "before_low", "before_high", "after", "after_low", "after_high")
    rows = [[name, *_limits(before), *_limits(after)] for name, before, after in _pairs(found)]
    return Sheet(document, lambda look, single: blocks, lambda: Tabular.full(names, rows))


def _pairs(result: Recalibration) -> list[tuple[str, Estimate | None, Estimate]]:
    losses = [(name, *result.losses(name)) for name in LOSSES]
    return [*losses, *((name, *pair) for name, pair in result.calibration.items())]


def _limits(estimate: Estimate | None) -> list[Cell]:
    return [None, None, None] if estimate is None else [estimate.value, estimate.low, estimate.high]


def _headline(result: Recalibration) -> Paragraph:
    cases = show_count(result.calibrator.learned_on["cases"])
    learned = f"{result.calibrator.method.capitalize()} calibration, learned on {cases} cases."
    if not result.gains:
        after = result.losses("brier")[1]
        return Paragraph.of([strong(learned)], f"On unseen cases, the probabilities have a Brier score of {after}.")
    gain = result.gains["brier"]
    return Paragraph.of([strong(_verdict(gain))], f"{learned} Gain in Brier score on unseen cases: {gain}.")


def _verdict(gain: Estimate) -> str:
    """One sentence that claims no more than the interval supports."""
    if gain.low > 0:
        return "Recalibration improves the probabilities."
    if gain.high < 0:
        return "Recalibration makes the probabilities worse: keep the scores as they are."
    return "It is not settled whether recalibration helps: the interval includes 0."


def _numbers(result: Recalibration) -> Tabular:
    level = f"{100 * result.level:g} %"
    rows: list[list[Cell]] = []
    for name, before, after in _pairs(result):
        shown = [_shown(before), _shown(after)]
        rows.append([declared(name).title, *(shown if result.gains else shown[1:])])
    heads = [f"before ({level} CI)", f"after ({level} CI)"]
    return Tabular.of(["measure", *(heads if result.gains else heads[1:])], rows)


def _shown(estimate: Estimate | None) -> str:
    if estimate is None or math.isfinite(estimate.value):
        return "" if estimate is None else str(estimate)
    return "undefined" if math.isnan(estimate.value) else "infinite"


def _notes(result: Recalibration) -> Paragraph:
    lines: list[Span] = [
        quiet(
            f"After: each probability comes from a calibrator learned without the fold of its case ({result.folds} "
            "folds)."
        ),
    ]
    if result.apparent:
        value = result.apparent["brier"]
        lines.append(quiet(f"On the cases used for learning, the gain in Brier score would appear to be {value:.4g}."))
    reasons = {after.why: declared(name).title for name, _, after in _pairs(result) if not math.isfinite(after.value)}
    lines += [quiet(f"{title[:1].upper()}{title[1:]} after: {why}.") for why, title in reasons.items() if why]
    lines.append(quiet(f"Method: {METHODS[result.calibrator.method].cite}."))
    return Paragraph.of(*([line] for line in lines))
