"""Every finding of the review of terminal, report, page, server, plots and notebooks has a test."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import rocscope as rs
from rocscope.cli import main
from rocscope.report import page

ROOT = Path(__file__).parent

FINDINGS: dict[str, tuple[str, ...]] = {
    # wrong or contradictory
    "1 calibration sentences": ("test_report_consistency.py::test_calibration_has_one_diagnosis_and_its_interval",),
    "2 one threshold in headline, another at the slider": (
        "test_report_consistency.py::test_a_perfect_ranking_has_one_threshold_everywhere",
        "test_html.py::test_one_threshold_is_written_in_one_way_everywhere",
        "test_report.py::test_rules_name_the_threshold_that_the_headline_proposes",
        "page/test_page_looks.py::test_the_chosen_threshold_says_that_it_is_of_the_sample",
    ),
    "3 rare positives rounded to none": (
        "page/test_page_follows.py::test_rare_positives_are_never_rounded_to_none",
        "page/test_page_details.py::test_natural_frequencies_of_rare_cases_are_at_least_one",
    ),
    "4 a p-value as a probability": ("test_page_findings.py::test_no_p_value_is_a_probability_of_equality",),
    "5 the command does not reproduce the report": (
        "test_reproduced.py::test_the_printed_command_makes_the_same_report",
        "test_html.py::test_the_command_is_quoted_for_the_shell",
    ),
    "6 costs of a validation are ignored": (
        "test_page_findings.py::test_costs_decide_the_verdict_of_a_validation",
        "page/test_page_classes.py::test_a_fold_and_the_costs_of_a_validation",
        "page/test_page_classes.py::test_what_was_computed_for_other_costs_says_so",
    ),
    "7 views that do not follow": (
        "page/test_page_follows.py::test_what_cannot_follow_is_marked_in_its_place",
        "page/test_page_follows.py::test_what_would_change_is_what_python_says_at_these_costs",
        "page/test_page_random.py::test_every_number_is_pythons_after_every_move",
    ),
    "8 pasted ROC points": ("test_serve.py::test_rates_without_counts_have_no_interval_anywhere",),
    "9 embedded cases and counts": (
        "page/test_page_states.py::test_embedded_cases_are_listed_by_cell_and_by_point",
        "page/test_page_classes.py::test_a_cell_lists_its_cases",
    ),
    "10 one class": ("page/test_page_follows.py::test_one_class_names_the_label_that_was_taken",),
    "11 the AUC of one model scaled to itself": (
        "page/test_page_follows.py::test_a_single_model_is_drawn_on_the_scale_from_chance_to_one",
    ),
    "12 a threshold that falls from 0.609 to 0.609": (
        "test_report_consistency.py::test_a_threshold_that_does_not_change_does_not_fall",
    ),
    "13 a calibration slope without an interval": (
        "test_report_consistency.py::test_calibration_has_one_diagnosis_and_its_interval",
    ),
    "14 179 is 38 more than 140": ("page/test_page_review.py::test_a_setting_costs_more_by_what_is_shown",),
    "62 % beside 38 % and 63 % beside 38 %": (
        "page/test_page_random.py::test_every_number_is_pythons_after_every_move",
        "test_page_build.py::test_the_page_computes_what_python_computes",
    ),
    # dead ends
    "the command line refuses what the server guesses": (
        "test_page_findings.py::test_one_file_alone_is_detected_or_gets_a_command_that_runs",
        "test_cli_evaluate.py::test_several_models_are_compared_whatever_they_predict",
        "test_cli_evaluate.py::test_a_suggested_command_has_the_other_options_and_gives_the_same_answer",
    ),
    "no way from the terminal to the report": ("test_page_findings.py::test_the_report_is_among_the_next_steps",),
    "several classes and validations are static": (
        "page/test_page_classes.py::test_a_class_is_looked_at_everywhere",
        "page/test_page_classes.py::test_a_cell_says_what_it_holds_and_can_be_priced",
        "page/test_page_classes.py::test_totals_and_orders",
        "page/test_page_classes.py::test_a_fold_and_the_costs_of_a_validation",
    ),
    "all measures 6,300 px away": (
        "page/test_page_follows.py::test_all_measures_open_in_a_panel_with_the_search_field_on_top",
    ),
    "the cost handle under the operating point": (
        "page/test_page_follows.py::test_the_cost_line_of_a_perfect_ranking_can_be_taken",
    ),
    "results in a notebook": (
        "test_notebook_cells.py::test_a_validation_is_a_page",
        "test_notebook_cells.py::test_counts_have_totals_and_measures_with_intervals",
        "test_notebook_cells.py::test_a_matrix_has_totals_and_its_measures",
        "test_notebook_cells.py::test_a_curve_is_drawn_with_the_names_of_its_axes",
        "test_notebook_cells.py::test_a_hull_lists_its_slopes",
        "test_notebook_cells.py::test_a_figure_shows_itself_with_the_operating_point_and_the_label",
        "test_notebook_cells.py::test_without_script_style_frame_and_picture_the_answer_is_still_there",
        "page/test_page_notebook.py::test_the_frame_fits_what_it_holds",
        "page/test_page_notebook.py::test_a_narrow_cell_has_one_view_below_the_other",
    ),
    "a file dropped three times": (
        "page/test_page_start.py::test_a_file_dropped_again_is_not_evaluated_twice",
        "page/test_page_details.py::test_two_files_with_a_column_of_one_name_have_names_of_one_form",
    ),
    "errors of the browser advise options": (
        "test_serve.py::test_no_error_of_a_page_advises_a_parameter_or_an_option",
    ),
    "notations people paste": (
        "test_serve.py::test_what_people_paste_is_understood",
        "test_serve.py::test_what_a_table_does_not_say_is_asked",
        "test_serve.py::test_the_positive_class_of_a_pasted_matrix_is_never_guessed",
        "test_serve.py::test_the_rows_of_a_printed_matrix_are_those_of_its_titles",
    ),
    "the teaching page": (
        "page/test_page_lesson.py::test_own_numbers_are_walked_and_kept_in_the_link",
        "page/test_page_lesson.py::test_the_projector_fits_the_screen_with_large_type",
        "page/test_page_lesson.py::test_hidden_answers_hide_the_title_of_the_card",
    ),
    "the copied Python call": ("page/test_page_looks.py::test_the_copied_python_call_runs",),
    # looks
    "a count broken over two lines": ("page/test_page_looks.py::test_a_count_is_never_broken",),
    "thresholds, names and key over each other": (
        "page/test_page_looks.py::test_texts_of_the_roc_picture_keep_apart",
        "page/test_page_looks.py::test_a_name_without_a_place_is_not_shown",
        "page/test_page_details.py::test_the_corner_of_a_curve_is_enlarged_and_the_key_covers_no_name",
    ),
    "p < 0.001 broken over two lines": ("page/test_page_looks.py::test_a_small_p_value_stays_on_one_line",),
    "a small matrix in a wide column": ("page/test_page_looks.py::test_a_small_matrix_fills_its_column",),
    "pictures side by side at different heights": (
        "page/test_page_looks.py::test_pictures_side_by_side_begin_at_one_height",
    ),
    "what rounding leaves of a net benefit": ("page/test_page_looks.py::test_no_net_benefit_is_what_rounding_leaves",),
    "the barcode strip": ("page/test_page_review.py::test_many_thresholds_are_one_band_with_numbers",),
    "labels struck by lines": (
        "page/test_page_review.py::test_names_of_the_decision_curve_stand_beside_it",
        "page/test_page_review.py::test_no_line_crosses_the_name_of_flagging_all",
        "page/test_page_review.py::test_names_of_curves_do_not_touch",
        "test_html.py::test_golden_pictures",
    ),
    "the focus frame while dragging": ("page/test_page_review.py::test_what_a_mouse_holds_has_no_focus_frame",),
    "long names": (
        "page/test_page_review.py::test_long_names_are_cut_once_and_read_differently",
        "page/test_page_review.py::test_names_in_the_list_are_cut_once",
        "test_report.py::test_long_names_in_tables_are_told_apart",
        "test_html.py::test_long_names_that_differ_in_the_middle_are_told_apart",
    ),
    "the phone": (
        "page/test_page_review.py::test_esc_closes_the_controls_of_a_phone",
        "page/test_page_classes.py::test_nothing_is_wider_than_the_screen",
        "page/test_page_reach.py::test_nothing_is_wider_than_the_screen",
        "page/test_page_looks.py::test_no_report_is_wider_than_its_screen",
        "page/test_page_looks.py::test_the_rows_of_a_phone_say_what_they_hold",
        "page/test_page_details.py::test_the_header_of_a_phone_is_one_row",
        "page/test_page_details.py::test_the_charts_of_a_validation_are_drawn_for_the_phone_and_not_scaled",
    ),
    "print": (
        "page/test_page_review.py::test_the_demo_and_long_names_are_printed_on_three_pages",
        "page/test_page_review.py::test_text_on_paper_is_never_tiny",
        "page/test_page_looks.py::test_other_reports_are_legible_on_paper",
    ),
    "ten classes": (
        "page/test_page_review.py::test_ten_classes_need_no_scrolling_to_the_side",
        "page/test_page_looks.py::test_a_matrix_of_ten_named_classes_is_whole_at_1280_pixels",
    ),
    "words": (
        "page/test_page_review.py::test_no_name_of_the_code_is_shown",
        "page/test_page_review.py::test_one_false_alarm_is_singular_everywhere",
        "page/test_page_review.py::test_labels_that_name_no_class_are_positive_and_negative_in_sentences",
        "test_vocabulary.py::test_no_banned_word_is_added_and_what_is_mended_stays_mended",
    ),
    "limits beside Arabic names": (
        "test_report_consistency.py::test_limits_beside_a_name_in_another_direction_stay_in_their_order",
    ),
    "the gallery": (
        "test_serve.py::test_the_gallery_leads_to_examples_and_their_reports",
        "page/test_page_start.py::test_the_gallery_and_the_lesson_open",
    ),
    "colors of models": (
        "page/test_page_classes.py::test_a_class_has_one_color_in_every_picture",
        "test_plots.py::test_the_recommended_model_is_thick_and_every_model_has_the_color_of_the_report",
        "page/test_page_details.py::test_the_progress_of_a_validation_has_the_color_of_the_page",
    ),
    "caveats in a narrow column": (
        "page/test_page_details.py::test_many_caveats_have_room_where_nothing_is_said_about_certainty",
        "page/test_page_review.py::test_two_columns_of_caveats_begin_at_the_same_height",
    ),
    "figures of matplotlib": (
        "page/test_page_details.py::test_no_text_of_a_figure_is_smaller_than_seven_points",
        "test_notebook_cells.py::test_a_figure_shows_itself_with_the_operating_point_and_the_label",
        "test_plots.py::test_several_classes_are_drawn",
    ),
    "the command of the page is not broken": (
        "page/test_page_review.py::test_the_words_of_the_command_are_not_broken",
    ),
    # what other tools show better
    "measures against the threshold": (
        "page/test_page_thresholds.py::test_dots_stand_at_the_values_of_the_threshold",
        "page/test_page_thresholds.py::test_a_press_in_the_picture_takes_the_threshold",
    ),
    "the top of the ranking": ("page/test_page_thresholds.py::test_the_highest_scores_hold_what_python_counts",),
    "all models in one calibration plot": (
        "page/test_page_thresholds.py::test_all_models_are_in_one_calibration_plot_and_axes_name_the_label",
    ),
    "checks that can be muted": (
        "page/test_page_follows.py::test_a_check_is_muted_and_the_link_holds_it",
        "page/test_page_classes.py::test_checks_of_classes_are_muted_and_the_link_holds_it",
        "page/test_page_classes.py::test_checks_of_a_validation_can_be_muted",
    ),
    "recommended measures": ("page/test_page_follows.py::test_the_measures_to_go_by_are_marked",),
    "the first line without costs": (
        "page/test_page_follows.py::test_one_question_makes_a_recommendation_of_a_proposal",
        "page/test_page_review.py::test_a_comparison_without_costs_says_how_good_and_proposes_a_threshold",
    ),
    "weight": (
        "test_html.py::test_reports_keep_their_weight",
        "test_page_findings.py::test_slices_are_not_stored_twice",
    ),
}


@pytest.mark.parametrize("finding", FINDINGS)
def test_the_tests_of_a_finding_exist(finding: str) -> None:
    for name in FINDINGS[finding]:
        file, _, test = name.partition("::")
        assert re.search(rf"^def {test}\(", (ROOT / file).read_text("utf-8"), re.MULTILINE), name


def unpriced(count: int = 200) -> tuple[list[int], list[float], list[str]]:
    labels = [int(row % 4 == 0) for row in range(count)]
    scores = [round(((37 * row) % 101 + 40 * label) / 150, 3) for row, label in enumerate(labels)]
    return labels, scores, ["north" if row % 3 else "south" for row in range(count)]


def test_no_p_value_is_a_probability_of_equality() -> None:
    labels, scores, region = unpriced()
    text = str(rs.evaluate(labels, scores, by={"region": region}))
    assert "No evidence that slices by region differ in AUC" in text and "that they are equal" not in text


def test_costs_decide_the_verdict_of_a_validation(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["validate", "--demo", "--plan", "3-fold", "--cost-fp", "1", "--cost-fn", "10"]) == 0
    text = capsys.readouterr().out
    assert "If a miss costs 10 false alarms" in text and "State the cost" not in text
    assert re.search(r"^threshold by", text, re.MULTILINE)


def test_one_file_alone_is_detected_or_gets_a_command_that_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    labels, scores, _ = unpriced(60)
    rows = [f"{'Yes' if y else 'No'},{s},{1 - s:.3f},{s * s:.3f}" for y, s in zip(labels, scores, strict=True)]
    (tmp_path / "three.csv").write_text("\n".join(["churn,a,b,c", *rows, ""]), "utf-8")
    monkeypatch.chdir(tmp_path)
    assert main(["three.csv"]) == 2  # two labels that do not say which is positive: a suggestion, never a guess
    suggested = capsys.readouterr().err
    assert "--positive" in suggested
    assert main(["three.csv", "--positive", "Yes"]) == 0
    assert "compare three.csv --label churn --score a --score b --score c" in capsys.readouterr().err


def test_the_report_is_among_the_next_steps(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["demo"]) == 0
    assert "--html report.html" in capsys.readouterr().out
    assert main(["--help"]) == 0
    assert "rocscope FILE [OPTIONS]" in capsys.readouterr().out


def test_slices_are_not_stored_twice() -> None:
    labels, scores, region = unpriced()
    models = {"a": scores, "b": [round(1 - score, 3) for score in scores]}
    document = rs.compare(labels, models, by={"region": region}).to_dict(drawing=True)
    assert document["evaluations"][document["recommended"]]["slices"]
    held = re.search(r'id="rocscope-data"[^>]*>(.*?)</script>', page(document), re.DOTALL)
    assert held is not None and held[1].count("empirical Bayes") < str(document).count("empirical Bayes") / 2
