"""What recalibration gains: the gain first, then the losses and the calibration before and after."""

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


def _pairs(found: Recalibration) -> list[tuple[str, Estimate | None, Estimate]]:
    losses = [(name, *found.losses(name)) for name in LOSSES]
    return [*losses, *((name, *pair) for name, pair in found.calibration.items())]


def _limits(one: Estimate | None) -> list[Cell]:
    return [None, None, None] if one is None else [one.value, one.low, one.high]


def _headline(found: Recalibration) -> Paragraph:
    cases = show_count(found.calibrator.learned_on["cases"])
    learned = f"{found.calibrator.method.capitalize()} calibration, learned on {cases} cases."
    if not found.gains:
        after = found.losses("brier")[1]
        return Paragraph.of([strong(learned)], f"On unseen cases, the probabilities have a Brier score of {after}.")
    gain = found.gains["brier"]
    return Paragraph.of([strong(_verdict(gain))], f"{learned} Gain in Brier score on unseen cases: {gain}.")


def _verdict(gain: Estimate) -> str:
    """One sentence that never says more than the interval."""
    if gain.low > 0:
        return "Recalibration improves the probabilities."
    if gain.high < 0:
        return "Recalibration makes the probabilities worse: keep the scores as they are."
    return "It is not settled whether recalibration helps: the interval includes 0."


def _numbers(found: Recalibration) -> Tabular:
    level = f"{100 * found.level:g} %"
    rows: list[list[Cell]] = []
    for name, before, after in _pairs(found):
        shown = [_shown(before), _shown(after)]
        rows.append([declared(name).title, *(shown if found.gains else shown[1:])])
    heads = [f"before ({level} CI)", f"after ({level} CI)"]
    return Tabular.of(["measure", *(heads if found.gains else heads[1:])], rows)


def _shown(one: Estimate | None) -> str:
    if one is None or math.isfinite(one.value):
        return "" if one is None else str(one)
    return "undefined" if math.isnan(one.value) else "infinite"


def _notes(found: Recalibration) -> Paragraph:
    lines: list[Span] = [
        quiet(
            f"After: each probability comes from a calibrator learned without the fold of its case ({found.folds} "
            "folds)."
        ),
    ]
    if found.apparent:
        value = found.apparent["brier"]
        lines.append(quiet(f"On the cases used for learning, the gain in Brier score would appear to be {value:.4g}."))
    reasons = {after.why: declared(name).title for name, _, after in _pairs(found) if not math.isfinite(after.value)}
    lines += [quiet(f"{title[:1].upper()}{title[1:]} after: {why}.") for why, title in reasons.items() if why]
    lines.append(quiet(f"Method: {METHODS[found.calibrator.method].cite}."))
    return Paragraph.of(*([line] for line in lines))
