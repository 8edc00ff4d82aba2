"""evaluate(model, X, y) and compare({"a": model}, X, y): the same as handing over what the models answer."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import rocscope as rs
from rocscope.errors import RocscopeError

pytest.importorskip("sklearn", reason="no scikit-learn")
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.neighbors import NearestCentroid
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

X, Y = load_breast_cancer(return_X_y=True)
X = X[:, :5]
TRAIN, TEST = slice(0, 300), slice(300, None)


def fitted(model: Any) -> Any:
    return make_pipeline(StandardScaler(), model).fit(X[TRAIN], Y[TRAIN])


LOGISTIC, RIDGE = fitted(LogisticRegression()), fitted(RidgeClassifier())


def test_a_model_is_evaluated_by_its_probabilities() -> None:
    found = rs.evaluate(LOGISTIC, X[TEST], Y[TEST], costs=rs.Costs(fp=1, fn=5))
    asked = rs.evaluate(
        Y[TEST], LOGISTIC.predict_proba(X[TEST])[:, 1], costs=rs.Costs(fp=1, fn=5), name="LogisticRegression"
    )
    assert found.to_dict() == asked.to_dict()


def test_a_model_without_probabilities_by_its_decisions() -> None:
    scores = RIDGE.decision_function(X[TEST])
    assert rs.evaluate(RIDGE, X[TEST], Y[TEST]).auc == rs.evaluate(Y[TEST], scores).auc
    turned = rs.evaluate(RIDGE, X[TEST], Y[TEST], positive=0)
    assert turned.table.labels == (1, 0)
    assert turned.auc.value == pytest.approx(rs.evaluate(Y[TEST], scores).auc.value, abs=1e-12)


def test_a_model_without_scores_by_its_labels() -> None:
    class LabelsOnly(NearestCentroid):  # type: ignore[misc]
        predict_proba = decision_function = property(lambda self: self.absent)

    model = LabelsOnly().fit(X[TRAIN], Y[TRAIN])
    found = rs.evaluate(model, X[TEST], Y[TEST])
    assert found.matrix == rs.Confusion.from_labels(Y[TEST], model.predict(X[TEST]))


def test_several_classes_are_evaluated_by_their_probabilities() -> None:
    data, labels = load_iris(return_X_y=True)
    model = LogisticRegression(max_iter=500).fit(data, labels)
    found = rs.evaluate(model, data, labels)
    assert found.to_dict()["auc"] == rs.evaluate(labels, model.predict_proba(data)).to_dict()["auc"]
    votes = SVC(decision_function_shape="ovo").fit(np.repeat(data, 1, axis=0)[:, :2], np.arange(150) // 38)
    assert rs.evaluate(votes, data[:, :2], np.arange(150) // 38).scores is None  # six votes for four classes


def test_text_labels_need_the_positive_one() -> None:
    names = np.where(Y == 1, "benign", "malignant")
    model = LogisticRegression(max_iter=5000).fit(X[TRAIN], names[TRAIN])
    with pytest.raises(RocscopeError, match="state which is positive"):
        rs.evaluate(model, X[TEST], names[TEST])
    found = rs.evaluate(model, X[TEST], names[TEST], positive="malignant")
    assert found.table.labels == ("benign", "malignant")
    assert found.auc.value > 0.9


def test_models_are_compared() -> None:
    found = rs.compare({"logistic": LOGISTIC, "ridge": RIDGE}, X[TEST], Y[TEST])
    scores = {"logistic": LOGISTIC.predict_proba(X[TEST])[:, 1], "ridge": RIDGE.decision_function(X[TEST])}
    assert found.to_dict() == rs.compare(Y[TEST], scores).to_dict()


def test_slices_are_columns_of_the_rows() -> None:
    pandas = pytest.importorskip("pandas", reason="no pandas")
    frame = pandas.DataFrame(X, columns=list("abcde"))
    site = np.where(np.arange(len(Y)) % 3, "north", "south")
    model = make_pipeline(StandardScaler(), LogisticRegression()).fit(frame[TRAIN], Y[TRAIN])
    frame["a"] = frame["a"].round(-1)
    found = rs.evaluate(model, frame[TEST], Y[TEST], by={"site": site[TEST]})
    assert [one.name for one in found.slices[0].slices] == ["north", "south"]
    assert rs.evaluate(model, frame[TEST], Y[TEST], by="a").slices[0].by == ("a",)
    with pytest.raises(RocscopeError, match="X has no column 'region'"):
        rs.evaluate(model, frame[TEST], Y[TEST], by="region")


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: rs.evaluate(LogisticRegression(), X, Y), "call model.fit"),
        (lambda: rs.evaluate(LOGISTIC, X), "the rows to predict .X. and their true labels"),
        (lambda: rs.compare({"a": LOGISTIC, "b": RIDGE}, X), "the rows to predict .X. and their true labels"),
        (lambda: rs.evaluate([0, 1], [0.2, 0.3], [1, 0]), "the first is not a fitted model"),
        (lambda: rs.compare({"a": LOGISTIC}, X, Y), "two or more"),
    ],
)
def test_what_is_missing_is_said(call: Any, said: str) -> None:
    with pytest.raises(RocscopeError, match=said):
        call()
