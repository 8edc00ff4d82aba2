"""scikit-learn's checks of estimators on ours, all of them:   python tests/peer/estimators.py"""

from __future__ import annotations

import sys
import warnings

from sklearn.linear_model import LogisticRegression
from sklearn.utils.estimator_checks import check_estimator

import rocscope.sklearn as ours

# predict must agree with decision_function > 0 there, which a chosen threshold does not
CHOSEN = {"check_classifiers_train": "decides at its own threshold"}


def main() -> int:
    """Print the outcomes by class; 1 when a check fails."""
    warnings.simplefilter("ignore")
    failed = 0
    model = LogisticRegression()
    for one in (
        ours.ThresholdClassifier(model),
        ours.CostThresholdClassifier(model, cost_fn=5),
        ours.CalibratedClassifier(model),
    ):
        found = check_estimator(one, expected_failed_checks=CHOSEN, on_fail=None, on_skip=None)
        wrong = [check["check_name"] for check in found if check["status"] == "failed"]
        passed = sum(check["status"] == "passed" for check in found)
        print(f"{type(one).__name__}: {passed} passed, {len(wrong)} failed {' '.join(wrong)}")
        failed += len(wrong)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
