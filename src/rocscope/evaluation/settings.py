"""The user's settings for an evaluation and its columns, validated once and passed everywhere."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Mapping
from dataclasses import replace
from numbers import Integral, Real
from typing import Any

import numpy as np

from rocscope import tally
from rocscope.decisions import CostMatrix, Costs, Referral, checked_costs, referral_of
from rocscope.errors import RocscopeError
from rocscope.numbers import checked_level, json_number, plain
from rocscope.record import record
from rocscope.sources import BY, only_match, spoken

Progress = Callable[[int, int], None]


@record(slots=True)
class Settings:
    """The settings of an evaluation: threshold or rule, costs, intervals, resampling and seed.

    `threshold` is given by the user; `choose` is a rule that chooses it, such as "youden", "f1" or "recall where
    precision >= 0.9"; with neither, the cheapest threshold is chosen if there are costs. `interval` is the method for
    the AUC, and `bootstrap` is the number of resamples if resampling is requested. `cross_fit` is the number of folds
    in which a rule chooses a threshold without the cases it decides. `unit` is the noun for a case. `test` names the
    test for comparing models (DeLong's by default), and `measure` names the measure that decides between models if no
    costs are given (the AUC by default). `cost_matrix` contains the costs of decisions among several classes, and
    `refer` is the rule for a zone between two thresholds. `case_costs` contains the costs of errors if they differ from
    case to case: names of columns, or a number.
    """

    level: float = 0.95
    interval: str = "newcombe"
    bootstrap: int = 0
    seed: int = 0
    costs: Costs | None = None
    threshold: float | None = None
    choose: str | None = None
    unit: str = "case"
    cross_fit: int = 0
    test: str | None = None
    measure: str | None = None
    cost_matrix: CostMatrix | None = None
    refer: Any = None
    case_costs: Mapping[str, Any] | None = None
    margin: float | None = None

    def __post_init__(self) -> None:
        checked_level(self.level)
        checked_seed(self.seed)
        checked_costs(self.costs)
        checked_threshold(self.threshold)
        if self.choose is not None and not isinstance(self.choose, str):
            raise RocscopeError(
                f"choose must be the name of a rule, not {self.choose!r}", hint="For example: choose='youden'"
            )
        if not isinstance(self.unit, str):
            raise RocscopeError(f"unit must be text, not {self.unit!r}", hint="Give the noun for a case, such as "
            "'loan'")
        if self.threshold is not None and self.choose is not None:
            raise RocscopeError(
                "a threshold cannot be combined with a rule for choosing one",
                hint="Give threshold=... or choose=..., not both",
            )
        checked_margin(self.margin)
        if self.refer is not None:
            referral_of(self.refer, self.costs)
        if self.case_costs is not None and (self.costs is not None or self.cross_fit):
            what = "common costs" if self.costs is not None else "cross-fitting"
            raise RocscopeError(f"cost_column= and {what} cannot be combined", hint="Give only one of the two")
        if self.cross_fit and not self.chooses:
            raise RocscopeError(
                "cross-fitting needs a rule for choosing a threshold", hint="Give a rule (choose=) or costs="
            )
        if self.cross_fit and self.threshold is not None:
            raise RocscopeError(
                "a threshold cannot be combined with cross-fitting, which chooses one", hint="Give only one of the two"
            )
        if self.measure is not None and self.costs is not None:
            raise RocscopeError(
                "costs and a measure to decide between models cannot be combined",
                hint="Costs decide if they are given; give only one of the two",
            )
        checked_number("bootstrap", self.bootstrap or None, "Give the number of resamples, such as 2000", whole=True)
        if self.bootstrap and not 100 <= self.bootstrap <= 1_000_000:
            raise RocscopeError(f"the number of resamples must be between 100 and 1,000,000, not {self.bootstrap}")

    @property
    def chooses(self) -> bool:
        """Whether a threshold, a rule or costs were given."""
        given = (self.threshold, self.choose, self.costs, self.case_costs)
        return any(argument is not None for argument in given)

    @property
    def referral(self) -> Referral | None:
        """The rule for a zone between two thresholds; None if no zone was requested."""
        return None if self.refer is None else referral_of(self.refer, self.costs)

    def to_dict(self) -> dict[str, Any]:
        """The settings as written in the results document."""
        return {
            "level": self.level,
            "interval": self.interval,
            "bootstrap": self.bootstrap,
            "seed": self.seed,
            "costs": None if self.costs is None else costs_document(self.costs),
            "threshold": json_number(self.threshold),
            "choose": self.choose,
            "unit": self.unit,
            "cross_fit": self.cross_fit,
            **({} if self.measure is None else {"measure": self.measure}),
            **({} if self.margin is None else {"margin": self.margin}),
            **({} if self.refer is None else {"refer": str(self.refer)}),
            **({} if self.case_costs is None else {"case_costs": dict(self.case_costs)}),
            **({} if self.cost_matrix is None else {"cost_matrix": self.cost_matrix.to_dict()}),
        }


def checked_threshold(threshold: Any) -> None:
    """Raise an error for a threshold that is not a number: the name of a rule belongs in `choose`."""
    if threshold is None:
        return
    if isinstance(threshold, bool) or not hasattr(threshold, "__float__"):
        hint = f"To choose by a rule, use choose={threshold!r}" if isinstance(threshold, str) else "0.5, for example"
        raise RocscopeError(f"threshold must be a number, not {threshold!r}", hint=hint)
    try:
        value = float(threshold)
    except (TypeError, ValueError, OverflowError):
        problem = f"threshold must be a number that a float can represent, not {str(threshold)[:40]}"
        raise RocscopeError(problem, hint="0.5, for example") from None
    if math.isnan(value):
        raise RocscopeError(
            "threshold must not be NaN", hint="Use inf to flag nothing, or -inf to flag everything"
        )


def checked_number(name: str, value: Any, hint: str, *, whole: bool = False) -> None:
    """Raise an error for a setting that is neither None nor a number."""
    if value is not None and (isinstance(value, bool) or not isinstance(value, Integral if whole else Real)):
        raise RocscopeError(f"{name} must be {'an integer' if whole else 'a number'}, not {value!r}", hint=hint)


def checked_margin(margin: Any) -> None:
    """Raise an error for a margin of equivalence that is not a positive number.

    >>> checked_margin(0.02)
    """
    checked_number("margin", margin, "Give, for example, 0.02 for an AUC")
    if margin is not None and not 0 < margin < math.inf:
        raise RocscopeError(
            f"margin must be a positive number, not {margin!r}", hint="Give, for example, 0.02 for an AUC"
        )


def checked_seed(seed: Any) -> int:
    """A seed that gives the same numbers everywhere: a whole number, 0 or more."""
    if isinstance(seed, bool) or not isinstance(seed, int) or not 0 <= seed < 2**63:
        raise RocscopeError(f"seed must be an integer of at least 0, not {seed!r}")
    return seed


def costs_document(costs: Costs) -> dict[str, Any]:
    """The costs as they appear in the results document."""
    cells = {name: float(getattr(costs, name)) for name in ("fp", "fn", "tp", "tn")}
    return {**cells, "prevalence": None if costs.prevalence is None else float(costs.prevalence)}


@record(slots=True)
class Request:
    """The cases and how to read them: names of columns, or the columns themselves.

    For a source, `label`, `weights` and `clusters` are names and `by` is a tuple of names; in memory, they are arrays,
    and `by` maps names to arrays. `missing`, `tolerance`, `exact` and `budget` apply to sources only.
    """

    label: Any
    positive: Any = None
    weights: Any = None
    weights_are: str = "sampling"
    higher_is_positive: Any = True  # with several models, also one value per model
    clusters: Any = None
    by: Any = None
    crossed: bool = False
    missing: str = "error"
    tolerance: float | None = None
    exact: bool = False
    budget: int | None = None
    progress: Progress | None = None
    case_costs: Any = None
    label_name: str = "label"
    """The name of the labels in messages: their column, if they came from one."""

    def __post_init__(self) -> None:
        if self.case_costs is not None and self.weights is not None:
            raise RocscopeError(
                "cost_column= and weights cannot be combined",
                hint="Multiply each cost by the weight of its row instead",
            )
        if hasattr(self.by, "__array__"):
            hint = 'Give by={"region": regions}, with one value for each case; for a frame, by="column"'
            raise RocscopeError("by must have a name, but it is an array without one", hint=hint)
        if self.crossed and self.by is None:
            raise RocscopeError("crossed=True needs slices", hint="Name two columns in by=")
        if self.weights is None and self.weights_are != "sampling":
            raise RocscopeError(f"weights_are={self.weights_are!r} needs weights", hint="Add weights=, or leave it out")
        checked_number(
            "budget", self.budget, "Give the memory for rows in bytes, for example 500 * 2**20", whole=True
        )
        checked_number("tolerance", self.tolerance, "Give the largest acceptable error of an AUC, for example 1e-6")
        if not isinstance(self.exact, bool | np.bool_):
            raise RocscopeError(f"exact must be True or False, not {self.exact!r}")
        if not isinstance(self.higher_is_positive, bool | np.bool_ | Mapping):
            raise RocscopeError(f"higher_is_positive must be True or False, not {self.higher_is_positive!r}")
        if self.tolerance is not None and not self.tolerance > 0:
            raise RocscopeError(f"tolerance must be a positive number such as 1e-6, not {self.tolerance}")

    def said(self, *names: str) -> dict[str, Any]:
        """The arguments that differ from their defaults."""
        usual = Request(None)
        pairs = ((name, getattr(self, name), getattr(usual, name)) for name in names)
        return {name: value for name, value, default in pairs if type(value) is not type(default) or value != default}

    def by_name(self) -> Request:
        """The request with columns by name; arrays are refused, because they would not match if rows are left out."""
        for name in ("weights", "clusters"):
            if not isinstance(getattr(self, name), str | None):
                raise RocscopeError(f"label names a column, but {name} is an array", hint=f'Give {name}="column"')
        if any(
            not isinstance(case_cost, str) and hasattr(case_cost, "__len__")
            for case_cost in (self.case_costs or {}).values()
        ):
            raise RocscopeError("label names a column, but cost_column is an array", hint='Give cost_column="column"')
        if isinstance(self.by, Mapping):
            raise RocscopeError(
                "label names a column, but by contains arrays", hint='Give by="column" or by=["a", "b"]'
            )
        by = (self.by,) if isinstance(self.by, str) else tuple(dict.fromkeys(self.by or ()))
        return replace(self, by=by)

    def needed(self, scores: Mapping[str, str]) -> dict[str, str]:
        """The role of each column: label, scores, weights, clusters; otherwise slices."""
        wanted = {self.label: "label", **scores}
        priced = [(case_cost, "cost") for case_cost in (self.case_costs or {}).values() if isinstance(case_cost, str)]
        more = ((self.weights, "weight"), (self.clusters, "cluster"), *priced)
        return dict.fromkeys(self.by, BY) | wanted | {name: what for name, what in more if name is not None}

    def holding(self, rows: Mapping[str, Any]) -> Request:
        """The request with the columns themselves in place of their names."""
        label, weights, clusters = (rows.get(name) for name in (self.label, self.weights, self.clusters))
        positive, by = in_type_of(self.positive, label, str(self.label)), {name: rows[name] for name in self.by}
        prices = self.case_costs
        if prices is not None:
            prices = {side: rows[price] if isinstance(price, str) else price for side, price in prices.items()}
        return replace(
            self, label=label, positive=positive, weights=weights, clusters=clusters, by=by, case_costs=prices,
            label_name=str(self.label),
        )  # fmt: skip


def in_type_of(positive: Any, labels: Any, name: str = "the labels") -> Any:
    """The positive label in the type of the labels, by the common rule of the sources."""
    labels = labels.labels if isinstance(labels, tally.Dictionary) else labels
    if positive is None or not len(labels):
        return positive
    first = plain(labels[0])
    return (
        only_match(positive, list(dict.fromkeys(labels)), name) if isinstance(first, str) else spoken(positive, first)
    )


def no_threshold(
    settings: Settings, request: Request, choose_on: Any, *, per_class: bool = False, compared: bool = False,
    saved: bool = False,
) -> None:  # fmt: skip
    """Raise an error for settings that do not apply to several classes or hard labels: ignoring them would mislead.

    `compared` models are resampled, by cases or by clusters; `saved` are sums, whose cases were decided before.
    """
    if saved and settings.cost_matrix is not None:
        raise RocscopeError(
            "a cost matrix needs the probabilities of each case, which these sums do not contain",
            hint="Evaluate the cases with the cost matrix, or leave it out",
        )
    wanted = {
        "a threshold": settings.threshold is not None,
        "a rule to choose a threshold": settings.choose is not None,
        "cross-fitting": bool(settings.cross_fit),
        "choosing a threshold on other cases": choose_on is not None,
        "costs of two classes": settings.costs is not None and not compared,
        "clusters": request.clusters is not None and not compared,
        "the bootstrap": bool(settings.bootstrap) and not compared,
        "low scores as positive": not request.higher_is_positive,
        "a frequency of each row": per_class and request.weights_are == "frequency",
    }
    wanted |= {"a margin of equivalence": settings.margin is not None}
    wanted |= {
        "costs of individual cases": settings.case_costs is not None,
        "referring cases": settings.refer is not None,
    }
    for what, requested in wanted.items():
        if requested:
            hint = "Give one score column, or leave it out"
            if per_class and what == "a threshold":
                hint = "Give a threshold for each class, or leave it out"
            raise RocscopeError(f"one score per case is required for {what}", hint=hint)


def refuse_cost_matrix(settings: Settings) -> None:
    """Raise an error for multiclass costs if there is one score per case."""
    if settings.cost_matrix is not None:
        raise RocscopeError("a cost matrix needs a score for each class", hint="For two classes, use Costs(fp=1, fn=5)")


def is_saved(given: Any) -> bool:
    """Whether all paths name saved tables, according to their extensions or the metadata of the file."""
    paths = given if isinstance(given, list | tuple) and given else [given]
    return all(isinstance(path, str | os.PathLike) and _is_table(os.fspath(path)) for path in paths)


def _is_table(path: str) -> bool:
    from rocscope.sources import TABLE_ENDINGS, holds_table

    if path.lower().endswith(TABLE_ENDINGS):
        return True
    try:
        return os.path.isfile(path) and holds_table(path)
    except ValueError:  # a label that is not a valid path
        return False
