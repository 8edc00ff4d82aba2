"""Build a release, check it, and tag it locally; publishing is a person's step.

python tools/release.py [--url https://host/project] [--tag] [--to dist]

The files are built twice from a clean copy of the commit, and must be the same bytes. `--url` is where the project is
hosted: it fills the addresses in the metadata and makes the links of the README absolute, so that they work on an
index page. Without it both are left as they are. `--tag` tags the commit, and refuses unless the changelog dates the
version.
"""

from __future__ import annotations

import argparse
import hashlib
import io
import json
import os
import re
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from pathlib import Path

ROOT = Path(__file__).parent.parent
LINK = re.compile(r"(!?)\[([^\]]*)\]\((?!https?://|#|mailto:)([^)\s]+)\)")
PARTS = {
    "documentation": "{url}/blob/{tag}/docs/index.md", "source": "{url}", "issues": "{url}/issues",
    "changelog": "{url}/blob/{tag}/CHANGELOG.md",
}  # fmt: skip


class NotReady(Exception):
    """What keeps a release from being made."""


def git(*words: str) -> bytes:
    """What a command of git prints."""
    return subprocess.run(["git", *words], cwd=ROOT, check=True, capture_output=True).stdout


def version() -> str:
    """The version of the source tree."""
    found = re.search(r'VERSION = "([^"]+)"', (ROOT / "src" / "rocscope" / "version.py").read_text("utf-8"))
    assert found is not None
    return found[1]


# ---- the source that is built ----


def clean_copy(folder: Path) -> None:
    """The files of the commit, without anything that lies about."""
    with tarfile.open(fileobj=io.BytesIO(git("archive", "--format=tar", "HEAD"))) as held:
        held.extractall(folder, filter="data")


def absolute(text: str, url: str, tag: str) -> str:
    """A README whose relative links and pictures lead to the host.

    >>> absolute("[a](docs/a.md) ![b](docs/b.svg) [c](https://x)", "https://h/p", "v1")
    '[a](https://h/p/blob/v1/docs/a.md) ![b](https://h/p/raw/v1/docs/b.svg) [c](https://x)'
    """
    return LINK.sub(lambda m: f"{m[1]}[{m[2]}]({url}/{'raw' if m[1] else 'blob'}/{tag}/{m[3]})", text)


def fill_addresses(folder: Path, url: str, tag: str) -> None:
    """Write the addresses of the host into the copy: metadata and README."""
    readme, project = folder / "README.md", folder / "pyproject.toml"
    readme.write_text(absolute(readme.read_text("utf-8"), url, tag), encoding="utf-8")
    lines = ["[project.urls]", *(f'{name} = "{form.format(url=url, tag=tag)}"' for name, form in PARTS.items()), "", ""]
    text = project.read_text("utf-8")
    project.write_text(text.replace("[project.scripts]", "\n".join(lines) + "[project.scripts]", 1), encoding="utf-8")


def build(source: Path, target: Path, epoch: str) -> list[Path]:
    """Wheel and source distribution of a folder."""
    command = [sys.executable, "-m", "hatchling", "build", "-t", "sdist", "-t", "wheel", "-d", str(target)]
    environment = {**os.environ, "SOURCE_DATE_EPOCH": epoch, "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(command, cwd=source, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        raise NotReady(f"the build failed: {done.stderr[-2000:]}")
    return sorted(target.iterdir())


# ---- checks ----


def same_bytes(first: list[Path], second: list[Path]) -> None:
    """Refuse builds that differ."""
    if [one.name for one in first] != [one.name for one in second]:
        raise NotReady("two builds gave files of different names")
    for one, other in zip(first, second, strict=True):
        if one.read_bytes() != other.read_bytes():
            raise NotReady(f"{one.name} is not the same in two builds")


def check_sdist(path: Path) -> None:
    """Refuse a source distribution that lacks what its tests need."""
    with tarfile.open(path) as held:
        names = {name.partition("/")[2] for name in held.getnames()}
    tracked = set(git("ls-files").decode().splitlines())
    lacking = sorted(name for name in tracked - names if not name.startswith((".github/", ".ci/", ".gitignore")))
    if lacking:
        raise NotReady(f"{path.name} lacks {', '.join(lacking[:5])}")


def check_wheel(path: Path, *, addresses: bool) -> None:
    """Refuse a wheel with foreign files or with metadata that an index page cannot show."""
    with zipfile.ZipFile(path) as held:
        names = held.namelist()
        metadata = held.read(next(name for name in names if name.endswith(".dist-info/METADATA"))).decode()
    foreign = [name for name in names if not name.startswith(("rocscope/", "rocscope-"))]
    if foreign or not any(name.endswith("/licenses/LICENSE") for name in names):
        raise NotReady(f"{path.name} holds {foreign or 'no license'}")
    header, _, readme = metadata.partition("\n\n")
    for field in ("Author: ", "License-Expression: MIT", "Requires-Python: >=3.11"):
        if field not in header:
            raise NotReady(f"the metadata lacks {field!r}")
    if addresses and (LINK.search(readme) or header.count("Project-URL: ") != len(PARTS)):
        raise NotReady("the README has relative links, or the metadata lacks addresses")


def check_tree(tag: str) -> None:
    """Refuse to tag what is not committed, not dated, or tagged before."""
    if git("status", "--porcelain", "--untracked-files=no").strip():
        raise NotReady("there are changes that are not committed")
    if git("tag", "--list", tag).strip():
        raise NotReady(f"{tag} exists")
    changes = (ROOT / "CHANGELOG.md").read_text("utf-8")
    if not re.search(rf"^## {re.escape(tag[1:])}, \d{{4}}-\d\d-\d\d$", changes, re.MULTILINE):
        raise NotReady(f"CHANGELOG.md does not date the version: write '## {tag[1:]}, YYYY-MM-DD'")
    if f"version: {tag[1:]}" not in (ROOT / "CITATION.cff").read_text("utf-8"):
        raise NotReady(f"CITATION.cff does not say version: {tag[1:]}")


# ---- all together ----


def release(target: Path, url: str, *, tagged: bool) -> list[Path]:
    """The files of a release in a folder: wheel, source distribution, bill of materials, and their hashes."""
    tag = f"v{version()}"
    if tagged:
        check_tree(tag)
    epoch = git("log", "-1", "--format=%ct").decode().strip()
    with tempfile.TemporaryDirectory() as work:
        builds = []
        for place in ("one", "two"):
            source = Path(work, place, "source")
            source.mkdir(parents=True)
            clean_copy(source)
            if url:
                fill_addresses(source, url.rstrip("/"), tag)
            builds.append(build(source, Path(work, place, "built"), epoch))
        same_bytes(*builds)
        target.mkdir(parents=True, exist_ok=True)
        made = [target / one.name for one in builds[0]]
        for one, path in zip(builds[0], made, strict=True):
            path.write_bytes(one.read_bytes())
    check_sdist(next(one for one in made if one.name.endswith(".tar.gz")))
    check_wheel(next(one for one in made if one.suffix == ".whl"), addresses=bool(url))
    made.append(target / f"rocscope-{tag[1:]}.cdx.json")
    os.environ["SOURCE_DATE_EPOCH"] = epoch
    made[-1].write_text(json.dumps(_bill(), indent=2) + "\n", encoding="utf-8")
    hashes = "".join(f"{hashlib.sha256(one.read_bytes()).hexdigest()}  {one.name}\n" for one in made)
    (target / "SHA256SUMS").write_text(hashes, encoding="ascii")
    if tagged:
        git("tag", "--annotate", tag, "--message", f"rocscope {tag[1:]}")
    return [*made, target / "SHA256SUMS"]


def _bill() -> object:
    sys.path.insert(0, str(Path(__file__).parent))
    import sbom

    return sbom.bill(["all"])


def main() -> int:
    """The command."""
    parser = argparse.ArgumentParser(description="Build a release, check it, and tag it locally.")
    parser.add_argument("--url", default=os.environ.get("PROJECT_URL", ""), help="where the project is hosted")
    parser.add_argument("--tag", action="store_true", help="tag the commit")
    parser.add_argument("--to", type=Path, default=ROOT / "dist", help="folder of the files")
    given = parser.parse_args()
    try:
        for path in release(given.to, given.url, tagged=given.tag):
            print(f"{path.name}  {path.stat().st_size:,} bytes")
    except NotReady as error:
        print(f"not released: {error}", file=sys.stderr)
        return 1
    if not given.url:
        print("without --url: the metadata has no addresses, and the links of the README are relative", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
