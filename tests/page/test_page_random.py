"""Controls moved at random: every number shown is Python's for that state, or its view says for which state it is.

`make test` makes a hundred moves; `make page-moves` makes 1,000 (MOVES=1000).
"""

from __future__ import annotations

import os
import random
import re
from collections.abc import Callable, Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

import numpy as np
import pytest
import reports
from screen import DRAWN

import rocscope as rs
from rocscope import estimate, intervals, measures
from rocscope import text as written

Visiting = Callable[..., Any]
MOVES = int(os.environ.get("MOVES", "100"))
RULES = {"Least cost": "cost", "Youden": "youden", "Closest": "closest", "Best F1": "f1"}
SHORT = {"NPV": "npv", "MCC": "mcc", "ROC AUC": "auc", "Brier": "brier"}

# One move by the events that a hand makes, two frames, and all that is shown then.
MOVE = """async ([kind, value]) => {
  const press = (name) => [...document.querySelectorAll('#controls button')]
    .find((one) => one.textContent.trim() === name)?.click();
  const typed = (label, text) => {
    const field = document.querySelector(`#controls input[aria-label="${label}"]`);
    if (!field) return; // one class has no costs, costs of individual cases have no one price
    field.value = text;
    field.dispatchEvent(new Event('change'));
    field.dispatchEvent(new Event('blur'));
  };
  const slid = (id, place) => {
    const range = document.getElementById(`set-${id}`);
    if (!range) return;
    range.value = place;
    range.dispatchEvent(new Event('input'));
    range.dispatchEvent(new Event('change'));
  };
  if (kind === 'press') press(value);
  else if (kind === 'type') typed(...value);
  else if (kind === 'slide') slid(...value);
  else if (kind === 'key') document.body.dispatchEvent(new KeyboardEvent('keydown', {key: value, bubbles: true}));
  await DRAWN;
  const text = (where) => document.querySelector(where)?.textContent.replace(/\\s+/g, ' ').trim() ?? null;
  const texts = (root, ...where) => [...document.querySelectorAll(root)]
    .map((row) => where.map((one) => row.querySelector(one)?.textContent.trim() ?? ''));
  const shown = (where) => { const one = document.querySelector(where); return Boolean(one && !one.hidden && one.textContent); };
  return {
    message: shown('#controls .message') ? text('#controls .message') : '', topReading: text('#topk .reading'),
    hash: location.hash.slice(1), headline: text('#headline'), hand: text('#verdict .hand'), change: text('#verdict .next-steps') ?? '',
    matrix: Object.fromEntries(texts('#cases table.matrix td:has(.kind)', '.kind', '.count')),
    measures: texts('#measures table.measures tbody tr:has(td.value)', 'th', 'td.value', 'td.interval, td.why'),
    groups: texts('#measures tr.group:not([hidden])', 'th').flat(),
    costs: texts('#verdict .costs tr', 'th', 'td.at', 'td.value', 'td.interval'),
    readings: Object.fromEntries(['roc', 'cases', 'pr', 'thresholds', 'decision', 'calibration', 'strip']
      .map((name) => [name, text(`#${name} .reading`)])),
    top: texts('#topk tbody tr', 'th', ...[2, 3, 4, 5, 6].map((k) => `td:nth-child(${k})`)),
    marked: {differences: shown('#differences .saved-note'), caveats: shown('#verdict .caveats .saved-note'),
      slices: shown('#slices .saved')},
  };
}""".replace("DRAWN", DRAWN)


def moves(rng: random.Random, names: list[str]) -> Iterator[tuple[str, Any]]:
    """What a hand may do, without end."""
    several = [lambda: ("press", rng.choice(names))] if len(names) > 1 else []
    ratio = "What a miss costs, in false alarms"
    kinds: list[Callable[[], tuple[str, Any]]] = [
        *several,
        lambda: ("press", rng.choice(list(RULES))),
        lambda: ("slide", ["threshold", rng.random()]),
        lambda: ("slide", ["cost", rng.random()]),
        lambda: ("slide", ["prevalence", rng.random()]),
        lambda: ("type", ["Threshold, as text", str(round(rng.random(), rng.choice((1, 2, 3))))]),
        lambda: ("type", [f"{ratio}, as text", f"1 : {rng.choice((1, 2, 5, 7.5, 20, 40))}"]),
        lambda: ("type", ["Prevalence where the model will be used, as text", f"{rng.choice((1, 5, 20, 35, 60))} %"]),
        lambda: ("type", ["precision at least", str(rng.choice((0.3, 0.5, 0.6, 0.8, 0.99)))]),
        lambda: ("type", ["share to flag", f"{rng.choice((1, 5, 12, 30))} %"]),
        lambda: ("press", "reset"),
        lambda: ("key", rng.choice("[],.")),
    ]  # fmt: skip
    while True:
        yield rng.choice(kinds)()


class Expected:
    """What Python says at a state of the page."""

    def __init__(self, found: Any, fragment: str) -> None:
        self.found, self.evaluations = found, dict(getattr(found, "evaluations", None) or {"model": found})
        names, given = list(self.evaluations), dict(parse_qsl(fragment))
        start = getattr(found, "recommended", None) or names[0]
        self.name = names[int(given["m"])] if "m" in given else start
        self.ev, first = self.evaluations[self.name], self.evaluations[start]
        self.table, self.level = self.ev.table, found.settings.level
        saved = found.settings.costs
        self.fp, self.fn = (float(given.get(cell, getattr(saved, cell))) for cell in ("fp", "fn"))
        own = float(self.table.positives / (self.table.positives + self.table.negatives))
        self.share = float(given.get("p", own))
        self.off = "p" in given
        self.moved = self.off or abs(self.fn / self.fp - float(saved.fn / saved.fp)) > 1e-9
        self.rule, self.given = given.get("rule", "cost"), given
        self.threshold = self._threshold()
        self.counts = self.table.at(self.threshold)
        point = self.ev.point.threshold
        self.corrected = not self.off and self.table.position(self.threshold) == self.table.position(point)
        self.at_start = self.name == start and self.table.position(self.threshold) == first.table.position(point)

    @property
    def thinned(self) -> bool:
        return len(self.table) > 600  # beyond which the page keeps some of the thresholds

    @property
    def prevalence(self) -> float | None:
        return self.share if self.off else None

    @property
    def costs(self) -> rs.Costs:
        return rs.Costs(fp=self.fp, fn=self.fn, prevalence=self.prevalence)

    def _threshold(self) -> float:
        if self.rule == "hand":
            return float("inf") if self.given["t"] == "none" else float(self.given["t"])
        worth = self._worth(self.table)
        kept = np.flatnonzero(worth >= worth.max() - 1e-12 * max(1.0, abs(worth.max())))[0]
        return float(np.concatenate([[np.inf], self.table.scores])[kept])

    def _worth(self, table: Any) -> np.ndarray:
        """The criterion of the rule at every row: brute force, on the rates at the share that is set."""
        along, share = table.along(), self.share
        tpr, fpr = np.asarray(along.tp) / float(table.positives), np.asarray(along.fp) / float(table.negatives)
        tp, fp = share * tpr, (1 - share) * fpr
        with np.errstate(invalid="ignore", divide="ignore"):
            precision = tp / (tp + fp)
        if self.rule == "youden":
            return tpr - fpr
        if self.rule == "closest":
            return -(fpr**2) - (1 - tpr) ** 2
        if self.rule == "f1":
            return 2 * tp / (tp + fp + share)
        if self.rule == "precision":
            asked = float(self.given.get("pr", 0.5))
            fine = precision >= asked - 1e-12
            return np.where(fine, tpr, -1) if fine.any() else np.nan_to_num(precision, nan=-1)
        if self.rule == "top":
            return np.where(tp + fp <= float(self.given.get("top", 0.05)) * (1 + 1e-12), tpr + fpr, -1)
        return -(self.fn * (share - tp) + self.fp * fp)

    def cheapest(self) -> tuple[str, float]:
        """The cheapest model and threshold, compared in fractions; of equal ones the first, fewest flagged."""
        best: tuple[Fraction, str, float] | None = None
        for name, ev in self.evaluations.items():
            table, along = ev.table, ev.table.along()
            share = (
                Fraction(str(self.share))
                if self.off
                else Fraction(int(table.positives), int(table.positives + table.negatives))
            )
            miss = share * Fraction(str(self.fn)) / int(table.positives)
            alarm = (1 - share) * Fraction(str(self.fp)) / int(table.negatives)
            rows = zip(np.asarray(along.tp).tolist(), np.asarray(along.fp).tolist(), strict=True)
            cost, row = min(
                (miss * (int(table.positives) - int(tp)) + alarm * int(fp), k) for k, (tp, fp) in enumerate(rows)
            )
            if best is None or cost < best[0]:
                best = cost, name, float("inf") if row == 0 else float(table.scores[row - 1])
        assert best is not None
        return best[1], best[2]

    def threshold_text(self, name: str, threshold: float) -> str:
        table = self.evaluations[name].table
        row = table.position(threshold)
        beyond = float(table.scores[row]) if row < len(table) else None
        exact = row and threshold == float(table.scores[row - 1])
        return written.point_text({"threshold": threshold, "beyond": beyond if exact else None})

    def measure(self, name: str) -> Any:
        held = self.ev.measure(name) if self.corrected and name in BY_NAME else None
        return (
            held
            if held is not None
            else estimate.of(measures.get(name), self.counts, prevalence=self.prevalence, level=self.level)
        )

    def rates(self) -> dict[str, float]:
        four = self.counts if not self.off else self.counts.rebase(self.share)
        tp, fp, fn, tn = (float(getattr(four, cell)) for cell in ("tp", "fp", "fn", "tn"))
        all_cases = tp + fp + fn + tn
        return {
            "recall": tp / (tp + fn), "fpr": fp / (fp + tn), "precision": tp / (tp + fp) if tp + fp else float("nan"),
            "flagged": (tp + fp) / all_cases, "cost": 1000 * (self.fn * fn + self.fp * fp) / all_cases,
            "net": 0.0,
        }  # fmt: skip


BY_NAME = {"recall", "specificity", "precision", "npv", "f1", "mcc", "balanced_accuracy", "accuracy"}


def row_of(one: Any) -> dict[str, Any]:
    keep = {side: getattr(one, side) for side in ("value", "low", "high")}
    return {side: value if value == value else None for side, value in keep.items()}


KEPT = "thresholds stored in this report"


def ways(write: Callable[[float], str], value: float) -> set[str]:
    """How a number may be written: in two ways where it lies between two roundings, but for the last bits."""
    return {write(value * (1 + step)).replace("\u00a0", " ") for step in (-1e-12, 0.0, 1e-12)}


def check(found: Any, seen: dict[str, Any]) -> None:
    """Compare everything that is shown with Python, as it is written."""
    here = Expected(found, seen["hash"])
    if here.rule in ("precision", "top") and here.thinned:
        # the best of the thresholds that the report keeps, which it says; the numbers are those at this threshold
        assert KEPT in seen["message"], here.given
        name = re.search(r" at (\S+) finds", seen["readings"]["roc"].replace("\u00a0", " "))
        here = Expected(
            found,
            "&".join(
                [
                    *(f"{k}={v}" for k, v in here.given.items() if k != "rule"),
                    "rule=hand",
                    f"t={name[1] if name else 'none'}",
                ]
            ),
        )
    else:
        assert KEPT not in seen["message"], here.given
    at = (seen["hash"], here.name, here.threshold)
    rates = here.rates()
    # the matrix: counts, or parts of 1,000 and more at another share
    shown = {kind: float(count.replace(",", "")) for kind, count in seen["matrix"].items()}
    if not here.off:
        assert shown == {cell.upper(): float(getattr(here.counts, cell)) for cell in ("tp", "fp", "fn", "tn")}, at
    else:
        total, four = sum(shown.values()), here.counts.rebase(here.share)
        whole = sum(float(getattr(four, cell)) for cell in ("tp", "fp", "fn", "tn"))
        for kind, count in shown.items():
            assert abs(count - total * float(getattr(four, kind.lower())) / whole) <= 1, (at, kind)
    _check_measures(here, seen, at)
    # reading lines
    said = {name: text.replace("\u00a0", " ") if text else "" for name, text in seen["readings"].items()}
    told = re.search(r"finds (.+?) of the positive \w+ and flags (.+?) of the negative", said["roc"])
    assert told and told[1] in ways(written.percentage, rates["recall"]), (at, said["roc"])
    assert told[2] in ways(written.percentage, rates["fpr"]), (at, said["roc"])
    cost = re.search(r"These errors cost (\S+) per 1,000", said["cases"])
    assert cost and cost[1] in ways(written.whole, rates["cost"]), (at, said["cases"], rates["cost"])
    if rates["precision"] == rates["precision"]:
        flagged = re.match(r"Of the flagged, (.+?) are positive", said["pr"])
        assert flagged and flagged[1] in ways(written.percentage, rates["precision"]), (at, said["pr"])
        assert f"precision {flagged[1]}, recall {told[1]}," in said["thresholds"], (at, said["thresholds"])
    _check_decision(here, said["decision"], at)
    # what the page cannot compute says for which settings it is
    if len(here.evaluations) > 1:
        assert seen["marked"]["differences"] == here.moved, at
    assert seen["marked"]["caveats"] == here.moved, at
    if "slices" in seen and found.__class__.__name__ == "Evaluation":
        assert seen["marked"]["slices"] == (not here.at_start), at
    _check_answer(here, seen, at, rates["cost"])


def _check_measures(here: Expected, seen: dict[str, Any], at: Any) -> None:
    assert seen["groups"][0] == (
        "corrected for selection" if here.corrected else "apparent: not corrected for selection"
    ), at
    areas = [group for group in seen["groups"] if "over all thresholds" in group]
    assert ("of the data" in areas[0]) == here.off, at
    for title, value, limits in seen["measures"]:
        name = SHORT.get(title, title.replace(" ", "_").lower())
        one = here.ev.area(name) if name in ("auc", "average_precision", "brier") else here.measure(name)
        row = row_of(one)
        assert value == (written.value_text(row) if row["value"] is not None else "–"), (at, title, value, row)
        if row["low"] is not None:
            assert limits == written.limits_text(row), (at, title, limits, row)
    assert (KEPT in seen["topReading"]) == (here.off and here.thinned), at
    for title, threshold, flagged, found, precision, recall in seen["top"] if KEPT not in seen["topReading"] else ():
        share = float(title.split()[1]) / 100
        top = Expected(
            here.found,
            "&".join(
                [
                    *(f"{k}={v}" for k, v in here.given.items() if k not in ("rule", "t", "top")),
                    "rule=top",
                    f"top={share}",
                ]
            ),
        )
        assert threshold == top.threshold_text(top.name, top.threshold), (at, title)
        for name, text in (("precision", precision), ("recall", recall)):
            row = row_of(estimate.of(measures.get(name), top.counts, prevalence=top.prevalence, level=top.level))
            assert text == written.value_text(row) + written.limits_text(row), (at, title, name)
        if not top.off:
            assert (flagged, found) == tuple(
                written.show_count(one) for one in (top.counts.tp + top.counts.fp, top.counts.tp)
            ), at


def _check_decision(here: Expected, said: str, at: Any) -> None:
    pt = here.fp / (here.fp + here.fn)
    if KEPT in said:
        assert here.thinned and here.moved, at
        return
    counts = here.table.at(pt)
    tpr, fpr = float(counts.recall), float(counts.fpr)
    net = 1000 * (here.share * tpr - (1 - here.share) * pt / (1 - pt) * fpr)
    told = re.search(r"gives (\S+) net true positives per 1,000", said)
    assert told and told[1] in {one.replace("-", "−") for one in ways(written.whole, net)}, (at, said, net)


def _check_answer(here: Expected, seen: dict[str, Any], at: Any, cost: float) -> None:
    name, threshold = here.cheapest()
    several = len(here.evaluations) > 1
    if threshold == float("inf"):
        assert "no one" in seen["headline"].lower() or "none" in seen["headline"].lower(), (at, seen["headline"])
    elif here.evaluations[name].table.position(threshold) < len(here.evaluations[name].table):
        text = here.threshold_text(name, threshold)
        assert seen["headline"] == f"Recommended: {f'{name} at ' if several else ''}threshold {text}.", (
            at,
            seen["headline"],
        )
    if not here.moved and here.name == getattr(here.found, "recommended", here.name):
        return  # Python's own list, corrected for the choice
    for who, where, value, limits in seen["costs"]:
        if where.startswith("at ") and who in here.evaluations:
            threshold = 0.5 if where.startswith("at 0.5,") else None
            table = here.evaluations[who].table
            if threshold is None:
                threshold = Expected(
                    here.found,
                    "&".join(
                        [
                            f"m={list(here.evaluations).index(who)}",
                            *(f"{k}={v}" for k, v in here.given.items() if k in ("fp", "fn", "p")),
                            "rule=cost",
                        ]
                    ),
                ).threshold
                assert where == f"at {here.threshold_text(who, threshold)}", (at, who, where)
            row = {
                side: None if x is None else 1000 * x
                for side, x in row_of(
                    intervals.expected_cost(table.at(threshold), here.costs, level=here.level)
                ).items()
            }
            assert value in ways(written.whole, row["value"]), (at, who, value, row)
            assert not limits or limits == written.whole_limits(row), (at, who, limits, row)
    if seen["hand"]:
        assert any(f"costs {one}" in seen["hand"] for one in ways(written.whole, cost)), (at, seen["hand"])
        told = re.search(r"costs ([\d,]+), ([\d,]+) more", seen["hand"])
        least = next((value for _, _, value, _ in seen["costs"]), "")
        if told and min(whole_number(told[1]), whole_number(least)) >= 10:  # 179 beside 140 is 39 more
            assert whole_number(told[2]) == whole_number(told[1]) - whole_number(least), (at, seen["hand"], least)


def whole_number(text: str) -> float:
    return float(text.replace(",", ""))


@pytest.fixture(scope="module")
def made() -> dict[str, Any]:
    labels, scores = reports.cases(1500, digits=4)
    many = {"sharp": scores, "blurred": reports.noisy(scores, 0.8, 1), "dull": reports.noisy(scores, 3.0, 2)}
    frame = {"y": labels, "p": scores, "region": ["north", "south", "west"] * 500}
    import pandas as pd

    return {
        "three models": rs.compare(labels, many, costs=rs.Costs(fp=1, fn=5)),
        "one model": rs.evaluate(pd.DataFrame(frame), label="y", score="p", by="region", costs=rs.Costs(fp=1, fn=5)),
    }


@pytest.mark.parametrize("kind", ["three models", "one model"])
def test_every_number_is_pythons_after_every_move(
    kind: str, made: dict[str, Any], anywhere: Visiting, tmp_path: Path
) -> None:
    found, path = made[kind], tmp_path / "report.html"
    found.save(str(path))
    page = anywhere(path)
    names = page.evaluate("() => [...document.querySelectorAll('#controls .model')].map((one) => one.textContent)")
    asked = moves(random.Random(17), names)
    check(found, page.evaluate(MOVE, ["", None]))
    for number in range(MOVES // 2):
        kind_, value = next(asked)
        seen = page.evaluate(MOVE, [kind_, value])
        try:
            check(found, seen)
        except AssertionError as wrong:
            raise AssertionError(f"move {number}, {kind_} {value}: {wrong}") from wrong
