"""Models that predict classes or labels compared: tests on right and wrong, on classes, and by any measure."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from rocscope import RocscopeError, significance

FROZEN = json.loads((Path(__file__).parent / "oracles" / "classes.json").read_text("utf-8"))


@pytest.mark.parametrize("one", FROZEN["squares"], ids=lambda one: f"{one['k']} classes")
def test_symmetry_and_margins_equal_those_of_r(one: dict[str, object]) -> None:
    cells = np.array(one["cells"]).reshape(one["k"], one["k"])
    symmetry, margins = significance.bowker(cells), significance.stuart_maxwell(cells)
    assert symmetry.statistic == pytest.approx(one["bowker"], rel=1e-10) and symmetry.df == one["bowker_df"]
    assert symmetry.p == pytest.approx(one["bowker_p"], rel=1e-9)
    assert margins.statistic == pytest.approx(one["margins"], rel=1e-9) and margins.df == one["margins_df"]
    assert margins.p == pytest.approx(one["margins_p"], rel=1e-9)
    if one["k"] == 2:
        alone = significance.mcnemar(cells[0, 1], cells[1, 0], method="chi2")
        assert symmetry.statistic == pytest.approx(alone.statistic, rel=1e-12) and symmetry.p == pytest.approx(alone.p)


@pytest.mark.parametrize("one", FROZEN["answers"], ids=lambda one: f"{one['models']} models")
def test_cochran_equals_that_of_r(one: dict[str, object]) -> None:
    found = significance.cochran_q(np.array(one["right"]).reshape(one["cases"], one["models"]))
    assert found.statistic == pytest.approx(one["q"], rel=1e-10) and found.p == pytest.approx(one["p"], rel=1e-9)


def test_tables_without_anything_to_compare() -> None:
    assert significance.bowker(np.eye(3) * 5).p == 1 and significance.stuart_maxwell(np.eye(3) * 5).p == 1
    # a class that neither side has changes nothing
    small, wide = np.array([[9, 4], [1, 6]]), np.array([[9, 4, 0], [1, 6, 0], [0, 0, 0]])
    assert significance.stuart_maxwell(small).statistic == significance.stuart_maxwell(wide).statistic
    with pytest.raises(RocscopeError, match="k x k"):
        significance.bowker([[1, 2, 3]])
