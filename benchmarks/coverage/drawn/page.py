"""Its part of docs/coverage.md: one table of promises, then every quantity with the settings where it is weakest."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from benchmarks.coverage.drawn.quantity import ENOUGH, SAMPLES, SETTINGS, Quantity, Tally

BEGIN, END = "<!-- drawn settings: begin -->", "<!-- drawn settings: end -->"
MEAN = (0.93, 0.985)
LEAST = 0.90
Kept = Sequence[tuple[Quantity, dict[str, Any]]]


@dataclass(frozen=True)
class Cell:
    """One answer in one setting."""

    index: int
    setting: dict[str, Any]
    tally: Tally

    @property
    def enough(self) -> bool:
        return float(self.setting["cases"]) >= ENOUGH

    @property
    def short(self) -> bool:
        """Below 0.90 by more than two standard errors."""
        return self.tally.share < LEAST - 2 * self.tally.error


@dataclass(frozen=True)
class Answer:
    """One answer over all settings of its quantity."""

    quantity: Quantity
    name: str
    cells: tuple[Cell, ...]

    @property
    def said(self) -> bool:
        return self.cells[0].tally.kind == "said"

    @property
    def held(self) -> bool:
        return not self.quantity.held or self.name in self.quantity.held

    @property
    def known(self) -> list[Cell]:
        return [cell for cell in self.cells if not math.isnan(cell.tally.share)]

    @property
    def mean(self) -> float:
        return sum(cell.tally.share for cell in self.known) / len(self.known)

    @property
    def error(self) -> float:
        return math.sqrt(sum(cell.tally.error**2 for cell in self.known)) / len(self.known)

    @property
    def worst(self) -> Cell:
        """The least coverage among settings with ten cases of each class, or the largest share of errors."""
        if self.said:
            return max(self.known, key=lambda cell: cell.tally.share)
        return min([cell for cell in self.known if cell.enough] or self.known, key=lambda cell: cell.tally.share)

    @property
    def short(self) -> list[Cell]:
        """The settings with ten cases of each class that miss the promise beyond chance."""
        if self.said:
            return [cell for cell in self.known if cell.tally.share > self.quantity.most + 2 * cell.tally.error]
        return [cell for cell in self.known if cell.enough and cell.short]

    @property
    def holds(self) -> bool:
        if self.said:
            return not self.short
        return MEAN[0] - 2 * self.error <= self.mean <= MEAN[1] + 2 * self.error and not self.short

    @property
    def full(self) -> bool:
        """Whether the promise was put to the test it names: so many settings of so many samples."""
        return len(self.cells) >= SETTINGS and min(cell.tally.samples for cell in self.cells) >= SAMPLES

    @property
    def verdict(self) -> str:
        """ "yes" only after the full numbers: fewer can contradict a promise, but not keep it."""
        return ("yes" if self.full else "not contradicted") if self.holds else "**no**"

    @property
    def samples(self) -> int:
        return sum(cell.tally.samples for cell in self.cells)

    def total(self, what: str) -> float:
        return float(sum(getattr(cell.tally, what) for cell in self.cells))


def answers(kept: Kept) -> Iterator[Answer]:
    for quantity, found in kept:
        rows = {int(index): row for index, row in found["settings"].items()}
        names = dict.fromkeys(name for row in rows.values() for name in row["found"])
        for name in names:
            cells = [
                Cell(index, row["setting"], Tally(**row["found"][name]))
                for index, row in rows.items()
                if name in row["found"]
            ]
            if any(not math.isnan(cell.tally.share) for cell in cells):
                yield Answer(quantity, name, tuple(cells))


def placed(page: str, part: str) -> str:
    """The page with its part replaced, or put before the last section."""
    whole = f"{BEGIN}\n\n{part.strip()}\n\n{END}\n"
    if BEGIN in page:
        before, rest = page.split(BEGIN)
        return before + whole + rest.split(END + "\n")[1]
    before, last = page.split("## How it was made")
    return f"{before}{whole}\n## How it was made{last}"


def markdown(kept: Kept, small: dict[str, Any] | None) -> str:
    """The whole part."""
    found = list(answers(kept))
    return "\n\n".join((*opening(found, small), *(line for one in kept for line in of_quantity(one, found)))) + "\n"


def opening(found: Sequence[Answer], small: dict[str, Any] | None) -> Iterator[str]:
    held = [one for one in found if one.held]
    missed = [one for one in held if not one.holds]
    yield "## After a choice, with several models, clusters and weights"
    yield (
        "Here the settings are drawn, not chosen: the number of cases, the share of positives, the AUC, the number of "
        "models, the costs and so on are drawn at random from the ranges given for each quantity, so that no favorable "
        f"setting can be picked. An interval holds when it covers {MEAN[0]} to {MEAN[1]} on average and no setting "
        f"with {ENOUGH} or more expected cases of each class lies below {LEAST:.2f} by more than two standard "
        "errors; a claim holds when no setting shows it to be wrong more often than allowed, by more than two standard "
        "errors."
    )
    full = [one for one in held if one.holds and one.full]
    fewer = len(held) - len(full) - len(missed)
    yield (
        f"{len(full)} of {len(held)} answers hold in the full simulation of {SETTINGS} settings with {SAMPLES:,} "
        "samples each. "
        + (f"{fewer} were simulated with fewer samples and are not contradicted{_shown_by(held)}. " if fewer else "")
        + f"{len(missed) or 'No'} {'answer fails' if len(missed) < 2 else 'answers fail'}."
    )
    yield (
        "In the settings, `n` is the number of cases, `share` the share of positives, `cases` the expected number of "
        "positives or of cases in the smallest class, `area` or `areas` the true AUC, and `miss` the cost of a miss in "
        "false alarms; `benchmarks/coverage/drawn` defines the other names."
    )
    yield _promises(held)
    if small is not None:
        yield _small(small)


def _shown_by(held: Sequence[Answer]) -> str:
    """What the fewest samples of a setting could show, where they are too few."""
    counts = [cell.tally.samples for one in held if not one.full for cell in one.cells]
    if not counts:
        return ""
    fewest = min(counts)
    seen = LEAST - 2 * math.sqrt(LEAST * (1 - LEAST) / fewest)
    return (
        f" (the smallest setting has {fewest} samples, which would reveal a coverage below {seen:.2f}; the mean over "
        "all settings is more precise)"
    )


def _promises(held: Sequence[Answer]) -> str:
    heads = ("quantity", "answer", "required", "measured", "weakest setting", "below or above", "settings x samples",
             "holds")  # fmt: skip
    rows = []
    for one in held:
        asked = f"at most {one.quantity.most}" if one.said else f"{MEAN[0]} to {MEAN[1]}"
        tally = one.worst.tally
        rows.append((
            one.quantity.name, one.name, asked, f"{one.mean:.3f} ± {one.error:.3f}",
            f"{tally.share:.3f} ± {tally.error:.3f} (no. {one.worst.index})", f"{len(one.short)} of {len(one.known)}",
            f"{len(one.cells)} x {one.samples / len(one.cells):,.0f}", one.verdict,
        ))  # fmt: skip
    lines = [heads, ("---", "---", "---:", "---:", "---:", "---:", "---:", "---"), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def _small(found: dict[str, Any]) -> str:
    faults = found["faults"]
    text = (
        f"{found['tables']:,} small random tables (counts, tied scores, two models, several classes, few "
        f"labels) gave {found['asked']:,} intervals: "
    )
    if not faults:
        return text + "none has width 0, leaves its range, or excludes its value."
    return text + "; ".join(f"{name} in {count:,}" for name, count in sorted(faults.items())) + "."


def of_quantity(kept: tuple[Quantity, dict[str, Any]], found: Sequence[Answer]) -> Iterator[str]:
    quantity, data = kept
    own = [one for one in found if one.quantity is quantity]
    yield f"### {quantity.name[0].upper()}{quantity.name[1:]}"
    yield (
        f"These results come from {quantity.asks}, in {len(data['settings'])} settings with {samples_of(data)} samples "
        f"each. The settings vary as follows: {ranges([row['setting'] for row in data['settings'].values()])}."
    )
    heads = ("answer", "mean", "least or largest", "its setting", "without limits", "width 0", "outside", "mean width")
    rows = [_row(one) for one in own]
    lines = [heads, ("---", "---:", "---:", "---", "---:", "---:", "---:", "---:"), *rows]
    yield "\n".join("| " + " | ".join(line) + " |" for line in lines)


def samples_of(data: dict[str, Any]) -> str:
    """How many samples each setting has, or from how few to how many."""
    counts = sorted({row["samples"] for row in data["settings"].values()})
    return f"{counts[0]:,}" if len(counts) == 1 else f"{counts[0]:,} to {counts[-1]:,}"


def _row(one: Answer) -> tuple[str, ...]:
    tally = one.worst.tally
    most = one.total("samples")
    cells = (one.name, f"{one.mean:.3f}", f"{tally.share:.3f}", described(one.worst.setting))
    if one.said:
        return (*cells, "", "", "", "")
    width = one.total("width") / max(1.0, most - one.total("without"))
    return (
        *cells, f"{100 * one.total('without') / most:.1f} %", f"{one.total('zero'):.0f}", f"{one.total('outside'):.0f}",
        f"{width:.3g}",
    )  # fmt: skip


def described(setting: dict[str, Any]) -> str:
    """A setting in a few words."""
    shown = {key: value for key, value in setting.items() if not isinstance(value, list) or len(value) <= 3}
    return ", ".join(f"{key} {_short(value)}" for key, value in shown.items())


def _short(value: Any) -> str:
    if isinstance(value, list):
        return "/".join(map(_short, value))
    return f"{value:g}" if isinstance(value, float) else str(value)


def ranges(settings: Sequence[dict[str, Any]]) -> str:
    """What the settings cover: the least and the most of every number, the values of every word."""
    parts = []
    for key in settings[0]:
        values: list[Any] = []
        for setting in settings:
            value = setting[key]
            values += value if isinstance(value, list) else [value]
        if all(isinstance(value, str) for value in values):
            *others, last = sorted(set(values))
            parts.append(f"`{key}` is {', '.join(others)} or {last}" if others else f"`{key}` is always {last}")
        elif min(values) == max(values):
            parts.append(f"`{key}` is always {min(values):g}")
        else:
            parts.append(f"`{key}` from {min(values):g} to {max(values):g}")
    return ", ".join(parts)
