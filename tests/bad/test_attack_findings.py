"""Every finding of the attack on reliability and security has a test that fails if it comes back."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[1]

FINDINGS: dict[str, tuple[str, ...]] = {
    # silently wrong
    "bound false for integers above 2**53": (
        "test_magnitudes.py::test_the_bound_holds",
        "test_magnitudes.py::test_whole_numbers_beyond_floats_are_refused_alike",
    ),
    "text labels lost in engines": (
        "test_magnitudes.py::test_labels_of_text_mean_the_same_in_an_engine",
        "test_magnitudes.py::test_the_positive_label_is_known_in_every_spelling",
    ),
    "folds of old code": ("test_validation.py::test_folds_of_old_code_are_not_used_again",),
    "JSON lines without a guard": ("bad/test_attacks.py::test_json_lines_are_refused_alike",),
    # medium
    "CSV beyond the budget": (
        "bad/test_attacks.py::test_csv_is_refused_alike", "bad/test_attacks.py::test_csv_is_read_alike",
    ),
    "too many slices beyond the budget": (
        "test_magnitudes.py::test_a_column_of_too_many_slices_is_refused_before_room_is_made_for_them",
    ),
    "the server stalls": (
        "bad/test_attacks.py::test_pasted_text_is_read_in_linear_time",
        "bad/test_attacks.py::test_a_busy_server_shows_its_start_page",
        "bad/test_attacks.py::test_a_request_with_many_cells_does_not_hold_up_the_start_page",
        "bad/test_attacks.py::test_ctrl_c_ends_the_server_within_two_seconds",
        "bad/test_attacks.py::test_a_damaged_sheet_is_refused",
    ),
    "blank labels of Parquet": ("bad/test_attacks.py::test_blank_labels_of_parquet_are_missing_everywhere",),
    "tracebacks": (
        "bad/test_attacks.py::test_extreme_options_get_an_answer_or_one_line",
        "bad/test_attacks.py::test_thresholds_that_end_at_infinity_give_the_whole_report",
        "bad/test_attacks.py::test_no_f_measure_has_such_a_beta",
        "bad/test_attacks.py::test_counts_that_no_number_holds_are_refused",
        "bad/test_calls.py::test_calls_that_make_no_sense_are_answered_or_refused",
    ),
    "weights": (
        "bad/test_attacks.py::test_weights_are_refused_alike", "bad/test_attacks.py::test_large_weights_are_weights",
    ),
    "sums of weights wrap": ("test_sklearn.py::test_sums_of_weights_do_not_wrap_around",),
    "the working folder comes first": (
        "test_validation.py::test_the_folder_of_the_data_does_not_hide_installed_packages",
    ),
    "completion without quotes": (
        "test_config.py::test_a_column_that_a_shell_would_interpret_is_not_offered",
        "test_config.py::test_bash_completes_for_real",
    ),
    "crafted table files": (
        "bad/test_attacks.py::test_a_table_that_cannot_be_is_refused",
        "test_table.py::test_counts_that_sum_beyond_int64_do_not_wrap",
        "bad/test_attacks.py::test_counts_beyond_int64_give_the_whole_report",
    ),
    "one broken file makes the state fail": (
        "bad/test_attacks.py::test_one_file_that_is_gone_leaves_the_others",
        "bad/test_attacks.py::test_a_file_that_another_tab_uploads_meanwhile_disturbs_nothing",
        "bad/test_attacks.py::test_the_same_file_that_another_tab_removes_meanwhile_is_a_new_one",
    ),
    # low
    "unpacked copies are left": (
        "test_pipes.py::test_folders_of_processes_that_were_killed_go",
        "test_pipes.py::test_the_temporary_folder_is_left_as_it_was",
    ),
    "the apostrophe of our export": ("test_files.py::test_a_number_is_one_in_memory_and_beyond",),
    "a blank id": ("test_join_by_id.py::test_the_refusals_are_those_of_the_way_in_memory",),
    "raw ESC to a terminal": ("test_cli_frame.py::test_csv_keeps_a_label_in_a_pipe_and_escapes_it_on_a_terminal",),
    "the key in the browser's arguments": ("test_serve.py::test_the_arguments_of_the_browser_hold_no_key",),
    "40,000 columns": ("bad/test_attacks.py::test_very_many_columns_are_guessed_in_linear_time",),
    "columns s and S": ("bad/test_attacks.py::test_columns_that_differ_in_case_alone_are_two",),
    '1 and "1" in one column': ("bad/test_attacks.py::test_labels_as_numbers_and_as_text_are_never_one_class",),
    "F measures with an odd beta": ("bad/test_attacks.py::test_no_f_measure_has_such_a_beta",),
    "very many models": (
        "test_many_models.py::test_the_document_tests_each_pair_of_models_once",
        "test_many_models.py::test_of_very_many_models_only_pairs_with_the_best_are_tested",
    ),
    "a small budget takes more memory": (
        "bad/test_attacks.py::test_a_small_budget_takes_no_more_memory_than_a_large_one",
    ),
    # what was asked for beside the findings
    "one answer by every path": (
        "test_differential.py::test_every_path_gives_one_answer",
        "test_differential.py::test_planted_defects_are_found",
        "test_differential.py::test_spark_gives_the_same_answer",
        "test_differential.py::test_cases_that_once_differed_agree",
    ),
    "bad inputs through every interface": (
        "bad/test_every_interface.py::test_every_number_is_tried_through_every_interface_that_takes_it",
    ),
    "signals": ("bad/test_faults.py::test_outputs_are_whole_whenever_a_process_is_stopped",),
    "a full disk": ("bad/test_faults.py::test_a_full_disk_leaves_the_old_file",),
    "a folder without permission": ("bad/test_faults.py::test_a_folder_that_nobody_may_write_to",),
    "two processes, one output": (
        "bad/test_bad_outputs.py::test_b108_two_runs_one_winner",
        "test_table_files.py::test_b108_two_runs_writing_the_same_file_leave_one_whole",
    ),
    "two processes, one run folder": ("bad/test_faults.py::test_two_validations_share_a_run_folder",),
    "a file that grows or shrinks": (
        "bad/test_bad_files.py::test_b090_a_file_that_grows_while_it_is_read",
        "bad/test_faults.py::test_a_file_that_shrinks_while_it_is_read",
        "bad/test_faults.py::test_a_file_that_changes_after_it_was_opened",
        "bad/test_faults.py::test_a_parquet_file_that_is_replaced_while_it_is_read",
    ),
    "a dask worker dies": ("bad/test_faults.py::test_a_dask_worker_that_dies",),
    "a Spark task fails": ("engines/test_spark_answers.py::test_a_task_that_fails_is_refused_and_nothing_is_written",),
    "a ceiling of memory": ("bad/test_faults.py::test_memory_has_a_ceiling",),
    "a clock that jumps": ("bad/test_faults.py::test_a_clock_that_jumps_changes_nothing",),
    "many clients": ("bad/test_load.py::test_many_clients_get_answers_or_refusals_and_never_a_fault",),
    "mutants": ("test_mutants.py::test_what_is_said_to_mean_the_same_is_a_change_of_todays_sources",),
    "no network": ("bad/test_attacks.py::test_nothing_asks_for_the_network",),
    "files of others": ("bad/test_attacks.py::test_what_is_bundled_is_our_own",),
    "reproducible files": (
        "test_release.py::test_the_source_distribution_is_whole",  # which builds both files twice
        "test_release.py::test_builds_that_differ_and_trees_that_are_not_ready_are_refused",
        "test_page_build.py::test_building_again_gives_the_committed_bytes",
    ),
    "the threat model": (
        "bad/test_attacks.py::test_the_threat_model_covers_the_server_completion_and_model_import",
    ),
}  # fmt: skip


@cache
def functions(name: str) -> set[str]:
    """The functions of a file of tests."""
    tree = ast.parse((TESTS / name).read_text("utf-8"))
    return {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}


@pytest.mark.parametrize("finding", FINDINGS)
def test_the_tests_of_a_finding_exist(finding: str) -> None:
    for named in FINDINGS[finding]:
        path, _, function = named.partition("::")
        assert function in functions(path), named
