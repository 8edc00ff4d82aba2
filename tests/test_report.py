"""The report: text that fits, formats that validate and cannot do harm, files written whole."""

from __future__ import annotations

import csv
import doctest
import io
import json
import math
import re
import unicodedata
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rocscope as rs
from rocscope import report
from rocscope.cli.shared.demo_loans import MODELS, POSITIVE, loans
from rocscope.estimate import Estimate
from rocscope.numbers import from_json
from rocscope.report import Look, as_text, letters
from rocscope.report.document_reader import counts_of, estimate_of, intervals_of
from rocscope.report.sheet import Paragraph, Span, strong
from rocscope.report.sheet_formats import escape_latex
from rocscope.report.text_views.hull import Ratios, break_even_limits

ROOT = Path(__file__).parent.parent
EVIL = [
    "<script>alert(1)</script>",
    "</script><img src=x onerror=alert(1)>",
    '"><svg onload=alert(1)>',
    "${7*7} {{7*7}} {% x %}",
    "abc\u202edef\u200b\x07",
    "=cmd|' /C calc'!A0",
    "+1+1",
    "-2+3",
    "@sum(A1)",
    "\tx",
    "\x1b[31mred\x1b[0m",
    "a|b\nc",
    "# heading",
    "[a](javascript:alert(1))",
    "http://evil.example/x www.evil.example a@b.example",
    "\\input{/etc/passwd} $x$ 50% a_b ~^&#",
    "x" * 1_000_000,
]


def loan_scores() -> tuple[list[str], dict[str, list[float]]]:
    rows = loans()
    return [row[0] for row in rows], {name: [row[i] for row in rows] for i, name in enumerate(MODELS, 1)}


def states() -> dict[str, Any]:
    """One answer for each state that the words and tables must survive."""
    y, scores = loan_scores()
    costs = rs.Costs(fp=1, fn=5)
    rng = np.random.default_rng(1)
    truth = (rng.random(300) < 0.3).astype(int)
    score = np.round(truth + rng.normal(0, 1, 300), 2)
    kinds = np.array([f"class {i}" for i in range(15)])
    many, wrong = (rng.integers(0, 15, 200) for _ in range(2))
    return {
        "no threshold": rs.evaluate(y, scores["boosting"], positive=POSITIVE),
        "costs": rs.evaluate(y, scores["boosting"], positive=POSITIVE, costs=costs, unit="loan"),
        "given": rs.evaluate(y, scores["boosting"], positive=POSITIVE, threshold=0.3),
        "bootstrap": rs.evaluate(y, scores["boosting"], positive=POSITIVE, costs=costs, bootstrap=200),
        "cross-fit": rs.evaluate(truth, score, choose="youden", cross_fit=5),
        "chosen elsewhere": rs.evaluate(truth, score, choose="f1", choose_on=(truth[::2], score[::2])),
        "clusters": rs.evaluate(truth, score, clusters=np.arange(300) // 3, choose="youden"),
        "weights": rs.evaluate(truth, score, weights=rng.random(300) + 0.5),
        "no probabilities": rs.evaluate(truth, score),
        "lower is positive": rs.evaluate(truth, -score, higher_is_positive=False, costs=costs),
        "backwards": rs.evaluate(truth, -score, costs=costs),
        "perfect": rs.evaluate([1, 1, 0, 0], [0.9, 0.8, 0.2, 0.1]),
        "one score": rs.evaluate([1, 0, 1, 0], [0.5] * 4),
        "only positives": rs.evaluate([1, 1, 1], [0.2, 0.6, 0.9]),
        "only negatives": rs.evaluate([0, 0], [3.0, 4.0]),
        "one row": rs.evaluate([1], [0.3]),
        "costs are 0": rs.evaluate([1, 0, 1], [0.5, 0.2, 0.1], costs=rs.Costs(fp=0, fn=0)),
        "nothing pays": rs.evaluate(truth, rng.normal(0, 1, 300), costs=rs.Costs(fp=50, fn=1)),
        "other prevalence": rs.evaluate(truth, score, costs=rs.Costs(fp=1, fn=5, prevalence=0.01)),
        "hard labels": rs.evaluate(["a", "b", "c", "a"], predicted=["a", "b", "b", "c"]),
        "probabilities": rs.evaluate(["a", "b", "c"], [[0.6, 0.3, 0.1], [0.2, 0.5, 0.3], [0.3, 0.3, 0.4]]),
        "absent class": rs.evaluate(["a", "b"], [[0.6, 0.3, 0.1], [0.2, 0.5, 0.3]], labels=["a", "b", "c"]),
        "many classes": rs.evaluate(kinds[many], predicted=kinds[wrong]),
        "models": rs.compare(y, scores, positive=POSITIVE, costs=costs, unit="loan"),
        "models without costs": rs.compare(y, scores, positive=POSITIVE),
        "twins": rs.compare(truth, {"a": score, "b": 2 * score + 1}, costs=costs),
        "twelve models": rs.compare(truth, {f"m{i}": score + rng.normal(0, i, 300) for i in range(12)}),
        "models of one class": rs.compare([1, 1], {"a": [0.1, 0.2], "b": [0.3, 0.4]}),
        "models in clusters": rs.compare(truth, {"a": score, "b": -score}, clusters=np.arange(300) // 2, costs=costs),
        "models with weights": rs.compare(truth, {"a": score, "b": score**3}, weights=rng.random(300) + 0.1),
    }


@pytest.fixture(scope="module")
def documents() -> dict[str, dict[str, Any]]:
    return {name: one.to_dict() for name, one in states().items()}


@pytest.fixture(scope="module")
def validator() -> Any:
    import jsonschema

    return jsonschema.Draft202012Validator(json.loads((ROOT / "src/rocscope/schema/rocscope-1.json").read_text()))


# ---- every state, every format ----


def test_json_is_the_document_and_validates(documents: dict[str, Any], validator: Any) -> None:
    for name, document in documents.items():
        read = json.loads(report.json(document))
        validator.validate(read)
        assert read == json.loads(json.dumps(document)), name


@pytest.mark.parametrize("full", [False, True])
@pytest.mark.parametrize(("width", "fancy"), [(40, False), (60, True), (80, False), (80, True), (120, True)])
def test_text_is_never_wider_than_the_terminal(
    documents: dict[str, Any], width: int, fancy: bool, full: bool
) -> None:
    for name, document in documents.items():
        lines = report.text(document, width=width, fancy=fancy, full=full).split("\n")
        assert max(map(len, lines)) <= width, name
        assert lines[0] and all(line == line.rstrip() for line in lines), name
        assert fancy or "\n".join(lines).isascii(), name


def test_a_percent_sign_stays_with_its_number(documents: dict[str, Any]) -> None:
    for document in documents.values():
        for width in range(60, 100, 3):
            lines = report.text(document, width=width, full=True).splitlines()
            assert [line for line in lines if line.lstrip().startswith("%")] == []


def test_views_do_not_touch_the_document(documents: dict[str, Any]) -> None:
    for document in documents.values():
        before = json.dumps(document)
        for view in (report.text, report.markdown, report.csv, report.json, report.latex):
            view(document)
        assert json.dumps(document) == before


def test_a_document_read_from_json_looks_the_same(documents: dict[str, Any]) -> None:
    for document in documents.values():
        again = json.loads(report.json(document))
        for view in (report.text, report.markdown, report.csv, report.latex):
            assert view(again) == view(document)


def test_the_answer_is_the_first_line(documents: dict[str, Any]) -> None:
    for name, document in documents.items():
        headline = document["verdict"]["headline"].removesuffix(".")
        plain = "".join(report.text(document, width=400).split("\n")[:1])
        assert plain.startswith(headline.replace("−", "-").replace("–", "-")[:380]), name


def test_what_each_state_says(documents: dict[str, Any]) -> None:
    def said(name: str, *sentences: str) -> None:
        text = " ".join(report.text(documents[name], width=300).split())
        for sentence in sentences:
            assert sentence in text, (name, sentence, text)

    said("no threshold", "AUC 0.847 (95 % CI 0.780-0.894). Proposed threshold: 0.287, the maximum of Youden's J.")
    said("no threshold", "No threshold was given; results are shown for the default threshold 0.5.")
    said("no threshold", "best by Youden 0.287")
    said("costs", "Recommended: threshold 0.287 least cost", "per 1,000 loans", "Flagging none costs 400")
    said("given", "Results at the given threshold 0.3.")
    said("bootstrap", "The data do not rule out thresholds from 0.17 to 0.603 as the cheapest.")
    said("cross-fit", "assessed in 5 folds")
    said("chosen elsewhere", "on other cases")
    said("clusters", "100 clusters")
    said("weights", "weight 30")
    said("no probabilities", "No threshold was given; results are shown for 0.99, the maximum of Youden's J")
    said("backwards", "The ranking is reversed: AUC", "If lower scores indicate", "nothing was reversed automatically")
    said("perfect", "Every positive scores above every negative. Check for leakage.")
    said("only positives", "All 3 cases are positive", "assumed to be 1", "undefined ROC AUC")
    said("one row", "The only case is positive", "accuracy 0.00 [0.00, 0.79]")
    said("costs are 0", "All costs are 0: every threshold costs the same")
    said("nothing pays", "Recommended: flag none of the cases. At these costs no other choice is cheaper")
    said("absent class", "over 2 of 3 classes", "over 1 of 3 pairs", "There is no case of c (1 of 3 classes)")
    said("many classes", "15 classes")
    said("models", "Recommended: boosting at threshold 0.287",
         "Its apparent advantage over logistic is 24 (95 % CI -33 to 81)")
    said("models", "per 1,000: not statistically settled; more data could reverse it.")
    said("models", "logistic has the higher AUC (0.902 against 0.847) but costs more here")
    said("models", "a miss costs more than 10.2 false alarms.")
    said("models without costs", "logistic at 0.5, the default threshold")
    said("twins", "Recommended: a at", "a and b rank all cases in the same order: AUC")
    said("twelve models", "4 more models")
    said("models of one class", "All 2 cases are positive")
    optimistic = "chosen on these same"
    assert optimistic in report.text(documents["costs"], full=True)
    for name in ("cross-fit", "chosen elsewhere", "given", "no threshold"):
        assert optimistic not in report.text(documents[name], full=True)


GOLDEN = """\
Recommended: threshold 0.6   least cost
If a miss costs 5 false alarms and 50 % of the cases are positive, the estimated
cost is 541 (95 % CI 195-2,536) per 1,000 cases, corrected for choosing on these
data. Flagging none costs 2,500.
If a miss costs less than 1 false alarm, the choice first changes to threshold
0.8.

6 cases, 3 positive (50 %)   positive: score >= threshold

                  predicted
actual, % of row          1         0  all
1        3 (100 %)   0 (0 %)    3   recall 100 %
0         1 (33 %)  2 (67 %)    3   false alarms 33 %
all       4 (67 %)  2 (33 %)    6   precision 75 %

measure              value  95 % interval  0                                   1
"""


def test_golden_text() -> None:
    ev = rs.evaluate([1, 1, 0, 1, 0, 0], [0.9, 0.8, 0.7, 0.6, 0.4, 0.3], costs=rs.Costs(fp=1, fn=5))
    shown = str(ev)
    assert re.sub(r" +", " ", shown).startswith(re.sub(r" +", " ", GOLDEN))
    assert f"recall                0.85  {str(ev.measure('recall')).split(' ', 1)[1]}" in shown
    assert f"ROC AUC               0.89  {str(ev.auc).split(' ', 1)[1]}" in shown
    assert "\nnext" not in shown  # commands are for the command line


def test_every_number_of_the_text_is_in_the_document(documents: dict[str, Any]) -> None:
    document = documents["costs"]
    text = report.text(document, full=True)
    for row in (*document["measures"], *document["areas"]):
        if row["low"] is None:  # its reason stands below, in lines of the terminal's width
            assert row["title"] in text and row["why"].split(":")[0] in " ".join(text.split()), row["name"]
            continue
        assert str(estimate_of(row)).split(" ", 1)[1].replace("−", "-") in text, row["name"]
    assert all(f"{count:,}" in text for count in document["point"]["counts"].values())


def test_full_adds_the_rest(documents: dict[str, Any]) -> None:
    short, long = (report.text(documents["costs"], full=full) for full in (False, True))
    for part in ("closest to the top-left corner", "flag everybody", "alarm : miss", "calibration  ", "methods  "):
        assert part in long and part not in short
    assert len(short.splitlines()) <= 40


def test_a_wide_terminal_gets_the_curve(documents: dict[str, Any]) -> None:
    assert re.search("[\u2801-\u28ff]", report.text(documents["costs"], width=120, fancy=True))
    assert not re.search("[\u2801-\u28ff]", report.text(documents["costs"], width=80, fancy=True))
    assert not re.search("[\u2801-\u28ff]", report.text(documents["only positives"], width=120, fancy=True))


# ---- other formats ----


def table(text: str) -> list[dict[str, str]]:
    before = csv.field_size_limit(10**7)
    try:
        return list(csv.DictReader(io.StringIO(text, newline="")))
    finally:
        csv.field_size_limit(before)


def test_csv_holds_every_number_in_full(documents: dict[str, Any]) -> None:
    for name, document in documents.items():
        rows = table(report.csv(document))
        assert rows and len({tuple(row) for row in rows}) == 1, name
        for row in document.get("measures", []):
            found = next(one for one in rows if one["measure"] == row["name"].replace(" ", "_") and not one["class"])
            assert found["value"] == ("" if row["value"] is None else repr(row["value"]).removesuffix(".0"))
    models = table(report.csv(documents["models"]))
    assert {row["model"] for row in models} == set(MODELS)
    gap = next(row for row in models if row["measure"] == "auc_difference" and row["against"] == "logistic")
    assert float(gap["value"]) == pytest.approx(documents["models"]["differences"][0]["value"])


def test_markdown_tables_have_as_many_cells_as_headings(documents: dict[str, Any]) -> None:
    for name, document in documents.items():
        text = report.markdown(document, full=True)
        for block in re.findall(r"(?:^\|.*\|\n)+", text, re.MULTILINE):
            widths = {len(re.findall(r"(?<!\\)\|", line)) for line in block.splitlines()}
            assert len(widths) == 1, (name, block)


def test_latex_is_a_booktabs_table(documents: dict[str, Any]) -> None:
    for name, document in documents.items():
        text = report.latex(document)
        lines = text.splitlines()
        align = re.fullmatch(r"\\begin\{tabular\}\{([lr]+)\}", lines[1])
        assert align is not None, name
        assert text.count(r"\toprule") == text.count(r"\midrule") == text.count(r"\bottomrule") == 1
        for line in lines[3:-2]:
            if line.endswith(r"\\"):
                assert len(re.findall(r"(?<!\\)&", line)) == len(align[1]) - 1, line
        assert not re.search(r"(?<!\\)[%#]", "\n".join(lines[1:])), name


@given(st.text(max_size=40))
def test_latex_text_keeps_braces_balanced_and_specials_escaped(text: str) -> None:
    made = escape_latex(text)
    bare = re.sub(r"\\[&%$#_{}]|\\text\w+\{\}|\$-\$|\$\\infty\$", "", made)
    assert not re.search(r"[&%$#_{}~^\\<>]", bare)


# ---- harm ----


def evil_documents() -> list[dict[str, Any]]:
    y = [1, 0, 1, 0, 1, 1, 0]
    names = dict(zip(EVIL, [[6, 5, 4, 3, 2, 1, i] for i in range(len(EVIL))], strict=True))
    costs = rs.Costs(fp=1, fn=3)
    found = [rs.compare(y, names, costs=costs, unit=EVIL[0]).to_dict()]
    for bad in EVIL:
        labels = [bad if one else "no" for one in y]
        found.append(rs.evaluate(labels, [6, 5, 4, 3, 2, 1, 0], positive=bad, costs=costs, name=bad).to_dict())
        found.append(rs.evaluate([*labels, "third"], predicted=[*labels[::-1], "third"], name=bad).to_dict())
    return found


@pytest.fixture(scope="module")
def evil() -> list[dict[str, Any]]:
    return evil_documents()


def test_labels_and_names_are_inert_in_text(evil: list[dict[str, Any]]) -> None:
    for document in evil:
        for width, fancy in ((80, False), (120, True)):
            text = report.text(document, width=width, fancy=fancy, full=True)
            assert not re.search("[\x00-\x09\x0b-\x1f\x7f\u200b\u202a-\u202e\u2066-\u2069]", text)
            assert len(text) < 30_000
            look = Look(fancy, width)
            assert all(len(letters(line)) <= width for line in as_text(report.blocks(document, look), look))


def test_labels_and_names_are_inert_in_markdown(evil: list[dict[str, Any]]) -> None:
    for document in evil:
        text = report.markdown(document, full=True)
        assert not re.search("[\x00-\x09\x0b-\x1f\x7f\u200b\u202a-\u202e]", text)
        assert not re.search(r"(?<!\\)<|(?<!\\)\]\(|^#|(?<!\\)://|(?<!\\)www\.", text, re.MULTILINE)
        for block in re.findall(r"(?:^\|.*\|\n)+", text, re.MULTILINE):
            assert len({len(re.findall(r"(?<!\\)\|", line)) for line in block.splitlines()}) == 1, block


def test_labels_and_names_are_inert_in_csv_and_come_back(evil: list[dict[str, Any]]) -> None:
    for document in evil:
        rows = table(report.csv(document))
        for row in rows:
            for name in ("model", "class", "against", "why"):
                assert not row[name].startswith(("=", "+", "-", "@", "\t", "\r"))
    first = table(report.csv(evil[0]))
    assert {row["model"].removeprefix("'") for row in first} == set(EVIL)  # whole, the long one too


def test_names_are_inert_in_latex_and_whole_in_json(evil: list[dict[str, Any]]) -> None:
    for document in evil:
        text = report.latex(document)
        assert r"\input" not in text and "\x1b" not in text and "\u202e" not in text
    assert set(json.loads(report.json(evil[0]))["models"]) == set(EVIL)
    assert report.json(evil[0]).isascii()


@settings(max_examples=25, deadline=None)
@given(st.text(min_size=1, max_size=30), st.text(min_size=1, max_size=30))
def test_any_label_fits_every_format(first: str, second: str) -> None:
    if first == second or not first.strip() or not second.strip():
        return
    y = [first, second, first, second, first]
    document = rs.evaluate(y, [5, 4, 3, 2, 1], positive=first, unit=second).to_dict()
    text = report.text(document)
    assert not {unicodedata.category(letter) for letter in text.replace("\n", "")} & {"Cc", "Cf", "Cs", "Zl", "Zp"}
    for view in (report.markdown, report.latex, report.csv, report.json):
        assert view(document)


# ---- files ----


@pytest.mark.parametrize(
    ("ending", "begins"),
    [
        (".json", "{\n"), (".md", "**Recommended: threshold 0.6**"), (".csv", "model,"),
        (".txt", "Recommended: threshold 0.6"), (".tex", "% "),
    ],
)
def test_save_writes_the_format_of_the_ending(tmp_path: Path, ending: str, begins: str) -> None:
    ev = rs.evaluate([1, 1, 0, 1, 0, 0], [0.9, 0.8, 0.7, 0.6, 0.4, 0.3], costs=rs.Costs(fp=1, fn=5))
    path = tmp_path / f"answer{ending}"
    ev.save(str(path))
    written = path.read_text("utf-8")
    assert written.startswith(begins) and written.endswith("\n")
    with pytest.raises(rs.RocscopeError, match="already exists"):
        ev.save(str(path))
    path.write_text("old")
    ev.save(str(path), force=True)
    assert path.read_text("utf-8") == written and [one.name for one in tmp_path.iterdir()] == [path.name]


def test_save_refuses_what_it_cannot_write(tmp_path: Path) -> None:
    document = rs.evaluate([1, 0], [0.9, 0.1]).to_dict()
    for path, message in (
        (tmp_path / "a.xlsx", "cannot determine a format"),
        (tmp_path / "none" / "a.json", "there is no folder"),
        (tmp_path, "cannot determine a format"),
    ):
        with pytest.raises(rs.RocscopeError, match=message):
            report.save(document, path)
    with pytest.raises(rs.RocscopeError, match="not a rocscope/1 document"):
        report.text({"kind": "other"})
    assert list(tmp_path.iterdir()) == []


def test_comparisons_and_classes_save_too(tmp_path: Path) -> None:
    rs.compare([1, 0, 1, 0], {"a": [4, 3, 2, 1], "b": [1, 2, 3, 4]}).save(str(tmp_path / "a.md"))
    rs.evaluate(["a", "b"], predicted=["a", "a"]).save(str(tmp_path / "b.tex"))
    assert {one.name for one in tmp_path.iterdir()} == {"a.md", "b.tex"}


# ---- reading back ----


def test_the_document_reads_back_exactly(documents: dict[str, Any]) -> None:
    y, scores = loan_scores()
    ev = rs.evaluate(y, scores["boosting"], positive=POSITIVE, costs=rs.Costs(fp=1, fn=5))
    document = json.loads(report.json(ev.to_dict()))
    assert counts_of(document) == ev.at(0.287)
    rows = intervals_of(document)
    assert [(one.low, one.high, one.threshold) for one in rows] == [
        (one.low, one.high, one.threshold) for one in ev.hull().intervals
    ]
    assert from_json("Infinity") == float("inf") and from_json(None) != from_json(None)
    assert ev.auc.low == estimate_of(next(row for row in document["areas"] if row["name"] == "auc")).low


# ---- pages ----


@pytest.mark.parametrize("page", ["document.md", "howto/evaluate.md", "howto/compare.md"])
def test_the_python_of_the_pages(page: str) -> None:
    failed, tried = doctest.testfile(str(ROOT / "docs" / page), module_relative=False)
    assert failed == 0 and tried >= 2


def test_the_page_of_the_document_names_every_field(documents: dict[str, Any]) -> None:
    page = (ROOT / "docs" / "document.md").read_text("utf-8")
    for document in documents.values():
        for field in (*document, *document["settings"], *document["data"], *(document.get("point") or {})):
            assert re.search(rf"\b{field}\b", page), field


def test_no_line_begins_with_the_comma_of_the_line_before() -> None:
    """Pieces without a space between them stay together: a number in bold and the comma after it."""
    line = (Span("The advantage of the model over the other"), Span(" 145.28)"), Span(", adjusted"), Span(" p"))
    for width in range(10, 60):
        lines = ["".join(piece.text for piece in one) for one in as_text([Paragraph((line,))], Look(width=width))]
        assert not any(one.startswith((",", ";")) for one in lines) and " ".join(lines).count("145.28),") == 1


def test_a_full_stop_stays_with_its_word() -> None:
    """A name is a piece of its own: what follows it without a space is not put on the next line alone."""
    line = [*(f"word{k} " for k in range(9)), strong("w1"), "."]
    for width in range(12, 90):
        lines = [letters(one) for one in as_text([Paragraph.of(line, hang=2)], Look(width=width))]
        assert all(len(one) <= width for one in lines)
        assert not [one for one in lines if one.strip() == "."]
        assert " ".join(" ".join(lines).split()) == f"{' '.join(f'word{k}' for k in range(9))} w1."


def told(result: Any) -> str:
    """A result as the terminal shows it."""
    lines = as_text(report.blocks(result.to_dict(), Look()), Look())
    return "\n".join(map(letters, lines))


def test_long_names_in_tables_are_told_apart() -> None:
    """Names are cut in the middle, in sentences and in tables."""
    labels = [1, 0, 1, 0, 1, 0, 1, 1, 0, 0] * 20
    start = "gradient boosted trees with early stopping and calibrated probabilities, fold "
    models = {f"{start}{k}": [(7 * row + k * label) % 10 / 10 for row, label in enumerate(labels)] for k in (1, 2, 3)}
    text = told(rs.compare(labels, models))
    cut = [line for line in text.splitlines() if "..." in line]
    assert cut and not [line for line in cut if not re.search(r"fold [123]", line)]


def test_rules_name_the_threshold_that_the_headline_proposes() -> None:
    """The shortest number that decides alike, everywhere: 0.6 and 0.65 are one threshold if no score lies between."""
    labels, scores = [1, 1, 1, 0, 1, 0, 0, 0] * 8, [0.9, 0.8, 0.6512, 0.5, 0.6512, 0.3, 0.2, 0.1] * 8
    text = told(rs.evaluate(labels, scores))
    proposed = re.search(r"Proposed threshold: ([\d.]+),", text)
    best = re.search(r"best by +Youden[^;\n]* ([\d.]+)", text)
    assert proposed is not None and best is not None and best[1] == proposed[1] == "0.6"


def test_a_break_even_without_limits_is_said_in_words() -> None:
    slope = Estimate(0.16, 0.0, math.nan, 0.95, "fieller", "the data are inconclusive")
    assert "nan" not in break_even_limits(slope, Ratios(0.3))
    assert break_even_limits(slope, Ratios(0.3)).endswith("any cost ratio is possible")
