"""Every finding of the team that tried to adopt rocscope has a test that fails if it comes back."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import rocscope as rs

ROOT = Path(__file__).parent.parent

FINDINGS: dict[str, tuple[str, ...]] = {
    # blocking
    "weights of arrays are ignored": (
        "test_adoption.py::test_weights_have_one_name_and_change_the_answer",
        "test_no_argument_is_ignored.py::test_it_changes_the_answer_or_is_refused",
        "test_every_parameter.py::test_every_parameter_counts",
    ),
    "positive= of a table is ignored": ("test_adoption.py::test_a_table_has_its_positive_label",),
    "a gate fails open": (
        "test_adoption.py::test_an_unmet_gate_is_false",
        "test_trackers.py::test_the_fixture_fails_a_test_with_its_table",
    ),
    "the base install breaks on validate": (
        "test_adoption_findings.py::test_the_base_install_names_the_extra_that_is_needed",
        "test_release.py::test_every_command_is_tried_in_the_bare_install",
    ),
    "Windows refuses to replace an open file": (
        "test_windows.py::test_the_core_of_the_suite_passes_under_an_emulated_windows",
        "test_windows.py::test_the_core_works_under_an_emulated_windows",
        "test_release.py::test_the_workflows_cover_windows_macos_and_every_python",
    ),
    "no Python reference": (
        "test_site.py::test_every_public_name_is_in_the_reference",
        "test_site.py::test_public_names_have_examples_that_run",
        "test_parameters.py::test_parameters_have_a_meaning",
    ),
    # major
    "sqlframe fails": ("engines/test_engine_matrix.py::test_evaluate_as_the_file",),
    "the lower bound of narwhals is untrue": ("test_adoption_findings.py::test_every_lower_bound_is_tried",),
    "an estimate is no number": (
        "test_estimate.py::test_an_estimate_is_a_number", "test_estimate.py::test_an_undefined_estimate_is_nan",
    ),
    "user code has type errors": ("test_user_scripts.py::test_mypy_is_content",),
    "auc is a method on one result and a property on another": (
        "test_adoption_findings.py::test_the_area_is_an_estimate_on_every_result",
    ),
    "results cannot be pickled": (
        "test_pickle.py::test_a_result_survives", "test_every_parameter.py::test_what_it_gives_is_pickled",
    ),
    "the scorer lacks metadata routing and does not tune thresholds": (
        "test_adoption.py::test_a_scorer_takes_part_in_metadata_routing",
        "test_adoption.py::test_a_scorer_tunes_a_threshold",
    ),
    "the source distribution omits page/": ("test_release.py::test_the_source_distribution_is_whole",),
    "no addresses in the metadata, relative links": (
        "test_release.py::test_the_wheel_has_addresses_and_links_that_work_on_an_index_page",
    ),
    "no pip install anywhere": ("test_adoption_findings.py::test_pages_say_what_the_team_looked_for",),
    "no page on trackers, no flat metrics": (
        "test_trackers.py::test_the_recipes_of_the_page_run",
        "test_trackers.py::test_flat_metrics_are_the_numbers_of_the_evaluation",
        "integrations/test_trackers_for_real.py::test_mlflow_logs_metrics_and_report",
    ),
    "hints that mislead": (
        "test_adoption.py::test_a_scorer_says_what_it_cannot_be",
        "test_reachable.py::test_explain_knows_methods_by_their_usual_names",
        "test_adoption.py::test_costs_are_costs",
        "test_reachable.py::test_a_method_is_not_taken_for_another_name",
        "test_adoption.py::test_a_threshold_is_a_number",
        "test_adoption.py::test_settings_of_the_wrong_kind_are_refused",
        "test_adoption.py::test_missing_values_of_arrays_are_refused_without_options_of_the_command_line",
    ),
    "tensors, datasets, rows, file objects and folders are refused": (
        "integrations/test_tensors_and_datasets.py::test_torch_tensors_of_any_type",
        "integrations/test_tensors_and_datasets.py::test_a_torch_tensor_of_each_type",
        "integrations/test_tensors_and_datasets.py::test_a_hugging_face_dataset",
        "integrations/test_tensors_and_datasets.py::test_an_xarray_dataset",
        "test_input_kinds.py::test_a_list_of_dicts",
        "test_input_kinds.py::test_a_file_object",
        "test_input_kinds.py::test_a_folder_with_hive_partitions_has_its_columns",
    ),
    "s3:// is 'no file'": ("test_input_kinds.py::test_addresses_are_refused_with_the_recipe",),
    "Ibis on SQLite, SQL Server and MySQL": (
        "engines/test_engine_matrix.py::test_compare_as_the_file",
        "engines/test_warehouse_sql.py::test_only_sums_are_asked_for",
    ),
    "the SQL of warehouses was never looked at": ("engines/test_warehouse_sql.py::test_the_sql_of_warehouses",),
    "slices take a query each": ("engines/test_engine_matrix.py::test_slices_take_one_more_query",),
    "a looser tolerance sends as many cells": (
        "engines/test_engine_matrix.py::test_a_looser_tolerance_sends_fewer_cells",
    ),
    "the drop-in equals one version of scikit-learn": (
        "test_adoption_findings.py::test_pages_say_what_the_team_looked_for",
        "test_sklearn_estimators.py::test_displays_of_an_older_scikit_learn_are_refused_with_the_version_they_need",
    ),
    "a notebook gets 348 KB for 200 rows": ("test_adoption_findings.py::test_a_notebook_cell_weighs_less",),
    "a bootstrap interval of F1 is hard to find": (
        "test_adoption_findings.py::test_pages_say_what_the_team_looked_for",
    ),
    # asked for
    "citation, security, deprecation": ("test_adoption_findings.py::test_the_files_of_a_project_are_there",),
    "recipes for Ray and Kafka": (
        "integrations/test_ray.py::test_tables_of_batches_add_up", "test_merge.py::test_the_examples_of_the_pages_run",
    ),
    "OpenMetrics, OCI image": (
        "test_trackers.py::test_openmetrics_is_well_formed",
        "test_release.py::test_the_container_runs_as_a_user_without_a_network_of_its_own",
    ),
}  # fmt: skip
"""What the team found, and the tests that hold it."""


@pytest.mark.parametrize("finding", FINDINGS)
def test_the_tests_of_a_finding_exist(finding: str) -> None:
    for test in FINDINGS[finding]:
        file, name = test.split("::")
        assert f"\ndef {name}(" in (ROOT / "tests" / file).read_text("utf-8"), test


BARE = """
import sys
sys.modules["sklearn"] = sys.modules["joblib"] = None
import rocscope as rs
from rocscope import cli
for call in (
    lambda: rs.validate({"lr": None}, [[0.1], [0.2]], [0, 1]),
    lambda: rs.splits.plan("10-fold", [0, 1] * 20),
    lambda: rs.recalibrate([0, 1] * 20, [0.1, 0.7] * 20),
):
    try:
        call()
    except rs.RocscopeError as error:
        print(error)
    else:
        print("done")
print(cli.main(["validate", "--demo"]))
"""


def test_the_base_install_names_the_extra_that_is_needed() -> None:
    """Without scikit-learn and joblib: never a ModuleNotFoundError, nor a traceback."""
    done = subprocess.run([sys.executable, "-c", BARE], capture_output=True, text=True, check=True)
    *said, code = done.stdout.splitlines()
    assert code == "2" and done.stderr.count("rocscope[validate]") == 1 and "Traceback" not in done.stderr
    assert len(said) == 3 and all(line == "done" or "rocscope[validate]" in line for line in said), said
    assert "rocscope[validate]" in said[0] and "rocscope[validate]" in said[1]


def test_every_lower_bound_is_tried() -> None:
    import tomllib

    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert all(">=" in one for one in project["dependencies"])
    assert "narwhals>=2.9" in project["dependencies"]  # 2.8 gives other answers
    script = (ROOT / "tools" / "lowest.sh").read_text("utf-8")
    assert 'project["dependencies"]' in script and all(
        f'"{extra}"' in script for extra in project["optional-dependencies"] if extra in ("validate", "plot", "serve")
    )


def test_the_area_is_an_estimate_on_every_result() -> None:
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 100)
    p = rng.random(100)
    for ev in (rs.evaluate(y, p), rs.evaluate(y, np.column_stack([1 - p, p]), labels=[0, 1])):
        assert isinstance(ev.auc, rs.estimate.Estimate) and 0 < ev.auc < 1  # type: ignore[union-attr]


def test_a_notebook_cell_weighs_less() -> None:
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 200)
    shown = rs.evaluate(y, np.clip(y * 0.3 + rng.random(200) * 0.7, 0, 1))._repr_html_()
    assert len(shown.encode()) < 265_000  # 348 KB when it was found; 33 KB of it are style, 147 KB script


@pytest.mark.parametrize(
    ("page", "says"),
    [
        ("README.md", r"pip install rocscope"),
        ("docs/index.md", r"pip install rocscope"),
        ("docs/migration/scikit-learn.md", r"results of scikit-learn 1\.9.*Earlier\s+versions of scikit-learn differ"),
        ("docs/howto/evaluate.md", r"## A bootstrap interval for F1"),
        ("docs/howto/evaluate.md", r"Measures at a threshold keep their closed-form intervals"),
        ("docs/howto/warehouses.md", r"Slices take one more query"),
        ("docs/howto/trackers.md", r"import mlflow"),
    ],
)
def test_pages_say_what_the_team_looked_for(page: str, says: str) -> None:
    assert re.search(says, (ROOT / page).read_text("utf-8"), re.DOTALL)


def test_the_files_of_a_project_are_there() -> None:
    for name in ("CITATION.cff", "SECURITY.md", "CODE_OF_CONDUCT.md", "CONTRIBUTING.md", "CHANGELOG.md", "LICENSE"):
        assert (ROOT / name).stat().st_size > 200, name
    assert "deprecate" in (ROOT / "docs" / "versioning.md").read_text("utf-8")
