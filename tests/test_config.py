"""Defaults from rocscope.toml and pyproject.toml, and completion by the shell."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import rocscope as rs
from rocscope import RocscopeError, ScoreTable, cli
from rocscope.cli.shared import completion, config
from rocscope.cli.shared.config import COMMANDS, KINDS, PARAMETERS
from rocscope.evaluation import gates

SOURCE = Path(rs.__file__).parent.parent
Ask = Callable[..., tuple[int, str, str]]
CASES = "truth,risk,other\nyes,0.9,0.1\nyes,0.7,0.2\nno,0.6,0.9\nyes,0.5,0.4\nno,0.2,0.3\nno,0.1,0.8\n"
COLUMNS = ("--label", "truth", "--score", "risk", "--positive", "yes")
BASIC = 'label = "truth"\nscore = "risk"\npositive = "yes"\nunit = "loan"\n'


@pytest.fixture
def ask(run: Ask) -> Ask:
    Path("cases.csv").write_text(CASES)
    Path(".git").mkdir()
    return run


def settings(text: str) -> dict[str, object]:
    found: dict[str, object] = json.loads(text)["settings"]
    return found


# ---- found and used ----


def test_defaults_are_used_and_said(ask: Ask) -> None:
    Path("rocscope.toml").write_text(BASIC)
    code, out, err = ask("evaluate", "cases.csv", "--format", "json")
    assert code == 0 and settings(out)["unit"] == "loan"
    assert err == "rocscope: defaults from rocscope.toml: label, score, positive, unit\n"
    same = ask("evaluate", "cases.csv", "--label", "truth", "--score", "risk", "--positive", "yes", "--unit", "loan",
               "--format", "json", "--no-config")  # fmt: skip
    assert same == (0, out, "")


def test_pyproject_has_a_table_of_its_own(ask: Ask) -> None:
    lines = [f"[tool.rocscope]\n{BASIC}", '[tool.rocscope.gate]\nrequire = ["auc >= 0.1"]']
    Path("pyproject.toml").write_text("[project]\nname = 'x'\n" + "\n".join(lines))
    assert ask("gate", "cases.csv")[::2] == (
        0,
        "rocscope: defaults from pyproject.toml: require, label, score, positive, unit\n",
    )
    Path("rocscope.toml").write_text(BASIC.replace("loan", "case"))
    assert "rocscope.toml" in ask("evaluate", "cases.csv")[2]  # the nearer name first


@pytest.mark.parametrize("text", ["", "[project]\nname = 'x'\n", "[tool.other]\nlabel = 3\n", "not toml at all ["])
def test_a_pyproject_that_does_not_speak_of_us_is_passed_over(ask: Ask, text: str) -> None:
    Path("pyproject.toml").write_text(text)
    Path("plain.csv").write_text("y,p\n1,0.9\n0,0.1\n")
    assert ask("evaluate", "plain.csv", "--label", "y", "--score", "p")[::2] == (0, "")


def test_the_search_ends_at_the_root_of_the_repository(ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("rocscope.toml").write_text(BASIC)
    Path("deep/er").mkdir(parents=True)
    Path("deep/er/cases.csv").write_text(CASES)
    monkeypatch.chdir("deep/er")
    assert "../../rocscope.toml" in ask("evaluate", "cases.csv")[2]
    Path("../.git").mkdir()  # a repository of its own: what lies above is not its business
    assert "rocscope.toml" not in ask("evaluate", "cases.csv", *COLUMNS)[2]


def test_outside_of_a_repository_only_the_directory_counts(tmp_path: Path) -> None:
    (tmp_path / "rocscope.toml").write_text(BASIC)
    (tmp_path / "sub").mkdir()
    assert config.find(tmp_path) is not None and config.find(tmp_path / "sub") is None


def test_the_command_line_counts_more(ask: Ask) -> None:
    Path("rocscope.toml").write_text(BASIC + 'level = 0.9\nchoose = "f1"\nseed = 3\n')
    _, out, err = ask("evaluate", "cases.csv", "--level", "0.8", "--format", "json")
    assert settings(out)["level"] == 0.8 and settings(out)["choose"] == "f1" and settings(out)["seed"] == 3
    assert "level" not in err and "choose" in err
    _, out, _ = ask("evaluate", "cases.csv", "--threshold", "0.5", "--format", "json")  # puts the rule aside
    assert settings(out)["choose"] is None and settings(out)["threshold"] == 0.5
    Path("rocscope.toml").write_text(BASIC + "pt = 0.1\n")
    assert ask("evaluate", "cases.csv", "--cost-fn", "5")[0] == 0


def test_config_before_or_behind_the_word(ask: Ask) -> None:
    Path("other.toml").write_text(BASIC)
    for arguments in (("--config", "other.toml", "evaluate", "cases.csv"),
                      ("evaluate", "--config", "other.toml", "cases.csv"),
                      ("evaluate", "cases.csv", "--config=other.toml")):  # fmt: skip
        assert ask(*arguments)[::2] == (0, "rocscope: defaults from other.toml: label, score, positive, unit\n")
    Path("rocscope.toml").write_text("nonsense = 1\n")
    assert ask("evaluate", "--no-config", "cases.csv", *COLUMNS)[0] == 0
    assert ask("evaluate", "cases.csv", "--config", "other.toml", "--no-config")[0] == 2
    assert ask("evaluate", "cases.csv", "--config")[0] == 2
    assert ask("evaluate", "cases.csv", "--config", "none.toml")[0] == 2
    assert ask("evaluate", "--help")[0] == 0  # help is there whatever the file says


def test_a_gate_and_its_baseline_from_anywhere(ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    ScoreTable.from_scores(["yes", "no"], [0.9, 0.1], positive="yes").save("base.rst")
    Path("rocscope.toml").write_text(
        BASIC + '[gate]\nrequire = ["auc >= 0.1", "auc.diff <= 0"]\nbaseline = "base.rst"\n'
    )
    Path("sub").mkdir()
    Path("sub/cases.csv").write_text(CASES)
    monkeypatch.chdir("sub")
    assert ask("gate", "cases.csv")[0] == 0
    assert ask("gate", "cases.csv", "--require", "auc >= 0.99")[0] == 1  # instead of those of the file
    assert "require" not in ask("evaluate", "cases.csv")[2]


def test_a_baseline_that_no_condition_asks_for_is_neither_said_nor_read(ask: Ask) -> None:
    Path("rocscope.toml").write_text(BASIC + '[gate]\nrequire = ["auc >= 0.1"]\nbaseline = "none.rst"\n')
    code, _, err = ask("gate", "cases.csv")
    assert code == 0 and "baseline" not in err
    assert ask("gate", "cases.csv", "--require", "auc.diff >= 0")[0] == 2  # now it is read, and not there


def test_columns_of_the_file_do_not_trouble_a_saved_table(ask: Ask) -> None:
    ScoreTable.from_scores(["yes", "no"], [0.9, 0.1], positive="yes").save("t.rst")
    Path("rocscope.toml").write_text(BASIC + 'missing = "drop"\ncost-fn = 5\n')
    for word in ("evaluate", "curve", "hull"):
        assert ask(word, "t.rst")[0] == 0, word
    assert ask("gate", "t.rst", "--require", "auc >= 0.1")[0] == 0
    assert ask("merge", "t.rst")[0] == 0
    assert ask("demo")[2] == ""  # a word without defaults looks for none


def test_several_scores_and_numbers_as_labels(ask: Ask) -> None:
    Path("n.csv").write_text("y,a,b\n1,0.9,0.3\n2,0.1,0.4\n2,0.3,0.2\n1,0.8,0.9\n")
    Path("rocscope.toml").write_text('label = "y"\nscore = ["a", "b"]\npositive = 1\n')
    code, out, _ = ask("compare", "n.csv", "--format", "json")
    assert code == 0 and json.loads(out)["models"] == ["a", "b"]


def test_every_key_is_an_option_of_a_command() -> None:
    group = cli.rocscope()
    known = {one.name for word in COMMANDS for one in group.get_command(None, word).params}  # type: ignore[union-attr, arg-type, attr-defined]
    keys = {PARAMETERS.get(key, key.replace("-", "_")) for key in KINDS}
    assert keys <= known
    assert set(COMMANDS) == cli.CONFIGURED


@pytest.mark.parametrize("page", ["configure.md", "gate.md"])
def test_the_files_in_the_pages_are_good(page: str, tmp_path: Path) -> None:
    text = (Path(__file__).parent.parent / "docs" / "howto" / page).read_text("utf-8")
    path = tmp_path / "rocscope.toml"
    path.write_text(text.split("```toml\n")[1].split("```")[0])
    found = config.read(path)
    assert found is not None and found.defaults("gate")["requires"]
    gates.read_conditions(found.defaults("gate")["requires"], baseline=True)


# ---- refused ----


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('labl = "y"', "no key 'labl'. Did you mean 'label'?"),
        ('[gate]\nrequires = ["x"]', "no key 'gate.requires'. Did you mean 'require'?"),
        ("[gates]\nlevel = 1", "no key 'gates'. Did you mean 'gate'?"),
        ('output = "x"', "no key 'output'. --output can be given only on the command line"),
        ('[gate]\nformat = "json"', "no key 'gate.format'. --format can be given only on the command line"),
        ("[serve]\nport = 1", "no key 'serve'. rocscope serve takes no defaults from a file"),
        ("colour = 1", "no key 'colour'\n"),
        ('level = "high"', "'level' must be a number, not text"),
        ("level = true", "'level' must be a number, not true or false"),
        ("seed = 1.5", "'seed' must be a whole number, not a number"),
        ("label = 3", "'label' must be text, not a number"),
        ("score = [1]", "'score' must be a text value or a list of text values, not a list"),
        ("full = 1", "'full' must be true or false, not a number"),
        ("level = 2020-01-01", "'level' must be a number, not a date or time"),
        ("gate = 3", "'gate' must be a table [gate], not a number"),
        ("[label]\nx = 1", "'label' must be text, not a table"),
        ('label = "a"\nlabel = "b"', "'label' is given twice (line 2)"),
        ("cost-fn = 5\ncost_fn = 6", "'cost-fn' is given twice"),
        ("[gate]\n[gate]", "'gate' is given twice (line 2)"),
        ("label = ", "line 1 is not valid TOML"),
        ("label = !!python/object/apply:os.system", "line 1 is not valid TOML"),
        ("a: &a [x]\nb: *a", "line 1 is not valid TOML"),
        ("x = " + "[" * 20_000, "rocscope.toml"),
    ],
    ids=lambda value: str(value)[:40],
)
def test_b100_bad_files_are_refused_with_the_key(ask: Ask, text: str, says: str) -> None:
    Path("rocscope.toml").write_text(text + "\n")
    code, out, err = ask("evaluate", "cases.csv", *COLUMNS)
    assert code == 2 and out == "" and says in err and "rocscope.toml" in err and err.count("\n") == 1


@pytest.mark.parametrize(
    "text",
    ["label: y\n", "a: &a [x, x]\nb: &b [*a, *a]\nc: [*b, *b]\n", "label: !!python/object/apply:os.system ['true']\n"],
    ids=["plain", "alias bomb", "python tag"],
)
@pytest.mark.parametrize("name", ["rocscope.yaml", "c.YML", "c.json"])
def test_b100_yaml_is_refused_and_toml_named(ask: Ask, name: str, text: str) -> None:
    Path(name).write_text(text)
    code, out, err = ask("evaluate", "cases.csv", *COLUMNS, "--config", name)
    assert code == 2 and out == "" and f"{name}: a configuration file must be TOML" in err and err.count("\n") == 1
    assert ask("evaluate", "cases.csv", *COLUMNS)[0] == 0  # nor is it looked for


def test_b100_files_that_are_no_config(tmp_path: Path) -> None:
    path = tmp_path / "rocscope.toml"
    path.write_bytes(b"label = '\xff'")
    with pytest.raises(RocscopeError, match="not valid UTF-8"):
        config.read(path)
    path.write_bytes(b"#" * (2**20 + 1))
    with pytest.raises(RocscopeError, match="the limit is 1 MiB"):
        config.read(path)
    (tmp_path / "pyproject.toml").write_text("[tool]\nrocscope = 3\n")
    with pytest.raises(RocscopeError, match="must be a table, not"):
        config.read(tmp_path / "pyproject.toml")
    (tmp_path / "pyproject.toml").write_text("[project]\n")
    with pytest.raises(RocscopeError, match="has no"):
        config.read(tmp_path / "pyproject.toml", asked=True)


def test_a_level_out_of_range_is_told_what_a_level_is(ask: Ask) -> None:
    Path("rocscope.toml").write_text("level = 2\n")
    code, out, err = ask("evaluate", "cases.csv", *COLUMNS)
    assert code == 2 and out == "" and "level must lie between 0 and 1, not 2.0. Write 0.95, not 95" in err


def test_a_value_that_click_refuses_is_wrong_usage(ask: Ask) -> None:
    Path("rocscope.toml").write_text(BASIC + 'missing = "ignore"\n')
    code, out, err = ask("evaluate", "cases.csv")
    assert code == 2 and out == "" and "ignore" in err


# ---- completion ----


def completed(line: str, folder: Path) -> list[str]:
    """What click offers for the last word of a line, as bash would ask."""
    words = line.split(" ")
    asked = {**os.environ, "PYTHONPATH": str(SOURCE), "COMP_WORDS": line, "COMP_CWORD": str(len(words) - 1),
             "_ROCSCOPE_COMPLETE": "bash_complete"}  # fmt: skip
    command = [sys.executable, "-m", "rocscope"]
    done = subprocess.run(command, cwd=folder, env=asked, capture_output=True, text=True, check=True)
    assert done.stderr == ""
    return done.stdout.split()


@pytest.mark.parametrize(
    ("line", "offers"),
    [
        ("rocscope ga", ["plain,gate"]),
        ("rocscope gate cases.csv --req", ["plain,--require"]),
        ("rocscope gate ca", ["file,ca"]),
        ("rocscope merge ca", ["file,ca"]),
        ("rocscope evaluate cases.csv --label t", ["plain,truth"]),
        ("rocscope evaluate cases.csv --label truth --score ", ["plain,truth", "plain,risk", "plain,other"]),
        ("rocscope evaluate cases.parquet --score r", ["plain,risk"]),
        ("rocscope evaluate none.csv --score ", []),
        ("rocscope curve cases.csv --kind lif", ["plain,lift"]),
        ("rocscope gate cases.csv --baseline ca", ["file,ca"]),
        ("rocscope explain yule_q", ["plain,yule_q"]),
        ("rocscope trace --example faw", ["plain,fawcett"]),
        ("rocscope trace --what hu", ["plain,hull"]),
        ("rocscope examples faw", ["plain,fawcett"]),
        ("rocscope evaluate cases.csv --choose youd", ["plain,youden", "plain,youden_index", "plain,youden_j"]),
    ],
)
def test_words_options_files_and_columns_are_offered(tmp_path: Path, line: str, offers: list[str]) -> None:
    (tmp_path / "cases.csv").write_text(CASES)
    import duckdb

    duckdb.execute(f"COPY (SELECT 'yes' AS truth, 0.5 AS risk) TO '{tmp_path}/cases.parquet' (FORMAT parquet)")
    found = completed(line, tmp_path)
    assert found == offers if not line.endswith("lif") else offers[0] in found


@pytest.mark.parametrize("name", ["p$(touch X)", "p`touch X`", "p;touch X", "p q", "p&q", "p'q", "~p", "p*"])
def test_a_column_that_a_shell_would_interpret_is_not_offered(tmp_path: Path, name: str) -> None:
    (tmp_path / "cases.csv").write_text(f"y,{name},p1\n1,0.5,0.5\n")
    assert completed("rocscope evaluate cases.csv --score p", tmp_path) == ["plain,p1"]


def test_measures_are_offered_where_conditions_are_written(tmp_path: Path) -> None:
    found = completed("rocscope gate x.rst --require au", tmp_path)
    assert {"plain,auc", "plain,auc.low", "plain,auc.diff.low"} <= set(found)
    assert "plain,recall" in completed("rocscope evaluate x.rst --choose rec", tmp_path)


@pytest.mark.parametrize("shell", completion.SHELLS)
def test_every_shell_has_a_script(ask: Ask, shell: str) -> None:
    code, out, err = ask("--show-completion", shell)
    assert code == 0 and err == "" and f"_ROCSCOPE_COMPLETE={shell}_complete" in out and "rocscope" in out
    assert ask("--show-completion", "tcsh")[0] == 2


def test_bash_completes_for_real(tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    command = tmp_path / "bin" / "rocscope"
    command.write_text(f'#!/bin/sh\nPYTHONPATH={SOURCE} exec {sys.executable} -m rocscope "$@"\n')
    command.chmod(0o755)
    (tmp_path / "cases.csv").write_text(CASES)
    line = """
    eval "$(rocscope --show-completion bash)"
    COMP_WORDS=(rocscope evaluate cases.csv --label t) COMP_CWORD=4
    _rocscope_completion rocscope
    echo "${COMPREPLY[@]}"
    """
    done = subprocess.run(["bash", "-c", line], cwd=tmp_path, capture_output=True, text=True, check=True,
                          env={**os.environ, "PATH": f"{tmp_path / 'bin'}:{os.environ['PATH']}"})  # fmt: skip
    assert done.stdout.strip() == "truth", done.stderr


def test_columns_are_read_from_the_first_line(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    for text in ('\ufeffa;"b;c";d\n1;2;3\n', '\n\na;"b;c";d\r\n'):
        path.write_text(text, encoding="utf-8")
        assert completion.columns_of(str(path)) == ["a", "b;c", "d"]
