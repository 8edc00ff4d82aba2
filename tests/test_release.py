"""What a release is made of: built twice to the same bytes, whole, with addresses and a bill of materials."""

from __future__ import annotations

import hashlib
import json
import re
import runpy
import shutil
import subprocess
import tarfile
import tomllib
import zipfile
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parent.parent
TOOLS = ROOT / "tools"
URL = "https://example.org/rocscope"
RELEASE = runpy.run_path(str(TOOLS / "release.py"))


# ---- the files ----


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    pytest.importorskip("hatchling", reason="hatchling is not installed")
    if shutil.which("git") is None or not (ROOT / ".git").exists():
        pytest.skip("a release is made from a git repository")
    made = RELEASE["release"](tmp_path_factory.mktemp("dist"), URL, tagged=False)  # both builds are compared there
    return {path.name.removeprefix("rocscope-0.1.0"): path for path in made}


@pytest.mark.slow
def test_the_wheel_has_addresses_and_links_that_work_on_an_index_page(files: dict[str, Path]) -> None:
    with zipfile.ZipFile(files["-py3-none-any.whl"]) as held:
        metadata = held.read("rocscope-0.1.0.dist-info/METADATA").decode()
        assert {name.split("/")[0] for name in held.namelist()} == {"rocscope", "rocscope-0.1.0.dist-info"}
    for name in ("source", "documentation", "issues", "changelog"):
        assert f"Project-URL: {name}, {URL}" in metadata
    links = re.findall(r"\]\(([^)\s]+)\)", metadata)
    assert len(links) > 20 and all(link.startswith("https://") for link in links)
    assert f"({URL}/raw/v0.1.0/docs/img/demo.svg)" in metadata


@pytest.mark.slow
def test_the_source_distribution_is_whole(files: dict[str, Path]) -> None:
    with tarfile.open(files[".tar.gz"]) as held:
        names = set(held.getnames())
    for name in ("page/src/main.ts", "page/package-lock.json", "tests/test_page_build.py", "tools/release.py",
                 "Containerfile", ".pre-commit-hooks.yaml", "docs/howto/api.md", "mkdocs.yml"):  # fmt: skip
        assert f"rocscope-0.1.0/{name}" in names


@pytest.mark.slow
def test_hashes_and_bill_of_materials(files: dict[str, Path]) -> None:
    for line in files["SHA256SUMS"].read_text().splitlines():
        digest, name = line.split("  ")
        assert hashlib.sha256((files["SHA256SUMS"].parent / name).read_bytes()).hexdigest() == digest
    assert len(files["SHA256SUMS"].read_text().splitlines()) == 3
    bill = json.loads(files[".cdx.json"].read_text())
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    needed = {re.split(r"[>=<\[]", one)[0] for one in project["dependencies"]}
    names = {one["name"] for one in bill["components"]}
    assert (bill["bomFormat"], bill["specVersion"]) == ("CycloneDX", "1.6") and needed <= names
    assert "pytest" not in names and "rocscope" not in names
    references = {one["bom-ref"] for one in bill["components"]} | {bill["metadata"]["component"]["bom-ref"]}
    for one in bill["dependencies"]:
        assert one["ref"] in references and set(one["dependsOn"]) <= references
    root = next(one for one in bill["dependencies"] if one["ref"].startswith("pkg:pypi/rocscope@"))
    assert {ref.split("/")[1].split("@")[0] for ref in root["dependsOn"]} >= needed
    assert [one["name"] for one in bill["components"] if not one.get("licenses")] == []


def test_builds_that_differ_and_trees_that_are_not_ready_are_refused(tmp_path: Path) -> None:
    refused: Any = RELEASE["NotReady"]
    (tmp_path / "a").write_bytes(b"1")
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "a").write_bytes(b"2")
    with pytest.raises(refused, match="a is not the same in two builds"):
        RELEASE["same_bytes"]([tmp_path / "a"], [tmp_path / "b" / "a"])
    with zipfile.ZipFile(tmp_path / "w.whl", "w") as held:
        held.writestr("rocscope-1.dist-info/METADATA", "Name: rocscope\n\n[a](docs/a.md)")
    with pytest.raises(refused, match="no license"):
        RELEASE["check_wheel"](tmp_path / "w.whl", addresses=True)


# ---- what stands beside ----


def test_every_command_is_tried_in_the_bare_install() -> None:
    from rocscope.cli import COMMANDS

    script = (TOOLS / "bare.sh").read_text()
    tried = set(re.findall(r"^ *try [02] (?:'[^']*'|\"[^\"]*\"|\S+) (\w+)", script, re.MULTILINE))
    assert set(COMMANDS) <= tried
    typed = runpy.run_path(str(TOOLS / "newcomer.py"))["commands"]((ROOT / "README.md").read_text("utf-8"))
    shown = {command.split()[1] for command in typed}
    assert len(typed) >= 20 and set(COMMANDS) - {"calibrate"} <= shown


def test_the_container_runs_as_a_user_without_a_network_of_its_own() -> None:
    lines = (ROOT / "Containerfile").read_text().splitlines()
    words = [line.split(maxsplit=1) for line in lines if line and not line.startswith(("#", " "))]
    steps = [first for first, *_ in words]
    assert steps.count("FROM") == 2 and steps[-1] == "ENTRYPOINT" and "USER" in steps
    user = next(rest[0] for first, *rest in words if first == "USER")
    assert user.isdigit() and int(user) > 0
    text = "\n".join(lines)
    for source in re.findall(r"^COPY (?!--from)(.*) \S+$", text, re.MULTILINE):
        assert all((ROOT / one).exists() for one in source.split())
    assert "[serve]" in text and "--token" not in text and "latest" not in text


def test_no_registry_is_named() -> None:
    """Packages and images come from where pip, npm and podman are configured to take them, so that a mirror works."""
    hosts = re.compile(r"pypi\.org|pythonhosted|npmjs|yarnpkg|anaconda\.org|docker\.io|quay\.io|ghcr\.io")
    single = "Containerfile Makefile pyproject.toml .ci/run .pre-commit-hooks.yaml"
    files = [ROOT / name for name in single.split()]
    files += [*TOOLS.iterdir(), *ROOT.glob("page/package*.json"), *ROOT.glob("page/*/package*.json")]
    files += [ROOT / ".github" / "workflows" / "test.yml"]
    named = [path.name for path in files if path.is_file() and hosts.search(path.read_text("utf-8", "replace"))]
    assert not named and len(files) > 20


def test_the_workflows_cover_windows_macos_and_every_python() -> None:
    yaml = pytest.importorskip("yaml")
    jobs = yaml.safe_load((ROOT / ".github" / "workflows" / "test.yml").read_text())["jobs"]
    assert set(jobs["others"]["strategy"]["matrix"]["os"]) >= {"windows-latest", "macos-latest"}
    assert jobs["linux"]["strategy"]["matrix"]["python"] == ["3.11", "3.12", "3.13", "3.14"]
    versions = (TOOLS / "python_versions.sh").read_text()
    assert "3.11 3.12 3.13 3.14" in versions


def test_the_hook_names_a_command_that_exists() -> None:
    yaml = pytest.importorskip("yaml")
    (hook,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())
    assert hook["id"] == "rocscope-gate" and hook["entry"] == "rocscope gate" and hook["language"] == "python"
    assert re.search(hook["files"], "predictions.csv")


def test_the_checklist_names_targets_that_exist() -> None:
    page = (ROOT / "docs" / "release.md").read_text("utf-8")
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    named = set(re.findall(r"`make ([a-z-]+)", page))
    assert {"test", "release", "lowest", "versions", "bare", "types", "engines"} <= named <= targets


@pytest.mark.parametrize("name", ["bare.sh", "lowest.sh", "python_versions.sh", "setup.sh"])
def test_scripts_are_read_by_a_plain_shell(name: str) -> None:
    assert subprocess.run(["sh", "-n", str(TOOLS / name)], check=False).returncode == 0


def test_an_environment_that_is_a_link_is_not_emptied(tmp_path: Path) -> None:
    """`venv --clear` empties the folder that a link points to, which may be the environment of another tree."""
    (tmp_path / "shared" / "bin").mkdir(parents=True)
    (tmp_path / ".venv").symlink_to(tmp_path / "shared")
    done = subprocess.run(["sh", str(TOOLS / "setup.sh"), str(tmp_path / ".venv")], capture_output=True, text=True,
                          check=False)  # fmt: skip
    assert done.returncode == 1 and ".venv is a symbolic link: remove it" in done.stderr
    assert (tmp_path / "shared" / "bin").is_dir()
