"""Calibrators: maps from scores to probabilities, learned from a score table.

Every method needs no more than the table: each distinct score with its positives and negatives. Isotonic regression is
the hull's own (`hull.pav`); the others are logistic fits, of the score itself or of its log-odds.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Callable, Mapping
from dataclasses import field
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rocscope import curves, hull, tally
from rocscope.errors import RocscopeError, did_you_mean
from rocscope.numbers import expits, floats, logits, plain
from rocscope.record import record
from rocscope.table import ScoreTable
from rocscope.version import VERSION

Array = NDArray[Any]
Parameters = dict[str, Any]

SCHEMA = "rocscope-calibrator/1"
NEAREST = 2.0**-52  # distance kept from probabilities 0 and 1, which have no finite log-odds
SEPARATED = 1e-9  # log-likelihood per case above which the classes are treated as separated


class CalibratorMethod(NamedTuple):
    """A calibration method: how it is learned from a table, how it is applied, and what it requires."""

    learn: Callable[[ScoreTable], Parameters]
    apply: Callable[[Array, Mapping[str, Any]], Array]
    says: str
    cite: str
    needs_probabilities: bool = True


@record
class Calibrator:
    """A map from scores to probabilities of the positive class.

    `parameters` are plain numbers, `learned_on` gives the numbers of cases and positives, and `labels` are (negative,
    positive). `apply` maps new scores; `save` and `load` store it as JSON.
    """

    method: str
    parameters: Mapping[str, Any]
    higher_is_positive: bool = True
    labels: tuple[Any, Any] = (0, 1)
    learned_on: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))

    def apply(self, scores: Any) -> Array:
        """The calibrated probability of each score.

        >>> learned([0, 0, 1, 1], [1.0, 3.0, 2.0, 4.0], "isotonic").apply([2.5, 9.0])
        array([0.5, 1. ])
        """
        values = floats(tally.numeric(scores, "score"))
        method = method_named(self.method)
        if method.needs_probabilities:
            _refuse_beyond(values, self.method)
        return method.apply(values if self.higher_is_positive else -values, self.parameters)

    def of_table(self, table: ScoreTable) -> ScoreTable:
        """The score table with every score replaced by its calibrated probability; tied scores are merged."""
        values, positions = np.unique(self.apply(table.scores), return_inverse=True)
        columns = [table.pos, table.neg, *((table.pos_squares, table.neg_squares) if table.weighted else ())]
        pos, neg, *squares = (_summed(column, positions, len(values))[::-1] for column in columns)
        up, down = squares or (None, None)
        return ScoreTable(values[::-1].copy(), pos, neg, True, table.labels, up, down, table.rows)

    def to_dict(self) -> dict[str, Any]:
        """The calibrator as plain data, in the form that `save` writes."""
        return {
            "schema": SCHEMA,
            "rocscope": VERSION,
            "method": self.method,
            "parameters": {name: _listed(value) for name, value in self.parameters.items()},
            "higher_is_positive": self.higher_is_positive,
            "labels": [plain(label) for label in self.labels],
            "learned_on": dict(self.learned_on),
        }

    def save(self, path: str | os.PathLike[str], *, force: bool = False) -> None:
        """Write the calibrator as JSON, completely or not at all; an existing file is kept unless `force`."""
        from rocscope import wire

        wire("Calibrator.save")(path, json.dumps(self.to_dict(), indent=2) + "\n", force=force)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Calibrator:
        """The calibrator saved in a file."""
        try:
            with open(path, encoding="utf-8") as file:
                content = json.load(file)
        except OSError as error:
            raise RocscopeError(f"cannot read {path}: {error.strerror}") from None
        except ValueError:
            raise RocscopeError(f"{path} is not a calibrator: it is not JSON") from None
        return cls.of_dict(content, name=os.fspath(path))

    @classmethod
    def of_dict(cls, found: Any, *, name: str = "the calibrator") -> Calibrator:
        """The calibrator from plain data, after validation."""
        if not isinstance(found, dict) or found.get("schema") != SCHEMA:
            raise RocscopeError(
                f'{name} is not a rocscope calibrator: "schema" is not "{SCHEMA}"',
                hint="Use a file written by Calibrator.save",
            )
        try:
            method, labels = str(found["method"]), found["labels"]
            given = {str(key): _checked(value) for key, value in found["parameters"].items()}
            calibrator = cls(
                method, MappingProxyType(given), bool(found["higher_is_positive"]), (labels[0], labels[1]),
                MappingProxyType(dict(found["learned_on"])),
            )  # fmt: skip
            calibrator.apply([0.5])  # raises an error if a required parameter is missing
        except (KeyError, TypeError, IndexError, AttributeError, ValueError) as error:
            raise RocscopeError(
                f"{name} is an incomplete calibrator: {error}", hint="Use a file written by Calibrator.save"
            ) from None
        return calibrator

    def __repr__(self) -> str:
        shown = ", ".join(f"{name}={value:.4g}" for name, value in self.parameters.items() if np.ndim(value) == 0)
        cases = self.learned_on.get("cases")
        return f"Calibrator({self.method}{f', {shown}' if shown else ''}, learned on {cases:,} cases)"


def learned(
    y: Any,
    score: Any,
    method: str = "isotonic",
    *,
    positive: Any = None,
    weights: Any = None,
    higher_is_positive: bool = True,
) -> Calibrator:
    """The calibrator learned from labels and scores: "isotonic", "platt", "logistic", "beta" or "temperature".

    >>> y, s = [0, 0, 1, 0, 1, 0, 1, 1], [0.1, 0.2, 0.3, 0.4, 0.6, 0.7, 0.8, 0.9]
    >>> learned(y, s, "temperature")
    Calibrator(temperature, temperature=0.9311, learned on 8 cases)
    """
    table = ScoreTable.from_scores(y, score, positive=positive, weights=weights, higher_is_positive=higher_is_positive)
    return learned_on(table, method)


def learned_on(table: ScoreTable, method: str = "isotonic") -> Calibrator:
    """The calibrator learned from a score table.

    >>> table = ScoreTable.from_scores([0, 1, 0, 1], [-1.0, -0.5, 0.5, 2.0])
    >>> learned_on(table, "platt")
    Calibrator(platt, slope=0.3922, intercept=-0.09434, learned on 4 cases)
    """
    how = method_named(method)
    if not table.positives or not table.negatives:
        raise RocscopeError(
            f"no {'negatives' if table.positives else 'positives'}: calibration is impossible",
            hint="Both classes are needed",
        )
    if how.needs_probabilities and not curves.is_probability(table):
        raise RocscopeError(
            f"{method} calibration requires probabilities, but the scores are not probabilities",
            hint="Use isotonic or platt, which accept any scores",
        )
    about = {"cases": sum(table.rows), "positives": table.rows[0]}
    return Calibrator(
        method, MappingProxyType(how.learn(table)), table.higher_is_positive, table.labels, MappingProxyType(about)
    )


# ---- isotonic regression: the hull ----


def _isotonic(table: ScoreTable) -> Parameters:
    """The ends of each block of the hull from the lowest score up, and its probability."""
    blocks = hull.pav(table).blocks[::-1]
    sign = 1.0 if table.higher_is_positive else -1.0
    ends = [sign * float(end) for block in blocks for end in (block.end, block.start)]
    values = [block.probability for block in blocks for _ in (0, 1)]
    # a block with a single score has one point
    fresh = [index for index in range(len(ends)) if index == 0 or ends[index] != ends[index - 1]]
    return {"scores": tuple(ends[index] for index in fresh), "probabilities": tuple(values[index] for index in fresh)}


def _interpolated(values: Array, parameters: Mapping[str, Any]) -> Array:
    """Constant on the blocks and beyond the ends, linear between two blocks."""
    return np.asarray(np.interp(values, parameters["scores"], parameters["probabilities"]))


# ---- logistic fits ----


def _platt(table: ScoreTable) -> Parameters:
    """Slope and intercept on the score itself, with Platt's targets: (n+ + 1) / (n+ + 2) and 1 / (n- + 2)."""
    sign = 1.0 if table.higher_is_positive else -1.0
    scores, pos, neg = sign * floats(table.scores), floats(table.pos), floats(table.neg)
    up, down = (pos.sum() + 1) / (pos.sum() + 2), 1 / (neg.sum() + 2)
    centre, spread = float(scores.mean()), float(np.abs(scores - scores.mean()).max()) or 1.0
    features = np.stack([(scores - centre) / spread, np.ones(len(scores))])
    slope, intercept = _fitted(features, pos * up + neg * down, pos * (1 - up) + neg * (1 - down), "platt")
    return {"slope": slope / spread, "intercept": intercept - slope * centre / spread}


def _sigmoid(values: Array, parameters: Mapping[str, Any]) -> Array:
    return expits(parameters["slope"] * values + parameters["intercept"])


def _logistic(table: ScoreTable) -> Parameters:
    fit = curves.calibration_fit(curves.clipped(table, NEAREST))
    if math.isnan(fit.slope):
        raise _separate("logistic")
    return {"slope": fit.slope, "intercept": fit.intercept}


def _log_odds(values: Array, parameters: Mapping[str, Any]) -> Array:
    return expits(parameters["slope"] * logits(_inside(values)) + parameters["intercept"])


def _temperature(table: ScoreTable) -> Parameters:
    (slope,) = _fitted(logits(_inside(floats(table.scores)))[None], floats(table.pos), floats(table.neg), "temperature")
    if slope <= 0:
        raise RocscopeError(
            "no temperature fits, because the high probabilities belong to negatives",
            hint="Check that the positive label is the right one",
        )
    return {"temperature": 1 / slope}


def _tempered(values: Array, parameters: Mapping[str, Any]) -> Array:
    return expits(logits(_inside(values)) / parameters["temperature"])


def _beta(table: ScoreTable) -> Parameters:
    """logit q = a ln p - b ln(1 - p) + c; a coefficient below 0 is left out, so that the map stays monotone."""
    p = _inside(floats(table.scores))
    features = np.stack([np.log(p), -np.log1p(-p), np.ones(len(p))])
    free = [0, 1, 2]
    while True:
        coefficients = np.zeros(3)
        coefficients[free] = _fitted(features[free], floats(table.pos), floats(table.neg), "beta")
        wrong = [index for index in free if index < 2 and coefficients[index] < 0]
        if not wrong:
            return dict(zip(("a", "b", "c"), map(float, coefficients), strict=True))
        free.remove(min(wrong, key=lambda index: coefficients[index]))


def _beta_map(values: Array, parameters: Mapping[str, Any]) -> Array:
    p = _inside(values)
    return expits(parameters["a"] * np.log(p) - parameters["b"] * np.log1p(-p) + parameters["c"])


def _fitted(features: Array, pos: Array, neg: Array, method: str) -> Array:
    """Coefficients of the largest logistic likelihood by Newton's method, steps halved until they climb."""
    coefficients: Array = np.zeros(len(features))
    total = float(pos.sum() + neg.sum())
    height = _likelihood(coefficients, features, pos, neg)
    for _ in range(100):
        chance = expits(coefficients @ features)
        slopes = features @ (pos - (pos + neg) * chance)
        information = (features * ((pos + neg) * chance * (1 - chance))) @ features.T
        step: Array = np.linalg.lstsq(information, slopes, rcond=None)[0]
        climb = float(slopes @ step)
        while (tried := _likelihood(coefficients + step, features, pos, neg)) < height and climb > 1e-12 * total:
            step, climb = step / 2, climb / 2
        coefficients, height = coefficients + step, max(height, tried)
        if height > -SEPARATED * total:
            break
        if climb <= 1e-12 * total:
            return coefficients
    raise _separate(method)


def _likelihood(coefficients: Array, features: Array, pos: Array, neg: Array) -> float:
    eta = coefficients @ features
    return float(pos @ -np.logaddexp(0, -eta) + neg @ -np.logaddexp(0, eta))


def _separate(method: str) -> RocscopeError:
    return RocscopeError(
        f"the scores separate the classes: {method} calibration has no finite fit",
        hint="Use isotonic or platt, or learn on more cases",
    )


# ---- lookup by name ----

METHODS: Mapping[str, CalibratorMethod] = MappingProxyType(
    {
        "isotonic": CalibratorMethod(
            _isotonic, _interpolated,
            "An increasing step function (pool adjacent violators); for any scores, with many cases.",
            "Zadrozny & Elkan 2002, KDD, 694-699", needs_probabilities=False,
        ),
        "platt": CalibratorMethod(
            _platt, _sigmoid, "A logistic function of the score; for decision values, with few cases.",
            "Platt 1999, Advances in Large Margin Classifiers, 61-74", needs_probabilities=False,
        ),
        "logistic": CalibratorMethod(
            _logistic, _log_odds, "Slope and intercept on the log-odds of the probability.",
            "Cox 1958, Biometrika 45:562-565",
        ),
        "beta": CalibratorMethod(
            _beta, _beta_map, "Three parameters; also for probabilities that are too extreme on one side only.",
            "Kull, Silva Filho & Flach 2017, Electronic Journal of Statistics 11:5052-5080",
        ),
        "temperature": CalibratorMethod(
            _temperature, _tempered, "One parameter that divides the log-odds; for overconfident neural networks.",
            "Guo et al. 2017, ICML, 1321-1330",
        ),
    }
)  # fmt: skip


def method_named(name: str) -> CalibratorMethod:
    """The method with that name; an error suggests similar names."""
    if name not in METHODS:
        hint = did_you_mean(str(name), METHODS) or f"Known: {', '.join(METHODS)}"
        raise RocscopeError(f"there is no calibration method '{name}'", hint=hint)
    return METHODS[name]


def _inside(values: Array) -> Array:
    return np.asarray(np.clip(values, NEAREST, 1 - NEAREST))


def _refuse_beyond(values: Array, method: str) -> None:
    wrong = np.flatnonzero((values < 0) | (values > 1))
    if wrong.size:
        row = int(wrong[0])
        raise RocscopeError(f"{method} calibration requires probabilities, but row {row} has {values[row]:g}")


def _summed(column: Any, positions: Array, size: int) -> Array:
    sums = np.zeros(size, dtype=column.dtype)
    np.add.at(sums, positions, column)
    return sums


def _listed(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value


def _checked(value: Any) -> Any:
    numbers = tuple(float(number) for number in value) if isinstance(value, list) else (float(value),)
    if not all(map(math.isfinite, numbers)):
        raise ValueError("a parameter is not finite")
    return numbers if isinstance(value, list) else numbers[0]
