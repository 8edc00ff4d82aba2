"""One quantity: how its settings are drawn, what one sample answers, and what is counted over samples."""

from __future__ import annotations

import math
import zlib
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

import numpy as np

Setting = dict[str, Any]
Generator = np.random.Generator
SEED = 20261117
SETTINGS, SAMPLES = 60, 1000  # of each quantity: what the promise was made for
ENOUGH = 10  # cases of each class from which a setting is held to the promise


class Limits(NamedTuple):
    """An interval of one sample with the truth it should contain, and the ends of its range."""

    low: float
    high: float
    truth: float
    least: float = -math.inf
    most: float = math.inf


class Said(NamedTuple):
    """Whether one sample said something that is not so: that equal models differ, say."""

    wrongly: bool


Answers = Mapping[str, "Limits | Said | None"]


@dataclass(frozen=True)
class Quantity:
    """What is asked, by which public use, over which settings.

    `draw` makes a setting, in which "cases" is the expected size of the smaller class; `sample` draws one data set and
    asks. An answer that is an error of a test (`Said`) is held to `most`; an interval to the promise of coverage.
    """

    name: str
    asks: str
    draw: Callable[[Generator], Setting]
    sample: Callable[[Setting, Generator], Answers]
    most: float = 0.065
    held: tuple[str, ...] = ()  # the answers the promise is about; all of them where empty
    settings: int = SETTINGS  # more where an answer is asked in a part of them only
    again: int = 0  # raised when a method was changed after a look at what was found: other settings, other samples

    @property
    def origin(self) -> int:
        """The first part of every seed: what was found with another one does not count."""
        return SEED + self.again

    def seed(self, *parts: int) -> list[int]:
        return [self.origin, zlib.crc32(self.name.encode()), *parts]

    def setting(self, index: int) -> Setting:
        """The setting of that number: always the same."""
        return self.draw(np.random.default_rng(self.seed(index)))


@dataclass
class Tally:
    """What one answer did over the samples of a setting."""

    kind: str
    samples: int = 0
    without: int = 0
    covered: int = 0
    wrong: int = 0
    zero: int = 0
    outside: int = 0
    width: float = 0.0

    def add(self, answer: Limits | Said | None) -> None:
        self.samples += 1
        if isinstance(answer, Said):
            self.wrong += bool(answer.wrongly)
        elif answer is None or math.isnan(answer.low) or math.isnan(answer.high) or math.isnan(answer.truth):
            self.without += 1
        else:
            slack = 1e-9 * max(1.0, abs(answer.truth))
            self.covered += answer.low - slack <= answer.truth <= answer.high + slack
            self.zero += answer.high <= answer.low
            self.outside += answer.low < answer.least - 1e-12 or answer.high > answer.most + 1e-12
            self.width += answer.high - answer.low

    @property
    def answered(self) -> int:
        return self.samples - self.without

    @property
    def share(self) -> float:
        """Coverage, or how often something wrong was said."""
        if self.kind == "said":
            return self.wrong / self.samples if self.samples else math.nan
        return self.covered / self.answered if self.answered else math.nan

    @property
    def error(self) -> float:
        """The Monte-Carlo standard error of the share, of 0.05 where it is less."""
        over = self.samples if self.kind == "said" else self.answered
        spread = max(self.share * (1 - self.share), 0.05 * 0.95)
        return math.sqrt(spread / over) if over else math.nan


def simulate(
    quantity: Quantity, index: int, samples: int, before: Mapping[str, Any] | None = None
) -> tuple[Setting, dict[str, Tally]]:
    """One setting: every sample has a seed of its own, so that more samples only add to those taken `before`."""
    setting = quantity.setting(index)
    found = {} if before is None else {name: Tally(**tally) for name, tally in before["found"].items()}
    for number in range(0 if before is None else before["samples"], samples):
        for name, answer in quantity.sample(setting, np.random.default_rng(quantity.seed(index, number))).items():
            tally = found.setdefault(name, Tally("said" if isinstance(answer, Said) else "limits"))
            tally.add(answer)
    return setting, found


def as_data(setting: Setting, samples: int, found: Mapping[str, Tally]) -> dict[str, Any]:
    """What a file keeps of one setting."""
    return {"setting": setting, "samples": samples, "found": {name: _plain(tally) for name, tally in found.items()}}


def _plain(tally: Tally) -> dict[str, Any]:
    """Numbers that JSON knows."""
    parts = asdict(tally)
    return {
        name: part if isinstance(part, str) else float(part) if name == "width" else int(part)
        for name, part in parts.items()
    }


# ---- drawing ----


def between(rng: Generator, low: float, high: float, digits: int = 4) -> float:
    return round(float(rng.uniform(low, high)), digits)


def spread_over(rng: Generator, low: float, high: float, digits: int = 4) -> float:
    """Even on the scale of logarithms."""
    return round(math.exp(float(rng.uniform(math.log(low), math.log(high)))), digits)


def one_of(rng: Generator, *values: Any) -> Any:
    return values[int(rng.integers(len(values)))]


def cases_and_share(
    rng: Generator, low: int = 100, high: int = 5000, *, least: float = 0.02, most: float = 0.5
) -> dict[str, Any]:
    """A number of cases and a share of positives, with ten positives to expect at least."""
    n = round(spread_over(rng, low, high))
    share = spread_over(rng, max(least, ENOUGH / n), most)
    return {"n": n, "share": share, "cases": round(n * min(share, 1 - share), 1)}


def limits_of(one: Any, truth: float, least: float = -math.inf, most: float = math.inf, *, per: float = 1.0) -> Limits:
    """An estimate as limits, divided by `per`."""
    return Limits(one.low / per, one.high / per, truth, least, most)
