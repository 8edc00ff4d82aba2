"""Models that are named or imported, and columns of text as features, so that a raw CSV file can be validated."""

from __future__ import annotations

import math
import os
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import Any

import numpy as np

from rocscope.errors import RocscopeError, did_you_mean
from rocscope.record import record
from rocscope.splits import need_scikit_learn

MISSING = frozenset({"", "na", "n/a", "nan", "null", "none", "?"})
MOST_LEVELS = 50  # maximum number of categories of a column; more are taken for names or identifiers
SCALED = ("logistic", "knn", "svm")
# name -> (scikit-learn module, class, parameters)
MODELS: dict[str, tuple[str, str, dict[str, Any]]] = {
    "logistic": ("linear_model", "LogisticRegression", {"max_iter": 2000}),
    "knn": ("neighbors", "KNeighborsClassifier", {"n_neighbors": 15}),
    "tree": ("tree", "DecisionTreeClassifier", {"min_samples_leaf": 5}),
    "forest": ("ensemble", "RandomForestClassifier", {"n_estimators": 100}),
    "svm": ("svm", "SVC", {}),
    "nb": ("naive_bayes", "GaussianNB", {}),
    "boosting": ("ensemble", "HistGradientBoostingClassifier", {}),
    "majority": ("dummy", "DummyClassifier", {"strategy": "prior"}),
}


def classifier(name: str, features: Features | None = None) -> Any:
    """A named model as a pipeline: missing numbers filled with the median, numbers scaled where that matters,
    categories one-hot encoded; everything is learned inside each training set.

    >>> list(classifier("logistic").named_steps)
    ['prepare', 'logistic']
    """
    need_scikit_learn("models by name")
    from sklearn.pipeline import Pipeline

    if name not in MODELS:
        raise RocscopeError(
            f"there is no model '{name}'", hint=did_you_mean(name, MODELS) or f"Known: {', '.join(MODELS)}"
        )
    module, kind, settings = MODELS[name]
    model = getattr(import_module(f"sklearn.{module}"), kind)(**settings)
    return Pipeline([("prepare", preparation(features, scaled=name in SCALED)), (name, model)])


def prepared(model: Any, features: Features | None = None) -> Any:
    """A user's model, preceded by the same preprocessing of columns: scaled numbers, encoded categories."""
    from sklearn.pipeline import Pipeline

    return Pipeline([("prepare", preparation(features, scaled=True)), ("model", model)])


def imported_model(name: str) -> Any:
    """A user-defined model, `module:factory`, which may be in the working directory; only that module is imported."""
    module, _, factory = name.partition(":")
    if os.getcwd() not in sys.path:
        # appended last, so that a file next to the data cannot shadow an installed package
        sys.path.append(os.getcwd())
    try:
        imported = getattr(import_module(module), factory)
    except ImportError as error:
        raise RocscopeError(f"model '{name}': {error}", hint="module:factory, in the current folder") from None
    except AttributeError:
        raise RocscopeError(f"module {module} has no '{factory}'") from None
    ready = hasattr(imported, "fit") and not isinstance(imported, type)
    return imported if ready or not callable(imported) else imported()


def demo_data(name: str = "breast") -> tuple[Any, Any]:
    """Features and labels of a data set that comes with scikit-learn.

    `breast`: 569 breast masses, 212 of them malignant (Wisconsin, 1995). `iris`: 150 flowers of three species
    (Fisher 1936, Annals of Eugenics 7:179).

    >>> X, y = demo_data("iris")
    >>> len(X), sorted(set(y))
    (150, ['setosa', 'versicolor', 'virginica'])
    """
    need_scikit_learn("models by name")
    from sklearn import datasets

    loaders = {"breast": datasets.load_breast_cancer, "iris": datasets.load_iris}
    if name not in loaders:
        raise RocscopeError(f"there is no demo named {name!r}", hint=f"Known: {', '.join(loaders)}")
    bunch = loaders[name]()
    return bunch.data, [str(bunch.target_names[code]) for code in bunch.target]


def preparation(features: Features | None, *, scaled: bool) -> Any:
    """The step that converts columns to numbers."""
    from sklearn.compose import ColumnTransformer
    from sklearn.impute import SimpleImputer
    from sklearn.pipeline import Pipeline
    from sklearn.preprocessing import OneHotEncoder, StandardScaler

    filled = SimpleImputer(strategy="median", keep_empty_features=True)
    numbers = Pipeline([("fill", filled), ("scale", StandardScaler())]) if scaled else filled
    if features is None:
        return numbers
    encoded = OneHotEncoder(handle_unknown="ignore", sparse_output=False)
    parts = [("numbers", numbers, list(features.numbers)), ("categories", encoded, list(features.categories))]
    return ColumnTransformer([part for part in parts if part[2]])


# ---- features from text columns ----


@record(eq=False)
class Features:
    """Columns of a file as a matrix: numbers as they are, categories as codes; NaN where a cell is missing.

    `numbers` and `categories` are the positions of the columns of each kind, `left_out` says which columns are not used
    and why, `missing` how many cells of each column are blank.
    """

    X: Any
    names: tuple[str, ...]
    numbers: tuple[int, ...]
    categories: tuple[int, ...]
    left_out: dict[str, str]
    missing: dict[str, int]

    @property
    def words(self) -> str:
        """A sentence that states how the columns are used."""
        parts = []
        if self.numbers:
            parts.append(
                f"{len(self.numbers)} number{'s' * (len(self.numbers) != 1)} (scaled where the model needs it)"
            )
        if self.categories:
            plural = "ies" if len(self.categories) != 1 else "y"
            parts.append(f"{len(self.categories)} categor{plural} (one-hot encoded)")
        sentence = " and ".join(parts)
        blank = sum(self.missing.values())
        if blank:
            sentence += (
                f"; {blank} missing cell{'s' * (blank != 1)}, replaced by medians for numbers and by a category of "
                "their own otherwise"
            )
        return sentence + "; all of this is learned inside each training set"

    def to_dict(self) -> dict[str, Any]:
        """The preparation, for the results document."""
        return {
            "numbers": [self.names[i] for i in self.numbers],
            "categories": [self.names[i] for i in self.categories],
            "left_out": dict(self.left_out),
            "missing": dict(self.missing),
            "words": self.words,
        }


def features_of(columns: dict[str, Sequence[str]]) -> Features:
    """Columns of text as features: columns of numbers are numeric, all others are categorical.

    >>> found = features_of({"age": ["31", "?", "50"], "town": ["Rome", "Oslo", "Rome"], "id": ["a", "b", "c"]})
    >>> found.names, found.X.tolist()[0], found.left_out
    (('age', 'town'), [31.0, 1.0], {'id': 'a different value in every row'})
    """
    names, arrays, kinds = [], [], []
    left_out, missing = {}, {}
    for name, cells in columns.items():
        values, kind, why = _column([cell.strip() for cell in cells])
        if why:
            left_out[name] = why
            continue
        names.append(name)
        arrays.append(values)
        kinds.append(kind)
        blank = int(np.isnan(values).sum())
        if blank:
            missing[name] = blank
    if not names:
        reasons = "; ".join(f"{name}: {why}" for name, why in left_out.items())
        raise RocscopeError(f"there is no column to learn from ({reasons or 'there is only the target'})")
    numbers = tuple(i for i, kind in enumerate(kinds) if kind == "number")
    categories = tuple(i for i, kind in enumerate(kinds) if kind == "category")
    return Features(np.column_stack(arrays), tuple(names), numbers, categories, left_out, missing)


def _column(cells: list[str]) -> tuple[Any, str, str]:
    known = [cell for cell in cells if cell.lower() not in MISSING]
    distinct = sorted(set(known))
    if not known:
        return np.empty(0), "", "no value in any row"
    if len(distinct) == 1 and len(known) == len(cells):
        return np.empty(0), "", "the same value in every row"
    numbers = [math.nan if cell.lower() in MISSING else _number(cell) for cell in cells]
    if all(number is not None for number in numbers):
        return np.array(numbers, dtype=np.float64), "number", ""
    if len(distinct) == len(known) and len(known) > 2:
        return np.empty(0), "", "a different value in every row"
    if len(distinct) > MOST_LEVELS:
        return np.empty(0), "", f"{len(distinct)} different text values: too many for categories"
    codes = {value: float(code) for code, value in enumerate(distinct)}
    return np.array([codes.get(cell, math.nan) for cell in cells]), "category", ""


def _number(cell: str) -> float | None:
    try:
        value = float(cell)
    except ValueError:
        return None
    return value if math.isfinite(value) else None
